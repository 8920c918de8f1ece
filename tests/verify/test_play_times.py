"""Overlap of arms in time: worked examples by hand, pauses that take no room, and the warning of arms apart."""

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from agzamov_verify.experiment.matches import Arm, Augmentation, Condition
from agzamov_verify.games.chess.game import ChessMatch
from agzamov_verify.scoring.inference.exact import figure
from agzamov_verify.scoring.learning.outcome import TrendVerdict
from agzamov_verify.scoring.play_times import SLICES, ArmTimes, compared_times, overlap, overlaps
from agzamov_verify.show.text.figure_warnings import apart_warnings, drift_warnings

DAY = 86_400


def match(arm: Arm) -> Any:
    system = "" if arm is Arm.NAKED else "recent"
    condition = Condition(augmentation=Augmentation.MEMORY, arm=arm, system=system)
    return ChessMatch(a="one", b="other", phase=2, games=20, condition=condition)  # type: ignore[arg-type]


NAKED, REAL = match(Arm.NAKED), match(Arm.REAL)


def shared(naked: Counter[int], real: Counter[int]) -> Fraction:
    times = list(compared_times([NAKED, REAL], {NAKED.id: naked, REAL.id: real}))
    (row,) = overlaps([NAKED, REAL], times)
    assert row[:2] == (REAL, NAKED)
    return row[2]


def test_the_overlap_is_the_part_that_two_distributions_share() -> None:
    # By hand: min(1/2, 1/4) + min(1/2, 1/4) + min(0, 1/2) = 1/2.
    assert overlap(ArmTimes(0, 9, (5, 5, 0)), ArmTimes(0, 9, (1, 1, 2))) == Fraction(1, 2)


def test_arms_side_by_side_overlap_in_full_and_one_after_the_other_not_at_all() -> None:
    hour = Counter(range(1000, 4600))
    assert shared(hour, hour) == 1
    assert shared(hour, Counter(range(4600, 8200))) == 0


def test_a_pause_of_days_takes_no_room() -> None:
    both = Counter(range(1000, 1500)) + Counter(range(9 * DAY, 9 * DAY + 500))
    assert shared(both, both) == 1
    first, second = Counter(range(1000, 1500)), Counter(range(1500, 2000))
    late = Counter(range(9 * DAY, 9 * DAY + 10))
    assert shared(first + late, second) < Fraction(1, SLICES), "before the pause one was over when the other began"


def test_the_parts_have_equally_many_calls() -> None:
    ((times),) = compared_times(
        [NAKED, REAL], {NAKED.id: Counter(range(0, 4800, 2)), REAL.id: Counter(range(1, 4800, 2))}
    )
    assert len(times.begins_s) == SLICES
    sums = [sum(both) for both in zip(*(arm.calls for arm in times.matches.values()), strict=True)]
    assert sums == [200] * SLICES


def test_an_arm_that_is_compared_with_nothing_has_no_times() -> None:
    assert list(compared_times([NAKED, REAL], {NAKED.id: Counter([1, 2])})) == []
    assert list(compared_times([NAKED, REAL], {})) == []


HOSTED = "http://x/v1"


@pytest.mark.parametrize(("url", "gap", "warned"), [(HOSTED, 4000, True), (HOSTED, 0, False), (None, 4000, False)])
def test_a_hosted_arm_that_was_played_at_other_times_is_warned_of(url: str | None, gap: int, *, warned: bool) -> None:
    seats = {name: SimpleNamespace(server_url=url) for name in ("one", "other")}
    plan: Any = SimpleNamespace(protocol="agz-0.1", matches=(NAKED, REAL), seats=seats)
    seconds = {NAKED.id: Counter(range(1, 3000)), REAL.id: Counter(range(1 + gap, 3000 + gap))}
    calls: Any = SimpleNamespace(times=tuple(compared_times(plan.matches, seconds)))
    lines = list(apart_warnings(plan, calls))
    assert len(lines) == warned
    if warned:
        assert lines[0].startswith(f"{REAL.id}: only 0 % of its calls were made at the times of its control {NAKED.id}")


@pytest.mark.parametrize(
    ("arm", "verdict", "warned"),
    [
        (Arm.NAKED, TrendVerdict.DECLINED, True),
        (Arm.NAKED, TrendVerdict.NO_CONVERGENCE_DETECTED, False),
        (Arm.REAL, TrendVerdict.DECLINED, False),
    ],
)
def test_a_naked_arm_that_changes_by_itself_is_warned_of(arm: Arm, verdict: TrendVerdict, *, warned: bool) -> None:
    played = match(arm)
    learned = SimpleNamespace(verdict=verdict, p_corrected=figure(Fraction(1, 100)))
    analysis: Any = SimpleNamespace(matches=[SimpleNamespace(id=played.id, learned=learned)])
    plan: Any = SimpleNamespace(matches=(played,))
    lines = list(drift_warnings(plan, analysis))
    assert len(lines) == warned
    assert not warned or "the results of this naked arm fall while it is played (p 0.01)" in lines[0]
