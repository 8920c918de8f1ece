"""Commands to begin with: keygen, doctor."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agzamov_verify.commands.command_line import as_typed
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import key_id

from ..foundation.first_use import imported_at_first_use
from ..run import exit_status, signing_keys
from .shared_options import engine_option, installed_option, key_option

if TYPE_CHECKING:
    from . import doctor as doctor_of
else:  # a key is made without the clients of a container engine and of Ollama
    doctor_of = imported_at_first_use("agzamov_harness.commands.doctor")


@click.command()
@click.argument("path", type=click.Path(path_type=Path), default=signing_keys.DEFAULT_KEY)
def keygen(path: Path) -> None:
    """Make your signing key (Ed25519): the private key in PATH, the public key in PATH.pub.

    Exit code 0: done; the key's id is printed. 2: such a file exists already.
    """
    with exit_status.faults():
        key = signing_keys.generate(path)
    click.echo(f"{path}  key {key_id(key.public_key())}")


@click.command()
@key_option
@engine_option
@installed_option
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(key: Path, engine: str | None, installed: Path, as_json: bool) -> None:
    """Check this machine for the needs of runs and checks, with advice on missing parts.

    Exit code 0, whatever is found.
    """
    abilities = doctor_of.examine(key, engine, installed)
    if as_json:
        click.echo(canon.dumps(abilities).decode())
        return
    for ability in abilities:
        click.echo(f"{'ok     ' if ability.ok else 'MISSING'}  {ability.name:<8} {ability.found}")
        if not ability.ok:
            click.echo(f"         {'':<8} {as_typed(ability.advice)}")
