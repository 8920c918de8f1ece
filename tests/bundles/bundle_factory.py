"""Makes tiny honest bundles, takes a bundle apart, and seals it again around one defect.

A `Draft` is a bundle in memory: its files and the statement about them. Each step downstream of an
edit is one function, in the order in which the harness takes them, so that a forger's bundle is
consistent in everything but the one thing that a test is about:

    draft = Draft.of(bundle)                     # files, statement, key
    put(draft, stream, chained(edited))          # journal lines
    reindex(draft)                               # index rows, journal claim
    rescore(draft)                               # results, calls, claims
    reseal(draft)                                # payload manifest, tag manifest, subject, signature
    verdict = check(draft.write(tmp_path))
"""

import gzip
import hashlib
import json
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import Any

import chess
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.adapters.stockfish_ports import StockfishAdjudicator
from agzamov_harness.adapters.stockfish_ports import StockfishChatPort as StockfishPort
from agzamov_harness.foundation.program_and_machine import SourceVersion, source_version
from agzamov_harness.pipeline import pack
from agzamov_harness.pipeline.pack import named, written
from agzamov_harness.ports import ChatPort
from agzamov_harness.run import run_folder, signing_keys
from agzamov_harness.run.dispatch import Answering, World, ports_of
from agzamov_harness.run.engine_programs import find_program
from agzamov_harness.run.move_evaluations import judge_promised
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_harness.seat_kinds.scripted_kind import LocalSeat
from agzamov_harness.seat_kinds.uci_kind import UciChatPort
from agzamov_verify import bundle
from agzamov_verify.checks.check_log import Status
from agzamov_verify.checks.limits import VerificationLimits
from agzamov_verify.checks.opened_bundle import seed_dice
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core import canon, envelope, execution_log, gzip_member
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.execution_log import ExecutionHistory, Head
from agzamov_verify.core.journal import GENESIS, VERSION, Entry, StreamRow, asked, encode, journal_root, line_digest
from agzamov_verify.core.merkle import root_of
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.script import Answerer, Replay, drive
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.plan.manifest import Manifest, MemoryPin, Plan, load_manifest
from agzamov_verify.plan.streams import NO_PINS, block_script, streams_of
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.analysis import analysis_of
from agzamov_verify.scoring.call_records import SeatLog, answered, call_table, gather, merge
from agzamov_verify.scoring.results import results_of
from agzamov_verify.seats import Seat, StockfishSeat, UciSeat
from agzamov_verify.table.game import Block, StreamPlan
from direct_tools import DirectTools

SECRET = hashlib.sha256(b"a secret for tests").digest()


def of_a_commit() -> SourceVersion:
    """The program as it is in some commit: a bundle of a tree that is being worked on has a warning of that."""
    return msgspec.structs.replace(source_version(), modified=False)


setattr(run_folder, "source_version", of_a_commit)  # noqa: B010 - a name that the module imports, and does not export
setattr(pack, "source_version", of_a_commit)  # noqa: B010
TICK_NS = 1_500_000
NONCES_MAX = 50

CHESS0, POKER0 = "p0-chess960-naked-agent", "p0-holdem-naked-agent"
CHESS1, POKER1, POKER_OTHER = "p1-chess960-naked-agent", "p1-holdem-naked-agent", "p1-holdem-naked-other"
GAMES0, GAMES1 = f"{CHESS0}-b00000", f"{CHESS0}-b00001"
SELF_PLAY, HANDS = f"{CHESS1}-b00000", f"{POKER_OTHER}-b00000"
SEATS = {"agent": {"kind": "reference"}, "other": {"kind": "reference"}, "dice": {"kind": "random"}}

