"""Several bundles as one body of evidence: each is verified first, and only those of one protocol go together."""

import hashlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..analysis_plan import AnalysisPlan, HypothesisId
from ..checks import Options, verify
from ..checks.ledger import Status
from ..manifest import Manifest
from ..protocol import load_protocol
from ..report import finding_line
from ..scoring.agzamov.cells import AGAINST_HOUSE, Cell, CellKey, ChessCell, cells_of, pooled
from ..scoring.agzamov.norm import load_score_norm
from ..scoring.compliance import departures
from ..scoring.hypotheses.evidence import SANITY, Evidence
from ..scoring.watched import open_ended

SEED = b"agz/scores/v1"


class CannotCombine(ValueError):
    """Bundles that do not make one body of evidence; the message names the bundle and what to do."""


class Source(msgspec.Struct, frozen=True):
    """One bundle: its run, the level that it reached, and the steps that could not be checked.

    `open_ended`: matches of no fixed length, of which nothing is taken. `departures`: where its plan is not its
    protocol's.
    """

    run: str
    level: str
    not_checked: tuple[str, ...]
    open_ended: tuple[str, ...] = ()
    departures: tuple[str, ...] = ()


class Collected(NamedTuple):
    """All bundles together: the protocol that all of them follow, and what every one of their plans declares."""

    protocol: str
    plan: AnalysisPlan
    sources: tuple[Source, ...]
    evidence: Evidence


class Taken(NamedTuple):
    """What was taken from one verified bundle."""

    manifest: Manifest
    source: Source
    cells: list[Cell]


def collect(paths: Sequence[Path], options: Options, tick: Callable[[str], None] = lambda _: None) -> Collected:
    """Verify every bundle and put their cells together. Raises CannotCombine."""
    return combine([take(path, options, tick) for path in paths])


def take(path: Path, options: Options, tick: Callable[[str], None] = lambda _: None) -> Taken:
    """One bundle. Raises CannotCombine for one that fails a check."""
    verdict = verify(path, options, tick)
    if verdict.failed or verdict.manifest is None:
        finding = finding_line(verdict.findings[0]) if verdict.findings else "it could not be read"
        raise CannotCombine(f"{path}: expected a bundle that passes its check; {finding}")
    missing = tuple(step.name for step in verdict.steps if step.status is Status.NOT_CHECKED)
    plan = verdict.manifest.plan
    fixed_size = {name: blocks for name, blocks in verdict.blocks.items() if name not in open_ended(plan)}
    source = Source(verdict.run, verdict.level, missing, open_ended(plan), departures(plan))
    cells = cells_of(verdict.manifest, fixed_size, verdict.answers)
    return Taken(verdict.manifest, source, [cell for cell in cells if cell.key.part != AGAINST_HOUSE])


def combine(taken: Sequence[Taken]) -> Collected:
    """All cells as one body of evidence, in the order of the runs. Raises CannotCombine.

    Phase 0 lets a seat into a run, so every run may have its own, and they are pooled. Any other cell may be there
    once, and all cells of a model in one game were played by the same rules.
    """
    ordered = sorted(taken, key=lambda one: one.source.run)
    protocol = one_protocol([one.manifest for one in ordered])
    runs = [one.source.run for one in ordered]
    if len(set(runs)) < len(runs):
        raise CannotCombine(f"expected every run once, found {max(runs, key=runs.count)} in several bundles")
    resamples = load_protocol(protocol).bootstrap_resamples
    _refuse_other_rules(ordered)
    early = [f"{name} of run {one.source.run}" for one in ordered for name in one.source.open_ended]
    evidence = Evidence(_cells(ordered), load_score_norm(protocol), seeds_of(runs), resamples, open_ended=early)
    plan = declared_by_all([one.manifest.plan.analysis for one in ordered])
    return Collected(protocol, plan, tuple(one.source for one in ordered), evidence)


def _cells(ordered: Sequence[Taken]) -> list[Cell]:
    cells: dict[CellKey, tuple[Cell, str]] = {}
    for one in ordered:
        for cell in one.cells:
            there = cells.get(cell.key)
            if there and cell.key.phase != SANITY:
                raise CannotCombine(
                    f"{cell.key}: expected once, found in runs {there[1]} and {one.source.run}; leave one of them out"
                )
            cells[cell.key] = (pooled(there[0], cell) if there else cell, one.source.run)
    return [cell for cell, _ in cells.values()]


def _refuse_other_rules(ordered: Sequence[Taken]) -> None:
    """Raises CannotCombine where a model played one game by other rules in another run."""
    first: dict[tuple[str, str], tuple[object, str]] = {}
    for one in ordered:
        plan = one.manifest.plan
        for cell in one.cells:
            rules = (plan.chess960, plan.engine, plan.quality) if isinstance(cell, ChessCell) else plan.holdem
            norm, run = first.setdefault((cell.key.model, cell.key.game), (rules, one.source.run))
            if rules != norm:
                raise CannotCombine(
                    f"{cell.key}: expected the rules of run {run}, found others in {one.source.run}; "
                    "score what was played by the same rules"
                )


def declared_by_all(plans: Sequence[AnalysisPlan]) -> AnalysisPlan:
    """The hypotheses that every plan declares, at the least alpha of all: nobody may declare after the data."""
    kept = tuple(name for name in HypothesisId if all(name in plan.hypotheses for plan in plans))
    return AnalysisPlan(kept, min((plan.alpha for plan in plans), key=Fraction))


def one_protocol(manifests: Sequence[Manifest]) -> str:
    """The protocol of all manifests. Raises CannotCombine."""
    found = {(manifest.plan.protocol, manifest.protocol_sha256) for manifest in manifests}
    if len(found) != 1:
        named = ", ".join(f"{name} ({digest[:12]})" for name, digest in sorted(found)) or "none"
        raise CannotCombine(f"expected bundles of one protocol version, found {named}; score each version by itself")
    return manifests[0].plan.protocol


def seeds_of(runs: Sequence[str]) -> Callable[[str], bytes]:
    """Seeds of named draws, from the runs alone: the same whoever scores them, in whatever order."""

    def seed(name: str) -> bytes:
        return hashlib.sha256(b"/".join((SEED, *(run.encode() for run in runs), name.encode()))).digest()

    return seed
