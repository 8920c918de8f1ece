"""The scripted reference player, which reads a prompt and answers as a model would."""

from typing import ClassVar

from .scripted_seat import ScriptedSeat


class ReferenceSeat(ScriptedSeat, frozen=True, tag="reference"):
    """The scripted reference player: reads the prompt, answers in a model's format."""

    title: ClassVar[str] = "scripted reference player"
    is_slow: ClassVar[bool] = True

    def words(self, weights_sha256: str) -> str:
        return f"{self.title} of this project, no model"
