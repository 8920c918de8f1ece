"""Planted information, through the whole pipeline: a sealed run, its journals, its bundle, verification, the deltas.

Three seats sit in the same player and play the same opponent on the same starts: one is told nothing, one what is
true of the opponent, one what is false, in a text of the same length. True information must show a delta above 0,
false information must not.

Phase 0 is the one phase of this version in which two different seats meet, and its opponent's chair is declared
`random`. Here the reference player with the planted habit sits in that chair; nothing else is out of the ordinary.
"""

import hashlib
import multiprocessing
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness import rundir
from agzamov_harness.adapters.local import LocalSeat
from agzamov_harness.answers import World
from agzamov_harness.pack import pack
from agzamov_harness.progress import State
from agzamov_harness.run import Runner, Stop
from agzamov_harness.seal import plan_from, seal
from agzamov_verify.checks import Options, Verdict, verify
from agzamov_verify.checks.ledger import Number, Status
from agzamov_verify.dice import Dice
from agzamov_verify.envelope import key_id
from agzamov_verify.scoring.agzamov.cells import Arm, Augmentation, CellKey, cell_of
from agzamov_verify.scoring.agzamov.measures import Measure
from agzamov_verify.scoring.agzamov.norm import load_score_norm
from agzamov_verify.scoring.analysis import Seeds
from agzamov_verify.scoring.hypotheses.contrasts import Part, weighed
from agzamov_verify.scoring.hypotheses.deltas import difference
from agzamov_verify.scoring.hypotheses.evidence import ASYMMETRIC, Evidence
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.workers import end_with_parent
from finding import Finding

NAIVE, TRUE, FALSE, OPPONENT = "naive", "informed", "misinformed", "opponent"
RESAMPLES = 10_000
TICK_NS = 1_000_000
STREAMS_A_JOB = 4
FALSE_ALARM = 0.025  # how often the interval of a delta of nothing lies above 0
LEVEL = Fraction(1, 100)
MEASURES = {"chess960": Measure.SCORE, "holdem": Measure.PERFORMANCE}


@dataclass(frozen=True)
class Planted:
    """What is planted in one game: the opponent's habit, what is said of it truly and falsely, the size of a match."""

    game: str
    pattern: str
    true: str
    false: str
    match: Mapping[str, int]
    rules: Mapping[str, Any]

    def __post_init__(self) -> None:
        assert len(self.true) == len(self.false)

    def __str__(self) -> str:
        return (
            f"{self.match['games']:,} chess games" if "games" in self.match else f"{self.match['hands']:,} poker hands"
        )

    @property
    def plan(self) -> dict[str, Any]:
        """The plan as a person would write it."""
        told = {NAIVE: "", TRUE: self.true, FALSE: self.false}
        seats: dict[str, Any] = {name: {"kind": "reference", "briefing": text} for name, text in told.items()}
        seats[OPPONENT] = {"kind": "random", "patterns": [self.pattern]}
        match = {"phase": 0, "game": self.game, "b": OPPONENT, **self.match}
        matches = [{**match, "a": name} for name in told]
        return {"title": f"Planted in {self.game}", "seats": seats, "matches": matches, **self.rules}


POKER = Planted(
    "holdem",
    "folds_button_to_3bet",
    "- Folds to 3-bet on the button: 85%",
    "- VPIP: 20% | PFR: 15% | 3-Bet: 05%",
    {"hands": 4_000, "block_hands": 200},
    {},
)
CHESS = Planted(
    "chess960",
    "castles_early",
    "- Castles within its first 8 moves, as soon as castling is legal.",
    "- Never makes a move that allows or makes a trade of queens, ever",
    {"games": 200, "block_games": 4},
    {"chess960": {"adjudication": {"policy": "material", "threshold_points": 2, "plies": 4}, "plies_max": 40}},
)
GAMES = ("poker", "chess")
FULL = {"poker": POKER, "chess": CHESS}
SMALL = {
    "poker": replace(POKER, match={"hands": 2_000, "block_hands": 500}),
    "chess": replace(CHESS, match={"games": 80, "block_games": 4}),
}


def findings(planted: Planted, seed: str, jobs: int) -> list[Finding]:
    """Play what is planted, verify the bundle, and compare the deltas."""
    with tempfile.TemporaryDirectory() as folder:
        path = play(planted, Path(folder), seed, jobs)
        verdict = verify(path, Options(jobs=jobs))
    believed = verification(planted, verdict)
    if not believed.passed:
        return [believed]
    return [believed, *judged(planted, verdict)]


