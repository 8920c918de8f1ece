"""The prompts of a preflight: questions of the protocol's own scripts in both games, the same in every run.

One of each game is a long talk, as after rejections: a server may compute long prompts by other kernels.
"""

import hashlib
from collections.abc import Iterator
from itertools import islice

from agzamov_verify.dice import Dice
from agzamov_verify.experiment import Match
from agzamov_verify.games.game import Block, StreamPlan
from agzamov_verify.games.registry import GAMES
from agzamov_verify.games.scripted import random_answer
from agzamov_verify.manifest import Plan
from agzamov_verify.questions import Chat, Message
from agzamov_verify.script import Exchanges, Script
from agzamov_verify.streams import block_script

from ..ports import ChatRequest

QUESTIONS = 24
PER_GAME = 3
DICE = Dice(hashlib.sha256(b"agz/preflight/v1").digest())
REJECTION = "Rejected: no line declares an action."
ANSWER_BYTES_MIN = 64


def prompts_of(plan: Plan, seat: str) -> list[ChatRequest]:
    """Early, middle and late prompts of a game of chess and of some hands, as `seat` would read them in `plan`."""
    return [request for game in _games(plan, seat) for request in game]


def long_talks(plan: Plan, seat: str, talk_bytes: int) -> list[ChatRequest]:
    """Last prompt of each game after a rejected answer, filled to `talk_bytes`; none for a game whose own is longer."""
    return [talk for game in _games(plan, seat) for talk in _long_talk(game, talk_bytes)]


def _games(plan: Plan, seat: str) -> list[list[ChatRequest]]:
    sizes = {name: game.unit_results(plan.rules_of(name), min(game.players)) for name, game in GAMES.items()}
    return [list(_spread(plan, GAMES[name].self_play(seat, size), size)) for name, size in sizes.items()]


def _long_talk(game: list[ChatRequest], talk_bytes: int) -> Iterator[ChatRequest]:
    last = game[-1]
    bytes_left = talk_bytes - sum(len(message.content.encode()) for message in last.messages) - len(REJECTION)
    if bytes_left < ANSWER_BYTES_MIN:
        return
    words = "\n".join(message.content for request in game for message in request.messages) * (1 + bytes_left // 1000)
    answer = Message(words.encode()[:bytes_left].decode("utf-8", "ignore"), "assistant")
    yield ChatRequest((*last.messages, answer, Message(REJECTION, "user")), last.seed)


def _spread(plan: Plan, match: Match, count: int) -> Iterator[ChatRequest]:
    """The first, the middle and the last of the questions at the beginning of a match played at random."""
    script = block_script(StreamPlan("preflight", match, 0, count), plan, DICE)
    chats = list(_chats(script))
    for index in sorted({round(part * (len(chats) - 1) / (PER_GAME - 1)) for part in range(PER_GAME)}):
        yield ChatRequest(chats[index].messages, chats[index].seed)


def _chats(script: Script[Block]) -> Iterator[Chat]:
    """Chat requests among the first QUESTIONS questions of a script, with random answers."""
    for question, _ in islice(Exchanges(script, random_answer), QUESTIONS):
        if isinstance(question, Chat):
            yield question
