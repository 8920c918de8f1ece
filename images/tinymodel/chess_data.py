"""Chess960 positions of our own making, with their legal moves and Stockfish's choice.

Two players of changing habits (Stockfish at few nodes, with noise, random, greedy, fond of checks) play games
from the 960 starts and from sparse random positions. Every position is kept as arrays:

    tokens   uint16, flat       the prefix of vocabulary.chess_tokens
    bounds   int64 [n + 1]      where each position's tokens start and end
    squares  uint8 [n, 16]      the mover's pieces in the order of [mine], 255 where there is none
    targets  uint64 [n, 16]     the squares each may legally go to (castling: the rook's), bit 0 = a1
    teacher  uint8 [n, 3]       Stockfish's move: origin, target, promotion (chess.QUEEN...; 0 for none)
    check    bool [n]           whether the mover is in check
"""

import argparse
import subprocess
from pathlib import Path
from time import monotonic

import chess
import numpy as np
from vocabulary import SQUARE, chess_tokens, ids

PLIES_MAX = 140
NODES = 400
SPARSE_SHARE = 0.12
OPENING_PLIES = 24
HABITS = ("teacher", "noisy", "noisy", "random", "random", "greedy", "checker")
SHARD = 20_000


class Teacher:
    """Stockfish over a pipe: one move for a position, at a fixed number of nodes."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._say("setoption name UCI_Chess960 value true\nsetoption name Hash value 4\nisready")
        self._until("readyok")

    def move(self, board: chess.Board) -> chess.Move:
        self._say(f"position fen {board.fen()}\ngo nodes {NODES}")
        return chess.Move.from_uci(self._until("bestmove").split()[1])

    def close(self) -> None:
        self._say("quit")
        self._process.wait()

    def _say(self, words: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()

    def _until(self, word: str) -> str:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith(word):
                return line
        raise EOFError("stockfish ended")


class Collection:
    """Positions on their way to a file."""

    def __init__(self) -> None:
        self.tokens: list[list[int]] = []
        self.squares: list[list[int]] = []
        self.targets: list[list[int]] = []
        self.teacher: list[tuple[int, int, int]] = []
        self.check: list[bool] = []

    def add(self, board: chess.Board, moves: list[chess.Move], best: chess.Move) -> None:
        tokens = ids(chess_tokens(board))
        own = board.occupied_co[board.turn].bit_count()
        squares = [token - SQUARE for token in tokens[-own:]]
        targets = dict.fromkeys(squares, 0)
        for move in moves:
            targets[move.from_square] |= 1 << move.to_square
        self.tokens.append(tokens)
        self.squares.append(squares + [255] * (16 - own))
        self.targets.append([*targets.values()] + [0] * (16 - own))
        self.teacher.append((best.from_square, best.to_square, best.promotion or 0))
        self.check.append(board.is_check())

    def save(self, path: Path) -> None:
        np.savez(
            path,
            tokens=np.concatenate([np.array(tokens, np.uint16) for tokens in self.tokens]),
            bounds=np.cumsum([0, *map(len, self.tokens)]),
            squares=np.array(self.squares, np.uint8),
            targets=np.array(self.targets, np.uint64),
            teacher=np.array(self.teacher, np.uint8),
            check=np.array(self.check),
        )


def start(rng: np.random.Generator) -> chess.Board:
    """A Chess960 start, or a sparse position with kings, a few pieces and advanced pawns."""
    if rng.random() >= SPARSE_SHARE:
        return chess.Board.from_chess960_pos(int(rng.integers(960)))
    while True:
        board = chess.Board(None, chess960=True)
        squares = [int(at) for at in rng.permutation(64)]
        pieces = ["K", "k", *rng.choice(list("QRBNPPPqrbnppp"), int(rng.integers(1, 12)))]
        for square, symbol in zip(squares, pieces, strict=False):
            if symbol not in "Pp" or 0 < square >> 3 < 7:
                board.set_piece_at(square, chess.Piece.from_symbol(str(symbol)))
        board.turn = bool(rng.integers(2))
        if board.is_valid() and not board.is_game_over():
            return board


def choose(
    habit: str, board: chess.Board, moves: list[chess.Move], best: chess.Move, rng: np.random.Generator
) -> chess.Move:
    """What a player of this habit does."""
    if habit == "teacher" or (habit == "noisy" and rng.random() < 0.6):
        return best
    if habit == "greedy":
        captures = [move for move in moves if board.is_capture(move)]
        moves = captures or moves
    if habit == "checker" and rng.random() < 0.5:
        checks = [move for move in moves if board.gives_check(move)]
        moves = checks or moves
    return moves[int(rng.integers(len(moves)))]


def play(collection: Collection, teacher: Teacher, rng: np.random.Generator) -> None:
    """One game, every position of it kept."""
    board = start(rng)
    habits = [HABITS[int(rng.integers(len(HABITS)))] for _ in range(2)]
    opening = int(rng.integers(OPENING_PLIES)) if rng.random() < 0.5 else 0
    for ply in range(PLIES_MAX):
        moves = list(board.generate_legal_moves())
        if not moves or board.is_insufficient_material() or board.halfmove_clock > 60:
            return
        best = teacher.move(board)
        collection.add(board, moves, best)
        board.push(choose("random" if ply < opening else habits[board.turn], board, moves, best, rng))


def main() -> None:
    """Write the shards that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shards", type=int, default=25)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for shard in range(options.shards):
        path = options.folder / f"chess-{options.seed}-{shard:03d}.npz"
        if path.exists():
            continue
        rng, collection, began = np.random.default_rng([options.seed, shard]), Collection(), monotonic()
        teacher = Teacher(options.stockfish)
        while len(collection.check) < SHARD:
            play(collection, teacher, rng)
        teacher.close()
        collection.save(path.with_suffix(".part.npz"))
        path.with_suffix(".part.npz").rename(path)
        print(path.name, len(collection.check), f"{monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
