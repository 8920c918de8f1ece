"""Every hypothesis gets a verdict: supported, not supported, not tested by this run, or not declared in its plan.

A confirmatory hypothesis is supported if p times five is below alpha (Bonferroni, paper section 9.5). Any other is
found or not found by Benjamini and Hochberg's q over its family, and never confirmed, whatever its p; a hypothesis that
could not be tested counts there as p = 1. Samples smaller than the protocol asks of a verdict test nothing. One that is
the same as another shares its verdict.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from fractions import Fraction
from itertools import chain, repeat
from typing import Final, NamedTuple

import msgspec

from ...experiment.analysis_plan import PRIMARY, AnalysisPlan
from ...experiment.analysis_plan import HypothesisId as Id
from ...protocols.norms import VerdictNorm, load_protocol
from ..inference.effects import EffectSize
from ..inference.estimate import Estimate
from ..inference.exact import significant
from ..inference.significance import Significance, benjamini_hochberg, bonferroni, untested
from ..inference.unit_values import CAREERS
from ..units.cells import cell_decisions, why_withheld
from ..units.score_constants import caveat
from .contrasts import ContrastPart, Joint
from .declarations import BY_ID, REGISTRY, Family, Hypothesis
from .evidence import Evidence, Insufficient
from .exploratory import errs_no_more

OF_RANKS: Final = frozenset({"spearman", "rank-exchange"})
"""Tests over systems, whose least number is `ContrastConstants.systems_min`."""

BONFERRONI, BENJAMINI_HOCHBERG = "bonferroni", "benjamini-hochberg"


class Status(StrEnum):
    """Verdict of a run on a hypothesis."""

    SUPPORTED = "supported"
    NOT_SUPPORTED = "not supported"
    FOUND = "found, exploratory, not confirmed"
    NOT_FOUND = "not found, exploratory"
    NOT_TESTED = "not tested by this run"
    NOT_DECLARED = "not declared"


class HypothesisVerdict(msgspec.Struct, frozen=True):
    """One hypothesis. `p` joins its tests, `p_corrected` is by `correction`; both None where nothing was tested.
    `caveat`: what the verdict rests on that is not frozen; empty for most.

    SUPPORTED and NOT_SUPPORTED are of confirmatory hypotheses alone, FOUND and NOT_FOUND of all others.
    """

    id: Id
    summary: str
    family: Family
    status: Status
    reason: str
    alpha: str
    p: str | None
    p_corrected: str | None
    correction: str
    same_as: str
    caveat: str = ""


class ContrastRow(msgspec.Struct, frozen=True):
    """One test that a hypothesis is made of."""

    hypothesis: Id
    name: str
    estimate: Estimate | None
    effect: EffectSize | None
    test: Significance


class Verdicts(NamedTuple):
    """All hypotheses in the order of the registry, and the tests behind them; shared tests stand there once."""

    hypotheses: tuple[HypothesisVerdict, ...]
    tests: tuple[ContrastRow, ...]


def verdicts(plan: AnalysisPlan, evidence: Evidence, least: VerdictNorm) -> Verdicts:
    """Verdicts on all hypotheses from the evidence. Each contrast is computed once. `least`: the smallest samples."""
    alpha = Fraction(plan.alpha)
    needed = {BY_ID[name].same_as or name for name in plan.hypotheses}
    tested = {
        hypothesis.id: _large_enough(_played(hypothesis.contrast, evidence), least)
        for hypothesis in REGISTRY
        if hypothesis.contrast is not None and hypothesis.id in needed
    }
    corrected = _corrected(tested)
    by_id: dict[Id, HypothesisVerdict] = {}
    for hypothesis in sorted(REGISTRY, key=lambda hypothesis: hypothesis.same_as is not None):
        if hypothesis.id not in plan.hypotheses:
            by_id[hypothesis.id] = _bare(hypothesis, Status.NOT_DECLARED, "the plan does not declare it", alpha)
        elif hypothesis.same_as is not None:
            by_id[hypothesis.id] = _shared(hypothesis, tested[hypothesis.same_as], corrected, alpha)
        else:
            by_id[hypothesis.id] = _verdict(hypothesis, tested.get(hypothesis.id), corrected, alpha)
    with_caveats = [
        msgspec.structs.replace(by_id[hypothesis.id], caveat=_caveat(by_id[hypothesis.id], evidence))
        for hypothesis in REGISTRY
    ]
    return Verdicts(tuple(with_caveats), tuple(_rows(tested)))


def _caveat(verdict: HypothesisVerdict, evidence: Evidence) -> str:
    return caveat(evidence.constants, verdict.same_as or verdict.id) if verdict.p is not None else ""


def _played(contrast: Callable[[Evidence], Joint | Insufficient], evidence: Evidence) -> Joint | Insufficient:
    """The outcome of a contrast; none where an arm that it needs has too many forfeits or too few own actions."""
    evidence.asked_for.clear()
    outcome, percent = contrast(evidence), load_protocol(evidence.constants.id).error_flag_percent
    if isinstance(outcome, Insufficient) or contrast is errs_no_more:
        return outcome
    cells = [evidence.cells[key] for key in sorted(evidence.asked_for)]
    forfeited = tuple(
        why_withheld([cell_decisions(f"{cell.key.arm.value} arm", cell, percent) for cell in cells], percent)
    )
    return Insufficient(f"not of play: {'; '.join(forfeited)}") if forfeited else outcome


def _large_enough(joint: Joint | Insufficient, least: VerdictNorm) -> Joint | Insufficient:
    """The tests, whose p is dropped where a sample of an estimate is smaller than a verdict may rest on."""
    if isinstance(joint, Insufficient):
        return joint
    parts = tuple(or_too_few(part, least) for part in joint.parts)
    return Joint(joint.p if parts == joint.parts else None, parts)


def or_too_few(part: ContrastPart, least: VerdictNorm) -> ContrastPart:
    """A test; without its p where one of its samples is smaller than `least` asks."""
    if part.test.p is None or part.test.method in OF_RANKS:
        return part
    # A paired test has one n for its two arms; where `over` is shorter, the rest count units.
    for count, over in zip(part.test.n, chain(part.over, repeat("")), strict=False):
        needed, what = (least.careers_min, "careers") if over == CAREERS else (least.units_min, "independent units")
        if count < needed:
            note = f"{count} {what}, a verdict needs {needed}"
            test = untested(part.test.method, part.test.alternative, part.test.n, note)
            return msgspec.structs.replace(part, test=test)
    return part


def _rows(tested: Mapping[Id, Joint | Insufficient]) -> Iterator[ContrastRow]:
    for name, outcome in tested.items():
        if isinstance(outcome, Joint):
            for part in outcome.parts:
                yield ContrastRow(name, part.name, part.estimate, part.effect, part.test)


def _corrected(tested: Mapping[Id, Joint | Insufficient]) -> dict[Id, Fraction]:
    """Adjusted p by family; a family's tests are those that were declared."""
    adjusted: dict[Id, Fraction] = {}
    for family in Family:
        names = [name for name in tested if BY_ID[name].family is family]
        ps = [_p(tested[name]) for name in names]
        if family is Family.CONFIRMATORY:
            adjusted |= zip(names, bonferroni(ps, PRIMARY), strict=True)
        else:
            adjusted |= zip(names, benjamini_hochberg(ps), strict=True)
    return adjusted


