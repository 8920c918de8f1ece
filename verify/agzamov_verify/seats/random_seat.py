"""The random player, the opponent of Phase 0."""

from typing import ClassVar

from .scripted_seat import ScriptedSeat


class RandomSeat(ScriptedSeat, frozen=True, tag="random"):
    """Plays uniformly random legal actions."""

    title: ClassVar[str] = "random player"

    def words(self, weights_sha256: str) -> str:
        return f"{self.title}: uniformly random legal actions, no model"
