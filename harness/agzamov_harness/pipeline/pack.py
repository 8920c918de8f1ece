"""Packs a finished run as a signed bundle. Signing happens last, on finished digests.

What the machine and its containers report about themselves is attested; only the images' digests are checked:

isolation "process"    the harness, its Python, the machine, the version that sealed the run
isolation "container"  the same as the harness's container saw it, the container engine, and every container of every
                       execution: image, limits that the engine enforces, exit code, whether it ran out of memory, its
                       peak, and how much of its log is kept; and every server outside of the containers
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify import bundle
from agzamov_verify.checks.limits import VerificationLimits
from agzamov_verify.checks.opened_bundle import worth_starting
from agzamov_verify.checks.replay_all import on_all_cores
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core import canon, gzip_member
from agzamov_verify.core.envelope import (
    PREDICATE_TYPE,
    STATEMENT_TYPE,
    SUBJECT,
    Digest,
    JournalClaim,
    Predicate,
    SeedClaim,
    Statement,
    Subject,
    sign,
)
from agzamov_verify.core.journal import Chain, StreamRow, journal_root
from agzamov_verify.core.workers import cores
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.plan.streams import streams_of
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.analysis import analysis_of
from agzamov_verify.scoring.call_records import Answered, SeatLog, answered, call_table, gather, merge
from agzamov_verify.scoring.results import Results, results_of
from agzamov_verify.table.game import StreamPlan

from ..foundation.placed_folder import placed
from ..foundation.program_and_machine import about_machine, source_version
from ..run import execution_log
from ..run.execution_record import ContainerExecution, executions
from ..run.exit_status import EXIT_FAILED, HarnessEnded
from ..run.move_evaluations import promised_answers
from ..run.recorder import CALLS_FILE, JOURNAL_SUFFIX
from ..run.run_folder import (
    ADDRESSES,
    DIGESTS,
    MEMORY_MODELS,
    PREFLIGHT,
    PROOF,
    QUERY,
    REGISTRATION,
    STAMP,
    WEIGHTS,
    RunDirectory,
)
from ..run.runner import Blocks
from ..run.seal_signature import public_pem

FORMAT = "agz-environment-1"
SEAT_REPLIES: Final = 100
"""Replies of scripted seats, and answers of each tool, that packing computes again. A program that is at fault shows in
these; whoever checks the bundle draws ten times as many."""


def environment_of(directory: RunDirectory) -> dict[str, canon.Json]:
    """The environment of a run, as its bundle keeps it."""
    programs: dict[str, canon.Json] = {
        "packed_by": msgspec.to_builtins(source_version()),
        "sealed_by": msgspec.to_builtins(directory.sealed_by),
    }
    if directory.manifest.plan.isolation == "process":
        return {**about_machine(), "format": FORMAT, "isolation": "process", **programs}
    executions_kept = [execution for _, execution in executions(directory)]
    last = executions_kept[-1] if executions_kept else ContainerExecution(())
    environment: dict[str, canon.Json] = {**last.environment}
    rows: list[canon.Json] = [
        {**msgspec.to_builtins(row), "execution": index}
        for index, execution in enumerate(executions_kept)
        for row in execution.containers
    ]
    outside: list[canon.Json] = [
        {**msgspec.to_builtins(row), "execution": index}
        for index, execution in enumerate(executions_kept)
        for row in execution.endpoints
    ]
    outcomes: list[canon.Json] = [execution.outcome for execution in executions_kept]
    return {
        **environment,
        "containers": rows,
        "container_engine": {**last.engine},
        "endpoints": outside,
        "format": FORMAT,
        "isolation": "container",
        **programs,
        "executions": outcomes,
    }


class Packed(NamedTuple):
    """The bundle's folder, and what a check of it found that asks no engine."""

    bundle: Path
    verdict: Verdict


def pack(directory: RunDirectory, blocks: Blocks, key: Ed25519PrivateKey, bundles: Path) -> Packed:
    """The bundle, in the folder `bundles`/<run_id>, complete and verified before it has its name.

    Raises HarnessEnded, and keeps what was packed under its name while it is made, where the bundle does not verify.
    """
    making = written(directory, blocks, key, bundles)
    verdict = believable(making)
    return Packed(named(making, bundles / directory.manifest.run_id), verdict)


