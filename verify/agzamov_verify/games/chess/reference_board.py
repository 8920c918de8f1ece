"""The board that the reference player of chess searches: moves with their gains, made and taken back.

The moves of a position come in the order of `chess`, those that gain more first: what the search finds within its nodes
rests on that order. A plain move is made on the library's bitboards and taken back by putting them back, and
the moves of a side that is not in check are found here, with their gains, at a third of the library's cost. The rest,
and positions that no game reaches (a king in check that need not move, more kings than one), are left to the library.
Tests compare the moves with the library's, and the search with lines that it found before.
"""

from collections.abc import Iterable
from operator import itemgetter
from typing import Final, TypeAlias

import chess

from .moves import BISHOP_LINES, PROMOTIONS, QUEEN_LINES, ROOK_LINES
from .reference_values import CASTLING_CENTIPAWNS, Tables

SPECIAL: Final = 0
Gained: TypeAlias = tuple[int, chess.Move, int]
"""Centipawns that a move gains, the move, and the type of its piece: SPECIAL where it ends as another or moves two."""

Kept: TypeAlias = tuple[
    tuple[int, int, int, int, int, int], tuple[int, int, int], tuple[int, chess.Square | None, int, int]
]
"""The state of a board but for the side to move: pieces by type, sides and both, what rules ask for."""

_MOVES: Final = [[chess.Move(origin, target) for target in chess.SQUARES] for origin in chess.SQUARES]
_BITS: Final = chess.BB_SQUARES
_GAIN: Final = itemgetter(0)
_NOT_A, _NOT_H = chess.BB_ALL & ~chess.BB_FILE_A, chess.BB_ALL & ~chess.BB_FILE_H
_CHECKS_ALWAYS: Final = [chess.BB_ALL] * 7


