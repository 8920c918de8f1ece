"""Contrasts of matches as designs of tests: pairing by unit, repetitions, and the detectable effect.

As `scoring.hypotheses.contrasts.weighed` makes the test: all arms on the same starts are combined unit by unit, and
where one of them has careers, each career is one value. Arms that share no starts are independent samples.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from agzamov_verify.analysis_plan import HypothesisId
from agzamov_verify.experiment import Match
from agzamov_verify.games.registry import GAMES
from agzamov_verify.manifest import Plan
from agzamov_verify.protocol import load_protocol
from agzamov_verify.scoring.career_length import too_short
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.planning import Arm, Block, Design, Scoring, detectable
from agzamov_verify.scoring.score_constants import CHESS

from .planned_arms import Delta, careers_of, share_starts

ONE = Fraction(1)
Spreads: TypeAlias = Callable[[Match], Sequence[Scoring]]
"""The scoring of a match, by how widely results spread."""


class Row(NamedTuple):
    """One game of a test: the least effect by how widely results spread, None where no effect is found."""

    game: str
    unit: str
    over: str
    effects: tuple[float | None, ...]


class DeclaredTest(NamedTuple):
    """A declared hypothesis: the effect its test detects with 80 % power, or in one line why there is no figure."""

    id: HypothesisId
    test: str
    rows: tuple[Row, ...]
    why_not: str = ""


class Weighted(NamedTuple):
    """A match of a contrast, and its weight. `is_moved`: it has the effect."""

    match: Match
    weight: Fraction
    is_moved: bool


Parts: TypeAlias = Sequence[Sequence[Weighted]]
"""A contrast: mean differences, each of matches of one kind, such as one augmentation or one class of positions."""


def mean_delta(deltas: Sequence[Delta], weight: Fraction = ONE, *, is_moved: bool = True) -> list[Weighted]:
    """The mean of the deltas times `weight`; a control of several real arms counts once."""
    share = weight / len(deltas)
    groups = [
        group
        for real, control in deltas
        for group in (Weighted(real, share, is_moved), Weighted(control, -share, is_moved=False))
    ]
    return _merged(groups)


class Contrasts:
    """Designs of the contrasts of one plan, with the spreads and the intraclass correlation that are assumed."""

    def __init__(self, plan: Plan, spreads: Spreads, icc: Mapping[str, Fraction]) -> None:
        self._plan, self._spreads, self._icc = plan, spreads, icc
        self._least = load_protocol(plan.protocol).verdict

    def row(self, parts: Parts, alpha: Fraction, power: Fraction) -> Row:
        """Effect that a one-sided test of matches of one game detects."""
        first = self._spreads(parts[0][0].match)
        designs = (
            Design(tuple(self.blocks(parts, index)), alpha, Alternative.GREATER, scoring.reach)
            for index, scoring in enumerate(first)
        )
        effects = tuple(detectable(design, power) for design in designs)
        return Row(parts[0][0].match.game, first[0].unit, self.over(parts), effects)

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
            units_text = f"{units:,} start pairs" if match.game == CHESS else GAMES[match.game].unit.counted(units)
            words.append(f"{careers} careers" if careers else units_text)
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

    def _arm(self, group: Weighted, index: int) -> Arm:
        """An arm without careers has no store, so its units are independent within a career of the others too."""
        scorings, match = self._spreads(group.match), group.match
        icc = self._icc[match.game] if careers_of(match) else Fraction(0)
        return Arm(scorings[min(index, len(scorings) - 1)], group.weight, group.is_moved, icc)

    def _units(self, match: Match) -> int:
        return match.planned // GAMES[match.game].unit_results(self._plan.rules_of(match.game), len(match.table))


def _samples(parts: Parts) -> list[list[Weighted]]:
    """All groups as one sample where they share their starts; else each part that does; else each match by itself."""
    every = _merged([group for groups in parts for group in groups])
    if share_starts([group.match for group in every]):
        return [every]
    samples: list[list[Weighted]] = []
    for groups in parts:
        together = share_starts([group.match for group in groups])
        samples += [list(groups)] if together else [[group] for group in groups]
    return samples


def _merged(groups: Sequence[Weighted]) -> list[Weighted]:
    """Each match once, with all of its weight."""
    merged: dict[str, Weighted] = {}
    for match, weight, is_moved in groups:
        before = merged.get(match.id, Weighted(match, Fraction(0), is_moved=False))
        merged[match.id] = Weighted(match, before.weight + weight, before.is_moved or is_moved)
    return list(merged.values())
