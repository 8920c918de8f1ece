"""Write the positions of Phase 5: verify/agzamov_verify/games/chess/stress_positions.json.

    .venv/bin/python scripts/stress_positions/write.py

Stockfish 15.1 plays itself from Chess960 starts at few nodes, so that it errs, one position is taken of a game, and no
game or position is chosen by hand. A position is taken if White is to move and not in check, no capture or check is the
engine's move, the nodes of play and the first budget put it into a class that is looked for, the deep budget puts it
into the same, and the quota of that class and worse side is not full. The pinned engine then plays it out against
itself: the moves that the worse side makes before its win probability has collapsed are the expected collapse point.
All of it is a function of the seed below and of the engine, so that a second run writes the same bytes. About ten
minutes on one core.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import chess

from agzamov_verify.core import canon
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Evaluation
from agzamov_verify.engines.uci_engine import NAME, NET_SHA256, UciEngine, find_engine
from agzamov_verify.games.chess.stress_positions import (
    DEEP_NODES,
    FORMAT,
    NODES,
    STRESS_CLASSES,
    PositionClass,
    PositionOrigin,
    StressPosition,
    StressPositions,
    class_of,
    expected_collapse,
)

SEED = b"Agzamov Phase 5 positions, 1"
PLAY_NODES = 200
PLIES = range(16, 121)
"""Plies at which a position may be taken."""

OF_SIDE = 15
"""Positions of each class in which White stands worse, and as many in which Black does."""

OUT = Path(__file__).parents[2] / "verify/agzamov_verify/games/chess/stress_positions.json"


class Taken(NamedTuple):
    """A position as it was taken: its FEN with counters at their start, and the two evaluations for White."""

    fen: str
    ply: int
    centipawns: int
    centipawns_deep: int


def main() -> None:
    """Play, take, play out, write."""
    dice = Dice(SEED.ljust(32, b"\0"))
    starts = dice.stream("starts").deal(range(960), 960)
    wanted = Counter({(one, worse): OF_SIDE for one in STRESS_CLASSES for worse in ("white", "black")})
    rows: list[StressPosition] = []
    with UciEngine(find_engine(), 16) as engine:
        engine.require(NAME, NET_SHA256)
        for game, start in enumerate(starts):
            if not +wanted:
                break
            for taken in one_of_game(engine, start, wanted):
                one, worse = class_of(taken.centipawns), worse_side(taken.centipawns)
                wanted[(one, worse)] -= 1
                collapse = None if one is PositionClass.EQUAL else expected_collapse(engine.search, taken.fen, worse)
                rows.append(row(taken, one, worse, collapse, PositionOrigin(game, start, taken.ply)))
                print(f"game {game}: {one.value}, {worse} worse, {taken.centipawns}, collapse {collapse}", flush=True)
    rows.sort(key=lambda row: (list(PositionClass).index(row.part), row.source.game))
    named = [row_named(row, number) for number, row in enumerate(rows)]
    OUT.write_bytes(canon.dumps(StressPositions(FORMAT, SEED.decode(), NAME, NET_SHA256, PLAY_NODES, tuple(named))))


def worse_side(centipawns: int) -> str:
    """The side that stands worse by the first evaluation, for White; of an equal one the side that is not ahead."""
    return "white" if centipawns < 0 else "black"


def row(taken: Taken, one: PositionClass, worse: str, collapse: int | None, source: PositionOrigin) -> StressPosition:
    """One position of the file, without its number."""
    found = one.value if one is PositionClass.EQUAL else f"{one.value}, {worse} worse"
    why = (
        f"the first position of its game, from ply {PLIES.start} on, with White to move and no check, that searches of"
        f" {PLAY_NODES} and {NODES:,} nodes put into classes still looked for; {found} by {NODES:,} and by"
        f" {DEEP_NODES:,} nodes, with a quiet move as the engine's best"
    )
    return StressPosition("", taken.fen, one, worse, taken.centipawns, taken.centipawns_deep, collapse, source, why)


def row_named(row: StressPosition, number: int) -> StressPosition:
    """The position with its name."""
    return StressPosition(f"s{number:03d}", *[getattr(row, name) for name in row.__struct_fields__[1:]])


def one_of_game(engine: UciEngine, start: int, wanted: Counter[tuple[PositionClass, str]]) -> Iterator[Taken]:
    """The first position of a game that is wanted, if there is one."""
    board = chess.Board.from_chess960_pos(start)
    start_fen, moves = board.fen(), ""
    while not board.is_game_over() and board.ply() in range(PLIES.stop):
        best, value = engine.search(start_fen, moves, PLAY_NODES)
        if board.ply() in PLIES and board.turn and not board.is_check():
            taken = judged(engine, board, value, wanted)
            if taken:
                yield taken
                return
        board.push_uci(best)
        moves = f"{moves} {best}".strip()


def judged(
    engine: UciEngine, board: chess.Board, rough: Evaluation, wanted: Counter[tuple[PositionClass, str]]
) -> Taken | None:
    """The position with White to move, if both budgets put it into a class that is wanted."""
    if not is_wanted(rough.centipawns, wanted):
        return None
    fresh = board.copy(stack=False)
    fresh.halfmove_clock, fresh.fullmove_number = 0, 1
    best, value = engine.search(fresh.fen(), "", NODES)
    move = chess.Move.from_uci(best)
    if not is_wanted(value.centipawns, wanted) or board.is_capture(move) or board.gives_check(move):
        return None
    deep = engine.search(fresh.fen(), "", DEEP_NODES)[1]
    if value.centipawns is None or deep.centipawns is None:
        return None
    first, second = value.centipawns, deep.centipawns
    same = class_of(first) is class_of(second) and (class_of(first) is PositionClass.EQUAL or first * second > 0)
    return Taken(fresh.fen(), board.ply(), first, second) if same else None


def is_wanted(centipawns: int | None, wanted: Counter[tuple[PositionClass, str]]) -> bool:
    """True if a position of this value, for White, is still looked for."""
    one = None if centipawns is None else class_of(centipawns)
    return one is not None and centipawns is not None and wanted[(one, worse_side(centipawns))] > 0


if __name__ == "__main__":
    main()
