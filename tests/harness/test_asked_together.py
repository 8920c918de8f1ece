"""Questions asked together of the world: at once where a port allows it, recorded in order, none lost by a crash."""

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from agzamov_harness.ports import PortFault
from agzamov_harness.run.dispatch import RunPorts, World
from agzamov_harness.run.questions_together import FILE, CallSlots, in_lanes, side_by_side
from agzamov_harness.run.recorder import Recorder, recorded
from agzamov_verify.core.journal import Chain, Entry
from agzamov_verify.core.questions import REPLY, Answer, Chat, Message, Question, Reply
from agzamov_verify.core.script import Divergence, Exchanges, Script, ask_together
from agzamov_verify.scoring.call_records import decode

RUN, STREAM = "0123456789abcdef", "p1-toy-naked-agent-b00000"
SEATS, ROUNDS = 4, 3
WAIT_S = 20


def votes() -> Script[list[str]]:
    """Rounds of votes; each prompt holds the votes of the rounds before."""
    told: list[str] = []
    for number in range(ROUNDS):
        questions = [
            Chat(0, f"g{number:05d}", (Message(" ".join(told), "user"),), 7, f"seat{place}", place)
            for place in range(SEATS)
        ]
        replies = yield from ask_together(questions, REPLY)
        told += [reply.text if isinstance(reply, Reply) else "-" for reply in replies]
    return told


def said(question: Question) -> Reply:
    return Reply(text=f"{question.to} votes {question.game}")


class Seats:
    """Answers when `may(question)` returns; keeps whom it was asked and told to restore."""

    def __init__(self, may: Callable[[Question], object] = lambda _: None, *, shared: bool = True) -> None:
        self.asked: list[Question] = []
        self.restored: list[Question] = []
        self.in_flight, self.most_in_flight = 0, 0
        self._may, self._shared, self._lock = may, shared, threading.Lock()

    def __call__(self, question: Question) -> Answer:
        with self._lock:
            self.asked.append(question)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            self._may(question)
        finally:
            with self._lock:
                self.in_flight -= 1
        return said(question)

    def restore(self, question: Question, recorded: Answer) -> None:
        assert recorded == said(question)
        self.restored.append(question)

    def is_shared(self, question: Question) -> bool:
        return self._shared


def play(folder: Path, seats: Seats, in_flight: int = SEATS) -> list[str]:
    ticks, limit = itertools.count(step=1000), CallSlots(in_flight)
    with Recorder(folder, RUN, STREAM, seats, lambda: next(ticks), str, limit) as recorder:
        story = Exchanges(votes(), recorder, recorder.together)
        for _ in story:
            pass
        recorder.finish()
    return story.value


def journal(folder: Path) -> bytes:
    return (folder / STREAM / "000000.jsonl").read_bytes()


def entries(folder: Path) -> list[Entry]:
    return list(Chain(RUN, STREAM).read_all(journal(folder).splitlines()))


def in_this_order(order: Sequence[int]) -> Callable[[Question], None]:
    """Holds the seats of each round back until it is their turn in `order`; all must be in flight together."""
    turns = {(f"g{number:05d}", place): threading.Event() for number in range(ROUNDS) for place in range(SEATS)}
    for number in range(ROUNDS):
        turns[f"g{number:05d}", order[0]].set()

    def may(question: Question) -> None:
        assert turns[question.game, question.turn].wait(WAIT_S)
        at = list(order).index(question.turn)
        if at + 1 < SEATS:
            turns[question.game, order[at + 1]].set()

    return may


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """The folder of a stream in which one question was answered after another."""
    play(tmp_path / "whole", Seats(), in_flight=1)
    return tmp_path / "whole"


# --- at once, and in order -----------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2), (2, 0, 3, 1)])
def test_whoever_answers_first_the_journal_is_the_same_to_the_byte(
    whole: Path, tmp_path: Path, order: list[int]
) -> None:
    seats = Seats(in_this_order(order))
    play(tmp_path, seats)
    assert journal(tmp_path) == journal(whole)
    calls = [decode(line) for line in (tmp_path / STREAM / "calls.ndjson").read_bytes().splitlines()]
    assert [call.to for call in calls] == [entry.question.to for entry in entries(tmp_path)]
    assert all(call.us for call in calls)


def test_all_seats_of_a_round_think_at_the_same_time(tmp_path: Path) -> None:
    meeting = threading.Barrier(SEATS)
    play(tmp_path, Seats(lambda _: meeting.wait(WAIT_S)))


