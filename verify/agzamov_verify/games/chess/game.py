"""Chess in two variants: their matches, their limits, and the script of a stream of games."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final

import msgspec

from ...core.dice import Dice
from ...core.script import Script
from ...experiment.analysis_plan import SequentialRule
from ...experiment.matches import Match, Phase, PositionClass
from ...experiment.plan_fields import Count, Problem
from ...table.adjudication import Adjudication, AdjudicationPolicy
from ...table.decision import Tally, added
from ...table.game import Block, Bounds, Game, Noun, ScriptedPlayer, SeatsAt, StreamPlan, Utility
from ...table.players import tell_ended
from ...table.prompt_lines import Page, labelled, scripted_player, with_shots
from ...table.seating import alternating, by_place, by_seat
from ...table.small_profile import small_units
from ...table.survey import conclude, play_on
from . import engine_tools, novice_player, random_player, reference_player, who_stands_better
from . import tool as tool_texts
from .board_picture import ChessPictures
from .donor import donor_game
from .engine_tools import ENGINE_SERVER
from .game_script import WHITE, ChessRecord, ChessRules, play
from .habit_words import query
from .legal_moves import board_of
from .notes import observation
from .pattern_detectors import DETECTORS
from .pattern_sentences import CHESS_PATTERN_SORTS, CHESS_PATTERNS
from .probe_positions import fens_of, probe_positions_sha256, rules_from
from .prompt import templates
from .situation_words import PHRASES
from .starts import PAIR, position_of
from .stress_positions import asks_judgement, stress_positions_sha256
from .variants import CHESS960, STANDARD, Variant

PLIES_MAX = 1000
SMALL_PAIRS, SMALL_PLIES_MAX = 15, 60
"""Of the small profile of a plan: start pairs of a match without careers, and plies of a game."""
SMALL_ADJUDICATION = Adjudication(AdjudicationPolicy.MATERIAL, threshold_points=3, plies=4)


class ChessMatch(Match, frozen=True, tag="chess960"):
    """Chess960 games in start pairs; `block_games` of them share a stream.

    `positions`: the class of positions of Phase 5 that the games begin from in the place of starts, each with both
    colours; a career plays each at most once.
    """

    games: Count = 500
    block_games: Count = 2
    positions: PositionClass | None = None

    @property
    def part(self) -> str:
        return self.positions.value if self.positions else ""

    @property
    def planned(self) -> int:
        return self.games

    @property
    def block_results(self) -> int:
        return self.block_games


class StandardMatch(ChessMatch, frozen=True, tag="chess"):
    """Games of standard chess in pairs from one opening."""


class ChessBlock(Block, frozen=True):
    """Records of the games of one stream."""

    records: tuple[ChessRecord, ...]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Tallies of the seats over the games of the stream."""
        return chess_tallies(self.records, self.first)


def scripted_players(name: str) -> dict[str, ScriptedPlayer]:
    """The scripted players of a variant, by kind of seat."""
    return {
        "random": scripted_player(f"random/{name}", random_player.random_reply),
        "novice": scripted_player(f"novice/{name}", novice_player.novice_reply),
        "reference": scripted_player(f"reference/{name}", reference_player.reference_reply),
    }


def sign_of(variant: Variant) -> str:
    """The text that each user message of a variant holds, and none of another game."""
    return f"{variant.turn}\nFEN: "


