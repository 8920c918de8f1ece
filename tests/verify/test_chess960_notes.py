"""Notes of chess games: what they say of the opponent, what they are searched for, when their counts are believed."""

from itertools import pairwise

import chess
import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import (
    Answer,
    Chat,
    EndGame,
    Exported,
    Hit,
    Hits,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.opponent_patterns import Adherence, Pattern
from agzamov_verify.games.chess.donor import donor_game
from agzamov_verify.games.chess.game_script import ChessRecord, ChessRules, Ending
from agzamov_verify.games.chess.habit_words import (
    NOTE_CHARACTERS_MAX,
    NOTED,
    added_counts,
    counts_line,
    habits_shown,
    is_believed,
    query,
    speaks_for,
)
from agzamov_verify.games.chess.noted_occasions import occasions
from agzamov_verify.games.chess.notes import observation
from agzamov_verify.games.chess.pattern_detectors import DETECTORS
from agzamov_verify.games.chess.pattern_sentences import CHESS_PATTERNS, ChessPattern
from agzamov_verify.games.chess.patterns import ChessHabits, chess_habits
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.chess.variants import CHESS960
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.registry import GAMES

START = chess.Board.from_chess960_pos(518).fen()
GAME = "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5 g1f3 c8g4 f1e2 g4f3 e2f3 b8c6 f3c6 b7c6 e1h1 e8a8"
CHECK = ChessPattern.KING_ANSWERS_CHECKS


def record(text: str = GAME, start: str = START) -> ChessRecord:
    ending = Ending(End.PLY_LIMIT, 1)
    return ChessRecord("g0", start, tuple(text.split()), ending, ending, (Tally(), Tally()))


def test_a_note_counts_the_habits_of_the_opponent_alone() -> None:
    assert observation([record()], 0, 0).splitlines() == [
        "Castled where castling was legal in its first 8 moves: 1 of 1",
        "Avoided a trade of queens where it could make or allow one: 2 of 2",
        "Answered a check by moving its king where it could: 0 of 1",
        "Took back at once where it could: 2 of 2",
        "Moved its attacked queen where it could: 1 of 1",
        "Moved no piece backwards where it could: 5 of 5",
        "Pushed its a-pawn or h-pawn in its first 6 moves where it could: 0 of 6",
        "Castled as Black: a-side on move 8",
        "First moves as Black: d7d5 d8d5 d5a5 c8g4",
        "Ended as Black: drew by ply limit after 16 plies",
    ]


def test_a_note_is_of_the_other_side_in_every_second_game() -> None:
    as_white, as_black = observation([record()], 1, 0), observation([record()], 0, 0)
    assert "Castled as White: h-side on move 8" in as_white
    assert "Castled as Black: a-side on move 8" in as_black
    assert observation([record()], 0, 1) == as_white
    assert observation([record()], 1, 1) == as_black


def test_a_note_of_a_game_without_moves_says_so() -> None:
    assert observation([record("")], 0, 0).splitlines() == [
        "Castled as Black: never",
        "First moves as Black: none",
        "Ended as Black: drew by ply limit after 0 plies",
    ]


def test_the_longest_note_is_short_enough() -> None:
    longest = [counts_line(pattern, Adherence(99, 99)) for pattern in NOTED]
    assert len("\n".join(longest)) <= NOTE_CHARACTERS_MAX


def test_every_pattern_has_its_words_in_notes_but_those_that_a_shift_brings() -> None:
    assert CHESS_PATTERNS.keys() - NOTED.keys() == {ChessPattern.PIECES_ANSWER_CHECKS, ChessPattern.KEEPS_OWN_HALF}


def test_a_search_has_the_words_of_habits_that_could_still_show() -> None:
    start, late = chess.Board(START), chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 0 60")
    assert query(start).split("; ") == [noted.label for noted in NOTED.values()]
    shown = (ChessPattern.KING_ANSWERS_CHECKS, ChessPattern.ALWAYS_RECAPTURES, ChessPattern.NEVER_RETREATS)
    assert query(late).split("; ") == [NOTED[pattern].label for pattern in shown]


# Reading notes.


@pytest.mark.parametrize("pattern", NOTED)
def test_counts_of_one_habit_are_added_over_all_lines(pattern: Pattern) -> None:
    text = "\n".join(
        ["It likes knights.", counts_line(pattern, Adherence(3, 2)), counts_line(pattern, Adherence(4, 4))]
    )
    assert added_counts(pattern, text) == Adherence(7, 6)


def test_the_counts_of_a_whole_match_in_one_line_are_scaled_down() -> None:
    assert added_counts(CHECK, counts_line(CHECK, Adherence(40_000, 39_999))) == Adherence(1_000, 999)


@pytest.mark.parametrize("line", ["{}: 3 of 2", "{}: 1234567 of 1234567", "{}: 1 of 1.", "Not {}: 1 of 1"])
def test_what_is_no_count_is_not_read(line: str) -> None:
    assert added_counts(CHECK, line.format(NOTED[CHECK].label)) == Adherence(0, 0)


@pytest.mark.parametrize("pattern", NOTED)
def test_a_habit_is_believed_after_enough_occasions_and_not_before(pattern: Pattern) -> None:
    believed = [bool(habits_shown(counts_line(pattern, Adherence(count, count)))) for count in range(100)]
    assert not any(now and not later for now, later in pairwise(believed))
    assert 1 < believed.index(True) < 99


def test_a_stray_note_of_another_opponent_changes_no_belief() -> None:
    kept, stray = counts_line(CHECK, Adherence(3, 3)), counts_line(CHECK, Adherence(2, 1))
    assert habits_shown("\n".join([kept] * 5 + [stray])) == {CHECK}
    others = counts_line(CHECK, Adherence(3, 2))
    assert habits_shown("\n".join([others] * 5 + [counts_line(CHECK, Adherence(3, 3))])) == frozenset()


def test_counts_and_sentences_name_the_same_habits() -> None:
    castles = counts_line(ChessPattern.CASTLES_EARLY, Adherence(9, 9))
    assert chess_habits(castles) == chess_habits("Castles within its first 8 moves.") == ChessHabits(8)
    checks = counts_line(CHECK, Adherence(20, 20))
    assert (
        chess_habits(checks) == chess_habits("- When in check, moves its king.") == ChessHabits(0, frozenset({CHECK}))
    )


RULES_60 = ChessRules(plies_max=60, adjudication=Adjudication(AdjudicationPolicy.NONE))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["chess960", "chess"])
def test_few_donors_seem_to_have_a_habit_after_ten_games(game: str) -> None:
    """As few as real strangers do: of a player without a habit one in ten is believed to have it (`habit_words`)."""
    careers, believed = 40, 0
    match = GAMES[game].self_play("a", 10)
    for career in range(careers):
        dice, stream = Dice(bytes([career]) * 32), StreamPlan("s", match, 0, 10)
        notes = [GAMES[game].donor_note(stream, RULES_60, number, 0, dice) for number in range(10)]
        assert all(0 < len(note) <= NOTE_CHARACTERS_MAX for note in notes)
        believed += len(habits_shown("\n".join(notes)))
    assert believed <= careers * len(NOTED) // 10


