"""`show --game` and `--games`: result and reason first and last, as a player knows them; names that can be found."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_verify.cli import main
from agzamov_verify.core.columns import WIDTH
from agzamov_verify.games.chess.game import ChessMatch
from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.chess.view import result_words
from agzamov_verify.games.holdem.game import PokerMatch
from agzamov_verify.games.holdem.hand_script import HandRecord, HandStory
from agzamov_verify.games.holdem.rules import ActionKind, Deal, HandEnd, PokerAction
from agzamov_verify.games.holdem.rules import PlayedAction as Acted
from agzamov_verify.games.holdem.view import hand_lines
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.table.decision import Tally
from bundles.bundle_factory import CHESS0, CHESS1, POKER0, check

STACK = 10_000
LEFT_OUT = "p1-holdem-naked-agent"
ARENA = Path(__file__).parent / "golden" / "arena-0.1" / "bundle"


def shown(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["show", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def test_a_game_begins_and_ends_with_its_result(small: Path) -> None:
    for game in (f"{CHESS0}-g00000", f"{POKER0}-h0000001"):
        lines = shown(small, "--game", game).splitlines()
        last = max(at for at, line in enumerate(lines) if line.startswith("Result: "))
        assert lines[1].startswith("Result: ")
        assert lines[last:] == lines[1 : 1 + len(lines) - last]
        assert max(map(len, lines)) <= WIDTH
        assert len(lines) < 30


def test_the_short_view_of_chess_is_numbered_san_and_prompts_are_asked_for(small: Path) -> None:
    game = f"{CHESS0}-g00000"
    told = shown(small, "--game", game)
    assert re.search(r"^1\. [A-Za-hO]", told, re.MULTILINE)
    assert "== " not in told
    for option in ("--prompts", "--details"):
        assert "== agent answers" in shown(small, "--game", game, option)


def test_a_game_as_json_holds_moves_and_result(small: Path) -> None:
    chess = json.loads(shown(small, "--game", f"{CHESS0}-g00000", "--json"))
    assert len(chess["san"]) == len(chess["moves"]) > 0
    assert chess["score"] in ("1-0", "0-1", "1/2-1/2")
    assert "asked" not in chess
    hand = json.loads(shown(small, "--game", f"{POKER0}-h0000000", "--json", "--prompts"))
    assert (len(hand["hole_button"]), hand["asked"][0]["question"]["ask"]) == (2, "chat")


def test_games_are_listed_by_match_result_and_page(small: Path) -> None:
    verdict = check(small)
    assert verdict.results
    wins = next(match for match in verdict.results.matches if match.id == CHESS0).result.adjudicated.wins  # type: ignore[union-attr]
    told = shown(small, "--games", "--match", CHESS0, "--result", "won")
    assert len(re.findall(rf"^{CHESS0}-g\d{{5}} ", told, re.MULTILINE)) == wins
    assert re.fullmatch(r"no page 9: \d+ games on 1 page", shown(small, "--games", "--page", "9").strip())
    lost = shown(small, "--games", "--match", CHESS0, "--result", "lost")
    if not re.findall(rf"^{CHESS0}-g", lost, re.MULTILINE):
        assert lost.strip() == "no such games here"
    rows = json.loads(shown(small, "--games", "--match", POKER0, "--json"))["games"]
    assert [row["game"] for row in rows] == [f"{POKER0}-h{at:07d}" for at in range(4)]
    assert f"there are {CHESS0}, {POKER0}" in shown(small, "--games", "--match", "p9", code=2)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--match", CHESS0), "--match is of a list: add --games"),
        (("--result", "won"), "--result is of a list: add --games"),
        (("--page", "2", "--game", f"{CHESS0}-g00000"), "--page is of a list: add --games"),
        (("--prompts", "--games"), "--prompts is of one game: add --game NAME"),
        (("--games", "--game", f"{CHESS0}-g00000"), "leave one out"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(options: tuple[str, ...], told: str, small: Path) -> None:
    assert told in shown(small, *options, code=2)


def test_every_name_of_a_list_can_be_typed() -> None:
    """Those of an arena are longer than their column."""
    told = shown(ARENA, "--games")
    names = re.findall(r"^(p6-\S+)", told, re.MULTILINE)
    assert names == [played["game"] for played in json.loads(shown(ARENA, "--games", "--json"))["games"]]
    assert max(map(len, names)) > 40
    assert "p6-" in shown(ARENA, "--game", max(names, key=len))


def test_a_wrong_name_is_answered_with_the_nearest(small: Path) -> None:
    told = shown(small, "--game", "p0-chess960-naked-agnt-g3", code=2)
    assert f"the nearest are {CHESS0}-g00000 to {CHESS0}-g00005" in told
    assert f"{POKER0}-h0000000 to {POKER0}-h0000003" in shown(small, "--game", f"{POKER0}-h0000009", code=2)
    assert f"did you mean {CHESS0}-g00000?" in shown(small, "--game", f"{CHESS0}-g0", code=2)
    by_number = shown(small, "--game", "h0000000", code=2)
    assert f"no game 'h0000000'; the nearest are {POKER0}-h0000000 to {POKER0}-h0000003" in by_number
    assert f"did you mean {CHESS0}? there are " in shown(small, "--games", "--match", "p0-ches960-naked-agent", code=2)


def test_games_of_a_match_that_a_failed_gate_left_out_are_not_proposed(small: Path) -> None:
    """Of `small` the agent fails Phase 0 in hold'em, so it plays no Phase 1 there."""
    told = shown(small, "--game", f"{LEFT_OUT}-h9", code=2)
    assert LEFT_OUT not in told.partition("; the nearest are ")[2]
    assert POKER0 in told
    assert "Phase 0 failed" in shown(small, "--game", f"{LEFT_OUT}-h0000000", code=2)
    assert LEFT_OUT not in shown(small, "--games", "--match", "p9", code=2)
    assert CHESS1 in shown(small, "--games", "--match", "p9", code=2)


