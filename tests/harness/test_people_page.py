"""The page of a person in Chromium and Firefox, as a person plays: by tap, drag, keys and typing, to the end."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from agzamov_harness.people import people_server
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.questions import Message
from agzamov_verify.games.chess.person_moves import chess_choices
from agzamov_verify.games.chess.prompt import PromptStyle, turn_message
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.chess.variants import CHESS960, STANDARD
from agzamov_verify.show.views import VIEWS
from browser import IN_CI, PROGRAMS, Started, noting, started
from harness.person_at_page import Json
from harness.runs_of_people import Running, playing, sealed
from harness.test_human_seat import CHESS, PLAN
from harness.test_watch_page import low_contrasts

# In one worker: each browser is started once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("people_page")]
LONG = {**CHESS, "plies_max": 400}
GAMES: Json = {**PLAN, "chess": LONG, "chess960": LONG, "holdem": {**PLAN["holdem"], "session_hands": 20}}
REFERENCE = {"anna": {"kind": "human"}, "reference": {"kind": "reference"}}
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module", params=IN_CI)
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.fixture(scope="module", autouse=True)
def short_waits() -> Iterator[None]:
    """A page asks anew each second: one that asked a run that has ended would wait 20 s for its thread, twice."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(people_server, "WAIT_S", 1.0)
        yield


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A run whose person has accepted and makes no move."""
    with playing(sealed(chess(), tmp_path_factory.mktemp("asked"))) as running:
        running.person.accept()
        running.person.at("question")
        yield running
        running.stop_and_read()


MERGED = "((old, one) => ({ ...old, ...one, game: { ...old.game, ...one.game } }))"


def chess(game: str = "chess960", opponent: str = "dice", games: int = 2) -> Json:
    seats = {**GAMES["seats"], **REFERENCE} if opponent == "reference" else GAMES["seats"]
    seats = {name: seats[name] for name in ("anna", opponent)}
    one = {"phase": 6, "game": game, "a": "anna", "b": opponent, "games": games, "block_games": 2}
    return {**GAMES, "seats": seats, "matches": [one]}


def hands(count: int) -> Json:
    one = {"phase": 6, "game": "holdem", "a": "anna", "b": "dice", "hands": count, "block_hands": count}
    return {**GAMES, "holdem": {**GAMES["holdem"], "session_hands": count}, "matches": [one]}


def opened(browsers: Started, running: Running, scheme: str = "light", **viewport: int) -> tuple[Page, list[str]]:
    tab = browsers.page(scheme, viewport=viewport or {"width": 1100, "height": 900})
    noted = noting(tab)
    tab.goto(running.url)
    return tab, noted


def state_of(tab: Page) -> Json:
    state: Json = tab.evaluate("fetch('state.json').then((told) => told.json())")
    return state


def accept(tab: Page) -> None:
    tab.get_by_role("button", name="I have read this and want to play").click()


def square(tab: Page, name: str) -> object:
    return tab.locator(f"#scene td[data-square={name}]")


def wait_for(condition: Callable[[], object]) -> None:
    """Ask again and again: a page that may evaluate no text cannot be told to wait by one."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def drawn(tab: Page, state: Json) -> None:
    """Wait until the page shows this state."""
    wait_for(lambda: tab.evaluate("play.state.version") >= state["version"])


def moved(tab: Page, before: Json) -> Json:
    """The state once the question of `before` is over, as the page shows it."""
    states = [before]

    def is_over() -> bool:
        states.append(state_of(tab))
        return states[-1].get("question", before["question"])["id"] != before["question"]["id"]

    wait_for(lambda: is_over() or states[-1]["step"] in {"result", "over"})
    drawn(tab, states[-1])
    return states[-1]


def adventurous(state: Json) -> Json:
    """A move that brings out the king, and so brings the game to its end soon."""
    moves: list[Json] = state["question"]["choices"]["moves"]
    return max(moves, key=lambda move: (move["san"].startswith("K"), move["to"][0][1], move["action"]))


