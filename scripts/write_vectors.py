"""Writes the conformance vectors of docs/spec/vectors from the program, so that neither drifts from the other.

    python scripts/write_vectors.py

Those of play are in write_play_vectors.py.

A test compares every file with what this makes. The inputs stand here and in tests/bundles/golden; nothing is drawn.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agzamov_harness.run import signing_keys
from agzamov_verify import bundle
from agzamov_verify.checks.opened_bundle import seed_dice
from agzamov_verify.core import canon
from agzamov_verify.core.dice import Dice, Stream, seed_root
from agzamov_verify.core.envelope import PAYLOAD_TYPE, SMALL_ORDER_Y, key_id, pae, sign_payload
from agzamov_verify.core.journal import GENESIS, Chain, Entry, asked, encode, journal_root, line_digest
from agzamov_verify.core.merkle import inclusion_proof, root_of
from agzamov_verify.core.question_digest import question_digest
from agzamov_verify.core.questions import (
    Answer,
    Calculate,
    CallTool,
    Chat,
    EndGame,
    Evaluate,
    Evaluation,
    Examine,
    Export,
    Message,
    NoReply,
    Question,
    Reply,
    Search,
    Store,
    Tool,
)
from agzamov_verify.core.questions import encode as encoded_question
from agzamov_verify.core.script import Replay, drive
from agzamov_verify.core.survey_question import Survey
from agzamov_verify.games.chess.starts import start_of_960
from agzamov_verify.games.holdem.deal import deal_cards, deck_number
from agzamov_verify.games.holdem.hand_script import PokerRules
from agzamov_verify.plan.manifest import load_manifest
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.scoring.hypotheses.contrasts import drawn_by
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE, Scale, contrast_estimate
from agzamov_verify.scoring.inference.intervals import CHESS, POKER, Resamples
from agzamov_verify.scoring.inference.proportions import wilson_interval
from agzamov_verify.scoring.inference.resampling import bootstrap_sums
from agzamov_verify.table import decision, prompt_lines
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.seating import alternating

ROOT: Final = Path(__file__).parent.parent
TARGET: Final = ROOT / "docs" / "spec" / "vectors"
GOLDEN: Final = ROOT / "tests" / "bundles" / "golden" / "agz-0.1"
SECRET: Final = bytes(range(32))
MANIFEST_DIGEST: Final = hashlib.sha256(b"a manifest").digest()
SALT: Final = b"agz/seed/self/v1"
RUN: Final = "8ba1ea80cbf113f7"
RESAMPLES: Final = 10_000
STREAM: Final = "p1-chess960-naked-model-b00000"
GAME: Final = "p1-chess960-naked-model-g00000"
START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def canonical_json() -> Any:
    """Values with their bytes, and texts that are refused."""
    good: list[Any] = [
        None,
        True,
        0,
        -7,
        2**53 - 1,
        "",
        'é "quoted" \\ / \u2028 \x7f',
        "\x00\x08\t\n\x0b\x0c\r\x1f",
        [],
        {},
        {"b": None, "a": [1, "é"], "B": {"10": 1, "9": 2}},
        [[[[[[[[]]]]]]]],
        "\U0001f0a1",
    ]
    bad = {
        "1.0": "a float",
        "1e3": "an exponent",
        "-0": "minus zero",
        "01": "a leading zero",
        str(2**53): "an integer beyond 2^53 - 1",
        "[1, 2]": "white space",
        '{"b":1,"a":2}': "keys out of order",
        '{"a":1,"a":1}': "a key twice",
        '{"é":1}': "a key beyond ASCII",
        '"\\u00e9"': "an escape that is not needed",
        '"\\/"': "an escaped slash",
        '"\\u001F"': "capital hexadecimal digits",
        '"\\ud800"': "a lone surrogate",
        "[[[[[[[[[]]]]]]]]]": "nine levels",
        "NaN": "no number of JSON",
        "\ufeff1": "a byte order mark",
        "1\n": "a line feed at the end",
        "": "no value",
    }
    rows = [{"text": canon.dumps(value).decode(), "sha256": canon.digest(value), "value": value} for value in good]
    return {"good": rows, "bad": [{"text": text, "why": why} for text, why in bad.items()]}


def merkle() -> Any:
    """Roots of 0 to 9 leaves, and inclusion proofs in the tree of seven."""
    leaves = [f"leaf {number}".encode() for number in range(9)]
    seven = leaves[:7]
    return {
        "leaves": [leaf.decode() for leaf in leaves],
        "roots": [root_of(leaves[:size]).hex() for size in range(len(leaves) + 1)],
        "proofs_of_seven": [[node.hex() for node in inclusion_proof(seven, index)] for index in range(len(seven))],
    }


def envelope() -> Any:
    """A signed envelope by the golden bundles' test key, spellings of it that are refused, and keys of small order."""
    key = signing_keys.load(GOLDEN / "test-key.pem")
    payload = b'{"_type":"https://in-toto.io/Statement/v1"}'
    text = sign_payload(payload, key).decode()
    parts = json.loads(text)
    spaced = json.dumps(parts, sort_keys=True)
    extra = canon.dumps({**parts, "note": "x"}).decode()
    without_id = canon.dumps({**parts, "signatures": [{"sig": parts["signatures"][0]["sig"]}]}).decode()
    twice = canon.dumps({**parts, "signatures": parts["signatures"] * 2}).decode()
    other_type = canon.dumps({**parts, "payloadType": "application/json"}).decode()
    forged = canon.dumps({**parts, "payload": base64.b64encode(payload + b" ").decode()}).decode()
    spare = canon.dumps({**parts, "payload": parts["payload"].replace("fQ==", "fR==")}).decode()
    bad = {
        spaced: "white space",
        extra: "an unknown field",
        without_id: "no keyid",
        twice: "two signatures",
        other_type: "another payloadType",
        forged: "another payload than was signed",
        spare: "spare bits of base64",
    }
    return {
        "public_key_pem": key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
        "key_id": key_id(key.public_key()),
        "payload": payload.decode(),
        "pae_hex": pae(PAYLOAD_TYPE, payload).hex(),
        "envelope": text,
        "refused": [{"envelope": text, "why": why} for text, why in bad.items()],
        "small_order_keys_hex": sorted(y.to_bytes(32, "little").hex() for y in SMALL_ORDER_Y),
    }


