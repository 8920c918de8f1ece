"""`agzamov init`: a plan of the size that a model's measured speed allows; what it refuses, in one line each."""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.commands.init_command import _about
from agzamov_harness.planning import plan_draft
from agzamov_harness.planning.measured_reply import MeasuredReply, why_unusable
from agzamov_harness.planning.plan_draft import ANY_SEAT, Draft, Size
from agzamov_harness.planning.plan_warnings import plan_warnings
from agzamov_harness.planning.workload import load_of
from agzamov_harness.reference_server import chat_server
from agzamov_harness.run.assumptions import Assumptions
from agzamov_harness.run.call_forecast import model_calls
from agzamov_harness.run.plan_file import read_plan
from agzamov_verify.core.questions import NoReply, Reply
from agzamov_verify.plan.manifest import Plan
from harness.http_peer import Peer, answers, completion, status

GAMES = ("chess960", "holdem")
TRY = Path("manifests/try.yaml")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    served = chat_server.start("127.0.0.1", 0, 0, ())
    thread = Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}/v1"
    served.shutdown()
    served.server_close()
    thread.join()


def init(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["init", "--out", str(folder / "my.yaml"), *options])


def draft(calls_max: int, *augmentations: str) -> Draft:
    return Draft(ANY_SEAT, augmentations or ("memory",), GAMES, calls_max, "Try")


def plan_of(drafted: Draft) -> Plan:
    return plan_draft.checked(plan_draft.plan_text(plan_draft.sizes_of(drafted), drafted, ()), Path())


@pytest.mark.slow
def test_a_plan_is_written_for_a_server_that_answers(server: str, tmp_path: Path) -> None:
    written = init(tmp_path, "--base-url", server, "--model", "reference", "--minutes", "1", "--games", "holdem")
    assert written.exit_code == 0, written.output
    plan = read_plan(tmp_path / "my.yaml")
    assert [str(match.condition.arm) for match in plan.matches] == ["naked", "placebo", "real"]
    assert {match.game for match in plan.matches} == {"holdem"}
    assert list(plan_warnings(plan)) == []
    assert " calls · " in written.output
    assert "Written" in written.output
    assert "Next" in written.output
    command = (tmp_path / "my.yaml").read_text().split("#   agzamov plan ")[1].splitlines()[0].split()
    told = CliRunner().invoke(main, ["plan", *command])
    line = told.output.splitlines()[0]
    assert line in written.output, "plan says at once what init said"


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (
            ("tools",),
            r"\d+ hands of hold'em without tools, with a placebo, and with it: |\d+ hands without tools, with a",
        ),
        (("tools", "rag"), r"for each of tools and rag, \d+ hands [^:]*without it, with a placebo, and with it: "),
        (("memory", "tools", "rag"), r"for each of memory, tools and rag, \d+ hands [^:]*without it, with a placebo"),
    ],
)
def test_each_of_several_augmentations_is_a_comparison_of_its_own(names: tuple[str, ...], told: str) -> None:
    drafted = draft(3_000, *names)
    said = _about(plan_draft.sizes_of(drafted)[1], drafted, MeasuredReply(Fraction(1), 60, 2), 15)
    assert re.match(told, said), said


