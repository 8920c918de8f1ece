"""Headless browsers of this machine for tests of pages: Debian's Chromium and Firefox ESR, by Playwright.

Nothing is downloaded. Without the browser a test is skipped, or fails where AGZ_REQUIRE_BROWSER is set.
"""

import os
import shlex
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

REQUIRED = "AGZ_REQUIRE_BROWSER"
PATIENCE_MS = 300_000
expect.set_options(timeout=PATIENCE_MS)
PROGRAMS = {"chromium": "chromium", "firefox": "firefox-esr"}
"""The program of each browser; Debian's package has the same name."""
IN_CI = ["chromium", pytest.param("firefox", marks=pytest.mark.exhaustive)]
"""The browsers of a file in which the second repeats what the first has shown.

The report and its first page, tables of many seats, the live page and the page that checks are shown by both each time.
"""


class Started:
    """Browsers of one kind, each started when it is first asked for."""

    def __init__(self, name: str, program: str, driver: Playwright, until_closed: ExitStack) -> None:
        self.name = name
        self._program = program
        self._driver = driver
        self._until_closed = until_closed
        self._browsers: dict[str, Browser] = {}

    def browser(self, scheme: str = "light") -> Browser:
        """The browser for pages in this colour scheme: Chromium sets it for a page, Firefox 153 when it starts."""
        key = scheme if self.name == "firefox" else ""
        if key not in self._browsers:
            self._browsers[key] = self._chromium() if self.name == "chromium" else self._firefox(scheme)
            self._until_closed.callback(self._browsers[key].close)
        return self._browsers[key]

    def page(self, scheme: str = "light", **options: Any) -> Page:
        """A new page of its own profile in this colour scheme."""
        return self.browser(scheme).new_page(color_scheme=scheme, **options)

    def _chromium(self) -> Browser:
        return self._driver.chromium.launch(executable_path=self._program, args=["--no-sandbox"], timeout=PATIENCE_MS)

    def _firefox(self, scheme: str) -> Browser:
        folder = Path(self._until_closed.enter_context(tempfile.TemporaryDirectory()))
        relay = Path(__file__).with_name("firefox_for_playwright.py")
        program = folder / "firefox"
        program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(relay), self._program])} "$@"\n')
        program.chmod(0o700)
        return self._driver.firefox.launch(
            channel="moz-firefox",
            executable_path=program,
            timeout=PATIENCE_MS,
            firefox_user_prefs={
                # As a person's Firefox has it; Playwright lets pages from files read other files.
                "security.fileuri.strict_origin_policy": True,
                "layout.css.prefers-color-scheme.content-override": {"dark": 0, "light": 1}[scheme],
            },
        )


@contextmanager
def started(name: str) -> Iterator[Started]:
    """Browsers of this name, or a skipped test."""
    package = PROGRAMS[name]
    program = shutil.which(package)
    if program is None:
        missing = f"no {package} here; on Debian: apt-get install {package}"
        if os.environ.get(REQUIRED):
            raise AssertionError(f"{missing} ({REQUIRED} is set)")
        pytest.skip(missing)
    with sync_playwright() as driver, ExitStack() as until_closed:
        yield Started(name, program, driver, until_closed)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium, or a skipped test."""
    with started("chromium") as browsers:
        yield browsers.browser()


def noting(page: Page) -> list[str]:
    """Everything that should not be: errors, warnings, dialogs, requests to another host than 127.0.0.1."""
    noted: list[str] = []
    page.set_default_timeout(PATIENCE_MS)
    page.on(
        "console", lambda message: noted.append(f"{message.type}: {message.text}") if message.type != "log" else None
    )
    page.on("pageerror", lambda error: noted.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (noted.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on(
        "request",
        lambda request: (
            noted.append(f"request: {request.url}")
            if not request.url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:"))
            else None
        ),
    )
    return noted


class DeadProxy:
    """A proxy that accepts no request, for a page whose every request to a host is sent to it."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self.settings: Any = {"server": f"http://127.0.0.1:{listener.getsockname()[1]}"}

    def asked(self, wait_s: float = 0) -> bool:
        """Whether a request came, after waiting for one so long."""
        self._listener.settimeout(wait_s)
        try:
            self._listener.accept()[0].close()
        except (BlockingIOError, TimeoutError):
            return False
        return True


@contextmanager
def dead_proxy() -> Iterator[DeadProxy]:
    """A proxy on a free port of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield DeadProxy(listener)
