"""Cells: what one model did under one condition of one phase in one game, in the units that scoring counts in.

A cell is labelled by what was varied (paper sections 3.4 and 4.3): the augmentation, and the arm of the
experiment. Scoring never looks at a manifest again; a later phase only has to label its records.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final, TypeAlias

import msgspec

from ...games.chess960.rules import End
from ...games.chess960.script import ChessRecord
from ...games.decision import Tally, added
from ...games.holdem.rules import HandEnd
from ...games.holdem.script import HandRecord, PokerRules
from ...manifest import ChessMatch, Manifest, Match, Plan, Price
from ...phases.streams import Block, a_is_first
from ...seats import EndpointSeat, GgufSeat, HouseSeat, OllamaSeat
from ..chess960 import BY_RULE, by_pairs, chess_tallies, halfpoints_a
from ..conduct import cost_usd
from ..holdem import poker_tallies, unit_sums, with_mirrors
from ..luck.adjusted import Method, net_units
from ..luck.ranges import range_units
from ..quality.figures import Answers, StageLosses, stage_losses
from ..quality.norm import load_quality_norm
from ..results import chess_records, hand_records

DIGEST_KEPT = 32  # hex digits: 128 bits, so that no two files are made to share them
FREE: Final = Price()
LUCK_METHODS: Final = (Method.ALL_IN, Method.CARD_LUCK, Method.BASELINE)
"""Which corrections a hand carries, least first; their coefficients are fixed before the data."""
AGAINST_HOUSE: Final = "house"
"""The part of a phase that is no self-play but played against the house. It is nobody's baseline."""


class Augmentation(StrEnum):
    """What the agent has beside the prompt (paper Table 2)."""

    NAKED = "naked"
    MEMORY = "memory"
    TOOLS = "tools"
    RAG = "rag"
    FULL = "full"


class Arm(StrEnum):
    """The three experimental conditions of a sub-phase (paper section 4.3)."""

    NAKED = "naked"
    PLACEBO = "placebo"
    REAL = "real"


class CellKey(msgspec.Struct, frozen=True, order=True):
    """Where a cell stands. `model` is what plays; `system` is the augmentation system, empty where there is none.

    `part` divides a phase further: the class of positions in Phase 5, or AGAINST_HOUSE.
    """

    model: str
    game: str
    phase: int
    augmentation: Augmentation = Augmentation.NAKED
    arm: Arm = Arm.NAKED
    system: str = ""
    part: str = ""

    def __str__(self) -> str:
        system = f" ({self.system})" if self.system else ""
        part = f" {self.part}" if self.part else ""
        return f"{self.model} {self.game} phase {self.phase}{part} {self.augmentation.value}/{self.arm.value}{system}"


class ChessGame(msgspec.Struct, frozen=True, gc=False):
    """One game from the measured seat's side. `raw_halfpoints` is without adjudication.

    `errors` and `decisions`: its own and the opponent's, first attempts. `played_on`: it was adjudicated, and then
    played to its end all the same. `losses`: its centipawns lost and moves judged in opening, middlegame, endgame,
    where the engine was asked.
    """

    halfpoints: int
    raw_halfpoints: int
    end: End
    substituted: bool
    errors: tuple[int, int]
    plies: int
    decisions: tuple[int, int] = (0, 0)
    played_on: bool = False
    losses: tuple[tuple[int, int], ...] = ()

    @property
    def decided_by_play(self) -> bool:
        """Whether the rules of chess ended it, with every move a seat's own."""
        return self.end in BY_RULE and not self.substituted


class PokerHand(msgspec.Struct, frozen=True, gc=False):
    """One hand from the measured seat's side, in chips (100 are one big blind). `errors`: its own, the opponent's.

    `adjusted`: chips without luck by `LUCK_METHODS`, in units of 1 / `PER_CHIP`; empty where the cards are not known.
    `ranged`: the same by `RangeMethod`; empty where the house does not sit on one side alone.
    """

    chips: int
    end: HandEnd
    errors: tuple[int, int]
    decisions: tuple[int, int] = (0, 0)
    adjusted: tuple[int, ...] = ()
    ranged: tuple[int, ...] = ()

    @property
    def decided_by_play(self) -> bool:
        """Whether nobody forfeited it, and every first attempt was legal."""
        return self.end is not HandEnd.FORFEIT and not any(self.errors)


class _Cell(msgspec.Struct, frozen=True, kw_only=True):
    """What both games' cells have.

    `starts` names the starts or decks: cells with the same name and size are paired, unit by unit. `tallies` are of
    the measured seat and its opponent. `shifts`: after how many games or hands a strategy was forced to change.
    """

    starts: str = ""
    shifts: tuple[int, ...] = ()
    tallies: tuple[Tally, Tally] = msgspec.field(default_factory=lambda: (Tally(), Tally()))
    cost_usd: Fraction = Fraction(0)


