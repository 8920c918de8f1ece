"""What a hold'em match came to: bb/100 by session, and how hands were decided.

100 chips are one big blind, so chips won per hand and big blinds per 100 hands are the same number.

The unit of every statistic is a session. With mirrored decks, a session and its mirror share their cards, so they are
one unit: what luck gave in one it took in the other, and counted apart they would show more spread than there is.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import msgspec

from ..games.decision import Tally, added
from ..games.holdem.rules import HandEnd
from ..games.holdem.script import HandRecord, PokerRules
from ..phases.streams import Block, PokerBlock, a_is_first
from .exact import Figure, figure, significant, square_root
from .statistics import Interval, binomial_p_greater, bootstrap_95, sample_variance, wilson_95


class PokerDecided(msgspec.Struct, frozen=True):
    """How hands ended, and the share without a forfeit and without a faulty first attempt."""

    ends: dict[str, int]
    with_faults: int
    by_play: Figure


class PokerResult(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="game", tag="holdem"):
    """A hold'em match from seat A's side. Sessions are won with more than zero chips.

    `mirrored_pairs`: so many sessions were taken together with their mirrors; there only with mirrored decks. Interval,
    SD, wins and p are then of these pairs.
    """

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
    mirrored_pairs: int = 0

    @property
    def units(self) -> int:
        """How many units the statistics are of."""
        return self.mirrored_pairs or self.sessions

    def headline(self) -> dict[str, str]:
        """The figures that a submitter claims."""
        return {
            "hands": str(self.hands),
            "bb_per_100": self.bb_per_100.decimal,
            "decided_by_play": self.decided.by_play.decimal,
        }


def poker_result(records: Sequence[HandRecord], rules: PokerRules, seed: bytes, resamples: int) -> PokerResult:
    """The result of all hands of a match, in order."""
    sessions = session_chips(records, rules.session_hands)
    units = with_mirrors(sessions) if rules.mirrored else sessions
    net, won = sum(units), sum(chips > 0 for chips in units)
    return PokerResult(
        len(records),
        len(sessions),
        net,
        figure(Fraction(net, len(records))),
        bootstrap_95(units, Fraction(1, rules.unit_hands), seed, resamples),
        figure(square_root(sample_variance(units)) / rules.unit_hands),
        won,
        wilson_95(won, len(units)),
        significant(binomial_p_greater(won, len(units))),
        _decided(records),
        len(units) if rules.mirrored else 0,
    )


def session_chips(records: Sequence[HandRecord], session_hands: int) -> list[int]:
    """Seat A's chips won in each session."""
    nets = [record.net_chips if a_is_first(at) else -record.net_chips for at, record in enumerate(records)]
    return [sum(nets[at : at + session_hands]) for at in range(0, len(nets), session_hands)]


def with_mirrors(sessions: Sequence[int]) -> list[int]:
    """Each session of the first half of a match together with its mirror, which played the same decks."""
    half = len(sessions) // 2
    return [one + again for one, again in zip(sessions[:half], sessions[half:], strict=True)]


def unit_sums(values: Sequence[int], session_hands: int, *, mirrored: bool) -> list[int]:
    """Sums of a value of each hand over whole units: sessions, or sessions with their mirrors."""
    starts = range(0, len(values) - session_hands + 1, session_hands)
    sessions = [sum(values[at : at + session_hands]) for at in starts]
    return with_mirrors(sessions) if mirrored else sessions


def poker_tallies(blocks: Sequence[Block]) -> tuple[Tally, Tally]:
    """What seats A and B did in all hands."""
    return added(block.tallies for block in blocks if isinstance(block, PokerBlock))


def _decided(records: Sequence[HandRecord]) -> PokerDecided:
    ends = Counter(record.end for record in records)
    with_faults = sum(any(record.faults) for record in records)
    by_play = sum(record.end is not HandEnd.FORFEIT and not any(record.faults) for record in records)
    counts = {end.value: count for end, count in sorted(ends.items())}
    return PokerDecided(counts, with_faults, figure(Fraction(by_play, len(records))))
