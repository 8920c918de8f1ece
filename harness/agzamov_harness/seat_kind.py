"""The outside world of a kind of seat: one row for each kind that has one, a module of `seat_kinds`.

The verifier's half of a kind (`agzamov_verify.seats`) is what a checker must know of it. The row here is what a run
needs beside that: the port that answers, the containers that serve it and when they are ready, what is asked before a
plan is sealed, and of local models their weights and their server. A scripted kind has no outside world and needs no
row. A row is imported when a plan has such a seat, because clients take their time to import.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec

from agzamov_verify.core.questions import Answer, Question
from agzamov_verify.core.survey_question import Survey, Surveyed
from agzamov_verify.plan.manifest import Manifest, ModelPin, Plan
from agzamov_verify.seats import LocalModelSeat, ScriptedSeat, Seat

from .foundation.container_spec import GIB, MIB, ContainerSpec, Machine
from .foundation.first_use import imported_at_first_use
from .ports import ChatPort, People, Port, Wait

ROWS: Final[Mapping[str, str]] = {
    "gguf": "gguf_kind",
    "human": "human_kind",
    "ollama": "ollama_kind",
    "openai": "endpoint_kind",
    "stockfish": "stockfish_kind",
    "uci": "uci_kind",
}
"""The modules of the rows, by kind of seat."""
SCRIPTED_ROW: Final = "scripted_kind"

S = TypeVar("S", bound=Seat)
L = TypeVar("L", bound=LocalModelSeat)
Watched: TypeAlias = Callable[[ChatPort], ChatPort]
"""A port as it is used while a run watches its server."""


class PortInputs(NamedTuple):
    """Inputs of the functions that make ports.

    `pool` computes scripted replies, None: this process. `served` are addresses or sockets that replace the plan's, by
    seat. `limits` are shared by the seats of one server, by its address; a row puts there what it finds missing.
    `plan_folder`: where paths of the plan begin. `people`: None where the command serves no page for them.
    `requires_model`: the first reply of an endpoint must come from the plan's model. First contact saw to that before a
    run of processes was sealed; in containers it asks no model, and a gateway may use another name.
    """

    pool: Executor | None
    engine: Path | None
    wait: Wait
    served: Mapping[str, str]
    limits: dict[str, object]
    plan_folder: Path = Path()
    people: People | None = None
    requires_model: bool = False


class ContainerInputs(NamedTuple):
    """Inputs for planning containers."""

    manifest: Manifest
    run: Path
    plan_folder: Path
    machine: Machine

    def weights_bytes(self, name: str) -> int:
        """Size of a seat's sealed weights in bytes; 0 if they are not sealed yet."""
        pin = self.manifest.models.get(name)
        return pin.size_bytes if pin else 0


class NobodyAsked:
    """The survey of a seat in which no person sits: each question is left open."""

    def answer(self, question: Question) -> Answer:
        assert isinstance(question, Survey)
        return Surveyed()

    def restore(self, question: Question, recorded: Answer) -> None:
        pass

    def close(self) -> None:
        pass


class SeatKind(Generic[S]):
    """The row of one kind. Every method but `port` has a default for a kind that needs nothing of it."""

    def port(self, name: str, seat: S, inputs: PortInputs) -> ChatPort:
        """The port of a seat. Raises PortFault."""
        raise NotImplementedError

    def survey(self, name: str, inputs: PortInputs) -> Port:
        """The port that asks the person in a seat beside their games. Of no person: nobody is asked."""
        return NobodyAsked()

    def require(self, plan: Plan, engine: Path | None) -> None:
        """Raise PortFault where something is missing that all seats of the kind in `plan` need."""

    # --- before a plan is sealed

    def require_key(self, name: str, seat: S) -> None:
        """Raise PortFault if the seat's key is not in the environment."""

    def first_contact(self, name: str, seat: S) -> None:
        """Ask the seat's server as the plan says. Raises PortFault, and ManifestError with what to change."""

    def capabilities(self, name: str, seat: S) -> frozenset[str] | None:
        """What the seat's server says that its model can do; None where it does not say."""
        return None

    # --- containers

    def containers(self, seats: Mapping[str, S], inputs: ContainerInputs) -> Iterator[ContainerSpec]:
        """The containers that serve all playing seats of the kind."""
        yield from ()

    def served_at(self, name: str) -> str:
        """Socket or address of a seat's server, as the harness's container finds it; empty for the plan's own."""
        return ""

    def wait_until_ready(self, name: str, seat: S, wait: Wait) -> None:
        """Wait in the harness's container until the seat can be asked. Raises PortFault."""


class Witness(StrEnum):
    """Source of the digest of a seat's weights."""

    HASHED = "hashed here"
    SERVER = "the server's word"


class FoundWeights(NamedTuple):
    """The weights that were found, and who says so."""

    pin: ModelPin
    witness: Witness


class ModelServer(msgspec.Struct, frozen=True):
    """A server's kind and version, and the context that it gives each request, in tokens."""

    kind: str
    version: str
    context_tokens: int


class Serving(NamedTuple):
    """A server that was looked at, and how to have it load the model anew, where that is possible."""

    server: ModelServer
    reload: Callable[[], None] | None


class ServedHere(NamedTuple):
    """Sockets of servers that were started on this machine, by seat, and a wait that raises once one has ended."""

    sockets: Mapping[str, str]
    wait: Wait


