"""A sit-and-go of hold'em: every hand against the second referee, the order of finish, prompts and a golden record."""

import hashlib
import re
from collections.abc import Sequence
from fractions import Fraction

import msgspec
import pokerkit
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.matches import Phase, SeatAt
from agzamov_verify.games.holdem_ring.game import SIT_AND_GO
from agzamov_verify.games.holdem_ring.hand_script import RingStory
from agzamov_verify.games.holdem_ring.rules import RingDeal
from agzamov_verify.games.holdem_ring.scripted import random_reply
from agzamov_verify.games.holdem_ring.sit_and_go import (
    SitAndGoEnd,
    SitAndGoRecord,
    SitAndGoRules,
    TournamentHand,
    finishing_ranks,
    new_hand,
    points_of,
    still_in,
)
from agzamov_verify.games.holdem_ring.sit_and_go_prompt import Level, sit_and_go_system, sit_and_go_turn
from agzamov_verify.games.holdem_ring.sit_and_go_view import result_words, sit_and_go_frames
from agzamov_verify.games.holdem_ring.spot import read_spot
from agzamov_verify.poker.actions import ActionKind, in_bb
from agzamov_verify.poker.spelling import read_action
from agzamov_verify.table.declared import Accepted
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.players import Player
from agzamov_verify.table.prompt_lines import read_page
from agzamov_verify.table.scripted_players import scripted_reply
from verify.second_referee import Referee

DICE = Dice(bytes(32))
GOLDEN = {
    "records": "74342d46e6b6419b",
    "questions": "5a85cb6cee15d419",
}


def played(
    kinds: Sequence[str], rules: SitAndGoRules, sit_and_gos: int, asked: list[Chat] | None = None
) -> tuple[SitAndGoRecord, ...]:
    """Sit-and-gos of scripted players."""
    names = [f"seat{number}" for number in range(len(kinds))]
    others = tuple(map(SeatAt, names[2:]))
    sizes = {"sit_and_gos": sit_and_gos, "block_sit_and_gos": sit_and_gos}
    match = SIT_AND_GO.match(a=names[0], b=names[1], others=others, phase=Phase.ARENA, **sizes)
    players = tuple(Player(name, scripted=True) for name in names)

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        if asked is not None:
            asked.append(question)
        return Reply(text=scripted_reply(kinds[names.index(question.to)], question.messages, question.seed))

    stream = StreamPlan("sit-and-gos", match, 0, sit_and_gos)
    block = drive(SIT_AND_GO.script(stream, lambda _: players, rules, DICE), answer)
    return block.records  # type: ignore[return-value] # of this game


