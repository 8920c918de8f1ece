"""What the live page says of a run that goes on: unusable answers at once, calls ahead, games that are over."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agzamov_harness.run import run_folder
from agzamov_harness.run.assumptions import Assumptions
from agzamov_harness.run.call_forecast import calls_of_seats
from agzamov_harness.watch.forecast_calls import Pace, played_for_s
from agzamov_harness.watch.live_run import LiveRun
from agzamov_harness.watch.snapshot import Snapshot
from agzamov_verify.bundle import RESULTS_FILE
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.scoring.call_records import CallRecord, encode
from agzamov_verify.table.scripted_players import scripted_reply
from bundles.bundle_factory import TINY, TINY_MODEL, Draft, make

CHESS, HANDS = "p1-chess960-naked-agent", "p1-holdem-naked-agent"
BABBLE = "I see the bishop, and the bishop sees me."
AGAINST_DICE = {
    **TINY_MODEL,
    "matches": [
        {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 4, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 4, "block_hands": 2},
    ],
}


def babbling(question: Question) -> Answer:
    """Every second answer reaches its token limit; none is usable."""
    assert isinstance(question, Chat)
    finish = "length" if question.turn % 2 else "stop"
    return Reply(text=BABBLE, model="m", finish=finish, prompt_tokens=100, completion_tokens=9)


@pytest.fixture(scope="module")
def babbled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run of a model that babbles, and its bundle."""
    folder = tmp_path_factory.mktemp("babbled")
    bundle = make({**AGAINST_DICE, "prices": {"agent": {"input_usd": "1"}}}, folder, babbling)
    return folder / "runs" / bundle.name, bundle


class Stopped:
    """A copy of a run as it was after so many entries of each stream; `go_on` writes the rest."""

    def __init__(self, run: Path, folder: Path, entries: Callable[[str], int]) -> None:
        self.path = Path(shutil.copytree(run, folder / run.name))
        self._whole: dict[Path, bytes] = {}
        for journal in (self.path / "journal").glob("*/000000.jsonl"):
            self._whole[journal] = journal.read_bytes()
            journal.write_bytes(
                b"".join(journal.read_bytes().splitlines(keepends=True)[: entries(journal.parent.name)])
            )

    def go_on(self) -> None:
        for journal, whole in self._whole.items():
            journal.write_bytes(whole)


def live(path: Path, age_s: float | None = None) -> LiveRun:
    ticks = iter(range(10**6))
    return LiveRun(run_folder.load(path), lambda: float(next(ticks)), age_s)


def looked(one: LiveRun) -> Snapshot:
    one.look()
    one.score()
    return one.snapshot()


def only(entries: int, stream: str) -> Callable[[str], int]:
    return lambda name: entries if name == stream else 0


# --- unusable answers ----------------------------------------------------------------------------


def test_unusable_answers_are_counted_at_each_decision(babbled: tuple[Path, Path], tmp_path: Path) -> None:
    """They were counted when a stream had ended: after a whole career."""
    run = Stopped(babbled[0], tmp_path, only(3, f"{CHESS}-b00000"))
    told = looked(live(run.path))
    assert 0 < told.answers <= 3  # one may be planted, which is no decision
    assert (told.unusable, told.is_alarming) == (told.answers, True)
    (game,) = told.games
    assert told.cut == told.answers // 2
    assert game.is_unusable
    what = "names no move" if told.answers % 2 else "cut"
    assert game.verdict == f"agent: unusable answer, {what}; played at random"
    assert game.counts == {"agent": (told.answers, told.answers)}
    is_next_open = game.turn == told.answers  # a planted question comes before the next decision
    assert game.frame.get("drawn", False) == is_next_open  # the move on the board is not the model's


def test_usable_answers_are_told_as_such(tmp_path: Path) -> None:
    made = make({**TINY, "matches": AGAINST_DICE["matches"], "seats": TINY_MODEL["seats"]}, tmp_path, _legal)
    run = Stopped(tmp_path / "runs" / made.name, tmp_path / "copy", only(3, f"{CHESS}-b00000"))
    told = looked(live(run.path))
    assert told.answers > 0
    assert (told.unusable, told.is_alarming) == (0, False)
    assert told.games[0].verdict == "agent: usable answer"
    assert not told.games[0].is_unusable
    assert "drawn" not in told.games[0].frame


