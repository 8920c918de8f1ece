"""The margins that a registration declares: by unit, how far apart the figures of two executions may be.

Level V4 asks that every figure has a margin, and nothing adds one once a plan is registered.
"""

from collections.abc import Iterator, Mapping

from agzamov_verify.experiment.matches import MEASURED, Arm
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.scoring.game_scoring import Played
from agzamov_verify.scoring.scorings import SCORINGS
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.show.views import VIEWS

from ..foundation.margin_form import require_form
from ..run.first_contact import NOT_SEALED


def units_of(plan: Plan) -> dict[str, str]:
    """The units of the figures of a plan that two executions are compared by, each with the figures in words.

    A match has the unit of its own result; a difference between arms that of the figure which the arms are scored by.
    """
    units = dict[str, str]()
    for match in plan.matches:
        game = SCORINGS[match.game].game
        units.setdefault(next(iter(VIEWS[match.game].unit_words)), f"results in {game.title}")
        if match.condition.arm is Arm.REAL:
            key = CellKey(match.measured, match.game, int(match.phase), seats=len(match.table))
            nothing_played = SCORINGS[match.game].cell(key, Played("", plan, match, MEASURED, ()))
            units.setdefault(nothing_played.measured().scale.unit, f"differences between arms in {game.title}")
    return units


def require_margins(margins: Mapping[str, str], plan: Plan, attempt: int = 1) -> None:
    """Raises ManifestError for margins that no registration can declare, or that no figure of the plan has.

    A later run of a study has those of its first one, which 0.3.0 took in any unit.
    """
    try:
        require_form(margins)
    except ManifestError as error:
        raise ManifestError(f"{error}; {NOT_SEALED}") from error
    units = units_of(plan)
    unknown = next((unit for unit in margins if unit not in units), "")
    if unknown and attempt == 1:
        raise ManifestError(f"--margin {unknown}: expected a unit of this plan: {', '.join(units)}; {NOT_SEALED}")


def lacking_margins(margins: Mapping[str, str], plan: Plan) -> Iterator[str]:
    """One warning for each unit of the plan without a margin, where others have one."""
    for unit, figures in units_of(plan).items():
        if margins and unit not in margins:
            named = f"'{unit}=NUMBER'" if " " in unit else f"{unit}=NUMBER"
            yield f"{figures} have no margin, so this run will not reach V4: add --margin {named}"
