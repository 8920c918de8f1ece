"""H1 to H5 of the paper (section 7.1), and the draft's hypotheses on memory architectures that go with them."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from ..agzamov.cells import Arm, Augmentation, Cell, ChessCell
from ..agzamov.measures import Units, units_of
from ..agzamov.score import GAMES
from ..inference.significance import Alternative
from .contrasts import Joint, Weighted, courses_differ, equivalent, every, one_way, some, weighed
from .deltas import ONE, average, both_games, difference, lacking, mean_delta, share_of_max, weighted
from .evidence import GAME_NAMES, Delta, Evidence, Lacking, Trait

GREATER, TWO_SIDED = Alternative.GREATER, Alternative.TWO_SIDED
SINGLE = (Augmentation.MEMORY, Augmentation.TOOLS, Augmentation.RAG)


def helps(evidence: Evidence) -> Joint | Lacking:
    """H1: the mean delta over all real arms is above 0 in chess and in poker."""
    deltas = {game: evidence.deltas(game) for game in GAMES}
    if not all(deltas.values()):
        return lacking(evidence, "a Phase 2 real arm and its naked control in both games")
    return both_games(evidence, deltas, GREATER, "delta")


def beats_placebo(evidence: Evidence) -> Joint | Lacking:
    """H2: real memory wins more than placebo memory, in both games."""
    deltas = {game: evidence.deltas(game, Augmentation.MEMORY, against=Arm.PLACEBO) for game in GAMES}
    if not all(deltas.values()):
        return lacking(evidence, "Phase 2 memory, real and placebo, in both games")
    return both_games(evidence, deltas, GREATER, "real less placebo")


def differs_by_game(evidence: Evidence) -> Joint | Lacking:
    """H3: the mean delta in chess and in poker differ, each in shares of its delta_max."""
    return _chess_less_poker(evidence, TWO_SIDED, None)


def smaller_in_chess(evidence: Evidence) -> Joint | Lacking:
    """E2: in shares of delta_max, the mean delta in chess is below that in poker."""
    return _chess_less_poker(evidence, Alternative.LESS, None)


def smaller_in_chess_with_memory(evidence: Evidence) -> Joint | Lacking:
    """draft-H3: the same of memory alone, model by model and system by system."""
    return _chess_less_poker(evidence, Alternative.LESS, Augmentation.MEMORY)


def _chess_less_poker(
    evidence: Evidence, alternative: Alternative, augmentation: Augmentation | None
) -> Joint | Lacking:
    by_game = {game: evidence.deltas(game, augmentation) for game in GAMES}
    both = set.intersection(*({one.setting for one in deltas} for deltas in by_game.values()))
    if not both:
        kind = f"Phase 2 {augmentation.value}" if augmentation else "one Phase 2 augmentation"
        return lacking(evidence, f"{kind} of the same system, real and naked, in both games")
    groups: list[Weighted] = []
    for (game, deltas), sign in zip(by_game.items(), (1, -1), strict=True):
        same = mean_delta([one for one in deltas if one.setting in both])
        groups += weighted(share_of_max(evidence, game, same), Fraction(sign))
    return weighed("chess less poker", groups, alternative, evidence.how("chess less poker"))


def synergy(evidence: Evidence) -> Joint | Lacking:
    """H4: the full stack's delta exceeds the sum of those of memory, tools and RAG, in both games."""
    found: list[Joint] = []
    for game in GAMES:
        groups = [
            (1, evidence.deltas(game, Augmentation.FULL)),
            *((-1, evidence.deltas(game, kind)) for kind in SINGLE),
        ]
        if not all(deltas for _, deltas in groups):
            return lacking(evidence, "Phases 2a, 2b, 2c and 2d, real and naked, in both games")
        parts = [one for sign, deltas in groups for one in weighted(mean_delta(deltas), Fraction(sign))]
        name = f"full less the sum of the parts, {GAME_NAMES[game]}"
        found.append(weighed(name, parts, GREATER, evidence.how(f"synergy/{game}")))
    return every(*found)


def speed_differs(evidence: Evidence) -> Joint | Lacking:
    """H5: two systems of similar delta, whose courses differ; in one game at least."""
    pairs = [pair for game in GAMES for pair in same_setting(evidence, game)]
    if not pairs:
        return lacking(evidence, "two systems of one model and augmentation in Phase 2, real and naked, in one game")
    return some(*(_speed(evidence, *pair) for pair in pairs))


def same_setting(evidence: Evidence, game: str) -> Iterator[tuple[Delta, Delta]]:
    """Every two systems of one model and augmentation."""
    for one, other in combinations(evidence.deltas(game), 2):
        a, b = one.real.key, other.real.key
        if (a.model, a.augmentation) == (b.model, b.augmentation):
            yield one, other


