"""H1 to H5 of the paper (section 7.1), and the draft's hypotheses on memory architectures that go with them."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import msgspec

from ...experiment.matches import Arm, Augmentation, Phase, Trait
from ...games.holdem.cell import PokerCell
from ..inference.intervals import BB_PER_100
from ..inference.significance import Alternative
from ..inference.unit_values import Units
from ..units.cells import Cell
from ..units.score_constants import SCORED_GAMES
from .contrasts import Joint, Weighted, all_of, any_of, courses_differ, equivalent, one_way, weighed
from .delta_contrasts import (
    ONE,
    average,
    both_games,
    difference,
    insufficient,
    interaction,
    mean_delta,
    mean_difference,
    measured_in,
    share_of_max,
    weighted,
)
from .evidence import GAME_NAMES, Delta, Evidence, Insufficient

GREATER, TWO_SIDED = Alternative.GREATER, Alternative.TWO_SIDED


def helps(evidence: Evidence) -> Joint | Insufficient:
    """H1: the mean delta over all real arms is above 0 in chess and in poker."""
    deltas = {game: evidence.deltas(game) for game in SCORED_GAMES}
    if not all(deltas.values()):
        return insufficient(evidence, "a Phase 2 real arm and its naked control in both games")
    return both_games(evidence, deltas, GREATER, "delta")


def beats_placebo(evidence: Evidence) -> Joint | Insufficient:
    """H2: real memory wins more than placebo memory, in both games."""
    deltas = {game: evidence.deltas(game, Augmentation.MEMORY, against=Arm.PLACEBO) for game in SCORED_GAMES}
    if not all(deltas.values()):
        return insufficient(evidence, "Phase 2 memory, real and placebo, in both games")
    return both_games(evidence, deltas, GREATER, "real less placebo")


def differs_by_game(evidence: Evidence) -> Joint | Insufficient:
    """H3: the mean delta in chess and in poker differ, each in shares of its delta_max."""
    return _chess_less_poker(evidence, TWO_SIDED, None)


def smaller_in_chess(evidence: Evidence) -> Joint | Insufficient:
    """E2: in shares of delta_max, the mean delta in chess is below that in poker."""
    return _chess_less_poker(evidence, Alternative.LESS, None)


def smaller_in_chess_with_memory(evidence: Evidence) -> Joint | Insufficient:
    """draft-H3: the same of memory alone, model by model and system by system."""
    return _chess_less_poker(evidence, Alternative.LESS, Augmentation.MEMORY)


def _chess_less_poker(
    evidence: Evidence, alternative: Alternative, augmentation: Augmentation | None
) -> Joint | Insufficient:
    by_game = {game: evidence.deltas(game, augmentation) for game in SCORED_GAMES}
    both = set.intersection(*({delta.setting for delta in deltas} for deltas in by_game.values()))
    if not both:
        kind = f"Phase 2 {augmentation.value}" if augmentation else "one Phase 2 augmentation"
        return insufficient(evidence, f"{kind} of the same system, real and naked, in both games")
    groups: list[Weighted] = []
    for (game, deltas), sign in zip(by_game.items(), (1, -1), strict=True):
        same = mean_delta([delta for delta in deltas if delta.setting in both])
        groups += weighted(share_of_max(evidence, game, same), Fraction(sign))
    return weighed("chess less poker", groups, alternative, evidence.resampling(BB_PER_100))


def synergy(evidence: Evidence) -> Joint | Insufficient:
    """H4: the full stack's delta exceeds the sum of those of its memory, tools and RAG alone, in both games."""
    tests: list[Joint] = []
    for game in SCORED_GAMES:
        stacks = evidence.stacks(game)
        if not stacks:
            has_full = evidence.deltas(game, Augmentation.FULL)
            of_parts = ", those of a full stack and of its own parts alone" if has_full else ""
            return insufficient(evidence, f"Phases 2a, 2b, 2c and 2d, real and naked, in both games{of_parts}")
        parts = interaction(stacks)
        name = f"full less the sum of the parts, {GAME_NAMES[game]}"
        resamples = evidence.resampling(parts[0].units.scale.unit)
        tests.append(weighed(name, parts, GREATER, resamples))
    return all_of(*tests)


def speed_differs(evidence: Evidence) -> Joint | Insufficient:
    """H5: two systems of similar delta, whose courses differ; in one game at least."""
    pairs = [pair for game in SCORED_GAMES for pair in same_setting(evidence, game)]
    if not pairs:
        return insufficient(
            evidence, "two systems of one model and augmentation in Phase 2, real and naked, in one game"
        )
    return any_of(*(_speed(evidence, *pair) for pair in pairs))


def same_setting(evidence: Evidence, game: str) -> Iterator[tuple[Delta, Delta]]:
    """Every two systems of one model and augmentation."""
    for first, second in combinations(evidence.deltas(game), 2):
        a, b = first.real.key, second.real.key
        if (a.model, a.augmentation) == (b.model, b.augmentation):
            yield first, second


def _speed(evidence: Evidence, first: Delta, second: Delta) -> Joint:
    name = f"{first.name} and {second.real.key.system}"
    resamples = evidence.resampling(measured_in([first]))
    same = share_of_max(evidence, first.real.key.game, difference(first.real, second.real))
    courses = first.real.measured(), second.real.measured()
    constants, rule = evidence.constants.contrasts, evidence.rule(first.real)
    seed = evidence.seed(f"courses/{name}")
    return all_of(
        courses_differ(f"courses, {name}", *courses, rule, seed, constants.permutations),
        equivalent(f"similar delta, {name}", same, Fraction(constants.similar_delta_max), resamples),
    )


