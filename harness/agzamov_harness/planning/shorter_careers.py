"""More careers of the same results, each shorter: how much sooner a plan could end, and what that changes in its power.

The games of a career are played in turn, so careers bound the time of a run on many machines. The number can be raised
while every match of the game can be cut into as many careers of whole units, none shorter than the protocol's least
(`verdict.career_units_min`). Where an opponent's strategy is forced to change within a career, its length is part of
the design, and stays.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import unit_results
from agzamov_verify.scoring.departures import too_short
from agzamov_verify.scoring.inference.exact import square_root
from agzamov_verify.scoring.sample_sizes import POWER, Scoring, detectable, two_arms

from ..run.assumptions import Assumptions
from .shortest_time import ShortestTime, shortest_time


class MoreCareers(NamedTuple):
    """In one game: careers as planned and at most, results of each at most, and the effects that H1's test detects.

    Effects are in the scoring's unit, None where no effect is great enough.
    """

    scoring: Scoring
    game: str
    planned: int
    most: int
    results: int
    effect_planned: float | None
    effect_most: float | None


class ShorterCareers(NamedTuple):
    """The shortest time of the plan with the most careers in each game, and what they are."""

    time: ShortestTime
    games: tuple[MoreCareers, ...]


def shorter_careers(
    plan: Plan, assumptions: Assumptions, scorings: dict[str, Scoring], icc: dict[str, Fraction], alpha: Fraction
) -> ShorterCareers | None:
    """What more careers would change; None where no game can have more, or the plan would end no sooner.

    `scorings`: how results of a game spread. `icc`: the share of variance between careers. `alpha`: of H1's test.
    """
    games = tuple(_more(plan, scorings, icc, alpha))
    if not games:
        return None
    most = {one.game: one.most for one in games}
    matches = tuple(_with_careers(match, most.get(match.game, match.careers)) for match in plan.matches)
    before, after = shortest_time(plan, assumptions), shortest_time(replace(plan, matches=matches), assumptions)
    return ShorterCareers(after, games) if before and after and after.seconds < before.seconds else None


def effect_of_h1(scoring: Scoring, results: int, alpha: Fraction, careers: int, icc: Fraction) -> float | None:
    """The least effect that H1's test finds, if the results of each arm are so many careers; None: none is enough.

    H1 needs its test in both games, so each has the square root of the power.
    """
    return detectable(two_arms(scoring, results, alpha, careers, icc), square_root(POWER))


def _more(plan: Plan, scorings: dict[str, Scoring], icc: dict[str, Fraction], alpha: Fraction) -> Iterator[MoreCareers]:
    for game, scoring in scorings.items():
        in_careers = [match for match in plan.matches if match.game == game and match.careers]
        most = _most(in_careers, plan)
        if not in_careers or most <= in_careers[0].careers:
            continue
        first = in_careers[0]
        of_planned, of_most = (
            effect_of_h1(scoring, first.planned, alpha, careers, icc[game]) for careers in (first.careers, most)
        )
        yield MoreCareers(scoring, game, first.careers, most, first.planned // most, of_planned, of_most)


def _most(matches: list[Match], plan: Plan) -> int:
    """The greatest number of careers that all these matches can have; 0 where their length must stay."""
    if any(match.shifts for match in matches):
        return 0
    longest = max((match.planned for match in matches), default=0)
    return max((number for number in range(1, longest + 1) if _fits(number, matches, plan)), default=0)


def _fits(careers: int, matches: list[Match], plan: Plan) -> bool:
    """True if each match is so many careers of whole units, none of them too short for an interval."""
    return all(
        match.planned % (careers * unit_results(match, plan)) == 0
        and not too_short(_with_careers(match, careers), plan)
        for match in matches
    )


def _with_careers(match: Match, careers: int) -> Match:
    return replace(match, careers=careers) if match.careers else match
