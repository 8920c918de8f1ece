"""Writes what each action before the flop loses against the shipped strategy, for each class of hands.

    python scripts/preflop_game/losses.py > preflop_losses.bin

Takes a few seconds. The file belongs in verify/agzamov_verify/games/holdem/tables, its digest in
preflop_game.py. A test computes every number again.
"""

import struct
import sys

from agzamov_verify.games.holdem.preflop_game import computed_losses, shipped_strategy


def packed() -> bytes:
    """The file's bytes."""
    losses = list(computed_losses(shipped_strategy()))
    return struct.pack(f"<{len(losses)}I", *losses)


if __name__ == "__main__":
    sys.stdout.buffer.write(packed())
