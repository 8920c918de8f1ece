"""From positions and spots to training batches: many targets for each row in one forward pass.

A row is a prefix that ends in [answer], the tag line's first token, and up to two branches (answers) that see the
prefix and themselves but not each other, so all branches stand at the same positions:

    prefix ... [answer] "MOVE: " | e2 e4 | e7 e8 q

A target is a set of tokens that are right here, and perhaps one that the teacher prefers. Where a prefix repeats the
mover's squares, each of them is asked for the squares that its piece may go to; </s> if there is none. Two maps of
squares are asked for as well: where each of the mover's pieces may go, and what each of the opponent's attacks.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import chess
import numpy as np
import torch
from torch import Tensor
from vocabulary import ANSWER, AT, FALLBACK, ID, PIECES, SQUARE, ids, listed

BRANCH = 3
LISTED_SHARE, REJECTED_SHARE = 0.06, 0.3
WEIGHT_REJECTED = 4  # of the choice of another piece, in rows with rejections
WEIGHT_CHECK, WEIGHT_RARE = 4, 4  # how often positions in check, and with promotions or en passant, are seen
SQUARES_AT = AT["a1"]
PROMOTIONS = {chess.QUEEN: "q", chess.ROOK: "r", chess.BISHOP: "b", chess.KNIGHT: "n"}
BY_NAME = sorted(range(64), key=lambda at: chess.SQUARE_NAMES[at])


@dataclass(slots=True)
class Row:
    """A prefix with its tag token, answers, and what each place should be followed by."""

    prefix: list[int]
    branches: list[list[int]]
    sets: list[tuple[int, list[int], int]] = field(default_factory=list)  # place, right answers, teacher's or -1
    maps: tuple[list[tuple[int, int]], list[tuple[int, int]]] = field(
        default_factory=lambda: ([], [])
    )  # place, squares

    def expect(self, place: int, right: list[int], teacher: int = -1) -> None:
        self.sets.append((place, right, teacher))

    def place(self, branch: int, at: int) -> int:
        return len(self.prefix) + BRANCH * branch + at


def bits(mask: int) -> list[int]:
    """The squares of a mask."""
    return list(chess.scan_forward(mask))


class ChessFile:
    """The positions of all files of a seed, in memory."""

    def __init__(self, paths: list[Path]) -> None:
        loaded = [np.load(path) for path in paths]
        parts = {name: [file[name] for file in loaded] for name in ("tokens", "squares", "targets", "teacher", "check")}
        self.tokens, self.squares, self.targets, self.teacher, self.check = (
            np.concatenate(parts[name]) for name in ("tokens", "squares", "targets", "teacher", "check")
        )
        self.bounds = np.cumsum(np.concatenate([[0], *(np.diff(file["bounds"]) for file in loaded)]))

    def __len__(self) -> int:
        return len(self.check)

    def weighted(self) -> np.ndarray:
        """Indices of all positions, the rare kinds several times."""
        rare = self.teacher[:, 2] > 0
        owner = np.searchsorted(self.bounds, np.flatnonzero(self.tokens == ID["[ep]"]), "right") - 1
        rare[owner] = True
        times = np.where(rare, WEIGHT_RARE, np.where(self.check, WEIGHT_CHECK, 1))
        return np.repeat(np.arange(len(self)), times)

    def row(self, at: int, rng: np.random.Generator) -> Row:
        tokens = self.tokens[self.bounds[at] : self.bounds[at + 1]].tolist()
        squares = [int(square) for square in self.squares[at] if square < 64]
        targets = {square: int(mask) for square, mask in zip(squares, self.targets[at], strict=False)}
        origin, target, promotion = (int(part) for part in self.teacher[at])
        first = len(tokens) - len(squares)
        sets = [(first + n, targets[square]) for n, square in enumerate(squares)]
        maps = (attacks(tokens, first - 1), list(sets))
        kind = rng.random()
        pawns = pawn_squares(tokens)
        rejected: list[int] = []
        if kind < LISTED_SHARE:
            tokens += ids(listed(names(targets)))
        elif kind < LISTED_SHARE + REJECTED_SHARE:
            rejected = some_rejected(targets, origin, rng)
            for square in rejected:
                tokens += [ID["[rejected]"], SQUARE + square]
        row = Row([*tokens, ID["[answer]"], ID["MOVE: "]], [], maps=maps)
        for place, mask in sets:
            square = row.prefix[place] - SQUARE
            follow(row, place, mask, target if square == origin else -1)
        row.expect(len(row.prefix) - 2, [AT["MOVE: "]])
        origins = [square for square in squares if targets[square] and square not in rejected]
        teacher = SQUARES_AT + origin if origin in origins else -1
        for _ in range(WEIGHT_REJECTED if rejected else 1):
            row.expect(len(row.prefix) - 1, [SQUARES_AT + square for square in origins], teacher)
        branch(row, targets, (origin, target), promotion, target, pawns)
        a = origins[int(rng.integers(len(origins)))]
        tos = bits(targets[a])
        b = tos[int(rng.integers(len(tos)))]
        branch(row, targets, (a, b), 0, target if a == origin else -1, pawns)
        return row


def attacks(tokens: list[int], mine: int) -> list[tuple[int, int]]:
    """The places of the opponent's squares, which end at `mine`, and what each attacks, through the king too."""
    own = [divmod(token - ID["+Pa1"], 64) for token in tokens if ID["+Pa1"] <= token < ID["-Pa1"]]
    theirs = [divmod(token - ID["-Pa1"], 64) for token in tokens if ID["-Pa1"] <= token < ID["-Pa1"] + 64 * len(PIECES)]
    occupied = sum(1 << square for kind, square in own if PIECES[kind] != "K") | sum(
        1 << square for _, square in theirs
    )
    first = mine - len(theirs)
    return [(first + n, attacked(PIECES[kind], square, occupied)) for n, (kind, square) in enumerate(theirs)]


