"""A study with people in the details of a bundle: every score and delta, blinding, people's own moves, who stopped."""

from collections.abc import Iterator, Sequence

from ...checks.late_answers import LateAnswers
from ...core.columns import item, row
from ...scoring.analysis import Analysis
from ..glossary import label
from ..study_words import (
    ACCUSES_NOBODY,
    blinding_words,
    bounded,
    guess_rows,
    late_words,
    own_move_rows,
    person_rows,
    study_of,
    study_rows,
    unit_words,
)


def study_lines(analysis: Analysis, late: Sequence[LateAnswers] = ()) -> Iterator[str]:
    """All figures of a study; nothing of a run that is none."""
    study = study_of(analysis)
    if study is None:
        return
    yield from row(label("study with people"), f"the machine's points a game. {unit_words(study)}")
    for people, name, words in study_rows(study):
        yield from row("", f"{name}, {people}: {words}")
    if study.blinding:
        james = f"; James' index {float(study.blinding.james.decimal):.3f}" if study.blinding.james else ""
        yield from row(label("blinding index"), f"{blinding_words(study.blinding)}{james}")
        for arm, guesses, index in guess_rows(study.blinding):
            yield from row("", f"{arm} taken for {guesses}: {index}")
    if words := late_words(late):
        yield from row(label("late answers"), words)
    yield from row(label("intention to treat"), "all games that were played count")
    for person in person_rows(study):
        yield from row("", ", ".join(person))
    if study.own_moves:
        yield ""
        yield "People's own moves"
        yield from item(" ", ACCUSES_NOBODY)
        for means in study.own_moves.sub_phases:
            shares, losses = bounded(means.first_choice), bounded(means.loss_centipawns)
            yield from item(
                "  -", f"{means.sub_phase}: share of first choices {shares}; centipawns lost a move {losses}"
            )
        for who, declared, arm, share, loss in own_move_rows(study.own_moves):
            told = f"{who} (declares {declared}) in {arm}: engine's first choice {share}, {loss} centipawns lost a move"
            yield from item("  -", told)
        yield ""