def dice() -> Any:
    """From secret and manifest digest to words, draws, starts and decks; and the same of the golden bundle."""
    root = seed_root(SECRET, SALT, MANIFEST_DIGEST)
    own = Dice(root)
    bounds = [1, 2, 6, 960, 3_000_000_000, 2**31, 2**32]
    draws = own.stream("bounds")
    label = "p0/holdem/model/random"
    return {
        "secret": SECRET.hex(),
        "manifest_digest": MANIFEST_DIGEST.hex(),
        "salt": SALT.decode(),
        "root": root.hex(),
        "streams": [{"label": label, "words": _words(Stream(root, label), 20)} for label in ("", "example", "é/0")],
        "below": [{"label": "bounds", "bound": bound, "draw": draws.below(bound)} for bound in bounds * 3],
        "wide": {"label": "wide", "draws": [value for stream in [own.stream("wide")] for value in _wide(stream, 4)]},
        "deal": {"label": "deal", "items": 10, "dealt": own.stream("deal").deal(range(10), 10)},
        "under": {"label": "x", "stream": "y", "words": _words(own.under("x").stream("y"), 4)},
        "chess960_starts": [start_of_960(own, pair) for pair in range(6)],
        "decks": [
            {
                "match": label,
                "hand": hand,
                "hands": 8,
                "mirrored": mirrored,
                **_cards(own, label, hand, mirrored=mirrored),
            }
            for mirrored in (False, True)
            for hand in range(8)
        ],
    }


def _words(stream: Stream, count: int) -> list[int]:
    return [stream.word() for _ in range(count)]


def _wide(stream: Stream, count: int) -> list[int]:
    return [stream.wide() for _ in range(count)]


def _cards(dice: Dice, label: str, hand: int, *, mirrored: bool) -> dict[str, Any]:
    deck = deck_number(hand, 8, PokerRules(mirrored=mirrored))
    deal = deal_cards(dice, f"{label}/{deck}", alternating(deck))
    return {"button": list(deal.button), "big_blind": list(deal.big_blind), "board": list(deal.board)}