def written(directory: RunDirectory, blocks: Blocks, key: Ed25519PrivateKey, bundles: Path) -> Path:
    """A bundle that is complete and has not yet its name."""
    making = bundles / f".{directory.manifest.run_id}.making"
    shutil.rmtree(making, ignore_errors=True)
    writer = _Writer(making, directory, blocks)
    results = writer.payload(key)
    writer.tags()
    writer.envelope(results, key)
    _sync(making)
    return making


def believable(making: Path) -> Verdict:
    """The verdict on what was packed, of all but the engine, and of few scripted replies. Raises HarnessEnded."""
    limits = VerificationLimits(seat_replies_max=SEAT_REPLIES)
    verdict = verify(making, Options(engine_missing="not asked while packing", jobs=cores(), limits=limits))
    if not verdict.failed:
        return verdict
    first = verdict.findings[0]
    step = verdict.steps[first.step - 1].name
    raise HarnessEnded(
        f"the packed bundle does not verify, step {first.step} {step}: {first.place}: expected {first.expected}, found"
        f" {first.found}; the program, or a server that it started, is at fault, not your plan: please report it with"
        f" the folder {making}",
        EXIT_FAILED,
    )


def named(making: Path, target: Path) -> Path:
    """The bundle under its name, in place of an older one. Raises PlaceTaken, and keeps what was packed."""
    return placed(making, target, bundle.BAGIT_FILE, "bundle")


class _Writer:
    """Writes the files of one bundle and remembers their digests."""

    def __init__(self, root: Path, directory: RunDirectory, blocks: Blocks) -> None:
        self._root, self._directory, self._blocks = root, directory, blocks
        self._manifest = directory.manifest
        self._digests: dict[str, str] = {}
        self._rows: tuple[StreamRow, ...] = ()
        self._calls: dict[str, dict[str, SeatLog]] = {}

    def payload(self, key: Ed25519PrivateKey) -> Results:
        self._streams()
        plan = self._manifest.plan
        dice = self._directory.dice
        results = results_of(self._manifest.run_id, plan, self._blocks)
        self._write(bundle.MANIFEST_FILE, self._manifest.bytes)
        self._write(bundle.ENVIRONMENT_FILE, canon.dumps(environment_of(self._directory)))
        for name, data in attested_files(self._directory):
            self._write(name, data)
        for path in judged_files(self._directory):
            self._write(bundle.QUALITY_FOLDER + path.name, path.read_bytes())
        self._write(bundle.KEY_FILE, public_pem(key))
        if beacon := self._directory.beacon:
            self._write(bundle.BEACON_FILE, canon.dumps(beacon))
        self._write(bundle.EXECUTIONS_FILE, (self._directory.journal / execution_log.FILE).read_bytes())
        self._write(bundle.INDEX_FILE, canon.dumps(bundle.Index("agz-journal-1", self._rows)))
        self._write(bundle.RESULTS_FILE, documents.written(plan.protocol, documents.RESULTS, results))
        answers = promised_answers(self._directory, self._blocks)
        analysis = analysis_of(self._manifest, dice, self._blocks, answers)
        calls = call_table(self._calls, plan)
        self._write(bundle.ANALYSIS_FILE, documents.written(plan.protocol, documents.ANALYSIS, analysis))
        self._write(bundle.CALLS_FILE, documents.written(plan.protocol, documents.CALLS, calls))
        return results

    def tags(self) -> None:
        """The BagIt tag files around the payload."""
        payload = bundle.checksum_lines(self._digests)
        sizes = {name: (self._root / name).stat().st_size for name in self._digests}
        info = bundle.bag_info(sizes, self._digests[bundle.MANIFEST_FILE])
        tags = {bundle.INFO_FILE: info, bundle.BAGIT_FILE: bundle.BAGIT, bundle.PAYLOAD_FILE: payload}
        for name, data in tags.items():
            (self._root / name).write_bytes(data)
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in tags.items()}
        (self._root / bundle.TAGS_FILE).write_bytes(bundle.checksum_lines(digests))

    def envelope(self, results: Results, key: Ed25519PrivateKey) -> None:
        """Sign a statement about the payload manifest as it is now."""
        signed = hashlib.sha256((self._root / bundle.PAYLOAD_FILE).read_bytes()).hexdigest()
        plan = self._manifest.plan
        predicate = Predicate(
            bundle.claims_of(results),
            JournalClaim(sum(row.entries for row in self._rows), journal_root(self._rows), bundle.TREE),
            self._digests[bundle.MANIFEST_FILE],
            plan.protocol,
            bundle.RECOMPUTABILITY,
            self._manifest.run_id,
            SeedClaim(plan.seed.origin, self._directory.secret.hex()),
        )
        statement = Statement(STATEMENT_TYPE, predicate, PREDICATE_TYPE, (Subject(Digest(signed), SUBJECT),))
        path = self._root / bundle.ENVELOPE_FILE
        path.parent.mkdir()
        path.write_bytes(sign(statement, key))
        names = (*bundle.REGISTRATION_FILES, *bundle.STAMP_FILES)
        for name, kept in zip(names, (REGISTRATION, PROOF, QUERY, STAMP), strict=True):
            source = self._directory.path / kept
            if self._directory.has(kept) and not source.is_symlink():
                (self._root / name).write_bytes(source.read_bytes())

    def _streams(self) -> None:
        """Write the journals and calls of all streams that were played."""
        played = [match for match in self._manifest.plan.matches if match.id in self._blocks]
        streams = [
            stream
            for match in sorted(played, key=lambda match: match.phase)
            for stream in islice(streams_of(match), len(self._blocks[match.id]))
        ]
        journals = _Journals(self._root, self._directory.journal, self._manifest.run_id)
        sizes = [sum(path.stat().st_size for path in journals.segments(stream)) for stream in streams]
        jobs = worth_starting(cores(), sizes)
        packed = list(on_all_cores(journals, _Journals.packed, streams, jobs, sizes))
        self._rows = tuple(stream.row for stream in packed)
        for stream, one in zip(streams, packed, strict=True):
            self._digests |= one.digests
            merge(self._calls.setdefault(stream.match.id, {}), one.calls)

    def _write(self, name: str, data: bytes) -> None:
        self._digests[name] = _write_file(self._root / name, data)


