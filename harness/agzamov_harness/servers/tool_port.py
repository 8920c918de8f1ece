"""The tools of all seats: MCP servers, one kind for each game that declares a tool (`table.game_tool`).

What a tool finds depends on its question alone, so there is nothing to restore, and any server of a game answers for
any seat and stream: as many are started as calls can be answered side by side. A server is told the position or the
cards and how much it may work; not of which game, seat or turn it is asked.
"""

import sys
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from agzamov_verify.core.questions import Answer, Question
from agzamov_verify.table.game_tool import GameTool
from agzamov_verify.table.registry import TOOL_SERVERS, TOOLS

from ..foundation.first_use import imported_at_first_use
from ..foundation.pool import Pool
from ..ports import PortFault
from .server_process import ENDED, Process, Socket, StderrLog, bare_environment, one_line

if TYPE_CHECKING:
    from . import mcp_client
else:  # the library of the protocol takes a second to import
    mcp_client = imported_at_first_use("agzamov_harness.servers.mcp_client")

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
    """The ports `tool_a`, `tool_b` and so on: up to `size` servers of each game, started when first asked.

    `logs`: the folder for what they print on stderr.
    """

    def __init__(self, servers: Sequence[ToolServer], size: int, logs: Path) -> None:
        self._logs, self._count, self._counting = logs, 0, threading.Lock()
        self._pools = {server.game: Pool(partial(self._start, server), size) for server in servers}

    def answer(self, question: Question) -> Answer:
        tool = TOOLS.get(type(question))
        if tool is None:
            raise PortFault(f"expected a question to a tool, found {type(question).__name__}")
        call = tool.call(question)
        answer = tool.answer(self._asked(tool, call.tool, call.arguments, call.result))
        if problem := tool.misfit(question, answer):  # what a script would refuse must not be recorded
            expected, found = problem
            raise PortFault(
                f"tool of {tool.server}: expected {expected} from {call.tool}, found {found}; resume the run"
            )
        return answer

    def restore(self, question: Question, recorded: Answer) -> None:
        pass

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()

    def _asked(self, asked: GameTool, tool: str, arguments: Mapping[str, Any], kind: type[T]) -> T:
        if asked.server not in self._pools:
            raise PortFault(f"the run has no tool of {asked.server} to ask")
        with self._pools[asked.server].lent() as client:
            return client.call(tool, arguments, kind)

    def _start(self, server: ToolServer) -> ToolClient:
        with self._counting:
            self._count += 1
            log = self._logs / f"{server.game}-{self._count:03d}.log"
        return ToolClient(server, log)


def local_server(game: str, engine: Path | None, hash_mib: int, home: Path) -> Server:
    """The server of a game as a process of this machine, in the folder `home`; Stockfish is the program `engine`."""
    words = ("--engine", str(engine), "--hash-mib", str(hash_mib)) if TOOL_SERVERS[game].asks_engine else ()
    return Process(("-P", "-m", "agzamov_tools", game, *words), sys.executable, bare_environment(home), home, MCP_MODE)
