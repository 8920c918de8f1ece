"""Defects that only the engine, asked again, can see: everything else is consistent."""

from collections.abc import Callable

import msgspec

from agzamov_verify.core.journal import Entry
from agzamov_verify.core.questions import Answer, Evaluation
from bundles.bundle_factory import (
    CHESS0,
    Draft,
    chained,
    edited,
    engine_path,
    entries,
    fit_calls,
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
            fit_calls(draft, stream)
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
    score = given.centipawns if given.centipawns is not None else 9_999 * (1 if (given.mate or 0) > 0 else -1)
    forged = Evaluation(score + (1 if score > 0 else -1), None)  # further from even, so that the game ends as it did
    put(draft, STREAM, chained([*story[:at], msgspec.structs.replace(story[at], answer=forged), *story[at + 1 :]]))
    reindex(draft)
    rescore(draft)
    reseal(draft)
    return f"game {story[at].question.game} turn {story[at].question.turn}"


def forge_forms(draft: Draft, form: Evaluation) -> str:
    """One evaluation of a form that no engine gives. The place where it is found."""
    story = entries(draft, STREAM)
    at = next(at for at, entry in enumerate(story) if judges(entry))
    put(draft, STREAM, chained(edited(story, at, answer=form)))
    reindex(draft)
    reseal(draft)
    return f"game {story[at].question.game} turn {story[at].question.turn}"


def an_evaluation_has_centipawns_and_mate(draft: Draft) -> str:
    return forge_forms(draft, Evaluation(0, 1))


def an_evaluation_has_neither_centipawns_nor_mate(draft: Draft) -> str:
    return forge_forms(draft, Evaluation(None, None))


def all_adjudicated_winners_are_flipped(draft: Draft) -> str:
    """The engine is said to have seen every game the other way round."""
    lie(draft, turned)
    return "game "  # a few wrong answers in random order are enough: any game may be among them


def evaluations_are_hidden_so_that_a_lost_game_goes_on(draft: Draft) -> str:
    """No score is ever beyond the threshold, so that nothing is adjudicated."""
    limit = draft.manifest.plan.chess960.adjudication.threshold_centipawns

    def softened(answer: Answer) -> Answer:
        if not isinstance(answer, Evaluation):
            return answer
        score = _signed_mate(answer.mate) if answer.centipawns is None else answer.centipawns
        return answer if abs(score) <= limit else Evaluation(limit if score > 0 else -limit, None)

    lie(draft, softened)
    return "game "  # a few wrong answers in random order are enough: any game may be among them


def _signed_mate(mate: int | None) -> int:
    return 10_000 if mate and mate > 0 else -10_000


def judges(entry: Entry) -> bool:
    return isinstance(entry.answer, Evaluation)


ENGINE_CASES = (
    an_evaluation_that_ended_a_game_is_forged,
    all_adjudicated_winners_are_flipped,
    evaluations_are_hidden_so_that_a_lost_game_goes_on,
)
FORM_CASES = (an_evaluation_has_centipawns_and_mate, an_evaluation_has_neither_centipawns_nor_mate)
