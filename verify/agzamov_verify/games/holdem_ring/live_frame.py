"""A hand at a table of many in progress, as its prompts show it: a player's cards are known once it was asked."""

from collections.abc import Sequence
from typing import Any

from ...core.questions import Message
from ...table.prompt_lines import Page, labelled, read_page
from .positions import position_names
from .spot import is_sit_and_go


def ring_live_frame(asked: Sequence[tuple[Message, ...]], names_of: Sequence[str]) -> dict[str, Any]:
    """The hand as it was asked about last, in lines. `names_of`: positions in words. Raises ValueError."""
    holes = dict[str, str]()
    now = _hand_of(read_page(asked[-1]))
    for messages in asked:
        page = read_page(messages)
        if _hand_of(page) != now:
            continue
        holes[labelled(page, "Position")] = (
            labelled(page, "Your cards" if is_sit_and_go(page) else "Your hand").strip("[]").replace(",", "")
        )
    page = read_page(asked[-1])
    players = labelled(page, "Players").split("; ")
    names = position_names(len(players))
    to_act = names.index(labelled(page, "Position"))
    last = labelled(page, "Action").rpartition("; ")[2].rpartition(": ")[2].rpartition(", ")[2]
    board = labelled(page, "Board").strip("[]").replace(",", "")
    lines = [f"Board: {board or 'none yet'}", f"Pot: {labelled(page, 'Pot')}", ""]
    for name, words in zip(names, players, strict=True):
        stack = words.removeprefix(name).removeprefix(" (you)").strip()
        mark = ">" if name == names[to_act] else " "
        lines.append(f"{mark} {name:<5} {holes.get(name, '-- --')}  {stack}")
    who = names_of[to_act] if to_act < len(names_of) else names[to_act]
    lines += [*now, f"Last: {_by_name(last, names[to_act])}", f"{who} to act"]
    return {
        "label": last if last != "none" else "blinds",
        "said": lines[-1],
        "by": -1,
        "to_act": to_act,
        "lines": lines,
    }


def _hand_of(page: Page) -> list[str]:
    """The hand of a sit-and-go, of several in one, with its blinds; of a table whose stacks reset an empty line."""
    return ["", page.situation.partition("\n")[0]] if is_sit_and_go(page) else [""]


def _by_name(words: str, actor: str) -> str:
    """The last action with the actor by its position; before any, what was posted."""
    if words == "none":
        return "blinds are posted"
    return f"{actor} {words.removeprefix('you ')}" if words.startswith("you ") else words