def _speed(evidence: Evidence, one: Delta, other: Delta) -> Joint:
    name = f"{one.name} and {other.real.key.system}"
    how = evidence.how(f"speed/{name}")
    same = share_of_max(evidence, one.real.key.game, difference(one.real, other.real))
    courses = units_of(one.real).values, units_of(other.real).values
    norm, unit_results = evidence.norm.contrasts, evidence.rule(one.real).unit_results
    seed = evidence.seed(f"courses/{name}")
    return every(
        courses_differ(f"courses, {name}", *courses, unit_results, seed, norm.permutations),
        equivalent(f"similar delta, {name}", same, Fraction(norm.similar_delta_max), how),
    )


def every_system_helps(evidence: Evidence) -> Joint | Lacking:
    """draft-H1: delta is above 0 for each memory system, in both games."""
    deltas = [evidence.deltas(game, Augmentation.MEMORY) for game in GAMES]
    if not all(deltas):
        return lacking(evidence, "Phase 2 memory, real and naked, in both games")
    return every(
        *(
            weighed(one.name, difference(one.real, one.other), GREATER, evidence.how(f"system/{one.name}"))
            for found in deltas
            for one in found
        )
    )


def architectures_differ(evidence: Evidence) -> Joint | Lacking:
    """draft-H2: with one model, memories of different architecture have different deltas; in one game at least.

    One control stands behind all, so real arms are compared (one-way analysis of variance).
    """
    found = []
    for game in GAMES:
        deltas = evidence.deltas(game, Augmentation.MEMORY)
        for model in sorted({one.real.key.model for one in deltas}):
            own = [one.real for one in deltas if one.real.key.model == model]
            kinds = {evidence.architecture(cell.key.system) for cell in own} - {None}
            if len(kinds) > 1:
                known = [cell for cell in own if evidence.architecture(cell.key.system)]
                found.append(one_way(f"systems, {GAME_NAMES[game]}, {model}", [units_of(cell) for cell in known]))
    if not found:
        return lacking(evidence, "Phase 2 memory of one model with two declared architectures")
    return some(*found)


def semantic_beats_full_text(evidence: Evidence) -> Joint | Lacking:
    """draft-H4: while the opponent adapts (Phase 3), semantic search wins more than full-text search; in both games."""
    return trait_beats(evidence, Trait.SEMANTIC, Trait.FULL_TEXT)


def temporal_beats_uniform(evidence: Evidence) -> Joint | Lacking:
    """E4: while the opponent adapts (Phase 3), memory weighted by time wins more than uniform memory; in both games."""
    return trait_beats(evidence, Trait.TEMPORAL, Trait.UNIFORM)


def trait_beats(evidence: Evidence, better: Trait, worse: Trait) -> Joint | Lacking:
    """Systems of one trait against systems of another, of the same model in Phase 3."""
    found = []
    for game in GAMES:
        cells = [cell for key, cell in sorted(evidence.cells.items()) if (key.phase, key.game) == (3, game)]
        good = [cell for cell in cells if evidence.has(cell.key.system, better)]
        bad = [cell for cell in cells if evidence.has(cell.key.system, worse)]
        pairs = [(one, other) for one in good for other in bad if one.key.model == other.key.model]
        if not pairs:
            return lacking(
                evidence, f"Phase 3 with a {better.value} and a {worse.value} system of one model, in both games"
            )
        groups = average([difference(one, other) for one, other in pairs])
        name = f"{better.value} less {worse.value}, {GAME_NAMES[game]}"
        found.append(weighed(name, groups, GREATER, evidence.how(name)))
    return every(*found)


def graph_grows(evidence: Evidence) -> Joint | Lacking:
    """draft-H5: a knowledge graph's lead over other memories is larger after 50 games or 2,000 hands; in both games."""
    found = []
    for game in GAMES:
        real = [one.real for one in evidence.deltas(game, Augmentation.MEMORY)]
        graphs = [cell for cell in real if evidence.architecture(cell.key.system) is Trait.GRAPH]
        others = [cell for cell in real if evidence.architecture(cell.key.system) not in (Trait.GRAPH, None)]
        pairs = [(one, other) for one in graphs for other in others if one.key.model == other.key.model]
        if not pairs:
            return lacking(evidence, "Phase 2 memory with a graph and another architecture of one model, in both games")
        split = [(_late_less_early(evidence, one), _late_less_early(evidence, other)) for one, other in pairs]
        groups = average([graph + weighted(rest, -ONE) for graph, rest in split])
        name = f"lead late less lead early, {GAME_NAMES[game]}"
        found.append(weighed(name, groups, GREATER, evidence.how(name)))
    return every(*found)


def _late_less_early(evidence: Evidence, cell: Cell) -> list[Weighted]:
    """Late units less early units of a course: two samples, never paired."""
    units, norm = units_of(cell), evidence.norm.contrasts
    cut = norm.late_games // 2 if isinstance(cell, ChessCell) else norm.late_hands // cell.session_hands
    early, late = (Units(some, units.scale, "") for some in (units.values[:cut], units.values[cut:]))
    return [Weighted(late, ONE), Weighted(early, -ONE)]
