"""The endpoint seat against a scripted server that speaks the wire format, well and badly."""

import copy
import gzip
import itertools
import json
import os
import re
import socket
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any

import msgspec
import pytest
import yaml

from agzamov_harness.adapters import http_transport
from agzamov_harness.adapters import retries as adapter
from agzamov_harness.adapters.endpoint import Door, Endpoint
from agzamov_harness.adapters.retries import DETAIL_CHARACTERS_MAX, retry_after_s
from agzamov_harness.ports import ChatRequest, Completion, PortFault, Wait
from agzamov_harness.reference_server import chat_server
from agzamov_harness.run import signing_keys
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.journal import GENESIS, VERSION, Chain, Entry, asked, encode
from agzamov_verify.core.questions import TOKENS_MAX, Chat, Message, NoReply, Reply, Try
from agzamov_verify.scoring.call_records import WORD_CHARACTERS_MAX
from agzamov_verify.seats import EndpointSeat
from harness.http_peer import (
    RELEASE_S,
    Exchange,
    Peer,
    Step,
    answers,
    completion,
    drips,
    drops,
    hangs,
    resets,
    response,
    says,
    sends,
    slowly,
    status,
)

AGZAMOV = Path(sys.executable).with_name("agzamov")
KEY = "sk-planted/0123456789+abcdefghijklmnopqrstuvwxyz"
KEY_PREFIX = KEY[:12]
REQUEST = ChatRequest((Message("You play chess.", "system"), Message("Your move?", "user")), 7)
GOOD = Completion(
    text="MOVE: e2e4",
    finish="stop",
    model="m",
    fingerprint="fp",
    id="chatcmpl-1",
    prompt_tokens=30,
    completion_tokens=5,
    cached_tokens=3,
    reasoning_tokens=2,
)
Answer = Reply | NoReply


def endpoint_of(
    url: str, wait: Wait = lambda _: None, environment: dict[str, str] | None = None, **seat: Any
) -> Endpoint:
    made = EndpointSeat(**{"base_url": url, "model": "m", "attempts_max": 3, "timeout_s": 300, **seat})
    return Endpoint("model", made, environment or {}, time.monotonic_ns, wait)


def ask(peer: Peer, request: ChatRequest = REQUEST, **how: Any) -> Answer:
    """One question to a new endpoint seat."""
    endpoint = endpoint_of(peer.url, **how)
    try:
        return endpoint.complete(request)
    finally:
        endpoint.close()


def answer_to(*script: Step, **how: Any) -> Answer:
    """What comes of a scripted server."""
    with Peer(script) as peer:
        return ask(peer, **how)


def fault_of(*script: Step, **how: Any) -> str:
    """The message of the fault that a scripted server makes."""
    with Peer(script) as peer, pytest.raises(PortFault) as caught:
        ask(peer, **how)
    return str(caught.value)


def tries_before_an_answer(first: Step, timeout_s: float) -> list[Try]:
    """The failed tries of a seat whose server treats the first one so, and answers every other.

    A machine that stands still may let an answer be late too: then there are more tries, and all have timed out.
    """
    with Peer([first], then=says("MOVE: e2e4")) as peer:
        answer = ask(peer, timeout_s=timeout_s, attempts_max=99)
    assert answer == msgspec.structs.replace(GOOD, attempts=answer.attempts)
    assert answer.attempts
    return list(answer.attempts)


def in_a_journal(answer: Answer) -> bytes:
    """The journal line of an answer, after reading it back as a verifier does."""
    question = Chat(0, "g", REQUEST.messages, 7, "model", 0)
    answer = answer.reply if isinstance(answer, Completion) else answer
    line = encode(Entry(answer, GENESIS, asked(question), "r", 0, "s", VERSION))
    (entry,) = Chain("r", "s").read_all((line + b"\n").splitlines())
    assert entry.answer == answer
    return line


# --- what is sent --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accepts", "expected"),
    [
        ((), {}),
        (("temperature",), {"temperature": 0.3}),
        (("seed", "max_tokens"), {"seed": 7, "max_tokens": 64}),
        (("max_completion_tokens",), {"max_completion_tokens": 64}),
        (("top_p", "temperature", "seed"), {"top_p": 0.9, "temperature": 0.3, "seed": 7}),
    ],
)
def test_only_parameters_that_the_seat_accepts_are_sent(accepts: tuple[str, ...], expected: dict[str, object]) -> None:
    with Peer([says("x")]) as peer:
        ask(peer, accepts=accepts, temperature="0.3", top_p="0.9", tokens_max=64)
    (request,) = peer.requests
    messages = [{"role": "system", "content": "You play chess."}, {"role": "user", "content": "Your move?"}]
    assert request.json == {"model": "m", "messages": messages, **expected}
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")


def test_a_prompt_arrives_byte_for_byte() -> None:
    odd = '\x00\x01 é 漢 \U0001f600 \u2028 <|im_end|> \\u0041 "quoted"\r\n\t'
    with Peer([says("x")]) as peer:
        ask(peer, ChatRequest((Message(odd, "user"),), 0))
    assert peer.requests[0].json["messages"][0]["content"] == odd


AMBIENT = {
    "OPENAI_API_KEY": "sk-ambient",
    "OPENAI_ADMIN_KEY": "sk-ambient",
    "OPENAI_ORG_ID": "org-ambient",
    "OPENAI_PROJECT_ID": "proj-ambient",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer sk-ambient",
}


def test_the_key_is_sent_and_nothing_else_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in AMBIENT.items():
        monkeypatch.setenv(name, value)
    with Peer([says("x"), says("x")]) as peer:
        ask(peer, api_key_env="K", environment={"K": f" {KEY}\n"})
        ask(peer)
    assert [request.headers["authorization"] for request in peer.requests] == [f"Bearer {KEY}", "Bearer none"]
    assert "ambient" not in str(peer.requests)


@pytest.mark.parametrize("environment", [{}, {"K": ""}, {"K": " \n"}])
def test_a_missing_key_is_named_before_anything_is_sent(environment: dict[str, str]) -> None:
    with Peer() as peer, pytest.raises(PortFault, match="seat model: the environment variable K holds no key; set it"):
        ask(peer, api_key_env="K", environment=environment)


