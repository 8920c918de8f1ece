"""The pages of the games in both browsers: evaluation, playing by itself, unusable answers, order, small screens."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Page, expect

from agzamov_verify.core.questions import Answer, Question, Reply
from agzamov_verify.plan.manifest import Plan
from browser import IN_CI, Started, started
from bundles.bundle_factory import TINY, TINY_MODEL, make, world_of
from bundles.make_golden import GOLDEN
from html_report.in_browser import address_of, opened, report_of

# In one worker: each browser is started once, each report written once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("game_pages")]
SCORED = "p0-chess960-naked-agent-g00000"
CHESS, HOLDEM = "p1-chess960-naked-agent", "p1-holdem-naked-agent"
NO_MOVE = "I cannot see a move."
SMALL = {"width": 360, "height": 800}
LOW_CONTRAST = Path(__file__).with_name("contrast.js").read_text("utf-8")
BOXES = """() => [...document.querySelectorAll('.table, .controls, .moves, .graph')].map(one => {
    const box = one.getBoundingClientRect();
    return [one.className, ...[box.left, box.top + scrollY, box.width, box.height].map(Math.round)];
})"""


@pytest.fixture(scope="module", params=IN_CI, autouse=True)  # first of the fixtures: the outer loop
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a bundle whose games of chess have an engine's scores."""
    return report_of(GOLDEN / "bundle", tmp_path_factory.mktemp("golden") / "one.html")


