"""How widely results of chess spread, for planning: start pairs by the share of draws, and games from uneven positions.

Both sides of an uneven position are taken to be equally good, so seat A holds as many positions as its opponent. Of the
games that the worse side does not lose, half are drawn and half won. A lost game lasts as long as the engine's own from
there. What differs between positions counts as spread, as where the analysis takes each position for a unit.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ...experiment.matches import PositionClass
from ...scoring.game_planning import (
    Deviation,
    GamePlanning,
    Given,
    PilotFigures,
    PositionScorings,
    Samples,
    ends,
)
from ...scoring.inference.estimate import PAIR_SCORE
from ...scoring.inference.exact import square_root
from ...scoring.sample_sizes import CHESS_UNIT, WINS_UNIT, Assumed, PairsOfGames, Scoring
from ...scoring.units.cells import Cell
from .cell import PAIR_WINS, ChessCell
from .game import GAME
from .plan_options import PLAN_OPTIONS
from .starts import PAIR
from .stress_positions import HORIZON_MOVES, positions_of

SHARE_UNIT: Final = "share of games"
MOVES_UNIT: Final = "moves"
PAIR_SD, PAIR_WIN_SD, DRAWN = "pair_sd", "pair_win_sd", "draws"

HELD: Final = (
    Assumed(Fraction(1, 10), "10 % of games on the worse side not lost: an assumption"),
    Assumed(Fraction(3, 10), "30 % of games on the worse side not lost: an assumption, nothing has measured it yet"),
    Assumed(Fraction(1, 2), "50 % of games on the worse side not lost: as widely as a share spreads"),
)
"""Shares of games that the worse side does not lose, by how widely results spread."""

DRAWS: Final = (
    Assumed(Fraction(3, 4), "75 % of games drawn: an assumption, for play that is careful or hardly varies"),
    Assumed(Fraction(35, 100), "35 % of games drawn: an assumption, nothing has measured it for models yet"),
    Assumed(Fraction(0), "no game drawn: as widely as equal players can spread"),
)
"""Shares of chess games drawn, by how widely results spread: little, middle, widely."""


def chess_scorings(
    draws: Assumed = DRAWS[1], pair_sd: Fraction | None = None, pair_win_sd: Fraction | None = None
) -> tuple[Scoring, ...]:
    """Score (a draw is half a point) and the paper's win rate, by start pairs, for equal players.

    The standard deviations of pairs follow from the share of draws, or are a pilot's.
    """
    score, wins = PairsOfGames(draws.value, counts_draws=True), PairsOfGames(draws.value, counts_draws=False)
    base = (1 - draws.value) / 2
    return (
        _chess("score by pairs", CHESS_UNIT, draws.source, Fraction(1, 2), score, pair_sd),
        _chess("win rate by pairs", WINS_UNIT, draws.source, 1 - base, wins, pair_win_sd),
    )


def _chess(
    method: str, unit: str, source: str, reach: Fraction, pairs: PairsOfGames, measured: Fraction | None
) -> Scoring:
    # Variance of the mean of two independent games: (1 - draws) / 8 of score, won (1 - won) / 2 of wins.
    won = (1 - pairs.draws) / 2
    variance = (1 - pairs.draws) / 8 if pairs.counts_draws else won * (1 - won) / 2
    ratio = Fraction(1) if measured is None else measured**2 / variance
    sd = square_root(variance) if measured is None else measured
    return Scoring(GAME.name, method, unit, 2, sd, source, reach, pairs, ratio)


class ChessPlanning(GamePlanning):
    """Score and win rate of start pairs."""

    game = GAME
    unit = "points a game"
    performance = 1
    options = PLAN_OPTIONS

    def samples(self, cells: Sequence[Cell]) -> Samples:
        """Score and win rate of each start pair."""
        own = [cell for cell in cells if isinstance(cell, ChessCell)]
        scores = [[total * PAIR_SCORE.factor for total in cell.units(lambda game: game.halfpoints)] for cell in own]
        wins = [
            [total * PAIR_WINS.factor for total in cell.units(lambda game: int(game.halfpoints == 2))] for cell in own
        ]
        return {PAIR_SD: scores, PAIR_WIN_SD: wins}

    def shares(self, cells: Sequence[Cell]) -> Mapping[str, tuple[int, int]]:
        own = [cell for cell in cells if isinstance(cell, ChessCell)]
        drawn = sum(game.halfpoints == 1 for cell in own for game in cell.games)
        return {DRAWN: (drawn, sum(len(cell.games) for cell in own))}

    def scorings(self, given: Given, pilot: PilotFigures | None, rules: Any) -> Sequence[Sequence[Scoring]]:  # noqa: ARG002
        if (draws := given.get("draws")) is not None:
            return [chess_scorings(Assumed(draws, f"{float(100 * draws):g} % of games drawn: --draws"))]
        if pilot and (pairs := _measured(pilot)):
            return [chess_scorings(drawn, score, wins) for drawn, score, wins in pairs]
        return [chess_scorings(draws) for draws in DRAWS]

    def held(self, given: Given) -> Sequence[Assumed]:
        if (held := given.get("held")) is None:
            return HELD
        return (Assumed(held, f"{float(100 * held):g} % of games on the worse side not lost: --held"),)

    def position_scorings(self, part: PositionClass, held: Assumed) -> PositionScorings:
        rate = held.value
        # Half-points of the worse side: 1 and 2 with rate / 2 each. A pair has one side's, and 2 less the other's.
        of_one_game = rate / 2 + 4 * rate / 2 - (rate / 2 + 2 * rate / 2) ** 2
        in_score, recovery_sd = square_root(2 * of_one_game) / 4, square_root(rate * (1 - rate))
        lasting, horizon = _survival_sd(part, rate), Fraction(HORIZON_MOVES)
        return PositionScorings(
            Scoring(GAME.name, "score by pairs", CHESS_UNIT, PAIR, in_score, held.source, Fraction(1, 2)),
            Scoring(GAME.name, "recovery rate", SHARE_UNIT, PAIR, recovery_sd, held.source, max(rate, 1 - rate)),
            Scoring(GAME.name, "survival index", MOVES_UNIT, PAIR, lasting, held.source, horizon),
        )

    def assumptions(self, *, with_policy: bool) -> str:  # noqa: ARG002 - see hold'em
        equal = "players are equal but for the effect, and the two games of a start independent"
        return f"{equal}; a win rate spreads most near one half, so fewer draws need not mean that more is needed"


def _measured(pilot: PilotFigures) -> tuple[tuple[Assumed, Fraction, Fraction], ...]:
    """Share of draws with the standard deviations of score and win rate of a pair: low, value and high."""
    scores, wins = pilot.deviations.get(PAIR_SD), pilot.deviations.get(PAIR_WIN_SD)
    if scores is None or wins is None:
        return ()
    drawn, games = pilot.shares[DRAWN]
    words = (
        f"SD of a start pair's score {{:.3f}}: {{}}, {scores.units} pairs with"
        f" {drawn} of {games} games drawn, {pilot.source}"
    )
    bounds = zip(ends(_bounded(scores)), ends(_bounded(wins)), strict=True)
    return tuple(
        (Assumed(Fraction(drawn, games), words.format(float(score), name)), score, of_wins)
        for (score, name), (of_wins, _) in bounds
    )


def _bounded(pooled: Deviation) -> Deviation:
    """Between 0 and 1 no standard deviation is greater than one half."""
    return pooled._replace(high=min(pooled.high, Fraction(1, 2)))


def _survival_sd(part: PositionClass, rate: Fraction) -> Fraction:
    """SD of the survival index over positions: what is left of the horizon where a game is held, 0 where it is lost."""
    left = [HORIZON_MOVES - (position.collapse_moves or HORIZON_MOVES) for position in positions_of(part)]
    mean, of_squares = Fraction(sum(left), len(left)), Fraction(sum(moves * moves for moves in left), len(left))
    return square_root(rate * of_squares - (rate * mean) ** 2)


PLANNING: Final = ChessPlanning()
VARIANTS: Final[Mapping[str, GamePlanning]] = {GAME.name: PLANNING}
"""Of Chess960 alone: nothing has measured how widely games from openings spread."""
