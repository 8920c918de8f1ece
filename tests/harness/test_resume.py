"""Runs under fire: real processes that are killed, stopped, starved of disk and cut off, and go on to the same end."""

import contextlib
import copy
import itertools
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from agzamov_harness import keys, serving
from agzamov_verify.checks import Options, verify
from agzamov_verify.dice import Stream
from agzamov_verify.stockfish import EngineFault, find_engine
from agzamov_verify.workers import cores
from harness.commands import Commands, Ended, Running
from harness.http_peer import Exchange, Peer, answers, hangs, slowly

Json = dict[str, Any]
CONCURRENCY = 4
KILLS_MIN = 50

PLAN: Json = {
    "title": "Under fire",
    "seats": {
        "model": {"kind": "openai", "model": "random", "concurrency": CONCURRENCY, "timeout_s": 20, "attempts_max": 2},
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 24},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 18, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "model", "b": "dice", "hands": 48, "block_hands": 4},
    ],
}
# The same on this machine alone: worker processes think, and where it is installed an engine judges.
LOCAL: Json = {
    **PLAN,
    "seats": {"model": {"kind": "reference"}, "dice": {"kind": "random"}},
    "chess960": {"adjudication": {"policy": "stockfish"}, "plies_max": 16},
    "engine": {"nodes": 1000},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 4, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "model", "b": "dice", "hands": 8, "block_hands": 4},
    ],
}


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


def reference(exchange: Exchange) -> None:
    """What the reference server would answer."""
    answers(serving.completion(exchange.request_seen.json))(exchange)


def seal(commands: Commands, folder: Path, url: str = "", plan: Json = PLAN, **changes: Json) -> Path:
    """A sealed run in `folder`, whose key lies beside it."""
    plan = copy.deepcopy({**plan, **changes})
    if url:
        plan["seats"]["model"]["base_url"] = url
    if not (folder / "key.pem").exists():
        keys.generate(folder / "key.pem")
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    sealed = commands.run("seal", "plan.yaml", "--key", "key.pem", cwd=folder)
    assert sealed.code == 0, sealed
    return folder / sealed.out.strip()


def resume(run: Path) -> tuple[str, ...]:
    """The command that plays a sealed run; `runs/<id>` lies beside the key."""
    folder = run.parents[1]
    return ("resume", str(run), "--key", str(folder / "key.pem"), "--out", str(folder / "bundles"), "--json")


def start(commands: Commands, run: Path) -> Running:
    return commands.start(*resume(run), cwd=run.parents[1])


def finish(commands: Commands, run: Path) -> Json:
    """Play a run to its end, and return its claims; its bundle must verify."""
    ended = start(commands, run).ended()
    assert ended.code == 0, ended
    return checked(run, ended)


def checked(run: Path, ended: Ended) -> Json:
    """The claims of a run that has ended, once its bundle has been verified."""
    outcome = json.loads(ended.out)
    verdict = verify(Path(outcome["bundle"]), Options(find_engine() if "engine" in manifest_of(run) else None))
    assert (verdict.level, verdict.findings) == ("V1", [])
    claims: Json = outcome["claims"]
    return claims


def manifest_of(run: Path) -> Json:
    """The sealed manifest, without what it does not need."""
    manifest: Json = json.loads((run / "manifest.json").read_bytes())
    return {name: value for name, value in manifest.items() if value is not None}


def twin(run: Path) -> Path:
    """A copy of a sealed run that has not begun, in a folder of its own with the same key."""
    folder = run.parents[1] / "twin"
    shutil.copytree(run, folder / "runs" / run.name)
    shutil.copy(run.parents[1] / "key.pem", folder / "key.pem")
    return folder / "runs" / run.name


def journals(run: Path) -> dict[str, bytes]:
    """The journal of each stream, as its bytes are."""
    return {path.parent.name: path.read_bytes() for path in (run / "journal").rglob("*.jsonl")}


