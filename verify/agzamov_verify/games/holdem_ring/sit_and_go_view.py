"""A sit-and-go as a player knows it, and its states one by one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from ...core.columns import ascii_words, paragraph, row
from ...core.questions import Message, NoReply, Reply
from ...plan.manifest import Plan
from ...poker.actions import BOARD_CARDS, STREETS, ActionKind, in_bb
from ...poker.spelling import read_action
from ...scoring.match_figures import MatchAnalysis
from ...show.game_view import GameView
from ...show.glossary import label
from ...show.replayed_game import PlayedGame
from ...table.declared import Accepted, Fault, read_declared
from .game import SIT_AND_GO
from .hand_script import steps_of
from .hand_words import STREET_TITLES, action_words
from .live_frame import ring_live_frame
from .phh import tournament_phh
from .positions import position_names
from .prompt import TAG
from .rules import SEATS_MAX, RingHand, hand_kind
from .sit_and_go import SitAndGoEnd, SitAndGoRecord, TournamentHand
from .sit_and_go_scoring import SitAndGoCounts

RESULT_WIDTH: Final = 8


def rank_words(rank: int) -> str:
    """1st, 2nd, 3rd, 4th."""
    return f"{rank}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(rank, 'th') }"


def result_words(record: SitAndGoRecord, names: Sequence[str]) -> str:
    """The order of finish, and why it ended: "1st agent, 2nd dice, 3rd other: one player has all chips"."""
    places = sorted(range(len(names)), key=lambda place: (record.ranks[place], place))
    told = ", ".join(f"{rank_words(record.ranks[place])} {names[place]}" for place in places)
    reason = {SitAndGoEnd.WINNER: "one player has all chips", SitAndGoEnd.LAST_HAND: "the last hand was played"}
    return f"{told}: {reason[record.end]} after {len(record.hands)} hands"


def sit_and_go_frames(record: SitAndGoRecord, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Frame k is the table before action k, over all hands; the last two are the end of play and the ranks.

    Lists are by place at the table, chips in hundredths of a big blind of the first level. The first frame of a hand
    has its number `hand`, `blinds`, `holes` and the positions in `names` (nothing for who is out), and in `ended` how
    the hands since the frame before came out.
    """
    seats, said = len(record.order), {"label": "blinds", "by": -1, "drawn": False}
    ended = list[str]()
    last: dict[str, Any] = {}
    for number, hand in enumerate(record.hands, start=1):
        positions, first = position_names(len(hand.places)), True
        for turn, (table, acted) in enumerate(steps_of(hand.begun(), hand.story)):
            last = {**_frame(table, hand, seats), **_said(said)}
            if first:
                last |= _dealt(hand, number, seats, positions) | {"ended": ended}
            if acted is None:
                break
            yield last
            first, ended = False, []
            words = f"{positions[acted.player]} {action_words(table, acted)}"
            said = {"label": words, "by": hand.places[acted.player], "drawn": turn in hand.story.substituted}
        ended.append(hand_result(number, hand, names))
    yield last
    ranks = [rank_words(rank) for rank in record.ranks]
    end = {"label": record.end.value, "by": -1, "street": "end", "pots": [], "finish": ranks, "ended": ended}
    yield {**{key: value for key, value in last.items() if key not in ("holes", "drawn", "hand")}, **end}


def _said(said: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in said.items() if value is not False}


