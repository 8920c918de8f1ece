"""A Chess960 game in progress: the board and the rare rules by `chess`, ends by the protocol's rules.

`outcome(claim_draw=True)` ends a game one ply before the third repetition and is eight times
slower, so the third occurrence and the half-move clock are counted here. The FEN is kept by rank,
since one ply changes at most two ranks. The FEN without its two counters is also the repetition
key: placement, side, castling rights, and the en-passant square only where the capture is legal
(FIDE Laws 9.2.3).

A replay pushes each move once and never takes one back, so plain moves are judged and played here
on the library's bitboards, at less than half its cost (docs/decisions/0020). Castling and en
passant are judged by the library, they and promotions are played by it, and it gives every answer
that needs all legal moves. Tests compare board, text, legality and ends with its own at every ply.
"""

from enum import StrEnum
from typing import Final

import chess

from ...table.declared import Fault, FaultKind
from .legal_moves import legal_uci
from .moves import BISHOP_LINES, IMPOSSIBLE, MOVES, NEEDS, ROOK_LINES
from .variants import CHESS960, KING_STEPS, KING_STEPS_TOLD, Variant

CLAIM_REPETITIONS, FORCED_REPETITIONS = 3, 5
CLAIM_HALFMOVES, FORCED_HALFMOVES = 100, 150


