"""The doctor: what this machine can and cannot do, each lack with its advice, and never an exception."""

import socket
from pathlib import Path

import pytest

from agzamov_harness import keys
from agzamov_harness.containers import engine as containers_engine
from agzamov_harness.doctor import Ability, examine
from agzamov_verify import stockfish
from agzamov_verify.stockfish import NAME, EngineFault, find_engine

NAMES = ["python", "cores", "disk", "engine", "key", "docker"]
ENGINE_ADVICE = "adjudication and full verification need Stockfish 15.1; on Debian 12: apt-get install stockfish"


@pytest.fixture(autouse=True)
def _no_container_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine without Docker looks like; tests/containers has one with it."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    keys.generate(tmp_path / "key.pem")
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


@pytest.mark.parametrize("text", ["exit 0", "exec cat"], ids=["one that ends", "one that echoes"])
def test_a_program_that_is_no_engine_is_told_in_time(
    key: Path, tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stockfish, "HANDSHAKE_S", 0.3)
    found = of(examine(key, str(program(tmp_path / "fish", text))), "engine")
    assert (found.ok, found.found) == (False, "expected a UCI engine, found a program that does not answer `uci`")


def test_a_container_engine_that_hangs_is_not_waited_for(
    key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers_engine, "KNOCK_S_MAX", 0.3)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{tmp_path}/docker.sock")
        silent.listen()
        found = of(examine(key, "/no/such/engine"), "docker")
    assert (found.ok, found.found) == (False, "no container engine answers")
    assert "has not answered in 0.3 s" in found.advice


def test_a_machine_without_docker_is_told_what_to_do(key: Path) -> None:
    found = of(examine(key, "/no/such/engine"), "docker")
    assert not found.ok
    assert "install and start Docker" in found.advice
    assert "isolation: process" in found.advice