@pytest.mark.parametrize("key", [f"{KEY}\r\nX-Evil: 1", f"{KEY}é", f"{KEY} {KEY}", f"\x00{KEY}"])
def test_a_key_that_no_header_can_carry_is_refused_without_printing_it(key: str) -> None:
    with Peer() as peer, pytest.raises(PortFault, match="printable ASCII in K") as caught:
        ask(peer, api_key_env="K", environment={"K": key})
    assert KEY_PREFIX not in str(caught.value)


# --- what comes back -----------------------------------------------------------------------------


def test_a_reply_keeps_what_the_server_reports() -> None:
    assert answer_to(says("MOVE: e2e4")) == GOOD


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, ""),
        ("", ""),
        (5, ""),
        ({"text": "x"}, ""),
        ([{"type": "text", "text": "MOVE: "}, {"type": "image"}, 5, {"type": "text", "text": "e2e4"}], "MOVE: e2e4"),
    ],
)
def test_content_that_is_no_text_says_nothing_and_parts_are_joined(content: object, expected: str) -> None:
    answer = answer_to(says(content))
    assert isinstance(answer, Reply)
    assert answer.text == expected


def message_step(finish: object, message: object) -> Step:
    return answers(completion(choices=[{"index": 0, "finish_reason": finish, "message": message}]))


@pytest.mark.parametrize(
    ("finish", "message", "reason"),
    [
        ("content_filter", {"content": None}, "content_filter"),
        ("content_filter", {"content": ""}, "content_filter"),
        ("stop", {"content": None, "refusal": "I will not."}, "I will not."),
        ("content_filter", {"content": "", "refusal": "Not\nthis."}, "Not this."),
    ],
)
def test_a_refusal_or_a_filter_is_the_models_own_answer(finish: object, message: object, reason: str) -> None:
    assert answer_to(message_step(finish, message)) == NoReply(reason=reason)


