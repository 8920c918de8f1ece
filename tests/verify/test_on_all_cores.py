"""Work on all cores: in order, and a pool that was closed early has ended before anybody goes on."""

import multiprocessing
import time
from pathlib import Path

import pytest

from agzamov_verify.checks.replay_all import on_all_cores
from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.core.script import Divergence
from agzamov_verify.core.untrusted_input import HostileBundle


def doubled(replay: int, item: int) -> int:
    return 2 * item + replay


def test_results_come_in_order_and_no_worker_is_left() -> None:
    assert list(on_all_cores(1, doubled, range(20), 2)) == [2 * item + 1 for item in range(20)]  # type: ignore[arg-type]
    assert multiprocessing.active_children() == []


def refused(kind: type[BrokenJournal], item: int) -> int:
    raise kind("stream 3", "one", "another")


LONGEST = (2, 4)


def noted(begun: Path, item: int) -> tuple[int, bool]:
    """The item, and whether both of the longest were begun before it; these wait for each other."""
    (begun / str(item)).touch()
    end = time.monotonic() + 60
    while not all((begun / str(one)).exists() for one in LONGEST):
        if item not in LONGEST or time.monotonic() > end:
            return item, False
        time.sleep(0.01)
    return item, True


def test_the_longest_are_begun_first_and_results_come_in_order(tmp_path: Path) -> None:
    results = on_all_cores(tmp_path, noted, range(6), 2, [5, 1, 40, 2, 30, 3])  # type: ignore[arg-type]
    assert list(results) == [(item, True) for item in range(6)]


def test_without_sizes_the_first_are_begun_first(tmp_path: Path) -> None:
    first, *_ = on_all_cores(tmp_path, noted, range(6), 2)  # type: ignore[arg-type]
    assert first == (0, False)


@pytest.mark.parametrize("kind", [BrokenJournal, Divergence, HostileBundle])
def test_what_is_wrong_with_a_journal_is_told_across_processes(kind: type[BrokenJournal]) -> None:
    with pytest.raises(kind, match=r"^stream 3: expected one, found another$"):
        list(on_all_cores(kind, refused, range(2), 2))  # type: ignore[arg-type]


def test_closed_early_no_worker_is_left() -> None:
    results = on_all_cores(0, doubled, range(10_000), 2)  # type: ignore[arg-type]
    assert [next(results), next(results)] == [0, 2]
    results.close()
    assert multiprocessing.active_children() == []
