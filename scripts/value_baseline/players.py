"""Scripted hold'em players of four styles, fast enough for a hundred thousand hands, for fitting and for simulations.

Before the flop a hand is its rank among the 169 classes; after it, its strength in three steps, and a draw of the
dice blurs both. A style says from which score on a player raises, bets and calls, and how often it bluffs.
"""

from dataclasses import dataclass
from functools import lru_cache

from agzamov_verify.core.dice import Dice, Stream
from agzamov_verify.games.holdem.control_variates import strengths
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.equity import NUMBER
from agzamov_verify.games.holdem.hand_script import HandRecord, HandStory
from agzamov_verify.games.holdem.rules import ActionKind, Deal, Hand, HandEnd, PokerAction
from agzamov_verify.games.holdem.starting_hands import CLASSES, class_of, meetings
from agzamov_verify.table.seating import alternating

STACK_CHIPS = 10_000
_POSTFLOP_SCORES = (20, 62, 90)  # of Strength.NOTHING, PAIR, STRONG; a blur of 30 points is added
_BLUR = 31


@dataclass(frozen=True)
class Style:
    """From which score of 0 to 120 on a player raises, bets and calls; bluffs per cent; size as per cent of the pot."""

    name: str
    raises: int
    bets: int
    calls: int
    bluffs: int
    size: int


TAG = Style("tag", 74, 62, 38, 12, 70)
TAG2 = Style("tag2", 80, 66, 34, 8, 60)
LAG = Style("lag", 62, 50, 28, 25, 90)
NIT = Style("nit", 94, 80, 50, 3, 50)
STATION = Style("station", 110, 92, 14, 2, 60)
STYLES = (TAG, TAG2, LAG, NIT, STATION)


def hands(dice: Dice, decks: range, a: Style, b: Style, *, swapped: bool) -> list[HandRecord]:
    """The hands of these decks, seat A on the button in even ones; `swapped` seats the two the other way round."""
    played = []
    for number in decks:
        deal = deal_cards(dice, number, alternating(number))
        styles = (a, b) if (number % 2 == 0) != swapped else (b, a)
        stream = dice.stream(f"play/{number}/{int(swapped)}")
        played.append(hand_between(deal, styles, stream))
    return played


def hand_between(deal: Deal, styles: tuple[Style, Style], stream: Stream) -> HandRecord:
    """One hand between button and big blind."""
    hand = Hand(deal, (STACK_CHIPS, STACK_CHIPS))
    while hand.to_act is not None:
        hand.act(action(hand, styles[hand.to_act], stream))
    end = HandEnd.FOLD if hand.history[-1].action.kind is ActionKind.FOLD else HandEnd.SHOWDOWN
    story = HandStory(deal, tuple(hand.history), tuple(hand.matched))
    return HandRecord("h", end, hand.net_chips()[0], (0, 0), story)


def action(hand: Hand, style: Style, stream: Stream) -> PokerAction:
    """What a style does when it is to act."""
    assert hand.to_act is not None
    legal, score = hand.legal(), _score(hand, hand.to_act) + stream.below(_BLUR)
    bluffs = stream.below(100) < style.bluffs
    raises = sum(played.street == hand.street and played.action.kind is ActionKind.RAISE for played in hand.history)
    if ActionKind.CALL not in legal.kinds:
        wants = score >= style.bets or bluffs
        return _sized(hand, style) if wants and legal.max_to_chips else PokerAction(ActionKind.CHECK)
    if legal.max_to_chips and (score >= style.raises + 8 * raises or (bluffs and not raises)):
        return _sized(hand, style)
    price = 100 * hand.to_call_chips // (hand.pot_chips + hand.to_call_chips)
    wants = score >= style.calls + price // 2 + 8 * raises
    return PokerAction(ActionKind.CALL if wants else ActionKind.FOLD)


def _sized(hand: Hand, style: Style) -> PokerAction:
    """A bet or raise of the style's share of the pot, all in where little would be left."""
    legal = hand.legal()
    player = hand.to_act or 0
    called = hand.pot_chips + hand.to_call_chips
    to_chips = hand.bets[player] + hand.to_call_chips + called * style.size // 100
    if 3 * to_chips > 2 * legal.max_to_chips:
        to_chips = legal.max_to_chips
    return PokerAction(legal.kinds[-1], max(legal.min_to_chips, min(to_chips, legal.max_to_chips)))


def _score(hand: Hand, player: int) -> int:
    """From 0 to 90, without the blur."""
    if not hand.street:
        return _preflop_scores()[class_of(hand.hole(player))]
    hole = [NUMBER[card] for card in hand.hole(player)]
    (strength,) = strengths([hole], [NUMBER[card] for card in hand.board])
    return _POSTFLOP_SCORES[strength]


@lru_cache(maxsize=1)
def _preflop_scores() -> list[int]:
    """0 for the class that does worst against a random hand, 90 for the best."""
    ways, edges = meetings()
    order = sorted(range(CLASSES), key=lambda class_number: sum(edges[class_number]) / sum(ways[class_number]))
    scores = [0] * CLASSES
    for rank, class_number in enumerate(order):
        scores[class_number] = 90 * rank // (CLASSES - 1)
    return scores
