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
from .scoring.learning.outcome import LearningOutcome
from .scoring.matches import ChessAnalysis, Kept
from .scoring.statistics import Interval


def match_lines(match: MatchAnalysis) -> Iterator[str]:
    """One match."""
    if isinstance(match, ChessAnalysis):
        yield f"  score {estimate(match.score.everything)}; {_kept(match.score)}"
        yield f"  Elo difference {match.pentanomial.elo or 'none'} {interval(match.pentanomial.elo_ci)}"
    else:
        yield f"  {estimate(match.bb_per_100.everything)}; {_kept(match.bb_per_100)}"
        less_luck = {**match.adjusted, **{f"mirrored {name}": found for name, found in match.mirrored.items()}}
        for name, found in less_luck.items():
            yield f"  {name.replace('_', ' ')}: {estimate(found)}"
    last = match.glicko2.everything.a[-1]
    yield f"  Glicko-2 {float(last.rating):.0f} ± {float(last.deviation):.0f}; {_learning(match.learning)}"
    if match.symmetry:
        yield f"  {_symmetry(match.symmetry)}"


def hypothesis_lines(analysis: Analysis) -> Iterator[str]:
    """Deltas, watched matches, and the hypotheses."""
    for delta in analysis.deltas:
        yield _delta(delta)
        for name, less_luck in delta.adjusted.items():
            yield f"  {name.replace('_', ' ')}: {estimate(less_luck)}"
    for one in analysis.sequential:
        decision = one.decision
        told = f"{decision.reason.value} at observation {decision.n}" if isinstance(decision, Stop) else "go on"
        early = ", ended early: figures of a fixed size above do not hold for it" if one.ended_early else ""
        seen = f"{one.observations} of {one.planned} observations{early}"
        yield f"watched {one.match}: {told}; {seen}; {interval(one.confidence)} {one.unit} at any time"
    yield from verdict_lines(analysis.hypotheses)


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


def _learning(learning: LearningOutcome) -> str:
    p = f", p {short(learning.p)}" if learning.p else ""
    tau = f", τ {learning.tau}" if learning.tau is not None else ""
    return f"learning: {learning.verdict.value}{p}{tau}"


def _symmetry(symmetry: Symmetry) -> str:
    what = "VIOLATED: seats are not equal, so differences measured here are in doubt"
    told = what if symmetry.violated else "no asymmetry found"
    mean = short(symmetry.mean) if symmetry.mean else "no value"
    p = f", p {symmetry.test.p}" if symmetry.test.p else f", {symmetry.test.note}"
    return f"self-play {mean} against {short(symmetry.expected)}{p}: {told}"


def _delta(delta: DeltaAnalysis) -> str:
    system = f" ({delta.system})" if delta.system else ""
    return f"delta {delta.game} {delta.model} {delta.augmentation}{system}: {estimate(delta.performance.everything)}"
