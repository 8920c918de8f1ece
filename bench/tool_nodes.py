"""How near a tool's value is to that of a search of 200,000 nodes, by nodes; and how often the last line is a bound.

    .venv/bin/python bench/tool_nodes.py [POSITIONS]

Positions: Chess960 starts and up to 60 plies from there, each ply Stockfish's at 200 nodes or, one in three, a random
legal move. Asked is the value of the position and that of one random legal move (`searchmoves`), as a tool asks them.
Centipawns; both values are held within 1,000, as a mate is. Three minutes on one core for 150 positions.
"""

import statistics
import sys

import chess

from agzamov_verify.core.dice import Stream
from agzamov_verify.engines.exact_score import BOUNDS, searched
from agzamov_verify.engines.uci_engine import UciEngine, find_engine

BUDGETS = (100, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
LONG, PLAY, CAP, BEYOND = 200_000, 200, 1_000, 50


def main() -> None:
    """Play, search, print one row a budget."""
    dice = Stream(bytes(32), "bench")
    rows: dict[int, list[tuple[bool, int, int]]] = {budget: [] for budget in BUDGETS}
    with UciEngine(find_engine(), 16) as engine:
        for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 150):
            board = position(engine, dice)
            for only in ("", dice.choice(sorted(move.uci() for move in board.legal_moves))):
                deep = values(engine, board, LONG, only)[2]
                for budget in BUDGETS:
                    bound, last, exact = values(engine, board, budget, only)
                    rows[budget].append((bound, abs(last - deep), abs(exact - deep)))
    print(
        "nodes | bounds | last exact: median off, 90 %, max, > 50 off | bounds alone: median off, of the exact instead"
    )
    for budget, found in rows.items():
        offs = sorted(row[2] for row in found)
        beyond = sum(off > BEYOND for off in offs)
        bounds = [row for row in found if row[0]] or [(True, 0, 0)]
        instead = [statistics.median(row[at] for row in bounds) for at in (1, 2)]
        shares = [f"{100 * part / len(found):.0f} %" for part in (sum(row[0] for row in found), beyond)]
        nine = offs[len(offs) * 9 // 10]
        print(budget, shares[0], statistics.median(offs), nine, offs[-1], shares[1], *instead, sep=" | ")


def position(engine: UciEngine, dice: Stream) -> chess.Board:
    """A position in which the game goes on."""
    while True:
        board = chess.Board.from_chess960_pos(dice.below(960))
        start = board.fen()
        for _ in range(dice.below(61)):
            if board.is_game_over():
                break
            moves = " ".join(move.uci() for move in board.move_stack)
            drawn = dice.choice(sorted(move.uci() for move in board.legal_moves))
            board.push_uci(drawn if dice.below(3) == 0 else engine.best_move(start, moves, f"nodes {PLAY}"))
        if not board.is_game_over():
            return chess.Board(board.fen(), chess960=True)


def values(engine: UciEngine, board: chess.Board, nodes: int, only: str) -> tuple[bool, int, int]:
    """Is the last line a bound; its value, and the last exact one, in centipawns within CAP."""
    limit = f"nodes {nodes} searchmoves {only}" if only else f"nodes {nodes}"
    lines = list(engine._search(board.fen(), "", limit))  # noqa: SLF001 - the lines themselves
    last = [line for line in lines if " multipv 1 " in line][-1].partition(" pv ")[0].split()
    kind, value = last[last.index("score") + 1 :][:2]
    told = searched(lines).evaluation
    exact = capped(told.centipawns if told.mate is None else CAP * told.mate)
    return not BOUNDS.isdisjoint(last), capped(int(value) * (CAP if kind == "mate" else 1)), exact


def capped(value: int | None) -> int:
    """A value within CAP either way."""
    return max(-CAP, min(CAP, value or 0))


if __name__ == "__main__":
    main()
