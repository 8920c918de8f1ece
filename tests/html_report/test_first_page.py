"""The first page of a report in Chromium and in Firefox: its first screen, its colours, its keyboard, on any screen."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agzamov_verify.checks.steps import Verdict
from agzamov_verify.show.html_report.report_page import Contents, page
from browser import PROGRAMS, Started, started
from bundles.bundle_factory import check, make
from bundles.make_golden import GOLDEN
from bundles.test_own_actions import PLAN as SILENT
from bundles.test_own_actions import silent
from html_report.in_browser import address_of, opened
from html_report.test_figures import PLAN as ARMS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("first_page")]
KINDS = ("contests", "arms", "no result")
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 800}

CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => known.get(colour) ?? known.set(colour, drawn(colour)).get(colour);
  const drawn = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const behind = (one) => {
    if (!one) return [255, 255, 255];
    return over(rgba(getComputedStyle(one).backgroundColor), behind(one.parentElement));
  };
  const luminance = (colour) => {
    const linear = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = colour.map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (words.nextNode()) {
    const one = words.currentNode.parentElement;
    if (!words.currentNode.data.trim() || !one.getClientRects().length || one.closest("script, style")) continue;
    const style = getComputedStyle(one);
    const ground = behind(one);
    let [r, g, b, a] = rgba(one.closest("svg") ? style.fill : style.color);
    for (let at = one; at; at = at.parentElement) a *= Number(getComputedStyle(at).opacity);
    const [first, second] = [luminance(over([r, g, b, a], ground)), luminance(ground)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    found.push([words.currentNode.data.trim().slice(0, 40), (first + 0.05) / (second + 0.05), isLarge ? 3 : 4.5]);
  }
  return found;
}"""
"""Of every text that is shown: its words, its contrast ratio, and the least that it must have (WCAG 2.2 AA)."""


@pytest.fixture(scope="module", params=PROGRAMS, autouse=True)  # first of the fixtures: the outer loop
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    folder = tmp_path_factory.mktemp("bundles")
    bundles = (GOLDEN / "bundle", make(ARMS, folder / "arms"), make(SILENT, folder / "silent", silent))
    return {kind: check(bundle) for kind, bundle in zip(KINDS, bundles, strict=True)}


