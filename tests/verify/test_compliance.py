"""Compliance: each departure from the protocol's numbers is one line, and a compliant plan has none."""

from typing import Any

import msgspec
import pytest

from agzamov_verify.games.chess.prompt import PromptStyle
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.departures import departures

MODEL = {"kind": "openai", "base_url": "http://127.0.0.1/v1", "model": "m"}
CHESS0, POKER0, CHESS1, POKER1 = 0, 1, 2, 3
PLAN: dict[str, Any] = {
    "title": "Compliant",
    "seats": {"model": MODEL, "dice": {"kind": "random"}},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 30},
        {"phase": 0, "game": "holdem", "a": "model", "b": "dice", "hands": 3000},
        {"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 500},
        {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": 10_000},
    ],
}


def departures_of(**changes: object) -> tuple[str, ...]:
    return departures(msgspec.convert({**PLAN, **changes}, Plan))


def with_match(at: int, **changes: object) -> list[dict[str, Any]]:
    """The matches, one of them changed."""
    matches = [dict(match) for match in PLAN["matches"]]
    matches[at].update(changes)
    return matches


def test_a_plan_with_the_papers_numbers_is_compliant() -> None:
    assert departures_of() == ()


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"matches": with_match(CHESS0, games=28)},
            "p0-chess960-naked-model: 28 games planned, 30 required",
        ),
        (
            {"matches": with_match(CHESS0, games=60)},
            "p0-chess960-naked-model: 60 games planned, 30 required",
        ),
        (
            {"matches": with_match(POKER0, hands=2900)},
            "p0-holdem-naked-model: 29 sessions planned, 30 required",
        ),
        (
            {"matches": with_match(CHESS1, games=498)},
            "p1-chess960-naked-model: 498 games planned, at least 500 required",
        ),
        (
            {"matches": with_match(POKER1, hands=9900)},
            "p1-holdem-naked-model: 9900 hands planned, at least 10000 required",
        ),
        (
            {"matches": PLAN["matches"][1:]},
            "p1-chess960-naked-model: no Phase 0 match of model in this game",
        ),
        ({"chess960": {"adjudication": {"policy": "none"}}}, "adjudication by none, stockfish required"),
        ({"chess960": {"adjudication": {"policy": "material"}}}, "adjudication by material, stockfish required"),
        ({"chess960": {"adjudication": {"plies": 3}}}, "adjudication at 1000 centipawns for 3 plies"),
        (
            {"chess960": {"adjudication": {"threshold_centipawns": 500}}},
            "adjudication at 500 centipawns for 6 plies",
        ),
        ({"engine": {"nodes": 10_000}}, "adjudication by the engine at 10000 nodes, 50000 required"),
        ({"engine": {"hash_mib": 64}}, "adjudication by the engine with 64 MiB of hash, 16 required"),
        ({"holdem": {"stack_chips": 10_050}}, "stacks of 10050 chips, 10000 required (100 a BB)"),
        ({"chess960": {"illegal": "retry_then_forfeit"}}, "illegal actions are retried, substitution required"),
        ({"holdem": {"illegal": "retry_then_forfeit"}}, "illegal actions are retried, substitution required"),
        (
            {"seats": {**PLAN["seats"], "model": {**MODEL, "temperature": "0.7"}}},
            "seat model at temperature 0.7, 0 required",
        ),
        (
            {"seats": {**PLAN["seats"], "model": {**MODEL, "accepts": ["seed", "max_tokens"]}}},
            "seat model runs at its own temperature",
        ),
        (
            {"seats": {**PLAN["seats"], "model": {**MODEL, "accepts": ["seed", "temperature"]}}},
            "seat model has no token limit that is sent",
        ),
        ({"chess960": {"plies_max": 399}}, "chess games end at 399 plies, at least 400 required"),
        ({"chess960": {"draw_claims": "never"}}, "draws are claimed never, automatic required"),
        ({"holdem": {"mirrored": True}}, "decks are played from both sides, decks of their own required"),
        ({"quality": {"nodes": 1}}, "moves judged at 1 nodes, 50000 required"),
        ({"analysis": {"alpha": "0.01"}}, "hypotheses at alpha 0.01, 0.05 required"),
        (
            {"seats": {**PLAN["seats"], "model": {**MODEL, "briefing": "A whole book of openings."}}},
            "seat model is told how to play or what to expect, a naked seat is told neither",
        ),
    ],
)
def test_a_departure_is_one_line_that_says_what_and_how_much(changes: dict[str, Any], line: str) -> None:
    assert departures_of(**changes) == (line,)


@pytest.mark.parametrize("prompt", PromptStyle)
def test_both_prompts_of_chess_are_variants_of_the_protocol(prompt: PromptStyle) -> None:
    assert departures_of(chess960={"prompt": prompt.value}) == ()
    assert [style.value for style in PromptStyle] == load_protocol("agz-0.1").games["chess960"]["prompts"]


