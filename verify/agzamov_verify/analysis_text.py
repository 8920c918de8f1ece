"""The essential lines of an analysis, for a person: a few for each match, then the hypotheses that were tested."""

from collections import Counter
from collections.abc import Iterator, Sequence

from .scoring.analysis import Analysis, MatchAnalysis
from .scoring.deltas import DeltaAnalysis
from .scoring.exact import Figure
from .scoring.hypotheses.verdicts import Status, Verdict
from .scoring.inference.estimate import Estimate
from .scoring.inference.pentanomial import Symmetry
from .scoring.inference.sequential import Stop
from .scoring.learning.outcome import LearningOutcome, RecoveryOutcome
from .scoring.luck.adjusted import Method
from .scoring.luck.ranges import RangeMethod
from .scoring.matches import ChessAnalysis, Kept
from .scoring.preflop import PreflopLoss
from .scoring.statistics import Interval
from .scoring.watched import Watched

LESS_AND_LESS = tuple(method.value for kind in (Method, RangeMethod) for method in kind)
PREFLOP = "in a simplified game without betting after the flop: a diagnostic, not how well poker is played"


def match_lines(match: MatchAnalysis) -> Iterator[str]:
    """One match."""
    if isinstance(match, ChessAnalysis):
        yield f"  score {estimate(match.score.everything)}; {_kept(match.score)}"
        yield f"  Elo difference {match.pentanomial.elo or 'none'} {interval(match.pentanomial.elo_ci)}"
    else:
        won = f"{estimate(match.bb_per_100.everything)} in units of {match.unit_hands} hands"
        yield f"  {won}; {_kept(match.bb_per_100)}"
        for name, found in sorted(match.adjusted.items(), key=lambda one: LESS_AND_LESS.index(one[0])):
            yield _less_luck(name, found, match.variance_cuts[name])
        for side, seat in (("A", match.preflop_a), ("B", match.preflop_b)):
            if seat:
                yield _preflop(side, seat)
    last = match.glicko2.everything.a[-1]
    yield f"  Glicko-2 {float(last.rating):.0f} ± {float(last.deviation):.0f}; {_learning(match.learning)}"
    if match.symmetry:
        yield f"  {_symmetry(match.symmetry)}"


def hypothesis_lines(analysis: Analysis) -> Iterator[str]:
    """Recoveries, what phases took, deltas, watched matches, and the hypotheses."""
    for recovery in analysis.recoveries:
        yield f"{recovery.match}, {_recovery(recovery.outcome)}"
    for phase in analysis.phases:
        told = f"{phase.decisions} decisions, {phase.calls} calls, {phase.tokens} tokens, {phase.cost_usd.decimal} USD"
        yield f"phase {phase.phase}: {told}"
    for delta in analysis.deltas:
        yield _delta(delta)
        for name, less_luck in delta.adjusted.items():
            yield f"  {name.replace('_', ' ')}: {estimate(less_luck)}"
    for row in analysis.tau_ratios:
        if row.ratio.fitted:
            system = f" ({row.system})" if row.system else ""
            ratio = f"{short(row.ratio.fitted)} {interval(row.ratio.fitted_ci)}"
            yield f"τ of poker over τ of chess, {row.model} {row.augmentation}{system}: {ratio}"
    for one in analysis.sequential:
        yield from _watched(one)
    yield from verdict_lines(analysis.hypotheses)


def _watched(one: Watched) -> Iterator[str]:
    decision, null = one.decision, f"{short(one.null)} {one.unit}"
    told = f"{decision.reason.value} at observation {decision.n}" if isinstance(decision, Stop) else "go on"
    early = ", ended early" if one.ended_early else ""
    yield (
        f"watched {one.match} ({one.alternative}, against {null}, alpha {one.alpha}): {told}; "
        f"{one.observations} of {one.planned} observations{early}"
    )
    clipped = f", of sessions clipped at {short(one.clip)}" if one.clip else ""
    yield f"  {interval(one.confidence)} {one.unit}{clipped}, at any time"


def verdict_lines(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """How many hypotheses of each kind, and those that were tested."""
    counts = Counter(verdict.status for verdict in verdicts)
    yield "hypotheses: " + ", ".join(f"{counts[status]} {status.value}" for status in Status if counts[status])
    for verdict in verdicts:
        if verdict.status in (Status.SUPPORTED, Status.NOT_SUPPORTED):
            same = f", as {verdict.same_as}" if verdict.same_as else ""
            ps = f"p {verdict.p}, corrected {verdict.p_corrected}"
            yield f"  {verdict.id}: {verdict.status.value}, {ps}{same} ({verdict.summary})"


def estimate(value: Estimate | None) -> str:
    """A figure, its interval, n and what could have been found."""
    if value is None or value.value is None:
        return "no value"
    n = "+".join(map(str, value.n))
    mde = f", MDE {short(value.mde)}" if value.mde else ""
    return f"{short(value.value)} {interval(value.ci)} {value.unit} (n {n}{mde})"


def interval(value: Interval | None) -> str:
    """Both bounds to four places; "inf" as it is."""
    return f"[{float(value.low):.4f}, {float(value.high):.4f}]" if value else "[no interval]"


def short(value: Figure) -> str:
    """Four places are enough for a person."""
    return f"{float(value.decimal):.4f}"


def _kept(kept: Kept) -> str:
    return f"decided by play {estimate(kept.by_play)}, without errors {estimate(kept.without_errors)}"


def _less_luck(name: str, found: Estimate, cut: Figure | None) -> str:
    """A winrate without luck, and what the variance of hands as they were played is divided by."""
    saved = f", variance / {float(cut.decimal):.2f}" if cut else ""
    return f"  {name.replace('_', ' ')}: {estimate(found)}{saved}"


def _preflop(side: str, seat: PreflopLoss) -> str:
    lost = f"{estimate(seat.loss_per_decision)} in {seat.decisions} decisions of {seat.hands} hands"
    return f"  before the flop {side} loses {lost} ({PREFLOP})"


def _learning(learning: LearningOutcome) -> str:
    p = f", p {short(learning.p)}" if learning.p else ""
    tau = f", τ {learning.tau} {interval(learning.tau_ci)}" if learning.tau is not None else ""
    at_once = " (its start is within 5 % of its plateau)" if learning.tau == 0 else ""
    return f"learning: {learning.verdict.value}{p}{tau}{at_once}"


def _recovery(outcome: RecoveryOutcome) -> str:
    tau = f", τ {outcome.tau}" if outcome.tau is not None else ""
    drop = f", drop {estimate(outcome.drop)}" if outcome.drop else ""
    return f"shift after {outcome.shift_after}: {outcome.verdict.value}{tau}{drop}"


def _symmetry(symmetry: Symmetry) -> str:
    what = "VIOLATED: seats are not equal, so differences measured here are in doubt"
    told = what if symmetry.violated else "no asymmetry found"
    mean = short(symmetry.mean) if symmetry.mean else "no value"
    p = f", p {symmetry.test.p}" if symmetry.test.p else f", {symmetry.test.note}"
    return f"self-play {mean} against {short(symmetry.expected)}{p}: {told}"


def _delta(delta: DeltaAnalysis) -> str:
    system = f" ({delta.system})" if delta.system else ""
    return f"delta {delta.game} {delta.model} {delta.augmentation}{system}: {estimate(delta.performance.everything)}"
