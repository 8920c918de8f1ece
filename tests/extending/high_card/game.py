"""What is played: each seat antes a chip, gets one card and stays or folds; the highest card that stayed wins.

A seat may have a memory: each set of rounds is noted, and searched by the card that the seat holds.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, Final

import msgspec

from ...core.dice import Dice, Stream
from ...core.questions import Chat, Message, NoReply, Reply
from ...core.script import Script
from ...experiment.analysis_plan import SequentialRule
from ...experiment.matches import Match, Phase
from ...experiment.plan_fields import Count, Part, Problem
from ...table.decision import ActionReader, IllegalPolicy, Tally, decide
from ...table.declared import Accepted, Fault, FaultKind, read_declared
from ...table.game import Block, Bounds, Game, Noun, SeatsAt, StreamPlan
from ...table.players import GameName, Player, seed_for
from ...table.prompt_lines import PROFILE, Page, labelled, scripted_player
from ...table.seating import by_place, seating

SEATS_MAX, CARDS = 12, 13
STAY, FOLD = "stay", "fold"
ACTIONS: Final = (STAY, FOLD)
TAG: Final = "ACTION:"
SYSTEM: Final = (
    "You are playing high card against {opponents}. Each puts in a chip and gets a card from 1 to 13, none twice. "
    "Who stays puts in another chip; the highest card that stayed wins all chips. Declare your action on the last line "
    "of your answer, in exactly this form:\nACTION: <stay or fold>"
)
REMINDER: Final = "Declare one action on the last line, in the form ACTION: <stay or fold>"

BRIEFING: Final = PROFILE + "{briefing}"


class HighCardMatch(Match, frozen=True, kw_only=True, tag="high_card"):
    """Rounds in sets of as many as there are seats: in a set each seat has every place once."""

    rounds: Count = 30
    block_rounds: Count = 30

    @property
    def planned(self) -> int:
        return self.rounds

    @property
    def block_results(self) -> int:
        return self.block_rounds


class HighCardRules(Part, frozen=True):
    """There is nothing to choose."""


class HighCardRecord(msgspec.Struct, frozen=True):
    """One round: cards and actions by place, and the chips that each place won or lost. `order`: the seats by place."""

    game: str
    order: tuple[int, ...]
    cards: tuple[int, ...]
    actions: tuple[str, ...]
    outcomes: tuple[int, ...]
    faults: tuple[int, ...]


class HighCardBlock(Block, frozen=True):
    """Records of the rounds of one stream, with the tallies of all seats."""

    records: tuple[HighCardRecord, ...]
    tallies: tuple[Tally, ...]


def play(
    name: GameName, order: tuple[int, ...], seats: tuple[Player, ...], dice: Dice, by_seat: tuple[Tally, ...]
) -> Script[HighCardRecord]:
    """Play one round; what the seats did is added to their tallies."""
    players, tallies = by_place(seats, order), by_place(by_seat, order)
    cards = tuple(dice.stream(f"cards/{name.label}").deal(range(1, CARDS + 1), len(order)))
    system = SYSTEM.replace("{opponents}", f"{len(order) - 1} opponents")
    actions: list[str] = []
    before = [tally.faults for tally in tallies]
    for at, player in enumerate(players):
        profile = yield from player.profile(name.id, at, partial(search_for, cards[at]))
        told = BRIEFING.format(briefing=profile) if profile else ""
        text = f"Your card: {cards[at]}\nBefore you: {', '.join(actions) or 'nobody'}{told}"
        messages = (Message(system, "system"), Message(text, "user"))
        question = Chat(0, name.id, messages, seed_for(player, at, name, at, dice), player.seat, at)
        reader, policy = _reader(name, at, dice), IllegalPolicy.SUBSTITUTE
        action = yield from decide(question, reader, policy, tallies[at], player.memory)
        actions.append(str(action))
    faults = tuple(tally.faults - earlier for tally, earlier in zip(tallies, before, strict=True))
    return HighCardRecord(name.id, order, cards, tuple(actions), _net_chips(cards, actions), faults)


def search_for(card: int) -> str:
    """The search for notes before a decision with this card."""
    return f"With {card}"


def _net_chips(cards: tuple[int, ...], actions: list[str]) -> tuple[int, ...]:
    paid = [2 if action == STAY else 1 for action in actions]
    stayed = [card if action == STAY else 0 for card, action in zip(cards, actions, strict=True)]
    if not any(stayed):
        return (0,) * len(cards)
    winner = stayed.index(max(stayed))
    return tuple(sum(paid) * (at == winner) - one for at, one in enumerate(paid))


def _noted(record: HighCardRecord, place: int) -> str:
    """A round as one seat saw it, with its own card: "With 7 stay, +2 chips; others that stayed: 1"."""
    others = sum(action == STAY for at, action in enumerate(record.actions) if at != place)
    own = f"{record.cards[place]} {record.actions[place]}, {record.outcomes[place]:+d} chips"
    return f"With {own}; others that stayed: {others}"


def _reader(name: GameName, at: int, dice: Dice) -> ActionReader[str]:
    def read_action(text: str) -> Accepted[str] | Fault:
        if text.lower() not in ACTIONS:
            return Fault(FaultKind.NO_ACTION, "stay or fold was expected")
        return Accepted(text.lower(), exact=text in ACTIONS)

    def read(answer: Reply | NoReply) -> Accepted[str] | Fault:
        return read_declared(answer, TAG, read_action)

    def substitute(attempt: int) -> str:
        return dice.stream(f"substitute/{name.label}/{at}/{attempt}").choice(ACTIONS)

    return ActionReader(read, substitute, REMINDER)


def random_reply(page: Page, stream: Stream) -> str:
    """Stay or fold by chance."""
    return f"ACTION: {stream.choice(ACTIONS)}"


def reference_reply(page: Page, stream: Stream) -> str:
    """Stay with a card above the middle, but not with one that is no better than what its notes say has lost."""
    lost = max(map(int, re.findall(r"^With (\d+) stay, -", page.profile, re.MULTILINE)), default=0)
    return f"ACTION: {STAY if int(labelled(page, 'Your card')) > max(CARDS // 2, lost) else FOLD}"


class HighCard(Game):
    """High card for two to twelve."""

    name = "high_card"
    title = "high card"
    result = Noun("round", "rounds")
    unit = Noun("set of rounds", "sets of rounds")
    contest = Noun("set of rounds", "sets of rounds")
    players = range(2, SEATS_MAX + 1)
    number = ("r", 6)
    match = HighCardMatch
    rules = HighCardRules
    templates: ClassVar = {"high_card/system": SYSTEM, "high_card/reminder": REMINDER, "high_card/briefing": BRIEFING}
    scripted: ClassVar = {
        "random": scripted_player("random/high_card", random_reply),
        "reference": scripted_player("reference/high_card", reference_reply),
    }
    sign = "Your card: "
    hides = True
    remembers = True

    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: HighCardRules, dice: Dice) -> Script[Block]:
        match, records, seats = stream.match, list[HighCardRecord](), len(stream.match.table)
        tallies = tuple(Tally() for _ in match.table)
        for index in range(stream.first, stream.first + stream.count):
            order = seating(dice, match.draws, index, seats)
            records.append((yield from play(self.name_of(match, index), order, seats_at(index), dice, tallies)))
            if len(records) % seats == 0:
                yield from self.remember(seats_at(index), records[-seats:], index + 1 - seats)
        return HighCardBlock(stream.first, tuple(records), tallies)

    def observation(self, records: Sequence[HighCardRecord], first: int, seat_index: int) -> str:
        return "\n".join(_noted(record, record.order.index(seat_index)) for record in records)

    def search_words(self, page: Page) -> str:
        return search_for(int(labelled(page, "Your card")))

    def order(self, record: HighCardRecord, index: int) -> tuple[int, ...]:
        return record.order

    def problems(self, rules: HighCardRules) -> Iterator[Problem]:
        return iter(())

    def match_problems(self, match: HighCardMatch, rules: HighCardRules) -> Iterator[Problem]:
        seats = len(match.table)
        if match.rounds % seats or match.block_rounds % seats:
            yield Problem(
                "", f"expected rounds and block_rounds in sets of {seats}, in which each seat has every place"
            )

    def bounds(self, rule: SequentialRule) -> Bounds:
        return Bounds(-2 * SEATS_MAX, 2 * SEATS_MAX**2, 0)

    def self_play(self, seat: str, results: int) -> HighCardMatch:
        return HighCardMatch(a=seat, b=seat, phase=Phase.BASELINE, rounds=results, block_rounds=min(self.players))

    def unit_results(self, rules: HighCardRules, seats: int) -> int:
        return seats

    def contest_results(self, rules: HighCardRules, seats: int) -> int:
        return seats


GAME = HighCard()