def entries(run: Path) -> int:
    return sum(data.count(b"\n") for data in journals(run).values())


def uninterrupted(commands: Commands, run: Path) -> tuple[Json, dict[str, bytes]]:
    """The claims and the journals of the same sealed run when nothing disturbs it."""
    calm = twin(run)
    return finish(commands, calm), journals(calm)


# --- kill -9 -----------------------------------------------------------------------------------------


def killed_often(commands: Commands, run: Path, peer: Peer, dice: Stream) -> tuple[int, Ended]:
    """Kill and resume until the run is done: mostly soon after some more calls, sometimes at once."""
    for kills in itertools.count():
        running = start(commands, run)
        calls = dice.below(24)
        enough = len(peer.requests) + calls
        while calls and len(peer.requests) < enough and running.alive_after(0.001):
            pass
        if not running.alive_after(dice.below(250 if not calls else 25) / 1000):
            return kills, running.ended()
        running.kill()
        assert not running.left_behind()
    raise AssertionError


def test_a_run_that_is_killed_again_and_again_comes_to_the_same_journals(commands: Commands, tmp_path: Path) -> None:
    dice = Stream(b"under fire", "kills")
    kills, repeats = [], []
    with Peer(then=slowly(reference, 0.02)) as peer:
        while sum(kills) < KILLS_MIN:
            folder = tmp_path / str(len(kills))
            folder.mkdir()
            run = seal(commands, folder, peer.url)
            claims, expected = uninterrupted(commands, run)
            questions = len(peer.requests)
            killed, ended = killed_often(commands, run, peer, dice)
            assert ended.code == 0, ended
            assert checked(run, ended) == claims
            assert journals(run) == expected
            kills.append(killed)
            repeats.append(len(peer.requests) - 2 * questions)
            peer.requests.clear()
    assert len(kills) > 1
    assert all(0 < repeated <= killed * CONCURRENCY for repeated, killed in zip(repeats, kills, strict=True))


def test_a_run_killed_while_it_packs_is_packed_again(commands: Commands, tmp_path: Path) -> None:
    dice = Stream(b"under fire", "packing")
    torn = 0
    with Peer(then=reference) as peer:
        run = seal(commands, tmp_path, peer.url)
        claims = finish(commands, run)
        asked, making = len(peer.requests), tmp_path / "bundles" / f".{run.name}.making"
        for _ in range(10):
            before = changed_ns(making)
            running = start(commands, run)
            while changed_ns(making) in (0, before) and running.alive_after(0.001):
                pass
            running.alive_after(dice.below(20) / 1000)
            running.kill()
            torn += changed_ns(making) not in (0, before)
        assert torn > 2
        assert finish(commands, run) == claims
        assert len(peer.requests) == asked
    assert {path.name for path in (tmp_path / "bundles").iterdir()} == {run.name}


def changed_ns(path: Path) -> int:
    """When a folder last changed, 0 while it is not there."""
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_ctime_ns
    return 0


def test_killing_the_harness_leaves_no_worker_and_no_engine_behind(commands: Commands, tmp_path: Path) -> None:
    run = local_run(commands, tmp_path)
    claims, expected = uninterrupted(commands, run)
    seen = ""
    for more in (1, 20, 20):
        running = played_so_far(commands, run, more)
        seen += str(running.family())
        running.kill()
        assert not running.left_behind()
    assert ("spawn_main" in seen, "stockfish" in seen) == (cores() > 1, has_engine())  # they were there, and went
    assert finish(commands, run) == claims
    assert journals(run) == expected


def local_run(commands: Commands, folder: Path, games: int = 4) -> Path:
    """A sealed run of local seats, with an engine where there is one."""
    judged = LOCAL if has_engine() else {**LOCAL, "chess960": PLAN["chess960"]}
    chess, poker = judged["matches"]
    return seal(commands, folder, plan=judged, matches=[{**chess, "games": games}, poker])


