"""One decision under each illegal-action policy: what is asked, what comes of it, what is counted."""

from collections.abc import Sequence

import pytest

from agzamov_verify.games.decision import RETRIES_MAX, Forfeit, IllegalPolicy, Rules, Tally, decide
from agzamov_verify.games.declared import Fault, FaultKind
from agzamov_verify.questions import Answer, Chat, Message, NoReply, Question, Reply, Try
from verify.scripted import chat, told

SUBSTITUTE, FORFEIT = IllegalPolicy.SUBSTITUTE, IllegalPolicy.RETRY_THEN_FORFEIT
GOOD, UNREADABLE, ILLEGAL = Reply(text="7"), Reply(text="seven"), Reply(text="13")
SILENT = NoReply(reason="filtered")
REMINDER = "Say a number from 1 to 9."


def read(answer: Reply | NoReply) -> int | Fault:
    """The rules of a tiny game: a number from 1 to 9."""
    if isinstance(answer, NoReply):
        return Fault(FaultKind.NO_REPLY, "there was no reply")
    if not answer.text.isdecimal():
        return Fault(FaultKind.NO_ACTION, f"{answer.text} is no number")
    return int(answer.text) if 1 <= int(answer.text) <= 9 else Fault(FaultKind.ILLEGAL, f"{answer.text} is too large")


def decided(answers: Sequence[Answer], policy: IllegalPolicy) -> tuple[int | Forfeit, list[Question], Tally]:
    tally = Tally()
    rules = Rules(read, lambda attempt: 100 + attempt, REMINDER)
    action, asked = told(decide(chat(), rules, policy, tally), answers)
    return action, asked, tally


def counted(tally: Tally) -> dict[str, int]:
    """What was counted, without zeros."""
    return {name: getattr(tally, name) for name in tally.__struct_fields__ if getattr(tally, name)}


@pytest.mark.parametrize("policy", IllegalPolicy)
def test_a_legal_action_is_taken_at_once(policy: IllegalPolicy) -> None:
    action, asked, tally = decided([GOOD], policy)
    assert (7, [chat()]) == (action, asked)
    assert counted(tally) == {"decisions": 1, "calls": 1}
    assert (tally.faults, tally.final_faults) == (0, 0)


KINDS = [(UNREADABLE, "no_action"), (ILLEGAL, "illegal"), (SILENT, "no_reply")]


@pytest.mark.parametrize(("answer", "kind"), KINDS)
def test_substitute_replaces_the_first_fault_and_counts_its_class(answer: Answer, kind: str) -> None:
    action, _, tally = decided([answer], SUBSTITUTE)
    assert action == 100
    assert {"decisions": 1, "calls": 1, "substituted": 1, f"first_{kind}": 1, f"final_{kind}": 1} == counted(tally)
    assert (tally.faults, tally.final_faults) == (1, 1)


@pytest.mark.parametrize(("answer", "kind"), KINDS)
@pytest.mark.parametrize("retries", range(1, RETRIES_MAX + 1))
def test_a_retry_that_is_legal_counts_only_as_a_first_fault(answer: Answer, kind: str, retries: int) -> None:
    action, _, tally = decided([answer] * retries + [GOOD], FORFEIT)
    assert action == 7
    assert {"decisions": 1, "calls": 1 + retries, f"first_{kind}": 1} == counted(tally)
    assert (tally.faults, tally.final_faults) == (1, 0)


@pytest.mark.parametrize(("answer", "kind"), KINDS)
def test_the_fourth_fault_forfeits_the_game(answer: Answer, kind: str) -> None:
    action, asked, tally = decided([answer] * 4, FORFEIT)
    assert action == Forfeit()
    assert [question.attempt for question in asked] == [0, 1, 2, 3]
    assert {"decisions": 1, "calls": 4, "forfeited": 1, f"first_{kind}": 1, f"final_{kind}": 1} == counted(tally)


def test_the_first_and_the_final_fault_are_classed_each_by_its_own() -> None:
    _, _, tally = decided([UNREADABLE, SILENT, UNREADABLE, ILLEGAL], FORFEIT)
    assert (tally.first_no_action, tally.final_illegal) == (1, 1)
    assert (tally.faults, tally.final_faults) == (1, 1)


def test_a_retry_shows_the_whole_talk_and_explains_the_rejection() -> None:
    _, asked, _ = decided([UNREADABLE, ILLEGAL, GOOD], FORFEIT)
    assert asked[2].messages == (
        *chat().messages,
        Message("seven", "assistant"),
        Message(f"Rejected: seven is no number. {REMINDER}", "user"),
        Message("13", "assistant"),
        Message(f"Rejected: 13 is too large. {REMINDER}", "user"),
    )
    assert asked[1].messages == asked[2].messages[:-2]


def test_a_retry_after_no_reply_says_so() -> None:
    _, asked, _ = decided([SILENT, GOOD], FORFEIT)
    assert asked[1].messages[-1] == Message(f"Rejected: there was no reply. {REMINDER}", "user")
    assert asked[1].messages[:-1] == asked[0].messages


def test_a_retry_changes_nothing_but_the_attempt_and_the_talk() -> None:
    _, asked, _ = decided([UNREADABLE, GOOD], FORFEIT)
    first, second = asked
    assert second == Chat(1, first.game, second.messages, first.seat, first.seed, first.turn)


def test_tokens_and_failed_attempts_of_every_call_are_counted() -> None:
    reported = {"prompt_tokens": 100, "cached_tokens": 40, "completion_tokens": 9, "reasoning_tokens": 5}
    trouble = (Try("503", "overloaded"), Try("", "timeout"))
    bad = Reply(text="no", attempts=trouble, **reported)
    _, _, tally = decided([bad, NoReply(reason="", attempts=trouble), Reply(text="7", **reported)], FORFEIT)
    assert (tally.calls, tally.failed_attempts) == (3, 4)
    assert {name: 2 * count for name, count in reported.items()} == {name: getattr(tally, name) for name in reported}


def test_tallies_of_many_decisions_add_up() -> None:
    total = Tally()
    for answers in ([GOOD], [ILLEGAL], [SILENT]):
        _, _, tally = decided(answers, SUBSTITUTE)
        total.add(tally)
    assert counted(total) == {
        "decisions": 3,
        "calls": 3,
        "substituted": 2,
        "first_illegal": 1,
        "final_illegal": 1,
        "first_no_reply": 1,
        "final_no_reply": 1,
    }
