"""The shortest time of a plan: the calls of its longest stream in turn, and the calls in flight that help."""

from fractions import Fraction
from math import ceil
from typing import Any

import pytest

from agzamov_harness.planning.shortest_time import shortest_time
from agzamov_harness.planning.workload import load_of
from agzamov_harness.run.assumptions import Assumptions
from agzamov_harness.run.plan_file import plan_from, read_plan
from agzamov_verify.plan.manifest import Plan
from harness.phase_plans import MANIFESTS

MODEL = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
SANITY = {"phase": 0, "game": "chess960", "a": "smol", "b": "dice", "games": 30, "block_games": 6}
PLIES, SECONDS = 110, 3


def plan(*matches: dict[str, Any], **changes: Any) -> Plan:
    seats = {"smol": MODEL, "dice": {"kind": "random"}}
    return plan_from({"title": "Time", "seats": seats, "matches": list(matches), **changes})


def of_blocks(calls: int, games: int) -> bool:
    """Whether these are the calls of so many games: 55 moves each, and up to a tenth of planted questions."""
    moves = games * PLIES // 2
    return moves < calls < 1.1 * moves


def test_a_block_of_games_is_played_in_turn_and_blocks_side_by_side() -> None:
    """30 games are 5 blocks."""
    found = shortest_time(plan(SANITY), Assumptions(seconds_per_call=Fraction(SECONDS)))
    assert found
    assert of_blocks(found.calls, 6)
    assert (found.in_flight, found.seconds) == (5, found.calls * SECONDS)
    assert found.longest.id == plan(SANITY).matches[0].id


def test_phases_are_played_one_after_another() -> None:
    match = {**SANITY, "phase": 1, "b": "smol", "games": 8, "block_games": 8}  # the model plays both sides
    found = shortest_time(plan(SANITY, match), Assumptions(seconds_per_call=Fraction(SECONDS)))
    assert found
    assert of_blocks(found.calls, 2 * 8)
    assert of_blocks(int(found.seconds) // SECONDS, 6 + 2 * 8)
    assert found.in_flight == 5


def test_a_plan_of_scripted_players_has_no_such_time() -> None:
    dice = {**SANITY, "phase": 1, "a": "dice"}
    assert shortest_time(plan(dice, seats={"dice": {"kind": "random"}}), Assumptions()) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["phase3", "phase5"])
def test_of_a_normative_plan_no_calls_in_flight_are_enough_to_be_faster(name: str) -> None:
    """So many calls in flight as help, each busy all the time, take no longer than the longest streams."""
    read = read_plan(MANIFESTS / f"{name}.yaml")
    assumed = Assumptions()
    found = shortest_time(read, assumed)
    assert found
    calls = sum(seat.calls for seat in load_of(read, assumed).seats if read.seats[seat.seat].is_model)
    busy_s = ceil(Fraction(calls, found.in_flight)) * assumed.seconds_per_call
    assert busy_s <= found.seconds < calls * assumed.seconds_per_call
