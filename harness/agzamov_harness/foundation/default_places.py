"""Folders and addresses that commands take where none is named."""

from pathlib import Path
from typing import Final

RUNS: Final = Path("runs")
BUNDLES: Final = Path("bundles")
LOOPBACK: Final = "127.0.0.1"
