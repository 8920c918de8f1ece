"""E1 to E12 of the paper (section 7.2) that are not tests of a delta alone, and draft-H20."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ...experiment.matches import Arm, Augmentation, Phase, Trait
from ...games.chess.cell import ChessCell, ChessGame
from ..inference.clusters import MORE_ALIKE, Term, contrast_test, few_events_test, linearised
from ..inference.estimate import Scale, needs, share_estimate
from ..inference.proportions import binomial_test
from ..inference.significance import Alternative, untested
from ..inference.unit_values import CAREERS, Measure, Ratio, Units, why_untested
from ..learning.outcome import RecoveryVerdict, tau_ratio
from ..learning.outcome import TrendVerdict as Learning
from ..units.cells import CellKey, error_ratio, performance
from ..units.ratios import ratio_figure
from ..units.score_constants import CHESS, POKER, SCORED_GAMES, ClusterConstants
from .contrasts import Joint, Weighted, all_of, decided, equivalent, one_way, weighed
from .delta_contrasts import (
    ONE,
    average,
    both_games,
    difference_of,
    insufficient,
    mean_delta,
    measured_in,
    share_of_max,
    weighted,
)
from .evidence import (
    ENDGAME,
    EQUAL,
    GAME_NAMES,
    MIDDLEGAME,
    SEVERE,
    SLIGHT,
    Delta,
    Evidence,
    Insufficient,
    Probe,
    ProbeCell,
)
from .rankings import falls_more, rank_correlation

GREATER, LESS = Alternative.GREATER, Alternative.LESS
CENTI = 100
EFFICIENCY: Final = Scale("shortest win over moves taken", Fraction(1, 1000), Fraction(0), ONE)
NEVER: Final = Fraction(10**12)
"""A τ that was never reached: it ranks after every other."""


def weakest_gains_nothing(evidence: Evidence) -> Joint | Insufficient:
    """E1: the delta of the model that does worst against the random player is about none, in both games."""
    models = sorted({key.model for key in evidence.cells if key.phase == Phase.SANITY})
    results = {model: _against_random(evidence, model) for model in models}
    last = [model for model in models if results[model] == min(results.values())]
    if len(models) > 1 and len(last) > 1:
        return Insufficient(f"no one model does worst in Phase 0: {', '.join(last)} do equally well")
    weakest = last[0] if len(models) > 1 else ""
    deltas = {
        game: [delta for delta in evidence.deltas(game) if delta.real.key.model == weakest] for game in SCORED_GAMES
    }
    if not all(deltas.values()):
        return insufficient(
            evidence, "two models in Phase 0, and Phase 2 of the weaker one, real and naked, in both games"
        )
    return all_of(
        *(
            equivalent(
                f"delta of {weakest}, {GAME_NAMES[game]}",
                share_of_max(evidence, game, mean_delta(some)),
                Fraction(evidence.constants.contrasts.no_effect_delta_max),
                evidence.resampling(measured_in(some)),
            )
            for game, some in deltas.items()
        )
    )


def _against_random(evidence: Evidence, model: str) -> Fraction:
    """Games won of all in Phase 0 chess; bb/100 stands in where no chess was played."""
    cells = [evidence.of_model(model, game, Phase.SANITY) for game in SCORED_GAMES]
    return next((performance(cell) for cell in cells if cell is not None), Fraction(0))


def slight_gains_most(evidence: Evidence) -> Joint | Insufficient:
    """E3: in Phase 5, memory adds more points from slightly worse positions than from equal or much worse ones."""
    deltas = {part: evidence.deltas(CHESS, Augmentation.MEMORY, Phase.STRESS, part) for part in (SLIGHT, EQUAL, SEVERE)}
    if not all(deltas.values()):
        return insufficient(evidence, "Phase 5 with memory, real and naked, in all three classes of positions")
    slight = mean_delta(deltas[SLIGHT], Measure.SCORE)
    return all_of(
        *(
            weighed(
                f"slightly worse less {part}",
                slight + weighted(mean_delta(deltas[part], Measure.SCORE), -ONE),
                GREATER,
                evidence.resampling(slight[0].units.scale.unit),
            )
            for part in (EQUAL, SEVERE)
        )
    )


def middlegame_gains_more(evidence: Evidence) -> Joint | Insufficient:
    """E5: memory cuts centipawns lost a move by more in the middlegame than in the endgame."""
    deltas, groups = evidence.deltas(CHESS, Augmentation.MEMORY), []
    for delta in deltas:
        sides = [stage_difference(cell) for cell in (delta.other, delta.real) if isinstance(cell, ChessCell)]
        if all(side.values for side in sides):
            groups.append([Weighted(sides[0], ONE), Weighted(sides[1], -ONE)])
    if not groups:
        needs = "Phase 2 memory in chess, real and naked, with the engine's judgement of its moves"
        judged = "; these were not judged in both stages, or not inside the bundle (quality.nodes)" if deltas else ""
        return insufficient(evidence, needs + judged)
    name = "centipawns a move: middlegame less endgame, naked less real"
    return weighed(name, average(groups), GREATER, evidence.resampling(groups[0][0].units.scale.unit))


def stage_difference(cell: ChessCell) -> Units:
    """Game by game: centipawns lost a move in the middlegame less in the endgame, in hundredths; games with both.

    Of a cell with careers, the mean of each career.
    """
    scale = Scale("centipawns", Fraction(1, CENTI))
    careers = [list(_stage_differences(games)) for games in cell.by_career(cell.games)]
    if cell.careers < 2:
        return cell.some_units(careers[0], scale)
    means = (round(Fraction(sum(values), len(values))) for values in careers if values)
    return cell.of_careers(means, scale)


def _stage_differences(games: Sequence[ChessGame]) -> Iterator[int]:
    for game in games:
        if game.losses and game.losses[MIDDLEGAME][1] and game.losses[ENDGAME][1]:
            middle, end = (Fraction(*game.losses[stage]) for stage in (MIDDLEGAME, ENDGAME))
            yield round(CENTI * (middle - end))


def evaluates_but_cannot_calculate(evidence: Evidence) -> Joint | Insufficient:
    """E6: more than 85 % of evaluations right, and fewer than 30 % of calculations, of each model by itself."""
    evaluations, calculations = (
        [cell for cell in evidence.probed(probe) if cell.key.arm is Arm.NAKED]
        for probe in (Probe.EVALUATION, Probe.CALCULATION)
    )
    if not evaluations or not calculations:
        return insufficient(evidence, "answers to evaluation and to calculation positions")
    constants = evidence.constants.contrasts
    return all_of(
        *(_share(cell, Fraction(constants.evaluation_above), GREATER) for cell in evaluations),
        *(_share(cell, Fraction(constants.calculation_below), LESS) for cell in calculations),
    )


def _share(cell: ProbeCell, null: Fraction, alternative: Alternative) -> Joint:
    right, n = sum(cell.values), len(cell.values)
    test = binomial_test(right, n, alternative, null)
    return decided(f"{cell.probe.value}, {cell.key.model}", test, share_estimate(right, n))


def recovery_follows_quality(evidence: Evidence) -> Joint | Insufficient:
    """E8: over systems, recovery τ falls more closely as delta rises than the first τ does.

    A system that never recovered ranks as the slowest, and such systems tie: leaving them out would compare only those
    that did well (survivorship). Left out, and counted, are systems in which no learning was detected, which says
    nothing of their speed; and those whose play no shift made worse. A system is counted in each game, where its delta
    and its speeds are others. Where all are alike in one of the two speeds, ranks say nothing.
    """
    rows, unknown = [], 0
    for game in SCORED_GAMES:
        for delta in evidence.deltas(game):
            first, recovery = evidence.learned(delta.real).tau, _recovery(evidence, delta)
            if first is not None and recovery is not None:
                rows.append((_delta(delta, evidence), Fraction(first) / evidence.constants.tau_max(game), recovery))
            unknown += first is None and recovery is not None
    least = evidence.constants.contrasts.systems_min
    if len(rows) < least:
        needs = f"{least} systems, counted in each game, that learned in Phase 2 and a shift in Phase 3 made worse"
        return insufficient(evidence, f"{needs} (there are {len(rows)})")
    quality, first_tau, recovery_tau = zip(*rows, strict=True)
    if len(set(recovery_tau)) == 1 or len(set(first_tau)) == 1:
        needs = "systems of which some learn, and some recover, faster than others"
        return insufficient(evidence, f"{needs} (all {len(rows)} are alike in one of the two)")
    never = sum(recovery == NEVER for recovery in recovery_tau)
    counts = f"{never} of {len(rows)} never recovered, ranked slowest; {unknown} without a first τ left out"
    return decided(f"recovery τ against first τ; {counts}", falls_more(quality, recovery_tau, first_tau))


def _recovery(evidence: Evidence, delta: Delta) -> Fraction | None:
    """The median recovery τ of the same system in Phase 3 in shares of τ_max, over shifts that made its play worse.

    NEVER where it did not recover from half of them; None where there was nothing to recover from.
    """
    key, taus = delta.real.key, []
    for other, cell in evidence.cells.items():
        same_system = (Phase.ARMS_RACE, key.model, key.game, Arm.REAL, key.system)
        if (other.phase, other.model, other.game, other.arm, other.system) == same_system:
            for outcome in evidence.recovered(cell):
                if outcome.tau is not None:
                    taus.append(Fraction(outcome.tau) / evidence.constants.tau_max(key.game))
                elif outcome.verdict is RecoveryVerdict.NOT_RECOVERED:
                    taus.append(NEVER)
    return sorted(taus)[len(taus) // 2] if taus else None


def _delta(delta: Delta, evidence: Evidence) -> Fraction:
    """Difference in shares of delta_max, so that both games can be ranked together."""
    return (performance(delta.real) - performance(delta.other)) / evidence.constants.delta_max(delta.real.key.game)


def tau_ratio_follows_noise(evidence: Evidence) -> Joint | Insufficient:
    """E9: the lower τ_poker/τ_chess, the more of its gain a system keeps in the noisier game.

    Systems in which learning was detected in one game alone have no ratio; they are counted. Ranking them as slowest
    would support E9 by detection power alone: the smaller a gain in poker, the less often it is detected.
    """
    rows, unknown = [], 0
    chess = {delta.setting: delta for delta in evidence.deltas(CHESS)}
    for delta in evidence.deltas(POKER):
        twin = chess.get(delta.setting)
        learned = [evidence.learned(cell.real) for cell in (delta, twin) if cell]
        ratio = tau_ratio(*learned).fitted if len(learned) > 1 else None
        if twin and ratio:
            rows.append((Fraction(ratio.exact), _delta(delta, evidence) - _delta(twin, evidence)))
        unknown += not ratio and sum(some.verdict is Learning.LEARNED for some in learned) == 1 and bool(twin)
    least = evidence.constants.contrasts.systems_min
    if len(rows) < least:
        return insufficient(evidence, f"{least} systems that learned in both games (there are {len(rows)})")
    ratios, kept = zip(*rows, strict=True)
    name = f"τ ratio against delta in poker less in chess; {unknown} systems that learned in one game alone left out"
    return decided(name, rank_correlation(ratios, kept, LESS))


def errs_no_more(evidence: Evidence) -> Joint | Insufficient:
    """E10: with memory the rate of first attempts without a legal action is not half a point higher, in both games."""
    tests = []
    for game in SCORED_GAMES:
        deltas = evidence.deltas(game, Augmentation.MEMORY)
        cells = {cell.key: error_ratio(cell) for delta in deltas for cell in delta}
        counted = [delta for delta in deltas if cells[delta.real.key] and cells[delta.other.key]]
        if not counted:
            return insufficient(evidence, "Phase 2 memory, real and naked, in both games, with decisions counted")
        weights: dict[CellKey, Fraction] = {}
        for delta in counted:
            for cell, weight in ((delta.real, ONE), (delta.other, -ONE)):
                weights[cell.key] = weights.get(cell.key, Fraction(0)) + weight / len(counted)
        groups = [(ratio, weight) for key, weight in weights.items() if (ratio := cells[key])]
        tests.append(_errors_compared(f"error rate with memory less without, {GAME_NAMES[game]}", groups, evidence))
    return all_of(*tests)


def _errors_compared(name: str, groups: Sequence[tuple[Ratio, Fraction]], evidence: Evidence) -> Joint:
    """H0: the rate rises by the margin or more. Student's t over games; exact where few games have an error.

    Rates that differ by the margin are at least the margin, so the exact test is of the rates with memory alone. It
    takes errors to go together within a game up to a correlation; where they may do so more, games are counted. Of
    several systems the least favourable counts: if the mean rises by the margin, the rate of one of them does.
    """
    constants, margin = evidence.constants.clusters, Fraction(evidence.constants.contrasts.error_margin)
    sizes = tuple(len(ratio.above) for ratio, _ in groups)
    estimate = ratio_figure(groups, constants)
    if why := why_untested(ratio for ratio, _ in groups):
        return decided(name, untested("t-clusters", LESS, sizes, why), estimate)
    terms = [Term(rate, weight) for ratio, weight in groups if (rate := linearised(ratio.above, ratio.below))]
    if all(_has_many_errors(ratio, constants) for ratio, _ in groups):
        return decided(name, contrast_test(terms, LESS, margin), estimate)
    correlation = Fraction(constants.correlation_max)
    tests = [few_events_test(ratio.above, ratio.below, margin, correlation) for ratio, weight in groups if weight > 0]
    test = max(tests, key=lambda test: test.p_value or Fraction(1))
    with_error, n = min((_with_errors(ratio), len(ratio.above)) for ratio, _ in groups)
    counted = f"errors in {with_error} of n = {n} games of an arm"
    few = msgspec.structs.replace(estimate, ci=None, ci_note=needs(counted, constants.test_units_with_min))
    against = f"a rate of {float(100 * margin):g} % or more with memory, n = {test.n[0]} games"
    limit = f"intraclass correlation of at most {constants.correlation_max}"
    unlike = f"whatever the intraclass correlation, which may be above {constants.correlation_max} here"
    note = f"exact test against {against}, {unlike if test.note == MORE_ALIKE else limit}"
    return decided(name, msgspec.structs.replace(test, note=note), few)


def _with_errors(ratio: Ratio) -> int:
    """Number of games with an error."""
    return sum(errors > 0 for errors in ratio.above)


def _has_many_errors(ratio: Ratio, constants: ClusterConstants) -> bool:
    with_one = _with_errors(ratio)
    return with_one == len(ratio.above) if ratio.over == CAREERS else with_one >= constants.test_units_with_min


def draws_hide_wins(evidence: Evidence) -> Joint | Insufficient:
    """E11: of games played on after adjudication, more than one in twenty is not won by the side given the win.

    Of independent games, alike ones once: games of a career depend on each other, so they are left out and counted.
    """
    cells = [cell for cell in evidence.cells.values() if isinstance(cell, ChessCell)]
    of_careers = sum(game.played_on for cell in cells if cell.careers for game in cell.games)
    played = [game for cell in cells if not cell.careers for game in cell.games if game.played_on]
    games = {game.identity or place: game for place, game in enumerate(played)}.values()
    left_out = f"; {of_careers} of careers left out, which depend on each other" if of_careers else ""
    if not games:
        needs = "adjudicated chess games that were played on to their end (play_on_percent)"
        return insufficient(evidence, f"{needs}, in a match without careers{left_out}" if of_careers else needs)
    lost = sum(game.raw_halfpoints != game.halfpoints for game in games)
    harmless = Fraction(evidence.constants.contrasts.harmless_share)
    test = binomial_test(lost, len(games), GREATER, harmless)
    name = f"adjudicated wins that were not won when played on{left_out}"
    return decided(name, test, share_estimate(lost, len(games)))


def noise_hurts(evidence: Evidence) -> Joint | Insufficient:
    """E12: with a memory declared noisy, delta is below 0, in both games."""
    deltas = {
        game: [delta for delta in evidence.deltas(game) if evidence.has_trait(delta.real.key.system, Trait.NOISY)]
        for game in SCORED_GAMES
    }
    if not all(deltas.values()):
        return insufficient(evidence, "a system declared noisy in Phase 2, real and naked, in both games")
    return both_games(evidence, deltas, LESS, "delta of noisy memory")


def efficiency_is_the_models(evidence: Evidence) -> Joint | Insufficient:
    """draft-H20: won endings are won as efficiently with memory as without, and not by all models alike."""
    cells = list(evidence.probed(Probe.EFFICIENCY))
    naked = {cell.key.model: cell for cell in cells if cell.key.arm is Arm.NAKED}
    real = {cell.key.model: cell for cell in cells if cell.key.arm is Arm.REAL}
    both = sorted(naked.keys() & real.keys())
    if len(naked) < 2 or not both:
        return insufficient(evidence, "won endings of two models, naked, and of one of them with memory")
    same = [
        equivalent(
            f"with memory less without, {model}",
            difference_of(_efficiency(real[model]), _efficiency(naked[model])),
            Fraction(evidence.constants.contrasts.efficiency_margin),
            evidence.resampling(EFFICIENCY.unit),
        )
        for model in both
    ]
    return all_of(*same, one_way("models", [_efficiency(cell) for cell in naked.values()]))


def _efficiency(cell: ProbeCell) -> Units:
    return Units(cell.values, EFFICIENCY)