def every_system_helps(evidence: Evidence) -> Joint | Insufficient:
    """draft-H1: delta is above 0 for each memory system, in both games."""
    by_game = [evidence.deltas(game, Augmentation.MEMORY) for game in SCORED_GAMES]
    if not all(by_game):
        return insufficient(evidence, "Phase 2 memory, real and naked, in both games")
    return all_of(
        *(
            weighed(
                delta.name,
                difference(delta.real, delta.other),
                GREATER,
                evidence.resampling(measured_in([delta])),
            )
            for deltas in by_game
            for delta in deltas
        )
    )


def architectures_differ(evidence: Evidence) -> Joint | Insufficient:
    """draft-H2: with one model, memories of different architecture have different deltas; in one game at least.

    One control stands behind all, so real arms are compared (one-way analysis of variance).
    """
    tests = []
    for game in SCORED_GAMES:
        deltas = evidence.deltas(game, Augmentation.MEMORY)
        for model in sorted({delta.real.key.model for delta in deltas}):
            own = [delta.real for delta in deltas if delta.real.key.model == model]
            kinds = {evidence.architecture(cell.key.system) for cell in own} - {None}
            if len(kinds) > 1:
                known = [cell for cell in own if evidence.architecture(cell.key.system)]
                tests.append(one_way(f"systems, {GAME_NAMES[game]}, {model}", [cell.measured() for cell in known]))
    if not tests:
        return insufficient(evidence, "Phase 2 memory of one model with two declared architectures")
    return any_of(*tests)


def semantic_beats_full_text(evidence: Evidence) -> Joint | Insufficient:
    """draft-H4: while the opponent adapts (Phase 3), semantic search wins more than full-text search; in both games."""
    return trait_beats(evidence, Trait.SEMANTIC, Trait.FULL_TEXT)


def temporal_beats_uniform(evidence: Evidence) -> Joint | Insufficient:
    """E4: while the opponent adapts (Phase 3), memory weighted by time wins more than uniform memory; in both games."""
    return trait_beats(evidence, Trait.TEMPORAL, Trait.UNIFORM)


def trait_beats(evidence: Evidence, better: Trait, worse: Trait) -> Joint | Insufficient:
    """Systems of one trait against systems of another, of the same model in Phase 3."""
    tests = []
    for game in SCORED_GAMES:
        cells = [
            cell
            for key, cell in sorted(evidence.cells.items())
            if (key.phase, key.game, key.arm) == (Phase.ARMS_RACE, game, Arm.REAL)
        ]
        good = [cell for cell in cells if evidence.has_trait(cell.key.system, better)]
        bad = [cell for cell in cells if evidence.has_trait(cell.key.system, worse)]
        pairs = [(cell, other) for cell in good for other in bad if cell.key.model == other.key.model]
        if not pairs:
            return insufficient(
                evidence, f"Phase 3 with a {better.value} and a {worse.value} system of one model, in both games"
            )
        evidence.asked_for.update(cell.key for pair in pairs for cell in pair)
        groups = mean_difference([(cell.measured(), other.measured()) for cell, other in pairs])
        name = f"{better.value} less {worse.value}, {GAME_NAMES[game]}"
        tests.append(weighed(name, groups, GREATER, evidence.resampling(groups[0].units.scale.unit)))
    return all_of(*tests)


def graph_grows(evidence: Evidence) -> Joint | Insufficient:
    """draft-H5: a knowledge graph's lead over other memories is larger after 50 games or 2,000 hands; in both games."""
    tests = []
    for game in SCORED_GAMES:
        real = [delta.real for delta in evidence.deltas(game, Augmentation.MEMORY)]
        graphs = [cell for cell in real if evidence.architecture(cell.key.system) is Trait.GRAPH]
        others = [cell for cell in real if evidence.architecture(cell.key.system) not in (Trait.GRAPH, None)]
        pairs = [(graph, other) for graph in graphs for other in others if graph.key.model == other.key.model]
        if not pairs:
            return insufficient(
                evidence, "Phase 2 memory with a graph and another architecture of one model, in both games"
            )
        leads = [
            _late_less_early(evidence, graph) + weighted(_late_less_early(evidence, other), -ONE)
            for graph, other in pairs
        ]
        groups = average(leads)
        name = f"lead late less lead early, {GAME_NAMES[game]}"
        tests.append(weighed(name, groups, GREATER, evidence.resampling(groups[0].units.scale.unit)))
    return all_of(*tests)


def _late_less_early(evidence: Evidence, cell: Cell) -> list[Weighted]:
    """Late units less early units of a course: two samples, never paired; or the difference within each career."""
    units, constants = cell.measured(), evidence.constants.contrasts
    cut = constants.late_hands // cell.session_hands if isinstance(cell, PokerCell) else constants.late_games // 2
    if cell.careers < 2:
        early, late = (cell.some_units(some, units.scale) for some in (units.values[:cut], units.values[cut:]))
        return [Weighted(late, ONE), Weighted(early, -ONE)]
    careers = cell.by_career(units.values)
    rest = len(careers[0]) - cut
    if rest <= 0:
        return [Weighted(Units((), units.scale), ONE)]
    values = tuple(cut * sum(career[cut:]) - rest * sum(career[:cut]) for career in careers)
    scale = msgspec.structs.replace(units.scale, factor=units.scale.factor / (cut * rest), least=None, greatest=None)
    return [Weighted(cell.of_careers(values, scale), ONE)]
