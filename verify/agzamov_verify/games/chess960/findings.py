"""The engine's findings as text for a seat, and drawn ones of the same form: the placebo of a tool.

    g1f3: +0.31, then d7d5 d2d4 g8f6 c2c4
    e2e4: -0.05, then e7e5 f2f4 e5f4 g1f3

The placebo has as many lines, drawn values and drawn legal moves, each number and move as long as the engine's.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import chess
import msgspec

from ...dice import Stream
from ...questions import FOUND_MAX, LINE_MOVES_MAX, Examine, Examined, ExaminedMove

MATE_CENTIPAWNS: Final = 10 * FOUND_MAX
"""Beyond every value in centipawns."""
_MOVE = "[a-h][1-8][a-h][1-8][qrbn]?"
_EXPECTED = re.compile(rf"{_MOVE}(?: {_MOVE}){{0,{LINE_MOVES_MAX - 1}}}")


def misshapen(question: Examine, answer: Examined, legal: Sequence[str]) -> tuple[str, str] | None:
    """Expected and received, for an answer that is not about what was asked.

    `legal`: the legal moves, where no candidates were asked about.
    """
    named = tuple(move.line.partition(" ")[0] for move in answer.moves)
    if question.candidates and named != question.candidates:
        return f"findings about {' '.join(question.candidates)}", " ".join(named)[:200] or "none"
    number = len(question.candidates) or min(question.lines_max or 1, len(legal))
    if len(set(named)) != number or len(named) != number or not set(named) <= set(legal):
        return f"findings about {number} legal moves", " ".join(named)[:200] or "none"
    if any((move.centipawns is None) == (move.mate is None) or move.mate == 0 for move in answer.moves):
        return "values in centipawns or in moves to mate", "both, or none"
    if any(abs(move.centipawns or move.mate or 0) > FOUND_MAX for move in answer.moves):
        return f"values up to {FOUND_MAX}", "a greater one"
    if any(not _EXPECTED.fullmatch(move.line) for move in answer.moves):
        return f"lines of at most {LINE_MOVES_MAX} moves", "something else"
    return None


def ranked(moves: Sequence[ExaminedMove]) -> list[ExaminedMove]:
    """The findings, the best first."""
    return sorted(moves, key=_value, reverse=True)


def told(move: ExaminedMove) -> str:
    """A finding as text for a seat."""
    first, _, rest = move.line.partition(" ")
    then = f", then {rest}" if rest else ""
    return f"{first}: {value_told(move)}{then}"


def value_told(move: ExaminedMove) -> str:
    """The value of a finding as text for a seat: pawns, or moves to mate."""
    if move.mate is not None:
        return f"mate {move.mate:+d}"
    centipawns = move.centipawns or 0
    return f"{'-' if centipawns < 0 else '+'}{abs(centipawns) // 100}.{abs(centipawns) % 100:02d}"


def drawn(
    moves: Sequence[ExaminedMove], among: Sequence[str], board: chess.Board, stream: Stream, *, is_ranked: bool = True
) -> list[ExaminedMove]:
    """Drawn findings in the form of true ones. `among`: the moves that they may be about.

    Those are the same ones where the seat named them, else all legal moves. `is_ranked`: the greatest value stands
    first, as where the true ones are told so. Lengths of moves and lines stand in a drawn order, or a promotion and a
    line that ends early would be known by their place.
    """
    values = [drawn_value(move, stream) for move in moves]
    values = ranked(values) if is_ranked else values
    shapes = stream.deal(list(moves), len(moves))
    left = stream.deal(list(among), len(among))
    firsts = [_take(left, len(move.line.partition(" ")[0])) for move in shapes]
    lines = [" ".join(_drawn_line(first, move.line, board, stream)) for first, move in zip(firsts, shapes, strict=True)]
    return [msgspec.structs.replace(value, line=line) for value, line in zip(values, lines, strict=True)]


def drawn_value(move: ExaminedMove, stream: Stream) -> ExaminedMove:
    """A value of either sign with as many digits."""
    sign = stream.choice((-1, 1))
    if move.mate is not None:
        return ExaminedMove(None, "", sign * max(1, _as_long(abs(move.mate), stream)))
    pawns = _as_long(abs(move.centipawns or 0) // 100, stream)
    return ExaminedMove(sign * (100 * pawns + stream.below(100)), "", None)


def _value(move: ExaminedMove) -> int:
    """Centipawns, and beyond them mates: the sooner a mate, the further from zero."""
    if move.mate is None:
        return move.centipawns or 0
    return MATE_CENTIPAWNS - move.mate if move.mate > 0 else -MATE_CENTIPAWNS - move.mate


def _take(left: list[str], characters: int) -> str:
    """The first of `left` with so many characters if there is one, else the first; it is no longer left."""
    found = next((move for move in left if len(move) == characters), left[0])
    left.remove(found)
    return found


def _as_long(number: int, stream: Stream) -> int:
    """A number with as many digits."""
    digits = len(str(number))
    least = 10 ** (digits - 1) if digits > 1 else 0
    return least + stream.below(10**digits - least)


def _drawn_line(first: str, line: str, board: chess.Board, stream: Stream) -> Iterator[str]:
    """`first` and drawn legal moves, as many as in `line` if the game lasts, and each as long if one is."""
    yield first
    board = board.copy(stack=False)
    board.push(chess.Move.from_uci(first))
    for text in line.split()[1:]:
        legal = sorted(move.uci() for move in board.generate_legal_moves())
        if not legal:
            return
        choice = stream.choice([move for move in legal if len(move) == len(text)] or legal)
        yield choice
        board.push(chess.Move.from_uci(choice))
