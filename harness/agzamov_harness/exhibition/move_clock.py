"""How long a move may take, from the words of `go`.

`movetime` is all of it. Of a clock a move gets its share: what is left over the moves to go, 25 where there is no such
number, and four fifths of the increment. Without either the seat takes as long as it needs. Before the end of that
time the seat's own answer is given up, and a legal move drawn; a little later the harness plays one itself.
"""

from typing import Final, NamedTuple

MOVES_TO_GO: Final = 25
OVERHEAD_MS: Final = 1_000
"""Default of the option Move Overhead: what a program and the way to it may take."""
OVERHEAD_MS_MAX: Final = 600_000
MS_PER_S: Final = 1_000.0
NUMBERS: Final = frozenset({"wtime", "btime", "winc", "binc", "movestogo", "movetime", "depth", "nodes", "mate"})
STOP_GRACE_S: Final = 2.0
"""Seconds after `stop` in which a legal move is drawn, before the harness plays one itself."""


class Limits(NamedTuple):
    """Seconds after which the seat's answer is given up, and after which a move is played; None: no limit.

    `waits`: no move before `stop`.
    """

    give_up_s: float | None
    play_s: float | None
    waits: bool = False


def limits_of(words: list[str], *, is_white: bool, overhead_ms: int) -> Limits:
    """The limits of one move, from the words behind `go`."""
    if "infinite" in words or "ponder" in words:
        return Limits(None, None, waits=True)
    found = {word: _number(words, at + 1) for at, word in enumerate(words) if word in NUMBERS}
    allowed_ms = _allowed_ms(found, "w" if is_white else "b")
    if allowed_ms is None:
        return Limits(None, None)
    reserve_ms = min(overhead_ms, allowed_ms / 2)
    return Limits((allowed_ms - reserve_ms) / MS_PER_S, (allowed_ms - reserve_ms / 3) / MS_PER_S)


def _allowed_ms(found: dict[str, int], side: str) -> float | None:
    if "movetime" in found:
        return max(0, found["movetime"])
    left_ms = found.get(f"{side}time")
    if left_ms is None:
        return None
    left_ms = max(0, left_ms)
    share = left_ms / max(1, found.get("movestogo") or MOVES_TO_GO) + found.get(f"{side}inc", 0) * 4 / 5
    return min(left_ms, share) if found.get("movestogo") != 1 else left_ms


def _number(words: list[str], at: int) -> int:
    """A whole number in its place; 0 where a program wrote something else."""
    text = words[at] if at < len(words) else ""
    return int(text) if text.lstrip("-").isdecimal() else 0
