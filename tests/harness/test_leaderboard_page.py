"""A leaderboard in Chromium and Firefox: it fits a phone, and rows can be chosen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from agzamov_harness.leaderboard.leaderboard_pages import leaderboard_page
from agzamov_harness.leaderboard.ranking import boards_of
from agzamov_harness.leaderboard.submissions import Policy, SubmissionEntry, SubmissionOutcome
from browser import PROGRAMS, Started, noting, started
from harness.board_worlds import board_run

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("leaderboard_page")]


@pytest.fixture(scope="module", params=PROGRAMS)
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    runs = [board_run("a", 0.5), board_run("b", 0.4, weights="hosted", lineage="B traced", warnings=("long " * 40,))]
    refused = SubmissionEntry(
        "refused-" + "long-" * 10, SubmissionOutcome.REFUSED, "signed by a key that " + "x" * 80, "0" * 16, "1" * 64
    )
    file = tmp_path / "index.html"
    file.write_text(
        leaderboard_page(Policy("Board", {"ada": "0" * 64}), boards_of(runs, 10, draws=500), [refused]), "utf-8"
    )
    return file


def test_a_phone_moves_charts_and_tables_aside_and_not_the_page(browsers: Started, page_file: Path) -> None:
    """The page was 596 pixels wide on a screen of 390."""
    page = browsers.page(viewport={"width": 390, "height": 800})
    page.goto(page_file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.evaluate(
        "[...document.querySelectorAll('*')].filter((one) => one.scrollWidth > one.clientWidth + 1"
        " && getComputedStyle(one).overflowX === 'auto').map((one) => [one.tabIndex, one.getAttribute('aria-label')])"
    )
    assert wide
    assert all(index == 0 and label for index, label in wide), f"expected to be moved by keyboard, by a name: {wide}"
    page.close()


def test_a_choice_hides_rows(browsers: Started, page_file: Path) -> None:
    page = browsers.page()
    noted = noting(page)
    page.goto(page_file.as_uri())
    rows = page.locator("tr[data-level]:visible")
    expect(rows).to_have_count(2)
    page.get_by_label("lineage of the memory").select_option("B traced")
    expect(rows).to_have_count(1)
    expect(page.locator("#left")).to_have_text("1 of 2 rows")
    page.get_by_label("weights of the model").select_option("open, and sealed")
    expect(rows).to_have_count(0)
    page.get_by_label("lineage of the memory").select_option("any")
    expect(rows).to_have_count(1)
    assert noted == []
    page.close()
