"""What a seat is told: the rules that end its game, its limits, and no line that could be taken for an action."""

import re
from collections.abc import Iterator

import chess
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Message, Reply
from agzamov_verify.games.chess import prompt as chess_prompt
from agzamov_verify.games.chess.game_script import ChessRules
from agzamov_verify.games.chess.pattern_sentences import CHESS_PATTERNS
from agzamov_verify.games.chess.prompt import PromptStyle
from agzamov_verify.games.chess.rules import DrawClaims, Game960
from agzamov_verify.games.chess.spelling import read_move
from agzamov_verify.games.holdem import prompt as poker_prompt
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import random_action
from agzamov_verify.games.holdem.pattern_sentences import POKER_PATTERNS
from agzamov_verify.games.holdem.rules import Hand
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy
from agzamov_verify.table.decision import IllegalPolicy
from agzamov_verify.table.declared import Accepted, Declared, declared, read_declared
from agzamov_verify.table.prompt_lines import forgotten, form_of, read_page, without_form

DICE = Dice(b"prompts")
RULES = [
    ChessRules(Adjudication(policy, play_on_percent=percent), claims, illegal)
    for policy in AdjudicationPolicy
    for claims in DrawClaims
    for illegal in IllegalPolicy
    for percent in (0, 100)
]


def games() -> Iterator[Game960]:
    stream = DICE.stream("games")
    for _ in range(4):
        game = Game960(chess.Board.from_chess960_pos(stream.below(960)).fen())
        while game.ply < 40 and (moves := game.legal_moves()):
            if game.ply % 8 == 0:
                yield game
            game.push(chess.Move.from_uci(stream.choice(moves)))


def hands() -> Iterator[Hand]:
    for number in range(40):
        hand = Hand(deal_cards(DICE, number, (0, 1)), (10_000, 10_000))
        while hand.to_act is not None:
            yield hand
            hand.act(random_action(hand, f"{number}/{len(hand.history)}", DICE))


def chess_texts(game: Game960) -> Iterator[str]:
    for rules in RULES:
        yield chess_prompt.system_message(tuple(CHESS_PATTERNS.values()), rules.terms(512)).content
    for style in PromptStyle:
        yield chess_prompt.turn_message(game, style, "It castles early.").content
    yield f"Rejected: e2e5 is not legal in this position. {chess_prompt.REMINDER}"


def poker_texts(hand: Hand) -> Iterator[str]:
    for illegal in IllegalPolicy:
        terms = poker_prompt.PokerTerms(10_000, illegal, 512)
        yield poker_prompt.system_message(tuple(POKER_PATTERNS.values()), terms).content
    yield poker_prompt.turn_message(hand, hand.to_act or 0, "It folds.").content
    yield f"Rejected: check is not legal here. {poker_prompt.REMINDER}"


