"""Replays one stream of a bundle: its chain and its script together, in one pass over its lines.

Selection of the engine scores to ask again, so that nobody can choose when a game was adjudicated.

A game is given away when `plies` consecutive scores stand beyond the threshold for one side. So the
scores of an adjudicated game's last window decide it. And every window before that decided it too, by
not firing: it holds a score within the threshold, or two neighbours for different sides. One such
witness for each window is enough: if the witnesses are true, no window fired, whatever the other scores
were. Softened scores that let a lost game go on are found here with certainty, at about one question
for `plies` plies.

Runs in a worker process, one stream at a time, so it takes and returns plain values.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import TypeAlias

import msgspec

from ..bundle import calls_name, segment_name
from ..core.dice import WORD, Stream
from ..core.journal import BrokenJournal, Chain, Entry, StreamRow
from ..core.limits import CALL_LINE_BYTES_MAX, JOURNAL_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX
from ..core.questions import Answer, Evaluate, Evaluation, Question
from ..core.script import Divergence, Exchanges, Replay
from ..core.untrusted_input import HostileBundle, Source, gzip_lines
from ..plan.streams import block_script
from ..scoring.call_records import Answered, BadCalls, SeatLog, answered, gather
from ..table.adjudication import Adjudication, winning_side
from ..table.game import Block, StreamPlan
from ..table.game_tool import ToolAnswer
from ..table.registry import GAMES, TOOLS
from .answers import AnswerNumbers, Spent
from .check_log import CouldNotCheck, Finding, Number
from .memory_audit import Audited, StoreAudits
from .opened_bundle import Opened
from .passages_told import PassageCounts, PassagesTold, is_told_passages
from .random_sample import RandomSample
from .recalls import Recall, Told, ToldCounts, is_used
from .scripted_seats import SeatAnswer, SeatReplies, departure, scripted_seats
from .tool_sample import ToolAnswers, ToolSample


def witnesses(sides: Sequence[int], plies: int) -> list[int]:
    """Indices into `sides` (+1, -1 or 0 for each score) that show where the rule fired and where it did not."""
    chosen: set[int] = set()
    start = 0
    while start + plies <= len(sides):
        end = start + plies
        level = next((index for index in range(end - 1, start - 1, -1) if not sides[index]), None)
        turn = next((index for index in range(end - 1, start, -1) if sides[index] != sides[index - 1]), None)
        if level is not None:
            chosen.add(level)
            start = level + 1
        elif turn is not None:
            chosen |= {turn - 1, turn}
            start = turn
        else:
            chosen |= set(range(start, end))
            start = end
    return sorted(chosen)


Note: TypeAlias = Callable[[Question, Answer], None]
PERMILLE = 1000
TIME_IS_UP = "time is up, --time-max"


class AskedAgain(msgspec.Struct, frozen=True):
    """An engine evaluation to ask again, with its recorded answer."""

    question: Evaluate
    answer: Evaluation


class StreamReport(msgspec.Struct, frozen=True):
    """Outcome of the replay of one stream. `block` is None where it failed.

    `logged` are entries that the log of executions names otherwise.
    `spare`: one of its evaluations, drawn at random. `compared`: answers of scripted seats that were computed again;
    `left`: a random sample of those that are to be, by kind.
    `spent`: what its replies cost. `memories`: counts of the audit of each seat's memory, by its name in the journal.
    `passages`: counts of document passages in prompts. `tools`: a random sample of the answers of its tools, until that
    is taken. `told`: what each seat's memory told, by its name in the journal, until that is taken.
    """

    row: StreamRow | None
    block: Block | None
    calls: dict[str, SeatLog]
    decisive: tuple[AskedAgain, ...]
    sample: tuple[AskedAgain, ...]
    evaluations: int
    findings: tuple[Finding, ...]
    logged: tuple[Finding, ...] = ()
    spare: AskedAgain | None = None
    compared: int = 0
    left: dict[str, RandomSample[SeatAnswer]] = msgspec.field(default_factory=dict)
    spent: Spent = Spent()
    memories: dict[str, Audited] = msgspec.field(default_factory=dict)
    passages: PassagesTold = PassagesTold()
    tools: ToolSample | None = None
    told: dict[str, Told] = msgspec.field(default_factory=dict)


def segments_of(digests: dict[str, str], stream: str) -> list[str]:
    """The files of a stream's journal segments that the payload lists, in order."""
    names: list[str] = []
    while (name := segment_name(stream, len(names))) in digests:
        names.append(name)
    return names


