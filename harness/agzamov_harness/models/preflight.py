"""The preflight of a run's local models: seconds before the first question that show whether their answers can count.

For each seat: the server is looked at, the determinism of its answers is measured with the protocol's own prompts, and
a prompt longer than the context is sent. What came out stands in notes/preflight.json, one sitting for each time that
the run was played, and goes into the bundle; a strict seat whose answers are no function of the request stops the run.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify import canon
from agzamov_verify.feasible import local_models
from agzamov_verify.manifest import Manifest
from agzamov_verify.seats import Determinism, GgufSeat, LocalModelSeat, OllamaSeat

from ..ports import PortFault
from .determinism import TOKENS_MAX, Measured, Probing, Round, measure
from .faults import ModelFault
from .machine import Cpu, this_cpu
from .prompts import prompts_of
from .servers import Server, look_at
from .truncation import Overlong, probe_context

FILE = "preflight.json"
STRICT_SETTINGS = {
    "llama.cpp": (
        "serve it with flash attention off and a key-value cache of its own for each slot (kv_unified off);"
        " weights that are not quantised (F32, F16, BF16) need concurrency: 1 too"
    ),
    "ollama": ("start the server with OLLAMA_FLASH_ATTENTION=0 and take quantised weights (not F32, F16 or BF16)"),
}


class SeatOutcome(msgspec.Struct, frozen=True):
    """What was measured of one seat. `answers_sha256` is over the texts, so that two sittings can be compared."""

    server: Server
    determinism: Determinism
    requests: int
    tokens_max: int
    rounds: tuple[Round, ...]
    answers_sha256: str
    overlong: Overlong

    @property
    def same(self) -> bool:
        """Whether every round gave the answers of the first."""
        return all(one.same(self.requests) for one in self.rounds)


class Sitting(msgspec.Struct, frozen=True):
    """One preflight: on which processor, and what came of each seat."""

    cpu: Cpu
    seats: dict[str, SeatOutcome]


class Preflights(msgspec.Struct, frozen=True):
    """notes/preflight.json: what was found of each sitting that was played; one that was refused leaves no trace."""

    sittings: tuple[Sitting, ...] = ()
    format: Literal["agz-preflight-1"] = "agz-preflight-1"


def run_preflight(
    manifest: Manifest, ports: Mapping[str, object], served: Mapping[str, str], notes: Path
) -> Sitting | None:
    """Measure every local seat of `manifest` and note what passed. None where there are none. Raises ModelFault."""
    seats = local_models(manifest.plan)
    if not seats:
        return None
    before = read_notes(notes)
    outcomes: dict[str, SeatOutcome] = {}
    for name, seat in seats.items():
        port = ports[name]
        assert isinstance(port, Probing), f"the port of {name} cannot be probed"
        outcomes[name] = examine(manifest, name, port, served.get(name, address_of(seat)))
    for name, outcome in outcomes.items():
        require(name, outcome, [old.seats[name] for old in before.sittings if name in old.seats])
    sitting = Sitting(this_cpu(), outcomes)
    (notes / FILE).write_bytes(canon.dumps(Preflights((*before.sittings, sitting))))
    return sitting


def read_notes(notes: Path) -> Preflights:
    """What earlier sittings of a run found. Raises ModelFault for notes that were altered."""
    path = notes / FILE
    if not path.exists():
        return Preflights()
    try:
        return canon.loads_as(path.read_bytes(), Preflights)
    except canon.NotCanonical as error:
        raise ModelFault(f"{path}: expected what an earlier preflight noted: {error}") from error


def examine(manifest: Manifest, name: str, port: Probing, where: str) -> SeatOutcome:
    """Look at one seat's server and measure its answers. Raises ModelFault that begins with the seat's name."""
    seat = local_models(manifest.plan)[name]
    tokens_max = min(TOKENS_MAX, seat.tokens_max)
    try:
        serving = look_at(seat, where, manifest.models.get(name))
        requests = prompts_of(manifest.plan, name)
        measured = measure(port, requests, tokens_max, seat.concurrency, serving.reload)
        overlong = probe_context(port, requests[0], seat.context_tokens)
    except ModelFault as error:
        raise ModelFault(f"seat {name}: {error}") from error
    except PortFault as error:
        raise ModelFault(f"preflight: {error}") from error
    digest = _digest(measured)
    return SeatOutcome(serving.server, seat.determinism, len(requests), tokens_max, measured.rounds, digest, overlong)


def require(name: str, outcome: SeatOutcome, earlier: list[SeatOutcome]) -> None:
    """Raises ModelFault where a strict seat's answers are no function of its requests, here or since an earlier one."""
    if outcome.determinism is not Determinism.STRICT:
        return
    for one in outcome.rounds:
        if not one.same(outcome.requests):
            raise ModelFault(f"seat {name}: {difference(outcome, one)}; {advice(outcome.server.kind)}")
    if any(old.answers_sha256 != outcome.answers_sha256 for old in earlier):
        raise ModelFault(
            f"seat {name}: expected the answers of this run's earlier sitting, found others: another machine or server"
            " goes on with it; go on where it began, or start a new run"
        )


def difference(outcome: SeatOutcome, one: Round) -> str:
    """How a round differs from the first, in words."""
    logprobs = "" if one.logprobs_same is None else f", {one.logprobs_same} with the same log probabilities"
    return (
        f"expected the same answers {one.how}, found {one.texts_same} of {outcome.requests} the same{logprobs}"
        f" (largest difference {one.largest_difference})"
    )


def advice(kind: str) -> str:
    """What to do about a server whose answers are no function of the request."""
    return f"{STRICT_SETTINGS[kind]}, or name determinism: measured in the plan"


def address_of(seat: LocalModelSeat) -> str:
    """Where a plan says that a seat's model is served; empty for one that the run serves itself."""
    match seat:
        case OllamaSeat():
            return seat.base_url
        case GgufSeat():
            return ""


def _digest(measured: Measured) -> str:
    texts = [[answer.text, answer.finish] for answer in measured.answers]
    return hashlib.sha256(msgspec.json.encode(texts)).hexdigest()
