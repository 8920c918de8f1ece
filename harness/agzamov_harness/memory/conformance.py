"""The checks of a memory system before it is used in a run: canaries are stored, searched and exported.

A server that starts and lists its tools proves nothing: real servers acknowledged forty entries and kept one, refused
nine notes of ten as duplicates, searched with random vectors, and were never empty again. Every check speaks to the
server through the port of a run, whose rules are checked with it.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from ..ports import PortFault
from ..servers.server_process import ENDED, NO_ANSWER, NOT_MCP
from .adapter_file import DeclaredSystem
from .canary_session import HITS_MAX, CanarySession, Candidate, CheckFailed
from .launch import Setup, why_not_here
from .memory_port import EMPTY_ADVICE, REFUSAL_ADVICE, SEARCH_ADVICE
from .server_limits import MemoryFault

SILENT = (ENDED, NO_ANSWER, NOT_MCP)
"""Of a server that answers no more: it would not answer other checks either."""
FAST_WRITES = 40
SEARCHED = (0, 20, 39)
"""Which of these many is searched for: the first, one in the middle, the last."""
INDEX_S_MAX, INDEX_POLL_S = 60.0, 0.5
"""Seconds in which the index of a system that declares `consistency: eventual` must hold what was stored."""
LONG_CHARACTERS = 4_000
PROBES = ("opponent", "GTO poker strategy", "Sicilian Defence", "e4", "a", "*", "fold to a three-bet")
CANARY = "The heron on the third pole folded its left wing twice"
NEAR = ("Folded to a 3-bet on the button: 4 of 5", "Folded to a 3-bet on the button: 4 of 6")
SCRIPTS = "Scripts beside each other: Cœur, Ω, 北京, \u202eabc\u202c, 🂡 and e\u0301"
TEXTS = {
    SCRIPTS: "Scripts beside each other",
    "First line\nsecond line\n\n  - an indented line": "indented line",
    "# a heading, #00028 and a [[link]] with **stars** and `ticks` around": "heading around",
    '{"json": [1, 2, null], "quoted": "\\"yes\\" or no answer at all"}': "no answer at",
    "' OR 1=1; --  <b>&amp;</b> $HOME ${DATA} %s are plain text": "are plain text",
    ("The long note says " + "0123456789 abcdefghij " * 400)[:LONG_CHARACTERS]: "long note says",
}
"""Texts that servers lose or alter, and for each plain words by which it is searched for."""
SEARCH_HITS_MAX = 20
"""More than are stored when texts are searched for: how they rank is no matter there."""
PLACES = ("bridge", "meadow", "harbour", "quarry", "orchard", "tunnel", "marsh", "dike")
NOTES = (
    "Folded to a 3-bet on the button: 4 of 5",
    "Folded to a 3-bet on the button: 2 of 3",
    "Castled before move 8 with white: 3 of 4",
    "Called the river with one pair: 1 of 6",
    "Moved the queen out before move 6: 5 of 7",
    "Raised from the small blind with any hand: 6 of 9",
    "Took back with a pawn away from the centre: 2 of 3",
    "Checked the flop as the raiser: 4 of 4",
    "Offered a knight for two pawns: 1 of 2",
)
MANY = tuple(
    f"{animal} crossed the {place} at landmark{number:03} on day {17 * number % 61}"
    for number, (animal, place) in enumerate(
        [(animal, place) for animal in ("Heron", "Otter", "Badger", "Marten", "Plover") for place in PLACES]
    )
)
QUERIES = ("folded on the button to a 3-bet", "queen moves early", "pawn", "river call", "castled", "raised")


class ConformanceFinding(msgspec.Struct, frozen=True):
    """Outcome of one check; `expected` and `found` where it did not go well, and then what to do."""

    check: str
    outcome: Literal["ok", "FAILED", "warning", "not checked"]
    about: str
    expected: str = ""
    found: str = ""
    advice: str = ""

    @property
    def line(self) -> str:
        start = f"{self.outcome:<12}{self.check:<16}"
        if self.outcome == "ok" or not self.found:
            return start + self.about
        wrong = f"expected {self.expected}, found {self.found}" if self.expected else self.found
        return f"{start}{wrong}; {self.advice}" if self.advice else start + wrong


class ConformanceCheck(NamedTuple):
    """One check: `run` raises CheckFailed, or the port does. `advice`: for a failure whose cause has none of its own.

    `needs`: the checks without which it would fail for their cause, or show nothing.
    """

    name: str
    about: str
    run: Callable[[Candidate], None]
    advice: str
    needs: tuple[str, ...] = ()


def check_system(setup: Setup, log: Path) -> Iterator[ConformanceFinding]:
    """Findings of every check, as they are made. One that needs a check that failed, or a server that answers, is not
    made.
    """
    candidate, causes, hung = Candidate(setup, log), dict[str, str](), ""
    try:
        for check in CHECKS:
            cause = hung or next((causes[name] for name in check.needs if name in causes), "")
            reason = f"{cause} failed, on which it depends" if cause else reason_not_to(check, setup)
            if reason:
                yield ConformanceFinding(check.name, "not checked", check.about, found=reason)
            else:
                finding = _finding(check, candidate)
                yield finding
                cause = check.name if finding.outcome == "FAILED" else ""
                hung = check.name if finding.found.startswith(SILENT) else ""
            if cause:
                causes[check.name] = cause
    finally:
        candidate.drop()


def reason_not_to(check: ConformanceCheck, setup: Setup) -> str:
    """The reason why a check does not fit a system as it is set."""
    if check.run is _finds:
        return _why_no_search(setup)
    if check.run is _keeps_near_duplicates and setup.system.adapter.traits.dedup == "semantic":
        return "the adapter declares that entries like others are refused"
    return ""


def _why_no_search(setup: Setup) -> str:
    """The reason why a search for an entry's words need not give it as it was stored."""
    if setup.system.variant.query == "none":
        return "the system does not search: it gives entries whatever the query"
    if setup.settings.noise_percent:
        return "searches are noisy, as the setting noise_percent asks"
    return ""