def refereed(record: SitAndGoRecord, rules: SitAndGoRules) -> list[int]:
    """Play every hand again at the second referee's table; the final stacks by place, and who was dealt in."""
    stacks, button = [rules.stack_chips] * len(record.order), 0
    for number, hand in enumerate(record.hands):
        while not stacks[button]:
            button = (button + 1) % len(stacks)
        turns = [(button + step) % len(stacks) for step in range(len(stacks))]
        assert hand.places == tuple(place for place in turns if stacks[place])
        assert (
            hand.big_blind_chips
            == rules.big_blinds_chips[min(number // rules.level_hands, len(rules.big_blinds_chips) - 1)]
        )
        referee = Referee([stacks[place] for place in hand.places], hand.big_blind_chips // 2, hand.big_blind_chips)
        for acted in hand.story.history:
            assert acted.player == referee.to_act
            referee.act(acted.action.kind.value, acted.action.to_chips)
        assert referee.is_over
        net = referee.net(hand.story.deal.holes, hand.story.deal.board)
        assert list(hand.net) == net
        for place, chips in zip(hand.places, net, strict=True):
            stacks[place] += chips
        button = (button + 1) % len(stacks)
    return stacks


@pytest.mark.parametrize("seats", [3, 6, 9])
def test_every_hand_is_the_same_at_the_second_referees_table(seats: int) -> None:
    rules = SitAndGoRules(stack_chips=1_500, level_hands=4)
    for record in played(["random"] * seats, rules, seats):
        stacks = refereed(record, rules)
        assert sum(stacks) == seats * rules.stack_chips
        assert record.end is SitAndGoEnd.WINNER
        assert stacks[record.ranks.index(1)] == sum(stacks)
        out = {place: number for number, hand in enumerate(record.hands) for place in hand.places}
        for place, other in ((a, b) for a in range(seats) for b in range(seats)):
            if out[place] < out[other]:
                assert record.ranks[place] > record.ranks[other]
        assert sum(record.outcomes) == seats * (seats - 1)


def ended(*stacks_and_nets: tuple[Sequence[int], Sequence[int]]) -> list[TournamentHand]:
    """Hands of three with these stacks and chips won, cards and actions aside."""
    story = RingStory(RingDeal((("As", "Ah"),) * 3, ("2c",) * 5), ())
    return [
        TournamentHand(still_in(stacks, 0), tuple(filter(None, stacks)), 100, story, tuple(net))
        for stacks, net in stacks_and_nets
    ]


def test_of_two_who_go_out_in_one_hand_the_larger_stack_at_its_beginning_is_higher() -> None:
    assert finishing_ranks(ended(((100, 300, 500), (-100, -300, 400))), 3) == (3, 2, 1)
    assert finishing_ranks(ended(((300, 100, 500), (-300, -100, 400))), 3) == (2, 3, 1)


def test_with_equal_stacks_they_tie_and_share_the_points() -> None:
    ranks = finishing_ranks(ended(((200, 200, 500), (-200, -200, 400))), 3)
    assert ranks == (2, 2, 1)
    assert points_of(ranks) == (1, 1, 4)


def test_who_goes_out_in_a_later_hand_is_higher_whatever_the_stacks() -> None:
    hands = ended(((800, 50, 50), (-800, 800, 0)), ((0, 850, 50), (50, -50)))
    assert finishing_ranks(hands, 3) == (3, 1, 2)


def test_after_the_last_hand_larger_stacks_are_higher_and_equal_ones_tie() -> None:
    assert finishing_ranks(ended(((300, 300, 300), (-100, 200, -100))), 3) == (2, 1, 2)
    records = played(["random"] * 3, SitAndGoRules(hands_max=1, big_blinds_chips=(100,)), 3)
    assert any(record.end is SitAndGoEnd.LAST_HAND for record in records)
    assert all(len(record.hands) == 1 for record in records)


def test_fixed_blinds_never_rise() -> None:
    rules = SitAndGoRules(big_blinds_chips=(100,), level_hands=1, hands_max=12)
    assert {hand.big_blind_chips for one in played(["reference"] * 3, rules, 3) for hand in one.hands} == {100}


def test_what_a_player_may_do_follows_from_the_prompt_with_unequal_stacks_too() -> None:
    """Including short blinds, all-ins that reopen nothing, and two players who are left."""
    checked = 0
    for number in range(150):
        stream = DICE.stream(f"spots/{number}")
        seats = 2 + stream.below(5)
        blind = stream.choice((100, 200, 2_400))
        stacks = [1 + stream.below(stream.choice((150, 1_000, 9_000))) for _ in range(seats)]
        cards = stream.deal([rank + suit for rank in "23456789TJQKA" for suit in "cdhs"], 2 * seats + 5)
        deal = RingDeal(tuple((cards[2 * at], cards[2 * at + 1]) for at in range(seats)), tuple(cards[2 * seats :]))
        hand = new_hand(deal, stacks, blind)
        while (place := hand.to_act) is not None:
            page = read_page((sit_and_go_turn(hand, place, Level(blind, 7, 9), ""),))
            spot = read_spot(page)
            assert spot.legal == hand.legal()
            assert (spot.pot_chips, spot.to_call_chips) == (hand.pot_chips, hand.to_call_chips)
            action = read_action(random_reply(page, stream).rpartition("ACTION: ")[2], hand)
            assert isinstance(action, Accepted)
            hand.act(action.action)
            checked += 1
    assert checked > 500


def test_the_rules_text_says_what_the_settings_do() -> None:
    rules = SitAndGoRules(stack_chips=2_000, big_blinds_chips=(100, 150, 400), level_hands=5, hands_max=40)
    text = sit_and_go_system((), rules.terms(6, 0)).content
    assert "at one table of 6. Every player starts with 20 BB" in text
    assert "after hand 40 at the latest" in text
    levels = [in_bb(rules.big_blind(number)) for number in (0, 5, 10, 39)]
    assert levels == ["1", "1.5", "4", "4"]
    assert "The big blind is 1 BB in the first 5 hands, then 1.5, 4 BB for 5 hands each" in text
    fixed = sit_and_go_system((), SitAndGoRules(big_blinds_chips=(100,)).terms(3, 0)).content
    assert "The small blind is 0.5 BB, the big blind 1 BB, and they never rise." in fixed
    hand = new_hand(RingDeal((("As", "Ah"), ("Kc", "Kd")), ("2c", "3d", "4h", "5s", "7c")), (900, 600), 200)
    assert "With two players left the button has the small blind and acts first before the flop" in text
    assert (hand.to_act, hand.bets) == (0, (100, 200))
    assert sit_and_go_turn(hand, 0, Level(200, 9, 6), "").content.splitlines()[0] == (
        "Sit-and-go, hand 9: 2 of 6 players left, blinds 1 BB and 2 BB"
    )


def test_a_prompt_shows_no_card_of_others() -> None:
    asked: list[Chat] = []
    (record, *_) = played(["random", "reference", "random"], SitAndGoRules(), 3, asked)
    turns = [(hand, acted) for hand in record.hands for acted in hand.story.history]
    for question, (hand, acted) in zip(asked, turns, strict=False):
        shown = set(re.findall(r"\b[2-9TJQKA][cdhs]\b", question.messages[1].content))
        assert shown <= {*hand.story.deal.holes[acted.player], *hand.story.deal.board}
        assert set(hand.story.deal.holes[acted.player]) <= shown


@pytest.mark.parametrize(
    ("rules", "key"),
    [
        (SitAndGoRules(), None),
        (SitAndGoRules(big_blinds_chips=(100, 300, 200)), "big_blinds_chips"),
        (SitAndGoRules(big_blinds_chips=(200, 400)), "big_blinds_chips"),
        (SitAndGoRules(big_blinds_chips=(100, 151)), "big_blinds_chips"),
        (SitAndGoRules(stack_chips=100), "stack_chips"),
        (SitAndGoRules(level_hands=0), "level_hands"),
        (SitAndGoRules(hands_max=0), "hands_max"),
    ],
)
def test_impossible_rules_are_named(rules: SitAndGoRules, key: str | None) -> None:
    assert [problem.path for problem in SIT_AND_GO.problems(rules)] == ([key] if key else [])


def test_a_frame_is_what_the_seat_saw_at_its_turn() -> None:
    asked: list[Chat] = []
    (record, *_) = played(["reference", "random", "random", "reference"], SitAndGoRules(stack_chips=1_000), 4, asked)
    frames = list(sit_and_go_frames(record, ["a", "b", "c", "d"]))
    turns = sum(len(hand.story.history) for hand in record.hands)
    assert len(frames) == turns + 2
    names: list[str] = []
    for question, frame in zip(asked, frames[:turns], strict=False):
        names = frame.get("names", names)
        spot = read_spot(read_page(question.messages))
        place = names.index(next(one.name for one in spot.players if one.is_me))
        assert record.order[place] == int(question.to.removeprefix("seat"))
        assert (frame["stacks"][place], frame["bets"][place]) == (spot.me.stack_chips, spot.me.bet_chips)
        assert frame["board"] == list(spot.board)
    assert sum("hand" in frame for frame in frames) == sum(bool(hand.story.history) for hand in record.hands)
    assert frames[-1]["finish"] == [("1st", "2nd", "3rd", "4th")[rank - 1] for rank in record.ranks]
    assert result_words(record, ["a", "b", "c", "d"]).startswith(f"1st {'abcd'[record.ranks.index(1)]}")


def test_the_golden_sit_and_gos_are_played_to_the_byte() -> None:
    """A set of four with this seed: whatever changes a card, a prompt or a result of old bundles is seen here."""
    asked: list[Chat] = []
    records = played(["reference", "random", "reference", "random"], SitAndGoRules(), 4, asked)
    found = {
        "records": hashlib.sha256(msgspec.json.encode(records)).hexdigest()[:16],
        "questions": hashlib.sha256(msgspec.json.encode(asked)).hexdigest()[:16],
    }
    assert found == GOLDEN
    assert {ActionKind.FOLD, ActionKind.RAISE} <= {
        acted.action.kind for record in records for hand in record.hands for acted in hand.story.history
    }
    assert Fraction(sum(sum(one.outcomes) for one in records), 4) == 12


def test_pokerkits_own_table_of_two_has_the_same_blinds() -> None:
    """The button, which is the second player there, posts the small blind and acts first."""
    automations = tuple(one for one in pokerkit.Automation if one is not pokerkit.Automation.HOLE_DEALING)
    state = pokerkit.NoLimitTexasHoldem.create_state(automations, True, 0, (100, 200), 200, (600, 900), 2)
    for cards in ("KcKd", "AsAh"):
        state.deal_hole(cards)
    hand = new_hand(RingDeal((("As", "Ah"), ("Kc", "Kd")), ("2c", "3d", "4h", "5s", "7c")), (900, 600), 200)
    assert list(state.bets) == [200, 100] == [hand.bets[1], hand.bets[0]]
    assert (state.actor_index, hand.to_act) == (1, 0)
