"""A whole run with a hosted model: its provider stands behind the proxy, with a certificate of our own authority."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from agzamov_harness.containers import container_engine as engines_of_ours
from agzamov_harness.containers.container_paths import PROXY_PORT
from agzamov_harness.containers.supervise import play_in_containers
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_harness.seat_kinds import endpoint_kind
from agzamov_verify.checks.check_log import Number
from containers import certificates
from containers.engines import ROOT, OwnEngine, out_of_memory, pause, until
from containers.memory_runs import CAREERS, match
from containers.runs import SMALL, changed, require_v1, sealed
from containers.typed_commands import AGZAMOV, composes, typed
from harness.commands import Commands

Hit = Callable[[engines_of_ours.ContainerEngine, str], object]

MIB = 2**20
BRIDGE, PORT = "172.17.0.1", 8443
API_KEY = "sk-the-key-of-the-test-0123456789"
HERE = Path(__file__).parent
LEAVE = ("--allow-key", f"TEST_API_KEY={BRIDGE}:{PORT}")
PLAN = changed(
    SMALL,
    seats={
        "hosted": {
            "kind": "openai",
            "base_url": f"https://{BRIDGE}:{PORT}/v1",
            "model": "novice",  # whose search is short
            "api_key_env": "TEST_API_KEY",
            "attempts_max": 2,
        },
        "dice": {"kind": "random"},
    },
    chess960={"adjudication": {"policy": "none"}, "plies_max": 20},
    matches=[{"phase": 0, "game": "chess960", "a": "hosted", "b": "dice", "games": 4}],
)


@pytest.fixture
def provider(own: OwnEngine, tmp_path: Path) -> Iterator[Path]:
    """The folder of a running provider: `authority.pem` to trust it by, and the `keys` that it has seen."""
    _, served = certificates.write(tmp_path, BRIDGE)
    with own.running(HERE / "provider.py", str(PORT), served, tmp_path / "keys") as said:
        assert said == "ready"
        yield tmp_path


@contextmanager
def commands_for(own: OwnEngine, folder: Path, **environment: str) -> Iterator[Commands]:
    """Commands that find our engine, the key, and what else their environment holds."""
    home = {"XDG_CONFIG_HOME": str(folder / "config")}
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {"DOCKER_HOST": own.host, "TEST_API_KEY": API_KEY, **home, **environment}.items():
            patched.setenv(name, value)
        with Commands(folder) as commands:
            yield commands


def ran(own: OwnEngine, folder: Path, key: Path, plan: dict[str, Any], **environment: str) -> Any:
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    with commands_for(own, folder, **environment) as commands:
        return commands.run("run", "plan.yaml", "--key", key, "--json", *LEAVE, cwd=folder)


def left(own: OwnEngine) -> bool:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("DOCKER_HOST", own.host)
        door = engines_of_ours.connect()
    found = bool(door.label_values("agz.run"))
    door.close()
    return found


@pytest.mark.slow
def test_a_hosted_model_plays_through_the_proxy_and_its_key_goes_nowhere_else(
    own: OwnEngine, provider: Path, key: Path
) -> None:
    ended = ran(own, provider, key, PLAN, SSL_CERT_FILE=str(provider / "authority.pem"))
    assert ended.code == 0, ended
    bundle = provider / json.loads(ended.out)["bundle"]
    require_v1(bundle)
    assert f"Bearer {API_KEY}" in (provider / "keys").read_text()
    log = (bundle / "data/logs/000/proxy.log").read_text()
    assert f"CONNECT {BRIDGE}:{PORT}" in log
    environment = json.loads((bundle / "data/environment.json").read_bytes())
    assert {row["part"] for row in environment["containers"]} == {"harness", "proxy"}
    kept = [path for path in (*bundle.rglob("*"), *(provider / "runs").rglob("*")) if path.is_file()]
    assert [path for path in kept if API_KEY.encode() in path.read_bytes()] == []
    assert not left(own)


@pytest.mark.slow
@pytest.mark.parametrize("number", sorted(composes()))
def test_compose_plays_it_too_with_the_key_of_whoever_types(
    own: OwnEngine, provider: Path, key: Path, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    for name, value in {"DOCKER_HOST": own.host, "TEST_API_KEY": API_KEY, "SSL_CERT_FILE": "authority.pem"}.items():
        monkeypatch.setenv(name, value)
    compose, directory = composes()[number], sealed(PLAN, provider, key)
    shutil.copy(ROOT / "compose.yaml", provider)
    (provider / ".env").write_text(typed(AGZAMOV, "compose-env", directory.path, cwd=provider))
    assert " run --rm -e TEST_API_KEY harness-hosted\n" in (provider / ".env").read_text()
    typed(*compose, "up", "--detach", cwd=provider)
    typed(*compose, "run", "--rm", "-T", "-e", "TEST_API_KEY", "harness-hosted", cwd=provider)
    assert f"CONNECT {BRIDGE}:{PORT}" in typed(*compose, "logs", "--no-color", cwd=provider)
    typed(*compose, "down", "--volumes", cwd=provider)
    with closing(engines_of_ours.connect()) as door:
        assert not door.any_left({"com.docker.compose.project": f"agz-{directory.manifest.run_id}"})
    told = typed(AGZAMOV, "pack", directory.path, "--key", key, cwd=provider)
    require_v1(provider / told.rpartition("bundle: ")[2].strip())
    assert f"Bearer {API_KEY}" in (provider / "keys").read_text()


@pytest.mark.parametrize(
    "use", [pytest.param("model", marks=pytest.mark.slow), pytest.param("native", marks=pytest.mark.exhaustive)]
)
def test_a_hosted_model_saves_and_searches_in_the_containers_of_its_careers(
    own: OwnEngine, provider: Path, key: Path, use: str
) -> None:
    hosted = PLAN["seats"]["hosted"]
    plan = changed(
        PLAN,
        seats={"hosted": hosted, "foe": {**hosted, "patterns": ["folds_button_to_3bet"]}},
        holdem={"session_hands": 2},
        systems={"notes": {"kind": "memory", "server": "full_text", "use": use, "calls_max": 3, "hits_max": 3}},
        matches=[{**match(arm, system), "a": "hosted"} for arm, system in (("naked", ""), ("real", "notes"))],
    )
    ended = ran(own, provider, key, plan, SSL_CERT_FILE=str(provider / "authority.pem"))
    assert ended.code == 0, ended
    bundle = provider / json.loads(ended.out)["bundle"]
    verdict = require_v1(bundle)
    step = verdict.steps[Number.MEMORY - 1]
    assert (step.status, step.remark.startswith(f"{CAREERS} stores began empty; ")) == ("pass", True), step
    rows = json.loads((bundle / "data/environment.json").read_bytes())["containers"]
    assert sorted(row["part"] for row in rows) == ["harness", *CAREERS * ["memory"], "proxy"]
    assert {row["network"] for row in rows if row["part"] == "memory"} == {"none"}
    assert not left(own)


KILL = (lambda door, made: door.signal(made, "SIGKILL"), "container proxy ended with exit code 137")
STOP = (lambda door, made: door.signal(made, "SIGTERM"), "container proxy ended with exit code 0")
PAUSE = (pause, "container proxy is paused")


@pytest.mark.parametrize(
    "hits",
    [
        pytest.param((KILL,), marks=pytest.mark.slow),
        pytest.param((KILL, STOP, PAUSE), marks=pytest.mark.exhaustive),
    ],
    ids=["killed", "all"],
)
def test_a_proxy_that_is_killed_or_stopped_or_paused_is_named_and_the_run_goes_on(
    own: OwnEngine, provider: Path, key: Path, monkeypatch: pytest.MonkeyPatch, hits: tuple[tuple[Hit, str], ...]
) -> None:
    """Servers that are stopped or paused are in test_chaos and test_memory."""
    (match,) = PLAN["matches"]
    directory = sealed(changed(PLAN, matches=[{**match, "games": 40}]), provider, key)
    labels = {"agz.run": directory.manifest.run_id}
    resume = ("resume", directory.path, "--key", key, "--json", *LEAVE)
    recorded = lambda: sum(path.stat().st_size for path in directory.journal.glob("*/*.jsonl"))  # noqa: E731
    monkeypatch.setenv("DOCKER_HOST", own.host)
    with (
        closing(engines_of_ours.connect()) as door,
        commands_for(own, provider, SSL_CERT_FILE=str(provider / "authority.pem")) as commands,
    ):
        for hit, told in hits:
            before = recorded()
            running = commands.start(*resume, cwd=provider)
            until(
                lambda before=before, running=running: recorded() > before or not running.alive_after(0),
                "something new in the journal",
            )
            assert running.alive_after(0), running.ended()
            hit(door, next(row.id for row in door.seen(labels) if row.name.endswith("-proxy")))
            ended = running.ended()
            assert (ended.code, told in ended.err) == (4, True), ended
            assert not door.any_left(labels)
        finished = commands.start(*resume, cwd=provider).ended()
    assert finished.code == 0, finished
    require_v1(provider / json.loads(finished.out)["bundle"])


# A crowd with long headers, all of which the proxy must keep until they end.
CROWD = f"""
import socket, time
held, line = [], b"X-Long: " + 60_000 * b"x" + b"\\r\\n"
for _ in range(200):
    try:
        held.append(socket.create_connection(("proxy", {PROXY_PORT}), 5))
        held[-1].sendall(b"GET http://example.invalid/ HTTP/1.1\\r\\n" + 20 * line)
    except OSError:
        break
