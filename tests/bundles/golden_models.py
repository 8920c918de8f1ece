"""The plans of golden bundles of models: every spelling, fault and call of a tool; and ends that seldom come.

Of agz-0.1 and arena-0.1 each: one of models that declare their actions in every form (spelling_seat.py), large enough
for intervals and with every placebo, and one of games that end by rare rules (rule_seats.py).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import stack_world
from agzamov_verify.core.questions import Answer, Chat, Examine, Question
from agzamov_verify.plan.manifest import Plan
from bundles.bundle_factory import engine_path, make, world_of
from bundles.eccentric_seat import ENDPOINT

JsonPlan = Mapping[str, Any]

READ = {"kind": "memory", "server": "recent", "hits_max": 2}
SYSTEMS = {
    "tools": {
        "kind": "tools",
        "use": "model",
        "calls_max": 2,
        "candidates_max": 2,
        "lines_max": 2,
        "nodes": 5_000,
        "comparisons_max": 990,
    },
    "read": READ,
    "shuffled": {**READ, "placebo": "shuffle"},
    "own": {**READ, "placebo": "random_of_own"},
}


def arms(augmentation: str, system: str) -> Sequence[Mapping[str, str]]:
    """The conditions naked, placebo and real of a system."""
    named = [{"augmentation": augmentation, "arm": arm, "system": system} for arm in ("placebo", "real")]
    return [{"augmentation": augmentation}, *named]


def _asymmetric(game: str, conditions: Sequence[Mapping[str, str]], **size: int) -> Iterator[Mapping[str, Any]]:
    for condition in conditions:
        yield {"phase": 2, "game": game, "a": "agent", "b": "other", "condition": condition, **size}


MODELS: JsonPlan = {
    "title": "Golden models",
    "seats": {
        "agent": ENDPOINT,
        "other": {**ENDPOINT, "patterns": ["castles_early", "limps_button"]},
        "dice": {"kind": "random"},
        "tidy": {**ENDPOINT, "model": "eccentric-2", "temperature": "0"},
        "late": {**ENDPOINT, "model": "eccentric-3"},
    },
    "systems": SYSTEMS,
    "chess960": {"adjudication": {"policy": "material", "threshold_points": 1, "plies": 1}, "plies_max": 5},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "late", "b": "dice", "games": 24, "block_games": 24},
        {"phase": 0, "game": "holdem", "a": "late", "b": "dice", "hands": 8, "block_hands": 8},
        {"phase": 1, "game": "chess960", "a": "other", "b": "other", "games": 24, "block_games": 24},
        {"phase": 1, "game": "holdem", "a": "tidy", "b": "tidy", "hands": 40, "block_hands": 40},
        *_asymmetric("chess960", arms("tools", "tools"), games=32, block_games=32),
        *_asymmetric("holdem", arms("tools", "tools"), hands=32, block_hands=32),
        *_asymmetric("chess960", arms("memory", "read"), games=4, careers=2),
        *_asymmetric("holdem", arms("memory", "shuffled"), hands=20, careers=5),
        *_asymmetric("holdem", arms("memory", "own")[1:2], hands=20, careers=5),
    ],
}
MOVERS = {name: {**ENDPOINT, "model": name} for name in ("shuffles", "wanders", "grabs")}


def _against_itself(name: str, games: int) -> Mapping[str, Any]:
    return {"phase": 1, "game": "chess960", "a": name, "b": name, "games": games}


RULES: JsonPlan = {
    "title": "Golden rules",
    "seats": MOVERS,
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 250},
    "matches": [_against_itself("shuffles", 2), _against_itself("wanders", 2), _against_itself("grabs", 8)],
}
RULES_WITHOUT_CLAIMS: JsonPlan = {
    "title": "Golden rules without claims",
    "seats": {name: MOVERS[name] for name in ("shuffles", "wanders")},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 250, "draw_claims": "never"},
    "matches": [_against_itself("shuffles", 2), _against_itself("wanders", 2)],
}

FORFEITS = {"illegal": "retry_then_forfeit"}
FOUR = {"a": "agent", "b": "dice", "others": [{"seat": "other"}, {"seat": "dice"}]}
OF_CHANCE = {"a": "dice", "b": "kings", "others": [{"seat": "dice"}, {"seat": "kings"}]}
VILLAGE = {"a": "dice", "b": "kings", "others": [{"seat": "dice"}] * 3}
ARENA_MODELS: JsonPlan = {
    "protocol": "arena-0.1",
    "title": "Golden arena models",
    "seats": {"agent": ENDPOINT, "other": {**ENDPOINT, "model": "eccentric-2"}, "dice": {"kind": "random"}},
    "chess": {**FORFEITS, "adjudication": {"policy": "none"}, "plies_max": 8},
    "draughts": {**FORFEITS, "quiet_moves_max": 6, "plies_max": 8},
    "holdem": {**FORFEITS, "session_hands": 2, "stack_chips": 1_000},
    "holdem_ring": {**FORFEITS, "unit_decks": 1, "stack_chips": 700},
    "holdem_sit_and_go": {**FORFEITS, "stack_chips": 500, "level_hands": 2, "hands_max": 6},
    "matches": [
        {"phase": 6, "game": "chess", "a": "agent", "b": "other", "games": 32, "block_games": 32},
        {"phase": 6, "game": "draughts", "a": "agent", "b": "other", "games": 32, "block_games": 32},
        {"phase": 6, "game": "holdem", "a": "agent", "b": "other", "hands": 60, "block_hands": 60},
        {"phase": 6, "game": "holdem_ring", **FOUR, "hands": 64, "block_hands": 64},
        {"phase": 6, "game": "holdem_sit_and_go", **FOUR, "sit_and_gos": 8, "block_sit_and_gos": 8},
    ],
}
ARENA_RULES: JsonPlan = {
    "protocol": "arena-0.1",
    "title": "Golden arena rules",
    "seats": {**MOVERS, "dice": {"kind": "random"}, "kings": {"kind": "random"}},
    "chess": {**FORFEITS, "adjudication": {"policy": "none"}, "plies_max": 200},
    "draughts": {**FORFEITS, "quiet_moves_max": 6, "plies_max": 200},
    "holdem_sit_and_go": {**FORFEITS, "stack_chips": 2_000, "level_hands": 2, "hands_max": 20},
    "werewolf": {**FORFEITS, "days": 1, "wolves": 1},
    "matches": [
        {"phase": 6, "game": "chess", "a": "shuffles", "b": "grabs", "games": 2},
        {"phase": 6, "game": "chess", "a": "wanders", "b": "shuffles", "games": 2},
        {"phase": 6, "game": "chess", "a": "wanders", "b": "grabs", "games": 2},
        {"phase": 6, "game": "draughts", "a": "dice", "b": "kings", "games": 6},
        {"phase": 6, "game": "draughts", "a": "shuffles", "b": "wanders", "games": 12},
        {"phase": 6, "game": "holdem_sit_and_go", **OF_CHANCE, "sit_and_gos": 8, "block_sit_and_gos": 8},
        {"phase": 6, "game": "werewolf", **VILLAGE, "games": 5, "block_games": 5},
    ],
}


def played(plan: JsonPlan, folder: Path, model: Callable[[Question], Answer], key: Ed25519PrivateKey) -> Path:
    """The bundle of a plan in which `model` answers for every seat that is a model's."""
    stack, seats = stack_world.StackWorld(), world_of(msgspec.convert(plan, Plan), engine_path())
    models = {name for name, seat in plan["seats"].items() if seat["kind"] == ENDPOINT["kind"]}

    def answer(question: Question) -> Answer:
        if isinstance(question, Chat) and question.to in models:
            return model(question)
        return seats(question) if isinstance(question, Chat | Examine) else stack(question)

    memories = [name for name, system in plan.get("systems", {}).items() if system["kind"] == "memory"]
    return make(plan, folder, answer, key=key, memories=dict.fromkeys(memories, stack_world.PIN))
