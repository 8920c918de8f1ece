"""Makes the golden bundle and the golden journal of a protocol version: python tests/bundles/make_golden.py

They are committed. Of a released protocol (RELEASED) they are never made again: every later verifier must accept them,
and this refuses to write over them. Until then a change of formats or prompts replaces them, and its commit says why.
It needs Stockfish 15.1.

    golden/agz-0.1/bundle/        a signed bundle: both games, both phases, adjudicated by the engine; a benchmark
                                  player, mirrored decks, a match that a rule ends early, the engine's judgement of
                                  every move
    golden/agz-0.1/systems/       a signed bundle of Phases 2, 3 and 5: memory, tools, documents (our own too) and the
                                  full stack, in all arms; two seats with a system each, a forced shift, positions
    golden/agz-0.1/journal/       the sealed manifest, the secret and the raw journals of a run whose seats
                                  do all that a seat can do: faults, retries, forfeits, refusals, failed calls
    golden/agz-0.1/figures.json   what both come to
    golden/agz-0.1/test-key.pem   the key that signed, for tests only: it is public and worth nothing
"""

import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import chess
import msgspec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import stack_world
from agzamov_harness.ports import Completion
from agzamov_harness.run import signing_keys
from agzamov_verify.core import canon
from agzamov_verify.core.questions import Answer, Chat, NoReply, Question, Reply, Try
from agzamov_verify.core.script import Replay, drive
from agzamov_verify.games.chess.game import ChessBlock
from agzamov_verify.plan.streams import block_script
from agzamov_verify.table.game import Block
from bundles.bundle_factory import (
    CHESS0,
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
from conditions import arms_of

PROTOCOL = "agz-0.1"
RELEASED: Mapping[str, str] = {}
"""Released protocols, with the SHA-256 of what `find . -type f | LC_ALL=C sort | xargs sha256sum` prints in the folder
of their golden files. None yet: 0.2.0 is withdrawn."""
GOLDEN = Path(__file__).parent / "golden" / PROTOCOL
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
ENDPOINT = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "eccentric-1", "temperature": "0.3"}
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


