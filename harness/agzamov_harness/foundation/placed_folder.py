"""A folder that is put under the id of its run: in the place of an older one of its kind, and of nothing else."""

import os
import shutil
from pathlib import Path

from agzamov_verify.plan.manifest import ManifestError


class PlaceTaken(ManifestError):
    """Something else has the name: another file, or a folder of another kind."""


def placed(making: Path, target: Path, marker: str, what: str) -> Path:
    """The folder `making` as `target`. `marker`: a file that every folder of its kind has; `what`: that kind in words.

    Raises PlaceTaken, and keeps `making`, where something else has the name.
    """
    if os.path.lexists(target):
        if target.is_symlink() or not (target / marker).is_file():
            raise PlaceTaken(f"{target}: there is something else under the name of the run's {what}; move it away")
        shutil.rmtree(target)
    making.rename(target)
    return target
