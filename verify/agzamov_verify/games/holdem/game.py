"""Heads-up no-limit hold'em in the registry: its matches, its limits, and the script of a stream of hands."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, isqrt
from typing import ClassVar

import msgspec

from ...core.dice import Dice
from ...core.script import Script
from ...experiment.analysis_plan import SequentialRule
from ...experiment.matches import Match, Phase
from ...experiment.plan_fields import Count, Problem
from ...table.decision import Tally
from ...table.game import Block, Bounds, Game, Noun, PolicyDeparture, SeatsAt, StreamPlan
from ...table.players import tell_ended
from ...table.prompt_lines import Page, scripted_player, with_shots
from ...table.seating import alternating, by_place
from ...table.small_profile import small_units
from . import benchmark_player, novice_player, random_player, reference_player
from . import tool as tool_texts
from .benchmark_player import benchmark_departures
from .calculator import CALCULATOR_SERVER, SHOWDOWNS_MAX
from .deal import deal_cards, deck_number
from .donor import donor_session
from .habit_words import PHRASES, words_for
from .hand_script import HandRecord, PokerRules, play
from .notes import observation
from .pattern_sentences import POKER_PATTERN_SORTS, POKER_PATTERNS
from .patterns import DETECTORS
from .prompt import TEMPLATES
from .rules import BIG_BLIND
from .spot import read_spot

STACK_BB_MAX = 10_000

CLIP_SESSIONS, CLIP_HANDS = 250, 100
"""A stopping rule for so many sessions clips no nearer than a stack times the root of a session's hands, of which
there count at least so many: the shorter a session, the more skewed it may be."""

SMALL_PHASE_0_SESSIONS, SMALL_SESSIONS, SMALL_SESSION_HANDS = 80, 15, 50
"""Of the small profile of a plan: sessions of Phase 0 and of another match, and the hands of each.

Not even luck may stop what comes after Phase 0: against the random player the reference player won 892 of 1,000
sessions of 50 hands, so 87 % at least (95 %), and then it wins no more than 70 % of 80 in less than one run of 10,000.
"""
LENGTHENED_PHASE_0_SESSIONS_MIN = 10
"""A Phase 0 of so many sessions or more is meant to decide something: the small profile makes it longer, or luck would
end one in eight (10 sessions of 50 hands). A shorter one is made to be short, and stays."""


class PokerMatch(Match, frozen=True, tag="holdem"):
    """Hold'em hands in sessions; `block_hands` of them share a stream."""

    hands: Count = 10_000
    block_hands: Count = 100

    @property
    def planned(self) -> int:
        return self.hands

    @property
    def block_results(self) -> int:
        return self.block_hands


class PokerBlock(Block, frozen=True):
    """Records of the hands of one stream, with the tallies of the seats."""

    records: tuple[HandRecord, ...]
    tallies: tuple[Tally, Tally]


