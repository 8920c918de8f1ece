"""Which containers, networks and volumes a run gets, as values; no engine is needed to say."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_harness import rundir
from agzamov_harness.containers import egress
from agzamov_harness.containers.topology import Box, Machine, Topology, topology
from agzamov_harness.ports import PortFault
from agzamov_harness.rundir import RunDirectory
from agzamov_harness.seal import plan_from, seal
from agzamov_verify.manifest import ImagePin, Manifest, Quality

Json = dict[str, Any]

MACHINE = Machine(4, 8 * 2**30, "1000:1000")
PLAN: Json = {
    "title": "Shape",
    "isolation": "container",
    "seats": {
        "fish": {"kind": "stockfish"},
        "weights": {"kind": "gguf", "weights": "w.gguf", "concurrency": 3},
        "stored": {"kind": "ollama", "model": "m", "model_digest": "ab" * 32, "store": "/store"},
        "hosted": {"kind": "openai", "base_url": "https://API.example:8443/v1", "model": "m", "api_key_env": "KEY"},
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "none"}},
}
PIN = ImagePin("a" * 64, "b" * 64, "c" * 64, ("d" * 64,))


def manifest_of(*players: str) -> Manifest:
    matches = [{"phase": 0, "game": "chess960", "a": name, "b": "dice", "games": 2} for name in players]
    manifest, _ = seal(plan_from({**PLAN, "matches": matches}), "ab" * 32, None)
    return msgspec.structs.replace(manifest, images=dict.fromkeys(("engine", "harness", "proxy"), PIN))


def shape(*players: str) -> Topology:
    return topology(manifest_of(*players), Path("/runs/x"), Path("/plans"), MACHINE, ("play",))


def mounts(box: Box) -> dict[str, tuple[str, bool]]:
    return {str(mount.target): (str(mount.source), mount.read_only) for mount in box.mounts}


def test_players_that_need_nothing_get_a_harness_without_a_network() -> None:
    planned = shape("dice")
    assert (planned.servers, planned.volumes, planned.networks, planned.harness.networks) == ((), (), (), ())
    assert mounts(planned.harness) == {
        "/agz/run": ("/runs/x", True),
        "/agz/run/journal": ("/runs/x/journal", False),
        "/agz/run/notes": ("/runs/x/notes", False),
        "/agz/run/judged": ("/runs/x/judged", False),
    }


def test_servers_with_a_socket_have_no_network_and_a_volume_of_their_own_each() -> None:
    planned = shape("fish", "weights")
    assert [box.name for box in planned.servers] == ["engine", "model-weights"]
    assert all(not box.networks for box in planned.boxes)
    assert planned.volumes == ("engine", "model-weights")
    engine, model = map(mounts, planned.servers)
    assert engine == {"/run/agz": ("engine", False)}
    assert model == {"/run/agz": ("model-weights", False), "/models/model.gguf": ("/plans/w.gguf", True)}
    harness = mounts(planned.harness)
    assert (harness["/run/agz/engine"], harness["/run/agz/model-weights"]) == (
        ("engine", True),
        ("model-weights", True),
    )


def test_an_engine_that_only_judges_moves_has_no_network_either() -> None:
    manifest = manifest_of("dice")
    plan = msgspec.structs.replace(manifest.plan, quality=Quality(300))
    judged = topology(msgspec.structs.replace(manifest, plan=plan), Path("/runs/x"), Path("/plans"), MACHINE, ())
    assert [(box.name, box.networks, mounts(box)) for box in judged.servers] == [
        ("engine", (), {"/run/agz": ("engine", False)})
    ]


def test_only_the_proxy_is_on_the_network_that_leads_out() -> None:
    planned = shape("hosted", "stored", "weights")
    out = [box.name for box in planned.boxes if "out" in box.networks]
    assert out == ["proxy"]
    by_name = {box.name: set(box.networks) for box in planned.boxes}
    assert by_name == {
        "model-weights": set(),
        "ollama": {"ollama"},
        "proxy": {"out", "hosted"},
        "harness": {"hosted", "ollama"},
    }
    assert planned.harness.environment == {"HTTPS_PROXY": "http://proxy:8888"}


def test_no_container_is_root_and_none_may_use_more_than_the_machine() -> None:
    for box in shape("fish", "weights", "stored", "hosted").boxes:
        assert not box.user.startswith("0:")
        assert 0 < box.limits.memory_bytes <= MACHINE.memory_bytes
        assert (box.limits.cpus, box.limits.pids > 0) == (4, True)


def test_a_strict_store_is_served_without_flash_attention() -> None:
    (server,) = shape("stored").servers
    assert (server.environment["OLLAMA_FLASH_ATTENTION"], server.environment["OLLAMA_NO_CLOUD"]) == ("0", "1")
    assert mounts(server) == {"/models": ("/store", True)}


# --- what may be reached -------------------------------------------------------------------------


@pytest.fixture
def hosted(tmp_path: Path) -> RunDirectory:
    return rundir.create(tmp_path, manifest_of("hosted"), b"secret")


def test_the_proxy_is_told_the_hosts_and_ports_of_the_endpoints_that_play(hosted: RunDirectory) -> None:
    egress.write(hosted)
    assert (hosted.path / "egress" / "allow").read_text() == r"^api\.example$" + "\n"
    lines = (hosted.path / "egress" / "tinyproxy.conf").read_text().splitlines()
    assert {"ConnectPort 8443", "FilterDefaultDeny Yes", 'Filter "/run/agz/allow"'} <= set(lines)
    assert "ConnectPort 443" not in lines


def test_a_run_without_hosted_seats_allows_nothing(tmp_path: Path) -> None:
    directory = rundir.create(tmp_path, manifest_of("weights"), b"secret")
    egress.write(directory)
    assert not (directory.path / "egress").exists()


def test_certificates_of_the_callers_own_are_copied_and_not_mounted(
    hosted: RunDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.pem").write_text("certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "mine.pem"))
    egress.write(hosted)
    assert egress.certificates(hosted.path) == "/agz/run/egress/certificates.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(PortFault, match=r"SSL_CERT_FILE: .*none\.pem: No such file"):
        egress.write(hosted)
    monkeypatch.delenv("SSL_CERT_FILE")
    egress.write(hosted)
    assert egress.certificates(hosted.path) == ""


def test_only_keys_of_seats_that_play_are_looked_for() -> None:
    environment = {"KEY": " sk-1 ", "OTHER_KEY": "sk-2"}
    assert egress.keys(manifest_of("hosted"), environment) == {"KEY": "sk-1"}
    assert egress.keys(manifest_of("weights"), environment) == {}
    with pytest.raises(PortFault, match="seat hosted: the environment variable KEY holds no key; set it"):
        egress.keys(manifest_of("hosted"), {"OTHER_KEY": "sk-2"})
