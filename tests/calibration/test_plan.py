"""`agzamov plan`: what can be detected, by the formulas of statsmodels; what a run takes, counted by hand."""

import json
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from click.testing import CliRunner, Result
from scipy.stats import binom, norm
from statsmodels.stats.power import TTestPower

from agzamov_harness.cli import main
from agzamov_harness.planning.workload import load_of, prompt_characters
from agzamov_harness.run.assumptions import Assumptions
from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core import canon
from agzamov_verify.games.chess.planning import DRAWS, chess_scorings
from agzamov_verify.games.holdem.planning import BENCHMARK_CUTS, CUTS, SESSION_SDS, poker_scorings
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.scoring.sample_sizes import (
    CAREER_ICC,
    STORE_OFFSET,
    Arms,
    Scoring,
    detectable,
    needed,
    one_match,
    paper_note,
    power_of,
    two_arms,
)
from agzamov_verify.show import glossary

SCORE, WINS = chess_scorings()
RAW, ALL_IN, STREET_EQUITY, BASELINE, *MIRRORED = poker_scorings(CUTS)
FIVE, ONE = Fraction(1, 20), Fraction(1, 100)
ENDPOINT = {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m", "concurrency": 4, "tokens_max": 200}


@pytest.mark.parametrize("alpha", [FIVE, ONE])
@pytest.mark.parametrize("results", [1_000, 10_000])
def test_what_sessions_detect_is_what_statsmodels_says(results: int, alpha: Fraction) -> None:
    for design, side, spread in (
        (one_match(RAW, results, alpha), "two-sided", 1),
        (two_arms(RAW, results, alpha), "larger", 2),
    ):
        given = {"nobs": results // 100, "alpha": float(alpha), "power": 0.8, "alternative": side}
        expected = float(TTestPower().solve_power(**given)) * float(RAW.sd) * spread**0.5
        found = detectable(design)
        assert found == pytest.approx(expected, rel=1e-4)
        assert power_of(design, found or 0.0) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("scoring", [SCORE, WINS])
@pytest.mark.parametrize("games", [30, 100, 500])
def test_what_pairs_detect_is_found_as_often_by_the_test_itself(scoring: Scoring, games: int) -> None:
    """The spread at the effect, and ties: with the spread at no effect a win rate was promised 80 % and had 73 %."""
    for design in (one_match(scoring, games, FIVE), two_arms(scoring, games, ONE)):
        effect = detectable(design)
        assert effect is not None
        assert power_of(design, effect) == pytest.approx(0.8, abs=1e-3)
        assert power_of(design, 0.9 * effect) < 0.79


def test_a_win_rate_near_one_half_spreads_more_than_one_near_a_third() -> None:
    assert WINS.variance_at(0.175) == pytest.approx(0.125)
    assert WINS.variance_at(0.0) == pytest.approx(0.325 * 0.675 / 2)
    naive = float(TTestPower().solve_power(nobs=15, alpha=0.05, power=0.8)) * float(WINS.sd)
    assert power_of(one_match(WINS, 30, FIVE), naive) == pytest.approx(0.73, abs=0.02)


@pytest.mark.parametrize("scoring", [SCORE, WINS])
@pytest.mark.parametrize("effect", [0.0, 0.1, 0.3, 0.45, 0.5, 0.675])
def test_no_chance_is_below_nothing_or_above_all(scoring: Scoring, effect: float) -> None:
    assert scoring.pairs is not None
    if effect > scoring.reach:
        return
    chances = scoring.pairs.chances(effect)
    assert min(chances.values()) >= 0
    assert sum(chances.values()) == pytest.approx(1)
    mean = sum(value * chance for value, chance in chances.items())
    assert (mean - float(scoring.pairs.null)) * float(scoring.pairs.factor) == pytest.approx(effect)


def test_an_effect_that_cannot_be_is_none() -> None:
    """Six games: 2.09 points of score were printed once, and there is only one half."""
    assert detectable(one_match(SCORE, 6, FIVE)) is None
    assert detectable(one_match(WINS, 6, FIVE)) is None
    assert detectable(two_arms(WINS, 20, ONE, 2, Fraction(1, 100))) is None
    short = poker_scorings(CUTS, stack_bb=Fraction(1, 2))[0]
    assert short.reach == 50
    assert detectable(one_match(short, 1_000, FIVE)) is None
    assert detectable(one_match(short, 10_000, FIVE)) == pytest.approx(25.46, abs=0.01)


def test_ten_thousand_hands_detect_25_and_not_4_bb_per_100() -> None:
    note = paper_note()
    assert (note.sessions_needed, note.hands_needed) == (3_969, 396_900)
    assert float(note.detects) == pytest.approx(25.2)
    assert needed(RAW, Fraction(4), Arms.ONE, FIVE) == 397_600


def test_ten_thousand_hands_of_random_like_play_detect_112_bb_per_100() -> None:
    (*_, wide) = SESSION_SDS
    raw = poker_scorings(CUTS, sd=wide)[0]
    assert detectable(one_match(raw, 10_000, FIVE)) == pytest.approx(112.3, abs=0.1)
    assert detectable(two_arms(raw, 10_000, ONE)) == pytest.approx(180.3, abs=0.1)


def test_with_one_size_less_the_power_is_not_reached() -> None:
    effect = Fraction(1, 20)
    size = needed(SCORE, effect, Arms.ONE, FIVE)
    powers = [power_of(one_match(SCORE, games, FIVE), float(effect)) for games in (size, size - 2)]
    assert powers[0] >= 0.8 > powers[1]


def test_spreads_are_those_of_the_textbook() -> None:
    assert float(SCORE.sd) == pytest.approx((0.65 / 8) ** 0.5)
    assert float(WINS.sd) == pytest.approx((0.325 * 0.675 / 2) ** 0.5)
    assert (RAW.sd, RAW.unit_results) == (90, 100)
    for found, cut in zip((RAW, ALL_IN, STREET_EQUITY, BASELINE, *MIRRORED), CUTS, strict=True):
        hands = 200 if cut.mirrored else 100
        assert found.unit_results == hands
        assert float(found.sd) == pytest.approx(90 * (100 / hands / float(cut.least)) ** 0.5)


def test_ranges_are_from_narrow_to_wide() -> None:
    sds = [chess_scorings(draws)[0].sd for draws in DRAWS]
    assert sds == sorted(sds)
    assert [one.value for one in SESSION_SDS] == sorted(one.value for one in SESSION_SDS)


def test_a_session_of_50_hands_has_a_wider_spread_and_the_same_need() -> None:
    (short, *_) = poker_scorings(CUTS, 50)
    assert float(short.sd) == pytest.approx(90 * 2**0.5)
    whole, half = (needed(one, Fraction(10), Arms.ONE, FIVE) for one in (RAW, short))
    assert abs(whole - half) <= 100


def test_less_than_two_units_detect_nothing() -> None:
    assert detectable(one_match(RAW, 199, FIVE)) is None
    assert detectable(one_match(RAW, 200, FIVE)) is not None


# --- careers -------------------------------------------------------------------------------------


def test_the_variance_of_a_career_is_kishs_design_effect() -> None:
    """SD^2 / m (1 + (m - 1) ICC) for the mean of m units, over k careers; the control has no store."""
    icc, k, m = Fraction(1, 20), 5, 20
    (block,) = two_arms(RAW, 100 * k * m, ONE, k, icc).blocks
    assert block.df == k - 1
    expected = (90**2 * (1 + (m - 1) * 0.05) + 90**2) / (k * m)
    assert block.squared_error(0.0) == pytest.approx(expected)


def test_without_correlation_careers_cost_degrees_of_freedom_alone() -> None:
    design = two_arms(RAW, 10_000, ONE, 5, Fraction(0))
    expected = float(TTestPower().solve_power(nobs=5, alpha=0.01, power=0.8, alternative="larger"))
    assert detectable(design) == pytest.approx(expected * 90 * (2 / 20) ** 0.5, rel=1e-4)


def test_more_careers_of_the_same_games_find_smaller_effects_and_one_finds_none() -> None:
    found = [detectable(two_arms(SCORE, 500, ONE, k, CAREER_ICC.value)) for k in (1, 2, 5, 10)]
    assert found[:2] == [None, None]
    assert found[2] == pytest.approx(0.137, abs=0.001)
    assert found[3] == pytest.approx(0.100, abs=0.001)
    independent = detectable(two_arms(SCORE, 500, ONE))
    assert independent is not None
    assert all(effect > independent for effect in found[2:] if effect)


def test_the_assumed_correlation_is_that_of_the_named_offset() -> None:
    variance = float(STORE_OFFSET) ** 2
    assert variance / (variance + float(SCORE.sd) ** 2) == pytest.approx(float(CAREER_ICC.value), abs=5e-4)


# --- what a run takes ----------------------------------------------------------------------------


def plan(**changes: object) -> Plan:
    wished = {
        "title": "Planned",
        "seats": {"model": ENDPOINT, "dice": {"kind": "random"}},
        "chess960": {"adjudication": {"policy": "none"}},
        "matches": [
            {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 30},
            {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": 1_000},
        ],
    }
    return plan_from({**wished, **changes})


def test_calls_tokens_cost_and_time_by_hand() -> None:
    prices = {"model": {"input_usd": "2", "output_usd": "8"}}
    given = Assumptions(plies=80, reply_tokens=150, seconds_per_call=Fraction(2))
    load = load_of(plan(prices=prices), given)
    seats = {seat.seat: seat for seat in load.seats}
    # Planted, of 1,200 decisions: 1.34 (6 + 9.6) common and 2 (3 + 3.6) again, so 35; of 2,200 of a seat, 51.
    planted = 35 + 2 * 51
    calls = 30 * 40 + 2 * 2_200 + planted
    assert (seats["model"].calls, seats["dice"].calls) == (calls, 30 * 40)
    assert (load.planted.calls, load.planted.share) == (planted, Fraction(planted, calls))
    assert seats["model"].reply_tokens == calls * 150
    expected = Fraction(seats["model"].prompt_tokens * 2 + calls * 150 * 8, 10**6)
    assert load.cost_usd == seats["model"].cost_usd == expected
    assert load.wall_s == seats["model"].wall_s == calls * 2 / Fraction(4)
    assert load.evaluations == 0


def test_a_reply_is_never_longer_than_the_seat_allows_and_a_game_than_the_rules() -> None:
    short = plan(chess960={"adjudication": {"policy": "none"}, "plies_max": 20})
    (model, dice) = load_of(short, Assumptions(reply_tokens=10_000)).seats
    assert model.reply_tokens == model.calls * 200
    assert dice.calls == 30 * 10


def test_a_limit_on_calls_a_minute_is_the_wall_when_it_is_the_slowest() -> None:
    seats = {"model": {**ENDPOINT, "requests_per_minute": 10}, "dice": {"kind": "random"}}
    load = load_of(plan(seats=seats), Assumptions())
    assert load.wall_s == 6 * load.seats[0].calls


def test_the_engine_is_asked_after_every_ply() -> None:
    load = load_of(plan(chess960={}), Assumptions(plies=100))
    assert load.evaluations == 30 * 100
    assert load.engine_s == Fraction(3_000 * 50_000, 2 * 850_000)


def test_tools_take_as_much_as_the_plan_allows_at_each_decision_of_their_seat() -> None:
    seats = {"one": {"kind": "reference"}, "other": {"kind": "reference"}}
    condition = {"augmentation": "tools", "arm": "real", "system": "tools"}
    chess = {"phase": 2, "game": "chess960", "a": "one", "b": "other", "games": 4, "condition": condition}
    hands = {"phase": 2, "game": "holdem", "a": "one", "b": "other", "hands": 1_000, "condition": condition}

    def tools(comparisons_max: int, *matches: dict[str, Any]) -> tuple[int, Fraction]:
        system = {"kind": "tools", "candidates_max": 3, "nodes": 17_000, "comparisons_max": comparisons_max}
        load = load_of(plan(seats=seats, systems={"tools": system}, matches=list(matches)), Assumptions(plies=100))
        assert load.wall_s == sum(seat.wall_s for seat in load.seats) + load.tool_s
        return load.tool_answers, load.tool_s

    assert tools(990, chess) == (4 * 50, 200 * Fraction(3 * 17_000, 2 * 850_000))
    assert tools(4_500, hands) == (2_200, 2_200 * Fraction(4_500, 450_000))
    assert tools(2_000_000, hands)[1] == 2_200 * Fraction(1_070_190, 450_000)
    assert tools(4_500, chess, hands) == (2_400, tools(990, chess)[1] + tools(4_500, hands)[1])
    assert tools(990, {**chess, "condition": {"augmentation": "tools"}}) == (0, 0)


def test_prompts_are_measured_with_what_the_seat_is_told() -> None:
    text = "It likes the colour blue."
    seats = {"model": {**ENDPOINT, "briefing": text}, "dice": {"kind": "random"}}
    sizes = [prompt_characters(one, one.matches[0], Assumptions()) for one in (plan(), plan(seats=seats))]
    assert sizes[1]["model"].asked - sizes[0]["model"].asked == len("\nOpponent profile:\n") + len(text)
    assert sizes[1]["dice"] == sizes[0]["dice"]
    assert sizes[0]["dice"].asked > 1_000


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(
        "title: T\nseats:\n  model: {kind: reference}\n"
        "matches:\n  - {phase: 1, game: holdem, a: model, b: model, hands: 10000}\n"
    )
    return path


def command(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["plan", "--details", *map(str, arguments)])


@pytest.mark.slow
def test_the_command_says_what_the_papers_note_is_worth(file: Path) -> None:
    found = command(file, "--effect", "poker=4")
    assert found.exit_code == 0, found.output
    assert "does not hold for raw results" in found.output
    assert "(2.8 x 90 / 4)^2 = 3,969 sessions of 100 = 396,900 hands; 10,000 hands detect 25 bb/100" in " ".join(
        found.output.split()
    )
    assert "397,600" in found.output
    assert "44,000 calls" in found.output
    assert "decisions per poker hand, both players together (--decisions-per-hand)" in found.output


def test_an_assumption_can_be_replaced(file: Path) -> None:
    found = command(file, "--session-sd", "45", "--decisions-per-hand", "5.0")
    assert "50,000 calls" in found.output
    assert "SD of 100 hands 45 bb/100: --session-sd" in found.output
    assert "90 bb/100" not in found.output


def test_json_is_canonical_and_says_the_same(file: Path) -> None:
    found = command(file, "--effect", "poker=4", "--json")
    told = canon.loads(found.output.strip().encode())
    assert told == json.loads(found.output)
    assert told["paper_note"]["hands_needed"] == 396_900  # type: ignore[index, call-overload]
    (raw,) = [row for row in told["detectable"] if row["method"] == "raw"]  # type: ignore[index, call-overload, union-attr]
    assert [float(effect) for effect in raw["one_match"]] == pytest.approx([25.4621, 51.4901, 112.3163], abs=1e-4)
    assert [float(effect) for effect in raw["two_arms"]] == pytest.approx([40.8823, 82.6731, 180.3365], abs=1e-4)
    assert [row["spread"] for row in told["spreads"]] == ["narrow", "middle", "wide"]  # type: ignore[index, call-overload, union-attr]


@pytest.mark.slow
def test_what_nobody_knows_or_can_be_is_not_printed_as_a_figure(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(SHORT)
    told = " ".join(command(path).output.split())
    assert "cost unknown (no price in the plan)" in told
    assert "0.00 USD" not in told
    assert "score by pairs none none none none none none" in told
    assert "none: cannot detect any possible effect at this size" in told
    assert "SD of 100 hands" not in told
    assert "this Phase 0 can never be passed: 4 wins of 4 games have p 0.0625" in told
    assert "needs at least 5 games" in told
    assert max(map(len, command(path).output.splitlines())) <= 100
    assert json.loads(command(path, "--json").output)["load"]["cost_usd"] is None
    path.write_text(SHORT.replace("games: 4", "games: 6", 1) + "prices: {model: {output_usd: '1'}}\n")
    told = command(path).output
    assert ("never be passed" in told, "cost unknown" in told) == (False, False)


SHORT = """\
title: Short
seats:
  model: {kind: openai, base_url: "http://127.0.0.1:9/v1", model: m}
  dice: {kind: random}
chess960: {adjudication: {policy: none}, plies_max: 20}
matches:
  - {phase: 0, game: chess960, a: model, b: dice, games: 4}
  - {phase: 1, game: chess960, a: model, b: model, games: 4}
"""


ARMS = """\
title: Arms
seats:
  model: {kind: reference}
systems: {one: {kind: oracle, facts: "- It folds."}}
matches:
  - {phase: 2, game: chess960, a: model, b: model, games: 500, condition: {augmentation: memory}}
  - {phase: 2, game: holdem, a: model, b: model, hands: 10000, condition: {augmentation: memory}}
"""
REAL = """\
  - {phase: 2, game: chess960, a: model, b: model, games: 500,
     condition: {augmentation: memory, arm: real, system: one}}
  - {phase: 2, game: holdem, a: model, b: model, hands: 10000,
     condition: {augmentation: memory, arm: real, system: one}}
"""
ARMS += REAL


@cache
def declared(text: str) -> dict[str, Any]:
    """The declared tests of a plan, by hypothesis."""
    with NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        found = command(file.name, "--json")
    assert found.exit_code == 0, found.output
    return {test["id"]: test for test in json.loads(found.output)["declared"]}


@pytest.mark.slow
def test_h1_is_planned_as_it_is_tested_one_sided_at_1_percent_in_both_games() -> None:
    """Each game with the root of 80 % power: 250 pairs, 100 sessions, two arms of SD 90."""
    h1 = declared(ARMS)["H1"]
    assert h1["test"] == "one-sided t at 0.01 in each game, 80 % for both together"
    chess, poker = h1["rows"]
    given = {"nobs": 100, "alpha": 0.01, "power": 0.8**0.5, "alternative": "larger"}
    expected = float(TTestPower().solve_power(**given)) * 90 * 2**0.5
    assert float(poker["effects"][0]) == pytest.approx(expected, rel=1e-4)
    assert (chess["over"], poker["over"]) == ("250 starts played with both colours", "100 sessions")
    assert float(chess["effects"][1]) == pytest.approx(0.110, abs=0.001)


def test_what_the_plan_has_no_arms_for_is_said_in_one_line_each() -> None:
    found = declared(ARMS)
    assert [name for name, test in found.items() if test["rows"]] == ["H1", "H3"]
    assert found["H2"]["why_not"].startswith("cannot be tested: needs Phase 2 memory, real and placebo")
    assert found["H4"]["why_not"].startswith("cannot be tested: needs Phase 2 full and its memory, tools and rag alone")
    assert found["H5"]["why_not"].startswith("cannot be tested: needs two systems of one model")


def test_an_undeclared_hypothesis_is_not_planned() -> None:
    assert list(declared(ARMS + "analysis: {hypotheses: [H1, E10]}\n")) == ["H1"]


def test_a_smaller_alpha_needs_a_greater_effect() -> None:
    wide, narrow = (declared(ARMS + end)["H1"]["rows"] for end in ("", "analysis: {alpha: '0.01'}\n"))
    assert all(float(a["effects"][1]) < float(b["effects"][1]) for a, b in zip(wide, narrow, strict=True))


@pytest.mark.slow
def test_careers_are_what_is_repeated_and_one_career_tests_nothing() -> None:
    five, one = (declared(ARMS.replace("a: model,", f"a: model, careers: {k},"))["H1"] for k in (5, 1))
    assert [row["over"] for row in five["rows"]] == ["5 careers", "5 careers"]
    units = declared(ARMS)["H1"]
    for careers, without in zip(five["rows"], units["rows"], strict=True):
        assert float(careers["effects"][1]) > float(without["effects"][1])
    assert one["rows"] == []
    assert one["why_not"] == "no verdict: needs at least 5 careers in Chess960, the plan has 1"


@pytest.mark.slow
def test_the_same_games_in_other_numbers_of_careers_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(ARMS.replace("a: model,", "a: model, careers: 5,"))
    told = " ".join(command(path, "--icc", "0.05").output.split())
    assert "The same results in 1, 2, 5 or 10 careers" in told
    assert "1: no test 2: none 5: " in told
    assert "ICC of careers 0.05: --icc" in told
    found = json.loads(command(path, "--json").output)["by_careers"]
    effects = [[float(one["effect"]) for one in row["effects"] if one["effect"]] for row in found]
    assert all(row and row == sorted(row, reverse=True) for row in effects)
    assert "10,000 hands 1: no test" in told
    assert "10: no test" in told.partition("10,000 hands 1: no test")[2]  # ten sessions each, fewer than 15


def test_real_arms_share_their_control() -> None:
    """H1 averages real arms: two of them with one control leave half of their own variance."""
    more = ARMS.replace("one: {kind", "two: {kind: oracle, facts: '- It calls.'}, one: {kind")
    more += REAL.replace("system: one", "system: two")
    one, two = (float(declared(text)["H1"]["rows"][1]["effects"][0]) for text in (ARMS, more))
    assert two / one == pytest.approx((1.5 / 2) ** 0.5, rel=1e-6)


def test_a_mean_over_arms_is_said_to_be_one_and_one_arm_by_itself_stands_beside_it() -> None:
    """Stats F8: 0.094 was printed for nine arms that all have the effect; one alone needs 0.19."""
    more = ARMS.replace("one: {kind", "two: {kind: oracle, facts: '- It calls.'}, one: {kind")
    alone, both = (declared(text)["H1"]["rows"] for text in (ARMS, more + REAL.replace("system: one", "system: two")))
    assert [row["whose"] for row in alone] == ["", ""]
    assert [row["whose"] for row in both] == ["the mean of 2 arms"] * 2 + ["one arm by itself"] * 2
    assert [row["effects"] for row in both[2:]] == [row["effects"] for row in alone]


def test_a_hypothesis_that_no_run_can_find_is_named_with_its_margin_and_standard_error(tmp_path: Path) -> None:
    """Stats F7: E1 needs a delta within 10 bb/100 where its standard error is 12.7, and the plan printed no figure."""
    with NamedTemporaryFile("w", suffix=".yaml", dir=tmp_path) as file:
        file.write(ARMS)
        file.flush()
        told = " ".join(command(file.name).output.split())
    assert "E1 cannot be found" in told or "E1 can hardly be found" in told
    assert "in hold'em margin 10 bb/100, SE 25.7: " in told  # 182 * root(2 / 100)
    (needed,) = re.findall(r"SE 25.7: .*?; 80 % need ([\d,]+) hands an arm", told)
    hands = int(needed.replace(",", ""))
    error, level = 182 * (2 * 100 / hands) ** 0.5, 0.05 / 11
    found = 2 * norm.cdf(10 / error - norm.isf(level)) - 1
    assert found == pytest.approx(0.8**0.5, abs=0.005)


@pytest.mark.slow
def test_that_deltas_are_alike_is_named_where_no_run_can_find_it() -> None:
    """Stats F7: H5 needs two deltas within half of delta_max, over so few degrees of freedom."""
    more = ARMS.replace("one: {kind", "two: {kind: oracle, facts: '- It calls.'}, one: {kind")
    more = (more + REAL.replace("system: one", "system: two")).replace("a: model,", "a: model, careers: 5,")
    told = declared(more)["H5"]["why_not"]
    assert told.startswith("no figure: the order of two courses is tested")
    assert "can hardly be found: in Chess960 margin 0.125 points of win rate, SE " in told


def test_phase_0_says_what_passes_it(tmp_path: Path) -> None:
    """22 of 30 wins are above 70 % and have p 0.008; scipy's binomial has P(22 or more) = 0.8 at a rate of 0.776."""
    path = tmp_path / "plan.yaml"
    path.write_text(SHORT.replace("games: 4", "games: 30", 1))
    told = " ".join(command(path).output.split())
    rate = next(rate for rate in range(50, 100) if binom.sf(21, 30, rate / 100 + 0.005) >= 0.8)
    expected = f"passed with 22 wins of 30 games; a player who truly wins {rate} % of them passes with 80 % probability"
    assert expected in told


def test_every_method_of_the_table_is_explained() -> None:
    scorings = [*chess_scorings(), *poker_scorings(CUTS), *poker_scorings(BENCHMARK_CUTS)]
    assert [one.method for one in scorings if glossary.find(one.method) is None] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--effect", "go=1"], "expected chess=NUMBER or poker=NUMBER, found 'go=1'"),
        (["--effect", "chess=0.7"], "expected a number above 0 and at most 0.5 after chess="),
        (["--effect", "poker=0"], "expected a number above 0"),
        (["--effect", "poker=1/0"], "expected a number above 0"),
        (["--draws", "1"], "expected a share from 0 to below 1, found '1'"),
        (["--icc", "1.5"], "expected a share from 0 to below 1, found '1.5'"),
        (["--plies", "0"], "0 is not in the range"),
        (["--session-sd", "much"], "expected a number above 0, found 'much'"),
    ],
)
def test_a_wrong_option_is_said_in_one_line(file: Path, arguments: list[str], said: str) -> None:
    found = command(file, *arguments)
    assert found.exit_code == 2
    assert said in found.output


def test_a_wrong_plan_is_said_with_its_key(file: Path) -> None:
    file.write_text(file.read_text().replace("hands: 10000", "hands: 10050"))
    found = command(file)
    assert found.exit_code == 2
    assert "matches[0]: expected hands and block_hands in whole sessions of 100" in found.output
