"""A study from its plan to V1: scripted players sit in the people's seats."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.commands.report_command import report
from agzamov_verify.commands.score_commands import score
from agzamov_verify.commands.show_command import show
from agzamov_verify.plan.study_order import order_of_play
from bundles.bundle_factory import MODEL, Draft, dice_of, engine_path
from harness.commands import Commands
from harness.sealed_runs import finish, journals, played_so_far, seal, uninterrupted
from people.people_worlds import FakeSurvey, played, study


@pytest.fixture
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as found:
        yield found


needs_engine = pytest.mark.skipif(engine_path() is None, reason="the arms with a tool ask Stockfish")


@pytest.mark.slow
@needs_engine
def test_a_study_of_scripted_people_verifies_to_v1_and_is_played_in_the_drawn_order(tmp_path: Path) -> None:
    order: list[str] = []
    wished = study({"ada": "random", "ben": "random"})
    bundle = played(wished, tmp_path, order=order)
    verdict = verify(bundle, Options(engine_path()))
    assert (verdict.level, verdict.findings) == ("V1", [])
    plan = plan_from(wished)
    for name, turns in order_of_play(plan, dice_of(Draft.of(bundle))).items():
        own = [game for game in order if f"-{name}-" in game]
        assert own == [f"{turn.match}-g{2 * turn.unit + colour:05d}" for turn in turns for colour in (0, 1)]


@pytest.mark.slow
@needs_engine
def test_who_stops_plays_no_further_pair_and_what_was_played_counts(tmp_path: Path) -> None:
    order: list[str] = []
    survey = FakeSurvey(stops={"ada": (4, "tired"), "ben": (0, "no_time")})
    bundle = played(study({"ada": "random", "ben": "random"}), tmp_path, survey, order)
    verdict = verify(bundle, Options(engine_path()))
    assert (verdict.level, verdict.findings) == ("V1", [])
    assert len(order) == 8
    assert not any("-ben-" in game for game in order)


@pytest.mark.slow
@needs_engine
def test_a_model_that_is_asked_planted_questions_is_not_asked_them_once_the_person_stopped(tmp_path: Path) -> None:
    wished = study({"ada": "random", "ben": "random"}, games=6)
    wished["seats"] = {**wished["seats"], "model": MODEL}
    survey = FakeSurvey(stops={"ada": (3, "tired"), "ben": (0, "other")})
    verdict = verify(played(wished, tmp_path, survey), Options(engine_path()))
    assert (verdict.level, verdict.findings) == ("V1", [])


@needs_engine
def test_each_person_is_asked_alike_in_every_arm(tmp_path: Path) -> None:
    survey = FakeSurvey()
    played(study({"ada": "random"}), tmp_path, survey)
    by_arm: dict[str, list[tuple[int, str, tuple[str, ...]]]] = {}
    for one in survey.asked:
        by_arm.setdefault(one.game.rpartition("-")[0], []).append((one.attempt, one.text, one.choices))
    assert len(by_arm) == 3
    assert len({str(asked) for asked in by_arm.values()}) == 1


@pytest.mark.slow
@needs_engine
def test_the_report_of_a_study_has_its_figures_and_every_game(tmp_path: Path) -> None:
    wished = study({"ada": "random", "ben": "random"}, quality={"nodes": 50})
    survey = FakeSurvey(guesses={"4a": "4a", "4b": "4c"}, stops={"ben": (2, "technical")})
    bundle = played(wished, tmp_path, survey)
    done = CliRunner().invoke(report, [str(bundle), "--out", str(tmp_path / "report.html")])
    assert done.exit_code == 0, done.output
    page = (tmp_path / "report.html").read_text()
    for words in ("Machines against people", "How well the arm was hidden", "People's own moves", "stopped: technical"):
        assert words in page
    refused = CliRunner().invoke(score, [str(bundle)])
    assert "a study with people is no part of the Agzamov Score" in str(refused.output) + str(refused.exception)
    shown = CliRunner().invoke(show, [str(bundle), "--game", "p4-chess960-naked-machine-ada-g00001", "--prompts"])
    assert "survey_b is asked: What do you think" in shown.output


@pytest.mark.exhaustive
@needs_engine
def test_a_killed_study_goes_on_where_it_stopped(commands: Commands, tmp_path: Path) -> None:
    wished = json.loads(json.dumps(study({"ada": "random", "ben": "random"})))  # YAML would have anchors
    run = seal(commands, tmp_path, plan=wished)
    claims, calm = uninterrupted(commands, run)
    running = played_so_far(commands, run, 120)
    running.kill()
    assert finish(commands, run) == claims
    assert journals(run) == calm
