"""The choices of a person at one decision, as a page offers them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..core.questions import Message
from ..table.prompt_lines import form_of


def require_decision(messages: tuple[Message, ...], reminder: str) -> None:
    """Raise ValueError for a question that does not end with the form of a declaration: it is about something else."""
    if not any(message.content.endswith(form_of(reminder)) for message in messages):
        raise ValueError("expected a decision, found another question")


class Choices(NamedTuple):
    """`shown`: for the page that draws the game, as values that JSON has, with a `kind` that says how they are drawn.

    `is_legal`: whether an action, spelled as a declared one, is among them.
    """

    shown: dict[str, Any]
    is_legal: Callable[[str], bool]