def attacked(piece: str, square: int, occupied: int) -> int:
    """The squares that a piece attacks or guards."""
    match piece:
        case "P" | "p":
            return chess.BB_PAWN_ATTACKS[piece == "P"][square]
        case "N":
            return chess.BB_KNIGHT_ATTACKS[square]
        case "K":
            return chess.BB_KING_ATTACKS[square]
    lines = 0
    if piece in "BQ":
        lines |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    if piece in "RQ":
        lines |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        lines |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return lines


def pawn_squares(tokens: list[int]) -> set[int]:
    """Where the mover's pawns are."""
    low = ID["+Pa1"]
    return {(token - low) % 64 for token in tokens if low <= token < low + 128}


def names(targets: dict[int, int]) -> list[str]:
    """The moves as in a list of legal moves, sorted; a promotion stands once."""
    moves = [chess.SQUARE_NAMES[a] + chess.SQUARE_NAMES[b] for a, mask in targets.items() for b in bits(mask)]
    return sorted(moves)


def some_rejected(targets: dict[int, int], origin: int, rng: np.random.Generator) -> list[int]:
    """One to three pieces that are to stay: the teacher's, and others. None if nothing else could move."""
    rejected = [origin] if rng.random() < 0.8 else []
    others = rng.choice(list(targets), int(rng.integers(not rejected, 3)))
    rejected = list(dict.fromkeys([*rejected, *(int(square) for square in others)]))
    return rejected if any(mask and square not in rejected for square, mask in targets.items()) else []


def follow(row: Row, place: int, mask: int, teacher: int) -> None:
    """Expect one of the squares of `mask` at a place, or the end where there is none."""
    right = [SQUARES_AT + to for to in bits(mask)] if mask else [AT["</s>"]]
    row.expect(place, right, SQUARES_AT + teacher if teacher >= 0 else -1)


def branch(
    row: Row, targets: dict[int, int], move: tuple[int, int], promotion: int, teacher: int, pawns: set[int]
) -> None:
    """An answer: origin, target, and a promotion where a pawn gets to the last rank."""
    n, (a, b) = len(row.branches), move
    tokens = [SQUARE + a, SQUARE + b]
    follow(row, row.place(n, 0), targets[a], teacher)
    if a in pawns and b >> 3 in (0, 7):
        letter = PROMOTIONS[promotion or chess.QUEEN]
        row.expect(row.place(n, 1), [AT[p] for p in "qrbn"], AT[letter])
        tokens.append(ID[letter])
        row.expect(row.place(n, 2), [AT["</s>"]])
    else:
        row.expect(row.place(n, 1), [AT["</s>"]])
    row.branches.append(tokens)