def test_nothing_is_written_over(server: str, tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("mine")
    refused = init(tmp_path, "--base-url", server, "--model", "reference")
    assert (refused.exit_code, (tmp_path / "my.yaml").read_text()) == (2, "mine")
    assert "exists already; name another file by --out" in refused.output


def test_a_server_that_wants_a_key_is_told_by_the_option_that_names_it(tmp_path: Path) -> None:
    with Peer([status(401, "bad key")] * 2) as peer:  # the list of models, and the first question
        told = init(tmp_path, "--base-url", peer.url, "--model", "m")
    assert told.exit_code == 2
    assert "HTTP 401: bad key; the server wants a key: name the variable that holds it by --api-key-env" in told.output


def test_a_folder_that_cannot_hold_the_plan_is_refused_before_the_model_is_asked(tmp_path: Path) -> None:
    nobody = ("--base-url", "http://127.0.0.1:9/v1", "--model", "none")
    missing = CliRunner().invoke(main, ["init", *nobody, "--out", str(tmp_path / "none" / "my.yaml")])
    assert (missing.exit_code, "there is no folder" in missing.output) == (2, True), missing.output
    read_only = CliRunner().invoke(main, ["init", *nobody, "--out", "/proc/self/my.yaml"])
    assert (read_only.exit_code, "/proc/self: " in read_only.output) == (2, True), read_only.output


@pytest.mark.slow
def test_a_plan_on_standard_output_stands_there_alone(server: str) -> None:
    told = CliRunner().invoke(
        main,
        ["init", "--base-url", server, "--model", "reference", "--minutes", "1", "--games", "holdem", "--out", "-"],
    )
    assert told.exit_code == 0, told.stderr
    assert plan_draft.checked(told.stdout, Path()).matches
    assert " calls · " in told.stderr


REFUSED = {
    "no model": ((), "expected one model: --base-url URL --model NAME, --ollama NAME, --gguf FILE or --smollm2"),
    "a dead address": (("--base-url", "http://127.0.0.1:9/v1"), "http://127.0.0.1:9/v1: no server answers there"),
    "no address": (("--base-url", "nowhere"), "nowhere"),
    "no scheme": (
        ("--base-url", "127.0.0.1:11435/v1"),
        "expected an address that starts with http:// or https://, found 127.0.0.1:11435/v1; write http://127.0.0.1:11435/v1",
    ),
    "no scheme and no machine of one's own": (("--base-url", "api.example/v1"), "; write https://api.example/v1"),
    "no Ollama": (
        ("--ollama", "any", "--base-url", "http://127.0.0.1:9"),
        "http://127.0.0.1:9: no Ollama server answers there",
    ),
    "no such scheme": (("--base-url", "ftp://127.0.0.1:9/v1"), "--base-url: expected an address such as https://"),
    "no variable": (("--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--api-key-env", "NO PE"), "--api-key-env"),
    "two models": (("--smollm2", "--gguf", __file__), "--gguf FILE or --smollm2; found --smollm2 and --gguf"),
    "a model and an address": (("--smollm2", "--base-url", "http://127.0.0.1:9/v1"), "found --smollm2 and --base-url"),
    "a name of a file": (("--gguf", __file__, "--model", "m"), "found --gguf and --model"),
    "an unset variable": (("--smollm2", "--api-key-env", ""), "expected a value, found none; is a variable of your"),
    "no such arm": (("--with", "luck"), "expected memory or tools or rag, with commas between them, found 'luck'"),
}


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_missing_or_wrong_is_one_line(options: tuple[str, ...], message: str, tmp_path: Path) -> None:
    refused = init(tmp_path, *options)
    assert refused.exit_code == 2
    assert message in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert not (tmp_path / "my.yaml").exists()


def test_several_models_are_named_where_nobody_can_choose(server: str, tmp_path: Path) -> None:
    refused = init(tmp_path, "--base-url", server)
    assert refused.exit_code == 2
    assert "expected --model NAME: the server has reference, random, novice" in refused.stderr


@pytest.mark.parametrize("calls_max", [1_000, 3_000, 30_000])
@pytest.mark.parametrize("augmentation", ["memory", "tools", "rag"])
def test_a_draft_takes_no_more_calls_than_there_is_time_for(augmentation: str, calls_max: int) -> None:
    assert model_calls(plan_of(draft(calls_max, augmentation)), Assumptions()) <= calls_max


def test_games_have_an_interval_as_soon_as_there_is_time_for_one() -> None:
    needed = plan_draft.calls_for_interval("holdem", draft(1)._replace(games=("holdem",)))
    few, enough = (draft(calls)._replace(games=("holdem",)) for calls in (needed - 1, needed))
    assert [size.has_interval for size in plan_draft.sizes_of(few)] == [False]
    (size,) = plan_draft.sizes_of(enough)
    assert size == Size("holdem", 150, 5, 2, has_interval=True)


def test_one_game_gets_more_than_its_share_where_that_makes_an_interval() -> None:
    assert [size.has_interval for size in plan_draft.sizes_of(draft(3_000))] == [False, True]


def test_times_are_those_of_the_forecast() -> None:
    plan = plan_of(draft(3_000)._replace(is_free=True))
    seconds, side_by_side = Fraction(3, 5), plan.seats["model"].concurrency  # type: ignore[attr-defined]
    load = load_of(plan, Assumptions(seconds_per_call=seconds))
    minutes = plan_draft.minutes_of(model_calls(plan, Assumptions()), seconds, side_by_side)
    assert abs(load.wall_s / 60 - minutes) < 1


def test_the_ready_plan_is_as_long_as_it_says_and_warns_of_nothing() -> None:
    plan = read_plan(TRY)
    load = load_of(plan, Assumptions(seconds_per_call=Fraction(3, 5), reply_tokens=60))
    assert 8 < load.wall_s / 60 <= 16
    assert list(plan_warnings(plan)) == []
    assert plan.rules_of("chess960").prompt == "legal_moves"
    assert {match.phase for match in plan.matches} == {2}, "no gate keeps the arms from being played"
    comment = TRY.read_text().split("title:")[0]
    assert "--seconds-per-call 0.6 --reply-tokens 60" in comment


@pytest.mark.parametrize(
    ("replies", "told"),
    [
        ([Reply(text="MOVE: e4", finish="stop"), Reply(text="", finish="stop")], ""),
        (
            [Reply(text="MOVE: e4", finish="stop"), Reply(text="MO", finish="length")],
            "a reply was cut, .*: raise --tokens-max",
        ),
        ([Reply(text="MO", finish="content_filter")], "a reply was cut, .* with finish reason content_filter"),
        ([NoReply(reason="content_filter"), NoReply(reason="content_filter")], r"every reply \(content_filter\), so"),
        ([NoReply(reason="refused"), Reply(text="MOVE: e4", finish="stop")], ""),
        ([Reply(text=" ", finish="stop", reasoning_tokens=9)] * 2, "no reply has words beside thoughts"),
        ([Reply(text="<think>MOVE: e4</think>", finish="stop")], "no reply has words beside thoughts"),
    ],
)
def test_replies_of_which_none_can_be_used_are_told(replies: list[Reply | NoReply], told: str) -> None:
    why = why_unusable(replies)
    assert re.search(told, why) if told else not why


@pytest.mark.slow
def test_init_warns_of_a_server_that_sends_the_whole_answer_as_thoughts(tmp_path: Path) -> None:
    message = {"role": "assistant", "content": "", "reasoning_content": "MOVE: e2e4"}
    thoughts = {**completion(), "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    with Peer(then=answers(thoughts)) as peer:
        written = init(tmp_path, "--base-url", peer.url, "--model", "m", "--minutes", "1", "--games", "holdem")
    assert written.exit_code == 0, written.output
    assert "WARNING no reply has words beside thoughts" in " ".join(written.output.split())
