"""The full stack: a memory, a tool and documents together, each of them another system of the plan."""

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Final

from ..experiment.matches import Arm, Augmentation
from ..experiment.plan_fields import NameOrNone, Problem
from .system import System

AUGMENTATIONS: Final = {"memory": Augmentation.MEMORY, "tools": Augmentation.TOOLS, "documents": Augmentation.RAG}
"""The augmentation of each part."""


class FullSystem(System, frozen=True, tag="full"):
    """Names of the plan's systems that seat A has together: a memory (or an oracle), a tool and documents.

    What is recalled of the opponent stands in the prompt in which the seat says what its tool is to examine.
    """

    memory: NameOrNone = ""
    tools: NameOrNone = ""
    documents: NameOrNone = ""

    augmentations: ClassVar[frozenset[Augmentation]] = frozenset({Augmentation.FULL})

    @property
    def parts(self) -> Mapping[str, Augmentation]:
        return {name: kind for part, kind in AUGMENTATIONS.items() if (name := getattr(self, part))}

    def words(self, games: Iterable[str]) -> str:  # noqa: ARG002 - alike in all
        return (
            f"full stack of memory {self.memory}, tools {self.tools} and documents {self.documents}: before each"
            " decision the memory is searched, the documents are searched, seat A says in the light of both what the"
            " tool is to examine, and is told what it found"
        )

    def problems(self, arm: Arm) -> Iterator[Problem]:
        yield from super().problems(arm)
        for part, kind in AUGMENTATIONS.items():
            if not getattr(self, part):
                yield Problem(part, f"expected the name of a system of the plan for {kind}")
        for part, name in self._named_twice():
            yield Problem(part, f"expected another system than the other parts are, found {name} twice")

    def _named_twice(self) -> Iterator[tuple[str, str]]:
        """Parts whose system is that of a part before it."""
        seen: set[str] = set()
        for part in AUGMENTATIONS:
            name = getattr(self, part)
            if name in seen:
                yield part, name
            seen |= {name} - {""}