# Phase 0 is passed in chess (six wins of six) and cannot be passed in hold'em (two sessions prove
# nothing), so this bundle has played and stopped matches of Phase 1. It needs no engine.
SMALL = {
    "title": "Small",
    "seats": SEATS,
    "chess960": {"adjudication": {"policy": "material", "threshold_points": 3, "plies": 2}, "plies_max": 30},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 6, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 4, "block_hands": 2},
        {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 2, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 4, "block_hands": 4},
        {"phase": 1, "game": "holdem", "a": "other", "b": "other", "hands": 4, "block_hands": 4},
    ],
}
# Games that the engine ends, and games that it lets go on to the ply limit.
JUDGED = {
    "title": "Judged",
    "seats": SEATS,
    "engine": {"nodes": 200},
    "chess960": {"adjudication": {"threshold_centipawns": 200, "plies": 2}, "plies_max": 24},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 4, "block_games": 2},
        {"phase": 1, "game": "chess960", "a": "other", "b": "other", "games": 2, "block_games": 2},
    ],
}
# As little as a bundle can hold, for tests that check it hundreds of times.
TINY = {
    "title": "Tiny",
    "seats": SEATS,
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 4},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 2, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 2, "block_hands": 2},
    ],
}
MODEL = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "scripted"}
TINY_MODEL = {**TINY, "seats": {**SEATS, "agent": MODEL}}
"""The same with a model, whose replies only its server could say again."""


# --- honest bundles ------------------------------------------------------------------------------


def key_of(name: str) -> Ed25519PrivateKey:
    """A key that is the same in every run of the tests, and worth nothing."""
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest())


SUBMITTER, STRANGER = key_of("submitter"), key_of("stranger")


def engine_path() -> Path | None:
    """Where Stockfish is, if it is installed."""
    try:
        return find_engine()
    except EngineFault:
        return None


def make(
    wished: object,
    folder: Path,
    answer: Answerer | None = None,
    nonce: int = 0,
    key: Ed25519PrivateKey = SUBMITTER,
    memories: Mapping[str, MemoryPin] = NO_PINS,
) -> Path:
    """Play a plan with the harness's own parts, in this process, and pack its bundle.

    `answer` stands in for the world; without it the seats are those that the plan names. `memories`: the servers that
    are sealed, where `answer` answers for them.
    """
    plan = plan_from(wished)
    engine = engine_path()
    manifest, secret = seal(plan, envelope.key_id(key.public_key()), engine, SECRET)
    manifest = msgspec.structs.replace(manifest, nonce=f"{nonce:032x}", memories=dict(memories))
    directory = run_folder.create(folder / "runs", manifest, secret, key)
    world = world_of(plan, engine)
    ticks = count(step=TICK_NS)
    try:
        blocks = Runner(directory, Answering(answer or world), lambda: next(ticks), State(plan, None), Stop(), 1).play()
    finally:
        world.close()
    if plan.quality.nodes:
        judge_promised(directory, blocks, engine, Stop())
    bundles = folder / "bundles"  # without the packer's own check: some tests' worlds lie
    return named(written(directory, blocks, key, bundles), bundles / directory.manifest.run_id)


def make_until(
    wished: object,
    folder: Path,
    wanted: Callable[[Path], bool],
    key: Ed25519PrivateKey = SUBMITTER,
    answer: Answerer | None = None,
) -> Path:
    """The first bundle of a plan, by nonce, that is as `wanted`: luck must not decide a test."""
    for nonce in range(NONCES_MAX):
        made = make(wished, folder, answer, nonce, key)
        if wanted(made):
            return made
    raise AssertionError(f"none of {NONCES_MAX} runs was as wanted")


def world_of(plan: Plan, engine: Path | None) -> World:
    """The seats of a plan in this process; its engine starts when it is first asked."""
    seats = {name: port_of(seat, engine) for name, seat in plan.seats.items()}
    judge = StockfishAdjudicator(engine, plan.engine.hash_mib, plan.engine.nodes, 1) if engine else None
    return World(ports_of(seats, judge, DirectTools(engine, plan.engine.hash_mib)))


