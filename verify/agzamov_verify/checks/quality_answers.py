"""Checks the engine's answers about a bundle's games: that none is missing or too many, and that they are true.

Which positions must be there follows from the replayed games, so it is checked for all of them. Whether the
engine said so is asked again, of all of them or of a random sample drawn with the verifier's own fresh
seed; the verdict says what a faultless sample shows. The figures are recomputed from the answers.
"""

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import count, zip_longest
from pathlib import Path
from typing import TypeAlias

import msgspec

from ..core import canon
from ..core.dice import Dice
from ..core.limits import EVALUATION_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX
from ..core.untrusted_input import HostileBundle, Source, gzip_lines, open_source, read_small, sha256_of, show_name
from ..engines.answer_store import answers_of
from ..engines.engine_group import EngineGroup
from ..engines.uci_engine import EngineFault, UciEngine
from ..plan.manifest import Plan
from ..protocols.norms import EngineNorm, load_protocol
from ..scoring.quality.quality_figures import (
    FIGURES_FILE,
    INDEX_FILE,
    JudgedStream,
    QualityIndex,
    QualityResults,
    StreamAnswers,
    answers_name,
    index_of,
    judged_streams,
    released_and_shown,
)
from ..scoring.quality.quality_questions import MoveEvaluation, Position, decode, judge, misfit
from ..table.game import Block
from .asking_engines import AskingOutcome, Say, ask_all, side_by_side
from .check_log import FINDINGS_MAX, CheckLog, Finding, Number, Status, StepFailed
from .limits import Budget, VerificationLimits
from .opened_bundle import open_bundle, read_payload
from .random_sample import sample, wrong_below
from .replay_all import Replaying, replay_bundle
from .results_check import differences

Judged: TypeAlias = tuple[Position, MoveEvaluation]
Require: TypeAlias = Callable[[UciEngine, EngineNorm], None]


def by_net(engine: UciEngine, norm: EngineNorm) -> None:
    """Raises EngineFault unless the engine has the protocol's name and net."""
    engine.require(norm.name, norm.net_sha256)


def by_name(engine: UciEngine, norm: EngineNorm) -> None:
    """Check of an engine by its name alone: its image was compared with the pin, and it cannot write its net."""
    engine.require_name(norm.name)


@contextmanager
def open_judges(path: Path, norm: EngineNorm, nodes: int, count: int, require: Require = by_net) -> Iterator["Judges"]:
    """Up to `count` engines of the protocol, one thread each, the first of which is asked who it is.

    They are asked only what this user's store of answers does not hold. Raises EngineFault.
    """
    with closing(EngineGroup(lambda: UciEngine(path, norm.hash_mib), count)) as engines:
        require(engines.first, norm)
        engines.share(answers_of(path, norm.name, norm.net_sha256))
        yield Judges(engines, nodes)


class Judges:
    """Engines that share the work. An answer depends on its question alone, not on who gave it or what came before."""

    def __init__(self, engines: EngineGroup[UciEngine], nodes: int) -> None:
        self.engines, self._nodes = engines, nodes

    def answers(self, positions: Iterable[Position]) -> Generator[Judged, None, None]:
        """Each position with its answer, as they come. Close the generator to stop early. Raises EngineFault."""
        return side_by_side(positions, self.engines, self.answer)

    def answer(self, engine: UciEngine, position: Position) -> MoveEvaluation:
        """The judgement of `engine` on a position. Raises EngineFault."""
        return judge(position, lambda start, moves, only: engine.search(start, moves, self._nodes, only))


SEARCHES_MAX = 2
"""For one position: its best move and, where that is another, the played one."""

QUALITY = Number.QUALITY
"""The step's number in a finding, of answers inside the bundle or beside it."""


class PlayedRun(msgspec.Struct, frozen=True):
    """A run as its journals tell it: whose games the answers must be about."""

    run: str
    plan: Plan
    dice: Dice
    blocks: Mapping[str, Sequence[Block]]

    def streams(self) -> Iterator[JudgedStream]:
        """The streams whose moves are judged, in order."""
        return judged_streams(self.plan, self.blocks)

    def positions(self) -> Iterator[tuple[str, Iterator[Position]]]:
        """Name and positions of each of these streams, in order."""
        for stream in self.streams():
            yield stream.id, (position for record in stream.records for position in stream.judged.positions(record))


