"""Runs whose model uses its memory by tool calls: a served reference player, real memory servers, crash and resume."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import yaml

from agzamov_harness.reference_server import chat_server
from agzamov_harness.run import signing_keys
from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.checks.check_log import Number
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core.dice import Stream
from agzamov_verify.plan.manifest import ManifestError
from harness.commands import Commands
from harness.http_peer import Exchange, Peer, answers, says, status
from harness.sealed_runs import Json, entries, finish, journals, played_so_far, seal, start, twin, uninterrupted

CAREERS, SESSIONS = 2, 2
HANDS = 2 * CAREERS * SESSIONS
KILLS = 2
HOLD_S = 300


def reference(exchange: Exchange) -> None:
    """What the reference server would answer."""
    if exchange.request_seen.method == "GET":
        answers({"data": [{"id": "reference"}]})(exchange)
        return
    answers(chat_server.completion(exchange.request_seen.json))(exchange)


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


def plan_of(url: str, *arms: str, use: str = "model", game: str = "chess960", **system: Any) -> Json:
    memory = {"kind": "memory", "server": "history", "use": use, "hits_max": 3, **system}
    if use == "model":
        memory.setdefault("calls_max", 3)
    size = {"hands": HANDS} if game == "holdem" else {"games": 2 * CAREERS}
    played = {"phase": 2, "game": game, "a": "agent", "b": "foe", "careers": CAREERS, **size}
    conditions: list[Json] = [{"arm": arm, "system": "" if arm == "naked" else "notes"} for arm in arms or ("real",)]
    served = {"kind": "openai", "model": "reference", "base_url": url}
    return {
        "title": "A memory by tool calls",
        "seats": {"agent": served, "foe": {**served, "patterns": ["folds_button_to_3bet"]}},
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 6},
        "holdem": {"session_hands": 2},
        "systems": {"notes": memory},
        "matches": [{**played, "condition": {"augmentation": "memory", **condition}} for condition in conditions],
    }


def verdict_of(run: Path) -> Verdict:
    return verify(run.parents[1] / "bundles" / run.name, Options())


def lines(run: Path, part: str = "_real_") -> list[Json]:
    """The entries of all streams whose name has `part`, in order of their names."""
    return [
        json.loads(line) for name, data in sorted(journals(run).items()) if part in name for line in data.splitlines()
    ]


ARMS = {"holdem": ["real"], "chess960": ["naked", "placebo", "real"]}


def played(commands: Commands, folder: Path, game: str) -> Path:
    """The run of a game in its arms, and its bundle beside it."""
    with Peer(then=reference) as peer:
        run = seal(commands, folder, plan=plan_of(peer.url, *ARMS[game], game=game))
        finish(commands, run)
    return run


@pytest.fixture(scope="module")
def of_holdem(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(commands, tmp_path_factory.mktemp("holdem"), "holdem")


@pytest.fixture(scope="module")
def of_chess960(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(commands, tmp_path_factory.mktemp("chess960"), "chess960")


@pytest.mark.slow
@pytest.mark.parametrize(("game", "arms"), ARMS.items())
def test_the_reference_player_saves_and_searches_and_the_bundle_verifies(
    request: pytest.FixtureRequest, game: str, arms: list[str]
) -> None:
    run: Path = request.getfixturevalue(f"of_{game}")
    verdict = verdict_of(run)
    step = verdict.steps[Number.MEMORY - 1]
    careers = CAREERS * sum(arm != "naked" for arm in arms)
    contests = 2 * careers
    assert (verdict.level, step.status) == ("V1", "pass")
    assert step.remark.startswith(f"{careers} stores began empty; {contests} entries stored")
    calls = [call["name"] for entry in lines(run) for call in entry["answer"].get("tool_calls", ())]
    assert set(calls) == {"memory_save", "memory_search"}
    assert not any("tool_calls" in entry["answer"] for entry in lines(run, "_naked"))
    assert verdict.analysis
    again = {(row.match, row.seat_index): row for row in verdict.analysis.planted.used}
    assert again
    assert {use.match: use.asked_again for use in verdict.memory_use if use.side == "a"} == {
        use.match: again.get((use.match, 0)) for use in verdict.memory_use if use.side == "a"
    }
    assert any(use.asked_again and use.asked_again.decisions for use in verdict.memory_use)


def test_a_model_that_calls_no_tools_is_refused_before_anything_is_sealed(commands: Commands, tmp_path: Path) -> None:
    with Peer(then=without_calls) as peer:
        ended = refused(commands, tmp_path, plan_of(peer.url))
    assert "seat agent: expected a tool call from a model that was told to make one, found none" in ended
    assert "use: harness" in ended


def test_a_server_that_takes_no_tools_is_refused_with_its_own_words(commands: Commands, tmp_path: Path) -> None:
    def without_tools(exchange: Exchange) -> None:
        if exchange.request_seen.method == "POST" and "tools" in exchange.request_seen.json:
            status(400, "this model does not support tools")(exchange)
        else:
            reference(exchange)

    with Peer(then=without_tools) as peer:
        ended = refused(commands, tmp_path, plan_of(peer.url))
    assert "this model does not support tools" in ended
    assert "seat agent was offered tools" in ended


def without_calls(exchange: Exchange) -> None:
    """A model that calls no tool that it is offered."""
    if exchange.request_seen.method == "POST" and "tools" in exchange.request_seen.json:
        says("I would search my memory for castling.", model="reference")(exchange)
    else:
        reference(exchange)


def refused(commands: Commands, folder: Path, plan: Json) -> str:
    """The line with which `run` refuses a plan, after its warnings."""
    signing_keys.generate(folder / "key.pem")
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    ended = commands.run("run", "plan.yaml", "--key", "key.pem", cwd=folder)
    assert ended.code == 2, ended
    assert not (folder / "runs").exists()
    *warnings, line = ended.err.splitlines()
    assert all(warning.startswith("warning: ") for warning in warnings)
    return line


def waiting_at(run: Path, enough: int, killed: Event) -> Callable[[Exchange], None]:
    """The reference server, which answers no more once so much is recorded: a run cannot end before it is killed."""

    def answer(exchange: Exchange) -> None:
        if entries(run) >= enough:
            killed.wait(HOLD_S)
        reference(exchange)

    return answer


@pytest.mark.exhaustive
@pytest.mark.parametrize("use", ["model", "native"])
def test_a_run_that_is_killed_in_the_middle_of_the_loop_comes_to_the_same_journals(
    commands: Commands, tmp_path: Path, use: str
) -> None:
    with Peer(then=reference) as peer:
        run = seal(commands, tmp_path, plan=plan_of(peer.url, use=use, calls_max=3))
        claims, expected = uninterrupted(commands, run)
        whole, dice, kills = sum(data.count(b"\n") for data in expected.values()), Stream(b"loop", "kills"), 0
        while kills < KILLS and entries(run) < whole * 9 // 10:
            more, killed = 1 + dice.below(whole // KILLS), Event()
            peer.then = waiting_at(run, entries(run) + more + whole // 5, killed)
            running = played_so_far(commands, run, more)
            kills += running.alive_after(0)
            running.kill()
            killed.set()
        assert kills > 0
        peer.then = reference
        assert finish(commands, run) == claims
    assert journals(run) == expected


@pytest.mark.slow
def test_a_run_that_stops_between_a_call_and_the_next_reply_goes_on_there(commands: Commands, tmp_path: Path) -> None:
    """The journal then ends with what the memory gave for a call; the model is told it after the resume."""
    refused_after: list[str] = []

    def stopping(exchange: Exchange) -> None:
        body = exchange.request_seen.json if exchange.request_seen.method == "POST" else {}
        is_told = body.get("messages", [{}])[-1]["role"] == "tool"
        if is_told and any(tool in str(body["messages"][2]) for tool in refused_after):
            refused_after.clear()
            status(401, "the key has run out")(exchange)
        else:
            reference(exchange)

    with Peer(then=stopping) as peer:
        run = seal(commands, tmp_path, plan=plan_of(peer.url))
        calm, recorded = twin(run), []
        for tool in ("memory_search", "memory_save"):
            refused_after.append(tool)
            stopped = start(commands, run).ended()
            assert (stopped.code, refused_after) == (4, []), stopped
            recorded.append([data.splitlines()[-1] for data in journals(run).values() if data])
        finish(commands, run)
        for last_lines in recorded:
            assert any(line in data for data in journals(run).values() for line in last_lines)
        finish(commands, calm)
    assert journals(run) == journals(calm)


def misbehaves(exchange: Exchange) -> None:
    """A model that makes a hundred calls of all kinds at once, and plays what the reference player plays."""
    if exchange.request_seen.method == "GET":
        reference(exchange)
        return
    body = exchange.request_seen.json
    said = chat_server.completion(body)
    message = said["choices"][0]["message"]
    if message.get("tool_calls") and len(body["messages"]) == 2 and "You are being tested" not in str(body):
        good = message["tool_calls"][0]["function"]
        kinds: list[Any] = [
            good,
            {"name": "memory_delete", "arguments": "{}"},
            {"name": good["name"], "arguments": "no JSON \u0000" + "x" * 20_000},
            {"name": good["name"], "arguments": {"query": 7}},
            {"name": "x" * 5_000},
            None,
        ]
        message["tool_calls"] = [{"id": "same", "function": kinds[number % 6]} for number in range(100)]
        message["content"] = "MOVE: e2e4"
    answers(said)(exchange)


@pytest.mark.slow
def test_a_model_that_makes_a_hundred_calls_of_all_kinds_leaves_a_bundle_that_verifies(
    commands: Commands, tmp_path: Path
) -> None:
    with Peer(then=misbehaves) as peer:
        run = seal(commands, tmp_path, plan=plan_of(peer.url))
        finish(commands, run)
        sent = [json.dumps(request.json) for request in peer.requests if request.method == "POST"]
    assert verdict_of(run).level == "V1"
    assert any("The budget of 3 calls is used up" in body for body in sent)
    made = [len(entry["answer"].get("tool_calls", ())) for entry in lines(run)]
    assert max(made) > 3
    assert not any("memory_delete" in body or "no JSON" in body for body in sent)


def test_a_plan_that_mixes_ways_of_use_is_refused(commands: Commands, tmp_path: Path) -> None:
    plan = plan_of("http://127.0.0.1:9/v1")
    plan["systems"]["other"] = {**plan["systems"]["notes"], "use": "harness", "calls_max": 0}
    plan["matches"].append(
        {**plan["matches"][0], "condition": {"augmentation": "memory", "arm": "real", "system": "other"}}
    )
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan))
    ended = commands.run("plan", "plan.yaml", "--details", cwd=tmp_path)
    assert ended.code == 2, ended
    assert "expected one way of use of all systems of kind memory, found harness and model" in ended.err


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"calls_max": 0}, "systems.notes.calls_max: expected 1 to 20"),
        ({"use": "harness", "calls_max": 2}, "systems.notes.calls_max: expected 0 with use harness"),
        ({"server": "consolidator"}, "systems.notes.use: expected harness"),
    ],
)
def test_a_way_of_use_that_cannot_be_is_refused_with_the_key(changes: Json, words: str) -> None:
    plan = plan_of("http://127.0.0.1:9/v1")
    plan["systems"]["notes"] |= changes
    with pytest.raises(ManifestError, match=words):
        plan_from(plan)


def test_a_scripted_seat_is_refused_since_it_calls_no_tools() -> None:
    plan = plan_of("http://127.0.0.1:9/v1")
    plan["seats"] = {"agent": {"kind": "reference"}, "foe": {"kind": "reference"}}
    with pytest.raises(ManifestError, match=r"systems\.notes\.use: expected harness: agent is a reference seat"):
        plan_from(plan)


@pytest.mark.slow
def test_the_way_of_use_is_printed_by_plan_verify_and_xray(commands: Commands, of_chess960: Path) -> None:
    folder = of_chess960.parents[1]
    bundle = folder / "bundles" / of_chess960.name
    planned = commands.run("plan", "plan.yaml", "--details", cwd=folder)
    head = commands.run("verify", bundle, "--details", cwd=folder)
    for printed in (planned.out, head.out):
        assert "way of use model: at most 3 calls before each decision" in " ".join(printed.split())
    game = "p2-chess960-memory_real_notes-agent-foe-g00001"
    rows = json.loads(commands.run("xray", bundle, "--game", game, "--json", cwd=folder).out)["decisions"]
    assert rows
    assert all(row["query"] and row["recalled"] for row in rows)
    shown = commands.run("show", bundle, "--game", game, "--prompts", cwd=folder)
    assert "(calls memory_search {" in shown.out
    assert "tool to agent" in shown.out
