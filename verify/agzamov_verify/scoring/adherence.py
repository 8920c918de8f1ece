"""Adherence to patterns: of the occasions on which a seat could keep a pattern of its own, the share that it kept.

A pattern that its player does not keep is nothing that a memory of the player could hold.
"""

from collections.abc import Iterator, Sequence

import msgspec

from ..core.seat_letters import seat_letter
from ..experiment.opponent_patterns import Adherence, Pattern
from ..plan.streams import patterns_of, shifts_before
from ..table.registry import GAMES
from .game_scoring import Played
from .inference.estimate import Estimate, share_estimate
from .inference.unit_values import Ratio
from .units.cells import Cell
from .units.ratios import share_figure
from .units.score_constants import ClusterConstants

NONE = Adherence(0, 0)


class PatternAdherence(msgspec.Struct, frozen=True):
    """Occasions of one pattern of one seat in a match, how many of them were kept, and their share.

    Counted in results in which the seat's prompt has it. `share` is kept / occasions, inferred over clusters as
    error rates are; it has no interval where nearly all were kept. `throughout` is the share of clusters (games, or
    sessions in hold'em, with an occasion) in which every occasion was kept, with Wilson's interval; None over careers.
    Without an occasion neither has a value.
    """

    match: str
    side: str
    seat: str
    pattern: Pattern
    occasions: int
    kept: int
    share: Estimate
    throughout: Estimate | None


def adherence_of(cell: Cell, played: Played, constants: ClusterConstants) -> Iterator[PatternAdherence]:
    """A row for each pattern of each seat of a match, in the order of the game's detectors."""
    match, game = played.match, GAMES[played.match.game]
    for seat_index, seat in enumerate(match.seats):
        patterns_by_shift = _patterns_by_shift(played, seat_index)
        for pattern in (name for name in game.detectors if any(name in patterns for patterns in patterns_by_shift)):
            counts = list(_counts(pattern, seat_index, played, patterns_by_shift))
            totals = sum(count.occasions for count in counts), sum(count.kept for count in counts)
            ratio = _ratio(cell, counts)
            share = share_figure(ratio, constants, game.contest.many)
            throughout = None if cell.careers else _throughout(ratio)
            yield PatternAdherence(match.id, seat_letter(seat_index), seat, pattern, *totals, share, throughout)


def _patterns_by_shift(played: Played, seat_index: int) -> list[tuple[Pattern, ...]]:
    """The patterns of a seat before the first shift and after each."""
    match = played.match
    return [patterns_of(played.plan, match, seat_index, shifts) for shifts in range(len(match.shifts) + 1)]


def _counts(
    pattern: Pattern, seat_index: int, played: Played, patterns_by_shift: Sequence[tuple[Pattern, ...]]
) -> Iterator[Adherence]:
    """The counts of each result, none where the seat was not told the pattern."""
    match, game = played.match, GAMES[played.match.game]
    detector = game.detectors[pattern]
    for index, record in enumerate(played.records):
        place = game.order(record, index).index(seat_index)
        yield detector(record, place) if pattern in patterns_by_shift[shifts_before(match, index)] else NONE


def _ratio(cell: Cell, counts: Sequence[Adherence]) -> Ratio:
    """Kept by occasions, over clusters or careers. A cell takes the values of its results in order."""
    kept, occasions = iter([count.kept for count in counts]), iter([count.occasions for count in counts])
    return cell.tallied(lambda _: next(kept), lambda _: next(occasions))


def _throughout(ratio: Ratio) -> Estimate:
    """The share of clusters with an occasion in which every occasion was kept."""
    whole = [kept == occasions for kept, occasions in zip(ratio.above, ratio.below, strict=True) if occasions]
    return share_estimate(sum(whole), len(whole))
