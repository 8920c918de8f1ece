"""A case of the tampered bundles: a bundle with one defect, the step that refuses it, and where."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bundles.bundle_factory import Draft

Forge: TypeAlias = Callable[[Draft], None]


@dataclass(frozen=True, slots=True)
class Case:
    """What was done, by the function's name; the number of the step that fails; the finding's place."""

    name: str
    forge: Forge
    step: int
    place: str


class TamperedCases(list[Case]):
    """Collects cases: `@tampered(step, place)` above a function that spoils a draft."""

    def __call__(self, step: int, place: str) -> Callable[[Forge], Forge]:
        def hang(forge: Forge) -> Forge:
            self.append(Case(forge.__name__, forge, step, place))
            return forge

        return hang
