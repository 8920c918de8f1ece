"""Executions of one plan by several submitters: their figures compared, and a signed statement of that."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.attestations.agreement import compared_figures
from agzamov_verify.attestations.agreement_statement import (
    EXECUTIONS_MAX,
    EXECUTIONS_MIN,
    Agreement,
    AgreementStatement,
    ComparedFigure,
)
from agzamov_verify.attestations.agreement_statement import Execution as ExecutionNamed
from agzamov_verify.bundle import REGISTRATION_FILE
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.registration_check import Trust
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import SUBJECT, Digest, Subject, sign_payload
from agzamov_verify.core.untrusted_input import printable, read_small
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.log_entry import ENTRY_BYTES_MAX, Registered, plan_of, read_entry, study_of
from agzamov_verify.scoring.repeated_figures import RepeatedFigure, repeated_figures
from agzamov_verify.show.text.registration_lines import next_level
from agzamov_verify.show.text.verdict_report import finding_line
from agzamov_verify.transparency_log.signed_note import BadNote

from ..foundation.margin_form import require_form
from ..foundation.program_and_machine import source_version
from ..run.seal_signature import public_pem

LINE_MAX = 200


class Executed(NamedTuple):
    """A verified bundle: its digest, level, run and submitter, its plan, its figures, and the margins it declared."""

    sha256: str
    level: str
    lacks: str
    named: ExecutionNamed
    plan_sha256: str
    figures: list[RepeatedFigure]
    margins: dict[str, str]


def executed(path: Path, engine: Path | None, engine_missing: str, jobs: int, trust: Trust | None) -> Executed:
    """A bundle, verified. Raises ManifestError where it does not hold."""
    verdict = verify(path, Options(engine, engine_missing, jobs, trust=trust))
    if verdict.failed or verdict.analysis is None:
        why = finding_line(verdict.findings[0]) if verdict.findings else "its figures could not be computed"
        raise ManifestError(f"{path}: expected a bundle that holds: {why}")
    opened = open_bundle(path, CheckLog())
    named = ExecutionNamed(opened.manifest.run_id, study_of(opened.manifest), opened.submitter)
    margins = dict[str, str]()
    if verdict.is_registered:
        try:
            entry = read_entry(read_small(opened.source, REGISTRATION_FILE, ENTRY_BYTES_MAX)).entry
        except BadNote as error:
            raise ManifestError(f"{path}: {REGISTRATION_FILE}: {error}") from error
        margins = entry.margins if isinstance(entry, Registered) else {}
    figures, plan = repeated_figures(verdict.analysis), plan_of(opened.manifest)
    return Executed(opened.sha256, verdict.level, " ".join(next_level(verdict)), named, plan, figures, margins)


def require_comparable(every: Sequence[Executed]) -> None:
    """Raises ManifestError for bundles of different plans, or of one run."""
    first, *others = every
    if len(every) > EXECUTIONS_MAX:
        raise ManifestError(f"expected at most {EXECUTIONS_MAX} bundles, found {len(every)}")
    runs = {first.named.run}
    for other in others:
        if other.named.run in runs:
            raise ManifestError(f"expected {_count(every)} runs, found {other.named.run} twice")
        runs.add(other.named.run)
        if first.plan_sha256 != other.plan_sha256:
            raise ManifestError(
                f"expected {_count(every)} executions of one plan with the same pins (only nonce, secret, title, seed"
                f" and submitter may differ), found the plans {first.plan_sha256[:16]} and {other.plan_sha256[:16]}"
            )


def _count(every: Sequence[Executed]) -> str:
    return "two" if len(every) == EXECUTIONS_MIN else str(len(every))


def margins_of(every: Sequence[Executed], wished: Mapping[str, str]) -> Mapping[str, str]:
    """The margins that all registrations declared, or for bundles without any those of the command line.

    Raises ManifestError.
    """
    first, *others = every
    if wished and any(one.margins for one in every):
        raise ManifestError("--margin: these runs declared their margins before they were played")
    for other in others:
        if first.margins != other.margins:
            found = " and ".join(f"{_margin_words(one.margins)} of run {one.named.run}" for one in (first, other))
            raise ManifestError(f"expected the same margins in every registration, found {found}; nothing mends that")
    require_form(wished)
    if not wished and not first.margins:
        raise ManifestError("no margins were declared when these runs were registered; name them: --margin UNIT=NUMBER")
    return wished or first.margins


def _margin_words(margins: Mapping[str, str]) -> str:
    return ", ".join(f"{unit}={number}" for unit, number in margins.items()) or "none"


def require_attestable(every: Sequence[Executed], figures: Sequence[ComparedFigure]) -> None:
    """Raises ManifestError where nobody would believe the statement."""
    for one in every:
        if one.level < "V2":
            raise ManifestError(f"run {one.named.run}: expected level V2 or higher, found {one.level}; {one.lacks}")
    first = every[0]
    if not first.margins:
        raise ManifestError("expected margins that were declared in the registrations, found none")
    if len({one.named.submitter for one in every}) < len(every):
        raise ManifestError(f"expected executions by {_count(every)} submitters, found the same key twice")
    if left := {figure.name for figure in first.figures} - {figure.name for figure in figures}:
        raise ManifestError(f"{min(left)}: expected a declared margin for its unit, and the figure in every bundle")


def agreement(every: Sequence[Executed], figures: Sequence[ComparedFigure], key: Ed25519PrivateKey) -> bytes:
    """The signed statement about all bundles."""
    predicate = Agreement(
        executions=tuple(one.named for one in every),
        figures=tuple(figures),
        key=public_pem(key).decode(),
        plan_sha256=every[0].plan_sha256,
        program=printable(f"agzamov, {source_version()}")[:LINE_MAX],
    )
    subjects = tuple(Subject(Digest(one.sha256), SUBJECT) for one in every)
    return sign_payload(canon.dumps(AgreementStatement(predicate=predicate, subject=subjects)), key)


def figures_compared(every: Sequence[Executed], margins: Mapping[str, str]) -> list[ComparedFigure]:
    """The figures of all. Raises ManifestError where there is none to compare."""
    figures = compared_figures([one.figures for one in every], margins)
    if not figures:
        units = ", ".join(sorted({figure.unit for figure in every[0].figures})) or "none has an interval"
        raise ManifestError(f"expected figures in every bundle with a margin for their unit, found none ({units})")
    return figures
