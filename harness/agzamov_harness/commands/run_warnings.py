"""The warnings that `verify` gives of a bundle, at the end of the run that made it; nothing is checked for them."""

from collections.abc import Iterator
from pathlib import Path

from agzamov_verify.bundle import CALLS_FILE
from agzamov_verify.checks.attested_warnings import attested_warnings
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.core.columns import LABEL_WIDTH, item, paragraph
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.call_records import CallTable
from agzamov_verify.scoring.results import Results
from agzamov_verify.show.text.figure_warnings import warnings_of


def warning_lines(bundle: Path, manifest: Manifest, results: Results, analysis: Analysis) -> Iterator[str]:
    """The warnings of a bundle that was made here, one item each; none where there are none."""
    opened = open_bundle(bundle, CheckLog())
    calls = documents.read(manifest.plan.protocol, documents.CALLS, opened.payload(CALLS_FILE), CallTable)
    warnings = [*warnings_of(manifest, results, calls, analysis), *attested_warnings(opened)]
    if warnings:
        yield from paragraph("Warnings", f"{len(warnings)}, as verify will give them:")
    for warning in warnings:
        yield from item(f"{'':<{LABEL_WIDTH}}!", warning)
