"""Knowledge that a memory system brings with it: entries that it gives though nobody stored them.

    blank searches    an empty memory is asked for the words of the games, and for what players know of them
    blank twin        two fresh servers get the same calls, but one is told no entry. What that one gives, and what the
                      other gives that was not stored, is knowledge of the system's own

An export need not show such knowledge, and a search may give it for a few words alone; so many words are asked for.
Where a system rewrites its entries, each word of what it gives must be a word of what was stored.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from agzamov_verify.memory.built_in_servers import may_be_damaged
from agzamov_verify.table.game import Game
from agzamov_verify.table.registry import GAMES

from ..ports import PortFault
from .canary_session import HITS_MAX
from .conformance import ConformanceFinding
from .launch import Setup
from .memory_server import MemoryServer
from .result_reader import ServerEntry

WRITES_PER_GAME: Final = 8
"""Notes of each game that are stored, each in a contest of its own."""
WORDS_MAX: Final = 150
"""Searches of one server."""
GENERAL: Final = (
    "opponent",
    "how to win",
    "best move",
    "opening book",
    "Sicilian Defence",
    "Ruy Lopez",
    "Queen's Gambit",
    "King's Indian Defence",
    "e4 e5 Nf3 Nc6",
    "d4 Nf6 c4",
    "endgame with rooks",
    "checkmate",
    "castling",
    "en passant",
    "game theory optimal",
    "pot odds",
    "bluff",
    "3-bet range",
    "preflop chart",
    "AKs",
    "pocket aces",
    "Nash equilibrium push or fold",
    "user",
    "system",
    "remember",
    "*",
)
NONSENSE: Final = "qzxvk"
WORD = re.compile(r"[A-Za-z][A-Za-z0-9'-]*")
KIND: Final = "observation"

SEARCHES, TWIN, WORDS_BESIDE = "blank searches", "blank twin", "blank words"
ABOUT_SEARCHES = "no word of the games finds anything in an empty memory"
ABOUT_TWIN = "all that is found was stored; a twin that was told nothing gives nothing"
ABOUT_WORDS = "an empty memory has the same words for every search, but that they may repeat it"
ADVICE = "build the system without texts of its own; what it brings would count as remembered"


def vocabulary() -> tuple[str, ...]:
    """Searches for preloaded knowledge: words about the games, the habits and the notes of each game."""
    known = [game for game in GAMES.values() if game.remembers]
    habits = [str(sentence) for game in known for sentence in game.patterns.values()]
    lines = [line.partition(":")[0] for game in known for note in _notes(game) for line in note.splitlines()]
    words = [word for text in (*habits, *lines) for word in WORD.findall(text)]
    return tuple(dict.fromkeys((*GENERAL, *habits, *lines, *words)))[:WORDS_MAX]


def writes() -> tuple[str, ...]:
    """The entries of a small career: notes of each game."""
    return tuple(note for game in GAMES.values() if game.remembers for note in _notes(game))


@cache
def _notes(game: Game) -> Sequence[str]:
    """Notes of strangers."""
    return game.sample_notes(WRITES_PER_GAME)


def blank_run(setup: Setup, folder: Path) -> Iterator[ConformanceFinding]:
    """One finding for each part; a last one, a warning, where the words of an empty memory change with the search."""
    asked = vocabulary()
    try:
        answers = _searched_empty(setup, folder / "blank.log", asked)
        yield _empty_finding(answers)
        yield _twin_finding(setup, folder, asked)
    except PortFault as error:
        yield ConformanceFinding(TWIN, "FAILED", ABOUT_TWIN, "", str(error), ADVICE)
        return
    if warning := _words_warning(answers):
        yield warning


class Searched(msgspec.Struct, frozen=True):
    """Result of one search: entries, and the server's words."""

    query: str
    found: tuple[ServerEntry, ...]
    words: str


