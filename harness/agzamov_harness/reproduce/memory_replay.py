"""Replay of a memory: a fresh server is asked a bundle's questions again and must answer the same.

Every answer is compared, the dumps among them. The questions follow from the bundle's journal by replay, as a verifier
computes them. The server is the one that the manifest names, in its image where the run was in containers.

A twin is asked all of it but the stores: what it gives, its system brought with it.
"""

import shlex
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.checks.replay_stream import exchanges_of, segments_of
from agzamov_verify.core.questions import Answer, Called, CallTool, MemoryQuestion, Question, Search, Store
from agzamov_verify.memory.given_text import difference
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.plan.streams import SeatStore, memory_stores, streams_of
from agzamov_verify.systems import MemorySystem, System

from ..memory import memory_port
from ..memory.launch import HERE, Places, setup_of
from ..memory.server_limits import MemoryFault
from ..pipeline.sealed_run import served_memory
from ..ports import Port, PortFault
from ..servers.server_process import log_folder

SHOWN_CHARACTERS = 200


class ReplayedStore(msgspec.Struct, frozen=True):
    """One store: a seat's in a career. `asked`: questions whose answers were compared.

    `place`: of the first answer that differs, else empty.

    `unlike`: searches that gave something else, where the adapter declares that they need not repeat. `is_twin`: that
    of a twin that was told no entry, whose answers must hold none.
    """

    career: int
    stream: str
    system: str
    asked: int
    unlike: int = 0
    place: str = ""
    expected: str = ""
    found: str = ""
    is_twin: bool = False

    @property
    def line(self) -> str:
        """The outcome for a person."""
        head = f"career {self.career} ({self.system}, {self.stream})"
        if self.is_twin:
            head = f"{head}, a twin that was told no entry"
        if not self.place and self.is_twin:
            return f"{head}: {self.asked} answers hold none"
        if not self.place:
            unlike = f"; {self.unlike} searches gave something else, as its adapter declares" if self.unlike else ""
            return f"{head}: {self.asked - self.unlike} answers are the same{unlike}"
        return f"{head}: {self.place}: expected {self.expected}, found {self.found}"


def replay_memories(
    opened: Opened, career: int = 0, places: Places = HERE, *, blank: bool = False
) -> Iterator[ReplayedStore]:
    """Each store of a bundle, or the one of this number. Raises PortFault, Divergence.

    `blank`: each is followed by its twin.
    """
    for number, (store, system) in enumerate(memory_stores(opened.manifest.plan).items(), 1):
        if career in (0, number) and segments_of(opened.digests, store.stream):
            repeat = _searches_repeat(opened.manifest.plan.systems[system])
            with _port(opened, store, system, places) as port:
                outcome = compared(port, exchanges(opened, store), searches_repeat=repeat)
            yield ReplayedStore(number, store.stream, system, *outcome)
            if blank:
                with _port(opened, store, system, places) as port:
                    twin = compared_blank(port, exchanges(opened, store))
                yield ReplayedStore(number, store.stream, system, *twin, is_twin=True)


def replay_streams(
    opened: Opened, streams: Collection[str], places: Places = HERE
) -> Iterator[tuple[SeatStore, "ComparedStore | PortFault"]]:
    """Each store of these streams, compared; the fault where its server cannot be asked. Raises Divergence."""
    for store, system in memory_stores(opened.manifest.plan).items():
        if store.stream not in streams:
            continue
        repeat = _searches_repeat(opened.manifest.plan.systems[system])
        try:
            with _port(opened, store, system, places) as port:
                yield store, compared(port, exchanges(opened, store), searches_repeat=repeat)
        except PortFault as error:
            yield store, error


def programs_of(manifest: Manifest, places: Places = HERE) -> dict[str, str]:
    """The commands that a replay would start as sealed adapters say, outside of containers, by system.

    Whoever made the bundle wrote them. Raises PortFault for an adapter that is none.
    """
    plan, commands = manifest.plan, dict[str, str]()
    for name in dict.fromkeys(memory_stores(plan).values() if plan.isolation == "process" else ()):
        system = plan.systems[name]
        if isinstance(system, MemorySystem) and system.is_from_outside:
            launch = setup_of(system, None, places).system.adapter.launch
            commands[name] = launch.url if launch.runs_already else shlex.join([launch.command, *map(str, launch.args)])
    return commands


@contextmanager
def _port(opened: Opened, store: SeatStore, system: str, places: Places) -> Iterator[Port]:
    """A fresh server for a store."""
    with served_memory(opened.manifest, system, places) as setup, log_folder("memory") as folder:
        port = memory_port.open_memory(setup, folder, store)
        try:
            yield port
        finally:
            port.close()


def exchanges(opened: Opened, store: SeatStore) -> Iterator[tuple[Question, Answer]]:
    """Questions to a store with their answers, by replay of its stream. Raises Divergence, BrokenJournal."""
    matches = opened.manifest.plan.memory_matches
    stream = next(one for match in matches for one in streams_of(match) if one.id == store.stream)
    return ((question, answer) for question, answer in exchanges_of(opened, stream) if question.to == store.to)


class ComparedStore(NamedTuple):
    """Outcome of asking again, as in `ReplayedStore`."""

    asked: int
    unlike: int = 0
    place: str = ""
    expected: str = ""
    found: str = ""


def compared(port: Port, recorded: Iterable[tuple[Question, Answer]], *, searches_repeat: bool = True) -> ComparedStore:
    """Repeat the questions until an answer differs; where searches need not repeat, theirs are only counted."""
    asked = unlike = 0
    for question, expected in recorded:
        if not isinstance(question, MemoryQuestion):
            continue
        asked += 1
        found = port.answer(question)
        is_free = not searches_repeat and isinstance(question, Search | CallTool)
        if found != expected and is_free:
            unlike += 1
        elif found != expected:
            return ComparedStore(asked, unlike, _place(question), _shown(expected), _told(expected, found))
    return ComparedStore(asked, unlike)


def compared_blank(port: Port, recorded: Iterable[tuple[Question, Answer]]) -> ComparedStore:
    """Ask all that was asked but the stores, until an answer holds an entry: the port takes that for a fault.

    Calls of a server's own tools that gave no entries are left out: they may have stored something.
    """
    asked = 0
    for question, answer in recorded:
        stores = isinstance(question, Store) or (isinstance(question, CallTool) and not _gave_entries(answer))
        if not isinstance(question, MemoryQuestion) or stores:
            continue
        asked += 1
        try:
            port.answer(question)
        except MemoryFault as error:
            return ComparedStore(asked, 0, _place(question), error.expected, error.found)
    return ComparedStore(asked)


def _gave_entries(answer: Answer) -> bool:
    return isinstance(answer, Called) and bool(answer.hits)


def _place(question: MemoryQuestion) -> str:
    return f"question {question.attempt} in turn {question.turn} of {question.game}"


def _searches_repeat(system: System) -> bool:
    """Whether a fresh server with the same entries must give the same answers to searches."""
    serving = system.serving if isinstance(system, MemorySystem) else None
    return serving is None or serving.searches_repeat


def _told(expected: Answer, found: Answer) -> str:
    """The answer found; where both are alike as far as they are shown, the place where they differ."""
    if _shown(found) != _shown(expected):
        return _shown(found)
    return difference(*(msgspec.json.encode(answer).decode() for answer in (expected, found)))


def _shown(answer: Answer) -> str:
    return f"{msgspec.json.encode(answer).decode()!a:.{SHOWN_CHARACTERS}}"
