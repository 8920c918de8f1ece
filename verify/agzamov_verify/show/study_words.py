"""A study with people in words: the answer of the first screen, all of its figures, how well the arm was hidden."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from ..checks.late_answers import LateAnswers
from ..core.columns import ascii_words
from ..experiment.people_settings import SubPhase
from ..scoring.analysis import Analysis
from ..scoring.inference.estimate import Estimate
from ..scoring.people.blinding_index import NO_ANSWER, Blinding
from ..scoring.people.over_people import PAIRS_OF_ONE, SINGULAR
from ..scoring.people.own_moves import OwnMoves
from ..scoring.people.study_figures import StudyContrast, StudyFigures

DELTA_WORDS: Final = {
    "orchestration": "A model that asks the engine, less the engine alone (4b - 4a)",
    "memory": "A memory beside model and engine (4c - 4b)",
    "full": "Model, engine and memory, less the engine alone (4c - 4a)",
}
INTERACTION: Final = "interaction"
SCORE_MOST, DELTA_MOST, INTERACTION_MOST = 0.5, 1.0, 2.0
"""The greatest distance of a score from an even one, difference of two scores, and difference of two differences."""
APART: Final = "Phase 4 is no part of the Agzamov Score."
ONE_PERSON: Final = "One person played: intervals are over start pairs, and say nothing of other people."
OVER_PEOPLE: Final = "Intervals are over people, each counting alike; games with one person depend on each other."
ACCUSES_NOBODY: Final = (
    "Who asks an engine for moves shows here; so does who is stronger than declared, or had quiet games. These figures"
    " accuse nobody."
)
EVERY_DELTA_ZERO: Final = 0.95
"""The score of 4a above which the person hardly ever scores, so that no delta can show anything."""


def study_of(analysis: Analysis | None) -> StudyFigures | None:
    """The figures of a study; None of a run that is none."""
    return None if analysis is None or isinstance(analysis.people, msgspec.UnsetType) else analysis.people


def has_deltas(analysis: Analysis | None) -> bool:
    """Whether a study has a delta with an interval."""
    study = study_of(analysis)
    return study is not None and any(one.estimate.ci for one in study.deltas)


def study_answer(study: StudyFigures) -> list[str]:
    """The lines of the first screen: each delta, what limits them, blinding, who stopped."""
    told = [f"{DELTA_WORDS[one.name]}: {_outcome(one)}." for one in study.deltas if not one.stratum]
    if study.blinding:
        told.append(f"{blinding_words(study.blinding)}.")
    return [*told, *filter(None, (too_strong(study), withdrawal_words(study))), APART]


def too_strong(study: StudyFigures) -> str:
    """A warning where the engine alone scores all, or nothing; empty where it does not."""
    alone = next((one.estimate for one in study.scores if one.name == SubPhase.ENGINE.value and not one.stratum), None)
    if alone is None or alone.value is None:
        return ""
    score = float(alone.value.decimal)
    if 1 - EVERY_DELTA_ZERO < score < EVERY_DELTA_ZERO:
        return ""
    much = "nearly all" if score > 1 / 2 else "hardly any"
    return f"The engine alone takes {much} points ({score:.2f} a game): at such a strength no delta can show much."


def withdrawal_words(study: StudyFigures) -> str:
    """How many people stopped, and why; empty where all played on."""
    reasons = Counter(one.withdrew for one in study.people if one.withdrew)
    if not reasons:
        return ""
    why = ", ".join(f"{reason.replace('_', ' ')} {count}" for reason, count in sorted(reasons.items()))
    people = len(study.people)
    return (
        f"{reasons.total()} of {people} {'person' if people == 1 else 'people'} stopped ({why}); what they had played"
        " counts, and details have each figure's bounds for what is missing."
    )


def blinding_words(blinding: Blinding) -> str:
    """Bang's index of all arms, in words."""
    if not any(guess != NO_ANSWER for arm in blinding.arms for guess in arm.guesses):
        return "How blind: not known, since nobody said which arm they thought it was"
    return f"How blind: index {bounded(blinding.overall)} (0: nobody could tell the arm, 1: everybody could)"


def late_words(late: Sequence[LateAnswers]) -> str:
    """How many positions were shown later than their hold, in each arm; empty where nothing was held."""
    arms = ", ".join(f"{one.late:,} of {one.positions:,} in {one.sub_phase}" for one in late)
    return f"{arms} (by attested times): there the machine's own time showed" if arms else ""


