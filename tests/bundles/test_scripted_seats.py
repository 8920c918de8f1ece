"""Scripted seats cannot be helped: each has one possible answer to a question, and every part of it is compared."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import msgspec
import pytest

from agzamov_harness.ports import ChatRequest
from agzamov_harness.seat_kinds.scripted_kind import LocalSeat
from agzamov_verify.checks.check_log import CheckLog, Number, Status
from agzamov_verify.checks.limits import VerificationLimits
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.core.questions import Answer, Chat, Question, Reply, Try
from agzamov_verify.engines.answer_store import drawing_seed
from agzamov_verify.games.holdem.spot import read_spot
from agzamov_verify.seats import RandomSeat, ReferenceSeat
from agzamov_verify.table.prompt_lines import read_page
from agzamov_verify.table.scripted_players import position_of, with_words_as_tokens
from bundles.bundle_factory import (
    ALL_REPLIES,
    SEATS,
    Draft,
    chained,
    check,
    edited,
    engine_path,
    entries,
    failed_steps,
    fit_calls,
    gates,
    make,
    put,
    recorded,
    reindex,
    rescore,
    reseal,
    told,
    world_of,
)

SEATS_BY_NAME = {"agent": ReferenceSeat(), "dice": RandomSeat()}
MATCH = "p0-holdem-naked-agent"
PHASE0: dict[str, Any] = {
    "title": "Phase 0",
    "seats": SEATS,
    "holdem": {"session_hands": 2},
    "matches": [{"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 40, "block_hands": 2}],
}


def helped(question: Question) -> Answer:
    """The random seat gives every hand away, with words such as it would use; the agent asks for it."""
    assert isinstance(question, Chat)
    verbs = [verb.value for verb in read_spot(read_page(question.messages)).options.verbs]
    if question.to == "dice":
        action = next(verb for verb in ("fold", "check", "call") if verb in verbs)
        words = f"One of {len(verbs)} kinds of action, by chance.\nACTION: {action}"
        return with_words_as_tokens("random", question.messages, words)
    return LocalSeat(ReferenceSeat(), None).complete(ChatRequest(question.messages, question.seed))


def of_seats(verdict: Verdict) -> Status:
    return next(step.status for step in verdict.steps if step.number == Number.SEATS)


@pytest.mark.parametrize("answer", [None, helped], ids=["honest", "helped"])
def test_a_random_seat_that_plays_to_lose_is_found(answer: Any, tmp_path: Path) -> None:
    made = make(PHASE0, tmp_path, answer)
    verdict = check(made)
    if answer is None:
        assert (verdict.level, of_seats(verdict)) == ("V1", Status.PASS), told(verdict)
        return
    assert gates(made) == {MATCH: "passed"}
    assert [step.number for step in verdict.steps if step.status is Status.FAIL] == [Number.SEATS]
    assert "the random seat's 'One of" in told(verdict)


# --- the whole answer, not its text -----------------------------------------------------------------

FORFEITS: dict[str, Any] = {
    **PHASE0,
    "holdem": {"session_hands": 10, "illegal": "retry_then_forfeit"},
    "matches": [{**PHASE0["matches"][0], "hands": 100, "block_hands": 10}],
}


def cut_off(question: Question) -> Answer:
    """The random seat's own words, each time said to be cut by a token limit: it declares nothing and forfeits."""
    assert isinstance(question, Chat)
    given = LocalSeat(SEATS_BY_NAME[question.to], None).complete(ChatRequest(question.messages, question.seed))
    return msgspec.structs.replace(given, finish="length") if question.to == "dice" else given


def test_a_random_seat_that_forfeits_every_hand_with_the_right_words_is_found(tmp_path: Path) -> None:
    made = make(FORFEITS, tmp_path, cut_off)
    assert gates(made) == {MATCH: "passed"}
    verdict = check(made)
    assert failed_steps(verdict) == [Number.SEATS]
    assert "the random seat's finish ''" in told(verdict)