@pytest.mark.parametrize("browsers", PROGRAMS, indirect=True)  # one whole game in the second browser too
def test_a_whole_game_of_chess_is_played_by_tap_to_its_end(browsers: Started, tmp_path: Path) -> None:
    """Against the reference player, whose mates end it; the second game is resigned."""
    with playing(sealed(chess("chess", "reference"), tmp_path)) as running:
        tab, noted = opened(browsers, running)
        accept(tab)
        tab.locator("#scene table.board").wait_for()
        while (state := state_of(tab))["step"] != "result":
            drawn(tab, state)
            if state["step"] == "question":
                move = adventurous(state)
                square(tab, move["from"]).click()
                square(tab, move["to"][0]).click()
                if move["promotion"]:
                    tab.locator(f"[data-promotion={move['promotion']}]").click()
                moved(tab, state)
        drawn(tab, state)
        expect(tab.locator("#result-title")).to_have_text("You lost: game 1 of 2")
        expect(tab.locator("#result-words")).to_contain_text("by checkmate")
        expect(tab.locator("#next")).to_be_focused()
        tab.keyboard.press("Enter")
        expect(tab.locator("#title")).to_contain_text("game 2 of 2, against reference (scripted reference player)")
        expect(tab.locator("#status")).to_contain_text("Your move with Black")
        tab.locator("#resign").click()
        expect(tab.locator("#resign")).to_have_text("Resign: press again")
        tab.locator("#resign").click()
        expect(tab.locator("#result-words")).to_contain_text("you resigned")
        tab.keyboard.press("Enter")
        expect(tab.locator("#over-words")).to_contain_text("All games are played.")
        assert noted == []
        tab.close()
    assert verify(running.bundle, Options(None)).level == "V1"


def test_a_session_of_hands_is_played_by_keys_to_its_end(browsers: Started, tmp_path: Path) -> None:
    with playing(sealed(hands(20), tmp_path)) as running:
        tab, noted = opened(browsers, running, "dark", **PHONE)
        accept(tab)
        number = 0
        while (state := tab.evaluate("play.state"))["step"] != "over":  # the program ends once the page has read that
            if state["step"] == "result":
                tab.keyboard.press("Enter")
                wait_for(lambda: tab.evaluate("play.state.version") > state["version"])
            elif state["step"] == "question":
                number += 1
                keys = ["c"] if number % 4 else ["2", "r"] if state["question"]["choices"]["size"] else ["c"]
                for key in keys:
                    tab.keyboard.press(key)
                moved(tab, state)
        expect(tab.locator("#over-words")).to_contain_text("All games are played.")
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert noted == []
        tab.close()
    assert state["done"] == 20
    assert verify(running.bundle, Options(None)).level == "V1"


def test_a_first_press_of_resign_counts_its_own_four_seconds(browsers: Started, running: Running) -> None:
    """The four seconds of an earlier press, after which a move was made, took this one back."""
    tab = browsers.page(viewport={"width": 1100, "height": 900})
    tab.clock.install()
    tab.goto(running.url)
    resign = tab.locator("#resign")
    resign.click()
    tab.evaluate("play.disarm()")
    tab.clock.run_for(3_000)
    resign.click()
    tab.clock.run_for(1_500)
    expect(resign).to_have_text("Resign: press again")
    tab.clock.run_for(4_000)
    expect(resign).to_have_text("Resign")
    tab.close()


def test_a_move_is_dragged_typed_and_made_with_the_arrow_keys(browsers: Started, tmp_path: Path) -> None:
    with playing(sealed(chess("chess"), tmp_path)) as running:
        tab, noted = opened(browsers, running)
        accept(tab)
        tab.locator("#scene table.board").wait_for()
        for how in (by_drag, by_typing, by_arrows):
            state = state_of(tab)
            drawn(tab, state)
            move = next(one for one in state["question"]["choices"]["moves"] if one["san"][0] in "abcdefghN")
            how(tab, move)
            after = moved(tab, state)
            assert moves_so_far(after)[-2] == move["action"]
            focused = {by_drag: "#scene td:focus", by_typing: "#move:focus", by_arrows: "#scene td:focus"}[how]
            expect(tab.locator(focused)).to_have_count(1)
        assert noted == []
        tab.close()
        running.stop_and_read()


