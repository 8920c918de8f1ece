"""What `agzamov plan` says of a study, against simulated studies and a formula by hand."""

from fractions import Fraction
from functools import cache
from math import sqrt
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_harness.commands.plan_command import plan_command
from agzamov_harness.planning.forecast import Forecast
from agzamov_harness.planning.spreads import assumed_spreads
from agzamov_harness.planning.study_forecast import (
    _both,
    assumed_draws,
    least_delta,
    study_forecast,
    study_forecast_lines,
    study_warnings,
)
from agzamov_harness.run.assumptions import Assumptions
from agzamov_harness.run.plan_file import plan_from, read_plan
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.scoring.people.study_figures import study_figures
from agzamov_verify.show.study_words import INTERACTION_MOST
from people.people_worlds import SYSTEMS, study
from people.planted_studies import made_up, planned
from people.test_study_figures import EVEN, delta, is_inside


def test_the_least_delta_of_ten_people_is_that_of_a_paired_t_test() -> None:
    # Cohen (1988): a paired t test of 10 values finds 0.996 standard deviations with 80 % power at a two-sided 5 %.
    assert least_delta(10, 4, 0.0, 0.0) / sqrt(1 / 16) == pytest.approx(0.9960, abs=0.001)
    assert least_delta(10, 4, 0.0, 0.1) / sqrt(1 / 16 + 0.01) == pytest.approx(0.9960, abs=0.001)
    assert least_delta(1, 10, 0.0, 0.5) / sqrt(1 / 4) == pytest.approx(0.9960, abs=0.001)
    assert least_delta(1, 1, 0.0, 0.0) == float("inf")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("people", "pairs"), [(8, 6), (16, 4)])
def test_the_least_delta_is_found_in_about_four_of_five_studies(people: int, pairs: int) -> None:
    # Decided games at 0.5 and beside it: variance within 4 % of that of equal players.
    plan, effect, studies = planned(people, pairs), least_delta(people, pairs, 0.0, 0.0), 400
    chances = {**EVEN, "4b": 0.5 - effect / 2, "4c": 0.5 + effect / 2}
    found = 0
    for seed in range(studies):
        figures = study_figures(plan, made_up(plan, chances, seed, spread=0.0))
        assert figures
        found += not is_inside(delta(figures, "memory"), 0)
    assert 0.74 <= found / studies <= 0.9


def test_a_study_is_forecast_with_what_it_asks_of_each_person() -> None:
    plan = plan_from({**study({f"p{number}": "human" for number in range(8)}, games=12), "people": {}})
    forecast = study_forecast(plan, assumed_draws(plan), Fraction(80))
    assert forecast
    assert forecast.hours_each
    assert (forecast.people, forecast.pairs, forecast.games_each) == (8, 6, 36)
    assert forecast.hours_each == pytest.approx(36 * 40 * (20 + 15) / 3600)
    words = " ".join(study_forecast_lines(forecast))
    assert "8 people, 6 start pairs in each arm: 36 games each" in words
    assert "35 % drawn" in words
    assert not forecast.interaction
    with_all = plan_from(study({"p0": "random", "p1": "random"}, arms=("4a", "4b", "4c", "model", "model_memory")))
    other = study_forecast(with_all, assumed_draws(with_all), Fraction(80))
    assert other
    for name, values in other.deltas.items():
        assert other.interaction[name][0] == pytest.approx(sqrt(2) * values[0])


def test_another_plan_has_no_forecast_of_a_study() -> None:
    wished = {
        "title": "Other", "seats": {"dice": {"kind": "random"}},
        "matches": [{"phase": 1, "game": "chess960", "a": "dice", "b": "dice", "games": 2}],
    }  # fmt: skip
    plan = msgspec.convert(wished, Plan)
    assert study_forecast(plan, {}, 80) is None  # type: ignore[arg-type]
    assert list(study_warnings(plan)) == []


