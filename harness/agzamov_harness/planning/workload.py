"""Calls, tokens, cost and time of a plan, before it is sealed.

They come from the plan's sizes and from assumptions, each of which is printed and can be replaced. Prompts are those of
this version: they are measured on a few games and hands between random players, cut where the assumed game ends. A
match from a class of positions is no match of whole games: from a forced mate a game ends when the moves of the mate
are over, from a won ending at its own limit of plies, and neither is adjudicated.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Final, NamedTuple

import msgspec

from agzamov_verify.checks.quality_answers import SEARCHES_MAX
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Message, Planted
from agzamov_verify.core.script import Exchanges
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan, Price
from agzamov_verify.plan.streams import block_script
from agzamov_verify.scoring.seat_stats import TOKENS_PRICED
from agzamov_verify.seats import ModelSeat, ScriptedSeat, Seat
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.planted import bare
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.scripted_players import random_answer

from ..run.assumptions import Assumptions
from ..run.call_forecast import (
    calls_a_seat,
    calls_at_table,
    decisions,
    rules_played,
)


def adjudicated(match: Match, plan: Plan, assumed: Mapping[str, Fraction]) -> Fraction:
    """The expected number of positions of one result that the engine values to adjudicate: one after each decision."""
    game, rules = GAMES[match.game], rules_played(match, plan)
    asked = (game.decisions(each, assumed) for each in rules if game.engine_adjudication(each))
    return sum(asked, Fraction(0)) / len(rules)


SAMPLE_DICE: Final = Dice(b"agzamov plan sample".ljust(32, b"\0"))
"""One for all samples: common spots are made once for each seat and game."""


def characters_per_token(game: str, assumptions: Assumptions) -> Fraction:
    """Characters of a prompt of a game that make one token."""
    return assumptions.by_name.get(f"{game}_characters_per_token", assumptions.characters_per_token)


class SeatLoad(msgspec.Struct, frozen=True):
    """Calls, tokens, cost and duration of one seat in the whole run; no cost if the plan has no price for it."""

    seat: str
    kind: str
    calls: int
    prompt_tokens: int
    reply_tokens: int
    cost_usd: Fraction | None
    wall_s: Fraction


class PlantedLoad(msgspec.Struct, frozen=True):
    """Planted questions of all model seats, which stand in their loads too. `share`: of their calls."""

    calls: int
    prompt_tokens: int
    reply_tokens: int
    share: Fraction

    @property
    def words(self) -> str:
        """Calls, share and tokens."""
        share = f"{float(100 * self.share):.1f} % of models' calls"
        return f"{self.calls:,} calls, {share}, {self.prompt_tokens:,} tokens in and {self.reply_tokens:,} out"


def tokens_of(seats: Sequence[SeatLoad]) -> int:
    """Tokens of prompts and replies together."""
    return sum(seat.prompt_tokens + seat.reply_tokens for seat in seats)


def cost_usd_of(seats: Sequence[SeatLoad]) -> Fraction | None:
    """The sum of US dollars, or None where a seat's is not known."""
    known = [seat.cost_usd for seat in seats if seat.cost_usd is not None]
    return sum(known, Fraction(0)) if len(known) == len(seats) else None


class Load(msgspec.Struct, frozen=True):
    """The whole run. Seats wait for each other within a game, so their times add up.

    `evaluations`, `engine_s`: of adjudication. `tool_answers`, `tool_s`: of the seats' tools. `judged`, `searches`,
    `quality_s`: the positions that the engine judges after the games, in so many searches and seconds at most.
    """

    seats: tuple[SeatLoad, ...]
    evaluations: int
    engine_s: Fraction
    tool_answers: int
    tool_s: Fraction
    judged: int
    searches: int
    quality_s: Fraction
    planted: PlantedLoad

    @property
    def calls(self) -> int:
        return sum(seat.calls for seat in self.seats)

    @property
    def tokens(self) -> int:
        """Of prompts and replies together."""
        return tokens_of(self.seats)

    @property
    def cost_usd(self) -> Fraction | None:
        """The sum, or None where a seat's is not known."""
        return cost_usd_of(self.seats)

    @property
    def wall_s(self) -> Fraction:
        return sum((seat.wall_s for seat in self.seats), self.engine_s + self.tool_s + self.quality_s)


def load_of(plan: Plan, assumptions: Assumptions) -> Load:
    """Calls, tokens, cost and time of a run in which every match is played, no gate stops one and no reply is bad."""
    calls, planted_calls = Counter[str](), Counter[str]()
    tokens, planted_tokens = dict[str, Fraction](), dict[str, Fraction]()
    for match in plan.matches:
        sizes = prompt_characters(plan, match, assumptions)
        per_token = characters_per_token(match.game, assumptions)
        for name, asked, planted in calls_at_table(match, plan, assumptions):
            calls[name] += asked
            planted_calls[name] += planted
            tokens[name] = tokens.get(name, Fraction(0)) + asked * sizes[name].asked / per_token
            planted_tokens[name] = planted_tokens.get(name, Fraction(0)) + planted * sizes[name].bare / per_token
    loads = {
        name: seat_load(name, plan, calls[name] + planted_calls[name], tokens[name] + planted_tokens[name], assumptions)
        for name in calls
    }
    seats = tuple(loads.values())
    evaluations = _evaluations(plan, assumptions)
    engine_s = Fraction(evaluations * plan.engine.nodes, assumptions.engine_nodes_per_s * assumptions.cores)
    answers, tool_s = _tool_load(plan, assumptions)
    judged, searches, quality_s = _quality_load(plan, assumptions)
    planted_load = _planted_load(plan, seats, planted_calls, planted_tokens, assumptions)
    return Load(seats, evaluations, engine_s, answers, tool_s, judged, searches, quality_s, planted_load)


