"""The end of a command with `--fail-on-gate`, where a gate of Phase 0 was not passed."""

import sys

import click

from ..core.untrusted_input import show_name
from ..scoring.results import Results
from .gate_option import EXIT_GATE


def require_gates(*results: Results) -> None:
    """End the program with one line for each match of some runs whose gate was not passed, if there is one."""
    failed = [(row, row.gate) for one in results for row in one.matches if row.gate and not row.gate.passed]
    for row, gate in failed:
        where = f"{show_name(row.measured)} did not pass Phase 0 in {row.match}"
        click.echo(f"error: {where}: {show_name(gate.reason)}", err=True)
    if failed:
        sys.exit(EXIT_GATE)
