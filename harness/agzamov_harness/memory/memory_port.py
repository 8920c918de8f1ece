"""The memory of one stream: a port in front of one memory server, and the rules that every server is held to.

1. The server starts at the first question, in an empty folder, and must hold nothing.
2. Numbers of games and names of entries only grow; the server gets no name of match, model or seat.
3. What it says was stored is in its export once the game is over, with the same text, and nothing else is. A server
   without an export is held to the other rules alone.
4. Text changes at the end of a game alone, if the system declares that, and each new entry names what it was made of.
5. A search gives entries that are in the memory, with their text, and no more of them than may be asked for. Where the
   adapter declares it, it gives parts or previews of them; or, once something was stored, texts that nobody can trace.
6. Its tool list stays as it was.
7. After a crash a fresh server gets all questions again, and must answer the same.

A server that breaks a rule stops the stream with one line (PortFault).
"""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import msgspec

from agzamov_verify.core.questions import (
    HITS_MAX,
    MEMORY,
    SERVED_CHARACTERS_MAX,
    Answer,
    Called,
    CallTool,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    MemoryAnswer,
    MemoryQuestion,
    Question,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.memory.given_text import difference
from agzamov_verify.memory.model_memory import NOTE
from agzamov_verify.memory.native_tools import Effect
from agzamov_verify.plan.streams import SeatStore

from ..foundation.first_use import imported_at_first_use
from ..ports import Port, Wait
from .adapter_file import PAGE_ENTRIES_MAX
from .launch import Setup
from .live_entries import EMPTY_ADVICE, FOUND_ADVICE, LiveEntries
from .server_limits import MemoryFault

if TYPE_CHECKING:
    from . import memory_server
    from .memory_server import MemoryServer
    from .result_reader import ServerEntry
else:  # the library of the protocol takes a second to import
    memory_server = imported_at_first_use("agzamov_harness.memory.memory_server")

FULL_EXPORT_GAMES = 50
"""Where entries are exported in the order of storing, a game's end reads the new ones; every 50th reads them all."""
POLL_S_MIN, POLL_S_MAX = 0.02, 1.0

KEPT_ADVICE = "mend export in the adapter if it reads other than whole entries; else make the server keep text as it is"
LIMIT_ADVICE = "send ${limit} in search.args, and make the server keep to it"
MISSING_ADVICE = (
    "mend export in the adapter if it passes over entries, or write export: none where no tool gives every entry; else"
    " make the server keep all that it takes"
)
REFUSAL_ADVICE = "switch deduplication off in launch.env, or declare traits.dedup"
REWRITING_ADVICE = "declare traits.rewrites, and give derived_from of what is rewritten"
SEARCH_ADVICE = "declare traits.deterministic: store, if fresh servers that are told the same may answer otherwise"


class MemoryPort:
    """The memory of one stream. `log`: the file for its server's stderr."""

    def __init__(self, setup: Setup, log: Path, wait: Wait = time.sleep) -> None:
        self._setup, self._log, self._wait = setup, log, wait
        self._server: MemoryServer | None = None
        self._adapter = adapter = setup.system.adapter
        self._memory = LiveEntries(adapter.given(native=setup.is_native), is_traced=adapter.is_traced)
        self._number, self._entry, self._ended, self._last_ended = 0, "", 0, 0
        self._page_from: list[Kept] = []

    def answer(self, question: Question) -> MemoryAnswer:
        assert isinstance(question, MemoryQuestion)
        server = self._server or self._opened()
        self._require_order(server, question)
        match question:
            case Store():
                return self._store(server, question)
            case Search():
                return self._search(server, question)
            case CallTool():
                return self._call_tool(server, question)
            case EndGame():
                return self._end_game(server, question)
            case Export():
                return self._export(server, question)
            case _:
                assert_never(question)

    def restore(self, question: Question, recorded: Answer) -> None:
        """Repeat the questions from before the crash to a fresh server, and compare its answers. Raises PortFault."""
        found = self.answer(question)
        is_repeated = self._setup.system.adapter.traits.deterministic == "both"
        if found != recorded and (is_repeated or _stored_alone(found) != _stored_alone(recorded)):
            assert self._server
            place = f"{question.to}'s question {question.attempt} in turn {question.turn} of {question.game}"
            differing = difference(*(msgspec.json.encode(answer).decode() for answer in (recorded, found)))
            raise self._server.fault(f"the recorded answer to {place}", differing, SEARCH_ADVICE)

    def undeclared_arguments(self) -> list[str]:
        """Arguments that its adapter sends and its server's tools do not name, each with its tool."""
        return (self._server or self._opened()).undeclared_arguments

    def close(self) -> None:
        if self._server:
            self._server.close()
            self._server = None

    def _opened(self) -> "MemoryServer":
        server = self._server = memory_server.MemoryServer(self._setup, self._log)
        if found := server.export():
            such = f"{len(found)} entries, such as {found[0].content!a:.80}"
            raise server.fault("an empty memory at its start", such, EMPTY_ADVICE)
        return server

    def _require_order(self, server: "MemoryServer", question: MemoryQuestion) -> None:
        if not isinstance(question, Export):
            if question.number < self._number:
                raise server.fault(f"no game before {self._number}", f"a question of game {question.number}")
            self._number = question.number
        if isinstance(question, Store | CallTool) and question.entry:
            if question.number <= self._last_ended:
                raise server.fault("an entry of a game that is open", f"{question.entry} of one that has ended")
            if question.entry <= self._entry:
                raise server.fault(f"an entry after {self._entry}", f"{question.entry} to be stored")
            self._entry = question.entry

    def _store(self, server: "MemoryServer", question: Store) -> Stored:
        refused = server.store(question.entry, question.content, question.kind, question.number)
        if refused:
            self._require_may_refuse(server, question.entry, refused)
        else:
            self._memory.add(Kept(question.content, (), question.entry, (question.number,), question.kind))
        return Stored(refused)

    def _call_tool(self, server: "MemoryServer", question: CallTool) -> Called:
        if server.effect_of(question.tool) is Effect.UNKNOWN:
            self._memory.is_unknown = True
        answer = server.call_tool(question, reads_hits=not self._memory.is_unknown)
        if self._memory.is_unknown:
            return answer
        if answer.refused:
            self._require_may_refuse(server, question.entry, answer.refused)
        elif question.entry and not answer.failed:
            self._memory.add(Kept(question.content, (), question.entry, (question.number,), NOTE))
        self._require_held(server, answer.hits, 0, question.hits_max)
        return answer

    def _require_may_refuse(self, server: "MemoryServer", entry: str, refused: str) -> None:
        if self._setup.system.adapter.traits.dedup == "none":
            raise server.fault(f"{entry} to be stored", f"a refusal: {refused!a:.200}", REFUSAL_ADVICE)

    def _search(self, server: "MemoryServer", question: Search) -> Hits:
        found, text = server.search(question.query, question.hits_max, question.number)
        hits = tuple(Hit(row.content, row.entry) for row in found)
        self._require_held(server, hits, len(text), question.hits_max)
        return Hits(hits, text)

    def _require_held(self, server: "MemoryServer", found: Sequence[Hit], text_characters: int, asked: int) -> None:
        """Entries that a search gave must be in the memory, each given once, and no more than were asked for."""
        hits_max = min(asked, HITS_MAX) if server.takes_limit else HITS_MAX
        if len(found) > hits_max:
            raise server.fault(f"at most {hits_max} entries from a search", f"{len(found)}", LIMIT_ADVICE)
        characters = sum(len(hit.content) for hit in found) + text_characters
        if characters > SERVED_CHARACTERS_MAX:
            expected = f"at most {SERVED_CHARACTERS_MAX} characters from a search"
            raise server.fault(expected, f"{characters}", LIMIT_ADVICE)
        for hit in found:
            if problem := self._memory.hit_problem(hit, is_noisy=self._setup.settings.noise_percent > 0):
                raise server.fault(*problem)
        if twice := next((name for name, times in Counter(hit.entry for hit in found).items() if times > 1), ""):
            raise server.fault(f"{twice} once from a search", "it twice", FOUND_ADVICE)

    def _end_game(self, server: "MemoryServer", question: EndGame) -> Settled:
        server.require_same_tools()
        told = server.end_game(question.number)
        self._ended, self._last_ended = self._ended + 1, question.number
        if self._memory.is_unknown:
            return Settled(len(_readable(server)) if told is None else told)
        if not self._adapter.is_traced:
            return Settled(self._memory.count if told is None else max(0, told))
        if not self._adapter.exports:
            return self._counted(server, self._memory.count, told)
        may_read_new = (
            server.exports_in_order and self._ended % FULL_EXPORT_GAMES and told in (None, self._memory.count)
        )
        if may_read_new and self._memory.takes_new(server.export(self._memory.settled)):
            return Settled(self._memory.count)
        found = self._settled(server, rewriting=server.rewrites == "end_game")
        return self._counted(server, len(found), told)

    def _counted(self, server: "MemoryServer", entries: int, told: int | None) -> Settled:
        """The number of live entries, which must be the one that the end of a game told."""
        if told is not None and told != entries:
            where = "in its export" if self._adapter.exports else "stored"
            expected = f"{told} entries {where}, as its end of game tells"
            raise server.fault(expected, f"{entries}", "mend end_game.entries in the adapter, or the server's count")
        return Settled(entries)

    def _export(self, server: "MemoryServer", question: Export) -> Exported:
        """A page of the entries; they are read from the server for the first page, and kept for those that follow."""
        if not question.offset:
            self._page_from = self._settled(server, rewriting=False)
        page = _page(self._page_from[question.offset :])
        return Exported(page, question.offset + len(page) < len(self._page_from))

    def _settled(self, server: "MemoryServer", *, rewriting: bool) -> list[Kept]:
        """The export, once it holds all stored entries or their replacements."""
        if not self._adapter.exports:
            return self._memory.all
        pause_s, waited_s = POLL_S_MIN, 0.0
        while True:
            if self._memory.is_unknown:
                return [self._memory.as_exported(row) for row in _readable(server)]
            found = server.export()
            kept, problem = self._memory.kept(found, rewriting=rewriting)
            if problem:
                advice = problem.advice or (REWRITING_ADVICE if rewriting else KEPT_ADVICE)
                raise server.fault(problem.expected, problem.found, advice)
            missing = self._memory.missing(kept, rewriting=rewriting)
            if not missing:
                self._memory.become(kept)
                return kept
            if waited_s >= self._setup.limits.settle_s:
                expected = f"every stored entry in its export within {waited_s:g} s"
                raise server.fault(expected, f"{len(missing)} missing: {missing[0]}", MISSING_ADVICE)
            self._wait(pause_s)
            waited_s += pause_s
            pause_s = min(2 * pause_s, POLL_S_MAX)


def open_memory(setup: Setup, logs: Path, store: SeatStore, wait: Wait = time.sleep) -> Port:
    """The memory of a seat in a stream. Its server's log is `<logs>/<stream>.log`, in a container the container's own.

    That of seat B is `<stream>-memory_b.log`.
    """
    if setup.socket:
        return MemoryPort(setup, Path(f"{setup.socket.parent.name}.log"), wait)
    logs.mkdir(parents=True, exist_ok=True)
    whose = "" if store.to == MEMORY else f"-{store.to}"
    return MemoryPort(setup, logs / f"{store.stream}{whose}.log", wait)


def _page(kept: list[Kept]) -> tuple[Kept, ...]:
    """The first entries, as many as one answer may hold."""
    page: list[Kept] = []
    characters = 0
    for one in kept[:PAGE_ENTRIES_MAX]:
        characters += len(one.content)
        if page and characters > SERVED_CHARACTERS_MAX:
            break
        page.append(one)
    return tuple(page)


def _readable(server: "MemoryServer") -> list["ServerEntry"]:
    """The export of a memory with unknown content; nothing where its entries are not as declared."""
    try:
        return server.export()
    except MemoryFault:
        return []


def _stored_alone(answer: Answer) -> Answer | None:
    """Answers that a system must repeat though its searches need not: whether an entry was taken, and dumps."""
    match answer:
        case Hits():
            return None
        case Called():
            return Called(failed=answer.failed, refused=answer.refused, text="")
        case _:
            return answer
