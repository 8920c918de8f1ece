"""The counts of a game: one subclass of `GameScoring` in the `scoring` module of each game's folder."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from ..core.seat_letters import seat_letter
from ..experiment.matches import Match
from ..plan.manifest import Plan
from ..protocols.norms import Protocol
from ..table.decision import Tally, added
from ..table.game import Block, Game, records_of
from ..table.registry import GAMES
from .hypotheses.evidence import Evidence, ProbeCell
from .match_figures import MatchAnalysis, Setting
from .quality.quality_questions import Answers
from .units.cells import Cell, CellKey
from .units.counts import Counts


class Played(NamedTuple):
    """A match that was played, as one of its seats sees it.

    `seat_index`: the seat that is looked at. `blocks`: in order. `answers`: the engine's about its moves, if any.
    """

    run: str
    plan: Plan
    match: Match
    seat_index: int
    blocks: Sequence[Block]
    answers: Answers | None = None

    @property
    def id(self) -> str:
        """The name of the match; where several of its seats are looked at, with the letter of this one behind it."""
        return looked_name(self.plan, self.match, self.seat_index)

    @property
    def records(self) -> list[Any]:
        """The records of all blocks, in order."""
        return records_of(self.blocks)

    @property
    def rules(self) -> Any:
        """The rules of the match's game."""
        return self.plan.rules_of(self.match.game)

    @property
    def outcomes(self) -> list[int]:
        """What the seat that is looked at won in each result, in the game's smallest unit."""
        order = GAMES[self.match.game].order
        results = enumerate(self.records)
        return [record.outcomes[order(record, index).index(self.seat_index)] for index, record in results]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Tallies of all seats over the whole match, in the order of `Match.seats`."""
        return added((block.tallies for block in self.blocks), len(self.match.seats))


def looked_name(plan: Plan, match: Match, seat_index: int) -> str:
    """The name of a row of figures: that of the match, with a seat's letter where several are looked at."""
    return f"{match.id}@{seat_letter(seat_index)}" if len(plan.looked_at(match)) > 1 else match.id


def blocks_played(blocks: Mapping[str, Sequence[Block]]) -> dict[str, Sequence[Block]]:
    """The blocks of matches of which some result was played, by match: a person may stop before the first one."""
    return {name: own for name, own in blocks.items() if any(block.records for block in own)}


def match_of(name: str) -> str:
    """The id of the match that a row of figures is of."""
    return name.partition("@")[0]


class GameScoring(ABC):
    """Counts, cell and analysis of one game's matches.

    `counts` and `analysis` are the types of its rows in results.json and analysis.json, tagged with the game's name.
    `sanity_ranks`: who beats the random player of Phase 0 by more is the stronger player.
    A match may have fewer results than planned, or none: a run can be stopped.
    """

    game: ClassVar[Game]
    counts: ClassVar[type[Counts]]
    analysis: ClassVar[type[MatchAnalysis]]
    sanity_ranks: ClassVar[bool] = False

    @abstractmethod
    def count(self, played: Played) -> Counts:
        """The counts of a match, from the side of `played.seat_index`: whole numbers and exact sums, no inference."""

    @abstractmethod
    def cell(self, key: CellKey, played: Played) -> Cell:
        """The match as a cell of the model in one seat: its results as outcomes, in the order of play."""

    @abstractmethod
    def analyse(self, cell: Any, setting: Setting, evidence: Evidence, played: Played) -> MatchAnalysis:
        """The analysis of a match: all inference, from `cell`, which is this game's own.

        `setting` has its first fields (id, phase). `evidence` gives seeds and resamples by name; `match_figures` has
        the parts that most games need (`kept_figures`, `error_rates`, `p_above_half`, `symmetry`).
        """

    def probes(self, key: CellKey, played: Played) -> Iterator[ProbeCell]:  # noqa: ARG002 - see chess
        """Counts of evaluation and calculation, where the match is played from positions that ask for them."""
        return iter(())

    @abstractmethod
    def observations(self, records: Sequence[Any], rules: Any, seat_index: int) -> list[int]:
        """A seat's value of each whole unit, in the order of play, within `Game.bounds`.

        A stopping rule reads them while the match is played, so the values of a beginning never change later.
        """

    def luck(self, record: Any, rules: Any) -> tuple[Fraction, ...]:  # noqa: ARG002 - a game without cards
        """What the cards gave each place of a result, in its smallest unit, with mean 0 whatever the players do.

        Control variates: to be taken off `outcomes`. Empty in a game that has none.
        """
        return ()

    def rule_departures(self, plan: Plan, protocol: Protocol) -> Iterator[str]:  # noqa: ARG002 - a game without norms
        """Departures of the plan's rules of this game from the protocol, whether or not it is played.

        Each is one line for a person, as in all three: "what was planned, what is required".
        """
        return iter(())

    def play_departures(self, plan: Plan, protocol: Protocol) -> Iterator[str]:  # noqa: ARG002 - a game without norms
        """Departures that matter only where the game is played."""
        return iter(())

    def size_departures(self, match: Any, plan: Plan, protocol: Protocol) -> Iterator[str]:  # noqa: ARG002
        """Departures of a match's size from the protocol; each begins with the match's id."""
        yield f"{match.id}: {self.game.title} is not in the protocol"
