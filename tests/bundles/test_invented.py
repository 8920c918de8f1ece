"""V1 must say V1: a run that nobody ever played is accepted, and the report says what that means.

Every reply here was written by this test. The manifest names a model behind an endpoint; nothing was
sent anywhere. Below V3 nothing can show that, so the words beside the level have to.
"""

import json
from pathlib import Path

import chess
import pytest
from click.testing import CliRunner

from agzamov_verify import cli
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.show.text import verdict_report
from agzamov_verify.table import scripted_players
from bundles.bundle_factory import Draft, check, make_until, told

MATCH = "p0-chess960-naked-model"
FICTION = {
    "title": "A run that never happened",
    "seats": {
        "model": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "genius-1"},
        "agent": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "genius-1"},
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "material", "threshold_points": 5, "plies": 2}, "plies_max": 120},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 12, "block_games": 2},
        {"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 2, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 2, "block_hands": 2},
    ],
}


def invented(question: Question) -> Answer:
    """Brilliant replies of a model that does not exist; only its random opponent cannot be made up."""
    assert isinstance(question, Chat)
    if question.to == "dice":
        answer = scripted_players.scripted_reply("random", question.messages, question.seed)
        return scripted_players.with_words_as_tokens("random", question.messages, answer)
    lines = question.messages[1].content.splitlines()
    fen = next((line.removeprefix("FEN: ") for line in lines if line.startswith("FEN: ")), "")
    action = f"MOVE: {_move(fen)}" if fen else f"ACTION: {_action(lines)}"
    said = f"After long and careful thought.\n{action}"
    return Reply(text=said, finish="stop", model="genius-1", completion_tokens=8)


def _move(fen: str) -> str:
    """The model mates or takes where it can."""
    board = chess.Board(fen, chess960=True)
    moves = sorted(board.legal_moves, key=lambda move: (_worth(board, move), move.uci()))
    return moves[-1].uci()


def _worth(board: chess.Board, move: chess.Move) -> tuple[bool, bool, int, int]:
    taken = board.piece_type_at(move.to_square) or 0
    board.push(move)
    mates, draws = board.is_checkmate(), board.is_stalemate() or board.is_repetition(2)
    least = -board.legal_moves.count()
    board.pop()
    return mates, not draws, taken + 5 * (move.promotion or 0), least


def _action(lines: list[str]) -> str:
    legal = next(line for line in lines if line.startswith("Legal actions: "))
    return "check" if "check" in legal else "call"


@pytest.fixture(scope="module")
def fiction(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_until(FICTION, tmp_path_factory.mktemp("fiction"), is_glorious, answer=invented)


def is_glorious(path: Path) -> bool:
    """The random opponent's moves are drawn, and may spoil a made-up win."""
    claims = Draft.of(path).predicate["claims"]
    return claims[f"{MATCH}/gate"] == "passed" and float(claims[f"{MATCH}/score"]) > 0.9


def test_a_fully_invented_run_is_accepted_at_v1(fiction: Path) -> None:
    verdict = check(fiction)
    assert verdict.level == "V1", told(verdict)


def test_the_fiction_is_one_that_a_reader_would_be_glad_to_believe(fiction: Path) -> None:
    assert is_glorious(fiction)


def test_its_report_says_in_plain_words_what_v1_does_and_does_not_mean(fiction: Path) -> None:
    words = " ".join(verdict_report.text(check(fiction)).split())
    for sentence in (
        "The record is consistent: level V1, computed again from the recorded replies; nobody has re-run",
        "not that the model really gave these replies (only a repetition by somebody else can)",
        "and not that this was the only run",
        "The submitter chose the seed: this may be the best of many runs",
    ):
        assert sentence in words


def test_the_command_prints_those_words_and_succeeds(fiction: Path) -> None:
    ran = CliRunner().invoke(cli.main, ["check", str(fiction), "--jobs", "1"])
    assert (ran.exit_code, "not that the model really gave these replies" in " ".join(ran.output.split())) == (0, True)


def test_the_report_for_programs_says_v1_and_no_more(fiction: Path) -> None:
    assert json.loads(verdict_report.json(check(fiction)))["level"] == "V1"


def test_the_statement_says_that_replies_are_attested_only(fiction: Path) -> None:
    words = Draft.of(fiction).predicate["recomputability"]
    assert (words["replies"], words["results"]) == ("attested by the submitter", "recomputed from the journal")


def test_what_was_shown_of_the_fiction_is_called_claimed(fiction: Path) -> None:
    ran = CliRunner().invoke(cli.main, ["show", str(fiction)])
    assert (ran.exit_code, "Claims only: no figure was recomputed here" in ran.output) == (0, True)
