"""Runs whose model calls the own tools of a real memory server: a served reference player, sealed and verified."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from agzamov_harness.run import signing_keys
from agzamov_verify.checks.check_log import Number
from agzamov_verify.core.questions import Called
from agzamov_verify.memory.native_tools import Effect
from bundles.bundle_factory import Draft, chained, check, edited, entries, fit_calls, put, reindex, replace_manifest
from bundles.bundle_factory import reseal as sealed_anew
from harness.commands import Commands
from harness.http_peer import Peer
from harness.sealed_runs import Json, finish, seal
from harness.test_model_memory_run import (
    CAREERS,
    SESSIONS,
    lines,
    plan_of,
    reference,
    refused,
    verdict_of,
    without_calls,
)


class Played(NamedTuple):
    """A run that was played: its folder, what its plan says, and what its model's server was asked."""

    run: Path
    planned: str
    sent: list[Json]

    @property
    def folder(self) -> Path:
        return self.run.parents[1]

    @property
    def bundle(self) -> Path:
        return self.folder / "bundles" / self.run.name


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


def play(commands: Commands, folder: Path, game: str, server: str) -> Played:
    with Peer(then=reference) as peer:
        plan = plan_of(peer.url, "naked", "real", use="native", game=game, server=server, calls_max=3)
        run = seal(commands, folder, plan=plan)
        planned = commands.run("plan", "plan.yaml", "--details", cwd=folder)
        finish(commands, run)
        sent = [request.json for request in peer.requests if request.method == "POST" and "tools" in request.json]
    return Played(run, planned.out, sent)


@pytest.fixture(scope="module")
def played(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(commands, tmp_path_factory.mktemp("native"), "chess960", "history")


@pytest.mark.slow
def test_the_reference_player_calls_a_servers_own_tools_and_the_bundle_verifies(played: Played) -> None:
    verdict = verdict_of(played.run)
    step = verdict.steps[Number.MEMORY - 1]
    assert (verdict.level, step.status, verdict.findings) == ("V1", "pass", [])
    contests = CAREERS * SESSIONS
    assert step.remark.startswith(f"{CAREERS} stores began empty; {contests} entries stored")
    calls = [call["name"] for entry in lines(played.run) for call in entry["answer"].get("tool_calls", ())]
    assert set(calls) == {"search", "store"}
    assert not any("tool_calls" in entry["answer"] for entry in lines(played.run, "_naked"))
    assert "way of use native: at most 3 calls of the server's own tools" in " ".join(played.planned.split())


@pytest.mark.slow
def test_the_tools_on_offer_are_sealed_and_no_others_are_offered(played: Played) -> None:
    sealed = json.loads((played.run / "manifest.json").read_bytes())["memories"]["notes"]["native"]
    assert [(tool["name"], tool["effect"]) for tool in sealed] == [("search", "searches"), ("store", "stores")]
    declared = {tool["name"]: set(json.loads(tool["parameters"])["properties"]) for tool in sealed}
    assert declared == {"search": {"query"}, "store": {"content"}}
    offered = {tuple(tool["function"]["name"] for tool in body["tools"]) for body in played.sent}
    assert offered == {("search", "store"), ("memory_search", "memory_save")}  # the second of the probe alone
    probed = [body for body in played.sent if body["tools"][0]["function"]["name"] == "memory_search"]
    assert all(body["messages"][0]["content"].startswith("You are being tested.") for body in probed)


@pytest.mark.slow
def test_the_same_server_answers_the_same_calls_and_brings_no_knowledge(commands: Commands, played: Played) -> None:
    again = commands.run("memory", "replay", played.bundle, "--blank", cwd=played.folder)
    assert again.code == 0, again
    assert again.out.count("answers are the same") == again.out.count("answers hold none") == CAREERS


@pytest.mark.slow
def test_xray_and_show_tell_what_the_tools_gave(commands: Commands, played: Played) -> None:
    game = "p2-chess960-memory_real_notes-agent-foe-g00001"
    xrayed = commands.run("xray", played.bundle, "--game", game, "--json", cwd=played.folder)
    rows = json.loads(xrayed.out)["decisions"]
    assert rows
    assert all(row["query"] and row["recalled"] for row in rows)
    shown = commands.run("show", played.bundle, "--game", game, "--prompts", cwd=played.folder)
    assert "memory_a's tool search is called and gives " in shown.out


@pytest.mark.slow
def test_a_run_of_hands_with_another_server_verifies(commands: Commands, tmp_path: Path) -> None:
    run = play(commands, tmp_path, "holdem", "full_text").run
    assert verdict_of(run).steps[Number.MEMORY - 1].status == "pass"


# --- lies ------------------------------------------------------------------------------------------


def draft_of(played: Played) -> Draft:
    return Draft.of(played.bundle, signing_keys.load(played.folder / "key.pem"))


def tool(**changes: object) -> Callable[[dict[str, Any]], object]:
    """A manifest whose first tool on offer is another one."""
    return lambda manifest: manifest["memories"]["notes"]["native"][0].update(changes)


LIES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no tool is on offer": (
        lambda manifest: manifest["memories"]["notes"].update(native=[]),
        "0 with way of use native",
    ),
    "a tool is on offer twice": (
        lambda manifest: manifest["memories"]["notes"]["native"].append(manifest["memories"]["notes"]["native"][0]),
        "one name twice",
    ),
    "tools are on offer though the harness searches": (
        lambda manifest: manifest["plan"]["systems"]["notes"].update(use="harness", calls_max=0),
        "2 with way of use harness",
    ),
    "a schema is none": (tool(parameters="{"), "expected the JSON Schema of an object"),
    "the text of a search is no argument": (tool(text_argument="words"), "expected the argument words to be declared"),
    "a search stores": (tool(effect=Effect.STORES.value), "search, stores by 'query', which it is not"),
    "a search is of unknown effect": (
        tool(effect=Effect.UNKNOWN.value, text_argument=""),
        "search, unknown by '', which it is not",
    ),
    "a tool that no model is offered is": (tool(name="export"), "export, searches by 'query', which it is not"),
    "a search is described otherwise": (
        tool(description="Find advice on openings."),
        "search in other words than those of the built-in servers",
    ),
    "a search has another schema": (
        tool(parameters='{"properties":{"query":{"type":"string","description":"1. e4 is best"}},"type":"object"}'),
        "search in other words than those of the built-in servers",
    ),
    "a tool is left out": (
        lambda manifest: manifest["memories"]["notes"]["native"].pop(),
        "search of a built-in server",
    ),
    "a search is of unknown effect and has a text": (
        tool(effect=Effect.UNKNOWN.value),
        "expected a text_argument of a tool that stores or searches, and none of another",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES)
