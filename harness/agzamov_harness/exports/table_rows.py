"""Rows of an export: the run, its seats and matches with their signed figures; and all that was played, by replay.

One stream is in memory at a time. Nothing that a model or a server said is interpreted: it is a value of a row.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

import msgspec

from agzamov_verify.bundle import ANALYSIS_FILE, RESULTS_FILE, compliance
from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.core import canon
from agzamov_verify.core.questions import (
    Called,
    CallTool,
    Chat,
    Evaluate,
    Evaluation,
    Exported,
    Message,
    NoReply,
    Planted,
    Reply,
    Store,
    Stored,
)
from agzamov_verify.core.seat_letters import seat_letter
from agzamov_verify.core.untrusted_input import HostileBundle
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Price
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.results import Results, without_forfeited
from agzamov_verify.show.games_of_bundle import Exchange, PlayedStream, outcome
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.signed_analysis import signed_analysis
from agzamov_verify.show.text.headline import Headline, headlines
from agzamov_verify.show.views import VIEWS
from agzamov_verify.show.xray import XrayedDecision, seats_with_memory, xray

from .table_schema import TableRow, Value

US_PER_MS = 1000


class StreamRows:
    """Numbers the rows of a bundle's streams, and keeps each system prompt once."""

    def __init__(self, opened: Opened) -> None:
        self._plan = opened.manifest.plan
        names = ("decisions", "evaluations", "memory_entries", "memory_recalls", "memory_delivered", "tool_calls")
        self._ids = {name: count(1) for name in names}
        self._systems: dict[str, int] = {}

    def of(self, stream: PlayedStream) -> Iterator[TableRow]:
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
                    if not isinstance(question, Planted):
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

    def _row(self, table: str, *values: Value) -> TableRow:
        return TableRow(table, (next(self._ids[table]), *values))

    def _game(self, stream: PlayedStream, played: PlayedGame) -> TableRow:
        view = VIEWS[played.match.game]
        ended = view.ended(played.record)
        return TableRow(
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

    def _system(self, messages: Sequence[Message]) -> Iterator[TableRow]:
        """The row of a system prompt that is seen for the first time."""
        text = _system_text(messages)
        if text not in self._systems:
            self._systems[text] = len(self._systems) + 1
            yield TableRow("system_prompts", (self._systems[text], text))

    def _decision(self, question: Chat, answer: Reply | NoReply, actions: dict[int, str], ms: float) -> TableRow:
        asked, is_planted = (question.game, question.turn, question.attempt, question.to), isinstance(question, Planted)
        prompt = (self._systems[_system_text(question.messages)], _prompt_text(question.messages), int(is_planted))
        action, failed = None if is_planted else actions.get(question.turn), len(answer.attempts)
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

    def _tool_call(self, one: Exchange) -> TableRow:
        question = one.question
        place = {"ask", "game", "turn", "attempt", "to"}
        asked = {name: value for name, value in msgspec.to_builtins(question).items() if name not in place}
        kind = str(question.__struct_config__.tag)
        texts = (msgspec.json.encode(asked).decode(), msgspec.json.encode(one.answer).decode())
        return self._row(
            "tool_calls", question.game, question.turn, question.attempt, question.to, kind, *texts, one.us / US_PER_MS
        )

    def _entries(self, stream: PlayedStream, ids: dict[str, int]) -> Iterator[TableRow]:
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

    def _entry(
        self, stream: PlayedStream, memory: str, name: str, told: tuple[Value, ...], ids: dict[str, int]
    ) -> TableRow:
        row = self._row("memory_entries", stream.plan.id, memory, name, *told)
        ids[f"{memory} {name}"] = int(row.values[0] or 0)
        return row

    def _recalls(
        self, stream: PlayedStream, decided: dict[tuple[str, int, str], int], entries: dict[str, int]
    ) -> Iterator[TableRow]:
        match = stream.plan.match
        for of in seats_with_memory(self._plan, match):
            for played in stream.games:
                for one in xray(played, of):
                    decision = decided.get((played.record.game, one.turn, of.name))
                    yield from self._recall(decision, one, entries, of.memory)

    def _recall(
        self, decision: int | None, one: XrayedDecision, entries: dict[str, int], memory: str
    ) -> Iterator[TableRow]:
        changed = None if one.changes is None else int(one.changes)
        counts = int(bool(one.told)), len(one.told.encode())
        recall = self._row("memory_recalls", decision, one.query, one.without, changed, *counts)
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


CONFIDENCE: Final = 0.95
"""Of every interval of a bundle."""


def signed_results(opened: Opened) -> tuple[Results, Analysis]:
    """The figures that the submitter signed, which `agzamov verify` computes again. Raises HostileBundle."""
    protocol = opened.manifest.plan.protocol
    try:
        return (
            without_forfeited(documents.read(protocol, documents.RESULTS, opened.payload(RESULTS_FILE), Results)),
            signed_analysis(opened),
        )
    except canon.NotCanonical as error:
        raise HostileBundle(RESULTS_FILE, "results and their analysis in canonical JSON", str(error)) from error


def signed_headlines(results: Results, analysis: Analysis) -> dict[str, Headline]:
    """The figure of each row of the results: of a match, or of each seat that is looked at. Raises HostileBundle."""
    try:
        return headlines(results.matches, analysis)
    except ValueError as error:
        raise HostileBundle(ANALYSIS_FILE, "figures that are numbers", str(error)) from error


def signed_digest(opened: Opened) -> str:
    """The SHA-256 of the bundle's payload manifest, which the submitter signed."""
    return opened.sha256


def run_rows(opened: Opened) -> Iterator[TableRow]:
    """The rows of the tables runs, seats and matches. Raises HostileBundle."""
    results, analysis = signed_results(opened)
    told = signed_headlines(results, analysis)
    figures = {row.match: told[row.id] for row in results.matches if not row.seat_index}
    manifest, plan = opened.manifest, opened.manifest.plan
    yield TableRow(
        "runs",
        (
            manifest.run_id,
            plan.title,
            signed_digest(opened),
            opened.submitter,
            plan.protocol,
            plan.seed.origin,
            plan.isolation,
            compliance(results),
            "\n".join(results.not_played),
            "\n".join(results.departures),
        ),
    )
    for name, seat in plan.seats.items():
        price = plan.prices.get(name, Price())
        usd = map(float, (price.input_usd, price.cached_usd, price.output_usd))
        settings = msgspec.json.encode(seat).decode()
        yield TableRow("seats", (name, manifest.run_id, seat.kind, int(seat.is_model), settings, *usd))
    for match in plan.matches:
        yield TableRow("matches", (match.id, manifest.run_id, *_match(match), *_figure(match, figures.get(match.id))))
        yield from _seats_of(match)
    yield from _teams(results)


def _match(match: Match) -> tuple[str | int, ...]:
    condition = match.condition
    words = condition.augmentation.value, condition.arm.value, condition.system
    opponents = ", ".join(at.seat for at in match.opponents)
    return (int(match.phase), match.game, match.measured, opponents, *words, match.part, match.planned)


def _seats_of(match: Match) -> Iterator[TableRow]:
    """The seats of a match in their order."""
    for seat_index, at in enumerate(match.table):
        words = at.condition.augmentation.value, at.condition.arm.value, at.condition.system
        letter = seat_letter(seat_index)
        yield TableRow("match_seats", (f"{match.id}@{letter}", match.id, letter, at.seat, *words))


def _teams(results: Results) -> Iterator[TableRow]:
    """What each team won in each match, once for a match, whichever of its seats are looked at."""
    for match in {result.match: result for result in results.matches}.values():
        for team in match.teams:
            name = f"{match.match}/{team.team}"
            yield TableRow("match_teams", (name, match.match, team.team, team.won, team.drawn, team.lost))


def _figure(match: Match, figure: Headline | None) -> tuple[str | int | float | None, ...]:
    if figure is None:
        return (0, *[None] * 8)
    view = VIEWS[match.game]
    bounds = (None if figure.no_finding else figure.value, figure.low, figure.high, figure.null)
    each = ", ".join(figure.by_career) or None
    return (1, *bounds, view.figure_unit, figure.units, each, figure.why_none or None)
