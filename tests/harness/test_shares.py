"""A run that is played in shares: side by side they leave the journals of a whole run, and one log of executions."""

import shutil
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agzamov_harness.cli import main
from agzamov_harness.cluster.shares import Share, ShareRunner, require_spreadable, share_of
from agzamov_harness.ports import PortFault
from agzamov_harness.run import execution_log, run_folder
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.execution_log import (
    FILE,
    gather_shares,
    require_done,
    share_log,
    shares_of_another_count,
)
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.play_stream import unit_on_many_machines
from agzamov_harness.run.progress import State
from agzamov_harness.run.recorder import Recorder, StreamInUse, followed
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import Runner, finished
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.execution_log import ExecutionHistory, ExecutionOutcome
from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.script import Answerer
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.plan.streams import streams_of
from bundles.bundle_factory import SUBMITTER

WAIT_S = 300.0
SHARES = 3
CHESS0, CHESS1 = "p0-chess960-naked-agent", "p1-chess960-naked-agent"
# Phase 0 decides whether Phase 1 is played; no engine, and every answer is in this file.
PLAN: dict[str, Any] = {
    "title": "Shares",
    "seats": {"agent": {"kind": "reference"}, "dice": {"kind": "random"}},
    "chess960": {"adjudication": {"policy": "none"}, "illegal": "retry_then_forfeit", "plies_max": 4},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 16, "block_games": 2},
        {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 40, "block_games": 2},
    ],
}
# A match of one phase that a look ends at its half.
WATCHED: dict[str, Any] = {
    **PLAN,
    "matches": PLAN["matches"][1:],
    "analysis": {"sequential": [{"match": CHESS1, "alternative": "greater", "blocks_per_look": 5}]},
}
PAWNS = ("a2a3", "a7a6", "b2b3", "b7b6")


def seat_a_wins(question: Question) -> Answer:
    """Seat A pushes pawns that every start has, the other one gives nothing legal and forfeits."""
    assert isinstance(question, Chat)
    is_a = question.turn % 2 == int(question.game.rpartition("-g")[2]) % 2
    return Reply(text=f"MOVE: {PAWNS[question.turn] if is_a else 'resign'}", prompt_tokens=100)


def sealed(folder: Path, plan: dict[str, Any] | None = None, **changes: object) -> RunDirectory:
    manifest, secret = seal(
        plan_from({**(plan or PLAN), **changes}), key_id(SUBMITTER.public_key()), None, bytes(range(32))
    )
    return run_folder.create(folder, msgspec.structs.replace(manifest, nonce="0" * 32), secret, SUBMITTER)


def runner(
    directory: RunDirectory, index: int, world: Answerer = seat_a_wins, stop: Stop | None = None, of: int = SHARES
) -> ShareRunner:
    ticks, state = count(step=1000), State(directory.manifest.plan, None)
    ports, share = Answering(world), Share(index, of)
    return ShareRunner(directory, ports, lambda: next(ticks), state, stop or Stop(), 2, share=share)


def play_whole(directory: RunDirectory, world: Answerer = seat_a_wins) -> None:
    Runner(directory, Answering(world), lambda: 0, State(directory.manifest.plan, None), Stop(), 1).play()


