"""Hold'em against pokerkit on random hands, 100,000 at full size, and against hands that the ACPC's dealer logged.

pokerkit's player 0 posts the big blind, its player 1 has the button. It shuffles with the global
`random`, so every card is dealt explicitly here.
"""

import re
from collections import Counter

import pytest
from pokerkit import Automation, Card, NoLimitTexasHoldem, StandardHighHand, State

from agzamov_verify.core.dice import Dice, Stream
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.rules import (
    BIG_BLIND,
    CARDS_DEALT,
    SMALL_BLIND,
    ActionKind,
    Deal,
    Hand,
    PokerAction,
    compare,
)

ROOT = bytes(32)
CHUNKS, HANDS_PER_CHUNK = 50, 2_000
CARDS = {text: next(Card.parse(text)) for text in DECK}
AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
FOLD, CHECK, CALL, BET, RAISE = ActionKind


def dealt(stream: Stream) -> Deal:
    a, b, c, d, *board = stream.deal(DECK, CARDS_DEALT)
    return Deal((a, b), (c, d), (board[0], board[1], board[2], board[3], board[4]))


def table(deal: Deal, stacks: tuple[int, int]) -> State:
    """The same hand at pokerkit's table."""
    seated = (stacks[1], stacks[0])
    state = NoLimitTexasHoldem.create_state(
        AUTOMATIONS, True, 0, (SMALL_BLIND, BIG_BLIND), BIG_BLIND, seated, len(stacks)
    )
    state.deal_hole([CARDS[text] for text in deal.big_blind])
    state.deal_hole([CARDS[text] for text in deal.button])
    return state


def deal_board(state: State, deal: Deal) -> None:
    """Put cards on the board until somebody is to act or the hand is over."""
    while state.status and state.actor_index is None:
        state.burn_card("??")
        shown = len(state.board_cards)
        state.deal_board([CARDS[text] for text in deal.board[shown : max(3, shown + 1)]])


def same_decision(hand: Hand, state: State) -> None:
    """The two agree on who acts, on what he sees and on what he may do."""
    legal = hand.legal()
    assert state.actor_index == 1 - hand.to_act
    assert (state.street_index, len(state.board_cards)) == (hand.street, len(hand.board))
    assert (state.total_pot_amount, state.stacks[::-1]) == (hand.pot_chips, hand.stacks)
    assert state.can_fold() == (FOLD in legal.kinds)
    assert state.checking_or_calling_amount == hand.to_call_chips
    assert (CALL if hand.to_call_chips else CHECK) in legal.kinds
    assert (legal.max_to_chips > 0) == (legal.kinds[-1] in (BET, RAISE))
    assert (state.min_completion_betting_or_raising_to_amount or 0) == legal.min_to_chips
    assert (state.max_completion_betting_or_raising_to_amount or 0) == legal.max_to_chips


def act(hand: Hand, state: State, action: PokerAction) -> None:
    hand.act(action)
    if action.kind is FOLD:
        state.fold()
    elif action.kind in (BET, RAISE):
        state.complete_bet_or_raise_to(action.to_chips)
    else:
        state.check_or_call()


def chosen(hand: Hand, stream: Stream) -> PokerAction:
    """A random action, with smallest, small, any and all-in sizes. Folds are cheap: pokerkit ranks slowly."""
    legal = hand.legal()
    kind = stream.choice(legal.kinds)
    if kind not in (BET, RAISE):
        return PokerAction(kind)
    spread = legal.max_to_chips - legal.min_to_chips
    small = stream.below(min(spread, 500) + 1)
    sizes = (0, 0, small, small, small, stream.below(spread + 1), spread)
    return PokerAction(kind, legal.min_to_chips + stream.choice(sizes))


def random_stacks(stream: Stream) -> tuple[int, int]:
    """100 big blinds each, or unequal stacks from 1 big blind up."""
    tops = (1, 150, 1_000, 10_000)
    unequal = (BIG_BLIND + stream.below(stream.choice(tops)), BIG_BLIND + stream.below(stream.choice(tops)))
    return unequal if stream.below(2) else (10_000, 10_000)


