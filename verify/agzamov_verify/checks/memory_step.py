"""The verdict of step 15: what the audits of memories counted, how far each can be traced (its tier), and warnings.

Lineage tiers: the degree to which what a memory gave back can be traced to what was stored, by memory system.

    A verbatim     entries stay as they were stored: each dump is the fold of the stores
    B traced       the server makes entries of others, and each names sources that go back to stored ones; or it gives
                   parts of entries, each an exact part of the stored one that it names
    C bounded      the server has no export: each entry that it gave is a stored one or an exact part of one, what else
                   it holds nobody knows. Or no words could be compared, but in a sealed image without a network, with
                   an empty store and every question recorded, its answers come from the image or from the questions.
                   Or, whatever was compared, models at an address helped the server to choose what it gave
    D unverified   words that could not be compared in a process, which can read what its user can; or a server that
                   declares that it tells entries in words of its own, wherever it ran; and whatever was compared, a
                   server that ran already at an address, since nothing says which program answered there

A, B and C without an export are computed from the journal. That a run was in containers, of which the other C is made,
is attested.

Warnings of a run's memories: no rule is broken, but figures that rest on them are not what they seem to be.

nothing found      no search of a match found anything: one that is broken, or is read wrongly, looks the same
placebo unlike     the searches of a placebo or filler arm found much less, or much more, than those of the memory
unverified         a server declares that it tells entries in words of its own: nothing that it gave is compared
says more          entries that a server from outside made say more than those that it made them of
ran already        a server at an address, which nobody started and no digest pins
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final

from ..core.columns import ascii_words
from ..core.seat_letters import memory_name, seat_letter
from ..experiment.matches import OTHER_TEXT, Arm, Match
from ..memory.career_memory import PROBES
from ..memory.native_tools import Effect, NativeTool
from ..plan.manifest import Manifest, Plan
from ..plan.streams import SeatStore, career_contests, stores_until, streams_of
from ..systems import MemorySystem, System
from ..systems.memory_system import Use
from .check_log import CheckLog, Number, Status
from .memory_audit import Audited, cut


class Tier(StrEnum):
    """The tier of a memory's lineage, the best first."""

    VERBATIM = "A verbatim"
    TRACED = "B traced"
    BOUNDED = "C bounded"
    UNVERIFIED = "D unverified"


def tier_of(counts: Audited, *, rewrites: bool, is_closed: bool) -> Tier:
    """The tier of a memory without audit findings.

    `counts`: of all its careers. `rewrites`: its server may change entries when a game ends. `is_closed`: it ran in a
    sealed image without a network.
    """
    if counts.untraced:
        return Tier.UNVERIFIED
    if counts.unknown or counts.cut:
        return Tier.BOUNDED if is_closed else Tier.UNVERIFIED
    if counts.undumped:
        return Tier.BOUNDED
    return Tier.TRACED if rewrites or counts.derived or counts.parts else Tier.VERBATIM


def tiers(manifest: Manifest, matches: Mapping[SeatStore, Audited]) -> dict[str, Tier]:
    """The tier of each memory system that was played. `matches`: counts by match and memory."""
    plan = manifest.plan
    found = dict[str, Tier]()
    for name, counts in sorted(_counts_by_system(plan, matches).items()):
        system = plan.systems[name]
        if isinstance(system, MemorySystem):
            rewrites = system.serving is not None and system.serving.rewrites
            is_closed = plan.isolation == "container" and system.image_part in manifest.images
            tier = tier_of(counts, rewrites=rewrites, is_closed=is_closed)
            if system.models_url and tier in (Tier.VERBATIM, Tier.TRACED):
                tier = Tier.BOUNDED
            found[name] = Tier.UNVERIFIED if address_of(system) else tier
    return found


def address_of(system: MemorySystem) -> str:
    """The address of a server that ran already; empty for one that was started."""
    return system.serving.address if system.serving else ""


def _counts_by_system(plan: Plan, matches: Mapping[SeatStore, Audited]) -> dict[str, Audited]:
    counts = dict[str, Audited]()
    for match in plan.memory_matches:
        for seat_index, name in enumerate(plan.memories_of(match)):
            if own := matches.get(SeatStore(match.id, memory_name(seat_index))):
                counts[name] = counts.get(name, Audited()).plus(own)
    return counts


