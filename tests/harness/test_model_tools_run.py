"""Runs whose model calls its tools itself: served scripted players over HTTP, real tool servers, the real engine."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_harness.reference_server import chat_server
from agzamov_verify.checks.check_log import Number
from agzamov_verify.checks.limits import VerificationLimits
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from harness.commands import Commands
from harness.http_peer import Exchange, Peer, Request, answers
from harness.sealed_runs import Json, finish, journals, seal

try:
    ENGINE = find_engine()
    MISSING = ""
except EngineFault as fault:
    ENGINE, MISSING = Path("stockfish"), str(fault)

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=MISSING)]
PLIES, PLIES_OF_CONTROL = 16, 40
FIRST_LINE = re.compile(r"^([a-h][1-8][a-h][1-8][qrbn]?): ", re.MULTILINE)
PATTERNS = ["king_answers_checks", "min_raises_pairs"]


def served(exchange: Exchange) -> None:
    """What the reference server would answer."""
    if exchange.request_seen.method == "GET":
        answers({"data": [{"id": "novice"}]})(exchange)
        return
    answers(chat_server.completion(exchange.request_seen.json))(exchange)


def as_told(requests: list[Request]) -> list[bool]:
    """Whether the served player plays the first move that its tool tells, for each request that ends with one."""
    found = []
    for body in (request.json for request in requests if request.method == "POST"):
        if body["messages"][-1]["role"] == "tool":
            first = FIRST_LINE.search(body["messages"][-1]["content"])
            assert first, body["messages"][-1]
            played = chat_server.completion(body)["choices"][0]["message"]["content"]
            found.append(played.endswith(f"MOVE: {first[1]}"))
    return found


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


def plan_of(
    url: str, game: str, *offers: str, arms: tuple[str, ...] = ("naked", "placebo", "real"), **size: int
) -> Json:
    novice = {"kind": "openai", "model": "novice", "base_url": url}
    conditions: list[Json] = [
        {"augmentation": "tools", "arm": arm, **({} if arm == "naked" else {"system": "tools"})} for arm in arms
    ]
    system = {"kind": "tools", "use": "model", "calls_max": 1, "nodes": 5_000, "comparisons_max": 990}
    played = {"phase": 2, "game": game, "a": "agent", "b": "foe", **size}
    return {
        "title": "Tools by tool calls",
        "seats": {"agent": novice, "foe": {**novice, "patterns": PATTERNS}},
        "chess960": {"adjudication": {"policy": "material", "threshold_points": 3, "plies": 4}, "plies_max": PLIES},
        "holdem": {"session_hands": 10},
        "systems": {"tools": {**system, **({"offers": list(offers)} if offers else {})}},
        "matches": [{**played, "condition": condition} for condition in conditions],
    }


def played(commands: Commands, folder: Path, plan: Json) -> tuple[Path, Verdict]:
    """A run from plan to bundle, and what its check says."""
    run = seal(commands, folder, plan=plan)
    finish(commands, run)
    options = Options(engine=ENGINE, limits=VerificationLimits(seat_replies_max=100_000))
    return run, verify(run.parents[1] / "bundles" / run.name, options)


def answered(run: Path, part: str) -> list[Json]:
    """The answers in all streams whose name has `part`."""
    streams = (data for name, data in journals(run).items() if part in name)
    return [json.loads(line)["answer"] for data in streams for line in data.splitlines()]


@pytest.mark.parametrize("offer", ["evaluate_position", "compare_moves", "best_lines"])
def test_a_model_calls_the_engines_tools_and_every_answer_is_made_again(
    commands: Commands, tmp_path: Path, offer: str
) -> None:
    with Peer(then=served) as peer:
        run, verdict = played(commands, tmp_path, plan_of(peer.url, "chess960", offer, games=2))
        followed = as_told(peer.requests) if offer == "best_lines" else [True]
    assert verdict.level == "V1", verdict.findings
    assert verdict.steps[Number.TOOLS - 1].status == "pass"
    assert "answers of the engine made again" in verdict.steps[Number.TOOLS - 1].remark
    for arm in ("placebo", "real"):
        calls = {call["name"] for answer in answered(run, f"_{arm}_") for call in answer.get("tool_calls", ())}
        assert calls == {offer}
        assert any(answer["as"] == "examined" for answer in answered(run, f"_{arm}_"))
    assert not any(answer.get("tool_calls") or answer["as"] == "examined" for answer in answered(run, "_naked"))
    assert followed, "it was told lines"
    assert all(followed), "what a tool tells decides the move of a novice"


@pytest.mark.exhaustive
def test_best_lines_that_a_model_calls_for_are_worth_much_and_their_placebo_little(
    commands: Commands, tmp_path: Path
) -> None:
    """The positive control of this way of use: a novice plays the first move that its tool tells."""
    with Peer(then=served) as peer:
        plan = plan_of(peer.url, "chess960", "best_lines", games=16, block_games=2)
        plan["chess960"]["plies_max"] = PLIES_OF_CONTROL
        run, verdict = played(commands, tmp_path, plan)
    assert verdict.level == "V1", verdict.findings
    results = json.loads((run.parents[1] / "bundles" / run.name / "data/results/results.json").read_bytes())
    counts = {row["table"][0]["condition"]["arm"]: row["result"]["adjudicated"] for row in results["matches"]}
    points = {arm: found["wins"] - found["losses"] for arm, found in counts.items()}
    assert points["real"] > max(points["naked"], points["placebo"]) + 4, points


def test_a_calculator_that_a_model_calls_is_computed_again(commands: Commands, tmp_path: Path) -> None:
    with Peer(then=served) as peer:
        run, verdict = played(commands, tmp_path, plan_of(peer.url, "holdem", hands=20, block_hands=10))
    assert verdict.level == "V1", verdict.findings
    assert verdict.steps[Number.TOOLS - 1].remark.endswith("answers of the calculator made again")
    assert any(answer["as"] == "calculated" for answer in answered(run, "_real_"))
