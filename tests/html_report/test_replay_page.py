"""The replay of a game and the list of games in both browsers: X-ray, calls, filters, paper, phone, keyboard."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browser import IN_CI, Started, started
from html_report import called_tools
from html_report.in_browser import address_of, opened, report_of
from stack_world import CHESS, HANDS, bundle_of, plan_of

# In one worker: each browser is started once, each report written once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("replay_page")]
HAND = "p2-holdem-full_real_full-novice-habit"
GAME = "p2-chess960-full_real_full-novice-habit"
TOOLS, NOTES = "p2-chess960-tools_real_tools-agent-habit", "p2-chess960-memory_real_recent-agent-habit"
DECIDES = re.compile(r"^(agent decides after its tool's answer|habit answers)( · | )[0-9.]+ s$")
PHONE = {"width": 390, "height": 800}


@pytest.fixture(scope="module", params=IN_CI, autouse=True)  # first of the fixtures: the outer loop
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.fixture(scope="module")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a bundle with careers of a seat that has memory."""
    folder = tmp_path_factory.mktemp("memory")
    plan = plan_of({**HANDS, "hands": 16, "careers": 2}, {**CHESS, "careers": 2})
    return report_of(bundle_of(plan, folder), folder / "site")


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a bundle whose seat A calls tools itself."""
    folder = tmp_path_factory.mktemp("called")
    return report_of(called_tools.bundle_of(folder), folder / "one.html")


def forward(page: Page, wanted: str) -> Locator:
    """The first such thing from this frame of a game on."""
    expect(page.locator("#view h1")).to_be_visible()
    last = page.locator(".moves button").last
    while not page.locator(wanted).count() and last.get_attribute("aria-current") is None:
        page.keyboard.press("ArrowRight")
    return page.locator(wanted).first


def at_game(browsers: Started, file: Path, game: str, frame: int = 0, **options: object) -> tuple[Page, list[str]]:
    return opened(browsers, address_of(file, f"g={game}&k={frame}"), **options)


# --- Memory X-ray ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [f"{HAND}-h0000007", f"{GAME}-g00001"])
def test_an_entry_leads_to_the_last_position_of_the_game_after_which_it_was_kept(
    browsers: Started, remembered: Path, game: str
) -> None:
    page, noted = at_game(browsers, remembered, game)
    link = forward(page, ".xray a")
    expect(link).to_contain_text("e00001, kept at the end of")
    source = link.get_attribute("href")
    link.click()
    expect(page.locator(".result small")).to_have_text((source or "").removeprefix("#g=").removesuffix("&k=end"))
    expect(page.locator(".moves button").last).to_have_attribute("aria-current", "step")
    expect(page.locator(".notes")).to_contain_text("The memory of seat A stores e00001")
    assert noted == []
    page.close()


def test_an_entry_that_a_model_kept_during_a_game_leads_to_that_move(browsers: Started, called: Path) -> None:
    page, noted = at_game(browsers, called, f"{NOTES}-g00001")
    link = forward(page, ".xray a:has-text('e00001')")
    expect(link).to_contain_text("e00001, kept at action 1 of game 1")
    link.click()
    expect(page.locator("#view h1")).to_contain_text("Game 1: ")
    expect(page.locator(".result small")).to_have_text(f"{NOTES}-g00000")
    expect(page.locator(".moves button").nth(1)).to_have_attribute("aria-current", "step")
    expect(page.locator(".call").last).to_contain_text("memory_save")
    assert noted == []
    page.close()


@pytest.mark.parametrize(
    "game", ["p2-holdem-full_placebo_full-novice-habit-h0000007", "p2-chess960-full_placebo_full-novice-habit-g00001"]
)
def test_a_placebo_is_shown_as_it_stood_in_the_prompt_with_the_entry_that_it_stood_for(
    browsers: Started, remembered: Path, game: str
) -> None:
    page, noted = at_game(browsers, remembered, game)
    xray = forward(page, ".xray:has(.placebo)")
    expect(xray.locator("h3")).to_contain_text("A placebo stood in the place of")
    entry = xray.locator("li").first
    told = entry.locator(".placebo").inner_text()
    page.locator(".chat summary", has_text="Of its opponent").first.click()
    assert told.strip() in page.locator(".chat .prompt details[open] pre").first.inner_text()
    expect(entry).to_contain_text("in the place of its own entry e0000")
    entry.locator("summary").click()
    own = entry.locator("details pre").inner_text()
    assert own.strip()
    assert own != told
    assert noted == []
    page.close()


def test_the_placebo_of_a_search_that_a_model_made_is_shown_too(browsers: Started, called: Path) -> None:
    page, _ = at_game(browsers, called, "p2-holdem-memory_placebo_recent-agent-habit-h0000009")
    entry = forward(page, ".xray li:has(.placebo)")
    expect(entry).to_contain_text("told by the placebo")
    expect(entry).to_contain_text("in the place of its own entry")
    page.close()


def test_what_changes_without_the_entries_stands_beside_them(browsers: Started, remembered: Path, called: Path) -> None:
    page, _ = at_game(browsers, remembered, f"{HAND}-h0000007")
    effect = forward(page, ".xray:has(li) .effect")
    expect(effect.locator("dt").last).to_have_text("Taken out")
    expect(effect.locator("dd").last).to_have_text("the same")
    page.close()
    page, _ = at_game(browsers, called, f"{NOTES}-g00002")
    expect(forward(page, ".xray:has(li) .effect")).to_contain_text("It is a model")
    page.close()


# --- calls and steps -------------------------------------------------------------------------------


def test_the_decision_stands_first_and_what_led_to_it_is_named(browsers: Started, remembered: Path) -> None:
    page, noted = at_game(browsers, remembered, f"{HAND}-h0000007")
    forward(page, ".xray:has(li)")
    assert [part.get_attribute("class") for part in page.locator(".panel > *").all()] == [
        None,
        "chat",
        "xray ",
        "steps",
        "notes",
    ]
    expect(page.locator(".panel > .chat h3")).to_contain_text("novice decides")
    expect(page.locator(".panel > .chat .reply")).to_contain_text("ACTION:")
    expect(page.locator(".steps li h4 small").first).to_contain_text("asked which hands its tool shall compare")
    text = page.locator(".panel").inner_text()
    assert "attempt" not in text
    assert "is searched for" not in text
    assert "memory_a" not in text
    parts = page.locator(".panel > .chat .prompt summary")
    assert parts.locator(".by").all_inner_texts() == [f" added by {what}" for what in ("documents", "tools", "memory")]
    assert all(peek.strip() for peek in parts.locator(".peek").all_inner_texts())
    assert parts.locator("b").all_inner_texts() == [
        "Rules",
        "Situation",
        "Passages of its documents",
        "Its tool's answer",
        "Of its opponent",
        "How it is to answer",
    ]
    assert noted == []
    page.close()


@pytest.mark.parametrize(
    ("game", "name", "given", "told"),
    [
        (f"{TOOLS}-g00000", "compare_moves", "moves: ", "The engine Stockfish has examined the moves that you named"),
        ("p2-holdem-tools_real_tools-agent-habit-h0000000", "calculate_odds", "", "Equity against one random hand:"),
        (f"{NOTES}-g00001", "memory_save", "text: Opponent opened.", "Saved."),
    ],
)
def test_a_call_of_a_tool_is_a_step_with_its_arguments_and_what_it_told(
    browsers: Started, called: Path, game: str, name: str, given: str, told: str
) -> None:
    page, noted = at_game(browsers, called, game)
    call = forward(page, f".steps .call:has(code:text-is('{name}'))")
    if given:
        expect(call.locator(".given")).to_contain_text(given)
    else:
        expect(call).to_contain_text("without arguments")
    expect(call.locator(".told")).to_contain_text(told)
    expect(page.locator(".panel > .chat h3")).to_contain_text("after its tool's answer")
    assert noted == []
    page.close()


def test_a_planted_question_stands_apart_from_the_decision(browsers: Started, called: Path) -> None:
    # The plan's digest draws where it is planted: in any hand, at a decision of either seat.
    for hand in range(called_tools.SIZES["holdem"]["hands"]):
        page, noted = at_game(browsers, called, f"p2-holdem-tools_real_tools-agent-habit-h{hand:07}")
        planted = forward(page, ".steps:has(h3:text-is('Beside the game'))")
        if planted.count():
            break
        page.close()
    expect(planted.locator("h4").first).to_contain_text("planted: no part of the game")
    expect(page.locator(".panel > .chat h3")).to_have_text(DECIDES)
    assert noted == []
    page.close()


def test_what_a_search_told_is_not_repeated_where_the_xray_lists_it(browsers: Started, called: Path) -> None:
    page, _ = at_game(browsers, called, f"{NOTES}-g00002")
    forward(page, ".xray:has(li)")
    searched = page.locator(".call:has(code:text-is('memory_search'))")
    expect(searched).to_contain_text("It was told what stands above")
    assert searched.locator(".told").count() == 0
    page.close()


def test_a_rejected_reply_and_the_question_after_it_are_named(browsers: Started, called: Path) -> None:
    page, _ = at_game(browsers, called, "p2-chess960-tools_naked-agent-habit-g00000", 3)
    expect(page.locator(".panel > .chat h3 small")).to_contain_text("asked again, for its reply was rejected:")
    expect(page.locator(".steps .reply").first).to_have_text(called_tools.PASSES)
    page.close()


def test_what_was_asked_after_the_contest_stands_at_its_end(browsers: Started, called: Path) -> None:
    page, _ = opened(browsers, address_of(called, f"g={NOTES}-g00000&k=end"))
    expect(page.locator(".steps", has_text="After the game")).to_contain_text("asked after the contest what to keep")
    page.close()


# --- the list --------------------------------------------------------------------------------------


def test_a_list_turns_to_another_condition_and_keeps_its_filters(browsers: Started, remembered: Path) -> None:
    page, noted = opened(browsers, address_of(remembered, f"m={HAND}&result=won&end=showdown&career=2"))
    other = HAND.replace("real", "placebo")
    page.locator("select[name=m]").focus()
    page.locator("select[name=m]").select_option(other)
    expect(page.locator("#view h1")).to_contain_text("placebo")
    assert page.evaluate("location.hash") == f"#m={other}&result=won&end=showdown&career=2"
    chosen = [page.locator(f"select[name={name}]").input_value() for name in ("result", "end", "career")]
    assert chosen == ["won", "showdown", "2"]
    for row in page.locator(".list tbody tr").all():
        expect(row.locator("th")).to_contain_text("career 2")
        expect(row.locator(".outcome")).to_contain_text("won +")
        expect(row.locator(".ending")).to_have_text("showdown")
    expect(page.locator("select[name=m]")).to_be_focused()
    assert noted == []
    page.close()


def test_a_filter_that_a_match_does_not_have_is_said_and_leaves_nothing(browsers: Started, remembered: Path) -> None:
    page, _ = opened(browsers, address_of(remembered, f"m={HAND}&end=checkmate"))
    expect(page.locator(".list [role=status]")).to_have_text("0 of 16 hands")
    expect(page.locator("select[name=end] option:checked")).to_have_text("checkmate (none here)")
    page.close()


# --- paper, phone, keyboard ------------------------------------------------------------------------


@pytest.mark.parametrize("game", [f"{HAND}-h0000007", f"{GAME}-g00001"])
def test_an_open_game_and_a_list_are_printed(browsers: Started, remembered: Path, game: str) -> None:
    """The rules for paper hid both, so that one page with nothing but the head came out."""
    page, _ = at_game(browsers, remembered, game, 2)
    expect(page.locator(".replay .table")).to_be_visible()
    page.emulate_media(media="print")
    if not page.evaluate("matchMedia('print').matches"):
        page.close()
        pytest.skip("this browser cannot be told over its protocol to draw for paper")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for part in ("#view h1", ".replay .table", ".reply", ".moves", ".prompt pre"):
        expect(page.locator(part).first).to_be_visible()
    for part in (".controls", ".filters", "#overview"):
        assert not page.locator(part).first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".prompt pre").first).to_be_hidden()
    page.evaluate("fragment => { location.hash = fragment }", f"m={HAND}")
    expect(page.locator(".list tbody tr")).to_have_count(16)
    expect(page.locator(".list tbody tr").last).to_be_visible()
    page.close()


@pytest.mark.parametrize("game", [f"{TOOLS}-g00000", "p2-holdem-memory_placebo_recent-agent-habit-h0000009"])
def test_a_replay_fits_on_a_phone_with_its_steps_at_hand(browsers: Started, called: Path, game: str) -> None:
    page, _ = at_game(browsers, called, game, viewport=PHONE)
    expect(page.locator("#view h1")).to_be_visible()
    for _ in page.locator(".moves button").all():
        page.evaluate("for (const one of document.querySelectorAll('.panel details')) one.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        for button in page.locator(".controls button").all():
            box = button.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= 44
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.evaluate("document.querySelector('.panel').scrollIntoView({behavior: 'instant'})")
    expect(page.locator(".controls")).to_be_in_viewport()
    expect(page.locator(".panel > .chat .reply")).to_be_in_viewport()
    page.evaluate("fragment => { location.hash = fragment }", f"m={NOTES}")
    expect(page.locator(".list")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.close()


def test_every_control_of_a_replay_has_a_name_and_its_focus_is_seen(browsers: Started, remembered: Path) -> None:
    page, noted = at_game(browsers, remembered, f"{HAND}-h0000007", 2)
    expect(page.locator("#view h1")).to_be_focused()
    seen = set()
    for _ in range(14):
        page.keyboard.press("Tab")
        name, words, outline = page.evaluate(
            "(one => [one.tagName, one.ariaLabel || one.textContent, getComputedStyle(one).outlineStyle])"
            "(document.activeElement)"
        )
        assert words.strip()
        assert outline == "solid", (name, words)
        seen.add(words)
    assert {"Start (Home)", "One back (left arrow)", "One forward (right arrow)", "End (End)"} <= seen
    expect(page.get_by_role("group", name="Steps of the game")).to_be_visible()
    expect(page.get_by_role("region", name="What was asked and answered")).to_be_visible()
    expect(page.locator(".replay [role=status]")).not_to_be_empty()
    assert noted == []
    page.close()
