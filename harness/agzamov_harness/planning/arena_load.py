"""Calls, tokens, price and time of an arena, before any round is sealed.

Each round is a plan. Its calls are those of `agzamov plan` (`workload`); the length of a game's prompts is measured
once, on a sample between random players. Time, by calls in flight, of a round of B bouts, each with its calls in turn:

    round_s = max(calls of all models x s / min(B, streams),      streams: those that a run plays side by side
                  greatest number of calls of a bout x s,
                  greatest of the models' calls x s / its concurrency, and of what its requests a minute allow)

s: seconds of a call. Rounds are played one after another. Scripted players and engines add their time on all cores.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan

from ..build_ports import concurrency_of
from ..run.assumptions import Assumptions
from ..run.call_forecast import calls_at_table
from .workload import (
    PromptSizes,
    SeatLoad,
    characters_per_token,
    cost_usd_of,
    prompt_characters,
    seat_load,
    tokens_of,
)

ZERO: Final = Fraction(0)


class GameLoad(msgspec.Struct, frozen=True):
    """One game in all rounds: bouts, results, calls of all seats, and tokens of the models."""

    game: str
    bouts: int
    results: int
    calls: int
    tokens: int


class ArenaLoad(msgspec.Struct, frozen=True):
    """All rounds. `cost_usd` is None where a model has no price. `in_flight`: the most calls of a round at once."""

    rounds: int
    games: tuple[GameLoad, ...]
    seats: tuple[SeatLoad, ...]
    in_flight: int
    wall_s: Fraction

    @property
    def calls(self) -> int:
        """Of models and scripted players."""
        return sum(seat.calls for seat in self.seats)

    @property
    def tokens(self) -> int:
        """Of prompts and replies together."""
        return tokens_of(self.seats)

    @property
    def cost_usd(self) -> Fraction | None:
        """The sum, or None where a seat's is not known."""
        return cost_usd_of(self.seats)


class _Totals:
    """Sums over bouts, by seat and by game."""

    def __init__(self, whole: Plan, assumptions: Assumptions) -> None:
        self.whole, self.assumptions = whole, assumptions
        self.calls, self.prompt_tokens = Counter[str](), dict[str, Fraction]()
        self.bouts, self.results, self.game_calls = Counter[str](), Counter[str](), Counter[str]()
        self.game_tokens = dict[str, Fraction]()
        self._sizes = dict[str, PromptSizes]()

    def add(self, match: Match, plan: Plan) -> tuple[Counter[str], int]:
        """Count a bout; the calls of its models, and how many of them wait for each other."""
        self.bouts[match.game] += 1
        self.results[match.game] += match.planned
        per_token, sizes = characters_per_token(match.game, self.assumptions), self._size(match, plan)
        of_models, in_turn = Counter[str](), 0
        for name, asked, planted in calls_at_table(match, plan, self.assumptions):
            self.calls[name] += asked + planted
            self.game_calls[match.game] += asked + planted
            if plan.seats[name].is_model:
                tokens = (asked * sizes.asked + planted * sizes.bare) / per_token
                replies = (asked + planted) * self.reply_tokens(name)
                self.prompt_tokens[name] = self.prompt_tokens.get(name, ZERO) + tokens
                self.game_tokens[match.game] = self.game_tokens.get(match.game, ZERO) + tokens + replies
                of_models[name] += asked + planted
                in_turn += asked + planted
        return of_models, in_turn

    def reply_tokens(self, name: str) -> int:
        """Tokens of a reply of a model, which its limit cuts."""
        return min(self.assumptions.reply_tokens, getattr(self.whole.seats[name], "tokens_max", 0))

    def _size(self, match: Match, plan: Plan) -> PromptSizes:
        """Mean of the seats of the first bout of a game."""
        if match.game not in self._sizes:
            seats = prompt_characters(plan, match, self.assumptions).values()
            columns = zip(*seats, strict=True)
            self._sizes[match.game] = PromptSizes(*(sum(column, ZERO) / len(seats) for column in columns))
        return self._sizes[match.game]


def arena_load(whole: Plan, rounds: Sequence[Plan], assumptions: Assumptions) -> ArenaLoad:
    """The load of these rounds. `whole`: a plan with every player. No reply is taken to be bad."""
    totals, wall_s, in_flight = _Totals(whole, assumptions), ZERO, 0
    for plan in rounds:
        told = [totals.add(match, plan) for match in plan.matches]
        calls = sum((of_models for of_models, _ in told), Counter[str]())
        streams = min(sum(1 for _, in_turn in told if in_turn), concurrency_of(plan))
        wall_s += _round_s(plan, calls, max(in_turn for _, in_turn in told), streams, assumptions)
        in_flight = max(in_flight, streams)
    seats = tuple(
        seat_load(name, whole, totals.calls[name], totals.prompt_tokens.get(name, ZERO), assumptions)
        for name in whole.seats
    )
    wall_s += sum((seat.wall_s for seat in seats if not whole.seats[seat.seat].is_model), ZERO)
    games = tuple(
        GameLoad(
            game,
            totals.bouts[game],
            totals.results[game],
            totals.game_calls[game],
            round(totals.game_tokens.get(game, ZERO)),
        )
        for game in sorted(totals.bouts)
    )
    return ArenaLoad(len(rounds), games, seats, in_flight, wall_s)


def _round_s(plan: Plan, calls: Counter[str], in_turn: int, streams: int, assumptions: Assumptions) -> Fraction:
    """Seconds of a round: what its calls, its longest bout and its busiest model need."""
    each_s = assumptions.seconds_per_call
    found = [in_turn * each_s, sum(calls.values()) * each_s / max(1, streams)]
    found += [seat_load(name, plan, count, ZERO, assumptions).wall_s for name, count in calls.items()]
    return max(found)