def journal_lines(source: Source, digests: dict[str, str], stream: str) -> Iterator[bytes]:
    """The lines of a stream's journal. Raises HostileBundle, at the latest at the end of a segment."""
    for name in segments_of(digests, stream):
        yield from gzip_lines(source, name, digests[name], JOURNAL_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX)


def entries_of(opened: Opened, stream: StreamPlan) -> Iterator[Entry]:
    """The entries of a stream's journal. Raises HostileBundle, BrokenJournal."""
    lines = journal_lines(opened.source, opened.digests, stream.id)
    return Chain(opened.manifest.run_id, stream.id).read_all(lines)


def exchanges_of(opened: Opened, stream: StreamPlan) -> Iterator[tuple[Question, Answer]]:
    """The questions and answers of a stream, by replay. Raises HostileBundle, BrokenJournal, Divergence."""
    replay = Replay(stream.id, entries_of(opened, stream))
    script = block_script(stream, opened.manifest.plan, opened.dice, opened.manifest.memories)
    return iter(Exchanges(script, replay))


class StreamReplay:
    """The replay of one stream. `deadline_s` is on the monotonic clock.

    `answers_max`: answers to keep of each tool and of each kind of scripted seat; `seed` draws them and
    the evaluations to ask again.
    """

    def __init__(
        self,
        opened: Opened,
        sample_permille: int,
        deadline_s: float,
        marks: Mapping[str, Mapping[int, str]],
        answers_max: int = 0,
        seed: bytes = b"",
        recalls_max: int = 0,
    ) -> None:
        self._source, self._digests, self._run = opened.source, opened.digests, opened.manifest.run_id
        self._plan, self._dice, self._permille = opened.manifest.plan, opened.dice, sample_permille
        self._memories = opened.manifest.memories
        self._deadline_s, self._marks, self._answers_max, self._seed = deadline_s, marks, answers_max, seed
        self._seats, self._recalls_max = scripted_seats(self._plan), recalls_max

    def report(self, stream: StreamPlan) -> StreamReport:
        """Replay `stream`. A defect is a finding, never an exception. Raises CouldNotCheck where time is up."""
        segments = segments_of(self._digests, stream.id)
        chain = Chain(self._run, stream.id)
        draws, logged = partial(Stream, self._seed), list[Finding]()
        evaluations = _Evaluations(self._permille, draws(f"{stream.id} evaluations"))
        seats = SeatReplies(self._plan, self._answers_max, draws(stream.id))
        numbers, memories = AnswerNumbers(self._plan), StoreAudits(stream, self._plan, self._memories)
        passages, tools = PassageCounts(), ToolAnswers(stream.id, self._answers_max, draws(f"{stream.id} tools"))
        told = ToldCounts(stream, self._plan, self._recalls_max, self._dice.stream(f"recalls/{stream.id}"))
        try:
            answers, lines = list[Answered](), journal_lines(self._source, self._digests, stream.id)
            entries = _noted(chain, lines, answers, self._marks.get(stream.id, {}), logged)
            replay, script = Replay(stream.id, entries), block_script(stream, self._plan, self._dice, self._memories)
            story = Exchanges(script, replay)
            notes: list[Note] = [numbers.note, tools.note]
            notes += [seats.note] if self._seats else []
            notes += [passages.note] if is_told_passages(self._plan, stream.match) else []
            notes += [memories.note, told.note] if any(self._plan.memories_of(stream.match)) else []
            self._follow(story, notes, evaluations)
            replay.finish()
            block = story.value
        except (HostileBundle, BrokenJournal) as error:
            return _failed(Finding(Number.JOURNAL, error.place, error.expected, error.found))
        except Divergence as error:
            return _failed(Finding(Number.REPLAY, error.place, error.expected, error.found))
        calls, finding = self._calls(stream.id, answers)
        played = self._policy_departures(stream, block)
        departures = (*numbers.findings, *played, *seats.findings, *memories.findings)
        rule = GAMES[stream.match.game].engine_adjudication(self._plan.rules_of(stream.match.game))
        return StreamReport(
            chain.row(segments),
            block,
            calls,
            tuple(evaluations.decisive(rule)),
            tuple(evaluations.sample),
            evaluations.count,
            (*departures, *([finding] if finding else [])),
            tuple(logged),
            evaluations.spare,
            seats.compared,
            seats.left,
            numbers.spent._replace(together=story.widest),
            memories.counts,
            passages.told,
            tools.sample,
            told.told,
        )

    def _follow(self, story: Exchanges[Block], notes: Sequence[Note], evaluations: "_Evaluations") -> None:
        """Show each question and its answer to whoever has something to note. Raises CouldNotCheck where time is up."""
        for question, answer in story:
            if monotonic() >= self._deadline_s:
                raise CouldNotCheck(TIME_IS_UP)
            for note in notes:
                note(question, answer)
            if isinstance(question, Evaluate):
                evaluations.note(question, answer)

    def departure(self, left: SeatAnswer) -> Finding | None:
        """The departure of a scripted seat's answer from the one that it can give; CouldNotCheck where time is up."""
        if self._is_over():
            raise CouldNotCheck(TIME_IS_UP)
        return departure(left.question, left.answer, self._seats[left.question.to])

    def is_used(self, recall: Recall) -> bool | None:
        """Whether a scripted seat decides otherwise without what it was told. Raises CouldNotCheck where time is up."""
        if self._is_over():
            raise CouldNotCheck(TIME_IS_UP)
        return is_used(recall, self._seats)

    def computed(self, question: Question) -> ToolAnswer:
        """The answer of a tool that has no engine. Raises CouldNotCheck where time is up."""
        if self._is_over():
            raise CouldNotCheck(TIME_IS_UP)
        return TOOLS[type(question)].computed(question)

    def _policy_departures(self, stream: StreamPlan, block: Block) -> Iterator[Finding]:
        """Actions of players of a published policy that it does not take."""
        by_policy = [self._plan.seats[name].has_policy for name in stream.match.seats]
        game = GAMES[stream.match.game]
        for one in game.policy_departures(block, by_policy, self._plan.rules_of(game.name), self._dice):
            yield Finding(Number.REPLAY, *one)

    def _is_over(self) -> bool:
        return monotonic() >= self._deadline_s

    def _calls(self, stream: str, answers: list[Answered]) -> tuple[dict[str, SeatLog], Finding | None]:
        name = calls_name(stream)
        if name not in self._digests:
            return {}, Finding(Number.RESULTS, name, "a file of calls", "nothing there")
        try:
            lines = gzip_lines(self._source, name, self._digests[name], CALL_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX)
            return gather(lines, answers), None
        except BadCalls as error:
            return {}, Finding(Number.RESULTS, name, f"in line {error.line} {error.expected}", error.found)
        except HostileBundle as error:
            return {}, Finding(Number.RESULTS, name, error.expected, error.found)


