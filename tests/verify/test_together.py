"""Questions that are asked together: one order for all who answer, and nothing of a round in a prompt of that round."""

from collections.abc import Sequence

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
    Message,
    NoReply,
    Question,
    Reply,
)
from agzamov_verify.core.script import (
    Divergence,
    Exchanges,
    Following,
    Replay,
    Script,
    Together,
    ask,
    ask_together,
    drive,
    together,
)
from agzamov_verify.table.decision import ActionReader, Forfeit, IllegalPolicy, Tally, decide
from agzamov_verify.table.declared import Accepted, Fault, FaultKind, read_declared
from verify.scripted import told

SEATS = ("ann", "bob", "cat")


def question(seat: str, turn: int = 0, text: str = "Your vote?", attempt: int = 0) -> Chat:
    return Chat(attempt, "g00000", (Message(text, "user"),), 7, seat, turn)


def vote() -> Script[list[str]]:
    """Three votes that nobody sees, and one word afterwards."""
    replies = yield from ask_together([question(seat, turn) for turn, seat in enumerate(SEATS)], REPLY)
    votes = [reply.text if isinstance(reply, Reply) else "-" for reply in replies]
    last = yield from ask(question("ann", 3, " ".join(votes)), REPLY)
    return [*votes, last.text if isinstance(last, Reply) else "-"]


def talk(seat: str, turns: int, place: int = 0) -> Script[list[str]]:
    """A conversation with one seat, in which each prompt holds all that it said before."""
    heard: list[str] = []
    for turn in range(turns):
        answer = yield from ask(question(seat, 10 * turn + place, f"You said: {heard}"), REPLY)
        heard.append(answer.text if isinstance(answer, Reply) else "-")
    return heard


def words(*texts: str) -> list[Answer]:
    return [Reply(text=text) for text in texts]


def entries(questions: list[Question], answers: list[Answer]) -> list[Entry]:
    pairs = zip(questions, answers, strict=True)
    return [Entry(answer, GENESIS, asked(question), "r", seq, "s", 1) for seq, (question, answer) in enumerate(pairs)]


# --- who answers ---------------------------------------------------------------------------------


def test_answers_come_in_the_order_of_the_questions() -> None:
    value, questions = told(vote(), words("a", "b", "c", "d"))
    assert value == ["a", "b", "c", "d"]
    assert [one.to for one in questions] == ["ann", "bob", "cat", "ann"]


def test_whoever_answers_together_is_given_all_questions_at_once() -> None:
    rounds: list[list[str]] = []

    def at_once(questions: Sequence[Question]) -> tuple[Answer, ...]:
        rounds.append([one.to for one in questions])
        return tuple(words(*rounds[-1]))

    story = Exchanges(vote(), lambda _: Reply(text="alone"), at_once)
    assert [answer for _, answer in story] == words("ann", "bob", "cat", "alone")
    assert (rounds, story.value, story.widest) == ([list(SEATS)], ["ann", "bob", "cat", "alone"], 3)


def test_a_journal_of_questions_asked_together_replays() -> None:
    answers = words("a", "b", "c", "d")
    value, questions = told(vote(), answers)
    replay = Replay("s", iter(entries(questions, answers)))
    assert drive(vote(), replay) == value
    replay.finish()


@pytest.mark.parametrize("at", range(4))
def test_two_answers_that_changed_places_diverge_at_the_first(at: int) -> None:
    answers = words("a", "b", "c", "d")
    _, questions = told(vote(), answers)
    told_entries = entries(questions, answers)
    told_entries[at], told_entries[at - 1] = told_entries[at - 1], told_entries[at]
    with pytest.raises(Divergence, match=f"s entry {min(at, at - 1) if at else 0}"):
        drive(vote(), Replay("s", iter(told_entries)))


def test_an_answer_of_another_kind_diverges() -> None:
    def script() -> Script[object]:
        return (yield from ask_together([Evaluate(game="g", moves="", start_fen="", turn=0, to=ENGINE)], EVALUATION))

    with pytest.raises(Divergence, match="expected an answer of kind evaluation, found reply"):
        drive(script(), lambda _: Reply(text="5"))


def test_a_reader_of_a_journal_follows_question_by_question() -> None:
    following = Following(vote())
    seen = []
    while following.question:
        seen.append(following.question.to)
        following.take(Reply(text=following.question.to))
    assert seen == ["ann", "bob", "cat", "ann"]
    assert following.value == ["ann", "bob", "cat", "ann"]


