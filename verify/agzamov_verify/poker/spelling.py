"""Every spelling of an action that is accepted: docs/reading.md has the grammar.

The forms of the prompt are exact. Other spellings are normalised, and so is a wrong verb where what is meant is plain:
a bet where there is a bet to raise, a raise where there is none, a call where a check is free. An amount is the total
for the betting round, as the prompt says, and is never rounded.
"""

import re
from typing import Final

from ..table.declared import Accepted, Fault, FaultKind
from .actions import BIG_BLIND, ActionKind, Betting, PokerAction, in_bb

_SHOWN_CHARS = 40
_AMOUNT: Final = r"([0-9]{1,7})(?:[.,]([0-9]{1,2}))? ?(?:bbs?|big blinds?)?"
_ALL_IN_WORDS: Final = r"(?:all[ -]?in|shove|jam)"
_EXACT: Final = re.compile(r"fold|check|call|all-in|(?:bet|raise to) [0-9]{1,7}(?:\.[0-9]{1,2})?")
_CALL: Final = re.compile(rf"call(?: (?:of )?\(?{_AMOUNT}\)?)?")
_SIZED: Final = re.compile(
    rf"(bet|(?:re-?)?raise)( to| by)?( (?:a )?total(?: of)?| of)? \(?{_AMOUNT}\)?"
    r"(?: (?:in )?total)?( ?[,(]? ?all[ -]?in\)?)?"
)
_ALL_IN: Final = re.compile(
    rf"(?:(?:go|move|bet|raise|re-?raise|call)(?: to)? )?{_ALL_IN_WORDS}(?: ?[,(:]? ?(?:for |to |with )?{_AMOUNT}\)?)?"
)
_TOO_FINE: Final = re.compile(r"[0-9][.,][0-9]{3}")
_BARE: Final = {kind.value: kind for kind in (ActionKind.FOLD, ActionKind.CHECK)}


def read_action(text: str, hand: Betting) -> Accepted[PokerAction] | Fault:
    """The legal action that `text` spells, or why there is none."""
    exact = _EXACT.fullmatch(text)
    words = " ".join(text.lower().split()).removeprefix("i ")
    meant = _meant(words, hand)
    if isinstance(meant, Fault):
        return meant
    why = hand.fault(meant)
    if why:
        return Fault(FaultKind.ILLEGAL, why)
    first_word = text.split(" ", 1)[0]
    return Accepted(meant, exact is not None and first_word in (meant.kind.value, "all-in"))


def _meant(words: str, hand: Betting) -> PokerAction | Fault:
    """The action that is meant, legal or not."""
    if words in _BARE:
        return PokerAction(_BARE[words])
    if called := _CALL.fullmatch(words):
        return _call(words, _chips(called[1], called[2]) if called[1] else None, hand)
    if sized := _SIZED.fullmatch(words):
        return _sized(words, sized, hand)
    if all_in := _ALL_IN.fullmatch(words):
        return _all_in(words, _chips(all_in[1], all_in[2]) if all_in[1] else None, hand)
    if _TOO_FINE.search(words):
        return Fault(FaultKind.NO_ACTION, f"{words[:_SHOWN_CHARS]!r} has an amount of more than two decimals")
    return Fault(FaultKind.NO_ACTION, f"{words[:_SHOWN_CHARS]!r} is not one of the forms of an action")


def _call(words: str, chips: int | None, hand: Betting) -> PokerAction | Fault:
    """A call, or a check where there is nothing to call. An amount must be what it costs, or the total it makes."""
    cost = hand.to_call_chips
    if chips not in (None, cost, cost and cost + _in_front_chips(hand)):
        return Fault(FaultKind.AMBIGUOUS, f"{words[:_SHOWN_CHARS]!r} where a call costs {in_bb(cost)} BB")
    return PokerAction(ActionKind.CALL if cost else ActionKind.CHECK)


def _sized(words: str, sized: re.Match[str], hand: Betting) -> PokerAction | Fault:
    """A bet or a raise, whichever of the two there is now, to the total of its amount."""
    verb, preposition, total, whole, hundredths, all_in = sized.groups()
    chips = _chips(whole, hundredths)
    if all_in:
        return _all_in(words, chips, hand)
    is_total = preposition == " to" or (preposition is None and (total is not None or verb == "bet"))
    if not is_total and max(hand.bets):
        return Fault(FaultKind.AMBIGUOUS, f"{words[:_SHOWN_CHARS]!r} does not say whether that is the total")
    legal = hand.legal().kinds
    named_kind = ActionKind.BET if verb == "bet" else ActionKind.RAISE
    kind = next((kind for kind in legal if kind in (ActionKind.BET, ActionKind.RAISE)), named_kind)
    return PokerAction(kind, chips)


def _all_in(words: str, chips: int | None, hand: Betting) -> PokerAction | Fault:
    """All of the stack: a raise or a bet where there is one, else a call. An amount must be the stack or its total."""
    legal = hand.legal()
    stack = hand.stacks[hand.to_act or 0]
    if words.startswith("call") and hand.to_call_chips < stack and legal.max_to_chips:
        return Fault(FaultKind.AMBIGUOUS, f"{words[:_SHOWN_CHARS]!r} where a call is not all-in")
    amounts = (None, stack, stack + _in_front_chips(hand), None if legal.max_to_chips else hand.to_call_chips)
    if chips not in amounts:
        return Fault(FaultKind.AMBIGUOUS, f"{words[:_SHOWN_CHARS]!r} is not the amount of an all-in")
    return PokerAction(legal.kinds[-1], legal.max_to_chips)


def _in_front_chips(hand: Betting) -> int:
    """Chips that the player to act has bet in this betting round."""
    return hand.bets[hand.to_act or 0]


def _chips(whole: str, hundredths: str | None) -> int:
    return int(whole) * BIG_BLIND + int((hundredths or "").ljust(2, "0"))
