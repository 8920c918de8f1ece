"""The file of calls: read line by line with its journal, times summed up as numpy does, ids and models counted."""

import json
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.core import canon
from agzamov_verify.core.limits import CALL_LINE_BYTES_MAX
from agzamov_verify.scoring.call_records import (
    Answered,
    BadCalls,
    CallRecord,
    SeatLog,
    Served,
    call_table,
    decode,
    encode,
    gather,
    merge,
)
from agzamov_verify.scoring.inference.exact import figure

times = st.lists(st.integers(0, 10**9), min_size=1, max_size=50)


def line(to: str, us: object, **more: object) -> bytes:
    return json.dumps({**more, "to": to, "us": us}, separators=(",", ":"), sort_keys=True).encode()


def gathered(*lines: bytes) -> dict[str, SeatLog]:
    """The logs of lines whose entries name the same seats, and the model "m" for each seat but the engine."""
    seats = [json.loads(one)["to"] for one in lines]
    return gather(lines, [Answered(to, "" if to == "engine" else "m") for to in seats])


def log_of(us: list[int]) -> SeatLog:
    return gathered(*(line("agent", one) for one in us))["agent"]


def test_calls_are_gathered_by_who_answered_in_order() -> None:
    logs = gathered(line("agent", 5), line("engine", 7), line("agent", 3), line("agent", 0))
    assert {to: log.us for to, log in logs.items()} == {"agent": [5, 3, 0], "engine": [7]}


@pytest.mark.parametrize(
    "bad",
    [
        line("agent", -1),
        line("agent", 1.5),
        line("agent", "5"),
        line("agent", None),
        line("agent", 2**53),
        line("an agent", 5),
        line("", 5),
        line("agent", 5, id="x" * 301),
        line("agent", 5, fingerprint="x" * 301),
        line("agent", 5, id=7),
        b'{"to":"agent"}',
        b'{"to":"agent","us":1,"ms":2}',
        b'{"us":1,"to":"agent"}',
        b'{"id":"","to":"agent","us":1}',
        b'{"to":"agent","us":1} ',
        b"[]",
        b"",
        b"not JSON",
        b'{"to":"\xff","us":1}',
    ],
)
def test_a_line_that_is_no_call_is_refused(bad: bytes) -> None:
    with pytest.raises(BadCalls, match="line 2: expected a call, found"):
        gather([line("agent", 1), bad], [Answered("agent", "m")] * 2)


@pytest.mark.parametrize(
    ("seats", "told"),
    [
        (["agent"], "line 2: expected the end after 1 lines, one for each entry, found more"),
        (["agent", "agent", "agent"], "line 3: expected 3 lines, one for each entry, found the end after 2"),
        (["agent", "engine"], "line 2: expected a call to engine, as entry 1 has it, found one to agent"),
        ([], "line 1: expected the end after 0 lines, one for each entry, found more"),
    ],
)
def test_each_line_is_of_the_seat_of_its_entry(seats: list[str], told: str) -> None:
    with pytest.raises(BadCalls, match=re.escape(told)):
        gather([line("agent", 1), line("agent", 2)], [Answered(to, "m") for to in seats])


def test_ids_and_what_was_served_are_counted() -> None:
    lines = [line("agent", 1, id="a", fingerprint="f"), line("agent", 1, id="a"), line("agent", 1), line("engine", 1)]
    seats = call_table({"m": gathered(*lines)}).matches["m"]
    agent, engine = seats["agent"], seats["engine"]
    assert (agent.answers, agent.answers_with_id, agent.ids) == (3, 2, 1)
    assert agent.served == (Served("m", "", 2), Served("m", "f", 1))
    assert (engine.answers, engine.answers_with_id, engine.ids, engine.served) == (1, 0, 0, ())


def test_of_many_fingerprints_the_most_frequent_are_listed_and_all_are_counted() -> None:
    lines = [line("agent", 1, fingerprint=f"f{number // 2:02}") for number in range(59)]
    agent = call_table({"m": gathered(*lines)}).matches["m"]["agent"]
    assert (len(agent.served), agent.served_distinct) == (20, 30)
    assert agent.served[0] == Served("m", "f00", 2)


def test_the_same_id_in_two_streams_is_one_id() -> None:
    whole: dict[str, SeatLog] = {}
    for _ in range(2):
        merge(whole, gathered(line("agent", 1, id="a"), line("agent", 2, id="b")))
    agent = call_table({"m": whole}).matches["m"]["agent"]
    assert (agent.answers, agent.answers_with_id, agent.ids) == (4, 4, 2)


def test_a_record_is_written_canonically_and_read_back() -> None:
    record = CallRecord(fingerprint="f", id="i", to="agent", us=3)
    assert encode(record) == b'{"fingerprint":"f","id":"i","to":"agent","us":3}'
    assert encode(CallRecord(to="engine", us=3)) == b'{"to":"engine","us":3}'
    assert decode(encode(record)) == record
    assert (
        len(encode(CallRecord(fingerprint="\U0010ffff" * 300, id='"' * 300, to="a" * 32, us=2**53 - 1)))
        < CALL_LINE_BYTES_MAX
    )


@given(times)
def test_mean_median_and_percentile_are_numpys(us: list[int]) -> None:
    found = call_table({"m": {"agent": log_of(us)}}).matches["m"]["agent"]
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
    assert call_table({"m": {"a": log_of(us)}}) == call_table({"m": {"a": log_of(shuffled)}})


def test_the_table_is_by_match_and_addressee_and_canonical() -> None:
    first = gathered(line("engine", 2000), line("agent", 1000), line("agent", 4000), line("agent", 1000))
    table = call_table({"p0-m": first, "p1-m": {"agent": log_of([0])}})
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
    assert call_table({}).matches == {}
