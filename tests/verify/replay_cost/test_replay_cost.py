"""What a replay costs, in instructions: nobody makes it dearer without seeing it (docs/decisions/0109)."""

import platform
import sys
from collections.abc import Iterable
from typing import Final

import pytest

from agzamov_verify.core.journal import Chain, Entry
from verify.replay_cost.counted_replays import SIZES, costs, counted, recorded, replay

KEPT: Final = {"chess": 0.423, "draughts": 0.437, "holdem": 0.529}
"""Instructions to replay a decision, as a multiple of those of a ply of chess in the library alone, with all ends."""
WITHIN: Final = 0.10
ALIKE: Final = 1_000
"""Two counts of one replay differ by less than one of so many."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        platform.python_implementation() != "CPython" or sys.version_info[:2] != (3, 11),
        reason="the figures are of CPython 3.11: others have other instructions",
    ),
]


def dearer_or_cheaper(found: Iterable[tuple[str, float]]) -> list[str]:
    """The games whose replay costs more than it did, or so much less that the figure kept is no bound any more."""
    return [
        f"{game}: {cost:.3f}, kept is {KEPT[game]}; find what changed it, or write the new figure here"
        for game, cost in found
        if abs(cost / KEPT[game] - 1) > WITHIN
    ]


def test_a_replay_costs_what_it_did() -> None:
    assert not dearer_or_cheaper(costs())


def test_a_tenth_more_or_less_is_told() -> None:
    assert not dearer_or_cheaper([("chess", KEPT["chess"] * 1.09), ("holdem", KEPT["holdem"] * 0.91)])
    (told,) = dearer_or_cheaper([("chess", KEPT["chess"] * 1.11)])
    assert told.startswith("chess: 0.470, kept is 0.423")
    assert dearer_or_cheaper([("chess", KEPT["chess"] * 0.89)])


@pytest.mark.parametrize("game", SIZES)
def test_the_same_replay_takes_the_same_instructions(game: str) -> None:
    record = recorded(game)
    first, again = counted(lambda: replay(record)), counted(lambda: replay(record))
    assert abs(first - again) <= first // ALIKE, "but for a few of the garbage collector, which comes when it likes"


def test_work_that_is_added_to_each_line_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    record, read = recorded("chess"), Chain.read
    before = counted(lambda: replay(record))

    def slower(self: Chain, line: bytes) -> Entry:
        for _ in range(100):
            pass
        return read(self, line)

    monkeypatch.setattr(Chain, "read", slower)
    assert counted(lambda: replay(record)) - before >= 200 * len(record.lines)
