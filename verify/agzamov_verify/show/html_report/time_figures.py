"""When each arm was played: a strip over time for each arm, and how far it overlaps with its naked control."""

from collections.abc import Iterator
from datetime import UTC, datetime

from ...checks.steps import Verdict
from ...plan.manifest import Manifest
from ...scoring.play_times import ComparedTimes, overlaps
from ..views import game_words
from .charts import strips
from .figures import figure, parts_of, short_words
from .markup import Element, table


def time_figures(verdict: Verdict) -> Iterator[Element]:
    """A figure for each group of arms that are compared, where the calls say when they were made."""
    manifest = parts_of(verdict)[2]
    for times in verdict.calls.times if verdict.calls else ():
        yield _strip(times, manifest)


def _strip(times: ComparedTimes, manifest: Manifest) -> Element:
    ids = {match.id: match for match in manifest.plan.matches}
    rows = [(short_words(manifest, name), arm.calls) for name, arm in times.matches.items()]
    shared = {match.id: share for match, _, share in overlaps(ids.values(), [times])}
    numbers = [
        (
            short_words(manifest, name),
            _clock(arm.first_s),
            _clock(arm.last_s),
            f"{sum(arm.calls):,}",
            f"{round(100 * shared[name])} %" if name in shared else "",
        )
        for name, arm in times.matches.items()
    ]
    words = (
        f"From {_clock(min(times.begins_s))} on, in {len(times.begins_s)} parts with equally many calls; a bar is an"
        " arm's share of its calls. Arms played at other times may have met another version of a hosted model. The"
        " submitter's clock."
    )
    columns = ("arm", "first call", "last call", "calls", "overlap with control")
    played = [ids[name] for name in times.matches]
    title = f"{game_words(played[0].game)}, {played[0].condition.augmentation.value}: when each arm was played"
    return figure(title, words, strips(rows, title), table(columns, numbers))


def _clock(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
