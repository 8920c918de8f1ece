"""What a hold'em match came to: bb/100 by session, and how hands were decided.

100 chips are one big blind, so chips won per hand and big blinds per 100 hands are the same number.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import msgspec

from ..games.holdem.rules import HandEnd
from ..games.holdem.script import HandRecord
from ..phases.streams import a_is_first
from .exact import Figure, figure, significant, square_root
from .statistics import Interval, binomial_p_greater, bootstrap_95, sample_variance, wilson_95


class PokerDecided(msgspec.Struct, frozen=True):
    """How hands ended, and the share without a forfeit and without a faulty first attempt."""

    ends: dict[str, int]
    with_faults: int
    by_play: Figure


class PokerResult(msgspec.Struct, frozen=True, tag_field="game", tag="holdem"):
    """A hold'em match from seat A's side. Sessions are won with more than zero chips."""

    hands: int
    sessions: int
    net_chips: int
    bb_per_100: Figure
    bb_per_100_ci: Interval
    session_sd_bb_per_100: Figure
    sessions_won: int
    sessions_won_ci: Interval
    p_sessions_binomial: str
    decided: PokerDecided

    def headline(self) -> dict[str, str]:
        """The figures that a submitter claims."""
        return {
            "hands": str(self.hands),
            "bb_per_100": self.bb_per_100.decimal,
            "decided_by_play": self.decided.by_play.decimal,
        }


def poker_result(records: Sequence[HandRecord], session_hands: int, seed: bytes, resamples: int) -> PokerResult:
    """The result of all hands of a match, in order."""
    sessions = session_chips(records, session_hands)
    net, won = sum(sessions), sum(chips > 0 for chips in sessions)
    return PokerResult(
        len(records),
        len(sessions),
        net,
        figure(Fraction(net, len(records))),
        bootstrap_95(sessions, Fraction(1, session_hands), seed, resamples),
        figure(square_root(sample_variance(sessions)) / session_hands),
        won,
        wilson_95(won, len(sessions)),
        significant(binomial_p_greater(won, len(sessions))),
        _decided(records),
    )


def session_chips(records: Sequence[HandRecord], session_hands: int) -> list[int]:
    """Seat A's chips won in each session."""
    nets = [record.net_chips if a_is_first(at) else -record.net_chips for at, record in enumerate(records)]
    return [sum(nets[at : at + session_hands]) for at in range(0, len(nets), session_hands)]


def _decided(records: Sequence[HandRecord]) -> PokerDecided:
    ends = Counter(record.end for record in records)
    with_faults = sum(any(record.faults) for record in records)
    by_play = sum(record.end is not HandEnd.FORFEIT and not any(record.faults) for record in records)
    counts = {end.value: count for end, count in sorted(ends.items())}
    return PokerDecided(counts, with_faults, figure(Fraction(by_play, len(records))))
