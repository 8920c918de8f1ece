"""The reference player of Chess960: reads a FEN, searches a few plies, answers in a model's words.

It expects of the opponent what the profile says: a reply that the profile rules out is not searched, which is all
that true information is worth to it. Its own rules narrow its own moves. With a tool it names its best moves
as candidates, and plays the one that the tool puts first.
"""

from collections.abc import Iterable

import chess

from ...core.dice import Stream
from ...table.prompt_lines import Page, labelled
from .legal_moves import board_of
from .patterns import NO_HABITS, ChessHabits, allowed, chess_habits, last_move, repeatable
from .reference_search import Line, Search
from .tool import best_told, candidates_line, requested
from .who_stands_better import Better, is_judgement, judgement_line

NOISE_CENTIPAWNS = 8
OBSTACLE_CENTIPAWNS, OBSTACLES_MAX = 20, 7  # what each piece in the way weighs on one who must castle


def reference_reply(page: Page, stream: Stream) -> str:
    """The best move within the rules or by its tool, with a line that says why; or the answer to another request."""
    board = board_of(labelled(page, "FEN"))
    foe, rules = chess_habits(page.profile), chess_habits(page.rules)
    if is_judgement(page):
        line = best_line(page, board, board.legal_moves, stream)
        ahead = board.turn if line.value > 0 else not board.turn
        remark = f"Searched to depth {line.depth}, I see {line.value / 100:+.1f} pawns for the side to move."
        return f"{remark}\n{judgement_line(Better.WHITE if ahead else Better.BLACK)}"
    moves = allowed(board, rules, last_move(page))
    told = best_told(page)
    if told and chess.Move.from_uci(told) in moves:
        return f"The best of my candidates by what my tool found.\nMOVE: {told}"
    line = best_line(page, board, moves, stream, foe, rules)
    if most := requested(page):
        return f"What I consider.\n{candidates_line([move.uci() for move in line.ranked[:most]])}"
    profile_note = " I count on what I was told of this opponent." if foe != NO_HABITS else ""
    remark = f"Searched to depth {line.depth}, I expect to stand at {line.value / 100:+.1f} pawns.{profile_note}"
    return f"{remark}\nMOVE: {line.move.uci()}"


def best_line(
    page: Page,
    board: chess.Board,
    moves: Iterable[chess.Move],
    stream: Stream,
    foe: ChessHabits = NO_HABITS,
    rules: ChessHabits = NO_HABITS,
) -> Line:
    """The best of some moves against an opponent with the habits `foe`, for a player that keeps `rules`."""
    taste = {
        move: stream.below(NOISE_CENTIPAWNS) - obstacles_centipawns(board, move, rules)
        for move in sorted(moves, key=chess.Move.uci)
    }
    return Search(board, foe, repeatable(page, board)).best(taste)


def obstacles_centipawns(board: chess.Board, move: chess.Move, rules: ChessHabits) -> int:
    """Penalty, in centipawns, for the pieces in the way of castling after `move`, if the player must still castle."""
    side, least = board.turn, OBSTACLES_MAX
    rank = chess.BB_RANK_1 if side else chess.BB_RANK_8
    if board.fullmove_number >= rules.castles_within_moves or not board.castling_rights & rank:
        return 0
    board.push(move)
    king = board.king(side)
    for rook in chess.scan_forward(board.clean_castling_rights() & rank if king is not None else 0):
        files = {chess.square_file(king or 0), chess.square_file(rook)} | ({2, 3} if rook < (king or 0) else {5, 6})
        between = sum(chess.BB_FILES[file] for file in range(min(files), max(files) + 1)) & rank & board.occupied
        least = min(least, between.bit_count() - 2)
    board.pop()
    return OBSTACLE_CENTIPAWNS * least
