"""Any UCI engine as a player: it gives moves, never scores.

Its options are set only where it declares them; of what a plan wishes each must be declared and in its range. Texts are
refused: by one an engine may read or write any file, and a verifier asks it with the options of a stranger's bundle.
Threads are one, its own opening book is off, the rest is the engine's default. Before each move `ucinewgame`, so a move
depends on its position alone.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import chess

from .uci_engine import EngineFault, UciEngine

MOVE_S_MAX: Final = 120.0
"""Seconds after which an engine that has given no move hangs."""
CHESS960: Final = "uci_chess960"
ONE_THREAD: Final = ("threads", "number of threads", "maximum number of threads per split point")
"""Names by which engines declare how many threads they search with (Stockfish, Toga II, Glaurung)."""
OPTION_TYPES: Final = ("check", "spin", "combo")


class PlayerSettings(NamedTuple):
    """Settings of a seat's engine: hash in MiB, Elo that it is limited to (0: full strength), further options."""

    hash_mib: int
    elo: int
    options: Mapping[str, str]


class Declared(NamedTuple):
    """An option as an engine declares it: `option name <name> type <type> …`."""

    name: str
    type: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def problem(self, value: str) -> str:
        """What the option expects in the place of `value`; empty where it can have that value."""
        if self.type == "spin":
            least = value if self.least is None else self.least
            most = value if self.most is None else self.most
            is_whole = value.lstrip("-").isdecimal()
            return "" if is_whole and int(least) <= int(value) <= int(most) else f"a number from {least} to {most}"
        if self.type == "check":
            return "" if value in {"true", "false"} else "true or false"
        if self.type == "combo":
            return "" if value in self.choices else f"one of {', '.join(self.choices)}"
        return f"no value: an option of type {self.type} can reach files of whoever asks the engine again"


def declared_option(line: str) -> Declared | None:
    """The option that a line of the handshake declares; None for another line, or one that cannot be read."""
    name, found, rest = line.removeprefix("option name ").partition(" type ")
    words = rest.split()
    if not line.startswith("option name ") or not found or not words:
        return None
    choices = tuple(part.strip() for part in f" {rest} ".split(" var ")[1:])
    return Declared(name.strip(), words[0], _number(words, "min"), _number(words, "max"), choices)


def _number(words: list[str], key: str) -> int | None:
    value = words[words.index(key) + 1] if key in words[:-1] else ""
    return int(value) if value.lstrip("-").isdecimal() else None


class PlayerEngine(UciEngine):
    """A running engine at a seat. Close it, or use it as a context manager. Raises EngineFault."""

    def __init__(self, path: Path, settings: PlayerSettings, move_s_max: float = MOVE_S_MAX) -> None:
        self._declared: dict[str, Declared] = {}
        self._move_s_max = move_s_max
        super().__init__(path, settings.hash_mib)
        try:
            self._set_up(settings)
        except EngineFault:
            self.close()
            raise

    @property
    def plays_chess960(self) -> bool:
        return CHESS960 in self._declared

    def move(self, fen: str, limit: str) -> str:
        """The engine's move from a position, castling as the king takes its rook. Raises EngineFault."""
        is_960 = self.plays_chess960
        board = chess.Board(fen, chess960=is_960)
        with self._within_time():
            spelled = self._best_move(fen, limit)
        try:
            move = board.parse_uci(spelled)
        except ValueError as error:
            raise EngineFault(f"{self._words} answered {spelled[:20]!r}, which is no legal move in {fen}") from error
        if not move:
            raise EngineFault(f"{self._words} answered {spelled[:20]!r}, which is no move, in {fen}")
        return board.uci(move, chess960=True)

    def _best_move(self, fen: str, limit: str) -> str:
        words = ["bestmove"]
        for line in self._search(fen, "", limit):
            words = line.split()
        return words[1] if len(words) > 1 else ""

    @property
    def _words(self) -> str:
        return self.name or "an engine without a name"

    def _configure(self, hash_mib: int, options: tuple[tuple[str, str], ...]) -> None:
        """Do nothing: `_set_up` sets what the engine declares."""

    def _set_up(self, settings: PlayerSettings) -> None:
        wished = {"Hash": str(settings.hash_mib), **settings.options}
        if settings.elo:
            wished |= {"UCI_LimitStrength": "true", "UCI_Elo": str(settings.elo)}
        if "hash" not in self._declared:  # the only one that an engine can do without
            del wished["Hash"]
        ours = [(self._declared[name], "1") for name in ONE_THREAD[:2] if name in self._declared]
        ours += [(self._declared[name], "false") for name in ("ownbook", "ponder") if name in self._declared]
        ours += [(self._declared[CHESS960], "true")] if self.plays_chess960 else []
        for option, value in (*ours, *map(self._wished, wished.items())):
            self._send(f"setoption name {option.name} value {value}")
        with self._within_time():
            self._wait_ready()

    def _wished(self, wish: tuple[str, str]) -> tuple[Declared, str]:
        name, value = wish
        option = self._declared.get(name.casefold())
        if option is None:
            raise EngineFault(f"{self._words} has no option {name}")
        if problem := option.problem(value):
            raise EngineFault(f"option {option.name} of {self._words}: expected {problem}, found {value}")
        return option, value

    def _handshake_line(self, line: str) -> None:
        if option := declared_option(line):
            self._declared.setdefault(option.name.casefold(), option)

    @contextmanager
    def _within_time(self) -> Iterator[None]:
        """Raises EngineFault where the engine has not answered in time; it is ended then."""
        late = threading.Event()

        def end() -> None:
            late.set()
            self._wire.cut()

        watchdog = threading.Timer(self._move_s_max, end)
        watchdog.daemon = True
        watchdog.start()
        try:
            yield
        except EngineFault as error:
            if late.is_set():
                advice = "an engine that does not know `go nodes` takes a depth"
                raise EngineFault(f"{self._words} gave no answer in {self._move_s_max:g} s; {advice}") from error
            raise
        finally:
            watchdog.cancel()