def test_shorter_sessions_are_one_departure_and_phase_0_is_counted_in_sessions() -> None:
    short = departures_of(holdem={"session_hands": 50}, matches=with_match(POKER0, hands=1500))
    assert short == ("sessions of 50 hands planned, 100 required",)


@pytest.mark.parametrize(
    "changes",
    [
        {"matches": with_match(CHESS1, games=1000)},
        {"matches": with_match(POKER1, hands=100_000)},
        {"matches": with_match(CHESS0, block_games=2)},
        {"seats": {**PLAN["seats"], "model": {**MODEL, "temperature": "0.0"}}},
        {"chess960": {"plies_max": 600, "adjudication": {"play_on_percent": 10}}},
        {"prices": {"model": {"input_usd": "3"}}},
    ],
    ids=["more games", "more hands", "smaller blocks", "another nought", "a control", "prices"],
)
def test_what_the_protocol_leaves_open_is_no_departure(changes: dict[str, Any]) -> None:
    assert departures_of(**changes) == ()


def test_every_departure_is_told_at_once() -> None:
    found = departures_of(
        engine={"nodes": 1, "hash_mib": 1},
        holdem={"session_hands": 10, "stack_chips": 5000, "illegal": "retry_then_forfeit"},
        chess960={"adjudication": {"policy": "none"}},
        matches=with_match(CHESS1, games=2),
        seats={**PLAN["seats"], "model": {**MODEL, "temperature": "1"}},
    )
    assert len(found) == len(set(found)) == 9


def test_phase_0_of_another_seat_or_game_does_not_count() -> None:
    seats = {**PLAN["seats"], "other": MODEL}
    matches = [*with_match(CHESS0, a="other"), {"phase": 0, "game": "chess960", "a": "dice", "b": "dice", "games": 30}]
    assert departures_of(seats=seats, matches=matches) == (
        "p1-chess960-naked-model: no Phase 0 match of model in this game",
    )


def arm(name: str = "naked", games: int = 500, **changes: object) -> dict[str, Any]:
    condition = {"augmentation": "memory", "arm": name, "system": "" if name == "naked" else "oracle"}
    return {
        "phase": 2,
        "game": "chess960",
        "a": "model",
        "b": "model",
        "games": games,
        "condition": condition,
    } | changes


ORACLE = "system oracle is an oracle: it tells what the submitter wrote, a memory learns it from the games"
OTHER_ID = "p2-chess960-memory_naked-model-other"
REAL_ID = "p2-chess960-memory_real_oracle-model"


@pytest.mark.parametrize(
    ("arms", "lines"),
    [
        ([arm()], ()),
        ([arm(), arm("placebo")], (ORACLE,)),
        ([arm(), arm("placebo"), arm("real")], (ORACLE,)),
        ([arm(), arm("real")], (ORACLE, f"{REAL_ID}: no placebo arm beside it, three arms required")),
        ([arm("placebo"), arm("real")], (ORACLE, f"{REAL_ID}: no naked arm beside it, three arms required")),
        (
            [arm(games=600), arm("placebo"), arm("real")],
            (ORACLE, f"{REAL_ID}: its naked arm has another size, one size required"),
        ),
        (
            [arm(b="other", shifts=[{"after": 100}])],
            (f"{OTHER_ID}: the opponent's strategy is forced to change, in Phase 2 it is not",),
        ),
    ],
)
def test_a_sub_phase_departs_by_a_missing_arm_another_size_a_shift_or_an_oracle(
    arms: list[dict[str, Any]], lines: tuple[str, ...]
) -> None:
    facts = {"oracle": {"kind": "oracle", "facts": "- Likes knights", "placebo": "- Likes to fish"}}
    seats = {**PLAN["seats"], "other": {**MODEL, "patterns": ["castles_early"]}}
    found = departures_of(matches=[*PLAN["matches"], *arms], systems=facts, seats=seats)
    assert tuple(line for line in found if "robustness check" not in line) == lines


def test_what_weighs_on_belief_comes_before_sizes() -> None:
    """The first screen shows six departures: an oracle, a missing arm and a briefing must be among them."""
    condition = {"augmentation": "memory", "arm": "real", "system": "truth"}
    memory = {"phase": 2, "a": "model", "b": "dice", "careers": 2, "condition": condition}
    lines = departures_of(
        seats={"model": MODEL | {"briefing": "Castle early."}, "dice": {"kind": "random"}},
        systems={"truth": {"kind": "oracle"}},
        matches=[
            memory | {"game": "chess960", "games": 4},
            memory | {"game": "holdem", "hands": 400},
        ],
    )
    words = ("oracle", "no naked arm", "told how to play", "no Phase 0", "careers planned")
    places = [next(place for place, line in enumerate(lines) if word in line) for word in words]
    assert places == sorted(places)
    assert [line for line in lines[:6] if "planned" in line] == []
