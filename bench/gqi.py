"""Positions a second that are judged at the protocol's nodes, against a bare loop over the engine's pipe.

    python bench/gqi.py [NODES]

In turns, wall time, medians: a bare loop (four lines out, read up to bestmove), `chess.engine` as its
documentation has it with a table cleared for each position, our search on one engine, and our judges on all
cores. One search each. The last line says what a match of 500 games takes, with 1.56 searches a position.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import chess
import chess.engine

from agzamov_verify.checks.quality_answers import open_judges
from agzamov_verify.core.dice import Stream
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import UciEngine, find_engine
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.quality.quality_questions import Position

ROUNDS, BATCH = 5, 12
GAMES, PLIES, SEARCHES = 500, 110, 1.56


def batch(number: int) -> list[Position]:
    """Positions of a game of random moves."""
    draw = Stream(bytes(32), f"bench {number}")
    board = chess.Board.from_chess960_pos(draw.below(960))
    start, found = board.fen(), list[Position]()
    while len(found) < BATCH:
        board.push(draw.choice(sorted(board.legal_moves, key=chess.Move.uci)))
        if board.is_game_over():
            board.pop()
        found.append(Position(False, "g", " ".join(move.uci() for move in board.move_stack), "", board.ply(), start))
    return found


class Bare:
    """An engine at the other end of two pipes."""

    def __init__(self, path: Path, hash_mib: int) -> None:
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.say(f"setoption name Threads value 1\nsetoption name Hash value {hash_mib}")
        self.say("setoption name UCI_Chess960 value true")

    def say(self, text: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(text + "\n")

    def until(self, word: str) -> str:
        assert self.process.stdout
        score = ""
        for line in self.process.stdout:
            if line.startswith(word):
                break
            if " score " in line:
                score = line
        return score

    def search(self, positions: list[Position], nodes: int) -> None:
        for one in positions:
            self.say("ucinewgame\nisready")
            self.until("readyok")
            self.say(f"position fen {one.start_fen} moves {one.moves}\ngo nodes {nodes}")
            assert self.until("bestmove")


def by_library(engine: chess.engine.SimpleEngine, positions: list[Position], nodes: int) -> None:
    """The same through chess.engine."""
    for one in positions:
        board = chess.Board(one.start_fen, chess960=True)
        for move in one.moves.split():
            board.push_uci(move)
        assert engine.analyse(board, chess.engine.Limit(nodes=nodes), game=object())["score"]


def timed(work: Callable[[], object]) -> float:
    """Positions a second."""
    start = time.monotonic()
    work()
    return BATCH / (time.monotonic() - start)


def main() -> None:
    norm = load_protocol("agz-0.1").engine
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else norm.nodes
    path = find_engine()
    bare = Bare(path, norm.hash_mib)
    rates: dict[str, list[float]] = {}
    with (
        UciEngine(path, norm.hash_mib) as ours,
        open_judges(path, norm, nodes, cores()) as judges,
        chess.engine.SimpleEngine.popen_uci(str(path)) as library,
    ):
        library.configure({"Threads": 1, "Hash": norm.hash_mib})
        for number in range(ROUNDS):
            positions = batch(number)
            for name, work in (
                ("bare loop", lambda: bare.search(positions, nodes)),  # noqa: B023 - called before the next round
                ("chess.engine", lambda: by_library(library, positions, nodes)),  # noqa: B023
                ("ours, one engine", lambda: [ours.search(p.start_fen, p.moves, nodes) for p in positions]),  # noqa: B023
                (f"ours, {cores()} engines", lambda: list(judges.answers(positions))),  # noqa: B023
            ):
                rates.setdefault(name, []).append(timed(work))
    bare.process.kill()
    bare.process.wait()
    for name, found in rates.items():
        ratio = statistics.median(one / beside for one, beside in zip(found, rates["bare loop"], strict=True))
        print(f"{name:<20} {statistics.median(found):7.1f} positions/s at {nodes} nodes, {ratio:.2f} x the bare loop")
    *_, best = rates.values()
    minutes = GAMES * PLIES * SEARCHES / statistics.median(best) / 60
    print(f"{GAMES} games of {PLIES} plies, {SEARCHES} searches a position: {minutes:.0f} min on {cores()} cores")


if __name__ == "__main__":
    main()
