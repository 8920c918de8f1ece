"""Whose actions were played: the one rule for a seat whose actions the harness drew, and the class of its errors.

A substitute is a random legal action, so a match in which most actions of a seat are substitutes measures the random
player. Where a seat has so many of them (`drawn_percent_below` of the protocol's verdicts), nothing is found about any
seat of the match: no interval, no test, no score, no rank.

A match whose policy is to ask again and then to forfeit has no substitutes; where so many contests were forfeited, the
form of replies decided it. Documents of the released protocols do not say so, which old bundles rest on; every screen
does, and gives no figure (`why_forfeited`).
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from ..protocols.norms import load_protocol
from .seat_stats import SeatStats, share

NEARLY_ALL: Final = 0.9
TWO: Final = 2
CUT: Final = "first_cut"
WHY: Final = {
    CUT: "replies that the server cut, as at a limit of tokens",
    "first_no_action": "replies that declare no action",
    "first_illegal": "illegal actions",
    "first_ambiguous": "actions that may mean two things",
    "first_no_reply": "calls with no reply",
}
"""Classes of failed first attempts, in words."""
CUT_BY_PLAN: Final = "replies that the plan's limit of {tokens_max} tokens cut"


def why_no_finding(stats: Sequence[SeatStats], protocol: str) -> str:
    """Why nothing is found about the seats of a match; empty where every seat played enough actions of its own."""
    drawn = [one for one in stats if is_mostly_drawn(one, protocol)]
    if not drawn:
        return ""
    most = max(drawn, key=lambda one: share(one.substituted, one.decisions))
    percent = f"{100 * share(most.substituted, most.decisions):.1f}".removesuffix(".0")
    return f"{percent} % of the actions of {most.seat} were drawn by the harness{_instead(most)}"


def is_mostly_drawn(stats: SeatStats, protocol: str) -> bool:
    """Whether the harness drew so many actions of a seat in a match that nothing is found about it."""
    below = load_protocol(protocol).verdict.drawn_percent_below
    return stats.decisions > 0 and 100 * stats.substituted >= below * stats.decisions


def why_forfeited(stats: Sequence[SeatStats], contests: int, noun: str, protocol: str) -> str:
    """Why nothing is found in a match of so many games or hands (`noun`) that its seats forfeited; empty if it may be.

    At a table of more than two a contest goes on when a seat gives it up, so there the seat with the most counts.
    """
    forfeits = [one.forfeited for one in stats]
    lost = sum(forfeits) if len(stats) == TWO else max(forfeits, default=0)
    if not contests or 100 * lost < load_protocol(protocol).verdict.drawn_percent_below * contests:
        return ""
    each = ", ".join(f"{one.seat} {one.forfeited:,}" for one in stats if one.forfeited)
    return f"{lost:,} of {contests:,} {noun} were forfeited, with no legal action in any attempt ({each})"


class NotOwn(NamedTuple):
    """A share of a seat's actions that were drawn, or of contests that it forfeited, in words."""

    share: Fraction
    words: str


def shares_not_own(stats: Sequence[SeatStats], contests: int, noun: str) -> Iterator[NotOwn]:
    """What was not a seat's own play: its actions that the harness drew, and the contests that it forfeited."""
    for one in stats:
        if one.substituted:
            drawn = Fraction(one.substituted, one.decisions)
            yield NotOwn(drawn, f"{_percent(drawn)} of the actions of {one.seat} were drawn at random")
        if one.forfeited and contests:
            lost = Fraction(one.forfeited, contests)
            yield NotOwn(lost, f"{one.seat} forfeited {_percent(lost)} of the {noun}")


def _percent(amount: Fraction) -> str:
    return f"{100 * float(amount):.0f} %"


def _instead(stats: SeatStats) -> str:
    """What a seat gave in place of actions: "; all 24 of its errors were illegal actions"."""
    what, is_all, count = _most(stats)
    if not what:
        return ""
    return f": {f'all {count:,}' if is_all else f'nearly all of {count:,}'} errors were {what}"


def nearly_all_errors(stats: SeatStats) -> str:
    """What nearly all errors of a seat were, as a clause; empty where they were of several classes."""
    what, is_all, _ = _most(stats)
    return f", {'all' if is_all else 'nearly all'} of them {what}" if what else ""


def _most(stats: SeatStats) -> tuple[str, bool, int]:
    """The class of nearly all failed first attempts in words, whether it is that of all, and how many failed."""
    counts = {name: getattr(stats.faults, name) for name in WHY}
    name = max(counts, key=lambda one: counts[one])
    most, total = counts[name], sum(counts.values())
    if not total or most < NEARLY_ALL * total:
        return "", False, total
    return (
        CUT_BY_PLAN.format(tokens_max=stats.reply_tokens_max) if name == CUT and stats.is_cut_at_limit else WHY[name],
        (most == total),
        total,
    )
