"""The matches of a run as cells, with every label that a score, the matrix and the hypotheses read."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

import msgspec

from ..experiment.matches import Match, SeatAt, others_of
from ..plan.manifest import Manifest, Plan
from ..plan.streams import patterns_of, stores_until
from ..seats import benchmark_sides
from ..table.game import Block
from ..table.registry import GAMES
from .departures import too_short
from .game_scoring import Played
from .hypotheses.evidence import ProbeCell
from .own_actions import why_forfeited, why_no_finding
from .quality.quality_questions import Answers
from .scorings import SCORINGS
from .seat_stats import FREE, cost_usd, stats_of
from .units.cells import AGAINST_BENCHMARK, Cell, CellKey


def matches_played(
    manifest: Manifest, blocks: Mapping[str, Sequence[Block]], answers: Answers | None = None
) -> list[Played]:
    """What was played, in the order of the plan: each match once for each of its seats that is looked at.

    A match without blocks was not played. `answers`: what the engine said of the moves by game, where the plan promised
    to ask it.
    """
    plan = manifest.plan
    return [
        Played(manifest.run_id, plan, match, seat_index, blocks[match.id], answers)
        for match in plan.matches
        if match.id in blocks
        for seat_index in plan.looked_at(match)
    ]


def cells_of(manifest: Manifest, blocks: Mapping[str, Sequence[Block]], answers: Answers | None = None) -> list[Cell]:
    """The cells of a run, as `matches_played` has them; those that forfeits decided have no finding (`own_actions`)."""
    return [shown_cell(manifest, played) for played in matches_played(manifest, blocks, answers)]


def shown_cell(manifest: Manifest, played: Played) -> Cell:
    """A cell as a person is shown it: the analysis of the released protocols has figures of forfeits, screens none."""
    cell = cell_of(manifest, played)
    noun = GAMES[played.match.game].result.many
    why = cell.no_finding or why_forfeited(stats_of(played), len(played.records), noun, manifest.plan.protocol)
    return msgspec.structs.replace(cell, no_finding=why)


def cell_of(manifest: Manifest, played: Played) -> Cell:
    """One match as a cell of the model in the seat that is looked at."""
    plan, match = manifest.plan, played.match
    cell = SCORINGS[match.game].cell(key_of(manifest, match, played.seat_index), played)
    careers, name = match.careers_played(len(cell.results)), match.seats[played.seat_index]
    return msgspec.structs.replace(
        cell,
        careers=careers,
        too_short=too_short(match, plan) if careers > 1 else "",
        no_finding=why_no_finding(stats_of(played), plan.protocol),
        shifts=tuple(shift.after for shift in match.shifts if shift.after < len(cell.results) // max(1, match.careers)),
        cost_usd=cost_usd(played.tallies[played.seat_index], plan.prices.get(name, FREE)),
        is_priced=name in plan.prices,
        opponent=_opponents(manifest, match, played.seat_index),
        patterns=_habits(plan, match, played.seat_index),
        stale_from=_stale_from(match, plan, played.seat_index),
    )


def _stale_from(match: Match, plan: Plan, seat_index: int) -> int:
    """The first unit of a career before whose every contest a memory that goes on has stored more than a stale one.

    After contest k both have the same entries, so they are told alike in contest k + 1 as well.
    """
    until, game, rules = stores_until(plan, match, seat_index), GAMES[match.game], plan.rules_of(match.game)
    if until is None:
        return 0
    seats = len(match.table)
    contests = game.unit_results(rules, seats) // game.contest_results(rules, seats)
    return -(-(until + 1) // contests)


def key_of(manifest: Manifest, match: Match, seat_index: int) -> CellKey:
    """The label of a match for one of its seats."""
    plan, (name, condition) = manifest.plan, (match.seats[seat_index], match.conditions[seat_index])
    repeat = plan.repeats.get(name)
    others = [index for index in range(len(match.table)) if index != seat_index]
    is_benchmark = match.phase and list(benchmark_sides(match.seats, plan.seats)) == others
    return CellKey(
        model_of(manifest, name),
        match.game,
        match.phase,
        condition.augmentation,
        condition.arm,
        condition.system,
        AGAINST_BENCHMARK if is_benchmark else match.part,
        repeat.temperature if repeat else "",
        len(match.table),
    )


def _opponents(manifest: Manifest, match: Match, seat_index: int) -> str:
    """The other seats by all of their settings, weights and conditions; empty where one seat plays itself.

    In any order, since a larger table is seated anew in each result: two tables are the same if the same players sit at
    them.
    """
    if match.is_self_play:
        return ""
    players = [_player_identity(manifest, at) for at in others_of(match.table, seat_index)]
    return sha256(b"\n".join(sorted(players))).hexdigest()


def _habits(plan: Plan, match: Match, seat_index: int) -> tuple[str, ...]:
    """The habits of the game that the other seats keep at first, each once."""
    others = [index for index in range(len(match.seats)) if index != seat_index]
    return tuple(dict.fromkeys(pattern for index in others for pattern in patterns_of(plan, match, index, 0)))


def _player_identity(manifest: Manifest, at: SeatAt) -> bytes:
    """All that tells a player from another: settings, weights, and the system of its condition."""
    pin, system = manifest.models.get(at.seat), manifest.plan.systems.get(at.condition.system)
    parts = (manifest.plan.seats[at.seat], pin.sha256 if pin else "", at.condition, system)
    return msgspec.json.encode(parts, order="deterministic")


def probes_of(manifest: Manifest, blocks: Mapping[str, Sequence[Block]]) -> Iterator[ProbeCell]:
    """Counts of each probe over the matches of a run, in the order of its plan, but for the robustness check.

    None of a match about whose seats nothing is found: a calculation is a move, which the harness may have drawn.
    """
    plan = manifest.plan
    for played in matches_played(manifest, blocks):
        match, seat_index = played.match, played.seat_index
        drawn = why_no_finding(stats_of(played), plan.protocol)
        if match.seats[seat_index] not in plan.repeats and not drawn:
            yield from SCORINGS[match.game].probes(key_of(manifest, match, seat_index), played)


def model_of(manifest: Manifest, name: str) -> str:
    """Identifier of a seat's player across bundles: its weights, its endpoint's model, or its name and kind.

    Only the seats that are measured are told apart by it: an opponent of the same model gives no other name, and a
    repeat at another temperature has that of the seat that it repeats.
    """
    plan = manifest.plan
    repeats = plan.repeats
    name = repeats[name].seat if name in repeats else name
    pin = manifest.models.get(name)
    looked_at = (match.seats[seat_index] for match in plan.matches for seat_index in plan.looked_at(match))
    measured = dict.fromkeys(seat for seat in looked_at if seat not in repeats)
    return plan.seats[name].player_id(name, pin.sha256 if pin else "", [plan.seats[seat] for seat in measured])
