"""Heads-up no-limit hold'em by the rule books' cases, and the script of one hand."""

from collections import Counter

import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, NoReply, Question, Reply
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules, play, random_action
from agzamov_verify.games.holdem.rules import ActionKind, Deal, HandEnd, Legal, PokerAction, compare, in_bb
from agzamov_verify.table.decision import IllegalPolicy, Tally
from agzamov_verify.table.players import GameName, Player
from verify.scripted import actions, bet_out, poker_hand, told, without_signals

FOLD, CHECK, CALL, BET, RAISE = ActionKind
BUTTON, BIG_BLIND = 0, 1
DICE = Dice(bytes(32))


def test_the_blinds_are_posted_and_the_button_acts_first() -> None:
    hand = poker_hand()
    assert (hand.stacks, hand.pot_chips, hand.to_call_chips) == ([9_950, 9_900], 150, 50)
    assert (BUTTON, (), Legal((FOLD, CALL, RAISE), 200, 10_000)) == (hand.to_act, hand.board, hand.legal())


def test_the_big_blind_has_the_option_after_a_call() -> None:
    hand = bet_out(poker_hand(), "call")
    assert (BIG_BLIND, 0, Legal((CHECK, RAISE), 200, 10_000)) == (hand.to_act, hand.to_call_chips, hand.legal())
    hand = bet_out(hand, "raise 300")
    assert (hand.to_act, hand.street, hand.to_call_chips) == (BUTTON, 0, 200)


def test_the_big_blind_acts_first_after_the_flop() -> None:
    hand = bet_out(poker_hand(), "call, check")
    assert (hand.to_act, hand.board) == (BIG_BLIND, ("Qs", "Jh", "3c"))
    assert Legal((CHECK, BET), 100, 9_900) == hand.legal()


@pytest.mark.parametrize(("text", "street", "board"), [("call, check", 1, 3), ("call, check, check, check", 2, 4)])
def test_a_street_closes_only_after_both_have_acted(text: str, street: int, board: int) -> None:
    hand = bet_out(poker_hand(), text)
    assert (street, board) == (hand.street, len(hand.board))
    hand = bet_out(hand, "check")
    assert (street, board, BUTTON) == (hand.street, len(hand.board), hand.to_act)


# TDA 2024, rule 43: a raise is at least the largest bet or raise of the street; its example with two players.
def test_a_raise_is_at_least_the_last_raise() -> None:
    hand = bet_out(poker_hand(), "call, check, bet 600, raise 1600, raise 3600")
    assert Legal((FOLD, CALL, RAISE), 5_600, 9_900) == hand.legal()


@pytest.mark.parametrize(("raised_to", "minimum"), [(200, 300), (250, 400), (300, 500), (1_000, 1_900)])
def test_a_re_raise_before_the_flop_counts_from_the_big_blind(raised_to: int, minimum: int) -> None:
    assert minimum == bet_out(poker_hand(), f"raise {raised_to}").legal().min_to_chips


def test_the_smallest_raise_is_one_big_blind_again_on_the_next_street() -> None:
    hand = bet_out(poker_hand(), "raise 1000, call, bet 100")
    assert hand.legal().min_to_chips == 200


def test_a_smaller_raise_is_not_legal() -> None:
    hand = bet_out(poker_hand(), "raise 300")
    assert hand.fault(PokerAction(RAISE, 500)) is None
    assert hand.fault(PokerAction(RAISE, 499)) == "the amount must be from 5 to 100 BB"
    with pytest.raises(ValueError, match="the amount must be from 5 to 100 BB"):
        hand.act(PokerAction(RAISE, 499))


def test_a_short_all_in_does_not_reopen_the_betting() -> None:
    hand = bet_out(poker_hand(stacks=(10_000, 250)), "raise 200")
    assert Legal((FOLD, CALL, RAISE), 250, 250) == hand.legal()
    hand = bet_out(hand, "raise 250")
    assert Legal((FOLD, CALL), 0, 0) == hand.legal()


def test_a_full_all_in_raise_leaves_call_or_fold_as_well() -> None:
    hand = bet_out(poker_hand(), "raise 300, raise 10000")
    assert (Legal((FOLD, CALL), 0, 0), 9_700) == (hand.legal(), hand.to_call_chips)


def test_a_bet_below_one_big_blind_is_legal_only_all_in() -> None:
    hand = bet_out(poker_hand(stacks=(10_000, 130)), "call, check")
    assert Legal((CHECK, BET), 30, 30) == hand.legal()


