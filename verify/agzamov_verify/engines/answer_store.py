"""Answers of engines that this user has asked: a second check of a bundle, or its report, need not ask again.

An answer follows from the engine's program, network and options, and from the question: nodes, start and moves. So it
is found by the SHA-256 of all of these. Only answers that an engine gave to this user are stored, never what a bundle
says. The store is one SQLite file in the user's cache folder, and can be deleted at any time. It is used only where
folder and file are this user's and nobody else may write there. Of the answers found in it some are asked again, and
a wrong one empties it.
"""

import hashlib
import hmac
import os
import secrets
import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from .program_digest import program_sha256
from .uci_engine import EngineFault

try:
    import sqlite3
    from sqlite3 import Connection, DatabaseError, Error, OperationalError
except ImportError:  # an image or a browser without it, of which a folder may be left, asks each time
    HAS_SQLITE = False
else:
    HAS_SQLITE = True
HAS_USERS = hasattr(os, "geteuid")
"""Not in a browser: there nobody's folder can be told from anybody else's."""

T = TypeVar("T")

VARIABLE: Final = "AGZAMOV_ENGINE_ANSWERS"
"""Names another folder for the store, or `off`."""
OFF: Final = "off"
FILE: Final = "engine-answers.sqlite"
VERSION: Final = 1
KEY_BYTES: Final = 32
ANSWERS_MAX: Final = 2_000_000
"""About 300 bytes each; of more, the older half is dropped."""
COUNTED_EVERY: Final = 10_000
OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
BUSY_S: Final = 30.0
LOOK_S: Final = 0.05
LOCKED: Final = "locked"


def is_asked_again(found: int) -> bool:
    """Whether an answer is asked again, the `found`-th that comes from the store: the k-th with probability 1/k.

    So the first always is, and of n answers about 0.6 + ln n are: 10 of 10,000.
    """
    return secrets.randbelow(found) == 0


class StoreFault(Exception):
    """The store cannot be used; the message says why."""