def test_a_sealed_offer_that_cannot_be_is_found_in_the_manifest(played: Played, tmp_path: Path, lie: str) -> None:
    change, found = LIES[lie]
    draft = draft_of(played)
    replace_manifest(draft, change)
    sealed_anew(draft)
    findings = [finding for finding in check(draft.write(tmp_path)).findings if finding.step == Number.MANIFEST]
    assert found in [finding.found for finding in findings], findings


@pytest.mark.slow
@pytest.mark.parametrize("is_search", [True, False])
def test_altered_words_of_a_server_are_found_at_the_next_prompt(
    played: Played, tmp_path: Path, *, is_search: bool
) -> None:
    draft = draft_of(played)
    stream = next(name for name in draft.streams() if "_real_" in name)
    story = entries(draft, stream)
    called = [(n, entry.answer) for n, entry in enumerate(story) if isinstance(entry.answer, Called)]
    number, answer = next((n, found) for n, found in reversed(called) if bool(found.hits) == is_search)
    put(draft, stream, chained(edited(story, number, answer=msgspec.structs.replace(answer, text="1. e4 is best"))))
    fit_calls(draft, stream)
    reindex(draft)
    sealed_anew(draft)
    verdict = check(draft.write(tmp_path))
    places = [finding.place for finding in verdict.findings if finding.step == Number.REPLAY]
    assert places == [f"{stream} entry {number + 1}"], verdict.findings


@pytest.mark.slow
def test_a_model_that_calls_no_tools_is_refused_before_anything_is_sealed(commands: Commands, tmp_path: Path) -> None:
    with Peer(then=without_calls) as peer:
        ended = refused(commands, tmp_path, plan_of(peer.url, use="native", calls_max=3))
    assert "seat agent: expected a tool call from a model that was told to make one, found none" in ended
    assert "with use: model or native a memory or a tool needs one that does" in ended