def eccentric(question: Question) -> Answer:
    """A seat that does everything a seat can do, chosen by the question alone."""
    assert isinstance(question, Chat)
    draw = int.from_bytes(hashlib.sha256(canon.dumps(question)).digest()[:4], "big")
    tries = (Try("503 Service Unavailable", "status"), Try("read timeout", "timeout"))[: draw // 7 % 3]
    if is_stubborn(question):
        return Reply(text="I will not move.", attempts=tries)
    if draw % 23 == 0:
        return NoReply(reason="content_filter", attempts=tries)
    body = MOODS[draw % len(MOODS)].format(action=action_of(question.messages[1].content, draw))
    length = draw % 29 == 0
    return Completion(
        attempts=tries,
        fingerprint="fp_golden" if draw % 2 else "",
        id=f"chatcmpl-{draw:08x}",
        cached_tokens=draw % 50,
        completion_tokens=len(body.split()),
        finish="length" if length else "stop",
        model="eccentric-1",
        prompt_tokens=100 + draw % 50,
        reasoning_tokens=draw % 3,
        text=body,
    )


MOODS = (
    "{action}",
    "I have thought.\n{action}\n",
    "  {action}  \n\nThat is all.",
    "MOVE: e9e9\nACTION: dance\nNo, wait.\n{action}",
    "\N{BLACK CHESS QUEEN} \N{EM DASH} voil\N{LATIN SMALL LETTER A WITH GRAVE}.\r\n{action}",
    "I cannot decide between two of them.",
    "{action}\nMOVE: a1a1\nACTION: raise to 1",
)


def is_stubborn(question: Chat) -> bool:
    """Whether the seat gives nothing at this decision however often it is asked, and so forfeits."""
    return hashlib.sha256(f"{question.game} {question.turn}".encode()).digest()[0] < 6


def action_of(situation: str, draw: int) -> str:
    """Some legal action, castling where it can be castled."""
    fen = next((line.removeprefix("FEN: ") for line in situation.splitlines() if line.startswith("FEN: ")), None)
    if fen is None:
        legal = next(line for line in situation.splitlines() if line.startswith("Legal actions: "))
        return "ACTION: " + hold_em_action(legal.removeprefix("Legal actions: ").split(", "), draw)
    board = chess.Board(fen, chess960=True)
    moves = sorted(board.legal_moves, key=lambda move: (not board.is_capture(move), move.uci()))
    castling = next((move for move in moves if board.is_castling(move)), None)
    if castling and draw % 2:
        return "MOVE: " + ("O-O" if board.is_kingside_castling(castling) else "O-O-O")
    return f"MOVE: {castling or moves[draw % min(3, len(moves))]}"


def hold_em_action(legal: list[str], draw: int) -> str:
    """Any of the legal ones, the smallest bet or raise, or all-in; seldom a fold."""
    if draw % 11 == 0:
        return "all-in"
    words = legal[1:] if len(legal) > 1 and draw % 9 else legal
    verb, _, amounts = words[draw % len(words)].partition(" from ")
    return f"{verb.removesuffix(' a total')} {amounts.split()[0]}" if amounts else verb


def make_bundle(target: Path, folder: Path) -> dict[str, Any]:
    """The golden bundle, and what it comes to."""
    made = make_until(BUNDLE_PLAN, folder, lambda made: gates(made).get(CHESS0) == "passed", KEY)
    shutil.copytree(made, target / "bundle")
    verdict = check(target / "bundle", engine_path(), 1000)
    assert verdict.level == "V1", verdict.findings
    return figures_of(target / "bundle")


def make_systems(target: Path, folder: Path) -> dict[str, Any]:
    """The golden bundle of augmented play, and what it comes to."""
    made = stack_world.bundle_of(SYSTEMS_PLAN, folder, engine_path(), KEY)
    shutil.copytree(made, target / "systems")
    verdict = check(target / "systems", engine_path(), 1000)
    assert verdict.level == "V1", verdict.findings
    return figures_of(target / "systems")


def figures_of(bundle: Path) -> dict[str, Any]:
    predicate = Draft.of(bundle).predicate
    return {name: predicate[name] for name in ("claims", "journal", "run")}


def make_journal(target: Path, folder: Path) -> dict[str, Any]:
    """The golden journal, and what each of its streams comes to."""
    draft = Draft.of(make_until(JOURNAL_PLAN, folder, is_varied, KEY, eccentric))
    root = target / "journal"
    root.mkdir()
    (root / "manifest.json").write_bytes(draft.manifest.bytes)
    (root / "secret.hex").write_text(SECRET.hex())
    for stream in draft.streams():
        (root / f"{stream}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines(draft, stream)))
    return {stream: told_by(draft, stream) for stream in draft.streams()}


def is_varied(made: Path) -> bool:
    """Whether somebody castles, and a game of each sort ends in each way that test_golden.py looks for."""
    draft = Draft.of(made)
    castled = any(b"O-O" in line for stream in draft.streams() for line in lines(draft, stream))
    ends = {end[0] for stream in draft.streams() for end in told_by(draft, stream)["ends"].values()}
    return castled and {"adjudication", "forfeit", "fold", "showdown"} <= ends


def told_by(draft: Draft, stream: str) -> dict[str, Any]:
    plan = draft.manifest.plan
    story = entries(draft, stream)
    script = block_script(promised(plan)[stream], plan, dice_of(draft))
    block = drive(script, Replay(stream, iter(story)))
    return {"entries": len(story), "ends": dict(ends_of(block))}


def ends_of(block: Block) -> Iterator[tuple[str, Any]]:
    """How each game or hand of a block ended, and with how much for White or the button."""
    for record in block.records:
        if isinstance(block, ChessBlock):
            yield record.game, [record.ending.end, record.ending.white_halfpoints, " ".join(record.moves)]
        else:
            yield record.game, [record.end, record.net_chips]


def main() -> None:
    if PROTOCOL in RELEASED:
        sys.exit(f"{GOLDEN}: {PROTOCOL} is released, and golden files are never made again; name a new protocol")
    private = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with tempfile.TemporaryDirectory() as folder:  # elsewhere, so that the bundles name a commit without changes
        target = Path(folder) / PROTOCOL
        target.mkdir()
        (target / "test-key.pem").write_bytes(private)
        (target / "test-key.pem.pub").write_bytes(signing_keys.public_pem(KEY))
        figures = {
            "bundle": make_bundle(target, Path(folder) / "a"),
            "journal": make_journal(target, Path(folder) / "b"),
            "systems": make_systems(target, Path(folder) / "c"),
        }
        plain = msgspec.to_builtins(figures)
        (target / "figures.json").write_text(json.dumps(plain, indent=2, sort_keys=True) + "\n")
        shutil.rmtree(GOLDEN, ignore_errors=True)
        shutil.copytree(target, GOLDEN)
    print(f"{GOLDEN}: {sum(file.stat().st_size for file in GOLDEN.rglob('*') if file.is_file())} bytes")  # noqa: T201


if __name__ == "__main__":
    main()
