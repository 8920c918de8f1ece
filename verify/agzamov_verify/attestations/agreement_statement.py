"""An agreement attestation: one plan executed by two submitters under two seeds, and whether their figures agree.

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
EXECUTIONS: Final = 2


class MeasuredFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of one execution: its value, variance of the value, and degrees of freedom, in the figure's unit."""

    df: SignedDecimal
    squared_error: SignedDecimal
    value: SignedDecimal


class ComparedFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure in both executions, and two one-sided tests of their difference against the declared margin.

    `high`, `low`: the interval of the difference at 90 %, within ± `margin` where the figures agree. `p`: the larger of
    the two tests'.
    """

    agrees: bool
    figures: Annotated[tuple[MeasuredFigure, ...], Meta(min_length=EXECUTIONS, max_length=EXECUTIONS)]
    high: SignedDecimal
    low: SignedDecimal
    margin: SignedDecimal
    name: Line
    p: SignedDecimal
    unit: Line


class Execution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One execution: its run, the id of its submitter's key, and the study under which it was registered."""

    run: Annotated[str, Meta(max_length=64)]
    study: Sha256
    submitter: Sha256


class Agreement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The predicate. `executions` are in the order of the statement's subjects."""

    executions: Annotated[tuple[Execution, ...], Meta(min_length=EXECUTIONS, max_length=EXECUTIONS)]
    figures: Annotated[tuple[ComparedFigure, ...], Meta(max_length=10_000)]
    key: Annotated[str, Meta(max_length=200)]
    plan_sha256: Sha256
    program: Line


class AgreementStatement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The in-toto statement about two bundles."""

    type_: Literal["https://in-toto.io/Statement/v1"] = msgspec.field(
        name="_type", default="https://in-toto.io/Statement/v1"
    )
    predicate: Agreement
    predicate_type: Literal["urn:agzamov:attestation:agreement:1"] = msgspec.field(
        name="predicateType", default=AGREEMENT_TYPE
    )
    subject: Annotated[tuple[Subject, ...], Meta(min_length=EXECUTIONS, max_length=EXECUTIONS)]
