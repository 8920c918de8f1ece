"""Memory servers in containers: each career has one, without a network, and what goes wrong with it stops the run."""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_harness.containers.container_engine import ContainerEngine
from agzamov_harness.containers.container_lifecycle import RUN_LABEL
from agzamov_harness.containers.image_records import load
from agzamov_harness.containers.image_roles import pin_of
from agzamov_harness.memory.server_limits import CALL_S_MAX, OPEN_S_MAX
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_verify.checks.check_log import Number
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.memory.built_in_servers import SERVERS
from agzamov_verify.memory.declared_server import IMAGE_PARTS, WITH_IMAGE
from containers.engines import pause, until
from containers.memory_runs import CAREERS, memory_plan
from containers.runs import sealed
from harness.commands import Commands, Running

ENDED_S = 600
ENDED = r"memory full_text: expected .*, found the server ended|container memory-\d{3} ended with exit code 137"
"""Whichever sees it first says so: the harness, which asked the server, or the command, which looks at containers."""
HANGS = rf"memory full_text: .*no answer within ({CALL_S_MAX:g}|{OPEN_S_MAX:g}) s"
"""A career's server may be on its way when it is stopped: then what does not come is its tool list."""
MEMORY = re.compile(r"memory-\d{3}$")


def resume(run: RunDirectory, key: Path, commands: Commands) -> Running:
    return commands.start("resume", run.path, "--key", key, "--json", cwd=run.path.parent.parent)


def finish(run: RunDirectory, key: Path, commands: Commands) -> None:
    """Play it to its end, and verify."""
    ended = resume(run, key, commands).ended(2 * ENDED_S)
    assert ended.code == 0, ended
    verdict = verify(run.path.parent.parent / json.loads(ended.out)["bundle"], Options())
    assert verdict.level == "V1", [verdict.findings, verdict.steps]
    assert verdict.steps[Number.MEMORY - 1].status == "pass"


def memories(engine: ContainerEngine, run: RunDirectory) -> list[str]:
    """Ids of the containers in which memories run."""
    rows = engine.seen({RUN_LABEL: run.manifest.run_id})
    return [row.id for row in rows if MEMORY.search(row.name)]


def recorded(run: RunDirectory) -> int:
    """Number of answers of memories that are recorded."""
    return sum(path.read_bytes().count(b'"as":"settled"') for path in run.journal.glob("*/*.jsonl"))


def careers_begun(run: RunDirectory) -> int:
    """Number of careers whose memory has answered."""
    return sum(b'"as":"settled"' in path.read_bytes() for path in run.journal.glob("*/*.jsonl"))


def replayed(run: RunDirectory, commands: Commands, stores: int) -> None:
    """Fresh containers are asked its questions again: every answer and dump is the same."""
    folder = run.path.parent.parent
    again = commands.run("memory", "replay", folder / "bundles" / run.path.name, cwd=folder)
    assert (again.code, again.out.count("answers are the same")) == (0, stores), again


SESSIONS, SESSIONS_WITHOUT_END = 300, 3000
"""Sessions of a career: enough to be hit four times, and more than are played while somebody looks around."""


@pytest.fixture
def run(request: pytest.FixtureRequest, tmp_path: Path, key: Path, engine: ContainerEngine) -> Iterator[RunDirectory]:
    sessions = getattr(request, "param", SESSIONS)
    directory = sealed(memory_plan("full_text", sessions=sessions), tmp_path, key)
    yield directory
    engine.remove_all({RUN_LABEL: directory.manifest.run_id})


def begun(run: RunDirectory, key: Path, commands: Commands) -> Running:
    """The run on its way, once memories have answered anew."""
    before = recorded(run)
    running = resume(run, key, commands)
    until(lambda: recorded(run) > before or not running.alive_after(0), "a memory's answers in the journal")
    assert running.alive_after(0), running.ended()
    return running


@pytest.mark.parametrize(
    "servers",
    [
        pytest.param(("file", "noisy"), marks=pytest.mark.slow),
        pytest.param(tuple(name for name in SERVERS if name != "semantic"), marks=pytest.mark.exhaustive),
    ],
    ids=["a file and a setting", "all"],
)
def test_every_built_in_system_plays_in_its_container_as_it_plays_in_a_process(
    tmp_path: Path, key: Path, engine: ContainerEngine, commands: Commands, servers: tuple[str, ...]
) -> None:
    """But `semantic`, which has an image of its own. full_text and consolidator play in other tests too."""
    run = sealed(memory_plan(*servers), tmp_path, key)
    finish(run, key, commands)
    assert run.manifest.images["memory"] == pin_of(load("memory"))
    environment = json.loads(next((tmp_path / "bundles").glob("*/data/environment.json")).read_bytes())
    rows = [row for row in environment["containers"] if row["part"] == "memory"]
    assert len(rows) == CAREERS * len(servers)
    assert {(row["network"], row["oom_killed"]) for row in rows} == {("none", False)}
    replayed(run, commands, len(rows))