def same_hand(deal: Deal, stacks: tuple[int, int], stream: Stream) -> str:
    """Play one random hand at both tables; how it ended."""
    hand, state = Hand(deal, stacks), table(deal, stacks)
    deal_board(state, deal)
    while hand.to_act is not None:
        same_decision(hand, state)
        act(hand, state, chosen(hand, stream))
        deal_board(state, deal)
    net = hand.net_chips()
    assert not state.status
    assert [stacks[1] + net[1], stacks[0] + net[0]] == state.stacks
    if hand.history and hand.history[-1].action.kind is FOLD:
        return "fold"
    return "showdown" if all(hand.stacks) else "all-in"


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("chunk", [0, 1, *(pytest.param(at, marks=pytest.mark.exhaustive) for at in range(2, CHUNKS))])
def test_random_hands_are_the_same_at_pokerkits_table(chunk: int) -> None:
    stream = Dice(ROOT).stream(f"oracle/{chunk}")
    ends: Counter[str] = Counter()
    for number in range(HANDS_PER_CHUNK):
        deal, stacks = dealt(stream), random_stacks(stream)
        try:
            ends[same_hand(deal, stacks, stream)] += 1
        except Exception as error:
            raise AssertionError(f"hand {number} of chunk {chunk}: {deal} {stacks}") from error
    assert min(ends["fold"], ends["showdown"], ends["all-in"]) >= HANDS_PER_CHUNK // 100


@pytest.mark.slow
def test_showdowns_are_won_as_pokerkit_ranks_the_hands() -> None:
    """Also after folds, and on boards drawn so that ties are common."""
    stream = Dice(ROOT).stream("showdowns")
    results: Counter[int] = Counter()
    for _ in range(4_000):
        deal = dealt(stream)
        board = "".join(deal.board)
        button, big_blind = (StandardHighHand.from_game("".join(hole), board) for hole in (deal.button, deal.big_blind))
        expected = (button > big_blind) - (button < big_blind)
        assert expected == compare(deal), deal
        results[expected] += 1
    assert min(results[1], results[0], results[-1]) > 100


# The log of a match that the Annual Computer Poker Competition's dealer ran (holdem.nolimit.2p.reverse_blinds:
# blinds 50/100, stacks 20,000; player 1 is the big blind; amounts are totals of the whole hand), as published with
# the gem acpc_poker_types, spec/acpc_dealer_data/hand_results_spec.rb; the last line is the example in the README of
# DeepStack's match logs.
ACPC = """\
STATE:0:r5924c/r17356c/cc/r19718c:3s5d|Td2s/4d5c4s/Kd/2c:19718|-19718
STATE:1:cc/r7485r16652c/r17998r19429r20000c/:7d5s|Kh9c/As3hTs/Jh/Js:-20000|20000
STATE:2:r18810c/r19264r19774c/cr19995r20000c/:Kh6h|As2h/Qd2c2d/7d/3d:-20000|20000
STATE:3:cr281c/r18446r20000c//:8c7d|QcKc/Ac6hTd/9h/3d:20000|-20000
STATE:4:r13583r20000f:6s9d|4dQd:13583|-13583
STATE:5:cc/r15416f:6c2d|9cKs/4dKc7d:100|-100
STATE:6:r15542r20000c///:9h7h|3d8s/JcAc5c/Ah/Ks:20000|-20000
STATE:7:r1147c/cc/cr5404f:5s9c|8dJh/TdQc9d/Jd:-1147|1147
STATE:8:cc/r5841r19996r20000c//:Kc6h|Qc3s/QhAh8d/Th/9d:-20000|20000
STATE:9:f:Jc8d|TdQd:50|-50
STATE:19:r200c/cr400c/cr850f:9hQc|5dQd/4h4c6c/4s:-400|400"""


def acpc_deal(cards: str) -> Deal:
    holes, *streets = cards.split("/")
    big_blind, button = (re.findall("..", hole) for hole in holes.split("|"))
    known = re.findall("..", "".join(streets))
    unseen = [card for card in DECK if card not in {*big_blind, *button, *known}]
    board = [*known, *unseen][:5]
    return Deal((button[0], button[1]), (big_blind[0], big_blind[1]), tuple(board))


def acpc_action(token: str, hand: Hand) -> PokerAction:
    if token == "f":
        return PokerAction(FOLD)
    if token == "c":
        return PokerAction(CALL if hand.to_call_chips else CHECK)
    assert hand.to_act is not None
    before_this_street = hand.put_in[hand.to_act] - hand.bets[hand.to_act]
    return PokerAction(hand.legal().kinds[-1], int(token[1:]) - before_this_street)


@pytest.mark.parametrize("line", ACPC.splitlines())
def test_logged_hands_of_the_acpc_come_out_as_its_dealer_paid_them(line: str) -> None:
    _, _, betting, cards, paid = line.split(":")
    hand = Hand(acpc_deal(cards), (20_000, 20_000))
    for street, tokens in enumerate(betting.split("/")):
        for token in re.findall(r"f|c|r\d+", tokens):
            assert street == hand.street
            hand.act(acpc_action(token, hand))
    big_blind, button = (int(chips) for chips in paid.split("|"))
    assert hand.to_act is None
    assert (button, big_blind) == hand.net_chips()
