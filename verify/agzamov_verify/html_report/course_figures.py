"""Figures over the course of a match: learning, career by career, and ratings."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import exp, isfinite, sqrt
from typing import Final

from ..checks import Verdict
from ..display.analysis_text import learning_words
from ..display.first_screen import match_words
from ..games.registry import GAMES
from ..scoring.cells import Cell
from ..scoring.learning.course import unit_sums
from ..scoring.learning.curve import Curve
from ..scoring.learning.outcome import LearningOutcome, LearningRule
from ..scoring.match_cells import cell_of
from ..scoring.measures import equal_parts
from ..scoring.score_constants import load_score_constants
from .charts import Line, course
from .figures import figure, game_of, parts_of
from .markup import Element, element, table

Z_95: Final = 1.959964
SHOWN_OPEN: Final = 2
"""Courses that are open at once; the rest opens on a click."""
POINTS_MAX: Final = 400


def learning_figures(verdict: Verdict) -> Iterator[Element]:
    """The course of each match in which learning is looked for, career by career."""
    _, analysis, manifest = parts_of(verdict)
    rules = load_score_constants(manifest.plan.protocol).learning.rules
    number = 0
    for match in analysis.matches:
        if match.learned is None or match.id not in verdict.blocks:
            continue
        planned = next(one for one in manifest.plan.matches if one.id == match.id)
        cell = cell_of(manifest, planned, verdict.blocks[match.id])
        shown = _learning(match_words(manifest, match.id), cell, rules[planned.game], match.learned)
        if shown is not None:
            number += 1
            yield shown if number <= SHOWN_OPEN else _folded(match_words(manifest, match.id), shown)


def rating_figures(verdict: Verdict) -> Iterator[Element]:
    """The Glicko-2 rating of seat A over each match, with its rating deviation."""
    _, analysis, manifest = parts_of(verdict)
    number = 0
    for match in analysis.matches:
        points = getattr(getattr(match, "glicko2", None), "everything", None)
        if points is None or len(points.a) < 3:
            continue
        number += 1
        name = match_words(manifest, match.id)
        lines = [
            Line([(point.results, float(getattr(point, field))) for point in points.a], kind)
            for field, kind in (("low", "bound"), ("high", "bound"), ("rating", "main"))
        ]
        noun = GAMES[game_of(manifest, match.id)].unit.many
        chart = course(lines, None, (noun, "rating"), f"Rating in {name}")
        rows = [(str(point.results), point.rating, point.deviation) for point in points.a]
        words = "Glicko-2 by rating period, with one rating deviation on each side; both begin at 1500."
        shown = figure(f"Rating: {name}", words, chart, table((f"after {noun}", "rating", "deviation"), rows))
        yield shown if number <= SHOWN_OPEN else _folded(name, shown)


def _learning(name: str, cell: Cell, rule: LearningRule, learned: LearningOutcome) -> Element | None:
    """The mean of each unit in order of play, each career's, the band of chance, and the fitted curve."""
    size = rule.unit_results
    per_unit = Fraction(1, size * rule.window.units * cell.results_per_step)
    careers = [
        [float(total * per_unit) for total in unit_sums(part, size)]
        for part in equal_parts(cell.course, max(1, cell.careers))
    ]
    if not careers or len(careers[0]) < 3:
        return None
    mean = [sum(values) / len(careers) for values in zip(*careers, strict=True)]
    band = chance_band(mean)
    single = [Line(_points(values, size), "career") for values in careers] if len(careers) > 1 else []
    fitted = [_fitted(learned.curve, size * len(mean))] if learned.curve else []
    noun = GAMES[cell.key.game].result.many
    chart = course([*single, Line(_points(mean, size), "main"), *fitted], band, (noun, rule.unit), f"Course of {name}")
    columns = [mean, *(careers if len(careers) > 1 else [])]
    header = (f"after {noun}", "mean", *(f"career {index + 1}" for index in range(len(columns) - 1)))
    rows = [(f"{(index + 1) * size:,}", *(f"{column[index]:.3f}" for column in columns)) for index in range(len(mean))]
    words = (
        f"{learning_words(learned)}. Each point is the mean of {size} {noun}. The band holds 95 % of such points where"
        " nothing is learned: the mean of all, plus and minus 1.96 standard deviations of the points."
    )
    return figure(f"Course: {name}", words, chart, table(header, rows))


def chance_band(points: Sequence[float]) -> tuple[float, float]:
    """The mean of the points, less and plus 1.96 of their standard deviations."""
    mean = sum(points) / len(points)
    deviation = sqrt(sum((point - mean) ** 2 for point in points) / (len(points) - 1))
    return mean - Z_95 * deviation, mean + Z_95 * deviation


def _points(values: Sequence[float], size: int) -> list[tuple[float, float]]:
    """Points at the middle of their units, at most `POINTS_MAX`: of more, means of neighbours."""
    joined = -(-len(values) // POINTS_MAX)
    whole = len(values) - len(values) % joined
    means = [sum(values[start : start + joined]) / joined for start in range(0, whole, joined)]
    return [((index + 0.5) * size * joined, value) for index, value in enumerate(means) if isfinite(value)]


def _fitted(curve: Curve, results: int) -> Line:
    """plateau - gain e^(-n / tau), n results already played."""
    plateau, gain = float(curve.plateau.decimal), float(curve.gain.decimal)
    steps = [results * index / 60 for index in range(61)]
    return Line([(n, plateau - gain * exp(-n / max(curve.tau, 1))) for n in steps], "fitted")


def _folded(name: str, shown: Element) -> Element:
    return element("details", element("summary", name), shown, class_="more")
