"""`agzamov k8s`: an Indexed Job of Kubernetes that plays a run in shares."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from agzamov_verify.commands.command_line import as_typed
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.seats.model_seat import is_loopback

from ..cluster.kubernetes_job import JobSettings, job_of
from ..cluster.shares import COUNT_MAX, require_spreadable
from ..foundation.owner_folder import DEFAULT_KEY, installed_folder
from ..memory.launch import Places
from ..pipeline.sealed_run import sealed_after_contact
from ..run import exit_status, run_folder, signing_keys
from ..run.program_consent import outside_programs, require_consent
from ..run.run_folder import RunDirectory
from ..run.run_origin import needs_memory_servers, needs_plan_folder
from ..run.server_access import Allowed, addresses_before, keys_sent, require_allowed
from ..run.stop import reply_s_max
from .plan_files import plan_file
from .run_commands import runs_option
from .shared_options import (
    allow_key_option,
    engine_option,
    plan_folder_option,
    same_installed_option,
    same_key_option,
    small_option,
    start_programs_option,
)

NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
"""Name of an object of Kubernetes (RFC 1123)."""


IMAGE = re.compile(
    r"([a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]{1,5})?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
    r"(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?"
)
"""Reference to an image: host, path, tag, digest (the grammar of CNCF distribution)."""
QUANTITY = re.compile(r"(?=.*[1-9])[0-9]{1,15}(\.[0-9]{1,3})?(m|k|Ki|Mi?|Gi?|Ti?|Pi?|Ei?)?")
"""Amount of a resource of Kubernetes, more than none."""
PATH = re.compile(r"(?!/tmp$)(/(?!\.{1,2}(/|$))[^/:\s]+)+")
"""Where a volume is seen: an absolute path without a colon, and not the pod's own /tmp."""


