"""The reference player of hold'em at the real table: strength, rules kept, true information used."""

import math
import statistics

import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.opponent_patterns import Pattern
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.hand_script import PokerRules, play
from agzamov_verify.games.holdem.pattern_sentences import POKER_PATTERNS, PokerPattern
from agzamov_verify.games.holdem.prompt import PokerTerms, system_message, turn_message
from agzamov_verify.games.holdem.rules import ActionKind, Deal, Hand, PokerAction
from agzamov_verify.games.holdem.starting_hands import chen_points, top_percent
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.players import GameName, Player
from agzamov_verify.table.scripted_players import scripted_reply

AGENT, OPPONENT, DICE, STATION = "agent", "reference opponent", "random", "calling station"
FOLDS_TO_3BET = "- Folds to 3-bet on the button: 85%"
CALLS_EVERYTHING = "- VPIP: 100% | PFR: 0% | 3-Bet: 0%\n- Folds to c-bet: 0% | Check-raise freq: 0%"


def answer(question: Question) -> Reply:
    assert isinstance(question, Chat)
    if question.to == STATION:
        free = "Legal actions: check" in question.messages[1].content
        return Reply(text="ACTION: check" if free else "ACTION: call")
    return Reply(
        text=scripted_reply("random" if question.to == DICE else "reference", question.messages, question.seed)
    )


def deal(dice: Dice, hand: int) -> Deal:
    a, b, c, d, *board = dice.stream(f"deck/{hand}").deal(DECK, 9)
    return Deal((a, b), (c, d), (board[0], board[1], board[2], board[3], board[4]))


def button_chips(hands: int, button: Player, big_blind: Player) -> list[int]:
    """What the button won in each hand. Nobody may give an illegal answer."""
    dice, tallies, won = Dice(b"poker"), (Tally(), Tally()), []
    for hand in range(hands):
        name = GameName(f"h{hand}", f"h{hand}")
        record = drive(play(name, deal(dice, hand), (button, big_blind), PokerRules(), dice, tallies), answer)
        won.append(record.net_chips)
    assert not tallies[0].faults + tallies[1].faults
    return won


def both_seats(hands: int, agent: Player, opponent: Player) -> list[int]:
    """What the agent won in each pair of hands, the same cards from both seats."""
    as_button, as_big_blind = button_chips(hands, agent, opponent), button_chips(hands, opponent, agent)
    return [mine - theirs for mine, theirs in zip(as_button, as_big_blind, strict=True)]


def clearly(chips: list[int]) -> bool:
    """Whether the mean is more than three standard errors above zero."""
    return statistics.mean(chips) > 3 * statistics.stdev(chips) / math.sqrt(len(chips))


def acted(hand: Hand, briefing: str = "", patterns: tuple[str, ...] = (), seed: int = 1) -> str:
    assert hand.to_act is not None
    messages = (system_message(patterns, PokerTerms(10_000)), turn_message(hand, hand.to_act, briefing))
    return scripted_reply("reference", messages, seed).rpartition("ACTION: ")[2]


def after(button: str, big_blind: str, *actions: PokerAction) -> Hand:
    hand = Hand(Deal(_two(button), _two(big_blind), ("2c", "7d", "9h", "Js", "Kc")), (10_000, 10_000))
    for action in actions:
        hand.act(action)
    return hand


def _two(cards: str) -> tuple[str, str]:
    first, second = cards.split()
    return first, second


def raise_to(chips: int) -> PokerAction:
    return PokerAction(ActionKind.RAISE, chips)


@pytest.mark.slow
@pytest.mark.parametrize("opponent", [STATION, DICE])
def test_the_reference_clearly_beats_one_who_does_not_think(opponent: str) -> None:
    assert clearly(both_seats(600, Player(AGENT), Player(opponent)))


@pytest.mark.slow
def test_a_true_profile_of_a_calling_station_wins_more() -> None:
    naive = both_seats(300, Player(AGENT), Player(STATION))
    told = both_seats(300, Player(AGENT, briefing=CALLS_EVERYTHING), Player(STATION))
    assert clearly([more - less for more, less in zip(told, naive, strict=True)])


@pytest.mark.slow
def test_a_true_profile_of_a_button_that_folds_to_3bets_wins_more() -> None:
    keeper = Player(OPPONENT, (POKER_PATTERNS["folds_button_to_3bet"],))
    naive = button_chips(1_000, keeper, Player(AGENT))
    told = button_chips(1_000, keeper, Player(AGENT, briefing=FOLDS_TO_3BET))
    assert clearly([less - more for more, less in zip(told, naive, strict=True)])


def test_a_profile_that_says_nothing_of_this_game_changes_no_action() -> None:
    chess = "- Castles within its first 8 moves, as soon as castling is legal."
    agent, told, opponent = Player(AGENT), Player(AGENT, briefing=chess), Player(OPPONENT)
    assert both_seats(60, told, opponent) == both_seats(60, agent, opponent)


def test_the_button_folds_to_85_of_100_3bets_whatever_it_holds() -> None:
    rule = (POKER_PATTERNS["folds_button_to_3bet"],)
    hand = after("Ah As", "9s 9c", raise_to(250), raise_to(750))
    folds = sum(acted(hand, patterns=rule, seed=seed) == "fold" for seed in range(400))
    assert abs(folds / 400 - 0.85) < 0.06
    assert all(acted(hand, seed=seed) != "fold" for seed in range(20))


