"""Several bundles as one body of evidence, from verified cells to the printed score."""

import json
from fractions import Fraction

import msgspec
import pytest

from agzamov_verify import canon
from agzamov_verify.analysis_plan import AnalysisPlan
from agzamov_verify.analysis_plan import HypothesisId as Id
from agzamov_verify.manifest import Manifest, Plan
from agzamov_verify.protocol import protocol_sha256
from agzamov_verify.scores.collecting import CannotCombine, Collected, Source, Taken, combine, declared_by_all, seeds_of
from agzamov_verify.scores.documents import calibration_document, matrix_document, score_document
from agzamov_verify.scores.text import calibration_lines, matrix_lines, score_lines
from agzamov_verify.scoring.agzamov.cells import Augmentation, Cell, CellKey
from agzamov_verify.scoring.hypotheses.verdicts import Status
from verify.agzamov.generator import CHESS, POKER, World, arms, cell

FULL, MEMORY = Augmentation.FULL, Augmentation.MEMORY
MODELS = {"a": World(win=0.5, mean=30), "b": World(win=0.6, mean=80), "c": World(win=0.75, draw=0.2, mean=180)}
DIGEST = "0" * 64


def manifest(**changes: object) -> Manifest:
    plan = msgspec.convert({"title": "t", "seats": {}, "matches": []}, Plan)
    pinned = protocol_sha256("agz-0.1")
    whole = Manifest("agz-manifest-2", plan, pinned, {}, None, DIGEST, DIGEST, "0" * 32)
    return msgspec.structs.replace(whole, **changes)


def taken(run: str, cells: list[Cell], not_checked: tuple[str, ...] = (), **changes: object) -> Taken:
    return Taken(manifest(**changes), Source(run, "V1", not_checked), cells)


def of_model(model: str, augmentation: Augmentation = FULL) -> list[Cell]:
    """Phase 0, Phase 1 and one sub-phase of a model."""
    random = World(win=0.7, draw=0.2, mean=100)
    alone = [
        cell(CellKey(model, game, phase), world)
        for game in (CHESS, POKER)
        for phase, world in ((0, random), (1, World()))
    ]
    return alone + arms(MODELS[model], model=model, augmentation=augmentation)


@pytest.fixture(scope="module")
def collected() -> Collected:
    return combine([taken(f"run-{model}", of_model(model), ("engine",)) for model in MODELS])


def test_every_model_has_a_score_with_an_interval(collected: Collected) -> None:
    document = score_document(collected, FULL)
    assert [one.model for one in document.scores] == ["a", "b", "c"]
    values = [Fraction(one.score.exact) for one in document.scores if one.score]
    assert values == sorted(values)
    for one in document.scores:
        assert one.score is not None
        assert one.ci is not None
        assert float(one.ci.low) <= float(one.score.decimal) <= float(one.ci.high)


def test_hypotheses_are_tested_on_all_bundles_together(collected: Collected) -> None:
    found = {one.id: one for one in score_document(collected, FULL).hypotheses}
    assert found[Id.H1].status is Status.SUPPORTED
    assert found[Id.H2].status is Status.NOT_TESTED


def test_the_order_in_which_bundles_are_named_changes_nothing(collected: Collected) -> None:
    again = combine([taken(f"run-{model}", of_model(model), ("engine",)) for model in reversed(MODELS)])
    assert canon.dumps(score_document(again, FULL)) == canon.dumps(score_document(collected, FULL))


def test_another_column_is_labelled_and_the_headline_then_has_nothing_to_go_by() -> None:
    memory = combine([taken("run", of_model("a", MEMORY))])
    (column,) = score_document(memory, MEMORY).scores
    (headline,) = score_document(memory, FULL).scores
    assert (column.label, column.score is None) == ("A(memory)", False)
    assert (headline.label, headline.score) == ("A", None)
    assert any("phase 2 full/real" in line for line in headline.missing)


def test_levels_and_what_was_not_checked_stand_at_the_head(collected: Collected) -> None:
    lines = list(score_lines(score_document(collected, FULL)))
    assert lines[0] == "run run-a: V1, NOT CHECKED: engine"
    assert any(line.startswith("A of a with s: ") for line in lines)
    assert any(line.startswith("  convergence") for line in lines)


def test_the_matrix_and_the_calibration_can_be_printed_and_written(collected: Collected) -> None:
    matrix, calibration = matrix_document(collected), calibration_document(collected, FULL)
    for document in (matrix, calibration):
        assert json.loads(canon.dumps(document))["protocol"] == "agz-0.1"
    assert any("tokens and" in line for line in matrix_lines(matrix))
    lines = list(calibration_lines(calibration))
    assert any(line.startswith("delta_max_win_rate") and "no value" not in line for line in lines)
    assert lines[-1].startswith("order of left-out scores")
    assert calibration.weights is not None
    assert sum(Fraction(one.weight) for one in calibration.weights.components) == 1


def test_bundles_of_two_protocol_versions_are_refused() -> None:
    parts = [taken("one", of_model("a")), taken("two", of_model("b"), protocol_sha256="f" * 64)]
    with pytest.raises(CannotCombine, match=r"expected bundles of one protocol version, found agz-0\.1 "):
        combine(parts)


def test_a_cell_from_two_bundles_is_refused_but_each_may_have_its_phase_0() -> None:
    with pytest.raises(CannotCombine, match="a chess960 phase 1 naked/naked: expected once, found in runs one and two"):
        combine([taken("one", of_model("a")), taken("two", of_model("a"))])
    sanity = [one for one in of_model("a") if one.key.phase == 0]
    whole = combine([taken("one", of_model("a")), taken("two", sanity)])
    assert len(whole.evidence.cells) == len(of_model("a"))


def test_only_what_every_plan_declares_is_tested_at_the_strictest_alpha() -> None:
    plans = [AnalysisPlan((Id.H1, Id.H2), "0.05"), AnalysisPlan((Id.H2, Id.E1), "0.01")]
    assert declared_by_all(plans) == AnalysisPlan((Id.H2,), "0.01")


def test_draws_differ_by_name_and_by_run() -> None:
    assert len({seeds_of(runs)(name) for runs in (["a"], ["b"], ["a", "b"]) for name in "xy"}) == 6
