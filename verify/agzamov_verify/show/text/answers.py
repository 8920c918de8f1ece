"""The answers of a run: one for each effect or contest that a game was played for, each with a verdict in plain words.

    better              every interval lies above the value of equal players
    worse               the interval against none, or of a contest, lies below it
    no difference shown an interval holds that value, or the intervals against none and against a placebo disagree
    no result           there is no interval, or no figure: `Answer.why` and `Answer.failed` say why

An augmentation is called better only if it beat both its control and its placebo, where that was played: two tests
that must both hold, so that 5 % is the level of the whole (an intersection-union test, Berger 1982). Where a run has
several answers, each must hold when p is corrected for their number, too (`many_comparisons`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from math import inf
from typing import Final, NamedTuple

from ...core.columns import ascii_words
from ...experiment.matches import Arm, Match, Phase
from ...plan.manifest import Manifest
from ...plan.people_study import is_study
from ...protocols.norms import load_protocol
from ...scoring.analysis import Analysis
from ...scoring.failed_answers import FailedAnswers, failed_answers
from ...scoring.inference.estimate import Estimate
from ...scoring.inference.unit_values import CAREERS, CAREERS_AND_UNITS, ONE_CAREER
from ...scoring.match_cells import model_of
from ...scoring.own_actions import shares_not_own
from ...scoring.results import MatchResult, Results
from ...table.game import Block
from ..views import VIEWS
from .analysis_text import can_be_found
from .effects import ArmEffect, Setting, analysed_effects, effects_of, settings_of
from .headline import DECIDED, NEEDED, Headline, headlines
from .many_comparisons import Corrected, corrected, p_of

ALL_ALIKE: Final = "all the same"


class Shown(StrEnum):
    """The verdict of an answer."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference shown"
    NO_RESULT = "no result"


ONE_SIDED: Final = (Shown.BETTER, Shown.WORSE)


class Comparison(NamedTuple):
    """One figure of an answer, against one other arm or player.

    `against`: "none", "a placebo", or a player's name. `null`: the value of no difference. `n`: what was repeated
    independently, counted in words. `detectable`: the smallest effect that would probably have been found; None where
    that is unknown or no effect can be so great. `why_none`: why there is no interval. `p`: of this figure alone.
    """

    against: str
    value: float
    low: float | None
    high: float | None
    null: float
    n: str
    detectable: float | None = None
    why_none: str = ""
    p: Fraction | None = None

    @property
    def shown(self) -> Shown:
        """What this figure shows alone."""
        if self.low is None or self.high is None:
            return Shown.NO_DIFFERENCE if self.why_none == ALL_ALIKE else Shown.NO_RESULT
        if self.low > self.null:
            return Shown.BETTER
        return Shown.WORSE if self.high < self.null else Shown.NO_DIFFERENCE


class Answer(NamedTuple):
    """The answer about one system in one game, or about one contest.

    `setting`: of an effect; None of a contest. `subject`: the system, or the measured seat; `match`: the id of the
    match whose games show it (of an effect that of the real arm). `figures`: the first is the one in large print; none
    where the harness drew the actions. `why`, `failed`: of no result. `not_own`: how many actions of a seat were drawn
    at random, or how many contests forfeited, if more than the protocol lets pass. `corrected`: p for all answers.
    `is_stopped`: a failed Phase 0 left the match out.
    """

    game: str
    shown: Shown
    figures: tuple[Comparison, ...]
    match: str
    setting: Setting | None
    system: str
    result: MatchResult | None
    why: str = ""
    failed: FailedAnswers | None = None
    not_own: str = ""
    corrected: Corrected | None = None
    is_stopped: bool = False

    @property
    def is_corrected_away(self) -> bool:
        """True where the intervals alone show something, and p does not when it is corrected for all answers."""
        return bool(self.corrected and not self.corrected.holds) and together(self.figures) in ONE_SIDED

    @property
    def failed_gate(self) -> bool:
        """True for a contest of Phase 0 that its seat did not pass."""
        return bool(self.result and self.result.gate and not self.result.gate.passed)