def _of_form(form: re.Pattern[str], words: str) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """The callback of an option whose value has this form."""

    def checked(_: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
        if text is not None and not form.fullmatch(text):
            raise click.BadParameter(f"expected {words}, found {text!a}", param=parameter)
        return text

    return checked


_name = _of_form(NAME, "lower-case letters, digits, hyphens and dots")
_quantity = _of_form(QUANTITY, "an amount as Kubernetes writes it, such as 500m, 2 or 2Gi")


@click.command()
@click.argument("plan", metavar="PLAN|FOLDER", type=click.Path(exists=True, path_type=Path))
@click.option("--shares", type=click.IntRange(1, COUNT_MAX), required=True, help="Pods side by side, each one share.")
@click.option(
    "--image",
    callback=_of_form(IMAGE, "the name of an image, such as registry.example/agzamov:0.3"),
    required=True,
    help="The image of the pods: this version of agzamov, and Stockfish if the plan needs it.",
)
@click.option(
    "--claim",
    callback=_name,
    required=True,
    help="The persistent volume claim (ReadWriteMany) with the run's folder in its root.",
)
@click.option(
    "--mount",
    callback=_of_form(PATH, "an absolute path other than /tmp"),
    default="/runs",
    show_default=True,
    help="Where the pods see the volume.",
)
@click.option(
    "--secret", callback=_name, help="The Kubernetes secret with the API keys, by the names of the variables."
)
@click.option(
    "--retries", type=click.IntRange(0, 1000), default=6, show_default=True, help="How often a share is begun again."
)
@click.option("--cpu", callback=_quantity, default="2", show_default=True, help="The processors that a pod asks for.")
@click.option(
    "--memory",
    callback=_quantity,
    default="2Gi",
    show_default=True,
    help="The memory that a pod asks for, and has at most.",
)
@same_key_option
@engine_option
@runs_option
@plan_folder_option
@same_installed_option
@small_option
@start_programs_option
@allow_key_option
def k8s(
    plan: Path,
    key: Path | None,
    engine: str | None,
    runs: Path,
    plan_folder: Path | None,
    installed: Path | None,
    allow_key: Mapping[str, str],
    *,
    small: bool,
    start_programs: bool,
    **job: Any,
) -> None:
    """Print a Kubernetes Job that plays PLAN, which is sealed first, or the sealed run in FOLDER, in shares.

    The signing key stays here. Copy the run's folder to the volume's root unless --runs is that volume, apply the Job,
    and when it is complete pack the folder with `agzamov pack`.

    Example: agzamov k8s plan.yaml --shares 8 --image agzamov:0.3 --claim runs > job.yaml

    Exit code 0: the Job is printed. 2: the plan, the key, the engine or a server is wrong, or one machine must play it.
    """
    with exit_status.faults():
        directory = _sealed(
            plan, key, engine, runs, plan_folder, installed, allow_key, small=small, start_programs=start_programs
        )
        wished = directory.manifest.plan
        require_spreadable(wished)
        served = addresses_before(directory)
        _require_reached_by_pods(wished, served)
        sent = keys_sent(wished, served)
        require_allowed(sent, allow_key)
        places = Places(directory.memory_servers, directory.plan_folder)
        require_consent(outside_programs(directory.manifest, places), given=start_programs)
        if sent and not job["secret"]:
            raise ManifestError(
                f"--secret: expected the Kubernetes secret that has the keys {', '.join(one.variable for one in sent)}"
            )
        owner = (directory.path / run_folder.SECRET).stat()
        settings = JobSettings(
            directory.manifest.run_id,
            user=owner.st_uid,
            group=owner.st_gid,
            reply_s_max=reply_s_max(directory.manifest.plan.playing),
            variables=sorted({one.variable for one in sent}),
            arguments=[*_trusted(directory), *(word for one in sent for word in _allowed(one))],
            **{name: value for name, value in job.items() if value is not None},
        )
        click.echo(yaml.safe_dump(job_of(settings), sort_keys=False), nl=False)
        click.echo(as_typed(f"pack it with: {shlex.join(['agzamov', 'pack', str(directory.path)])}"), err=True)


def _sealed(
    plan: Path,
    key: Path | None,
    engine: str | None,
    runs: Path,
    plan_folder: Path | None,
    installed: Path | None,
    allow_key: Mapping[str, str],
    *,
    small: bool,
    start_programs: bool,
) -> RunDirectory:
    """The sealed run in a folder, or one that is sealed now from a plan that can be played in shares."""
    if plan.is_dir():
        directory = run_folder.load(plan, plan_folder, installed)
        signing_keys.signer_of(directory, key)  # the Job trusts whoever sealed it
        return directory
    file = plan_file(plan, small=small)
    require_spreadable(file.plan)
    _require_reached_by_pods(file.plan, {})
    directory = sealed_after_contact(
        file,
        key or DEFAULT_KEY,
        engine,
        runs,
        allow_key,
        installed or installed_folder(),
        start_programs=start_programs,
    )
    click.echo(f"run: {directory.path}", err=True)
    return directory


def _require_reached_by_pods(plan: Plan, served: Mapping[str, str]) -> None:
    """Raises ManifestError for a model on this machine: in a pod its address is the pod itself."""
    for name, seat in plan.playing.items():
        address = served.get(name) or getattr(seat, "base_url", "")
        if address and is_loopback(address):
            raise ManifestError(
                f"seats.{name}.base_url: expected an address that pods reach, found {address}: it is a pod's own there"
            )


def _allowed(key: Allowed) -> tuple[str, str]:
    """The option by which a share may send a key."""
    return "--allow-key", f"{key.variable}={key.host}"


def _trusted(directory: RunDirectory) -> Iterator[str]:
    """The options by which a share knows what the volume must not tell it: whose run it is, and where its memory
    servers are, at the paths of this machine.
    """
    plan = directory.manifest.plan
    yield from ("--signed-by", directory.manifest.submitter_key_id)
    if needs_plan_folder(plan):
        yield from ("--plan-folder", str(directory.plan_folder))
    if any(outside_programs(directory.manifest, Places())):
        yield "--start-programs"
    if needs_memory_servers(plan):
        yield from ("--installed", str(directory.memory_servers))
