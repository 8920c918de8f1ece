"""The calibration of planned power in a smaller form, and the two faults that it was made for."""

from fractions import Fraction

import numpy as np
import pytest

from agzamov_verify.scoring.sample_sizes import one_match, power_of
from calibration import planned_power
from calibration.error_rates import rate_of
from calibration.finding import FIVE, of_power

SEED = "calibration in the tests"


@pytest.mark.parametrize("name", planned_power.CHECKS)
def test_what_a_plan_promises_is_found_as_often(name: str) -> None:
    draw = np.random.Generator(np.random.PCG64(7))
    lines = [finding.line for finding in planned_power.CHECKS[name](name, planned_power.SMALL, draw)]
    assert lines
    assert [line for line in lines if not line.startswith("ok")] == []


@pytest.mark.slow
def test_a_win_rate_planned_with_the_spread_of_even_play_is_caught() -> None:
    """0.258 points in 30 games: promised 80 %, found in 73 %."""
    design = one_match(planned_power.WINS, 30, FIVE)
    assert design.blocks[0].units == 15
    draw, runs = np.random.Generator(np.random.PCG64(7)), 6_000
    values = [planned_power.pairs(draw, planned_power.WINS, 0.258, (15,)) for _ in range(runs)]
    hits = sum(planned_power.rejected(one, Fraction(65, 100), design) for one in values)
    rate = rate_of(hits, runs)
    assert not of_power("x", rate, Fraction(4, 5), planned_power.SLACK).passed
    assert of_power("x", rate, Fraction(power_of(design, 0.258)), planned_power.SLACK).passed


@pytest.mark.slow
def test_a_stopping_rule_at_one_stack_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned_power, "clip_chips_min", lambda rules, sessions: rules.stack_chips)
    draw = np.random.Generator(np.random.PCG64(7))
    first, *_ = planned_power.skewed("x", planned_power.SMALL, draw)
    assert not first.passed
