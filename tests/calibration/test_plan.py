"""`agzamov plan`: what can be detected, by the formulas of statsmodels; what a run takes, counted by hand."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from statsmodels.stats.power import TTestIndPower, TTestPower

from agzamov_harness.cli import main
from agzamov_harness.planning import Assumptions, load_of, prompt_characters
from agzamov_harness.seal import plan_from
from agzamov_verify import canon
from agzamov_verify.manifest import Plan
from agzamov_verify.scoring.planning import (
    ALPHAS,
    CUTS,
    Arms,
    Scoring,
    chess_scorings,
    detectable,
    needed,
    paper_note,
    planned_power,
    poker_scorings,
)

SCORE, WINS = chess_scorings()
RAW, ALL_IN, CARD_LUCK, BASELINE, *MIRRORED = poker_scorings(CUTS)
FIVE, ONE = ALPHAS
ENDPOINT = {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m", "concurrency": 4, "tokens_max": 200}


def by_statsmodels(scoring: Scoring, results: int, arms: Arms, alpha: Fraction) -> float:
    solver = TTestPower() if arms is Arms.ONE else TTestIndPower()
    size = {"nobs" if arms is Arms.ONE else "nobs1": results // scoring.unit_results}
    return float(solver.solve_power(power=0.8, alpha=float(alpha), **size)) * float(scoring.sd)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("arms", list(Arms))
@pytest.mark.parametrize(("scoring", "results"), [(SCORE, 30), (SCORE, 500), (WINS, 500), (RAW, 1_000), (RAW, 10_000)])
def test_what_is_detectable_is_what_statsmodels_says(
    scoring: Scoring, results: int, arms: Arms, alpha: Fraction
) -> None:
    found = detectable(scoring, results, arms, alpha).effect
    assert found is not None
    assert float(found) == pytest.approx(by_statsmodels(scoring, results, arms, alpha), rel=1e-4)
    assert float(planned_power(scoring, found, results, arms, alpha)) == pytest.approx(0.8, abs=1e-9)


def test_ten_thousand_hands_detect_25_and_not_4_bb_per_100() -> None:
    note = paper_note()
    assert (note.sessions_needed, note.hands_needed) == (3_969, 396_900)
    assert float(note.detects) == pytest.approx(25.2)
    assert needed(RAW, Fraction(4), Arms.ONE, FIVE).results == 397_600


def test_with_one_size_less_the_power_is_not_reached() -> None:
    size = needed(SCORE, Fraction(1, 20), Arms.ONE, FIVE).results
    assert planned_power(SCORE, Fraction(1, 20), size, Arms.ONE, FIVE) >= Fraction(4, 5)
    assert planned_power(SCORE, Fraction(1, 20), size - 2, Arms.ONE, FIVE) < Fraction(4, 5)


def test_spreads_are_those_of_the_textbook() -> None:
    assert float(SCORE.sd) == pytest.approx((0.65 / 8) ** 0.5)
    assert float(WINS.sd) == pytest.approx((0.325 * 0.675 / 2) ** 0.5)
    assert (RAW.sd, RAW.unit_results) == (90, 100)
    for found, cut in zip((RAW, ALL_IN, CARD_LUCK, BASELINE, *MIRRORED), CUTS, strict=True):
        hands = 200 if cut.mirrored else 100
        assert found.unit_results == hands
        assert float(found.sd) == pytest.approx(90 * (100 / hands / float(cut.least)) ** 0.5)


def test_a_session_of_50_hands_has_a_wider_spread_and_the_same_need() -> None:
    (short, *_) = poker_scorings(CUTS, 50)
    assert float(short.sd) == pytest.approx(90 * 2**0.5)
    whole, half = (needed(one, Fraction(10), Arms.ONE, FIVE).results for one in (RAW, short))
    assert abs(whole - half) <= 100


def test_less_than_two_units_detect_nothing() -> None:
    assert detectable(RAW, 199, Arms.ONE, FIVE).effect is None
    assert detectable(RAW, 200, Arms.ONE, FIVE).effect is not None


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
    assert (seats["model"].calls, seats["dice"].calls) == (30 * 40 + 2 * 2_200, 30 * 40)
    assert seats["model"].reply_tokens == 5_600 * 150
    expected = Fraction(seats["model"].prompt_tokens * 2 + 5_600 * 150 * 8, 10**6)
    assert load.cost_usd == seats["model"].cost_usd == expected
    assert load.wall_s == seats["model"].wall_s == 5_600 * 2 / Fraction(4)
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


def test_prompts_are_measured_with_what_the_seat_is_told() -> None:
    text = "It likes the colour blue."
    seats = {"model": {**ENDPOINT, "briefing": text}, "dice": {"kind": "random"}}
    sizes = [prompt_characters(one, one.matches[0], Assumptions()) for one in (plan(), plan(seats=seats))]
    assert sizes[1]["model"] - sizes[0]["model"] == len("\nOpponent profile:\n") + len(text)
    assert sizes[1]["dice"] == sizes[0]["dice"] > 1_000


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
    return CliRunner().invoke(main, ["plan", *map(str, arguments)])


def test_the_command_says_what_the_papers_note_is_worth(file: Path) -> None:
    found = command(file, "--effect", "poker=4")
    assert found.exit_code == 0, found.output
    assert "does not hold for raw results" in found.output
    assert "(2.8 x 90 / 4)^2 = 3,969 sessions of 100 = 396,900 hands; 10,000 hands detect 25 bb/100" in found.output
    assert "397,600" in found.output
    assert "44,000 calls" in found.output
    assert "decisions of both players in a poker hand" in found.output


def test_an_assumption_can_be_replaced(file: Path) -> None:
    found = command(file, "--session-sd", "45", "--decisions-per-hand", "5.0")
    assert "50,000 calls" in found.output
    assert "SD 45 bb/100 of 100 raw hands" in found.output


def test_json_is_canonical_and_says_the_same(file: Path) -> None:
    found = command(file, "--effect", "poker=4", "--json")
    told = canon.loads(found.output.strip().encode())
    assert told == json.loads(found.output)
    assert told["paper_note"]["hands_needed"] == 396_900  # type: ignore[index, call-overload]
    raw = [row for row in told["detectable"] if (row["method"], row["arms"]) == ("raw", "one match")]  # type: ignore[index, call-overload, union-attr]
    assert [row["effect"] for row in raw] == ["25.462137", raw[1]["effect"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--effect", "go=1"], "expected chess=NUMBER or poker=NUMBER, found 'go=1'"),
        (["--effect", "chess=0.7"], "expected a number above 0 and at most 0.5 after chess="),
        (["--effect", "poker=0"], "expected a number above 0"),
        (["--effect", "poker=1/0"], "expected a number above 0"),
        (["--draws", "1"], "expected a share below 1, found 1"),
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
