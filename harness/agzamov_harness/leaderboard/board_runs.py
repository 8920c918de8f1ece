"""What one accepted bundle brings to a leaderboard: the effect of each augmentation, and who stands behind it.

Rows of one board met the same opponent, in words that are the same in every bundle. Phase 2 compares a model with
itself, so there seat B differs from seat A in what it is told alone: patterns and briefing.

The effect is the real arm less its placebo where one was played: what the content added. What the longer prompt does by
itself is then taken out, which less the naked arm it is not. Without a placebo the run is on a board of its own. It is
in the unit of the answers of a run: points a game, or big blinds per 100 hands.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from agzamov_verify.checks.check_log import Status, Step
from agzamov_verify.checks.registration_check import RegistrationVerdict
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.experiment.matches import MEASURED, Arm, Match, Phase
from agzamov_verify.plan.manifest import Manifest, Plan
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.deltas import measured_difference
from agzamov_verify.scoring.early_stopping import open_ended
from agzamov_verify.scoring.hypotheses.evidence import Delta, Evidence
from agzamov_verify.scoring.inference.pooled_runs import RunFigure
from agzamov_verify.scoring.match_cells import cells_of, key_of
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.seats import LocalModelSeat, Seat
from agzamov_verify.show.text.answer_words import reason_words
from agzamov_verify.show.text.answers import Answer, Played, Shown, answers_of
from agzamov_verify.show.text.cost_words import Cost, cost_of
from agzamov_verify.show.text.verdict_report import warnings_told
from agzamov_verify.systems import OracleSystem
from agzamov_verify.table.registry import GAMES

SHOWN_DIGITS: Final = 8
SCRIPT: Final = "script"
SEALED: Final = "sealed"
HOSTED: Final = "hosted"
COMPLIANT: Final = "compliant"
DEPARTS: Final = "departs"
NO_MEMORY: Final = "no memory"
NOT_CHECKED: Final = "not checked"


class Compared(StrEnum):
    """The arm that a real arm is compared with."""

    PLACEBO = "placebo"
    NAKED = "naked"


class Board(NamedTuple):
    """What comparable rows have in common."""

    game: str
    augmentation: str
    opponent: str
    unit: str
    compared: Compared


class Contender(NamedTuple):
    """Who stands behind a row: the submitter's key, the digest of the model's weights, and that of its system.

    Names are no part of it, since anybody may choose them. A hosted model has no digest, so one key has one hosted
    model on a board. A script has its name in the place of a digest.
    """

    key: str
    weights: str
    system: str


class BoardRun(NamedTuple):
    """One figure of one accepted bundle. `less_naked`: beside a figure less placebo, that less the naked arm.

    `careers`: of the real arm; 0 for an augmentation that keeps nothing. `weights`: "sealed" if those of every model at
    its table are sealed, else "hosted"; SCRIPT where the measured seat is none. `plan`: COMPLIANT or DEPARTS.
    `lineage`: the tier of its memory's lineage; NO_MEMORY without a memory. `warnings`: those of its first screen.
    `less_filler`: of a memory, less the arm of as much text of nothing in the game; None where that was not played.
    `match`: of the real arm, whose games show it. `cost`: of its measured seat. `no_result`: why its report has no
    result of it, in words; empty where it has one. `unchecked`: steps of the check that were not taken. `unreported`:
    the account of its study, where a log was given and registered runs of it are missing beyond their deadline;
    `other_runs`: the same where none is missing, and the study has other runs, of which the log has digests alone.
    """

    board: Board
    contender: Contender
    submission: str
    submitter: str
    run: str
    model: str
    system: str
    figure: RunFigure
    less_naked: RunFigure | None
    careers: int
    level: str
    plan: str
    lineage: str
    weights: str
    warnings: tuple[str, ...]
    less_filler: RunFigure | None = None
    match: str = ""
    cost: Cost | None = None
    no_result: str = ""
    unchecked: tuple[Step, ...] = ()
    unreported: str = ""
    other_runs: str = ""


def runs_of(verdict: Verdict, submission: str, submitter: str) -> Iterator[BoardRun]:
    """The effects of a verified bundle. `submitter`: the name that the policy has for its key."""
    manifest, results = verdict.manifest, verdict.results
    if manifest is None or results is None:
        return
    warnings, played = tuple(warnings_told(verdict)), Played(manifest, results, verdict.analysis, verdict.blocks)
    answers = {answer.match: answer for answer in answers_of(played) if answer.setting}
    unchecked = tuple(step for step in verdict.steps if step.status is Status.NOT_CHECKED)
    for key, compared, figure, less_naked, less_filler in _effects(verdict, manifest):
        match = _real_match(manifest, key)
        unit, augmentation = figure.estimate.unit, key.augmentation.value
        yield BoardRun(
            Board(key.game, augmentation, opponent_of(manifest, key), unit, compared),
            Contender(verdict.submitter, _weights_digest(manifest, match), system_digest(manifest, key.system)),
            submission,
            submitter,
            verdict.run,
            key.model,
            key.system,
            figure,
            less_naked,
            match.careers,
            verdict.level,
            DEPARTS if results.departures else COMPLIANT,
            _lineage(manifest.plan, key.system, verdict.lineages),
            weights_of(manifest.plan, match),
            warnings,
            less_filler,
            match.id,
            cost_of(answers[match.id], played),
            _no_result(answers[match.id], manifest.plan),
            unchecked,
            *_studied(verdict.registration),
        )


def _studied(found: RegistrationVerdict | None) -> tuple[str, str]:
    """Title and counts of a study: first where registered runs are missing, else where it has other runs."""
    words = ": ".join(line.strip() for line in found.account[:2]) if found else ""
    return (words, "") if found and found.unreported else ("", words if found and found.others else "")


ORACLE: Final = "an oracle, which tells what the submitter wrote, is measured and not ranked"


def _no_result(answer: Answer, plan: Plan) -> str:
    """Why a row has no verdict and no rank; empty where it has both."""
    if any(isinstance(part, OracleSystem) for part in plan.parts_of(answer.system).values()):
        return ORACLE
    return reason_words(answer) if answer.shown is Shown.NO_RESULT else ""


def _effects(
    verdict: Verdict, manifest: Manifest
) -> Iterator[tuple[CellKey, Compared, RunFigure, RunFigure | None, RunFigure | None]]:
    """Of each real arm of Phase 2: what it is compared with, and the difference; beside a placebo's, the naked arm's.

    The last is the difference from its filler.

    A match that its results may end early has no figure of a fixed size, so no effect.
    """
    plan = manifest.plan
    early = open_ended(plan)
    blocks = {name: found for name, found in verdict.blocks.items() if name not in early}
    protocol, constants = load_protocol(plan.protocol), load_score_constants(plan.protocol)
    cells = cells_of(manifest, blocks, verdict.answers)
    evidence = Evidence(cells, constants, str.encode, protocol.bootstrap_resamples)
    for game in evidence.games:
        placebo, naked, filler = (_figures(evidence, game, arm) for arm in (Arm.PLACEBO, Arm.NAKED, Arm.FILLER))
        for key in sorted({*placebo, *naked}):
            if key in placebo:
                yield key, Compared.PLACEBO, placebo[key], naked.get(key), filler.get(key)
            else:
                yield key, Compared.NAKED, naked[key], None, filler.get(key)


def _figures(evidence: Evidence, game: str, arm: Arm) -> dict[CellKey, RunFigure]:
    """The difference of each real arm from another arm, where there is one."""
    deltas: list[Delta] = evidence.deltas(game, phase=Phase.ASYMMETRIC, against=arm)
    figures = {delta.real.key: measured_difference(delta, evidence) for delta in deltas}
    return {key: figure for key, figure in figures.items() if figure.estimate.value or figure.estimate.ci_note}


def _real_match(manifest: Manifest, key: CellKey) -> Match:
    """The match of a real arm."""
    return next(match for match in manifest.plan.matches if key_of(manifest, match, MEASURED) == key)


def opponent_of(manifest: Manifest, key: CellKey) -> str:
    """What the opponents of a real arm are, and what they are told for that game, in any order of seats."""
    match = _real_match(manifest, key)
    opponents = [", ".join(("itself", *_told(manifest.plan.seats[at.seat], match.game))) for at in match.opponents]
    return " and ".join(
        f"{count} x {words}" if count > 1 else words for words, count in sorted(Counter(opponents).items())
    )


def _told(seat: Seat, game: str) -> list[str]:
    habits = sorted({*seat.patterns} & {*GAMES[game].patterns})
    words = [f"which keeps {', '.join(habits)}"] if habits else []
    if seat.briefing:
        words.append(f"briefed by a text of SHA-256 {sha256(seat.briefing.encode()).hexdigest()}")
    return words


def _weights_digest(manifest: Manifest, match: Match) -> str:
    """The digest of the measured model's weights; empty of a hosted model; of a script its name."""
    seat, pin = manifest.plan.seats[match.measured], manifest.models.get(match.measured)
    if isinstance(seat, LocalModelSeat) and pin:
        return pin.sha256
    return "" if seat.is_model else match.measured


