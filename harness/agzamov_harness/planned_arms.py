"""The matches of a plan as the analysis takes them: which count in hypotheses, are compared, or share their starts."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from agzamov_verify.experiment import Arm, Augmentation, Match, Phase
from agzamov_verify.manifest import Plan
from agzamov_verify.scoring.score_constants import CHESS
from agzamov_verify.scoring.sequential_monitoring import open_ended
from agzamov_verify.seats import benchmark_sides


class Delta(NamedTuple):
    """A real arm, and the arm that it is compared with."""

    real: Match
    other: Match


class PlannedArms:
    """The matches that hypotheses rest on: of fixed length, without the benchmark player, at temperature 0."""

    def __init__(self, plan: Plan) -> None:
        by_benchmark = (match.id for match in plan.matches if benchmark_sides(match.seats, plan.seats))
        repeated = (match.id for match in plan.matches if match.measured in plan.repeats)
        left_out = {*open_ended(plan), *by_benchmark, *repeated}
        self.plan = plan
        self.matches = [match for match in plan.matches if match.id not in left_out]

    def real(self, game: str, phase: Phase = Phase.ASYMMETRIC) -> list[Match]:
        """The real arms of a game in a phase."""
        return [
            match for match in self.matches if (match.game, match.phase, match.condition.arm) == (game, phase, Arm.REAL)
        ]

    def deltas(
        self,
        game: str,
        augmentation: Augmentation | None = None,
        against: Arm = Arm.NAKED,
        phase: Phase = Phase.ASYMMETRIC,
        part: str = "",
    ) -> list[Delta]:
        """Real arms with the arm that each is compared with; those without one are left out."""
        return [
            Delta(real, other)
            for real in self.real(game, phase)
            if augmentation in (None, real.condition.augmentation) and real.part == part
            if (other := self._other(real, against))
        ]

    def _other(self, real: Match, against: Arm) -> Match | None:
        """The arm of the same system if that has its own, else the common one."""
        condition = real.condition
        by_system = {
            match.condition.system: match
            for match in self.matches
            if (match.measured, match.game, match.phase, match.part)
            == (real.measured, real.game, real.phase, real.part)
            and (match.condition.augmentation, match.condition.arm) == (condition.augmentation, against)
        }
        return by_system.get(condition.system) or by_system.get("")


def careers_of(match: Match) -> int:
    """Careers whose results depend on each other: none where no seat has anything that lasts from game to game."""
    return 0 if all(condition.arm is Arm.NAKED for condition in match.conditions) else match.careers


def share_starts(matches: Sequence[Match]) -> bool:
    """True if unit k of all is played on the same start or decks, in as many careers where there are any.

    As `Units.pairs_with`: chess of one run has its starts in common, hold'em the decks of the same seats in one phase.
    """
    return all(_starts(first) == _starts(other) and _alike(first, other) for first, other in combinations(matches, 2))


def _starts(match: Match) -> tuple[str, int, str]:
    return match.game, match.planned, match.part if match.game == CHESS else match.draws


def _alike(first: Match, other: Match) -> bool:
    careers = careers_of(first), careers_of(other)
    return not all(careers) or careers[0] == careers[1]


def _place(match: Match) -> tuple[str, str, int, str]:
    return match.measured, match.game, match.phase, match.part