class QualityOptions(msgspec.Struct, frozen=True):
    """Whom to ask again (None: nobody is there), about how many positions (None: all), drawn by which seed.

    `tick` gets the number of positions asked about, and of all; `say` an estimate of the time.
    """

    engine: Path | None
    engine_missing: str
    jobs: int
    sample: int | None
    seed: str
    tick: Callable[[int, int], None] = lambda _done, _all: None
    budget: Budget = msgspec.field(default_factory=lambda: Budget(VerificationLimits()))
    say: Say = lambda _: None


class QualityVerdict(msgspec.Struct):
    """Outcome of the check. `wrong_below`: with 95 % confidence fewer of all answers are wrong.

    `for_engine`: what the engine has to be asked again, where there is none or not the right one.
    """

    run: str = ""
    status: Status = Status.NOT_CHECKED
    remark: str = ""
    findings: list[Finding] = msgspec.field(default_factory=list)
    positions: int = 0
    asked: int = 0
    wrong_below: int | None = None
    seed: str = ""
    results: QualityResults | None = None
    for_engine: str = ""

    def add(self, place: str, expected: str, found: str) -> None:
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(Finding(QUALITY, place, expected, found))


def replay_played(bundle: Path, log: CheckLog, jobs: int, budget: Budget | None = None) -> PlayedRun:
    """The games of a bundle, after its steps 1 to 8. Raises StepFailed."""
    opened = open_bundle(bundle, log)
    replayed = replay_bundle(opened, log, Replaying(jobs, 0, budget or Budget(VerificationLimits())))
    return PlayedRun(opened.manifest.run_id, opened.manifest.plan, opened.dice, replayed.blocks)


def verify_quality(bundle: Path, answers: Path, options: QualityOptions) -> QualityVerdict:
    """Check the answers in folder `answers` about the games of `bundle`. A bad one never raises."""
    log = CheckLog()
    try:
        played = replay_played(bundle, log, options.jobs, budget=options.budget)
    except StepFailed:
        return _not_played(log)
    verdict = QualityVerdict(played.run)
    try:
        with log.taking(QUALITY), _noting(verdict):
            check_answers(open_source(answers), "", played, options, verdict)
    except StepFailed:
        step = log.steps[QUALITY - 1]
        verdict.status, verdict.remark = step.status, step.remark
        verdict.findings += log.findings
    return verdict


def _not_played(log: CheckLog) -> QualityVerdict:
    """The verdict where the bundle's own games could not be read."""
    failed = next((step for step in log.steps if step.status is Status.FAIL), None)
    if failed is None:
        return QualityVerdict(remark=next(step.remark for step in log.steps if step.status is Status.NOT_CHECKED))
    remark = f"the bundle fails its own check at step {failed.number}"
    return QualityVerdict(status=Status.FAIL, remark=remark, findings=log.findings)


def check_answers(
    source: Source, folder: str, played: PlayedRun, options: QualityOptions, verdict: QualityVerdict
) -> None:
    """Fill `verdict` from the answers in `folder` of `source`, "" or a name that ends with a slash."""
    answers = read_answers(source, folder, played, verdict)
    if not verdict.findings:
        ask_again(answers, played, options, verdict)


def read_answers(
    source: Source, folder: str, played: PlayedRun, verdict: QualityVerdict, signed: Mapping[str, str] | None = None
) -> dict[str, list[MoveEvaluation]]:
    """The answers in a folder by game, unchanged; their defects go into `verdict`.

    `signed`: the digests that its files must still have, by name, where the folder is inside a bundle.
    """
    answers: dict[str, list[MoveEvaluation]] = {}
    with _noting(verdict):
        answers = _Reader(source, folder, played, verdict, signed).read()
        verdict.positions = sum(map(len, answers.values()))
    return answers


