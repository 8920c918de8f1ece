"""The commands `agzamov models`: list the models of an Ollama server, check weights and their server, pull a model."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click
import msgspec
import ollama

from agzamov_verify import canon
from agzamov_verify.command_line import Program
from agzamov_verify.manifest import ManifestError, Plan
from agzamov_verify.untrusted_input import printable

from .check_models import check_plan, plan_of_file, plan_of_model, seat_lines
from .command_options import pair
from .models.ollama_api import Inventory, Model
from .models.server_in_use import server_alone
from .models.weights import pin_of_gguf
from .ports import ModelFault
from .seal import read_plan

EXIT_FAILED, EXIT_USAGE = 1, 2
OLLAMA = "http://127.0.0.1:11434"
PLAN_SUFFIXES = (".yaml", ".yml")
MB = 1_000_000
SHOWN_CHARACTERS_MAX = 200

at_option = click.option("--at", "base_url", default=OLLAMA, show_default=True, help="The Ollama server's address.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print it as canonical JSON.")


class ModelRow(msgspec.Struct, frozen=True):
    """One model. `context_tokens` is the longest that its weights allow; 0 and "" where it is unknown."""

    name: str
    digest: str
    size_bytes: int
    quantisation: str = ""
    parameters: str = ""
    context_tokens: int = 0
    remote: str = ""

    @property
    def line(self) -> str:
        parts = [self.parameters, self.quantisation, f"context {self.context_tokens}" if self.context_tokens else ""]
        parts += [f"CLOUD MODEL of {self.remote}: cannot be pinned" if self.remote else ""]
        return "  ".join([self.name, self.digest, f"{self.size_bytes / MB:.1f} MB", *filter(None, parts)])


@click.group(cls=Program)
def models() -> None:
    """Local models: list them, check them before a run, pull them."""


@models.command("list")
@click.argument("ggufs", nargs=-1, metavar="[GGUF]...", type=click.Path(path_type=Path))
@at_option
@json_option
def list_models(ggufs: tuple[Path, ...], base_url: str, *, as_json: bool) -> None:
    """List the models of an Ollama server; or, if GGUF files are given, those alone.

    A plan pins the digests as model_digest or weights_sha256. Exit code 0: listed. 2: no server, or no such file.
    """
    with _faults():
        rows = _files(ggufs) if ggufs else _models_at(base_url)
    if as_json:
        click.echo(canon.dumps(msgspec.to_builtins(rows)).decode())
        return
    for row in rows:
        click.echo(printable(row.line))
    if not rows:
        click.echo(f"no models at {base_url}; agzamov models pull NAME")


@models.command()
@click.argument("target", metavar="PLAN|MODEL|GGUF")
@at_option
@click.option("--store", default="", help="With MODEL: Ollama's model folder, to be hashed.")
@click.option(
    "--served",
    multiple=True,
    callback=pair,
    metavar="SEAT=ADDRESS",
    help="The address that serves a seat of PLAN now. Repeatable.",
)
@click.option(
    "--context-tokens",
    type=click.IntRange(256, 2**20),
    default=4096,
    show_default=True,
    help="With MODEL: its context length.",
)
@json_option
def check(
    target: str, base_url: str, store: str, served: dict[str, str], context_tokens: int, *, as_json: bool
) -> None:
    """Check the local models of PLAN, one MODEL of an Ollama server, or a GGUF file, and print the pins to be sealed.

    The weights are hashed. If their server answers, it is tested for deterministic answers, as before a run; a server
    that a run is using is refused.

    Exit code 0: a run could start. 1: a check failed, and is named. 2: wrong use, or no such plan.
    """
    with _faults():
        plan, folder = _plan(target, base_url, store, context_tokens)
        checks = dict(check_plan(plan, folder, served))
    if as_json:
        click.echo(canon.dumps(msgspec.to_builtins(checks)).decode())
    else:
        for name, seat_check in checks.items():
            for line in seat_lines(name, seat_check):
                click.echo(printable(line))
    sys.exit(EXIT_FAILED if any(seat_check.wrong for seat_check in checks.values()) else 0)


@models.command()
@click.argument("model")
@at_option
def pull(model: str, base_url: str) -> None:
    """Make an Ollama server download MODEL. A server that a run is using is refused.

    Exit code 0: done; its digest is printed. 2: wrong use, no server, no such model, or a run in progress.
    """
    with _faults(), server_alone(base_url), Inventory(base_url) as server:
        shown = ""
        for step in server.pull(model):
            line = printable(_progress_line(step))
            if line != shown:
                click.echo(line, err=True)
            shown = line
        click.echo(printable(_row_of(server.model(model), server.context_of(model)).line))


def _plan(target: str, base_url: str, store: str, context_tokens: int) -> tuple[Plan, Path]:
    """The plan to check, and the folder from which its paths are taken. Raises ModelFault, ManifestError."""
    path = Path(target)
    if path.suffix in PLAN_SUFFIXES:
        return read_plan(path), path.parent
    if path.suffix == ".gguf":
        return plan_of_file(path), Path()
    return plan_of_model(target, base_url, store, context_tokens), Path()


def _models_at(base_url: str) -> list[ModelRow]:
    """The models of an Ollama server. Raises ModelFault."""
    with Inventory(base_url) as server:
        return [_row_of(model, 0 if model.remote else server.context_of(model.name)) for model in server.models()]


def _files(paths: Sequence[Path]) -> list[ModelRow]:
    """GGUF files, hashed. Raises ModelFault."""
    pins = [(path, pin_of_gguf(path)) for path in paths]
    return [ModelRow(str(path), pin.sha256, pin.size_bytes) for path, pin in pins]


def _row_of(model: Model, context_tokens: int) -> ModelRow:
    """One model of a server as a row."""
    details = (model.quantisation, model.parameters, context_tokens, model.remote)
    return ModelRow(model.name, model.digest, model.size_bytes, *details)


def _progress_line(step: ollama.ProgressResponse) -> str:
    """One step of a pull, in whole percents so that a slow one does not fill the screen."""
    status = (step.status or "")[:SHOWN_CHARACTERS_MAX]
    if not step.total:
        return status
    return f"{status}: {100 * (step.completed or 0) // step.total} % of {step.total / MB:.1f} MB"


@contextmanager
def _faults() -> Iterator[None]:
    """One clear line and exit code 2."""
    try:
        yield
    except (ModelFault, ManifestError) as error:
        _fail(str(error))


def _fail(message: str) -> NoReturn:
    for line in message.splitlines():
        click.echo(f"error: {printable(line)}", err=True)
    sys.exit(EXIT_USAGE)
