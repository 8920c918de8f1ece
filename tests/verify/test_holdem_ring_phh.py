"""A hand that was given up where a check is free, in the Poker Hand History format."""

import pokerkit
import pytest

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.games.holdem_ring.phh import phh
from agzamov_verify.plan.streams import block_script
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.table.game import StreamPlan

RULES = {name: {"illegal": "retry_then_forfeit"} for name in ("chess", "draughts", "holdem", "holdem_ring", "werewolf")}
PLAN = plan_from(
    {
        "title": "A table",
        "protocol": "arena-0.1",
        "seats": {name: {"kind": "random"} for name in ("one", "two", "three")},
        "matches": [
            {
                "phase": 6,
                "game": "holdem_ring",
                "a": "one",
                "b": "two",
                "others": [{"seat": "three"}],
                "hands": 3,
                "block_hands": 3,
            }
        ],
        **RULES,
    }
)


def checking_but_one(question: Question) -> Answer:
    """Everybody calls and checks; one player has no answer where a check is free."""
    assert isinstance(question, Chat)
    is_free = any("To call: 0 BB" in message.content for message in question.messages)
    silent = question.to == "two" and (is_free or question.attempt)
    return Reply(text="nothing" if silent else "ACTION: check" if is_free else "ACTION: call")


def test_pokerkit_reads_a_hand_given_up_for_free_with_a_warning() -> None:
    (match,) = PLAN.matches
    block = drive(
        block_script(StreamPlan("table", match, 0, 3), PLAN, Dice(b"a table".ljust(32, b"\0"))), checking_but_one
    )
    given_up = [number for number, record in enumerate(block.records) if record.story.forfeited]
    assert given_up
    for number in given_up:
        text = phh(PlayedGame(match, number, block.records[number]), "A table", PLAN.rules_of("holdem_ring"))
        hand = pokerkit.HandHistory.loads(text)
        with pytest.warns(UserWarning, match="no reason for this player to fold"):
            *_, last = hand
        assert list(last.stacks) == list(hand.finishing_stacks or ())
