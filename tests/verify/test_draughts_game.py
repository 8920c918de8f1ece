"""Draughts from three-move ballots: the book, the players, counts by hand, and a game in PDN read by another reader."""

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import pytest

from agzamov_verify.core.dice import Dice, Stream
from agzamov_verify.core.questions import Chat, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.matches import Phase
from agzamov_verify.games.draughts.ballots import BALLOTS, PAIR, ballot_of
from agzamov_verify.games.draughts.board import START, Position, legal_moves, must_capture, played, read_fen
from agzamov_verify.games.draughts.counts import DraughtsCounts, draughts_counts
from agzamov_verify.games.draughts.game import GAME, DraughtsBlock, DraughtsMatch
from agzamov_verify.games.draughts.game_script import DraughtsRecord
from agzamov_verify.games.draughts.pdn import pdn
from agzamov_verify.games.draughts.prompt import DraughtsRules, system_message, turn_message
from agzamov_verify.games.draughts.reference_player import best_line, value_of
from agzamov_verify.games.draughts.rules import DraughtsGame, End
from agzamov_verify.games.draughts.view import VIEW, draughts_frames
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.players import Player
from agzamov_verify.table.prompt_lines import read_page
from agzamov_verify.table.registry import game_of_prompt

DICE, RULES = Dice(bytes(32)), DraughtsRules()
MATCH = DraughtsMatch(a="agent", b="dice", phase=Phase.ARENA, games=4)

# --- the book ------------------------------------------------------------------------------------

# Openings that the American Checker Federation bars, of the 174 that it numbers (CheckerBoard, three_move_table).
BARRED = (
    "9-13 21-17 10-14",
    "9-13 23-18 10-14",
    "9-13 24-19 10-15",
    "9-13 24-20 12-16",
    "9-14 22-18 12-16",
    "9-14 22-18 14-17",
    "9-14 23-19 10-15",
    "9-14 24-19 10-15",
    "10-14 24-19 11-15",
    "10-15 21-17 9-14",
    "10-15 22-17 9-14",
    "10-15 24-20 11-16",
    "11-15 21-17 10-14",
    "11-16 21-17 10-14",
    "11-16 22-18 10-15",
    "11-16 24-19 10-15",
    "12-16 23-18 9-14",
    "12-16 23-19 16x23",
)


def after(text: str) -> Position:
    return DraughtsGame(text).position