def _finding(check: ConformanceCheck, candidate: Candidate) -> ConformanceFinding:
    try:
        check.run(candidate)
    except CheckFailed as error:
        return ConformanceFinding(
            check.name, "FAILED", check.about, error.expected, error.found, error.advice or check.advice
        )
    except MemoryFault as error:
        candidate.drop()
        return ConformanceFinding(
            check.name, "FAILED", check.about, error.expected, error.found, error.advice or check.advice
        )
    except PortFault as error:
        candidate.drop()
        return ConformanceFinding(check.name, "FAILED", check.about, "", str(error), check.advice)
    return ConformanceFinding(check.name, "ok", check.about)


def _opens(candidate: Candidate) -> None:
    candidate.fresh().export()


def _knows_nothing(candidate: Candidate) -> None:
    for probe in PROBES:
        if found := candidate.session.search(probe):
            raise CheckFailed(f"nothing for {probe!a} from an empty memory", f"{found[0]!a:.80}")


def _stores(candidate: Candidate) -> None:
    candidate.session.store(CANARY)
    _require_held(candidate.session, [CANARY])
    if candidate.setup.system.adapter.traits.consistency == "immediate" and candidate.session.waits:
        raise CheckFailed(
            "what was stored in the next export", "it there later", "declare traits.consistency: eventual"
        )


def _keeps_texts(candidate: Candidate) -> None:
    """Every text is in the export as it was, and in what a search for plain words of it gives."""
    session, searches = candidate.session, not _why_no_search(candidate.setup)
    for text, query in TEXTS.items():
        session.store(text)
        _require_held(session, [text])
        if searches and text not in (found := _in_time(candidate, text, query, SEARCH_HITS_MAX)):
            given = f"{len(found)} others" if found else "nothing"
            raise CheckFailed(f"{text!a:.60} from a search for {query!a}", given, _unread_advice(candidate.setup, text))


