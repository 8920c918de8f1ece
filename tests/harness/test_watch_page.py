"""The live page in Chromium and Firefox: it draws what the journals say, for late comers too, and runs nothing else."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from agzamov_harness.run import run_folder
from agzamov_harness.run.stop import Stopped
from agzamov_harness.watch.live_page import LivePage, beside
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.untrusted_input import printable
from browser import PROGRAMS, Started, noting, started
from bundles.bundle_factory import SELF_PLAY, TINY_MODEL, make

# In one worker: each browser is started once, the run is played once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("watch_page")]
TABS = {"chromium": 7, "firefox": 2}
HOSTILE = (
    "</pre><script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"
    "<svg onload=alert(1)>\u202e\u2028<a href='javascript:alert(1)'>MOVE: a1a1"
)


@pytest.fixture(scope="module", params=PROGRAMS)
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a model whose every reply is hostile."""
    folder = tmp_path_factory.mktemp("watch")

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        return Reply(text=HOSTILE, model="m")

    bundle = make({**TINY_MODEL, "title": "<b onclick=alert(1)>Tiny</b>"}, folder, answer)
    return folder / "runs" / bundle.name


FIRST_GAME = f"{SELF_PLAY.removesuffix('-b00000')}-g00000"


def stopped(played: Path, tmp_path: Path, entries: int) -> tuple[Path, Callable[[], object]]:
    """A copy of the run with so many entries of self-play, and what writes the rest of them."""
    folder = Path(shutil.copytree(played, tmp_path / played.name))
    journal = folder / "journal" / SELF_PLAY / "000000.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(b"".join(whole.splitlines(keepends=True)[:entries]))
    return folder, lambda: journal.write_bytes(whole)


def test_several_tabs_see_a_game_in_progress_and_its_end(browsers: Started, played: Path, tmp_path: Path) -> None:
    folder, go_on = stopped(played, tmp_path, 2)
    with LivePage.served(run_folder.load(folder)) as (_, url):
        context = browsers.browser("dark").new_context(color_scheme="dark", viewport={"width": 400, "height": 800})
        tabs = [context.new_page() for _ in range(TABS[browsers.name])]
        noted = [noting(tab) for tab in tabs]
        for tab in tabs:
            tab.goto(url)
        for tab in tabs:
            expect(tab.locator("h1")).to_have_text("<b onclick=alert(1)>Tiny</b>")
            expect(tab.locator("article pre").first).to_have_text(printable(HOSTILE), use_inner_text=False)
            expect(tab.locator("table.board td.light, table.board td.dark")).to_have_count(64)
            board = tab.evaluate(
                "fetch('snapshot.json').then((told) => told.json()).then((told) => told.games[0].frame.board)"
            )
            pieces = [letter for letter in board if letter.isalpha()]
            drawn = tab.locator("table.board td use").evaluate_all(
                "uses => uses.map((use) => use.getAttribute('href'))"
            )
            assert sorted(drawn) == sorted(f"#piece-{letter.lower()}" for letter in pieces)
            assert tab.locator("table.board .white-piece").count() == sum(letter.isupper() for letter in pieces)
            assert tab.locator("table.board svg").first.bounding_box()
            assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            assert tab.locator("article script, article img, article pre *, article a").count() == 0
        go_on()
        for tab in tabs:
            expect(tab.locator("#state")).to_contain_text("Played to its end.")
            expect(tab.locator("article")).to_have_count(0)
            assert "hacked" not in tab.title()
        assert noted == [[]] * len(tabs)
        context.close()


@pytest.mark.parametrize(
    ("scheme", "width", "height"), [("light", 1280, 900), ("dark", 1280, 900), ("light", 360, 800), ("dark", 360, 800)]
)
def test_the_first_board_is_in_sight_under_one_line_of_figures(
    scheme: str, width: int, height: int, browsers: Started, played: Path, tmp_path: Path
) -> None:
    """It began at y = 640 of 900 and was cut; on a phone it was three screens down."""
    folder, _ = stopped(played, tmp_path, 4)
    tab = browsers.page(scheme, viewport={"width": width, "height": height})
    noted = noting(tab)
    with LivePage.served(run_folder.load(folder)) as (_, url):
        tab.goto(url)
        board, line = tab.locator("table.board"), tab.locator("#line")
        expect(board).to_have_count(1)
        box = board.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height
        assert box["x"] + box["width"] <= width
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        for part in ("of about", "cost unknown", "answers unusable"):
            expect(line).to_contain_text(part)
        assert line.locator(".answers").get_attribute("class") == "answers warn"
        coordinates = tab.locator("table.board th").all_inner_texts()
        assert coordinates == [*"87654321", *"abcdefgh"]
        expect(tab.locator("article .verdict")).to_contain_text("unusable answer")
        expect(tab.locator("article .turn")).to_have_text("to move")
        assert tab.locator("table.board td.drawn").count() == 2  # from and to of a move that is not the model's
        assert low_contrasts(tab) == []
    assert noted == []
    tab.close()


def test_nothing_moves_when_numbers_grow(browsers: Started, played: Path, tmp_path: Path) -> None:
    folder, _ = stopped(played, tmp_path, 4)
    tab = browsers.page("light", viewport={"width": 1280, "height": 900})
    with LivePage.served(run_folder.load(folder)) as (_, url):
        tab.goto(url)
        expect(tab.locator("table.board")).to_have_count(1)
        told = tab.evaluate("fetch('snapshot.json').then((told) => told.json())")
        told.update(calls_expected=4_000, elapsed_s=3.0, left_s=500.0, is_cost_known=True, budget_usd="50")
        places = [
            tab.evaluate(PLACES, told | {"calls": calls, "elapsed_s": elapsed_s, "cost_usd": cost, "left_s": left_s})
            for calls, elapsed_s, cost, left_s in [(3, 3.0, "0.01", 3540.0), (3_999, 3_599.0, "49.99", 60.0)]
        ]
    assert places[0] == places[1]
    tab.close()


