"""The tables of an export: their columns, and which column names a row of which other table.

`docs/exports.md` says what each column is. A column is INTEGER, FLOAT or TEXT; any but the first may be empty (None).
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

Value: TypeAlias = str | int | float | None
INTEGER, FLOAT, TEXT = int, float, str


class Table(NamedTuple):
    """One table. Its first column is its key; `refers` has the table that a column's values are keys of."""

    columns: Mapping[str, type]
    refers: Mapping[str, str] = MappingProxyType({})

    @property
    def key(self) -> str:
        return next(iter(self.columns))


class TableRow(NamedTuple):
    """A row of the table `table`, its values in the order of the columns."""

    table: str
    values: tuple[Value, ...]


def _columns(text: str = "", integer: str = "", real: str = "", *, order: str) -> dict[str, type]:
    """Columns in the order of `order`, with the type under which each is listed."""
    types = {name: kind for kind, names in ((TEXT, text), (INTEGER, integer), (FLOAT, real)) for name in names.split()}
    return {name: types.get(name, TEXT) for name in order.split()}


TABLES: Final[Mapping[str, Table]] = {
    "runs": Table(
        _columns(order="id title digest submitter protocol seed_origin isolation compliant not_played departures")
    ),
    "seats": Table(
        _columns(
            integer="is_model",
            real="input_usd cached_usd output_usd",
            order="name run kind is_model settings input_usd cached_usd output_usd",
        ),
        {"run": "runs"},
    ),
    "matches": Table(
        _columns(
            integer="phase planned was_played units",
            real="figure low high figure_of_equals",
            order="id run phase game measured opponents augmentation arm system positions planned"
            " was_played figure low high figure_of_equals unit units careers no_interval_because",
        ),
        {"run": "runs", "measured": "seats"},
    ),
    "match_seats": Table(
        _columns(order="id match letter seat augmentation arm system"), {"match": "matches", "seat": "seats"}
    ),
    "match_teams": Table(
        _columns(integer="won drawn lost", order="id match team won drawn lost"), {"match": "matches"}
    ),
    "games": Table(
        _columns(
            integer="number questions",
            order="id match stream number seats outcome outcomes ended_by ended questions notation",
        ),
        {"match": "matches"},
    ),
    "system_prompts": Table(_columns(integer="id", order="id text")),
    "decisions": Table(
        _columns(
            integer="id turn attempt system_prompt is_planted is_answered prompt_tokens cached_tokens completion_tokens"
            " reasoning_tokens failed_attempts",
            real="ms",
            order="id game turn attempt seat system_prompt prompt is_planted is_answered reply reason tool_calls action"
            " model finish prompt_tokens cached_tokens completion_tokens reasoning_tokens failed_attempts ms",
        ),
        {"game": "games", "seat": "seats", "system_prompt": "system_prompts"},
    ),
    "evaluations": Table(
        _columns(integer="id ply centipawns mate", real="ms", order="id game ply centipawns mate ms"), {"game": "games"}
    ),
    "memory_entries": Table(
        _columns(integer="id turn", order="id stream memory entry kind content game turn refused derived_from"),
        {"game": "games"},
    ),
    "memory_recalls": Table(
        _columns(
            integer="id decision is_changed is_delivered bytes",
            order="id decision query action_without is_changed is_delivered bytes",
        ),
        {"decision": "decisions"},
    ),
    "memory_delivered": Table(
        _columns(integer="id recall place entry", order="id recall place entry name content"),
        {"recall": "memory_recalls", "entry": "memory_entries"},
    ),
    "tool_calls": Table(
        _columns(integer="id turn attempt", real="ms", order="id game turn attempt tool kind asked answered ms"),
        {"game": "games"},
    ),
}
"""The tables, each after those that it refers to."""


def batches(rows: Iterable[TableRow], size: int) -> Iterator[tuple[str, list[tuple[Value, ...]]]]:
    """The values of the rows by table, `size` together at most, those of one table in their order."""
    waiting: dict[str, list[tuple[Value, ...]]] = {}
    for row in rows:
        held = waiting.setdefault(row.table, [])
        held.append(row.values)
        if len(held) == size:
            yield row.table, waiting.pop(row.table)
    yield from waiting.items()
