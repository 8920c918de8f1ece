"""An HTTP server for browsers that no other page and no other host's name can use: what our pages are served by.

Any page in a browser can send requests to a port of this machine, and a name of its own can be made to point there. So
a request must name the address that is listened on, or localhost, with the port in Host (else 421: DNS rebinding), must
not come from another page (Origin and Sec-Fetch-Site, else 403), and must be of a method that the server takes (else
405).
"""

import ipaddress
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from errno import EADDRNOTAVAIL
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Lock, Thread
from typing import Any, ClassVar, Final

from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.show.html_report.markup import csp_hash

IDLE_S: Final = 30
CONNECTIONS_MAX: Final = 256
CONNECTIONS_OF_ONE_MAX: Final = 64
"""Of one address: a browser opens six. Whoever has many addresses can take the page from others, and no more."""
SAME_SITE: Final = frozenset({"same-origin", "none"})
"""Values of Sec-Fetch-Site of our own page, and of an address that a person typed."""


class PageCannotListen(ManifestError):
    """The address is not of this machine's loopback, or is taken."""


def page_headers(script: bytes, style: bytes) -> Mapping[str, str]:
    """Headers of a page that runs this script and style alone, and of everything that it asks for."""
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": (
            f"default-src 'none'; script-src {csp_hash(script)}; style-src {csp_hash(style)}; connect-src 'self'; "
            "img-src data:; "  # the page's empty icon, so that no browser asks for /favicon.ico
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            "require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


class BrowserServer(ThreadingHTTPServer):
    """One thread for each connection, on an address of this machine's loopback. `option`: the one that names it."""

    daemon_threads = True
    request_queue_size = 64
    option: ClassVar[str] = "--bind"

    def __init__(self, address: str, port: int, handler: type["BrowserHandler"]) -> None:
        ip = self._ip(address)
        self.require(ip)
        self._open, self._lock = Counter[str](), Lock()
        self.address_family = socket.AF_INET6 if ip.version == 6 else socket.AF_INET
        try:
            super().__init__((address, port), handler)
        except OSError as error:
            raise self._cannot_listen(address, port, error) from error
        name = f"[{address}]" if ip.version == 6 else address
        names = (name, "localhost") if ip.is_loopback else (name,)
        self.hosts = tuple(f"{one}:{self.server_port}" for one in names)
        self.origins = tuple(f"http://{host}" for host in self.hosts)

    @classmethod
    def require_free(cls, address: str, port: int) -> None:
        """Raises PageCannotListen where the port is taken, or the address is not one of this machine's.

        For a command that seals a run before its page is served.
        """
        ip = cls._ip(address)
        cls.require(ip)
        family = socket.AF_INET6 if ip.version == 6 else socket.AF_INET
        try:
            socket.create_server((address, port), family=family).close()
        except OSError as error:
            raise cls._cannot_listen(address, port, error) from error

    @classmethod
    def _ip(cls, address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        try:
            return ipaddress.ip_address(address)
        except ValueError as error:
            raise PageCannotListen(f"{cls.option} {address}: {cls.expected}") from error

    @classmethod
    def _cannot_listen(cls, address: str, port: int, error: OSError) -> PageCannotListen:
        is_elsewhere = error.errno == EADDRNOTAVAIL
        other = f"name one of this machine with {cls.option}" if is_elsewhere else "choose another --port"
        return PageCannotListen(f"{address} port {port}: {error.strerror}; {other}")

    expected: ClassVar[str] = "expected an IP address of the loopback, as 127.0.0.1"

    @classmethod
    def require(cls, ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
        """Raise PageCannotListen for an address on which the page is not to be served."""
        if not ip.is_loopback:
            raise PageCannotListen(
                f"{cls.option} {ip}: the page has no password, so it is for this machine: use 127.0.0.1"
            )

    @property
    def url(self) -> str:
        """The address to type."""
        return f"{self.origins[0]}/"

    def server_bind(self) -> None:
        """Bind without asking for the name of a host."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give the connection a thread; one too many is closed, so that none takes the files and threads of the run."""
        with self._lock:
            has_room = self._open.total() < CONNECTIONS_MAX and self._open[client_address[0]] < CONNECTIONS_OF_ONE_MAX
            self._open[client_address[0]] += has_room
        if not has_room:
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread can be started
            self._ended(client_address[0])
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a connection, and count it no more."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._ended(client_address[0])

    def _ended(self, address: str) -> None:
        """Note that a connection has ended; an address without any is forgotten."""
        with self._lock:
            self._open[address] -= 1
            self._open += Counter()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is not worth a traceback."""


class BrowserHandler(BaseHTTPRequestHandler):
    """Answers a request that passes the checks. A subclass has `headers_sent`, `methods` and `answer`."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "agzamov", ""
    timeout = IDLE_S
    server: BrowserServer
    headers_sent: Mapping[str, str]
    methods: ClassVar[str] = "GET, HEAD"

    def answer(self) -> None:
        """Send one answer."""
        raise NotImplementedError

    def do_GET(self) -> None:
        """Refuse, or answer."""
        self.close_connection = True  # no request has a body that is read here, and none outlives the page
        refused = self.refusal()
        if refused:
            self.refuse(refused)
        else:
            self.answer()

    do_HEAD = do_GET  # noqa: N815 - the name that the base looks for

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Answer a bad request with one line that repeats nothing of it; also for unknown methods."""
        self.close_connection = True  # the body of the request is not read
        self.refuse(HTTPStatus.METHOD_NOT_ALLOWED if code == HTTPStatus.NOT_IMPLEMENTED else HTTPStatus(code))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Stay quiet."""

    def refusal(self) -> HTTPStatus | None:
        """The reason why a request is not answered; None where it is."""
        if tuple(self.headers.get_all("Host", ())) not in {(host,) for host in self.server.hosts}:
            return HTTPStatus.MISDIRECTED_REQUEST
        origins, sites = self.headers.get_all("Origin", ()), self.headers.get_all("Sec-Fetch-Site", ())
        if not set(origins) <= {f"http://{self.headers['Host']}"} or not set(sites) <= SAME_SITE:
            return HTTPStatus.FORBIDDEN
        return None

    def refuse(self, status: HTTPStatus) -> None:
        """Send a status as one line of text."""
        self.send(status, b"text/plain", f"{status.value} {status.phrase}\n".encode())

    def send(self, status: HTTPStatus, kind: bytes, body: bytes) -> None:
        """Send an answer with the headers of the page."""
        self.send_response(status)
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind.decode()}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", self.methods)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if getattr(self, "command", None) != "HEAD":
            self.wfile.write(body)


@contextmanager
def serving(server: BrowserServer) -> Iterator[None]:
    """Answer requests in a thread of its own."""
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="page server", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
