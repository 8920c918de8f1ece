"""Every hypothesis gets a verdict: supported, not supported, not tested by this run, or not declared in its plan.

A confirmatory hypothesis is supported if p times five is below alpha (Bonferroni, paper section 9.5). An exploratory
one is judged by its own p, as the paper has it, with Benjamini and Hochberg's q over its family beside; a hypothesis
that could not be tested counts there as p = 1. One that is the same as another shares its verdict.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

import msgspec

from ...analysis_plan import PRIMARY, AnalysisPlan
from ...analysis_plan import HypothesisId as Id
from ..exact import significant
from ..inference.effects import EffectSize
from ..inference.estimate import Estimate
from ..inference.multiplicity import benjamini_hochberg, bonferroni
from ..inference.significance import Significance
from .contrasts import Joint, Part
from .evidence import Evidence, Lacking
from .registry import BY_ID, REGISTRY, Family, Hypothesis

BONFERRONI, BENJAMINI_HOCHBERG = "bonferroni", "benjamini-hochberg"


class Status(StrEnum):
    """What a run says of a hypothesis."""

    SUPPORTED = "supported"
    NOT_SUPPORTED = "not supported"
    NOT_TESTED = "not tested by this run"
    NOT_DECLARED = "not declared"


class Verdict(msgspec.Struct, frozen=True):
    """One hypothesis. `p` joins its tests, `p_corrected` is by `correction`; both None where nothing was tested."""

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


class ContrastRow(msgspec.Struct, frozen=True):
    """One test that a hypothesis is made of."""

    hypothesis: Id
    name: str
    estimate: Estimate | None
    effect: EffectSize | None
    test: Significance


class Verdicts(NamedTuple):
    """All hypotheses in the order of the registry, and the tests behind them; shared tests stand there once."""

    hypotheses: tuple[Verdict, ...]
    tests: tuple[ContrastRow, ...]


def verdicts(plan: AnalysisPlan, evidence: Evidence) -> Verdicts:
    """What the evidence says of every hypothesis. Each contrast is computed once."""
    alpha = Fraction(plan.alpha)
    wanted = {BY_ID[name].same_as or name for name in plan.hypotheses}
    tested = {one.id: one.contrast(evidence) for one in REGISTRY if one.contrast is not None and one.id in wanted}
    corrected = _corrected(tested)
    found: dict[Id, Verdict] = {}
    for one in sorted(REGISTRY, key=lambda one: one.same_as is not None):
        if one.id not in plan.hypotheses:
            found[one.id] = _bare(one, Status.NOT_DECLARED, "the plan does not declare it", alpha)
        elif one.same_as is not None:
            found[one.id] = _shared(one, tested[one.same_as], corrected, alpha)
        else:
            found[one.id] = _verdict(one, tested.get(one.id), corrected, alpha)
    return Verdicts(tuple(found[one.id] for one in REGISTRY), tuple(_rows(tested)))


def _rows(tested: Mapping[Id, Joint | Lacking]) -> Iterator[ContrastRow]:
    for name, outcome in tested.items():
        if isinstance(outcome, Joint):
            for part in outcome.parts:
                yield ContrastRow(name, part.name, part.estimate, part.effect, part.test)


def _corrected(tested: Mapping[Id, Joint | Lacking]) -> dict[Id, Fraction]:
    """Adjusted p by family; a family's tests are those that were declared."""
    found: dict[Id, Fraction] = {}
    for family in Family:
        names = [name for name in tested if BY_ID[name].family is family]
        ps = [_p(tested[name]) for name in names]
        if family is Family.CONFIRMATORY:
            found |= zip(names, bonferroni(ps, PRIMARY), strict=True)
        else:
            found |= zip(names, benjamini_hochberg(ps), strict=True)
    return found


def _p(outcome: Joint | Lacking) -> Fraction:
    return Fraction(1) if isinstance(outcome, Lacking) or outcome.p is None else outcome.p


def _shared(one: Hypothesis, outcome: Joint | Lacking, corrected: Mapping[Id, Fraction], alpha: Fraction) -> Verdict:
    """The verdict of the hypothesis that this one is the same as."""
    assert one.same_as is not None
    other = _verdict(BY_ID[one.same_as], outcome, corrected, alpha)
    return msgspec.structs.replace(other, id=one.id, summary=one.summary, same_as=one.same_as.value)


def _verdict(
    one: Hypothesis, outcome: Joint | Lacking | None, corrected: Mapping[Id, Fraction], alpha: Fraction
) -> Verdict:
    match outcome:
        case None:
            return _bare(one, Status.NOT_TESTED, one.out_of_reach, alpha)
        case Lacking():
            return _bare(one, Status.NOT_TESTED, outcome.reason, alpha)
        case Joint(p=None):
            return _bare(one, Status.NOT_TESTED, _untested(outcome.parts), alpha)
        case Joint():
            assert outcome.p is not None
            confirmatory = one.family is Family.CONFIRMATORY
            decisive = corrected[one.id] if confirmatory else outcome.p
            status = Status.SUPPORTED if decisive < alpha else Status.NOT_SUPPORTED
            return Verdict(
                one.id,
                one.summary,
                one.family,
                status,
                _reason(decisive, alpha, one.family),
                str(alpha / PRIMARY if confirmatory else alpha),
                significant(outcome.p),
                significant(corrected[one.id]),
                _correction(one.family),
                "",
            )


def _reason(decisive: Fraction, alpha: Fraction, family: Family) -> str:
    what = "p times 5" if family is Family.CONFIRMATORY else "p, uncorrected,"
    return f"{what} is {'below' if decisive < alpha else 'not below'} {float(alpha):g}"


def _untested(parts: Iterable[Part]) -> str:
    return "; ".join(f"{part.name}: {part.test.note}" for part in parts if part.test.p is None)


def _correction(family: Family) -> str:
    return BONFERRONI if family is Family.CONFIRMATORY else BENJAMINI_HOCHBERG


def _bare(one: Hypothesis, status: Status, reason: str, alpha: Fraction) -> Verdict:
    confirmatory = one.family is Family.CONFIRMATORY
    shown = str(alpha / PRIMARY if confirmatory else alpha)
    same = one.same_as.value if one.same_as else ""
    correction = _correction(one.family)
    return Verdict(one.id, one.summary, one.family, status, reason, shown, None, None, correction, same)
