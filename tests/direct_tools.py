"""A fake of the tools' port: it answers in this process, by the verifier's own engine client and calculator.

The real one asks MCP servers (`harness/agzamov_harness/servers/tool_port.py`); a test holds the two to
the same answers.
"""

from pathlib import Path

from agzamov_harness.ports import PortFault
from agzamov_verify.core.questions import Answer, Calculate, Examine, Question
from agzamov_verify.engines.uci_engine import UciEngine
from agzamov_verify.games.holdem.calculator import calculate


class DirectTools:
    """Answers for the tools of both seats, one at a time; the engine starts when it is first asked."""

    def __init__(self, engine: Path | None, hash_mib: int = 16) -> None:
        self._path, self._hash_mib = engine, hash_mib
        self._engine: UciEngine | None = None

    def answer(self, question: Question) -> Answer:
        match question:
            case Calculate():
                return calculate(question)
            case Examine() if self._path:
                self._engine = self._engine or UciEngine(self._path, self._hash_mib)
                return self._engine.examine(question)
            case _:
                raise PortFault("no engine here")

    def restore(self, question: Question, recorded: Answer) -> None:
        pass

    def close(self) -> None:
        if self._engine:
            self._engine.close()
