"""The preflight against live llama.cpp servers: strict ones pass, others are found out by their log probabilities.

Ollama's side is the same inference behind a double that speaks as the recorded server did.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from agzamov_harness.adapters.completion import ServerAnswer, read_completion
from agzamov_harness.adapters.retries import PromptTooLong
from agzamov_harness.build_ports import Builder
from agzamov_harness.foundation.program_and_machine import this_cpu
from agzamov_harness.models.preflight import (
    FILE,
    Overlong,
    PreflightExecution,
    read_notes,
    run_preflight,
)
from agzamov_harness.models.preflight_requests import TALK_BYTES_MAX, long_talks, prompts_of, requests_of
from agzamov_harness.ports import ChatRequest, ModelFault
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.seal import seal
from agzamov_harness.seat_kind import PortInputs
from agzamov_verify.plan.manifest import Manifest, ModelPin, Plan
from agzamov_verify.protocols import PROTOCOLS
from harness.http_peer import completion
from models.conftest import NAME, Babbler
from models.live import loose, strict
from models.ollama_double import NEVER, VERSION, Manner, OllamaDouble, Shown

CONTEXT = 4096
SHORT, REQUESTS = 6, 8
CHESS = "You are playing a game of Chess960 "


def plan_with(**seat: Any) -> Plan:
    return plan_from(
        {
            "title": "Preflight",
            "isolation": "container" if seat["kind"] == "gguf" else "process",
            "chess960": {"adjudication": {"policy": "none"}},
            "seats": {"model": {"tokens_max": 24, "concurrency": 2, **seat}, "random": {"kind": "random"}},
            "matches": [{"phase": 0, "game": "chess960", "a": "model", "b": "random", "games": 2}],
        }
    )


def sealed(plan: Plan, pin: ModelPin) -> Manifest:
    return seal(plan, "0" * 64, None, models={"model": pin})[0]


def preflight(manifest: Manifest, where: str, notes: Path) -> PreflightExecution:
    """What a preflight of the seat notes. Raises ModelFault."""
    port = Builder(PortInputs(None, None, time.sleep, {"model": where}, {})).seat("model", manifest.plan.seats["model"])
    try:
        execution = run_preflight(manifest, {"model": port}, {"model": where}, notes)
    finally:
        port.close()
    assert execution
    assert read_notes(notes).executions[-1] == execution
    return execution


def of_gguf(babbler: Babbler, where: str, notes: Path, **seat: Any) -> PreflightExecution:
    plan = plan_with(kind="gguf", weights="babbler.gguf", **seat)
    return preflight(sealed(plan, ModelPin("0" * 64, 1)), where, notes)


@contextmanager
def ollama(babbler: Babbler, manner: Manner = Manner.GOOD, behind: str = "") -> Iterator[OllamaDouble]:
    """An Ollama server in front of a strict llama.cpp, or of the one `behind`."""
    shown = Shown(NAME, babbler.digest, babbler.size)
    if behind:
        with OllamaDouble(shown, behind, CONTEXT, manner) as double:
            yield double
        return
    with strict(babbler.gguf) as address, OllamaDouble(shown, address, CONTEXT, manner) as double:
        yield double


def of_ollama(babbler: Babbler, double: OllamaDouble, notes: Path, **seat: Any) -> PreflightExecution:
    plan = plan_with(kind="ollama", base_url=double.url, model=NAME, model_digest=babbler.digest, **seat)
    return preflight(sealed(plan, ModelPin(babbler.digest, babbler.size)), double.url, notes)


def log_probabilities(address: str, prompt: str) -> list[float]:
    """Those of the tokens that a client gets who sends nothing but OpenAI's fields."""
    wanted = {"messages": [{"role": "user", "content": prompt}], "temperature": 0, "max_tokens": 24, "logprobs": True}
    answer = httpx.post(f"{address}/v1/chat/completions", json=wanted, timeout=60).raise_for_status().json()
    return [token["logprob"] for token in answer["choices"][0]["logprobs"]["content"]]


def unquantised(folder: Path) -> Path:
    from models.babbler import write_model  # noqa: PLC0415 - skips where llama.cpp is missing

    write_model(folder / "f32.gguf")
    return folder / "f32.gguf"


# --- what is asked -------------------------------------------------------------------------------


