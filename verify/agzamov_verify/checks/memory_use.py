"""Delivered, used, outcome: what a memory did in each match, counted.

delivered   decisions with text of the memory in their prompt (in an arm of other text, that text)
used        decisions that are others without it. Of a scripted seat a drawn sample is computed again; of a model the
            decisions that planted questions asked again without it, twice each
outcome     contests that the measured seat won, drew or lost otherwise than the same contest of the naked arm, which
            has the same start or decks. It is an association: a model that samples plays the same start otherwise each
            time, which the rows of the placebo and of the filler show
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

import msgspec

from ..core.seat_letters import memory_name, seat_letter
from ..experiment.matches import MEASURED, Arm, Match
from ..plan.manifest import Plan
from ..plan.streams import SeatStore
from ..scoring.game_scoring import Played
from ..scoring.planted_replies import UsedRow
from ..scoring.play_times import is_control
from ..table.game import Block
from ..table.registry import GAMES
from .asking_engines import Say
from .check_log import CouldNotCheck
from .opened_bundle import Opened
from .recalls import Recall, Told
from .replay_all import Replayed, on_all_cores
from .replay_stream import StreamReplay


class MemoryUse(msgspec.Struct, frozen=True):
    """What a memory did in one match. `bytes`: of its text in all prompts together.

    `asked`: of the delivered decisions, those that were computed again without it; `used`: those of them that are
    others; `asked_again`: of a model's seat, what planted questions found. `contests`: those that the naked arm played
    too; `otherwise`: those of them that ended otherwise. Each pair is 0 of 0 where nothing is known.
    """

    match: str
    side: str
    system: str
    arm: Arm
    decisions: int
    delivered: int
    bytes: int
    asked: int
    used: int
    contests: int
    otherwise: int
    asked_again: UsedRow | None = None


def memory_uses(
    opened: Opened, replayed: Replayed, asked_again: Sequence[UsedRow], jobs: int, deadline_s: float, say: Say
) -> Iterator[MemoryUse]:
    """What each memory of the plan did, match by match. `asked_again`: of models, from planted questions."""
    plan = opened.manifest.plan
    by_seat = {(row.match, row.seat_index): row for row in asked_again}
    used = _used(opened, replayed, jobs, deadline_s, say)
    for match in plan.memory_matches:
        for seat_index, system in enumerate(plan.memories_of(match)):
            place = SeatStore(match.id, memory_name(seat_index))
            if place not in replayed.told:
                continue
            told, arm = replayed.told[place], match.conditions[seat_index].arm
            ended = _otherwise(plan, match, replayed.blocks) if seat_index == MEASURED else (0, 0)
            counts = told.decisions, told.delivered, told.bytes, *used.get(place, (0, 0)), *ended
            row = by_seat.get((match.id, seat_index))
            yield MemoryUse(match.id, seat_letter(seat_index), system, arm, *counts, row)


def _used(
    opened: Opened, replayed: Replayed, jobs: int, deadline_s: float, say: Say
) -> Mapping[tuple[str, str], tuple[int, int]]:
    """Sampled decisions that were computed again, and those that are others: all, or as many as there was time for."""
    sampled = [(place, recall) for place, told in replayed.told.items() for recall in _recalls(told)]
    if not sampled:
        return {}
    say(f"{len(sampled):,} decisions of scripted seats to compute again without what their memories told")
    replay = StreamReplay(opened, 0, deadline_s, {})
    counts = dict[tuple[str, str], tuple[int, int]]()
    with closing(on_all_cores(replay, StreamReplay.is_used, [recall for _, recall in sampled], jobs)) as found:
        try:
            for (place, _), is_used in zip(sampled, found, strict=True):
                if is_used is not None:
                    asked, used = counts.get(place, (0, 0))
                    counts[place] = asked + 1, used + is_used
        except CouldNotCheck:
            return counts
    return counts


def _recalls(told: Told) -> Sequence[Recall]:
    return told.recalls.items if told.recalls else ()


def _otherwise(plan: Plan, match: Match, blocks: Mapping[str, Sequence[Block]]) -> tuple[int, int]:
    """Contests that the naked arm of a match played too, and those that ended otherwise for the measured seat."""
    control = next((one for one in plan.matches if one.draws == match.draws and is_control(one, match)), None)
    if control is None or control.id not in blocks or match.id not in blocks:
        return 0, 0
    own, other = (_contests(plan, one, blocks[one.id]) for one in (match, control))
    pairs = list(zip(own, other, strict=False))
    return len(pairs), sum(first != second for first, second in pairs)


def _contests(plan: Plan, match: Match, blocks: Sequence[Block]) -> list[int]:
    """1, 0 or -1 for each whole contest, in the order of play: more, as much or less than the table's mean was won."""
    played = Played("", plan, match, MEASURED, blocks)
    results = zip(played.outcomes, played.records, strict=True)
    leads = [len(record.outcomes) * own - sum(record.outcomes) for own, record in results]
    size = GAMES[match.game].contest_results(plan.rules_of(match.game), len(match.table))
    sums = [sum(leads[first : first + size]) for first in range(0, len(leads) - size + 1, size)]
    return [(total > 0) - (total < 0) for total in sums]
