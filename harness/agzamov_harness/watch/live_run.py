"""What a run has come to so far, by its journals alone: the same whoever plays it, here, in shares or on a cluster."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import msgspec

from agzamov_verify.core.questions import RESERVED, Reply
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.experiment.matches import Arm, Match
from agzamov_verify.plan.streams import streams_of
from agzamov_verify.protocols import PROTOCOLS
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.analysis import analysis_of
from agzamov_verify.scoring.early_stopping import matches_to_play, streams_due
from agzamov_verify.scoring.gate import is_gate
from agzamov_verify.scoring.inference.exact import fixed
from agzamov_verify.scoring.results import match_results, without_forfeited_row
from agzamov_verify.show.replayed_game import named_seat
from agzamov_verify.show.text.first_screen import match_words
from agzamov_verify.show.text.headline import Headline, headlines
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.game import Block
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.seating import alternating, by_place

from ..run.assumptions import Assumptions
from ..run.call_forecast import calls_of_seats
from ..run.run_folder import RunDirectory
from .finished_games import FinishedGames, game_words
from .forecast_calls import Pace, calls_of_match
from .live_stream import LiveStream
from .seat_counts import FAULT_WORDS, CountsBySeat, SeatCounts, models_of, seats_of, summed
from .snapshot import GameRow, MatchRow, SeatRow, Snapshot, shortened

SCORE_EVERY_S: Final = 10.0
PAUSE_SHARE: Final = 9
"""After a figure was computed, at least so many times as long nothing is computed for its match."""
GAMES_SHOWN_MAX: Final = 24
ANSWERS_FOR_CAUTION_MIN: Final = 5
PERCENT: Final = 100
PAIR: Final = 2


class LiveRun:
    """Reads the journals at every `look`, and holds a snapshot. `clock`: monotonic seconds.

    `age_s`: how long another process had been at it when this began to
    look; None where this process plays the run.
    """

    def __init__(
        self,
        directory: RunDirectory,
        clock: Callable[[], float],
        age_s: float | None = None,
    ) -> None:
        self._directory, self._plan, self._clock = directory, directory.manifest.plan, clock
        self._age_s, self._began_at = age_s, clock()
        dice = directory.dice
        self._dice = dice
        self._live = {
            match.id: [LiveStream(directory, stream, dice, clock) for stream in streams_of(match)]
            for match in self._plan.matches
        }
        self.finished = FinishedGames(directory.manifest, self._live)
        self._models = models_of(self._plan)
        self._counted = self._models or seats_of(self._plan)
        self._planned = {match.id: calls_of_seats(match, self._plan, Assumptions()) for match in self._plan.matches}
        self._over: dict[str, tuple[int, bool]] = {}
        self._left_out: set[str] = set()
        self._is_gated = False
        self._scores: dict[str, _Score] = {match.id: _Score() for match in self._plan.matches}
        self._pace = Pace()
        self._changed_at: float | None = None
        self._caught_up = False

    def look(self) -> bool:
        """Read new entries. True if there were any."""
        taken = 0
        for stream in self._streams():
            if stream.is_open:
                taken += stream.look()
                if stream.block is not None:
                    self.finished.ended(stream)
        now = self._clock()
        self._leave_out()
        if self._caught_up and taken:
            self._changed_at = now
        self._caught_up = True
        self._pace.note(now, self._calls())
        return taken > 0

    def score(self) -> None:
        """Compute figures again where matches have grown. It may take longer than looks, and run beside them."""
        for match in self._plan.matches:
            self._score(match)

    def snapshot(self) -> Snapshot:
        """All of it, as the page shows it."""
        now, counts = self._clock(), summed(stream.counts for stream in self._streams())
        playing = [stream for stream in self._streams() if stream.is_playing]
        ends = {match.id: self._is_over(match) for match in self._plan.matches}
        budget, is_over = self._plan.budget.cost_usd_max, all(ends.values())
        seats = [self._seat_row(seat, counts.get(seat, SeatCounts())) for seat in seats_of(self._plan)]
        calls, expected = self._calls(), self._calls_expected(ends)
        return Snapshot(
            run=self._directory.manifest.run_id,
            title=printable(self._plan.title),
            is_read=self._caught_up,
            is_over=is_over,
            is_played=self._directory.is_played,
            quiet_s=None if self._changed_at is None else round(now - self._changed_at, 1),
            calls=calls,
            calls_expected=expected,
            elapsed_s=self._elapsed_s(now, is_over=is_over),
            left_s=None if is_over else self._pace.left_s(expected - calls),
            **self._answers(seats),
            has_models=bool(self._models),
            cost_usd=fixed(self._cost_usd(counts)),
            is_cost_known=all(seat in self._plan.prices for seat in self._models),
            budget_usd=budget if Fraction(budget) else "",
            seats=seats,
            matches=[self._row(match, is_over=ends[match.id]) for match in self._plan.matches],
            games=[_game(stream, now) for stream in playing[:GAMES_SHOWN_MAX]],
            games_not_shown=max(0, len(playing) - GAMES_SHOWN_MAX),
            finished=self.finished.recent,
            broken=[stream.fault for stream in self._streams() if stream.fault],
        )

    def _streams(self) -> Iterator[LiveStream]:
        for streams in self._live.values():
            yield from streams

    def _calls(self) -> int:
        """The calls that take the time: those of models, or of all seats where there are none."""
        return sum(stream.counts.calls(self._counted) for stream in self._streams())

    def _calls_expected(self, ends: Mapping[str, bool]) -> int:
        """The same of the whole run."""
        return sum(
            calls_of_match(streams, self._counted, self._planned[name], is_over=ends[name])
            for name, streams in self._live.items()
        )

    def _elapsed_s(self, now: float, *, is_over: bool) -> float | None:
        """Since the run began to be played; None where nobody seems to play it."""
        if self._changed_at is None and (self._age_s is not None or is_over):
            return None
        until = self._changed_at if is_over and self._changed_at is not None else now
        return round((self._age_s or 0.0) + until - self._began_at, 1)

    def _cost_usd(self, counts: CountsBySeat) -> Fraction:
        costs = (row.cost_usd(self._plan.prices.get(seat)) for seat, row in counts.items())
        return sum(costs, Fraction(0))

    def _answers(self, seats: Sequence[SeatRow]) -> dict[str, Any]:
        """The counts of unusable answers over all models, or of the worst of several that are above the norm."""
        counted = [row for row in seats if row.is_model]
        percent = load_protocol(self._plan.protocol).phase0.error_percent_below
        bad = [row for row in counted if row.unusable * PERCENT > percent * row.answers]
        worst = max(bad, key=lambda row: Fraction(row.unusable, row.answers), default=None)
        shown = [worst] if worst and len(counted) > 1 else counted
        return {
            "answers": sum(row.answers for row in shown),
            "unusable": sum(row.unusable for row in shown),
            "cut": sum(row.cut for row in shown),
            "worst": worst.seat if worst and len(counted) > 1 else "",
            "is_alarming": worst is not None,
        }

    def _blocks(self, match: Match) -> list[Block]:
        """The blocks of a match in order, up to the first that is not there."""
        return [*_leading(self._live[match.id])]

    def _leave_out(self) -> None:
        """Once Phase 0 is played, its failed seats go no further."""
        gates = [match for match in self._plan.matches if is_gate(self._plan, match.phase)]
        if self._is_gated or not all(self._is_over(match) for match in gates):
            return
        self._is_gated = True
        results = [row for match in gates for row in match_results(match, self._blocks(match), self._plan)]
        allowed = {
            match.id
            for phase in PROTOCOLS[self._plan.protocol].phases
            for match in matches_to_play(self._plan, phase, [] if is_gate(self._plan, phase) else results)
        }
        self._left_out = {match.id for match in self._plan.matches if match.id not in allowed}

    def _is_over(self, match: Match) -> bool:
        if match.id in self._left_out:
            return True
        blocks = self._blocks(match)
        at, is_over = self._over.get(match.id, (-1, False))
        if at != len(blocks):
            is_over = len(streams_due(match, self._plan, blocks)) == len(blocks)
            self._over[match.id] = len(blocks), is_over
        return is_over

    def _score(self, match: Match) -> None:
        """Compute a match's figure again, where it has more blocks; not so often that it takes much of the time."""
        score, blocks, began = self._scores[match.id], self._blocks(match), self._clock()
        if len(blocks) == score.blocks or (began < score.next_at and not self._is_over(match)):
            return
        row, *_ = match_results(match, blocks, self._plan, self._directory.manifest.run_id)
        result = without_forfeited_row(row, self._plan.protocol)
        analysis = analysis_of(self._directory.manifest, self._dice, {match.id: blocks})
        figure, results = headlines((result,), analysis)[result.id], sum(len(block.records) for block in blocks)
        now = self._clock()
        pause_s = max(SCORE_EVERY_S, PAUSE_SHARE * (now - began))
        self._scores[match.id] = _Score(len(blocks), now + pause_s, figure, results)

    def _row(self, match: Match, *, is_over: bool) -> MatchRow:
        score, streams = self._scores[match.id], self._live[match.id]
        figure = score.figure if not _is_baseline(match) else None
        return MatchRow(
            match=match.id,
            words=match_words(self._directory.manifest, match.id),
            first_seat=match.measured,
            noun=GAMES[match.game].result.many,
            done=sum(stream.results for stream in streams),
            planned=match.planned,
            scored=score.results,
            score="" if figure is None or figure.no_finding else figure.words,
            waits_for=_first_block(match),
            caution=self._caution(match, figure) if figure else "",
            is_begun=any(stream.asks is not None for stream in streams),
            is_over=is_over,
            is_left_out=match.id in self._left_out,
            is_baseline=_is_baseline(match),
            last=self.finished.last_of(match),
        )

    def _caution(self, match: Match, figure: Headline) -> str:
        """Why a score says little, or there is none: most of the first seat's actions were drawn at random."""
        streams = self._live[match.id]
        counts = summed(stream.counts for stream in streams).get(match.measured, SeatCounts())
        is_few = counts.answers < ANSWERS_FOR_CAUTION_MIN or 2 * counts.unusable <= counts.answers
        if is_few or not streams[0].substitutes:
            return figure.no_finding and f"no score: {figure.no_finding}"
        what = "no score" if figure.no_finding else "says little"
        share = f"{counts.unusable:,} of {counts.answers:,}"
        return f"{what}: {share} answers of {match.measured} were unusable, so random ones were played"

    def _seat_row(self, seat: str, counts: SeatCounts) -> SeatRow:
        return SeatRow(
            seat=seat,
            is_model=seat in self._models,
            calls=counts.calls,
            answers=counts.answers,
            unusable=counts.unusable,
            cut=counts.cut,
            no_reply=counts.no_reply,
            retries=counts.retries,
            prompt_tokens=counts.prompt_tokens,
            completion_tokens=counts.completion_tokens,
        )


