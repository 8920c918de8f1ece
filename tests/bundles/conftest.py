"""Honest bundles that tests take apart: made once for a session, never changed on disk."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from bundles.bundle_factory import (
    CHESS0,
    GAMES0,
    JUDGED,
    POKER0,
    SMALL,
    TINY,
    Draft,
    engine_path,
    entries,
    gates,
    make,
    make_until,
)

FIXED = SimpleNamespace(token_bytes=bytes)


@pytest.fixture(autouse=True)
def replies_to_compute_again_are_drawn_from_a_fixed_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that it is no luck whether a reply that a test has changed is among the few that it lets be computed again."""
    monkeypatch.setattr("agzamov_verify.checks.replay_all.secrets", FIXED)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both games and phases, no engine: Phase 0 failed in hold'em, passed in chess, whose first game is not short."""
    wanted = {CHESS0: "passed", POKER0: "failed"}

    def fits(made: Path) -> bool:
        ninth = entries(Draft.of(made), GAMES0)[8]
        return gates(made) == wanted and ninth.question.game == f"{CHESS0}-g00000"

    return make_until(SMALL, tmp_path_factory.mktemp("small"), fits)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few plies and two hands."""
    return make(TINY, tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def engine() -> Path:
    """Stockfish, or a skipped test."""
    path = engine_path()
    if path is None:
        pytest.skip("no Stockfish 15.1 here; on Debian 12: apt-get install stockfish")
    return path


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory, engine: Path) -> Path:
    """Chess games that the engine adjudicates, and some that it does not."""
    return make(JUDGED, tmp_path_factory.mktemp("judged"))