def played_so_far(commands: Commands, run: Path, more: int) -> Running:
    """A resumed run that has recorded so many more entries."""
    running, enough = start(commands, run), entries(run) + more
    wait_for(lambda: entries(run) >= enough)
    return running


def has_engine() -> bool:
    try:
        return bool(find_engine())
    except EngineFault:
        return False


# --- SIGTERM and SIGINT ------------------------------------------------------------------------------


def wait_for(condition: Any, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_run_after_the_calls_in_flight(
    commands: Commands, tmp_path: Path, number: signal.Signals
) -> None:
    with Peer(then=slowly(reference, 0.05)) as peer:
        run = seal(commands, tmp_path, peer.url)
        running = start(commands, run)
        wait_for(lambda: len(peer.requests) > 20)
        running.signal(number)
        ended = running.ended(6)
        asked, recorded = len(peer.requests), entries(run)
        assert ended.code == 4
        assert ended.err == f"error: stopped by {number.name}; go on with: agzamov resume {run}\n"
        finish(commands, run)
        answered = sum(data.count(b'"to":"model"') for data in journals(run).values())
    assert answered == len(peer.requests)  # what was in flight was kept, and nothing was asked twice
    assert 20 < asked < answered
    assert recorded


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_leaves_at_once(commands: Commands, tmp_path: Path, number: signal.Signals) -> None:
    with Peer(then=hangs) as peer:
        run = seal(commands, tmp_path, peer.url)
        running = start(commands, run)
        wait_for(lambda: peer.requests)
        running.signal(number)
        assert running.alive_after(0.5)
        running.signal(number)
        ended = running.ended(5)
    assert ended.code == 4
    assert f"stopped by {number.name}, what was in flight was dropped; go on with: agzamov resume {run}" in ended.err
    assert not running.left_behind()


def test_a_call_that_hangs_holds_a_stop_up_for_some_seconds_only(commands: Commands, tmp_path: Path) -> None:
    with Peer(then=hangs) as peer:
        run = seal(commands, tmp_path, peer.url)
        running = start(commands, run)
        wait_for(lambda: len(peer.requests) == CONCURRENCY)
        running.signal(signal.SIGTERM)
        ended = running.ended(10)
    assert ended.code == 4
    assert "what was in flight was dropped" in ended.err


def test_a_stop_between_tries_does_not_wait_for_the_next(commands: Commands, tmp_path: Path) -> None:
    with Peer(then=answers({"error": "later"}, 429, {"retry-after": "300"})) as peer:
        run = seal(commands, tmp_path, peer.url)
        running = start(commands, run)
        wait_for(lambda: len(peer.requests) == CONCURRENCY)
        running.signal(signal.SIGINT)
        assert running.ended(5).code == 4


def test_ctrl_c_in_a_terminal_does_not_break_workers_and_engines_under_the_run(
    commands: Commands, tmp_path: Path
) -> None:
    run = local_run(commands, tmp_path)
    for _ in range(2):
        running = played_so_far(commands, run, 10)
        running.signal_all(signal.SIGINT)
        ended = running.ended(10)
        assert ended.code == 4
        assert ended.err == f"error: stopped by SIGINT; go on with: agzamov resume {run}\n"
        assert not running.left_behind()
    finish(commands, run)


@pytest.mark.parametrize("program", ["spawn_main", "stockfish"])
def test_a_worker_or_an_engine_that_dies_stops_the_run_and_a_new_one_goes_on(
    commands: Commands, tmp_path: Path, program: str
) -> None:
    if not {"spawn_main": cores() > 1, "stockfish": has_engine()}[program]:
        pytest.skip("this machine runs no such process")
    run = local_run(commands, tmp_path, games=20)
    running = played_so_far(commands, run, 10)
    for pid, line in running.family().items():
        if program in line:
            with contextlib.suppress(ProcessLookupError):  # the pool may have ended the other worker by now
                os.kill(pid, signal.SIGKILL)
    ended = running.ended(10)
    assert ended.code == 4
    assert ended.err.endswith(f"; go on with: agzamov resume {run}\n")
    assert len(ended.err.splitlines()) == 1
    assert not running.left_behind()
    played_so_far(commands, run, 10).kill()


# --- the disk ----------------------------------------------------------------------------------------


@contextmanager
def small_disk(at: Path, size_kib: int) -> Iterator[None]:
    at.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_kib}k", "tmpfs", at], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", at], check=True)