class ChessCell(_Cell, frozen=True):
    """The games of a cell, in order; two by two they share a start, with colours exchanged."""

    key: CellKey
    games: tuple[ChessGame, ...]

    @property
    def results(self) -> tuple[ChessGame, ...]:
        """The games, by the name that both kinds of cells share."""
        return self.games

    @property
    def halfpoints(self) -> list[int]:
        """The measured seat's half-points of each game."""
        return [game.halfpoints for game in self.games]

    @property
    def wins(self) -> int:
        """How many games the measured seat won."""
        return sum(game.halfpoints == 2 for game in self.games)

    def pairs(self, value: Callable[[ChessGame], int]) -> list[int]:
        """Sums of a value of each game over the two games of a start."""
        return by_pairs(list(map(value, self.games)))


class PokerCell(_Cell, frozen=True):
    """The hands of a cell, in order. `mirrored`: the second half played the decks of the first, seats exchanged.

    A unit is a session, or with mirrored decks a session and its mirror, which are not independent.
    """

    key: CellKey
    hands: tuple[PokerHand, ...]
    session_hands: int
    mirrored: bool = False

    @property
    def results(self) -> tuple[PokerHand, ...]:
        """The hands, by the name that both kinds of cells share."""
        return self.hands

    @property
    def chips(self) -> list[int]:
        """The measured seat's chips of each hand."""
        return [hand.chips for hand in self.hands]

    @property
    def unit_hands(self) -> int:
        """How many hands make up a unit."""
        return self.session_hands * (2 if self.mirrored else 1)

    @property
    def course(self) -> list[int]:
        """The measured seat's chips in the order of play; mirrored halves are played side by side, so hand by hand."""
        return with_mirrors(self.chips) if self.mirrored else self.chips

    def units(self, value: Callable[[PokerHand], int]) -> list[int]:
        """Sums of a value of each hand over whole units."""
        return unit_sums(list(map(value, self.hands)), self.session_hands, mirrored=self.mirrored)


Cell: TypeAlias = ChessCell | PokerCell


def arm_of(cells: Mapping[CellKey, Cell], real: CellKey, arm: Arm) -> Cell | None:
    """Another arm of a real arm's sub-phase: that of the same system if it has its own, else the common one."""
    own, common = (msgspec.structs.replace(real, arm=arm, system=system) for system in (real.system, ""))
    return cells.get(own) or cells.get(common)


def pooled(one: Cell, other: Cell) -> Cell:
    """The results of two cells of one key together; they are paired with no other cell's any more."""
    tallies = added(cell.tallies for cell in (one, other))
    cost = one.cost_usd + other.cost_usd
    if isinstance(one, ChessCell) and isinstance(other, ChessCell):
        games = one.games + other.games
        return msgspec.structs.replace(one, games=games, starts="", tallies=tallies, cost_usd=cost)
    assert isinstance(one, PokerCell)
    assert isinstance(other, PokerCell)
    # The second halves stay behind the first ones: where decks are mirrored, that is where their mirrors are.
    first, second = len(one.hands) // 2 if one.mirrored else 0, len(other.hands) // 2 if one.mirrored else 0
    hands = one.hands[:first] + other.hands[:second] + one.hands[first:] + other.hands[second:]
    return msgspec.structs.replace(one, hands=hands, starts="", tallies=tallies, cost_usd=cost)


def cells_of(manifest: Manifest, blocks: Mapping[str, Sequence[Block]], answers: Answers | None = None) -> list[Cell]:
    """The cells of a run, in the order of its plan; a match without blocks was not played.

    `answers`: what the engine said of the moves by game, where the plan promised to ask it.
    """
    played = [match for match in manifest.plan.matches if match.id in blocks]
    return [cell_of(manifest, match, blocks[match.id], answers) for match in played]


def cell_of(manifest: Manifest, match: Match, blocks: Sequence[Block], answers: Answers | None = None) -> Cell:
    """One match as a cell of the model that sits in its seat A."""
    plan, sides = manifest.plan, house_sides(match, manifest.plan)
    part = AGAINST_HOUSE if match.phase and sides == (1,) else ""
    key = CellKey(model_of(manifest, match.a), match.game, match.phase, part=part)
    price = plan.prices.get(match.a, Price())
    if isinstance(match, ChessMatch):
        records = chess_records(blocks)
        losses = stage_losses(records, answers, load_quality_norm(plan.protocol)) if answers else ()
        return chess_cell(key, records, manifest.run_id, price, losses)
    hands, tallies = hand_records(blocks), poker_tallies(blocks)
    cell = poker_cell(key, hands, tallies, manifest.run_id, plan.holdem, price)
    return with_ranges(cell, hands, sides[0], plan.holdem.stack_chips) if len(sides) == 1 else cell


