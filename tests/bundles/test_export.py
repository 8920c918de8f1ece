"""Open formats: what other people's programs read of a bundle's games is what was played."""

import csv
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess.pgn
import pokerkit
import pytest
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.core.questions import Evaluation
from agzamov_verify.games.chess.pgn import SCORES
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.show.games_of_bundle import games_told, outcome
from agzamov_verify.show.replayed_game import PlayedGame
from bundles.bundle_factory import TINY, make
from bundles.make_golden import GOLDEN

BUNDLE = GOLDEN / "bundle"
HOSTILE = 'Event"]\\ [White "evil'


def exported(bundle: Path, *arguments: object) -> Result:
    return CliRunner().invoke(main, ["export", str(bundle), *map(str, arguments)])


def games(bundle: Path, game: str) -> list[PlayedGame]:
    opened = open_bundle(bundle, CheckLog())
    return [
        played for match in opened.manifest.plan.matches if match.game == game for played in games_told(opened, match)
    ]


def read_pgn(text: str) -> list[chess.pgn.Game]:
    stream, read = io.StringIO(text), []
    while game := chess.pgn.read_game(stream):
        assert not game.errors
        read.append(game)
    return read


def test_python_chess_reads_every_game_of_chess_as_it_was_played() -> None:
    text, played = exported(BUNDLE, "--to", "pgn").stdout, games(BUNDLE, "chess960")
    read = read_pgn(text)
    assert len(read) == len(played) > 10
    for game, one in zip(read, played, strict=True):
        record = one.record
        assert [move.uci() for move in game.mainline_moves()] == list(record.moves)
        assert game.board().chess960
        assert (game.headers["FEN"], game.headers["SetUp"]) == (record.start_fen, "1")
        assert game.headers["Result"] == SCORES[record.ending.white_halfpoints]
        assert (game.headers["White"], game.headers["GameId"]) == (one.first, record.game)
        assert game.headers["EndReason"] == record.ending.end.value
        drawn = [node.ply() - 1 for node in game.mainline() if "drawn from the seed" in node.comment]
        assert drawn == list(record.substituted)


def test_the_engines_evaluations_are_from_whites_side() -> None:
    found = 0
    for game, one in zip(read_pgn(exported(BUNDLE, "--to", "pgn").stdout), games(BUNDLE, "chess960"), strict=True):
        recorded = {question.turn: answer for question, answer in one.asked if isinstance(answer, Evaluation)}
        told = {node.ply(): score for node in game.mainline() if (score := node.eval())}
        assert told.keys() == recorded.keys()
        for ply, score in told.items():
            own = score.pov(chess.WHITE if ply % 2 == 0 else chess.BLACK)
            assert (own.score(), own.mate()) == (recorded[ply].centipawns, recorded[ply].mate)
        found += len(told)
    assert found > 100


def test_pokerkit_reads_every_hand_with_the_same_winnings() -> None:
    text, played = exported(BUNDLE, "--to", "phh").stdout, games(BUNDLE, "holdem")
    read = list(pokerkit.HandHistory.loads_all(text))
    assert len(read) == len(played) > 40
    for hand, one in zip(read, played, strict=True):
        paid = [0, 0]
        for state in hand:
            if state.status:  # bets are in front of the players or in the pot, and nobody was given anything yet
                left = zip(paid, hand.starting_stacks, state.stacks, strict=True)
                paid = [max(before, start - int(stack)) for before, start, stack in left]
        assert [min(paid) + int(payoff) for payoff in state.payoffs] == hand.winnings
        assert [int(stack) for stack in state.stacks] == list(hand.finishing_stacks)
        assert hand.finishing_stacks[1] - hand.starting_stacks[1] == one.record.net_chips
        put_in = sum(hand.winnings) // 2  # each of the two; what was not called went back
        won = [stack - start for stack, start in zip(hand.finishing_stacks, hand.starting_stacks, strict=True)]
        assert [taken - put_in for taken in hand.winnings] == won
        if one.record.end is HandEnd.SHOWDOWN:  # after a fold pokerkit gives back what the loser matched, too
            pushed = [op.amounts for op in state.operations if isinstance(op, pokerkit.ChipsPushing)]
            assert [sum(map(int, amounts)) for amounts in zip(*pushed, strict=True)] == hand.winnings
        assert hand.players == [*one.placed[::-1]]
        assert hand.user_defined_fields["_game"] == one.record.game


