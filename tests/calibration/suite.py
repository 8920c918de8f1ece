"""The calibration suite's modules: a folder of programs beside the packages, not a package."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "calibration"))

import finding  # noqa: E402 - found through sys.path
import planted  # noqa: E402
import run  # noqa: E402
import streams  # noqa: E402

__all__ = ["ROOT", "finding", "planted", "run", "streams"]
