"""The door to the reference players, what they read, and the random player."""

from collections import Counter

import chess
import pytest

from agzamov_harness.adapters.reference.habits import ChessHabits, PokerHabits, chess_habits, poker_habits
from agzamov_harness.adapters.reference.players import reply
from agzamov_verify.dice import Dice
from agzamov_verify.games.chess960 import prompt as chess_prompt
from agzamov_verify.games.chess960.rules import Game960
from agzamov_verify.games.declared import declared
from agzamov_verify.games.holdem import prompt as holdem_prompt
from agzamov_verify.games.holdem.rules import DECK, ActionKind, Deal, Hand
from agzamov_verify.games.holdem.script import random_action
from agzamov_verify.games.patterns import CHESS_PATTERNS, POKER_PATTERNS
from agzamov_verify.players.reading import Options, Verb, Who, read_page, read_spot
from agzamov_verify.questions import Message, Reply

NOBODY = PokerHabits(0, 0, 0, 0, 0, 0, 0, 0)
START = chess.Board.from_chess960_pos(518).fen()


def chess_messages(fen: str = START, briefing: str = "", patterns: tuple[str, ...] = ()) -> tuple[Message, ...]:
    user = chess_prompt.turn_message(Game960(fen), chess_prompt.PromptStyle.STANDARD, briefing)
    return (chess_prompt.system_message(patterns), user)


def deal(dice: Dice, hand: int) -> Deal:
    a, b, c, d, *board = dice.stream(f"deck/{hand}").deal(DECK, 9)
    return Deal((a, b), (c, d), (board[0], board[1], board[2], board[3], board[4]))


def hand_messages(hand: Hand, briefing: str = "", patterns: tuple[str, ...] = ()) -> tuple[Message, ...]:
    assert hand.to_act is not None
    user = holdem_prompt.turn_message(hand, hand.to_act, briefing)
    return (holdem_prompt.system_message(patterns, 10_000), user)


def test_the_same_prompt_and_seed_give_the_same_words() -> None:
    hand = Hand(deal(Dice(b"same"), 0), (10_000, 10_000))
    for kind in ("reference", "random"):
        assert reply(kind, chess_messages(), 7) == reply(kind, chess_messages(), 7)
        assert reply(kind, hand_messages(hand), 7) == reply(kind, hand_messages(hand), 7)


def test_the_random_player_varies_with_the_seed_over_all_legal_moves() -> None:
    said = Counter(str(declared(Reply(text=reply("random", chess_messages(), seed)), "MOVE:")) for seed in range(600))
    assert set(said) == set(Game960(START).legal_moves())
    assert max(said.values()) < 3 * 600 / 20


def test_the_random_player_chooses_kinds_and_amounts_evenly() -> None:
    hand = Hand(deal(Dice(b"even"), 0), (10_000, 10_000))
    said = [
        holdem_prompt.read_action(_declared(reply("random", hand_messages(hand), seed)), hand) for seed in range(600)
    ]
    actions = [action for action in said if not hasattr(action, "why")]
    kinds = Counter(action.kind for action in actions)
    assert len(actions) == 600
    assert min(kinds[kind] for kind in (ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE)) > 150
    totals = [action.to_chips for action in actions if action.kind is ActionKind.RAISE]
    assert min(totals) < 700
    assert max(totals) > 9_500
    assert any(total % 100 for total in totals)


def test_a_rejection_gets_the_answer_to_the_first_question() -> None:
    messages = chess_messages()
    again = (*messages, Message("MOVE: e2e5", "assistant"), Message("Rejected: not legal.", "user"))
    assert reply("reference", again, 3) == reply("reference", messages, 3)


def test_an_unknown_game_is_named_in_the_error() -> None:
    with pytest.raises(ValueError, match="expected a prompt of chess960 or holdem, found 'Draughts board"):
        reply("reference", (Message("Play.", "system"), Message("Draughts board: ...", "user")), 1)


def test_an_unknown_kind_is_named_in_the_error() -> None:
    with pytest.raises(ValueError, match="expected a player of kind house or random or reference, found 'oracle'"):
        reply("oracle", chess_messages(), 1)


def test_a_broken_prompt_says_which_line_is_missing() -> None:
    with pytest.raises(ValueError, match="expected a line that starts with 'Pot'"):
        reply("reference", (Message("", "system"), Message("Hole cards: [Ah, Kd]\nBoard: []", "user")), 1)


def test_a_spot_is_read_as_the_hand_stands_at_every_turn() -> None:
    dice = Dice(b"spots")
    for number in range(60):
        hand = Hand(deal(dice, number), (10_000, 10_000))
        while hand.to_act is not None:
            _assert_read_right(hand)
            hand.act(random_action(hand, f"{number}/{len(hand.history)}", dice))


def _assert_read_right(hand: Hand) -> None:
    assert hand.to_act is not None
    mine, legal = hand.to_act, hand.legal()
    spot = read_spot(read_page(hand_messages(hand)))
    assert (spot.hole, spot.board) == (hand.hole(mine), hand.board)
    assert (spot.pot_chips, spot.to_call_chips) == (hand.pot_chips, hand.to_call_chips)
    assert spot.stacks_chips == (hand.stacks[mine], hand.stacks[1 - mine])
    assert spot.on_button == (mine == 0)
    assert spot.options == Options(tuple(Verb(k.value) for k in legal.kinds), legal.min_to_chips, legal.max_to_chips)
    expected = [
        (Who.ME if p.player == mine else Who.OPPONENT, p.action.kind.value, p.action.to_chips) for p in hand.history
    ]
    assert [(deed.who, deed.verb.value, deed.to_chips) for deed in spot.history] == expected


def test_rules_are_read_from_the_system_message_only() -> None:
    early = CHESS_PATTERNS["castles_early"]
    assert chess_habits(read_page(chess_messages(patterns=(early,))).rules) == ChessHabits(8, avoids_queen_trades=False)
    assert not read_page(chess_messages(briefing=early)).rules


def test_every_pattern_of_the_catalogue_is_understood() -> None:
    both = read_page(chess_messages(patterns=tuple(CHESS_PATTERNS.values()))).rules
    assert chess_habits(both) == ChessHabits(8, avoids_queen_trades=True)
    hand = Hand(deal(Dice(b"rules"), 0), (10_000, 10_000))
    rules = read_page(hand_messages(hand, patterns=tuple(POKER_PATTERNS.values()))).rules
    assert poker_habits(rules, NOBODY) == PokerHabits(0, 0, 0, 0, 0, 85, 100, 0)


def test_the_papers_profile_is_understood() -> None:
    profile = (
        "- VPIP: 68% | PFR: 42% | 3-Bet: 12%\n- Folds to c-bet: 55% | Check-raise freq: 8%\n"
        "- Bluff-to-value ratio on river: 2.1:1\n- Folds to 3-bet on the button: 85%\n"
        "- Min-raises preflop with pocket pairs: 100%"
    )
    assert poker_habits(profile, NOBODY) == PokerHabits(68, 42, 12, 55, 8, 85, 100, 68)


def test_chess_profiles_are_understood_with_and_without_a_dash() -> None:
    castles = "Castles within its first 8 moves, as soon as castling is legal."
    avoids = "Never makes a move that allows or makes a trade of queens, unless every legal move does."
    assert chess_habits(f"- {castles}\n{avoids}") == ChessHabits(8, avoids_queen_trades=True)
    assert chess_habits(f"It is not true that it {castles.lower()}") == ChessHabits(0, avoids_queen_trades=False)


def _declared(text: str) -> str:
    found = declared(Reply(text=text), "ACTION:")
    assert isinstance(found, str)
    return found
