"""Options of `agzamov plan` for hold'em: an effect in bb/100, the standard deviation of 100 hands."""

from fractions import Fraction
from typing import Final

from ...scoring.plan_options import GamePlanOptions, OptionKind, PlanOption

SESSION_SD: Final = "session_sd"
PLAN_OPTIONS: Final = GamePlanOptions(
    game="holdem",
    effect_name="poker",
    effect_max=Fraction(10_000),
    effect_example=("4", "bb/100"),
    assumed=(
        PlanOption(
            SESSION_SD, OptionKind.POSITIVE, "standard deviation of 100 hands without variance reduction, in bb/100"
        ),
    ),
)
