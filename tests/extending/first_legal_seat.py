"""A kind of seat that is no part of the product: it takes the first action that its prompt offers. Hold'em only.

Copied to `agzamov_verify/seats/`, with the line below in that package's registry, it can be planned, played, verified
and shown; its replies are computed again, so it needs no row in the harness.

    from .first_legal_seat import FirstLegalSeat as FirstLegalSeat
"""

from typing import ClassVar

from ..core.questions import Message
from .scripted_seat import ScriptedSeat

OFFERED = "Legal actions: "


class FirstLegalSeat(ScriptedSeat, frozen=True, tag="first_legal"):
    """Plays the first action that its prompt offers. Hold'em only."""

    title: ClassVar[str] = "player of the first legal action"
    games: ClassVar[frozenset[str] | None] = frozenset({"holdem"})

    def reply_text(self, messages: tuple[Message, ...], seed: int) -> str:
        situation = next(message.content for message in messages if message.role == "user")
        offered = next((line for line in situation.splitlines() if line.startswith(OFFERED)), "")
        if not offered:
            raise ValueError(f"expected a line that starts with {OFFERED!r}, found {situation[:60]!r}")
        action, _, _ = offered.removeprefix(OFFERED).partition(", ")
        return f"The first that is offered.\nACTION: {action}"
