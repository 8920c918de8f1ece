"""Findings of `agzamov models check` for each seat of local weights: the pin to seal, the preflight's measurements."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify.games.registry import GAMES
from agzamov_verify.manifest import FORMAT, Manifest, ModelPin, Plan
from agzamov_verify.plan_problems import local_models
from agzamov_verify.seats import Determinism, GgufSeat, LocalModelSeat, OllamaSeat

from .build_ports import Builder
from .models.determinism import Probing
from .models.ollama_api import Inventory
from .models.preflight import SeatOutcome, advice, difference, examine
from .models.weights import find
from .ports import ModelFault
from .seat_kind import Witness, local_kind_of

NANOSECONDS = 1_000_000_000
MODEL = "model"


class SeatCheck(msgspec.Struct, frozen=True):
    """One seat: the pin to seal and its source, the measurements, and the problem, if any."""

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
    game = next(iter(GAMES.values()))
    match = game.self_play(MODEL, game.unit_results(game.rules(), min(game.players)))
    return Plan("Check", {MODEL: seat}, (match,), isolation=isolation)


def check_plan(plan: Plan, folder: Path, served: Mapping[str, str]) -> Iterator[tuple[str, SeatCheck]]:
    """Check every local seat of `plan`; those of no known server are hashed alone."""
    for name, seat in local_models(plan).items():
        yield name, _check(plan, name, seat, folder, served.get(name) or _at_home(plan, seat))


def _at_home(plan: Plan, seat: LocalModelSeat) -> str:
    """Address at which a run of this plan would ask the seat's server; empty if the run itself starts that server."""
    return seat.server_url or "" if plan.isolation == "process" else ""


def _check(plan: Plan, name: str, seat: LocalModelSeat, folder: Path, address: str) -> SeatCheck:
    weights = outcome = None
    start = time.monotonic_ns()
    try:
        weights = find(seat, folder, may_ask=plan.isolation == "process")
        start = time.monotonic_ns()
        if address:
            with local_kind_of(seat).held_alone(address):
                outcome = _measure(plan, name, address, weights.pin)
        wrong = _wrong(seat, outcome) if outcome else ""
    except ModelFault as error:
        wrong = str(error)
    spent_ms = (time.monotonic_ns() - start) * 1000 // NANOSECONDS
    pin, witness = weights or (None, None)
    return SeatCheck(pin, witness, outcome, spent_ms if outcome else 0, wrong)


def _measure(plan: Plan, name: str, address: str, pin: ModelPin) -> SeatOutcome:
    builder = Builder(None, None, time.sleep, {name: address})
    port = builder.seat(name, plan.seats[name])
    try:
        assert isinstance(port, Probing), f"the port of {name} cannot be probed"
        return examine(_unsealed(plan, name, pin), name, port, address)
    finally:
        port.close()


def _unsealed(plan: Plan, name: str, pin: ModelPin) -> Manifest:
    """A manifest that names a pin and nothing else: it is never written anywhere."""
    nothing = "0" * 64
    return Manifest(FORMAT, plan, nothing, {}, None, nothing, nothing, nothing[:32], {}, {name: pin})


def _wrong(seat: LocalModelSeat, outcome: SeatOutcome) -> str:
    """Error message if a strict seat would be refused; else empty."""
    if outcome.determinism is not Determinism.STRICT:
        return ""
    bad = next((repeat for repeat in outcome.rounds if not repeat.same(outcome.requests)), None)
    return f"{difference(outcome, bad)}; {advice(seat)}" if bad else ""


def seat_lines(name: str, check: SeatCheck) -> Iterator[str]:
    """Lines with the findings of a check for one seat."""
    if not check.pin:
        yield f"{name}: cannot be sealed"
    else:
        yield f"{name}: would be sealed with sha256 {check.pin.sha256}, {check.pin.size_bytes} bytes ({check.witness})"
    outcome = check.outcome
    if outcome:
        server = outcome.server
        yield f"  server     {server.kind} {server.version}, context {server.context_tokens} tokens"
        for repeat in outcome.rounds:
            logprobs = (
                "" if repeat.logprobs_same is None else f", log probabilities {repeat.logprobs_same}/{outcome.requests}"
            )
            yield f"  {repeat.how:<16} texts {repeat.texts_same}/{outcome.requests}{logprobs}"
        yield f"  a prompt that does not fit is {outcome.overlong}"
        yield f"  preflight of {check.preflight_ms / 1000:.1f} s, determinism {outcome.determinism}"
    if check.wrong:
        yield f"  WRONG      {check.wrong}"
