"""Every spelling of a move that is accepted: docs/reading.md has the grammar.

A step as 11-15 and a capture as 15x24x31 are exact. All else is normalised: other separators, a capture by its first
and last square alone, a move number before it. A text is accepted if exactly one legal move fits it.
"""

import re
from functools import lru_cache
from typing import Final

from ...table.declared import Accepted, Fault, FaultKind
from .board import Move, must_capture, step_of
from .rules import DraughtsGame

_SHOWN_CHARS: Final = 20
TEXTS_KEPT: Final = 1024
"""Declarations whose squares are kept in memory: of a few hundred moves, nearly all are spelled alike."""
_NUMBER: Final = re.compile(r"[0-9]{1,3}\.(?:\.\.)? ?")
_AFTER: Final = re.compile(r"[!*]{0,2}$")
_SQUARE: Final = r"(?:0?[1-9]|[12][0-9]|3[0-2])"
_BETWEEN: Final = r"(?: ?(?:->|[-xX:>]|to|takes) ?| )"
_PATH: Final = re.compile(rf"{_SQUARE}(?:{_BETWEEN}{_SQUARE}){{1,12}}")


def read_move(text: str, game: DraughtsGame) -> Accepted[Move] | Fault:
    """The legal move that `text` spells, or why there is none."""
    path = path_of(text)
    if not path:
        return Fault(FaultKind.NO_ACTION, f"{text[:_SHOWN_CHARS]!r} is not a move")
    step = step_of(game.position, path)
    if step:
        return Accepted(step, exact=text == step.text)
    moves = game.legal()
    whole = [move for move in moves if move.path == path]
    fits = whole or [move for move in moves if len(path) == 2 and (move.path[0], move.path[-1]) == path]
    if len(fits) > 1:
        return Fault(FaultKind.AMBIGUOUS, f"{text[:_SHOWN_CHARS]!r} may mean more than one legal capture")
    if fits:
        return Accepted(fits[0], exact=text == fits[0].text)
    return Fault(FaultKind.ILLEGAL, f"{text[:_SHOWN_CHARS]} is not legal in this position{_hint(path, moves, game)}")


@lru_cache(maxsize=TEXTS_KEPT)
def path_of(text: str) -> tuple[int, ...]:
    """The squares that a text names; empty for a text that is no move."""
    plain = _AFTER.sub("", _NUMBER.sub("", text, count=1)).strip()
    return tuple(map(int, re.findall("[0-9]+", plain))) if _PATH.fullmatch(plain) else ()


def spelled(text: str) -> str:
    """One spelling of a move in whatever form, for comparing two texts; any other text as it is."""
    return "-".join(map(str, path_of(text))) or text.strip()


def _hint(path: tuple[int, ...], moves: list[Move], game: DraughtsGame) -> str:
    """The rule that was forgotten, where it is plain; it names no legal move."""
    if any(move.taken and move.path[: len(path)] == path for move in moves):
        return ": the capture must go on to its end"
    return ": a capture must be made" if must_capture(game.position) and len(path) == 2 else ""
