"""Planted information, through the whole pipeline: a sealed run, its journals, its bundle, verification, the deltas.

An ordinary run of Phase 2 with an oracle: the same reference player in three arms, on the same starts, against the same
opponent with a habit. In the naked arm it is told nothing, in the real arm what is true of the opponent, in the placebo
arm something false, in a text of the same length. True information must show a delta above 0, false information must
not.
"""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.pipeline.pack import pack
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import RunPorts, ports_of
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_harness.seat_kinds.scripted_kind import LocalSeat
from agzamov_verify.checks.check_log import Status
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.envelope import key_id
from agzamov_verify.experiment.matches import Arm, Augmentation, Phase
from agzamov_verify.scoring.analysis import Seeds
from agzamov_verify.scoring.hypotheses.contrasts import ContrastPart, weighed
from agzamov_verify.scoring.hypotheses.delta_contrasts import difference
from agzamov_verify.scoring.hypotheses.evidence import Evidence
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.inference.unit_values import Measure
from agzamov_verify.scoring.match_cells import cells_of
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.seats import ReferenceSeat

from .finding import Finding

PLAYER, OPPONENT, ORACLE = "player", "opponent", "oracle"
RESAMPLES = 10_000
TICK_NS = 1_000_000
FALSE_ALARM = 0.025  # how often the interval of a delta of nothing lies above 0
LEVEL = Fraction(1, 100)
MEASURES = {"chess960": Measure.SCORE, "holdem": Measure.PERFORMANCE}


@dataclass(frozen=True)
class Planted:
    """What is planted in one game: the opponent's habits, what is said of it truly and falsely, the size of a match."""

    game: str
    patterns: tuple[str, ...]
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
        seats = {PLAYER: {"kind": "reference"}, OPPONENT: {"kind": "reference", "patterns": list(self.patterns)}}
        match = {"phase": int(Phase.ASYMMETRIC), "game": self.game, "a": PLAYER, "b": OPPONENT, **self.match}
        matches = [{**match, "condition": condition(arm)} for arm in (Arm.NAKED, Arm.REAL, Arm.PLACEBO)]
        oracle = {"kind": "oracle", "facts": self.true, "placebo": self.false}
        return {
            "title": f"Planted in {self.game}",
            "seats": seats,
            "systems": {ORACLE: oracle},
            "matches": matches,
            **self.rules,
        }


def condition(arm: Arm) -> dict[str, str]:
    """The condition of one arm."""
    named = {} if arm is Arm.NAKED else {"system": ORACLE}
    return {"augmentation": Augmentation.MEMORY.value, "arm": arm.value, **named}


POKER = Planted(
    "holdem",
    ("never_folds_pairs", "never_bluffs_rivers"),
    "- after the flop is dealt, never fold a pair or better.\n"
    "- on the river, bet or raise only with two pair or better.",
    "- on the river, fold to any bet if your best hand is less than two pair.\n"
    "- on the button, never raise suited aces.",
    {"hands": 1_000, "block_hands": 50},
    {"holdem": {"session_hands": 50}},
)
CHESS = Planted(
    "chess960",
    ("king_answers_checks",),
    "- When in check, moves its king, as long as it has a legal move.",
    "- Moves its queen whenever it is attacked and has legal squares.",
    {"games": 60, "block_games": 2},
    {"chess960": {"adjudication": {"policy": "material", "threshold_points": 2, "plies": 4}, "plies_max": 40}},
)
GAMES = ("poker", "chess")
FULL = {"poker": POKER, "chess": CHESS}
SMALL = {"poker": replace(POKER, match={"hands": 800, "block_hands": 50}), "chess": CHESS}


def findings(case: str, size: Mapping[str, Planted], seed: str) -> list[Finding]:
    """Play what is planted in one game, verify the bundle, and compare the deltas."""
    planted = size[case]
    with tempfile.TemporaryDirectory() as folder:
        verdict = verify(play(planted, Path(folder), seed), Options())
    believed = verification(planted, verdict)
    if not believed.passed:
        return [believed]
    return [believed, *judged(planted, verdict)]


def verification(planted: Planted, verdict: Verdict) -> Finding:
    """Every step holds."""
    failed = ", ".join(step.name for step in verdict.steps if step.status is Status.FAIL)
    return Finding(
        f"verification of the bundle, {planted.game}", failed or "no step", "fails", "no step", not failed, 0.0
    )


def play(planted: Planted, folder: Path, seed: str) -> Path:
    """The bundle of a run, which follows from the seed alone."""
    plan = plan_from(planted.plan)
    secret = hashlib.sha256(f"{seed}/{planted.game}".encode()).digest()
    key = Ed25519PrivateKey.from_private_bytes(secret)
    manifest, _ = seal(plan, key_id(key.public_key()), None, secret)
    manifest = msgspec.structs.replace(manifest, nonce=secret.hex()[:32])
    directory = run_folder.create(folder / "runs", manifest, secret, key)
    ticks = count(step=TICK_NS)
    ports = RunPorts(ports_of({name: LocalSeat(ReferenceSeat(), None) for name in plan.seats}, None))
    blocks = Runner(directory, ports, lambda: next(ticks), State(plan, None), Stop(), 1).play()
    return pack(directory, blocks, key, folder / "bundles").bundle


# --- what the bundle says ------------------------------------------------------------------------


def judged(planted: Planted, verdict: Verdict) -> Iterator[Finding]:
    """The deltas of true and of false information, by the code that tests hypotheses, on the replayed games."""
    true, false = (delta(planted, verdict, arm) for arm in (Arm.REAL, Arm.PLACEBO))
    yield helps(f"true information, {planted}", true)
    yield does_not_help(f"false information of the same length, {planted}", false)


def delta(planted: Planted, verdict: Verdict, arm: Arm) -> ContrastPart:
    """One arm less the naked one, on the same starts."""
    manifest = verdict.manifest
    assert manifest is not None
    cells = cells_of(manifest, verdict.blocks)
    told, naked = (next(cell for cell in cells if cell.key.arm is wanted) for wanted in (arm, Arm.NAKED))
    evidence = Evidence(cells, load_score_constants(manifest.plan.protocol), Seeds(Dice(bytes(32))), RESAMPLES)
    groups = difference(told, naked, MEASURES[planted.game])
    how = evidence.resampling(groups[0].units.scale.unit)
    return weighed(f"{planted.game}, {arm.value}", groups, Alternative.GREATER, how).parts[0]


def helps(name: str, part: ContrastPart) -> Finding:
    """Above 0 at 1 %."""
    estimate = part.estimate
    assert estimate is not None
    passed = part.test.rejects(LEVEL)
    return Finding(name, _value(estimate), _error(estimate), f"delta above 0 at 1 %: p = {part.test.p}", passed, 0.0)


def does_not_help(name: str, part: ContrastPart) -> Finding:
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