class Played(NamedTuple):
    """What the answers are read from. `blocks`: the replayed games by match; empty where none was replayed."""

    manifest: Manifest
    results: Results
    analysis: Analysis | None
    blocks: Mapping[str, Sequence[Block]]


def answers_of(played: Played) -> list[Answer]:
    """The answers, game by game in the order of the plan. Raises ValueError for bounds that are no numbers.

    None of a study with people, whose unit is the person: see `show.study_words`.
    """
    if is_study(played.manifest.plan):
        return []
    answers: list[Answer] = []
    for game in played.manifest.plan.games:
        effects = list(_effects(game, played))
        answers += effects or _contests(game, played)
    ps = [joint_p(answer) for answer in answers]
    return [_corrected(answer, p) for answer, p in zip(answers, corrected(ps), strict=True)]


def joint_p(answer: Answer) -> Fraction | None:
    """The two-sided p of an answer: of all its figures together, or of what made it worse than none."""
    ps = [one.p for one in (answer.figures[:1] if answer.shown is Shown.WORSE else answer.figures)]
    known = [p for p in ps if p is not None]
    return max(known) if answer.shown is not Shown.NO_RESULT and known and len(known) == len(ps) else None


def _corrected(answer: Answer, of_all: Corrected | None) -> Answer:
    """An answer with its corrected p, where there are several; no difference if that shows none."""
    if of_all is None or of_all.comparisons == 1:
        return answer
    shown = answer.shown if of_all.holds or answer.shown not in ONE_SIDED else Shown.NO_DIFFERENCE
    return answer._replace(shown=shown, corrected=of_all)


def other_contests(played: Played) -> list[Answer]:
    """The contests of phases that the answers leave out, but for Phase 0, whose outcome is told beside them."""
    told = {(answer.result.phase, answer.game) for answer in answers_of(played) if answer.result}
    rows = [row for row in played.results.matches if not row.is_baseline and row.phase != Phase.SANITY]
    repeats = played.manifest.plan.repeats
    heads = headlines(played.results.matches, played.analysis)
    details = _details(played)
    return [
        _contest(row, heads[row.id], details.get(row.id), played)
        for row in rows
        if (row.phase, row.game) not in told and row.measured not in repeats and row.phase != Phase.ASYMMETRIC
    ]


def _details(played: Played) -> dict[str, Estimate]:
    return {one.id: one.main.everything for one in played.analysis.matches} if played.analysis else {}


# --- effects -------------------------------------------------------------------------------------


def _effects(game: str, played: Played) -> Iterator[Answer]:
    rows = {row.match: row for row in played.results.matches}
    for setting, matches in settings_of(played.manifest).items():
        if setting.game != game:
            continue
        real = {match.condition.system: match for match in matches if match.condition.arm is Arm.REAL}
        found = effects_of(matches, played.manifest, played.blocks) if played.blocks else None
        if found is None:
            found = list(analysed_effects(setting, played.manifest, played.analysis)) if played.analysis else []
        for system, match in real.items():
            if match.id in rows:
                ours = [one for one in found if one.system == system and one.arm is Arm.REAL]
                yield _effect(setting, match, rows, ours, played)
            else:
                yield _not_played(match, setting, played)


def _not_played(match: Match, setting: Setting, played: Played) -> Answer:
    """The answer of a match without results: a seat that failed Phase 0 plays no further in that game."""
    rows = [row for row in played.results.matches if row.game == match.game and row.gate and not row.gate.passed]
    lost = next((row for row in rows if row.measured in match.seats), None)
    why = f"it was not played, since {ascii_words(lost.measured)} failed Phase 0" if lost else "it was not played"
    found = _no_result(match, setting, None, why, _failed(lost, played) if lost else None)
    return found._replace(is_stopped=lost is not None)


