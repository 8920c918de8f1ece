"""The door to the reference players, what they read, and the random player."""

from collections import Counter
from dataclasses import fields, replace

import chess
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Message, Reply
from agzamov_verify.experiment.opponent_patterns import Pattern
from agzamov_verify.games.chess import prompt as chess_prompt
from agzamov_verify.games.chess.game_script import ChessRules
from agzamov_verify.games.chess.pattern_sentences import CHESS_PATTERNS, ChessPattern
from agzamov_verify.games.chess.patterns import NO_HABITS, ChessHabits, chess_habits
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.holdem import prompt as holdem_prompt
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.habit_words import PokerHabits, kept_patterns, poker_habits
from agzamov_verify.games.holdem.hand_script import random_action
from agzamov_verify.games.holdem.pattern_sentences import POKER_PATTERNS, PokerPattern
from agzamov_verify.games.holdem.reference_player import STRANGER
from agzamov_verify.games.holdem.rules import ActionKind, Deal, Hand
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.games.holdem.spot import LegalOptions, Verb, Who, read_spot, spot_of
from agzamov_verify.table.declared import Accepted, Declared, declared
from agzamov_verify.table.prompt_lines import read_page
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.scripted_players import scripted_reply

NOBODY = PokerHabits(**dict.fromkeys((field.name for field in fields(PokerHabits)), 0))
START = chess.Board.from_chess960_pos(518).fen()


def chess_messages(fen: str = START, briefing: str = "", patterns: tuple[str, ...] = ()) -> tuple[Message, ...]:
    user = chess_prompt.turn_message(Game960(fen), chess_prompt.PromptStyle.STANDARD, briefing)
    return (chess_prompt.system_message(patterns, ChessRules().terms(0)), user)


def deal(dice: Dice, hand: int) -> Deal:
    a, b, c, d, *board = dice.stream(f"deck/{hand}").deal(DECK, 9)
    return Deal((a, b), (c, d), (board[0], board[1], board[2], board[3], board[4]))


def hand_messages(hand: Hand, briefing: str = "", patterns: tuple[str, ...] = ()) -> tuple[Message, ...]:
    assert hand.to_act is not None
    user = holdem_prompt.turn_message(hand, hand.to_act, briefing)
    return (holdem_prompt.system_message(patterns, holdem_prompt.PokerTerms(10_000)), user)


def test_the_same_prompt_and_seed_give_the_same_words() -> None:
    hand = Hand(deal(Dice(b"same"), 0), (10_000, 10_000))
    for kind in ("reference", "random"):
        assert scripted_reply(kind, chess_messages(), 7) == scripted_reply(kind, chess_messages(), 7)
        assert scripted_reply(kind, hand_messages(hand), 7) == scripted_reply(kind, hand_messages(hand), 7)


def test_the_random_player_varies_with_the_seed_over_all_legal_moves() -> None:
    said = Counter(_declared(scripted_reply("random", chess_messages(), seed), "MOVE:") for seed in range(600))
    assert set(said) == set(Game960(START).legal_moves())
    assert max(said.values()) < 3 * 600 / 20


def test_the_random_player_chooses_kinds_and_amounts_evenly() -> None:
    hand = Hand(deal(Dice(b"even"), 0), (10_000, 10_000))
    texts = [_declared(scripted_reply("random", hand_messages(hand), seed), "ACTION:") for seed in range(600)]
    said = [read_action(text, hand) for text in texts]
    actions = [read.action for read in said if isinstance(read, Accepted) and read.exact]
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
    assert scripted_reply("reference", again, 3) == scripted_reply("reference", messages, 3)


def test_an_unknown_game_is_named_in_the_error() -> None:
    games = " or ".join(GAMES)
    with pytest.raises(ValueError, match=f"expected a prompt of {games}, found 'Reversi board"):
        scripted_reply("reference", (Message("Play.", "system"), Message("Reversi board: ...", "user")), 1)


def test_an_unknown_kind_is_named_in_the_error() -> None:
    kinds = "benchmark or novice or random or reference"
    with pytest.raises(ValueError, match=f"expected a player of kind {kinds}, found 'oracle'"):
        scripted_reply("oracle", chess_messages(), 1)


