"""Nothing leaks: real attempts, from where the containers of a real run stand, at everything around them.

The engine lives in a network namespace of its own with a metadata address, a listener on every address and a resolver
on loopback. Each attempt is also made from an open network, where it must succeed: a probe that sees nothing is no
proof before it has seen something.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.containers import egress, image_records
from agzamov_harness.containers.container_engine import ContainerEngine, connect
from agzamov_harness.containers.container_lifecycle import RunContainers, image_in
from agzamov_harness.containers.container_logs import ContainerLogs
from agzamov_harness.containers.container_paths import ENGINE, HARNESS, PROXY
from agzamov_harness.containers.folder_transfer import hand_over
from agzamov_harness.containers.image_loading import ensure_loaded
from agzamov_harness.containers.topology import topology
from agzamov_harness.foundation.container_spec import MIB, ContainerLimits, ContainerSpec
from containers.engines import METADATA, RESOLVER, OwnEngine, until
from containers.runs import BABBLER, SMALL, changed, sealed

Json = dict[str, Any]


PORT, HIDDEN = 9999, 8443
BRIDGE = "172.17.0.1"  # the engine's own first address; the test asserts that the listener answers there
PROVIDER, STRANGER = "provider.example", "stranger.example"
ADDRESSES = {PROVIDER: ["93.184.216.34"]}  # public, and out of reach of the engine's network namespace
HOST, NEAR = "host.docker.internal", 8444
MODEL = "model-babbler"
PYTHON = "/usr/bin/python3.11"
HERE = Path(__file__).parent
PLAN = changed(
    SMALL,
    seats={
        **SMALL["seats"],
        "babbler": BABBLER,
        "hosted": {"kind": "openai", "base_url": f"https://{PROVIDER}/v1", "model": "m"},
        "other": {"kind": "openai", "base_url": f"https://{BRIDGE}:{HIDDEN}/v1", "model": "m"},
        "near": {"kind": "openai", "base_url": f"http://{HOST}:{NEAR}/v1", "model": "m"},
    },
    matches=[
        {"phase": 0, "game": "chess960", "a": name, "b": "dice", "games": 2}
        for name in ("fish", "babbler", "hosted", "other", "near")
    ],
)


@pytest.fixture(scope="module")
def names(own: OwnEngine) -> Iterator[Path]:
    """The names that the machine's resolver was asked for, while its listeners listen."""
    kept = own.state / "names"
    kept.touch()
    with own.running(HERE / "listening.py", str(PORT), RESOLVER, kept) as said:
        assert said == "ready"
        yield kept


@pytest.fixture(scope="module")
def door(own: OwnEngine) -> Iterator[ContainerEngine]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("DOCKER_HOST", own.host)
        door = connect()
    yield door
    door.close()


@pytest.fixture(scope="module")
def containers(
    door: ContainerEngine, names: Path, key: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunContainers]:
    """Every container of a run with an engine, a local model and hosted seats; its harness waits for its keys."""
    folder = tmp_path_factory.mktemp("egress")
    directory = sealed(PLAN, folder, key)
    egress.write(directory, door.host_address, lambda name: ADDRESSES[name])
    images = {part: image_in(door, part, pin) for part, pin in directory.manifest.images.items()}
    machine = door.machine()
    hand_over(directory, machine.user)
    command = ("play", "/agz/run", "--attended")
    planned = topology(directory.manifest, directory.path, folder, machine, command)
    logs = ContainerLogs(folder, {})
    with RunContainers(door, directory.manifest.run_id, planned, images, logs) as containers:
        attached = door.attach(containers.ids[HARNESS], stdin=True)
        door.start(containers.ids[HARNESS])
        until(lambda: all(door.ending(made).running for made in containers.ids.values()), "every container runs")
        yield containers
        attached.close()


@pytest.fixture(scope="module")
def probe(door: ContainerEngine, containers: RunContainers) -> Callable[..., Json]:
    """Runs the probe in a container that stands in a network: "container:<id>", or a network's name."""
    image = next(row["ImageID"] for row in door.client.api.containers() if row["Id"] == containers.ids[HARNESS])
    program = (HERE / "probe.py").read_text()

    def run(network: str, wanted: Json, **options: Any) -> Json:
        said = door.client.containers.run(
            image, ["-c", program, json.dumps(wanted)], entrypoint=PYTHON, network=network, remove=True, **options
        )
        return dict(json.loads(said))

    return run


