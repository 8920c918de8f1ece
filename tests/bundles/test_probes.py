"""Probes in a bundle: judged, mated, and refused where an answer was changed afterwards."""

from pathlib import Path
from typing import Any

import pytest

from agzamov_verify import bundle
from agzamov_verify.checks.steps import Options
from agzamov_verify.core.questions import Chat, Question, Reply
from agzamov_verify.experiment.matches import Augmentation
from agzamov_verify.games.chess.probe_positions import probe_of
from agzamov_verify.games.chess.stress_positions import position_of
from agzamov_verify.games.chess.who_stands_better import Better, judgement_line
from agzamov_verify.scores.collected_bundles import collect
from agzamov_verify.scores.score_report import score_document
from agzamov_verify.table.prompt_lines import labelled, read_page
from bundles.bundle_factory import Draft, check, entries, make, retell, told

MATCH = {"phase": 5, "game": "chess960", "a": "agent", "b": "agent", "games": 4, "condition": {"augmentation": "rag"}}
PLAN: dict[str, Any] = {
    "title": "Probes",
    "seats": {"agent": {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m"}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 4, "prompt": "legal_moves"},
    "analysis": {"hypotheses": ["E6", "draft-H15"]},
    "matches": [{**MATCH, "positions": positions} for positions in ("severe", "mate", "won")],
}
SEVERE = "p5-chess960-rag_naked-severe-agent"


def evaluates_and_mates_in_one(question: Question) -> Reply:
    """A model that knows who stands better, plays a proven first move, and else the first legal move."""
    assert isinstance(question, Chat)
    page = read_page(question.messages)
    fen = labelled(page, "FEN")
    position, probe = position_of(fen), probe_of(fen)
    if "BETTER" in question.messages[0].content:
        assert position
        return Reply(text=judgement_line(Better.BLACK if position.worse == "white" else Better.WHITE))
    proven = probe.proof[0].split()[0] if probe and probe.proof else ""
    return Reply(text=f"MOVE: {proven or labelled(page, 'Legal moves').split()[0]}")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(PLAN, tmp_path_factory.mktemp("probes"), evaluates_and_mates_in_one)


def test_a_run_with_probes_is_verified_and_scored(made: Path) -> None:
    verdict = check(made)
    assert verdict.level == "V1", told(verdict)
    assert verdict.analysis
    figures = {one.id: one.probes for one in verdict.analysis.matches}
    evaluation = figures[SEVERE]["evaluation"]
    assert (evaluation.n, evaluation.value.decimal) == ((2,), "1.000000")
    assert set(figures["p5-chess960-rag_naked-mate-agent"]) == {"calculation"}
    assert figures["p5-chess960-rag_naked-won-agent"]["efficiency"].value.decimal == "0.000000"
    tests = {row.hypothesis: row for row in verdict.analysis.tests}
    assert "E6" in tests


def test_a_score_has_the_answers_to_probes_too(made: Path) -> None:
    collected = collect([made], Options(None, "no engine is needed", 1))
    verdict = check(made)
    assert verdict.analysis
    told_by_run = [row.test.p for row in verdict.analysis.tests if row.hypothesis == "E6"]
    document = score_document(collected, Augmentation.RAG)
    assert [row.test.p for row in document.tests if row.hypothesis == "E6"] == told_by_run != []


def test_a_judgement_that_was_turned_round_afterwards_changes_the_figures_and_is_refused(
    made: Path, tmp_path: Path
) -> None:
    """The journal is told again with the other side, whole and chained: the figures are no longer its own."""
    draft, stream = Draft.of(made), f"{SEVERE}-b00000"
    story = entries(draft, stream)
    at = next(index for index, entry in enumerate(story) if "BETTER" in getattr(entry.answer, "text", ""))
    other = "black" if "white" in story[at].answer.text else "white"  # type: ignore[union-attr]
    changed = Reply(text=f"BETTER: {other}")
    story[at] = type(story[at])(
        **{**{name: getattr(story[at], name) for name in story[at].__struct_fields__}, "answer": changed}
    )
    retell(draft, stream, story)
    verdict = check(draft.write(tmp_path / "b"))
    assert verdict.level == "V0"
    assert bundle.ANALYSIS_FILE in told(verdict)
