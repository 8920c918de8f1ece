"""The calibration suite: does the instrument measure what it says? `make calibrate` runs all of it.

    PYTHONPATH=studies .venv/bin/python -m calibration [--seed TEXT] [--small] [--only PART] [--jobs N]

Everything follows from the seed, so a run is the same on every machine. Exit code 0: every check holds. 1: one does
not. The last line is the summary.
"""

import argparse
import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

from agzamov_verify.core.workers import cores, end_with_parent

from . import (
    arena_ratings,
    careers,
    clusters,
    drift,
    equal_prompts,
    families,
    planned_power,
    planted,
    scores,
    stream_matches,
    streams,
    time_constants,
)
from .finding import Finding

SEED = "agzamov calibration 1"


class Part(NamedTuple):
    """A part of the suite: what gives the findings of a case from its size and the seed, its cases and both sizes."""

    findings: Callable[[Any, Any, str], Iterable[Finding]]
    cases: Iterable[Any]
    full: Any
    small: Any


PARTS = {
    **{game: Part(planted.findings, (game,), planted.FULL, planted.SMALL) for game in planted.GAMES},
    "drift": Part(drift.findings, drift.CASES, drift.FULL, drift.SMALL),
    "equal prompts": Part(equal_prompts.findings, equal_prompts.CASES, equal_prompts.FULL, equal_prompts.SMALL),
    "scores": Part(scores.findings, scores.CASES, scores.FULL, scores.SMALL),
    "streams": Part(streams.findings, streams.cases(), stream_matches.FULL, stream_matches.SMALL),
    "families": Part(families.findings, tuple(families.KINDS), families.FULL, families.SMALL),
    "taus": Part(time_constants.findings, time_constants.LEARNERS, time_constants.FULL, time_constants.SMALL),
    "arena ratings": Part(arena_ratings.findings, tuple(arena_ratings.CASES), arena_ratings.FULL, arena_ratings.SMALL),
    "planning": Part(planned_power.findings, tuple(planned_power.CHECKS), planned_power.FULL, planned_power.SMALL),
    "careers": Part(careers.findings, careers.CASES, careers.FULL, careers.SMALL),
    "clusters": Part(clusters.findings, tuple(clusters.CHECKS), clusters.FULL, clusters.SMALL),
}
"""By name; the parts with the longest cases first, so that no process stands idle at the end."""


class Task(NamedTuple):
    """One case of a part."""

    part: str
    case: Any
    small: bool
    seed: str


def main(arguments: list[str]) -> int:
    """Run the parts that are wanted, print a line for each check, and sum up."""
    wanted = _parser().parse_args(arguments)
    began, found = time.monotonic(), []
    print(f"seed: {wanted.seed!r}", flush=True)
    for finding in _all(wanted):
        print(finding.line, flush=True)
        found.append(finding)
    print(summary(found, wanted.seed, time.monotonic() - began, cpu_s()))
    return 0 if all(one.passed for one in found) else 1


def summary(found: list[Finding], seed: str, wall_s: float, used_s: float) -> str:
    """One line: what holds, how long it took, and how often a sound instrument fails with another seed."""
    failed = sum(not one.passed for one in found)
    chance = sum(one.by_chance for one in found)
    verdict = f"FAILED: {failed} of {len(found)} checks" if failed else f"calibrated: all {len(found)} checks hold"
    took = f"{wall_s / 60:.1f} minutes, {used_s / 60:.1f} CPU minutes"
    return f"{verdict}; seed {seed!r}; {took}; another seed fails a sound instrument in at most {chance:.1%}"


def cpu_s() -> float:
    """CPU time of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _all(wanted: argparse.Namespace) -> Iterator[Finding]:
    """The findings of all cases, which are shared out to processes."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of each process: threads of several processes wait for each other
    parts = [wanted.only] if wanted.only else PARTS
    tasks = [Task(part, case, wanted.small, wanted.seed) for part in parts for case in PARTS[part].cases]
    with ProcessPoolExecutor(wanted.jobs, multiprocessing.get_context("spawn"), end_with_parent) as pool:
        for some in pool.map(found_in, tasks):
            yield from some


def found_in(task: Task) -> list[Finding]:
    """The findings of one case."""
    part = PARTS[task.part]
    return list(part.findings(task.case, part.small if task.small else part.full, task.seed))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="calibrate", description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--seed", default=SEED, help="everything is drawn from this text")
    parser.add_argument("--small", action="store_true", help="a smaller form, for the tests")
    parser.add_argument("--only", choices=tuple(PARTS), help="one part alone")
    parser.add_argument("--jobs", type=int, default=cores(), help="processes side by side; default: one a core")
    return parser
