"""How far a run is: answers are judged at each decision, one line says it, and a plan may stop for unusable answers."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import CallCounts, ProgressCounts, SeatAnswers, State
from agzamov_harness.run.progress_line import progress_line, warning_of
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import Blocks, Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop, Stopped, StoppedAsAsked
from agzamov_harness.run.terminal_progress import Pace, Plain, progress
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Answer, Chat, NoReply, Planted, Question, Reply
from agzamov_verify.plan.manifest import ManifestError, Plan, load_manifest
from agzamov_verify.table.decision import added
from agzamov_verify.table.declared import FaultKind
from bundles.bundle_factory import SUBMITTER

MODEL = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m", "tokens_max": 48}
PLAN: dict[str, Any] = {
    "title": "Progress",
    "seats": {"smol": MODEL},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 12},
    "matches": [{"phase": 1, "game": "chess960", "a": "smol", "b": "smol", "games": 4, "block_games": 4}],
}
UNUSABLE = {
    FaultKind.NO_ACTION: Reply(text="I do not know."),
    FaultKind.AMBIGUOUS: Reply(text="MOVE: a2a3\nNo, I am not sure of my MOVE at all."),
    FaultKind.ILLEGAL: Reply(text="MOVE: a1h8"),
    FaultKind.CUT: Reply(text="I think that", finish="length"),
    FaultKind.NO_REPLY: NoReply(reason="refused"),
}


class Noting:
    """A watcher that keeps what it is told."""

    def __init__(self) -> None:
        self.counts: list[ProgressCounts] = []

    def update(self, counts: ProgressCounts) -> None:
        self.counts.append(counts)


def sealed(folder: Path, **changes: object) -> RunDirectory:
    manifest, secret = seal(plan_from({**PLAN, **changes}), key_id(SUBMITTER.public_key()), None, bytes(range(32)))
    return run_folder.create(folder, msgspec.structs.replace(manifest, nonce="0" * 32), secret, SUBMITTER)


def play(
    directory: RunDirectory, world: Callable[[Question], Answer], stop: Stop | None = None
) -> tuple[State, Blocks]:
    ticks, watcher = count(step=1_000), Noting()
    state = State(directory.manifest.plan, watcher)
    blocks = Runner(directory, Answering(world), lambda: next(ticks), state, stop or Stop(), 1).play()
    assert watcher.counts[-1] == state.counts()
    return state, blocks


def always(answer: Answer) -> Callable[[Question], Answer]:
    return lambda _: answer


@pytest.mark.parametrize("kind", UNUSABLE, ids=str)
def test_an_unusable_answer_is_counted_at_its_decision_and_with_why(tmp_path: Path, kind: FaultKind) -> None:
    directory, watcher = sealed(tmp_path), Noting()
    state = State(directory.manifest.plan, watcher)
    Runner(directory, Answering(always(UNUSABLE[kind])), lambda: 0, state, Stop(), 1).play()
    first = next(counts for counts in watcher.counts if counts.seats)
    assert first.seats == {"smol": SeatAnswers(1, {kind.value: 1})}
    assert (first.results, first.faults) == ({"chess960": (0, 4)}, 1), "no game is over"


def test_usable_answers_are_decisions_without_a_fault(tmp_path: Path) -> None:
    def pushes(question: Question) -> Answer:
        assert isinstance(question, Chat)
        return Reply(text=f"MOVE: {('a2a3', 'a7a6', 'b2b3', 'b7b6')[question.turn]}")

    state, _ = play(sealed(tmp_path, chess960={"adjudication": {"policy": "none"}, "plies_max": 4}), pushes)
    assert state.counts().seats == {"smol": SeatAnswers(16, {})}


def test_counts_of_decisions_are_those_of_the_finished_blocks(tmp_path: Path) -> None:
    kinds = list(UNUSABLE.values())
    order = count()
    state, blocks = play(sealed(tmp_path), lambda _: kinds[next(order) % len(kinds)])
    (total,) = added([[tally] for of_match in blocks.values() for block in of_match for tally in block.tallies], 1)
    told = state.counts().seats["smol"]
    assert (told.decisions, told.unusable_total) == (total.decisions, total.faults)
    assert told.unusable == {kind.value: getattr(total, f"first_{kind.value}") for kind in UNUSABLE}


def stops_after(calls: int, stop: Stop, answer: Answer) -> Callable[[Question], Answer]:
    made = count(1)

    def world(_: Question) -> Answer:
        if next(made) == calls:
            stop.request("stopped by SIGTERM", as_asked=True)
        return answer

    return world


def test_replayed_answers_of_a_resumed_run_count_too_but_are_not_new(tmp_path: Path) -> None:
    directory, stop = sealed(tmp_path), Stop()
    with pytest.raises(StoppedAsAsked):
        play(directory, stops_after(5, stop, UNUSABLE[FaultKind.CUT]), stop)
    watcher = Noting()
    state = State(directory.manifest.plan, watcher)
    Runner(directory, Answering(always(UNUSABLE[FaultKind.CUT])), lambda: 0, state, Stop(), 1).play()
    replayed = [counts for counts in watcher.counts if not counts.model_calls.new]
    assert replayed[-1].model_calls.done == 5
    assert replayed[-1].faults > 0
    last = state.counts()
    assert last.model_calls.new == last.model_calls.done - 5
    assert last.model_calls.expected == last.model_calls.done, "once all is over, nothing is to come"


def test_a_career_is_expected_to_be_as_long_as_the_plan_forecasts(tmp_path: Path) -> None:
    counts = State(sealed(tmp_path).manifest.plan, None).counts()
    assert 4 * 12 <= counts.model_calls.expected <= 2 * 4 * 12


def test_calls_of_scripted_opponents_are_none_of_a_models(tmp_path: Path) -> None:
    match = {"phase": 0, "game": "chess960", "a": "smol", "b": "dice", "games": 2}
    plan = {"seats": {"smol": MODEL, "dice": {"kind": "random"}}, "matches": [match]}

    def world(question: Question) -> Answer:
        return UNUSABLE[FaultKind.CUT]

    state, _ = play(sealed(tmp_path, **plan), world)
    counts = state.counts()
    assert counts.model_calls.done < counts.calls
    assert counts.seats.keys() == {"smol"}


# --- the plan's own limit ------------------------------------------------------------------------


def test_a_plan_may_stop_for_unusable_answers_and_a_resumed_run_stops_again(tmp_path: Path) -> None:
    directory, asked = sealed(tmp_path, stop_when={"errors_percent": 50, "after": 6}), []

    def world(question: Question) -> Answer:
        asked.append(question)
        return UNUSABLE[FaultKind.CUT]

    def decisions() -> int:
        return sum(not isinstance(question, Planted) for question in asked)

    why = r"6 of 6 answers of seat smol are unusable; the plan stops at 50 % after 6; the limit is sealed with the plan"
    with pytest.raises(StoppedAsAsked, match=why):
        play(directory, world)
    assert decisions() == 6
    before = len(asked)
    log = [canon.loads(line) for line in (directory.journal / "executions.jsonl").read_bytes().splitlines()]
    assert [(line["event"], line.get("outcome")) for line in log] == [("start", None), ("stop", "stopped")]
    with pytest.raises(StoppedAsAsked, match=why):
        play(directory, world)
    assert len(asked) == before, "it stops before its next call"


@pytest.mark.parametrize(
    "changes", [{}, {"stop_when": {"errors_percent": 51, "after": 6}}], ids=["no limit", "below it"]
)
def test_a_run_below_the_limit_goes_on(tmp_path: Path, changes: dict[str, object]) -> None:
    made = count(1)

    def half(question: Question) -> Answer:
        assert isinstance(question, Chat)
        if isinstance(question, Planted) or next(made) % 2:
            return Reply(text=f"MOVE: {('a2a3', 'a7a6', 'b2b3', 'b7b6')[question.turn]}")
        return UNUSABLE[FaultKind.ILLEGAL]

    rules = {"adjudication": {"policy": "none"}, "plies_max": 2}
    state, _ = play(sealed(tmp_path, chess960=rules, **changes), half)
    assert state.counts().faults == 4


def test_the_limit_is_sealed_where_a_plan_has_one_and_absent_where_it_has_none() -> None:
    def bytes_of(**changes: object) -> bytes:
        manifest, _ = seal(plan_from({**PLAN, **changes}), key_id(SUBMITTER.public_key()), None, bytes(range(32)))
        assert load_manifest(manifest.bytes) == manifest
        return manifest.bytes

    assert "stop_when" not in canon.loads(bytes_of())["plan"]
    assert canon.loads(bytes_of(stop_when={}))["plan"]["stop_when"] == {"after": 50, "errors_percent": 50}
    with pytest.raises(ManifestError, match="stop_when"):
        plan_from({**PLAN, "stop_when": {"errors_percent": 0}})


# --- in one line ---------------------------------------------------------------------------------


def counts_of(plan: Plan, done: int = 38, expected: int = 228, unusable: int = 24, usd: str = "0.000000") -> Any:
    seats = {"smol": SeatAnswers(24, {"cut": unusable} if unusable else {})} if "smol" in plan.playing else {}
    calls = CallCounts(done, done, expected)
    return ProgressCounts({"chess960": (1, 4)}, done, 0, unusable, usd, seats=seats, model_calls=calls)


def line(width: int = 200, left_s: float | None = 1560.0, elapsed_s: float = 5.0, **changes: Any) -> str:
    plan = plan_from({**PLAN, **changes.pop("plan", {})})
    return progress_line(plan, counts_of(plan, **changes), elapsed_s, left_s, width)


def test_the_line_says_calls_time_cost_and_unusable_answers() -> None:
    wide = "38 of about 228 calls · 0:05 · about 26 min left · cost unknown · 24 of 24 answers unusable"
    assert line(len(wide)) == wide
    assert line() == wide.replace("calls · ", "calls · 1 of 4 games · ")


def test_it_fits_80_columns_and_a_narrow_terminal_drops_what_matters_least() -> None:
    assert line(80) == "38 of ~228 calls · 0:05 · ~26 min left · cost unknown · 24 of 24 unusable"
    assert line(70) == "38 of ~228 calls · ~26 min left · cost unknown · 24 of 24 unusable"
    assert line(56) == "38 of ~228 calls · ~26 min left · 24 of 24 unusable"
    assert line(40) == "38 of ~228 calls · 24 of 24 unusable"
    assert line(4) == "38 of ~228 calls", "a number is never cut"


@pytest.mark.parametrize("width", range(10, 130, 7))
def test_a_long_run_never_shows_a_part_of_a_number(width: int) -> None:
    shown = line(width, done=3528, expected=40_112, unusable=17, elapsed_s=40_000.0, left_s=400_000.0)
    assert len(shown) <= max(width, len("3,528 of ~40,112 calls"))
    whole = {"3,528 of about 40,112 calls", "1 of 4 games", "11:06:40", "about 5 days left", "cost unknown"}
    assert set(shown.replace("~", "about ").split(" · ")) <= {*whole, "17 of 24 answers unusable", "17 of 24 unusable"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "cost unknown"),
        ({"prices": {"smol": {"input_usd": "3"}}}, "0.12 USD"),
        ({"prices": {"smol": {"input_usd": "3"}}, "budget": {"cost_usd_max": "5"}}, "0.12 of 5.00 USD"),
        ({"prices": {"smol": {"input_usd": "0"}}}, ""),
        ({"seats": {"dice": {"kind": "reference"}}, "matches": [{**PLAN["matches"][0], "a": "dice", "b": "dice"}]}, ""),
    ],
    ids=["no price", "priced", "budget", "free", "no model"],
)
def test_a_cost_is_told_where_there_is_one(changes: dict[str, Any], words: str) -> None:
    shown = line(plan=changes, usd="0.123456")
    assert ("USD" in shown or "cost" in shown) == bool(words)
    assert words in shown


def test_nothing_is_said_of_the_time_left_before_the_first_call_and_little_time_is_not_0() -> None:
    assert "left" not in line(left_s=None)
    assert "less than 1 min left" in line(left_s=3.0)
    assert " · <1 min left · " in line(70, left_s=3.0)
    assert "about 3 hours left" in line(left_s=10_800.0)


def test_positions_that_are_judged_take_the_place_of_calls() -> None:
    plan = plan_from(PLAN)
    counts = msgspec.structs.replace(counts_of(plan), positions=3, positions_planned=240)
    assert progress_line(plan, counts, 5, None, 80).startswith("3 of 240 positions judged · ")


def test_a_seat_most_of_whose_answers_are_unusable_is_warned_of_after_twenty() -> None:
    plan = plan_from(PLAN)
    assert warning_of("smol", SeatAnswers(20, {"illegal": 2, "cut": 17}), plan) == (
        "smol: 19 of 20 answers unusable (17 cut (tokens_max is 48), 2 illegal); Ctrl-C stops the run, nothing is lost"
    )
    assert not warning_of("smol", SeatAnswers(19, {"cut": 19}), plan), "too few to say"
    assert warning_of("smol", SeatAnswers(20, {"no_action": 20}, 20), plan) == (
        "smol: 20 of 20 answers unusable (20 without a declared action); 20 replies have no words: the server may send"
        " all of an answer as thoughts; Ctrl-C stops the run, nothing is lost"
    )
    assert "no words" not in warning_of("smol", SeatAnswers(20, {"no_action": 20}, 10), plan)
    assert not warning_of("smol", SeatAnswers(20, {"cut": 10}), plan), "half is not most"


@pytest.mark.parametrize("quiet", [True, False], ids=["quiet", "plain"])
def test_the_warning_comes_once_without_a_terminal_too(capsys: pytest.CaptureFixture[str], *, quiet: bool) -> None:
    plan = plan_from(PLAN)
    with progress(plan, quiet=quiet) as watcher:
        for _ in range(3):
            watcher.update(counts_of(plan))
    assert capsys.readouterr().err == (
        "warning: smol: 24 of 24 answers unusable (24 cut (tokens_max is 48)); Ctrl-C stops the run, nothing is lost\n"
    )


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_without_a_terminal_a_line_comes_at_each_tenth_but_not_often_and_each_minute() -> None:
    plan, clock, said = plan_from(PLAN), Clock(), list[str]()
    plain = Plain(plan, said.append, clock)

    def at(now_s: float, done: int) -> int:
        clock.now_s, before = now_s, len(said)
        plain.update(counts_of(plan, done=done, expected=200, unusable=0))
        return len(said) - before

    assert at(1, 30) == 0
    assert at(59, 50) == 0, "a short run says nothing"
    assert at(60, 51) == 1
    assert at(70, 52) == 0
    assert at(81, 61) == 1, "the next tenth"
    assert at(90, 81) == 0, "too soon"
    assert at(101, 82) == 1
    assert at(161, 83) == 1, "a minute"
    assert said[-1].startswith("83 of about 200 calls · 1 of 4 games · 2:41 · about ")


def test_the_time_left_follows_from_the_calls_of_this_execution_alone() -> None:
    plan, clock = plan_from(PLAN), Clock()
    pace = Pace(clock)

    def after(now_s: float, done: int, new: int) -> float | None:
        clock.now_s = now_s
        counts = msgspec.structs.replace(counts_of(plan), model_calls=CallCounts(done, new, 200))
        pace.note(counts)
        return pace.left_s(counts)

    assert after(5, 100, 0) is None, "replayed answers took no call's time"
    assert after(20, 101, 1) == 99 * 15
    assert after(45, 104, 4) == 96 * 10, "four calls in 40 s"


def test_recorded_answers_that_are_not_replayed_yet_are_no_calls_to_come() -> None:
    """Of 200 calls 150 were recorded: the first new one came when 20 were replayed, and the time left fell from 49 min
    to 6."""
    assert [CallCounts(done, 1, 200, 150).to_come for done in (20, 120, 151)] == [49, 49, 49]
    assert CallCounts(20, 1, 200).to_come == 180
    assert CallCounts(210, 60, 200, 150).to_come == 0, "more than was expected"


def test_a_resumed_run_knows_what_was_recorded_before_it_replays_it(tmp_path: Path) -> None:
    directory, stop = sealed(tmp_path), Stop()
    with pytest.raises(Stopped):
        play(directory, stops_after(5, stop, UNUSABLE[FaultKind.NO_ACTION]), stop)
    watcher, ticks = Noting(), count(step=1_000)
    state = State(directory.manifest.plan, watcher)
    Runner(directory, Answering(always(UNUSABLE[FaultKind.NO_ACTION])), lambda: next(ticks), state, Stop(), 1).play()
    first, last = watcher.counts[0].model_calls, watcher.counts[-1].model_calls
    assert (first.done, first.recorded, last.recorded + last.new) == (1, 5, last.done)
    assert first.to_come == first.expected - 5


def test_a_stop_that_is_no_wish_is_an_error_and_the_first_reason_stays() -> None:
    stop = Stop()
    stop.request("the server is gone")
    stop.request("stopped by SIGINT", as_asked=True)
    with pytest.raises(Stopped, match="the server is gone") as caught:
        stop.check()
    assert not isinstance(caught.value, StoppedAsAsked)
