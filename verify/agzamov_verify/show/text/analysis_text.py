"""Figures of an analysis in words: estimates, intervals, learning, monitored matches, hypotheses."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf, isfinite
from typing import Final

from ...core.columns import ascii_words, row
from ...experiment.matches import Arm
from ...plan.manifest import Manifest, Plan
from ...scoring.analysis import Analysis, Recovery
from ...scoring.deltas import DeltaAnalysis, RobustnessRow
from ...scoring.early_stopping import MonitoredMatch
from ...scoring.hypotheses.verdicts import ContrastRow, HypothesisVerdict, Status
from ...scoring.inference.estimate import Estimate
from ...scoring.inference.exact import Figure
from ...scoring.inference.pentanomial import Symmetry
from ...scoring.inference.samples import Interval
from ...scoring.inference.sequential_test import Stop
from ...scoring.inference.unit_values import ONE_CAREER
from ...scoring.learning.outcome import LearningOutcome
from ..absent_arms import NOT_PLAYED
from ..glossary import label
from ..seat_words import NO_PRICE

DIFFERENCE_MOST: Final = {"score": 1.0, "win rate": 1.0, "share": 1.0}
"""The greatest difference that figures of a unit can have."""
MDE_OF: Final = "a two-sided 5 % test"
"""The test whose minimum detectable effect stands beside an estimate."""

NOT_FOUND: Final = "none: no possible effect would be found"
FAMILIES: Final = (
    "H1 to H5 are the paper's confirmatory hypotheses (p times 5); E1 to E12 its exploratory ones; draft-H1 to"
    " draft-H20 those of an earlier draft of the paper. Either of these two is one family, over which q is corrected"
)


def hypothesis_lines(analysis: Analysis, manifest: Manifest) -> Iterator[str]:
    """Recoveries, the cost of each phase, deltas, monitored matches, and the hypotheses."""
    for recovery in analysis.recoveries:
        yield from row(label("recovery"), f"{ascii_words(recovery.match)}, {_recovery(recovery)}")
    models = any(seat.is_model for seat in manifest.plan.playing.values())
    known = all(not seat.is_model or name in manifest.plan.prices for name, seat in manifest.plan.playing.items())
    for phase in analysis.phases:
        cost = f", {phase.cost_usd.decimal} USD" if known else f", {NO_PRICE}"
        totals = (
            f"{phase.decisions:,} decisions, {phase.calls:,} calls, {phase.tokens:,} tokens{cost if models else ''}"
        )
        yield from row(label(f"Phase {int(phase.phase)}"), totals)
    for delta in analysis.deltas:
        yield from row(label("delta"), _delta(delta))
        for line in _less(delta, manifest.plan):
            yield from row("", line)
        for name, adjusted in delta.adjusted.items():
            yield from row("", f"less none, {ascii_words(name.replace('_', ' '))}: {estimate(adjusted)}")
    for ratio in analysis.tau_ratios:
        if ratio.ratio.fitted:
            system = f" ({ratio.system})" if ratio.system else ""
            times = f"{short(ratio.ratio.fitted)} times as many (described, not tested)"
            who = ascii_words(f"{ratio.model} {ratio.augmentation}{system}")
            yield from row(label("learning"), f"hold'em over chess, {who}: {times}")
    yield from robustness_lines(analysis.robustness)
    for monitored in analysis.sequential:
        yield from row(label("sequential interval"), _monitored(monitored))
    yield from verdict_lines(analysis.hypotheses, analysis.tests)


def _monitored(monitored: MonitoredMatch) -> str:
    decision, null = monitored.decision, f"{short(monitored.null)} {monitored.unit}"
    outcome = f"{decision.reason.value} at observation {decision.n}" if isinstance(decision, Stop) else "go on"
    early = ", ended early" if monitored.ended_early else ""
    clipped = f", of sessions clipped at {short(monitored.clip)}" if monitored.clip else ""
    return ascii_words(
        f"{interval(monitored.confidence)} {monitored.unit}{clipped}, at any time; watched {monitored.match}"
        f" ({monitored.alternative}, against {null}, alpha {monitored.alpha}): {outcome};"
        f" {monitored.observations} of {monitored.planned} observations{early}"
    )


def verdict_lines(verdicts: Sequence[HypothesisVerdict], tests: Sequence[ContrastRow]) -> Iterator[str]:
    """The number of hypotheses of each status; those that were tested, each with its tests."""
    counts = Counter(verdict.status for verdict in verdicts)
    statuses = ", ".join(f"{counts[status]} {status.value}" for status in Status if counts[status])
    yield from row(label("hypotheses"), statuses)
    if any(verdict.p is not None for verdict in verdicts):
        yield from row("", FAMILIES)
    for verdict in verdicts:
        if verdict.p is not None:
            yield from row(str(verdict.id), f"{verdict.status.value}: {verdict.summary}")
            if verdict.same_as:
                yield from row("", f"the same tests as {verdict.same_as}")
            for test in tests:
                if test.hypothesis == verdict.id:
                    yield from row("", test_words(test))
            rests = f"; {verdict.caveat}" if verdict.caveat else ""
            corrected = f"corrected ({verdict.correction}) {verdict.p_corrected}"
            yield from row("", f"all of it: p {verdict.p}, {corrected}: {verdict.reason}{rests}")


def test_words(contrast: ContrastRow) -> str:
    """One test: its name, the estimate with its interval and n, Hedges' g, and p."""
    figure = f"{estimate(contrast.estimate)}, " if contrast.estimate else ""
    size = f"g {short(contrast.effect.g)}, " if contrast.effect else ""
    test = contrast.test
    p = f"p {test.p}{f' ({test.note})' if test.note else ''}" if test.p else test.note
    return ascii_words(f"{contrast.name}: {figure}{size}{p}")


