"""The second referee of draughts, a program in C that knows nothing of ours, and positions in its spelling."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from agzamov_verify.games.draughts.board import Position
from agzamov_verify.games.draughts.view import placement

SOURCE = Path(__file__).with_name("draughts_referee.c")


def built(folder: Path) -> Path:
    """The program, compiled into a folder; the test is skipped where there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = folder / "referee"
    subprocess.run([compiler, "-O3", "-o", program, SOURCE], check=True)
    return program


def perft(program: Path, depth: int) -> list[int]:
    """Leaves of the tree of legal moves from the start, for each depth from 1 on."""
    return [int(line) for line in _output([str(program), "perft", str(depth)])]


def moves(program: Path, positions: Sequence[Position]) -> list[str]:
    """The legal moves of each position, in the order of their texts, with a space between them."""
    lines = "".join(f"{'bw'[position.turn]}{placement(position)}\n" for position in positions)
    return _output([str(program), "moves"], lines)


def _output(command: list[str], told: str = "") -> list[str]:
    done = subprocess.run(command, input=told, capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[:-1]
