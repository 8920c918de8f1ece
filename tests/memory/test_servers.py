"""Every memory server keeps what it is given and gives it back, over stdio; a second one answers the same bytes."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agzamov_memory.systems import SYSTEMS
from memory.server_client import Call, answers, end_game, export, names, results, search, skip_without_weights, store

SERVERS = [
    ("consolidator",),
    ("file",),
    ("full_text",),
    ("full_text", "--half-life", "20"),
    ("graph",),
    ("graph", "--half-life", "20"),
    ("history",),
    ("noisy", "--noise", "50"),
    ("recent",),
    ("semantic",),
    ("semantic", "--half-life", "20"),
]
VERSIONS = {"--half-life": "1, half-life 20 games", "--noise": "1, noise 50 percent"}

LONG = "Castled late, " + "and moved the queen's knight before the bishop, " * 170 + "as White"
CONTENTS = [
    "Folded to a 3-bet on the button: 4 of 5",
    "Folded to a 3-bet on the button: 4 of 5",  # a duplicate
    "Folded to a 3-bet on the button: 4 of 6",  # nearly one
    "Raised first in: 2 of 9\nLimped in: 1 of 9\r\n\n\tShowed down a bluff",
    "Ферзь h5, шах: 3 из 7 · 王手 · ♞f3 · 🜁 · e\u0301 · \u202eleft to right",
    '# [[heading]] {"json": ["text", 1]} \\n <b>&amp;</b> "quoted" \'single\'',
    "123",
    "null",
    "a null character \x00 and a bell \x07",
    LONG,
]
HOSTILE = [
    '" OR *',
    "",
    " \t\n",
    "*",
    '"',
    "NEAR(a b, 2)",
    "content: folded",
    "folded AND NOT button",
    "fold* ^raise -button +limp",
    "'; drop table entries; --",
    "(((((",
    "\x00",
    "🜁 王手 \ue000 \U0001e900",
    "%_[a-z]",
    '{"query": 1}',
    "folded " * 9_000,
    " ".join(f"word{number}" for number in range(3_000)),
]
FAST = range(len(CONTENTS) + 1, len(CONTENTS) + 41)
BEFORE_THE_END: list[Call] = [
    ("describe", {}),
    *(store(number, content) for number, content in enumerate(CONTENTS, 1)),
    *(store(number, f"Checked the turn: {number} of 60") for number in FAST),
    store(1, "a second content under the first name"),
    store(200, " \n"),
    store(201, "x" * 65_537),
    export(limit=20),
    export(after=20, limit=20),
    export(after=40, limit=20),
    export(after=60, limit=20),
]
QUERIES = ["folded to a 3-bet", "who checked the turn", "knight before the bishop", *HOSTILE]
CALLS = [*BEFORE_THE_END, *(search(query) for query in QUERIES), end_game(60), export(), search("checked the turn", 9)]


@dataclass(frozen=True)
class Spoken:
    """A server and what it answered to CALLS, each time that it was started."""

    system: str
    options: tuple[str, ...]
    answers: list[dict[str, Any]]
    again: list[dict[str, Any]]

    @property
    def refused(self) -> list[dict[str, Any]]:
        return self.answers[len(BEFORE_THE_END) - 7 : len(BEFORE_THE_END) - 4]

    @property
    def pages(self) -> list[dict[str, Any]]:
        return self.answers[len(BEFORE_THE_END) - 4 : len(BEFORE_THE_END)]

    @property
    def exported(self) -> list[dict[str, Any]]:
        return [entry for page in self.pages for entry in page["entries"]]

    @property
    def found(self) -> dict[str, list[dict[str, str]]]:
        first = len(BEFORE_THE_END)
        return {query: answer["hits"] for query, answer in zip(QUERIES, self.answers[first:], strict=False)}


@pytest.fixture(scope="module", params=SERVERS, ids=" ".join)
def spoken(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Spoken:
    system, *options = request.param
    skip_without_weights(system)
    first, again = (answers(system, tmp_path_factory.mktemp(system), CALLS, *options) for _ in range(2))
    return Spoken(system, tuple(options), first, again)


def test_every_system_of_the_table_is_tested() -> None:
    assert {system for system, *_ in SERVERS} == set(SYSTEMS)


def test_a_server_describes_itself_with_its_settings(spoken: Spoken) -> None:
    rewrites = "end_game" if spoken.system == "consolidator" else "never"
    version = VERSIONS[spoken.options[0]] if spoken.options else "1"
    assert spoken.answers[0] == {"name": spoken.system, "version": version, "rewrites": rewrites}


def test_what_was_stored_is_exported_character_by_character_and_nothing_is_lost(spoken: Spoken) -> None:
    assert all(answer == {"stored": True, "reason": ""} for answer in spoken.answers[1 : 1 + len(CONTENTS) + len(FAST)])
    expected = [*CONTENTS, *(f"Checked the turn: {number} of 60" for number in FAST)]
    assert [entry["content"] for entry in spoken.exported] == expected
    assert [entry["entry"] for entry in spoken.exported] == [f"e{number:05}" for number in range(1, len(expected) + 1)]
    assert [entry["games"] for entry in spoken.exported] == [[number] for number in range(1, len(expected) + 1)]
    assert {entry["kind"] for entry in spoken.exported} == {"observation"}
    assert all(entry["derived_from"] == [] for entry in spoken.exported)


def test_an_export_comes_in_pages_and_says_whether_there_is_more(spoken: Spoken) -> None:
    assert [(len(page["entries"]), page["more"]) for page in spoken.pages] == [
        (20, True),
        (20, True),
        (10, False),
        (0, False),
    ]


def test_a_name_that_is_taken_no_content_and_too_much_are_refused_with_the_reason(spoken: Spoken) -> None:
    assert spoken.refused == [
        {"stored": False, "reason": "e00001 is already stored"},
        {"stored": False, "reason": "an entry needs content"},
        {"stored": False, "reason": "content has more than 65536 bytes"},
    ]


def test_a_search_gives_entries_that_were_stored_no_more_than_asked_for_and_none_twice(spoken: Spoken) -> None:
    content = {entry["entry"]: entry["content"] for entry in spoken.exported}
    for hits in spoken.found.values():
        assert len(hits) <= 5
        assert len({hit["entry"] for hit in hits}) == len(hits)
        assert all(hit["entry"] in content for hit in hits)
        if spoken.system != "noisy":
            assert all(hit["content"] == content[hit["entry"]] for hit in hits)


def test_a_search_finds_what_it_names_whatever_else_the_query_holds(spoken: Spoken) -> None:
    if spoken.system in {"history", "recent"}:
        return
    assert spoken.found["folded to a 3-bet"]
    assert spoken.found["knight before the bishop"][0]["entry"] == "e00010"
    for query in ("", " \t\n", "*", '"', "(((((", "\x00", "%_[a-z]" if spoken.system == "graph" else "*"):
        assert spoken.found[query] == []
    if spoken.system == "semantic":  # the nearest of what is odd may be anything
        return
    for query in ("content: folded", "folded AND NOT button", "folded " * 9_000):
        assert "e00001" in [hit["entry"] for hit in spoken.found[query]]


def test_the_end_of_a_game_leaves_entries_as_they_are_unless_the_system_rewrites(spoken: Spoken) -> None:
    ended, exported, _ = spoken.answers[-3:]
    assert ended["entries"] == len(exported["entries"])
    if spoken.system != "consolidator":
        assert exported["entries"] == spoken.exported
        return
    sums = {entry["content"]: entry for entry in exported["entries"]}
    folded = sums["Folded to a 3-bet on the button: 12 of 16"]
    assert folded["derived_from"] == ["e00001", "e00002", "e00003"]
    assert folded["games"] == [1, 2, 3]
    assert len(sums[f"Checked the turn: {sum(FAST)} of {40 * 60}"]["derived_from"]) == 40
    assert all(entry["derived_from"] for entry in exported["entries"])


def test_two_fresh_servers_give_the_same_bytes_for_the_same_calls(spoken: Spoken) -> None:
    assert json.dumps(spoken.answers) == json.dumps(spoken.again)


@pytest.mark.slow
def test_recent_gives_the_last_entries_newest_first_and_history_the_same_in_order(tmp_path: Path) -> None:
    calls = [*(store(number, f"note {number}") for number in range(1, 6)), search("whatever", 3)]
    assert names(answers("recent", tmp_path / "recent", calls)[-1]) == ["e00005", "e00004", "e00003"]
    assert names(answers("history", tmp_path / "history", calls)[-1]) == ["e00003", "e00004", "e00005"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["recent", "--data", "used"], "--data: expected an empty folder, found 'opening-book' in used"),
        (["recent", "--data", "missing"], "--data: expected an empty folder, found none at missing"),
        (
            ["recent", "--data", "fresh", "--half-life", "5"],
            "--half-life: expected none, since recent has no scores that decay",
        ),
        (["graph", "--data", "fresh", "--half-life", "0"], "--half-life: expected 1 to 10000 games, found 0"),
        (["full_text", "--data", "fresh", "--noise", "5"], "--noise: expected none, since full_text damages nothing"),
        (["noisy", "--data", "fresh"], "--noise: expected 0 to 100 percent, found None"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(arguments: list[str], error: str, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "opening-book").touch()
    (tmp_path / "fresh").mkdir()
    command = [sys.executable, "-m", "agzamov_memory", *arguments]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stderr, run.stdout) == (2, f"error: {error}\n", "")


@pytest.mark.slow
def test_a_number_that_came_as_text_is_an_error_of_the_caller(tmp_path: Path) -> None:
    (result,) = results("recent", tmp_path, [("export", {"after": "1", "limit": 5})])
    assert result.is_error
