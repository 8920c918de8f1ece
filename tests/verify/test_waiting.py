"""What is shown to a person who waits: totals and the time left, and nothing for what is done at once."""

import os
import pty
import re
import select
from contextlib import suppress
from pathlib import Path

import pytest

from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core import waiting
from agzamov_verify.core.waiting import Stage, Waiting, busy, counted, told

GOLDEN = Path(__file__).parents[1] / "bundles" / "golden" / "agz-0.1" / "bundle"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Stage]:
    """Every stage that begins from here on."""
    stages: list[Stage] = []

    class Kept(list[Stage]):
        def append(self, stage: Stage) -> None:
            super().append(stage)
            stages.append(stage)

    watched = Waiting(-1)
    watched.stages = Kept()
    monkeypatch.setattr(waiting, "_shown", [watched])
    return stages


@pytest.mark.parametrize(
    ("done", "total", "past_s", "line"),
    [
        (0, 46, 9.0, "streams: 0 of 46"),
        (12, 48, 30.0, "streams: 12 of 48, about 1:30 left"),
        (4000, 4000, 61.0, "streams: 4,000 of 4,000, about 0:00 left"),
        (0, 0, 75.0, "streams, for 1:15"),
    ],
)
def test_a_stage_says_how_far_it_is_and_what_is_left(done: int, total: int, past_s: float, line: str) -> None:
    stage = Stage("streams", total, 100.0)
    stage.done = done
    assert stage.line(100.0 + past_s) == line


def test_items_are_counted_once_they_are_dealt_with(seen: list[Stage]) -> None:
    done = [(item, seen[0].done) for item in counted("letters", "abc", 3)]
    assert done == [("a", 0), ("b", 1), ("c", 2)]
    assert (seen[0].done, waiting._shown[0].stages) == (3, [])


@pytest.mark.slow
def test_verification_counts_its_streams_and_says_when_it_computes(seen: list[Stage]) -> None:
    verify(GOLDEN, Options())
    stages = {stage.what: stage for stage in seen}
    assert {"streams replayed", "computing the figures again"} <= stages.keys()
    replayed = stages["streams replayed"]
    assert replayed.done == replayed.total > 1


def test_a_line_is_drawn_on_a_terminal_and_wiped_and_nothing_for_quick_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "REDRAW_S", 0.02)
    assert drawn(monkeypatch, patience_s=60, wait_s=0.3) == ""
    slow = drawn(monkeypatch, patience_s=0.01, wait_s=60)
    assert re.search(r"\r\x1b\[2Kbundles: 0 of 2: computing, for [0-9]:[0-9]{2}", slow)
    assert slow.endswith("\r\x1b[2K")


def test_a_listener_is_told_by_the_work_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "REDRAW_S", 0.0)
    lines: list[str] = []
    with told(lines.append):
        assert list(counted("bundles", "ab", 2)) == ["a", "b"]
    assert [line.split(",")[0] for line in lines] == ["bundles: 0 of 2", "bundles: 1 of 2", "bundles: 2 of 2"]
    with busy("unheard"):
        assert len(lines) == 3


def drawn(monkeypatch: pytest.MonkeyPatch, patience_s: float, wait_s: float) -> str:
    """What is drawn until both stages are, or nothing is for `wait_s`."""
    monkeypatch.setattr(waiting, "PATIENCE_S", patience_s)
    ours, theirs = pty.openpty()
    printed = b""
    try:
        with Waiting(theirs) as waiting_:
            monkeypatch.setattr(waiting, "_shown", [waiting_])
            with busy("bundles", 2), busy("computing"):
                while b"computing" not in printed and select.select([ours], [], [], wait_s)[0]:
                    printed += os.read(ours, 10_000)
    finally:
        os.close(theirs)
    with open(ours, "rb", buffering=0) as terminal, suppress(OSError):  # which it raises at its end
        while more := terminal.read(10_000):
            printed += more
    return printed.decode()
