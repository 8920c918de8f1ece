"""One hand at a table of hold'em as a script."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from ...core.dice import Dice
from ...core.questions import Chat, Message, NoReply, Reply
from ...core.script import Script
from ...experiment.plan_fields import Part
from ...poker.actions import SMALL_BLIND, ActionKind, PlayedAction, PokerAction
from ...poker.spelling import read_action
from ...table.decision import FIRST_ATTEMPT, ActionReader, Forfeit, IllegalPolicy, Tally, decide
from ...table.declared import Accepted, Fault, read_declared
from ...table.players import GameName, Player, seed_for
from .prompt import REMINDER, TAG, RingTerms, system_message, turn_message
from .rules import RingDeal, RingHand


class RingEnd(StrEnum):
    """Reason for the end of a hand; `forfeit` where a seat gave it up for want of a legal action."""

    FOLD = "fold"
    SHOWDOWN = "showdown"
    FORFEIT = "forfeit"


class RingRules(Part, frozen=True):
    """The rules of play of one run. 100 chips are one big blind; all stacks reset every hand.

    `unit_decks`: so many decks, each in as many hands as there are seats, are one statistical unit. A gate (Phase 0)
    needs units that the better player wins: with one deck few places win at all; with 20 its places together do.
    """

    illegal: IllegalPolicy = IllegalPolicy.RETRY_THEN_FORFEIT
    stack_chips: int = 10_000
    small_blind_chips: int = SMALL_BLIND
    unit_decks: int = 1

    def terms(self, seats: int, tokens_max: int) -> RingTerms:
        """The rules as the prompt of a seat with this token limit has them."""
        return RingTerms(seats, self.stack_chips, self.small_blind_chips, self.illegal, tokens_max)

    def new_hand(self, deal: RingDeal) -> RingHand:
        """A hand with these cards and equal stacks."""
        return RingHand(deal, (self.stack_chips,) * len(deal.holes), self.small_blind_chips)


class RingStory(msgspec.Struct, frozen=True, gc=False):
    """The course of a hand. `substituted`, `forfeited`: places in `history` of actions drawn, and of hands given up."""

    deal: RingDeal
    history: tuple[PlayedAction, ...]
    substituted: tuple[int, ...] = ()
    forfeited: tuple[int, ...] = ()


class RingRecord(msgspec.Struct, frozen=True, gc=False):
    """The outcome of one hand by place, the button first. `order`: the seats by place. `outcomes`: chips won.

    `faults`, `decisions`: of each place, decisions whose first attempt gave no legal action, and all.
    """

    game: str
    order: tuple[int, ...]
    end: RingEnd
    outcomes: tuple[int, ...]
    faults: tuple[int, ...]
    decisions: tuple[int, ...]
    story: RingStory

    @property
    def decided_by_play(self) -> bool:
        """Whether every action was a seat's own, at its first attempt."""
        return not any(self.faults)


def replayed(story: RingStory, rules: RingRules) -> Iterator[tuple[RingHand, PlayedAction | None]]:
    """The hand before each action with that action, and once more after the last with None. It is one hand."""
    return steps_of(rules.new_hand(story.deal), story)


def steps_of(hand: RingHand, story: RingStory) -> Iterator[tuple[RingHand, PlayedAction | None]]:
    """The same of a hand that begins as this one."""
    for number, acted in enumerate(story.history):
        yield hand, acted
        if number in story.forfeited:
            hand.give_up(acted.player)
        else:
            hand.act(acted.action)
    yield hand, None


def play(
    name: GameName,
    deal: RingDeal,
    order: tuple[int, ...],
    players: tuple[Player, ...],
    rules: RingRules,
    dice: Dice,
    tallies: tuple[Tally, ...],
) -> Script[RingRecord]:
    """Play one hand; `players` and `tallies` are by place, and actions are added to the tallies."""
    hand, seats = rules.new_hand(deal), len(players)
    systems = tuple(system_message(player.patterns, rules.terms(seats, player.tokens_max)) for player in players)
    before = [(tally.faults, tally.decisions) for tally in tallies]
    table = Seated(name, players, systems, tallies, rules.illegal, dice, tuple(range(seats)))
    story = yield from play_out(hand, table, 0, turn_message)
    faults, decisions = since(tallies, before)
    return RingRecord(name.id, order, end_of(story, seats), hand.net_chips(), faults, decisions, story)


class Seated(NamedTuple):
    """The players of a hand by place, with their system messages and tallies.

    `places`: the places at the table of those who are dealt in, whose number is in the seeds that they are sent.
    """

    name: GameName
    players: tuple[Player, ...]
    systems: tuple[Message, ...]
    tallies: tuple[Tally, ...]
    illegal: IllegalPolicy
    dice: Dice
    places: tuple[int, ...]


def play_out(
    hand: RingHand, at: Seated, first_turn: int, told: Callable[[RingHand, int, str], Message]
) -> Script[RingStory]:
    """Play a hand to its end. Turns count from `first_turn`; `told`: the user message of a place, with its profile."""
    substituted, forfeited = list[int](), list[int]()
    while (place := hand.to_act) is not None:
        done = len(hand.history)
        turn, player, tally = first_turn + done, at.players[place], at.tallies[place]
        profile = yield from player.profile(at.name.id, turn, str)
        messages = (at.systems[place], told(hand, place, profile))
        seed = seed_for(player, at.places[place], at.name, turn, at.dice)
        question = Chat(FIRST_ATTEMPT, at.name.id, messages, seed, player.seat, turn)
        already = tally.substituted
        reader = _reader(hand, at.name, turn, at.dice)
        action = yield from decide(question, reader, at.illegal, tally, player.memory, planted=player.planted)
        if tally.substituted > already:
            substituted.append(done)
        if isinstance(action, Forfeit):
            forfeited.append(done)
            hand.give_up(place)
        else:
            hand.act(action)
    return RingStory(hand.deal, tuple(hand.history), tuple(substituted), tuple(forfeited))


def since(tallies: tuple[Tally, ...], before: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Faults and decisions of each place beyond those of before."""
    faults = tuple(one.faults - was for one, (was, _) in zip(tallies, before, strict=True))
    return faults, tuple(one.decisions - was for one, (_, was) in zip(tallies, before, strict=True))


def end_of(story: RingStory, seats: int) -> RingEnd:
    """Reason for the end of a hand of so many."""
    if story.forfeited:
        return RingEnd.FORFEIT
    folds = sum(acted.action.kind is ActionKind.FOLD for acted in story.history)
    return RingEnd.FOLD if folds == seats - 1 else RingEnd.SHOWDOWN


def random_action(hand: RingHand, label: str, dice: Dice) -> PokerAction:
    """A uniform legal kind; for a bet or raise a uniform total in chips within the legal range."""
    stream, legal = dice.stream(label), hand.legal()
    kind = stream.choice(legal.kinds)
    if kind not in (ActionKind.BET, ActionKind.RAISE):
        return PokerAction(kind)
    return PokerAction(kind, legal.min_to_chips + stream.below(legal.max_to_chips - legal.min_to_chips + 1))


def _reader(hand: RingHand, name: GameName, turn: int, dice: Dice) -> ActionReader[PokerAction]:
    def read(answer: Reply | NoReply) -> Accepted[PokerAction] | Fault:
        return read_declared(answer, TAG, lambda text: read_action(text, hand))

    def substitute(attempt: int) -> PokerAction:
        return random_action(hand, f"substitute/{name.label}/{turn}/{attempt}", dice)

    return ActionReader(read, substitute, REMINDER, TAG, str.lower)