def test_two_questions_of_one_name_and_no_question_are_refused() -> None:
    with pytest.raises(ValueError, match="expected questions that differ"):
        Together((question("ann"), question("ann", text="Again?")))
    with pytest.raises(ValueError, match="expected questions that differ"):
        Together(())
    assert Together((question("ann"), question("ann", attempt=1))).questions[1].attempt == 1


# --- scripts side by side ------------------------------------------------------------------------


def test_scripts_advance_by_one_question_each_in_a_round() -> None:
    value, questions = told(together([talk("ann", 1, 0), talk("bob", 3, 1), talk("cat", 2, 2)]), words(*"abcdef"))
    assert value == (["a"], ["b", "d", "f"], ["c", "e"])
    assert [one.to for one in questions] == ["ann", "bob", "cat", "bob", "cat", "bob"]


def test_scripts_that_ask_nothing_and_no_scripts_at_all_have_their_values() -> None:
    assert told(together([talk("ann", 0), talk("bob", 0)]), []) == (([], []), [])
    assert told(together([]), []) == ((), [])


def test_questions_asked_together_within_scripts_side_by_side_are_one_round() -> None:
    steps = []

    def within() -> Script[tuple[object, ...]]:
        return (yield from together([vote(), talk("dan", 2, 9)]))

    def at_once(questions: Sequence[Question]) -> tuple[Answer, ...]:
        steps.append([one.to for one in questions])
        return tuple(words(*steps[-1]))

    story = Exchanges(within(), lambda _: Reply(text="alone"), at_once)
    assert len(list(story)) == 6
    assert story.value == (["ann", "bob", "cat", "ann"], ["dan", "dan"])
    assert steps == [["ann", "bob", "cat", "dan"], ["ann", "dan"]]


def test_a_fault_in_one_script_closes_the_others() -> None:
    closed = []

    def tidy(seat: str) -> Script[None]:
        try:
            yield from ask(question(seat), REPLY)
        finally:
            closed.append(seat)

    def broken() -> Script[None]:
        yield from ask(question("cat"), EVALUATION)

    with pytest.raises(Divergence):
        drive(together([tidy("ann"), broken(), tidy("bob")]), lambda _: Reply(text="x"))
    assert sorted(closed) == ["ann", "bob"]


@given(st.lists(st.lists(st.text(max_size=4), max_size=4), max_size=4), st.data())
def test_what_one_seat_answers_stands_in_no_prompt_of_another(said: list[list[str]], data: st.DataObject) -> None:
    seats = [f"seat{place}" for place in range(len(said))]

    def prompts_of(seat: str, words_of_others: str) -> list[Question]:
        asked_questions = []

        def answer(one: Question) -> Answer:
            place = seats.index(one.to)
            if one.to == seat:
                asked_questions.append(one)
                return Reply(text=said[place][one.turn // 10])
            return Reply(text=words_of_others)

        drive(together([talk(name, len(said[place]), place) for place, name in enumerate(seats)]), answer)
        return asked_questions

    if seats:
        seat = data.draw(st.sampled_from(seats))
        assert prompts_of(seat, "one thing") == prompts_of(seat, "ANOTHER")


# --- whole decisions -----------------------------------------------------------------------------


def reader(legal: str) -> ActionReader[str]:
    def read_action(text: str) -> Accepted[str] | Fault:
        return Accepted(text, exact=True) if text in legal.split() else Fault(FaultKind.ILLEGAL, f"{text} is not legal")

    def read(answer: Reply | NoReply) -> Accepted[str] | Fault:
        return read_declared(answer, "ACTION:", read_action)

    return ActionReader(read, lambda _: "substitute", "Declare one action")


def test_retries_of_several_seats_go_on_side_by_side() -> None:
    tallies = [Tally(), Tally(), Tally()]
    decisions = [
        decide(question(seat, place), reader("up down"), IllegalPolicy.RETRY_THEN_FORFEIT, tallies[place])
        for place, seat in enumerate(SEATS)
    ]
    answers = words("ACTION: up", "ACTION: left", "ACTION: left", "ACTION: down", *["ACTION: left"] * 3)
    value, questions = told(together(decisions), answers)
    assert value == ("up", "down", Forfeit())
    assert [(one.to, one.attempt) for one in questions] == [
        ("ann", 0),
        ("bob", 0),
        ("cat", 0),
        ("bob", 1),
        ("cat", 1),
        ("cat", 2),
        ("cat", 3),
    ]
    assert [(tally.decisions, tally.calls, tally.forfeited) for tally in tallies] == [(1, 1, 0), (1, 2, 0), (1, 4, 1)]