def unit_words(study: StudyFigures) -> str:
    """What the intervals of a study are over."""
    is_one = any(one.estimate.over == PAIRS_OF_ONE for one in study.deltas)
    return ONE_PERSON if is_one else OVER_PEOPLE


def study_rows(study: StudyFigures) -> Iterator[tuple[str, str, str]]:
    """Every score and delta: whose, which, and its words."""
    for one in (*study.scores, *study.deltas, *([study.interaction] if study.interaction else [])):
        yield of_stratum(study, one), contrast_name(one), contrast_words(one)
    if study.no_interaction:
        yield "all people", "interaction (draft-H18)", study.no_interaction


def of_stratum(study: StudyFigures, one: StudyContrast) -> str:
    """The people whose figure it is."""
    return f"who met {ascii_words(one.stratum)} ({study.strata[one.stratum]})" if one.stratum else "all people"


def contrast_name(one: StudyContrast) -> str:
    """The figure's name: a score by its sub-phase, a delta by its own."""
    if one.name == INTERACTION:
        return "interaction (4c - 4b) - (model_memory - model)"
    return f"delta {one.name}" if one.name in DELTA_WORDS else f"score {one.name}"


def contrast_words(one: StudyContrast) -> str:
    """A value with its interval, the smallest effect that would be found, and its bounds."""
    bounds, missing = one.bounds, ""
    if bounds:
        missing = f"; with what is missing {_short(bounds.low.decimal)} to {_short(bounds.high.decimal)}"
    return f"{bounded(one.estimate)}{_power(one)}{missing}"


def _power(one: StudyContrast) -> str:
    """The smallest effect that would be found: on a score, on a difference of two, or of two differences."""
    least = one.estimate.mde
    if least is None:
        return ""
    most = DELTA_MOST if one.name in DELTA_WORDS else INTERACTION_MOST if one.name == INTERACTION else SCORE_MOST
    is_possible = float(least.decimal) <= most
    return f", {f'80 % power for {_short(least.decimal)}' if is_possible else 'no possible effect would be found'}"


def bounded(value: Estimate) -> str:
    """A value, its interval and what it is over: `0.12 [0.02, 0.22] over 12 people`."""
    if value.value is None:
        return "no value"
    ci = f"[{_short(value.ci.low)}, {_short(value.ci.high)}]" if value.ci else f"[no interval: {value.ci_note}]"
    return f"{_short(value.value.decimal)} {ci} over {_counted(value)}"


def guess_rows(blinding: Blinding) -> Iterator[tuple[str, str, str]]:
    """For each arm what people thought that it was, and Bang's index."""
    for arm in blinding.arms:
        told = ", ".join(f"{guess} {count}" for guess, count in arm.guesses.items())
        yield arm.arm, told or "nobody was asked", bounded(arm.index)


def own_move_rows(moves: OwnMoves) -> Iterator[tuple[str, str, str, str, str]]:
    """Each person in each sub-phase: who, what they declare, the sub-phase, share of first choices, loss."""
    for one in moves.people:
        share = f"{100 * float(one.first_choice.decimal):.1f} % of {one.moves}"
        loss = f"{float(one.loss_centipawns.decimal):.1f}"
        yield ascii_words(one.person), ascii_words(one.declared) or "nothing", one.sub_phase, share, loss


def person_rows(study: StudyFigures) -> Iterator[tuple[str, str, str, str]]:
    """Each person: whom they met in 4a, pairs by sub-phase, and whether they stopped."""
    for one in study.people:
        pairs = ", ".join(f"{name} {count}" for name, count in one.pairs.items())
        stopped = f"stopped: {one.withdrew.replace('_', ' ')}" if one.withdrew else "played all"
        yield ascii_words(one.person), ascii_words(one.stratum), f"{pairs} of {study.pairs_planned}", stopped


def _outcome(one: StudyContrast) -> str:
    ci = one.estimate.ci
    if ci is None:
        return f"no result, {bounded(one.estimate)}"
    low, high = float(ci.low), float(ci.high)
    shown = "better" if low > 0 else "worse" if high < 0 else "no difference shown"
    return f"{shown}, {bounded(one.estimate)}, in points a game"


def _counted(value: Estimate) -> str:
    n = sum(value.n)
    return f"{n} {value.over}" if n != 1 else f"1 {SINGULAR[value.over]}"


def _short(text: str) -> str:
    return f"{float(text):.3f}"
