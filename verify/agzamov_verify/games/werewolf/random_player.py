"""The random player: one of those whom it may choose, or a word about one of them."""

from ...core.dice import Stream
from ...table.prompt_lines import Page, labelled, scripted_player
from .prompt import REQUESTS


def reply(page: Page, stream: Stream) -> str:
    """One reply. Raises ValueError for a page without its labelled lines."""
    other = stream.choice(labelled(page, "Others").split(", "))
    task = labelled(page, "Stage").rpartition(", ")[2]
    if task in REQUESTS:
        return f"{REQUESTS[task][0]} {other}"
    return stream.choice((f"SAY: I suspect {other}.", f"SAY: I trust {other}.", "SAY:"))


random_reply = scripted_player("random/werewolf", reply)