def test_games_of_a_donor_end_by_the_plans_rules() -> None:
    endings = {record.ending.end for record in donor_games(ChessRules(), 12)}
    assert End.PLY_LIMIT not in endings, "games by the rules of the protocol are decided"
    limited = donor_games(ChessRules(plies_max=30, adjudication=Adjudication(AdjudicationPolicy.NONE)), 6)
    assert all(len(record.moves) <= 30 for record in limited)
    assert End.ADJUDICATION not in {record.ending.end for record in limited}
    assert {record.ending.end for record in limited} & {End.PLY_LIMIT}


def donor_games(rules: ChessRules, count: int) -> list[ChessRecord]:
    dice = Dice(b"donor games")
    starts = [CHESS960.start(dice, number // 2) for number in range(count)]
    return [donor_game(start, (n % 2, 1 - n % 2), rules, CHESS960, dice, n) for n, start in enumerate(starts)]


def test_a_game_of_a_donor_is_legal_to_the_end() -> None:
    for record in donor_games(ChessRules(), 6):
        board = chess.Board(record.start_fen, chess960=True)
        for text in record.moves:
            assert chess.Move.from_uci(text) in board.legal_moves
            board.push_uci(text)
        if record.ending.end is End.CHECKMATE:
            assert board.is_checkmate()


def test_all_habits_are_counted_in_one_pass_as_each_by_itself() -> None:
    for record in donor_games(ChessRules(), 8):
        for place in (0, 1):
            counted = dict(occasions(record, place)[0].counted())
            alone = {pattern: DETECTORS[pattern](record, place) for pattern in NOTED}
            assert counted == {pattern: one for pattern, one in alone.items() if one.occasions}


@pytest.mark.parametrize("pattern", NOTED)
def test_counts_that_do_not_speak_for_a_habit_never_make_it_believed(pattern: Pattern) -> None:
    counted = [Adherence(occasions, kept) for occasions in range(30) for kept in range(occasions + 1)]
    assert not any(is_believed(pattern, one) and not speaks_for(pattern, one) for one in counted)
    silent = [counts_line(pattern, one) for one in counted if not speaks_for(pattern, one)]
    assert not is_believed(pattern, added_counts(pattern, "\n".join(silent)))


# A career with a memory.

PLAN = {
    "title": "Notes",
    "seats": {"agent": {"kind": "reference"}, "other": {"kind": "reference"}},
    "systems": {"notes": {"kind": "memory"}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 2},
    "matches": [
        {
            "phase": 2,
            "game": "chess960",
            "a": "agent",
            "b": "other",
            "games": 4,
            "careers": 2,
            "condition": {"augmentation": "memory", "arm": "real", "system": "notes"},
        }
    ],
}


class Table:
    """Pushes pawns that every start has, and answers each search with every note that was stored."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.notes: list[Hit] = []

    def __call__(self, question: Question) -> Answer:
        self.asked.append(question)
        match question:
            case Chat():
                return Reply(text=f"MOVE: {'a7a6' if question.turn else 'a2a3'}")
            case Search():
                return Hits(tuple(self.notes))
            case Store():
                self.notes.append(Hit(question.content, question.entry))
                return Stored()
            case EndGame():
                return Settled(len(self.notes))
            case _:
                return Exported((), more=False)


def test_a_career_stores_a_note_of_each_game_and_searches_for_habits() -> None:
    plan, table = msgspec.convert(PLAN, Plan), Table()
    block = drive(block_script(next(streams_of(plan.matches[0])), plan, Dice(bytes(32))), table)
    assert [hit.content for hit in table.notes] == [
        observation([game], number, 0) for number, game in enumerate(block.records)
    ]
    own = [question for question in table.asked if isinstance(question, Chat) and question.to == "agent"]
    assert [table.notes[0].content in question.messages[1].content for question in own] == [False, True]
    searches = [question.query for question in table.asked if isinstance(question, Search)]
    assert all(NOTED[CHECK].label in words for words in searches[-2:])
