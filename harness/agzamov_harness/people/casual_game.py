"""A plan for one person who plays for pleasure: which game, against whom, how many."""

from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

from agzamov_verify.plan.manifest import ManifestError

from ..models.published_weights import STORE

PROTOCOL: Final = "play-0.1"
OPPONENT: Final = "opponent"
TINY_WEIGHTS: Final = Path(__file__).parents[3] / "images" / "tinymodel" / "tinymodel.gguf"
TINY: Final = "tiny"
STOCKFISH: Final = "stockfish"
UCI: Final = "uci"
SMALL: Final = "small"
SMALL_MODEL: Final = "smollm2-135m"
WEIGHTS: Final = ".gguf"
OPPONENTS: Final = ("reference", "random", STOCKFISH, UCI, TINY, SMALL)
TAKES_DRAWS: Final = frozenset({"reference", "random", STOCKFISH, UCI})
"""Opponents for whom a rule of the plan may answer draw offers; a model would have to be asked."""
HANDS: Final = 20
GAMES: Final = 2
STOCKFISH_NODES: Final = 10_000
ENGINE_PLIES: Final = 6
"""Of the search of an engine at full strength: every engine knows a depth, and not every one counts nodes."""
SMALL_TOKENS_MAX: Final = 24
"""A declaration and a few words: a processor takes a second for a few tokens."""


class CasualGame(StrEnum):
    """Games that can be played for pleasure."""

    CHESS960 = "chess960"
    CHESS = "chess"
    HOLDEM = "holdem"


class Wish(NamedTuple):
    """The wish of a person. `against`: one of OPPONENTS, a file of weights, or an OpenAI-compatible endpoint's address.

    `results`: games or hands; 0 for the usual number. `declared`: keys of the person's seat. `skill`: of Stockfish.
    `program`: a UCI engine, as a command or a path, and `elo`: its strength, 0 for all of it.
    """

    game: CasualGame
    against: str
    results: int
    name: str
    declared: dict[str, Any]
    model: str
    api_key_env: str
    skill: int
    program: str = ""
    elo: int = 0


def casual_plan(wish: Wish) -> dict[str, Any]:
    """The plan as plain values. Raises ManifestError for a wish that cannot be met."""
    opponent = _opponent(wish)
    name = wish.against if wish.against in OPPONENTS else OPPONENT
    if name == wish.name:
        raise ManifestError(f"--name {wish.name}: your opponent has that name; choose another")
    return {
        "title": f"{wish.name} plays {wish.game.value}",
        "protocol": PROTOCOL,
        "seats": {wish.name: {"kind": "human", **wish.declared}, name: opponent},
        wish.game.value: _rules(wish),
        "matches": [{"phase": 6, "game": wish.game.value, "a": wish.name, "b": name, **_size(wish)}],
    }


def _opponent(wish: Wish) -> dict[str, Any]:
    """The seat of the opponent."""
    against = wish.against
    if wish.game is CasualGame.HOLDEM and against in {STOCKFISH, UCI}:
        raise ManifestError(f"--against {against}: an engine plays chess; in hold'em try --against reference")
    match against:
        case "reference" | "random":
            return {"kind": against}
        case "stockfish":
            return {"kind": STOCKFISH, "nodes": STOCKFISH_NODES, "skill": wish.skill}
        case "uci":
            return _engine(wish)
    if against in {TINY, SMALL} or against.endswith(WEIGHTS):
        return _local_model(against)
    return _endpoint(wish)


def _endpoint(wish: Wish) -> dict[str, Any]:
    """A model behind an OpenAI-compatible endpoint."""
    if not wish.against.startswith(("http://", "https://")):
        expected = f"expected {', '.join(OPPONENTS)}, FILE.gguf, or an address with http(s)://"
        raise ManifestError(f"--against {wish.against}: {expected}")
    if not wish.model:
        raise ManifestError(f"--against {wish.against}: expected the model's name there: --model NAME")
    key = {"api_key_env": wish.api_key_env} if wish.api_key_env else {}
    return {"kind": "openai", "base_url": wish.against, "model": wish.model, "concurrency": 1, **key}


def _local_model(against: str) -> dict[str, Any]:
    """A model that llama.cpp serves here: the tiny one of a clone, the small published one, or any file of weights."""
    small = STORE.expanduser() / f"{SMALL_MODEL}{WEIGHTS}"
    path, limits, missing = {
        TINY: (TINY_WEIGHTS, {"context_tokens": 2048, "tokens_max": 16}, "the tiny model, which a clone alone has"),
        SMALL: (small, {"tokens_max": SMALL_TOKENS_MAX}, f"the small model; type: agzamov models get {SMALL_MODEL}"),
    }.get(against, (Path(against).expanduser(), {}, "a file of weights, found none"))
    if not path.is_file():
        raise ManifestError(f"--against {against}: {path}: expected {missing}")
    return {"kind": "gguf", "weights": str(path), "concurrency": 1, **limits}


def _engine(wish: Wish) -> dict[str, Any]:
    """A UCI engine of this machine. One that is limited to a rating draws its moves, which are then attested."""
    if not wish.program:
        raise ManifestError("--against uci: expected the engine: --program COMMAND")
    elo = {"elo": wish.elo} if wish.elo else {}
    limit = {"depth": ENGINE_PLIES} if not wish.elo else {"nodes": STOCKFISH_NODES}
    return {"kind": UCI, "program": wish.program, **limit, **elo}


def _rules(wish: Wish) -> dict[str, Any]:
    """The protocol's rules. These models answer so badly that a random legal move takes the place of none."""
    illegal = "substitute" if wish.against in {TINY, SMALL} else "retry_then_forfeit"
    if wish.game is CasualGame.HOLDEM:
        return {"illegal": illegal, "session_hands": wish.results or HANDS}
    draws: dict[str, Any] = {"draw_offers": {}} if wish.against in TAKES_DRAWS else {}
    return {"illegal": illegal, "adjudication": {"policy": "none"}, **draws}


def _size(wish: Wish) -> dict[str, int]:
    """Games in one stream after another, hands in one session."""
    if wish.game is CasualGame.HOLDEM:
        hands = wish.results or HANDS
        return {"hands": hands, "block_hands": hands}
    return {"games": wish.results or GAMES, "block_games": 2}
