"""A leaderboard in Chromium and Firefox: it fits a phone, its colours can be read, and rows can be chosen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from agzamov_harness.leaderboard.leaderboard_pages import leaderboard_page
from agzamov_harness.leaderboard.ranking import boards_of
from agzamov_harness.leaderboard.submission_record import SubmissionEntry, SubmissionOutcome
from agzamov_harness.leaderboard.submissions import Policy
from agzamov_verify.show.text.cost_words import Cost
from browser import IN_CI, Started, noting, started
from harness.board_worlds import board_run, measured

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("leaderboard_page")]


@pytest.fixture(scope="module", params=IN_CI)
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    runs = [
        board_run("a", 0.5, cost=Cost(3000, 10, 1000, 10, 0.5), less_naked=measured(0.6, 0.1)),
        board_run("b", 0.4, weights="hosted", lineage="B traced", warnings=("long " * 40,), model="m" * 70),
        board_run("c", -0.4),
        board_run("d", 0.01),
        board_run("e", 0.0, None, no_result="it gave no usable answer in 24 decisions"),
    ]
    refused = SubmissionEntry(
        "refused-" + "long-" * 10, SubmissionOutcome.REFUSED, "signed by a key that " + "x" * 80, "0" * 16, "1" * 64
    )
    file = tmp_path / "index.html"
    file.write_text(
        leaderboard_page(Policy("Board", {"ada": "0" * 64}), boards_of(runs, 10, draws=500), [refused]), "utf-8"
    )
    return file


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_fits_and_its_tables_move_alone(width: int, browsers: Started, page_file: Path) -> None:
    """The page was 596 pixels wide on a screen of 390."""
    page = browsers.page(viewport={"width": width, "height": 800})
    page.goto(page_file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = page.evaluate(
        "[...document.querySelectorAll('*')].filter((one) => one.scrollWidth > one.clientWidth + 1"
        " && getComputedStyle(one).overflowX === 'auto').map((one) => [one.tabIndex, one.getAttribute('aria-label')])"
    )
    assert wide
    assert all(index == 0 and label for index, label in wide), f"expected to be moved by keyboard, by a name: {wide}"
    page.close()


READ = """() => {
  const rgb = (text) => text.match(/[0-9.]+/g).map(Number);
  const paper = (one) => rgb(getComputedStyle(one).backgroundColor);
  const is_clear = (one) => paper(one).length === 4 && paper(one)[3] === 0;
  const behind = (one) => is_clear(one) ? behind(one.parentElement) : paper(one);
  return [...document.querySelectorAll("body *")].flatMap((one) => {
    if (![...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) return [];
    if (!one.getClientRects().length || one.closest("script, style, option")) return [];
    const style = getComputedStyle(one);
    return [[one.textContent.slice(0, 40), rgb(one instanceof SVGElement ? style.fill : style.color), behind(one)]];
  });
}"""
"""Every text that can be seen, with its colour and that of what lies behind it."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_stands_out_from_what_is_behind_it(scheme: str, browsers: Started, page_file: Path) -> None:
    """WCAG 2.2, level AA: 4.5 to 1."""
    page = browsers.page(scheme)
    page.goto(page_file.as_uri())
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    texts = page.evaluate(READ)
    assert len(texts) > 100
    faint = [(text, ratio) for text, ink, paper in texts if (ratio := contrast(ink, paper)) < 4.5]
    assert faint == []
    page.close()


def contrast(ink: list[float], paper: list[float]) -> float:
    """The contrast ratio of two colours (WCAG 2.2, "relative luminance")."""

    def luminance(colour: list[float]) -> float:
        parts = [part / 255 for part in colour[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(ink), luminance(paper)))
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_of_grey_on_grey_is_found_too_small() -> None:
    assert contrast([0, 0, 0], [255, 255, 255]) == pytest.approx(21)
    assert contrast([140, 140, 140], [255, 255, 255]) < 4.5


def test_warnings_open_by_keyboard_where_they_stand(browsers: Started, page_file: Path) -> None:
    page = browsers.page()
    page.goto(page_file.as_uri())
    badge = page.get_by_text("1 warning; record consistent (level V1; V4 is the highest)")
    badge.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".badge .warnings li")).to_be_visible()
    page.close()


def test_nothing_moves_once_the_page_is_drawn(browsers: Started, page_file: Path) -> None:
    page = browsers.page(viewport={"width": 360, "height": 800})
    tops = "[...document.querySelectorAll('h2, .entry')].map((one) => Math.round(one.getBoundingClientRect().top))"
    page.goto(page_file.as_uri(), wait_until="domcontentloaded")
    before = page.evaluate(tops)
    page.wait_for_load_state("load")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(tops) == before
    page.close()


def test_a_choice_hides_rows(browsers: Started, page_file: Path) -> None:
    page = browsers.page()
    noted = noting(page)
    page.goto(page_file.as_uri())
    rows = page.locator(".entry:visible")
    expect(rows).to_have_count(5)
    page.get_by_label("lineage of the memory").select_option("B traced")
    expect(rows).to_have_count(1)
    expect(page.locator("#left")).to_have_text("1 of 5 rows shown")
    expect(page.locator(".none-left")).to_be_hidden()
    page.get_by_label("weights of the model").select_option("open, and sealed")
    expect(rows).to_have_count(0)
    expect(page.locator(".none-left")).to_be_visible()
    page.get_by_label("lineage of the memory").select_option("any")
    expect(rows).to_have_count(4)
    assert noted == []
    page.close()


def test_a_number_of_several_runs_opens_the_table_of_them(browsers: Started, tmp_path: Path) -> None:
    runs = [board_run(name, 0.5, key="one") for name in "ab"]
    file = tmp_path / "index.html"
    file.write_text(leaderboard_page(Policy("Board", {}), boards_of(runs, 10, draws=500), []), "utf-8")
    page = browsers.page()
    page.goto(file.as_uri())
    expect(page.locator(".numbers table").last).to_be_hidden()
    page.locator(".number").click()
    expect(page.locator(".numbers table").last).to_be_visible()
    page.close()
