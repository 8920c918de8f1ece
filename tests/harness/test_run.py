"""The runner: the order of play shows nowhere, Phase 0 decides what follows, and a run that stops goes on."""

import shutil
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_harness.ports import PortFault
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import Answering, World, ports_of
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.play_stream import durable_unit
from agzamov_harness.run.progress import State
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import Blocks, Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_harness.seat_kinds.scripted_kind import LocalSeat
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.script import Answerer
from agzamov_verify.plan.streams import streams_of
from agzamov_verify.scoring.results import Results, results_of
from agzamov_verify.seats import RandomSeat, ReferenceSeat
from bundles.bundle_factory import SUBMITTER

SECRET = bytes(range(32))
WAIT_S = 120.0

# Two seats and a random one, in both games and both phases; no engine, so that every answer is in this file.
PLAN: dict[str, Any] = {
    "title": "Runner",
    "seats": {"agent": {"kind": "reference"}, "other": {"kind": "reference"}, "dice": {"kind": "random"}},
    "chess960": {"adjudication": {"policy": "none"}, "illegal": "retry_then_forfeit", "plies_max": 4},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 6, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 4, "block_hands": 2},
        {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 4, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 4, "block_hands": 2},
        {"phase": 1, "game": "holdem", "a": "other", "b": "other", "hands": 4, "block_hands": 2},
    ],
}
CHESS0, POKER0, CHESS1, POKER1, OTHER1 = (
    "p0-chess960-naked-agent",
    "p0-holdem-naked-agent",
    "p1-chess960-naked-agent",
    "p1-holdem-naked-agent",
    "p1-holdem-naked-other",
)
PAWNS = ("a2a3", "a7a6", "b2b3", "b7b6")


def scripted(question: Question) -> Answer:
    """Seats push pawns that every start has and fold at once; in chess the random seat gives nothing legal."""
    assert isinstance(question, Chat)
    if "holdem" in question.game:
        return Reply(text="ACTION: fold", prompt_tokens=100, completion_tokens=1)
    move = "resign" if question.to == "dice" else PAWNS[question.turn]
    return Reply(text=f"MOVE: {move}", prompt_tokens=100, completion_tokens=1)


def sealed(folder: Path, **changes: object) -> RunDirectory:
    """The plan with some keys changed, sealed with a secret that is the same in every test."""
    plan = plan_from({**PLAN, **changes})
    manifest, secret = seal(plan, key_id(SUBMITTER.public_key()), None, SECRET)
    manifest = msgspec.structs.replace(manifest, nonce="0" * 32)
    return run_folder.create(folder, manifest, secret, SUBMITTER)


def play(directory: RunDirectory, world: Answerer = scripted, stop: Stop | None = None, concurrency: int = 1) -> Blocks:
    """Play a run to its end, or to what stops it."""
    ticks = count(step=1_000)
    state = State(directory.manifest.plan, None)
    return Runner(directory, Answering(world), lambda: next(ticks), state, stop or Stop(), concurrency).play()


def results(directory: RunDirectory, blocks: Blocks) -> Results:
    manifest = directory.manifest
    return results_of(manifest.run_id, manifest.plan, blocks)


def journals(directory: RunDirectory) -> dict[str, bytes]:
    """Every stream's journal, by name."""
    return {path.parent.name: path.read_bytes() for path in sorted(directory.journal.glob("*/*.jsonl"))}


def played(directory: RunDirectory) -> set[str]:
    """The matches that have a journal."""
    return {stream.rpartition("-")[0] for stream in journals(directory)}


class Noting:
    """A world that keeps, in order, what it was asked."""

    def __init__(self, world: Answerer = scripted) -> None:
        self.asked: list[Question] = []
        self._world, self._lock = world, threading.Lock()

    def __call__(self, question: Question) -> Answer:
        with self._lock:
            self.asked.append(question)
        return self._world(question)


# --- determinism ---------------------------------------------------------------------------------


def test_one_sealed_run_has_the_same_journals_at_any_concurrency(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "1", chess960={"adjudication": {"policy": "none"}, "plies_max": 8}).path
    alone = run_folder.load(folder)
    crowded = run_folder.load(Path(shutil.copytree(folder, tmp_path / "32" / folder.name)))
    one, many = play(alone, thinking(0)), play(crowded, thinking(0.002), concurrency=32)
    assert journals(alone) == journals(crowded)
    assert canon.dumps(results(alone, one)) == canon.dumps(results(crowded, many))
    assert len(journals(alone)) >= 7


