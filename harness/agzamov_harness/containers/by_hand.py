"""What compose.yaml has to be told to play a run by hand, or to check a bundle: images, folders and servers."""

import hashlib
import shlex
from contextlib import closing
from pathlib import Path

from agzamov_verify.bundle import BAGIT_FILE
from agzamov_verify.manifest import ManifestError
from agzamov_verify.seats import EndpointSeat

from ..images import records
from ..images.engine import ensure_loaded
from ..images.faults import ImageFault
from ..models.watch import weights_before
from ..rundir import MANIFEST, SITTINGS, RunDirectory, load
from . import egress, places, sitting
from .attending import image_in
from .engine import connect
from .folder import WRITTEN, hand_over
from .places import HARNESS, MODEL, OLLAMA, PROXY
from .playing import IMAGES_VARIABLE
from .topology import Topology, topology

TAKEN_DOWN = "docker compose down --volumes"
PROFILE_OF = {PROXY: "hosted"}
CHECKING = {"verify": "AGZ_VERIFY_IMAGE", "stockfish": "AGZ_JUDGE_IMAGE"}
HARNESS_OF = {PROXY: "harness-hosted", OLLAMA: "harness-ollama"}


def env_file(folder: Path) -> str:
    """The file .env for the sealed run or the bundle in `folder`: its variables, and above them what to type.

    The weights of a run are hashed now, and again when it is packed. Each sitting has a folder for its logs, so one
    that goes on with a run asks for this anew. Raises PortFault, ManifestError, HarnessEnded.
    """
    if not (folder / MANIFEST).exists():
        return _lines(("docker compose run --rm verify", TAKEN_DOWN), to_verify(folder))
    directory = load(folder)
    with directory.locked():
        found = to_play(directory)
        weights_before(directory)
    commands = (
        "docker compose up --detach",
        f"docker compose run --rm {playing(directory)}",
        f"docker compose logs --no-color > {shlex.quote(f'{sitting.coming(directory)}/servers.log')}",
        TAKEN_DOWN,
        f"agzamov pack {shlex.quote(str(directory.path))}",
    )
    return _lines(commands, found)


def to_verify(bundle: Path) -> dict[str, str]:
    """The variables of checking a bundle, by images that were built here. Raises PortFault, ManifestError without them.

    Nothing is taken from the bundle: whoever made it must not choose what checks it.
    """
    if not (bundle / BAGIT_FILE).exists():
        raise ManifestError(f"{bundle}: expected the folder of a sealed run or of a bundle, found neither")
    try:
        built = {name: records.load(name) for name in CHECKING}
        with closing(connect()) as engine:
            images = {name: ensure_loaded(engine.client, record).image_id for name, record in built.items()}
            user = engine.machine().user
    except ImageFault as error:
        raise ManifestError(str(error)) from error
    return {
        "COMPOSE_PROJECT_NAME": f"agz-verify-{hashlib.sha256(bytes(bundle.resolve())).hexdigest()[:16]}",
        "COMPOSE_PROFILES": "verify",
        "AGZ_BUNDLE": str(bundle.resolve()),
        "AGZ_USER": user,
        **{variable: images[name] for name, variable in CHECKING.items()},
    }


def to_play(directory: RunDirectory) -> dict[str, str]:
    """The variables of a run, whose folder is made ready. Raises PortFault, and ManifestError for what needs more."""
    manifest, run = directory.manifest, directory.path.resolve()
    if manifest.plan.isolation != "container":
        raise ManifestError(f"{directory.path}: expected a run with isolation: container; play it with agzamov resume")
    egress.write(directory)
    with closing(connect()) as engine:
        images = {part: image_in(engine, part, pin) for part, pin in manifest.images.items()}
        machine = engine.machine()
    planned = topology(manifest, run, directory.plan_folder, machine, ())
    _require_simple(planned)
    hand_over(directory, machine.user, (*WRITTEN, SITTINGS))
    return {
        "COMPOSE_PROJECT_NAME": f"agz-{manifest.run_id}",
        "COMPOSE_PROFILES": ",".join(sorted(PROFILE_OF.get(box.part, box.part) for box in planned.servers)),
        "AGZ_CERTIFICATES": egress.certificates(run),
        "AGZ_CPUS": str(machine.cores),
        IMAGES_VARIABLE: ",".join(f"{part}=sha256:{pin.config_digest}" for part, pin in manifest.images.items()),
        "AGZ_RUN": str(run),
        "AGZ_USER": machine.user,
        **{f"AGZ_{part.upper()}_IMAGE": image for part, image in images.items()},
        **_of_servers(planned),
    }


def _lines(commands: tuple[str, ...], variables: dict[str, str]) -> str:
    lines = (*(f"# {command}" for command in commands), *(f"{name}={value}" for name, value in variables.items()))
    return "".join(f"{line}\n" for line in lines)


def playing(directory: RunDirectory) -> str:
    """Which service of compose.yaml plays a run, after the keys that it takes from the caller's environment."""
    manifest = directory.manifest
    service = next((service for part, service in HARNESS_OF.items() if part in manifest.images), HARNESS)
    hosted = [seat.api_key_env for seat in manifest.plan.playing.values() if isinstance(seat, EndpointSeat)]
    return " ".join((*(f"-e {name}" for name in dict.fromkeys(hosted) if name), service))


def _of_servers(planned: Topology) -> dict[str, str]:
    found: dict[str, str] = {}
    for box in planned.servers:
        if not box.networks:
            found[f"AGZ_{box.part.upper()}_MEETING"] = box.part
        if box.part in {MODEL, OLLAMA}:
            found |= {name: value for name, value in box.environment.items() if name != "HOME"}
            places_of = {str(mount.target): str(mount.source) for mount in box.mounts}
            if box.part == MODEL:
                found["AGZ_MODEL_SEAT"] = box.name.removeprefix(places.server_of(""))
                found["AGZ_MODEL_WEIGHTS"] = places_of[str(places.WEIGHTS)]
            else:
                found["AGZ_OLLAMA_STORE"] = places_of[str(places.STORE)]
    return found


def _require_simple(planned: Topology) -> None:
    """compose.yaml has one place for a model's server, and one network for the harness."""
    parts = [box.part for box in planned.servers]
    if parts.count(MODEL) > 1 or {OLLAMA, PROXY} <= set(parts):
        raise ManifestError("compose.yaml plays one local model, and not hosted seats beside Ollama; use agzamov run")
