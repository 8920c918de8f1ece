"""A game of English draughts in progress: the board, the ends of a game by its settings, the text that prompts need.

    no legal move          the side to move has lost, whether it has pieces or not
    threefold repetition   the same pieces with the same side to move for the third time: drawn
    no progress            N moves of each side in a row (2 N plies) without a capture or a move of a man: drawn
    ply limit              as many plies after the ballot as the settings say: drawn

WCDF Rules of Draughts 1.32 has the two draws as claims of a player, with N = 40 ("neither player has advanced an
uncrowned man towards the king-row during their own previous 40 moves", "no pieces have been removed"). Nobody claims
here: a game is drawn as soon as it could be claimed. In this order: a side without a move has lost even where the
position would be drawn otherwise. A ballot's three moves are part of the game for repetition and progress, and
not for the ply limit.
"""

from enum import StrEnum
from typing import Final

from .board import START, Move, Position, can_move, diagram, fen, is_man_move, legal_moves, played

REPETITIONS: Final = 3


class End(StrEnum):
    """Reason for the end of a game."""

    NO_MOVE = "no_move"
    THREEFOLD_REPETITION = "threefold_repetition"
    NO_PROGRESS = "no_progress"
    PLY_LIMIT = "ply_limit"
    FORFEIT = "forfeit"


BY_RULE: Final = frozenset((End.NO_MOVE, End.THREEFOLD_REPETITION, End.NO_PROGRESS))
"""Endings by the rules of draughts."""


class DraughtsGame:
    """A game from its ballot on. Raises ValueError for a ballot that is not three legal moves.

    `moves` has the ballot's, too; `ply` counts those after it. Nothing is taken back.
    """

    def __init__(self, ballot: str) -> None:
        self.position: Position = START
        self.moves: list[str] = []
        self.moves_text = ""
        self.ply = self._quiet_plies = 0
        self._seen = {self.position: 1}
        for text in ballot.split():
            self.play(text)
        self.ply = 0

    def legal(self) -> list[Move]:
        """All legal moves."""
        return legal_moves(self.position)

    def fen(self) -> str:
        """The position in the FEN of PDN."""
        return fen(self.position)

    def diagram(self) -> str:
        """The board, squares 1 to 4 at the top."""
        return diagram(self.position)

    def play(self, text: str) -> None:
        """Play the move of a text as `Move.text` spells it. Raises ValueError for one that is not legal."""
        self.push(_move_of(self.position, text))

    def push(self, move: Move) -> None:
        """Play a legal move."""
        text, position = move.text, self.position
        self._quiet_plies = 0 if move.taken or is_man_move(position, move) else self._quiet_plies + 1
        self.position = position = played(position, move)
        self._seen[position] = self._seen.get(position, 0) + 1
        self.moves.append(text)
        self.moves_text = f"{self.moves_text} {text}" if self.moves_text else text
        self.ply += 1

    def end(self, quiet_moves_max: int, plies_max: int) -> End | None:
        """The end of the game after a move, if there is one. `quiet_moves_max`: N of the draw without progress."""
        if not can_move(self.position):
            return End.NO_MOVE
        if self._seen[self.position] >= REPETITIONS:
            return End.THREEFOLD_REPETITION
        if self._quiet_plies >= 2 * quiet_moves_max:
            return End.NO_PROGRESS
        return End.PLY_LIMIT if self.ply >= plies_max else None


def _move_of(position: Position, text: str) -> Move:
    """The legal move of a text as `Move.text` spells it. Raises ValueError."""
    move = next((move for move in legal_moves(position) if move.text == text), None)
    if move is None:
        raise ValueError(f"expected a legal move in {fen(position)}, found {text[:40]!r}")
    return move


def positions_of(moves: tuple[str, ...] | list[str]) -> list[Position]:
    """The position before each move of a game and after the last. Raises ValueError for an illegal move."""
    positions = [START]
    for text in moves:
        positions.append(played(positions[-1], _move_of(positions[-1], text)))
    return positions
