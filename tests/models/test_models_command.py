"""`agzamov models list | check | pull`, as a person types them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.commands.models_command import plan_of_file
from agzamov_harness.models.ollama_store import server_alone, server_asked
from agzamov_harness.ports import ModelFault
from agzamov_verify.seats import GgufSeat
from models.conftest import NAME, Babbler
from models.live import loose, strict
from models.ollama_double import Manner, OllamaDouble, Shown
from models.store import put_model

CONTEXT = 4096
DIGEST, SIZE = "ab" * 32, 2_500_000


def agzamov(*arguments: object) -> tuple[int, str]:
    """Exit code and what is printed, errors too."""
    ran = CliRunner().invoke(main, ["models", *map(str, arguments)])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.exit_code, ran.output


@pytest.fixture
def idle() -> Iterator[OllamaDouble]:
    """A server with one model that nobody asks anything."""
    with OllamaDouble(Shown(NAME, DIGEST, SIZE), "http://127.0.0.1:9", CONTEXT) as double:
        yield double


class Live(NamedTuple):
    """A strict llama.cpp, and an Ollama server in front of it."""

    llama: str
    double: OllamaDouble


@pytest.fixture(scope="module")
def live(babbler: Babbler) -> Iterator[Live]:
    shown = Shown(NAME, babbler.digest, babbler.size)
    with strict(babbler.gguf, slots=4) as llama, OllamaDouble(shown, llama, CONTEXT) as double:
        yield Live(llama, double)


def plan_at(folder: Path, **seat: Any) -> Path:
    """A plan file with one local seat."""
    wished = {
        "title": "Check",
        "seats": {"model": {"tokens_max": 8, **seat}, "random": {"kind": "random"}},
        "matches": [{"phase": 0, "game": "chess960", "a": "model", "b": "random", "games": 2}],
    }
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(wished))
    return path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without models."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_files_of_models_get_are_named_beside_a_servers_models_and_without_a_server(
    idle: OllamaDouble, home: Path
) -> None:
    folder = home / ".cache" / "agzamov" / "models"
    folder.mkdir(parents=True)
    (folder / "small.gguf").touch()
    named = f"to list the GGUF files in {folder}: agzamov models list {folder}/*.gguf"
    assert agzamov("list", "--at", idle.url)[1].splitlines()[1:] == [named]
    code, told = agzamov("list", "--at", "http://127.0.0.1:9")
    assert (code, told.endswith(f"; {named}\n")) == (2, True)


@pytest.mark.parametrize(("option", "value"), [("--context-tokens", "512"), ("--store", "x")])
def test_what_a_plan_says_of_its_seats_is_not_said_again(option: str, value: str, tmp_path: Path) -> None:
    plan = plan_at(tmp_path, kind="gguf", weights="m.gguf")
    key = option[2:].replace("-", "_")
    told = f"error: {option}: expected it with a MODEL alone, found a plan; write {key} into its seat\n"
    assert agzamov("check", plan, option, value) == (2, told)


def test_the_context_of_a_gguf_file_is_the_one_that_was_asked_for() -> None:
    plan = plan_of_file(Path("m.gguf"), 512)
    (seat,) = plan.seats.values()
    assert isinstance(seat, GgufSeat)
    assert (seat.context_tokens, seat.tokens_max) == (512, 256)


# --- list ----------------------------------------------------------------------------------------


def test_a_servers_models_are_listed_with_what_a_plan_needs(idle: OllamaDouble) -> None:
    assert agzamov("list", "--at", idle.url) == (0, f"{NAME}  {DIGEST}  2.5 MB  121K  F32  context 8192\n")


def test_a_cloud_model_is_called_one(idle: OllamaDouble) -> None:
    idle.manner = Manner.CLOUD
    assert "CLOUD MODEL of https://ollama.com:443: cannot be pinned" in agzamov("list", "--at", idle.url)[1]


def test_gguf_files_are_listed_by_their_digest(babbler: Babbler) -> None:
    code, output = agzamov("list", "--json", babbler.gguf)
    (row,) = json.loads(output)
    assert (code, row["name"], row["size_bytes"]) == (0, str(babbler.gguf), babbler.gguf.stat().st_size)
    assert len(row["digest"]) == 64


@pytest.mark.parametrize("what", [["--at", "http://127.0.0.1:9"], ["nothing.gguf"]])
def test_what_is_not_there_cannot_be_listed(what: list[str]) -> None:
    code, output = agzamov("list", *what)
    assert (code, output.startswith("error: ")) == (2, True)
    assert len(output.splitlines()) == 1


# --- check ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_plan_of_an_ollama_model_is_checked_as_before_a_run(live: Live, babbler: Babbler, tmp_path: Path) -> None:
    seat = {"kind": "ollama", "base_url": live.double.url, "model": NAME, "model_digest": babbler.digest}
    code, output = agzamov("check", plan_at(tmp_path, **seat, store=str(babbler.store)))
    assert code == 0, output
    assert f"model: would be sealed with sha256 {babbler.digest}, {babbler.size} bytes (hashed here)" in output
    assert "after a reload   texts 8/8, log probabilities 8/8" in output
    assert "a prompt that does not fit is refused" in output


@pytest.mark.slow
def test_a_model_alone_is_checked_with_the_servers_word(live: Live) -> None:
    code, output = agzamov("check", NAME, "--at", live.double.url, "--json")
    found = json.loads(output)["model"]
    assert (code, found["witness"], found["wrong"]) == (0, "the server's word", "")
    assert found["outcome"]["server"] == {"context_tokens": CONTEXT, "kind": "ollama", "version": "0.33.0-double"}


@pytest.mark.slow
def test_a_plan_of_a_file_is_hashed_and_measured_where_it_is_served(
    live: Live, babbler: Babbler, tmp_path: Path
) -> None:
    plan = plan_at(tmp_path, kind="gguf", weights=str(babbler.gguf))
    here = agzamov("check", plan)
    assert here[0] == 0, here[1]
    assert "preflight of seat model: " in here[1]
    assert "all at once      texts 8/8, log probabilities 8/8" in here[1]
    measured = agzamov("check", plan, "--served", f"model={live.llama}")
    assert measured[0] == 0, measured[1]
    assert "all at once      texts 8/8, log probabilities 8/8" in measured[1]


@pytest.mark.slow
def test_a_file_alone_is_hashed_and_measured(babbler: Babbler) -> None:
    code, output = agzamov("check", babbler.gguf)
    assert (code, output.count("would be sealed with sha256")) == (0, 1), output
    assert "a prompt that does not fit is refused" in output


def test_what_is_wrong_is_named_and_fails(babbler: Babbler, tmp_path: Path) -> None:
    plan = plan_at(tmp_path, kind="gguf", weights=str(babbler.gguf), weights_sha256="0" * 64)
    code, output = agzamov("check", plan)
    assert (code, output.splitlines()[0]) == (1, "model: cannot be sealed")
    assert f"WRONG      {babbler.gguf}: expected sha256 {'0' * 64}" in output


@pytest.mark.slow
def test_a_server_that_is_not_strict_fails_the_check(babbler: Babbler, tmp_path: Path) -> None:
    plan = plan_at(tmp_path, kind="gguf", weights=str(babbler.gguf), tokens_max=24)
    with loose(babbler.gguf, slots=4) as address:
        code, output = agzamov("check", plan, "--served", f"model={address}")
    assert (code, "serve it with flash attention off" in output) == (1, True), output


@pytest.mark.parametrize("target", ["nothing.yaml", "nothing"])
def test_a_target_that_is_not_there_is_wrong_use(target: str) -> None:
    code, output = agzamov("check", target, "--at", "http://127.0.0.1:9")
    assert (code, output.startswith("error: ")) == (2, True)


# --- pull ----------------------------------------------------------------------------------------


def test_a_pull_tells_how_far_it_is_and_what_came(idle: OllamaDouble) -> None:
    code, output = agzamov("pull", NAME, "--at", idle.url)
    assert (code, idle.pulled) == (0, [NAME])
    assert "pulling manifest\n" in output
    assert f"pulling {DIGEST[:12]}: 100 % of 2.5 MB\n" in output
    assert output.splitlines()[-1].startswith(f"{NAME}  {DIGEST}")


def test_nothing_is_pulled_while_a_run_is_asking_that_server(idle: OllamaDouble) -> None:
    with server_asked(idle.url):
        code, output = agzamov("pull", NAME, "--at", idle.url.replace("127.0.0.1", "localhost"))
    assert (code, idle.pulled) == (2, [])
    assert "a run is asking this server, and would be disturbed; do it when the run has ended" in output
    assert agzamov("pull", NAME, "--at", idle.url)[0] == 0


@pytest.mark.parametrize("name", [NAME, "alias:latest"], ids=["the run's model", "another name of its weights"])
def test_nothing_is_checked_while_a_run_is_asking_that_server(
    live: Live, babbler: Babbler, tmp_path: Path, name: str
) -> None:
    live.double.requests.clear()
    digest, _ = put_model(tmp_path / "store", name, babbler.gguf.read_bytes())
    seat = {"kind": "ollama", "base_url": live.double.url, "model": name, "model_digest": digest}
    with server_asked(live.double.url):
        code, output = agzamov("check", plan_at(tmp_path, **seat, store=str(tmp_path / "store")))
    assert (code, "WRONG" in output, "a run is asking this server" in output) == (1, True, True), output
    assert not any(path in ("/api/generate", "/api/chat") for path, _ in live.double.requests)


def test_two_runs_may_ask_one_server_and_neither_begins_while_it_is_checked(idle: OllamaDouble) -> None:
    with server_asked(idle.url), server_asked(idle.url):
        pass
    refused = pytest.raises(ModelFault, match="another command is loading a model there")
    with server_alone(idle.url), refused, server_asked(idle.url):
        pass


@pytest.mark.slow
def test_a_run_that_asks_another_server_is_in_nobodys_way(idle: OllamaDouble) -> None:
    with server_asked(idle.url), OllamaDouble(Shown(NAME, DIGEST, SIZE), "http://127.0.0.1:9", CONTEXT) as other:
        assert agzamov("pull", NAME, "--at", other.url)[0] == 0
