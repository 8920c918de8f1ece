"""Seats of language models: the local ones, whose weights are pinned, and the addresses of model servers."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from fractions import Fraction
from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, Self, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from ..core.columns import ascii_words
from ..experiment.plan_fields import Count, DecimalText, Part, Problem
from ..table.pictures import PictureDetail, PictureStyle
from ..table.players import PictureWish
from .seat import Seat

READ_BACK_MAX: Final = 4


class ImageInput(Part, frozen=True):
    """A seat that is shown positions as images. `read_back`: boards that it reads back before each of its games."""

    style: PictureStyle = PictureStyle.FIGURES
    detail: PictureDetail = PictureDetail.AUTO
    read_back: Annotated[int, Meta(ge=0, le=READ_BACK_MAX)] = 1


HOST_NAME = "host.docker.internal"
"""In a plan with isolation: container, the machine that the containers run on; the run says itself where that is."""


def is_loopback(base_url: str) -> bool:
    """True for an address that never leaves this machine or, inside a container, the container."""
    try:
        host = urlsplit(base_url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def keeps_secrets(base_url: str) -> bool:
    """True if nobody on the network path can read what is sent to `base_url`."""
    return base_url.startswith("https://") or is_loopback(base_url) or bare_host(base_url) == HOST_NAME


def host_of(base_url: str) -> str:
    """The host and port that an address names, as a person would write them."""
    return urlsplit(base_url).netloc.lower()


def bare_host(base_url: str) -> str:
    """The host alone that an address names; empty where it names none, or a port that is none."""
    try:
        parts = urlsplit(base_url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        return ""
    return "" if port == 0 else host


def address_problem(base_url: str) -> str:
    """What is wrong with the address of a model's server; empty where nothing is."""
    if bare_host(base_url):
        return ""
    whole = f"http://{base_url}"
    if "://" not in base_url and bare_host(whole):
        scheme = "http" if is_loopback(whole) else "https"
        return (
            f"expected an address that starts with http:// or https://, found {base_url}; write {scheme}://{base_url}"
        )
    return f"expected a host and a port from 1 to {PORT_MAX}, found {base_url}"


DIGEST_SHOWN: Final = 12
DIGEST_KEPT: Final = 32
"""Hexadecimal digits of a player's identifier: 128 bits, so that no two files are made to share them."""
PORT_MAX: Final = 65_535

Gpus: TypeAlias = (
    Literal["all"]
    | Annotated[int, Meta(ge=0, le=64, description="GPUs of the server's container; 0: the processor alone")]
)


class ModelSeat(Seat, frozen=True):
    """A seat that a language model plays. The subclasses declare these fields, each in its own order."""

    if TYPE_CHECKING:
        temperature: DecimalText = "0"
        top_p: DecimalText = "1"
        tokens_max: int = 1
        attempts_max: int = 1
        concurrency: int = 1

    is_model: ClassVar[bool] = True
    serving: ClassVar[frozenset[str]] = frozenset(
        ["base_url", "served_as", "api_key_env", "timeout_s", "attempts_max", "concurrency", "requests_per_minute"]
    )

    @property
    def pictures(self) -> PictureWish | None:
        wish = getattr(self, "image_input", msgspec.UNSET)
        return PictureWish(wish.style, wish.detail, wish.read_back) if isinstance(wish, ImageInput) else None

    @property
    def has_temperature(self) -> bool:
        return True

    @property
    def minute_requests_max(self) -> int:
        """Greatest number of requests that its server takes in a minute; 0: no limit."""
        return 0

    @property
    def failed_tries_max(self) -> int:
        return self.attempts_max - 1

    def problems(self, path: str) -> Iterator[Problem]:
        if Fraction(self.temperature) > 2:
            yield Problem(f"{path}.temperature", f"expected 0 to 2, found {self.temperature}")
        if not 0 < Fraction(self.top_p) <= 1:
            yield Problem(f"{path}.top_p", f"expected more than 0 and at most 1, found {self.top_p}")

    def departures(self, name: str) -> Iterator[str]:
        if Fraction(self.temperature):
            yield f"seat {name} at temperature {self.temperature}, 0 required"
        if wish := self.pictures:
            yield f"seat {name} is shown positions as images ({wish.style.value}), text required"

    def repeats_at(self, other: Seat) -> str:
        warm = self.has_temperature and Fraction(self.temperature) > 0
        same = warm and msgspec.structs.replace(self, temperature="0") == _cold(other)
        return self.temperature if same else ""

    def without_key(self) -> Self:
        """The seat as somebody else asks it: with no key, whose name the plan's author chose."""
        return self


