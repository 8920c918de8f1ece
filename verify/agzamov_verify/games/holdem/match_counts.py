"""The counts of a hold'em match: chips, sessions won, and how hands were decided. No inference.

100 chips are one big blind, so chips won per hand and big blinds per 100 hands are the same number.

The unit of every statistic is a session. With mirrored decks, a session and its mirror share their cards, so they are
one unit: the cards correlate their results negatively, and as independent units they would overstate the variance.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from ...scoring.inference.exact import figure
from ...scoring.units.counts import Counts, distinct, identity_of
from ...table.seating import place_of
from .hand_script import HandRecord, PokerRules
from .rules import HandEnd


class PokerDecided(msgspec.Struct, frozen=True):
    """Numbers of hands by how they ended. `by_play`: without a forfeit and without a faulty first attempt."""

    ends: dict[str, int]
    with_faults: int
    by_play: int


class PokerResult(Counts, frozen=True, omit_defaults=True, tag="holdem"):
    """A hold'em match from the side of the seat that is looked at. Sessions are won with more than zero chips.

    `distinct_hands`: hands that differ in cards, actions or result, whoever sat where. `mirrored_pairs`: so many
    sessions were taken together with their mirrors; there only with mirrored decks. The wins are then of these pairs.
    """

    hands: int
    distinct_hands: int
    sessions: int
    net_chips: int
    sessions_won: int
    decided: PokerDecided
    mirrored_pairs: int = 0

    @property
    def bb_per_100(self) -> Fraction:
        """Big blinds per 100 hands: chips per hand."""
        return Fraction(self.net_chips, self.hands)

    @property
    def count(self) -> int:
        return self.hands

    @property
    def distinct(self) -> int:
        return self.distinct_hands

    @property
    def wins(self) -> tuple[int, int]:
        return self.sessions_won, self.units

    @property
    def value(self) -> Fraction:
        """Big blinds per 100 hands."""
        return self.bb_per_100

    @property
    def ends(self) -> Mapping[str, int]:
        return self.decided.ends

    @property
    def by_play(self) -> int:
        return self.decided.by_play

    @property
    def units(self) -> int:
        """Number of statistical units."""
        return self.mirrored_pairs or self.sessions

    def headline(self) -> dict[str, str]:
        """The figures that a submitter claims."""
        return {
            "hands": str(self.hands),
            "bb_per_100": figure(self.bb_per_100).decimal,
            "decided_by_play": figure(Fraction(self.decided.by_play, self.hands)).decimal,
        }


def poker_result(records: Sequence[HandRecord], rules: PokerRules, seat_index: int) -> PokerResult:
    """The result of all hands of a match, in order, for one seat."""
    sessions = session_chips(records, rules.session_hands, seat_index)
    units = with_mirrors(sessions) if rules.mirrored else sessions
    net, won = sum(units), sum(chips > 0 for chips in units)
    return PokerResult(
        len(records),
        distinct(map(hand_identity, records)),
        len(sessions),
        net,
        won,
        _decided(records),
        len(units) if rules.mirrored else 0,
    )


def hand_identity(record: HandRecord) -> str:
    """Cards by position, actions and result, whoever sat where; empty where they are not known."""
    if record.story is None:
        return ""
    deal = record.story.deal
    actions = (f"{acted.action.kind.value} {acted.action.to_chips}" for acted in record.story.history)
    cards = (*deal.button, *deal.big_blind, *deal.board)
    return identity_of(*cards, *actions, record.end.value, str(record.net_chips))


def session_chips(records: Sequence[HandRecord], session_hands: int, seat_index: int) -> list[int]:
    """A seat's chips won in each session."""
    nets = [record.outcomes[place_of(seat_index, index)] for index, record in enumerate(records)]
    return [sum(nets[start : start + session_hands]) for start in range(0, len(nets), session_hands)]


def with_mirrors(sessions: Sequence[int]) -> list[int]:
    """Each session of the first half of a match together with its mirror, which played the same decks."""
    half = len(sessions) // 2
    return [session + mirror for session, mirror in zip(sessions[:half], sessions[half:], strict=True)]


def unit_sums(values: Sequence[int], session_hands: int, *, mirrored: bool) -> list[int]:
    """Sums of a value of each hand over whole units: sessions, or sessions with their mirrors."""
    starts = range(0, len(values) - session_hands + 1, session_hands)
    sessions = [sum(values[start : start + session_hands]) for start in starts]
    return with_mirrors(sessions) if mirrored else sessions


def _decided(records: Sequence[HandRecord]) -> PokerDecided:
    ends = Counter(record.end for record in records)
    with_faults = sum(any(record.faults) for record in records)
    by_play = sum(record.end is not HandEnd.FORFEIT and not any(record.faults) for record in records)
    counts = {end.value: count for end, count in sorted(ends.items())}
    return PokerDecided(counts, with_faults, by_play)