@pytest.mark.parametrize(
    ("people", "nodes", "tool_nodes", "settings", "expected"),
    [
        (8, 50, 50, {}, ""),
        (8, 50_000, 50_000, {}, "every delta is zero"),
        (8, 400, 50, {}, "the engine that the model asks has 50 nodes, that of 4a 400"),
        (1, 50, 50, {}, "one person: intervals are over start pairs"),
        (4, 50, 50, {}, "4 people: an interval over so few holds only if"),
        (8, 50, 50, {"hold": None}, "the speed of the answers may tell"),
        (8, 50, 50, {"asks_arm": False}, "nothing will show whether people could tell"),
    ],
)
def test_a_study_that_can_show_nothing_is_warned_of(
    people: int, nodes: int, tool_nodes: int, settings: dict[str, object], expected: str
) -> None:
    wished = study({f"p{number}": "human" for number in range(people)})
    wished["seats"] = {**wished["seats"], "machine": {"kind": "stockfish", "nodes": nodes}}
    wished["systems"] = {**SYSTEMS, "engine": {**SYSTEMS["engine"], "nodes": tool_nodes}}
    wished["people"] = settings
    found = list(study_warnings(plan_from(wished)))
    assert (expected in " ".join(found)) if expected else not found


def test_scripted_players_in_the_places_of_people_are_not_warned_of_speed() -> None:
    """A small profile has them, and holds no answer."""
    wished = {**study({f"p{number}": "random" for number in range(8)}), "people": {"hold": None, "asks_arm": False}}
    assert not any("people." in words for words in study_warnings(plan_from(wished)))


TOGA = {"kind": "uci", "program": "toga2"}


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        ({"kind": "stockfish"}, "4a is Stockfish at 10,000 nodes and full skill, which takes nearly all points"),
        ({"kind": "stockfish", "nodes": 5_000, "skill": 17}, "4a is Stockfish at 5,000 nodes and skill 17"),
        ({"kind": "stockfish", "nodes": 5_000, "skill": 3}, ""),
        (TOGA, "4a is UCI engine at 10,000 nodes and full skill"),
        ({**TOGA, "depth": 12}, "4a is UCI engine at depth 12 and full skill"),
        ({**TOGA, "depth": 2}, ""),
        ({**TOGA, "elo": 3_000}, "4a is UCI engine at Elo 3000"),
        ({**TOGA, "elo": 1_400}, ""),
        ({**TOGA, "nodes": 60}, ""),
        ({"kind": "reference"}, ""),
    ],
)
def test_an_engine_that_nothing_holds_back_is_warned_of_once(machine: dict[str, object], expected: str) -> None:
    wished = study({f"p{number}": "random" for number in range(8)})
    wished["seats"] = {**wished["seats"], "machine": machine}
    found = [one for one in study_warnings(plan_from(wished)) if "every delta is zero" in one]
    assert len(found) == int(bool(expected))
    assert not expected or found[0].startswith(f"machine: {expected}")


@pytest.mark.slow
def test_the_time_of_people_is_told_where_people_sit_and_no_time_without_them() -> None:
    @cache
    def said(*options: str) -> str:
        done = CliRunner().invoke(plan_command, ["manifests/phase4.yaml", *options])
        assert done.exit_code == 0, done.output
        return " ".join(done.output.split())

    assert "at 3 s a reply, and the time that people take" in said()
    assert "hours at 20 s of thought a move" in said()
    assert "Shortest" not in said(), "machines do not shorten it"
    assert "scripted players in the place of people" in said("--small")
    assert "the time that people take" not in said("--small")
    assert "hours at" not in said("--small")
    assert '"hours_each":null' in said("--small", "--json")


@pytest.mark.slow
def test_careers_of_a_study_are_not_offered_to_be_cut_for_each_is_one_person() -> None:
    plan = read_plan(Path("manifests/phase4.yaml"))
    assert Forecast(plan, assumed_spreads(plan, {}, None), [], Assumptions(), None).shorter is None


def test_the_ready_study_has_an_engine_that_is_held_back() -> None:
    assert list(study_warnings(read_plan(Path("manifests/phase4.yaml")))) == []


@pytest.mark.slow
def test_plan_prints_the_forecast_of_a_study(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(msgspec.json.encode(study({"ada": "random", "ben": "random"})).decode())
    for options in ([], ["--details"], ["--json"]):
        done = CliRunner().invoke(plan_command, [str(tmp_path / "plan.yaml"), *options])
        assert done.exit_code == 0, done.output
        assert "people" in done.output
        assert "none of the declared hypotheses" not in done.output


def test_an_interaction_may_be_twice_as_great_as_a_delta() -> None:
    """The plan called one of 1.9 nothing, and verify said that it would be found."""
    assert (_both((1.9,)), _both((1.9,), INTERACTION_MOST), _both((2.1,), INTERACTION_MOST)) == (
        "nothing",
        "1.90",
        "nothing",
    )