def test_the_counts_are_those_of_the_bundle(babbled: tuple[Path, Path]) -> None:
    run, bundle = babbled
    told = looked(live(run))
    results = json.loads(Draft.of(bundle).files[RESULTS_FILE])
    stats = [seat for match in results["matches"] for seat in match["seat_stats"]]
    (agent,) = told.seats
    assert agent.is_model
    assert agent.answers == sum(one["decisions"] for one in stats) == agent.unusable
    assert agent.calls > sum(one["calls"] for one in stats)  # planted questions are calls too
    assert told.cost_usd == f"{agent.prompt_tokens / 10**6:.6f}"
    assert told.is_cost_known


def test_a_model_without_a_price_has_an_unknown_cost(tmp_path: Path) -> None:
    made = make(TINY_MODEL, tmp_path, babbling)
    told = looked(live(tmp_path / "runs" / made.name))
    assert (told.is_cost_known, told.has_models) == (False, True)


def test_scripted_players_have_no_unusable_answers_to_tell(tmp_path: Path) -> None:
    made = make(TINY, tmp_path)
    told = looked(live(tmp_path / "runs" / made.name))
    assert (told.has_models, told.answers, told.is_alarming) == (False, 0, False)


# --- how far it is -------------------------------------------------------------------------------


def test_calls_are_told_against_the_forecast_and_by_what_was_seen(babbled: tuple[Path, Path], tmp_path: Path) -> None:
    run = Stopped(babbled[0], tmp_path, lambda _: 0)
    plan = run_folder.load(run.path).manifest.plan
    forecast = sum(sum(calls_of_seats(match, plan, Assumptions()).values()) for match in plan.matches)
    one = live(run.path)
    told = looked(one)
    assert (told.calls, told.left_s) == (0, None)
    assert abs(told.calls_expected - forecast) <= len(plan.matches)
    run.go_on()
    told = looked(one)
    assert told.is_over
    assert told.calls == told.calls_expected < forecast


def test_the_forecast_turns_to_what_was_seen(babbled: tuple[Path, Path], tmp_path: Path) -> None:
    run = Stopped(babbled[0], tmp_path, lambda name: 10**6 if name.endswith("b00000") else 0)
    told = looked(live(run.path))
    rows = {row.match: row for row in told.matches}
    assert (rows[CHESS].done, rows[HANDS].done) == (2, 2)
    whole = looked(live(babbled[0])).calls
    assert told.calls < told.calls_expected
    assert abs(told.calls_expected - whole) < whole


def test_games_are_counted_once_though_planted_questions_are_named_for_earlier_ones(
    babbled: tuple[Path, Path],
) -> None:
    """A match said that 41 of its 40 hands were played."""
    assert [(row.done, row.planned) for row in looked(live(babbled[0])).matches] == [(4, 4), (4, 4)]


@pytest.mark.parametrize(
    ("samples", "left_s"),
    [
        ([], None),
        ([(0, 0), (10, 2)], None),  # too few calls
        ([(0, 0), (1, 50)], None),  # too short
        ([(0, 0), (10, 5)], 200.0),
        ([(0, 0), (1000, 0), (1010, 10)], 100.0),  # the first was too long ago
    ],
)
def test_the_time_left_is_of_the_last_minutes(samples: list[tuple[float, int]], left_s: float | None) -> None:
    pace = Pace()
    for now, calls in samples:
        pace.note(now, calls)
    assert pace.left_s(100) == left_s


@pytest.mark.parametrize(
    ("lines", "is_known"),
    [
        (encode(CallRecord(at=1_700_000_000, to="agent", us=1)) + b"\n", True),
        (encode(CallRecord(to="agent", us=1)) + b"\n", False),
        (b"{broken\n", False),
        (b"", False),
    ],
)
def test_the_time_of_a_run_counts_from_its_first_call(lines: bytes, is_known: bool, tmp_path: Path) -> None:
    assert played_for_s(tmp_path) == 0
    (tmp_path / "stream").mkdir()
    (tmp_path / "stream" / "calls.ndjson").write_bytes(lines)
    assert (played_for_s(tmp_path) > 0) == is_known


