"""Answer times: read line by line, and summed up as numpy does."""

import json
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify import canon
from agzamov_verify.scoring.exact import figure
from agzamov_verify.scoring.timing import read_laps, timing_of

times = st.lists(st.integers(0, 10**9), min_size=1, max_size=50)


def lap(to: str, us: object) -> bytes:
    return json.dumps({"to": to, "us": us}, separators=(",", ":")).encode()


def test_laps_are_gathered_by_who_answered_in_order() -> None:
    lines = [lap("agent", 5), lap("engine", 7), lap("agent", 3), lap("agent", 0)]
    assert read_laps(lines) == {"agent": [5, 3, 0], "engine": [7]}


@pytest.mark.parametrize(
    "line",
    [
        lap("agent", -1),
        lap("agent", 1.5),
        lap("agent", "5"),
        lap("agent", None),
        lap("agent", 2**53),
        lap("an agent", 5),
        lap("", 5),
        b'{"to":"agent"}',
        b'{"to":"agent","us":1,"ms":2}',
        b"[]",
        b"",
        b"not JSON",
    ],
)
def test_a_line_that_is_no_lap_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        read_laps([lap("agent", 1), line])


@given(times)
def test_mean_median_and_percentile_are_numpys(us: list[int]) -> None:
    found = timing_of({"m": {"agent": us}}).matches["m"]["agent"]
    assert found.answers == len(us)
    assert float(found.mean_ms.decimal) == pytest.approx(np.mean(us) / 1000, abs=1e-6, rel=1e-12)
    assert float(found.median_ms.decimal) == pytest.approx(np.median(us) / 1000, abs=1e-6, rel=1e-12)
    rank = np.percentile(us, 95, method="inverted_cdf")
    assert found.p95_ms == figure(Fraction(int(rank), 1000))
    assert float(found.total_s.decimal) == pytest.approx(sum(us) / 1e6, abs=1e-6, rel=1e-12)


@given(times, st.randoms())
def test_the_order_of_answers_shows_nowhere(us: list[int], random: object) -> None:
    shuffled = list(us)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert timing_of({"m": {"a": us}}) == timing_of({"m": {"a": shuffled}})


def test_the_table_is_by_match_and_addressee_and_canonical() -> None:
    table = timing_of({"p0-m": {"engine": [2000], "agent": [1000, 4000, 1000]}, "p1-m": {"agent": [0]}})
    assert [list(seats) for seats in table.matches.values()] == [["agent", "engine"], ["agent"]]
    agent = table.matches["p0-m"]["agent"]
    assert (agent.mean_ms.exact, agent.median_ms.exact, agent.p95_ms.exact, agent.total_s.exact) == (
        "2/1",
        "1/1",
        "4/1",
        "3/500",
    )
    assert canon.loads(canon.dumps(table))


def test_a_run_that_asked_nothing_has_an_empty_table() -> None:
    assert timing_of({}).matches == {}
