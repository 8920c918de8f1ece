"""Two executions of one plan compared, figure by figure, by the margins that both registrations declared."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..scoring.inference.equivalence import two_one_sided
from ..scoring.inference.samples import Contrast
from ..scoring.repeated_figures import DECIMALS, RepeatedFigure
from .agreement_statement import ComparedFigure, MeasuredFigure


def compared_figures(
    a: Sequence[RepeatedFigure], b: Sequence[RepeatedFigure], margins: Mapping[str, str]
) -> list[ComparedFigure]:
    """The figures that both have and whose unit has a margin."""
    others = {figure.name: figure for figure in b}
    pairs = [(figure, others[figure.name]) for figure in a if figure.name in others]
    return [compared(one, other, margins[one.unit]) for one, other in pairs if one.unit in margins]


def compared(a: RepeatedFigure, b: RepeatedFigure, margin: str) -> ComparedFigure:
    """One figure in both executions against its margin."""
    found = two_one_sided(a.measured, b.measured, Fraction(margin))
    return ComparedFigure(
        found.agrees,
        (measured_figure(a.measured), measured_figure(b.measured)),
        decimal_text(found.high),
        decimal_text(found.low),
        margin,
        a.name,
        decimal_text(found.p),
        a.unit,
    )


def compared_again(figure: ComparedFigure) -> ComparedFigure:
    """The same figure from its own values: equal to it, unless its tests were invented."""
    a, b = (
        RepeatedFigure(figure.name, figure.unit, Contrast(*map(Fraction, (one.value, one.squared_error, one.df))))
        for one in figure.figures
    )
    return compared(a, b, figure.margin)


def compared_words(figure: ComparedFigure) -> str:
    """One compared figure for a person."""
    first, second = (_short(one.value) for one in figure.figures)
    words = "agree" if figure.agrees else "do not agree"
    interval = f"{_short(figure.low)} to {_short(figure.high)}"
    tests = f"90 % interval of the difference {interval}, p = {_short(figure.p)}"
    return f"{figure.name}: {first} and {second} {figure.unit} {words} within {figure.margin}; {tests}"


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
