"""compose.yaml by hand: seal outside, play in its containers, sign outside, check in others. By each Compose here."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from agzamov_harness.containers.compose_env import compose_command, env_file, playing, to_play
from agzamov_harness.containers.container_engine import NO_GATEWAY, SOCKET_VOLUME, ContainerEngine
from agzamov_harness.containers.container_options import PROFILE
from agzamov_harness.containers.container_paths import TOOLS
from agzamov_harness.containers.topology import topology
from agzamov_harness.foundation.container_spec import Machine
from agzamov_harness.models.weight_pins import FILE, read_checks, weights_after
from agzamov_harness.run.exit_status import HarnessEnded
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_verify.checks.check_log import Number
from agzamov_verify.plan.manifest import ManifestError
from containers.engines import ROOT, unavailable
from containers.runs import BABBLER, SMALL, WEIGHTS, changed, require_v1, sealed
from containers.typed_commands import AGZAMOV, PATIENCE_S, composes, typed

Json = dict[str, Any]


PLAN = changed(
    SMALL,
    seats={"babbler": BABBLER, "dice": {"kind": "random"}},
    chess960={"plies_max": 16},
    matches=[{"phase": 0, "game": "chess960", "a": "babbler", "b": "dice", "games": 2}],
)
INSIDE = {"driver": "bridge", "internal": True, "driver_opts": NO_GATEWAY}
HOSTED = {"kind": "openai", "base_url": "https://93.184.216.34/v1", "model": "m", "api_key_env": "HOSTED_KEY"}


@pytest.fixture(params=sorted(composes()) or ["none"])
def compose(request: pytest.FixtureRequest, images: Path) -> list[str]:
    found = composes().get(request.param)
    if not found:
        unavailable("no Compose here; on Debian 12: apt-get install docker-compose")
    return found


@pytest.fixture
def place(tmp_path: Path, compose: list[str], engine: ContainerEngine) -> Iterator[Path]:
    """A folder with compose.yaml in it; whatever that starts is taken down."""
    shutil.copy(ROOT / "compose.yaml", tmp_path)
    yield tmp_path
    subprocess.run([*compose, "down", "--volumes"], cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE_S)
    (project,) = re.findall("^COMPOSE_PROJECT_NAME=(.*)$", (tmp_path / ".env").read_text(), re.MULTILINE)
    assert not engine.any_left({"com.docker.compose.project": project})


@pytest.mark.slow
def test_a_run_is_played_by_compose_and_signed_outside(
    compose: list[str], place: Path, key: Path, engine: ContainerEngine
) -> None:
    directory = sealed(PLAN, place, key)
    (place / ".env").write_text(typed(AGZAMOV, "compose-env", directory.path, cwd=place))
    typed(*compose, "up", "--detach", cwd=place)
    typed(*compose, "run", "--rm", "-T", playing(directory), cwd=place)
    (directory.executions / "000" / "servers.log").write_text(typed(*compose, "logs", "--no-color", cwd=place))
    require_hardened_like_ours(engine, directory, place)
    typed(*compose, "down", "--volumes", cwd=place)
    assert not engine.any_left({"com.docker.compose.project": f"agz-{directory.manifest.run_id}"})
    told = typed(AGZAMOV, "pack", directory.path, "--key", key, cwd=place)
    bundle = place / told.rpartition("bundle: ")[2].strip()
    require_v1(bundle)
    require_attested(bundle, directory)
    (place / ".env").write_text(typed(AGZAMOV, "compose-env", bundle, cwd=place))
    said = " ".join(typed(*compose, "run", "--rm", "-T", "verify", cwd=place).split())
    assert "The record is consistent: level V1" in said
    (bundle / "data/results/results.json").write_bytes(b"{}")
    with pytest.raises(AssertionError, match=r"data/results/results\.json"):
        typed(*compose, "run", "--rm", "-T", "verify", cwd=place)


REAL = {"augmentation": "tools", "arm": "real", "system": "tools"}
WITH_TOOLS = {
    "title": "Tools by hand",
    "isolation": "container",
    "seats": {"novice": {"kind": "novice"}},
    "systems": {"tools": {"kind": "tools", "candidates_max": 2, "nodes": 5_000, "comparisons_max": 990}},
    "chess960": {"plies_max": 8, "adjudication": {"policy": "none"}},
    "holdem": {"session_hands": 4},
    "matches": [
        {"phase": 2, "game": "chess960", "a": "novice", "b": "novice", "games": 2, "condition": REAL},
        {"phase": 2, "game": "holdem", "a": "novice", "b": "novice", "hands": 4, "block_hands": 4, "condition": REAL},
    ],
}


@pytest.mark.slow
def test_compose_serves_the_tools_of_both_games(
    compose: list[str], place: Path, key: Path, engine: ContainerEngine
) -> None:
    directory = sealed(WITH_TOOLS, place, key)
    (place / ".env").write_text(typed(AGZAMOV, "compose-env", directory.path, cwd=place))
    typed(*compose, "up", "--detach", cwd=place)
    typed(*compose, "run", "--rm", "-T", playing(directory), cwd=place)
    require_hardened_like_ours(engine, directory, place)
    typed(*compose, "down", "--volumes", cwd=place)
    told = typed(AGZAMOV, "pack", directory.path, "--key", key, cwd=place)
    verdict = require_v1(place / told.rpartition("bundle: ")[2].strip())
    assert verdict.steps[Number.TOOLS - 1].status == "pass"


def require_attested(bundle: Path, directory: RunDirectory) -> None:
    """What such a bundle says of its images, its weights and its servers."""
    assert "ready on" in (bundle / "data/logs/000/servers.log").read_text()
    environment = yaml.safe_load((bundle / "data/environment.json").read_text())
    pins = directory.manifest.images
    assert {row["part"]: row["image"] for row in environment["containers"]} == {
        part: pin.config_digest for part, pin in pins.items()
    }
    notes = yaml.safe_load((bundle / "data/notes/weights.json").read_text())
    assert [check["when"] for check in notes["checks"]] == ["before", "after"]
    assert all(
        check["seats"]["babbler"]["sha256"] == directory.manifest.models["babbler"].sha256 for check in notes["checks"]
    )


def test_weights_that_change_before_a_run_by_hand_is_packed_spoil_it(images: Path, tmp_path: Path, key: Path) -> None:
    directory = sealed(PLAN, tmp_path, key)
    written = env_file(directory.path)
    assert f"AGZ_RUN={directory.path}" in written
    called = compose_command()
    assert f"# {called} logs --no-color > {directory.path}/executions/000/servers.log" in written
    assert f"AGZ_SECCOMP={PROFILE}" in written
    weights_after(directory)
    weights_after(directory)  # packing twice hashes once
    assert [check.when for check in read_checks(directory.executions / FILE).checks] == ["before", "after"]
    env_file(directory.path)
    (tmp_path / WEIGHTS).write_bytes(b"GGUF, and others")
    for _ in range(2):
        with pytest.raises(HarnessEnded, match="the weights changed while this run was played"):
            weights_after(directory)


def test_a_folder_that_is_neither_run_nor_bundle_is_told_so(images: Path, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="expected the folder of a sealed run or of a bundle, found neither"):
        env_file(tmp_path)


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


def parsed(option: str) -> Any:
    name, _, value = option.partition("=")
    return json.loads(value) if name == "seccomp" else option.replace("privileges:true", "privileges")


def require_hardened_like_ours(engine: ContainerEngine, directory: RunDirectory, place: Path) -> None:
    """What Compose has started is as hardened as what the executor starts."""
    project = f"com.docker.compose.project=agz-{directory.manifest.run_id}"
    machine = Machine(1, 2**30, "1:1")
    planned = topology(directory.manifest, directory.path, place, machine, ())
    ours = {box.name if box.part == TOOLS else box.part: box for box in planned.servers}
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
        for options in (found, wanted):  # each Compose has its own spaces in the filter's JSON
            options["SecurityOpt"] = [parsed(option) for option in sorted(options["SecurityOpt"])]
        assert {name: found[name] for name in HARDENING} == {name: wanted[name] for name in HARDENING}
        assert row.attrs["Config"]["User"] not in {"", "0", "root", "0:0"}


@pytest.mark.slow
def test_images_that_are_not_the_sealed_ones_do_not_play(compose: list[str], place: Path, key: Path) -> None:
    directory = sealed(changed(PLAN, seats={**SMALL["seats"]}, matches=SMALL["matches"]), place, key)
    written = env_file(directory.path)
    (place / ".env").write_text(re.sub("AGZ_IMAGES=.*", f"AGZ_IMAGES=engine=sha256:{'0' * 64}", written))
    with pytest.raises(AssertionError, match=r"AGZ_IMAGES: expected engine=sha256:[0-9a-f]{64} as sealed, found 0{64}"):
        typed(*compose, "run", "--rm", "-T", "harness", cwd=place)


def test_a_run_that_compose_cannot_play_is_told_so(key: Path, tmp_path: Path, images: Path) -> None:
    seats = {"one": BABBLER, "two": BABBLER, "dice": {"kind": "random"}}
    matches = [{"phase": 0, "game": "chess960", "a": name, "b": "dice", "games": 2} for name in ("one", "two")]
    directory = sealed(changed(PLAN, seats=seats, matches=matches), tmp_path, key)
    with pytest.raises(ManifestError, match="use agzamov run"):
        to_play(directory)
    hosted = sealed(changed(PLAN, seats={**seats, "one": HOSTED}, matches=matches), tmp_path, key)
    assert playing(hosted) == "-e HOSTED_KEY harness-hosted"
    assert to_play(hosted)["COMPOSE_PROFILES"] == "engine,hosted,model"


def test_compose_yaml_says_the_executors_limits_and_places() -> None:
    written = yaml.safe_load((ROOT / "compose.yaml").read_text())
    assert "name" not in written, "Debian 12's Compose does not know it"
    services = written["services"]
    for name, service in services.items():
        assert isinstance(service["pids_limit"], int), "Compose 1 takes no variable here"
        assert service["pids_limit"] <= 2048, name
        assert service["mem_limit"] == service["memswap_limit"], name
        seccomp = next(option for option in service["security_opt"] if option.startswith("seccomp:"))
        assert (ROOT / seccomp.partition(":-")[2].rstrip("}")).samefile(PROFILE), name
        assert service["networks" if "networks" in service else "network_mode"], name
        assert ("out" in service.get("networks", ())) is (name == "proxy")
    assert all(written["networks"][name] == INSIDE for name in ("hosted", "ollama"))
    roomy = {**SOCKET_VOLUME, "o": SOCKET_VOLUME["o"].replace("size=1m", "size=128m")}  # for a net of 47 MB
    for name, volume in written["volumes"].items():
        assert volume["driver_opts"] == (roomy if name == "judge" else SOCKET_VOLUME), name
