"""The calibration of the A-Score finds an interval that does not cover and a sub-score that does not fall."""

from dataclasses import replace
from typing import Any

import pytest

from agzamov_verify.scoring.agzamov import score_bootstrap
from agzamov_verify.scoring.inference.samples import Interval
from calibration import scores

SEED = "a seed"
WORLD = replace(scores.NULL, pairs=30, sessions=20)


def test_a_sound_interval_passes() -> None:
    assert scores.coverage(WORLD, scores.SMALL, SEED).passed


def test_an_interval_that_is_too_narrow_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def narrow(*given: Any) -> Any:
        found = score_bootstrap.spread_of(*given)
        middle = (float(found.ci.low) + float(found.ci.high)) / 2
        return found._replace(ci=Interval(f"{middle - 1:.6f}", f"{middle + 1:.6f}", "too narrow"))

    monkeypatch.setattr(scores, "spread_of", narrow)
    found = scores.coverage(WORLD, scores.SMALL, SEED)
    assert not found.passed


def test_a_sub_score_that_rises_with_tau_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "mean_speed", lambda game, gain, tau, count, seed: 0.7 + tau / 10_000 if gain else 0.0)
    falls, at_once, none = scores.courses("holdem", 2_000, SEED)
    assert (falls.passed, at_once.passed, none.passed) == (False, False, True)


def test_the_true_score_without_an_effect_is_the_papers_floor() -> None:
    assert scores.true_score(scores.NULL) == pytest.approx(100 * (1 + 0.65) / 7)
