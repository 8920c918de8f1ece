"""The preflight of a run's local models: minutes before a plan is sealed that show whether their answers can count.

For each seat: the server is looked at, the determinism of its answers is measured with the protocol's own prompts (the
same in every run; one of each game is a long talk, which a server may compute by other kernels), and a prompt longer
than the context is sent: a server that truncates it silently makes every later answer worthless, so it is refused. What
came out stands in notes/preflight.json, one entry for each execution, and goes into the bundle; a strict seat whose
answers are no function of the request stops the run. A later start of the same server on the same machine is asked once
more, all at once, and must give the same texts.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify.core import canon
from agzamov_verify.core.questions import Message
from agzamov_verify.core.waiting import busy
from agzamov_verify.plan.manifest import Manifest, Plan
from agzamov_verify.plan.plan_problems import local_models
from agzamov_verify.seats import Determinism, LocalModelSeat

from ..adapters.completion import ServerAnswer
from ..adapters.retries import PromptTooLong
from ..foundation.append_only import write_whole
from ..foundation.program_and_machine import Cpu, this_cpu
from ..ports import ChatRequest, ModelFault, PortFault
from ..run.run_folder import PREFLIGHT
from ..seat_kind import ModelServer, Serving, local_kind_of
from .determinism import TOKENS_MAX, Probing, Round, Tell, at_once, counting, measure
from .preflight_requests import requests_of

SECONDS_MAX = 120.0
"""Of one seat's measurement, unless the least that shows anything takes longer."""
FILE = PREFLIGHT
SHORT_PART = 8


class Overlong(StrEnum):
    """Result of sending a prompt longer than the context."""

    REFUSED = "refused"
    READ_WHOLE = "read whole: the server's context is larger than the seat's"
    READ_IN_PART = "read in part, by the model's own template"


class SeatOutcome(msgspec.Struct, frozen=True):
    """Measurements of one seat. `answers_sha256` is over the texts, so that two executions can be compared."""

    server: ModelServer
    determinism: Determinism
    requests: int
    tokens_max: int
    rounds: tuple[Round, ...]
    answers_sha256: str
    overlong: Overlong

    @property
    def same(self) -> bool:
        """True if every round gave the answers of the first."""
        return all(repeat.same(self.requests) for repeat in self.rounds)


class PreflightExecution(msgspec.Struct, frozen=True):
    """One preflight: on which processor, and what came of each seat."""

    cpu: Cpu
    seats: dict[str, SeatOutcome]


class Preflights(msgspec.Struct, frozen=True):
    """notes/preflight.json: the findings of each execution; one that was refused leaves no trace."""

    executions: tuple[PreflightExecution, ...] = ()
    format: Literal["agz-preflight-1"] = "agz-preflight-1"

    def of(self, name: str, cpu: Cpu) -> SeatOutcome | None:
        """The first findings of a seat on a processor."""
        found = (execution.seats.get(name) for execution in self.executions if execution.cpu == cpu)
        return next(filter(None, found), None)


def run_preflight(
    manifest: Manifest, ports: Mapping[str, object], served: Mapping[str, str], notes: Path
) -> PreflightExecution | None:
    """Measure every local seat of `manifest` and note what passed. None where there are none. Raises ModelFault."""
    seats = local_models(manifest.plan)
    if not seats:
        return None
    before = read_notes(notes)
    outcomes: dict[str, SeatOutcome] = {}
    for name in seats:
        port = ports[name]
        assert isinstance(port, Probing), f"the port of {name} cannot be probed"
        address = served.get(name, seats[name].server_url or "")
        earlier = before.of(name, this_cpu())
        outcomes[name] = _once_more(manifest, name, port, address, earlier) or examine(manifest, name, port, address)
    execution = PreflightExecution(this_cpu(), outcomes)
    require_all(manifest.plan, execution, before)
    note(notes, execution)
    return execution


def require_all(plan: Plan, execution: PreflightExecution, before: Preflights) -> None:
    """Raises ModelFault where a strict seat's answers are no function of its requests, here or since an earlier one."""
    seats = local_models(plan)
    for name, outcome in execution.seats.items():
        require(name, seats[name], outcome, [old.seats[name] for old in before.executions if name in old.seats])


def note(notes: Path, execution: PreflightExecution) -> None:
    """Add the findings of an execution to those in the folder. Raises ModelFault."""
    write_whole(notes / FILE, canon.dumps(Preflights((*read_notes(notes).executions, execution))))


def read_notes(notes: Path) -> Preflights:
    """Read the findings of earlier executions of a run. Raises ModelFault for notes that were altered."""
    path = notes / FILE
    if not path.exists():
        return Preflights()
    try:
        return canon.loads_as(path.read_bytes(), Preflights)
    except canon.NotCanonical as error:
        raise ModelFault(f"{path}: expected what an earlier preflight noted: {error}") from error


