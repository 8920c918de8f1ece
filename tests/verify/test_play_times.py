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
from agzamov_verify.scoring.results import Results
from agzamov_verify.show.text.figure_warnings import apart_warnings, drift_warnings, retry_warnings

DAY = 86_400


def match(arm: Arm) -> Any:
    system = "" if arm is Arm.NAKED else "recent"
    condition = Condition(augmentation=Augmentation.MEMORY, arm=arm, system=system)
    return ChessMatch(a="one", b="other", phase=2, games=20, condition=condition)  # type: ignore[arg-type]


NAKED, REAL = match(Arm.NAKED), match(Arm.REAL)


def many(_: Any) -> int:
    """Units of a match, enough for every part."""
    return 100


def shared(naked: Counter[int], real: Counter[int]) -> Fraction:
    times = list(compared_times([NAKED, REAL], {NAKED.id: naked, REAL.id: real}, many))
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
    even, odd = Counter(range(0, 4800, 2)), Counter(range(1, 4800, 2))
    (times,) = compared_times([NAKED, REAL], {NAKED.id: even, REAL.id: odd}, many)
    assert len(times.begins_s) == SLICES
    sums = [sum(both) for both in zip(*(arm.calls for arm in times.matches.values()), strict=True)]
    assert sums == [200] * SLICES


def test_an_arm_that_is_compared_with_nothing_has_no_times() -> None:
    assert list(compared_times([NAKED], {NAKED.id: Counter([1, 2])}, many)) == []
    (alone,) = compared_times([NAKED, REAL], {NAKED.id: Counter([1, 2])}, many)
    assert list(alone.matches) == [NAKED.id], "so that it is seen which of the two does not say when"
    assert list(compared_times([NAKED, REAL], {}, many)) == []


HOSTED = "http://x/v1"


@pytest.mark.parametrize(("url", "gap", "warned"), [(HOSTED, 4000, True), (HOSTED, 0, False), (None, 4000, False)])
def test_a_hosted_arm_that_was_played_at_other_times_is_warned_of(url: str | None, gap: int, *, warned: bool) -> None:
    seats = {name: SimpleNamespace(server_url=url) for name in ("one", "other")}
    plan: Any = SimpleNamespace(protocol="agz-0.1", matches=(NAKED, REAL), seats=seats)
    seconds = {NAKED.id: Counter(range(1, 3000)), REAL.id: Counter(range(1 + gap, 3000 + gap))}
    calls: Any = SimpleNamespace(times=tuple(compared_times(plan.matches, seconds, many)), matches={})
    lines = list(apart_warnings(plan, calls))
    assert len(lines) == warned
    if warned:
        assert lines[0].startswith(f"{REAL.id}: only 0 % of its calls were made at the times of its control {NAKED.id}")


@pytest.mark.parametrize(("timed", "hosted", "warned"), [(0, True, 1), (40, True, 1), (60, True, 0), (0, False, 0)])
def test_an_arm_of_a_hosted_model_that_does_not_say_when_it_was_played_is_warned_of(
    timed: int, *, hosted: bool, warned: bool
) -> None:
    """Who leaves the seconds out was not warned of, who writes them was."""
    seats = {name: SimpleNamespace(server_url="https://a.example/v1" if hosted else None) for name in ("one", "other")}
    plan: Any = SimpleNamespace(protocol="agz-0.1", matches=(NAKED, REAL), seats=seats)
    seconds = {NAKED.id: Counter(range(1, 101)), REAL.id: Counter(range(1, 1 + timed))}
    seat_calls = {"one": SimpleNamespace(answers=60), "memory_a": SimpleNamespace(answers=40)}
    times = tuple(compared_times(plan.matches, seconds, lambda _: 2))  # one part: nothing is said of their overlap
    calls: Any = SimpleNamespace(times=times, matches={NAKED.id: seat_calls, REAL.id: seat_calls})
    lines = list(apart_warnings(plan, calls))
    assert len(lines) == warned
    if warned:
        assert lines[0].startswith(f"{REAL.id}: only {timed} % of its calls say when they were made (expected at least")


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
    p = Fraction(1, 100) if verdict is TrendVerdict.DECLINED else Fraction(3, 10)
    learned = SimpleNamespace(verdict=verdict, p_corrected=figure(p))
    analysis: Any = SimpleNamespace(matches=[SimpleNamespace(id=played.id, learned=learned)])
    seats = {name: SimpleNamespace(is_model=True) for name in ("one", "other")}
    plan: Any = SimpleNamespace(matches=(played,), seats=seats)
    lines = list(drift_warnings(plan, analysis))
    assert len(lines) == warned
    assert not warned or "the results of this arm without help fall while it is played (p 0.01, corrected)" in lines[0]


@pytest.mark.parametrize(("units", "parts"), [(4, 2), (20, 10), (100, SLICES)])
def test_short_arms_that_take_turns_overlap_in_parts_of_two_units(units: int, parts: int) -> None:
    """Parts finer than a unit called arms apart that took turns unit by unit."""
    turns = [Counter(range(at, 300 * units, 300)) for at in (0, 100)]
    seconds = [Counter({second + more: 1 for second in arm for more in range(100)}) for arm in turns]
    (times,) = compared_times([NAKED, REAL], {NAKED.id: seconds[0], REAL.id: seconds[1]}, lambda _: units)
    assert len(times.begins_s) == parts
    ((_, _, share),) = overlaps([NAKED, REAL], [times])
    assert share >= Fraction(3, 5)


@pytest.mark.parametrize(("failed", "is_model", "warned"), [(3, True, True), (2, True, False), (50, False, False)])
def test_a_server_that_fails_often_is_warned_of(failed: int, *, is_model: bool, warned: bool) -> None:
    """Attack W7: a proxy that answers 500 to bad moves gets the best of `attempts_max`."""
    stats = SimpleNamespace(seat="one", failed_attempts=failed, calls=100)
    twice = (SimpleNamespace(match="m", seat_stats=(stats,)),) * 2
    results = Results("", "", "agz-0.1", (), twice, ())  # type: ignore[arg-type]  # what it reads
    plan: Any = SimpleNamespace(protocol="agz-0.1", seats={"one": SimpleNamespace(is_model=is_model)})
    lines = list(retry_warnings(plan, results))
    assert len(lines) == warned
    if warned:
        assert lines[0].startswith("seat one: 3 retries in 100 calls (3.0 %, expected at most 2 %)")
