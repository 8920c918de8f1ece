"""Memory servers over HTTP: one that the harness starts, and one that runs already at an address."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.memory.adapter_file import DeclaredSystem, Variant, adapter_from_yaml
from agzamov_harness.memory.conformance import check_system
from agzamov_harness.memory.launch import Setup
from agzamov_harness.memory.server_limits import MemoryFault, ServerLimits
from agzamov_harness.servers.server_process import free_port
from agzamov_verify.core.questions import Exported, Hits
from agzamov_verify.plan.manifest import ManifestError
from harness.commands import Commands, Ended
from harness.sealed_runs import resume, seal
from memory.memory_world import LIMITS, answers, career, export, opened, search, store

SERVER = Path(__file__).parent / "http_notes_server.py"
STARTED = f'launch: {{command: "${{PYTHON}}", args: ["{SERVER}", "${{PORT}}"], url: "http://127.0.0.1:${{PORT}}/mcp"}}'
ADAPTER = """
about: Notes over HTTP
interface: agz-memory-1
{launch}
traits: {{architecture: a list, query: full_text, rewrites: never}}
store: {{tool: remember, args: {{text: "${{content}}"{shelf}}}, stored: ok}}
search: {{tool: recall, args: {{question: "${{query}}", count: "${{limit}}"{shelf}}}, items: notes, content: text}}
export: {{tool: everything, args: {{{all}}}, items: notes, content: text}}
"""


def http(launch: str = STARTED, shelf: str = "", limits: ServerLimits = LIMITS) -> Setup:
    own = f'shelf: "{shelf}"' if shelf else ""
    text = ADAPTER.format(launch=launch, shelf=f", {own}" if own else "", all=own)
    adapter = adapter_from_yaml(text.encode())
    return Setup(DeclaredSystem("http-notes", adapter, Variant("", adapter.traits.query)), limits=limits)


@pytest.fixture
def running() -> Iterator[str]:
    """The address of a server that runs already, and that somebody else has told a note."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, SERVER, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        address = f"http://127.0.0.1:{port}/mcp"
        for _ in range(600):
            try:
                httpx2.get(address)
                break
            except httpx2.TransportError:
                time.sleep(0.05)
        yield address
    finally:
        process.kill()
        process.wait()


def test_a_server_that_is_started_answers_over_http(tmp_path: Path) -> None:
    with opened(http(), tmp_path) as port:
        *_, found, dump = answers(port, career())
        assert isinstance(found, Hits)
        assert isinstance(dump, Exported)
        assert len(dump.entries) == 4
        assert found.hits[0].content == "Opponent castled before move 8:\n3 of 4"
        assert port._server
        assert (port._server.pin.name, port._server.pin.version) == ("http-notes", "7")
    assert "not MCP, and no harm over HTTP" in (tmp_path / "memory.log").read_text()


@pytest.mark.slow
def test_each_start_has_a_store_and_a_port_of_its_own(tmp_path: Path) -> None:
    with opened(http(), tmp_path) as one, opened(http(), tmp_path) as other:
        one.answer(store(1, "castled"))
        assert answers(other, [search("castled", 1), export()]) == [Hits(()), Exported((), more=False)]


@pytest.mark.slow
def test_its_checks_pass(tmp_path: Path) -> None:
    findings = list(check_system(http(), tmp_path / "memory.log"))
    assert {finding.check: finding.line for finding in findings if finding.outcome != "ok"} == {}


def test_a_server_that_ends_in_a_call_is_told_with_its_end(tmp_path: Path) -> None:
    launch = STARTED.replace('"${PORT}"]', '"${PORT}", dies]')
    with opened(http(launch), tmp_path) as port, pytest.raises(MemoryFault, match="found the server ended"):
        port.answer(store(1, "castled"))


