"""Arms take turns: none runs ahead, careers begin together, a resumed run catches up first, a stop wakes all.

Which arm comes first is drawn for each unit: by the order of the plan an endpoint would know the placebo.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from agzamov_harness.cluster.shares import Share
from agzamov_harness.run import interleave
from agzamov_harness.run.interleave import Turns
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_verify.core.dice import Dice
from agzamov_verify.plan.streams import streams_of, unit_results
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.registry import GAMES

WAIT_S = 60
LEAD = load_protocol("agz-0.1").interleaving.lead_units
GAMES_PLANNED, CAREERS = 480, 2


CONDITIONS = ({}, {"arm": "placebo", "system": "recent"}, {"arm": "real", "system": "recent"})


def arm(careers: int = CAREERS, **condition: str) -> dict[str, Any]:
    match = {"phase": 2, "game": "chess960", "a": "one", "b": "other", "games": GAMES_PLANNED, "careers": careers}
    return {**match, "condition": {"augmentation": "memory", **condition}}


WISHED: dict[str, Any] = {
    "title": "Arms",
    "seats": {"one": {"kind": "reference"}, "other": {"kind": "reference"}},
    "systems": {"recent": {"kind": "memory", "server": "recent"}},
    "matches": [arm(**one) for one in CONDITIONS],
}
PLAN = plan_from(WISHED)
STREAMS = [stream for match in PLAN.matches for stream in streams_of(match)]
NAKED, PLACEBO, REAL = (match.id for match in PLAN.matches)
DICE = Dice(bytes(32))


class Played:
    """Streams that are played by threads as a runner does it; every begun result in the order of its beginning."""

    def __init__(self, slots: int, recorded: Callable[[StreamPlan], int] = lambda _: 0, dice: Dice = DICE) -> None:
        self.stop, self.begun, self.started = Stop(), [], []
        self.recorded = recorded
        self.turns = Turns(STREAMS, STREAMS, PLAN, dice, slots, self.stop, self.last)
        self.gates = {match.id: threading.Semaphore(0) for match in PLAN.matches}
        self.open = {match.id for match in PLAN.matches}
        self.lock = threading.Lock()

    def last(self, stream: StreamPlan) -> str:
        """The name of its last recorded result."""
        recorded = self.recorded(stream)
        return GAMES[stream.match.game].id_of(stream.match, stream.first + recorded - 1) if recorded else ""

    def questions(self, stream: StreamPlan) -> Iterator[tuple[int, Any]]:
        game = GAMES[stream.match.game]
        for number in range(stream.first, stream.first + stream.count):
            yield number, SimpleNamespace(game=game.id_of(stream.match, number))

    def play(self, stream: StreamPlan) -> None:
        try:
            for number, question in self.questions(stream):
                if number >= stream.first + self.recorded(stream):
                    self.turns.wait(stream, question)
                    with self.lock:
                        self.begun.append((stream.match.id, number))
                    while stream.match.id not in self.open and not self.gates[stream.match.id].acquire(timeout=0.01):
                        self.stop.check()
                self.turns.passed(stream, question)
        finally:
            self.turns.finished(stream)

    def all(self) -> None:
        with ThreadPoolExecutor(len(STREAMS)) as pool:
            futures = []
            for stream in self.turns.starting():
                self.started.append(stream)
                futures.append(pool.submit(self.play, stream))
            for future in futures:
                future.result(WAIT_S)

    def units(self) -> Counter[str]:
        with self.lock:
            return Counter(name for name, _ in {(name, number // 2) for name, number in self.begun})


def leads(begun: list[tuple[str, int]]) -> int:
    """The most units that an arm had begun more than another one at any time."""
    seen: dict[str, set[int]] = {NAKED: set(), PLACEBO: set(), REAL: set()}
    most = 0
    for name, number in begun:
        seen[name].add(number // 2)
        counts = [len(units) for units in seen.values()]
        most = max(most, max(counts) - min(counts))
    return most


def polled(found: Callable[[], bool]) -> None:
    for _ in range(WAIT_S * 100):
        if found():
            return
        threading.Event().wait(0.01)
    raise AssertionError


def test_no_arm_runs_ahead_of_one_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(slots=6)
    played.open = {NAKED, PLACEBO}  # the real arm's server does not answer
    runner = threading.Thread(target=played.all)
    runner.start()
    ahead = CAREERS + LEAD  # each career of the real arm has begun a unit
    polled(lambda: played.units()[NAKED] == played.units()[PLACEBO] == ahead)
    threading.Event().wait(1)
    assert played.units()[NAKED] == played.units()[PLACEBO] == ahead
    played.open = {NAKED, PLACEBO, REAL}
    runner.join(WAIT_S)
    assert not runner.is_alive()
    assert len(played.begun) == 3 * GAMES_PLANNED
    assert leads(played.begun) <= ahead, "as noted after each unit has begun"

    norms = load_protocol("agz-0.1")
    without = msgspec.structs.replace(norms, interleaving=msgspec.structs.replace(norms.interleaving, lead_units=10**6))
    monkeypatch.setattr(interleave, "load_protocol", lambda _: without)
    free = Played(slots=6)
    free.open = {NAKED, PLACEBO}
    runner = threading.Thread(target=free.all)
    runner.start()
    polled(lambda: free.units()[NAKED] == GAMES_PLANNED // 2)
    free.open = {NAKED, PLACEBO, REAL}
    runner.join(WAIT_S)
    assert leads(free.begun) > LEAD


def test_one_slot_plays_the_arms_in_turn_and_their_careers_together() -> None:
    played = Played(slots=1)
    played.all()
    firsts = list(dict.fromkeys((name, number // 2) for name, number in played.begun))
    for unit in (0, 1):
        assert set(firsts[3 * unit : 3 * unit + 3]) == {(name, unit) for name in (NAKED, PLACEBO, REAL)}
    assert leads(played.begun) == 1
    half = GAMES_PLANNED // CAREERS // 2
    second = [firsts.index((name, half)) for name in (NAKED, PLACEBO, REAL)]
    assert max(second) - min(second) == 2, "the second careers begin together"


@pytest.mark.parametrize(("slots", "within"), [(1, 0.05), (2, 0.2)])
def test_the_earlier_one_of_a_pair_is_the_placebo_about_half_of_the_time(slots: int, within: float) -> None:
    """173 of 177 pairs were told by their order at two calls at a time: the plan's order broke every tie.

    At two an arm that is ahead stays so for a while, so that pairs of one run are alike: eight runs are counted.
    """
    pairs, runs = GAMES_PLANNED // 2, 8
    earlier = 0
    for seed in range(runs):
        played = Played(slots, dice=Dice(bytes([seed]) * 32))
        played.all()
        units = list(dict.fromkeys((name, number // 2) for name, number in played.begun))
        places = {unit: place for place, unit in enumerate(units)}
        earlier += sum(places[PLACEBO, unit] < places[REAL, unit] for unit in range(pairs))
        assert leads(played.begun) <= CAREERS + LEAD
    assert abs(earlier / (pairs * runs) - 0.5) < within


def order(recorded: Callable[[StreamPlan], int] = lambda _: 0, dice: Dice = DICE) -> list[tuple[str, int]]:
    """The games in the order in which they are begun, one at a time."""
    played = Played(1, recorded, dice)
    played.all()
    return played.begun


def new_units(before: list[tuple[str, int]], after: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The units that are begun `after`, in order: what was left of one in the middle of a stop is no new one."""
    begun = {(name, number // 2) for name, number in before}
    return [unit for unit in dict.fromkeys((name, number // 2) for name, number in after) if unit not in begun]


@pytest.mark.parametrize("begun", [7, 200, 500, 731, 1100])
def test_a_resumed_run_goes_on_in_the_order_of_its_seed(begun: int) -> None:
    whole = order()
    before = Counter((name, number // (GAMES_PLANNED // CAREERS)) for name, number in whole[:begun])
    rest = order(lambda stream: before[stream.match.id, stream.first // stream.count])
    assert new_units(whole[:begun], rest) == new_units(whole[:begun], whole[begun:])
    assert set(rest) == set(whole[begun:])
    assert whole != order(dice=Dice(bytes([1]) * 32)), "another seed, another order"


def test_where_there_is_room_all_careers_of_all_arms_begin_first() -> None:
    played = Played(slots=3 * CAREERS)
    played.open = set()
    runner = threading.Thread(target=played.all)
    runner.start()
    polled(lambda: len(played.begun) == 3 * CAREERS)
    firsts = {(stream.match.id, stream.first) for stream in STREAMS}
    assert set(played.begun) == firsts
    played.open = {NAKED, PLACEBO, REAL}
    runner.join(WAIT_S)
    assert not runner.is_alive()


def test_a_resumed_run_plays_first_what_is_behind() -> None:
    played = Played(slots=1, recorded=lambda stream: 120 if stream.match.id == REAL else 0)
    played.all()
    names = [name for name, _ in played.begun]
    assert REAL not in names[: 2 * 2 * 40], "the real arm waits until the others are where it was"
    assert len(names) == 3 * GAMES_PLANNED - 2 * 120


def test_what_is_recorded_of_careers_that_come_later_is_counted_from_the_start() -> None:
    """The real arm's second career was far ahead, and nobody knew before it began."""
    played = Played(slots=1, recorded=lambda stream: 120 if stream.match.id == REAL else 0)
    played.all()
    first = [name for name, _ in played.begun].index(REAL)
    recorded_units = CAREERS * 120 // 2
    assert first >= 2 * 2 * (recorded_units - LEAD - 1)
    assert Counter(name for name, _ in played.begun)[REAL] == GAMES_PLANNED - CAREERS * 120


@pytest.mark.parametrize(
    ("result", "unit"),
    [("", 0), ("no number", 0), ("x-g-3", 0), ("x-g5", 3), ("x-g99999999", 120), ("x-g" + "9" * 5000, 0)],
    ids=lambda value: str(value)[:12],
)
def test_a_journal_that_lies_counts_for_no_more_than_its_stream(result: str, unit: int) -> None:
    """The journal is checked when its stream begins; until then its last name is anybody's word."""
    assert interleave.PacedStream(STREAMS[0], unit_results(STREAMS[0].match, PLAN)).units_recorded(result) == unit


def test_a_stop_wakes_every_stream_that_waits() -> None:
    played = Played(slots=2)
    played.open = {NAKED}
    raised: list[BaseException] = []

    def run() -> None:
        try:
            played.all()
        except Stopped as error:
            raised.append(error)

    runner = threading.Thread(target=run)
    runner.start()
    polled(lambda: len(played.begun) >= 2)
    played.stop.request("enough")
    runner.join(WAIT_S)
    assert not runner.is_alive()
    assert str(raised[0]) == "enough"


@pytest.mark.parametrize("count", [2, 3])
def test_a_share_has_streams_of_every_arm(count: int) -> None:
    """Three shares of three arms had one arm each: an arm was one machine at one time."""
    plan = plan_from({**WISHED, "matches": [arm(careers=6, **one) for one in CONDITIONS]})
    for index in range(count):
        own = Share(index, count).streams(plan)
        arms = Counter(stream.match.id for match in plan.matches for stream in streams_of(match) if stream.id in own)
        assert dict(arms) == {match.id: 6 // count for match in plan.matches}
