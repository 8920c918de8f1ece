"""The doctor: what this machine can and cannot do, each lack with its advice, and never an exception."""

import socket
import tomllib
from pathlib import Path

import pytest

from agzamov_harness.commands import doctor
from agzamov_harness.commands.doctor import Ability, examine
from agzamov_harness.containers import engine_socket
from agzamov_harness.containers.image_roles import BUILT_ON_REQUEST, IMAGE_OF
from agzamov_harness.run import signing_keys
from agzamov_verify.engines import uci_engine
from agzamov_verify.engines.uci_engine import NAME, EngineFault, find_engine
from harness.http_peer import Peer, Step, answers, hangs

NAMES = ["python", "cores", "disk", "engine", "key", "llama.cpp", "ollama", "memories", "docker"]
PATIENCE_S = 300
ENGINE_ADVICE = "adjudication and full verification need Stockfish 15.1; on Debian 12: apt-get install stockfish"


@pytest.fixture(autouse=True)
def _no_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine without Docker and Ollama looks like; tests/containers has one with Docker."""
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    monkeypatch.setattr(doctor, "OLLAMA_S", PATIENCE_S)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    signing_keys.generate(tmp_path / "key.pem")
    return tmp_path / "key.pem"


def of(abilities: list[Ability], name: str) -> Ability:
    return next(ability for ability in abilities if ability.name == name)


def program(path: Path, text: str) -> Path:
    """A shell script that can be run."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def engine_called(path: Path, name: str, exports: str = "printf net >") -> Path:
    """A program that speaks enough UCI to be asked for its name and its net."""
    return program(
        path,
        f"""while read -r word rest; do case "$word" in
        uci) echo "id name {name}"; echo uciok;;
        isready) echo readyok;;
        export_net) {exports} "$rest";;
        esac; done""",
    )


def test_every_ability_is_examined_and_a_lack_has_its_advice(key: Path) -> None:
    abilities = examine(key, "/no/such/engine")
    assert [ability.name for ability in abilities] == NAMES
    assert all(ability.ok or ability.advice for ability in abilities)
    assert all(ability.found for ability in abilities)


def test_this_python_and_a_good_key_are_found(key: Path) -> None:
    abilities = examine(key, "/no/such/engine")
    assert of(abilities, "python").ok
    assert of(abilities, "key") == Ability("key", True, str(key))
    assert int(of(abilities, "cores").found) >= 1


def test_a_missing_key_is_told_with_the_command_that_makes_one(tmp_path: Path) -> None:
    found = of(examine(tmp_path / "none.pem", "/no/such/engine"), "key")
    assert (found.ok, found.advice) == (False, f"agzamov keygen {tmp_path / 'none.pem'}")


def test_a_public_key_in_the_place_of_a_key_is_no_reason_to_make_one(key: Path) -> None:
    found = of(examine(key.with_name(f"{key.name}.pub"), "/no/such/engine"), "key")
    assert (found.ok, found.advice) == (False, "name another file with --key")
    assert f"the private one is beside it: {key}" in found.found


def test_a_missing_engine_is_told_with_the_package_that_has_it(key: Path) -> None:
    found = of(examine(key, "/no/such/engine"), "engine")
    assert (found.ok, found.advice) == (False, ENGINE_ADVICE)
    assert found.found.startswith("no engine at /no/such/engine")


def test_the_pinned_engine_is_recognised(key: Path) -> None:
    try:
        path = find_engine()
    except EngineFault as error:
        pytest.skip(str(error))
    assert of(examine(key, str(path)), "engine") == Ability("engine", True, f"{NAME} at {path}")


@pytest.mark.parametrize(
    ("name", "exports", "found"),
    [
        ("Otherfish 1", "printf net >", "Otherfish 1 at "),
        (NAME, "printf another-net >", f"{NAME} at "),
        (NAME, "true", "expected Stockfish 15.1, found Stockfish 15.1, which cannot export its net"),
    ],
    ids=["another engine", "the engine with another net", "an engine that exports nothing"],
)
def test_another_engine_is_no_engine(key: Path, tmp_path: Path, name: str, exports: str, found: str) -> None:
    path = engine_called(tmp_path / "fish", name, exports)
    ability = of(examine(key, str(path)), "engine")
    assert (ability.ok, ability.advice) == (False, ENGINE_ADVICE)
    assert ability.found.startswith(found)