def _effect(
    setting: Setting, match: Match, rows: Mapping[str, MatchResult], found: Sequence[ArmEffect], played: Played
) -> Answer:
    against = {Arm.NAKED: "none", Arm.PLACEBO: "a placebo"}
    by_other = {one.other: one.value for one in found}
    drawn = next((row for row in _compared(match, rows) if row.no_finding), None)
    if drawn:
        failed = _failed(drawn, played)
        return _no_result(match, setting, rows[match.id], "" if failed else drawn.no_finding, failed)
    figures = tuple(
        comparison(words, by_other[other], match.game) for other, words in against.items() if other in by_other
    )
    if why := _not_compared(match, rows, by_other, played):
        return _no_result(match, setting, rows[match.id], why, None)
    shown = together(figures)
    why = next((one.why_none for one in figures if one.shown is Shown.NO_RESULT), "")
    not_own = _not_own(_compared(match, rows), played)
    system = match.condition.system
    return Answer(match.game, shown, figures, match.id, setting, system, rows[match.id], why, not_own=not_own)


def _not_compared(
    match: Match, rows: Mapping[str, MatchResult], by_other: Mapping[Arm, Estimate], played: Played
) -> str:
    """Why an arm that was played beside the real one has no figure; empty where each has one.

    A placebo that is left out would turn "no difference shown" into "helped".
    """
    beside = {row.condition.arm for row in _compared(match, rows)} - {Arm.REAL}
    if Arm.NAKED not in beside:
        return "no arm without it was played"
    if beside <= by_other.keys():
        return ""
    if not played.blocks:
        return "verify compares it with its placebo"
    return "an arm of it may end early by its results, so the arms are not compared"


def _compared(match: Match, rows: Mapping[str, MatchResult]) -> Iterator[MatchResult]:
    """The real arm, and the arms that stand beside it in an answer."""
    yield rows[match.id]
    for row in rows.values():
        same = row.phase == match.phase and row.game == match.game and row.measured == match.measured
        alike = row.condition.augmentation == match.condition.augmentation
        ours = row.condition.system in ("", match.condition.system)
        if same and alike and ours and row.condition.arm in (Arm.NAKED, Arm.PLACEBO):
            yield row


def comparison(against: str, value: Estimate, game: str) -> Comparison:
    """A difference as a figure of an answer."""
    n = _repeated(value, game)
    low, high = (float(value.ci.low), float(value.ci.high)) if value.ci else (None, None)
    figure = float(value.value.decimal) if value.value else 0.0
    why = "" if value.ci else ALL_ALIKE if _are_alike(value) else _why_none(value, game)
    p = Fraction(1) if why == ALL_ALIKE else p_of(value, 0.0)
    return Comparison(against, figure, low, high, 0.0, n, _detectable(value), why, p)


def _detectable(value: Estimate, most: float = inf) -> float | None:
    """The minimum detectable effect of an estimate with an interval, where an effect can be so great."""
    return float(value.mde.decimal) if value.mde and value.ci and can_be_found(value, most) else None


def _repeated(value: Estimate, game: str) -> str:
    """What was repeated independently, in words."""
    unit = VIEWS[game].game.unit
    if value.over == CAREERS_AND_UNITS and len(value.n) > 1:
        return f"{value.n[0]} careers and {unit.counted(value.n[1])}"
    return _careers(value) if value.over == CAREERS else unit.counted(min(value.n))


def _careers(value: Estimate) -> str:
    """The number of careers, and how many lie above 0: an interval over few hides one that is unlike the others."""
    told = f"{value.n[0]} careers"
    if len(value.by_career) != 1 or value.ci is None:
        return told
    above = sum(float(one) > 0 for one in value.by_career[0])
    return f"{told}, {'all' if above == len(value.by_career[0]) else above or 'none'} above 0"


def _why_none(value: Estimate, game: str) -> str:
    """Why an estimate has no interval, in plain words."""
    if value.over == ONE_CAREER:
        return "there was one career, so nothing was repeated"
    return _few(value.ci_note, game) or "nothing varied"


def _are_alike(value: Estimate) -> bool:
    """True for a difference that is 0 in each of several repetitions."""
    is_nothing = bool(value.value) and not float(value.value.decimal) if value.value else False
    never = bool(value.sd) and not any(float(sd.decimal) for sd in value.sd or ())
    return is_nothing and never and len(value.n) == 1 and value.n[0] > 1


