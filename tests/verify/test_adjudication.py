"""When a game is given to a side: the threshold, the sign, and the consecutive plies."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.core.questions import ENGINE, Evaluate, Evaluation
from agzamov_verify.games.chess.game_script import Adjudicator
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy, winning_side

START = chess.Board.from_chess960_pos(0).fen()
BLACK_MOVES_FIRST = START.replace(" w ", " b ")
MATERIAL = Adjudication(AdjudicationPolicy.MATERIAL)


@pytest.mark.parametrize(
    ("evaluation", "sign"),
    [
        (Evaluation(0, None), 0),
        (Evaluation(1000, None), 0),
        (Evaluation(1001, None), 1),
        (Evaluation(-1000, None), 0),
        (Evaluation(-1001, None), -1),
        (Evaluation(None, 1), 1),
        (Evaluation(None, 40), 1),
        (Evaluation(None, -1), -1),
        (Evaluation(None, -40), -1),
        (Evaluation(None, None), 0),
    ],
)
def test_the_side_beyond_the_threshold_wins_seen_from_the_side_to_move(evaluation: Evaluation, sign: int) -> None:
    assert sign == winning_side(evaluation, chess.WHITE, 1000)
    assert -sign == winning_side(evaluation, chess.BLACK, 1000)


def verdicts(rule: Adjudication, values: list[int]) -> list[int]:
    """The adjudicator's word after each of these values, all seen by White, White to move."""
    adjudicator, game = Adjudicator(rule, "g00000"), Game960(START)
    return [adjudicator.after_evaluation(Evaluation(value, None), game.board.turn) for value in values]


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([1001] * 5, 0),
        ([1001] * 6, 1),
        ([-1001] * 6, -1),
        ([1001] * 5 + [1000], 0),
        ([1001] * 5 + [-1001], 0),
        ([1001] * 5 + [-1001] * 5, 0),
        ([1001] * 5 + [-1001] * 6, -1),
        ([1001] * 3 + [0] + [1001] * 5, 0),
        ([1001] * 3 + [0] + [1001] * 6, 1),
    ],
)
def test_six_consecutive_plies_for_one_side_are_needed(values: list[int], verdict: int) -> None:
    assert verdict == verdicts(Adjudication(), values)[-1]


@given(st.lists(st.sampled_from([-1001, 0, 1001]), max_size=25), st.integers(1, 7))
def test_the_verdict_is_that_of_the_last_plies(values: list[int], plies: int) -> None:
    said = verdicts(Adjudication(plies=plies), values)
    for ply, verdict in enumerate(said):
        last = values[max(0, ply + 1 - plies) : ply + 1]
        kept = len(last) == plies and len(set(last)) == 1
        assert (last[0] // 1001 if kept else 0) == verdict


def test_the_engine_is_asked_about_the_whole_game_from_its_start() -> None:
    game = Game960(START)
    for text in ("a2a3", "a7a6"):
        game.push(chess.Move.from_uci(text))
    assert Evaluate(game="g00017", moves="a2a3 a7a6", start_fen=START, turn=2, to=ENGINE) == Adjudicator(
        Adjudication(), "g00017"
    ).question(game)


def test_the_value_is_turned_when_black_is_to_move() -> None:
    adjudicator = Adjudicator(Adjudication(plies=1), "g00000")
    assert adjudicator.after_evaluation(Evaluation(1001, None), Game960(BLACK_MOVES_FIRST).board.turn) == -1


@pytest.mark.parametrize(
    ("placement", "verdict"),
    [
        ("4k3/8/8/8/8/8/P7/Q3K3", 1),
        ("4k3/8/8/8/8/8/8/Q3K3", 0),
        ("qr2k3/8/8/8/8/8/8/4K3", -1),
        ("q3k3/8/8/8/8/8/8/RN2K3", 0),
    ],
)
def test_ten_points_of_material_decide_and_nine_do_not(placement: str, verdict: int) -> None:
    adjudicator, game = Adjudicator(MATERIAL, "g00000"), Game960(f"{placement} w - - 0 1")
    said = [adjudicator.after_ply(game) for _ in range(6)]
    assert said[:5] == [0] * 5
    assert verdict == said[5]


def test_the_policy_none_never_decides_and_asks_nobody() -> None:
    adjudicator = Adjudicator(Adjudication(AdjudicationPolicy.NONE), "g00000")
    game = Game960("4k3/8/8/8/8/8/8/QR2K3 w - - 0 1")
    assert [adjudicator.after_ply(game) for _ in range(10)] == [0] * 10
    assert not adjudicator.asks_engine
