"""E1 to E12 of the paper (section 7.2) that are not tests of a delta alone, and draft-H20."""

from fractions import Fraction

from ..agzamov.cells import Arm, Augmentation, ChessCell
from ..agzamov.measures import Measure, Units, error_units
from ..agzamov.score import CHESS, GAMES, POKER, performance
from ..inference.estimate import Scale, share_estimate
from ..inference.proportions import binomial_test
from ..inference.significance import Alternative
from ..learning.outcome import tau_ratio
from .contrasts import Joint, Weighted, decided, equivalent, every, one_way, weighed
from .deltas import ONE, apart, average, both_games, lacking, mean_delta, share_of_max, weighted
from .evidence import (
    ENDGAME,
    EQUAL,
    GAME_NAMES,
    MIDDLEGAME,
    SANITY,
    SEVERE,
    SLIGHT,
    STRESS,
    Delta,
    Evidence,
    Lacking,
    Probe,
    ProbeCell,
    Trait,
)
from .ranking import falls_more, rank_correlation

GREATER, LESS = Alternative.GREATER, Alternative.LESS
CENTI = 100


def weakest_gains_nothing(evidence: Evidence) -> Joint | Lacking:
    """E1: the delta of the model that does worst against the random player is about none, in both games."""
    models = sorted({key.model for key in evidence.cells if key.phase == SANITY})
    ranked = sorted((_against_random(evidence, model), model) for model in models)
    weakest = ranked[0][1] if len(ranked) > 1 else ""
    deltas = {game: [one for one in evidence.deltas(game) if one.real.key.model == weakest] for game in GAMES}
    if not all(deltas.values()):
        return lacking(evidence, "two models in Phase 0, and Phase 2 of the weaker one, real and naked, in both games")
    return every(
        *(
            equivalent(
                f"delta of {weakest}, {GAME_NAMES[game]}",
                share_of_max(evidence, game, mean_delta(some)),
                Fraction(evidence.norm.contrasts.no_effect_delta_max),
                evidence.how(f"weakest/{game}"),
            )
            for game, some in deltas.items()
        )
    )


def _against_random(evidence: Evidence, model: str) -> Fraction:
    """Games won of all in Phase 0 chess; bb/100 stands in where no chess was played."""
    cells = [evidence.of_model(model, game, SANITY) for game in GAMES]
    return next((performance(cell) for cell in cells if cell is not None), Fraction(0))


def slight_gains_most(evidence: Evidence) -> Joint | Lacking:
    """E3: in Phase 5, memory adds more points from slightly worse positions than from equal or much worse ones."""
    deltas = {part: evidence.deltas(CHESS, Augmentation.MEMORY, STRESS, part) for part in (SLIGHT, EQUAL, SEVERE)}
    if not all(deltas.values()):
        return lacking(evidence, "Phase 5 with memory, real and naked, in all three classes of positions")
    slight = mean_delta(deltas[SLIGHT], Measure.SCORE)
    return every(
        *(
            weighed(
                f"slightly worse less {part}",
                slight + weighted(mean_delta(deltas[part], Measure.SCORE), -ONE),
                GREATER,
                evidence.how(f"stress/{part}"),
            )
            for part in (EQUAL, SEVERE)
        )
    )


def middlegame_gains_more(evidence: Evidence) -> Joint | Lacking:
    """E5: memory cuts centipawns lost a move by more in the middlegame than in the endgame."""
    deltas, groups = evidence.deltas(CHESS, Augmentation.MEMORY), []
    for one in deltas:
        sides = [stage_difference(cell) for cell in (one.other, one.real) if isinstance(cell, ChessCell)]
        if all(side.values for side in sides):
            groups.append([Weighted(sides[0], ONE), Weighted(sides[1], -ONE)])
    if not groups:
        needs = "Phase 2 memory in chess, real and naked, with the engine's judgement of its moves"
        judged = "; these were not judged in both stages, or not inside the bundle (quality.nodes)" if deltas else ""
        return lacking(evidence, needs + judged)
    name = "centipawns a move: middlegame less endgame, naked less real"
    return weighed(name, average(groups), GREATER, evidence.how("stages"))


def stage_difference(cell: ChessCell) -> Units:
    """Game by game: centipawns lost a move in the middlegame less in the endgame, in hundredths; games with both."""
    values = []
    for game in cell.games:
        if game.losses and game.losses[MIDDLEGAME][1] and game.losses[ENDGAME][1]:
            middle, end = (Fraction(*game.losses[stage]) for stage in (MIDDLEGAME, ENDGAME))
            values.append(round(CENTI * (middle - end)))
    return Units(tuple(values), Scale("centipawns", Fraction(1, CENTI)), "")


def evaluates_but_cannot_calculate(evidence: Evidence) -> Joint | Lacking:
    """E6: more than 85 % of evaluations right, and fewer than 30 % of calculations, of each model."""
    told, worked = (list(evidence.probed(probe)) for probe in (Probe.EVALUATION, Probe.CALCULATION))
    if not told or not worked:
        return lacking(evidence, "answers to evaluation and to calculation positions")
    norm = evidence.norm.contrasts
    return every(
        *(_share(cell, Fraction(norm.evaluation_above), GREATER) for cell in told),
        *(_share(cell, Fraction(norm.calculation_below), LESS) for cell in worked),
    )


def _share(cell: ProbeCell, null: Fraction, alternative: Alternative) -> Joint:
    right, n = sum(cell.values), len(cell.values)
    test = binomial_test(right, n, alternative, null)
    return decided(f"{cell.probe.value}, {cell.key.model}", test, share_estimate(right, n))


