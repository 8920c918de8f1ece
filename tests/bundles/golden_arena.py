"""The plans of the golden files of arena-0.1: every game of the arena, and a seat that is shown images."""

from collections.abc import Mapping
from typing import Any

from bundles.eccentric_seat import ENDPOINT

GAMES = ("chess", "draughts", "holdem", "holdem_ring", "holdem_sit_and_go", "werewolf")
RULES: dict[str, dict[str, Any]] = {game: {"illegal": "retry_then_forfeit"} for game in GAMES}
RULES["chess"] |= {"adjudication": {"policy": "none"}}
SIT_AND_GO = {**RULES["holdem_sit_and_go"], "stack_chips": 1_000, "level_hands": 2, "hands_max": 8}
ARENA = {"protocol": "arena-0.1", **RULES}
FOUR = {"a": "agent", "b": "dice", "others": [{"seat": "other"}, {"seat": "dice"}]}
EIGHT = {"a": "agent", "b": "dice", "others": [{"seat": "other"}] * 3 + [{"seat": "dice"}] * 3}

BUNDLE_PLAN = {
    **ARENA,
    "title": "Golden arena",
    "seats": {
        "agent": {"kind": "reference"},
        "dice": {"kind": "random"},
        "novice": {"kind": "novice"},
        "other": {"kind": "reference"},
        "stockfish": {"kind": "stockfish", "nodes": 100},
    },
    "holdem": {**RULES["holdem"], "session_hands": 4},
    "holdem_ring": {**RULES["holdem_ring"], "unit_decks": 1},
    "holdem_sit_and_go": SIT_AND_GO,
    "matches": [
        {"phase": 6, "game": "chess", "a": "agent", "b": "dice", "games": 2},
        {"phase": 6, "game": "chess", "a": "stockfish", "b": "novice", "games": 2},
        {"phase": 6, "game": "draughts", "a": "agent", "b": "dice", "games": 2},
        {"phase": 6, "game": "holdem", "a": "agent", "b": "dice", "hands": 8, "block_hands": 8},
        {"phase": 6, "game": "holdem_ring", **FOUR, "hands": 4, "block_hands": 4},
        {"phase": 6, "game": "holdem_sit_and_go", **FOUR, "sit_and_gos": 4, "block_sit_and_gos": 4},
        {"phase": 6, "game": "werewolf", **EIGHT, "games": 8, "block_games": 8},
    ],
}
JOURNAL_PLAN = {
    **ARENA,
    "title": "Golden arena journal",
    "seats": {
        "agent": {**ENDPOINT, "accepts": ["seed"]},
        "dice": {"kind": "random"},
        "other": {**ENDPOINT, "model": "eccentric-2"},
        "seeing": {**ENDPOINT, "image_input": {"style": "discs"}},
    },
    "seed": {"origin": "season", "value": "spring-2027"},
    "chess": {**RULES["chess"], "plies_max": 40},
    "draughts": {**RULES["draughts"], "plies_max": 40},
    "holdem": {**RULES["holdem"], "session_hands": 2},
    "holdem_ring": {**RULES["holdem_ring"], "unit_decks": 1},
    "holdem_sit_and_go": SIT_AND_GO,
    "matches": [
        {"phase": 6, "game": "chess", "a": "agent", "b": "dice", "games": 2},
        {"phase": 6, "game": "chess", "a": "seeing", "b": "agent", "games": 2},
        {"phase": 6, "game": "draughts", "a": "agent", "b": "other", "games": 4},
        {"phase": 6, "game": "holdem", "a": "agent", "b": "other", "hands": 8, "block_hands": 4},
        {"phase": 6, "game": "holdem_ring", **FOUR, "hands": 8, "block_hands": 4},
        {"phase": 6, "game": "holdem_sit_and_go", **FOUR, "sit_and_gos": 4, "block_sit_and_gos": 4},
        {"phase": 6, "game": "werewolf", **EIGHT, "games": 8, "block_games": 8},
    ],
}


def is_varied(ends: Mapping[str, set[str]]) -> bool:
    """Whether results of each game ended in more than one way. `ends`: those of each game."""
    return set(ends) == set(GAMES) and all(len(ways) > 1 for ways in ends.values())
