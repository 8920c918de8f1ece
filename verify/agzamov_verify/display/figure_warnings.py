"""Warnings that follow from the plan and the figures, for a reader to know before believing them."""

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from ..columns import ascii_words
from ..experiment import Match
from ..games.registry import GAMES
from ..manifest import Manifest, Plan
from ..scoring.analysis import Analysis
from ..scoring.call_records import CallTable
from ..scoring.results import Results
from ..served_words import served_totals, served_warnings
from .error_flags import flag_warning, run_flags

MATCHES_SHOWN_MAX: Final = 3


def warnings_of(
    manifest: Manifest, results: Results | None, calls: CallTable | None, analysis: Analysis | None
) -> Iterator[str]:
    """One sentence each."""
    if not manifest.plan.title.isascii():
        yield "the title has characters beyond ASCII, spelled out here: it may be made to look like another"
    if results:
        yield from map(flag_warning, run_flags(results, analysis))
    for name, seat in manifest.plan.playing.items():
        yield from served_warnings(name, seat, served_totals(name, calls))
    yield from hosted_warnings(manifest.plan)
    for match in analysis.matches if analysis else ():
        if match.symmetry and match.symmetry.violated:
            yield (f"{ascii_words(match.id)}: self-play favours one seat, so differences measured here are in doubt")


def hosted_warnings(plan: Plan) -> Iterator[str]:
    """Warnings of what a hosted model's server, outside of our control, could see in hold'em (docs/decisions/0022)."""
    hidden = [match for match in plan.matches if GAMES[match.game].hides]
    both = [match for match in hidden if len(_servers(plan, match)) == 1 and _all_hosted(plan, match)]
    if both:
        yield f"{_ids(both)}: one server of a hosted model plays both hands, so it could know what the other holds"
    mirrored = [
        match for match in hidden if GAMES[match.game].deals_twice(plan.rules_of(match.game)) and _servers(plan, match)
    ]
    if mirrored:
        yield (
            f"{_ids(mirrored)}: mirrored, so the server of a hosted model sees every deck twice, and could recognise it"
        )


def _all_hosted(plan: Plan, match: Match) -> bool:
    return all(plan.seats[name].server_url is not None for name in match.seats)


def _servers(plan: Plan, match: Match) -> set[str]:
    """The addresses of the hosted models that play in a match."""
    addresses = (plan.seats[name].server_url for name in match.seats)
    return {urlsplit(address).netloc.lower() for address in addresses if address is not None}


def _ids(matches: Sequence[Match]) -> str:
    more = f" and {len(matches) - MATCHES_SHOWN_MAX} more" if len(matches) > MATCHES_SHOWN_MAX else ""
    return ", ".join(ascii_words(match.id) for match in matches[:MATCHES_SHOWN_MAX]) + more