def test_a_player_who_cannot_cover_the_bet_may_call_for_less() -> None:
    hand = bet_out(poker_hand(stacks=(10_000, 3_000)), "raise 5000")
    assert (Legal((FOLD, CALL), 0, 0), 2_900) == (hand.legal(), hand.to_call_chips)


def test_a_big_blind_that_is_all_in_leaves_the_button_call_or_fold() -> None:
    hand = poker_hand(stacks=(10_000, 100))
    assert Legal((FOLD, CALL), 0, 0) == hand.legal()
    hand = bet_out(hand, "call")
    assert (hand.to_act, hand.street, len(hand.board)) == (None, 3, 5)


def test_a_button_of_one_big_blind_may_only_call_or_fold() -> None:
    assert Legal((FOLD, CALL), 0, 0) == poker_hand(stacks=(100, 10_000)).legal()


def test_there_is_no_fold_where_a_check_is_free() -> None:
    hand = bet_out(poker_hand(), "call")
    assert hand.fault(PokerAction(FOLD)) == "fold is not legal here"


@pytest.mark.parametrize("kind", [CHECK, BET])
def test_facing_a_bet_there_is_no_check_and_no_bet(kind: ActionKind) -> None:
    hand = poker_hand()
    assert hand.fault(PokerAction(kind, 300 if kind is BET else 0)) == f"{kind.value} is not legal here"


@pytest.mark.parametrize("kind", [CALL, RAISE])
def test_with_nothing_bet_there_is_no_call_and_no_raise(kind: ActionKind) -> None:
    hand = bet_out(poker_hand(), "call, check")
    assert hand.fault(PokerAction(kind, 300 if kind is RAISE else 0)) == f"{kind.value} is not legal here"


def test_a_finished_hand_takes_no_action() -> None:
    hand = bet_out(poker_hand(), "fold")
    with pytest.raises(ValueError, match="a finished one"):
        hand.act(PokerAction(FOLD))
    with pytest.raises(ValueError, match="a finished one"):
        hand.legal()


# What a hand pays.


@pytest.mark.parametrize(
    ("text", "net"),
    [
        ("fold", -50),
        ("raise 300, fold", 100),
        ("raise 10000, fold", 100),
        ("raise 300, raise 900, fold", -300),
        ("raise 300, call, bet 500, fold", -300),
        ("raise 300, call, check, bet 500, raise 1500, fold", -800),
    ],
)
def test_a_fold_loses_what_was_put_in_and_the_uncalled_bet_goes_back(text: str, net: int) -> None:
    assert (net, -net) == bet_out(poker_hand(), text).net_chips()


CHECKED_DOWN = "call, check" + ", check" * 6


def test_the_better_hand_wins_at_showdown() -> None:
    # the big blind's nines beat ace high
    assert bet_out(poker_hand(), CHECKED_DOWN).net_chips() == (-100, 100)
    assert bet_out(poker_hand(board="Qs Ks 3c 7d 2h"), CHECKED_DOWN).net_chips() == (100, -100)


def test_the_board_splits_the_pot_evenly() -> None:
    hand = bet_out(poker_hand(board="As Ks Qs Js Ts"), "raise 350, call" + ", check" * 6)
    assert (hand.net_chips(), hand.pot_chips) == ((0, 0), 700)


def test_the_part_of_an_all_in_that_cannot_be_matched_goes_back() -> None:
    hand = bet_out(poker_hand(stacks=(10_000, 3_000)), "raise 10000, call")
    assert (hand.to_act, hand.net_chips()) == (None, (-3_000, 3_000))
    hand = bet_out(poker_hand(stacks=(3_000, 10_000)), "raise 3000, call")
    assert (hand.to_act, hand.net_chips()) == (None, (-3_000, 3_000))


def test_a_hand_that_is_given_up_pays_the_matched_pot() -> None:
    hand = bet_out(poker_hand(), "raise 300")
    assert (hand.lost_by(BUTTON), hand.lost_by(BIG_BLIND)) == ((-100, 100), (100, -100))


