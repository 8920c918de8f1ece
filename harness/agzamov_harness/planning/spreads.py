"""Spread of results, for planning: from a pilot, from an option, or assumed with its source.

In games from uneven positions of Phase 5 both sides are taken to be equally good, so seat A holds as many positions as
its opponent. Of the games that the worse side does not lose, half are drawn and half won. A lost game lasts as long as
the engine's own from there. What differs between positions counts as spread, as it does where the analysis takes each
position for a unit.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from agzamov_verify.experiment.matches import UNEVEN, Match, PositionClass
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.scoring.game_planning import Given, PositionScorings
from agzamov_verify.scoring.plannings import PLANNINGS
from agzamov_verify.scoring.sample_sizes import CAREER_ICC, Assumed, Scoring

from .pilot_bundles import Correlation, Pilot

Spreads = Sequence[Sequence[Scoring]]
"""The scorings of a game by how widely results spread, one or three."""


class AssumedSpreads(NamedTuple):
    """The scorings of each game, and the correlation within careers.

    `against_policy`: more scorings of matches in which a player of a published policy sits on one side. `held`: the
    shares of games from uneven positions that the worse side does not lose, in the same order.
    """

    scorings: Mapping[str, Spreads]
    icc: Mapping[str, Assumed]
    against_policy: Mapping[str, Spreads]
    held: Mapping[str, Sequence[Assumed]]

    @property
    def performance(self) -> dict[str, list[Scoring]]:
        """The scoring of the paper's P in each game."""
        return {
            game: [methods[PLANNINGS[game].performance] for methods in spreads]
            for game, spreads in self.scorings.items()
        }

    def positions(self, match: Match) -> list[PositionScorings]:
        """The scorings of a match from an uneven class of positions; none of any other."""
        if match.part not in UNEVEN:
            return []
        planning, part = PLANNINGS[match.game], PositionClass(match.part)
        return [planning.position_scorings(part, held) for held in self.held[match.game]]

    def score(self, match: Match) -> list[Scoring]:
        """The scoring of a match by its first method, from starts or from a class of positions."""
        uneven = self.positions(match)
        return [one.score for one in uneven] if uneven else [methods[0] for methods in self.scorings[match.game]]


def assumed_spreads(plan: Plan, given: Given, pilot: Pilot | None) -> AssumedSpreads:
    """An option stands before a pilot, a pilot before what is assumed."""
    scorings, against_policy = {}, {}
    for game, planning in PLANNINGS.items():
        figures, rules = pilot.figures.get(game) if pilot else None, plan.rules_of(game)
        scorings[game] = planning.scorings(given, figures, rules)
        against_policy[game] = planning.policy_scorings(given, figures, rules)
    return AssumedSpreads(
        scorings,
        {game: _icc(game, given.get("icc"), pilot) for game in PLANNINGS},
        against_policy,
        {game: planning.held(given) for game, planning in PLANNINGS.items()},
    )


def _icc(game: str, option: Fraction | None, pilot: Pilot | None) -> Assumed:
    if option is not None:
        return Assumed(option, f"ICC of careers {float(option):g}: --icc")
    measured: Correlation | None = pilot.icc.get(game) if pilot else None
    if pilot is None or measured is None:
        return CAREER_ICC
    ends = f"95 % {float(measured.low):.3f} to {float(measured.high):.3f}"
    return Assumed(
        measured.value,
        f"ICC of careers {float(measured.value):.3f}: {ends}, {measured.careers} careers, {pilot.source}",
    )
