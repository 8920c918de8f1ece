"""The seat over Ollama's own /api/chat: what it sends, what it makes of recorded answers, and when it stops the run."""

from typing import Any

import pytest

from agzamov_harness.adapters.ollama_chat import Ollama
from agzamov_harness.adapters.retries import PromptTooLong
from agzamov_harness.ports import ChatRequest, Completion, PortFault
from agzamov_verify.core.questions import Message, Reply
from agzamov_verify.seats import OllamaSeat
from harness.http_peer import Peer, Step, answers, drops, hangs, status
from models.recorded import MODEL, changed, plays_back, recording

REQUEST = ChatRequest((Message("You play chess.", "system"), Message("Your move?", "user")), 7)


def seat_at(peer: Peer, **changes: Any) -> Ollama:
    wanted = {"model": MODEL, "tokens_max": 6, "attempts_max": 2, "timeout_s": 120, **changes}
    seat = OllamaSeat(base_url=peer.url.removesuffix("/v1"), **wanted)
    return Ollama("model", seat, lambda: 0, lambda _: None)


def answer_to(*script: Step, **changes: Any) -> Reply:
    with Peer(script) as peer:
        seat = seat_at(peer, **changes)
        answer = seat.complete(REQUEST)
        seat.close()
    assert isinstance(answer, Reply)
    return answer


def fault_of(*script: Step, **changes: Any) -> str:
    with Peer(script) as peer, pytest.raises(PortFault) as caught:
        seat_at(peer, **changes).complete(REQUEST)
    return str(caught.value).partition(": ")[2]


def test_the_request_is_the_recorded_one_and_names_everything_that_decides_an_answer() -> None:
    recorded = recording(37)
    with Peer([plays_back(recorded)]) as peer:
        seat_at(peer, threads=3, context_tokens=1024, top_p="0.5").complete(REQUEST)
    (sent,) = peer.requests
    assert sent.path == recorded["request"]["path"]
    body = dict(sent.json)
    options = body.pop("options")
    wanted = dict(recorded["request"]["body"])
    recorded_options = wanted.pop("options")
    assert body == {**wanted, "truncate": False, "shift": False}
    assert options == {
        **recorded_options,
        "num_ctx": 1024,
        "num_thread": 3,
        "top_p": 0.5,
        "top_k": 40,
        "min_p": 0.0,
        "repeat_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
    }


def test_a_recorded_answer_becomes_a_reply_with_its_counts() -> None:
    body = recording(37)["body_json"]
    assert answer_to(plays_back(recording(37))) == Completion(
        text=body["message"]["content"],
        finish="length",
        model=MODEL,
        prompt_tokens=29,
        completion_tokens=6,
    )


def test_a_probe_shows_the_recorded_log_probabilities() -> None:
    with Peer([plays_back(recording(39))]) as peer:
        said = seat_at(peer).probe(REQUEST, 2, 2)
    (sent,) = peer.requests
    assert (sent.json["logprobs"], sent.json["top_logprobs"], sent.json["options"]["num_predict"]) == (True, 2, 2)
    first, second = said.tokens
    assert (first.piece, first.logprob) == ("\ufffd".encode(), -1.5412007570266724)
    assert second.likeliest[1] == (b"c", -3.088287115097046)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (41, f"HTTP 404: model 'nope' not found; check base_url, and that the server has the model {MODEL}"),
        (42, "HTTP 400: "),
    ],
)
def test_an_error_stops_the_run_at_once_in_the_servers_words(number: int, expected: str) -> None:
    assert expected in fault_of(plays_back(recording(number)))


def test_what_the_server_calls_its_own_error_is_tried_again_and_kept() -> None:
    answer = answer_to(plays_back(recording(44)), plays_back(recording(37)))
    (failed,) = answer.attempts
    assert (failed.kind, failed.detail) == ("http_500", 'option "temperature" must be of type float32')


@pytest.mark.parametrize("step", [drops, status(503), plays_back(recording(3)), answers(b"<html>"), answers([1])])
def test_a_faltering_server_is_tried_again(step: Step) -> None:
    answer = answer_to(step, plays_back(recording(37)))
    assert len(answer.attempts) == 1


def test_a_server_that_hangs_times_out() -> None:
    assert "1 try failed with timeout: no answer in 1 s" in fault_of(hangs, attempts_max=1, timeout_s=1)


def test_a_prompt_that_does_not_fit_is_a_fault_of_the_run_that_says_what_to_do() -> None:
    """The words that llama.cpp gives Ollama, as recorded on the other route (32) and measured on this one."""
    words = "request (36003 tokens) exceeds the available context size (1024 tokens), try increasing it"
    with Peer([answers({"error": words}, 400)]) as peer, pytest.raises(PromptTooLong) as caught:
        seat_at(peer).complete(REQUEST)
    assert str(caught.value).endswith(f"{words}; a prompt that does not fit needs a larger context_tokens")


def test_an_answer_that_the_context_ended_is_no_answer_of_the_models() -> None:
    said = fault_of(changed(recording(37), eval_count=5))
    assert "the context of 4096 tokens ended an answer after 5 of 6 tokens; give the seat a larger" in said


def test_an_answer_that_shifted_out_of_its_context_is_found_by_its_counts() -> None:
    """Measured: 4,050 tokens at num_ctx 1024, by context shift."""
    said = fault_of(changed(recording(37), eval_count=4050, done_reason="stop"), tokens_max=5000, context_tokens=1024)
    assert "prompt and answer took 4079 tokens, more than the seat's context of 1024" in said


def test_a_server_that_ignores_the_token_limit_stops_the_run() -> None:
    assert "asked for at most 6 tokens, got 7: the server ignores num_predict" in fault_of(
        changed(recording(37), eval_count=7)
    )


def test_an_answer_of_a_cloud_model_is_none() -> None:
    step = changed(recording(37), remote_host="https://ollama.com:443", remote_model="tiny-test")
    assert "2 tries failed, the last with not_a_completion" in fault_of(step, step)


@pytest.mark.parametrize("change", [{"error": "model runner has stopped"}, {"done_reason": "error"}])
def test_a_servers_own_error_is_no_answer(change: dict[str, str]) -> None:
    step = changed(recording(37), **change)
    told = "an error of the server's own" + (f": {change['error']}" if "error" in change else "")
    assert told in fault_of(step, step)


def test_a_stream_that_is_not_done_is_no_answer() -> None:
    step = changed(recording(37), done=False)
    assert "not_a_completion" in fault_of(step, step)


def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert answer_to(plays_back(recording(37))).completion_tokens == 6


@pytest.mark.parametrize("value", ["1" + "0" * 400, '"high"', "true", "null", "[]", "NaN"])
def test_a_log_probability_that_is_no_number_is_none(value: str) -> None:
    body = recording(39)["body_text"].replace("-1.5412007570266724", value)
    with Peer([plays_back(recording(39), body.encode())]) as peer:
        said = seat_at(peer).probe(REQUEST, 2, 2)
    assert not said.tokens[0].logprob > -1e300
