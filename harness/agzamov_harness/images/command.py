"""`agzamov images`: build, verify, list, lock and pin the container images."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from agzamov_verify import canon

from . import declaration, records
from .faults import Different, ImageFault
from .shelf import shelf

FAILED, UNUSABLE = 1, 2

names_argument = click.argument("names", metavar="[NAME]...", nargs=-1)


@click.group("images")
def images() -> None:
    """Pinned container images: rebuild them to the same digest anywhere, and check it."""


@images.command("build")
@names_argument
@click.option("--load", is_flag=True, help="Load into the Docker engine what it does not hold.")
@click.option("--relock", is_flag=True, help="Resolve anew what Debian no longer offers; digests change.")
def build_command(names: tuple[str, ...], *, load: bool, relock: bool) -> None:
    """Build the named images, or all.

    Packages come from the cache (AGZ_IMAGE_CACHE, else ~/.cache/agzamov/images), else through apt, pip
    and npm as this machine configures them. No engine and no root is needed. Exit code 0: the images,
    their records and their papers are in build/images. 2: a package is missing or is not the locked one.
    """
    with _faults():
        from .work import build_all  # noqa: PLC0415 - the libraries that build are an extra

        build_all(names, load=load, relock=relock)


@images.command("verify")
@names_argument
def verify_command(names: tuple[str, ...]) -> None:
    """Build the named images, or all, again from nothing, and compare with the record and the committed pin.

    Exit code 0: all are equal. 1: one is not; its first differing layer and file are named. 2: one
    could not be built.
    """
    with _faults():
        from .work import verify_all  # noqa: PLC0415 - the libraries that build are an extra

        for line in verify_all(names):
            click.echo(line)


@images.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the images as canonical JSON.")
def list_command(*, as_json: bool) -> None:
    """List all images: whether each is built here and equal to its pin, its size in MB, its id, and what for.

    Exit code 0. 2: a declaration cannot be read.
    """
    with _faults():
        rows = shelf(declaration.checkout(Path.cwd()), records.default_folder())
    if as_json:
        click.echo(canon.dumps(rows).decode())
        return
    for row in rows:
        click.echo(f"{row.name:<13} {row.state:<9} {row.size_mb or '':>4}  {row.config_digest[:12]:<12}  {row.about}")
        if row.advice:
            click.echo(f"{'':<13} {row.advice}")


@images.command("lock")
@names_argument
def lock_command(names: tuple[str, ...]) -> None:
    """Resolve the Debian and npm packages of the named images, or all, anew. Their digests change with them.

    Python packages are locked in requirements files. Exit code 0: the locks are written. 2: apt or npm
    cannot resolve one.
    """
    with _faults():
        from .work import lock_all  # noqa: PLC0415 - the libraries that build are an extra

        for line in lock_all(names):
            click.echo(line)


@images.command("pin")
@names_argument
def pin_command(names: tuple[str, ...]) -> None:
    """Write the pins of the named images, or all, from their records: what everybody must get from now on.

    An image that holds our own source has no pin: a run's manifest pins it. Exit code 0: the pins are
    written. 2: an image is not built here.
    """
    with _faults():
        from .work import pin_all  # noqa: PLC0415 - the libraries that build are an extra

        for line in pin_all(names):
            click.echo(line)


@images.command("adopt")
@click.argument("name")
@click.argument("reference", required=False)
def adopt_command(name: str, reference: str | None) -> None:
    """Record the image NAME that others publish, as the Docker engine holds it under REFERENCE.

    REFERENCE is repository@sha256:… and by default the one that the declaration pins. Nothing is pulled.
    Exit code 0: it is recorded. 2: the engine does not hold it.
    """
    with _faults():
        from .work import adopt  # noqa: PLC0415 - the libraries that build are an extra

        click.echo(adopt(name, reference))


@contextmanager
def _faults() -> Iterator[None]:
    """Turn our exceptions into one clear line and the documented exit code."""
    try:
        yield
    except Different as error:
        _fail(str(error), FAILED, error)
    except ImageFault as error:
        _fail(str(error), UNUSABLE, error)
    except ModuleNotFoundError as error:
        _fail(f"{error.name} is not installed; type: pip install 'agzamov-harness[images]'", UNUSABLE, error)
    except OSError as error:
        _fail(f"{error.filename or 'disk'}: {error.strerror or error}", UNUSABLE, error)


def _fail(message: str, code: int, error: Exception) -> None:
    click.echo(f"error: {message}", err=True)
    raise SystemExit(code) from error
