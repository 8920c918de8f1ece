"""A table of many in progress, in lines drawn from its prompts alone: what its replay has once the game is over."""

from collections.abc import Iterator
from typing import Any

import pytest

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Message
from agzamov_verify.core.script import Exchanges
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.scripted_players import random_answer

SETS = {"hands": 4, "block_hands": 4}
OTHERS = [{"seat": name} for name in ("dice", "agent", "dice", "agent", "dice", "agent")]
PLAN = {
    "title": "Live",
    "protocol": "arena-0.1",
    "seats": {"agent": {"kind": "random"}, "dice": {"kind": "random"}},
    "holdem_ring": {"unit_decks": 1, "illegal": "retry_then_forfeit"},
    "werewolf": {"illegal": "retry_then_forfeit"},
    "matches": [
        {"phase": 6, "game": "holdem_ring", "a": "agent", "b": "dice", "others": OTHERS[:2], **SETS},
        {"phase": 6, "game": "werewolf", "a": "agent", "b": "dice", "others": OTHERS, "games": 8, "block_games": 8},
    ],
}  # fmt: skip
DICE = Dice(b"live frames".ljust(32, b"\0"))


def played(game: str) -> Iterator[tuple[PlayedGame, Chat, dict[str, Any], dict[str, Any], list[dict[str, Any]]]]:
    """At each decision of random games: the game, the question, the live frame, the replay's frame, all its frames."""
    plan = plan_from(PLAN)
    (match,) = [one for one in plan.matches if one.game == game]
    for stream in streams_of(match):
        story = Exchanges(block_script(stream, plan, DICE), random_answer)
        asked: dict[str, list[Chat]] = {}
        for question, _ in story:
            if isinstance(question, Chat):
                asked.setdefault(question.game, []).append(question)
        for number, record in enumerate(story.value.records, stream.first):
            one = PlayedGame(match, number, record)
            frames, chats = VIEWS[game].frames(one, plan), asked[record.game]
            for upto, chat in enumerate(chats, 1):
                live = VIEWS[game].live_frame([other.messages for other in chats[:upto]])
                yield one, chat, live, frames[chat.turn], frames


def test_a_hand_of_many_is_told_as_its_replay_has_it() -> None:
    seen = 0
    for _, chat, live, frame, frames in played("holdem_ring"):
        names, holes = frames[0]["names"], frames[0]["holes"]
        text = "\n".join(live["lines"])
        assert f"Board: {' '.join(frame['board']) or 'none yet'}" in text
        acting = live["lines"][3 + live["to_act"]]
        assert acting.startswith(f"> {names[live['to_act']]}")
        assert " ".join(holes[live["to_act"]]) in acting
        for place, name in enumerate(names):
            (line,) = [one for one in live["lines"] if one[2:].startswith(f"{name} ")]
            assert ("folded" in line) != frame["live"][place]
            if frame["live"][place]:
                assert f"{frame['stacks'][place] / 100:g} BB" in line
        seen += chat.turn > 0
    assert seen


def test_a_village_is_told_as_its_replay_has_it() -> None:
    hidden = 0
    for one, _, live, _, frames in played("werewolf"):
        roles = dict(frames[0]["roster"])
        asked = live["said"].removesuffix(" is asked")
        told = {
            line[2:].split()[0]: " ".join(line[2:].split()[1:]) for line in live["lines"] if line[:2] in ("> ", "  ")
        }
        assert told[asked] == roles[asked]
        assert all(words in (roles[name], "role not seen yet") for name, words in told.items())
        dead = {line.removesuffix(" is dead") for line in live["lines"] if line.endswith(" is dead")}
        assert not dead & told.keys()
        assert dead <= set(one.record.names)
        hidden += "role not seen yet" in told.values()
    assert hidden


@pytest.mark.parametrize("game", ["holdem_ring", "werewolf"])
@pytest.mark.parametrize("text", ["", "Living: Oak", "Your hand: [Ah, Kd]\nPosition: BTN\nPlayers: BTN 1 BB"])
def test_a_prompt_of_no_table_is_no_frame(game: str, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever is wrong with it first
        VIEWS[game].live_frame([(Message(text, "user"),)])
