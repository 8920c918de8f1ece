"""A headless Chromium of this machine for tests of pages, by Playwright. It downloads nothing.

Without one a test is skipped, or fails where AGZ_REQUIRE_BROWSER is set.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

REQUIRED = "AGZ_REQUIRE_BROWSER"
PATIENCE_MS = 300_000
expect.set_options(timeout=PATIENCE_MS)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser, or a skipped test."""
    path = shutil.which("chromium")
    if path is None:
        if os.environ.get(REQUIRED):
            raise AssertionError(f"no chromium here, and {REQUIRED} is set; on Debian: apt-get install chromium")
        pytest.skip("no chromium here; on Debian: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=PATIENCE_MS)
        try:
            yield browser
        finally:
            browser.close()


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
