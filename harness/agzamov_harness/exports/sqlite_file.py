"""An export as one SQLite file, written by sqlite-utils: tables with foreign keys, full-text search, views.

Datasette opens it as it is: `datasette games.sqlite`.
"""

import errno
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from ..foundation.written_whole import written_whole
from .table_schema import TABLES, TableRow, Value, batches

ROWS_AT_ONCE: Final = 1000
VIEWS: Final = {
    "results": """
        select matches.id as match, matches.phase, matches.game, matches.augmentation, matches.arm,
               matches.measured, matches.opponents,
               count(games.id) as games, sum(games.outcome = 'won') as won, sum(games.outcome = 'drawn') as drawn,
               sum(games.outcome = 'lost') as lost, matches.figure, matches.low, matches.high, matches.unit
        from matches left join games on games.match = matches.id group by matches.id order by matches.phase, matches.id
    """,
    "endings": """
        select match, ended_by, count(*) as games from games group by match, ended_by order by match, games desc
    """,
    "usage": """
        select games.match, decisions.seat, count(*) as calls, count(distinct decisions.game) as games,
               sum(decisions.failed_attempts) as failed_attempts, sum(not decisions.is_answered) as without_reply,
               sum(decisions.prompt_tokens) as prompt_tokens, sum(decisions.completion_tokens) as completion_tokens,
               sum(decisions.reasoning_tokens) as reasoning_tokens, avg(decisions.ms) as mean_ms,
               sum((decisions.prompt_tokens - decisions.cached_tokens) * seats.input_usd
                   + decisions.cached_tokens * seats.cached_usd
                   + decisions.completion_tokens * seats.output_usd) / 1e6 as cost_usd
        from decisions join games on games.id = decisions.game join seats on seats.name = decisions.seat
        group by games.match, decisions.seat
    """,
    "replies": """
        select decisions.id, decisions.game, games.match, matches.augmentation, matches.arm, decisions.turn,
               decisions.attempt, decisions.seat, decisions.action, decisions.reply, games.outcome
        from decisions join games on games.id = decisions.game join matches on matches.id = games.match
    """,
    "memory_effect": """
        select games.match, count(*) as decisions, sum(recalls.is_delivered) as delivered,
               sum(recalls.bytes) as bytes_delivered, sum(delivered.entries) as entries_delivered,
               sum(recalls.is_changed is not null) as asked_again, sum(recalls.is_changed) as changed
        from memory_recalls as recalls join decisions on decisions.id = recalls.decision
        join games on games.id = decisions.game
        left join (select recall, count(*) as entries from memory_delivered group by recall) as delivered
            on delivered.recall = recalls.id
        group by games.match
    """,
    "memory_outcome": """
        select games.match, count(*) as results, sum(games.outcomes <> others.outcomes) as otherwise
        from games join matches on matches.id = games.match
        join matches as controls on controls.arm = 'naked' and controls.augmentation = matches.augmentation
            and controls.phase = matches.phase and controls.game = matches.game
            and controls.measured = matches.measured and controls.positions = matches.positions
        join games as others on others.match = controls.id and others.number = games.number
        where matches.arm <> 'naked' group by games.match
    """,
}
"""Views that answer the usual questions."""
INDEXES: Final = (
    ("games", "match"),
    ("decisions", "game"),
    ("evaluations", "game"),
    ("tool_calls", "game"),
    ("memory_recalls", "decision"),
    ("memory_delivered", "recall"),
)


def write_sqlite(path: Path, rows: Iterable[TableRow]) -> None:
    """Write the rows into a new file, whole or not at all. Raises OSError, and as `rows` does."""
    with written_whole(path) as place:
        place.open("xb").close()
        database = Database(place)
        try:
            for pragma in ("journal_mode = off", "synchronous = off"):
                database.conn.execute(f"pragma {pragma}")
            _create(database)
            with database.conn:
                for table, values in batches(rows, ROWS_AT_ONCE):
                    _insert(database, table, values)
            _finish(database)
        except sqlite3.OperationalError as error:
            is_full = error.sqlite_errorcode == sqlite3.SQLITE_FULL
            raise OSError(errno.ENOSPC if is_full else errno.EIO, str(error), str(path)) from error
        finally:
            database.close()


def _create(database: Database) -> None:
    for name, table in TABLES.items():
        foreign = [(column, other, TABLES[other].key) for column, other in table.refers.items()]
        database.table(name).create(dict(table.columns), pk=table.key, foreign_keys=foreign)


def _insert(database: Database, table: str, values: list[tuple[Value, ...]]) -> None:
    places = ",".join("?" * len(TABLES[table].columns))
    database.conn.executemany(f"insert into [{table}] values ({places})", values)  # noqa: S608 - names of ours


def _finish(database: Database) -> None:
    for table, column in INDEXES:
        database.table(table).create_index([column])
    database.table("decisions").enable_fts(["reply"])
    for name, query in VIEWS.items():
        database.create_view(name, query)
