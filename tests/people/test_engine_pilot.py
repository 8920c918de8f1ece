"""`agzamov pilot`: people's games against an engine at several strengths, out of bundles that verify."""

import json
import re
import shutil
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import yaml
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.planning.engine_pilot import EnginePilot, NoPilot, PilotMatch, engine_pilot, pilot_matches
from agzamov_harness.planning.engine_pilot_text import chosen_value, pilot_plain, plan_lines
from agzamov_harness.planning.engine_strength import Setting, engine_at
from agzamov_harness.planning.full_strength import pilot_warnings
from agzamov_harness.planning.half_score import Why
from agzamov_harness.run.plan_file import plan_from, read_plan
from agzamov_verify.core.questions import Answer, Question
from agzamov_verify.seats import Seat, StockfishSeat, UciSeat
from bundles.bundle_factory import TINY, engine_path, make, world_of
from people.people_worlds import study
from people.planted_studies import made_up

needs_engine = pytest.mark.skipif(engine_path() is None, reason="Stockfish plays and is asked again")
PEOPLE = {"ada": 100, "ben": 100, "cem": 100}
"""Nodes of the engine that plays for each of them."""
NODES = (1, 3_000)


def pilot_plan(people: tuple[str, ...], kind: str = "human", games: int = 4, nodes: tuple[int, ...] = NODES) -> Any:
    """A plan of so many games of each person against the engine at each strength."""
    engines = {f"engine_{number}": {"kind": "stockfish", "nodes": one} for number, one in enumerate(nodes)}
    return {
        "title": "Pilot",
        "protocol": "play-0.1",
        "seats": {**engines, **{name: {"kind": kind} for name in people}},
        "chess960": {"adjudication": {"policy": "material", "threshold_points": 3, "plies": 2}, "plies_max": 60},
        "matches": [
            {"phase": 6, "game": "chess960", "a": name, "b": engine, "games": games}
            for name in people
            for engine in engines
        ],
    }