class HoldemFile:
    """Spots, and now and then a chat that is no prompt of the protocol."""

    def __init__(self, paths: list[Path]) -> None:
        self.lines = [line for path in paths for line in path.read_text().splitlines()]

    def __len__(self) -> int:
        return len(self.lines)

    def row(self, at: int, rng: np.random.Generator) -> Row:
        if at % 200 == 0:
            row = Row([ID["[?]"], ID["[answer]"]], [[ID[FALLBACK]]])
            row.expect(1, [AT[FALLBACK]])
            row.expect(row.place(0, 0), [AT["</s>"]])
            return row
        spot = json.loads(self.lines[at])
        legal, teacher = spot["legal"], spot["teacher"]
        again = rng.random() < 0.05
        if again:
            legal = [word for word in legal if word in ("fold", "check", "call")]
            teacher = teacher if teacher in legal else legal[-1]
        tokens = ids(spot["tokens"]) + [ID["[again]"]] * again
        row = Row([*tokens, ID["[answer]"], ID["ACTION: "]], [])
        row.expect(len(row.prefix) - 2, [AT["ACTION: "]])
        row.expect(len(row.prefix) - 1, [AT[word] for word in legal], AT[teacher])
        verb = next((word for word in spot["legal"] if word.endswith(" ")), None)
        for word in {teacher, verb} - {None}:
            answer = [word, *spot["least"]] if word == verb else [word]
            n = len(row.branches)
            row.branches.append(ids(answer))
            for place, token in enumerate([*answer[1:], "</s>"]):
                row.expect(row.place(n, place), [AT[token]])
        return row


@dataclass(frozen=True, slots=True)
class Batch:
    """Tensors of a batch; `rows` and `places` say where its targets are."""

    tokens: Tensor
    positions: Tensor
    mask: Tensor
    rows: Tensor
    places: Tensor
    right: Tensor  # bool [targets, len(ANSWER) + 1]
    teacher: Tensor  # -1 where there is none
    maps: list[tuple[Tensor, Tensor, Tensor]]  # rows, places, and the squares [maps, 64] as 0 or 1


def batch_of(rows: list[Row]) -> Batch:
    """Rows side by side, padded to a common length."""
    length = -(-max(len(row.prefix) + BRANCH * len(row.branches) for row in rows) // 8) * 8
    tokens = np.zeros((len(rows), length), np.int64)
    positions = np.zeros((len(rows), length), np.int64)
    block = np.zeros((len(rows), length), np.int64)  # 0: prefix; n: the nth branch; unused places see themselves
    for n, row in enumerate(rows):
        end = len(row.prefix)
        tokens[n, :end] = row.prefix
        positions[n, :end] = range(end)
        block[n, end:] = 100 + np.arange(length - end)
        for at, branch_ in enumerate(row.branches):
            here = slice(end + BRANCH * at, end + BRANCH * at + len(branch_))
            tokens[n, here] = branch_
            positions[n, here] = range(end, end + len(branch_))
            block[n, here] = at + 1
    order = np.arange(length)
    may = (block[:, None, :] == 0) | (block[:, None, :] == block[:, :, None])
    may &= order[None, None, :] <= order[None, :, None]
    mask = torch.zeros(len(rows), 1, length, length, dtype=torch.bfloat16)
    mask.masked_fill_(~torch.from_numpy(may)[:, None], -torch.inf)
    flat = [(n, *target) for n, row in enumerate(rows) for target in row.sets]
    right = torch.zeros(len(flat), len(ANSWER) + 1, dtype=torch.bool)
    counts = [len(target[2]) for target in flat]
    right[np.repeat(np.arange(len(flat)), counts), [at for target in flat for at in target[2]]] = True
    return Batch(
        torch.from_numpy(tokens),
        torch.from_numpy(positions),
        mask,
        torch.tensor([target[0] for target in flat]),
        torch.tensor([target[1] for target in flat]),
        right,
        torch.tensor([target[3] for target in flat]),
        [map_of(rows, which) for which in range(2)],
    )


def map_of(rows: list[Row], which: int) -> tuple[Tensor, Tensor, Tensor]:
    """The maps of one kind in a batch."""
    flat = [(n, place, mask) for n, row in enumerate(rows) for place, mask in row.maps[which]]
    masks = np.array([mask for _, _, mask in flat], np.uint64)
    squares = np.unpackbits(masks.view(np.uint8), bitorder="little").reshape(-1, 64)
    places = torch.tensor([(n, place) for n, place, _ in flat], dtype=torch.long).reshape(-1, 2)
    return places[:, 0], places[:, 1], torch.from_numpy(squares).float()


def batches(file: ChessFile | HoldemFile, indices: np.ndarray, size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """One pass over `indices` in random order; rows of like length stand together."""
    indices = rng.permutation(indices)
    for start in range(0, len(indices), size * 32):
        rows = [file.row(int(at), rng) for at in indices[start : start + size * 32]]
        rows.sort(key=lambda row: len(row.prefix))
        starts = list(range(0, len(rows) - size + 1, size))
        for at in rng.permutation(starts):
            yield batch_of(rows[at : at + size])
