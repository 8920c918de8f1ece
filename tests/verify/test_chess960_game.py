"""Whole games of Chess960 under scripted seats: what is asked, how they end, what is recorded."""

import chess
import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import ENGINE, Answer, Chat, Evaluate, Evaluation, NoReply, Question, Reply, Try
from agzamov_verify.games.chess.game_script import ChessRecord, ChessRules, Ending, play
from agzamov_verify.games.chess.prompt import PromptStyle
from agzamov_verify.games.chess.rules import DrawClaims, End, Game960
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy
from agzamov_verify.table.decision import IllegalPolicy, Tally
from agzamov_verify.table.players import GameName, Player
from verify.scripted import judged, moves, told, without_signals

START = chess.Board.from_chess960_pos(925).fen()  # RKRBQNBN
QUICKEST_MATE = "b2b4 d7d6 b4b5 e8b5"
NAME = GameName("p1-chess960-g00000", "chess960/g00000")
WHITE, BLACK = Player("agent"), Player("opponent")
DICE = Dice(bytes(32))
UNJUDGED = Adjudication(AdjudicationPolicy.NONE)
FORFEIT = ChessRules(UNJUDGED, illegal=IllegalPolicy.RETRY_THEN_FORFEIT)
PLAIN = ChessRules(UNJUDGED)


def game(
    answers: list[Answer],
    rules: ChessRules = PLAIN,
    start: str = START,
    seats: tuple[Player, Player] = (WHITE, BLACK),
    dice: Dice = DICE,
) -> tuple[ChessRecord, list[Question]]:
    return told(play(NAME, start, *seats, rules, dice), answers)


def test_a_whole_game_ends_in_mate_for_black() -> None:
    record, asked = game(moves(QUICKEST_MATE))
    ending = Ending(End.CHECKMATE, 0)
    four = Tally(decisions=2, calls=2, first_exact=2)
    expected = ChessRecord(NAME.id, START, tuple(QUICKEST_MATE.split()), ending, ending, record.tallies)
    assert expected == record
    assert [four, four] == [without_signals(tally) for tally in record.tallies]
    assert [question.to for question in asked] == ["agent", "opponent", "agent", "opponent"]
    assert [question.turn for question in asked] == [0, 1, 2, 3]


def test_plies_decided_after_failed_tries_of_a_server_are_in_the_record() -> None:
    answers = moves(QUICKEST_MATE)
    for ply in (1, 2):
        answer = answers[ply]
        assert isinstance(answer, Reply)
        answers[ply] = msgspec.structs.replace(answer, attempts=(Try("status 500", "server"),))
    record, _ = game(answers)
    assert record.retried == (1, 2)
    assert [tally.failed_attempts for tally in record.tallies] == [1, 1]