class _PackedStream(NamedTuple):
    """A stream's row of the index, the digests of its files by name, and the calls of its seats."""

    row: StreamRow
    digests: dict[str, str]
    calls: dict[str, SeatLog]


class _Journals:
    """The journals of a run's folder, each of which is packed in any process."""

    def __init__(self, root: Path, journal: Path, run: str) -> None:
        self._root, self._journal, self._run = root, journal, run

    def segments(self, stream: StreamPlan) -> list[Path]:
        """The files of a stream's journal, in order."""
        return sorted((self._journal / stream.id).glob(f"*{JOURNAL_SUFFIX}"))

    def packed(self, stream: StreamPlan) -> _PackedStream:
        """Write the journal and the calls of a stream into the bundle."""
        chain = Chain(self._run, stream.id)
        digests, answers = dict[str, str](), list[Answered]()
        for number, segment in enumerate(self.segments(stream)):
            data = segment.read_bytes()
            answers += map(answered, chain.read_all(data.splitlines()))
            self._write(digests, bundle.segment_name(stream.id, number), data)
        row = chain.row(list(digests))
        calls = (self._journal / stream.id / CALLS_FILE).read_bytes()
        self._write(digests, bundle.calls_name(stream.id), calls)
        return _PackedStream(row, digests, gather(calls.splitlines(), answers))

    def _write(self, digests: dict[str, str], name: str, data: bytes) -> None:
        digests[name] = _write_file(self._root / name, gzip_member.compressed(data))


def _write_file(path: Path, data: bytes) -> str:
    """Write a file of the bundle; its SHA-256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def attested_files(directory: RunDirectory) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files beside the journal: container logs of each execution, and the harness's notes."""
    for folder, _ in executions(directory):
        for path in sorted(folder.glob("*.log")):
            yield f"{bundle.LOGS_FOLDER}{folder.name}/{path.name}", path.read_bytes()
    notes = [directory.notes / name for name in (ADDRESSES, DIGESTS, MEMORY_MODELS, PREFLIGHT)]
    for path in (*notes, directory.executions / WEIGHTS):
        if path.is_file() and not path.is_symlink():
            yield f"{bundle.NOTES_FOLDER}{path.name}", path.read_bytes()


def judged_files(directory: RunDirectory) -> list[Path]:
    """The engine's answers about the run's moves, where the plan promised them. Raises ManifestError without them."""
    if not directory.manifest.plan.quality.nodes:
        return []
    if not directory.quality.is_dir():
        where = directory.path
        raise ManifestError(
            f"{where}: expected the engine's evaluations that the plan promises; go on with: agzamov resume {where}"
        )
    return sorted(directory.quality.iterdir())


def _sync(folder: Path) -> None:
    """Force a whole folder to disk, so that after a power cut its name stands for all of it or is not there."""
    for path in (folder, *folder.rglob("*")):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
