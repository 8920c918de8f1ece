"""The display of a game: one subclass of `GameView` in the `view` module of each game's folder."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf, isfinite
from typing import Any, ClassVar

from ..core.questions import Message, NoReply, Reply
from ..plan.manifest import Plan
from ..scoring.match_figures import MatchAnalysis
from ..scoring.units.counts import Counts
from ..table.declared import Accepted, Fault
from ..table.game import Game
from .person_choices import Choices
from .replayed_game import PlayedGame


class GameView(ABC):
    """Words of one game on the screen.

    `null` is the headline figure of equal players (0.5 points a game), `figure_bounds` the least and the greatest one.
    `figure_unit` is its unit in a sentence, without a space before it; `short_unit` the unit in a table, with one
    (" bb/100"), or "". `unit_words`: units of its estimates in words, for the headings of charts and tables.
    `places` names the places of the seats in a result, the first to act first; `clusters` what decisions that depend
    on each other are of. `adjusted_words`: what the methods of an analysis with `adjusted` figures are. `notation`:
    the open format of its results, as `agzamov export --to` has it; empty for none. `notation_words`: what it holds.
    `tag`: what a declared line starts with; empty where a game has none. `resigns`: what a person declares to give up;
    where that is empty, `can_resign` says whether a person may give up by giving no answer.

    Lines are at most 100 columns of ASCII: `columns.paragraph` and `columns.row` break them, `columns.ascii_words`
    makes foreign text safe.
    """

    game: ClassVar[Game]
    null: ClassVar[float]
    figure_unit: ClassVar[str]
    figure_bounds: ClassVar[tuple[float, float]] = (-inf, inf)
    short_unit: ClassVar[str]
    unit_words: ClassVar[Mapping[str, str]] = {"score": "points a game"}
    places: ClassVar[tuple[str, ...]]
    clusters: ClassVar[str] = "games"
    notation: ClassVar[str] = ""
    notation_words: ClassVar[str] = ""
    adjusted_words: ClassVar[str] = ""
    tag: ClassVar[str] = ""
    resigns: ClassVar[str] = ""
    can_resign: ClassVar[bool] = True

    @property
    def result_most(self) -> float:
        """The greatest distance of a result from that of equal players."""
        return max(abs(bound - self.null) for bound in self.figure_bounds)

    @abstractmethod
    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        """One result as a player knows it.

        The first line has its id and who sat where, the second the result and its reason. The last two lines are an
        empty one and the result again; `--prompts` puts what was asked before them.
        """

    @abstractmethod
    def document(self, played: PlayedGame) -> dict[str, object]:
        """One result for a program: values that JSON has. The caller adds game, match and seats."""

    def exported(self, played: PlayedGame, plan: Plan) -> str:
        """One result in the open format of the game."""
        raise NotImplementedError

    def notated(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        """The same in the parts that a file of the format counts: the hands of a tournament."""
        yield self.exported(played, plan)

    def live_frame(self, asked: Sequence[tuple[Message, ...]]) -> dict[str, Any]:  # noqa: ARG002 - a game need not
        """The game in progress as a frame (`frames`), by what its seats were asked so far, in order: prompts alone.

        `to_act`: the place that was asked last. What no prompt shows yet is left open. Raises ValueError for prompts
        that are none of this game; empty where the game is not drawn.
        """
        return {}

    def choices(self, messages: tuple[Message, ...]) -> Choices | None:  # noqa: ARG002 - a game need not
        """What a person may do at a decision, by its prompt alone; None where the person writes the answer.

        Raises ValueError for a question that is no decision.
        """
        return None

    def last_frame(self, played: PlayedGame, plan: Plan, place: int) -> dict[str, Any]:  # noqa: ARG002 - see hold'em
        """The end of a result, as the seat at `place` may know it once it is over.

        Where a game hides something (`Game.hides`), that is how it ended, unless the game's own view tells more.
        """
        if self.game.hides:
            ended = self.ended(played.record)
            return {"label": "end", "said": ended, "by": -1, "lines": [ended]}
        return self.frames(played, plan)[-1]

    def actions(self, record: Any) -> Mapping[int, str]:  # noqa: ARG002 - a game need not have any
        """The action at each turn of a result, in one word or two: "e2e4", "raise 300"."""
        return {}

    def frames(self, played: PlayedGame, plan: Plan) -> list[dict[str, Any]]:
        """The states of one result in order, as values that JSON has; frame k is what seats saw at turn k.

        Each has a `label`, the action that led to it in a word or two; `by`, the place that acted, -1 for none; `drawn`
        where the action was drawn from the seed; `cp` or `mate`, a score of an engine from the side of the first place;
        and what `replay.js` of the game's folder draws, which also says it in a sentence. Without such a file: `said`,
        the sentence, and `lines`.
        """
        return [{"label": "game", "said": "the whole game", "by": -1, "lines": list(self.lines(played, plan))}]

    def title(self, played: PlayedGame) -> str:
        """The result in a heading, behind "Game 3: "."""
        return self.ended(played.record)

    def readers(
        self,
        played: PlayedGame,  # noqa: ARG002 - a game need not say
        plan: Plan,  # noqa: ARG002
    ) -> Iterator[tuple[int, Callable[[Reply | NoReply], Accepted[Any] | Fault]]]:
        """For each turn in order the place that decides, and what reads an answer to its decision.

        One more after the last action, if the result came without it. A reader is good until the next is asked for.
        """
        yield from ()

    def thumbnail(self, played: PlayedGame, frames: list[dict[str, Any]]) -> str:  # noqa: ARG002 - as above
        """The last state of a result, as short as `replay.js` can draw it small; empty for none."""
        return ""

    def error_classes(self, record: Any) -> tuple[str, ...]:  # noqa: ARG002 - see the games
        """Classes of faults among the first attempts of all seats in a result, for a filter."""
        return ()

    @abstractmethod
    def ended(self, record: Any) -> str:
        """End and size of a result, in a list: "checkmate, 43 plies"."""

    @abstractmethod
    def size(self, counts: Any) -> str:
        """The size of a match: "30 games, 1,820 plies"."""

    @abstractmethod
    def details(self, counts: Any, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:
        """Rows of a match that only this game has, for `verify --details`; made by `columns.row`.

        `analysis` is None where a bundle has none; else it is this game's own type.
        """

    def spelled(self, value: float | None) -> str:
        """The headline figure without its unit; None and infinite values are "unbounded"."""
        return "unbounded" if value is None or not isfinite(value) else self.number(value)

    def number(self, value: float) -> str:
        """A finite headline figure."""
        return f"{value:.2f}"

    def difference(self, value: float) -> str:
        """One headline figure less another, with its sign, in as many places."""
        number = self.number(value)
        return number if number.startswith(("+", "-")) else f"+{number}"

    def tally(self, counts: Any) -> str:
        """The outcome of a match in words, without a conclusion: "won 3 of 4 against".

        The name of the seat stands before it, its opponents' after it.
        """
        wins, n = counts.wins
        return f"won {wins} of {n} against"

    def ends(self, counts: Counts) -> bool:  # noqa: ARG002 - see hold'em
        """True if a sentence about a match says how its results ended."""
        return True

    def easier_prompt(self, plan: Plan) -> str:  # noqa: ARG002 - see chess
        """The plan's key and value of a prompt that shows more of what is legal; empty where there is none."""
        return ""

    def rules_words(self, plan: Plan) -> str:  # noqa: ARG002 - see chess
        """Rules of a run that the first screen names; empty where they are the usual ones."""
        return ""