def examine(
    manifest: Manifest, name: str, port: Probing, address: str, tell: Tell = lambda _answers, _seconds: None
) -> SeatOutcome:
    """Look at one seat's server and measure its answers. Raises ModelFault that begins with the seat's name."""
    seat = local_models(manifest.plan)[name]
    tokens_max = min(TOKENS_MAX, seat.tokens_max)
    with _named(name):
        serving = _looked_at(manifest, name, address)
        requests = requests_of(manifest.plan, name, port)
        measured = measure(port, requests, tokens_max, seat.concurrency, serving.reload, SECONDS_MAX, tell)
        overlong = probe_context(port, requests[-1], seat.context_tokens)
    digest, asked = _digest(measured.answers), len(measured.answers)
    return SeatOutcome(serving.server, seat.determinism, asked, tokens_max, measured.rounds, digest, overlong)


def _once_more(
    manifest: Manifest, name: str, port: Probing, address: str, earlier: SeatOutcome | None
) -> SeatOutcome | None:
    """The answers of a server that was measured before, all at once. None for one that was not. Raises ModelFault."""
    if not earlier:
        return None
    seat = local_models(manifest.plan)[name]
    with _named(name):
        if _looked_at(manifest, name, address).server != earlier.server:
            return None
        requests = requests_of(manifest.plan, name, port)[: earlier.requests]
        with busy("preflight", len(requests)) as stage:
            answers = at_once(counting(port, earlier.tokens_max, stage), requests, seat.concurrency)
    return msgspec.structs.replace(earlier, rounds=(), answers_sha256=_digest(answers))


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Let a fault begin with the seat's name."""
    try:
        yield
    except ModelFault as error:
        raise ModelFault(f"seat {name}: {error}") from error
    except PortFault as error:
        raise ModelFault(f"preflight: {error}") from error


def _looked_at(manifest: Manifest, name: str, address: str) -> Serving:
    seat = local_models(manifest.plan)[name]
    serving = local_kind_of(seat).look_at(seat, address, manifest.models.get(name))
    _require_context(address, serving.server.context_tokens, seat.context_tokens)
    return serving


def require(name: str, seat: LocalModelSeat, outcome: SeatOutcome, earlier: list[SeatOutcome]) -> None:
    """Raises ModelFault where a strict seat's answers are no function of its requests, here or since an earlier one."""
    if outcome.determinism is not Determinism.STRICT:
        return
    for repeat in outcome.rounds:
        if not repeat.same(outcome.requests):
            raise ModelFault(f"seat {name}: {difference(outcome, repeat)}; {advice(seat)}")
    if any(old.answers_sha256 != outcome.answers_sha256 for old in earlier):
        raise ModelFault(
            f"seat {name}: the answers differ from those at this run's start: another machine or server plays it now;"
            " resume the run where it began, or start a new run"
        )


def difference(outcome: SeatOutcome, repeat: Round) -> str:
    """Message for the difference between a round and the first."""
    logprobs = "" if repeat.logprobs_same is None else f", {repeat.logprobs_same} with the same log probabilities"
    return (
        f"expected the same answers {repeat.how}, found {repeat.texts_same} of {outcome.requests} the same{logprobs}"
        f" (largest difference {repeat.largest_difference})"
    )


def advice(seat: LocalModelSeat) -> str:
    """Advice for a server whose answers are not deterministic."""
    return f"{local_kind_of(seat).strict_settings}, or name determinism: measured in the plan"


def _require_context(address: str, actual: int, needed: int) -> None:
    if actual < needed:
        raise ModelFault(f"{address}: expected a context of {needed} tokens for each request, found {actual}")


def _digest(answers: Sequence[ServerAnswer]) -> str:
    texts = [[answer.text, answer.finish] for answer in answers]
    return hashlib.sha256(msgspec.json.encode(texts)).hexdigest()


def probe_context(port: Probing, request: ChatRequest, context_tokens: int) -> Overlong:
    """Send a prompt of more than `context_tokens` tokens. Raises ModelFault if the server cuts it in silence.

    A template may read only a part of any prompt. Then a shorter prompt that differs only in what is not read has the
    same count of tokens, which no cut can bring about.
    """
    try:
        long = port.probe(_longer(request, context_tokens), 1, 1).prompt_tokens
    except PromptTooLong:
        return Overlong.REFUSED
    if long > context_tokens:
        return Overlong.READ_WHOLE
    short = port.probe(_longer(request, context_tokens // SHORT_PART), 1, 1).prompt_tokens
    if short == long:
        return Overlong.READ_IN_PART
    raise ModelFault(
        f"a prompt of more than {context_tokens} tokens was read as {long}: the server cuts prompts in silence;"
        " serve the model with a version that knows truncate: false, or by llama.cpp"
    )


def _longer(request: ChatRequest, numbers: int) -> ChatRequest:
    """The same prompt with a long profile of the opponent. A number in words of its own is a token at the least."""
    *before, last = request.messages
    profile = " ".join(map(str, range(numbers)))
    return ChatRequest((*before, Message(f"{last.content}\nOpponent profile:\n{profile}", last.role)), request.seed)
