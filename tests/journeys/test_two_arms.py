"""Two arms of Phase 2 from a plan to the score and the matrix: every label of the plan arrives there."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.run.plan_file import read_plan
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Evaluation, Question, Reply
from agzamov_verify.core.script import Exchanges
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, PROFILE
from agzamov_verify.table.scripted_players import scripted_reply
from bundles.bundle_factory import gates

MANIFEST = Path(__file__).parents[2] / "manifests" / "two-arms.yaml"
SMALLER = (
    ("games: 30", "games: 10"),
    ("games: 40", "games: 4"),
    ("games: 150", "games: 4"),
    ("hands: 1500", "hands: 1200"),
    ("hands: 2000", "hands: 200"),
    ("hands: 3750", "hands: 200"),
    ("careers: 5", "careers: 2"),
)
RUNS_MAX = 5
REAL, CONTROL = "memory_real_oracle", "memory_naked"


def written(folder: Path, *changes: tuple[str, str]) -> Path:
    text = MANIFEST.read_text()
    for old, new in (*SMALLER, *changes):
        assert old in text
        text = text.replace(old, new)
    path = folder / "plan.yaml"
    path.write_text(text)
    return path


def agzamov(*arguments: str | Path, code: int = 0) -> str:
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first of a few runs in which the reference player passes Phase 0: in poker one of hundreds does not."""
    folder = tmp_path_factory.mktemp("two arms")
    agzamov("keygen", folder / "key.pem")
    where = ("--key", folder / "key.pem", "--runs", folder / "runs", "--out", folder / "bundles")
    for _ in range(RUNS_MAX):
        bundle = Path(agzamov("run", written(folder), *where).splitlines()[-1].removeprefix("bundle: "))
        if set(gates(bundle).values()) == {"passed"}:
            return bundle
    raise AssertionError(f"none of {RUNS_MAX} runs passed Phase 0")


@pytest.mark.slow
def test_both_arms_reach_score_and_matrix(bundle: Path) -> None:
    score = json.loads(agzamov("score", bundle, "--augmentation", "memory", "--json"))
    (one,) = score["scores"]
    assert (one["augmentation"], one["system"], one["missing"]) == ("memory", "oracle", [])
    assert one["score"] is not None
    assert set(one["n"]) == {
        f"{cell}, {game}" for cell in ("baseline", "control", "real") for game in ("chess960", "holdem")
    }
    matrix = json.loads(agzamov("matrix", bundle, "--json"))["matrix"]
    columns = {(entry["game"], entry["column"]): entry["delta"] for entry in matrix["entries"]}
    assert set(columns) == {
        (game, column) for game in ("chess960", "holdem") for column in ("naked", "memory (oracle)")
    }
    assert all((delta is None) is (column == "naked") for (_, column), delta in columns.items())
    assert [(delta["over"], delta["n"]) for delta in columns.values() if delta] == [("careers", [2])] * 2


@pytest.mark.slow
def test_the_first_screen_names_the_arm(bundle: Path) -> None:
    screen = agzamov("verify", bundle)
    told = " ".join(screen.split())
    assert "without memory (control) and with memory by oracle" in told
    oracle = "facts about the opponent that the submitter wrote (oracle, an oracle)"
    assert f"No result for {oracle} in Chess960: careers of 1 start played with both colours, fewer than 15" in told
    assert "level V1" in told
    starts = [line[: line.find(",")] for line in screen.splitlines() if line.startswith("Phase 2 ")]
    assert starts == ["Phase 2 without memory"] * 2 + ["Phase 2 with memory"] * 2  # the rest wraps beside wide figures


def test_prompts_of_the_arms_differ_in_the_told_text_alone() -> None:
    plan = read_plan(MANIFEST)
    facts = plan.systems["oracle"].facts
    for game in ("chess960", "holdem"):
        real, control = (first_prompts(plan, game, arm) for arm in (REAL, CONTROL))
        assert any(f"{PROFILE}{facts}" in text for text in real)
        assert [text.replace(facts, NOTHING_REMEMBERED) for text in real] == control


def by_situation(question: Question) -> Answer:
    """A random player's answer that follows from the situation alone, the same in both arms."""
    if isinstance(question, Chat):
        return Reply(text=scripted_reply("random", question.messages, 0))
    return Evaluation(0, None)


def first_prompts(plan: Plan, game: str, arm: str) -> list[str]:
    """The messages of the first decisions of a match, whoever is asked."""
    match = next(match for match in plan.matches if f"-{game}-{arm}-" in match.id)
    story = Exchanges(block_script(StreamPlan("s", match, 0, 2), plan, Dice(bytes(32))), by_situation)
    return [
        m.content
        for (question, _), _ in zip(story, range(12), strict=False)
        if isinstance(question, Chat)
        for m in question.messages
    ]


CASES: list[tuple[tuple[str, str], str]] = [
    (("arm: real, system: oracle", "arm: real, system: nobody"), "expected one of the systems oracle"),
    (("arm: real, system: oracle", "arm: real"), "expected one of the systems oracle"),
    (
        ("{augmentation: memory}", "{augmentation: memory, system: oracle}"),
        "in the naked arm a seat has its prompt alone",
    ),
    (("augmentation: memory, arm: real", "augmentation: tools, arm: real"), "expected memory with system oracle"),
    (("arm: real, system: oracle", "arm: placebo, system: oracle"), "systems.oracle.placebo: expected"),
    (
        ("b: reference, games: 4", "b: reference, games: 4, condition: {augmentation: memory}"),
        "expected none in Phase 1",
    ),
    (("{phase: 2, game: chess960", "{phase: 4, game: chess960"), "expected one of 0, 1, 2, 3, 5, found 4"),
    (
        (
            "b: opponent, games: 4, careers: 2, condition: {augmentation: memory}",
            "b: random, games: 4, careers: 2, condition: {augmentation: memory}",
        ),
        "Phase 2 compares a model with itself",
    ),
]


@pytest.mark.parametrize(("change", "words"), CASES, ids=[words for _, words in CASES])
def test_a_wrong_condition_is_one_line(change: tuple[str, str], words: str, tmp_path: Path) -> None:
    told: Any = agzamov("plan", written(tmp_path, change), code=2)
    assert words in " ".join(told.split())
