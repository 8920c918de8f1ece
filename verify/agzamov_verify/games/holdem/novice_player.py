"""The novice of hold'em: calls whatever comes, but does what its tool or a passage of documents says.

With a calculator it folds what costs too much and bets what is ahead. Where a passage says so, it bets any pair.
"""

from ...dice import Stream
from ..page import Page
from .page import Spot, Verb, read_spot
from .random_player import spelled
from .tool import read_odds

PAIR_ADVICE = "with any pair or better bet the pot"
"""The words of a document that it follows."""

BETS_FROM_PERMILLE = 600
"""Equity, in thousandths, from which it bets or raises."""


def reply(page: Page, stream: Stream) -> str:  # noqa: ARG001 - leaves nothing to chance
    """The action by equity and price. Raises ValueError for a prompt that it cannot read."""
    spot, odds = read_spot(page), read_odds(page)
    if odds is None and PAIR_ADVICE in page.documents and _has_pair(spot) and spot.options.max_to_chips:
        return _declared("A pair, as I have read.", spot.options.verbs[-1], _pot_sized(spot))
    if odds is None:
        return _declared("I call.", _first(spot, Verb.CHECK, Verb.CALL), 0)
    if odds.equity_permille < odds.price_permille:
        return _declared("Not worth the price.", _first(spot, Verb.CHECK, Verb.FOLD), 0)
    if odds.equity_permille >= BETS_FROM_PERMILLE and spot.options.max_to_chips:
        return _declared("I am ahead.", spot.options.verbs[-1], _pot_sized(spot))
    return _declared("Worth the price.", _first(spot, Verb.CHECK, Verb.CALL), 0)


def _has_pair(spot: Spot) -> bool:
    """True if a card of its own makes a pair, or both do."""
    ranks = [card[0] for card in spot.hole]
    return ranks[0] == ranks[1] or any(card[0] in ranks for card in spot.board)


def _first(spot: Spot, *verbs: Verb) -> Verb:
    return next(verb for verb in verbs if verb in spot.options.verbs)


def _pot_sized(spot: Spot) -> int:
    """The total of a bet of the pot, or the nearest legal one."""
    to_chips = spot.in_front_chips + spot.to_call_chips + spot.pot_chips + spot.to_call_chips
    return max(spot.options.min_to_chips, min(to_chips, spot.options.max_to_chips))


def _declared(why: str, verb: Verb, to_chips: int) -> str:
    return f"{why}\nACTION: {spelled(verb, to_chips)}"