def house_sides(match: Match, plan: Plan) -> tuple[int, ...]:
    """Which seats of a match the house sits in: 0 for seat A, 1 for seat B."""
    return tuple(side for side, name in enumerate((match.a, match.b)) if isinstance(plan.seats[name], HouseSeat))


def with_ranges(cell: PokerCell, records: Sequence[HandRecord], side: int, stack_chips: int) -> PokerCell:
    """The cell with every hand averaged over the range of the house, which sits in seat `side`."""
    hands = []
    for index, (hand, record) in enumerate(zip(cell.hands, records, strict=True)):
        first = a_is_first(index)
        units = range_units(record, side if first else 1 - side, stack_chips)
        ranged = units if first else tuple(-one for one in units)
        hands.append(msgspec.structs.replace(hand, ranged=ranged))
    return msgspec.structs.replace(cell, hands=tuple(hands))


def chess_cell(
    key: CellKey,
    records: Sequence[ChessRecord],
    starts: str,
    price: Price = FREE,
    losses: Sequence[StageLosses] = (),
) -> ChessCell:
    """The cell of some replayed games, in order from the first of a match.

    `losses`: of each game, where the engine was asked.
    """
    tallies = chess_tallies(records)
    games = tuple(chess_games(records))
    if losses:
        pairs = zip(games, losses, strict=True)
        games = tuple(msgspec.structs.replace(game, losses=lost) for game, lost in pairs)
    return ChessCell(key, games, starts=starts, tallies=tallies, cost_usd=cost_usd(tallies[0], price))


def poker_cell(
    key: CellKey,
    records: Sequence[HandRecord],
    tallies: tuple[Tally, Tally],
    starts: str,
    rules: PokerRules,
    price: Price = FREE,
) -> PokerCell:
    """The cell of some replayed hands, in order from the first of a match."""
    return PokerCell(
        key,
        tuple(poker_hands(records)),
        rules.session_hands,
        rules.mirrored,
        starts=starts,
        tallies=tallies,
        cost_usd=cost_usd(tallies[0], price),
    )


def chess_games(records: Iterable[ChessRecord]) -> Iterable[ChessGame]:
    """Replayed games, in order from the first of a match, from seat A's side."""
    for index, record in enumerate(records):
        a, b = record.tallies if a_is_first(index) else reversed(record.tallies)
        yield ChessGame(
            halfpoints_a(index, record.ending),
            halfpoints_a(index, record.raw),
            record.ending.end,
            bool(a.substituted or b.substituted),
            (a.faults, b.faults),
            len(record.moves),
            (a.decisions, b.decisions),
            record.ending.end is End.ADJUDICATION and record.raw.end is not End.UNFINISHED,
        )


def poker_hands(records: Iterable[HandRecord]) -> Iterable[PokerHand]:
    """Replayed hands, in order from the first of a match, from seat A's side."""
    for index, record in enumerate(records):
        side = 0 if a_is_first(index) else 1
        sign, (faults, decisions) = 1 - 2 * side, (record.faults, decisions_of(record))
        adjusted = tuple(sign * net_units(record, method) for method in LUCK_METHODS) if record.story else ()
        yield PokerHand(
            sign * record.net_chips,
            record.end,
            (faults[side], faults[1 - side]),
            (decisions[side], decisions[1 - side]),
            adjusted,
        )


def decisions_of(record: HandRecord) -> tuple[int, int]:
    """How often the button and the big blind acted; who forfeited a hand is not kept, so that decision is missing."""
    if record.story is None:
        return 0, 0
    button = sum(played.player == 0 for played in record.story.history)
    return button, len(record.story.history) - button


def model_of(manifest: Manifest, name: str) -> str:
    """What identifies a seat's player across bundles: its weights, its endpoint's model, or its name and kind.

    Of several seats with one endpoint model, each has its name before it.
    """
    seat = manifest.plan.seats[name]
    match seat:
        case EndpointSeat():
            names = [one.model for one in manifest.plan.playing.values() if isinstance(one, EndpointSeat)]
            return f"openai:{seat.model}" if names.count(seat.model) < 2 else f"openai:{name}@{seat.model}"
        case GgufSeat() | OllamaSeat():
            return f"{name}@{manifest.models[name].sha256[:DIGEST_KEPT]}"
        case _:
            return f"{name}@{seat.__struct_config__.tag}"
