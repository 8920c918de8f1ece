"""The log of executions: what journals held at each start and stop, so that answers that were thrown away show."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agzamov_harness.ports import PortFault
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.execution_log import FILE, ExecutionLog, execution, heads_on_disk
from agzamov_harness.run.recorder import Recorder
from agzamov_verify.core.execution_log import ExecutionHistory, ExecutionSummary
from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.core.questions import Answer, Chat, Message, Question, Reply

RUN, ONE, TWO = "0123456789abcdef", "p1-chess960-naked-agent-b00000", "p1-chess960-naked-agent-b00001"


def answers(folder: Path, stream: str, upto: int, text: str = "MOVE: a") -> None:
    """Record a stream's first answers, as far as `upto`, after those that are there."""

    def world(question: Question) -> Answer:
        return Reply(text=f"{text}{question.turn}")

    with Recorder(folder, RUN, stream, Answering(world), lambda: 0) as recorder:
        for turn in range(upto):
            recorder(Chat(0, "g00000", (Message("Your move?", "user"),), 7, "agent", turn))


def history(folder: Path) -> ExecutionHistory:
    read = ExecutionHistory()
    read.read_all((folder / FILE).read_bytes())
    return read


def faulty(folder: Path, played: Callable[[], None]) -> None:
    """An execution that plays a little and is then stopped by the world."""
    with execution(folder):
        played()
        raise PortFault("the server is gone")


def killed(folder: Path) -> None:
    """An execution that starts and never says that it stops."""
    ExecutionLog(folder).start()


def test_a_run_in_one_go_is_one_execution_that_is_done(tmp_path: Path) -> None:
    with execution(tmp_path):
        answers(tmp_path, ONE, 3)
    assert history(tmp_path).summary == ExecutionSummary(executions=1, without_stop=0, done=True)
    assert history(tmp_path).heads == heads_on_disk(tmp_path)
    assert history(tmp_path).heads[ONE].entries == 3


def test_a_run_that_was_stopped_goes_on_and_every_head_stays_in_the_log(tmp_path: Path) -> None:
    with pytest.raises(PortFault):
        faulty(tmp_path, lambda: answers(tmp_path, ONE, 2))
    with execution(tmp_path):
        answers(tmp_path, ONE, 5)
    assert history(tmp_path).summary == ExecutionSummary(executions=2, without_stop=0, done=True)
    assert sorted(history(tmp_path).marks[ONE]) == [2, 5]


def test_a_killed_execution_shows_and_what_it_left_is_in_the_next_start(tmp_path: Path) -> None:
    killed(tmp_path)
    answers(tmp_path, ONE, 4)
    with execution(tmp_path):
        answers(tmp_path, ONE, 6)
    assert history(tmp_path).summary == ExecutionSummary(executions=2, without_stop=1, done=True)
    assert sorted(history(tmp_path).marks[ONE]) == [4, 6]


def test_a_finished_stream_is_in_the_log_at_once_and_once(tmp_path: Path) -> None:
    log = ExecutionLog(tmp_path)
    log.start()
    answers(tmp_path, ONE, 4)
    for _ in range(2):
        log.finished(ONE, 4, heads_on_disk(tmp_path)[ONE].head)
    events = [json.loads(line)["event"] for line in (tmp_path / FILE).read_text().splitlines()]
    assert events == ["start", "finished"]


@pytest.mark.parametrize("end", ["stopped", "killed"])
def test_a_deleted_stream_stops_the_next_execution(tmp_path: Path, end: str) -> None:
    log = ExecutionLog(tmp_path)
    log.start()
    answers(tmp_path, ONE, 4)
    log.finished(ONE, 4, heads_on_disk(tmp_path)[ONE].head)
    if end == "stopped":
        with pytest.raises(PortFault):
            faulty(tmp_path, lambda: None)
    shutil.rmtree(tmp_path / ONE)
    with pytest.raises(BrokenJournal, match=r"b00000: expected the 4 entries .* found 0: answers .* are missing"):
        ExecutionLog(tmp_path).start()


def test_a_stream_that_was_played_again_stops_the_next_execution(tmp_path: Path) -> None:
    with execution(tmp_path):
        answers(tmp_path, ONE, 4)
    shutil.rmtree(tmp_path / ONE)
    answers(tmp_path, ONE, 5, text="MOVE: b")
    with pytest.raises(BrokenJournal, match="found other entries"):
        ExecutionLog(tmp_path).start()


def test_a_shorter_journal_stops_the_next_execution(tmp_path: Path) -> None:
    with execution(tmp_path):
        answers(tmp_path, ONE, 4)
    segment = tmp_path / ONE / "000000.jsonl"
    segment.write_bytes(b"".join(segment.read_bytes().splitlines(keepends=True)[:3]))
    with pytest.raises(BrokenJournal, match="found 3: answers that were recorded are missing"):
        ExecutionLog(tmp_path).start()


def test_a_deleted_log_beside_journals_stops_the_next_execution(tmp_path: Path) -> None:
    with execution(tmp_path):
        answers(tmp_path, ONE, 4)
    (tmp_path / FILE).unlink()
    with pytest.raises(BrokenJournal, match="the log of the executions that left these journals"):
        ExecutionLog(tmp_path).start()


def test_an_edited_log_stops_the_next_execution_at_its_line(tmp_path: Path) -> None:
    with execution(tmp_path):
        answers(tmp_path, ONE, 4)
    text = (tmp_path / FILE).read_text()
    (tmp_path / FILE).write_text(text.replace('"done"', '"stopped"') + text.splitlines()[0] + "\n")
    with pytest.raises(BrokenJournal, match=r"executions\.jsonl line 2: expected prev"):
        ExecutionLog(tmp_path)


def test_a_log_that_a_crash_tore_goes_on_from_its_last_whole_line(tmp_path: Path) -> None:
    with execution(tmp_path):
        answers(tmp_path, ONE, 4)
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"event":"sta')
    with execution(tmp_path):
        answers(tmp_path, TWO, 1)
    assert history(tmp_path).summary.executions == 2


def test_a_full_disk_at_the_stop_does_not_hide_why_the_run_stopped(tmp_path: Path) -> None:
    def no_line_can_be_written() -> None:
        (tmp_path / FILE).unlink()
        (tmp_path / FILE).mkdir()

    with pytest.raises(PortFault, match="the server is gone"):
        faulty(tmp_path, no_line_can_be_written)
