"""Replays one stream of a bundle: its chain and its script together, in one pass over its lines.

Runs in a worker process, one stream at a time, so it takes and returns plain values.
"""

import secrets
from collections.abc import Iterator
from itertools import islice

import msgspec

from ..bundle import segment_name, timing_name
from ..dice import Dice
from ..games.chess960.adjudication import Adjudication, winning_side
from ..journal import LINE_BYTES_MAX, SEGMENT_BYTES_MAX, BrokenJournal, Chain, Entry, StreamRow
from ..manifest import Plan
from ..phases.streams import Block, StreamPlan, block_script
from ..questions import Answer, Evaluate, Evaluation, Question
from ..reading import HostileBundle, Source, gzip_lines
from ..scoring.timing import LINE_BYTES_MAX as LAP_BYTES_MAX
from ..scoring.timing import read_laps
from ..script import Divergence, Replay, drive
from .chance import RandomReplies, random_seats
from .house import house_findings
from .ledger import Finding, Number
from .witnesses import witnesses

PERMILLE = 1000


class AskedAgain(msgspec.Struct, frozen=True):
    """An engine evaluation to ask again, and what the journal says it was."""

    question: Evaluate
    answer: Evaluation


class StreamReport(msgspec.Struct, frozen=True):
    """What the replay of one stream gave. `block` is None where it failed."""

    row: StreamRow | None
    block: Block | None
    laps: dict[str, list[int]]
    decisive: tuple[AskedAgain, ...]
    sample: tuple[AskedAgain, ...]
    evaluations: int
    findings: tuple[Finding, ...]


def segments_of(digests: dict[str, str], stream: str) -> list[str]:
    """The files of a stream's journal segments that the payload lists, in order."""
    names: list[str] = []
    while (name := segment_name(stream, len(names))) in digests:
        names.append(name)
    return names


def journal_lines(source: Source, digests: dict[str, str], stream: str) -> Iterator[bytes]:
    """The lines of a stream's journal. Raises HostileBundle, at the latest at the end of a segment."""
    for name in segments_of(digests, stream):
        yield from gzip_lines(source, name, digests[name], LINE_BYTES_MAX, SEGMENT_BYTES_MAX)


class StreamReplay:
    """The replay of one stream; `digests` are the payload's, by file name."""

    def __init__(
        self, source: Source, digests: dict[str, str], run: str, plan: Plan, dice: Dice, sample_permille: int
    ) -> None:
        self._source, self._digests, self._run = source, digests, run
        self._plan, self._dice, self._permille = plan, dice, sample_permille
        self._random_seats = random_seats(plan)

    def report(self, stream: StreamPlan) -> StreamReport:
        """Replay `stream`. A defect is a finding, never an exception."""
        segments = segments_of(self._digests, stream.id)
        chain = Chain(self._run, stream.id)
        evaluations = _Evaluations(self._permille)
        chance = RandomReplies(self._random_seats)
        try:
            entries = chain.read_all(journal_lines(self._source, self._digests, stream.id))
            block = self._drive(stream, entries, evaluations, chance)
        except (HostileBundle, BrokenJournal) as error:
            return _failed(Finding(Number.JOURNAL, error.place, error.expected, error.found))
        except Divergence as error:
            return _failed(Finding(Number.REPLAY, error.place, error.expected, error.found))
        laps, finding = self._laps(stream.id, chain.entries)
        departures = (*house_findings(stream, block, self._plan, self._dice), *chance.findings)
        return StreamReport(
            chain.row(segments),
            block,
            laps,
            tuple(evaluations.decisive(self._plan.chess960.adjudication)),
            tuple(evaluations.sample),
            evaluations.count,
            (*departures, *([finding] if finding else [])),
        )

    def _drive(
        self, stream: StreamPlan, entries: Iterator[Entry], evaluations: "_Evaluations", chance: RandomReplies
    ) -> Block:
        replay = Replay(stream.id, entries)
        block = drive(block_script(stream, self._plan, self._dice), _Noting(evaluations, chance, replay))
        replay.finish()
        return block

    def _laps(self, stream: str, entries: int) -> tuple[dict[str, list[int]], Finding | None]:
        name = timing_name(stream)
        if name not in self._digests:
            return {}, Finding(Number.RESULTS, name, "a timing file", "nothing there")
        try:
            lines = gzip_lines(self._source, name, self._digests[name], LAP_BYTES_MAX, SEGMENT_BYTES_MAX)
            laps = read_laps(islice(lines, entries + 1))  # no more than it takes to see that there are too many
        except (HostileBundle, msgspec.MsgspecError, UnicodeDecodeError) as error:
            return {}, Finding(Number.RESULTS, name, "one lap per journal entry", str(error))
        count = sum(map(len, laps.values()))
        if count != entries:
            found = f"{count} laps" if count < entries else "more"
            return {}, Finding(Number.RESULTS, name, f"{entries} laps", found)
        return laps, None


class _Evaluations:
    """Keeps, while a stream is replayed, the evaluations of its games and a random sample of them."""

    def __init__(self, permille: int) -> None:
        self._permille = permille
        self._by_game: dict[str, list[AskedAgain]] = {}
        self.sample: list[AskedAgain] = []
        self.count = 0

    def note(self, question: Evaluate, answer: Evaluation) -> None:
        self.count += 1
        asked = AskedAgain(question, answer)
        self._by_game.setdefault(question.game, []).append(asked)
        if secrets.randbelow(PERMILLE) < self._permille:
            self.sample.append(asked)

    def decisive(self, rule: Adjudication) -> Iterator[AskedAgain]:
        """The evaluations that show, for every game, where the rule fired and where it did not."""
        for asked in self._by_game.values():
            sides = [_side(one, rule) for one in asked]
            yield from (asked[at] for at in witnesses(sides, rule.plies))


def _side(asked: AskedAgain, rule: Adjudication) -> int:
    """Whom a score is for. White moves first from every start, so the ply tells who is to move."""
    turn = asked.question.turn % 2 == 0
    return winning_side(asked.answer, turn, rule.threshold_centipawns)


class _Noting:
    """An answerer that notes every engine evaluation, and every reply of a random seat, on its way."""

    def __init__(self, evaluations: _Evaluations, chance: RandomReplies, replay: Replay) -> None:
        self._evaluations, self._chance, self._replay = evaluations, chance, replay

    def __call__(self, question: Question) -> Answer:
        answer = self._replay(question)
        if isinstance(question, Evaluate) and isinstance(answer, Evaluation):
            self._evaluations.note(question, answer)
        else:
            self._chance.note(question, answer)
        return answer


def _failed(finding: Finding) -> StreamReport:
    return StreamReport(None, None, {}, (), (), 0, (finding,))
