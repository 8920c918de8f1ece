"""Tables of pairs as LMArena publishes them: `model_a, model_b, winner`, as CSV or as lines of JSON.

    model_a,model_b,winner
    gpt-4,claude-1,model_a
    claude-1,vicuna-13b,tie (bothbad)

`winner` is model_a, model_b or a tie; a tie of two bad answers is a tie, and spelled in several ways in the public
tables. Columns that are not named here are not read. Some more may be there, and are in what `arena export` writes:

    game          tables of several games
    weight        a whole number of like results
    cluster       rows that depend on each other: games of one opening, pairs of one table
    moves_sha256  of what was played: equal games count once
    forfeit       1 where the harness decided the game
"""

import csv
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from agzamov_verify.core.columns import ascii_words
from agzamov_verify.plan.manifest import ManifestError

from .imported_results import COUNT_MAX, Gathered, ImportedResults, PairRow, Source

FILE_BYTES_MAX: Final = 2**32
LINE_BYTES_MAX: Final = 2**24
SHOWN_CHARACTERS_MAX: Final = 60
NEEDED: Final = ("model_a", "model_b", "winner")
MORE: Final = ("game", "weight", "cluster", "moves_sha256", "forfeit")
COLUMNS: Final = (*NEEDED, *MORE)
ONE_GAME: Final = "pairs"
"""The game of a table without a column of games."""
TIES: Final = ("tie", "tie (bothbad)", "tie (both_bad)", "bothbad", "both_bad", "both bad", "draw")
OUTCOMES: Final[Mapping[str, int]] = {"model_a": 2, "model_b": 0, **dict.fromkeys(TIES, 1)}
WINNERS: Final = ("model_b", "tie", "model_a")
"""By the outcome of the first player: loss, draw, win."""
LINES_OF_JSON: Final = (".jsonl", ".ndjson", ".json")
FORFEITS: Final[Mapping[str, bool]] = {"": False, "0": False, "false": False, "1": True, "true": True}


class _Line(msgspec.Struct):
    """A line of JSON; other fields are not looked at."""

    model_a: str
    model_b: str
    winner: str
    game: str = ""
    weight: int = 1
    cluster: str = ""
    moves_sha256: str = ""
    forfeit: bool = False


def read_pairs(path: Path) -> ImportedResults:
    """The results of a table. Raises ManifestError in one line, with the number of the line in the file."""
    digest, found = hashlib.sha256(), Gathered()
    is_json = path.suffix.lower() in LINES_OF_JSON
    if not is_json and path.suffix.lower() != ".csv":
        raise ManifestError(f"{path}: expected a name that ends in .csv or .jsonl")
    try:
        if not path.is_file():
            raise ManifestError(f"{path}: expected a file")
        if (size := path.stat().st_size) > FILE_BYTES_MAX:
            raise ManifestError(f"{path}: expected at most {FILE_BYTES_MAX:,} bytes, found {size:,}")
        with path.open("rb") as file:
            lines = _Lines(file, digest)
            try:
                for row in _of_json(lines) if is_json else _of_csv(lines):
                    found.add(row)
            except (ManifestError, csv.Error, msgspec.DecodeError, RecursionError) as error:
                raise ManifestError(f"{path}, line {lines.number}: {_shown(str(error))}") from error
    except OSError as error:
        raise ManifestError(f"{path}: {error.strerror}") from error
    return found.results(Source(str(path), 1, digest.hexdigest()))


class _Lines:
    """The lines of a file as text, of which a digest is made; `number` is that of the last one, 1 the first."""

    def __init__(self, file: BinaryIO, digest: Any) -> None:
        self._file, self._digest, self.number = file, digest, 0

    def __iter__(self) -> Iterator[str]:
        while line := self._file.readline(LINE_BYTES_MAX + 1):
            self.number += 1
            if len(line) > LINE_BYTES_MAX:
                raise ManifestError(f"expected at most {LINE_BYTES_MAX:,} bytes in a line")
            self._digest.update(line)
            try:
                yield line.decode("utf-8-sig" if self.number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise ManifestError("expected UTF-8") from error


def _of_json(lines: Iterable[str]) -> Iterator[PairRow]:
    for line in lines:
        if line.lstrip().startswith("["):
            raise ManifestError("expected one object on each line, found a list")
        if line.strip():
            one = msgspec.json.decode(line, type=_Line)
            told = (one.cluster, one.moves_sha256, one.weight, one.forfeit)
            yield PairRow(one.game or ONE_GAME, one.model_a.strip(), one.model_b.strip(), _outcome(one.winner), *told)


def _of_csv(lines: Iterable[str]) -> Iterator[PairRow]:
    csv.field_size_limit(LINE_BYTES_MAX)  # of the whole process; replies of models stand in some public tables
    rest = iter(lines)
    first = next(rest, "")
    if first.lstrip().startswith("{"):
        raise ManifestError("expected a heading, found JSON; let the file's name end in .jsonl")
    rows = csv.reader(chain([first], rest), strict=True)
    head = [name.strip() for name in next(rows, [])]
    if missing := [name for name in NEEDED if name not in head]:
        found = ", ".join(head)[:SHOWN_CHARACTERS_MAX] or "nothing"
        raise ManifestError(f"expected columns {', '.join(NEEDED)}; {', '.join(missing)} missing, found {found}")
    if twice := [name for name in COLUMNS if head.count(name) > 1]:
        raise ManifestError(f"expected each column once, found {twice[0]} twice")
    for cells in rows:
        if len(cells) != len(head):
            if not cells:
                continue
            raise ManifestError(f"expected {len(head)} columns, found {len(cells)}")
        cell = dict(zip(head, cells, strict=True))
        told = (cell.get("cluster", ""), cell.get("moves_sha256", ""), _weight(cell), _forfeit(cell))
        game = cell.get("game", "") or ONE_GAME
        yield PairRow(game, cell["model_a"].strip(), cell["model_b"].strip(), _outcome(cell["winner"]), *told)


def _outcome(word: str) -> int:
    found = OUTCOMES.get(word.strip().lower())
    if found is None:
        expected = "model_a, model_b, tie, tie (bothbad) or both_bad"
        raise ManifestError(f"winner: expected {expected}, found {word[:SHOWN_CHARACTERS_MAX]!a}")
    return found


def _weight(cell: Mapping[str, str]) -> int:
    text = cell.get("weight", "").strip() or "1"
    if not text.isdecimal() or not text.isascii() or len(text) > len(str(COUNT_MAX)):
        found = text[:SHOWN_CHARACTERS_MAX]
        raise ManifestError(f"weight: expected a whole number from 1 to {COUNT_MAX:,}, found {found!a}")
    return int(text)


def _forfeit(cell: Mapping[str, str]) -> bool:
    text = cell.get("forfeit", "").strip().lower()
    if text not in FORFEITS:
        raise ManifestError(f"forfeit: expected 1 or 0, found {text[:SHOWN_CHARACTERS_MAX]!a}")
    return FORFEITS[text]


def _shown(message: str) -> str:
    """One line, whatever the file holds."""
    return ascii_words(message.replace("\n", " "))


def pair_lines(rows: Iterable[PairRow]) -> Iterator[str]:
    """The table as CSV (RFC 4180), its head first."""
    yield _csv_line(COLUMNS)
    for row in rows:
        players = row.first, row.second, WINNERS[row.outcome]
        yield _csv_line((*players, row.game, row.weight, row.cluster, row.digest, int(row.is_forfeit)))


def _csv_line(values: Sequence[object]) -> str:
    line = StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue()
