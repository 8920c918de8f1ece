"""Journal: segments, chains, index, roots, log of executions (page 5)."""

import hashlib
import json
import zlib
from typing import Any

from .canonical import Refused, Report, is_int, keys, need, read_canonical, sha
from .container import Bundle
from .manifest import Run

ZEROS = "0" * 64
HEADER = bytes.fromhex("1f8b08000000000000ff")
# Fields of each answer: kind of value; a mark ? before it where the default is left out.
ANSWERS: dict[str, dict[str, str]] = {
    "reply": {
        "text": "s",
        "attempts": "?tries",
        "cached_tokens": "?n",
        "completion_tokens": "?n",
        "finish": "?s",
        "model": "?s",
        "prompt_tokens": "?n",
        "reasoning_tokens": "?n",
        "tool_calls": "?calls",
    },
    "no_reply": {"reason": "s", "attempts": "?tries"},
    "evaluation": {"centipawns": "z", "mate": "z"},
    "stored": {"refused": "?s"},
    "hits": {"hits": "hits", "text": "?s"},
    "called": {"text": "s", "failed": "?b", "hits": "?hits", "refused": "?s"},
    "settled": {"entries": "n"},
    "exported": {"entries": "kept", "more": "b"},
    "examined": {"moves": "moves"},
    "calculated": {"compared": "n", "equity_permille": "n", "exact": "b", "price_permille": "n"},
    "surveyed": {"choice": "?s"},
}
OBJECTS = {
    "tries": {"detail": "s", "kind": "s"},
    "calls": {"arguments": "s", "name": "s"},
    "hits": {"content": "s", "entry": "s"},
    "kept": {"content": "s", "derived_from": "ss", "entry": "s", "games": "ns", "kind": "s"},
    "moves": {"centipawns": "z", "line": "s", "mate": "z"},
}
DEFAULTS = ("", 0, False, [])
OF_ASK = {
    "chat": ("reply", "no_reply"),
    "planted": ("reply", "no_reply"),
    "evaluate": ("evaluation",),
    "store": ("stored",),
    "search": ("hits",),
    "call_tool": ("called",),
    "end_game": ("settled",),
    "export": ("exported",),
    "examine": ("examined",),
    "calculate": ("calculated",),
    "survey": ("surveyed",),
}


def _fits(value: Any, kind: str) -> bool:
    if kind in OBJECTS:
        return isinstance(value, list) and all(_object(item, OBJECTS[kind]) for item in value)
    if kind in ("ss", "ns"):
        return isinstance(value, list) and all(_fits(item, kind[0]) for item in value)
    if kind == "z":
        return value is None or is_int(value, -(2**53) + 1)
    return {"s": isinstance(value, str), "n": is_int(value), "b": isinstance(value, bool)}[kind]


def _object(value: Any, fields: dict[str, str]) -> bool:
    must = {name for name, kind in fields.items() if kind[0] != "?"}
    if not isinstance(value, dict) or not must <= set(value) <= set(fields):
        return False
    for name, inner in value.items():
        kind = fields[name]
        if not _fits(inner, kind.lstrip("?")) or (kind[0] == "?" and inner in DEFAULTS):
            return False
    return True


def check_answer(answer: Any) -> None:
    """The form of an answer, and that no field stands there with its default."""
    need(isinstance(answer, dict) and answer.get("as") in ANSWERS, "an unknown answer")
    fields = {name: value for name, value in answer.items() if name != "as"}
    need(_object(fields, ANSWERS[answer["as"]]), f"a field of {answer['as']} is missing, unknown or at its default")
    for row in [answer, *answer.get("moves", [])]:
        if "mate" in row:
            need((row["mate"] is None) != (row["centipawns"] is None), "not exactly one of centipawns and mate")
    need(answer.get("cached_tokens", 0) <= answer.get("prompt_tokens", 0), "more cached than prompt tokens")
    need(answer.get("reasoning_tokens", 0) <= answer.get("completion_tokens", 0), "more reasoning than completion")
    if answer["as"] == "reply":
        need(len(answer["text"]) <= 100_000, "a text of more than 100,000 characters")
        need(all(value <= 2**24 for value in answer.values() if is_int(value)), "a count above 2^24")


def read_lines(lines: list[bytes], run: str, stream: str) -> list[dict[str, Any]]:
    """The entries of a stream, if their chain holds."""
    before, entries = ZEROS, []
    for seq, line in enumerate(lines):
        need(len(line) <= 2**20, "a line of more than 2^20 bytes")
        entry = keys(read_canonical(line), "answer prev question run seq stream v")
        where = f"{stream} entry {seq}"
        need(is_int(entry["v"], 1, 1) and entry["run"] == run and entry["stream"] == stream, f"{where}: v, run, stream")
        need(is_int(entry["seq"]) and entry["seq"] == seq, f"{where}: another number")
        need(entry["prev"] == before, f"{where}: the chain is broken")
        asked = keys(entry["question"], "ask attempt digest game to turn")
        need(all(isinstance(asked[key], str) for key in ("ask", "digest", "game", "to")), f"{where}: no text")
        need(is_int(asked["attempt"]) and is_int(asked["turn"]), f"{where}: no number")
        check_answer(entry["answer"])
        before = sha(line)
        entries.append(entry)
    return entries