@pytest.mark.parametrize(
    ("text", "limit_s", "why"),
    [
        ("exit 0", PATIENCE_S, "a program that ended before `uciok`"),
        ("exec cat", 0.3, "no `uciok` within 0.3 s"),
    ],
    ids=["one that ends", "one that echoes"],
)
def test_a_program_that_is_no_engine_is_told_in_time(
    key: Path, tmp_path: Path, text: str, limit_s: float, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uci_engine, "HANDSHAKE_S", limit_s)
    fish = program(tmp_path / "fish", text)
    found = of(examine(key, str(fish)), "engine")
    assert (found.ok, found.found) == (False, f"expected a UCI engine at {fish}, found {why}")


@pytest.mark.parametrize(
    ("count", "told"), [(0, "no models yet: agzamov models pull NAME"), (1, "1 model"), (2, "2 models")]
)
def test_an_ollama_server_is_told_with_its_version_and_its_models(
    key: Path, monkeypatch: pytest.MonkeyPatch, count: int, told: str
) -> None:
    rows = answers({"models": [{"model": f"m{number}", "digest": "0" * 64, "size": 1} for number in range(count)]})
    with Peer([answers({"version": "0.33.0"}), rows, rows]) as peer:
        url = peer.url.removesuffix("/v1")
        monkeypatch.setenv("OLLAMA_HOST", url.removeprefix("http://"))
        assert of(examine(key, "/no/such/engine"), "ollama") == Ability("ollama", True, f"0.33.0 at {url}, {told}")


@pytest.mark.parametrize(
    ("step", "limit_s", "why"),
    [
        (answers({"error": "no such path"}, 404), PATIENCE_S, "HTTP 404 for /api/version"),
        (hangs, 0.3, "no answer in time"),
    ],
    ids=["another server", "one that hangs"],
)
def test_a_server_that_is_no_ollama_is_told_in_time_and_is_no_failure(
    key: Path, monkeypatch: pytest.MonkeyPatch, step: Step, limit_s: float, why: str
) -> None:
    monkeypatch.setattr(doctor, "OLLAMA_S", limit_s)
    with Peer([step]) as peer:
        monkeypatch.setenv("OLLAMA_HOST", peer.url.removesuffix("/v1"))
        found = of(examine(key, "/no/such/engine"), "ollama")
    assert (found.ok, found.is_optional, why in found.found) == (False, True, True), found


@pytest.mark.parametrize("host", ["127.0.0.1:1", "http://user:word@h", "::1", "a b", "ftp://h", "h:99999", "h:x"])
def test_where_no_ollama_answers_is_said_what_to_type(key: Path, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    found = of(examine(key, "/no/such/engine"), "ollama")
    assert (found.ok, found.is_optional, found.advice.endswith(": ollama serve")) == (False, True, True), found
    assert "word" not in found.found


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - nothing is bound
        ("[::1]:9/", "http://[::1]:9"),
        ("box:9", "http://box:9"),
        ("http://box", "http://box:80"),
        ("https://box/ollama/", "https://box:443/ollama"),
    ],
)
def test_the_address_of_ollama_is_read_as_ollama_reads_it(host: str, url: str) -> None:
    assert doctor.ollama_url(host) == url


def test_a_container_engine_that_hangs_is_not_waited_for(
    key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_socket, "ANSWER_S_MAX", 0.3)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{tmp_path}/docker.sock")
        silent.listen()
        found = of(examine(key, "/no/such/engine"), "docker")
    assert (found.ok, found.found) == (False, "no container engine answers")
    assert "has not answered in 0.3 s" in found.advice


@pytest.mark.parametrize(
    ("installed", "told"),
    [(False, "Docker is not installed; install it"), (True, "Docker is installed but not running; start it")],
)
def test_a_machine_without_docker_is_told_what_to_do(
    key: Path, monkeypatch: pytest.MonkeyPatch, *, installed: bool, told: str
) -> None:
    monkeypatch.setattr(engine_socket, "is_installed", lambda: installed)
    found = of(examine(key, "/no/such/engine"), "docker")
    assert not found.ok
    assert told in found.advice
    assert "isolation: process" in found.advice


@pytest.mark.parametrize("name", IMAGE_OF.values())
def test_the_images_that_are_asked_for_are_those_that_are_built_by_default(name: str) -> None:
    declared = tomllib.loads((Path(__file__).parents[2] / "images" / name / "image.toml").read_text())
    assert declared.get("default", False) is (name not in BUILT_ON_REQUEST)
