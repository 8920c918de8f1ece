"""The donor of a memory's placebo: strangers whose contests are played in the script, from the career's own draws.

A career has a donor of its own. Its notes are what the seat would have seen of a stranger, in contests by the plan's
own rules, and are made when they are asked for. They follow from the sealed seed, so whoever verifies makes them again.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from ..core.dice import Dice
from ..core.questions import Answer, Chat, Evaluate, Evaluation, Question, Reply
from ..core.script import drive
from .players import Player
from .prompt_lines import read_page

DONOR: Final = "donor"
SPARE_NOTES: Final = 64
"""So many notes of a career may be made beyond those of its contests: the choice that the placebo has."""


class CareerDonor:
    """The notes of one career's donor, by number from 0; each is made once. `contests`: of the career."""

    def __init__(self, make: Callable[[int], str], contests: int) -> None:
        self._make, self._contests = make, contests
        self._notes: dict[int, str] = {}

    def note(self, number: int) -> str:
        """The note of a contest. Numbers beyond those of the career are further contests of the same donor."""
        if number not in self._notes:
            self._notes[number] = self._make(number)
        return self._notes[number]

    def at_the_head(self, text: str) -> str:
        """The note with which a text begins, the longest of several; empty if it begins with none."""
        ended = f"{text}\n"
        fitting = [note for note in self._notes.values() if ended.startswith(f"{note}\n")]
        for number in range(self._contests + SPARE_NOTES):
            if fitting:
                break
            fitting = [note for note in (self.note(number),) if ended.startswith(f"{note}\n")]
        return max(fitting, key=len, default="")

    def notes_in(self, text: str) -> list[str]:
        """The notes that a text consists of, one below the other; none where it is something else."""
        found, rest = list[str](), text
        while rest:
            if not (note := self.at_the_head(rest)):
                return []
            found.append(note)
            rest = rest[len(note) + 1 :]
        return found


def played_note(game: Any, stream: Any, rules: Any, number: int, seat_index: int, dice: Dice) -> str:
    """The observation of a contest of random players by the script of the game: for games without a donor of their own.

    `game`: a `game.Game`; `stream`: a `game.StreamPlan`, of a career. Numbers beyond the career's contests are at the
    places of its first ones, with draws of their own.
    """
    seats = tuple(Player(DONOR, scripted=True) for _ in stream.match.table)
    results = game.contest_results(rules, len(seats))
    first = stream.first + number % max(1, stream.count // results) * results
    contest = type(stream)(DONOR, stream.match, first, results)
    block = drive(game.script(contest, lambda _: seats, rules, dice.under(f"contest/{number}")), _random_answers(game))
    return str(game.observation(block.records, first, seat_index))


def played_searches(game: Any, stream: Any, rules: Any, dice: Dice) -> list[str]:
    """The different searches that are made before the decisions of a contest of random players, in order.

    `game`: a `game.Game`; `stream`: a `game.StreamPlan` of one contest.
    """
    searches: dict[str, None] = {}
    answered = _random_answers(game)

    def answer(question: Question) -> Answer:
        if isinstance(question, Chat):
            with suppress(ValueError):  # not every question is a decision for which something is searched
                searches[game.search_words(read_page(question.messages))] = None
        return answered(question)

    seats = tuple(Player(DONOR, scripted=True) for _ in stream.match.table)
    drive(game.script(stream, lambda _: seats, rules, dice), answer)
    return list(searches)


def _random_answers(game: Any) -> Callable[[Question], Answer]:
    """The answers of random players, and of an engine that sees no advantage."""

    def answer(question: Question) -> Answer:
        match question:
            case Chat():
                return Reply(text=game.scripted["random"](read_page(question.messages), question.seed))
            case Evaluate():
                return Evaluation(0, None)
            case _:
                raise AssertionError(question)

    return answer
