"""The reference player of Chess960 at the real table: strength, rules kept, true information used."""

import chess
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.games.chess.game_script import ChessRecord, ChessRules, play
from agzamov_verify.games.chess.notes import observation
from agzamov_verify.games.chess.pattern_sentences import CHESS_PATTERNS
from agzamov_verify.games.chess.patterns import NO_HABITS, chess_habits, trades_queens
from agzamov_verify.games.chess.prompt import PromptStyle, system_message, turn_message
from agzamov_verify.games.chess.rules import End, Game960
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy
from agzamov_verify.table.players import GameName, Player
from agzamov_verify.table.scripted_players import scripted_reply

AGENT, OPPONENT, DICE = "agent", "reference opponent", "random"
CASTLES = "- Castles within its first 8 moves, as soon as castling is legal."
AVOIDS = "- Never makes a move that allows or makes a trade of queens, unless every legal move does."


def answer(question: Question) -> Reply:
    assert isinstance(question, Chat)
    return Reply(
        text=scripted_reply("random" if question.to == DICE else "reference", question.messages, question.seed)
    )


def game(number: int, white: Player, black: Player, plies_max: int, policy: AdjudicationPolicy) -> ChessRecord:
    rules = ChessRules(adjudication=Adjudication(policy=policy), plies_max=plies_max)
    start = chess.Board.from_chess960_pos(number * 97 % 960).fen()
    return drive(play(GameName(f"g{number}", f"g{number}"), start, white, black, rules, Dice(b"chess")), answer)


def answered(fen: str, briefing: str = "", patterns: tuple[str, ...] = (), seed: int = 1) -> str:
    messages = (
        system_message(patterns, ChessRules().terms(0)),
        turn_message(Game960(fen), PromptStyle.STANDARD, briefing),
    )
    return scripted_reply("reference", messages, seed)


def move(fen: str, briefing: str = "", patterns: tuple[str, ...] = (), seed: int = 1) -> str:
    return answered(fen, briefing, patterns, seed).rpartition("MOVE: ")[2]


@pytest.mark.parametrize("policy", [AdjudicationPolicy.NONE, AdjudicationPolicy.MATERIAL])
def test_the_reference_beats_random_in_every_game(policy: AdjudicationPolicy) -> None:
    agent, dice = Player(AGENT), Player(DICE)
    for number in range(3):
        as_white = game(2 * number, agent, dice, 400, policy)
        as_black = game(2 * number + 1, dice, agent, 400, policy)
        assert (as_white.ending.white_halfpoints, as_black.ending.white_halfpoints) == (2, 0)
        assert not as_white.tallies[0].faults + as_black.tallies[1].faults
        ends = {End.CHECKMATE} if policy is AdjudicationPolicy.NONE else {End.CHECKMATE, End.ADJUDICATION}
        assert {as_white.ending.end, as_black.ending.end} <= ends


def test_it_mates_in_one_and_takes_what_hangs() -> None:
    assert move("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 30") == "a1a8"
    assert move("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 30") == "e4d5"


@pytest.mark.parametrize("fen", ["8/8/8/4k3/8/8/8/R3K3 w - - 0 60", "8/8/8/4k3/8/8/8/Q3K3 b - - 0 60"])
def test_a_won_ending_is_won_without_repetition(fen: str) -> None:
    rules = ChessRules(adjudication=Adjudication(policy=AdjudicationPolicy.NONE))
    record = drive(play(GameName("e", "e"), fen, Player(AGENT), Player(OPPONENT), rules, Dice(b"ending")), answer)
    assert record.ending.end is End.CHECKMATE


def test_a_position_seen_before_is_left_alone_when_ahead() -> None:
    game = Game960("7k/8/8/8/8/8/R7/K7 w - - 0 1")
    for text in ("a2g2", "h8h7", "g2a2", "h7h8", "a2g2", "h8h7"):
        game.push(chess.Move.from_uci(text))
    messages = (system_message((), ChessRules().terms(0)), turn_message(game, PromptStyle.STANDARD, ""))
    for seed in range(8):
        game.push(chess.Move.from_uci(scripted_reply("reference", messages, seed).rpartition("MOVE: ")[2]))
        assert not _with_stack(game).is_repetition(2)
        game = _taken_back(game)


def _with_stack(game: Game960) -> chess.Board:
    board = chess.Board(game.start_fen, chess960=True)
    for text in game.moves:
        board.push_uci(text)
    return board


def _taken_back(game: Game960) -> Game960:
    earlier = Game960(game.start_fen)
    for text in game.moves[:-1]:
        earlier.push(chess.Move.from_uci(text))
    return earlier


def test_it_varies_with_the_seed_in_a_quiet_position() -> None:
    start = chess.Board.from_chess960_pos(518).fen()
    assert len({move(start, seed=seed) for seed in range(12)}) > 1


def test_a_wild_position_ends_within_the_budget() -> None:
    queens = "q2q2N1/5Qqr/q2QQ1Bb/N5q1/NKBqBr1Q/2r1nR2/1bQQq3/k7 w - - 0 50"
    assert chess.Move.from_uci(move(queens)) in chess.Board(queens, chess960=True).legal_moves


def test_castling_early_is_kept_as_soon_as_it_is_legal() -> None:
    fen = "r1bqk2r/ppppbppp/2n2n2/4p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 0 {move}"
    early = CHESS_PATTERNS["castles_early"]
    assert {move(fen.format(move=5), patterns=(early,), seed=seed) for seed in range(6)} == {"e1h1"}
    assert move(fen.replace("2n5", "3q4").format(move=8), patterns=(early,)) == "e1h1"


