"""Step 13: scripted seats gave the only answers that they can give. What is compared how: see scripted_seats."""

from collections import defaultdict
from contextlib import closing
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Final

from ..core.waiting import counted
from ..engines.player_engine import PlayerEngine, PlayerSettings
from ..engines.uci_engine import SEAT_HASH_MIB, EngineFault, UciEngine, seated_engine
from ..plan.manifest import Plan
from ..protocols.norms import load_protocol
from ..seats import KINDS, AnswerCheck, Seat, UciSeat
from ..seats.stockfish_seat import SKILL_MAX
from ..seats.uci_seat import DIGEST_SHOWN
from ..table.scripted_players import position_of, stockfish_reply
from .asking_engines import WRONG_MAX, AskingOutcome, ask_all
from .check_log import CheckLog, CouldNotCheck, Finding, Number, Status
from .engine_scores import EngineAtHand, engines_for, programs_by_digest, side_by_side_engines
from .opened_bundle import Opened
from .random_sample import wrong_at_most_words
from .replay_all import Replayed, on_all_cores
from .replay_stream import StreamReplay
from .scripted_seats import LATER, SeatAnswer, difference, sample_key, scripted_seats

FEW: Final = 32
"""So few replies are computed again in one process: to start more takes about as long."""


class Recomputed(StrEnum):
    """Extent of recomputation of a bundle's replies: where not all can be recomputed, some are only attested."""

    NOT_ALL = "not all"
    A_SAMPLE = "a sample"
    ALL = "all"


def check_seats(opened: Opened, replayed: Replayed, log: CheckLog, at_hand: EngineAtHand) -> Recomputed:
    """Take step 13; some of its findings came with the journal's. Raises StepFailed."""
    seats = scripted_seats(opened.manifest.plan)
    if not seats:
        log.skip(Number.SEATS, Status.NOT_APPLICABLE, "no seat is scripted")
        return Recomputed.NOT_ALL
    with log.taking(Number.SEATS):
        pass  # fails at once where the replay has found something
    done = _Recomputing(opened, replayed, log, at_hand)
    with log.taking(Number.SEATS):
        try:
            done.run()
        except CouldNotCheck as error:  # the steps after this one do not need it
            log.skip(Number.SEATS, Status.NOT_CHECKED, str(error), error.for_engine)
            return Recomputed.NOT_ALL
        log.skip(Number.SEATS, Status.PASS, done.remark)
    return done.recomputed


