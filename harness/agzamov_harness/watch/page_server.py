"""The HTTP server of the live page, for this machine's browsers and nobody else (`foundation.browser_server`).

    GET  /                  the page
    GET  /snapshot.json     the run as it stands
    GET  /games/ID.json     a game that is over

Nothing is ever changed by a request.

A page names itself by a number in the header X-Page, so that several are told apart; what names itself by nothing
(curl, say) counts as one page.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from threading import Lock
from typing import Final, NamedTuple

from ..foundation.browser_server import BrowserHandler, BrowserServer, page_headers
from .page_files import PAGE, SCRIPT, STYLE

OPEN_S: Final = 7.0
"""A page that has asked within so long is still open: one in a hidden tab asks every five seconds."""
NAME_CHARACTERS_MAX: Final = 40
PAGES_MAX: Final = 1000


class Readers:
    """Open pages. `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._lock = clock, Lock()
        self._pages: dict[str, tuple[float, bool]] = {}

    def told(self, page: str, *, is_final: bool) -> None:
        """Note that a page has read a snapshot, and whether it was the last that there is to read."""
        name, now = page[:NAME_CHARACTERS_MAX], self._clock()
        with self._lock:
            self._pages = {other: seen for other, seen in self._pages.items() if now - seen[0] <= OPEN_S}
            if len(self._pages) < PAGES_MAX:
                self._pages[name] = now, is_final

    def waiting(self) -> bool:
        """Whether a page is open that has not read the end."""
        now = self._clock()
        with self._lock:
            return any(now - at <= OPEN_S and not is_final for at, is_final in self._pages.values())


PAGE_NAME: Final = "X-Page"
"""The header by which a page in a browser names itself, to be told apart from others."""
GAME_PATH: Final = re.compile(r"/games/([A-Za-z0-9._-]{1,200})\.json")


class Told(NamedTuple):
    """A snapshot as JSON; `is_final`: nothing will change any more."""

    json: bytes
    is_final: bool


class WatchServer(BrowserServer):
    """`told`: the current snapshot; `readers`: those who have read it. `game`: the document of a game that is over."""

    def __init__(
        self,
        address: str,
        port: int,
        told: Callable[[], Told],
        readers: Readers,
        game: Callable[[str], bytes | None] = lambda _: None,
    ) -> None:
        self.told, self.readers, self.game = told, readers, game
        super().__init__(address, port, _Handler)


class _Handler(BrowserHandler):
    server: WatchServer
    headers_sent = page_headers(SCRIPT, STYLE)

    def answer(self) -> None:
        """Answer with the page, the snapshot or a game."""
        if self.path == "/":
            self.send(HTTPStatus.OK, b"text/html", PAGE)
        elif self.path == "/snapshot.json":
            told = self.server.told()
            self.send(HTTPStatus.OK, b"application/json", told.json)
            self.server.readers.told(self.headers.get(PAGE_NAME, ""), is_final=told.is_final)
        elif (named := GAME_PATH.fullmatch(self.path)) and (game := self.server.game(named[1])) is not None:
            self.send(HTTPStatus.OK, b"application/json", game)
        else:
            self.refuse(HTTPStatus.NOT_FOUND)
