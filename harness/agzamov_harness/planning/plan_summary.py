"""The first screen of `agzamov plan`: what the run takes, in one line; what it can show in each game; warnings."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from agzamov_verify.core.columns import listed, paragraph
from agzamov_verify.experiment.analysis_plan import PRIMARY
from agzamov_verify.experiment.matches import Arm, Match, Phase
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.early_stopping import open_ended
from agzamov_verify.scoring.inference.estimate import needs
from agzamov_verify.scoring.plannings import PLANNINGS
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.seats import KINDS
from agzamov_verify.show.views import condition_words, size_words
from agzamov_verify.table.registry import GAMES

from ..run.assumptions import Assumptions, option_of
from .forecast import Forecast, MatchGroup
from .full_strength import pilot_warnings
from .plan_warnings import gate_words, impossible_gate, lacks_naked, plan_warnings
from .shortest_time import shortest_time
from .study_forecast import study_forecast_lines
from .workload import Load

UNKNOWN_COST: Final = "cost unknown"
LITTLE: Final = "less than 1 min"
MILLION: Final = 10**6
SOON_S: Final = 600
"""A shorter time than ten minutes is no matter."""
NOTHING: Final = "this plan can show nothing, whatever the model does: it compares no arms, or in too few games"
NO_EFFECT: Final = "any effect"
"""What is missed where no effect is great enough to be found."""
NAMED_MAX: Final = 3
"""Arms that a line names; more are counted."""


def summary_lines(forecast: Forecast) -> Iterator[str]:
    """The first screen: one line of totals, the title, one or two lines a game, warnings."""
    yield load_line(forecast.load, forecast.assumptions)
    yield from _assumed(forecast.load, forecast.assumptions)
    yield ""
    yield from paragraph("Plan", forecast.plan.title)
    if forecast.study:
        yield from paragraph("People", " ".join(study_forecast_lines(forecast.study)))
    else:
        for game in dict.fromkeys(match.game for match in forecast.plan.matches):
            yield from paragraph(GAMES[game].title, " ".join(dict.fromkeys(_of_game(game, forecast))))
    yield from _shortest(forecast)
    if forecast.load.planted.calls:
        yield from paragraph("Planted", f"{forecast.load.planted.words}: counted in the totals")
    by_pilot = pilot_warnings(forecast.plan, forecast.pilot.engines) if forecast.pilot else ()
    for warning in (*plan_warnings(forecast.plan), *_budget_warnings(forecast), *by_pilot):
        yield from paragraph("WARNING", warning)
    if nothing_to_show(forecast):
        yield from paragraph("WARNING", NOTHING)


def _budget_warnings(forecast: Forecast) -> Iterator[str]:
    """That a budget is less than what is forecast of the seats with a price."""
    most = forecast.plan.budget.cost_usd_max
    cost = sum((seat.cost_usd or Fraction(0) for seat in forecast.load.seats), Fraction(0))
    if 0 < Fraction(most) < cost:
        yield (
            f"the budget of {most} USD is less than the forecast of {usd(cost)}: the run will probably stop before its"
            " end, and cannot go on, since the budget is sealed with the plan"
        )


def nothing_to_show(forecast: Forecast) -> bool:
    """True of a plan without any comparison that could have a result: too few games everywhere, or self-play alone.

    Phase 0 has a result if it can be passed. What later phases can show is not judged here.
    """
    plan = forecast.plan
    if any(match.phase not in (Phase.SANITY, Phase.BASELINE, Phase.ASYMMETRIC) for match in plan.matches):
        return False
    if any(not match.phase and not impossible_gate(match, plan) for match in plan.matches):
        return False
    if any(match.phase == Phase.BASELINE and len(set(match.seats)) > 1 for match in plan.matches):
        return False
    return not any(_can_show(group, plan) for group in forecast.groups)


def _can_show(group: MatchGroup, plan: Plan) -> bool:
    """True of arms of which a possible effect would be found, or of which nobody knows how widely results spread."""
    if not _compared(_real(group), plan) or group.why_none:
        return False
    if not group.rows:
        return group.matches[0].game not in PLANNINGS
    units = group.rows[0]
    return not _too_few_units(group, plan) and units.two_arms[len(units.two_arms) // 2] is not None


def _too_few_units(group: MatchGroup, plan: Plan) -> str:
    """Of a match without careers, the units that are too few for an interval, in words; empty where they are enough."""
    scoring, match = group.rows[0].scoring, group.matches[0]
    units = match.planned // scoring.unit_results
    least = load_score_constants(plan.protocol).clusters.least(scoring.unit.removeprefix("points of "))
    return "" if group.careers or units >= least else needs(f"{GAMES[match.game].unit.counted(units)} an arm", least)


def _shortest(forecast: Forecast) -> Iterator[str]:
    """How fast any number of machines could play the plan, where that is not soon."""
    found = shortest_time(forecast.plan, forecast.assumptions)
    if found is None or found.seconds < SOON_S or _asks_people(forecast.load):
        return
    match = found.longest
    stream = "career" if match.careers else "block"
    size = size_words(min(match.stream_results, match.planned), match.game)
    each = f"{float(forecast.assumptions.seconds_per_call):g} s"
    said = (
        f"{hours(found.seconds)} at {each} a call, on any number of machines: a {stream} of {size} is played in turn"
        f" ({found.calls:,} calls). More than {found.in_flight:,} calls in flight save no time."
    )
    yield from paragraph("Shortest", " ".join((said, *_more_careers(forecast))))


def _more_careers(forecast: Forecast) -> Iterator[str]:
    """How much sooner the plan could end with more and shorter careers, and what they change."""
    if not (shorter := forecast.shorter):
        return
    sizes = " and ".join(f"{one.most} careers of {size_words(one.results, one.game)}" for one in shorter.games)
    yield f"With {sizes} it would be {hours(shorter.time.seconds)}."
    for one in shorter.games:
        effects = NO_EFFECT if one.effect_most is None else f"effects below {one.effect_most:.3g} {one.scoring.unit}"
        before = NO_EFFECT if one.effect_planned is None else f"below {one.effect_planned:.3g}"
        planned = f"{before} in {one.planned} career{'' if one.planned == 1 else 's'}"
        yield f"H1 in {GAMES[one.game].title} would then probably miss {effects} ({planned})."
    careers = load_protocol(forecast.plan.protocol).comparable.careers
    compared = ""
    if any(one.most != careers for one in shorter.games):
        compared = f", and the score could not be compared with those of the protocol's {careers} careers"
    yield f"But each memory would have fewer results to learn from{compared}."


def load_line(load: Load, assumptions: Assumptions) -> str:
    """Calls, tokens, cost and time: `1,120 calls · 0.3 M tokens · 0.00 USD · about 21 min at 3 s a reply`."""
    time = hours(load.wall_s)
    about = f"{time if time == LITTLE else f'about {time}'}{_each(load, assumptions)}"
    if _asks_people(load):
        about += ", and the time that people take"
    return " · ".join((f"{load.calls:,} calls", _tokens(load.tokens), _cost(load), about))


def _each(load: Load, assumptions: Assumptions) -> str:
    return f" at {float(assumptions.seconds_per_call):g} s a reply" if _asks_models(load) else ""


def _assumed(load: Load, assumptions: Assumptions) -> Iterator[str]:
    """A line that says that the time of a reply is a guess, where nobody gave another one."""
    guess = Assumptions()
    if _asks_models(load) and assumptions.seconds_per_call == guess.seconds_per_call:
        each = f"{float(guess.seconds_per_call):g} s a reply is a guess"
        yield f"({each}; a measured speed: {option_of('seconds_per_call')} N, {option_of('reply_tokens')} N)"


def _asks_models(load: Load) -> bool:
    return any(seat.calls and KINDS[seat.kind].is_model for seat in load.seats)


def _asks_people(load: Load) -> bool:
    return any(seat.calls and KINDS[seat.kind].is_person for seat in load.seats)


def _tokens(tokens: int) -> str:
    if not tokens:
        return "no tokens"
    # From 50,000 tokens on, tenths of a million: 0.1 M.
    return f"{tokens:,} tokens" if tokens < MILLION // 20 else f"{tokens / MILLION:,.1f} M tokens"


def _cost(load: Load) -> str:
    """US dollars, or which seats have no price."""
    if load.cost_usd is not None:
        return usd(load.cost_usd)
    unpriced = [seat.seat for seat in load.seats if seat.cost_usd is None]
    has_prices = any(seat.cost_usd for seat in load.seats)
    which = f"add {listed(unpriced)} to prices:" if has_prices else "add prices:"
    return f"{UNKNOWN_COST} ({which})"


def usd(cost: Fraction) -> str:
    """US dollars, in words."""
    return f"{float(cost):,.2f} USD"


def hours(seconds: Fraction) -> str:
    """A duration in minutes, from two hours on in hours."""
    minutes = float(seconds) / 60
    if minutes < 1:
        return LITTLE
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:,.1f} h"


# --- what each game can show ---------------------------------------------------------------------


def _of_game(game: str, forecast: Forecast) -> Iterator[str]:
    """One or two sentences."""
    plan = forecast.plan
    gates = [match for match in plan.matches if match.game == game and not match.phase]
    for match in gates:
        if (words := gate_words(match, plan)) and not impossible_gate(match, plan):
            yield f"Phase 0 is {words}."
    groups = [group for group in forecast.groups if group.matches[0].game == game]
    for group in groups:
        yield from _of_group(group, plan)
    if not groups:
        yield "Phase 0 alone: no comparison, so no effect." if gates else ""


def _of_group(group: MatchGroup, plan: Plan) -> Iterator[str]:
    first = group.matches[0]
    size = GAMES[first.game].result.counted(first.planned)
    real = _real(group)
    if first.phase == Phase.ASYMMETRIC and real:
        compared, alone = _compared(real, plan), [match for match in real if lacks_naked(match, plan)]
        if compared:
            yield f"{_names(compared)} against none, {size} each: {_effect(group, plan)}."
        if early := [match for match in real if match not in compared and match not in alone]:
            yield f"{_names(early)}, {size} at most: no effect, since an arm may end early by its results."
        if alone:
            yield f"{_names(alone)}, {size} each: no effect, since nothing without it is played."
    elif first.phase == Phase.BASELINE:
        yield f"Phase 1: {size} of self-play, a baseline."
    elif first.phase != Phase.ASYMMETRIC:
        yield f"Phase {first.phase:d}: {size} each; what they can show: --details."


def _real(group: MatchGroup) -> list[Match]:
    return [match for match in group.matches if match.condition.arm is Arm.REAL]


def _compared(real: Sequence[Match], plan: Plan) -> list[Match]:
    """The real arms that are compared with none: both arms are played, and no result of theirs may end one early."""
    early = open_ended(plan)
    fixed = msgspec.structs.replace(plan, matches=tuple(match for match in plan.matches if match.id not in early))
    return [match for match in real if match.id not in early and not lacks_naked(match, fixed)]


def _names(matches: Sequence[Match]) -> str:
    named = [condition_words(match.condition).strip().removeprefix("with ") for match in matches]
    more = f" and {len(named) - NAMED_MAX} more" if len(named) > NAMED_MAX else ""
    return ", ".join(named[:NAMED_MAX]) + more


def _effect(group: MatchGroup, plan: Plan) -> str:
    """The least effect of two arms that is found, at the middle standard deviation; or why there is no interval."""
    if group.why_none:
        return f"no interval ({group.why_none})"
    if not group.rows:
        return "what effect would be found is not known, nor how widely its results spread"
    norm, units = load_protocol(plan.protocol), group.rows[0]
    least = norm.verdict.careers_min
    undecided = 0 < group.careers < least
    if few := _too_few_units(group, plan):
        return f"no interval ({few})"
    effect = units.two_arms[len(units.two_arms) // 2]
    if effect is None:
        return "too few: no possible effect would be found"
    shown = f"{effect:.2g}" if effect < 10 else f"{effect:.0f}"
    level = 100 * Fraction(plan.analysis.alpha) / PRIMARY
    missed = f"an effect below {shown} {units.scoring.unit} would probably be missed at {float(level):g} %, one-sided"
    return f"{missed}; no hypothesis is decided ({group.careers} careers, fewer than {least})" if undecided else missed
