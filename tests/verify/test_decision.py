"""One decision under each illegal-action policy: what is asked, what comes of it, what is counted."""

from collections.abc import Sequence

import msgspec
import pytest

from agzamov_verify.core.questions import Answer, Chat, Message, NoReply, Question, Reply, Try
from agzamov_verify.core.shown import Shown
from agzamov_verify.table.decision import RETRIES_MAX, ActionReader, Forfeit, IllegalPolicy, Tally, decide
from agzamov_verify.table.declared import Accepted, Fault, FaultKind
from verify.scripted import chat, told, without_signals

SUBSTITUTE, FORFEIT = IllegalPolicy.SUBSTITUTE, IllegalPolicy.RETRY_THEN_FORFEIT
GOOD, UNREADABLE, ILLEGAL = Reply(text="7"), Reply(text="seven"), Reply(text="13")
SILENT = NoReply(reason="filtered")
REMINDER = "Say a number from 1 to 9."


def read(answer: Reply | NoReply) -> Accepted[int] | Fault:
    """The rules of a tiny game: a number from 1 to 9, exact where nothing stands around it."""
    if isinstance(answer, NoReply):
        return Fault(FaultKind.NO_REPLY, "there was no reply")
    text = answer.text.strip()
    if not text.isdecimal():
        return Fault(FaultKind.NO_ACTION, f"{text} is no number")
    if int(text) > 9:
        return Fault(FaultKind.ILLEGAL, f"{text} is too large")
    return Accepted(int(text), exact=text == answer.text)


def decided(answers: Sequence[Answer], policy: IllegalPolicy) -> tuple[int | Forfeit, list[Question], Tally]:
    tally = Tally()
    rules = ActionReader(read, lambda attempt: 100 + attempt, REMINDER)
    action, asked = told(decide(chat(), rules, policy, tally), answers)
    return action, asked, tally


def final_faults(tally: Tally) -> int:
    """Decisions that had no legal action even after every attempt."""
    return sum(getattr(tally, f"final_{kind.value}") for kind in FaultKind)


def counted(tally: Tally) -> dict[str, int]:
    """What was counted, without zeros and without what is counted of the text alone."""
    bare = without_signals(tally)
    return {name: getattr(bare, name) for name in bare.__struct_fields__ if getattr(bare, name)}


@pytest.mark.parametrize("policy", IllegalPolicy)
def test_a_legal_action_is_taken_at_once(policy: IllegalPolicy) -> None:
    action, asked, tally = decided([GOOD], policy)
    assert (7, [chat()]) == (action, asked)
    assert counted(tally) == {"decisions": 1, "calls": 1, "first_exact": 1}
    assert (tally.faults, final_faults(tally)) == (0, 0)


def test_an_action_in_another_spelling_is_taken_and_counted_apart() -> None:
    action, _, tally = decided([Reply(text=" 7 ")], SUBSTITUTE)
    assert action == 7
    assert counted(tally) == {"decisions": 1, "calls": 1, "first_normalised": 1}


def test_the_classes_of_first_attempts_add_up_to_the_decisions() -> None:
    names = ["first_exact", "first_normalised", *(f"first_{kind.value}" for kind in FaultKind)]
    assert set(names) == {name for name in Tally.__struct_fields__ if name.startswith("first_")}
    tally = Tally(**{name: 10**at for at, name in enumerate(names)})
    assert tally.faults == 1_111_100


KINDS = [(UNREADABLE, "no_action"), (ILLEGAL, "illegal"), (SILENT, "no_reply")]


@pytest.mark.parametrize(("answer", "kind"), KINDS)
def test_substitute_replaces_the_first_fault_and_counts_its_class(answer: Answer, kind: str) -> None:
    action, _, tally = decided([answer], SUBSTITUTE)
    assert action == 100
    assert {"decisions": 1, "calls": 1, "substituted": 1, f"first_{kind}": 1, f"final_{kind}": 1} == counted(tally)
    assert (tally.faults, final_faults(tally)) == (1, 1)


@pytest.mark.parametrize(("answer", "kind"), KINDS)
@pytest.mark.parametrize("retries", range(1, RETRIES_MAX + 1))
def test_a_retry_that_is_legal_counts_only_as_a_first_fault(answer: Answer, kind: str, retries: int) -> None:
    action, _, tally = decided([answer] * retries + [GOOD], FORFEIT)
    assert action == 7
    assert {"decisions": 1, "calls": 1 + retries, f"first_{kind}": 1} == counted(tally)
    assert (tally.faults, final_faults(tally)) == (1, 0)


@pytest.mark.parametrize(("answer", "kind"), KINDS)
def test_the_fourth_fault_forfeits_the_game(answer: Answer, kind: str) -> None:
    action, asked, tally = decided([answer] * 4, FORFEIT)
    assert action == Forfeit()
    assert [question.attempt for question in asked] == [0, 1, 2, 3]
    assert {"decisions": 1, "calls": 4, "forfeited": 1, f"first_{kind}": 1, f"final_{kind}": 1} == counted(tally)


def test_the_first_and_the_final_fault_are_classed_each_by_its_own() -> None:
    _, _, tally = decided([UNREADABLE, SILENT, UNREADABLE, ILLEGAL], FORFEIT)
    assert (tally.first_no_action, tally.final_illegal) == (1, 1)
    assert (tally.faults, final_faults(tally)) == (1, 1)


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
    *before, last = asked[0].messages
    assert asked[1].messages == (
        *before,
        Message(f"{last.content}\n\nRejected: there was no reply. {REMINDER}", "user"),
    )


def test_a_retry_after_no_reply_shows_the_same_image() -> None:
    shown = Shown("auto", "chess", 512, "8/8/8/8/8/8/8/8", "0" * 64, "discs", 512)
    system, user = chat().messages
    asked = msgspec.structs.replace(chat(), messages=(system, msgspec.structs.replace(user, shown=(shown,))))
    rules = ActionReader(read, lambda attempt: 100 + attempt, REMINDER)
    _, questions = told(decide(asked, rules, FORFEIT, Tally()), [SILENT, Reply(text=""), GOOD])
    assert [question.messages[-1].shown for question in questions if isinstance(question, Chat)] == [(shown,)] * 3


@pytest.mark.parametrize("empty", [SILENT, Reply(text=""), Reply(text=" \n")], ids=["none", "empty", "white space"])
def test_users_and_assistants_alternate_in_every_retry(empty: Answer) -> None:
    _, asked, _ = decided([empty, empty, UNREADABLE, empty], FORFEIT)
    for question in asked:
        roles = [message.role for message in question.messages if message.role != "system"]
        assert roles == ["user" if at % 2 == 0 else "assistant" for at in range(len(roles))]
        assert roles[-1] == "user"
    assert asked[2].messages[-1].content.count("Rejected:") == 2


def test_a_retry_changes_nothing_but_the_attempt_and_the_talk() -> None:
    _, asked, _ = decided([UNREADABLE, GOOD], FORFEIT)
    first, second = asked
    assert second == Chat(1, first.game, second.messages, first.seed, first.to, first.turn)


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
        "first_exact": 1,
        "substituted": 2,
        "first_illegal": 1,
        "final_illegal": 1,
        "first_no_reply": 1,
        "final_no_reply": 1,
    }
