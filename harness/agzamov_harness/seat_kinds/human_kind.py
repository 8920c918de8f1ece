"""The row of people: they are asked by the desk of the run, which serves their pages."""

from agzamov_verify.core.questions import Answer, Question
from agzamov_verify.core.survey_question import Survey, Surveyed
from agzamov_verify.seats import HumanSeat

from ..ports import ChatPort, People, Port, PortFault
from ..seat_kind import NobodyAsked, PortInputs, SeatKind


class HumanKind(SeatKind[HumanSeat]):
    """A person has no server of their own."""

    def port(self, name: str, seat: HumanSeat, inputs: PortInputs) -> ChatPort:
        if inputs.people is None:
            raise PortFault(
                f"seat {name}: a person is asked on a page, which this command does not serve;"
                " use agzamov run or agzamov resume"
            )
        return inputs.people.seat(name)

    def survey(self, name: str, inputs: PortInputs) -> Port:
        return NobodyAsked() if inputs.people is None else PersonSurvey(inputs.people, name)


class PersonSurvey:
    """Asks a person beside their games, on their page."""

    def __init__(self, people: People, name: str) -> None:
        self._people, self._name = people, name

    def answer(self, question: Question) -> Answer:
        assert isinstance(question, Survey)
        return Surveyed(self._people.choose(self._name, question))

    def restore(self, question: Question, recorded: Answer) -> None:
        pass

    def close(self) -> None:
        pass


ROW = HumanKind()
