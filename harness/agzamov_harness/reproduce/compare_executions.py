"""Two executions of one plan by two submitters: their figures compared, and a signed statement of that."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.attestations.agreement import compared_figures
from agzamov_verify.attestations.agreement_statement import Agreement, AgreementStatement, ComparedFigure
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


def require_comparable(a: Executed, b: Executed) -> None:
    """Raises ManifestError for bundles of different plans, or of one run."""
    if a.named.run == b.named.run:
        raise ManifestError(f"expected two runs, found {a.named.run} twice")
    if a.plan_sha256 != b.plan_sha256:
        raise ManifestError(
            "expected two executions of one plan with the same pins (only nonce, secret, title, seed and submitter may"
            f" differ), found the plans {a.plan_sha256[:16]} and {b.plan_sha256[:16]}"
        )


def margins_of(a: Executed, b: Executed, wished: Mapping[str, str]) -> Mapping[str, str]:
    """The margins that both registrations declared, or for bundles without any those of the command line.

    Raises ManifestError.
    """
    if wished and (a.margins or b.margins):
        raise ManifestError("--margin: these runs declared their margins before they were played")
    if a.margins != b.margins:
        raise ManifestError(f"expected the same margins in both registrations, found {a.margins} and {b.margins}")
    if not wished and not a.margins:
        raise ManifestError("no margins were declared when these runs were registered; name them: --margin UNIT=NUMBER")
    return wished or a.margins


def require_attestable(a: Executed, b: Executed, figures: Sequence[ComparedFigure]) -> None:
    """Raises ManifestError where nobody would believe the statement."""
    for one in (a, b):
        if one.level < "V2":
            raise ManifestError(f"run {one.named.run}: expected level V2 or higher, found {one.level}; {one.lacks}")
    if not a.margins:
        raise ManifestError("expected margins that were declared in the registrations, found none")
    if a.named.submitter == b.named.submitter:
        raise ManifestError("expected executions by two submitters, found the same key twice")
    if left := {figure.name for figure in a.figures} - {figure.name for figure in figures}:
        raise ManifestError(f"{min(left)}: expected a declared margin for its unit, and the figure in both bundles")


def agreement(a: Executed, b: Executed, figures: Sequence[ComparedFigure], key: Ed25519PrivateKey) -> bytes:
    """The signed statement about both bundles."""
    predicate = Agreement(
        executions=(a.named, b.named),
        figures=tuple(figures),
        key=public_pem(key).decode(),
        plan_sha256=a.plan_sha256,
        program=printable(f"agzamov, {source_version()}")[:LINE_MAX],
    )
    subjects = tuple(Subject(Digest(one.sha256), SUBJECT) for one in (a, b))
    return sign_payload(canon.dumps(AgreementStatement(predicate=predicate, subject=subjects)), key)


def figures_compared(a: Executed, b: Executed, margins: Mapping[str, str]) -> list[ComparedFigure]:
    """The figures of both. Raises ManifestError where there is none to compare."""
    figures = compared_figures(a.figures, b.figures, margins)
    if not figures:
        units = ", ".join(sorted({figure.unit for figure in a.figures})) or "none has an interval"
        raise ManifestError(f"expected figures in both bundles with a margin for their unit, found none ({units})")
    return figures