def test_the_rule_on_3bets_holds_for_the_button_and_for_3bets_only() -> None:
    rule = (POKER_PATTERNS["folds_button_to_3bet"],)
    opened = after("9s 9c", "Ah As", raise_to(250))
    four_bet = after("9s 9c", "Ah As", raise_to(250), raise_to(750), raise_to(1_700))
    for hand in (opened, four_bet):
        assert all(acted(hand, patterns=rule, seed=seed) == acted(hand, seed=seed) for seed in range(20))


def test_pocket_pairs_are_raised_to_the_smallest_amount_before_the_flop() -> None:
    rule = (POKER_PATTERNS["min_raises_pairs"],)
    assert acted(after("9s 9c", "Ah Kd"), patterns=rule) == "raise to 2"
    assert acted(after("Ah Kd", "2s 2h", raise_to(250)), patterns=rule) == "raise to 4"
    assert acted(after("Ah Kd", "9s 9c"), patterns=rule) == acted(after("Ah Kd", "9s 9c"))


def test_a_min_raise_is_read_as_a_pair_when_the_profile_says_so() -> None:
    told = "- Min-raises preflop with pocket pairs: 100%"
    hand = after("Qh Qd", "8h 7c", raise_to(200))
    naive, knows = (_equity(hand, briefing) for briefing in ("", told))
    assert knows < naive


def _equity(hand: Hand, briefing: str) -> int:
    """What the player says that its hand is worth, in percent."""
    assert hand.to_act is not None
    messages = (system_message((), PokerTerms(10_000)), turn_message(hand, hand.to_act, briefing))
    return int(scripted_reply("reference", messages, 1).split("About ")[1].split("%")[0])


def test_any_two_cards_3bet_a_button_that_gives_up() -> None:
    hand, seeds = after("9s 9c", "7h 2d", raise_to(250)), range(30)
    naive = [acted(hand, seed=seed) for seed in seeds]
    assert naive.count("fold") > naive.count("raise to 7.5") > 0
    assert {acted(hand, FOLDS_TO_3BET, seed=seed) for seed in seeds} == {"raise to 7.5"}
    assert [acted(hand, "- Folds to 3-bet on the button: 40%", seed=seed) for seed in seeds] == naive


CHECK, CALL = PokerAction(ActionKind.CHECK), PokerAction(ActionKind.CALL)
TO_FLOP = (raise_to(250), CALL)
TO_RIVER = (*TO_FLOP, CHECK, CHECK, CHECK, CHECK)
OVER_HALF_THE_POT = PokerAction(ActionKind.BET, 300)


def told(pattern: Pattern) -> str:
    return f"- {POKER_PATTERNS[pattern]}"


@pytest.mark.parametrize(
    ("pattern", "hand", "knowing"),
    [
        (PokerPattern.NEVER_RAISES_BIG_BLIND, after("7h 2d", "As Ah"), "raise to 2.5"),
        (PokerPattern.LIMPS_BUTTON, after("7h 2d", "Qh 8c", CALL), "raise to 3.5"),
        (PokerPattern.FOLDS_MISSED_FLOPS, after("As 6s", "8h 8c", *TO_FLOP, CHECK), "bet 3"),
        (PokerPattern.FOLDS_RIVERS, after("As 6s", "8h 8c", *TO_RIVER, CHECK), "bet 3"),
        (PokerPattern.NEVER_FOLDS_PAIRS, after("Qs Td", "8h 8c", *TO_RIVER, CHECK), "bet 97.5"),
        (PokerPattern.NEVER_BLUFFS_RIVERS, after("As Kd", "8h 8c", *TO_RIVER, OVER_HALF_THE_POT), "fold"),
    ],
)
def test_a_true_pattern_changes_what_it_is_about(pattern: Pattern, hand: Hand, knowing: str) -> None:
    seeds = range(12)
    assert {acted(hand, told(pattern), seed=seed) for seed in seeds} == {knowing}
    assert {acted(hand, seed=seed) for seed in seeds} != {knowing}


def test_a_bet_on_the_flop_means_less_when_it_always_comes() -> None:
    hand = after("8h 8c", "Ts 9s", *TO_FLOP, CHECK, OVER_HALF_THE_POT)
    assert _equity(hand, told(PokerPattern.ALWAYS_CBETS)) > _equity(hand, "")


@pytest.mark.parametrize(
    ("hole", "points"),
    [
        ("Ah As", 20),
        ("Kh Ks", 16),
        ("5h 5s", 5),
        ("2h 2s", 5),
        ("Ah Kh", 12),
        ("Js Ts", 9),
        ("7s 5s", 6),
        ("7h 2d", -1),
    ],
)
def test_chens_formula_gives_its_published_examples(hole: str, points: int) -> None:
    assert chen_points(_two(hole)) == points


def test_hands_are_ordered_from_aces_to_the_worst() -> None:
    assert top_percent(("As", "Ah")) < 0.5
    assert top_percent(("Kd", "Ac")) < 10
    assert top_percent(("2d", "7c")) > 95
