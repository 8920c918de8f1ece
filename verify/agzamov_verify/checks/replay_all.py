"""Steps 6 to 8: the index, every stream's chain and script on all cores, and the gate."""

import multiprocessing
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from .. import bundle
from ..core import canon
from ..core.journal import StreamRow, journal_root
from ..core.untrusted_input import HostileBundle
from ..core.waiting import counted
from ..core.workers import TimeIsUp, in_process, start_quietly
from ..engines.answer_store import drawing_seed
from ..plan.manifest import Plan
from ..plan.streams import SeatStore, streams_of
from ..protocols import PROTOCOLS
from ..scoring.call_records import SeatLog, merge
from ..scoring.early_stopping import streams_due, streams_to_play
from ..scoring.results import match_results
from ..table.game import Block, StreamPlan
from .answers import overspent
from .check_log import CheckLog, CouldNotCheck, Number
from .executions import LoggedExecutions, read_executions
from .limits import Budget
from .opened_bundle import Opened
from .random_sample import RandomSample
from .recalls import Told, recalls_max
from .replay_stream import StreamReplay, StreamReport
from .scripted_seats import SeatAnswer
from .tool_sample import ToolSample

T = TypeVar("T")
Worker = TypeVar("Worker")
Item = TypeVar("Item")
Done = TypeVar("Done")


class Replayed(msgspec.Struct):
    """Outcome of the replay of all streams: reports by stream, blocks and calls by match.

    `tools`, `seats`: random samples of the answers of tools, and of the scripted seats' that are left for step 13.
    `told`: what each memory of each match told, by its name in the journal.
    """

    executions: LoggedExecutions
    tools: ToolSample
    rows: tuple[StreamRow, ...] = ()
    reports: dict[str, StreamReport] = msgspec.field(default_factory=dict)
    blocks: dict[str, list[Block]] = msgspec.field(default_factory=dict)
    calls: dict[str, dict[str, SeatLog]] = msgspec.field(default_factory=dict)
    seats: dict[str, RandomSample[SeatAnswer]] = msgspec.field(default_factory=dict)
    told: dict[SeatStore, Told] = msgspec.field(default_factory=dict)

    def take(self, stream: StreamPlan, report: StreamReport, answers_max: int) -> None:
        """Keep the report of one stream, with a limited sample of the answers of tools and scripted seats."""
        if report.tools:
            self.tools.add(report.tools)
        for kind, left in report.left.items():
            self.seats.setdefault(kind, RandomSample(answers_max)).add(left)
        for memory, told in report.told.items():
            place = SeatStore(stream.match.id, memory)
            self.told[place] = self.told.get(place, Told()).plus(told)
        report = msgspec.structs.replace(report, tools=None, left={}, told={})
        self.reports[stream.id] = report
        self.executions.findings.extend(report.logged)
        if report.block:
            self.blocks.setdefault(stream.match.id, []).append(report.block)
        merge(self.calls.setdefault(stream.match.id, {}), report.calls)


def journal_cost(opened: Opened) -> str:
    """The amount of data to replay, in words."""
    sizes = opened.journal_bytes
    return f"journals of {sum(sizes):,} bytes, compressed, in {len(sizes):,} files to replay"


class Replaying(msgspec.Struct, frozen=True):
    """Settings of a replay: worker processes, evaluations to ask again of each 1000, and the budget."""

    jobs: int
    sample_permille: int
    budget: Budget


def replay_bundle(opened: Opened, log: CheckLog, settings: Replaying) -> Replayed:
    """Take steps 6 to 8. Raises StepFailed at the first that fails."""
    with log.taking(Number.EXECUTIONS):
        most = settings.budget.limits.seat_replies_max
        replayed = Replayed(read_executions(opened), ToolSample.of(most))
    with log.step(Number.JOURNAL):
        index = _index(opened)
        replayed.rows = index.streams
        streams = _listed_streams(opened, index)
        marks = replayed.executions.history.marks
        limits = most, drawing_seed(opened.journal_root), recalls_max(opened.manifest.plan, most)
        replay = StreamReplay(opened, settings.sample_permille, settings.budget.deadline_s, marks, *limits)
        replaying = on_all_cores(replay, StreamReplay.report, streams, settings.jobs, _sizes(opened, index))
        reports = counted("streams replayed", replaying, len(streams))
        for stream, row, report in zip(streams, index.streams, reports, strict=True):
            replayed.take(stream, report, most)
            _compare_row(row, report, log)
        _totals(opened, index.streams, log)
        _unlisted_files(opened, index, log)
    with log.step(Number.REPLAY):  # its other findings came with the journal's: each line is read once
        log.take(overspent(opened.manifest.plan, (report.spent for report in replayed.reports.values())))
    with log.step(Number.GATE):
        _gate(opened, replayed, settings.budget, log)
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


def _sizes(opened: Opened, index: bundle.Index) -> list[int]:
    """Bytes of each stream's journal, compressed."""
    return [sum(opened.source.sizes.get(name, 0) for name in row.segments) for row in index.streams]


