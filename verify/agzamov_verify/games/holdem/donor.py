"""The donor of hold'em: two strangers play a session, of which the placebo of a memory takes its note.

Each does in every situation what a stranger does as often, drawn anew each time; how often is drawn for each of the two
within a few points of what the reference player does against itself (24 sessions; see docs/decisions/0080). The cards
decide what is played before the flop, and whether a river is bet for value. So the counts vary as those of a real
opponent do, and tell of nobody at the table.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...core.dice import Dice, Stream
from ...table.seating import alternating
from .cards import DECK
from .hand_script import HandRecord, HandStory, PokerRules
from .patterns import TWO_PAIR, kind_of
from .rules import BIG_BLIND, CARDS_DEALT, ActionKind, Deal, Hand, HandEnd, PokerAction
from .starting_hands import top_percent


class Rates(NamedTuple):
    """How often a player does what, in per cent."""

    opens: int = 82
    calls_open: int = 79
    three_bets_strong: int = 12
    three_bets_light: int = 12
    folds_to_3bet: int = 22
    four_bets: int = 12
    folds_to_4bet: int = 35
    leads: int = 40
    cbets: int = 46
    bets_turn: int = 38
    bets_river: int = 28
    bets_river_for_value: int = 75
    folds_flop: int = 37
    folds_turn: int = 34
    folds_river: int = 42
    raises_bet: int = 7
    check_raises: int = 0


SPREAD: Final = 2
"""Points by which a player's rate may differ from a stranger's."""
OPEN_CHIPS: Final = 250
RERAISE_TIMES: Final = 3
BET_POT_PERCENT: Final = 60


def drawn_rates(draws: Stream) -> Rates:
    """The rates of one player."""
    return Rates(*(max(0, rate + draws.below(2 * SPREAD + 1) - SPREAD) if rate else 0 for rate in Rates()))


def donor_session(first: int, hands: int, rules: PokerRules, dice: Dice, number: int) -> Iterator[HandRecord]:
    """The hands of session `number` of two strangers, in order from number `first` of a match."""
    rates = [drawn_rates(dice.stream(f"rates/{seat}")) for seat in range(2)]
    draws = dice.stream(f"session/{number}")
    for index in range(first, first + hands):
        cards = draws.deal(DECK, CARDS_DEALT)
        deal = Deal((cards[0], cards[1]), (cards[2], cards[3]), (cards[4], cards[5], cards[6], cards[7], cards[8]))
        button, blind = alternating(index)
        yield _played(Hand(deal, (rules.stack_chips, rules.stack_chips)), (rates[button], rates[blind]), draws)


def _played(hand: Hand, rates: tuple[Rates, Rates], draws: Stream) -> HandRecord:
    raiser = 0
    while (player := hand.to_act) is not None:
        kinds = hand.legal().kinds
        wish = _before_flop if hand.street == 0 else _after_flop
        kind = wish(hand, player, rates[player], raiser, draws)
        if kind not in kinds:
            kind = ActionKind.CALL if hand.to_call_chips else ActionKind.CHECK
        if kind is ActionKind.RAISE and hand.street == 0:
            raiser = player
        hand.act(PokerAction(kind, _total(hand, kind)))
    folded = hand.history[-1].action.kind is ActionKind.FOLD
    story = HandStory(hand.deal, tuple(hand.history), tuple(hand.matched))
    return HandRecord("", HandEnd.FOLD if folded else HandEnd.SHOWDOWN, hand.net_chips()[0], (0, 0), story)


def _before_flop(hand: Hand, player: int, rates: Rates, raiser: int, draws: Stream) -> ActionKind:  # noqa: ARG001
    """The action before the flop: by the rank of the cards against the first raise, by chance against others."""
    level = sum(played.action.kind is ActionKind.RAISE for played in hand.history)
    chance = draws.below(100)
    match level:
        case 0:
            opens = top_percent(hand.hole(player)) <= rates.opens
            return ActionKind.RAISE if opens else ActionKind.FOLD
        case 1:
            percent = top_percent(hand.hole(player))
            if percent <= rates.three_bets_strong or chance < rates.three_bets_light:
                return ActionKind.RAISE
            return ActionKind.CALL if percent <= rates.calls_open else ActionKind.FOLD
        case 2:
            if chance < rates.folds_to_3bet:
                return ActionKind.FOLD
            return ActionKind.RAISE if chance >= 100 - rates.four_bets else ActionKind.CALL
        case _:
            return ActionKind.FOLD if chance < rates.folds_to_4bet else ActionKind.CALL


def _after_flop(hand: Hand, player: int, rates: Rates, raiser: int, draws: Stream) -> ActionKind:
    """The action after the flop, by chance; on the river a good hand is bet more often."""
    chance, street = draws.below(100), hand.street
    if hand.to_call_chips:
        folds = (rates.folds_flop, rates.folds_turn, rates.folds_river)[street - 1]
        if chance < folds:
            return ActionKind.FOLD
        checked = any(one.street == street and one.player == player for one in hand.history)
        raises = rates.check_raises if checked else rates.raises_bet
        return ActionKind.RAISE if chance >= 100 - raises else ActionKind.CALL
    if street == 1:
        bets = rates.cbets if player == raiser else rates.leads
    elif street == 2:
        bets = rates.bets_turn
    else:
        is_good = kind_of(*hand.hole(player), *hand.board) >= TWO_PAIR
        bets = rates.bets_river_for_value if is_good else rates.bets_river
    return ActionKind.BET if chance < bets else ActionKind.CHECK


def _total(hand: Hand, kind: ActionKind) -> int:
    """The total of a bet or raise within the rules; 0 of other actions."""
    if kind not in (ActionKind.BET, ActionKind.RAISE):
        return 0
    player, legal = hand.to_act or 0, hand.legal()
    if hand.street == 0:
        facing = hand.bets[1 - player]
        wanted = OPEN_CHIPS if facing <= BIG_BLIND else RERAISE_TIMES * facing
    else:
        to_call = hand.to_call_chips
        wanted = hand.bets[player] + to_call + (hand.pot_chips + to_call) * BET_POT_PERCENT // 100
    return max(legal.min_to_chips, min(wanted, legal.max_to_chips))
