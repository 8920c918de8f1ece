"""Writes results/README.md from the bundles in results/bundles, each verified first and signed by the policy's key."""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

import yaml

from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core.columns import ascii_words
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.experiment.matches import Arm, Phase
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.scoring.analysis import Seeds
from agzamov_verify.scoring.early_stopping import open_ended
from agzamov_verify.scoring.hypotheses.contrasts import ContrastPart, weighed
from agzamov_verify.scoring.hypotheses.delta_contrasts import difference
from agzamov_verify.scoring.hypotheses.evidence import Evidence
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.inference.unit_values import Measure
from agzamov_verify.scoring.match_cells import cells_of
from agzamov_verify.scoring.units.cells import Cell, arm_of
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.table.registry import GAMES

FOLDER: Final = Path(__file__).parent.parent / "results"
BUNDLES: Final = FOLDER / "bundles"
TARGET: Final = FOLDER / "README.md"
KEY_ID: Final = str(yaml.safe_load((FOLDER / "policy.yaml").read_text())["keys"]["agzamov"])
HUNDREDS: Final = "bb/100"
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
played, than nothing); each by itself, not corrected for how many there are, and computed by the script from the bundle,
which holds the differences and intervals alone. *n*: careers, or sessions or pairs of games where there are none.
No interval: all differences are equal, or there are too few for one.
"""
HEADINGS: Final = ("what it had", "n", "real less placebo", "p", "placebo less nothing", "real less nothing")
ODD: Final = re.compile(r"([\\`*_{}\[\]<>|#])")
"""What Markdown reads as more than text."""


def results_text() -> str:
    """The page as it is published. Raises ValueError for a bundle that does not verify."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield HEAD.rstrip()
    for bundle in sorted(path for path in BUNDLES.iterdir() if path.is_dir()):
        verdict = verify(bundle, Options(find_engine(), jobs=cores(), expected_key_id=KEY_ID))
        if verdict.level != "V1" or verdict.findings or verdict.manifest is None:
            raise ValueError(f"{bundle}: expected V1 without findings, found {verdict.level}, {verdict.findings}")
        yield from _section(bundle.name, verdict, verdict.manifest)


def _section(name: str, verdict: Verdict, manifest: Manifest) -> Iterator[str]:
    """What one bundle found: its gates, and each augmentation of each game that was compared with none."""
    yield from ("", f"## {_plain(manifest.plan.title)}", "", f"`results/bundles/{name}`")
    if gates := list(_gates(verdict)):
        yield from ("", *gates)
    rows = list(_rows(verdict, manifest))
    if tables := [row for row in rows if row.startswith("| ")]:
        yield from ("", f"| {' | '.join(HEADINGS)} |", f"|{'---|' * len(HEADINGS)}", *tables)
    if others := [row for row in rows if not row.startswith("| ")]:
        yield from ("", *others)


def _plain(text: str) -> str:
    """Text of a plan, in which nothing is markup."""
    return ODD.sub(r"\\\1", ascii_words(text))


def _gates(verdict: Verdict) -> Iterator[str]:
    """The gate of Phase 0 in each game that has one."""
    assert verdict.results is not None
    for row in verdict.results.matches:
        if row.gate:
            why = f" ({_plain(row.gate.reason)})" if row.gate.reason else ""
            yield f"- Phase 0, `{row.id}`: {'passed' if row.gate.passed else 'not passed'}{why}."
        if row.no_finding and row.phase != Phase.ASYMMETRIC:
            yield f"- `{row.id}`: no finding, {_plain(row.no_finding)}."


def _rows(verdict: Verdict, manifest: Manifest) -> Iterator[str]:
    """A row of the table for each real arm of a fixed length that has a naked one; a line for one without a finding."""
    constants, seeds = load_score_constants(manifest.plan.protocol), Seeds(Dice(bytes(32)))
    evidence = Evidence(cells_of(manifest, verdict.blocks), constants, seeds, RESAMPLES)
    if of_no_fixed_length := open_ended(manifest.plan):
        raise ValueError(f"expected matches of a fixed length, found {', '.join(of_no_fixed_length)}")
    for real in evidence.cells.values():
        naked = arm_of(evidence.cells, real.key, Arm.NAKED)
        if real.key.phase is not Phase.ASYMMETRIC or real.key.arm is not Arm.REAL or naked is None:
            continue
        placebo = arm_of(evidence.cells, real.key, Arm.PLACEBO)
        what = f"{GAMES[real.key.game].title}: {real.key.augmentation.value} by `{real.key.system}`"
        if why := next((cell.no_finding for cell in (real, naked, placebo) if cell and cell.no_finding), ""):
            yield f"- {what}: no finding, {_plain(why)}."
            continue
        parts = [_less(real, placebo, evidence), _less(placebo, naked, evidence), _less(real, naked, evidence)]
        first = parts[0] or parts[2]
        assert first is not None
        sizes, p = "; ".join(map(str, first.test.n)), first.test.p or "none"
        cells = (what, sizes, _words(parts[0]), p, *map(_words, parts[1:]))
        yield f"| {' | '.join(cells)} |"


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
    if estimate is None or estimate.value is None:
        return "no figure"
    digits = 1 if estimate.unit == HUNDREDS else 3
    value = f"{float(Fraction(estimate.value.exact)):+.{digits}f}"
    if estimate.ci is None:
        return f"{value} [no interval] {estimate.unit}"
    low, high = (f"{float(bound):+.{digits}f}" for bound in (estimate.ci.low, estimate.ci.high))
    return f"{value} [{low}, {high}] {estimate.unit}"


if __name__ == "__main__":
    TARGET.write_text(results_text())
