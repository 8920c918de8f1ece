"""Rows of a leaderboard and their ranks, each an interval: what an interval of a figure leaves open stays open.

Rows of one board met the same opponent, in words that are the same in every bundle. Phase 2 compares a model with
itself, so there seat B differs from seat A in what it is told alone: patterns and briefing.

A contender is one submitter's model with one system; all of its runs are shown. The best rank of a row is 1 + the
number of other contenders whose every interval lies wholly above its own; the worst is the number of contenders less
those whose every interval lies wholly below it. So nobody gains by submitting more runs. Rows without an interval, and
scripted players, have no rank.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias

from agzamov_verify.checks.steps import Verdict
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Manifest, Plan
from agzamov_verify.scoring.deltas import DeltaAnalysis
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.match_cells import model_of
from agzamov_verify.seats import LocalModelSeat, Seat
from agzamov_verify.table.registry import GAMES

PHASE: Final = 2
SHOWN_DIGITS: Final = 8


def opponent_of(manifest: Manifest, delta: DeltaAnalysis) -> str:
    """What the opponents of a delta's real arm are, and what they are told for that game, in any order of seats."""
    wanted = (delta.game, delta.model, delta.augmentation, delta.system)
    match = next(match for match in _measured(manifest) if _place(manifest, match) == wanted)
    opponents = [", ".join(("itself", *_told(manifest.plan.seats[at.seat], match.game))) for at in match.opponents]
    return " and ".join(
        f"{count} x {words}" if count > 1 else words for words, count in sorted(Counter(opponents).items())
    )


def _measured(manifest: Manifest) -> list[Match]:
    """The matches of Phase 2, but for those of the robustness check."""
    return [
        match for match in manifest.plan.matches if match.phase == PHASE and match.measured not in manifest.plan.repeats
    ]


def _place(manifest: Manifest, match: Match) -> tuple[str, str, str, str]:
    condition = match.condition
    return match.game, model_of(manifest, match.measured), condition.augmentation.value, condition.system


def _told(seat: Seat, game: str) -> list[str]:
    habits = sorted({*seat.patterns} & {*GAMES[game].patterns})
    words = [f"which keeps {', '.join(habits)}"] if habits else []
    if seat.briefing:
        words.append(f"briefed by a text of SHA-256 {sha256(seat.briefing.encode()).hexdigest()[:SHOWN_DIGITS]}")
    return words


SCRIPT: Final = "script"
NO_MEMORY: Final = "no memory"
NOT_CHECKED: Final = "not checked"


Board: TypeAlias = tuple[str, str, str, str]


class BoardRow(NamedTuple):
    """One figure of one accepted bundle. `board`: game, augmentation, opponent and unit of comparable rows.

    `weights`: "sealed" if those of every model that plays are sealed, else "hosted"; SCRIPT where no model plays.
    `plan`: "compliant" or "departs". `lineage`: the tier of its memory's lineage; NO_MEMORY without a memory.
    """

    board: Board
    submission: str
    submitter: str
    run: str
    model: str
    system: str
    effect: Estimate
    level: str
    plan: str
    lineage: str
    weights: str

    @property
    def contender(self) -> tuple[str, str, str]:
        """Key of a row: submitter, model and system."""
        return self.submitter, self.model, self.system

    @property
    def is_ranked(self) -> bool:
        """True if a model plays, not a script that is named like one."""
        return self.weights != SCRIPT

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The 95 % interval; None where there is none."""
        return (float(self.effect.ci.low), float(self.effect.ci.high)) if self.effect.ci else None


class Ranked(NamedTuple):
    """A row with the best and the worst rank that its interval allows; None without an interval."""

    row: BoardRow
    ranks: tuple[int, int] | None


def rows_of(verdict: Verdict, submission: str, submitter: str) -> Iterator[BoardRow]:
    """The effects of a verified bundle: each augmentation's real arm less its control."""
    manifest, results, analysis = verdict.manifest, verdict.results, verdict.analysis
    if manifest is None or results is None or analysis is None:
        return
    plan = "departs" if results.departures else "compliant"
    weights = weights_of(manifest.plan.playing.values())
    for delta in analysis.deltas:
        effect = delta.performance.everything
        if effect.value is not None:
            yield BoardRow(
                (delta.game, delta.augmentation, opponent_of(manifest, delta), effect.unit),
                submission,
                submitter,
                verdict.run,
                delta.model,
                delta.system,
                effect,
                verdict.level,
                plan,
                _lineage(manifest.plan, delta.system, verdict.lineages),
                weights,
            )


def _lineage(plan: Plan, system: str, lineages: Mapping[str, str]) -> str:
    """The lineage of a system's memory: of the one that a full stack has as a part, too."""
    memories = [name for name, part in plan.parts_of(system).items() if part.keeps_store]
    return next((lineages.get(name, NOT_CHECKED) for name in memories), NO_MEMORY)


def weights_of(seats: Iterable[Seat]) -> str:
    """Whether the weights of the models that play were sealed."""
    models = [seat for seat in seats if seat.is_model]
    if not models:
        return SCRIPT
    return "sealed" if all(isinstance(seat, LocalModelSeat) for seat in models) else "hosted"


def ranked(rows: Sequence[BoardRow]) -> list[Ranked]:
    """The rows of one board, the greatest figure first, with their ranks."""
    ordered = sorted(rows, key=lambda row: (row.bounds is None, -_value(row), row.submission, row.model, row.system))
    contenders: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in ordered:
        if row.is_ranked and row.bounds:
            contenders.setdefault(row.contender, []).append(row.bounds)
    return [Ranked(row, _ranks(row, contenders)) for row in ordered]


def _ranks(
    row: BoardRow, contenders: Mapping[tuple[str, str, str], Sequence[tuple[float, float]]]
) -> tuple[int, int] | None:
    if row.bounds is None or not row.is_ranked:
        return None
    own_low, own_high = row.bounds
    others = [bounds for contender, bounds in contenders.items() if contender != row.contender]
    above = sum(all(low > own_high for low, _ in bounds) for bounds in others)
    below = sum(all(high < own_low for _, high in bounds) for bounds in others)
    return 1 + above, len(contenders) - below


def _value(row: BoardRow) -> float:
    return float(row.effect.value.decimal) if row.effect.value else 0.0
