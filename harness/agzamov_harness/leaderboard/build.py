"""Builds a leaderboard: verifies every submission, writes a report of each accepted one, the page and the record."""

from pathlib import Path
from typing import NamedTuple

from agzamov_verify.checks import Options
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.html_report.site import INDEX, write_report

from .pages import leaderboard_page
from .policy import Policy
from .ranking import Row, rows_of
from .submissions import Recorded, examined, joined, newly_refused, read_record, record_bytes

RECORD = "record.jsonl"


class Built(NamedTuple):
    """Outcome: the page, how many submissions were accepted, and those that are refused now and were not before."""

    page: Path
    accepted: int
    refused: list[Recorded]


def build(folder: Path, policy: Policy, out: Path, options: Options) -> Built:
    """Build the leaderboard of `folder` into `out`, which must be empty or not there. Raises OSError.

    The record is `record.jsonl` in `folder`; it is written anew, and no line ever leaves it.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FileExistsError(f"{out}: it exists already")
    out.mkdir(parents=True, exist_ok=True)
    before = read_record(folder / RECORD)
    found, rows = [], list[Row]()
    for submission in examined(folder, policy, options):
        if submission.verdict:
            rows += rows_of(submission.verdict, submission.recorded.name, submission.submitter)
            command = f"agzamov-verify check {submission.path.name} --key {submission.submitter}.pub"
            opened = open_bundle(submission.path, CheckLog())
            write_report(opened, submission.verdict, out / submission.recorded.run, command, options.jobs)
        found.append(submission._replace(verdict=None))
    record = joined(before, found)
    (out / INDEX).write_text(leaderboard_page(policy, rows, record), "utf-8")
    partial = folder / f".{RECORD}.partial"
    partial.write_bytes(record_bytes(record))
    partial.replace(folder / RECORD)
    accepted = sum(one.recorded.outcome == "accepted" for one in found)
    return Built(out / INDEX, accepted, newly_refused(before, record))
