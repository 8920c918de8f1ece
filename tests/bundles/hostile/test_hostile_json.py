"""Hostile JSON at every door, and documents that have no reason to be large."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agzamov_verify import bundle
from agzamov_verify.core.questions import TOKENS_MAX, Answer, Question, Reply
from agzamov_verify.show.text import verdict_report
from bundles.bundle_factory import (
    CHESS1,
    SELF_PLAY,
    TINY_MODEL,
    Draft,
    bind,
    check,
    checksum,
    lines,
    make,
    put_envelope,
    put_lines,
    reindex,
    replace_manifest,
    reseal,
    sign,
    zipped,
)
from bundles.hostile.refusals import ESCAPE, MIB, is_plain, measured, refused, shown

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


def into_table_of_calls(draft: Draft, data: bytes) -> None:
    draft.files[bundle.CALLS_FILE] = data
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
    put_lines(draft, SELF_PLAY, [first.replace(b'"text":', b'"model":' + data + b',"text":'), *others])
    reindex(draft)
    reseal(draft)


def into_call(draft: Draft, data: bytes) -> None:
    draft.files[bundle.calls_name(SELF_PLAY)] = zipped(b'{"to":' + data.replace(b"\n", b"") + b',"us":1}\n')
    reseal(draft)


DOORS = {
    into_manifest: (4, bundle.MANIFEST_FILE),
    into_manifest_title: (4, bundle.MANIFEST_FILE),
    into_index: (6, bundle.INDEX_FILE),
    into_journal: (6, f"{SELF_PLAY} entry 0"),
    into_answer: (6, f"{SELF_PLAY} entry 0"),
    into_call: (10, bundle.calls_name(SELF_PLAY)),
    into_results: (10, bundle.RESULTS_FILE),
    into_results_run: (10, bundle.RESULTS_FILE),
    into_table_of_calls: (10, bundle.CALLS_FILE),
    into_envelope: (3, bundle.ENVELOPE_FILE),
    into_statement: (3, bundle.ENVELOPE_FILE),
}
EVERYTHING = (into_manifest, into_journal, into_envelope)
"""Doors at which all of it is tried always: a document, a line of a journal, what is read before the signature."""
SOME = ("a depth bomb", "not a number", "a duplicate key", "bytes that are not UTF-8", "half", "escapes for a terminal")
"""What is tried always at the other doors too; the rest at full size."""

TRIED = [
    pytest.param(
        door,
        data,
        marks=() if door in EVERYTHING or name in SOME else pytest.mark.exhaustive,
        id=f"{door.__name__}-{name}",
    )
    for door in DOORS
    for name, data in BAD_JSON.items()
]


@pytest.mark.parametrize(("door", "data"), TRIED)
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


@pytest.mark.parametrize(
    "tokens", ["-1", f"{TOKENS_MAX + 1}", f"{2**53}", f"{2**63 - 1}", f"{2**70}", "9" * 5000, "1.0"]
)
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
        return Reply(text="", prompt_tokens=TOKENS_MAX, completion_tokens=1024, cached_tokens=TOKENS_MAX)

    assert check(make(TINY_MODEL, tmp_path, answer)).level == "V1"


@pytest.mark.slow
def test_a_manifest_full_of_unknown_seats_is_refused_in_little_memory(draft: Draft, tmp_path: Path) -> None:
    """Each fault names the seats that there are, so their number must not multiply."""

    def crowd(value: dict[str, Any]) -> None:
        seat, match = value["plan"]["seats"]["agent"], value["plan"]["matches"][0]
        value["plan"]["seats"] = {f"s{number}": seat for number in range(7_000)}
        value["plan"]["matches"] = [{**match, "a": f"x{number}", "b": "y"} for number in range(2_500)]

    replace_manifest(draft, crowd)
    reseal(draft)
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 4, f"{bundle.MANIFEST_FILE} plan.matches[0].a"))
    assert peak < 64 * MIB


NASTY = [None, True, -1, 0, 2**53 - 1, 2**53, 10**7, "", ESCAPE, "\N{RIGHT-TO-LEFT OVERRIDE}", [], {}, "9" * 5000, 1.5]


def places(value: Any, above: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every path in a JSON value."""
    yield above
    steps: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield from places(inner, (*above, step))


def replaced(value: Any, place: tuple[str | int, ...], new: object) -> Any:
    if not place:
        return new
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[place[0]] = replaced(value[place[0]], place[1:], new)
    return changed


def put_document(draft: Draft, name: str, data: bytes) -> None:
    """Make these bytes a payload file, or what is signed."""
    if name == STATEMENT:
        sign(draft, payload=data)
    else:
        draft.files[name] = data
        reseal(draft)


STATEMENT = "statement"


@pytest.mark.slow
@pytest.mark.parametrize("name", [bundle.MANIFEST_FILE, bundle.INDEX_FILE, STATEMENT])
def test_a_nasty_value_in_any_place_is_a_finding(name: str, draft: Draft, tmp_path: Path) -> None:
    """Under a good seal: whatever the value, it ends in a verdict that is safe to print."""
    good = draft.statement if name == STATEMENT else draft.json(name)
    root = draft.write(tmp_path)
    cases = ((place, value) for at, place in enumerate(places(good)) for value in NASTY[at % 3 :: 3])
    for place, value in cases:
        data = json.dumps(replaced(good, place, value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        if data == json.dumps(good, sort_keys=True, separators=(",", ":"), ensure_ascii=False):
            continue
        spoiled = draft.copy()
        put_document(spoiled, name, data.encode())
        for changed in {name, bundle.PAYLOAD_FILE, bundle.TAGS_FILE, bundle.ENVELOPE_FILE} & spoiled.files.keys():
            (root / changed).write_bytes(spoiled.files[changed])
        verdict = check(root)
        assert verdict.level == "V0", (place, value)
        assert is_plain(verdict_report.text(verdict) + verdict_report.json(verdict).decode()), (place, value)
