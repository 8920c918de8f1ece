"""The first screen of `agzamov plan`: one line of totals, a line or two for each game, warnings; `run` warns alike."""

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.planning import plan_summary
from agzamov_harness.planning.forecast import MatchGroup
from agzamov_harness.planning.plan_warnings import plan_warnings
from agzamov_harness.run.plan_file import plan_from, read_plan
from agzamov_verify.scoring.inference.unit_values import ONE_CAREER

SEATS = {
    "model": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"},
    "random": {"kind": "random"},
    "opponent": {
        "kind": "openai",
        "base_url": "http://127.0.0.1:9/v1",
        "model": "m",
        "patterns": ["never_folds_pairs"],
    },
}
GATE = {"phase": 0, "game": "chess960", "a": "model", "b": "random"}
SELF_PLAY = {"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 4}
ARM = {"phase": 2, "game": "holdem", "a": "model", "b": "opponent", "hands": 1_500, "careers": 5}


def arm(name: str) -> dict[str, Any]:
    system = {} if name == "naked" else {"system": "notes"}
    return {**ARM, "condition": {"augmentation": "memory", "arm": name, **system}}


def tool_arm(name: str) -> dict[str, Any]:
    system = {} if name == "naked" else {"system": "calc"}
    return {**ARM, "condition": {"augmentation": "tools", "arm": name, **system}}


def wished(*matches: dict[str, Any], **changes: Any) -> dict[str, Any]:
    named = {match[side] for match in matches for side in ("a", "b")}
    systems = {"notes": {"kind": "memory", "server": "full_text"}} if any("condition" in one for one in matches) else {}
    value = {
        "title": "Try",
        "seats": {name: seat for name, seat in SEATS.items() if name in named},
        "systems": systems,
        "holdem": {"session_hands": 20},
        "matches": list(matches),
    }
    return {**value, **changes}


def planned(folder: Path, wish: dict[str, Any], *options: str) -> Result:
    path = folder / "plan.yaml"
    path.write_text(plain(wish))
    return CliRunner().invoke(main, ["plan", str(path), *options])


def plain(wish: dict[str, Any]) -> str:
    import yaml  # noqa: PLC0415

    return str(yaml.safe_dump(wish))


def test_the_first_line_is_what_the_run_takes(tmp_path: Path) -> None:
    told = planned(tmp_path, wished({**GATE, "games": 30}))
    assert told.exit_code == 0, told.output
    assert re.fullmatch(
        r"[\d,]+ calls · \d+\.\d M tokens · cost unknown \(add prices:\) · about \d+ min at 3 s a reply",
        told.output.splitlines()[0],
    )
    priced = planned(tmp_path, wished({**GATE, "games": 30}, prices={"model": {"input_usd": "1", "output_usd": "4"}}))
    assert re.search(r" tokens · \d+\.\d\d USD · about ", priced.output.splitlines()[0])


def test_the_time_says_how_long_a_reply_was_assumed_to_take_and_whether_that_is_a_guess(tmp_path: Path) -> None:
    """`init` said about 12 min, and `plan` of its plan about 7.3 h, without a word on why."""
    guess = planned(tmp_path, wished({**GATE, "games": 30})).output.splitlines()
    given = planned(tmp_path, wished({**GATE, "games": 30}), "--seconds-per-call", "0.6").output.splitlines()
    assert guess[0].endswith(" at 3 s a reply")
    assert guess[1] == "(3 s a reply is a guess; a measured speed: --seconds-per-call N, --reply-tokens N)"
    assert given[0].endswith(" at 0.6 s a reply")
    assert not any("guess" in line for line in given)
    scripted = {"model": {"kind": "reference"}, "random": {"kind": "random"}}
    gate = wished({**GATE, "games": 30}, seats=scripted, holdem={})
    first, second, *_ = planned(tmp_path, gate).output.splitlines()
    assert ("a reply" in first, second) == (False, ""), "nobody waits for a scripted player"


def test_tables_stand_behind_details(tmp_path: Path) -> None:
    short = planned(tmp_path, wished(arm("naked"), arm("real")))
    long = planned(tmp_path, wished(arm("naked"), arm("real")), "--details")
    assert "MDE" not in short.output
    assert "MDE" in long.output
    assert len(short.output.splitlines()) < 18
    assert short.output.splitlines()[0] == long.output.splitlines()[0]
    words = " ".join(short.output.split())
    assert re.search(
        r"memory by notes against none, 1,500 hands each: an effect below \d+ bb/100 would probably be missed", words
    )
    assert re.search(
        r"Next agzamov plan (\\ )?\S+ (\\ )?--details # all tables of this forecast"
        r" agzamov run (\\ )?\S+ # plays it$",
        words,
    )


def test_the_next_commands_are_of_the_small_profile_too_where_that_was_asked_for(tmp_path: Path) -> None:
    words = " ".join(planned(tmp_path, wished({**GATE, "games": 30}), "--small").output.replace("\\", " ").split())
    assert re.search(r"Next agzamov plan \S+ --small --details # .* agzamov run \S+ --small # plays it$", words)


@pytest.mark.parametrize(("budget", "is_warned"), [("0.5", True), ("1000", False), ("0", False)])
def test_a_budget_below_the_forecast_is_warned_of(budget: str, is_warned: bool, tmp_path: Path) -> None:
    priced = {"prices": {"model": {"input_usd": "1", "output_usd": "4"}}, "budget": {"cost_usd_max": budget}}
    words = " ".join(planned(tmp_path, wished({**GATE, "games": 30}, **priced)).output.split())
    assert (f"WARNING the budget of {budget} USD is less than the forecast of " in words) is is_warned


def test_the_tables_are_of_this_forecast(tmp_path: Path) -> None:
    """The command had lost what was assumed, so its tables were of another forecast."""
    assumed = ("--seconds-per-call", "0.1", "--effect", "chess=0.05")
    words = planned(tmp_path, wished({**GATE, "games": 30}), *assumed).output.replace("\\", " ").split()
    at = words.index("Next")
    assert words[at + 1 : at + 3] == ["agzamov", "plan"]
    assert words[at + 4 : at + 9] == [*assumed, "--details"]


def test_a_plan_that_can_show_nothing_is_warned_of_and_not_offered_to_be_played(tmp_path: Path) -> None:
    few = [{**one, "hands": 100, "careers": 1} for one in (arm("naked"), arm("real"))]
    words = " ".join(planned(tmp_path, wished(*few)).output.split())
    assert "WARNING this plan can show nothing, whatever the model does" in words
    assert " run " not in words.partition("Next")[2]


@pytest.mark.parametrize(
    ("hands", "told"), [(280, "14 sessions an arm, an interval needs 15"), (300, "an effect below")]
)
def test_where_units_are_too_few_for_an_interval_no_effect_is_promised(hands: int, told: str, tmp_path: Path) -> None:
    few = [{**one, "hands": hands, "careers": 0} for one in (tool_arm("naked"), tool_arm("real"))]
    wish = {**wished(*few), "systems": {"calc": {"kind": "tools", "candidates_max": 3}}}
    words = " ".join(planned(tmp_path, wish).output.split())
    assert told in words


def test_of_few_careers_an_effect_may_be_found_and_no_hypothesis_is_decided(tmp_path: Path) -> None:
    """It said that such a plan can show nothing; verify then said that the memory helped."""
    few = [{**one, "hands": 3_000, "careers": 3} for one in (arm("naked"), arm("real"))]
    words = " ".join(planned(tmp_path, wished(*few)).output.split())
    assert re.search(r"an effect below \d+ bb/100 would probably be missed at 1 %, one-sided; no hypothesis is", words)
    assert "no hypothesis is decided (3 careers, fewer than 5)" in words
    assert "can show nothing" not in words


def test_arms_that_may_end_early_are_not_promised_to_be_compared(tmp_path: Path) -> None:
    arms = [{**one, "hands": 1_500, "careers": 0} for one in (tool_arm("naked"), tool_arm("real"))]
    wish = {**wished(*arms), "systems": {"calc": {"kind": "tools", "candidates_max": 3}}}
    rule = {"match": "p2-holdem-tools_real_calc-model-opponent", "blocks_per_look": 5}
    told = " ".join(planned(tmp_path, {**wish, "analysis": {"sequential": [rule]}}).output.split())
    assert "tools by calc, 1,500 hands at most: no effect, since an arm may end early by its results." in told
    assert "WARNING this plan can show nothing" in told


def test_of_a_game_whose_spread_nobody_knows_it_is_not_said_that_it_can_show_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A game without a module `planning`: whether an effect would be found is not known before it is played."""
    plan = plan_from(wished(arm("naked"), arm("real")))
    group = MatchGroup(plan.matches, 5, (), "")
    assert not plan_summary._can_show(group, plan)
    monkeypatch.setattr(plan_summary, "PLANNINGS", {})
    assert plan_summary._can_show(group, plan)
    assert "is not known" in plan_summary._effect(group, plan)
    assert plan_summary._can_show(group._replace(careers=2), plan), "of two careers verify gives an interval"
    assert not plan_summary._can_show(group._replace(why_none=ONE_CAREER), plan)


def test_a_gate_that_can_never_be_passed_is_told_with_what_follows(tmp_path: Path) -> None:
    wish = wished({**GATE, "games": 4}, SELF_PLAY)
    words = " ".join(planned(tmp_path, wish).output.split())
    assert "this Phase 0 can never be passed: 4 wins of 4 games have p 0.0625" in words
    assert "so nothing after it is played" in words
    assert list(plan_warnings(plan_from(wished({**GATE, "games": 6}, SELF_PLAY)))) == []


def test_a_gate_before_nothing_stops_nothing() -> None:
    (warning,) = plan_warnings(plan_from(wished({**GATE, "games": 4})))
    assert "can never be passed" in warning
    assert "nothing after it" not in warning


def test_run_warns_of_it_before_a_server_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(plain(wished({**GATE, "games": 4}, SELF_PLAY)))
    ended = CliRunner().invoke(main, ["run", str(path), "--key", str(tmp_path / "none.pem")])
    assert ended.exit_code == 2
    assert ended.stderr.startswith("warning: p0-chess960-naked-model: this Phase 0 can never be passed")


def test_a_control_without_its_real_arm_is_told() -> None:
    alone = plan_from(wished(arm("naked"), arm("filler")))
    (warning,) = plan_warnings(alone)
    assert warning.endswith(
        "a control without the real arm of notes, so it controls nothing; add the same match with arm: real"
    )
    assert list(plan_warnings(plan_from(wished(arm("naked"), arm("filler"), arm("real"))))) == []


def test_a_real_arm_that_nothing_is_compared_with_is_told(tmp_path: Path) -> None:
    told = " ".join(planned(tmp_path, wished(arm("real"), arm("placebo"))).output.split())
    assert "memory by notes, 1,500 hands each: no effect, since nothing without it is played." in told
    assert "no match without notes, so this run alone shows no effect of it; add the same match with arm: naked" in told
    assert "WARNING this plan can show nothing, whatever the model does" in told
    told = " ".join(planned(tmp_path, wished(arm("real"), arm("naked"))).output.split())
    assert ("memory by notes against none, 1,500 hands each" in told, "no match without" in told) == (True, False)


def test_a_seat_and_a_system_that_no_match_names_are_told() -> None:
    seats = {name: SEATS[name] for name in ("model", "random")}
    unused = wished({**GATE, "games": 6}, systems={"notes": {"kind": "memory", "server": "fulltext"}})
    assert list(plan_warnings(plan_from({**unused, "seats": {**seats, "ghost": SEATS["model"]}}))) == [
        "seat ghost: no match names it, so it is neither checked nor played",
        "system notes: no match names it, so it is neither checked nor played",
    ]
    assert list(plan_warnings(plan_from({**unused, "systems": {}, "seats": seats}))) == []


def test_a_seat_without_a_price_is_named_where_others_have_one(tmp_path: Path) -> None:
    priced = wished(arm("naked"), arm("real"), prices={"model": {"input_usd": "1.5", "output_usd": "4"}})
    assert "cost unknown (add opponent to prices:)" in planned(tmp_path, priced).output


def test_a_sentence_of_several_groups_stands_once(tmp_path: Path) -> None:
    phase5 = Path(__file__).parents[2] / "manifests" / "phase5.yaml"
    words = " ".join(CliRunner().invoke(main, ["plan", str(phase5)]).output.split())
    assert words.count("Phase 5: 300 games each; what they can show: --details.") == 1


def test_a_protocol_in_draft_is_told_before_anything_is_sealed() -> None:
    people = read_plan(Path(__file__).parents[2] / "manifests" / "people-pilot.yaml")
    assert list(plan_warnings(people)) == [
        "protocol play-0.1 is a draft: a verifier of a later release may refuse this run's bundle"
    ]


def test_planted_questions_are_counted_in_the_first_line(tmp_path: Path) -> None:
    told = planned(tmp_path, wished({**GATE, "games": 30})).output
    assert re.search(r"^Planted +\d+ calls, .*counted in the\s+totals", told, re.MULTILINE)


def test_models_that_a_budget_does_not_count_are_named() -> None:
    """A budget beside a model without a price stops nothing, and nobody said so."""
    model = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
    matches = [{"phase": 1, "game": "chess960", "a": name, "b": name, "games": 30} for name in ("one", "two")]
    plan = {"title": "Budget", "seats": {"one": model, "two": {**model, "model": "n"}}, "matches": matches}
    priced = {**plan, "prices": {"one": {"input_usd": 3}}}
    limited = {**priced, "budget": {"cost_usd_max": "5"}}
    told = "the budget of 5 USD does not count two, without a price in prices"
    assert told in plan_warnings(plan_from(limited))
    both = {**limited, "prices": {name: {"input_usd": 3} for name in ("one", "two")}}
    assert not [line for one in (priced, both) for line in plan_warnings(plan_from(one)) if "budget" in line]