def read_promised(
    source: Source, folder: str, played: PlayedRun, verdict: QualityVerdict, signed: Mapping[str, str] | None = None
) -> dict[str, list[MoveEvaluation]]:
    """The answers that the plan promised, at its nodes a position."""
    answers, nodes = read_answers(source, folder, played, verdict, signed), played.plan.quality.nodes
    if verdict.results and verdict.results.nodes != nodes:
        verdict.add(f"{folder}{INDEX_FILE} nodes", str(nodes), str(verdict.results.nodes))
    return answers


@contextmanager
def _noting(verdict: QualityVerdict) -> Iterator[None]:
    """A folder that cannot be read is a finding, and with a finding the check has failed."""
    try:
        yield
    except HostileBundle as error:
        verdict.add(error.place, error.expected, error.found)
    except OSError as error:
        verdict.add(show_name(str(error.filename or "answers")), "a readable file", str(error.strerror))
    if verdict.findings:
        verdict.status = Status.FAIL


class _Reader:
    """Reads a folder of answers against the games that they must be about."""

    def __init__(
        self,
        source: Source,
        folder: str,
        played: PlayedRun,
        verdict: QualityVerdict,
        signed: Mapping[str, str] | None,
    ) -> None:
        self._source, self._folder, self._played, self._verdict = source, folder, played, verdict
        self._signed = signed

    def read(self) -> dict[str, list[MoveEvaluation]]:
        """The answers by game, one for each position. Raises HostileBundle."""
        index, played = self._index(), self._played
        answers: dict[str, list[MoveEvaluation]] = {}
        rows = [self._stream(stream, positions, answers) for stream, positions in played.positions()]
        self._compare(index, rows)
        self._other_files(rows)
        released, shown = released_and_shown(played.run, played.plan, played.blocks, answers, index.nodes)
        self._figures(released)
        self._verdict.results = shown
        return answers

    def _index(self) -> QualityIndex:
        name = self._folder + INDEX_FILE
        try:
            return canon.loads_as(self._read(name), QualityIndex)
        except canon.NotCanonical as error:
            raise HostileBundle(name, "an index of quality answers", str(error)) from error

    def _read(self, name: str) -> bytes:
        if self._signed is None:
            return read_small(self._source, name)
        return read_payload(self._source, self._signed, name)

    def _stream(
        self, stream: str, positions: Iterator[Position], answers: dict[str, list[MoveEvaluation]]
    ) -> StreamAnswers:
        """Read a stream's answers, each of which fits its position. Raises HostileBundle at the first that does not."""
        name = self._folder + answers_name(stream)
        if name not in self._source.sizes:
            raise HostileBundle(name, "answers about a stream that was played", "nothing there")
        digest, count = hashlib.sha256(), 0
        sha256 = self._signed[name] if self._signed is not None else sha256_of(self._source, name)
        lines = gzip_lines(self._source, name, sha256, EVALUATION_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX)
        for line, position in zip_longest(lines, positions):
            count += 1
            judgement = _fitting(f"{name} line {count}", line, position)
            answers.setdefault(judgement.game, []).append(judgement)
            digest.update(line + b"\n")
        return StreamAnswers(count, digest.hexdigest(), stream)

    def _compare(self, index: QualityIndex, rows: Sequence[StreamAnswers]) -> None:
        played = self._played
        expected = msgspec.to_builtins(index_of(played.run, played.plan.protocol, index.nodes, rows))
        found = msgspec.to_builtins(index)
        for key in expected:
            if expected[key] != found[key]:
                expected_text, found_text = (canon.dumps(value).decode()[:200] for value in (expected[key], found[key]))
                self._verdict.add(f"{self._folder}{INDEX_FILE} {key}", expected_text, found_text)

    def _other_files(self, rows: Sequence[StreamAnswers]) -> None:
        known = {INDEX_FILE, FIGURES_FILE, *(answers_name(row.stream) for row in rows)}
        for name in self._source.sizes:
            if name.startswith(self._folder) and name.removeprefix(self._folder) not in known:
                self._verdict.add(name, "only answers about streams that were played", "another file")

    def _figures(self, results: QualityResults) -> None:
        name = self._folder + FIGURES_FILE
        expected, found = canon.dumps(results), self._read(name)
        if expected != found:
            for place, expected_text, found_text in differences(expected, found):
                self._verdict.add(f"{name} {place}", expected_text, found_text)


