"""Commands that make and play runs: seal, run, resume; and by hand in containers: compose-env, play, pack."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agzamov_verify.bundle import ANALYSIS_FILE, MANIFEST_FILE, RESULTS_FILE, claims_of
from agzamov_verify.commands.command_line import as_typed, typed
from agzamov_verify.commands.gate_option import fail_on_gate_option, require_gates
from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import Manifest, load_manifest
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.results import Results
from agzamov_verify.show.text.first_screen import short_lines

from ..containers.folder_transfer import require_plain_files
from ..foundation.first_use import imported_at_first_use
from ..models.weight_pins import weights_after
from ..pipeline.pack import pack
from ..pipeline.play_and_pack import OUT, PlayOptions, connected, play_and_pack, played, to_resume
from ..pipeline.sealed_run import sealed
from ..run import exit_status, run_folder, signing_keys
from ..run.execution_log import gather_shares
from ..run.runner import finished
from .shared_options import (
    allow_key_option,
    engine_option,
    installed_option,
    key_option,
    pair,
    plan_file,
    plan_folder_option,
    same_installed_option,
    same_key_option,
    signed_by_option,
    small_option,
    start_programs_option,
)

if TYPE_CHECKING:
    from ..cluster import coordinator, worker
    from ..containers import compose_env as compose_variables
    from ..containers import supervise
else:  # only runs on a cluster need Dask, only those in containers the engine's client
    coordinator = imported_at_first_use("agzamov_harness.cluster.coordinator")
    worker = imported_at_first_use("agzamov_harness.cluster.worker")
    compose_variables = imported_at_first_use("agzamov_harness.containers.compose_env")
    supervise = imported_at_first_use("agzamov_harness.containers.supervise")


runs_option = click.option(
    "--runs",
    type=click.Path(path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Folder of runs in progress.",
)
out_option = click.option(
    "--out",
    "--bundles",
    "out",
    type=click.Path(path_type=Path),
    default=OUT,
    show_default=True,
    help="Folder of bundles, in which this one has a folder of its own, named for its run.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")


@click.command()
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@key_option
@engine_option
@runs_option
@installed_option
@small_option
@start_programs_option
def seal(
    plan: Path, key: Path, engine: str | None, runs: Path, installed: Path, *, small: bool, start_programs: bool
) -> None:
    """Seal PLAN (YAML) into a run that has not started: its manifest and its secret.

    No endpoint is asked and no API key is sent: the run may be played on another machine. A memory server is started
    once, to be pinned. Before one that does not come with Agzamov is started for the first time you are asked.

    Exit code 0: the run's folder is printed. 2: the plan, the key or the engine is wrong.
    """
    with exit_status.faults():
        directory = sealed(plan_file(plan, small=small), key, engine, runs, installed, start_programs=start_programs)
        click.echo(directory.path)
        again = to_resume(directory, key, PlayOptions(), None)
        click.echo(as_typed(f"play it with: {again}"), err=True)


cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on the workers of the Dask scheduler at ADDRESS (tls://HOST:PORT), that see this folder.",
)


def playing_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of the two commands that play."""
    for option in reversed(
        (
            engine_option,
            out_option,
            click.option(
                "--concurrency",
                type=click.IntRange(1, 1024),
                help="Streams (blocks of games) played in parallel; default: what the seats allow.",
            ),
            allow_key_option,
            start_programs_option,
            cluster_option,
            click.option("--watch", is_flag=True, help="Serve a live page of the run to this machine's browsers."),
            click.option("--quiet", is_flag=True, help="No progress, even on a terminal."),
            fail_on_gate_option,
            json_option,
        )
    ):
        command = option(command)
    return command


