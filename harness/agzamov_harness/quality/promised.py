"""The engine's judgement of a run's moves before it is packed, where its plan promises it."""

from pathlib import Path

from agzamov_verify.checks.opening import seed_dice
from agzamov_verify.checks.quality import Played
from agzamov_verify.workers import cores

from ..run import Blocks, Stop
from ..rundir import RunDirectory
from .work import Asking, judge_run


def judge_promised(directory: RunDirectory, blocks: Blocks, engine: Path | None, stop: Stop) -> None:
    """Leave the answers in the run's folder, once. Raises Stopped: what was answered is kept, resuming goes on."""
    manifest = directory.manifest
    if engine is None or directory.quality.exists():
        return
    played = Played(manifest.run_id, manifest.plan, seed_dice(manifest, directory.secret), blocks)
    judge_run(played, directory.quality, Asking(engine, manifest.plan.quality.nodes, cores(), stop))
