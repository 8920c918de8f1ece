"""The committed images: as pinned, small, and each at work in a hardened container without a network."""

import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import docker
import pytest

from agzamov_harness.containers import image_loading, image_records
from agzamov_harness.containers.image_records import ImageRecord
from agzamov_images import build_order, declaration, engine, image_files
from agzamov_images.architecture import here
from agzamov_images.layers import tar_of
from agzamov_images.tree import clean
from agzamov_verify.engines.uci_engine import NET_SHA256
from containers.built_images import OF_RUNS, RELOCKED, built_or_unavailable
from containers.engines import ROOT, started

pytestmark = pytest.mark.slow

OTHERS = (
    "ground",
    "python",
    "memory-basic-memory",
    "memory-chroma-mcp",
    "memory-mcp-memory-service",
    "memory-mem0",
    "memory-minilm",
    "memory-python",
    "memory-python313",
    "memory-semantic",
    "reference",
)
"""Images that CI does not start: those of memory servers from outside, and what others stand on."""

OF_EACH_KIND = ("mcp-memory", "stockfish", "verify")
"""Images with every kind of layer, between them: Debian packages, wheels, npm packages, our own source, files."""


def and_all(*names: str) -> list[Any]:
    """These images, and every other one at full size."""
    rest = [name for name in (*OF_RUNS, *OTHERS) if name not in names]
    return [*names, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in rest)]


MB = 1_000_000
SIZES_MAX = {"harness": 310 * MB, "verify": 124 * MB, "stockfish": 70 * MB, "proxy": 13 * MB}
PYTHON = "/usr/bin/python3.11"
OTHER_USER = "12345:12345"
GOLDEN = ROOT / "tests" / "bundles" / "golden" / "agz-0.1"
# Hardened as a run is: see docs/formats/image.md.
HARD: dict[str, Any] = {
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
    "tmpfs": {"/tmp": "rw,nosuid,nodev,noexec,size=64m,mode=1777"},  # noqa: S108 - inside the container
    "network_mode": "none",
    "pids_limit": 256,
    "mem_limit": "1g",
}
HTTP = """
import http.client, socket, sys, time
for attempt in range(200):
    connection = http.client.HTTPConnection("localhost", timeout=120)
    connection.sock = socket.socket(socket.AF_UNIX)
    try:
        connection.sock.connect("/run/agz/model.sock")
    except OSError:
        time.sleep(0.1)
        continue
    connection.request(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    response = connection.getresponse()
    said = response.read().decode()
    if response.status != 503:  # llama.cpp says so while it loads the model
        break
    time.sleep(0.1)
print(said)
"""
ENGINE = """
import time
from pathlib import Path
from agzamov_verify.engines.uci_engine import UciEngine
path = Path("/run/agz/engine.sock")
while not path.is_socket():
    time.sleep(0.1)
with UciEngine(path, 16) as one, UciEngine(path, 16) as two:
    print(one.name, two.best_move("8/8/8/8/8/1k6/7r/K7 w - - 0 1", "", "depth 1"))
"""
CONNECT = """
import socket, sys, time
for target in sys.argv[1:]:
    for attempt in range(100):
        try:
            peer = socket.create_connection(("127.0.0.1", 8888), 10)
            break
        except OSError:
            time.sleep(0.1)
    peer.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n".encode())
    print(target, peer.recv(100).split(b"\\r")[0].decode())
"""


@pytest.fixture
def record(built: str, request: pytest.FixtureRequest) -> ImageRecord:
    built_or_unavailable(request.param)
    return image_records.load(request.param)


def ran(client: docker.DockerClient, name: str, *command: str, **options: Any) -> str:
    """What a hardened container of an image prints, if it ends well."""
    options = {**HARD, "remove": True, "stderr": True, **options}
    said: bytes = client.containers.run(image_records.load(name).reference, list(command), **options)
    return said.decode()


def asked(client: docker.DockerClient, code: str, *arguments: str, **options: Any) -> str:
    """What a Python program prints that runs in a container as another user than the servers'."""
    return ran(client, "harness", "-c", code, *arguments, entrypoint=[PYTHON], user=OTHER_USER, **options)


@contextmanager
def serving(client: docker.DockerClient, name: str, volume: str, **options: Any) -> Iterator[Any]:
    """A hardened container of a server whose socket is in a volume; it must end at once when told to."""
    volumes = {volume: {"bind": "/run/agz", "mode": "rw"}, **options.pop("volumes", {})}
    container = client.containers.run(
        image_records.load(name).reference, detach=True, volumes=volumes, **{**HARD, **options}
    )
    try:
        yield container
        container.stop(timeout=60)
        assert container.wait()["StatusCode"] in (0, 143)
    finally:
        container.remove(force=True)


