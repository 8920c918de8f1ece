"""A Chess960 game in progress: legality and pushes by `chess`, ends by the protocol's rules.

`outcome(claim_draw=True)` ends a game one ply before the third repetition and is eight times
slower, so the third occurrence and the half-move clock are counted here. The FEN is kept by rank,
since one ply changes at most two ranks; a test compares it with `board.fen()` at every ply. The
FEN without its two counters is also the repetition key: placement, side, castling rights, and the
en-passant square only where the capture is legal (FIDE Laws 9.2.3).
"""

from enum import StrEnum
from functools import lru_cache

import chess

from ..declared import Fault, FaultKind

CLAIM_REPETITIONS, FORCED_REPETITIONS = 3, 5
CLAIM_HALFMOVES, FORCED_HALFMOVES = 100, 150


class End(StrEnum):
    """Why a game ended."""

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
    UNFINISHED = "unfinished"


class DrawClaims(StrEnum):
    """Whether threefold repetition and the 50-move rule end a game, or only their forced forms."""

    AUTOMATIC = "automatic"
    NEVER = "never"


_MOVES = {
    chess.Move(a, b, promotion).uci(): chess.Move(a, b, promotion)
    for a in chess.SQUARES
    for b in chess.SQUARES
    if a != b
    for promotion in (None, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
    if promotion is None or {chess.square_rank(a), chess.square_rank(b)} in ({6, 7}, {1, 0})
}
# The squares from which a rook or a bishop could see a king on an empty board.
_ROOK_LINES = [chess.BB_RANK_ATTACKS[king][0] | chess.BB_FILE_ATTACKS[king][0] for king in chess.SQUARES]
_BISHOP_LINES = [chess.BB_DIAG_ATTACKS[king][0] for king in chess.SQUARES]


class Game960:
    """A board with the text that prompts need. Raises ValueError for a start that is not legal."""

    def __init__(self, start_fen: str) -> None:
        self.board = chess.Board(start_fen, chess960=True)
        if not self.board.is_valid():
            raise ValueError(f"expected a legal Chess960 position, found {start_fen!r}")
        self.start_fen = self.board.fen()
        self.moves: list[str] = []
        self.moves_text = ""
        self._cells = [_symbol(self.board.piece_at(square)) for square in chess.SQUARES]
        self._fen_ranks = [""] * 8
        self._diagram_ranks = [""] * 8
        for rank in range(8):
            self._write_rank(rank)
        self._castling_of: tuple[int, int, int] | None = None
        self._castling = ""
        self._key = self._position_key()
        self._seen = {self._key: 1}
        self._look_at_king()

    @property
    def ply(self) -> int:
        return len(self.moves)

    def fen(self) -> str:
        """X-FEN of the position, equal to `board.fen()`."""
        board = self.board
        return f"{self._key} {board.halfmove_clock} {board.fullmove_number}"

    def diagram(self) -> str:
        """The board as eight lines from rank 8 down to rank 1, dots for empty squares."""
        return "\n".join(self._diagram_ranks)

    def read(self, text: str) -> chess.Move | Fault:
        """The legal move that `text` spells (UCI, castling as king takes own rook, or O-O), or why not."""
        move = _MOVES.get(text) or self._castling_move(text)
        if move is None:
            return Fault(FaultKind.NO_ACTION, f"{text[:20]!r} is not a move in UCI notation")
        if self._is_legal(move):
            return move
        return Fault(FaultKind.ILLEGAL, f"{text} is not legal in this position")

    def push(self, move: chess.Move) -> None:
        """Play a legal move."""
        board, cells = self.board, self._cells
        origin, target = move.from_square, move.to_square
        symbol = cells[origin]
        castling = symbol in "Kk" and board.is_castling(move)
        en_passant = symbol in "Pp" and target == board.ep_square
        board.push(move)
        text = move.uci()
        self.moves.append(text)
        self.moves_text = f"{self.moves_text} {text}" if self.moves_text else text
        if castling:
            self._refresh_rank(origin >> 3)
        else:
            cells[origin] = "."
            cells[target] = _promoted(symbol, move.promotion) if move.promotion else symbol
            if en_passant:
                cells[target ^ 8] = "."
        self._write_rank(origin >> 3)
        if origin >> 3 != target >> 3:
            self._write_rank(target >> 3)
        self._key = key = self._position_key()
        self._seen[key] = self._seen.get(key, 0) + 1
        self._look_at_king()

    def end(self, claims: DrawClaims) -> End | None:
        """How the game has ended by the rules, if it has."""
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
        return sorted(move.uci() for move in self.board.generate_legal_moves())

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
        lines = _ROOK_LINES[king] & (board.rooks | queens) | _BISHOP_LINES[king] & (board.bishops | queens)
        if lines & enemies:
            self._in_check = board.is_check()
            unpinned = ~(_ROOK_LINES[king] | _BISHOP_LINES[king])
        else:
            knights = chess.BB_KNIGHT_ATTACKS[king] & board.knights
            pawns = chess.BB_PAWN_ATTACKS[turn][king] & board.pawns
            self._in_check = bool((knights | pawns) & enemies)
            unpinned = chess.BB_ALL
        self._free = 0 if self._in_check else unpinned & ~board.kings

    def _is_legal(self, move: chess.Move) -> bool:
        """`board.is_legal`, at less than half its cost where no check and no pin can matter."""
        board = self.board
        if self._free >> move.from_square & 1 and move.to_square != board.ep_square:
            return board.is_pseudo_legal(move)
        return board.is_legal(move)

    def _has_legal_move(self) -> bool:
        """A pawn that may step forward answers most positions; a generator answers the rest."""
        board = self.board
        pawns = board.pawns & board.occupied_co[board.turn] & self._free
        steps = (pawns << 8) & chess.BB_ALL if board.turn else pawns >> 8
        return bool(steps & ~board.occupied) or any(board.generate_legal_moves())

    def _refresh_rank(self, rank: int) -> None:
        for square in range(8 * rank, 8 * rank + 8):
            self._cells[square] = _symbol(self.board.piece_at(square))

    def _write_rank(self, rank: int) -> None:
        cells = "".join(self._cells[8 * rank : 8 * rank + 8])
        self._fen_ranks[7 - rank], self._diagram_ranks[7 - rank] = _rank_texts(cells)

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


def _promoted(pawn: str, promotion: int) -> str:
    symbol = chess.piece_symbol(promotion)
    return symbol.upper() if pawn == "P" else symbol


@lru_cache(maxsize=2**16)
def _rank_texts(cells: str) -> tuple[str, str]:
    """A rank as in a FEN, and as in a diagram."""
    compressed = cells
    for run in range(8, 0, -1):
        compressed = compressed.replace("." * run, str(run))
    return compressed, " ".join(cells)
