"""A memory that finds each sentence word for word, and nothing by a run's own searches, is refused before sealing."""

from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.memory.adapter_file import system_of
from agzamov_harness.memory.launch import Setup
from agzamov_harness.memory.memory_server import MemoryServer
from agzamov_harness.memory.own_searches import (
    NOTES_PER_GAME,
    own_notes,
    own_searches,
    remembering,
    require_own_searches,
)
from agzamov_harness.memory.server_limits import MemoryFault
from agzamov_harness.run import signing_keys
from agzamov_verify.games.holdem.habit_words import PHRASES
from memory.memory_world import LIMITS, fake, fake_yaml

PLAN = """\
title: A memory that is searched
seats:
  agent: {{kind: random}}
{game}: {rules}
systems:
  mine: {{kind: memory, server: mine.yaml}}
matches:
  - phase: 2
    game: {game}
    a: agent
    b: agent
    {games}
    careers: 2
    condition: {{augmentation: memory, arm: real, system: mine}}
"""
HOLDEM = {"game": "holdem", "rules": "{session_hands: 2}", "games": "hands: 8"}
CHESS = {"game": "chess960", "rules": "{adjudication: {policy: none}, plies_max: 4}", "games": "games: 8"}
REFUSED = (
    "error: memory mine: expected something from one of the 8 searches that a run of holdem makes, such as"
    " 'preflop, button, first to act: 3-bet, Raised in the big blind, VPIP', after 4 of its notes, found nothing;"
    " a run with it would tell nothing: write query_words: longest in search"
)


def asked(setup: Setup, log: Path, *games: str) -> None:
    with closing(MemoryServer(setup, log)) as server:
        require_own_searches(server, setup, games)


def sealed(folder: Path, plan: str, defect: str, search: str = "tool: search") -> Result:
    signing_keys.generate(folder / "key.pem")
    adapter = fake_yaml(defect).replace("rewrites: described", "rewrites: never").replace("tool: search", search)
    (folder / "mine.yaml").write_text(adapter)
    (folder / "plan.yaml").write_text(plan)
    where = ("--key", folder / "key.pem", "--runs", folder / "runs", "--start-programs")
    return CliRunner().invoke(main, ["seal", str(folder / "plan.yaml"), *map(str, where)])


def test_notes_and_searches_are_those_of_each_game_and_always_the_same() -> None:
    assert {"chess960", "holdem"} <= set(remembering())
    for game in remembering():
        assert len(own_notes(game)) == NOTES_PER_GAME
        assert len(set(own_searches(game))) == len(own_searches(game)) > 3
    for search in own_searches("holdem"):
        rest = search
        for phrase in sorted(PHRASES, key=len, reverse=True):
            rest = rest.replace(phrase, "")
        assert rest.strip(",: ") == "", "made of the phrases of a run's searches and of nothing else"
    streets = {search.partition(",")[0] for search in own_searches("holdem")}
    assert streets == {"preflop", "flop", "turn", "river"}, "from the whole course of a contest"


@pytest.mark.slow
@pytest.mark.parametrize("server", ["full_text", "graph", "consolidator", "file", "recent"])
def test_a_built_in_memory_finds_notes_of_each_game(server: str, tmp_path: Path) -> None:
    asked(Setup(system_of(server), limits=LIMITS), tmp_path / "log", *remembering())


def test_a_server_that_wants_every_word_of_a_query_finds_nothing_of_holdem(tmp_path: Path) -> None:
    """It passed every check before, since they search for the words of one note."""
    with pytest.raises(MemoryFault, match="expected something from one of the 8 searches that a run of holdem makes"):
        asked(fake("all_words"), tmp_path / "log", "chess960", "holdem")
    asked(fake("all_words"), tmp_path / "log", "chess960")


def test_a_plan_with_such_a_memory_is_refused_in_one_line_and_nothing_is_sealed(tmp_path: Path) -> None:
    refused = sealed(tmp_path, PLAN.format(**HOLDEM), "all_words")
    assert refused.exit_code == 2
    (line,) = refused.stderr.splitlines()
    assert line.startswith(REFUSED)
    assert line.endswith("; nothing was sealed")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("plan", "defect", "search"),
    [
        pytest.param(PLAN.format(**HOLDEM), "none", "tool: search", id="an honest server"),
        pytest.param(PLAN.format(**HOLDEM), "all_words", "tool: search\n  query_words: longest", id="the remedy"),
        pytest.param(PLAN.format(**CHESS), "all_words", "tool: search", id="a game of which it finds something"),
        pytest.param(
            PLAN.format(**HOLDEM)
            .replace("kind: random", 'kind: openai, base_url: "http://127.0.0.1:1/v1", model: m')
            .replace("server: mine.yaml", "server: mine.yaml, use: model, calls_max: 1"),
            "all_words",
            "tool: search",
            id="a model that chooses the words",
        ),
    ],
)
def test_a_plan_whose_memory_may_find_something_is_sealed(tmp_path: Path, plan: str, defect: str, search: str) -> None:
    done = sealed(tmp_path, plan, defect, search)
    assert done.exit_code == 0, done.output
