"""The benchmark player at the table: it reads off its prompt what the verifier knows, and plays well enough."""

import math
import statistics

import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Message, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.games.holdem.benchmark_player import benchmark_action, decision, hand_percentile, spot_of
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules, play, random_action
from agzamov_verify.games.holdem.prompt import PokerTerms, system_message, turn_message
from agzamov_verify.games.holdem.rules import Hand
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.games.holdem.spot import read_spot
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.declared import Accepted
from agzamov_verify.table.players import GameName, Player, own_seed, sent_seed
from agzamov_verify.table.prompt_lines import read_page
from agzamov_verify.table.scripted_players import scripted_reply

RULES, DICE = PokerRules(), Dice(b"benchmark at the table".ljust(32))
BENCHMARK = Player("benchmark", scripted=True)


def answer(question: Question) -> Reply:
    assert isinstance(question, Chat)
    if question.to == "station":
        free = "Legal actions: check" in question.messages[1].content
        return Reply(text="ACTION: check" if free else "ACTION: call")
    return Reply(text=scripted_reply(question.to, question.messages, question.seed))


def match(opponent: str, decks: int) -> tuple[list[int], list[HandRecord]]:
    """What the benchmark player wins of each deck, played from both seats, and the hands."""
    tallies, won, records = (Tally(), Tally()), [], []
    for number in range(decks):
        deal = deal_cards(DICE, number, (0, 1))
        for seat, players in enumerate(((BENCHMARK, Player(opponent)), (Player(opponent), BENCHMARK))):
            name = GameName(f"h{number}-{seat}", f"holdem/{2 * number + seat}")
            records.append(drive(play(name, deal, players, RULES, DICE, tallies), answer))
        won.append(records[-2].net_chips - records[-1].net_chips)
    assert not tallies[0].faults + tallies[1].faults
    return won, records


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["random", "station"])
def test_it_beats_a_player_that_does_not_think(opponent: str) -> None:
    won, _ = match(opponent, 1000)
    assert statistics.mean(won) > 3 * statistics.stdev(won) / math.sqrt(len(won))


def test_every_action_is_the_one_that_the_policy_and_the_dice_make() -> None:
    _, records = match("random", 60)
    seen = 0
    for index, record in enumerate(records):
        assert record.story is not None
        hand = Hand(record.story.deal, (RULES.stack_chips, RULES.stack_chips))
        for turn, played in enumerate(record.story.history):
            if played.player == index % 2:
                seed = own_seed(DICE, f"{record.game}/{played.player}", turn)
                percentile = hand_percentile(hand.hole(played.player), hand.board)
                assert played.action == benchmark_action(spot_of(hand), percentile, seed)
                seen += 1
            hand.act(played.action)
    assert seen > 100


def test_the_prompt_says_all_that_the_policy_takes() -> None:
    """At every decision of random hands, deep and shallow, from both seats."""
    for number in range(120):
        stack_chips = (10_000, 700, 250)[number % 3]
        hand, turn = Hand(deal_cards(DICE, number, (0, 1)), (stack_chips, stack_chips)), 0
        while hand.to_act is not None:
            prompt = (system_message((), PokerTerms(stack_chips)), turn_message(hand, hand.to_act, ""))
            read, known = decision(read_spot(read_page(prompt))), spot_of(hand)
            assert (read.street, read.raises, read.price, read.legal) == (
                known.street,
                known.raises,
                known.price,
                known.legal,
            )
            expected = benchmark_action(known, hand_percentile(hand.hole(hand.to_act), hand.board), number)
            said = scripted_reply("benchmark", prompt, number).rpartition("ACTION: ")[2]
            assert read_action(said, hand) == Accepted(expected, exact=True)
            hand.act(random_action(hand, f"{number}/{turn}", DICE))
            turn += 1


def test_a_model_is_sent_one_seed_in_a_game_and_the_benchmark_player_has_one_of_its_own_for_each_decision() -> None:
    asked: list[Chat] = []

    def noting(question: Question) -> Reply:
        assert isinstance(question, Chat)
        asked.append(question)
        return answer(question)

    deal = deal_cards(DICE, 3, (0, 1))
    players = (BENCHMARK, Player("station"))
    drive(play(GameName("h", "holdem/3"), deal, players, RULES, DICE, (Tally(), Tally())), noting)
    for question in asked:
        own, sent = own_seed(DICE, "h/0", question.turn), sent_seed(DICE, "h", 1)
        assert question.seed == (own if question.to == "benchmark" else sent)


def test_the_benchmark_player_plays_no_chess() -> None:
    position = Message("It is your turn.\nFEN: 8/8/8/8/8/8/8/8 w - - 0 1", "user")
    expected = "expected a player of kind benchmark or novice or random or reference, found 'benchmark'"
    with pytest.raises(ValueError, match=expected):
        scripted_reply("benchmark", (position,), 1)
