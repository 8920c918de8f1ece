"""compose.yaml by hand: seal outside, play in its containers, sign outside. With either Compose that may be there."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from agzamov_harness.containers.by_hand import harness_service, variables
from agzamov_harness.containers.engine import NO_GATEWAY, SOCKET_VOLUME, Engine
from agzamov_harness.containers.topology import Machine, topology
from agzamov_harness.rundir import RunDirectory
from agzamov_verify.manifest import ManifestError
from containers.engines import ROOT
from containers.runs import BABBLER, SMALL, changed, require_v1, sealed

Json = dict[str, Any]


AGZAMOV = Path(sys.executable).with_name("agzamov")
PATIENCE_S = 120
PLAN = changed(
    SMALL,
    seats={"babbler": BABBLER, "dice": {"kind": "random"}},
    chess960={"plies_max": 16},
    matches=[{"phase": 0, "game": "chess960", "a": "babbler", "b": "dice", "games": 2}],
)
INSIDE = {"driver": "bridge", "internal": True, "driver_opts": NO_GATEWAY}
HOSTED = {"kind": "openai", "base_url": "https://api.example/v1", "model": "m"}


def composes() -> dict[str, list[str]]:
    """Each Compose of this machine, by its version's first number."""
    found = {}
    if shutil.which("docker-compose"):
        found["1"] = ["docker-compose"]
    for docker in filter(None, (shutil.which("docker"), shutil.which("docker", path="/usr/bin"))):
        if not subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode:
            found.setdefault("2", [docker, "compose"])
    return found


@pytest.fixture(params=["1", "2"])
def compose(request: pytest.FixtureRequest, images: Path) -> list[str]:
    found = composes().get(request.param)
    if not found:
        pytest.skip(f"no Compose {request.param} here; on Debian 12: apt-get install docker-compose")
    return found


@pytest.fixture
def place(tmp_path: Path, compose: list[str]) -> Iterator[Path]:
    """A folder with compose.yaml in it; whatever that starts is taken down."""
    shutil.copy(ROOT / "compose.yaml", tmp_path)
    yield tmp_path
    subprocess.run([*compose, "down", "--volumes"], cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE_S)


def by_hand(*command: str | Path, cwd: Path) -> str:
    """A command as a person types it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AGZ_", "COMPOSE_"))}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_run_is_played_by_compose_and_signed_outside(
    compose: list[str], place: Path, key: Path, engine: Engine
) -> None:
    directory = sealed(PLAN, place, key)
    written = "".join(f"{name}={value}\n" for name, value in variables(directory).items())
    (place / ".env").write_text(written)
    by_hand(*compose, "up", "--detach", cwd=place)
    by_hand(*compose, "run", "--rm", "-T", harness_service(directory), cwd=place)
    require_hardened_like_ours(engine, directory, place)
    by_hand(*compose, "down", "--volumes", cwd=place)
    told = by_hand(AGZAMOV, "pack", directory.path, "--key", key, cwd=place)
    bundle = place / told.rpartition("bundle: ")[2].strip()
    require_v1(bundle)
    environment = yaml.safe_load((bundle / "data/environment.json").read_text())
    pins = directory.manifest.images
    assert {row["part"]: row["image"] for row in environment["containers"]} == {
        part: pin.config_digest for part, pin in pins.items()
    }


HARDENING = (
    "CapDrop",
    "Init",
    "IpcMode",
    "MemorySwappiness",
    "PidMode",
    "Privileged",
    "ReadonlyRootfs",
    "SecurityOpt",
    "Tmpfs",
    "NetworkMode",
)


def require_hardened_like_ours(engine: Engine, directory: RunDirectory, place: Path) -> None:
    """What Compose has started is as hardened as what the executor starts."""
    project = f"com.docker.compose.project=agz-{directory.manifest.run_id}"
    machine = Machine(1, 2**30, "1:1")
    planned = topology(directory.manifest, directory.path, place, machine, ())
    ours = {box.part: box for box in planned.servers}
    rows = engine.client.containers.list(filters={"label": project})
    assert {row.labels["com.docker.compose.service"] for row in rows} == set(ours)
    for row in rows:
        box = ours[row.labels["com.docker.compose.service"]]
        made = engine.make_container(box._replace(mounts=()), row.image.id, "agz-compose-", {"test": "compose"})
        try:
            wanted = engine.client.containers.get(made).attrs["HostConfig"]
        finally:
            engine.remove(made)
        found = row.attrs["HostConfig"]
        assert {name: found[name] for name in HARDENING} == {name: wanted[name] for name in HARDENING}
        assert row.attrs["Config"]["User"] not in {"", "0", "root", "0:0"}


def test_images_that_are_not_the_sealed_ones_do_not_play(compose: list[str], place: Path, key: Path) -> None:
    directory = sealed(changed(PLAN, seats={**SMALL["seats"]}, matches=SMALL["matches"]), place, key)
    values = {**variables(directory), "AGZ_IMAGES": f"engine=sha256:{'0' * 64}"}
    (place / ".env").write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    with pytest.raises(AssertionError, match=r"AGZ_IMAGES: expected engine=sha256:[0-9a-f]{64} as sealed, found 0{64}"):
        by_hand(*compose, "run", "--rm", "-T", "harness", cwd=place)


def test_a_run_that_compose_cannot_play_is_told_so(key: Path, tmp_path: Path, images: Path) -> None:
    seats = {"one": BABBLER, "two": BABBLER, "dice": {"kind": "random"}}
    matches = [{"phase": 0, "game": "chess960", "a": name, "b": "dice", "games": 2} for name in ("one", "two")]
    directory = sealed(changed(PLAN, seats=seats, matches=matches), tmp_path, key)
    with pytest.raises(ManifestError, match="use agzamov run"):
        variables(directory)
    hosted = sealed(changed(PLAN, seats={**seats, "one": HOSTED}, matches=matches), tmp_path, key)
    assert harness_service(hosted) == "harness-hosted"
    assert variables(hosted)["COMPOSE_PROFILES"] == "engine,hosted,model"


def test_compose_yaml_says_the_executors_limits_and_places() -> None:
    written = yaml.safe_load((ROOT / "compose.yaml").read_text())
    assert "name" not in written, "Debian 12's Compose does not know it"
    services = written["services"]
    for name, service in services.items():
        assert service["pids_limit"] == 4096, name
        assert service["networks" if "networks" in service else "network_mode"], name
        assert ("out" in service.get("networks", ())) is (name == "proxy")
    assert all(written["networks"][name] == INSIDE for name in ("hosted", "ollama"))
    assert all(volume["driver_opts"] == SOCKET_VOLUME for volume in written["volumes"].values())
