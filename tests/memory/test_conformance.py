"""The checks of a memory system before a run: an honest server passes, each defect fails a check that fits it."""

from pathlib import Path

import pytest

from agzamov_harness.memory.adapter_file import DeclaredSystem, Variant, adapter_from_yaml
from agzamov_harness.memory.conformance import CHECKS, ConformanceFinding, check_system, coinciding
from agzamov_harness.memory.launch import Setup
from memory.memory_world import IMPATIENT, LIMITS, fake, fake_yaml

NAMES = [check.name for check in CHECKS]
FAILS = {
    "hides": ("knows nothing", "entries that were stored", "book from a search"),
    "preloaded": ("opens", "an empty memory at its start", "1 entries, such as '1. e4 is best'"),
    "loses": ("text", "every stored entry in its export", "1 missing: e00003"),
    "forgets": ("ends of games", "every stored entry in its export", "1 missing: e00001"),
    "dedup": ("near duplicates", "to be stored", "a refusal: 'duplicate of e00001'"),
    "never_visible": ("stores", "every stored entry in its export", "1 missing: e00001"),
    "eventual": ("stores", "what was stored in the next export", "it there later"),
    "late_index": ("text", "from a search for 'Scripts beside each other'", "nothing"),
    "alters": ("text", "in its export as it was stored", "equal for 10 characters, then expected '\\nsecond line\\n"),
    "mutates": ("text", "in its export as it was stored", "(asked: "),
    "all_words": ("own searches", "something from one of the 8 searches that a run of holdem makes", "nothing"),
    "twice": ("text", "once from a search", "it twice"),
    "too_many": ("finds", "at most 5 entries from a search", "found "),
    "prose": ("knows nothing", "structured content from its tool search", "the text"),
    "shape": ("knows nothing", "a list for 'hits' from its tool search", "None"),
    "miscounts": ("ends of games", "entries in its export, as its end of game tells", ""),
    "tools": ("ends of games", "the tool list", "another one"),
    "error": ("knows nothing", "an answer of its tool search", "'no such index'"),
    "dies": ("knows nothing", "an answer of its tool search", "its last line on stderr is 'out of memory'"),
    "hangs": ("knows nothing", "an answer of its tool search", "no answer within 5 s"),
    "noise": ("knows nothing", "an answer of its tool search", "output on stdout that is not MCP: 'INFO store opened'"),
    "stillborn": ("opens", "a server that starts", "its last line on stderr is 'no such database'"),
    "repeats": ("stores", "e00001 once in its export", "it twice"),
    "endless": ("stores", "an end of its export", "more after 1"),
    "differs": ("reads only", "the same entries", "others"),
    "drifts": ("replay", "the recorded answer to memory_a's question", "expected"),
}


def findings_of(defect: str, folder: Path) -> list[ConformanceFinding]:
    setup = fake(defect, IMPATIENT if defect == "hangs" else LIMITS)
    return list(check_system(setup, folder / "memory.log"))


def test_an_honest_server_passes_every_check(tmp_path: Path) -> None:
    found = findings_of("none", tmp_path)
    assert [finding.check for finding in found] == NAMES
    assert {finding.outcome for finding in found} == {"ok"}


@pytest.mark.parametrize("defect", FAILS)
def test_a_defect_fails_a_check_that_says_what_to_do(tmp_path: Path, defect: str) -> None:
    check, expected, found = FAILS[defect]
    findings = findings_of(defect, tmp_path)
    assert [finding.check for finding in findings] == NAMES
    failed = [finding for finding in findings if finding.outcome == "FAILED"]
    assert failed[0].check == check
    assert expected in failed[0].expected
    assert found in failed[0].line
    assert all(finding.advice for finding in failed)


@pytest.mark.slow
def test_an_index_that_comes_later_is_waited_for_where_the_adapter_declares_it(tmp_path: Path) -> None:
    text = fake_yaml("late_index").replace("traits: {", "traits: {consistency: eventual, ")
    text = text.replace("traits:\n", "traits:\n  consistency: eventual\n  deterministic: store\n")
    adapter = adapter_from_yaml(text.encode())
    assert adapter.traits.consistency == "eventual"
    found = check_system(
        Setup(DeclaredSystem("fake-late", adapter, Variant("", adapter.traits.query)), limits=LIMITS), tmp_path / "log"
    )
    assert {finding.line for finding in found if finding.outcome != "ok"} == set()