def _unread_advice(setup: Setup, text: str) -> str:
    """Advice for a text that the export holds and a search for its words does not give."""
    reads_prose = setup.system.adapter.search.answer == "text"
    if reads_prose and "\n" in text:
        return "let search.items_text read notes of several lines: begin it with (?s), so that . is a line break too"
    part = "search.items_text" if reads_prose else "search"
    shows = f"agzamov memory try {setup.system.typed} --raw shows the server's answer"
    return f"its export has it, so see whether {part} reads every entry: {shows}"


def _keeps_near_duplicates(candidate: Candidate) -> None:
    for text in NEAR:
        candidate.session.store(text)
    _require_held(candidate.session, NEAR)


def _keeps_fast_writes(candidate: Candidate) -> None:
    session = candidate.session
    held = len(session.export())
    for note in MANY:
        session.store(note)
    if (now := len(session.export()) - held) != FAST_WRITES:
        raise CheckFailed(f"{FAST_WRITES} more entries in its export", f"{now}")


def _finds(candidate: Candidate) -> None:
    session = candidate.session
    _store_missing(session, MANY)
    for number in SEARCHED:
        found = _in_time(candidate, MANY[number], MANY[number], HITS_MAX)
        if MANY[number] not in found[:HITS_MAX]:
            such = f"{len(found)} others, the first {found[0]!a:.60}" if found else "nothing"
            raise CheckFailed(f"{MANY[number]!a} among the first {HITS_MAX} when searched for word by word", such)


def _in_time(candidate: Candidate, text: str, query: str, hits_max: int) -> tuple[str, ...]:
    """Entries found for a query; of a system whose index may come later, asked again until the text is among them."""
    is_eventual = candidate.setup.system.adapter.traits.consistency == "eventual"
    until = time.monotonic() + (INDEX_S_MAX if is_eventual else 0)
    found = candidate.session.search(query, hits_max)
    while text not in found and time.monotonic() < until:
        time.sleep(INDEX_POLL_S)
        found = candidate.session.search(query, hits_max)
    return found


def _reads_only(candidate: Candidate) -> None:
    session = candidate.session
    _store_missing(session, NOTES)
    before = session.export()
    for query in QUERIES:
        found, again = session.search(query), session.search(query)
        if found != again and candidate.setup.system.adapter.traits.deterministic == "both":
            raise CheckFailed(f"the same entries for {query!a}, asked twice", "others", SEARCH_ADVICE)
    if session.export() != before:
        raise CheckFailed("an export that searches leave as it was", "another one")


def _ends_games(candidate: Candidate) -> None:
    session = candidate.session
    for note in NOTES[:3]:
        session.store(f"{note} in all")
        entries = session.end_game()
        if entries != len(session.export()):
            raise CheckFailed(f"{entries} entries in its export after the end of a game", f"{len(session.export())}")


def _begins_empty_again(candidate: Candidate) -> None:
    candidate.keep()
    if found := candidate.fresh().search(CANARY):
        raise CheckFailed("nothing from a second server in a folder of its own", f"{found[0]!a:.80}")


def _replays(candidate: Candidate) -> None:
    port = candidate.fresh().port
    for question, answer in candidate.kept:
        port.restore(question, answer)


def _require_held(session: CanarySession, texts: Sequence[str]) -> None:
    held = {one.content for one in session.export()}
    for text in texts:
        if text not in held:
            raise CheckFailed(f"{text!a:.60} in its export", "it missing")


def _store_missing(session: CanarySession, texts: Sequence[str]) -> None:
    """Store the entries that a failed earlier check did not."""
    held = {one.content for one in session.export()}
    for text in texts:
        if text not in held:
            session.store(text)


