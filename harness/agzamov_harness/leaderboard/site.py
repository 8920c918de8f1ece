"""Builds a leaderboard: verifies every submission, writes a report of each accepted one, the page and the record.

Its folder may be built again in its place, and nothing but pages of ours is replaced. `leaderboard.json` names every
file that was written beside it. A folder without it, or that holds anything else (a file that somebody put there, a
link), is left alone.

    {"files":["19d78c1cd1b44936/index.html","index.html","ranks.json"],"format":"agz-leaderboard-1"}
"""

import shlex
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from agzamov_verify.checks.steps import Options
from agzamov_verify.core import canon
from agzamov_verify.show.html_report.site import INDEX, write_report

from .board_runs import BoardRun, runs_of
from .leaderboard_pages import leaderboard_page
from .ranking import boards_of
from .ranks_file import RANKS, ranks_text
from .submissions import (
    Policy,
    SubmissionEntry,
    SubmissionOutcome,
    examined,
    joined,
    read_record,
    taken_away,
    worse,
    write_record,
)

MARKER: Final = "leaderboard.json"
NOT_OURS: Final = (
    "it exists already; name another folder, or remove it: only pages that this command wrote are replaced"
)
MARKER_BYTES_MAX: Final = 16 * 2**20


class Marker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Record of the files written beside it, by paths below the folder."""

    files: list[str]
    format: Literal["agz-leaderboard-1"] = "agz-leaderboard-1"


def mark(site: Path) -> None:
    """Name all files of a folder of pages in it."""
    (site / MARKER).write_bytes(canon.dumps(Marker(sorted(_files(site)))) + b"\n")


def require_replaceable(out: Path) -> None:
    """Raises FileExistsError unless nothing is at `out`, or pages of ours and nothing else."""
    if not out.is_symlink() and not out.exists():
        return
    marker = out / MARKER
    if out.is_symlink() or not out.is_dir() or marker.is_symlink() or not marker.is_file():
        raise FileExistsError(None, NOT_OURS, str(out))
    try:
        listed = msgspec.json.decode(_content(marker), type=Marker).files
    except msgspec.MsgspecError as error:
        raise FileExistsError(None, f"{NOT_OURS}; {MARKER}: {error}", str(out)) from error
    strange = sorted(_files(out) - {*listed, MARKER})
    if strange:
        raise FileExistsError(None, f"it holds {strange[0]}, which this command did not write: move it away", str(out))


def put(site: Path, out: Path, aside: Path) -> None:
    """Put new pages at `out`. Old ones go to `aside`, and come back if the new ones cannot be put there."""
    require_replaceable(out)
    if not out.exists():
        site.replace(out)
        return
    out.replace(aside)
    try:
        site.replace(out)
    except OSError:
        aside.replace(out)
        raise


def _content(marker: Path) -> bytes:
    with marker.open("rb") as file:
        return file.read(MARKER_BYTES_MAX)


def _files(folder: Path) -> set[str]:
    """Everything below a folder that is no folder itself, and folders that are empty; links are not followed."""
    paths = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir() or not any(path.iterdir()))
    return {path.relative_to(folder).as_posix() for path in paths}


class Built(NamedTuple):
    """Outcome: the page, how many submissions were accepted, and those that are refused or gone and were not before."""

    page: Path
    accepted: int
    worse: list[SubmissionEntry]


def in_order(runs: Iterable[BoardRun], record: Sequence[SubmissionEntry]) -> list[BoardRun]:
    """Runs in the order in which the record got them."""
    places = {entry.run: number for number, entry in enumerate(record) if entry.present}
    return sorted(runs, key=lambda run: places[run.run])


def build(folder: Path, policy: Policy, out: Path, options: Options) -> Built:
    """Build the leaderboard of `folder` into `out`, whole or not at all. Raises OSError, ManifestError.

    `out` must not lie in `folder`, and must not be there, unless it holds pages of an earlier build and nothing else:
    these are replaced. The record in `folder` is written anew.
    """
    require_replaceable(out)
    if out.resolve().is_relative_to(folder.resolve()):
        raise FileExistsError(None, "expected a folder outside of that of the submissions", str(out))
    before, entries, runs = read_record(folder), list[SubmissionEntry](), list[BoardRun]()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as name:
        site = Path(name) / "site"
        site.mkdir()
        accepted = {
            entry.run: entry.name for entry in before if entry.present and entry.outcome is SubmissionOutcome.ACCEPTED
        }
        for submission in examined(folder, policy, options, accepted):
            entries.append(submission.entry)
            if taken := submission.taken:
                runs += runs_of(taken.verdict, submission.entry.name, taken.submitter)
                command = f"agzamov-verify check {shlex.quote(submission.path.name)} --key KEY.pub"
                write_report(taken.opened, taken.verdict, site / submission.entry.run, command, options.jobs)
        record = joined(before, entries)
        gone = taken_away(record, policy.withdrawn)
        boards = boards_of(in_order(runs, record), policy.contenders_max, gone)
        (site / INDEX).write_text(leaderboard_page(policy, boards, record), "utf-8")
        (site / RANKS).write_text(ranks_text(boards, gone), "ascii")
        mark(site)
        put(site, out, Path(name) / "before")
    write_record(folder, record)
    count = sum(entry.outcome is SubmissionOutcome.ACCEPTED for entry in entries)
    return Built(out / INDEX, count, worse(before, record))
