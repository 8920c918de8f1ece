"""A stop is honest: one Ctrl-C keeps the replies in flight, two drop them, and both are in the log of executions."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from agzamov_harness.reference_server import chat_server
from agzamov_harness.run.execution_log import ExecutionLog
from agzamov_harness.run.stop import PATIENCE_S, CallsInFlight, Stop
from agzamov_verify.core.execution_log import ExecutionHistory, ExecutionOutcome
from agzamov_verify.seats import EndpointSeat, RandomSeat
from harness.commands import Commands, Ended, Running
from harness.http_peer import Exchange, Peer, answers
from harness.sealed_runs import Json, entries, finish, resume, seal, start, wait_for

LONGER_S = PATIENCE_S + 2.0
PLAN: Json = {
    "title": "Stops",
    "seats": {"model": {"kind": "openai", "model": "random", "concurrency": 2, "timeout_s": 60}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 4},
    "matches": [{"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 2, "block_games": 2}],
}
WAITING = "stopping: waiting for 1 reply, up to 60 s; Ctrl-C again drops them\n"


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


class Slow:
    """A model server whose third reply takes as long as a test wants."""

    def __init__(self) -> None:
        self.asked, self.may = 0, Event()

    def __call__(self, exchange: Exchange) -> None:
        self.asked += 1
        if self.asked == 3:
            self.may.wait(300)
        answers(chat_server.completion(exchange.request_seen.json))(exchange)


@contextmanager
def interrupted(commands: Commands, folder: Path) -> Iterator[tuple[Slow, Path, Running]]:
    """A run that got one Ctrl-C while the third reply of its server was in flight."""
    slow = Slow()
    with Peer(then=slow) as peer:
        run = seal(commands, folder, peer.url, plan=PLAN)
        running = start(commands, run)
        wait_for(lambda: slow.asked == 3)
        running.signal(signal.SIGINT)
        yield slow, run, running


def history(run: Path) -> ExecutionHistory:
    read = ExecutionHistory()
    read.read_all((run / "journal" / "executions.jsonl").read_bytes())
    return read


def warned(commands: Commands, run: Path) -> bool:
    """Whether the finished run's bundle says that an execution was killed."""
    bundle = run.parents[1] / "bundles" / run.name
    printed = commands.run("verify", str(bundle), "--details", cwd=run.parents[1])
    return "cut off (killed, or a power cut)" in " ".join(printed.out.split())


@pytest.mark.slow
def test_one_ctrl_c_waits_for_a_reply_of_many_seconds_and_keeps_it(commands: Commands, tmp_path: Path) -> None:
    with interrupted(commands, tmp_path) as (slow, run, running):
        wait_for(lambda: running.errors() == WAITING)
        assert running.alive_after(LONGER_S), "the seat may take 60 s"
        slow.may.set()
        ended = running.ended()
        advice = f"go on with: agzamov resume {run} --out {run.parents[1]}/bundles\n"
        assert (ended.code, ended.err) == (4, f"{WAITING}stopped by SIGINT; {advice}")
        assert entries(run) == 3, "the reply was kept"
        assert history(run).outcome is ExecutionOutcome.STOPPED
        finish(commands, run)
        assert slow.asked == entries(run), "nothing was asked twice"
    assert history(run).summary.without_stop == 0
    assert not warned(commands, run)


@pytest.mark.slow
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_drops_the_reply_and_is_a_stop_too(
    commands: Commands, tmp_path: Path, second: signal.Signals
) -> None:
    with interrupted(commands, tmp_path) as (slow, run, running):
        wait_for(lambda: running.errors() == WAITING)
        assert running.alive_after(1)
        running.signal(second)
        ended = running.ended()
        assert ended.code == 4
        assert "\nstopped by SIGINT, what was in flight was dropped; go on with: " in ended.err
        assert (entries(run), history(run).outcome) == (2, ExecutionOutcome.STOPPED)
        slow.may.set()
        finish(commands, run)
    assert history(run).summary.without_stop == 0
    assert not warned(commands, run)


