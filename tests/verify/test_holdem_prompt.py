"""What a seat reads in hold'em, what it must never read, and how its declared action is read."""

import re

from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.core.dice import Dice, Stream
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import PokerRules, play, random_action
from agzamov_verify.games.holdem.prompt import PokerTerms, system_message, turn_message
from agzamov_verify.games.holdem.rules import STREETS, ActionKind, Deal, Hand, PokerAction
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.players import GameName, Player
from verify.scripted import actions, bet_out, poker_hand, told

CALL = ActionKind.CALL
CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")
DICE = Dice(bytes(32))


def shown(hand: Hand, briefing: str = "") -> str:
    assert hand.to_act is not None
    told, heading, form = turn_message(hand, hand.to_act, briefing).content.rpartition("\nHow to answer:\n")
    assert (bool(heading), form) == (True, "Declare one legal action on the last line, in the form ACTION: <action>.")
    return told


def test_the_prompt_has_the_fields_of_the_papers_example() -> None:
    """Section 5.2.1: four big blinds to call into twelve, on the turn, with the button."""
    hand = bet_out(poker_hand(), "raise 200, call, bet 200, call, bet 400")
    assert shown(hand) == (
        "Hole cards: [Ah, Kd]\n"
        "Board: [Qs, Jh, 3c, 7d]\n"
        "Pot: 12 BB | To call: 4 BB\n"
        "Stacks: you 96 BB | opponent 92 BB\n"
        "Action: preflop: you raise to 2 BB, opponent call; "
        "flop: opponent bet 2 BB, you call; turn: opponent bet 4 BB\n"
        "Position: Button\n"
        "Legal actions: fold, call, raise to a total from 8 to 96 BB"
    )


def test_the_first_prompt_of_a_hand_has_no_board_and_no_history() -> None:
    assert shown(poker_hand()) == (
        "Hole cards: [Ah, Kd]\n"
        "Board: []\n"
        "Pot: 1.5 BB | To call: 0.5 BB\n"
        "Stacks: you 99.5 BB | opponent 99 BB\n"
        "Action: none\n"
        "Position: Button\n"
        "Legal actions: fold, call, raise to a total from 2 to 100 BB"
    )


def test_the_big_blind_reads_its_own_cards_and_position() -> None:
    text = shown(bet_out(poker_hand(), "call, check"))
    assert text.startswith("Hole cards: [9s, 9c]\nBoard: [Qs, Jh, 3c]\nPot: 2 BB | To call: 0 BB\n")
    assert text.endswith("\nPosition: Big blind\nLegal actions: check, bet from 1 to 99 BB")


def test_an_all_in_is_told_as_one() -> None:
    text = shown(bet_out(poker_hand(), "raise 10000"))
    assert "\nAction: preflop: opponent raise to 100 BB all-in\n" in text
    assert text.endswith("\nLegal actions: fold, call")


def test_a_briefing_stands_at_the_end_as_the_papers_profile() -> None:
    assert shown(poker_hand(), "- VPIP: 68%") == shown(poker_hand()) + "\nOpponent profile:\n- VPIP: 68%"


def test_the_system_prompt_names_the_stack_and_the_rules_to_keep() -> None:
    system = system_message(("raise small pairs.",), PokerTerms(2_500))
    assert "both players start every hand with 25 BB." in system.content
    assert system.content.endswith("\n\nYou must keep this rule in every hand: raise small pairs.")
    assert "You must keep" not in system_message((), PokerTerms(10_000)).content


# Nothing but one's own cards and the board so far.


def random_line(stream: Stream, deal: Deal) -> list[Hand]:
    """The same random hand at each of its decisions."""
    played: list[PokerAction] = []
    hands: list[Hand] = []
    while True:
        hand = Hand(deal, (10_000, 10_000))
        for action in played:
            hand.act(action)
        if hand.to_act is None or len(played) > 12:
            return hands
        hands.append(hand)
        action = random_action(hand, f"line/{stream.word()}", DICE)
        if action.kind is ActionKind.FOLD:
            action = PokerAction(CALL)
        small = min(action.to_chips, hand.legal().min_to_chips)
        played.append(PokerAction(action.kind, small))


@given(st.integers(0, 10**6))
def test_a_prompt_shows_only_its_own_cards_and_the_board_so_far(number: int) -> None:
    stream = DICE.stream(f"prompt/{number}")
    deal = deal_cards(DICE, number, (0, 1))
    for hand in random_line(stream, deal):
        board = deal.board[: (0, 3, 4, 5)[hand.street]]
        assert [*hand.hole(hand.to_act or 0), *board] == CARD.findall(shown(hand))


@given(st.integers(0, 10**6))
def test_a_prompt_does_not_change_with_cards_that_the_seat_cannot_see(number: int) -> None:
    stream = DICE.stream(f"unseen/{number}")
    deal = deal_cards(DICE, number, (0, 1))
    for hand in random_line(stream, deal):
        me = hand.to_act or 0
        seen = [*hand.hole(me), *hand.board]
        others = stream.deal([card for card in DECK if card not in seen], 9)
        mine, theirs = hand.hole(me), (others[0], others[1])
        board = (*hand.board, *others[2:])[:5]
        twin = Hand(Deal(theirs, mine, board) if me else Deal(mine, theirs, board), (10_000, 10_000))
        for played in hand.history:
            twin.act(played.action)
        assert shown(hand) == shown(twin)


def test_a_whole_hand_never_shows_a_seat_the_others_cards() -> None:
    name, seats = GameName("h00000", "h00000"), (Player("agent"), Player("opponent"))
    deal = poker_hand().deal
    script = play(name, deal, seats, PokerRules(), DICE, (Tally(), Tally()))
    _, asked = told(script, actions("call, check" + ", check" * 6))
    for question in asked:
        theirs = deal.big_blind if question.to == "agent" else deal.button
        assert not set(theirs) & set(CARD.findall(" ".join(message.content for message in question.messages)))


def test_the_history_names_streets_in_order_and_seats_by_view() -> None:
    hand = bet_out(poker_hand(), "call, raise 300, call, check, bet 400, raise 1200, call, check")
    history = next(line for line in shown(hand).split("\n") if line.startswith("Action: "))
    assert history == (
        "Action: preflop: you call, opponent raise to 3 BB, you call; "
        "flop: opponent check, you bet 4 BB, opponent raise to 12 BB, you call; turn: opponent check"
    )
    assert [street for street in STREETS if street in history] == ["preflop", "flop", "turn"]
