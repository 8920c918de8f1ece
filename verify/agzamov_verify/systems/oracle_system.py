"""The oracle: true facts about the opponent."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from ..experiment.matches import Arm, Augmentation
from ..experiment.plan_fields import Briefing, Problem
from .system import System

PLACEBO_LENGTH_PERCENT = 2
"""Greatest difference in length between the text of the placebo and of the real arm."""


class OracleSystem(System, frozen=True, tag="oracle"):
    """Facts about the opponent in every prompt: the ceiling of a memory's benefit.

    `placebo`: the text of the placebo arm: facts about nobody at this table, of the same length.
    """

    facts: Briefing = ""
    placebo: Briefing = ""

    augmentations: ClassVar[frozenset[Augmentation]] = frozenset({Augmentation.MEMORY})

    def words(self, games: Iterable[str]) -> str:  # noqa: ARG002 - alike in all
        return (
            f"oracle, no memory: in every prompt of the real arm seat A is TOLD {len(self.facts):,} characters that"
            f" the submitter wrote, in the placebo arm {len(self.placebo):,}"
        )

    def problems(self, arm: Arm) -> Iterator[Problem]:
        yield from super().problems(arm)
        real, placebo = self.facts, self.placebo
        if not real.strip():
            yield Problem("facts", "expected the text that is told")
        if arm is not Arm.PLACEBO:
            return
        if 100 * abs(len(placebo) - len(real)) > PLACEBO_LENGTH_PERCENT * len(real):
            message = f"expected {len(real)} characters within {PLACEBO_LENGTH_PERCENT} %, found {len(placebo)}"
            yield Problem("placebo", message)
        if placebo == real:
            yield Problem("placebo", "expected another text than the facts")

    def departures(self, name: str) -> Iterator[str]:
        yield f"system {name} is an oracle: it tells what the submitter wrote, a memory learns it from the games"

    @property
    def submitters_own(self) -> str:
        return "facts about the opponent that the submitter wrote"

    def told(self, arm: Arm) -> str:
        return {Arm.NAKED: "", Arm.PLACEBO: self.placebo, Arm.REAL: self.facts}[arm]
