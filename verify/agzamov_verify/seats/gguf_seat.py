"""Open weights in a GGUF file, which the run serves itself."""

from collections.abc import Iterator
from typing import ClassVar

from ..experiment.plan_fields import Line, Problem, Sha256OrNone
from .model_seat import LocalModelSeat


class GgufSeat(LocalModelSeat, frozen=True, tag="gguf"):
    """Open weights in a GGUF file, served to this run alone: by the pinned llama.cpp image, or by the wheel here.

    `weights` is a path from the plan's folder; `weights_sha256`, when given, must be the file's digest.
    """

    weights: Line = ""
    weights_sha256: Sha256OrNone = ""

    calls_tools: ClassVar[bool] = True
    image_part: ClassVar[str] = "model"

    @property
    def asked_again(self) -> tuple[str, str]:
        return "--weights", "FILE.gguf"

    @property
    def sha256_wanted(self) -> str:
        return self.weights_sha256

    def problems(self, path: str) -> Iterator[Problem]:
        yield from super().problems(path)
        if not self.weights:
            yield Problem(f"{path}.weights", "expected the path of a GGUF file, from the plan's folder")
