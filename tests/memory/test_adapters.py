"""Adapters in YAML: every problem is one line with its path, and what an adapter reads is what its server gave."""

import hashlib
import os
import re
from pathlib import Path

import pytest

from agzamov_harness.memory.adapter_file import (
    ADAPTERS,
    BUILT_IN,
    DeclaredSystem,
    Variant,
    adapter_from_yaml,
    filled,
    read_systems,
    sealed_system,
    sealed_text,
    system_of,
    systems,
    with_adapters,
)
from agzamov_memory.systems import SYSTEMS
from agzamov_verify.experiment.matches import Arm
from agzamov_verify.memory.declared_server import SHIPPED_SHA256
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.systems import MemorySystem
from memory.memory_world import fake_yaml

HONEST = fake_yaml("none")
BELOW = "expected a place below the server's own folder, found "


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("stored: stored", "stored: 'stored['", "store.stored: expected a JMESPath expression, found 'stored['"),
        ("  stored: stored\n", "", "store: expected stored or stored_text, found neither"),
        ("  tool: search\n", "", "search.tool: expected this key, found nothing"),
        ("tool: store\n", "tool: store\n  colour: red\n", "store: unknown key 'colour'"),
        ("${query}", "${question}", "search.args: expected one of game, limit, number, query, found ${question}"),
        (
            "${PYTHON}",
            "${RUBY}",
            "launch: expected one of DATA, HERE, HOME, INSTALLED, MODELS_URL, PORT, PYTHON, SYSTEM, found ${RUBY}",
        ),
        *(
            (
                "launch: {",
                f"launch: {{links: {{{place}: x}}, ",
                f"launch.links: {BELOW}'{place}'",
            )
            for place in ("/etc/x", "../x", "a/../../x")
        ),
        ("  content: content\nend", "end", "search.content: expected this key, found nothing"),
        ("items: hits", "answer: text", "search.items_text: expected a regular expression with the group content"),
        (
            "items: hits",
            "answer: text\n  items_text: '(?P<content>.*)(?P<colour>.)'",
            "search.items_text: expected the groups content, entry, games, id, kind, found 'colour'",
        ),
        (
            "items: hits",
            "answer: text\n  items_text: '('",
            "search.items_text: expected a regular expression, found '('",
        ),
        ("rewrites: described", "rewrites: often", "traits.rewrites: expected one of always, described, end_game"),
        (
            "describe: {tool: describe, rewrites: rewrites, name: name, version: version}",
            "",
            "describe.rewrites: expected this key where",
        ),
        ("  tool: export\n", "", "export: expected either tool or files"),
        (
            "  content: content\nend",
            "  content_text: '('\n  content: content\nend",
            "search.content_text: expected a",
        ),
        ("items: hits", "gives: whole\n  items: hits", "search.gives: expected one of entries, parts, previews"),
        (
            "items: hits",
            "ellipsis: ...\n  items: hits",
            "search.ellipsis: expected this key with gives: previews",
        ),
        (
            "export:\n",
            "fetch: {tool: search, args: {query: '${query}'}}\nexport:\n",
            "fetch.args: expected one of entry, id, found ${query}",
        ),
        ("export:\n", "fetch: {tool: search}\nexport:\n", "fetch.args: expected ${id} or ${entry}, by which"),
        ("export:\n", "fetch: {tool: search}\nexport:\n", "fetch.content: expected this key, found nothing"),
        ("export:\n", "fetch: {content: text}\nexport:\n", "fetch.tool: expected this key, found nothing"),
        (
            "  entry: entry\n  content: content\nend",
            "fetch: {tool: search, args: {id: '${id}'}, content: text}\nend",
            "search.id: expected id, entry or id_text, by which each entry is fetched",
        ),
        ("  tool: export\n", "  tool: export\n  absent: true\n", "export.absent: expected no tool and no files"),
        ("agz-memory-1", "agz-memory-2", "interface: expected agz-memory-1, found 'agz-memory-2'"),
        ("verified: true", "verified: true\nverified: false", "line"),
    ],
)
def test_a_problem_is_one_line_with_its_path(tmp_path: Path, old: str, new: str, line: str) -> None:
    assert old in HONEST
    path = tmp_path / "mine.yaml"
    path.write_text(HONEST.replace(old, new, 1))
    with pytest.raises(ManifestError) as error:
        read_systems(path)
    assert [found for found in str(error.value).splitlines() if found.startswith(f"{path}: {line}")]


def without_export(text: str) -> str:
    """The adapter of a server that has no tool which gives every entry."""
    return f"{text[: text.index('export:')]}export: none\n"


def test_an_adapter_may_have_no_export_and_says_so_in_a_word() -> None:
    adapter = adapter_from_yaml(without_export(HONEST).encode())
    assert (adapter.export.absent, adapter.export.tool) == (True, "")
    with pytest.raises(ManifestError, match="expected always or never where the export is none, found end_game"):
        adapter_from_yaml(without_export(HONEST).replace("rewrites: described", "rewrites: end_game").encode())
    rewriting = HONEST.replace("rewrites: described", "rewrites: always")
    assert adapter_from_yaml(without_export(rewriting).encode()).traits.rewrites == "always"
    with pytest.raises(ManifestError, match="expected no such key where traits"):
        adapter_from_yaml(rewriting.replace("items: hits", "gives: parts\n  items: hits").encode())


