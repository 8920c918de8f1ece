"""Debian's Chromium for tests of pages: a page that may open its own files only, and says what it asked and logged."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

PATIENCE_MS = 60_000


class Told(NamedTuple):
    """What a page told: each address that it asked for, and each line of its console or error."""

    asked: list[str]
    said: list[str]


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium, or a skipped test where it is not installed; with AGZ_REQUIRE_BROWSER=1 a failed one."""
    program = shutil.which("chromium")
    if program is None:
        reason = "no chromium here; on Debian: apt-get install chromium"
        if os.environ.get("AGZ_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"], timeout=PATIENCE_MS
        )
        try:
            yield chromium
        finally:
            chromium.close()


def opened(chromium: Browser, address: str, **options: object) -> tuple[Page, Told]:
    """A page at an address, and what it tells from now on."""
    page, told = chromium.new_page(**options), Told([], [])  # type: ignore[arg-type]
    page.set_default_timeout(PATIENCE_MS)
    page.on("request", lambda request: told.asked.append(request.url))
    page.on("console", lambda message: told.said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: told.said.append(f"error: {error}"))
    page.goto(address)
    return page, told


def address_of(file: Path, fragment: str = "") -> str:
    """The address of a file."""
    return f"{file.resolve().as_uri()}{f'#{fragment}' if fragment else ''}"
