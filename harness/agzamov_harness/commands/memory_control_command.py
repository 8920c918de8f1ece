"""`agzamov memory control`: the positive control, from its plan to its verdict."""

import sys
from pathlib import Path
from typing import Any

import click

from agzamov_verify.commands.bundle_argument import bounded, no_bundle
from agzamov_verify.commands.score_commands import collected_from, tell
from agzamov_verify.core.waiting import busy, shown

from ..pipeline.play_and_pack import PlayOptions, played
from ..positive_control.judged_bundle import control_verdict, verdict_document, verdict_lines
from ..run.exit_status import EXIT_FAILED, EXIT_USAGE, fail, faults
from .plan_files import plan_file
from .run_commands import out_option, runs_option
from .shared_options import engine_option, key_option, start_programs_option

PLAN = Path("manifests/positive-control.yaml")


@click.command()
@click.argument("bundle", required=False, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--plan",
    type=click.Path(path_type=Path),  # it need not exist where a bundle is judged
    default=PLAN,
    show_default=True,
    help="The plan to play.",
)
@key_option
@engine_option
@runs_option
@out_option
@start_programs_option
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON of ASCII alone.")
@bounded
def control(
    bundle: Path | None,
    plan: Path,
    key: Path,
    engine: str | None,
    runs: Path,
    out: Path,
    *,
    start_programs: bool,
    as_json: bool,
    **limits: Any,
) -> None:
    """Play the positive control of memory and judge it; or judge the BUNDLE of one that was played.

    An opponent with planted habits is met without a memory, with several, with a placebo and with an oracle. What must
    hold in each game: the memory is worth something, the placebo is not, the noisy memory is not worth more than the
    memory, the oracle is at the top; and the placebo's notes are as many and as long as the entries in whose place
    they stand, and change hardly a decision.

    The last line is the verdict.

    Example: agzamov memory control

    Exit code 0: everything holds. 1: something does not, or the bundle fails its check.
    2: wrong use. 4: the run stopped; resume it, then judge its bundle.
    """
    if bundle is None:
        with faults():
            options = PlayOptions(engine, out, quiet=as_json, start_programs=start_programs)
            bundle = played(plan_file(plan, small=False), key, runs, options).bundle
        if not as_json:
            click.echo(f"bundle: {bundle}")
    elif why := no_bundle(bundle):
        fail(why, EXIT_USAGE)
    collected, _ = collected_from(bundles=(bundle,), engine=engine, jobs=None, key_files=(), as_json=as_json, **limits)
    with shown(quiet=as_json), busy("judging the control"):
        verdict = control_verdict(bundle, collected)
    tell(verdict_document(verdict), verdict_lines(verdict), as_json=as_json)
    if not verdict.holds:
        sys.exit(EXIT_FAILED)
