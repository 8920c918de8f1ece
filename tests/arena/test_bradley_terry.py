"""Bradley-Terry against published analyses (Agresti, Davidson), statsmodels, scipy, and where nothing can be fitted."""

import hashlib
from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import resampled
from agzamov_verify.scoring.ratings.games import Game
from bradley_terry import BradleyTerry, bradley_terry
from connection import Connection, connection
from likelihood import Draws, Model

SEED = bytes(range(32))
HALF_WIN, DAVIDSON = Model(Draws.HALF_WIN), Model(Draws.DAVIDSON)

# Wins of the home team and of the visitors, American League East 1987 (Agresti, Categorical Data Analysis, 2nd ed.,
# Table 10.10); teams: Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore.
TEAMS = ("MIL", "DET", "TOR", "NY", "BOS", "CLE", "BAL")
BASEBALL = """
  -  4-3 4-2 4-3 6-1 4-2 6-0
 3-3  -  4-2 4-3 6-0 6-1 4-3
 2-5 4-3  -  2-4 4-3 4-2 6-0
 3-3 5-1 2-5  -  4-3 4-2 6-1
 5-1 2-5 3-3 4-2  -  5-2 6-0
 2-5 3-3 3-4 4-3 4-2  -  2-4
 2-5 1-5 1-6 2-4 1-6 3-4  -
"""
# Preferences for i, for j, for neither of six chocolate puddings (Davidson 1970, JASA 65:317).
PUDDINGS = """
1 2 19 22 16  1 3 16 19 12  2 3 19 19 10  1 4 18 23 13  2 4 23 19  9
3 4 19 20 15  1 5 13 19 18  2 5 16 20 12  3 5 16 15 17  4 5 17 14 16
1 6 18 21 12  2 6 22 20 12  3 6 13 18 10  4 6 14 19 18  5 6 11 21 12
"""


def baseball() -> list[Game]:
    games = []
    for home, row in zip(TEAMS, BASEBALL.split("\n")[1:-1], strict=True):
        for away, cell in zip(TEAMS, row.split(), strict=True):
            won, lost = (int(part or 0) for part in cell.split("-"))
            games += [Game(home, away, 2)] * won + [Game(home, away, 0)] * lost
    return games


def puddings() -> list[Game]:
    numbers, games = [int(word) for word in PUDDINGS.split()], []
    for at in range(0, len(numbers), 5):
        i, j, wins, losses, ties = numbers[at : at + 5]
        games += [Game(f"{i}", f"{j}", half) for half, n in ((2, wins), (0, losses), (1, ties)) for _ in range(n)]
    return games


def fit(games: Sequence[Game], model: Model, resamples: int = 40) -> BradleyTerry:
    found = bradley_terry(games, model, SEED, resamples)
    assert found is not None
    return found


def strengths(found: BradleyTerry) -> dict[str, float]:
    return {one.name: float(one.strength.value) for one in found.players}


def errors(found: BradleyTerry) -> dict[str, float]:
    return {one.name: float(one.strength.standard_error) for one in found.players}


# --- published analyses --------------------------------------------------------------------------


def test_agrestis_baseball_teams_have_their_published_strengths() -> None:
    """Table 10.11, column 3: against Baltimore, Cleveland to Milwaukee."""
    found = strengths(fit(baseball(), HALF_WIN))
    against = [round(found[name] - found["BAL"], 2) for name in ("CLE", "BOS", "NY", "TOR", "DET", "MIL")]
    assert against == [0.68, 1.11, 1.25, 1.29, 1.44, 1.58]


def test_agrestis_home_advantage_has_its_published_value() -> None:
    """Table 10.11, column 5 and section 10.6.3: shares of strength, and 0.302."""
    found = fit(baseball(), Model(Draws.HALF_WIN, first_move=True))
    worths = np.exp(list(strengths(found).values()))
    assert [round(float(worth), 3) for worth in sorted(worths / worths.sum())] == [
        0.044, 0.088, 0.137, 0.157, 0.164, 0.190, 0.220,
    ]  # fmt: skip
    assert found.first_move is not None
    assert round(float(found.first_move.value), 3) == 0.302
    assert found.draw is None


