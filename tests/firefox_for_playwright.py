"""Firefox ESR as Playwright's WebDriver BiDi client expects it: this program starts it and relays all that the two say.

Playwright gives each new page a colour scheme by `emulation.setMediaFeaturesOverride`, which Firefox 153 does not know;
this program answers that it was done. A test that wants another scheme starts Firefox with a preference that says so.

    python firefox_for_playwright.py PROGRAM [ARGUMENT…]    exit code: the browser's
"""

import asyncio
import json
import re
import sys
from asyncio.subprocess import PIPE

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application
from tornado.websocket import WebSocketHandler, websocket_connect

NOT_IN_FIREFOX = "emulation.setMediaFeaturesOverride"
LISTENING = re.compile(rb"WebDriver BiDi listening on (ws://\S+)")
MESSAGE_MAX = 2**30
OUTPUT_LINE_MAX = 2**20


class Relay(WebSocketHandler):
    """One connection of Playwright's, and the one to Firefox behind it."""

    def initialize(self, firefox: str) -> None:
        self.url = f"{firefox}/session"

    async def open(self, *_: str, **__: str) -> None:
        self.firefox = await websocket_connect(
            self.url, on_message_callback=self.from_firefox, max_message_size=MESSAGE_MAX
        )

    def from_firefox(self, message: str | bytes | None) -> None:
        if message is None:
            self.close()
        else:
            self.write_message(message)

    async def on_message(self, message: str | bytes) -> None:
        asked = json.loads(message)
        if asked["method"] == NOT_IN_FIREFOX:
            await self.write_message({"type": "success", "id": asked["id"], "result": {}})
        else:
            await self.firefox.write_message(message)

    def on_close(self) -> None:
        self.firefox.close()


def listening(firefox: str) -> bytes:
    """Listen for Playwright and say where, in Firefox's own words."""
    sockets = bind_sockets(0, "127.0.0.1")
    routes = [("/session", Relay, {"firefox": firefox})]
    HTTPServer(Application(routes, websocket_max_message_size=MESSAGE_MAX)).add_sockets(sockets)
    return b"WebDriver BiDi listening on ws://127.0.0.1:%d\n" % sockets[0].getsockname()[1]


async def main() -> int:
    firefox = await asyncio.create_subprocess_exec(*sys.argv[1:], stderr=PIPE, limit=OUTPUT_LINE_MAX)
    assert firefox.stderr
    async for line in firefox.stderr:
        found = LISTENING.search(line)
        sys.stderr.buffer.write(listening(found[1].decode()) if found else line)
        sys.stderr.buffer.flush()
    return await firefox.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