def side_by_side(directory: RunDirectory, world: Answerer = seat_a_wins) -> None:
    """Play all shares at once, to their ends."""
    faults: list[BaseException] = []

    def play(index: int) -> None:
        try:
            runner(directory, index, world).play()
        except BaseException as error:  # noqa: BLE001 - a thread's fault is the test's
            faults.append(error)

    threads = [threading.Thread(target=play, args=(index,), daemon=True) for index in range(SHARES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert not any(thread.is_alive() for thread in threads)
    assert faults == []


def journals(directory: RunDirectory) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in sorted(directory.journal.glob("*/*.jsonl"))}


def nobody(question: Question) -> Answer:
    raise AssertionError(f"{question.game} was asked again")


# --- which streams -------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 3, 28, 50])
def test_every_stream_belongs_to_one_share(number: int) -> None:
    plan = plan_from(PLAN)
    of_shares = [name for index in range(number) for name in Share(index, number).streams(plan)]
    assert sorted(of_shares) == sorted(stream.id for match in plan.matches for stream in streams_of(match))


def test_a_share_is_spelt_with_its_index_from_zero_on() -> None:
    assert share_of("0/1") == Share(0, 1)
    assert share_of("2/3") == Share(2, 3)
    for wrong in ("3/3", "0/0", "-1/3", "1", "1/", "01/3", "1/3 ", "0/10001", "a/b"):
        with pytest.raises(ValueError, match="expected I/N with I from 0 to N - 1"):
            share_of(wrong)


def test_a_plan_for_one_machine_is_refused() -> None:
    require_spreadable(plan_from(PLAN))
    local = {"kind": "ollama", "model": "m:1b", "model_digest": "0" * 64}
    with pytest.raises(ManifestError, match=r"seats\.agent: .*found kind ollama"):
        require_spreadable(plan_from({**PLAN, "seats": {**PLAN["seats"], "agent": local}}))
    with pytest.raises(ManifestError, match="isolation: expected process, found container"):
        require_spreadable(plan_from({**PLAN, "isolation": "container"}))


# --- side by side --------------------------------------------------------------------------------


@pytest.mark.parametrize("plan", [PLAN, WATCHED], ids=["a gate", "a look"])
def test_shares_side_by_side_leave_the_journals_of_a_whole_run(tmp_path: Path, plan: dict[str, Any]) -> None:
    whole, shared = sealed(tmp_path / "whole", plan), sealed(tmp_path / "shared", plan)
    play_whole(whole)
    side_by_side(shared)
    assert journals(shared) == journals(whole)
    assert any(name.startswith(CHESS1) for name in journals(whole))
    assert len(journals(whole)) == (28 if plan is PLAN else 10), "the look ended the match at its half"
    gather_shares(shared.journal)
    assert finished(shared) == finished(whole)
    log = history(shared)
    assert (log.summary.executions, log.summary.without_stop, log.summary.done) == (SHARES, 0, True)
    assert {name: head.entries for name, head in log.heads.items()} == {
        name: data.count(b"\n") for name, data in journals(whole).items()
    }


def test_a_whole_run_goes_on_from_shares_and_asks_only_what_is_missing(tmp_path: Path) -> None:
    whole, shared = sealed(tmp_path / "whole"), sealed(tmp_path / "shared")
    play_whole(whole)
    alone = waiting_for_nobody()
    with pytest.raises(Stopped, match="there is nobody to wait for"):
        runner(shared, 0, stop=alone).play()
    there, asked = journals(shared), list[str]()

    def world(question: Question) -> Answer:
        asked.append(question.game)
        return seat_a_wins(question)

    play_whole(shared, world)
    assert journals(shared) == journals(whole)
    assert len(asked) == sum(data.count(b"\n") for data in journals(whole).values()) - sum(
        data.count(b"\n") for data in there.values()
    )
    assert history(shared).summary.executions == 2


def waiting_for_nobody() -> Stop:
    """A Stop whose share would wait for the others for ever."""
    stop = Stop()

    def wait(seconds: float) -> None:
        stop.request("there is nobody to wait for")
        stop.check()

    stop.wait = wait  # type: ignore[method-assign]
    return stop


def test_a_share_waits_for_the_others_before_what_their_results_decide(tmp_path: Path) -> None:
    directory = sealed(tmp_path)
    with pytest.raises(Stopped, match="there is nobody to wait for"):
        runner(directory, 1, stop=waiting_for_nobody()).play()
    assert sorted(journals(directory)) == [f"{CHESS0}-b{block:05d}" for block in (1, 4, 7)]


def test_where_nothing_is_decided_a_share_waits_for_nobody(tmp_path: Path) -> None:
    directory = sealed(tmp_path, matches=PLAN["matches"][1:])
    runner(directory, 1, stop=waiting_for_nobody()).play()
    assert sorted(journals(directory)) == [f"{CHESS1}-b{block:05d}" for block in range(1, 20, 3)]


def test_a_share_that_stopped_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    directory, calls = sealed(tmp_path, matches=PLAN["matches"][1:]), count(1)
    asked: list[tuple[str, int, int]] = []

    def world(question: Question) -> Answer:
        if next(calls) == 6:
            raise PortFault("the server is gone")
        asked.append((question.game, question.turn, question.attempt))
        return seat_a_wins(question)

    with pytest.raises(PortFault):
        runner(directory, 0, world).play()
    runner(directory, 0, world).play()
    runner(directory, 0, nobody).play()
    assert len(set(asked)) == len(asked) == sum(data.count(b"\n") for data in journals(directory).values())


def test_a_share_spends_its_part_of_the_budget(tmp_path: Path) -> None:
    changes = {"prices": {"agent": {"input_usd": 1000}}, "budget": {"cost_usd_max": "3"}}
    directory = sealed(tmp_path, matches=PLAN["matches"][1:], **changes)
    asked: list[Question] = []

    def world(question: Question) -> Answer:
        asked.append(question)
        return seat_a_wins(question)

    for index in (0, 1):
        with pytest.raises(Stopped, match="the budget of 3 USD is spent"):
            runner(directory, index, world).play()
    assert 20 <= len(asked) <= 22, "ten cents a call, two thirds of three dollars, two streams at once"


def test_progress_is_that_of_the_share(tmp_path: Path) -> None:
    directory = sealed(tmp_path, WATCHED)
    side_by_side(directory)
    state = State(directory.manifest.plan, None)
    ShareRunner(directory, Answering(nobody), lambda: 0, state, Stop(), 1, share=Share(1, SHARES)).play()
    own = sum(f"b{block:05d}" in name for name in journals(directory) for block in range(1, 20, SHARES))
    assert state.counts().results == {"chess960": (2 * own, 2 * own)}


# --- who holds what ------------------------------------------------------------------------------


def test_two_processes_cannot_play_one_share_nor_a_share_of_a_run_that_is_played(tmp_path: Path) -> None:
    directory = sealed(tmp_path)
    with directory.shared("0-of-3"), directory.shared("1-of-3"):
        with pytest.raises(PortFault, match="another process is playing share 0-of-3"), directory.shared("0-of-3"):
            pass
        with pytest.raises(ManifestError, match="another process is running this run"), directory.locked():
            pass
    with directory.locked(), pytest.raises(PortFault, match="running this run"), directory.shared("0-of-3"):
        pass
    with directory.shared("0-of-3"):
        pass


def test_two_recorders_cannot_write_one_stream(tmp_path: Path) -> None:
    with Recorder(tmp_path, "0" * 16, "s", Answering(nobody), lambda: 0):
        with pytest.raises(StreamInUse, match="s: another process is playing this stream"):
            Recorder(tmp_path, "0" * 16, "s", Answering(nobody), lambda: 0)
        Recorder(tmp_path, "0" * 16, "t", Answering(nobody), lambda: 0).close()
    Recorder(tmp_path, "0" * 16, "s", Answering(nobody), lambda: 0).close()


def test_answers_of_a_model_are_synced_one_by_one_where_a_machine_may_be_lost() -> None:
    model = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"}
    for seat, together in ((PLAN["seats"]["agent"], 1), (model, 3)):
        plan = plan_from({**PLAN, "seats": {**PLAN["seats"], "agent": seat}})
        unit = unit_on_many_machines(next(streams_of(plan.matches[0])), plan)
        assert len({unit(f"{CHESS0}-g00000") for _ in range(3)}) == together


# --- the logs ------------------------------------------------------------------------------------


def history(directory: RunDirectory) -> ExecutionHistory:
    read = ExecutionHistory()
    read.read_all((directory.journal / FILE).read_bytes())
    return read


def test_a_share_refuses_a_journal_that_lost_answers(tmp_path: Path) -> None:
    directory = sealed(tmp_path, matches=PLAN["matches"][1:])
    runner(directory, 0).play()
    shutil.rmtree(directory.journal / f"{CHESS1}-b00003")
    with pytest.raises(BrokenJournal, match=r"b00003: expected the \d entries that the log of executions knows"):
        runner(directory, 0).play()
    runner(directory, 1).play()
    with pytest.raises(BrokenJournal, match="b00003"):
        play_whole(directory)


def test_a_share_refuses_a_journal_that_lost_what_a_whole_run_had_recorded(tmp_path: Path) -> None:
    directory = sealed(tmp_path, matches=PLAN["matches"][1:])
    play_whole(directory)
    runner(directory, 0, nobody).play()
    shutil.rmtree(directory.journal / f"{CHESS1}-b00000")
    runner(directory, 1, nobody).play()
    with pytest.raises(BrokenJournal, match="b00000"):
        runner(directory, 0).play()


def test_journals_without_their_share_s_log_are_refused(tmp_path: Path) -> None:
    directory = sealed(tmp_path, matches=PLAN["matches"][1:])
    runner(directory, 0).play()
    (directory.journal / "executions-0-of-3.jsonl").unlink()
    with pytest.raises(BrokenJournal, match="expected the log of the executions that left these journals"):
        runner(directory, 0).play()


def test_a_killed_share_shows_in_the_log_of_the_whole(tmp_path: Path) -> None:
    directory = sealed(tmp_path, matches=PLAN["matches"][1:])
    runner(directory, 0).play()
    path = directory.journal / "executions-0-of-3.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]) + b'{"torn')
    gather_shares(directory.journal)
    assert history(directory).summary.without_stop == 1
    assert not path.exists()


def test_a_share_of_another_number_that_was_stopped_is_not_the_runs_last_execution(tmp_path: Path) -> None:
    """One of two shares was started as one of four, and stopped; the whole was then played by both of them."""
    directory = sealed(tmp_path, matches=PLAN["matches"][1:])
    mistaken = share_log(directory.journal, "2-of-4", Share(2, 4).streams(directory.manifest.plan))
    mistaken.start()
    mistaken.stop(ExecutionOutcome.STOPPED)
    side_by_side(directory)
    assert shares_of_another_count(directory.journal, SHARES) == ["2/4"]
    gather_shares(directory.journal)
    assert history(directory).summary == (SHARES + 1, 0, True)
    require_done(directory.path, directory.journal)


def test_a_run_of_which_every_share_was_killed_at_its_end_is_packed_by_resume(tmp_path: Path) -> None:
    directory = sealed(tmp_path, matches=PLAN["matches"][1:])
    side_by_side(directory)
    for path in directory.journal.glob("executions-*"):
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    key = tmp_path / "key.pem"
    key.write_bytes(SUBMITTER.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    key.chmod(0o600)
    words = ["pack", str(directory.path), "--key", str(key), "--out", str(tmp_path / "bundles")]
    ended = CliRunner().invoke(main, words)
    go_on = f"go on with: agzamov resume {directory.path}"
    assert ended.exit_code == 4
    assert ended.stderr.endswith(f"its last execution was stopped or killed before its end; {go_on}\n")
    assert not (tmp_path / "bundles").exists()
    play_whole(directory, nobody)
    require_done(directory.path, directory.journal)


def test_logs_that_are_taken_in_again_after_a_kill_name_no_journal_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = sealed(tmp_path, matches=PLAN["matches"][1:])
    side_by_side(directory)
    with monkeypatch.context() as patch:
        patch.setattr(execution_log.Path, "unlink", raising(OSError("killed")))
        with pytest.raises(OSError, match="killed"):
            gather_shares(directory.journal)
    gather_shares(directory.journal)
    assert not [*directory.journal.glob("executions-*")]
    assert len(history(directory).heads) == 20
    play_whole(directory, nobody)


def raising(error: Exception) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail


# --- reading what another writes -----------------------------------------------------------------


def test_a_journal_is_followed_across_its_segments_and_a_torn_line_is_waited_for(tmp_path: Path) -> None:
    whole = sealed(tmp_path, matches=PLAN["matches"][1:])
    play_whole(whole)
    name = f"{CHESS1}-b00000"
    lines, growing = journals(whole)[name].splitlines(keepends=True), tmp_path / "growing" / name
    parts = [lines[0] + lines[1][:9], lines[1][9:], b"".join(lines[2:])]
    growing.mkdir(parents=True)
    files = iter([("000000.jsonl", parts[0]), ("000000.jsonl", parts[1]), ("000001.jsonl", parts[2])])

    def grow(_: float) -> None:
        file, data = next(files, ("", b""))
        if not file:
            raise Stopped("read to its end")
        with (growing / file).open("ab") as journal:
            journal.write(data)

    read = followed(growing.parent, whole.manifest.run_id, name, grow)
    assert [next(read).seq for _ in lines] == list(range(len(lines)))
    with pytest.raises(Stopped, match="read to its end"):
        next(read)