@pytest.mark.slow
def test_a_random_seat_that_needed_two_tries_is_found(tmp_path: Path) -> None:
    """It has no server that could fail: two steps say so."""
    draft = Draft.of(make(PHASE0, tmp_path))
    stream = draft.streams()[0]
    story = entries(draft, stream)
    at = next(number for number, entry in enumerate(story) if entry.question.to == "dice")
    twice = msgspec.structs.replace(story[at].answer, attempts=(Try("503 Service Unavailable", "status"),))
    put(draft, stream, chained(edited(story, at, answer=twice)))
    reindex(draft)
    rescore(draft)
    reseal(draft)
    verdict = check(draft.write(tmp_path / "forged"))
    assert failed_steps(verdict) == [Number.REPLAY, Number.SEATS]
    assert "the random seat's attempts ()" in told(verdict)


# --- reference players ------------------------------------------------------------------------------

GAMES = {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 2, "block_games": 2}
HANDS = {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 4, "block_hands": 2}
PLAYED: dict[str, Any] = {
    "title": "Played",
    "seats": SEATS,
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 6},
    "holdem": {"session_hands": 2},
    "matches": [GAMES, HANDS],
}
SPOILT = {"p1-chess960-naked-agent-g00001": 3, "p1-holdem-naked-agent-h0000002": 0}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(PLAYED, tmp_path_factory.mktemp("played"))


def worse(game: str) -> Callable[[Question], Answer]:
    """One decision in `game` by chance, in the reference player's form."""

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        seat = RandomSeat() if (question.game, question.turn) == (game, SPOILT[game]) else ReferenceSeat()
        given = LocalSeat(seat, None).complete(ChatRequest(question.messages, question.seed))
        return msgspec.structs.replace(given, model="reference")

    return answer


def test_replies_of_reference_seats_are_computed_again(played: Path) -> None:
    verdict = check(played, limits=ALL_REPLIES)
    assert (verdict.level, of_seats(verdict)) == ("V1", Status.PASS), told(verdict)
    remark = verdict.steps[Number.SEATS - 1].remark
    done, total = re.match(r"(\d+) of (\d+) replies of reference players$", remark).groups()  # type: ignore[union-attr]
    assert done == total


@pytest.mark.parametrize("game", SPOILT, ids=["chess", "hold'em"])
def test_a_reference_seat_that_plays_another_move_is_found(game: str, tmp_path: Path) -> None:
    verdict = check(make(PLAYED, tmp_path, worse(game)), limits=ALL_REPLIES)
    assert failed_steps(verdict) == [Number.SEATS]
    assert [finding.place for finding in verdict.findings] == [f"game {game} turn {SPOILT[game]}"]


def test_of_many_replies_a_random_sample_is_computed_again_and_called_one(played: Path) -> None:
    verdict = check(played, limits=VerificationLimits(seat_replies_max=4))
    remark = verdict.steps[Number.SEATS - 1].remark
    assert verdict.level == "V1"
    wanted = r"4 of \d+ replies of reference players, drawn at random: of the \d+ not drawn at most \d+ can be wrong"
    wanted += r" \(95 % sure\)"
    assert re.match(wanted, remark), remark


