"""The command `xray`: the effect of a memory in one game of a bundle."""

from pathlib import Path

import click

from ..checks.check_log import CheckLog
from ..checks.opened_bundle import Opened, open_bundle
from ..core import canon
from ..core.untrusted_input import show_name
from ..show.games_of_bundle import played_in
from ..show.replayed_game import NoSuchGame, PlayedGame
from ..show.xray import SeatMemory, seats_with_memory, xray, xray_document, xray_lines
from .bundle_argument import EXIT_USAGE, fail, faults_told, no_bundle


@click.command()
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option("--game", metavar="NAME", required=True, help="The game or hand, as `show --games` lists it.")
@click.option("--seat", metavar="NAME", default="", help="The seat whose memory is meant; else each that has one.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON of ASCII alone.")
def xray_command(bundle: Path, *, game: str, seat: str, as_json: bool) -> None:
    """Show what a memory did in one game of BUNDLE: its entries in each prompt, and the action without them.

    In the full stack: the entries, what the seat said is to be examined, what was, and what it chose.

    A scripted seat is asked the same question again without what was remembered. What a model would have done without
    it is not known from a bundle.

    Example: agzamov-verify xray BUNDLE --game NAME

    Exit code 0: shown. 1: the bundle is broken. 2: wrong use.
    """
    if why := no_bundle(bundle):
        fail(why, EXIT_USAGE)
    log = CheckLog()
    with faults_told(log):
        played, of = _seats(open_bundle(bundle, log), game, seat)
        told = [(one, list(xray(played, one))) for one in of]
    for one, decisions in told:
        if as_json:
            click.echo(canon.ascii_text(xray_document(played, one, decisions)))
        else:
            click.echo("\n".join(xray_lines(played, one, decisions)))


def _seats(opened: Opened, game: str, seat: str) -> tuple[PlayedGame, list[SeatMemory]]:
    """The seats with a memory in a game, or the one that is asked for. Raises NoSuchGame where there is none."""
    played = played_in(opened, game)
    found = list(seats_with_memory(opened.manifest.plan, played.match))
    if not found:
        raise NoSuchGame(
            f"no memory in game {show_name(game)!r}; it plays in matches of systems of kind memory or full"
        )
    wanted = [one for one in found if seat in ("", one.name)]
    if not wanted:
        names = ", ".join(one.name for one in found)
        raise NoSuchGame(
            f"no memory of seat {show_name(seat)!r} in game {show_name(game)!r}; there are those of {names}"
        )
    return played, wanted
