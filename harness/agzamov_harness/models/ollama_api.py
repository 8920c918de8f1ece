"""An Ollama server through the `ollama` library: its models, those in memory, and its checks before a run.

The library is told everything it would else take from the environment: its host, and a key, which it would send to any
host. Two things it does not read, the version and whether a model runs elsewhere, are asked for directly.
"""

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self

import httpcore2
import httpx2
import msgspec
import ollama

from agzamov_verify.core.questions import TOKENS_MAX
from agzamov_verify.plan.manifest import ModelPin
from agzamov_verify.seats import OllamaSeat

from ..adapters.completion import error_message
from ..adapters.http_transport import guard
from ..adapters.ollama_chat import options_of
from ..adapters.retries import was_refused, why_broken
from ..ports import ModelFault
from ..seat_kind import ModelServer, Serving

TIMEOUT_S, LOAD_S = 30.0, 900.0
NO_KEY = {"authorization": "none"}
SAID_CHARACTERS_MAX = 300


class Model(msgspec.Struct, frozen=True):
    """One model of a server. `remote` names the host that answers for it; empty where the server itself does."""

    name: str
    digest: str
    size_bytes: int
    quantisation: str
    parameters: str
    family: str
    remote: str
    context_tokens: int = 0


class LoadedModel(msgspec.Struct, frozen=True):
    """A model in memory, with the context that its requests really have."""

    name: str
    context_tokens: int
    size_bytes: int
    vram_bytes: int


class Inventory:
    """One server. Every method raises ModelFault where it does not answer as an Ollama server does."""

    def __init__(self, base_url: str, timeout_s: float = TIMEOUT_S, load_s: float = LOAD_S) -> None:
        self.base_url = base_url
        options: dict[str, Any] = {"timeout": timeout_s, "follow_redirects": False, "trust_env": False}
        self._client = ollama.Client(base_url, headers=NO_KEY, **options)
        self._plain = httpx2.Client(base_url=base_url, **options)
        self._loader = httpx2.Client(base_url=base_url, **{**options, "timeout": load_s})
        guard(self._client._client, timeout_s)  # noqa: SLF001 - the library hides its HTTP client
        guard(self._plain, timeout_s)
        guard(self._loader, load_s)

    def version(self) -> str:
        return str(self._json("/api/version").get("version", ""))[:SAID_CHARACTERS_MAX]

    def models(self) -> list[Model]:
        """Every model, by name, with the context length that its weights allow."""
        listed = self._ask(self._client.list).models
        remote = self._remote_hosts()
        models = [_model(row, remote) for row in listed]
        return sorted(models, key=lambda model: model.name)

    def model(self, name: str) -> Model:
        """One model, which must be the server's own."""
        model = next((candidate for candidate in self.models() if candidate.name == _tagged(name)), None)
        if model is None:
            raise ModelFault(f"{self.base_url}: no model {name}; see `agzamov models list`, or pull it")
        refuse_remote(model)
        return model

    def digest(self, name: str) -> str:
        """The digest behind a model's name now; "none" where the server has no such model any more."""
        rows = self._json("/api/tags").get("models")
        listed = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        return next((str(row.get("digest"))[:64] for row in listed if row.get("model") == _tagged(name)), "none")

    def context_of(self, name: str) -> int:
        """The longest context that a model's weights allow, in tokens; 0 where the server does not say."""
        info = self._ask(lambda: self._client.show(name)).modelinfo or {}
        return max((_count(value) for key, value in info.items() if key.endswith(".context_length")), default=0)

    def capabilities(self, name: str) -> frozenset[str] | None:
        """What the server says that a model can do, as "vision"; None where it does not say."""
        told = self._ask(lambda: self._client.show(name)).capabilities
        return frozenset(map(str, told)) if told else None

    def loaded(self, name: str) -> LoadedModel | None:
        """A model as it is in memory now; None where it is not loaded."""
        for entry in self._ask(self._client.ps).models:
            if (entry.model or entry.name) == _tagged(name):
                sizes = (_count(entry.context_length), _count(entry.size), _count(entry.size_vram))
                return LoadedModel(_tagged(name), *sizes)
        return None

    def unload(self, name: str) -> None:
        """Unload a model, with its cache of earlier prompts."""
        self._ask(lambda: self._client.generate(name, keep_alive=0))

    def load(self, name: str, options: Mapping[str, int]) -> None:
        """Load a model with these options and keep it.

        `shift` is part of how a model is loaded, and the library cannot say it: a load without it is done again at the
        first chat that says it, and kept for five minutes only.
        """
        body = {"model": name, "options": dict(options), "keep_alive": -1, "shift": False, "stream": False}
        self._read("/api/generate", self._ask(lambda: self._loader.post("/api/generate", json=body)))

    def pull(self, name: str) -> Iterator[ollama.ProgressResponse]:
        """Have the server fetch a model; yield its progress."""
        puller = ollama.Client(self.base_url, headers=NO_KEY, timeout=None, follow_redirects=False, trust_env=False)
        try:
            yield from puller.pull(name, stream=True)
        except Exception as error:  # the library lets through what its HTTP client raises
            raise self._fault(error) from error
        finally:
            puller.close()  # type: ignore[no-untyped-call]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()  # type: ignore[no-untyped-call]
        self._plain.close()
        self._loader.close()

    def _remote_hosts(self) -> dict[str, str]:
        """Model name to the host that really answers, which the library leaves out."""
        models = self._json("/api/tags").get("models")
        rows = [row for row in models if isinstance(row, dict)] if isinstance(models, list) else []
        return {str(row.get("model")): str(row.get("remote_host") or row.get("remote_model") or "") for row in rows}

    def _json(self, path: str) -> dict[str, Any]:
        return self._read(path, self._ask(lambda: self._plain.get(path)))

    def _read(self, path: str, answer: httpx2.Response) -> dict[str, Any]:
        """The JSON of an answer. Raises ModelFault for an error, in the server's own words."""
        try:
            value = answer.json()
        except ValueError:
            value = None
        if answer.status_code != httpx2.codes.OK or not isinstance(value, dict):
            message = error_message(answer.content) if answer.status_code >= httpx2.codes.BAD_REQUEST else ""
            raise self._fault(f"HTTP {answer.status_code} for {path}{': ' if message else ''}{message}")
        return value

    def _ask(self, call: Any) -> Any:
        try:
            return call()
        except (ValueError, TypeError) as error:
            raise self._fault("an answer that is not Ollama's") from error
        except Exception as error:  # the library lets through what its HTTP client raises
            raise self._fault(error) from error

    def _fault(self, problem: object) -> ModelFault:
        if isinstance(problem, BaseException) and (isinstance(problem, ConnectionError) or was_refused(problem)):
            return ModelFault(f"{self.base_url}: no Ollama server answers there; start it, or name another address")
        refused = isinstance(problem, ollama.ResponseError)
        problem = _words(problem)
        text = " ".join(str(problem).split())[:SAID_CHARACTERS_MAX]
        text = "".join(c if c.isprintable() else "\ufffd" for c in text)
        if self.base_url.rstrip("/").endswith("/v1"):
            text += "; drop /v1 from the address"
        if refused:
            return ModelFault(f"{self.base_url}: {text}")
        return ModelFault(f"{self.base_url}: expected an Ollama server's answer, found: {text}; is it running there?")


