"""A chess match scored from hand-made games: whose points, in which pairs, and how they were decided."""

from collections.abc import Sequence
from fractions import Fraction

import chess
import pytest

from agzamov_verify.games.chess.game import chess_tallies
from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.match_counts import ChessResult, chess_result, halfpoints
from agzamov_verify.games.chess.rules import BY_RULE, End
from agzamov_verify.table.decision import Tally

WHITE_WINS, DRAW, BLACK_WINS = 2, 1, 0
RESAMPLES = 200


def seed(name: str) -> bytes:
    return name.encode().ljust(32, b"\0")


def game(
    white_halfpoints: int,
    end: End = End.CHECKMATE,
    raw: Ending | None = None,
    moves: str = "e2e4",
    tallies: tuple[Tally, Tally] | None = None,
) -> ChessRecord:
    """A game that ended so; `raw` is how it ended or stood without adjudication."""
    ending = Ending(end, white_halfpoints)
    return ChessRecord("g", chess.STARTING_FEN, tuple(moves.split()), ending, raw or ending, tallies or clean())


def clean() -> tuple[Tally, Tally]:
    return Tally(decisions=1, calls=1), Tally(decisions=1, calls=1)


def adjudicated(white_halfpoints: int) -> ChessRecord:
    """A game that the engine gave away; without that it would stand unfinished."""
    return game(white_halfpoints, End.ADJUDICATION, Ending(End.UNFINISHED, DRAW))


def result_of(records: Sequence[ChessRecord]) -> ChessResult:
    return chess_result(records, 0)


# --- whose points --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("index", "white_halfpoints", "points"),
    [(0, WHITE_WINS, 2), (0, BLACK_WINS, 0), (1, WHITE_WINS, 0), (1, BLACK_WINS, 2), (2, WHITE_WINS, 2), (7, DRAW, 1)],
)
def test_seat_a_has_white_in_even_games_and_black_in_odd_ones(index: int, white_halfpoints: int, points: int) -> None:
    assert halfpoints(index, Ending(End.CHECKMATE, white_halfpoints), 0) == points


def test_white_winning_every_game_is_an_even_match() -> None:
    score = result_of([game(WHITE_WINS)] * 6).adjudicated
    assert (score.wins, score.draws, score.losses, score.points) == (3, 0, 3, Fraction(1, 2))
    assert score.pairs == (0, 0, 3, 0, 0), "a start that decides both games says nothing of the players"


def test_points_are_counted_by_pairs_of_one_start() -> None:
    pairs = [
        (WHITE_WINS, BLACK_WINS),  # A wins twice: 4 half-points
        (WHITE_WINS, DRAW),  # 3
        (DRAW, DRAW),  # 2
        (WHITE_WINS, WHITE_WINS),  # 2
        (DRAW, WHITE_WINS),  # 1
        (BLACK_WINS, WHITE_WINS),  # 0
    ]
    score = result_of([game(points) for pair in pairs for points in pair]).adjudicated
    assert score.pairs == (1, 1, 2, 1, 1)
    assert (score.wins, score.draws, score.losses) == (4, 4, 4)
    assert score.points == Fraction(1, 2)


def test_one_game_more_in_another_order_is_other_pairs_with_the_same_score() -> None:
    together = result_of([game(points) for points in (WHITE_WINS, BLACK_WINS, BLACK_WINS, WHITE_WINS)]).adjudicated
    apart = result_of([game(points) for points in (WHITE_WINS, WHITE_WINS, BLACK_WINS, BLACK_WINS)]).adjudicated
    assert together.points == apart.points
    assert (together.pairs, apart.pairs) == ((1, 0, 0, 0, 1), (0, 0, 2, 0, 0))


# --- adjudication and its control ----------------------------------------------------------------


def test_the_raw_score_counts_an_adjudicated_game_as_it_stood() -> None:
    records = [adjudicated(WHITE_WINS), adjudicated(BLACK_WINS), game(WHITE_WINS), game(BLACK_WINS)]
    result = result_of(records)
    assert (result.adjudicated.wins, result.adjudicated.draws) == (4, 0)
    assert (result.raw.wins, result.raw.draws) == (2, 2)
    assert result.headline() == {
        "games": "4",
        "score": "1.000000",
        "score_raw": "0.750000",
        "decided_by_play": "0.500000",
    }


def test_a_game_played_on_counts_by_its_adjudication_and_raw_by_its_end() -> None:
    turned = game(WHITE_WINS, End.ADJUDICATION, Ending(End.CHECKMATE, BLACK_WINS))
    result = result_of([turned, game(DRAW, End.STALEMATE)])
    assert (result.adjudicated.wins, result.raw.losses) == (1, 1)
    assert result.decided.ends == {"adjudication": 1, "stalemate": 1}


# --- how games were decided ----------------------------------------------------------------------


def test_a_game_is_decided_by_play_if_rules_ended_it_and_no_move_was_substituted() -> None:
    substituted = (Tally(decisions=9), Tally(decisions=9, substituted=1))
    records = [
        game(WHITE_WINS),
        game(WHITE_WINS, tallies=substituted),
        game(DRAW, End.THREEFOLD_REPETITION),
        game(DRAW, End.PLY_LIMIT),
        game(BLACK_WINS, End.FORFEIT),
        adjudicated(WHITE_WINS),
    ]
    decided = result_of(records).decided
    assert (decided.rules, decided.adjudication, decided.forfeit, decided.ply_limit) == (3, 1, 1, 1)
    assert (decided.with_substitution, decided.by_play) == (1, 2)
    assert sum(decided.ends.values()) == len(records)


def test_every_end_is_by_the_rules_of_chess_or_by_ours() -> None:
    ours = {End.ADJUDICATION, End.FORFEIT, End.PLY_LIMIT, End.UNFINISHED}
    assert BY_RULE | ours == set(End)
    assert not BY_RULE & ours


def test_plies_are_those_that_were_played() -> None:
    assert result_of([game(DRAW, moves="e2e4 e7e5 g1f3"), game(DRAW, moves="a2a3")]).plies == 4


# --- tallies -------------------------------------------------------------------------------------


def test_what_a_seat_did_is_added_up_whichever_colour_it_had() -> None:
    records = [
        game(DRAW, tallies=(Tally(decisions=10, prompt_tokens=1), Tally(decisions=20, prompt_tokens=2))),
        game(DRAW, tallies=(Tally(decisions=300, prompt_tokens=4), Tally(decisions=400, prompt_tokens=8))),
    ]
    a, b = chess_tallies(records)
    assert (a.decisions, b.decisions) == (10 + 400, 20 + 300)
    assert (a.prompt_tokens, b.prompt_tokens) == (1 + 8, 2 + 4)
    assert records[0].tallies[0].decisions == 10, "the games keep their own"
