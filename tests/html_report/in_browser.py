"""A report of a bundle, and a page of it in a browser."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.show.html_report.site import write_report
from browser import Started, noting
from bundles.bundle_factory import check


def address_of(file: Path, fragment: str = "") -> str:
    """The address of a file."""
    return f"{file.resolve().as_uri()}{f'#{fragment}' if fragment else ''}"


def opened(browsers: Started, address: str, **options: Any) -> tuple[Page, list[str]]:
    """A page at an address, and all that should not be from now on."""
    page = browsers.page(**options)
    noted = noting(page)
    page.goto(address)
    return page, noted


def report_of(bundle: Path, out: Path, verdict: Verdict | None = None) -> Path:
    found = verdict or check(bundle)
    return write_report(open_bundle(bundle, CheckLog()), found, out, "agzamov-verify check bundle", 1)
