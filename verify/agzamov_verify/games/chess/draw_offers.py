"""Draw offers of people at a game of chess (FIDE Laws of Chess 5.2.3, 9.1.2), where the rules of a plan allow them.

A person offers a draw with a move: `MOVE: e2e4 (=)`, the sign of FIDE's score sheets (Appendix C.12). The offer stands
until the opponent's next answer. A person is asked with the offer in the prompt, and takes it by `MOVE: draw`; any move
declines it. For a program the plan's rule answers at once, since no program here is asked about draws: it takes the
offer late enough in the game, where the search of the reference player expects no more for its side than a threshold.
So an offer and its answer follow from the moves and the person's words alone, and a replay comes to the same end.

Who has offered waits for `gap_plies` before the next offer, so that nobody is pestered (Laws 11.5).
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Final, TypeAlias, cast

import chess
import msgspec
from msgspec import Meta

from ...table.declared import Accepted, Fault, FaultKind
from .patterns import NO_HABITS
from .reference_search import Search
from .resignation import Resigned
from .rules import Game960
from .spelling import read_move

LABEL: Final = "Draw offers"
"""What the line of a prompt begins with that tells a person what they may do."""
MARK: Final = "(=)"
TAKEN: Final = "draw"


class DrawOffers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rule of a plan. A program takes no offer before `plies_min` plies are played, and then only where its side
    is expected to stand at `threshold_centipawns` or less. `gap_plies`: from one offer of a player to the next; at
    least 10, since each answer is a search, which verification repeats.
    """

    plies_min: Annotated[int, Meta(ge=0, le=1_000)] = 60
    threshold_centipawns: Annotated[int, Meta(ge=-10_000, le=10_000)] = 20
    gap_plies: Annotated[int, Meta(ge=10, le=1_000)] = 20


class OfferState(StrEnum):
    """What a person may do at a decision."""

    MAY = "may"
    OPEN = "open"
    DECLINED = "declined"
    LATER = "later"


WORDS: Final = {
    OfferState.MAY: f"with this move you may offer a draw: put {MARK} behind it.",
    OfferState.OPEN: f"your opponent offers a draw. The word {TAKEN} in place of a move takes it, a move declines it.",
    OfferState.DECLINED: "your opponent has declined your offer. You may make another one later in the game.",
    OfferState.LATER: "you have made an offer not long ago, and may make another one later in the game.",
}
_STATES: Final = {words: state for state, words in WORDS.items()}


class Offered(msgspec.Struct, frozen=True, gc=False):
    """A move with the offer of a draw."""

    move: chess.Move


class DrawTaken(msgspec.Struct, frozen=True, gc=False):
    """The opponent's offer is taken, and no move is played."""


ChessAction: TypeAlias = chess.Move | Offered | DrawTaken | Resigned
"""What a side may do at a decision."""


class Offers:
    """The offers of one game so far. `people`: whether a person has White, and Black."""

    def __init__(self, rule: DrawOffers | msgspec.UnsetType, people: tuple[bool, bool]) -> None:
        self._rule, self._people = rule, people
        self.are_possible = not isinstance(rule, msgspec.UnsetType) and any(people)
        self.plies: list[int] = []
        """The plies of the moves with which a draw was offered, from 0 on."""

    @property
    def reader(self) -> Callable[[str, Game960], Accepted[ChessAction] | Fault]:
        """`read`, or at once `read_move` where nobody may offer a draw: a move is one of the actions."""
        return self.read if self.are_possible else cast("Callable[[str, Game960], Accepted[ChessAction]]", read_move)

    def state(self, ply: int) -> OfferState | None:
        """What the side to move may do; None where it is no person, or the plan has no draw offers."""
        if isinstance(self._rule, msgspec.UnsetType) or not self._people[ply % 2]:
            return None
        last = max((made for made in self.plies if made % 2 == ply % 2), default=None)
        if ply - 1 in self.plies:
            return OfferState.OPEN
        if last == ply - 2:
            return OfferState.DECLINED
        return OfferState.MAY if last is None or ply - last >= self._rule.gap_plies else OfferState.LATER

    def line(self, ply: int) -> str:
        """The line of a prompt; empty where there is none."""
        state = self.state(ply)
        return f"{LABEL}: {WORDS[state]}" if state else ""

    def read(self, text: str, game: Game960) -> Accepted[ChessAction] | Fault:
        """The action that `text` spells in the position of `game`, or why it is none."""
        state = self.state(game.ply)
        if state is OfferState.OPEN and text == TAKEN:
            return Accepted(DrawTaken(), exact=True)
        if state is None or not text.endswith(MARK):
            return cast("Accepted[ChessAction] | Fault", read_move(text, game))  # a move is one of the actions
        if state is not OfferState.MAY:
            return Fault(FaultKind.ILLEGAL, "a draw may not be offered with this move")
        read = read_move(text.removesuffix(MARK).rstrip(), game)
        return read if isinstance(read, Fault) else Accepted(Offered(read.action), read.exact)

    def is_taken(self, game: Game960) -> bool:
        """Note an offer that was made with the last move of `game`, and whether a program takes it at once."""
        self.plies.append(game.ply - 1)
        if isinstance(self._rule, msgspec.UnsetType) or self._people[game.ply % 2] or game.ply < self._rule.plies_min:
            return False
        return expected_centipawns(game) <= self._rule.threshold_centipawns


def expected_centipawns(game: Game960) -> int:
    """The value of a position that has a legal move, for the side to move, as the reference player searches it."""
    board = chess.Board(game.fen(), chess960=True)
    moves = sorted(board.legal_moves, key=chess.Move.uci)
    return Search(board, NO_HABITS, frozenset()).best(dict.fromkeys(moves, 0)).value


def offer_state(situation: str) -> OfferState | None:
    """What a prompt's situation says that its reader may do; None where it says nothing of draw offers."""
    lines = (line.removeprefix(f"{LABEL}: ") for line in situation.splitlines() if line.startswith(f"{LABEL}: "))
    return next((_STATES[words] for words in lines if words in _STATES), None)


def without_mark(action: str) -> str:
    """The move of an action, without the mark of an offer."""
    return action.removesuffix(MARK).rstrip()
