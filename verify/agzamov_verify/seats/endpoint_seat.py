"""A hosted model: whoever serves it, behind an OpenAI-compatible endpoint. Its answers are attested."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, ClassVar, Final, Literal, Self, TypeAlias

import msgspec
from msgspec import Meta

from ..core.columns import quoted
from ..experiment.plan_fields import Count, DecimalText, EnvironmentName, Line, Problem, Url
from .model_seat import (
    HOST_NAME,
    ImageInput,
    ModelSeat,
    address_problem,
    bare_host,
    host_words,
    is_loopback,
    keeps_secrets,
)
from .seat import Seat

TOKEN_LIMITS: Final = frozenset(("max_tokens", "max_completion_tokens"))
"""The parameters that limit the tokens of a reply."""
OtherName: TypeAlias = Annotated[Line, Meta(min_length=1)]
UNSPECIFIED: Final = {"0.0.0.0", "::"}  # noqa: S104 - "this very place", as a client's address


class EndpointSeat(ModelSeat, frozen=True, tag="openai"):
    """A model behind an OpenAI-compatible chat endpoint. Only parameters in `accepts` are sent.

    `served_as`: the name by which the server lists the model or answers, where that is another one. `image_input`:
    positions are shown to it as images.
    """

    base_url: Url = ""
    model: Line = ""
    served_as: OtherName | msgspec.UnsetType = msgspec.UNSET
    model_digest: Line = ""
    api_key_env: EnvironmentName = ""
    accepts: tuple[Literal["temperature", "seed", "max_tokens", "max_completion_tokens", "top_p"], ...] = (
        "temperature",
        "seed",
        "max_tokens",
    )
    temperature: DecimalText = "0"
    top_p: DecimalText = "1"
    tokens_max: Count = 1024
    timeout_s: Annotated[int, Meta(ge=1, le=86_400)] = 120
    attempts_max: Annotated[int, Meta(ge=1, le=100)] = 6
    concurrency: Annotated[int, Meta(ge=1, le=1024)] = 4
    requests_per_minute: Annotated[int, Meta(ge=0)] = 0
    image_input: ImageInput | msgspec.UnsetType = msgspec.UNSET

    calls_tools: ClassVar[bool] = True
    is_hosted: ClassVar[bool] = True
    image_part: ClassVar[str] = "proxy"

    @property
    def server_url(self) -> str:
        return self.base_url

    @property
    def model_served(self) -> str:
        return self.model

    @property
    def names_served(self) -> tuple[str, ...]:
        return (self.model,) if isinstance(self.served_as, msgspec.UnsetType) else (self.model, self.served_as)

    @property
    def key_variable(self) -> str:
        return self.api_key_env

    @property
    def tokens_limit(self) -> int:
        return self.tokens_max if TOKEN_LIMITS & set(self.accepts) else 0

    @property
    def minute_requests_max(self) -> int:
        return self.requests_per_minute

    def problems(self, path: str) -> Iterator[Problem]:
        yield from super().problems(path)
        if not self.base_url:
            yield Problem(f"{path}.base_url", "expected the endpoint's address, for example http://127.0.0.1:11434/v1")
        elif problem := address_problem(self.base_url):
            yield Problem(f"{path}.base_url", problem)
        if self.api_key_env and not keeps_secrets(self.base_url):
            yield Problem(f"{path}.base_url", "expected https:// or this machine's own address where a key is sent")
        if not self.model:
            yield Problem(f"{path}.model", "expected the model's name as the endpoint lists it")
        if set(self.accepts) >= TOKEN_LIMITS:
            yield Problem(f"{path}.accepts", "expected max_tokens or max_completion_tokens, found both")

    def isolation_problems(self, path: str, isolation: str) -> Iterator[Problem]:
        if isolation == "process" and bare_host(self.base_url) == HOST_NAME:
            yield Problem(f"{path}.base_url", f"expected localhost: {HOST_NAME} is a name in containers alone")
        if isolation == "container" and (is_loopback(self.base_url) or bare_host(self.base_url) in UNSPECIFIED):
            message = f"expected http://{HOST_NAME}:PORT for a server of this machine; localhost is the container"
            yield Problem(f"{path}.base_url", message)

    @classmethod
    def problems_together(cls, seats: Mapping[str, Self], playing: Mapping[str, Self]) -> Iterator[Problem]:
        """Seats of one endpoint share its limits, so they must name the same ones."""
        limits: dict[str, tuple[int, int]] = {}
        for name, seat in seats.items():
            seat_limits = (seat.concurrency, seat.requests_per_minute)
            if limits.setdefault(seat.base_url, seat_limits) != seat_limits:
                message = "expected the same concurrency and requests_per_minute for all seats of one base_url"
                yield Problem(f"seats.{name}", message)

    def departures(self, name: str) -> Iterator[str]:
        if self.has_temperature:
            yield from super().departures(name)
        else:
            yield f"seat {name} runs at its own temperature"
        if not self.tokens_limit:
            yield f"seat {name} has no token limit that is sent"

    @property
    def has_temperature(self) -> bool:
        return "temperature" in self.accepts

    def without_key(self) -> Self:
        return msgspec.structs.replace(self, api_key_env="")

    @property
    def kind_words(self) -> str:
        others = "".join(f" (served as {quoted(name)})" for name in self.names_served[1:])
        return f"model {quoted(self.model)}{others}"

    def words(self, weights_sha256: str) -> str:
        digest = f", digest {quoted(self.model_digest)}" if self.model_digest else ""
        temperature = f"temperature {self.temperature}" if self.has_temperature else "its own temperature"
        seed = "sampling seed sent" if "seed" in self.accepts else "no sampling seed sent"
        limit = self.tokens_limit
        tokens = f"at most {limit} tokens a reply" if limit else "NO token limit sent"
        return (
            f"{self.kind_words}{digest} at {host_words(self.base_url)} (name as sealed; which weights answer"
            f" there is the server's word); {temperature}, {seed}, {tokens}"
        )

    def player_id(self, name: str, weights_sha256: str, measured: Iterable[Seat]) -> str:
        """Of several seats with one endpoint model, each has its name before it."""
        models = [seat.model for seat in measured if isinstance(seat, EndpointSeat)]
        return f"openai:{self.model}" if models.count(self.model) < 2 else f"openai:{name}@{self.model}"