def test_a_signal_that_comes_twice_at_once_is_one(commands: Commands, tmp_path: Path) -> None:
    slow = Slow()
    with Peer(then=slow) as peer:
        run = seal(commands, tmp_path, peer.url, plan=PLAN)
        running = start(commands, run)
        wait_for(lambda: slow.asked == 3)
        running.signal(signal.SIGTERM)  # as timeout(1) does: to the program, then to its group
        running.signal(signal.SIGTERM)
        wait_for(lambda: "the signal again drops them" in running.errors())
        slow.may.set()
        ended: Ended = running.ended()
    assert (ended.code, entries(run), history(run).outcome) == (4, 3, ExecutionOutcome.STOPPED)


def test_a_killed_run_has_no_stop_and_its_bundle_says_so(commands: Commands, tmp_path: Path) -> None:
    slow = Slow()
    with Peer(then=slow) as peer:
        run = seal(commands, tmp_path, peer.url, plan=PLAN)
        running = start(commands, run)
        wait_for(lambda: slow.asked == 3)
        running.kill()
        slow.may.set()
        assert history(run).running
        finish(commands, run)
    assert history(run).summary.without_stop == 1
    assert warned(commands, run)


# --- what a stop waits for -----------------------------------------------------------------------


def test_a_stop_waits_as_long_as_the_slowest_seats_reply_may_take() -> None:
    stop = Stop()
    stop.wait_for_replies_of({"a": EndpointSeat(timeout_s=60), "b": EndpointSeat(timeout_s=600), "c": RandomSeat()})
    assert (stop.patience_s, stop.waiting) == (607, "the replies in flight, up to 600 s")
    stop.in_flight = CallsInFlight()
    assert (stop.patience_s, stop.waiting) == (7, "")
    with stop.in_flight, stop.in_flight:
        assert (stop.patience_s, stop.waiting) == (607, "2 replies, up to 600 s")


def test_a_stop_of_scripted_players_waits_for_no_reply() -> None:
    stop = Stop()
    stop.wait_for_replies_of({"c": RandomSeat()})
    assert (stop.patience_s, stop.waiting) == (7, "")


def test_a_log_has_one_stop_of_an_execution_whoever_writes_it_first(tmp_path: Path) -> None:
    log = ExecutionLog(tmp_path)
    log.start()
    assert log.leave()
    log.stop(ExecutionOutcome.DONE)
    lines = [json.loads(line) for line in (tmp_path / "executions.jsonl").read_bytes().splitlines()]
    assert [(line["event"], line.get("outcome")) for line in lines] == [("start", None), ("stop", "stopped")]


def test_a_process_does_not_leave_in_the_middle_of_its_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, left = ExecutionLog(tmp_path), list[bool]()
    log.start()
    append = log._append

    def signalled(event: object) -> None:
        left.append(log.leave())
        append(event)  # type: ignore[arg-type]

    monkeypatch.setattr(log, "_append", signalled)
    log.stop(ExecutionOutcome.STOPPED)
    assert left == [False], "a signal while the line is written waits"
    assert log.leave()


@pytest.mark.slow
def test_a_run_does_not_go_on_with_another_model(commands: Commands, tmp_path: Path) -> None:
    """`resume` asked nobody which model answers, so half a run could be another model's."""

    def another(exchange: Exchange) -> None:
        answers({**chat_server.completion(exchange.request_seen.json), "model": "reference"})(exchange)

    with interrupted(commands, tmp_path) as (slow, run, running):
        slow.may.set()
        assert running.ended().code == 4
    kept = entries(run)
    with Peer(then=another) as peer:
        ended = commands.run(*resume(run), "--base-url", f"model={peer.url}", cwd=tmp_path)
    assert (ended.code, entries(run)) == (4, kept), ended
    assert "expected model random, the server answers as reference; serve the model of the plan" in ended.err
    with Peer(then=slow) as peer:
        ended = commands.run(*resume(run), "--base-url", f"model={peer.url}", cwd=tmp_path)
    assert ended.code == 0, ended
