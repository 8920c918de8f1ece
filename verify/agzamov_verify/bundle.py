"""The layout of a result bundle: BagIt 1.0 shaped, payload under data/, signature under attest/.

    bagit.txt  manifest-sha256.txt (the signed subject)  tagmanifest-sha256.txt
    attest/run.dsse.json
    data/manifest.json  data/environment.json  data/submitter.pem  data/executions.jsonl
    data/journal/index.json  data/journal/<stream>/000000.jsonl.gz …
    data/calls/<stream>.jsonl.gz
    data/results/results.json  data/results/calls.json  data/results/analysis.json
    data/quality/index.json  data/quality/figures.json  data/quality/<stream>.jsonl.gz
    data/logs/<execution>/<container>.log  data/notes/<what>.json

A payload manifest line is "<sha256>  <name>", sorted by name, as sha256sum writes and checks it.
"""

import re
from typing import Literal

import msgspec

from .core.journal import StreamRow
from .plan.manifest import ModelPin
from .protocols import PROTOCOLS
from .scoring.results import Results

BAGIT = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
BAGIT_FILE = "bagit.txt"
PAYLOAD_FILE = "manifest-sha256.txt"
TAGS_FILE = "tagmanifest-sha256.txt"
ENVELOPE_FILE = "attest/run.dsse.json"
MANIFEST_FILE = "data/manifest.json"
ENVIRONMENT_FILE = "data/environment.json"
WEIGHTS_FILE = "data/notes/weights.json"
KEY_FILE = "data/submitter.pem"
EXECUTIONS_FILE = "data/executions.jsonl"
INDEX_FILE = "data/journal/index.json"
RESULTS_FILE = "data/results/results.json"
CALLS_FILE = "data/results/calls.json"
ANALYSIS_FILE = "data/results/analysis.json"
DOCUMENTS = (
    MANIFEST_FILE,
    ENVIRONMENT_FILE,
    KEY_FILE,
    EXECUTIONS_FILE,
    INDEX_FILE,
    RESULTS_FILE,
    CALLS_FILE,
    ANALYSIS_FILE,
)
JOURNAL_FOLDER, CALLS_FOLDER = "data/journal/", "data/calls/"
LOGS_FOLDER, NOTES_FOLDER = "data/logs/", "data/notes/"
QUALITY_FOLDER = "data/quality/"
ATTESTED_FILES = (
    re.compile(rf"{LOGS_FOLDER}[0-9]{{3,6}}/[a-z][a-z0-9_-]{{0,63}}\.log"),
    re.compile(rf"{NOTES_FOLDER}(addresses|digests|preflight|weights)\.json"),
)
"""Logs of containers by execution, and notes of the harness: signed as they are. No other file stands beside them."""
TREE = "rfc6962-sha256"

RECOMPUTABILITY = {
    "calls": "attested by the submitter",
    "cost": "price table of the manifest times attested token counts",
    "replies": "attested by the submitter",
    "results": "recomputed from the journal",
    "tokens": "attested by the submitter",
}


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """data/journal/index.json: one row for each stream, in the order of the plan."""

    format: Literal["agz-journal-1"]
    streams: tuple[StreamRow, ...]


class ContainerRow(msgspec.Struct, frozen=True):
    """One container of a run in data/environment.json: which part it played, from which image (config digest)."""

    part: str
    image: str


class Environment(msgspec.Struct, frozen=True):
    """The fields of data/environment.json that verification reads; all else in it is attested only."""

    format: Literal["agz-environment-1"]
    isolation: str
    containers: tuple[ContainerRow, ...] = ()


class WeightsCheck(msgspec.Struct, frozen=True):
    """The weights found before or after play, by seat; `altered` names the problem, if there is one."""

    when: Literal["before", "after"]
    seats: dict[str, ModelPin]
    altered: str


class WeightsNote(msgspec.Struct, frozen=True):
    """The part of data/notes/weights.json that verification reads: every time that a run's weights were hashed."""

    checks: tuple[WeightsCheck, ...]


def is_attested(name: str) -> bool:
    """True if a file is one of the logs and notes that a harness leaves."""
    return any(pattern.fullmatch(name) for pattern in ATTESTED_FILES)


def segment_name(stream: str, number: int) -> str:
    """The file of a stream's journal segment."""
    return f"{JOURNAL_FOLDER}{stream}/{number:06d}.jsonl.gz"


def calls_name(stream: str) -> str:
    """The file beside a stream's journal: times, completion ids and fingerprints of its calls."""
    return f"{CALLS_FOLDER}{stream}.jsonl.gz"


def checksum_lines(digests: dict[str, str]) -> bytes:
    """A payload manifest: sorted lines as sha256sum writes them."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()


def parse_checksums(data: bytes) -> dict[str, str] | None:
    """Name to digest, or None if the bytes are not exactly what `checksum_lines` writes."""
    try:
        rows = [line.split("  ", 1) for line in data.decode("ascii").splitlines()]
        digests = {name: digest for digest, name in rows}
    except (UnicodeDecodeError, ValueError):
        return None
    return digests if checksum_lines(digests) == data else None


def compliance(results: Results) -> str:
    """Compliance of a run with its protocol: "yes", "no", or "phase 0 only", from which no score follows."""
    if results.departures or results.not_played:
        return "no"
    return "yes" if any(match.phase for match in results.matches) else "phase 0 only"


def claims_of(results: Results) -> dict[str, str]:
    """The headline figures that a submitter signs, by match: a pure function of the results."""
    claims, claimed = dict[str, str](), PROTOCOLS[results.protocol].claims
    for match in results.matches:
        figures = match.result.headline()
        claims |= {f"{match.id}/{name}": figures[name] for name in claimed[match.game]}
        if match.gate:
            claims[f"{match.id}/gate"] = "passed" if match.gate.passed else "failed"
    claims["compliant"] = compliance(results)
    return claims
