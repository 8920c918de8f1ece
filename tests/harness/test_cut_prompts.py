"""A server that cuts prompts in silence is noticed by its counts; one that reads them whole never is."""

import json
import re
import time
from collections.abc import Callable, Iterator

import pytest

from agzamov_harness.adapters.context_length import CutPrompts
from agzamov_harness.adapters.endpoint import Endpoint
from agzamov_harness.models.preflight_requests import DICE
from agzamov_harness.ports import ChatRequest, PortFault
from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.questions import Chat, Evaluation, Message, Reply
from agzamov_verify.experiment.matches import Match
from agzamov_verify.games.chess.game import ChessMatch
from agzamov_verify.games.holdem.game import PokerMatch
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script
from agzamov_verify.seats import EndpointSeat
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.scripted_players import scripted_reply
from harness.http_peer import Exchange, Peer, says

Messages = tuple[Message, ...]
WORD = re.compile(r"[A-Za-z]{1,6}|[0-9]|\s+|[^\sA-Za-z0-9]")


def plan() -> Plan:
    return plan_from(
        {
            "title": "Cut",
            "chess960": {"adjudication": {"policy": "none"}},
            "seats": {"model": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}},
            "matches": [{"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 2}],
        }
    )


def asked(match: Match, count: int, questions: int) -> Iterator[Messages]:
    """The prompts of a match played at random."""
    script = block_script(StreamPlan("cut", match, 0, count), plan(), DICE)
    question = next(script)
    for _ in range(questions):
        if isinstance(question, Chat):
            yield question.messages
        try:
            played = scripted_reply("random", question.messages, question.seed) if isinstance(question, Chat) else ""
            question = script.send(Reply(text=played) if isinstance(question, Chat) else Evaluation(0, None))
        except StopIteration:
            return


def chess(questions: int = 150) -> list[Messages]:
    return list(asked(ChessMatch(a="model", b="model", phase=1, games=2), 2, questions))


def hands(questions: int = 150) -> list[Messages]:
    return list(asked(PokerMatch(a="model", b="model", phase=1, hands=100), 100, questions))


def tokens(text: str) -> int:
    return len(WORD.findall(text))


def whole(messages: Messages) -> int:
    """The count of a server that reads all of it."""
    return 8 + sum(tokens(message.content) for message in messages)


def cut_to(room: int) -> Callable[[Messages], int]:
    """The count of a server with a context of twice `room`, as Ollama's was measured: half of it is left."""
    return lambda messages: whole(messages) if whole(messages) < 2 * room else room + 2


def first_problem(prompts: list[Messages], count: Callable[[Messages], int]) -> str:
    watch = CutPrompts()
    return next(filter(None, (watch.problem(messages, count(messages)) for messages in prompts)), "")


@pytest.mark.parametrize("prompts", [chess(), hands(), chess() + hands()], ids=["chess", "poker", "both"])
def test_a_server_that_reads_all_is_never_suspected(prompts: list[Messages]) -> None:
    assert first_problem(prompts, whole) == ""


@pytest.mark.parametrize("room", [130, 160, 200])
def test_a_server_that_cuts_every_prompt_is_noticed(room: int) -> None:
    assert "cut" in first_problem(chess() + hands(), cut_to(room))


def test_a_cut_that_begins_in_the_midst_of_a_run_is_noticed_at_once() -> None:
    prompts = chess(40)
    watch = CutPrompts()
    assert not any(watch.problem(messages, whole(messages)) for messages in prompts)
    assert "before, a token stood for" in watch.problem(prompts[-1], whole(prompts[-1]) * 2 // 5)


def test_a_rejected_reply_of_any_sort_is_not_judged_by_the_seats_ratio() -> None:
    watch = CutPrompts()
    prompt = chess(1)[0]
    watch.problem(prompt, whole(prompt))
    talk = (*prompt, Message(" " * len(str(prompt)), "assistant"), Message("Rejected.", "user"))
    assert watch.problem(talk, whole(prompt) + 10) == ""


def test_a_server_that_cuts_silently_stops_the_run() -> None:
    def cutting(exchange: Exchange) -> None:
        body = json.loads(exchange.request_seen.body)
        told = tuple(Message(one["content"], one["role"]) for one in body["messages"])
        says("MOVE: e2e4", usage={"prompt_tokens": cut_to(160)(told), "completion_tokens": 5})(exchange)

    with Peer(then=cutting) as peer:
        seat = EndpointSeat(base_url=peer.url, model="m")
        endpoint = Endpoint("model", seat, {}, time.monotonic_ns, lambda _: None)
        with pytest.raises(PortFault, match="cut; give the server a larger context"):
            list(map(endpoint.complete, (ChatRequest(messages, 1) for messages in chess())))
        endpoint.close()
