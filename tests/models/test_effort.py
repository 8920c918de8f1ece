"""How much a preflight measures, by how long its first and longest request took."""

import pytest

from agzamov_harness.models.determinism import Effort, effort_for

EIGHT = [4000, 3000, 2000, 2000, 2000, 1500, 1500, 1000]


@pytest.mark.parametrize(
    ("first_s", "effort"),
    [
        # On average a request takes 17,000 / 8 / 4,000 = 0.53 of the first one's time.
        (0.1, Effort(8, True, 3)),  # 48 answers, 2.6 s
        (5.0, Effort(8, False, 2)),  # 48 answers would take 128 s; 32 take 85 s
        (8.0, Effort(4, False, 2)),  # 32 would take 136 s; 16 of the four longest 88 s
        (200.0, Effort(2, False, 1)),  # the least there is: 6 answers
    ],
)
def test_a_slow_model_is_asked_less(first_s: float, effort: Effort) -> None:
    assert effort_for(first_s, EIGHT, 120.0, reloads=False) == effort


def test_a_reload_counts_as_a_round() -> None:
    assert Effort(8, True, 3).answers(reloads=True) == 7 * 8
    assert effort_for(4.0, EIGHT, 103.0, reloads=False) == Effort(8, True, 3)
    assert effort_for(4.0, EIGHT, 103.0, reloads=True) == Effort(8, False, 2)


def test_one_request_is_enough() -> None:
    assert effort_for(1_000.0, [700], 120.0, reloads=False) == Effort(1, False, 1)
