"""What compose.yaml has to be told to play one run by hand: its images, folders and servers, as variables."""

from contextlib import closing

from agzamov_verify.manifest import ManifestError

from ..rundir import SITTINGS, RunDirectory
from . import egress, places
from .attending import image_in
from .engine import connect
from .folder import WRITTEN, hand_over
from .places import HARNESS, MODEL, OLLAMA, PROXY
from .playing import IMAGES_VARIABLE
from .topology import Topology, topology

PROFILE_OF = {PROXY: "hosted"}
HARNESS_OF = {PROXY: "harness-hosted", OLLAMA: "harness-ollama"}


def variables(directory: RunDirectory) -> dict[str, str]:
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


def harness_service(directory: RunDirectory) -> str:
    """Which service of compose.yaml plays a run."""
    parts = directory.manifest.images
    return next((service for part, service in HARNESS_OF.items() if part in parts), HARNESS)


def _of_servers(planned: Topology) -> dict[str, str]:
    found: dict[str, str] = {}
    for box in planned.servers:
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
