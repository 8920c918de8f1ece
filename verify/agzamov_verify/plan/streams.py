"""The plan of a run: matches cut into streams, each a script that depends on nothing but the seed.

A match is cut into blocks, or into careers where a seat's system keeps a store: parts that are independent of each
other and run side by side. Both colours of a start, and a whole session of hands, stay in one part.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec

from ..core.dice import Dice
from ..core.script import Script
from ..core.seat_letters import memory_name, survey_name
from ..experiment.matches import MEASURED, Arm, Augmentation, Condition, Match, NakedPrompt
from ..experiment.opponent_patterns import Pattern
from ..memory.career_memory import CareerMemory
from ..memory.placebo import Donor
from ..protocols.norms import load_protocol
from ..table.decision import AfterDecisions
from ..table.donor import CareerDonor
from ..table.exhibition import Exhibition
from ..table.game import Block, StreamPlan
from ..table.heard_decisions import Hear, HeardDecisions
from ..table.players import Player
from ..table.prompt_lines import NOTHING_REMEMBERED
from ..table.registry import GAMES, parts
from ..table.survey import UnitSurvey
from .manifest import MemoryPin, Plan
from .people_study import PERSON, is_study, settings_of, sub_phases_of
from .planted_spots import PlantedProfile, planted_questions


def streams_of(match: Match) -> Iterator[StreamPlan]:
    """The streams of a match, in order."""
    total, size = match.planned, match.stream_results
    for number, first in enumerate(range(0, total, size)):
        yield StreamPlan(f"{match.id}-b{number:05d}", match, first, min(size, total - first))


def unit_results(match: Match, plan: Plan) -> int:
    """Number of results of a statistical unit of a match: games of a start pair, hands of a session."""
    return GAMES[match.game].unit_results(plan.rules_of(match.game), len(match.table))


def observations_planned(match: Match, plan: Plan) -> int:
    """Number of observations by a rule in a whole match: its statistical units, as start pairs or sessions."""
    return match.planned // unit_results(match, plan)


class SeatStore(NamedTuple):
    """The memory of one seat in one stream, which has a server of its own. `to`: its name in the journal."""

    stream: str
    to: str


def memory_stores(plan: Plan) -> dict[SeatStore, str]:
    """The stores of a run in the order of the plan, and the names of their systems."""
    return {
        SeatStore(stream.id, memory_name(seat_index)): system
        for match in plan.memory_matches
        for stream in streams_of(match)
        for seat_index, system in enumerate(plan.memories_of(match))
        if system
    }


def memories_played(plan: Plan) -> tuple[str, ...]:
    """The names of the systems that are memories and that some match names."""
    return tuple(dict.fromkeys(memory_stores(plan).values()))


DONORS_KEPT: Final = 64
"""Careers whose donor's notes are kept in memory."""
REMEMBERING: Final = (Augmentation.MEMORY, Augmentation.FULL)
"""Augmentations with a memory, and their controls."""
EXHIBITION: Final = "exhibition"
"""The module of a game's folder that has its part in exhibitions."""
NO_PINS: Final[Mapping[str, MemoryPin]] = MappingProxyType({})


