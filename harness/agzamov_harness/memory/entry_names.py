"""Names of a server's entries: under which of our names an entry that it gives was stored."""

from collections.abc import Iterator, Sequence

import msgspec

from agzamov_verify.memory.given_text import WHOLE, GivenRule

from .result_reader import ServerEntry

NO_NAME = "(no name)"


class EntryNames:
    """Entries that a server took, by its own names for them and by their texts.

    `given`: what its searches give of an entry. `is_traced`: whether what they give is one or a part of one.
    """

    def __init__(self, given: GivenRule, *, is_traced: bool) -> None:
        self._given, self._is_traced = given, is_traced
        self._by_id: dict[str, str] = {}
        self._by_content: dict[str, list[str]] = {}

    def remember(self, entry: str, content: str, server_name: str = "") -> None:
        """Keep by which names an entry that was taken can be known again."""
        if server_name:
            self._by_id[server_name] = entry
        self._by_content.setdefault(content, []).append(entry)

    def of_search(self, found: Sequence[ServerEntry]) -> list[ServerEntry]:
        """Rows of a search under our names; where they cannot be traced, under their places."""
        if self._is_traced:
            return self._named(found, self._given)
        return [msgspec.structs.replace(row, entry=f"#{place}") for place, row in enumerate(found, 1)]

    def of_export(self, found: Sequence[ServerEntry]) -> list[ServerEntry]:
        """Rows of an export under our names, in order of these."""
        return sorted(self._named(found, WHOLE), key=lambda row: row.entry)

    def _named(self, found: Sequence[ServerEntry], given: GivenRule) -> list[ServerEntry]:
        """Rows by the server's own name, else by their text; what nobody stored keeps the server's name.

        Of several entries that a text fits, the first that was stored and is not named yet.
        """
        taken, named = set[str](), list[ServerEntry]()
        for row in found:
            name = row.entry or self._by_id.get(str(row.id), "")
            name = name or next((entry for entry in self._fitting(row.content, given) if entry not in taken), "")
            taken.add(name)
            named.append(msgspec.structs.replace(row, entry=name or str(row.id) or NO_NAME))
        return named

    def _fitting(self, content: str, given: GivenRule) -> Iterator[str]:
        yield from self._by_content.get(content, ())
        if given == WHOLE:
            return
        for stored, entries in self._by_content.items():
            if stored != content and given.fits(content, stored):
                yield from entries
