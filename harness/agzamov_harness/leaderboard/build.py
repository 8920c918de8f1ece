"""Builds a leaderboard: verifies every submission, writes a report of each accepted one, the page and the record."""

import shlex
import tempfile
from pathlib import Path
from typing import NamedTuple

from agzamov_verify.checks import Options
from agzamov_verify.html_report.site import INDEX, write_report

from .pages import leaderboard_page
from .policy import Policy
from .ranking import Row, rows_of
from .record import Entry, Outcome, joined, read_record, worse, write_record
from .site_folder import mark, put, require_replaceable
from .submissions import examined


class Built(NamedTuple):
    """Outcome: the page, how many submissions were accepted, and those that are refused or gone and were not before."""

    page: Path
    accepted: int
    worse: list[Entry]


def build(folder: Path, policy: Policy, out: Path, options: Options) -> Built:
    """Build the leaderboard of `folder` into `out`, whole or not at all. Raises OSError, ManifestError.

    `out` must not lie in `folder`, and must not be there, unless it holds pages of an earlier build and nothing else:
    these are replaced. The record in `folder` is written anew.
    """
    require_replaceable(out)
    if out.resolve().is_relative_to(folder.resolve()):
        raise FileExistsError(None, "expected a folder outside of that of the submissions", str(out))
    before, entries, rows = read_record(folder), list[Entry](), list[Row]()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as name:
        site = Path(name) / "site"
        site.mkdir()
        accepted = {entry.run: entry.name for entry in before if entry.present and entry.outcome is Outcome.ACCEPTED}
        for submission in examined(folder, policy, options, accepted):
            entries.append(submission.entry)
            if taken := submission.taken:
                rows += rows_of(taken.verdict, submission.entry.name, taken.submitter)
                command = f"agzamov-verify check {shlex.quote(submission.path.name)} --key KEY.pub"
                write_report(taken.opened, taken.verdict, site / submission.entry.run, command, options.jobs)
        record = joined(before, entries)
        (site / INDEX).write_text(leaderboard_page(policy, rows, record), "utf-8")
        mark(site)
        put(site, out, Path(name) / "before")
    write_record(folder, record)
    count = sum(entry.outcome is Outcome.ACCEPTED for entry in entries)
    return Built(out / INDEX, count, worse(before, record))