def estimate(value: Estimate | None, most: float = inf) -> str:
    """A figure, its interval, n and its minimum detectable effect (`mde_words`)."""
    if value is None or value.value is None:
        return ascii_words(value.ci_note) if value and value.ci_note else "no value"
    n = "+".join(map(str, value.n)) + (f" {value.over}" if value.over != ONE_CAREER and value.over else "")
    if value.over == ONE_CAREER:
        return f"{short(value.value)} {value.unit} (within one career: no interval; n {n})"
    mde = f", MDE of {MDE_OF} {mde_words(value, most)}" if value.mde else ""
    bounds = f"[no interval: {value.ci_note}]" if value.ci_note else interval(value.ci)
    each = f": {careers_words(value.by_career)}" if value.by_career else ""
    return f"{short(value.value)} {bounds} {value.unit} (n {n}{each}{mde})"


def careers_words(by_career: Sequence[Sequence[str]]) -> str:
    """The figure of each career, in three digits: an interval over few of them hides one that is unlike the others."""
    return " and ".join(", ".join(f"{float(value):.3g}" for value in sample) for sample in by_career)


def mde_words(value: Estimate, most: float = inf) -> str:
    """The minimum detectable effect; in words where it is greater than any possible effect."""
    if value.mde is None:
        return "not known"
    return short(value.mde) if can_be_found(value, most) else NOT_FOUND


def can_be_found(value: Estimate, most: float = inf) -> bool:
    """Whether the minimum detectable effect is a possible one. `most`: the greatest, where it is below a difference's:
    that of a result, for one (`GameView.result_most`).
    """
    return value.mde is not None and float(value.mde.decimal) <= min(most, DIFFERENCE_MOST.get(value.unit, inf))


def interval(value: Interval | None) -> str:
    """Both bounds to four decimal places."""
    return f"[{_bound(value.low)}, {_bound(value.high)}]" if value else "[no interval]"


def _bound(text: str) -> str:
    value = float(text)
    return f"{value:.4f}" if isfinite(value) else "unbounded"


def short(value: Figure) -> str:
    """A figure to four decimal places."""
    return f"{float(value.decimal):.4f}"


def plain(value: Figure) -> str:
    """A figure to one decimal place."""
    return f"{float(value.decimal):.1f}"