class Holdem(Game):
    """No-limit hold'em for two, in hands with equal stacks."""

    name = "holdem"
    title = "hold'em"
    result = Noun("hand", "hands")
    unit = Noun("session", "sessions")
    contest = Noun("session", "sessions")
    number = ("h", 7)
    match = PokerMatch
    rules = PokerRules
    templates = TEMPLATES
    tool = CALCULATOR_SERVER
    tool_templates = tool_texts.TEMPLATES
    tool_showdowns_max = SHOWDOWNS_MAX
    search_phrases = PHRASES
    patterns = POKER_PATTERNS
    detectors = DETECTORS
    pattern_sorts = POKER_PATTERN_SORTS
    scripted: ClassVar = {
        "random": scripted_player("random/holdem", random_player.random_reply),
        "novice": scripted_player("novice/holdem", novice_player.novice_reply),
        "reference": scripted_player("reference/holdem", reference_player.reference_reply),
        "benchmark": benchmark_player.benchmark_reply,
    }
    sign = "Hole cards: ["
    hides = True
    remembers = True
    sample_results = 100
    assumes = frozenset({"decisions_per_hand"})

    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: PokerRules, dice: Dice) -> Script[Block]:
        match, tallies = stream.match, (Tally(), Tally())
        records = []
        for index in range(stream.first, stream.first + stream.count):
            order, deck = alternating(index), deck_number(index, match.planned, rules)
            deal = deal_cards(dice, f"{match.draws}/{deck}", alternating(deck))
            seats = seats_at(index)
            (button, blind), (of_button, of_blind) = by_place(seats, order), by_place(tallies, order)
            placed = of_button, of_blind
            records.append((yield from play(self.name_of(match, index), deal, (button, blind), rules, dice, placed)))
            tell_ended(seats, records[-1])
            if (index + 1) % rules.session_hands == 0:
                session = records[-rules.session_hands :]
                yield from self.remember(seats, session, index + 1 - len(session))
        return PokerBlock(stream.first, tuple(records), tallies)

    def observation(self, records: Sequence[HandRecord], first: int, seat_index: int) -> str:
        return observation(records, first, seat_index)

    def donor_note(self, stream: StreamPlan, rules: PokerRules, number: int, seat_index: int, dice: Dice) -> str:
        hands = rules.session_hands
        first = stream.first + number % max(1, stream.count // hands) * hands
        return self.observation(list(donor_session(first, hands, rules, dice, number)), first, seat_index)

    def search_words(self, page: Page) -> str:
        return words_for(read_spot(page))

    def policy_departures(
        self, block: PokerBlock, by_policy: Sequence[bool], rules: PokerRules, dice: Dice
    ) -> Iterator[PolicyDeparture]:
        return benchmark_departures(block.records, block.first, by_policy, rules.stack_chips, dice)

    def problems(self, rules: PokerRules) -> Iterator[Problem]:
        if not 2 * BIG_BLIND <= rules.stack_chips <= STACK_BB_MAX * BIG_BLIND:
            yield Problem("stack_chips", f"expected {2 * BIG_BLIND} to {STACK_BB_MAX * BIG_BLIND} (100 a BB)")
        if rules.session_hands < 2 or rules.session_hands % 2:
            yield Problem("session_hands", "expected an even number, so that both seats have the button equally")

    def match_problems(self, match: PokerMatch, rules: PokerRules) -> Iterator[Problem]:
        session = max(1, rules.session_hands)  # what is wrong with fewer is said once, of the rules
        if match.hands % session or match.block_hands % session:
            yield Problem("", _not_whole_sessions(match, session))
        elif rules.mirrored and match.hands % (2 * session):
            message = f"expected hands in pairs of sessions of {session}: each is played again with seats exchanged"
            yield Problem("", message)

    def self_play(self, seat: str, results: int) -> PokerMatch:
        return PokerMatch(a=seat, b=seat, phase=Phase.BASELINE, hands=results)

    def small_match(self, match: PokerMatch, rules: PokerRules) -> PokerMatch:
        sessions, hands = match.hands // rules.session_hands, self.small_rules(rules).session_hands
        careers = match.careers
        if match.phase != Phase.SANITY:
            sessions, careers = small_units(sessions, match, SMALL_SESSIONS)
        elif sessions >= LENGTHENED_PHASE_0_SESSIONS_MIN:
            sessions = SMALL_PHASE_0_SESSIONS
        return msgspec.structs.replace(match, hands=sessions * hands, careers=careers, block_hands=2 * hands)

    def small_rules(self, rules: PokerRules) -> PokerRules:
        return msgspec.structs.replace(rules, session_hands=min(rules.session_hands, SMALL_SESSION_HANDS))

    def bounds(self, rule: SequentialRule) -> Bounds:
        """Chips of a session, clipped."""
        return Bounds(-rule.clip_chips, rule.clip_chips, 0, clipped=True)

    def rule_problems(self, rule: SequentialRule, rules: PokerRules, observations: int) -> Iterator[Problem]:
        most = rules.session_hands * rules.stack_chips
        least = min(most, clip_chips_min(rules, observations))
        if not least <= rule.clip_chips <= most:
            message = f"expected {least} to {most} (a session) with {observations} sessions"
            yield Problem("clip_chips", f"{message}: nearer bounds would move the mean of skewed results")
        if rule.blocks_per_look and rules.mirrored:
            yield Problem("blocks_per_look", "expected 0: a mirrored match plays every deck from both sides")

    def deals_twice(self, rules: PokerRules) -> bool:
        return rules.mirrored

    def variant(self, rules: PokerRules) -> str:
        """Zero-shot, which has no name, or with a worked example: it changes what is measured."""
        return with_shots("", rules.shots)

    def unit_results(self, rules: PokerRules, seats: int) -> int:  # noqa: ARG002 - as declared
        return max(1, rules.unit_hands)

    def contest_results(self, rules: PokerRules, seats: int) -> int:
        return self.unit_results(rules, seats)

    def decisions(self, rules: PokerRules, assumed: Mapping[str, Fraction]) -> Fraction:  # noqa: ARG002 - as declared
        return assumed["decisions_per_hand"]

    def durable_results(self, rules: PokerRules) -> int:
        return rules.session_hands


def _not_whole_sessions(match: PokerMatch, session: int) -> str:
    found = f"found {match.hands} and {match.block_hands}"
    way_out = f"choose multiples of {session}, or set holdem.session_hands"
    return f"expected hands and block_hands in whole sessions of {session} hands, {found}; {way_out}"


def clip_chips_min(rules: PokerRules, observations: int) -> int:
    """Least bound of a session's chips in a stopping rule: stack sqrt(max(hands, 100)) min(3/2, sessions / 250).

    Clipping moves the mean of skewed sessions. The more sessions, the smaller a shift a rule finds, so the farther off
    the bounds must be: with these a rule at 5 % finds an effect in at most 5 % of matches without one, up to an SD of
    41 big blinds a hand (docs/decisions/0019). 40,000 chips for 100 sessions of 100 hands; never less than a stack.
    """
    share = min(Fraction(3, 2), Fraction(observations, CLIP_SESSIONS))
    squared = rules.stack_chips**2 * max(rules.unit_hands, CLIP_HANDS) * share**2
    return max(rules.stack_chips, isqrt(ceil(squared) - 1) + 1)


GAME = Holdem()
