"""The opponent of a delta, in words that are the same in every bundle: rows of one board met the same one.

Phase 2 compares a model with itself, so each opponent differs from the measured seat in what it is told alone:
patterns and briefing.
"""

from collections import Counter
from hashlib import sha256
from typing import Final

from agzamov_verify.experiment import Match
from agzamov_verify.games.registry import GAMES
from agzamov_verify.manifest import Manifest
from agzamov_verify.scoring.deltas import DeltaAnalysis
from agzamov_verify.scoring.match_cells import model_of
from agzamov_verify.seats import Seat

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
