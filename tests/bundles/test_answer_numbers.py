"""Answers that contradict the sealed numbers or themselves fail the replay at their place, sealed again or not."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_verify.checks.answers import BUDGET_PLACE, CONCURRENCY_MAX, TOLD_MAX, AnswerNumbers, Spent, overspent
from agzamov_verify.core.questions import (
    ENGINE,
    REPLY_CHARACTERS_MAX,
    TOKENS_MAX,
    Answer,
    Chat,
    Evaluate,
    Evaluation,
    Message,
    NoReply,
    Question,
    Reply,
    Try,
)
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.table.scripted_players import scripted_reply
from bundles.bundle_factory import (
    Draft,
    chained,
    check,
    edited,
    entries,
    failed_steps,
    make,
    rescore,
    reseal,
    retell,
    told,
)

MODEL = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m", "tokens_max": 16, "attempts_max": 2}
PLAN: dict[str, Any] = {
    "title": "Numbers",
    "seats": {"model": MODEL, "free": {**MODEL, "accepts": []}, "dice": {"kind": "random"}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 4},
    "matches": [{"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 2, "block_games": 2}],
}
STREAM = "p1-chess960-naked-model-b00000"
FAILED = Try("503", "http_503")
GOOD = Reply(text="MOVE: e2e4", completion_tokens=16, prompt_tokens=9, cached_tokens=9, reasoning_tokens=16)
BAD = {
    "tokens": ({"completion_tokens": 17}, "at most 16 completion tokens of model"),
    "tries": ({"attempts": (FAILED, FAILED)}, "at most 1 failed tries of model before an answer"),
    "cached": ({"cached_tokens": 10}, "at most 9 cached tokens, as the prompt has"),
    "reasoning": ({"completion_tokens": 8, "reasoning_tokens": 9}, "at most 8 reasoning tokens, as the completion has"),
    "text": ({"text": "x" * 100_001}, "a text of at most 100000 characters"),
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        said = scripted_reply("random", question.messages, question.seed)
        return msgspec.structs.replace(GOOD, text=said, attempts=(FAILED,))

    return make(PLAN, tmp_path_factory.mktemp("numbers"), answer)


def test_numbers_at_their_limits_are_good(bundle: Path) -> None:
    verdict = check(bundle)
    assert verdict.level == "V1", told(verdict)


@pytest.mark.parametrize(("change", "expected"), BAD.values(), ids=BAD.keys())
def test_a_contradiction_fails_the_replay_at_its_place(
    change: dict[str, Any], expected: str, bundle: Path, tmp_path: Path
) -> None:
    draft = Draft.of(bundle)
    story = entries(draft, STREAM)
    _, second = [index for index, one in enumerate(story) if one.question.ask == "chat"][:2]
    if "text" in change:
        assert isinstance(story[second].answer, Reply)
        change = {"text": "x" * REPLY_CHARACTERS_MAX + "\n" + story[second].answer.text}
    answer = msgspec.structs.replace(story[second].answer, **change)
    retell(draft, STREAM, chained(edited(story, second, answer=answer)))
    rescore(draft)
    reseal(draft)
    verdict = check(draft.write(tmp_path))
    assert failed_steps(verdict)[0] == 7, told(verdict)
    (finding,) = [one for one in verdict.findings if one.step == 7]
    assert (finding.place, finding.expected) == ("game p1-chess960-naked-model-g00000 turn 1", expected)


def noted(answer: Answer, question: Question | None = None, times: int = 1) -> list[str]:
    numbers = AnswerNumbers(msgspec.convert(PLAN, Plan))
    for _ in range(times):
        numbers.note(question or asked("model"), answer)
    return [finding.expected for finding in numbers.findings]


def asked(seat: str) -> Chat:
    return Chat(0, "g", (Message("Play.", "user"),), 7, seat, 3)


# --- the budget --------------------------------------------------------------------------------------

PRICED = {**PLAN, "prices": {"model": {"output_usd": "1000"}}, "budget": {"cost_usd_max": "0.05"}}


@pytest.mark.parametrize(
    ("usd", "streams", "bad"),
    [
        ("0.064999", 1, 0),
        ("0.065", 1, 1),
        ("0.0399", 2, 0),
        ("0.04", 2, 1),
        ("0.0149", 2000, 1),
    ],
)
def test_beyond_the_budget_there_are_only_calls_that_were_under_way(usd: str, streams: int, bad: int) -> None:
    spent = [Spent(Fraction(usd), Fraction("0.015"))] * streams
    found = list(overspent(msgspec.convert(PRICED, Plan), spent))
    assert len(found) == bad
    assert all(one.place == BUDGET_PLACE for one in found)


def test_no_more_streams_than_may_run_side_by_side_are_under_way() -> None:
    spent = [Spent(Fraction(1, 1000), Fraction(1, 1000))]
    plan = msgspec.convert(PRICED, Plan)
    assert not list(overspent(plan, spent * (CONCURRENCY_MAX + 49)))
    assert list(overspent(plan, spent * (CONCURRENCY_MAX + 50)))


def test_a_plan_without_a_budget_has_no_cost_beyond_it() -> None:
    plan = msgspec.convert({**PRICED, "budget": {}}, Plan)
    assert not list(overspent(plan, [Spent(Fraction(10**6), Fraction(1))]))


@pytest.mark.parametrize(("tokens", "failed"), [(1, []), (2, [7])])
def test_a_run_far_beyond_its_sealed_budget_fails_the_replay(tokens: int, failed: list[int], tmp_path: Path) -> None:
    """Eight decisions and 24 to 36 planted questions: at 0.001 USD below 0.05 and one call, at 0.002 beyond."""

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        return Reply(text=scripted_reply("random", question.messages, question.seed), completion_tokens=1)

    draft = Draft.of(make(PRICED, tmp_path, answer))
    story = [
        msgspec.structs.replace(one, answer=msgspec.structs.replace(one.answer, completion_tokens=tokens))
        for one in entries(draft, STREAM)
    ]
    retell(draft, STREAM, chained(story))
    rescore(draft)
    reseal(draft)
    verdict = check(draft.write(tmp_path / "spent"))
    assert sum(one.question.ask == "chat" for one in story) == 8
    assert failed_steps(verdict) == failed, told(verdict)
    assert [one.place for one in verdict.findings] == [BUDGET_PLACE] * len(failed)


def test_a_seat_that_is_sent_no_limit_may_say_more() -> None:
    assert noted(msgspec.structs.replace(GOOD, completion_tokens=TOKENS_MAX), asked("free")) == []


def test_a_seat_without_a_server_has_no_failed_tries() -> None:
    assert noted(Reply(text="x", attempts=(FAILED,)), asked("dice")) == [
        "at most 0 failed tries of dice before an answer"
    ]


def test_tries_before_no_reply_are_counted_too() -> None:
    assert noted(NoReply(reason="refused", attempts=(FAILED,))) == []
    assert len(noted(NoReply(reason="refused", attempts=(FAILED, FAILED)))) == 1


@pytest.mark.parametrize(("evaluation", "bad"), [((3, None), 0), ((None, -2), 0), ((None, None), 1), ((3, 2), 1)])
def test_an_evaluation_has_one_of_both_forms(evaluation: tuple[int | None, int | None], bad: int) -> None:
    assert len(noted(Evaluation(*evaluation), Evaluate(game="g", moves="", start_fen="fen", turn=3, to=ENGINE))) == bad


def test_no_more_is_told_than_a_person_reads() -> None:
    assert len(noted(Reply(text="x", completion_tokens=99), times=50)) == TOLD_MAX
