"""The desk between two threads: the conversation puts a turn on it, the script takes it and brings its move."""

import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Final

from agzamov_verify.table.exhibition import READY, Command

from .move_clock import Limits
from .position_line import Position

BEST_MOVE: Final = "bestmove "


class Ended(Exception):
    """The program has ended, or the conversation has."""


class Turn:
    """One `go`. `late` is done once the seat's answer is given up, `sent` the move that the program was told."""

    def __init__(self, position: Position, variant: str, limits: Limits, *, new_game: bool) -> None:
        self.position, self.variant, self.limits, self.new_game = position, variant, limits, new_game
        self.late: Future[None] = Future()
        self.waits = limits.waits
        self.decided = self.sent = ""

    def give_up(self) -> None:
        """Give the seat's answer up: a move is needed now."""
        with suppress(InvalidStateError):  # it was given up before
            self.late.set_result(None)


class Desk:
    """One turn at a time; `turn` is the one that the script has."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: Turn | None = None
        self.turn: Turn | None = None
        self.closed = False
        self.ready = threading.Event()

    def put(self, turn: Turn) -> None:
        """Give the script a turn, in place of one that it has not taken."""
        with self._changed:
            self._waiting = turn
            self._changed.notify_all()

    def close(self) -> None:
        """End the conversation: nobody waits any longer."""
        with self._changed:
            self.closed = True
            turns = [turn for turn in (self.turn, self._waiting) if turn]
            self._changed.notify_all()
        for turn in turns:
            turn.give_up()
        self.ready.set()

    def take(self) -> Command:
        """The next turn's command, for the script. Raises Ended."""
        self.ready.set()
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self.closed)
            if self.closed or self._waiting is None:
                raise Ended
            before, self.turn, self._waiting = self.turn, self._waiting, None
            turn = self.turn
        played = before.sent if before and before.sent != before.decided else ""
        position = turn.position
        return Command(turn.variant, position.start_fen, position.moves, turn.new_game, played)


def decided(said: str) -> str:
    """The move in the script's words to the program; empty at the beginning."""
    return "" if said == READY else said.removeprefix(BEST_MOVE)
