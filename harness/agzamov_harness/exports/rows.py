"""Rows of the play: games, decisions, evaluations, memories and tool calls, stream by stream, by replay.

One stream is in memory at a time. Nothing that a model or a server said is interpreted: it is a value of a row.
"""

from collections.abc import Iterator, Sequence
from itertools import count

import msgspec

from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.games_list import outcome
from agzamov_verify.played_stream import Exchange, PlayedStream
from agzamov_verify.questions import (
    Called,
    CallTool,
    Chat,
    Evaluate,
    Evaluation,
    Exported,
    Message,
    NoReply,
    Reply,
    Store,
    Stored,
)
from agzamov_verify.replayed_game import PlayedGame
from agzamov_verify.views import VIEWS
from agzamov_verify.xray import XrayedDecision, seats_with_memory, xray

from .tables import Row, Value

US_PER_MS = 1000


class StreamRows:
    """Numbers the rows of a bundle's streams, and keeps each system prompt once."""

    def __init__(self, opened: Opened) -> None:
        self._plan = opened.manifest.plan
        names = ("decisions", "evaluations", "memory_entries", "memory_recalls", "memory_delivered", "tool_calls")
        self._ids = {name: count(1) for name in names}
        self._systems: dict[str, int] = {}

    def of(self, stream: PlayedStream) -> Iterator[Row]:
        """The rows of one stream, each after those that it refers to."""
        actions: dict[str, dict[int, str]] = {}
        for played in stream.games:
            actions[played.record.game] = dict(VIEWS[played.match.game].actions(played.record))
            yield self._game(stream, played)
        decided: dict[tuple[str, int, str], int] = {}
        for one in stream.exchanges:
            match one.question, one.answer:
                case Chat() as question, Reply() | NoReply() as reply:
                    yield from self._system(question.messages)
                    row = self._decision(question, reply, actions.get(question.game, {}), one.us / US_PER_MS)
                    decided.setdefault((question.game, question.turn, question.to), int(row.values[0] or 0))
                    yield row
                case Evaluate() as question, Evaluation() as found:
                    values = (question.game, question.turn, found.centipawns, found.mate, one.us / US_PER_MS)
                    yield self._row("evaluations", *values)
                case _:
                    yield self._tool_call(one)
        entries: dict[str, int] = {}
        yield from self._entries(stream, entries)
        yield from self._recalls(stream, decided, entries)

    def _row(self, table: str, *values: Value) -> Row:
        return Row(table, (next(self._ids[table]), *values))

    def _game(self, stream: PlayedStream, played: PlayedGame) -> Row:
        view = VIEWS[played.match.game]
        ended = view.ended(played.record)
        return Row(
            "games",
            (
                played.record.game,
                played.match.id,
                stream.plan.id,
                played.number,
                ", ".join(played.placed),
                outcome(played),
                " ".join(map(str, played.record.outcomes)),
                ended.partition(",")[0],
                ended,
                len(played.asked),
                view.exported(played, self._plan) if view.notation else None,
            ),
        )

    def _system(self, messages: Sequence[Message]) -> Iterator[Row]:
        """The row of a system prompt that is seen for the first time."""
        text = _system_text(messages)
        if text not in self._systems:
            self._systems[text] = len(self._systems) + 1
            yield Row("system_prompts", (self._systems[text], text))

    def _decision(self, question: Chat, answer: Reply | NoReply, actions: dict[int, str], ms: float) -> Row:
        asked = (question.game, question.turn, question.attempt, question.to)
        prompt = (self._systems[_system_text(question.messages)], _prompt_text(question.messages))
        action, failed = actions.get(question.turn), len(answer.attempts)
        if isinstance(answer, NoReply):
            said: tuple[Value, ...] = (0, None, answer.reason, None, action, None, None, None, None, None, None)
        else:
            said = (
                1,
                answer.text,
                None,
                msgspec.json.encode(answer.tool_calls).decode() if answer.tool_calls else None,
                action,
                answer.model or None,
                answer.finish or None,
                answer.prompt_tokens,
                answer.cached_tokens,
                answer.completion_tokens,
                answer.reasoning_tokens,
            )
        return self._row("decisions", *asked, *prompt, *said, failed, ms)

    def _tool_call(self, one: Exchange) -> Row:
        question = one.question
        place = {"ask", "game", "turn", "attempt", "to"}
        asked = {name: value for name, value in msgspec.to_builtins(question).items() if name not in place}
        kind = str(question.__struct_config__.tag)
        texts = (msgspec.json.encode(asked).decode(), msgspec.json.encode(one.answer).decode())
        return self._row(
            "tool_calls", question.game, question.turn, question.attempt, question.to, kind, *texts, one.us / US_PER_MS
        )

    def _entries(self, stream: PlayedStream, ids: dict[str, int]) -> Iterator[Row]:
        """Entries that were stored, and those that the server made of them, by its dumps. Adds to `ids` by name."""
        told: tuple[Value, ...]
        for one in stream.exchanges:
            match one.question, one.answer:
                case (Store(kind=kind) as stored, Stored(refused=refused)):
                    told = (kind, stored.content, stored.game, stored.turn, refused or None, None)
                    yield self._entry(stream, stored.to, stored.entry, told, ids)
                case (CallTool(entry=str(name)) as call, Called(refused=refused)) if name:
                    told = ("called", call.content, call.game, call.turn, refused or None, None)
                    yield self._entry(stream, call.to, name, told, ids)
                case question, Exported(entries=kept):
                    for own in kept:
                        if f"{question.to} {own.entry}" not in ids:
                            told = (own.kind, own.content, None, None, None, "\n".join(own.derived_from) or None)
                            yield self._entry(stream, question.to, own.entry, told, ids)

    def _entry(self, stream: PlayedStream, memory: str, name: str, told: tuple[Value, ...], ids: dict[str, int]) -> Row:
        row = self._row("memory_entries", stream.plan.id, memory, name, *told)
        ids[f"{memory} {name}"] = int(row.values[0] or 0)
        return row

    def _recalls(
        self, stream: PlayedStream, decided: dict[tuple[str, int, str], int], entries: dict[str, int]
    ) -> Iterator[Row]:
        match = stream.plan.match
        for of in seats_with_memory(self._plan, match):
            for played in stream.games:
                for one in xray(played, of):
                    decision = decided.get((played.record.game, one.turn, of.name))
                    yield from self._recall(decision, one, entries, of.memory)

    def _recall(self, decision: int | None, one: XrayedDecision, entries: dict[str, int], memory: str) -> Iterator[Row]:
        changed = None if one.changes is None else int(one.changes)
        recall = self._row("memory_recalls", decision, one.query, one.without, changed)
        yield recall
        for place, told in enumerate(one.recalled, start=1):
            entry = entries.get(f"{memory} {told.entry}")
            yield self._row("memory_delivered", recall.values[0], place, entry, told.entry, told.content)


def _system_text(messages: Sequence[Message]) -> str:
    return "\n\n".join(message.content for message in messages if message.role == "system")


def _prompt_text(messages: Sequence[Message]) -> str:
    """The messages after the system's: the one of the user as it is, several each after its role."""
    rest = [message for message in messages if message.role != "system"]
    if len(rest) == 1:
        return rest[0].content
    return "\n\n".join(f"[{message.role}]\n{message.content}" for message in rest)
