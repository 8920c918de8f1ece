"""Steps 6 to 8: the index, every stream's chain and script on all cores, and the gate."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

import msgspec

from .. import bundle, canon
from ..journal import StreamRow, journal_root
from ..phases.gate import streams_to_play
from ..phases.streams import Block, StreamPlan, streams_of
from ..reading import HostileBundle
from ..scoring.results import match_result
from ..workers import end_with_parent
from .ledger import Ledger, Number
from .opening import Opened
from .replaying import StreamReplay, StreamReport


class Replayed(msgspec.Struct):
    """What the replay of all streams gave: reports by stream, blocks and answer times by match."""

    reports: dict[str, StreamReport] = msgspec.field(default_factory=dict)
    blocks: dict[str, list[Block]] = msgspec.field(default_factory=dict)
    laps: dict[str, dict[str, list[int]]] = msgspec.field(default_factory=dict)

    def take(self, stream: StreamPlan, report: StreamReport) -> None:
        """Note the report of one stream."""
        self.reports[stream.id] = report
        if report.block:
            self.blocks.setdefault(stream.match.id, []).append(report.block)
        for to, us in report.laps.items():
            self.laps.setdefault(stream.match.id, {}).setdefault(to, []).extend(us)


def replay_bundle(
    opened: Opened, ledger: Ledger, jobs: int, sample_permille: int, tick: Callable[[str], None]
) -> Replayed:
    """Take steps 6 to 8. Raises StepFailed at the first that fails."""
    replayed = Replayed()
    with ledger.step(Number.JOURNAL):
        index = _index(opened)
        streams = _listed_streams(opened, index)
        reports = _replay_all(opened, streams, jobs, sample_permille)
        for stream, row, report in zip(streams, index.streams, reports, strict=True):
            replayed.take(stream, report)
            _compare_row(row, report, ledger)
            tick(stream.id)
        _totals(opened, index.streams, ledger)
        _unlisted_files(opened, index, ledger)
    with ledger.step(Number.REPLAY):
        pass  # its findings came with the journal's: each line is read once
    with ledger.step(Number.GATE):
        _gate(opened, replayed, ledger)
    return replayed


def _index(opened: Opened) -> bundle.Index:
    data = opened.payload(bundle.INDEX_FILE)
    try:
        return canon.loads_as(data, bundle.Index)
    except canon.NotCanonical as error:
        raise HostileBundle(bundle.INDEX_FILE, "a journal index", str(error)) from error


def _listed_streams(opened: Opened, index: bundle.Index) -> list[StreamPlan]:
    promised = {stream.id: stream for match in opened.manifest.plan.matches for stream in streams_of(match)}
    seen: set[str] = set()
    for row in index.streams:
        if row.stream not in promised or row.stream in seen:
            raise HostileBundle(bundle.INDEX_FILE, "each promised stream at most once", row.stream)
        seen.add(row.stream)
    return [promised[row.stream] for row in index.streams]


def _compare_row(row: StreamRow, report: StreamReport, ledger: Ledger) -> None:
    for finding in report.findings:
        ledger.add(finding.step, finding.place, finding.expected, finding.found)
    if report.row:
        ledger.same(Number.JOURNAL, f"{bundle.INDEX_FILE} {row.stream}", _row(report.row), _row(row))


def _totals(opened: Opened, rows: tuple[StreamRow, ...], ledger: Ledger) -> None:
    claim = opened.statement.predicate.journal
    expected = f"{sum(row.entries for row in rows)} entries root {journal_root(rows)} {bundle.TREE}"
    ledger.same(
        Number.JOURNAL, "statement journal", expected, f"{claim.entries} entries root {claim.root} {claim.tree}"
    )


def _unlisted_files(opened: Opened, index: bundle.Index, ledger: Ledger) -> None:
    known = {bundle.INDEX_FILE, *(name for row in index.streams for name in row.segments)}
    known |= {bundle.timing_name(row.stream) for row in index.streams}
    for name in opened.digests:
        if name.startswith((bundle.JOURNAL_FOLDER, bundle.TIMING_FOLDER)) and name not in known:
            ledger.add(Number.JOURNAL, name, "only files of streams that the index lists", "another file")


def _gate(opened: Opened, replayed: Replayed, ledger: Ledger) -> None:
    plan = opened.manifest.plan
    phase0 = [
        match_result(match, replayed.blocks[match.id], plan, opened.dice)
        for match in plan.matches
        if match.phase == 0 and match.id in replayed.blocks
    ]
    expected = [stream.id for stream in streams_to_play(plan, phase0, replayed.blocks)]
    found = list(replayed.reports)
    if expected != found:
        missing = [stream for stream in expected if stream not in replayed.reports][:3]
        extra = [stream for stream in found if stream not in expected][:3]
        wanted = "every promised stream, in order, less those that a failed Phase 0 or a declared rule stops"
        ledger.add(Number.GATE, bundle.INDEX_FILE, wanted, f"missing {missing}, too many {extra}")


def _row(row: StreamRow) -> str:
    return f"{row.entries} entries head {row.head} root {row.root} in {', '.join(row.segments)}"


def _replay_all(
    opened: Opened, streams: Sequence[StreamPlan], jobs: int, sample_permille: int
) -> Iterator[StreamReport]:
    run = opened.manifest.run_id
    replay = StreamReplay(opened.source, opened.digests, run, opened.manifest.plan, opened.dice, sample_permille)
    with _workers(min(jobs, len(streams)), replay) as pool:
        yield from pool.map(_replay_one, streams) if pool else map(replay.report, streams)


_worker: StreamReplay


def _start_worker(replay: StreamReplay) -> None:
    global _worker  # noqa: PLW0603 - a worker process holds its one bundle
    end_with_parent()
    _worker = replay


def _replay_one(stream: StreamPlan) -> StreamReport:
    return _worker.report(stream)


@contextmanager
def _workers(count: int, replay: StreamReplay) -> Iterator[Executor | None]:
    if count < 2:
        yield None
        return
    context = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    with ProcessPoolExecutor(count, context, _start_worker, (replay,)) as pool:
        yield pool