class AnswerStore:
    """Answers by key in a folder of this user's, which is made where it is missing. Safe for threads and processes.

    Raises StoreFault. Once it is open nothing is raised: a full disk or a broken file end its use without a word.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._lock, self._put = threading.Lock(), 0
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _require_own(folder, stat.S_ISDIR)
            self._make_file()
            _require_own(self.path, stat.S_ISREG)
            self._open: Connection | None = self._opened()
        except (OSError, Error) as error:
            raise StoreFault(f"{self.path}: {error}") from error

    def get(self, key: bytes) -> bytes | None:
        """The answer with this key, if it is there."""
        row = self._execute("SELECT answer FROM answers WHERE key = ?", key)
        return row[0] if row and isinstance(row[0], bytes) else None

    def draw(self, label: str) -> bytes:
        """32 random bytes, the same each time for this label, that nobody without the store can foresee."""
        self._execute("INSERT OR IGNORE INTO draws (id, key) VALUES (1, ?)", secrets.token_bytes(KEY_BYTES))
        row = self._execute("SELECT key FROM draws")
        key = row[0] if row and isinstance(row[0], bytes) else secrets.token_bytes(KEY_BYTES)
        return hmac.digest(key, label.encode(), "sha256")

    def put(self, key: bytes, answer: bytes) -> None:
        """Keep an answer, in the place of another with this key."""
        self._execute("INSERT OR REPLACE INTO answers (key, answer) VALUES (?, ?)", key, answer)
        self._put += 1
        if self._put % COUNTED_EVERY == 0:
            self._drop_old()

    def empty(self) -> None:
        """Forget all answers."""
        self._execute("DELETE FROM answers")

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        with self._lock:
            if self._open:
                self._open.close()
            self._open = None

    def _opened(self) -> "Connection":
        """The file, begun anew where it is no database."""
        try:
            return self._connected_in_time()
        except DatabaseError as error:
            if isinstance(error, OperationalError):  # locked, or the disk is full
                raise
        self.path.unlink()
        self._make_file()
        return self._connected_in_time()

    def _connected_in_time(self) -> "Connection":
        """As `_connected`, once no other process begins the file: a change of the journal's mode waits for nobody."""
        end = time.monotonic() + BUSY_S
        while True:
            try:
                return self._connected()
            except OperationalError as error:
                if LOCKED not in str(error) or time.monotonic() >= end:
                    raise
            time.sleep(LOOK_S)

    def _make_file(self) -> None:
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600))

    def _connected(self) -> "Connection":
        connection = sqlite3.connect(self.path, BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # with WAL: nothing waits for the disk, nothing breaks
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute("PRAGMA user_version").fetchone() != (VERSION,):
                connection.execute("DROP TABLE IF EXISTS answers")
                connection.execute("DROP TABLE IF EXISTS draws")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            columns = "id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, answer BLOB NOT NULL"
            connection.execute(f"CREATE TABLE IF NOT EXISTS answers ({columns})")
            connection.execute("CREATE TABLE IF NOT EXISTS draws (id INTEGER PRIMARY KEY, key BLOB NOT NULL)")
            connection.execute("COMMIT")
        except Error:
            connection.close()
            raise
        return connection

    def _drop_old(self) -> None:
        """Of too many answers drop the older half. Ids grow, so the two ends tell the number."""
        first, last = self._execute("SELECT min(id), max(id) FROM answers") or (None, None)
        if isinstance(first, int) and isinstance(last, int) and last - first >= ANSWERS_MAX:
            self._execute("DELETE FROM answers WHERE id <= ?", last - ANSWERS_MAX // 2)

    def _execute(self, statement: str, *values: object) -> tuple[object, ...] | None:
        """The first row of a statement; None if there is none, or no store any more."""
        with self._lock:
            if self._open is None:
                return None
            try:
                row: tuple[object, ...] | None = self._open.execute(statement, values).fetchone()
            except Error:
                with suppress(Error):
                    self._open.close()
                self._open = None
                return None
            return row


class EngineAnswers:
    """The store's answers of one engine with its options.

    `found`: answers that came from the store; `asked_again`: those of them that the engine was asked all the same.
    """

    def __init__(self, store: AnswerStore, engine: str) -> None:
        self._store, self._engine = store, engine
        self.found = self.asked_again = 0

    def answer(self, options: str, question: str, kind: type[T], ask: Callable[[], T]) -> T:
        """The answer to a question: the stored one, or else that of `ask`, which is stored.

        Raises what `ask` raises, and EngineFault where `ask` answers otherwise than the store has it.
        """
        key = hashlib.sha256(f"{self._engine}\n{options}\n{question}".encode()).digest()
        stored = self._store.get(key)
        if stored is None:
            given = ask()
            self._store.put(key, msgspec.json.encode(given))
            return given
        self.found += 1
        if is_asked_again(self.found):
            self.asked_again += 1
            self._compare(stored, ask())
        try:
            return msgspec.json.decode(stored, type=kind)
        except msgspec.MsgspecError as error:
            raise self._distrusted() from error

    def _compare(self, stored: bytes, given: object) -> None:
        if msgspec.json.encode(given) != stored:
            raise self._distrusted()

    def _distrusted(self) -> EngineFault:
        self._store.empty()
        return EngineFault(
            f"{self._store.path} held an answer that the engine does not give; the file was emptied: check again"
        )


def answers_of(path: Path, name: str, net_sha256: str) -> EngineAnswers | None:
    """The store's answers of the engine at `path`, with its name and the SHA-256 of its net.

    None where no store can be used, or where the file does not tell which program answers: a socket or a script.
    """
    store, program = shared_store(store_folder()), program_sha256(path)
    return EngineAnswers(store, f"{program} {name} {net_sha256}") if store and program else None


def drawing_seed(sampled: str) -> bytes:
    """The seed by which samples of a bundle are drawn, 32 bytes that its submitter cannot foresee.

    With a store the same at each check by this user, so that a second check draws what is answered already. It hangs
    on `sampled`, a digest of what the sample is of: the root of the journals, so that the same journals packed again
    with another note draw the same sample, and beside it all that is said outside of them and drawn from.
    """
    store = shared_store(store_folder())
    return store.draw(sampled) if store else secrets.token_bytes(KEY_BYTES)


def store_folder() -> Path | None:
    """The store's folder; None where it is switched off or the user has no home."""
    named = os.environ.get(VARIABLE, "")
    if named == OFF:
        return None
    if named:
        return Path(named).absolute()
    cached = os.environ.get("XDG_CACHE_HOME", "")
    if cached and Path(cached).is_absolute():  # a relative one counts as unset (XDG Base Directory Specification)
        return Path(cached) / "agzamov"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ".cache" / "agzamov" if home.is_absolute() else None


@cache
def shared_store(folder: Path | None) -> AnswerStore | None:
    """The store in a folder, opened once in a process; None where it cannot be used."""
    if folder is None or not (HAS_SQLITE and HAS_USERS):
        return None
    try:
        return AnswerStore(folder)
    except StoreFault:
        return None


def _require_own(path: Path, is_kind: Callable[[int], bool]) -> None:
    """Raises StoreFault unless `path` is what it should be, this user's, and nobody else may write there."""
    found = path.lstat()
    if not is_kind(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & OTHERS_MAY_WRITE:
        raise StoreFault(f"{path}: expected a plain folder or file of this user's that nobody else may write")
