"""Options of `agzamov plan` that belong to a game: effects that it can be asked about, numbers that may be assumed.

A game with a module `planning` has them in a module `plan_options` of its folder, apart from all that computes, so that
the help of the command loads no game.
"""

from enum import Enum, auto
from fractions import Fraction
from typing import NamedTuple


class OptionKind(Enum):
    """The numbers that an option takes."""

    POSITIVE = auto()
    SHARE = auto()
    """From 0 to below 1."""
    PART = auto()
    """Between 0 and 1, neither of them."""


class PlanOption(NamedTuple):
    """A number that a user may assume in the place of the game's own."""

    name: str
    kind: OptionKind
    meaning: str


class GamePlanOptions(NamedTuple):
    """The options of a game.

    `effect_name`, `effect_max`: an effect as `--effect NAME=NUMBER`, and the greatest; `effect_example`: a number with
    its unit.
    """

    game: str
    effect_name: str
    effect_max: Fraction
    effect_example: tuple[str, str]
    assumed: tuple[PlanOption, ...]
