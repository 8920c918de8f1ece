"""One running memory server, in our words: store, search, end of game, export.

Of an entry it gets name, text, kind and the number of its game, and nothing else. Its tool list is read
when it is opened and must stay as it is. Every problem is a MemoryFault.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import msgspec

from agzamov_verify.core.questions import SERVED_CHARACTERS_MAX, Called, CallTool, Hit
from agzamov_verify.memory.declared_server import Adapter, Export, Search
from agzamov_verify.memory.model_memory import NOTE
from agzamov_verify.memory.native_tools import Effect, NativeTool
from agzamov_verify.memory.tool_effects import effect_of
from agzamov_verify.plan.manifest import MemoryPin

from ..servers.mcp_client import CallFailed, ListedTool, McpClient, ToolResult, raw_words
from ..servers.server_process import ENDED, SHOWN_CHARACTERS_MAX, Address, Process, Socket, StderrLog, one_line
from .adapter_file import PAGE_ENTRIES_MAX, filled
from .entry_names import EntryNames
from .http_launch import of_new_career
from .launch import ServerFolder, Setup, fresh_folder
from .program_files import copied_program, file_changes
from .result_reader import (
    ServerEntry,
    UnexpectedResult,
    fetched_content,
    is_empty,
    read,
    reads_content,
    rows,
    rows_of_text,
    shown,
    value_of,
)
from .server_limits import MemoryFault, advice_of
from .server_tools import (
    ADVICE,
    as_declared,
    changes,
    changes_since_sealed,
    digest_of,
    key_of,
    native_tools,
    not_the_models,
    tools_problem,
    undeclared,
    words_of,
)
from .stderr_words import last_words
from .store_answers import name_of_stored, refusal, refused_in_words

ENTRIES_MAX = 1_000_000
FILE_BYTES_MAX = 2**20
SAME_TOOLS_ADVICE = "let the server list the same tools as long as it runs"


class MemoryServer:
    """A server in a fresh folder. Every method raises MemoryFault."""

    def __init__(self, setup: Setup, log: Path) -> None:
        self.name, self._typed, self._limits = setup.system.name, setup.system.typed, setup.limits
        self._adapter: Adapter = of_new_career(setup.system.adapter)
        self._log_path, self._tell_raw = log, setup.tell_raw
        self._names = EntryNames(self._adapter.given(native=setup.is_native), is_traced=self._adapter.is_traced)
        with ExitStack() as stack:
            self.folder: ServerFolder | None = None
            self._log: StderrLog | None = None
            server, files = self._begun(setup, log, stack)
            stderr = self._log.file if self._log else None
            try:
                self._client = McpClient(server, stderr, setup.limits.open_s)
            except CallFailed as error:
                starts = (
                    f"a server that runs at {server.url}" if isinstance(server, Address) else "a server that starts"
                )
                raise self._ended(starts, error) from error
            stack.callback(self._client.close)
            self._listed = listed = self._tools()
            tools_sha256 = self._open(listed)
            described = self._describe()
            self.rewrites = self._rewriting(described)
            native = self._offered(listed) if setup.is_native else ()
            self.pin = MemoryPin(setup.system.sha256, tools_sha256, *self._called(described), native, files)
            self._require_sealed(setup.pin)
            self._stack = stack.pop_all()

    def _begun(self, setup: Setup, log: Path, stack: ExitStack) -> tuple[Process | Socket | Address, dict[str, str]]:
        """The server to connect to, where it has no container a process in a folder of ours, and digests of its files.

        The files are copied there, and must be those that were sealed.
        """
        if setup.socket:
            return Socket(setup.socket, self._adapter.mcp_mode), {}
        if self._adapter.launch.runs_already:
            return Address(self._adapter.launch.url, self._adapter.mcp_mode), {}
        self.folder = stack.enter_context(fresh_folder(setup.folders))
        expected = setup.pin.files if setup.pin else setup.files
        files = copied_program(setup.system, expected, self.folder.program)
        if changed := "; ".join(file_changes(files if expected is None else expected, files)):
            what = "the server that was sealed" if setup.pin else "the program that was asked about"
            raise self.fault(what, f"another one: {changed}", ADVICE if setup.pin else "")
        self._log = StderrLog(log)
        stack.callback(self._log.close)
        return stack.enter_context(setup.program(self.folder, log.stem)), files

    def store(self, entry: str, content: str, kind: str, number: int) -> str:
        """Store an entry; the reason where it was refused, else nothing."""
        part = self._adapter.store
        values = {"entry": entry, "content": content, "kind": kind, **_game(number)}
        result = self._call(part.tool, filled(part.args, values), may_fail=bool(part.refused_text))
        refused = self._refusal(result)
        if not refused:
            self._remember(result, entry, content)
        return refused

    def call_tool(self, asked: CallTool, *, reads_hits: bool) -> Called:
        """Call a tool as a model called it, with the arguments that are not the model's filled in.

        `reads_hits`: whether the entries that a search gives are read out of its result.
        """
        search, effect = self._adapter.search, self.effect_of(asked.tool)
        values: dict[str, str | int] = {"entry": asked.entry, "kind": NOTE, "limit": asked.hits_max}
        filled_in = filled(
            not_the_models(self._adapter, asked.tool), {**values, "content": asked.content, **_game(asked.number)}
        )
        arguments = {**msgspec.json.decode(asked.called_with), **filled_in}
        result = self._call(asked.tool, arguments, may_fail=True)
        text = words_of(result)[:SERVED_CHARACTERS_MAX]
        if effect is Effect.STORES and (not result.failed or refused_in_words(self._adapter.store, result)):
            refused = self._refusal(result)
            if not refused:
                self._remember(result, asked.entry, asked.content)
            return Called(refused=refused, text=text)
        if result.failed or effect is not Effect.SEARCHES or not reads_hits or not reads_content(search):
            return Called(failed=result.failed, text=text)
        found = self._names.of_search(self._rows(result, search))
        left = max(0, SERVED_CHARACTERS_MAX - sum(len(row.content) for row in found))
        return Called(hits=tuple(Hit(row.content, row.entry) for row in found), text=text[:left])

    def search(self, query: str, limit: int, number: int) -> tuple[list[ServerEntry], str]:
        """Entries for a query, the best first, under our names; and the text, where they were read out of prose."""
        found, words = self.search_with_words(query, limit, number)
        return found, words if self._adapter.search.answer == "text" else ""

    def search_with_words(self, query: str, limit: int, number: int) -> tuple[list[ServerEntry], str]:
        """The same, and the server's words whatever they are."""
        part = self._adapter.search
        words = query if part.query_words == "all" else max(query.split(), key=len, default="")
        arguments = filled(part.args, {"query": words, "limit": limit, **_game(number)})
        result = self._call(part.tool, arguments, may_fail=bool(part.empty_text))
        found = [self._fetched(row) for row in self._once(self._rows(result, part))]
        return self._names.of_search(found), result.text if part.answer == "text" else words_of(result)

    def effect_of(self, tool: str) -> Effect:
        """Effect of a tool's call on the store, as far as the adapter tells."""
        effect, _ = effect_of(tool, self._adapter.store, self._adapter.search)
        return effect

    @property
    def undeclared_arguments(self) -> list[str]:
        """Arguments that its adapter sends and its tools do not name, each with its tool."""
        return undeclared(self._adapter, self._listed)

    @property
    def takes_limit(self) -> bool:
        """Whether a call names the greatest number of entries to give."""
        return "${limit}" in str(self._adapter.search.args)

    def end_game(self, number: int) -> int | None:
        """Report the end of a game; return the number of live entries, where the server gives it."""
        part = self._adapter.end_game
        if not part.tool:
            return None
        result = self._call(part.tool, filled(part.args, _game(number)))
        if not part.entries:
            return None
        entries = self._read(part.tool, lambda: read(part.entries, value_of(result, "structured")))
        if type(entries) is not int:
            raise self.fault(
                f"a whole number as {part.entries} of {part.tool}", shown(entries), "mend end_game.entries"
            )
        return entries

    @property
    def exports_in_order(self) -> bool:
        """Whether the entries that were stored last can be exported alone."""
        return self._adapter.export.in_order and self.rewrites == "never"

    def export(self, offset: int = 0) -> list[ServerEntry]:
        """Every live entry, under our names, in order of these; where they come in order, those after `offset`.

        Nothing of a server without an export.
        """
        part = self._adapter.export
        if part.absent:
            return []
        found = self._files() if part.files else self._pages(offset)
        if not reads_content(part):
            found = [self._fetched(row) for row in found]
        return self._names.of_export(found)

    def require_same_tools(self) -> None:
        """Find out that the tool list is the one that was read when the server was opened."""
        if changed := changes(self._listed, self._tools()):
            raise self.fault("the tool list of its start", f"another one: {changed}", SAME_TOOLS_ADVICE)

    def fault(self, expected: str, found: str, advice: str = "") -> MemoryFault:
        """A fault of this system. `advice`: the remedy, where the cause is known."""
        return MemoryFault(self.name, expected, found, self._log_path, self._typed, advice)

    def close(self) -> None:
        """End the server and clear its folder away."""
        self._stack.close()

    def _open(self, listed: Sequence[ListedTool]) -> str:
        """Digest of the tool list, which must hold what the adapter calls."""
        if problem := tools_problem(self._adapter, listed):
            raise self.fault(*problem)
        for call in self._adapter.first:
            self._call(call.tool, call.args)
        return digest_of(listed)

    def _offered(self, listed: Sequence[ListedTool]) -> tuple[NativeTool, ...]:
        """The tools that a model is offered, as the server declares them."""
        try:
            return native_tools(self._adapter, listed)
        except UnexpectedResult as error:
            search, store = self._adapter.search.tool, self._adapter.store.tool
            advice = "" if self._adapter.native else f"write in the adapter, for example: native: [{search}, {store}]"
            raise self.fault(error.expected, error.found, advice) from error

    def _describe(self) -> object:
        """The system's description of itself, where it gives one."""
        tool = self._adapter.describe.tool
        if not tool:
            return None
        result = self._call(tool, {})
        return self._read(tool, lambda: value_of(result, "structured"))

    def _called(self, described: object) -> tuple[str, str]:
        """The system's name and version as its own tool or its protocol's greeting has them, on one line each."""
        part = self._adapter.describe
        wanted = zip((part.name, part.version), self._client.server, strict=True)
        name, version = (one_line(str(read(own, described) if own else given)) for own, given in wanted)
        return name, version

    def _require_sealed(self, pin: MemoryPin | None) -> None:
        """Find out that the server is the one that was sealed."""
        names = (tool.name for tool in self._listed)
        if pin and (changed := changes_since_sealed(pin, self.pin, names)):
            raise self.fault("the server that was sealed", f"another one: {changed}", ADVICE)

    def _rewriting(self, described: object) -> Literal["never", "end_game", "always"]:
        declared, part = self._adapter.traits.rewrites, self._adapter.describe
        if not part.tool:
            assert declared != "described"
            return declared
        found = self._read(part.tool, lambda: read(part.rewrites, described))
        if found not in ("never", "end_game") or declared not in ("described", found):
            advice = "declare traits.rewrites as the server tells it"
            raise self.fault(f"rewrites {declared} as {part.tool} tells it", shown(found), advice)
        rewrites: Literal["never", "end_game"] = found
        return rewrites

    def _tools(self) -> Sequence[ListedTool]:
        try:
            return self._client.tools()
        except CallFailed as error:
            raise self._ended("its tool list", error) from error

    def _call(self, tool: str, arguments: Mapping[str, Any], *, may_fail: bool = False) -> ToolResult:
        try:
            result = self._client.call(tool, arguments, self._limits.call_s)
        except CallFailed as error:
            raise self._ended(f"an answer of its tool {tool}", error) from error
        if self._tell_raw:
            self._tell_raw(raw_words(tool, arguments, result))
        if result.failed and not may_fail:
            raise self._failed(tool, result)
        return result

    def _read(self, tool: str, reading: Any) -> Any:
        try:
            return reading()
        except UnexpectedResult as error:
            shows = f"agzamov memory try {self._typed} --raw shows what the tool gives"
            advice = f"mend {self._key(tool)} in the adapter: {shows}"
            raise self.fault(f"{error.expected} from its tool {tool}", error.found, advice) from error

    def _key(self, tool: str) -> str:
        """The part of the adapter that reads a tool's result, or files."""
        return key_of(self._adapter, tool) or "export"

    def _failed(self, tool: str, result: ToolResult) -> MemoryFault:
        """The fault of a tool whose result is an error."""
        advice = f"mend {self._key(tool)}.args in the adapter, or the server"
        return self.fault(f"an answer of its tool {tool}", f"an error: {shown(result.text)}", advice)

    def _remember(self, result: ToolResult, entry: str, content: str) -> None:
        """Keep by which names an entry that was taken can be known again."""
        part = self._adapter.store
        self._names.remember(entry, content, self._id_of(result) if part.id or part.id_text else "")

    def _rows(self, result: ToolResult, part: Search | Export) -> list[ServerEntry]:
        """The entries of a result, as the server gives them."""
        if is_empty(result, part):
            return []
        if result.failed:
            raise self._failed(part.tool, result)
        read_rows: list[ServerEntry] = self._read(part.tool, lambda: list(rows(result, part)))
        return read_rows

    def _once(self, found: Sequence[ServerEntry]) -> Sequence[ServerEntry]:
        """The first of several parts of one entry, where whole entries are fetched; else all."""
        if not self._adapter.fetch.tool:
            return found
        return list({(row.id, row.entry): row for row in reversed(found)}.values())[::-1]

    def _fetched(self, row: ServerEntry) -> ServerEntry:
        """The whole entry, where the adapter names a tool that gives it."""
        part = self._adapter.fetch
        if not part.tool:
            return row
        schema = next(tool.arguments for tool in self._listed if tool.name == part.tool)
        arguments = as_declared(filled(part.args, {"id": row.id, "entry": row.entry}), schema)
        result = self._call(part.tool, arguments)
        content = self._read(part.tool, lambda: fetched_content(result, part))
        return msgspec.structs.replace(row, content=content)

    def _refusal(self, result: ToolResult) -> str:
        """The reason of a refusal, cut; nothing where the entry was taken."""
        part = self._adapter.store
        if result.failed and not refused_in_words(part, result):
            raise self._failed(part.tool, result)
        refused: str | None = self._read(part.tool, lambda: refusal(part, result))
        if refused is None:
            answered = result.text if result.structured is None else result.structured
            advice = "mend store.stored or store.refused in the adapter, or the server"
            raise self.fault(f"that its tool {part.tool} takes an entry or says why not", shown(answered), advice)
        return refused[:SHOWN_CHARACTERS_MAX]

    def _id_of(self, result: ToolResult) -> str:
        """The server's own name of an entry that it took."""
        part = self._adapter.store
        name = self._read(part.tool, lambda: name_of_stored(part, result))
        if not isinstance(name, str):
            advice = "mend store.id or store.id_text in the adapter"
            raise self.fault(f"the server's name of the entry from its tool {part.tool}", shown(name), advice)
        return name

    def _pages(self, offset: int) -> list[ServerEntry]:
        part, found, page = self._adapter.export, list[ServerEntry](), 1
        while True:
            values = {"offset": offset + len(found), "page": page, "page_entries": PAGE_ENTRIES_MAX}
            result = self._call(part.tool, filled(part.args, values), may_fail=bool(part.empty_text))
            if is_empty(result, part):
                return found
            given = self._rows(result, part)
            found += given
            more = part.more and self._read(
                part.tool, lambda result=result: read(part.more, value_of(result, part.answer))
            )
            if not more:
                return found
            if not given or len(found) > ENTRIES_MAX:
                expected = f"an end of its export within {ENTRIES_MAX} entries"
                advice = "mend export.more in the adapter, or the server's pages"
                raise self.fault(expected, f"more after {len(found)}", advice)
            page += 1

    def _files(self) -> list[ServerEntry]:
        part, found = self._adapter.export, list[ServerEntry]()
        if not self.folder:
            raise self.fault("an export by a tool", "one of files in its container, which cannot be read")
        for path in sorted(self.folder.data.glob(part.files)):
            if path.stat().st_size > FILE_BYTES_MAX:
                raise self.fault(f"files of at most {FILE_BYTES_MAX} bytes", f"{path.name} is larger")
            text = path.read_text(encoding="utf-8", errors="replace")
            entries = self._read(part.files, lambda text=text: list(rows_of_text(text, part)))
            if not entries:
                raise self.fault(f"an entry in each file {part.files}", f"none in {path.name}")
            found += entries
        return found

    def _ended(self, expected: str, error: CallFailed) -> MemoryFault:
        """A fault of a server that gave no answer, with its last words if it ended."""
        found, advice = str(error), advice_of(str(error))
        if found == ENDED and self._log:
            found += last_words(self._log.last_text())
        return self.fault(expected, found, advice)


def _game(number: int) -> dict[str, str | int]:
    """A game's name for a server: its number, or a name that holds the number and nothing else."""
    return {"number": number, "game": f"g{number:05}"}
