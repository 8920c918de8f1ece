"""The learning of a match with memory: a gain that comes with the entries is found, and where it comes it is read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agzamov_verify import bundle
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import (
    Answer,
    Chat,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.table import scripted_players
from bundles.bundle_factory import MODEL, make

DICE = Dice(bytes(32))
CAREERS, GAMES = 5, 104
STEP = 20
"""Entries from which on the memory is worth something, in the middle one of the careers."""
NOTE = "Answers a check by moving its king: 9 of 9"
MATCH: dict[str, Any] = {"phase": 2, "game": "chess960", "a": "agent", "b": "foe", "careers": CAREERS}
PLAN: dict[str, Any] = {
    "title": "What a memory adds",
    "seats": {"agent": MODEL, "foe": MODEL},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 2, "illegal": "retry_then_forfeit"},
    "systems": {"notes": {"kind": "memory", "server": "recent"}},
    "matches": [
        {
            **MATCH,
            "games": CAREERS * GAMES,
            "condition": {"augmentation": "memory", "arm": "real", "system": "notes"},
        }
    ],
}


class World:
    """Two players who draw at the ply limit, but for the games in which seat B gives no move and forfeits.

    `forfeits` says which these are, of a career and its number of entries; the memory finds something in them alone.
    Careers are played one after another.
    """

    def __init__(self, forfeits: Callable[[int, int], bool]) -> None:
        self.forfeits, self.career, self.entries = forfeits, 0, 0

    def __call__(self, question: Question) -> Answer:
        match question:
            case Chat() if question.to == "foe" and self.forfeits(self.career, self.entries):
                return Reply(text="I give up.")
            case Chat():
                return Reply(text=scripted_players.scripted_reply("random", question.messages, question.seed))
            case Search():
                return Hits((Hit(NOTE, "e00001"),) if self.forfeits(self.career, self.entries) else ())
            case Store():
                self.entries += 1
                return Stored()
            case EndGame():
                return Settled(self.entries)
            case Export():
                self.career, self.entries = self.career + 1, 0
                return Exported((), more=False)
            case _:
                raise AssertionError(question)


def learning(folder: Path, forfeits: Callable[[int, int], bool]) -> dict[str, Any]:
    """What the packed analysis says of the learning in a match with memory."""
    made = make(PLAN, folder, World(forfeits))
    (match,) = json.loads((made / bundle.ANALYSIS_FILE).read_text())["matches"]
    found: dict[str, Any] = match["learning"]
    return found


@pytest.mark.slow
def test_a_gain_that_comes_with_the_entries_is_learning_and_its_tau_is_read(tmp_path: Path) -> None:
    found = learning(tmp_path, lambda career, entries: entries >= STEP + 2 * (career - CAREERS // 2))
    assert found["verdict"] == "learned"
    assert float(found["p"]["decimal"]) < 0.01
    assert STEP / 2 < found["curve"]["tau"] < 2 * STEP
    # Windows of 50 results from the 51st on: the first that holds wins and nothing else is the plateau's.
    assert STEP + found["words"]["rule"]["window_results"] <= found["words"]["tau"] <= GAMES


@pytest.mark.slow
def test_wins_that_are_spread_evenly_over_a_career_are_no_learning(tmp_path: Path) -> None:
    found = learning(tmp_path, lambda career, entries: DICE.stream(f"{career}/{entries}").below(2) == 0)
    assert found["verdict"] == "no convergence detected"
    assert float(found["p"]["decimal"]) > 0.05
