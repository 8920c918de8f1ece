"""Every figure of a match, one named row each, for `--details`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ...checks.memory_use import MemoryUse
from ...core.columns import ascii_words, paragraph, row
from ...core.seat_letters import seat_letter
from ...experiment.matches import MEASURED
from ...plan.manifest import Manifest
from ...scoring.adherence import PatternAdherence
from ...scoring.call_records import SeatCalls
from ...scoring.inference.estimate import Estimate
from ...scoring.inference.unit_values import value_alone
from ...scoring.match_figures import ErrorRate, Kept, MatchAnalysis
from ...scoring.results import MatchResult
from ...scoring.seat_stats import EngineMatch, SeatStats, share
from ...scoring.team_outcomes import TeamOutcome
from ...table.game import Noun
from ..glossary import label
from ..memory_use_words import delivered_words, outcome_words, used_words
from ..seat_words import cost_words, percent
from ..views import VIEWS, condition_words
from .analysis_text import MDE_OF, careers_words, estimate, learning_words, mde_words, plain, symmetry_words
from .answer_words import opponents_words
from .headline import ENDS_BY_RESULTS, Headline

HEADING_INDENT: Final = 4
SAME: Final = "the same: it is of all games"
SELECTED: Final = "(both choose games by what happened in them: no effect of a condition can be read from them)"


def match_details(
    match: MatchResult,
    head: Headline,
    analysed: MatchAnalysis | None,
    manifest: Manifest,
    engine: Sequence[EngineMatch | None],
    adherence: Sequence[PatternAdherence] = (),
    memory_use: Sequence[MemoryUse] = (),
) -> Iterator[str]:
    """A heading and the rows of one match. `engine`: how often each seat's moves were the engine's, where judged.

    `adherence`, `memory_use`: the match's rows alone.
    """
    measured = f"{ascii_words(match.measured)}{condition_words(match.condition)}"
    yield from paragraph(f"{ascii_words(match.id)}  ", f"({measured} against {opponents_words(match)})", HEADING_INDENT)
    yield from row(
        label("result of A") if match.seat_index == MEASURED else f"result of {match.side.upper()}", head.words
    )
    yield from row(label("n"), f"{VIEWS[match.game].size(match.result)}{_distinct(match)}, {head.repeated}")
    yield from VIEWS[match.game].details(match.result, analysed, manifest.plan)
    yield from row(label("ended by play"), _decided(match))
    for team in match.teams:
        yield from row(label("team"), team_words(team, VIEWS[match.game].game.result))
    if match.gate:
        outcome = "passed" if match.gate.passed else f"failed: {ascii_words(match.gate.reason)}"
        yield from row(label("Phase 0"), outcome)
    if analysed and not match.no_finding:
        yield from _analysis(analysed, VIEWS[match.game].result_most, is_open_ended=head.is_open_ended)
    for seat_index, (stats, matched) in enumerate(zip(match.seat_stats, engine, strict=True)):
        side = seat_letter(seat_index)
        who = f"{ascii_words(stats.seat)} ({side.upper()})"
        row_of = analysed.first_errors(side) if analysed else None
        yield from _seat_lines(who, stats, match.result.count, manifest, _errors_words(match, stats, row_of))
        if manifest.plan.seats[stats.seat].is_model:
            yield from row(label("signals"), f"{who}: {signal_words(stats, matched)}")
    for use in memory_use:
        yield from _memory(use, VIEWS[match.game].game.contest)
    for pattern in adherence:
        yield from row(label("pattern"), adherence_words(pattern, VIEWS[match.game].clusters))


def _memory(use: MemoryUse, contest: Noun) -> Iterator[str]:
    """Delivered, used and outcome of one seat's memory."""
    whose = "" if use.side == "a" else f"{use.side.upper()}: "
    yield from row(label("delivered"), f"{whose}{delivered_words(use)}")
    yield from row(label("used"), f"{whose}{used_words(use)}")
    if outcome := outcome_words(use, contest):
        yield from row(label("outcome"), f"{whose}{outcome}")


def team_words(team: TeamOutcome, result: Noun) -> str:
    """What a team won: "wolves: won 3, drew 0, lost 1 of 4 games"."""
    counts = f"won {team.won:,}, drew {team.drawn:,}, lost {team.lost:,}"
    return f"{ascii_words(team.team)}: {counts} of {result.counted(team.count)}"


def adherence_words(adherence: PatternAdherence, clusters: str) -> str:
    """Share of the chances at which a seat kept a pattern: "dice (B), castles_early: kept 12 of 14"."""
    who = f"{ascii_words(adherence.seat)} ({adherence.side.upper()}), {adherence.pattern}"
    if not adherence.occasions:
        return f"{who}: no occasion to keep it"
    counts = f"{who}: kept {adherence.kept} of {adherence.occasions}, {estimate(adherence.share)}"
    return f"{counts}; {clusters} without a break: {estimate(adherence.throughout)}" if adherence.throughout else counts


def answer_times(seats: Mapping[str, SeatCalls]) -> Iterator[str]:
    """Answer times of a match."""
    for to, calls in seats.items():
        times = f"{plain(calls.mean_ms)} ms on average, median {plain(calls.median_ms)}, p95 {plain(calls.p95_ms)}"
        yield from row(label("answer time"), f"{ascii_words(to)}: {times} (attested)")