def played(wished: Any, folder: Path, nonce: int = 0) -> Path:
    """The bundle of a pilot in which an engine plays for each person."""
    stand_ins = {
        name: {"kind": "stockfish", "nodes": PEOPLE[name]} if name in PEOPLE else seat
        for name, seat in wished["seats"].items()
    }
    world = world_of(plan_from({**wished, "seats": stand_ins}), engine_path())

    def answer(question: Question) -> Answer:
        return world(question)

    try:
        return make(wished, folder, answer, nonce)
    finally:
        world.close()


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(pilot_plan(tuple(PEOPLE)), tmp_path_factory.mktemp("pilot"))


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random players who lose every game."""
    wished = pilot_plan(("dice_1", "dice_2"), kind="random", nodes=(600,))
    return played(wished, tmp_path_factory.mktemp("lost"))


def typed(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


@pytest.mark.slow
@needs_engine
def test_the_strength_of_a_pilot_is_printed_with_the_lines_of_the_plan(bundle: Path) -> None:
    done = typed("pilot", bundle)
    assert done.exit_code == 0, done.output
    words = " ".join(done.output.split())
    assert "24 games of 3 people, in 1 bundle, verified here" in words
    found = re.search(r"Half (\d+) nodes?: there the engine is expected to score one half", words)
    assert found
    assert f"machine: {{kind: stockfish, nodes: {found[1]}}}" in words
    assert f"engine: {{kind: tools, nodes: {found[1]}}}" in words
    assert "WARNING" not in words
    ends = re.search(r"95 % interval (\d+) nodes to (\d+) nodes", words)
    assert ends
    assert int(ends[1]) < int(found[1]) < int(ends[2])


@needs_engine
def test_a_changed_bundle_is_refused(bundle: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(bundle, changed)
    results = changed / "data" / "results" / "results.json"
    results.write_bytes(results.read_bytes().replace(b"1", b"2", 1))
    done = typed("pilot", changed)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "expected a bundle that passes its check" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@needs_engine
def test_a_run_counts_once(lost: Path, tmp_path: Path) -> None:
    shutil.copytree(lost, tmp_path / "again")
    done = typed("pilot", lost, tmp_path / "again")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "expected every run once" in done.stderr


@pytest.mark.slow
@needs_engine
def test_a_person_in_two_bundles_is_one_person(lost: Path, tmp_path: Path) -> None:
    other = played(pilot_plan(("dice_1",), "random", 2, (600,)), tmp_path, nonce=1)
    document = json.loads(typed("pilot", lost, other, "--json").stdout)
    assert (document["people"], len(document["bundles"])) == (["dice_1", "dice_2"], 2)
    assert [(one["games"], one["people"]) for one in document["strengths"]] == [(10, 2)]
    assert (document["half"], document["why_none"]) == (None, "won_all")


@needs_engine
def test_scripted_players_in_the_place_of_people_are_named_and_an_engine_that_won_all_is_refused(lost: Path) -> None:
    done = typed("pilot", lost)
    assert done.exit_code == 1
    assert "scripted players sat in the place of people (dice_1, dice_2)" in " ".join(done.stdout.split())
    assert done.stderr == "error: the engine won all 8 games: play it weaker than 600 nodes\n"


@pytest.mark.slow
@needs_engine
def test_plan_says_that_by_the_pilots_bundle_every_delta_is_zero(lost: Path, tmp_path: Path) -> None:
    wished = study({f"p{number}": "random" for number in range(8)})
    wished["seats"] = {**wished["seats"], "machine": {"kind": "stockfish", "nodes": 700}}
    (tmp_path / "study.yaml").write_text(json.dumps(wished))
    alone, by_pilot = (typed("plan", tmp_path / "study.yaml", *words) for words in ([], ["--from", lost]))
    assert (alone.exit_code, by_pilot.exit_code) == (0, 0), by_pilot.output
    assert "every delta is zero" not in " ".join(alone.output.split())
    said = " ".join(by_pilot.output.split())
    assert "in the pilot it scored 1.00 of a point a game at 600 nodes (this plan has 700 nodes), so that every" in said


def test_a_bundle_of_other_players_and_a_folder_that_is_none_are_refused(tmp_path: Path) -> None:
    """Self-play of reference players counts for nobody."""
    done = typed("pilot", make(TINY, tmp_path))
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("error: expected games of people against an engine")
    assert len(done.stderr.splitlines()) == 1
    done = typed("pilot", tmp_path)
    assert done.exit_code == 2
    assert "this folder is not a bundle" in done.stderr


# --- matches given straight ------------------------------------------------------------------------

RISING = {10: (0, 0, 1, 0), 360: (1, 1, 0, 1)}


def match(person: str, seat: Seat, points: tuple[float, ...], run: str = "r1", **changes: Any) -> PilotMatch:
    engine = engine_at(seat)
    assert engine
    exact = tuple(Fraction(one) for one in points)
    return PilotMatch(run, person, True, seat, engine, "chess960", None, exact)._replace(**changes)


def pilot_of(by_nodes: dict[int, tuple[float, ...]], people: int = 8) -> EnginePilot:
    return engine_pilot(matches_of(by_nodes, people))


def matches_of(by_nodes: dict[int, tuple[float, ...]], people: int = 8) -> list[PilotMatch]:
    return [
        match(f"p{number}", StockfishSeat(nodes=nodes), points)
        for number in range(people)
        for nodes, points in by_nodes.items()
    ]


def test_a_pilot_that_rises_evenly_has_its_half_in_the_middle() -> None:
    found = pilot_of(RISING)
    assert found.half
    assert chosen_value(found.setting, found.half) == 60
    assert not found.has_unlike_people
    half: Any = pilot_plain(found, ())["half"]
    assert (half["value"], half["score"]) == (60, "0.500000")
    assert float(half["ci"][0]) * float(half["ci"][1]) == pytest.approx(3_600)


@pytest.mark.parametrize(
    ("why", "by_nodes", "people", "words"),
    [
        (Why.WON_ALL, {10: (1, 1), 60: (1, 1)}, 8, "the engine won all 32 games: play it weaker than 10 nodes"),
        (Why.LOST_ALL, {10: (0, 0), 60: (0, 0)}, 8, "the engine lost all 32 games: play it stronger than 60 nodes"),
        (Why.ONE_STRENGTH, {60: (0, 1)}, 8, "the engine played at 60 nodes alone"),
        (Why.FEW_PEOPLE, RISING, 2, "expected 3 people or more, found 2"),
        (Why.FEW_GAMES, {10: (0, 1), 360: (1, 0)}, 2, ""),
        (
            Why.SEPARATED,
            {10: (0, 0), 360: (1, 1)},
            8,
            "it took no point below 360 nodes, and every point above 10 nodes",
        ),
        (Why.NO_RISE, {10: (1, 1, 0, 1), 360: (0, 0, 1, 0)}, 8, "not shown to rise from 10 nodes to 360 nodes"),
        (Why.SEPARATED, {10: (0, 0.5), 360: (1, 1)}, 8, "both sides took points at 10 nodes alone"),
        (Why.OUTSIDE, {10: (0,) * 20, 60: (0,) * 13 + (1,) * 7}, 8, ""),
    ],
)
def test_a_pilot_that_does_not_say_it_has_one_line_of_advice(
    why: Why, by_nodes: dict[int, tuple[float, ...]], people: int, words: str
) -> None:
    found = pilot_of(by_nodes, people)
    assert found.half is None
    if words:
        assert found.why_none is why
        assert words in found.advice
    assert "\n" not in found.advice


def test_who_met_one_strength_alone_is_told_of() -> None:
    found = engine_pilot([*matches_of(RISING), match("late", StockfishSeat(nodes=10), (0, 1))])
    assert found.has_unlike_people


ELO = [UciSeat(program="toga2", nodes=1_000, elo=elo, hash_mib=32) for elo in (1_200, 2_000)]
SKILL = [StockfishSeat(nodes=1_000, skill=skill) for skill in (2, 12)]
PLIES = [UciSeat(program="x}, a: {#", depth=depth, options={"Contempt": "0"}) for depth in (1, 5)]
LEVELS = [UciSeat(program="toga2", nodes=90, options={"Skill Level": level}) for level in ("2", "12")]


@pytest.mark.parametrize(
    ("seats", "lines"),
    [
        (ELO, "machine: {kind: uci, program: toga2, nodes: 1000, elo: 1600, hash_mib: 32}"),
        (SKILL, "machine: {kind: stockfish, nodes: 1000, skill: 7}"),
        (PLIES, 'machine: {kind: uci, program: "x}, a: {#", depth: 3, options: {Contempt: "0"}}'),
        (LEVELS, 'machine: {kind: uci, program: toga2, nodes: 90, options: {Skill Level: "7"}}'),
    ],
)
def test_other_settings_than_nodes_are_found_as_well(seats: list[Seat], lines: str) -> None:
    points = list(RISING.values())
    found = engine_pilot([match(f"p{n}", seats[at], points[at]) for n in range(8) for at in (0, 1)])
    assert found.half
    printed = plan_lines(found, chosen_value(found.setting, found.half))
    assert printed[0].startswith(lines)
    assert "two engines" in printed[1]
    seat = msgspec.convert(yaml.safe_load(printed[0])["machine"], type(seats[0]))
    back, first = engine_at(seat), engine_at(seats[0])
    assert back
    assert first
    assert back.others(found.setting) == first.others(found.setting)


def test_games_of_a_studys_4a_count_and_those_of_its_other_arms_do_not() -> None:
    wished = study({"ada": "random", "ben": "human"}, games=4)
    wished["seats"] = {**wished["seats"], "machine": {"kind": "stockfish", "nodes": 60}}
    plan = plan_from(wished)
    blocks = made_up(plan, {"4a": 1, "4b": 0.5, "4c": 0}, 1, spread=0)
    verdict: Any = SimpleNamespace(manifest=SimpleNamespace(plan=plan, run_id="r"), blocks=blocks)
    found = [
        (one.person, one.is_person, one.engine.limits[Setting.NODES], one.points) for one in pilot_matches(verdict)
    ]
    assert found == [("ada", False, 60, (1, 1, 1, 1)), ("ben", True, 60, (1, 1, 1, 1))]


def test_an_end_beyond_everything_has_words() -> None:
    assert [Setting.NODES.words(Setting.NODES.setting_at(x)) for x in (-1e4, 0.0, 1e6)] == [
        "less than 1 node", "1 node", "more nodes than anybody has",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("other", "changes", "words"),
    [
        (StockfishSeat(nodes=60, skill=3), {}, "differ in one setting, found nodes and skill"),
        (UciSeat(program="toga2", nodes=60), {}, "found Stockfish limited by nodes and skill, and toga2 by nodes"),
        (StockfishSeat(nodes=60), {"game": "chess"}, "expected one game"),
        (StockfishSeat(nodes=60), {"rules": 1}, "expected the rules of run r1"),
    ],
)
def test_games_that_are_not_alike_are_refused(other: Seat, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(NoPilot, match=words):
        engine_pilot([match("p0", StockfishSeat(nodes=10), (0, 1)), match("p1", other, (0, 1), **changes)])


def test_no_games_are_refused_with_what_to_play() -> None:
    with pytest.raises(NoPilot, match=r"manifests/people-pilot\.yaml"):
        engine_pilot([])


# --- what `agzamov plan` says ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "by_nodes", "words"),
    [
        (60, RISING, ""),
        (60, {60: (1,) * 9 + (0,)}, "it scored 0.90 of a point a game at 60 nodes, so that every delta is zero"),
        (60, {10: (1, 1)}, "it scored 1.00 of a point a game at 10 nodes (this plan has 60 nodes)"),
        (60, {360: (0, 0)}, "it scored 0.00 of a point a game at 360 nodes (this plan has 60 nodes)"),
        (60, {360: (1, 1), 10: (0, 0)}, ""),
        (3_000, RISING, "by the pilot's curve it scores"),
    ],
)
def test_a_plan_is_warned_of_by_a_pilot(nodes: int, by_nodes: dict[int, tuple[float, ...]], words: str) -> None:
    wished = study({f"p{number}": "random" for number in range(8)})
    wished["seats"] = {**wished["seats"], "machine": {"kind": "stockfish", "nodes": nodes}}
    found = list(pilot_warnings(plan_from(wished), matches_of(by_nodes)))
    assert (len(found), words in " ".join(found)) == (int(bool(words)), True)


def test_the_ready_pilot_has_everybody_play_both_strengths_of_the_engine() -> None:
    plan = read_plan(Path("manifests/people-pilot.yaml"))
    people = [name for name, seat in plan.seats.items() if seat.is_person]
    engines = [name for name in plan.seats if name not in people]
    assert sorted(match.seats for match in plan.matches) == sorted((one, two) for one in people for two in engines)
    assert (len(people), {plan.seats[name].engine_nodes for name in engines}) == (8, {10, 360})
