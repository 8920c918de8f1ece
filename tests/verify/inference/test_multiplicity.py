"""Corrections against statsmodels, scipy, and Benjamini and Hochberg's own example."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from agzamov_verify.scoring.inference.significance import benjamini_hochberg, bonferroni, holm

p_values = st.lists(st.integers(0, 10**6).map(lambda n: Fraction(n, 10**6)), min_size=1, max_size=15)
# Benjamini and Hochberg 1995, section 4.2: fifteen p-values of a study of myocardial infarction.
FIFTEEN = [
    0.0001,
    0.0004,
    0.0019,
    0.0095,
    0.0201,
    0.0278,
    0.0298,
    0.0344,
    0.0459,
    0.3240,
    0.4262,
    0.5719,
    0.6528,
    0.7590,
    1,
]


@pytest.fixture(scope="module", autouse=True)
def _uncollected() -> Iterator[None]:
    """`multipletests` begins with a full garbage collection, which is nearly all that hundreds of calls take."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("gc.collect", lambda: 0)
        yield


@pytest.mark.slow
@given(p_values)
def test_all_corrections_are_statsmodels(found: list[Fraction]) -> None:
    plain = [float(p) for p in found]
    assert [float(p) for p in bonferroni(found)] == pytest.approx(multipletests(plain, method="bonferroni")[1])
    assert [float(p) for p in holm(found)] == pytest.approx(multipletests(plain, method="holm")[1])
    assert [float(p) for p in benjamini_hochberg(found)] == pytest.approx(multipletests(plain, method="fdr_bh")[1])
    assert [float(p) for p in benjamini_hochberg(found)] == pytest.approx(stats.false_discovery_control(plain))


def test_the_authors_example_rejects_four_where_bonferroni_rejects_three() -> None:
    found = [Fraction(str(p)) for p in FIFTEEN]
    assert sum(p <= Fraction(1, 20) for p in benjamini_hochberg(found)) == 4
    assert sum(p <= Fraction(1, 20) for p in bonferroni(found)) == 3


def test_a_family_keeps_its_declared_size_when_tests_are_missing() -> None:
    assert bonferroni([Fraction(1, 100)], 5) == [Fraction(1, 20)]
    with pytest.raises(ValueError, match="family of 1"):
        bonferroni([Fraction(1, 2)] * 2, 1)


def test_of_no_tests_nothing_is_adjusted() -> None:
    assert bonferroni([]) == holm([]) == benjamini_hochberg([]) == []
