"""The people of one run: a place for each, and the port by which the run asks them.

A person's move is an answer in the journal like any other: `MOVE: e2e4`. Who resigns says so in the same way
(`MOVE: resign`), or, in a game that has no word for it, gives no reply as often as the rules ask again.
"""

import hmac
import time
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from agzamov_verify.core.question_digest import question_digest
from agzamov_verify.core.questions import Answer, Chat, NoReply, Question, Reply
from agzamov_verify.core.survey_question import Survey
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.seats import HumanSeat
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.game import StreamPlan

from ..ports import ChatRequest, PortFault
from ..run.run_folder import RunDirectory
from ..run.stop import Stop
from .admissions import Admissions
from .place import RESIGNS, Keeping, Place
from .shown import asked_of, choice_of, result_of

ID_DIGITS: Final = 32
"""Hexadecimal digits of a question's id: 128 bits."""
RESIGNED: Final = "resigns"
"""The reason of a reply that is missing because a person resigned."""


def people_of(plan: Plan) -> dict[str, HumanSeat]:
    """The people among the seats that play."""
    return {name: seat for name, seat in plan.playing.items() if isinstance(seat, HumanSeat)}


class Desk:
    """The places of a run's people. `stop`: where a person who declines asks the run to stop."""

    def __init__(self, directory: RunDirectory, stop: Stop) -> None:
        self.plan = directory.manifest.plan
        self.seats = people_of(self.plan)
        self.admissions = Admissions.of(directory.path, self.seats)
        self._stop, self._secret = stop, directory.secret
        self._matches = {match.id: match for match in self.plan.matches}
        self.places: Mapping[str, Place] = {name: self._place(name) for name in self.seats}

    def seat(self, name: str) -> "PersonPort":
        """The port of a person."""
        return PersonPort(self.places[name], self)

    def match_of(self, game: str) -> Match:
        """The match of a game, by its name."""
        match = self._matches.get(game.rpartition("-")[0])
        if match is None:
            raise PortFault(f"expected a game of the plan, found {game}")
        return match

    def id_of(self, question: Question) -> str:
        """The id of a question as a page gets it: keyed by the run's secret.

        A plain digest would tell which game of which arm it is of to whoever tries all that a published plan can ask.
        """
        keyed = hmac.new(self._secret, f"question {question_digest(question)}".encode(), "sha256")
        return keyed.hexdigest()[:ID_DIGITS]

    def choose(self, seat: str, question: Survey) -> str:
        """A person's choice among some answers to a question beside a game, before its first move or after its end.

        Raises Stopped.
        """
        place, match = self.places[seat], self.match_of(question.game)
        asked = choice_of(self.id_of(question), match, question, time.monotonic())
        return place.ask(asked, lambda: self.check(place)) or ""

    def ended(self, stream: StreamPlan, record: Any, *, is_new: bool) -> None:
        """Tell the people of a stream that a game is over. `is_new`: it was not over in an earlier process."""
        for name in dict.fromkeys(stream.match.seats):
            if place := self.places.get(name):
                place.ended(result_of(stream.match, self.plan, record, name), is_new=is_new)

    def check(self, place: Place) -> None:
        """Raise Stopped where the run is to stop, or the person does not want to play."""
        if place.has_declined:
            self._stop.request(f"{place.seat} does not want to play", as_asked=True)
        self._stop.check()

    def close(self, why: str, report: bytes = b"", *, is_final: bool = True) -> None:
        """Tell every page that nothing more will be asked, and where the report is."""
        for place in self.places.values():
            place.close(why, report, is_final=is_final)

    def is_watched(self, within_s: float) -> bool:
        """Whether a page asked within so long, and nobody wants the run to stop."""
        return not self._stop.is_requested and any(place.is_watched(within_s) for place in self.places.values())

    def _place(self, name: str) -> Place:
        planned = sum(match.planned for match in self.plan.matches if name in match.seats)
        keeping = Keeping(
            partial(self.admissions.accept, name), partial(self.admissions.keep, name), self.admissions.kept(name)
        )
        return Place(name, planned, keeping, has_accepted=self.admissions.has_accepted(name))


class PersonPort:
    """A person as the run asks them. A position has an id, so it must be asked as a question, not by messages alone."""

    def __init__(self, place: Place, desk: Desk) -> None:
        self._place, self._desk = place, desk

    def complete(self, request: ChatRequest) -> Reply | NoReply:  # noqa: ARG002 - as declared
        """Refuse: whoever has no game to ask about may not ask a person."""
        raise PortFault(f"seat {self._place.seat}: a person is asked in a game alone")

    def answer(self, question: Question) -> Answer:
        """The person's answer, once it is given. Raises Stopped."""
        assert isinstance(question, Chat)
        place, match = self._place, self._desk.match_of(question.game)
        before = place.prompts(question.game)
        asked = asked_of(question, self._desk.id_of(question), match, self._desk.plan, before)
        place.note_prompt(question.game, question.messages)
        action = place.ask(asked, lambda: self._desk.check(place))
        view = VIEWS[match.game]
        if action is RESIGNS and not view.resigns:
            return NoReply(reason=RESIGNED)
        if action is RESIGNS:
            return Reply(text=f"{view.tag} {view.resigns}")
        tag = view.tag if asked.choices else ""
        return Reply(text=f"{tag} {action}" if tag else action)

    def restore(self, question: Question, recorded: Answer) -> None:
        """Take up a recorded question and answer."""
        assert isinstance(question, Chat)
        view = VIEWS[self._desk.match_of(question.game).game]
        action = recorded.text.removeprefix(view.tag).strip() if isinstance(recorded, Reply) else RESIGNS
        action = RESIGNS if action == view.resigns else action
        self._place.note_prompt(question.game, question.messages)
        self._place.restore(self._desk.id_of(question), question.game, action)

    def close(self) -> None:
        """Do nothing: the desk outlives its ports."""
