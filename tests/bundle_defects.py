"""Bundles with exactly one defect, made from the recipes of docs/spec/vectors/bundles.json.

A recipe changes one thing. `finish` says what is made consistent after it:

    nothing     the defect alone
    listed      sizes and digests of the bag's manifests; the signature is that of the good bundle
    signed      those, and the statement, signed again with the golden bundles' public test key
    rechained   those, after every journal line, row, root and logged head that follows from the change
"""

import base64
import gzip
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any, Final

from agzamov_harness.run import signing_keys
from agzamov_verify.core.gzip_member import HEADER, compressed
from second_reader.canonical import canonical
from second_reader.journal import ZEROS, tree_hash

ROOT: Final = Path(__file__).parents[1]
RECIPES: Final[dict[str, Any]] = json.loads((ROOT / "docs" / "spec" / "vectors" / "bundles.json").read_text())
INDEX: Final = "data/journal/index.json"
LOG: Final = "data/executions.jsonl"
ENVELOPE: Final = "attest/run.dsse.json"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def made(recipe: dict[str, Any], target: Path) -> Path:
    """A copy of the golden bundle with the defect of a recipe."""
    shutil.copytree(ROOT / RECIPES["defects_of"], target)
    if edit := recipe.get("edit"):
        _replace(target / edit["file"], edit)
    if write := recipe.get("write"):
        (target / write["file"]).parent.mkdir(parents=True, exist_ok=True)
        (target / write["file"]).write_text(write["text"])
    if folder := recipe.get("folder"):
        (target / folder).mkdir()
    if remove := recipe.get("remove"):
        (target / remove).unlink()
    if recipe.get("log"):
        lines = (target / LOG).read_bytes().splitlines(keepends=True)
        (target / LOG).write_bytes(b"".join(lines[:-1]))
    _change_journal(recipe, target)
    statement = json.loads(base64.b64decode(json.loads((target / ENVELOPE).read_text())["payload"]))
    if recipe["finish"] == "rechained":
        _chain_again(target, statement)
    if recipe["finish"] != "nothing":
        _list_again(target)
    if recipe["finish"] in ("signed", "rechained"):
        statement["subject"][0]["digest"]["sha256"] = digest((target / "manifest-sha256.txt").read_bytes())
        _sign(target, canonical(statement), recipe.get("statement"))
    return target


def _replace(path: Path, change: dict[str, Any]) -> None:
    path.write_bytes(_replaced(path.read_bytes(), change))


def _replaced(data: bytes, change: dict[str, Any]) -> bytes:
    old, new = change["old"].encode(), change["new"].encode()
    assert old in data, change
    return data.replace(old, new, 1)


def _segment(target: Path, stream: str) -> Path:
    return target / "data" / "journal" / stream / "000000.jsonl.gz"


def _change_journal(recipe: dict[str, Any], target: Path) -> None:
    if line := recipe.get("line"):
        path = _segment(target, line["stream"])
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        lines[line["line"]] = _replaced(lines[line["line"]], line)
        path.write_bytes(compressed(b"".join(lines)))
    if members := recipe.get("members"):
        path = _segment(target, members["stream"])
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        at = members["split_at"]
        path.write_bytes(compressed(b"".join(lines[:at])) + compressed(b"".join(lines[at:])))
    if header := recipe.get("header"):
        path = _segment(target, header["stream"])
        path.write_bytes(bytes.fromhex(header["hex"]) + path.read_bytes()[len(HEADER) :])
    if again := recipe.get("repeat_last"):
        path = _segment(target, again["stream"])
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        path.write_bytes(compressed(b"".join([*lines, lines[-1]])))
        calls = target / "data" / "calls" / f"{again['stream']}.jsonl.gz"
        rows = gzip.decompress(calls.read_bytes()).splitlines(keepends=True)
        calls.write_bytes(compressed(b"".join([*rows, rows[-1]])))


def _chain_again(target: Path, statement: dict[str, Any]) -> None:
    """Every line names the one before it again; index, roots and logged heads follow."""
    index, heads = json.loads((target / INDEX).read_text()), dict[str, list[str]]()
    for row in index["streams"]:
        path, prev, lines = _segment(target, row["stream"]), ZEROS, list[bytes]()
        for seq, line in enumerate(gzip.decompress(path.read_bytes()).splitlines()):
            lines.append(canonical({**json.loads(line), "prev": prev, "seq": seq}))
            prev = digest(lines[-1])
        path.write_bytes(compressed(b"".join(line + b"\n" for line in lines)))
        row |= {"entries": len(lines), "head": prev, "root": tree_hash(lines).hex()}
        heads[row["stream"]] = [digest(line) for line in lines]
    (target / INDEX).write_bytes(canonical(index))
    total, rows = sum(map(len, heads.values())), [canonical(row) for row in index["streams"]]
    statement["predicate"]["journal"] |= {"entries": total, "root": tree_hash(rows).hex()}
    _log_again(target, heads)


def _log_again(target: Path, heads: dict[str, list[str]]) -> None:
    prev, lines = ZEROS, list[bytes]()
    for line in (target / LOG).read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "finished":
            own = heads[event["stream"]]
            event |= {"entries": len(own), "head": own[-1]}
        lines.append(canonical({**event, "prev": prev}))
        prev = digest(lines[-1])
    (target / LOG).write_bytes(b"".join(line + b"\n" for line in lines))


def _list_again(target: Path) -> None:
    files = [path for path in (target / "data").rglob("*") if path.is_file()]
    digests = {path.relative_to(target).as_posix(): digest(path.read_bytes()) for path in files}
    total, run = sum(path.stat().st_size for path in files), digests["data/manifest.json"][:16]
    info = f"Bag-Software-Agent: agzamov\nExternal-Identifier: {run}\nPayload-Oxum: {total}.{len(files)}\n"
    (target / "bag-info.txt").write_text(info)
    (target / "manifest-sha256.txt").write_text(_sums(digests))
    tags = ("bag-info.txt", "bagit.txt", "manifest-sha256.txt")
    sums = _sums({name: digest((target / name).read_bytes()) for name in tags})
    (target / "tagmanifest-sha256.txt").write_text(sums)


def _sums(digests: dict[str, str]) -> str:
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))


def _sign(target: Path, payload: bytes, change: dict[str, Any] | None) -> None:
    """The statement, changed as a recipe says, in an envelope that the test key signs."""
    payload = _replaced(payload, change) if change else payload
    envelope = json.loads((target / ENVELOPE).read_text())
    kind = envelope["payloadType"].encode()
    pae = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
    signed = signing_keys.load(ROOT / RECIPES["key"]).sign(pae)
    envelope["payload"] = base64.b64encode(payload).decode()
    envelope["signatures"][0]["sig"] = base64.b64encode(signed).decode()
    (target / ENVELOPE).write_bytes(canonical(envelope))