def test_who_looks_later_sees_the_time_since_the_first_call(babbled: tuple[Path, Path], tmp_path: Path) -> None:
    run = Stopped(babbled[0], tmp_path, only(3, f"{CHESS}-b00000"))
    one = live(run.path, 1000.0)
    assert looked(one).elapsed_s is None  # nobody plays it
    run.go_on()
    elapsed_s = looked(one).elapsed_s
    assert elapsed_s is not None
    assert elapsed_s > 1000


# --- the score, and games that are over ----------------------------------------------------------


def test_a_match_without_a_score_says_after_what_it_has_one(babbled: tuple[Path, Path], tmp_path: Path) -> None:
    run = Stopped(babbled[0], tmp_path, only(3, f"{CHESS}-b00000"))
    told = looked(live(run.path))
    assert [(row.is_begun, row.score, row.waits_for) for row in told.matches] == [
        (True, "", "the first pair of games, 1 and 2"),
        (False, "", "the first pair of hands, 1 and 2"),
    ]


def test_a_score_of_random_moves_says_so(tmp_path: Path) -> None:
    matches = [{"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 4, "block_games": 2}]
    made = make({**TINY_MODEL, "matches": matches}, tmp_path, _mixed)
    (row,) = looked(live(tmp_path / "runs" / made.name)).matches
    assert row.caution.endswith("answers of agent were unusable, so random ones were played")


def test_marks_that_reorder_text_are_spelled_out_for_the_page(tmp_path: Path) -> None:
    def hidden(question: Question) -> Answer:
        return Reply(text="MOVE: \u202eevil\x1b[2J\nsecond line", model="m", finish="stop")

    made = make({**TINY_MODEL, "title": "\u202etitle", "matches": AGAINST_DICE["matches"]}, tmp_path, hidden)
    run = Stopped(tmp_path / "runs" / made.name, tmp_path / "stopped", lambda _: 3)
    told = looked(live(run.path))
    assert told.title == r"\u{202e}title"
    assert {row.reply for row in told.games} == {"MOVE: \\u{202e}evil\\u{1b}[2J\nsecond line"}


def test_a_game_that_is_over_can_be_replayed_and_has_its_neighbours(babbled: tuple[Path, Path], tmp_path: Path) -> None:
    run = Stopped(babbled[0], tmp_path, only(10**6, f"{CHESS}-b00000"))
    one = live(run.path)
    told = looked(one)
    assert [row.game for row in told.finished] == [f"{CHESS}-g00001", f"{CHESS}-g00000"]
    assert told.matches[0].last == f"{CHESS}-g00001"
    document = one.finished.document(f"{CHESS}-g00000")
    assert document is not None
    assert (document["title"], document["previous"], document["next"]) == ("Game 1", "", f"{CHESS}-g00001")
    assert (document["placed"], document["places"]) == (["agent (A)", "agent (B)"], ["White", "Black"])
    assert [frame.get("drawn", False) for frame in document["frames"]] == [False, *[True] * 4]


@pytest.mark.parametrize("name", ["", CHESS, f"{CHESS}-g00002", f"{CHESS}-g0", f"{CHESS}-g99999", "no-such-g00000"])
def test_a_game_that_is_not_over_cannot(babbled: tuple[Path, Path], tmp_path: Path, name: str) -> None:
    run = Stopped(babbled[0], tmp_path, only(10**6, f"{CHESS}-b00000"))
    one = live(run.path)
    looked(one)
    assert one.finished.document(name) is None


def _legal(question: Question) -> Answer:
    """What a random player answers."""
    assert isinstance(question, Chat)
    return Reply(text=scripted_reply("random", question.messages, question.seed), model="m")


def _mixed(question: Question) -> Answer:
    return _legal(question) if question.to == "dice" else babbling(question)


def test_a_run_without_a_process_is_told_from_one_that_waits(tmp_path: Path) -> None:
    made = make({**TINY, "matches": AGAINST_DICE["matches"]}, tmp_path)
    directory = run_folder.load(tmp_path / "runs" / made.name)
    lock = directory.path / run_folder.LOCK
    lock.unlink(missing_ok=True)
    assert looked(live(directory.path)).is_played is False
    assert not lock.exists(), "a look writes nothing"
    with directory.locked():
        assert looked(live(directory.path)).is_played is True
    assert looked(live(directory.path)).is_played is False
    with directory.playing():  # as in a container
        assert looked(live(directory.path)).is_played is True
    with directory.shared("1-of-2"):
        assert looked(live(directory.path)).is_played is None
