"""Lines of the built-in servers: entries damaged by `noisy`, and equal lines summed by `consolidator`.

Notes hold counts, written `4 of 5`. Damage turns each count round (`1 of 5`), or gives another entry's text in the
place of one without counts.
"""

import re
from collections.abc import Collection
from typing import Final

COUNT: Final = re.compile(r"\b([0-9]{1,9}) of ([0-9]{1,9})\b")


def damaged(stored: str) -> str:
    """The text of an entry with every count turned round."""
    return COUNT.sub(lambda count: f"{abs(int(count[2]) - int(count[1]))} of {int(count[2])}", stored)


def may_be_damaged(text: str, stored: str, others: Collection[str]) -> bool:
    """True if declared damage may give `text` for an entry that was stored as `stored`; `others`: all live texts."""
    return text == damaged(stored) if COUNT.search(stored) else text in others


def words_of(line: str) -> tuple[str, ...]:
    """The words around the counts of a line; spaces and capitals make no difference."""
    return tuple(" ".join(piece.lower().split()) for piece in COUNT.split(line)[::3])


def counts_of(line: str) -> list[tuple[int, int]]:
    """The counts of a line, in order."""
    return [(int(part), int(whole)) for part, whole in COUNT.findall(line)]
