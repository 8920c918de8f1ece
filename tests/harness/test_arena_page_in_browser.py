"""The page of an arena in Chromium and Firefox: it fits a phone, can be read, asks nobody, and leads to its games."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from agzamov_harness.arena.arena_page import Contents, arena_page
from agzamov_harness.arena.arena_table import arena_table
from agzamov_harness.arena.verified_bundles import LeftOut
from browser import IN_CI, Started, noting, started
from harness.arena.arena_worlds import chess_world, collected_world

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("arena_page")]
LOW_CONTRAST = Path(__file__).parents[1] / "html_report" / "contrast.js"
LONG = "a_player_with_a_name_of_32_signs"
CIRCLE = {("paper", "rock"): 9, ("rock", "scissors"): 9, ("scissors", "paper"): 9}


@pytest.fixture(scope="module", params=IN_CI)
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = {"chess": chess_world(CIRCLE, ["paper", "rock", "scissors", "stone", LONG])}
    left_out = [LeftOut("b" * 64, "does not verify: step 7, " + "x" * 90)]
    found = arena_table(collected_world(results, left_out))
    file = tmp_path_factory.mktemp("arena") / "index.html"
    file.write_text(
        arena_page(Contents("An arena", found, "agzamov arena table arena.yaml", has_replays=True)), "utf-8"
    )
    return file


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_fits_and_its_tables_move_alone(width: int, browsers: Started, page_file: Path) -> None:
    page = browsers.page(viewport={"width": width, "height": 800})
    noted = noting(page)
    page.goto(page_file.as_uri())
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = page.evaluate(
        "[...document.querySelectorAll('*')].filter((one) => one.scrollWidth > one.clientWidth + 1"
        " && getComputedStyle(one).overflowX === 'auto' && one.matches('.scroll'))"
        ".map((one) => [one.tabIndex, one.getAttribute('aria-label')])"
    )
    assert all(index == 0 and label for index, label in wide), wide
    assert bool(wide) == (width == 360)
    assert noted == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_stands_out_from_what_is_behind_it(scheme: str, browsers: Started, page_file: Path) -> None:
    """WCAG 2.2, level AA, the coloured cells too."""
    page = browsers.page(scheme)
    page.goto(page_file.as_uri())
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.locator(".heat").count() == 25
    script = LOW_CONTRAST.read_text("utf-8")
    assert "#view *" in script
    assert page.evaluate(script.replace("#view *", "body *")) == []
    page.close()


def test_a_cell_of_several_matches_opens_the_list_of_its_games(browsers: Started, page_file: Path) -> None:
    page = browsers.page()
    page.goto(page_file.as_uri())
    entry = page.locator("dt", has_text="paper against rock")
    expect(entry).to_be_hidden()
    page.locator(".beats a.heat").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash").startswith("#chess-")
    expect(page.locator("dt:target")).to_be_visible()
    page.close()


def test_the_circle_is_drawn_with_the_number_of_each_player(browsers: Started, page_file: Path) -> None:
    page = browsers.page(viewport={"width": 360, "height": 800})
    page.goto(page_file.as_uri())
    plane = page.locator("svg.plane")
    expect(plane).to_be_visible()
    assert plane.get_attribute("aria-label")
    boxes = [one.bounding_box() for one in plane.locator("text").all()]
    assert len(boxes) == 5
    assert all(box and 0 <= box["x"] <= 360 - box["width"] for box in boxes)
    page.close()
