"""Work on all cores: in order, and a pool that was closed early has ended before anybody goes on."""

import multiprocessing

from agzamov_verify.checks.replay_all import on_all_cores


def doubled(replay: int, item: int) -> int:
    return 2 * item + replay


def test_results_come_in_order_and_no_worker_is_left() -> None:
    assert list(on_all_cores(1, doubled, range(20), 2)) == [2 * item + 1 for item in range(20)]  # type: ignore[arg-type]
    assert multiprocessing.active_children() == []


def test_closed_early_no_worker_is_left() -> None:
    results = on_all_cores(0, doubled, range(10_000), 2)  # type: ignore[arg-type]
    assert [next(results), next(results)] == [0, 2]
    results.close()
    assert multiprocessing.active_children() == []
