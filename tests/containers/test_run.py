"""Runs in containers from end to end: hardened, side by side, signed outside, and verified."""

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from agzamov_harness.commands import doctor
from agzamov_harness.containers import image_records
from agzamov_harness.containers.container_engine import ContainerEngine
from agzamov_harness.containers.container_lifecycle import RUN_LABEL, image_in
from agzamov_harness.containers.container_options import PROFILE
from agzamov_harness.containers.image_loading import ensure_loaded
from agzamov_harness.containers.image_roles import pin_of
from agzamov_harness.containers.supervise import play_in_containers
from agzamov_harness.foundation.container_spec import MIB, ContainerLimits, ContainerSpec
from agzamov_harness.ports import PortFault
from agzamov_harness.run.stop import Stop
from containers.engines import until
from containers.runs import BABBLER, SMALL, changed, require_v1, sealed, write_weights
from harness.commands import Commands

Json = dict[str, Any]

KILLED = 137
"""Of a server that was told to end, and did not within the time that a run gives it."""

FULL = changed(
    SMALL,
    seats={**SMALL["seats"], "babbler": BABBLER, "agent": {"kind": "reference"}},
    matches=[
        {"phase": 0, "game": "chess960", "a": "fish", "b": "dice", "games": 2},
        {"phase": 0, "game": "chess960", "a": "babbler", "b": "dice", "games": 2},
        {"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 100},
    ],
)


def plan_file(folder: Path, plan: Json) -> Path:
    write_weights(folder)
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    return folder / "plan.yaml"


@pytest.mark.slow
def test_a_run_with_an_engine_a_model_and_scripted_players_is_played_in_containers_and_verifies(
    commands: Commands, engine: ContainerEngine, key: Path, tmp_path: Path
) -> None:
    ended = commands.start("run", plan_file(tmp_path, FULL), "--key", key, "--json", cwd=tmp_path).ended()
    assert ended.code == 0, ended
    told = json.loads(ended.out)
    bundle = tmp_path / told["bundle"]
    require_v1(bundle)
    assert not engine.any_left({RUN_LABEL: told["run"]})
    require_attested(bundle)
    require_no_key(bundle.parent.parent, key)


def require_attested(bundle: Path) -> None:
    """What the bundle says of its containers."""
    manifest = json.loads((bundle / "data/manifest.json").read_bytes())
    environment = json.loads((bundle / "data/environment.json").read_bytes())
    rows = {row["name"]: row for row in environment["containers"]}
    assert {row["part"]: row["image"] for row in rows.values()} == {
        part: pin["config_digest"] for part, pin in manifest["images"].items()
    }
    for name, row in rows.items():
        codes = {"harness": {0}, "engine": {143, KILLED}}.get(name, {0, KILLED})
        assert (row["ended"], row["oom_killed"]) == ("alone" if name == "harness" else "stopped", False)
        assert row["exit_code"] in codes, name
        assert MIB < row["memory_peak_bytes"] < row["limits"]["memory_bytes"], name
        assert row["log"]["cut"] is False, name
        assert row["log"]["kept_bytes"] == (bundle / f"data/logs/000/{name}.log").stat().st_size
    told = environment["container_engine"]
    assert (bool(told["version"]), told["not_enforced"]) == (True, "")
    assert told["seccomp_profile_sha256"] == hashlib.sha256(PROFILE.read_bytes()).hexdigest()
    assert (environment["format"], environment["isolation"]) == ("agz-environment-1", "container")
    assert environment["python"].startswith("3.11"), "of the image, not of this machine"
    assert environment["executions"] == [""]
    logs = {path.name for path in (bundle / "data/logs/000").iterdir()}
    assert logs == {"engine.log", "harness.log", "model-babbler.log"}
    assert "ready on" in (bundle / "data/logs/000/model-babbler.log").read_text()


def require_no_key(folder: Path, key: Path) -> None:
    """The signing key is nowhere in what a container could have seen."""
    secret = key.read_bytes().splitlines()[1]
    assert [path for path in folder.rglob("*") if path.is_file() and secret in path.read_bytes()] == []


@pytest.mark.slow
def test_two_runs_side_by_side_do_not_meet(
    commands: Commands, engine: ContainerEngine, key: Path, tmp_path: Path
) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    plan = changed(SMALL, matches=[{"phase": 0, "game": "chess960", "a": "fish", "b": "dice", "games": 12}])
    running = [commands.start("run", plan_file(folder, plan), "--key", key, "--json", cwd=folder) for folder in folders]
    found: set[str] = set()

    def both_run() -> bool:
        ours = {path.name for folder in folders for path in (folder / "runs").glob("[0-9a-f]*")}
        rows = [
            row
            for row in engine.client.containers.list(filters={"label": RUN_LABEL}, ignore_removed=True)
            if row.labels[RUN_LABEL] in ours
        ]
        found.update(mount["Name"] for row in rows for mount in row.attrs["Mounts"] if mount["Type"] == "volume")
        return len({row.labels[RUN_LABEL] for row in rows}) == 2

    until(both_run, "both runs have containers")
    ends = [one.ended() for one in running]
    assert [end.code for end in ends] == [0, 0], ends
    bundles = [json.loads(end.out)["bundle"] for end in ends]
    assert len(found) == 2, "a volume each"
    for folder, bundle in zip(folders, bundles, strict=True):
        require_v1(folder / bundle)


@pytest.mark.slow
def test_a_wish_to_stop_reaches_the_container_and_the_run_goes_on_from_there(
    commands: Commands, engine: ContainerEngine, key: Path, tmp_path: Path
) -> None:
    plan = changed(SMALL, matches=[{"phase": 0, "game": "chess960", "a": "fish", "b": "dice", "games": 12}])
    directory = sealed(plan, tmp_path, key)
    running = commands.start("resume", directory.path, "--key", key, cwd=tmp_path)
    until(lambda: any(path.stat().st_size for path in directory.journal.glob("*/*.jsonl")), "a first entry")
    running.signal_all(2)  # SIGINT to the whole group, as Ctrl-C does
    ended = running.ended()
    assert (ended.code, "stopped by SIGINT; go on with: agzamov resume" in ended.err) == (4, True), ended
    before = {path: path.read_bytes() for path in directory.journal.glob("*/*.jsonl")}
    assert not engine.any_left({RUN_LABEL: directory.manifest.run_id})
    finished = commands.start("resume", directory.path, "--key", key, "--json", cwd=tmp_path).ended()
    assert finished.code == 0, finished
    assert all(path.read_bytes().startswith(old) for path, old in before.items()), "nothing was asked twice"
    require_v1(tmp_path / json.loads(finished.out)["bundle"])


# --- images --------------------------------------------------------------------------------------


def test_an_image_that_is_not_there_is_loaded_from_its_build_or_told_how_to_be(
    engine: ContainerEngine, tmp_path: Path
) -> None:
    record = image_records.load("proxy")
    ensure_loaded(engine.client, record)
    assert image_in(engine, "proxy", pin_of(record)).startswith("sha256:")
    other = msgspec.structs.replace(pin_of(record), config_digest="0" * 64, manifest_digest="1" * 64)
    with pytest.raises(PortFault, match=r"image of proxy: sha256:0{64} is not in the container engine, and the last"):
        image_in(engine, "proxy", other)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(image_records.VARIABLE, str(tmp_path))
        with pytest.raises(PortFault, match="run `agzamov images build proxy --load`"):
            image_in(engine, "proxy", other)


def test_an_image_with_other_layers_than_the_sealed_ones_is_refused(engine: ContainerEngine) -> None:
    pin = pin_of(image_records.load("stockfish"))
    with pytest.raises(PortFault, match="image of engine: expected the sealed layers, found others"):
        engine.image_id("engine", msgspec.structs.replace(pin, diff_ids=("0" * 64,)))


# --- hardening -----------------------------------------------------------------------------------

TRY = r"""
import ctypes, errno, json, os, socket, subprocess, sys
def system_call(*arguments):
    library = ctypes.CDLL(None, use_errno=True)
    if library.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")
def io_uring():
    system_call(425, 1, ctypes.create_string_buffer(120))
def tried(work):
    try:
        work()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
def fill():
    with open("/tmp/big", "wb") as file:
        file.write(bytes(65 << 20))
def execute():
    open("/tmp/x", "w").write("#!/bin/true")
    os.chmod("/tmp/x", 0o755)
    os.execv("/tmp/x", ["x"])
def fork():
    for _ in range(200):
        if not os.fork():
            os.read(0, 1)
            os._exit(0)
print(json.dumps({
    "ids": [os.getuid(), os.getgid()],
    "caps": [status["CapEff"], status["CapBnd"], status["NoNewPrivs"], status["Seccomp"]],
    "root": tried(lambda: open("/x", "w")),
    "home": tried(lambda: open("/opt/x", "w")),
    "io_uring": tried(io_uring),
    "vsock": tried(lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)),
    "crypto socket": tried(lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)),
    "namespace": tried(lambda: system_call(272, 0x10000000)),
    "ptrace": tried(lambda: system_call(101, 0, 0, 0, 0)),
    "raw socket": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)),
    "unix volume": tried(lambda: open("/run/agz/x", "w")),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "fill": tried(fill), "execute": tried(execute), "fork": tried(fork),
}))
"""


def test_a_container_of_ours_can_do_next_to_nothing(engine: ContainerEngine) -> None:
    record = image_records.load("harness")
    box = ContainerSpec("probe", "harness", ContainerLimits(256 * MIB, 64, 1), command=("-c", TRY))
    labels = {"test": f"hardening-{os.getpid()}"}
    made = engine.make_container(box, record.reference, "agz-test-", labels)
    options = engine.client.api.inspect_container(made)
    engine.remove(made)
    host = options["HostConfig"]
    probe = engine.client.api.create_container(
        record.reference,
        ["-c", TRY],
        entrypoint=["/usr/bin/python3.11"],
        user=options["Config"]["User"],
        labels=labels,
        host_config={**host, "AutoRemove": False},
    )
    try:
        engine.client.api.start(probe)
        assert engine.client.api.wait(probe)["StatusCode"] == 0, engine.client.api.logs(probe)
        said = json.loads(engine.client.api.logs(probe))
    finally:
        engine.remove_all(labels)
    assert said == {
        "ids": [10001, 10001],
        "caps": ["0000000000000000", "0000000000000000", "1", "2"],
        "root": "EROFS",
        "home": "EROFS",
        "io_uring": "EPERM",
        "vsock": "EPERM",
        "crypto socket": "EPERM",
        "namespace": "EPERM",
        "ptrace": "EPERM",
        "raw socket": "EPERM",
        "unix volume": "EROFS",
        "interfaces": ["lo"],
        "fill": "ENOSPC",
        "execute": "EACCES",
        "fork": "EAGAIN",
    }
    assert (host["Memory"], host["MemorySwap"], host["NanoCpus"]) == (256 * MIB, 256 * MIB, 10**9)
    assert host["LogConfig"] == {"Type": "json-file", "Config": {"max-file": "2", "max-size": "64m"}}


# --- where there is no engine --------------------------------------------------------------------


def test_without_an_engine_nothing_is_sealed_and_one_line_says_what_to_do(
    images: Path, key: Path, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
        with Commands(tmp_path) as commands:
            ended = commands.run("run", plan_file(tmp_path, SMALL), "--key", key, cwd=tmp_path)
    assert ended.code == 2, ended
    *warnings, line = ended.err.splitlines()
    assert all(told.startswith("warning: ") for told in warnings)
    assert re.match(
        r"error: isolation: no container engine at .*docker\.sock: Docker is installed but not running; ", line
    )
    assert "sudo systemctl start docker" in line
    assert line.endswith("or write `isolation: process` in the plan")
    assert not (tmp_path / "runs").exists()


def test_an_engine_on_another_machine_is_no_engine(
    directory_of_a_run: Path, monkeypatch: pytest.MonkeyPatch, key: Path
) -> None:
    directory = sealed(SMALL, directory_of_a_run, key)
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:2375")
    with pytest.raises(PortFault, match=r"expected a container engine on this machine \(unix://…\), found tcp://"):
        play_in_containers(directory, Stop(), None, None)


@pytest.fixture
def directory_of_a_run(images: Path, tmp_path: Path) -> Path:
    return tmp_path


def test_the_doctor_says_which_engine_and_images_are_there(images: Path, key: Path) -> None:
    found = {ability.name: ability for ability in doctor.examine(key, None)}
    assert found["docker"].ok
    assert re.match(r"[0-9.]+\S* at unix://\S+, storage \S+, cgroup v[12] ", found["docker"].found)
    assert (found["images"].ok, "stockfish" in found["images"].found) == (True, True)
