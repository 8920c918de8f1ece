"""A game as the rest of the appliance sees it: one subclass of `Game` in the folder of each game.

Play is here; counts and figures are in the folder's `scoring`, words and pictures in its `view`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, TypeAlias

import msgspec

from ..core.dice import Dice
from ..core.script import Script
from ..experiment.analysis_plan import SequentialRule
from ..experiment.matches import Match
from ..experiment.opponent_patterns import Detector, Pattern, PatternSorts
from ..experiment.plan_fields import Problem
from .adjudication import Adjudication
from .decision import Tally
from .donor import DONOR, played_note, played_searches
from .game_tool import GameTool
from .pictures import GamePictures
from .planted import PlantedReplies
from .players import GameName, Player
from .prompt_lines import Page
from .seating import alternating
from .survey import SurveyAnswers

SeatsAt: TypeAlias = Callable[[int], tuple[Player, ...]]
"""The players of result number `index` of a match, in the order of `Match.seats`."""

ScriptedPlayer: TypeAlias = Callable[[Page, int], str]
"""A scripted player: its reply to a prompt, with a seed. Raises ValueError for a prompt that it cannot read."""


class Noun(NamedTuple):
    """A countable thing, one and many."""

    one: str
    many: str

    def counted(self, number: int) -> str:
        """A number of them: "1 game", "1,000 games"."""
        return f"{number:,} {self.one if number == 1 else self.many}"


class PolicyDeparture(NamedTuple):
    """An action that a published policy does not take: where it stands, the policy's, and the one played."""

    place: str
    expected: str
    found: str


class Utility(StrEnum):
    """What the players' results sum to, in the words of OpenSpiel."""

    ZERO_SUM = "zero_sum"
    CONSTANT_SUM = "constant_sum"
    GENERAL_SUM = "general_sum"


class Dynamics(StrEnum):
    """Whether players act one after another, or some of them at once, in the words of OpenSpiel."""

    SEQUENTIAL = "sequential"
    SIMULTANEOUS = "simultaneous"


class StreamPlan(msgspec.Struct, frozen=True):
    """One stream: the results (games or hands) [first, first + count) of a match."""

    id: str
    match: Match
    first: int
    count: int


