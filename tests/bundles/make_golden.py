"""Makes the golden files of protocol versions: python tests/bundles/make_golden.py agz-0.1 arena-0.1

They are committed. Of a released protocol (RELEASED) they are never made again: every later verifier must accept them,
and this refuses to write over them. Until then a change of formats or prompts replaces them, and its commit says why.
It needs Stockfish 15.1.

    golden/agz-0.1/bundle/        a signed bundle: both games, both phases, adjudicated by the engine; a benchmark
                                  player, mirrored decks, a match that a rule ends early, the engine's judgement of
                                  every move
    golden/agz-0.1/systems/       a signed bundle of Phases 2, 3 and 5: memory, tools, documents (our own too) and the
                                  full stack, in all arms; two seats with a system each, a forced shift, positions
    golden/agz-0.1/models/        a signed bundle of models that declare actions in every form, call tools, and have a
                                  memory in every placebo, large enough for intervals (golden_models.py)
    golden/agz-0.1/rules/         a signed bundle of games that end by rare rules
    golden/agz-0.1/late_rules/    another, where nobody claims a draw
    golden/agz-0.1/journal/       the sealed manifest, the secret and the raw journals of a run whose seats
                                  do all that a seat can do: faults, retries, forfeits, refusals, failed calls
    golden/agz-0.1/figures.json   the figures of all of them
    golden/agz-0.1/test-key.pem   the key that signed, for tests only: it is public and worth nothing

    golden/arena-0.1/             a bundle of scripted players in all games of the arena, and a journal of seats
                                  that do all that a seat can do in each, one of them shown images (golden_arena.py);
                                  models/ and rules/ as in agz-0.1
    golden/play-0.1/              a bundle of scripted people in all games of play, with draw offers (golden_people.py)
    golden/people-0.1/            a bundle of a study of two scripted people, one of whom stops
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import msgspec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import stack_world
from agzamov_harness.run import signing_keys
from agzamov_verify.checks.limits import VerificationLimits
from agzamov_verify.core.script import Answerer, Replay, drive
from agzamov_verify.games.chess.game import ChessBlock
from agzamov_verify.games.holdem.game import PokerBlock
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.table.game import Block
from bundles import golden_arena, golden_models, golden_people, rule_seats, spelling_seat
from bundles.bundle_factory import (
    CHESS0,
    NONCES_MAX,
    SEATS,
    SECRET,
    Draft,
    check,
    dice_of,
    engine_path,
    entries,
    gates,
    key_of,
    lines,
    make_until,
    promised,
)
from bundles.bundle_factory import make as play
from bundles.eccentric_seat import ENDPOINT, eccentric, eccentric_in_any_game
from conditions import arms_of

PROTOCOL = "agz-0.1"
RELEASED: Mapping[str, str] = {
    "agz-0.1": "aff9c7753e88ace8802a793a02a48e1a55ea14ec1dfc875f0f3355416d69d92a",
    "arena-0.1": "c258185e3d234cbccf0cb0114925b4f6da14673b0324e32aa9169d798ab2c722",
}
"""Released protocols, with the SHA-256 of what `find . -type f | LC_ALL=C sort | xargs sha256sum` prints in the folder
of their golden files."""
FOLDER = Path(__file__).parent / "golden"
GOLDEN = FOLDER / PROTOCOL
KEY = key_of("the golden test key")

WATCHED = "p1-chess960-naked-other"
BUNDLE_PLAN = {
    "title": "Golden",
    "seats": {**SEATS, "benchmark": {"kind": "benchmark"}},
    "engine": {"nodes": 1000},
    "chess960": {"adjudication": {"plies": 4}, "plies_max": 50},
    "holdem": {"mirrored": True, "session_hands": 4},
    "prices": {"agent": {"input_usd": "3", "output_usd": "15"}},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 6, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 16, "block_hands": 8},
        {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 2, "block_games": 2},
        {"phase": 1, "game": "chess960", "a": "other", "b": "other", "games": 12, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "other", "b": "other", "hands": 16, "block_hands": 8},
        {"phase": 1, "game": "holdem", "a": "other", "b": "benchmark", "hands": 16, "block_hands": 8},
    ],
    "analysis": {"sequential": [{"match": WATCHED, "of_interest": "1.9", "blocks_per_look": 2}]},
    "quality": {"nodes": 20},
}
OWN_DOCUMENT = """Rooks in the middlegame
Sources of the facts: our own words.
---
Rooks belong on open files, where no pawn stands in their way. In the opening castle early, so that the rooks find each
other; in the endgame a rook behind a passed pawn is worth more than one in front of it, whoever the pawn belongs to.
"""
REAL = {"augmentation": "memory", "arm": "real", "system": "recent"}
RAG = {"augmentation": "rag"}
STRESS = {"phase": 5, "game": "chess960", "a": "novice", "b": "novice", "games": 2}
SYSTEMS_PLAN = {
    **stack_world.PLAN,
    "title": "Golden systems",
    "systems": {
        **stack_world.SYSTEMS,
        "own": {"kind": "rag", "documents": "books/", "texts": {"chess960": OWN_DOCUMENT}},
    },
    "matches": [
        *({**stack_world.CHESS, "games": 2, "condition": arm} for arm in arms_of("full").values()),
        *({**stack_world.HANDS, "hands": 8, "condition": arm} for arm in arms_of("full").values()),
        {**stack_world.CHESS, "games": 2, "careers": 0, "condition": RAG},
        {**stack_world.CHESS, "games": 2, "careers": 0, "condition": {**RAG, "arm": "real", "system": "own"}},
        {**stack_world.CHESS, "games": 2, "careers": 0, "condition": {**RAG, "arm": "placebo", "system": "own"}},
        {
            **stack_world.HANDS,
            "phase": 3,
            "hands": 8,
            "condition": REAL,
            "b_condition": {"augmentation": "tools", "arm": "real", "system": "tool"},
            "shifts": [{"after": 4, "patterns": ["limps_button"]}],
        },
        {**STRESS, "positions": "slight", "condition": RAG},
        {**STRESS, "positions": "slight", "condition": {**RAG, "arm": "real", "system": "basics"}},
    ],
}
JOURNAL_PLAN = {
    "title": "Golden journal: l'\N{LATIN SMALL LETTER E WITH ACUTE}tude",
    "seats": {
        "agent": {**ENDPOINT, "briefing": "It castles early.\n\N{WHITE CHESS KNIGHT} It likes knights."},
        "other": {**ENDPOINT, "patterns": ["avoids_queen_trades", "min_raises_pairs"], "accepts": ["seed"]},
        "dice": {"kind": "random", "patterns": ["castles_early", "folds_button_to_3bet"]},
    },
    "seed": {"origin": "season", "value": "spring-2027"},
    "chess960": {
        "adjudication": {"policy": "material", "threshold_points": 4, "plies": 3, "play_on_percent": 50},
        "draw_claims": "never",
        "illegal": "retry_then_forfeit",
        "plies_max": 40,
        "prompt": "legal_moves",
    },
    "holdem": {"illegal": "retry_then_forfeit", "session_hands": 2, "stack_chips": 2_500},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 2, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "other", "b": "dice", "hands": 8, "block_hands": 4},
        {"phase": 1, "game": "chess960", "a": "other", "b": "other", "games": 2, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 8, "block_hands": 4},
    ],
}


def make_bundle(target: Path, folder: Path, plan: Mapping[str, Any], wanted: Callable[[Path], bool]) -> dict[str, Any]:
    """The golden bundle, and its figures."""
    return kept(make_until(plan, folder, wanted, KEY), target / "bundle")


def make_systems(target: Path, folder: Path) -> dict[str, Any]:
    """The golden bundle of augmented play, and its figures."""
    return kept(stack_world.bundle_of(SYSTEMS_PLAN, folder, engine_path(), KEY), target / "systems")


def make_models(target: Path, folder: Path, name: str) -> dict[str, Any]:
    """A golden bundle of models, and its figures. `name`: its folder among the golden files of a protocol."""
    plan, model = OF_MODELS[target.name, name]
    return kept(golden_models.played(plan, folder, model, KEY), target / name)


OF_MODELS: Mapping[tuple[str, str], tuple[golden_models.JsonPlan, Answerer]] = {
    ("agz-0.1", "models"): (golden_models.MODELS, spelling_seat.of_the_paper),
    ("agz-0.1", "rules"): (golden_models.RULES, rule_seats.in_chess),
    ("agz-0.1", "late_rules"): (golden_models.RULES_WITHOUT_CLAIMS, rule_seats.in_chess),
    ("arena-0.1", "models"): (golden_models.ARENA_MODELS, spelling_seat.of_the_arena),
    ("arena-0.1", "rules"): (golden_models.ARENA_RULES, rule_seats.in_chess_or_draughts),
}
"""The plan and the models of each golden bundle of models, by protocol and folder."""


def make_of_people(target: Path, folder: Path, plan: Mapping[str, Any], ends: set[str]) -> dict[str, Any]:
    """The golden bundle of a plan with people, the first by nonce in which games end in these ways, and its figures."""
    for nonce in range(NONCES_MAX):
        made = play(plan, folder, golden_people.player(plan), nonce, KEY, golden_people.pins(plan))
        if ends <= set().union(*ends_by_game(Draft.of(made)).values()):
            return {"bundle": kept(made, target / "bundle")}
    raise AssertionError(f"none of {NONCES_MAX} runs was as wanted")


def kept(made: Path, golden: Path) -> dict[str, Any]:
    """The figures of a bundle that is verified and copied to its place among the golden files."""
    shutil.copytree(made, golden)
    verdict = check(golden, engine_path(), 1000, limits=VerificationLimits())
    assert verdict.level == "V1", verdict.findings
    return figures_of(golden)


def figures_of(bundle: Path) -> dict[str, Any]:
    predicate = Draft.of(bundle).predicate
    return {name: predicate[name] for name in ("claims", "journal", "run")}


def make_journal(
    target: Path, folder: Path, plan: Mapping[str, Any], wanted: Callable[[Path], bool], seat: Answerer
) -> dict[str, Any]:
    """The golden journal, and the figures of each of its streams. `seat` answers for the models."""
    draft = Draft.of(make_until(plan, folder, wanted, KEY, seat))
    root = target / "journal"
    root.mkdir()
    (root / "manifest.json").write_bytes(draft.manifest.bytes)
    (root / "secret.hex").write_text(SECRET.hex())
    for stream in draft.streams():
        (root / f"{stream}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines(draft, stream)))
    return {stream: figures_of_stream(draft, stream) for stream in draft.streams()}


def passed_in_chess(made: Path) -> bool:
    return gates(made).get(CHESS0) == "passed"


def is_varied(made: Path) -> bool:
    """Whether somebody castles, and a game of each sort ends in each way that test_golden.py looks for."""
    draft = Draft.of(made)
    castled = any(b"O-O" in line for stream in draft.streams() for line in lines(draft, stream))
    return castled and {"adjudication", "forfeit", "fold", "showdown"} <= set().union(*ends_by_game(draft).values())


def make_agz(target: Path, folder: Path) -> dict[str, Any]:
    """The golden files of agz-0.1, and their figures."""
    return {
        "bundle": make_bundle(target, folder / "a", BUNDLE_PLAN, passed_in_chess),
        "journal": make_journal(target, folder / "b", JOURNAL_PLAN, is_varied, eccentric),
        "systems": make_systems(target, folder / "c"),
        **make_all_models(target, folder),
    }


def make_arena(target: Path, folder: Path) -> dict[str, Any]:
    """The golden files of arena-0.1, and their figures."""

    def varied(made: Path) -> bool:
        return golden_arena.is_varied(ends_by_game(Draft.of(made)))

    return {
        "bundle": make_bundle(target, folder / "a", golden_arena.BUNDLE_PLAN, lambda _: True),
        "journal": make_journal(target, folder / "b", golden_arena.JOURNAL_PLAN, varied, eccentric_in_any_game),
        **make_all_models(target, folder),
    }


def make_all_models(target: Path, folder: Path) -> dict[str, Any]:
    """The golden bundles of models of one protocol, and their figures by folder."""
    names = [name for protocol, name in OF_MODELS if protocol == target.name]
    return {name: make_models(target, folder / name, name) for name in names}


def make_play(target: Path, folder: Path) -> dict[str, Any]:
    """The golden files of play-0.1, and their figures: somebody takes an offer of a draw, somebody resigns."""
    return make_of_people(target, folder, golden_people.PLAY_PLAN, {"agreement", "checkmate", "resignation"})


def make_people(target: Path, folder: Path) -> dict[str, Any]:
    """The golden files of people-0.1, and their figures."""
    return make_of_people(target, folder, golden_people.PEOPLE_PLAN, {"ply_limit", "resignation"})


def ends_by_game(draft: Draft) -> dict[str, set[str]]:
    """The ways in which results of each game of a bundle ended."""
    games: dict[str, set[str]] = {}
    for match in draft.manifest.plan.matches:
        for stream in streams_of(match):
            if stream.id in draft.streams():
                ends = figures_of_stream(draft, stream.id)["ends"]
                games.setdefault(match.game, set()).update(end[0] for end in ends.values())
    return games


def figures_of_stream(draft: Draft, stream: str) -> dict[str, Any]:
    plan = draft.manifest.plan
    story = entries(draft, stream)
    script = block_script(promised(plan)[stream], plan, dice_of(draft))
    block = drive(script, Replay(stream, iter(story)))
    return {"entries": len(story), "ends": ends_of(block)}


def ends_of(block: Block) -> dict[str, list[Any]]:
    """How each result of a block ended: its end, what was won, and in chess the moves."""
    if isinstance(block, ChessBlock):
        return {
            record.game: [record.ending.end.value, record.ending.white_halfpoints, " ".join(record.moves)]
            for record in block.records
        }
    if isinstance(block, PokerBlock):
        return {record.game: [record.end.value, record.net_chips] for record in block.records}
    return {record.game: [record.end.value, list(record.outcomes)] for record in block.records}


MAKERS: Mapping[str, Callable[[Path, Path], dict[str, Any]]] = {
    "agz-0.1": make_agz,
    "arena-0.1": make_arena,
    "play-0.1": make_play,
    "people-0.1": make_people,
}


def main(protocols: Sequence[str]) -> None:
    """Make the golden files of these protocols. Exits with a line for one that is released or has no maker."""
    for protocol in protocols:
        if protocol in RELEASED:
            sys.exit(f"{protocol} is released, and its golden files are never made again; name a new protocol")
        if protocol not in MAKERS:
            sys.exit(f"no golden files are made for {protocol!r}; known: {', '.join(MAKERS)}")
        make(protocol)


def make(protocol: str) -> None:
    golden = FOLDER / protocol
    private = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with tempfile.TemporaryDirectory() as folder:  # elsewhere, so that the bundles name a commit without changes
        target = Path(folder) / protocol
        target.mkdir()
        (target / "test-key.pem").write_bytes(private)
        (target / "test-key.pem.pub").write_bytes(signing_keys.public_pem(KEY))
        figures = msgspec.to_builtins(MAKERS[protocol](target, Path(folder)))
        (target / "figures.json").write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n")
        shutil.rmtree(golden, ignore_errors=True)
        shutil.copytree(target, golden)
    print(f"{golden}: {sum(file.stat().st_size for file in golden.rglob('*') if file.is_file())} bytes")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit(f"name the protocols: {', '.join(MAKERS)}"))
