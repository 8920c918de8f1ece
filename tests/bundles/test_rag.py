"""Retrieval in a bundle: passages are found again, and one that was told in the place of another is found and named."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_verify.checks.check_log import CheckLog, Number
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.replay_stream import exchanges_of
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.cli import main
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat
from agzamov_verify.core.script import drive
from agzamov_verify.documents import library
from agzamov_verify.documents import library as document_sets
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.systems import rag_system
from bundles.bundle_factory import check, failed_steps, make, told, world_of
from conditions import arms_of

ARMS = arms_of("rag")
CHESS: dict[str, Any] = {"phase": 2, "game": "chess960", "a": "novice", "b": "novice", "games": 2}
HANDS: dict[str, Any] = {"phase": 2, "game": "holdem", "a": "novice", "b": "novice", "hands": 10, "block_hands": 10}


def plan(*matches: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "title": "Retrieval",
        "seats": {"novice": {"kind": "novice"}},
        "systems": {"rag": {"kind": "rag"}},
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 8},
        "holdem": {"session_hands": 10},
        "matches": [{**match, "condition": condition} for match in matches for condition in ARMS.values()],
        **changes,
    }


def test_a_run_with_documents_is_verified_and_shows_what_was_told(tmp_path: Path) -> None:
    made = make(plan(CHESS, HANDS), tmp_path)
    verdict = check(made)
    assert verdict.level == "V1", told(verdict)
    assert counts_by_hand(made, verdict) == verdict.steps[Number.REPLAY - 1].remark
    assert not [warning for warning in verdict.warnings if "no passage was told" in warning]
    for game in ("p2-chess960-rag_real_rag-novice-g00000", "p2-holdem-rag_placebo_rag-novice-h0000000"):
        done = CliRunner().invoke(main, ["show", str(made), "--game", game, "--prompts"])
        assert done.exit_code == 0, done.output
        assert "Passages of your documents:" in done.output


def counts_by_hand(made: Path, verdict: Verdict) -> str:
    """The remark of step 7, from the prompts that the journal's questions are made of."""
    opened, parts = open_bundle(made, CheckLog()), []
    assert verdict.results
    for match, result in zip(opened.manifest.plan.matches, verdict.results.matches, strict=True):
        asked = [question for one in streams_of(match) for question, _ in exchanges_of(opened, one)]
        by_decision = {(one.game, one.turn): str(one.messages[1].content) for one in asked if isinstance(one, Chat)}
        lines = [text.count("\n- ") for text in by_decision.values() if "Passages of your documents:" in text]
        if match.condition.system:
            decisions = result.seat_stats[0].decisions
            parts.append(f"{match.id} {len(lines):,} of {decisions:,} decisions, {sum(lines):,} passages")
        else:
            assert not lines
    return f"passages told before: {'; '.join(parts)}"


def test_documents_of_which_nothing_is_told_are_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library.Library, "told", lambda *_: "")
    verdict = check(make(plan(HANDS), tmp_path))
    assert verdict.level == "V1", told(verdict)
    warned = [warning for warning in verdict.warnings if "no passage was told at any of" in warning]
    assert [warning.partition(":")[0] for warning in warned] == [
        "p2-holdem-rag_placebo_rag-novice",
        "p2-holdem-rag_real_rag-novice",
    ]


def test_one_changed_byte_of_a_document_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(plan(HANDS), tmp_path)
    shipped = document_sets.documents

    def changed(name: str) -> Mapping[str, str]:
        return {game: text.replace("beginners", "Beginners") for game, text in shipped(name).items()}

    monkeypatch.setattr(rag_system, "documents", changed)
    verdict = check(made)
    assert verdict.level == "V0"
    assert any("prompts_sha256" in finding.place for finding in verdict.findings), told(verdict)


def test_passages_found_by_embeddings_are_found_again_and_one_changed_vector_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(plan(HANDS, systems={"rag": {"kind": "rag", "retriever": "embeddings"}}), tmp_path)
    verdict = check(made)
    assert verdict.level == "V1", told(verdict)
    shipped = document_sets.vectors_file

    def changed(name: str, game: str) -> str:
        return shipped(name, game).replace('"button": "', '"button": "AA', 1)

    monkeypatch.setattr(rag_system, "vectors_file", changed)
    verdict = check(made)
    assert verdict.level == "V0"
    assert any("prompts_sha256" in finding.place for finding in verdict.findings), told(verdict)


@pytest.mark.parametrize("arm", ["real", "placebo"])
def test_another_passage_than_was_found_diverges_at_its_entry(
    arm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A harness that tells another passage once makes a whole bundle of it: the replay finds the right one again."""
    honest, calls = library.Library.told, []

    def other_once(self: library.Library, *given: Any) -> str:
        text = honest(self, *given)
        if self.is_placebo != (arm == "placebo"):
            return text
        calls.append(text)
        return text.replace("- ", "- Fold. ", 1) if len(calls) == 2 else text

    with monkeypatch.context() as patched:
        patched.setattr(library.Library, "told", other_once)
        made = make(plan(HANDS), tmp_path)
    verdict = check(made)
    assert failed_steps(verdict), told(verdict)
    assert f"p2-holdem-rag_{arm}_rag-novice-b00000" in verdict.findings[0].place
    assert " entry " in verdict.findings[0].place


# --- the positive control ------------------------------------------------------------------------


def played(wished: dict[str, Any], count: Callable[[int, Any], int]) -> dict[str, int]:
    """By arm the sum of seat A's results, played by the plan's own seats."""
    planned, found = msgspec.convert(wished, Plan), {}
    for arm, match in zip(ARMS, planned.matches, strict=True):
        world = world_of(planned, None)
        blocks = [drive(block_script(one, planned, Dice(bytes(32))), world) for one in streams_of(match)]
        found[arm] = sum(count(number, record) for block in blocks for number, record in enumerate(block.records))
    return found


@pytest.mark.slow
def test_documents_are_worth_much_to_a_novice_of_holdem_and_their_placebo_nothing() -> None:
    wished = plan({**HANDS, "hands": 200, "block_hands": 200})
    chips = played(wished, lambda number, record: record.net_chips * (1 if number % 2 == 0 else -1))
    assert chips["real"] - chips["naked"] > 20_000
    assert chips["placebo"] == chips["naked"]


@pytest.mark.slow
def test_documents_are_worth_much_to_a_novice_of_chess_and_their_placebo_nothing() -> None:
    rules = {"adjudication": {"policy": "material", "threshold_points": 3, "plies": 4}, "plies_max": 60}
    wished = plan({**CHESS, "games": 16, "block_games": 16}, chess960=rules)

    def of_a(number: int, record: Any) -> int:
        white: int = record.ending.white_halfpoints
        return white if number % 2 == 0 else 2 - white

    points = played(wished, of_a)
    assert points["real"] >= 26
    assert max(points["placebo"], points["naked"]) <= 22
