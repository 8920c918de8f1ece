"""Notes on a hold'em opponent, as the other seat could take them: counts of its habits.

A note knows the actions, the board, and cards that were shown down; the opponent's other cards it never reads.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ...table.seating import alternating
from .habit_words import FOLDS_TO_BET, Habit
from .hand_script import HandRecord
from .patterns import TWO_PAIR, best_kind, decisions, is_pocket_pair, made_last_raise
from .rules import HandEnd
from .spot import Deed, SeenSpot, Verb, Who

CHARS_MAX: Final = 600
"""Of one note."""

SIZED: Final = (Verb.BET, Verb.RAISE)


def observation(records: Sequence[HandRecord], first: int, seat_index: int) -> str:
    """The habits that a seat saw its opponent have in a session, one a line: "VPIP: 35 of 50".

    `first` is the number of the first record in the match. Habits without an occasion are left out.
    """
    times: Counter[Habit] = Counter()
    occasions: Counter[Habit] = Counter()
    for number, record in enumerate(records, first):
        (opponent,) = (place for place, seat in enumerate(alternating(number)) if seat != seat_index)
        for habit, shown in _habits_seen(record, opponent):
            occasions[habit] += 1
            times[habit] += shown
    return _within_limit(
        [f"{habit.value}: {times[habit]} of {occasions[habit]}" for habit in Habit if occasions[habit]]
    )


def _within_limit(lines: list[str]) -> str:
    while len("\n".join(lines)) > CHARS_MAX:
        lines.pop()
    return "\n".join(lines)


# --- what a hand shows ---------------------------------------------------------------------------


def _habits_seen(record: HandRecord, opponent: int) -> Iterator[tuple[Habit, bool]]:
    """The occasions for habits in a hand, and whether the opponent took them.

    Before the flop a habit is counted once in a hand, at the first decision that it is about.
    """
    if record.story is None:
        return
    shown = record.end is HandEnd.SHOWDOWN
    acted = [
        (spot if shown else replace(spot, hole=()), deed) for _, _, spot, deed in decisions(record.story, opponent)
    ]
    yield from _before_flop([(spot, deed) for spot, deed in acted if not spot.board])
    for spot, deed in acted:
        if spot.board:
            yield from _after_flop(spot, deed)


def _before_flop(acted: list[tuple[SeenSpot, Deed]]) -> Iterator[tuple[Habit, bool]]:
    if not acted:
        return
    verbs = [deed.verb for _, deed in acted]
    yield Habit.VPIP, Verb.CALL in verbs or Verb.RAISE in verbs
    yield Habit.PFR, Verb.RAISE in verbs
    first, begins = acted[0]
    if first.on_button:
        yield Habit.LIMPS_BUTTON, begins.verb is Verb.CALL
    elif Verb.RAISE in first.options.verbs:
        yield Habit.RAISES_BIG_BLIND, begins.verb is Verb.RAISE
        if first.raises:
            yield Habit.THREE_BET, begins.verb is Verb.RAISE
    for spot, deed in acted:
        if spot.on_button and len(spot.raises) == 2:
            yield Habit.FOLDS_BUTTON_TO_3BET, deed.verb is Verb.FOLD
    if first.hole and is_pocket_pair(first):
        for spot, deed in acted:
            if Verb.RAISE in spot.options.verbs:
                yield Habit.MIN_RAISES_PAIRS, deed.verb is Verb.RAISE and deed.to_chips == spot.options.min_to_chips


def _after_flop(spot: SeenSpot, deed: Deed) -> Iterator[tuple[Habit, bool]]:
    street = deed.street
    if spot.to_call_chips:
        yield FOLDS_TO_BET[street], deed.verb is Verb.FOLD
        if street == "river":
            yield Habit.CALLS_RIVER_BET, deed.verb is Verb.CALL
        if Verb.RAISE in spot.options.verbs and _checked_before(spot, street):
            yield Habit.CHECK_RAISE, deed.verb is Verb.RAISE
    elif street == "flop" and made_last_raise(spot) and Verb.BET in spot.options.verbs:
        yield Habit.CBETS, deed.verb is Verb.BET
    if street == "river" and deed.verb in SIZED and spot.hole:
        yield Habit.BETS_RIVER_LIGHT, best_kind(spot) < TWO_PAIR


def _checked_before(spot: SeenSpot, street: str) -> bool:
    return any(deed.street == street and deed.who is Who.ME and deed.verb is Verb.CHECK for deed in spot.history)
