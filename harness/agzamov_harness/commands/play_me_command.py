"""`agzamov play-me`: one command from nothing to a game in the browser, and to its signed bundle and report."""

import os
import time
import webbrowser
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.commands.command_line import typed
from agzamov_verify.engines.uci_engine import engine_or_why
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.plan.plan_problems import local_models
from agzamov_verify.show.html_report.site import write_report

from ..foundation.default_places import LOOPBACK
from ..foundation.owner_folder import installed_folder
from ..people.casual_game import GAMES, HANDS, OPPONENTS, CasualGame, Wish, casual_plan
from ..people.desk import Desk
from ..people.people_server import WAIT_S
from ..people.served import FINISHED
from ..pipeline.pack import Packed
from ..pipeline.play_and_pack import PlayOptions, played
from ..run import exit_status, signing_keys
from ..run.plan_file import PlanFile, plan_from
from .shared_options import allow_key_option, engine_option, typed_option

FOLDER: Final = Path("play")
KEY: Final = "key.pem"
DOOR: Final = "play.html"
CLOSED_S: Final = WAIT_S + 5.0
"""A page that has asked nothing for so long was closed."""
LOOK_S: Final = 0.1
STRONGEST: Final = 20
GUEST: Final = "guest"
MEASURED: Final = "The model is asked some questions first: seconds with the tiny one, minutes with a bigger one."


def _even(_: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    """Each game or hand has its twin with the other colour or button."""
    if value and value % 2:
        raise click.BadParameter("expected an even number", param=parameter)
    return value


@click.command("play-me")
@click.option(
    "--against",
    default="reference",
    show_default=True,
    metavar="WHOM",
    help=f"Your opponent: {', '.join(OPPONENTS)}, FILE.gguf, or the address of an OpenAI-compatible endpoint.",
)
@click.option(
    "--game",
    type=click.Choice([game.value for game in CasualGame]),
    default=CasualGame.CHESS960.value,
    show_default=True,
    help="The game.",
)
@click.option(
    "--count",
    type=click.IntRange(2, 1_000),
    callback=_even,
    help=f"Games or hands, an even number: colours and button alternate; default: {GAMES} games, {HANDS} hands.",
)
@click.option("--skill", type=click.IntRange(0, STRONGEST), default=STRONGEST, help="Of Stockfish, 0 to 20.")
@click.option("--program", default="", metavar="COMMAND", help="The UCI engine, with --against uci. It is started.")
@click.option("--elo", type=click.IntRange(0, 4_000), default=0, help="The strength of that engine, where it has one.")
@click.option("--model", default="", help="The model's name at an endpoint.")
@click.option("--api-key-env", default="", metavar="VARIABLE", help="The variable that holds the endpoint's key.")
@click.option("--name", default=GUEST, show_default=True, help="Your pseudonym in the bundle; small letters.")
@click.option("--rating", type=click.IntRange(0, 4_000), default=0, help="A rating that you want to declare.")
@click.option("--rating-list", default="", help="The list of that rating, as: FIDE blitz.")
@click.option("--years", type=click.IntRange(0, 120), default=0, help="Years of play that you want to declare.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=FOLDER,
    show_default=True,
    help="Folder of the key, the run, the bundle and the report.",
)
@click.option(
    "--listen",
    default=LOOPBACK,
    show_default=True,
    metavar="ADDRESS",
    help="An address of this machine in your network, to play at a phone there. Whoever reads along can play for you.",
)
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="The port of the page; default: a free one.")
@click.option("--no-browser", is_flag=True, help="Print the address, and start no browser.")
@engine_option
@allow_key_option
def play_me(folder: Path, *, no_browser: bool, **options: Any) -> None:
    """Play against a program or a model in your browser, and leave a signed bundle.

    Nothing is needed but this program: no account, no plan, no key. At the end the games are verified, and their report
    opens from the page. Ctrl-C stops, and the command that goes on with the game is printed.

    Example: agzamov play-me --game holdem

    Exit code 0: played; the bundle's folder is printed. 2: the wish cannot be met. 4: stopped before the end.
    """
    with exit_status.faults():
        _require_fitting(options["against"])
        plan = plan_from(casual_plan(_wish(options)))
        if local_models(plan):
            click.echo(MEASURED, err=True)
        key = _key(folder)
        given = PlayOptions(
            engine=options["engine"],
            out=folder / "bundles",
            quiet=True,
            allow_key=options["allow_key"],
            start_programs=bool(options["program"]),  # whoever names a program here wants it started
            listen=options["listen"],
            port=options["port"],
            packed=partial(_finish, folder, options["engine"]),
            opened=str if no_browser else partial(_open, folder),
            installed=installed_folder(),
        )
        packed = played(PlanFile(plan, Path()), key, folder / "runs", given)
        click.echo(f"bundle: {packed.bundle}")


def _require_fitting(against: str) -> None:
    """Raises ManifestError for an option of another kind of opponent than the one that is wished for."""
    of_server = "the address of an endpoint"
    for name, whom, fits in (
        ("model", of_server, "://" in against),
        ("api_key_env", of_server, "://" in against),
        ("program", "uci", against == "uci"),
        ("elo", "uci", against == "uci"),
        ("skill", "stockfish", against == "stockfish"),
    ):
        _, option = typed_option(name)
        if option and not fits:
            raise ManifestError(f"{option}: expected it with --against {whom} alone, found --against {against}")


def _wish(options: dict[str, Any]) -> Wish:
    declared = {"rating": options["rating"], "rating_list": options["rating_list"], "years_of_play": options["years"]}
    return Wish(
        game=CasualGame(options["game"]),
        against=options["against"],
        results=options["count"] or 0,
        name=options["name"],
        declared=declared,
        model=options["model"],
        api_key_env=options["api_key_env"],
        skill=options["skill"],
        program=options["program"],
        elo=options["elo"],
    )


def _key(folder: Path) -> Path:
    """The key of the folder, made where there is none."""
    path = folder / KEY
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        signing_keys.generate(path)
    return path


def _open(folder: Path, url: str) -> None:
    """Open a page in the browser of this machine, if it has a window.

    The address goes by a file of the owner's alone: a program's arguments can be read by every user of the machine.
    """
    page = folder / DOOR
    page.unlink(missing_ok=True)
    with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={url}"><a href="{url}">Play</a>\n')
    with suppress(webbrowser.Error):
        browser = webbrowser.get()
        if type(browser) is not webbrowser.GenericBrowser:  # one that would take this terminal
            browser.open(page.absolute().as_uri())


def _finish(folder: Path, engine: str | None, packed: Packed, desk: Desk) -> None:
    """Verify the bundle, write its report, and show it on the page until that is closed, or until Ctrl-C."""
    path, missing = engine_or_why(engine)
    verdict = verify(packed.bundle, Options(path, missing))
    report = folder / f"report-{packed.bundle.name}.html"
    page = write_report(open_bundle(packed.bundle, CheckLog()), verdict, report, typed("verify", packed.bundle), 1)
    click.echo(f"report: {page}")
    desk.close(FINISHED, page.read_bytes())
    while desk.is_watched(CLOSED_S):
        time.sleep(LOOK_S)
