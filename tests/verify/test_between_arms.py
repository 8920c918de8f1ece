"""What differs between arms is named: a server that plays worse without a memory is; an honest one is in one of 100."""

from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agzamov_verify.experiment.matches import Arm, Augmentation, Condition
from agzamov_verify.games.holdem.game import PokerMatch
from agzamov_verify.scoring import between_arms
from agzamov_verify.scoring.between_arms import FAULTS, arm_differences, compared_arms
from agzamov_verify.show.text.figure_warnings import arm_warnings

CAREERS = 5
DECISIONS = 2_000
"""Of a career of 2,000 hands."""


def match(arm: Arm) -> Any:
    condition = Condition(augmentation=Augmentation.MEMORY, arm=arm, system="" if arm is Arm.NAKED else "recent")
    return PokerMatch(a="m", b="rival", phase=2, hands=10_000, careers=CAREERS, condition=condition)  # type: ignore[arg-type]


ARMS = {arm: match(arm) for arm in Arm}


def plan(*, is_model: bool = True) -> Any:
    seats = {"m": SimpleNamespace(is_model=is_model), "rival": SimpleNamespace(is_model=False)}
    return SimpleNamespace(matches=tuple(ARMS.values()), seats=seats, protocol="agz-0.1")


def tally(rng: np.random.Generator, tokens: float, illegal: float) -> Any:
    """One career of a model: its mean tokens a reply, and its share of illegal first attempts, which vary by career."""
    share = min(1.0, max(0.0, illegal * rng.normal(1, 0.1)))
    mean = tokens * rng.normal(1, 0.03)
    zeros = {f"first_{name}": 0 for name in FAULTS}
    counts = {"completion_tokens": int(DECISIONS * mean), "replies": DECISIONS, "failed_attempts": 0}
    own = {"calls": DECISIONS, "decisions": DECISIONS, "first_illegal": int(rng.binomial(DECISIONS, share))}
    return SimpleNamespace(**{**zeros, **counts, **own})


def blocks(rng: np.random.Generator, **worlds: tuple[float, float]) -> dict[str, list[Any]]:
    """The careers of each arm, by tokens a reply and illegal attempts."""
    made: dict[str, list[Any]] = {}
    for arm, world in worlds.items():
        careers = [
            SimpleNamespace(tallies=(tally(rng, *world), tally(rng, 100, 0.02)), records=()) for _ in range(CAREERS)
        ]
        made[ARMS[Arm(arm)].id] = careers
    return made


HONEST = (120.0, 0.03)


@pytest.mark.slow
def test_an_honest_endpoint_is_named_in_at_most_one_run_of_a_hundred() -> None:
    rng = np.random.default_rng(1)
    runs = 1_000
    told = sum(
        bool(arm_differences(plan(), blocks(rng, naked=HONEST, placebo=HONEST, real=HONEST), {})) for _ in range(runs)
    )
    assert told <= 0.015 * runs, "1 % and three errors of the simulation at most"


def test_a_server_that_errs_more_without_a_memory_is_named_in_nearly_every_run() -> None:
    rng = np.random.default_rng(2)
    cheat = (120.0, 0.12)
    runs = [arm_differences(plan(), blocks(rng, naked=cheat, placebo=cheat, real=HONEST), {}) for _ in range(100)]
    named = [{(one.figure, one.match.condition.arm, one.other.condition.arm) for one in found} for found in runs]
    assert sum(("illegal", Arm.REAL, Arm.NAKED) in one for one in named) >= 95
    assert sum(("illegal", Arm.PLACEBO, Arm.NAKED) in one for one in named) <= 2


def test_the_line_names_the_figure_and_both_arms() -> None:
    made = blocks(np.random.default_rng(3), naked=(40.0, 0.03), real=HONEST)
    (line,) = arm_warnings(plan(), made, {})
    assert line.startswith("in hold'em m writes 1")
    assert " tokens a reply with memory by recent, against " in line
    assert " without memory (control) (p " in line
    assert line.endswith("corrected, over 5 and 5 streams)")


def test_a_scripted_seat_is_not_looked_at_since_its_replies_are_computed_again() -> None:
    made = blocks(np.random.default_rng(3), naked=(40.0, 0.03), real=HONEST)
    assert arm_differences(plan(is_model=False), made, {}) == []


@pytest.mark.parametrize("careers", [1, CAREERS - 1])
def test_fewer_careers_than_a_verdict_needs_are_no_test(careers: int) -> None:
    made = blocks(np.random.default_rng(3), naked=(40.0, 0.03), real=HONEST)
    assert arm_differences(plan(), {name: own[:careers] for name, own in made.items()}, {}) == []


def rare(rng: np.random.Generator, mean: float) -> Any:
    """A career with a fault of its server here and there."""
    one = tally(rng, 120.0, 0.0)
    one.completion_tokens, one.first_no_reply, one.failed_attempts = (
        120 * DECISIONS,
        rng.poisson(mean),
        rng.poisson(mean),
    )
    return one


