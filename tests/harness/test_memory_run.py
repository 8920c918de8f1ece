"""Runs with a memory: a real MCP server for each career, through seal, run, crash, resume, bundle and verification."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_harness.run.run_folder import MEMORY_DATA
from agzamov_verify.checks.check_log import Number
from agzamov_verify.checks.memory_step import Tier
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core.dice import Stream
from agzamov_verify.memory.built_in_servers import SERVERS
from harness.commands import Commands
from harness.sealed_runs import Json, entries, finish, journals, played_so_far, seal, start, uninterrupted, wait_for

KILLS = 3
CAREERS, SESSIONS = 2, 3
SESSIONS_LEFT = 500
"""Of a career that is killed: at its first session it is far from its end, however late the kill is."""
SETTLED = b'"as":"settled"'
SERVERS_HERE = tuple(name for name in SERVERS if name != "semantic")


def match(arm: str, server: str = "", sessions: int = SESSIONS) -> Json:
    condition = {"augmentation": "memory", "arm": arm, **({"system": server} if server else {})}
    hands = 2 * CAREERS * sessions
    played = {"hands": hands, "careers": CAREERS, "condition": condition}
    return {"phase": 2, "game": "holdem", "a": "agent", "b": "foe", **played}


def plan_of(*servers: str, arms: tuple[str, ...] = ("real",), sessions: int = SESSIONS) -> Json:
    systems: Json = {server: {"kind": "memory", "server": server, "hits_max": 3} for server in servers}
    if "noisy" in systems:
        systems["noisy"]["noise_percent"] = 50
    return {
        "title": "A memory",
        "seats": {"agent": {"kind": "random"}, "foe": {"kind": "random", "patterns": ["folds_button_to_3bet"]}},
        "holdem": {"session_hands": 2},
        "systems": systems,
        "matches": [match("naked"), *(match(arm, server, sessions) for server in servers for arm in arms)],
    }


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


def bundle_of(run: Path) -> Path:
    return run.parents[1] / "bundles" / run.name


def verdict_of(run: Path) -> Verdict:
    return verify(bundle_of(run), Options())


@pytest.fixture(scope="module")
def every(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with every built-in server but `semantic`, whose weights are installed apart."""
    run = seal(commands, tmp_path_factory.mktemp("every"), plan=plan_of(*SERVERS_HERE))
    ended = start(commands, run).ended()
    assert ended.code == 0, ended
    return run


@pytest.mark.slow
def test_every_built_in_server_plays_a_run_that_verifies(every: Path) -> None:
    servers, run = SERVERS_HERE, every
    verdict = verdict_of(run)
    assert verdict.findings == []
    step = verdict.steps[Number.MEMORY - 1]
    careers = CAREERS * len(servers)
    assert (verdict.level, step.status) == ("V1", "pass")
    assert step.remark.startswith(f"{careers} stores began empty; {careers * SESSIONS} entries stored")
    pins = json.loads((run / "manifest.json").read_bytes())["memories"]
    assert {name: (pin["name"], pin["version"]) for name, pin in pins.items() if name != "noisy"} == {
        name: (name, "1") for name in servers if name != "noisy"
    }
    assert f"noisy is noisy 1, noise 50 percent (adapter {pins['noisy']['adapter_sha256'][:12]}, tools" in step.remark


@pytest.mark.slow
def test_every_built_in_system_answers_again_as_recorded(commands: Commands, every: Path, tmp_path: Path) -> None:
    ended = commands.run("memory", "replay", bundle_of(every), "--json", cwd=tmp_path)
    assert ended.code == 0, ended
    rows = json.loads(ended.out)
    assert [row["career"] for row in rows] == list(range(1, CAREERS * len(SERVERS_HERE) + 1))
    assert {row["system"] for row in rows} == set(SERVERS_HERE)
    assert all(row["asked"] > 2 * SESSIONS and not row["place"] for row in rows)


