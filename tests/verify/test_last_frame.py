"""The end of a result, as its page shows it to a person: no more than that person may know."""

import pytest

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.script import Exchanges
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.show.game_view import GameView
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.scripted_players import random_answer

PLAN = plan_from(
    {
        "title": "Ends",
        "seats": {"agent": {"kind": "random"}, "dice": {"kind": "random"}},
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 16},
        "holdem": {"session_hands": 20},
        "matches": [
            {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 4},
            {"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 40, "block_hands": 20},
        ],
    }
)
DICE = Dice(b"last frames".ljust(32, b"\0"))


def ended(game: str) -> list[PlayedGame]:
    (match,) = [one for one in PLAN.matches if one.game == game]
    found = []
    for stream in streams_of(match):
        story = Exchanges(block_script(stream, PLAN, DICE), random_answer)
        for _ in story:
            pass
        found += [PlayedGame(match, number, one) for number, one in enumerate(story.value.records, stream.first)]
    return found


def test_a_hand_shows_the_opponents_cards_after_a_showdown_alone() -> None:
    shown = dict[str, set[bool]]()
    for played in ended("holdem"):
        holes = VIEWS["holdem"].last_frame(played, PLAN, 1)["holes"]
        assert holes[1]
        shown.setdefault(played.record.end.value, set()).add(bool(holes[0]))
    assert shown == {"showdown": {True}, "fold": {False}}


def test_a_view_that_says_nothing_of_it_shows_the_last_frame_of_a_game_in_which_all_is_seen() -> None:
    for played in ended("chess960"):
        assert GameView.last_frame(VIEWS["chess960"], played, PLAN, 0) == VIEWS["chess960"].frames(played, PLAN)[-1]


def test_a_view_that_says_nothing_of_it_shows_no_cards_of_a_game_that_hides_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert {name for name, game in GAMES.items() if game.hides} >= {"holdem", "holdem_ring", "werewolf"}
    for played in ended("holdem"):
        frame = GameView.last_frame(VIEWS["holdem"], played, PLAN, 0)
        assert frame["lines"] == [VIEWS["holdem"].ended(played.record)]
        assert frame.keys() == {"label", "said", "by", "lines"}
    monkeypatch.setattr(type(GAMES["holdem"]), "hides", False)
    assert "stacks" in GameView.last_frame(VIEWS["holdem"], ended("holdem")[0], PLAN, 0)
