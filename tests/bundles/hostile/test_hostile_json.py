"""Hostile JSON at every door, and documents that have no reason to be large."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agzamov_verify import bundle
from agzamov_verify.questions import Answer, Question, Reply
from bundles.hostile.refusals import MIB, measured, refused, shown
from bundles.workshop import (
    CHESS1,
    SELF_PLAY,
    TINY,
    Draft,
    bind,
    check,
    checksum,
    lines,
    make,
    put_envelope,
    put_lines,
    reindex,
    reseal,
    sign,
    zipped,
)

DEEP = b"[" * 100_000 + b"]" * 100_000
BAD_JSON = {
    "a depth bomb": DEEP,
    "a depth bomb of objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "a depth just below the recursion limit": b"[" * 900 + b"]" * 900,
    "an integer of 5,000 digits": b"9" * 5_000,
    "not a number": b"NaN",
    "a float": b"1e999",
    "a duplicate key": b'{"format":1,"format":1}',
    "a lone surrogate": b'"\\ud800"',
    "bytes that are not UTF-8": b'"\xff"',
    "overlong UTF-8": b'"\xc0\xaf"',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "UTF-32": '{"a":1}'.encode("utf-32-be"),
    "nothing": b"",
    "half": b'{"a":',
    "two values": b"{}{}",
    "a NUL": b"\0",
    "escapes for a terminal": b'"\x1b[2J"',
}


def into_manifest(draft: Draft, data: bytes) -> None:
    draft.files[bundle.MANIFEST_FILE] = data
    reseal(draft)


def into_manifest_title(draft: Draft, data: bytes) -> None:
    there = draft.files[bundle.MANIFEST_FILE]
    into_manifest(draft, there.replace(b'"title":"Tiny"', b'"title":' + data))


def into_index(draft: Draft, data: bytes) -> None:
    draft.files[bundle.INDEX_FILE] = data
    reseal(draft)


def into_results(draft: Draft, data: bytes) -> None:
    draft.files[bundle.RESULTS_FILE] = data
    reseal(draft)


def into_results_run(draft: Draft, data: bytes) -> None:
    run = b'"run":"' + draft.manifest.run_id.encode() + b'"'
    into_results(draft, draft.files[bundle.RESULTS_FILE].replace(run, b'"run":' + data))


def into_timing_table(draft: Draft, data: bytes) -> None:
    draft.files[bundle.TIMING_FILE] = data
    reseal(draft)


def into_envelope(draft: Draft, data: bytes) -> None:
    draft.files[bundle.ENVELOPE_FILE] = data


def into_statement(draft: Draft, data: bytes) -> None:
    sign(draft, payload=data)


def into_journal(draft: Draft, data: bytes) -> None:
    if b"\n" in data:
        data = data.replace(b"\n", b"")
    put_lines(draft, SELF_PLAY, [data, *lines(draft, SELF_PLAY)[1:]])
    reindex(draft)
    reseal(draft)


def into_answer(draft: Draft, data: bytes) -> None:
    first, *others = lines(draft, SELF_PLAY)
    put_lines(draft, SELF_PLAY, [first.replace(b'"text":', b'"id":' + data + b',"text":'), *others])
    reindex(draft)
    reseal(draft)


def into_lap(draft: Draft, data: bytes) -> None:
    draft.files[bundle.timing_name(SELF_PLAY)] = zipped(b'{"to":' + data.replace(b"\n", b"") + b',"us":1}\n')
    reseal(draft)


DOORS = {
    into_manifest: (4, bundle.MANIFEST_FILE),
    into_manifest_title: (4, bundle.MANIFEST_FILE),
    into_index: (6, bundle.INDEX_FILE),
    into_journal: (6, f"{SELF_PLAY} entry 0"),
    into_answer: (6, f"{SELF_PLAY} entry 0"),
    into_lap: (10, bundle.timing_name(SELF_PLAY)),
    into_results: (10, bundle.RESULTS_FILE),
    into_results_run: (10, bundle.RESULTS_FILE),
    into_timing_table: (10, bundle.TIMING_FILE),
    into_envelope: (3, bundle.ENVELOPE_FILE),
    into_statement: (3, bundle.ENVELOPE_FILE),
}


@pytest.mark.parametrize("data", BAD_JSON.values(), ids=BAD_JSON.keys())
@pytest.mark.parametrize("door", DOORS, ids=[door.__name__ for door in DOORS])
def test_bad_json_is_a_finding_at_every_door(
    door: Callable[[Draft, bytes], None], data: bytes, draft: Draft, tmp_path: Path
) -> None:
    door(draft, data)
    step, place = DOORS[door]
    root = draft.write(tmp_path)
    refused(root, step, place)
    for arguments in ((), ("--json",), ("--game", f"{CHESS1}-g00000")):
        shown(root, *arguments)


def test_large_results_are_not_taken_apart(draft: Draft, tmp_path: Path) -> None:
    into_results_run(draft, b"[" + b"[]," * (4 * MIB) + b"0]")
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 10, bundle.RESULTS_FILE))
    assert peak < 64 * MIB


def test_a_large_index_is_not_taken_apart(draft: Draft, tmp_path: Path) -> None:
    into_index(draft, b'{"format":"agz-journal-1","streams":[' + b"[]," * (4 * MIB) + b"0]}")
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 6, bundle.INDEX_FILE))
    assert peak < 64 * MIB


def test_a_large_statement_is_not_taken_apart(draft: Draft, tmp_path: Path) -> None:
    into_statement(draft, b'{"_type":"x","predicate":[' + b"[]," * (3 * MIB) + b"0]}")
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 3, bundle.ENVELOPE_FILE))
    assert peak < 96 * MIB


def test_an_envelope_beyond_its_limit_is_refused(draft: Draft, tmp_path: Path) -> None:
    put_envelope(draft, b" " * (16 * MIB), "application/vnd.in-toto+json", [("0" * 64, b"x")])
    refused(draft.write(tmp_path), 3, bundle.ENVELOPE_FILE)


def test_a_manifest_beyond_its_limit_is_refused(draft: Draft, tmp_path: Path) -> None:
    draft.files[bundle.MANIFEST_FILE] = b"[" * (2 * MIB)
    bind(draft)
    checksum(draft)
    sign(draft)
    refused(draft.write(tmp_path), 4, bundle.MANIFEST_FILE)


@pytest.mark.parametrize("tokens", ["-1", f"{10**9 + 1}", f"{2**53}", f"{2**63 - 1}", f"{2**70}", "9" * 5000, "1.0"])
def test_a_token_count_that_sums_could_not_hold_is_refused(tokens: str, draft: Draft, tmp_path: Path) -> None:
    first, *others = lines(draft, SELF_PLAY)
    spoiled = re.sub(rb'"completion_tokens":\d+', b'"completion_tokens":' + tokens.encode(), first)
    assert spoiled != first
    put_lines(draft, SELF_PLAY, [spoiled, *others])
    reindex(draft)
    reseal(draft)
    refused(draft.write(tmp_path), 6, f"{SELF_PLAY} entry 0")


def test_as_many_tokens_as_a_reply_may_have_can_be_summed(draft: Draft, tmp_path: Path) -> None:
    def answer(question: Question) -> Answer:
        return Reply(text="", prompt_tokens=10**9, completion_tokens=10**9, cached_tokens=10**9)

    assert check(make(TINY, tmp_path, answer)).level == "V1"