@pytest.mark.parametrize(
    ("button", "big_blind", "board", "result"),
    [
        ("5h 4h", "Kd Kc", "Ah 2h 3h Ks Kh", 1),  # a steel wheel beats four kings
        ("Ac 5d", "6c 5h", "2s 3s 4d Kh Kd", -1),  # the wheel is the lowest straight
        ("Ad Qc", "Ah Jc", "As 9d 8c 7h 2s", 1),  # the kicker plays
        ("Ad 3c", "Ah 2c", "As 9d 8c 7h Ks", 0),  # the kicker does not
    ],
)
def test_showdowns_of_the_rule_books(button: str, big_blind: str, board: str, result: int) -> None:
    assert result == compare(poker_hand(button, big_blind, board).deal)


@pytest.mark.parametrize(
    ("chips", "text"), [(0, "0"), (1, "0.01"), (50, "0.5"), (100, "1"), (250, "2.5"), (1_000, "10"), (10_005, "100.05")]
)
def test_chips_are_written_in_big_blinds(chips: int, text: str) -> None:
    assert text == in_bb(chips)


# The script of one hand.

NAME = GameName("p1-holdem-h00003", "holdem/h00003")
SEATS = Player("agent"), Player("opponent")
DEAL = poker_hand().deal
PLAIN = PokerRules()
RETRY = PokerRules(illegal=IllegalPolicy.RETRY_THEN_FORFEIT)


def one_hand(
    answers: list[Answer], rules: PokerRules = PLAIN, dice: Dice = DICE
) -> tuple[HandRecord, list[Question], tuple[Tally, Tally]]:
    tallies = Tally(), Tally()
    record, asked = told(play(NAME, DEAL, SEATS, rules, dice, tallies), answers)
    return record, asked, tallies


def result_of(record: HandRecord) -> HandRecord:
    """The record without its story."""
    return msgspec.structs.replace(record, story=None)


def test_a_hand_is_played_to_its_fold() -> None:
    record, asked, tallies = one_hand(actions("raise to 3, fold"))
    assert HandRecord(NAME.id, HandEnd.FOLD, 100, (0, 0)) == result_of(record)
    assert [(question.to, question.turn) for question in asked] == [("agent", 0), ("opponent", 1)]
    assert [Tally(decisions=1, calls=1, first_exact=1)] * 2 == [without_signals(tally) for tally in tallies]


def test_a_hand_is_played_to_its_showdown() -> None:
    record, asked, _ = one_hand(actions("call, check, check, check, bet 1, call, check, check"))
    assert HandRecord(NAME.id, HandEnd.SHOWDOWN, -200, (0, 0)) == result_of(record)
    assert [question.to for question in asked] == [
        "agent",
        "opponent",
        "opponent",
        "agent",
        "opponent",
        "agent",
        "opponent",
        "agent",
    ]


def test_an_all_in_and_a_call_end_the_asking() -> None:
    record, _, _ = one_hand(actions("all-in, call"))
    assert HandRecord(NAME.id, HandEnd.SHOWDOWN, -10_000, (0, 0)) == result_of(record)


def test_a_hands_story_is_its_cards_its_actions_and_what_was_matched_when_a_street_came() -> None:
    record, _, _ = one_hand(actions("call, check, check, check, bet 1, call, check, check"))
    assert record.story is not None
    assert (record.story.deal, record.story.matched_chips) == (DEAL, (100, 100, 200))
    assert [(one.street, one.player) for one in record.story.history][:3] == [(0, 0), (0, 1), (1, 1)]


def test_streets_that_are_run_out_match_what_both_had_put_in() -> None:
    record, _, _ = one_hand(actions("raise to 3, call, check, all-in, call"))
    assert record.story is not None
    assert record.story.matched_chips == (300, 10_000, 10_000)
    folded, _, _ = one_hand(actions("raise to 3, fold"))
    assert folded.story is not None
    assert folded.story.matched_chips == ()


def test_stacks_are_those_of_the_rules() -> None:
    record, _, _ = one_hand(actions("all-in, all-in"), PokerRules(stack_chips=2_000))
    assert record.net_chips == -2_000


FAULTS = {
    "no action": (Reply(text="I call."), "no_action"),
    "illegal": (Reply(text="ACTION: check"), "illegal"),
    "no reply": (NoReply(reason="refused"), "no_reply"),
}


