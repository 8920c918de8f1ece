"""The figures of a study with people: scores, the three deltas, draft-H18's interaction, blinding, withdrawals.

Scores are the machine's points a game against the person, draws as halves (paper section 4.5, equation 3):

    orchestration = 4b - 4a        memory = 4c - 4b        full = 4c - 4a

`full` is the sum of the other two, whatever was played, so it cannot show that engine and memory add more together
than each alone (draft-H18). That takes the two further arms of a model without an engine:

    interaction = (4c - 4b) - (model_memory - model)

All games that were played count, also those of a person who stopped later (intention to treat). `bounds` are the figure
if every pair that is missing had gone one way or the other (Manski 1990, American Economic Review 80:319).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from ...experiment.matches import MEASURED
from ...experiment.people_settings import SubPhase
from ...plan.manifest import Plan
from ...plan.people_study import Person, is_study, pairs_each, people_of, sub_phases_of
from ...table.game import Block, records_of
from ...table.registry import GAMES
from ..inference.estimate import PAIR_SCORE, Estimate
from ..inference.exact import Figure, figure
from ..quality.quality_questions import Answers
from .blinding_index import Blinding, PersonGuesses, blinding_of
from .over_people import PersonValues, over_people
from .own_moves import OwnMoves, own_moves

DELTAS: Final[Mapping[str, tuple[SubPhase, SubPhase]]] = {
    "orchestration": (SubPhase.ENGINE_MODEL, SubPhase.ENGINE),
    "memory": (SubPhase.ENGINE_MODEL_MEMORY, SubPhase.ENGINE_MODEL),
    "full": (SubPhase.ENGINE_MODEL_MEMORY, SubPhase.ENGINE),
}
INTERACTION: Final = (
    (1, SubPhase.ENGINE_MODEL_MEMORY), (-1, SubPhase.ENGINE_MODEL),
    (-1, SubPhase.MODEL_MEMORY), (1, SubPhase.MODEL),
)  # fmt: skip
NO_INTERACTION: Final = (
    "not estimable: without the arms model and model_memory the full delta is the sum of the other two by definition"
)

Weights = Sequence[tuple[int, SubPhase]]


class Bounds(msgspec.Struct, frozen=True):
    """A figure if all missing pairs had gone against it (`low`), and if all had gone for it (`high`)."""

    low: Figure
    high: Figure


class StudyContrast(msgspec.Struct, frozen=True):
    """A score or a difference of scores of a stratum; "": of all people. `bounds`: None where no pair is missing."""

    stratum: str
    name: str
    estimate: Estimate
    bounds: Bounds | None


class PersonPlayed(msgspec.Struct, frozen=True):
    """Start pairs of one person by sub-phase. `withdrew`: the reason why they stopped; empty where they did not."""

    person: str
    stratum: str
    declared: str
    pairs: dict[str, int]
    withdrew: str


class StudyFigures(msgspec.Struct, frozen=True):
    """All figures of a study. `interaction` is None where `no_interaction` says why.

    `strata`: the number of people who met each engine. `scores`: of each sub-phase, by its name; `deltas`: by theirs;
    both of all people first, then of each stratum where there are several.
    """

    pairs_planned: int
    strata: dict[str, int]
    scores: tuple[StudyContrast, ...]
    deltas: tuple[StudyContrast, ...]
    interaction: StudyContrast | None
    no_interaction: str
    blinding: Blinding | None
    own_moves: OwnMoves | None
    people: tuple[PersonPlayed, ...]


class PairScores(NamedTuple):
    """The machine's points a game in each start pair of one person, by sub-phase, in order."""

    person: Person
    scores: Mapping[SubPhase, tuple[Fraction, ...]]


def study_figures(
    plan: Plan, blocks: Mapping[str, Sequence[Block]], answers: Answers | None = None
) -> StudyFigures | None:
    """The figures of a study from its blocks by match; None of a plan that is none."""
    if not is_study(plan):
        return None
    people, arms, planned = people_of(plan), sub_phases_of(plan), pairs_each(plan)
    played = [PairScores(person, _scores(person, blocks)) for person in people]
    strata = Counter(person.stratum for person in people)
    groups = {"": played}
    if len(strata) > 1:
        groups |= {name: [one for one in played if one.person.stratum == name] for name in strata}
    by_arm = {arm.value: [(1, arm)] for arm in arms}
    by_delta = {name: [(1, one), (-1, other)] for name, (one, other) in DELTAS.items()}
    scores, deltas = (
        tuple(
            StudyContrast(group, name, *_contrast(weights, of_group, planned))
            for group, of_group in groups.items()
            for name, weights in contrasts.items()
        )
        for contrasts in (by_arm, by_delta)
    )
    has_all = {sub_phase for _, sub_phase in INTERACTION} <= set(arms)
    interaction = StudyContrast("", "interaction", *_contrast(INTERACTION, played, planned)) if has_all else None
    guesses = [PersonGuesses(person.stratum, _guesses(person, blocks)) for person in people]
    return StudyFigures(
        planned,
        dict(strata),
        scores,
        deltas,
        interaction,
        "" if has_all else NO_INTERACTION,
        blinding_of(guesses, [one.value for one in arms]),
        own_moves(plan, people, blocks, answers),
        tuple(_played(one, plan, blocks) for one in played),
    )