@pytest.fixture(scope="module")
def everywhere(door: ContainerEngine, containers: RunContainers) -> Json:
    """All that a container could want to reach: the machine's addresses, the gateways, the other containers."""
    addresses = {BRIDGE, METADATA, "127.0.0.1"}
    ours = {f"agz.run={containers.labels['agz.run']}"}
    for network in door.client.networks.list(greedy=True, filters={"label": list(ours)}):
        configured = network.attrs["IPAM"]["Config"][0]
        first = configured["Subnet"].rpartition(".")[0] + ".1"
        addresses |= {configured.get("Gateway", first).partition("/")[0], first}
    proxy = door.client.containers.get(containers.ids[PROXY]).attrs["NetworkSettings"]["Networks"]
    tcp = [[address, PORT] for address in sorted(addresses)]
    tcp += [[row["IPAddress"], 8888] for row in proxy.values()]
    return {"tcp": tcp, "names": ["stolen-e2e4.example", "deb.debian.org"]}


@pytest.fixture
def out(door: ContainerEngine) -> Iterator[str]:
    """A network as people make them, without a thought: open."""
    network = door.client.networks.create("careless", driver="bridge")
    yield str(network.name)
    network.remove()


@pytest.mark.slow
def test_the_probe_sees_the_machine_from_an_open_network(
    probe: Callable[..., Json], everywhere: Json, names: Path, out: str
) -> None:
    found = probe(out, everywhere)
    assert {f"{BRIDGE}:{PORT}", f"{METADATA}:{PORT}"} <= set(found["tcp"])
    assert "stolen-e2e4.example" in names.read_text()


@pytest.mark.parametrize("name", [ENGINE, MODEL])
def test_a_server_of_a_run_reaches_nothing(
    probe: Callable[..., Json], everywhere: Json, names: Path, containers: RunContainers, name: str
) -> None:
    asked = names.read_text()
    found = probe(f"container:{containers.ids[name]}", everywhere)
    assert found == {"tcp": [], "names": [], "proxy": {}}
    assert names.read_text() == asked, "not even a name got out"


@pytest.mark.slow
def test_an_mcp_server_reaches_nothing(
    probe: Callable[..., Json], everywhere: Json, names: Path, door: ContainerEngine
) -> None:
    """A real one, as the memory under test will be started: it speaks over its standard input and output."""
    image = ensure_loaded(door.client, image_records.load("mcp-memory")).image_id
    labels, asked = {"test": "egress-mcp"}, names.read_text()
    made = door.make_container(
        ContainerSpec("mcp", "mcp", ContainerLimits(512 * MIB, 64, 1), attended=True), image, "agz-", labels
    )
    try:
        with closing(door.attach(made, stdin=True)):
            door.start(made)
            found = probe(f"container:{made}", everywhere)
            assert door.ending(made).running
    finally:
        door.remove_all(labels)
    assert found == {"tcp": [], "names": [], "proxy": {}}
    assert names.read_text() == asked


@pytest.mark.slow
def test_the_harness_reaches_the_proxy_and_nothing_else(
    probe: Callable[..., Json], everywhere: Json, names: Path, containers: RunContainers, door: ContainerEngine
) -> None:
    asked = names.read_text()
    found = probe(f"container:{containers.ids[HARNESS]}", {**everywhere, "tcp": [*everywhere["tcp"], [PROXY, 8888]]})
    networks = door.client.containers.get(containers.ids[HARNESS]).attrs["NetworkSettings"]["Networks"]
    (hosted,) = networks
    proxy = door.client.containers.get(containers.ids[PROXY]).attrs["NetworkSettings"]["Networks"][hosted]["IPAddress"]
    assert set(found["tcp"]) == {f"{PROXY}:8888", f"{proxy}:8888"}
    assert found["names"] == []
    assert names.read_text() == asked


def test_the_proxy_lets_through_what_the_plan_names_and_nothing_else(
    probe: Callable[..., Json], containers: RunContainers, own: OwnEngine
) -> None:
    wanted = [
        [BRIDGE, HIDDEN],
        [BRIDGE, PORT],
        [METADATA, HIDDEN],
        [STRANGER, 443],
        [f"{PROVIDER}.{STRANGER}", 443],
        [f"x{PROVIDER}", 443],
        ["localhost", 443],
        [PROVIDER, 22],
        [PROVIDER, HIDDEN],
        [BRIDGE, 443],
        [HOST, HIDDEN],
        [HOST, NEAR],
        [f"{PROVIDER}.", 443],
        [f"user@{PROVIDER}", 443],
    ]
    with own.running(HERE / "listening.py", str(HIDDEN), "127.0.0.54", "/dev/null") as said:
        assert said == "ready"
        found = probe(f"container:{containers.ids[HARNESS]}", {"proxy": wanted})["proxy"]
    allowed = found.pop(f"{BRIDGE}:{HIDDEN}")
    assert " 200 " in allowed
    assert {answer.split()[1] for answer in found.values()} == {"403"}, found


