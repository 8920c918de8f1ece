"""A hold'em hand as a player knows it: the usual hand history, with result and reason; and its states one by one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from ...core.columns import ascii_words, paragraph, row
from ...core.questions import Message, NoReply, Reply
from ...plan.manifest import Plan
from ...scoring.inference.unit_values import CAREERS
from ...scoring.match_figures import MatchAnalysis
from ...scoring.units.counts import Counts
from ...show.game_view import GameView
from ...show.glossary import label
from ...show.person_choices import Choices
from ...show.replayed_game import PlayedGame
from ...show.text.analysis_text import estimate
from ...table.declared import Accepted, Fault, read_declared
from ...table.prompt_lines import with_shots
from ...table.seating import by_seat
from .control_variates import Method
from .game import GAME
from .hand_script import HandRecord, HandStory
from .live_frame import hand_live_frame
from .match_analysis import UNIT, PokerAnalysis, PreflopLoss
from .match_counts import PokerResult
from .person_actions import hand_choices, holes_seen
from .phh import phh
from .prompt import TAG
from .range_methods import RangeMethod
from .rules import (
    BIG_BLIND,
    BOARD_CARDS,
    SMALL_BLIND,
    STREETS,
    ActionKind,
    Hand,
    HandEnd,
    PlayedAction,
    PokerAction,
    hand_kind,
    in_bb,
)
from .rules import PlayedAction as Acted
from .spelling import read_action

SHORT: Final = ("BTN", "BB")


def hand_frames(record: HandRecord, stack_chips: int) -> Iterator[dict[str, Any]]:
    """Frame k is the hand after k actions; one more after the last shows where the chips went.

    The first has the `holes` of button and big blind. `stacks`, `bets` and `pot` are in chips, 100 of which are one big
    blind; `pot` is without the bets of the street. The last has the `winner` (-1: a split pot), the pot that it
    `took`, its `net` gain, and at showdown the kind of each hand in `made`. Empty for a hand whose cards are not known.
    """
    story = record.story
    if story is None:
        return
    hand, substituted = Hand(story.deal, (stack_chips, stack_chips)), set(story.substituted)
    yield {**_frame(hand, "blinds", -1, 0), "holes": [list(hand.hole(player)) for player in (0, 1)]}
    for number, acted in enumerate(story.history):
        label = f"{SHORT[acted.player]} {_words(hand, acted)}"
        hand.act(acted.action)
        frame = _frame(hand, label, acted.player, acted.street)
        yield {**frame, **({"drawn": True} if number in substituted else {})}
    yield _end(hand, record, stack_chips)


def _frame(hand: Hand, label: str, by: int, street: int) -> dict[str, Any]:
    bets = list(hand.bets)
    return {
        "label": label,
        "street": STREETS[street],
        "by": by,
        "board": list(hand.board),
        "stacks": list(hand.stacks),
        "bets": bets,
        "pot": hand.pot_chips - sum(bets),
    }


def _end(hand: Hand, record: HandRecord, stack_chips: int) -> dict[str, Any]:
    is_shown = record.end is HandEnd.SHOWDOWN
    net = record.net_chips
    return {
        **_frame(hand, record.end.value, -1, 0),
        "street": "end",
        "board": list(hand.deal.board[: BOARD_CARDS[-1]]) if is_shown else list(hand.board),
        "stacks": [stack_chips + net, stack_chips - net],
        "bets": [0, 0],
        "pot": 0,
        "winner": -1 if not net else 0 if net > 0 else 1,
        "took": 2 * min(hand.put_in),
        "net": abs(net),
        **({"made": [hand_kind(hand.deal, player) for player in (0, 1)]} if is_shown else {}),
    }


def _words(hand: Hand, acted: PlayedAction) -> str:
    action, all_in = acted.action, ", all in" if acted.all_in else ""
    match action.kind:
        case ActionKind.FOLD:
            return "folds"
        case ActionKind.CHECK:
            return "checks"
        case ActionKind.CALL:
            return f"calls {in_bb(hand.to_call_chips)} bb{all_in}"
        case ActionKind.BET:
            return f"bets {in_bb(action.to_chips)} bb{all_in}"
        case ActionKind.RAISE:
            return f"raises to {in_bb(action.to_chips)} bb{all_in}"


STREET_TITLES: Final = ("HOLE CARDS", "FLOP", "TURN", "RIVER")

RESULT_WIDTH: Final = 8
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


def title_words(played: PlayedGame, record: HandRecord) -> str:
    """The result in a heading: "random wins 2.5 bb"."""
    if not record.net_chips:
        return "split pot, nobody wins a chip"
    winner = ascii_words(played.first if record.net_chips > 0 else played.second)
    return f"{winner} wins {in_bb(abs(record.net_chips))} bb"


def _kinds(record: HandRecord) -> str:
    if not record.story:
        return ""
    button, blind = (hand_kind(record.story.deal, player) for player in (0, 1))
    return f", {button} against {blind}" if record.net_chips > 0 else f", {blind} against {button}"


def _history(record: HandRecord, story: HandStory, names: tuple[str, str], stack_chips: int) -> Iterator[str]:
    hand = Hand(story.deal, (stack_chips, stack_chips))
    yield f"{names[0]}: posts small blind {hand.bets[0]}"
    yield f"{names[1]}: posts big blind {hand.bets[1]}"
    yield f"*** {STREET_TITLES[0]} ***"
    for player, name in enumerate(names):
        yield f"Dealt to {name} [{' '.join(hand.hole(player))}]"
    street = 0
    for acted in story.history:
        yield from _streets(hand, street, acted.street)
        street = acted.street
        yield _action(hand, acted, names[acted.player])
        hand.act(acted.action)
    if record.end is HandEnd.SHOWDOWN:
        yield from _streets(hand, street, len(STREET_TITLES) - 1)
        yield "*** SHOW DOWN ***"
        for player, name in enumerate(names):
            yield f"{name}: shows [{' '.join(hand.hole(player))}] ({hand_kind(story.deal, player)})"


def _streets(hand: Hand, before: int, now: int) -> Iterator[str]:
    """The streets that were dealt since an action."""
    for street in range(before + 1, now + 1):
        old, new = (hand.deal.board[: BOARD_CARDS[number]] for number in (street - 1, street))
        turned = f"[{' '.join(old)}] [{' '.join(new[len(old) :])}]" if old else f"[{' '.join(new)}]"
        yield f"*** {STREET_TITLES[street]} *** {turned}"


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
        return len(STREET_TITLES) - 1
    return max((acted.street for acted in story.history), default=0)


def _preflop(seat: PreflopLoss) -> str:
    over = "" if seat.loss_per_decision.over == CAREERS else ", n in sessions"
    lost = f"{seat.decisions} decisions of {seat.hands} hands lose {estimate(seat.loss_per_decision)}{over}"
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
    unit_words: ClassVar = {"bb/100": "big blinds per 100 hands"}
    adjusted_words = (
        "One quantity, estimated several ways: each takes out another share of the luck of the cards. raw: as won."
        " all in: what was all in counts by its equity. street equity: so at every street. baseline: less what a"
        " fixed public player wins with the same cards."
    )
    places = ("button", "big blind")
    clusters = UNIT
    notation = "phh"
    tag = TAG
    can_resign = False
    notation_words = "hands of hold'em"

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        return hand_lines(played, played.record, plan.rules_of(GAME.name).stack_chips)

    def document(self, played: PlayedGame) -> dict[str, object]:
        return hand_document(played, played.record)

    def exported(self, played: PlayedGame, plan: Plan) -> str:
        return phh(played, plan.title, plan.rules_of(GAME.name).stack_chips)

    def live_frame(self, asked: Sequence[tuple[Message, ...]]) -> dict[str, Any]:
        return hand_live_frame(asked)

    def choices(self, messages: tuple[Message, ...]) -> Choices:
        return hand_choices(messages)

    def last_frame(self, played: PlayedGame, plan: Plan, place: int) -> dict[str, Any]:
        frames = self.frames(played, plan)
        return {**frames[-1], "holes": holes_seen(played.record, place)}

    def actions(self, record: HandRecord) -> Mapping[int, str]:
        acted = record.story.history if record.story else ()
        return {turn: _spelled(one.action) for turn, one in enumerate(acted)}

    def frames(self, played: PlayedGame, plan: Plan) -> list[dict[str, Any]]:
        frames = list(hand_frames(played.record, plan.rules_of(GAME.name).stack_chips))
        return frames or super().frames(played, plan)

    def title(self, played: PlayedGame) -> str:
        return title_words(played, played.record)

    def readers(
        self, played: PlayedGame, plan: Plan
    ) -> Iterator[tuple[int, Callable[[Reply | NoReply], Accepted[Any] | Fault]]]:
        story, stack_chips = played.record.story, plan.rules_of(GAME.name).stack_chips
        if story is None:
            return
        hand = Hand(story.deal, (stack_chips, stack_chips))
        for acted in (*story.history, None):
            if hand.to_act is not None:
                yield hand.to_act, lambda answer: read_declared(answer, TAG, lambda text: read_action(text, hand))
            if acted:
                hand.act(acted.action)

    def thumbnail(self, played: PlayedGame, frames: list[dict[str, Any]]) -> str:
        """The cards of the seats in their order, two each, then those of the board that was seen."""
        holes = frames[0].get("holes")
        if not holes:
            return ""
        by_seats = by_seat(holes, played.order)
        return "".join(card for cards in (*by_seats, frames[-1]["board"]) for card in cards)

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

    def rules_words(self, plan: Plan) -> str:
        shots = plan.rules_of(GAME.name).shots
        return f"hold'em prompt with {with_shots('', shots)}" if shots else ""

    def details(self, counts: PokerResult, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:  # noqa: ARG002
        unit = "sessions with their mirrors" if counts.mirrored_pairs else "sessions"
        yield from row(label("sessions won"), f"{counts.sessions_won} of {counts.units} {unit}")
        if not isinstance(analysis, PokerAnalysis):
            return
        if analysis.p_units_won:
            over = f"one-sided binomial test over n = {counts.units} {unit}"
            yield from row(label("p, sessions won above 1/2"), ascii_words(f"{analysis.p_units_won}, {over}"))
        if analysis.bb_per_100.everything.sd:
            named = "career SD" if analysis.bb_per_100.everything.over == CAREERS else "session SD"
            yield from row(label(named), f"{analysis.bb_per_100.everything.sd[0].decimal} {label('bb/100')}")
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
