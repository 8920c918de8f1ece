"""`agzamov verify-page`: write the page that checks bundles in a browser."""

import hashlib
import sys
from pathlib import Path
from typing import Final

import click

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_records import ImageFault

from ..cache import Cache, default_folder
from .assembly import page
from .packages import pyodide, python_packages

REQUIREMENTS, BEACON = Path("requirements", "verify.txt"), Path("requirements", "beacon.txt")
UNUSABLE: Final = 2


@click.command("verify-page")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("verify.html"),
    show_default=True,
    help="The file to write.",
)
@click.option(
    "--packages-from",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Look for missing packages (.whl, .tar.gz, .tgz) in this folder before the network.",
)
def verify_page(out: Path, packages_from: Path | None) -> None:
    """Write one HTML file that checks bundles in a browser, offline, with this verifier.

    Open the file in a browser and drop a bundle on it: its folder, its tar, or a zip of it. The page asks nothing of
    any host, so the bundle stays on the machine. It holds the verifier as it is installed here, and Python for
    browsers (Pyodide).

    Type this in a clone. Packages come by lock from the cache (AGZ_IMAGE_CACHE, else ~/.cache/agzamov/images), else by
    npm and pip as this machine configures them.

    Example: agzamov verify-page --out verify.html

    Exit code 0: the file is written. 2: it could not be, for instance because npm or a package is missing.
    """
    try:
        checkout = image_records.checkout(Path.cwd())
        cache = Cache(default_folder(), packages_from)
        content = page(pyodide(cache), python_packages(checkout / REQUIREMENTS, checkout / BEACON, cache))
        out.write_bytes(content)
    except ImageFault as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(UNUSABLE)
    except OSError as error:
        click.echo(f"error: {out}: {error.strerror}", err=True)
        sys.exit(UNUSABLE)
    click.echo(f"{out}  {len(content) / 1e6:.1f} MB  sha256 {hashlib.sha256(content).hexdigest()}")