def test_the_names_of_poker_hands_are_in_the_help_and_on_the_screen(small: Path) -> None:
    assert "p0-holdem-naked-model-h0000000" in shown("--help").replace("\n", "").replace(" ", "")
    assert f"{POKER0}-h0000000" in shown(small)


# --- every way to end -------------------------------------------------------------------------------


@pytest.mark.parametrize("end", list(End))
def test_every_end_of_a_game_has_words(end: End) -> None:
    record = ChessRecord("g", "", (), Ending(end, 2), Ending(end, 2), (Tally(), Tally()))
    match = ChessMatch("a", "b", 0)
    told = result_words(PlayedGame(match, 1, record), record)
    assert told.startswith("1-0, White (b) won ")
    unsure = Ending(End.CHECKMATE, 0)
    other = ChessRecord("g", "", (), Ending(End.ADJUDICATION, 2), unsure, (Tally(), Tally()))
    assert "played on, it ended 0-1 by checkmate" in result_words(PlayedGame(match, 0, other), other)


DEAL = Deal(("As", "Ah"), ("Kd", "Kc"), ("2c", "7d", "9h", "Jc", "3s"))
ALL_IN = (
    Acted(0, 0, PokerAction(ActionKind.RAISE, STACK), all_in=True),
    Acted(0, 1, PokerAction(ActionKind.CALL), all_in=True),
)


def test_a_hand_history_has_blinds_streets_showdown_and_chips() -> None:
    record = HandRecord("h", HandEnd.SHOWDOWN, STACK, (0, 0), HandStory(DEAL, ALL_IN, (STACK, STACK, STACK)))
    told = list(hand_lines(PlayedGame(PokerMatch("a", "a", 1), 0, record), record, STACK))
    assert "a (A): posts small blind 50" in told
    assert "a (A): raises 9900 to 10000 and is all in" in told
    assert "a (B): calls 9900 and is all in" in told
    assert "*** FLOP *** [2c 7d 9h]" in told
    assert "*** RIVER *** [2c 7d 9h Jc] [3s]" in told
    assert "a (B): shows [Kd Kc] (Pair)" in told
    assert told[-1] == "Result: a (A) wins 10000 chips (100 bb): the better hand at showdown, Pair against Pair"


@pytest.mark.parametrize(
    ("end", "net", "words"),
    [
        (HandEnd.FORFEIT, -50, "b wins 50 chips (0.5 bb): a forfeited"),
        (HandEnd.FOLD, 250, "a wins 250 chips (2.5 bb): b folded"),
        (HandEnd.SHOWDOWN, 0, "split pot"),
    ],
)
def test_every_end_of_a_hand_has_words(end: HandEnd, net: int, words: str) -> None:
    record = HandRecord("h", end, net, (0, 0))
    told = list(hand_lines(PlayedGame(PokerMatch("a", "b", 1), 0, record), record, STACK))
    assert words in told[1]