@pytest.mark.slow
@pytest.mark.parametrize(
    "server",
    [
        pytest.param(name, marks=() if name == "server-memory" else pytest.mark.exhaustive)
        for name in (*WITH_IMAGE, "semantic")
    ],
    indirect=True,
)
def test_a_server_that_has_an_image_of_its_own_plays_in_its_container(
    tmp_path: Path, key: Path, engine: ContainerEngine, commands: Commands, server: str
) -> None:
    run = sealed(memory_plan(server), tmp_path, key)
    finish(run, key, commands)
    part = SERVERS[server].image_part if server in SERVERS else IMAGE_PARTS[server]
    assert run.manifest.images[part] == pin_of(load(f"memory-{server}"))
    environment = json.loads(next((tmp_path / "bundles").glob("*/data/environment.json")).read_bytes())
    rows = [row for row in environment["containers"] if row["part"] == part]
    assert len(rows) == CAREERS
    assert {(row["network"], row["oom_killed"]) for row in rows} == {("none", False)}
    replayed(run, commands, CAREERS)


def server_pid(engine: ContainerEngine, container: str) -> int:
    """The server that answers in a container: the one whose command is Python's."""
    rows = engine.client.api.top(container, ps_args="-eo pid,args")["Processes"]
    return next((int(row[0]) for row in rows if row[1].startswith("/usr/bin/python3.11")), 0)


def a_server(engine: ContainerEngine, run: RunDirectory) -> int:
    """The process of a server that plays, once there is one."""
    found: list[int] = []

    def seen() -> bool:
        found.extend(pid for made in memories(engine, run) if (pid := server_pid(engine, made)))
        return bool(found)

    until(seen, "a memory server")
    return found[0]


def stopped(run: RunDirectory, running: Running, engine: ContainerEngine, told: str) -> None:
    """The run stops with one line that says why, can be resumed, and leaves nothing in the engine."""
    ended = running.ended(ENDED_S)
    assert (ended.code, bool(re.search(told, ended.err))) == (4, True), ended
    assert f"go on with: agzamov resume {run.path}" in ended.err
    assert not engine.any_left({RUN_LABEL: run.manifest.run_id})


HITS = {
    "a server is killed": (lambda engine, run: os.kill(a_server(engine, run), signal.SIGKILL), ENDED),
    "a container is killed": (lambda engine, run: engine.signal(memories(engine, run)[0], "SIGKILL"), ENDED),
    "a server hangs": (lambda engine, run: os.kill(a_server(engine, run), signal.SIGSTOP), HANGS),
    "a container stays paused": (
        lambda engine, run: pause(engine, memories(engine, run)[-1]),
        r"container memory-\d{3} is paused",
    ),
}


@pytest.mark.parametrize(
    "hits",
    [
        pytest.param(("a server is killed",), marks=pytest.mark.slow),
        pytest.param(tuple(HITS), marks=pytest.mark.exhaustive),
    ],
    ids=["killed", "all"],
)
def test_a_memory_that_dies_or_hangs_or_stays_paused_stops_the_run_which_goes_on(
    run: RunDirectory, key: Path, engine: ContainerEngine, commands: Commands, hits: tuple[str, ...]
) -> None:
    """A container that is killed is in test_memory_kills too, and a server that hangs in tests/memory."""
    for name in hits:
        hit, told = HITS[name]
        running = begun(run, key, commands)
        hit(engine, run)
        stopped(run, running, engine, told)
    finish(run, key, commands)


LOOK = """
import os, socket
interfaces = sorted(name for _, name in socket.if_nameindex())
try:
    socket.create_connection(("1.1.1.1", 53), 2)
    print("connected")
except OSError:
    print(interfaces, sorted(os.listdir("/run/agz")), sorted(os.listdir("/tmp")), os.path.exists("/agz"))
try:
    open("/opt/site/left", "w")
except OSError as error:
    print(error.errno)
"""


@pytest.mark.slow
@pytest.mark.parametrize("run", [SESSIONS_WITHOUT_END], indirect=True)
def test_a_curious_server_sees_its_own_folder_and_nothing_else(
    run: RunDirectory, key: Path, engine: ContainerEngine, commands: Commands
) -> None:
    """No network but its own, no file of the run, no other career's store, and a root that cannot be written."""
    running = begun(run, key, commands)
    until(lambda: careers_begun(run) == CAREERS, "answers of the memory of every career")
    for made in memories(engine, run):
        looked = engine.client.containers.get(made).exec_run(["/usr/bin/python3.11", "-c", LOOK])
        seen, errno = looked.output.decode().splitlines()
        assert seen.startswith("['lo'] ['memory.sock'] ["), looked
        assert seen.endswith("] False")
        assert errno == "30", "the root file system is read-only"
        rows = engine.client.api.top(made, ps_args="-eo pid,args")["Processes"]
        assert sum(row[1].startswith("/usr/bin/python3.11") for row in rows) <= 1
    running.signal(signal.SIGTERM)
    assert running.ended(ENDED_S).code == 4


def test_compose_starts_no_memory(run: RunDirectory, commands: Commands) -> None:
    ended = commands.run("compose-env", run.path, cwd=run.path)
    assert (ended.code, "compose.yaml starts no memory" in ended.err) == (2, True), ended