@pytest.fixture(scope="module")
def pages(verdicts: dict[str, Verdict], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder, files = tmp_path_factory.mktemp("pages"), {}
    for kind, verdict in verdicts.items():
        files[kind] = folder / f"{kind}.html"
        site = {"data": "", "run": verdict.run, "matches": []}
        files[kind].write_text(page(Contents(verdict, site, "agzamov-verify check bundle", False)), "utf-8")
    return files


def unfolded(shown: Page) -> None:
    shown.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")


def weak(shown: Page) -> list[Any]:
    """Texts without enough contrast."""
    found: list[Any] = shown.evaluate(CONTRASTS)
    assert len(found) > 50
    return [row for row in found if row[1] < row[2]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_text_has_contrast(kind: str, scheme: str, browsers: Started, pages: dict[str, Path]) -> None:
    shown, noted = opened(browsers, address_of(pages[kind]), scheme=scheme, viewport=DESKTOP)
    unfolded(shown)
    assert weak(shown) == []
    assert noted == []
    shown.close()


def test_one_faint_text_is_noticed(browsers: Started, pages: dict[str, Path]) -> None:
    shown, _ = opened(browsers, address_of(pages["contests"]), viewport=DESKTOP)
    shown.evaluate("document.querySelector('h1').style.color = '#c0c0c0'")
    assert [row[0] for row in weak(shown)] == [shown.locator("h1").inner_text()]
    shown.close()


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_screen_holds_answers_and_what_to_believe(
    kind: str, browsers: Started, pages: dict[str, Path]
) -> None:
    shown, noted = opened(browsers, address_of(pages[kind]), viewport=DESKTOP)
    below = shown.evaluate("document.querySelector('.command').getBoundingClientRect().bottom")
    assert below <= DESKTOP["height"]
    expect(shown.locator("header .badge")).to_be_visible()
    expect(shown.locator("header .limits")).to_contain_text("The signature proves")
    assert noted == []
    shown.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_phone_scrolls_down_only_and_no_name_lies_on_a_drawing(
    kind: str, browsers: Started, pages: dict[str, Path]
) -> None:
    shown, noted = opened(browsers, address_of(pages[kind]), viewport=PHONE)
    for _ in range(2):
        assert shown.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        covered = shown.evaluate(
            """[...document.querySelectorAll(".row")].filter((row) => {
                const plot = row.querySelector(".plot")?.getBoundingClientRect();
                return plot?.height && [...row.querySelectorAll(".label, .told")].some((one) => {
                    const box = one.getBoundingClientRect();
                    const isBeside = box.bottom <= plot.top + 1 || box.top >= plot.bottom - 1
                        || box.right <= plot.left + 1 || box.left >= plot.right - 1;
                    return box.width > 0 && !isBeside;
                });
            }).map((row) => row.textContent)"""
        )
        assert covered == []
        unfolded(shown)
    assert noted == []
    shown.close()


def test_a_player_without_usable_answers_has_no_figure(browsers: Started, pages: dict[str, Path]) -> None:
    shown, _ = opened(browsers, address_of(pages["no result"]), viewport=DESKTOP)
    badge = shown.locator("header .badge")
    expect(badge).to_contain_text("No result")
    assert "holds" not in (badge.get_attribute("class") or "").split()
    cards = shown.locator(".answer").all()
    assert cards
    for card in cards:
        expect(card).to_contain_text("no result")
        expect(card).to_contain_text("were cut at 16 tokens")
        expect(card).to_contain_text("To try next:")
        assert card.locator(".whisker").count() == 0
        figures = card.locator(".big, .told").all_inner_texts()
        assert set(figures) == {"\N{EN DASH}"}
    shown.close()


def test_the_keyboard_reaches_every_link_and_shows_where_it_is(browsers: Started, pages: dict[str, Path]) -> None:
    shown, noted = opened(browsers, address_of(pages["arms"]), viewport=DESKTOP)
    wanted = shown.evaluate(
        """[...document.querySelectorAll("a[href], summary, [tabindex='0']")]
            .filter((one) => one.checkVisibility()).map((one, at) => { one.dataset.at = at; return at; })"""
    )
    reached = []
    for _ in range(len(wanted) + 2):
        shown.keyboard.press("Tab")
        at = shown.evaluate(
            """(() => {
                const one = document.activeElement, style = getComputedStyle(one);
                return one.dataset.at === undefined ? null : [Number(one.dataset.at), style.outlineStyle !== "none"];
            })()"""
        )
        reached += [at] if at else []
    assert [at for at, _ in reached][: len(wanted)] == wanted
    assert all(is_seen for _, is_seen in reached)
    assert noted == []
    shown.close()


def test_a_bar_leads_to_its_games(browsers: Started, pages: dict[str, Path], verdicts: dict[str, Verdict]) -> None:
    shown, _ = opened(browsers, address_of(pages["arms"]), viewport=DESKTOP)
    manifest = verdicts["arms"].manifest
    assert manifest
    ids = {match.id for match in manifest.plan.matches}
    links = shown.evaluate("[...document.querySelectorAll('a.row')].map((one) => one.getAttribute('href'))")
    assert links
    assert {link.removeprefix("#m=").partition("&")[0] for link in links} <= ids
    shown.locator("a.row").first.press("Enter")
    assert shown.evaluate("location.hash") == links[0]
    shown.close()


def test_nothing_moves_while_the_page_is_drawn(browsers: Started, pages: dict[str, Path]) -> None:
    if browsers.name != "chromium":
        pytest.skip("only Chromium tells how far a page moved")
    for size in (DESKTOP, PHONE):
        shown, _ = opened(browsers, address_of(pages["arms"]), viewport=size)
        moved = shown.evaluate(
            """new Promise((resolve) => {
                new PerformanceObserver((list) => resolve(list.getEntries().map((one) => one.value)))
                    .observe({ type: "layout-shift", buffered: true });
                setTimeout(() => resolve([]), 500);
            })"""
        )
        assert json.dumps(moved) == "[]"
        shown.close()
