"""The scripted novice, who computes nothing: it plays better than chance or habit only by its tool's answers."""

from typing import ClassVar

from .scripted_seat import ScriptedSeat


class NoviceSeat(ScriptedSeat, frozen=True, tag="novice"):
    """Scripted player that goes by its tool's answer alone: the positive control of tools."""

    title: ClassVar[str] = "scripted novice"

    def words(self, weights_sha256: str) -> str:
        return f"{self.title}: plays by its tool's answer, without one by chance or calls, no model"
