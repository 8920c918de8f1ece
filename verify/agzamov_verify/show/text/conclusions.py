"""The paragraph Found: the figures in words, the ends of self-play games, the outcome of Phase 0, failed answers."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from math import inf
from typing import Final, NamedTuple

from ...core.columns import ascii_words
from ...plan.manifest import Plan
from ...protocols.norms import GateNorm, load_protocol
from ...scoring.analysis import Analysis
from ...scoring.deltas import DeltaAnalysis
from ...scoring.gate import Gate
from ...scoring.inference.estimate import Estimate
from ...scoring.inference.unit_values import CAREERS
from ...scoring.results import MatchResult, Results
from ..glossary import label
from ..seat_words import percent
from ..views import VIEWS, condition_words, game_words, part_words, size_words
from .failed_answer_words import failed_answer_lines
from .figure_warnings import error_flags
from .headline import NO_FINDING, WITHIN_ONE_CAREER, Headline, headlines

MATCHES_SHOWN_MAX: Final = 3
WHOLE_FROM: Final = 10
NO_INTERVAL: Final = "no interval"
SMALL_P: Final = 0.001
THOUSAND: Final = 1000
REACH: Final = {"score": 0.5, "win rate": 1.0}
"""The greatest effect that a figure of a unit can have: from even play to winning all, or from none won to all."""
UNITS: Final = {"score": "points a game"}
"""Units in words where these are others than those of the analysis."""


class Found(NamedTuple):
    """The figures in sentences without full stops, and how many are left out."""

    deltas: Sequence[str]
    deltas_left: int
    contests: Sequence[str]
    contests_left: int
    baselines: Sequence[str]
    gates: Sequence[str]
    failed: Sequence[str]


def found_of(results: Results, analysis: Analysis | None, plan: Plan) -> Found:
    """The figures in words, those with an interval first; then Phase 0, and what failed answers show.

    Raises ValueError or LookupError for claims that make no sense.
    """
    heads = headlines(results.matches, analysis)
    contests = [match for match in results.matches if not match.is_baseline]
    contests.sort(key=lambda match: heads[match.id].low is None)
    protocol = load_protocol(results.protocol)
    doubts = {match.id: _doubt(match, analysis, protocol.error_flag_percent) for match in contests[:MATCHES_SHOWN_MAX]}
    tests = {match.id: match.p_won for match in analysis.matches if match.p_won} if analysis else {}
    deltas = list(_deltas(analysis))
    told = [_contest(match, heads[match.id], doubts[match.id]) for match in contests[:MATCHES_SHOWN_MAX]]
    lines = _once([*deltas, *told], {match.no_finding for match in contests if match.no_finding})
    return Found(
        lines[: len(deltas)],
        max(0, len(analysis.deltas) - MATCHES_SHOWN_MAX) if analysis else 0,
        lines[len(deltas) :],
        max(0, len(contests) - MATCHES_SHOWN_MAX),
        list(_against_itself(results.matches)),
        list(_gates(results.matches, tests, protocol.phase0)),
        list(failed_answer_lines(results, plan)),
    )


def _once(sentences: Sequence[str], reasons: AbstractSet[str]) -> list[str]:
    """The sentences, where each reason for no finding is told in the first that has it alone."""
    told, lines = set[str](), list(sentences)
    for index, line in enumerate(lines):
        for reason in map(ascii_words, reasons):
            if reason in line:
                lines[index] = line.replace(reason, "as above") if reason in told else line
                told.add(reason)
    return lines


def found_words(results: Results, analysis: Analysis | None, plan: Plan) -> str:
    """The figures in words, as one paragraph. Raises ValueError or LookupError for claims that make no sense."""
    found = found_of(results, analysis, plan)
    sentences = [*found.deltas]
    if found.deltas_left:
        sentences.append(f"{found.deltas_left} more deltas are in --details")
    sentences += found.contests
    if found.contests_left:
        sentences.append(f"{found.contests_left} more are in the table below")
    sentences += [*found.baselines, *found.gates, *found.failed]
    return (". ".join(sentences) or "Nothing was played") + "."


def precision_words(results: Results, analysis: Analysis) -> str:
    """The share of results decided by play, and the smallest effects that the figures with an interval could show."""
    told = []
    for game in dict.fromkeys(match.game for match in results.matches):
        matches = [match for match in results.matches if match.game == game]
        count = sum(match.result.count for match in matches)
        by_play = percent(sum(match.result.by_play for match in matches) / count if count else 0.0)
        deltas = [delta for delta in analysis.deltas if delta.game == game]
        heads = [delta.headline for delta in deltas]
        contests = {match.id for match in matches if not match.is_baseline}
        alone = [match.main.everything for match in analysis.matches if match.id in contests]
        least = [_least(heads, _less(deltas)), _least(alone, "the result of a match")]
        effects = next((words for words in least if words), "no figure has an interval, so none could show an effect")
        told.append(f"{game_words(game)}: {effects}; {by_play} of {size_words(count, game)} ended by play")
    return ". ".join(told) + "."


def _less(deltas: Sequence[DeltaAnalysis]) -> str:
    """What the first figures of deltas are."""
    placebos = [delta.less_placebo is not None for delta in deltas]
    return "real less placebo" if all(placebos) else "real less control" if not any(placebos) else "a real arm"


def _least(figures: Sequence[Estimate], what: str) -> str:
    """The smallest detectable effects of figures with an interval, from the least to the greatest that can be."""
    sure = [one for one in figures if one.ci is not None]
    known = [one for one in sure if one.mde is not None]
    if not known:
        return "results did not vary, so what effect could be shown is not known" if sure else ""
    unit, reach = known[0].unit, REACH.get(known[0].unit, inf)
    values = sorted(value for one in known if one.mde and (value := float(one.mde.decimal)) <= reach)
    if not values:
        return f"{what} could show no effect that its measure can have"
    least, greatest = (f"{value:,.0f}" if value >= THOUSAND else f"{value:.3g}" for value in (values[0], values[-1]))
    upto = f" to {greatest}" if least != greatest else ""
    return f"the smallest effect that {what} could show is {least}{upto} {UNITS.get(unit, unit)}"


def _deltas(analysis: Analysis | None) -> Iterator[str]:
    """The effect of each augmentation, those with an interval first: the real arm less each of its other arms."""
    deltas = sorted(analysis.deltas if analysis else (), key=lambda delta: delta.performance.everything.ci is None)
    for delta in deltas[:MATCHES_SHOWN_MAX]:
        less = {
            "placebo": delta.less_placebo,
            "control": delta.performance.everything,
            "filler": delta.less_filler,
            "stale arm": delta.less_stale,
        }
        told = [f"less its {name} {effect_words(one)}" for name, one in less.items() if one and one.value]
        if told:
            told += [] if delta.less_placebo else ["no placebo was played"]
        else:
            told = list({effect_words(one): 0 for one in less.values() if one and one.ci_note})
        if told:
            system = f" by {delta.system}" if delta.system else ""
            what = f"{ascii_words(delta.model)} with {delta.augmentation}{ascii_words(system)}"
            yield f"{what} in {game_words(delta.game)}: {'; '.join(told)}"


def effect_words(effect: Estimate) -> str:
    """A difference with its interval, or the reason why it has none."""
    if effect.value is None and effect.ci_note:
        return ascii_words(effect.ci_note)
    over = f", over {effect.n[0]} careers{_signs(effect)}" if effect.over == CAREERS else ""
    bounds = f"95 % interval {short(effect.ci.low)} to {short(effect.ci.high)}{over}" if effect.ci else NO_INTERVAL
    reason = "" if effect.ci else effect.ci_note or effect.over
    why = f" ({ascii_words(reason)})" if reason else ""
    value = short(effect.value.decimal) if effect.value else "none"
    return f"{value} {effect.unit}, {bounds}{why}"


def _signs(effect: Estimate) -> str:
    """How many careers lie above 0 and below: an interval over few hides one that is unlike the others."""
    if len(effect.by_career) != 1:
        return ""
    values = [float(value) for value in effect.by_career[0]]
    return f" ({sum(value > 0 for value in values)} above 0, {sum(value < 0 for value in values)} below)"


def short(number: str) -> str:
    """A figure for a sentence: three places, or one where it is large. Raises ValueError if it is no number."""
    value = float(number)
    return f"{value:+.1f}" if abs(value) >= WHOLE_FROM else f"{value:+.3f}"


# --- matches -------------------------------------------------------------------------------------


def _contest(match: MatchResult, head: Headline, doubt: str) -> str:
    a = f"{ascii_words(match.measured)}{condition_words(match.condition)}"
    b, game = opponents_words(match), f"{game_words(match.game)}{part_words(match.part)}"
    view = VIEWS[match.game]
    if match.no_finding:
        return f"{NO_FINDING} about {a} against {b} in {game}: {ascii_words(match.no_finding)}"
    ends = f" ({_ends(match.result.count, match.result.ends)})" if view.ends(match.result) else ""
    if head.why_none == WITHIN_ONE_CAREER:
        score = f"{a} {view.tally(match.result)} {b} in {game}{ends}"
        return f"{score}, within one career: nothing was repeated, so nothing follows{doubt}"
    if head.few and head.careers:
        score = f"{a} {view.tally(match.result)} {b} in {game}{ends}"
        return f"{score}, but {ascii_words(head.why_none)}: too short to conclude{doubt}"
    if head.few:
        units = f"{view.game.unit.counted(head.units)} {'is' if head.units == 1 else 'are'}"
        score = f"{a} {view.tally(match.result)} {b} in {game}{ends}"
        return f"{score}, but {units} too few to conclude{doubt}"
    verdict = "did better than" if head.better else "did worse than" if head.worse else "was not shown to differ from"
    return f"{a} {verdict} {b} in {game}: {head.words}{ends}{doubt}"


def opponents_words(match: MatchResult) -> str:
    """The names of the opponents, and what each has beyond its prompt."""
    others = dict.fromkeys(match.opponents)
    return " and ".join(
        f"{'itself' if at.seat == match.measured else ascii_words(at.seat)}{condition_words(at.condition)}"
        for at in others
    )


def _doubt(match: MatchResult, analysis: Analysis | None, bound_percent: int) -> str:
    """Words for a match in which a seat made too many errors, surely or perhaps; else empty."""
    analysed = next((figures for figures in analysis.matches if figures.id == match.id), None) if analysis else None
    flags = error_flags(match, analysed, bound_percent)
    if not flags:
        return ""
    rates = " and ".join(f"{ascii_words(flag.seat)} made {flag.words}" for flag in flags)
    return f", {'NOT RELIABLE' if any(flag.is_sure for flag in flags) else 'PERHAPS NOT RELIABLE'}: {rates}"


def _against_itself(matches: Sequence[MatchResult]) -> Iterator[str]:
    alone: dict[str, list[str]] = {}
    for match in matches:
        if match.is_baseline:
            size = f"{size_words(match.result.count, match.game)}{part_words(match.part)}"
            name = f"{ascii_words(match.measured)}{condition_words(match.condition)}"
            alone.setdefault(name, []).append(f"{size}, {_ends(match.result.count, match.result.ends)}")
    for name, ends in alone.items():
        yield f"{name} against itself (a {label('baseline')}, no result): {'; '.join(ends)}"


def _ends(count: int, ends: Mapping[str, int]) -> str:
    named = {ascii_words(name.replace("_", " ")): many for name, many in ends.items()}
    if len(named) == 1:
        every = {1: "", 2: "both "}.get(count, "all ")
        return f"{every}ended by {next(iter(named))}"
    return "ended by " + ", ".join(f"{name} {many:,}" for name, many in named.items())


# --- Phase 0 -------------------------------------------------------------------------------------


def _gates(matches: Sequence[MatchResult], tests: Mapping[str, str], norm: GateNorm) -> Iterator[str]:
    """`tests`: the p-value of each match."""
    gated = [(match, match.gate) for match in matches if match.gate]
    if not gated:
        return
    several = len({match.measured for match, _ in gated}) > 1
    outcomes = []
    for match, gate in gated:
        who = f"{ascii_words(match.measured)} " if several else ""
        outcome = "passed" if gate.passed else "not passed"
        outcomes.append(f"{who}{outcome} in {game_words(match.game)} ({_gate(match, gate, tests.get(match.id), norm)})")
    yield f"{label('Phase 0')} (does the player beat random?): {'; '.join(outcomes)}"


def _gate(match: MatchResult, gate: Gate, p: str | None, norm: GateNorm) -> str:
    wins, n = match.result.wins
    what = VIEWS[match.game].game.contest.many
    reasons = [f"{wins} of {n} {what} won"]
    if 100 * wins <= norm.win_percent_above * n:
        reasons[-1] += f" where more than {norm.win_percent_above} % are needed"
    if p is not None:
        reasons.append(f"binomial p {p_words(p)}")
    if p is not None and not gate.passed and float(p) >= float(norm.p_below):
        if Fraction(1, 2) ** n >= Fraction(norm.p_below):
            reasons[-1] += f": so few {what} can never pass"
        else:
            reasons[-1] += f" where one below {norm.p_below} is needed"
    errors = match.stats.error_rate
    if not gate.passed and 100 * errors >= norm.error_percent_below:
        reasons.append(f"{percent(errors)} errors where fewer than {norm.error_percent_below} % are needed")
    return ", ".join(reasons)


def p_words(p: str) -> str:
    """A p-value after its name. Raises ValueError if it is no number."""
    value = float(p)
    return f"= {value:.3f}" if not value < SMALL_P else f"< {SMALL_P}"
