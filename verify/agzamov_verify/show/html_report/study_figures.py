"""A study with people in the report: its deltas, scores, blinding, people's own moves, and who stopped."""

from collections.abc import Iterator
from typing import Final

from ...checks.steps import Verdict
from ..study_words import (
    ACCUSES_NOBODY,
    guess_rows,
    late_words,
    own_move_rows,
    person_rows,
    study_of,
    study_rows,
    unit_words,
)
from .figures import figure
from .markup import Element, table

FIGURES: Final = ("people", "figure", "points a game")
GUESSES: Final = ("arm", "what people thought", "index")
MOVES: Final = ("person", "declares", "arm", "engine's first choice", "centipawns lost a move")
PEOPLE: Final = ("person", "met in 4a", "start pairs", "withdrawal")


def study_figures(verdict: Verdict) -> Iterator[Element]:
    """The tables of a study; none of a run that is none."""
    study = study_of(verdict.analysis)
    if study is None:
        return
    words = f"The machine's points a game against people, draws as halves. {unit_words(study)}"
    yield figure("Machines against people", words, None, table(FIGURES, study_rows(study)))
    if study.blinding:
        words = (
            "After each start pair the person said what it was that played. Bang's index: 1 where everybody knew, 0"
            " where nobody did or all guessed at random, below 0 where it was taken for another arm."
        )
        james = f" James' index of all arms: {float(study.blinding.james.decimal):.3f}." if study.blinding.james else ""
        late = f" Answers later than their hold: {told}." if (told := late_words(verdict.late_answers)) else ""
        yield figure(
            "How well the arm was hidden", words + james + late, None, table(GUESSES, guess_rows(study.blinding))
        )
    if study.own_moves:
        yield figure("People's own moves", ACCUSES_NOBODY, None, table(MOVES, own_move_rows(study.own_moves)))
    words = "All games that were played count, also those of people who stopped later."
    yield figure("Who played", words, None, table(PEOPLE, person_rows(study)))
