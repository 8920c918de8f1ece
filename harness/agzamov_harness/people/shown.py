"""The words and pictures that a person's page gets of a question and of a result: nothing that the person may not know.

Everything is made of the person's own prompts and, once a game is over, of what its view says that a player may know.
"""

import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from agzamov_verify.core.questions import Chat, Message
from agzamov_verify.core.survey_question import Survey
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.experiment.matches import Match, Phase
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.show.html_report.markup import capital
from agzamov_verify.show.person_choices import Choices
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.decision import IllegalPolicy
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.seating import alternating, by_place

OPPONENT: Final = "opponent"


class Asked(NamedTuple):
    """A question to a person. `choices`: None where the person writes the answer. `frame`: empty if nothing is drawn.

    `since`: monotonic seconds. `is_beside`: it is about something beside the game.
    """

    id: str
    game: str
    place: int
    kind: str
    frame: dict[str, Any]
    choices: Choices | None
    prompt: str
    can_resign: bool
    since: float
    is_beside: bool = False


def asked_of(question: Chat, name: str, match: Match, plan: Plan, before: Sequence[tuple[Message, ...]]) -> Asked:
    """A question, by the id `name`, as its page shows it from now on. `before`: earlier prompts of the same game."""
    view = VIEWS[match.game]
    try:
        choices, frame = view.choices(question.messages), view.live_frame([*before, question.messages])
    except ValueError:  # no decision: what to keep of the game, or a question about a position
        choices, frame = None, {}
    view = VIEWS[match.game]
    forfeits = getattr(plan.rules_of(match.game), "illegal", None) is IllegalPolicy.RETRY_THEN_FORFEIT
    return Asked(
        name,
        question.game,
        place_of(match, question),
        match.game,
        frame,
        choices,
        "\n\n".join(message.content for message in question.messages if message.role == "user"),
        can_resign=bool(view.resigns) or (forfeits and view.can_resign),
        since=time.monotonic(),
    )


def choice_of(name: str, match: Match, question: Survey, since: float) -> Asked:
    """A question beside a game, by the id `name`, with some answers to choose from."""
    text, choices = question.text, question.choices
    options = [{"action": choice, "words": capital(choice.replace("_", " "))} for choice in choices]
    shown = Choices({"kind": "options", "text": text, "options": options}, frozenset(choices).__contains__)
    return Asked(name, question.game, 0, match.game, {}, shown, text, can_resign=False, since=since, is_beside=True)


def place_of(match: Match, question: Chat) -> int:
    """The place of the seat that is asked: of two, by the number of the game; of more 0, since nothing is drawn."""
    number, seats = GAMES[match.game].number_in(question.game), match.seats
    order = alternating(number)
    return order.index(seats.index(question.to)) if len(seats) == len(order) else 0


def as_played(match: Match, seat: str) -> Match:
    """A match with the names that a person reads: "anna (you)", and the opponents' where the phase does not hide them.

    In a phase that compares arms no name may tell which arm it is.
    """
    is_open = match.phase == Phase.ARENA
    return match.with_names(lambda name: f"{seat} (you)" if name == seat else name if is_open else OPPONENT)


def placed_of(match: Match, seat: str, game: str) -> list[str]:
    """The names by place, as a person reads them."""
    names = as_played(match, seat).seats
    order = alternating(GAMES[match.game].number_in(game))
    return list(by_place(names, order)) if len(names) == len(order) else list(names)


class Result(NamedTuple):
    """A game that is over. `won`: 1, 0 or -1; `outcome`: what the person won, in the smallest unit of the game."""

    game: str
    kind: str
    words: str
    won: int
    outcome: int
    frame: dict[str, Any]
    place: int
    placed: list[str]


def result_of(match: Match, plan: Plan, record: Any, seat: str) -> Result:
    """A game that is over, as the person at `seat` may know it."""
    view, game = VIEWS[match.game], GAMES[match.game]
    number, seat_index = game.number_in(record.game), match.seats.index(seat)
    played = PlayedGame(as_played(match, seat), number, record)
    place = played.order.index(seat_index)
    won = game.won(record, number, seat_index)
    frame = view.last_frame(played, plan, place)
    return Result(
        record.game, match.game, _words(played, plan), won, record.outcomes[place], frame, place, list(played.placed)
    )


INDENT: Final = " " * 8


def _words(played: PlayedGame, plan: Plan) -> str:
    """The second line of a game, its result, with the lines that it goes on in (`GameView.lines`)."""
    _, result, *rest = VIEWS[played.match.game].lines(played, plan)
    words = [result.removeprefix("Result:").strip()]
    for line in rest:
        if not line.startswith(INDENT):
            break
        words.append(line.strip())
    return printable(" ".join(words))
