"""`kill -9` at random points of a match with a memory in containers: what is resumed is the run that nobody disturbed.

AGZ_MEMORY_KILLS says how often: a few by default, 50 and more by hand. They strike in turn the command, the
harness's container and that of a memory.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_harness.containers.container_engine import ContainerEngine
from agzamov_harness.containers.container_lifecycle import RUN_LABEL
from agzamov_harness.run import run_folder
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_verify.core.dice import Stream
from agzamov_verify.core.questions import MEMORY
from containers.engines import until
from containers.memory_runs import memory_plan
from containers.runs import sealed
from containers.test_memory import ENDED_S, finish, memories, resume
from harness.commands import Commands
from harness.sealed_runs import entries, journals, twin

KILLS = int(os.environ.get("AGZ_MEMORY_KILLS", "3"))
SESSIONS_A_KILL = 8
COMMAND, HARNESS, SERVER = range(3)


class Struck:
    """A run, and what strikes it."""

    def __init__(self, run: RunDirectory, key: Path, engine: ContainerEngine, commands: Commands) -> None:
        self.run, self.key, self.engine, self.commands = run, key, engine, commands
        self.labels = {RUN_LABEL: run.manifest.run_id}
        self.kills = [0, 0, 0]

    def strike(self, more: int, target: int, dice: Stream) -> None:
        """Play on until so many more entries are recorded, and kill the target in that moment."""
        enough = entries(self.run.path) + more
        running = resume(self.run, self.key, self.commands)
        until(lambda: entries(self.run.path) >= enough or not running.alive_after(0), "more entries")
        alive = running.alive_after(0)
        if alive and target == COMMAND:
            running.kill()
        elif alive:
            made = memories(self.engine, self.run)
            if target == HARNESS:
                made = [row.id for row in self.engine.seen(self.labels) if row.name.endswith("-harness")]
            if made:
                self.engine.signal(made[dice.below(len(made))], "SIGKILL")
            else:
                alive = False  # it is over, and takes its containers down
            assert running.ended(ENDED_S).code in (0, 4)
        self.kills[target] += alive
        until(lambda: not self.engine.any_left(self.labels), "everything is taken down")


@pytest.fixture(
    params=[
        pytest.param(("consolidator",), marks=pytest.mark.slow),
        pytest.param(("full_text", "consolidator"), marks=pytest.mark.exhaustive),
    ],
    ids=" and ".join,
)
def struck(
    request: pytest.FixtureRequest, tmp_path: Path, key: Path, engine: ContainerEngine, commands: Commands
) -> Iterator[Struck]:
    plan = memory_plan(*request.param, sessions=SESSIONS_A_KILL * KILLS)
    struck = Struck(sealed(plan, tmp_path, key), key, engine, commands)
    yield struck
    engine.remove_all(struck.labels)


def test_a_memory_match_that_is_killed_at_random_points_comes_to_the_same_journals(struck: Struck) -> None:
    key_file = struck.run.path.parents[1] / "key.pem"
    key_file.write_bytes(struck.key.read_bytes())
    calm = run_folder.load(twin(struck.run.path))
    finish(calm, struck.key, struck.commands)
    expected = journals(calm.path)
    whole, dice = sum(data.count(b"\n") for data in expected.values()), Stream(b"memory in containers", "kills")
    while sum(struck.kills) < KILLS and entries(struck.run.path) < whole * 9 // 10:
        struck.strike(1 + dice.below(whole // (2 * KILLS)), sum(struck.kills) % 3, dice)
    assert sum(struck.kills) > KILLS // 3, struck.kills
    finish(struck.run, struck.key, struck.commands)
    found = journals(struck.run.path)
    assert found == expected
    asked = sum(data.count(f'"to":"{MEMORY}"'.encode()) for data in found.values())
    print(f"kills (command, harness, memory): {struck.kills}; {whole} entries, {asked} questions to memories")  # noqa: T201
