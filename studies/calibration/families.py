"""Families of tests: how often a run without any effect has at least one false verdict, and planted falls.

Worlds are numpy draws of chess pairs, since only whole families are looked at here; everything follows from the seed.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from agzamov_harness.matrix.pairwise_comparisons import CellSample, Pair, all_pairs
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.inference.estimate import Scale
from agzamov_verify.scoring.inference.unit_values import Units
from agzamov_verify.scoring.learning.course import Course
from agzamov_verify.scoring.learning.outcome import LearningRule, TrendTest, TrendVerdict, corrected_trends, trend_test
from agzamov_verify.scoring.units.score_constants import load_score_constants

from .error_rates import rate_of
from .finding import BANDS, FIVE, Band, Finding, at_most, of_power, of_rate

DRAWS = 0.35  # share of games drawn
MATCHES = 26  # in a run: four models in two games, with three systems
CHANGE = 0.15  # planted: from .50 to .65, or to .35
TAU = 60
CHANGE_FOUND = Fraction(43, 100)  # of 20,000 matches at 5 %, two-sided, by a prototype in floating point
LEAST = load_protocol("agz-0.1").verdict
SCALE = Scale("units", Fraction(1))


@dataclass(frozen=True)
class Size:
    """How many runs and matches are made up, and how many random orders a test has."""

    runs: int
    games: int
    courses: int
    powers: int
    permutations: int
    tables: int


FULL = Size(runs=250, games=60, courses=3_000, powers=400, permutations=999, tables=250)
SMALL = Size(runs=25, games=40, courses=1_300, powers=60, permutations=599, tables=20)


def findings(kind: str, size: Size, seed: str) -> list[Finding]:
    """What one kind of check found."""
    own = hashlib.sha256(f"{seed}/families/{kind}".encode()).digest()
    return list(KINDS[kind](size, own))


def rule_of(size: Size) -> LearningRule:
    """The protocol's rule for chess, with fewer random orders."""
    rule = load_score_constants("agz-0.1").learning.rules["chess960"]
    return LearningRule(
        **{name: getattr(rule, name) for name in rule.__struct_fields__} | {"permutations": size.permutations}
    )


def course(rng: np.random.Generator, expected: np.ndarray) -> list[int]:
    """Half-points of games in order, of expected points in [0, 1]."""
    drawn = np.minimum(DRAWS, 2 * np.minimum(expected, 1 - expected))
    u, won = rng.random(len(expected)), expected - drawn / 2
    return [int(value) for value in np.where(u < won, 2, np.where(u < won + drawn, 1, 0))]


def constant(size: Size, seed: bytes) -> Iterator[Finding]:
    """One match at constant strength: a verdict in either direction is false."""
    rule, rng = rule_of(size), _rng(seed)
    found = [_test(course(rng, np.full(100, 0.5)), rule, seed, at).verdict for at in range(size.courses)]
    both = sum(one in {TrendVerdict.LEARNED, TrendVerdict.DECLINED} for one in found)
    fallen = sum(one is TrendVerdict.DECLINED for one in found)
    yield of_rate("type I at 5%, learned or declined, 100 chess games", rate_of(both, len(found)), BANDS[FIVE])
    half = Band(Fraction(0), Fraction(7, 200), None)
    yield of_rate("the same, declined alone", rate_of(fallen, len(found)), half)


def run_of_matches(size: Size, seed: bytes) -> Iterator[Finding]:
    """A run of many matches at constant strength: one false verdict or more, corrected and not."""
    rule, rng = rule_of(size), _rng(seed)
    raw = corrected = 0
    for run in range(size.runs):
        places = range(run * MATCHES, (run + 1) * MATCHES)
        tests = [_test(course(rng, np.full(size.games, 0.5)), rule, seed, at) for at in places]
        raw += any(map(_effect, tests))
        corrected += any(map(_effect, corrected_trends(tests, [rule] * MATCHES)))
    told = f"one false trend or more in {MATCHES} matches"
    yield of_rate(f"{told}, corrected", rate_of(corrected, size.runs), at_most(FIVE))
    expected = 1 - Fraction(95, 100) ** MATCHES
    yield of_power(f"{told}, uncorrected (the defect)", rate_of(raw, size.runs), expected, Fraction(5, 100))