def of_choice(**changes: object) -> dict[str, Any]:
    """A completion whose choice has other fields; as servers in trouble send it, it counts no token."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ""}, **changes}
    return {"id": "x", "choices": [choice], "usage": {"prompt_tokens": 0, "completion_tokens": 0}}


THOUGHT_ONLY = {"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 9}}
UPSTREAM = {"code": 502, "message": "Upstream overloaded"}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (of_choice(error=UPSTREAM, finish_reason="error"), "an error of the server's own: Upstream overloaded"),
        (of_choice(error=UPSTREAM), "an error of the server's own: Upstream overloaded"),
        (of_choice(finish_reason="error"), "an error of the server's own"),
        (of_choice(finish_reason="Error", message={"content": "MOVE: e2e4"}), "an error of the server's own"),
        (of_choice(finish_reason="abort", message={"content": "MOVE: e2"}), "broke off itself, finish reason abort"),
        (of_choice(finish_reason="Load"), "broke off itself, finish reason load"),
        ({**of_choice(finish_reason=None), "error": UPSTREAM}, "an error of the server's own: Upstream overloaded"),
        ({**completion(), "error": UPSTREAM}, "an error of the server's own: Upstream overloaded"),
        (of_choice(message={"error": "Upstream overloaded"}), "an error of the server's own: Upstream overloaded"),
        ({"choices": [{"message": {}}]}, "a message with nothing in it"),
        (of_choice(message={"content": None, "refusal": None, "tool_calls": []}), "a message with nothing in it"),
        (of_choice(message={"role": "assistant", "content": 5}), "a message with nothing in it"),
    ],
)
def test_a_servers_own_error_is_no_reply_of_the_model(body: object, told: str) -> None:
    """With status 200 it was scored as a reply that declares nothing."""
    answer = answer_to(answers(body), says("MOVE: e2e4"))
    (failed,) = answer.attempts
    assert failed.kind == "not_a_completion"
    assert failed.detail.endswith(told) or f"{told}: no content" in failed.detail
    assert answer == msgspec.structs.replace(GOOD, attempts=(failed,))
    assert "3 tries failed" in fault_of(*[answers(body)] * 3)


@pytest.mark.parametrize(
    ("body", "finish"),
    [
        (of_choice(), "stop"),
        ({**of_choice(error=None), "error": None}, "stop"),
        (of_choice(message={"content": []}), "stop"),
        (of_choice(message={"content": None, "reasoning_content": "Hm"}), "stop"),
        (of_choice(message={"content": None, "reasoning": "Hm"}), "stop"),
        (of_choice(message={}, finish_reason="length"), "length"),
        ({**of_choice(message={}), "usage": THOUGHT_ONLY}, "stop"),
    ],
)
def test_an_empty_reply_of_the_model_is_a_reply(body: object, finish: str) -> None:
    answer = answer_to(answers(body))
    assert isinstance(answer, Reply)
    assert (answer.text, answer.finish, answer.attempts) == ("", finish, ())


def test_an_error_repeats_no_key_and_stays_short() -> None:
    told = KEY + " \x1b[31m" + "x" * 5000
    (failed,) = answer_to(
        answers(of_choice(error={"message": told})),
        says("x"),
        environment={"K": KEY},
        api_key_env="K",
    ).attempts
    assert KEY_PREFIX not in failed.detail
    assert "[key]" in failed.detail
    assert "\x1b" not in failed.detail
    assert len(failed.detail) < adapter.DETAIL_CHARACTERS_MAX


def test_a_filter_that_left_text_is_a_reply() -> None:
    answer = answer_to(message_step("content_filter", {"content": "MOVE: e2e4"}))
    assert isinstance(answer, Reply)
    assert (answer.text, answer.finish) == ("MOVE: e2e4", "content_filter")


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (None, (0, 0, 0, 0)),
        ("weird", (0, 0, 0, 0)),
        ([], (0, 0, 0, 0)),
        ({}, (0, 0, 0, 0)),
        ({"prompt_tokens": 30, "completion_tokens": 5}, (30, 0, 5, 0)),
        ({"prompt_tokens": -1, "completion_tokens": -5}, (0, 0, 0, 0)),
        ({"prompt_tokens": "30", "completion_tokens": 5.0}, (0, 0, 0, 0)),
        ({"prompt_tokens": True, "completion_tokens": TOKENS_MAX + 1}, (0, 0, 0, 0)),
        ({"prompt_tokens": TOKENS_MAX, "completion_tokens": 0}, (TOKENS_MAX, 0, 0, 0)),
        ({"prompt_tokens": 30, "prompt_tokens_details": None, "completion_tokens_details": 3}, (30, 0, 0, 0)),
        ({"prompt_tokens": 30, "prompt_tokens_details": {"cached_tokens": 9}}, (30, 9, 0, 0)),
        ({"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 8}}, (0, 0, 9, 8)),
        ({"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 10}}, (0, 0, 9, 0)),
        (  # thoughts in the total alone, as Google's models have it
            {
                "prompt_tokens": 100,
                "completion_tokens": 5,
                "total_tokens": 705,
                "completion_tokens_details": {"reasoning_tokens": 600},
            },
            (100, 0, 605, 600),
        ),
        ({"prompt_tokens": 30, "prompt_tokens_details": {"cached_tokens": 31}}, (30, 0, 0, 0)),
    ],
)
def test_usage_counts_only_sensible_numbers(usage: object, counts: tuple[int, ...]) -> None:
    answer = answer_to(says("x", usage=usage))
    assert isinstance(answer, Reply)
    found = (answer.prompt_tokens, answer.cached_tokens, answer.completion_tokens, answer.reasoning_tokens)
    assert counts == found
    in_a_journal(answer)


def test_control_characters_stay_in_a_reply_and_lone_surrogates_cannot() -> None:
    text = "\x00\x01\x1f\x7f\x85 \u2028\u2029 \r\n\t \ufeff \U0010ffff MOVE: e2e4"
    answer = answer_to(answers(json.dumps(completion(text + "\ud800\udc00\udfff")).encode()))
    assert isinstance(answer, Reply)
    assert answer.text == text + "\U00010000?"
    assert b"\n" not in in_a_journal(answer)


def test_bytes_that_are_no_utf8_become_replacement_characters() -> None:
    body = json.dumps(completion("MOVE: @@")).encode().replace(b"@@", b"\xff\xc3")
    answer = answer_to(answers(body))
    assert isinstance(answer, Reply)
    assert answer.text == "MOVE: \ufffd\ufffd"


def test_a_reply_of_a_megabyte_is_cut_and_says_so() -> None:
    """Six megabytes as JSON writes them."""
    answer = answer_to(says("\x01" * 1_000_000))
    assert isinstance(answer, Reply)
    assert (len(answer.text), answer.finish) == (adapter.REPLY_CHARACTERS_MAX, "length")
    assert len(in_a_journal(answer)) < 2**20


def test_texts_beside_the_reply_are_cut_to_one_printable_line() -> None:
    answer = answer_to(says("x", model="a\n\x1b[31mb" + "c" * 999, id="\x00", system_fingerprint="\u202eab"))
    assert isinstance(answer, Completion)
    assert answer.model == "a \ufffd[31mb" + "c" * (adapter.DETAIL_CHARACTERS_MAX - 8)
    assert (answer.id, answer.fingerprint) == ("\ufffd", "\ufffdab")


# --- what fails, and is tried again ---------------------------------------------------------------

TRUNCATED = response(200, json.dumps(completion()).encode())[:-40]


@pytest.mark.parametrize(
    ("step", "kind", "detail"),
    [
        (status(408, "slow"), "http_408", "slow"),
        (status(409, "lock"), "http_409", "lock"),
        (status(429, "too many"), "http_429", "too many"),
        (status(500, "oops"), "http_500", "oops"),
        (answers(b"<html>\n<h1>Bad gateway", 502), "http_502", ""),
        (answers({"error": "no slot\n"}, 503), "http_503", "no slot"),
        (answers({"detail": "down"}, 504), "http_504", "down"),
        (answers(b"", 529), "http_529", ""),
        (drops, "connection", "closed the connection without an answer"),
        (resets, "connection", "reset"),
        (sends(TRUNCATED), "connection", "broke off before its end"),
        (sends(b"220 smtp ready\r\n\r\n"), "connection", "an answer that is not HTTP"),
        (sends(b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"), "connection", ""),
        (sends(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"), "connection", ""),
        (
            answers(b"<html>hello</html>", headers={"content-type": "text/html"}),
            "not_a_completion",
            "18 bytes: it is not JSON",
        ),
        (answers(b'{"id": "x", "choices": [{"mess'), "not_a_completion", "it is not JSON"),
        (answers(b""), "not_a_completion", "HTTP 200 with"),
        (answers(b"", 204), "not_a_completion", "HTTP 204 with 0 bytes"),
        (answers(b"[" * 200_000), "not_a_completion", "200000 bytes"),
        (answers(b'{"a":' * 200_000), "not_a_completion", "1000000 bytes"),
        (answers(b"9" * 10_000), "not_a_completion", "10000 bytes"),
        (answers({"id": "x", "choices": []}), "not_a_completion", "no choice with a message in it"),
        (answers({"error": {"message": "loading"}}), "not_a_completion", "an error of the server's own: loading"),
        (answers({"error": "loading\nit"}), "not_a_completion", "an error of the server's own: loading it"),
        (answers([1, 2]), "not_a_completion", "no choice with a message in it"),
        (answers(None), "not_a_completion", "no choice with a message in it"),
    ],
)
def test_every_failed_try_stands_in_the_answer_with_its_kind(step: Step, kind: str, detail: str) -> None:
    answer = answer_to(step, says("MOVE: e2e4"))
    (failed,) = answer.attempts
    assert failed.kind == kind
    assert detail.lower() in failed.detail.lower()
    assert failed.detail == " ".join(failed.detail.split())
    assert answer == msgspec.structs.replace(GOOD, attempts=(failed,))


def test_a_server_that_says_nothing_times_out() -> None:
    assert {*tries_before_an_answer(hangs, 0.2)} == {Try("no answer in 0.2 s", "timeout")}


def test_a_body_that_drips_for_ever_times_out_although_each_read_is_quick() -> None:
    assert {*tries_before_an_answer(drips, 0.2)} == {Try("no answer in 0.2 s", "timeout")}


def test_a_body_without_end_is_not_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_transport, "ANSWER_BYTES_MAX", 1000)
    (failed,) = answer_to(says("x" * 2000), says("MOVE: e2e4")).attempts
    assert failed.kind == "connection"
    assert failed.detail == "the answer is too long"


def test_an_answer_of_many_small_parts_takes_little_memory() -> None:
    """64 MiB of empty objects became 1.7 GB in one parse."""
    rest = b'{"choices": [{"message": {"content": "x"}}], "x": [' + b"{}," * (2**23 // 3) + b"{}]}"
    assert len(rest) > 2**23
    (failed,) = answer_to(answers(rest), says("MOVE: e2e4")).attempts
    assert (failed.kind, failed.detail) == ("connection", "the answer is too long")


def test_a_server_that_is_not_there_is_a_fault_that_names_it() -> None:
    with Peer() as peer:
        url = peer.url
    with pytest.raises(PortFault, match=f"seat model at {url}: 3 tries failed, the last with connection: .*refused"):
        endpoint_of(url).complete(REQUEST)


def test_a_fault_that_persists_stops_after_the_tries_that_the_seat_allows() -> None:
    said = fault_of(status(500), drops, status(503, "still\nno"), attempts_max=3)
    assert "3 tries failed, the last with http_503: still no" in said


def test_a_refusal_keeps_its_failed_tries_too() -> None:
    refused = message_step("content_filter", {"content": None})
    assert answer_to(status(500, "oops"), refused) == NoReply(
        attempts=(Try("oops", "http_500"),), reason="content_filter"
    )


def waited(*headers: dict[str, str]) -> list[float]:
    """The waits after a 429 with each of these headers; the checks between (0 s) are left out."""
    waits: list[float] = []
    steps = [status(429, headers=given) for given in headers]
    answer_to(*steps, says("x"), wait=waits.append, attempts_max=99)
    return [seconds for seconds in waits if seconds]


@pytest.mark.parametrize(
    ("header", "at_least_s", "at_most_s"),
    [
        ("0", 0.25, 0.5),
        ("7", 7, 7),
        ("2.5", 2.5, 2.5),
        ("-3", 0.25, 0.5),
        ("soon", 0.25, 0.5),
        ("nan", 0.25, 0.5),
        ("inf", 300, 300),
        ("999999999999999", 300, 300),
        ("9" * 5000, 300, 300),
    ],
)
def test_retry_after_is_obeyed_within_reason(header: str, at_least_s: float, at_most_s: float) -> None:
    (seconds,) = waited({"retry-after": header})
    assert at_least_s <= seconds <= at_most_s


@pytest.mark.parametrize(
    ("date", "after", "seconds"),
    [
        ("Sun, 29 Nov 2026 15:29:00 GMT", "Sun, 29 Nov 2026 15:30:00 GMT", 60),
        ("Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:07 GMT", 7),
        ("Sun, 29 Nov 2026 15:30:00 GMT", "Sun, 29 Nov 2026 15:29:00 GMT", 0),
        ("Sun, 29 Nov 2026 15:29:00 GMT", "Fri, 20 Nov 2099 10:00:00 GMT", 300),
        ("", "Sun, 29 Nov 2026 15:30:00 GMT", 0),
        ("Sun, 29 Nov 2026 15:29:00 GMT", "Sun, 29 Nov 2026 15:30:00 -0000", 0),
        ("Sun, 29 Nov 2026 15:29:00 GMT", "Sun, 99 Nov 2026 15:30:00 GMT", 0),
    ],
)
def test_a_date_of_retry_after_is_compared_with_the_answers_own(date: str, after: str, seconds: float) -> None:
    """It was read as no time at all, so a run was out of tries within seconds."""
    assert retry_after_s({"retry-after": after, "date": date}) == seconds


def test_backoff_doubles_up_to_its_limit() -> None:
    for number, seconds in enumerate(waited(*[{}] * 9)):
        ceiling = min(30.0, 0.5 * 2**number)
        assert ceiling / 2 <= seconds <= ceiling


# --- what no retry can mend -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (status(401, "bad key"), "HTTP 401: bad key; the seat has no key: in a plan, api_key_env names the variable"),
        (status(403, "no"), "HTTP 403: no; the seat has no key"),
        (status(404, "model 'm' not found"), "HTTP 404: model 'm' not found; check base_url, and that the server has"),
        (
            answers(b"404 page not found", 404),
            "HTTP 404: no reason given, 18 bytes of application/json to POST /v1/chat/completions; check base_url",
        ),
        (
            answers(b"405 method not allowed", 405),
            "HTTP 405: no reason given, 22 bytes of application/json to POST /v1/chat/completions; check base_url",
        ),
        (
            answers({"error": "This model's maximum context length is 4096 tokens."}, 400),
            "maximum context length is 4096 tokens.; serve the model with a larger context, or give the seat a smaller",
        ),
        (answers({"error": "plain"}, 400), "HTTP 400: plain; check the seat's model, accepts (temperature, seed, "),
        (answers({"object": "error", "message": "vLLM's way"}, 400), "HTTP 400: vLLM's way; check"),
        (answers({"detail": [{"msg": "FastAPI's way"}]}, 422), "HTTP 422: FastAPI's way; check"),
        (answers(b"", 402), "HTTP 402: no reason given, an empty answer to POST /v1/chat/completions"),
        (
            answers(b"\xff\xfe\x00", 451),
            "HTTP 451: no reason given, 3 bytes of application/json to POST /v1/chat/completions; check",
        ),
        (answers({"error": "\x00\x1b[2J"}, 451), "HTTP 451: \ufffd\ufffd[2J; check"),
    ],
)
def test_a_request_that_is_refused_stops_at_once_and_says_what_to_check(step: Step, expected: str) -> None:
    said = fault_of(step)
    assert said.startswith("seat model at http://127.0.0.1:")
    assert expected in said
    assert said.isprintable()


def test_a_rejected_key_is_named_by_its_variable() -> None:
    said = fault_of(status(401, f"bad key {KEY}"), api_key_env="K", environment={"K": KEY})
    assert said.endswith("HTTP 401: bad key [key]; check the key in K")


@pytest.mark.parametrize("code", [300, 301, 302, 303, 304, 307, 308])
def test_a_redirect_is_a_fault_of_its_own_and_reaches_no_other_service(code: int) -> None:
    with Peer() as other, Peer([answers({"error": "x"}, code, {"location": f"{other.url}/secrets"})]) as peer:
        with pytest.raises(PortFault, match=f"HTTP {code}: redirects are not followed") as caught:
            ask(peer, api_key_env="K", environment={"K": KEY})
        assert not other.requests
    assert other.url not in str(caught.value)


@pytest.mark.parametrize("code", [200, 400, 429, 500])
@pytest.mark.parametrize(
    "body", [b"AWS_SECRET_ACCESS_KEY=planted", b'{"Token": "planted"}', b'["planted"]', b'"planted"']
)
def test_nothing_of_a_body_that_is_no_error_is_kept(body: bytes, code: int) -> None:
    steps = [answers(body, code)] if code == 400 else [answers(body, code), says("x")]
    with Peer(steps) as peer:
        try:
            kept = str(ask(peer).attempts)
        except PortFault as error:
            kept = str(error)
    assert "planted" not in kept


def test_words_of_a_service_that_speaks_no_http_are_not_kept() -> None:
    (failed,) = answer_to(sends(b"-ERR planted secret\r\n\r\n"), says("x")).attempts
    assert failed == Try("an answer that is not HTTP", "connection")


def test_a_sentence_of_the_servers_own_error_is_kept_short() -> None:
    (failed,) = answer_to(status(500, "x" * 5000), says("x")).attempts
    assert failed.detail == "x" * adapter.ERROR_CHARACTERS_MAX


def test_a_connection_that_nobody_takes_is_told_once() -> None:
    with Peer() as peer:
        url = peer.url
    with pytest.raises(PortFault) as caught:
        endpoint_of(url, attempts_max=1).complete(REQUEST)
    told = "1 try failed with connection: Connection refused; no server listens there"
    assert str(caught.value) == f"seat model at {url}: {told}"


def test_a_base_url_without_its_path_is_told_what_lacks() -> None:
    with Peer([answers(b"404 page not found", 404)]) as peer, pytest.raises(PortFault, match="so add /v1"):
        endpoint_of(peer.url.removesuffix("/v1")).complete(REQUEST)


def test_a_base_url_with_the_path_of_a_question_is_told_what_to_leave_out() -> None:
    said = "is added to it, so leave out /chat/completions"
    with Peer([answers(b"404 page not found", 404)]) as peer, pytest.raises(PortFault, match=said):
        endpoint_of(f"{peer.url}/chat/completions").complete(REQUEST)
    with Peer([answers(b"404 page not found", 404)]) as peer, pytest.raises(PortFault, match="has the model") as caught:
        endpoint_of(peer.url).complete(REQUEST)
    assert "leave out" not in str(caught.value)


def test_a_key_is_not_sent_in_the_open() -> None:
    with pytest.raises(PortFault, match=r"expected https:// where a key is sent, found http://192\.0\.2\.1/v1"):
        endpoint_of("http://192.0.2.1/v1", environment={"K": KEY}, api_key_env="K")


def test_a_proxy_of_the_environment_is_not_told_what_a_server_of_ones_own_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    answer_to(says("x"), api_key_env="K", environment={"K": KEY})


# --- hostile servers -------------------------------------------------------------------------------

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
DRIPS = {
    "nothing": (b"", b""),
    "a status line": (b"HTTP/1.1 ", b"2"),
    "headers": (HEAD, b"x-more: 1\r\n"),
    "one header": (HEAD + b"x-long: ", b"x"),
    "100 continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "103 early hints": (b"", b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"),
    "a body": (HEAD + b"content-length: 1000000\r\n\r\n", b" "),
    "chunks": (CHUNKED, b"1\r\n \r\n"),
    "a chunk's extension": (CHUNKED + b"1;x=", b"y"),
    "trailers": (CHUNKED + b"0\r\n", b"x-more: 1\r\n"),
}


@pytest.mark.parametrize("name", DRIPS)
def test_whatever_a_server_drips_a_call_ends_in_time(name: str) -> None:
    """Or the server ends it, after minutes; then it has not timed out."""
    start, more = DRIPS[name]

    def dripping(exchange: Exchange) -> None:
        exchange.write(start)
        end = time.monotonic() + RELEASE_S
        while not exchange.peer.released.wait(0.02) and time.monotonic() < end:
            exchange.write(more)
        exchange.end()

    assert {*tries_before_an_answer(dripping, 0.5)} == {Try("no answer in 0.5 s", "timeout")}


def test_continues_at_full_speed_end_in_time_too() -> None:
    def flooding(exchange: Exchange) -> None:
        while not exchange.peer.released.is_set():
            exchange.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)

    assert {failed.kind for failed in tries_before_an_answer(flooding, 0.5)} <= {"timeout", "connection"}


def test_a_server_that_never_finishes_a_tls_handshake_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/v1"
        hangs_up = Timer(RELEASE_S, silent.close)
        hangs_up.start()
        with pytest.raises(PortFault, match="1 try failed with timeout"):
            endpoint_of(url, timeout_s=0.5, attempts_max=1).complete(REQUEST)
        hangs_up.cancel()


@pytest.mark.parametrize("code", [200, 500])
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, gzip", "x-unknown"])
def test_an_encoded_answer_is_never_decoded(encoding: str, code: int) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    tracemalloc.start()
    (failed,) = answer_to(answers(bomb, code, {"content-encoding": encoding}), says("x")).attempts
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 10_000_000
    if code == 200:
        assert failed.kind == "not_a_completion"
        assert f"content-encoding {encoding}, which was not accepted" in failed.detail


def test_an_encoding_of_identity_is_none() -> None:
    answer = answer_to(answers(completion("MOVE: e2e4"), headers={"content-encoding": "identity"}))
    assert answer == GOOD


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_a_server_that_ignores_the_token_limit_stops_the_run(limit: str) -> None:
    usage = {"prompt_tokens": 30, "completion_tokens": 4050}
    said = fault_of(says("x", usage=usage), accepts=(limit,), tokens_max=5)
    assert f"asked for at most 5 tokens, got 4050: the server ignores {limit}" in said


def counted(prompt: int, completion: int, reasoning: int = 0, total: int = 0) -> dict[str, Any]:
    details = {"completion_tokens_details": {"reasoning_tokens": reasoning}}
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total, **details}


@pytest.mark.parametrize(
    ("usage", "finish", "made"),
    [
        (counted(30, 3), "length", 3),
        (counted(30, 3, total=33), "max_tokens", 3),
        (counted(30, 30, reasoning=30, total=60), "LENGTH", 30),
        (counted(0, 20, reasoning=20), "length", 40),
        (counted(30, 0, reasoning=20, total=50), "length", 20),
    ],
)
def test_a_reply_that_is_cut_far_below_its_limit_stops_the_run(usage: object, finish: str, made: int) -> None:
    """What a full context ends was scored as cut by the plan's limit, and arms with longer prompts meet it first."""
    said = fault_of(answers(completion("Let me th", finish, usage=usage)), accepts=("max_tokens",), tokens_max=64)
    assert f"the server cut a reply after {made} of 64 tokens (finish reason {finish.lower()}): its context is" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("usage", "finish", "accepts"),
    [
        (counted(30, 64), "length", ("max_tokens",)),
        (counted(30, 60), "length", ("max_tokens",)),  # without the marks of its end
        (counted(0, 0), "length", ("max_tokens",)),  # nobody counted
        (None, "length", ("max_tokens",)),
        (counted(30, 3), "stop", ("max_tokens",)),
        (counted(30, 3), "content_filter", ("max_tokens",)),
        (counted(30, 3), "length", ("temperature",)),  # no limit was sent
        (counted(30, 4, reasoning=60, total=94), "length", ("max_completion_tokens",)),  # thoughts apart
        (counted(30, 4, total=94), "length", ("max_completion_tokens",)),  # thoughts in the total alone
        (counted(0, 4, reasoning=60), "length", ("max_tokens",)),
    ],
)
def test_a_reply_that_met_its_limit_is_the_models(usage: object, finish: str, accepts: tuple[str, ...]) -> None:
    answer = answer_to(answers(completion("Let me th", finish, usage=usage)), accepts=accepts, tokens_max=64)
    assert isinstance(answer, Reply)
    assert (answer.text, answer.finish) == ("Let me th", finish)


