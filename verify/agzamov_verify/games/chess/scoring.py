"""The scoring half of chess, in both variants."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

import msgspec

from ...plan.manifest import Plan
from ...protocols.norms import Protocol
from ...scoring.game_scoring import GameScoring, Played
from ...scoring.hypotheses.evidence import Evidence, ProbeCell
from ...scoring.match_figures import Setting
from ...scoring.quality.quality_constants import load_quality_constants
from ...scoring.quality.quality_index import StageLosses, stage_losses
from ...scoring.units.cells import CellKey
from ...table.adjudication import AdjudicationPolicy
from ...table.game import Game
from .cell import ChessCell, chess_cell
from .game import GAME, STANDARD_CHESS, ChessMatch
from .game_script import ChessRecord, ChessRules
from .judged_moves import JUDGED_MOVES
from .match_analysis import ChessAnalysis, StandardAnalysis, chess_analysis, probe_cells, read_back_figures
from .match_counts import ChessResult, StandardResult, chess_result, pair_halfpoints
from .probe_positions import fens_of
from .starts import PAIR


class ChessNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of a variant in the protocol: of Chess960, those of Table 8.

    `prompts` are the variants of the protocol: a score or matrix is of one of them.
    """

    games_min: int
    phase0_games: int
    adjudication: str
    adjudication_centipawns: int
    adjudication_plies: int
    prompts: tuple[str, ...]


class ChessScoring(GameScoring):
    """Start pairs, the pentanomial score, engine-judged moves."""

    game: ClassVar[Game] = GAME
    counts: ClassVar[type[ChessResult]] = ChessResult
    analysis: ClassVar[type[ChessAnalysis]] = ChessAnalysis
    sanity_ranks: ClassVar[bool] = True

    def count(self, played: Played) -> ChessResult:
        return chess_result(played.records, played.seat_index, self.counts)

    def cell(self, key: CellKey, played: Played) -> ChessCell:
        records, plan = played.records, played.plan
        losses: Sequence[StageLosses] = ()
        if played.answers:
            constants = load_quality_constants(plan.protocol)
            losses = stage_losses(JUDGED_MOVES, records, played.seat_index, played.answers, constants)
        starts = "/".join(filter(None, (played.run, played.match.part)))
        return chess_cell(key, records, played.seat_index, starts, losses=losses)

    def analyse(self, cell: ChessCell, setting: Setting, evidence: Evidence, played: Played) -> ChessAnalysis:
        probes = tuple(self.probes(cell.key, played))
        read = read_back_figures(played.records, played.seat_index, evidence)
        return chess_analysis(cell, setting, evidence, probes, self.analysis, read)

    def probes(self, key: CellKey, played: Played) -> Iterator[ProbeCell]:
        return probe_cells(key, played.records, played.seat_index)

    def observations(
        self,
        records: Sequence[ChessRecord],
        rules: ChessRules,  # noqa: ARG002 - as declared
        seat_index: int,
    ) -> list[int]:
        """Half-points of each start pair."""
        return pair_halfpoints(records, seat_index)

    def size_departures(self, match: ChessMatch, plan: Plan, protocol: Protocol) -> Iterator[str]:  # noqa: ARG002
        norm = protocol.norms(self.game.name, ChessNorm)
        if match.positions:
            needed = PAIR * len(fens_of(match.positions)) * max(1, match.careers)
            if match.games != needed:
                yield f"{match.id}: {match.games} games planned, {needed} required: each position with both colours"
        elif not match.phase and match.games != norm.phase0_games:
            yield f"{match.id}: {match.games} games planned, {norm.phase0_games} required"
        elif match.phase and match.games < norm.games_min:
            yield f"{match.id}: {match.games} games planned, at least {norm.games_min} required"

    def rule_departures(self, plan: Plan, protocol: Protocol) -> Iterator[str]:
        rules: ChessRules = plan.rules_of(self.game.name)
        rule, norm = rules.adjudication, protocol.norms(self.game.name, ChessNorm)
        if rule.policy.value != norm.adjudication:
            yield f"adjudication by {rule.policy.value}, {norm.adjudication} required"
            return
        required = norm.adjudication_centipawns, norm.adjudication_plies
        if rule.policy is AdjudicationPolicy.STOCKFISH and (rule.threshold_centipawns, rule.plies) != required:
            yield f"adjudication at {rule.threshold_centipawns} centipawns for {rule.plies} plies"

    def play_departures(self, plan: Plan, protocol: Protocol) -> Iterator[str]:
        """Rules that have no number in the protocol file: their defaults are the protocol's."""
        rules, norm = plan.rules_of(self.game.name), ChessRules()
        if rules.plies_max < norm.plies_max:
            yield f"chess games end at {rules.plies_max} plies, at least {norm.plies_max} required"
        if rules.draw_claims is not norm.draw_claims:
            yield f"draws are claimed {rules.draw_claims.value}, {norm.draw_claims.value} required"
        prompts = protocol.norms(self.game.name, ChessNorm).prompts
        if rules.prompt.value not in prompts:
            yield f"chess prompt {rules.prompt.value}, {' or '.join(prompts)} required"
        if rules.shots:
            yield f"chess prompts with {rules.shots} worked example, none required"
        if plan.quality.nodes not in (0, protocol.engine.nodes):
            yield f"moves judged at {plan.quality.nodes} nodes, {protocol.engine.nodes} required"


class StandardScoring(ChessScoring):
    """The same of standard chess."""

    game = STANDARD_CHESS
    counts = StandardResult
    analysis = StandardAnalysis


SCORING = ChessScoring()
VARIANTS: Final[Mapping[str, GameScoring]] = {scoring.game.name: scoring for scoring in (SCORING, StandardScoring())}
