"""The model that `agzamov init` writes a plan for: which one was wished for, its seat, and its lines of the plan."""

import os
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import click
import msgspec

from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.seats import Determinism, EndpointSeat, GgufSeat, ModelSeat, OllamaSeat
from agzamov_verify.seats.model_seat import is_loopback

from ..foundation.confirmation import is_attended
from ..foundation.first_use import imported_at_first_use
from ..models.published_weights import STORE, TABLE, fetch
from ..models.weight_pins import pin_of_gguf

endpoint = imported_at_first_use("agzamov_harness.adapters.endpoint")
ollama_api = imported_at_first_use("agzamov_harness.models.ollama_api")

OLLAMA_URL: Final = "http://127.0.0.1:11434"
ASK: Final = "?"
"""The value of `--ollama` without a name: the models of the server are offered."""
SMOLLM2: Final = "smollm2-135m"
WHICH: Final = "expected one model: --base-url URL --model NAME, --ollama NAME, --gguf FILE or --smollm2"
NOT_WRITTEN: Final = "nothing was written"
FORMS: Final = {
    "--base-url": ("base_url", "an address such as https://api.example/v1, of http or https, without a user's name"),
    "--api-key-env": ("api_key_env", "the name of an environment variable in capitals, never the key itself"),
}
"""By option, the key of the seat, and its form."""
CONNECT_S: Final = 5.0
NAMES_MAX: Final = 20
LOCAL_SIDE_BY_SIDE, REMOTE_SIDE_BY_SIDE = 2, 4
STDOUT: Final = Path("-")


class Wish(NamedTuple):
    """The options that say which model. `model`: its name at an endpoint or in Ollama."""

    base_url: str
    model: str
    key_variable: str
    ollama: str
    gguf: Path | None
    is_smollm2: bool
    tokens_max: int
    side_by_side: int | None

    @property
    def is_empty(self) -> bool:
        return not (self.base_url or self.ollama or self.gguf or self.is_smollm2)

    def require_one(self) -> None:
        """Raises ManifestError for more than one model, or for a name or a key where there is no server to ask."""
        own = {"--smollm2": self.is_smollm2, "--gguf": self.gguf, "--ollama": self.ollama}
        kinds = [option for option, given in own.items() if given]
        of_server = {"--base-url": self.base_url, "--model": self.model, "--api-key-env": self.key_variable}
        beside = [option for option, given in of_server.items() if given]
        if kinds == ["--ollama"]:
            beside = [option for option in beside if option != "--base-url"]
        if len(kinds) > 1 or (kinds and beside):
            raise ManifestError(f"{WHICH}; found {' and '.join([*kinds, *beside])}")


def asked_for(wish: Wish) -> Wish:
    """The model, asked for at the terminal. Raises ManifestError where nobody can be asked."""
    if not is_attended():
        raise ManifestError(WHICH)
    kinds = click.Choice(["address", "ollama", "gguf", "smollm2"])
    question = "Which model: an OpenAI-compatible address, one of Ollama, a GGUF file, or the small SmolLM2"
    match click.prompt(question, type=kinds, default="address", err=True):
        case "address":
            return wish._replace(base_url=click.prompt("Its address", default=f"{OLLAMA_URL}/v1", err=True))
        case "ollama":
            return wish._replace(ollama=ASK)
        case "gguf":
            file = click.Path(exists=True, dir_okay=False, path_type=Path)
            return wish._replace(gguf=click.prompt("Its file", type=file, err=True))
        case _:
            return wish._replace(is_smollm2=True)


def seat_of(wish: Wish, folder: Path) -> tuple[ModelSeat, tuple[str, ...]]:
    """The model's seat, and its lines in the plan. Raises ManifestError, PortFault, ModelFault."""
    if wish.is_smollm2:
        say(f"getting {SMOLLM2} ({TABLE[SMOLLM2].size_bytes // 10**6} MB) unless it is in {STORE}", STDOUT)
        return _gguf(wish, fetch(SMOLLM2, STORE), folder)
    if wish.gguf:
        return _gguf(wish, wish.gguf, folder)
    return _of_ollama(wish) if wish.ollama else _of_endpoint(wish)


def _of_endpoint(wish: Wish) -> tuple[ModelSeat, tuple[str, ...]]:
    side_by_side = wish.side_by_side or (LOCAL_SIDE_BY_SIDE if is_loopback(wish.base_url) else REMOTE_SIDE_BY_SIDE)
    seat = EndpointSeat(
        base_url=wish.base_url,
        model=wish.model or "any",
        api_key_env=wish.key_variable,
        tokens_max=wish.tokens_max,
        concurrency=side_by_side,
    )
    for problem in seat.problems("--base-url"):
        raise ManifestError(str(problem).replace("--base-url.", "--").replace("--base_url", "--base-url"))
    for option, (key, form) in FORMS.items():
        try:
            msgspec.convert({"kind": "openai", key: getattr(seat, key)}, EndpointSeat)
        except msgspec.ValidationError as error:
            raise ManifestError(f"{option}: expected {form}") from error
    if not wish.model:
        seat = msgspec.structs.replace(seat, model=_chosen(_listed(seat), "--model"))
    lines = ["kind: openai", f"base_url: {yaml_text(seat.base_url)}", f"model: {yaml_text(seat.model)}"]
    lines += [f"api_key_env: {seat.api_key_env}"] if seat.api_key_env else []
    return seat, (*lines, "temperature: 0", *_limits(seat))


