"""Answers that a real Ollama server gave (0.33.0-rc2, recorded on 20 November 2026), played back to the endpoint seat.

Which lesson each teaches stands in facts/models.md, section 4, beside the recordings.
"""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.adapters.endpoint import Endpoint, parameters_of
from agzamov_harness.ports import ChatRequest, Completion, PortFault
from agzamov_verify.core.questions import Message, NoReply, Reply, Try
from agzamov_verify.seats import EndpointSeat
from agzamov_verify.table.declared import Fault, FaultKind, declared
from harness.http_peer import Exchange, Peer, Step, answers

RECORDED = Path(__file__).parents[3] / "shared" / "data" / "ollama"
pytestmark = pytest.mark.skipif(
    not RECORDED.is_dir(), reason="the recordings of a real Ollama server are not beside this repository"
)
Json = dict[str, Any]
REQUEST = ChatRequest((Message("You play chess.", "system"), Message("Your move?", "user")), 7)


def recording(number: int) -> Json:
    (path,) = RECORDED.glob(f"{number:02d}_*.json")
    found: Json = json.loads(path.read_text())
    return found


def plays_back(recorded: Json) -> Step:
    """The recorded status, headers and bytes."""
    headers = {name: value for name, value in recorded["headers"].items() if name != "Transfer-Encoding"}
    body = recorded["body_text"].encode()
    headers = {**headers, "Content-Length": str(len(body))}

    def step(exchange: Exchange) -> None:
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"HTTP/1.1 {recorded['status']} {recorded['reason']}\r\n{lines}\r\n"
        exchange.write(head.encode() + body)

    return step


def seat_at(url: str, **changes: Any) -> EndpointSeat:
    return EndpointSeat(
        **{"base_url": url, "model": "tiny-test:latest", "tokens_max": 12, "attempts_max": 1, **changes}
    )


def ask(seat: EndpointSeat, request: ChatRequest = REQUEST) -> Reply | NoReply:
    endpoint = Endpoint("model", seat, {}, lambda: 0, lambda _: None)
    try:
        return endpoint.complete(request)
    finally:
        endpoint.close()


def reply_to(number: int, **changes: Any) -> Completion:
    """What the seat makes of a recorded answer."""
    with Peer([plays_back(recording(number))]) as peer:
        answer = ask(seat_at(peer.url, **changes))
    assert isinstance(answer, Completion)
    return answer


def fault_of(number: int, **changes: Any) -> str:
    """How the seat stops at a recorded answer."""
    with Peer([plays_back(recording(number))]) as peer, pytest.raises(PortFault) as caught:
        ask(seat_at(peer.url, **changes))
    return str(caught.value).partition(": ")[2]


def test_we_ask_as_the_recorded_request_did() -> None:
    recorded = recording(11)
    with Peer([plays_back(recorded)]) as peer:
        ask(seat_at(peer.url))
    assert peer.requests[0].path == recorded["request"]["path"]
    assert peer.requests[0].json == recorded["request"]["body"]


def test_an_omitted_temperature_would_be_one_so_it_is_always_sent_where_accepted() -> None:
    assert parameters_of(seat_at(""))["temperature"] == 0.0


def test_a_plain_answer_keeps_babble_counts_and_the_cut() -> None:
    body = recording(11)["body_json"]
    answer = reply_to(11)
    assert answer == Completion(
        text=body["choices"][0]["message"]["content"],
        finish="length",
        fingerprint="fp_ollama",
        id="chatcmpl-242",
        model="tiny-test:latest",
        prompt_tokens=29,
        completion_tokens=12,
    )
    assert declared(answer, "MOVE:") == Fault(FaultKind.CUT, "the reply was cut off, and a cut reply declares nothing")


def test_the_same_request_again_gets_the_same_text_under_another_id() -> None:
    first, again = reply_to(11), reply_to(12)
    assert first.text == again.text
    assert first.id != again.id


def test_a_server_that_ignores_max_completion_tokens_is_found_out() -> None:
    """The recorder kept 1,500 characters of this answer; its count of tokens is the one that was measured."""
    recorded = recording(17)
    usage = '{"prompt_tokens":29,"completion_tokens":4050,"total_tokens":4079}'
    recorded["body_text"] += f'"}},"finish_reason":"length"}}],"usage":{usage}}}'
    seat = {"accepts": ("temperature", "seed", "max_completion_tokens"), "tokens_max": 5}
    with Peer([plays_back(recorded)]) as peer, pytest.raises(PortFault) as caught:
        ask(seat_at(peer.url, **seat))
    assert "asked for at most 5 tokens, got 4050: the server ignores max_completion_tokens" in str(caught.value)
    assert peer.requests[0].json["max_completion_tokens"] == recorded["request"]["body"]["max_completion_tokens"]


