"""The image that a seat was shown, in the replay of its game: pixel by pixel what was asked, in both browsers."""

import base64
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from playwright.sync_api import Locator, Page, expect

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.core.questions import Answer, Chat, Planted, Question, Reply
from agzamov_verify.core.shown import Shown
from agzamov_verify.games.chess.board_picture import ChessPictures
from agzamov_verify.show.games_of_bundle import played_in
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.table.pictures import PictureStyle, image_line
from browser import IN_CI, Started, started
from bundles.bundle_factory import make
from bundles.eccentric_seat import ENDPOINT, draw_of, random_action
from bundles.golden_arena import ARENA, RULES
from html_report.in_browser import address_of, opened, report_of

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("shown_pictures")]
PLAN = {
    **ARENA,
    "title": "One sees, one reads",
    "seats": {
        "seeing": {**ENDPOINT, "image_input": {"style": "discs"}},
        "figures": {**ENDPOINT, "image_input": {"style": "figures"}},
    },
    "chess": {**RULES["chess"], "plies_max": 6},
    "matches": [{"phase": 6, "game": "chess", "a": "seeing", "b": "figures", "games": 2}],
}
PIXELS = """canvas => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let letters = '';
  for (let at = 0; at < data.length; at += 8192) letters += String.fromCharCode(...data.subarray(at, at + 8192));
  return btoa(letters);
}"""
"""Red, green, blue and opacity of each pixel, as base64: a list of a million numbers takes seconds on its way."""


@pytest.fixture(scope="module", params=IN_CI, autouse=True)
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


def legal(question: Question) -> Answer:
    """A random legal move of whatever board the image shows."""
    assert isinstance(question, Chat)
    return Reply(text=random_action(*question.messages[:2], draw_of(question)))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(PLAN, tmp_path_factory.mktemp("seen"), legal)


@pytest.fixture(scope="module")
def report(bundle: Path) -> Path:
    return report_of(bundle, bundle.parents[1] / "one.html")


def at_step(browsers: Started, report: Path, one: PlayedGame) -> tuple[Page, list[str]]:
    page, noted = opened(browsers, address_of(report, f"g={one.record.game}&k=0"))
    expect(page.locator("#view h1")).to_be_visible()
    return page, noted


@pytest.mark.parametrize("number", [0, 1])
def test_each_decision_has_the_picture_that_was_asked_to_the_pixel(
    browsers: Started, bundle: Path, report: Path, number: int
) -> None:
    one = played_in(open_bundle(bundle, CheckLog()), f"p6-chess-naked-seeing-figures-g{number:05d}")
    page, noted = at_step(browsers, report, one)
    board, decisions = chess.Board(one.record.start_fen), asked(one, "MOVE:")
    for question, move in zip(decisions, one.record.moves, strict=True):
        page.keyboard.press("ArrowRight")
        (shown,) = question.messages[1].shown
        assert shown.of == board.board_fen()
        expect(page.locator(".panel > .chat h3")).to_contain_text(question.to)
        canvas = page.locator(".panel > .chat .shown canvas")
        expect(canvas).to_have_count(1)
        assert image_line(shown) == canvas.get_attribute("aria-label")
        assert colours_of(canvas) == asked_colours(shown)
        board.push_uci(move)
    assert noted == []
    page.close()


def test_the_read_back_has_its_picture_too(browsers: Started, bundle: Path, report: Path) -> None:
    one = played_in(open_bundle(bundle, CheckLog()), "p6-chess-naked-seeing-figures-g00000")
    read_backs = asked(one, "BOARD:")
    assert read_backs
    page, noted = at_step(browsers, report, one)
    page.keyboard.press("ArrowRight")
    for question in read_backs:
        (shown,) = question.messages[1].shown
        canvas = page.locator(f".steps .shown canvas[aria-label='{image_line(shown)}']")
        expect(canvas).to_have_count(1)
        assert colours_of(canvas) == asked_colours(shown)
    assert noted == []
    page.close()


def asked(one: PlayedGame, tag: str) -> list[Chat]:
    """The questions of a game whose answers have this tag, without those that were planted beside it."""
    chats = (question for question, _ in one.asked if isinstance(question, Chat) and not isinstance(question, Planted))
    return [question for question in chats if tag in question.messages[0].content]


def colours_of(canvas: Locator) -> bytes:
    """Red, green, blue and opacity of each pixel of a canvas, by rows."""
    return base64.b64decode(canvas.evaluate(PIXELS))


def asked_colours(shown: Shown) -> bytes:
    """The same of a picture that was asked about, whose digest is the question's; nothing of it is see-through."""
    picture = ChessPictures("chess").drawn(shown.of, PictureStyle(shown.style))
    assert picture.sha256 == shown.sha256
    return b"".join(bytes((*picture.palette[pixel], 255)) for pixel in picture.pixels)
