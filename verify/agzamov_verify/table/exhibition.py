"""Games that another program conducts: it chooses starts, opponents, clocks and ends, and a seat of a plan plays.

The program is asked like a seat, by a question to PROGRAM whose text is what the seat played, or READY. Its answer is
attested, a few lines of words:

    played e2e4                               the move that was played in the place of the seat's, which came too late
    newgame                                   the position is of another game
    position chess960 <FEN> moves e2e4 …      the position to decide in; `chess`, where it castles as in standard chess

Castling is written as the king that takes its own rook. A program that ends does so anywhere, and the journal with it.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from ..core.dice import Dice
from ..core.questions import Reply
from ..core.script import Divergence, Script
from ..experiment.matches import Match
from .decision import Tally
from .game import Game
from .players import Player

PROGRAM: Final = "program"
"""Who is asked for the next position, in a journal."""
READY: Final = "ready"
PLAYED, NEW_GAME, POSITION, MOVES = "played", "newgame", "position", "moves"
MARK: Final = (
    "Exhibition: played under another program's rules, which chose starts, opponents, clocks and ends. It has no rank,"
    " and no result of it counts."
)


class Command(NamedTuple):
    """What a program answered: `variant`, the start's FEN and the moves since it; the rest as above."""

    variant: str
    start_fen: str
    moves: tuple[str, ...]
    new_game: bool = False
    played: str = ""

    @property
    def text(self) -> str:
        """The answer as it stands in a journal."""
        lines = [f"{PLAYED} {self.played}"] if self.played else []
        lines += [NEW_GAME] if self.new_game else []
        return "\n".join([*lines, " ".join([POSITION, self.variant, self.start_fen, MOVES, *self.moves])])


def read_command(place: str, reply: Reply) -> Command:
    """The command in an answer of the program. Raises Divergence for another text."""
    lines = reply.text.split("\n")
    played = lines.pop(0).removeprefix(f"{PLAYED} ") if lines[0].startswith(f"{PLAYED} ") else ""
    new_game = bool(lines) and lines[0] == NEW_GAME
    words = lines[-1].split(" ")
    if words[:1] == [POSITION] and MOVES in words:
        at = words.index(MOVES)
        command = Command(" ".join(words[1:2]), " ".join(words[2:at]), tuple(words[at + 1 :]), new_game, played)
        if command.text == reply.text:
            return command
    raise Divergence(place, "a position from the program", repr(reply.text[:80]))


class ExhibitionGame(msgspec.Struct):
    """A game as far as it is known: the moves up to the seat's last decision, which is among them.

    `is_white`: the seat's side. `drawn`: plies whose move was drawn from the seed in the place of the seat's, from 0
    on; `late`: those in whose place another one was played, since the seat's came too late.
    """

    id: str
    variant: str
    start_fen: str
    is_white: bool
    moves: list[str]
    tally: Tally
    drawn: list[int] = msgspec.field(default_factory=list)
    late: list[int] = msgspec.field(default_factory=list)

    @property
    def decisions(self) -> int:
        return self.tally.decisions


class Exhibition(ABC):
    """The games of one conversation with a program; `games` has those so far."""

    games: list[ExhibitionGame]

    @abstractmethod
    def script(self) -> Script[None]:
        """Ask the program for positions, and the seat for its decisions, without end. Raises Divergence."""


class GameExhibition(ABC):
    """A game's part in exhibitions: `EXHIBITION`, or `VARIANTS`, of the module `exhibition` in its folder."""

    game: ClassVar[Game]

    @abstractmethod
    def begun(self, match: Match, player: Player, rules: Any, dice: Dice) -> Exhibition:
        """An exhibition of a player under the terms of a match."""
