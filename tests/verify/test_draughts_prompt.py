"""What a seat of draughts reads is true of the game it plays: each sentence of the rules is held against the engine."""

from collections.abc import Callable

import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat
from agzamov_verify.experiment.matches import Phase
from agzamov_verify.games.draughts.ballots import BALLOTS
from agzamov_verify.games.draughts.board import legal_moves, played, read_fen
from agzamov_verify.games.draughts.game import GAME, DraughtsMatch
from agzamov_verify.games.draughts.game_script import DraughtsRecord, play
from agzamov_verify.games.draughts.prompt import RULES, SYSTEM, TEMPLATES, DraughtsRules, system_message, turn_message
from agzamov_verify.games.draughts.rules import DraughtsGame, End
from agzamov_verify.games.draughts.spelling import read_move
from agzamov_verify.table.decision import IllegalPolicy
from agzamov_verify.table.declared import Accepted, FaultKind
from agzamov_verify.table.players import GameName, Player
from agzamov_verify.table.prompt_lines import labelled, read_page
from verify.scripted import moves, told

BALLOT = "11-15 23-19 8-11"
DICE, NORM = Dice(bytes(32)), DraughtsRules()


def texts(position: str) -> set[str]:
    return {move.text for move in legal_moves(read_fen(position))}


def end_after(position: str, text: str, rules: DraughtsRules = NORM) -> End | None:
    game = DraughtsGame("")
    game.position = read_fen(position)
    for move in text.split():
        game.play(move)
    return game.end(rules.quiet_moves_max, rules.plies_max)


def record_of(text: str, rules: DraughtsRules, ballot: str = BALLOT) -> tuple[DraughtsRecord, list[Chat]]:
    players = (Player("white"), Player("black"))
    record, asked = told(play(GameName("g", "l"), ballot, players, rules, DICE), moves(text))
    return record, [one for one in asked if isinstance(one, Chat)]


def squares_begin_at_the_top() -> None:
    assert DraughtsGame("").diagram().splitlines()[0].split() == ["1b", "2b", "3b", "4b"]
    assert DraughtsGame("").diagram().splitlines()[-1].split() == ["29w", "30w", "31w", "32w"]


def men_stand_and_go_so() -> None:
    assert DraughtsGame("").fen() == f"B:W{','.join(map(str, range(21, 33)))}:B{','.join(map(str, range(1, 13)))}"
    assert texts("B:W32:B11") == {"11-15", "11-16"}
    assert texts("W:W22:B1") == {"22-17", "22-18"}


def a_ballot_is_three_moves() -> None:
    for ballot in BALLOTS:
        game = DraughtsGame(ballot)
        assert (len(game.moves), game.ply, game.fen()[0]) == (3, 0, "W")


def a_man_steps() -> None:
    assert texts("W:W18,15:B1") == {"18-14", "15-10", "15-11"}


def a_king_steps() -> None:
    assert texts("W:WK18,15:B1") == {"18-14", "18-22", "18-23", "15-10", "15-11"}


def pieces_capture() -> None:
    assert texts("W:W18:B15,22") == {"18x11"}
    assert texts("W:WK18:B15,22") == {"18x11", "18x25"}


def captures_are_compulsory() -> None:
    assert texts("W:W18,31,22:B14,15,17") == {"18x9", "18x11", "22x13"}


def captures_go_on() -> None:
    assert texts("W:W22:B18,11") == {"22x15x8"}
    (move,) = legal_moves(read_fen("W:W22:B18,11"))
    assert played(read_fen("W:W22:B18,11"), move) == read_fen("B:W8:B")
    assert texts("B:W7,8,15,16:BK3") == {"3x10x19x12x3", "3x12x19x10x3"}


def crowning_ends_a_move() -> None:
    assert texts("W:W10:B7,8") == {"10x3"}
    (move,) = legal_moves(read_fen("W:W10:B7,8"))
    assert played(read_fen("W:W10:B7,8"), move) == read_fen("B:WK3:B8")


def no_move_loses() -> None:
    assert end_after("W:W18:B14", "18x9") is End.NO_MOVE
    assert end_after("W:W5,6,14:B1", "14-10") is End.NO_MOVE


def a_third_time_draws() -> None:
    to_and_fro = "1-5 32-28 5-1 28-32 " * 2
    assert end_after("W:WK1:BK32", to_and_fro) is None
    assert end_after("W:WK1:BK32", f"{to_and_fro}1-5") is End.THREEFOLD_REPETITION


def no_progress_draws() -> None:
    for moves_max in (1, 2):
        rules = DraughtsRules(quiet_moves_max=moves_max)
        assert f"after {moves_max} moves in a row" in system_message((), rules, 0).content
        quiet = ["1-5", "32-28", "5-1", "28-32"][: 2 * moves_max]
        assert end_after("W:WK1:BK32", " ".join(quiet), rules) is End.NO_PROGRESS
        assert end_after("W:WK1:BK32", " ".join(quiet[:-1]), rules) is None


def the_ply_limit_draws() -> None:
    for plies_max in (1, 2, 3):
        rules = DraughtsRules(plies_max=plies_max)
        assert f"ended after {plies_max} moves" in system_message((), rules, 0).content
        record, _ = record_of(" ".join(["22-17", "4-8", "17-13"][:plies_max]), rules)
        assert (record.end, record.white_halfpoints, len(record.moves)) == (End.PLY_LIMIT, 1, plies_max)


