"""The scoring halves of the games, by name."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias, Union

from ..table.registry import NAMES, half
from .game_scoring import GameScoring
from .match_figures import MatchAnalysis
from .units.counts import Counts

SCORINGS: Final[Mapping[str, GameScoring]] = {name: half(name, "scoring") for name in NAMES}

if TYPE_CHECKING:  # the types that depend on which games there are
    AnyCounts: TypeAlias = Counts
    AnyAnalysis: TypeAlias = MatchAnalysis
else:
    AnyCounts = Union[tuple(scoring.counts for scoring in SCORINGS.values())]  # noqa: UP007 - made from a list
    AnyAnalysis = Union[tuple(scoring.analysis for scoring in SCORINGS.values())]  # noqa: UP007 - made from a list