@pytest.mark.slow
def test_an_answer_of_any_length_is_not_read_to_its_end(tmp_path: Path) -> None:
    """Over standard streams a line had a limit; over HTTP 700 MB took the run to 2.8 GB."""
    with opened(http(), tmp_path) as port, pytest.raises(MemoryFault):
        port.answer(search("more than fits", 1))


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "GZIP, gzip"])
def test_an_encoded_answer_is_never_decoded(encoding: str, tmp_path: Path) -> None:
    """3 MB of gzip took gigabytes, and the call's time limit did not fire while they were unpacked."""
    launch = STARTED.replace('"${PORT}"]', f'"${{PORT}}", "encoding={encoding}"]')
    with opened(http(launch), tmp_path) as port, pytest.raises(MemoryFault, match="content-encoding"):
        port.answer(store(1, "castled"))


@pytest.mark.slow
def test_an_encoding_of_identity_is_none(tmp_path: Path) -> None:
    launch = STARTED.replace('"${PORT}"]', '"${PORT}", "encoding=identity"]')
    with opened(http(launch), tmp_path) as port:
        port.answer(store(1, "castled"))


def test_a_program_that_is_not_there_is_told_by_its_name(tmp_path: Path) -> None:
    launch = STARTED.replace("${PYTHON}", "no-such-program")
    with opened(http(launch), tmp_path) as port, pytest.raises(MemoryFault, match="no program no-such-program"):
        port.answer(store(1, "castled"))


HOLDER = """
import sys
from pathlib import Path
from memory.test_http_memory import STARTED, http
from memory.memory_world import opened, store
folder = Path(sys.argv[1])
launch = STARTED.replace('"${PORT}"]', '"${PORT}", "pids=' + str(folder / "pids") + '"]')
with opened(http(launch), folder) as port:
    port.answer(store(1, "castled"))
    print("stored", flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
def test_a_server_ends_with_a_harness_that_is_killed(tmp_path: Path) -> None:
    """And so does what the server itself has started."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, tmp_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert process.stdin
    assert process.stdout
    try:
        assert process.stdout.readline() == b"stored\n"
        pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
        assert len(pids) == 2
        assert all(map(is_running, pids))
    finally:
        process.kill()
        process.wait()
    for _ in range(1200):
        if not any(map(is_running, pids)):
            break
        time.sleep(0.05)
    assert not any(map(is_running, pids))
    process.stdin.close()
    process.stdout.close()


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_a_server_that_ends_before_it_listens_is_told_with_its_last_line(tmp_path: Path) -> None:
    launch = STARTED.replace('"${PORT}"]', "no-port]")
    with (
        opened(http(launch), tmp_path) as port,
        pytest.raises(MemoryFault, match=r"last line on stderr is .ValueError"),
    ):
        port.answer(store(1, "castled"))


def test_a_server_that_never_listens_is_told_with_the_time(tmp_path: Path) -> None:
    launch = STARTED.replace(f'"{SERVER}"', '"-c", "import time; time.sleep(600)"')
    setup = http(launch, limits=ServerLimits(open_s=0.5))
    with opened(setup, tmp_path) as port, pytest.raises(MemoryFault, match=r"found no answer within 0\.5 s"):
        port.answer(store(1, "castled"))


def test_careers_at_a_server_that_runs_already_are_apart(running: str, tmp_path: Path) -> None:
    setup = http(f'launch: {{url: "{running}"}}', "${CAREER}")
    with opened(setup, tmp_path) as one, opened(setup, tmp_path) as other:
        one.answer(store(1, "castled"))
        assert answers(other, [search("castled", 1), export()]) == [Hits(()), Exported((), more=False)]
        (hit,) = answers(one, [search("castled", 1)])
        assert isinstance(hit, Hits)
        assert hit.hits[0].content == "castled"


