"""Step 15: the audit of a memory, from the questions to it and its answers in each career.

- Empty before: the first dump holds nothing, and no word that was searched for before the first game found anything.
- Every entry that a search gave was stored before, in an earlier contest, and has the bytes that were stored; where an
  adapter declares parts or previews, it is one of these, and counted (`memory.given_text`).
- In the stale arm nothing is stored after the declared contest of the career.
- No entry was refused: a server that chose among them would choose what is remembered. One from outside may refuse what
  its adapter declares; refusals are counted, and of equal entries it is seen that there is one.
- After each game the server counts the entries that were stored.
- Each dump is the fold of all that was stored: nothing missing, nothing added, nothing altered, no contest that was not
  yet played, each entry once.
- A server without an export has no dump: what its searches gave is all that is compared, and its stores began empty as
  far as searches show. Of one that declares that it tells entries in words of its own (`rewrites: always`) nothing is
  compared once something was stored: step 15 is not taken, and the memory is unverified.
- Where a model called the server's own tools: the entries that a search gave stand in its words, and a built-in server
  says nothing beside them. Once a tool was called of which nobody knows what it stores, there is no fold: step 15 is
  not taken, and the memory is unverified.

What breaks no rule, but must be known before figures are believed, is warned of in memory_step, which
also gives the verdict, with the tier of each memory's lineage.

What a server makes of its entries by a published rule is computed again (`memory.built_in_servers`): the sums of
`consolidator`, the damage of `noisy`, the searches of `recent`, `history` and `file`, and of `full_text` and `noisy`
that no entry is kept back which has a word of the search. How other servers rank entries is attested. So is what a
server from outside makes of its entries, where its adapter declares that it rewrites; of what it makes them is
recomputed, and entries that say more than these are counted (lineage).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..core.questions import (
    MEMORY,
    SERVED_CHARACTERS_MAX,
    Answer,
    Called,
    CallTool,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    MemoryQuestion,
    Question,
    Search,
    Settled,
    Store,
    Stored,
)
from ..core.seat_letters import memory_name
from ..core.untrusted_input import unique
from ..memory.built_in_servers import SERVERS, WordSearches, consolidated, last_entries, text_given
from ..memory.given_text import WHOLE, Gives, difference
from ..memory.model_memory import NOTE
from ..memory.native_tools import Effect, NativeTool, holds
from ..plan.manifest import MemoryPin, Plan
from ..plan.streams import stores_until
from ..systems import MemorySystem
from ..table.game import StreamPlan
from .check_log import Finding, Number
from .memory_lineage import Lineage

TOLD_MAX: Final = 3
SHOWN_CHARACTERS: Final = 80
GIVEN_AS: Final[Mapping[Gives, str]] = {
    "entries": "as it was stored",
    "parts": "or an exact part of it",
    "previews": "as it was stored, or its beginning and then the declared ellipsis",
}
TAKEN: Final = {"stored": True, "reason": ""}
"""The words of a built-in server that took an entry."""


class Audited(NamedTuple):
    """Counts of one career, or of several added up.

    `failed`: calls of the server's own tools with an error. `unknown`: careers in which a tool was called of which
    nobody knows what it stores. `cut`: those in which a built-in server's words were cut, so that nobody can compare
    them with its entries. `own`: of the entries found, those that say more than what their server made them of.
    `parts`: those that are a part of a stored entry. `undumped`: careers whose server gives no export. `untraced`:
    those whose server tells entries in words of its own.
    """

    careers: int = 0
    stored: int = 0
    searches: int = 0
    found: int = 0
    altered: int = 0
    derived: int = 0
    failed: int = 0
    unknown: int = 0
    cut: int = 0
    refused: int = 0
    own: int = 0
    parts: int = 0
    undumped: int = 0
    untraced: int = 0

    def plus(self, other: "Audited") -> "Audited":
        return Audited(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class StoreAudits:
    """The audits of one stream: one for each seat that has a memory, by the memory's name in the journal."""

    def __init__(self, stream: StreamPlan, plan: Plan, pins: Mapping[str, MemoryPin]) -> None:
        self._audits: dict[str, StoreAudit] = {}
        for seat_index, name in enumerate(plan.memories_of(stream.match)):
            system, pin = plan.systems.get(name), pins.get(name)
            if isinstance(system, MemorySystem):
                until = stores_until(plan, stream.match, seat_index)
                self._audits[memory_name(seat_index)] = StoreAudit(system, pin.native if pin else (), until)

    def note(self, question: Question, answer: Answer) -> None:
        """Take one question to a memory and its answer; those of others are no matter."""
        if isinstance(question, MemoryQuestion) and (audit := self._audits.get(question.to)):
            audit.note(question, answer)

    @property
    def counts(self) -> dict[str, Audited]:
        """The counts of each store."""
        return {to: audit.counts for to, audit in self._audits.items()}

    @property
    def findings(self) -> list[Finding]:
        """The findings of all stores."""
        return [finding for audit in self._audits.values() for finding in audit.findings]


