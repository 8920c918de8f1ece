"""A model server on this machine itself, outside of the containers, reached by name through the proxy."""

import json
from pathlib import Path

import pytest
import yaml

from agzamov_harness.containers.container_engine import ContainerEngine
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.show.text import verdict_report
from containers.engines import until
from containers.runs import SMALL, changed, require_v1
from harness.commands import Commands


@pytest.fixture
def plan(commands: Commands, engine: ContainerEngine, tmp_path: Path) -> Path:
    """A plan whose model `agzamov serve-reference` serves, at the address that containers know this machine by."""
    server = commands.start("serve-reference", "--host", engine.host_address(), "--port", 0, cwd=tmp_path)
    until(lambda: "http://" in server.printed(), "the server says where it listens")
    port = server.printed().strip().removesuffix("/v1").rpartition(":")[2]
    seats = {
        "near": {"kind": "openai", "base_url": f"http://host.docker.internal:{port}/v1", "model": "reference"},
        "dice": {"kind": "random"},
    }
    wished = changed(
        SMALL,
        seats=seats,
        chess960={"adjudication": {"policy": "none"}, "plies_max": 12},
        matches=[{"phase": 0, "game": "chess960", "a": "near", "b": "dice", "games": 2}],
    )
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(wished))
    return tmp_path / "plan.yaml"


@pytest.mark.slow
def test_a_server_of_this_machine_plays_in_a_run_in_containers_and_the_bundle_says_so(
    commands: Commands, engine: ContainerEngine, key: Path, plan: Path
) -> None:
    ended = commands.start("run", plan, "--key", key, "--json", cwd=plan.parent).ended()
    assert ended.code == 0, ended
    bundle = plan.parent / json.loads(ended.out)["bundle"]
    require_v1(bundle)
    url = yaml.safe_load(plan.read_text())["seats"]["near"]["base_url"]
    environment = json.loads((bundle / "data/environment.json").read_bytes())
    assert environment["endpoints"] == [
        {"addresses": [engine.host_address()], "execution": 0, "url": url.removesuffix("/v1")}
    ]
    shown = " ".join(verdict_report.details(verify(bundle, Options(None))).split())
    assert f"model servers outside of the containers: {url}" in shown
    log = (bundle / "data/logs/000/proxy.log").read_text()
    assert f"POST {url}/chat/completions" in log
    assert "CONNECT http" not in log