@pytest.fixture
def volume(client: docker.DockerClient) -> Iterator[str]:
    volume = client.volumes.create()
    yield str(volume.name)
    volume.remove(force=True)


def shared(volume: str, mode: str = "ro") -> dict[str, dict[str, str]]:
    return {volume: {"bind": "/run/agz", "mode": mode}}


@pytest.mark.parametrize("record", and_all(*OF_EACH_KIND), indirect=True)
def test_the_engine_holds_the_recorded_tree(client: docker.DockerClient, record: ImageRecord) -> None:
    image_id = image_loading.ensure_loaded(client, record).image_id
    assert engine.tree_in(client, image_id) == record.tree_digest


@pytest.mark.parametrize("record", and_all(*OF_RUNS), indirect=True)
def test_an_image_without_our_own_source_is_as_pinned(record: ImageRecord) -> None:
    pin = image_files.read_pin(ROOT / "images", record.name, record.architecture)
    if declaration.holds_own_source(ROOT / "images", record.name):
        assert pin is None
        return
    if RELOCKED in built_or_unavailable(record.name):
        pytest.skip("Debian has superseded a locked package: renew the locks and the pins")
    assert pin == record.pin


@pytest.mark.parametrize("record", SIZES_MAX, indirect=True)
def test_an_image_is_as_small_as_promised(record: ImageRecord) -> None:
    assert record.size_bytes <= SIZES_MAX[record.name]


@cache
def headers(layer: Path) -> list[tarfile.TarInfo]:
    """What a layer says of its files, whose content is not read."""
    with tarfile.open(layer) as tar:
        return tar.getmembers()


@pytest.mark.parametrize("record", and_all(*OF_RUNS), indirect=True)
def test_nothing_in_an_image_gives_rights_or_is_a_shell(record: ImageRecord) -> None:
    stack = build_order.stacked(ROOT / "images", record.name)
    infos = [info for one in stack for info in headers(tar_of(image_records.default_folder(), one))]
    assert [info.name for info in infos if info.mode & 0o6000] == []
    shells = ("sh", "bash", "dash", "busybox", "perl", "pip", "apt-get", "dpkg")
    paths = {clean(info.name) for info in infos}
    assert [path for path in paths if path.startswith("usr/") and path.rpartition("/")[2] in shells] == []
    assert [info.name for info in infos if info.mode & 0o002 and info.isreg()] == []
    assert "usr/share/common-licenses/GPL-3" in paths


def test_stockfish_plays_over_its_socket_for_another_user(built: str, client: docker.DockerClient, volume: str) -> None:
    with serving(client, "stockfish", volume):
        assert asked(client, ENGINE, volumes=shared(volume)).startswith("Stockfish 15.1 a1b1")


def test_stockfish_plays_over_standard_input_too(built: str, client: docker.DockerClient) -> None:
    said = ran(client, "stockfish", "bench", "16", "1", "1", entrypoint=["/usr/games/stockfish"])
    assert "Nodes searched" in said


def test_the_labels_of_stockfish_are_of_the_engine_of_the_protocol(built: str) -> None:
    labels = image_records.load("stockfish").start["Labels"]
    expects = declaration.platform(ROOT / "images", "stockfish", here()).expects
    assert labels["agz.engine.binary-sha256"] == expects["usr/games/stockfish"]
    assert labels["agz.engine.net-sha256"] == NET_SHA256


def test_the_harness_starts(built: str, client: docker.DockerClient) -> None:
    assert ran(client, "harness", "--version").startswith("agzamov, version ")


@pytest.mark.exhaustive
def test_the_verifier_and_the_engine_image_together_reach_level_v1(
    built: str, client: docker.DockerClient, volume: str, tmp_path: Path
) -> None:
    """Of a smaller bundle they do in test_compose."""
    bundle = tmp_path / "bundle"
    shutil.copytree(GOLDEN / "bundle", bundle)
    tmp_path.chmod(0o755)
    mounts = {str(bundle): {"bind": "/bundle", "mode": "ro"}, **shared(volume)}
    with serving(client, "stockfish", volume):
        asked(client, ENGINE, volumes=shared(volume))
        said = ran(client, "verify", "check", "/bundle", "--engine", "/run/agz/engine.sock", volumes=mounts)
    assert "The record is consistent: level V1" in said


