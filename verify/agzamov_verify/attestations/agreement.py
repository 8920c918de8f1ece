"""Executions of one plan compared, figure by figure and pair by pair, by the margins that were registered."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from ..scoring.inference.equivalence import pairs_tested
from ..scoring.inference.heterogeneity import heterogeneity
from ..scoring.inference.pooled_runs import pooled_bounds, pooled_contrast
from ..scoring.inference.samples import Contrast
from ..scoring.repeated_figures import DECIMALS, RepeatedFigure
from .agreement_statement import ComparedFigure, Heterogeneity, MeasuredFigure, PooledFigure, TestedPair

SMALL_P: Final = 0.001
Q_MAX: Final = Fraction(10**12 - 1)
"""A larger Q is written as this: a statement's number has twelve digits before the point."""


def compared_figures(
    executions: Sequence[Sequence[RepeatedFigure]], margins: Mapping[str, str]
) -> list[ComparedFigure]:
    """The figures that all executions have and whose unit has a margin."""
    others = [{figure.name: figure for figure in figures} for figures in executions[1:]]
    found = list[ComparedFigure]()
    for figure in executions[0]:
        if figure.unit in margins and all(figure.name in other for other in others):
            found.append(compared([figure, *(other[figure.name] for other in others)], margins[figure.unit]))
    return found


def compared(figures: Sequence[RepeatedFigure], margin: str) -> ComparedFigure:
    """One figure in every execution against its margin: the intersection-union test of all pairs."""
    measured = [figure.measured for figure in figures]
    pairs = pairs_tested(measured, Fraction(margin))
    p = max(pair.p for pair in pairs)
    spread = heterogeneity(measured)
    together = pooled_contrast([Fraction(1, len(measured))] * len(measured), measured)
    low, high = pooled_bounds(together)
    return ComparedFigure(
        all(pair.agrees for pair in pairs),
        tuple(map(measured_figure, measured)),
        Heterogeneity(*map(decimal_text, (spread.i_squared, spread.p, min(spread.q, Q_MAX)))) if spread else None,
        margin,
        figures[0].name,
        decimal_text(p),
        tuple(TestedPair(*map(decimal_text, (pair.high, pair.low, pair.p))) for pair in pairs),
        PooledFigure(*map(decimal_text, (high, low, together.value))),
        figures[0].unit,
    )


def compared_again(figure: ComparedFigure) -> ComparedFigure:
    """The same figure from its own values: equal to it, unless its tests were invented."""
    again = [
        RepeatedFigure(figure.name, figure.unit, Contrast(*map(Fraction, (one.value, one.squared_error, one.df))))
        for one in figure.figures
    ]
    return compared(again, figure.margin)


def compared_words(figure: ComparedFigure) -> str:
    """One compared figure for a person; of more than two executions the pair that is farthest from agreeing."""
    *before, last = (_short(one.value) for one in figure.figures)
    words = "agree" if figure.agrees else "do not agree"
    places = list(combinations(range(1, len(figure.figures) + 1), 2))
    place, worst = max(zip(places, figure.pairs, strict=True), key=lambda pair: _apart(pair[1]))
    interval = f"90 % interval of the difference {_short(worst.low)} to {_short(worst.high)}, p {_p_words(worst.p)}"
    whose = f" (executions {place[0]} and {place[1]}, the farthest apart of {len(places)} pairs)" if before[1:] else ""
    return (
        f"{figure.name}: {', '.join(before)} and {last} {figure.unit} {words} within {figure.margin}; {interval}{whose}"
    )


def together_words(figure: ComparedFigure) -> Iterator[str]:
    """What stands beside the verdict, for a person: the pooled figure, and how much the executions differ."""
    pooled, spread = figure.pooled, figure.heterogeneity
    interval = f"95 % interval {_short(pooled.low)} to {_short(pooled.high)}"
    caution = "" if figure.agrees else ", which leaves out what lies between executions that do not agree"
    yield f"  together {_short(pooled.value)} {figure.unit}, {interval}{caution}"
    if spread:
        share = float(spread.i_squared) * 100
        yield f"  between executions: I^2 = {share:.0f} %, Q = {_short(spread.q)}, p of Q {_p_words(spread.p)}"


def _apart(pair: TestedPair) -> tuple[float, float]:
    """How far a pair is from agreeing: its p, and where several are the same, how far its interval reaches."""
    return float(pair.p), max(abs(float(pair.low)), abs(float(pair.high)))


def _p_words(p: str) -> str:
    return f"= {_short(p)}" if float(p) >= SMALL_P else f"< {SMALL_P}"


def _short(number: str) -> str:
    return f"{float(number):.4g}"


def measured_figure(measured: Contrast) -> MeasuredFigure:
    """A figure as a statement spells it."""
    return MeasuredFigure(decimal_text(measured.df), decimal_text(measured.squared_error), decimal_text(measured.value))


def decimal_text(value: Fraction) -> str:
    """The value to twelve places, without zeros at its end."""
    scaled = round(value * 10**DECIMALS)
    whole, rest = divmod(abs(scaled), 10**DECIMALS)
    digits = f"{whole}.{rest:0{DECIMALS}d}".rstrip("0").rstrip(".")
    return f"-{digits}" if scaled < 0 else digits
