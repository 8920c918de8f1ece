"""Poker decision quality (S29): losses of each seat's preflop decisions against a published equilibrium.

It is a diagnostic beside the result and never a part of a score: variance_reduction/preflop_loss.py has the game in
which a loss is measured. A seat's decisions in a hand in which it had a fault are left out, since a substitute may have
made them.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

import msgspec

from ...scoring.inference.estimate import Estimate, Scale
from ...scoring.measures import Ratio, ratio_of
from ...scoring.ratios import ONE, ratio_figure
from ...scoring.score_constants import ClusterConstants
from ..players import place_of
from .results import unit_sums
from .script import HandRecord, PokerRules
from .variance_reduction.preflop_loss import MICRO_BB, STRATEGY_SHA256, preflop_decisions
from .variance_reduction.preflop_tree import BASELINE

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
    by_decision, by_hand = (ratio_figure([(as_ratio(units[-1], below, scale), ONE)], constants) for below, scale in per)
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
