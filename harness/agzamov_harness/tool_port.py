"""The tools of both seats: MCP servers, the engine's in Chess960 and the calculator's in hold'em.

What a tool finds depends on its question alone, so there is nothing to restore, and any server of a game answers for
any seat and stream: as many are started as calls can be answered side by side. A server is told the position or the
cards and how much it may work; not of which game, seat or turn it is asked.
"""

import sys
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from agzamov_verify.canon import INTEGER_MAX
from agzamov_verify.games.chess960.findings import misshapen
from agzamov_verify.games.chess960.rules import legal_after
from agzamov_verify.questions import Answer, Calculate, Calculated, Examine, Examined, ExaminedMove, Question

from .lazy import imported_at_first_use
from .mcp_servers.no_answer import ENDED, one_line
from .mcp_servers.server_process import Process, Socket, StderrLog, bare_environment
from .pool import Pool
from .ports import PortFault

if TYPE_CHECKING:
    from .mcp_servers import mcp_client
else:  # the library of the protocol takes a second to import
    mcp_client = imported_at_first_use("agzamov_harness.mcp_servers.mcp_client")

CHESS, HOLDEM = "chess960", "holdem"
"""The games that have a tool, as their servers are called."""
SERVER_NAME, SERVER_VERSION = "agzamov-tool-{game}", "1"
MCP_MODE = "auto"
OPEN_S_MAX = 120.0
"""From the start of a server to its answers: one in Python takes many seconds on a busy machine."""
CALL_S_MAX = 600.0
"""Of one call: ten moves with a million nodes each take 20 s on one quiet core."""
T = TypeVar("T")

Server = Process | Socket


class ToolServer(NamedTuple):
    """Server to connect to for the tool of one game, and the engine that it must name; none where it has none."""

    game: str
    server: Server
    engine: str = ""

    @property
    def described(self) -> str:
        """Name and version that the server must give itself."""
        version = f"{SERVER_VERSION}, {self.engine}" if self.engine else SERVER_VERSION
        return f"{SERVER_NAME.format(game=self.game)} {version}"


class ToolClient:
    """A connection to one server. Every method raises PortFault."""

    def __init__(self, wanted: ToolServer, log: Path) -> None:
        server = wanted.server
        self._game, self._log = wanted.game, log
        self._stderr = StderrLog(log) if isinstance(server, Process) else None
        try:
            self._client = mcp_client.McpClient(server, self._stderr.file if self._stderr else None, OPEN_S_MAX)
        except mcp_client.CallFailed as error:
            self._close_log()
            raise self._fault("a server that starts", str(error)) from error
        found = one_line(" ".join(self._client.server))
        if found != wanted.described:
            self.close()
            raise self._fault(f"the server {wanted.described}", found or "one without a name")

    def call(self, tool: str, arguments: Mapping[str, Any], kind: type[T]) -> T:
        """The structured result of one call."""
        try:
            result = self._client.call(tool, arguments, CALL_S_MAX)
        except mcp_client.CallFailed as error:
            raise self._fault(f"an answer of {tool}", str(error)) from error
        if result.failed:
            raise self._fault(f"an answer of {tool}", one_line(result.text))
        try:
            return msgspec.convert(result.structured, kind)
        except msgspec.ValidationError as error:
            raise self._fault(f"an answer of {tool} as its schema has it", str(error)) from error

    def close(self) -> None:
        """End the server."""
        self._client.close()
        self._close_log()

    def _close_log(self) -> None:
        if self._stderr:
            self._stderr.close()

    def _fault(self, expected: str, found: str) -> PortFault:
        if found == ENDED and self._stderr and (line := self._stderr.last_line()):
            found = f"{found}; its last line on stderr is {one_line(line)!a}"
        where = f"; its log is {self._log}" if self._stderr else ""
        return PortFault(f"tool of {self._game}: expected {expected}, found {found}{where}; resume the run")


class ToolPort:
    """The port `tool_a` and `tool_b`: up to `size` servers of each game, started when first asked.

    `logs`: the folder for what they print on stderr.
    """

    def __init__(self, servers: Sequence[ToolServer], size: int, logs: Path) -> None:
        self._logs, self._count, self._counting = logs, 0, threading.Lock()
        self._pools = {server.game: Pool(partial(self._start, server), size) for server in servers}

    def answer(self, question: Question) -> Answer:
        match question:
            case Examine():
                return self._examine(question)
            case Calculate():
                arguments = _only(question, "board", "comparisons_max", "hands_percent", "hole")
                arguments |= _only(question, "pot_chips", "seed", "to_call_chips")
                return self._asked(HOLDEM, "calculate_odds", arguments, _Odds).answer
            case _:
                raise PortFault(f"expected a question to a tool, found {type(question).__name__}")

    def restore(self, question: Question, recorded: Answer) -> None:
        pass

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()

    def _examine(self, question: Examine) -> Examined:
        arguments = _only(question, "moves", "nodes", "start_fen")
        if question.candidates:
            tool, arguments = "compare_moves", {**arguments, "candidates": list(question.candidates)}
        elif question.lines_max:
            tool, arguments = "best_lines", {**arguments, "lines": question.lines_max}
        else:
            tool = "evaluate_position"
        answer = Examined(self._asked(CHESS, tool, arguments, _Findings).moves)
        legal = question.candidates or legal_after(question.start_fen, question.moves)
        if problem := misshapen(question, answer, legal):  # what a script would refuse must not be recorded
            expected, found = problem
            raise PortFault(f"tool of {CHESS}: expected {expected} from {tool}, found {found}; resume the run")
        return answer

    def _asked(self, game: str, tool: str, arguments: Mapping[str, Any], kind: type[T]) -> T:
        if game not in self._pools:
            raise PortFault(f"the run has no tool of {game} to ask")
        with self._pools[game].lent() as client:
            return client.call(tool, arguments, kind)

    def _start(self, server: ToolServer) -> ToolClient:
        with self._counting:
            self._count += 1
            log = self._logs / f"{server.game}-{self._count:03d}.log"
        return ToolClient(server, log)


class _Findings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer of the engine's server."""

    moves: tuple[ExaminedMove, ...]


class _Odds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer of the calculator's server."""

    compared: Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
    equity_permille: Annotated[int, Meta(ge=0, le=1000)]
    exact: bool
    price_permille: Annotated[int, Meta(ge=0, le=1000)]

    @property
    def answer(self) -> Calculated:
        return Calculated(self.compared, self.equity_permille, self.exact, self.price_permille)


def local_server(game: str, engine: Path | None, hash_mib: int, home: Path) -> Server:
    """The server of a game as a process of this machine, in the folder `home`; Stockfish is the program `engine`."""
    words = ("--engine", str(engine), "--hash-mib", str(hash_mib)) if game == CHESS else ()
    return Process(("-m", "agzamov_tools", game, *words), sys.executable, bare_environment(home), home, MCP_MODE)


def _only(question: Examine | Calculate, *names: str) -> dict[str, Any]:
    """The part of a question that a server is sent."""
    return {name: msgspec.to_builtins(getattr(question, name)) for name in names}