@pytest.mark.slow
def test_the_placebo_asks_what_the_memory_is_asked_and_tells_a_donors_notes(commands: Commands, tmp_path: Path) -> None:
    run = seal(commands, tmp_path, plan=plan_of("recent", arms=("placebo", "real")))
    finish(commands, run)
    assert verdict_of(run).level == "V1"
    asked = {name: data.count(b'"to":"memory_a"') for name, data in journals(run).items()}
    arms = ("naked", "placebo", "real")
    by_arm = {arm: sum(count for name, count in asked.items() if f"_{arm}" in name) for arm in arms}
    assert by_arm["naked"] == 0
    assert by_arm["placebo"] > 0
    assert by_arm["real"] > 0


@pytest.mark.slow
def test_the_placebos_of_own_entries_verify_and_a_memory_has_its_tier(commands: Commands, tmp_path: Path) -> None:
    own = {"recent": "shuffle", "history": "random_of_own"}
    plan = plan_of(*own, arms=("placebo",))
    for server, placebo in own.items():
        plan["systems"][server]["placebo"] = placebo
    run = seal(commands, tmp_path, plan=plan)
    finish(commands, run)
    verdict = verdict_of(run)
    assert verdict.level == "V1"
    assert verdict.lineages == {"history": Tier.VERBATIM, "recent": Tier.VERBATIM}
    assert "; lineage: history A verbatim, recent A verbatim; sealed: " in verdict.steps[Number.MEMORY - 1].remark


@pytest.mark.exhaustive
def test_a_run_with_a_memory_that_is_killed_again_and_again_comes_to_the_same_journals(
    commands: Commands, tmp_path: Path
) -> None:
    run = seal(commands, tmp_path, plan=plan_of("full_text", "consolidator"))
    claims, expected = uninterrupted(commands, run)
    whole, dice, kills = sum(data.count(b"\n") for data in expected.values()), Stream(b"memory under fire", "kills"), 0
    left = 0
    while kills < KILLS and entries(run) < whole * 9 // 10:
        running = played_so_far(commands, run, 1 + dice.below(whole // KILLS))
        kills += running.alive_after(0)
        running.kill()
        assert not running.left_behind()
        left += (run / MEMORY_DATA).exists()
    assert min(kills, left) > 0, "servers keep their files within the run's folder"
    assert finish(commands, run) == claims
    assert not (run / MEMORY_DATA).exists(), "what killed processes left there goes"
    assert journals(run) == expected


@pytest.mark.slow
def test_a_server_that_does_not_answer_as_recorded_stops_the_run_with_one_line(
    commands: Commands, tmp_path: Path
) -> None:
    """As if the run had been sealed and begun with another version of the server: nothing is silently replaced."""
    run = seal(commands, tmp_path, plan=plan_of("full_text", sessions=SESSIONS_LEFT))
    running = start(commands, run)
    wait_for(lambda: any(SETTLED in data for data in journals(run).values()))
    running.kill()
    path = next(path for path in (run / "journal").glob("*/*.jsonl") if SETTLED in path.read_bytes())
    lines = path.read_bytes().splitlines()
    at = next(number for number, line in enumerate(lines) if SETTLED in line)
    changed = lines[at].replace(b'"entries":1', b'"entries":2')
    assert changed != lines[at]
    path.write_bytes(b"\n".join([*lines[:at], changed, b""]))
    ended = start(commands, run).ended()
    assert ended.code == 4, ended
    assert "memory full_text: expected the recorded answer" in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.slow
def test_what_a_server_is_told_names_neither_seat_nor_match(commands: Commands, every: Path, tmp_path: Path) -> None:
    """The words of a search and of an entry are all that a server gets of a run."""
    found = commands.run(
        "show", bundle_of(every), "--game", "p2-holdem-memory_real_history-agent-foe-h0000005",
        "--prompts", "--json", cwd=tmp_path,
    )  # fmt: skip
    asked = [exchange["question"] for exchange in json.loads(found.out)["asked"]]
    told = [text for one in asked for name, text in one.items() if name in {"content", "query", "entry", "kind"}]
    assert told
    assert not any(name in text for text in told for name in ("agent", "foe", "p2-", "random"))
