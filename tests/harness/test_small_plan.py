"""The small profile of a plan: the same design, few games, no model, no cost."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.run.plan_file import plan_from, read_plan, small
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.seats import RandomSeat, ReferenceSeat
from agzamov_verify.systems.tools_system import ToolsSystem

MANIFESTS = Path("manifests")
MODEL = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}


def wished(**changes: Any) -> dict[str, Any]:
    memory = {"augmentation": "memory", "arm": "real", "system": "notes"}
    match = {"phase": 2, "a": "model", "b": "habit", "careers": 5, "condition": memory}
    shifts = [{"after": 50, "patterns": []}]
    value: dict[str, Any] = {
        "title": "Large",
        "seats": {
            "model": {**MODEL, "briefing": "Play well."},
            "warm": {**MODEL, "briefing": "Play well.", "temperature": "0.3"},
            "warm_habit": {**MODEL, "temperature": "0.3", "patterns": ["castles_early"]},
            "habit": {**MODEL, "patterns": ["castles_early"]},
            "dice": {"kind": "random"},
        },
        "systems": {
            "notes": {"kind": "memory", "server": "full_text", "use": "model", "calls_max": 3},
            "tools": {"kind": "tools", "nodes": 50_000},
        },
        "prices": {"model": {"input_usd": "3"}},
        "budget": {"cost_usd_max": "10"},
        "quality": {"nodes": 50_000},
        "matches": [
            {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 30},
            {"phase": 0, "game": "holdem", "a": "model", "b": "dice", "hands": 3000},
            {**match, "game": "chess960", "games": 500, "shifts": shifts},
            {**match, "game": "holdem", "hands": 10_000},
            {**match, "a": "warm", "b": "warm_habit", "game": "chess960", "games": 500, "shifts": shifts},
        ],
    }
    return {**value, **changes}


def small_of(**changes: Any) -> Plan:
    return small(plan_from(wished(**changes)))


def test_models_become_reference_players_that_keep_their_patterns() -> None:
    plan = small_of()
    assert plan.seats == {
        "model": ReferenceSeat((), "Play well."),
        "habit": ReferenceSeat(plan_from(wished()).seats["habit"].patterns),
        "dice": RandomSeat(),
    }
    assert (plan.title, plan.prices, plan.budget.cost_usd_max, plan.repeats) == ("Large (small)", {}, "0", {})


def test_matches_keep_their_design_in_few_games() -> None:
    large, plan = plan_from(wished()), small_of()
    assert [match.id for match in plan.matches] == [match.id for match in large.matches if match.measured != "warm"]
    assert [match.careers for match in plan.matches] == [0, 0, 2, 2]
    pairs = list(zip(plan.matches, large.matches, strict=False))
    assert all(match.planned < before.planned for match, before in pairs if match.phase)
    assert [match.planned for match in plan.matches if not match.phase] == [30, 80 * 50], "luck stops nothing"
    few, many = ((one.shifts[0].after, one.planned // one.careers) for one in (plan.matches[2], large.matches[2]))
    assert few[0] / few[1] == many[0] / many[1]


def test_tools_search_little_and_no_model_calls_them() -> None:
    plan = small_of()
    assert (plan.systems["notes"].way_of_use, plan.systems["notes"].needs_tool_calls) == ("harness", False)
    assert (plan.quality.nodes, plan.engine.nodes) == (1_000, 1_000)
    tools = plan.systems["tools"]
    assert isinstance(tools, ToolsSystem)
    assert tools.nodes == load_protocol(plan.protocol).tools.nodes_min
    assert plan.rules_of("chess960").adjudication.policy.value == "material"


def test_what_is_smaller_already_stays_as_it_is() -> None:
    once = small_of()
    assert small(once).matches == once.matches


def test_a_profile_that_cannot_be_played_is_refused_with_its_place() -> None:
    """Two shifts that are one game apart fall together."""
    close = [{"after": 300, "patterns": []}, {"after": 301, "patterns": ["castles_early"]}]
    matches = wished()["matches"]
    matches[2] = {**matches[2], "careers": 1, "shifts": close}
    matches[3] = {**matches[3], "careers": 1}
    matches[4] = {**matches[4], "careers": 1, "shifts": close}
    with pytest.raises(ManifestError, match=r"its small profile cannot be played: matches\[2\]\.shifts\[1\]\.after"):
        small_of(matches=matches)


def test_a_small_session_is_no_longer_than_the_plans_own() -> None:
    hands = {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": 8, "block_hands": 4}
    plan = small_of(holdem={"session_hands": 4}, matches=[hands], quality={"nodes": 0})
    assert (plan.rules_of("holdem").session_hands, plan.matches[0].planned) == (4, 8)


@pytest.mark.parametrize("path", sorted(MANIFESTS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_ready_plan_has_a_small_profile(path: Path) -> None:
    plan = read_plan(path)
    assert not any(seat.is_model for seat in small(plan).seats.values())


def test_the_commands_take_it(tmp_path: Path) -> None:
    told = CliRunner().invoke(main, ["plan", str(MANIFESTS / "endpoint.yaml"), "--small"])
    assert (told.exit_code, "(small)" in told.output, "0.00 USD" in told.output) == (0, True, True)
    key = tmp_path / "key.pem"
    assert CliRunner().invoke(main, ["keygen", str(key)]).exit_code == 0
    arguments = ["seal", str(MANIFESTS / "two-arms.yaml"), "--small", "--key", str(key), "--runs", str(tmp_path)]
    sealed = CliRunner().invoke(main, arguments)
    assert sealed.exit_code == 0, sealed.output
    manifest = next(tmp_path.glob("*/manifest.json")).read_text()
    assert '"title":"Two arms (small)"' in manifest