def block_script(
    stream: StreamPlan,
    plan: Plan,
    dice: Dice,
    memories: Mapping[str, MemoryPin] = NO_PINS,
    hear: Hear | None = None,
    ended: Callable[[Any], None] | None = None,
) -> Script[Block]:
    """The script of one stream. `memories`: the sealed servers by system; before they are sealed there are none.

    `hear` is told each decision of a model as soon as its answer is read, `ended` each result that is over.
    """
    match, game = stream.match, GAMES[stream.match.game]
    indices = range(len(match.seats))
    stores = [_memory(stream, seat_index, plan, dice, memories) for seat_index in indices]
    frames = [frame_of(plan, match.game, name) for name in match.seats]
    planted = [
        planted_questions(stream, index, plan, dice, PlantedProfile(frames[index], nothing_told(plan, match, index)))
        for index in indices
    ]
    surveys = [_survey(stream, seat_index, plan) for seat_index in indices]

    @cache
    def seats_after(shifts: int) -> tuple[Player, ...]:
        players = (_player(plan, match, seat_index, shifts) for seat_index in range(len(match.seats)))
        own = zip(players, stores, planted, surveys, strict=True)
        return tuple(
            msgspec.structs.replace(one, memory=memory, planted=_heard(one, hear, asks), ended=ended, survey=survey)
            for one, memory, asks, survey in own
        )

    def seats_at(index: int) -> tuple[Player, ...]:
        return seats_after(shifts_before(match, index))

    for memory in filter(None, stores):
        yield from memory.begin(game.id_of(match, stream.first))
    block = yield from game.script(stream, seats_at, plan.rules_of(match.game), dice)
    for asks in filter(None, planted):
        yield from asks.finish()
    answers = next((survey.answers for survey in surveys if survey), None)
    played = len(block.records) if answers and answers.withdrew else stream.count
    for memory in filter(None, stores):
        yield from memory.finish(game.id_of(match, stream.first + max(1, played) - 1))
    replies = {seat_index: asks.replies for seat_index, asks in enumerate(planted) if asks}
    return msgspec.structs.replace(block, planted=replies, survey=answers) if replies or answers else block


def _survey(stream: StreamPlan, seat_index: int, plan: Plan) -> UnitSurvey | None:
    """The survey of a person in one stream of a study."""
    if seat_index != PERSON or not is_study(plan):
        return None
    arms = {one.words: one.value for one in sub_phases_of(plan)} if settings_of(plan).asks_arm else {}
    return UnitSurvey(survey_name(seat_index), unit_results(stream.match, plan), arms)


def begun_exhibition(
    stream: StreamPlan, plan: Plan, dice: Dice, memories: Mapping[str, MemoryPin] = NO_PINS
) -> tuple[Exhibition, Script[None]]:
    """The measured seat of a stream's match in games that another program conducts, and their script.

    Nothing planted is asked: the program's clock runs. Raises KeyError for a game without exhibitions.
    """
    match = stream.match
    store = _memory(stream, MEASURED, plan, dice, memories)
    player = msgspec.structs.replace(_player(plan, match, MEASURED, 0), memory=store)
    exhibition = parts(EXHIBITION)[match.game].begun(match, player, plan.rules_of(match.game), dice)

    def script() -> Script[None]:
        if store:
            yield from store.begin(GAMES[match.game].id_of(match, stream.first))
        yield from exhibition.script()

    return exhibition, script()


def _heard(player: Player, hear: Hear | None, planted: AfterDecisions | None) -> AfterDecisions | None:
    """What follows a player's decisions; those of a scripted player are heard by nobody."""
    return HeardDecisions(hear, planted) if hear and not player.scripted else planted


def _memory(
    stream: StreamPlan, seat_index: int, plan: Plan, dice: Dice, memories: Mapping[str, MemoryPin]
) -> CareerMemory | None:
    """The memory of the seat at `seat_index` in one stream, which is a career."""
    name = plan.memories_of(stream.match)[seat_index]
    if not name:
        return None
    arm, pin = stream.match.conditions[seat_index].arm, memories.get(name)
    order = dice.stream(f"donor/{stream.id}")
    donor = Donor(donor_of(stream, seat_index, plan, dice).note, len(stream.match.seats))
    offered, to, until = (
        pin.native if pin else (),
        memory_name(seat_index),
        stores_until(plan, stream.match, seat_index),
    )
    return plan.systems[name].career_memory(arm, donor, order, offered, to, until)


def career_contests(plan: Plan, match: Match) -> int:
    """The contests of one career of a match: games, or sessions of hands."""
    return match.stream_results // GAMES[match.game].contest_results(plan.rules_of(match.game), len(match.table))