def moves_so_far(state: Json) -> list[str]:
    line = str(state["question"]["prompt"]).partition("Moves so far: ")[2]
    return line.partition("\n")[0].split()


def by_drag(tab: Page, move: Json) -> None:
    tab.locator(f"#scene td[data-square={move['from']}]").hover()
    tab.mouse.down()
    box = tab.locator(f"#scene td[data-square={move['to'][0]}]").bounding_box()
    assert box
    tab.mouse.move(box["x"] + 5, box["y"] + 5, steps=3)
    assert tab.locator(".drag").count() == 1
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
    tab.mouse.up()


def by_typing(tab: Page, move: Json) -> None:
    tab.locator("#move").fill("Ka9")
    tab.keyboard.press("Enter")
    expect(tab.locator("#move-note")).to_have_text("Ka9 is not one legal move here")
    tab.locator("#move").fill(move["san"])
    tab.keyboard.press("Enter")


def by_arrows(tab: Page, move: Json) -> None:
    tab.locator("#scene td[tabindex='0']").focus()
    for target in (move["from"], move["to"][0]):
        while (at := tab.evaluate("document.activeElement.dataset.square")) != target:
            right, up = ord(target[0]) - ord(at[0]), int(target[1]) - int(at[1])
            tab.keyboard.press(
                "ArrowRight" if right > 0 else "ArrowLeft" if right else "ArrowUp" if up > 0 else "ArrowDown"
            )
        tab.keyboard.press("Enter")
        if target == move["from"]:
            selected = tab.locator(f"#scene td[data-square={target}]")
            assert "taken up" in (selected.get_attribute("aria-label") or "")


def test_a_reload_a_second_tab_and_a_move_sent_twice(browsers: Started, tmp_path: Path) -> None:
    with playing(sealed(chess(), tmp_path)) as running:
        tab, noted = opened(browsers, running)
        accept(tab)
        tab.locator("#scene table.board").wait_for()
        second, noted_too = opened(browsers, running)
        second.locator("#scene table.board").wait_for()
        state = state_of(tab)
        drawn(tab, state)
        move = state["question"]["choices"]["moves"][0]
        tab.evaluate("(action) => { play.answer(action); play.answer(action); }", move["action"])
        after = moved(tab, state)
        drawn(second, after)
        assert state_of(second)["question"]["id"] == after["question"]["id"]
        tab.reload()
        tab.locator("#scene table.board").wait_for()
        assert state_of(tab)["question"]["id"] == after["question"]["id"]
        body = json.dumps(
            {"question": state["question"]["id"], "action": after["question"]["choices"]["moves"][0]["action"]}
        )
        told = tab.evaluate(
            "(body) => fetch('answer', {method: 'POST', body, headers: {'Content-Type': 'application/json'}})"
            ".then((told) => told.json())",
            body,
        )
        assert told["why"] == "another move was sent for this position already"
        assert [note for note in noted if "409" not in note] == noted_too == []
        tab.close()
        second.close()
        running.stop_and_read()


def test_a_lost_connection_is_told_and_the_game_goes_on_once_it_is_back(browsers: Started, tmp_path: Path) -> None:
    """The move is sent while nothing answers; the run is stopped and resumed at the same port meanwhile."""
    run = sealed(chess(), tmp_path)
    with playing(run) as first:
        tab, _ = opened(browsers, first)
        accept(tab)
        tab.locator("#scene table.board").wait_for()
        before, port = state_of(tab), int(first.person.host.rpartition(":")[2])
        tab.context.set_offline(offline=True)
        move = before["question"]["choices"]["moves"][0]
        tab.locator(f"#scene td[data-square={move['from']}]").click()
        tab.locator(f"#scene td[data-square={move['to'][0]}]").click()
        expect(tab.locator("#lost")).to_be_visible()
        first.stop_and_read()
    with playing(run, port) as second:
        tab.context.set_offline(offline=False)
        expect(tab.locator("#lost")).to_be_hidden()
        asked = before["question"]["id"]
        after = second.person.until(lambda state: state["step"] == "question" and state["question"]["id"] != asked)
        assert moves_so_far(after)[:-1] == [move["action"]]
        drawn(tab, after)
        tab.close()
        second.stop_and_read()