def recovery_follows_quality(evidence: Evidence) -> Joint | Lacking:
    """E8: over systems, recovery τ falls more closely as delta rises than the first τ does."""
    rows = []
    for game in GAMES:
        for one in evidence.deltas(game):
            first, again = evidence.learned(one.real).tau, _recovery(evidence, one)
            if first is not None and again is not None:
                rows.append((_delta(one, evidence), first, again))
    least = evidence.norm.contrasts.systems_min
    if len(rows) < least:
        needs = f"{least} systems that learned in Phase 2 and recovered from a shift in Phase 3"
        return lacking(evidence, f"{needs} (there are {len(rows)})")
    quality, first_tau, recovery_tau = zip(*rows, strict=True)
    return decided("recovery τ against first τ", falls_more(quality, recovery_tau, first_tau))


def _recovery(evidence: Evidence, delta: Delta) -> int | None:
    """The mean recovery τ of the same system in Phase 3, rounded; None where it did not recover."""
    key = delta.real.key
    cells = [
        cell
        for other, cell in evidence.cells.items()
        if (other.phase, other.model, other.game, other.system) == (3, key.model, key.game, key.system) and cell.shifts
    ]
    found = [outcome.tau for cell in cells for outcome in evidence.recovered(cell)]
    known = [tau for tau in found if tau is not None]
    return round(Fraction(sum(known), len(known))) if known else None


def _delta(delta: Delta, evidence: Evidence) -> Fraction:
    """In shares of delta_max, so that both games can be ranked together."""
    norm = evidence.norm
    most = norm.delta_max_win_rate if delta.real.key.game == CHESS else norm.delta_max_bb_per_100
    return (performance(delta.real) - performance(delta.other)) / most.exact


def tau_ratio_follows_noise(evidence: Evidence) -> Joint | Lacking:
    """E9: the lower τ_poker/τ_chess, the more of its gain a system keeps in the noisier game."""
    rows = []
    chess = {one.setting: one for one in evidence.deltas(CHESS)}
    for one in evidence.deltas(POKER):
        twin = chess.get(one.setting)
        ratio = tau_ratio(evidence.learned(one.real), evidence.learned(twin.real)).fitted if twin else None
        if twin and ratio:
            rows.append((Fraction(ratio.exact), _delta(one, evidence) - _delta(twin, evidence)))
    least = evidence.norm.contrasts.systems_min
    if len(rows) < least:
        return lacking(evidence, f"{least} systems that learned in both games (there are {len(rows)})")
    ratios, kept = zip(*rows, strict=True)
    return decided("τ ratio against delta in poker less in chess", rank_correlation(ratios, kept, LESS))


def errs_no_more(evidence: Evidence) -> Joint | Lacking:
    """E10: with memory the rate of first attempts without a legal action is not half a point higher, in both games."""
    found, margin = [], Fraction(evidence.norm.contrasts.error_margin)
    for game in GAMES:
        rates = [(error_units(one.real), error_units(one.other)) for one in evidence.deltas(game, Augmentation.MEMORY)]
        groups = [apart(real, naked) for real, naked in rates if real and naked]
        if not groups:
            return lacking(evidence, "Phase 2 memory, real and naked, in both games, with decisions counted")
        name = f"error rate with memory less without, {GAME_NAMES[game]}"
        found.append(weighed(name, average(groups), LESS, evidence.how(name), margin))
    return every(*found)


def draws_hide_wins(evidence: Evidence) -> Joint | Lacking:
    """E11: of games played on after adjudication, more than one in twenty is not won by the side given the win."""
    games = [
        game for cell in evidence.cells.values() if isinstance(cell, ChessCell) for game in cell.games if game.played_on
    ]
    if not games:
        return lacking(evidence, "adjudicated chess games that were played on to their end (play_on_percent)")
    lost = sum(game.raw_halfpoints != game.halfpoints for game in games)
    harmless = Fraction(evidence.norm.contrasts.harmless_share)
    test = binomial_test(lost, len(games), GREATER, harmless)
    return decided("adjudicated wins that were not won when played on", test, share_estimate(lost, len(games)))


def noise_hurts(evidence: Evidence) -> Joint | Lacking:
    """E12: with a memory declared noisy, delta is below 0, in both games."""
    deltas = {
        game: [one for one in evidence.deltas(game) if evidence.has(one.real.key.system, Trait.NOISY)] for game in GAMES
    }
    if not all(deltas.values()):
        return lacking(evidence, "a system declared noisy in Phase 2, real and naked, in both games")
    return both_games(evidence, deltas, LESS, "delta of noisy memory")


def efficiency_is_the_models(evidence: Evidence) -> Joint | Lacking:
    """draft-H20: won endings are won as efficiently with memory as without, and not by all models alike."""
    cells = list(evidence.probed(Probe.EFFICIENCY))
    naked = {cell.key.model: cell for cell in cells if cell.key.arm is Arm.NAKED}
    real = {cell.key.model: cell for cell in cells if cell.key.arm is Arm.REAL}
    both = sorted(naked.keys() & real.keys())
    if len(naked) < 2 or not both:
        return lacking(evidence, "won endings of two models, naked, and of one of them with memory")
    same = [
        equivalent(
            f"with memory less without, {model}",
            apart(_efficiency(real[model]), _efficiency(naked[model])),
            Fraction(evidence.norm.contrasts.efficiency_margin),
            evidence.how(f"efficiency/{model}"),
        )
        for model in both
    ]
    return every(*same, one_way("models", [_efficiency(cell) for cell in naked.values()]))


def _efficiency(cell: ProbeCell) -> Units:
    return Units(cell.values, Scale("shortest win over moves taken", Fraction(1, 1000), Fraction(0), ONE), "")
