"""What a person of a study is asked beside the game: whether they play on, and what they think it was that played.

Both are asked in the same words at the same moments of every arm, so neither tells which arm it is:

    before each start pair    whether the person plays on; who stops gives one of some reasons, and no game follows
    after each start pair     which arm it was, where the plan asks

Answers are choices, never free text: nothing personal goes into a bundle. They are attested, as a person's moves are.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Protocol

import msgspec

from ..core.questions import SURVEYED
from ..core.script import Script, ask
from ..core.survey_question import Survey

PLAYS_ON = "Yes, let us play"
BEFORE, AFTER = 0, 1
"""The attempts of the two questions, which tell them apart in a journal."""
GOES_ON = "Do you want to play the next two games? You may stop at any time; please choose the reason then."
WHICH_ARM = "What do you think you have just played against in these two games?"


class Withdrawal(StrEnum):
    """Why a person stops. `rather_not_say` is a reason, too."""

    NO_TIME = "no_time"
    TIRED = "tired"
    NOT_INTERESTED = "not_interested"
    TECHNICAL = "technical"
    OTHER = "other"
    RATHER_NOT_SAY = "rather_not_say"

    @property
    def words(self) -> str:
        """The answer as the person reads it."""
        return f"No, I stop: {self.value.replace('_', ' ')}"


class SurveyAnswers(msgspec.Struct, frozen=True):
    """Answers of one stream. `guesses`: after each start pair, empty where the person gave none. `withdrew`: if so."""

    guesses: tuple[str, ...] = ()
    withdrew: Withdrawal | None = None


class UnitSurvey:
    """The questions to one person in one stream, and the answers so far.

    `to`: a name of `seat_letters.survey_name`. `unit_results`: games of a start pair. `arms`: what may be guessed, by
    the words that the person reads; none where the plan does not ask.
    """

    def __init__(self, to: str, unit_results: int, arms: Mapping[str, str]) -> None:
        self._to, self._unit_results, self._arms = to, unit_results, arms
        self._guesses: list[str] = []
        self._withdrew: Withdrawal | None = None

    @property
    def answers(self) -> SurveyAnswers:
        """The answers so far."""
        return SurveyAnswers(tuple(self._guesses), self._withdrew)

    def before(self, game: str, index: int) -> Script[bool]:
        """Ask before the first game of a start pair whether the person plays on."""
        if index % self._unit_results:
            return True
        reasons = {reason.words: reason for reason in Withdrawal}
        choice = yield from self._ask(game, BEFORE, GOES_ON, (PLAYS_ON, *reasons))
        self._withdrew = reasons.get(choice)
        return self._withdrew is None

    def after(self, game: str, index: int) -> Script[None]:
        """Ask after the last game of a start pair which arm it was."""
        if self._arms and (index + 1) % self._unit_results == 0:
            choice = yield from self._ask(game, AFTER, WHICH_ARM, tuple(self._arms))
            self._guesses.append(self._arms.get(choice, ""))

    def _ask(self, game: str, attempt: int, text: str, choices: tuple[str, ...]) -> Script[str]:
        """The choice; empty for none, and for one that was not on offer."""
        question = Survey(attempt=attempt, choices=choices, game=game, text=text, to=self._to, turn=0)
        answer = yield from ask(question, SURVEYED)
        return answer.choice if answer.choice in choices else ""


class MayBeAsked(Protocol):
    """A player who may be asked something beside the game."""

    @property
    def survey(self) -> UnitSurvey | None:
        """What the player is asked; None for nothing."""
        ...


def play_on(seats: Iterable[MayBeAsked], game: str, index: int) -> Script[bool]:
    """Whether everybody who is asked plays result number `index`."""
    for player in seats:
        if player.survey and not (yield from player.survey.before(game, index)):
            return False
    return True


def conclude(seats: Iterable[MayBeAsked], game: str, index: int) -> Script[None]:
    """Ask what is asked after result number `index`."""
    for player in seats:
        if player.survey:
            yield from player.survey.after(game, index)