def _searched_empty(setup: Setup, log: Path, asked: Sequence[str]) -> list[Searched]:
    """Every search in a memory in which nothing was stored, the first for a word that means nothing."""
    with closing(MemoryServer(setup, log)) as server:
        return [_search(server, query, 1) for query in (NONSENSE, *asked)]


def _search(server: MemoryServer, query: str, number: int) -> Searched:
    found, words = server.search_with_words(query, HITS_MAX, number)
    return Searched(query, tuple(found), words)


def _empty_finding(answers: Sequence[Searched]) -> ConformanceFinding:
    for answer in answers:
        if answer.found:
            expected = f"nothing for {answer.query!a} from an empty memory"
            return _brought(SEARCHES, ABOUT_SEARCHES, expected, answer.found[0])
    return ConformanceFinding(SEARCHES, "ok", f"{ABOUT_SEARCHES} ({len(answers)} searches)")


def _brought(check: str, about: str, expected: str, row: ServerEntry) -> ConformanceFinding:
    """The finding of an entry that nobody stored."""
    return ConformanceFinding(check, "FAILED", about, expected, f"{row.content!a:.80}", ADVICE)


def _twin_finding(setup: Setup, folder: Path, asked: Sequence[str]) -> ConformanceFinding:
    with (
        closing(MemoryServer(setup, folder / "fed.log")) as fed,
        closing(MemoryServer(setup, folder / "twin.log")) as twin,
    ):
        stored = _fed(fed, twin)
        number = len(stored) + 1
        for query in asked:
            for row in _search(twin, query, number).found:
                expected = f"nothing for {query!a} from a twin that was told nothing"
                return _brought(TWIN, ABOUT_TWIN, expected, row)
            for row in _search(fed, query, number).found if setup.system.adapter.is_traced else ():
                if not _is_supported(row, stored, setup, rewrites=fed.rewrites == "end_game"):
                    expected = f"entries that were stored for {query!a}"
                    return _brought(TWIN, ABOUT_TWIN, expected, row)
        for row in twin.export():
            expected = "an empty export of a twin that was told nothing"
            return _brought(TWIN, ABOUT_TWIN, expected, row)
    return ConformanceFinding(TWIN, "ok", f"{ABOUT_TWIN} ({len(asked)} searches after {len(stored)} entries)")


def _fed(fed: MemoryServer, twin: MemoryServer) -> dict[str, str]:
    """The entries of a career by name, once one server stored them; the other had the same calls less the stores."""
    stored: dict[str, str] = {}
    for number, content in enumerate(writes(), 1):
        entry = f"e{number:05}"
        if not fed.store(entry, content, KIND, number):
            stored[entry] = content
        fed.end_game(number)
        twin.end_game(number)
    return stored


def _is_supported(row: ServerEntry, stored: dict[str, str], setup: Setup, *, rewrites: bool) -> bool:
    """Whether the entries of a search were stored, or, where the system declares it, made of stored ones."""
    texts, given = set(stored.values()), setup.system.adapter.given(native=False)
    if setup.settings.noise_percent and row.entry in stored:
        return row.content in texts or may_be_damaged(row.content, stored[row.entry], texts)
    if rewrites:
        known = {word.lower() for text in texts for word in WORD.findall(text)}
        return all(word.lower() in known for word in WORD.findall(row.content))
    return any(given.fits(row.content, text) for text in texts)


def _words_warning(answers: Sequence[Searched]) -> ConformanceFinding | None:
    """A warning where an empty memory has other words for a search than for one that means nothing."""
    nonsense, *others = answers
    for answer in others:  # words that repeat the search differ in nothing else
        if nonsense.words.replace(nonsense.query, answer.query) != answer.words:
            expected = f"the same words for {answer.query!a} as for {nonsense.query!a}"
            advice = "see whether they tell anything of the games: with use: native a model reads them"
            return ConformanceFinding(WORDS_BESIDE, "warning", ABOUT_WORDS, expected, f"{answer.words!a:.80}", advice)
    return None