class ChessGame(Game):
    """Chess from the starts of a variant, each played with both colours."""

    chess_variant: ClassVar[Variant]
    utility = Utility.CONSTANT_SUM
    unit = Noun("start played with both colours", "starts played with both colours")
    rules = ChessRules
    patterns = CHESS_PATTERNS
    detectors = DETECTORS
    pattern_sorts = CHESS_PATTERN_SORTS
    search_phrases = PHRASES
    remembers = True
    uses_engine = True
    assumes = frozenset({"plies"})

    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: ChessRules, dice: Dice) -> Script[Block]:
        records, match = [], stream.match
        assert isinstance(match, ChessMatch)
        for index in range(stream.first, stream.first + stream.count):
            seats = seats_at(index)
            if not (yield from play_on(seats, self.id_of(match, index), index)):
                break
            order = alternating(index)
            white, black = by_place(seats, order)
            start = self.start(dice, match, index // PAIR)
            name, judges = self.name_of(match, index), not order[WHITE] and asks_judgement(start)
            placed = name, start, white, black, rules_from(start, rules), dice
            record = yield from play(*placed, judges=judges, variant=self.chess_variant)
            tell_ended(seats, record)
            yield from self.remember(seats, (record,), index)
            yield from conclude(seats, record.game, index)
            records.append(record)
        return ChessBlock(stream.first, tuple(records))

    def start(self, dice: Dice, match: ChessMatch, pair: int) -> str:
        """The start of a pair of games: one of the variant, or in each career one of the class of positions."""
        if match.positions is None:
            return self.chess_variant.start(dice, pair)
        career_pairs = match.games // PAIR // max(1, match.careers)
        return position_of(dice, match.positions, fens_of(match.positions), pair, career_pairs)

    def observation(self, records: Sequence[ChessRecord], first: int, seat_index: int) -> str:
        return observation(records, first, seat_index, self.chess_variant)

    def donor_note(self, stream: StreamPlan, rules: ChessRules, number: int, seat_index: int, dice: Dice) -> str:
        match, index = stream.match, stream.first + number % stream.count
        assert isinstance(match, ChessMatch)
        start, order = self.start(dice, match, index // PAIR), alternating(index)
        record = donor_game(start, order, rules_from(start, rules), self.chess_variant, dice, number)
        return self.observation((record,), index, seat_index)

    def rules_played(self, match: ChessMatch, rules: ChessRules) -> Sequence[ChessRules]:
        return [rules_from(fen, rules) for fen in fens_of(match.positions)] if match.positions else (rules,)

    def positions(self, match: ChessMatch) -> int:
        return len(fens_of(match.positions)) if match.positions else 0

    def starts_of(self, match: Match) -> str:
        """All matches of one run share the starts, those from a class of positions the positions of this class."""
        return match.part

    def opening(self, dice: Dice, match: ChessMatch, unit: int) -> str:
        return self.start(dice, match, unit)

    def judgements(self, match: ChessMatch) -> Fraction:
        """Who stands better, which White is asked where that is asked: seat A in half of the games."""
        if not match.positions:
            return Fraction(0)
        fens = fens_of(match.positions)
        return Fraction(match.planned * sum(map(asks_judgement, fens)), 2 * len(fens))

    def search_words(self, page: Page) -> str:
        return query(board_of(labelled(page, "FEN")))

    def problems(self, rules: ChessRules) -> Iterator[Problem]:
        rule = rules.adjudication
        if not 1 <= rules.plies_max <= PLIES_MAX:
            yield Problem("plies_max", f"expected 1 to {PLIES_MAX}, found {rules.plies_max}")
        if rule.plies < 1 or rule.threshold_centipawns < 1 or rule.threshold_points < 1:
            yield Problem("adjudication", "expected positive thresholds and plies")
        if not 0 <= rule.play_on_percent <= 100:
            yield Problem("adjudication.play_on_percent", f"expected 0 to 100, found {rule.play_on_percent}")

    def match_problems(self, match: ChessMatch, rules: ChessRules) -> Iterator[Problem]:  # noqa: ARG002 - as declared
        if match.games % PAIR or match.block_games % PAIR:
            found = f"found {match.games} and {match.block_games}"
            yield Problem("", f"expected even games and block_games, {found}: a start is played with both colours")
        starts = self.chess_variant.starts  # with more games, starts would come again, and pairs be dependent
        if match.positions:
            yield from _position_problems(match)
        elif match.games > PAIR * starts:
            yield Problem("games", f"expected at most {PAIR * starts}: each of {starts} starts once with both colours")

    def self_play(self, seat: str, results: int) -> Match:
        return self.match(a=seat, b=seat, phase=Phase.BASELINE, games=results)  # type: ignore[call-arg] # of its own

    def small_match(self, match: ChessMatch, rules: ChessRules) -> ChessMatch:  # noqa: ARG002 - as declared
        if not match.careers:  # an odd number of games stays odd
            return msgspec.structs.replace(match, games=min(match.games, PAIR * SMALL_PAIRS), block_games=PAIR)
        pairs, careers = small_units(match.games // PAIR, match, SMALL_PAIRS)
        return msgspec.structs.replace(match, games=PAIR * pairs, careers=careers, block_games=PAIR)

    def small_rules(self, rules: ChessRules) -> ChessRules:
        percent = rules.adjudication.play_on_percent
        adjudication = msgspec.structs.replace(SMALL_ADJUDICATION, play_on_percent=percent)
        plies_max = min(rules.plies_max, SMALL_PLIES_MAX)
        return msgspec.structs.replace(rules, plies_max=plies_max, adjudication=adjudication)

    def bounds(self, rule: SequentialRule) -> Bounds:  # noqa: ARG002 - as declared
        """Half-points of a start pair."""
        return Bounds(0, 2 * PAIR, PAIR)

    def unit_results(self, rules: ChessRules, seats: int) -> int:  # noqa: ARG002 - as declared
        return PAIR

    def variant(self, rules: ChessRules) -> str:
        """The chess prompt: a list of legal moves changes what is measured, and a worked example does."""
        return with_shots(rules.prompt.value, rules.shots)

    def decisions(self, rules: ChessRules, assumed: Mapping[str, Fraction]) -> Fraction:
        return min(assumed["plies"], Fraction(rules.plies_max))

    def sample_rules(self, rules: ChessRules, assumed: Mapping[str, Fraction]) -> ChessRules:
        return msgspec.structs.replace(rules, plies_max=int(self.decisions(rules, assumed)))

    def engine_adjudication(self, rules: ChessRules) -> Adjudication | None:
        return rules.adjudication if rules.adjudication.policy is AdjudicationPolicy.STOCKFISH else None


class Chess960(ChessGame):
    """Chess from 960 starts."""

    name = "chess960"
    openings = CHESS960.starts
    title = CHESS960.title
    sign = sign_of(CHESS960)
    chess_variant = CHESS960
    match = ChessMatch
    pictures = ChessPictures("chess960")
    templates: ClassVar = {**templates(CHESS960), **who_stands_better.TEMPLATES}
    tool = ENGINE_SERVER
    tool_templates: ClassVar = {**tool_texts.TEMPLATES, **engine_tools.TEMPLATES}
    names_candidates = True
    scripted: ClassVar = scripted_players("chess960")
    data_sha256: ClassVar = {
        "chess960/probe_positions": probe_positions_sha256(),
        "chess960/stress_positions": stress_positions_sha256(),
    }


class StandardChess(ChessGame):
    """Chess from short openings.

    It has no tool, whose lines tell castling as in Chess960, and no classes of positions, which are of Chess960.
    """

    name = "chess"
    title = STANDARD.title
    sign = sign_of(STANDARD)
    openings = STANDARD.starts
    unit = Noun("opening played with both colours", "openings played with both colours")
    chess_variant = STANDARD
    match = StandardMatch
    pictures = ChessPictures("chess")
    templates: ClassVar = templates(STANDARD)
    scripted: ClassVar = scripted_players("chess")

    def match_problems(self, match: ChessMatch, rules: ChessRules) -> Iterator[Problem]:
        if match.positions:
            yield Problem("positions", "expected none: classes of positions are of chess960")
        else:
            yield from super().match_problems(match, rules)


def chess_tallies(records: Sequence[ChessRecord], first: int = 0) -> tuple[Tally, ...]:
    """Tallies of the seats over games of a match, in order from number `first`."""
    games = enumerate(records, start=first)
    return added(by_seat(record.tallies, alternating(index)) for index, record in games)


def _position_problems(match: ChessMatch) -> Iterator[Problem]:
    assert match.positions
    count = len(fens_of(match.positions))
    games = match.games // max(1, match.careers)
    if games > PAIR * count:
        each = " a career" if match.careers else ""
        message = (
            f"expected at most {PAIR * count}{each}: each of {count} {match.part} positions once with both colours"
        )
        yield Problem("games", message)


GAME: Final[ChessGame] = Chess960()
STANDARD_CHESS: Final[ChessGame] = StandardChess()
VARIANTS: Final[Mapping[str, Game]] = {game.name: game for game in (GAME, STANDARD_CHESS)}
