"""Standard chess, the second variant of the chess folder: its rules, its openings, what its seats read and declare."""

import chess
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.games.chess.game import STANDARD_CHESS, Chess960, StandardMatch
from agzamov_verify.games.chess.game_script import ChessRules, play
from agzamov_verify.games.chess.openings import OPENINGS, Opening
from agzamov_verify.games.chess.prompt import PromptStyle
from agzamov_verify.games.chess.rules import End, Game960
from agzamov_verify.games.chess.starts import PAIR
from agzamov_verify.games.chess.variants import CHESS960, STANDARD
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy
from agzamov_verify.table.declared import Fault
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.players import GameName, Player
from agzamov_verify.table.prompt_lines import read_page
from agzamov_verify.table.registry import GAMES
from verify.scripted import moves, told

RULES = ChessRules(Adjudication(AdjudicationPolicy.NONE), prompt=PromptStyle.LEGAL_MOVES, plies_max=12)
ROOT = bytes(32)
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"

# https://www.chessprogramming.org/Perft_Results: the initial position, and position 2 ("Kiwipete")
PUBLISHED = {
    chess.STARTING_FEN: (20, 400, 8902),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (48, 2039),
}


def branch(game: Game960, move: str) -> Game960:
    """A new game, one legal move further."""
    after = Game960(game.start_fen, STANDARD)
    for played in (*game.moves, move):
        read = after.read(played)
        assert isinstance(read, chess.Move)
        after.push(read)
    return after


def perft(game: Game960, depth: int) -> int:
    legal = game.legal_told()
    return len(legal) if depth == 1 else sum(perft(branch(game, move), depth - 1) for move in legal)


@pytest.mark.parametrize(("fen", "leaves"), PUBLISHED.items())
def test_perft_gives_the_published_numbers(fen: str, leaves: tuple[int, ...]) -> None:
    assert leaves == tuple(perft(Game960(fen, STANDARD), depth + 1) for depth in range(len(leaves)))


@pytest.mark.parametrize("opening", OPENINGS, ids=lambda opening: opening.eco)
def test_an_opening_is_legal_short_and_leaves_white_to_move(opening: Opening) -> None:
    board = chess.Board()
    for move in opening.moves.split():
        assert chess.Move.from_uci(move) in board.legal_moves
        board.push_uci(move)
    assert 4 <= len(board.move_stack) <= 8
    assert board.turn == chess.WHITE
    assert opening.fen == board.fen()


def test_openings_are_different_positions_with_different_codes() -> None:
    assert len({opening.fen for opening in OPENINGS}) == len(OPENINGS) == len({opening.eco for opening in OPENINGS})


@pytest.mark.parametrize("steps", ["e1g1", "e1c1"])
def test_castling_is_told_and_declared_as_the_kings_two_squares(steps: str) -> None:
    game = Game960(CASTLES, STANDARD)
    assert steps in game.legal_told()
    assert not {"e1h1", "e1a1"} & set(game.legal_told())
    move = game.read(steps)
    assert isinstance(move, chess.Move)
    game.push(move)
    assert game.moves_told() == steps
    assert game.moves_text in ("e1h1", "e1a1"), "to the engine and in the journal as in Chess960"


def test_a_rook_that_moves_as_castling_is_written_is_told_as_it_moves() -> None:
    game = Game960("3k4/8/8/8/8/8/8/K3R3 w - - 0 1", STANDARD)
    assert {"e1h1", "e1g1"} <= set(game.legal_told())
    rook = game.read("e1h1")
    assert isinstance(rook, chess.Move)
    game.push(rook)
    assert game.moves_told() == "e1h1"


def test_a_kings_two_squares_without_the_right_are_illegal_and_in_chess960_no_castling_of_uci() -> None:
    assert isinstance(Game960(CASTLES.replace("KQkq", "kq"), STANDARD).read("e1g1"), Fault)
    assert isinstance(Game960(CASTLES, CHESS960).read("e1g1"), Fault)


def test_seats_read_of_chess_and_of_its_castling() -> None:
    replies = moves("e1g1 e8c8 g1f2")
    game = play(
        GameName("g", "g"),
        CASTLES,
        Player("a"),
        Player("b"),
        ChessRules(RULES.adjudication, plies_max=3),
        Dice(ROOT),
        variant=STANDARD,
    )
    record, asked = told(game, replies)
    assert record.moves == ("e1h1", "e8a8", "g1f2")
    assert record.ending.end is End.PLY_LIMIT
    system, user = asked[2].messages if isinstance(asked[2], Chat) else ()
    assert "Chess960" not in system.content
    assert "the two squares of the king: e1g1" in system.content
    assert "Moves so far: e1g1 e8c8" in user.content
    assert sum(tally.first_exact for tally in record.tallies) == 3


def test_a_note_tells_castling_as_the_seats_of_the_variant_do() -> None:
    rules = ChessRules(RULES.adjudication, plies_max=5)
    game = play(GameName("g", "g"), CASTLES, Player("a"), Player("b"), rules, Dice(ROOT), variant=STANDARD)
    record, _ = told(game, moves("e1g1 e8c8 g1f2 c8b8 f2e2"))
    assert "First moves as White: e1g1 g1f2 f2e2" in STANDARD_CHESS.observation([record], 0, 1)
    assert "First moves as White: e1h1 g1f2 f2e2" in GAMES["chess960"].observation([record], 0, 1)


def test_a_match_plays_each_opening_with_both_colours_and_never_one_twice() -> None:
    games = PAIR * len(OPENINGS)
    match = StandardMatch(a="a", b="b", phase=1, games=games)
    stream, rules = StreamPlan("m-b00000", match, 0, games), ChessRules(RULES.adjudication, plies_max=2)
    seats = (Player("a", scripted=True), Player("b", scripted=True))
    random = STANDARD_CHESS.scripted["random"]

    def reply(question: object) -> Reply:
        assert isinstance(question, Chat)
        return Reply(text=random(read_page(question.messages), question.seed))

    block = drive(STANDARD_CHESS.script(stream, lambda _: seats, rules, Dice(ROOT)), reply)
    starts = [record.start_fen for record in block.records]
    assert starts[::2] == starts[1::2]
    assert set(starts) == {opening.fen for opening in OPENINGS}
    assert not list(STANDARD_CHESS.match_problems(match, rules))


def test_more_games_than_openings_give_are_refused() -> None:
    match = StandardMatch(a="a", b="b", phase=1, games=PAIR * len(OPENINGS) + PAIR)
    (problem,) = STANDARD_CHESS.match_problems(match, RULES)
    assert problem.message.startswith(f"expected at most {PAIR * len(OPENINGS)}")


def test_each_variant_names_its_own_texts() -> None:
    assert all(name.startswith("chess/") for name in STANDARD_CHESS.templates)
    assert all(name.startswith("chess960/") for name in Chess960.templates)
