"""What the board gave each player of a hand: mean exactly 0, pots and shares as the second referee has them."""

from fractions import Fraction
from itertools import combinations

import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.matches import Phase, SeatAt
from agzamov_verify.games.holdem_ring.control_variates import hand_luck, pots_of, shares
from agzamov_verify.games.holdem_ring.game import GAME
from agzamov_verify.games.holdem_ring.hand_script import RingRules, RingStory
from agzamov_verify.games.holdem_ring.rules import RingDeal, RingHand, deal_cards
from agzamov_verify.poker.actions import ActionKind, PokerAction
from agzamov_verify.poker.cards import DECK
from agzamov_verify.scoring.scorings import SCORINGS
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.players import Player
from agzamov_verify.table.scripted_players import scripted_reply
from verify.second_referee import best_of_seven

FOLD, CHECK, CALL, BET, RAISE = ActionKind
DEAL = deal_cards(Dice(bytes(32)), "luck", 4)
STACK = 1_000


def story(deal: RingDeal, *actions: tuple[ActionKind, int]) -> RingStory:
    """A hand of equal stacks in which these actions are played."""
    hand = RingHand(deal, (STACK,) * len(deal.holes), 50)
    for kind, to_chips in actions:
        hand.act(PokerAction(kind, to_chips))
    assert hand.to_act is None
    return RingStory(deal, tuple(hand.history))


def with_board(board: tuple[str, ...]) -> RingDeal:
    return RingDeal(DEAL.holes, board)


def rest(*known: str) -> list[str]:
    held = {card for hole in DEAL.holes for card in hole}
    return [card for card in DECK if card not in held and card not in known]


LIMPED = ((CALL, 0), (CALL, 0), (CALL, 0), (CHECK, 0))
TO_THE_TURN = (*LIMPED, *((CHECK, 0),) * 4)
ON_THE_TURN = ((BET, 300), (CALL, 0), (FOLD, 0), (RAISE, 600), (CALL, 0), (CALL, 0))
ALL_FOLD = ((FOLD, 0),) * 3


def lucks(played: RingStory, boards: list[tuple[str, ...]]) -> list[tuple[Fraction, ...]]:
    """The luck of the same actions with each of several boards."""
    return [hand_luck(RingStory(with_board(board), played.history), STACK, 50, 100) for board in boards]


def mean(values: list[tuple[Fraction, ...]]) -> list[Fraction]:
    return [sum(column, Fraction(0)) / len(values) for column in zip(*values, strict=True)]


def test_over_all_rivers_the_luck_of_the_river_is_exactly_0() -> None:
    """Three are live after a raised turn. Flop and turn are the same in all: their part is that of no river."""
    board = DEAL.board
    found = lucks(
        story(DEAL, *TO_THE_TURN, *ON_THE_TURN, *((CHECK, 0),) * 3), [(*board[:4], card) for card in rest(*board[:4])]
    )
    assert mean(found) == list(hand_luck(story(DEAL, *TO_THE_TURN, (BET, 300), *ALL_FOLD), STACK, 50, 100))
    assert len(set(found)) > 1
    assert all(sum(one) == 0 for one in found)


def test_a_river_known_before_it_came_would_be_seen() -> None:
    """One defect: of the rivers only those that help the first player. The mean is then not 0."""
    board, played = DEAL.board, story(DEAL, *TO_THE_TURN, *ON_THE_TURN, *((CHECK, 0),) * 3)
    found = lucks(played, [(*board[:4], card) for card in rest(*board[:4])])
    best = max(one[0] for one in found)
    assert mean([one for one in found if one[0] == best]) != mean(found)


def test_over_all_turns_and_rivers_an_all_in_on_the_flop_comes_to_its_equity() -> None:
    """What was won, less the luck, is the same on every board: the equity on the flop, less the luck of the flop."""
    board, bets = DEAL.board[:3], ((BET, 900), (CALL, 0), (FOLD, 0), (CALL, 0))
    played = story(DEAL, *LIMPED, *bets)
    pots = pots_of([1_000, 1_000, 1_000, 100], [0, 1, 2])
    assert pots == [(3_100, (0, 1, 2))]
    flop = hand_luck(story(DEAL, *LIMPED, (BET, 200), *ALL_FOLD), STACK, 50, 100)
    equity = [*(3_100 * share for share in shares(DEAL, (0, 1, 2), 3)), Fraction(0)]
    boards = [(*board, *more) for more in combinations(rest(*board), 2)][::23]
    for one, luck in zip(boards, lucks(played, boards), strict=True):
        won = [*(3_100 * share for share in shares(with_board(one), (0, 1, 2), 5)), Fraction(0)]
        less = [chips - given for chips, given in zip(won, luck, strict=True)]
        assert less == [value - given for value, given in zip(equity, flop, strict=True)]


@pytest.mark.slow
def test_over_all_flops_the_count_of_pairs_has_mean_0() -> None:
    played = story(DEAL, *LIMPED, (BET, 200), *ALL_FOLD)
    found = lucks(played, [(*flop, "??", "??") for flop in combinations(rest(), 3)])
    assert len(found) == 13_244
    assert mean(found) == [0] * 4
    assert any(max(one) > 100 for one in found)


def test_shares_are_those_of_the_second_referee() -> None:
    board = DEAL.board[:4]
    won = [Fraction(0)] * 4
    cards = rest(*board)
    for river in cards:
        values = [best_of_seven((*hole, *board, river)) for hole in DEAL.holes]
        winners = [place for place, value in enumerate(values) if value == max(values)]
        for place in winners:
            won[place] += Fraction(1, len(winners) * len(cards))
    assert list(shares(DEAL, (0, 1, 2, 3), 4)) == won


@pytest.mark.parametrize(
    ("paid", "live", "pots"),
    [
        ([100, 100, 100], [0, 1, 2], [(300, (0, 1, 2))]),
        ([100, 300, 300], [0, 1, 2], [(300, (0, 1, 2)), (400, (1, 2))]),
        ([100, 300, 600], [0, 1, 2], [(300, (0, 1, 2)), (400, (1, 2))]),  # 300 of the last one nobody matched
        ([100, 50, 100], [0, 2], [(250, (0, 2))]),
    ],
)
def test_pots_by_levels(paid: list[int], live: list[int], pots: list[tuple[int, tuple[int, ...]]]) -> None:
    assert pots_of(paid, live) == pots


def test_win_rates_of_played_tables_are_the_same_on_average_with_less_spread() -> None:
    match = GAME.match(a="one", b="two", others=(SeatAt("three"),), phase=Phase.ARENA, hands=240, block_hands=240)
    players = tuple(Player(name, scripted=True) for name in match.seats)

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        return Reply(text=scripted_reply("random", question.messages, question.seed))

    stream = StreamPlan("table", match, 0, match.planned)
    block = drive(GAME.script(stream, lambda _: players, RingRules(), Dice(bytes(32))), answer)
    raw = [chips for record in block.records for chips in record.outcomes]
    luck = [float(chips) for record in block.records for chips in SCORINGS[GAME.name].luck(record, RingRules())]
    less = [chips - given for chips, given in zip(raw, luck, strict=True)]
    assert sum(chips**2 for chips in raw) > 1.5 * sum(chips**2 for chips in less)
    assert len(luck) == len(raw)