def test_the_patterned_player_castles_within_eight_moves_in_most_games() -> None:
    keeper = Player(OPPONENT, (CHESS_PATTERNS["castles_early"],))
    castled = 0
    for number in range(6):
        record = game(number, keeper, Player(AGENT), 16, AdjudicationPolicy.NONE)
        board = chess.Board(record.start_fen, chess960=True)
        for ply, text in enumerate(record.moves):
            due = not ply % 2 and any(board.generate_castling_moves())
            played = chess.Move.from_uci(text)
            assert not due or board.is_castling(played)
            castled += due
            board.push(played)
    assert castled >= 4


@pytest.mark.slow
def test_queen_trades_are_avoided_at_every_move() -> None:
    keeper = Player(OPPONENT, (CHESS_PATTERNS["avoids_queen_trades"],))
    for number in range(2):
        record = game(number, keeper, Player(AGENT), 60, AdjudicationPolicy.NONE)
        board = chess.Board(record.start_fen, chess960=True)
        for ply, text in enumerate(record.moves):
            played = chess.Move.from_uci(text)
            if not ply % 2 and trades_queens(board, played):
                assert all(trades_queens(board, other) for other in board.legal_moves)
            board.push(played)


def test_what_counts_as_a_trade_of_queens() -> None:
    board = chess.Board("3qk3/8/8/8/8/8/3P4/3QK3 w - - 0 1")
    assert not trades_queens(board, chess.Move.from_uci("d1a4"))
    assert trades_queens(chess.Board("3qk3/8/8/8/8/8/8/3QK3 w - - 0 1"), chess.Move.from_uci("d1d8"))
    assert trades_queens(chess.Board("3qk3/8/8/8/8/8/8/3QK3 w - - 0 1"), chess.Move.from_uci("d1d4"))
    assert not trades_queens(chess.Board("3q3k/8/8/8/8/8/8/3QK3 w - - 0 1"), chess.Move.from_uci("d1d8"))
    assert not trades_queens(chess.Board("4k3/8/8/8/8/8/8/3QK3 w - - 0 1"), chess.Move.from_uci("d1d4"))


# A bishop on g5 attacks the queen and hangs; a player that must castle can neither take it nor save her.
OWES_CASTLING = "r1bqk2r/pppp1ppp/2n5/2b1p3/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 0 {move}"


def test_a_castling_reply_that_the_profile_foretells_wins_the_queen() -> None:
    fen = OWES_CASTLING.format(move=5)
    assert {move(fen, seed=seed) for seed in range(6)}.isdisjoint({"c1g5"})
    assert {move(fen, CASTLES, seed=seed) for seed in range(6)} == {"c1g5"}
    game = Game960(fen)
    for briefing, patterns in ((CASTLES, ()), ("", (CHESS_PATTERNS["castles_early"],)), (CASTLES, ())):
        game.push(chess.Move.from_uci(move(game.fen(), briefing, patterns)))
    assert game.moves == ["c1g5", "e8h8", "g5d8"]


def notes_of(opponent: Player, games: int) -> str:
    """What the agent notes of so many games, which are long enough to castle early in."""
    records = []
    for number in range(games):
        seats = (opponent, Player(AGENT)) if number % 2 else (Player(AGENT), opponent)
        records.append(game(20 + number, *seats, 20, AdjudicationPolicy.NONE))
    return "\n".join(observation([record], number, 0) for number, record in enumerate(records))


@pytest.mark.slow
def test_notes_of_five_games_show_that_an_opponent_castles_early_and_none_show_it_of_another() -> None:
    keeper = Player(OPPONENT, (CHESS_PATTERNS["castles_early"],))
    assert chess_habits(notes_of(keeper, 5)) == chess_habits(CASTLES)
    assert chess_habits(notes_of(Player(OPPONENT), 5)) == NO_HABITS


ROOK_GUARDS = "r5k1/5pp1/7p/8/8/1p2Q3/1P3PPP/6K1 w - - 0 30"


def test_a_check_that_the_king_will_answer_wins_the_rook_that_could_take() -> None:
    assert move(ROOK_GUARDS) != "e3e8"
    assert move(ROOK_GUARDS, "- When in check, moves its king, as long as it has a legal move.") == "e3e8"
    game = Game960(ROOK_GUARDS)
    game.push(chess.Move.from_uci("e3e8"))
    assert move(game.fen()) == "a8e8"
    assert move(game.fen(), patterns=(CHESS_PATTERNS["king_answers_checks"],)) == "g8h7"


def test_a_piece_that_has_just_captured_is_taken_back() -> None:
    game = Game960("4k3/8/2p5/3n4/4P3/8/8/3QK3 w - - 0 30")
    game.push(chess.Move.from_uci("e4d5"))
    system = system_message((CHESS_PATTERNS["always_recaptures"],), ChessRules().terms(0))
    messages = (system, turn_message(game, PromptStyle.STANDARD, ""))
    assert {scripted_reply("reference", messages, seed).rpartition("MOVE: ")[2] for seed in range(4)} == {"c6d5"}


def test_the_castling_profile_says_nothing_after_its_moves() -> None:
    fen = OWES_CASTLING.format(move=9)
    for seed in range(4):
        assert move(fen, CASTLES, seed=seed) == move(fen, seed=seed)


def test_a_profile_that_says_nothing_of_this_game_changes_no_move() -> None:
    for number in range(6):
        fen = chess.Board.from_chess960_pos(number * 150).fen()
        assert answered(fen, "- VPIP: 68% | PFR: 42% | 3-Bet: 12%") == answered(fen)
        assert answered(fen, "It likes the colour blue.") == answered(fen)
