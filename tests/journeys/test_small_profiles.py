"""The small profile of every ready plan, run and verified with what `make install` installs: all of it is played.

That of a plan for containers needs an engine and an image: see tests/containers/test_small_profile.py.
"""

import json
from pathlib import Path

import pytest
from scipy import stats

from agzamov_harness.run.plan_file import read_plan, small
from agzamov_verify.experiment.matches import Phase
from agzamov_verify.games.holdem.game import SMALL_PHASE_0_SESSIONS
from agzamov_verify.memory.built_in_servers import SERVERS
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.systems.memory_system import MemorySystem
from journeys.commands_typed import agzamov

MANIFESTS = sorted(Path("manifests").glob("*.yaml"))
IN_CONTAINERS = [path for path in MANIFESTS if read_plan(path).isolation == "container"]
UNPLAYED_BY_DESIGN = {"smollm2"}
"""Its Phase 0 of five sessions of four hands, and of four games of four plies, is made to be short."""
PLAYED = [path for path in MANIFESTS if path.stem not in UNPLAYED_BY_DESIGN]
SESSIONS_WON = 0.874
"""Least share of sessions of 50 hands that the reference player wins against the random one (892 of 1,000; 95 %)."""

USUAL = ("try",)
"""Those that are played each time: all take most of an hour on two cores. The games of the quickstart are played in
test_first_ten_minutes.py, and the real small model in tests/models/test_smollm2.py.
"""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.slow if path.stem in USUAL else pytest.mark.exhaustive)
        for path in MANIFESTS
        if path not in IN_CONTAINERS
    ],
    ids=lambda path: path.stem,
)
def test_a_small_profile_plays_all_that_it_promises_and_verifies(path: Path, tmp_path: Path) -> None:
    play_and_verify(path, tmp_path)


def play_and_verify(path: Path, folder: Path) -> None:
    """Play the small profile of a plan in `folder`: its bundle is consistent, and all of it was played."""
    agzamov("keygen", "key.pem", cwd=folder)
    outcome = json.loads(agzamov("run", path.resolve(), "--small", "--key", "key.pem", "--json", cwd=folder))
    verdict = json.loads(agzamov("verify", outcome["bundle"], "--json", cwd=folder))
    assert verdict["level"] == "V1"
    if path.stem not in UNPLAYED_BY_DESIGN:
        assert outcome["failed_gates"] == []
        results = json.loads((folder / outcome["bundle"] / "data" / "results" / "results.json").read_bytes())
        assert not results["not_played"]


def test_luck_does_not_stop_a_small_profile_at_its_gate() -> None:
    norm = load_protocol("agz-0.1").phase0
    most_lost_at = SMALL_PHASE_0_SESSIONS * norm.win_percent_above // 100
    assert stats.binom.cdf(most_lost_at, SMALL_PHASE_0_SESSIONS, SESSIONS_WON) < 1e-4


@pytest.mark.parametrize(
    "path", [path for path in MANIFESTS if path.stem not in UNPLAYED_BY_DESIGN], ids=lambda path: path.stem
)
def test_every_gate_of_holdem_is_long_enough_for_that(path: Path) -> None:
    """A Phase 0 of ten sessions stayed as short as it was, and luck kept the rest from being played in one of eight."""
    plan = small(read_plan(path))
    gates = [match for match in plan.matches if match.phase == Phase.SANITY and match.game == "holdem"]
    sessions = [match.planned // plan.rules_of("holdem").session_hands for match in gates]
    assert all(one >= SMALL_PHASE_0_SESSIONS for one in sessions)


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_no_memory_of_a_small_profile_needs_more_than_make_install(path: Path) -> None:
    systems = small(read_plan(path)).systems.values()
    needing = {name for name, server in SERVERS.items() if server.stand_in}
    assert needing == {"semantic"}
    assert not any(isinstance(one, MemorySystem) and one.server in needing for one in systems)
