"""The live page in Chromium and Firefox: it draws what the journals say, for late comers too, and runs nothing else."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import expect

from agzamov_harness.run import run_folder
from agzamov_harness.run.stop import Stopped
from agzamov_harness.watch.live_page import LivePage, beside
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
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


def test_several_tabs_see_a_game_in_progress_and_its_end(browsers: Started, played: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(played, tmp_path / played.name))
    journal = folder / "journal" / SELF_PLAY / "000000.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:2]))
    with LivePage.served(run_folder.load(folder)) as (_, url):
        context = browsers.browser("dark").new_context(color_scheme="dark", viewport={"width": 400, "height": 800})
        tabs = [context.new_page() for _ in range(TABS[browsers.name])]
        noted = [noting(tab) for tab in tabs]
        for tab in tabs:
            tab.goto(url)
        for tab in tabs:
            expect(tab.locator("h1")).to_have_text("<b onclick=alert(1)>Tiny</b>")
            expect(tab.locator("article pre").first).to_have_text(HOSTILE, use_inner_text=False)
            expect(tab.locator("table.board td")).to_have_count(64)
            fen = tab.evaluate(
                "fetch('snapshot.json').then((told) => told.json()).then((told) => told.games[0].scene.fen)"
            )
            pieces = [letter for letter in fen.split()[0] if letter.isalpha()]
            drawn = tab.locator("table.board td use").evaluate_all(
                "uses => uses.map((use) => use.getAttribute('href'))"
            )
            assert sorted(drawn) == sorted(f"#piece-{letter.lower()}" for letter in pieces)
            assert tab.locator("table.board .white-piece").count() == sum(letter.isupper() for letter in pieces)
            assert tab.locator("table.board svg").first.bounding_box()
            assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            assert tab.locator("article script, article img, article pre *, article a").count() == 0
        journal.write_bytes(b"".join(lines))
        for tab in tabs:
            expect(tab.locator("#state")).to_contain_text("Played to its end.")
            expect(tab.locator("article")).to_have_count(0)
            assert "hacked" not in tab.title()
        assert noted == [[]] * len(tabs)
        context.close()


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_page_keeps_the_last_figures_when_its_run_ends_and_asks_no_more(
    is_whole: bool,
    browsers: Started,
    played: Path,
    tmp_path: Path,
) -> None:
    """It said "No answer" in red, at the last but one game."""
    folder = Path(shutil.copytree(played, tmp_path / played.name))
    if not is_whole:
        journal = folder / "journal" / SELF_PLAY / "000000.jsonl"
        journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:2]))
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
    assert figures.last.inner_text() == "baseline, no result"
    assert (figures.first.inner_text() == "baseline, no result") == is_whole
    assert "USD" not in tab.locator("#counts").inner_text()
    for figure in figures.all():  # the point of the page is in sight on a phone
        box = figure.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
    assert tab.evaluate("document.querySelector('.scroll').scrollWidth <= window.innerWidth")
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
