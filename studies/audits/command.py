"""`python -m audits DIR`: the audit of the authors' published Phase 0 files."""

from pathlib import Path

import click

from agzamov_verify.core import canon
from agzamov_verify.engines.uci_engine import EngineFault, find_engine

from .audit import audit
from .published_files import PublishedError
from .report import render

FINDINGS, UNUSABLE = 1, 2
NODES = 200_000


@click.command("audits")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--engine", metavar="PATH", help="Stockfish 15.1; by default the installed one, if there is one.")
@click.option("--nodes", type=click.IntRange(1, 10**9), default=NODES, show_default=True, help="Nodes a position.")
@click.option("--jobs", type=click.IntRange(1, 256), default=2, show_default=True, help="Engine processes.")
@click.option("--json", "as_json", is_flag=True, help="Canonical JSON instead of text.")
def audit_command(folder: Path, *, engine: str | None, nodes: int, jobs: int, as_json: bool) -> None:
    """Recompute the paper's Table 7 from the published Phase 0 files in DIR.

    Replays every game and says of each figure whether the files give it. DIR holds
    phase_0_results.jsonl and, where published, phase_0_games.pgn, reasoning.jsonl and
    phase_0_summary.json. Exit codes: 0 all rows computed and the files agree with one another and
    with the rules of chess; 1 there are findings, each printed; 2 usage, a file that cannot be
    read, or an engine that is not Stockfish 15.1.
    """
    try:
        report = audit(folder, _engine(engine), jobs, nodes)
    except (PublishedError, EngineFault) as error:
        click.echo(f"error: {error}", err=True)
        raise SystemExit(UNUSABLE) from error
    click.echo(canon.dumps(report).decode() if as_json else render(report), nl=as_json)
    raise SystemExit(FINDINGS if report.findings else 0)


def _engine(path: str | None) -> Path | None:
    """The engine that was named, or the installed one; none is no error unless one was named."""
    try:
        return find_engine(path)
    except EngineFault:
        if path:
            raise
        return None
