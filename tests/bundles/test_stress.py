"""Phase 5 in a bundle: played from the shipped positions, scored by their class, and refused with one defect."""

from pathlib import Path
from typing import Any

import pytest

from agzamov_verify import bundle
from agzamov_verify.scoring.units.cells import CellKey
from bundles.bundle_factory import Draft, check, make, replace_manifest, reseal, told
from conditions import arms_of

GAMES = 4
ARMS = [condition for arm, condition in arms_of("rag").items() if arm != "placebo"]


def match(positions: str, condition: dict[str, str]) -> dict[str, Any]:
    played = {"phase": 5, "game": "chess960", "a": "novice", "b": "novice", "games": GAMES, "positions": positions}
    return {**played, "condition": condition}


PLAN: dict[str, Any] = {
    "title": "Positions",
    "seats": {"novice": {"kind": "novice"}},
    "systems": {"rag": {"kind": "rag"}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 6},
    "matches": [match(positions, condition) for positions in ("equal", "slight", "severe") for condition in ARMS],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(PLAN, tmp_path_factory.mktemp("stress"))


def test_a_run_of_phase_5_is_verified_and_its_figures_are_of_the_worse_side(made: Path) -> None:
    verdict = check(made)
    assert verdict.level == "V1", told(verdict)
    assert verdict.analysis
    by_id = {figures.id: figures for figures in verdict.analysis.matches}
    assert by_id["p5-chess960-rag_naked-equal-novice"].stress is None
    for part in ("slight", "severe"):
        stress = by_id[f"p5-chess960-rag_real_rag-{part}-novice"].stress
        assert stress.survival_index.n == stress.recovery.n == (GAMES // 2,)
        assert stress.recovery.value.decimal == "1.000000"
        assert stress.survived_moves.value.decimal == "100.000000"
        assert stress.pressure_loss_centipawns is None


def test_cells_have_the_class_as_their_part(made: Path) -> None:
    draft = Draft.of(made)
    parts = {row["part"] for row in draft.json(bundle.RESULTS_FILE)["matches"]}
    assert parts == {"equal", "slight", "severe"}
    assert str(CellKey("m", "chess960", 5, part="slight")) == "m chess960 phase 5 slight naked/naked"


def tampered(made: Path, folder: Path, change: Any) -> str:
    draft = Draft.of(made)
    change(draft)
    reseal(draft)
    verdict = check(draft.write(folder))
    assert verdict.level == "V0"
    return told(verdict)


def test_a_class_that_was_changed_after_the_games_is_refused(made: Path, tmp_path: Path) -> None:
    def change(draft: Draft) -> None:
        def other(value: dict[str, Any]) -> None:
            value["plan"]["matches"][2]["positions"] = "severe"
            value["plan"]["matches"][4]["positions"] = "slight"

        replace_manifest(draft, other)

    assert "p5-chess960-rag_naked-severe-novice" in tampered(made, tmp_path / "b", change)


def test_a_survival_that_is_only_claimed_is_refused(made: Path, tmp_path: Path) -> None:
    def change(draft: Draft) -> None:
        analysis = draft.json(bundle.ANALYSIS_FILE)
        analysis["matches"][2]["stress"]["survival_index"]["value"]["decimal"] = "50"
        draft.put_json(bundle.ANALYSIS_FILE, analysis)

    assert bundle.ANALYSIS_FILE in tampered(made, tmp_path / "b", change)


def test_one_changed_position_of_the_shipped_file_is_refused(made: Path, tmp_path: Path) -> None:
    """A manifest that was sealed with another file of positions is not of this verifier."""

    def change(draft: Draft) -> None:
        replace_manifest(draft, lambda value: value["prompts_sha256"].update({"chess960/stress_positions": "0" * 64}))

    assert "prompts_sha256" in tampered(made, tmp_path / "b", change)
