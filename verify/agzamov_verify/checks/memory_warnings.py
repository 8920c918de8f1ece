"""Warnings of a run's memories: no rule is broken, but figures that rest on them are not what they seem to be.

nothing found      no search of a match found anything: one that is broken, or is read wrongly, looks the same
placebo unlike     the searches of a placebo arm found much less, or much more, than those of the memory
says more          entries that a server from outside made say more than those that it made them of
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from ..columns import ascii_words
from ..experiment import Arm, Match
from ..manifest import Plan
from ..seat_letters import memory_name, seat_letter
from ..streams import SeatStore, streams_of
from ..systems import MemorySystem
from ..systems.memory_system import Use
from .memory_audit import Audited

LIKE_FROM, LIKE_TO = Fraction(1, 2), Fraction(2)
"""The entries that a search of a placebo arm finds, as a share of those of the memory: within these it is like it."""
CAREER_CONTESTS_MIN: Final = 10
"""In shorter careers the number of entries that a search finds is left to chance."""


def audited_matches(plan: Plan, streams: Iterable[tuple[str, Mapping[str, Audited]]]) -> dict[SeatStore, Audited]:
    """The counts of each memory in each match, from those of the streams by id."""
    matches = dict[SeatStore, Audited]()
    played = {stream.id: match.id for match in plan.memory_matches for stream in streams_of(match)}
    for stream, memories in streams:
        for to, counts in memories.items():
            place = SeatStore(played[stream], to)
            matches[place] = matches.get(place, Audited()).plus(counts)
    return matches


def memory_warnings(plan: Plan, matches: Mapping[SeatStore, Audited]) -> Iterator[str]:
    """One sentence each. `matches`: counts by match and memory."""
    for match, seat_index, name in _memories(plan):
        to = memory_name(seat_index)
        counts = matches.get(SeatStore(match.id, to), Audited())
        whose = f"seat {seat_letter(seat_index).upper()}, " if seat_index else ""
        place = f"{ascii_words(match.id)}, {whose}system {ascii_words(name)}"
        if counts.searches and not counts.found and not counts.unknown:
            yield (
                f"{place}: nothing was found in any of {counts.searches:,} searches, though {counts.stored:,} entries"
                " were stored, so no prompt held any; see whether its search works"
            )
        if counts.own:
            yield (
                f"{place}: {counts.own:,} of {counts.found:,} entries found say more than those that the server made"
                " them of (a word that none of them has, or a higher count); what they say is the server's own, and"
                " there was no placebo"
            )
        for real in plan.memory_matches if not seat_index else ():
            if _is_placebo_of(match, real) and _by_harness(plan, match):
                yield from _unlike(place, counts, matches.get(SeatStore(real.id, to), Audited()))


def _memories(plan: Plan) -> Iterator[tuple[Match, int, str]]:
    """Each match with each of its memories: the index of its seat, and the name of the system."""
    for match in plan.memory_matches:
        for seat_index, name in enumerate(plan.memories_of(match)):
            if name:
                yield match, seat_index, name


def _unlike(place: str, placebo: Audited, real: Audited) -> Iterator[str]:
    """The warning of a placebo arm whose searches find less or more than those of its real arm, if they do."""
    short = any(counts.stored < CAREER_CONTESTS_MIN * counts.careers for counts in (placebo, real))
    if short or not (placebo.found and real.found):
        return
    each, of_real = (Fraction(counts.found, counts.searches) for counts in (placebo, real))
    if not LIKE_FROM <= each / of_real <= LIKE_TO:
        yield (
            f"{place}: a search of the placebo arm found {float(each):.1f} entries, one of the real arm"
            f" {float(of_real):.1f}: prompts of such unlike lengths are compared"
        )


def _is_placebo_of(match: Match, real: Match) -> bool:
    place, there = match.condition, real.condition
    same = (match.measured, match.game, match.phase, place.system) == (
        real.measured,
        real.game,
        real.phase,
        there.system,
    )
    return same and (place.arm, there.arm) == (Arm.PLACEBO, Arm.REAL)


def _by_harness(plan: Plan, match: Match) -> bool:
    """True if the harness searches, so that both arms search at the same moments."""
    system = plan.systems[plan.memories_of(match)[0]]
    return isinstance(system, MemorySystem) and system.use is Use.HARNESS
