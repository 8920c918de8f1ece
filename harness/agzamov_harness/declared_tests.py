"""The tests of means that a plan declares (H1 to H4), as designs: which effect each finds, or why it cannot be made.

The contrasts are those of `scoring.hypotheses.primary`, by the matches of the plan in place of played cells.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from agzamov_verify.analysis_plan import PRIMARY, HypothesisId
from agzamov_verify.experiment import Arm as Condition
from agzamov_verify.experiment import Augmentation, Match, Phase
from agzamov_verify.games.registry import GAMES
from agzamov_verify.manifest import Plan
from agzamov_verify.protocol import load_protocol
from agzamov_verify.scoring.career_length import too_short
from agzamov_verify.scoring.exact import square_root
from agzamov_verify.scoring.hypotheses.registry import BY_ID, Family
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.planning import POWER, Arm, Block, Design, Scoring, detectable
from agzamov_verify.scoring.score_constants import CHESS, POKER, load_score_constants
from agzamov_verify.scoring.score_constants import GAMES as SCORED
from agzamov_verify.scoring.sequential_monitoring import open_ended
from agzamov_verify.seats import benchmark_sides

NO_ARM: Final = "cannot be tested: the plan has no Phase 2 match with a real arm"
SINGLE: Final = (Augmentation.MEMORY, Augmentation.TOOLS, Augmentation.RAG)
Delta: TypeAlias = tuple[Match, Match]
Spreads: TypeAlias = Mapping[str, Sequence[Scoring]]
"""The scoring of the paper's P in each game, by how widely results spread."""


class Row(NamedTuple):
    """One game of a declared test: the least effect by how widely results spread, None where no effect is found."""

    game: str
    unit: str
    over: str
    effects: tuple[float | None, ...]


class DeclaredTest(NamedTuple):
    """A declared hypothesis: what its test finds with 80 % power, or in one line why there is no figure."""

    id: HypothesisId
    test: str
    rows: tuple[Row, ...]
    why_not: str = ""


class Weighted(NamedTuple):
    """A match of a contrast, and its weight."""

    match: Match
    weight: Fraction
    is_moved: bool


