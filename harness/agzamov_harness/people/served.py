"""The pages of a run's people while they are served: their addresses are told once, and each reads how it ended."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Final

from ..foundation.browser_server import serving
from ..foundation.default_places import LOOPBACK
from ..run.run_folder import RunDirectory
from ..run.stop import Stop
from .desk import Desk
from .people_server import WAIT_S, PeopleServer
from .qr_code import qr_code

END_S_MAX: Final = 5.0
"""Open pages are waited for so long, at most, until they have read that nothing more comes."""
LOOK_S: Final = 0.05
FINISHED: Final = "All games are played."
STOPPED: Final = "The run has stopped. Whoever runs it sees why, and can let it go on."
"""No more: the reason may name the opponent, or a person who does not want to play."""


@contextmanager
def people_at(
    directory: RunDirectory,
    stop: Stop,
    tell: Callable[[str], None],
    address: str = LOOPBACK,
    port: int = 0,
    opened: Callable[[str], object] = str,
) -> Iterator[Desk]:
    """The desk of a run with people, whose pages are served as long as this lasts. Raises PageCannotListen.

    `opened`: called with the address of each page once it is served.
    """
    desk = Desk(directory, stop)
    if not desk.seats:
        yield desk
        return
    with PeopleServer(address, port, desk) as server, serving(server):
        for seat in desk.seats:
            tell(f"{seat} plays at: {server.url_of(seat)}")
            if not ip_address(address).is_loopback:
                tell(qr_code(server.url_of(seat)))
            opened(server.url_of(seat))
        try:
            yield desk
        except Exception:
            desk.close(STOPPED, is_final=False)
            _wait_for_readers(desk)
            raise
        desk.close(FINISHED)
        _wait_for_readers(desk)


def _wait_for_readers(desk: Desk) -> None:
    """Wait until open pages have read why nothing more comes, for END_S_MAX at most."""
    until = time.monotonic() + END_S_MAX
    while any(place.is_open(WAIT_S + END_S_MAX) for place in desk.places.values()) and time.monotonic() < until:
        time.sleep(LOOK_S)
