"""Builds a leaderboard: verifies every submission, writes a report of each accepted one, the page and the record.

Its folder may be built again in its place, and nothing but pages of ours is replaced; `leaderboard.json` names them.
"""

import shlex
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from agzamov_verify.checks.attestations_given import trust_about
from agzamov_verify.checks.steps import Options
from agzamov_verify.commands.trust_options import trust_words
from agzamov_verify.show.html_report.site import INDEX, write_report

from ..foundation.written_folder import WrittenFolder
from .board_runs import BoardRun, runs_of
from .leaderboard_pages import leaderboard_page
from .ranking import boards_of
from .ranks_file import RANKS, ranks_text
from .submission_record import (
    SubmissionEntry,
    SubmissionOutcome,
    joined,
    read_record,
    taken_away,
    worse,
    write_record,
)
from .submissions import Policy, examined

MARKER: Final = "leaderboard.json"
PAGES: Final = WrittenFolder(MARKER, "agz-leaderboard-1")


class Built(NamedTuple):
    """Outcome: the page, how many submissions were accepted, and those that are refused or gone and were not before."""

    page: Path
    accepted: int
    worse: list[SubmissionEntry]


def in_order(runs: Iterable[BoardRun], record: Sequence[SubmissionEntry]) -> list[BoardRun]:
    """Runs in the order in which they were first accepted: packed again, a run keeps its place."""
    places = dict[str, int]()
    for number, entry in enumerate(record):
        if entry.outcome is SubmissionOutcome.ACCEPTED:
            places.setdefault(entry.run, number)
    return sorted(runs, key=lambda run: places[run.run])


def build(folder: Path, policy: Policy, out: Path, options: Options) -> Built:
    """Build the leaderboard of `folder` into `out`, whole or not at all. Raises OSError, ManifestError.

    `out` must not lie in `folder`, and must not be there, unless it holds pages of an earlier build and nothing else:
    these are replaced. The record in `folder` is written anew.
    """
    PAGES.require_replaceable(out)
    if out.resolve().is_relative_to(folder.resolve()):
        raise FileExistsError(None, "expected a folder outside of that of the submissions", str(out))
    before, entries, runs = read_record(folder), list[SubmissionEntry](), list[BoardRun]()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as name:
        site = Path(name) / "site"
        site.mkdir()
        for submission in examined(folder, policy, options, before):
            entries.append(submission.entry)
            if taken := submission.taken:
                runs += runs_of(taken.verdict, submission.entry.name, taken.submitter)
                words = trust_words(trust_about(options.trust, taken.opened.sha256))
                command = f"agzamov-verify check {shlex.quote(submission.path.name)} --key KEY.pub{words}"
                write_report(taken.opened, taken.verdict, site / submission.entry.run, command, options.jobs)
        record = joined(before, entries)
        gone = taken_away(record, policy.withdrawn)
        boards = boards_of(in_order(runs, record), policy.contenders_max, gone)
        (site / INDEX).write_text(leaderboard_page(policy, boards, record), "utf-8")
        (site / RANKS).write_text(ranks_text(boards, gone), "ascii")
        PAGES.mark(site)
        PAGES.put(site, out, Path(name) / "before")
    write_record(folder, record)
    count = sum(entry.outcome is SubmissionOutcome.ACCEPTED for entry in entries)
    return Built(out / INDEX, count, worse(before, record))
