"""Defects that only the engine, asked again, can see: everything else is consistent."""

from collections.abc import Callable

import msgspec

from agzamov_verify.journal import Entry
from agzamov_verify.questions import Answer, Evaluation
from bundles.workshop import (
    CHESS0,
    Draft,
    chained,
    engine_path,
    entries,
    fit_laps,
    put,
    recorded,
    reindex,
    rescore,
    reseal,
    stream_name,
    world_of,
)

STREAM = stream_name(CHESS0)


def lie(draft: Draft, distorted: Callable[[Answer], Answer]) -> None:
    """Play everything again in a world whose engine lies, and seal what comes of it."""
    world = world_of(draft.manifest.plan, engine_path())
    try:
        for stream in draft.streams():
            put(draft, stream, recorded(draft, stream, lambda question: distorted(world(question))))
            fit_laps(draft, stream)
    finally:
        world.close()
    reindex(draft)
    rescore(draft)
    reseal(draft)


def turned(answer: Answer) -> Answer:
    """The score with the other sign: the winner has lost."""
    if not isinstance(answer, Evaluation):
        return answer
    return Evaluation(_negative(answer.centipawns), _negative(answer.mate))


def _negative(score: int | None) -> int | None:
    return None if score is None else -score


def an_evaluation_that_ended_a_game_is_forged(draft: Draft) -> str:
    """One score a centipawn off, which changes nothing at all. The place where it is found."""
    story = entries(draft, STREAM)
    at = max(at for at, entry in enumerate(story) if entry.question.game.endswith("g00000") and judges(entry))
    given = story[at].answer
    assert isinstance(given, Evaluation)
    forged = Evaluation((given.centipawns or 9_999) + 1, None)
    put(draft, STREAM, chained([*story[:at], msgspec.structs.replace(story[at], answer=forged), *story[at + 1 :]]))
    reindex(draft)
    rescore(draft)
    reseal(draft)
    return f"game {story[at].question.game} turn {story[at].question.turn}"


def all_adjudicated_winners_are_flipped(draft: Draft) -> str:
    """The engine is said to have seen every game the other way round."""
    lie(draft, turned)
    return f"game {CHESS0}-g00000 turn "


def evaluations_are_hidden_so_that_a_lost_game_goes_on(draft: Draft) -> str:
    """No score is ever beyond the threshold, so that nothing is adjudicated."""
    limit = draft.manifest.plan.chess960.adjudication.threshold_centipawns

    def softened(answer: Answer) -> Answer:
        if not isinstance(answer, Evaluation):
            return answer
        score = _signed_mate(answer.mate) if answer.centipawns is None else answer.centipawns
        return answer if abs(score) <= limit else Evaluation(limit if score > 0 else -limit, None)

    lie(draft, softened)
    return f"game {CHESS0}-g00000 turn "


def _signed_mate(mate: int | None) -> int:
    return 10_000 if mate and mate > 0 else -10_000


def judges(entry: Entry) -> bool:
    return isinstance(entry.answer, Evaluation)


ENGINE_PIECES = (
    an_evaluation_that_ended_a_game_is_forged,
    all_adjudicated_winners_are_flipped,
    evaluations_are_hidden_so_that_a_lost_game_goes_on,
)
