"""A model in an Ollama server, pinned by the digest of its manifest file."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Self

import msgspec

from ..core.columns import quoted
from ..experiment.plan_fields import Line, Problem, Sha256OrNone, Url
from .model_seat import ImageInput, LocalModelSeat, address_problem, host_words


class OllamaSeat(LocalModelSeat, frozen=True, tag="ollama"):
    """A model in an Ollama server, by name and by the SHA-256 of its manifest file (64 hex digits of /api/tags).

    `store` is the server's model folder, which is hashed before and after a run; empty where it cannot be read, and
    then the server's own word is all there is. `image_input`: positions are shown to it as images.
    """

    base_url: Url = "http://127.0.0.1:11434"
    model: Line = ""
    model_digest: Sha256OrNone = ""
    store: Line = ""
    image_input: ImageInput | msgspec.UnsetType = msgspec.UNSET

    image_part: ClassVar[str] = "ollama"

    @property
    def server_url(self) -> str:
        return self.base_url

    @property
    def model_served(self) -> str:
        return self.model

    @property
    def sha256_wanted(self) -> str:
        return self.model_digest

    def problems(self, path: str) -> Iterator[Problem]:
        yield from super().problems(path)
        if not self.model:
            yield Problem(f"{path}.model", "expected the model's name as agzamov models list shows it")
        if problem := address_problem(self.base_url):
            yield Problem(f"{path}.base_url", problem)
        elif self.base_url.rstrip("/").endswith("/v1"):
            yield Problem(f"{path}.base_url", "expected the server's own address, as http://127.0.0.1:11434; drop /v1")
        if not self.model_digest:
            yield Problem(f"{path}.model_digest", "expected the model's 64 digits as agzamov models list shows them")

    def isolation_problems(self, path: str, isolation: str) -> Iterator[Problem]:
        if isolation == "container" and not self.store:
            yield Problem(f"{path}.store", "expected Ollama's model folder, which the container mounts read-only")
        yield from super().isolation_problems(path, isolation)

    @classmethod
    def problems_together(cls, seats: Mapping[str, Self], playing: Mapping[str, Self]) -> Iterator[Problem]:
        """One server serves all seats of Ollama, in one container."""
        sizes = [(seat.gpus, seat.memory_mib) for seat in playing.values()]
        for name, size in zip(playing, sizes, strict=True):
            if size != sizes[0]:
                yield Problem(f"seats.{name}", "expected the same gpus and memory_mib for all seats of Ollama")

    @property
    def kind_words(self) -> str:
        return f"model {quoted(self.model)}"

    @property
    def place_words(self) -> str:
        return f"{self.kind_words} of Ollama at {host_words(self.base_url)}"