def test_the_prompts_are_the_protocols_own_in_both_games_and_never_change() -> None:
    plan = plan_with(kind="gguf", weights="x", briefing="Likes rooks.", patterns=["castles_early"])
    prompts = prompts_of(plan, "model")
    assert prompts == prompts_of(plan, "model")
    assert len(prompts) == len(set(prompts)) == SHORT
    systems = [request.messages[0].content for request in prompts]
    assert [system.startswith(CHESS) for system in systems] == [True] * 3 + [False] * 3
    assert all("Opponent profile:\nLikes rooks.\nHow to" in request.messages[-1].content for request in prompts)


def test_in_an_arena_a_model_is_asked_for_the_games_of_its_plan_alone() -> None:
    rules = {name: {"illegal": "retry_then_forfeit"} for name in PROTOCOLS["arena-0.1"].games}
    seats = {"model": {"kind": "gguf", "weights": "x"}, "random": {"kind": "random"}}
    match = {"phase": 6, "game": "chess", "a": "model", "b": "random", "games": 2, "block_games": 2}
    plan = plan_from({"title": "A", "protocol": "arena-0.1", "seats": seats, "matches": [match], **rules})
    assert all("this game of chess" in request.messages[-1].content for request in prompts_of(plan, "model"))


def test_a_long_talk_of_each_game_has_the_length_that_was_asked_for() -> None:
    plan = plan_with(kind="gguf", weights="x")
    talks = [request.messages for request in long_talks(plan, "model", 5000)]
    assert [sum(len(message.content.encode()) for message in talk) for talk in talks] == [5000, 5000]
    assert all([message.role for message in talk] == ["system", "user", "assistant", "user"] for talk in talks)
    assert long_talks(plan, "model", 500) == []


class FakeTokenizer:
    """A server that counts so many tokens a byte, has a context of CONTEXT tokens, and remembers what it was asked."""

    def __init__(self, tokens_a_byte: float, *, tells: bool = True) -> None:
        self.tokens_a_byte, self.tells = tokens_a_byte, tells
        self.read_bytes: list[int] = []

    def probe(self, request: ChatRequest, tokens_max: int, likeliest: int) -> ServerAnswer:
        size = sum(len(message.content.encode()) for message in request.messages)
        self.read_bytes.append(size)
        tokens = round(size * self.tokens_a_byte)
        if tokens > CONTEXT:
            raise PromptTooLong("too long")
        return read_completion(json.dumps(completion(usage={"prompt_tokens": tokens if self.tells else 0})).encode())