def planted_trend(size: Size, seed: bytes) -> Iterator[Finding]:
    """A planted rise and its mirror image, a fall, are found equally often."""
    rule, rng = rule_of(size), _rng(seed)
    rise = 0.5 + CHANGE * (1 - np.exp(-np.arange(500) / TAU))
    for name, expected, verdict in (("rise", rise, TrendVerdict.LEARNED), ("fall", 1 - rise, TrendVerdict.DECLINED)):
        tests = (_test(course(rng, expected), rule, seed, at) for at in range(size.powers))
        hits = sum(test.verdict is verdict for test in tests)
        yield of_power(
            f"power, a {name} of {CHANGE} of score, 500 chess games",
            rate_of(hits, size.powers),
            CHANGE_FOUND,
            Fraction(2, 100),
        )


def matrix(size: Size, seed: bytes) -> Iterator[Finding]:
    """Tables of equal cells: one pair or more that is found, one crossing or more that "beats"."""
    rng = _rng(seed)
    for side in (3, 4):
        for what, units, careers in (("5 careers", 5, 5), ("10 to 40 units, unequal variances", 0, 0)):
            hits: dict[str, int] = defaultdict(int)
            for _ in range(size.tables):
                pairs = all_pairs({"game": list(_equal_cells(rng, side, units, careers))}, LEAST)
                hits["pair"] += any(pair.is_above or pair.reversed.is_above for pair in pairs)
                hits["crossing"] += any(pair.is_above for pair in _crossings(pairs))
            for kind in ("pair", "crossing"):
                name = f"one false {kind} or more, {side} x {side} with naked, {what}"
                yield of_rate(name, rate_of(hits[kind], size.tables), at_most(FIVE))


def _equal_cells(rng: np.random.Generator, side: int, units: int, careers: int) -> Iterator[CellSample]:
    """Cells of models by columns, the naked one first, all of mean 0; of careers, five of three units each."""
    for model in range(side):
        for column in range(side + 1):
            n = 3 * units if careers else int(rng.integers(10, 41))
            spread = 100 if careers else int(rng.choice([50, 100, 300]))
            values = np.rint(spread * rng.standard_t(5, n))
            yield CellSample(str(model), str(column), Units(tuple(int(one) for one in values), SCALE, "", careers))


def _crossings(pairs: tuple[Pair, ...]) -> Iterator[Pair]:
    """A weaker model (Phase 0: the lower number) with a better column against a stronger one with a worse column.

    Better is chosen in the same data, as the table does.
    """
    gains: dict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        if pair.model == pair.other_model and pair.column == "0" and pair.difference.value:
            gains[pair.other_column].append(-float(pair.difference.value.decimal))
    means = {column: sum(found) / len(found) for column, found in gains.items()}
    for turned in (turned for pair in pairs for turned in (pair, pair.reversed)):
        columns = (turned.column, turned.other_column)
        if "0" not in columns and turned.model < turned.other_model and means[columns[0]] > means[columns[1]]:
            yield turned


def _test(values: list[int], rule: LearningRule, seed: bytes, at: int) -> TrendTest:
    return trend_test(Course(values), rule, seed + at.to_bytes(4, "big"))


def _effect(test: TrendTest) -> bool:
    return test.verdict in {TrendVerdict.LEARNED, TrendVerdict.DECLINED}


def _rng(seed: bytes) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(seed, "big"))


KINDS: dict[str, Callable[[Size, bytes], Iterator[Finding]]] = {
    "run of matches": run_of_matches,
    "constant": constant,
    "planted trend": planted_trend,
    "matrix": matrix,
}
