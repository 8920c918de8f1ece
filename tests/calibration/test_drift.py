"""Arms side by side keep their size when a model is updated; one after the other they do not, and this is seen."""

import pytest

from calibration import drift
from calibration.drift import Drift, Learner, findings

SEED = "agzamov calibration 1"


@pytest.mark.slow
@pytest.mark.parametrize("case", [Drift(0.03), Drift(0.03, drift.CAREERS), Learner(0.10)], ids=str)
def test_a_step_of_the_model_is_no_effect_and_no_learning(case: Drift | Learner) -> None:
    assert all(one.passed for one in findings(case, drift.SMALL, SEED))


@pytest.mark.slow
@pytest.mark.parametrize("case", [Drift(0.03, side_by_side=False), Learner(0.10, less_control=False)], ids=str)
def test_the_suite_catches_arms_one_after_the_other_and_learning_without_a_control(case: Drift | Learner) -> None:
    assert not all(one.passed for one in findings(case, drift.SMALL, SEED))