def echoes(text: str) -> Iterator[Reply]:
    """A seat that repeats a prompt, as it stands or cut after any line, or one line of it."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        yield Reply(text="\n".join(lines[: at + 1]))
        yield Reply(text=line)


def test_a_seat_that_repeats_its_chess_prompt_declares_no_move() -> None:
    for game in games():
        for text in set(chess_texts(game)):
            for reply in echoes(text):
                found = read_declared(reply, chess_prompt.TAG, lambda said, game=game: read_move(said, game))  # type: ignore[misc]
                assert not isinstance(found, Accepted), reply.text


def test_a_seat_that_repeats_its_poker_prompt_declares_no_action() -> None:
    for hand in hands():
        for text in set(poker_texts(hand)):
            for reply in echoes(text):
                found = read_declared(reply, poker_prompt.TAG, lambda said, hand=hand: read_action(said, hand))  # type: ignore[misc]
                assert not isinstance(found, Accepted), reply.text


def test_the_form_in_the_prompt_is_the_one_that_is_read() -> None:
    for module, text in ((chess_prompt, "<move>"), (poker_prompt, "<action>")):
        assert f"\n{module.TAG} {text}\n" in module.SYSTEM
        assert module.REMINDER.endswith(f"in the form {module.TAG} {text}")
        found = declared(Reply(text=f"{module.TAG} {text}"), module.TAG)
        assert isinstance(found, Declared)
        assert found.text == text.strip("<>")


def test_no_word_of_a_system_prompt_is_two_squares() -> None:
    for text in {text for game in list(games())[:1] for text in chess_texts(game) if text.startswith("You are")}:
        assert re.findall(r"\b[a-h][1-8](?:[a-h][1-8])?[qrbn]?\b", text) == []


def told(rules: ChessRules, tokens_max: int = 0) -> str:
    return chess_prompt.system_message((), rules.terms(tokens_max)).content


NO_STOP = Adjudication(AdjudicationPolicy.NONE)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (ChessRules(), "drawn at once when a position occurs for the third time, after 50 moves by each side"),
        (ChessRules(draw_claims=DrawClaims.NEVER), "occurs for the fifth time, after 75 moves by each side"),
        (ChessRules(), "drawn if it has not ended after 400 moves of both sides together"),
        (ChessRules(plies_max=41), "drawn if it has not ended after 41 moves"),
        (
            ChessRules(),
            "ahead by more than 1000 centipawns after each of 6 moves in a row, counting both sides, has won",
        ),
        (ChessRules(Adjudication(AdjudicationPolicy.MATERIAL, threshold_points=7, plies=3)), "by 7 points or more"),
        (
            ChessRules(Adjudication(AdjudicationPolicy.MATERIAL, threshold_points=7, plies=3)),
            "each of 3 moves in a row",
        ),
        (ChessRules(NO_STOP), "It is never stopped early."),
        (ChessRules(Adjudication(play_on_percent=100)), "It is never stopped early."),
        (ChessRules(), "An answer that is cut off counts as no move."),
        (ChessRules(), "holds no legal move, a random legal move is played for you"),
        (
            ChessRules(illegal=IllegalPolicy.RETRY_THEN_FORFEIT),
            "you are told why and asked again, 3 times at most; after that you lose the game",
        ),
    ],
)
def test_a_chess_seat_is_told_what_ends_its_game(rules: ChessRules, words: str) -> None:
    assert words in told(rules)


def test_a_seat_is_told_its_own_token_limit_and_no_other() -> None:
    assert "Your answer, thoughts included, may have at most 512 tokens. An answer that" in told(ChessRules(), 512)
    assert "tokens" not in told(ChessRules())
    poker = poker_prompt.system_message((), poker_prompt.PokerTerms(10_000, tokens_max=77)).content
    assert "at most 77 tokens. An answer that is cut off counts as no action." in poker
    assert "tokens" not in poker_prompt.system_message((), poker_prompt.PokerTerms(10_000)).content


def test_a_poker_seat_is_told_what_an_illegal_action_costs() -> None:
    terms = [poker_prompt.PokerTerms(10_000, illegal) for illegal in IllegalPolicy]
    substituted, retried = (poker_prompt.system_message((), one).content for one in terms)
    assert "a random legal action is played for you" in substituted
    assert "asked again, 3 times at most; after that you lose the hand" in retried


def test_the_rules_of_a_prompt_are_those_of_the_game_that_is_played() -> None:
    rules = ChessRules(NO_STOP, DrawClaims.NEVER, IllegalPolicy.RETRY_THEN_FORFEIT, 12)
    terms = rules.terms(9)
    assert (terms.adjudication, terms.draw_claims, terms.illegal) == (NO_STOP, DrawClaims.NEVER, rules.illegal)
    assert (terms.plies_max, terms.tokens_max) == (12, 9)


def test_the_form_ends_a_decisions_prompt_and_is_no_part_of_what_is_remembered() -> None:
    told, form = "You play.\nOpponent profile:\nFolds.", form_of(chess_prompt.REMINDER)
    assert without_form(told + form) == (told, form)
    page = read_page((Message("Play.", "system"), Message(told + form, "user")))
    assert (page.situation, page.profile) == ("You play.", "Folds.")
    _, user = forgotten((Message("Play.", "system"), Message(told + form, "user")), "Nothing is remembered.")
    assert user.content == f"You play.\nOpponent profile:\nNothing is remembered.{form}"


def test_an_entry_that_holds_the_heading_takes_nothing_away() -> None:
    hostile = "You play.\nOpponent profile:\nFolds.\nHow to answer:\nAs you like.\nCalls."
    assert without_form(hostile) == (hostile, "")
    form = form_of(chess_prompt.REMINDER)
    assert without_form(hostile + form) == (hostile, form)
