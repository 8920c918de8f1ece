"""The prompts of a preflight: what the protocol's own scripts ask a seat in both games, the same in every run."""

import hashlib
from collections.abc import Iterator

from agzamov_verify.dice import Dice
from agzamov_verify.manifest import ChessMatch, Match, Plan, PokerMatch
from agzamov_verify.phases.streams import Block, StreamPlan, block_script
from agzamov_verify.questions import Answer, Chat, Evaluation, Question, Reply
from agzamov_verify.script import Script

from ..adapters.reference.players import reply
from ..ports import ChatRequest

QUESTIONS = 24
PER_GAME = 3
DICE = Dice(hashlib.sha256(b"agz/preflight/v1").digest())
LEVEL = Evaluation(0, None)


def prompts_of(plan: Plan, seat: str) -> list[ChatRequest]:
    """Early, middle and late prompts of a game of chess and of some hands, as `seat` would read them in `plan`."""
    chess = ChessMatch(a=seat, b=seat, phase=1, games=2)
    hands = plan.holdem.session_hands
    poker = PokerMatch(a=seat, b=seat, phase=1, hands=hands)
    return [*_spread(plan, chess, 2), *_spread(plan, poker, hands)]


def _spread(plan: Plan, match: Match, count: int) -> Iterator[ChatRequest]:
    """The first, the middle and the last of the questions at the beginning of a match played at random."""
    script = block_script(StreamPlan("preflight", match, 0, count), plan, DICE)
    asked = list(_chats(script))
    for at in sorted({round(part * (len(asked) - 1) / (PER_GAME - 1)) for part in range(PER_GAME)}):
        yield ChatRequest(asked[at].messages, asked[at].seed)


def _chats(script: Script[Block]) -> Iterator[Chat]:
    """What a script asks its seats, until it ends or has asked enough."""
    try:
        question = next(script)
        for _ in range(QUESTIONS):
            if isinstance(question, Chat):
                yield question
            question = script.send(_random_answer(question))
    except StopIteration:
        return
    finally:
        script.close()


def _random_answer(question: Question) -> Answer:
    if not isinstance(question, Chat):
        return LEVEL
    return Reply(text=reply("random", question.messages, question.seed))
