"""The hold'em patterns: each is counted where it asks for something, and kept by the reference player."""

import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.opponent_patterns import Adherence, Pattern
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import HandRecord, HandStory, PokerRules, play
from agzamov_verify.games.holdem.pattern_sentences import POKER_PATTERNS, PokerPattern
from agzamov_verify.games.holdem.patterns import DETECTORS, RULES
from agzamov_verify.games.holdem.rules import ActionKind, Deal, Hand, HandEnd, PokerAction
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.players import GameName, Player
from agzamov_verify.table.scripted_players import scripted_reply

FOLD, CHECK, CALL = (PokerAction(kind) for kind in (ActionKind.FOLD, ActionKind.CHECK, ActionKind.CALL))
BUTTON, BLIND = 0, 1
BOARD = "2c 7d 9h Js Kc"


def raised(chips: int) -> PokerAction:
    return PokerAction(ActionKind.RAISE, chips)


def bet(chips: int) -> PokerAction:
    return PokerAction(ActionKind.BET, chips)


OPEN, THREE_BET = raised(250), raised(750)
TO_FLOP = (OPEN, CALL)
TO_RIVER = (*TO_FLOP, CHECK, CHECK, CHECK, CHECK)


def played(
    button: str, blind: str, *actions: PokerAction, substituted: tuple[int, ...] = (), stack: int = 10_000
) -> HandRecord:
    a, b = button.split()
    c, d = blind.split()
    deal = Deal((a, b), (c, d), tuple(BOARD.split()))  # type: ignore[arg-type]  # five cards
    hand = Hand(deal, (stack, stack))
    for action in actions:
        hand.act(action)
    story = HandStory(deal, tuple(hand.history), tuple(hand.matched), substituted)
    return HandRecord("h", HandEnd.FOLD, 0, (0, 0), story)


def test_every_pattern_has_a_detector() -> None:
    assert len(DETECTORS) >= 6
    assert DETECTORS.keys() == POKER_PATTERNS.keys() == RULES.keys()


@pytest.mark.parametrize(
    ("pattern", "record", "place", "expected"),
    [
        (PokerPattern.MIN_RAISES_PAIRS, played("9s 9c", "Ah Kd", raised(200), FOLD), BUTTON, (1, 1)),
        (PokerPattern.MIN_RAISES_PAIRS, played("9s 9c", "Ah Kd", OPEN, FOLD), BUTTON, (1, 0)),
        (PokerPattern.MIN_RAISES_PAIRS, played("9s 9c", "Ah Ad", CALL, raised(200), raised(300)), BUTTON, (2, 1)),
        (PokerPattern.MIN_RAISES_PAIRS, played("9s 9c", "Ah Ad", CALL, raised(200)), BLIND, (1, 1)),
        (PokerPattern.MIN_RAISES_PAIRS, played("9s 9c", "Ah Ad", raised(10_000), CALL), BLIND, (0, 0)),
        (PokerPattern.MIN_RAISES_PAIRS, played("9s 8c", "Ah Kd", raised(200), FOLD), BUTTON, (0, 0)),
        (PokerPattern.FOLDS_BUTTON_TO_3BET, played("9s 9c", "Ah Kd", OPEN, THREE_BET, FOLD), BUTTON, (1, 1)),
        (PokerPattern.FOLDS_BUTTON_TO_3BET, played("9s 9c", "Ah Kd", OPEN, THREE_BET, CALL), BUTTON, (1, 0)),
        (PokerPattern.FOLDS_BUTTON_TO_3BET, played("9s 9c", "Ah Kd", OPEN, FOLD), BUTTON, (0, 0)),
        (PokerPattern.FOLDS_BUTTON_TO_3BET, played("9s 9c", "Ah Kd", CALL, OPEN, THREE_BET, FOLD), BLIND, (0, 0)),
        (PokerPattern.LIMPS_BUTTON, played("9s 9c", "Ah Kd", CALL, OPEN, FOLD), BUTTON, (1, 1)),
        (PokerPattern.LIMPS_BUTTON, played("9s 9c", "Ah Kd", FOLD), BUTTON, (1, 0)),
        (PokerPattern.NEVER_RAISES_BIG_BLIND, played("9s 9c", "Ah Kd", CALL, CHECK), BLIND, (1, 1)),
        (PokerPattern.NEVER_RAISES_BIG_BLIND, played("9s 9c", "Ah Kd", OPEN, THREE_BET, FOLD), BLIND, (1, 0)),
        (PokerPattern.NEVER_RAISES_BIG_BLIND, played("9s 9c", "Ah Kd", raised(10_000), FOLD), BLIND, (0, 0)),
        (PokerPattern.ALWAYS_CBETS, played("9s 8c", "Ah Kd", *TO_FLOP, CHECK, bet(300), FOLD), BUTTON, (1, 1)),
        (PokerPattern.ALWAYS_CBETS, played("9s 8c", "Ah Kd", *TO_FLOP, CHECK, CHECK), BUTTON, (1, 0)),
        (PokerPattern.ALWAYS_CBETS, played("9s 8c", "Ah Kd", *TO_FLOP, bet(300), FOLD), BUTTON, (0, 0)),
        (PokerPattern.ALWAYS_CBETS, played("9s 8c", "Ah Kd", OPEN, THREE_BET, CALL, bet(300)), BLIND, (1, 1)),
        (PokerPattern.ALWAYS_CBETS, played("9s 8c", "Ah Kd", *TO_FLOP, CHECK, CHECK), BLIND, (0, 0)),
        (PokerPattern.NEVER_CBETS, played("9s 8c", "Ah Kd", *TO_FLOP, CHECK, CHECK), BUTTON, (1, 1)),
        (PokerPattern.NEVER_CBETS, played("9s 8c", "Ah Kd", *TO_FLOP, CHECK, bet(300), FOLD), BUTTON, (1, 0)),
        (PokerPattern.FOLDS_MISSED_FLOPS, played("Qs 8c", "Ah Kd", *TO_FLOP, bet(300), FOLD), BUTTON, (1, 1)),
        (PokerPattern.FOLDS_MISSED_FLOPS, played("Qs 8c", "Ah Kd", *TO_FLOP, bet(300), CALL), BUTTON, (1, 0)),
        (PokerPattern.FOLDS_MISSED_FLOPS, played("9s 8c", "Ah Kd", *TO_FLOP, bet(300), FOLD), BUTTON, (0, 0)),
        (PokerPattern.NEVER_FOLDS_PAIRS, played("9s 8c", "Ah Kd", *TO_FLOP, bet(300), CALL), BUTTON, (1, 1)),
        (PokerPattern.NEVER_FOLDS_PAIRS, played("9s 8c", "Ah Kd", *TO_FLOP, bet(300), FOLD), BUTTON, (1, 0)),
        (PokerPattern.NEVER_FOLDS_PAIRS, played("Qs 8c", "Ah Kd", *TO_FLOP, bet(300), FOLD), BUTTON, (0, 0)),
        (PokerPattern.FOLDS_RIVERS, played("9s 8c", "Ah Kd", *TO_RIVER, bet(300), FOLD), BUTTON, (1, 1)),
        (PokerPattern.FOLDS_RIVERS, played("9s 8c", "Ah Kd", *TO_RIVER, bet(300), CALL), BUTTON, (1, 0)),
        (PokerPattern.FOLDS_RIVERS, played("9s 7c", "Ah Kd", *TO_RIVER, bet(300), CALL), BUTTON, (0, 0)),
        (PokerPattern.NEVER_BLUFFS_RIVERS, played("9s 8c", "Ah Kd", *TO_RIVER, bet(300), CALL), BLIND, (1, 0)),
        (PokerPattern.NEVER_BLUFFS_RIVERS, played("9s 8c", "Ah Kd", *TO_RIVER, CHECK, CHECK), BLIND, (1, 1)),
        (PokerPattern.NEVER_BLUFFS_RIVERS, played("9s 8c", "Jh Kd", *TO_RIVER, bet(300), CALL), BLIND, (0, 0)),
    ],
)
def test_a_pattern_is_counted_where_it_asks(
    pattern: Pattern, record: HandRecord, place: int, expected: tuple[int, int]
) -> None:
    assert DETECTORS[pattern](record, place) == Adherence(*expected)


