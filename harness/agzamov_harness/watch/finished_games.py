"""Games that are over, to be replayed on the live page.

A record comes with the end of its stream: of a pair of games, a block of hands, or a career.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.text.first_screen import match_words
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.registry import GAMES

from .live_stream import LiveStream
from .snapshot import FinishedRow

RECENT_MAX: Final = 12
INDENT: Final = " " * 8
"""Of the lines that a result goes on in (`GameView.lines`)."""


class FinishedGames:
    """The games of streams that have ended."""

    def __init__(self, manifest: Manifest, streams: Mapping[str, Sequence[LiveStream]]) -> None:
        self._manifest, self._plan, self._streams = manifest, manifest.plan, streams
        self._recent: deque[PlayedGame] = deque(maxlen=RECENT_MAX)
        self._rows: dict[str, FinishedRow] = {}

    @property
    def recent(self) -> list[FinishedRow]:
        """The last games, newest first. Their words are made once, when they are first asked for."""
        played = list(self._recent)
        self._rows = {one.record.game: self._rows.get(one.record.game) or self._row(one) for one in played}
        return list(self._rows.values())

    def ended(self, stream: LiveStream) -> None:
        """Note a stream that has ended."""
        match = stream.plan.match
        for number in range(stream.plan.first, stream.plan.first + stream.plan.count)[-RECENT_MAX:]:
            if played := self._played(match, number):
                self._recent.appendleft(played)

    def last_of(self, match: Match) -> str:
        """The id of the last game of a match that can be replayed; empty while there is none."""
        for stream in reversed(self._streams[match.id]):
            if stream.block and stream.block.records:
                return str(stream.block.records[-1].game)
        return ""

    def document(self, name: str) -> dict[str, Any] | None:
        """One game with its frames, and its neighbours in its match; None where no such game is over."""
        for match in self._plan.matches:
            game = GAMES[match.game]
            digits = name.removeprefix(f"{match.id}-{game.number[0]}")
            if digits == name or not digits.isdecimal() or game.id_of(match, int(digits)) != name:
                continue
            number = int(digits)
            played = self._played(match, number)
            if played is None:
                return None
            beside = {"previous": number - 1, "next": number + 1}
            return {
                **self._document(played),
                **{side: game.id_of(match, n) if self._played(match, n) else "" for side, n in beside.items()},
                "title": game_words(match, number),
                "words": match_words(self._manifest, match.id),
                "places": list(VIEWS[match.game].places),
            }
        return None

    def _played(self, match: Match, number: int) -> PlayedGame | None:
        """One result, once its stream has ended."""
        streams = self._streams[match.id]
        at = number // match.stream_results
        block = streams[at].block if 0 <= at < len(streams) else None
        if block is None or not 0 <= number - block.first < len(block.records):
            return None
        return PlayedGame(match, number, block.records[number - block.first])

    def _document(self, played: PlayedGame) -> dict[str, Any]:
        return {
            "game": played.record.game,
            "placed": list(played.placed),
            "result": self._result(played),
            "frames": VIEWS[played.match.game].frames(played, self._plan),
        }

    def _row(self, played: PlayedGame) -> FinishedRow:
        match = played.match
        return FinishedRow(played.record.game, game_words(match, played.number), match.id, self._result(played))

    def _result(self, played: PlayedGame) -> str:
        """The result in words: the second line of a game, and the lines that it goes on in."""
        _, result, *rest = VIEWS[played.match.game].lines(played, self._plan)
        more = takewhile(lambda line: line.startswith(INDENT), rest)
        return printable(" ".join(line.strip() for line in (result.removeprefix("Result:"), *more)))


def game_words(match: Match, number: int) -> str:
    """A game by its number in its match, for a person: "Hand 5"."""
    return f"{GAMES[match.game].result.one.capitalize()} {number + 1:,}"
