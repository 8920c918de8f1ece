"""The warnings that `verify` gives of a bundle, at the end of the run that made it."""

from collections.abc import Iterator

from agzamov_verify.checks.steps import Verdict
from agzamov_verify.core.columns import LABEL_WIDTH, item, paragraph
from agzamov_verify.show.text.verdict_report import warnings_told


def warning_lines(verdict: Verdict) -> Iterator[str]:
    """The warnings of a bundle that was made and checked here, one item each; none where there are none."""
    warnings = list(warnings_told(verdict))
    if warnings:
        yield from paragraph("Warnings", f"{len(warnings)}, as verify will give them:")
    for warning in warnings:
        yield from item(f"{'':<{LABEL_WIDTH}}!", warning)
