"""Assumed spread of games from uneven positions of Phase 5, by the share that the worse side does not lose.

Both sides are taken to be equally good, so seat A holds as many positions as its opponent. Of the games that the worse
side does not lose, half are drawn and half won. A lost game lasts as long as the engine's own from there. What differs
between positions counts as spread, as it does where the analysis takes each position for a unit.
"""

from fractions import Fraction
from typing import Final, NamedTuple

from agzamov_verify.games.chess960.stress_positions import HORIZON_MOVES, PositionClass, positions_of
from agzamov_verify.scoring.exact import square_root
from agzamov_verify.scoring.planning import CHESS_UNIT, Assumed, Scoring
from agzamov_verify.scoring.score_constants import CHESS

UNEVEN: Final = (PositionClass.SLIGHT, PositionClass.SEVERE)
SHARE_UNIT: Final = "share of games"
MOVES_UNIT: Final = "moves"
PAIR: Final = 2

HELD: Final = (
    Assumed(Fraction(1, 10), "10 % of games on the worse side not lost: an assumption"),
    Assumed(Fraction(3, 10), "30 % of games on the worse side not lost: an assumption, nothing has measured it yet"),
    Assumed(Fraction(1, 2), "50 % of games on the worse side not lost: as widely as a share spreads"),
)
"""Shares of games that the worse side does not lose, by how widely results spread."""


class HeldPositions(NamedTuple):
    """The scorings of a class of positions: points of score of a pair, recovery and survival of its worse game."""

    score: Scoring
    recovery: Scoring
    survival: Scoring


def held_positions(part: PositionClass, held: Assumed) -> HeldPositions:
    """The spreads of a class where the worse side does not lose this share of games."""
    rate = held.value
    # Half-points of the worse side: 1 and 2 with rate / 2 each. A pair has those of one side and 2 less the other's.
    of_one_game = rate / 2 + 4 * rate / 2 - (rate / 2 + 2 * rate / 2) ** 2
    in_score = square_root(2 * of_one_game) / 4
    return HeldPositions(
        Scoring(CHESS, "score by pairs", CHESS_UNIT, PAIR, in_score, held.source, Fraction(1, 2)),
        Scoring(
            CHESS, "recovery rate", SHARE_UNIT, PAIR, square_root(rate * (1 - rate)), held.source, max(rate, 1 - rate)
        ),
        Scoring(
            CHESS, "survival index", MOVES_UNIT, PAIR, _survival_sd(part, rate), held.source, Fraction(HORIZON_MOVES)
        ),
    )


def _survival_sd(part: PositionClass, rate: Fraction) -> Fraction:
    """SD of the survival index over positions: the rest of the horizon where a game is held, 0 where it is lost."""
    left = [HORIZON_MOVES - (position.collapse_moves or HORIZON_MOVES) for position in positions_of(part)]
    mean, of_squares = Fraction(sum(left), len(left)), Fraction(sum(moves * moves for moves in left), len(left))
    return square_root(rate * of_squares - (rate * mean) ** 2)
