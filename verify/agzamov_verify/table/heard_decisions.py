"""Decisions of a seat as they are made, for whoever wants to see them before their game or career is over.

A script never knows who listens, and what is heard changes nothing in it.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from ..core.questions import Chat, NoReply, Reply
from ..core.script import Script
from .decision import ActionReader, AfterDecisions
from .declared import Fault, FaultKind

Hear: TypeAlias = Callable[[str, FaultKind | None], None]
"""Takes a decision: the seat, and why its first answer gave no legal action; None where it gave one."""


class HeardDecisions:
    """Tells each decision to `hear`, then to `planted`, the questions that are asked after decisions."""

    def __init__(self, hear: Hear, planted: AfterDecisions | None) -> None:
        self._hear, self._planted = hear, planted

    def decided(self, question: Chat, answer: Reply | NoReply, rules: ActionReader[Any], *, has_tools: bool) -> bool:
        read = rules.read(answer)
        self._hear(question.to, read.kind if isinstance(read, Fault) else None)
        return self._planted is not None and self._planted.decided(question, answer, rules, has_tools=has_tools)

    def ask_due(self) -> Script[None]:
        if self._planted:
            yield from self._planted.ask_due()