def _examples() -> Iterator[Question]:
    """One question of each type, and those that leave out other fields."""
    told = (Message("You play.", "system"), Message("Your turn.", "user"))
    yield Chat(0, GAME, told, 7, "model", 0)
    yield Chat(1, GAME, told, 2**53 - 1, "model", 3, (Tool("Finds entries.", "memory_search", '{"type":"object"}'),))
    yield Evaluate(game=GAME, moves="", start_fen=START, to="engine", turn=0)
    yield Evaluate(game=GAME, moves="e2e4 e7e5", start_fen=START, to="engine", turn=2)
    yield Store(attempt=0, content="é", entry="e1", game=GAME, kind="observation", number=1, to="memory_a", turn=4)
    yield Search(attempt=0, game=GAME, hits_max=10, number=1, query="rook", to="memory_a", turn=4)
    yield CallTool(
        attempt=0,
        called_with="{}",
        content="",
        entry="",
        game=GAME,
        hits_max=0,
        number=1,
        to="memory_b",
        tool="list",
        turn=0,
    )
    yield EndGame(attempt=0, game=GAME, number=1, to="memory_a", turn=0)
    yield Export(attempt=0, game=GAME, offset=0, to="memory_a", turn=0)
    yield Examine(attempt=0, candidates=(), game=GAME, moves="", nodes=5000, start_fen=START, to="tool_a", turn=0)
    yield Calculate(
        attempt=0,
        board=(),
        comparisons_max=990,
        game="p1-holdem-naked-model-h0000000",
        hands_percent=100,
        hole=("Ah", "Kd"),
        pot_chips=150,
        seed=0,
        to="tool_a",
        to_call_chips=50,
        turn=0,
    )
    yield Survey(attempt=0, choices=("notes", "none"), game=GAME, text="Which was it?", to="model", turn=9)


def questions() -> Any:
    """Whole questions with their canonical text, digest, and their short form in a journal."""
    return [
        {
            "text": encoded_question(question).decode(),
            "digest": question_digest(question),
            "short": json.loads(canon.dumps(asked(question))),
        }
        for question in _examples()
    ]


def journal() -> Any:
    """A short chain with its row and roots, and single defects of it."""
    chat, evaluate = (
        Chat(0, GAME, (), 7, "model", 0),
        Evaluate(game=GAME, moves="e2e4", start_fen="", to="engine", turn=1),
    )
    story: list[tuple[Question, Answer]] = [
        (chat, Reply(text="MOVE: e2e4", model="m", prompt_tokens=2)),
        (evaluate, Evaluation(-6, None)),
        (chat, NoReply(reason="refused")),
    ]
    lines, prev = list[bytes](), GENESIS
    for number, (question, answer) in enumerate(story):
        lines.append(encode(Entry(answer, prev, asked(question), RUN, number, STREAM, 1)))
        prev = line_digest(lines[-1])
    chain = Chain(RUN, STREAM)
    list(chain.read_all(lines))
    row = chain.row([bundle.segment_name(STREAM, 0)])
    texts = [line.decode() for line in lines]
    defects = {
        "an entry left out": [texts[0], texts[2]],
        "a word of an answer changed": [texts[0].replace("e2e4", "d2d4"), *texts[1:]],
        "a field at its default": [texts[0].replace('"prompt_tokens":2', '"prompt_tokens":2,"reasoning_tokens":0')],
        "an unknown field": [texts[0].replace('"v":1', '"v":1,"x":1')],
        "an unknown field of an answer": [texts[0].replace('"text":', '"seen":1,"text":')],
        "another run": [texts[0].replace(RUN, RUN[::-1])],
        "white space": [texts[0].replace(",", ", ", 1)],
    }
    return {
        "run": RUN,
        "stream": STREAM,
        "lines": texts,
        "row": json.loads(canon.dumps(row)),
        "run_root_of_this_row_twice": journal_root([row, row]),
        "refused": [{"lines": rows, "why": why} for why, rows in defects.items()],
    }


def golden() -> Any:
    """The golden journals of agz-0.1: what follows from their manifest and secret, and the digest of every question."""
    folder = GOLDEN / "journal"
    manifest = load_manifest((folder / "manifest.json").read_bytes())
    secret = bytes.fromhex((folder / "secret.hex").read_text())
    own = seed_dice(manifest, secret)
    return {
        "manifest": "tests/bundles/golden/agz-0.1/journal/manifest.json",
        "run": manifest.run_id,
        "matches": [
            {"id": match.id, "draws": match.draws, "streams": [stream.id for stream in streams_of(match)]}
            for match in manifest.plan.matches
        ],
        "label": "example",
        "first_words": _words(own.stream("example"), 2),
    }


def prompts() -> Any:
    """The fixed texts of agz-0.1 that the golden bundle of naked matches seals, by name; their digests are sealed."""
    texts = decision.TEMPLATES | prompt_lines.TEMPLATES
    for name in ("chess960", "holdem"):
        texts |= {**GAMES[name].templates} | {f"pattern/{key}": text for key, text in GAMES[name].patterns.items()}
    sealed = load_manifest((GOLDEN / "bundle" / "data" / "manifest.json").read_bytes()).prompts_sha256
    return {name: texts[name] for name in sorted(sealed.keys() & texts.keys())}