def _noted(
    chain: Chain, lines: Iterable[bytes], answers: list[Answered], marks: Mapping[int, str], findings: list[Finding]
) -> Iterator[Entry]:
    """The entries of a stream, with a note of who answered each.

    Where the log of executions names an entry, its digest must be the logged one.
    """
    for line in lines:
        entry = chain.read(line)
        answers.append(answered(entry))
        yield entry
        logged = marks.get(chain.entries)
        if logged and logged != chain.head:
            place, expected = f"{chain.stream} entry {chain.entries - 1}", f"digest {logged[:16]} as logged"
            findings.append(Finding(Number.EXECUTIONS, place, expected, f"digest {chain.head[:16]}"))


class _Evaluations:
    """Keeps, while a stream is replayed, the evaluations of its games and a random sample of them.

    `draws` has a word for each. Those whose word is small are the sample; the one with the greatest is the spare.
    """

    def __init__(self, permille: int, draws: Stream) -> None:
        self._below, self._draws = WORD * permille // PERMILLE, draws
        self._by_game: dict[str, list[AskedAgain]] = {}
        self._greatest = -1
        self.sample: list[AskedAgain] = []
        self.spare: AskedAgain | None = None
        self.count = 0

    def note(self, question: Evaluate, answer: Answer) -> None:
        """Take one answer."""
        if not isinstance(answer, Evaluation):
            return
        self.count += 1
        asked = AskedAgain(question, answer)
        self._by_game.setdefault(question.game, []).append(asked)
        word = self._draws.word()
        if word > self._greatest:
            self.spare, self._greatest = asked, word
        if word < self._below:
            self.sample.append(asked)

    def decisive(self, rule: Adjudication | None) -> Iterator[AskedAgain]:
        """The evaluations that show, for every game, where the rule fired and where it did not."""
        if rule is None:
            return
        for asked in self._by_game.values():
            sides = [_side(evaluation, rule) for evaluation in asked]
            yield from (asked[index] for index in witnesses(sides, rule.plies))


def _side(asked: AskedAgain, rule: Adjudication) -> int:
    """The side that a score is for. White moves first from every start, so the ply gives the side to move."""
    turn = asked.question.turn % 2 == 0
    return winning_side(asked.answer, turn, rule.threshold_centipawns)


def _failed(finding: Finding) -> StreamReport:
    return StreamReport(None, None, {}, (), (), 0, (finding,))
