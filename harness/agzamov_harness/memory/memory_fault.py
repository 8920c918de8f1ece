"""A fault of a memory system, in one line: which system, what was expected, what was found, what to do."""

from pathlib import Path

from ..ports import PortFault


class MemoryFault(PortFault):
    """A memory server is not what its adapter declares, or broke a rule of the port.

    `typed`: the word by which a person names the system in a command, if it is not its name.
    """

    def __init__(self, system: str, expected: str, found: str, log: Path, typed: str = "") -> None:
        advice = f"its log is {log}; try: agzamov memory check {typed or system}"
        super().__init__(f"memory {system}: expected {expected}, found {found}; {advice}")
        self.expected, self.found = expected, found
