"""The pieces of the executor that need no engine: owners, peaks, verdicts, and what is heard, kept and handed over."""

import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer

import msgspec
import pytest

from agzamov_harness.containers import container_lifecycle, control_protocol, folder_transfer
from agzamov_harness.containers.container_engine import REMOVED, ContainerEnding, user_inside
from agzamov_harness.containers.container_lifecycle import is_gone, this_owner
from agzamov_harness.containers.container_logs import ContainerLog
from agzamov_harness.containers.container_monitor import outcome, peak_bytes
from agzamov_harness.containers.control_protocol import OutputReader
from agzamov_harness.containers.engine_socket import NoEngine
from agzamov_harness.containers.folder_transfer import FolderBounds, hand_over, require_plain_files, take_back
from agzamov_harness.containers.play_inside import play_alone, served_at, told_images
from agzamov_harness.containers.supervise import SecondSignal, end_harness, require_engine
from agzamov_harness.pipeline.pack import attested_files, environment_of
from agzamov_harness.ports import PortFault
from agzamov_harness.run import execution_record, run_folder
from agzamov_harness.run.execution_record import (
    Container,
    ContainerExecution,
    EnforcedLimits,
    executions,
    next_folder,
    write,
)
from agzamov_harness.run.progress import ProgressCounts
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_harness.servers.server_readiness import wait_for_address, wait_for_model, wait_for_socket
from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import ImagePin, ManifestError
from bundles.bundle_factory import SUBMITTER
from containers.test_topology import manifest_of, shape

COUNTS = ProgressCounts({"chess960": (1, 2), "holdem": (3, 4)}, 5, 6, 7, "0.000000")


@pytest.fixture
def directory(tmp_path: Path) -> RunDirectory:
    return run_folder.create(tmp_path, manifest_of("fish"), b"secret", SUBMITTER)


# --- owners --------------------------------------------------------------------------------------


def test_a_process_that_runs_is_not_gone_and_one_that_has_ended_is() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        start = (Path("/proc") / str(other.pid) / "stat").read_text().rpartition(")")[2].split()[19]
        theirs = this_owner().rsplit(":", 2)[0] + f":{other.pid}:{start}"
        assert not is_gone(theirs)
        other.kill()
        other.wait()
        assert is_gone(theirs)
    assert not is_gone(this_owner())


def test_a_zombie_is_gone() -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    start = ""
    while not start.endswith("Z"):
        fields = (Path("/proc") / str(child) / "stat").read_text().rpartition(")")[2].split()
        start = f"{fields[19]} {fields[0]}"
    assert is_gone(this_owner().rsplit(":", 2)[0] + f":{child}:{start.split()[0]}")
    os.waitpid(child, 0)


def test_another_process_with_the_number_of_one_that_has_ended_is_not_taken_for_it() -> None:
    place, pid, start = this_owner().rsplit(":", 2)
    assert is_gone(f"{place}:{pid}:{int(start) - 1}")


def test_owners_of_an_earlier_boot_are_gone_and_those_that_cannot_be_judged_are_not() -> None:
    boot, namespace, pid, start = this_owner().split(":")
    assert is_gone(f"{boot[::-1]}:{namespace}:{pid}:{start}")
    assert not is_gone(f"{boot}:{int(namespace) + 1}:{pid}:{int(start) - 1}"), "another namespace of this boot"
    assert not is_gone("somebody else"), "not of our form"


def test_a_system_without_proc_sweeps_nothing_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_lifecycle, "PROC", tmp_path)
    assert not is_gone(this_owner())


# --- memory --------------------------------------------------------------------------------------


def groups(folder: Path, lines: str, at: str, peak: str) -> int | None:
    (folder / "proc" / "7").mkdir(parents=True)
    (folder / "proc" / "7" / "cgroup").write_text(lines)
    (folder / "sys" / at).parent.mkdir(parents=True)
    (folder / "sys" / at).write_text(peak)
    return peak_bytes(7, "ab", folder / "sys", folder / "proc")


def test_the_peak_is_read_from_either_version_of_control_groups(tmp_path: Path) -> None:
    old = "5:cpu,cpuacct:/docker/ab\n4:memory:/docker/ab\n"
    assert groups(tmp_path / "1", old, "memory/docker/ab/memory.max_usage_in_bytes", "123\n") == 123
    assert groups(tmp_path / "2", "0::/docker/ab\n", "docker/ab/memory.peak", "456\n") == 456