def _compare_row(row: StreamRow, report: StreamReport, log: CheckLog) -> None:
    for finding in report.findings:
        log.add(finding.step, finding.place, finding.expected, finding.found)
    if report.row:
        log.same(Number.JOURNAL, f"{bundle.INDEX_FILE} {row.stream}", _row(report.row), _row(row))


def _totals(opened: Opened, rows: tuple[StreamRow, ...], log: CheckLog) -> None:
    claim = opened.statement.predicate.journal
    expected = f"{sum(row.entries for row in rows)} entries root {journal_root(rows)} {bundle.TREE}"
    log.same(Number.JOURNAL, "statement journal", expected, f"{claim.entries} entries root {claim.root} {claim.tree}")


def _unlisted_files(opened: Opened, index: bundle.Index, log: CheckLog) -> None:
    known = {bundle.INDEX_FILE, *(name for row in index.streams for name in row.segments)}
    known |= {bundle.calls_name(row.stream) for row in index.streams}
    for name in opened.digests:
        if name.startswith((bundle.JOURNAL_FOLDER, bundle.CALLS_FOLDER)) and name not in known:
            log.add(Number.JOURNAL, name, "only files of streams that the index lists", "another file")


def _gate(opened: Opened, replayed: Replayed, budget: Budget, log: CheckLog) -> None:
    """Compare lists of streams before anything is scored: figures of a match with a gap would be of another match."""
    plan, recorded = opened.manifest.plan, list(replayed.reports)
    expected = _without_gaps(plan, recorded)
    if expected == recorded:
        has_figures = bool(plan.analysis.sequential) or any(match.phase == 0 for match in plan.matches)
        expected = bounded(lambda: _due(plan, replayed), budget) if has_figures else _due(plan, replayed)
    if expected != recorded:
        missing = [stream for stream in expected if stream not in replayed.reports][:3]
        extra = [stream for stream in recorded if stream not in expected][:3]
        promised = "every promised stream, in order, less those that a failed Phase 0 or a declared rule stops"
        log.add(Number.GATE, bundle.INDEX_FILE, promised, f"missing {missing}, too many {extra}")


def _without_gaps(plan: Plan, recorded: Sequence[str]) -> list[str]:
    """The streams that must be there because a later one of their match is: without gaps, the streams found."""
    present, expected = set(recorded), []
    for phase in PROTOCOLS[plan.protocol].phases:
        for match in (match for match in plan.matches if match.phase == phase):
            promised = [stream.id for stream in streams_of(match)]
            last = max((index for index, stream in enumerate(promised) if stream in present), default=-1)
            expected += promised[: last + 1]
    return expected


def _due(plan: Plan, replayed: Replayed) -> list[str]:
    """The streams that must be there, once it is known how Phase 0 ended."""
    matches = [match for match in plan.matches if match.phase == 0]
    due = [stream.id for match in matches for stream in streams_due(match, plan, replayed.blocks.get(match.id, ()))]
    promised = set(due)
    if due != [stream for stream in replayed.reports if stream in promised]:
        return due
    phase0 = [row for match in matches for row in match_results(match, replayed.blocks[match.id], plan)]
    return [stream.id for stream in streams_to_play(plan, phase0, replayed.blocks)]


def bounded(compute: Callable[[], T], budget: Budget) -> T:
    """The result of `compute`, run in a process that is ended when time is up. Raises CouldNotCheck."""
    budget.require_time()
    try:
        return in_process(compute, budget.seconds_left)
    except TimeIsUp as error:
        raise CouldNotCheck(budget.time_is_up) from error


def _row(row: StreamRow) -> str:
    return f"{row.entries} entries head {row.head} root {row.root} in {', '.join(row.segments)}"


def on_all_cores(
    worker: Worker, work: Callable[[Worker, Item], Done], items: Sequence[Item], jobs: int, sizes: Sequence[int] = ()
) -> Generator[Done, None, None]:
    """The results of a method of `worker` for each item, in order. Close the iterator to stop early.

    Then items that no worker has begun are cancelled, and those in work are waited for: they look at the clock
    themselves. A pool that nobody waits for may print a traceback when the interpreter ends. Where `sizes` has the size
    of each item, the greatest are begun first, so that no core waits at the end for a long one that was begun last.
    """
    with _workers(min(jobs, len(items)), worker) as pool:
        if pool is None:
            yield from (work(worker, item) for item in items)
            return
        order = sorted(range(len(items)), key=lambda index: -sizes[index]) if sizes else range(len(items))
        begun = {index: pool.submit(_do, work, items[index]) for index in order}
        try:
            for index in range(len(items)):
                yield begun.pop(index).result()
        finally:
            for future in begun.values():
                future.cancel()


_worker: Any


def _start_worker(worker: object) -> None:
    global _worker  # noqa: PLW0603 - a worker process holds its one bundle
    start_quietly()
    _worker = worker


def _do(work: Callable[[Any, Item], Done], item: Item) -> Done:
    return work(_worker, item)


@contextmanager
def _workers(count: int, worker: object) -> Iterator[Executor | None]:
    if count < 2:
        yield None
        return
    context = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    with ProcessPoolExecutor(count, context, _start_worker, (worker,)) as pool:
        yield pool
