"""docs/hypotheses.md: each hypothesis that a run can hold is tested by the results of the plans that the page names.

The results are made up: cells as the plans promise them, between players of whom one learns. Only what a contrast asks
for is looked at, not whether it holds.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
import pytest

from agzamov_harness.run.plan_file import read_plan
from agzamov_verify.experiment.matches import Arm, Augmentation, Match, Phase, Trait
from agzamov_verify.games.chess.cell import ChessCell
from agzamov_verify.games.chess.rules import End
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.scoring.hypotheses.declarations import BY_ID, REGISTRY, Hypothesis
from agzamov_verify.scoring.hypotheses.evidence import Evidence, Insufficient, Probe, ProbeCell, parts_of, traits_of
from agzamov_verify.scoring.match_cells import key_of
from agzamov_verify.scoring.units.cells import Cell, CellKey
from verify.agzamov.generator import CHESS, EVEN, POKER, World, cell, evidence

PAGE: Final = Path("docs/hypotheses.md")
NO_PLAN: Final = "none"
ROW = re.compile(r"^\| ((?:draft-)?[HE][0-9]+) \| .+ \| (.+) \|$", re.MULTILINE)
PLAN_NAME = re.compile(r"`([a-z0-9-]+\.yaml)`")
LEARNS: Final = {CHESS: World(win=0.0, draw=0.02, late=0.97, tau=25), POKER: World(mean=-400, late=1200, tau=400)}
AT_REST: Final = {CHESS: World(win=0.05, draw=0.9), POKER: EVEN}
"""Of arms without a system, which are what learning is measured against: of little noise, as careers are short."""
STRONG: Final = {CHESS: World(win=0.75, draw=0.1), POKER: World(mean=300)}
PROBED: Final = {
    "slight": Probe.EVALUATION,
    "severe": Probe.EVALUATION,
    "mate": Probe.CALCULATION,
    "won": Probe.EFFICIENCY,
}
PLANS: Final = dict(ROW.findall(PAGE.read_text()))


def test_the_page_names_every_hypothesis_once() -> None:
    assert list(PLANS) == [str(hypothesis.id) for hypothesis in REGISTRY]
    assert len(ROW.findall(PAGE.read_text())) == len(PLANS)


@pytest.mark.parametrize("hypothesis", REGISTRY, ids=lambda hypothesis: hypothesis.id)
def test_a_hypothesis_has_a_plan_unless_no_run_can_hold_it(hypothesis: Hypothesis) -> None:
    said = PLANS[hypothesis.id]
    if hypothesis.out_of_reach:
        assert said.startswith(NO_PLAN)
    elif hypothesis.same_as:
        assert said == f"as {hypothesis.same_as}"
    else:
        assert PLAN_NAME.findall(said)


@pytest.mark.slow
@pytest.mark.parametrize("name", [str(hypothesis.id) for hypothesis in REGISTRY if hypothesis.contrast])
def test_the_plans_of_a_hypothesis_test_it(name: str) -> None:
    contrast = BY_ID[next(one.id for one in REGISTRY if one.id == name)].contrast
    assert contrast
    found = contrast(evidence_of(tuple(PLAN_NAME.findall(PLANS[name]))))
    assert not isinstance(found, Insufficient), found.reason
    assert found.p is not None


@pytest.mark.slow
def test_without_its_plan_a_hypothesis_is_not_tested() -> None:
    contrast = BY_ID[REGISTRY[0].id].contrast
    assert contrast
    assert isinstance(contrast(evidence_of(("phase5.yaml",))), Insufficient)


# --- results as the plans promise them -------------------------------------------------------------


@lru_cache
def evidence_of(names: tuple[str, ...]) -> Evidence:
    """The evidence of some plans together, as `agzamov protocol run` would have it."""
    cells: dict[CellKey, Cell] = {}
    probes: list[ProbeCell] = []
    traits: dict[str, frozenset[Trait]] = {}
    parts: dict[str, Mapping[str, Augmentation]] = {}
    for name in names:
        plan = read_plan(Path("manifests") / name)
        manifest = msgspec.structs.replace(BLANK, plan=plan)
        traits |= traits_of(plan.systems)
        parts |= parts_of(plan.systems)
        for match in plan.matches:
            if match.measured not in plan.repeats:
                key = key_of(manifest, match, 0)
                assert key not in cells or match.phase == Phase.SANITY, f"{key} is in two plans"
                cells[key] = promised(match, key)
                if probe := PROBED.get(key.part):
                    probes.append(ProbeCell(key, probe, (1, 0) * 15))
    return evidence(list(cells.values()), probes, traits, parts)


def promised(match: Match, key: CellKey) -> Cell:
    """A cell of the size of its match, or a smaller one of the same design.

    Where seat A has a system, each career learns anew, and again after each shift, which makes its play worse.
    """
    learns = match.condition.arm is Arm.REAL
    careers = max(1, match.careers)
    size = match.planned // careers // 2 * 2
    if not match.shifts:
        size = min(size, 200 if match.game == CHESS else 4_000)
    shifts = tuple(shift.after for shift in match.shifts)
    ends = (*shifts, size)
    made: Cell | None = None
    for career in range(careers):
        for part, (first, end) in enumerate(zip((0, *shifts), ends, strict=True)):
            learning = STRONG if shifts and not part else LEARNS
            resting = AT_REST[match.game] if match.phase >= Phase.ASYMMETRIC else EVEN
            world = learning[match.game] if learns else resting
            label = msgspec.structs.replace(key, model=f"{key.model} {career} {part}")
            some = cell(label, world, end - first)
            made = made.with_results_of(some) if made else some
    assert made
    counted = match.careers if match.condition.arm is not Arm.NAKED else 0
    made = msgspec.structs.replace(made, key=key, careers=counted, shifts=shifts)
    return judged(made) if isinstance(made, ChessCell) else made


def judged(made: ChessCell) -> ChessCell:
    """The same with centipawns lost, and a tenth of the games played on after adjudication."""
    games = tuple(
        msgspec.structs.replace(
            game,
            losses=((0, 0), (400 + at % 7, 20), (400 + at % 5, 10)),
            played_on=at % 10 == 0,
            end=End.ADJUDICATION if at % 10 == 0 else game.end,
        )
        for at, game in enumerate(made.games)
    )
    return msgspec.structs.replace(made, games=games)


BLANK: Final = Manifest(
    "agz-manifest-1", read_plan(Path("manifests/quickstart.yaml")), "0" * 64, {}, None, "0" * 64, "0" * 64, "0" * 32
)
