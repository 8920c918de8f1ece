"""What a bundle may cost whoever checks it: beyond a limit a step is NOT CHECKED, which is no pass and no failure."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agzamov_verify import cli
from agzamov_verify.checks import opened_bundle
from agzamov_verify.checks.asking_engines import WAITING_PER_ENGINE, WRONG_MAX, ask_all, estimate, shuffled
from agzamov_verify.checks.check_log import CheckLog, CouldNotCheck, Finding, Number, Status
from agzamov_verify.checks.limits import Budget, VerificationLimits
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.commands import check_command
from agzamov_verify.core.questions import Answer, Evaluate, Evaluation, Question
from agzamov_verify.core.workers import MIB
from agzamov_verify.engines import answer_store
from agzamov_verify.engines.engine_group import EngineGroup
from agzamov_verify.engines.uci_engine import UciEngine
from bundles.bundle_factory import (
    SEATS,
    Draft,
    check,
    engine_path,
    failed_steps,
    forget,
    make,
    reindex,
    reseal,
    told,
    until_time_is_up,
    world_of,
)

GAMES = {"phase": 1, "game": "chess960", "a": "dice", "b": "dice", "games": 2, "block_games": 2}
NODES = 50
# One ply beyond a threshold that no score reaches would end a game: so every score is a witness that it did not.
ALL_WITNESSES: dict[str, Any] = {
    "title": "Dear",
    "seats": SEATS,
    "engine": {"nodes": NODES},
    "chess960": {"adjudication": {"threshold_centipawns": 1_000_000, "plies": 1}, "plies_max": 12},
    "matches": [GAMES],
}
# Games that are over before the first window is.
NO_WITNESS = {**ALL_WITNESSES, "chess960": {"adjudication": {"threshold_centipawns": 300, "plies": 50}, "plies_max": 6}}


def step(verdict: Verdict, number: Number) -> tuple[Status, str]:
    return verdict.steps[number - 1].status, verdict.steps[number - 1].remark


def not_checked(verdict: Verdict, number: Number, why: str) -> None:
    """The step is NOT CHECKED for a reason that holds `why`, nothing failed, and the command would end with 3."""
    status, remark = step(verdict, number)
    assert (status, why in remark) == (Status.NOT_CHECKED, True), (remark, told(verdict))
    assert (verdict.failed, verdict.level, check_command.exit_code(verdict)) == (False, "V0", 3), told(verdict)


def test_the_first_steps_end_with_the_time_too(dear: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest that took hours to look at held up whoever checked it: only later steps looked at the clock."""
    monkeypatch.setattr(opened_bundle, "problems", until_time_is_up)
    verdict = check(dear, limits=VerificationLimits(time_s_max=7_200))
    not_checked(verdict, Number.MANIFEST, "time is up, --time-max 7200 seconds")
    assert step(verdict, Number.SIGNATURE)[0] is Status.PASS


def test_time_without_end_is_no_fault_of_a_bundle(dear: Path) -> None:
    """A timer of the system took no such number, and the bundle failed by it."""
    verdict = check(dear, limits=VerificationLimits(time_s_max=10**18))
    assert (verdict.failed, verdict.findings) == (False, [])


def test_the_timer_of_a_caller_goes_on() -> None:
    signal.setitimer(signal.ITIMER_REAL, 3_600)
    try:
        with pytest.raises(CouldNotCheck), Budget(VerificationLimits(time_s_max=7_200)).interrupting():
            until_time_is_up(None)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 3_600
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


# --- the engine -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dear(tmp_path_factory: pytest.TempPathFactory, engine: Path) -> Path:
    return make(ALL_WITNESSES, tmp_path_factory.mktemp("dear"))


def evaluations(verdict: Verdict) -> int:
    return int(step(verdict, Number.ENGINE)[1].split()[2])


def test_beyond_its_nodes_the_engine_step_is_not_checked_and_says_what_was_asked(dear: Path, engine: Path) -> None:
    whole = check(dear, engine)
    assert (whole.level, step(whole, Number.ENGINE)[1].split()[0]) == ("V1", str(evaluations(whole)))
    some = check(dear, engine, limits=VerificationLimits(engine_nodes_max=3 * NODES + 1))
    not_checked(some, Number.ENGINE, f"3 of {evaluations(whole)} evaluations asked again")
    not_checked(some, Number.ENGINE, "--engine-nodes-max 151 nodes")


