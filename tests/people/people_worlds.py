"""Studies with people in this process: scripted players sit in the people's seats, and a fake answers the surveys."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.questions import Answer, Chat, Examine, Question
from agzamov_verify.core.survey_question import Survey, Surveyed
from agzamov_verify.experiment.people_settings import SubPhase
from agzamov_verify.plan.manifest import MemoryPin
from agzamov_verify.table.survey import PLAYS_ON, Withdrawal
from bundles.bundle_factory import engine_path, make, world_of
from stack_world import StackWorld

SYSTEMS: dict[str, Any] = {
    "recent": {"kind": "memory", "server": "recent", "hits_max": 3},
    "engine": {"kind": "tools", "candidates_max": 2, "nodes": 50},
    "both": {"kind": "memory_and_tools", "memory": "recent", "tools": "engine"},
}
ARMS: dict[str, dict[str, Any]] = {
    "4a": {"a": "machine"},
    "4b": {"a": "model", "condition": {"augmentation": "tools", "arm": "real", "system": "engine"}},
    "4c": {"a": "model", "condition": {"augmentation": "full", "arm": "real", "system": "both"}, "careers": 1},
    "model": {"a": "model"},
    "model_memory": {
        "a": "model", "condition": {"augmentation": "memory", "arm": "real", "system": "recent"}, "careers": 1,
    },
}  # fmt: skip
SEATS: dict[str, Any] = {"machine": {"kind": "reference"}, "model": {"kind": "novice"}}
PIN = MemoryPin("0" * 64, "0" * 64, "recent", "1")


def study(
    people: Mapping[str, str], games: int = 4, arms: tuple[str, ...] = ("4a", "4b", "4c"), **changes: Any
) -> dict[str, Any]:
    """A plan of a study of people, whose seats are of these kinds by name."""
    matches = [
        {"phase": 4, "game": "chess960", "b": name, "games": games, **ARMS[arm]} for name in people for arm in arms
    ]
    return {
        "title": "People",
        "protocol": "people-0.1",
        "seats": {**SEATS, **{name: {"kind": kind} for name, kind in people.items()}},
        "systems": SYSTEMS,
        "people": {"hold": None},
        "chess960": {"adjudication": {"policy": "none"}, "illegal": "retry_then_forfeit", "plies_max": 6},
        "matches": matches,
        **changes,
    }


class FakeSurvey:
    """A fake of the port that asks people beside the game: it knows what a person would say, and asks nobody.

    `guesses`: what a person thinks by the arm that it was, "" for no answer. `stops`: by person, after how many pairs
    they stop, and the reason.
    """

    def __init__(self, guesses: Mapping[str, str] | None = None, stops: Mapping[str, tuple[int, str]] | None = None):
        self.guesses, self.stops, self.asked = guesses or {}, stops or {}, list[Survey]()
        self.played = dict[str, int]()

    def answer(self, question: Survey) -> Surveyed:
        """The choice of the person whom a question is for."""
        self.asked.append(question)
        match, _, _ = question.game.rpartition("-")
        person = match.rpartition("-")[2]
        if question.attempt:
            arm = "4c" if "full" in match else "4b" if "tools" in match else "4a"
            guess = self.guesses.get(arm, "")
            return Surveyed(SubPhase(guess).words if guess else "")
        pairs, reason = self.stops.get(person, (1_000, ""))
        if self.played.get(person, 0) >= pairs:
            return Surveyed(Withdrawal(reason).words)
        self.played[person] = self.played.get(person, 0) + 1
        return Surveyed(PLAYS_ON)


def played(
    wished: dict[str, Any], folder: Path, survey: FakeSurvey | None = None, order: list[str] | None = None
) -> Path:
    """The bundle of a study, played in this process. `order` gets the games as they begin."""
    order = [] if order is None else order
    world, survey = StackWorld(), survey or FakeSurvey()
    scripted = {**wished, "seats": {**wished["seats"], "model": SEATS["model"]}}  # a model answers as a novice does
    seats = world_of(plan_from(scripted), engine_path())

    def answer(question: Question) -> Answer:
        if isinstance(question, Survey):
            return survey.answer(question)
        if isinstance(question, Chat) and question.game not in order:
            order.append(question.game)
        if isinstance(question, Chat | Examine):
            return seats(question)
        return world(question)

    return make(wished, folder, answer, memories={"recent": PIN})
