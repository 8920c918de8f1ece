"""The entries that a memory must hold, and what is wrong with an entry that its server gives."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from agzamov_verify.core.questions import Hit, Kept
from agzamov_verify.memory.built_in_servers import may_be_damaged
from agzamov_verify.memory.given_text import WHOLE, GivenRule, difference

if TYPE_CHECKING:  # its module imports the library of the protocol, which takes a second
    from .result_reader import ServerEntry

LIKE_CHARACTERS = 20
"""At its beginning a text has so many in common with the entry that it is a preview of."""
EMPTY_ADVICE = "keep all data below ${DATA} or ${HOME}, and build the server without entries of its own"
FOUND_ADVICE = (
    "mend search in the adapter if it reads other than entries; a server that tells them in words of its own declares"
    " traits.rewrites: always"
)


class Problem(NamedTuple):
    """Expected, found, and what to do, where that is known."""

    expected: str
    found: str
    advice: str = ""


class LiveEntries:
    """The entries of a memory by name, as stored and as rewritten at the ends of games.

    `is_unknown`: a tool was called of which nobody knows what it stores, so what an export shows is what is held, and
    nothing is checked any more. `given`: what a search gives of an entry. `is_traced`: whether it must be one.
    """

    def __init__(self, given: GivenRule = WHOLE, *, is_traced: bool = True) -> None:
        self._given, self._is_traced = given, is_traced
        self._live: dict[str, Kept] = {}
        self._ever: set[str] = set()
        self._new: list[str] = []
        self.is_unknown = False

    def add(self, kept: Kept) -> None:
        self._live[kept.entry] = kept
        self._ever.add(kept.entry)
        self._new.append(kept.entry)

    @property
    def count(self) -> int:
        """Number of entries that are held."""
        return len(self._live)

    @property
    def all(self) -> list[Kept]:
        """All entries, in the order in which they were stored."""
        return list(self._live.values())

    @property
    def settled(self) -> int:
        """Number of entries that an export has shown."""
        return len(self._live) - len(self._new)

    def takes_new(self, found: Iterable["ServerEntry"]) -> bool:
        """Whether an export of the last entries gives those that no export has shown yet, as they were stored."""
        kept, problem = self.kept(found, rewriting=False)
        if problem or [one.entry for one in kept] != self._new:
            return False
        self._new.clear()
        return True

    def become(self, kept: Iterable[Kept]) -> None:
        """Replace the known entries by the exported ones."""
        self._live = {one.entry: one for one in kept}
        self._ever |= self._live.keys()
        self._new.clear()

    def hit_problem(self, hit: Hit, *, is_noisy: bool) -> Problem | None:
        """The reason why a search cannot have given this entry; one whose system is noisy may be damaged."""
        held = self._live.get(hit.entry)
        if self.is_unknown or (not self._is_traced and self._ever):
            return None
        if not self._is_traced:
            return Problem("nothing before anything was stored", f"{hit.content!a:.80}", EMPTY_ADVICE)
        if not held:
            nearest = self._nearest(hit.content)
            advice = reading_advice(nearest, hit.content) if nearest else FOUND_ADVICE
            return Problem("entries that were stored", f"{hit.entry} from a search: {hit.content!a:.80}", advice)
        if is_noisy and may_be_damaged(hit.content, held.content, {kept.content for kept in self._live.values()}):
            return None
        if self._given.fits(hit.content, held.content):
            return None
        expected = f"{hit.entry} from a search as it was stored"
        found = difference(held.content, hit.content)
        return Problem(expected, found, reading_advice(held.content, hit.content))

    def _nearest(self, text: str) -> str:
        """The stored text that a text has most in common with at its beginning; "" where it has nothing."""
        shared = {kept.content: _shared(kept.content, text) for kept in self._live.values()}
        best = max(shared, key=lambda content: shared[content], default="")
        return best if best and shared[best] else ""

    def kept(self, found: Iterable["ServerEntry"], *, rewriting: bool) -> tuple[list[Kept], Problem | None]:
        """Exported entries in full, and their problems."""
        kept: dict[str, Kept] = {}
        for row in found:
            if row.entry in kept:
                return [], Problem(f"{row.entry} once in its export", "it twice")
            held, one = self._live.get(row.entry), self.as_exported(row)
            if one != held and (problem := self._change_problem(one, held, rewriting=rewriting)):
                return [], problem
            kept[row.entry] = one
        return list(kept.values()), None

    def as_exported(self, row: "ServerEntry") -> Kept:
        """An exported entry in full. What its adapter does not read is as it was stored."""
        held = self._live.get(row.entry)
        return Kept(
            row.content,
            row.derived_from,
            row.entry,
            row.games if row.games is not None else held.games if held else (),
            row.kind if row.kind is not None else held.kind if held else "",
        )

    def missing(self, kept: Iterable[Kept], *, rewriting: bool) -> list[str]:
        """Names of the entries that should be in an export and are not."""
        exported = list(kept)
        gone = self._live.keys() - {one.entry for one in exported}
        if rewriting:  # what was made of stored entries may itself be replaced by what is made of them
            sources = {source for one in exported for source in one.derived_from}
            gone = {name for name in gone - sources if not sources.issuperset(self._live[name].derived_from or (name,))}
        return sorted(gone)

    def _change_problem(self, one: Kept, held: Kept | None, *, rewriting: bool) -> Problem | None:
        """The reason why an entry may not be new, or differ from the one held."""
        if not rewriting:
            if not held:
                return Problem("entries that were stored", f"{one.entry} in its export: {one.content!a:.80}")
            expected = f"{one.entry} in its export as it was stored"
            if one.content != held.content:
                return Problem(expected, difference(held.content, one.content))
            return Problem(f"{expected}, {_told(held)}", _told(one))
        unknown = sorted(set(one.derived_from) - self._ever)
        if not one.derived_from or unknown:
            source = f"the unknown {unknown[0]}" if unknown else "nothing"
            return Problem(f"{one.entry} in its export to be made of entries that were stored", f"of {source}")
        return None


def reading_advice(stored: str, given: str) -> str:
    """The key of an adapter that says how a search gives an entry, guessed from one that it gave."""
    if stored and stored in given:
        return "search gives more than the entry: find the entry in it with search.content_text"
    if given.strip() and given in stored:
        return "declare search.gives: parts, or name the tool that gives whole entries as fetch"
    same = _shared(stored, given)
    if same >= min(LIKE_CHARACTERS, len(stored)):
        ellipsis = f"search.gives: previews and search.ellipsis: {given[same:]!a:.40}"
        return f"declare {ellipsis}, or name the tool that gives whole entries as fetch"
    return FOUND_ADVICE


def _shared(one: str, other: str) -> int:
    """Number of characters that two texts have in common at their beginning; all of one that is a part of the other."""
    if one and other and (one in other or other in one):
        return min(len(one), len(other))
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _told(kept: Kept) -> str:
    """An entry without its text."""
    return f"of kind {kept.kind!a}, of games {list(kept.games)}, derived from {list(kept.derived_from)}"
