"""The system `graph`: entities, the relations between them and the observations about them, in tables of SQLite.

A line of a note is cut at the words that link ("to", "on", "after" …), at counts and at punctuation: the pieces are its
entities, and each is related to the next one by the word between them. `Folded to a 3-bet on the button: 4 of 5` gives
folded -to-> 3-bet -on-> button. The line is an observation about all three.

A search begins at the entities that share words with the query (the more words, the better) and goes along one relation
and along two, in either direction. An entry scores for each entity that it mentions.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator

import numpy as np

from .decay import Decay
from .entry import Entry
from .entry_table import EntryTable
from .notation import COUNT, WORD, lines, query_words
from .postings import Postings, best
from .store import Rewrites

LINKS = frozenset(
    WORD.findall(
        "a about after against an and as at before but by during for from in into of off on onto or out over than the"
        " then to under up when while with without"
    )
)
ARTICLES = frozenset(("a", "an", "the"))
TOKEN = re.compile(f"{WORD.pattern}|[^\\w\\s]")

SHARED_WORD, ONE_HOP, TWO_HOPS = 10_000, 100, 1
"""What an entity adds to the score of an entry that mentions it, by how the search came to it."""
ENTITIES_MAX = 256
"""So many entities a search goes through: the best first, then by name."""

Relation = tuple[str, str, str]
"""The entity that comes first, the words that link, the entity that comes next."""


def pieces(line: str) -> tuple[list[str], list[Relation]]:
    """The entities of a line, in order, and the relations between them."""
    entities: list[str] = []
    relations: list[Relation] = []
    piece: list[str] = []
    link: list[str] = []
    for token in [*TOKEN.findall(COUNT.sub(" : ", line.lower())), ":"]:
        if token not in LINKS and WORD.fullmatch(token):
            piece.append(token)
            continue
        if piece:
            entity = " ".join(piece)
            if entities:
                relations.append((entities[-1], " ".join(link), entity))
            entities.append(entity)
            piece, link = [], []
        if token not in ARTICLES:
            link.append(token)
    return entities, relations


class Graph:
    """A knowledge graph."""

    rewrites: Rewrites = "never"

    def __init__(self, entries: EntryTable, decay: Decay) -> None:
        self.entries = entries
        self._decay = decay
        self._mentions = Postings()
        self._size = 1
        self._database: sqlite3.Connection = entries.database
        self._database.executescript(
            "create table entity_words (word text, entity text, primary key (word, entity)) without rowid;"
            "create table relations"
            " (source text, link text, target text, primary key (source, link, target)) without rowid;"
            "create index relations_by_target on relations (target);"
            "create table observations (entry text, entity text, line text)"
        )

    def store(self, entry: Entry) -> None:
        number = self.entries.add(entry)
        self._size = number + 1
        self._decay.add(entry.game)
        mentioned: dict[str, int] = {}
        with self._database:
            for line in lines(entry.content):
                entities, relations = pieces(line)
                self._keep(entry.entry, line, entities, relations)
                mentioned |= dict.fromkeys(entities, 1)
        self._mentions.add(number, mentioned)

    def search(self, query: str, limit: int, now: int) -> list[Entry]:
        scores = np.zeros(self._size, dtype=np.int64)
        for entity, score in self._reached(query_words(query)):
            held = self._mentions.read(entity)
            assert held is not None
            scores[held[0]] += score
        numbers = np.flatnonzero(scores)
        weighed = self._decay.weigh(numbers, scores[numbers], now)
        return self.entries.numbered(best(numbers, weighed, limit))

    def end_game(self, game: int) -> None:
        """Nothing: entries stay as they were stored."""

    def _keep(self, entry: str, line: str, entities: list[str], relations: list[Relation]) -> None:
        database = self._database
        database.executemany(
            "insert or ignore into entity_words values (?, ?)",
            ((word, entity) for entity in entities for word in entity.split(" ")),
        )
        database.executemany("insert or ignore into relations values (?, ?, ?)", relations)
        database.executemany("insert into observations values (?, ?, ?)", ((entry, one, line) for one in entities))

    def _reached(self, words: list[str]) -> Iterator[tuple[str, int]]:
        """The entities that a query leads to, the best first, and what each adds to a score."""
        shared: dict[str, int] = {}
        for word in words:
            for (entity,) in self._database.execute("select entity from entity_words where word = ?", (word,)):
                shared[entity] = shared.get(entity, 0) + SHARED_WORD
        reached = dict(sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:ENTITIES_MAX])
        last: Iterable[str] = list(reached)
        for score in (ONE_HOP, TWO_HOPS):
            near = sorted({other for entity in last for other in self._related(entity)} - reached.keys())
            last = near[: ENTITIES_MAX - len(reached)]
            reached |= dict.fromkeys(last, score)
        yield from reached.items()

    def _related(self, entity: str) -> list[str]:
        """The entities one relation away from an entity, in either direction."""
        rows = self._database.execute(
            "select target from relations where source = ?1 union select source from relations where target = ?1",
            (entity,),
        )
        return [other for (other,) in rows]
