"""Memories and engines of a registered run are asked again for its attestation, and what differs there is found."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from agzamov_harness.reproduce import attest
from agzamov_harness.reproduce.memory_replay import ComparedStore
from agzamov_harness.run import signing_keys
from harness.test_memory_run import plan_of as memory_plan
from registration.registered_run import World, played
from registration.replayed_run import Replay, any_round_is_signed, policy_file, round_file

GAMES = 3
CHESS: dict[str, Any] = {
    "protocol": "arena-0.1",
    "seats": {"fish": {"kind": "uci", "program": "stockfish", "nodes": 200}, "dice": {"kind": "random"}},
    "chess": {"plies_max": 10, "adjudication": {"policy": "none"}},
    "matches": [{"phase": 6, "game": "chess", "a": "fish", "b": "dice", "games": 4, "block_games": 2}],
}


def world_of(folder: Path, **plan: Any) -> tuple[World, Path]:
    """A registered run of a plan, and a replayer's key."""
    world, bundle = played(folder, plan=plan)
    signing_keys.generate(folder / "replayer.pem")
    return world, bundle


def attested(case: Replay, *options: object, code: int = 0) -> Replay:
    """Ask again, and sign."""
    given = ("--policy", policy_file(case.world, case.policy), "--log", case.world.log, "--sample", GAMES)
    key = ("--attest", case.world.folder / "replayer.pem", "--round", round_file(case.world.folder))
    case.change_policy(replayed_games_min=GAMES)
    case.attestation.unlink(missing_ok=True)
    case.world.call("replay", case.bundle, *given, *key, "--attestation", case.attestation, *options, code=code)
    return case


@pytest.fixture(scope="module")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Path]:
    with pytest.MonkeyPatch.context() as patch:
        any_round_is_signed(patch)
        plan = memory_plan("recent")
        # The naked match has no memory: three games drawn from both matches could all be of it.
        return world_of(tmp_path_factory.mktemp("memory"), **plan | {"matches": plan["matches"][1:]})


@pytest.mark.slow
def test_memories_of_the_drawn_games_are_asked_again(
    remembering: tuple[World, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_round_is_signed(monkeypatch)
    case = attested(Replay(*remembering, tmp_path))
    found = case.judged()
    assert (found.findings, found.missing) == ([], [])
    memories = case.replayed.memories
    assert memories
    assert all(memory.asked and not memory.different for memory in memories.values())
    name, memory = next(iter(memories.items()))
    other_count, one_different = replace(memory, asked=memory.asked + 1), replace(memory, different=1)
    for changed, words in ((other_count, "questions"), (one_different, "1 different")):
        case.sign(memories=memories | {name: changed})
        assert [words in one.found for one in case.judged().findings] == [True]
    case.sign(memories={}, not_asked={name.partition(" ")[2]: "no server here"})
    assert ["no server here" in one for one in case.judged().missing] == [True]


@pytest.mark.slow
def test_a_memory_that_answers_otherwise_is_attested_as_different(
    remembering: tuple[World, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_round_is_signed(monkeypatch)
    monkeypatch.setattr(
        attest,
        "replay_streams",
        lambda opened, streams, places: [
            (store, ComparedStore(1, 0, "question 1", "a", "b"))
            for store in attest.memory_stores(opened.manifest.plan)
            if store.stream in streams
        ],
    )
    case = attested(Replay(*remembering, tmp_path), code=1)
    assert {one.found for one in case.judged().findings} == {"1 different"}


@pytest.mark.slow
def test_an_engine_is_asked_again_by_the_replayers_own_program(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if not program:
        pytest.skip("no stockfish here")
    any_round_is_signed(monkeypatch)
    case = Replay(*world_of(tmp_path_factory.mktemp("engine"), **CHESS), tmp_path)
    missing = attested(case).judged()
    assert missing.findings == []
    assert ["fish was not asked again: no program with its sealed digest" in one for one in missing.missing] == [True]
    found = attested(case, "--program", program)
    assert (found.judged().findings, found.judged().missing) == ([], [])
    assert found.replayed.seats["fish"].sha256
    seats = found.replayed.seats
    case.sign(seats=seats | {"fish": replace(seats["fish"], sha256="ab" * 32)})
    assert ["program abab" in one.found for one in case.judged().findings] == [True]
