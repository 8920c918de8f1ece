"""The plan of a run: matches cut into streams, each a script that depends on nothing but the seed.

A match is cut into blocks, or into careers where seat A's system keeps a store: parts that are independent of each
other and run side by side. Both colours of a start, and a whole session of hands, stay in one part.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

import msgspec

from .dice import Dice
from .experiment import Arm, Match
from .games.game import Block, StreamPlan
from .games.patterns import Pattern
from .games.players import Player
from .games.registry import GAMES
from .manifest import MemoryPin, Plan
from .memory.career_memory import CareerMemory
from .script import Script


def streams_of(match: Match) -> Iterator[StreamPlan]:
    """The streams of a match, in order."""
    total, size = match.planned, match.stream_results
    for number, first in enumerate(range(0, total, size)):
        yield StreamPlan(f"{match.id}-b{number:05d}", match, first, min(size, total - first))


def memory_streams(plan: Plan) -> dict[str, str]:
    """The streams in which seat A has a memory, in the order of the plan, and the names of their systems."""
    return {stream.id: plan.memory_of(match) for match in plan.memory_matches for stream in streams_of(match)}


def memories_played(plan: Plan) -> tuple[str, ...]:
    """The names of the systems that are memories and that some match names."""
    return tuple(dict.fromkeys(memory_streams(plan).values()))


NO_PINS: Final[Mapping[str, MemoryPin]] = MappingProxyType({})


def block_script(
    stream: StreamPlan, plan: Plan, dice: Dice, memories: Mapping[str, MemoryPin] = NO_PINS
) -> Script[Block]:
    """The script of one stream. `memories`: the sealed servers by system; before they are sealed there are none."""
    match, game = stream.match, GAMES[stream.match.game]
    memory = _memory(stream, plan, dice, memories)

    @cache
    def seats_after(shifts: int) -> tuple[Player, ...]:
        players = [_player(plan, match, seat_index, shifts) for seat_index in range(len(match.seats))]
        return (msgspec.structs.replace(players[0], memory=memory), *players[1:])

    def seats_at(index: int) -> tuple[Player, ...]:
        return seats_after(shifts_before(match, index))

    if memory:
        yield from memory.begin(game.id_of(match, stream.first))
    block = yield from game.script(stream, seats_at, plan.rules_of(match.game), dice)
    if memory:
        yield from memory.finish(game.id_of(match, stream.first + stream.count - 1))
    return block


def _memory(stream: StreamPlan, plan: Plan, dice: Dice, memories: Mapping[str, MemoryPin]) -> CareerMemory | None:
    """Seat A's memory in one stream, which is a career."""
    arm, name = stream.match.condition.arm, plan.memory_of(stream.match)
    if not name:
        return None
    order = dice.stream(f"donor/{stream.id}")
    notes = GAMES[stream.match.game].donor_notes if arm is Arm.PLACEBO else ()
    pin = memories.get(name)
    return plan.systems[name].career_memory(arm, notes, order, pin.native if pin else ())


def shifts_before(match: Match, index: int) -> int:
    """Number of the match's shifts before result `index` of it; in each career they come again."""
    played = index % match.stream_results if match.careers else index
    return sum(shift.after <= played for shift in match.shifts)


def patterns_of(plan: Plan, match: Match, seat_index: int, shifts: int) -> tuple[Pattern, ...]:
    """The patterns of the match's game that the seat at `seat_index` must keep after so many shifts."""
    kept = plan.seats[match.seats[seat_index]].patterns
    if seat_index == 1 and shifts:
        kept = match.shifts[shifts - 1].patterns
    return tuple(pattern for pattern in kept if pattern in GAMES[match.game].patterns)


def _player(plan: Plan, match: Match, seat_index: int, shifts: int) -> Player:
    """The seat at `seat_index` of `Match.seats` as a result after so many of the match's shifts needs it."""
    name, catalogue = match.seats[seat_index], GAMES[match.game].patterns
    seat = plan.seats[name]
    briefing = seat.briefing
    arm = match.condition.arm
    systems = plan.parts_of(match.condition.system).values() if seat_index == 0 else ()
    briefing = "\n".join(filter(None, (briefing, *(system.told(arm) for system in systems))))
    patterns = tuple(catalogue[pattern] for pattern in patterns_of(plan, match, seat_index, shifts))
    libraries = (system.library(arm, match.game) for system in systems)
    return Player(
        name,
        patterns,
        briefing,
        scripted=not seat.is_model,
        tokens_max=seat.tokens_limit,
        tool=plan.tool_of(match) if seat_index == 0 else None,
        library=next((library for library in libraries if library), None),
    )
