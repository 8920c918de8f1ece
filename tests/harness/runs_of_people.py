"""Runs with people: played by the harness's own parts in a thread, so that a test can play the person."""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from agzamov_harness.build_ports import concurrency_of, open_world
from agzamov_harness.people.served import people_at
from agzamov_harness.pipeline.pack import pack
from agzamov_harness.run import run_folder
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_verify.core import envelope
from bundles.bundle_factory import SECRET, SUBMITTER, TICK_NS
from harness.person_at_page import PATIENCE_S, Json, Person


def sealed(plan: Json, folder: Path) -> RunDirectory:
    """A sealed run of a plan."""
    manifest, secret = seal(plan_from(plan), envelope.key_id(SUBMITTER.public_key()), None, SECRET)
    return run_folder.create(folder / "runs", manifest, secret, SUBMITTER)


class Running:
    """A run that a thread plays. `url`: the page of its first person; `fault`: what ended it, if not its end."""

    def __init__(self, directory: RunDirectory, port: int = 0) -> None:
        self.directory, self.stop = directory, Stop()
        self.fault: Exception | None = None
        self.bundle = Path()
        self.urls: list[str] = []
        self._person: Person | None = None
        self._port, self._told = port, threading.Event()
        self.thread = threading.Thread(target=self._play, daemon=True)

    @property
    def url(self) -> str:
        """The address of the first person's page, once it is served."""
        assert self._told.wait(PATIENCE_S)
        return self.urls[0]

    @property
    def person(self) -> Person:
        """The first person at their page."""
        if self._person is None:
            self._person = Person(self.url)
        return self._person

    def urls_of(self, people: int) -> list[str]:
        """The addresses of so many people's pages, once they are told."""
        end = time.monotonic() + PATIENCE_S
        while len(self.urls) < people:
            assert time.monotonic() < end
            time.sleep(0.01)
        return self.urls

    @staticmethod
    def acting(people: Iterable[Person]) -> Person:
        """The one of these people who is to act, past the ends of games."""
        people, end = list(people), time.monotonic() + PATIENCE_S
        while True:
            for person in people:
                if person.look()["step"] == "question":
                    return person
                if person.state["step"] == "result":
                    person.go_on()
            assert time.monotonic() < end
            time.sleep(0.01)

    def stop_and_read(self) -> None:
        """Stop the run, as Ctrl-C does, and read on the page that it has stopped."""
        self.stop.request("stopped by the test", as_asked=True)
        with suppress(ConnectionError):  # an open page may have read it first, and then the server is gone
            self.person.until(lambda state: bool(state["over"]))

    def _tell(self, line: str) -> None:
        self.urls.append(line.rpartition(" ")[2])
        self._told.set()

    def _play(self) -> None:
        plan, ticks = self.directory.manifest.plan, count(step=TICK_NS)
        try:
            with (
                people_at(self.directory, self.stop, self._tell, port=self._port) as desk,
                open_world(self.directory.manifest, None, self.stop.wait, has_processes=False, people=desk) as world,
            ):
                state, limit = State(plan, None), concurrency_of(plan)
                clock = lambda: next(ticks)  # noqa: E731 - of one use
                blocks = Runner(self.directory, world, clock, state, self.stop, limit, desk.ended).play()
                self.bundle = pack(self.directory, blocks, SUBMITTER, self.directory.path.parents[1] / "bundles").bundle
        except Exception as error:  # noqa: BLE001 - a test looks at it
            self.fault = error


@contextmanager
def playing(directory: RunDirectory, port: int = 0) -> Iterator[Running]:
    """The run while a thread plays it; it has ended afterwards."""
    running = Running(directory, port)
    running.thread.start()
    try:
        yield running
        running.thread.join(PATIENCE_S)
    finally:
        running.stop.request("the test is over")
        running.thread.join(PATIENCE_S)
        assert not running.thread.is_alive()
