"""Moves that the stored model replies declare, by the protocol's strict format, compared with the played moves.

The rule here is the authors' own, which their prompt states: a line that starts with MOVE: and holds a move in UCI,
and the last one decides. It is stricter than docs/reading.md, which no model of theirs was ever told. The files do not
say how a reply finished, so a MOVE: line that ends the text counts as complete when it holds a whole move, and as cut
when it does not.
"""

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum

import chess
import msgspec

from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.table.declared import Fault, FaultKind

from .findings import Finding, Step
from .published_files import REPLIES, ModelReply, Published, Record
from .replay import Replayed, start_fen

TAG = "MOVE:"


class Declared(StrEnum):
    """Content of the last MOVE: line of a reply."""

    PLAYED = "played"
    OTHER = "other"
    ILLEGAL = "illegal"
    CUT = "cut"
    NO_MOVE = "no_move"
    NO_LINE = "no_line"


WORDS = {
    Declared.PLAYED: "a legal move, the one recorded",
    Declared.OTHER: "a legal move, not the one recorded",
    Declared.ILLEGAL: "a move that is not legal",
    Declared.CUT: "the beginning of a move, where the text ends",
    Declared.NO_MOVE: "text that is not a move",
    Declared.NO_LINE: "no MOVE: line",
}


class Reading(msgspec.Struct, frozen=True):
    """One reply, read: its class, what it declares, what was played."""

    game: str
    ply: int
    kind: Declared
    declared: str
    played: str
    ends_text: bool


class Replies(msgspec.Struct, frozen=True):
    """The readings of all replies, and where replies and moves do not pair."""

    readings: tuple[Reading, ...]
    findings: tuple[Finding, ...]

    def count(self, *kinds: Declared) -> int:
        """Number of replies of these classes."""
        return sum(reading.kind in kinds for reading in self.readings)


def read_replies(published: Published, games: list[Replayed]) -> Replies | None:
    """The classes of the stored replies, or None when the file is not there."""
    if published.replies is None:
        return None
    by_place = {(reply.game_id, reply.ply): reply for reply in published.replies}
    readings = [reading for game in games for reading in _readings(game, by_place)]
    findings = [*_pairing(published), *(_contradiction(r) for r in readings if r.kind is Declared.OTHER)]
    return Replies(tuple(readings), tuple(findings))


def _readings(replayed: Replayed, replies: dict[tuple[str, int], ModelReply]) -> Iterator[Reading]:
    """The board before each model move, and the reply that was given there."""
    record = replayed.record
    model_plies = set(record.model_plies())
    game = Game960(start_fen(record))
    for move in map(chess.Move.from_uci, replayed.game.moves):
        ply = game.ply + 1
        reply = replies.get((record.game_id, ply))
        if reply and ply in model_plies:
            yield _reading(reply, game, move)
        game.push(move)


def _reading(reply: ModelReply, game: Game960, move: chess.Move) -> Reading:
    lines = [line.strip() for line in reply.reasoning.split("\n")]
    declaration = next((line.removeprefix(TAG).strip() for line in reversed(lines) if line.startswith(TAG)), None)
    ends_text = reply.reasoning.rstrip().rpartition("\n")[2].lstrip().startswith(TAG)
    kind = Declared.NO_LINE if declaration is None else _kind(declaration, game, move, ends_text=ends_text)
    return Reading(reply.game_id, reply.ply, kind, declaration or "", move.uci(), ends_text)


def _kind(text: str, game: Game960, played: chess.Move, *, ends_text: bool) -> Declared:
    read = game.read(text)
    if not isinstance(read, Fault):
        return Declared.PLAYED if read == played else Declared.OTHER
    if read.kind is FaultKind.ILLEGAL:
        return Declared.ILLEGAL
    begins_a_move = any(move.startswith(text) for move in game.legal_moves())
    return Declared.CUT if ends_text and begins_a_move else Declared.NO_MOVE


def _pairing(published: Published) -> Iterator[Finding]:
    """One reply for each model move, and none besides."""
    due = Counter(place for record in published.records for place in _places(record))
    given = Counter((reply.game_id, reply.ply) for reply in published.replies or ())
    for game, ply in sorted(due | given):
        expected, found = due[game, ply], given[game, ply]
        if expected != found:
            yield Finding(Step.REPLIES, REPLIES, f"{expected} replies", str(found), game, ply)


def _places(record: Record) -> Iterator[tuple[str, int]]:
    for ply in record.model_plies():
        yield record.game_id, ply


def _contradiction(reading: Reading) -> Finding:
    expected = f"the declared move {reading.declared}"
    return Finding(Step.REPLIES, REPLIES, expected, f"{reading.played} played", reading.game, reading.ply)
