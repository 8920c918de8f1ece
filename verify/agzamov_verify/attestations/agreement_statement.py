"""An agreement attestation: one plan executed by several submitters, each under a seed of its own, and whether their
figures agree, each pair of them.

The plan is the same if all that both sealed is equal but nonce, secret, title, seed and submitter (`plan_sha256`).
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from ..core.envelope import Subject
from ..experiment.plan_fields import END, Line, Sha256

AGREEMENT_TYPE: Final = "urn:agzamov:attestation:agreement:1"
SignedDecimal: TypeAlias = Annotated[str, Meta(pattern=r"^-?[0-9]{1,12}(\.[0-9]{1,12})?" + END)]
Size: TypeAlias = Annotated[int, Meta(ge=0, lt=2**53)]
EXECUTIONS_MIN: Final = 2
EXECUTIONS_MAX: Final = 16
PAIRS_MAX: Final = EXECUTIONS_MAX * (EXECUTIONS_MAX - 1) // 2


class MeasuredFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of one execution: its value, variance of the value, and degrees of freedom, in the figure's unit."""

    df: SignedDecimal
    squared_error: SignedDecimal
    value: SignedDecimal


class TestedPair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two one-sided tests of the difference of two executions: its interval at 90 %, and the larger p of both."""

    high: SignedDecimal
    low: SignedDecimal
    p: SignedDecimal


class Heterogeneity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cochran's Q with its p, and I^2. Beside the verdict, and no part of it."""

    i_squared: SignedDecimal
    p: SignedDecimal
    q: SignedDecimal


class PooledFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The figure of all executions, each with equal weight, and its interval at 95 %. No part of the verdict."""

    high: SignedDecimal
    low: SignedDecimal
    value: SignedDecimal


class ComparedFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure in every execution, and two one-sided tests of each pair against the declared margin.

    `figures` are in the order of the executions, `pairs` as first and second, first and third, …, the last two. The
    figures agree where the interval of every pair lies within ± `margin`. `p`: the largest of the pairs'.
    `heterogeneity`: null where a figure has no variance.
    """

    agrees: bool
    figures: Annotated[tuple[MeasuredFigure, ...], Meta(min_length=EXECUTIONS_MIN, max_length=EXECUTIONS_MAX)]
    heterogeneity: Heterogeneity | None
    margin: SignedDecimal
    name: Line
    p: SignedDecimal
    pairs: Annotated[tuple[TestedPair, ...], Meta(min_length=1, max_length=PAIRS_MAX)]
    pooled: PooledFigure
    unit: Line


class Execution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One execution: its run, the id of its submitter's key, and the study under which it was registered."""

    run: Annotated[str, Meta(max_length=64)]
    study: Sha256
    submitter: Sha256


class Agreement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The predicate. `executions` are in the order of the statement's subjects."""

    executions: Annotated[tuple[Execution, ...], Meta(min_length=EXECUTIONS_MIN, max_length=EXECUTIONS_MAX)]
    figures: Annotated[tuple[ComparedFigure, ...], Meta(max_length=10_000)]
    key: Annotated[str, Meta(max_length=200)]
    plan_sha256: Sha256
    program: Line


class AgreementStatement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The in-toto statement about two or more bundles."""

    type_: Literal["https://in-toto.io/Statement/v1"] = msgspec.field(
        name="_type", default="https://in-toto.io/Statement/v1"
    )
    predicate: Agreement
    predicate_type: Literal["urn:agzamov:attestation:agreement:1"] = msgspec.field(
        name="predicateType", default=AGREEMENT_TYPE
    )
    subject: Annotated[tuple[Subject, ...], Meta(min_length=EXECUTIONS_MIN, max_length=EXECUTIONS_MAX)]
