"""What is told of compared executions: of several pairs the one that is farthest from agreeing."""

from fractions import Fraction

from agzamov_verify.attestations.agreement import compared, compared_words
from agzamov_verify.scoring.inference.samples import Contrast
from agzamov_verify.scoring.repeated_figures import RepeatedFigure


def figure(value: int, squared_error: int = 1) -> RepeatedFigure:
    return RepeatedFigure("p2/bb_per_100", "bb/100", Contrast(Fraction(value), Fraction(squared_error), Fraction(50)))


def test_the_farthest_pair_is_named_where_every_p_is_the_same() -> None:
    """All are 0 to twelve places: the first pair was named, whose interval is the narrowest."""
    told = compared_words(compared([figure(885), figure(877), figure(561)], "5000"))
    assert "(executions 1 and 3, the farthest apart of 3 pairs)" in told
    assert "p < 0.001" in told


def test_a_pair_whose_p_is_largest_is_named_before_one_that_is_wider() -> None:
    told = compared_words(compared([figure(0), figure(20, 900), figure(90)], "100"))
    assert "(executions 2 and 3, " in told or "(executions 1 and 3, " in told
    assert "p = " in told
