"""Commands to begin with: keygen, doctor."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agzamov_verify.commands.command_line import as_typed
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import key_id

from ..foundation.first_use import imported_at_first_use
from ..foundation.owner_folder import DEFAULT_KEY
from ..run import exit_status, signing_keys
from .shared_options import engine_option, installed_option, key_option

if TYPE_CHECKING:
    from . import doctor as doctor_of
else:  # a key is made without the clients of a container engine and of Ollama
    doctor_of = imported_at_first_use("agzamov_harness.commands.doctor")


@click.command()
@click.argument("path", type=click.Path(path_type=Path), default=DEFAULT_KEY)
def keygen(path: Path) -> None:
    """Make your signing key: the private key in PATH, the public key in PATH.pub.

    Example: agzamov keygen

    Exit code 0: done; the key's id is printed. 2: such a file exists already.
    """
    with exit_status.faults():
        key = signing_keys.generate(path)
    click.echo(f"private key  {path} (keep it secret)")
    click.echo(f"public key   {path}.pub, key {key_id(key.public_key())}")


@click.command(context_settings={"allow_extra_args": True})
@key_option
@engine_option
@installed_option
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def doctor(context: click.Context, key: Path, engine: str | None, installed: Path, as_json: bool) -> None:
    """Check whether this machine has what runs and checks need, and say how to get what is missing.

    Example: agzamov doctor

    Exit code 0, whatever is found.
    """
    if context.args:
        plan = shlex.quote(context.args[0])
        raise click.UsageError(f"doctor looks at this machine, not at a plan; type: agzamov plan {plan}", context)
    abilities = doctor_of.examine(key, engine, installed)
    if as_json:
        click.echo(canon.dumps(abilities).decode())
        return
    for ability in abilities:
        state = "ok" if ability.ok else "absent" if ability.is_optional else "MISSING"
        click.echo(f"{state:<7}  {ability.name:<9} {ability.found}")
        if not ability.ok:
            click.echo(f"         {'':<9} {as_typed(ability.advice)}")