def test_one_game_put_down_for_the_wrong_side_moves_the_published_strengths() -> None:
    games = baseball()
    games[0] = games[0]._replace(halfpoints=0)
    found = strengths(fit(games, HALF_WIN))
    assert round(found["MIL"] - found["BAL"], 2) != 1.58


def test_davidsons_puddings_have_their_published_worths() -> None:
    """Davidson's worths after seven iterations, and PlackettLuce's standard errors (its vignette, `ref = NULL`)."""
    found = fit(puddings(), DAVIDSON)
    worths = np.exp([strengths(found)[name] for name in "123456"])
    published = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    assert worths / worths.sum() == pytest.approx(published, abs=3e-5)
    assert [errors(found)[name] for name in "123456"] == pytest.approx(
        [0.121949, 0.121818, 0.126823, 0.122003, 0.127054, 0.126594], abs=1.5e-6
    )
    assert found.draw is not None
    assert float(np.exp(float(found.draw.value))) == pytest.approx(0.7468147, abs=2e-5)
    assert float(found.draw.standard_error) == pytest.approx(0.082499, abs=1e-6)
    assert -2 * float(found.log_likelihood) == pytest.approx(1619.4, abs=0.05)


def test_a_player_who_lost_every_game_has_the_published_penalised_strength() -> None:
    """PlackettLuce's vignette, "Disconnected networks": half a win and half a loss against a ghost player."""
    found = fit([Game(*pair, 2) for pair in ("AB", "CA", "AD", "BA", "BC")], HALF_WIN)
    assert (found.connection, found.groups, found.penalised) == (Connection.UNBOUNDED, (("A", "B", "C"), ("D",)), True)
    values = strengths(found)
    assert [values[name] - values["A"] for name in "BCD"] == pytest.approx([0.5184185, 0.1354707, -1.1537565], abs=2e-6)


def test_the_others_without_that_player_have_the_published_strengths() -> None:
    found = fit([Game(*pair, 2) for pair in ("AB", "CA", "BA", "BC")], HALF_WIN)
    values = strengths(found)
    assert (found.connection, found.penalised) == (Connection.CONNECTED, False)
    assert [values[name] - values["A"] for name in "BC"] == pytest.approx([0.8392, 0.4196], abs=5e-5)


# --- other people's fitting ----------------------------------------------------------------------


def played(seed: int, players: int, per_pairing: int, advantage: float, tie: float) -> list[Game]:
    rng = np.random.default_rng(seed)
    names = [f"p{at}" for at in range(players)]
    theta = rng.normal(0, 0.7, players)
    games = []
    for i, j in permutations(range(players), 2):
        x = theta[i] - theta[j] + advantage
        weights = np.array([np.exp(-x / 2), tie, np.exp(x / 2)])
        games += [Game(names[i], names[j], int(half)) for half in rng.choice(3, per_pairing, p=weights / weights.sum())]
    return games


@pytest.mark.parametrize("first_move", [False, True])
def test_half_wins_are_statsmodels_logistic_regression(first_move: bool) -> None:
    games = played(3, 5, 12, 0.3, 0.8)
    names = sorted({game.first for game in games})
    design = np.zeros((len(games), len(names)))
    for row, game in enumerate(games):
        design[row, names.index(game.first)] = 1
        design[row, names.index(game.second)] = -1
    columns = np.column_stack([design[:, 1:], *([np.ones(len(games))] if first_move else [])])
    points = np.array([game.halfpoints / 2 for game in games])
    expected = sm.GLM(points, columns, family=sm.families.Binomial()).fit(tol=1e-14)
    found = fit(games, Model(Draws.HALF_WIN, first_move))
    values = strengths(found)
    assert [values[name] - values["p0"] for name in names[1:]] == pytest.approx(expected.params[:4], abs=2e-6)
    contrast = np.array([-1, 1 - 1 / 5, *[-1 / 5] * 3])[1:]  # p1 from the mean, by differences from p0
    error = float(np.sqrt(contrast @ expected.cov_params()[:4, :4] @ contrast))
    assert errors(found)["p1"] == pytest.approx(error, abs=1e-6)
    if first_move:
        assert found.first_move is not None
        assert float(found.first_move.value) == pytest.approx(expected.params[4], abs=1e-6)
        assert float(found.first_move.standard_error) == pytest.approx(expected.bse[4], abs=1e-6)


