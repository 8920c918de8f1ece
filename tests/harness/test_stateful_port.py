"""A port with a state: killed at any question and resumed, its run is byte for byte that of one that was never killed.

The port here stands for a memory: what it answers depends on everything that it was asked before in its stream.
"""

import hashlib
from collections.abc import Callable
from itertools import count
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.ports import PortFault
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import OpenPort, RunPorts
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from bundles.bundle_factory import SECRET, SUBMITTER

PLAN = {
    "title": "A seat that remembers",
    "seats": {"agent": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "scripted"}},
    "holdem": {"session_hands": 2},
    "matches": [{"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 4, "block_hands": 2}],
}


class Killed(Exception):
    """The process of the run ends here."""


class Remembering:
    """Answers with a digest of all that it was asked and answered before; `restores` is what makes it whole again."""

    def __init__(self, stream: str, opened: list["Remembering"], *, restores: bool = True) -> None:
        self.stream, self.closed = stream, False
        self._restores = restores
        self._past = hashlib.sha256(stream.encode())
        opened.append(self)

    def answer(self, question: Question) -> Answer:
        assert isinstance(question, Chat)
        assert not self.closed
        given = Reply(
            text=f"I remember {self._past.hexdigest()[:16]}\nACTION: {'call' if question.turn < 2 else 'check'}"
        )
        self._learn(question, given)
        return given

    def restore(self, question: Question, recorded: Answer) -> None:
        if self._restores:
            self._learn(question, recorded)

    def close(self) -> None:
        self.closed = True

    def _learn(self, question: Question, answer: Answer) -> None:
        self._past.update(repr((question, answer)).encode())


def sealed(folder: Path) -> RunDirectory:
    """The same run in any folder."""
    manifest, secret = seal(plan_from(PLAN), key_id(SUBMITTER.public_key()), None, SECRET)
    return run_folder.create(folder, msgspec.structs.replace(manifest, nonce="0" * 32), secret, SUBMITTER)


def play(directory: RunDirectory, open_port: OpenPort) -> None:
    ticks, state = count(step=1000), State(directory.manifest.plan, None)
    Runner(directory, RunPorts({}, {"agent": open_port}), lambda: next(ticks), state, Stop(), 1).play()


def journals(directory: RunDirectory) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in directory.journal.glob("*/*.jsonl")}


def killed_after(calls: int, opened: list[Remembering], *, restores: bool) -> OpenPort:
    """Ports that stop the whole run at their call of this number, before it is answered."""
    left = iter(range(calls))

    def dying(answer: Callable[[Question], Answer]) -> Callable[[Question], Answer]:
        def asked(question: Question) -> Answer:
            if next(left, None) is None:
                raise Killed
            return answer(question)

        return asked

    def open_port(stream: str) -> Remembering:
        port = Remembering(stream, opened, restores=restores)
        port.answer = dying(port.answer)  # type: ignore[method-assign]
        return port

    return open_port


def test_every_stream_has_a_port_of_its_own_that_is_closed_at_its_end(tmp_path: Path) -> None:
    opened: list[Remembering] = []
    directory = sealed(tmp_path)
    play(directory, lambda stream: Remembering(stream, opened))
    assert [port.stream for port in opened] == sorted(journals(directory))
    assert len(opened) == 2
    assert all(port.closed for port in opened)


@pytest.mark.slow
@pytest.mark.parametrize("restores", [True, False], ids=["restored", "not restored"])
def test_a_run_killed_at_any_question_and_resumed_is_the_one_that_was_never_killed(
    tmp_path: Path, restores: bool
) -> None:
    whole = sealed(tmp_path / "whole")
    play(whole, lambda stream: Remembering(stream, []))
    expected = journals(whole)
    questions = sum(data.count(b"\n") for data in expected.values())
    same = []
    for at in range(questions):
        directory, opened = sealed(tmp_path / str(at)), list[Remembering]()
        with pytest.raises((Killed, Stopped)):
            play(directory, killed_after(at, opened, restores=restores))
        play(directory, lambda stream: Remembering(stream, [], restores=restores))
        assert all(port.closed for port in opened)
        same.append(journals(directory) == expected)
    assert questions >= 8
    assert all(same) == restores


def test_a_state_that_cannot_be_had_again_stops_the_run_with_its_reason(tmp_path: Path) -> None:
    class Lost(Remembering):
        def restore(self, question: Question, recorded: Answer) -> None:
            raise PortFault("the store of agent is gone; start a new run")

    directory = sealed(tmp_path)
    with pytest.raises((Killed, Stopped)):
        play(directory, killed_after(3, [], restores=True))
    before = journals(directory)
    with pytest.raises(PortFault, match="the store of agent is gone"):
        play(directory, lambda stream: Lost(stream, []))
    assert journals(directory) == before