def inflate(data: bytes) -> bytes:
    """The bytes of one gzip member with the header of 5.5.2."""
    need(data.startswith(HEADER), "another gzip header")
    member = zlib.decompressobj(wbits=31)
    try:
        out = member.decompress(data, 2**26 + 1)
    except zlib.error as error:
        raise Refused(f"no gzip: {error}") from error
    need(len(out) <= 2**26, "more than 2^26 bytes uncompressed")
    need(member.eof and not member.unused_data, "not one whole gzip member")
    return out


def split_lines(data: bytes) -> list[bytes]:
    need(data.endswith(b"\n") or not data, "the last line has no line feed")
    return data.split(b"\n")[:-1]


def tree_hash(leaves: list[bytes]) -> bytes:
    """The Merkle tree hash of RFC 6962."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + tree_hash(leaves[:split]) + tree_hash(leaves[split:])).digest()


def row_of(stream: str, lines: list[bytes], segments: list[str]) -> dict[str, Any]:
    head = sha(lines[-1]) if lines else ZEROS
    return {"entries": len(lines), "head": head, "root": tree_hash(lines).hex(), "segments": segments, "stream": stream}


class Journal:
    """Lines and entries of every stream that was played."""

    def __init__(self) -> None:
        self.lines: dict[str, list[bytes]] = {}
        self.entries: dict[str, list[dict[str, Any]]] = {}

    def read(self, bundle: Bundle, run: Run, said: dict[str, Any], report: Report) -> None:
        """Step 6."""
        index = keys(read_canonical(bundle.read("data/journal/index.json")), "format streams")
        need(index["format"] == "agz-journal-1", "another format of the index")
        named, raw = {"data/journal/index.json"}, []
        for row in index["streams"]:
            keys(row, "entries head root segments stream")
            name, lines = row["stream"], list[bytes]()
            wanted = [f"data/journal/{name}/{n:06d}.jsonl.gz" for n in range(len(row["segments"]))]
            need(row["segments"] == wanted, f"{name}: segments of other names")
            for segment in wanted:
                lines += split_lines(inflate(bundle.read(segment)))
            self.lines[name], self.entries[name] = lines, read_lines(lines, run.run, name)
            need(row == row_of(name, lines, wanted), f"{name}: entries, head or root of the index")
            named |= {*wanted, f"data/calls/{name}.jsonl.gz"}
            raw.append(json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())
        there = {name for name in bundle.sizes if name.startswith(("data/journal/", "data/calls/"))}
        need(not there - named, f"files that the index does not name: {sorted(there - named)}")
        order = [name for name, _, _ in run.all_streams() if name in self.lines] if run.is_specified else [*self.lines]
        need(order == list(self.lines), "streams that the plan has not, or in another order")
        found = {"entries": sum(map(len, self.lines.values())), "root": tree_hash(raw).hex(), "tree": "rfc6962-sha256"}
        need(said == found, f"the statement says {said}, the journal has {found}")
        report.say(6, "holds", f"{len(self.lines)} streams, {found['entries']} entries: chains, index, run root")

    def check_calls(self, bundle: Bundle, name: str) -> None:
        """The file of calls of a stream (5.5.3, step 10)."""
        rows = [read_canonical(line) for line in split_lines(inflate(bundle.read(f"data/calls/{name}.jsonl.gz")))]
        for row in rows:
            keys(row, "to us", "at fingerprint id")
            need(is_int(row["us"]), f"calls of {name}: no time")
            need(all(row[key] not in DEFAULTS for key in row if key not in ("to", "us")), "a field at its default")
        seats = [entry["question"]["to"] for entry in self.entries[name]]
        need([row["to"] for row in rows] == seats, f"calls of {name} are not of its entries")


def check_executions(data: bytes, journal: Journal) -> str:
    """Step 14: the log's chain, and that every head that it names is there."""
    before, running, count, last = ZEROS, False, 0, dict[str, int]()
    event: dict[str, Any] = {}
    heads: dict[str, str] = {}
    shape = {"start": "streams", "finished": "entries head stream", "stop": "outcome streams"}
    for line in split_lines(data):
        event = read_canonical(line)
        need(isinstance(event, dict) and event.get("event") in shape, "an unknown event")
        kind = event["event"]
        keys(event, f"event execution prev {shape[kind]}")
        need(event["prev"] == before, "the chain is broken")
        count += kind == "start"
        need(event["execution"] == count - 1, "another execution")
        need(kind == "start" or running, "an event outside of an execution")
        running = kind != "stop"
        named = {event["stream"]: event} if kind == "finished" else event["streams"]
        for stream, said in named.items():
            if kind != "finished":
                keys(said, "entries head")
            entries = said["entries"]
            need(is_int(entries, 1) and entries > last.get(stream, 0), f"{stream} did not grow")
            lines = journal.lines.get(stream, [])
            need(entries <= len(lines) and sha(lines[entries - 1]) == said["head"], f"{stream}: another head")
            last[stream], heads[stream] = entries, said["head"]
        before = sha(line)
    need(event.get("event") == "stop" and event["outcome"] == "done", "the last line is no stop that is done")
    ends = {stream: sha(lines[-1]) for stream, lines in journal.lines.items() if lines}
    need(heads == ends, "the last heads are not those of the index")
    return f"{count} executions, {len(heads)} streams"
