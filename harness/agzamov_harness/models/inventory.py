"""What an Ollama server says it has and has loaded: its models, through the `ollama` library.

The library is told everything it would else take from the environment: its host, and a key, which it would send to any
host. Two things it does not read, the version and whether a model runs elsewhere, are asked for directly.
"""

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self

import httpx2
import msgspec
import ollama

from agzamov_verify.questions import TOKENS_MAX

from .faults import ModelFault

TIMEOUT_S = 30.0
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


class Loaded(msgspec.Struct, frozen=True):
    """A model in memory, with the context that its requests really have."""

    name: str
    context_tokens: int
    size_bytes: int
    vram_bytes: int


class Inventory:
    """One server. Every method raises ModelFault where it does not answer as an Ollama server does."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        options: dict[str, Any] = {"timeout": TIMEOUT_S, "follow_redirects": False, "trust_env": False}
        self._client = ollama.Client(base_url, headers=NO_KEY, **options)
        self._plain = httpx2.Client(base_url=base_url, **options)

    def version(self) -> str:
        return str(self._json("/api/version").get("version", ""))[:SAID_CHARACTERS_MAX]

    def models(self) -> list[Model]:
        """Every model, by name, with the context length that its weights allow."""
        listed = self._ask(self._client.list).models
        remote = self._remote_hosts()
        found = [_model(one, remote) for one in listed]
        return sorted(found, key=lambda model: model.name)

    def model(self, name: str) -> Model:
        """One model, which must be the server's own."""
        model = next((one for one in self.models() if one.name == _tagged(name)), None)
        if model is None:
            raise ModelFault(f"{self.base_url}: no model {name}; see `agzamov models list`, or pull it")
        refuse_remote(model)
        return model

    def context_of(self, name: str) -> int:
        """The longest context that a model's weights allow, in tokens; 0 where it is not told."""
        told = self._ask(lambda: self._client.show(name)).modelinfo or {}
        return max((_count(value) for key, value in told.items() if key.endswith(".context_length")), default=0)

    def loaded(self, name: str) -> Loaded | None:
        """A model as it is in memory now; None where it is not loaded."""
        for one in self._ask(self._client.ps).models:
            if (one.model or one.name) == _tagged(name):
                sizes = (_count(one.context_length), _count(one.size), _count(one.size_vram))
                return Loaded(_tagged(name), *sizes)
        return None

    def unload(self, name: str) -> None:
        """Let go of a model's memory, and so of all that it remembers of earlier prompts."""
        self._ask(lambda: self._client.generate(name, keep_alive=0))

    def load(self, name: str, options: Mapping[str, int]) -> None:
        """Load a model with these options and keep it."""
        self._ask(lambda: self._client.generate(name, options=dict(options), keep_alive=-1))

    def pull(self, name: str) -> Iterator[ollama.ProgressResponse]:
        """Have the server fetch a model; what it says on the way."""
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

    def _remote_hosts(self) -> dict[str, str]:
        """Model name to the host that really answers, which the library leaves out."""
        models = self._json("/api/tags").get("models")
        rows = [row for row in models if isinstance(row, dict)] if isinstance(models, list) else []
        return {str(row.get("model")): str(row.get("remote_host") or row.get("remote_model") or "") for row in rows}

    def _json(self, path: str) -> dict[str, Any]:
        answer = self._ask(lambda: self._plain.get(path))
        try:
            value = answer.json()
        except ValueError:
            value = None
        if answer.status_code != httpx2.codes.OK or not isinstance(value, dict):
            raise self._fault(f"HTTP {answer.status_code} for {path}")
        return value

    def _ask(self, call: Any) -> Any:
        try:
            return call()
        except (ValueError, TypeError) as error:
            raise self._fault("an answer that is not Ollama's") from error
        except Exception as error:  # the library lets through what its HTTP client raises
            raise self._fault(error) from error

    def _fault(self, what: object) -> ModelFault:
        if isinstance(what, ConnectionError) or _was_refused(what):
            return ModelFault(f"{self.base_url}: no Ollama server answers there; start it, or name another address")
        said = " ".join(str(what).split())[:SAID_CHARACTERS_MAX]
        said = "".join(c if c.isprintable() else "\ufffd" for c in said)
        if isinstance(what, ollama.ResponseError):
            return ModelFault(f"{self.base_url}: {said}")
        return ModelFault(f"{self.base_url}: expected an Ollama server's answer, found: {said}; is it running there?")


def refuse_remote(model: Model) -> None:
    """Raises ModelFault for a model that another machine answers for: its weights cannot be pinned."""
    if model.remote:
        raise ModelFault(f"{model.name}: expected weights of the server's own, found a cloud model of {model.remote}")


def _was_refused(what: object) -> bool:
    """Whether a connection that nobody took is behind an error: HTTP clients wrap it."""
    while isinstance(what, BaseException):
        if isinstance(what, ConnectionRefusedError):
            return True
        what = what.__cause__ or what.__context__
    return False


def _model(one: ollama.ListResponse.Model, remote: Mapping[str, str]) -> Model:
    details, name = one.details, one.model or ""
    return Model(
        name,
        one.digest or "",
        _count(one.size),
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