@pytest.mark.parametrize(
    ("port", "talk_bytes", "tried"),
    [
        (FakeTokenizer(0.25), TALK_BYTES_MAX, 0),
        (FakeTokenizer(1.0), TALK_BYTES_MAX, 2),
        (FakeTokenizer(0.25, tells=False), TALK_BYTES_MAX, 2),
        (FakeTokenizer(1.5), TALK_BYTES_MAX // 2, 2),
    ],
)
def test_talks_that_surely_fit_by_the_tokens_of_a_prompt_are_not_tried(
    port: FakeTokenizer, talk_bytes: int, tried: int
) -> None:
    requests = requests_of(plan_with(kind="gguf", weights="x", context_tokens=CONTEXT), "model", port)
    assert max(sum(len(message.content.encode()) for message in one.messages) for one in requests) >= talk_bytes
    assert len(port.read_bytes) == 1 + tried, port.read_bytes


# --- llama.cpp -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_server_of_our_image_is_a_function_of_the_request_over_its_socket(babbler: Babbler, tmp_path: Path) -> None:
    with strict(babbler.gguf, tmp_path / "m.sock") as socket:
        outcome = of_gguf(babbler, socket, tmp_path).seats["model"]
    assert (outcome.server.kind, outcome.server.context_tokens) == ("llama.cpp", CONTEXT)
    assert [one.how for one in outcome.rounds] == ["in reverse order", "every other first", "all at once"]
    assert [(one.texts_same, one.logprobs_same) for one in outcome.rounds] == [(REQUESTS, REQUESTS)] * 3
    assert outcome.overlong is Overlong.REFUSED


@pytest.mark.slow
def test_a_client_that_names_no_cache_gets_the_same_bits_whatever_was_asked_before(tmp_path: Path) -> None:
    """A seat of kind `openai` sends none of llama.cpp's own fields. One token of a cached prompt is read again."""
    prompts = [f"Position {fens}: {'fen rnbqkbnr/pppp ' * fens}" for fens in (41, 55, 62)]
    with strict(unquantised(tmp_path), slots=1) as address:
        first = [log_probabilities(address, prompt) for prompt in prompts]
        twice = [log_probabilities(address, prompt) for prompt in prompts for _ in range(2)]
    assert twice[::2] == twice[1::2] == first


@pytest.mark.slow
def test_what_was_measured_is_noted_with_the_processors_flags(babbler: Babbler, tmp_path: Path) -> None:
    with strict(babbler.gguf) as address:
        execution = of_gguf(babbler, address, tmp_path)
    assert execution.cpu == this_cpu()
    assert "sse2" in execution.cpu.flags or execution.cpu.machine != "x86_64"
    assert (tmp_path / FILE).read_bytes().startswith(b'{"executions":[{"cpu":')


@pytest.mark.slow
def test_flash_attention_is_found_out_and_a_strict_seat_is_refused(babbler: Babbler, tmp_path: Path) -> None:
    with loose(babbler.gguf, slots=4) as address, pytest.raises(ModelFault) as caught:
        of_gguf(babbler, address, tmp_path, concurrency=4)
    said = str(caught.value)
    assert "seat model: expected the same answers " in said
    assert "with the same log probabilities" in said
    assert "serve it with flash attention off" in said
    assert "or name determinism: measured" in said


@pytest.mark.slow
def test_an_execution_that_was_refused_does_not_keep_the_run_from_going_on(babbler: Babbler, tmp_path: Path) -> None:
    with loose(babbler.gguf, slots=4) as address, pytest.raises(ModelFault, match="flash attention"):
        of_gguf(babbler, address, tmp_path, concurrency=4)
    assert read_notes(tmp_path).executions == ()
    with strict(babbler.gguf, slots=4) as address:
        assert of_gguf(babbler, address, tmp_path, concurrency=4).seats["model"].same


@pytest.mark.slow
def test_a_measured_seat_takes_it_as_it_is_and_notes_it(babbler: Babbler, tmp_path: Path) -> None:
    with loose(babbler.gguf) as address:
        outcome = of_gguf(babbler, address, tmp_path, determinism="measured").seats["model"]
    assert not outcome.same
    assert max(float(one.largest_difference) for one in outcome.rounds) > 0.001


@pytest.mark.slow
def test_slots_that_share_a_process_are_not_strict_where_weights_are_not_quantised(
    babbler: Babbler, tmp_path: Path
) -> None:
    """Measured here: the kernels of F32, F16 and BF16 sum in another order for another shape of batch."""
    alone, together = tmp_path / "alone", tmp_path / "together"
    alone.mkdir()
    together.mkdir()
    with strict(unquantised(tmp_path)) as address:
        assert of_gguf(babbler, address, alone, concurrency=1).seats["model"].same
        with pytest.raises(ModelFault, match="one slot for each server"):
            of_gguf(babbler, address, together)


@pytest.mark.slow
def test_slots_of_their_own_processes_are_strict_whatever_the_weights(babbler: Babbler, tmp_path: Path) -> None:
    with strict(unquantised(tmp_path), tmp_path / "m.sock", slots=4) as socket:
        assert of_gguf(babbler, socket, tmp_path, concurrency=4).seats["model"].same


def test_a_slot_that_does_not_answer_is_found(babbler: Babbler, tmp_path: Path) -> None:
    with (
        strict(babbler.gguf, tmp_path / "m.sock", slots=2) as socket,
        pytest.raises(ModelFault, match=r"m-2\.sock: expected a llama.cpp server, found none"),
    ):
        of_gguf(babbler, socket, tmp_path, concurrency=3)


@pytest.mark.slow
def test_another_server_in_a_later_execution_is_refused(babbler: Babbler, tmp_path: Path) -> None:
    from models.babbler import write_model  # noqa: PLC0415

    write_model(tmp_path / "other.gguf", seed=2, quantised=True)
    with strict(babbler.gguf) as address:
        first = of_gguf(babbler, address, tmp_path).seats["model"]
        again = of_gguf(babbler, address, tmp_path).seats["model"]
        assert (again.rounds, again.answers_sha256) == ((), first.answers_sha256), "asked once more, all at once"
    with strict(tmp_path / "other.gguf") as address, pytest.raises(ModelFault, match="another machine or server"):
        of_gguf(babbler, address, tmp_path)
    assert len(read_notes(tmp_path).executions) == 2


@pytest.mark.slow
def test_a_chat_template_that_reads_the_clock_is_refused_unless_it_takes_a_date(
    babbler: Babbler, tmp_path: Path
) -> None:
    """The first is what a made-up file had; the second what Llama 3.1 and later write."""
    from models.babbler import CHAT, write_model  # noqa: PLC0415

    today = "{% if date_string is not defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}"
    write_model(tmp_path / "minute.gguf", quantised=True, chat=f"{{{{ strftime_now('%M') }}}}{CHAT}")
    write_model(tmp_path / "date.gguf", quantised=True, chat=f"{today}{{{{ date_string }}}}\n{CHAT}")
    with (
        strict(tmp_path / "minute.gguf", tmp_path / "m.sock") as address,
        pytest.raises(ModelFault, match="writes the time of the request into the prompt"),
    ):
        of_gguf(babbler, address, tmp_path)
    with strict(tmp_path / "date.gguf", tmp_path / "d.sock") as address:
        assert of_gguf(babbler, address, tmp_path).seats["model"].same


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ({"context": 2048}, "expected a context of 4096 tokens for each request, found 2048"),
        ({"slots": 1}, "expected 2 slots, found 1; lower the seat's concurrency"),
    ],
)
def test_a_server_with_less_than_the_seat_needs_is_refused(
    babbler: Babbler, tmp_path: Path, server: dict[str, int], words: str
) -> None:
    with strict(babbler.gguf, **server) as address, pytest.raises(ModelFault, match=words):  # type: ignore[arg-type]
        of_gguf(babbler, address, tmp_path)


