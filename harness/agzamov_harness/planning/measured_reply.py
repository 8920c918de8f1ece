"""The time and the length of a model's reply, measured on the first prompt of a game before a plan is written."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from agzamov_verify.core.questions import Chat, Message, NoReply, Reply
from agzamov_verify.core.script import Exchanges
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script
from agzamov_verify.seats import LocalModelSeat, ModelSeat
from agzamov_verify.table.declared import FINISHED, spoken
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.scripted_players import random_answer

from ..ports import ChatPort, ChatRequest
from ..seat_kind import PortInputs, kind_of, local_kind_of
from .workload import SAMPLE_DICE

NAME: Final = "model"
CHARACTERS_PER_TOKEN: Final = 3
"""Of a reply whose server does not count its tokens."""
AT_LIMIT: Final = frozenset({"length", "max_tokens", "model_length"})
"""Finish reasons of a reply that a limit of tokens cut."""
LEAST_S: Final = Fraction(1, 1000)


class MeasuredReply(NamedTuple):
    """Seconds of one reply while `side_by_side` are asked for; its tokens; why it cannot be used, or empty."""

    seconds: Fraction
    tokens: int
    side_by_side: int
    unusable: str = ""


def first_prompt(plan: Plan) -> tuple[Message, ...]:
    """The messages of the first decision of a plan's first match."""
    script = block_script(StreamPlan("sample", plan.matches[0], 0, plan.matches[0].block_results), plan, SAMPLE_DICE)
    return next(question.messages for question, _ in Exchanges(script, random_answer) if isinstance(question, Chat))


def measured(seat: ModelSeat, plan_folder: Path, prompt: tuple[Message, ...]) -> MeasuredReply:
    """Ask once, which loads the model, then as often side by side as the seat allows. Raises PortFault, ModelFault."""
    seat = msgspec.structs.replace(seat, attempts_max=1)
    with _asked(seat, plan_folder) as port, ThreadPoolExecutor(seat.concurrency) as threads:
        port.complete(ChatRequest(prompt, 1))
        begun = time.perf_counter_ns()
        replies = list(threads.map(lambda seed: port.complete(ChatRequest(prompt, seed)), range(seat.concurrency)))
        took = Fraction(time.perf_counter_ns() - begun, 10**9)
    tokens = sum(map(_tokens, replies)) // len(replies)
    return MeasuredReply(max(took, LEAST_S), max(1, tokens), seat.concurrency, why_unusable(replies))


def why_unusable(replies: Sequence[Reply | NoReply]) -> str:
    """What is wrong with replies of which no action can be read, and what to change; empty where nothing is seen."""
    made = [reply for reply in replies if isinstance(reply, Reply)]
    cut = sorted({reply.finish.lower() for reply in made} - FINISHED)
    if AT_LIMIT.intersection(cut):
        return "a reply was cut, so it is unusable: raise --tokens-max"
    if cut:
        return f"a reply was cut, so it is unusable: its server ended it with finish reason {printable(cut[0])}"
    if replies and not made:
        reasons = {printable(reply.reason) for reply in replies if isinstance(reply, NoReply) and reply.reason}
        why = f" ({min(reasons)})" if reasons else ""
        return f"the server refused or filtered every reply{why}, so none is usable: choose another model or server"
    if made and not any(spoken(reply.text).strip() for reply in made):
        return (
            "no reply has words beside thoughts, so none is usable: have the server put the answer into `content`, or"
            " turn thinking off"
        )
    return ""


def _tokens(reply: Reply | NoReply) -> int:
    if isinstance(reply, NoReply):
        return 0
    return reply.completion_tokens or len(reply.text) // CHARACTERS_PER_TOKEN


@contextmanager
def _asked(seat: ModelSeat, plan_folder: Path) -> Iterator[ChatPort]:
    """The seat's port; of weights, with a server that is started for it."""
    if not isinstance(seat, LocalModelSeat):
        port = kind_of(seat).port(NAME, seat, PortInputs(None, None, time.sleep, {}, {}))
        try:
            yield port
        finally:
            port.close()
        return
    kind = local_kind_of(seat)
    with kind.served_here({NAME: seat}, plan_folder, time.sleep) as here:
        port = kind.port(NAME, seat, PortInputs(None, None, here.wait, here.sockets, {}))
        try:
            yield port
        finally:
            port.close()
