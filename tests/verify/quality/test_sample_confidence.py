"""What a sample without a fault shows, against scipy's hypergeometric distribution and the rule of three."""

import pytest
import scipy.stats

from agzamov_verify.checks.random_sample import sample, wrong_below

SEED = "00" * 16


@pytest.mark.parametrize(("total", "asked"), [(1425, 100), (1000, 300), (85_000, 300), (60, 59), (60, 1), (2, 1)])
def test_fewer_wrong_answers_could_be_missed_and_so_many_could_not(total: int, asked: int) -> None:
    bound = wrong_below(total, asked)

    def missed(wrong: int) -> float:
        return float(scipy.stats.hypergeom(total, wrong, asked).pmf(0))

    assert missed(bound) < 0.05
    assert missed(bound - 1) >= 0.05


def test_for_many_answers_it_is_the_rule_of_three() -> None:
    assert wrong_below(1_000_000, 300) / 1_000_000 == pytest.approx(3 / 300, rel=0.01)


def test_where_all_were_asked_not_one_is_wrong() -> None:
    assert wrong_below(60, 60) == wrong_below(0, 0) == 1


def test_where_none_was_asked_all_may_be_wrong() -> None:
    assert wrong_below(60, 0) == 61


def test_a_sample_is_without_repetition_in_order_and_the_same_for_its_seed() -> None:
    drawn = sample(range(100), 30, SEED)
    assert drawn == sorted(set(drawn))
    assert len(drawn) == 30
    assert drawn == sample(range(100), 30, SEED)
    assert drawn != sample(range(100), 30, "01" * 16)


@pytest.mark.parametrize("count", [3, 4, 1000])
def test_a_sample_as_large_as_the_whole_is_the_whole(count: int) -> None:
    assert sample("abc", count, SEED) == ["a", "b", "c"]


def test_every_item_is_as_likely_as_another() -> None:
    counts = [0] * 10
    for number in range(2000):
        for at in sample(range(10), 3, number.to_bytes(16, "big").hex()):
            counts[at] += 1
    assert scipy.stats.chisquare(counts).pvalue > 0.001
