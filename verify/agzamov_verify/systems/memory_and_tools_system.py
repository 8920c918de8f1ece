"""A memory and a tool together, without documents: the arm of Phase 4 with a model, an engine and a memory."""

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Final

from ..experiment.matches import Arm, Augmentation
from ..experiment.plan_fields import NameOrNone, Problem
from .system import System

PARTS: Final = {"memory": Augmentation.MEMORY, "tools": Augmentation.TOOLS}
"""The augmentation of each part."""


class MemoryAndToolsSystem(System, frozen=True, tag="memory_and_tools"):
    """Names of the plan's systems that seat A has together: a memory and a tool.

    What is recalled of the opponent stands in the prompt in which the seat says what its tool is to examine.
    """

    memory: NameOrNone = ""
    tools: NameOrNone = ""

    augmentations: ClassVar[frozenset[Augmentation]] = frozenset({Augmentation.FULL})
    arms: ClassVar[frozenset[Arm]] = frozenset({Arm.REAL})

    @property
    def parts(self) -> Mapping[str, Augmentation]:
        return {name: kind for part, kind in PARTS.items() if (name := getattr(self, part))}

    def words(self, games: Iterable[str]) -> str:  # noqa: ARG002 - alike in all
        return (
            f"memory {self.memory} and tools {self.tools} together: before each decision the memory is searched, seat A"
            " says in its light what the tool is to examine, and is told what it found"
        )

    def problems(self, arm: Arm) -> Iterator[Problem]:
        yield from super().problems(arm)
        for part, kind in PARTS.items():
            if not getattr(self, part):
                yield Problem(part, f"expected the name of a system of the plan for {kind}")
        if self.memory and self.memory == self.tools:
            yield Problem("tools", f"expected another system than the memory, found {self.tools} twice")