def can_mount(folder: Path) -> bool:
    try:
        with small_disk(folder / "probe", 64):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_stops_the_run_and_a_larger_one_lets_it_go_on(commands: Commands, tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("this container may not mount a small disk")
    disk = tmp_path / "disk"
    with Peer(then=reference) as peer, small_disk(disk, 160):
        run = seal(commands, disk, peer.url)
        elsewhere = tmp_path / "calm" / "runs" / run.name
        shutil.copytree(run, elsewhere)
        shutil.copy(disk / "key.pem", tmp_path / "calm" / "key.pem")
        for _ in range(3):
            full = start(commands, run).ended()
            assert full.code == 4, full
            assert "No space left on device; nothing recorded was lost; go on with: agzamov resume" in full.err
            assert "Traceback" not in full.err
        assert entries(run) > 30
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        claims = finish(commands, run)
        assert finish(commands, elsewhere) == claims
        assert journals(elsewhere) == journals(run)


# --- what a crash or a hand leaves in a journal --------------------------------------------------------


@pytest.fixture(scope="module")
def interrupted(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Json, Peer]]:
    """A run that was stopped half-way, its claims when it is played to the end, and its server."""
    folder = tmp_path_factory.mktemp("interrupted")
    with Peer(then=slowly(reference, 0.01)) as peer:
        run = seal(commands, folder, peer.url)
        claims, _ = uninterrupted(commands, run)
        running = start(commands, run)
        wait_for(lambda: len(journals(run)) > CONCURRENCY)
        running.kill()
        yield run, claims, peer


@pytest.fixture
def half(interrupted: tuple[Path, Json, Peer], tmp_path: Path) -> Path:
    """A copy of the run that was stopped half-way."""
    run = interrupted[0]
    shutil.copytree(run, tmp_path / "runs" / run.name)
    shutil.copy(run.parents[1] / "key.pem", tmp_path / "key.pem")
    return tmp_path / "runs" / run.name


def longest(run: Path) -> Path:
    return max((run / "journal").rglob("*.jsonl"), key=lambda path: path.stat().st_size)


@pytest.mark.parametrize(
    "torn",
    [b"{", b'{"answer":{"as":"reply","text":"\xe2\x99', b"\x00" * 4096, None],
    ids=["brace", "utf8", "nul", "cut"],
)
def test_a_torn_last_line_costs_nothing_but_that_line(
    commands: Commands, half: Path, interrupted: tuple[Path, Json, Peer], torn: bytes | None
) -> None:
    path = longest(half)
    path.write_bytes(path.read_bytes()[:-1] if torn is None else path.read_bytes() + torn)
    (path.parent / "laps.timing").open("ab").write(b'{"to":"mo')
    assert finish(commands, half) == interrupted[1]


def test_answer_times_that_were_lost_do_not_stop_a_run(
    commands: Commands, half: Path, interrupted: tuple[Path, Json, Peer]
) -> None:
    for path in (half / "journal").rglob("laps.timing"):
        path.unlink()
    assert finish(commands, half) == interrupted[1]


def edit_an_answer(lines: list[bytes]) -> None:
    lines[2] = lines[2].replace(b"MOVE: ", b"MOVE:  ").replace(b"ACTION: ", b"ACTION:  ")


def drop_a_line(lines: list[bytes]) -> None:
    del lines[2]