def system_digest(manifest: Manifest, name: str) -> str:
    """SHA-256 of a system's settings and sealed servers; of a full stack, of its parts.

    Its name and its declared traits are no part of it: they change nothing that is played.
    """
    parts = [
        [_text(msgspec.structs.replace(system.without_place, traits=())), _text(manifest.memories.get(part))]
        for part, system in manifest.plan.parts_of(name).items()
    ]
    return sha256(json.dumps(sorted(parts)).encode()).hexdigest()


def _text(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _lineage(plan: Plan, system: str, lineages: Mapping[str, str]) -> str:
    """The lineage of a system's memory: of the one that a full stack has as a part, too."""
    memories = [name for name, part in plan.parts_of(system).items() if part.keeps_store]
    return next((lineages.get(name, NOT_CHECKED) for name in memories), NO_MEMORY)


def weights_of(plan: Plan, match: Match) -> str:
    """Whether the weights of the models at a table were sealed; SCRIPT where the measured seat is no model.

    Other matches of the plan do not count: a model that plays elsewhere gave a scripted player a rank.
    """
    if not plan.seats[match.measured].is_model:
        return SCRIPT
    models = [seat for name in match.seats if (seat := plan.seats[name]).is_model]
    return SEALED if all(isinstance(seat, LocalModelSeat) for seat in models) else HOSTED
