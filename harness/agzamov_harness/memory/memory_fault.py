"""A fault of a memory system, in one line: which system, what was expected, what was found, what to do."""

from pathlib import Path

from ..ports import PortFault

SHOWN_CHARACTERS_MAX = 200
FAULT_CHARACTERS_MAX = 600
"""Of what was expected, and of what was found: both may hold a server's own text, such as the name of an entry."""
READ_FACTOR = 20
"""So many times as much of a foreign text is looked at as may be shown of it: the rest may be megabytes."""
ENDED = "the server ended"
NO_ANSWER = "no answer within"
NO_PROGRAM = "no program"
NOT_MCP = "output on stdout that is not MCP"


class MemoryFault(PortFault):
    """A memory server is not what its adapter declares, or broke a rule of the port.

    `typed`: the word by which a person names the system in a command, if it is not its name. `advice`: what to do about
    this cause, where one is known.
    """

    def __init__(self, system: str, expected: str, found: str, log: Path, typed: str = "", advice: str = "") -> None:
        self.expected, self.found = (one_line(text, FAULT_CHARACTERS_MAX) for text in (expected, found))
        self.advice = advice
        said = f"memory {system}: expected {self.expected}, found {self.found}"
        parts = (said, advice, f"its log is {log}", f"try: agzamov memory check {typed or system}")
        super().__init__("; ".join(filter(None, parts)))


def one_line(text: str, characters_max: int = SHOWN_CHARACTERS_MAX) -> str:
    """Foreign text on one line, cut, without what cannot be printed; half of a surrogate pair cannot be."""
    words = " ".join(text[: READ_FACTOR * characters_max].split())
    return "".join(filter(str.isprintable, words))[:characters_max]


def advice_of(no_answer: str) -> str:
    """Advice for a server that gave no answer, by what came instead."""
    advice = {
        ENDED: "mend launch in the adapter, or the server: its last lines on stderr say why it ended",
        NO_ANSWER: "see what the server waits for, and whether it speaks MCP on its standard streams",
        NO_PROGRAM: "mend launch.command in the adapter, or install the program",
        NOT_MCP: "let the server print on stderr: its standard output is for MCP alone",
    }
    return next((words for start, words in advice.items() if no_answer.startswith(start)), "see the server's log")
