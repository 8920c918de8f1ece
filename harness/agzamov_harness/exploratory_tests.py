"""The exploratory hypotheses that a formula plans, as designs of tests: E3 in Phase 5, E4 and draft-H4 in Phase 3.

An exploratory hypothesis is found by Benjamini and Hochberg's q over its family, in which one that is not tested counts
as p = 1. So one that is found by itself needs p below alpha over the size of the family, and is planned at that level.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from agzamov_verify.analysis_plan import HypothesisId
from agzamov_verify.experiment import Augmentation, Match, Phase, Trait
from agzamov_verify.manifest import Plan
from agzamov_verify.position_classes import PositionClass
from agzamov_verify.scoring.hypotheses.registry import BY_ID, REGISTRY, Family
from agzamov_verify.scoring.planning import Scoring
from agzamov_verify.scoring.score_constants import CHESS
from agzamov_verify.scoring.score_constants import GAMES as SCORED

from .assumed_spreads import AssumedSpreads
from .contrast_design import ONE, Contrasts, DeclaredTest, Weighted, mean_delta
from .declared_tests import POWER_OF_EACH
from .planned_arms import Delta, PlannedArms

OTHER_CLASSES: Final = (PositionClass.EQUAL, PositionClass.SEVERE)
TRAITS: Final = {
    HypothesisId.E4: (Trait.TEMPORAL, Trait.UNIFORM),
    HypothesisId.DRAFT_H4: (Trait.SEMANTIC, Trait.FULL_TEXT),
}
"""The better and the worse system of a hypothesis on an arms race."""


def family_alpha(plan: Plan, family: Family) -> Fraction:
    """The level at which one hypothesis of a family is found by itself."""
    needed = {BY_ID[name].same_as or name for name in plan.analysis.hypotheses}
    tested = [one for one in REGISTRY if one.contrast and one.family is family and one.id in needed]
    return Fraction(plan.analysis.alpha) / max(1, len(tested))


class ExploratoryTests:
    """Detectable effects of a plan's exploratory hypotheses; those for which it has no arms are left out."""

    def __init__(self, plan: Plan, spreads: AssumedSpreads) -> None:
        self._plan, self._spreads, self._arms = plan, spreads, PlannedArms(plan)
        icc = {game: icc.value for game, icc in spreads.icc.items()}
        self._performance = Contrasts(plan, lambda match: spreads.performance[match.game], icc)
        self._score = Contrasts(plan, self._score_of, icc)

    def all(self) -> Iterator[DeclaredTest]:
        """Those that the plan declares and has arms for."""
        declared = self._plan.analysis.hypotheses
        if HypothesisId.E3 in declared and (test := self._slight_gains_most()):
            yield test
        for name, traits in TRAITS.items():
            if name in declared and (test := self._trait_beats(name, *traits)):
                yield test

    def _score_of(self, match: Match) -> list[Scoring]:
        return self._spreads.score(match)

    def _slight_gains_most(self) -> DeclaredTest | None:
        """The delta of memory from slight positions less that from equal and less that from severe ones, in points."""
        deltas = {part: self._deltas(part) for part in (PositionClass.SLIGHT, *OTHER_CLASSES)}
        if not all(deltas.values()):
            return None
        slight = mean_delta(deltas[PositionClass.SLIGHT])
        against = {part: mean_delta(deltas[part], -ONE, is_moved=False) for part in OTHER_CLASSES}
        contrasts = {f"slight less {part.value}": [slight, groups] for part, groups in against.items()}
        return self._jointly(HypothesisId.E3, self._score, contrasts, "against both other classes")

    def _deltas(self, part: PositionClass) -> list[Delta]:
        return self._arms.deltas(CHESS, Augmentation.MEMORY, phase=Phase.STRESS, part=part.value)

    def _trait_beats(self, name: HypothesisId, better: Trait, worse: Trait) -> DeclaredTest | None:
        """Systems of one trait less systems of another, of the same model in Phase 3."""
        tests = {}
        for game in SCORED:
            real = self._arms.real(game, Phase.ARMS_RACE)
            good, bad = ([match for match in real if self._has(match, trait)] for trait in (better, worse))
            pairs = [Delta(one, other) for one in good for other in bad if one.a == other.measured]
            if not pairs:
                return None
            tests[game] = [mean_delta(pairs)]
        return self._jointly(name, self._performance, tests, "in each game")

    def _has(self, match: Match, trait: Trait) -> bool:
        return trait in self._plan.systems[match.condition.system].traits

    def _jointly(
        self, name: HypothesisId, contrasts: Contrasts, tests: Mapping[str, list[list[Weighted]]], where: str
    ) -> DeclaredTest:
        """All of the tests must succeed; `tests`: by game, or by the arms that they compare."""
        for parts in tests.values():
            if refusal := contrasts.too_few(parts):
                return DeclaredTest(name, "", (), refusal)
        family = BY_ID[name].family
        alpha = family_alpha(self._plan, family)
        rows = []
        for compared, parts in tests.items():
            row = contrasts.row(parts, alpha, POWER_OF_EACH)
            rows.append(row if compared == row.game else row._replace(unit=f"points, {compared}"))
        test = f"one-sided t at {float(alpha):.2g} {where}, 80 % for both together; exploratory, the first found by q"
        return DeclaredTest(name, test, tuple(rows))
