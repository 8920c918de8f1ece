"""Whose actions were played: the one rule for a seat whose actions the harness drew, and the class of its errors.

A substitute is a random legal action, so a match in which most actions of a seat are substitutes measures the random
player. Where a seat has so many of them (`drawn_percent_below` of the protocol's verdicts), nothing is found about any
seat of the match: no interval, no test, no score, no rank.
"""

from collections.abc import Sequence
from typing import Final

from ..protocols.norms import load_protocol
from .seat_stats import SeatStats, share

NEARLY_ALL: Final = 0.9
CUT: Final = "first_cut"
WHY: Final = {
    CUT: "replies that the server cut, as at a limit of tokens",
    "first_no_action": "replies that declare no action",
    "first_illegal": "illegal actions",
    "first_ambiguous": "actions that may mean two things",
    "first_no_reply": "calls without a reply",
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
        CUT_BY_PLAN.format(tokens_max=stats.reply_tokens_max) if _is_by_plan(stats, name) else WHY[name],
        (most == total),
        total,
    )


def _is_by_plan(stats: SeatStats, name: str) -> bool:
    """Whether replies were cut by the plan's limit: all of them had as many tokens."""
    limit = stats.reply_tokens_max
    return name == CUT and limit > 0 and stats.completion_tokens >= limit * stats.faults.first_cut
