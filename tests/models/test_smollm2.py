"""A real instruction-tuned model by README's commands: got by hash, played, verified, and asked again by a stranger.

Its template and cut replies are those of SmolLM2-135M; it declares nothing, so the harness draws for it. It takes many
seconds for an answer, so it is asked as little as possible here, and what a killed run leaves is tried with a smaller
one: test_gguf_process.py.
"""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.models import preflight
from agzamov_harness.models.determinism import Probing
from agzamov_harness.models.preflight_requests import requests_of
from agzamov_harness.models.published_weights import STORE, TABLE
from agzamov_harness.ports import ChatRequest
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.plan.manifest import Plan
from bundles.bundle_factory import Draft, entries
from models.test_gguf_process import AGZAMOV, lines, only, until
from models.test_reproduce import drawn

pytest.importorskip("xllamacpp", reason="no llama.cpp here: pip install xllamacpp")

NAME = "smollm2-135m"
MANIFEST = Path(__file__).parents[2] / "manifests" / "smollm2.yaml"
REQUIRED = "AGZ_REQUIRE_WEIGHTS"
ANSWERED = 4
"""Lines of the journal when the run is killed."""
SHORT = {"tokens_max: 24": "timeout_s: 1800\n    tokens_max: 12"}
FEWER = {**SHORT, "games: 4}": "games: 2}", "hands: 20,": "hands: 4,"}
CHESS = "  - {phase: 0, game: chess960, a: smollm2, b: random, games: 4}\n"
FEWEST = {**SHORT, "hands: 20,": "hands: 4,", CHESS: ""}
"""What the shipped plan says, and what is played here in its place."""


def run(*words: object) -> str:
    ran = CliRunner().invoke(main, list(map(str, words)))
    assert ran.exit_code == 0, ran.output
    return ran.output


@pytest.fixture(scope="module")
def weights() -> Path:
    ran = CliRunner().invoke(main, ["models", "get", NAME])
    if ran.exit_code and not os.environ.get(REQUIRED):
        pytest.skip(f"{NAME} cannot be fetched here: {ran.output}")
    assert ran.exit_code == 0, ran.output
    return STORE.expanduser() / f"{NAME}.gguf"


def options_in(folder: Path, sizes: Mapping[str, str]) -> list[str]:
    """A smaller plan in `folder` and a key, and the options of a command that plays it."""
    text = MANIFEST.read_text()
    for whole, less in sizes.items():
        assert text.count(whole) == 1, whole
        text = text.replace(whole, less)
    (folder / "plan.yaml").write_text(text)
    run("keygen", folder / "key.pem")
    return ["--key", str(folder / "key.pem"), "--out", str(folder / "bundles"), "--json"]


def shortest_requests(plan: Plan, seat: str, port: Probing) -> list[ChatRequest]:
    return requests_of(plan, seat, port)[-2:]


@contextmanager
def least_preflight() -> Iterator[None]:
    """A preflight asks the two shortest prompts alone, and as seldom as where a model takes a minute for an answer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preflight, "SECONDS_MAX", 0.0)
        patch.setattr(preflight, "requests_of", shortest_requests)
        yield


@pytest.fixture(scope="module")
def bundle(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smollm2")
    with least_preflight():
        run("run", folder / "plan.yaml", "--runs", folder / "runs", *options_in(folder, FEWEST))
    return only(folder / "bundles")


@pytest.mark.exhaustive
def test_a_run_that_is_killed_is_resumed_and_verifies(weights: Path, tmp_path: Path) -> None:
    options = options_in(tmp_path, FEWER)
    with subprocess.Popen(
        [AGZAMOV, "run", tmp_path / "plan.yaml", "--runs", tmp_path / "runs", *options], stdout=subprocess.DEVNULL
    ) as playing:
        until(lambda: lines(tmp_path) > ANSWERED)
        playing.kill()
    run("resume", only(tmp_path / "runs"), *options)
    assert verify(only(tmp_path / "bundles"), Options(engine=find_engine(None))).level == "V1"


def test_the_shipped_plan_pins_the_shipped_weights() -> None:
    text = MANIFEST.read_text()
    assert TABLE[NAME].sha256 in text
    assert f"weights: {STORE}/{NAME}.gguf" in text


@pytest.mark.exhaustive
def test_the_bundle_verifies_and_finds_nothing_about_a_model_that_cannot_play(bundle: Path) -> None:
    assert verify(bundle, Options(engine=find_engine(None))).level == "V1"
    said = " ".join(run("verify", bundle).split())
    assert "No result for smollm2 against random (random player) in hold'em" in said
    assert "failed in hold'em" in said


@pytest.mark.exhaustive
def test_somebody_elses_start_of_the_server_gives_the_same_answers(bundle: Path, weights: Path) -> None:
    seed = seed_of_the_shortest_game(bundle)
    with least_preflight():
        said = run("replay", bundle, "--sample", 1, "--seed", seed, "--weights", f"smollm2={weights}")
    found = re.search(r"smollm2: (\d+) of (\d+) answers the same to the last byte", " ".join(said.split()))
    assert found, said
    same, asked = map(int, found.groups())
    assert same == asked > 0


def seed_of_the_shortest_game(bundle: Path) -> str:
    """A seed that draws the hand in which the model was asked least: most planted questions stand in its last one."""
    draft = Draft.of(bundle)
    questions = [entry.question for stream in draft.streams() for entry in entries(draft, stream)]
    asked = Counter(question.game for question in questions if question.to == "smollm2")
    (game, _) = asked.most_common()[-1]
    return next(seed for seed in map(str, count()) if game in drawn(bundle, seed))