def test_a_game_that_is_over_is_replayed_by_keys_and_by_its_address(browsers: Started, played: Path) -> None:
    tab = browsers.page("dark", viewport={"width": 360, "height": 800})
    noted = noting(tab)
    with LivePage.served(run_folder.load(played)) as (_, url):
        tab.goto(url)
        tab.locator("#matches a").first.press("Enter")
        replay = tab.locator("#replay")
        expect(replay.locator("table.board")).to_be_visible()
        expect(replay.locator("#replay-title")).to_contain_text("Game 2")
        current = replay.locator("[aria-current]")
        expect(current).to_have_text("start")
        tab.keyboard.press("ArrowRight")
        expect(current).to_contain_text("1. ")
        expect(current).to_contain_text("*")  # drawn in place of an unusable answer
        expect(replay.locator("td.drawn")).to_have_count(2)
        tab.keyboard.press("End")
        expect(current).to_contain_text("2… ")
        tab.keyboard.press("f")
        expect(replay.locator("table.board th").first).to_have_text("1")
        box = replay.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        assert low_contrasts(tab) == []
        replay.get_by_text("← previous").click()
        expect(replay.locator("#replay-title")).to_contain_text("Game 1")
        assert tab.url.endswith(f"#game={FIRST_GAME}")
        second = FIRST_GAME.replace("g00000", "g00001")
        tab.evaluate("(game) => { replay.close(); location.hash = `#game=${game}`; }", second)
        expect(replay.locator("#replay-title")).to_contain_text("Game 2")  # its address was taken by the late close
        assert tab.url.endswith(f"#game={second}")
        tab.keyboard.press("Escape")
        expect(replay).to_be_hidden()
        tab.goto(f"{url}#game={FIRST_GAME.replace('g00000', 'g00007')}")
        expect(replay).to_contain_text("This game cannot be replayed")
    # The browser says that the server has no such game.
    assert [note for note in noted if "404" not in note] == []
    tab.close()


PLACES = """(told) => {
  draw(told);
  return [...document.querySelectorAll("#line > span, article, table.board, .verdict, #score-title")].map((one) => {
    const box = one.getBoundingClientRect();
    return [box.x, box.y, one.matches(".answers") ? 0 : box.width];
  });
}"""


def low_contrasts(tab: Page) -> list[str]:
    """Texts in sight whose contrast is below WCAG AA: 4.5, or 3 for large ones."""
    return tab.evaluate(CONTRASTS)  # type: ignore[no-any-return]


CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (above, below) => [0, 1, 2].map((at) => (above[at] * above[3] + below[at] * (255 - above[3])) / 255);
  const linear = (one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const low = [];
  for (const one of document.querySelectorAll("body *")) {
    const text = [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent).join("");
    const isSeen = one.checkVisibility({ visibilityProperty: true }) && !one.closest(".sr, svg");
    if (!text.trim() || !isSeen) continue;
    const grounds = [];
    for (let at = one; at; at = at.parentElement) grounds.unshift(getComputedStyle(at).backgroundColor);
    const ground = grounds.map(channels).reduce((below, above) => over(above, below), [255, 255, 255]);
    const style = getComputedStyle(one), size = parseFloat(style.fontSize);
    const [a, b] = [light(over(channels(style.color), ground)), light(ground)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const isLarge = size >= 24 || (size >= 18.6 && style.fontWeight >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) low.push(`${text}: ${ratio.toFixed(2)}`);
  }
  return low;
}"""


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_page_keeps_the_last_figures_when_its_run_ends_and_asks_no_more(
    is_whole: bool,
    browsers: Started,
    played: Path,
    tmp_path: Path,
) -> None:
    """It said "No answer" in red, at the last but one game."""
    folder, _ = stopped(played, tmp_path, 10**6 if is_whole else 2)
    tab = browsers.page("light", viewport={"width": 390, "height": 800})
    noted = noting(tab)
    said: list[str] = []
    with suppress(Stopped), beside(run_folder.load(folder), said.append):
        tab.goto(said[0].removeprefix("watch: "))
        expect(tab.locator("#matches tr")).to_have_count(2)
        if not is_whole:
            raise Stopped("the budget of 3 USD is spent")
    why = "Played to its end." if is_whole else "Stopped before its end: the budget of 3 USD is spent."
    expect(tab.locator("#state")).to_contain_text(why)
    expect(tab.locator("#state")).to_contain_text("This page asks no more.")
    tab.wait_for_timeout(3_000)
    expect(tab.locator("#lost")).to_be_hidden()
    figures = tab.locator("#matches td.figure")
    assert figures.all_inner_texts() == ["self-play, for comparison: no score"] * 2
    assert ("of about" in tab.locator("#line").inner_text()) != is_whole
    assert "cost unknown" in tab.locator("#line").inner_text()
    assert tab.locator("article").count() == (0 if is_whole else 1)
    for figure in figures.all():  # the point of the page is in sight on a phone
        box = figure.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert noted == []
    tab.close()


def test_a_page_whose_program_was_stopped_says_so(browsers: Started, played: Path) -> None:
    tab = browsers.page("dark")
    with LivePage.served(run_folder.load(played)) as (_, url):
        tab.goto(url)
        expect(tab.locator("#state")).to_contain_text("Played to its end.")
        expect(tab.locator("#lost")).to_be_hidden()
    expect(tab.locator("#lost")).to_be_visible()
    tab.close()
