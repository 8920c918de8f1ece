"""`agzamov plan`: calls, evaluations, time and cost of matches from positions and of judged moves, counted by hand."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.planning.workload import SAMPLE_DICE, Load, load_of
from agzamov_harness.run.assumptions import Assumptions
from agzamov_harness.run.plan_file import plan_from, read_plan
from agzamov_verify.core.questions import Chat, Evaluate
from agzamov_verify.core.script import Exchanges
from agzamov_verify.games.chess.game import ChessBlock
from agzamov_verify.games.chess.judged_moves import positions_of
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.scripted_players import random_answer
from harness.phase_plans import MANIFESTS, forecast, told

NORMATIVE = (pytest.param("phase2", marks=pytest.mark.slow), "phase3", "phase5")
PROBES = json.loads(Path("verify/agzamov_verify/games/chess/probe_positions.json").read_text())["positions"]
PLIES = 110


def plan(positions: str, games: int = 60, **changes: object) -> Plan:
    match = {"phase": 5, "game": "chess960", "a": "one", "b": "two", "games": games, "positions": positions}
    return plan_from(
        {
            "title": "From positions",
            "seats": {"one": {"kind": "reference"}, "two": {"kind": "reference", "patterns": ["castles_early"]}},
            "matches": [{**match, "condition": {"augmentation": "memory"}}],
            **changes,
        }
    )


def calls(load: Load) -> dict[str, int]:
    return {seat.seat: seat.calls for seat in load.seats}


def asked(played: Plan) -> tuple[dict[str, int], int]:
    """Questions to each seat and to the engine while random players play the whole match."""
    match = played.matches[0]
    seats, evaluations = {"one": 0, "two": 0}, 0
    script = block_script(StreamPlan("whole", match, 0, match.planned), played, SAMPLE_DICE)
    for question, _ in Exchanges(script, random_answer):
        if isinstance(question, Chat):
            seats[question.to] += 1
        evaluations += isinstance(question, Evaluate)
    return seats, evaluations


def test_a_game_from_a_mate_has_the_plies_of_the_mate() -> None:
    """2 n - 1 plies of a mate in n, each with both colours: 110 a game were counted before."""
    plies = sum(2 * position["moves"] - 1 for position in PROBES if position["part"] == "mate")
    load = load_of(plan("mate"), Assumptions())
    assert calls(load) == {"one": plies, "two": plies}
    assert load.evaluations == 0, "a game from a mate is not adjudicated"


def test_no_random_players_ask_for_more_than_is_planned_from_a_mate() -> None:
    """They hardly ever mate, so they play to the limit nearly always."""
    planned = calls(load_of(plan("mate"), Assumptions()))
    seats, evaluations = asked(plan("mate"))
    assert all(0.9 * planned[name] < count <= planned[name] for name, count in seats.items())
    assert evaluations == 0


@pytest.mark.parametrize(("plies", "a_game"), [(110, 100), (80, 80)])
def test_a_game_from_a_won_ending_has_a_hundred_plies_at_most(plies: int, a_game: int) -> None:
    load = load_of(plan("won"), Assumptions(plies=plies))
    assert calls(load) == {"one": 30 * a_game, "two": 30 * a_game}
    assert load.evaluations == 0


@pytest.mark.parametrize(("positions", "questions"), [("slight", 30), ("severe", 30), ("equal", 0)])
def test_white_is_asked_once_who_stands_better_in_half_of_the_games(positions: str, questions: int) -> None:
    load = load_of(plan(positions), Assumptions(plies=20))
    assert calls(load) == {"one": 60 * 10 + questions, "two": 60 * 10}
    assert load.evaluations == 60 * 20
    short = plan(positions, chess960={"plies_max": 4, "adjudication": {"policy": "none"}})
    assert asked(short)[0] == {"one": 60 * 2 + questions, "two": 60 * 2}


def test_judged_moves_are_counted_with_the_position_after_the_last() -> None:
    """At each of N + 1 positions two searches at most, on two cores of 850,000 nodes a second."""
    load = load_of(plan("equal", quality={"nodes": 1_700}), Assumptions(plies=100))
    assert (load.judged, load.searches) == (60 * 101, 2 * 60 * 101)
    assert load.quality_s == Fraction(2 * 60 * 101 * 1_700, 2 * 850_000)
    rest = load_of(plan("equal"), Assumptions(plies=100))
    assert (rest.judged, rest.searches, rest.quality_s) == (0, 0, 0)
    assert load.wall_s - rest.wall_s == load.quality_s


def test_as_many_positions_are_planned_as_the_engine_is_asked_about() -> None:
    """Of games that all end at the ply limit."""
    rules = {"plies_max": 10, "adjudication": {"policy": "none"}}
    played = plan("equal", chess960=rules, quality={"nodes": 1_000})
    match = played.matches[0]
    script = block_script(StreamPlan("whole", match, 0, match.planned), played, SAMPLE_DICE)
    exchanges = Exchanges(script, random_answer)
    for _ in exchanges:
        pass
    block = exchanges.value
    assert isinstance(block, ChessBlock)
    assert load_of(played, Assumptions()).judged == sum(len(list(positions_of(record))) for record in block.records)


def test_hands_are_not_judged() -> None:
    games = {"phase": 1, "game": "chess960", "a": "one", "b": "one", "games": 10}
    hands = {"phase": 1, "game": "holdem", "a": "one", "b": "one", "hands": 1_000}
    both = plan("equal", matches=[games, hands], quality={"nodes": 1_000})
    assert load_of(both, Assumptions(plies=20)).judged == 10 * 21


# --- the three plans of the protocol -------------------------------------------------------------


@pytest.mark.parametrize("name", NORMATIVE)
def test_a_normative_plan_shows_what_it_costs(name: str) -> None:
    prices = {seat: (float(price.input_usd), float(price.output_usd)) for seat, price in prices_of(name).items()}
    load: dict[str, Any] = forecast(name)["load"]
    models = [seat for seat in load["seats"] if seat["kind"] == "openai"]
    assert {seat["seat"] for seat in models} == prices.keys()
    by_hand = sum(
        (seat["prompt_tokens"] * prices[seat["seat"]][0] + seat["reply_tokens"] * prices[seat["seat"]][1]) / 1e6
        for seat in models
    )
    assert float(load["cost_usd"]) == pytest.approx(by_hand)
    assert by_hand > 100


def prices_of(name: str) -> Any:
    return read_plan(MANIFESTS / f"{name}.yaml").prices


@pytest.mark.parametrize("name", NORMATIVE)
def test_its_small_profile_costs_nothing(name: str) -> None:
    assert "calls, 0.00 USD" in told(name, "--small")


@pytest.mark.slow
@pytest.mark.parametrize("name", NORMATIVE)
def test_its_judged_moves_stand_in_a_line_of_their_own(name: str) -> None:
    chess = [match for match in read_plan(MANIFESTS / f"{name}.yaml").matches if match.game == "chess960"]
    plies = {"mate": Fraction(3), "won": Fraction(100)}
    positions = sum(match.planned * (plies.get(match.part, Fraction(PLIES)) + 1) for match in chess)
    assert forecast(name)["load"]["judged"] == int(positions)
    if name != "phase2":  # a second forecast of which takes long
        assert f"quality: {int(positions):,} positions judged after the games" in told(name)


def model_of(game: str) -> Plan:
    size = {"chess960": {"games": 2}, "holdem": {"hands": 200}}[game]
    seats = {"one": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}, "two": {"kind": "random"}}
    return plan_from(
        {"title": "t", "seats": seats, "matches": [{"phase": 0, "game": game, "a": "one", "b": "two", **size}]}
    )


@pytest.mark.parametrize(("game", "other"), [("chess960", "holdem"), ("holdem", "chess960")])
def test_tokens_of_prompts_are_those_of_the_game(game: str, other: str) -> None:
    """Counted with a real tokenizer, chess takes 2.7 characters a token and hold'em 3.4: four were assumed of both."""
    own, foreign = (Assumptions(**{f"{name}_characters_per_token": Fraction(1)}) for name in (game, other))
    plain, as_characters, untouched = (
        next(seat.prompt_tokens for seat in load_of(model_of(game), one).seats if seat.seat == "one")
        for one in (Assumptions(), own, foreign)
    )
    per_token = {"chess960": 2.7, "holdem": 3.4}[game]
    assert as_characters == pytest.approx(per_token * plain, rel=1e-4)
    assert untouched == plain
