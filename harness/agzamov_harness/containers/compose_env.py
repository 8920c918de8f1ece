"""Settings that compose.yaml needs to play a run by hand, or to check a bundle: images, folders and servers."""

import hashlib
import shlex
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

from agzamov_verify.bundle import BAGIT_FILE
from agzamov_verify.plan.manifest import ManifestError

from ..foundation.container_spec import ContainerSpec
from ..models.weight_pins import weights_before
from ..run import execution_record
from ..run.run_folder import EXECUTIONS, MANIFEST, RunDirectory, load, require_signed_by
from . import container_paths, egress, image_records
from .container_engine import connect
from .container_lifecycle import image_in
from .container_options import PROFILE
from .container_paths import HARNESS, MEMORY, MODEL, OLLAMA, PROXY, TOOLS
from .folder_transfer import WRITTEN, hand_over
from .image_loading import ensure_loaded
from .image_records import ImageFault
from .play_inside import IMAGES_VARIABLE
from .topology import Topology, topology

COMPOSE_1, COMPOSE_2 = "docker-compose", "docker compose"
COMPOSE_S_MAX = 10
PROFILE_OF = {PROXY: "hosted"}
CHECKING = {"verify": "AGZ_VERIFY_IMAGE", "stockfish": "AGZ_JUDGE_IMAGE"}
HARNESS_OF = {PROXY: "harness-hosted", OLLAMA: "harness-ollama"}


def env_file(folder: Path, plan_folder: Path | None = None, signed_by: str | None = None) -> str:
    """The file .env for the sealed run or the bundle in `folder`: its variables, and above them what to type.

    The weights of a run are hashed now, and again when it is packed. Each execution has a folder for its logs, so one
    that goes on with a run asks for this anew. Raises PortFault, ManifestError, HarnessEnded.
    """
    compose = compose_command()
    taken_down = f"{compose} down --volumes"
    if not (folder / MANIFEST).exists():
        return _lines((f"{compose} run --rm verify", taken_down), to_verify(folder))
    directory = load(folder, plan_folder)
    require_signed_by(directory, signed_by)
    with directory.locked():
        variables = to_play(directory)
        weights_before(directory)
    commands = (
        f"{compose} up --detach",
        f"{compose} run --rm {playing(directory)}",
        f"{compose} logs --no-color > {shlex.quote(f'{execution_record.coming(directory)}/servers.log')}",
        taken_down,
        f"agzamov pack {shlex.quote(str(directory.path))}",
    )
    return _lines(commands, variables)


def compose_command() -> str:
    """Command of Compose here: version 2 is a subcommand of docker, Debian 12's version 1 a separate program."""
    try:
        command = [*COMPOSE_2.split(), "version"]
        has_compose_2 = subprocess.run(command, capture_output=True, check=False, timeout=COMPOSE_S_MAX).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        has_compose_2 = False
    return COMPOSE_1 if not has_compose_2 and shutil.which(COMPOSE_1) else COMPOSE_2


def to_verify(bundle: Path) -> dict[str, str]:
    """The variables of checking a bundle, by images that were built here. Raises PortFault, ManifestError without them.

    Nothing is taken from the bundle: whoever made it must not choose what checks it.
    """
    if not (bundle / BAGIT_FILE).exists():
        raise ManifestError(f"{bundle}: expected the folder of a sealed run or of a bundle, found neither")
    try:
        built = {name: image_records.load(name) for name in CHECKING}
        with closing(connect()) as engine:
            images = {name: ensure_loaded(engine.client, record).image_id for name, record in built.items()}
            user = engine.machine().user
    except ImageFault as error:
        raise ManifestError(str(error)) from error
    return {
        "COMPOSE_PROJECT_NAME": f"agz-verify-{hashlib.sha256(bytes(bundle.resolve())).hexdigest()[:16]}",
        "COMPOSE_PROFILES": "verify",
        "AGZ_BUNDLE": str(bundle.resolve()),
        "AGZ_SECCOMP": str(PROFILE),
        "AGZ_USER": user,
        **{variable: images[name] for name, variable in CHECKING.items()},
    }


