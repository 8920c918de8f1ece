"""The command `xray`: the effect of a memory in one game of a bundle."""

from pathlib import Path

import click

from . import canon
from .bundle_argument import no_bundle
from .checks.check_log import CheckLog
from .checks.opened_bundle import Opened, open_bundle
from .games_list import played_in
from .replayed_game import NoSuchGame, PlayedGame
from .showing import EXIT_USAGE, fail, faults_told
from .systems import MemorySystem
from .untrusted_input import show_name
from .xray import XrayedDecision, xray, xray_document, xray_lines


@click.command()
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option("--game", metavar="NAME", required=True, help="The game or hand, as `show --games` lists it.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON of ASCII alone.")
def xray_command(bundle: Path, *, game: str, as_json: bool) -> None:
    """Show a memory's effect in one game of BUNDLE: entries in each prompt, and the action without them.

    In the full stack: the entries, seat A's request to its tool, what the tool examined, and the choice.

    A scripted seat is asked the same question again without what was remembered. What a model would have done without
    it is not known from a bundle.

    Exit code 0: shown. 1: the bundle is broken. 2: wrong use.
    """
    if why := no_bundle(bundle):
        fail(why, EXIT_USAGE)
    log = CheckLog()
    with faults_told(log):
        played, decisions = _xrayed(open_bundle(bundle, log), game)
    if as_json:
        click.echo(canon.ascii_text(xray_document(played, decisions)))
        return
    for line in xray_lines(played, decisions):
        click.echo(line)


def _xrayed(opened: Opened, game: str) -> tuple[PlayedGame, list[XrayedDecision]]:
    """Raises NoSuchGame for a game in which no seat has a memory."""
    played, plan = played_in(opened, game), opened.manifest.plan
    system, tool = plan.systems.get(plan.memories_of(played.match)[0]), plan.tool_of(played.match, 0)
    if not isinstance(system, MemorySystem):
        raise NoSuchGame(
            f"no memory in game {show_name(game)!r}; it plays in matches of systems of kind memory or full"
        )
    is_steered = tool is not None and tool.is_steered
    return played, list(xray(played, plan.seats[played.match.a], system, is_steered=is_steered))