@pytest.mark.parametrize("first_move", [False, True])
def test_davidsons_model_is_the_maximum_that_scipy_finds(first_move: bool) -> None:
    games = played(5, 5, 12, 0.3, 0.8)
    names = sorted({game.first for game in games})
    first = np.array([names.index(game.first) for game in games])
    second = np.array([names.index(game.second) for game in games])
    outcome = np.array([game.halfpoints for game in games])

    def loss(parameters: np.ndarray) -> float:
        theta = np.concatenate([[0], parameters[:4]])
        x = theta[first] - theta[second] + (parameters[5] if first_move else 0)
        logits = np.column_stack([-x / 2, np.full(len(x), parameters[4]), x / 2])
        return float(np.log(np.exp(logits).sum(axis=1)).sum() - logits[np.arange(len(x)), outcome].sum())

    expected = minimize(loss, np.zeros(6 if first_move else 5), method="BFGS", options={"gtol": 1e-8})
    found = fit(games, Model(Draws.DAVIDSON, first_move))
    values = strengths(found)
    assert [values[name] - values["p0"] for name in names[1:]] == pytest.approx(expected.x[:4], abs=1e-5)
    assert found.draw is not None
    assert float(found.draw.value) == pytest.approx(expected.x[4], abs=1e-5)
    assert float(found.log_likelihood) == pytest.approx(-expected.fun, abs=1e-6)
    if first_move:
        assert found.first_move is not None
        assert float(found.first_move.value) == pytest.approx(expected.x[5], abs=1e-5)


def test_the_two_intervals_agree_where_there_are_many_games() -> None:
    found = fit(played(7, 4, 150, 0.2, 0.8), Model(Draws.DAVIDSON, first_move=True), 1000)
    assert found.unsettled == 0
    assert found.first_move is not None
    assert found.draw is not None
    for term in (*(one.strength for one in found.players), found.first_move, found.draw):
        assert term.bootstrap_ci is not None
        width = float(term.information_ci.high) - float(term.information_ci.low)
        assert float(term.bootstrap_ci.low) == pytest.approx(float(term.information_ci.low), abs=0.12 * width)
        assert float(term.bootstrap_ci.high) == pytest.approx(float(term.information_ci.high), abs=0.12 * width)


def test_a_resample_is_fitted_as_its_games_would_be() -> None:
    """With one resample both bounds are its estimate: the fast fit and the fifty-digit fit must agree on it."""
    games = sorted(played(9, 3, 6, 0.0, 0.8), key=lambda game: (game.first, game.second, -game.halfpoints))
    once = fit(games, DAVIDSON, 1)
    drawn = np.frombuffer(hashlib.shake_256(SEED + bytes(4)).digest(4 * len(games)), dtype="<u4")
    again = fit([games[int(word) * len(games) >> 32] for word in drawn], DAVIDSON, 1)
    for one in once.players:
        assert one.strength.bootstrap_ci is not None
        assert one.strength.bootstrap_ci.low == one.strength.bootstrap_ci.high
        assert float(one.strength.bootstrap_ci.low) == pytest.approx(strengths(again)[one.name], abs=1.1e-6)


