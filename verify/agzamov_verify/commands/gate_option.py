"""`--fail-on-gate`: a gate of Phase 0 that was not passed ends a command with an exit code of its own, for scripts.

A model that does not pass is a finding, not a fault: without the option the exit code is 0.
"""

import sys
from typing import Final

import click

from ..core.untrusted_input import show_name
from ..scoring.results import Results

EXIT_GATE: Final = 5

fail_on_gate_option = click.option(
    "--fail-on-gate", is_flag=True, help=f"Exit with code {EXIT_GATE} where a seat did not pass the gate of Phase 0."
)


def require_gates(*results: Results) -> None:
    """End the program with one line for each match of some runs whose gate was not passed, if there is one."""
    failed = [(row, row.gate) for one in results for row in one.matches if row.gate and not row.gate.passed]
    for row, gate in failed:
        where = f"{show_name(row.measured)} did not pass Phase 0 in {row.match}"
        click.echo(f"error: {where}: {show_name(gate.reason)}", err=True)
    if failed:
        sys.exit(EXIT_GATE)
