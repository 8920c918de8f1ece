"""A server in a fresh folder: its tools, and what they answer when three notes are stored and searched for."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from agzamov_verify.memory.declared_server import Adapter

from ...ports import PortFault
from ...servers.mcp_client import CallFailed, ListedTool, McpClient, ToolResult
from ...servers.server_process import ENDED, Address, StderrLog
from ..adapter_file import filled
from ..http_launch import of_new_career
from ..launch import Setup, fresh_folder
from ..program_files import copied_program
from ..stderr_words import last_words

NOTES: Final = (
    "VPIP: 6 of 8\nFolded to a 3-bet on the button: 4 of 5\nCalled the river with one pair: 1 of 6",
    "Castled before move 8 with white: 3 of 4",
    "A long note of a quiet game: "
    + ", ".join(f"on move {number} the heron took square {number * 7 % 64}" for number in range(1, 31)),
)
QUERIES: Final = ("Folded to a 3-bet on the button", "Castled before move 8", "the heron took square")
"""One for each note."""
INDEX_S_MAX, INDEX_POLL_S = 5.0, 0.5
LIMIT: Final = 10


class Probe:
    """A server that is asked. Every method raises PortFault where it gives no answer."""

    def __init__(self, client: McpClient, adapter: Adapter, log: StderrLog, setup: Setup) -> None:
        self._client, self._adapter, self._log, self._setup = client, adapter, log, setup

    @property
    def server(self) -> tuple[str, str]:
        """Name and version."""
        return self._client.server

    def tools(self) -> Sequence[ListedTool]:
        """The tools, in order of their names."""
        try:
            return self._client.tools()
        except CallFailed as error:
            raise self._fault("its tool list", error) from error

    def call(self, tool: str, args: Mapping[str, Any], **values: str | int) -> ToolResult:
        """The answer to one call with an adapter's template."""
        try:
            return self._client.call(tool, filled(args, values), self._setup.limits.call_s)
        except CallFailed as error:
            raise self._fault(f"an answer of its tool {tool}", error) from error

    def store(self, tool: str, args: Mapping[str, Any], number: int) -> ToolResult:
        """The answer to the storing of a note."""
        values: dict[str, str | int] = {
            "entry": f"e{number + 1:05}",
            "kind": "observation",
            "number": number + 1,
            "game": f"g{number + 1:05}",
        }
        return self.call(tool, args, content=NOTES[number], **values)

    def search(self, tool: str, args: Mapping[str, Any], query: str) -> ToolResult:
        """The answer to a search."""
        return self.call(tool, args, query=query, limit=LIMIT, number=4, game="g00004")

    def found(self, tool: str, args: Mapping[str, Any], number: int) -> ToolResult:
        """The answer to a search for a note; of an index that comes later, once the note's beginning is in it."""
        until = time.monotonic() + INDEX_S_MAX
        while True:
            result = self.search(tool, args, QUERIES[number])
            text = f"{result.text}{result.structured!s}"
            if QUERIES[number] in text or time.monotonic() > until or result.failed:
                return result
            time.sleep(INDEX_POLL_S)

    def _fault(self, expected: str, error: CallFailed) -> PortFault:
        last = last_words(self._log.last_text()) if str(error) == ENDED else ""
        return PortFault(f"memory {self._setup.system.name}: expected {expected}, found {error}{last}")


@contextmanager
def opened(setup: Setup, log_path: Path) -> Iterator[Probe]:
    """A fresh server, ended at the end. Raises PortFault for one that does not start."""
    adapter = of_new_career(setup.system.adapter)
    with ExitStack() as stack:
        folder = stack.enter_context(fresh_folder(setup.folders))
        copied_program(setup.system, setup.files, folder.program)
        log = StderrLog(log_path)
        stack.callback(log.close)
        at_address = Address(adapter.launch.url, adapter.mcp_mode) if adapter.launch.runs_already else None
        server = at_address or stack.enter_context(setup.program(folder, log_path.stem))
        try:
            client = McpClient(server, log.file, setup.limits.open_s)
        except CallFailed as error:
            last = last_words(log.last_text()) if str(error) == ENDED else ""
            raise PortFault(f"memory {setup.system.name} does not start: {error}{last}") from error
        stack.callback(client.close)
        yield Probe(client, adapter, log, setup)
