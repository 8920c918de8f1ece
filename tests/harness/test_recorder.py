"""The recorder: every answer is on disk before its script sees it, and a crash costs the call in flight at most."""

import itertools
import os
import re
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agzamov_harness.ports import Completion
from agzamov_harness.run import recorder as recorder_module
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.recorder import Answers, Recorder
from agzamov_verify.core.journal import BrokenJournal, Chain, Entry
from agzamov_verify.core.questions import ENGINE, Answer, Chat, Evaluate, Evaluation, Message, Question, Reply
from agzamov_verify.core.script import Divergence
from agzamov_verify.scoring.call_records import CallRecord, decode

RUN, STREAM = "0123456789abcdef", "p1-chess960-naked-agent-b00000"
STEP_NS = 1_500_000


def question(turn: int, game: str = "g00000") -> Question:
    """Every third question of a game goes to the engine."""
    if turn % 3 == 2:
        return Evaluate(game=game, moves="e2e4", start_fen="fen", turn=turn, to=ENGINE)
    return Chat(0, game, (Message(f"What do you play at {turn}?", "user"),), 7, "agent", turn)


QUESTIONS = [question(turn) for turn in range(8)]


class World:
    """Answers from the question alone, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.restored: list[tuple[Question, Answer]] = []

    def __call__(self, question: Question) -> Answer:
        self.asked.append(question)
        if isinstance(question, Evaluate):
            return Evaluation(question.turn, None)
        return Reply(text=f"I think…\nMOVE: {question.turn}")

    def restore(self, question: Question, recorded: Answer) -> None:
        self.restored.append((question, recorded))

    def is_shared(self, question: Question) -> bool:
        return True


def ticking() -> Callable[[], int]:
    ticks = itertools.count(step=STEP_NS)
    return lambda: next(ticks)


def play(folder: Path, questions: list[Question] = QUESTIONS, world: Answers | None = None) -> list[Answer]:
    """Ask these questions of a recorder of the stream."""
    with Recorder(folder, RUN, STREAM, world or World(), ticking()) as recorder:
        return [recorder(question) for question in questions]


def segments(folder: Path) -> list[Path]:
    return sorted((folder / STREAM).glob("*.jsonl"))


def journal(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in segments(folder))


def calls(folder: Path) -> Path:
    return folder / STREAM / "calls.ndjson"


def records(folder: Path) -> list[CallRecord]:
    return [decode(line) for line in calls(folder).read_bytes().splitlines()]


def times(folder: Path) -> dict[str, list[int]]:
    """Microseconds by who answered."""
    found: dict[str, list[int]] = {}
    for call in records(folder):
        found.setdefault(call.to, []).append(call.us)
    return found


def entries(folder: Path) -> list[Entry]:
    """The entries on disk, each checked against the one before it."""
    return list(Chain(RUN, STREAM).read_all(journal(folder).splitlines()))


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """The folder of a stream that was recorded without a break."""
    play(tmp_path / "whole")
    return tmp_path / "whole"


# --- a fresh stream ------------------------------------------------------------------------------


def test_a_fresh_stream_is_asked_of_the_world_and_kept_in_order(tmp_path: Path) -> None:
    world = World()
    answers = play(tmp_path, world=world)
    assert world.asked == QUESTIONS
    assert [entry.answer for entry in entries(tmp_path)] == answers
    assert [entry.question.turn for entry in entries(tmp_path)] == list(range(8))


def test_each_entry_has_one_call_with_its_time_and_who_answered(tmp_path: Path) -> None:
    play(tmp_path)
    agent, engine = [STEP_NS // 1000] * 6, [STEP_NS // 1000] * 2
    assert times(tmp_path) == {"agent": agent, "engine": engine}


def test_what_a_server_makes_up_for_one_call_stands_beside_the_journal_and_the_script_never_sees_it(
    tmp_path: Path,
) -> None:
    def named(question: Question) -> Answer:
        return Completion(text=f"MOVE: {question.turn}", model="m", id=f"id-{tmp_path}", fingerprint="fp")

    answers = play(tmp_path / "named", QUESTIONS[:2], Answering(named))
    assert [type(answer) for answer in answers] == [Reply, Reply]
    assert play(tmp_path / "named", QUESTIONS[:2], Answering(named)) == answers
    plain = Answering(lambda question: Reply(text=f"MOVE: {question.turn}", model="m"))
    play(tmp_path / "plain", QUESTIONS[:2], plain)
    assert journal(tmp_path / "named") == journal(tmp_path / "plain")
    assert [(call.id, call.fingerprint) for call in records(tmp_path / "named")] == [(f"id-{tmp_path}", "fp")] * 2


def test_an_answer_is_on_disk_before_the_script_sees_it(tmp_path: Path) -> None:
    with Recorder(tmp_path, RUN, STREAM, World(), ticking()) as recorder:
        for number, asked in enumerate(QUESTIONS, 1):
            answer = recorder(asked)
            assert len(entries(tmp_path)) == number
            assert entries(tmp_path)[-1].answer == answer


def test_a_stream_that_asks_nothing_leaves_an_empty_journal(tmp_path: Path) -> None:
    play(tmp_path, [])
    assert ([path.name for path in segments(tmp_path)], journal(tmp_path)) == (["000000.jsonl"], b"")


# --- a stream that goes on -----------------------------------------------------------------------


@pytest.mark.parametrize("stopped_after", range(9))
def test_a_resumed_stream_asks_only_what_is_not_recorded(whole: Path, tmp_path: Path, stopped_after: int) -> None:
    play(tmp_path, QUESTIONS[:stopped_after])
    world = World()
    answers = play(tmp_path, world=world)
    assert world.asked == QUESTIONS[stopped_after:]
    assert [asked for asked, _ in world.restored] == QUESTIONS[:stopped_after]
    assert [answer for _, answer in world.restored] == answers[:stopped_after]
    assert answers == [World()(question) for question in QUESTIONS]
    assert journal(tmp_path) == journal(whole)
    assert calls(tmp_path).read_bytes() == calls(whole).read_bytes()


def test_a_torn_last_line_is_cut_wherever_it_was_torn(whole: Path, tmp_path: Path) -> None:
    recorded = journal(whole)
    last = recorded.splitlines(keepends=True)[-1]
    for torn in range(1, len(last) + 1, 9):
        folder = copied(whole, tmp_path / str(torn), recorded[:-torn])
        world = World()
        play(folder, world=world)
        assert world.asked == QUESTIONS[-1:], f"{torn} bytes torn off"
        assert journal(folder) == recorded


@pytest.mark.parametrize("tail", [b'{"answer"', b"\0" * 4096, b"\xff\xfe", b"\r"])
def test_whatever_a_crash_left_behind_the_last_line_is_cut(whole: Path, tmp_path: Path, tail: bytes) -> None:
    recorded = journal(whole)
    folder = copied(whole, tmp_path / "torn", recorded + tail)
    play(folder)
    assert journal(folder) == recorded


@pytest.mark.parametrize(
    ("left", "zeros"),
    [
        (lambda data: data, 0),
        (lambda data: data[:-3], 1),
        (lambda data: data.splitlines(keepends=True)[0], 7),
        (lambda data: b"", 8),
        (lambda data: data + data, 0),
        (lambda data: data + b'{"to":"age', 0),
        (lambda data: data.replace(b"agent", b"ghost", 1), 1),
    ],
    ids=[
        "whole",
        "the last one torn",
        "all but one lost",
        "all lost",
        "too many",
        "one too many and torn",
        "one of another seat",
    ],
)
def test_there_are_as_many_calls_as_entries_whatever_a_crash_did(
    whole: Path, tmp_path: Path, left: Callable[[bytes], bytes], zeros: int
) -> None:
    folder = copied(whole, tmp_path / "crashed", journal(whole))
    calls(folder).write_bytes(left(calls(whole).read_bytes()))
    play(folder)
    found = records(folder)
    assert [call.to for call in found] == [entry.question.to for entry in entries(folder)]
    assert [call.us for call in found].count(0) == zeros


def test_a_lost_file_of_calls_is_made_again_with_no_time_in_it(whole: Path) -> None:
    calls(whole).unlink()
    play(whole)
    assert times(whole) == {"agent": [0] * 6, "engine": [0] * 2}


def test_a_clock_that_jumps_back_gives_no_time_at_all(tmp_path: Path) -> None:
    moments = iter([5_000_000, 2_000_000, 2_000_000, 2_003_999])
    with Recorder(tmp_path, RUN, STREAM, World(), lambda: next(moments)) as recorder:
        recorder(QUESTIONS[0])
        recorder(QUESTIONS[1])
    assert times(tmp_path) == {"agent": [0, 3]}


# --- a journal that was changed ------------------------------------------------------------------


def test_an_edited_answer_is_refused_at_the_entry_that_no_longer_names_it(whole: Path) -> None:
    lines = journal(whole).splitlines()
    lines[3] = lines[3].replace(b"MOVE: 3", b"MOVE: 4")
    rewrite(whole, lines)
    with pytest.raises(BrokenJournal, match=re.escape(f"{STREAM} entry 4: expected prev ")):
        play(whole)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda lines: [lines[0], *lines[2:]], "entry 1: expected prev "),
        (lambda lines: [*lines[:2], lines[1], *lines[2:]], "entry 2: expected prev "),
        (lambda lines: [lines[0], b"", *lines[1:]], "entry 1: expected a journal entry"),
        (lambda lines: [lines[0], b"not JSON", *lines[1:]], "entry 1: expected a journal entry"),
        (lambda lines: [lines[0].replace(b":", b": ", 1), *lines[1:]], "entry 0: expected canonical JSON"),
    ],
    ids=["a line lost", "a line twice", "an empty line", "a foreign line", "another spelling"],
)
def test_a_changed_journal_is_refused_at_a_place_with_a_name(
    whole: Path, edit: Callable[[list[bytes]], list[bytes]], told: str
) -> None:
    rewrite(whole, edit(journal(whole).splitlines()))
    with pytest.raises(BrokenJournal, match=re.escape(f"{STREAM} {told}")):
        play(whole)


def test_the_journal_of_another_run_is_refused(whole: Path) -> None:
    with pytest.raises(BrokenJournal, match="entry 0: expected v 1 run fedcba9876543210 "):
        Recorder(whole, "fedcba9876543210", STREAM, World(), ticking())


def test_a_journal_that_answers_another_question_diverges_there(whole: Path) -> None:
    others = [*QUESTIONS[:4], question(4, "g00001")]
    with pytest.raises(Divergence, match=re.escape(f"{STREAM} entry 4: expected a question to agent in game g00001")):
        play(whole, others)


def test_an_entry_that_no_question_asks_for_is_refused_at_the_scripts_end(whole: Path) -> None:
    with Recorder(whole, RUN, STREAM, World(), ticking()) as recorder:
        for asked in QUESTIONS[:-1]:
            recorder(asked)
        with pytest.raises(Divergence, match="entry 7: expected the journal's end"):
            recorder.finish()
        recorder(QUESTIONS[-1])
        recorder.finish()


# --- segments ------------------------------------------------------------------------------------


SEGMENT_BYTES = 900


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_module, "JOURNAL_SEGMENT_BYTES_MAX", SEGMENT_BYTES)


@pytest.mark.usefixtures("small_segments")
def test_a_full_segment_is_followed_by_another_and_the_chain_goes_through(whole: Path, tmp_path: Path) -> None:
    play(tmp_path)
    sizes = [path.stat().st_size for path in segments(tmp_path)]
    assert [path.name for path in segments(tmp_path)] == [f"{number:06d}.jsonl" for number in range(len(sizes))]
    assert len(sizes) > 2
    assert max(sizes) <= SEGMENT_BYTES
    assert journal(tmp_path) == journal(whole)


@pytest.mark.usefixtures("small_segments")
@pytest.mark.parametrize("stopped_after", range(9))
def test_a_resumed_stream_cuts_its_segments_where_an_unbroken_one_does(tmp_path: Path, stopped_after: int) -> None:
    play(tmp_path / "unbroken")
    play(tmp_path / "resumed", QUESTIONS[:stopped_after])
    play(tmp_path / "resumed")
    cuts = [[path.read_bytes() for path in segments(tmp_path / name)] for name in ("unbroken", "resumed")]
    assert cuts[0] == cuts[1]


@pytest.mark.usefixtures("small_segments")
def test_a_crash_between_two_segments_loses_nothing(tmp_path: Path) -> None:
    play(tmp_path)
    recorded = journal(tmp_path)
    (tmp_path / STREAM / f"{len(segments(tmp_path)):06d}.jsonl").touch()
    world = World()
    play(tmp_path, world=world)
    assert (world.asked, journal(tmp_path)) == ([], recorded)


def test_a_line_longer_than_a_segment_has_one_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_module, "JOURNAL_SEGMENT_BYTES_MAX", 10)
    play(tmp_path)
    assert [len(path.read_bytes().splitlines()) for path in segments(tmp_path)] == [1] * 8


# --- durability ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "durable_when_asked"),
    [
        (str, {"g00000": 0, "g00001": 2, "g00002": 4}),
        (lambda game: str(int(game[1:]) // 2), {"g00000": 0, "g00001": 0, "g00002": 4}),
    ],
    ids=["by game", "by pair of games"],
)
def test_a_unit_is_forced_to_disk_before_the_next_one_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: Callable[[str], str], durable_when_asked: dict[str, int]
) -> None:
    synced: dict[str, int] = {}
    seen: dict[str, int] = {}

    def fsync(descriptor: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        synced[path.name] = len(path.read_bytes().splitlines())

    def world(question: Question) -> Answer:
        assert "calls.ndjson" not in synced, "answer times are forced at the stream's end alone"
        seen.setdefault(question.game, synced.get("000000.jsonl", 0))
        return World()(question)

    monkeypatch.setattr(os, "fsync", fsync)
    with Recorder(tmp_path, RUN, STREAM, Answering(world), ticking(), unit) as recorder:
        for game in durable_when_asked:
            for turn in range(2):
                recorder(question(turn, game))
    assert seen == durable_when_asked
    assert synced == {"000000.jsonl": 6, "calls.ndjson": 6}


@pytest.mark.parametrize("bytes_free", range(0, 2000, 61))
def test_a_full_disk_stops_the_stream_and_leaves_a_journal_that_goes_on(
    whole: Path, tmp_path: Path, bytes_free: int
) -> None:
    with full_after(bytes_free), pytest.raises(OSError, match="File too large"):
        play(tmp_path, QUESTIONS * 2)
    torn = journal(tmp_path)
    assert len(torn) <= bytes_free
    play(tmp_path)
    assert journal(tmp_path) == journal(whole)
    assert journal(tmp_path).startswith(torn[: torn.rfind(b"\n") + 1])
    assert len(calls(tmp_path).read_bytes().splitlines()) == len(QUESTIONS)


def test_nothing_is_written_late_after_a_full_disk(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, RUN, STREAM, World(), ticking())
    with full_after(100), pytest.raises(OSError, match="File too large"):
        recorder(QUESTIONS[0])
    recorder.close()
    assert len(journal(tmp_path)) == 100


def test_a_world_that_fails_leaves_what_it_answered_before(whole: Path, tmp_path: Path) -> None:
    class Failing(World):
        """Answers three questions, then breaks."""

        def __call__(self, question: Question) -> Answer:
            if len(self.asked) == 3:
                raise RuntimeError("the world ends")
            return super().__call__(question)

    with pytest.raises(RuntimeError, match="the world ends"):
        play(tmp_path, world=Failing())
    assert len(entries(tmp_path)) == 3
    play(tmp_path)
    assert journal(tmp_path) == journal(whole)


# --- small helpers -------------------------------------------------------------------------------


def copied(source: Path, target: Path, recorded: bytes) -> Path:
    """A copy of a one-segment stream with other bytes in its journal."""
    (target / STREAM).mkdir(parents=True)
    (target / STREAM / "000000.jsonl").write_bytes(recorded)
    calls(target).write_bytes(calls(source).read_bytes())
    return target


def rewrite(folder: Path, lines: list[bytes]) -> None:
    segments(folder)[0].write_bytes(b"".join(line + b"\n" for line in lines))


@contextmanager
def full_after(bytes_free: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes: writes are cut short, then fail, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
