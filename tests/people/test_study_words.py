"""A study in words: the first screen's answer, all figures, and what makes a reader careful."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from agzamov_verify.scoring.inference.exact import figure
from agzamov_verify.scoring.people.own_moves import MovesOfSubPhase, OwnMoves, PersonMoves
from agzamov_verify.scoring.people.study_figures import StudyFigures, study_figures
from agzamov_verify.show.study_words import (
    contrast_words,
    guess_rows,
    own_move_rows,
    person_rows,
    study_answer,
    study_rows,
    unit_words,
)
from agzamov_verify.show.text.study_text import study_lines
from people.planted_studies import made_up, planned

CHANCES = {"4a": 0.5, "4b": 0.5, "4c": 0.8}


def figures(people: int = 12, chances: dict[str, float] | None = None, **world: Any) -> StudyFigures:
    plan = planned(people, 6)
    found = study_figures(plan, made_up(plan, chances or CHANCES, 1, **world))
    assert found
    return found


def whole(study: StudyFigures) -> str:
    class Analysis(msgspec.Struct):
        people: StudyFigures

    lines: Iterator[str] = study_lines(Analysis(study))  # type: ignore[arg-type] # it reads `people` alone
    return " ".join(" ".join(lines).split())


def test_the_answer_has_the_three_deltas_and_says_that_they_are_no_part_of_the_score() -> None:
    told = study_answer(figures())
    assert told[0].startswith("A model that asks the engine, less the engine alone (4b - 4a): no difference shown, ")
    assert told[1].startswith("A memory beside model and engine (4c - 4b): better, 0.")
    assert "over 12 people, in points a game." in told[1]
    assert told[-1] == "Phase 4 is no part of the Agzamov Score."


@pytest.mark.parametrize(("chance", "much"), [(1.0, "nearly all"), (0.0, "hardly any")])
def test_an_engine_that_scores_all_or_nothing_is_told(chance: float, much: str) -> None:
    told = " ".join(study_answer(figures(chances=dict.fromkeys(CHANCES, chance), spread=0.0)))
    assert f"The engine alone takes {much} points" in told
    assert "no delta can show much" in told
    assert "takes" not in " ".join(study_answer(figures()))


def test_blinding_is_told_with_its_interval_or_as_not_known() -> None:
    open_arms = " ".join(study_answer(figures(guesses={arm: arm for arm in CHANCES})))
    assert "How blind: index 1.000" in open_arms
    assert "How blind: not known, since nobody said" in " ".join(study_answer(figures()))
    rows = list(guess_rows(blinding)) if (blinding := figures(guesses=dict.fromkeys(CHANCES, "4a")).blinding) else []
    assert [row[:2] for row in rows] == [(arm, "4a 72") for arm in CHANCES]


def test_who_stopped_is_told_with_the_reason_and_bounds_stand_in_the_details() -> None:
    study = figures(pairs={"p0": 3, "p1": 0})
    assert "2 of 12 people stopped (tired 2); what they had played counts" in " ".join(study_answer(study))
    assert "with what is missing" in contrast_words(study.deltas[0])
    assert next(iter(person_rows(study))) == ("p0", "machine", "4a 3, 4b 3, 4c 3 of 6", "stopped: tired")
    assert "stopped" not in " ".join(study_answer(figures()))


def test_one_person_says_nothing_of_others() -> None:
    study = figures(1)
    assert unit_words(study).startswith("One person played: intervals are over start pairs")
    assert "6 start pairs of one person" in study_answer(study)[0]
    assert unit_words(figures()).startswith("Intervals are over people")


def test_details_have_every_figure_and_why_the_interaction_is_none() -> None:
    told = whole(figures(guesses={arm: arm for arm in CHANCES}))
    for words in ("score 4a, all people", "delta memory, all people", "interaction (draft-H18)", "James' index 0.000"):
        assert words in told
    assert len(list(study_rows(figures()))) == 7


def test_peoples_own_moves_stand_beside_what_they_declare_and_accuse_nobody() -> None:
    study = figures()
    value = study.scores[0].estimate
    assert value.value
    row = PersonMoves("p0", "rating 1750 (FIDE)", "4a", 12, 400, value.value, value.value)
    study = msgspec.structs.replace(study, own_moves=OwnMoves((row,), (MovesOfSubPhase("4a", value, value),)))
    assert study.own_moves
    assert next(iter(own_move_rows(study.own_moves)))[:3] == ("p0", "rating 1750 (FIDE)", "4a")
    told = whole(study)
    assert "p0 (declares rating 1750 (FIDE)) in 4a" in told
    assert "accuse nobody" in told
    for word in ("cheat", "suspic", "fraud"):
        assert word not in told.casefold()


@pytest.mark.parametrize(("which", "most"), [("scores", 0.5), ("deltas", 1.0), ("interaction", 2.0)])
def test_an_effect_that_is_too_great_to_be_possible_is_not_promised(which: str, most: float) -> None:
    study = figures()
    found = study.scores[0] if which == "scores" else study.deltas[0]
    found = msgspec.structs.replace(found, name=which) if which == "interaction" else found

    def told(mde: float) -> str:
        estimate = msgspec.structs.replace(found.estimate, mde=figure(Fraction(str(mde))))
        return contrast_words(msgspec.structs.replace(found, estimate=estimate))

    assert f"80 % power for {most:.3f}" in told(most)
    assert "no possible effect would be found" in told(most + 0.01)