def refuse_remote(model: Model) -> None:
    """Raises ModelFault for a model that another machine answers for: its weights cannot be pinned."""
    if model.remote:
        raise ModelFault(f"{model.name}: expected weights of the server's own, found a cloud model of {model.remote}")


def _words(problem: object) -> object:
    """Message of an error; the library appends a status to its own messages even if there was none."""
    if isinstance(problem, ollama.ResponseError):
        return f"HTTP {problem.status_code}: {problem.error}" if problem.status_code > 0 else problem.error
    if isinstance(problem, httpx2.TimeoutException | httpcore2.TimeoutException):
        return "no answer in time"
    return why_broken(problem) if isinstance(problem, BaseException) else problem


def _model(listed: ollama.ListResponse.Model, remote: Mapping[str, str]) -> Model:
    details, name = listed.details, listed.model or ""
    return Model(
        name,
        listed.digest or "",
        _count(listed.size),
        (details.quantization_level if details else "") or "",
        (details.parameter_size if details else "") or "",
        (details.family if details else "") or "",
        remote.get(name, ""),
    )


def _tagged(name: str) -> str:
    """A name with its tag, as a server lists it."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def _count(value: object) -> int:
    """A sensible number, 0 for anything else."""
    number = int(value) if isinstance(value, int) and not isinstance(value, bool) else 0
    return number if 0 <= number <= TOKENS_MAX * 2**20 else 0


def look_at(seat: OllamaSeat, address: str, pin: ModelPin | None) -> Serving:
    """Load the model with the seat's options, as only a loaded model shows its context. Raises ModelFault."""
    with Inventory(address) as server:
        model = server.model(seat.model)
        if pin and (model.digest, model.size_bytes) != (pin.sha256, pin.size_bytes):
            raise ModelFault(f"{address}: expected {seat.model} with digest {pin.sha256}, found {model.digest}")
        load_anew(server, seat)
        loaded = server.loaded(seat.model)
        version = server.version()
    if loaded is None:
        raise ModelFault(
            f"{address}: expected {seat.model} in memory after loading it, found it unloaded; is there room,"
            " and does nobody else use this server?"
        )
    return Serving(ModelServer("ollama", version, loaded.context_tokens), lambda: _reload(seat, address))


def load_anew(server: Inventory, seat: OllamaSeat) -> None:
    """Unload the model and load it with the seat's options: nothing of earlier prompts is left."""
    server.unload(seat.model)
    options = options_of(seat)
    server.load(seat.model, {name: options[name] for name in ("num_ctx", "num_thread")})


def _reload(seat: OllamaSeat, address: str) -> None:
    with Inventory(address) as server:
        load_anew(server, seat)


def capabilities(seat: OllamaSeat) -> frozenset[str] | None:
    """What a seat's server says that its model can do. Raises ModelFault."""
    with Inventory(seat.base_url) as server:
        return server.capabilities(seat.model)
