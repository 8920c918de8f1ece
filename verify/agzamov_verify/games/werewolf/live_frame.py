"""A game of Werewolf in progress, as its prompts show it: who lives, what was said and voted, who is asked now.

A prompt is what one player knows, so a role is shown once its player was asked.
"""

from collections.abc import Sequence
from typing import Any

from ...core.questions import Message
from ...table.prompt_lines import labelled, read_page
from .prompt import SIGN


def werewolf_live_frame(asked: Sequence[tuple[Message, ...]]) -> dict[str, Any]:
    """The game as it was asked about last, in lines. Raises ValueError."""
    roles = dict[str, str]()
    for messages in asked:
        page = read_page(messages)
        roles[labelled(page, "Your name")] = labelled(page, SIGN.removesuffix(": "))
    page = read_page(asked[-1])
    actor = labelled(page, "Your name")
    living = labelled(page, "Living").split(", ")
    gone = [f"{name} is dead" for name in roles if name not in living]
    lines = [f"{'>' if name == actor else ' '} {name:<10} {roles.get(name, 'role not seen yet')}" for name in living]
    lines += [*gone, "", f"{actor} is asked"]
    return {"label": "asked", "said": lines[-1], "by": -1, "to_act": -1, "lines": lines}
