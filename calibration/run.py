"""The calibration suite: does the instrument measure what it says? `make calibrate` runs all of it.

    python calibration/run.py [--seed TEXT] [--small] [--only streams|poker|chess] [--jobs N]

Everything follows from the seed, so a run is the same on every machine. Exit code 0: every check holds. 1: one does
not. The last line is the summary.
"""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import planted
import streams
from agzamov_verify.workers import cores, end_with_parent
from finding import Finding

SEED = "agzamov calibration 1"
PARTS = ("streams", *planted.GAMES)


def main(arguments: list[str]) -> int:
    """Run the parts that are wanted, print a line for each check, and sum up."""
    wanted = _parser().parse_args(arguments)
    began, found = time.monotonic(), []
    print(f"seed: {wanted.seed!r}", flush=True)
    for finding in _all(wanted):
        print(finding.line, flush=True)
        found.append(finding)
    print(summary(found, wanted.seed, time.monotonic() - began))
    return 0 if all(one.passed for one in found) else 1


def summary(found: list[Finding], seed: str, wall_s: float) -> str:
    """One line: what holds, how long it took, and how often a sound instrument fails with another seed."""
    failed = sum(not one.passed for one in found)
    chance = sum(one.by_chance for one in found)
    verdict = f"FAILED: {failed} of {len(found)} checks" if failed else f"calibrated: all {len(found)} checks hold"
    return f"{verdict}; seed {seed!r}; {wall_s:.0f} s; another seed fails a sound instrument in at most {chance:.1%}"


def _all(wanted: argparse.Namespace) -> Iterator[Finding]:
    parts = [wanted.only] if wanted.only else PARTS
    if "streams" in parts:
        one = partial(streams.findings, size=streams.SMALL if wanted.small else streams.FULL, seed=wanted.seed)
        with ProcessPoolExecutor(wanted.jobs, multiprocessing.get_context("spawn"), end_with_parent) as pool:
            for some in pool.map(one, streams.cases()):
                yield from some
    for game in planted.GAMES:
        if game in parts:
            size = planted.SMALL if wanted.small else planted.FULL
            yield from planted.findings(size[game], wanted.seed, wanted.jobs)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="calibrate", description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--seed", default=SEED, help="everything is drawn from this text")
    parser.add_argument("--small", action="store_true", help="a smaller form, for the tests")
    parser.add_argument("--only", choices=PARTS, help="one part alone")
    parser.add_argument("--jobs", type=int, default=cores(), help="processes side by side; default: one a core")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