time.sleep(60)
"""


@pytest.mark.slow
def test_a_proxy_that_runs_out_of_memory_is_named(
    own: OwnEngine, provider: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (match,) = PLAN["matches"]
    directory = sealed(changed(PLAN, matches=[{**match, "games": 400}]), provider, key)
    own_engine = {"DOCKER_HOST": own.host, "TEST_API_KEY": API_KEY, "SSL_CERT_FILE": str(provider / "authority.pem")}
    for name, value in own_engine.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(endpoint_kind, "PROXY_BYTES", 6 * MIB)  # the least that an engine takes
    with closing(engines_of_ours.connect()) as door, ThreadPoolExecutor(1) as pool:
        execution = pool.submit(play_in_containers, directory, Stop(), None, None)
        until(lambda: any(directory.journal.glob("*/*.jsonl")) or execution.done(), "something in the journal")
        labels = {"agz.run": directory.manifest.run_id}
        harness = next(row.id for row in door.seen(labels) if row.name.endswith("-harness"))
        door.client.containers.get(harness).exec_run(["/usr/bin/python3.11", "-c", CROWD], detach=True)
        with pytest.raises(Stopped, match=out_of_memory("proxy", "6")):
            execution.result()
        assert not door.any_left(labels)


@pytest.mark.slow
def test_a_provider_whose_certificate_nobody_vouches_for_is_not_talked_to(
    own: OwnEngine, provider: Path, key: Path
) -> None:
    ended = ran(own, provider, key, PLAN)
    assert ended.code == 4, ended
    assert "certificate" in ended.err.lower()
    assert not (provider / "keys").exists()
    assert not left(own)


@pytest.mark.slow
def test_a_key_that_is_not_set_stops_the_run_before_it_begins(own: OwnEngine, provider: Path, key: Path) -> None:
    ended = ran(own, provider, key, PLAN, TEST_API_KEY="")
    assert (ended.code, (provider / "runs").exists()) == (2, False), ended
    assert "the environment variable TEST_API_KEY holds no key; set it" in ended.err
    assert os.environ.get("TEST_API_KEY") is None
