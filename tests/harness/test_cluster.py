"""A run on the workers of a cluster: the same journals, one log, and a worker that is lost costs its calls in flight.

Most tests have a scheduler of their own that runs jobs in threads; the last one has Dask's programs as real processes.
"""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path
from threading import Event, Lock
from typing import Any

import msgspec
import pytest
import yaml
from distributed import Client, KilledWorker

from agzamov_harness.cluster import coordinator, worker
from agzamov_harness.cluster.coordinator import Cluster, ClusterRunner
from agzamov_harness.cluster.session import GONE_S, ClusterSession, ProgramVersion, Watch, beating, program_here, write
from agzamov_harness.ports import PortFault
from agzamov_harness.reference_server import chat_server
from agzamov_harness.run import run_folder, signing_keys
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.recorder import Recorder
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import finished
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.plan.manifest import ManifestError
from bundles.bundle_factory import SUBMITTER
from harness import sealed_runs
from harness.commands import Commands
from harness.http_peer import Exchange, Peer, answers
from harness.test_shares import history, journals, nobody, play_whole

PLAN: dict[str, Any] = {
    "title": "Cluster",
    "seats": {"agent": {"kind": "random"}, "dice": {"kind": "random"}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 6},
    "matches": [{"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 12, "block_games": 2}],
}
STREAMS = 6
SESSION = "5e551011"
SETTINGS = worker.WorkerSettings(None, "memory-servers", "", {})


def sealed(folder: Path, **changes: object) -> RunDirectory:
    manifest, secret = seal(plan_from({**PLAN, **changes}), key_id(SUBMITTER.public_key()), None, bytes(range(32)))
    return run_folder.create(folder, msgspec.structs.replace(manifest, nonce="0" * 32), secret, SUBMITTER)


class Threads:
    """What of Dask's client a coordinator uses, with threads in the place of workers."""

    def __init__(self, pool: ThreadPoolExecutor, play: Callable[[worker.Job], Any]) -> None:
        self._pool, self._play = pool, play
        self.closed = 0

    def submit(self, _: object, job: worker.Job, **options: object) -> Any:
        assert options["pure"] is False
        return self._pool.submit(self._play, job)

    def nthreads(self) -> dict[str, int]:
        return {"a": 2, "b": 1}

    def run(self, function: Callable[[], None], **_: object) -> None:
        self.closed += 1
        function()


@contextmanager
def threads(play: Callable[[worker.Job], Any] = worker.play) -> Iterator[Threads]:
    with ThreadPoolExecutor(3) as pool:
        yield Threads(pool, play)


def runner(
    directory: RunDirectory, client: Threads, stop: Stop | None = None, concurrency: int | None = None
) -> ClusterRunner:
    state = State(directory.manifest.plan, None)
    return ClusterRunner(directory, state, stop or Stop(), concurrency, Cluster(client, "tcp://a:1"), SETTINGS)


def job(
    directory: RunDirectory, stream: str, program: ProgramVersion | None = None, session: str = SESSION
) -> worker.Job:
    folder, run = str(directory.path), directory.manifest.run_id
    return worker.Job(folder, run, session, stream, program or program_here(), SETTINGS)


# --- the coordinator -----------------------------------------------------------------------------


def test_a_run_on_workers_has_the_journals_and_the_log_of_a_run_here(tmp_path: Path) -> None:
    here, there = sealed(tmp_path / "here"), sealed(tmp_path / "there")
    play_whole_by_seats(here)
    with threads() as client:
        blocks = runner(there, client).play()
    assert journals(there) == journals(here)
    assert len(journals(there)) == STREAMS
    assert blocks == finished(here)
    log = history(there)
    assert (log.summary.executions, log.summary.done, len(log.heads)) == (1, True, STREAMS)
    assert client.closed == 1
    play_whole(there, nobody)


def play_whole_by_seats(directory: RunDirectory) -> None:
    """Play a run in this process with its own seats."""
    for name in [name for match in directory.manifest.plan.matches for name in stream_names(match.id)]:
        write(directory.path, ClusterSession(0, SESSION, ""))
        assert isinstance(worker.play(job(directory, name)), worker.Done)
    worker.close()


def stream_names(match: str) -> list[str]:
    return [f"{match}-b{block:05d}" for block in range(STREAMS)]


def test_progress_counts_every_answer_as_it_is_recorded(tmp_path: Path) -> None:
    directory = sealed(tmp_path)
    with threads() as client:
        running = runner(directory, client)
        running.play()
    counts = running._state.counts()
    assert counts.results == {"chess960": (12, 12)}
    assert counts.calls == sum(data.count(b"\n") for data in journals(directory).values())


@pytest.mark.parametrize(
    ("result", "error", "message"),
    [
        (worker.FailedStream("fault", "the server is gone"), PortFault, "the server is gone"),
        (worker.FailedStream("journal", "entry 3"), BrokenJournal, "entry 3"),
        (KilledWorker("stream", "tcp://w:1", 3), PortFault, "every worker that played it was lost"),
        (ModuleNotFoundError("no agzamov"), PortFault, "its worker failed: ModuleNotFoundError: no agzamov"),
        (OSError("closed"), PortFault, "the scheduler is gone"),
    ],
)
def test_what_a_worker_comes_to_stops_the_run_with_its_reason(
    tmp_path: Path, result: Any, error: type[Exception], message: str
) -> None:
    def play(_: worker.Job) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    directory = sealed(tmp_path)
    with threads(play) as client, pytest.raises(error, match=message):
        runner(directory, client).play()
    assert history(directory).outcome == "stopped"


def test_a_worker_that_tells_another_length_than_its_journal_is_found(tmp_path: Path) -> None:
    def short(given: worker.Job) -> Any:
        done = worker.play(given)
        assert isinstance(done, worker.Done)
        return worker.Done(done.entries - 1, done.head)

    with threads(short) as client, pytest.raises(BrokenJournal, match="entries as its worker tells"):
        runner(sealed(tmp_path), client).play()


def test_a_journal_that_does_not_come_is_no_shared_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinator, "UNSEEN_S_MAX", 0.0)
    message = "workers and this command must see one folder by one path"
    with threads(lambda _: worker.Done(5, "0" * 64)) as client, pytest.raises(PortFault, match=message):
        runner(sealed(tmp_path), client).play()


def test_a_stop_reaches_the_workers_and_what_they_recorded_is_in_the_log(tmp_path: Path) -> None:
    directory, stop = sealed(tmp_path), Stop()
    playing = Event()

    def until_stopped(given: worker.Job) -> worker.FailedStream:
        watch = Watch(Path(given.folder), given.session)
        playing.set()
        with pytest.raises(Stopped, match="stopped by SIGTERM"):
            watch.wait(300)
        return worker.FailedStream("stopped", "stopped by SIGTERM")

    with threads(until_stopped) as client, ThreadPoolExecutor(1) as one:
        played = one.submit(runner(directory, client, stop).play)
        assert playing.wait(300)
        stop.request("stopped by SIGTERM")
        with pytest.raises(Stopped, match="stopped by SIGTERM"):
            played.result(300)
    assert history(directory).outcome == "stopped"


def test_a_spent_budget_hands_out_no_further_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "cost_of", lambda *_: Fraction(1))
    directory = sealed(tmp_path, budget={"cost_usd_max": "3"})
    with threads() as client, pytest.raises(Stopped, match="the budget of 3 USD is spent"):
        runner(directory, client, concurrency=1).play()
    assert len(journals(directory)) == 1