def test_a_server_that_is_not_there_is_one_clear_line(babbler: Babbler, tmp_path: Path) -> None:
    with pytest.raises(ModelFault, match=r"seat model: .*: expected a llama.cpp server, found none"):
        of_gguf(babbler, str(tmp_path / "none.sock"), tmp_path)


# --- Ollama --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_ollama_model_is_measured_after_a_reload_too(babbler: Babbler, tmp_path: Path) -> None:
    with ollama(babbler) as double:
        outcome = of_ollama(babbler, double, tmp_path).seats["model"]
        assert (double.loads, double.expires) == (2, NEVER)
    assert (outcome.server.kind, outcome.server.version) == ("ollama", VERSION)
    assert [one.how for one in outcome.rounds] == [
        "in reverse order",
        "every other first",
        "all at once",
        "after a reload",
    ]
    assert outcome.same
    assert outcome.overlong is Overlong.REFUSED


@pytest.mark.slow
def test_ollamas_default_flash_attention_is_refused_with_the_variable_to_set(babbler: Babbler, tmp_path: Path) -> None:
    with (
        loose(babbler.gguf) as address,
        ollama(babbler, behind=address) as double,
        pytest.raises(ModelFault, match="start the server with OLLAMA_FLASH_ATTENTION=0 and OLLAMA_KV_CACHE_TYPE=f32"),
    ):
        of_ollama(babbler, double, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("manner", "words"),
    [
        (Manner.CUTS_PROMPTS, r"a prompt of more than 4096 tokens was read as \d+: the server cuts prompts in silence"),
        (Manner.SMALL_CONTEXT, "expected a context of 4096 tokens for each request, found 2048"),
        (Manner.CLOUD, "found a cloud model of https://ollama.com:443"),
        (Manner.FORGETS_DIGEST, f"with digest .*, found {'f' * 64}"),
    ],
)
def test_one_thing_wrong_with_a_server_stops_even_a_measured_seat(
    babbler: Babbler, tmp_path: Path, manner: Manner, words: str
) -> None:
    with ollama(babbler, manner) as double, pytest.raises(ModelFault, match=words):
        of_ollama(babbler, double, tmp_path, determinism="measured")


@pytest.mark.slow
def test_a_larger_context_than_asked_for_shows_in_the_counts_and_is_no_cut(babbler: Babbler, tmp_path: Path) -> None:
    with ollama(babbler) as double:
        outcome = of_ollama(babbler, double, tmp_path, context_tokens=1536, tokens_max=8).seats["model"]
    assert outcome.overlong in (Overlong.READ_WHOLE, Overlong.REFUSED)
