"""Runs whose model calls the own tools of a server from outside: its adapter says which, and what a call stores."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.reference_server import chat_server
from agzamov_verify.checks.check_log import Number, Status
from agzamov_verify.checks.memory_step import Tier
from agzamov_verify.checks.opened_bundle import native_problems
from agzamov_verify.plan.manifest import load_manifest
from harness.commands import Commands
from harness.http_peer import Exchange, Peer, answers
from harness.sealed_runs import Json, finish, seal, start
from harness.test_model_memory_run import CAREERS, SESSIONS, plan_of, reference
from harness.test_outside_memory import ODD, put_notes, refused, verdict_of

INSTALLED = os.environ.get("AGZAMOV_MEMORY_SERVERS", "")
OFFERED = "native: [recall, remember]\n"
WITHOUT_END = ODD.replace('end_game: {{tool: finish, args: {{game: "${{number}}"}}, entries: count}}\n', "")


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


def offer(folder: Path, native: str) -> None:
    """Name the tools that the adapter in a folder offers."""
    with (folder / "notes.yaml").open("a") as adapter:
        adapter.write(native)


def native_plan(url: str, server: str) -> Json:
    return plan_of(url, use="native", game="chess960", server=server, calls_max=3)


@pytest.mark.slow
def test_the_own_tools_of_a_server_from_outside_are_called_and_audited(commands: Commands, tmp_path: Path) -> None:
    put_notes(tmp_path)
    offer(tmp_path, OFFERED)
    with Peer(then=reference) as peer:
        run = seal(commands, tmp_path, plan=native_plan(peer.url, "notes.yaml"))
        finish(commands, run)
    sealed = json.loads((run / "manifest.json").read_bytes())["memories"]["notes"]["native"]
    assert [(tool["name"], tool["effect"], tool["text_argument"]) for tool in sealed] == [
        ("recall", "searches", "question"),
        ("remember", "stores", "text"),
    ]
    assert list(json.loads(sealed[1]["parameters"])["properties"]) == ["text"]
    step = verdict_of(run).steps[Number.MEMORY - 1]
    assert step.remark.startswith(f"{CAREERS} stores began empty; {CAREERS * SESSIONS} entries stored; ")


def calls_first(tool: str, arguments: str) -> Callable[[Exchange], None]:
    """A model that calls a tool before it plays as the reference player."""

    def answer(exchange: Exchange) -> None:
        body = exchange.request_seen.json if exchange.request_seen.method == "POST" else {}
        offered = [one["function"]["name"] for one in body.get("tools", ())]
        if tool not in offered or any(message["role"] == "tool" for message in body["messages"]):
            reference(exchange)
            return
        said = chat_server.completion(body)
        call = {"id": "x", "type": "function", "function": {"name": tool, "arguments": arguments}}
        said["choices"][0]["message"] |= {"content": None, "tool_calls": [call]}
        answers(said)(exchange)

    return answer


@pytest.mark.slow
def test_a_tool_of_which_the_adapter_says_nothing_leaves_the_memory_unverified(
    commands: Commands, tmp_path: Path
) -> None:
    put_notes(tmp_path)
    adapter = WITHOUT_END.format(odd="merges", traits="rewrites: never", query="none")
    (tmp_path / "odd.yaml").write_text(f"{adapter}native: [recall, remember, finish]\n")
    with Peer(then=calls_first("finish", '{"game": 1}')) as peer:
        run = seal(commands, tmp_path, plan=native_plan(peer.url, "odd.yaml"))
        ended = start(commands, run).ended()
    assert ended.code == 0, ended
    verdict = verdict_of(run)
    step = verdict.steps[Number.MEMORY - 1]
    assert (verdict.level, verdict.findings, step.status) == ("V0", [], Status.NOT_CHECKED)
    assert step.remark == (
        f"unverified: in {CAREERS} of {CAREERS} careers a tool was called of which nobody knows what it stores "
        "(on offer: finish), so no dump can be compared with what was stored; lineage: notes D unverified"
    )
    assert verdict.lineages == {"notes": Tier.UNVERIFIED}
    printed = commands.run("verify", tmp_path / "bundles" / run.name, cwd=tmp_path)
    assert printed.code == 3, printed
    assert f"unverified: in {CAREERS} of {CAREERS} careers" in " ".join(printed.out.split())


@pytest.mark.parametrize(
    ("native", "line"),
    [
        ("", "found none; write in the adapter, for example: native: [recall, remember]"),
        (
            "native: [recall, forget]\n",
            "expected the tool forget, which its adapter offers, found the tools",
        ),
        ("native: [everything]\n", "expected a tool for single entries, found everything, which no model is offered"),
    ],
)
def test_an_adapter_that_offers_what_it_cannot_is_refused_before_anything_is_sealed(
    commands: Commands, tmp_path: Path, native: str, line: str
) -> None:
    put_notes(tmp_path)
    offer(tmp_path, native)
    with Peer(then=reference) as peer:
        ended = refused(commands, tmp_path, native_plan(peer.url, "notes.yaml"))
    assert line in ended.err


def test_a_tool_that_is_sealed_as_what_it_is_not_is_found_in_the_manifest(commands: Commands, tmp_path: Path) -> None:
    put_notes(tmp_path)
    offer(tmp_path, OFFERED)
    with Peer(then=reference) as peer:
        run = seal(commands, tmp_path, plan=native_plan(peer.url, "notes.yaml"))
    manifest = load_manifest((run / "manifest.json").read_bytes())
    assert list(native_problems(manifest)) == []
    pin = manifest.memories["notes"]
    others = [msgspec.structs.replace(pin.native[0], name=name) for name in ("remember", "everything")]
    lies = {"notes": msgspec.structs.replace(pin, native=tuple(others))}
    assert list(native_problems(msgspec.structs.replace(manifest, memories=lies))) == [
        ("manifest memories.notes.native[0]", "remember, searches by 'question', which it is not"),
        ("manifest memories.notes.native[1]", "everything, searches by 'question', which it is not"),
    ]


@pytest.mark.skipif(not INSTALLED, reason="AGZAMOV_MEMORY_SERVERS names no folder with installed servers")
def test_the_real_graph_is_called_by_its_own_tools(commands: Commands, tmp_path: Path) -> None:
    habit = {"name": "opponent", "entityType": "player", "observations": ["castles early"]}
    with Peer(then=calls_first("create_entities", json.dumps({"entities": [habit]}))) as peer:
        run = seal(commands, tmp_path, "", "--installed", INSTALLED, plan=native_plan(peer.url, "server-memory"))
        ended = start(commands, run).ended()
    assert ended.code == 0, ended
    verdict = verdict_of(run)
    step = verdict.steps[Number.MEMORY - 1]
    assert (verdict.findings, step.status) == ([], Status.NOT_CHECKED)
    assert "(on offer: create_entities, add_observations, open_nodes)" in step.remark