def test_a_spent_budget_stops_the_streams_in_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "cost_of", lambda *_: Fraction(1))
    directory = sealed(tmp_path, budget={"cost_usd_max": "3"})

    def first_plays(given: worker.Job) -> Any:
        if given.stream.endswith("b00000"):
            return worker.play(given)
        with pytest.raises(Stopped, match="the budget of 3 USD is spent"):
            Watch(Path(given.folder), given.session).wait(300)
        return worker.FailedStream("stopped", "the budget of 3 USD is spent")

    with threads(first_plays) as client, pytest.raises(Stopped, match="the budget of 3 USD is spent"):
        runner(directory, client).play()


# --- the worker ----------------------------------------------------------------------------------


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[RunDirectory]:
    """A run whose session has begun."""
    directory = sealed(tmp_path)
    write(directory.path, ClusterSession(0, SESSION, ""))
    yield directory
    worker.close()


STREAM = "p1-chess960-naked-agent-b00002"


def test_a_worker_goes_on_from_the_journal_of_one_that_was_lost(begun: RunDirectory) -> None:
    assert isinstance(worker.play(job(begun, STREAM)), worker.Done)
    path = begun.journal / STREAM / "000000.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert isinstance(worker.play(job(begun, STREAM)), worker.Done)
    assert path.read_bytes() == whole