def test_whoever_fetches_entries_reads_no_content_of_a_search() -> None:
    fetch = "fetch: {tool: search, args: {query: '${entry}', limit: 1, now: 1}, content: 'hits[0].content'}\nend"
    adapter = adapter_from_yaml(HONEST.replace("  content: content\nend", fetch, 1).encode())
    assert (adapter.search.content, adapter.fetch.content) == ("", "hits[0].content")


def test_every_problem_is_told_at_once() -> None:
    with pytest.raises(ManifestError) as error:
        adapter_from_yaml(HONEST.replace("${query}", "${q}").replace("${content}", "${c}").encode())
    assert len(str(error.value).splitlines()) == 2


def test_a_system_is_named_or_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(HONEST)
    adapter = adapter_from_yaml(HONEST.encode())
    path = str(tmp_path / "mine.yaml")
    digest = hashlib.sha256(sealed_text(adapter).encode()).hexdigest()
    assert system_of(path) == DeclaredSystem(
        "mine", adapter, Variant(adapter.about, "full_text"), tmp_path, digest, path
    )
    assert system_of("recent").adapter.verified
    with pytest.raises(ManifestError, match=r"expected a memory system, found 'elephant'; known are .*recent"):
        system_of("elephant")


def test_what_is_sealed_of_an_adapter_is_the_adapter(tmp_path: Path) -> None:
    """Comments, order and defaults make no other adapter; a sealed one is checked as a file is."""
    (tmp_path / "mine.yaml").write_text(f"# a comment\nverified: true\n{HONEST.replace('verified: true', '')}")
    (found,) = read_systems(tmp_path / "mine.yaml")
    text = sealed_text(adapter_from_yaml(HONEST.encode()))
    assert found.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert sealed_system("mine.yaml", text, tmp_path) == found
    with pytest.raises(ManifestError, match=r"mine.yaml: store.args: expected one of content, .* found \$\{text\}"):
        sealed_system("mine.yaml", text.replace("${content}", "${text}"), tmp_path)
    with pytest.raises(ManifestError, match=r"mine.yaml: expected a sealed adapter, found "):
        sealed_system("mine.yaml", "{}", tmp_path)


SHIPPED = sorted(path.stem for path in ADAPTERS.glob("*.yaml") if path != BUILT_IN)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_verifier_knows_every_adapter_that_comes_with_the_program(name: str) -> None:
    """After an adapter was changed, write its digest into SHIPPED_SHA256; one of a release stays beside it."""
    shipped = system_of(name)
    assert shipped.sha256 in SHIPPED_SHA256[name]
    assert list(MemorySystem(server=name, adapter=sealed_text(shipped.adapter)).problems(Arm.REAL)) == []


def test_the_verifier_knows_no_other_adapter() -> None:
    assert list(SHIPPED_SHA256) == SHIPPED


def test_an_adapter_that_cannot_be_sealed_is_refused() -> None:
    deep = "search:\n  tool: search\n  args: {query: [[[[[[[['${query}']]]]]]]]}"
    with pytest.raises(ManifestError, match="expected at most 8 levels"):
        adapter_from_yaml(re.sub(r"search:\n  tool: search\n  args: .*", deep, HONEST).encode())


def test_every_built_in_system_has_its_row_with_its_settings() -> None:
    rows = {name: system.variant for name, system in systems().items() if system.adapter == system_of("recent").adapter}
    assert set(rows) == set(SYSTEMS)
    assert {name for name, row in rows.items() if "half_life_games" in row.settings} == {
        name for name, system in SYSTEMS.items() if system.decays
    }
    assert {name for name, row in rows.items() if "noise_percent" in row.settings} == {
        name for name, system in SYSTEMS.items() if system.damages
    }


def test_what_is_filled_in_is_not_looked_through_again() -> None:
    values: dict[str, str | int] = {"content": "${number}", "number": 7}
    template = {"text": "${content}", "note": "game ${number}: ${content}", "number": "${number}", "all": ["${number}"]}
    assert filled(template, values) == {"text": "${number}", "note": "game 7: ${number}", "number": 7, "all": [7]}


@pytest.mark.parametrize("linked", ["mine.yaml", "adapters/mine.yaml"])
def test_an_adapter_is_not_read_through_a_link_out_of_the_plans_folder(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, linked: str
) -> None:
    """What a plan names is sealed and published, and a part of it told in the error."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "mine.yaml").write_text("SECRET: 1\n")
    if linked == "mine.yaml":
        (tmp_path / linked).symlink_to(outside / "mine.yaml")
    else:
        (tmp_path / "adapters").symlink_to(outside)
    with pytest.raises(ManifestError, match="found a link that leads out of it") as raised:
        with_adapters({"systems": {"mine": {"kind": "memory", "server": linked}}}, tmp_path)
    assert "SECRET" not in str(raised.value)


def test_an_adapter_that_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mine.yaml")
    with pytest.raises(ManifestError, match="expected a file"):
        with_adapters({"systems": {"mine": {"kind": "memory", "server": "mine.yaml"}}}, tmp_path)