def _listed(seat: EndpointSeat) -> list[str]:
    """The models that the address lists. Raises ManifestError where nothing answers there."""
    parts = urlsplit(seat.base_url)
    brief = msgspec.structs.replace(seat, attempts_max=1, timeout_s=30)
    port = endpoint.Endpoint("model", brief, os.environ, time.monotonic_ns, time.sleep)
    try:
        names = list(port.models())
    finally:
        port.close()
    if not names:
        try:
            at = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
            socket.create_connection(at, CONNECT_S).close()
        except OSError as error:
            raise ManifestError(
                f"{seat.base_url}: no server answers there ({error.strerror or error}); {NOT_WRITTEN}"
            ) from error
        raise ManifestError(
            f"{seat.base_url}: the server lists no models at {parts.path.rstrip('/')}/models; name one by --model, and"
            f" check that the address ends with /v1, without {endpoint.CHAT_PATH}; {NOT_WRITTEN}"
        )
    return names


def _of_ollama(wish: Wish) -> tuple[ModelSeat, tuple[str, ...]]:
    address = wish.base_url or OLLAMA_URL
    with ollama_api.Inventory(address) as server:
        if wish.ollama == ASK:
            own = [model.name for model in server.models() if not model.remote]
            if not own:
                raise ManifestError(f"{address}: this Ollama has no models; get one: agzamov models pull llama3.2:3b")
            name = _chosen(own, "--ollama")
        else:
            name = wish.ollama
        model = server.model(name)
    seat = OllamaSeat(
        base_url=address,
        model=model.name,
        model_digest=model.digest,
        tokens_max=wish.tokens_max,
        concurrency=wish.side_by_side or LOCAL_SIDE_BY_SIDE,
        determinism=Determinism.MEASURED,
    )
    lines = ["kind: ollama", f"base_url: {yaml_text(address)}", f"model: {yaml_text(seat.model)}"]
    lines += [f'model_digest: "{seat.model_digest}"', "determinism: measured    # strict needs settings: ollama.yaml"]
    return seat, (*lines, "temperature: 0", *_limits(seat))


def _gguf(wish: Wish, path: Path, folder: Path) -> tuple[ModelSeat, tuple[str, ...]]:
    where = path.expanduser().resolve()
    near = where.relative_to(folder.resolve()) if where.is_relative_to(folder.resolve()) else where
    seat = GgufSeat(
        weights=str(near),
        weights_sha256=pin_of_gguf(where).sha256,
        tokens_max=wish.tokens_max,
        concurrency=wish.side_by_side or LOCAL_SIDE_BY_SIDE,
    )
    lines = ["kind: gguf", f"weights: {yaml_text(seat.weights)}", f'weights_sha256: "{seat.weights_sha256}"']
    return seat, (*lines, "temperature: 0", *_limits(seat))


def _limits(seat: ModelSeat) -> tuple[str, str]:
    return (
        f"tokens_max: {seat.tokens_max}    # a reply that is cut here counts as unusable",
        f"concurrency: {seat.concurrency}    # calls side by side",
    )


def _chosen(names: Sequence[str], option: str) -> str:
    """One of the listed models: the only one, or the one that is chosen at the terminal. Raises ManifestError."""
    shown = [printable(name) for name in names[:NAMES_MAX]]
    if len(names) == 1:
        return names[0]
    if not is_attended():
        raise ManifestError(f"expected {option} NAME: the server has {', '.join(shown)}; {NOT_WRITTEN}")
    for number, name in enumerate(shown, 1):
        click.echo(f"  {number}  {name}", err=True)
    number = click.prompt("Which of these models", type=click.IntRange(1, len(shown)), default=1, err=True)
    return names[number - 1]


def named(seat: ModelSeat) -> str:
    """The model's name; of a file of weights that of the file."""
    return seat.model if isinstance(seat, EndpointSeat | OllamaSeat) else Path(getattr(seat, "weights", "")).stem


def yaml_text(text: str) -> str:
    """A double-quoted scalar of YAML, which is one of JSON."""
    return msgspec.json.encode(text).decode()


def say(line: str, out: Path) -> None:
    """To the screen: standard output holds the plan where it was asked for."""
    click.echo(printable(line), err=out == STDOUT)