def test_a_worker_with_another_program_plays_nothing(begun: RunDirectory) -> None:
    other = msgspec.structs.replace(program_here(), source_sha256="0" * 64)
    failed = worker.play(job(begun, STREAM, other))
    assert isinstance(failed, worker.FailedStream)
    assert failed.message.startswith("a worker has another program: expected source 000000000000, found ")
    assert journals(begun) == {}


def test_programs_differ_in_python_libraries_or_source() -> None:
    here = program_here()
    assert here.difference(program_here()) == ""
    assert "chess" in here.libraries
    assert here.difference(msgspec.structs.replace(here, python="2.7")).endswith("found 2.7")
    chess = {**here.libraries, "chess": "0.1"}
    assert here.difference(msgspec.structs.replace(here, libraries=chess)).endswith(", found 0.1")
    assert "install the same version" in here.difference(msgspec.structs.replace(here, source_sha256="0" * 64))


def test_a_worker_that_does_not_see_the_folder_says_so(begun: RunDirectory, tmp_path: Path) -> None:
    elsewhere = msgspec.structs.replace(job(begun, STREAM), folder=str(tmp_path / "elsewhere"))
    failed = worker.play(elsewhere)
    assert isinstance(failed, worker.FailedStream)
    assert (failed.why, "elsewhere: expected the folder of a sealed run" in failed.message) == ("fault", True)
    other = worker.play(msgspec.structs.replace(job(begun, STREAM), run="0" * 16))
    assert isinstance(other, worker.FailedStream)
    assert f"expected run {'0' * 16}" in other.message


@pytest.mark.slow
def test_a_worker_waits_for_one_that_still_plays_the_stream(begun: RunDirectory) -> None:
    with ThreadPoolExecutor(1) as one:
        with Recorder(begun.journal, begun.manifest.run_id, STREAM, _Nobody(), lambda: 0):
            played = one.submit(worker.play, job(begun, STREAM))
            with pytest.raises(TimeoutError):
                played.result(1.5)
        assert isinstance(played.result(300), worker.Done)


class _Nobody:
    def __call__(self, question: Any) -> Any:
        raise AssertionError

    def restore(self, question: Any, recorded: Any) -> None:
        raise AssertionError

    def is_shared(self, question: Any) -> bool:
        raise AssertionError


@pytest.mark.parametrize(
    ("session", "reason"),
    [
        (ClusterSession(1, SESSION, "stopped by SIGTERM"), "stopped by SIGTERM"),
        (ClusterSession(1, "another", ""), "taken over by another command"),
    ],
)
def test_a_worker_stops_by_the_session(begun: RunDirectory, session: ClusterSession, reason: str) -> None:
    write(begun.path, session)
    failed = worker.play(job(begun, STREAM))
    assert isinstance(failed, worker.FailedStream)
    assert (failed.why, reason in failed.message) == ("stopped", True)
    assert journals(begun) == {}


