"""The requests of a preflight: the protocol's own prompts and long talks, the same in every run of a plan."""

import hashlib
from collections.abc import Iterator
from itertools import islice

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Message
from agzamov_verify.core.script import Exchanges, Script
from agzamov_verify.experiment.matches import Match, Phase
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import local_models
from agzamov_verify.plan.streams import block_script
from agzamov_verify.protocols import PROTOCOLS
from agzamov_verify.table.game import Block, StreamPlan
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.scripted_players import random_answer

from ..adapters.retries import PromptTooLong
from ..ports import ChatRequest
from .determinism import TOKENS_MAX, Probing, characters

QUESTIONS = 24
PER_GAME = 3
DICE = Dice(hashlib.sha256(b"agz/preflight/v1").digest())
REJECTION = "Rejected: no line declares an action."
ANSWER_BYTES_MIN = 64
TALK_BYTES_MAX = 3000
"""Under 1,000 tokens: a retry of a run, and what a slow processor reads in seconds."""
BYTE_TOKENS_MAX = 3
"""A blank, where a tokenizer spells it as U+2581 and has a token for each byte alone."""
GAMES_APART = 2.0
"""A byte of a talk has at most so many times the tokens that it has in a prompt: games differ by 1.5 with SmolLM2."""
TEMPLATE_TOKENS = 256
"""More than a chat template puts around three messages."""


def requests_of(plan: Plan, seat: str, port: Probing) -> list[ChatRequest]:
    """What a seat is asked, the longest first. Raises PortFault."""
    prompts = prompts_of(plan, seat)
    requests = [*prompts, *_talks_that_fit(plan, seat, port, min(prompts, key=characters))]
    return sorted(requests, key=characters, reverse=True)


def prompts_of(plan: Plan, seat: str) -> list[ChatRequest]:
    """Early, middle and late prompts of a game of chess and of some hands, as `seat` would read them in `plan`."""
    return [request for game in _games(plan, seat) for request in game]


def long_talks(plan: Plan, seat: str, talk_bytes: int) -> list[ChatRequest]:
    """Last prompt of each game after a rejected answer, filled to `talk_bytes`; none for a game whose own is longer."""
    return [talk for game in _games(plan, seat) for talk in _long_talk(game, talk_bytes)]


def _games(plan: Plan, seat: str) -> list[list[ChatRequest]]:
    # In an arena those of the plan: a model need not read the prompts of a game that it does not play.
    protocol = PROTOCOLS[plan.protocol]
    asked = plan.games if Phase.ARENA in protocol.phases else protocol.games
    games = {name: game for name, game in GAMES.items() if name in asked}
    sizes = {name: game.unit_results(plan.rules_of(name), min(game.players)) for name, game in games.items()}
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


def _talks_that_fit(plan: Plan, seat: str, port: Probing, prompt: ChatRequest) -> list[ChatRequest]:
    """The longest talks that the context takes, halved until it does: how many bytes a token has is the model's.

    Talks that surely fit by the tokens of `prompt` are not tried: to read one takes a slow processor many seconds.
    """
    talk_bytes, context_tokens = TALK_BYTES_MAX, local_models(plan)[seat].context_tokens
    tokens_a_byte = float(BYTE_TOKENS_MAX)
    if read := port.probe(prompt, 1, 1).prompt_tokens:
        tokens_a_byte = min(tokens_a_byte, GAMES_APART * read / characters(prompt))
    while talks := long_talks(plan, seat, talk_bytes):
        if talk_bytes * tokens_a_byte + TEMPLATE_TOKENS + TOKENS_MAX <= context_tokens:
            return talks
        try:
            for talk in talks:
                port.probe(talk, 1, 1)
        except PromptTooLong:
            talk_bytes //= 2
        else:
            return talks
    return []
