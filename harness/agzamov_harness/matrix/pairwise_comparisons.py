"""All pairs of the cells of a table at one family-wise error rate: Welch's t with Sidak's correction (Tamhane's T2).

    m pairs, p corrected = 1 - (1 - p)^m, intervals at level (1 - alpha)^(1 / m)

Variances and sizes may differ (Welch 1947, Biometrika 34:28), and the correction holds for correlated comparisons of
means (Sidak 1967, JASA 62:626; Tamhane 1979, JASA 74:471). Games and Howell's procedure errs in 8 to 12 % with five
careers a cell and 12 to 20 cells, and this one in 3 %: docs/decisions/0042.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import expm1, log1p, sqrt
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec
from scipy.stats import t as t_distribution

from agzamov_verify.plan.rules_played import unlike_words
from agzamov_verify.protocols.norms import VerdictNorm
from agzamov_verify.scoring.agzamov.comparable import Design
from agzamov_verify.scoring.inference.estimate import ALPHA, Estimate
from agzamov_verify.scoring.inference.exact import Figure, figure, fixed, rounded
from agzamov_verify.scoring.inference.samples import Interval, moments
from agzamov_verify.scoring.inference.unit_values import WITHIN_ONE_CAREER, Units, by_career, first_reason, value_alone

METHOD: Final = "welch-sidak"
OTHER_RULES: Final = "other rules"
P_MAX: Final = 1 - 1e-15  # of two equal means, whose logarithm would be endless


class CellSample(NamedTuple):
    """A cell of the table: its name and its units; the rules of its games, and the design of a real arm."""

    model: str
    column: str
    units: Units
    rules: Mapping[str, str] = MappingProxyType({})
    design: Design | None = None


class Pair(msgspec.Struct, frozen=True):
    """Two cells of one game: P of the first less that of the second.

    The interval holds together with those of all other pairs of the table, and `p_corrected` is corrected over them.
    Without a test, `note` says why: too few units, one career, no variation, or unlike designs. Cells that were played
    by other rules have no difference either.
    """

    game: str
    model: str
    column: str
    other_model: str
    other_column: str
    difference: Estimate
    p: str | None
    p_corrected: str | None
    note: str

    @property
    def is_above(self) -> bool:
        """True if the whole interval lies above 0."""
        return self.difference.ci is not None and float(self.difference.ci.low) > 0

    @property
    def reversed(self) -> "Pair":
        """The second cell less the first."""
        difference = self.difference
        if difference.value is None:
            names = (self.other_model, self.other_column, self.model, self.column)
            return Pair(self.game, *names, difference, None, None, self.note)
        turned = msgspec.structs.replace(
            difference,
            value=figure(-Fraction(difference.value.exact)),
            ci=None if difference.ci is None else _interval(-float(difference.ci.high), -float(difference.ci.low)),
            n=difference.n[::-1],
            sd=None if difference.sd is None else difference.sd[::-1],
        )
        names = (self.other_model, self.other_column, self.model, self.column)
        return Pair(self.game, *names, turned, self.p, self.p_corrected, self.note)


class Sample(NamedTuple):
    """A group by independent repetitions, in the published unit; `note` says why it is not compared."""

    group: CellSample
    size: int
    mean: Fraction
    sd: Figure | None
    squared_error: float
    unit: str
    over: str
    note: str


def all_pairs(groups: Mapping[str, Sequence[CellSample]], least: VerdictNorm) -> tuple[Pair, ...]:
    """Every pair of cells of each game; all of them together are one family."""
    samples = {game: [_sample(group, least) for group in game_groups] for game, game_groups in groups.items()}
    pairs = [(game, *pair) for game, game_groups in samples.items() for pair in combinations(game_groups, 2)]
    notes = [_why_not(first, second) for _, first, second in pairs]
    tests = iter(_welch([pair[1:] for pair, note in zip(pairs, notes, strict=True) if not note]))
    return tuple(_pair(*pair, note, None if note else next(tests)) for pair, note in zip(pairs, notes, strict=True))


def _why_not(first: Sample, second: Sample) -> str:
    """Why two cells are not compared; empty where they are."""
    if rules := unlike_words(first.group.rules, second.group.rules):
        return f"{OTHER_RULES}: {rules}"
    designs = {sample.group.design for sample in (first, second)} - {None}
    if len(designs) > 1 and len({design.kind for design in designs if design}) == 1:
        return f"unlike designs: {' and '.join(sorted(design.words for design in designs if design))}"
    return first_reason((first.note, second.note))


class Welch(NamedTuple):
    """A test of one pair, and half the width of its interval, which holds together with all others."""

    p: float
    p_corrected: float
    half_width: float


def _welch(pairs: Sequence[tuple[Sample, Sample]]) -> Iterator[Welch]:
    if not pairs:
        return
    errors = [(first.squared_error, second.squared_error) for first, second in pairs]
    # Welch and Satterthwaite: (a + b)^2 / (a^2 / (n - 1) + b^2 / (m - 1)), where a and b are squared standard errors.
    df = [
        (a + b) ** 2 / (a**2 / (first.size - 1) + b**2 / (second.size - 1))
        for (a, b), (first, second) in zip(errors, pairs, strict=True)
    ]
    ts = [
        float(abs(first.mean - second.mean)) / sqrt(a + b)
        for (a, b), (first, second) in zip(errors, pairs, strict=True)
    ]
    alpha_each = -expm1(log1p(-float(ALPHA)) / len(pairs))
    tails, critical = t_distribution.sf(ts, df), t_distribution.isf(alpha_each / 2, df)
    for (a, b), tail, reach in zip(errors, tails, critical, strict=True):
        p = min(2 * float(tail), P_MAX)
        yield Welch(p, -expm1(len(pairs) * log1p(-p)), float(reach) * sqrt(a + b))


def _pair(game: str, first: Sample, second: Sample, note: str, test: Welch | None) -> Pair:
    names = (first.group.model, first.group.column, second.group.model, second.group.column)
    away, sds = first.mean - second.mean, (first.sd, second.sd)
    sd = (sds[0], sds[1]) if sds[0] and sds[1] else None
    over = " and ".join(sorted({first.over, second.over} - {""}))
    difference = Estimate(figure(away), None, (first.size, second.size), sd, None, first.unit, over)
    if note.startswith(OTHER_RULES):
        difference = Estimate(None, None, difference.n, None, None, first.unit, over, note)
    if test is None:
        return Pair(game, *names, value_alone(difference, note), None, None, note)
    interval = _interval(float(away) - test.half_width, float(away) + test.half_width)
    difference = msgspec.structs.replace(difference, ci=interval)
    return Pair(game, *names, difference, f"{test.p:.6g}", f"{test.p_corrected:.6g}", "")


def _sample(group: CellSample, least: VerdictNorm) -> Sample:
    units = by_career(group.units)
    sample, factor = moments(units.values), units.scale.factor
    sd = rounded(sample.sd * factor) if sample.n > 1 else None
    error = float(sample.variance * factor**2 / sample.n)
    return Sample(group, sample.n, sample.mean * factor, sd, error, units.scale.unit, units.over, _note(units, least))


def _note(units: Units, least: VerdictNorm) -> str:
    fewest = least.careers_min if units.over else least.units_min
    if units.untested:
        return "within one career" if units.untested == WITHIN_ONE_CAREER else units.untested
    if len(units.values) < fewest:
        number, noun = len(units.values), units.over or "units"
        return f"{number} {noun.removesuffix('s') if number == 1 else noun}, a comparison needs {fewest}"
    return "no variation" if len(set(units.values)) < 2 else ""


def _interval(low: float, high: float) -> Interval:
    return Interval(fixed(Fraction(low)), fixed(Fraction(high)), METHOD)