# --- the session ---------------------------------------------------------------------------------


def test_a_worker_stops_once_the_beat_has_not_changed_for_a_minute(tmp_path: Path) -> None:
    now = [0.0]
    watch = Watch(tmp_path, SESSION, lambda: now[0])
    write(tmp_path, ClusterSession(0, SESSION, ""))
    for beat in range(5):
        now[0] += GONE_S - 1
        write(tmp_path, ClusterSession(beat + 1, SESSION, ""))
        watch.check()
    now[0] += GONE_S / 2
    (tmp_path / "session").unlink()
    watch.check()
    now[0] += GONE_S
    with pytest.raises(Stopped, match="the command that plays the run is gone"):
        watch.check()


def test_a_session_ends_with_a_reason_for_whoever_still_plays(tmp_path: Path) -> None:
    with beating(tmp_path, SESSION, Stop()):
        Watch(tmp_path, SESSION).check()
    with pytest.raises(Stopped, match="the run has ended"):
        Watch(tmp_path, SESSION).check()


# --- what is refused before anything is sealed ---------------------------------------------------


def test_what_a_cluster_cannot_play_is_refused(tmp_path: Path) -> None:
    signing_keys.generate(tmp_path / "key.pem")
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump({**PLAN, "isolation": "container"}))
    with Commands(tmp_path) as commands:
        ended = commands.run("run", "plan.yaml", "--key", "key.pem", "--cluster", "tcp://127.0.0.1:1", cwd=tmp_path)
    warning, line = ended.err.splitlines()
    assert (ended.code, warning.startswith("warning: seat dice: ")) == (2, True)
    assert "isolation: expected process, found container" in line
    assert not (tmp_path / "runs").exists()


def test_a_protocol_that_a_cluster_cannot_play_is_refused_before_any_plan_is_sealed(tmp_path: Path) -> None:
    signing_keys.generate(tmp_path / "key.pem")
    for name, changes in (("1.yaml", {}), ("2.yaml", {"isolation": "container"})):
        (tmp_path / name).write_text(yaml.safe_dump({**PLAN, **changes}))
    with Commands(tmp_path) as commands:
        plans = ("protocol", "run", "mine", "1.yaml", "2.yaml", "--key", "key.pem")
        ended = commands.run(*plans, "--cluster", "tcp://127.0.0.1:1", cwd=tmp_path)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "isolation: expected process, found container" in ended.err
    assert not list((tmp_path / "mine" / "runs").glob("*/manifest.json"))


def test_no_scheduler_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinator, "CONNECT_S", 0.2)
    with (
        pytest.raises(ManifestError, match=r"--cluster tcp://127\.0\.0\.1:1: expected a Dask scheduler") as raised,
        coordinator.connected("tcp://127.0.0.1:1"),
    ):
        pass
    assert "\n" not in str(raised.value)


def test_an_open_way_to_another_machine_is_warned_of() -> None:
    assert coordinator.warning("tcp://10.0.0.5:8786").startswith("tcp://10.0.0.5:8786 is not encrypted")
    assert coordinator.warning("10.0.0.5:8786")
    for private in ("tls://10.0.0.5:8786", "tcp://127.0.0.1:8786", "tcp://localhost:8786"):
        assert coordinator.warning(private) == ""


# --- Dask's programs -----------------------------------------------------------------------------

WORKERS, THREADS, BEFORE = 2, 2, 30
MODEL = {"kind": "openai", "model": "random", "concurrency": 8, "timeout_s": 600, "attempts_max": 2}
MATCH = {"phase": 1, "game": "chess960", "a": "model", "b": "model"}
ASKED: dict[str, Any] = {
    **PLAN,
    "seats": {"model": MODEL},
    "matches": [{**MATCH, "games": 24, "block_games": 2}],
}


