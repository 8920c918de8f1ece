"""Chess replay on one core against a bare `chess` loop over the same moves.

    python bench/chess_replay.py BUNDLE

Both run in turns in this process, CPU time, medians. Three bare loops: "legality" parses each move,
checks that it is legal and pushes it; "ends" also asks `outcome()`; "protocol" also checks the third
repetition and the 50-move rule, as every game here must be checked. Ours replays the journal: decode and
canonical check, hash chain, Merkle tree, prompt and question digest, strict parse, legality, ends,
adjudication counting, with one engine entry for each ply. Two of its parts are timed alone as well: the
journal with the questions ready made, and the rules with the moves at hand.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import chess

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import Opened, open_bundle
from agzamov_verify.checks.replay_stream import journal_lines
from agzamov_verify.core.journal import Chain
from agzamov_verify.core.questions import Answer, Question
from agzamov_verify.core.script import Replay, drive
from agzamov_verify.games.chess.game import ChessBlock, ChessMatch
from agzamov_verify.games.chess.rules import DrawClaims, Game960
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.table.declared import Fault
from agzamov_verify.table.game import StreamPlan

ROUNDS = 7

Games = list[tuple[str, tuple[str, ...]]]
Streams = list[tuple[StreamPlan, list[bytes]]]


def chess_streams(opened: Opened) -> Iterator[tuple[StreamPlan, list[bytes]]]:
    """Every chess stream of the bundle with its lines in memory."""
    for match in opened.manifest.plan.matches:
        if isinstance(match, ChessMatch):
            for stream in streams_of(match):
                if lines := list(journal_lines(opened.source, opened.digests, stream.id)):
                    yield stream, lines


def replay(opened: Opened, streams: Streams) -> Games:
    """Our replay; returns the games for the bare loops."""
    games: Games = []
    for stream, lines in streams:
        chain = Chain(opened.manifest.run_id, stream.id)
        answers = Replay(stream.id, chain.read_all(lines))
        block = drive(block_script(stream, opened.manifest.plan, opened.dice), answers)
        answers.finish()
        assert isinstance(block, ChessBlock)
        games += [(record.start_fen, record.moves) for record in block.records]
    return games


def questions_of(opened: Opened, streams: Streams) -> list[list[Question]]:
    """What the script of each stream asks."""
    asked: list[list[Question]] = []
    for stream, lines in streams:
        questions: list[Question] = []
        answers = Replay(stream.id, Chain(opened.manifest.run_id, stream.id).read_all(lines))

        def noting(question: Question, answers: Replay = answers, questions: list[Question] = questions) -> Answer:
            questions.append(question)
            return answers(question)

        drive(block_script(stream, opened.manifest.plan, opened.dice), noting)
        asked.append(questions)
    return asked


def journal(opened: Opened, streams: Streams, asked: list[list[Question]]) -> None:
    """Our replay without the script: read each line, and compare it with its question."""
    for (stream, lines), questions in zip(streams, asked, strict=True):
        answers = Replay(stream.id, Chain(opened.manifest.run_id, stream.id).read_all(lines))
        for question in questions:
            answers(question)
        answers.finish()


def rules(games: Games) -> None:
    """Our replay without journal, prompts and adjudication: read, push, end."""
    for fen, moves in games:
        game = Game960(fen)
        for text in moves:
            move = game.read(text)
            assert not isinstance(move, Fault)
            game.push(move)
            game.end(DrawClaims.AUTOMATIC)


def bare(games: Games) -> None:
    """Parse, check legality, push."""
    for fen, moves in games:
        board = chess.Board(fen, chess960=True)
        for move in moves:
            board.push(board.parse_uci(move))


def bare_with_ends(games: Games) -> None:
    """Parse, check legality, push, ask for the end of the game."""
    for fen, moves in games:
        board = chess.Board(fen, chess960=True)
        for move in moves:
            board.push(board.parse_uci(move))
            board.outcome()


def bare_protocol(games: Games) -> bool:
    """As `bare_with_ends`, with the draws that the protocol claims."""
    drawn = False
    for fen, moves in games:
        board = chess.Board(fen, chess960=True)
        for move in moves:
            board.push(board.parse_uci(move))
            drawn = bool(board.outcome()) or board.is_repetition(3) or board.halfmove_clock >= 100
    return drawn


LOOPS = (bare, bare_with_ends, bare_protocol)


def cpu_s(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    opened = open_bundle(Path(sys.argv[1]), CheckLog())
    streams = list(chess_streams(opened))
    games, asked = replay(opened, streams), questions_of(opened, streams)
    plies = sum(len(moves) for _, moves in games)
    entries = sum(len(lines) for _, lines in streams)
    parts = (
        lambda: replay(opened, streams),
        lambda: journal(opened, streams, asked),
        lambda: rules(games),
        *(lambda loop=loop: loop(games) for loop in LOOPS),
    )
    rounds = [[cpu_s(part) for part in parts] for _ in range(ROUNDS)]
    us = [statistics.median(column) / plies * 1e6 for column in zip(*rounds, strict=True)]
    ours, journals, ruling, *others = us
    print(f"{len(games)} games, {plies} plies, {entries} journal entries; CPU us per ply:")
    print(f"  ours {ours:.1f}, of which the journal alone {journals:.1f}, the rules alone {ruling:.1f}")
    for loop, other in zip(LOOPS, others, strict=True):
        print(f"  {loop.__name__} {other:.1f}: ratio {other / ours:.2f} (bar 0.60)")


if __name__ == "__main__":
    main()