SHOWN_DIGITS: Final = 12
OUTSIDE_IS_ATTESTED: Final = (
    ", from outside: prompts and this audit are computed from its recorded answers; that it gave them is attested, and"
    " what its adapter declares is not checked"
)


def check_memory(
    manifest: Manifest, matches: Mapping[SeatStore, Audited], log: CheckLog, warnings: Sequence[str] = ()
) -> dict[str, Tier]:
    """Take step 15; its findings came with the journal's. The tier of each memory's lineage, none where it failed.

    `matches`: counts by match and memory. Raises StepFailed.
    """
    if not any(isinstance(system, MemorySystem) for system in manifest.plan.systems.values()):
        log.skip(Number.MEMORY, Status.NOT_APPLICABLE, "no seat has a memory")
        return {}
    total = Audited()
    for counts in matches.values():
        total = total.plus(counts)
    of_tier = {} if log.has_failed(Number.MEMORY) else tiers(manifest, matches)
    lineage = f"; lineage: {', '.join(f'{name} {tier}' for name, tier in of_tier.items())}" if of_tier else ""
    if reasons := "; ".join(_unverified(total, manifest)):
        log.skip(Number.MEMORY, Status.NOT_CHECKED, f"unverified: {reasons}{lineage}")
        return of_tier
    with log.step(Number.MEMORY):
        stale = "".join(f"; {line}" for line in stale_lines(manifest.plan))
        derived = f", {total.derived:,} made from others" if total.derived else ""
        failed = f", {total.failed:,} calls of its tools told an error" if total.failed else ""
        refused = f", {total.refused:,} refused as declared" if total.refused else ""
        altered = f", {total.altered:,} altered by declared noise" if total.altered else ""
        parts = f", {total.parts:,} of them parts of stored entries" if total.parts else ""
        log.remark(
            Number.MEMORY,
            f"{total.careers:,} stores began empty; {total.stored:,} entries stored{derived}{refused};"
            f" {total.found:,} found in {total.searches:,} searches{parts}{altered}{failed}{stale}"
            f"{''.join(f'; {line}' for line in _undumped(manifest.plan))}{lineage}"
            f"; {''.join(f'warning: {one}; ' for one in warnings)}"
            f"sealed: {'; '.join(_servers(manifest))}",
        )
    return of_tier


def stale_lines(plan: Plan) -> Iterator[str]:
    """Of each match with a stale memory, the contest of a career after which nothing is stored, in words."""
    for match, seat_index, name in _memories(plan):
        until = stores_until(plan, match, seat_index)
        if until is not None:
            where = f"contest {until} of {career_contests(plan, match)} of each career"
            yield f"{ascii_words(match.id)}: system {ascii_words(name)} stores nothing after {where}"


def _undumped(plan: Plan) -> Iterator[str]:
    """One sentence for each memory that was played whose server gives no export."""
    for name in dict.fromkeys(name for _, _, name in _memories(plan)):
        system = plan.systems[name]
        server = system.serving if isinstance(system, MemorySystem) else None
        if server and not server.exports and server.is_traced:
            yield (
                f"{ascii_words(name)} has no export: every text that it gave is a stored entry or an exact part of one,"
                f" that it began empty is shown by {len(PROBES)} searches of each career that found nothing, and what"
                " else it holds nobody knows"
            )


def _untraced(plan: Plan) -> list[str]:
    """The names of the memories that were played whose servers tell entries in words of their own."""
    names = dict.fromkeys(name for _, _, name in _memories(plan))
    return [ascii_words(name) for name in names if _is_untraced(plan.systems[name])]


def _is_untraced(system: System) -> bool:
    return isinstance(system, MemorySystem) and system.serving is not None and not system.serving.is_traced


def _unverified(total: Audited, manifest: Manifest) -> Iterator[str]:
    """Reasons why no dump, or no words, could be compared with what was stored, or what was compared shows nothing."""
    if total.untraced:
        names = ", ".join(_untraced(manifest.plan))
        yield (
            f"in {total.untraced:,} of {total.careers:,} careers ({names}) the server tells entries in words of its"
            " own, as its adapter declares (traits.rewrites: always), so nothing that it gave can be compared with what"
            " was stored"
        )
    if total.unknown:
        tools = ", ".join(dict.fromkeys(tool.name for tool in _unknown_tools(manifest)))
        yield (
            f"in {total.unknown:,} of {total.careers:,} careers a tool was called of which nobody knows what it stores"
            f" (on offer: {tools}), so no dump can be compared with what was stored"
        )
    if total.cut:
        yield (
            f"in {total.cut:,} of {total.careers:,} careers the words of a tool were cut, so that they cannot be"
            " compared with the entries"
        )
    for name, address in _addresses(manifest.plan):
        yield f"{name} is a server that ran already at {address}, and nothing pins what answered there"


