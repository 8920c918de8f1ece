"""The scripted players of a table: one by chance, and one that is tight and aggressive by the strength of its hand.

Before the flop the reference player goes by Chen's points (B. Chen, in L. Krieger, "Hold'em Excellence", 2000), after
it by the share of all two cards that its hand beats on this board, to the power of the number of players still in. All
of it is in whole numbers.
"""

from fractions import Fraction
from itertools import combinations
from typing import Final

from ...core.dice import Stream
from ...poker.actions import ActionKind, in_bb
from ...poker.cards import DECK, RANKS
from ...table.prompt_lines import Page
from .rules import hand_value
from .spot import SeenSpot, read_spot

OPENS, RAISES_AGAIN = 7, 10
"""Chen's points from which a hand is raised first, and is raised over a raise."""
WINS_LEAST, WINS_A_POINT = Fraction(9, 25), Fraction(1, 40)
"""About what a hand of no points wins against one other at the showdown, and what each point adds."""
BETS, RAISES = Fraction(1, 2), Fraction(7, 10)
"""Shares of wins from which a hand is bet, and is raised over a bet."""
MARGIN: Final = Fraction(1, 20)
TALL: Final = {"A": 10, "K": 8, "Q": 7, "J": 6}
GAPS: Final = (0, 1, 2, 4)
WIDEST: Final = 5


def random_reply(page: Page, stream: Stream) -> str:
    """A uniform legal kind; for a bet or raise a uniform total in the range. Raises ValueError for another prompt."""
    legal = read_spot(page).legal
    kind, to_chips = stream.choice(legal.kinds), 0
    if kind in (ActionKind.BET, ActionKind.RAISE):
        to_chips = legal.min_to_chips + stream.below(legal.max_to_chips - legal.min_to_chips + 1)
    return f"One of {len(legal.kinds)} kinds of action, by chance.\nACTION: {spelled(kind, to_chips)}"


def reference_reply(page: Page, stream: Stream) -> str:  # noqa: ARG001 - it draws nothing
    """The action, with a line that says what it rests on."""
    spot = read_spot(page)
    kind, to_chips, why = _after_flop(spot) if spot.board else _before_flop(spot)
    return f"{why}\nACTION: {spelled(kind, to_chips)}"


def spelled(kind: ActionKind, to_chips: int) -> str:
    """An action as it is declared."""
    match kind:
        case ActionKind.BET:
            return f"bet {in_bb(to_chips)}"
        case ActionKind.RAISE:
            return f"raise to {in_bb(to_chips)}"
        case _:
            return kind.value


def chen_points(first: str, second: str) -> int:
    """Chen's points of two cards, halves rounded up: two aces have 20, seven and two -1."""
    high, low = sorted((first, second), key=lambda card: RANKS.index(card[0]), reverse=True)
    halves = 2 * TALL[high[0]] if high[0] in TALL else RANKS.index(high[0]) + 2
    if high[0] == low[0]:
        return max(5, halves)
    gap = RANKS.index(high[0]) - RANKS.index(low[0]) - 1
    halves += 4 * (high[1] == low[1]) - 2 * (GAPS[gap] if gap < len(GAPS) else WIDEST)
    halves += 2 * (gap <= 1 and RANKS.index(high[0]) < RANKS.index("Q"))
    return -(-halves // 2)


def _before_flop(spot: SeenSpot) -> tuple[ActionKind, int, str]:
    first, second = spot.hole
    points = chen_points(first, second)
    why = f"{points} points by Chen's count."
    if points >= (RAISES_AGAIN if spot.raises else OPENS):
        return _sized(spot, 3 * spot.raises[-1] if spot.raises else 4 * spot.big_blind_chips, why)
    highest = max(player.bet_chips for player in spot.rivals)
    against = sum(player.bet_chips == highest for player in spot.rivals)
    share = min(Fraction(1), WINS_LEAST + WINS_A_POINT * max(0, points)) ** against
    pays = spot.raises and share >= _price(spot) + MARGIN
    return _called(spot, why) if pays else _passive(spot, why)


def _after_flop(spot: SeenSpot) -> tuple[ActionKind, int, str]:
    share = _beaten(spot.hole, spot.board) ** max(1, len(spot.rivals))
    price = _price(spot)
    why = f"It wins {100 * share.numerator // share.denominator} % now; the price asks {int(100 * price)} %."
    if not spot.to_call_chips:
        return _sized(spot, spot.pot_chips * 2 // 3, why) if share >= BETS else _passive(spot, why)
    if share >= RAISES:
        to_chips = spot.me.bet_chips + spot.to_call_chips + spot.pot_chips
        return _sized(spot, to_chips, why)
    return _called(spot, why) if share >= price + MARGIN else _passive(spot, why)


def _price(spot: SeenSpot) -> Fraction:
    """The price of a call (pot odds), as a share of the pot after it."""
    return Fraction(spot.to_call_chips, spot.pot_chips + spot.to_call_chips)


def _beaten(hole: tuple[str, ...], board: tuple[str, ...]) -> Fraction:
    """The share of all other two cards that lose to these on the board now; ties count one half."""
    first, second = hole
    mine = hand_value((first, second), board)
    rest = [card for card in DECK if card not in hole and card not in board]
    theirs = [hand_value(other, board) for other in combinations(rest, 2)]
    halves = sum(2 * (mine > value) + (mine == value) for value in theirs)
    return Fraction(halves, 2 * len(theirs))


def _sized(spot: SeenSpot, to_chips: int, why: str) -> tuple[ActionKind, int, str]:
    """A bet or raise to about `to_chips`, all in where most of the stack would go; else a call or a check."""
    legal = spot.legal
    if not legal.max_to_chips:
        return legal.kinds[-1], 0, why
    if 2 * (to_chips - spot.me.bet_chips) > spot.me.stack_chips:
        to_chips = legal.max_to_chips
    return legal.kinds[-1], max(legal.min_to_chips, min(to_chips, legal.max_to_chips)), why


def _called(spot: SeenSpot, why: str) -> tuple[ActionKind, int, str]:
    return (ActionKind.CALL if spot.to_call_chips else ActionKind.CHECK), 0, why


def _passive(spot: SeenSpot, why: str) -> tuple[ActionKind, int, str]:
    """Check where it is free, else fold."""
    return (ActionKind.FOLD if spot.to_call_chips else ActionKind.CHECK), 0, why
