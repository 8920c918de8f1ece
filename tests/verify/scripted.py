"""A scripted peer for scripts under test: answers from a list, and fails when it was not fully consumed."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from agzamov_verify.core.questions import Answer, Chat, Evaluation, Message, Question, Reply
from agzamov_verify.core.script import Script, drive
from agzamov_verify.games.holdem.rules import ActionKind, Deal, Hand, PokerAction
from agzamov_verify.table.decision import Tally

T = TypeVar("T")


def without_signals(tally: Tally) -> Tally:
    """A tally without what is counted of replies' texts, which its own tests are about."""
    return msgspec.structs.replace(tally, replies=0, replies_without_tokens=0, text_characters=0)


class Scripted:
    """Gives its answers in order and keeps the questions it was asked."""

    def __init__(self, answers: Iterable[Answer]) -> None:
        self.answers = list(answers)
        self.asked: list[Question] = []

    def __call__(self, question: Question) -> Answer:
        assert len(self.asked) < len(self.answers), f"no answer was scripted for question {len(self.asked)}: {question}"
        self.asked.append(question)
        return self.answers[len(self.asked) - 1]

    def finish(self) -> None:
        left = len(self.answers) - len(self.asked)
        assert not left, f"{left} scripted answers were never asked for"


def told(script: Script[T], answers: Iterable[Answer]) -> tuple[T, list[Question]]:
    """What `script` comes to under exactly these answers, and the questions that it asked."""
    peer = Scripted(answers)
    value = drive(script, peer)
    peer.finish()
    return value, peer.asked


def moves(text: str) -> list[Answer]:
    """Replies that declare these chess moves."""
    return [Reply(text=f"MOVE: {move}") for move in text.split()]


def actions(text: str) -> list[Answer]:
    """Replies that declare these hold'em actions, written with commas between them."""
    return [Reply(text=f"ACTION: {action.strip()}") for action in text.split(",")]


def judged(replies: Iterable[Answer], evaluations: Iterable[Evaluation]) -> list[Answer]:
    """Each reply followed by the engine's evaluation after it; the last ply may have none."""
    left = iter(evaluations)
    return [answer for reply in replies for answer in (reply, next(left, None)) if answer is not None]


def chat(text: str = "What do you play?") -> Chat:
    """Some question to a seat."""
    return Chat(0, "g00000", (Message("Play.", "system"), Message(text, "user")), 7, "agent", 0)


def poker_hand(
    button: str = "Ah Kd",
    big_blind: str = "9s 9c",
    board: str = "Qs Jh 3c 7d 2h",
    stacks: tuple[int, int] = (10_000, 10_000),
) -> Hand:
    """A hand of these cards, with the button's and the big blind's stacks."""
    first, second, third, fourth, fifth = board.split()
    a, b = button.split()
    c, d = big_blind.split()
    return Hand(Deal((a, b), (c, d), (first, second, third, fourth, fifth)), stacks)


def bet_out(hand: Hand, text: str) -> Hand:
    """Play actions such as `raise 250, call, check` in chips."""
    for action in filter(None, text.split(", ")):
        kind, _, to_chips = action.partition(" ")
        hand.act(PokerAction(ActionKind(kind), int(to_chips or 0)))
    return hand
