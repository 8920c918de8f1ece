"""Write the positions of the calculation probes: verify/agzamov_verify/games/chess/probe_positions.json.

    .venv/bin/python scripts/stress_positions/write_probes.py

Mates: Stockfish 15.1 plays itself from Chess960 starts at few nodes; of a game the first position is taken that has
White to move and a forced mate in 1, 2 or 3 that is still wanted. Stockfish proposes White's moves and every defence is
tried, so the lines are a proof; an exhaustive search shows that no mate is shorter. Won endings: drawn from the exact
tables of `endings`. Nothing is chosen by hand, and a second run writes the same bytes. Some minutes on one core.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chess
from endings import DRAWN, table

from agzamov_verify.core import canon
from agzamov_verify.core.dice import Dice
from agzamov_verify.engines.uci_engine import NAME, NET_SHA256, UciEngine, find_engine
from agzamov_verify.experiment.matches import PositionClass
from agzamov_verify.games.chess.probe_positions import FORMAT, PROOF_LINES_MAX, ProbePosition, ProbePositions, unproven

SEED = b"Agzamov probe positions, 1"
PLAY_NODES, PROOF_NODES = 200, 100_000
PLIES_MAX = 240
OF_EACH = 10
"""Mates of each length, and endings of each piece."""

MATES = (1, 2, 3)
LEAST_MOVES = {"Q": 5, "R": 8, "P": 10}
"""Shortest wins that are taken: shorter ones are mates, not endings."""

PIECES = {"Q": chess.QUEEN, "R": chess.ROOK, "P": chess.PAWN}
OUT = Path(__file__).parents[2] / "verify/agzamov_verify/games/chess/probe_positions.json"


def main() -> None:
    """Play and prove, draw, write."""
    dice = Dice(SEED.ljust(32, b"\0"))
    with UciEngine(find_engine(), 16) as engine:
        engine.require(NAME, NET_SHA256)
        mates = sorted(found_mates(engine, dice), key=lambda row: row.moves)
    rows = [*mates, *(row for piece in LEAST_MOVES for row in endings(piece, dice))]
    named = [ProbePosition(f"c{at:03d}", *(getattr(row, key) for key in FIELDS)) for at, row in enumerate(rows)]
    OUT.write_bytes(canon.dumps(ProbePositions(FORMAT, SEED.decode(), NAME, NET_SHA256, PLAY_NODES, tuple(named))))


FIELDS = ProbePosition.__struct_fields__[1:]


def found_mates(engine: UciEngine, dice: Dice) -> Iterator[ProbePosition]:
    """Mates of all wanted lengths, one of a game."""
    wanted = Counter(dict.fromkeys(MATES, OF_EACH))
    for game, start in enumerate(dice.stream("starts").deal(range(960), 960)):
        if not +wanted:
            return
        row = mate_of_game(engine, game, start, wanted)
        if row:
            wanted[row.moves] -= 1
            print(f"game {game}: mate in {row.moves}, {len(row.proof)} lines", flush=True)
            yield row


def mate_of_game(engine: UciEngine, game: int, start: int, wanted: Counter[int]) -> ProbePosition | None:
    """The first position of a game with a mate that is wanted and can be proven in few lines."""
    board = chess.Board.from_chess960_pos(start)
    start_fen, moves = board.fen(), ""
    while not board.is_game_over() and board.ply() < PLIES_MAX:
        best, value = engine.search(start_fen, moves, PLAY_NODES)
        if board.turn and value.mate is not None and wanted[value.mate] > 0:
            fresh = board.copy(stack=False)
            fresh.halfmove_clock, fresh.fullmove_number = 0, 1
            lines = proof(engine, fresh, value.mate)
            if lines and not unproven(fresh.fen(), value.mate, lines) and not mates_within(fresh, value.mate - 1):
                source = f"game {game} of Stockfish against itself, from start {start} after ply {board.ply()}"
                return ProbePosition("", fresh.fen(), PositionClass.MATE, value.mate, tuple(lines), source)
        board.push_uci(best)
        moves = f"{moves} {best}".strip()
    return None


def proof(engine: UciEngine, board: chess.Board, moves: int) -> list[str]:
    """A line for each defence, White's moves by the engine; empty where one does not mate in time."""
    best = engine.search(board.fen(), "", PROOF_NODES)[0]
    after = board.copy(stack=False)
    after.push_uci(best)
    if after.is_checkmate():
        return [best]
    lines: list[str] = []
    for reply in sorted(move.uci() for move in after.legal_moves) if moves > 1 else ():
        then = after.copy(stack=False)
        then.push_uci(reply)
        rest = [] if then.is_game_over() else proof(engine, then, moves - 1)
        lines += [f"{best} {reply} {line}" for line in rest]
        if not rest or len(lines) > PROOF_LINES_MAX:
            return []
    return lines


def mates_within(board: chess.Board, moves: int) -> bool:
    """True if the side to move can force mate in so many of its moves, by trying everything."""
    if moves < 1:
        return False
    for move in list(board.legal_moves):
        board.push(move)
        mated = board.is_checkmate() or (moves > 1 and bool(board.legal_moves) and _all_lose(board, moves - 1))
        board.pop()
        if mated:
            return True
    return False


def _all_lose(board: chess.Board, moves: int) -> bool:
    for reply in list(board.legal_moves):
        board.push(reply)
        lost = mates_within(board, moves)
        board.pop()
        if not lost:
            return False
    return True


def endings(piece: str, dice: Dice) -> Iterator[ProbePosition]:
    """Won endings with one piece, uniform over all with White to move whose shortest win is long enough."""
    lengths, stream, taken = table(piece).white, dice.stream(f"endings/{piece}"), 0
    while taken < OF_EACH:
        king, square, other = stream.below(64), stream.below(64), stream.below(64)
        moves = int(lengths[king, square, other])
        if LEAST_MOVES[piece] <= moves < DRAWN:
            board = chess.Board(None, chess960=True)
            board.set_piece_at(king, chess.Piece(chess.KING, chess.WHITE))
            board.set_piece_at(square, chess.Piece(PIECES[piece], chess.WHITE))
            board.set_piece_at(other, chess.Piece(chess.KING, chess.BLACK))
            assert board.is_valid()
            yield ProbePosition("", board.fen(), PositionClass.WON, moves, (), f"drawn from the table of K{piece}K")
            taken += 1


if __name__ == "__main__":
    main()