def port_of(seat: Seat, engine: Path | None) -> ChatPort:
    """A scripted seat in this process."""
    if isinstance(seat, StockfishSeat):
        assert engine
        return StockfishPort(engine, seat.nodes, seat.skill, 1)
    if isinstance(seat, UciSeat):
        return UciChatPort(find_program("uci", seat, Path()).path, seat, 1)
    return LocalSeat(seat, None)


def gates(path: Path) -> dict[str, str]:
    """How each Phase 0 match of a bundle ended, by its claims."""
    claims = Draft.of(path).statement["predicate"]["claims"]
    return {name.removesuffix("/gate"): value for name, value in claims.items() if name.endswith("/gate")}


# --- a bundle taken apart ------------------------------------------------------------------------


class Draft:
    """A bundle in memory, to be changed and sealed again."""

    def __init__(self, files: dict[str, bytes], statement: dict[str, Any], key: Ed25519PrivateKey) -> None:
        self.files, self.statement, self.key = files, statement, key

    @classmethod
    def of(cls, path: Path, key: Ed25519PrivateKey = SUBMITTER) -> "Draft":
        files = {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
        payload = msgspec.json.decode(files[bundle.ENVELOPE_FILE], type=envelope.Envelope).payload
        return cls(files, json.loads(msgspec.json.decode(f'"{payload}"', type=bytes)), key)

    @property
    def manifest(self) -> Manifest:
        return load_manifest(self.files[bundle.MANIFEST_FILE])

    @property
    def predicate(self) -> dict[str, Any]:
        """The part of the statement that says what the run was."""
        found: dict[str, Any] = self.statement["predicate"]
        return found

    def streams(self) -> list[str]:
        """The streams in the order of the index."""
        index = msgspec.json.decode(self.files[bundle.INDEX_FILE], type=bundle.Index)
        return [row.stream for row in index.streams]

    def json(self, name: str) -> Any:
        return json.loads(self.files[name])

    def put_json(self, name: str, value: object) -> None:
        self.files[name] = canon.dumps(value)

    def copy(self) -> "Draft":
        return Draft(dict(self.files), deepcopy(self.statement), self.key)

    def write(self, folder: Path) -> Path:
        """Put the files into `folder`/bundle as they are now."""
        root = folder / "bundle"
        for name, data in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return root


def stream_name(match: str, block: int = 0) -> str:
    return f"{match}-b{block:05d}"


def journal_file(stream: str) -> str:
    return bundle.segment_name(stream, 0)


def lines(draft: Draft, stream: str) -> list[bytes]:
    """The lines of a stream's journal."""
    names = sorted(name for name in draft.files if name.startswith(f"data/journal/{stream}/"))
    return b"".join(gzip.decompress(draft.files[name]) for name in names).splitlines()


def entries(draft: Draft, stream: str) -> list[Entry]:
    """The entries of a stream's journal, unchecked."""
    return [msgspec.json.decode(line, type=Entry) for line in lines(draft, stream)]


def put_lines(draft: Draft, stream: str, new: Iterable[bytes]) -> None:
    """Make these the lines of a stream's one segment."""
    draft.files[journal_file(stream)] = zipped(b"".join(line + b"\n" for line in new))


def put(draft: Draft, stream: str, new: Iterable[Entry]) -> None:
    """Make these the entries of a stream, as they are: chain them first if they should hold together."""
    put_lines(draft, stream, map(encode, new))


def chained(story: Iterable[Entry], run: str = "", stream: str = "", version: int = VERSION) -> list[Entry]:
    """The same questions and answers with `seq` and `prev` as a recorder would write them."""
    prev, linked = GENESIS, []
    for seq, entry in enumerate(story):
        linked.append(Entry(entry.answer, prev, entry.question, run or entry.run, seq, stream or entry.stream, version))
        prev = line_digest(encode(linked[-1]))
    return linked


def edited(story: Sequence[Entry], at: int, **changes: object) -> list[Entry]:
    """The same entries, with one of them changed."""
    changed = list(story)
    changed[at] = msgspec.structs.replace(changed[at], **changes)
    return changed


def embellished(answer: Answer) -> Reply:
    """The same declared action after finer words."""
    assert isinstance(answer, Reply)
    return msgspec.structs.replace(answer, text="I see it all clearly.\n" + answer.text)


def recorded(draft: Draft, stream: str, answer: Answerer) -> list[Entry]:
    """The journal that a stream of this run would have if `answer` were the world."""
    noted: list[tuple[Question, Answer]] = []

    def noting(question: Question) -> Answer:
        noted.append((question, answer(question)))
        return noted[-1][1]

    plan, run = draft.manifest.plan, draft.manifest.run_id
    drive(block_script(promised(plan)[stream], plan, dice_of(draft)), noting)
    return chained([Entry(given, GENESIS, asked(question), run, 0, stream, VERSION) for question, given in noted])


def questions(draft: Draft, stream: str) -> list[Question]:
    """What a good stream's script asks, whole: prompts are recomputed, not stored."""
    replay, noted = Replay(stream, iter(entries(draft, stream))), []

    def noting(question: Question) -> Answer:
        noted.append(question)
        return replay(question)

    plan = draft.manifest.plan
    drive(block_script(promised(plan)[stream], plan, dice_of(draft)), noting)
    return noted


def another_move(draft: Draft, stream: str, at: int) -> Reply:
    """A legal move that is not the one that entry `at` declares."""
    question, given = questions(draft, stream)[at], entries(draft, stream)[at].answer
    assert isinstance(question, Chat)
    assert isinstance(given, Reply)
    line = next(line for line in question.messages[1].content.splitlines() if line.startswith("FEN: "))
    board = chess.Board(line.removeprefix("FEN: "), chess960=True)
    move = next(uci for uci in sorted(move.uci() for move in board.legal_moves) if uci not in given.text)
    return Reply(text=f"MOVE: {move}")


def dice_of(draft: Draft) -> Dice:
    return seed_dice(draft.manifest, SECRET)


def promised(plan: Plan) -> dict[str, StreamPlan]:
    """All streams of a plan by name, in its order."""
    return {stream.id: stream for match in plan.matches for stream in streams_of(match)}


def zipped(data: bytes) -> bytes:
    return gzip_member.compressed(data)


def calls(draft: Draft, stream: str) -> list[bytes]:
    """The lines of a stream's file of calls."""
    return gzip.decompress(draft.files[bundle.calls_name(stream)]).splitlines()


def put_calls(draft: Draft, stream: str, new: Iterable[bytes]) -> None:
    draft.files[bundle.calls_name(stream)] = zipped(b"".join(line + b"\n" for line in new))


def fit_calls(draft: Draft, stream: str) -> None:
    """A call for each entry, as a careful forger would leave them."""
    put_calls(draft, stream, [b'{"to":"%b","us":1500}' % e.question.to.encode() for e in entries(draft, stream)])


# --- the way back: each step recomputes what lies downstream of an edit ---------------------------


def row_of(draft: Draft, stream: str) -> StreamRow:
    """The index row of a stream as its lines now are, whether they hold together or not."""
    there = lines(draft, stream)
    segments = tuple(sorted(name for name in draft.files if name.startswith(f"data/journal/{stream}/")))
    head = hashlib.sha256(there[-1]).hexdigest() if there else GENESIS
    return StreamRow(len(there), head, root_of(there).hex(), segments, stream)


def reindex(draft: Draft, streams: Sequence[str] | None = None) -> None:
    """Write the index of `streams` (those it had, if not given) and what the statement says of it."""
    rows = tuple(row_of(draft, stream) for stream in (draft.streams() if streams is None else streams))
    put_rows(draft, rows)


def put_rows(draft: Draft, rows: tuple[StreamRow, ...]) -> None:
    """Write these index rows, and a statement that agrees with them."""
    draft.put_json(bundle.INDEX_FILE, bundle.Index("agz-journal-1", rows))
    put_executions(draft, rows)
    total = sum(row.entries for row in rows)
    draft.predicate["journal"] = {"entries": total, "root": journal_root(rows), "tree": bundle.TREE}


def put_executions(draft: Draft, rows: tuple[StreamRow, ...]) -> None:
    """Write the log of a run that was played in one go and left these journals, unless the log says so already."""
    heads = {row.stream: Head(row.entries, row.head) for row in rows if row.entries}
    history = ExecutionHistory()
    history.read_all(draft.files[bundle.EXECUTIONS_FILE])
    if history.heads == heads:
        return
    draft.files[bundle.EXECUTIONS_FILE] = b"".join(line + b"\n" for line in one_execution(heads))


def rows_of(draft: Draft) -> tuple[StreamRow, ...]:
    return msgspec.json.decode(draft.files[bundle.INDEX_FILE], type=bundle.Index).streams


def rescore(draft: Draft) -> None:
    """Results, calls and claims as a replay of the journals gives them."""
    plan, dice = draft.manifest.plan, dice_of(draft)
    blocks: dict[str, list[Block]] = {}
    logs: dict[str, dict[str, SeatLog]] = {}
    for stream in (promised(plan)[name] for name in draft.streams()):
        script = block_script(stream, plan, dice)
        blocks.setdefault(stream.match.id, []).append(drive(script, Replay(stream.id, iter(entries(draft, stream.id)))))
        answers = [answered(entry) for entry in entries(draft, stream.id)]
        merge(logs.setdefault(stream.match.id, {}), gather(calls(draft, stream.id), answers))
    results = results_of(draft.manifest.run_id, plan, blocks)
    draft.put_json(bundle.RESULTS_FILE, results)
    draft.put_json(bundle.CALLS_FILE, call_table(logs, plan))
    analysis = analysis_of(draft.manifest, dice, blocks)
    draft.put_json(bundle.ANALYSIS_FILE, documents.plain(draft.manifest.plan.protocol, documents.ANALYSIS, analysis))
    draft.predicate["claims"] = bundle.claims_of(results)


def bind(draft: Draft) -> None:
    """Let the statement name the manifest that is there now."""
    digest = hashlib.sha256(draft.files[bundle.MANIFEST_FILE]).hexdigest()
    draft.predicate["manifest_sha256"], draft.predicate["run"] = digest, digest[:16]


def checksum(draft: Draft) -> None:
    """Payload manifest and tag manifest of the files that are there now."""
    digests = {name: _sha256(data) for name, data in draft.files.items() if name.startswith("data/")}
    put_payload_manifest(draft, bundle.checksum_lines(digests))


def put_payload_manifest(draft: Draft, data: bytes) -> None:
    """Write this payload manifest, and a tag manifest that agrees with it."""
    draft.files[bundle.PAYLOAD_FILE] = data
    sizes = {name: len(told) for name, told in draft.files.items() if name.startswith("data/")}
    listed = bundle.parse_checksums(data) or {}
    draft.files[bundle.INFO_FILE] = bundle.bag_info(sizes, listed.get(bundle.MANIFEST_FILE, ""))
    names = (bundle.INFO_FILE, bundle.BAGIT_FILE, bundle.PAYLOAD_FILE)
    tags = {name: _sha256(draft.files[name]) for name in names if name in draft.files}
    draft.files[bundle.TAGS_FILE] = bundle.checksum_lines(tags)


def sign(draft: Draft, kind: str = envelope.PAYLOAD_TYPE, payload: bytes | None = None) -> None:
    """Sign the statement, over the payload manifest that is there now; or sign exactly `payload`."""
    signed = draft.files[bundle.PAYLOAD_FILE]
    for subject in draft.statement["subject"]:
        if subject["name"] == envelope.SUBJECT:
            subject["digest"] = {"sha256": _sha256(signed)}
    said = canon.dumps(draft.statement) if payload is None else payload
    signature = draft.key.sign(envelope.pae(kind, said))
    put_envelope(draft, said, kind, [(envelope.key_id(draft.key.public_key()), signature)])


def put_envelope(draft: Draft, payload: bytes, kind: str, signatures: Sequence[tuple[str, bytes]]) -> None:
    """Write an envelope as given, whatever it is worth."""
    draft.put_json(
        bundle.ENVELOPE_FILE,
        {
            "payload": msgspec.to_builtins(payload),
            "payloadType": kind,
            "signatures": [{"keyid": keyid, "sig": msgspec.to_builtins(sig)} for keyid, sig in signatures],
        },
    )


def reseal(draft: Draft, key: Ed25519PrivateKey | None = None) -> None:
    """Everything from the payload manifest on, as the owner of `key` would do it."""
    draft.key = key or draft.key
    bind(draft)
    checksum(draft)
    sign(draft)


def replace_key(draft: Draft, key: Ed25519PrivateKey) -> None:
    """Make `key` the one that the bundle states and is signed with."""
    draft.key = key
    draft.files[bundle.KEY_FILE] = signing_keys.public_pem(key)


def replace_manifest(draft: Draft, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest's plain values, and write it canonically."""
    value = draft.json(bundle.MANIFEST_FILE)
    change(value)
    draft.put_json(bundle.MANIFEST_FILE, value)


def reseal_journal(draft: Draft) -> None:
    """What an owner does after touching a journal, without looking at what it now says."""
    reindex(draft)
    reseal(draft)


def retell(draft: Draft, stream: str, story: Iterable[Entry]) -> None:
    """Another story for a stream, with everything that does not depend on its sense made consistent."""
    put(draft, stream, chained(story, stream=stream))
    fit_calls(draft, stream)
    reseal_journal(draft)


def forget(draft: Draft, *streams: str) -> None:
    """As if these streams had never been played."""
    for stream in streams:
        draft.files.pop(journal_file(stream))
        draft.files.pop(bundle.calls_name(stream))
    reindex(draft, [stream for stream in draft.streams() if stream not in streams])


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# --- what verification says ----------------------------------------------------------------------


# A reference player's reply takes a twentieth of a second, so of most bundles only a few are computed again.
FEW_REPLIES = VerificationLimits(seat_replies_max=3)
ALL_REPLIES = VerificationLimits(seat_replies_max=100_000)


def check(
    path: Path,
    engine: Path | None = None,
    sample_permille: int = 0,
    expected_key_id: str = "",
    limits: VerificationLimits = FEW_REPLIES,
    games_max: int | None = None,
) -> Verdict:
    """Verify in this process, on one core."""
    why = "no engine in this test"
    return verify(path, Options(engine, why, 1, sample_permille, expected_key_id, limits, games_max=games_max))


def until_time_is_up(_: object) -> list[Any]:
    """Stands in for work that a check's time ends: the alarm rings at once."""
    signal.raise_signal(signal.SIGALRM)
    raise AssertionError("the alarm ended nothing")


def failed_steps(verdict: Verdict) -> list[int]:
    return [step.number for step in verdict.steps if step.status is Status.FAIL]


def told(verdict: Verdict) -> str:
    """All findings in one text, for the message of an assertion."""
    return "\n".join(f"step {f.step} {f.place}: expected {f.expected}, found {f.found}" for f in verdict.findings)


def one_execution(heads: Mapping[str, Head]) -> list[bytes]:
    """The log of a run that was played in one go and left these journals, without lines of finished streams."""
    start = execution_log.encoded(execution_log.Start(0, execution_log.GENESIS, {}))
    digest = execution_log.line_digest(start)
    return [
        start,
        execution_log.encoded(execution_log.Stop(0, execution_log.ExecutionOutcome.DONE, digest, dict(heads))),
    ]
