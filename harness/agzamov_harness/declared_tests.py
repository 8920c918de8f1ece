"""The tests of means that a plan declares (H1 to H4), as designs: which effect each finds, or why it cannot be made.

The contrasts are those of `scoring.hypotheses.primary`, by the matches of the plan in place of played cells.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from agzamov_verify.analysis_plan import PRIMARY, HypothesisId
from agzamov_verify.experiment import Arm, Augmentation, Match
from agzamov_verify.manifest import Plan
from agzamov_verify.scoring.exact import square_root
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.planning import POWER, Design, Scoring, detectable
from agzamov_verify.scoring.score_constants import CHESS, POKER, load_score_constants
from agzamov_verify.scoring.score_constants import GAMES as SCORED

from .contrast_design import ONE, Contrasts, DeclaredTest, Row, Weighted, mean_delta
from .planned_arms import Delta, PlannedArms

NO_ARM: Final = "cannot be tested: the plan has no Phase 2 match with a real arm"
SINGLE: Final = (Augmentation.MEMORY, Augmentation.TOOLS, Augmentation.RAG)
POWER_OF_EACH: Final = square_root(POWER)
"""Power of each of two tests of which both must succeed: an effect as great as planned in both is found in both."""


class Tests:
    """The declared tests of one plan, with the spreads and the intraclass correlation that are assumed.

    `performance`: the scorings of the paper's P in each game, by how widely results spread.
    """

    def __init__(self, plan: Plan, performance: Mapping[str, Sequence[Scoring]], icc: Mapping[str, Fraction]) -> None:
        self._plan, self._performance, self.arms = plan, performance, PlannedArms(plan)
        self._alpha = Fraction(plan.analysis.alpha) / PRIMARY
        self._contrasts = Contrasts(plan, lambda match: performance[match.game], icc)

    def all(self) -> Iterator[DeclaredTest]:
        """The declared confirmatory hypotheses, in their order."""
        planned = {
            HypothesisId.H1: self._helps,
            HypothesisId.H2: self._beats_placebo,
            HypothesisId.H3: self._differs_by_game,
            HypothesisId.H4: self._synergy,
            HypothesisId.H5: self._speed,
        }
        has_real_arm = any(self.arms.real(game) for game in self._plan.games)
        for name, test in planned.items():
            if name in self._plan.analysis.hypotheses:
                yield test(name) if has_real_arm else DeclaredTest(name, "", (), NO_ARM)

    def _parts(self, stacks: Sequence[Delta], kind: Augmentation) -> list[Delta]:
        """The delta alone of the part of each full stack that is of a kind; less where one was not played."""
        return [
            delta
            for full, _ in stacks
            for delta in self.arms.deltas(full.game, kind)
            if delta.real.measured == full.measured
            and self._plan.systems[full.condition.system].parts.get(delta.real.condition.system) is kind
        ]

    def _helps(self, name: HypothesisId) -> DeclaredTest:
        deltas = {game: self.arms.deltas(game) for game in SCORED}
        return self._both(name, deltas, "a Phase 2 real arm and its naked control in chess and hold'em")

    def _beats_placebo(self, name: HypothesisId) -> DeclaredTest:
        deltas = {game: self.arms.deltas(game, Augmentation.MEMORY, Arm.PLACEBO) for game in SCORED}
        return self._both(name, deltas, "Phase 2 memory, real and placebo, in chess and hold'em")

    def _both(self, name: HypothesisId, deltas: Mapping[str, Sequence[Delta]], needs: str) -> DeclaredTest:
        if not all(deltas.values()):
            return DeclaredTest(name, "", (), f"cannot be tested: needs {needs}")
        return self._jointly(name, {game: [mean_delta(pairs)] for game, pairs in deltas.items()})

    def _synergy(self, name: HypothesisId) -> DeclaredTest:
        contrasts = {}
        for game in SCORED:
            stacks = self.arms.deltas(game, Augmentation.FULL)
            alone = [self._parts(stacks, kind) for kind in SINGLE]
            if not stacks or any(len(deltas) != len(stacks) for deltas in alone):
                needs = "Phase 2 full and its memory, tools and rag alone, real and naked, in chess and hold'em"
                return DeclaredTest(name, "", (), f"cannot be tested: needs {needs}")
            contrasts[game] = [mean_delta(stacks), *(mean_delta(deltas, -ONE, is_moved=False) for deltas in alone)]
        return self._jointly(name, contrasts)

    def _jointly(self, name: HypothesisId, contrasts: Mapping[str, Sequence[Sequence[Weighted]]]) -> DeclaredTest:
        """Effects detected in both games together: each game has the root of the power."""
        for parts in contrasts.values():
            if refusal := self._contrasts.too_few(parts):
                return DeclaredTest(name, "", (), refusal)
        rows = tuple(self._contrasts.row(parts, self._alpha, POWER_OF_EACH) for parts in contrasts.values())
        test = f"one-sided t at {float(self._alpha):g} in each game, 80 % for both together"
        return DeclaredTest(name, test, rows)

    def _differs_by_game(self, name: HypothesisId) -> DeclaredTest:
        """Of each game all deltas together, since they share a control."""
        deltas = {game: self.arms.deltas(game) for game in SCORED}
        settings = [{_setting(real) for real, _ in pairs} for pairs in deltas.values()]
        settings_of_both = set.intersection(*settings)
        if not settings_of_both:
            needs = "one Phase 2 augmentation of one system, real and naked, in chess and hold'em"
            return DeclaredTest(name, "", (), f"cannot be tested: needs {needs}")
        constants = load_score_constants(self._plan.protocol)
        scale = {game: constants.delta_max(game) for game in SCORED}
        parts = [
            mean_delta([delta for delta in pairs if _setting(delta.real) in settings_of_both], 1 / scale[game])
            for game, pairs in deltas.items()
        ]
        parts = [[group._replace(is_moved=False) for group in groups] for groups in parts]
        if refusal := self._contrasts.too_few(parts):
            return DeclaredTest(name, "", (), refusal)
        effects = []
        for index in range(max(map(len, self._performance.values()))):
            reach = sum((self._reach(game, index) / scale[game] for game in SCORED), Fraction(0))
            blocks = tuple(self._contrasts.blocks(parts, index))
            effects.append(detectable(Design(blocks, self._alpha, Alternative.TWO_SIDED, reach)))
        row = Row("", "shares of delta_max", self._contrasts.over(parts), tuple(effects))
        most = f"{float(scale[CHESS]):g} points of win rate, {float(scale[POKER]):g} bb/100"
        return DeclaredTest(name, f"two-sided t at {float(self._alpha):g}; delta_max: {most}", (row,))

    def _reach(self, game: str, index: int) -> Fraction:
        scorings = self._performance[game]
        return scorings[min(index, len(scorings) - 1)].reach

    def _speed(self, name: HypothesisId) -> DeclaredTest:
        deltas = [delta for game in SCORED for delta in self.arms.deltas(game)]
        places = [(real.measured, real.game, real.condition.augmentation) for real, _ in deltas]
        if len(set(places)) == len(places):
            needs = "two systems of one model and augmentation in Phase 2, real and naked, in one game"
            return DeclaredTest(name, "", (), f"cannot be tested: needs {needs}")
        return DeclaredTest(name, "", (), "no figure: the order of two courses is tested, which no formula plans")


def _setting(match: Match) -> tuple[str, str, str]:
    return match.measured, match.condition.augmentation, match.condition.system
