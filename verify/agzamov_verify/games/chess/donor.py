"""The donor of chess: two strangers play a game, of which the placebo of a memory takes its note.

Where some moves keep a habit that notes count and others break it, each keeps it as often as a stranger does, drawn
anew each time; how often is drawn for each of the two within a few points of what the reference player does against
itself (docs/decisions/0080). Of the moves that are left it plays the best of a few, by what is taken and what is left
to be taken: so games are decided, at little cost. Where the engine adjudicates games, a lead in material does here.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final

import chess

from ...core.dice import Dice, Stream
from ...experiment.opponent_patterns import Pattern
from ...table.adjudication import Adjudication, AdjudicationPolicy
from ...table.decision import Tally
from .game_script import Adjudicator, ChessRecord, ChessRules, Ending
from .noted_occasions import keeping_all
from .pattern_sentences import ChessPattern
from .rules import End, Game960
from .variants import Variant

STRANGER_PERCENT: Final[Mapping[Pattern, int]] = {
    ChessPattern.CASTLES_EARLY: 56,
    ChessPattern.AVOIDS_QUEEN_TRADES: 92,
    ChessPattern.KING_ANSWERS_CHECKS: 50,
    ChessPattern.ALWAYS_RECAPTURES: 73,
    ChessPattern.MOVES_ATTACKED_QUEEN: 78,
    ChessPattern.NEVER_RETREATS: 87,
    ChessPattern.PUSHES_ROOK_PAWNS: 3,
}
"""How often a stranger keeps a habit where it may keep or break it."""
SPREAD: Final = 3
"""Points by which a player's share may differ from a stranger's."""
LOOKED_AT: Final = 6
"""Moves of which a player chooses, besides captures and those that save a piece."""
SEES_PERCENT: Final = 90
"""How often it looks at these, too."""
CASTLES_PERCENT: Final = 20
"""How often it castles at a move at which it may."""
OPEN_PLIES_MIN: Final = 40
OPEN_PLIES_DRAWN: Final = 70
GIVES_BACK_POINTS: Final = 2
"""For so many plies and a drawn number more, who is ahead by so much gives it back; then who is behind gives way. So
games are as long as others."""
LEAD_POINTS: Final = 7
"""Lead in material that stands for the engine's advantage."""
POINTS: Final = (0, 1, 3, 3, 5, 9, 12)
"""By type of piece, a king's as what it costs to leave it attacked."""
PROMOTION_POINTS: Final = 8
PLACED: Final = 60
EVEN_TRADE: Final = 30
TO_THE_MIDDLE: Final = (0, 3, 8, 4, 2, 2, -6)
"""What a point is worth beside an even trade, and beside a step to the middle of the board, by type of piece."""
_MIDDLE: Final = tuple(
    min(chess.square_file(square), 7 - chess.square_file(square))
    + min(chess.square_rank(square), 7 - chess.square_rank(square))
    for square in chess.SQUARES
)


def drawn_shares(draws: Stream) -> dict[Pattern, int]:
    """The shares of one player."""
    return {
        pattern: max(1, percent + draws.below(2 * SPREAD + 1) - SPREAD) for pattern, percent in STRANGER_PERCENT.items()
    }


def donor_game(
    start_fen: str, order: tuple[int, ...], rules: ChessRules, variant: Variant, dice: Dice, number: int
) -> ChessRecord:
    """Game `number` of two strangers. `order`: their numbers by place."""
    shares = [drawn_shares(dice.stream(f"shares/{order[place]}")) for place in range(2)]
    draws, game, last = dice.stream(f"game/{number}"), Game960(start_fen, variant), None
    adjudicator = Adjudicator(_without_engine(rules.adjudication), "")
    ending: Ending | None = None
    open_plies = OPEN_PLIES_MIN + draws.below(OPEN_PLIES_DRAWN)
    while ending is None:
        side = 0 if game.board.turn else 1
        lead_points = (1 - 2 * side) * game.material_points()
        gives_back = lead_points >= GIVES_BACK_POINTS if game.ply < open_plies else lead_points < 0
        last = _move(game.board, shares[side], last, draws, gives_back=gives_back)
        game.push(last)
        ending = _ending(game, rules, side, adjudicator)
    return ChessRecord("", game.start_fen, tuple(game.moves), ending, ending, (Tally(), Tally()))


