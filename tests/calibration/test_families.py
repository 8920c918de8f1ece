"""Families of tests in the calibration suite, and the two defects that they must catch."""

from fractions import Fraction
from itertools import combinations

import pytest

from agzamov_harness.matrix.pairwise_comparisons import CellSample, Pair
from agzamov_verify.protocols.norms import VerdictNorm
from agzamov_verify.scoring.learning.outcome import LearningRule, TrendTest
from calibration import families

SEED = "families in the tests"


@pytest.mark.slow
@pytest.mark.parametrize("kind", families.KINDS)
def test_families_hold_their_level_and_planted_trends_are_found(kind: str) -> None:
    found = families.findings(kind, families.SMALL, SEED)
    assert found
    assert [one.line for one in found if not one.passed] == []


def test_a_family_that_is_not_corrected_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_corrected(tests: list[TrendTest], rules: list[LearningRule]) -> list[TrendTest]:
        assert len(tests) == len(rules)
        return tests

    monkeypatch.setattr(families, "corrected_trends", not_corrected)
    found = families.findings("run of matches", families.SMALL, SEED)[0]
    assert not found.passed, found.line


@pytest.mark.slow
def test_pairs_that_are_not_corrected_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def each_by_itself(groups: dict[str, list[CellSample]], least: VerdictNorm) -> tuple[Pair, ...]:
        pairs = combinations(groups["game"], 2)
        return tuple(pair for two in pairs for pair in whole({"game": list(two)}, least))

    whole = families.all_pairs
    monkeypatch.setattr(families, "all_pairs", each_by_itself)
    assert not any(one.passed for one in families.findings("matrix", families.SMALL, SEED))


@pytest.mark.slow
def test_a_fall_that_is_not_looked_for_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def upwards(values: list[int], rule: LearningRule, seed: bytes) -> TrendTest:
        found = whole(values, rule, seed)
        return (
            found if found.rises else TrendTest(families.TrendVerdict.NO_CONVERGENCE_DETECTED, Fraction(1), None, False)
        )

    whole = families.trend_test
    monkeypatch.setattr(families, "trend_test", upwards)
    _, fall = families.findings("planted trend", families.SMALL, SEED)
    assert not fall.passed, fall.line
