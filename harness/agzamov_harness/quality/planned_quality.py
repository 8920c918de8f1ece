"""The engine's judgement of a run's moves before it is packed, where its plan promises it."""

from collections.abc import Callable
from pathlib import Path

from agzamov_verify.checks.engine_pool import by_name, by_net
from agzamov_verify.checks.opened_bundle import seed_dice
from agzamov_verify.checks.quality import Played, QualityVerdict, read_promised
from agzamov_verify.manifest import ManifestError
from agzamov_verify.scoring.quality.positions import MoveEvaluation
from agzamov_verify.stockfish import EngineFault
from agzamov_verify.untrusted_input import HostileBundle, open_source

from ..adapters.stockfish import side_by_side
from ..ports import PortFault
from ..run import Blocks, Stop
from ..rundir import RunDirectory
from .work import Asking, judge_run


def promised_answers(directory: RunDirectory, blocks: Blocks) -> dict[str, list[MoveEvaluation]]:
    """The answers in the run's folder by game; none where the plan promises none. Raises ManifestError."""
    manifest, folder = directory.manifest, directory.quality
    if not manifest.plan.quality.nodes:
        return {}
    verdict = QualityVerdict(manifest.run_id)
    played = Played(manifest.run_id, manifest.plan, seed_dice(manifest, directory.secret), blocks)
    try:
        answers = read_promised(open_source(folder), "", played, verdict)
    except HostileBundle as error:
        raise ManifestError(f"{folder}/{error.place}: expected {error.expected}, found {error.found}") from error
    for wrong in verdict.findings:
        what = f"expected {wrong.expected}, found {wrong.found}"
        raise ManifestError(f"{folder}/{wrong.place}: {what}; remove the folder, then resume to ask again")
    return answers


def judge_promised(
    directory: RunDirectory,
    blocks: Blocks,
    engine: Path | None,
    stop: Stop,
    tick: Callable[[int, int], None] = lambda _done, _all: None,
) -> None:
    """Ask for the promised answers and leave them in the run's folder; a resumed run keeps those it has.

    In containers, `engine` is the socket of the sealed image. `tick` is told how many positions of how many have their
    answer. Raises Stopped, or PortFault for another engine.
    """
    manifest = directory.manifest
    nodes = manifest.plan.quality.nodes
    if not nodes or engine is None or directory.quality.exists():
        return
    played = Played(manifest.run_id, manifest.plan, seed_dice(manifest, directory.secret), blocks)
    require = by_name if manifest.plan.isolation == "container" else by_net
    try:
        judge_run(played, directory.quality, Asking(engine, nodes, side_by_side(engine), stop, tick, require))
    except EngineFault as error:
        raise PortFault(str(error)) from error