def test_a_mate_by_white_is_a_win_for_white() -> None:
    record, _ = game(moves("a1a8"), start="7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    assert record.ending == Ending(End.CHECKMATE, 2)


@pytest.mark.parametrize(
    ("start", "text", "end"),
    [
        ("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "g5g6", End.STALEMATE),
        ("4k3/8/8/8/8/8/3p4/3K4 w - - 0 1", "d1d2", End.INSUFFICIENT_MATERIAL),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "a1a2", End.FIFTY_MOVES),
        (START, "f1g3 f8g6 g3f1 g6f8 f1g3 f8g6 g3f1 g6f8", End.THREEFOLD_REPETITION),
    ],
)
def test_a_drawn_game_gives_each_side_one_half_point(start: str, text: str, end: End) -> None:
    record, _ = game(moves(text), start=start)
    assert (Ending(end, 1), Ending(end, 1)) == (record.ending, record.raw)


@pytest.mark.parametrize(
    ("start", "text", "end"),
    [
        ("4k3/8/8/8/8/8/8/R3K3 w - - 149 99", "a1a2", End.SEVENTY_FIVE_MOVES),
        (START, "f1g3 f8g6 g3f1 g6f8 " * 4, End.FIVEFOLD_REPETITION),
    ],
)
def test_without_claims_a_game_goes_on_to_the_forced_draws(start: str, text: str, end: End) -> None:
    record, _ = game(moves(text), ChessRules(UNJUDGED, DrawClaims.NEVER), start=start)
    assert record.ending == Ending(end, 1)


def test_the_ply_limit_is_a_draw_at_exactly_its_ply() -> None:
    record, _ = game(moves("b2b4 d7d6 b4b5"), ChessRules(UNJUDGED, plies_max=3))
    assert record.ending == Ending(End.PLY_LIMIT, 1)


def test_a_mate_on_the_last_allowed_ply_is_a_mate() -> None:
    record, _ = game(moves(QUICKEST_MATE), ChessRules(UNJUDGED, plies_max=4))
    assert record.ending == Ending(End.CHECKMATE, 0)


# What a seat reads.


FORM = "\nHow to answer:\nDeclare one legal move on the last line, in the form MOVE: <move>."


def prompts(question: Question) -> tuple[str, str]:
    assert isinstance(question, Chat)
    assert [message.role for message in question.messages] == ["system", "user"]
    system, user = question.messages
    assert user.content.endswith(FORM), "the form of a declaration is the last that is read"
    return system.content, user.content.removesuffix(FORM)


def test_every_prompt_shows_side_position_diagram_and_moves() -> None:
    _, asked = game(moves(QUICKEST_MATE))
    board, so_far = chess.Board(START, chess960=True), []
    for question, text in zip(asked, QUICKEST_MATE.split(), strict=True):
        _, user = prompts(question)
        side = "White" if board.turn else "Black"
        shown = f"You play {side}. It is your turn.\nFEN: {board.fen()}\n"
        assert user.startswith(shown)
        ranks = [f"{8 - at} {rank}" for at, rank in enumerate(str(board).split("\n"))]
        assert "\n".join([*ranks, "  a b c d e f g h"]) in user
        assert user.endswith(f"\nMoves so far: {' '.join(so_far) or 'none'}")
        board.push_uci(text)
        so_far.append(text)


def test_the_legal_moves_are_shown_only_in_the_style_that_names_them() -> None:
    _, plain = game(moves(QUICKEST_MATE))
    _, listed = game(moves(QUICKEST_MATE), ChessRules(UNJUDGED, prompt=PromptStyle.LEGAL_MOVES))
    before, heading, told = prompts(listed[0])[1].partition("\nLegal moves: ")
    assert before == prompts(plain[0])[1]
    assert heading
    legal = sorted(move.uci() for move in chess.Board(START, chess960=True).legal_moves)
    assert sorted(told.split()) == legal


def test_legal_moves_are_listed_in_an_order_that_the_seed_draws_for_each_decision() -> None:
    """Weak models play the first move listed: by the alphabet that was a policy."""
    rules = ChessRules(UNJUDGED, prompt=PromptStyle.LEGAL_MOVES)
    told = [
        [prompts(one)[1].partition("\nLegal moves: ")[2].split() for one in game(moves(QUICKEST_MATE), rules)[1]]
        for _ in "ab"
    ]
    assert told[0] == told[1], "the same whenever it is computed again"
    firsts = sorted(told[0][0])
    assert told[0][0] == DICE.stream(f"listed/{NAME.label}/0").deal(firsts, len(firsts))
    assert all(order != sorted(order) for order in told[0])


def test_patterns_and_briefings_reach_their_own_seat_only() -> None:
    seats = Player("agent", (), "Loves early castling."), Player("opponent", ("castle early.", "keep queens."))
    _, asked = game(moves(QUICKEST_MATE), seats=seats)
    told_agent, told_opponent = (" ".join(prompts(question)) for question in asked[:2])
    assert told_agent.endswith("\nOpponent profile:\nLoves early castling.")
    assert "You must keep this rule in every game: castle early.\n\nYou must keep this rule" in told_opponent
    assert "You must keep" not in told_agent
    assert "Opponent profile" not in told_opponent


def test_each_side_is_sent_one_sampling_seed_of_its_own_in_the_whole_game() -> None:
    _, asked = game(moves(QUICKEST_MATE))
    seeds = [DICE.stream(f"sampling/{NAME.id}/{side}").below(2**31) for side in (0, 1)]
    assert [question.seed for question in asked] == [seeds[ply % 2] for ply in range(len(asked))]


def test_a_scripted_side_has_a_wide_seed_for_each_decision_that_no_other_is_sent() -> None:
    _, asked = game(moves(QUICKEST_MATE), seats=(WHITE, Player("opponent", scripted=True)))
    black = [question for question in asked if question.turn % 2]
    assert [one.seed for one in black] == [DICE.stream(f"own/{NAME.id}/1/{one.turn}").wide() for one in black]
    assert len({question.seed for question in asked}) == len(black) + 1


# Faults of a seat.

FAULTS = {
    "no action": (Reply(text="I resign."), "no_action"),
    "illegal": (Reply(text="MOVE: b2b5"), "illegal"),
    "no reply": (NoReply(reason="refused"), "no_reply"),
    "ambiguous": (Reply(text="MOVE: b2b4\nOr is MOVE: c2c4 better?"), "ambiguous"),
    "cut off": (Reply(text="MOVE: b2b4", finish="length"), "cut"),
}


@pytest.mark.parametrize(("fault", "kind"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_substituted_by_a_legal_move_from_the_dice(fault: Answer, kind: str) -> None:
    record, asked = game([fault], ChessRules(UNJUDGED, plies_max=1))
    drawn = DICE.stream("substitute/chess960/g00000/0/0").choice(Game960(START).legal_moves())
    assert (drawn,) == record.moves
    assert Tally(decisions=1, calls=1, substituted=1, **{f"first_{kind}": 1, f"final_{kind}": 1}) == (
        without_signals(record.tallies[0])
    )
    assert (1, Tally()) == (len(asked), record.tallies[1])


def test_a_substitute_depends_on_root_game_and_ply() -> None:
    nothing: list[Answer] = [Reply(text="")]
    rules = ChessRules(UNJUDGED, plies_max=6)
    one, other = game(nothing * 6, rules)[0], game(nothing * 6, rules, dice=Dice(bytes(31) + b"\1"))[0]
    assert one.moves != other.moves
    assert one == game(nothing * 6, rules)[0]


@pytest.mark.parametrize(("fault", "kind"), FAULTS.values(), ids=FAULTS.keys())
def test_four_faults_forfeit_the_game_to_the_opponent(fault: Answer, kind: str) -> None:
    record, asked = game([*moves("b2b4"), *[fault] * 4], FORFEIT)
    assert record.ending == Ending(End.FORFEIT, 2)
    assert record.moves == ("b2b4",)
    assert (1, {kind}) == (
        record.tallies[1].forfeited,
        {kind} if getattr(record.tallies[1], f"final_{kind}") else set(),
    )
    assert [question.attempt for question in asked[1:]] == [0, 1, 2, 3]


def test_a_forfeit_by_white_is_a_win_for_black() -> None:
    record, _ = game([NoReply(reason="refused")] * 4, FORFEIT)
    assert record.ending == Ending(End.FORFEIT, 0)


def test_a_game_goes_on_after_a_retry_that_is_legal() -> None:
    answers = [Reply(text="MOVE: b4 or so"), *moves(QUICKEST_MATE)]
    record, asked = game(answers, FORFEIT)
    assert record.ending == Ending(End.CHECKMATE, 0)
    assert without_signals(record.tallies[0]) == Tally(decisions=2, calls=3, first_exact=1, first_no_action=1)
    last = asked[1].messages[-1].content
    assert last.startswith("Rejected: 'b4 or so' is not a move. Declare one legal move")


# Adjudication within a game.

SHUFFLES = "f1g3 f8g6 g3e4 g6e5 e4g3 e5g6 g3e4 g6e5"


def by_stockfish(play_on_percent: int = 0, plies: int = 6) -> ChessRules:
    return ChessRules(Adjudication(AdjudicationPolicy.STOCKFISH, plies=plies, play_on_percent=play_on_percent))


def seen_from_the_mover(centipawns: int, plies: int) -> list[Evaluation]:
    """White's value after each ply, in the engine's way: Black is to move after the first."""
    return [Evaluation(centipawns * (-1) ** (ply + 1), None) for ply in range(plies)]


@pytest.mark.parametrize(("centipawns", "halfpoints"), [(1001, 2), (-1001, 0)])
def test_six_plies_beyond_the_threshold_give_the_game_to_that_side(centipawns: int, halfpoints: int) -> None:
    answers = judged(moves(SHUFFLES)[:6], seen_from_the_mover(centipawns, 6))
    record, asked = game(answers, by_stockfish())
    assert (Ending(End.ADJUDICATION, halfpoints), Ending(End.UNFINISHED, 1)) == (record.ending, record.raw)
    assert len(record.moves) == 6
    assert asked[-1] == Evaluate(game=NAME.id, moves=" ".join(SHUFFLES.split()[:6]), start_fen=START, turn=6, to=ENGINE)


def test_one_ply_at_the_threshold_starts_the_count_again() -> None:
    values = seen_from_the_mover(1001, 8)
    values[1] = Evaluation(1000, None)
    record, _ = game(judged(moves(SHUFFLES), values), by_stockfish())
    assert (Ending(End.ADJUDICATION, 2), 8) == (record.ending, len(record.moves))


def test_the_engine_is_asked_after_each_ply_but_not_after_the_end() -> None:
    record, asked = game(judged(moves(QUICKEST_MATE), seen_from_the_mover(-900, 3)), by_stockfish())
    assert record.ending == record.raw == Ending(End.CHECKMATE, 0)
    assert [Evaluate, Chat] * 3 == [type(question) for question in reversed(asked[:-1])]


def test_a_game_played_on_records_both_results_and_asks_the_engine_no_more() -> None:
    """Black was given up for lost after two plies and yet mates."""
    answers = [*judged(moves(QUICKEST_MATE)[:2], seen_from_the_mover(1500, 2)), *moves(QUICKEST_MATE)[2:]]
    record, _ = game(answers, by_stockfish(play_on_percent=100, plies=2))
    assert (Ending(End.ADJUDICATION, 2), Ending(End.CHECKMATE, 0)) == (record.ending, record.raw)


def test_the_control_sample_is_drawn_from_the_dice() -> None:
    """Of many games the declared share is played on, whatever is answered."""
    played_on = 0
    for number in range(200):
        name = GameName(f"g{number:05d}", f"chess960/g{number:05d}")
        draw = DICE.stream(f"play_on/{name.label}").below(100)
        answers = judged(moves("b2b4"), seen_from_the_mover(1500, 1)) + (moves("d7d6") if draw < 20 else [])
        rules = ChessRules(Adjudication(plies=1, play_on_percent=20), plies_max=2)
        record, _ = told(play(name, START, WHITE, BLACK, rules, DICE), answers)
        assert record.raw.end == (End.PLY_LIMIT if draw < 20 else End.UNFINISHED)
        played_on += draw < 20
    assert 20 <= played_on <= 60


QUEEN_AND_ROOK_UP = "4k3/8/8/8/8/8/8/QR2K3 w - - 0 1"


def test_material_gives_the_game_after_six_plies_and_asks_no_engine() -> None:
    rules = ChessRules(Adjudication(AdjudicationPolicy.MATERIAL))
    text = "a1a2 e8f8 a2a3 f8e8 a3a4 e8f8"
    record, asked = game(moves(text), rules, QUEEN_AND_ROOK_UP)
    assert (Ending(End.ADJUDICATION, 2), Ending(End.UNFINISHED, 1)) == (record.ending, record.raw)
    assert {Chat} == {type(question) for question in asked}


def test_material_one_point_below_the_threshold_plays_on() -> None:
    rules = ChessRules(Adjudication(AdjudicationPolicy.MATERIAL), plies_max=7)
    start = "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"  # nine points
    record, _ = game(moves("a1a2 e8f8 a2a3 f8e8 a3a4 e8f8 a4b4"), rules, start)
    assert record.ending == Ending(End.PLY_LIMIT, 1)


def test_no_adjudication_lets_a_hopeless_game_go_on() -> None:
    text = "a1a2 e8f8 a2a3 f8e8 a3a4 e8f8 a4a5"
    record, _ = game(moves(text), ChessRules(UNJUDGED, plies_max=7), QUEEN_AND_ROOK_UP)
    assert record.ending == Ending(End.PLY_LIMIT, 1)