@pytest.mark.parametrize("limit", [1, 2])
def test_no_more_calls_are_in_flight_than_the_run_allows(tmp_path: Path, limit: int) -> None:
    seats = Seats(lambda _: threading.Event().wait(0.005))
    play(tmp_path, seats, in_flight=limit)
    assert seats.most_in_flight == limit


def test_the_questions_to_a_port_with_a_state_come_one_after_another_in_their_order(
    whole: Path, tmp_path: Path
) -> None:
    class OneSeat(Seats):
        def is_shared(self, question: Question) -> bool:
            return question.turn % 2 == 0

    assert in_lanes(["memory_a", None, "memory_b", "memory_a", None]) == [[0, 3], [1], [2], [4]]
    order: list[int] = []
    for outcome in side_by_side(in_lanes(["a", "a", "a"]), order.append, CallSlots(1)):
        assert outcome.fault is None
    assert order == [0, 1, 2]
    play(tmp_path, OneSeat())
    assert journal(tmp_path) == journal(whole)


def test_a_port_opened_for_a_stream_has_a_state_and_a_shared_one_has_none() -> None:
    class Port:
        def answer(self, question: Question) -> Answer:
            return said(question)

        def restore(self, question: Question, recorded: Answer) -> None:
            pass

        def close(self) -> None:
            pass

    shared = {"seat0": Port(), "seat1": Port()}
    with RunPorts(shared, {"seat1": lambda _: Port(), "seat2": lambda _: Port(), "seat3": lambda _: None}).open(
        "s"
    ) as world:
        asked = [Chat(0, "g", (), 7, f"seat{place}", place) for place in range(4)]
        assert [world.is_shared(one) for one in asked] == [True, False, False, False]
    assert not World({}).is_shared(asked[0])


# --- crashes and faults --------------------------------------------------------------------------


class Killed(BaseException):
    """The process ends here."""


def failing(order: Sequence[int], number: int, fails: Sequence[int], error: Callable[[], BaseException]) -> Seats:
    """Seats that answer in this order; in round `number` those of `fails` do not, once all others have."""
    hold = in_this_order(order)
    left, others_answered = threading.Semaphore(max(0, SEATS - len(fails) - 1)), threading.Event()
    if len(fails) == SEATS:
        others_answered.set()

    def may(question: Question) -> None:
        if question.game != f"g{number:05d}":
            hold(question)
        elif question.turn in fails:
            assert others_answered.wait(WAIT_S)
            raise error()
        elif not left.acquire(blocking=False):
            others_answered.set()

    return Seats(may)


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("fails", [[0], [1], [3], [0, 2], [1, 2, 3], [0, 1, 2, 3]])
def test_answers_that_came_are_kept_when_another_fails_and_only_the_missing_are_asked_again(
    whole: Path, tmp_path: Path, number: int, fails: list[int]
) -> None:
    with pytest.raises(PortFault, match="the line is dead"):
        play(tmp_path, failing(range(SEATS), number, fails, lambda: PortFault("the line is dead")))
    assert len(entries(tmp_path)) == number * SEATS + fails[0]
    kept = [entry.question.turn for entry in recorded(tmp_path)][number * SEATS :]
    assert sorted(kept) == [place for place in range(SEATS) if place not in fails]
    again = Seats()
    play(tmp_path, again)
    assert [one.turn for one in again.asked if one.game == f"g{number:05d}"] == fails
    assert len(again.asked) + len(again.restored) == SEATS * ROUNDS
    assert journal(tmp_path) == journal(whole)
    waiting = tmp_path / STREAM / FILE
    assert not waiting.exists() or not waiting.read_bytes()


def test_after_a_fault_no_further_question_is_asked() -> None:
    begun: list[int] = []

    def call(at: int) -> int:
        begun.append(at)
        raise PortFault("no")

    outcomes = list(side_by_side([[0, 1, 2]], call, CallSlots(1)))
    assert (begun, [outcome.at for outcome in outcomes]) == ([0], [0])


def test_a_call_that_waited_for_its_slot_does_not_begin_after_a_fault() -> None:
    begun: list[int] = []

    def call(at: int) -> int:
        begun.append(at)
        raise PortFault("no")

    outcomes = list(side_by_side([[at] for at in range(8)], call, CallSlots(1)))
    assert len(begun) == len(outcomes) == 1


def test_answers_that_wait_outlast_a_second_fault_in_their_round(whole: Path, tmp_path: Path) -> None:
    """A round before it that is replayed whole must not empty the file in which they wait."""
    with pytest.raises(PortFault):
        play(tmp_path, failing(range(SEATS), 1, [0], lambda: PortFault("no")))
    for _ in range(2):
        with pytest.raises(PortFault):
            play(tmp_path, Seats(dead_at("g00001", 0)))
    again = Seats()
    play(tmp_path, again)
    assert [one.turn for one in again.asked if one.game == "g00001"] == [0]
    assert journal(tmp_path) == journal(whole)