def _analysis(analysed: MatchAnalysis, most: float, *, is_open_ended: bool) -> Iterator[str]:
    """Figures of a match; `most`: the greatest effect on its result. Where its results may end it, they have no fixed
    size, so neither interval nor minimum detectable effect.
    """
    main = (analysed.main.everything, analysed.main.by_play, analysed.main.without_errors)
    kept = Kept(*(value_alone(one, ENDS_BY_RESULTS) for one in main)) if is_open_ended else analysed.main
    everything = kept.everything
    if everything.by_career:
        yield from row(label("careers"), f"{careers_words(everything.by_career)} {ascii_words(everything.unit)}")
    if everything.mde:
        yield from row(
            label("MDE"), f"{mde_words(everything, most)} ({ascii_words(everything.unit)}, of {MDE_OF}, 80 % power)"
        )
    by_play, without = (_unless_same(one, everything, most) for one in (kept.by_play, kept.without_errors))
    yield from row(label("result by play"), by_play)
    yield from row(label("without errors"), without)
    if (by_play, without) != (SAME, SAME):
        yield from row("", SELECTED)
    if analysed.rating:
        last = analysed.rating
        deviation = f"rating deviation (RD) {float(last.deviation):.0f}"
        yield from row(label("Glicko-2"), f"{float(last.rating):.0f}, {deviation}")
    if analysed.learned:
        yield from row(label("learning"), learning_words(analysed.learned))
    if analysed.symmetry:
        yield from row(label("seat symmetry"), symmetry_words(analysed.symmetry))


def _unless_same(kept: Estimate, everything: Estimate, most: float) -> str:
    """A figure of some games; where they are all games it is the same figure and has the same interval."""
    same = kept.n == everything.n and kept.value == everything.value
    return SAME if same else estimate(kept, most)


def _distinct(match: MatchResult) -> str:
    result = match.result
    return f" ({result.distinct:,} distinct)" if result.distinct < result.count else ""


def _decided(match: MatchResult) -> str:
    result = match.result
    ends = ", ".join(f"{ascii_words(name.replace('_', ' '))} {count}" for name, count in result.ends.items())
    return f"{percent(share(result.by_play, match.result.count))} ({ends})"


def _errors_words(match: MatchResult, stats: SeatStats, row_of: ErrorRate | None) -> str:
    """The interval of a seat's error rate, and the protocol's flag."""
    if row_of is None:
        return ", FLAGGED" if stats.faults.flagged else ""
    counted = f"{row_of.n} {row_of.over or VIEWS[match.game].clusters}"
    if row_of.ci:
        low, high = percent(float(row_of.ci.low)), percent(float(row_of.ci.high))
        each = " and ".join(", ".join(percent(float(one)) for one in sample) for sample in row_of.by_career)
        rate = f"; first attempts: 95 % interval {low} to {high} over {counted}{f': {each}' if each else ''}"
    else:
        rate = f"; first attempts: no interval{f' ({row_of.ci_note})' if row_of.ci_note else ''}"
    return f"{rate}; FLAGGED by the protocol for the rate as counted" if stats.faults.flagged else rate


def _seat_lines(who: str, stats: SeatStats, games: int, manifest: Manifest, flag: str) -> Iterator[str]:
    faults = stats.faults
    counts = (
        f"{who}: {stats.decisions} decisions, {percent(stats.error_rate)} at the first attempt"
        f" (no action {faults.first_no_action}, ambiguous {faults.first_ambiguous}, illegal {faults.first_illegal},"
        f" cut {faults.first_cut}, no reply {faults.first_no_reply}),"
        f" {percent(share(faults.final, stats.decisions))} after all attempts"
    )
    yield from row(label("errors"), f"{counts}{flag}")
    read = f"{who}: {stats.first_exact} {label('exact')}, {stats.first_normalised} {label('normalised')}"
    yield from row(label("replies"), read)
    if stats.failed_attempts:
        yield from row(label("retries"), f"{who}: {stats.failed_attempts} in {stats.calls} calls")
    seat = manifest.plan.seats.get(stats.seat)
    if seat and seat.is_model:
        tokens = share(stats.prompt_tokens + stats.completion_tokens, stats.decisions)
        yield from row(label("tokens"), f"{who}: {tokens:.1f} a decision (attested)")
        usd = float(stats.cost_usd.decimal)
        each = f", {share(usd, games):.6f} USD a game" if stats.seat in manifest.plan.prices else ""
        cost = cost_words(stats.seat, manifest, usd).removeprefix("cost ")
        yield from row(label("cost"), f"{who}: {cost}{each}")


def signal_words(stats: SeatStats, match: EngineMatch | None) -> str:
    """Signals of a model's seat, not judged: retries, replies without tokens, text a token, the engine's moves."""
    signals = stats.signals
    rates = [
        f"{_per(stats.failed_attempts, stats.calls)} retries a call",
        f"{signals.replies_without_tokens} of {signals.replies} replies without tokens",
        f"{_per(signals.text_characters, stats.completion_tokens)} characters of text a token",
    ]
    if match and match.moves:
        rates.append(f"{match.matched} of {match.moves} moves the engine's first choice")
    return f"{', '.join(rates)} (not judged)"


def _per(amount: int, of: int) -> str:
    return f"{amount / of:.2f}" if of else "no"
