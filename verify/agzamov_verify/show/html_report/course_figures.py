"""Figures over the course of a match: learning, career by career, and ratings."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import exp, inf, sqrt
from typing import Final

from ...checks.steps import Verdict
from ...scoring.inference.unit_values import equal_parts
from ...scoring.learning.course import unit_sums
from ...scoring.learning.curve import Curve
from ...scoring.learning.outcome import LearningOutcome, LearningRule
from ...scoring.match_cells import matches_played, shown_cell
from ...scoring.match_figures import MatchAnalysis
from ...scoring.units.cells import Cell
from ...scoring.units.score_constants import load_score_constants
from ...table.registry import GAMES
from ..text.analysis_text import learning_words
from ..text.first_screen import match_words
from .figures import SCORE_UNIT, SHOWN_OPEN, figure, game_of, parts_of, some_open, unit_words
from .markup import Element, element, table
from .plane_charts import Band, Line, course

Z_95: Final = 1.959964
UNITS_MIN: Final = 12
"""Of a course with a band: of fewer units, a window is a third of all and a band says nothing."""
POINTS_MAX: Final = 400


def learning_figures(verdict: Verdict) -> Iterator[Element]:
    """The course of each match in which learning is looked for, career by career; those that were tested first."""
    analysis = parts_of(verdict)[1]
    matches = sorted((match for match in analysis.matches if match.learned), key=lambda match: not _is_tested(match))
    tested = sum(map(_is_tested, matches))
    yield from some_open(_courses(verdict, matches), min(tested, SHOWN_OPEN) if tested else SHOWN_OPEN)


def _is_tested(match: MatchAnalysis) -> bool:
    return bool(match.learned and match.learned.p)


def is_learning_tested(verdict: Verdict) -> bool:
    """True if some match has enough results for a test of learning."""
    return any(map(_is_tested, parts_of(verdict)[1].matches))


def _courses(verdict: Verdict, matches: Iterable[MatchAnalysis]) -> Iterator[tuple[str, Element]]:
    manifest = parts_of(verdict)[2]
    rules = load_score_constants(manifest.plan.protocol).learning.rules
    by_name = {played.id: played for played in matches_played(manifest, verdict.blocks)}
    for match in matches:
        played = by_name.get(match.id)
        if match.learned is None or played is None:
            continue
        cell = shown_cell(manifest, played)
        if cell.no_finding:
            continue
        shown = _learning(match_words(manifest, match.id), cell, rules[played.match.game], match.learned)
        if shown is not None:
            yield match_words(manifest, match.id), shown


def rating_figures(verdict: Verdict) -> Iterator[Element]:
    """The Glicko-2 rating of the measured seat over each match, with its rating deviation."""
    yield from some_open(_ratings(verdict))


def _ratings(verdict: Verdict) -> Iterator[tuple[str, Element]]:
    results, analysis, manifest = parts_of(verdict)
    unfound = {match.id for match in results.matches if match.no_finding}
    for match in analysis.matches:
        if match.id in unfound:
            continue
        points = getattr(getattr(match, "glicko2", None), "everything", None)
        if points is None or len(points.a) < 3:
            continue
        name = match_words(manifest, match.id)
        lines = [
            Line([(point.results, float(getattr(point, field))) for point in points.a], kind)
            for field, kind in (("low", "bound"), ("high", "bound"), ("rating", "main"))
        ]
        noun = GAMES[game_of(manifest, match.id)].unit.many
        chart = course(lines, (), (noun, "rating"), f"Rating in {name}")
        rows = [(str(point.results), point.rating, point.deviation) for point in points.a]
        words = "Glicko-2 by rating period, with one rating deviation on each side; both begin at 1500."
        yield name, figure(f"Rating: {name}", words, chart, table((f"after {noun}", "rating", "deviation"), rows))


def _learning(name: str, cell: Cell, rule: LearningRule, learned: LearningOutcome) -> Element | None:
    """Means over a window in order of play, each career's, the band of chance, and the fitted curve."""
    size = rule.unit_results
    per_unit = Fraction(1, size * rule.window.units * cell.results_per_step)
    careers = [
        [float(total * per_unit) for total in unit_sums(part, size)]
        for part in equal_parts(cell.course, max(1, cell.careers))
    ]
    if not careers or len(careers[0]) < 3:
        return None
    mean = [sum(values) / len(careers) for values in zip(*careers, strict=True)]
    window = max(1, min(rule.window.window_results // size, len(mean) // 4))
    limits = (0.0, 1.0) if rule.unit == SCORE_UNIT else (-inf, inf)
    band = chance_band([mean], window, limits)
    wide = chance_band(careers, window, limits) if len(careers) > 1 else None
    bands = [Band(*one, kind) for one, kind in ((wide, "band wide"), (band, "band")) if one]
    single = [Line(_points(values, size, window), "career") for values in careers] if len(careers) > 1 else []
    fitted = [_fitted(learned.curve, size * len(mean))] if learned.curve else []
    noun = GAMES[cell.key.game].result.many
    lines = [*single, Line(_points(mean, size, window), "main"), *fitted]
    chart = course(lines, bands, (noun, unit_words(rule.unit)), f"Course of {name}", limits)
    columns = [mean, *(careers if len(careers) > 1 else [])]
    header = (f"after {noun}", "mean", *(f"career {index + 1}" for index in range(len(columns) - 1)))
    rows = [(f"{(index + 1) * size:,}", *(f"{column[index]:.3f}" for column in columns)) for index in range(len(mean))]
    of = f" of {len(careers)} careers" if len(careers) > 1 else ""
    told = learned.verdict.value
    words = f"{told[:1].upper()}{told[1:]}. Bold: the mean{of} over {window * size} {noun} at a time."
    if band:
        words += " Inside the grey band: no learning shown."
    else:
        words += f" No band of chance: that needs {UNITS_MIN} units of {size} {noun}, and there are {len(mean)}."
    words += " Thin: each career, and the band of one." if wide else ""
    words += " Dashed: the fitted learning curve." if fitted else ""
    numbers = element("div", element("p", f"{learning_words(learned)}."), table(header, rows))
    return figure(f"Course: {name}", words, chart, numbers)


def chance_band(
    courses: Sequence[Sequence[float]], window: int, limits: tuple[float, float]
) -> tuple[float, float] | None:
    """The pointwise 95 % band of the mean of `window` values of a course if its n come in a random order.

    mean +- 1.96 s sqrt((1 / w) (n - w) / (n - 1)), the standard error of a mean of w out of n drawn without
    replacement, where s^2 is the mean squared deviation of all n; within what the measure can be. Of several courses of
    equal length, their mean and the mean of their s^2. None for courses that are too short.
    """
    n = len(courses[0])
    if n < UNITS_MIN:
        return None
    means = [sum(values) / n for values in courses]
    squared = sum((value - mean) ** 2 for mean, values in zip(means, courses, strict=True) for value in values)
    squared /= n * len(courses)
    middle, half = sum(means) / len(means), Z_95 * sqrt(squared / window * (n - window) / (n - 1))
    return max(limits[0], middle - half), min(limits[1], middle + half)


def _points(values: Sequence[float], size: int, window: int) -> list[tuple[float, float]]:
    """Means over `window` units, each at the middle of its window; of more than `POINTS_MAX`, every k-th."""
    sums = [0.0, *accumulate(values)]
    starts = range(0, len(values) - window + 1, -(-len(values) // POINTS_MAX))
    return [((start + window / 2) * size, (sums[start + window] - sums[start]) / window) for start in starts]


def _fitted(curve: Curve, results: int) -> Line:
    """plateau - gain e^(-n / tau), n results already played."""
    plateau, gain = float(curve.plateau.decimal), float(curve.gain.decimal)
    steps = [results * index / 60 for index in range(61)]
    return Line([(n, plateau - gain * exp(-n / max(curve.tau, 1))) for n in steps], "fitted")
