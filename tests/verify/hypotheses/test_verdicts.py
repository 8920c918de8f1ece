"""Every hypothesis: supported where it is planted, not supported where it is not, and honest where nothing is there."""

from collections.abc import Mapping
from fractions import Fraction

import pytest
from statsmodels.stats.multitest import multipletests

from agzamov_verify.analysis_plan import AnalysisPlan
from agzamov_verify.analysis_plan import HypothesisId as Id
from agzamov_verify.scoring.deltas import delta_analysis
from agzamov_verify.scoring.hypotheses.evidence import Evidence
from agzamov_verify.scoring.hypotheses.registry import BY_ID, REGISTRY, Family
from agzamov_verify.scoring.hypotheses.verdicts import Status, Verdict, verdicts
from verify.agzamov.generator import World, arms, evidence
from verify.hypotheses.planted import GAINS, NOTHING, PLANTED, helps


def only(name: Id, some: Evidence) -> Verdict:
    return {one.id: one for one in verdicts(AnalysisPlan(hypotheses=(name,)), some).hypotheses}[name]


SLOW = (Id.E8,)
NAMES = [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [], id=name.value) for name in PLANTED]


@pytest.mark.parametrize("name", NAMES)
def test_a_planted_effect_is_supported(name: Id) -> None:
    verdict = only(name, PLANTED[name].true())
    assert (verdict.status, verdict.same_as) == (Status.SUPPORTED, ""), verdict


@pytest.mark.parametrize("name", NAMES)
def test_without_the_effect_it_is_tested_and_not_supported(name: Id) -> None:
    verdict = only(name, PLANTED[name].false())
    assert verdict.status is Status.NOT_SUPPORTED, verdict
    assert verdict.p is not None


def test_every_hypothesis_is_declared_once_and_has_a_test_or_a_reason() -> None:
    assert [one.id for one in REGISTRY] == list(Id)
    for one in REGISTRY:
        ways = (one.contrast is not None, one.same_as is not None, bool(one.out_of_reach))
        assert sum(ways) == 1, one.id
    assert {one.id for one in REGISTRY if one.contrast} == set(PLANTED)


def test_an_empty_run_tests_nothing_and_says_what_it_needs() -> None:
    found = verdicts(AnalysisPlan(), evidence([]))
    assert {one.status for one in found.hypotheses} == {Status.NOT_TESTED}
    assert all("need" in one.reason for one in found.hypotheses)
    assert found.tests == ()


def test_the_reason_names_what_is_needed_and_what_is_there() -> None:
    verdict = only(Id.H2, evidence(arms(GAINS)))
    expected = (
        "needs Phase 2 memory, real and placebo, in both games; here: phase 2, chess, poker, memory/naked, memory/real"
    )
    assert verdict.reason == expected


def test_what_the_plan_does_not_declare_is_not_declared_however_clear_it_is() -> None:
    found = verdicts(AnalysisPlan(hypotheses=(Id.H3,)), helps(GAINS)).hypotheses
    by_id = {one.id: one.status for one in found}
    assert by_id[Id.H1] is Status.NOT_DECLARED
    assert by_id[Id.H3] is not Status.NOT_DECLARED


def test_a_draft_hypothesis_shares_the_verdict_of_the_papers() -> None:
    found = {one.id: one for one in verdicts(AnalysisPlan(), PLANTED[Id.E11].true()).hypotheses}
    paper, draft = found[Id.E11], found[Id.DRAFT_H19]
    assert (draft.status, draft.p, draft.same_as) == (paper.status, paper.p, "E11")


def test_a_shared_verdict_is_the_same_when_only_the_drafts_name_is_declared() -> None:
    assert only(Id.DRAFT_H19, PLANTED[Id.E11].true()).status is Status.SUPPORTED


def test_augmentation_that_helps_in_one_game_alone_is_not_supported() -> None:
    one_game = World(win=0.6, mean=0)
    verdict = only(Id.H1, helps(one_game))
    assert verdict.status is Status.NOT_SUPPORTED
    rows = verdicts(AnalysisPlan(hypotheses=(Id.H1,)), helps(one_game)).tests
    ps = [Fraction(row.test.p or 1) for row in rows if not row.name.startswith("beside it")]
    assert min(ps) < Fraction(1, 100)
    assert Fraction(verdict.p or 0) == max(ps)


def test_the_same_delta_without_luck_stands_beside_the_one_that_decides_and_decides_nothing() -> None:
    """The paper's P is raw, so raw it is tested; whoever wants the sharper test has it, with its own p."""
    some = helps(World(win=0.6, mean=25))
    rows = {row.name: row for row in verdicts(AnalysisPlan(hypotheses=(Id.H1,)), some).tests}
    raw, less = rows["delta, poker"], rows["beside it, without luck (baseline): delta, poker"]
    assert only(Id.H1, some).p == max((raw.test.p, rows["delta, chess"].test.p), key=lambda p: Fraction(p or 1))
    assert less.estimate is not None
    assert raw.estimate is not None
    deltas = {delta.game: delta for delta in delta_analysis(some)}
    assert less.estimate.value is not None
    adjusted = deltas["holdem"].adjusted["baseline"].value
    assert adjusted is not None
    assert less.estimate.value.decimal == adjusted.decimal
    assert len(rows) == 3


def test_centipawns_are_compared_only_if_they_are_in_the_bundle_and_the_reason_says_so() -> None:
    there, nothing = (only(Id.E5, evidence(cells)) for cells in (arms(NOTHING), []))
    assert {one.status for one in (there, nothing)} == {Status.NOT_TESTED}
    assert "not inside the bundle (quality.nodes)" in there.reason
    assert "quality.nodes" not in nothing.reason


def test_confirmatory_p_are_multiplied_by_five_and_the_others_stand_beside_their_q() -> None:
    found = verdicts(AnalysisPlan(), PLANTED[Id.H3].true()).hypotheses
    by_family: Mapping[Family, list[Verdict]] = {
        family: [one for one in found if one.family is family and not one.same_as] for family in Family
    }
    for one in by_family[Family.CONFIRMATORY]:
        if one.p:
            assert float(one.p_corrected or 0) == pytest.approx(min(1.0, 5 * float(one.p)), rel=1e-5)
            assert one.alpha == "1/100"
    exploratory = [one for one in by_family[Family.EXPLORATORY] if BY_ID[one.id].contrast]
    expected = multipletests([float(one.p or 1) for one in exploratory], method="fdr_bh")[1]
    shown = [(float(one.p_corrected), q) for one, q in zip(exploratory, expected, strict=True) if one.p_corrected]
    assert shown
    for q, wanted in shown:
        assert q == pytest.approx(wanted, rel=1e-5)


def test_a_confirmatory_p_between_one_and_five_percent_is_not_supported() -> None:
    """The per-test level is 0.01: what an uncorrected test would call found is not."""
    borderline = [World(win=0.35 + step / 100, mean=80) for step in range(4, 16)]
    between = [one for real in borderline if (one := only(Id.H1, helps(real))) and 0.01 < float(one.p or 1) < 0.05]
    assert between
    assert {one.status for one in between} == {Status.NOT_SUPPORTED}


def test_every_test_carries_its_effect_interval_n_and_minimum_detectable_effect() -> None:
    rows = verdicts(AnalysisPlan(hypotheses=(Id.H1,)), helps(NOTHING)).tests
    assert [row.name.split(",")[0] for row in rows] == ["delta", "delta", "beside it"]
    for row in rows:
        assert row.estimate is not None
        assert row.estimate.value is not None
        assert row.estimate.ci is not None
        assert row.estimate.mde is not None
        assert row.effect is not None
