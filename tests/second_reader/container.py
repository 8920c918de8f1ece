"""The folder or tar, its names and its BagIt files (pages 2.1 to 2.3)."""

import hashlib
import re
from pathlib import Path

from .canonical import Report, need, sha

PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
TAGS = {"bagit.txt", "bag-info.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt", "attest/run.dsse.json"}
PROOFS = {f"attest/registration.{kind}" for kind in ("json", "tlog-proof", "tsq", "tsr")}
MUST = {"manifest.json", "environment.json", "submitter.pem", "executions.jsonl", "journal/index.json"} | {
    f"results/{name}.json" for name in ("results", "calls", "analysis")
}
STREAM = "[a-z0-9._-]{1,100}"
MAY = re.compile(
    rf"data/(journal/{STREAM}/[0-9]{{6}}\.jsonl\.gz|calls/{STREAM}\.jsonl\.gz"
    rf"|quality/(index\.json|figures\.json|{STREAM}\.jsonl\.gz)|logs/[0-9]{{3,6}}/[a-z][a-z0-9_-]{{0,63}}\.log"
    r"|notes/(addresses|digests|preflight|weights)\.json|notes/memory_models\.jsonl|beacon\.json)"
)
BAGIT = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
WHOLE, ENVELOPE, ENVIRONMENT = 2**26, 2**24, 2**20


class Bundle:
    """Names, sizes and bytes of the files of a folder; a tar is not read by this verifier."""

    def __init__(self, path: Path) -> None:
        need(path.is_dir(), "no folder: this verifier does not read a tar")
        self.path, self.sizes, self.folders = path, dict[str, int](), set[str]()
        self._walk(path, "")

    def _walk(self, folder: Path, prefix: str) -> None:
        for item in sorted(folder.iterdir()):
            name = prefix + item.name
            need(not item.is_symlink() and (item.is_dir() or item.is_file()), f"no plain file or folder: {name!r}")
            if item.is_dir():
                self.folders.add(name)
                self._walk(item, name + "/")
            else:
                self.sizes[name] = item.stat().st_size

    def read(self, name: str, limit: int = WHOLE) -> bytes:
        need(name in self.sizes, f"{name} is missing")
        need(self.sizes[name] <= limit, f"{name} is too large")
        return (self.path / name).read_bytes()

    def digest(self, name: str) -> str:
        with (self.path / name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def check_names(bundle: Bundle, report: Report) -> None:
    """Step 1: names, limits, and what stands beside data/."""
    names = [*bundle.sizes, *bundle.folders]
    for name in names:
        parts = name.split("/")
        need(len(parts) <= 7, f"more than 7 parts: {name}")
        for part in parts:
            need(PART.fullmatch(part) and not DEVICE.fullmatch(part), f"a name that is not allowed: {name!r}")
    need(len({name.lower() for name in names}) == len(names), "names that differ in case alone")
    need(max(len(bundle.sizes), len(bundle.folders)) <= 100_000, "more than 100,000 files or folders")
    need(all(size <= 2**30 for size in bundle.sizes.values()) and sum(bundle.sizes.values()) <= 2**36, "too large")
    beside = {name for name in bundle.sizes if not name.startswith("data/")}
    need(beside >= TAGS, f"missing: {sorted(TAGS - beside)}")
    need(not beside - TAGS - PROOFS, f"no bundle has {sorted(beside - TAGS - PROOFS)}")
    report.say(1, "holds", f"{len(names)} names, limits, tag files")


def _listed(data: bytes) -> dict[str, str]:
    rows = re.findall(rb"([0-9a-f]{64})  ([^\n]+)\n", data)
    need(b"".join(digest + b"  " + name + b"\n" for digest, name in rows) == data, "a line of another form")
    names = [name for _, name in rows]
    need(names == sorted(set(names)), "lines out of order or twice")
    return {name.decode(): digest.decode() for digest, name in rows}


def check_payload(bundle: Bundle, report: Report) -> None:
    """Step 2: which files there are, and their digests."""
    payload = {name for name in bundle.sizes if name.startswith("data/")}
    must = {f"data/{name}" for name in MUST}
    need(must <= payload, f"missing: {sorted(must - payload)}")
    odd = [name for name in payload - must if not MAY.fullmatch(name)]
    need(not odd, f"no bundle has {odd}")
    need(bundle.read("bagit.txt", 2**16) == BAGIT, "another bagit.txt")
    listed = _listed(bundle.read("manifest-sha256.txt"))
    need(set(listed) == payload, f"listed and there differ: {sorted(set(listed) ^ payload)}")
    for name, digest in listed.items():
        need(bundle.digest(name) == digest, f"{name} has another digest")
    size = sum(bundle.sizes[name] for name in payload)
    info = (
        f"Bag-Software-Agent: agzamov\nExternal-Identifier: {listed['data/manifest.json'][:16]}\n"
        f"Payload-Oxum: {size}.{len(payload)}\n"
    )
    need(bundle.read("bag-info.txt", 2**16) == info.encode(), "another bag-info.txt")
    tags = _listed(bundle.read("tagmanifest-sha256.txt"))
    own = {name: sha(bundle.read(name)) for name in ("bag-info.txt", "bagit.txt", "manifest-sha256.txt")}
    need(tags == own, "another tagmanifest-sha256.txt")
    report.say(2, "holds", f"{len(payload)} payload files, their digests, the tag files")
