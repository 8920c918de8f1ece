"""`--fail-on-gate`: a gate of Phase 0 that was not passed ends a command with an exit code of its own, for scripts.

A model that does not pass is a finding, not a fault: without the option the exit code is 0.
"""

from typing import Final

import click

EXIT_GATE: Final = 5

fail_on_gate_option = click.option(
    "--fail-on-gate", is_flag=True, help=f"Exit with code {EXIT_GATE} where a seat did not pass the gate of Phase 0."
)
