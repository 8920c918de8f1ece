"""A report in Chromium and in Firefox, from a file: it asks nobody, runs nothing of a bundle, and replays games."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from playwright.sync_api import Page, expect

from agzamov_verify.checks.steps import Verdict
from agzamov_verify.core.questions import Answer, Question, Reply
from agzamov_verify.plan.manifest import Plan
from browser import PATIENCE_MS, PROGRAMS, Started, dead_proxy, started
from bundles.bundle_factory import TINY, TINY_MODEL, check, make, world_of
from bundles.make_golden import GOLDEN
from html_report.in_browser import address_of, opened, report_of

# In one worker: each browser is started once, each report written once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("report_page")]
CHESS, HOLDEM = "p0-chess960-naked-agent", "p1-holdem-naked-other"
HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    '<svg onload="document.title=1"><a href="javascript:document.title=2">x</a> \N{RIGHT-TO-LEFT OVERRIDE}evil'
    " \N{LINE SEPARATOR} <!--<script> </pre></body></html> \x1b[2J"
)


class Shown(NamedTuple):
    """The page of a report, and what of it should not be."""

    page: Page
    noted: list[str]
    file: Path

    def go(self, fragment: str) -> None:
        self.page.evaluate("fragment => { location.hash = fragment }", fragment)


@pytest.fixture(scope="module", params=PROGRAMS, autouse=True)  # first of the fixtures: the outer loop
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return check(GOLDEN / "bundle")


@pytest.fixture(scope="module")
def reports(verdict: Verdict, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The report of the golden bundle in both its forms."""
    folder = tmp_path_factory.mktemp("report")
    return {form: report_of(GOLDEN / "bundle", folder / form, verdict) for form in ("site", "one.html")}


@pytest.fixture(scope="module", params=["site", "one.html"])
def shown(browsers: Started, reports: dict[str, Path], request: pytest.FixtureRequest) -> Shown:
    file = reports[request.param]
    return Shown(*opened(browsers, address_of(file)), file)


def test_the_first_screen_says_what_was_found_and_how_far_to_believe_it(shown: Shown) -> None:
    answer = shown.page.locator("#answer")
    for words in ("What to believe", "Recomputed", "Only claimed", "Departs", "Check it yourself"):
        expect(answer).to_contain_text(words)
    badge = shown.page.locator(".badge.incomplete")  # no engine was asked
    expect(badge).to_contain_text("Everything checked here holds; missing: the engine's ")
    assert shown.page.locator(".answer").count() == 2  # two games
    assert shown.page.locator("figure .chart").count() > 2
    for chart in shown.page.locator("figure:has(.chart)").all():
        assert chart.locator("table").count() == 1
        assert chart.locator(".chart").first.get_attribute("aria-label")
    assert shown.noted == []


def test_a_game_is_found_by_filters_and_replayed_to_its_end_by_keyboard(shown: Shown) -> None:
    page = shown.page
    shown.go(f"m={CHESS}")
    expect(page.locator(".list [role=status]")).to_contain_text("6 of 6 games")
    page.get_by_label("Result of agent").select_option("won")
    rows = page.locator(".list tbody tr")
    expect(page.locator(".list [role=status]")).not_to_contain_text("0 of")
    assert all("won" in text for text in rows.all_inner_texts())
    rows.first.locator("a").click()
    expect(page.locator("#view h1")).to_contain_text("agent")
    expect(page.locator(".result small")).to_contain_text(f"{CHESS}-g")
    last = page.locator(".moves button").count() - 1
    assert last > 3
    for ply in range(1, last + 1):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".moves [aria-current]")).to_have_count(1)
        assert page.evaluate("location.hash").endswith(f"&k={ply}")
    expect(page.locator(".moves button").last).to_have_attribute("aria-current", "step")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.hash").endswith(f"&k={last}")
    page.keyboard.press("Home")
    expect(page.locator(".moves button").first).to_have_attribute("aria-current", "step")
    assert page.locator(".board td svg").count() == 32
    assert shown.noted == []


def test_a_deep_link_opens_a_hand_at_an_action_with_its_prompt_and_its_reply(browsers: Started, shown: Shown) -> None:
    page, noted = opened(browsers, address_of(shown.file, f"g={HOLDEM}-h0000001&k=1"))
    expect(page.locator("#view h1")).to_contain_text("Hand 2: ")
    expect(page.locator(".panel .reply").first).to_contain_text("ACTION:")
    page.locator(".panel .prompt summary", has_text="Situation").click()
    expect(page.locator(".panel .prompt pre").nth(1)).to_contain_text("Hole cards:")
    assert page.locator(".poker .cards .card").count() == 4
    expect(page.locator(".poker .cards .sr").first).to_contain_text(" of ")
    assert noted == []
    page.close()


