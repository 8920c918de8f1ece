"""What the commands of runs do: seal, run, resume; and by hand in containers: compose-env, pack."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agzamov_verify.bundle import MANIFEST_FILE, RESULTS_FILE, claims_of
from agzamov_verify.commands.command_line import as_typed, typed
from agzamov_verify.commands.failed_gates import require_gates
from agzamov_verify.core import canon
from agzamov_verify.core.columns import paragraph
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import Manifest, load_manifest
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.results import Results, without_forfeited
from agzamov_verify.show.text.first_screen import REPORT, NextStep, next_lines, short_lines, warning_items
from agzamov_verify.show.text.verdict_report import unused_sentences, warnings_told

from ..containers.folder_transfer import require_plain_files
from ..exhibition.exhibition_folder import require_no_exhibition
from ..foundation.first_use import imported_at_first_use
from ..models.weight_pins import weights_after
from ..pipeline.pack import Packed
from ..pipeline.pack import pack as pack_run
from ..pipeline.play_and_pack import PlayOptions, connected, play_and_pack, played, to_resume
from ..pipeline.sealed_run import sealed
from ..planning.plan_warnings import plan_warnings
from ..run import exit_status, run_folder, signing_keys
from ..run.execution_log import gather_shares, require_done
from ..run.runner import finished
from .plan_files import plan_file

if TYPE_CHECKING:
    from ..containers import compose_env as compose_variables
else:  # only runs in containers need the engine's client
    compose_variables = imported_at_first_use("agzamov_harness.containers.compose_env")


def seal(
    plan: Path, key: Path, engine: str | None, runs: Path, installed: Path, *, small: bool, start_programs: bool
) -> None:
    """Seal a plan, and print the run's folder."""
    with exit_status.faults():
        directory = sealed(plan_file(plan, small=small), key, engine, runs, installed, start_programs=start_programs)
        click.echo(directory.path)
        again = to_resume(directory, key, PlayOptions(), None)
        click.echo(as_typed(f"play it with: {again}"), err=True)


def run(plan: Path, runs: Path, key: Path, cluster: str | None, *, small: bool, **options: Any) -> None:
    """Play a plan, and print its bundle."""
    tell = partial(tell_packed, as_json=options.pop("as_json"), fail_on_gate=options.pop("fail_on_gate"))
    with exit_status.faults():
        file = plan_file(plan, small=small)
        for warning in plan_warnings(file.plan):
            click.echo(f"warning: {printable(warning)}", err=True)
        with connected(cluster, file.plan) as workers:
            tell(played(file, key, runs, PlayOptions(**options, workers=workers)))


def resume(folder: Path, key: Path | None, cluster: str | None, **options: Any) -> None:
    """Go on with a run, and print its bundle."""
    tell = partial(tell_packed, as_json=options.pop("as_json"), fail_on_gate=options.pop("fail_on_gate"))
    with exit_status.faults():
        directory = run_folder.load(folder, options["plan_folder"], options["installed"])
        require_no_exhibition(directory)
        run_folder.require_room(options["out"], directory.path.parent)
        with connected(cluster, directory.manifest.plan) as workers:
            tell(play_and_pack(directory, key, PlayOptions(**options, workers=workers)))


def compose_env(folder: Path, plan_folder: Path | None, signed_by: str | None) -> None:
    """Print the variables of compose.yaml."""
    with exit_status.faults():
        click.echo(compose_variables.env_file(folder, plan_folder, signed_by), nl=False)


def pack(
    folder: Path, key: Path | None, plan_folder: Path | None, out: Path, *, fail_on_gate: bool, as_json: bool
) -> None:
    """Pack and sign a run that was played."""
    with exit_status.faults():
        directory = run_folder.load(folder, plan_folder)
        require_no_exhibition(directory)
        run_folder.require_apart(out, directory.path.parent)
        signer = signing_keys.signer_of(directory, key)
        require_plain_files(directory)
        with directory.locked(), directory.playing():
            gather_shares(directory.journal)
            weights_after(directory)
            blocks = finished(directory)
            require_done(directory.path, directory.journal)
            tell_packed(pack_run(directory, blocks, signer, out), as_json=as_json, fail_on_gate=fail_on_gate)


def tell_packed(packed: Packed, *, as_json: bool, fail_on_gate: bool) -> None:
    """Print a bundle's results and, if asked, end with its failed gates."""
    results = _printed(packed, as_json=as_json)
    if fail_on_gate:
        require_gates(results)


def results_of(bundle: Path) -> tuple[Manifest, Results]:
    """The manifest and the results of a bundle that was made here."""
    manifest = load_manifest((bundle / MANIFEST_FILE).read_bytes())
    data = (bundle / RESULTS_FILE).read_bytes()
    return manifest, documents.read(manifest.plan.protocol, documents.RESULTS, data, Results)


def _printed(packed: Packed, *, as_json: bool) -> Results:
    """The results of a bundle, once they are printed."""
    bundle, verdict = packed
    manifest, results = results_of(bundle)
    if as_json:
        gates = list(results.failed_gates)
        outcome = {"bundle": str(bundle), "claims": claims_of(results), "failed_gates": gates, "run": results.run}
        click.echo(canon.dumps(outcome).decode())
        return results
    results = without_forfeited(results)
    unused = tuple(unused_sentences(verdict))
    told = short_lines(manifest, results, verdict.analysis, verdict.blocks, unused)
    warnings = list(warnings_told(verdict))
    head = paragraph("Warnings", f"{len(warnings)}, as verify will give them:") if warnings else ()
    for line in (*told, *head, *warning_items(warnings)):
        click.echo(line)
    for line in next_lines(
        [NextStep(typed("report", bundle), REPORT), NextStep(typed("verify", bundle), "recomputes every figure")]
    ):
        click.echo(line)
    click.echo(f"bundle: {bundle}")
    return results
