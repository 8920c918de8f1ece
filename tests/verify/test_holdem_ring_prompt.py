"""The prompt of a table of hold'em: its rules text against the engine, and its scripted readers."""

import re
from collections.abc import Iterator

import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.matches import Phase, SeatAt
from agzamov_verify.games.holdem_ring.game import GAME
from agzamov_verify.games.holdem_ring.hand_script import RingRules
from agzamov_verify.games.holdem_ring.positions import position_names
from agzamov_verify.games.holdem_ring.prompt import system_message, turn_message
from agzamov_verify.games.holdem_ring.rules import RingHand, deal_cards
from agzamov_verify.games.holdem_ring.scripted import chen_points, random_reply, reference_reply
from agzamov_verify.games.holdem_ring.spot import read_spot
from agzamov_verify.poker.actions import ActionKind, PokerAction, in_bb
from agzamov_verify.poker.spelling import read_action
from agzamov_verify.table.decision import IllegalPolicy
from agzamov_verify.table.declared import Accepted
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.players import Player
from agzamov_verify.table.prompt_lines import Page, read_page
from agzamov_verify.table.scripted_players import scripted_reply

DICE = Dice(bytes(32))
SEATS = range(3, 10)
HANDS = 12
RULES = (RingRules(), RingRules(stack_chips=500, small_blind_chips=33))


def spots(rules: RingRules, seats: int) -> Iterator[tuple[RingHand, Page]]:
    """Decisions of hands that random players play, with their prompts."""
    for number in range(HANDS):
        hand = rules.new_hand(deal_cards(DICE, f"{seats}/{number}", seats))
        stream = DICE.stream(f"spots/{seats}/{number}")
        while (place := hand.to_act) is not None:
            messages = system_message((), rules.terms(seats, 0)), turn_message(hand, place, "")
            page = read_page(messages)
            yield hand, page
            text = random_reply(page, stream).rpartition("ACTION: ")[2]
            action = read_action(text, hand)
            assert isinstance(action, Accepted)
            hand.act(action.action)


@pytest.mark.parametrize("rules", RULES, ids=("usual", "short"))
@pytest.mark.parametrize("seats", SEATS)
def test_what_a_player_may_do_follows_from_the_prompt(rules: RingRules, seats: int) -> None:
    for hand, page in spots(rules, seats):
        spot = read_spot(page)
        assert spot.legal == hand.legal()
        assert (spot.pot_chips, spot.to_call_chips) == (hand.pot_chips, hand.to_call_chips)
        assert (spot.hole, spot.board) == (hand.hole(hand.to_act or 0), hand.board)


@pytest.mark.parametrize("seats", [3, 6, 9])
def test_the_reference_player_spells_legal_actions_exactly(seats: int) -> None:
    for hand, page in spots(RULES[0], seats):
        text = reference_reply(page, DICE.stream("unused")).rpartition("ACTION: ")[2]
        action = read_action(text, hand)
        assert isinstance(action, Accepted)
        assert action.exact


@pytest.mark.parametrize("seats", SEATS)
def test_the_prompt_lists_no_legal_action_and_no_card_of_others(seats: int) -> None:
    for hand, page in spots(RULES[0], seats):
        assert "egal actions" not in page.situation
        shown = set(re.findall(r"\b[2-9TJQKA][cdhs]\b", page.situation))
        assert shown == {*hand.hole(hand.to_act or 0), *hand.board}


@pytest.mark.parametrize("rules", RULES, ids=("usual", "short"))
@pytest.mark.parametrize("seats", SEATS)
def test_the_rules_text_says_what_the_engine_does_before_the_first_action(rules: RingRules, seats: int) -> None:
    text = system_message((), rules.terms(seats, 0)).content
    hand = rules.new_hand(deal_cards(DICE, "rules", seats))
    names = position_names(seats)
    assert f"at a table of {seats}." in text
    assert f"The small blind is {in_bb(hand.bets[names.index('SB')])} BB, the big blind 1 BB" in text
    assert {bet + stack for bet, stack in zip(hand.bets, hand.stacks, strict=True)} == {rules.stack_chips}
    assert f"starts every hand with {in_bb(rules.stack_chips)} BB" in text
    assert f"Before the flop {names[hand.to_act or 0]} acts first" in text
    assert hand.legal().min_to_chips == 200


def test_the_rules_text_tells_the_price_of_a_forfeit_where_there_is_one() -> None:
    told = system_message((), RingRules().terms(4, 0)).content
    substituted = system_message((), RingRules(illegal=IllegalPolicy.SUBSTITUTE).terms(4, 0)).content
    assert "To lose the hand is to fold" in told
    assert "To lose the hand is to fold" not in substituted


def test_side_pots_are_told_with_who_can_win_them() -> None:
    hand = RingHand(deal_cards(DICE, "pots", 4), [10_000, 300, 10_000, 10_000], 50)
    for kind, to_chips in ((ActionKind.RAISE, 600), (ActionKind.CALL, 0), (ActionKind.CALL, 0), (ActionKind.CALL, 0)):
        hand.act(PokerAction(kind, to_chips))
    text = turn_message(hand, 2, "").content
    assert "Pots of earlier rounds: main 12 BB (BTN, SB, you, CO); side 9 BB (BTN, you, CO)" in text


@pytest.mark.parametrize(
    "situation", ["", "Your hand: [Ah, Kh]", "Pot: 1 BB | To call: x\nPlayers: BTN 1 BB\nBoard: []\nAction: none"]
)
def test_a_prompt_that_is_none_of_this_game_is_refused(situation: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        read_spot(Page("", situation, ""))


@pytest.mark.parametrize(
    ("first", "second", "points"),
    [("As", "Ah", 20), ("As", "Ks", 12), ("Ts", "Th", 10), ("5s", "7s", 6), ("2h", "7d", -1), ("2s", "2h", 5)],
)
def test_hands_have_the_points_of_chens_examples(first: str, second: str, points: int) -> None:
    assert chen_points(first, second) == points


@pytest.mark.parametrize("seats", SEATS)
def test_every_place_has_a_name_of_its_own(seats: int) -> None:
    names = position_names(seats)
    assert len(set(names)) == len(names) == seats
    assert names[:3] == ("BTN", "SB", "BB")
    assert names[-1] == ("CO" if seats > 3 else "BB")


def test_the_reference_player_wins_from_random_ones() -> None:
    """Forty hands with dice of the test's own: with a secret drawn for each run it would be luck."""
    match = GAME.match(a="agent", b="one", others=(SeatAt("two"), SeatAt("three")), phase=Phase.ARENA, hands=40)
    players = tuple(Player(name, scripted=True) for name in match.seats)
    rules = RingRules(unit_decks=5)

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        kind = "reference" if question.to == "agent" else "random"
        return Reply(text=scripted_reply(kind, question.messages, question.seed))

    stream = StreamPlan("ring", match, 0, match.planned)
    block = drive(GAME.script(stream, lambda _: players, rules, DICE), answer)
    records = enumerate(block.records)  # type: ignore[attr-defined] # of this game
    assert sum(record.outcomes[GAME.order(record, number).index(0)] for number, record in records) > 0
