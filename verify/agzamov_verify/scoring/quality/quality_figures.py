"""All quality figures of a run, and the index of the answers they follow from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from ...core.seat_letters import seat_letter
from ...experiment.matches import Match
from ...experiment.plan_fields import Line, Sha256
from ...plan.manifest import Plan
from ...plan.streams import streams_of
from ...protocols.norms import load_protocol
from ...table.game import Block, records_of
from ...table.registry import parts
from ...table.seating import place_of
from ..inference.unit_values import equal_parts
from .judged_moves import JudgedMoves
from .quality_constants import load_quality_constants, quality_constants_sha256
from .quality_index import SeatQuality, by_distinct_game, groups_of, moves_by_game, uses_engine
from .quality_questions import Answers

JUDGED: Final[Mapping[str, JudgedMoves]] = parts("judged_moves")
"""The games whose moves the engine judges, by name."""

FORMAT: Literal["agz-quality-1"] = "agz-quality-1"
INDEX_FILE, FIGURES_FILE = "index.json", "figures.json"
NODES_MAX = 1_000_000

Nodes = Annotated[int, Meta(ge=1, le=NODES_MAX)]


class StreamAnswers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answers about one stream's games: how many lines, and the SHA-256 of the uncompressed file."""

    lines: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    sha256: Sha256
    stream: str


class QualityIndex(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Index of the engine's answers: run, engine, settings; a row for each judged stream, in the order of the run."""

    engine: Line
    format: Literal["agz-quality-1"]
    hash_mib: Annotated[int, Meta(ge=1, le=256)]
    net_sha256: Sha256
    nodes: Nodes
    constants_sha256: Sha256
    run: Annotated[str, Meta(max_length=16)]
    streams: tuple[StreamAnswers, ...]


class QualityResults(msgspec.Struct, frozen=True):
    """The figures. `departures`: where the engine was asked otherwise than the protocol says."""

    format: Literal["agz-quality-1"]
    run: str
    protocol: str
    constants_sha256: str
    nodes: int
    departures: tuple[str, ...]
    seats: tuple[SeatQuality, ...]

    @property
    def by_match(self) -> dict[str, list[SeatQuality]]:
        """The seats of each match, in their order."""
        found: dict[str, list[SeatQuality]] = {}
        for row in self.seats:
            found.setdefault(row.match, []).append(row)
        return found


def answers_name(stream: str) -> str:
    """The file of the answers about a stream's games."""
    return f"{stream}.jsonl.gz"


def index_of(run: str, protocol_id: str, nodes: int, streams: Sequence[StreamAnswers]) -> QualityIndex:
    """The index of answers that the protocol's engine gave at `nodes` nodes a position."""
    engine = load_protocol(protocol_id).engine
    constants = quality_constants_sha256(protocol_id)
    return QualityIndex(engine.name, FORMAT, engine.hash_mib, engine.net_sha256, nodes, constants, run, tuple(streams))


class JudgedStream(NamedTuple):
    """A stream whose moves are judged: its name, its game's part, and its records."""

    id: str
    judged: JudgedMoves
    records: Sequence[Any]


def judged_streams(plan: Plan, blocks: Mapping[str, Sequence[Block]]) -> Iterator[JudgedStream]:
    """Every such stream that was played, in the order of the run."""
    for match in sorted(plan.matches, key=lambda match: match.phase):
        for stream, block in zip(streams_of(match), blocks.get(match.id, ()), strict=False):
            if match.game in JUDGED:
                yield JudgedStream(stream.id, JUDGED[match.game], block.records)


def quality_of(
    run: str,
    plan: Plan,
    blocks: Mapping[str, Sequence[Block]],
    answers: Answers,
    nodes: int,
    *,
    as_released: bool = False,
) -> QualityResults:
    """The figures of a run from its blocks by match id and the engine's answers by game.

    Their intervals are over careers where a store lasts from game to game. `as_released`: over games all the same, as
    0.3.0 has them in figures.json, which never changes (decision 121).
    """
    seats = tuple(
        row
        for match in plan.matches
        if match.game in JUDGED and match.id in blocks
        for row in _seats(match, records_of(blocks[match.id]), answers, plan, as_released=as_released)
    )
    constants = quality_constants_sha256(plan.protocol)
    return QualityResults(FORMAT, run, plan.protocol, constants, nodes, quality_departures(plan, nodes), seats)


def released_and_shown(
    run: str, plan: Plan, blocks: Mapping[str, Sequence[Block]], answers: Answers, nodes: int
) -> tuple[QualityResults, QualityResults]:
    """The figures as figures.json has them, and as they are shown: others where games belong to careers."""
    shown = quality_of(run, plan, blocks, answers, nodes)
    if not any(match.careers_played(match.planned) for match in plan.matches):
        return shown, shown
    return quality_of(run, plan, blocks, answers, nodes, as_released=True), shown


def quality_departures(plan: Plan, nodes: int) -> tuple[str, ...]:
    """One line where the quality of a run was not asked as its protocol says."""
    required = load_protocol(plan.protocol).engine.nodes
    return () if nodes == required else (f"quality at {nodes} nodes, {required} required",)


def _seats(
    match: Match, records: Sequence[Any], answers: Answers, plan: Plan, *, as_released: bool
) -> Iterator[SeatQuality]:
    careers = 0 if as_released else match.careers_played(len(records))
    constants = load_quality_constants(plan.protocol)
    judged = JUDGED[match.game]
    identities = list(map(judged.identity, records))
    by_seat = moves_by_game(judged, records, answers, constants)
    for seat_index, (name, games) in enumerate(zip(match.seats, by_seat, strict=True)):
        yield SeatQuality(
            match=match.id,
            phase=match.phase,
            side=seat_letter(seat_index),
            seat=name,
            engine_alignment=uses_engine(plan.seats[name], has_tool=plan.tool_of(match, seat_index) is not None),
            substituted=_substituted(records, seat_index),
            **groups_of(by_distinct_game(games, identities), constants, equal_parts(games, careers) if careers else ()),
        )


def _substituted(records: Sequence[Any], seat_index: int) -> int:
    """Number of moves of a seat that were drawn from the seed in its place."""
    tallies = (record.tallies[place_of(seat_index, index)] for index, record in enumerate(records))
    return sum(tally.substituted for tally in tallies)
