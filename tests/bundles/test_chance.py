"""The opponent of Phase 0 cannot be helped: each reply of a random seat follows from its prompt and its seed."""

from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.adapters.local import LocalSeat
from agzamov_harness.ports import ChatRequest
from agzamov_verify.checks import Verdict
from agzamov_verify.checks.ledger import Number, Status
from agzamov_verify.players.reading import read_page, read_spot
from agzamov_verify.questions import Answer, Chat, Question, Reply
from bundles.workshop import SEATS, check, gates, make, told

MATCH = "p0-holdem-naked-agent"
PHASE0: dict[str, Any] = {
    "title": "Phase 0",
    "seats": SEATS,
    "holdem": {"session_hands": 2},
    "matches": [{"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 20, "block_hands": 2}],
}


def helped(question: Question) -> Answer:
    """The random seat gives every hand away, with words such as it would use; the agent asks for it."""
    assert isinstance(question, Chat)
    verbs = [verb.value for verb in read_spot(read_page(question.messages)).options.verbs]
    if question.seat == "dice":
        action = next(verb for verb in ("fold", "check", "call") if verb in verbs)
        return Reply(text=f"One of {len(verbs)} kinds of action, by chance.\nACTION: {action}", model="random")
    return LocalSeat("reference", None).complete(ChatRequest(question.messages, question.seed))


def chance(verdict: Verdict) -> Status:
    return next(step.status for step in verdict.steps if step.number == Number.CHANCE)


@pytest.mark.parametrize("answer", [None, helped], ids=["honest", "helped"])
def test_a_random_seat_that_plays_to_lose_is_found(answer: Any, tmp_path: Path) -> None:
    made = make(PHASE0, tmp_path, answer)
    verdict = check(made)
    if answer is None:
        assert (verdict.level, chance(verdict)) == ("V1", Status.PASS), told(verdict)
        return
    assert gates(made) == {MATCH: "passed"}
    assert [step.number for step in verdict.steps if step.status is Status.FAIL] == [Number.CHANCE]
    assert "the random seat's 'One of" in told(verdict)


def test_where_nobody_answers_by_chance_the_step_does_not_apply(tiny: Path) -> None:
    verdict = check(tiny)
    assert (verdict.level, chance(verdict)) == ("V1", Status.NOT_APPLICABLE)
