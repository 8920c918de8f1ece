"""`agzamov serve-reference`: the reference players as an OpenAI-compatible endpoint."""

import signal
from contextlib import suppress
from pathlib import Path

import click

from ..reference_server import chat_server
from ..run import exit_status


@click.command("serve-reference")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8960, show_default=True, help="0 takes a free port.")
@click.option(
    "--socket", type=click.Path(path_type=Path), metavar="PATH", help="A unix socket to listen on in place of a port."
)
@click.option(
    "--delay-ms", type=click.IntRange(0, 600_000), default=0, show_default=True, help="Wait before each answer."
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="KIND@N",
    help="Spoil every N-th call: 429, 500, 503, 401, drop, hang, garbage, no_choices, truncated. Repeatable.",
)
def serve_reference(host: str, port: int, socket: Path | None, delay_ms: int, faults: tuple[str, ...]) -> None:
    """Serve the reference players as an OpenAI-compatible endpoint, until stopped.

    Example: agzamov serve-reference --port 8960

    Exit code 0: stopped. 2: wrong use, or the address is taken.
    """
    try:
        plan = tuple(map(chat_server.parse_fault, faults))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--fault") from error
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with exit_status.faults(), suppress(KeyboardInterrupt):
        if socket:
            server, address = chat_server.start_on_socket(socket, delay_ms / 1000, plan), str(socket)
        else:
            server = chat_server.start(host, port, delay_ms / 1000, plan)
            address = f"http://{host}:{server.server_port}/v1"
        with server:
            click.echo(address)
            server.serve_forever()