def test_of_two_wanted_choices_the_one_that_came_is_read() -> None:
    assert reply_to(19).text == reply_to(11).text


@pytest.mark.parametrize("number", [14, 20, 21, 24])
def test_answers_with_more_in_them_than_we_ask_for_are_read(number: int) -> None:
    recorded = recording(number)
    answer = reply_to(number, tokens_max=recorded["request"]["body"]["max_tokens"])
    assert answer.text == recorded["body_json"]["choices"][0]["message"]["content"]


def test_a_stream_that_nobody_asked_for_is_no_completion() -> None:
    assert "1 try failed with not_a_completion: HTTP 200 with " in fault_of(15)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (18, "HTTP 400: registry.ollama.ai/library/tiny-test:latest does not support tools; check"),
        (22, 'HTTP 400: "tiny-test:latest" does not support thinking; check'),
        (23, 'HTTP 400: "tiny-test:latest" does not support thinking; check'),
        (25, "HTTP 404: model 'nope' not found; check base_url, and that the server has the model tiny-test:latest"),
        (26, "HTTP 400: model is required; check the seat's model, accepts (temperature, seed, max_tokens)"),
        (27, "HTTP 400: unexpected EOF; check"),
        (28, "HTTP 400: EOF; check"),
        (29, "HTTP 400: [] is too short - 'messages'; check"),
        (30, "HTTP 400: invalid message content type: float64; check"),
        (31, "HTTP 400: top_logprobs must be between 0 and 20; check"),
        (41, "HTTP 404: model 'nope' not found; check"),
        (42, "HTTP 400: "),
        (34, "HTTP 501: This server does not support embeddings"),
        (48, "HTTP 404: no reason given, 18 bytes of text/plain to POST /v1/chat/completions; check base_url"),
        (49, "HTTP 405: no reason given, 22 bytes of text/plain to POST /v1/chat/completions; check base_url"),
    ],
)
def test_an_error_stops_the_run_at_once_in_the_servers_words(number: int, expected: str) -> None:
    assert expected in fault_of(number, attempts_max=6)


def test_a_prompt_that_does_not_fit_stops_the_run_and_names_the_context() -> None:
    said = fault_of(32, attempts_max=6)
    assert "request (36003 tokens) exceeds the available context size (1024 tokens)" in said


@pytest.mark.parametrize(("number", "kind"), [(44, "http_500"), (50, "http_500")])
def test_what_the_server_calls_its_own_error_is_tried_again(number: int, kind: str) -> None:
    with Peer([plays_back(recording(number)), plays_back(recording(11))]) as peer:
        answer = ask(seat_at(peer.url, attempts_max=2))
    (failed,) = answer.attempts
    assert isinstance(failed, Try)
    assert failed.kind == kind
    assert failed.detail


def test_a_prompt_that_was_silently_cut_stops_the_run() -> None:
    """Measured and told, but not recorded: 36,000 bytes at num_ctx 4096 were read as 2,050 tokens, with HTTP 200."""
    recorded = recording(11)
    body = {**recorded["body_json"], "usage": {"prompt_tokens": 2050, "completion_tokens": 12, "total_tokens": 2062}}
    request = ChatRequest((Message("position " * 4000, "user"),), 7)
    with (
        Peer([answers(body)]) as peer,
        pytest.raises(PortFault, match="36000 bytes was read as 2050 tokens: it was cut"),
    ):
        ask(seat_at(peer.url), request)


@pytest.mark.parametrize("number", [61, 64, 65])
def test_a_tool_call_instead_of_words_declares_nothing(number: int) -> None:
    answer = reply_to(number, tokens_max=64)
    assert (answer.text, answer.finish) == ("", "tool_calls")
    assert declared(answer, "MOVE:") == Fault(FaultKind.NO_ACTION, "no line starts with MOVE:")


@pytest.mark.parametrize("number", [1, 2, 3, 5, 37, 38, 40, 47])
def test_an_answer_of_another_route_is_no_completion(number: int) -> None:
    assert "1 try failed with not_a_completion" in fault_of(number)


@pytest.mark.slow
def test_no_recording_of_all_makes_more_than_a_fault() -> None:
    for path in RECORDED.glob("*.json"):
        recorded = json.loads(path.read_text())
        if "body_text" in recorded:
            with Peer([plays_back(recorded)]) as peer, contextlib.suppress(PortFault):
                ask(seat_at(peer.url, tokens_max=5000))
