"""The command `show`: a bundle's claims, the list of its games, or one game by replay."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from ..bundle import CALLS_FILE, RESULTS_FILE
from ..checks.attested_warnings import attested_warnings
from ..checks.check_log import CheckLog
from ..checks.opened_bundle import Opened, open_bundle
from ..core import canon
from ..core.did_you_mean import did_you_mean
from ..core.untrusted_input import HostileBundle, show_name
from ..protocols import documents
from ..scoring.call_records import CallTable
from ..scoring.results import Results, without_forfeited
from ..show.games_of_bundle import (
    OUTCOMES,
    GameSelection,
    first_games,
    list_documents,
    list_lines,
    matches_played,
    played_in,
)
from ..show.replayed_game import NoSuchGame, PlayedGame, transcript
from ..show.signed_analysis import signed_analysis
from ..show.text import verdict_report
from ..show.text.first_screen import NOT_REPLAYED, REPORT, NextStep, Screen, screen_lines, seat_paragraphs
from ..show.views import VIEWS
from .bundle_argument import EXIT_USAGE, fail, faults_told, no_bundle
from .command_line import filled, typed

CLAIMED: Final = (
    "Claims only: no figure was recomputed here; verification does that.",
    "Signature, digests and sealed plan fit together.",
)


class View(NamedTuple):
    """The part of a bundle that is wanted, and its form."""

    game: str
    games: bool
    selection: GameSelection
    prompts: bool
    details: bool
    as_json: bool


@click.command()
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--game",
    metavar="NAME",
    default="",
    help="Show one game or hand: p0-chess960-naked-model-g00000, p0-holdem-naked-model-h0000000.",
)
@click.option("--prompts", is_flag=True, help="With --game: every prompt and reply, word for word.")
@click.option("--games", is_flag=True, help="List the games by name, with their results.")
@click.option("--match", default="", callback=filled, metavar="ID", help="With --games: only those of one match.")
@click.option(
    "--result",
    default="",
    callback=filled,
    type=click.Choice(("", *OUTCOMES)),
    help="With --games: only those that seat A won, drew or lost.",
)
@click.option(
    "--page", default=1, type=click.IntRange(1, 10**6), show_default=True, help="With --games: the page to list."
)
@click.option(
    "--details", is_flag=True, help="Print every figure below the first screen; with --game, the same as --prompts."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON of ASCII alone.")
def show(bundle: Path, **options: Any) -> None:
    """Show what BUNDLE says: its figures, the list of its games, or one game move by move.

    Nothing is computed again: that is what a check does.

    Example: agzamov-verify show BUNDLE --games

    Exit code 0: shown. 1: the bundle is broken. 2: wrong use.
    """
    why = no_bundle(bundle) or _without_effect(**options)
    if why:
        fail(why, EXIT_USAGE)
    view = _view(**options)
    log = CheckLog()
    with faults_told(log):
        for line in _lines(bundle, open_bundle(bundle, log), view):
            click.echo(line)


def _without_effect(*, game: str, games: bool, match: str, result: str, page: int, **flags: bool) -> str:
    """Error message for an option that would do nothing beside the others; else empty."""
    if game and games:
        return "--game shows one game, --games lists them all: leave one out"
    of_a_list = [("--match", match), ("--result", result), ("--page", page > 1)]
    if not games and (given := [name for name, value in of_a_list if value]):
        return f"{given[0]} is of a list: add --games"
    return "--prompts is of one game: add --game NAME" if flags["prompts"] and not game else ""


def _view(*, game: str, games: bool, match: str, result: str, page: int, **flags: bool) -> View:
    prompts, details, as_json = flags["prompts"], flags["details"], flags["as_json"]
    return View(game, games, GameSelection(match, result, page), prompts or details, details, as_json)


def _lines(path: Path, opened: Opened, view: View) -> Iterator[str]:
    if view.game:
        return _game(opened, view)
    if view.games:
        return _list(opened, view)
    return _overview(path, opened, view)


def _list(opened: Opened, view: View) -> Iterator[str]:
    wanted, planned = view.selection.match, [match.id for match in opened.manifest.plan.matches]
    if wanted and wanted not in planned:
        matches = [match.id for match in matches_played(opened)]
        near = did_you_mean(wanted, matches)
        raise NoSuchGame(f"no match {show_name(wanted)!r}{near}{'' if near else ';'} there are {', '.join(matches)}")
    if view.as_json:
        yield canon.ascii_text({"format": "agz-games-1", "games": list_documents(opened, view.selection)})
        return
    yield from list_lines(opened, view.selection)


def _game(opened: Opened, view: View) -> Iterator[str]:
    played = played_in(opened, view.game)
    if view.as_json:
        yield canon.ascii_text(_document(played, view))
        return
    lines = list(VIEWS[played.match.game].lines(played, opened.manifest.plan))
    if view.prompts:
        lines[-2:-2] = ["", *transcript(played)]
    yield from lines


def _document(played: PlayedGame, view: View) -> dict[str, object]:
    inner = VIEWS[played.match.game].document(played)
    asked = [{"question": question, "answer": answer} for question, answer in played.asked] if view.prompts else None
    named = {"format": "agz-game-1", "game": played.record.game, "match": played.match.id}
    return {**named, "seats": played.match.seats, **inner, **({"asked": asked} if view.prompts else {})}


def _overview(path: Path, opened: Opened, view: View) -> Iterator[str]:
    protocol = opened.manifest.plan.protocol
    try:
        results = documents.read(protocol, documents.RESULTS, opened.payload(RESULTS_FILE), Results)
        calls = documents.read(protocol, documents.CALLS, opened.payload(CALLS_FILE), CallTable)
        analysis = signed_analysis(opened)
    except canon.NotCanonical as error:
        raise HostileBundle(RESULTS_FILE, "results", str(error)) from error
    if view.as_json:
        yield canon.ascii_text(documents.plain(protocol, documents.RESULTS, results))
        return
    results = without_forfeited(results)
    played = {match.match: match for match in results.matches}
    commands = [
        NextStep(typed("report", path), REPORT),
        NextStep(typed("verify" if _is_harness() else "check", path), "recomputes all of this"),
    ]
    games = first_games(opened.manifest, played)
    commands += [NextStep(typed("show", path, "--game", name), "one game, move by move") for name in games]
    commands.append(NextStep(typed("show", path, "--games"), "the names of all games"))
    believe, attested = CLAIMED, attested_warnings(opened)
    manifest, submitter = opened.manifest, opened.submitter
    named = manifest.run_id, submitter, manifest, results, calls, analysis, NOT_REPLAYED
    screen = Screen(*named, believe, "", commands, attested)
    try:
        lines = list(screen_lines(screen))
        if view.details:
            lines += ["", *seat_paragraphs(manifest, results, calls)]
            lines += verdict_report.results_details(manifest, results, calls, analysis)
    except (ArithmeticError, AttributeError, LookupError, ValueError) as error:
        raise HostileBundle(RESULTS_FILE, "results and an analysis that can be shown", str(error)) from error
    yield from lines


def _is_harness() -> bool:
    return click.get_current_context().find_root().info_name == "agzamov"