def _dealt(hand: TournamentHand, number: int, seats: int, positions: Sequence[str]) -> dict[str, Any]:
    blinds = [hand.big_blind_chips // 2, hand.big_blind_chips]
    holes = _by_place(hand, [list(hole) for hole in hand.story.deal.holes], list[str](), seats)
    return {"hand": number, "blinds": blinds, "holes": holes, "names": _by_place(hand, positions, "", seats)}


def _by_place(hand: TournamentHand, values: Sequence[Any], nothing: Any, seats: int) -> list[Any]:
    """Values of the places of a hand, by place at the table."""
    told = dict(zip(hand.places, values, strict=True))
    return [told.get(place, nothing) for place in range(seats)]


def _frame(table: RingHand, hand: TournamentHand, seats: int) -> dict[str, Any]:
    return {
        "street": STREETS[table.street],
        "board": list(table.board),
        "stacks": _by_place(hand, table.stacks, 0, seats),
        "bets": _by_place(hand, table.bets, 0, seats),
        "live": _by_place(hand, table.live, False, seats),
        "pots": [pot.chips for pot in table.pots] if table.street else [],
    }


def hand_result(number: int, hand: TournamentHand, names: Sequence[str]) -> str:
    """Who won chips in a hand, with what, and who is out after it."""
    won = [
        f"{names[place]} wins {in_bb(net)} bb{_with(hand, at)}"
        for at, (place, net) in enumerate(zip(hand.places, hand.net, strict=True))
        if net > 0
    ]
    out = [
        names[place] for place, stack, net in zip(hand.places, hand.stacks, hand.net, strict=True) if stack + net == 0
    ]
    told = ", ".join(won) or "nobody wins a chip"
    return f"Hand {number}: {told}" + (f"; out: {', '.join(out)}" if out else "")


def _folded(hand: TournamentHand) -> set[int]:
    return {acted.player for acted in hand.story.history if acted.action.kind is ActionKind.FOLD}


def _with(hand: TournamentHand, at: int) -> str:
    """The kind of hand of a place of the hand that won at a showdown."""
    if len(_folded(hand)) >= len(hand.places) - 1:
        return ""
    return f" with {hand_kind(hand.story.deal.holes[at], hand.story.deal.board).lower()}"


def sit_and_go_lines(played: PlayedGame) -> Iterator[str]:
    """Result, every hand with its actions, and the result again."""
    record: SitAndGoRecord = played.record
    names = [ascii_words(name) for name in played.placed]
    result = [*paragraph("Result:", result_words(record, names), RESULT_WIDTH)]
    yield f"{record.game}: a sit-and-go of hold'em at a table of {len(names)}"
    yield from result
    for number, hand in enumerate(record.hands, start=1):
        yield ""
        yield from _hand_lines(number, hand, names)
    yield ""
    yield from result


def _hand_lines(number: int, hand: TournamentHand, names: Sequence[str]) -> Iterator[str]:
    positions, deal = position_names(len(hand.places)), hand.story.deal
    yield f"Hand {number}, blinds {hand.big_blind_chips // 2} and {hand.big_blind_chips} chips"
    for at, place in enumerate(hand.places):
        yield f"{positions[at]}: {names[place]} ({hand.stacks[at]} chips) [{' '.join(deal.holes[at])}]"
    shown = -1
    for turn, (table, acted) in enumerate(steps_of(hand.begun(), hand.story)):
        for street in range(shown + 1, table.street + 1):
            cards = f" [{' '.join(deal.board[: BOARD_CARDS[street]])}]" if street else ""
            yield f"*** {STREET_TITLES[street]} ***{cards}"
        shown = max(shown, table.street)
        if acted:
            given_up = " (forfeits)" if turn in hand.story.forfeited else ""
            yield f"{names[hand.places[acted.player]]}: {action_words(table, acted)}{given_up}"
    yield from paragraph("", hand_result(number, hand, names), 0)


class SitAndGoView(GameView):
    """Sit-and-gos on the screen."""

    game = SIT_AND_GO
    null = 0.5
    figure_bounds = (0.0, 1.0)
    figure_unit = "points a sit-and-go"
    short_unit = ""
    unit_words: ClassVar = {"points a sit-and-go": "points a sit-and-go: the share of the others who finished lower"}
    places = tuple(f"place {number}" for number in range(1, SEATS_MAX + 1))
    clusters = "duplicate sets"
    notation = "phh"
    notation_words = "hands of hold'em"
    tag = TAG

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:  # noqa: ARG002 - the record has all
        return sit_and_go_lines(played)

    def document(self, played: PlayedGame) -> dict[str, object]:
        record: SitAndGoRecord = played.record
        return {
            "end": record.end.value,
            "ranks": list(record.ranks),
            "hands": [
                {
                    "places": list(hand.places),
                    "stacks_chips": list(hand.stacks),
                    "big_blind_chips": hand.big_blind_chips,
                    "net_chips": list(hand.net),
                    "holes": [list(hole) for hole in hand.story.deal.holes],
                    "board": list(hand.story.deal.board),
                    "actions": [
                        {
                            "street": acted.street,
                            "place": hand.places[acted.player],
                            "action": acted.action.kind.value,
                            "to_chips": acted.action.to_chips,
                        }
                        for acted in hand.story.history
                    ],
                }
                for hand in record.hands
            ],
        }

    def exported(self, played: PlayedGame, plan: Plan) -> str:
        return "".join(f"[{number}]\n{text}" for number, text in enumerate(self.notated(played, plan), start=1))

    def notated(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        return tournament_phh(played, plan.title)

    def actions(self, record: SitAndGoRecord) -> Mapping[int, str]:
        spelled = (acted.action for hand in record.hands for acted in hand.story.history)
        return {turn: f"{one.kind.value} {one.to_chips or ''}".strip() for turn, one in enumerate(spelled)}

    def live_frame(self, asked: Sequence[tuple[Message, ...]]) -> dict[str, Any]:
        return ring_live_frame(asked, ())

    def frames(self, played: PlayedGame, plan: Plan) -> list[dict[str, Any]]:  # noqa: ARG002 - as above
        return list(sit_and_go_frames(played.record, [ascii_words(name) for name in played.placed]))

    def title(self, played: PlayedGame) -> str:
        return result_words(played.record, [ascii_words(name) for name in played.placed])

    def readers(
        self,
        played: PlayedGame,
        plan: Plan,  # noqa: ARG002 - as above
    ) -> Iterator[tuple[int, Callable[[Reply | NoReply], Accepted[Any] | Fault]]]:
        for hand in played.record.hands:
            for table, _ in steps_of(hand.begun(), hand.story):
                if table.to_act is not None:
                    yield (
                        hand.places[table.to_act],
                        lambda answer, table=table: read_declared(  # type: ignore[misc]
                            answer, TAG, lambda text: read_action(text, table)
                        ),
                    )

    def error_classes(self, record: SitAndGoRecord) -> tuple[str, ...]:
        return ("error",) if any(record.faults) else ()

    def ended(self, record: SitAndGoRecord) -> str:
        return f"{record.end.value.replace('_', ' ')}, {len(record.hands)} hands"

    def size(self, counts: SitAndGoCounts) -> str:
        return f"{counts.sit_and_gos:,} sit-and-gos, {counts.sets:,} duplicate sets"

    def tally(self, counts: SitAndGoCounts) -> str:
        return f"finished first in {counts.first} of {counts.sit_and_gos} against"

    def details(self, counts: SitAndGoCounts, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:  # noqa: ARG002
        ranks = (f"{rank_words(rank)} {times}" for rank, times in enumerate(counts.by_rank, start=1))
        yield from row(label("order of finish"), ", ".join(ranks))
        yield from row(label("hands dealt"), f"{counts.hands:,}")
