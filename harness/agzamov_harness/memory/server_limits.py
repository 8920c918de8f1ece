"""Time limits of a memory server, and the fault of one that does not keep the rules: one line with what to do."""

from pathlib import Path

import msgspec

from ..ports import PortFault
from ..servers.server_process import ENDED, NO_ANSWER, NO_PROGRAM, NOT_MCP, one_line

FAULT_CHARACTERS_MAX = 600
"""Of what was expected, and of what was found: both may hold a server's own text, such as the name of an entry."""


class MemoryFault(PortFault):
    """A memory server that does not fit its adapter, or broke a rule of the port.

    `typed`: the word by which a person names the system in a command, if it is not its name. `advice`: what to do about
    this cause, where one is known.
    """

    def __init__(self, system: str, expected: str, found: str, log: Path, typed: str = "", advice: str = "") -> None:
        self.expected, self.found = (one_line(text, FAULT_CHARACTERS_MAX) for text in (expected, found))
        self.advice = advice
        said = f"memory {system}: expected {self.expected}, found {self.found}"
        parts = (said, advice, f"its log is {log}", f"try: agzamov memory check {typed or system}")
        super().__init__("; ".join(filter(None, parts)))


def advice_of(no_answer: str) -> str:
    """Advice for a server that gave no answer, by the kind of failure."""
    advice = {
        ENDED: "mend launch in the adapter, or the server: what it said on stderr is in its log",
        NO_ANSWER: "see what the server waits for, and whether it speaks MCP on its standard streams",
        NO_PROGRAM: "mend launch.command in the adapter, or install the program",
        NOT_MCP: "let the server print on stderr: its standard output is for MCP alone",
    }
    return next((words for start, words in advice.items() if no_answer.startswith(start)), "see the server's log")


OPEN_S_MAX = 120.0
"""From the start of a server to its tool list: one in Python with large libraries takes 20 s on a busy machine."""


CALL_S_MAX = 60.0


SETTLE_S_MAX = 30.0
"""From the end of a game until all that was stored can be read."""


class ServerLimits(msgspec.Struct, frozen=True):
    """Time limits of a server, in seconds: to open, for a call, and until what was stored can be read."""

    open_s: float = OPEN_S_MAX
    call_s: float = CALL_S_MAX
    settle_s: float = SETTLE_S_MAX
