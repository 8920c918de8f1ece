"""Analysis of a hold'em match: bb/100, variance reduction, preflop quality, ratings, learning, errors."""

from collections.abc import Callable, Mapping
from typing import Final

from ...scoring.exact import Figure
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.clusters import SHARE
from ...scoring.inference.estimate import Estimate
from ...scoring.learning.outcome import LearningOutcome
from ...scoring.match_figures import (
    Kept,
    MatchAnalysis,
    Setting,
    decided,
    error_rates,
    kept_figures,
    p_above_half,
    symmetry,
)
from ...scoring.measures import Measure
from ...scoring.ratings.elo import EloMatch, elo_match
from ...scoring.ratings.games import Both, hand_halfpoints, with_and_without
from ...scoring.ratings.glicko2 import GlickoMatch, GlickoPoint, glicko2_match
from ...scoring.ratios import share_figure
from .cell import PokerCell, PokerHand
from .preflop import NO_QUALITY, PreflopLoss, PreflopQuality, PreflopScope
from .rules import HandEnd
from .winrates import winrates_by_method

ELO_POINTS: Final = 10
"""Sessions between two points of an Elo course."""

UNIT: Final = "sessions"
"""What the decisions that depend on each other are of, in words."""

KINDS: Final[Mapping[str, Callable[[PokerHand], bool]]] = {
    "by_play": lambda hand: hand.decided_by_play,
    "forfeit": lambda hand: hand.end is HandEnd.FORFEIT,
    "fault": lambda hand: any(hand.errors),
}


class PokerAnalysis(MatchAnalysis, frozen=True, tag="holdem"):
    """A hold'em match from the side of one seat, in units of `unit_hands` hands: sessions, or with their mirrors.

    `adjusted` are the same hands by every variance-reduction method; `variance_cuts` is what that saves.
    Ratings are of units, each won, drawn or lost: they say who wins more often, which is not who wins more chips.
    `p_units_won`: the one-sided binomial test of units won against one half; None in self-play.
    `preflop_a` and `preflop_b` are both seats' decision quality before the flop; `preflop` says what these figures are,
    whether or not the match has them.
    """

    decided: dict[str, Estimate]
    bb_per_100: Kept
    unit_hands: int
    adjusted: dict[str, Estimate]
    variance_cuts: dict[str, Figure | None]
    units_won: Estimate
    p_units_won: str | None
    preflop: PreflopScope
    preflop_a: PreflopLoss | None
    preflop_b: PreflopLoss | None
    glicko2: Both[GlickoMatch]
    elo: Both[EloMatch]
    learning: LearningOutcome

    @property
    def rating(self) -> GlickoPoint:
        return self.glicko2.everything.a[-1]

    @property
    def learned(self) -> LearningOutcome:
        return self.learning

    @property
    def main(self) -> Kept:
        return self.bb_per_100

    @property
    def p_won(self) -> str | None:
        return self.p_units_won


def poker_analysis(
    cell: PokerCell, setting: Setting, evidence: Evidence, preflop: PreflopQuality = NO_QUALITY
) -> PokerAnalysis:
    """The analysis of a match of hold'em."""
    units, ratings = cell.measured(), evidence.constants.ratings
    glicko, elo = ratings.glicko2[cell.key.game], ratings.elo[cell.key.game]
    points = hand_halfpoints(units.values)
    own = [not others for others in cell.units(lambda hand: int(not hand.decided_by_play))]
    won = [int(chips > 0) for chips in units.values]
    shares = cell.as_ratio(won, [1] * len(won), SHARE)
    resamples = evidence.resampling(units.scale.unit)
    methods = winrates_by_method(cell, resamples, evidence.constants.clusters.variance_units_min)
    return PokerAnalysis(
        setting.id,
        setting.phase,
        symmetry(units, 0, setting, evidence),
        tuple(error_rates(cell, setting, evidence, UNIT)),
        decided(cell, KINDS, evidence, UNIT),
        kept_figures(cell, Measure.PERFORMANCE, evidence),
        cell.unit_hands,
        {name: method.winrate for name, method in methods.items()},
        {name: method.variance_cut for name, method in methods.items()},
        share_figure(shares, evidence.constants.clusters, UNIT),
        p_above_half(sum(won), len(won), setting, cell.careers),
        PreflopScope(),
        *preflop,
        with_and_without(lambda some: glicko2_match(some, glicko), points, own),
        with_and_without(lambda some: elo_match(some, elo, ELO_POINTS), points, own),
        evidence.learned(cell),
    )
