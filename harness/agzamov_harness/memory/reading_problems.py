"""Problems of an adapter that reads too little of its server's results, or declares what cannot be together."""

import re
from collections.abc import Iterator

from agzamov_verify.memory.declared_server import Adapter, Export, Search

GROUPS = frozenset({"entry", "id", "content", "games", "kind"})


def reading_problems(adapter: Adapter) -> Iterator[str]:
    """One line for each problem, with its key."""
    if not adapter.store.stored and not adapter.store.stored_text:
        yield "store: expected stored or stored_text, found neither: it must be seen that an entry was taken"
    yield from _export_problems(adapter)
    if adapter.traits.rewrites == "described" and not adapter.describe.rewrites:
        yield "describe.rewrites: expected this key where traits.rewrites is described"
    yield from _content_problems("search", adapter.search, is_fetched=bool(adapter.fetch.tool))
    if not adapter.export.absent:
        yield from _content_problems("export", adapter.export, is_fetched=bool(adapter.fetch.tool))
    yield from _search_problems(adapter)
    yield from _fetch_problems(adapter)


def _export_problems(adapter: Adapter) -> Iterator[str]:
    part, rewrites = adapter.export, adapter.traits.rewrites
    if part.absent and (part.tool or part.files):
        yield "export.absent: expected no tool and no files beside it"
    elif not part.absent and bool(part.tool) == bool(part.files):
        yield "export: expected either tool or files; write export: none where no tool gives every entry"
    if part.in_order and "${offset}" not in str(part.args):
        yield "export.in_order: expected ${offset} in export.args"
    if part.absent and rewrites == "end_game":
        yield (
            "traits.rewrites: expected always or never where the export is none, found end_game: an export has to name"
            " what each new entry was made of"
        )


def _content_problems(name: str, part: Search | Export, *, is_fetched: bool) -> Iterator[str]:
    """Problems of how entries are read; with `is_fetched` their content may come from elsewhere."""
    if part.answer == "text" or (isinstance(part, Export) and part.files):
        if not _groups(part.items_text) & ({"content", "id", "entry"} if is_fetched else {"content"}):
            yield f"{name}.items_text: expected a regular expression with the group content"
        if unknown := _groups(part.items_text) - GROUPS:
            wanted = ", ".join(sorted(GROUPS))
            yield f"{name}.items_text: expected the groups {wanted}, found {min(unknown)!a}"
    elif not part.content and not is_fetched:
        yield f"{name}.content: expected this key, found nothing"


def _search_problems(adapter: Adapter) -> Iterator[str]:
    part = adapter.search
    if part.ellipsis and part.gives != "previews":
        yield f"search.ellipsis: expected this key with gives: previews alone, found gives: {part.gives}"
    if part.gives != "entries" and adapter.traits.rewrites == "always":
        yield "search.gives: expected no such key where traits.rewrites is always: what is found is not compared"


def _fetch_problems(adapter: Adapter) -> Iterator[str]:
    fetch, search = adapter.fetch, adapter.search
    if not fetch.tool:
        if fetch.args or fetch.content or fetch.content_text:
            yield "fetch.tool: expected this key, found nothing"
        return
    if not {"${id}", "${entry}"} & set(re.findall(r"\$\{\w+\}", str(fetch.args))):
        yield "fetch.args: expected ${id} or ${entry}, by which one entry is asked for"
    if not (search.id or search.entry or search.id_text or _groups(search.items_text) & {"id", "entry"}):
        yield "search.id: expected id, entry or id_text, by which each entry is fetched"
    if not fetch.content and fetch.answer != "text":
        yield "fetch.content: expected this key, found nothing"


def _groups(pattern: str) -> frozenset[str]:
    try:
        return frozenset(re.compile(pattern).groupindex)
    except re.error:
        return frozenset({"content"})  # told of already
