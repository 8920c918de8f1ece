"""A game in progress, drawn from its prompts alone: it is the frame that a replay has once the game is over."""

from collections.abc import Iterator
from typing import Any

import pytest

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Message, Planted
from agzamov_verify.core.script import Exchanges
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.scripted_players import random_answer

PLAN = {
    "title": "Live",
    "seats": {"agent": {"kind": "random"}, "dice": {"kind": "random"}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 80},
    "holdem": {"session_hands": 20, "stack_chips": 3_000},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 8},
        {"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 100, "block_hands": 20},
    ],
}
DICE = Dice(b"live frames".ljust(32, b"\0"))


def played(game: str) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """At each decision of random games: the live frame, the replay's frame, and the replay's first one."""
    plan = plan_from(PLAN)
    (match,) = [one for one in plan.matches if one.game == game]
    for stream in streams_of(match):
        story = Exchanges(block_script(stream, plan, DICE), random_answer)
        asked: dict[str, list[Chat]] = {}
        for question, _ in story:
            if isinstance(question, Chat) and not isinstance(question, Planted):
                asked.setdefault(question.game, []).append(question)
        for number, record in enumerate(story.value.records, stream.first):
            frames = VIEWS[game].frames(PlayedGame(match, number, record), plan)
            chats = asked[record.game]
            for upto in range(1, len(chats) + 1):
                live = VIEWS[game].live_frame([chat.messages for chat in chats[:upto]])
                yield live, frames[chats[upto - 1].turn], frames[0]


def test_a_game_of_chess_is_drawn_as_in_its_replay() -> None:
    castled = 0
    for live, frame, _ in played("chess960"):
        assert {name: live.get(name) for name in ("board", "by", "from", "to")} == {
            name: frame.get(name) for name in ("board", "by", "from", "to")
        }
        castled += frame["label"].endswith(("O-O", "O-O-O"))
    assert castled


def test_a_hand_is_drawn_as_in_its_replay_with_the_cards_of_who_was_asked() -> None:
    hidden = 0
    for live, frame, first in played("holdem"):
        names = ("board", "by", "stacks", "bets", "pot")
        assert {name: live[name] for name in names} == {name: frame[name] for name in names}
        for shown, real in zip(live["holes"], first["holes"], strict=True):
            assert shown in ([], real)
        assert live["holes"][live["to_act"]]
        hidden += [] in live["holes"]
    assert hidden


@pytest.mark.parametrize("game", ["chess960", "holdem"])
@pytest.mark.parametrize("text", ["", "FEN: 8/8", "Hole cards: [Ah, Kd]\nPosition: Elsewhere"])
def test_a_prompt_of_no_position_is_no_frame(game: str, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever is wrong with it first
        VIEWS[game].live_frame([(Message(text, "user"),)])
