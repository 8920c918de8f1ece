"""`agzamov plan`: what a plan can detect, and what it will cost, before it is sealed.

What can be detected comes from `agzamov_verify.scoring.planning`. Calls, tokens, time and cost come from the plan's
sizes and from assumptions, each of which is printed and can be replaced. Prompts are those of this version: they are
measured on a few games and hands between random players, cut where the assumed game ends.
"""

from fractions import Fraction
from typing import Final, assert_never

import msgspec

from agzamov_verify.dice import Dice
from agzamov_verify.feasible import needs_engine
from agzamov_verify.manifest import ChessMatch, Match, Plan, PokerMatch, Price
from agzamov_verify.phases.streams import StreamPlan, block_script
from agzamov_verify.questions import Answer, Chat, Evaluate, Evaluation, Question, Reply
from agzamov_verify.scoring.conduct import TOKENS_PRICED
from agzamov_verify.script import drive
from agzamov_verify.seats import (
    EndpointSeat,
    GgufSeat,
    HouseSeat,
    OllamaSeat,
    RandomSeat,
    ReferenceSeat,
    Seat,
    StockfishSeat,
)

from .adapters.reference.players import reply

SAMPLE_GAMES, SAMPLE_HANDS = 4, 100
SAMPLE_SEED: Final = b"agzamov plan sample".ljust(32, b"\0")
NO_PRICE: Final = Price()


class Assumptions(msgspec.Struct, frozen=True):
    """What nobody knows before a run. `plies`: of a chess game; `decisions_per_hand`: of both players.

    `decisions_per_hand` was counted in 200 hands between reference players, and so was the time of a scripted reply;
    the engine's speed was measured on one core of a common machine. The rest are guesses, to be replaced.
    """

    plies: int = 110
    decisions_per_hand: Fraction = Fraction(44, 10)
    characters_per_token: Fraction = Fraction(4)
    reply_tokens: int = 300
    seconds_per_call: Fraction = Fraction(3)
    scripted_ms_per_call: int = 10
    engine_nodes_per_s: int = 850_000
    cores: int = 2


class SeatLoad(msgspec.Struct, frozen=True):
    """What one seat is asked in the whole run, and what that comes to."""

    seat: str
    kind: str
    calls: int
    prompt_tokens: int
    reply_tokens: int
    cost_usd: Fraction
    wall_s: Fraction


class Load(msgspec.Struct, frozen=True):
    """The whole run. Seats wait for each other within a game, so their times add up."""

    seats: tuple[SeatLoad, ...]
    evaluations: int
    engine_s: Fraction

    @property
    def calls(self) -> int:
        return sum(seat.calls for seat in self.seats)

    @property
    def cost_usd(self) -> Fraction:
        return sum((seat.cost_usd for seat in self.seats), Fraction(0))

    @property
    def wall_s(self) -> Fraction:
        return sum((seat.wall_s for seat in self.seats), self.engine_s)


def load_of(plan: Plan, given: Assumptions) -> Load:
    """Calls, tokens, cost and time of a run in which every match is played, no gate stops one and no reply is bad."""
    calls: dict[str, int] = {}
    characters: dict[str, Fraction] = {}
    for match in plan.matches:
        each, sizes = _calls_a_seat(match, plan, given), prompt_characters(plan, match, given)
        for name in (match.a, match.b):
            calls[name] = calls.get(name, 0) + each
            characters[name] = characters.get(name, Fraction(0)) + each * sizes[name]
    seats = tuple(_seat_load(name, plan, calls[name], characters[name], given) for name in calls)
    evaluations = _evaluations(plan, given)
    engine_s = Fraction(evaluations * plan.engine.nodes, given.engine_nodes_per_s * given.cores)
    return Load(seats, evaluations, engine_s)


def prompt_characters(plan: Plan, match: Match, given: Assumptions) -> dict[str, Fraction]:
    """The mean length of a seat's messages in a match, measured on a sample played by random players."""
    asked: dict[str, list[int]] = {}

    def answer(question: Question) -> Answer:
        match question:
            case Chat():
                asked.setdefault(question.seat, []).append(sum(len(one.content) for one in question.messages))
                return Reply(text=reply("random", question.messages, question.seed))
            case Evaluate():
                return Evaluation(0, None)
            case _:
                assert_never(question)

    cut = msgspec.structs.replace(plan.chess960, plies_max=min(given.plies, plan.chess960.plies_max))
    sampled = msgspec.structs.replace(plan, chess960=cut)
    count = SAMPLE_GAMES if isinstance(match, ChessMatch) else SAMPLE_HANDS
    drive(block_script(StreamPlan("sample", match, 0, count), sampled, Dice(SAMPLE_SEED)), answer)
    return {name: Fraction(sum(lengths), len(lengths)) for name, lengths in asked.items()}


def _calls_a_seat(match: Match, plan: Plan, given: Assumptions) -> int:
    """Each of the two seats; a seat that plays itself is asked twice as often, once under each letter."""
    match match:
        case ChessMatch():
            return -(-match.games * min(given.plies, plan.chess960.plies_max) // 2)
        case PokerMatch():
            return -(-match.hands * given.decisions_per_hand // 2)


def _seat_load(name: str, plan: Plan, calls: int, characters: Fraction, given: Assumptions) -> SeatLoad:
    seat = plan.seats[name]
    kind = str(seat.__struct_config__.tag)
    if not isinstance(seat, EndpointSeat | GgufSeat | OllamaSeat):
        return SeatLoad(name, kind, calls, 0, 0, Fraction(0), _scripted_s(seat, calls, given))
    prompt = round(characters / given.characters_per_token)
    replies = calls * min(given.reply_tokens, seat.tokens_max)
    price = plan.prices.get(name, NO_PRICE)
    cost = (prompt * Fraction(price.input_usd) + replies * Fraction(price.output_usd)) / TOKENS_PRICED
    wall_s = calls * given.seconds_per_call / seat.concurrency
    if isinstance(seat, EndpointSeat) and seat.requests_per_minute:
        wall_s = max(wall_s, Fraction(60 * calls, seat.requests_per_minute))
    return SeatLoad(name, kind, calls, prompt, replies, cost, wall_s)


def _scripted_s(seat: Seat, calls: int, given: Assumptions) -> Fraction:
    """Scripted players think on all cores."""
    match seat:
        case RandomSeat() | HouseSeat():
            return Fraction(0)
        case ReferenceSeat():
            return Fraction(calls * given.scripted_ms_per_call, 1000 * given.cores)
        case StockfishSeat():
            return Fraction(calls * seat.nodes, given.engine_nodes_per_s * given.cores)
        case _:
            raise TypeError(f"a scripted player was expected, not {seat}")


def _evaluations(plan: Plan, given: Assumptions) -> int:
    if not needs_engine(plan):
        return 0
    plies = min(given.plies, plan.chess960.plies_max)
    return sum(match.games * plies for match in plan.matches if isinstance(match, ChessMatch))
