"""Phase 3 from play to verdict: a better memory in seat A is found by the hypotheses that compare systems there."""

import json
from pathlib import Path
from typing import Any

import chess
import pytest

from agzamov_verify import bundle
from agzamov_verify.core.questions import (
    Answer,
    Chat,
    EndGame,
    Export,
    Exported,
    Hits,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.games.holdem.random_player import spelled
from agzamov_verify.games.holdem.spot import Verb, read_spot
from agzamov_verify.table import scripted_players
from agzamov_verify.table.prompt_lines import read_page
from bundles.bundle_factory import MODEL, make

CAREERS, UNITS = 5, 15
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
REAL = {"augmentation": "memory", "arm": "real"}


def matches() -> list[dict[str, Any]]:
    both = {"phase": 3, "a": "agent", "b": "rival", "careers": CAREERS, "b_condition": {**REAL, "system": "plain"}}
    shifts = [{"after": 20, "patterns": ["keeps_own_half", "limps_button"]}]
    systems = [{**both, "condition": {**REAL, "system": name}, "shifts": shifts} for name in ("late", "plain")]
    return [
        *({**match, "game": "chess960", "games": CAREERS * UNITS * 2} for match in systems),
        *({**match, "game": "holdem", "hands": CAREERS * UNITS * 2} for match in systems),
    ]


def plan() -> dict[str, Any]:
    return {
        "title": "An arms race",
        "seats": {"agent": MODEL, "rival": {**MODEL, "patterns": ["never_retreats", "always_cbets"]}},
        "chess960": {"adjudication": {"policy": "material", "threshold_points": 2, "plies": 2}, "plies_max": 16},
        "holdem": {"session_hands": 2},
        "systems": {
            "late": {"kind": "memory", "server": "semantic", "half_life_games": 5, "traits": ["semantic", "temporal"]},
            "plain": {"kind": "memory", "server": "full_text", "traits": ["full_text", "uniform"]},
        },
        "analysis": {"hypotheses": ["E4", "E8", "draft-H4"]},
        "matches": matches(),
    }


def greedy(question: Chat) -> str:
    """The capture that takes most, else a random move."""
    page = question.messages[1].content
    fen = next(line for line in page.splitlines() if line.startswith("FEN: ")).removeprefix("FEN: ")
    board = chess.Board(fen, chess960=True)
    moves = list(board.legal_moves)
    return f"MOVE: {max(moves, key=lambda move: VALUES.get(board.piece_type_at(move.to_square) or 0, 0)).uci()}"


def folds_to(folder: str, question: Chat) -> str:
    """The reply of hold'em: `folder` folds to any bet, the other seat bets what it may, but for some hands.

    Which hands these are follows from their numbers, so that careers differ by no draw.
    """
    options, number = read_spot(read_page(question.messages)).options, int(question.game[-5:])
    if Verb.FOLD in options.verbs and (question.to == folder or not number % 7):
        return "ACTION: fold"
    verb = next(verb for verb in (Verb.BET, Verb.RAISE, Verb.CHECK, Verb.CALL) if verb in options.verbs)
    return f"ACTION: {spelled(verb, options.min_to_chips)}"


class World:
    """With one system seat A takes what it can and is folded to, with the other it plays by chance and folds."""

    def __init__(self, better: str) -> None:
        self.better, self.stored = f"_real_{better}-", dict[tuple[str, str], int]()

    def __call__(self, question: Question) -> Answer:
        store = question.to, question.game.rpartition("-")[0]
        match question:
            case Chat():
                return Reply(text=self.chat(question))
            case Search():
                return Hits(())
            case Store():
                self.stored[store] = self.stored.get(store, 0) + 1
                return Stored()
            case EndGame():
                return Settled(self.stored[store])
            case Export():
                if not question.attempt:
                    self.stored[store] = 0
                return Exported((), more=False)
            case _:
                raise AssertionError(question)

    def chat(self, question: Chat) -> str:
        is_better = self.better in question.game
        if "-holdem-" in question.game:
            return folds_to("rival" if is_better else "agent", question)
        if question.to == "agent" and is_better:
            return greedy(question)
        return scripted_players.scripted_reply("random", question.messages, question.seed)


def verdicts_of(folder: Path, better: str) -> dict[str, dict[str, Any]]:
    made = make(plan(), folder, World(better))
    found = json.loads((made / bundle.ANALYSIS_FILE).read_text())
    assert [recovery["kinds"] for recovery in found["recoveries"]] == [["aggressive to passive"]] * 4
    return {verdict["id"]: verdict for verdict in found["hypotheses"]}


@pytest.mark.slow
def test_the_better_memory_of_an_arms_race_is_found_and_the_worse_one_is_not(tmp_path: Path) -> None:
    planted = verdicts_of(tmp_path / "planted", "late")
    assert [planted[name]["status"] for name in ("E4", "draft-H4")] == ["found, exploratory, not confirmed"] * 2
    assert planted["E8"]["status"] == "not tested by this run"
    opposite = verdicts_of(tmp_path / "opposite", "plain")
    assert [opposite[name]["status"] for name in ("E4", "draft-H4")] == ["not found, exploratory"] * 2
