"""An augmentation system that is no part of the product: it tells a proverb, which helps nobody.

Copied to `agzamov_verify/systems/`, with one line in that package's registry, a plan can name it:

    from .proverb_system import ProverbSystem as ProverbSystem
"""

from collections.abc import Iterable
from typing import ClassVar

from ..experiment.matches import Arm, Augmentation
from .system import System

PROVERBS = {Arm.NAKED: "", Arm.PLACEBO: "- All is well that ends.", Arm.REAL: "- Look before you leap."}


class ProverbSystem(System, frozen=True, tag="proverb"):
    """Tells a proverb in every prompt."""

    augmentations: ClassVar[frozenset[Augmentation]] = frozenset({Augmentation.RAG})

    def words(self, games: Iterable[str]) -> str:
        return "a proverb in every prompt"

    def told(self, arm: Arm) -> str:
        return PROVERBS[arm]
