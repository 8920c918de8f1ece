"""A hand at a table of hold'em as a player knows it, and its states one by one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from ...core.columns import ascii_words, paragraph, row
from ...core.questions import Message, NoReply, Reply
from ...plan.manifest import Plan
from ...poker.actions import BOARD_CARDS, STREETS, ActionKind, in_bb
from ...poker.spelling import read_action
from ...scoring.match_figures import MatchAnalysis
from ...scoring.units.counts import Counts
from ...show.game_view import GameView
from ...show.glossary import label
from ...show.replayed_game import PlayedGame
from ...table.declared import Accepted, Fault, read_declared
from .game import GAME
from .hand_script import RingEnd, RingRecord, RingRules, replayed
from .hand_words import STREET_TITLES, action_words
from .live_frame import ring_live_frame
from .phh import phh
from .positions import position_names
from .prompt import TAG
from .rules import SEATS_MAX, RingHand, hand_kind
from .scoring import RingAnalysis, RingCounts
from .sit_and_go_view import SitAndGoView

RESULT_WIDTH: Final = 8


def hand_frames(record: RingRecord, rules: RingRules) -> Iterator[dict[str, Any]]:
    """Frame k is the hand before action k; the last shows where the chips went.

    Lists are by place, the button first; chips are hundredths of a big blind. The first frame has `holes` and `names`
    of the places. `pots` are of earlier streets. The last has `net` and, at a showdown, the kind of hands in `made`.
    """
    names = position_names(len(record.order))
    label_, by, street = "blinds", -1, 0
    for number, (hand, acted) in enumerate(replayed(record.story, rules)):
        frame = _frame(hand, label_, by, street)
        if number - 1 in record.story.substituted:
            frame["drawn"] = True
        if not number:
            frame |= {"holes": [list(hole) for hole in record.story.deal.holes], "names": list(names)}
        if acted is None:
            if number:
                yield frame
            yield {**_frame(hand, record.end.value, -1, 0), **_end(record)}
            return
        yield frame
        label_, by, street = f"{names[acted.player]} {action_words(hand, acted)}", acted.player, acted.street


def _frame(hand: RingHand, label_: str, by: int, street: int) -> dict[str, Any]:
    return {
        "label": label_,
        "street": STREETS[street],
        "by": by,
        "board": list(hand.board),
        "stacks": list(hand.stacks),
        "bets": list(hand.bets),
        "live": list(hand.live),
        "pots": [pot.chips for pot in hand.pots] if hand.street else [],
    }


def _end(record: RingRecord) -> dict[str, Any]:
    made = _made(record)
    return {"street": "end", "net": list(record.outcomes), "pots": [], **({"made": made} if made else {})}


def _made(record: RingRecord) -> list[str]:
    """The kind of hand of each place at a showdown; empty for who folded."""
    deal, folded = record.story.deal, _folded(record)
    if len(folded) >= len(record.order) - 1:
        return []
    return ["" if place in folded else hand_kind(hole, deal.board) for place, hole in enumerate(deal.holes)]


def _folded(record: RingRecord) -> set[int]:
    return {acted.player for acted in record.story.history if acted.action.kind is ActionKind.FOLD}


def hand_lines(played: PlayedGame, rules: RingRules) -> Iterator[str]:
    """Result, seats, cards, every action, showdown, and the result again."""
    record: RingRecord = played.record
    names, positions = [ascii_words(name) for name in played.placed], position_names(len(record.order))
    result = [*paragraph("Result:", result_words(record, names), RESULT_WIDTH)]
    yield f"{record.game}: hold'em at a table of {len(names)}"
    yield from result
    yield ""
    for place, hole in enumerate(record.story.deal.holes):
        yield f"{positions[place]}: {names[place]} ({rules.stack_chips} chips) [{' '.join(hole)}]"
    yield from _history(record, rules, names)
    yield ""
    yield from result


def _history(record: RingRecord, rules: RingRules, names: list[str]) -> Iterator[str]:
    shown, board = -1, record.story.deal.board
    for number, (hand, acted) in enumerate(replayed(record.story, rules)):
        for street in range(shown + 1, hand.street + 1):
            cards = f" [{' '.join(board[: BOARD_CARDS[street]])}]" if street else ""
            yield f"*** {STREET_TITLES[street]} ***{cards}"
        shown = hand.street
        if acted:
            given_up = " (forfeits)" if number in record.story.forfeited else ""
            yield f"{names[acted.player]}: {action_words(hand, acted)}{given_up}"
    for place, kind in enumerate(_made(record)):
        if kind:
            yield f"{names[place]}: shows [{' '.join(record.story.deal.holes[place])}] ({kind})"


def result_words(record: RingRecord, names: list[str]) -> str:
    """Who won how much, and why: "agent wins 250 chips (2.5 bb): all others folded"."""
    won = [f"{names[place]} wins {net} chips ({in_bb(net)} bb)" for place, net in enumerate(record.outcomes) if net > 0]
    reason = {
        RingEnd.FOLD: "all others folded",
        RingEnd.SHOWDOWN: "showdown",
        RingEnd.FORFEIT: "a seat forfeited, with no legal action in all its attempts",
    }[record.end]
    return f"{', '.join(won) or 'nobody wins a chip'}: {reason}"


class RingView(GameView):
    """Hold'em for many on the screen."""

    game = GAME
    null = 0.0
    figure_unit = "big blinds per 100 hands"
    short_unit = " bb/100"
    unit_words: ClassVar = {"bb/100": "big blinds per 100 hands"}
    places = ("button", "small blind", "big blind", *(f"place {number}" for number in range(4, SEATS_MAX + 1)))
    clusters = "duplicate sets"
    notation = "phh"
    notation_words = "hands of hold'em"
    tag = TAG

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        return hand_lines(played, plan.rules_of(GAME.name))

    def document(self, played: PlayedGame) -> dict[str, object]:
        record: RingRecord = played.record
        return {
            "end": record.end.value,
            "net_chips": list(record.outcomes),
            "holes": [list(hole) for hole in record.story.deal.holes],
            "board": list(record.story.deal.board),
            "actions": [
                {
                    "street": acted.street,
                    "place": acted.player,
                    "action": acted.action.kind.value,
                    "to_chips": acted.action.to_chips,
                }
                for acted in record.story.history
            ],
        }

    def exported(self, played: PlayedGame, plan: Plan) -> str:
        return phh(played, plan.title, plan.rules_of(GAME.name))

    def actions(self, record: RingRecord) -> Mapping[int, str]:
        spelled = (acted.action for acted in record.story.history)
        return {turn: f"{one.kind.value} {one.to_chips or ''}".strip() for turn, one in enumerate(spelled)}

    def live_frame(self, asked: Sequence[tuple[Message, ...]]) -> dict[str, Any]:
        return ring_live_frame(asked, self.places)

    def frames(self, played: PlayedGame, plan: Plan) -> list[dict[str, Any]]:
        return list(hand_frames(played.record, plan.rules_of(GAME.name)))

    def title(self, played: PlayedGame) -> str:
        return result_words(played.record, [ascii_words(name) for name in played.placed])

    def readers(
        self, played: PlayedGame, plan: Plan
    ) -> Iterator[tuple[int, Callable[[Reply | NoReply], Accepted[Any] | Fault]]]:
        for hand, _ in replayed(played.record.story, plan.rules_of(GAME.name)):
            if hand.to_act is not None:
                yield (
                    hand.to_act,
                    lambda answer, hand=hand: read_declared(  # type: ignore[misc]
                        answer, TAG, lambda text: read_action(text, hand)
                    ),
                )

    def thumbnail(self, played: PlayedGame, frames: list[dict[str, Any]]) -> str:  # noqa: ARG002 - as declared
        """The cards of the board that was seen."""
        return "".join(frames[-1]["board"])

    def error_classes(self, record: RingRecord) -> tuple[str, ...]:
        return ("error",) if any(record.faults) else ()

    def ended(self, record: RingRecord) -> str:
        return f"{record.end.value}, {max(record.outcomes)} chips"

    def size(self, counts: RingCounts) -> str:
        return f"{counts.hands:,} hands, {counts.sets:,} duplicate sets"

    def number(self, value: float) -> str:
        return f"{value:+.1f}"

    def tally(self, counts: Counts) -> str:
        if counts.value == self.null:
            return "won as much as"
        return f"won {'more' if counts.value > self.null else 'less'} than"

    def ends(self, counts: Counts) -> bool:  # noqa: ARG002 - as declared
        return False

    def details(self, counts: RingCounts, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:  # noqa: ARG002
        yield from row(label("duplicate sets won"), f"{counts.sets_won} of {counts.sets}")
        names = position_names(len(counts.chips_by_place))
        chips = (f"{name} {chips:+d}" for name, chips in zip(names, counts.chips_by_place, strict=True))
        yield from row(label("chips by position"), ", ".join(chips))
        if isinstance(analysis, RingAnalysis) and analysis.bb_per_100.everything.sd:
            yield from row(label("set SD"), f"{analysis.bb_per_100.everything.sd[0].decimal} {label('bb/100')}")


VARIANTS: dict[str, GameView] = {view.game.name: view for view in (RingView(), SitAndGoView())}