def _p(outcome: Joint | Insufficient) -> Fraction:
    return Fraction(1) if isinstance(outcome, Insufficient) or outcome.p is None else outcome.p


def _shared(
    hypothesis: Hypothesis, outcome: Joint | Insufficient, corrected: Mapping[Id, Fraction], alpha: Fraction
) -> HypothesisVerdict:
    """The verdict of the hypothesis that this one is the same as."""
    assert hypothesis.same_as is not None
    other = _verdict(BY_ID[hypothesis.same_as], outcome, corrected, alpha)
    return msgspec.structs.replace(
        other, id=hypothesis.id, summary=hypothesis.summary, same_as=hypothesis.same_as.value
    )


def _verdict(
    hypothesis: Hypothesis, outcome: Joint | Insufficient | None, corrected: Mapping[Id, Fraction], alpha: Fraction
) -> HypothesisVerdict:
    match outcome:
        case None:
            return _bare(hypothesis, Status.NOT_TESTED, hypothesis.out_of_reach, alpha)
        case Insufficient():
            return _bare(hypothesis, Status.NOT_TESTED, outcome.reason, alpha)
        case Joint(p=None):
            return _bare(hypothesis, Status.NOT_TESTED, _untested(outcome.parts), alpha)
        case Joint():
            assert outcome.p is not None
            confirmatory = hypothesis.family is Family.CONFIRMATORY
            decisive = corrected[hypothesis.id]
            yes, no = (Status.SUPPORTED, Status.NOT_SUPPORTED) if confirmatory else (Status.FOUND, Status.NOT_FOUND)
            status = yes if decisive < alpha else no
            return HypothesisVerdict(
                hypothesis.id,
                hypothesis.summary,
                hypothesis.family,
                status,
                _reason(decisive, alpha, hypothesis.family),
                str(alpha / PRIMARY if confirmatory else alpha),
                significant(outcome.p),
                significant(corrected[hypothesis.id]),
                _correction(hypothesis.family),
                "",
            )


def _reason(decisive: Fraction, alpha: Fraction, family: Family) -> str:
    what = f"p times {PRIMARY}" if family is Family.CONFIRMATORY else f"q over the {family.value} family"
    return f"{what} is {'below' if decisive < alpha else 'not below'} {float(alpha):g}"


def _untested(parts: Iterable[ContrastPart]) -> str:
    return "; ".join(f"{part.name}: {part.test.note}" for part in parts if part.test.p is None)


def _correction(family: Family) -> str:
    return BONFERRONI if family is Family.CONFIRMATORY else BENJAMINI_HOCHBERG


def _bare(hypothesis: Hypothesis, status: Status, reason: str, alpha: Fraction) -> HypothesisVerdict:
    confirmatory = hypothesis.family is Family.CONFIRMATORY
    shown = str(alpha / PRIMARY if confirmatory else alpha)
    same = hypothesis.same_as.value if hypothesis.same_as else ""
    correction = _correction(hypothesis.family)
    return HypothesisVerdict(
        hypothesis.id, hypothesis.summary, hypothesis.family, status, reason, shown, None, None, correction, same
    )
