"""The HTTP server of the pages of a run's people (`foundation.browser_server` refuses what comes from elsewhere).

    GET  /SECRET/                     the page of one person
    GET  /SECRET/state.json?after=N   what it shows, once that is newer than version N; it waits for that
    GET  /SECRET/report.html          the report of the games, once there is one
    POST /SECRET/consent              {"accepted": true, "sha256": DIGEST}
    POST /SECRET/answer               {"question": ID, "action": TEXT}; without an action the person resigns
    POST /SECRET/next                 {"number": N}: the end of game N was read

A secret of 128 bits names the person, so whoever has an account on this machine cannot play for them. What is posted
must be JSON from the page itself: a request without its Origin is refused.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, ClassVar, Final

import msgspec

from ..foundation.browser_server import BrowserHandler, BrowserServer, PageCannotListen, page_headers
from .desk import Desk
from .page_files import PAGE, SCRIPT, STYLE
from .page_state import encoded, state_of
from .place import Refused

WAIT_S: Final = 20.0
"""A page that asks for the next state waits so long, and then asks again."""
BODY_BYTES_MAX: Final = 32_768
PATH: Final = re.compile(r"/([0-9a-f]{32})/([a-z]*(?:\.[a-z]+)?)(?:\?after=([0-9]{1,12}))?")
JSON: Final = b"application/json"
VISITS: Final = frozenset({"GET", "HEAD"})
POLICY: Final = "Content-Security-Policy"


class _Consent(msgspec.Struct, forbid_unknown_fields=True):
    accepted: bool
    sha256: str


class _Answer(msgspec.Struct, forbid_unknown_fields=True):
    question: str
    action: str | None = None


class _Next(msgspec.Struct, forbid_unknown_fields=True):
    number: int


def _consent(desk: Desk, seat: str, body: bytes) -> None:
    consent = msgspec.json.decode(body, type=_Consent)
    if consent.sha256 != desk.seats[seat].consent_sha256:
        raise Refused("the page of consent is another one; reload this page")
    desk.places[seat].accept(accepted=consent.accepted)


def _answer(desk: Desk, seat: str, body: bytes) -> None:
    answer = msgspec.json.decode(body, type=_Answer)
    desk.places[seat].answer(answer.question, answer.action)


def _next(desk: Desk, seat: str, body: bytes) -> None:
    desk.places[seat].acknowledge(msgspec.json.decode(body, type=_Next).number)


TAKEN: Final[Mapping[str, Callable[[Desk, str, bytes], None]]] = {"consent": _consent, "answer": _answer, "next": _next}
"""What can be posted. Each raises Refused, msgspec.DecodeError, OSError."""


class PeopleServer(BrowserServer):
    """On the loopback, or for people in the same network on an address of this machine that `--listen` names."""

    option: ClassVar[str] = "--listen"
    expected: ClassVar[str] = "expected an IP address of this machine, as 127.0.0.1 or 192.168.1.7"

    def __init__(self, address: str, port: int, desk: Desk) -> None:
        self.desk = desk
        super().__init__(address, port, _Handler)

    @classmethod
    def require(cls, ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
        if ip.is_unspecified or ip.is_multicast:
            raise PageCannotListen(f"{cls.option} {ip}: {cls.expected}; a page is served on one address")

    def url_of(self, seat: str) -> str:
        """The address of a person's page."""
        return f"{self.url}{self.desk.admissions.secret(seat)}/"


class _Handler(BrowserHandler):
    server: PeopleServer
    headers_sent = page_headers(SCRIPT, STYLE)
    methods: ClassVar[str] = "GET, HEAD, POST"

    def answer(self) -> None:
        """Answer with the page of a person, its state or its report."""
        named = PATH.fullmatch(self.path)
        seat = self.server.desk.admissions.seat_of(named[1]) if named else ""
        if not named or not seat:
            self.refuse(HTTPStatus.NOT_FOUND)
        elif not named[2]:
            self.send(HTTPStatus.OK, b"text/html", PAGE)
        elif named[2] == "state.json":
            self.server.desk.places[seat].wait(int(named[3] or 0), WAIT_S)
            self.send(HTTPStatus.OK, JSON, encoded(state_of(self.server.desk, seat)))
            self.server.desk.places[seat].has_read()
        elif named[2] == "report.html" and (report := self.server.desk.places[seat].report):
            self._send_report(report)
        else:
            self.refuse(HTTPStatus.NOT_FOUND)

    def refusal(self) -> HTTPStatus | None:
        """As of every page of ours; but a person may come by a link, as from a mail that a browser shows."""
        refused, sent = super().refusal(), self.headers
        is_visit = (sent["Sec-Fetch-Mode"], sent["Sec-Fetch-Dest"], sent["Origin"]) == ("navigate", "document", None)
        return None if refused is HTTPStatus.FORBIDDEN and is_visit and self.command in VISITS else refused

    def do_POST(self) -> None:  # noqa: N802 - the name that the base looks for
        """Take a move, a consent, or that a result was read."""
        self.close_connection = True
        refused = self.refusal() or self._post_refusal()
        named = PATH.fullmatch(self.path)
        seat = self.server.desk.admissions.seat_of(named[1]) if named else ""
        if refused:
            self.refuse(refused)
        elif not named or not seat or named[3]:
            self.refuse(HTTPStatus.NOT_FOUND)
        else:
            self._take(seat, named[2], self.rfile.read(int(self.headers["Content-Length"])))

    def _post_refusal(self) -> HTTPStatus | None:
        """The reason why what is posted is not read."""
        length = self.headers.get("Content-Length", "")
        if not self.headers.get_all("Origin", ()):
            return HTTPStatus.FORBIDDEN
        if self.headers.get_content_type() != JSON.decode():
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        if not re.fullmatch("[0-9]{1,9}", length):
            return HTTPStatus.LENGTH_REQUIRED
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE if int(length) > BODY_BYTES_MAX else None

    def _take(self, seat: str, what: str, body: bytes) -> None:
        if what not in TAKEN:
            self.refuse(HTTPStatus.NOT_FOUND)
            return
        try:
            TAKEN[what](self.server.desk, seat, body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.refuse(HTTPStatus.BAD_REQUEST)
        except Refused as error:
            self._told(HTTPStatus.CONFLICT, {"why": str(error)})
        except OSError as error:
            self._told(HTTPStatus.INTERNAL_SERVER_ERROR, {"why": f"it could not be kept: {error.strerror}"})
        else:
            self._told(HTTPStatus.OK, {"why": ""})

    def _told(self, status: HTTPStatus, value: dict[str, Any]) -> None:
        self.send(status, JSON, encoded(value))

    def _send_report(self, report: bytes) -> None:
        """Send a report, which has a Content-Security-Policy of its own in it."""
        self.headers_sent = {name: value for name, value in self.headers_sent.items() if name != POLICY}
        self.send(HTTPStatus.OK, b"text/html", report)
