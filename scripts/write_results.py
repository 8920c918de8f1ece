"""Writes results/README.md from the bundles in results/bundles, each verified first."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core.dice import Dice
from agzamov_verify.experiment.matches import Arm, Phase
from agzamov_verify.scoring.analysis import Seeds
from agzamov_verify.scoring.hypotheses.contrasts import ContrastPart, weighed
from agzamov_verify.scoring.hypotheses.delta_contrasts import difference
from agzamov_verify.scoring.hypotheses.evidence import Evidence
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.inference.unit_values import Measure
from agzamov_verify.scoring.match_cells import cells_of
from agzamov_verify.scoring.units.cells import Cell, arm_of
from agzamov_verify.scoring.units.score_constants import load_score_constants

FOLDER: Final = Path(__file__).parent.parent / "results"
BUNDLES: Final = FOLDER / "bundles"
TARGET: Final = FOLDER / "README.md"
RESAMPLES: Final = 10_000
HEAD: Final = """\
# Results

Signed bundles of models of our own and of others, made by plans of this repository and small enough to be kept in it.
Anybody checks each in a minute:

```sh
.venv/bin/agzamov verify results/bundles/NAME --key results/signer.pem.pub
.venv/bin/agzamov report results/bundles/NAME    # pages with every game to replay
make results                                     # a leaderboard and the reports of all of them, in build/results
```

The tables are written by `scripts/write_results.py` from the bundles, each of which it verifies first; a test compares.
None is a result under the protocol: games are few and short, and the models are small. bb/100: big blinds won in 100
hands. Intervals are of 95 %. *p*: one-sided, that the real arm does better than its placebo (where none was
played, than nothing). *n*: careers, or sessions where there are none.
"""


def results_text() -> str:
    """The page as it is published. Raises ValueError for a bundle that does not verify."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield HEAD.rstrip()
    for bundle in sorted(path for path in BUNDLES.iterdir() if path.is_dir()):
        verdict = verify(bundle, Options())
        if verdict.level != "V1" or verdict.findings or verdict.manifest is None:
            raise ValueError(f"{bundle}: expected V1 without findings, found {verdict.level}, {verdict.findings}")
        yield from ("", f"## {verdict.manifest.plan.title}", "", f"`results/bundles/{bundle.name}`")
        if rows := list(_rows(verdict)):
            yield from (
                "",
                "| what it had | n | real less placebo | p | placebo less nothing | real less nothing |",
                "|---|---|---|---|---|---|",
                *rows,
            )
        if gates := list(_gates(verdict)):
            yield from ("", *gates)


def _gates(verdict: Verdict) -> Iterator[str]:
    """The gate of Phase 0 in each game that has one, and what the harness found too little of a seat's own play for."""
    assert verdict.results is not None
    for row in verdict.results.matches:
        if row.gate:
            yield f"- Phase 0, `{row.id}`: {'passed' if row.gate.passed else f'not passed ({row.gate.reason})'}."
        if row.no_finding:
            yield f"- `{row.id}`: no finding, {row.no_finding}."


def _rows(verdict: Verdict) -> Iterator[str]:
    manifest = verdict.manifest
    assert manifest is not None
    constants, seeds = load_score_constants(manifest.plan.protocol), Seeds(Dice(bytes(32)))
    evidence = Evidence(cells_of(manifest, verdict.blocks), constants, seeds, RESAMPLES)
    for real in evidence.cells.values():
        if real.key.phase is not Phase.ASYMMETRIC or real.key.arm is not Arm.REAL:
            continue
        naked = arm_of(evidence.cells, real.key, Arm.NAKED)
        placebo = arm_of(evidence.cells, real.key, Arm.PLACEBO)
        assert naked is not None
        parts = [
            _less(real, placebo, evidence),
            _less(placebo, naked, evidence),
            _less(real, naked, evidence),
        ]
        first = parts[0] or parts[2]
        assert first is not None
        sizes = "; ".join(f"{size}" for size in first.test.n)
        p = first.test.p or "none"
        yield f"| {real.key.augmentation.value} by `{real.key.system}` | {sizes} | {_words(parts[0])} | {p} | " + (
            " | ".join(_words(part) for part in parts[1:]) + " |"
        )


def _less(one: Cell | None, other: Cell | None, evidence: Evidence) -> ContrastPart | None:
    if one is None or other is None:
        return None
    groups = difference(one, other, Measure.PERFORMANCE)
    how = evidence.resampling(groups[0].units.scale.unit)
    return weighed("", groups, Alternative.GREATER, how).parts[0]


def _words(part: ContrastPart | None) -> str:
    if part is None:
        return "not played"
    estimate = part.estimate
    assert estimate is not None
    assert estimate.value is not None
    value = float(Fraction(estimate.value.exact))
    if estimate.ci is None:
        return f"{value:+.1f} [no interval]"
    return f"{value:+.1f} [{float(estimate.ci.low):+.1f}, {float(estimate.ci.high):+.1f}] {estimate.unit}"


if __name__ == "__main__":
    TARGET.write_text(results_text())