def stores_until(plan: Plan, match: Match, seat_index: int = MEASURED) -> int | None:
    """The last contest of a career after which a seat's memory stores something; None where it always does."""
    if match.conditions[seat_index].arm is not Arm.STALE:
        return None
    declared = plan.systems[plan.memories_of(match)[seat_index]].contests_stored
    return declared or max(1, career_contests(plan, match) * load_protocol(plan.protocol).memory.stale_percent // 100)


def donors_of(stream: StreamPlan, plan: Plan, dice: Dice) -> tuple[CareerDonor, ...]:
    """The donors of one career, one for each seat; none where no seat has a memory."""
    if not any(plan.memories_of(stream.match)):
        return ()
    return tuple(donor_of(stream, seat_index, plan, dice) for seat_index in range(len(stream.match.seats)))


def donor_of(stream: StreamPlan, seat_index: int, plan: Plan, dice: Dice) -> CareerDonor:
    """The donor of one career, for the memory of the seat at `seat_index`."""
    return _donor(stream, seat_index, plan.rules_of(stream.match.game), dice)


@lru_cache(maxsize=DONORS_KEPT)
def _donor(stream: StreamPlan, seat_index: int, rules: Any, dice: Dice) -> CareerDonor:
    game, own = GAMES[stream.match.game], dice.under(f"donor/{stream.id}/{memory_name(seat_index)}")
    contests = stream.count // game.contest_results(rules, len(stream.match.table))
    return CareerDonor(lambda number: game.donor_note(stream, rules, number, seat_index, own), contests)


def nothing_told(plan: Plan, match: Match, seat_index: int) -> str:
    """The text of the seat at `seat_index` where nothing is remembered: that of `frame_of`.

    Empty where a system tells the seat something at each decision.
    """
    return "" if _is_told(plan, match.conditions[seat_index]) else frame_of(plan, match.game, match.seats[seat_index])


def frame_of(plan: Plan, game: str, seat: str) -> str:
    """The text in the place of memories of a seat that has a memory in some match of a game: the same in all phases.

    So a prompt without memories is the same in Phase 1 as in the control, and who plays worse at it does so in both.
    Nobody has it where models search for themselves, since nothing is told before they do.
    """
    models_search = any(system.keeps_store and system.needs_tool_calls for system in plan.systems.values())
    if models_search or plan.naked_prompt is NakedPrompt.BARE:
        return ""
    remembers = any(
        name == seat and condition.augmentation in REMEMBERING and not _is_told(plan, condition)
        for match in plan.matches
        if match.game == game
        for name, condition in zip(match.seats, match.conditions, strict=True)
    )
    return NOTHING_REMEMBERED if remembers else ""


def _is_told(plan: Plan, condition: Condition) -> bool:
    """Whether a system tells a seat something at each decision."""
    return any(system.told(condition.arm) for system in plan.parts_of(condition.system).values())


def shifts_before(match: Match, index: int) -> int:
    """Number of the match's shifts before result `index` of it; in each career they come again."""
    played = index % match.stream_results if match.careers else index
    return sum(shift.after <= played for shift in match.shifts)


def patterns_of(plan: Plan, match: Match, seat_index: int, shifts: int) -> tuple[Pattern, ...]:
    """The patterns of the match's game that the seat at `seat_index` must keep after so many shifts."""
    kept = plan.seats[match.seats[seat_index]].patterns
    if shifts and seat_index in match.shifting:
        kept = match.shifts[shifts - 1].patterns
    return tuple(pattern for pattern in kept if pattern in GAMES[match.game].patterns)


def _player(plan: Plan, match: Match, seat_index: int, shifts: int) -> Player:
    """Player of the seat at `seat_index` of `Match.seats`, after `shifts` of the match's forced strategy changes."""
    name, catalogue = match.seats[seat_index], GAMES[match.game].patterns
    seat = plan.seats[name]
    briefing = seat.briefing
    condition = match.conditions[seat_index]
    arm, systems = condition.arm, plan.parts_of(condition.system).values()
    briefing = "\n".join(filter(None, (briefing, *(system.told(arm) for system in systems))))
    patterns = tuple(catalogue[pattern] for pattern in patterns_of(plan, match, seat_index, shifts))
    libraries = (system.library(arm, match.game) for system in systems)
    return Player(
        name,
        patterns,
        briefing,
        scripted=not seat.is_model,
        tokens_max=seat.tokens_limit,
        nothing_told=nothing_told(plan, match, seat_index),
        tool=plan.tool_of(match, seat_index),
        library=next((library for library in libraries if library), None),
        pictures=seat.pictures,
        is_person=seat.is_person,
    )
