"""The seat of a GGUF file in the world of a run: what llama.cpp is asked, where, and what stops the run."""

from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.adapters.retries import PromptTooLong
from agzamov_harness.build_ports import concurrency_of, open_world
from agzamov_harness.ports import PortFault
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.seal import seal
from agzamov_verify.core.questions import Chat, Message, Reply
from agzamov_verify.plan.manifest import Manifest, ModelPin
from harness.http_peer import Peer, Step, answers, says, status
from models.conftest import Babbler
from models.live import strict

STREAM = "p1-chess960-naked-model-b00000"
QUESTION = Chat(0, "g", (Message("You babble.", "system"), Message("Your move?", "user")), 7, "model", 0)


def sealed(**seat: Any) -> Manifest:
    plan = plan_from(
        {
            "title": "GGUF",
            "isolation": "container",
            "chess960": {"adjudication": {"policy": "none"}},
            "seats": {"model": {"kind": "gguf", "weights": "x.gguf", "tokens_max": 5, "concurrency": 3, **seat}},
            "matches": [{"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 2}],
        }
    )
    return seal(plan, "0" * 64, None, models={"model": ModelPin("0" * 64, 1)})[0]


def ask(manifest: Manifest, where: str, question: Chat = QUESTION) -> Reply:
    with open_world(manifest, None, lambda _: None, {"model": where}) as ports, ports.open(STREAM) as world:
        answer = world(question)
    assert isinstance(answer, Reply)
    return answer


def fault_of(step: Step, **seat: Any) -> str:
    with Peer([step]) as peer, pytest.raises(PortFault) as caught:
        ask(sealed(**seat), peer.url)
    return str(caught.value)


@pytest.mark.parametrize(("determinism", "cache"), [("strict", False), ("measured", True)])
def test_everything_that_decides_an_answer_is_asked_for(determinism: str, cache: bool) -> None:
    with Peer([says("x")]) as peer:
        ask(sealed(temperature="0.5", top_p="0.9", determinism=determinism), peer.url)
    (request,) = peer.requests
    assert {key: value for key, value in request.json.items() if key != "messages"} == {
        "model": "model",
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "max_tokens": 5,
        "cache_prompt": cache,
        "top_k": 40,
        "min_p": 0.0,
        "repeat_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        **({} if cache else {"chat_template_kwargs": {"date_string": "26 Jul 2024"}}),
    }


def test_as_many_streams_are_played_as_the_server_has_slots() -> None:
    assert concurrency_of(sealed().plan) == 3


def test_a_live_server_is_reached_over_its_socket_whatever_the_environments_proxy(
    babbler: Babbler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with strict(babbler.gguf, tmp_path / "m.sock", slots=3) as socket:
        answer = ask(sealed(), socket)
        long = Chat(0, "g", (Message("word " * 4096, "user"),), 7, "model", 0)
        with pytest.raises(PromptTooLong, match="exceeds the available context size"):
            ask(sealed(), socket, long)
    assert (answer.model, answer.completion_tokens, answer.finish) == ("model", 5, "length")


def test_a_seat_whose_weights_nobody_serves_is_a_fault() -> None:
    with pytest.raises(PortFault, match="seat model: no server has its weights"), open_world(sealed(), None):
        pass


def test_an_answer_that_the_context_ended_stops_the_run() -> None:
    cut = says("x", finish="length", usage={"prompt_tokens": 4093, "completion_tokens": 3})
    assert "the context of 4096 tokens ended an answer after 3 of 5 tokens" in fault_of(cut)


def test_a_server_with_another_context_is_found_by_its_counts() -> None:
    shifted = says("x", usage={"prompt_tokens": 5000, "completion_tokens": 5})
    assert "took 5005 tokens, more than the seat's context of 4096" in fault_of(shifted)


def test_a_context_is_rounded_up_as_llama_does() -> None:
    full = says("x", usage={"prompt_tokens": 1020, "completion_tokens": 5})
    with Peer([full]) as peer:
        assert ask(sealed(context_tokens=1000), peer.url).prompt_tokens == 1020


def test_a_template_that_reads_part_of_a_prompt_is_not_taken_for_a_cut() -> None:
    long = Chat(0, "g", (Message("word " * 1000, "user"),), 7, "model", 0)
    with Peer([says("x", usage={"prompt_tokens": 53, "completion_tokens": 4})]) as peer:
        assert ask(sealed(), peer.url, long).prompt_tokens == 53


def test_a_faltering_server_is_tried_again() -> None:
    with Peer([status(503), says("x")]) as peer:
        assert len(ask(sealed(attempts_max=2), peer.url).attempts) == 1


def test_a_server_that_is_none_stops_the_run() -> None:
    assert "1 try failed with not_a_completion" in fault_of(answers({}), attempts_max=1)
