"""A live llama.cpp server with a random model made here: real tokens, real HTTP, and babble for answers.

The model is a llama of 0.12 M random parameters with a byte tokenizer of its own. Some of its tokens are
whole lines such as "MOVE: e2e4", but it seldom ends, so most of its replies are cut.
"""

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from agzamov_harness.adapters.endpoint import Endpoint
from agzamov_harness.ports import ChatRequest, Completion, PortFault
from agzamov_harness.run import signing_keys
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.questions import Message
from agzamov_verify.seats import EndpointSeat
from models.babbler import SLOT_TOKENS, write_model
from models.live import strict

AGZAMOV = Path(sys.executable).with_name("agzamov")
SLOTS = 1
"""One: behind a port slots share a process, and requests that share a batch get other last bits (decision 87)."""
Json = dict[str, Any]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a running server."""
    model = tmp_path_factory.mktemp("model") / "babbler.gguf"
    write_model(model)
    with strict(model, slots=SLOTS, context=SLOT_TOKENS, alias="babbler") as address:
        yield f"{address}/v1"


def ask(url: str, text: str, seed: int = 7, **seat: Any) -> Completion:
    wanted = {"base_url": url, "model": "babbler", "temperature": "1", "tokens_max": 24, "attempts_max": 1, **seat}
    endpoint = Endpoint("model", EndpointSeat(**wanted), {}, lambda: 0, lambda _: None)
    try:
        answer = endpoint.complete(ChatRequest((Message("You babble.", "system"), Message(text, "user")), seed))
    finally:
        endpoint.close()
    assert isinstance(answer, Completion)
    return answer


def test_a_live_server_counts_tokens_and_keeps_the_limit(url: str) -> None:
    answer = ask(url, "Your move?", seed=8)
    assert (answer.model, answer.finish, answer.completion_tokens) == ("babbler", "length", 24)
    asked = len("system: You babble.\nuser: Your move?\nassistant:")
    assert asked // 2 <= answer.prompt_tokens <= asked
    assert answer.text
    assert answer.fingerprint


def test_the_seed_decides_what_it_says(url: str) -> None:
    texts = [ask(url, "Your move?", seed).text for seed in (7, 7, 8, 9)]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 3


def test_a_server_that_knows_max_completion_tokens_keeps_that_too(url: str) -> None:
    assert ask(url, "Your move?", accepts=("seed", "max_completion_tokens")).completion_tokens == 24


def test_a_prompt_beyond_the_context_stops_the_run(url: str) -> None:
    with pytest.raises(PortFault, match=r"HTTP 400: .*exceeds the available context size"):
        ask(url, "word " * SLOT_TOKENS)


PLAN: Json = {
    "title": "Babble",
    "seats": {
        "babbler": {
            "kind": "openai",
            "model": "babbler",
            "temperature": 1,
            "tokens_max": 3,
            "timeout_s": 300,
            "concurrency": SLOTS,
        },
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "material", "threshold_points": 3, "plies": 2}, "plies_max": 16},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "babbler", "b": "dice", "games": 6, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "babbler", "b": "dice", "hands": 4, "block_hands": 4},
        {"phase": 1, "game": "chess960", "a": "babbler", "b": "babbler", "games": 2},
    ],
}
GATE = "p0-chess960-naked-babbler/gate"


def agzamov(folder: Path, *arguments: object) -> Json | str:
    """What the command prints, and its success."""
    command = [AGZAMOV, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def played(folder: Path, run: Path, out: str) -> tuple[Json, Path]:
    """The claims of a sealed run that is played to its end, and its bundle."""
    outcome = json.loads(str(agzamov(folder, "resume", run, "--key", "key.pem", "--out", out, "--json")))
    return outcome["claims"], folder / outcome["bundle"]


def entries(bundle: Path) -> list[Json]:
    paths = sorted(bundle.rglob("000000.jsonl.gz"))
    return [json.loads(line) for path in paths for line in gzip.decompress(path.read_bytes()).splitlines()]


@pytest.fixture(scope="module")
def runs(url: str, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Json, Path]]:
    """One sealed run, played twice."""
    folder = tmp_path_factory.mktemp("babble")
    signing_keys.generate(folder / "key.pem")
    seats = {**PLAN["seats"], "babbler": {**PLAN["seats"]["babbler"], "base_url": url}}
    (folder / "plan.yaml").write_text(yaml.safe_dump({**PLAN, "seats": seats}))
    run = folder / str(agzamov(folder, "seal", "plan.yaml", "--key", "key.pem"))
    again = folder / "again" / run.name
    shutil.copytree(run, again)
    return [played(folder, run, "one"), played(folder, again, "two")]


def seat_stats(bundle: Path, match: str) -> Json:
    """How the babbler behaved in a match, as the verifier recomputes it."""
    results = json.loads((bundle / "data/results/results.json").read_bytes())
    (found,) = [of_match["seat_stats"][0] for of_match in results["matches"] if of_match["id"] == match]
    return dict(found)


@pytest.mark.slow
def test_a_run_of_babble_ends_verifies_and_fails_its_gate(runs: list[tuple[Json, Path]]) -> None:
    claims, bundle = runs[0]
    verdict = verify(bundle, Options())
    assert (verdict.level, verdict.findings) == ("V1", [])
    assert claims[GATE] == "failed"
    assert not [entry for entry in entries(bundle) if entry["stream"].startswith("p1-")]


@pytest.mark.slow
def test_the_replies_of_a_strict_server_are_a_function_of_the_sealed_run(runs: list[tuple[Json, Path]]) -> None:
    (claims, bundle), (claims_again, bundle_again) = runs
    assert [entry["answer"].get("text") for entry in entries(bundle)] == [
        entry["answer"].get("text") for entry in entries(bundle_again)
    ]
    assert claims == claims_again


@pytest.mark.slow
def test_a_reply_that_was_cut_is_credited_with_no_action_and_every_fault_is_replaced(
    runs: list[tuple[Json, Path]],
) -> None:
    """Most replies are cut at their third token, and some of these hold a whole line with a legal move."""
    _, bundle = runs[0]
    for game in ("chess960", "holdem"):
        match = f"p0-{game}-naked-babbler"
        asked = [
            entry
            for entry in entries(bundle)
            if entry["question"]["game"].startswith(match) and entry["question"]["ask"] == "chat"
        ]
        said = [entry["answer"] for entry in asked if entry["question"]["to"] == "babbler"]
        cut = [answer["text"] for answer in said if answer["finish"] == "length"]
        found = seat_stats(bundle, match)
        assert found["faults"]["first_cut"] == len(cut) > 0
        assert game == "holdem" or any("\nMOVE: " in text for text in cut)
        assert found["substituted"] + found["first_exact"] + found["first_normalised"] == found["decisions"]
        assert found["first_exact"] + found["first_normalised"] <= len(said) - len(cut)
        assert found["failed_attempts"] == 0
