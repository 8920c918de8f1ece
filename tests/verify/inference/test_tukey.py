"""The studentised range and Tukey's comparisons against scipy, printed tables, and R's plant growth."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from agzamov_verify.scoring.inference.samples import Moments, moments
from agzamov_verify.scoring.inference.studentised_range import P_MIN, range_quantile, range_upper
from agzamov_verify.scoring.inference.tukey import tukey_hsd

FIVE, ONE = Fraction(1, 20), Fraction(1)
PLANTS = {
    "ctrl": [417, 558, 518, 611, 450, 461, 517, 453, 533, 514],
    "trt1": [481, 417, 441, 359, 587, 383, 603, 489, 432, 469],
    "trt2": [631, 512, 554, 550, 537, 529, 492, 615, 580, 526],
}


@pytest.mark.parametrize(
    ("q", "groups", "df"),
    [
        ("3.5", 3, 10),
        ("0.5", 5, 30),
        ("3", 2, 2),
        ("10", 3, 1),
        ("4", 13, 6487),
        ("5", 20, 120),
        ("3.877", 3, Fraction(25, 2)),
        ("7", 4, 60),
    ],
)
def test_the_tail_is_scipys(q: str, groups: int, df: Fraction) -> None:
    expected = stats.studentized_range.sf(float(q), groups, float(df))
    assert float(range_upper(Fraction(q), groups, df)) == pytest.approx(expected, abs=1e-11)


def test_of_two_groups_it_is_a_t_test() -> None:
    """q = t times the root of 2: an oracle to all digits."""
    for t in (Fraction(1, 2), Fraction(2), Fraction(5)):
        expected = 2 * stats.t.sf(float(t), 7)
        q = Fraction(float(t) * np.sqrt(2))
        assert float(range_upper(q, 2, 7)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("groups", "df", "printed"), [(3, 10, "3.88"), (5, 20, "4.23"), (10, 60, "4.65"), (2, 5, "3.64")]
)
def test_the_quantile_is_the_one_printed_in_tables(groups: int, df: int, printed: str) -> None:
    assert f"{float(range_quantile(1 - FIVE, groups, df)):.2f}" == printed


def test_a_smaller_tail_than_can_be_told_is_called_so() -> None:
    assert range_upper(Fraction(60), 3, 20) == P_MIN
    assert range_upper(Fraction(0), 3, 20) == 1


@pytest.mark.parametrize(("groups", "df"), [(1, 10), (201, 10), (3, 0)])
def test_what_has_no_studentised_range_is_refused(groups: int, df: int) -> None:
    with pytest.raises(ValueError, match="groups"):
        range_upper(Fraction(3), groups, df)


def test_plant_growth_gives_the_published_comparisons() -> None:
    """R's TukeyHSD(aov(weight ~ group, PlantGrowth)), with the other sign."""
    found = tukey_hsd({name: moments(group) for name, group in PLANTS.items()}, Fraction(1, 100), FIVE)
    assert [(one.a, one.b, one.difference.decimal) for one in found] == [
        ("ctrl", "trt1", "0.371000"),
        ("ctrl", "trt2", "-0.494000"),
        ("trt1", "trt2", "-0.865000"),
    ]
    assert [float(one.p or 1) for one in found] == pytest.approx([0.3908711, 0.1979960, 0.0120064], abs=6e-7)
    assert found[0].ci is not None
    assert (float(found[0].ci.low), float(found[0].ci.high)) == pytest.approx((-0.3202161, 1.0622161), abs=1e-6)


def test_unequal_groups_are_scipys() -> None:
    drawn = np.random.default_rng(5)
    groups = {f"cell{k}": [int(one) for one in drawn.normal(100 * k, 900, 12 + 5 * k)] for k in range(4)}
    found = tukey_hsd({name: moments(group) for name, group in groups.items()}, ONE, FIVE)
    expected = stats.tukey_hsd(*groups.values())
    bounds = expected.confidence_interval(0.95)
    names = list(groups)
    for one in found:
        at = names.index(one.a), names.index(one.b)
        assert float(one.p or 1) == pytest.approx(expected.pvalue[at], rel=1e-5)
        assert one.ci is not None
        assert float(one.ci.low) == pytest.approx(bounds.low[at], abs=1e-4)


def test_one_group_moved_moves_its_comparisons_alone() -> None:
    cells = {name: moments(group) for name, group in PLANTS.items()}
    moved = {**cells, "trt2": Moments(10, cells["trt2"].mean + 10, cells["trt2"].variance)}
    before, after = (tukey_hsd(one, ONE, FIVE) for one in (cells, moved))
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, False]


def test_groups_without_variation_are_shown_without_a_p() -> None:
    flat = {name: Moments(5, Fraction(at), Fraction(0)) for at, name in enumerate("ab")}
    (found,) = tukey_hsd(flat, ONE, FIVE)
    assert (found.difference.decimal, found.ci, found.p) == ("-1.000000", None, None)