def _fitting(place: str, line: bytes | None, position: Position | None) -> MoveEvaluation:
    if line is None or position is None:
        about = f"an answer about {position.game} ply {position.ply}" if position else "no answer too many"
        raise HostileBundle(place, about, "another line" if line is not None else "the end")
    try:
        judgement = decode(line)
    except canon.NotCanonical as error:
        raise HostileBundle(place, "a canonical answer", str(error)) from error
    if wrong := misfit(position, judgement):
        raise HostileBundle(place, *wrong)
    return judgement


def ask_again(
    answers: Mapping[str, Sequence[MoveEvaluation]], played: PlayedRun, options: QualityOptions, verdict: QualityVerdict
) -> None:
    """Ask the engine again about a sample of the answers in `verdict`; return what the sample shows."""
    with _noting(verdict):
        _ask_again(answers, played, options, verdict)


def _ask_again(
    answers: Mapping[str, Sequence[MoveEvaluation]], played: PlayedRun, options: QualityOptions, verdict: QualityVerdict
) -> None:
    assert verdict.results is not None
    if not verdict.positions:
        verdict.status, verdict.remark = Status.NOT_APPLICABLE, "no game was played whose moves are judged"
        return
    if options.engine is None:
        verdict.remark, verdict.for_engine = options.engine_missing, _judged(verdict.positions)
        return
    count = verdict.positions if options.sample is None else max(1, options.sample)
    chosen = set(sample(range(verdict.positions), count, options.seed))
    positions = [position for index, position in enumerate(_all_positions(played)) if index in chosen]
    try:
        asked = _asked(positions, answers, played, options, verdict.results.nodes)
    except EngineFault as error:
        verdict.remark, verdict.for_engine = str(error), _judged(verdict.positions)
        return
    for finding in sorted(asked.wrong, key=lambda finding: finding.place):
        verdict.add(finding.place, finding.expected, finding.found)
    verdict.asked, verdict.seed = asked.done, options.seed
    if asked.stopped:
        verdict.remark = f"{asked.remark} answers asked again: {asked.stopped}"
    elif not verdict.findings:
        verdict.wrong_below = wrong_below(verdict.positions, asked.done)
        verdict.status = Status.PASS


def _judged(moves: int) -> str:
    return "the engine's score of 1 move" if moves == 1 else f"the engine's scores of {moves:,} moves"


def _asked(
    positions: Sequence[Position],
    answers: Mapping[str, Sequence[MoveEvaluation]],
    played: PlayedRun,
    options: QualityOptions,
    nodes: int,
) -> AskingOutcome:
    """Ask about these positions. Raises EngineFault."""
    assert options.engine is not None
    done = count(1)
    norm = load_protocol(played.plan.protocol).engine
    with open_judges(options.engine, norm, nodes, options.budget.engines(options.jobs, norm.hash_mib)) as judges:

        def again(engine: UciEngine, position: Position) -> Finding | None:
            judgement, recorded = judges.answer(engine, position), answers[position.game][position.ply]
            options.tick(next(done), len(positions))
            if recorded == judgement:
                return None
            return Finding(
                QUALITY, f"{position.game} ply {position.ply}", _judgement_words(judgement), _judgement_words(recorded)
            )

        return ask_all(positions, judges.engines, SEARCHES_MAX * nodes, again, options.budget, options.say)


def _all_positions(played: PlayedRun) -> Iterator[Position]:
    for _, positions in played.positions():
        yield from positions


def _judgement_words(judgement: MoveEvaluation) -> str:
    played = f", the played move {judgement.played}" if judgement.played else ""
    return f"{judgement.best} {judgement.value}{played}"
