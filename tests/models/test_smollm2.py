"""A real instruction-tuned model by README's commands: got by hash, played, verified, and asked again by a stranger.

Its template, long prompts and cut replies are those of SmolLM2-135M; it declares nothing, so the harness draws for it.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.models.published_weights import STORE, TABLE
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.engines.uci_engine import find_engine
from models.test_gguf_process import AGZAMOV, lines, only, until

pytest.importorskip("xllamacpp", reason="no llama.cpp here: pip install xllamacpp")
pytestmark = pytest.mark.slow

NAME = "smollm2-135m"
MANIFEST = Path(__file__).parents[2] / "manifests" / "smollm2.yaml"
REQUIRED = "AGZ_REQUIRE_WEIGHTS"
ANSWERED = 4
"""Lines of the journal when the run is killed."""


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


@pytest.fixture(scope="module")
def bundle(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped plan, with as few games as it takes; killed in the middle, and resumed."""
    folder = tmp_path_factory.mktemp("smollm2")
    text = MANIFEST.read_text()
    for whole, least in (("games: 4}", "games: 2}"), ("hands: 20,", "hands: 4,"), ("tokens_max: 24", "tokens_max: 12")):
        assert text.count(whole) == 1
        text = text.replace(whole, least)
    (folder / "plan.yaml").write_text(text)
    run("keygen", folder / "key.pem")
    options = ("--key", folder / "key.pem", "--out", folder / "bundles", "--json")
    with subprocess.Popen(
        [AGZAMOV, "run", folder / "plan.yaml", "--runs", folder / "runs", *options], stdout=subprocess.DEVNULL
    ) as playing:
        until(lambda: lines(folder) > ANSWERED)
        playing.kill()
    run("resume", only(folder / "runs"), *options)
    return only(folder / "bundles")


def test_the_shipped_plan_pins_the_shipped_weights() -> None:
    text = MANIFEST.read_text()
    assert TABLE[NAME].sha256 in text
    assert f"weights: {STORE}/{NAME}.gguf" in text


def test_the_bundle_verifies_and_finds_nothing_about_a_model_that_cannot_play(bundle: Path) -> None:
    assert verify(bundle, Options(engine=find_engine(None))).level == "V1"
    said = " ".join(run("verify", bundle).split())
    assert "no finding about smollm2 against random in Chess960" in said
    assert "not passed in Chess960" in said


def test_somebody_elses_start_of_the_server_gives_the_same_answers(bundle: Path, weights: Path) -> None:
    said = run("replay", bundle, "--sample", 2, "--weights", f"smollm2={weights}")
    found = re.search(r"smollm2: (\d+) of (\d+) answers the same to the last byte", " ".join(said.split()))
    assert found, said
    same, asked = map(int, found.groups())
    assert same == asked > 0