@pytest.mark.parametrize("draws", [1, 50, 10_000])
def test_the_bootstrap_does_not_depend_on_how_much_is_drawn_at_a_time(
    draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = played(1, 3, 4, 0.2, 0.8)
    expected = fit(games, DAVIDSON, 60)
    monkeypatch.setattr(resampled, "_CHUNK_DRAWS", draws)
    assert fit(games, DAVIDSON, 60) == expected


def test_the_fit_of_davidsons_puddings_never_changes() -> None:
    best = fit(puddings(), DAVIDSON, 1000).players[0]
    assert (best.name, best.games, best.halfpoints, best.elo) == ("6", 241, 262, "1534.843294")
    assert (best.elo_ci.low, best.elo_ci.high) == ("1491.740356", "1577.946232")
    assert best.strength.bootstrap_ci is not None
    assert (best.strength.bootstrap_ci.low, best.strength.bootstrap_ci.high) == ("-0.060368", "0.445001")


def test_intervals_hold_the_true_strength_about_as_often_as_they_say() -> None:
    held = total = 0
    for seed in range(60):
        games = played(seed, 4, 20, 0.2, 0.8)
        theta = np.random.default_rng(seed).normal(0, 0.7, 4)
        truth = theta - theta.mean()
        for one in fit(games, Model(Draws.DAVIDSON, first_move=True), 1).players:
            interval = one.strength.information_ci
            held += float(interval.low) <= truth[int(one.name[1])] <= float(interval.high)
            total += 1
    assert 0.90 <= held / total <= 0.99


# --- what cannot be fitted -----------------------------------------------------------------------

CIRCLE = [Game(*pair, 2) for pair in ("ab", "bc", "ca")]


@pytest.mark.parametrize(
    ("games", "expected", "groups"),
    [
        (CIRCLE, Connection.CONNECTED, (("a", "b", "c"),)),
        ([*CIRCLE, Game("d", "a", 2)], Connection.UNBOUNDED, (("a", "b", "c"), ("d",))),
        ([*CIRCLE, Game("d", "a", 1)], Connection.CONNECTED, (("a", "b", "c", "d"),)),
        ([*CIRCLE, Game("d", "e", 1)], Connection.DISCONNECTED, (("a", "b", "c"), ("d", "e"))),
        ([], Connection.CONNECTED, ()),
    ],
)
def test_who_can_be_ordered(games: list[Game], expected: Connection, groups: tuple[tuple[str, ...], ...]) -> None:
    assert connection(games) == (expected, groups)


def test_two_circles_that_never_met_are_named_and_penalised() -> None:
    found = fit([*CIRCLE, Game("d", "e", 1)], HALF_WIN)
    assert (found.connection, found.penalised) == (Connection.DISCONNECTED, True)
    assert found.players[0].strength.information_ci.method == "information, penalised"


def test_a_first_move_that_always_wins_has_no_finite_advantage() -> None:
    games = [Game(a, b, 2) for a, b in permutations("abc", 2)] * 5
    found = fit(games, Model(Draws.HALF_WIN, first_move=True))
    assert (found.connection, found.penalised) == (Connection.CONNECTED, True)
    assert not fit(games, HALF_WIN).penalised


def test_who_always_has_the_first_move_cannot_be_told_from_the_advantage() -> None:
    games = [Game("a", "b", 2)] * 3 + [Game("a", "b", 0)] * 2
    assert fit(games, Model(Draws.HALF_WIN, first_move=True)).penalised
    assert not fit(games, HALF_WIN).penalised


def test_games_that_are_all_drawn_or_never_drawn_have_an_outcome() -> None:
    drawn = fit([Game("a", "b", 1), Game("b", "a", 1)] * 10, DAVIDSON)
    assert drawn.penalised
    assert strengths(drawn) == {"a": 0, "b": 0}
    decided = fit([Game("a", "b", 2), Game("b", "a", 2)] * 10, DAVIDSON)
    assert not decided.penalised
    assert decided.draw is None


def test_no_game_is_no_fit_and_one_game_is_a_penalised_one() -> None:
    assert bradley_terry([], DAVIDSON, SEED, 40) is None
    found = fit([Game("a", "b", 2)], Model(Draws.DAVIDSON, first_move=True))
    assert found.penalised
    assert [one.name for one in found.players] == ["a", "b"]


def test_too_many_resamples_without_a_fit_leave_no_bootstrap_interval() -> None:
    found = fit(CIRCLE, HALF_WIN, 200)
    assert 200 * 0.025 < found.unsettled <= 200
    assert {one.strength.bootstrap_ci for one in found.players} == {None}


@settings(max_examples=20)
@given(st.permutations(played(2, 3, 2, 0.2, 0.8)))
def test_the_order_of_games_does_not_matter(games: list[Game]) -> None:
    assert fit(games, Model(first_move=True)) == fit(played(2, 3, 2, 0.2, 0.8), Model(first_move=True))
