"""A person who hears the page: a whole game by the accessibility tree and the keyboard alone, in both browsers.

No screen reader runs here. The tree is what one reads: Playwright's snapshot of roles, names and states (WAI-ARIA 1.2,
Accessible Name and Description Computation 1.2), and in Chromium the browser's own tree beside it.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from playwright.sync_api import Page, expect

from agzamov_harness.people import people_server
from agzamov_verify.checks.steps import Options, verify
from browser import PROGRAMS, Started, started
from harness.person_at_page import Json
from harness.runs_of_people import playing, sealed
from harness.test_human_seat import CHESS
from harness.test_people_page import accept, hands, opened, wait_for
from harness.test_people_page import chess as plan_of_chess

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("people_page")]
CELL = re.compile(r'gridcell "([a-h][1-8]) (white|black) (king|queen|rook|bishop|knight|pawn)[",]')
PLIES = 4
IN_CI = [pytest.param(name, marks=[pytest.mark.exhaustive] if name == "firefox" else []) for name in PROGRAMS]


@pytest.fixture(scope="module", params=IN_CI)
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those, pytest.MonkeyPatch.context() as patched:
        patched.setattr(people_server, "WAIT_S", 1.0)
        yield those


def plan() -> Json:
    """Two games: the first ends by the limit, the second by a draw that the opponent takes."""
    rules = {**CHESS, "plies_max": PLIES, "draw_offers": {"plies_min": 1, "threshold_centipawns": 10_000}}
    return {**plan_of_chess("chess"), "chess": rules}


def heard(tab: Page) -> str:
    """The tree as text."""
    return tab.locator("body").aria_snapshot()


def status(tab: Page) -> str:
    """What was announced last of the turn."""
    return tab.locator("[role=status]").first.inner_text()  # also while the end of a game is shown in its place


def board_heard(tab: Page) -> chess.Board:
    """The position by the names of the squares; castling and en passant are not told there."""
    board = chess.Board(None)
    for name, colour, piece in CELL.findall(heard(tab)):
        kind = chess.PIECE_NAMES.index(piece)
        board.set_piece_at(chess.parse_square(name), chess.Piece(kind, colour == "white"))
    board.turn = "with White" in status(tab)
    return board


def focused_name(tab: Page) -> str:
    return str(tab.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"))


def tab_to(tab: Page, name: str) -> None:
    """Press Tab until what is focused has this name."""
    for _ in range(40):
        if focused_name(tab).startswith(name):
            return
        tab.keyboard.press("Tab")
    raise AssertionError(f"no way to {name} by Tab: {heard(tab)}")


def move_by_arrows(tab: Page, move: chess.Move) -> None:
    """Take the piece up and put it down; both are announced."""
    while tab.evaluate("document.activeElement.getAttribute('role')") != "gridcell":
        tab.keyboard.press("Tab")
    for square in (move.from_square, move.to_square):
        wanted = chess.square_name(square)
        while (at := focused_name(tab)[:2]) != wanted:
            right, up = ord(wanted[0]) - ord(at[0]), int(wanted[1]) - int(at[1])
            flipped = -1 if tab.evaluate("play.chess.flipped") else 1
            sideways = "ArrowRight" if right * flipped > 0 else "ArrowLeft"
            tab.keyboard.press(sideways if right else "ArrowUp" if up * flipped > 0 else "ArrowDown")
        if square == move.from_square:
            tab.keyboard.press("Enter")
            announced = tab.locator("#announced").inner_text()
            assert re.match(f"{wanted} (white|black) [a-z]+ taken up. It can go to ", announced), announced
            assert chess.square_name(move.to_square) in announced
            assert f'gridcell "{focused_name(tab)}" [selected]' in heard(tab)
        else:
            assert focused_name(tab).endswith("can be moved to")
            tab.keyboard.press("Enter")


def replied(tab: Page, before: str) -> None:
    """Wait until another turn, or the end, is announced."""
    wait_for(lambda: tab.locator("#result").is_visible() or (status(tab) != before and "Your move" in status(tab)))


def quiet_move(board: chess.Board) -> chess.Move:
    """A legal move, whatever the rights to castle are: of a pawn or a knight, in a check perhaps of another piece."""
    kinds = (chess.PAWN, chess.KNIGHT)
    moves = [move for move in board.legal_moves if not move.promotion and not board.is_castling(move)]
    return min(moves, key=lambda move: board.piece_type_at(move.from_square) not in kinds)


def test_a_whole_game_is_played_by_what_is_heard_and_keys_alone(browsers: Started, tmp_path: Path) -> None:
    with playing(sealed(plan(), tmp_path)) as running:
        tab, noted = opened(browsers, running)
        expect(tab.get_by_role("heading", name="Before you play")).to_be_focused()
        tab_to(tab, "I have read this and want to play")
        tab.keyboard.press("Enter")
        wait_for(lambda: "Your move with White." in status(tab))
        moves = 0
        while not tab.locator("#result").is_visible():
            before = status(tab)
            move_by_arrows(tab, quiet_move(board_heard(tab)))
            moves += 1
            replied(tab, before)
            if moves == 1:
                assert re.match(r"dice: \d+… \S+\. Your move with White\.", status(tab))
        told = heard(tab)
        assert re.search(r'heading "A draw: game 1 of 2"', told)
        assert moves == PLIES // 2
        next_game = tab.get_by_role("button", name="Next game (Enter)")
        expect(next_game).to_be_focused()
        expect(next_game).to_have_accessible_description(re.compile("A draw: game 1 of 2 .*by the limit on the length"))
        tab.keyboard.press("Enter")
        wait_for(lambda: "Your move with Black." in status(tab))
        offer_a_draw(tab)
        tab.keyboard.press("Enter")
        expect(tab.get_by_role("heading", name="No more games")).to_be_focused()
        assert noted == []
        tab.close()
    assert verify(running.bundle, Options(None)).level == "V1"


def offer_a_draw(tab: Page) -> None:
    """A wrong move is told; then a draw is offered with a right one, and taken."""
    tab_to(tab, "Offer a draw with this move")
    tab.keyboard.press("Enter")
    assert 'button "Offer a draw with this move" [pressed]' in heard(tab)
    field = tab.get_by_role("textbox", name="Type a move")
    field.focus()
    tab.keyboard.type("Ka9")
    tab.keyboard.press("Enter")
    note = tab.locator("#move-note")
    expect(note).to_have_text("Ka9 is not one legal move here")
    expect(note).to_have_attribute("aria-live", "polite")
    expect(field).to_have_accessible_description("Ka9 is not one legal move here")
    field.fill("")
    tab.keyboard.type(quiet_move(board_heard(tab)).uci())
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="A draw: game 2 of 2")).to_be_visible()
    assert "by agreement" in heard(tab)


def test_a_lost_connection_and_a_refused_move_are_alerts(browsers: Started, tmp_path: Path) -> None:
    with playing(sealed(plan(), tmp_path)) as running:
        tab, _ = opened(browsers, running)
        accept(tab)
        wait_for(lambda: "Your move" in status(tab))
        tab.evaluate("play.answer('e9e9')")
        expect(tab.get_by_role("alert")).to_have_text("Not taken: that is not legal here.")
        tab.context.set_offline(offline=True)
        expect(tab.get_by_role("alert").first).to_contain_text("The connection is lost.")
        tab.context.set_offline(offline=False)
        expect(tab.locator("#lost")).to_be_hidden()
        tab.close()
        running.stop_and_read()


def test_a_table_of_cards_is_heard(browsers: Started, tmp_path: Path) -> None:
    with playing(sealed(hands(2), tmp_path)) as running:
        tab, _ = opened(browsers, running)
        accept(tab)
        wait_for(lambda: "Your turn, preflop." in status(tab))
        told = heard(tab)
        assert len(re.findall("of (?:clubs|diamonds|hearts|spades)", told)) == 2  # one's own cards alone
        for words in (
            "cards not seen yet",
            "pot 1.5 bb",
            'button "Fold (F)"',
            'slider "Size of the bet in BB"',
            "to act",
        ):
            assert words in told, told
        tab.keyboard.press("f")
        expect(tab.get_by_role("heading", name="You lost: hand 1 of 2")).to_be_visible()
        tab.close()
        running.stop_and_read()


def test_chromium_tells_the_same_by_its_own_tree(browsers: Started, tmp_path: Path) -> None:
    if browsers.name != "chromium":
        pytest.skip("the tree of a browser's own is told by Chromium alone")
    with playing(sealed(plan(), tmp_path)) as running:
        tab, _ = opened(browsers, running)
        accept(tab)
        wait_for(lambda: "Your move" in status(tab))
        nodes = tab.context.new_cdp_session(tab).send("Accessibility.getFullAXTree")["nodes"]
        named = {(node["role"]["value"], node["name"]["value"]) for node in nodes if "name" in node and "role" in node}
        assert {("gridcell", "e1 white king"), ("grid", "Board"), ("textbox", "Type a move")} <= named
        live = [
            node
            for node in nodes
            if any(one["name"] == "live" and one["value"]["value"] == "polite" for one in node.get("properties", ()))
        ]
        assert {node["role"]["value"] for node in live} >= {"status"}
        tab.close()
        running.stop_and_read()
