"""The command `agzamov watch`: a live page of a run, for this machine's browsers."""

import signal
from contextlib import suppress
from pathlib import Path

import click

from agzamov_verify.commands.bundle_argument import EXIT_USAGE, fail, no_bundle
from agzamov_verify.core.untrusted_input import show_name

from ..run import exit_status, run_folder
from ..watch.forecast_calls import played_for_s
from ..watch.live_page import LivePage


@click.command("watch")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--bind", default="127.0.0.1", show_default=True, help="Address of this machine's loopback to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on; default: a free one.")
def watch(folder: Path, bind: str, port: int) -> None:
    """Serve a live page of the run in FOLDER to this machine's browsers, until stopped.

    The run may be played by any process, here or in shares, or be over: the page is made of its journals alone. It
    shows games in progress, calls and time left, cost, unusable answers and the score so far; games that are over can
    be replayed.

    Exit code 0: stopped. 2: the folder or the address is wrong.
    """
    if not no_bundle(folder):
        fail(
            f"{show_name(str(folder))}: this is a bundle, whose run is over; look at it with: agzamov report",
            EXIT_USAGE,
        )
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with exit_status.faults(), suppress(KeyboardInterrupt):
        directory = run_folder.load(folder)
        with LivePage.served(directory, bind, port, played_for_s(directory.journal)) as (page, url):
            click.echo(f"watch: {url}")
            page.wait()
