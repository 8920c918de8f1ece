"""One hand of heads-up no-limit hold'em as a script."""

from functools import partial
from typing import Final

import msgspec

from ...core.dice import Dice
from ...core.questions import Chat, Message, NoReply, Reply
from ...core.script import Script
from ...table.decision import FIRST_ATTEMPT, ActionReader, Forfeit, IllegalPolicy, Tally, ask_before, decide
from ...table.declared import Accepted, Fault, read_declared
from ...table.players import GameName, Player, seed_for
from ...table.prompt_lines import Shots
from . import tool
from .habit_words import query
from .prompt import REMINDER, TAG, PokerTerms, example_exchange, system_message, turn_message
from .rules import ActionKind, Deal, Hand, HandEnd, PlayedAction, PokerAction
from .spelling import read_action

BUTTON: Final = 0
"""The place that acts first before the flop."""


class PokerRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of play of one run. 100 chips are one big blind; both stacks reset every hand.

    With `mirrored` the second half of a match plays the decks of the first with the seats exchanged. `shots`: worked
    examples in the prompt of each decision.
    """

    illegal: IllegalPolicy = IllegalPolicy.SUBSTITUTE
    mirrored: bool = False
    session_hands: int = 100
    stack_chips: int = 10_000
    shots: Shots = 0

    def terms(self, tokens_max: int) -> PokerTerms:
        """The rules as the prompt of a seat with this token limit has them."""
        return PokerTerms(self.stack_chips, self.illegal, tokens_max)

    @property
    def unit_hands(self) -> int:
        """Number of hands that statistics take together: a session, or a session and its mirror."""
        return self.session_hands * (2 if self.mirrored else 1)


class HandStory(msgspec.Struct, frozen=True, gc=False):
    """The course of a hand: its cards, its actions, and each player's chips in the pot when a street was dealt.

    `matched_chips` has one number for each of flop, turn and river that was reached; where bets were uneven, what
    both had put in. `substituted`: the places in `history` of random actions that were played for want of a legal one.
    """

    deal: Deal
    history: tuple[PlayedAction, ...]
    matched_chips: tuple[int, ...]
    substituted: tuple[int, ...] = ()


class HandRecord(msgspec.Struct, frozen=True, gc=False):
    """The outcome of one hand. `net_chips` are the button's, the big blind's are their opposite.

    `faults` are the decisions, by button and big blind, whose first attempt gave no legal action. `story` is there
    for every hand that was played, and may be left out of a hand that is made up for its result alone.
    """

    game: str
    end: HandEnd
    net_chips: int
    faults: tuple[int, int]
    story: HandStory | None = None

    @property
    def outcomes(self) -> tuple[int, int]:
        """Chips that button and big blind won."""
        return self.net_chips, -self.net_chips


def play(
    name: GameName,
    deal: Deal,
    players: tuple[Player, Player],
    rules: PokerRules,
    dice: Dice,
    tallies: tuple[Tally, Tally],
) -> Script[HandRecord]:
    """Play one hand between button and big blind; their actions are added to `tallies`."""
    hand = Hand(deal, (rules.stack_chips, rules.stack_chips))
    example = example_exchange(rules.stack_chips) if rules.shots else ()
    systems = [system_message(player.patterns, rules.terms(player.tokens_max)) for player in players]
    faults_before = (tallies[0].faults, tallies[1].faults)
    forfeited_by: int | None = None
    substituted: list[int] = []
    while hand.to_act is not None and forfeited_by is None:
        seat_index, turn = hand.to_act, len(hand.history)
        before = (systems[seat_index], *example)
        question = yield from _question(hand, before, players[seat_index], name, dice, tallies[seat_index])
        already = tallies[seat_index].substituted
        player, reading = players[seat_index], _rules(hand, name, turn, dice)
        offered = tool.toolbox(player.tool, hand, name, dice)
        seat = tallies[seat_index], player.memory, offered, player.planted
        action = yield from decide(question, reading, rules.illegal, *seat)
        if tallies[seat_index].substituted > already:
            substituted.append(turn)
        if isinstance(action, Forfeit):
            forfeited_by = seat_index
        else:
            hand.act(action)
    faults = (tallies[0].faults - faults_before[0], tallies[1].faults - faults_before[1])
    story = HandStory(deal, tuple(hand.history), tuple(hand.matched), tuple(substituted))
    return HandRecord(name.id, *_ending(hand, forfeited_by), faults, story)


def _question(
    hand: Hand, before: tuple[Message, ...], player: Player, name: GameName, dice: Dice, tally: Tally
) -> Script[Chat]:
    """The question to the player who is to act, once its memory, its documents and its tool were asked.

    `before`: its system message, and the worked example where there is one.
    """
    place, turn, use = hand.to_act or 0, len(hand.history), player.tool
    profile = yield from player.profile(name.id, turn, partial(query, hand))
    passages = player.passages(name, turn, partial(query, hand), dice)
    message = partial(turn_message, hand, place, profile, documents=passages)
    seed = seed_for(player, place, name, turn, dice)
    attempt, told, percent = FIRST_ATTEMPT, "", tool.ANY_PERCENT
    if use and use.is_steered:
        messages = (before[0], message(request=tool.request()))
        reply = yield from ask_before(Chat(attempt, name.id, messages, seed, player.seat, turn), tally)
        percent, attempt = tool.read_hands(reply), attempt + 1
    if use and not use.calls_max:
        told = yield from tool.consult(use, hand, name, dice, percent=percent)
    return Chat(attempt, name.id, (*before, message(tool=told)), seed, player.seat, turn)


def _ending(hand: Hand, forfeited_by: int | None) -> tuple[HandEnd, int]:
    if forfeited_by is not None:
        return HandEnd.FORFEIT, hand.lost_by(forfeited_by)[0]
    folded = hand.history[-1].action.kind is ActionKind.FOLD
    return HandEnd.FOLD if folded else HandEnd.SHOWDOWN, hand.net_chips()[0]


def random_action(hand: Hand, label: str, dice: Dice) -> PokerAction:
    """A uniform legal kind; for a bet or raise a uniform total in chips within the legal range."""
    stream = dice.stream(label)
    legal = hand.legal()
    kind = stream.choice(legal.kinds)
    if kind not in (ActionKind.BET, ActionKind.RAISE):
        return PokerAction(kind)
    return PokerAction(kind, legal.min_to_chips + stream.below(legal.max_to_chips - legal.min_to_chips + 1))


def _rules(hand: Hand, name: GameName, turn: int, dice: Dice) -> ActionReader[PokerAction]:
    def read(answer: Reply | NoReply) -> Accepted[PokerAction] | Fault:
        return read_declared(answer, TAG, lambda text: read_action(text, hand))

    def substitute(attempt: int) -> PokerAction:
        return random_action(hand, f"substitute/{name.label}/{turn}/{attempt}", dice)

    return ActionReader(read, substitute, REMINDER, TAG, str.lower)