def test_a_peak_that_nobody_counts_is_none(tmp_path: Path) -> None:
    assert groups(tmp_path, "0::/docker/ab\n", "docker/ab/memory.current", "456\n") is None
    assert peak_bytes(8, "ab", tmp_path / "sys", tmp_path / "proc") is None


def test_the_peak_of_a_group_that_is_not_the_containers_is_none(tmp_path: Path) -> None:
    """A rootless engine on version 1 leaves its containers in the group of whoever started it."""
    at = "memory/user.slice/memory.max_usage_in_bytes"
    assert groups(tmp_path, "4:memory:/user.slice\n", at, "123\n") is None
    assert groups(tmp_path / "2", "0::/user.slice/cd\n", "user.slice/cd/memory.peak", "123\n") is None


# --- verdicts ------------------------------------------------------------------------------------

RUNS, WELL = ContainerEnding("running", 0, False, 1), ContainerEnding("exited", 0, False, 0)
PLANNED = shape("fish", "weights")


def verdict(trouble: str = "", complaint: str = "", stopped: ContainerEnding = WELL, **endings: ContainerEnding) -> str:
    stand = {"engine": RUNS, "model-weights": RUNS, "harness": WELL, **endings}
    ended = {name: stopped for name, ending in stand.items() if ending.running}
    return outcome(PLANNED, stand, ended, trouble, complaint)


def test_an_execution_in_which_all_went_well_has_no_words() -> None:
    assert verdict(complaint="a warning") == ""


def test_the_cause_stands_before_what_it_led_to() -> None:
    dead, stopped = ContainerEnding("exited", 137, False, 0), ContainerEnding("exited", 4, False, 0)
    told = verdict("", "the engine failed", engine=dead, harness=stopped)
    cause = "container engine ended with exit code 137 (killed, perhaps out of its 1920 MiB of memory)"
    assert told == f"{cause}; the engine failed"


def test_a_harness_that_was_told_to_stop_need_not_say_so() -> None:
    assert (
        verdict("stopped by SIGINT", "stopped by SIGTERM", harness=ContainerEnding("exited", 4, False, 0))
        == "stopped by SIGINT"
    )


def test_a_process_killed_for_its_memory_is_a_failure_whatever_the_exit_code() -> None:
    assert "container harness ran out of its 4096 MiB" in verdict(harness=ContainerEnding("exited", 0, True, 0))
    assert "ran out of its" in verdict(stopped=ContainerEnding("exited", 143, True, 0)), (
        "which the engine says at the end only"
    )


def test_a_harness_that_was_killed_and_a_server_that_stands_still_are_named() -> None:
    assert verdict(harness=ContainerEnding("exited", 137, False, 0)) == "container harness was killed by signal 9"
    assert verdict(harness=ContainerEnding(REMOVED, 0, False, 0)) == "container harness was removed"
    assert verdict(engine=ContainerEnding(REMOVED, 0, False, 0)) == "container engine was removed"
    stuck = verdict(engine=ContainerEnding("paused", 0, False, 1), harness=ContainerEnding("exited", 4, False, 0))
    assert stuck == "container engine is paused"


# --- what is said --------------------------------------------------------------------------------


class Streams:
    """What a container prints, in given pieces."""

    def __init__(self, *chunks: tuple[int, bytes]) -> None:
        self._chunks = chunks

    def chunks(self) -> Iterator[tuple[int, bytes]]:
        yield from self._chunks


class Seen:
    """A Watcher that keeps what it is shown."""

    def __init__(self) -> None:
        self.counts: list[ProgressCounts] = []

    def update(self, counts: ProgressCounts) -> None:
        self.counts.append(counts)


def test_a_harness_is_heard_however_its_lines_are_cut() -> None:
    said = b"".join(
        map(control_protocol.encoded, (control_protocol.Hello({"cores": 2}), COUNTS, control_protocol.Bye()))
    )
    pieces = [(1, said[at : at + 7]) for at in range(0, len(said), 7)]
    watcher, byes = Seen(), list[int]()
    noise = ((1, b"a library prints\n"), (2, b"warning\nerror: the wo"), (2, b"rld\nerror: and more\n"))
    output = OutputReader(Streams(*noise, *pieces), watcher, lambda: byes.append(1))  # type: ignore[arg-type]
    assert output.ended_after(300)
    assert (output.environment, watcher.counts, byes) == ({"cores": 2}, [COUNTS], [1])
    assert output.complaint == "the world\nand more"


