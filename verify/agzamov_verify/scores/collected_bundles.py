"""Several bundles as one body of evidence: each is verified first, and only those of one protocol go together."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from ..checks.check_log import Status
from ..checks.steps import Options, Verdict, verify
from ..core.columns import quoted
from ..core.waiting import counted
from ..experiment.analysis_plan import AnalysisPlan, HypothesisId
from ..experiment.matches import CONTROLS, Arm, Augmentation, Match, Phase
from ..plan.manifest import Manifest
from ..plan.people_study import is_study
from ..plan.rules_played import rules_played, unlike_words
from ..protocols import PROTOCOLS
from ..protocols.norms import load_protocol
from ..scoring.agzamov.comparable import other_rules, unlike_designs
from ..scoring.departures import departures
from ..scoring.early_stopping import open_ended
from ..scoring.hypotheses.evidence import Evidence, ProbeCell, parts_of, traits_of
from ..scoring.match_cells import cells_of, model_of, probes_of
from ..scoring.units.cells import AGAINST_BENCHMARK, Cell, CellKey, arm_of, pooled
from ..scoring.units.score_constants import load_score_constants
from ..show.text.gate_words import failed_gates
from ..show.text.verdict_report import attested_of_systems, finding_line, warnings_told
from ..systems import System
from ..table.registry import GAMES

SHOWN_MAX = 3
STUDY_APART: Final = "a study with people is no part of the Agzamov Score"


def warnings_between(runs: Mapping[CellKey, str], systems: Mapping[str, System]) -> Iterator[str]:
    """Warnings for cells that are compared with one another; `runs`: the run of each cell."""
    yield from _deltas_across_runs(runs)
    yield from _unequal_amounts(runs, systems)


def _deltas_across_runs(runs: Mapping[CellKey, str]) -> Iterator[str]:
    """Deltas whose two arms are not of one run, so that each arm may have been chosen among many."""
    found = [
        f"{key} is of run {run}, its {arm.value} arm of run {other}"
        for key, run in sorted(runs.items())
        for arm in (Arm.NAKED, *CONTROLS)
        if key.arm is Arm.REAL and (other := arm_of(runs, key, arm)) not in (None, run)
    ]
    if found:
        yield f"the arms of a delta are not of one run, and each may be chosen among many: {_some(found)}"


def _unequal_amounts(runs: Mapping[CellKey, str], systems: Mapping[str, System]) -> Iterator[str]:
    """Systems of one augmentation that may tell unequal amounts: the difference is then not of the systems alone."""
    amounts: dict[str, dict[str, str]] = {}
    for key in sorted(runs):
        system = systems.get(key.system)
        if key.arm is Arm.REAL and system and (told := _told_at_most(system, systems)):
            amounts.setdefault(key.augmentation.value, {})[key.system] = told
    for augmentation, by_system in amounts.items():
        if len(set(by_system.values())) > 1:
            lines = [f"{name} at most {amount}" for name, amount in by_system.items()]
            yield f"systems compared under {augmentation} may tell unequal amounts: {_some(lines)}"


def _told_at_most(system: System, systems: Mapping[str, System]) -> str:
    """The amount that a system, or each of its parts, may tell."""
    parts = (systems[name].told_at_most for name in system.parts if name in systems)
    return system.told_at_most or " + ".join(filter(None, parts))


def _some(parts: list[str]) -> str:
    more = f"; and {len(parts) - SHOWN_MAX} more" if len(parts) > SHOWN_MAX else ""
    return "; ".join(parts[:SHOWN_MAX]) + more


SEED = b"agz/scores/v1"
KEY_SHOWN = 16


class CannotCombine(ValueError):
    """Bundles that do not make one body of evidence; the message names the bundle and what to do."""


NO_VARIANT: Final = "the usual one"


class BundleSource(msgspec.Struct, frozen=True):
    """One bundle: its run, the key that signed it, the level that it reached, and the steps that could not be checked.

    `open_ended`: matches of no fixed length, of which nothing is taken. `departures`: where its plan is not its
    protocol's. `variants`: by game, the variant of the protocol that it was played by, where it has several.
    `ways_of_use`: by kind of system, the way in which it was used. `attested`: what of its systems
    rests on the submitter's word. `warnings`: those of its report. `failed_gates`: which player failed Phase 0, and by
    what, so that it plays no later phase of that game.
    """

    run: str
    submitter: str
    level: str
    not_checked: tuple[str, ...]
    open_ended: tuple[str, ...] = ()
    departures: tuple[str, ...] = ()
    variants: dict[str, str] = {}
    ways_of_use: dict[str, str] = {}
    attested: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    failed_gates: tuple[str, ...] = ()


class Collected(NamedTuple):
    """All bundles together: their protocol, the union of their plans' declarations, and limits of comparisons.

    `rules`: by which each model played each game (`rules_played`).
    """

    protocol: str
    plan: AnalysisPlan
    sources: tuple[BundleSource, ...]
    evidence: Evidence
    warnings: tuple[str, ...] = ()
    rules: Mapping[tuple[str, str], Mapping[str, str]] = MappingProxyType({})


class VerifiedBundle(NamedTuple):
    """The manifest, source, cells and answers to probes of one bundle that passed its check."""

    manifest: Manifest
    source: BundleSource
    cells: list[Cell]
    probes: tuple[ProbeCell, ...] = ()


def collect(paths: Sequence[Path], options: Options, keys: Collection[str] = ()) -> Collected:
    """Verify every bundle and put their cells together. Raises CannotCombine.

    With `keys`, only bundles that one of these key ids signed are taken.
    """
    bundles = [verified_bundle(path, options) for path in counted("bundles", paths, len(paths))]
    for path, bundle in zip(paths, bundles, strict=True):
        if keys and bundle.source.submitter not in keys:
            expected = ", ".join(sorted(key[:KEY_SHOWN] for key in keys))
            found = bundle.source.submitter[:KEY_SHOWN]
            raise CannotCombine(f"{path}: expected a bundle signed by key {expected}, found key {found}; leave it out")
    return combine(bundles)


def passed(path: Path, options: Options) -> Verdict:
    """The verdict of a bundle that passes its check. Raises CannotCombine for another."""
    verdict = verify(path, options)
    if verdict.failed or verdict.manifest is None:
        finding = finding_line(verdict.findings[0]) if verdict.findings else "it could not be read"
        raise CannotCombine(f"{path}: expected a bundle that passes its check; {finding}")
    return verdict


def passed_once(paths: Iterable[Path], options: Options) -> Iterator[Verdict]:
    """The verdicts of bundles that pass their checks. Raises CannotCombine, also for a run that is there twice."""
    found = dict[str, Path]()
    for path in paths:
        verdict = passed(path, options)
        if other := found.get(verdict.run):
            again = "it is named twice" if path == other else f"{other} has it too"
            raise CannotCombine(f"{path}: expected every run once, found {verdict.run} again: {again}; leave one out")
        found[verdict.run] = path
        yield verdict


def verified_bundle(path: Path, options: Options) -> VerifiedBundle:
    """One bundle. Raises CannotCombine for one that fails a check."""
    return bundle_of(passed(path, options))


def bundle_of(verdict: Verdict) -> VerifiedBundle:
    """The bundle of a verdict of `passed`."""
    assert verdict.manifest
    missing = tuple(step.name for step in verdict.steps if step.status is Status.NOT_CHECKED)
    plan = verdict.manifest.plan
    fixed_size = {name: blocks for name, blocks in verdict.blocks.items() if name not in open_ended(plan)}
    all_cells = cells_of(verdict.manifest, fixed_size, verdict.answers)
    cells = [cell for cell in all_cells if cell.key.part != AGAINST_BENCHMARK]
    games = {cell.key.game for cell in cells}
    variants = {name: GAMES[name].variant(plan.rules_of(name)) for name in GAMES if name in games}
    uses = {kind: " and ".join(ways) for kind, ways in plan.ways_of_use.items()}
    source = BundleSource(
        verdict.run,
        verdict.submitter,
        verdict.level,
        missing,
        open_ended(plan),
        departures(plan),
        {name: variant for name, variant in variants.items() if variant},
        uses,
        tuple(attested_of_systems(verdict.manifest)),
        tuple(warnings_told(verdict)),
        tuple(failed_gates(verdict.results.matches, load_protocol(plan.protocol).phase0)) if verdict.results else (),
    )
    probes = tuple(probes_of(verdict.manifest, verdict.blocks))
    return VerifiedBundle(verdict.manifest, source, cells, probes)


def combine(bundles: Sequence[VerifiedBundle]) -> Collected:
    """All cells as one body of evidence, in the order of the runs. Raises CannotCombine.

    Phase 0 lets a seat into a run, so every run may have its own, and they are pooled. Any other cell may be there
    once, and all cells of a model in one game were played by the same rules.
    """
    ordered = sorted(bundles, key=lambda bundle: bundle.source.run)
    protocol = one_protocol([bundle.manifest for bundle in ordered])
    runs = [bundle.source.run for bundle in ordered]
    if len(set(runs)) < len(runs):
        raise CannotCombine(f"expected every run once, found {max(runs, key=runs.count)} in several bundles")
    resamples = load_protocol(protocol).bootstrap_resamples
    _refuse_two_variants(ordered)
    _refuse_two_uses(ordered)
    rules = _one_set_of_rules(ordered)
    _refuse_other_settings(ordered)
    _refuse_other_servers(ordered)
    early = [f"{name} of run {bundle.source.run}" for bundle in ordered for name in bundle.source.open_ended]
    systems = _systems(ordered)
    traits = traits_of(systems)
    constants, seeds = load_score_constants(protocol), seeds_of(runs)
    cells = _cells(ordered)
    every = [cell for cell, _ in cells.values()]
    between = warnings_between({key: run for key, (_, run) in cells.items()}, systems)
    warnings = (*between, *other_rules(rules), *unlike_designs(every))
    probes = [probe for bundle in ordered for probe in bundle.probes]
    evidence = Evidence(every, constants, seeds, resamples, probes, traits, early, parts=parts_of(systems))
    plan = declared_by_all([bundle.manifest.plan.analysis for bundle in ordered])
    return Collected(protocol, plan, tuple(bundle.source for bundle in ordered), evidence, warnings, rules)


def _cells(ordered: Sequence[VerifiedBundle]) -> dict[CellKey, tuple[Cell, str]]:
    """Each cell and the run that it is of; of pooled cells, the last one."""
    cells: dict[CellKey, tuple[Cell, str]] = {}
    for bundle in ordered:
        for cell in bundle.cells:
            there = cells.get(cell.key)
            if there and cell.key.phase != Phase.SANITY:
                raise CannotCombine(
                    f"{cell.key}: expected once, found in runs {there[1]} and {bundle.source.run}; leave one of them"
                    " out, or pool the runs of one model with: agzamov leaderboard build FOLDER"
                )
            cells[cell.key] = (pooled(there[0], cell) if there else cell, bundle.source.run)
    return cells


def _refuse_two_variants(ordered: Sequence[VerifiedBundle]) -> None:
    """Raises CannotCombine where a game was played by one variant of its protocol in one run, by another in another."""
    for name, game in GAMES.items():
        runs = {
            game.variant(bundle.manifest.plan.rules_of(name)): bundle.source.run
            for bundle in reversed(ordered)
            if any(cell.key.game == name for cell in bundle.cells)
        }
        if len(runs) > 1:
            found = " and ".join(f"{variant or NO_VARIANT} in run {run}" for variant, run in sorted(runs.items()))
            raise CannotCombine(
                f"expected one variant of the {game.title} prompt, found {found}; score each variant by itself,"
                " for another prompt changes what is measured"
            )


def _refuse_two_uses(ordered: Sequence[VerifiedBundle]) -> None:
    """Raises CannotCombine where a system of one kind is asked by the harness in one run, and by a model in another."""
    first: dict[str, tuple[str, str]] = {}
    for bundle in ordered:
        for kind, use in bundle.source.ways_of_use.items():
            norm, run = first.setdefault(kind, (use, bundle.source.run))
            if use != norm:
                found = f"{norm} in run {run} and {use} in run {bundle.source.run}"
                raise CannotCombine(
                    f"expected one way of use of systems of kind {kind}, found {found}; score each by itself: they"
                    " measure different things"
                )


def _one_set_of_rules(ordered: Sequence[VerifiedBundle]) -> dict[tuple[str, str], dict[str, str]]:
    """The rules by which each model played each game. Raises CannotCombine where one played by others in another run.

    A model is one row of a table, and its deltas may have arms of several runs.
    """
    first: dict[tuple[str, str], tuple[VerifiedBundle, dict[str, str]]] = {}
    for bundle in ordered:
        plan = bundle.manifest.plan
        for model, game in dict.fromkeys((cell.key.model, cell.key.game) for cell in bundle.cells):
            there, norm = first.setdefault((model, game), (bundle, rules_played(plan, game)))
            words = unlike_words(norm, rules_played(plan, game))
            if not words and GAMES[game].uses_engine:
                judged, before = plan.quality.nodes, there.manifest.plan.quality.nodes
                words = f"quality.nodes {before} against {judged}" if judged != before else ""
            if words:
                raise CannotCombine(
                    f"{quoted(model)}, {game}: expected one set of rules, found {words} (runs {there.source.run} and"
                    f" {bundle.source.run}); score each by itself, or copy the first plan, change in it what is"
                    " compared, and play that"
                )
    return {key: rules for key, (_, rules) in first.items()}


def _refuse_other_settings(ordered: Sequence[VerifiedBundle]) -> None:
    """Raises CannotCombine where a model had other settings in another run, or met another opponent in another arm.

    A delta across runs would be of the settings, or of the opponents.
    """
    first: dict[object, tuple[object, str]] = {}
    for bundle in ordered:
        for match in bundle.manifest.plan.matches:
            for place, manner, what in _manners(bundle.manifest, match):
                there, run = first.setdefault(place, (manner, bundle.source.run))
                if there != manner:
                    raise CannotCombine(
                        f"{match.id} of run {bundle.source.run}: expected {what} as in run {run}, found another; "
                        "score what was played alike"
                    )


def _manners(manifest: Manifest, match: Match) -> Iterator[tuple[object, object, str]]:
    """Settings that must be the same in all runs: place in the experiment, value, and name."""
    seats, model, augmentation = manifest.plan.seats, model_of(manifest, match.measured), match.condition.augmentation
    again = manifest.plan.repeats.get(match.measured)
    temperature = again.temperature if again else ""
    yield (model, temperature), seats[match.measured].manner, f"settings of {match.measured}"
    if augmentation is not Augmentation.NAKED:
        opponents = tuple((seats[at.seat].manner, at.condition) for at in match.opponents)
        sub_phase = (model, temperature, match.game, match.phase, augmentation)
        yield sub_phase, (opponents, match.shifts), "an opponent, its system and its shifts"
    if match.phase == Phase.ASYMMETRIC:
        told = tuple((seats[at.seat].patterns, seats[at.seat].briefing) for at in match.opponents)
        at_any_temperature = (model, match.game, augmentation, "told")
        yield at_any_temperature, (told, match.shifts), "what the opponent is told, at every temperature of seat A,"
    if match.careers:
        yield (model, match.game, "careers"), match.careers, "a number of careers"


def _systems(ordered: Sequence[VerifiedBundle]) -> dict[str, System]:
    """The systems of all plans. Raises CannotCombine where one name stands for two of them."""
    by_name: dict[str, tuple[System, str]] = {}
    for bundle in ordered:
        for name, system in bundle.manifest.plan.systems.items():
            there, run = by_name.setdefault(name, (system, bundle.source.run))
            if there.without_place != system.without_place:
                raise CannotCombine(
                    f"system {name}: expected that of run {run}, found another in {bundle.source.run}; "
                    "give different systems different names"
                )
    return {name: system for name, (system, _) in by_name.items()}


def _refuse_other_servers(ordered: Sequence[VerifiedBundle]) -> None:
    """Raises CannotCombine where a memory of one name had another sealed server in another run."""
    first: dict[str, tuple[object, str]] = {}
    for bundle in ordered:
        for name, pin in bundle.manifest.memories.items():
            there, run = first.setdefault(name, (pin, bundle.source.run))
            if there != pin:
                raise CannotCombine(
                    f"system {name}: expected the server sealed in run {run}, found another name, version, adapter or"
                    f" list of tools in {bundle.source.run}; score each server by itself"
                )


def declared_by_all(plans: Sequence[AnalysisPlan]) -> AnalysisPlan:
    """The hypotheses that every plan declares, at the least alpha of all: nobody may declare after the data."""
    kept = tuple(name for name in HypothesisId if all(name in plan.hypotheses for plan in plans))
    return AnalysisPlan(kept, min((plan.alpha for plan in plans), key=Fraction))


def one_protocol(manifests: Sequence[Manifest]) -> str:
    """The protocol of all manifests. Raises CannotCombine."""
    protocols = {(manifest.plan.protocol, manifest.protocol_sha256) for manifest in manifests}
    if len(protocols) != 1:
        found = ", ".join(f"{name} ({digest[:12]})" for name, digest in sorted(protocols)) or "none"
        raise CannotCombine(f"expected bundles of one protocol version, found {found}; score each version by itself")
    protocol = manifests[0].plan.protocol
    figures = "`show BUNDLE --details` has its figures"
    if is_study(manifests[0].plan):
        raise CannotCombine(f"{STUDY_APART}; {figures}")
    version = PROTOCOLS[protocol]
    if set(version.phases) == {Phase.ARENA}:
        instead = figures if version.people else "`agzamov arena table FOLDER` ranks its players"
        raise CannotCombine(f"{protocol} has no phases with and without a memory, so no score; {instead}")
    return protocol


def seeds_of(runs: Sequence[str]) -> Callable[[str], bytes]:
    """Seeds of named draws, from the runs alone: the same whoever scores them, in whatever order."""

    def seed(name: str) -> bytes:
        return hashlib.sha256(b"/".join((SEED, *(run.encode() for run in runs), name.encode()))).digest()

    return seed
