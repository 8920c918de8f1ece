"""What `agzamov models check` finds of each seat of local weights: what would be sealed, what a preflight measures."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify.feasible import local_models
from agzamov_verify.manifest import FORMAT, ChessMatch, Manifest, ModelPin, Plan
from agzamov_verify.seats import Determinism, GgufSeat, LocalModelSeat, OllamaSeat, RandomSeat

from ..world import Builder
from .determinism import Probing
from .faults import ModelFault
from .inventory import Inventory
from .pins import Witness, find
from .preflight import SeatOutcome, address_of, advice, difference, examine

NANOSECONDS = 1_000_000_000
MODEL = "model"


class SeatCheck(msgspec.Struct, frozen=True):
    """One seat: the pin that would be sealed and who says so, what was measured, and what is wrong, if anything is."""

    pin: ModelPin | None
    witness: Witness | None
    outcome: SeatOutcome | None
    preflight_ms: int
    wrong: str


def plan_of_model(model: str, base_url: str, store: str, context_tokens: int) -> Plan:
    """The least plan that plays `model` of an Ollama server, with the digest that it has now. Raises ModelFault."""
    with Inventory(base_url) as server:
        digest = server.model(model).digest
    seat = OllamaSeat(base_url=base_url, model=model, model_digest=digest, store=store)
    half = context_tokens // 2
    return _least(msgspec.structs.replace(seat, context_tokens=context_tokens, tokens_max=half), "process")


def plan_of_file(path: Path) -> Plan:
    """The least plan that plays a GGUF file."""
    return _least(GgufSeat(weights=str(path)), "container")


def _least(seat: LocalModelSeat, isolation: Literal["process", "container"]) -> Plan:
    match = ChessMatch(a=MODEL, b="random", phase=0, games=2)
    return Plan("Check", {MODEL: seat, "random": RandomSeat()}, (match,), isolation=isolation)


def check_plan(plan: Plan, folder: Path, served: Mapping[str, str]) -> Iterator[tuple[str, SeatCheck]]:
    """Check every local seat of `plan`; those of no known server are hashed alone."""
    for name, seat in local_models(plan).items():
        yield name, _check(plan, name, seat, folder, served.get(name) or _at_home(plan, seat))


def _at_home(plan: Plan, seat: LocalModelSeat) -> str:
    """Where a run of this plan would ask the seat's server; nowhere as long as a run has not started it."""
    return address_of(seat) if plan.isolation == "process" else ""


def _check(plan: Plan, name: str, seat: LocalModelSeat, folder: Path, where: str) -> SeatCheck:
    found = outcome = None
    start = time.monotonic_ns()
    try:
        found = find(seat, folder, may_ask=plan.isolation == "process")
        start = time.monotonic_ns()
        outcome = _measure(plan, name, where, found.pin) if where else None
        wrong = _wrong(outcome) if outcome else ""
    except ModelFault as error:
        wrong = str(error)
    spent_ms = (time.monotonic_ns() - start) * 1000 // NANOSECONDS
    pin, witness = found or (None, None)
    return SeatCheck(pin, witness, outcome, spent_ms if outcome else 0, wrong)


def _measure(plan: Plan, name: str, where: str, pin: ModelPin) -> SeatOutcome:
    builder = Builder(None, None, time.sleep, {name: where})
    port = builder.seat(name, plan.seats[name])
    try:
        assert isinstance(port, Probing), f"the port of {name} cannot be probed"
        return examine(_unsealed(plan, name, pin), name, port, where)
    finally:
        port.close()


def _unsealed(plan: Plan, name: str, pin: ModelPin) -> Manifest:
    """A manifest that names a pin and nothing else: it is never written anywhere."""
    nothing = "0" * 64
    return Manifest(FORMAT, plan, nothing, {}, None, nothing, nothing, nothing[:32], {}, {name: pin})


def _wrong(outcome: SeatOutcome) -> str:
    """Why a strict seat would be refused; empty if it would not."""
    if outcome.determinism is not Determinism.STRICT:
        return ""
    bad = next((one for one in outcome.rounds if not one.same(outcome.requests)), None)
    return f"{difference(outcome, bad)}; {advice(outcome.server.kind)}" if bad else ""