class StoreAudit:
    """The audit of one career. At most `TOLD_MAX` findings are kept.

    `stores_until`: in the stale arm, the last contest after which something may be stored.
    """

    def __init__(
        self, system: MemorySystem, offered: Sequence[NativeTool] = (), stores_until: int | None = None
    ) -> None:
        self._system, self._server, self._stores_until = system, system.server, stores_until
        self._effects = {tool.name: tool.effect for tool in offered}
        server = system.serving
        self._refuses = server.refuses if server else "none"
        self._is_recomputed = server is not None and server.recomputed
        self._rewrites = bool(system.is_from_outside and server and server.rewrites and server.exports)
        self._is_traced, self._given = (server.is_traced, system.given) if server else (True, WHOLE)
        self._lineage, self._says_more = Lineage(), set[str]()
        self._word_searches = WordSearches(self._server)
        self._after_rewriting: int | None = None
        self._live: list[Kept] = []
        self._by_name: dict[str, Kept] = {}
        self._pages: list[Kept] = []
        undumped = int(server is not None and not server.exports)
        self.counts = Audited(careers=1, undumped=undumped, untraced=int(not self._is_traced))
        self.findings: list[Finding] = []

    def note(self, question: Question, answer: Answer) -> None:
        """Take one question to the memory and its answer; those of others are no matter."""
        if self.counts.unknown or self.counts.cut:
            return
        match question, answer:
            case Store(), Stored():
                self._store(question, answer)
            case Search(), Hits():
                self._search(question, answer)
            case CallTool(), Called():
                self._call(question, answer)
            case EndGame(), Settled():
                self._end_game(question, answer)
            case Export(), Exported():
                self._export(question, answer)

    def _store(self, question: Store, answer: Stored) -> None:
        if self._stores_until is not None and question.number > self._stores_until:
            expected = f"nothing stored after contest {self._stores_until}, where the memory is stale"
            self._find(question, expected, f"{question.entry} after contest {question.number}")
        if answer.refused and self._may_refuse(question.content):
            self._count(refused=1)
            return
        if answer.refused:
            self._find(question, f"{question.entry} stored", f"refused: {cut(answer.refused)}")
        self._add(Kept(question.content, (), question.entry, (question.number,), question.kind))

    def _call(self, question: CallTool, answer: Called) -> None:
        """Take a call of one of the server's own tools. A failed call stored nothing, or the dump shows it."""
        effect = self._effects.get(question.tool, Effect.UNKNOWN)
        if effect is Effect.UNKNOWN:
            self._count(unknown=1)
        elif answer.failed:
            self._count(failed=1)
            if self._server in SERVERS and _query(question) is not None:
                self._find(question, f"no error of {question.tool}, called as it is declared", cut(answer.text))
        elif effect is Effect.SEARCHES:
            self._search(question, answer)
            self._words(question, answer)
        elif answer.refused and self._may_refuse(question.content):
            self._count(refused=1)
        elif answer.refused:
            self._find(question, f"{question.entry} stored", f"refused: {cut(answer.refused)}")
        else:
            if self._server in SERVERS and not _same(_parsed(answer.text), TAKEN):
                self._find(question, f"nothing but that {question.entry} was stored", cut(answer.text))
            self._add(Kept(question.content, (), question.entry, (question.number,), NOTE))

    def _words(self, question: CallTool, answer: Called) -> None:
        """Compare the words of a search with the entries that were read out of them."""
        whole = len(answer.text) + sum(len(hit.content) for hit in answer.hits) < SERVED_CHARACTERS_MAX
        for hit in answer.hits if whole else ():
            if not holds(answer.text, hit.content):
                self._find(question, f"{cut(hit.entry)} in the words of {question.tool}", cut(answer.text))
        given = {"hits": [{"entry": hit.entry, "content": hit.content} for hit in answer.hits]}
        if self._server in SERVERS and not whole:
            self._count(cut=1)
        elif self._server in SERVERS and not _same(_parsed(answer.text), given):
            self._find(question, f"nothing but these entries in the words of {question.tool}", cut(answer.text))

    def _add(self, kept: Kept) -> None:
        self._count(stored=1)
        self._live.append(kept)
        self._by_name[kept.entry] = kept
        self._lineage.add(kept)
        self._word_searches.add(kept)

    def _may_refuse(self, content: str) -> bool:
        """True if the server may refuse an entry of this text, as its adapter declares."""
        if self._refuses == "exact":
            return any(kept.content == content for kept in self._live)
        return self._refuses == "semantic" and bool(self._live)

    def _search(self, question: Search | CallTool, answer: Hits | Called) -> None:
        own = sum(hit.entry in self._says_more for hit in answer.hits)
        self._count(searches=1, found=len(answer.hits), own=own)
        if self._is_traced:
            self._trace(question, answer.hits)
        elif answer.hits and not self._live:
            self._find(question, "nothing before anything was stored", cut(answer.hits[0].content))
        if self._is_recomputed:
            newest_first = self._server == "recent"
            if answer.hits != (hits := last_entries(self._live, question.hits_max, newest_first=newest_first)):
                self._find(question, f"the last {len(hits)} entries in their order", _names(answer))
        if self._server in SERVERS and len(answer.hits) > question.hits_max:
            self._find(question, f"at most {question.hits_max} entries", f"{len(answer.hits)}")
        query = question.query if isinstance(question, Search) else _query(question) or ""
        if expected := self._word_searches.mismatch(query, question.hits_max, [hit.entry for hit in answer.hits]):
            self._find(question, expected, _names(answer))

    def _trace(self, question: Question, hits: Sequence[Hit]) -> None:
        """Compare what a search gave with what was stored."""
        if len({hit.entry for hit in hits}) < len(hits):
            self._find(question, "each entry once", "one twice")
        for hit in hits:
            kept = self._by_name.get(hit.entry)
            if kept is None:
                self._find(question, "entries that were stored before", f"{cut(hit.entry)}: {cut(hit.content)}")
                continue
            expected = self._text_given(kept)
            self._count(altered=int(expected != kept.content), parts=int(hit.content != expected))
            if not self._given.fits(hit.content, expected):
                self._find(question, f"{hit.entry} {GIVEN_AS[self._given.gives]}", difference(expected, hit.content))

    def _text_given(self, kept: Kept) -> str:
        """The text that the server gives of a live entry in this search."""
        noise_percent = self._system.noise_percent
        if not noise_percent:
            return kept.content
        return text_given(kept, self._live, self.counts.searches, noise_percent)

    def _end_game(self, question: EndGame, answer: Settled) -> None:
        if self._rewrites:  # the dump that follows shows what it made
            self._after_rewriting = answer.entries
            return
        if self._server == "consolidator":
            live = consolidated(self._live, self.counts.derived)
            self._count(derived=sum(kept.entry not in self._by_name for kept in live))
            self._become(live)
        if self._is_traced and answer.entries != len(self._live):
            self._find(question, f"{len(self._live)} live entries, as were stored", str(answer.entries))

    def _export(self, question: Export, answer: Exported) -> None:
        if question.offset == 0:
            self._pages = []
        self._pages += answer.entries
        if answer.more and answer.entries:
            return
        dump = {kept.entry: kept for kept in self._pages}
        if len(dump) < len(self._pages):
            self._find(question, "each entry once in the dump", "one twice")
        if self._after_rewriting is not None:
            self._take_rewritten(question, self._after_rewriting)
            return
        for entry in sorted(dump.keys() | self._by_name.keys()):
            if dump.get(entry) != self._by_name.get(entry):
                self._find(question, _shown(self._by_name.get(entry)), _shown(dump.get(entry)))

    def _take_rewritten(self, question: Export, counted: int) -> None:
        """Take the dump for what is live, where each entry that the server made names its sources."""
        self._after_rewriting = None
        if len(self._pages) != counted:
            self._find(question, f"{counted} live entries, as were counted", str(len(self._pages)))
        for mismatch in self._lineage.mismatches(self._by_name, self._pages):
            self._find(question, cut(mismatch.expected), cut(mismatch.found))
        made = [kept for kept in self._pages if kept != self._by_name.get(kept.entry)]
        self._count(derived=len(made))
        self._says_more -= {kept.entry for kept in made}
        self._says_more |= {kept.entry for kept in made if self._lineage.says_more(kept)}
        self._become(list(self._pages))
        for kept in self._pages:
            self._lineage.add(kept)

    def _become(self, live: list[Kept]) -> None:
        self._live, self._by_name = live, {kept.entry: kept for kept in live}

    def _count(self, **more: int) -> None:
        self.counts = self.counts.plus(Audited(**more))

    def _find(self, question: Question, expected: str, actual: str) -> None:
        if len(self.findings) < TOLD_MAX:
            self.findings.append(Finding(Number.MEMORY, _place(question), expected, actual))


