"""Planning figures of a game: a declared part of its folder, `planning`, for `agzamov plan`.

A game without it has no figures in a forecast but its calls, cost and time.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, TypeAlias

from ..experiment.matches import PositionClass
from ..table.game import Game
from .plan_options import GamePlanOptions
from .sample_sizes import Assumed, Scoring
from .units.cells import Cell

Given: TypeAlias = Mapping[str, Fraction]
"""Numbers that the command's options give, by name."""

Samples: TypeAlias = Mapping[str, Sequence[Sequence[Fraction]]]
"""By name of a figure: its values by unit, of each match."""


class Deviation(NamedTuple):
    """A pooled standard deviation with its 95 % interval, of so many units in so many matches."""

    value: Fraction
    low: Fraction
    high: Fraction
    units: int


class PilotFigures(NamedTuple):
    """What pilot bundles say of one game: deviations of its samples, shares as counts and their base."""

    deviations: Mapping[str, Deviation]
    shares: Mapping[str, tuple[int, int]]
    source: str


class PositionScorings(NamedTuple):
    """The scorings of a class of positions: points of score of a pair, recovery and survival of its worse game."""

    score: Scoring
    recovery: Scoring
    survival: Scoring


class GamePlanning(ABC):
    """How widely results of a game spread, and where that is known from.

    - `unit`: that of its tables, in words.
    - `performance`: the place of the protocol's figure of performance among a game's scorings.
    - `options`: those of `agzamov plan`, from the module `plan_options` of its folder.
    """

    game: ClassVar[Game]
    unit: ClassVar[str]
    performance: ClassVar[int]
    options: ClassVar[GamePlanOptions]

    @abstractmethod
    def samples(self, cells: Sequence[Cell]) -> Samples:
        """The values of a pilot's matches whose spread is pooled: of this game's own among the cells."""

    def shares(self, cells: Sequence[Cell]) -> Mapping[str, tuple[int, int]]:  # noqa: ARG002 - see chess
        """Shares that are counted over the same matches."""
        return {}

    @abstractmethod
    def scorings(self, given: Given, pilot: PilotFigures | None, rules: Any) -> Sequence[Sequence[Scoring]]:
        """All ways to score the game, by how widely results spread: one, or narrow, middle and wide.

        An option stands before a pilot, a pilot before what is assumed.
        """

    def policy_scorings(
        self,
        given: Given,  # noqa: ARG002 - see hold'em
        pilot: PilotFigures | None,  # noqa: ARG002
        rules: Any,  # noqa: ARG002
    ) -> Sequence[Sequence[Scoring]]:
        """More ways, of matches in which a player of a published policy sits on one side."""
        return ()

    def held(self, given: Given) -> Sequence[Assumed]:  # noqa: ARG002 - see chess
        """Shares of games from uneven positions that the worse side does not lose, in the same order."""
        return ()

    def position_scorings(self, part: PositionClass, held: Assumed) -> PositionScorings:
        """The scorings of an uneven class of positions where the worse side does not lose this share of games."""
        raise NotImplementedError

    @abstractmethod
    def assumptions(self, *, with_policy: bool) -> str:
        """Everything else that is assumed, in words. `with_policy`: `policy_scorings` are printed too."""


def ends(pooled: Deviation) -> tuple[tuple[Fraction, str], ...]:
    """Low end, value and high end, each with its name."""
    return (
        (pooled.low, "low end of its 95 % interval"),
        (pooled.value, "measured"),
        (pooled.high, "high end of its 95 % interval"),
    )
