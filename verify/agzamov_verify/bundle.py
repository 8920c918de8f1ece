"""The layout of a result bundle: BagIt 1.0 shaped, payload under data/, signature under attest/.

    bag-info.txt  bagit.txt  manifest-sha256.txt (the signed subject)  tagmanifest-sha256.txt
    attest/run.dsse.json  attest/registration.json  attest/registration.tlog-proof
    attest/registration.tsq  attest/registration.tsr
    data/manifest.json  data/environment.json  data/submitter.pem  data/executions.jsonl
    data/journal/index.json  data/journal/<stream>/000000.jsonl.gz …
    data/calls/<stream>.jsonl.gz
    data/results/results.json  data/results/calls.json  data/results/analysis.json
    data/quality/index.json  data/quality/figures.json  data/quality/<stream>.jsonl.gz
    data/beacon.json
    data/logs/<execution>/<container>.log  data/notes/<what>.json

Files of the registration stand beside the signature: they prove themselves, and may come after it. data/beacon.json
is there where the seed waited for a round of a beacon.

A payload manifest line is "<sha256>  <name>", sorted by name, as sha256sum writes and checks it.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from .core.journal import StreamRow
from .experiment.plan_fields import END, Line
from .plan.manifest import ModelPin
from .protocols import PROTOCOLS
from .scoring.results import Results
from .table.registry import IncompleteGame

BAGIT = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
BAGIT_FILE = "bagit.txt"
INFO_FILE = "bag-info.txt"
PAYLOAD_FILE = "manifest-sha256.txt"
TAGS_FILE = "tagmanifest-sha256.txt"
ENVELOPE_FILE = "attest/run.dsse.json"
REGISTRATION_FILE, PROOF_FILE = "attest/registration.json", "attest/registration.tlog-proof"
REGISTRATION_FILES = (REGISTRATION_FILE, PROOF_FILE)
QUERY_FILE, STAMP_FILE = "attest/registration.tsq", "attest/registration.tsr"
STAMP_FILES = (QUERY_FILE, STAMP_FILE)
BEACON_FILE = "data/beacon.json"
MANIFEST_FILE = "data/manifest.json"
ENVIRONMENT_FILE = "data/environment.json"
ENVIRONMENT_BYTES_MAX = 2**20
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
    re.compile(rf"{NOTES_FOLDER}memory_models\.jsonl"),
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


RUN_DIGITS = 16


def bag_info(sizes: Mapping[str, int], manifest_sha256: str) -> bytes:
    """What readers of BagIt show of a bag (RFC 8493, 2.2.2), from the payload alone, so without a date.

    `sizes`: bytes of each payload file. Payload-Oxum is their sum, a dot, and their number.
    """
    lines = (
        "Bag-Software-Agent: agzamov",
        f"External-Identifier: {manifest_sha256[:RUN_DIGITS]}",
        f"Payload-Oxum: {sum(sizes.values())}.{len(sizes)}",
    )
    return "".join(f"{line}\n" for line in lines).encode()


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """data/journal/index.json: one row for each stream, in the order of the plan."""

    format: Literal["agz-journal-1"]
    streams: tuple[StreamRow, ...]


Outcome: TypeAlias = Annotated[str, Meta(max_length=2**16)]
Count: TypeAlias = Annotated[int, Meta(ge=0, lt=2**53)]
Commit: TypeAlias = Annotated[str, Meta(pattern="^(unknown|[0-9a-f]{40}|[0-9a-f]{64})" + END)]


class Attested(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of data/environment.json: an unknown key is an error, and each field has one type and a size."""


class ProgramVersion(Attested, frozen=True):
    """The source of a program: git's commit, whether its tree had changes that are in none, and both distributions."""

    commit: Commit
    harness: Line
    modified: bool
    verify: Line


class Limits(Attested, frozen=True):
    """The limits of a container that its engine enforced; None where it did not."""

    cpus: Count | None
    memory_bytes: Count | None
    pids: Count | None


class PrintedLog(Attested, frozen=True):
    """Bytes that a container printed and that its log keeps."""

    cut: bool
    kept_bytes: Count
    printed_bytes: Count


class ContainerRow(Attested, frozen=True):
    """One container of a run: which part it played, from which image (config digest), and how it ended."""

    part: Line
    image: Line
    name: Line = "without a name"
    ended: Line = ""
    execution: Count = 0
    exit_code: Annotated[int, Meta(gt=-(2**53), lt=2**53)] = 0
    limits: Limits | None = None
    log: PrintedLog | None = None
    memory_peak_bytes: Count | None = None
    network: Line = ""
    oom_killed: bool = False


class EndpointRow(Attested, frozen=True):
    """A server outside of the containers that the proxy let through, with the addresses that it had then."""

    url: Line
    addresses: tuple[Line, ...]
    execution: Count = 0


class Environment(Attested, frozen=True):
    """data/environment.json: the machine's own word, compared with the manifest where it can be."""

    format: Literal["agz-environment-1"]
    isolation: Line
    sealed_by: ProgramVersion
    packed_by: ProgramVersion
    containers: tuple[ContainerRow, ...] = ()
    container_engine: dict[Line, Line] = {}
    endpoints: tuple[EndpointRow, ...] = ()
    executions: tuple[Outcome, ...] = ()
    harness: Line = ""
    verify: Line = ""
    python: Line = ""
    system: Line = ""
    release: Line = ""
    machine: Line = ""
    cpu: Line = ""
    cores: Count = 0


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


def _claimed(name: str, game: str, figures: Mapping[str, str]) -> str:
    if name not in figures:
        raise IncompleteGame(
            f"claims of {game} in its protocol: expected figures that `headline()` of its counts gives"
            f" ({', '.join(figures)}), found {name}"
        )
    return figures[name]


def claims_of(results: Results) -> dict[str, str]:
    """The headline figures that a submitter signs, by match: a pure function of the results.

    Of a match about whose seats nothing is found, the reason stands in their place.
    """
    claims, claimed = dict[str, str](), PROTOCOLS[results.protocol].claims
    for match in results.matches:
        figures = match.result.headline()
        if match.no_finding:
            claims[f"{match.id}/no_finding"] = match.no_finding
        else:
            claims |= {f"{match.id}/{name}": _claimed(name, match.game, figures) for name in claimed[match.game]}
        if match.gate:
            claims[f"{match.id}/gate"] = "passed" if match.gate.passed else "failed"
    claims["compliant"] = compliance(results)
    return claims
