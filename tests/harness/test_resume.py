"""Runs under fire: real processes that are killed, stopped, starved of disk and cut off, and go on to the same end."""

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from agzamov_harness.reference_server import chat_server
from agzamov_verify.core.dice import Stream
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from harness.commands import Commands, Ended, Running
from harness.http_peer import Exchange, Peer, answers, hangs, lasting_port, slowly
from harness.sealed_runs import (
    Json,
    advice,
    checked,
    entries,
    finish,
    journals,
    played_so_far,
    seal,
    start,
    uninterrupted,
    wait_for,
)
from harness.small_disk import can_mount, small_disk

CONCURRENCY = 4
RUNS_MIN = 2
HOLD_S = 300

PLAN: Json = {
    "title": "Under fire",
    "seats": {
        "model": {"kind": "openai", "model": "random", "concurrency": CONCURRENCY, "timeout_s": 120, "attempts_max": 2},
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 24},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 8, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "model", "b": "dice", "hands": 16, "block_hands": 4},
    ],
}
# So much of it that a small disk is full on the way.
LARGE: list[Json] = [{**PLAN["matches"][0], "games": 18}, {**PLAN["matches"][1], "hands": 48}]
# The same on this machine alone: worker processes think, and where it is installed an engine judges.
LOCAL: Json = {
    **PLAN,
    "seats": {"model": {"kind": "reference"}, "dice": {"kind": "random"}},
    "chess960": {"adjudication": {"policy": "stockfish"}, "plies_max": 8},
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
    answers(chat_server.completion(exchange.request_seen.json))(exchange)


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


@pytest.mark.slow
@pytest.mark.parametrize("kills_min", [8, pytest.param(50, marks=pytest.mark.exhaustive)])
def test_a_run_that_is_killed_again_and_again_comes_to_the_same_journals(
    commands: Commands, tmp_path: Path, kills_min: int
) -> None:
    dice = Stream(b"under fire", "kills")
    kills, repeats = [], []
    with Peer(then=slowly(reference, 0.02)) as peer:
        while sum(kills) < kills_min or len(kills) < RUNS_MIN:
            folder = tmp_path / str(len(kills))
            folder.mkdir()
            run = seal(commands, folder, peer.url, plan=PLAN)
            claims, expected = uninterrupted(commands, run)
            questions = len(peer.requests)
            killed, ended = killed_often(commands, run, peer, dice)
            assert ended.code == 0, ended
            assert checked(run, ended) == claims
            assert journals(run) == expected
            kills.append(killed)
            repeats.append(len(peer.requests) - 2 * questions)
            peer.requests.clear()
    assert all(0 < repeated <= killed * CONCURRENCY for repeated, killed in zip(repeats, kills, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("tries_min", "torn_min"), [(3, 1), pytest.param(10, 3, marks=pytest.mark.exhaustive)])
def test_a_run_killed_while_it_packs_is_packed_again(
    commands: Commands, tmp_path: Path, tries_min: int, torn_min: int
) -> None:
    dice = Stream(b"under fire", "packing")
    tries = torn = 0
    with Peer(then=reference) as peer:
        run = seal(commands, tmp_path, peer.url, plan=PLAN)
        claims = finish(commands, run)
        asked, making = len(peer.requests), tmp_path / "bundles" / f".{run.name}.making"
        while tries < tries_min or torn < torn_min:
            tries += 1
            assert tries <= 100, torn
            before = changed_ns(making)
            running = start(commands, run)
            while changed_ns(making) in (0, before) and running.alive_after(0.001):
                pass
            running.alive_after(dice.below(20) / 1000)
            running.kill()
            assert not running.left_behind()
            torn += changed_ns(making) not in (0, before)
        assert finish(commands, run) == claims
        assert len(peer.requests) == asked
    assert {path.name for path in (tmp_path / "bundles").iterdir()} == {run.name}


def changed_ns(path: Path) -> int:
    """When a folder last changed, 0 while it is not there."""
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_ctime_ns
    return 0


@pytest.mark.slow
def test_killing_the_harness_leaves_no_worker_and_no_engine_behind(commands: Commands, tmp_path: Path) -> None:
    run = local_run(commands, tmp_path, games=6)
    claims, expected = uninterrupted(commands, run)
    seen, there = "", programs()
    for more in (1, 20, 20):
        running = played_so_far(commands, run, more)
        if more > 1:
            wait_for(lambda running=running: all(name in str(running.family()) for name in there) or over(running))
        seen += str(running.family())
        running.kill()
        assert not running.left_behind()
    assert all(name in seen for name in there), "they were there, and went"
    assert finish(commands, run) == claims
    assert journals(run) == expected


def programs() -> list[str]:
    """What stands in the command lines of the processes that a local run starts here."""
    return [name for name, is_here in {"spawn_main": cores() > 1, "stockfish": has_engine()}.items() if is_here]


def over(running: Running) -> bool:
    return not running.alive_after(0)


def local_run(commands: Commands, folder: Path, games: int) -> Path:
    """A sealed run of local seats, with an engine where there is one."""
    judged = LOCAL if has_engine() else {**LOCAL, "chess960": PLAN["chess960"]}
    chess, poker = judged["matches"]
    return seal(commands, folder, plan=judged, matches=[{**chess, "games": games}, poker])


def has_engine() -> bool:
    try:
        return bool(find_engine())
    except EngineFault:
        return False


# --- SIGTERM and SIGINT ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_run_after_the_calls_in_flight(
    commands: Commands, tmp_path: Path, number: signal.Signals
) -> None:
    signalled = Event()

    def held_half_way(exchange: Exchange) -> None:
        if len(peer.requests) > 20:
            signalled.wait(HOLD_S)
        slowly(reference, 0.05)(exchange)

    with Peer(then=held_half_way) as peer:
        run = seal(commands, tmp_path, peer.url, plan=PLAN)
        running = start(commands, run)
        wait_for(lambda: len(peer.requests) > 20)
        running.signal(number)
        signalled.set()
        ended = running.ended()
        asked, recorded = len(peer.requests), entries(run)
        assert ended.code == 4
        waiting, stopped = ended.err.splitlines()
        assert re.fullmatch(r"stopping: waiting for (1 reply|\d replies), up to 120 s; .* again drops them", waiting)
        assert stopped == f"stopped by {number.name}; go on with: agzamov resume {run} --out {run.parents[1]}/bundles"
        finish(commands, run)
        answered = sum(data.count(b'"to":"model"') for data in journals(run).values())
    assert answered == len(peer.requests)  # what was in flight was kept, and nothing was asked twice
    assert 20 < asked < answered
    assert recorded


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_leaves_at_once(commands: Commands, tmp_path: Path, number: signal.Signals) -> None:
    with Peer(then=hangs) as peer:
        run = seal(commands, tmp_path, peer.url, plan=PLAN)
        running = start(commands, run)
        wait_for(lambda: peer.requests)
        running.signal(number)
        wait_for(lambda: "again drops them" in running.errors())  # a busy machine handles it late
        assert running.alive_after(0.5)
        running.signal(number)
        ended = running.ended()
    assert ended.code == 4
    assert f"stopped by {number.name}, what was in flight was dropped; go on with: agzamov resume {run}" in ended.err
    assert not running.left_behind()


@pytest.mark.slow
def test_a_call_that_hangs_holds_a_stop_up_until_its_timeout_only(commands: Commands, tmp_path: Path) -> None:
    with Peer(then=hangs) as peer:
        seats = {**PLAN["seats"], "model": {**PLAN["seats"]["model"], "timeout_s": 2}}
        run = seal(commands, tmp_path, peer.url, plan={**PLAN, "seats": seats})
        running = start(commands, run)
        wait_for(lambda: len(peer.requests) == CONCURRENCY)
        running.signal(signal.SIGTERM)
        ended = running.ended()
    assert ended.code == 4
    assert "stopping: waiting for 4 replies, up to 2 s; the signal again drops them\nstopped by SIGTERM; " in ended.err


def test_a_stop_between_tries_does_not_wait_for_the_next(commands: Commands, tmp_path: Path) -> None:
    with Peer(then=answers({"error": "later"}, 429, {"retry-after": "300"})) as peer:
        run = seal(commands, tmp_path, peer.url, plan=PLAN)
        running = start(commands, run)
        wait_for(lambda: len(peer.requests) == CONCURRENCY)
        running.signal(signal.SIGINT)
        assert running.ended().code == 4


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_does_not_break_workers_and_engines_under_the_run(
    commands: Commands, tmp_path: Path
) -> None:
    run = local_run(commands, tmp_path, games=6)
    for _ in range(2):
        running = played_so_far(commands, run, 10)
        running.signal_all(signal.SIGINT)
        ended = running.ended()
        assert ended.code == 4
        assert ended.err == f"stopped by SIGINT; go on with: agzamov resume {run} --out {run.parents[1]}/bundles\n"
        assert not running.left_behind()
    finish(commands, run)


@pytest.mark.slow
@pytest.mark.parametrize("program", ["spawn_main", "stockfish"])
def test_a_worker_or_an_engine_that_dies_stops_the_run_and_a_new_one_goes_on(
    commands: Commands, tmp_path: Path, program: str
) -> None:
    if program not in programs():
        pytest.skip("this machine runs no such process")
    run = local_run(commands, tmp_path, games=20)
    running = played_so_far(commands, run, 10)
    wait_for(lambda: program in str(running.family()) or over(running))
    for pid, line in running.family().items():
        if program in line:
            with contextlib.suppress(ProcessLookupError):  # the pool may have ended the other worker by now
                os.kill(pid, signal.SIGKILL)
    ended = running.ended()
    assert ended.code == 4
    assert ended.err.endswith(f"; {advice(run)}\n")
    assert len(ended.err.splitlines()) == 1
    assert not running.left_behind()
    played_so_far(commands, run, 10).kill()


# --- the disk ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_full_disk_stops_the_run_and_a_larger_one_lets_it_go_on(commands: Commands, tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("this container may not mount a small disk")
    disk = tmp_path / "disk"
    with Peer(then=reference) as peer, small_disk(disk, 160):
        run = seal(commands, disk, peer.url, plan={**PLAN, "matches": LARGE})
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


# --- other processes, and the other end ------------------------------------------------------------------


@pytest.mark.slow
def test_a_second_process_on_the_same_run_is_refused(commands: Commands, tmp_path: Path) -> None:
    refused = Event()

    def held(exchange: Exchange) -> None:
        refused.wait(HOLD_S)
        reference(exchange)

    with Peer(then=held) as peer:
        run = seal(commands, tmp_path, peer.url, plan=PLAN)
        first = start(commands, run)
        wait_for(lambda: peer.requests)
        second = start(commands, run).ended()
        refused.set()
        assert second.code == 2
        assert second.err == f"error: {run}: another process is running this run\n"
        ended = first.ended()
    assert ended.code == 0, ended
    checked(run, ended)


def served(commands: Commands, folder: Path, port: int) -> tuple[Running, str]:
    """A reference server as a process, and its base URL."""
    server = commands.start("serve-reference", "--port", port, "--delay-ms", 50, cwd=folder)
    wait_for(server.printed)
    return server, server.printed().strip()


@pytest.mark.slow
def test_an_endpoint_that_dies_stops_the_run_and_one_that_comes_back_lets_it_go_on(
    commands: Commands, tmp_path: Path
) -> None:
    port = lasting_port()
    server, url = served(commands, tmp_path, port)
    run = seal(commands, tmp_path, url, plan=PLAN)
    claims, expected = uninterrupted(commands, run)
    running = start(commands, run)
    wait_for(lambda: entries(run) > 30)
    server.kill()
    stopped = running.ended()
    assert stopped.code == 4, stopped
    assert "2 tries failed, the last with connection: Connection refused" in stopped.err
    server, again = served(commands, tmp_path, port)
    assert again == url
    assert finish(commands, run) == claims
    assert journals(run) == expected
    server.kill()