def verification(planted: Planted, verdict: Verdict) -> Finding:
    """Every step holds but the one that sees another player in the chair of chance: it must."""
    failed = ", ".join(step.name for step in verdict.steps if step.status is Status.FAIL)
    left_out = any(step.status is Status.NOT_CHECKED for step in verdict.steps)
    wanted = Number.CHANCE.name.lower()
    passed = failed == wanted and not left_out
    return Finding(f"verification of the bundle, {planted.game}", failed, "fails", f"{wanted} alone", passed, 0.0)


def play(planted: Planted, folder: Path, seed: str, jobs: int) -> Path:
    """The bundle of a run, which follows from the seed alone."""
    plan = plan_from(planted.plan)
    secret = hashlib.sha256(f"{seed}/{planted.game}".encode()).digest()
    key = Ed25519PrivateKey.from_private_bytes(secret)
    manifest, _ = seal(plan, key_id(key.public_key()), None, secret)
    directory = rundir.create(folder / "runs", msgspec.structs.replace(manifest, nonce=secret.hex()[:32]), secret)
    ticks = count(step=TICK_NS)
    with _players(plan.seats, jobs) as world:
        streams = STREAMS_A_JOB * jobs
        blocks = Runner(directory, world, lambda: next(ticks), State(plan, None), Stop(), streams).play()
    return pack(directory, blocks, key, folder / "bundles")


@contextmanager
def _players(seats: Iterable[str], jobs: int) -> Iterator[World]:
    """The reference player in every seat, thinking in `jobs` processes."""
    with ExitStack() as stack:
        pool: Executor | None = None
        if jobs > 1:
            context = multiprocessing.get_context("spawn")
            pool = stack.enter_context(ProcessPoolExecutor(jobs, context, end_with_parent))
        yield World({name: LocalSeat("reference", pool) for name in seats}, None)


# --- what the bundle says ------------------------------------------------------------------------


def judged(planted: Planted, verdict: Verdict) -> Iterator[Finding]:
    """The deltas of true and of false information, by the code that tests hypotheses, on the replayed games."""
    true, false = (delta(planted, verdict, seat) for seat in (TRUE, FALSE))
    yield helps(f"true information, {planted}", true)
    yield does_not_help(f"false information of the same length, {planted}", false)


def delta(planted: Planted, verdict: Verdict, seat: str) -> Part:
    """One seat's delta against the seat that is told nothing, on the same starts."""
    evidence = evidence_of(verdict)
    (found,) = [one for one in evidence.deltas(planted.game) if one.real.key.system == seat]
    groups = difference(found.real, found.other, MEASURES[planted.game])
    how = evidence.how(f"planted/{seat}", groups[0].units.scale.unit)
    return weighed(found.name, groups, Alternative.GREATER, how).parts[0]


def evidence_of(verdict: Verdict) -> Evidence:
    """The bundle's replayed games, labelled as the arms of Phase 2 that a memory would be."""
    manifest = verdict.manifest
    assert manifest is not None
    cells = [
        msgspec.structs.replace(cell_of(manifest, match, verdict.blocks[match.id]), key=_key(match.game, match.a))
        for match in manifest.plan.matches
    ]
    seeds = Seeds(Dice(bytes.fromhex(manifest.nonce)))
    return Evidence(cells, load_score_norm(manifest.plan.protocol), seeds, RESAMPLES)


def _key(game: str, seat: str) -> CellKey:
    arm, system = (Arm.NAKED, "") if seat == NAIVE else (Arm.REAL, seat)
    return CellKey("reference", game, ASYMMETRIC, Augmentation.MEMORY, arm, system)


def helps(name: str, part: Part) -> Finding:
    """Above 0 at 1 %."""
    estimate = part.estimate
    assert estimate is not None
    passed = part.test.rejects(LEVEL)
    return Finding(name, _value(estimate), _error(estimate), f"delta above 0 at 1 %: p = {part.test.p}", passed, 0.0)


def does_not_help(name: str, part: Part) -> Finding:
    """The interval does not lie above 0; how much it could still help is said."""
    estimate = part.estimate
    assert estimate is not None
    if estimate.ci is None:  # no game went otherwise, so there is no effect to speak of
        passed, wanted = _exact(estimate) <= 0, "nothing changed at all"
    else:
        passed = Fraction(estimate.ci.low) <= 0
        wanted = f"interval not above 0; below {float(estimate.ci.high):.3g} with 97.5 % confidence"
    return Finding(name, _value(estimate), _error(estimate), wanted, passed, FALSE_ALARM)


def _exact(estimate: Estimate) -> Fraction:
    assert estimate.value is not None
    return Fraction(estimate.value.exact)


def _value(estimate: Estimate) -> str:
    value = float(_exact(estimate))
    return f"{value:+.3f}" if abs(value) < 1 else f"{value:+.1f}"


def _error(estimate: Estimate) -> str:
    if estimate.ci is None:
        return "no interval"
    return f"± {(float(estimate.ci.high) - float(estimate.ci.low)) / 2:.3g}"
