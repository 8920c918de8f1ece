"""The hypotheses of a plan as designs of tests: which effect each finds, or why it cannot be made.

H1 to H4 are tests of means by the contrasts of `scoring.hypotheses.primary`, by the matches of the plan in place of
played cells. E3 in Phase 5, E4 and draft-H4 in Phase 3 are exploratory: found by Benjamini and Hochberg's q over their
family, in which one that is not tested counts as p = 1. So one that is found by itself needs p below alpha over the
size of the family, and is planned at that level.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from agzamov_verify.experiment.analysis_plan import PRIMARY, HypothesisId
from agzamov_verify.experiment.matches import Arm, Augmentation, Match, Phase, PositionClass, Trait
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.scoring.hypotheses.declarations import BY_ID, REGISTRY, Family
from agzamov_verify.scoring.inference.exact import square_root
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.sample_sizes import POWER, Design, Scoring, detectable
from agzamov_verify.scoring.units.score_constants import CHESS, POKER, load_score_constants
from agzamov_verify.scoring.units.score_constants import SCORED_GAMES as SCORED

from .contrasts import ONE, ArmPair, Contrasts, DeclaredTest, LeastEffect, PlannedArms, WeightedMatch, mean_delta
from .equivalence_tests import Equivalence, equivalence, why_hardly
from .spreads import AssumedSpreads

ONE_ARM: Final = "one arm by itself"
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

    def _parts(self, stacks: Sequence[ArmPair], kind: Augmentation) -> list[ArmPair]:
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

    def _both(self, name: HypothesisId, deltas: Mapping[str, Sequence[ArmPair]], needs: str) -> DeclaredTest:
        if not all(deltas.values()):
            return DeclaredTest(name, "", (), f"cannot be tested: needs {needs}")
        test = self._jointly(name, {game: [mean_delta(pairs)] for game, pairs in deltas.items()})
        return test._replace(rows=tuple(self._whose(test.rows, deltas)))

    def _whose(self, rows: Sequence[LeastEffect], deltas: Mapping[str, Sequence[ArmPair]]) -> Iterator[LeastEffect]:
        """The rows with the arms that have the effect, and of several the first by itself, which decides nothing."""
        several = [row for row in rows if len(deltas[row.game]) > 1]
        for row in rows:
            count = len(deltas[row.game])
            yield row._replace(whose=f"the mean of {count} arms") if count > 1 else row
        for row in several:
            alone = self._contrasts.row([mean_delta(deltas[row.game][:1])], self._alpha, POWER_OF_EACH)
            yield alone._replace(whose=ONE_ARM)

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

    def _jointly(self, name: HypothesisId, contrasts: Mapping[str, Sequence[Sequence[WeightedMatch]]]) -> DeclaredTest:
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
        row = LeastEffect("", "shares of delta_max", self._contrasts.over(parts), tuple(effects))
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
        told = [self._similar(game) for game in SCORED if len(self.arms.deltas(game)) > 1]
        similar = why_hardly([min(filter(None, told), key=lambda test: -test.power)]) if any(told) else ""
        equal = f"; that the two deltas are alike, which it needs too, {similar}" if similar else ""
        return DeclaredTest(
            name, "", (), f"no figure: the order of two courses is tested, which no formula plans{equal}"
        )

    def _similar(self, game: str) -> Equivalence | None:
        """The test that the first two systems of one model and augmentation have similar deltas, one of all pairs."""
        reals = [real for real, _ in self.arms.deltas(game)]
        pairs = [pair for pair in combinations(reals, 2) if _place(pair[0]) == _place(pair[1])]
        if not pairs:
            return None
        constants = load_score_constants(self._plan.protocol)
        margin = Fraction(constants.contrasts.similar_delta_max) * constants.delta_max(game)
        every = sum(_place(a) == _place(b) for of in SCORED for a, b in combinations(self.arms.real(of), 2))
        parts = [mean_delta([ArmPair(*pairs[0])], is_moved=False)]
        return equivalence(self._contrasts, parts, margin, self._alpha / every)


def _place(match: Match) -> tuple[str, Augmentation]:
    return match.measured, match.condition.augmentation


def _setting(match: Match) -> tuple[str, str, str]:
    return match.measured, match.condition.augmentation, match.condition.system


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
        if HypothesisId.E1 in declared and (test := self._weakest_gains_nothing()):
            yield test
        if HypothesisId.E3 in declared and (test := self._slight_gains_most()):
            yield test
        for name, traits in TRAITS.items():
            if name in declared and (test := self._trait_beats(name, *traits)):
                yield test

    def _score_of(self, match: Match) -> list[Scoring]:
        return self._spreads.score(match)

    def _weakest_gains_nothing(self) -> DeclaredTest | None:
        """That the delta of one model is about none in both games: of the model with the least standard error."""
        constants = load_score_constants(self._plan.protocol)
        share, alpha = Fraction(constants.contrasts.no_effect_delta_max), family_alpha(self._plan, Family.EXPLORATORY)
        tests = []
        for game in SCORED:
            deltas: dict[str, list[ArmPair]] = {}
            for pair in self._arms.deltas(game):
                deltas.setdefault(pair.real.measured, []).append(pair)
            margin = share * constants.delta_max(game)
            of_models = [
                equivalence(self._performance, [mean_delta(pairs, is_moved=False)], margin, alpha, POWER_OF_EACH)
                for pairs in deltas.values()
                if not self._performance.too_few([mean_delta(pairs)])
            ]
            if not of_models:
                return None
            tests.append(min(of_models, key=lambda test: test.error))
        return DeclaredTest(HypothesisId.E1, "", (), why_hardly(tests))

    def _slight_gains_most(self) -> DeclaredTest | None:
        """The delta of memory from slight positions less that from equal and less that from severe ones, in points."""
        deltas = {part: self._deltas(part) for part in (PositionClass.SLIGHT, *OTHER_CLASSES)}
        if not all(deltas.values()):
            return None
        slight = mean_delta(deltas[PositionClass.SLIGHT])
        against = {part: mean_delta(deltas[part], -ONE, is_moved=False) for part in OTHER_CLASSES}
        contrasts = {f"slight less {part.value}": [slight, groups] for part, groups in against.items()}
        return self._jointly(HypothesisId.E3, self._score, contrasts, "against both other classes")

    def _deltas(self, part: PositionClass) -> list[ArmPair]:
        return self._arms.deltas(CHESS, Augmentation.MEMORY, phase=Phase.STRESS, part=part.value)

    def _trait_beats(self, name: HypothesisId, better: Trait, worse: Trait) -> DeclaredTest | None:
        """Systems of one trait less systems of another, of the same model in Phase 3."""
        tests = {}
        for game in SCORED:
            real = self._arms.real(game, Phase.ARMS_RACE)
            good, bad = ([match for match in real if self._has(match, trait)] for trait in (better, worse))
            pairs = [ArmPair(one, other) for one in good for other in bad if one.a == other.measured]
            if not pairs:
                return None
            tests[game] = [mean_delta(pairs)]
        return self._jointly(name, self._performance, tests, "in each game")

    def _has(self, match: Match, trait: Trait) -> bool:
        return trait in self._plan.systems[match.condition.system].traits

    def _jointly(
        self, name: HypothesisId, contrasts: Contrasts, tests: Mapping[str, list[list[WeightedMatch]]], where: str
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