def _asked(stream_id: str) -> Iterator[tuple[Question, Entry]]:
    """The questions of one golden journal, as its replay asks them, each with its entry."""
    folder = GOLDEN / "journal"
    manifest = load_manifest((folder / "manifest.json").read_bytes())
    own = seed_dice(manifest, bytes.fromhex((folder / "secret.hex").read_text()))
    stream = next(one for match in manifest.plan.matches for one in streams_of(match) if one.id == stream_id)
    story = list(Chain(manifest.run_id, stream_id).read_all((folder / f"{stream_id}.jsonl").read_bytes().splitlines()))
    replay, asked_so_far = Replay(stream_id, iter(story)), list[Question]()

    def noting(question: Question) -> Answer:
        asked_so_far.append(question)
        return replay(question)

    drive(block_script(stream, manifest.plan, own), noting)
    yield from zip(asked_so_far, story, strict=True)


def _told(stream_id: str, *wanted: int) -> Any:
    rows = list(_asked(stream_id))
    return {
        "stream": stream_id,
        "questions": [
            {
                "seq": seq,
                "digest": question_digest(rows[seq][0]),
                "question": json.loads(encoded_question(rows[seq][0])),
                "answer": json.loads(canon.dumps(rows[seq][1].answer)),
            }
            for seq in wanted
        ],
    }


def chess_prompts() -> Any:
    """Questions of golden games of chess, whole."""
    return [_told("p0-chess960-naked-agent-b00000", 0, 1, 2, 9), _told("p1-chess960-naked-other-b00000", 0, 1)]


def holdem_prompts() -> Any:
    """Questions of golden hands, whole."""
    return [_told("p0-holdem-naked-other-b00000", 0, 1, 2, 3), _told("p1-holdem-naked-agent-b00000", 0, 1, 5)]


def figures() -> Any:
    """Shares with Wilson's interval, and samples with the sums of their first resamples."""
    shares = [(0, 10), (7, 10), (10, 10), (273, 500), (1, 1)]
    samples: list[list[int]] = [[1, 2, 3], [5, -3, 0, 8, 1, 1, 4], list(range(100))]
    alpha, one = Fraction(1, 20), [Fraction(1)]
    pairs = [[2, 3, 2, 4, 1, 2, 2, 3, 0, 4, 2, 2, 3, 1, 2], [4, 4, 3, 4, 4, 4, 2, 4, 4, 4, 4, 3, 4, 4, 4, 4, 3]]
    sessions = [[350 * (at * at % 17) - 900 for at in range(15)], [-200, 10_000, 0, 35, -75] * 4]
    return {
        "intervals": [
            {"figure": scale.unit, "values": values, "factor": str(scale.factor), "low": ci.low, "high": ci.high}
            | {"method": ci.method}
            for scale, method, samples_of in (
                (PAIR_SCORE, CHESS, pairs),
                (Scale("bb/100", Fraction(1, 100)), POKER, sessions),
            )
            for values in samples_of
            for estimate in [
                contrast_estimate([values], one, scale, Resamples(drawn_by([values], one), RESAMPLES, method))
            ]
            for ci in [estimate.ci]
            if ci
        ],
        "wilson": [
            {"successes": k, "n": n, "low": interval.low, "high": interval.high}
            for k, n in shares
            for interval in [wilson_interval(k, n, alpha)]
        ],
        "resamples": [
            {"values": values, "seed_hex": b"seed".hex(), "sample": 0, "resamples": 20, "sums": sums}
            for values in samples
            for sums in bootstrap_sums([values], b"seed", 0, 20)
        ],
    }


VECTORS: Final[Mapping[str, Callable[[], Any]]] = {
    "canonical_json": canonical_json,
    "chess_prompts": chess_prompts,
    "dice": dice,
    "envelope": envelope,
    "figures": figures,
    "golden": golden,
    "holdem_prompts": holdem_prompts,
    "journal": journal,
    "merkle": merkle,
    "prompts": prompts,
    "questions": questions,
}


def text_of(name: str) -> str:
    """The file of one vector: JSON with an indent of one, ASCII, one line feed at the end."""
    return json.dumps(VECTORS[name](), indent=1) + "\n"


def main() -> None:
    """Write every file."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for name in VECTORS:
        (TARGET / f"{name}.json").write_text(text_of(name))


if __name__ == "__main__":
    main()
