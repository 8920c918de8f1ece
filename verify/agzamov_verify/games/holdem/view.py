"""A hold'em hand as a player knows it: the usual hand history, with result and reason before and after it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...columns import ascii_words, paragraph, row
from ...display.analysis_text import estimate
from ...game_view import GameView
from ...glossary import label
from ...manifest import Plan
from ...questions import Message
from ...replayed_game import PlayedGame
from ...scoring.counts import Counts
from ...scoring.match_figures import MatchAnalysis
from ..page import labelled, read_page
from .analysis import UNIT, PokerAnalysis
from .frames import hand_frames
from .game import GAME
from .phh import phh
from .preflop import PreflopLoss
from .results import PokerResult
from .rules import BIG_BLIND, BOARD_CARDS, SMALL_BLIND, ActionKind, Hand, HandEnd, PokerAction, hand_kind, in_bb
from .rules import Played as Acted
from .script import HandRecord, HandStory
from .variance_reduction.control_variates import Method
from .variance_reduction.range_methods import RangeMethod

STREETS: Final = ("HOLE CARDS", "FLOP", "TURN", "RIVER")

RESULT_WIDTH: Final = 8
SCENE: Final = ("Hole cards", "Board", "Pot", "Stacks", "Position", "Action")
"""Lines of a prompt that show the hand."""
METHODS: Final = tuple(method.value for kind in (Method, RangeMethod) for method in kind)
PREFLOP: Final = "in a simplified game without betting after the flop: a diagnostic, not how well poker is played"


def hand_lines(played: PlayedGame, record: HandRecord, stack_chips: int) -> Iterator[str]:
    """Result, seats, blinds, cards, every action, showdown, and the result again."""
    names = (ascii_words(played.first), ascii_words(played.second))
    yield f"{record.game}: button {names[0]}, big blind {names[1]}"
    yield from paragraph("Result:", result_words(played, record), RESULT_WIDTH)
    yield ""
    yield f"Hold'em no limit (blinds {SMALL_BLIND}/{BIG_BLIND} chips, {BIG_BLIND} chips are 1 bb)"
    yield f"Seat 1: {names[0]} ({stack_chips} chips), on the button"
    yield f"Seat 2: {names[1]} ({stack_chips} chips)"
    if record.story:
        yield from _history(record, record.story, names, stack_chips)
    yield ""
    yield from paragraph("Result:", result_words(played, record), RESULT_WIDTH)


def result_words(played: PlayedGame, record: HandRecord) -> str:
    """Winner, amount and reason of a hand: "agent wins 250 chips (2.5 bb): other folded"."""
    names = (ascii_words(played.first), ascii_words(played.second))
    if not record.net_chips:
        return "split pot, nobody wins a chip: equal hands at showdown"
    winner, loser = names if record.net_chips > 0 else names[::-1]
    chips = abs(record.net_chips)
    reason = {
        HandEnd.FOLD: f"{loser} folded",
        HandEnd.SHOWDOWN: f"the better hand at showdown{_kinds(record)}",
        HandEnd.FORFEIT: f"{loser} forfeited, with no legal action in all its attempts",
    }[record.end]
    return f"{winner} wins {chips} chips ({in_bb(chips)} bb): {reason}"


def _kinds(record: HandRecord) -> str:
    if not record.story:
        return ""
    button, blind = (hand_kind(record.story.deal, player) for player in (0, 1))
    return f", {button} against {blind}" if record.net_chips > 0 else f", {blind} against {button}"


def _history(record: HandRecord, story: HandStory, names: tuple[str, str], stack_chips: int) -> Iterator[str]:
    hand = Hand(story.deal, (stack_chips, stack_chips))
    yield f"{names[0]}: posts small blind {hand.bets[0]}"
    yield f"{names[1]}: posts big blind {hand.bets[1]}"
    yield f"*** {STREETS[0]} ***"
    for player, name in enumerate(names):
        yield f"Dealt to {name} [{' '.join(hand.hole(player))}]"
    street = 0
    for acted in story.history:
        yield from _streets(hand, street, acted.street)
        street = acted.street
        yield _action(hand, acted, names[acted.player])
        hand.act(acted.action)
    if record.end is HandEnd.SHOWDOWN:
        yield from _streets(hand, street, len(STREETS) - 1)
        yield "*** SHOW DOWN ***"
        for player, name in enumerate(names):
            yield f"{name}: shows [{' '.join(hand.hole(player))}] ({hand_kind(story.deal, player)})"


def _streets(hand: Hand, before: int, now: int) -> Iterator[str]:
    """The streets that were dealt since an action."""
    for street in range(before + 1, now + 1):
        old, new = (hand.deal.board[: BOARD_CARDS[number]] for number in (street - 1, street))
        turned = f"[{' '.join(old)}] [{' '.join(new[len(old) :])}]" if old else f"[{' '.join(new)}]"
        yield f"*** {STREETS[street]} *** {turned}"


def _action(hand: Hand, acted: Acted, name: str) -> str:
    action, player = acted.action, acted.player
    everything = " and is all in" if acted.all_in else ""
    match action.kind:
        case ActionKind.FOLD:
            return f"{name}: folds"
        case ActionKind.CHECK:
            return f"{name}: checks"
        case ActionKind.CALL:
            return f"{name}: calls {hand.to_call_chips}{everything}"
        case ActionKind.BET:
            return f"{name}: bets {action.to_chips}{everything}"
        case ActionKind.RAISE:
            more = action.to_chips - hand.bets[1 - player]
            return f"{name}: raises {more} to {action.to_chips}{everything}"


def hand_document(played: PlayedGame, record: HandRecord) -> dict[str, object]:
    """The hand for a program."""
    story = record.story
    return {
        "button": played.first,
        "big_blind": played.second,
        "end": record.end.value,
        "net_chips_button": record.net_chips,
        "hole_button": list(story.deal.button) if story else [],
        "hole_big_blind": list(story.deal.big_blind) if story else [],
        "board": list(story.deal.board[: BOARD_CARDS[_last_street(record, story)]]) if story else [],
        "actions": [
            {
                "street": acted.street,
                "player": "big_blind" if acted.player else "button",
                "action": acted.action.kind.value,
                "to_chips": acted.action.to_chips,
            }
            for acted in (story.history if story else ())
        ],
    }


def _last_street(record: HandRecord, story: HandStory) -> int:
    if record.end is HandEnd.SHOWDOWN:
        return len(STREETS) - 1
    return max((acted.street for acted in story.history), default=0)


def _preflop(seat: PreflopLoss) -> str:
    lost = f"{seat.decisions} decisions of {seat.hands} hands lose {estimate(seat.loss_per_decision)}, n in sessions"
    return f"{lost} ({PREFLOP})"


def _spelled(action: PokerAction) -> str:
    """An action with its total in chips, where it has one."""
    return f"{action.kind.value} {action.to_chips}" if action.to_chips else action.kind.value


class PokerView(GameView):
    """Hold'em on the screen."""

    game = GAME
    null = 0.0
    figure_unit = "big blinds per 100 hands"
    short_unit = " bb/100"
    adjusted_words = (
        "One quantity, estimated several ways: each takes out another share of the luck of the cards. raw: as won."
        " all in: what was all in counts by its equity. street equity: so at every street. baseline: less what a"
        " fixed public player wins with the same cards."
    )
    places = ("button", "big blind")
    clusters = UNIT
    notation = "phh"

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        return hand_lines(played, played.record, plan.rules_of(GAME.name).stack_chips)

    def document(self, played: PlayedGame) -> dict[str, object]:
        return hand_document(played, played.record)

    def exported(self, played: PlayedGame, plan: Plan) -> str:
        return phh(played, plan.title, plan.rules_of(GAME.name).stack_chips)

    def scene(self, messages: tuple[Message, ...]) -> dict[str, str]:
        page = read_page(messages)
        return {name.lower(): labelled(page, name) for name in SCENE}

    def actions(self, record: HandRecord) -> Mapping[int, str]:
        acted = record.story.history if record.story else ()
        return {turn: _spelled(one.action) for turn, one in enumerate(acted)}

    def frames(self, played: PlayedGame, plan: Plan) -> list[dict[str, Any]]:
        frames = list(hand_frames(played.record, plan.rules_of(GAME.name).stack_chips))
        return frames or super().frames(played, plan)

    def error_classes(self, record: HandRecord) -> tuple[str, ...]:
        return ("error",) if any(record.faults) else ()

    def ended(self, record: HandRecord) -> str:
        return f"{record.end.value}, {abs(record.net_chips)} chips"

    def size(self, counts: PokerResult) -> str:
        return f"{counts.hands:,} hands, {counts.sessions:,} sessions"

    def number(self, value: float) -> str:
        return f"{value:+.1f}"

    def tally(self, counts: Counts) -> str:
        if counts.value == self.null:
            return "won as much as"
        return f"won {'more' if counts.value > self.null else 'less'} than"

    def ends(self, counts: Counts) -> bool:  # noqa: ARG002 - as declared
        return False

    def details(self, counts: PokerResult, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:  # noqa: ARG002
        unit = "sessions with their mirrors" if counts.mirrored_pairs else "sessions"
        yield from row(label("sessions won"), f"{counts.sessions_won} of {counts.units} {unit}")
        if not isinstance(analysis, PokerAnalysis):
            return
        if analysis.p_units_won:
            over = f"one-sided binomial test over n = {counts.units} {unit}"
            yield from row(label("p, sessions won above 1/2"), ascii_words(f"{analysis.p_units_won}, {over}"))
        if analysis.bb_per_100.everything.sd:
            yield from row(label("session SD"), f"{analysis.bb_per_100.everything.sd[0].decimal} {label('bb/100')}")
        for name in METHODS:
            if name in analysis.adjusted and name != Method.RAW.value:
                cut = analysis.variance_cuts.get(name)
                saved = f", {label('variance reduction')} by a factor of {float(cut.decimal):.2f}" if cut else ""
                named = "value baseline" if name == Method.BASELINE.value else name.replace("_", " ")
                yield from row(label(named), f"{estimate(analysis.adjusted[name])}{saved}")
        for side, seat in (("A", analysis.preflop_a), ("B", analysis.preflop_b)):
            if seat:
                yield from row(label(f"before the flop, {side}"), _preflop(seat))


VIEW = PokerView()
