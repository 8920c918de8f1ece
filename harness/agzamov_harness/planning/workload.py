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
from typing import Any, Final, NamedTuple

import msgspec

from agzamov_verify.checks.quality_answers import SEARCHES_MAX
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Message, Planted
from agzamov_verify.core.script import Exchanges
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan, Price
from agzamov_verify.plan.streams import block_script
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.seat_stats import TOKENS_PRICED
from agzamov_verify.seats import ModelSeat, ScriptedSeat, Seat
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.planted import PER_MILLE, PERCENT, bare
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.scripted_players import random_answer


def decisions(match: Match, plan: Plan, assumed: Mapping[str, Fraction]) -> Fraction:
    """The expected number of decisions of all seats together in one result: the mean over the rules it is played by."""
    game, rules = GAMES[match.game], _rules_played(match, plan)
    return sum((game.decisions(each, assumed) for each in rules), Fraction(0)) / len(rules)


def adjudicated(match: Match, plan: Plan, assumed: Mapping[str, Fraction]) -> Fraction:
    """The expected number of positions of one result that the engine values to adjudicate: one after each decision."""
    game, rules = GAMES[match.game], _rules_played(match, plan)
    asked = (game.decisions(each, assumed) for each in rules if game.engine_adjudication(each))
    return sum(asked, Fraction(0)) / len(rules)


def judgements(match: Match) -> Fraction:
    """Questions to seat A before a first move (who stands better)."""
    return GAMES[match.game].judgements(match)


def _rules_played(match: Match, plan: Plan) -> Sequence[Any]:
    return GAMES[match.game].rules_played(match, plan.rules_of(match.game))


TOOL_CALLS_ASSUMED: Final = 2
"""Calls of a model for each decision where it searches its memory by tool calls: the search, and the decision."""
SAMPLE_DICE: Final = Dice(b"agzamov plan sample".ljust(32, b"\0"))
"""One for all samples: common spots are made once for each seat and game."""


class Assumptions(msgspec.Struct, frozen=True):
    """Assumed values of what is unknown before a run. `plies`: of a chess game; `decisions_per_hand`: of both players.

    `decisions_per_hand` was counted in 200 hands between reference players, and so was the time of a scripted reply;
    the speeds of the engine and the calculator were measured on one core of a common machine. Characters a token were
    counted with the tokenizer of SmolLM2 (49,152 entries) in 219 chess prompts (2.67; positions and moves are mostly
    numbers and single letters) and 212 of hold'em (3.40); `characters_per_token` is for any other game. The rest are
    guesses, to be replaced.
    """

    plies: int = 110
    decisions_per_hand: Fraction = Fraction(44, 10)
    chess960_characters_per_token: Fraction = Fraction(27, 10)
    holdem_characters_per_token: Fraction = Fraction(34, 10)
    characters_per_token: Fraction = Fraction(3)
    reply_tokens: int = 300
    seconds_per_call: Fraction = Fraction(3)
    scripted_ms_per_call: int = 10
    engine_nodes_per_s: int = 850_000
    showdowns_per_s: int = 450_000
    cores: int = 2

    @property
    def by_name(self) -> dict[str, Fraction]:
        """The assumptions by name, as games take them."""
        return {name: Fraction(value) for name, value in msgspec.structs.asdict(self).items()}


ASKED: Final = {
    "plies": "plies (half-moves) per chess game",
    "decisions_per_hand": "decisions per poker hand, both players together",
    "chess960_characters_per_token": "characters per token of a Chess960 prompt (measured)",
    "holdem_characters_per_token": "characters per token of a hold'em prompt (measured)",
    "characters_per_token": "characters per token of another game's prompt",
    "reply_tokens": "tokens per reply of a model",
    "seconds_per_call": "seconds per reply of a model",
    "scripted_ms_per_call": "milliseconds of one core per reply of a scripted player",
    "engine_nodes_per_s": "nodes per second of the engine on one core",
    "showdowns_per_s": "showdowns per second of the calculator",
    "cores": "cores of the machine",
}
"""The assumptions that a person may set, in words."""


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
    def cost_usd(self) -> Fraction | None:
        """The sum, or None where a seat's is not known."""
        costs_usd = [seat.cost_usd for seat in self.seats if seat.cost_usd is not None]
        return sum(costs_usd, Fraction(0)) if len(costs_usd) == len(self.seats) else None

    @property
    def wall_s(self) -> Fraction:
        return sum((seat.wall_s for seat in self.seats), self.engine_s + self.tool_s + self.quality_s)