@pytest.fixture(scope="module")
def spoiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a bundle whose model names no move at its second decision of a game, nor at its first of a hand."""
    seats = world_of(msgspec.convert(TINY, Plan), None)

    def answer(question: Question) -> Answer:
        given = seats(question)
        turn = 2 if "chess" in question.game else 0
        is_spoiled = isinstance(given, Reply) and question.turn == turn
        return msgspec.structs.replace(given, text=NO_MOVE) if is_spoiled else given

    folder = tmp_path_factory.mktemp("spoiled")
    return report_of(make(TINY_MODEL, folder, answer), folder / "one.html")


def numbers_of(page: Page) -> list[int]:
    return [int(re.findall(r"\d+", text)[0]) for text in page.locator(".list tbody th").all_inner_texts()]


# --- one game --------------------------------------------------------------------------------------


def test_the_bar_and_the_moves_have_the_engines_score_from_whites_side(browsers: Started, golden: Path) -> None:
    page, noted = opened(browsers, address_of(golden, f"g={SCORED}&k=3"))
    expect(page.locator("#view h1")).to_have_text(re.compile(r"^Game 1: agent wins by \w+ (in|after) \d+ moves?$"))
    score = re.compile(r"^([+-]\d+\.\d|#-?\d+)$")
    expect(page.locator(".bar-score")).to_have_text(score)
    shown = page.locator(".moves [aria-current] small").inner_text()
    assert shown == page.locator(".bar-score").inner_text()
    expect(page.locator(".graph svg")).to_have_attribute("aria-label", re.compile("The engine's score over the game"))
    expect(page.locator(".replay [role=status]")).to_contain_text(shown)
    assert "for the side to move" not in page.locator("#view").inner_text()
    page.locator(".graph svg").click(position={"x": 1, "y": 20})
    expect(page.locator(".moves button").first).to_have_attribute("aria-current", "step")
    assert noted == []
    page.close()


def test_a_game_that_no_engine_looked_at_says_so(browsers: Started, spoiled: Path) -> None:
    page, noted = opened(browsers, address_of(spoiled, f"g={CHESS}-g00000"))
    expect(page.locator(".graph")).to_have_text("No evaluation: no engine looked at the positions of this game.")
    assert page.locator(".bar").count() == 0
    assert noted == []
    page.close()


def test_a_game_plays_by_itself_and_stops_at_a_key(browsers: Started, golden: Path) -> None:
    page, noted = opened(browsers, address_of(golden, f"g={SCORED}"))
    page.locator("#view h1").focus()
    page.keyboard.press("Space")
    assert page.locator(".controls .play").get_attribute("aria-label") == "Pause (space)"
    expect(page.locator(".moves button").first).not_to_have_attribute("aria-current", "step")
    page.keyboard.press("Home")
    expect(page.locator(".moves button").first).to_have_attribute("aria-current", "step")
    expect(page.get_by_label("Play (space)")).to_be_visible()
    page.get_by_label("Speed").select_option("400")
    page.get_by_label("Play (space)").click()
    expect(page.locator(".moves button").last).to_have_attribute("aria-current", "step")
    expect(page.get_by_label("Play (space)")).to_be_visible()
    assert noted == []
    page.close()


def test_an_unusable_answer_is_marked_with_why_wherever_it_shows(browsers: Started, spoiled: Path) -> None:
    page, noted = opened(browsers, address_of(spoiled, f"g={CHESS}-g00000&k=unusable"))
    expect(page.locator(".moves [aria-current]")).to_contain_text("unusable answer: no move named")
    expect(page.locator(".board .bad")).to_have_count(1)
    expect(page.locator(".fault-note")).to_contain_text("no line starts with MOVE:. A random legal move")
    expect(page.locator(".panel .reply").first).to_have_text(NO_MOVE)
    expect(page.locator(".counts")).to_contain_text("1 of 2 answers unusable")
    expect(page.locator(".replay [role=status]")).to_contain_text("unusable answer: no move named, replaced")
    page.keyboard.press("ArrowRight")
    assert page.locator(".fault-note").count() == 0
    expect(page.locator(".panel > .chat .reply .declared")).to_contain_text("MOVE:")
    page.keyboard.press("u")
    expect(page.locator(".fault-note")).to_be_visible()
    assert noted == []
    page.close()


def test_a_hand_ends_with_who_won_how_much_and_its_last_decision(browsers: Started, spoiled: Path) -> None:
    page, noted = opened(browsers, address_of(spoiled, f"g={HOLDEM}-h0000000"))
    expect(page.locator("#view h1")).to_have_text(re.compile(r"^Hand 1: (agent.* wins [\d.]+ bb|split pot.*)$"))
    expect(page.locator(".poker .dealer")).to_have_count(1)
    expect(page.locator(".poker .bet:not(.none)")).to_have_count(2)
    expect(page.locator(".panel .summary tbody tr")).to_have_count(2)
    page.keyboard.press("End")
    expect(page.locator(".poker .pot")).to_contain_text(re.compile("^pot of [0-9.]+ bb (won|split)$"))
    expect(page.locator(".poker .change")).to_have_count(2)
    expect(page.locator(".panel")).to_contain_text("The last decision")
    expect(page.locator(".panel .reply").first).to_be_visible()
    assert not re.search("behind|Nothing was asked", page.locator("#view").inner_text())
    assert noted == []
    page.close()


@pytest.mark.parametrize("viewport", [SMALL, {"width": 1280, "height": 900}], ids=["phone", "desk"])
def test_nothing_moves_while_stepping_and_nothing_is_too_wide(
    viewport: dict[str, int], browsers: Started, golden: Path, spoiled: Path
) -> None:
    for file, game in ((golden, SCORED), (spoiled, f"{CHESS}-g00000"), (spoiled, f"{HOLDEM}-h0000000")):
        page, _ = opened(browsers, address_of(file, f"g={game}"), viewport=viewport)
        expect(page.locator("#view h1")).to_be_visible()
        before = page.evaluate(BOXES)
        for _ in range(min(8, page.locator(".moves button").count() - 1)):
            page.keyboard.press("ArrowRight")
            now = page.evaluate(BOXES)
            sticky = {"controls"} if viewport is SMALL else set()
            assert [box for box in now if box[0] not in sticky] == [box for box in before if box[0] not in sticky]
            assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        page.close()


@pytest.mark.parametrize("fragment", [f"g={CHESS}-g00000&k=1", f"g={HOLDEM}-h0000000&k=end", f"m={CHESS}&unusable=any"])
def test_what_is_pressed_is_large_enough_for_a_finger(fragment: str, browsers: Started, spoiled: Path) -> None:
    page, _ = opened(browsers, address_of(spoiled, fragment), viewport=SMALL)
    expect(page.locator("#view h1")).to_be_visible()
    pressed = page.locator("#view :is(button, select, summary, .chip, .sort, .beside)").all()
    boxes = [(one.inner_text(), one.bounding_box()) for one in pressed]
    assert len(boxes) > 8
    assert [words for words, box in boxes if box and box["height"] < 40] == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_of_a_game_and_a_list_has_contrast(
    scheme: str, browsers: Started, golden: Path, spoiled: Path
) -> None:
    shown = (
        (golden, f"g={SCORED}&k=5"),
        (spoiled, f"g={CHESS}-g00000&k=unusable"),
        (spoiled, f"g={HOLDEM}-h0000000&k=end"),
        (spoiled, f"m={HOLDEM}&unusable=any"),
    )
    for file, fragment in shown:
        page, _ = opened(browsers, address_of(file, fragment), scheme=scheme)
        expect(page.locator("#view h1")).to_be_visible()
        assert page.evaluate(LOW_CONTRAST) == []
        page.close()


def test_a_text_without_contrast_is_found(browsers: Started, golden: Path) -> None:
    page, _ = opened(browsers, address_of(golden, f"g={SCORED}&k=5"))
    expect(page.locator("#view h1")).to_be_visible()
    page.evaluate("document.querySelector('#view h1').style.color = 'color-mix(in srgb, #999 50%, transparent)'")
    assert [line.partition(":")[0] for line in page.evaluate(LOW_CONTRAST)] == ["game"]
    page.close()


# --- the list --------------------------------------------------------------------------------------


def test_a_list_is_put_in_order_and_shows_where_a_game_ended(browsers: Started, golden: Path) -> None:
    page, noted = opened(browsers, address_of(golden, "m=p0-chess960-naked-agent"))
    expect(page.locator(".small-board")).to_have_count(6)
    expect(page.locator(".small-board").first.locator("use")).not_to_have_count(0)
    page.get_by_role("link", name="Length").click()
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Length")
    lengths = [int(text.split()[0]) for text in page.locator(".list td.length").all_inner_texts()]
    assert lengths == sorted(lengths, reverse=True)
    expect(page.get_by_role("link", name="Length")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Length")
    order = numbers_of(page)
    page.locator(".list tbody a").first.click()
    expect(page.locator("#view h1")).to_contain_text(f"Game {order[0]}: ")
    page.keyboard.press("n")
    expect(page.locator("#view h1")).to_contain_text(f"Game {order[1]}: ")
    assert noted == []
    page.close()


def test_a_class_of_unusable_answers_leads_to_its_games_and_its_replies(browsers: Started, spoiled: Path) -> None:
    page, noted = opened(browsers, address_of(spoiled, f"m={CHESS}&unusable=no_action"))
    expect(page.locator(".list [role=status]")).to_have_text("2 of 2 games")
    expect(page.locator(".list td.count").first).to_contain_text("no move named")
    page.locator(".list tbody a").first.click()
    expect(page.locator(".fault-note")).to_contain_text("no move named")
    page.evaluate("fragment => { location.hash = fragment }", f"m={CHESS}&unusable=illegal")
    expect(page.locator(".list [role=status]")).to_have_text("0 of 2 games")
    page.evaluate("fragment => { location.hash = fragment }", f"m={CHESS}")
    page.get_by_role("link", name="no move named").first.click()
    assert "unusable=no_action&seat=a" in page.evaluate("location.hash")
    assert noted == []
    page.close()


def test_a_list_of_unusable_answers_of_a_match_without_any_is_empty(browsers: Started, golden: Path) -> None:
    page, _ = opened(browsers, address_of(golden, "m=p0-chess960-naked-agent&unusable=cut"))
    expect(page.locator(".list [role=status]")).to_have_text("0 of 6 games")
    expect(page.locator("select[name=unusable] option:checked")).to_have_text("cut (none here)")
    page.close()


@pytest.mark.parametrize("match", [CHESS, HOLDEM])
def test_a_list_fits_on_a_small_screen(match: str, browsers: Started, spoiled: Path) -> None:
    page, _ = opened(browsers, address_of(spoiled, f"m={match}"), viewport=SMALL)
    expect(page.locator(".list tbody tr").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"]
    assert page.evaluate("document.querySelector('.list .scroll').scrollWidth") <= SMALL["width"]
    page.close()