class _Recomputing:
    """Computes the random sample of the answers that the replay has left again, in random order."""

    def __init__(self, opened: Opened, replayed: Replayed, log: CheckLog, at_hand: EngineAtHand) -> None:
        self._opened, self._replayed, self._log, self._at_hand = opened, replayed, log, at_hand
        self._plan = opened.manifest.plan
        self._kinds = sorted(replayed.seats, key=lambda key: ([*KINDS].index(key.partition(" ")[0]), key))
        self._totals = {kind: sample.total for kind, sample in replayed.seats.items()}
        self._done = dict.fromkeys(self._totals, 0)
        self._unasked: dict[str, str] = {}

    def run(self) -> None:
        """Raises CouldNotCheck where time or the engine is missing."""
        if of_players := self._sample(AnswerCheck.SAMPLED):
            self._compute_again(of_players)
        moves: dict[str, list[SeatAnswer]] = defaultdict(list)
        for answer in self._sample(AnswerCheck.ENGINE):
            moves[answer.question.to].append(answer)
        for name, asked in moves.items():
            self._ask_engine(name, asked)

    @property
    def remark(self) -> str:
        """Answers that were computed again, of how many, and those that are only attested; for the step's remark."""
        parts = []
        seats = scripted_seats(self._plan)
        attested = [words for name, seat in seats.items() if (words := seat.attested_words(name))]
        attested += [f"moves of {name} attested ({why})" for name, why in self._unasked.items()]
        if compared := sum(report.compared for report in self._replayed.reports.values()):
            at_once = {seat.kind for seat in seats.values() if seat.check not in LATER}
            parts.append(f"all {compared:,} replies of {_listed([kind for kind in KINDS if kind in at_once])} players")
        unasked = {sample_key(name, seats[name]) for name in self._unasked}
        parts += [self._sampled(kind) for kind in self._kinds if self._totals[kind] and kind not in unasked]
        return "; ".join([*attested, *parts]) or "no scripted seat was asked"

    @property
    def recomputed(self) -> Recomputed:
        """Extent of recomputation of the run's replies."""
        return Recomputed.NOT_ALL if self._unasked else recomputed_of(self._plan, is_whole=self._done == self._totals)

    def _sample(self, check: AnswerCheck) -> list[SeatAnswer]:
        """The sampled answers of seats with this kind of check."""
        seats = scripted_seats(self._plan)
        answers = (answer for kind in self._kinds for answer in self._replayed.seats[kind].items)
        return [answer for answer in answers if seats[answer.question.to].check is check]

    def _sampled(self, kind: str) -> str:
        total, done = self._totals[kind], self._done[kind]
        of_kind, _, name = kind.partition(" ")
        players = f"{name}, kind {of_kind}" if name else f"{kind} players"
        text = f"{done:,} of {total:,} replies of {players}"
        return text if done == total else f"{text}, {wrong_at_most_words(total, done)}"

    def _count(self, name: str, seat: Seat, done: int) -> None:
        self._done[sample_key(name, seat)] += done

    def _compute_again(self, answers: list[SeatAnswer]) -> None:
        """Compare answers with those of the scripted players. Raises CouldNotCheck where time is up."""
        seats, budget, total = scripted_seats(self._plan), self._at_hand.budget, len(answers)
        self._at_hand.say(f"{total:,} replies of {_listed(self._kinds)} players to compute again")
        replay = StreamReplay(self._opened, 0, budget.deadline_s, {})
        jobs, wrong = self._at_hand.jobs if total > FEW else 1, 0
        with closing(on_all_cores(replay, StreamReplay.departure, answers, jobs)) as departures:
            told = counted("replies of scripted players computed again", departures, total)
            try:
                for answer, finding in zip(answers, told, strict=True):
                    self._count(answer.question.to, seats[answer.question.to], 1)
                    if finding:
                        self._log.take([finding])
                        wrong += 1
                    if wrong >= WRONG_MAX:
                        return
            except CouldNotCheck as error:
                if wrong:
                    return
                done_words = f"{sum(self._done.values())} of {total} answers computed again, all as recorded"
                raise CouldNotCheck(f"{done_words}: {budget.time_is_up}") from error

    def _ask_engine(self, name: str, moves: list[SeatAnswer]) -> None:
        """Raises CouldNotCheck where the engine cannot be asked, or about all of them."""
        seat = self._plan.seats[name]
        if isinstance(seat, UciSeat):
            self._ask_program(name, seat, moves)
            return
        for_engine = f"the moves of {name}"
        if self._at_hand.path is None:
            raise CouldNotCheck(self._at_hand.missing, for_engine)
        norm, nodes = load_protocol(self._plan.protocol).engine, seat.engine_nodes

        def again(engine: UciEngine, move: SeatAnswer) -> Finding | None:
            best = engine.best_move(position_of(move.question.messages), "", f"nodes {nodes}")
            return difference(move.question, move.answer, stockfish_reply(engine.name, best), seat.kind)

        try:
            with engines_for(self._at_hand, norm, SEAT_HASH_MIB, _at_full_strength) as engines:
                asked = ask_all(moves, engines, nodes, again, self._at_hand.budget, self._at_hand.say)
        except EngineFault as error:
            raise CouldNotCheck(str(error), for_engine) from error
        self._take(name, seat, asked)

    def _ask_program(self, name: str, seat: UciSeat, moves: list[SeatAnswer]) -> None:
        """Ask a UCI engine again where its program is at hand; else its moves stay attested. Raises CouldNotCheck."""
        path = programs_by_digest(self._at_hand.programs).get(seat.binary_sha256)
        if path is None:
            self._unasked[name] = f"no program with sha256 {seat.binary_sha256[:DIGEST_SHOWN]} at hand, see --program"
            return
        settings = PlayerSettings(seat.hash_mib, seat.elo, seat.options)

        def again(engine: PlayerEngine, move: SeatAnswer) -> Finding | None:
            best = engine.move(position_of(move.question.messages), seat.limit)
            return difference(move.question, move.answer, stockfish_reply(seat.engine, best), seat.kind)

        try:
            start = partial(PlayerEngine, path, settings)
            with side_by_side_engines(self._at_hand, seat.hash_mib, start) as engines:
                at_hand = self._at_hand
                asked = ask_all(moves, engines, seat.engine_nodes, again, at_hand.budget, at_hand.say)
        except EngineFault as error:
            self._unasked[name] = f"the program could not be asked: {error}"
            return
        self._take(name, seat, asked)

    def _take(self, name: str, seat: Seat, asked: AskingOutcome) -> None:
        """Raises CouldNotCheck where not all could be asked."""
        self._count(name, seat, asked.done)
        self._log.take(asked.wrong)
        if asked.stopped and not asked.wrong:
            raise CouldNotCheck(f"{asked.remark} moves of {name} asked again, all as recorded: {asked.stopped}")


def _listed(kinds: list[str]) -> str:
    """Names of kinds in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))


def recomputed_of(plan: Plan, *, is_whole: bool) -> Recomputed:
    """Extent of recomputation of a run's replies. `is_whole`: all that can be were, not a sample of them."""
    seats = scripted_seats(plan)
    if seats.keys() != plan.playing.keys() or any(seat.check is AnswerCheck.FORM for seat in seats.values()):
        return Recomputed.NOT_ALL
    return Recomputed.ALL if is_whole else Recomputed.A_SAMPLE


def _at_full_strength(path: Path) -> UciEngine:
    return seated_engine(path, SKILL_MAX)
