"""The states of a hand, from the blinds to its end: what `replay.js` draws."""

from collections.abc import Iterator
from typing import Any, Final

from .rules import BOARD_CARDS, STREETS, ActionKind, Hand, HandEnd, Played, in_bb
from .script import HandRecord

PLACES: Final = ("Button", "Big blind")
SHORT: Final = ("BTN", "BB")


def hand_frames(record: HandRecord, stack_chips: int) -> Iterator[dict[str, Any]]:
    """Frame k is the hand after k actions; one more after the last shows where the chips went. All cards are open.

    `stacks`, `bets` and `pot` are in chips, 100 of which are one big blind; `pot` is without the bets of the street.
    Empty for a hand whose cards are not known.
    """
    story = record.story
    if story is None:
        return
    hand, substituted = Hand(story.deal, (stack_chips, stack_chips)), set(story.substituted)
    yield _frame(hand, "blinds", "Blinds are posted", -1, 0)
    for number, acted in enumerate(story.history):
        words = _words(hand, acted)
        hand.act(acted.action)
        label, said = (f"{names[acted.player]} {words}" for names in (SHORT, PLACES))
        frame = _frame(hand, label, said, acted.player, acted.street)
        yield {**frame, **({"drawn": True} if number in substituted else {})}
    yield _end(hand, record, stack_chips)


def _frame(hand: Hand, label: str, said: str, by: int, street: int) -> dict[str, Any]:
    bets = list(hand.bets)
    return {
        "label": label,
        "said": f"{said}; pot {in_bb(hand.pot_chips)} bb",
        "street": STREETS[street],
        "by": by,
        "holes": [list(hand.hole(player)) for player in (0, 1)],
        "board": list(hand.board),
        "stacks": list(hand.stacks),
        "bets": bets,
        "pot": hand.pot_chips - sum(bets),
    }


def _end(hand: Hand, record: HandRecord, stack_chips: int) -> dict[str, Any]:
    is_shown = record.end is HandEnd.SHOWDOWN
    net = record.net_chips
    winner = "nobody wins a chip" if not net else f"{PLACES[0 if net > 0 else 1].lower()} wins {in_bb(abs(net))} bb"
    return {
        **_frame(hand, "end", f"{record.end.value}: {winner}", -1, 0),
        "label": f"{record.end.value}: {winner}",
        "street": "end",
        "board": list(hand.deal.board[: BOARD_CARDS[-1]]) if is_shown else list(hand.board),
        "stacks": [stack_chips + net, stack_chips - net],
        "bets": [0, 0],
        "pot": 0,
        "winner": -1 if not net else 0 if net > 0 else 1,
    }


def _words(hand: Hand, acted: Played) -> str:
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