def test_a_broken_prompt_says_which_line_is_missing() -> None:
    with pytest.raises(ValueError, match="expected a line that starts with 'Pot'"):
        scripted_reply("reference", (Message("", "system"), Message("Hole cards: [Ah, Kd]\nBoard: []", "user")), 1)


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
    assert spot.options == LegalOptions(
        tuple(Verb(k.value) for k in legal.kinds), legal.min_to_chips, legal.max_to_chips
    )
    expected = [
        (Who.ME if p.player == mine else Who.OPPONENT, p.action.kind.value, p.action.to_chips) for p in hand.history
    ]
    assert [(deed.who, deed.verb.value, deed.to_chips) for deed in spot.history] == expected
    assert spot == spot_of(hand, mine)


def test_rules_are_read_from_the_system_message_only() -> None:
    early = CHESS_PATTERNS["castles_early"]
    assert chess_habits(read_page(chess_messages(patterns=(early,))).rules) == ChessHabits(8)
    assert not read_page(chess_messages(briefing=early)).rules


PROFILES = {
    "castles_early": "Castles within its first 8 moves, as soon as castling is legal.",
    "avoids_queen_trades": "Never makes a move that allows or makes a trade of queens.",
    "king_answers_checks": "When in check, moves its king, as long as it has a legal move.",
    "pieces_answer_checks": "When in check, does not move its king, as long as another piece can answer.",
    "always_recaptures": "Takes back a piece that has just captured one of its own, whenever that is legal.",
    "moves_attacked_queen": "Moves its queen whenever it is attacked and has a legal move.",
    "never_retreats": "Never moves a knight, bishop, rook or queen to a rank nearer to its own side.",
    "keeps_own_half": "Never moves a knight, bishop, rook or queen into its opponent's half.",
    "pushes_rook_pawns": "Within its first 6 moves, pushes the pawn on the a-file or the h-file.",
}


@pytest.mark.parametrize("name", CHESS_PATTERNS)
def test_a_profile_names_a_chess_habit_as_the_rule_does(name: Pattern) -> None:
    told, kept = chess_habits(f"- {PROFILES[name]}"), chess_habits(CHESS_PATTERNS[name])
    assert told == kept != NO_HABITS


def test_every_pattern_of_the_catalogue_is_understood() -> None:
    every = read_page(chess_messages(patterns=tuple(CHESS_PATTERNS.values()))).rules
    assert chess_habits(every) == ChessHabits(8, frozenset(CHESS_PATTERNS) - {ChessPattern.CASTLES_EARLY})
    hand = Hand(deal(Dice(b"rules"), 0), (10_000, 10_000))
    rules = read_page(hand_messages(hand, patterns=tuple(POKER_PATTERNS.values()))).rules
    assert kept_patterns(rules) == tuple(POKER_PATTERNS)
    assert all(poker_habits(sentence, STRANGER) != STRANGER for sentence in POKER_PATTERNS.values())
    assert poker_habits(POKER_PATTERNS[PokerPattern.FOLDS_BUTTON_TO_3BET], NOBODY) == replace(
        NOBODY, folds_button_to_3bet=85
    )
    assert poker_habits(POKER_PATTERNS[PokerPattern.MIN_RAISES_PAIRS], NOBODY) == replace(NOBODY, min_raises_pairs=100)


def test_the_papers_profile_is_understood() -> None:
    profile = (
        "- VPIP: 68% | PFR: 42% | 3-Bet: 12%\n- Folds to c-bet: 55% | Check-raise freq: 8%\n"
        "- Bluff-to-value ratio on river: 2.1:1\n- Folds to 3-bet on the button: 85%\n"
        "- Min-raises preflop with pocket pairs: 100%"
    )
    expected = replace(NOBODY, vpip=68, pfr=42, three_bet=12, folds_to_cbet=55, check_raise=8, folds_button_to_3bet=85)
    expected = replace(expected, folds_to_turn_bet=55, folds_to_river_bet=55, min_raises_pairs=100, river_bluffs=68)
    assert poker_habits(profile, NOBODY) == expected


def test_chess_profiles_are_understood_with_and_without_a_dash() -> None:
    castles = "Castles within its first 8 moves, as soon as castling is legal."
    avoids = "Never makes a move that allows or makes a trade of queens, unless every legal move does."
    assert chess_habits(f"- {castles}\n{avoids}") == ChessHabits(8, frozenset({ChessPattern.AVOIDS_QUEEN_TRADES}))
    assert chess_habits(f"It is not true that it {castles.lower()}") == NO_HABITS


def _declared(text: str, tag: str) -> str:
    found = declared(Reply(text=text), tag)
    assert isinstance(found, Declared)
    assert found.plain
    return found.text