def _without_engine(rule: Adjudication) -> Adjudication:
    if rule.policy is not AdjudicationPolicy.STOCKFISH:
        return rule
    return Adjudication(AdjudicationPolicy.MATERIAL, threshold_points=LEAD_POINTS, plies=rule.plies)


def _ending(game: Game960, rules: ChessRules, side: int, adjudicator: Adjudicator) -> Ending | None:
    if end := game.end(rules.draw_claims):
        return Ending(end, 2 - 2 * side if end is End.CHECKMATE else 1)
    if game.ply >= rules.plies_max:
        return Ending(End.PLY_LIMIT, 1)
    winner = adjudicator.after_ply(game)
    return Ending(End.ADJUDICATION, 1 + winner) if winner else None


def _move(
    board: chess.Board, shares: Mapping[Pattern, int], last: chess.Move | None, draws: Stream, *, gives_back: bool
) -> chess.Move:
    """The best of some moves that keep or break each habit as it was drawn. `gives_back`: the worst of them."""
    legal = list(board.generate_legal_moves())
    moves = legal
    for pattern, keeping in keeping_all(board, legal, last).items():
        kept = frozenset(keeping)
        keeps = draws.below(100) < shares[pattern]
        moves = [move for move in moves if (move in kept) is keeps] or moves
    if board.castling_rights and draws.below(100) < CASTLES_PERCENT:
        moves = [move for move in moves if board.is_castling(move)] or moves
    looked_at, loose = [draws.choice(moves) for _ in range(LOOKED_AT)], _loose_points(board)
    if gives_back:
        return min(looked_at, key=partial(_worth, board, loose))
    if draws.below(100) < SEES_PERCENT:
        theirs = board.occupied_co[not board.turn]
        looked_at += [move for move in moves if theirs >> move.to_square & 1 or move.from_square in loose]
    return max(looked_at, key=partial(_worth, board, loose))


def _loose_points(board: chess.Board) -> dict[chess.Square, int]:
    """Own pieces that could be taken, and the points that it would cost."""
    turn, loose = board.turn, dict[chess.Square, int]()
    for square in chess.scan_forward(board.occupied_co[turn] & ~(board.pawns | board.kings)):
        if attackers := board.attackers_mask(not turn, square):
            cost = POINTS[board.piece_type_at(square) or 0]
            if board.attackers_mask(turn, square):
                cost -= _least(board, attackers)
            if cost > 0:
                loose[square] = cost
    return loose


def _least(board: chess.Board, pieces: chess.Bitboard) -> int:
    """Points of the least of some pieces."""
    if pieces & board.pawns:
        return 1
    if pieces & (board.knights | board.bishops):
        return 3
    return 5 if pieces & board.rooks else 9


def _worth(board: chess.Board, loose: Mapping[chess.Square, int], move: chess.Move) -> int:
    """Points that a move takes and saves, less those that it leaves to be taken where it goes."""
    turn, origin, target = board.turn, move.from_square, move.to_square
    piece = board.piece_type_at(origin) or 0
    worth, own = loose.get(origin, 0), POINTS[piece]
    takes = board.occupied_co[not turn] >> target & 1
    if takes:
        worth += POINTS[board.piece_type_at(target) or 0]
    if move.promotion == chess.QUEEN:
        worth += PROMOTION_POINTS
    if attackers := board.attackers_mask(not turn, target):
        is_defended = board.attackers_mask(turn, target) & ~chess.BB_SQUARES[origin]
        worth -= own if takes or not is_defended else max(0, own - _least(board, attackers))
    even = EVEN_TRADE if takes and not worth else 0
    return PLACED * worth + even + TO_THE_MIDDLE[piece] * (_MIDDLE[target] - _MIDDLE[origin])
