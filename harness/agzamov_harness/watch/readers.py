"""The pages that are open in browsers: when each asked last, and whether it has read the end.

A page names itself by a number in the header X-Page, so that several are told apart; what names itself by nothing
(curl, say) counts as one page.
"""

from collections.abc import Callable
from threading import Lock
from typing import Final

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
