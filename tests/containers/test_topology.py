"""Which containers, networks and volumes a run gets, as values; no engine is needed to say."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_harness.containers import egress
from agzamov_harness.containers.container_options import EnforcedOptions, options_of
from agzamov_harness.containers.topology import Topology, topology
from agzamov_harness.foundation.container_spec import MIB, ContainerSpec, Machine
from agzamov_harness.ports import PortFault
from agzamov_harness.run import run_folder
from agzamov_harness.run.execution_record import OutsideServer
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.seal import seal
from agzamov_verify.core.envelope import key_id
from agzamov_verify.plan.manifest import ImagePin, Manifest, ModelPin, Quality
from bundles.bundle_factory import SUBMITTER

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
        "near": {"kind": "openai", "base_url": "http://host.docker.internal:8000/v1", "model": "m"},
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "none"}},
}
PIN = ImagePin("a" * 64, "b" * 64, "c" * 64, ("d" * 64,))


def manifest_of(*players: str) -> Manifest:
    matches = [{"phase": 0, "game": "chess960", "a": name, "b": "dice", "games": 2} for name in players]
    manifest, _ = seal(plan_from({**PLAN, "matches": matches}), key_id(SUBMITTER.public_key()), None)
    return msgspec.structs.replace(manifest, images=dict.fromkeys(("engine", "harness", "proxy"), PIN))


def shape(*players: str) -> Topology:
    return topology(manifest_of(*players), Path("/runs/x"), Path("/plans"), MACHINE, ("play",))


def mounts(box: ContainerSpec) -> dict[str, tuple[str, bool]]:
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
    proxy = "http://proxy:8888"
    assert planned.harness.environment == {"HTTPS_PROXY": proxy, "HTTP_PROXY": proxy, "NO_PROXY": "ollama"}


def test_no_container_is_root_and_none_may_use_more_than_the_machine() -> None:
    for box in shape("fish", "weights", "stored", "hosted").boxes:
        assert not box.user.startswith("0:")
        assert 0 < box.limits.memory_bytes <= MACHINE.memory_bytes
        assert (box.limits.cpus, 0 < box.limits.pids <= 2048) == (4, True), box.name


def test_a_strict_store_is_served_without_flash_attention() -> None:
    (server,) = shape("stored").servers
    assert (server.environment["OLLAMA_FLASH_ATTENTION"], server.environment["OLLAMA_NO_CLOUD"]) == ("0", "1")
    assert mounts(server) == {"/models": ("/store", True)}


# --- local models --------------------------------------------------------------------------------


def with_seat(name: str, **changes: Any) -> Manifest:
    manifest = manifest_of(name)
    seat = msgspec.structs.replace(manifest.plan.seats[name], **changes)
    plan = msgspec.structs.replace(manifest.plan, seats={**manifest.plan.seats, name: seat})
    return msgspec.structs.replace(manifest, plan=plan, models={name: ModelPin("a" * 64, 1000 * MIB)})


def server_of(manifest: Manifest, machine: Machine = MACHINE) -> ContainerSpec:
    (server,) = topology(manifest, Path("/runs/x"), Path("/plans"), machine, ()).servers
    return server


def test_a_model_server_gets_the_memory_of_its_weights_and_context_or_what_the_plan_names() -> None:
    room = Machine(4, 64 * 2**30, "1000:1000")
    for name, slots in (("weights", 3), ("stored", 4)):
        wanted = 1250 * MIB + slots * 4096 * 512 * 1024 + 1024 * MIB
        assert server_of(with_seat(name), room).limits.memory_bytes == wanted
        assert server_of(with_seat(name, memory_mib=700), room).limits.memory_bytes == 700 * MIB
        assert server_of(with_seat(name, memory_mib=2**20)).limits.memory_bytes == MACHINE.memory_bytes * 9 // 10


@pytest.mark.parametrize("name", ["weights", "stored"])
def test_gpus_are_asked_of_the_engine_as_the_plan_names_them(name: str) -> None:
    none = options_of(server_of(with_seat(name)), "agz-", EnforcedOptions())
    assert none["device_requests"] is None
    for gpus, count in ((2, 2), ("all", -1)):
        server = server_of(with_seat(name, gpus=gpus))
        (request,) = options_of(server, "agz-", EnforcedOptions())["device_requests"]
        assert (request["Count"], request["Capabilities"]) == (count, [["gpu"]])
        assert name == "stored" or server.environment["AGZ_MODEL_GPUS"] == str(gpus)


# --- what may be reached -------------------------------------------------------------------------


@pytest.fixture
def hosted(tmp_path: Path) -> RunDirectory:
    return run_folder.create(tmp_path, manifest_of("hosted"), b"secret", SUBMITTER)


PUBLIC, PRIVATE, HOST = "93.184.216.34", "10.0.0.5", "172.17.0.1"


def host_address() -> str:
    return HOST


def write(directory: RunDirectory, *addresses: str) -> tuple[OutsideServer, ...]:
    return egress.write(directory, host_address, lambda _: addresses or (PUBLIC,))


def test_the_proxy_is_told_exactly_the_endpoints_that_play(hosted: RunDirectory) -> None:
    assert write(hosted, PUBLIC, "1.1.1.1") == (OutsideServer("https://api.example:8443", (PUBLIC, "1.1.1.1")),)
    assert (hosted.path / "egress" / "allow").read_text() == r"^api\.example:8443$" + "\n"
    hosts = (hosted.path / "egress" / "hosts").read_text().splitlines()
    assert hosts == ["127.0.0.1 localhost", f"{PUBLIC} api.example", "1.1.1.1 api.example"]
    lines = (hosted.path / "egress" / "tinyproxy.conf").read_text().splitlines()
    wanted = {"ConnectPort 8443", "FilterDefaultDeny Yes", "FilterURLs On", 'Filter "/run/agz/allow"'}
    assert wanted <= set(lines)
    assert [line for line in lines if line.startswith("ConnectPort")] == ["ConnectPort 8443"]


PATTERNS = {
    ("https", "api.example", 443): r"^api\.example:443$",
    ("https", "2001:db8::1", 8443): r"^\[2001:db8::1\]:8443$",
    ("http", "10.0.0.5", 8000): r"^http://10\.0\.0\.5:8000/",
    ("http", "box.lan", 80): r"^http://box\.lan(:80)?/",
}


@pytest.mark.parametrize("where", PATTERNS)
def test_a_line_of_the_allow_list_is_one_scheme_host_and_port(where: tuple[str, str, int]) -> None:
    assert egress.Destination(*where).pattern == PATTERNS[where]


ALLOWED = [
    ("https", "api.example", [PUBLIC], (PUBLIC,)),
    ("https", PRIVATE, [], (PRIVATE,)),
    ("https", "host.docker.internal", [], (HOST,)),
    ("http", "host.docker.internal", [], (HOST,)),
    ("http", PRIVATE, [], (PRIVATE,)),
    ("http", "box.lan", [PRIVATE, "192.168.1.9"], (PRIVATE, "192.168.1.9")),
]
REFUSED = [
    ("https", "api.example", [PRIVATE], "expected a public address .*, found 10.0.0.5"),
    ("https", "api.example", [PUBLIC, "169.254.169.254"], "expected a public address .*, found 169.254.169.254"),
    ("https", "api.example", ["127.0.0.1"], "expected a public address"),
    ("https", "api.example", ["100.64.0.1"], "expected a public address"),
    ("https", "api.example", ["0.0.0.0"], "expected a public address"),  # noqa: S104 - as an answer
    ("https", "api.example", ["224.0.0.1"], "expected a public address"),
    ("https", "api.example", [], "expected an IPv4 address of this name, found none"),
    ("http", "box.lan", [PUBLIC], "expected a private address behind http://"),
    ("http", "box.lan", ["169.254.169.254"], "expected a private address behind http://"),
    ("http", "box.lan", ["127.0.0.1"], "expected a private address behind http://"),
    ("http", PUBLIC, [], "expected https:// for an address of the internet"),
]


@pytest.mark.parametrize(("scheme", "host", "answers", "addresses"), ALLOWED)
def test_an_endpoint_has_the_addresses_of_its_name(
    scheme: str, host: str, answers: list[str], addresses: tuple[str, ...]
) -> None:
    assert egress.located(egress.Destination(scheme, host, 8000), host_address, lambda _: answers) == addresses


@pytest.mark.parametrize(("scheme", "host", "answers", "told"), REFUSED)
def test_a_name_that_leads_elsewhere_is_refused(scheme: str, host: str, answers: list[str], told: str) -> None:
    with pytest.raises(PortFault, match=told):
        egress.located(egress.Destination(scheme, host, 8000), host_address, lambda _: answers)


def test_a_name_that_nobody_knows_is_a_fault_and_not_a_run_that_waits() -> None:
    def unknown(_: str) -> list[str]:
        raise OSError("Name or service not known")

    with pytest.raises(PortFault, match=r"https://api\.example:443: expected a host name that this machine can"):
        egress.located(egress.Destination("https", "api.example", 443), host_address, unknown)


def test_a_run_whose_servers_are_all_on_this_machine_lets_no_connect_through(tmp_path: Path) -> None:
    manifest = manifest_of("near")
    directory = run_folder.create(tmp_path, manifest, b"secret", SUBMITTER)
    assert egress.write(directory, host_address) == (OutsideServer("http://host.docker.internal:8000", (HOST,)),)
    assert (directory.path / "egress" / "allow").read_text() == r"^http://host\.docker\.internal:8000/" + "\n"
    assert "ConnectPort 0" in (directory.path / "egress" / "tinyproxy.conf").read_text().splitlines()
    assert f"{HOST} host.docker.internal" in (directory.path / "egress" / "hosts").read_text()


def test_a_run_without_hosted_seats_allows_nothing(tmp_path: Path) -> None:
    directory = run_folder.create(tmp_path, manifest_of("weights"), b"secret", SUBMITTER)
    assert write(directory) == ()
    assert not (directory.path / "egress").exists()


def test_certificates_of_the_callers_own_are_copied_and_not_mounted(
    hosted: RunDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.pem").write_text("certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "mine.pem"))
    write(hosted)
    assert egress.certificates(hosted.path) == "/agz/run/egress/certificates.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(PortFault, match=r"SSL_CERT_FILE: .*none\.pem: No such file"):
        write(hosted)
    monkeypatch.delenv("SSL_CERT_FILE")
    write(hosted)
    assert egress.certificates(hosted.path) == ""


def test_only_keys_of_seats_that_play_are_looked_for() -> None:
    environment = {"KEY": " sk-1 ", "OTHER_KEY": "sk-2"}
    assert egress.keys(manifest_of("hosted"), environment) == {"KEY": "sk-1"}
    assert egress.keys(manifest_of("weights"), environment) == {}
    with pytest.raises(PortFault, match="seat hosted: the environment variable KEY holds no key; set it"):
        egress.keys(manifest_of("hosted"), {"OTHER_KEY": "sk-2"})