def test_the_table_has_a_line_for_every_game() -> None:
    rows = list(csv.DictReader(io.StringIO(exported(BUNDLE, "--to", "csv").stdout)))
    played = [*games(BUNDLE, "chess960"), *games(BUNDLE, "holdem")]
    assert {row["game"]: row["outcome"] for row in rows} == {one.record.game: outcome(one) for one in played}
    assert len(rows) == len(played)
    first = ("=", "+", "-", "@", "\t", "\r")
    assert not [cell for row in rows for name, cell in row.items() if name != "points" and cell.startswith(first)]


def test_the_points_of_the_table_are_those_of_the_signed_figures() -> None:
    rows = list(csv.DictReader(io.StringIO(exported(BUNDLE, "--to", "csv").stdout)))
    signed = json.loads((BUNDLE / "data" / "results" / "results.json").read_bytes())
    for match in signed["matches"]:
        of_match = [int(row["points"]) for row in rows if row["match"] == match["id"]]
        result = match["result"]
        if "net_chips" in result:
            assert sum(of_match) == result["net_chips"]
        elif "adjudicated" in result:
            assert [of_match.count(2), of_match.count(1)] == [result["adjudicated"][name] for name in ("wins", "draws")]


def test_one_match_goes_into_one_file(tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    match = games(BUNDLE, "chess960")[0].match.id
    ended = exported(BUNDLE, "--to", "pgn", "--match", match, "--out", out)
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert {game.headers["Match"] for game in read_pgn(out.read_text())} == {match}
    assert [path.name for path in tmp_path.iterdir()] == ["games.pgn"]


def test_a_hostile_title_stays_in_its_tag(tmp_path: Path) -> None:
    made = make({**TINY, "title": HOSTILE}, tmp_path)
    read = read_pgn(exported(made, "--to", "pgn").stdout)
    assert {game.headers["White"] for game in read} <= set(TINY["seats"]) | {"agent (A)", "agent (B)"}
    hands = list(pokerkit.HandHistory.loads_all(exported(made, "--to", "phh").stdout))
    assert {hand.event for hand in hands} == {HOSTILE}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--to", "pgn", "--match", "nowhere"), "no match 'nowhere'; there are "),
        (("--to", "phh", "--match", "p0-chess960-naked-agent"), "no game here that phh is for"),
    ],
)
def test_what_cannot_be_exported_is_one_line(arguments: tuple[str, ...], words: str) -> None:
    ended = exported(BUNDLE, *arguments)
    assert (ended.exit_code, len(ended.stderr.splitlines())) == (2, 1)
    assert words in ended.stderr


@pytest.mark.parametrize("notation", ["csv", "pgn", "sqlite", "parquet"])
@pytest.mark.parametrize("place", ["no/games", "file/games", "full"])
def test_a_file_that_cannot_be_written_is_one_line_with_its_name(notation: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept").touch()
    ended = exported(BUNDLE, "--to", notation, "--out", tmp_path / place)
    assert (ended.exit_code, len(ended.stderr.splitlines())) == (2, 1)
    assert ended.stderr.startswith(f"error: {tmp_path / place}: ")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "kept"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text)
        assert exported(BUNDLE, "--to", "csv", "--out", pipe).exit_code == 0
        assert read.result(60) == exported(BUNDLE, "--to", "csv").stdout
    for notation in ("sqlite", "parquet"):
        ended = exported(BUNDLE, "--to", notation, "--out", pipe)
        assert ended.exit_code == 2
        assert ended.stderr.startswith(f"error: {pipe}: it exists already")
    assert pipe.is_fifo()


def test_what_standard_output_is_sent_to_is_added_to_not_replaced(tmp_path: Path) -> None:
    """`--out /dev/stdout >> FILE` put a new file in the place of FILE."""
    kept = tmp_path / "kept"
    kept.write_text("first\n")
    with kept.open("a") as file:
        name = f"/dev/fd/{file.fileno()}"
        assert exported(BUNDLE, "--to", "csv", "--out", name).exit_code == 0
        file.write("last\n")
    assert kept.read_text() == f"first\n{exported(BUNDLE, '--to', 'csv').stdout}last\n"
    assert exported(BUNDLE, "--to", "csv", "--out", name).output == f"error: {name}: Bad file descriptor\n"


@pytest.mark.parametrize("notation", ["csv", "sqlite", "parquet"])
def test_an_older_export_is_replaced_and_no_other_file_is(notation: str, tmp_path: Path) -> None:
    out, partial = tmp_path / "games", tmp_path / "games.partial"
    partial.write_text("somebody's own")
    if notation != "parquet":
        out.write_text("an older export")
    assert exported(BUNDLE, "--to", notation, "--out", out).exit_code == 0
    assert partial.read_text() == "somebody's own"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games", "games.partial"]
    assert out.is_dir() or out.read_bytes() != b"an older export"