class ReferenceBoard:
    """A board and the tables that its moves gain by. Its position has been reached by a push of the library."""

    def __init__(self, board: chess.Board, tables: Tables) -> None:
        self.board, self._tables = board, tables
        one_each = all((board.kings & board.occupied_co[side]).bit_count() == 1 for side in chess.COLORS)
        self._plain = one_each and not board.was_into_check()

    def play(self, move: chess.Move) -> Kept | None:
        """Make a move. What `take_back` needs: None where the library keeps it."""
        board, turn = self.board, self.board.turn
        sides, origin, target = board.occupied_co, move.from_square, move.to_square
        origin_bit, target_bit = _BITS[origin], _BITS[target]
        both = origin_bit | target_bit
        is_rare = move.promotion or sides[turn] & target_bit or target == board.ep_square or board.promoted & both
        if is_rare or not self._plain:
            board.push(move)
            return None
        kept = (
            (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings),
            (sides[False], sides[True], board.occupied),
            (board.castling_rights, board.ep_square, board.halfmove_clock, board.fullmove_number),
        )
        board.ep_square = None
        board.halfmove_clock += 1
        if not turn:
            board.fullmove_number += 1
        if sides[not turn] & target_bit:
            self._take(target_bit)
        self._move(origin, target, both)
        board.occupied = sides[False] | sides[True]
        board.turn = not turn
        return kept

    def _take(self, bit: chess.Bitboard) -> None:
        board = self.board
        board.halfmove_clock = 0
        board.occupied_co[not board.turn] ^= bit
        if bit & board.pawns:
            board.pawns ^= bit
        elif bit & board.knights:
            board.knights ^= bit
        elif bit & board.bishops:
            board.bishops ^= bit
        elif bit & board.rooks:
            board.rooks ^= bit
        else:
            board.queens ^= bit

    def _move(self, origin: chess.Square, target: chess.Square, both: chess.Bitboard) -> None:
        board, bit = self.board, _BITS[origin]
        board.occupied_co[board.turn] ^= both
        if bit & board.pawns:
            board.pawns ^= both
            board.halfmove_clock = 0
            if abs(target - origin) == 16 and origin >> 3 == (1 if board.turn else 6):  # two ranks from home
                board.ep_square = (origin + target) // 2
        elif bit & board.knights:
            board.knights ^= both
        elif bit & board.bishops:
            board.bishops ^= both
        elif bit & board.rooks:
            board.rooks ^= both
        elif bit & board.queens:
            board.queens ^= both
        else:
            board.kings ^= both
            board.castling_rights &= ~(chess.BB_RANK_1 if board.turn else chess.BB_RANK_8)
        board.castling_rights &= ~both

    def take_back(self, kept: Kept | None) -> None:
        """Take the last move back."""
        board = self.board
        if kept is None:
            board.pop()
            return
        sides = board.occupied_co
        pieces, (sides[False], sides[True], board.occupied), counted = kept
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = pieces
        board.castling_rights, board.ep_square, board.halfmove_clock, board.fullmove_number = counted
        board.turn = not board.turn

    def is_check(self) -> bool:
        """True if the side to move is in check."""
        board, turn = self.board, self.board.turn
        foes = board.occupied_co[not turn]
        king = (board.kings & board.occupied_co[turn]).bit_length() - 1
        if not self._plain or self._snipers(king) & foes:
            return board.is_check()
        knights = chess.BB_KNIGHT_ATTACKS[king] & board.knights
        return bool((knights | chess.BB_PAWN_ATTACKS[turn][king] & board.pawns) & foes)

    def _snipers(self, square: chess.Square) -> chess.Bitboard:
        """The rooks, bishops and queens that would see a square on an empty board."""
        board = self.board
        straight, diagonal = board.rooks | board.queens, board.bishops | board.queens
        return ROOK_LINES[square] & straight | BISHOP_LINES[square] & diagonal

    def checking_squares(self) -> tuple[list[chess.Bitboard], chess.Bitboard]:
        """Where a piece of each type may give check, and from where one may uncover it, by the side to move.

        No move to another square, from another square, gives check; not every other does.
        """
        board, turn = self.board, self.board.turn
        if not self._plain:
            return _CHECKS_ALWAYS, chess.BB_ALL
        king = (board.kings & board.occupied_co[not turn]).bit_length() - 1
        uncovering = QUEEN_LINES[king] if self._snipers(king) & board.occupied_co[turn] else 0
        squares = [
            chess.BB_ALL,
            chess.BB_PAWN_ATTACKS[not turn][king],
            chess.BB_KNIGHT_ATTACKS[king],
            BISHOP_LINES[king],
            ROOK_LINES[king],
            QUEEN_LINES[king],
            0,
        ]
        return squares, uncovering

    def ordered(self, moves: Iterable[chess.Move]) -> list[Gained]:
        """Some moves with their gains, the greatest first."""
        return sorted([self.gained(move) for move in moves], key=_GAIN, reverse=True)

    def gained(self, move: chess.Move) -> Gained:
        """Gain of `move`, by value and square: added to the mover's pieces and taken from the other's."""
        board, values, opposing_values = self.board, self._tables[self.board.turn], self._tables[not self.board.turn]
        if _BITS[move.to_square] & board.occupied_co[board.turn]:
            return CASTLING_CENTIPAWNS, move, SPECIAL
        piece = board.piece_type_at(move.from_square) or chess.KING
        gain = values[move.promotion or piece][move.to_square] - values[piece][move.from_square]
        taken = board.piece_type_at(move.to_square)
        is_special = bool(move.promotion)
        if taken is None and piece == chess.PAWN and move.to_square == board.ep_square:
            taken, is_special = chess.PAWN, True
        gain += opposing_values[taken][move.to_square] if taken else 0
        return gain, move, SPECIAL if is_special else piece

    def legal(self, *, in_check: bool) -> list[Gained]:
        """All legal moves, ordered. `in_check`: whether the side to move is."""
        board, turn = self.board, self.board.turn
        if in_check or not self._plain:
            return self.ordered(board.generate_legal_moves())
        king, blockers = self._king_and_blockers()
        found = self._of_pieces(king, blockers, ~board.occupied_co[turn])
        if board.castling_rights & (chess.BB_RANK_1 if turn else chess.BB_RANK_8):
            found += [(CASTLING_CENTIPAWNS, move, SPECIAL) for move in board.generate_castling_moves()]
        found += self._of_pawns(king, blockers)
        found += self._pawn_steps(king, blockers)
        return self._with_en_passant(found)

    def captures(self) -> list[Gained]:
        """The legal captures of a side that is not in check, ordered."""
        board = self.board
        if not self._plain:
            return self.ordered(board.generate_legal_captures())
        king, blockers = self._king_and_blockers()
        found = self._of_pieces(king, blockers, board.occupied_co[not board.turn])
        found += self._of_pawns(king, blockers)
        return self._with_en_passant(found)

    def _with_en_passant(self, found: list[Gained]) -> list[Gained]:
        board, turn = self.board, self.board.turn
        if board.ep_square is not None and (
            chess.BB_PAWN_ATTACKS[not turn][board.ep_square] & board.pawns & board.occupied_co[turn]
        ):
            found += [self.gained(move) for move in board.generate_legal_ep()]
        found.sort(key=_GAIN, reverse=True)
        return found

    def _king_and_blockers(self) -> tuple[chess.Square, chess.Bitboard]:
        """The king of the side to move, and its own pieces that alone stand between it and a hostile piece."""
        board, turn = self.board, self.board.turn
        own, blockers = board.occupied_co[turn], 0
        king = (board.kings & own).bit_length() - 1
        snipers = self._snipers(king) & board.occupied_co[not turn]
        while snipers:
            sniper = snipers.bit_length() - 1
            snipers ^= _BITS[sniper]
            between = chess.between(king, sniper) & board.occupied
            if between & own and not between & (between - 1):
                blockers |= between
        return king, blockers

    def _of_pieces(self, king: chess.Square, blockers: chess.Bitboard, aim: chess.Bitboard) -> list[Gained]:
        """Moves of all pieces but pawns to the squares `aim`."""
        board, turn = self.board, self.board.turn
        values, foes = self._tables[turn], board.occupied_co[not turn]
        found: list[Gained] = []
        rest = board.occupied_co[turn] & ~board.pawns
        while rest:
            origin = rest.bit_length() - 1
            bit = _BITS[origin]
            rest ^= bit
            piece, reach = self._reach(origin, bit)
            reach &= aim
            if bit & blockers:
                reach &= chess.BB_RAYS[origin][king]
            row, moves = values[piece], _MOVES[origin]
            base = row[origin]
            while reach:
                target = reach.bit_length() - 1
                target_bit = _BITS[target]
                reach ^= target_bit
                if piece == chess.KING and board.attackers_mask(not turn, target):
                    continue
                gain = row[target] - base
                if target_bit & foes:
                    gain += self._taken(target, target_bit)
                found.append((gain, moves[target], piece))
        return found

    def _reach(self, origin: chess.Square, bit: chess.Bitboard) -> tuple[chess.PieceType, chess.Bitboard]:
        """Type of a piece that is no pawn, and the squares that it attacks."""
        board = self.board
        if bit & board.knights:
            return chess.KNIGHT, chess.BB_KNIGHT_ATTACKS[origin]
        if bit & board.kings:
            return chess.KING, chess.BB_KING_ATTACKS[origin]
        occupied, reach = board.occupied, 0
        if not bit & board.rooks:
            reach = chess.BB_DIAG_ATTACKS[origin][chess.BB_DIAG_MASKS[origin] & occupied]
            if bit & board.bishops:
                return chess.BISHOP, reach
        reach |= chess.BB_RANK_ATTACKS[origin][chess.BB_RANK_MASKS[origin] & occupied]
        reach |= chess.BB_FILE_ATTACKS[origin][chess.BB_FILE_MASKS[origin] & occupied]
        return chess.ROOK if bit & board.rooks else chess.QUEEN, reach

    def _taken(self, square: chess.Square, bit: chess.Bitboard) -> int:
        """Centipawns of the opponent's piece on a square."""
        board, values = self.board, self._tables[not self.board.turn]
        if bit & board.pawns:
            return values[chess.PAWN][square]
        if bit & board.knights:
            return values[chess.KNIGHT][square]
        if bit & board.bishops:
            return values[chess.BISHOP][square]
        return values[chess.ROOK if bit & board.rooks else chess.QUEEN][square]

    def _of_pawns(self, king: chess.Square, blockers: chess.Bitboard) -> list[Gained]:
        """Captures of pawns, but for those en passant."""
        board, turn = self.board, self.board.turn
        foes, found = board.occupied_co[not turn], list[Gained]()
        left, right = foes & _NOT_H, foes & _NOT_A
        reached_from = left >> 7 | right >> 9 if turn else right << 7 | left << 9
        capturers = board.pawns & board.occupied_co[turn] & reached_from
        while capturers:
            origin = capturers.bit_length() - 1
            capturers ^= _BITS[origin]
            reach = chess.BB_PAWN_ATTACKS[turn][origin] & foes
            if _BITS[origin] & blockers:
                reach &= chess.BB_RAYS[origin][king]
            while reach:
                target = reach.bit_length() - 1
                reach ^= _BITS[target]
                self._add_pawn_move(found, origin, target, self._taken(target, _BITS[target]))
        return found

    def _pawn_steps(self, king: chess.Square, blockers: chess.Bitboard) -> list[Gained]:
        """Moves of pawns straight on."""
        board, turn = self.board, self.board.turn
        pawns, free = board.pawns & board.occupied_co[turn], ~board.occupied & chess.BB_ALL
        if turn:
            step, single = 8, pawns << 8 & free
            double = single << 8 & free & (chess.BB_RANK_3 | chess.BB_RANK_4)
        else:
            step, single = -8, pawns >> 8 & free
            double = single >> 8 & free & (chess.BB_RANK_6 | chess.BB_RANK_5)
        found: list[Gained] = []
        for targets, distance in ((single, step), (double, 2 * step)):
            rest = targets
            while rest:
                target = rest.bit_length() - 1
                rest ^= _BITS[target]
                origin = target - distance
                if not _BITS[origin] & blockers or _BITS[target] & chess.BB_RAYS[origin][king]:
                    self._add_pawn_move(found, origin, target, 0)
        return found

    def _add_pawn_move(self, found: list[Gained], origin: chess.Square, target: chess.Square, taken: int) -> None:
        values = self._tables[self.board.turn]
        taken -= values[chess.PAWN][origin]
        if _BITS[target] & chess.BB_BACKRANKS:
            moves = [chess.Move(origin, target, promotion) for promotion in PROMOTIONS]
            found += [(values[move.promotion or chess.PAWN][target] + taken, move, SPECIAL) for move in moves]
        else:
            found.append((values[chess.PAWN][target] + taken, _MOVES[origin][target], chess.PAWN))
