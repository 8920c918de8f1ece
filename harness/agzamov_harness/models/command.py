"""`agzamov models`: what an Ollama server has, whether weights and server can be held to their word, and pulling."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click
import msgspec

from agzamov_verify import canon
from agzamov_verify.manifest import ManifestError, Plan
from agzamov_verify.reading import printable

from .faults import ModelFault
from .options import pair

EXIT_FAILED, EXIT_USAGE = 1, 2
OLLAMA = "http://127.0.0.1:11434"
PLAN_SUFFIXES = (".yaml", ".yml")

at_option = click.option("--at", "base_url", default=OLLAMA, show_default=True, help="The Ollama server's address.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print it as canonical JSON.")


@click.group()
def models() -> None:
    """Local models: list them, check them before a run, pull them."""


@models.command("list")
@click.argument("ggufs", nargs=-1, metavar="[GGUF]...", type=click.Path(path_type=Path))
@at_option
@json_option
def list_models(ggufs: tuple[Path, ...], base_url: str, *, as_json: bool) -> None:
    """List the models of an Ollama server; or, if GGUF files are given, those alone.

    A plan names the digests in model_digest and weights_sha256. Exit code 0: listed. 2: no server, or no such file.
    """
    from .listing import files, served  # noqa: PLC0415 - the client of Ollama takes a third of a second to import

    with _faults():
        rows = files(ggufs) if ggufs else served(base_url)
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
@click.option("--store", default="", help="Ollama's model folder, to be hashed, when MODEL is given.")
@click.option(
    "--served",
    multiple=True,
    callback=pair,
    metavar="SEAT=ADDRESS",
    help="Where a seat of PLAN is served now. Repeatable.",
)
@click.option(
    "--context-tokens",
    type=click.IntRange(256, 2**20),
    default=4096,
    show_default=True,
    help="The context that MODEL is to have.",
)
@json_option
def check(
    target: str, base_url: str, store: str, served: dict[str, str], context_tokens: int, *, as_json: bool
) -> None:
    """Check the local models of PLAN, one MODEL of an Ollama server, or a GGUF file, and print what would be sealed.

    Weights are hashed, and a server that answers is measured as before a run. Exit code 0: a run could start. 1:
    something is wrong, and it is named. 2: wrong use, or no such plan.
    """
    from . import checking  # noqa: PLC0415 - as above
    from .listing import seat_lines  # noqa: PLC0415

    with _faults():
        plan, folder = _plan(target, base_url, store, context_tokens)
        checks = dict(checking.check_plan(plan, folder, served))
    if as_json:
        click.echo(canon.dumps(msgspec.to_builtins(checks)).decode())
    else:
        for name, found in checks.items():
            for line in seat_lines(name, found):
                click.echo(printable(line))
    sys.exit(EXIT_FAILED if any(found.wrong for found in checks.values()) else 0)


@models.command()
@click.argument("model")
@at_option
@click.option(
    "--runs",
    type=click.Path(path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs in progress are kept.",
)
def pull(model: str, base_url: str, runs: Path) -> None:
    """Have an Ollama server fetch MODEL. Not while a run below --runs is asking that server.

    Exit code 0: pulled; its digest is printed. 2: wrong use, no server, no such model, or a run in progress.
    """
    from .in_use import refuse_in_use  # noqa: PLC0415 - as above
    from .inventory import Inventory  # noqa: PLC0415
    from .listing import progress_line, row_of  # noqa: PLC0415

    with _faults(), Inventory(base_url) as server:
        refuse_in_use(runs, base_url)
        shown = ""
        for step in server.pull(model):
            line = printable(progress_line(step))
            if line != shown:
                click.echo(line, err=True)
            shown = line
        click.echo(printable(row_of(server.model(model), server.context_of(model)).line))


def _plan(target: str, base_url: str, store: str, context_tokens: int) -> tuple[Plan, Path]:
    """The plan to check, and the folder from which its paths are taken. Raises ModelFault, ManifestError."""
    from ..seal import read_plan  # noqa: PLC0415 - as above
    from . import checking  # noqa: PLC0415

    path = Path(target)
    if path.suffix in PLAN_SUFFIXES:
        return read_plan(path), path.parent
    if path.suffix == ".gguf":
        return checking.plan_of_file(path), Path()
    return checking.plan_of_model(target, base_url, store, context_tokens), Path()


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
