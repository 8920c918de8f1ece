"""Settings of a study with people (Phase 4): how its arms are hidden from the person, and what the person is asked."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from .plan_fields import Part


class SubPhase(StrEnum):
    """What a person plays against (paper section 4.5). The last two are ours: draft-H18 cannot be told without them."""

    ENGINE = "4a"
    ENGINE_MODEL = "4b"
    ENGINE_MODEL_MEMORY = "4c"
    MODEL = "model"
    MODEL_MEMORY = "model_memory"

    @property
    def words(self) -> str:
        """The sub-phase in words, as the person is asked about it."""
        return {
            SubPhase.ENGINE: "a chess engine alone",
            SubPhase.ENGINE_MODEL: "a language model that asks an engine",
            SubPhase.ENGINE_MODEL_MEMORY: "a language model that asks an engine and remembers earlier games",
            SubPhase.MODEL: "a language model alone",
            SubPhase.MODEL_MEMORY: "a language model that remembers earlier games",
        }[self]


Seconds = Annotated[int, Meta(ge=1, le=600)]


class Hold(Part, frozen=True):
    """The time after a person's move before which the answer is not shown, drawn anew for each move, alike in all arms.

    `median_s` and `most_s`: of the drawn times. Arms cannot be told by their speed as long as they answer sooner.
    """

    median_s: Seconds = 15
    most_s: Seconds = 60


class PeopleSettings(Part, frozen=True):
    """`hold`: null shows each answer as soon as it is there. `asks_arm`: after each start pair the person is asked what
    it was that played; the answer is only attested.
    """

    hold: Hold | None = Hold()
    asks_arm: bool = True