def load_of(plan: Plan, assumptions: Assumptions) -> Load:
    """Calls, tokens, cost and time of a run in which every match is played, no gate stops one and no reply is bad."""
    calls, planted_calls = Counter[str](), Counter[str]()
    tokens, planted_tokens = dict[str, Fraction](), dict[str, Fraction]()
    for match in plan.matches:
        seat_calls, sizes = _calls_a_seat(match, plan, assumptions), prompt_characters(plan, match, assumptions)
        per_token = characters_per_token(match.game, assumptions)
        for index, name in enumerate(match.seats):
            asked = seat_calls * _calls_a_decision(match, index, plan) + (0 if index else ceil(judgements(match)))
            planted = planted_questions(seat_calls, plan) if plan.seats[name].is_model else 0
            calls[name] += asked
            planted_calls[name] += planted
            tokens[name] = tokens.get(name, Fraction(0)) + asked * sizes[name].asked / per_token
            planted_tokens[name] = planted_tokens.get(name, Fraction(0)) + planted * sizes[name].bare / per_token
    loads = {
        name: _seat_load(
            name, plan, calls[name] + planted_calls[name], tokens[name] + planted_tokens[name], assumptions
        )
        for name in calls
    }
    seats = tuple(loads.values())
    evaluations = _evaluations(plan, assumptions)
    engine_s = Fraction(evaluations * plan.engine.nodes, assumptions.engine_nodes_per_s * assumptions.cores)
    answers, tool_s = _tool_load(plan, assumptions)
    judged, searches, quality_s = _quality_load(plan, assumptions)
    planted_load = _planted_load(plan, seats, planted_calls, planted_tokens, assumptions)
    return Load(seats, evaluations, engine_s, answers, tool_s, judged, searches, quality_s, planted_load)


def planted_questions(decisions_of_seat: int, plan: Plan) -> int:
    """The expected number of planted questions of a model's seat that makes so many decisions in a match."""
    norm = load_protocol(plan.protocol).planted
    common = Fraction(norm.common_permille * decisions_of_seat, PER_MILLE) + norm.common_min
    again = Fraction(norm.again_permille * decisions_of_seat, PER_MILLE) + norm.again_min
    return ceil(common * (1 + Fraction(norm.twice_percent, PERCENT)) + 2 * again)


def _planted_load(
    plan: Plan,
    seats: Sequence[SeatLoad],
    calls: Mapping[str, int],
    tokens: Mapping[str, Fraction],
    assumptions: Assumptions,
) -> PlantedLoad:
    parts = [_seat_load(name, plan, calls[name], tokens[name], assumptions) for name in calls]
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


def _calls_a_seat(match: Match, plan: Plan, assumptions: Assumptions) -> int:
    """Each of the seats; a seat that plays itself is asked twice as often, once under each letter."""
    return ceil(match.planned * decisions(match, plan, assumptions.by_name) / len(match.seats))


def _calls_a_decision(match: Match, seat_index: int, plan: Plan) -> int:
    """Calls of a seat for each decision: two where it calls tools, or names candidates for one."""
    if any(system.needs_tool_calls for system in plan.parts_of(match.systems[seat_index]).values()):
        return TOOL_CALLS_ASSUMED
    use = plan.tool_of(match, seat_index)
    return 2 if use and (use.is_steered or GAMES[match.game].names_candidates) else 1


def _seat_load(name: str, plan: Plan, calls: int, tokens: Fraction, assumptions: Assumptions) -> SeatLoad:
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
        asked = _calls_a_seat(match, plan, assumptions) * max(1, use.calls_max)
        nodes = use.moves_max * use.nodes if game.uses_engine else 0
        showdowns = min(use.comparisons_max, game.tool_showdowns_max)
        answer_s = Fraction(nodes, assumptions.engine_nodes_per_s * assumptions.cores)
        answers += asked
        total_s += asked * (answer_s + Fraction(showdowns, assumptions.showdowns_per_s))
    return answers, total_s