def test_a_server_that_is_not_there_is_told_with_its_address(tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{free_port()}/mcp"
    setup = http(f'launch: {{url: "{address}"}}', "${CAREER}")
    with opened(setup, tmp_path) as port, pytest.raises(MemoryFault, match=f"a server that runs at {address}, found"):
        port.answer(store(1, "castled"))


@pytest.mark.parametrize(
    ("launch", "shelf", "expected"),
    [
        ("launch: {}", "", "launch: expected command, or url for a server that is reached by HTTP, found neither"),
        ('launch: {url: "ftp://127.0.0.1/mcp"}', "", r"launch\.url: expected an address such as .*, found 'ftp:"),
        (
            'launch: {command: a, url: "http://127.0.0.1:80/mcp"}',
            "",
            r"launch\.url: expected \$\{PORT\} at 127\.0\.0\.1",
        ),
        (
            'launch: {command: a, url: "http://localhost:${PORT}/mcp"}',
            "",
            r"launch\.url: expected \$\{PORT\} at 127\.0\.0\.1",
        ),
        (
            'launch: {command: a, url: "http://example.org:${PORT}/mcp"}',
            "",
            r"launch\.url: expected \$\{PORT\} at 127\.0\.0\.1",
        ),
        ('launch: {url: "http://127.0.0.1:80/mcp"}', "", r"store\.args: expected \$\{CAREER\}, a name of its own"),
        ('launch: {url: "http://127.0.0.1:80/mcp", args: [x]}', "${CAREER}", "launch: expected url alone"),
        ('launch: {url: "http://127.0.0.1:${PORT}/mcp"}', "${CAREER}", r"launch\.url: expected no variable, found"),
        (STARTED, "${CAREER}", r"store\.args: expected one of .*, found \$\{CAREER\}"),
    ],
)
def test_an_adapter_that_cannot_be_fair_is_refused(launch: str, shelf: str, expected: str) -> None:
    with pytest.raises(ManifestError, match=expected):
        http(launch, shelf)


def test_a_server_that_runs_already_is_not_told_anything_without_consent(running: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    own = 'shelf: "${CAREER}"'
    path.write_text(ADAPTER.format(launch=f'launch: {{url: "{running}"}}', shelf=f", {own}", all=own))
    ran = CliRunner().invoke(main, ["memory", "check", str(path)])
    assert ran.exit_code == 2
    assert f"memory mine is a server at {running}, which runs already and is told every note of a run" in ran.output


def played(folder: Path, adapter: str) -> Ended:
    """A small run with the memory of an adapter, as `verify --details` shows its bundle; the run went well."""
    (folder / "mine.yaml").write_text(adapter)
    condition = {"augmentation": "memory", "arm": "real", "system": "mine"}
    match = {"phase": 2, "game": "holdem", "a": "agent", "b": "foe", "hands": 8, "careers": 2, "condition": condition}
    plan = {
        "title": "A memory from outside",
        "seats": {"agent": {"kind": "random"}, "foe": {"kind": "random"}},
        "holdem": {"session_hands": 2},
        "systems": {"mine": {"kind": "memory", "server": "mine.yaml"}},
        "matches": [match],
    }
    (folder / "printed").mkdir()
    with Commands(folder / "printed") as commands:
        ended = commands.run(*resume(seal(commands, folder, plan=plan)), "--start-programs", cwd=folder)
        assert ended.code == 0, ended
        return commands.run("verify", json.loads(ended.out)["bundle"], "--json", cwd=folder)


@pytest.mark.slow
def test_a_run_with_a_server_that_is_started_verifies(tmp_path: Path) -> None:
    ended = played(tmp_path, ADAPTER.format(launch=STARTED, shelf="", all=""))
    assert json.loads(ended.out)["level"] == "V1"
    assert "lineage: mine A verbatim" in ended.out


@pytest.mark.slow
def test_a_run_with_a_server_that_ran_already_says_that_nothing_pins_it(running: str, tmp_path: Path) -> None:
    own = 'shelf: "${CAREER}"'
    adapter = ADAPTER.format(launch=f'launch: {{url: "{running}"}}', shelf=f", {own}", all=own)
    ended = played(tmp_path, adapter)
    assert json.loads(ended.out)["level"] == "V0"
    assert "lineage: mine D unverified" in ended.out
    assert f"mine is a server that ran already at {running}, and nothing pins what answered there" in ended.out
    assert f"system mine is a server that ran already at {running}: no digest pins its program" in ended.out
