"""The legal actions of a person at one decision of hold'em, with the usual sizes of a bet; and what a hand shows."""

import re
from fractions import Fraction
from typing import Any, Final

from ...core.questions import Message
from ...show.person_choices import Choices, require_decision
from ...table.prompt_lines import read_page
from .hand_script import HandRecord
from .prompt import REMINDER
from .rules import HandEnd, in_bb
from .spot import SeenSpot, Verb, read_spot

POT_SHARES: Final = {
    "1/3 pot": Fraction(1, 3),
    "1/2 pot": Fraction(1, 2),
    "2/3 pot": Fraction(2, 3),
    "pot": Fraction(1),
}
"""Shares of the pot after a call that a bet or raise adds to it."""
_SIZED: Final = re.compile(r"(bet|raise to) ([0-9]{1,6})(?:\.([0-9]{1,2}))?")


def hand_choices(messages: tuple[Message, ...]) -> Choices:
    """The actions by the prompt of a decision; amounts are in chips, 100 of which are one BB. Raises ValueError."""
    require_decision(messages, REMINDER)
    spot = read_spot(read_page(messages))
    options = spot.options
    plain = [{"action": verb.value, "words": _words(verb, spot)} for verb in options.verbs if verb not in _SIZED_VERBS]
    names = {row["action"] for row in plain}
    verb = next((_SIZED_VERBS[one] for one in options.verbs if one in _SIZED_VERBS), "")

    def is_legal(action: str) -> bool:
        sized = _SIZED.fullmatch(action)
        if sized is None:
            return action in names
        chips = 100 * int(sized[2]) + int((sized[3] or "0").ljust(2, "0"))
        return sized[1] == verb and options.min_to_chips <= chips <= options.max_to_chips

    shown = {"kind": "bets", "actions": plain, "to_call": spot.to_call_chips, "size": _size(spot, verb)}
    return Choices(shown, is_legal)


_SIZED_VERBS: Final = {Verb.BET: "bet", Verb.RAISE: "raise to"}


def _words(verb: Verb, spot: SeenSpot) -> str:
    if verb is not Verb.CALL:
        return verb.value
    chips = min(spot.to_call_chips, spot.stacks_chips[0])
    return f"call {in_bb(chips)} BB{' (all in)' if chips == spot.stacks_chips[0] else ''}"


def _size(spot: SeenSpot, verb: str) -> dict[str, Any] | None:
    """The range of a bet or raise, and its usual sizes within the range; None where there is none."""
    if not verb:
        return None
    low, high = spot.options.min_to_chips, spot.options.max_to_chips
    called = spot.in_front_chips + spot.to_call_chips
    sizes = {"smallest": low}
    for words, share in POT_SHARES.items():
        chips = int(called + share * (spot.pot_chips + spot.to_call_chips))
        if low < chips < high and chips not in sizes.values():
            sizes[words] = chips
    if high > low:
        sizes["all in"] = high
    presets = [{"words": words, "chips": chips} for words, chips in sizes.items()]
    return {"verb": verb, "min": low, "max": high, "presets": presets}


def holes_seen(record: HandRecord, place: int) -> list[list[str]]:
    """The cards of button and big blind that a player has seen at the end: the other's at a showdown alone."""
    if record.story is None:
        return [[], []]
    both = [list(record.story.deal.button), list(record.story.deal.big_blind)]
    is_shown = record.end is HandEnd.SHOWDOWN
    return [cards if is_shown or player == place else [] for player, cards in enumerate(both)]
