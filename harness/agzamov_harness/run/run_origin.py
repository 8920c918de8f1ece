"""What the owner of a run keeps of it beside its folder: ~/.config/agzamov/runs/<SHA-256 of the manifest>.json.

    {"format":"agz-run-origin-1","key_file":"/…/submitter.pem","memory_servers":"/…","plan_folder":"/…"}

These paths choose which programs a run starts, so they are not in the run's folder, which others may write to (a volume
that pods share). On a machine that has no such file they are given by options.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify.memory.declared_server import names_a_file
from agzamov_verify.plan.manifest import Manifest, ManifestError, Plan
from agzamov_verify.plan.plan_problems import local_models
from agzamov_verify.plan.streams import memories_played
from agzamov_verify.systems import MemorySystem

from ..foundation.owner_files import recalled, remembered
from ..foundation.owner_folder import installed_folder, owner_folder

FOLDER = "runs"
INSTALLED_VARIABLE = "${INSTALLED}"


class RunOrigin(msgspec.Struct, frozen=True):
    """The folder of a run's plan, from which the paths of weights and of adapters are meant; the file of the key that
    sealed it; and the folder of installed memory servers. All absolute; an empty one is unknown here.
    """

    key_file: str = ""
    memory_servers: str = ""
    plan_folder: str = ""
    format: Literal["agz-run-origin-1"] = "agz-run-origin-1"


def origin_file(manifest_sha256: str) -> Path:
    """The owner's file about the run with this manifest."""
    return owner_folder() / FOLDER / f"{manifest_sha256}.json"


def remember(manifest_sha256: str, origin: RunOrigin) -> None:
    """Write the file of a run; where that cannot be, its paths are asked for later."""
    remembered(origin_file(manifest_sha256), origin)


def recall(manifest_sha256: str) -> RunOrigin:
    """The origin of a run, of empty paths where nothing is known here. Raises ManifestError for another file."""
    return recalled(origin_file(manifest_sha256), RunOrigin, "the origin of a run")


def unremembered(origin: RunOrigin, manifest: Manifest, key: Path | None) -> dict[str, str]:
    """The options of `resume` that say of a run what this machine does not remember: all where a home is read-only."""
    known, plan = recall(hashlib.sha256(manifest.bytes).hexdigest()), manifest.plan
    key_file = str(key.absolute()) if key else origin.key_file
    options = {
        "--key": key_file if key_file != known.key_file else "",
        "--plan-folder": origin.plan_folder
        if needs_plan_folder(plan) and origin.plan_folder != known.plan_folder
        else "",
        "--installed": origin.memory_servers
        if needs_memory_servers(plan) and origin.memory_servers != known.memory_servers
        else "",
    }
    return {option: path for option, path in options.items() if path}


def needs_plan_folder(plan: Plan) -> bool:
    """True if weights, or the program of a memory, are found from the folder of the plan's file."""
    return bool(local_models(plan)) or _starts(plan, lambda system: names_a_file(system.server))


def needs_memory_servers(plan: Plan) -> bool:
    """True if a memory's program is found in the folder of installed servers."""
    return _starts(plan, lambda system: INSTALLED_VARIABLE in system.adapter)


def _starts(plan: Plan, fits: Callable[[MemorySystem], bool]) -> bool:
    """True if the run starts a memory from outside that `fits` as a process of its own, outside of an image."""
    systems = (plan.systems[name] for name in memories_played(plan) if plan.isolation == "process")
    return any(isinstance(system, MemorySystem) and system.is_from_outside and fits(system) for system in systems)


def plan_folder_of(origin: RunOrigin, plan: Plan, run: Path) -> Path:
    """The folder of the plan's file. Raises ManifestError where it is needed and unknown."""
    if not origin.plan_folder and needs_plan_folder(plan):
        raise ManifestError(
            f"{run}: this machine does not know the folder of its plan, whose weights or memory servers it needs; name"
            " the folder by --plan-folder"
        )
    return Path(origin.plan_folder)


def memory_servers_of(origin: RunOrigin, plan: Plan, run: Path) -> Path:
    """The folder of installed memory servers. Raises ManifestError where it is needed and unknown."""
    if not origin.memory_servers and needs_memory_servers(plan):
        raise ManifestError(
            f"{run}: this machine does not know the folder of the memory servers that it starts; name the folder by"
            " --installed"
        )
    return Path(origin.memory_servers or installed_folder())