def _few(note: str, game: str) -> str:
    """A reason of the analysis in plain words."""
    if counted := NEEDED.fullmatch(note):
        n, unit = int(counted["n"]), VIEWS[game].game.unit
        return f"{unit.counted(n)} {'is' if n == 1 else 'are'} too few, an interval needs {counted['least']}"
    if counted := DECIDED.fullmatch(note):
        of = VIEWS[game].game.unit.counted(int(counted["n"]))
        return f"{counted['decided']} of {of} had a winner, an interval needs {counted['least']}"
    return note


def together(figures: Sequence[Comparison]) -> Shown:
    """The verdict of all figures: what they all show, else that they disagree; worse than none is worse."""
    each = {one.shown for one in figures}
    if Shown.NO_RESULT in each:
        return Shown.NO_RESULT
    if figures[0].shown is Shown.WORSE:
        return Shown.WORSE
    return each.pop() if len(each) == 1 else Shown.NO_DIFFERENCE


# --- contests ------------------------------------------------------------------------------------


def _contests(game: str, played: Played) -> list[Answer]:
    """The contests of the last phase that has one; of a failed Phase 0 nothing later was played."""
    contests = [row for row in played.results.matches if row.game == game and not row.is_baseline]
    last = max((row.phase for row in contests), default=Phase.SANITY)
    heads = headlines(played.results.matches, played.analysis)
    details = _details(played)
    shown = [row for row in contests if row.phase == last]
    return [_contest(row, heads[row.id], details.get(row.id), played) for row in shown]


def _contest(row: MatchResult, head: Headline, estimate: Estimate | None, played: Played) -> Answer:
    failed = _failed(row, played)
    if row.no_finding:
        return _no_result(row, None, row, "" if failed else row.no_finding, failed)
    n = f"{head.careers} careers" if head.careers else VIEWS[row.game].game.unit.counted(head.units)
    n += ", sequential interval" if head.sequential else ""
    of_fixed_size = None if head.is_open_ended else estimate
    mde = _detectable(of_fixed_size, VIEWS[row.game].result_most) if of_fixed_size else None
    why = "" if head.low is not None else _why_none(estimate, row.game) if estimate else "no interval is claimed"
    p = p_of(of_fixed_size, head.null) if of_fixed_size else None
    figure = Comparison("", head.value, head.low, head.high, head.null, n, mde, why, p)
    not_own = "" if failed else _not_own([row], played)
    return Answer(row.game, figure.shown, (figure,), row.id, None, row.condition.system, row, why, failed, not_own)


def _not_own(rows: Iterable[MatchResult], played: Played) -> str:
    """How much of the rows was not a seat's own play: the greatest share, where the protocol's bound is exceeded."""
    plan = played.manifest.plan
    shares = [
        share
        for row in rows
        for share in shares_not_own(row.seat_stats, row.result.count, VIEWS[row.game].game.result.many)
    ]
    most = max(shares, default=None)
    return most.words if most and 100 * most.share > load_protocol(plan.protocol).error_flag_percent else ""


def _failed(row: MatchResult, played: Played) -> FailedAnswers | None:
    """The failed answers of the measured seat, else of the seat of the match that gave the most of them."""
    seats = {stats.seat for stats in row.seat_stats}
    ours = [one for one in failed_answers(played.results) if one.game == row.game and one.seat in seats and one.cannot]
    return max(ours, key=lambda one: (one.seat == row.measured, one.unread + one.illegal), default=None)


def _no_result(
    match: Match | MatchResult, setting: Setting | None, row: MatchResult | None, why: str, failed: FailedAnswers | None
) -> Answer:
    system = match.condition.system
    return Answer(match.game, Shown.NO_RESULT, (), match.id, setting, system, row, why, failed)


def measured_models(manifest: Manifest) -> list[str]:
    """The seats that Phase 2 measures, each model once."""
    seats = {model_of(manifest, setting.seat): setting.seat for setting in settings_of(manifest)}
    return list(seats.values())