class _BesideRecords(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a block that no game fills: `planted` by seat of the match, of models; `survey` of a person."""

    planted: dict[int, PlantedReplies] = msgspec.field(default_factory=dict)
    survey: SurveyAnswers | None = None


class Block(_BesideRecords, frozen=True):
    """The records of one stream, in order from number `first` of its match.

    A record is the game's own type. It must have a field `game`: the id of its result (`Game.id_of`), and `outcomes`:
    what each place won, in the smallest unit of the game (half-points, chips).
    """

    first: int
    records: tuple[Any, ...]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Totals over the block's records, one for each seat of the match in the order of `Match.seats`.

        A record has its tallies by place, so turn them back (`seating.by_seat` with `Game.order`).
        """
        raise NotImplementedError


def records_of(blocks: Iterable[Block]) -> list[Any]:
    """The records of all blocks, in order."""
    return [record for block in blocks for record in block.records]


class Bounds(NamedTuple):
    """Least and greatest value of one observation of a stopping rule, and its mean between equal players.

    In the whole numbers of `GameScoring.observations`: 0, 4 and 2 for the half-points of a pair of games.

    `clipped`: values beyond them are possible, and count as the nearer one.
    """

    least: int
    greatest: int
    null: int
    clipped: bool = False


class Game(ABC):
    """Names, rules and script of one game.

    A match is planned as a number of results (games or hands). Some results make one statistical unit, and some are
    won or lost together, as a contest: the two games of a start, the hands of a session.

    - `name`: that of the folder, and the tag of `match`.
    - `title`: the game's name in a sentence. `result`, `unit`, `contest`: the words for the three sizes above.
    - `players`: the numbers of seats that it takes. `utility`: whether one's gain is another's loss; only where results
      have a constant sum is self-play symmetric. `dynamics`: whether seats act one at a time.
    - `team_names`: of the numbers that `teams` gives; empty in a game without teams.
    - `number`: the letter, and how many digits, of a result's number in its id: ("g", 5) gives -g00017.
    - `match`: the type of a match in the plan. `rules`: the type of the plan's key `name`; each field has a default.
    - `templates`: every text that a seat may read, as "name/part". Their digest is sealed with the plan.
    - `patterns`: sentences for seats that are asked to keep a habit. `detectors`: what counts how often each was kept.
      `pattern_sorts`: which of them a forced change of strategy is named by.
    - `scripted`: players by kind of seat; "random" is needed by Phase 0.
    - `sign`: a text that each user message of this game holds, and none of another game.
    - `uses_engine`: moves can be evaluated by the engine.
    - `tool`: its tool, where it has one.
    - `tool_templates`: as `templates`, the texts of the game's tool; empty where the game has none.
    - `tool_showdowns_max`: showdowns that the game's tool compares in a call, if a plan allows any number.
    - `names_candidates`: a seat with the tool is asked for candidate actions before each decision.
    - `pictures`: its positions as images, where it has any.
    - `search_phrases`: all phrases that a search of documents is made of.
    - `hides`: a seat does not see all that its opponents see.
    - `remembers`: its contests can be noted for a memory: it has an `observation`.
    - `data_sha256`: the digest of each shipped file that questions are made of, as "name/part"; sealed with the plan.
    - `sealed_where_played`: its rules and texts stand in a manifest only where a match plays it: docs/decisions/0101.
    - `sample_results`: so many results show `agzamov plan` how long prompts are.
    - `openings`: the number of a book's positions that `opening` gives; 0 where it gives none.
    - `assumes`: names of the assumptions of `agzamov plan` that `decisions` reads.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    result: ClassVar[Noun] = Noun("game", "games")
    unit: ClassVar[Noun] = Noun("game", "games")
    contest: ClassVar[Noun] = Noun("game", "games")
    players: ClassVar[range] = range(2, 3)
    utility: ClassVar[Utility] = Utility.ZERO_SUM
    dynamics: ClassVar[Dynamics] = Dynamics.SEQUENTIAL
    team_names: ClassVar[tuple[str, ...]] = ()
    number: ClassVar[tuple[str, int]] = ("g", 5)
    match: ClassVar[type[Match]]
    rules: ClassVar[type[msgspec.Struct]]
    templates: ClassVar[Mapping[str, str]]
    patterns: ClassVar[Mapping[Pattern, str]] = {}
    detectors: ClassVar[Mapping[Pattern, Detector]] = {}
    pattern_sorts: ClassVar[PatternSorts] = PatternSorts()
    scripted: ClassVar[Mapping[str, ScriptedPlayer]]
    sign: ClassVar[str]
    uses_engine: ClassVar[bool] = False
    tool: ClassVar[GameTool | None] = None
    tool_templates: ClassVar[Mapping[str, str]] = {}
    tool_showdowns_max: ClassVar[int] = 0
    names_candidates: ClassVar[bool] = False
    pictures: ClassVar[GamePictures | None] = None
    search_phrases: ClassVar[tuple[str, ...]] = ()
    hides: ClassVar[bool] = False
    remembers: ClassVar[bool] = False
    data_sha256: ClassVar[Mapping[str, str]] = {}
    sealed_where_played: ClassVar[bool] = False
    sample_results: ClassVar[int] = 4
    openings: ClassVar[int] = 0
    assumes: ClassVar[frozenset[str]] = frozenset()

    def plan_key(self) -> tuple[Any, Any]:
        """Type and default of the plan's key of the rules."""
        unset = (self.rules | msgspec.UnsetType, msgspec.UNSET)
        return unset if self.sealed_where_played else (self.rules, self.rules())

    @abstractmethod
    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: Any, dice: Dice) -> Script[Block]:
        """Play results [stream.first, stream.first + stream.count) and return their Block.

        `seats_at(index)` has the players in the order of `Match.seats`; `seating.seating` says who has which place, and
        `seating.by_place` puts them there.
        """

    @abstractmethod
    def problems(self, rules: Any) -> Iterator[Problem]:
        """Everything that makes the rules impossible.

        A problem's path begins below the game's key of the plan: "stones" for `nim: {stones: 0}`.
        """

    @abstractmethod
    def match_problems(self, match: Any, rules: Any) -> Iterator[Problem]:
        """Everything that makes the size of a match impossible under the rules.

        A problem's path begins below the match: "games", or "" for the match as a whole.
        """

    @abstractmethod
    def bounds(self, rule: SequentialRule) -> Bounds:
        """The bounds of one of `GameScoring.observations`."""

    def rule_problems(
        self,
        rule: SequentialRule,  # noqa: ARG002 - see hold'em
        rules: Any,  # noqa: ARG002
        observations: int,  # noqa: ARG002
    ) -> Iterator[Problem]:
        """Everything that makes a stopping rule of a match of so many observations impossible, by path below it."""
        return iter(())

    @abstractmethod
    def self_play(self, seat: str, results: int) -> Match:
        """A match of Phase 1 of a seat against itself, of so many results, for samples of prompts."""

    def small_match(self, match: Any, rules: Any) -> Any:  # noqa: ARG002 - see the games
        """A match of the same design in so few results that a scripted player plays it in seconds.

        `rules`: those by which it is planned; it will be played by their `small_rules`.
        """
        return match

    def small_rules(self, rules: Any) -> Any:
        """The rules by which results are as short, and need no engine."""
        return rules

    def unit_results(self, rules: Any, seats: int) -> int:  # noqa: ARG002 - as declared
        """Number of results that statistics take together, with so many seats at the table: a statistical unit."""
        return 1

    def contest_results(self, rules: Any, seats: int) -> int:  # noqa: ARG002 - as declared
        """Number of results that are won or lost as a whole: see `Counts.wins`."""
        return 1

    def decisions(self, rules: Any, assumed: Mapping[str, Fraction]) -> Fraction:  # noqa: ARG002 - see the games
        """The expected number of decisions of all seats together in one result, for the forecast of `agzamov plan`.

        `assumed`: the assumptions of `agzamov plan` by name, such as "plies". A game with a finishing order is not
        asked: the forecast plays some results between its reference players.
        """
        return Fraction(10)

    def sample_rules(self, rules: Any, assumed: Mapping[str, Fraction]) -> Any:  # noqa: ARG002 - see chess
        """The rules by which a sample is played that shows how long prompts are."""
        return rules

    def durable_results(self, rules: Any) -> int:  # noqa: ARG002 - see hold'em
        """Number of results whose journal is synced to disk together."""
        return 1

    def engine_adjudication(self, rules: Any) -> Adjudication | None:  # noqa: ARG002 - see chess
        """The rule by which the engine adjudicates results, where it does."""
        return None

    def deals_twice(self, rules: Any) -> bool:  # noqa: ARG002 - see hold'em
        """True if a match has the same hidden draws in two of its results."""
        return False

    def variant(self, rules: Any) -> str:  # noqa: ARG002 - see chess
        """The variant of the protocol that the rules are, where the protocol has several; else empty."""
        return ""

    def donor_note(self, stream: StreamPlan, rules: Any, number: int, seat_index: int, dice: Dice) -> str:
        """What a seat would have seen of strangers in contest `number` of a career, for the placebo of a memory.

        `dice`: of this career's donor alone; so are the strangers. By default they are random players.
        """
        return played_note(self, stream, rules, number, seat_index, dice)

    def sample_notes(self, count: int) -> Sequence[str]:
        """Notes of strangers by the default rules, for whoever wants to see what notes are like."""
        rules, dice = self.rules(), Dice(b"sample notes")
        match = self.self_play(DONOR, count * self.contest_results(rules, min(self.players)))
        stream = StreamPlan(DONOR, match, 0, match.planned)
        return [self.donor_note(stream, rules, number, 0, dice) for number in range(count)]

    def sample_searches(self) -> Sequence[str]:
        """The searches of one contest by the default rules, for whoever wants to see what is searched for."""
        rules = self.rules()
        match = self.self_play(DONOR, self.contest_results(rules, min(self.players)))
        return played_searches(self, StreamPlan(DONOR, match, 0, match.planned), rules, Dice(b"sample searches"))

    def rules_played(self, match: Any, rules: Any) -> Sequence[Any]:  # noqa: ARG002 - see chess
        """The rules of a match's results: one for all, or those of each position that it begins from."""
        return (rules,)

    def positions(self, match: Any) -> int:  # noqa: ARG002 - see chess
        """Number of positions of the class that a match begins from; 0 where it is of no class."""
        return 0

    def starts_of(self, match: Match) -> str:
        """The label of what a match's units are played on: two matches with one label share starts or decks."""
        return match.draws

    def opening(self, dice: Dice, match: Any, unit: int) -> str:  # noqa: ARG002 - see draughts
        """What a unit of a match begins from, of a book of `openings`; nothing where the game has no book."""
        return ""

    def judgements(self, match: Any) -> Fraction:  # noqa: ARG002 - see chess
        """The expected number of questions to a seat before the first moves of a match."""
        return Fraction(0)

    def policy_departures(
        self,
        block: Any,  # noqa: ARG002 - see hold'em
        by_policy: Sequence[bool],  # noqa: ARG002
        rules: Any,  # noqa: ARG002
        dice: Dice,  # noqa: ARG002
    ) -> Iterator[PolicyDeparture]:
        """The first departure from its published policy, in each result, of each seat that plays by one.

        `by_policy`: whether it does, for the seats in the order of `Match.seats`.
        """
        return iter(())

    def observation(self, records: Sequence[Any], first: int, seat_index: int) -> str:
        """What a seat of `Match.seats` saw every other one do in a contest, in at most 600 characters.

        `records`: those of the contest, in order from number `first` of the match.
        """
        raise NotImplementedError

    def search_words(self, page: Page) -> str:
        """The search for notes that the harness makes before the decision on `page`. Raises ValueError."""
        raise NotImplementedError

    def remember(self, seats: Sequence[Player], records: Sequence[Any], first: int) -> Script[None]:
        """Give each seat with a memory its observation of a contest that is over. Call it in `script`."""
        for seat_index, player in enumerate(seats):
            if player.memory:
                content = self.observation(records, first, seat_index)
                yield from player.memory.observe(records[-1].game, content)

    def has_finishing_order(self, rules: Any) -> bool:  # noqa: ARG002 - see the sit-and-go
        """True if the outcomes of a result say in which order its seats finished, greatest first, and no more."""
        return False

    def order(self, record: Any, index: int) -> tuple[int, ...]:  # noqa: ARG002 - two seats alternate
        """The seats by place in a result, by their index. Tables of more than two say so in the record (`seating`)."""
        return alternating(index)

    def won(self, record: Any, index: int, seat_index: int) -> int:
        """1 where a seat won a result, with its team; 0 for neither; -1 where it lost."""
        place = self.order(record, index).index(seat_index)
        return self.won_by_team(record)[self.teams(record)[place]]

    def won_by_team(self, record: Any) -> dict[int, int]:
        """1 for each team that won a result, 0 for neither, -1 where it lost, by its number.

        It won with more than the greatest outcome of another team, and lost with less.
        """
        sums = dict[int, int]()
        for team, outcome in zip(self.teams(record), record.outcomes, strict=True):
            sums[team] = sums.get(team, 0) + outcome
        best = {team: _best_but(sums, team) for team in sums}
        return {team: (own > best[team]) - (own < best[team]) for team, own in sums.items()}

    def teams(self, record: Any) -> tuple[int, ...]:
        """The team of each place of a result, by number: a team wins and loses together. By default one each."""
        return tuple(range(len(record.outcomes)))

    def id_of(self, match: Match, number: int) -> str:
        """The name of a result of a match."""
        letter, digits = self.number
        return f"{match.id}-{letter}{number:0{digits}d}"

    def number_in(self, result: str) -> int:
        """The number of a result in its match, from its name."""
        return int(result.rpartition(f"-{self.number[0]}")[2])

    def name_of(self, match: Match, number: int) -> GameName:
        """The name of a result of a match, and the label of its hidden draws."""
        return GameName(self.id_of(match, number), f"{match.draws}/{number}")


def _best_but(sums: Mapping[int, int], team: int) -> int:
    """The greatest outcome of the other teams; a team alone has its own."""
    return max((outcome for other, outcome in sums.items() if other != team), default=sums[team])
