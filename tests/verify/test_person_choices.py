"""The choices that a person's page offers: all that is legal, as the game's own reader has it, and nothing else."""

from collections.abc import Callable

import chess
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Message
from agzamov_verify.games.chess import who_stands_better
from agzamov_verify.games.chess.person_moves import chess_choices
from agzamov_verify.games.chess.prompt import PromptStyle, turn_message
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.chess.spelling import read_move
from agzamov_verify.games.chess.variants import CHESS960, STANDARD, Variant
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import random_action
from agzamov_verify.games.holdem.person_actions import hand_choices
from agzamov_verify.games.holdem.prompt import turn_message as hand_message
from agzamov_verify.games.holdem.rules import Hand
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.table.declared import Accepted

SYSTEM = Message("You play.", "system")
PLIES, HANDS = 60, 40


def at_board(fen: str, variant: Variant) -> dict[str, dict[str, object]]:
    """The moves that are offered in a position, by action."""
    prompt = turn_message(Game960(fen, variant), PromptStyle.STANDARD, "")
    return {move["action"]: move for move in chess_choices((SYSTEM, prompt), variant).shown["moves"]}


@pytest.mark.parametrize("variant", [CHESS960, STANDARD], ids=["chess960", "chess"])
def test_every_legal_move_is_offered_once_and_is_read_exactly(variant: Variant) -> None:
    draws, game = Dice(b"person").stream("moves"), Game960(variant.start(Dice(b"person"), 3), variant)
    for _ in range(PLIES):
        prompt = turn_message(game, PromptStyle.STANDARD, "")
        choices = chess_choices((SYSTEM, prompt), variant)
        moves = choices.shown["moves"]
        assert sorted(move["action"] for move in moves) == game.legal_told()
        for move in moves:
            read = read_move(move["action"], game)
            assert isinstance(read, Accepted)
            after = game.board.copy()
            after.push(read.action)
            assert (read.exact, move["board"]) == (True, after.board_fen())
            assert after.color_at(chess.parse_square(move["stands"])) == game.board.turn
        if not moves:
            break
        game.push(read_move(draws.choice(moves)["action"], game).action)  # type: ignore[union-attr]
    assert not choices.is_legal("e2e5")
    assert not choices.is_legal("resign")


@pytest.mark.parametrize(
    ("variant", "fen", "action", "squares"),
    [
        (STANDARD, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", ["h1", "g1"]),
        (CHESS960, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", ["h1", "g1"]),
        (CHESS960, "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", ["g1"]),
        (CHESS960, "4k3/8/8/8/8/8/8/RK6 w A - 0 1", "b1a1", ["a1"]),  # b1c1 is another move of the king
    ],
    ids=["two squares or the rook", "in Chess960 too", "the rook's square is the king's", "the rook alone"],
)
def test_castling_is_made_onto_the_rook_and_onto_the_kings_square_where_that_is_no_other_move(
    variant: Variant, fen: str, action: str, squares: list[str]
) -> None:
    assert at_board(fen, variant)[action]["to"] == squares


def test_a_promotion_has_four_moves_between_two_squares_and_a_check_is_told() -> None:
    moves = at_board("7k/P7/8/8/8/8/8/K7 w - - 0 1", CHESS960)
    assert [moves[f"a7a8{piece}"]["promotion"] for piece in "qrbn"] == ["q", "r", "b", "n"]
    prompt = turn_message(Game960("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"), PromptStyle.STANDARD, "")
    assert chess_choices((SYSTEM, prompt), CHESS960).shown["check"] == "e1"


def test_every_offered_action_of_a_hand_is_legal_and_sizes_out_of_range_are_not() -> None:
    dice, sized = Dice(b"person"), 0
    for number in range(HANDS):
        hand = Hand(deal_cards(dice, f"hand/{number}", (0, 1)), (10_000, 10_000))
        while hand.to_act is not None:
            choices = hand_choices((SYSTEM, hand_message(hand, hand.to_act, "")))
            actions = [row["action"] for row in choices.shown["actions"]]
            if size := choices.shown["size"]:
                sized += 1
                verb, low, high = size["verb"], size["min"], size["max"]
                actions += [f"{verb} {preset['chips'] / 100:g}" for preset in size["presets"]]
                assert all(low <= preset["chips"] <= high for preset in size["presets"])
                assert not choices.is_legal(f"{verb} {(low - 1) / 100:g}")
                assert not choices.is_legal(f"{verb} {(high + 1) / 100:g}")
                assert choices.is_legal(f"{verb} {high // 100}.{high % 100:02d}")
            for action in actions:
                read = read_action(action, hand)
                assert isinstance(read, Accepted)
                assert (read.exact, choices.is_legal(action)) == (True, True)
            assert not choices.is_legal("resign")
            hand.act(random_action(hand, f"{number}/{len(hand.history)}", dice))
    assert sized > HANDS


@pytest.mark.parametrize("choose", [lambda asked: chess_choices(asked, CHESS960), hand_choices])
def test_a_question_that_is_no_decision_offers_nothing(choose: Callable[[tuple[Message, ...]], object]) -> None:
    about = who_stands_better.messages(Game960("4k3/8/8/8/8/8/8/4K2R w K - 0 1"))
    with pytest.raises(ValueError, match="expected a decision"):
        choose(about)


def test_the_usual_sizes_are_shares_of_the_pot_after_a_call() -> None:
    """Button raises to 3 BB; the pot is 4, to call 2: a raise of the pot is to 3 + 6 = 9 BB, half the pot to 6."""
    hand = Hand(deal_cards(Dice(b"person"), "sizes", (0, 1)), (10_000, 10_000))
    hand.act(read_action("raise to 3", hand).action)  # type: ignore[union-attr]
    size = hand_choices((SYSTEM, hand_message(hand, 1, ""))).shown["size"]
    assert {row["words"]: row["chips"] for row in size["presets"]} == {
        "smallest": 500,
        "1/2 pot": 600,
        "2/3 pot": 700,
        "pot": 900,
        "all in": 10_000,
    }