@contextmanager
def dask(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and its workers as processes; their address, and the workers."""
    here = folder / "scheduler.json"
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with ExitStack() as stack:

        def start(program: str, *options: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *options]
            process = subprocess.Popen(command, **quiet)  # type: ignore[call-overload]
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process  # type: ignore[no-any-return]

        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(here))
        start("scheduler", *options)
        sealed_runs.wait_for(lambda: here.exists() and here.read_text().endswith("}"))
        address = yaml.safe_load(here.read_text())["address"]
        options = (address, "--host", "127.0.0.1", "--nthreads", str(THREADS), "--no-nanny", "--no-dashboard")
        workers = [start("worker", *options) for _ in range(WORKERS)]
        with Client(address, timeout=120, set_as_default=False) as client:
            client.wait_for_workers(WORKERS, timeout=120)
        yield address, workers


class Holding:
    """A model server that answers so many calls, then holds all others until it is let go."""

    def __init__(self) -> None:
        self.held = 0
        self.let_go = Event()
        self._answered, self._lock = 0, Lock()

    def __call__(self, exchange: Exchange) -> None:
        with self._lock:
            self._answered += 1
            holds = self._answered > BEFORE and not self.let_go.is_set()
            self.held += holds
        if holds:
            assert self.let_go.wait(600)
        answers(chat_server.completion(exchange.request_seen.json))(exchange)


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_its_calls_in_flight_and_the_journals_are_those_of_a_local_run(
    tmp_path: Path,
) -> None:
    """Every thread of both workers has a call in flight when one is killed: its calls, and no other, come again."""
    holding = Holding()
    with Commands(tmp_path) as commands, Peer(then=holding) as peer, dask(tmp_path) as (address, workers):
        holding.let_go.set()
        run = sealed_runs.seal(commands, tmp_path, peer.url, plan=ASKED)
        claims, expected = sealed_runs.uninterrupted(commands, run)
        calls = len(peer.requests)
        assert calls > BEFORE + WORKERS * THREADS
        peer.requests.clear()
        holding.__init__()  # type: ignore[misc]
        running = commands.start(*sealed_runs.resume(run), "--cluster", address, cwd=tmp_path)
        sealed_runs.wait_for(lambda: holding.held == WORKERS * THREADS or not running.alive_after(0))
        assert sealed_runs.entries(run) == BEFORE
        workers[0].send_signal(signal.SIGKILL)
        workers[0].wait()
        holding.let_go.set()
        ended = running.ended()
        assert ended.code == 0, ended
        assert sealed_runs.checked(run, ended) == claims
        assert sealed_runs.journals(run) == expected
        assert len(peer.requests) == calls + THREADS, "the calls in flight of the worker that was killed, and no other"


@pytest.mark.slow
def test_a_protocol_is_played_by_the_workers_of_a_cluster(tmp_path: Path) -> None:
    signing_keys.generate(tmp_path / "key.pem")
    first = {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 4, "block_games": 2}
    for title, match in (("one", first), ("two", PLAN["matches"][0])):
        (tmp_path / f"{title}.yaml").write_text(yaml.safe_dump({**PLAN, "title": title, "matches": [match]}))
    with Commands(tmp_path) as commands, dask(tmp_path) as (address, _):
        plans = ("protocol", "run", "mine", "one.yaml", "two.yaml", "--key", "key.pem")
        ended = commands.run(*plans, "--cluster", address, cwd=tmp_path)
    assert ended.code == 0, ended
    runs = [
        run_folder.load(tmp_path / "mine" / "runs" / path.name) for path in (tmp_path / "mine" / "bundles").iterdir()
    ]
    assert sorted(run.manifest.plan.title for run in runs) == ["one", "two"]
    for run in runs:
        assert history(run).summary.done
        assert (run.path / "session").exists(), "the file that tells workers to go on"
