"""`agzamov images`: build, verify, list, lock, pin and import the container images."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_records import Different, ImageFault
from agzamov_verify.commands.command_line import Program
from agzamov_verify.core import canon

from .architecture import ARCHITECTURES
from .importing import take
from .operations import Failures, ImageSelection, adopt, build_all, lock_all, pin_all, verify_all
from .status import image_rows

FAILED, UNUSABLE = 1, 2

names_argument = click.argument("names", metavar="[NAME]...", nargs=-1)
all_option = click.option("--all", "every", is_flag=True, help="All images, also those that no run needs.")
arch_option = click.option(
    "--arch",
    type=click.Choice(sorted(ARCHITECTURES)),
    help="Processor architecture; default: this machine's. Programs of another one are never run.",
)


@click.group("images", cls=Program)
def images() -> None:
    """Pinned container images: build, compare, sign and import them; every build gives the same digest."""


@images.command("build")
@names_argument
@all_option
@arch_option
@click.option("--load", is_flag=True, help="Load into the Docker engine the images that it lacks.")
@click.option("--relock", is_flag=True, help="Resolve anew packages that Debian no longer offers; digests change.")
@click.option(
    "--packages-from",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Look for missing packages (.deb, .whl, .tar.gz, .tgz) in this folder before the network.",
)
def build_command(
    names: tuple[str, ...], *, every: bool, arch: str | None, load: bool, relock: bool, packages_from: Path | None
) -> None:
    """Build the named images; by default those that runs need.

    Packages come from the cache (AGZ_IMAGE_CACHE, else ~/.cache/agzamov/images), else by apt, pip and npm as this
    machine configures them. Neither a container engine nor root is needed. If an image cannot be built, the others
    still are.

    Exit code 0: the images, their records, bills of materials and provenance are in build/images. 1: one differs from
    its declaration. 2: one could not be built, for instance because a package is missing or not the locked one.
    """
    with _faults():
        build_all(ImageSelection(names, every, arch), load=load, relock=relock, packages_from=packages_from)


@images.command("verify")
@names_argument
@all_option
@arch_option
@click.option("--key", type=click.Path(path_type=Path), help="Public key by which the images here must be signed.")
def verify_command(names: tuple[str, ...], *, every: bool, arch: str | None, key: Path | None) -> None:
    """Build the named images (by default those that runs need) again from nothing; compare with record and pin.

    With --key, the signature over each image's record, bill of materials, pin and provenance is checked first.

    Exit code 0: all are equal. 1: one differs, or is not signed by the key; the first differing layer and file are
    named. 2: one could not be built.
    """
    with _faults():
        for line in verify_all(ImageSelection(names, every, arch), key):
            click.echo(line)


@images.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the images as canonical JSON.")
def list_command(*, as_json: bool) -> None:
    """List all images: state (not built, stale, built, equal to its pin), size in MB, id and purpose.

    Exit code 0: listed. 2: a declaration cannot be read.
    """
    with _faults():
        rows = image_rows(image_records.checkout(Path.cwd()), image_records.default_folder())
    if as_json:
        click.echo(canon.dumps(rows).decode())
        return
    for row in rows:
        click.echo(f"{row.name:<13} {row.state:<9} {row.size_mb or '':>4}  {row.config_digest[:12]:<12}  {row.about}")
        if row.advice:
            click.echo(f"{'':<13} {row.advice}")


@images.command("lock")
@names_argument
@arch_option
def lock_command(names: tuple[str, ...], *, arch: str | None) -> None:
    """Resolve the Debian and npm packages of the named images, or all, anew; image digests change.

    Python packages are locked in requirements files.

    Exit code 0: the locks are written. 2: apt or npm cannot resolve a package.
    """
    with _faults():
        for line in lock_all(names, arch):
            click.echo(line)


@images.command("pin")
@names_argument
@arch_option
@click.option("--key", type=click.Path(path_type=Path), help="Private key by which to sign the images for others.")
def pin_command(names: tuple[str, ...], *, arch: str | None, key: Path | None) -> None:
    """Write the pins of the named images, or all, from their records: the digests that every build must give.

    An image that holds this project's own source has no pin: a run's manifest pins it. With --key, every image's
    provenance is signed, which names its record, bill of materials and pin.

    Exit code 0: the pins are written. 2: an image is not built here.
    """
    with _faults():
        for line in pin_all(names, arch, key):
            click.echo(line)


@images.command("adopt")
@click.argument("name")
@click.argument("reference", required=False)
def adopt_command(name: str, reference: str | None) -> None:
    """Record a third party's image NAME as the Docker engine holds it under REFERENCE.

    REFERENCE is repository@sha256:…; default: the one in the declaration. Nothing is pulled.

    Exit code 0: recorded. 2: the engine does not hold the image.
    """
    with _faults():
        click.echo(adopt(name, reference))


@images.command("import")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@names_argument
@click.option("--key", type=click.Path(path_type=Path), help="Public key by which the images must be signed.")
@click.option("--load", is_flag=True, help="Load into the Docker engine the images that it lacks.")
def import_command(folder: Path, names: tuple[str, ...], *, key: Path | None, load: bool) -> None:
    """Take the named images, or all, from FOLDER, where somebody published what was built, instead of building.

    FOLDER holds the output of a build: tars, records, bills of materials, provenance, signatures. Each image must be
    the pinned one, byte for byte. An image of this project's own source has no pin and must be signed by --key.

    Exit code 0: the images are kept in build/images. 1: one is not the pinned or signed one, and is not kept. 2:
    something is missing.
    """
    with _faults():
        for line in take(folder, names, key, load=load):
            click.echo(line)


@contextmanager
def _faults() -> Iterator[None]:
    """Turn our exceptions into one clear line and the documented exit code."""
    try:
        yield
    except Failures as error:
        for name, failed in error.failed.items():
            click.echo(f"error: {name}: {failed}", err=True)
        different = all(isinstance(failed, Different) for failed in error.failed.values())
        raise SystemExit(FAILED if different else UNUSABLE) from error
    except Different as error:
        _fail(str(error), FAILED, error)
    except ImageFault as error:
        _fail(str(error), UNUSABLE, error)
    except OSError as error:
        _fail(f"{error.filename or 'disk'}: {error.strerror or error}", UNUSABLE, error)


def _fail(message: str, code: int, error: Exception) -> None:
    click.echo(f"error: {message}", err=True)
    raise SystemExit(code) from error