def to_play(directory: RunDirectory) -> dict[str, str]:
    """The variables of a run, whose folder is made ready. Raises PortFault, and ManifestError for what needs more."""
    manifest, run = directory.manifest, directory.path.resolve()
    if manifest.plan.isolation != "container":
        raise ManifestError(f"{directory.path}: expected a run with isolation: container; play it with agzamov resume")
    with closing(connect()) as engine:
        egress.write(directory, engine.host_address)
        images = {part: image_in(engine, part, pin) for part, pin in manifest.images.items()}
        machine = engine.machine()
    planned = topology(manifest, run, directory.plan_folder, machine, ())
    _require_simple(planned)
    hand_over(directory, machine.user, (*WRITTEN, EXECUTIONS))
    return {
        "COMPOSE_PROJECT_NAME": f"agz-{manifest.run_id}",
        "COMPOSE_PROFILES": ",".join(sorted(map(_profile, planned.servers))),
        "AGZ_CERTIFICATES": egress.certificates(run),
        "AGZ_CPUS": str(machine.cores),
        "AGZ_HASH_MIB": str(manifest.plan.engine.hash_mib),
        IMAGES_VARIABLE: ",".join(f"{part}=sha256:{pin.config_digest}" for part, pin in manifest.images.items()),
        "AGZ_RUN": str(run),
        "AGZ_SECCOMP": str(PROFILE),
        "AGZ_USER": machine.user,
        **{f"AGZ_{part.upper()}_IMAGE": image for part, image in images.items()},
        **_of_servers(planned),
    }


def _lines(commands: tuple[str, ...], variables: dict[str, str]) -> str:
    lines = (*(f"# {command}" for command in commands), *(f"{name}={value}" for name, value in variables.items()))
    return "".join(f"{line}\n" for line in lines)


def playing(directory: RunDirectory) -> str:
    """Service of compose.yaml that plays a run, after `-e` options for the API keys in the caller's environment."""
    manifest = directory.manifest
    service = next((service for part, service in HARNESS_OF.items() if part in manifest.images), HARNESS)
    variables = [seat.key_variable for seat in manifest.plan.playing.values()]
    return " ".join((*(f"-e {name}" for name in dict.fromkeys(variables) if name), service))


def _profile(box: ContainerSpec) -> str:
    """The profile of a server's service in compose.yaml: one for each part, and for the tool of each game."""
    return box.name if box.part == TOOLS else PROFILE_OF.get(box.part, box.part)


def _of_servers(planned: Topology) -> dict[str, str]:
    variables: dict[str, str] = {}
    for box in planned.servers:
        if not box.networks:
            variables[f"AGZ_{_profile(box).upper().replace('-', '_')}_MEETING"] = _profile(box)
        if box.part in {MODEL, OLLAMA}:
            variables |= {name: value for name, value in box.environment.items() if name != "HOME"}
            variables[f"AGZ_{box.part.upper()}_MEMORY"] = str(box.limits.memory_bytes)
            places_of = {str(mount.target): str(mount.source) for mount in box.mounts}
            if box.part == MODEL:
                variables["AGZ_MODEL_SEAT"] = box.name.removeprefix(container_paths.server_of(""))
                variables["AGZ_MODEL_WEIGHTS"] = places_of[str(container_paths.WEIGHTS)]
            else:
                variables["AGZ_OLLAMA_STORE"] = places_of[str(container_paths.STORE)]
    return variables


def _require_simple(planned: Topology) -> None:
    """compose.yaml has one place for a model's server, and one network for the harness."""
    parts = [box.part for box in planned.servers]
    if any(box.gpus for box in planned.servers):
        raise ManifestError("compose.yaml gives no container a GPU; use agzamov run")
    if any(box.name.startswith(MEMORY) for box in planned.servers):
        raise ManifestError("compose.yaml starts no memory, which has a container for each career; use agzamov run")
    if parts.count(MODEL) > 1 or {OLLAMA, PROXY} <= set(parts):
        raise ManifestError("compose.yaml plays one local model, and not hosted seats beside Ollama; use agzamov run")