def swap_two_lines(lines: list[bytes]) -> None:
    lines[1], lines[2] = lines[2], lines[1]


def repeat_a_line(lines: list[bytes]) -> None:
    lines.append(lines[-1])


def write_nonsense(lines: list[bytes]) -> None:
    lines[2] = b"nonsense\n"


def respell(lines: list[bytes]) -> None:
    lines[2] = lines[2].replace(b'"as":"reply",', b'"as": "reply",')


def ask_something_else(lines: list[bytes]) -> None:
    at = lines[-1].index(b'"digest":"') + len(b'"digest":"')
    lines[-1] = lines[-1][:at] + (b"1" if lines[-1][at:].startswith(b"0") else b"0") + lines[-1][at + 1 :]


EDITS = [edit_an_answer, drop_a_line, swap_two_lines, repeat_a_line, write_nonsense, respell, ask_something_else]


@pytest.mark.parametrize("edit", EDITS)
def test_a_journal_that_a_hand_has_edited_is_refused_in_one_line(
    commands: Commands, half: Path, interrupted: tuple[Path, Json, Peer], edit: Any
) -> None:
    path = longest(half)
    lines = path.read_bytes().splitlines(keepends=True)
    edit(lines)
    path.write_bytes(b"".join(lines))
    before = journals(half)
    refused = start(commands, half).ended()
    assert refused.code == 1, refused
    assert refused.err.startswith(f"error: {path.parent.name} entry ")
    assert refused.err.endswith("the journal was changed since it was recorded: start a new run\n")
    assert len(refused.err.splitlines()) == 1
    assert journals(half)[path.parent.name] == before[path.parent.name]
    assert not (half.parents[1] / "bundles").exists()


def test_the_journal_of_another_run_is_refused(commands: Commands, half: Path, tmp_path: Path) -> None:
    with Peer(then=reference) as peer:
        (tmp_path / "other").mkdir()
        shutil.copy(half.parents[1] / "key.pem", tmp_path / "other" / "key.pem")
        other = seal(commands, tmp_path / "other", peer.url)
        shutil.rmtree(other / "journal")
        shutil.copytree(half / "journal", other / "journal")
        refused = start(commands, other).ended()
    assert refused.code == 1
    assert f"run {half.name}" in refused.err


# --- other processes, and the other end ------------------------------------------------------------------


def test_a_second_process_on_the_same_run_is_refused(commands: Commands, tmp_path: Path) -> None:
    with Peer(then=slowly(reference, 0.05)) as peer:
        run = seal(commands, tmp_path, peer.url)
        first = start(commands, run)
        wait_for(lambda: peer.requests)
        second = start(commands, run).ended()
        assert second.code == 2
        assert second.err == f"error: {run}: another process is running this run\n"
        ended = first.ended()
    assert ended.code == 0, ended
    checked(run, ended)


def served(commands: Commands, folder: Path, port: int) -> tuple[Running, str]:
    """A reference server as a process, and its base URL."""
    server = commands.start("serve-reference", "--port", port, "--delay-ms", 20, cwd=folder)
    wait_for(server.printed)
    return server, server.printed().strip()


def test_an_endpoint_that_dies_stops_the_run_and_one_that_comes_back_lets_it_go_on(
    commands: Commands, tmp_path: Path
) -> None:
    server, url = served(commands, tmp_path, 0)
    run = seal(commands, tmp_path, url)
    claims, expected = uninterrupted(commands, run)
    running = start(commands, run)
    wait_for(lambda: entries(run) > 30)
    server.kill()
    stopped = running.ended()
    assert stopped.code == 4, stopped
    assert "2 tries failed, the last with connection: Connection error. [Errno 111] Connection refused" in stopped.err
    server, again = served(commands, tmp_path, int(url.split(":")[2].partition("/")[0]))
    assert again == url
    assert finish(commands, run) == claims
    assert journals(run) == expected
    server.kill()
