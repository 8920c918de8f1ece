"""Options of `agzamov plan` for chess: an effect in points of score, the shares of games drawn and held."""

from fractions import Fraction
from typing import Final

from ...scoring.plan_options import GamePlanOptions, OptionKind, PlanOption

PLAN_OPTIONS: Final = GamePlanOptions(
    game="chess960",
    effect_name="chess",
    effect_max=Fraction(1, 2),
    effect_example=("0.05", "score"),
    assumed=(
        PlanOption("draws", OptionKind.SHARE, "share of chess games drawn"),
        PlanOption("held", OptionKind.PART, "share of games from uneven positions that the worse side does not lose"),
    ),
)
