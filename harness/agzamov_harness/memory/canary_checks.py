"""Each check of a memory system before a run: which canaries are stored, and what must be found of them.

A system without an export is asked for its entries by searches for their words; of one that tells entries in words of
its own nothing is compared.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .canary_session import HITS_MAX, CanarySession, Candidate, CheckFailed
from .launch import Setup
from .live_entries import EMPTY_ADVICE
from .memory_port import REFUSAL_ADVICE, SEARCH_ADVICE
from .own_searches import ADVICE, INDEX_S_MAX, finds_own_notes

FAST_WRITES = 40
SEARCHED = (0, 20, 39)
"""Which of these many is searched for: the first, one in the middle, the last."""
INDEX_POLL_S = 0.5
LONG_CHARACTERS = 4_000
PROBES = ("opponent", "GTO poker strategy", "Sicilian Defence", "e4", "a", "*", "fold to a three-bet")
CANARY = "The heron on the third pole folded its left wing twice"
NEAR = ("Folded to a 3-bet on the button: 4 of 5", "Folded to a 3-bet on the button: 4 of 6")
SCRIPTS = "Scripts beside each other: Cœur, Ω, 北京, 🂡 and e\u0301"
DIRECTIONS = "Marks of direction around a word: \u202eabc\u202c and \u2066def\u2069"
"""Some servers take such characters out of what they store. No note of a run has any."""
JSON = '{"json": [1, 2, null], "quoted": "\\"yes\\" or no answer at all"}'
"""Some servers read such a text as JSON before they store it, and refuse what they read."""
TEXTS = {
    SCRIPTS: "Scripts beside each other",
    "First line\nsecond line\n\n  - an indented line": "indented line",
    "# a heading, #00028 and a [[link]] with **stars** and `ticks` around": "heading around",
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


class ConformanceCheck(NamedTuple):
    """One check: `run` raises CheckFailed, or the port does. `advice`: for a failure whose cause has none of its own.

    `needs`: the checks without which it would fail for their cause, or show nothing. `only_warns`: a system that fails
    it can be measured.
    """

    name: str
    about: str
    run: Callable[[Candidate], None]
    advice: str
    needs: tuple[str, ...] = ()
    only_warns: bool = False


def reason_not_to(check: ConformanceCheck, setup: Setup) -> str:
    """The reason why a check does not fit a system as it is set."""
    if not setup.system.adapter.is_traced and check.run in COMPARING:
        return "the adapter declares that entries are told in the server's own words (traits.rewrites: always)"
    if check.run in SEARCHING and not setup.system.adapter.exports and (why := _why_no_search(setup)):
        return f"no tool gives every entry, and {why}"
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


def _opens(candidate: Candidate) -> None:
    session = candidate.fresh()
    if session.exports:
        session.export()
    else:
        session.search(CANARY)


def _sends_known_arguments(candidate: Candidate) -> None:
    if unknown := candidate.session.port.undeclared_arguments():
        raise CheckFailed("arguments that the tools name", ", ".join(unknown))


def _knows_nothing(candidate: Candidate) -> None:
    for probe in PROBES:
        if found := candidate.session.search(probe):
            raise CheckFailed(f"nothing for {probe!a} from an empty memory", f"{found[0]!a:.80}")


def _stores(candidate: Candidate) -> None:
    session = candidate.session
    session.store(CANARY)
    if not session.is_traced:
        session.end_game()
        if not session.search(CANARY):
            raise CheckFailed("some text from a search for what was stored", "nothing")
        return
    _require_held(candidate, [CANARY])
    if candidate.setup.system.adapter.traits.consistency == "immediate" and session.waits:
        raise CheckFailed(
            "what was stored in the next export", "it there later", "declare traits.consistency: eventual"
        )


def _keeps_texts(candidate: Candidate) -> None:
    """Every text is in the export as it was, and in what a search for plain words of it gives."""
    searches = not _why_no_search(candidate.setup)
    for text, query in TEXTS.items():
        candidate.session.store(text)
        if candidate.session.exports:
            _require_held(candidate, [text])
        if searches:
            _require_found(candidate, text, query)


def _require_found(candidate: Candidate, text: str, query: str, hits_max: int = SEARCH_HITS_MAX) -> None:
    """Find out that a search for some words gives a text, or the part of it that the adapter declares."""
    found = _in_time(candidate, text, query, hits_max)
    if not candidate.session.holds(found, text):
        given = f"{len(found)} others" if found else "nothing"
        advice = _unread_advice(candidate.setup, text)
        raise CheckFailed(f"{text!a:.60} from a search for {query!a:.60}", given, advice)


def _unread_advice(setup: Setup, text: str) -> str:
    """Advice for a stored text that a search for its words does not give."""
    reads_prose = setup.system.adapter.search.answer == "text"
    if reads_prose and "\n" in text:
        return "let search.items_text read notes of several lines: begin it with (?s), so that . is a line break too"
    part = "search.items_text" if reads_prose else "search"
    shows = f"agzamov memory try {setup.system.typed} --raw shows the server's answer"
    there = "its export has it, so see" if setup.system.adapter.exports else "see"
    return f"{there} whether {part} reads every entry: {shows}"


def _keeps_near_duplicates(candidate: Candidate) -> None:
    for text in NEAR:
        candidate.session.store(text)
    _require_held(candidate, NEAR)


def _keeps_fast_writes(candidate: Candidate) -> None:
    session = candidate.session
    held = len(session.export()) if session.exports else 0
    for note in MANY:
        session.store(note)
    if not session.exports:
        for note in MANY:
            _require_found(candidate, note, note)
    elif (now := len(session.export()) - held) != FAST_WRITES:
        raise CheckFailed(f"{FAST_WRITES} more entries in its export", f"{now}")


def _finds(candidate: Candidate) -> None:
    session = candidate.session
    _store_missing(session, MANY)
    for number in SEARCHED:
        found = _in_time(candidate, MANY[number], MANY[number], HITS_MAX)
        if not session.holds(found[:HITS_MAX], MANY[number]):
            such = f"{len(found)} others, the first {found[0]!a:.60}" if found else "nothing"
            raise CheckFailed(f"{MANY[number]!a} among the first {HITS_MAX} when searched for word by word", such)


def _in_time(candidate: Candidate, text: str, query: str, hits_max: int) -> tuple[str, ...]:
    """Entries found for a query; of a system whose index may come later, asked again until the text is among them."""
    session = candidate.session
    is_eventual = candidate.setup.system.adapter.traits.consistency == "eventual"
    until = time.monotonic() + (INDEX_S_MAX if is_eventual else 0)
    found = session.search(query, hits_max)
    while not session.holds(found, text) and time.monotonic() < until:
        time.sleep(INDEX_POLL_S)
        found = session.search(query, hits_max)
    return found


def _reads_only(candidate: Candidate) -> None:
    session = candidate.session
    _store_missing(session, NOTES)
    before = session.export() if session.exports else ()
    for query in QUERIES:
        found, again = session.search(query), session.search(query)
        if found != again and candidate.setup.system.adapter.traits.deterministic == "both":
            raise CheckFailed(f"the same entries for {query!a}, asked twice", "others", SEARCH_ADVICE)
    if session.exports and session.export() != before:
        raise CheckFailed("an export that searches leave as it was", "another one")


def _ends_games(candidate: Candidate) -> None:
    session = candidate.session
    for note in NOTES[:3]:
        session.store(f"{note} in all")
        entries = session.end_game()
        if session.exports and entries != (held := len(session.export())):
            raise CheckFailed(f"{entries} entries in its export after the end of a game", f"{held}")


def _keeps_directions(candidate: Candidate) -> None:
    _require_kept(candidate, DIRECTIONS, "Marks of direction around a word")


def _keeps_json(candidate: Candidate) -> None:
    _require_kept(candidate, JSON, "no answer at")


def _require_kept(candidate: Candidate, text: str, query: str) -> None:
    """A text that a fresh server is told must be given back."""
    session = candidate.fresh()
    session.store(text)
    if session.exports:
        _require_held(candidate, [text])
    else:
        _require_found(candidate, text, query)


def _begins_empty_again(candidate: Candidate) -> None:
    candidate.keep()
    if found := candidate.fresh().search(CANARY):
        raise CheckFailed("nothing from a second server in a folder of its own", f"{found[0]!a:.80}")


def _replays(candidate: Candidate) -> None:
    port = candidate.fresh().port
    for question, answer in candidate.kept:
        port.restore(question, answer)


def _require_held(candidate: Candidate, texts: Sequence[str]) -> None:
    """Find out that texts are in the export, or that searches for their words give them."""
    session = candidate.session
    if not session.exports:
        for text in texts:
            _require_found(candidate, text, text)
        return
    held = {one.content for one in session.export()}
    for text in texts:
        if text not in held:
            raise CheckFailed(f"{text!a:.60} in its export", "it missing")


def _store_missing(session: CanarySession, texts: Sequence[str]) -> None:
    """Store the entries that a failed earlier check did not; of a server without an export, those never sent to it."""
    held = {one.content for one in session.export()}
    for text in texts:
        if text not in held:
            session.store(text)


LAUNCH_ADVICE = "mend launch and the names of tools in the adapter, or the server"
READ_ADVICE = "mend export in the adapter, if the server has it; else make the server keep what it takes"
CHECKS = (
    ConformanceCheck("opens", "it starts, has the tools that the adapter calls, and is empty", _opens, LAUNCH_ADVICE),
    ConformanceCheck(
        "arguments",
        "its tools name every argument that the adapter sends",
        _sends_known_arguments,
        "mend the args in the adapter, unless the server takes them although its schemas do not say so",
        ("opens",),
        only_warns=True,
    ),
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
    ConformanceCheck(
        "own searches",
        "the searches that a run makes find notes of a run",
        finds_own_notes,
        ADVICE,
        ("stores", "knows nothing", "text", "near duplicates", "reads only", "ends of games"),
    ),
    ConformanceCheck(
        "direction marks",
        "characters that turn the direction of writing come back too",
        _keeps_directions,
        "nothing needs to be done: the notes of a run are plain ASCII",
        ("text",),
        only_warns=True,
    ),
    ConformanceCheck(
        "json as text",
        "a text that is JSON comes back as it was",
        _keeps_json,
        "nothing needs to be done with use: harness, whose notes are none; a model may write one, and the run stops",
        ("text",),
        only_warns=True,
    ),
)
COMPARING = (_keeps_texts, _keeps_near_duplicates, _keeps_fast_writes, _finds, _keeps_directions, _keeps_json)
"""The checks that compare what a server gives with what was stored."""
SEARCHING = (_stores, *COMPARING)
"""The checks that find out by searches what a server without an export holds."""