def thinking(delay_s: float) -> Answerer:
    """The reference players, each answer a little later the fewer letters its game's name ends with."""
    seats = {
        name: LocalSeat(RandomSeat() if name == "dice" else ReferenceSeat(), None)
        for name in ("agent", "other", "dice")
    }
    world = World(ports_of(seats, None))

    def answer(question: Question) -> Answer:
        time.sleep(delay_s * (hash((question.game, question.turn)) % 3))
        return world(question)

    return answer


def test_another_secret_is_another_run(tmp_path: Path) -> None:
    one = sealed(tmp_path)
    manifest = msgspec.structs.replace(one.manifest, nonce="f" * 32)
    other = run_folder.create(tmp_path, manifest, SECRET, SUBMITTER)
    play(one)
    play(other)
    assert journals(one).keys() == journals(other).keys()
    assert not set(journals(one).values()) & set(journals(other).values())


# --- Phase 0 decides -----------------------------------------------------------------------------


def test_a_failed_phase_0_stops_that_seat_in_that_game_and_nothing_else(tmp_path: Path) -> None:
    directory = sealed(tmp_path)
    blocks = play(directory)
    gates = {match.id: match.gate and match.gate.passed for match in results(directory, blocks).matches}
    assert gates == {CHESS0: True, POKER0: False, CHESS1: None, OTHER1: None}
    assert results(directory, blocks).not_played == (POKER1,)
    assert played(directory) == {CHESS0, POKER0, CHESS1, OTHER1}


def test_a_stopped_match_is_not_waited_for(tmp_path: Path) -> None:
    directory = sealed(tmp_path)
    state = State(directory.manifest.plan, None)
    assert state.planned == {"chess960": 10, "holdem": 12}
    Runner(directory, Answering(scripted), lambda: 0, state, Stop(), 2).play()
    assert state.counts().results == {"chess960": (10, 10), "holdem": (8, 8)}


def test_no_question_of_phase_1_is_asked_before_phase_0_has_ended(tmp_path: Path) -> None:
    world = Noting()
    play(sealed(tmp_path), world, concurrency=8)
    phases = [question.game[:2] for question in world.asked]
    assert phases == sorted(phases)
    assert set(phases) == {"p0", "p1"}


# --- a budget ------------------------------------------------------------------------------------


PRICED = {"prices": {"agent": {"input_usd": 1000}}, "budget": {"cost_usd_max": "1.25"}}


def test_a_spent_budget_stops_the_run_cleanly_and_says_so(tmp_path: Path) -> None:
    directory = sealed(tmp_path, **PRICED)
    world = Noting()
    with pytest.raises(Stopped, match=r"^the budget of 1\.25 USD is spent; the limit is sealed with the plan"):
        play(directory, world)
    paid = [question for question in world.asked if isinstance(question, Chat) and question.to == "agent"]
    assert len(paid) == 13, "ten cents a call: the thirteenth call crosses the limit"
    assert sum(data.count(b"\n") for data in journals(directory).values()) == len(world.asked)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_run_whose_budget_is_spent_asks_nothing_more_when_it_is_resumed(tmp_path: Path, concurrency: int) -> None:
    directory = sealed(tmp_path, **PRICED)
    with pytest.raises(Stopped):
        play(directory)
    world = Noting()
    with pytest.raises(Stopped, match="the budget of"):
        play(directory, world, concurrency=concurrency)
    assert world.asked == []


def test_what_streams_that_are_not_yet_driven_again_have_spent_counts_after_a_resume(tmp_path: Path) -> None:
    """As if the first streams had not begun when the others had all but spent the budget."""
    directory = sealed(tmp_path, **PRICED)
    paid = count(1)

    def twelve_calls(question: Question) -> Answer:
        answer = scripted(question)
        if question.game.startswith(CHESS0):
            return msgspec.structs.replace(answer, prompt_tokens=1)  # a tenth of a cent
        if isinstance(question, Chat) and question.to == "agent" and next(paid) > 12:
            raise PortFault("the server is gone")
        return answer

    with pytest.raises(PortFault):
        play(directory, twelve_calls)
    for journal in directory.journal.glob(f"{CHESS0}-*"):
        shutil.rmtree(journal)
    world, plan = Noting(), directory.manifest.plan
    with pytest.raises(Stopped, match="the budget of"):
        Runner(directory, Answering(world), lambda: 0, State(plan, None), Stop(), 1).drive()
    assert [question.to for question in world.asked if isinstance(question, Chat)].count("agent") == 1


