"""Honest bundles that tests take apart: made once for all processes of a session, never changed on disk."""

import os
from collections.abc import Callable
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from agzamov_verify.engines.answer_store import KEY_BYTES
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


@pytest.fixture(autouse=True)
def replies_to_compute_again_are_drawn_from_a_fixed_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that it is no luck whether a reply that a test has changed is among the few that it lets be computed again."""
    monkeypatch.setattr("agzamov_verify.checks.replay_all.drawing_seed", lambda _: bytes(KEY_BYTES))


def made_once(name: str, factory: pytest.TempPathFactory, made: Callable[[Path], Path]) -> Path:
    """A bundle that the first of the session's processes makes; the others wait for it."""
    root = factory.getbasetemp()
    folder = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / f"bundle-{name}"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        where = folder / "where"
        if not where.exists():
            where.write_text(str(made(folder)))
        return Path(where.read_text())


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both games and phases, no engine: Phase 0 failed in hold'em, passed in chess, whose first game is not short."""
    wanted = {CHESS0: "passed", POKER0: "failed"}

    def fits(made: Path) -> bool:
        ninth = entries(Draft.of(made), GAMES0)[8]
        return gates(made) == wanted and ninth.question.game == f"{CHESS0}-g00000"

    return made_once("small", tmp_path_factory, lambda folder: make_until(SMALL, folder, fits))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few plies and two hands."""
    return made_once("tiny", tmp_path_factory, lambda folder: make(TINY, folder))


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
    return made_once("judged", tmp_path_factory, lambda folder: make(JUDGED, folder))
