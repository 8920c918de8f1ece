"""The audit of a memory: an honest career leaves nothing to say, and each defect is named with its place."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec
import pytest

from agzamov_verify.checks.memory_audit import Audited, StoreAudit, StoreAudits
from agzamov_verify.checks.memory_step import audited_matches, memory_warnings
from agzamov_verify.core.questions import (
    MEMORY,
    Answer,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    Question,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.core.script import Exchanges, Script
from agzamov_verify.memory.built_in_servers import consolidated, text_given
from agzamov_verify.memory.career_memory import PROBES, CareerMemory, SearchLimits, ServerUse
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import SeatStore, streams_of
from agzamov_verify.systems import MemorySystem

CONTESTS = 4
Exchange: TypeAlias = tuple[Question, Answer]
PLAIN = MemorySystem()
REWRITING = MemorySystem(server="consolidator")
NOISY = MemorySystem(server="noisy", noise_percent=25)


def match(**condition: str) -> dict[str, object]:
    condition = {"augmentation": "memory", **condition}
    return {"phase": 2, "game": "chess960", "a": "x", "b": "y", "games": 4, "careers": 2, "condition": condition}


THREE_ARMS = {
    "title": "Two memories, of one a placebo",
    "isolation": "process",
    "seats": {"x": {"kind": "random"}, "y": {"kind": "random"}},
    "systems": {"a": {"kind": "memory"}, "b": {"kind": "memory"}},
    "matches": [
        match(),
        match(arm="real", system="a"),
        match(arm="placebo", system="a"),
        match(arm="real", system="b"),
    ],
}


class Memory:
    """A memory in a dictionary that gives everything it holds; one that rewrites adds its entries up."""

    def __init__(self, *, rewrites: bool = False) -> None:
        self.live: dict[str, Kept] = {}
        self.rewrites = rewrites

    def __call__(self, question: Question) -> Answer:
        match question:
            case Store():
                entry, games = question.entry, (question.number,)
                self.live[entry] = Kept(question.content, (), entry, games, question.kind)
                return Stored()
            case Search():
                return Hits(tuple(Hit(kept.content, entry) for entry, kept in self.live.items()))
            case EndGame():
                if self.rewrites:
                    self._merge()
                return Settled(len(self.live))
            case Export():
                return Exported(tuple(self.live.values()), more=False)
            case _:
                raise AssertionError(question)

    def _merge(self) -> None:
        made = max((int(name[1:]) for name in self.live if name.startswith("d")), default=0)
        self.live = {kept.entry: kept for kept in consolidated(list(self.live.values()), made)}


def career(memory: CareerMemory) -> Script[None]:
    yield from memory.begin("g0")
    for number in range(CONTESTS):
        yield from memory.recall(f"g{number}", 2, "castling")
        yield from memory.observe(f"g{number}", f"castled early: 1 of 1{' ' * number}")
    yield from memory.finish(f"g{CONTESTS - 1}")


def played(*, rewrites: bool = False) -> list[Exchange]:
    memory = CareerMemory(SearchLimits(10, 1000), server=ServerUse(rewrites=rewrites))
    return list(Exchanges(career(memory), Memory(rewrites=rewrites)))


def audit(exchanges: list[Exchange], system: MemorySystem = PLAIN) -> StoreAudit:
    done = StoreAudit(system)
    for question, answer in exchanges:
        done.note(question, answer)
    return done


def test_an_honest_career_has_no_findings() -> None:
    done = audit(played())
    assert done.findings == []
    assert done.counts == Audited(careers=1, stored=4, searches=4 + len(PROBES), found=0 + 1 + 2 + 3)


def test_an_honest_career_of_a_system_that_rewrites_has_no_findings() -> None:
    done = audit(played(rewrites=True), REWRITING)
    assert done.findings == []
    assert done.counts.derived == CONTESTS


def with_no_hits(exchange: Exchange) -> Exchange:
    question, answer = exchange
    return (question, Hits(())) if isinstance(answer, Hits) else exchange


PLAN = msgspec.convert(THREE_ARMS, Plan)
NAKED, REAL, PLACEBO, OTHER = (match.id for match in PLAN.matches)


def of(match: str) -> SeatStore:
    return SeatStore(match, MEMORY)


LONG = Audited(careers=2, stored=40, searches=100, found=400)


def test_a_match_of_which_no_search_finds_anything_is_warned_of_by_its_name() -> None:
    """Of a placebo arm too, though the searches of its real arm find something."""
    found, vain = audit(played()).counts, audit([with_no_hits(one) for one in played()]).counts
    assert list(memory_warnings(PLAN, {of(REAL): found, of(PLACEBO): found})) == []
    (warning,) = memory_warnings(PLAN, {of(REAL): found, of(PLACEBO): vain})
    assert warning == (
        f"{PLACEBO}, system a: nothing was found in any of 10 searches, though 4 entries were stored, so no prompt held"
        " any; see whether its search works"
    )


@pytest.mark.parametrize(("found", "warned"), [(200, False), (199, True), (800, False), (801, True)])
def test_a_placebo_whose_searches_find_another_number_of_entries_is_warned_of(found: int, *, warned: bool) -> None:
    warnings = list(memory_warnings(PLAN, {of(REAL): LONG, of(PLACEBO): LONG._replace(found=found)}))
    assert bool(warnings) == warned
    assert not warned or f"placebo arm found {found / 100:.1f} entries, one of the real arm 4.0" in warnings[0]
    assert list(memory_warnings(PLAN, {of(OTHER): LONG, of(PLACEBO): LONG._replace(found=1)})) == [], (
        "of another system"
    )
    short = {of(arm): LONG._replace(stored=19, found=many) for arm, many in ((REAL, 400), (PLACEBO, 1))}
    assert list(memory_warnings(PLAN, short)) == [], "in two careers of fewer than ten contests"


def test_the_counts_of_careers_are_added_up_by_match() -> None:
    naked, *rest = ([one.id for one in streams_of(match)] for match in PLAN.matches)
    one = Audited(careers=1, searches=3)
    streams = [*((stream, {}) for stream in naked), *((stream, {MEMORY: one}) for some in rest for stream in some)]
    matches = audited_matches(PLAN, streams)
    assert matches == dict.fromkeys(map(of, (REAL, PLACEBO, OTHER)), one.plus(one))


def test_a_stream_without_a_memory_counts_for_nothing() -> None:
    done = StoreAudits(next(streams_of(PLAN.matches[0])), PLAN, {})
    for question, answer in played():
        done.note(question, answer)
    assert (done.counts, done.findings) == ({}, [])


WORDS = "castled early: 1 of 1"


def searched(server: str, query: str, *given: str, hits_max: int = 3) -> list[str]:
    """What the audit finds in a search after five entries were stored, of which the third has other words."""
    done = StoreAudit(MemorySystem(server=server))
    texts = {f"e{n:05d}": "folded to a 3-bet: 2 of 2" if n == 3 else WORDS for n in range(1, 6)}
    for number, (entry, text) in enumerate(texts.items(), 1):
        store = Store(
            attempt=0, content=text, entry=entry, game="g1", kind="observation", number=number, turn=0, to=MEMORY
        )
        done.note(store, Stored())
    search = Search(attempt=1, game="g9", hits_max=hits_max, number=9, query=query, turn=0, to=MEMORY)
    done.note(search, Hits(tuple(Hit(texts[entry], entry) for entry in given)))
    return [finding.expected for finding in done.findings]


@pytest.mark.parametrize(
    ("server", "query", "given", "expected"),
    [
        ("full_text", "castled?", ("e00001", "e00005", "e00002"), []),  # how it ranks is not computed
        ("full_text", "castles", (), []),  # nor what a stem is
        ("full_text", "caf\u00e9 castled", (), []),
        ("full_text", "Bet of", ("e00003", "e00005"), ["e00001 too, which has a word of the search"]),
        ("full_text", "a bet", (), ["e00003 too, which has a word of the search"]),
        ("full_text", "castled", ("e00001", "e00002", "e00004", "e00005"), ["at most 3 entries"]),
        ("semantic", "castled", (), []),
        ("file", "castled to a", ("e00003", "e00005", "e00004"), []),
        ("file", "bet", (), []),  # 3-bet is one word of it
        ("file", "castled", ("e00001", "e00005", "e00004"), ["e00005, e00004, e00002"]),
        ("file", "castled", (), ["e00005, e00004, e00002"]),
        ("file", "river", ("e00001",), ["nothing"]),
    ],
)
def test_a_built_in_search_for_words_keeps_nothing_back(
    server: str, query: str, given: tuple[str, ...], expected: list[str]
) -> None:
    assert searched(server, query, *given) == expected


# --- one defect each -----------------------------------------------------------------------------

Change: TypeAlias = Callable[[Answer], Answer]


def kept_change(index: int, **changes: object) -> Change:
    def change(answer: Answer) -> Answer:
        assert isinstance(answer, Exported)
        entries = list(answer.entries)
        entries[index] = msgspec.structs.replace(entries[index], **changes)
        return Exported(tuple(entries), answer.more)

    return change


def without(index: int) -> Change:
    def change(answer: Answer) -> Answer:
        assert isinstance(answer, Exported)
        return Exported(answer.entries[:index] + answer.entries[index + 1 :], answer.more)

    return change


def with_kept(kept: Kept) -> Change:
    return lambda answer: Exported((*answer.entries, kept), answer.more) if isinstance(answer, Exported) else answer


def hit_change(**changes: object) -> Change:
    def change(answer: Answer) -> Answer:
        assert isinstance(answer, Hits)
        return Hits((msgspec.structs.replace(answer.hits[0], **changes), *answer.hits[1:]))

    return change


def always(answer: Answer) -> Change:
    return lambda _: answer


def number_of(exchanges: list[Exchange], kind: type[Question], count: int) -> int:
    """The place of question number `count` of a kind; -1 is the last."""
    return [index for index, (question, _) in enumerate(exchanges) if isinstance(question, kind)][count]


BOOK = Kept("1. e4 e5 2. Nf3", (), "book", (1,), "observation")
AFTER_GAMES = len(PROBES)  # the first search of a decision
DEFECTS: dict[str, tuple[type, int, Change, str, str]] = {
    "a book is there before the first game": (Export, 0, always(Exported((BOOK,), more=False)), "game g0", "no such"),
    "a probe finds a book that is hidden from the dump": (
        Search,
        2,
        always(Hits((Hit("1. e4", "book"),))),
        "game g0",
        "entries that were stored before",
    ),
    "the last probe finds something": (
        Search,
        AFTER_GAMES - 1,
        always(Hits((Hit("x", "e00001"),))),
        "game g0",
        "stored before",
    ),
    "a search gives an entry before it is stored": (
        Search,
        AFTER_GAMES,
        always(Hits((Hit("castled early: 1 of 1", "e00001"),))),
        "game g0 turn 2",
        "stored before",
    ),
    "a search gives an entry of a later game": (
        Search,
        AFTER_GAMES + 1,
        hit_change(entry="e00003"),
        "game g1 turn 2",
        "stored before",
    ),
    "a search gives an injected entry": (Search, -1, hit_change(entry="book"), "game g3 turn 2", "stored before"),
    "a search gives an edited text": (Search, -1, hit_change(content="castled late"), "game g3", "as it was stored"),
    "a search gives the text of another entry": (
        Search,
        -1,
        hit_change(content="castled early: 1 of 1 "),
        "game g3",
        "as it was stored",
    ),
    "a search gives a text with one letter more": (
        Search,
        -1,
        hit_change(content="castled early: 1 of 1."),
        "game g3",
        "as it was stored",
    ),
    "a search gives an entry twice": (
        Search,
        -1,
        always(Hits((Hit("castled early: 1 of 1", "e00001"),) * 2)),
        "game g3 turn 2",
        "each entry once",
    ),
    "an entry is lost when a game ends": (EndGame, 1, always(Settled(1)), "game g1", "2 live entries"),
    "an entry appears when a game ends": (EndGame, 1, always(Settled(3)), "game g1", "2 live entries"),
    "a store is refused": (Store, 1, always(Stored("too like another")), "game g1", "e00002 stored"),
    "the dump lost its first entry": (Export, -1, without(0), "game g3", "e00001 (observation) of contest (1,)"),
    "the dump lost its last entry": (Export, -1, without(3), "game g3", "e00004"),
    "the dump is empty": (Export, -1, always(Exported((), more=False)), "game g3", "e00001"),
    "the dump holds an injected entry with a contest that was played": (
        Export,
        -1,
        with_kept(BOOK),
        "game g3",
        "no such entry",
    ),
    "the dump holds an entry twice": (
        Export,
        -1,
        with_kept(Kept("castled early: 1 of 1", (), "e00001", (1,), "observation")),
        "game g3",
        "each entry once in the dump",
    ),
    "the dump has an edited text": (Export, -1, kept_change(0, content="castled late"), "game g3", "e00001"),
    "the dump has a text with a space less": (
        Export,
        -1,
        kept_change(3, content="castled early: 1 of 1"),
        "game g3",
        "e00004",
    ),
    "the dump gives an entry to another contest": (Export, -1, kept_change(0, games=(2,)), "game g3", "contest (1,)"),
    "the dump gives an entry to a contest not yet played": (
        Export,
        -1,
        kept_change(3, games=(5,)),
        "game g3",
        "contest (4,)",
    ),
    "the dump gives an entry to no contest": (Export, -1, kept_change(0, games=()), "game g3", "contest (1,)"),
    "the dump gives an entry to two contests": (Export, -1, kept_change(0, games=(1, 2)), "game g3", "contest (1,)"),
    "the dump has another kind of entry": (Export, -1, kept_change(0, kind="summary"), "game g3", "(observation)"),
    "the dump has another name for an entry": (Export, -1, kept_change(0, entry="e00009"), "game g3", "e00001"),
    "the dump says that an entry was made from others": (
        Export,
        -1,
        kept_change(3, derived_from=("e00001",)),
        "game g3",
        "e00004",
    ),
}
MADE = "d00002 (summary) of contest (1, 2)"
REWRITING_DEFECTS: dict[str, tuple[type, int, Change, str, str]] = {
    "an entry is made from nothing": (Export, 2, kept_change(0, derived_from=()), "game g1", MADE),
    "an entry is made from one that was never there": (
        Export,
        2,
        kept_change(0, derived_from=("e00001", "book")),
        "game g1",
        MADE,
    ),
    "an entry is made from one entry a hundred times": (
        Export,
        2,
        kept_change(0, derived_from=("e00001", *("e00002",) * 100), content="castled early: 101 of 101"),
        "game g1",
        MADE,
    ),
    "an entry leaves out a contest of its sources": (Export, 2, kept_change(0, games=(1,)), "game g1", MADE),
    "an entry names a contest not yet played": (Export, 2, kept_change(0, games=(1, 2, 9)), "game g1", MADE),
    "an entry has words that no source has": (
        Export,
        2,
        kept_change(0, content="castled early: 2 of 2, Sicilian"),
        "game g1",
        MADE,
    ),
    "an entry is written in capitals": (Export, 2, kept_change(0, content="CASTLED EARLY: 2 of 2"), "game g1", MADE),
    "an entry says its line twice": (
        Export,
        2,
        kept_change(0, content="castled early: 2 of 2\ncastled early: 2 of 2"),
        "game g1",
        MADE,
    ),
    "an entry has a count that is no sum": (
        Export,
        2,
        kept_change(0, content="castled early: 3 of 3"),
        "game g1",
        MADE,
    ),
    "everything is forgotten when a game ends": (Export, 2, always(Exported((), more=False)), "game g1", MADE),
    "what is left is counted wrongly": (EndGame, 1, always(Settled(999)), "game g1", "1 live entries"),
    "a search gives what was rewritten between two games": (
        Search,
        -1,
        hit_change(content="castled early: 9 of 9"),
        "game g3",
        "as it was stored",
    ),
}
RECENT_DEFECTS: dict[str, Change] = {
    "an old entry in the place of a new one": hit_change(entry="e00001", content="castled early: 1 of 1"),
    "nothing": always(Hits(())),
    "another order": lambda answer: Hits(answer.hits[::-1]) if isinstance(answer, Hits) else answer,
}


def changed(exchanges: list[Exchange], kind: type, count: int, change: Change) -> list[Exchange]:
    index = number_of(exchanges, kind, count)
    question, answer = exchanges[index]
    return [*exchanges[:index], (question, change(answer)), *exchanges[index + 1 :]]


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_a_career_is_found_at_its_place(defect: str) -> None:
    kind, count, change, place, expected = DEFECTS[defect]
    findings = audit(changed(played(), kind, count, change)).findings
    assert findings, defect
    assert place in findings[0].place
    assert any(expected in finding.expected for finding in findings), findings


@pytest.mark.parametrize("defect", REWRITING_DEFECTS)
def test_a_defect_of_a_rewriting_system_is_found_at_its_place(defect: str) -> None:
    kind, count, change, place, expected = REWRITING_DEFECTS[defect]
    findings = audit(changed(played(rewrites=True), kind, count, change), REWRITING).findings
    assert findings, defect
    assert place in findings[0].place
    assert expected in findings[0].expected


@pytest.mark.parametrize("defect", RECENT_DEFECTS)
def test_the_last_entries_are_all_that_the_baseline_may_give(defect: str) -> None:
    """Whoever may choose what is remembered chooses what is known of the opponent."""
    exchanges = played()
    baseline = [
        (question, Hits(answer.hits[::-1]) if isinstance(answer, Hits) else answer) for question, answer in exchanges
    ]
    recent = MemorySystem(server="recent")
    assert audit(baseline, recent).findings == []
    findings = audit(changed(baseline, Search, -1, RECENT_DEFECTS[defect]), recent).findings
    assert any("the last 3 entries in their order" in finding.expected for finding in findings), findings


# --- declared noise ------------------------------------------------------------------------------


def damaged_by_rule() -> list[Exchange]:
    """An honest career of the server that damages what it gives."""
    exchanges: list[Exchange] = []
    searches = 0
    for question, answer in played():
        given = answer
        if isinstance(answer, Hits):
            searches += 1
            live = [Kept(hit.content, (), hit.entry, (), "") for hit in answer.hits]
            texts = (text_given(kept, live, searches, NOISY.noise_percent) for kept in live)
            given = Hits(tuple(Hit(text, kept.entry) for text, kept in zip(texts, live, strict=True)))
        exchanges.append((question, given))
    return exchanges


def test_damage_that_follows_the_declared_draw_is_counted() -> None:
    done = audit(damaged_by_rule(), NOISY)
    assert done.findings == []
    assert 0 < done.counts.altered < done.counts.found


def test_damage_of_another_entry_than_was_drawn_is_a_finding() -> None:
    exchanges = damaged_by_rule()
    hits = [answer.hits[0].content for _, answer in exchanges if isinstance(answer, Hits) and answer.hits]
    turned = "castled early: 1 of 1" if hits[-1].startswith("castled early: 0") else "castled early: 0 of 1"
    findings = audit(changed(exchanges, Search, -1, hit_change(content=turned)), NOISY).findings
    assert "as it was stored" in findings[0].expected


def test_damage_that_was_not_declared_is_a_finding() -> None:
    assert "as it was stored" in audit(damaged_by_rule()).findings[0].expected


def test_noise_does_not_excuse_a_text_that_nobody_stored() -> None:
    exchanges = changed(damaged_by_rule(), Search, -1, hit_change(content="Sicilian"))
    assert "as it was stored" in audit(exchanges, NOISY).findings[0].expected
