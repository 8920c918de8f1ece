"""Driving a script, and replaying it from a journal that must tell the same story."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.core.journal import GENESIS, Entry, asked
from agzamov_verify.core.questions import (
    ENGINE,
    EVALUATION,
    REPLY,
    Answer,
    Chat,
    Evaluate,
    Evaluation,
    Message,
    NoReply,
    Question,
    Reply,
)
from agzamov_verify.core.script import Divergence, Replay, Script, ask, describe, drive
from verify.scripted import Scripted, told

START = "8/8/8/8/8/8/8/8 w - - 0 1"


def talk(opening: str, rounds: int) -> Script[list[str]]:
    """Asks `rounds` times; what was said before is in each prompt."""
    heard = [opening]
    for turn in range(rounds):
        answer = yield from ask(Chat(0, "g00000", (Message(" ".join(heard), "user"),), 7, "agent", turn), REPLY)
        heard.append(answer.text if isinstance(answer, Reply) else "-")
    yield from ask(Evaluate(game="g00000", moves="", start_fen=START, turn=rounds, to=ENGINE), EVALUATION)
    return heard


ANSWERS: list[Answer] = [Reply(text="one"), NoReply(reason="refused"), Reply(text="three"), Evaluation(5, None)]


def journal(questions: list[Question], answers: list[Answer]) -> list[Entry]:
    pairs = zip(questions, answers, strict=True)
    return [Entry(answer, GENESIS, asked(question), "r", seq, "s", 1) for seq, (question, answer) in enumerate(pairs)]


def recorded() -> list[Entry]:
    _, questions = told(talk("zero", 3), ANSWERS)
    return journal(questions, ANSWERS)


def replayed(script: Script[list[str]], entries: list[Entry]) -> list[str]:
    replay = Replay("s", iter(entries))
    value = drive(script, replay)
    replay.finish()
    return value


def test_driving_a_script_gives_its_value() -> None:
    heard, questions = told(talk("zero", 3), ANSWERS)
    assert heard == ["zero", "one", "-", "three"]
    assert [Message("zero one", "user")] == list(questions[1].messages)


def test_a_script_that_asks_nothing_needs_no_answer() -> None:
    def silent() -> Script[int]:
        return 5
        yield

    assert drive(silent(), Scripted([])) == 5


def test_a_replay_of_a_recorded_journal_gives_the_same_value() -> None:
    assert replayed(talk("zero", 3), recorded()) == ["zero", "one", "-", "three"]


@given(st.lists(st.text(max_size=5), max_size=6))
def test_any_recorded_talk_replays(texts: list[str]) -> None:
    answers: list[Answer] = [*(Reply(text=text) for text in texts), Evaluation(0, None)]
    heard, questions = told(talk("zero", len(texts)), answers)
    assert heard == replayed(talk("zero", len(texts)), journal(questions, answers))


def divergence(script: Script[list[str]], entries: list[Entry]) -> Divergence:
    with pytest.raises(Divergence) as caught:
        replayed(script, entries)
    return caught.value


def test_an_edited_answer_diverges_at_the_next_question() -> None:
    entries = recorded()
    edited = entries[0]
    entries[0] = Entry(Reply(text="ONE"), edited.prev, edited.question, "r", 0, "s", 1)
    error = divergence(talk("zero", 3), entries)
    assert error.place == "s entry 1"
    assert entries[1].question.digest[:16] in error.found


def test_an_edited_prompt_diverges_at_its_own_question() -> None:
    error = divergence(talk("null", 3), recorded())
    assert (error.place, "game g00000 turn 0 attempt 0" in error.expected) == ("s entry 0", True)


@pytest.mark.parametrize("field", ["ask", "attempt", "game", "to", "turn"])
def test_a_short_field_that_does_not_fit_its_question_diverges(field: str) -> None:
    entries = recorded()
    question = {name: getattr(entries[2].question, name) for name in entries[2].question.__struct_fields__}
    question[field] = 9 if isinstance(question[field], int) else "evaluate"
    entries[2] = Entry(entries[2].answer, GENESIS, type(entries[2].question)(**question), "r", 2, "s", 1)
    assert divergence(talk("zero", 3), entries).place == "s entry 2"


def test_entries_left_over_diverge_after_the_last_question() -> None:
    entries = recorded()
    error = divergence(talk("zero", 3), [*entries, entries[-1]])
    assert (error.place, error.expected) == ("s entry 4", "the journal's end")


@pytest.mark.parametrize("kept", range(4))
def test_missing_entries_diverge_where_the_journal_ends(kept: int) -> None:
    error = divergence(talk("zero", 3), recorded()[:kept])
    assert (f"s entry {kept}", "the journal's end") == (error.place, error.found)


def test_a_script_that_stops_early_leaves_entries_over() -> None:
    entries = recorded()
    script = talk("zero", 2)
    assert divergence(script, [*entries[:2], entries[3], entries[2]]).place == "s entry 2"


def test_an_evaluation_where_a_seat_was_asked_diverges() -> None:
    entries = recorded()
    entries[1] = Entry(Evaluation(1, None), GENESIS, entries[1].question, "r", 1, "s", 1)
    error = divergence(talk("zero", 3), entries)
    assert (error.place, error.expected, error.found) == (
        "game g00000 turn 1",
        "an answer of kind reply or no_reply",
        "evaluation",
    )


def test_a_reply_where_the_engine_was_asked_diverges() -> None:
    entries = recorded()
    entries[3] = Entry(Reply(text="+9"), GENESIS, entries[3].question, "r", 3, "s", 1)
    error = divergence(talk("zero", 3), entries)
    assert (error.place, error.expected, error.found) == ("game g00000 turn 3", "an answer of kind evaluation", "reply")


def test_a_question_is_described_by_seat_game_turn_and_attempt() -> None:
    chat = Chat(2, "g00017", (), 7, "opponent", 31)
    assert describe(chat) == "a question to opponent in game g00017 turn 31 attempt 2"
    assert (
        describe(Evaluate(game="g00017", moves="", start_fen=START, turn=31, to=ENGINE))
        == "a question to engine in game g00017 turn 31 attempt 0"
    )


def test_a_scripted_peer_fails_when_answers_are_left_over() -> None:
    with pytest.raises(AssertionError, match="1 scripted answers were never asked for"):
        told(talk("zero", 3), [*ANSWERS, Reply(text="more")])


def test_a_scripted_peer_fails_when_it_has_no_answer_left() -> None:
    with pytest.raises(AssertionError, match="no answer was scripted for question 3"):
        told(talk("zero", 3), ANSWERS[:3])