class _Score(msgspec.Struct, frozen=True):
    """The figure of the first `blocks` blocks of a match, which have `results` results."""

    blocks: int = 0
    next_at: float = 0.0
    figure: Headline | None = None
    results: int = 0


def _leading(streams: Sequence[LiveStream]) -> Iterator[Block]:
    for stream in streams:
        if stream.block is None:
            return
        yield stream.block


def _is_baseline(match: Match) -> bool:
    """True for self-play under one condition, which has no score (`MatchResult.is_baseline`)."""
    return len(set(match.table)) == 1 and match.condition.arm is Arm.NAKED


def _first_block(match: Match) -> str:
    """What must be over before a match has a score: its first stream."""
    size, result = min(match.stream_results, match.planned), GAMES[match.game].result
    numbers = f"{result.many} 1 to {size:,}" if size > 1 else f"{result.one} 1"
    if match.careers:
        return f"the first career, {numbers}"
    return f"the first pair of {result.many}, 1 and 2" if size == PAIR else numbers


def _game(stream: LiveStream, now: float) -> GameRow:
    """A game that is being played: the open question, and the last reply."""
    asks, match = stream.asks, stream.plan.match
    assert asks is not None
    asked, said = stream.said or (None, None)
    reply = "" if said is None else said.text if isinstance(said, Reply) else f"(no reply: {said.reason})"
    number = GAMES[match.game].number_in(asks.game)
    return GameRow(
        stream=stream.plan.id,
        game=asks.game,
        title=game_words(match, number),
        match=match.id,
        kind=match.game,
        placed=_placed(match, number),
        places=list(VIEWS[match.game].places),
        turn=asks.turn,
        waits_for=_waits_for(asks.to),
        waits_s=max(0.0, round(now - stream.asked_at, 1)),
        frame=stream.frame(),
        asked=asked.to if asked else "",
        asked_in=""
        if not asked or asked.game == asks.game
        else game_words(match, GAMES[match.game].number_in(asked.game)),
        prompt=_lines(asked.messages[-1].content) if asked else "",
        reply=_lines(reply),
        verdict=_verdict(stream),
        is_unusable=bool(stream.decision and stream.decision.fault),
        counts={seat: (counts.unusable, counts.answers) for seat, counts in stream.of_game.items()},
    )


def _waits_for(name: str) -> str:
    """Who is asked: a seat, or in a word what is no seat."""
    return re.sub(r"_[a-z]$", "", name) if name in RESERVED else name


def _words_of(match: Match, game: str) -> str:
    return game_words(match, GAMES[match.game].number_in(game))


def _placed(match: Match, number: int) -> list[str]:
    """The seats by place, where two alternate; the order at a larger table is in the record alone."""
    names = [named_seat(match.seats, seat_index) for seat_index in range(len(match.seats))]
    order = alternating(number)
    return list(by_place(names, order)) if len(order) == len(names) else names


def _verdict(stream: LiveStream) -> str:
    """What a model's last answer at a decision came to."""
    seen = stream.decision
    if seen is None:
        return ""
    if seen.fault is None:
        return f"{seen.seat}: usable answer"
    became = "played at random" if stream.substitutes else "it was asked again"
    return f"{seen.seat}: unusable answer, {FAULT_WORDS[seen.fault]}; {became}"


def _lines(text: str) -> str:
    """The beginning and end of a foreign text; marks that reorder or hide some of it are spelled out."""
    return "\n".join(map(printable, shortened(text).split("\n")))
