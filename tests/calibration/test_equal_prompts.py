"""The worlds of equal prompts, in few runs: who treats times otherwise is named for it, and an honest one is not."""

import pickle

import numpy as np
import pytest

from agzamov_verify.scoring.exchangeability import Compared
from calibration import equal_prompts, suite
from calibration.equal_prompts import HONEST, TREATING, Endpoint, analysed_run


@pytest.mark.parametrize("endpoint", TREATING, ids=lambda one: one.name)
def test_who_treats_prompts_otherwise_is_named(endpoint: Endpoint) -> None:
    found = analysed_run(endpoint, np.random.default_rng(1))
    assert any(test.is_told for test in found)


@pytest.mark.slow
def test_a_late_change_is_named_for_its_time() -> None:
    (late,) = (one for one in TREATING if "last third" in one.name)
    told = [test for test in analysed_run(late, np.random.default_rng(1)) if test.is_told]
    assert Compared.TIME in {test.compared for test in told}


@pytest.mark.parametrize("endpoint", HONEST, ids=lambda one: one.name)
def test_an_honest_endpoint_is_not_named(endpoint: Endpoint) -> None:
    rng = np.random.default_rng(1)
    assert not any(test.is_told for _ in range(2) for test in analysed_run(endpoint, rng))


@pytest.mark.slow
def test_a_test_that_is_not_corrected_would_accuse_an_honest_one() -> None:
    """One defect: without the margin and the correction, one of 25 honest runs is named at five times the level."""
    rng, honest = np.random.default_rng(1), HONEST[2]
    ps = [min(float(test.p.decimal) for test in analysed_run(honest, rng)) for _ in range(25)]
    assert min(ps) < 0.025


def test_the_suite_has_every_world() -> None:
    names = {endpoint.name for endpoint in (*HONEST, *TREATING)}
    assert names < set(equal_prompts.CASES)
    (found,) = equal_prompts.findings("deterministic", 1, "seed")
    assert found.passed


def test_every_case_of_the_suite_can_be_sent_to_another_process() -> None:
    """Functions without a name cannot, and the whole suite ended with a traceback."""
    for part in suite.PARTS.values():
        for case in part.cases:
            pickle.dumps(case)