def _place(question: Question) -> str:
    whose = "" if question.to == MEMORY else f" to {question.to}"
    return f"game {question.game} turn {question.turn} memory question {question.attempt}{whose}"


def _shown(kept: Kept | None) -> str:
    if kept is None:
        return "no such entry"
    made = f" from {cut(', '.join(kept.derived_from))}" if kept.derived_from else ""
    return f"{cut(kept.entry)} ({cut(kept.kind)}) of contest {kept.games[:9]}{made}: {cut(kept.content)}"


def _names(answer: Hits | Called) -> str:
    return ", ".join(cut(hit.entry) for hit in answer.hits[:9]) or "none"


def cut(text: str) -> str:
    """Foreign text on one line, not too long."""
    return repr(text[:SHOWN_CHARACTERS])[1:-1]


def _query(question: CallTool) -> str | None:
    """The text that a model gave a tool of a built-in server; None where its arguments are not as declared."""
    given = _parsed(question.called_with)
    if not isinstance(given, dict) or given.keys() not in ({"query"}, {"content"}):
        return None
    (text,) = given.values()
    return text if isinstance(text, str) else None


def _same(found: object, expected: object) -> bool:
    """Equality of two JSON values, types and all: to Python 1.0 is True."""
    return json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)


def _parsed(text: str) -> object:
    """The value of a JSON text in which no key comes twice; None for any other."""
    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        return None
