"""Figures of a study: planted effects are found, none where none is planted; one person; strata; who stopped."""

from fractions import Fraction

import pytest

from agzamov_verify.scoring.people.over_people import PersonValues, over_people
from agzamov_verify.scoring.people.study_figures import NO_INTERACTION, StudyContrast, StudyFigures, study_figures
from people.planted_studies import made_up, planned, two_strata

EVEN = {"4a": 0.5, "4b": 0.5, "4c": 0.5, "model": 0.5, "model_memory": 0.5}


def figures(plan: object, chances: dict[str, float], seed: int, **world: object) -> StudyFigures:
    found = study_figures(plan, made_up(plan, chances, seed, **world))  # type: ignore[arg-type]
    assert found
    return found


def delta(found: StudyFigures, name: str) -> StudyContrast:
    return next(one for one in found.deltas if one.name == name and not one.stratum)


def is_inside(contrast: StudyContrast, truth: float) -> bool:
    ci = contrast.estimate.ci
    return ci is not None and float(ci.low) <= truth <= float(ci.high)


def test_a_planted_effect_of_the_memory_is_found_and_none_of_the_orchestration() -> None:
    found = figures(planned(12, 6), {**EVEN, "4c": 0.8}, 1)
    assert not is_inside(delta(found, "memory"), 0)
    assert is_inside(delta(found, "memory"), 0.3)
    assert not is_inside(delta(found, "full"), 0)
    assert is_inside(delta(found, "orchestration"), 0)
    assert delta(found, "memory").estimate.over == "people"
    assert delta(found, "memory").estimate.n == (12,)


def coverage(people: int, pairs: int, studies: int, own_effect: float) -> float:
    """The share of studies without any mean effect whose interval of the memory's delta holds 0."""
    plan = planned(people, pairs)
    worlds = (figures(plan, EVEN, seed, own_effect=own_effect) for seed in range(studies))
    return sum(is_inside(delta(one, "memory"), 0) for one in worlds) / studies


@pytest.mark.slow
def test_without_an_effect_none_is_found_more_often_than_said() -> None:
    # 95 % of 100 studies, within 3 standard errors; the seeds are fixed.
    assert 0.88 <= coverage(6, 4, 100, own_effect=0.1) <= 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(("people", "pairs", "own"), [(3, 3, 0.0), (6, 3, 0.2), (12, 6, 0.2)])
def test_intervals_over_few_people_hold_what_they_say(people: int, pairs: int, own: float) -> None:
    assert 0.93 <= coverage(people, pairs, 1000, own) <= 0.985


def test_deltas_are_those_of_the_means_by_hand() -> None:
    plan = planned(2, 3)
    blocks = made_up(plan, EVEN, 5)
    found = study_figures(plan, blocks)
    assert found
    by_hand = {}
    for arm in ("naked-machine", "tools_real_engine-model", "full_real_both-model"):
        wins = [
            sum(
                record.outcomes[index % 2]
                for index, record in enumerate(
                    record for block in blocks[f"p4-chess960-{arm}-{who}"] for record in block.records
                )
            )
            for who in ("p0", "p1")
        ]
        by_hand[arm] = Fraction(sum(wins), 2 * 12)  # half-points of two people in six games each
    scores = {one.name: Fraction(one.estimate.value.exact) for one in found.scores if one.estimate.value}
    assert scores == dict(zip(("4a", "4b", "4c"), by_hand.values(), strict=True))
    values = {one.name: Fraction(one.estimate.value.exact) for one in found.deltas if one.estimate.value}
    assert values["memory"] == scores["4c"] - scores["4b"]
    assert values["full"] == values["orchestration"] + values["memory"]


def test_of_one_person_the_interval_is_over_start_pairs_and_says_so() -> None:
    found = figures(planned(1, 12), {**EVEN, "4a": 0.2, "4b": 0.9}, 3)
    one = delta(found, "orchestration").estimate
    assert (one.over, one.n) == ("start pairs of one person", (12,))
    assert not is_inside(delta(found, "orchestration"), 0)


def test_of_one_person_and_one_pair_nothing_is_known_but_the_value() -> None:
    one = delta(figures(planned(1, 1), EVEN, 3), "memory").estimate
    assert one.value
    assert one.ci is None
    assert one.ci_note == "values of one person"


def test_the_interaction_takes_the_two_further_arms() -> None:
    found = figures(planned(4, 3), EVEN, 1)
    assert (found.interaction, found.no_interaction) == (None, NO_INTERACTION)
    arms = ("4a", "4b", "4c", "model", "model_memory")
    chances = {"4a": 0.5, "4b": 0.4, "4c": 0.8, "model": 0.3, "model_memory": 0.3}
    found = figures(planned(12, 6, arms), chances, 1, spread=0.1)
    assert found.interaction
    assert is_inside(found.interaction, 0.4)
    assert not is_inside(found.interaction, 0)


def test_strata_have_their_own_figures_and_count_by_their_people_in_all() -> None:
    plan = two_strata(8, 4)
    found = figures(plan, EVEN, 2)
    assert found.strata == {"machine": 4, "strong": 4}
    memory = [one for one in found.deltas if one.name == "memory"]
    assert [one.stratum for one in memory] == ["", "machine", "strong"]
    means = [Fraction(one.estimate.value.exact) for one in memory if one.estimate.value]
    assert means[0] == (means[1] + means[2]) / 2
    assert memory[0].estimate.n == (4, 4)


def test_a_difference_between_strata_is_no_spread_between_people() -> None:
    alike = [PersonValues("weak", (Fraction(number, 100),)) for number in (20, 22, 24)]
    other = [PersonValues("strong", (Fraction(number, 100),)) for number in (70, 72, 74)]
    apart = over_people([*alike, *other], "score")
    mixed = over_people([one._replace(stratum="") for one in [*alike, *other]], "score")
    assert apart.ci
    assert mixed.ci
    assert float(apart.ci.high) - float(apart.ci.low) < (float(mixed.ci.high) - float(mixed.ci.low)) / 5
    assert apart.value == mixed.value


def test_who_stops_counts_with_what_was_played_and_what_is_missing_is_bounded() -> None:
    plan = planned(4, 4)
    found = figures(plan, EVEN, 4, pairs={"p1": 2, "p3": 0})
    rows = {one.person: (one.pairs, one.withdrew) for one in found.people}
    assert rows["p0"] == ({"4a": 4, "4b": 4, "4c": 4}, "")
    assert rows["p1"] == ({"4a": 2, "4b": 2, "4c": 2}, "tired")
    assert rows["p3"] == ({"4a": 0, "4b": 0, "4c": 0}, "tired")
    memory = delta(found, "memory")
    assert memory.estimate.n == (3,)
    assert memory.bounds
    # Of 4 people half of one's pairs and all of another's are missing in each arm: 2 * (1/2 + 1) / 4.
    width = Fraction(memory.bounds.high.exact) - Fraction(memory.bounds.low.exact)
    assert width == Fraction(3, 4)
    assert figures(plan, EVEN, 4).deltas[0].bounds is None


def test_a_study_that_nobody_played_has_no_values() -> None:
    found = figures(planned(2, 2), EVEN, 4, pairs={"p0": 0, "p1": 0})
    assert delta(found, "memory").estimate.value is None
    assert found.blinding is None
