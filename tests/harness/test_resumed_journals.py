"""What a crash or a hand leaves in a journal: a torn line is recorded again, any other change is refused."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from harness.commands import Commands
from harness.http_peer import Exchange, Peer
from harness.sealed_runs import Json, finish, journals, seal, start, uninterrupted, wait_for
from harness.test_resume import PLAN, reference


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


@pytest.fixture(scope="module")
def interrupted(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Json, Peer]]:
    """A run that was stopped half-way, its claims when it is played to the end, and its server."""
    folder, half_way, stopped = tmp_path_factory.mktemp("interrupted"), Event(), Event()

    def holds_half_way(exchange: Exchange) -> None:
        if not stopped.is_set() and half_played(run):
            half_way.set()
        if half_way.is_set():
            stopped.wait(120)  # so that no stream goes on until the run is killed
        reference(exchange)

    with Peer(then=reference) as peer:
        run = seal(commands, folder, peer.url, plan=PLAN)
        claims, _ = uninterrupted(commands, run)
        peer.then = holds_half_way
        running = start(commands, run)
        wait_for(half_way.is_set)
        running.kill()
        stopped.set()
        yield run, claims, peer


def half_played(run: Path) -> bool:
    """Whether some streams are finished, and one of chess is neither at its beginning nor near its end."""
    chess = [path for path in open_journals(run) if "chess960" in path.parent.name]
    events = (run / "journal" / "executions.jsonl").read_bytes().count(b"\n")  # the start, then each finished stream
    return events > 2 and any(5 < path.read_bytes().count(b"\n") < 20 for path in chess)


@pytest.fixture
def half(interrupted: tuple[Path, Json, Peer], tmp_path: Path) -> Path:
    """A copy of the run that was stopped half-way."""
    run = interrupted[0]
    shutil.copytree(run, tmp_path / "runs" / run.name)
    shutil.copy(run.parents[1] / "key.pem", tmp_path / "key.pem")
    return tmp_path / "runs" / run.name


def killed(run: Path) -> None:
    """Let the log of executions end as that of a killed process does: without a stop."""
    log = run / "journal" / "executions.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))


def longest(run: Path) -> Path:
    """The longest journal of a stream that the log of executions does not call finished."""
    return max(open_journals(run), key=lambda path: path.read_bytes().count(b"\n"))


def open_journals(run: Path) -> list[Path]:
    """The journals of the streams that the log of executions does not call finished."""
    logged = (run / "journal" / "executions.jsonl").read_text()
    return [path for path in (run / "journal").glob("*/*.jsonl") if path.parent.name not in logged]


@pytest.mark.slow
@pytest.mark.parametrize(
    "torn",
    [
        pytest.param(b"{", marks=pytest.mark.exhaustive, id="brace"),
        pytest.param(b'{"answer":{"as":"reply","text":"\xe2\x99', id="utf8"),
        pytest.param(b"\x00" * 4096, marks=pytest.mark.exhaustive, id="nul"),
        pytest.param(None, id="cut"),
    ],
)
def test_a_torn_last_line_costs_nothing_but_that_line(
    commands: Commands, half: Path, interrupted: tuple[Path, Json, Peer], torn: bytes | None
) -> None:
    killed(half)
    path = longest(half)
    path.write_bytes(path.read_bytes()[:-1] if torn is None else path.read_bytes() + torn)
    (path.parent / "calls.ndjson").open("ab").write(b'{"to":"mo')
    assert finish(commands, half) == interrupted[1]


@pytest.mark.slow
def test_answer_times_that_were_lost_do_not_stop_a_run(
    commands: Commands, half: Path, interrupted: tuple[Path, Json, Peer]
) -> None:
    for path in (half / "journal").rglob("calls.ndjson"):
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
    assert re.match(f"error: {path.parent.name}( entry |: expected the [0-9]+ entries that the log )", refused.err)
    assert refused.err.endswith("the journal was changed since it was recorded: start a new run\n")
    assert len(refused.err.splitlines()) == 1
    assert journals(half)[path.parent.name] == before[path.parent.name]
    assert not list((half.parents[1] / "bundles").iterdir())


@pytest.mark.slow
def test_a_folder_of_no_stream_is_refused_before_anything_is_asked(
    commands: Commands, half: Path, interrupted: tuple[Path, Json, Peer]
) -> None:
    """All was played, and then packing said that the program was at fault."""
    path, asked = longest(half), len(interrupted[2].requests)
    strange = half / "journal" / "copy"
    shutil.copytree(path.parent, strange)
    before = journals(half)
    refused = start(commands, half).ended()
    assert refused.code == 2, refused
    expected = "expected the journal of a stream of the plan, found another; move it out of the run"
    assert refused.err == f"error: {strange}: {expected}\n"
    assert (journals(half), len(interrupted[2].requests)) == (before, asked)
    shutil.rmtree(strange)
    (half / "journal" / "empty").mkdir()
    assert finish(commands, half) == interrupted[1]


def test_the_journal_of_another_run_is_refused(commands: Commands, half: Path, tmp_path: Path) -> None:
    with Peer(then=reference) as peer:
        (tmp_path / "other").mkdir()
        shutil.copy(half.parents[1] / "key.pem", tmp_path / "other" / "key.pem")
        other = seal(commands, tmp_path / "other", peer.url, plan=PLAN)
        shutil.rmtree(other / "journal")
        shutil.copytree(half / "journal", other / "journal")
        refused = start(commands, other).ended()
    assert refused.code == 1
    assert f"run {half.name}" in refused.err