def test_a_page_that_was_told_of_a_stop_goes_on_after_it_by_itself(browsers: Started, tmp_path: Path) -> None:
    run = sealed(chess(), tmp_path)
    with playing(run) as first:
        tab, _ = opened(browsers, first)
        accept(tab)
        tab.locator("#scene table.board").wait_for()
        before, port = state_of(tab), int(first.person.host.rpartition(":")[2])
        first.stop.request("stopped by the test", as_asked=True)
        expect(tab.locator("#over-words")).to_contain_text("The run has stopped. Whoever runs it sees why")
    with playing(run, port) as second:
        expect(tab.locator("#scene table.board")).to_be_visible()
        assert state_of(tab)["question"]["id"] == before["question"]["id"]
        tab.close()
        second.stop_and_read()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_has_everything_in_sight_and_in_contrast(scheme: str, browsers: Started, tmp_path: Path) -> None:
    with playing(sealed(chess(), tmp_path)) as running:
        tab, noted = opened(browsers, running, scheme, **PHONE)
        expect(tab.locator("#consent-title")).to_be_focused()
        assert low_contrasts(tab) == []
        accept(tab)
        board = tab.locator("#scene table.board")
        box = board.bounding_box()
        assert box
        assert (box["x"] >= 0, box["x"] + box["width"] <= 360, box["y"] + box["height"] <= 740) == (True, True, True)
        cell = tab.locator("#scene td.own").first
        assert (cell.bounding_box() or {"width": 0})["width"] >= 36
        cell.click()
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert low_contrasts(tab) == []
        expect(tab.locator("#status")).to_have_attribute("role", "status")
        named = tab.locator("#scene td[data-square=a1]").get_attribute("aria-label") or ""
        assert named.startswith("a1 white ")
        assert noted == []
        tab.close()
        running.stop_and_read()


def offered(fen: str, game: str = "chess960") -> Json:
    """A state as a server would tell it of a position."""
    variant = {"chess960": CHESS960, "chess": STANDARD}[game]
    prompt = turn_message(Game960(fen, variant), PromptStyle.STANDARD, "")
    messages = (Message("You play.", "system"), prompt)
    frame = VIEWS[game].live_frame([messages])
    told = {"id": "x", "choices": chess_choices(messages, variant).shown, "prompt": prompt.content}
    return {
        "step": "question",
        "game": {"frame": frame, "place": frame["to_act"]},
        "question": {**told, "can_resign": False, "waited_s": 0},
    }


BLACK_PROMOTES = "k7/8/8/8/8/8/6p1/K6R b - - 0 1"
CASTLES = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"


@pytest.mark.parametrize(
    ("game", "fen", "keys", "sent"),
    [
        ("chess960", CASTLES, ["e1", "h1"], "e1h1"),
        ("chess960", CASTLES, ["e1", "g1"], "e1h1"),
        ("chess", CASTLES, ["e1", "c1"], "e1c1"),
        ("chess", CASTLES, ["e1", "a1"], "e1c1"),
        ("chess960", BLACK_PROMOTES, ["g2", "h1", "Tab", "Enter"], "g2h1r"),
        ("chess960", BLACK_PROMOTES, ["g2", "g1", "Enter"], "g2g1q"),
    ],
    ids=["onto the rook", "two squares", "two squares of chess", "onto the rook of chess", "a rook", "a queen"],
)
def test_castling_by_both_habits_and_promotion(
    game: str, fen: str, keys: list[str], sent: str, browsers: Started, running: Running
) -> None:
    tab, noted = opened(browsers, running)
    tab.locator("#scene table.board").wait_for()
    tab.evaluate("play.answer = (action) => { play.sent = action; }")
    tab.evaluate("(state) => play.render(merged(play.state, state))".replace("merged", MERGED), offered(fen, game))
    for key in keys:
        if key in {"Tab", "Enter"}:
            expect(tab.locator("#promotion button:focus")).to_have_count(1)
            tab.keyboard.press(key)
        else:
            tab.locator(f"#scene td[data-square={key}]").click()
    wait_for(lambda: tab.evaluate("play.sent || ''"))
    assert (tab.evaluate("play.sent"), noted) == (sent, [])
    tab.close()