class LocalModelKind(SeatKind[L]):
    """The row of a kind whose weights are pinned."""

    strict_settings: str
    """Advice for a server whose answers are not deterministic."""

    def weights(self, seat: L, plan_folder: Path, *, may_ask: bool) -> FoundWeights:
        """A seat's weights, and who says so: found here or, if we `may_ask` it, by its server. Raises ModelFault."""
        raise NotImplementedError

    def weights_given(self, seat: L, path: Path | None, address: str) -> FoundWeights:
        """Weights that whoever asks again gave: a path, an address or both. Raises ModelFault."""
        raise NotImplementedError

    def look_at(self, seat: L, address: str, pin: ModelPin | None) -> Serving:
        """The seat's server at an address or a socket. Raises ModelFault if it is not what the seat needs."""
        raise NotImplementedError

    def served_here(self, seats: Mapping[str, L], plan_folder: Path, wait: Wait) -> AbstractContextManager[ServedHere]:
        """Start what a run in processes needs on this machine to serve the seats. Raises PortFault."""
        return nullcontext(ServedHere({}, wait))

    def asked_before(
        self, manifest: Manifest, name: str, seat: L, plan_folder: Path, wait: Wait
    ) -> AbstractContextManager[str]:
        """Address or socket at which a seat's server is asked before a run; empty if the run alone can start it.

        Raises ModelFault, PortFault.
        """
        raise NotImplementedError

    def held(self, address: str) -> AbstractContextManager[None]:
        """Hold a server for a run. Raises ModelFault while it is being checked."""
        return nullcontext()

    def held_alone(self, address: str) -> AbstractContextManager[None]:
        """Lock a server for work that would disturb a run. Raises ModelFault while a run is asking it."""
        return nullcontext()

    def watched(self, manifest: Manifest, served: Mapping[str, str], notes: Path) -> AbstractContextManager[Watched]:
        """Watch the servers of all seats of the kind while a run is played, and write observations into `notes`."""
        return nullcontext(lambda port: port)

    def served_as_sealed(self, manifest: Manifest, name: str, seat: L, weights: Path) -> AbstractContextManager[str]:
        """The socket behind which the sealed image serves `weights`; of a run in processes, a server here.

        Raises ModelFault, PortFault.
        """
        raise NotImplementedError


def kind_of(seat: Seat) -> SeatKind[Any]:
    """The row of a seat's kind."""
    module = ROWS.get(seat.kind, SCRIPTED_ROW if isinstance(seat, ScriptedSeat) else "")
    if not module:
        raise TypeError(f"expected a row for seats of kind {seat.kind} in {__name__}.ROWS, found none")
    return _row(module)


def local_kind_of(seat: LocalModelSeat) -> LocalModelKind[Any]:
    """The row of a local model's kind."""
    kind = kind_of(seat)
    assert isinstance(kind, LocalModelKind), f"the row of {seat.kind} seats is not one of local models"
    return kind


def by_kind(seats: Mapping[str, S]) -> list[tuple[SeatKind[Any], dict[str, S]]]:
    """Rows with their seats, in the order of the kinds' names."""
    kinds = sorted({seat.kind: seat for seat in seats.values()}.items())
    return [
        (kind_of(example), {name: seat for name, seat in seats.items() if seat.kind == kind}) for kind, example in kinds
    ]


def local_by_kind(seats: Mapping[str, L]) -> list[tuple[LocalModelKind[Any], dict[str, L]]]:
    """As `by_kind`, of local models."""
    return [(local_kind_of(next(iter(of_kind.values()))), of_kind) for _, of_kind in by_kind(seats)]


@cache
def _row(module: str) -> SeatKind[Any]:
    row = import_module(f"{__package__}.seat_kinds.{module}").ROW
    assert isinstance(row, SeatKind)
    return row


if TYPE_CHECKING:
    from .adapters import retries
else:  # the clients take half a second to import
    retries = imported_at_first_use("agzamov_harness.adapters.retries")

MODEL_PERMILLE: Final = 900
"""Of the machine, at most: too large a model fails, and the machine does not."""

WEIGHTS_PERCENT, CONTEXT_TOKEN_BYTES, SERVER_BYTES = 125, 512 * 2**10, GIB
"""Default memory limit of a model's server: its weights and a quarter, 512 KiB for each token of each slot's context
(a model of 70 billion parameters keeps 320 KiB of keys and values in 16 bits), and 1 GiB for the server itself."""


def limits_of(inputs: PortInputs, address: str, concurrency: int, requests_per_minute: int = 0) -> "retries.CallLimits":
    """The limits of the server at `where`, which its seats share."""
    limits = inputs.limits.setdefault(address, retries.CallLimits(concurrency, requests_per_minute, time.monotonic_ns))
    assert isinstance(limits, retries.CallLimits)
    return limits


def memory_bytes(seats: Sequence[LocalModelSeat], weights_bytes: int, machine: Machine) -> int:
    """The memory of a model server: as the plan names it, or from weights and context; and most of the machine."""
    most = machine.memory_bytes * MODEL_PERMILLE // 1000
    if seats[0].memory_mib:
        return min(seats[0].memory_mib * MIB, most)
    context = sum(seat.context_tokens * seat.concurrency * CONTEXT_TOKEN_BYTES for seat in seats)
    return min(weights_bytes * WEIGHTS_PERCENT // 100 + context + SERVER_BYTES, most)