@pytest.mark.slow
def test_which_replies_are_drawn_is_fresh_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong reply of many is found by some checks and not by all."""
    monkeypatch.setattr(
        "agzamov_verify.checks.replay_all.drawing_seed", drawing_seed
    )  # as it is outside of these tests
    made = make(PLAYED, tmp_path, worse("p1-chess960-naked-agent-g00001"))
    seen: set[bool] = set()
    for _ in range(300):  # a check finds it about once in ten times
        seen.add(bool(check(made, limits=VerificationLimits(seat_replies_max=6)).failed))
        if len(seen) > 1:
            return
    pytest.fail(f"300 checks drew alike: found {seen}")


# --- Stockfish at the table -------------------------------------------------------------------------

SEATED = "p1-chess960-naked-fish"


def against_stockfish(skill: int) -> dict[str, Any]:
    seats = {**SEATS, "fish": {"kind": "stockfish", "nodes": 200, "skill": skill}}
    return {**PLAYED, "seats": seats, "matches": [{**GAMES, "a": "fish", "b": "fish"}]}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, engine: Path) -> Path:
    return make(against_stockfish(20), tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="module")
def weak(tmp_path_factory: pytest.TempPathFactory, engine: Path) -> Path:
    return make(against_stockfish(3), tmp_path_factory.mktemp("weak"))


def spoilt(path: Path, change: Callable[[Reply, Question], Reply]) -> Draft:
    """The same bundle told again with one answer of Stockfish changed, at game 0 turn 1."""
    draft = Draft.of(path)
    stream, engine = f"{SEATED}-b00000", engine_path()
    world = world_of(draft.manifest.plan, engine)

    def answer(question: Question) -> Answer:
        given = world(question)
        assert isinstance(question, Chat)
        assert isinstance(given, Reply)
        return change(given, question) if (question.game, question.turn) == (f"{SEATED}-g00000", 1) else given

    put(draft, stream, recorded(draft, stream, answer))
    world.close()
    fit_calls(draft, stream)
    reindex(draft)
    rescore(draft)
    reseal(draft)
    return draft


def another(given: Reply, question: Question) -> Reply:
    assert isinstance(question, Chat)
    board = chess.Board(position_of(question.messages), chess960=True)
    moves = sorted(board.uci(move) for move in board.legal_moves)
    return msgspec.structs.replace(given, text=f"MOVE: {next(one for one in moves if one not in given.text)}")


def test_moves_of_full_strength_stockfish_are_asked_again(full: Path, engine: Path, tmp_path: Path) -> None:
    verdict = check(full, engine, limits=ALL_REPLIES)
    assert (verdict.level, of_seats(verdict)) == ("V1", Status.PASS), told(verdict)
    assert "12 of 12 replies of stockfish players" in verdict.steps[Number.SEATS - 1].remark
    verdict = check(spoilt(full, another).write(tmp_path), engine, limits=ALL_REPLIES)
    assert failed_steps(verdict) == [Number.SEATS]
    assert [finding.place for finding in verdict.findings] == [f"game {SEATED}-g00000 turn 1"]


def test_without_an_engine_they_are_not_checked(full: Path) -> None:
    verdict = check(full)
    assert (verdict.level, verdict.failed, of_seats(verdict)) == ("V0", False, Status.NOT_CHECKED)
    assert verdict.steps[Number.SEATS - 1].remark == "no engine in this test"


def test_moves_of_a_weaker_stockfish_are_attested_and_the_step_says_so(weak: Path, tmp_path: Path) -> None:
    verdict = check(weak, limits=ALL_REPLIES)
    assert (verdict.level, of_seats(verdict)) == ("V1", Status.PASS), told(verdict)
    assert verdict.steps[Number.SEATS - 1].remark.startswith("moves of fish attested (skill 3 draws from its clock)")
    assert check(spoilt(weak, another).write(tmp_path)).level == "V1"


FORMS: dict[str, Callable[[Reply, Question], Reply]] = {
    "cut": lambda given, _: msgspec.structs.replace(given, finish="length"),
    "tokens": lambda given, _: msgspec.structs.replace(given, completion_tokens=1),
    "illegal": lambda given, _: msgspec.structs.replace(given, text="MOVE: a1a8"),
    "resigns": lambda given, _: msgspec.structs.replace(given, text="I resign."),
    "other engine": lambda given, _: msgspec.structs.replace(given, model="Stockfish 16"),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_answer_of_stockfish_of_another_form_is_found_at_any_skill(form: str, weak: Path, tmp_path: Path) -> None:
    verdict = check(spoilt(weak, FORMS[form]).write(tmp_path))
    assert failed_steps(verdict) == [Number.SEATS], told(verdict)


# --- nobody is scripted -----------------------------------------------------------------------------


def test_where_no_seat_is_scripted_the_step_does_not_apply(tmp_path: Path) -> None:
    model = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
    verdict = check(make({**PLAYED, "seats": {"agent": model}, "matches": [HANDS]}, tmp_path, as_reference))
    assert of_seats(verdict) is Status.NOT_APPLICABLE


def as_reference(question: Question) -> Answer:
    assert isinstance(question, Chat)
    return LocalSeat(ReferenceSeat(), None).complete(ChatRequest(question.messages, question.seed))


def test_the_same_journals_packed_again_draw_the_same_sample(small: Path, tmp_path: Path) -> None:
    """Whoever adds a log until a sample misses his lie has one draw, not many."""
    draft = Draft.of(small)
    draft.files["data/logs/000/seat.log"] = b"another byte\n"
    reseal(draft)
    first, again = (open_bundle(path, CheckLog()) for path in (small, draft.write(tmp_path)))
    assert first.sha256 != again.sha256
    assert first.journal_root == again.journal_root == draft.predicate["journal"]["root"]