class End(StrEnum):
    """Reason for the end of a game."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient_material"
    THREEFOLD_REPETITION = "threefold_repetition"
    FIFTY_MOVES = "fifty_moves"
    FIVEFOLD_REPETITION = "fivefold_repetition"
    SEVENTY_FIVE_MOVES = "seventy_five_moves"
    ADJUDICATION = "adjudication"
    PLY_LIMIT = "ply_limit"
    FORFEIT = "forfeit"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"
    UNFINISHED = "unfinished"


BY_RULE: Final = frozenset(End) - {End.ADJUDICATION, End.FORFEIT, End.PLY_LIMIT, End.UNFINISHED}
"""Endings by the rules of chess."""
ON_THE_BOARD: Final = BY_RULE - {End.AGREEMENT, End.RESIGNATION}
"""Endings that the last position is itself."""


class DrawClaims(StrEnum):
    """Draws that end a game: threefold repetition and the 50-move rule, or only their forced forms."""

    AUTOMATIC = "automatic"
    NEVER = "never"


class Game960:
    """A board with the text that prompts need. Raises ValueError for a start that is not legal.

    `board` is to be read only, and has no stack: the game is in `moves`.
    """

    def __init__(self, start_fen: str, variant: Variant = CHESS960) -> None:
        self.board = chess.Board(start_fen, chess960=True)
        if not self.board.is_valid():
            raise ValueError(f"expected a legal {variant.title} position, found {start_fen!r}")
        self.variant = variant
        self.moves: list[str] = []
        self._told = ""
        self.moves_text = ""
        self.ply = 0
        self._cells = _cells(start_fen)
        self._fen_ranks = [""] * 8
        self._diagram_ranks = [""] * 8
        for rank in range(8):
            self._write_rank(rank)
        self._castling_of: tuple[int, int, int] | None = None
        self._castling = ""
        self._key = self._position_key()
        self._seen = {self._key: 1}
        self.start_fen = self.fen()
        self._look_at_king()

    def fen(self) -> str:
        """X-FEN of the position, equal to `board.fen()`."""
        board = self.board
        return f"{self._key} {board.halfmove_clock} {board.fullmove_number}"

    def diagram(self) -> str:
        """The board from rank 8 down to rank 1, each behind its number, dots for empty squares; the files below."""
        a, b, c, d, e, f, g, h = self._diagram_ranks
        return f"8 {a}\n7 {b}\n6 {c}\n5 {d}\n4 {e}\n3 {f}\n2 {g}\n1 {h}\n  a b c d e f g h"

    def read(self, text: str) -> chess.Move | Fault:
        """The legal move that `text` is in UCI, or why it is none.

        Castling is the king onto its own rook, or O-O; in standard chess its two squares too.
        """
        if self.variant.tells_king_steps and text in KING_STEPS and self._is_king_at(text[:2]):
            text = KING_STEPS[text]
        move = MOVES[text] if text in MOVES else self._castling_move(text)
        if move is None:
            return Fault(FaultKind.NO_ACTION, f"{text[:20]!r} is not a move")
        if self._is_legal(text, move):
            return move
        return Fault(FaultKind.ILLEGAL, f"{text} is not legal in this position")

    def push(self, move: chess.Move) -> None:
        """Play a legal move."""
        board = self.board
        origin, target = move.from_square, move.to_square
        squares = chess.BB_SQUARES[origin] | chess.BB_SQUARES[target]
        takes_own = board.occupied_co[board.turn] >> target & 1
        if takes_own or move.promotion or target == board.ep_square or board.promoted & squares:
            self._push_rare(move)
            text = move.uci()
        else:
            self._push_plain(origin, target, squares)
            text = chess.SQUARE_NAMES[origin] + chess.SQUARE_NAMES[target]
        if self.variant.tells_king_steps:
            told = KING_STEPS_TOLD[text] if takes_own else text
            self._told = f"{self._told} {told}" if self._told else told
        self.moves.append(text)
        self.ply += 1
        self.moves_text = f"{self.moves_text} {text}" if self.moves_text else text
        first, second = origin >> 3, target >> 3
        self._write_rank(first)
        if first != second:
            self._write_rank(second)
        self._key = key = self._position_key()
        self._seen[key] = self._seen.get(key, 0) + 1
        self._look_at_king()

    def _push_plain(self, origin: chess.Square, target: chess.Square, squares: chess.Bitboard) -> None:
        """Make a move like `board.push`, without the state that the library keeps to take it back."""
        board, cells, turn = self.board, self._cells, self.board.turn
        symbol, captured = cells[origin], cells[target]
        cells[origin], cells[target] = ".", symbol
        board.ep_square = None
        board.halfmove_clock += 1
        board.fullmove_number += not turn
        if captured != ".":
            board.halfmove_clock = 0
            board.occupied_co[not turn] ^= chess.BB_SQUARES[target]
            _flip(board, captured, chess.BB_SQUARES[target])
        board.occupied_co[turn] ^= squares
        board.occupied = board.occupied_co[chess.WHITE] | board.occupied_co[chess.BLACK]
        _flip(board, symbol, squares)
        if symbol in "Pp":
            board.halfmove_clock = 0
            if abs(target - origin) == 16:  # two ranks
                board.ep_square = (origin + target) // 2
        if board.castling_rights:
            home = chess.BB_RANK_1 if turn else chess.BB_RANK_8
            board.castling_rights &= ~(squares | home if symbol in "Kk" else squares)
        board.turn = not turn

    def _push_rare(self, move: chess.Move) -> None:
        """Castling, promotion, en passant, a promoted piece: the library's own push."""
        origin, target, symbol = move.from_square, move.to_square, self._cells[move.from_square]
        white, is_en_passant = self.board.turn, symbol in "Pp" and target == self.board.ep_square
        is_castling = bool(self.board.occupied_co[white] >> target & 1)
        self.board.push(move)
        self.board.clear_stack()
        if is_castling or is_en_passant:
            self._refresh_rank(origin >> 3)
            self._refresh_rank(target >> 3)
        else:
            promoted = chess.piece_symbol(move.promotion) if move.promotion else symbol
            self._cells[origin], self._cells[target] = ".", promoted.upper() if white else promoted

    def end(self, claims: DrawClaims) -> End | None:
        """The end of the game by the rules, or None."""
        if not self._has_legal_move():
            return End.CHECKMATE if self._in_check else End.STALEMATE
        board = self.board
        if not board.pawns | board.rooks | board.queens and board.is_insufficient_material():
            return End.INSUFFICIENT_MATERIAL
        automatic = claims is DrawClaims.AUTOMATIC
        if self._seen[self._key] >= (CLAIM_REPETITIONS if automatic else FORCED_REPETITIONS):
            return End.THREEFOLD_REPETITION if automatic else End.FIVEFOLD_REPETITION
        if board.halfmove_clock >= (CLAIM_HALFMOVES if automatic else FORCED_HALFMOVES):
            return End.FIFTY_MOVES if automatic else End.SEVENTY_FIVE_MOVES
        return None

    def material_points(self) -> int:
        """White's piece values less Black's: queen 9, rook 5, bishop and knight 3, pawn 1."""
        board = self.board
        white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
        return sum(
            points * ((mask & white).bit_count() - (mask & black).bit_count())
            for points, mask in (
                (9, board.queens),
                (5, board.rooks),
                (3, board.bishops | board.knights),
                (1, board.pawns),
            )
        )

    def legal_moves(self) -> list[str]:
        """Every legal move in UCI, sorted, so that the list does not depend on a generator's order."""
        return legal_uci(self.board)

    def moves_told(self) -> str:
        """The moves so far as a seat is told them, in UCI."""
        return self._told if self.variant.tells_king_steps else self.moves_text

    def legal_told(self) -> list[str]:
        """Every legal move as a seat is told it, sorted."""
        legal = self.legal_moves()
        if not self.variant.tells_king_steps:
            return legal
        return sorted(KING_STEPS_TOLD[move] if self._castles(move) else move for move in legal)

    def _castles(self, move: str) -> bool:
        """True for a legal king's move that is written as castling: no other goes so far."""
        return move in KING_STEPS_TOLD and self._is_king_at(move[:2])

    def _is_king_at(self, square: str) -> bool:
        return chess.parse_square(square) == self._king

    def _castling_move(self, text: str) -> chess.Move | None:
        """O-O or O-O-O as the null move when it is not legal, so that it reads as an illegal move."""
        if text not in ("O-O", "O-O-O"):
            return None
        try:
            return self.board.parse_san(text)
        except ValueError:
            return chess.Move.null()

    def _look_at_king(self) -> None:
        """Note once per position whether the side to move is in check, and where its pieces cannot be pinned."""
        board, turn = self.board, self.board.turn
        enemies, queens = board.occupied_co[not turn], board.queens
        king = (board.kings & board.occupied_co[turn]).bit_length() - 1
        lines = ROOK_LINES[king] & (board.rooks | queens) | BISHOP_LINES[king] & (board.bishops | queens)
        if lines & enemies:
            self._in_check = bool(board.attackers_mask(not turn, king))
            unpinned = ~(ROOK_LINES[king] | BISHOP_LINES[king])
        else:
            knights = chess.BB_KNIGHT_ATTACKS[king] & board.knights
            pawns = chess.BB_PAWN_ATTACKS[turn][king] & board.pawns
            self._in_check = bool((knights | pawns) & enemies)
            unpinned = chess.BB_ALL
        self._king = king
        self._free = 0 if self._in_check else unpinned & ~board.kings

    def _is_legal(self, text: str, move: chess.Move) -> bool:
        """`board.is_legal`, at a fraction of its cost for all but castling and en passant."""
        board, origin, target = self.board, move.from_square, move.to_square
        own_pieces = board.occupied_co[board.turn]
        if not own_pieces >> origin & 1:
            return False
        if own_pieces >> target & 1 or target == board.ep_square:
            return board.is_legal(move)
        empty, hostile = NEEDS[self._cells[origin]].get(text, IMPOSSIBLE)
        if empty & board.occupied or hostile & ~board.occupied:
            return False
        if self._free >> origin & 1:
            return True
        if board.kings >> origin & 1:
            return self._is_safe_for_king(target)
        return not board.is_into_check(move)

    def _is_safe_for_king(self, square: chess.Square) -> bool:
        """True if nothing attacks the square once the king of the side to move has left its own."""
        board = self.board
        own_king = board.kings & board.occupied_co[board.turn]
        return not board.attackers_mask(not board.turn, square, board.occupied ^ own_king)

    def _has_legal_move(self) -> bool:
        """A pawn, a piece or a king that may step answers most positions; a generator answers the rest."""
        board = self.board
        own_pieces = board.occupied_co[board.turn]
        free = self._free & own_pieces
        pawns = board.pawns & free
        steps = (pawns << 8) & chess.BB_ALL if board.turn else pawns >> 8
        if steps & ~board.occupied:
            return True
        for square in chess.scan_forward(free ^ pawns):
            if board.attacks_mask(square) & ~own_pieces:
                return True
        for square in chess.scan_forward(chess.BB_KING_ATTACKS[self._king] & ~own_pieces):
            if self._is_safe_for_king(square):
                return True
        return any(board.generate_legal_moves())

    def _refresh_rank(self, rank: int) -> None:
        for square in range(8 * rank, 8 * rank + 8):
            self._cells[square] = _symbol(self.board.piece_at(square))

    def _write_rank(self, rank: int) -> None:
        cells = "".join(self._cells[8 * rank : 8 * rank + 8])
        self._fen_ranks[7 - rank], self._diagram_ranks[7 - rank] = _RANKS.get(cells) or _rank_texts(cells)

    def _position_key(self) -> str:
        board = self.board
        turn = "w" if board.turn else "b"
        castling = self._castling_field() if board.castling_rights else "-"
        en_passant = "-" if board.ep_square is None else self._en_passant(board.ep_square)
        return f"{'/'.join(self._fen_ranks)} {turn} {castling} {en_passant}"

    def _castling_field(self) -> str:
        board = self.board
        # A rook that steps outside the castling rook turns X-FEN's K into that rook's file.
        rooks = board.rooks & chess.BB_BACKRANKS
        castling_of = (board.castling_rights, rooks, rooks & board.occupied_co[chess.WHITE])
        if castling_of != self._castling_of:
            self._castling_of = castling_of
            self._castling = board.castling_xfen()
        return self._castling

    def _en_passant(self, square: chess.Square) -> str:
        return chess.SQUARE_NAMES[square] if self.board.has_legal_en_passant() else "-"


