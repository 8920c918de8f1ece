"""The check log: a step fails by what was found in it, however much was found elsewhere."""

import pytest

from agzamov_verify.checks.check_log import FINDINGS_MAX, CheckLog, Finding, Number, Status, StepFailed


def test_a_finding_beyond_those_that_are_kept_fails_its_step_all_the_same() -> None:
    log = CheckLog()
    log.take(Finding(Number.SEATS, f"game {at}", "one", "another") for at in range(FINDINGS_MAX))
    log.add(Number.REPLAY, "game 0", "a question", "another")
    assert len(log.findings) == FINDINGS_MAX
    with log.step(Number.JOURNAL):
        pass
    with pytest.raises(StepFailed), log.step(Number.REPLAY):
        pass
    failed = [step.number for step in log.steps if step.status is Status.FAIL]
    assert failed == [Number.REPLAY, Number.SEATS]


def test_a_step_in_which_nothing_was_found_passes() -> None:
    log = CheckLog()
    with log.step(Number.NAMES):
        pass
    assert log.steps[0].status is Status.PASS
