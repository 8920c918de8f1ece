"""From a model's address to a report: the commands that `init`, `run` and `verify` advise, typed one after another.

The model answers slowly while `init` measures it, and at once when it plays: so the plan is small.
"""

import re
import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest

from agzamov_harness.reference_server import chat_server
from agzamov_harness.run.plan_file import read_plan
from agzamov_verify.seats import OllamaSeat
from journeys.commands_typed import agzamov

MINUTES, MEASURED_S = "1", 2.0
NAME, CONTEXT = "babbler:latest", 4096


class Model(NamedTuple):
    """A model's address, the digest of its weights if it has one, and a call after which it answers at once."""

    address: str
    digest: str
    hurry: Callable[[], None]


@pytest.fixture
def behind_an_address() -> Iterator[Model]:
    """The reference player behind an OpenAI-compatible endpoint."""
    server = chat_server.start("127.0.0.1", 0, MEASURED_S)
    state = server.RequestHandlerClass.server_state  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Model(f"http://127.0.0.1:{server.server_port}/v1", "", lambda: setattr(state, "delay_s", 0.0))
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def of_ollama(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    """A model of random weights in llama.cpp, behind the routes and words that were recorded of a real Ollama."""
    from models.babbler import write_model  # noqa: PLC0415 - skips where llama.cpp is missing
    from models.live import strict  # noqa: PLC0415 - as above
    from models.ollama_double import OllamaDouble, Shown  # noqa: PLC0415 - as above
    from models.store import put_model  # noqa: PLC0415 - as above

    weights = tmp_path / "babbler.gguf"
    write_model(weights, quantised=True)
    digest, size = put_model(tmp_path / "store", NAME, weights.read_bytes())
    waits = [MEASURED_S]
    with strict(weights) as llama, OllamaDouble(Shown(NAME, digest, size), llama, CONTEXT) as double:
        chat = double._chat

        def slowly(body: dict[str, Any]) -> Any:
            time.sleep(waits[0])
            return chat(body)

        monkeypatch.setattr(double, "_chat", slowly)
        yield Model(double.url, digest, lambda: waits.__setitem__(0, 0.0))


def advised(screen: str) -> list[list[str]]:
    """The commands after Next, as words without the program."""
    found = re.search(r"^Next +((?:.+\n?)(?: {11}.+\n?)*)", screen, re.MULTILINE)
    assert found, screen
    lines = found[1].replace("\\\n", " ").splitlines()
    words = [shlex.split(line, comments=True)[1:] for line in lines]
    return [line for line in words if line]


def walk(model: Model, asked: tuple[str, ...], folder: Path) -> Path:
    """Type what is advised from `init` on, and return the report."""
    asked = (*asked, "--base-url", model.address, "--minutes", MINUTES, "--games", "holdem")
    forecast, *_, play = advised(agzamov("init", *asked, cwd=folder))
    assert (forecast[0], play[0]) == ("plan", "run")
    first = agzamov(*forecast, cwd=folder).splitlines()[0]
    assert re.fullmatch(r"[\d,]+ calls · .+ · 0\.00 USD · .+", first)

    model.hurry()
    agzamov("keygen", "key.pem", cwd=folder)
    ended = agzamov("run", play[1], "--key", "key.pem", cwd=folder)
    report, verify = advised(ended.partition("bundle: ")[0])
    assert (report[0], verify[0]) == ("report", "verify")

    checked = agzamov(*verify, cwd=folder)
    assert "The record is consistent: level V1" in checked
    assert advised(checked)[0] == report, "the report stands first everywhere"
    page = folder / agzamov(*report, cwd=folder).partition("report: ")[2].strip()
    assert "<title>" in page.read_text()
    return page


@pytest.mark.slow
def test_init_plan_run_verify_report(behind_an_address: Model, tmp_path: Path) -> None:
    walk(behind_an_address, ("--model", "reference"), tmp_path)


@pytest.mark.exhaustive
def test_init_plan_run_verify_report_of_the_only_model_in_ollama(of_ollama: Model, tmp_path: Path) -> None:
    page = walk(of_ollama, ("--ollama", "--tokens-max", "24"), tmp_path)
    require_pinned(tmp_path, of_ollama)
    assert NAME in page.read_text()


@pytest.mark.slow
def test_init_pins_the_model_of_ollama_that_is_named(of_ollama: Model, tmp_path: Path) -> None:
    of_ollama.hurry()
    asked = ("--base-url", of_ollama.address, "--minutes", MINUTES, "--games", "holdem")
    agzamov("init", "--ollama", NAME.removesuffix(":latest"), *asked, cwd=tmp_path)
    require_pinned(tmp_path, of_ollama)


def require_pinned(folder: Path, model: Model) -> None:
    """Both seats of the plan are the model with its tag, pinned by the digest that its server shows."""
    seats = read_plan(folder / "my.yaml").seats
    assert set(seats) == {"model", "opponent"}
    for seat in seats.values():
        assert isinstance(seat, OllamaSeat)
        assert (seat.model, seat.model_digest) == (NAME, model.digest)
