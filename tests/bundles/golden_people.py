"""The plans of the golden files of play-0.1 and people-0.1, and scripted people who also say what cannot be read."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.questions import Answer, Chat, Examine, Question, Reply
from agzamov_verify.core.survey_question import Survey
from agzamov_verify.games.chess.draw_offers import MARK, TAKEN, WORDS, OfferState
from agzamov_verify.games.chess.resignation import RESIGNS
from agzamov_verify.plan.manifest import MemoryPin
from bundles.bundle_factory import engine_path, world_of
from bundles.eccentric_seat import draw_of, random_action
from people.people_worlds import PIN, FakeSurvey, study
from stack_world import StackWorld

PERSON: Final = "ada"
OTHER: Final = "ben"
RULES: Final = {"illegal": "retry_then_forfeit"}
CHESS: Final = {**RULES, "adjudication": {"policy": "none"}, "plies_max": 40}

PLAY_PLAN: Final[dict[str, Any]] = {
    "title": "Golden play",
    "protocol": "play-0.1",
    "seats": {
        PERSON: {"kind": "human", "rating": 1500, "rating_list": "my club"},
        OTHER: {"kind": "human"},
        "fish": {"kind": "stockfish", "nodes": 100},
        "reference": {"kind": "reference"},
    },
    "chess": {**CHESS, "draw_offers": {"plies_min": 4, "threshold_centipawns": 100, "gap_plies": 10}},
    "chess960": {**CHESS, "prompt": "legal_moves"},
    "holdem": {**RULES, "session_hands": 4},
    "matches": [
        {"phase": 6, "game": "chess", "a": PERSON, "b": "reference", "games": 4},
        {"phase": 6, "game": "chess", "a": PERSON, "b": OTHER, "games": 4},
        {"phase": 6, "game": "chess960", "a": PERSON, "b": "fish", "games": 4},
        {"phase": 6, "game": "holdem", "a": PERSON, "b": "reference", "hands": 8, "block_hands": 8},
    ],
}
PEOPLE_PLAN: Final[dict[str, Any]] = {
    **study({PERSON: "human", OTHER: "human"}, games=4, quality={"nodes": 20}),
    "title": "Golden study of people",
    "chess960": {**CHESS, "plies_max": 16},
}
STOPS: Final = {OTHER: (3, "tired")}
GUESSES: Final = {"4a": "4a", "4b": "4c", "4c": ""}


def person(question: Chat) -> Reply:
    """An answer drawn from the question: mostly a legal move, at times one with an offer, no move, or a resignation."""
    draw, (system, situation) = draw_of(question), question.messages[:2]
    if draw % 13 == 0:
        return Reply(text="MOVE: e9e9\nACTION: dance")
    if "chess" in question.game and draw % 31 == 0:
        return Reply(text=f"MOVE: {RESIGNS}")
    if WORDS[OfferState.OPEN] in situation.content and draw % 3 == 0:
        return Reply(text=f"MOVE: {TAKEN}")
    action = random_action(system, situation, draw)
    is_offer = WORDS[OfferState.MAY] in situation.content and draw % 2
    return Reply(text=f"{action} {MARK}" if is_offer else action)


def pins(wished: Mapping[str, Any]) -> dict[str, MemoryPin]:
    """The servers that are sealed for the memories of a plan, which our world answers for."""
    return {name: PIN for name, system in wished.get("systems", {}).items() if system["kind"] == "memory"}


def player(wished: Mapping[str, Any]) -> Callable[[Question], Answer]:
    """Answers for all at the tables of a plan: people as above, programs as they play."""
    people = [name for name, seat in wished["seats"].items() if seat["kind"] == "human"]
    scripted = {**wished["seats"], **{name: {"kind": "random"} for name in people}}
    world, survey = StackWorld(), FakeSurvey(GUESSES, STOPS)
    seats = world_of(plan_from({**wished, "seats": scripted}), engine_path())

    def answer(question: Question) -> Answer:
        if isinstance(question, Survey):
            return survey.answer(question)
        if isinstance(question, Chat) and question.to in people:
            return person(question)
        return seats(question) if isinstance(question, Chat | Examine) else world(question)

    return answer