def _planted_load(
    plan: Plan,
    seats: Sequence[SeatLoad],
    calls: Mapping[str, int],
    tokens: Mapping[str, Fraction],
    assumptions: Assumptions,
) -> PlantedLoad:
    parts = [seat_load(name, plan, calls[name], tokens[name], assumptions) for name in calls]
    of_models = sum(seat.calls for seat in seats if plan.seats[seat.seat].is_model)
    total = sum(part.calls for part in parts)
    return PlantedLoad(
        total,
        sum(part.prompt_tokens for part in parts),
        sum(part.reply_tokens for part in parts),
        Fraction(total, of_models or 1),
    )


class PromptSizes(NamedTuple):
    """Mean characters of a seat's messages in a match: as they are asked, and of bare prompts alone."""

    asked: Fraction
    bare: Fraction


def prompt_characters(plan: Plan, match: Match, assumptions: Assumptions) -> dict[str, PromptSizes]:
    """The mean length of a seat's messages in a match, measured on a sample played by random players."""
    characters: dict[str, list[tuple[int, int]]] = {}
    game = GAMES[match.game]
    rules = game.sample_rules(plan.rules_of(game.name), assumptions.by_name)
    sampled = msgspec.structs.replace(plan, **{game.name: rules})
    script = block_script(StreamPlan("sample", match, 0, game.sample_results), sampled, SAMPLE_DICE)
    for question, _ in Exchanges(script, random_answer):
        if isinstance(question, Chat) and not isinstance(question, Planted):
            lengths = _length(question.messages), _length(bare(question.messages))
            characters.setdefault(question.to, []).append(lengths)
    return {
        name: PromptSizes(*(Fraction(sum(column), len(column)) for column in zip(*lengths, strict=True)))
        for name, lengths in characters.items()
    }


def _length(messages: Sequence[Message]) -> int:
    return sum(len(message.content) for message in messages)


def seat_load(name: str, plan: Plan, calls: int, tokens: Fraction, assumptions: Assumptions) -> SeatLoad:
    """Cost and duration of so many calls of a seat, with so many tokens in their prompts together."""
    seat = plan.seats[name]
    kind = seat.kind
    if not isinstance(seat, ModelSeat):
        return SeatLoad(name, kind, calls, 0, 0, Fraction(0), _scripted_s(seat, calls, assumptions))
    prompt = round(tokens)
    replies = calls * min(assumptions.reply_tokens, seat.tokens_max)
    cost = _cost_usd(plan.prices.get(name), prompt, replies)
    wall_s = calls * assumptions.seconds_per_call / seat.concurrency
    if seat.minute_requests_max:
        wall_s = max(wall_s, Fraction(60 * calls, seat.minute_requests_max))
    return SeatLoad(name, kind, calls, prompt, replies, cost, wall_s)


def _cost_usd(price: Price | None, prompt: int, replies: int) -> Fraction | None:
    if price is None:
        return None
    return (prompt * Fraction(price.input_usd) + replies * Fraction(price.output_usd)) / TOKENS_PRICED


def _scripted_s(seat: Seat, calls: int, assumptions: Assumptions) -> Fraction:
    """Scripted players and engines think on all cores."""
    if seat.engine_nodes:
        return Fraction(calls * seat.engine_nodes, assumptions.engine_nodes_per_s * assumptions.cores)
    if isinstance(seat, ScriptedSeat) and seat.is_slow:
        return Fraction(calls * assumptions.scripted_ms_per_call, 1000 * assumptions.cores)
    return Fraction(0)


def _evaluations(plan: Plan, assumptions: Assumptions) -> int:
    """One after each decision in a game that the engine adjudicates."""
    by_match = (match.planned * adjudicated(match, plan, assumptions.by_name) for match in plan.matches)
    return ceil(sum(by_match, Fraction(0)))


def _quality_load(plan: Plan, assumptions: Assumptions) -> tuple[int, int, Fraction]:
    """Positions that the engine judges after the games, and the most searches and seconds on all cores that it takes.

    Of each game the positions before its plies and the one after the last. At most, since a game that ends by the rules
    lacks the last one, and a played move that is the engine's own needs no search.
    """
    if not plan.quality.nodes:
        return 0, 0, Fraction(0)
    positions = Fraction(0)
    for match in plan.matches:
        if GAMES[match.game].uses_engine:
            positions += match.planned * (decisions(match, plan, assumptions.by_name) + 1)
    judged = ceil(positions)
    searches = SEARCHES_MAX * judged
    nodes_per_s = assumptions.engine_nodes_per_s * assumptions.cores
    return judged, searches, Fraction(searches * plan.quality.nodes, nodes_per_s)


def _tool_load(plan: Plan, assumptions: Assumptions) -> tuple[int, Fraction]:
    """Answers of the seats' tools, one at each decision or as many as a model may call for, and their time in seconds.

    As much work as the plan allows: all candidates of chess, and the most showdowns on every street of hold'em. The
    engine thinks on all cores; the calculator is taken to compute on one.
    """
    answers, total_s = 0, Fraction(0)
    for match, use in ((one, use) for one in plan.matches for use in plan.tools_of(one)):
        game = GAMES[match.game]
        if not use:
            continue
        asked = calls_a_seat(match, plan, assumptions) * max(1, use.calls_max)
        nodes = use.moves_max * use.nodes if game.uses_engine else 0
        showdowns = min(use.comparisons_max, game.tool_showdowns_max)
        answer_s = Fraction(nodes, assumptions.engine_nodes_per_s * assumptions.cores)
        answers += asked
        total_s += asked * (answer_s + Fraction(showdowns, assumptions.showdowns_per_s))
    return answers, total_s