class Tests:
    """The declared tests of one plan, with the spreads and the intraclass correlation that are assumed."""

    def __init__(self, plan: Plan, spreads: Spreads, icc: Mapping[str, Fraction]) -> None:
        self._plan, self._spreads, self._icc = plan, spreads, icc
        self._alpha = Fraction(plan.analysis.alpha) / PRIMARY
        self._least = load_protocol(plan.protocol).verdict
        by_benchmark = (match.id for match in plan.matches if benchmark_sides(match.seats, plan.seats))
        repeated = (match.id for match in plan.matches if match.a in plan.repeats)
        left_out = {*open_ended(plan), *by_benchmark, *repeated}
        self._matches = [match for match in plan.matches if match.id not in left_out]

    @property
    def _has_real_arm(self) -> bool:
        return any((match.phase, match.condition.arm) == (Phase.ASYMMETRIC, Condition.REAL) for match in self._matches)

    def all(self) -> Iterator[DeclaredTest]:
        """The declared confirmatory hypotheses, in their order."""
        planned = {
            HypothesisId.H1: self._helps,
            HypothesisId.H2: self._beats_placebo,
            HypothesisId.H3: self._differs_by_game,
            HypothesisId.H4: self._synergy,
            HypothesisId.H5: self._speed,
        }
        for name, test in planned.items():
            if name in self._plan.analysis.hypotheses:
                yield test(name) if self._has_real_arm else DeclaredTest(name, "", (), NO_ARM)

    def others(self) -> tuple[HypothesisId, ...]:
        """The declared hypotheses of which no figure is planned: exploratory ones confirm nothing."""
        return tuple(name for name in self._plan.analysis.hypotheses if BY_ID[name].family is not Family.CONFIRMATORY)

    def deltas(
        self, game: str, augmentation: Augmentation | None = None, against: Condition = Condition.NAKED
    ) -> list[Delta]:
        """Real arms of Phase 2 with the arm that each is compared with; those without one are left out."""
        deltas = []
        for real in self._matches:
            condition = real.condition
            if (real.phase, real.game, condition.arm) != (Phase.ASYMMETRIC, game, Condition.REAL):
                continue
            if augmentation in (None, condition.augmentation) and (control := self._other(real, against)):
                deltas.append((real, control))
        return deltas

    def _other(self, real: Match, against: Condition) -> Match | None:
        condition = real.condition
        by_system = {
            match.condition.system: match
            for match in self._matches
            if (match.a, match.game, match.phase) == (real.a, real.game, real.phase)
            and (match.condition.augmentation, match.condition.arm) == (condition.augmentation, against)
        }
        return by_system.get(condition.system) or by_system.get("")

    def _parts(self, stacks: Sequence[Delta], kind: Augmentation) -> list[Delta]:
        """The delta alone of the part of each full stack that is of a kind; less where one was not played."""
        return [
            delta
            for full, _ in stacks
            for delta in self.deltas(full.game, kind)
            if delta[0].a == full.a
            and self._plan.systems[full.condition.system].parts.get(delta[0].condition.system) is kind
        ]

    def _helps(self, name: HypothesisId) -> DeclaredTest:
        deltas = {game: self.deltas(game) for game in SCORED}
        return self._both(name, deltas, "a Phase 2 real arm and its naked control in chess and hold'em")

    def _beats_placebo(self, name: HypothesisId) -> DeclaredTest:
        deltas = {game: self.deltas(game, Augmentation.MEMORY, Condition.PLACEBO) for game in SCORED}
        return self._both(name, deltas, "Phase 2 memory, real and placebo, in chess and hold'em")

    def _both(self, name: HypothesisId, deltas: Mapping[str, Sequence[Delta]], needs: str) -> DeclaredTest:
        if not all(deltas.values()):
            return DeclaredTest(name, "", (), f"cannot be tested: needs {needs}")
        return self._jointly(name, {game: _mean(pairs) for game, pairs in deltas.items()})

    def _synergy(self, name: HypothesisId) -> DeclaredTest:
        contrasts = {}
        for game in SCORED:
            stacks = self.deltas(game, Augmentation.FULL)
            groups = [(Fraction(1), stacks)]
            groups += [(-Fraction(1), self._parts(stacks, kind)) for kind in SINGLE]
            if not all(len(deltas) == max(1, len(stacks)) for _, deltas in groups):
                needs = "Phase 2 full and its memory, tools and rag alone, real and naked, in chess and hold'em"
                return DeclaredTest(name, "", (), f"cannot be tested: needs {needs}")
            contrasts[game] = [
                Weighted(group.match, sign * group.weight, group.is_moved and sign > 0)
                for sign, deltas in groups
                for group in _mean(deltas)
            ]
        return self._jointly(name, contrasts)

    def _jointly(self, name: HypothesisId, contrasts: Mapping[str, Sequence[Weighted]]) -> DeclaredTest:
        """Both games must show it, so each has the root of the power: an effect as great as these in both is found."""
        if refusal := self._too_few([group for groups in contrasts.values() for group in groups]):
            return DeclaredTest(name, "", (), refusal)
        power_of_each = square_root(POWER)
        rows = tuple(self._row(game, groups, power_of_each) for game, groups in contrasts.items())
        test = f"one-sided t at {float(self._alpha):g} in each game, 80 % for both together"
        return DeclaredTest(name, test, rows)

    def _differs_by_game(self, name: HypothesisId) -> DeclaredTest:
        deltas = {game: self.deltas(game) for game in SCORED}
        settings = [{_setting(real) for real, _ in pairs} for pairs in deltas.values()]
        settings_of_both = set.intersection(*settings)
        if not settings_of_both:
            needs = "one Phase 2 augmentation of one system, real and naked, in chess and hold'em"
            return DeclaredTest(name, "", (), f"cannot be tested: needs {needs}")
        contrasts = {
            game: _mean([delta for delta in pairs if _setting(delta[0]) in settings_of_both])
            for game, pairs in deltas.items()
        }
        if refusal := self._too_few([group for groups in contrasts.values() for group in groups]):
            return DeclaredTest(name, "", (), refusal)
        constants = load_score_constants(self._plan.protocol)
        scale = {game: constants.delta_max(game) for game in SCORED}
        effects = []
        for index in range(max(len(spreads) for spreads in self._spreads.values())):
            blocks: list[Block] = []
            reach = Fraction(0)
            for game, groups in contrasts.items():
                scoring = self._spreads[game][min(index, len(self._spreads[game]) - 1)]
                still = [Weighted(match, weight / scale[game], is_moved=False) for match, weight, _ in groups]
                blocks += self._blocks(game, still, scoring)
                reach += scoring.reach / scale[game]
            effects.append(detectable(Design(tuple(blocks), self._alpha, Alternative.TWO_SIDED, reach)))
        over = self._over([group for groups in contrasts.values() for group in groups])
        row = Row("", "shares of delta_max", over, tuple(effects))
        most = f"{float(scale[CHESS]):g} points of win rate, {float(scale[POKER]):g} bb/100"
        return DeclaredTest(name, f"two-sided t at {float(self._alpha):g}; delta_max: {most}", (row,))

    def _speed(self, name: HypothesisId) -> DeclaredTest:
        places = [(real.a, real.game, real.condition.augmentation) for game in SCORED for real, _ in self.deltas(game)]
        if len(set(places)) == len(places):
            needs = "two systems of one model and augmentation in Phase 2, real and naked, in one game"
            return DeclaredTest(name, "", (), f"cannot be tested: needs {needs}")
        return DeclaredTest(name, "", (), "no figure: the order of two courses is tested, which no formula plans")

    def _row(self, game: str, groups: Sequence[Weighted], power: Fraction) -> Row:
        effects = []
        for scoring in self._spreads[game]:
            blocks = tuple(self._blocks(game, groups, scoring))
            design = Design(blocks, self._alpha, Alternative.GREATER, scoring.reach)
            effects.append(detectable(design, power))
        return Row(game, self._spreads[game][0].unit, self._over(groups), tuple(effects))

    def _blocks(self, game: str, groups: Sequence[Weighted], scoring: Scoring) -> Iterator[Block]:
        """One block where all arms have one size, since the arms of a run share their starts; else one for each."""
        unit = GAMES[game].unit_results(self._plan.rules_of(game))
        sizes = {(group.match.planned // unit, group.match.careers) for group in groups}
        arms = [(group.match, self._arm(group, scoring)) for group in groups]
        if len(sizes) == 1:
            ((units, careers),) = sizes
            yield Block(tuple(arm for _, arm in arms), units, careers)
            return
        for match, arm in arms:
            yield Block((arm,), match.planned // unit, match.careers)

    def _too_few(self, groups: Sequence[Weighted]) -> str:
        """The reason why a test of these matches gives no verdict; empty if they are large enough."""
        for group in groups:
            game, careers = GAMES[group.match.game], group.match.careers
            units = group.match.planned // game.unit_results(self._plan.rules_of(game.name))
            least, planned = (self._least.careers_min, careers) if careers else (self._least.units_min, units)
            if planned < least:
                units_word = "careers" if careers else game.unit.many
                return f"no verdict: needs at least {least} {units_word} in {game.title}, the plan has {planned}"
            if shortfall := too_short(group.match, self._plan):
                return f"no verdict: in {game.title} the plan has {shortfall}"
        return ""

    def _arm(self, group: Weighted, scoring: Scoring) -> Arm:
        """A naked arm has no store, so its units are independent within a career too."""
        icc = Fraction(0) if group.match.condition.arm is Condition.NAKED else self._icc[group.match.game]
        return Arm(scoring, group.weight, group.is_moved, icc)

    def _over(self, groups: Sequence[Weighted]) -> str:
        """What is repeated: careers, or the game's units."""
        words = []
        for group in groups:
            game = GAMES[group.match.game]
            units = group.match.planned // game.unit_results(self._plan.rules_of(group.match.game))
            careers = group.match.careers
            units_text = f"{units:,} start pairs" if game.name == CHESS else game.unit.counted(units)
            words.append(f"{careers} careers" if careers else units_text)
        return ", ".join(dict.fromkeys(words))


def _mean(deltas: Sequence[Delta]) -> list[Weighted]:
    """The mean of the deltas; a control of several real arms counts once."""
    share, weights = Fraction(1, len(deltas)), dict[str, Weighted]()
    for real, control in deltas:
        for match, weight, is_moved in ((real, share, True), (control, -share, False)):
            before = weights[match.id].weight if match.id in weights else Fraction(0)
            weights[match.id] = Weighted(match, before + weight, is_moved)
    return list(weights.values())


def _setting(match: Match) -> tuple[str, str, str]:
    return match.a, match.condition.augmentation, match.condition.system
