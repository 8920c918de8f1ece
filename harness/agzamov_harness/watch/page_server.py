"""The HTTP server of the live page: GET / and GET /snapshot.json, for this machine's browsers and nobody else.

Any page in a browser can send requests to a port of this machine, and a name of its own can be made to point there. So
a request must name the address that is listened on, or localhost, with the port in Host (else 421: DNS rebinding), must
not come from another page (Origin and Sec-Fetch-Site, else 403), and must be a GET or HEAD (else 405). Nothing is ever
changed by a request.

A page names itself by a number in the header X-Page, so that several are told apart; what names itself by nothing
(curl, say) counts as one page.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from socketserver import TCPServer
from threading import Lock
from typing import Any, Final, NamedTuple

from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.show.html_report.markup import csp_hash
from agzamov_verify.table.registry import GAMES, files_of

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


PIECES: Final = "".join(files_of(GAMES, "replay.svg")).encode()
"""What replays in a report are drawn with, as SVG symbols."""
PAGE: Final = files(__package__).joinpath("page.html").read_bytes().replace(b"{{pieces}}", PIECES)
PAGE_NAME: Final = "X-Page"
"""The header by which a page in a browser names itself, to be told apart from others."""
IDLE_S: Final = 30
METHODS: Final = "GET, HEAD"
SAME_SITE: Final = frozenset({"same-origin", "none"})
"""Values of Sec-Fetch-Site of our own page, and of an address that a person typed."""


class Told(NamedTuple):
    """A snapshot as JSON; `is_final`: nothing will change any more."""

    json: bytes
    is_final: bool


class PageCannotListen(ManifestError):
    """The address is not of this machine's loopback, or is taken."""


def _hash_of(tag: bytes) -> str:
    """The CSP source of the one inline element of a kind."""
    (content,) = re.findall(rb"<%s>(.*?)</%s>" % (tag, tag), PAGE, re.DOTALL)
    return csp_hash(content)


HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        f"default-src 'none'; script-src {_hash_of(b'script')}; style-src {_hash_of(b'style')}; connect-src 'self'; "
        "img-src data:; "  # the page's empty icon, so that no browser asks for /favicon.ico
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class WatchServer(ThreadingHTTPServer):
    """One thread for each connection. `told`: the current snapshot; `readers`: those who have read it."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: str, port: int, told: Callable[[], Told], readers: Readers) -> None:
        self.told, self.readers = told, readers
        try:
            loopback = ipaddress.ip_address(address)
        except ValueError as error:
            raise PageCannotListen(f"--bind {address}: expected an IP address of the loopback, as 127.0.0.1") from error
        if not loopback.is_loopback:
            raise PageCannotListen(
                f"--bind {address}: the page has no password, so it is for this machine: use 127.0.0.1"
            )
        self.address_family = socket.AF_INET6 if loopback.version == 6 else socket.AF_INET
        try:
            super().__init__((address, port), _Handler)
        except OSError as error:
            raise PageCannotListen(f"{address} port {port}: {error.strerror}; choose another --port") from error
        name = f"[{address}]" if loopback.version == 6 else address
        self.hosts = (f"{name}:{self.server_port}", f"localhost:{self.server_port}")
        self.origins = tuple(f"http://{host}" for host in self.hosts)

    @property
    def url(self) -> str:
        """The address to type."""
        return f"{self.origins[0]}/"

    def server_bind(self) -> None:
        """Bind without asking for the name of a host."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is not worth a traceback."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "agzamov", ""
    timeout = IDLE_S
    server: WatchServer

    def do_GET(self) -> None:
        """Answer with the page or the snapshot."""
        self.close_connection = True  # no request has a body that is read, and none outlives the page
        refused = self._refusal()
        if refused:
            self._send(refused, b"text/plain", f"{refused.value} {refused.phrase}\n".encode())
        elif self.path == "/":
            self._send(HTTPStatus.OK, b"text/html", PAGE)
        elif self.path == "/snapshot.json":
            told = self.server.told()
            self._send(HTTPStatus.OK, b"application/json", told.json)
            self.server.readers.told(self.headers.get(PAGE_NAME, ""), is_final=told.is_final)
        else:
            self._send(HTTPStatus.NOT_FOUND, b"text/plain", b"404 Not Found\n")

    do_HEAD = do_GET  # noqa: N815 - the name that the base looks for

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Answer a bad request with one line that repeats nothing of it; also for unknown methods."""
        status = HTTPStatus.METHOD_NOT_ALLOWED if code == HTTPStatus.NOT_IMPLEMENTED else HTTPStatus(code)
        self.close_connection = True  # the body of the request is not read
        self._send(status, b"text/plain", f"{status.value} {status.phrase}\n".encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Stay quiet."""

    def _refusal(self) -> HTTPStatus | None:
        """The reason why a request is not answered; None where it is."""
        if tuple(self.headers.get_all("Host", ())) not in {(host,) for host in self.server.hosts}:
            return HTTPStatus.MISDIRECTED_REQUEST
        origins, sites = self.headers.get_all("Origin", ()), self.headers.get_all("Sec-Fetch-Site", ())
        if not set(origins) <= {f"http://{self.headers['Host']}"} or not set(sites) <= SAME_SITE:
            return HTTPStatus.FORBIDDEN
        return None

    def _send(self, status: HTTPStatus, kind: bytes, body: bytes) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind.decode()}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", METHODS)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if getattr(self, "command", None) != "HEAD":
            self.wfile.write(body)
