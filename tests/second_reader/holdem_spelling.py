"""Actions of hold'em as replies spell them (reading, section 3 and Patterns, and page 7.5)."""

import re

from .chess_spelling import Reading
from .holdem_game import Hand, amount
from .reading import declared

SHOWN = 40
AMOUNT = r"([0-9]{1,7})(?:[.,]([0-9]{1,2}))? ?(?:bbs?|big blinds?)?"
EXACT = re.compile(r"fold|check|call|all-in|(?:bet|raise to) [0-9]{1,7}(?:\.[0-9]{1,2})?")
CALL = re.compile(rf"call(?: (?:of )?\(?{AMOUNT}\)?)?")
SIZED = re.compile(
    rf"(bet|(?:re-?)?raise)( to| by)?( (?:a )?total(?: of)?| of)? \(?{AMOUNT}\)?"
    r"(?: (?:in )?total)?( ?[,(]? ?all[ -]?in\)?)?"
)
ALL_IN = re.compile(
    r"(?:(?:go|move|bet|raise|re-?raise|call)(?: to)? )?(?:all[ -]?in|shove|jam)"
    rf"(?: ?[,(:]? ?(?:for |to |with )?{AMOUNT}\)?)?"
)


def _chips(whole: str | None, cents: str | None) -> int | None:
    return None if whole is None else int(whole) * 100 + int(f"{cents or ''}00"[:2])


class _Mind:
    """What may be done, and how a declared action is refused (the table of 7.5.1)."""

    def __init__(self, hand: Hand, text: str) -> None:
        self.kinds, self.least, self.most = hand.legal()
        me = hand.to_act
        assert me is not None
        self.mine, self.stack = hand.bets[me], hand.stacks[me]
        self.cost = min(hand.bets[1 - me] - hand.bets[me], self.stack)
        self.nothing_bet = not max(hand.bets)
        self.sized = self.kinds[-1] if self.kinds[-1] in ("bet", "raise") else ""
        self.text = text

    def unclear(self, words: str) -> Reading:
        return Reading("ambiguous", why=f"{self.text[:SHOWN]!r} {words}")

    def bare(self, kind: str) -> Reading:
        """Row 1."""
        return Reading("", kind) if kind in self.kinds else Reading("illegal", why=f"{kind} is not legal here")

    def call(self, chips: int | None) -> Reading:
        """Row 2."""
        if chips not in (None, self.cost, self.cost and self.cost + self.mine):
            return self.unclear(f"where a call costs {amount(self.cost)} BB")
        return Reading("", "call" if self.cost else "check")

    def all_in(self, chips: int | None) -> Reading:
        """Rows 3 and 4."""
        if self.text.startswith("call") and self.cost < self.stack and self.sized:
            return self.unclear("where a call is not all-in")
        if chips not in (None, self.stack, self.stack + self.mine, None if self.sized else self.cost):
            return self.unclear("is not the amount of an all-in")
        return Reading("", f"{self.sized} {self.most}" if self.sized else self.kinds[-1])

    def size(self, found: re.Match[str]) -> Reading:
        """Rows 5 to 7."""
        verb, how, total, whole, cents, all_of_it = found.groups()
        chips = _chips(whole, cents)
        assert chips is not None
        if all_of_it:
            return self.all_in(chips)
        if not (how == " to" or (how is None and (verb == "bet" or total))) and not self.nothing_bet:
            return self.unclear("does not say whether that is the total")
        if not self.sized:
            return self.bare("bet" if verb == "bet" else "raise")
        if not self.least <= chips <= self.most:
            limits = f"from {amount(self.least)} to {amount(self.most)} BB"
            return Reading("illegal", why=f"the amount must be {limits}")
        return Reading("", f"{self.sized} {chips}")


def _meant(text: str, hand: Hand) -> Reading:
    mind = _Mind(hand, text)
    if text in ("fold", "check"):
        return mind.bare(text)
    if called := CALL.fullmatch(text):
        return mind.call(_chips(*called.groups()))
    if sized := SIZED.fullmatch(text):
        return mind.size(sized)
    if all_in := ALL_IN.fullmatch(text):
        return mind.all_in(_chips(*all_in.groups()))
    fine = re.search(r"[0-9][.,][0-9]{3}", text)
    words = "has an amount of more than two decimals" if fine else "is not one of the forms of an action"
    return Reading("no_action", why=f"{text[:SHOWN]!r} {words}")


def read_action(text: str, finish: str, hand: Hand) -> Reading:
    """The action that a reply declares: a kind, with its total where it has one."""
    told = declared(text, finish, "ACTION")
    if told.fault:
        return Reading(told.fault, why=told.why)
    meant = _meant(" ".join(told.text.lower().split()).removeprefix("i "), hand)
    if meant.action:
        first, kind = told.text.split(" ", 1)[0], meant.action.split(" ", 1)[0]
        exact = told.exact and EXACT.fullmatch(told.text) and first in (kind, "all-in")
        meant.kind = "exact" if exact else "normalised"
    return meant
