"""Endpoints played through the real road: one that treats phases differently is named, an honest one is not.

The cheat of the attack on 0.2.0 in hold'em, behind the reference server: honest until the first text of a memory is
seen, then at random wherever none stands in the prompt. It takes hands enough to be named, so it plays at full size;
tests/verify/test_exchangeability.py names such endpoints without a server.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from agzamov_harness.reference_server import chat_server
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.scoring.exchangeability import Compared
from agzamov_verify.show.text.verdict_report import warnings_told
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, PROFILE
from harness.commands import Commands
from harness.http_peer import Exchange, Peer, answers
from harness.sealed_runs import Json, resume, seal

HANDS, MORE_HANDS = 120, 1_500
TOLD: Final = "answered equal prompts differently"


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


def served(model_of: Callable[[str], str]) -> Callable[[Exchange], None]:
    """An endpoint that answers as the reference server's player of the name that `model_of` gives for a prompt."""

    def step(exchange: Exchange) -> None:
        if exchange.request_seen.method == "GET":
            answers({"data": [{"id": "reference"}]})(exchange)
            return
        asked = exchange.request_seen.json
        completed = chat_server.completion({**asked, "model": model_of(asked["messages"][-1]["content"])})
        answers({**completed, "model": "reference"})(exchange)

    return step


def honest(_: str) -> str:
    return "reference"


class RandomWithoutMemory:
    """Honest until a memory's text is seen for the first time, then random wherever there is none."""

    def __init__(self) -> None:
        self._began = False

    def __call__(self, prompt: str) -> str:
        remembers = PROFILE in prompt and NOTHING_REMEMBERED not in prompt
        self._began = self._began or remembers
        return "random" if self._began and not remembers else "reference"


def plan(url: str, hands: int) -> Json:
    model: Json = {"kind": "openai", "model": "reference", "base_url": url}
    size: Json = {"hands": hands, "block_hands": 60}
    arms: list[Json] = [{}, {"arm": "real", "system": "notes"}]
    phase_2 = {"phase": 2, "game": "holdem", "a": "model", "b": "foe", "careers": 2, **size}
    return {
        "title": "Unequal answers",
        "seats": {"model": model, "foe": {**model, "patterns": ["folds_button_to_3bet"]}},
        "holdem": {"session_hands": 30},
        "systems": {"notes": {"kind": "memory", "server": "recent"}},
        "matches": [
            {"phase": 1, "game": "holdem", "a": "model", "b": "model", **size},
            *({**phase_2, "condition": {"augmentation": "memory", **arm}} for arm in arms),
        ],
    }


def played(commands: Commands, folder: Path, model_of: Callable[[str], str], hands: int) -> Verdict:
    """The verdict on a run with an endpoint."""
    with Peer(then=served(model_of)) as peer:
        run = seal(commands, folder, plan=plan(peer.url, hands))
        ended = commands.run(*resume(run), cwd=folder)
    assert ended.code == 0, ended
    return verify(folder / "bundles" / run.name, Options())


@pytest.mark.slow
def test_an_honest_endpoint_is_not_named(commands: Commands, tmp_path: Path) -> None:
    verdict = played(commands, tmp_path, honest, HANDS)
    assert (verdict.level, verdict.analysis is not None) == ("V1", True)
    assert verdict.analysis
    tests = verdict.analysis.planted.tests
    assert {one.compared for one in tests} == set(Compared)
    assert all(one.equal_close and one.equal_close.decimal == "1.000000" for one in tests)
    assert [line for line in warnings_told(verdict) if TOLD in line] == []


@pytest.mark.exhaustive
def test_a_server_that_plays_at_random_without_a_memory_is_named(commands: Commands, tmp_path: Path) -> None:
    verdict = played(commands, tmp_path, RandomWithoutMemory(), MORE_HANDS)
    assert verdict.level == "V1"
    told = [line for line in warnings_told(verdict) if TOLD in line]
    assert any(re.search(r"between Phase 1 \(.*\) and Phase 2", line) for line in told), (
        verdict.analysis and verdict.analysis.planted
    )