def _unknown_tools(manifest: Manifest) -> Iterator[NativeTool]:
    """The offered tools whose effect on the store is unknown."""
    for pin in manifest.memories.values():
        yield from (tool for tool in pin.native if tool.effect is Effect.UNKNOWN)


def _servers(manifest: Manifest) -> Iterator[str]:
    """The sealed server of each system in words."""
    for name, pin in sorted(manifest.memories.items()):
        system = manifest.plan.systems[name]
        image = manifest.images.get(system.image_part)
        contained = f", image {image.config_digest[:SHOWN_DIGITS]}" if image else ""
        server = " ".join(filter(None, (cut(pin.name), cut(pin.version)))) or "a server without a name"
        files = f", {len(pin.files)} files of its program" if pin.files else ""
        digests = (
            f"adapter {pin.adapter_sha256[:SHOWN_DIGITS]}, tools {pin.tools_sha256[:SHOWN_DIGITS]}{files}{contained}"
        )
        attested = OUTSIDE_IS_ATTESTED if isinstance(system, MemorySystem) and system.is_from_outside else ""
        address = address_of(system) if isinstance(system, MemorySystem) else ""
        place = f" at {cut(address)}, where it ran already and nothing pins it," if address else ""
        yield f"{name} is {server}{place} ({digests}){attested}"


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
    for name, address in _addresses(plan):
        yield (
            f"system {name} is a server that ran already at {address}: no digest pins its program, nobody can start it"
            " again as it was, and a career had only a name of its own there"
        )
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
        if counts.untraced and counts.found:
            yield (
                f"{place}: {counts.found:,} texts found are UNVERIFIED: the server tells entries in words of its own"
                " (traits.rewrites: always), so nothing shows that they come from what was stored; every figure of this"
                " memory stands on them"
            )
        if counts.own:
            yield (
                f"{place}: {counts.own:,} of {counts.found:,} entries found say more than those that the server made"
                " them of (a word that none of them has, or a higher count); what they say is the server's own, and"
                " there was no placebo"
            )
        for real in plan.memory_matches if not seat_index else ():
            if _is_placebo_of(match, real) and _by_harness(plan, match):
                arm = match.condition.arm
                yield from _unlike(place, arm, counts, matches.get(SeatStore(real.id, to), Audited()))


def _addresses(plan: Plan) -> Iterator[tuple[str, str]]:
    """The memories that were played whose servers ran already, with their addresses, in printable words."""
    for name in dict.fromkeys(name for _, _, name in _memories(plan)):
        system = plan.systems[name]
        if isinstance(system, MemorySystem) and (address := address_of(system)):
            yield ascii_words(name), ascii_words(cut(address))


def _memories(plan: Plan) -> Iterator[tuple[Match, int, str]]:
    """Each match with each of its memories: the index of its seat, and the name of the system."""
    for match in plan.memory_matches:
        for seat_index, name in enumerate(plan.memories_of(match)):
            if name:
                yield match, seat_index, name


def _unlike(place: str, arm: Arm, placebo: Audited, real: Audited) -> Iterator[str]:
    """The warning of an arm with other text whose searches find less or more than those of its real arm, if they do."""
    short = any(counts.stored < CAREER_CONTESTS_MIN * counts.careers for counts in (placebo, real))
    if short or not (placebo.found and real.found):
        return
    each, of_real = (Fraction(counts.found, counts.searches) for counts in (placebo, real))
    if not LIKE_FROM <= each / of_real <= LIKE_TO:
        yield (
            f"{place}: a search of the {arm} arm found {float(each):.1f} entries, one of the real arm"
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
    return same and place.arm in OTHER_TEXT and there.arm is Arm.REAL


def _by_harness(plan: Plan, match: Match) -> bool:
    """True if the harness searches, so that both arms search at the same moments."""
    system = plan.systems[plan.memories_of(match)[0]]
    return isinstance(system, MemorySystem) and system.use is Use.HARNESS
