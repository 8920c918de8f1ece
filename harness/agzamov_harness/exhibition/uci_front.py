"""The conversation with a chess program: every line is answered at once, whatever the seat is doing.

One thread reads lines, another one (the script's) brings moves, timers give up what is late, and one speaks every few
seconds while the seat thinks. `bestmove` is said once for each `go`, by whichever of them comes first.
"""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

from .desk import Desk, Turn
from .move_clock import OVERHEAD_MS, OVERHEAD_MS_MAX, STOP_GRACE_S, limits_of
from .position_line import BadPosition, read_option, read_position, start_position
from .uci_output import UciOutput, plain

THINKING_S: Final = 2.0
"""Seconds between two words to a program while the seat thinks."""
READY_S_MAX: Final = 600.0
CHESS960_OPTION, OVERHEAD_OPTION = "UCI_Chess960", "Move Overhead"
NO_MOVE: Final = "bestmove (none)"


class UciFront:
    """One conversation. `always_960`: the seat's texts are those of Chess960, whatever is played."""

    def __init__(self, output: UciOutput, desk: Desk, name: str, author: str, *, always_960: bool) -> None:
        self._output, self._desk, self._always_960 = output, desk, always_960
        self._name, self._author = plain(name), plain(author)
        self._is_960, self._overhead_ms, self._new_game = False, OVERHEAD_MS, False
        self._position = start_position()
        self._turn: Turn | None = None
        self._lock = threading.RLock()
        self._timers = list[threading.Timer]()
        self.fault = ""
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci,
            "isready": lambda _: self._ready(),
            "setoption": self._option,
            "ucinewgame": self._forget,
            "position": self._place,
            "go": self._go,
            "stop": lambda _: self._stop(),
            "ponderhit": lambda _: self._ponder_hit(),
        }

    def serve(self, lines: Iterable[str]) -> None:
        """Answer lines until `quit`, or until there are no more."""
        threading.Thread(target=self._speak, name="thinking", daemon=True).start()
        try:
            for line in lines:
                self._output.heard(line)
                words = line.split()
                if words[:1] == ["quit"] or self._output.gone:
                    break
                self._answer(words)
        finally:
            self._cancel()
            self._desk.close()

    def moved(self, move: str) -> None:
        """Take the script's move for the turn that it has."""
        with self._lock:
            turn = self._desk.turn
            if turn is None:
                return
            turn.decided = move
            if turn is self._turn and not turn.waits:
                self._send(turn, move)

    def tell(self, text: str) -> None:
        """Say a text for a person, if the program has asked for a move."""
        if self._turn:
            self._output.info(text)

    def failed(self, why: str) -> None:
        """Say that the exhibition has ended before the program did; from now on the harness plays."""
        with self._lock:
            self.fault = why
            self._output.info(f"error: {why}")
            self._output.info("from now on legal moves are played that nobody thought about, and none is recorded")
            if self._turn and not self._turn.waits:
                self._send(self._turn, self._turn.position.fallback)
        self._desk.ready.set()

    def _answer(self, words: list[str]) -> None:
        """Answer one line; words before the command are skipped, as the protocol asks."""
        while words and words[0] not in self._commands:
            words = words[1:]
        if words:
            self._commands[words[0]](words[1:])

    def _uci(self, _: list[str]) -> None:
        self._output.say(f"id name {self._name}")
        self._output.say(f"id author {self._author}")
        self._desk.ready.wait(READY_S_MAX)
        self._output.say(f"option name {CHESS960_OPTION} type check default false")
        spin = f"type spin default {OVERHEAD_MS} min 0 max {OVERHEAD_MS_MAX}"
        self._output.say(f"option name {OVERHEAD_OPTION} {spin}")
        self._output.say("uciok")

    def _ready(self) -> None:
        self._desk.ready.wait(READY_S_MAX)
        self._output.say("readyok")

    def _option(self, words: list[str]) -> None:
        name, value = read_option(words)
        if name.casefold() == CHESS960_OPTION.casefold():
            self._is_960 = value.casefold() == "true"
        elif name.casefold() == OVERHEAD_OPTION.casefold():
            if value.isdecimal():
                self._overhead_ms = min(int(value), OVERHEAD_MS_MAX)
            else:
                self._output.info(f"option {OVERHEAD_OPTION}: expected milliseconds from 0 to {OVERHEAD_MS_MAX}")
        else:
            self._output.info(f"no option {name}" if name else "expected setoption name NAME value VALUE")

    def _forget(self, _: list[str]) -> None:
        self._new_game, self._position = True, start_position()

    def _place(self, words: list[str]) -> None:
        try:
            self._position = read_position(words, self._position)
        except BadPosition as error:
            self._output.info(f"position ignored: {error}")

    def _go(self, words: list[str]) -> None:
        position = self._position
        if self._turn:
            self._output.info("go ignored: a move is being thought about")
            return
        if not any(position.board.legal_moves):
            self._output.say(NO_MOVE)
            return
        limits = limits_of(words, is_white=position.board.turn, overhead_ms=self._overhead_ms)
        variant = "chess960" if self._is_960 or self._always_960 else "chess"
        turn = Turn(position, variant, limits, new_game=self._new_game)
        self._new_game = False
        with self._lock:
            self._turn = turn
            if self.fault:
                self._output.info(f"error: {self.fault}")
                if not turn.waits:
                    self._send(turn, position.fallback)
                return
        self._after(limits.give_up_s, turn.give_up)
        self._after(limits.play_s, lambda: self._play_now(turn))
        self._desk.put(turn)

    def _stop(self) -> None:
        with self._lock:
            turn = self._turn
            if turn is None:
                return
            turn.waits = False
            if turn.decided or self.fault:
                self._send(turn, turn.decided or turn.position.fallback)
                return
        turn.give_up()
        self._after(STOP_GRACE_S, lambda: self._play_now(turn))

    def _ponder_hit(self) -> None:
        with self._lock:
            if self._turn:
                self._turn.waits = False
                if self._turn.decided:
                    self._send(self._turn, self._turn.decided)

    def _play_now(self, turn: Turn) -> None:
        """Play a legal move where nothing else came in time."""
        with self._lock:
            if turn is self._turn:
                self._output.info("late: the harness plays")
                self._send(turn, turn.position.fallback)

    def _send(self, turn: Turn, move: str) -> None:
        """Say the one `bestmove` of a turn."""
        with self._lock:
            if turn is not self._turn:
                return
            self._turn, turn.sent = None, move
            self._cancel()
            spelled = turn.position.spelled(move, is_960=self._is_960)
            self._output.say(f"info depth 1 pv {spelled}")
            self._output.say(f"bestmove {spelled}")

    def _after(self, seconds: float | None, then: Callable[[], None]) -> None:
        if seconds is None:
            return
        timer = threading.Timer(seconds, then)
        timer.daemon = True
        self._timers.append(timer)
        timer.start()

    def _cancel(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _speak(self) -> None:
        """Say every few seconds that the seat thinks."""
        since: tuple[Turn, float] | None = None
        while not self._desk.closed:
            time.sleep(THINKING_S / 2)
            turn, now_s = self._turn, time.monotonic()
            if turn is None:
                since = None
            elif since is None or since[0] is not turn:
                since = turn, now_s
            elif now_s - since[1] >= THINKING_S / 2:
                self._output.info(f"thinking, {now_s - since[1] + THINKING_S / 2:.0f} s")
