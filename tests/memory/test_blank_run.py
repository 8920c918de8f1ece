"""Knowledge that a memory system brings with it: the built-in ones have none, and a hidden book is found."""

from pathlib import Path

import pytest

from agzamov_harness.memory.adapter_file import system_of
from agzamov_harness.memory.blank_run import NONSENSE, WORDS_MAX, blank_run, vocabulary, writes
from agzamov_harness.memory.conformance import check_system
from agzamov_harness.memory.launch import Setup, SystemSettings
from memory.memory_world import LIMITS, fake

BUILT_IN = {
    "consolidator": [pytest.mark.slow],
    "file": [pytest.mark.exhaustive],
    "full_text": [],
    "graph": [pytest.mark.slow],
    "history": [pytest.mark.exhaustive],
    "noisy": [pytest.mark.slow],
    "recent": [pytest.mark.exhaustive],
}
"""Hundreds of searches each; the three simplest at full size alone."""


def test_the_words_that_are_asked_for_are_those_of_the_games() -> None:
    asked = vocabulary()
    assert len(asked) == len(set(asked)) == WORDS_MAX
    assert {"Sicilian Defence", "First moves as White", "Folded to a 3-bet on the button"} <= set(asked)
    assert NONSENSE not in asked
    assert len(writes()) > 10


@pytest.mark.slow
@pytest.mark.parametrize("server", [pytest.param(name, marks=marks) for name, marks in BUILT_IN.items()])
def test_a_built_in_system_brings_no_knowledge(tmp_path: Path, server: str) -> None:
    settings = SystemSettings(noise_percent=25 if server == "noisy" else 0)
    found = list(blank_run(Setup(system_of(server), settings, LIMITS), tmp_path))
    assert [(finding.check, finding.outcome) for finding in found] == [("blank searches", "ok"), ("blank twin", "ok")]
    assert all(len(finding.line.splitlines()) == 1 for finding in found)


@pytest.mark.slow
def test_a_book_that_only_some_searches_give_passes_the_other_checks_and_is_found(tmp_path: Path) -> None:
    setup = fake("book")
    assert {finding.outcome for finding in check_system(setup, tmp_path / "memory.log")} == {"ok"}
    searches, twin, words = blank_run(setup, tmp_path)
    assert searches.line.startswith(
        "FAILED      blank searches  expected nothing for 'First moves as Black' from an empty memory, "
        "found '1. e4 is best'; build the system without texts of its own"
    )
    assert twin.outcome == "FAILED"
    assert twin.expected == "nothing for 'First moves as Black' from a twin that was told nothing"
    assert words.outcome == "warning"


def test_a_book_that_shows_itself_once_something_is_stored_is_found_beside_its_twin(tmp_path: Path) -> None:
    searches, twin = blank_run(fake("sleeper"), tmp_path)
    assert searches.outcome == "ok"
    assert (twin.outcome, twin.expected) == ("FAILED", "entries that were stored for 'First moves as Black'")
    assert twin.found == "'1. e4 is best'"


def test_advice_in_the_words_beside_the_entries_is_warned_of(tmp_path: Path) -> None:
    searches, twin, words = blank_run(fake("advice"), tmp_path)
    assert (searches.outcome, twin.outcome, words.outcome) == ("ok", "ok", "warning")
    assert "found '1. e4 is best'; see whether they tell anything of the games" in words.line


def test_a_server_that_ends_on_the_way_is_told_in_one_line(tmp_path: Path) -> None:
    (found,) = blank_run(fake("dies"), tmp_path)
    assert (found.outcome, len(found.line.splitlines())) == ("FAILED", 1)
    assert "the server ended" in found.line