PLAIN = [
    f"GET http://{BRIDGE}:{HIDDEN}/ HTTP/1.1",
    f"POST http://{BRIDGE}:{HIDDEN}/v1 HTTP/1.1",
    f"GET https://{BRIDGE}:{HIDDEN}/ HTTP/1.1",
    f"GET http://{PROVIDER}/ HTTP/1.1",
    f"GET http://{HOST}:{HIDDEN}/ HTTP/1.1",
    f"GET http://{HOST}/ HTTP/1.1",
    f"GET http://{HOST}:{NEAR}@{BRIDGE}:{HIDDEN}/ HTTP/1.1",
    f"GET http://{HOST}:{NEAR}.{STRANGER}/ HTTP/1.1",
    f"GET http://{METADATA}/ HTTP/1.1",
    "GET http://tinyproxy.stats/ HTTP/1.1",
    "GET / HTTP/1.1",
]


def test_the_proxy_takes_no_plain_request_but_to_the_http_server_that_the_plan_names(
    probe: Callable[..., Json], containers: RunContainers, own: OwnEngine
) -> None:
    allowed = f"GET http://{HOST}:{NEAR}/v1/models HTTP/1.1"
    with own.running(HERE / "provider.py", str(NEAR), "", "/dev/null") as said:
        assert said == "ready"
        found = probe(f"container:{containers.ids[HARNESS]}", {"plain": [*PLAIN, allowed]})["plain"]
    assert " 200 " in found.pop(allowed)
    assert {answer.split()[1] for answer in found.values()} == {"403"}, found


def test_what_a_names_owner_answers_later_changes_nothing(
    probe: Callable[..., Json], containers: RunContainers, door: ContainerEngine, names: Path
) -> None:
    """DNS rebinding: the proxy has the address that the name had when the execution began, and asks for none."""
    asked = names.read_text()
    found = probe(f"container:{containers.ids[PROXY]}", {"names": [PROVIDER, STRANGER, HOST], "address": [PROVIDER]})
    assert found["names"] == [PROVIDER, HOST]
    assert found["address"] == {PROVIDER: ADDRESSES[PROVIDER]}
    assert names.read_text() == asked


@pytest.mark.slow
def test_six_thousand_refused_connections_leave_the_first_and_the_last_in_the_log(
    probe: Callable[..., Json], containers: RunContainers
) -> None:
    probe(f"container:{containers.ids[HARNESS]}", {"proxy": [["first.example", 443]]})
    probe(f"container:{containers.ids[HARNESS]}", {"flood": [["flood.example", 443, 6000]]})
    probe(f"container:{containers.ids[HARNESS]}", {"proxy": [["last.example", 443]]})
    log = containers.logs.path_of(PROXY)
    until(lambda: b"CONNECT last.example:443" in log.read_bytes(), "the last record in the log")
    written = log.read_bytes()
    assert b"CONNECT first.example:443" in written
    assert written.count(b"CONNECT flood.example:443") == 6000 or b"[agzamov: cut here" in written


@pytest.mark.slow
def test_a_network_without_our_options_would_let_the_harness_at_the_machine(
    probe: Callable[..., Json], door: ContainerEngine, names: Path
) -> None:
    """Why `internal` alone is not enough: with it, an engine of this age still gives out a way to the host."""
    network = door.client.networks.create("internal-only", driver="bridge", internal=True)
    try:
        gateway = network.client.networks.get(network.id).attrs["IPAM"]["Config"][0]["Gateway"].partition("/")[0]
        found = probe("internal-only", {"tcp": [[gateway, PORT]], "names": ["leaked-d2d4.example"]})
    finally:
        network.remove()
    if not found["tcp"]:
        pytest.skip("this engine closes the gateway of internal networks by itself")
    assert found["tcp"] == [f"{gateway}:{PORT}"]
    assert "leaked-d2d4.example" in names.read_text()


@pytest.mark.slow
def test_the_containers_of_two_runs_do_not_meet(
    containers: RunContainers, door: ContainerEngine, probe: Callable[..., Json]
) -> None:
    """A stranger on another run's internal network cannot reach this run's proxy."""
    networks = door.client.containers.get(containers.ids[PROXY]).attrs["NetworkSettings"]["Networks"]
    wanted = {"tcp": [[row["IPAddress"], 8888] for row in networks.values()]}
    door.make_network("agz-another-run", {"test": "egress"}, leads_out=False)
    try:
        assert probe("agz-another-run", wanted, dns=["127.0.0.1"])["tcp"] == []
    finally:
        door.remove_all({"test": "egress"})