def test_a_seat_without_a_token_limit_may_get_any_number() -> None:
    answer = answer_to(says("x", usage={"prompt_tokens": 30, "completion_tokens": 4050}), accepts=(), tokens_max=5)
    assert isinstance(answer, Reply)
    assert answer.completion_tokens == 4050


def test_a_prompt_that_the_server_cut_stops_the_run() -> None:
    request = ChatRequest((Message("word " * 10_000, "user"),), 0)
    with (
        Peer([says("x", usage={"prompt_tokens": 2050})]) as peer,
        pytest.raises(PortFault, match="the prompt of 50000 bytes was read as 2050 tokens: it was cut; give"),
    ):
        ask(peer, request)


# --- wrong types everywhere ------------------------------------------------------------------------

ODD = [None, True, 0, -1, 1.5, 2**70, "", "a", [], [1], {}, {"a": 1}, [[]], "\ud800", "\x00", [None], ["a"]]
ABSENT = object()


def places(value: object, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield from places(child, (*place, key))


def changed(value: Any, place: tuple[Any, ...], new: object) -> Any:
    if not place:
        return new
    value = copy.deepcopy(value)
    parent = value
    for key in place[:-1]:
        parent = parent[key]
    if new is ABSENT:
        del parent[place[-1]]
    else:
        parent[place[-1]] = new
    return value


def endure(steps: list[Step], **how: Any) -> list[str]:
    """Ask once for each step, and return the texts that came of it: replies as journal lines, faults."""
    texts = []
    with Peer(steps) as peer:
        endpoint = endpoint_of(peer.url, attempts_max=1, **how)
        for _ in steps:
            try:
                texts.append(in_a_journal(endpoint.complete(REQUEST)).decode())
            except PortFault as error:
                texts.append(str(error))
        endpoint.close()
    return texts


def test_a_completion_with_any_field_missing_or_of_any_type_is_a_reply_or_a_fault() -> None:
    bodies = [changed(completion(), place, odd) for place in places(completion()) for odd in ODD]
    bodies += [changed(completion(), place, ABSENT) for place in places(completion()) if place]
    texts = endure([answers(body) for body in bodies])
    assert 300 < sum('"as":"reply"' in text for text in texts) < len(bodies)


def test_an_error_with_any_body_is_a_fault() -> None:
    error = {"error": {"message": "m", "type": "t", "param": None, "code": None}}
    bodies = [changed(error, place, odd) for place in places(error) for odd in ODD]
    steps = [answers(body, code) for body in bodies for code in (400, 500)]
    assert all("seat model at" in text for text in endure(steps))


@pytest.mark.parametrize("kind", ["text/html", "application/json"])
def test_a_charset_or_an_encoding_that_lies_is_a_fault_or_a_reply(kind: str) -> None:
    charsets = ["hex", "rot13", "zlib", "base64", "undefined", "idna", "unicode_escape", "utf-16", "uu", "x" * 99]
    steps = [
        answers(b'{"a": "\xff\xfe"}', code, {"content-type": f"{kind}; charset={charset}", **encoding})
        for charset in charsets
        for code in (200, 400, 500)
        for encoding in ({}, {"content-encoding": "gzip"}, {"content-encoding": "deflate"}, {"content-encoding": "br"})
    ]
    assert all("seat model at" in text for text in endure(steps))


# --- the key ---------------------------------------------------------------------------------------


def with_key(value: object) -> object:
    """The same JSON with the key in every string."""
    if isinstance(value, dict):
        return {name: with_key(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_key(inner) for inner in value]
    return f"{value} {KEY}" if isinstance(value, str) or value is None else value


def assert_no_key(text: str) -> None:
    """Not the key, and not its beginning either, as a text cut in the wrong order would have."""
    at = text.find(KEY_PREFIX)
    assert at < 0, f"the key stands in {text[max(0, at - 200) : at + 80]!r}"


def echoes() -> list[Step]:
    """The key in every place that a server can write."""
    full = with_key(completion())
    around = [b"x" * length + KEY.encode() for length in (0, 60, 70, 79, 260, 270, 285, 299)]
    slashed = b'{"detail": "' + KEY.replace("/", "\\/").encode() + b'"}'
    return [
        answers(full),
        answers(full, headers={"x-echo": KEY, "content-type": f"application/json; charset={KEY}"}),
        message_step("content_filter", {"content": "", "refusal": KEY}),
        says("x" * (adapter.REPLY_CHARACTERS_MAX - 10) + KEY),
        *[answers(text, code) for text in (*around, slashed) for code in (200, 400, 401, 429, 500)],
        *[status(code, KEY, {"retry-after": KEY, "www-authenticate": KEY}) for code in (400, 401, 403, 404, 429, 500)],
        *[sends(text + b"\r\n\r\n") for text in around],
        sends(b"HTTP/1.1 200 " + KEY.encode() + b"\r\nbroken " + KEY.encode() + b"\r\n\r\n"),
        answers(b"", 302, {"location": f"http://127.0.0.1:9/{KEY}"}),
        answers(b"", 302, {"location": f"gopher://{KEY}"}),
        answers(b"", 302, {"location": f"http://{KEY}:{KEY}/"}),
    ]


def test_the_key_is_in_no_reply_and_in_no_message_whatever_the_server_echoes() -> None:
    for text in endure(echoes(), api_key_env="K", environment={"K": KEY}):
        assert_no_key(text)


def test_a_key_with_quotes_is_scrubbed_in_both_spellings() -> None:
    key = 'sk-"quoted"\\0123456789'
    steps = [answers({"detail": key}, 400), answers({"error": json.dumps(key)}, 400)]
    for text in endure(steps, api_key_env="K", environment={"K": key}):
        assert "[key]" in text
        assert "0123456789" not in text


def test_a_word_that_stands_in_for_a_key_does_not_spoil_replies() -> None:
    answer = answer_to(says("MOVE: e2e4", model="ollama"), api_key_env="K", environment={"K": "ollama"})
    assert isinstance(answer, Reply)
    assert answer.model == "ollama"


PLAN = {
    "title": "Echoes",
    "seats": {
        "model": {
            "kind": "openai",
            "model": "reference",
            "api_key_env": "ECHO_KEY",
            "concurrency": 2,
            "attempts_max": 9,
        },
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 8},
    "matches": [{"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 4, "block_games": 2}],
}


def reference_with_echo(exchange: Exchange) -> None:
    """The reference player, with the key in all that it says."""
    answer = chat_server.completion(exchange.request_seen.json)
    answer.update({name: f"{answer[name]} {KEY}" for name in ("id", "system_fingerprint")})
    answer["model"] = f"{KEY}/{answer['model']}"  # as a router puts a vendor before the name
    message = answer["choices"][0]["message"]
    message["content"] = f"My key is {KEY}.\n{message['content']}"
    answers(answer, headers={"x-echo": KEY})(exchange)


def listed(exchange: Exchange) -> None:
    """The models, with the key in what the server says of them."""
    answers({"object": "list", "data": [{"id": "reference"}, {"id": KEY}]}, headers={"x-echo": KEY})(exchange)


def run_echoing(folder: Path, script: list[Step]) -> subprocess.CompletedProcess[str]:
    """A whole run, as a process with the key in its environment, against a server that echoes it."""
    signing_keys.generate(folder / "key.pem")
    with Peer([listed, *script], then=reference_with_echo) as peer:
        plan = copy.deepcopy(PLAN)
        plan["seats"]["model"]["base_url"] = peer.url  # type: ignore[index]
        (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
        leave = f"ECHO_KEY={peer.url.split('/')[2]}"
        command = [AGZAMOV, "run", "plan.yaml", "--key", "key.pem", "--allow-key", leave]
        home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}
        environment = {**os.environ, **home, "ECHO_KEY": KEY, "OPENAI_LOG": "debug"}
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )


def assert_no_key_in_files(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        data = path.read_bytes()
        assert_no_key(str(path.relative_to(folder)))
        assert_no_key((gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace"))


@pytest.mark.slow
def test_the_key_is_nowhere_in_a_whole_run_whose_server_echoes_it(tmp_path: Path) -> None:
    soon = {"retry-after": KEY}
    faults = [
        status(429, KEY, soon),
        answers(KEY.encode(), 500),
        sends(KEY.encode() + b"\r\n\r\n"),
        answers({"error": KEY}),
    ]
    done = run_echoing(tmp_path, faults)
    assert done.returncode == 0, done.stderr
    assert_no_key(done.stdout + done.stderr)
    assert_no_key_in_files(tmp_path)
    (bundle,) = (tmp_path / "bundles").iterdir()
    assert verify(bundle, Options()).level == "V1"
    journals = b"".join(gzip.decompress(path.read_bytes()) for path in bundle.rglob("000000.jsonl.gz"))
    assert journals.count(b"My key is [key].") == journals.count(b'"to":"model"')


@pytest.mark.slow
def test_the_key_is_nowhere_in_a_run_that_its_server_stops(tmp_path: Path) -> None:
    stopped = run_echoing(tmp_path, [status(429, KEY), reference_with_echo, status(401, f"bad key {KEY}")])
    assert stopped.returncode == 4, stopped.stderr
    assert re.search(
        r"HTTP 401: bad key \[key\]; check the key in ECHO_KEY; .*; go on with: .*agzamov resume", stopped.stderr
    )
    assert_no_key(stopped.stdout + stopped.stderr)
    assert_no_key_in_files(tmp_path)


@pytest.mark.slow
def test_the_key_is_not_told_where_a_model_is_refused_that_is_named_by_it(tmp_path: Path) -> None:
    refused = run_echoing(tmp_path, [says("OK", model=f"reference {KEY}")])
    assert refused.returncode == 2, refused.stderr
    assert "the server answers as reference [key] (it lists: reference, [key]); write that name" in refused.stderr
    assert_no_key(refused.stdout + refused.stderr)


# --- which model answers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "is_right"),
    [
        (["m", "other"], True),  # later names are for verify to warn of: a router may have several
        (["vendor/m", "m"], True),
        (["", "m"], True),
        (["other"], False),
        (["", "other"], False),
    ],
)
def test_the_first_reply_that_names_a_model_must_be_of_the_plans(names: list[str], is_right: bool) -> None:
    with Peer([says("MOVE: e2e4", model=name) for name in names]) as peer:
        seat = EndpointSeat(base_url=peer.url, model="m", timeout_s=300)
        port = Endpoint("model", seat, {}, time.monotonic_ns, lambda _: None, door=Door(model="m"))
        *before, last = (REQUEST for _ in names)
        for request in before:
            port.complete(request)
        if is_right:
            assert isinstance(port.complete(last), Reply)
        else:
            with pytest.raises(PortFault, match="expected model m, the server answers as other; serve the model"):
                port.complete(last)
        port.close()


# --- side by side ------------------------------------------------------------------------------------


def test_a_seat_never_has_more_calls_in_flight_than_its_concurrency() -> None:
    with Peer(then=slowly(says("x"), 0.05)) as peer:
        endpoint = endpoint_of(peer.url, concurrency=3)
        with ThreadPoolExecutor(12) as pool:
            list(pool.map(endpoint.complete, [REQUEST] * 24))
        endpoint.close()
    assert (peer.most_at_once, len(peer.requests)) == (3, 24)


def test_failed_tries_stay_with_the_call_that_they_belong_to() -> None:
    failed: set[str] = set()

    def first_time_500(exchange: Exchange) -> None:
        name = exchange.request_seen.json["messages"][0]["content"]
        if name in failed:
            says(name)(exchange)
        else:
            failed.add(name)
            status(500, name)(exchange)

    with Peer(then=first_time_500) as peer:
        endpoint = endpoint_of(peer.url, concurrency=8)
        with ThreadPoolExecutor(8) as pool:
            asked = [ChatRequest((Message(f"call {n}", "user"),), n) for n in range(40)]
            for request, answer in zip(asked, pool.map(endpoint.complete, asked), strict=True):
                assert isinstance(answer, Reply)
                assert answer.text == request.messages[0].content
                assert answer.attempts == (Try(answer.text, "http_500"),)
        endpoint.close()


class FakeTime:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.ns = 10**12

    def clock(self) -> int:
        return self.ns

    def wait(self, seconds: float) -> None:
        self.ns += round(seconds * 10**9)


def test_requests_are_spread_evenly_over_a_minute() -> None:
    time_ = FakeTime()
    arrivals: list[int] = []

    def noting(exchange: Exchange) -> None:
        arrivals.append(time_.ns)
        (status(500) if len(arrivals) == 3 else says("x"))(exchange)

    with Peer(then=noting) as peer:
        seat = EndpointSeat(base_url=peer.url, model="m", requests_per_minute=60)
        endpoint = Endpoint("model", seat, {}, time_.clock, time_.wait)
        for _ in range(9):
            endpoint.complete(REQUEST)
        endpoint.close()
    gaps = [later - earlier for earlier, later in itertools.pairwise(arrivals)]
    assert gaps == [10**9] * 9  # tries that are repeated take their turns as well


def stopped_after(stop: Stop, endpoint: Endpoint, seconds: float) -> tuple[str, float]:
    """The reason that ends a call, and how long after the request to stop."""
    Thread(target=lambda: (time.sleep(seconds), stop.request("enough")), daemon=True).start()
    started = time.monotonic()
    with pytest.raises(Stopped) as caught:
        endpoint.complete(REQUEST)
    return str(caught.value), time.monotonic() - started - seconds


@pytest.mark.parametrize("header", [{}, {"retry-after": "300"}])
def test_a_stop_during_backoff_returns_at_once(header: dict[str, str]) -> None:
    stop = Stop()
    with Peer(then=status(429, headers=header)) as peer:
        endpoint = endpoint_of(peer.url, stop.wait, attempts_max=99)
        reason, late_s = stopped_after(stop, endpoint, 0.3)
        endpoint.close()
    assert reason == "enough"
    assert late_s < 30  # without the stop it would wait longer


def test_a_stop_while_pacing_returns_at_once() -> None:
    stop = Stop()
    with Peer([says("x")]) as peer:
        endpoint = endpoint_of(peer.url, stop.wait, requests_per_minute=1)
        endpoint.complete(REQUEST)
        _, late_s = stopped_after(stop, endpoint, 0.2)
        endpoint.close()
    assert late_s < 30  # without the stop it would wait longer


def test_calls_that_wait_for_a_slot_are_not_made_after_a_stop() -> None:
    stop, stopped = Stop(), Event()

    def once_stopped(exchange: Exchange) -> None:
        stopped.wait(RELEASE_S)
        says("x")(exchange)

    with Peer(then=once_stopped) as peer:
        endpoint = endpoint_of(peer.url, stop.wait, concurrency=1)
        with ThreadPoolExecutor(6) as pool:
            calls = [pool.submit(endpoint.complete, REQUEST) for _ in range(6)]
            while not peer.requests:
                time.sleep(0.01)
            stop.request("enough")
            stopped.set()
        endpoint.close()
    assert len(peer.requests) == 1
    assert sum(isinstance(call.exception(), Stopped) for call in calls) == 5


def test_what_is_kept_of_a_servers_word_fits_the_file_of_calls() -> None:
    assert DETAIL_CHARACTERS_MAX <= WORD_CHARACTERS_MAX
