"""Questions to the engine about a game: each position's best move, and the played one where it is another.

For a game of N plies, one position for each ply and, unless the rules of chess ended the game, the one
after the last. At each: the engine's move and value. Where the played move is another, its value at the
same root: the same search with `searchmoves`. A played move that ends the game needs no engine.
An answer is one line of canonical JSON; a score is in UCI's own words, from the side to move:

    {"best":"e2e4","game":"p1-chess960-naked-model-g00000","played":"cp -6","ply":0,"value":"cp 31"}
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from ...core import canon
from ...core.questions import Evaluation
from ...experiment.plan_fields import END

Score: TypeAlias = Annotated[str, Meta(pattern="^(cp 0|(cp|mate) -?[1-9][0-9]{0,5})" + END)]
Uci: TypeAlias = Annotated[str, Meta(pattern="^[a-h][1-8][a-h][1-8][nbrq]?" + END)]

Search: TypeAlias = Callable[[str, str, str], tuple[str, Evaluation]]
"""From a start, the moves since and the only move to look at ("" for any): the engine's move and score."""


class Position(msgspec.Struct, frozen=True, gc=False):
    """A position to ask about, before `played`; that is empty after the last ply.

    `ends` says that the played move ended the game by the rules of chess.
    """

    ends: bool
    game: str
    moves: str
    played: str
    ply: int
    start_fen: str


class MoveEvaluation(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The engine's answer about a position: its move and value; `played` where that move had to be searched too."""

    best: Uci
    game: Annotated[str, Meta(max_length=100)]
    played: Score | None
    ply: Annotated[int, Meta(ge=0, le=2**20)]
    value: Score


Answers: TypeAlias = Mapping[str, Sequence[MoveEvaluation]]
"""By game: the engine's answers about its positions, in order."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(MoveEvaluation)


def asks_played(position: Position, best: str) -> bool:
    """True if the played move needs a search of its own."""
    return position.played not in ("", best) and not position.ends


def judge(position: Position, search: Search) -> MoveEvaluation:
    """Ask about one position: one search, or two."""
    best, value = search(position.start_fen, position.moves, "")
    played = None
    if asks_played(position, best):
        played = spelled(search(position.start_fen, position.moves, position.played)[1])
    return MoveEvaluation(best, position.game, played, position.ply, spelled(value))


def spelled(evaluation: Evaluation) -> str:
    """A score in UCI's words."""
    if evaluation.mate is not None:
        return f"mate {evaluation.mate}"
    return f"cp {evaluation.centipawns}"


def encode(judgement: MoveEvaluation) -> bytes:
    """The line of an answer, without its line feed."""
    return _encoder.encode(judgement)


def decode(line: bytes) -> MoveEvaluation:
    """The answer that a line holds. Raises canon.NotCanonical."""
    try:
        judgement = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise canon.NotCanonical(str(error)) from error
    again = _encoder.encode(judgement)
    if again != line:
        raise canon.NotCanonical(f"another spelling from byte {canon.first_difference(again, line)} on")
    return judgement


def misfit(position: Position, judgement: MoveEvaluation) -> tuple[str, str] | None:
    """The expected and the found, if `judgement` cannot be an answer about `position`; else None."""
    expected, found = f"{position.game} ply {position.ply}", f"{judgement.game} ply {judgement.ply}"
    if expected != found:
        return expected, found
    with_played = asks_played(position, judgement.best)
    if with_played == (judgement.played is not None):
        return None
    words = {True: "a score of the played move", False: "no score of the played move"}
    return words[with_played], words[not with_played]
