"""For every contrast, evidence in which the hypothesis holds and evidence in which it does not."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from agzamov_verify.experiment.analysis_plan import HypothesisId as Id
from agzamov_verify.experiment.matches import Arm, Augmentation, Trait
from agzamov_verify.games.chess.cell import ChessCell, ChessGame
from agzamov_verify.games.chess.rules import End
from agzamov_verify.scoring.hypotheses.evidence import EQUAL, SEVERE, SLIGHT, Evidence, Probe, ProbeCell
from agzamov_verify.scoring.units.cells import Cell, CellKey
from verify.agzamov.generator import CHESS, POKER, World, arms, cell, evidence, stream

MEMORY, TOOLS, RAG, FULL = Augmentation.MEMORY, Augmentation.TOOLS, Augmentation.RAG, Augmentation.FULL
GAINS, NOTHING, LOSES = World(win=0.65, draw=0.2, mean=120), World(), World(win=0.1, mean=-80)
SMALL_GAIN = World(win=0.42, mean=30)


class Planted(NamedTuple):
    """Evidence where the hypothesis holds, and where it does not."""

    true: Callable[[], Evidence]
    false: Callable[[], Evidence]


def helps(real: World) -> Evidence:
    return evidence(arms(real))


def placebo(real: World) -> Evidence:
    return evidence(arms(real, placebo=SMALL_GAIN))


def by_game(chess: World, poker: World) -> Evidence:
    return evidence(arms(chess, games=[CHESS]) + arms(poker, games=[POKER]))


def parts(full: World) -> Evidence:
    """A full stack with its parts, and a memory that is none of them."""
    kinds = {kind.value: kind for kind in (MEMORY, TOOLS, RAG)}
    alone = World(win=0.4, mean=10)
    single = [one for name, kind in kinds.items() for one in arms(alone, augmentation=kind, system=name)]
    other = arms(World(win=0.05, mean=-200), augmentation=MEMORY, system="other")
    return evidence(single + other + arms(full, augmentation=FULL, system="stack"), parts={"stack": kinds})


def courses(second: World) -> Evidence:
    """Two memories of about the same delta; the first has all of it from the start."""
    worlds = {("s", Arm.REAL): World(win=0.55), ("t", Arm.REAL): second}
    keys = [CellKey("m", CHESS, 2, MEMORY, arm, system) for arm in (Arm.REAL, Arm.NAKED) for system in "st"]
    return evidence([cell(key, worlds.get((key.system, key.arm), NOTHING), 1000) for key in keys])


def two_models(weak: World) -> Evidence:
    sanity = [cell(CellKey(model, game, 0), world) for model, world in RANDOMS.items() for game in (CHESS, POKER)]
    wide = [one for game in (CHESS, POKER) for one in long_arms(game, weak)]
    return evidence(sanity + wide + arms(GAINS, model="strong"))


RANDOMS = {"weak": World(win=0.5, mean=20), "strong": World(win=0.95, draw=0.05, mean=200)}


def long_arms(game: str, real: World) -> list[Cell]:
    """Enough results to show that nothing is there."""
    size = 3000 if game == CHESS else 80_000
    keys = [CellKey("weak", game, 2, MEMORY, arm, "s") for arm in (Arm.REAL, Arm.NAKED)]
    return [cell(key, world, size) for key, world in zip(keys, (real, NOTHING), strict=True)]


def stressed(slight: World) -> Evidence:
    some = {SLIGHT: slight, EQUAL: World(win=0.37), SEVERE: World(win=0.36)}
    return evidence([one for part, real in some.items() for one in arms(real, phase=5, part=part, games=[CHESS])])


def arms_race(better: World, good: Trait, bad: Trait) -> Evidence:
    keys = [CellKey("m", game, 3, MEMORY, Arm.REAL, system) for game in (CHESS, POKER) for system in "st"]
    cells = [cell(key, better if key.system == "s" else NOTHING) for key in keys]
    return evidence(cells, traits={"s": frozenset({good}), "t": frozenset({bad})})


def staged(gain: int) -> Evidence:
    """Centipawns lost a move; memory saves `gain` of them in the middlegame and ten in the endgame."""
    cells = []
    for one in arms(NOTHING, games=[CHESS]):
        assert isinstance(one, ChessCell)
        saved = (gain, 10) if one.key.arm is Arm.REAL else (0, 0)
        draw = stream(one.key)
        lost = [[60 - saved[at] + int(draw.integers(-40, 41)) for at in range(2)] for _ in one.games]
        games = tuple(
            msgspec.structs.replace(game, losses=((0, 0), (20 * mid, 20), (10 * end, 10)))
            for game, (mid, end) in zip(one.games, lost, strict=True)
        )
        cells.append(msgspec.structs.replace(one, games=games))
    return evidence(cells)


def probed(evaluated: int, calculated: int) -> Evidence:
    """So many right answers of 200."""
    counts = {Probe.EVALUATION: evaluated, Probe.CALCULATION: calculated}
    probes = [
        ProbeCell(CellKey("m", CHESS, 2), probe, (1,) * right + (0,) * (200 - right)) for probe, right in counts.items()
    ]
    return evidence([], probes)


def systems(first: list[float], recovery: list[float]) -> Evidence:
    """Memories of rising quality: how long each takes to learn, and to recover from a shift after 300 games."""
    cells: list[Cell] = []
    for at, (tau, again) in enumerate(zip(first, recovery, strict=True)):
        late, name = 0.5 + 0.05 * at, f"s{at}"
        keys = [CellKey("m", CHESS, 2, MEMORY, arm, name) for arm in (Arm.REAL, Arm.NAKED)]
        cells += [cell(keys[0], World(win=0.1, draw=0, late=late, tau=tau), 800), cell(keys[1], World(win=0.1), 800)]
        cells.append(shifted(CellKey("m", CHESS, 3, MEMORY, Arm.REAL, name), again))
    return evidence(cells)


def shifted(key: CellKey, again: float) -> ChessCell:
    """Strong play, and after game 300 weak play that climbs back."""
    before, after = (
        cell(key, World(win=0.7, draw=0.1), 300),
        cell(key, World(win=0.0, draw=0.1, late=0.85, tau=again), 600),
    )
    assert isinstance(before, ChessCell)
    assert isinstance(after, ChessCell)
    return msgspec.structs.replace(before, games=before.games + after.games, shifts=(300,))


def noise_bearing(hands: list[float]) -> Evidence:
    """Memories that keep less of their gain in poker from the first to the last; `hands` are their time constants."""
    cells: list[Cell] = []
    for at, tau in enumerate(hands):
        chess, poker = World(win=0.1, late=0.6, tau=60), World(mean=-200, late=560 - 50 * at, tau=tau)
        for game, real, size in ((CHESS, chess, 500), (POKER, poker, 6000)):
            keys = [CellKey("m", game, 2, MEMORY, arm, f"s{at}") for arm in (Arm.REAL, Arm.NAKED)]
            cells += [cell(keys[0], real, size), cell(keys[1], NOTHING, size)]
    return evidence(cells)


def erring(share: float) -> Evidence:
    return evidence(
        [
            cell(CellKey("m", game, 2, MEMORY, arm, "s"), World(errors=share if arm is Arm.REAL else 0.05), size)
            for game, size in ((CHESS, 6000), (POKER, 40_000))
            for arm in (Arm.REAL, Arm.NAKED)
        ]
    )


def played_on(drawn: int) -> Evidence:
    """Of 60 games that were adjudicated and played on, so many came to nothing."""
    games = tuple(
        ChessGame(
            2, 1 if at < drawn else 2, End.ADJUDICATION, substituted=False, errors=(0, 0), plies=80, played_on=True
        )
        for at in range(60)
    )
    return evidence([ChessCell(CellKey("m", CHESS, 1), games)])


def noisy(real: World) -> Evidence:
    return evidence(arms(real), traits={"s": frozenset({Trait.NOISY})})


def every_system(second: World) -> Evidence:
    return evidence(arms(GAINS) + arms(second, system="t"))


def architectures(second: World) -> Evidence:
    kinds = {"s": frozenset({Trait.SEMANTIC}), "t": frozenset({Trait.GRAPH})}
    return evidence(arms(SMALL_GAIN) + arms(second, system="t"), traits=kinds)


def growing(chess: World, poker: World) -> Evidence:
    keys = [
        (CellKey("m", game, 2, MEMORY, arm, system), graph if (arm, system) == (Arm.REAL, "t") else NOTHING)
        for game, graph in ((CHESS, chess), (POKER, poker))
        for arm in (Arm.REAL, Arm.NAKED)
        for system in "st"
    ]
    cells = [cell(key, world, 500 if key.game == CHESS else 10_000) for key, world in keys]
    return evidence(cells, traits={"s": frozenset({Trait.SEMANTIC}), "t": frozenset({Trait.GRAPH})})


def endings(with_memory: int, other_model: int) -> Evidence:
    """Efficiency per mille of a model naked (500) and with memory, and of another model."""
    wanted = [("m", Arm.NAKED, 500), ("m", Arm.REAL, with_memory), ("n", Arm.NAKED, other_model)]
    probes = []
    for model, arm, level in wanted:
        key = CellKey(model, CHESS, 2, MEMORY, arm)
        values = tuple(int(level + shift) for shift in stream(key).integers(-150, 151, 80))
        probes.append(ProbeCell(key, Probe.EFFICIENCY, values))
    return evidence([], probes)


FALLING = [200.0, 170.0, 140.0, 110.0, 90.0, 75.0, 60.0, 45.0]
RISING = [30.0, 45.0, 60.0, 75.0, 90.0, 105.0, 120.0, 135.0]
"""Time constants in games, from the worst system to the best."""

PLANTED: Mapping[Id, Planted] = {
    Id.H1: Planted(lambda: helps(GAINS), lambda: helps(NOTHING)),
    Id.H2: Planted(lambda: placebo(GAINS), lambda: placebo(SMALL_GAIN)),
    Id.H3: Planted(lambda: by_game(World(win=0.37), GAINS), lambda: by_game(World(win=0.45), World(mean=20))),
    Id.H4: Planted(lambda: parts(World(win=0.9, draw=0.05, mean=250)), lambda: parts(World(win=0.5, mean=30))),
    Id.H5: Planted(lambda: courses(World(win=0.1, draw=0.2, late=0.5, tau=60)), lambda: courses(World(win=0.55))),
    Id.E1: Planted(lambda: two_models(NOTHING), lambda: two_models(World(win=0.45, mean=30))),
    Id.E2: Planted(lambda: by_game(World(win=0.37), GAINS), lambda: by_game(World(win=0.6), World(mean=10))),
    Id.E3: Planted(lambda: stressed(World(win=0.65)), lambda: stressed(World(win=0.37))),
    Id.E4: Planted(
        lambda: arms_race(GAINS, Trait.TEMPORAL, Trait.UNIFORM),
        lambda: arms_race(NOTHING, Trait.TEMPORAL, Trait.UNIFORM),
    ),
    Id.E5: Planted(lambda: staged(30), lambda: staged(10)),
    Id.E6: Planted(lambda: probed(190, 30), lambda: probed(172, 30)),
    Id.E8: Planted(lambda: systems(RISING, FALLING), lambda: systems(FALLING, RISING)),
    Id.E9: Planted(
        lambda: noise_bearing([300.0, 450.0, 700.0, 1000.0, 1500.0, 2200.0]),
        lambda: noise_bearing([2200.0, 1500.0, 1000.0, 700.0, 450.0, 300.0]),
    ),
    Id.E10: Planted(lambda: erring(0.02), lambda: erring(0.12)),
    Id.E11: Planted(lambda: played_on(9), lambda: played_on(3)),
    Id.E12: Planted(lambda: noisy(LOSES), lambda: noisy(NOTHING)),
    Id.DRAFT_H1: Planted(lambda: every_system(World(win=0.55, mean=60)), lambda: every_system(NOTHING)),
    Id.DRAFT_H2: Planted(lambda: architectures(World(win=0.7, mean=120)), lambda: architectures(SMALL_GAIN)),
    Id.DRAFT_H3: Planted(lambda: by_game(World(win=0.37), GAINS), lambda: by_game(World(win=0.6), World(mean=10))),
    Id.DRAFT_H4: Planted(
        lambda: arms_race(GAINS, Trait.SEMANTIC, Trait.FULL_TEXT),
        lambda: arms_race(NOTHING, Trait.SEMANTIC, Trait.FULL_TEXT),
    ),
    Id.DRAFT_H5: Planted(
        lambda: growing(World(win=0.1, late=0.55, tau=30), World(mean=-200, late=320, tau=1000)),
        lambda: growing(World(win=0.5), World(mean=20)),
    ),
    Id.DRAFT_H20: Planted(lambda: endings(500, 300), lambda: endings(300, 300)),
}
