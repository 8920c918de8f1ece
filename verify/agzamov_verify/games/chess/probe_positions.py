"""The positions of calculation probes: forced mates with their proof, and won endings with their shortest win (S22).

They are in `probe_positions.json` in this folder, which scripts/stress_positions/write_probes.py writes. White is to
move and is the side that is asked to win.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import chess
import msgspec

from ...experiment.matches import PositionClass
from ...table.adjudication import Adjudication, AdjudicationPolicy
from .game_script import ChessRules
from .stress_positions import STRESS_CLASSES, positions_of

FORMAT: Literal["agz-probe-positions-1"] = "agz-probe-positions-1"

ENDING_PLIES_MAX: Final = 100
"""Plies of a game from a won ending: longer than any shortest win in the file, which takes 28 moves at most."""

PROOF_LINES_MAX: Final = 60
"""Lines of a proof."""


class ProbePosition(msgspec.Struct, frozen=True):
    """One position. `moves`: White mates within so many of its moves; in a won ending that is the shortest win exactly.

    `proof`: of a mate, every line in UCI, one for each defence: White's move is the same wherever the moves before it
    are. Empty for an ending, whose length is of a table (scripts/stress_positions/endings.py). `source`: where the
    position is from.
    """

    name: str
    fen: str
    part: PositionClass
    moves: int
    proof: tuple[str, ...]
    source: str


class ProbePositions(msgspec.Struct, frozen=True):
    """The file. `engine` and `net_sha256` are of the engine that played the games of the mates; `seed` of all draws."""

    format: Literal["agz-probe-positions-1"]
    seed: str
    engine: str
    net_sha256: str
    play_nodes: int
    positions: tuple[ProbePosition, ...]


def unproven(fen: str, moves: int, lines: Sequence[str]) -> str:
    """The gap in a proof that White mates within so many moves; empty where it is proven.

    Exhaustive over the defender: after each of White's moves every legal reply must be followed to mate.
    """
    board = chess.Board(fen, chess960=True)
    return _unproven(board, moves, [tuple(line.split()) for line in lines], ())


def _unproven(board: chess.Board, moves: int, lines: Sequence[Sequence[str]], so_far: tuple[str, ...]) -> str:
    """As `unproven`, of a position in which White is to move after `so_far`; `lines` are those that begin with it."""
    place = f"after {' '.join(so_far) or 'no move'}"
    depth = len(so_far)
    played = {line[depth] if len(line) > depth else "" for line in lines}
    if len(played) != 1 or not moves:
        return f"{place}: expected one move of White, and a mate in time"
    move = played.pop()
    if move not in {legal.uci() for legal in board.legal_moves}:
        return f"{place}: expected a legal move, found {move!r}"
    board.push_uci(move)
    replies = sorted(legal.uci() for legal in board.legal_moves)
    if board.is_checkmate():
        missing = "" if len(lines) == 1 and len(lines[0]) == depth + 1 else f"{place} {move}: expected the line's end"
    elif not replies:
        missing = f"{place} {move}: expected a mate, found a draw"
    else:
        missing = ""
        for reply in replies:
            there = [line for line in lines if len(line) > depth + 1 and line[depth + 1] == reply]
            board.push_uci(reply)
            missing = missing or _unproven(board, moves - 1, there, (*so_far, move, reply))
            board.pop()
        if not missing and {line[depth + 1] if len(line) > depth + 1 else "" for line in lines} != set(replies):
            missing = f"{place} {move}: expected no defence that is not legal"
    board.pop()
    return missing


_DECODER: Final = msgspec.json.Decoder(ProbePositions)


@cache
def probe_positions() -> ProbePositions:
    """The shipped file."""
    return _DECODER.decode(_file())


def probe_positions_sha256() -> str:
    """The digest of the file, which is sealed with every plan."""
    return hashlib.sha256(_file()).hexdigest()


@cache
def fens_of(part: PositionClass) -> tuple[str, ...]:
    """The positions of a class, of either file, in the order of the file."""
    rows = probe_positions().positions if part not in STRESS_CLASSES else positions_of(part)
    return tuple(row.fen for row in rows if row.part is part)


def rules_from(fen: str, rules: ChessRules) -> ChessRules:
    """The rules of a game from there. From a mate or a won ending it is not stopped early, nor longer than needed."""
    position = probe_of(fen)
    if position is None:
        return rules
    plies = 2 * position.moves - 1 if position.part is PositionClass.MATE else ENDING_PLIES_MAX
    played_out = Adjudication(policy=AdjudicationPolicy.NONE)
    return msgspec.structs.replace(rules, adjudication=played_out, plies_max=min(plies, rules.plies_max))


@cache
def probe_of(fen: str) -> ProbePosition | None:
    """The position of that FEN; None for any other start."""
    return next((position for position in probe_positions().positions if position.fen == fen), None)


@cache
def _file() -> bytes:
    return (files(__package__) / "probe_positions.json").read_bytes()