def balance(position: Position, depth: int, alpha: int = -99, beta: int = 99) -> int:
    """Men that the side to move is ahead by after so many plies and all captures after them, kings as men."""
    if depth <= 0 and not must_capture(position):
        own, other = (position.black, position.white)[:: 1 if position.turn == 0 else -1]
        return own.bit_count() - other.bit_count()
    best = -99
    for move in legal_moves(position):
        best = max(best, -balance(played(position, move), depth - 1, -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


def test_there_are_156_ballots_of_different_positions_none_of_them_barred() -> None:
    assert len(BALLOTS) == len({after(ballot) for ballot in BALLOTS}) == 156
    assert len(BARRED) == 18
    assert not {after(ballot) for ballot in BALLOTS} & {after(ballot) for ballot in BARRED}


def test_ballots_and_barred_openings_are_all_in_which_nobody_loses_a_man_at_once() -> None:
    """Of the 302 sequences of three moves; found by search, and the number 174 is that of the federation."""
    found = set(positions_after(START, 3))
    assert len(found) == 216
    even = {position for position in found if balance(position, 5, -1, 1) == 0}
    assert even == {after(ballot) for ballot in (*BALLOTS, *BARRED)}


def positions_after(position: Position, plies: int) -> Iterator[Position]:
    if not plies:
        yield position
        return
    for move in legal_moves(position):
        yield from positions_after(played(position, move), plies - 1)


def test_ballots_are_drawn_from_the_seed_none_twice() -> None:
    drawn = [ballot_of(DICE, pair) for pair in range(len(BALLOTS))]
    assert sorted(drawn) == sorted(BALLOTS)
    assert drawn != [ballot_of(Dice(b"another"), pair) for pair in range(len(BALLOTS))]


# --- a stream ------------------------------------------------------------------------------------


def block(kinds: tuple[str, str], count: int, rules: DraughtsRules = RULES) -> DraughtsBlock:
    """The games of a match between two scripted players."""
    players = tuple(Player(name, scripted=True) for name in ("agent", "dice"))
    by_name = dict(zip(("agent", "dice"), kinds, strict=True))

    def answer(question: object) -> Reply:
        assert isinstance(question, Chat)
        return Reply(text=GAME.scripted[by_name[question.to]](read_page(question.messages), question.seed))

    stream = StreamPlan("s", MATCH, 0, count)
    played_block = drive(GAME.script(stream, lambda _: players, rules, DICE), answer)
    assert isinstance(played_block, DraughtsBlock)
    return played_block


@pytest.fixture(scope="module")
def against_random() -> DraughtsBlock:
    return block(("reference", "random"), 8)


def test_a_pair_shares_a_ballot_and_changes_colours(against_random: DraughtsBlock) -> None:
    ballots = [record.ballot for record in against_random.records]
    assert ballots == [ballot_of(DICE, index // PAIR) for index in range(8)]
    assert len(set(ballots)) == 4


def test_the_reference_player_beats_the_random_one(against_random: DraughtsBlock) -> None:
    """More than 70 % are asked for; of 40 games of another seed it won all."""
    points = [record.outcomes[index % 2] for index, record in enumerate(against_random.records)]
    assert sum(points) > Fraction(7, 10) * 2 * len(points)
    assert not any(tally.faults for record in against_random.records for tally in record.tallies)


def test_a_stream_is_played_the_same_again(against_random: DraughtsBlock) -> None:
    again = block(("reference", "random"), 2)
    assert again.records == against_random.records[:2]


def test_the_tallies_are_by_seat(against_random: DraughtsBlock) -> None:
    decisions = [tally.decisions for tally in against_random.tallies]
    assert sum(decisions) == sum(len(record.moves) for record in against_random.records)


# --- the players ---------------------------------------------------------------------------------


def stream(label: str = "x") -> Stream:
    return DICE.stream(label)


SHOTS = {
    "W:W5,22,25,26,28,29,30,31:B1,2,4,12,13,14,15,17": "22-18",
    "W:W17,25,26,28,29,30:B4,5,6,10,11,19": "17-14",
    "W:W17,20,21,24,26,28,29,30,32:B1,4,8,9,10,11,12,15,19": "17-14",
    "W:W19,22,25,27,28,29,30,31,32:B2,3,4,7,8,9,10,12,20": "19-16",
}
"""Positions in which one move alone, giving men first, wins a man: found in random games by `balance` of five plies."""


@pytest.mark.parametrize(("position", "best"), SHOTS.items())
def test_the_reference_player_sees_men_given_to_win_more(position: str, best: str) -> None:
    assert best_line(read_fen(position), stream()).move.text == best


def test_the_reference_player_avoids_a_position_that_was_there_before_when_it_is_ahead() -> None:
    position = read_fen("W:WK1,K2,K10:BK32")
    usual = best_line(position, stream())
    known = frozenset({played(position, usual.move)})
    assert best_line(position, stream(), known).move != usual.move


def test_a_value_is_that_of_the_side_to_move() -> None:
    for text in ("W:W18,31,K22:B14,15,7", "W:WK1,K2,K10:BK32"):
        position = read_fen(text)
        assert value_of(position) == -value_of(position._replace(turn=0)) > 0


def test_the_random_player_plays_every_legal_move_about_as_often() -> None:
    game = DraughtsGame("")
    page = read_page((system_message((), DraughtsRules(), 0), turn_message(game, "")))
    said = Counter(GAME.scripted["random"](page, seed).rpartition("MOVE: ")[2] for seed in range(700))
    assert set(said) == {move.text for move in game.legal()}
    assert max(said.values()) < 2 * 700 / 7


@pytest.mark.parametrize("kind", ["random", "reference"])
def test_a_scripted_player_refuses_another_prompt(kind: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        GAME.scripted[kind](read_page(()), 1)


def test_a_prompt_is_known_to_be_of_draughts() -> None:
    assert game_of_prompt(turn_message(DraughtsGame(BALLOTS[0]), "").content) is GAME


# --- counts by hand ------------------------------------------------------------------------------


def record(
    white: int, end: End = End.NO_MOVE, moves: str = "25-21", substituted: tuple[int, ...] = ()
) -> DraughtsRecord:
    return DraughtsRecord("g", BALLOTS[0], tuple(moves.split()), end, white, (Tally(), Tally()), substituted)


def test_counts_are_those_made_by_hand() -> None:
    records = [
        record(2),  # seat A has White and wins
        record(2, moves="23-18"),  # it has Black and loses
        record(1, End.THREEFOLD_REPETITION),
        record(0, End.FORFEIT),  # White forfeits: seat A wins
        record(2, substituted=(0,)),
        record(1, End.PLY_LIMIT),
    ]
    outcomes = [one.outcomes[index % 2] for index, one in enumerate(records)]
    counts = draughts_counts(records, outcomes)
    ends = {"forfeit": 1, "no_move": 3, "ply_limit": 1, "threefold_repetition": 1}
    assert counts == DraughtsCounts(6, 5, 6, 3, 2, 1, (0, 0, 1, 2, 0), 3, ends)
    assert counts.value == Fraction(8, 12)
    assert counts.headline() == {"games": "6", "score": "0.666667", "drawn": "0.333333", "decided_by_play": "0.500000"}


# --- PDN -----------------------------------------------------------------------------------------


class PdnGame:
    """A strict reader of one game in PDN: tags, then numbered moves and comments, then the result, and nothing else."""

    def __init__(self, text: str) -> None:
        header, movetext, rest = text.split("\n\n")
        assert not rest
        assert all(len(line) < 80 and line.isascii() for line in movetext.splitlines())
        tags = [re.fullmatch(r'\[([A-Z][A-Za-z]*) "((?:[^"\\]|\\["\\])*)"\]', line) for line in header.splitlines()]
        self.tags = {tag[1]: re.sub(r"\\(.)", r"\1", tag[2]) for tag in tags if tag}
        assert len(self.tags) == len(tags)
        self.comments = re.findall(r"\{ ([^{}]*) \}", movetext.replace("\n", " "))
        *words, self.result = re.sub(r"\{[^{}]*\}", " ", movetext).split()
        assert self.result in ("1-0", "0-1", "1/2-1/2")
        self.moves: list[str] = []
        for word in words:
            if word.endswith("."):
                assert word == f"{len(self.moves) // 2 + 1}."
                assert len(self.moves) % 2 == 0
            else:
                assert re.fullmatch(r"[0-9]{1,2}(-[0-9]{1,2}|(x[0-9]{1,2})+)", word)
                self.moves.append(word)


def played_game(one: DraughtsRecord, number: int = 0) -> PlayedGame:
    return PlayedGame(MATCH, number, one)


def test_an_exported_game_is_read_back_by_another_reader(against_random: DraughtsBlock) -> None:
    for number, one in enumerate(against_random.records):
        game = PdnGame(pdn(played_game(one, number), 'A "title" \\ of ours'))
        assert game.tags["Event"] == 'A "title" \\ of ours'
        assert game.tags["GameType"] == "21"
        assert game.tags["Result"] == game.result == {2: "1-0", 1: "1/2-1/2", 0: "0-1"}[one.white_halfpoints]
        assert game.moves == [*one.ballot.split(), *one.moves]
        assert len(game.moves) == int(game.tags["PlyCount"])
        assert game.tags["White"] == ("agent", "dice")[number % 2]
        replayed = DraughtsGame(" ".join(game.moves))
        assert replayed.end(40, 200) is one.end


def test_a_move_of_the_seed_is_told_in_a_comment() -> None:
    game = PdnGame(pdn(played_game(record(1, End.PLY_LIMIT, "25-21 11-15", (1,))), "t"))
    assert game.comments == ["drawn from the seed in place of an illegal or missing move"]
    assert game.tags["Termination"] == "unterminated"


# --- what is shown -------------------------------------------------------------------------------


def test_frames_follow_the_game(against_random: DraughtsBlock) -> None:
    for one in against_random.records:
        frames = list(draughts_frames(one))
        assert len(frames) == len(one.moves) + 1
        assert all(len(frame["board"]) == 32 for frame in frames)
        assert [frame["by"] for frame in frames[:3]] == [-1, 0, 1]
        assert frames[1]["label"] == f"2… {one.moves[0]}"
        assert frames[-1]["path"] == [int(square) for square in re.split("[-x]", one.moves[-1])]


def test_a_game_in_progress_is_shown_by_its_prompt() -> None:
    game = DraughtsGame(BALLOTS[0])
    frame = VIEW.live_frame([(system_message((), DraughtsRules(), 0), turn_message(game, ""))])
    assert frame["to_act"] == 0
    assert frame["lines"][-1] == f"White to move, after {game.moves[-1]}"
    with pytest.raises(ValueError, match="expected"):
        VIEW.live_frame([()])


def test_every_end_has_its_words() -> None:
    for end in End:
        one = record(2 if end in (End.NO_MOVE, End.FORFEIT) else 1, end)
        lines = list(VIEW.lines(played_game(one), None))  # type: ignore[arg-type] # no plan is asked
        assert lines.count(lines[1]) == 2
        assert all(len(line) <= 100 and line.isascii() for line in lines)
        assert VIEW.title(played_game(one))
