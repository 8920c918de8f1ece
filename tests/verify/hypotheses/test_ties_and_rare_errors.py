"""E1 with models that do equally badly, and E10 where nearly no game has an error."""

from agzamov_verify.scoring.hypotheses.contrasts import Joint
from agzamov_verify.scoring.hypotheses.evidence import Insufficient
from agzamov_verify.scoring.hypotheses.exploratory import errs_no_more, weakest_gains_nothing
from agzamov_verify.scoring.units.cells import Cell, CellKey
from verify.agzamov.generator import CHESS, EVEN, POKER, World, arms, cell, evidence

GAINS = World(win=0.6, mean=80)


def rates(memory: float, naked: float) -> Joint:
    found = errs_no_more(evidence(arms(World(errors=memory), World(errors=naked))))
    assert isinstance(found, Joint)
    return found


def test_models_that_do_equally_badly_are_not_told_apart_by_their_names() -> None:
    cells: list[Cell] = [one for model in ("a", "b") for one in arms(GAINS, model=model)]
    sanity = [
        cell(CellKey(model, game, 0), World(win=1.1, draw=0.0), 40) for model in ("a", "b") for game in (CHESS, POKER)
    ]
    found = weakest_gains_nothing(evidence([*cells, *sanity]))
    assert found == Insufficient("no one model does worst in Phase 0: a, b do equally well")


def test_one_model_that_does_worst_is_tested() -> None:
    cells: list[Cell] = [one for model in ("a", "b") for one in arms(GAINS, model=model)]
    sanity = [
        cell(CellKey("a", CHESS, 0), World(win=1.1, draw=0.0), 40),
        cell(CellKey("b", CHESS, 0), EVEN, 40),
    ]
    found = weakest_gains_nothing(evidence([*cells, *sanity]))
    assert isinstance(found, Joint)
    assert all("delta of b" in part.name for part in found.parts)


def test_no_error_in_either_arm_is_tested_exactly() -> None:
    found = rates(0.0, 0.0)
    assert found.p is not None
    assert {part.test.method for part in found.parts} == {"clusters-with-an-error"}
    assert all("exact" in part.test.note for part in found.parts)
    assert all(part.estimate and part.estimate.ci is None for part in found.parts)


def test_one_error_more_is_not_evidence_of_fewer() -> None:
    none, some = rates(0.0, 0.0), rates(0.01, 0.0)
    assert none.p is not None
    assert some.p is not None
    assert some.p > none.p > 0
    assert some.p > 1e-12, "a few errors are no proof"


def test_many_errors_in_both_arms_are_compared_by_students_t() -> None:
    found = rates(0.3, 0.3)
    assert {part.test.method for part in found.parts} == {"t-clusters"}
