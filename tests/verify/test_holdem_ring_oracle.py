"""Hold'em for three to nine against a second referee, on random hands with random stacks.

AGZAMOV_RING_HANDS in the environment says how many hands; 2,000 without it.
"""

import os
from collections import Counter

import pytest

from agzamov_verify.core.dice import Dice, Stream
from agzamov_verify.games.holdem_ring.rules import SEATS_MAX, SEATS_MIN, RingDeal, RingHand, deal_cards
from agzamov_verify.poker.actions import ActionKind, PokerAction
from verify.second_referee import Referee

HANDS = int(os.environ.get("AGZAMOV_RING_HANDS", "2000"))
CHUNKS = 10
DICE = Dice(bytes(32))
FOLD, CHECK, CALL, BET, RAISE = ActionKind
BIG = 10_000


def chosen(hand: RingHand, stream: Stream) -> PokerAction:
    """A random action, with smallest, small, any and all-in sizes; a player folds less often than it calls."""
    legal = hand.legal()
    kind = stream.choice((*legal.kinds[1:], *legal.kinds))
    if kind not in (BET, RAISE):
        return PokerAction(kind)
    spread = legal.max_to_chips - legal.min_to_chips
    sizes = (0, 0, stream.below(min(spread, 300) + 1), stream.below(spread + 1), spread)
    return PokerAction(kind, legal.min_to_chips + stream.choice(sizes))


def same_decision(hand: RingHand, referee: Referee) -> None:
    legal = hand.legal()
    assert hand.to_act == referee.to_act
    assert (hand.street, hand.bets, hand.stacks) == (referee.street, tuple(referee.bets), tuple(referee.stacks))
    assert hand.to_call_chips == referee.to_call
    assert (FOLD in legal.kinds) == (CALL in legal.kinds) == (referee.to_call > 0)
    assert (CHECK in legal.kinds) == (referee.to_call == 0)
    assert (legal.min_to_chips, legal.max_to_chips) == referee.raises


def same_hand(number: int) -> str:
    """Play one random hand at both tables; how many could win a part of it."""
    stream = DICE.stream(f"hand/{number}")
    seats = SEATS_MIN + stream.below(SEATS_MAX + 1 - SEATS_MIN)
    tops = (150, 1_000, 5_000, 20_000)
    stacks = [1 + stream.below(stream.choice(tops)) for _ in range(seats)]
    small_blind = stream.choice((1, 33, 50, 100))
    deal = deal_cards(DICE, f"{number}", seats)
    hand, referee = RingHand(deal, stacks, small_blind), Referee(stacks, small_blind)
    while hand.to_act is not None:
        assert not referee.is_over
        same_decision(hand, referee)
        action = chosen(hand, stream)
        hand.act(action)
        referee.act(action.kind.value, action.to_chips)
    assert referee.is_over
    net = hand.net_chips()
    assert list(net) == referee.net(deal.holes, deal.board)
    assert sum(net) == 0
    return str(len(referee.pots(deal.holes, deal.board)))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_hands_are_the_same_at_the_second_referees_table(chunk: int) -> None:
    pots = Counter(same_hand(number) for number in range(chunk, HANDS, CHUNKS))
    assert pots["1"] < HANDS // CHUNKS
    assert pots.total() == HANDS // CHUNKS


def played(stacks: list[int], holes: list[str], board: str, actions: list[str], small_blind: int = 50) -> RingHand:
    """A hand of these cards: actions are "f", "cc" or the total of a bet or raise."""
    cards = tuple((hole[:2], hole[2:]) for hole in holes)
    deal = RingDeal(cards, tuple(board[at : at + 2] for at in range(0, 10, 2)))
    hand = RingHand(deal, stacks, small_blind)
    for action in actions:
        legal = hand.legal().kinds
        passive = CHECK if CHECK in legal else CALL
        if action.isdigit():
            hand.act(PokerAction(legal[-1], int(action)))
        else:
            hand.act(PokerAction(FOLD if action == "f" else passive))
    return hand


def test_the_odd_chip_goes_to_the_first_winner_left_of_the_button() -> None:
    """The small blind folds 51; button and big blind tie for 251 chips, and the big blind sits left of the button."""
    hand = played([BIG] * 3, ["AhKh", "2c3d", "AdKd"], "QsJcTs4c5d", ["cc", "f", *["cc"] * 7], small_blind=51)
    assert hand.to_act is None
    assert hand.pot_chips == 0
    assert hand.net_chips() == (25, -51, 26)


def test_side_pots_go_to_the_best_hand_that_paid_for_them() -> None:
    """TDA's order of pots: 100, 300 and 600 all in; the shortest has the best hand, the longest the worst."""
    hand = played([100, 300, 600], ["AsAd", "KsKd", "QsQd"], "2c7h9dJc3s", ["100", "300", "cc"])
    assert hand.net_chips() == (200, 100, -300)


def test_a_short_all_in_does_not_reopen_the_betting_to_who_acted_already() -> None:
    stacks = [BIG, BIG, BIG, 450]
    hand = played(stacks, ["AsAd", "KsKd", "QsQd", "JsJd"], "2c7h9d4c3s", ["cc", "300", "cc", "cc"])
    assert hand.to_act == 3
    hand.act(PokerAction(RAISE, 450))
    assert hand.to_act == 0
    assert RAISE not in hand.legal().kinds


def test_several_short_all_ins_reopen_it_together() -> None:
    stacks = [BIG, BIG, 420, 510]
    hand = played(stacks, ["AsAd", "KsKd", "QsQd", "JsJd"], "2c7h9d4c3s", ["cc", "300", "cc", "420", "510"])
    assert hand.to_act == 0
    assert hand.legal().min_to_chips == 710


def test_an_all_in_of_less_than_a_big_blind_is_no_raise_either() -> None:
    """pokerkit alone would let the first caller raise again."""
    stacks = [150, BIG, BIG, BIG]
    hand = played(stacks, ["AsAd", "KsKd", "QsQd", "JsJd"], "2c7h9d4c3s", ["cc", "150", "cc", "cc"])
    assert hand.to_act == 3
    assert hand.legal().kinds == (FOLD, CALL)


def test_there_is_no_fold_where_a_check_is_free() -> None:
    hand = played([BIG] * 3, ["AsAd", "KsKd", "QsQd"], "2c7h9d4c3s", ["cc", "cc"])
    with pytest.raises(ValueError, match="fold is not legal here"):
        hand.act(PokerAction(FOLD))


def test_who_forfeits_loses_what_it_put_in_also_where_a_check_is_free() -> None:
    hand = played([BIG] * 3, ["AsAd", "KsKd", "QsQd"], "2c7h9d4c3s", ["cc", "cc", "cc"])
    hand.give_up(1)
    hand.give_up(2)
    assert hand.net_chips() == (200, -100, -100)