def _cold(seat: Seat) -> Seat | None:
    """A model's seat at temperature 0, however its plan spells that; None for any other."""
    if not isinstance(seat, ModelSeat) or Fraction(seat.temperature):
        return None
    return msgspec.structs.replace(seat, temperature="0")


class Determinism(StrEnum):
    """The determinism demanded of a local model server.

    `strict` pins the settings under which an answer is a function of its request alone (no flash attention, no
    unified key-value cache; docs/decisions/0011), and the run is refused unless a preflight measures it so.
    `measured` takes the server as it is and records what the preflight measured.
    """

    STRICT = "strict"
    MEASURED = "measured"


class LocalModelSeat(ModelSeat, frozen=True):
    """Fields that the seats of local models share. Greedy or sampled by our own seed; the context is pinned."""

    context_tokens: Annotated[int, Meta(ge=256, le=2**20)] = 4096
    temperature: DecimalText = "0"
    top_p: DecimalText = "1"
    tokens_max: Count = 1024
    timeout_s: Annotated[int, Meta(ge=1, le=86_400)] = 120
    attempts_max: Annotated[int, Meta(ge=1, le=100)] = 6
    concurrency: Annotated[int, Meta(ge=1, le=64)] = 4
    threads: Annotated[int, Meta(ge=1, le=256)] = 1
    determinism: Determinism = Determinism.STRICT
    gpus: Gpus = 0
    memory_mib: Annotated[
        int, Meta(ge=0, le=2**24, description="memory of the server's container in MiB; 0: from weights and context")
    ] = 0

    serving: ClassVar[frozenset[str]] = ModelSeat.serving | frozenset(
        ["threads", "gpus", "memory_mib", "determinism", "weights", "weights_sha256", "store", "model", "model_digest"]
    )

    @property
    def sha256_wanted(self) -> str:
        """The SHA-256 that a plan demands of the weights; empty where it takes those present when it is sealed."""
        raise NotImplementedError

    @property
    def tokens_limit(self) -> int:
        return self.tokens_max

    def problems(self, path: str) -> Iterator[Problem]:
        yield from super().problems(path)
        if self.tokens_max >= self.context_tokens:
            yield Problem(f"{path}.tokens_max", f"expected fewer than the {self.context_tokens} tokens of the context")

    def isolation_problems(self, path: str, isolation: str) -> Iterator[Problem]:
        """Problems of GPU seats: determinism is not claimed before it was measured (docs/decisions/0029)."""
        if self.gpus and isolation == "process":
            yield Problem(f"{path}.gpus", "expected 0: in processes the server has the GPUs that its owner gave it")
        if self.gpus and self.determinism is Determinism.STRICT:
            yield Problem(f"{path}.determinism", "expected measured: with gpus, equal answers were never measured")

    def words(self, weights_sha256: str) -> str:
        digest = f"sha256 {weights_sha256[:DIGEST_SHOWN]}.." if weights_sha256 else "NO weights pinned"
        return (
            f"{self.place_words}, weights {digest}; temperature {self.temperature}, sampling seed sent, at most"
            f" {self.tokens_max} tokens a reply, context {self.context_tokens}, determinism {self.determinism.value}"
        )

    @property
    def kind_words(self) -> str:
        return "local model"

    @property
    def place_words(self) -> str:
        """The model and where it is served."""
        return self.kind_words

    def player_id(self, name: str, weights_sha256: str, measured: Iterable[Seat]) -> str:
        return f"{name}@{weights_sha256[:DIGEST_KEPT]}"


def host_words(url: str) -> str:
    """Host and port that an address names, in ASCII."""
    host = bare_host(url)
    if not host:
        return "an unnamed host"
    port = urlsplit(url).port
    return ascii_words(f"{host}:{port}" if port else host)