@click.command()
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@key_option
@runs_option
@installed_option
@small_option
@playing_options
def run(plan: Path, runs: Path, key: Path, cluster: str | None, *, small: bool, **options: Any) -> None:
    """Seal PLAN (YAML), play it, and pack its signed bundle.

    Before anything is sealed, the plan's servers are asked whether they have its models. Before an API key goes to a
    host for the first time you are asked, and before a program is started that does not come with Agzamov; without a
    terminal, allow it by --allow-key and --start-programs.

    Exit code 0: done; the bundle's folder is printed. 1: model weights or the journal changed during the run. 2: the
    plan, a server, a key or the engine is wrong; nothing was sealed. 4: the run stopped and can be resumed. 5: with
    --fail-on-gate, the bundle was made, and a gate of Phase 0 was not passed.
    """
    tell = partial(_tell, as_json=options.pop("as_json"), fail_on_gate=options.pop("fail_on_gate"))
    with exit_status.faults():
        file = plan_file(plan, small=small)
        with connected(cluster, file.plan) as workers:
            tell(played(file, key, runs, PlayOptions(**options, workers=workers)))


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@same_key_option
@click.option(
    "--base-url",
    multiple=True,
    callback=pair,
    metavar="SEAT=URL",
    help="The address of the seat's server, if it has changed. Repeatable.",
)
@plan_folder_option
@same_installed_option
@playing_options
def resume(folder: Path, key: Path | None, cluster: str | None, **options: Any) -> None:
    """Play the sealed run in FOLDER from where it stands, and pack its signed bundle.

    Recorded answers are kept; no question is asked twice. A run that another machine sealed needs --key here, and
    --plan-folder and --installed if it starts programs from there. Exit codes as for `run`, and 1: the journal was
    changed after it was recorded.
    """
    tell = partial(_tell, as_json=options.pop("as_json"), fail_on_gate=options.pop("fail_on_gate"))
    with exit_status.faults():
        directory = run_folder.load(folder, options["plan_folder"], options["installed"])
        run_folder.require_writable(options["out"])
        with connected(cluster, directory.manifest.plan) as workers:
            tell(play_and_pack(directory, key, PlayOptions(**options, workers=workers)))


@click.command("compose-env")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@plan_folder_option
@signed_by_option
def compose_env(folder: Path, plan_folder: Path | None, signed_by: str | None) -> None:
    """Print the variables with which compose.yaml plays the sealed run, or checks the bundle, in FOLDER.

    Write them to the file .env. Exit code 0: printed. 2: the folder is wrong, or compose.yaml cannot play the run. 4:
    no container engine answers.
    """
    with exit_status.faults():
        click.echo(compose_variables.env_file(folder, plan_folder, signed_by), nl=False)


@click.command("pack")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@same_key_option
@plan_folder_option
@out_option
@fail_on_gate_option
@json_option
def pack_command(
    folder: Path, key: Path | None, plan_folder: Path | None, out: Path, *, fail_on_gate: bool, as_json: bool
) -> None:
    """Pack and sign the run in FOLDER, once `docker compose run`, or all of its shares, have played it.

    Exit code 0: done; the bundle's folder is printed. 1: the journal was changed after it was recorded. 2: the folder
    or the key is wrong. 4: the run was not played to its end. 5: as for `run`.
    """
    with exit_status.faults():
        directory = run_folder.load(folder, plan_folder)
        signer = signing_keys.signer_of(directory, key)
        require_plain_files(directory)
        with directory.locked(), directory.playing():
            gather_shares(directory.journal)
            weights_after(directory)
            _tell(pack(directory, finished(directory), signer, out), as_json=as_json, fail_on_gate=fail_on_gate)


def _tell(bundle: Path, *, as_json: bool, fail_on_gate: bool) -> None:
    results = _printed(bundle, as_json=as_json)
    if fail_on_gate:
        require_gates(results)


def results_of(bundle: Path) -> tuple[Manifest, Results]:
    """The manifest and the results of a bundle that was made here."""
    manifest = load_manifest((bundle / MANIFEST_FILE).read_bytes())
    data = (bundle / RESULTS_FILE).read_bytes()
    return manifest, documents.read(manifest.plan.protocol, documents.RESULTS, data, Results)


def _printed(bundle: Path, *, as_json: bool) -> Results:
    """The results of a bundle, once they are printed."""
    manifest, results = results_of(bundle)
    protocol = manifest.plan.protocol
    if as_json:
        gates = list(results.failed_gates)
        outcome = {"bundle": str(bundle), "claims": claims_of(results), "failed_gates": gates, "run": results.run}
        click.echo(canon.dumps(outcome).decode())
        return results
    analysis = documents.read(protocol, documents.ANALYSIS, (bundle / ANALYSIS_FILE).read_bytes(), Analysis)
    for line in short_lines(manifest, results, analysis):
        click.echo(line)
    click.echo(f"{'Next':<11}{typed('verify', bundle)}")
    click.echo(f"bundle: {bundle}")
    return results