@pytest.mark.slow
@pytest.mark.parametrize("mean", [0.3, 1.0])
def test_a_rare_fault_here_and_there_is_no_difference(mean: float) -> None:
    """One fault in each career against none has hardly any variance: Welch's t by itself accused in up to 10 %."""
    rng, told = np.random.default_rng(5), 0
    for _ in range(400):
        made = {
            one.id: [SimpleNamespace(tallies=(rare(rng, mean), rare(rng, mean)), records=()) for _ in range(CAREERS)]
            for one in ARMS.values()
        }
        told += bool(arm_differences(plan(), made, {}))
    assert told <= 0.02 * 400


def test_a_server_that_always_fails_in_one_arm_is_named_though_nothing_varies() -> None:
    made = {}
    for arm, fails in ((Arm.NAKED, DECISIONS), (Arm.REAL, 0)):
        one = tally(np.random.default_rng(6), 120.0, 0.0)
        one.completion_tokens, one.first_illegal = 120 * DECISIONS, fails
        made[ARMS[arm].id] = [SimpleNamespace(tallies=(one, one), records=()) for _ in range(CAREERS)]
    (found,) = arm_differences(plan(), made, {})
    assert (found.figure, found.value, found.other_value) == ("illegal", 0, 1)


def test_each_arm_is_compared_with_its_control_and_a_real_one_with_its_systems_other_arms() -> None:
    pairs = [
        (one.condition.arm, other.condition.arm) for one, other in compared_arms(plan(), [m.id for m in ARMS.values()])
    ]
    controlled = [(arm, Arm.NAKED) for arm in Arm if arm is not Arm.NAKED]
    assert sorted(pairs) == sorted(
        [*controlled, (Arm.REAL, Arm.FILLER), (Arm.REAL, Arm.PLACEBO), (Arm.REAL, Arm.STALE)]
    )


def test_engine_moves_are_compared_where_every_game_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """44 % of moves the engine's with memory, 6 % without: the figures of the rebuilt chess cheat."""
    shares: dict[str, Sequence[int]] = {ARMS[Arm.NAKED].id: (5, 6, 7, 6, 6), ARMS[Arm.REAL].id: (40, 44, 47, 43, 46)}
    made = blocks(np.random.default_rng(4), naked=HONEST, real=HONEST)
    careers = {id(block): share for name, own in made.items() for block, share in zip(own, shares[name], strict=True)}
    monkeypatch.setattr(between_arms, "JUDGED", {"holdem": None})
    monkeypatch.setattr(between_arms, "_choice", lambda _match, seat_index, block, _answers: (careers[id(block)], 100))
    monkeypatch.setattr(between_arms, "_loss", lambda *_: (0, 0))
    found = {one.figure: one for one in arm_differences(plan(), made, {})}
    assert found["engine_choice"].value == Fraction(44, 100)
    assert found["engine_choice"].other_value == Fraction(6, 100)
    assert "loss" not in found


CHANCE, ENGINE_FIRST = 0.3, 0.75
MOVES, TRIED_AGAIN = 2_000, 60
"""Own moves of a career of 100 games, and those whose first reply was thrown away."""


def tried(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, chance: float) -> dict[str, list[Any]]:
    """Careers whose moves after failed tries are the engine's with a chance; the others with `CHANCE`."""

    def moves(_match: Any, _seat_index: int, _block: Any, _plan: Any, _answers: Any) -> dict[bool, list[Any]]:
        drawn = {True: rng.random(TRIED_AGAIN) < chance, False: rng.random(MOVES) < CHANCE}
        return {of: [SimpleNamespace(best=bool(one)) for one in own] for of, own in drawn.items()}

    made = blocks(rng, naked=HONEST, real=HONEST)
    for block in made[ARMS[Arm.REAL].id]:
        block.tallies[0].failed_attempts = 10
    monkeypatch.setattr(between_arms, "JUDGED", {"holdem": None})
    for name in ("_choice", "_loss"):
        monkeypatch.setattr(between_arms, name, lambda *_: (0, 0))
    monkeypatch.setattr(between_arms, "_by_tries", moves)
    monkeypatch.setattr(between_arms, "FAULTS", ())
    return made


def test_a_proxy_that_fails_until_a_good_move_comes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It throws a reply away unless it is the engine's, up to `attempts_max` times: the best of several."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        found = arm_differences(plan(), tried(rng, monkeypatch, ENGINE_FIRST), {})
        (within,) = [one for one in found if one.figure == "choice_after_failed_tries"]
        assert within.match is within.other
    (line,) = [line for line in arm_warnings(plan(), tried(rng, monkeypatch, ENGINE_FIRST), {}) if "after" in line]
    assert line.startswith("in hold'em m plays the engine's first choice in 7")
    assert " of its moves after retries of its server with memory by recent, against " in line
    assert " of its other moves (p " in line


@pytest.mark.slow
def test_failures_that_do_not_look_at_the_reply_are_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    runs = 300
    told = [
        one.figure
        for _ in range(runs)
        for one in arm_differences(plan(), tried(rng, monkeypatch, CHANCE), {})
        if one.match is one.other
    ]
    assert len(told) <= 0.015 * runs