LAUNCH_ADVICE = "mend launch and the names of tools in the adapter, or the server"
READ_ADVICE = "mend export in the adapter, if the server has it; else make the server keep what it takes"
CHECKS = (
    ConformanceCheck("opens", "it starts, has the tools that the adapter calls, and is empty", _opens, LAUNCH_ADVICE),
    ConformanceCheck(
        "knows nothing",
        "no question gets an answer from an empty memory",
        _knows_nothing,
        "build the server without entries of its own",
        ("opens",),
    ),
    ConformanceCheck("stores", "an entry is given back", _stores, READ_ADVICE, ("opens",)),
    ConformanceCheck(
        "text",
        "any script, line breaks, markup and 4,000 characters come back as they were",
        _keeps_texts,
        READ_ADVICE,
        ("stores", "knows nothing"),
    ),
    ConformanceCheck(
        "near duplicates",
        "two entries that differ in one number are both kept",
        _keeps_near_duplicates,
        REFUSAL_ADVICE,
        ("stores",),
    ),
    ConformanceCheck(
        "fast writes",
        f"{FAST_WRITES} entries stored at once are all kept",
        _keeps_fast_writes,
        "let the server take one call after another, or lock what it writes",
        ("stores", "near duplicates"),
    ),
    ConformanceCheck(
        "finds",
        "a stored sentence is found by its own words",
        _finds,
        "see whether its embedding model or index is really there; mend search in the adapter",
        ("stores", "knows nothing", "fast writes"),
    ),
    ConformanceCheck(
        "reads only",
        "a search changes nothing, and gives the same when asked again",
        _reads_only,
        "make the server leave its entries as they are when it is searched",
        ("stores", "knows nothing", "near duplicates", "finds"),
    ),
    ConformanceCheck(
        "ends of games",
        "text changes at the end of a game alone, and only as declared",
        _ends_games,
        "mend end_game.entries in the adapter, or the server's count",
        ("stores", "near duplicates"),
    ),
    ConformanceCheck(
        "fresh",
        "a second server in a folder of its own is empty",
        _begins_empty_again,
        EMPTY_ADVICE,
        ("opens", "knows nothing"),
    ),
    ConformanceCheck(
        "replay",
        "a fresh server that is told the same answers the same",
        _replays,
        SEARCH_ADVICE,
        ("fresh", "reads only", "ends of games"),
    ),
)


def coinciding(setup: Setup, others: Sequence[DeclaredSystem], folder: Path) -> Iterator[ConformanceFinding]:
    """A warning for each other system that gives the same entries in the same order for every query.

    One that cannot be started here is not compared. Raises PortFault for the system itself.
    """
    own = retrieved(setup, folder / "fingerprint.log")
    for other in others:
        if other.name == setup.system.name:
            continue
        if missing := why_not_here(other, setup.installed):
            yield ConformanceFinding("fingerprint", "not checked", ABOUT_FINGERPRINT, found=f"{other.name}: {missing}")
            continue
        try:
            same = retrieved(Setup(other, limits=setup.limits), folder / f"{other.name}.log") == own
        except PortFault as error:
            yield ConformanceFinding("fingerprint", "not checked", ABOUT_FINGERPRINT, found=f"{other.name}: {error}")
            continue
        if same:
            found = f"the same entries as {other.name}, in the same order, for all of {len(QUERIES)} queries"
            advice = "two columns of a matrix with both would measure noise"
            yield ConformanceFinding("fingerprint", "warning", ABOUT_FINGERPRINT, found=found, advice=advice)


ABOUT_FINGERPRINT = "no built-in system gives the same for the same queries"


def retrieved(setup: Setup, log: Path) -> list[tuple[str, ...]]:
    """Texts that a fresh server gives for each query, after some notes. Raises PortFault."""
    candidate = Candidate(setup, log)
    try:
        candidate.session.remember(NOTES)
        return [candidate.session.search(query, 3) for query in QUERIES]
    finally:
        candidate.drop()