def _contrast(weights: Weights, played: Sequence[PairScores], planned: int) -> tuple[Estimate, Bounds | None]:
    """A weighted sum of scores over people. Of one person pair by pair, of several by each person's means."""
    has_values = [one for one in played if all(one.scores.get(arm) for _, arm in weights)]
    by_pair = len(has_values) == 1
    values = [
        PersonValues(one.person.stratum, _by_pair(one, weights) if by_pair else (_of_means(one, weights),))
        for one in has_values
    ]
    ends = sum(min(weight, 0) for weight, _ in weights), sum(max(weight, 0) for weight, _ in weights)
    estimate = over_people(values, PAIR_SCORE.unit, ends, is_difference=len(weights) > 1)
    missing = any(len(one.scores.get(arm, ())) < planned for one in played for _, arm in weights)
    return estimate, _bounds(weights, played, planned) if missing else None


def _by_pair(one: PairScores, weights: Weights) -> tuple[Fraction, ...]:
    """The contrast in each block in which all of its arms were played: their pairs share a start."""
    columns = [[weight * score for score in one.scores[arm]] for weight, arm in weights]
    return tuple(sum(row, Fraction(0)) for row in zip(*columns, strict=False))


def _of_means(one: PairScores, weights: Weights) -> Fraction:
    means = (weight * sum(one.scores[arm], Fraction(0)) / len(one.scores[arm]) for weight, arm in weights)
    return sum(means, Fraction(0))


def _bounds(weights: Weights, played: Sequence[PairScores], planned: int) -> Bounds:
    """Each person counts alike, with all planned pairs: a missing one is 0 or 1 point a game."""

    def total(missing_when: Callable[[int], int]) -> Fraction:
        values = (
            weight * (sum(scores, Fraction(0)) + (planned - len(scores)) * missing_when(weight)) / planned
            for one in played
            for weight, arm in weights
            if (scores := one.scores.get(arm, ())) is not None
        )
        return sum(values, Fraction(0)) / len(played)

    return Bounds(figure(total(lambda weight: int(weight < 0))), figure(total(lambda weight: int(weight > 0))))


def _scores(person: Person, blocks: Mapping[str, Sequence[Block]]) -> dict[SubPhase, tuple[Fraction, ...]]:
    return {
        sub_phase: pair_scores(match.game, records_of(blocks.get(match.id, ())))
        for sub_phase, match in person.matches.items()
    }


def pair_scores(game: str, records: Sequence[object]) -> tuple[Fraction, ...]:
    """The machine's points a game in each whole start pair."""
    won = [
        record.outcomes[GAMES[game].order(record, index).index(MEASURED)]  # type: ignore[attr-defined]
        for index, record in enumerate(records)
    ]
    return tuple((won[first] + won[first + 1]) * PAIR_SCORE.factor for first in range(0, len(won) - 1, 2))


def _guesses(person: Person, blocks: Mapping[str, Sequence[Block]]) -> dict[str, tuple[str, ...]]:
    return {
        sub_phase.value: tuple(
            guess for block in blocks.get(match.id, ()) if block.survey for guess in block.survey.guesses
        )
        for sub_phase, match in person.matches.items()
    }


def _played(one: PairScores, plan: Plan, blocks: Mapping[str, Sequence[Block]]) -> PersonPlayed:
    person = one.person
    surveys = [block.survey for match in person.matches.values() for block in blocks.get(match.id, ())]
    reasons = [survey.withdrew.value for survey in surveys if survey and survey.withdrew]
    pairs = {sub_phase.value: len(scores) for sub_phase, scores in one.scores.items()}
    return PersonPlayed(
        person.name, person.stratum, plan.seats[person.name].declared, pairs, reasons[0] if reasons else ""
    )
