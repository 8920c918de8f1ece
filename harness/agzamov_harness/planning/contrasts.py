"""Contrasts of a plan's matches as designs of tests, by the arms that the analysis compares.

Some matches count in hypotheses, some are compared, some share their starts. As
`scoring.hypotheses.contrasts.weighed` makes the test: all arms on the same starts are combined unit by unit, and where
one of them has careers, each career is one value. Arms that share no starts are independent samples.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple, TypeAlias

from agzamov_verify.experiment.analysis_plan import HypothesisId
from agzamov_verify.experiment.matches import Arm, Augmentation, Match, Phase
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import observations_planned
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.departures import too_short
from agzamov_verify.scoring.early_stopping import open_ended
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.sample_sizes import ArmDesign, Block, Design, Scoring, detectable
from agzamov_verify.seats import benchmark_sides
from agzamov_verify.table.registry import GAMES


class ArmPair(NamedTuple):
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
    ) -> list[ArmPair]:
        """Real arms with the arm that each is compared with; those without one are left out."""
        return [
            ArmPair(real, other)
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
    return match.game, match.planned, GAMES[match.game].starts_of(match)


def _alike(first: Match, other: Match) -> bool:
    careers = careers_of(first), careers_of(other)
    return not all(careers) or careers[0] == careers[1]


def _place(match: Match) -> tuple[str, str, int, str]:
    return match.measured, match.game, match.phase, match.part


ONE = Fraction(1)
Spreads: TypeAlias = Callable[[Match], Sequence[Scoring]]
"""The scoring of a match, by how widely results spread."""


class LeastEffect(NamedTuple):
    """One game of a test: the least effect by how widely results spread, None where no effect is found.

    `whose`: the arms that have the effect, where there are several.
    """

    game: str
    unit: str
    over: str
    effects: tuple[float | None, ...]
    whose: str = ""


class DeclaredTest(NamedTuple):
    """A declared hypothesis: the effect its test detects with 80 % power, or in one line why there is no figure."""

    id: HypothesisId
    test: str
    rows: tuple[LeastEffect, ...]
    why_not: str = ""


class WeightedMatch(NamedTuple):
    """A match of a contrast, and its weight. `is_moved`: it has the effect."""

    match: Match
    weight: Fraction
    is_moved: bool


Parts: TypeAlias = Sequence[Sequence[WeightedMatch]]
"""A contrast: mean differences, each of matches of one kind, such as one augmentation or one class of positions."""


def mean_delta(deltas: Sequence[ArmPair], weight: Fraction = ONE, *, is_moved: bool = True) -> list[WeightedMatch]:
    """The mean of the deltas times `weight`; a control of several real arms counts once."""
    share = weight / len(deltas)
    groups = [
        group
        for real, control in deltas
        for group in (WeightedMatch(real, share, is_moved), WeightedMatch(control, -share, is_moved=False))
    ]
    return _merged(groups)


class Contrasts:
    """Designs of the contrasts of one plan, with the spreads and the intraclass correlation that are assumed."""

    def __init__(self, plan: Plan, spreads: Spreads, icc: Mapping[str, Fraction]) -> None:
        self._plan, self._spreads, self._icc = plan, spreads, icc
        self._least = load_protocol(plan.protocol).verdict

    def scorings(self, match: Match) -> Sequence[Scoring]:
        """How a match is scored, by how widely results spread."""
        return self._spreads(match)

    def row(self, parts: Parts, alpha: Fraction, power: Fraction) -> LeastEffect:
        """Effect that a one-sided test of matches of one game detects."""
        first = self._spreads(parts[0][0].match)
        designs = (
            Design(tuple(self.blocks(parts, index)), alpha, Alternative.GREATER, scoring.reach)
            for index, scoring in enumerate(first)
        )
        effects = tuple(detectable(design, power) for design in designs)
        return LeastEffect(parts[0][0].match.game, first[0].unit, self.over(parts), effects)

    def blocks(self, parts: Parts, index: int) -> Iterator[Block]:
        """The samples of the test; `index`: the spread."""
        for groups in _samples(parts):
            careers = max(careers_of(group.match) for group in groups)
            arms = tuple(self._arm(group, index) for group in groups)
            yield Block(arms, self._units(groups[0].match), careers)

    def over(self, parts: Parts) -> str:
        """The unit that is repeated in each sample: careers, or the game's units."""
        words = []
        for groups in _samples(parts):
            match, careers = groups[0].match, max(careers_of(group.match) for group in groups)
            units = self._units(match)
            words.append(f"{careers} careers" if careers else GAMES[match.game].unit.counted(units))
        return ", ".join(dict.fromkeys(words))

    def too_few(self, parts: Parts) -> str:
        """The reason why a test of these matches gives no verdict; empty if its samples are large enough."""
        for groups in _samples(parts):
            game, careers = GAMES[groups[0].match.game], max(careers_of(group.match) for group in groups)
            units = self._units(groups[0].match)
            least, planned = (self._least.careers_min, careers) if careers else (self._least.units_min, units)
            if planned < least:
                units_word = "careers" if careers else game.unit.many
                return f"no verdict: needs at least {least} {units_word} in {game.title}, the plan has {planned}"
            in_careers = (group.match for group in groups if careers_of(group.match))
            if shortfall := next(filter(None, (too_short(match, self._plan) for match in in_careers)), ""):
                return f"no verdict: in {game.title} the plan has {shortfall}"
        return ""

    def _arm(self, group: WeightedMatch, index: int) -> ArmDesign:
        """An arm without careers has no store, so its units are independent within a career of the others too."""
        scorings, match = self._spreads(group.match), group.match
        icc = self._icc[match.game] if careers_of(match) else Fraction(0)
        return ArmDesign(scorings[min(index, len(scorings) - 1)], group.weight, group.is_moved, icc)

    def _units(self, match: Match) -> int:
        return observations_planned(match, self._plan)


def _samples(parts: Parts) -> list[list[WeightedMatch]]:
    """All groups as one sample where they share their starts; else each part that does; else each match by itself."""
    every = _merged([group for groups in parts for group in groups])
    if share_starts([group.match for group in every]):
        return [every]
    samples: list[list[WeightedMatch]] = []
    for groups in parts:
        together = share_starts([group.match for group in groups])
        samples += [list(groups)] if together else [[group] for group in groups]
    return samples


def _merged(groups: Sequence[WeightedMatch]) -> list[WeightedMatch]:
    """Each match once, with all of its weight."""
    merged: dict[str, WeightedMatch] = {}
    for match, weight, is_moved in groups:
        before = merged.get(match.id, WeightedMatch(match, Fraction(0), is_moved=False))
        merged[match.id] = WeightedMatch(match, before.weight + weight, before.is_moved or is_moved)
    return list(merged.values())
