"""An export as a folder of Apache Parquet files, one for each table, written by pyarrow."""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyarrow import parquet

from ..foundation.written_whole import written_whole
from .table_schema import FLOAT, INTEGER, TABLES, TEXT, TableRow, Value, batches

ROWS_AT_ONCE: Final = 5000
TYPES: Final = {INTEGER: pa.int64(), FLOAT: pa.float64(), TEXT: pa.string()}
SCHEMAS: Final = {
    name: pa.schema([(column, TYPES[kind]) for column, kind in table.columns.items()]) for name, table in TABLES.items()
}


def write_parquet(folder: Path, rows: Iterable[TableRow]) -> None:
    """Write the rows into a new folder, whole or not at all. Raises OSError, and as `rows` does."""
    with written_whole(folder) as place, _named(folder):
        place.mkdir()
        with ExitStack() as stack:
            files = {
                name: stack.enter_context(parquet.ParquetWriter(place / f"{name}.parquet", schema))
                for name, schema in SCHEMAS.items()
            }
            for name, values in batches(rows, ROWS_AT_ONCE):
                files[name].write_table(_table(name, values))


@contextmanager
def _named(folder: Path) -> Iterator[None]:
    """Give an error of the library, which names no file, the folder that is written."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno:
            raise OSError(error.errno, os.strerror(error.errno), str(folder)) from error
        raise


def _table(name: str, rows: list[tuple[Value, ...]]) -> pa.Table:
    schema = SCHEMAS[name]
    columns = zip(*rows, strict=True)
    return pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )
