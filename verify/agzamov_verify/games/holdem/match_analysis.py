"""Analysis of a hold'em match: bb/100, variance reduction, preflop quality, ratings, learning, errors.

Poker decision quality (S29): losses of each seat's preflop decisions against a published equilibrium.

It is a diagnostic beside the result and never a part of a score: preflop_game.py has the game in
which a loss is measured. A seat's decisions in a hand in which it had a fault are left out, since a substitute may have
made them.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

import msgspec

from ...scoring.hypotheses.contrasts import Weighted, estimated, repeated
from ...scoring.hypotheses.delta_contrasts import ONE
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.clusters import SHARE
from ...scoring.inference.estimate import Estimate, Scale
from ...scoring.inference.exact import Figure, rounded, square_root
from ...scoring.inference.intervals import Resamples
from ...scoring.inference.ratings import (
    Both,
    EloMatch,
    GlickoMatch,
    GlickoPoint,
    elo_match,
    glicko2_match,
    hand_halfpoints,
    with_and_without,
)
from ...scoring.inference.samples import sample_variance
from ...scoring.inference.unit_values import Measure, Ratio, Units, ratio_of
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
from ...scoring.units.ratios import WHOLE, ratio_figure, share_figure
from ...scoring.units.score_constants import ClusterConstants
from ...table.seating import place_of
from .cell import ADJUSTED_METHODS, PokerCell, PokerHand
from .control_variates import Method
from .hand_script import HandRecord, PokerRules
from .match_counts import unit_sums
from .preflop_game import BASELINE, MICRO_BB, STRATEGY_SHA256, preflop_decisions
from .range_methods import RangeMethod
from .rules import HandEnd

SCOPE: Final = (
    "Decisions before the flop alone, heads-up with 100 big blinds, against one published equilibrium of a game of few"
    " bet sizes in which nobody bets after the flop: equity without later play. It shows hands played that should be"
    " folded and the reverse. It is not how well the real game is played, whose good play loses something here, and it"
    " is no part of a score."
)
PER_DECISION: Final = Scale("mbb per decision", Fraction(1000, MICRO_BB))
PER_HAND: Final = Scale("bb/100", Fraction(100, MICRO_BB))


class PreflopLoss(msgspec.Struct, frozen=True):
    """One seat's decisions before the flop, in units as the match's: sessions, each with its mirror if it has one.

    `left_out`: hands in which the seat had a fault. `resized`: decisions whose size stands for another one.
    """

    hands: int
    left_out: int
    decisions: int
    resized: int
    with_loss: int
    loss_per_decision: Estimate
    loss_per_100_hands: Estimate


class PreflopScope(msgspec.Struct, frozen=True):
    """Scope and limits of the figures, and the digest of the reference strategy."""

    scope: str = SCOPE
    strategy_sha256: str = STRATEGY_SHA256


class PreflopQuality(NamedTuple):
    """Seats A and B of a match."""

    a: PreflopLoss | None
    b: PreflopLoss | None


AsRatio: TypeAlias = Callable[[Sequence[int], Sequence[int], Scale], Ratio]
"""Makes a ratio of sums by unit: of units, or of the careers that they are of."""

NO_QUALITY: Final = PreflopQuality(None, None)
"""Of a match with other stacks."""


class _HandCounts(NamedTuple):
    """A hand from one seat's side: whether it counts, decisions, resized, with a loss, and millionths of a bb lost."""

    counted: int = 0
    decisions: int = 0
    resized: int = 0
    with_loss: int = 0
    loss_micro_bb: int = 0


def preflop_quality(
    records: Sequence[HandRecord], rules: PokerRules, constants: ClusterConstants, as_ratio: AsRatio = ratio_of
) -> PreflopQuality:
    """The quality of both seats over a match's hands in order; none where stacks are not 100 big blinds, or no hand.

    `as_ratio`: that of the cell of these hands, which may be of careers.
    """
    if rules.stack_chips != BASELINE.stack_chips or not records:
        return NO_QUALITY
    return PreflopQuality(*(_loss(records, rules, seat, constants, as_ratio) for seat in (0, 1)))


