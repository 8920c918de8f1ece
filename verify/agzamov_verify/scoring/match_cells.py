"""The matches of a run as cells, with every label that a score, the matrix and the hypotheses read."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

import msgspec

from ..experiment import Arm, Match
from ..games.game import Block
from ..manifest import Manifest
from ..seats import benchmark_sides
from .career_length import too_short
from .cells import AGAINST_BENCHMARK, Cell, CellKey
from .game_scoring import Played
from .hypotheses.evidence import ProbeCell
from .quality.positions import Answers
from .registry import SCORINGS
from .seat_stats import FREE, cost_usd


def cells_of(manifest: Manifest, blocks: Mapping[str, Sequence[Block]], answers: Answers | None = None) -> list[Cell]:
    """The cells of a run, in the order of its plan; a match without blocks was not played.

    `answers`: the engine's evaluations of the moves by game, where the plan promised them.
    """
    played = [match for match in manifest.plan.matches if match.id in blocks]
    return [cell_of(manifest, match, blocks[match.id], answers) for match in played]


def cell_of(manifest: Manifest, match: Match, blocks: Sequence[Block], answers: Answers | None = None) -> Cell:
    """One match as a cell of the model that sits in its seat A."""
    plan = manifest.plan
    cell = SCORINGS[match.game].cell(key_of(manifest, match), Played(manifest.run_id, plan, match, blocks, answers))
    careers = _careers(match, cell)
    return msgspec.structs.replace(
        cell,
        careers=careers,
        too_short=too_short(match, plan) if careers > 1 else "",
        shifts=tuple(shift.after for shift in match.shifts if shift.after < len(cell.results) // max(1, match.careers)),
        cost_usd=cost_usd(cell.tallies[0], plan.prices.get(match.a, FREE)),
        is_priced=match.a in plan.prices,
        opponent=_opponent(manifest, match),
    )


def key_of(manifest: Manifest, match: Match) -> CellKey:
    """The label of a match."""
    plan, condition = manifest.plan, match.condition
    repeat = plan.repeats.get(match.a)
    return CellKey(
        model_of(manifest, match.a),
        match.game,
        match.phase,
        condition.augmentation,
        condition.arm,
        condition.system,
        AGAINST_BENCHMARK if match.phase and benchmark_sides(match.seats, plan.seats) == (1,) else match.part,
        repeat.temperature if repeat else "",
    )


def _opponent(manifest: Manifest, match: Match) -> str:
    """Seat B by all of its settings, and by its weights where it has some; empty where seat A plays itself."""
    if match.b == match.a:
        return ""
    pin = manifest.models.get(match.b)
    settings = msgspec.json.encode(manifest.plan.seats[match.b], order="deterministic")
    return sha256(settings + (pin.sha256.encode() if pin else b"")).hexdigest()


def probes_of(manifest: Manifest, blocks: Mapping[str, Sequence[Block]]) -> Iterator[ProbeCell]:
    """Counts of each probe over the matches of a run, in the order of its plan, but for the robustness check."""
    plan = manifest.plan
    for match in plan.matches:
        if match.id in blocks and match.a not in plan.repeats:
            played = Played(manifest.run_id, plan, match, blocks[match.id])
            yield from SCORINGS[match.game].probes(key_of(manifest, match), played)


def _careers(match: Match, cell: Cell) -> int:
    """Careers whose results depend on each other: none where no seat has anything that lasts from game to game."""
    if all(condition.arm is Arm.NAKED for condition in match.conditions):
        return 0
    return match.careers if len(cell.results) == match.planned else min(1, match.careers)


def model_of(manifest: Manifest, name: str) -> str:
    """Identifier of a seat's player across bundles: its weights, its endpoint's model, or its name and kind.

    Only the seats that are measured are told apart by it: an opponent of the same model gives no other name, and a
    repeat at another temperature has that of the seat that it repeats.
    """
    plan = manifest.plan
    repeats = plan.repeats
    name = repeats[name].seat if name in repeats else name
    pin = manifest.models.get(name)
    measured = dict.fromkeys(match.a for match in plan.matches if match.a not in repeats)
    return plan.seats[name].player_id(name, pin.sha256 if pin else "", [plan.seats[seat] for seat in measured])