def dead_at(game: str, turn: int) -> Callable[[Question], None]:
    def may(question: Question) -> None:
        if (question.game, question.turn) == (game, turn):
            raise PortFault("no")

    return may


def test_a_port_with_a_state_is_asked_again_for_all_that_follows_a_lost_answer(tmp_path: Path) -> None:
    """Its first answer was lost with the cache of the disk, and its second waits: it is not told that one before."""

    def two_to_one() -> Script[None]:
        places = enumerate(("seat0", "seat1", "seat2", "seat1"))
        yield from ask_together([Chat(0, "g00000", (Message("", "user"),), 7, to, at) for at, to in places], REPLY)

    class OneState(Seats):
        def is_shared(self, question: Question) -> bool:
            return question.to != "seat1"

    def played(seats: Seats) -> None:
        with Recorder(tmp_path, RUN, STREAM, seats, lambda: 0) as recorder:
            for _ in Exchanges(two_to_one(), recorder, recorder.together):
                pass

    others = threading.Semaphore(0)

    def may(question: Question) -> None:
        if question.turn:
            others.release()
            return
        for _ in range(SEATS - 1):
            assert others.acquire(timeout=WAIT_S)
        raise PortFault("no")

    with pytest.raises(PortFault):
        played(OneState(may))
    path = tmp_path / STREAM / FILE
    kept = [line for line in path.read_bytes().splitlines(keepends=True) if b'"seq":1,' not in line]
    assert len(kept) == 2
    path.write_bytes(b"".join(kept))
    again = OneState()
    played(again)
    assert sorted(one.turn for one in again.asked) == [0, 1, 3]
    assert [one.turn for one in again.restored] == [2]


def copies_at_each_byte(folder: Path, name: str, step: int) -> Iterator[bytes]:
    data = (folder / STREAM / name).read_bytes()
    for end in range(0, len(data) + 1, step):
        yield data[:end]


def test_a_crash_at_any_byte_of_a_waiting_answer_costs_that_answer_at_most(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(PortFault):
        play(tmp_path / "crashed", failing(range(SEATS), 1, [0], lambda: PortFault("no")))
    recorded_bytes = journal(tmp_path / "crashed")
    for number, left in enumerate(copies_at_each_byte(tmp_path / "crashed", FILE, 37)):
        folder = tmp_path / str(number)
        (folder / STREAM).mkdir(parents=True)
        (folder / STREAM / "000000.jsonl").write_bytes(recorded_bytes)
        (folder / STREAM / FILE).write_bytes(left)
        again = Seats()
        play(folder, again)
        assert len([one for one in again.asked if one.game == "g00001"]) == SEATS - left.count(b"\n")
        assert journal(folder) == journal(whole)


def test_a_crash_between_the_journal_and_the_waiting_answers_takes_none_twice(whole: Path, tmp_path: Path) -> None:
    """Killed before the file of waiting answers is emptied, it holds what the journal has too."""
    with pytest.raises(PortFault):
        play(tmp_path, failing(range(SEATS), 1, [0], lambda: PortFault("no")))
    waiting = (tmp_path / STREAM / FILE).read_bytes()
    play(tmp_path, Seats())
    for lines in range(SEATS * ROUNDS + 1):
        (tmp_path / STREAM / FILE).write_bytes(waiting)
        kept = journal(whole).splitlines(keepends=True)[:lines]
        (tmp_path / STREAM / "000000.jsonl").write_bytes(b"".join(kept))
        in_all = {entry.seq for entry in recorded(tmp_path)}
        assert len(list(recorded(tmp_path))) == len(in_all) == max(lines, len(in_all))
        if lines >= SEATS:
            play(tmp_path, Seats())
            assert journal(tmp_path) == journal(whole)


def test_a_waiting_answer_to_another_question_diverges_at_its_entry(tmp_path: Path) -> None:
    with pytest.raises(PortFault):
        play(tmp_path, failing(range(SEATS), 1, [0], lambda: PortFault("no")))
    waiting = tmp_path / STREAM / FILE
    waiting.write_bytes(waiting.read_bytes().replace(b'"to":"seat2","turn":2', b'"to":"seat3","turn":2'))
    with pytest.raises(Divergence, match=f"{STREAM} entry 6: expected a question to seat2"):
        play(tmp_path, Seats())
