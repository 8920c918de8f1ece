"""The full stack in a bundle: each part is checked as it is alone, and a run of Phases 2a to 2d yields H4."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_verify import bundle
from agzamov_verify.checks.check_log import Number, Status
from agzamov_verify.checks.seat_replies import Recomputed
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.cli import main
from agzamov_verify.core.questions import Answer, Calculate, Calculated, Chat, Hits, Question, Reply, Search
from agzamov_verify.plan.manifest import Plan
from bundles.bundle_factory import ALL_REPLIES, MODEL, check, failed_steps, make, told, world_of
from conditions import arms_of
from stack_world import CHESS, HANDS, PIN, PLAN, StackWorld, plan_of

CAREERS = {**HANDS, "hands": 16, "careers": 2}


def checked(folder: Path, lie: Callable[[Question, Answer], Answer] = lambda _, answer: answer) -> Verdict:
    """The check of a run in which `lie` changes answers of the world."""
    wished = plan_of(CAREERS)
    world, seats = StackWorld(), world_of(msgspec.convert(wished, Plan), None)

    def answer(question: Question) -> Answer:
        return lie(question, seats(question) if isinstance(question, Chat) else world(question))

    return check(make(wished, folder, answer, memories={"recent": PIN}), limits=ALL_REPLIES)


@pytest.mark.slow
def test_memory_tool_and_documents_of_a_full_stack_are_checked_and_shown(tmp_path: Path) -> None:
    verdict = checked(tmp_path)
    assert (verdict.level, verdict.recomputed) == ("V1", Recomputed.ALL), told(verdict)
    memory, tools = (verdict.steps[number - 1] for number in (Number.MEMORY, Number.TOOLS))
    assert (memory.status, tools.status) == (Status.PASS, Status.PASS)
    assert memory.remark.startswith("4 stores began empty; 8 entries stored")
    assert "recent is " in memory.remark
    assert tools.remark.startswith("all ")
    (manifest,) = tmp_path.glob(f"bundles/*/{bundle.MANIFEST_FILE}")
    place = [str(manifest.parents[1]), "--game", "p2-holdem-full_real_full-novice-habit-h0000007"]
    xrayed = CliRunner().invoke(main, ["xray", *place])
    assert xrayed.exit_code == 0, xrayed.output
    assert "remembered e00001, read 3 passages, said HANDS: " in xrayed.output
    shown = CliRunner().invoke(main, ["show", *place, "--prompts"])
    assert "== novice answers\n   By what I was told of this opponent.\n   HANDS: " in shown.output


@pytest.mark.slow
def test_one_tampered_entry_of_the_memory_is_found_by_its_audit(tmp_path: Path) -> None:
    done: list[str] = []

    def other_words(question: Question, answer: Answer) -> Answer:
        if done or not isinstance(question, Search) or not isinstance(answer, Hits) or not answer.hits:
            return answer
        done.append(question.game)
        hit = msgspec.structs.replace(answer.hits[0], content=f"{answer.hits[0].content}!")
        return Hits((hit, *answer.hits[1:]))

    verdict = checked(tmp_path, other_words)
    assert failed_steps(verdict) == [Number.MEMORY], told(verdict)
    assert done[0] in verdict.findings[0].place


@pytest.mark.slow
def test_one_tampered_equity_against_a_share_of_hands_is_found_at_its_entry(tmp_path: Path) -> None:
    done: list[str] = []

    def better(question: Question, answer: Answer) -> Answer:
        if done or not isinstance(question, Calculate) or not isinstance(answer, Calculated):
            return answer
        done.append(f"game {question.game} turn {question.turn}")
        assert question.hands_percent == 30
        return msgspec.structs.replace(answer, equity_permille=(answer.equity_permille + 1) % 1001)

    def of_models(question: Question) -> Answer:
        if isinstance(question, Chat) and "HANDS: <percent>" in question.messages[1].content:
            return Reply(text="HANDS: 30")
        return better(question, world(question))

    world = StackWorld()
    wished = plan_of(CAREERS, seats={"novice": MODEL, "habit": MODEL})
    verdict = check(make(wished, tmp_path, of_models, memories={"recent": PIN}), limits=ALL_REPLIES)
    assert failed_steps(verdict) == [Number.TOOLS], told(verdict)
    (finding,) = verdict.findings
    assert done[0] in finding.place
    assert "equity_permille" in finding.expected


@pytest.mark.slow
def test_other_hands_than_the_scripted_seat_would_say_are_found(tmp_path: Path) -> None:
    def narrow(question: Question, answer: Answer) -> Answer:
        is_asked = isinstance(question, Chat) and "HANDS: <percent>" in question.messages[1].content
        return msgspec.structs.replace(answer, text="HANDS: 30") if is_asked and isinstance(answer, Reply) else answer

    verdict = checked(tmp_path, narrow)
    assert failed_steps(verdict) == [Number.SEATS], told(verdict)
    assert "HANDS: " in verdict.findings[0].expected


class QuickWorld(StackWorld):
    """The same with a calculator that draws, since this run is not verified."""

    def __call__(self, question: Question) -> Answer:
        if isinstance(question, Calculate):
            return Calculated(990, question.seed % 1001, exact=True, price_permille=333)
        return super().__call__(question)


@pytest.mark.slow
def test_a_run_of_phases_2a_to_2d_yields_the_interaction_with_its_interval(tmp_path: Path) -> None:
    """H4's estimate is the full stack's delta less those of its parts, as the figures of the eight arms have them."""
    systems = {"memory": "recent", "tools": "tool", "rag": "basics", "full": "full"}
    arms = [
        {**condition, "system": systems[name]} if "system" in condition else condition
        for name in systems
        for arm, condition in arms_of(name).items()
        if arm != "placebo"
    ]
    sizes: tuple[dict[str, Any], ...] = ({**CHESS, "games": 150, "careers": 5}, {**HANDS, "hands": 150, "careers": 5})
    wished = {
        **PLAN,
        "chess960": {"adjudication": {"policy": "material", "threshold_points": 1, "plies": 1}, "plies_max": 12},
        "holdem": {"session_hands": 2},
        "matches": [{**size, "condition": condition} for size in sizes for condition in arms],
    }
    made = make(wished, tmp_path, QuickWorld())
    analysis = json.loads((made / bundle.ANALYSIS_FILE).read_bytes())
    (verdict,) = (one for one in analysis["hypotheses"] if one["id"] == "H4")
    assert verdict["p"]
    rows = [row for row in analysis["tests"] if row["hypothesis"] == "H4"]
    assert [row["name"] for row in rows] == [f"full less the sum of the parts, {game}" for game in ("chess", "poker")]
    for row, game, figure in zip(rows, ("chess960", "holdem"), ("win_rate", "bb_per_100"), strict=True):
        played = [one for one in analysis["matches"] if one["game"] == game]
        parts = [signed(one["id"], Fraction(one[figure]["everything"]["value"]["exact"])) for one in played]
        estimate = row["estimate"]
        assert len(parts) == 8
        assert any(parts)
        assert Fraction(estimate["value"]["exact"]) == sum(parts)
        assert (estimate["n"], estimate["over"], row["test"]["n"]) == ([5], "careers", [5])
        assert float(estimate["ci"]["low"]) < sum(parts) < float(estimate["ci"]["high"])
        assert 0 <= float(row["test"]["p"]) <= 1


def signed(match: str, figure: Fraction) -> Fraction:
    """The figure of an arm as it counts in the interaction."""
    return figure if ("-full_" in match) == ("_real_" in match) else -figure
