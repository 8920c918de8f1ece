"""Differences of a memory server from the sealed one, in words that name the change."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import asdict

from agzamov_verify.manifest import MemoryPin
from agzamov_verify.memory.native_tools import NativeTool

from .tool_list import differences

SHOWN_DIGITS: Final = 12
ADVICE: Final = "start the server that was sealed; to measure this one, seal a new run"


def changes_since_sealed(sealed: MemoryPin, found: MemoryPin, listed: Iterable[str]) -> str:
    """All differences between a server and the sealed one. `listed`: the names of its tools."""
    return "; ".join(_changes(sealed, found, listed))


def _changes(sealed: MemoryPin, found: MemoryPin, listed: Iterable[str]) -> Iterator[str]:
    for part, old, new in (("name", sealed.name, found.name), ("version", sealed.version, found.version)):
        if old != new:
            yield f"{part} {old!a} -> {new!a}"
    if sealed.adapter_sha256 != found.adapter_sha256:
        yield f"adapter {sealed.adapter_sha256[:SHOWN_DIGITS]} -> {found.adapter_sha256[:SHOWN_DIGITS]}"
    if sealed.native != found.native:
        yield from _native_changes(sealed.native, found.native)
    if sealed.tools_sha256 != found.tools_sha256:
        digests = f"{sealed.tools_sha256[:SHOWN_DIGITS]} -> {found.tools_sha256[:SHOWN_DIGITS]}"
        yield f"names or schemas of its tools {digests}, which are now {', '.join(listed) or 'none'}"


def _native_changes(sealed: Sequence[NativeTool], found: Sequence[NativeTool]) -> Iterator[str]:
    """Differences between the tools that a model is offered."""
    before, now = ({tool.name: asdict(tool) for tool in tools} for tools in (sealed, found))
    yield from differences(before, now)
    if before == now:
        yield "its tools are offered in another order"
