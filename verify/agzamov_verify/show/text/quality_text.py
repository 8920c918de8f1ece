"""Quality figures and the result of their check, for a person and as canonical JSON; and progress of the check."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ...checks.check_log import Status
from ...checks.quality_answers import QualityVerdict
from ...core import canon
from ...core.untrusted_input import printable
from ...scoring.quality.quality_figures import QualityResults
from ...scoring.quality.quality_index import Group, Mean, SeatQuality
from .verdict_report import MARKS, SHOWN_MAX, finding_line

ANSWERS = ".quality"
ALIGNMENT = "could ask the engine that judges it: this is alignment with the engine, not quality"


def answers_folder(bundle: Path) -> Path:
    """The folder of the answers about a bundle or a run: beside it, with ANSWERS after its name."""
    path = bundle.resolve()
    return path.with_name(path.name + ANSWERS)


def text(verdict: QualityVerdict) -> str:
    """The verdict for a person."""
    return "\n".join(_verdict_lines(verdict)) + "\n"


def json(verdict: QualityVerdict) -> bytes:
    """The verdict in canonical JSON."""
    return canon.dumps(
        {
            "format": "agz-quality-verdict-1",
            "run": verdict.run,
            "status": verdict.status.value,
            "remark": printable(verdict.remark),
            "positions": verdict.positions,
            "asked": verdict.asked,
            "seed": verdict.seed,
            "wrong_below": verdict.wrong_below,
            "findings": [
                {
                    "place": printable(finding.place),
                    "expected": printable(finding.expected),
                    "found": printable(finding.found),
                }
                for finding in verdict.findings
            ],
            "results": verdict.results,
        }
    )


def quality_lines(results: QualityResults) -> Iterator[str]:
    """The figures as a short table."""
    for match, seats in results.by_match.items():
        yield match
        for seat in seats:
            yield from _seat(seat.side.upper(), seat)
    yield from results.departures


def confidence(verdict: QualityVerdict) -> str:
    """The confidence that the answers asked again give in all of them, in words."""
    if verdict.asked == verdict.positions:
        return f"all {verdict.positions} positions asked again"
    asked = f"{verdict.asked} of {verdict.positions} positions asked again, drawn with seed {verdict.seed}"
    if verdict.wrong_below is None:
        return asked
    share = 100 * verdict.wrong_below / verdict.positions
    return (
        f"{asked}: no difference; with 95 % confidence fewer than {share:.2f} % of all answers"
        f" ({verdict.wrong_below}) are wrong, each of which could hide a whole blunder; --all asks about every one"
    )


@contextmanager
def counting(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar with the time left on a terminal; silent elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda _done, _all: None
        return
    with click.progressbar(length=1, label=what, file=sys.stderr, show_pos=True) as bar:

        def tick(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield tick


def _verdict_lines(verdict: QualityVerdict) -> Iterator[str]:
    yield f"quality  {MARKS[verdict.status]}{f'  ({printable(verdict.remark)})' if verdict.remark else ''}"
    if verdict.asked:
        yield confidence(verdict)
    yield from (finding_line(finding) for finding in verdict.findings[:SHOWN_MAX])
    if len(verdict.findings) > SHOWN_MAX:
        yield f"and {len(verdict.findings) - SHOWN_MAX} more findings"
    if verdict.results and verdict.status is not Status.FAIL:
        yield ""
        yield from map(printable, quality_lines(verdict.results))


def _seat(side: str, seat: SeatQuality) -> Iterator[str]:
    flag = f"  ({ALIGNMENT})" if seat.engine_alignment else ""
    left_out = f", {seat.substituted} substituted moves left out" if seat.substituted else ""
    yield f"  {seat.seat} as {side}{left_out}{flag}"
    for name, group in seat.groups.items():
        yield f"    {name:<10} {_group(group) if group else 'no moves'}"


def _group(group: Group) -> str:
    return (
        f"loses {_mean(group.loss_centipawns)} centipawns a move, before/after {_mean(group.before_after_centipawns)},"
        f" chance of winning {_mean(group.win_percent_loss, 2)} %; accuracy {_mean(group.accuracy_percent)} %;"
        f" {group.moves} moves in {group.games} games, {group.best} the engine's own,"
        f" {group.decided} in decided positions"
    )


def _mean(mean: Mean, places: int = 1) -> str:
    """The mean and its interval, of as many games as an interval needs."""
    value = f"{float(mean.value.decimal):.{places}f}"
    if mean.ci is None:
        return value
    low, high = (f"{float(number):.{places}f}" for number in (mean.ci.low, mean.ci.high))
    return f"{value} [{low}, {high}]"
