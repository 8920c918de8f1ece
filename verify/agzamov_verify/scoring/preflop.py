"""Poker decision quality (S29): what each seat's decisions before the flop lose against a published equilibrium.

It is a diagnostic beside the result and never a part of a score: see luck/preflop_loss.py for the game in which a loss
is measured. A seat's decisions in a hand in which it had a fault are left out, since a substitute may have made them.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from ..games.holdem.script import HandRecord, PokerRules
from ..phases.streams import a_is_first
from .holdem import unit_sums
from .inference.estimate import Estimate, Scale, ratio_estimate
from .inference.intervals import Resamples
from .luck.preflop_loss import MICRO_BB, STRATEGY_SHA256, preflop_decisions
from .luck.preflop_tree import BASELINE

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
    """What the figures say and what they do not; which strategy they are against."""

    scope: str = SCOPE
    strategy_sha256: str = STRATEGY_SHA256


class PreflopQuality(NamedTuple):
    """Seats A and B of a match."""

    a: PreflopLoss | None
    b: PreflopLoss | None


NO_QUALITY: Final = PreflopQuality(None, None)
"""Of a match with other stacks."""


class _Seen(NamedTuple):
    """A hand from one seat's side: whether it counts, decisions, resized, with a loss, and millionths of a bb lost."""

    counted: int = 0
    decisions: int = 0
    resized: int = 0
    with_loss: int = 0
    loss_micro_bb: int = 0


def preflop_quality(
    records: Sequence[HandRecord], rules: PokerRules, how: Callable[[str], Resamples]
) -> PreflopQuality:
    """The quality of both seats over a match's hands in order; none where stacks are not 100 big blinds, or no hand.

    `how` gives the resampling of a named estimate.
    """
    if rules.stack_chips != BASELINE.stack_chips or not records:
        return NO_QUALITY
    return PreflopQuality(*(_loss(records, rules, seat, how) for seat in (0, 1)))


def _loss(records: Sequence[HandRecord], rules: PokerRules, seat: int, how: Callable[[str], Resamples]) -> PreflopLoss:
    seen = [_seen(record, seat if a_is_first(at) else 1 - seat) for at, record in enumerate(records)]
    hands, decisions, resized, with_loss, _ = (sum(column) for column in zip(*seen, strict=True))
    columns = zip(*seen, strict=True)
    units = [unit_sums(column, rules.session_hands, mirrored=rules.mirrored) for column in columns]
    lost, side = units[-1], "ab"[seat]
    return PreflopLoss(
        hands,
        len(records) - hands,
        decisions,
        resized,
        with_loss,
        ratio_estimate(lost, units[1], PER_DECISION, how(f"{side}/decision")),
        ratio_estimate(lost, units[0], PER_HAND, how(f"{side}/hand")),
    )


def _seen(record: HandRecord, player: int) -> _Seen:
    if record.story is None or record.faults[player]:
        return _Seen()
    own = [one for one in preflop_decisions(record.story) if one.player == player]
    losses = [one.loss_micro_bb for one in own]
    return _Seen(1, len(own), sum(one.resized for one in own), sum(loss > 0 for loss in losses), sum(losses))