def _symbol(piece: chess.Piece | None) -> str:
    return piece.symbol() if piece else "."


def _cells(fen: str) -> list[str]:
    """The piece on each square from a1 to h8, a dot for an empty square."""
    placement = fen.split(maxsplit=1)[0].replace("~", "")
    for run in range(1, 9):
        placement = placement.replace(str(run), "." * run)
    return list("".join(reversed(placement.split("/"))))


def _flip(board: chess.Board, symbol: str, squares: chess.Bitboard) -> None:
    """Put the piece on those of the squares where it is not, and take it off the others."""
    match symbol:
        case "P" | "p":
            board.pawns ^= squares
        case "N" | "n":
            board.knights ^= squares
        case "B" | "b":
            board.bishops ^= squares
        case "R" | "r":
            board.rooks ^= squares
        case "Q" | "q":
            board.queens ^= squares
        case "K" | "k":
            board.kings ^= squares


_RANKS: Final[dict[str, tuple[str, str]]] = {}
RANKS_KEPT: Final = 2**14
"""Ranks whose texts are kept in memory."""


def _rank_texts(cells: str) -> tuple[str, str]:
    """A rank as in a FEN, and as in a diagram."""
    compressed = cells
    for run in range(8, 0, -1):
        compressed = compressed.replace("." * run, str(run))
    if len(_RANKS) >= RANKS_KEPT:
        _RANKS.clear()
    _RANKS[cells] = compressed, " ".join(cells)
    return _RANKS[cells]
