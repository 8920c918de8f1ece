"""What is played: each seat has a private value and bids chips unseen; the highest bid wins its value and pays its bid.

All bids of a round are asked for together, so none of them can depend on another. Two equal highest bids win nothing.
A seat may have a memory: each round is noted, and searched by the value that the seat has.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, Final

import msgspec

from ...core.dice import Dice, Stream
from ...core.questions import Chat, Message, NoReply, Reply
from ...core.script import Script, together
from ...experiment.analysis_plan import SequentialRule
from ...experiment.matches import Match, Phase
from ...experiment.plan_fields import Count, Part, Problem
from ...table.decision import ActionReader, Forfeit, IllegalPolicy, Tally, answer_terms, decide
from ...table.declared import Accepted, Fault, FaultKind, read_declared
from ...table.game import Block, Bounds, Dynamics, Game, Noun, SeatsAt, StreamPlan, Utility
from ...table.players import GameName, Player, seed_for
from ...table.prompt_lines import PROFILE, Page, labelled, scripted_player
from ...table.seating import by_place, seating

SEATS_MAX, VALUE_MAX = 6, 20
TAG: Final = "BID:"
SYSTEM: Final = (
    "You are one of {seats} bidders. Each has a value from 1 to 20 that only it knows; all bid at the same time. The "
    "highest bid wins its bidder's value in chips and pays its own bid; two equal highest bids win nothing. Declare "
    "your bid on the last line of your answer, in exactly this form:\nBID: <whole number from 0 to your value>"
)
REMINDER: Final = "Declare one bid on the last line, in the form BID: <whole number>"
BRIEFING: Final = PROFILE + "{briefing}"


class BlindBidsMatch(Match, frozen=True, kw_only=True, tag="blind_bids"):
    """Rounds of bids."""

    rounds: Count = 20
    block_rounds: Count = 10

    @property
    def planned(self) -> int:
        return self.rounds

    @property
    def block_results(self) -> int:
        return self.block_rounds


class BlindBidsRules(Part, frozen=True):
    """A bid that nobody can read is drawn, or asked for again and then 0."""

    illegal: IllegalPolicy = IllegalPolicy.SUBSTITUTE


class BlindBidsRecord(msgspec.Struct, frozen=True):
    """One round: values and bids by place, and the chips that each place won or lost. `order`: the seats by place."""

    game: str
    order: tuple[int, ...]
    values: tuple[int, ...]
    bids: tuple[int, ...]
    outcomes: tuple[int, ...]
    faults: tuple[int, ...]


class BlindBidsBlock(Block, frozen=True):
    """Records of the rounds of one stream, with the tallies of all seats."""

    records: tuple[BlindBidsRecord, ...]
    tallies: tuple[Tally, ...]


def play(
    name: GameName,
    order: tuple[int, ...],
    seats: tuple[Player, ...],
    rules: BlindBidsRules,
    dice: Dice,
    by_seat: tuple[Tally, ...],
) -> Script[BlindBidsRecord]:
    """Play one round; what the seats did is added to their tallies."""
    players, tallies = by_place(seats, order), by_place(by_seat, order)
    draws = dice.stream(f"values/{name.label}")
    values = tuple(1 + draws.below(VALUE_MAX) for _ in players)
    before = [tally.faults for tally in tallies]
    decisions = [_bid(name, at, players, values[at], rules, dice, tallies[at]) for at in range(len(players))]
    given = yield from together(decisions)
    bids = tuple(0 if isinstance(bid, Forfeit) else bid for bid in given)
    faults = tuple(tally.faults - earlier for tally, earlier in zip(tallies, before, strict=True))
    return BlindBidsRecord(name.id, order, values, bids, net_chips(values, bids), faults)


def net_chips(values: Sequence[int], bids: Sequence[int]) -> tuple[int, ...]:
    """What each place wins: its value less its bid where it alone bid most, else nothing."""
    most = max(bids)
    alone = list(bids).count(most) == 1
    return tuple((value - bid) * (alone and bid == most) for value, bid in zip(values, bids, strict=True))


def _bid(
    name: GameName,
    at: int,
    players: tuple[Player, ...],
    value: int,
    rules: BlindBidsRules,
    dice: Dice,
    tally: Tally,
) -> Script[int | Forfeit]:
    player = players[at]
    profile = yield from player.profile(name.id, at, partial(search_for, value))
    told = BRIEFING.format(briefing=profile) if profile else ""
    terms = answer_terms(rules.illegal, player.tokens_max, "bid", "round")
    system = f"{SYSTEM.replace('{seats}', str(len(players)))}\n{terms}"
    messages = (Message(system, "system"), Message(f"Your value: {value}{told}", "user"))
    question = Chat(0, name.id, messages, seed_for(player, at, name, at, dice), player.seat, at)
    return (yield from decide(question, _reader(name, at, value, dice), rules.illegal, tally, player.memory))


def search_for(value: int) -> str:
    """The search for notes before a bid with this value."""
    return f"With {value}"


def _noted(record: BlindBidsRecord, place: int) -> str:
    """A round as one seat saw it, with its own value: "With 12 bid 6, +0 chips; highest other bid: 9"."""
    other = max(bid for at, bid in enumerate(record.bids) if at != place)
    own = f"{record.values[place]} bid {record.bids[place]}, {record.outcomes[place]:+d} chips"
    return f"With {own}; highest other bid: {other}"


def _reader(name: GameName, at: int, value: int, dice: Dice) -> ActionReader[int]:
    def read_bid(text: str) -> Accepted[int] | Fault:
        if not (text.isascii() and text.isdecimal() and len(text) <= 4):
            return Fault(FaultKind.NO_ACTION, "a whole number was expected")
        if int(text) > value:
            return Fault(FaultKind.ILLEGAL, f"a bid of {int(text)} is more than your value")
        return Accepted(int(text), exact=text == str(int(text)))

    def read(answer: Reply | NoReply) -> Accepted[int] | Fault:
        return read_declared(answer, TAG, read_bid)

    def substitute(attempt: int) -> int:
        return dice.stream(f"substitute/{name.label}/{at}/{attempt}").below(value + 1)

    return ActionReader(read, substitute, REMINDER)


def random_reply(page: Page, stream: Stream) -> str:
    """Any bid that is allowed."""
    return f"{TAG} {stream.below(int(labelled(page, 'Your value')) + 1)}"


def reference_reply(page: Page, stream: Stream) -> str:
    """Half of the value, which is best against one bidder who does the same.

    With notes, one more than what they say was bid against it, up to two thirds of the value.
    """
    value = int(labelled(page, "Your value"))
    noted = max(map(int, re.findall(r"highest other bid: (\d+)$", page.profile, re.MULTILINE)), default=-1)
    return f"{TAG} {max(value // 2, min(2 * value // 3, noted + 1))}"


class BlindBids(Game):
    """Blind bids for two to six."""

    name = "blind_bids"
    title = "blind bids"
    result = Noun("round", "rounds")
    unit = Noun("round", "rounds")
    contest = Noun("round", "rounds")
    number = ("r", 6)
    players = range(2, SEATS_MAX + 1)
    utility = Utility.GENERAL_SUM
    dynamics = Dynamics.SIMULTANEOUS
    match = BlindBidsMatch
    rules = BlindBidsRules
    templates: ClassVar = {
        "blind_bids/system": SYSTEM,
        "blind_bids/reminder": REMINDER,
        "blind_bids/briefing": BRIEFING,
    }
    scripted: ClassVar = {
        "random": scripted_player("random/blind_bids", random_reply),
        "reference": scripted_player("reference/blind_bids", reference_reply),
    }
    sign = "Your value: "
    hides = True
    remembers = True

    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: BlindBidsRules, dice: Dice) -> Script[Block]:
        match, records = stream.match, []
        tallies = tuple(Tally() for _ in match.table)
        for index in range(stream.first, stream.first + stream.count):
            order = seating(dice, match.draws, index, len(match.table))
            records.append((yield from play(self.name_of(match, index), order, seats_at(index), rules, dice, tallies)))
            yield from self.remember(seats_at(index), records[-1:], index)
        return BlindBidsBlock(stream.first, tuple(records), tallies)

    def observation(self, records: Sequence[BlindBidsRecord], first: int, seat_index: int) -> str:
        return "\n".join(_noted(record, record.order.index(seat_index)) for record in records)

    def search_words(self, page: Page) -> str:
        return search_for(int(labelled(page, "Your value")))

    def problems(self, rules: BlindBidsRules) -> Iterator[Problem]:
        return iter(())

    def match_problems(self, match: BlindBidsMatch, rules: BlindBidsRules) -> Iterator[Problem]:
        return iter(())

    def order(self, record: BlindBidsRecord, index: int) -> tuple[int, ...]:
        return record.order

    def bounds(self, rule: SequentialRule) -> Bounds:
        return Bounds(0, VALUE_MAX, VALUE_MAX // 4)

    def self_play(self, seat: str, results: int) -> BlindBidsMatch:
        return BlindBidsMatch(a=seat, b=seat, phase=Phase.BASELINE, rounds=results)


GAME = BlindBids()
