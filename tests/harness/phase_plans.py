"""What `agzamov plan` tells of the protocol's own plans; each forecast is made once in a process.

The files of tests that use it share a process (tests/conftest.py): a forecast of Phase 2 takes half a minute.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner

from agzamov_harness.cli import main

MANIFESTS: Final = Path("manifests")


@cache
def told(name: str, *options: str) -> str:
    """The output of `agzamov plan --details` for a plan in manifests/."""
    result = CliRunner().invoke(main, ["plan", str(MANIFESTS / f"{name}.yaml"), "--details", *options])
    assert result.exit_code == 0, result.output
    return result.output


def forecast(name: str, *options: str) -> Any:
    """The same as JSON."""
    return json.loads(told(name, "--json", *options))
