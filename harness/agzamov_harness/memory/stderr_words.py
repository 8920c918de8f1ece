"""Lines by which a memory server says on stderr why it ended, among notices of updates and tracebacks.

Its folder goes when it has ended: paths in it are told by the variables of an adapter, and no log in it is named.
"""

import re
from collections.abc import Sequence
from typing import Final

from ..servers.server_process import LAST_LINE_CHARACTERS_MAX, one_line

ERROR: Final = re.compile(
    r"\b\w*(error|exception)\b|\berr!|\b(fatal|panic|panicked|failed|cannot|can't|not found|no such)\b", re.IGNORECASE
)
NOTICE: Final = re.compile(r"\b(notice|warn|warning|info|debug|deprecated)\b", re.IGNORECASE)
GONE: Final = re.compile(r"(?<![^\s'\"(=])[^\s'\"(=]*?/agzamov-memory-[a-z0-9_]+/(data|home|program)\b")
"""A path in the folder of a server (`launch.fresh_folder`)."""
VARIABLES: Final = {"data": "${DATA}", "home": "${HOME}", "program": "${HERE}"}
GONE_LOG: Final = re.compile(r"\$\{(DATA|HOME)\}\S*\.log\b")
SHOWN_LINES_MAX: Final = 5
LOOKED_AT_MAX: Final = 2**16
LINES_MAX, LINE_CHARACTERS_MAX = 500, 2_000
"""So much of a log, from its end, is looked at: a server prints what it likes."""


def telling_lines(printed: str) -> list[str]:
    """The last lines that are no notices, if they have the last errors among them; else those errors alone."""
    lines = [line for line in _lines(printed) if ERROR.search(line) or not NOTICE.search(line)]
    lines = [line for line in lines if not any(other != line and other.startswith(line) for other in lines)]
    errors = list(dict.fromkeys(line for line in lines if ERROR.search(line)))[-SHOWN_LINES_MAX:]
    last = lines[-SHOWN_LINES_MAX:] or _lines(printed)[-SHOWN_LINES_MAX:]
    return last if set(errors) <= set(last) else errors


def last_words(printed: str) -> str:
    """Words for an error message: the last error, several lines of it where they begin alike, or the last line."""
    lines = _lines(printed)
    if not lines:
        return ""
    errors = [line for line in telling_lines(printed) if ERROR.search(line)]
    block = errors[-1:]
    while len(block) < len(errors) and _head(errors[-1 - len(block)]) == _head(block[0]):
        block = errors[-1 - len(block) :]
    words, what = ("; ".join(block), "error") if block else (lines[-1], "last line")
    what = "last line" if words == lines[-1] else what
    return f"; its {what} on stderr is {one_line(words, LAST_LINE_CHARACTERS_MAX)!a}"


def _lines(printed: str) -> list[str]:
    """The lines that hold something, without those that send to a log that is gone."""
    lines = [line.rstrip()[:LINE_CHARACTERS_MAX] for line in printed[-LOOKED_AT_MAX:].splitlines() if line.strip()]
    placed = (GONE.sub(lambda found: VARIABLES[found[1]], line) for line in lines[-LINES_MAX:])
    return [line for line in placed if not GONE_LOG.search(line)]


def _head(line: str) -> Sequence[str]:
    """The first two words of a line, as of `npm error`."""
    return line.split()[:2]