def test_direction_marks_that_are_taken_out_are_warned_of_and_named(tmp_path: Path) -> None:
    """They cannot be seen, so a message has to spell them; no note of a run has any."""
    (wrong,) = (finding for finding in findings_of("strips", tmp_path) if finding.outcome != "ok")
    assert (wrong.outcome, wrong.check) == ("warning", "direction marks")
    assert wrong.found == (
        "a text that is equal for 34 characters, then expected '\\u202eabc\\u202c and \\u2066def\\u2069' (of 49), found"
        " 'abc and def' (of 45)"
    )
    assert wrong.advice == "nothing needs to be done: the notes of a run are plain ASCII"


ADVICE = {
    "alters": "mend export in the adapter if it reads other than whole entries",
    "dies": "mend launch in the adapter, or the server: what it said on stderr is in its log",
    "error": "mend search.args in the adapter, or the server",
    "noise": "let the server print on stderr",
    "preloaded": "keep all data below ${DATA}",
    "prose": "mend search in the adapter: agzamov memory try fake-prose --raw shows what the tool gives",
    "too_many": "send ${limit} in search.args",
    "tools": "let the server list the same tools as long as it runs",
}


@pytest.mark.parametrize("defect", ADVICE)
def test_the_advice_is_of_the_cause(tmp_path: Path, defect: str) -> None:
    failed = [finding for finding in findings_of(defect, tmp_path) if finding.outcome == "FAILED"]
    assert len(failed) == 1, "what depends on a check that failed is not checked"
    assert failed[0].advice.startswith(ADVICE[defect])


def test_a_check_is_not_made_after_one_on_which_it_depends(tmp_path: Path) -> None:
    outcomes = {finding.check: finding for finding in findings_of("error", tmp_path)}
    assert [name for name, finding in outcomes.items() if finding.outcome == "ok"] == [
        "opens",
        "arguments",
        "stores",
        "near duplicates",
        "fast writes",
        "ends of games",
    ]
    assert outcomes["replay"].line == "not checked replay          knows nothing failed, on which it depends"


def prose_read_by(items_text: str) -> Setup:
    """An honest server whose search answers in numbered prose, and an adapter that reads it so."""
    text = fake_yaml("numbered").replace("  items: hits\n  entry: entry\n  content: content\n", "", 1)
    search = f"search:\n  answer: text\n  items_text: '{items_text}'\n"
    adapter = adapter_from_yaml(text.replace("search:\n", search, 1).encode())
    return Setup(DeclaredSystem("fake-prose", adapter, Variant("", adapter.traits.query)), limits=LIMITS)


def test_an_adapter_whose_search_passes_over_notes_of_several_lines_fails(tmp_path: Path) -> None:
    whole = check_system(prose_read_by(r"(?ms)^(?P<entry>e\d+)\. (?P<content>.*?)\n--$"), tmp_path / "whole.log")
    assert {finding.outcome for finding in whole} == {"ok"}
    lines = check_system(prose_read_by(r"(?m)^(?P<entry>e\d+)\. (?P<content>.*)\n--$"), tmp_path / "lines.log")
    (failed,) = (finding for finding in lines if finding.outcome == "FAILED")
    assert failed.check == "text"
    assert "from a search for 'indented line'" in failed.expected
    assert failed.advice.startswith("let search.items_text read notes of several lines: begin it with (?s)")


@pytest.mark.slow
def test_after_a_server_that_hangs_nothing_more_is_checked(tmp_path: Path) -> None:
    assert [finding.outcome for finding in findings_of("hangs", tmp_path)][2:4] == ["FAILED", "not checked"]


def test_two_systems_that_retrieve_the_same_are_warned_of(tmp_path: Path) -> None:
    honest = fake("none")
    others = [honest.system, fake("drifts").system, fake("eventual").system, fake("stillborn").system]
    warning, not_started = coinciding(honest, others, tmp_path)
    assert (not_started.outcome, not_started.check) == ("not checked", "fingerprint")
    assert "no such database" in not_started.line
    assert warning.outcome == "warning"
    assert "the same entries as fake-eventual" in warning.line