def test_without_a_budget_nothing_stops_an_expensive_run(tmp_path: Path) -> None:
    directory = sealed(tmp_path, prices=PRICED["prices"])
    matches = results(directory, play(directory)).matches
    spent = sum(Fraction(stats.cost_usd.exact) for match in matches for stats in match.seat_stats)
    assert spent > Fraction(PRICED["budget"]["cost_usd_max"])


def test_a_budget_stops_streams_side_by_side_after_the_calls_in_flight(tmp_path: Path) -> None:
    world = Noting()
    with pytest.raises(Stopped):
        play(sealed(tmp_path, **PRICED), world, concurrency=4)
    assert 13 <= sum(isinstance(question, Chat) and question.to == "agent" for question in world.asked) <= 13 + 3


# --- faults of the world -------------------------------------------------------------------------


def failing_at(number: int, fault: Callable[[], BaseException]) -> Answerer:
    """The scripted world, which fails once, at its `number`-th call."""
    calls = count()

    def answer(question: Question) -> Answer:
        if next(calls) == number:
            raise fault()
        return scripted(question)

    return answer


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The journals of a run that nothing stopped."""
    directory = sealed(tmp_path_factory.mktemp("unbroken"))
    play(directory)
    return journals(directory)


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("at", [0, 1, 7, 25, 40])
def test_a_run_that_a_fault_stopped_goes_on_to_the_same_journals(
    unbroken: dict[str, bytes], tmp_path: Path, at: int, concurrency: int
) -> None:
    directory = sealed(tmp_path)
    with pytest.raises(PortFault, match="the cable is out"):
        play(directory, failing_at(at, lambda: PortFault("the cable is out")), concurrency=concurrency)
    recorded = journals(directory)
    asked = sum(data.count(b"\n") for data in recorded.values())
    world = Noting()
    play(directory, world, concurrency=concurrency)
    assert journals(directory) == unbroken
    assert len(world.asked) == sum(data.count(b"\n") for data in unbroken.values()) - asked
    assert all(unbroken[stream].startswith(data) for stream, data in recorded.items())


def test_a_fault_in_one_stream_stops_the_others_after_their_call_in_flight(tmp_path: Path) -> None:
    directory = sealed(tmp_path)
    together, failed = threading.Barrier(3), threading.Event()
    stop = Stop()

    def world(question: Question) -> Answer:
        together.wait(WAIT_S)  # three streams have a call in flight
        if question.game.startswith(f"{CHESS0}-g00002"):
            raise PortFault("the cable is out")
        until(lambda: bool(stop.reason))
        failed.set()
        return scripted(question)

    with pytest.raises(PortFault, match="the cable is out"):
        play(directory, world, stop, concurrency=3)
    assert failed.is_set()
    assert stop.reason == "the cable is out"
    assert sorted(data.count(b"\n") for data in journals(directory).values()) == [0, 1, 1]


def test_streams_that_have_not_begun_stay_so_after_a_fault(tmp_path: Path) -> None:
    directory = sealed(tmp_path)
    with pytest.raises(PortFault):
        play(directory, failing_at(0, lambda: PortFault("no")))
    assert {name: data for name, data in journals(directory).items() if data} == {}


def test_a_fault_is_told_rather_than_the_stops_that_it_caused(tmp_path: Path) -> None:
    for attempt in range(5):
        with pytest.raises(PortFault, match="the cable is out"):
            play(
                sealed(tmp_path / str(attempt)),
                failing_at(3, lambda: PortFault("the cable is out")),
                concurrency=8,
            )


def test_a_bug_is_a_bare_exception_and_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        play(sealed(tmp_path), failing_at(5, lambda: ZeroDivisionError("a bug")), concurrency=4)


# --- a request to stop ---------------------------------------------------------------------------


def test_a_requested_stop_ends_the_run_and_keeps_what_was_answered(unbroken: dict[str, bytes], tmp_path: Path) -> None:
    directory, stop = sealed(tmp_path), Stop()
    calls = count(1)

    def world(question: Question) -> Answer:
        if next(calls) == 10:
            stop.request("stopped by SIGTERM")
        return scripted(question)

    with pytest.raises(Stopped, match=r"^stopped by SIGTERM$"):
        play(directory, world, stop)
    assert sum(data.count(b"\n") for data in journals(directory).values()) == 10
    play(directory)
    assert journals(directory) == unbroken


def test_the_first_reason_to_stop_is_the_one_that_is_told() -> None:
    stop = Stop()
    stop.check()
    stop.request("the budget is spent")
    stop.request("interrupted")
    with pytest.raises(Stopped, match=r"^the budget is spent$"):
        stop.check()


def test_a_wait_ends_as_soon_as_a_stop_is_requested() -> None:
    stop = Stop()
    stop.wait(0.001)
    threading.Timer(0.05, stop.request, ["enough"]).start()
    start = time.monotonic()
    with pytest.raises(Stopped, match="enough"):
        stop.wait(WAIT_S)
    assert time.monotonic() - start < WAIT_S / 2


def test_a_finished_run_asks_nothing_when_it_is_played_again(tmp_path: Path) -> None:
    directory = sealed(tmp_path)
    first = play(directory)
    world = Noting()
    again = play(directory, world, concurrency=3)
    assert world.asked == []
    assert results(directory, first) == results(directory, again)


# --- a match that a rule may end early -------------------------------------------------------------

WATCHED: dict[str, Any] = {
    "matches": [
        {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 40, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 4, "block_hands": 2},
    ],
    "analysis": {"sequential": [{"match": CHESS1, "alternative": "greater", "blocks_per_look": 5}]},
}


def seat_a_wins(question: Question) -> Answer:
    """The chess player that is not seat A forfeits."""
    if isinstance(question, Chat) and "chess" in question.game:
        index = int(question.game.rpartition("-g")[2])
        if question.turn % 2 != index % 2:
            return Reply(text="MOVE: resign", prompt_tokens=100)
    return scripted(question)


def test_a_match_is_played_to_the_look_at_which_its_rule_ends_it(tmp_path: Path) -> None:
    alone, crowded = sealed(tmp_path / "1", **WATCHED), sealed(tmp_path / "8", **WATCHED)
    blocks = play(alone, seat_a_wins)
    assert (len(blocks[CHESS1]), len(blocks[POKER1])) == (10, 2)
    play(crowded, seat_a_wins, concurrency=8)
    assert journals(alone) == journals(crowded)


def test_a_stopped_run_goes_on_to_the_same_look(tmp_path: Path) -> None:
    unbroken = sealed(tmp_path / "unbroken", **WATCHED)
    play(unbroken, seat_a_wins)
    directory, stop, calls = sealed(tmp_path / "broken", **WATCHED), Stop(), count(1)

    def world(question: Question) -> Answer:
        if next(calls) == 25:
            stop.request("stopped by SIGTERM")
        return seat_a_wins(question)

    with pytest.raises(Stopped):
        play(directory, world, stop)
    assert play(directory, seat_a_wins).keys() == {CHESS1, POKER1}
    assert journals(directory) == journals(unbroken)


def test_what_is_left_out_is_no_longer_planned(tmp_path: Path) -> None:
    directory = sealed(tmp_path, **WATCHED)
    state = State(directory.manifest.plan, None)
    Runner(directory, Answering(seat_a_wins), lambda: 0, state, Stop(), 1).play()
    assert state.counts().results == {"chess960": (20, 20), "holdem": (4, 4)}


# --- what is forced to disk together -------------------------------------------------------------


def test_a_chess_game_is_one_durable_unit_and_a_session_of_hands_another(tmp_path: Path) -> None:
    plan = sealed(tmp_path).manifest.plan
    streams = {match.id: next(streams_of(match)) for match in plan.matches}
    chess, poker = durable_unit(streams[CHESS0], plan), durable_unit(streams[POKER0], plan)
    assert chess(f"{CHESS0}-g00001") != chess(f"{CHESS0}-g00002")
    sessions = [poker(f"{POKER0}-h{hand:07d}") for hand in range(6)]
    assert sessions == ["0", "0", "1", "1", "2", "2"]


# --- small helpers -------------------------------------------------------------------------------


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.001)
