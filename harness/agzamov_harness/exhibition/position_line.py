"""Positions as programs write them, in the one form that a script is told: X-FEN, castling as king takes rook.

UCI (Meyer-Kahlen, Huber, 2006): `position [startpos | fen FEN] [moves M1 … Mn]`, `setoption name N [value V]`. A
program that has set UCI_Chess960 writes castling as e1h1, and a FEN with `HAha` (Shredder) or `KQkq` (X-FEN).
"""

from typing import NamedTuple

import chess

FEN_FIELDS_MIN = 4
"""Placement, side, castling, en passant; some programs leave the two counters out."""


class BadPosition(ValueError):
    """A position that is none."""


class Position(NamedTuple):
    """A start and the moves since it; `board` stands behind them. `written`: both as the program wrote them."""

    start_fen: str
    moves: tuple[str, ...]
    board: chess.Board
    written: tuple[str, tuple[str, ...]]

    def spelled(self, move: str, *, is_960: bool) -> str:
        """A move that a script tells, as the program writes it."""
        return self.board.uci(self.board.parse_uci(move), chess960=is_960)

    @property
    def fallback(self) -> str:
        """The legal move that is played where nothing else came in time: the first by the alphabet."""
        return min(move.uci() for move in self.board.legal_moves)


def start_position() -> Position:
    """The start of standard chess."""
    return read_position(["startpos"])


def read_position(words: list[str], before: Position | None = None) -> Position:
    """The position behind the word `position`. Raises BadPosition.

    `before`: the one that the program told last, from which a game mostly goes on. A king that goes from e1 to g1
    castles in either spelling: no other move of a king is so long.
    """
    at = words.index("moves") if "moves" in words else len(words)
    start, written = " ".join(words[:at]), tuple(words[at + 1 :])
    if before and before.written[0] == start and before.written[1] == written[: len(before.moves)]:
        known, board, start_fen = list(before.moves), before.board.copy(stack=False), before.start_fen
    else:
        known, board = [], _start(words[:at])
        start_fen = board.fen()
    for text in written[len(known) :]:
        try:
            move = board.parse_uci(text)
        except ValueError as error:
            raise BadPosition(f"expected legal moves: {error}") from error
        if not move:
            raise BadPosition(f"expected legal moves, found {text}")
        known.append(move.uci())
        board.push(move)
    board.clear_stack()
    return Position(start_fen, tuple(known), board, (start, written))


def _start(words: list[str]) -> chess.Board:
    """The board of a start. Raises BadPosition."""
    if words[:1] == ["startpos"]:
        return chess.Board(chess960=True)
    if words[:1] != ["fen"] or len(words) <= FEN_FIELDS_MIN:
        raise BadPosition(f"expected startpos or a FEN, found {' '.join(words[:2])[:60]!r}")
    try:
        board = chess.Board(" ".join(words[1:]), chess960=True)
    except ValueError as error:
        raise BadPosition(f"expected a FEN: {error}") from error
    if not board.is_valid():
        raise BadPosition(f"expected a legal position, found {board.fen()}")
    return board


def read_option(words: list[str]) -> tuple[str, str]:
    """Name and value behind the word `setoption`; both may have spaces, and no value is empty."""
    at = words.index("value") if "value" in words else len(words)
    return " ".join(words[1:at]), " ".join(words[at + 1 :])