def _loss(
    records: Sequence[HandRecord], rules: PokerRules, seat: int, constants: ClusterConstants, as_ratio: AsRatio
) -> PreflopLoss:
    hand_counts = [_hand_counts(record, place_of(seat, index)) for index, record in enumerate(records)]
    hands, decisions, resized, with_loss, _ = (sum(column) for column in zip(*hand_counts, strict=True))
    columns = zip(*hand_counts, strict=True)
    units = [unit_sums(column, rules.session_hands, mirrored=rules.mirrored) for column in columns]
    per = ((units[1], PER_DECISION), (units[0], PER_HAND))
    by_decision, by_hand = (
        ratio_figure([(as_ratio(units[-1], below, scale), WHOLE)], constants) for below, scale in per
    )
    return PreflopLoss(
        hands,
        len(records) - hands,
        decisions,
        resized,
        with_loss,
        by_decision,
        by_hand,
    )


def _hand_counts(record: HandRecord, player: int) -> _HandCounts:
    if record.story is None or record.faults[player]:
        return _HandCounts()
    decisions = [decision for decision in preflop_decisions(record.story) if decision.player == player]
    losses = [decision.loss_micro_bb for decision in decisions]
    return _HandCounts(
        1,
        len(decisions),
        sum(decision.resized for decision in decisions),
        sum(loss > 0 for loss in losses),
        sum(losses),
    )


class MethodWinrate(msgspec.Struct, frozen=True):
    """Seat A's winrate by one method.

    `sd_per_100_hands` is the standard deviation of the winrate of 100 hands, in bb/100. `variance_cut` is the variance
    of raw sessions that stand alone, hand for hand, divided by that of this method's units: what mirrored decks save is
    in it too. None without variation.
    """

    winrate: Estimate
    sd_per_100_hands: Figure | None
    variance_cut: Figure | None


def winrates_by_method(cell: PokerCell, resamples: Resamples, units_min: int = 2) -> dict[str, MethodWinrate]:
    """The cell by every method that it has the means for, raw first; raw alone where the cards are not known.

    `units_min`: below so many units no factor of variance is given.
    """
    sessions = msgspec.structs.replace(cell, mirrored=False).measured()
    raw = _per_hand(sessions, cell.session_hands)
    by_method: dict[Method | RangeMethod, Units] = {Method.RAW: cell.measured()}
    by_method |= {method: units for method in (*ADJUSTED_METHODS, *RangeMethod) if (units := cell.adjusted(method))}
    by_name = {method.value: _winrate(units, cell.unit_hands, raw, resamples) for method, units in by_method.items()}
    if len(by_method[Method.RAW].values) >= units_min:
        return by_name
    return {name: msgspec.structs.replace(figures, variance_cut=None) for name, figures in by_name.items()}


def _winrate(units: Units, unit_hands: int, raw: Fraction, resamples: Resamples) -> MethodWinrate:
    left = _per_hand(units, unit_hands)
    winrate = estimated(repeated([Weighted(units, ONE)]), resamples)
    if not left:
        return MethodWinrate(winrate, None, None)
    return MethodWinrate(winrate, rounded(square_root(left / 100)), rounded(raw / left))


def _per_hand(units: Units, unit_hands: int) -> Fraction:
    """The variance that one hand adds, of a winrate in bb/100."""
    return sample_variance(units.values) * units.scale.factor**2 * unit_hands


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
    units, ratings, seats = cell.measured(), evidence.constants.ratings, cell.key.seats
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
        p_above_half(sum(won), len(won), setting, cell),
        PreflopScope(),
        *preflop,
        with_and_without(lambda some: glicko2_match(some, glicko, seats=seats), points, own),
        with_and_without(lambda some: elo_match(some, elo, ELO_POINTS, seats=seats), points, own),
        evidence.learned(cell),
    )