@pytest.mark.parametrize(("fault", "kind"), FAULTS.values(), ids=FAULTS.keys())
@pytest.mark.parametrize("root", range(6))
def test_a_fault_is_substituted_by_a_legal_action_from_the_dice(fault: Answer, kind: str, root: int) -> None:
    dice = Dice(bytes([root]) * 32)
    drawn = random_action(poker_hand(), "substitute/holdem/h00003/0/0", dice)
    follow_up = {FOLD: "", CALL: "all-in, fold", RAISE: "fold"}[drawn.kind]
    record, asked, tallies = one_hand([fault, *(actions(follow_up) if follow_up else [])], dice=dice)
    assert (record.end, record.faults) == (HandEnd.FOLD, (1, 0))
    assert tuple(getattr(tallies[0], name) for name in ("substituted", f"first_{kind}", f"final_{kind}")) == (1, 1, 1)
    if drawn.kind is RAISE:
        assert f"Action: preflop: opponent raise to {in_bb(drawn.to_chips)} BB" in asked[1].messages[-1].content


@pytest.mark.parametrize(("fault", "kind"), FAULTS.values(), ids=FAULTS.keys())
def test_four_faults_forfeit_the_hand_and_its_matched_pot(fault: Answer, kind: str) -> None:
    if kind == "illegal":
        fault = Reply(text="ACTION: bet 1")
    record, asked, tallies = one_hand([*actions("raise to 3"), *[fault] * 4], RETRY)
    assert HandRecord(NAME.id, HandEnd.FORFEIT, 100, (0, 1)) == result_of(record)
    assert ([question.attempt for question in asked[1:]], tallies[1].forfeited) == ([0, 1, 2, 3], 1)


def test_a_forfeit_by_the_button_costs_its_blind() -> None:
    record, _, _ = one_hand([NoReply(reason="refused")] * 4, RETRY)
    assert (record.end, record.net_chips) == (HandEnd.FORFEIT, -50)


def test_faults_of_earlier_hands_are_not_counted_again() -> None:
    tallies = Tally(first_illegal=7), Tally()
    record, _ = told(play(NAME, DEAL, SEATS, PLAIN, DICE, tallies), actions("fold"))
    assert (record.faults, tallies[0].faults) == ((0, 0), 7)


def test_each_place_is_sent_one_sampling_seed_of_its_own_in_the_whole_hand() -> None:
    _, asked, _ = one_hand(actions("call, check, check, check, bet 1, fold"))
    chats = [question for question in asked if isinstance(question, Chat)]
    seeds = {"agent": f"sampling/{NAME.id}/0", "opponent": f"sampling/{NAME.id}/1"}
    assert [one.seed for one in chats] == [DICE.stream(seeds[one.to]).below(2**31) for one in chats]


# Cards and substitutes come from the dice.


def test_a_deal_is_nine_different_cards_of_the_deck() -> None:
    for number in range(200):
        deal = deal_cards(DICE, number, (0, 1))
        cards = {*deal.button, *deal.big_blind, *deal.board}
        assert (len(cards), cards <= set(DECK)) == (9, True)


def test_the_cards_of_a_hand_are_those_of_its_stream() -> None:
    nine = DICE.stream("cards/17").deal(DECK, 9)
    assert Deal(tuple(nine[:2]), tuple(nine[2:4]), tuple(nine[4:])) == deal_cards(DICE, 17, (0, 1))


def test_a_mirrored_deal_gives_each_seat_the_others_cards() -> None:
    for number in range(50):
        one, other = deal_cards(DICE, number, (0, 1)), deal_cards(DICE, number, (1, 0))
        assert (one.button, one.big_blind, one.board) == (other.big_blind, other.button, other.board)


def test_every_card_is_dealt_about_as_often() -> None:
    seen = Counter(card for number in range(5_200) for card in deal_cards(DICE, number, (0, 1)).board)
    assert set(seen) == set(DECK)
    assert 400 < min(seen.values()) <= max(seen.values()) < 600


def test_a_random_action_is_legal_and_any_kind_comes_up() -> None:
    for text in ("", "call", "call, check", "raise 300", "raise 10000", "call, check, bet 9900"):
        hand = bet_out(poker_hand(), text)
        drawn = [random_action(hand, f"substitute/{number}", DICE) for number in range(300)]
        assert {None} == {hand.fault(action) for action in drawn}
        counts = Counter(action.kind for action in drawn)
        assert set(counts) == set(hand.legal().kinds)
        assert min(counts.values()) > 60


def test_a_random_raise_reaches_both_ends_of_its_range() -> None:
    hand = poker_hand(stacks=(203, 10_000))
    drawn = {random_action(hand, f"substitute/{number}", DICE).to_chips for number in range(200)}
    assert drawn == {0, 200, 201, 202, 203}