@pytest.mark.parametrize("name", ["harness", pytest.param("reference", marks=pytest.mark.exhaustive)])
def test_the_reference_players_answer_over_their_socket(
    built: str, client: docker.DockerClient, volume: str, name: str
) -> None:
    """The image of these players is that of the harness, started by its own configuration."""
    built_or_unavailable(name)
    assert declaration.read(ROOT / "images", "reference").layers == ()
    starts = build_order.configured(ROOT / "images", "reference", here())
    how = {"entrypoint": list(starts.entrypoint), "command": list(starts.cmd)} if name == "harness" else {}
    with serving(client, name, volume, **how):
        said = asked(client, HTTP, "GET", "/v1/models", volumes=shared(volume))
    assert [model["id"] for model in json.loads(said)["data"]] == ["reference", "random", "novice"]


def test_the_model_server_answers_over_its_socket(
    built: str, client: docker.DockerClient, volume: str, tmp_path: Path
) -> None:
    pytest.importorskip("gguf", reason="no gguf here to make a model with")
    from harness.test_llama_server import write_model  # noqa: PLC0415 - skips where its libraries are missing

    weights = tmp_path / "model.gguf"
    write_model(weights)
    weights.chmod(0o644)
    body = {"messages": [{"role": "user", "content": "Your move?"}], "max_tokens": 4, "temperature": 0}
    mounts = {str(weights): {"bind": "/models/model.gguf", "mode": "ro"}}
    environment = {"AGZ_MODEL_ALIAS": "babbler", "AGZ_MODEL_SLOTS": "2", "AGZ_MODEL_CONTEXT": "1024"}
    with serving(client, "model-server", volume, volumes=mounts, environment=environment) as server:
        answers = [
            json.loads(asked(client, HTTP, "POST", "/v1/chat/completions", json.dumps(body), volumes=shared(volume)))
            for _ in range(2)
        ]
        props = json.loads(asked(client, HTTP, "GET", "/props", volumes=shared(volume)))
        code, _ = server.exec_run([PYTHON, "/opt/agz/gguf_server.py", "--check"])
        logs = server.logs().decode()
    assert answers[0]["choices"] == answers[1]["choices"]
    assert (answers[0]["model"], answers[0]["usage"]["completion_tokens"]) == ("babbler", 4)
    assert code == 0, "both slots answer"
    assert "ready on unix:///run/agz/model.sock" in logs
    assert "ready on unix:///run/agz/model-1.sock" in logs
    assert (props["total_slots"], props["default_generation_settings"]["n_ctx"]) == (1, 1024)


def test_a_model_server_without_a_model_says_what_to_mount(built: str, client: docker.DockerClient) -> None:
    with pytest.raises(docker.errors.ContainerError, match=r"no model at /models/model\.gguf; mount a GGUF file"):
        ran(client, "model-server")


def test_the_proxy_lets_listed_hosts_through_and_no_others(
    built: str, client: docker.DockerClient, volume: str
) -> None:
    allow = "open('/run/agz/allow', 'w').write('^listed[.]invalid:443$')"
    asked(client, allow, volumes=shared(volume, "rw"))
    targets = {
        "other.invalid:443": "403 Filtered",
        "listed.invalid.other.invalid:443": "403 Filtered",
        "notlisted.invalid:443": "403 Filtered",
        "127.0.0.1:443": "403 Filtered",
        "listed.invalid:22": "403 Access violation",
        "listed.invalid:443": "500 Unable to connect",  # it was let through, and there is no such host
    }
    with serving(client, "proxy", volume) as proxy:
        said = asked(client, CONNECT, *targets, network_mode=f"container:{proxy.id}")
        logs = proxy.logs().decode()
    assert said.splitlines() == [f"{target} HTTP/1.1 {answer}" for target, answer in targets.items()]
    assert "CONNECT listed.invalid:443 HTTP/1.1" in logs
    assert 'refused on filtered url "other.invalid:443"' in logs


def test_a_proxy_without_a_list_does_not_start(built: str, client: docker.DockerClient) -> None:
    with pytest.raises(docker.errors.ContainerError, match="filter file: No such file"):
        ran(client, "proxy")


def test_a_real_mcp_server_answers_initialize(built: str) -> None:
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    hard = ("--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--pull=never")
    command = [
        "docker",
        "run",
        "--rm",
        "--interactive",
        *hard,
        "--tmpfs=/memory",
        image_records.load("mcp-memory").reference,
    ]
    environment = {**os.environ, "DOCKER_HOST": started()}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(line + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        server.stdin.close()
        assert server.wait(120) == 0
    assert answer["result"]["serverInfo"]["name"] == "memory-server"
