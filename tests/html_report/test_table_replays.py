"""Replays of a table of many, of sit-and-gos and of Werewolf, in both browsers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.show.games_of_bundle import games_told
from agzamov_verify.show.replayed_game import PlayedGame
from browser import PROGRAMS, Started, started
from bundles.bundle_factory import make
from bundles.golden_arena import ARENA as RULES
from bundles.make_golden import GOLDEN
from html_report.in_browser import address_of, opened, report_of

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("table_replays")]
ARENA = GOLDEN.parent / "arena-0.1" / "bundle"

SEATS = ["agent", "dice", *(f"player_{number}" for number in range(2, 9))]
ROSTER = {name: {"kind": "reference" if number % 2 else "random"} for number, name in enumerate(SEATS)}
NINE = {"a": SEATS[0], "b": SEATS[1], "others": [{"seat": name} for name in SEATS[2:]]}
THREE = {"a": SEATS[0], "b": SEATS[1], "others": [{"seat": SEATS[2]}]}
TABLES = {
    **RULES,
    "title": "Tables",
    "seats": ROSTER,
    "holdem_ring": {"illegal": "retry_then_forfeit", "unit_decks": 1},
    "holdem_sit_and_go": {"illegal": "retry_then_forfeit", "stack_chips": 1000},
    "matches": [
        {"phase": 6, "game": "holdem_ring", **NINE, "hands": 9, "block_hands": 9},
        {"phase": 6, "game": "holdem_sit_and_go", **THREE, "sit_and_gos": 3, "block_sit_and_gos": 3},
    ],
}
OVERLAP = """
const seats = [...document.querySelectorAll('.ring-seat')].map((one) => one.getBoundingClientRect());
const room = document.querySelector('.ring-room').getBoundingClientRect();
const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
  && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
return seats.some((a, at) => seats.slice(at + 1).some((b) => meet(a, b)))
  || seats.some((one) => one.left < room.left || one.right > room.right);
"""
"""Whether a seat of the table covers another one, or stands out of its room."""


@pytest.fixture(scope="module", params=PROGRAMS, autouse=True)
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report_of(ARENA, tmp_path_factory.mktemp("golden") / "one.html")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle with hands of nine and sit-and-gos of three."""
    return make(TABLES, tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def tables_report(tables: Path) -> Path:
    return report_of(tables, tables.parents[1] / "one.html")


def played(bundle: Path, game: str, number: int = 0) -> PlayedGame:
    opened_bundle = open_bundle(bundle, CheckLog())
    match = next(one for one in opened_bundle.manifest.plan.matches if one.game == game)
    return list(games_told(opened_bundle, match))[number]


def at(browsers: Started, file: Path, one: PlayedGame, frame: int | str = 0) -> tuple[Page, list[str]]:
    page, noted = opened(browsers, address_of(file, f"g={one.record.game}&k={frame}"))
    expect(page.locator("#view h1")).to_be_visible()
    return page, noted


def test_a_table_of_four_is_replayed_from_the_blinds_to_the_pots(browsers: Started, golden: Path) -> None:
    one = played(ARENA, "holdem_ring")
    page, noted = at(browsers, golden, one)
    expect(page.locator(".ring-seat")).to_have_count(4)
    expect(page.locator(".ring-dealer")).to_have_count(1)
    expect(page.locator(".ring-bet")).to_have_text(["bet 0.5 bb", "bet 1 bb"])
    for acted in one.record.story.history:
        page.keyboard.press("ArrowRight")
        expect(page.locator(".ring-seat.acting .ring-name")).to_contain_text(one.placed[acted.player])
    page.keyboard.press("End")
    net = [f"{'+' if chips > 0 else ''}{chips / 100:g} bb" for chips in one.record.outcomes]
    for seat, words in zip(page.locator(".ring-seat .ring-did").all(), net, strict=True):
        expect(seat).to_contain_text(words)
    expect(page.locator(".ring-felt p")).to_have_text("Pots are paid")
    assert noted == []


@pytest.mark.parametrize("width", [800, 1280])
def test_no_seat_of_nine_covers_another(browsers: Started, tables: Path, tables_report: Path, width: int) -> None:
    one = played(tables, "holdem_ring")
    page, noted = at(browsers, tables_report, one)
    page.set_viewport_size({"width": width, "height": 900})
    expect(page.locator(".ring-seat")).to_have_count(9)
    for _ in range(len(one.record.story.history) + 2):
        assert not page.evaluate(f"(() => {{{OVERLAP}}})()"), page.url
        page.keyboard.press("ArrowRight")
    expect(page.locator(".ring-felt p")).to_have_text("Pots are paid")
    assert noted == []


@pytest.mark.parametrize("number", [0, 1])
def test_a_sit_and_go_is_replayed_hand_by_hand_to_its_order_of_finish(
    browsers: Started, tables: Path, tables_report: Path, number: int
) -> None:
    one = played(tables, "holdem_sit_and_go", number)
    page, noted = at(browsers, tables_report, one)
    acting, told = page.locator(".ring-seat.acting .ring-name"), page.locator(".ring-ended")
    hands = [(place, hand) for place, hand in enumerate(one.record.hands, start=1) if hand.story.history]
    expect(page.locator(".street h3")).to_have_text(
        [f"Hand {at}, blinds {one.big_blind_chips / 200:g} and {one.big_blind_chips / 100:g} bb" for at, one in hands]
    )
    for at_hand, hand in hands:
        expect(page.locator(".panel h2")).to_contain_text(f"Hand {at_hand}, ")
        for acted in hand.story.history:
            page.keyboard.press("ArrowRight")
            expect(acting).to_contain_text(one.placed[hand.places[acted.player]])
        lost = [place for place, had, net in zip(hand.places, hand.stacks, hand.net, strict=True) if had + net == 0]
        is_last = at_hand == len(one.record.hands)
        page.keyboard.press("End") if is_last else None
        expect(told).to_contain_text(f"Hand {at_hand}: ")
        for place in lost:
            expect(told).to_contain_text(one.placed[place])
    expect(page.locator(".ring-felt p")).to_have_text("Order of finish")
    finished = [f"finished {('1st', '2nd', '3rd')[rank - 1]}" for rank in one.record.ranks]
    expect(page.locator(".ring-did")).to_have_text(finished)
    assert noted == []


def test_the_table_turns(browsers: Started, golden: Path) -> None:
    page, noted = at(browsers, golden, played(ARENA, "holdem_ring"))
    first = page.locator(".ring-seat").first
    before = (first.bounding_box() or {})["y"]
    page.get_by_role("button", name="Turn").click()
    assert (first.bounding_box() or {})["y"] < before
    assert noted == []


def test_werewolf_is_replayed_with_its_dead_and_its_words(browsers: Started, golden: Path) -> None:
    one = played(ARENA, "werewolf")
    page, noted = at(browsers, golden, one)
    expect(page.locator(".villager")).to_have_count(8)
    expect(page.locator(".villager.dead")).to_have_count(0)
    expect(page.locator(".villager.is-wolf")).to_have_count(2)
    said = page.locator(".werewolf blockquote")
    last = page.locator(".moves button").last
    while not said.count() and last.get_attribute("aria-current") is None:
        page.keyboard.press("ArrowRight")
    expect(said).to_be_visible()
    page.keyboard.press("End")
    died = {night.died for night in one.record.nights} | {day.died for day in one.record.days}
    expect(page.locator(".villager.dead")).to_have_count(len([place for place in died if place >= 0]))
    assert noted == []