def learning_words(learning: LearningOutcome) -> str:
    """The outcome of the learning test in words: its verdict, both p, what changed, and tau with its interval."""
    p = ""
    if learning.p and learning.p_corrected:
        p = f", p {short(learning.p)}, corrected {short(learning.p_corrected)}"
    change = f", second half less first {estimate(learning.change)}" if learning.change else ""
    tau = f", tau {learning.tau}" if learning.tau is not None else ""
    if learning.curve and learning.curve.tau_ci:
        tau += f", time constant {learning.curve.tau} {interval(learning.curve.tau_ci)}"
    at_once = " (its start is within 5 % of its plateau)" if learning.tau == 0 else ""
    tested = ", of what it has more than its control" if learning.less_control and learning.p else ""
    return f"{learning.verdict.value}{p}{change}{tau}{at_once}{tested}"


def _recovery(recovery: Recovery) -> str:
    outcome, kinds = recovery.outcome, " and ".join(recovery.kinds)
    kind = f" ({kinds})" if kinds else ""
    tau = f", tau {outcome.tau}" if outcome.tau is not None else ""
    drop = f", drop {estimate(outcome.drop)}" if outcome.drop else ""
    p = ""
    if outcome.p_drop and outcome.p_drop_corrected:
        p = f", p {short(outcome.p_drop)}, corrected {short(outcome.p_drop_corrected)}"
    return f"shift after {outcome.shift_after}{kind}: {outcome.verdict.value}{tau}{drop}{p}"


def symmetry_words(symmetry: Symmetry) -> str:
    """The outcome of the self-play symmetry test in words: no asymmetry found, or seats that are not equal."""
    what = "VIOLATED: seats are not equal, so differences measured here are in doubt"
    outcome = what if symmetry.violated else "no asymmetry found" if symmetry.test.p else "not tested"
    mean = short(symmetry.mean) if symmetry.mean else "no value"
    p = f", p {symmetry.test.p}" if symmetry.test.p else f", {symmetry.test.note}"
    return f"self-play {mean} against {short(symmetry.expected)}{p}: {outcome}"


MOVED_BY_CHANCE: Final = 1 / 3
"""Share of changes beyond one standard error where nothing changed: 32 % of normal ones, 37 % over five careers."""


def robustness_lines(rows: Sequence[RobustnessRow]) -> Iterator[str]:
    """Each delta at temperature 0 and at another, whether it moved by more than a standard error, and how many did."""
    tested = [again for again in rows if again.moved is not None]
    for again in rows:
        system = f" ({again.system})" if again.system else ""
        name = f"{again.game} {again.model} {again.augmentation}{system}"
        yield from row(label("robustness"), ascii_words(f"{name}, at temperature 0: {estimate(again.delta)}"))
        yield from row("", ascii_words(f"at temperature {again.temperature}: {estimate(again.repeated)}"))
        yield from row("", ascii_words(f"change {_moved(again)}"))
    if tested:
        moved, chance = sum(again.moved is True for again in tested), len(tested) * MOVED_BY_CHANCE
        counted = f"{moved} of {len(tested)} moved by more than 1 standard error"
        yield from row("", f"{counted}; about {chance:.1f} would by chance if nothing had changed")


def _moved(again: RobustnessRow) -> str:
    change = estimate(again.change)
    if again.standard_error is None:
        return f"{change}; its standard error is not known, so nothing is said of whether it moved"
    moved = "it MOVED by more" if again.moved else "it did not move by more"
    return f"{change}, standard error {short(again.standard_error)}: {moved} than 1 standard error"


def _delta(delta: DeltaAnalysis) -> str:
    system = f" ({delta.system})" if delta.system else ""
    less = f"less its placebo {estimate(delta.less_placebo)}" if delta.less_placebo else "no placebo was played"
    naked = f"less none {estimate(delta.performance.everything)}"
    return ascii_words(f"{delta.game} {delta.model} {delta.augmentation}{system}: {less}; {naked}")


def _less(delta: DeltaAnalysis, plan: Plan) -> Iterator[str]:
    """A real arm less the filler and the stale arm of its memory, or that these were not played."""
    arms = plan.systems[delta.system].arms if delta.system in plan.systems else ()
    for arm, (name, one) in {
        Arm.FILLER: ("filler (no memory, as many bytes)", delta.less_filler),
        Arm.STALE: ("stale arm", delta.less_stale),
    }.items():
        if arm in arms:
            yield ascii_words(f"less its {name}: {estimate(one) if one else NOT_PLAYED}")
    if delta.less_stale_late:
        yield f"less its stale arm, from where they have different entries: {estimate(delta.less_stale_late)}"
