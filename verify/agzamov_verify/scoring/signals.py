"""Signals beside a seat's figures: counts that an odd server or a doctored record would move. Printed, not judged.

Failed tries can hide draws of better replies; replies without tokens, or with more text than their tokens can hold,
were not counted by who wrote them; a model whose moves are the engine's may be the engine. All have honest causes too.
"""

from collections.abc import Sequence
from itertools import starmap
from typing import Any

import msgspec

from ..games.decision import Tally
from ..games.players import alternating
from .quality.judged_moves import JudgedMoves
from .quality.positions import Answers


class Signals(msgspec.Struct, frozen=True):
    """Signals of one seat in one match: replies, those without a completion token, and characters of text."""

    replies: int
    replies_without_tokens: int
    text_characters: int


class EngineMatch(msgspec.Struct, frozen=True):
    """A seat's own moves in judged games, and how many of them were the engine's first choice."""

    moves: int
    matched: int


def signals(tally: Tally) -> Signals:
    """The signals that a tally holds."""
    return Signals(tally.replies, tally.replies_without_tokens, tally.text_characters)


def engine_match(judged: JudgedMoves, records: Sequence[Any], answers: Answers) -> tuple[EngineMatch, ...]:
    """Numbers of judged moves of each of two seats, and of those equal to the engine's.

    Substituted moves are excluded.
    """
    moves, matched = [0, 0], [0, 0]
    for index, record in enumerate(records):
        substituted, order = judged.substituted(record), alternating(index)
        for position, answer in zip(judged.positions(record), answers.get(record.game, ()), strict=False):
            if position.played and position.ply not in substituted:
                seat_index = order[position.ply % len(order)]
                moves[seat_index] += 1
                matched[seat_index] += position.played == answer.best
    return tuple(starmap(EngineMatch, zip(moves, matched, strict=True)))