def test_a_traceback_is_told_by_its_last_line() -> None:
    output = OutputReader(Streams((2, b"Traceback\n  File\nKeyError: 'x'\n")), None, lambda: None)  # type: ignore[arg-type]
    assert output.ended_after(300)
    assert output.complaint == "KeyError: 'x'"


@pytest.mark.parametrize(
    ("printed", "complaint", "as_asked"),
    [
        (b"stopped: the budget of 3 USD is spent\n", "the budget of 3 USD is spent", True),
        (b"stopping: waiting for 1 reply\nstopped by SIGTERM\n", "stopped by SIGTERM", True),
        (b"stopped by SIGTERM\nerror: the disk is full\n", "the disk is full", False),
        (b"", "", False),
    ],
)
def test_a_stop_that_somebody_asked_for_is_told_from_a_fault(printed: bytes, complaint: str, *, as_asked: bool) -> None:
    output = OutputReader(Streams((2, printed)), None, lambda: None)  # type: ignore[arg-type]
    assert output.ended_after(300)
    assert (output.complaint, output.stopped_as_asked) == (complaint, as_asked)


class Harness:
    """A harness in its container that ends so many seconds after each signal, on a clock of its own."""

    def __init__(self, **seconds: float) -> None:
        self.signals: list[tuple[float, str]] = []
        self.now_s, self._seconds, self._ends_s = 0.0, seconds, float("inf")

    def signal(self, name: str) -> None:
        self.signals.append((self.now_s, name))
        key = name if len(self.signals) == 1 or name == "SIGKILL" else "again"
        self._ends_s = min(self._ends_s, self.now_s + self._seconds.get(key, float("inf")))

    def ended_after(self, seconds: float) -> bool:
        self.now_s = min(self.now_s + seconds, max(self.now_s, self._ends_s))
        return self.now_s >= self._ends_s


@pytest.mark.parametrize(
    ("harness", "is_wish", "wants_more_at_s", "names"),
    [
        (Harness(SIGTERM=55), True, None, ["SIGTERM"]),
        (Harness(again=1), True, 5, ["SIGTERM", "SIGTERM"]),
        (Harness(again=1), True, None, ["SIGTERM", "SIGTERM"]),
        (Harness(again=1), False, None, ["SIGTERM", "SIGTERM"]),
        (Harness(SIGKILL=0), False, None, ["SIGTERM", "SIGTERM", "SIGKILL"]),
    ],
    ids=["a slow reply", "a second Ctrl-C", "a reply too slow", "a server died", "it hangs"],
)
def test_a_harness_is_given_the_time_of_a_reply_then_asked_to_drop_it(
    harness: Harness, wants_more_at_s: float | None, names: list[str], *, is_wish: bool
) -> None:
    stop, second = Stop(), SecondSignal()
    stop.reply_s_max = 60
    if is_wish:
        stop.request("stopped by SIGINT", as_asked=True)

    def ended_after(seconds: float) -> bool:
        if wants_more_at_s is not None and harness.now_s >= wants_more_at_s:
            second.leave()
        return harness.ended_after(seconds)

    end_harness(harness.signal, ended_after, stop, second, lambda: harness.now_s)
    assert [name for _, name in harness.signals] == names
    if len(names) > 1:
        assert harness.signals[1][0] == (5.5 if wants_more_at_s else 70 if is_wish else 10)


def test_a_third_signal_ends_the_command_itself() -> None:
    second = SecondSignal()
    assert [second.leave(), second.is_wanted, second.leave()] == [False, True, True]


def test_keys_come_as_one_line() -> None:
    keys = control_protocol.Keys({"API_KEY": "sk-\n"})
    line = control_protocol.encoded(keys)
    assert (line.count(b"\n"), control_protocol.keys_in(line)) == (1, keys)
    with pytest.raises(msgspec.MsgspecError):
        control_protocol.keys_in(b"")


def test_the_images_that_a_person_started_must_be_the_sealed_ones() -> None:
    pins = {
        part: ImagePin(digit * 64, "b" * 64, "c" * 64, ("d" * 64,))
        for part, digit in (("engine", "1"), ("harness", "2"))
    }
    told = f"harness=sha256:{'2' * 64},engine=sha256:{'1' * 64}"
    assert [(row.part, row.image[:1]) for row in told_images(pins, told)] == [("engine", "1"), ("harness", "2")]
    with pytest.raises(ManifestError, match=r"expected harness=sha256:2{64} as sealed, found none"):
        told_images(pins, f"engine=sha256:{'1' * 64}")
    with pytest.raises(ManifestError, match=r"expected engine=sha256:1{64} as sealed, found 3{64}"):
        told_images(pins, told.replace("1" * 64, "3" * 64))


