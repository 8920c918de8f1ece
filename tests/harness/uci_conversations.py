"""A chess program's side of a conversation: with an engine in this process, whose seat a test answers for."""

import os
import queue
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from agzamov_harness.exhibition import exhibition_run
from agzamov_harness.exhibition.desk import Desk
from agzamov_harness.exhibition.seat_world import SeatWorld
from agzamov_harness.exhibition.uci_front import UciFront
from agzamov_harness.exhibition.uci_output import UciOutput, lines_of
from agzamov_harness.ports import ChatRequest, PortFault
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import World, ports_of
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.seal import seal
from agzamov_verify.core import envelope
from agzamov_verify.core.questions import NoReply, Reply
from agzamov_verify.table.prompt_lines import labelled, read_page
from bundles.bundle_factory import SUBMITTER

PATIENCE_S = 60.0
PLAN: dict[str, Any] = {
    "title": "Guest",
    "seats": {
        "agent": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"},
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "none"}},
    "matches": [{"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 2}],
}


class Seat:
    """A seat whose answers a test gives: a text, a text after a wait for `free`, or a fault."""

    def __init__(self, answer: Callable[[str], Reply | NoReply]) -> None:
        self._answer = answer
        self.asked = list[str]()

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        fen = labelled(read_page(request.messages), "FEN")
        self.asked.append(fen)
        return self._answer(fen)

    def close(self) -> None:
        """Nothing to let go of."""


class Program:
    """What a chess program does: it writes lines, and waits for one of a form."""

    def __init__(self, write: Callable[[str], None], read: Callable[[float], str]) -> None:
        self._write, self._read = write, read
        self.heard = list[str]()

    def say(self, *lines: str) -> None:
        for line in lines:
            self._write(line)

    def until(self, pattern: str, seconds: float = PATIENCE_S) -> str:
        """The next line that has this form; those before it are in `heard`."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            line = self._read(left)
            self.heard.append(line)
            if re.fullmatch(pattern, line):
                return line
        raise AssertionError(f"no {pattern} in {seconds} s; heard {self.heard[-20:]}")


class Conversation(Program):
    """An engine in threads of this process; `exhibition()` is what it leaves."""

    def __init__(self, folder: Path, seat: Seat, plan: dict[str, Any] = PLAN) -> None:
        sealed = plan_from(plan)
        manifest, secret = seal(sealed, envelope.key_id(SUBMITTER.public_key()), None)
        self.directory = run_folder.create(folder / "runs", manifest, secret, SUBMITTER)
        self.folder, self._match = folder, exhibition_run.match_of(sealed, "agent")
        reading, writing = os.pipe()
        self._descriptors = [reading, writing]
        self._said: queue.Queue[str] = queue.Queue()
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=lambda: [self._said.put(line) for line in lines_of(reading)], daemon=True).start()
        desk = Desk()
        self.front = UciFront(UciOutput(writing, None), desk, "Agzamov agent", "Agzamov", always_960=True)
        world = World(ports_of({"agent": seat}, None))
        answers = SeatWorld(world, desk, self.front.tell, self.front.moved)
        self._threads = [
            threading.Thread(target=self.front.serve, args=(iter(self._lines.get, None),), daemon=True),
            threading.Thread(target=self._play, args=(answers,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        super().__init__(self._lines.put, lambda seconds: self._said.get(timeout=seconds))

    def _play(self, answers: SeatWorld) -> None:
        try:
            exhibition_run.record(self.directory, self._match, answers)
        except PortFault as error:
            self.front.failed(str(error))

    def greeted(self) -> Self:
        self.say("uci")
        self.until("uciok")
        return self

    def exhibition(self) -> Path:
        """End the conversation, and pack what it left."""
        self._lines.put(None)
        for thread in self._threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive()
        for descriptor in reversed(self._descriptors):  # the reader ends with its writer
            os.close(descriptor)
        return exhibition_run.pack(self.directory, SUBMITTER, self.folder / "exhibitions")