def test_what_is_not_there_is_one_clear_line(browsers: Started, shown: Shown) -> None:
    page, noted = opened(browsers, address_of(shown.file, "g=p9-nothing"))
    expect(page.locator("[role=alert]")).to_have_text("p9-nothing: no such game in this report")
    assert noted == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_have_contrast(scheme: str, browsers: Started, shown: Shown) -> None:
    page, noted = opened(browsers, address_of(shown.file), scheme=scheme, viewport={"width": 360, "height": 700})
    ink, paper = (page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor"))
    assert (luminance(ink) > luminance(paper)) is (scheme == "dark")
    assert contrast(ink, paper) > 7
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert noted == []
    page.close()


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours `rgb(r, g, b)` (WCAG 2.2)."""
    bright, dim = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a bundle whose title and whose every reply try to get out of it."""
    folder = tmp_path_factory.mktemp("hostile")
    wished = {**TINY_MODEL, "title": HOSTILE[:75] + HOSTILE[-20:-5]}
    seats = world_of(msgspec.convert(TINY, Plan), None)

    def answer(question: Question) -> Answer:
        given = seats(question)
        return msgspec.structs.replace(given, text=HOSTILE + "\n" + given.text) if isinstance(given, Reply) else given

    return report_of(make(wished, folder, answer), folder / "one.html")


def test_hostile_words_of_a_bundle_stay_words(browsers: Started, hostile: Path) -> None:
    for fragment in ("", "g=p1-chess960-naked-agent-g00000&k=1", "m=p1-chess960-naked-agent"):
        page, noted = opened(browsers, address_of(hostile, fragment))
        expect(page.locator("#view h1, #answer summary").first).to_be_attached()
        if fragment.startswith("g="):
            expect(page.locator(".panel .reply").first).to_contain_text("<img src=x onerror=")
            assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in page.locator(".panel").inner_text()
        assert page.title().startswith("</script><script>")
        assert page.locator("img, a[href^=javascript]").count() == 0
        assert noted == []
        page.close()


def test_a_chunk_that_was_changed_or_is_missing_is_not_shown(
    browsers: Started, verdict: Verdict, tmp_path: Path
) -> None:
    file = report_of(GOLDEN / "bundle", tmp_path / "site", verdict)
    index = tmp_path / "site" / "data" / CHESS / "index-0.css"
    other = tmp_path / "site" / "data" / HOLDEM / "index-0.css"
    index.write_bytes(other.read_bytes())
    page, _ = opened(browsers, address_of(file, f"m={CHESS}"))
    expect(page.locator("[role=alert]")).to_contain_text("its data are not those that this page was written with")
    page.close()
    index.unlink()
    page, _ = opened(browsers, address_of(file, f"m={CHESS}"))
    expect(page.locator("[role=alert]")).to_contain_text(
        "the file is missing; keep the folder of data beside this page"
    )
    page.close()


def test_a_browser_that_cannot_unpack_the_games_says_which_can(browsers: Started, shown: Shown) -> None:
    page = browsers.page()
    page.add_init_script("delete globalThis.DecompressionStream")
    page.goto(address_of(shown.file, f"m={CHESS}"))
    expect(page.locator("[role=alert]")).to_contain_text("this browser is too old to unpack the games; Chrome")
    page.close()


def test_nothing_is_asked_of_any_host(browsers: Started, shown: Shown) -> None:
    with dead_proxy() as proxy:
        page, noted = opened(browsers, address_of(shown.file), proxy=proxy.settings)
        for fragment, drawn in ((f"m={CHESS}", ".list tbody tr"), (f"g={HOLDEM}-h0000001", ".poker .cards .card")):
            page.evaluate("fragment => { location.hash = fragment }", fragment)
            expect(page.locator(drawn).first).to_be_visible()
        assert noted == []
        page.close()
        assert not proxy.asked()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("console.error('no')", "error: no"),
        ("setTimeout(() => { throw new Error('no') })", "error: no"),
        ("alert('no')", "dialog: no"),
        ("fetch('https://agzamov.invalid/no').catch(() => {})", "request: https://agzamov.invalid/no"),
        ("fetch('other.txt').catch(() => console.error('refused'))", "refused"),
    ],
)
def test_what_a_page_should_not_do_is_noted(script: str, expected: str, browsers: Started, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("another file")
    file = tmp_path / "page.html"
    file.write_text(f'<!doctype html><meta charset="utf-8"><title>One defect</title><script>{script}</script>')
    with dead_proxy() as proxy:
        page, noted = opened(browsers, address_of(file), proxy=proxy.settings)
        if "https:" in script:
            assert proxy.asked(PATIENCE_MS / 1000)
        for _ in range(PATIENCE_MS // 10):
            if any(line.endswith(expected) for line in noted):
                break
            page.wait_for_timeout(10)
        assert any(line.endswith(expected) for line in noted), noted
        page.close()
