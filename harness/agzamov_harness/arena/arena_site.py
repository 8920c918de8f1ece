"""Writes the page of an arena: a folder with a report of each bundle, or one file without. Whole, or not at all.

Written again in its place, it replaces what this command wrote, and nothing else: of a folder `table.files.json` names
every file, and one file begins as a page of an arena does.
"""

import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.core.untrusted_input import show_name
from agzamov_verify.show.html_report.site import INDEX, ONE_FILE, write_report

from ..foundation.written_folder import WrittenFolder
from .arena_page import KIND, Contents, arena_page
from .arena_table import ArenaTable, table_bytes

TABLE: Final = "table.json"
PAGES: Final = WrittenFolder("table.files.json", "agz-arena-report-1")
NOT_A_PAGE: Final = "it exists already, and is no page of an arena; name another with --out, or remove it"
DOCTYPE: Final = b"<!doctype html>"


def require_replaceable(out: Path) -> None:
    """Raises FileExistsError where something else than a page of ours is at `out`."""
    if out.suffix not in ONE_FILE:
        PAGES.require_replaceable(out)
    elif (out.exists() or out.is_symlink()) and not _is_page(out):
        raise FileExistsError(None, NOT_A_PAGE, str(out))


def write_site(
    found: ArenaTable, verdicts: Sequence[tuple[Path, Verdict]], out: Path, origin: tuple[str, str], jobs: int
) -> Path:
    """Write the page of a table, and return it. Raises OSError, FileExistsError.

    `origin`: the title, and the command that prints the table. `out`: a file where its name ends as in ONE_FILE, then
    without replays; else a folder.
    """
    require_replaceable(out)
    title, command = origin
    is_one_file = out.suffix in ONE_FILE
    page = arena_page(Contents(title, found, command, not is_one_file))
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as name:
        site = Path(name) / "site"
        site.mkdir()
        (site / INDEX).write_text(page, "utf-8")
        if is_one_file:
            (site / INDEX).replace(out)
            return out
        (site / TABLE).write_bytes(table_bytes(found))
        _write_reports(found, verdicts, site, jobs)
        PAGES.mark(site)
        PAGES.put(site, out, Path(name) / "before")
    return out / INDEX


def replaceable_words(error: FileExistsError) -> str:
    """The reason why nothing is written, with the name as it may be printed."""
    return f"{show_name(str(error.filename))}: {error.strerror}"


def _is_page(file: Path) -> bool:
    """True for a file that begins as a page of an arena, and is no link."""
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as opened:
        begins = opened.read(len(DOCTYPE))
        return begins == DOCTYPE and KIND.encode() in opened.read()


def _write_reports(found: ArenaTable, verdicts: Sequence[tuple[Path, Verdict]], folder: Path, jobs: int) -> None:
    """A report of each bundle that counts, in a folder of its run's name."""
    counted = {one.run for one in found.bundles}
    for path, verdict in verdicts:
        if verdict.run in counted:
            command = f"agzamov-verify check {shlex.quote(path.name)} --key KEY.pub"
            write_report(open_bundle(path, CheckLog()), verdict, folder / verdict.run, command, jobs)