def test_a_substituted_action_and_a_hand_without_a_story_are_no_occasions() -> None:
    detect = DETECTORS[PokerPattern.LIMPS_BUTTON]
    limped = played("9s 9c", "Ah Kd", CALL, CHECK, substituted=(0,))
    assert detect(limped, BUTTON) == Adherence(0, 0)
    assert detect(msgspec.structs.replace(limped, story=None), BUTTON) == Adherence(0, 0)


def test_a_short_all_in_is_the_smallest_raise() -> None:
    record = played("9s 9c", "Ah Ad", raised(600), raised(1_000), stack=1_000)
    assert DETECTORS[PokerPattern.MIN_RAISES_PAIRS](record, BLIND) == Adherence(1, 1)


def test_actions_in_place_of_illegal_ones_are_noted_in_the_story() -> None:
    def answer(question: Question) -> Reply:
        assert isinstance(question, Chat)
        return Reply(text="ACTION: call" if question.turn == 0 else "nothing")

    record = play_hand(0, Player("a"), answer)
    assert record.story
    assert record.story.substituted == tuple(range(1, len(record.story.history)))


def play_hand(number: int, player: Player, answer: object) -> HandRecord:
    dice, name = Dice(b"patterns"), GameName(f"h{number}", f"h{number}")
    deal = deal_cards(dice, number, (0, 1))
    script = play(name, deal, (player, player), PokerRules(), dice, (Tally(), Tally()))
    return drive(script, answer)  # type: ignore[arg-type]  # a function of a question


@pytest.mark.parametrize("pattern", POKER_PATTERNS)
def test_the_reference_player_keeps_each_pattern(pattern: Pattern) -> None:
    def answer(question: Question) -> Reply:
        assert isinstance(question, Chat)
        return Reply(text=scripted_reply("reference", question.messages, question.seed))

    player = Player("a", (POKER_PATTERNS[pattern],))
    records = [play_hand(number, player, answer) for number in range(40)]
    counts = [DETECTORS[pattern](record, place) for record in records for place in (BUTTON, BLIND)]
    asked, kept = sum(count.occasions for count in counts), sum(count.kept for count in counts)
    assert asked
    assert kept == asked if RULES[pattern].percent == 100 else kept >= asked * 0.7