def moves_are_spelled_so() -> None:
    step = next(move for move in DraughtsGame(BALLOT).legal() if move.text == "22-17")
    assert read_move("22-17", DraughtsGame(BALLOT)) == Accepted(step, exact=True)
    game = DraughtsGame("")
    game.position = read_fen("W:W22:B18,11")
    (move,) = game.legal()
    assert read_move("22x15x8", game) == Accepted(move, exact=True)


TRUE: dict[str, Callable[[], None]] = {
    "numbers": squares_begin_at_the_top,
    "start": men_stand_and_go_so,
    "ballot": a_ballot_is_three_moves,
    "man": a_man_steps,
    "king": a_king_steps,
    "capture": pieces_capture,
    "compulsory": captures_are_compulsory,
    "to_its_end": captures_go_on,
    "crowned": crowning_ends_a_move,
    "no_move": no_move_loses,
    "repetition": a_third_time_draws,
    "no_progress": no_progress_draws,
    "ply_limit": the_ply_limit_draws,
    "spelling": moves_are_spelled_so,
}


@pytest.mark.parametrize("name", RULES)
def test_a_sentence_of_the_rules_is_told_and_true(name: str) -> None:
    assert RULES[name] in SYSTEM
    TRUE[name]()


def test_no_sentence_is_without_its_check() -> None:
    assert TRUE.keys() == RULES.keys()


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (IllegalPolicy.SUBSTITUTE, "a random legal move is played for you"),
        (IllegalPolicy.RETRY_THEN_FORFEIT, "asked again, 3 times at most; after that you lose the game"),
    ],
)
def test_the_policy_for_answers_is_told_and_kept(policy: IllegalPolicy, words: str) -> None:
    rules = DraughtsRules(illegal=policy, plies_max=1)
    assert words in system_message((), rules, 0).content
    tries = 1 if policy is IllegalPolicy.SUBSTITUTE else 4
    record, asked = record_of(" ".join(["22-14"] * tries), rules)
    assert len(asked) == tries
    if policy is IllegalPolicy.SUBSTITUTE:
        assert (record.end, record.substituted) == (End.PLY_LIMIT, (0,))
        assert record.moves[0] in {move.text for move in DraughtsGame(BALLOT).legal()}
    else:
        assert (record.end, record.white_halfpoints, record.moves) == (End.FORFEIT, 0, ())
        assert "Rejected: 22-14 is not legal in this position" in asked[-1].messages[-1].content


def test_black_forfeits_to_white() -> None:
    rules = DraughtsRules(illegal=IllegalPolicy.RETRY_THEN_FORFEIT)
    record, _ = record_of(" ".join(["22-17", *["1-5"] * 4]), rules)
    assert (record.end, record.white_halfpoints, record.moves) == (End.FORFEIT, 2, ("22-17",))


def test_a_prompt_has_position_diagram_and_moves_and_no_list_of_legal_ones() -> None:
    game = DraughtsGame(BALLOT)
    message = turn_message(game, "")
    page = read_page((system_message((), DraughtsRules(), 0), message))
    assert read_fen(labelled(page, "FEN")) == game.position
    assert labelled(page, "Moves so far") == BALLOT
    assert "15b    16." in message.content
    assert not [move.text for move in game.legal() if move.text in message.content]
    assert message.content.startswith("You play White. It is your turn in this game of English draughts.\nFEN: W:W")
    assert GAME.sign in message.content


def test_every_text_of_a_prompt_is_sealed_and_a_limit_of_tokens_told() -> None:
    assert {"draughts/system", "draughts/turn", "draughts/reminder"} <= TEMPLATES.keys()
    assert "at most 64 tokens" in system_message((), DraughtsRules(), 64).content


def test_a_prompt_spells_no_move_that_a_seat_could_repeat() -> None:
    assert not [word for word in SYSTEM.split() if word[:1].isdigit() and ("-" in word or "x" in word)]


@pytest.mark.parametrize(("text", "kind"), [("22-14", FaultKind.ILLEGAL), ("c3-d4", FaultKind.NO_ACTION)])
def test_a_rejection_says_why(text: str, kind: FaultKind) -> None:
    fault = read_move(text, DraughtsGame(BALLOT))
    assert not isinstance(fault, Accepted)
    assert fault.kind is kind


@pytest.mark.parametrize(
    ("rules", "path"),
    [
        (DraughtsRules(plies_max=0), "plies_max"),
        (DraughtsRules(plies_max=1001), "plies_max"),
        (DraughtsRules(quiet_moves_max=0), "quiet_moves_max"),
        (DraughtsRules(quiet_moves_max=501), "quiet_moves_max"),
    ],
)
def test_impossible_rules_are_refused(rules: DraughtsRules, path: str) -> None:
    assert [problem.path for problem in GAME.problems(rules)] == [path]
    assert not list(GAME.problems(DraughtsRules()))


@pytest.mark.parametrize(("games", "block", "count"), [(312, 2, 0), (3, 2, 1), (4, 1, 1), (314, 2, 1), (2, 2, 0)])
def test_a_match_is_of_pairs_and_of_no_more_than_there_are_ballots(games: int, block: int, count: int) -> None:
    match = DraughtsMatch(a="a", b="b", phase=Phase.ARENA, games=games, block_games=block)
    assert len(list(GAME.match_problems(match, DraughtsRules()))) == count
