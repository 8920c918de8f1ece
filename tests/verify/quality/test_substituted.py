"""Which moves were not a seat's own: the record of a game says so, ply by ply."""

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Reply
from agzamov_verify.games.chess.game_script import ChessRecord, ChessRules, play
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy
from agzamov_verify.table.decision import IllegalPolicy
from agzamov_verify.table.players import GameName, Player
from verify.quality.games import START
from verify.scripted import moves, told

NONE = Adjudication(AdjudicationPolicy.NONE)


def game(answers: list[Answer], illegal: IllegalPolicy = IllegalPolicy.SUBSTITUTE) -> ChessRecord:
    rules = ChessRules(NONE, illegal=illegal, plies_max=4)
    seats = Player("agent"), Player("other")
    record, _ = told(play(GameName("g", "chess960/g"), START, *seats, rules, Dice(bytes(32))), answers)
    return record


def test_the_plies_of_substituted_moves_are_in_the_record() -> None:
    silence: list[Answer] = [Reply(text="I would rather not.")]
    record = game([*moves("e2e4"), *silence, *silence, *moves("a7a6")])
    assert record.substituted == (1, 2)
    assert [tally.substituted for tally in record.tallies] == [1, 1]


def test_a_game_of_the_seats_own_moves_has_none() -> None:
    assert game(moves("e2e4 e7e5 g1f3 b8c6")).substituted == ()


def test_a_retry_is_a_move_of_ones_own() -> None:
    answers = [*moves("e2e5"), *moves("e2e4 e7e5 g1f3 b8c6")]
    assert game(answers, IllegalPolicy.RETRY_THEN_FORFEIT).substituted == ()