def test_a_run_in_processes_is_not_played_from_inside_a_container(tmp_path: Path) -> None:
    plan = msgspec.structs.replace(manifest_of("dice").plan, isolation="process")
    run = run_folder.create(
        tmp_path, msgspec.structs.replace(manifest_of("dice"), plan=plan, images={}), b"secret", SUBMITTER
    )
    with pytest.raises(ManifestError, match="expected a run with isolation: container; go on with agzamov resume"):
        play_alone(run, Stop(), None, None)


def test_each_local_model_is_where_its_server_is() -> None:
    assert served_at(manifest_of("weights", "stored", "hosted")) == {
        "weights": "/run/agz/model-weights/model.sock",
        "stored": "http://ollama:11434",
    }


# --- what is kept --------------------------------------------------------------------------------


def test_the_bundle_keeps_every_execution_with_its_logs_and_without_its_keys(directory: RunDirectory) -> None:
    (directory.executions / "weights.json").write_bytes(b"{}")
    row = Container("engine", "engine", "1" * 64, EnforcedLimits(2, None, 4), "alone", 137)
    for number in (0, 1):
        folder_transfer = next_folder(directory)
        assert folder_transfer.name == f"00{number}"
        write(
            folder_transfer,
            ContainerExecution((row,), (), {"version": "20.10"}, {"cores": 2}, "container engine is paused"),
        )
        log = ContainerLog(folder_transfer / "engine.log", {"API_KEY": "sk-a-long-key", "B": "short"})
        log.write(b"said sk-a-lo")
        log.write(b"ng-key and short")
        log.close()
    assert executions(directory)[1][1].containers == (row,)
    found = environment_of(directory)
    assert (found["format"], found["isolation"], found["cores"]) == ("agz-environment-1", "container", 2)
    assert found["containers"] == [{**msgspec.to_builtins(row), "execution": number} for number in (0, 1)]
    assert canon.loads(canon.dumps(found)) == found, "null, where a limit is not enforced, is canonical"
    assert found["executions"] == ["container engine is paused"] * 2
    (directory.notes / "preflight.json").write_bytes(b"{}")
    kept = dict(attested_files(directory))
    assert [name.removeprefix("data/") for name in sorted(kept)] == [
        "logs/000/engine.log",
        "logs/001/engine.log",
        "notes/preflight.json",
        "notes/weights.json",
    ]
    assert kept["data/logs/000/engine.log"] == b"said [API_KEY] and short"


def test_an_execution_whose_end_was_not_seen_is_kept_as_far_as_it_is_known(directory: RunDirectory) -> None:
    write(next_folder(directory), ContainerExecution((Container("engine", "engine", "1" * 64),)))
    (one,) = environment_of(directory)["containers"]  # type: ignore[misc, union-attr]
    assert one["ended"] == ""  # type: ignore[index, call-overload]
    assert execution_record.FILE == "execution.json"


# --- the folder on its way -----------------------------------------------------------------------


def test_a_link_that_comes_back_from_a_container_is_refused(directory: RunDirectory) -> None:
    (directory.journal / "p0").mkdir()
    (directory.journal / "p0" / "000000.jsonl").write_text("{}")
    require_plain_files(directory)
    (directory.journal / "p0" / "calls.ndjson").symlink_to("/etc/hostname")
    with pytest.raises(PortFault, match=r"calls\.ndjson: expected a file or a folder from the harness"):
        require_plain_files(directory)


def test_a_link_in_place_of_a_folder_is_refused_and_not_followed(directory: RunDirectory, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("mine")
    directory.journal.rmdir()
    directory.journal.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PortFault, match="journal: expected a file or a folder"):
        require_plain_files(directory)
    if os.getuid() == 0:
        hand_over(directory, "10001:10001")
        assert (tmp_path / "elsewhere" / "file").stat().st_uid == 0


def test_notes_that_are_not_known_are_refused_and_never_packed(directory: RunDirectory) -> None:
    (directory.notes / "preflight.json").write_bytes(b"{}")
    with directory.playing():
        pass
    (directory.notes / "preflight.json.making").write_bytes(b"{")  # of a harness that was killed as it wrote
    require_plain_files(directory)
    (directory.notes / "mine.json").write_bytes(b"{}")
    assert [name for name, _ in attested_files(directory)] == ["data/notes/preflight.json"]
    with pytest.raises(
        PortFault,
        match=r"mine\.json: expected only addresses\.json, digests\.json, lock, memory_models\.jsonl, preflight\.json"
        " from the harness",
    ):
        require_plain_files(directory)


