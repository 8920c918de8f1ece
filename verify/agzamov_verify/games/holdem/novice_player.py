"""The novice of hold'em: calls whatever comes, but follows its tool and document passages.

With a calculator it folds where the price exceeds the equity and bets where it is ahead. Where a passage says so, it
bets any pair. The hands that it has its own compared with: the few best where an opponent that is known to raise
pocket pairs by the least amount has raised, else any. Of its own rules it keeps every one.
"""

from typing import Final

from ...core.dice import Stream
from ...table.prompt_lines import Page
from .habit_words import kept_patterns, poker_habits
from .patterns import RULES
from .random_player import spelled
from .reference_player import STRANGER
from .spot import SeenSpot, Verb, Who, read_spot
from .tool import ANY_PERCENT, TAG, is_requested, read_odds

PAIR_ADVICE = "with any pair or better bet the pot"
"""The words of a document that it follows."""

BELIEVED_PERCENT: Final = 30
"""Of pocket pairs that were raised by the least amount, with what is expected of a stranger: believed from here on."""

BETS_FROM_PERMILLE = 600
"""Equity, in thousandths, from which it bets or raises."""


PAIRS_PERCENT: Final = 10
"""Of all hands, for one that has a pocket pair: nearly all of them are among these, or better."""


def novice_reply(page: Page, stream: Stream) -> str:
    """The action by equity and price, or the hands that the prompt asks for.

    Raises ValueError for a prompt that it cannot read.
    """
    spot = read_spot(page)
    if is_requested(page):
        return f"By what I was told of this opponent.\n{TAG} {_hands_percent(page, spot)}"
    return _ruled(page, spot, stream) or _action(page, spot)


def _hands_percent(page: Page, spot: SeenSpot) -> int:
    """The percent of hands that the opponent may hold."""
    raised = any(deed.who is Who.OPPONENT for deed in spot.raises)
    is_known = poker_habits(page.profile, STRANGER).min_raises_pairs >= BELIEVED_PERCENT
    return PAIRS_PERCENT if raised and is_known else ANY_PERCENT


def _ruled(page: Page, spot: SeenSpot, stream: Stream) -> str:
    """The most passive action that keeps the first rule that applies; empty where none does."""
    least = spot.options.min_to_chips
    for pattern in kept_patterns(page.rules):
        rule = RULES[pattern]
        if rule.asks(spot) and stream.below(100) < rule.percent:
            verbs = sorted(spot.options.verbs, key=(Verb.CHECK, Verb.CALL, Verb.FOLD, Verb.BET, Verb.RAISE).index)
            sizes = {Verb.BET: least, Verb.RAISE: least}
            kept = next(verb for verb in verbs if rule.keeps(spot, verb, sizes.get(verb, 0)))
            return _declared("A rule that I keep.", kept, sizes.get(kept, 0))
    return ""


def _action(page: Page, spot: SeenSpot) -> str:
    odds = read_odds(page)
    if odds is None and PAIR_ADVICE in page.documents and _has_pair(spot) and spot.options.max_to_chips:
        return _declared("A pair, as I have read.", spot.options.verbs[-1], _pot_sized(spot))
    if odds is None:
        return _declared("I call.", _first(spot, Verb.CHECK, Verb.CALL), 0)
    if odds.equity_permille < odds.price_permille:
        return _declared("Not worth the price.", _first(spot, Verb.CHECK, Verb.FOLD), 0)
    if odds.equity_permille >= BETS_FROM_PERMILLE and spot.options.max_to_chips:
        return _declared("I am ahead.", spot.options.verbs[-1], _pot_sized(spot))
    return _declared("Worth the price.", _first(spot, Verb.CHECK, Verb.CALL), 0)


def _has_pair(spot: SeenSpot) -> bool:
    """True if a card of its own makes a pair, or both do."""
    ranks = [card[0] for card in spot.hole]
    return ranks[0] == ranks[1] or any(card[0] in ranks for card in spot.board)


def _first(spot: SeenSpot, *verbs: Verb) -> Verb:
    return next(verb for verb in verbs if verb in spot.options.verbs)


def _pot_sized(spot: SeenSpot) -> int:
    """The total of a bet of the pot, or the nearest legal one."""
    to_chips = spot.in_front_chips + spot.to_call_chips + spot.pot_chips + spot.to_call_chips
    return max(spot.options.min_to_chips, min(to_chips, spot.options.max_to_chips))


def _declared(why: str, verb: Verb, to_chips: int) -> str:
    return f"{why}\nACTION: {spelled(verb, to_chips)}"
