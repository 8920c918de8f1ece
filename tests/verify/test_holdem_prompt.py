"""What a seat reads in hold'em, what it must never read, and how its declared action is read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.dice import Dice, Stream
from agzamov_verify.games.decision import Tally
from agzamov_verify.games.declared import Fault, FaultKind
from agzamov_verify.games.holdem.prompt import read_action, system_message, turn_message
from agzamov_verify.games.holdem.rules import DECK, STREETS, ActionKind, Deal, Hand, PokerAction
from agzamov_verify.games.holdem.script import PokerRules, deal_cards, play, random_action
from agzamov_verify.games.players import GameName, Player
from verify.scripted import actions, bet_out, poker_hand, told

CALL, BET, RAISE = ActionKind.CALL, ActionKind.BET, ActionKind.RAISE
CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")
DICE = Dice(bytes(32))


def shown(hand: Hand, briefing: str = "") -> str:
    assert hand.to_act is not None
    return turn_message(hand, hand.to_act, briefing).content


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
    system = system_message(("raise small pairs.",), 2_500)
    assert "both players start every hand with 25 BB." in system.content
    assert system.content.endswith("\n\nYou must keep this rule in every hand: raise small pairs.")
    assert "You must keep" not in system_message((), 10_000).content


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
    deal = deal_cards(DICE, number, button_is_a=True)
    for hand in random_line(stream, deal):
        board = deal.board[: (0, 3, 4, 5)[hand.street]]
        assert [*hand.hole(hand.to_act or 0), *board] == CARD.findall(shown(hand))


@given(st.integers(0, 10**6))
def test_a_prompt_does_not_change_with_cards_that_the_seat_cannot_see(number: int) -> None:
    stream = DICE.stream(f"unseen/{number}")
    deal = deal_cards(DICE, number, button_is_a=True)
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
        theirs = deal.big_blind if question.seat == "agent" else deal.button
        assert not set(theirs) & set(CARD.findall(" ".join(message.content for message in question.messages)))


# Reading an action. Each text is declared by the button, who faces the big blind with 100 big blinds.

READ = {
    "fold": PokerAction(ActionKind.FOLD),
    "call": PokerAction(CALL),
    "Call": PokerAction(CALL),
    "FOLD": PokerAction(ActionKind.FOLD),
    "raise to 2": PokerAction(RAISE, 200),
    "raise to 2.5": PokerAction(RAISE, 250),
    "raise to 2.50": PokerAction(RAISE, 250),
    "raise to 2.05": PokerAction(RAISE, 205),
    "raise to 2.5 BB": PokerAction(RAISE, 250),
    "raise to 2.5 bb": PokerAction(RAISE, 250),
    "Raise to 7.5 Bb": PokerAction(RAISE, 750),
    "raise to 100": PokerAction(RAISE, 10_000),
    "raise to 100.00": PokerAction(RAISE, 10_000),
    "all-in": PokerAction(RAISE, 10_000),
    "ALL-IN": PokerAction(RAISE, 10_000),
}


@pytest.mark.parametrize(("text", "action"), READ.items())
def test_an_action_is_read_in_each_of_its_forms(text: str, action: PokerAction) -> None:
    assert action == read_action(text, poker_hand())


ILLEGAL = {
    "check": "check is not legal here",
    "bet 3": "bet is not legal here",
    "bet 3 BB": "bet is not legal here",
    "raise to 1.99": "the amount must be from 2 to 100 BB",
    "raise to 0": "the amount must be from 2 to 100 BB",
    "raise to 100.01": "the amount must be from 2 to 100 BB",
    "raise to 9999999": "the amount must be from 2 to 100 BB",
}


@pytest.mark.parametrize(("text", "why"), ILLEGAL.items())
def test_an_action_that_is_not_legal_here_is_illegal(text: str, why: str) -> None:
    assert Fault(FaultKind.ILLEGAL, why) == read_action(text, poker_hand())


NONSENSE = [
    "",
    "raise",
    "raise 3",
    "raise to",
    "raise to 2.555",
    "raise to 2.",
    "raise to .5",
    "raise to 2,5",
    "raise to -3",
    "raise to +3",
    "raise to 3e2",
    "raise to 0x3",
    "raise to 3 chips",
    "raise to 3BBB",
    "raise to  3",
    "raise to 3 BB BB",
    "raise to 12345678",
    "raise to 3 and fold",
    "re-raise to 3",
    "bet",
    "bet three",
    "call 1",
    "fold.",
    "I fold",
    "fold fold",
    "all in",
    "allin",
    "all-in 100",
    "check/call",
    "pass",
    "raise to \u0663",  # an Arabic three
    "raise to \uff13",  # a full-width three
    "raise to 2.\uff15",
    "raise to 3\u00a0BB",
]


@pytest.mark.parametrize("text", NONSENSE)
def test_text_in_no_form_of_an_action_declares_none(text: str) -> None:
    fault = read_action(text, poker_hand())
    assert fault == Fault(FaultKind.NO_ACTION, f"{text[:40]!r} is not one of the forms of an action")


def test_a_megabyte_of_nonsense_gets_a_short_answer() -> None:
    fault = read_action("raise to " + "9" * 10**6, poker_hand())
    assert isinstance(fault, Fault)
    assert (fault.kind, len(fault.why) < 100) == (FaultKind.NO_ACTION, True)


@pytest.mark.parametrize(
    ("line", "stacks", "action"),
    [
        ("", (10_000, 10_000), PokerAction(RAISE, 10_000)),
        ("call, check", (10_000, 10_000), PokerAction(BET, 9_900)),
        ("call, check", (10_000, 130), PokerAction(BET, 30)),
        ("raise 10000", (10_000, 10_000), PokerAction(CALL)),
        ("raise 5000", (10_000, 3_000), PokerAction(CALL)),
        ("raise 200", (10_000, 250), PokerAction(RAISE, 250)),
        ("", (10_000, 100), PokerAction(CALL)),
        ("", (100, 10_000), PokerAction(CALL)),
    ],
)
def test_all_in_bets_or_raises_everything_or_calls_where_that_is_all_one_can(
    line: str, stacks: tuple[int, int], action: PokerAction
) -> None:
    hand = bet_out(poker_hand(stacks=stacks), line)
    assert action == read_action("all-in", hand)
    assert hand.fault(action) is None


def test_a_bet_is_a_bet_and_a_raise_a_raise() -> None:
    hand = bet_out(poker_hand(), "call, check")
    assert read_action("bet 2.5", hand) == PokerAction(BET, 250)
    assert read_action("raise to 2.5", hand) == Fault(FaultKind.ILLEGAL, "raise is not legal here")


@given(st.integers(0, 10**6))
def test_every_legal_action_that_a_prompt_names_is_read_and_none_beyond_it(number: int) -> None:
    stream = DICE.stream(f"named/{number}")
    for hand in random_line(stream, deal_cards(DICE, number, button_is_a=False)):
        legal = shown(hand).partition("Legal actions: ")[2].split(", ")
        words = [word for word in legal if " from " not in word]
        assert all(isinstance(read_action(word, hand), PokerAction) for word in words)
        for verb, low, high in re.findall(r"(bet|raise to) (?:a total )?from (\S+) to (\S+) BB", ", ".join(legal)):
            assert isinstance(read_action(f"{verb} {low}", hand), PokerAction)
            assert isinstance(read_action(f"{verb} {high}", hand), PokerAction)
            assert isinstance(read_action(f"{verb} {float(low) - 0.01:.2f}", hand), Fault)
            assert isinstance(read_action(f"{verb} {float(high) + 0.01:.2f}", hand), Fault)
        refused = {"fold", "check", "call"} - set(words)
        assert all(isinstance(read_action(word, hand), Fault) for word in refused)


def test_the_history_names_streets_in_order_and_seats_by_view() -> None:
    hand = bet_out(poker_hand(), "call, raise 300, call, check, bet 400, raise 1200, call, check")
    history = next(line for line in shown(hand).split("\n") if line.startswith("Action: "))
    assert history == (
        "Action: preflop: you call, opponent raise to 3 BB, you call; "
        "flop: opponent check, you bet 4 BB, opponent raise to 12 BB, you call; turn: opponent check"
    )
    assert [street for street in STREETS if street in history] == ["preflop", "flop", "turn"]