def test_a_file_that_could_be_run_as_its_owner_comes_back_as_a_plain_one(directory: RunDirectory) -> None:
    tool = directory.notes / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o4755)
    take_back(directory)
    assert tool.stat().st_mode & 0o7777 == 0o644


def test_a_harness_that_fills_the_disk_is_stopped(directory: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = FolderBounds(directory)
    assert bounds.trouble() == ""
    with (directory.notes / "holes").open("wb") as file:
        file.truncate(65 * 2**20)
    assert re.search(r"notes: expected at most 64 MiB from the harness, found 65 MiB; inspect it$", bounds.trouble())
    (directory.notes / "holes").unlink()
    monkeypatch.setattr(folder_transfer, "FILES_MAX", 2)
    for number in range(3):
        (directory.journal / str(number)).touch()
    assert "journal: expected at most 2 files from the harness" in bounds.trouble()
    monkeypatch.setattr(folder_transfer, "FREE_BYTES_MIN", 2**60)
    assert "MiB free on its disk, found" in bounds.trouble()


@pytest.mark.skipif(os.getuid() != 0, reason="only root hands a folder over")
def test_root_hands_over_what_is_read_and_written_and_nothing_else(directory: RunDirectory) -> None:
    hand_over(directory, "10001:10002")
    owners = {path.name: path.stat().st_uid for path in directory.path.iterdir()}
    assert owners == {
        "executions": 0,
        "journal": 10001,
        "judged": 10001,
        "manifest.json": 10001,
        "manifest.sha256": 10001,
        "manifest.sig": 10001,
        "notes": 10001,
        "secret": 10001,
        "source.json": 10001,
    }


def test_a_container_writes_as_the_caller_and_never_as_root_of_this_machine() -> None:
    assert user_inside(["name=seccomp,profile=default"], 1000, 100) == "1000:100"
    assert user_inside([], 0, 0) == "10001:10001"
    assert user_inside(["name=rootless"], 1000, 100) == "0:0", "the root of a rootless engine is the caller"
    with pytest.raises(NoEngine, match="userns-remap"):
        user_inside(["name=userns"], 1000, 100)


# --- waiting for servers -------------------------------------------------------------------------


class Loading(BaseHTTPRequestHandler):
    """Says 503 once, as a model server does while it loads, then 200."""

    said = 0

    def do_GET(self) -> None:
        type(self).said += 1
        self.send_response(200 if type(self).said > 1 else 503)
        self.end_headers()

    def log_message(self, *args: object) -> None: ...

    def address_string(self) -> str:
        return ""


def test_a_model_is_ready_when_it_has_loaded(tmp_path: Path) -> None:
    with ThreadingUnixStreamServer(str(tmp_path / "model.sock"), Loading) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        wait_for_model(tmp_path / "model.sock", Stop().wait, 300)
        server.shutdown()
    assert Loading.said > 1


def test_servers_that_never_listen_are_a_fault_that_names_them(tmp_path: Path) -> None:
    wait = Stop().wait
    for waiting, told in (
        (lambda: wait_for_socket(tmp_path / "x.sock", wait, 0.1), "nothing listens at .*x.sock after 0 s"),
        (lambda: wait_for_model(tmp_path / "m.sock", wait, 0.1), "no model is ready at .*m.sock after 0 s"),
        (lambda: wait_for_address("127.0.0.1", 1, wait, 0.1), "nothing listens at 127.0.0.1:1 after 0 s"),
    ):
        with pytest.raises(PortFault, match=told):
            waiting()


def test_a_wish_to_stop_ends_the_waiting(tmp_path: Path) -> None:
    stop = Stop()
    stop.request("stopped by SIGTERM")
    with pytest.raises(Stopped, match="stopped by SIGTERM"):
        wait_for_socket(tmp_path / "x.sock", stop.wait)


def test_a_socket_that_somebody_serves_is_found(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "x.sock"))
        listener.listen()
        wait_for_socket(tmp_path / "x.sock", Stop().wait, 5)


@pytest.mark.parametrize("seat", ["weights", "fish"])
def test_processes_are_advised_where_no_engine_answers(
    seat: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    with pytest.raises(ManifestError, match="isolation: process"):
        require_engine(manifest_of(seat).plan)
