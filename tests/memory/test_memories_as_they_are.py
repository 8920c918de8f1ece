"""Servers without an export, with previews, numbers, words of their own: what is read and allowed, what stops."""

from pathlib import Path

import pytest

from agzamov_harness.memory.conformance import check_system
from agzamov_harness.memory.measurable import measured_line
from agzamov_harness.ports import PortFault
from agzamov_verify.core.questions import Hits, Settled
from memory.memory_world import NOTES, answers, end_game, export, opened, search, store
from memory.plain_world import SEARCHES, plain

CUT = tuple(f"{note[:30]}..." for note in NOTES)
GIVEN = {
    "whole": NOTES,
    "parts": tuple(note[note.rfind(" ", 0, len(note) // 2 + 1) + 1 :] for note in NOTES),
    "previews": CUT,
    "fetched": NOTES,
    "index": NOTES,
}
COUNTED = "end_game: {tool: finish, args: {}, entries: notes}\n"


def asked(number_of_notes: int) -> list[object]:
    """Notes, and a search for the first of them."""
    questions: list[object] = [search("opponent", 1)]
    for number in range(1, number_of_notes + 1):
        questions += [store(number, NOTES[number - 1]), end_game(number)]
    return [*questions, search("folded three-bet button:", number_of_notes + 1)]


@pytest.mark.parametrize("name", GIVEN)
def test_each_kind_is_read_under_our_names_with_the_text_that_it_gives(tmp_path: Path, name: str) -> None:
    with opened(plain(name), tmp_path) as port:
        empty, *_, settled, found = answers(port, asked(4))  # type: ignore[arg-type]
        dump = port.answer(export())
    assert isinstance(empty, Hits)
    assert isinstance(found, Hits)
    assert empty.hits == ()
    assert settled == Settled(4)
    assert [(hit.entry, hit.content) for hit in found.hits] == [
        ("e00001", GIVEN[name][0]),
        ("e00003", GIVEN[name][2]),
    ]
    assert [kept.content for kept in dump.entries] == list(NOTES)  # type: ignore[union-attr]


def test_a_server_that_tells_entries_in_its_own_words_is_taken_as_it_is(tmp_path: Path) -> None:
    with opened(plain("rewrites"), tmp_path) as port:
        *_, found = answers(port, asked(4))  # type: ignore[arg-type]
    assert isinstance(found, Hits)
    ((entry, content),) = [(hit.entry, hit.content) for hit in found.hits]
    assert (entry, content.startswith("You seem to have noted 4 things")) == ("#1", True)


BEFORE = "expected entries that were stored, found 1 from a search: '1. e4 is best'"
STOPS = {
    ("whole", "brings"): BEFORE,
    ("index", "brings"): "expected an empty memory at its start, found 1 entries, such as '1. e4 is best'",
    ("rewrites", "brings"): 'expected nothing before anything was stored, found "You seem to have noted 1 things',
    ("whole", "invents"): "expected e00001 from a search as it was stored, found a text that is equal for 0 characters,"
    " then expected 'Opponent folded to a three-bet on the bu'... (of 52), found '1. e4 is best' (of 13); mend search",
    ("parts", "invents"): "expected e00001 from a search as it was stored, found a text that is equal for 0 characters",
    ("previews", "invents"): "expected e00001 from a search as it was stored, found a text that is equal for 0 charact",
    ("previews", "elsewhere"): "found a text that is equal for 0 characters",
    ("fetched", "elsewhere"): "expected e00003 from a search as it was stored, found a text that is equal for 9 charac",
}


@pytest.mark.parametrize(("name", "defect"), STOPS)
def test_what_was_not_stored_stops_the_stream(tmp_path: Path, name: str, defect: str) -> None:
    with opened(plain(name, defect), tmp_path) as port, pytest.raises(PortFault) as fault:
        answers(port, asked(4))  # type: ignore[arg-type]
    assert STOPS[name, defect] in str(fault.value)
    assert len(str(fault.value).splitlines()) == 1


def test_the_end_of_a_game_counts_what_was_stored(tmp_path: Path) -> None:
    with opened(plain("whole", more=COUNTED), tmp_path) as port:
        assert answers(port, [store(1, NOTES[0]), end_game(1)])[-1] == Settled(1)
    wrong = plain("whole", "counts", more=COUNTED)
    with opened(wrong, tmp_path) as port, pytest.raises(PortFault, match="expected 2 entries stored, as its end of"):
        answers(port, [store(1, NOTES[0]), end_game(1)])


ADVICE = {
    "previews": r"declare search.gives: previews and search.ellipsis: '\.\.\.', or name the tool that gives whole",
    "parts": "declare search.gives: parts, or name the tool that gives whole entries as fetch",
    "whole": "search gives more than the entry: find the entry in it with search.content_text",
}


@pytest.mark.parametrize("name", ADVICE)
def test_the_key_that_an_adapter_lacks_is_named(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter that declares whole entries, of a server that gives others; its reader takes the label for text."""
    text = SEARCHES["whole"]
    if name == "whole":
        text = "\n".join(line for line in text.splitlines() if "content_text" not in line) + "\n"
    monkeypatch.setitem(SEARCHES, name, text)
    with opened(plain(name), tmp_path) as port, pytest.raises(PortFault, match=ADVICE[name]):
        answers(port, [store(1, NOTES[0]), store(2, NOTES[1], 2), search("folded three-bet button:", 3)])


OUTCOMES = {
    "whole": "measured with lineage C bounded: no tool gives every entry",
    "parts": "measured with lineage C bounded: no tool gives every entry",
    "previews": "measured with lineage C bounded: no tool gives every entry",
    "index": "measured",
    "rewrites": "measured with lineage D unverified: it tells entries in words of its own",
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_check_ends_with_whether_and_how_it_can_be_measured(tmp_path: Path, name: str) -> None:
    setup = plain(name)
    findings = list(check_system(setup, tmp_path / "memory.log"))
    wrong = [finding.line for finding in findings if finding.outcome not in ("ok", "not checked")]
    assert wrong == []
    assert measured_line(setup.system, findings).startswith(OUTCOMES[name])
    unchecked = {finding.check for finding in findings if finding.outcome == "not checked"}
    compared = {"text", "near duplicates", "fast writes", "finds", "direction marks", "json as text"}
    assert unchecked == (compared if name == "rewrites" else set())


def test_an_argument_that_no_schema_forbids_is_sent_and_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers ask for arguments that their schemas do not name."""
    monkeypatch.setattr("memory.plain_world.ARGUMENTS", 'question: "${query}", count: "${limit}", confirm_empty: true')
    setup = plain("whole")
    findings = check_system(setup, tmp_path / "memory.log")
    assert [next(findings).outcome, (warning := next(findings)).outcome] == ["ok", "warning"]
    assert warning.line.startswith("warning     arguments       expected arguments that the tools name, found confirm")
    findings.close()  # type: ignore[attr-defined]
    monkeypatch.setattr("memory.plain_world.KINDS", {"whole": "whole, strict"})
    failed = next(check_system(plain("whole"), tmp_path / "memory.log"))
    assert (failed.outcome, failed.expected) == ("FAILED", "the argument confirm_empty of recall")


def test_a_check_says_why_a_server_cannot_be_measured(tmp_path: Path) -> None:
    setup = plain("whole", "brings")
    findings = list(check_system(setup, tmp_path / "memory.log"))
    assert measured_line(setup.system, findings) == (
        "cannot be measured, because the check 'opens' failed: expected entries that were stored, found 1 from a"
        " search: '1. e4 is best'"
    )