def test_the_command_takes_the_limits_and_states_the_cost(dear: Path, engine: Path) -> None:
    few = ("--details", "--jobs", "1", "--engine", str(engine), "--engine-nodes-max", "100")
    ran = CliRunner().invoke(cli.main, ["check", str(dear), *few])
    assert (ran.exit_code, "--engine-nodes-max 100 nodes" in ran.stdout) == (3, True), ran.stdout
    assert "bytes, compressed, in 2 files to replay" in ran.stderr
    assert "questions to the engine at up to 50 nodes each, 1 engine: less than 1 min" in ran.stderr


def test_a_second_check_asks_the_engine_one_question_and_says_where_the_answers_are_from(
    dear: Path, engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(answer_store.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(answer_store, "is_asked_again", (1).__eq__)
    searched: list[str] = []
    search = UciEngine._search
    monkeypatch.setattr(UciEngine, "_search", lambda self, *words: (searched.append(words[1]), search(self, *words))[1])
    first = check(dear, engine)
    asked = len(searched)
    second = check(dear, engine)
    assert (first.level, second.level) == ("V1", "V1")
    assert (asked, len(searched)) == (evaluations(first), evaluations(first) + 1)
    stored = f"; {asked} of the answers are from this user's store of engine answers"
    assert step(second, Number.ENGINE)[1] == step(first, Number.ENGINE)[1] + stored


@pytest.mark.slow
def test_no_time_is_estimated_where_all_answers_are_stored(
    dear: Path, engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(answer_store.VARIABLE, str(tmp_path / "cache"))
    for is_estimated in (True, False):
        ran = CliRunner().invoke(cli.main, ["check", str(dear), "--jobs", "1", "--engine", str(engine)])
        assert (ran.exit_code, "at the speed of the first" in ran.stderr) == (0, is_estimated), ran.stderr


@pytest.mark.slow
def test_a_forged_store_is_emptied_and_the_step_not_checked(
    dear: Path, engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(answer_store.VARIABLE, str(tmp_path / "cache"))
    check(dear, engine)
    with sqlite3.connect(tmp_path / "cache" / answer_store.FILE) as database:
        wrong = '["a2a4",{"as":"evaluation","centipawns":9999,"mate":null},["a2a4"]]'
        database.execute("UPDATE answers SET answer = ?", [wrong.encode()])
    not_checked(check(dear, engine), Number.ENGINE, "held an answer that the engine does not give")
    assert check(dear, engine).level == "V1"


MANY: dict[str, Any] = {**ALL_WITNESSES, "matches": [{**GAMES, "games": 12}]}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, engine: Path) -> Path:
    return make(MANY, tmp_path_factory.mktemp("many"))


@pytest.mark.slow
def test_a_quick_look_asks_about_drawn_games_whole_and_is_no_v1(many: Path, engine: Path) -> None:
    whole, ran = check(many, engine, games_max=12), check(many, engine, games_max=3)
    scores, games = evaluations(whole) // 12, "all scores that decide 3 of 12 games, drawn at random: of the 9 others"
    not_checked(ran, Number.ENGINE, f"quick look: {3 * scores} of {12 * scores} evaluations asked again, {games}")
    assert ran.steps[Number.ENGINE - 1].for_engine == f"the engine's {12 * scores} scores"
    assert (whole.level, step(whole, Number.ENGINE)[1].split()[0]) == ("V1", str(12 * scores))


@pytest.mark.slow
def test_a_quick_look_finds_wrong_scores_of_a_game_that_it_draws(engine: Path, tmp_path: Path) -> None:
    world = world_of(Draft.of(make(MANY, tmp_path / "own")).manifest.plan, engine_path())

    def softened(question: Question) -> Answer:
        is_lie = isinstance(question, Evaluate) and question.game.endswith(("1", "3", "5", "7", "9"))
        return Evaluation(17, None) if is_lie else world(question)

    looked = check(make(MANY, tmp_path / "lies", softened), engine, games_max=9)
    assert failed_steps(looked) == [Number.ENGINE]


@pytest.mark.slow
def test_before_the_engine_is_asked_a_check_says_what_the_replay_shows(
    many: Path, engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ["check", str(many), "--jobs", "1", "--engine", str(engine)]
    assert "So far" not in CliRunner().invoke(cli.main, few).stderr
    monkeypatch.setattr(check_command, "EARLY_SCORES_MIN", 1)
    ran = CliRunner().invoke(cli.main, few)
    early, _, asking = ran.stderr.partition("questions to the engine")
    assert "All that needs no engine holds. Left: the engine's " in early
    assert "Result     " in early
    assert "So far" not in asking + ran.stdout
    assert "So far" not in CliRunner().invoke(cli.main, [*few, "--quick"]).stderr


@pytest.mark.slow
def test_the_command_for_a_quick_look_names_the_whole_check_next(
    many: Path, engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_command, "QUICK_GAMES", 3)
    ran = CliRunner().invoke(cli.main, ["check", str(many), "--quick", "--engine", str(engine)])
    assert ran.exit_code == 3, ran.stdout
    assert "quick look" in ran.stdout
    assert f"check {many}" in " ".join(ran.stdout.partition("Next")[2].replace("\\\n", " ").split())
    assert "--engine /path" not in ran.stdout


@pytest.mark.slow
def test_after_a_few_wrong_scores_no_more_are_asked(dear: Path, engine: Path, tmp_path: Path) -> None:
    world = world_of(Draft.of(dear).manifest.plan, engine_path())

    def lying(question: Question) -> Answer:
        return Evaluation(17, None) if isinstance(question, Evaluate) else world(question)

    verdict = check(make(ALL_WITNESSES, tmp_path, lying), engine)
    assert (failed_steps(verdict), len(verdict.findings)) == ([Number.ENGINE], WRONG_MAX)


@pytest.mark.slow
def test_more_hash_than_there_is_memory_for_is_not_checked(engine: Path, tmp_path: Path) -> None:
    made = make({**ALL_WITNESSES, "engine": {"nodes": NODES, "hash_mib": 256}}, tmp_path)
    not_checked(check(made, engine, limits=VerificationLimits(memory_mib_max=255)), Number.ENGINE, "256 MiB of hash")


def test_engines_side_by_side_share_the_memory() -> None:
    budget = Budget(VerificationLimits(memory_mib_max=1024))
    assert (budget.engines(16, 256), budget.engines(2, 256), budget.engines(16, 1024)) == (4, 2, 1)


@pytest.mark.slow
def test_where_nothing_decided_and_nothing_was_drawn_one_score_is_asked_all_the_same(
    engine: Path, tmp_path: Path
) -> None:
    made = make(NO_WITNESS, tmp_path)
    verdict = check(made, engine, sample_permille=0)
    assert (verdict.level, step(verdict, Number.ENGINE)[1][:5]) == ("V1", "1 of "), step(verdict, Number.ENGINE)
    world = world_of(Draft.of(made).manifest.plan, engine_path())

    def lying(question: Question) -> Answer:
        return Evaluation(17, None) if isinstance(question, Evaluate) else world(question)

    assert failed_steps(check(make(NO_WITNESS, tmp_path / "lies", lying), engine)) == [Number.ENGINE]


class Counting:
    """Stands where an engine does; the questions tell it what to answer."""

    searches, stored, stored_again = 1, 0, 0


def ask(wrong: set[int], budget: Budget, count: int = 1000) -> tuple[list[int], Any]:
    seen: list[int] = []

    def one(_: object, number: int) -> Finding | None:
        seen.append(number)
        return Finding(9, str(number), "one", "another") if number in wrong else None

    engines = EngineGroup(Counting, 1)  # type: ignore[type-var]
    return seen, ask_all(range(count), engines, 1, one, budget, lambda _: None)


def test_questions_are_asked_in_random_order_so_that_fraud_shows_early() -> None:
    seen, found = ask(set(range(500, 1000)), Budget(VerificationLimits()))
    assert (len(found.wrong), found.stopped) == (WRONG_MAX, "")
    assert len(seen) < 100  # half of them are wrong; in order, the first 500 would have been asked for nothing
    assert shuffled(range(1000)) != shuffled(range(1000))


def test_every_question_is_asked_once_where_the_budget_allows() -> None:
    seen, found = ask(set(), Budget(VerificationLimits(engine_nodes_max=1000)))
    assert (sorted(seen), found.done, found.stopped) == (list(range(1000)), 1000, "")


def test_when_time_is_up_asking_stops_and_says_so() -> None:
    budget = Budget(VerificationLimits(time_s_max=60))
    budget.deadline_s = time.monotonic()
    seen, found = ask(set(), budget)
    assert (len(seen) <= WAITING_PER_ENGINE, found.stopped) == (True, "time is up, --time-max 60 seconds")


def test_the_estimate_is_what_the_first_answer_says() -> None:
    assert "1,000 questions" in estimate(1000, 50_000, 4, 0.6)
    assert "about 2 min" in estimate(1000, 50_000, 4, 0.6)  # 1000 * 0.6 / 4 seconds


# --- time and memory of everything else ---------------------------------------------------------------


def spoil(monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[], object]) -> None:
    """Let a function of the checks do something else; processes that are forked do so too."""
    monkeypatch.setattr(f"agzamov_verify.checks.{name}", lambda *_, **__: act())


def limited(path: Path, jobs: int = 1, **limits: Any) -> Verdict:
    return verify(path, Options(None, "no engine", jobs, limits=VerificationLimits(seat_replies_max=3, **limits)))


@pytest.mark.slow
def test_figures_that_take_too_long_are_not_checked(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "results_check.results_of", lambda: time.sleep(600))
    started = time.monotonic()
    not_checked(limited(tiny, time_s_max=15), Number.RESULTS, "time is up, --time-max 15 seconds")
    assert time.monotonic() - started < 300


def test_a_replay_that_takes_too_long_is_not_checked(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget(VerificationLimits())
    budget.deadline_s = time.monotonic()
    monkeypatch.setattr(budget, "interrupting", nullcontext)  # the bundle was opened in time
    monkeypatch.setattr("agzamov_verify.checks.steps.Budget", lambda _: budget)
    not_checked(check(tiny), Number.JOURNAL, "time is up, --time-max")


@pytest.fixture
def many_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small journals are read in as many processes as large ones."""
    monkeypatch.setattr(opened_bundle, "SMALL_JOURNALS_BYTES", 0)


def test_small_journals_are_read_in_one_process(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = opened_bundle.open_bundle(small, CheckLog())
    assert opened.workers(8) == 1
    monkeypatch.setattr(opened_bundle, "SMALL_JOURNALS_BYTES", sum(opened.journal_bytes))
    assert opened.workers(8) == 8


@pytest.mark.usefixtures("many_workers")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("place", "number"),
    [("results_check.results_of", Number.RESULTS), ("replay_stream.StreamReplay._policy_departures", Number.JOURNAL)],
)
def test_what_needs_more_memory_than_allowed_is_not_checked(
    place: str, number: Number, jobs: int, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch, place, lambda: bytearray(300 * MIB))
    not_checked(limited(small, jobs, memory_mib_max=200), number, "out of memory")


@pytest.mark.usefixtures("many_workers")
def test_a_worker_that_is_killed_is_no_fault_of_the_bundle(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "replay_stream.StreamReplay._policy_departures", lambda: os._exit(9))
    not_checked(limited(small, 2), Number.JOURNAL, "a worker process was ended from outside")


def test_memory_is_given_back_to_the_caller(tiny: Path) -> None:
    check(tiny, limits=VerificationLimits(memory_mib_max=64, seat_replies_max=1))
    assert len(bytearray(300 * MIB)) == 300 * MIB


# --- a bad bundle never raises ------------------------------------------------------------------------


@pytest.mark.usefixtures("many_workers")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("opened_bundle.seed_dice", Number.SEED),
        ("replay_stream.StreamReplay._policy_departures", Number.JOURNAL),
        ("replay_all.streams_due", Number.GATE),
        ("results_check.results_of", Number.RESULTS),
        ("seat_replies.on_all_cores", Number.SEATS),
    ],
)
def test_an_exception_that_nobody_foresaw_is_a_finding_of_its_step(
    place: str, number: Number, jobs: int, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble() -> None:
        raise KeyError("\x1b[2J unforeseen")

    spoil(monkeypatch, place, stumble)
    verdict = limited(small, jobs)
    assert (failed_steps(verdict), check_command.exit_code(verdict)) == ([number], 1), told(verdict)
    assert "KeyError: '\\x1b[2J unforeseen'" in verdict.findings[0].found
    assert "please report it" in verdict.findings[0].expected


MIRRORED: dict[str, Any] = {
    "title": "Mirrored",
    "seats": SEATS,
    "holdem": {"session_hands": 2, "mirrored": True},
    "matches": [{"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 8, "block_hands": 2}],
}


@pytest.mark.parametrize("at", range(4))
def test_a_mirrored_match_with_a_stream_dropped_is_refused_at_the_gate(at: int, tmp_path: Path) -> None:
    """Hands without their mirrors cannot be scored: so streams are compared before anything is."""
    draft = Draft.of(make(MIRRORED, tmp_path))
    forget(draft, draft.streams()[at])
    reindex(draft)
    reseal(draft)
    verdict = check(draft.write(tmp_path))
    assert failed_steps(verdict) == [Number.GATE], told(verdict)
