"""Addresses in an adapter: of a memory server that is reached by HTTP, and of the models that a server asks.

A server that the harness starts listens at ${PORT}, a free port of this machine, and there is one for each career, as
over standard streams. A server that runs already serves everybody at once: it is not started, no file of it is sealed,
and a career begins empty only because the adapter gives each a name of its own, ${CAREER}.
"""

import secrets
from collections.abc import Iterator
from urllib.parse import urlsplit

import msgspec

from agzamov_verify.memory.declared_server import MODELS_URL, Adapter
from agzamov_verify.seats.model_seat import keeps_secrets

CAREER, PORT = "CAREER", "PORT"
OF_CAREER, AT_PORT, AT_MODELS = f"${{{CAREER}}}", f"${{{PORT}}}", f"${{{MODELS_URL}}}"
SCHEMES = ("http", "https")
LOOPBACK = "127.0.0.1"
"""By number: another user of the machine may listen at what else `localhost` stands for."""
TOKEN_BYTES = 8


def of_new_career(adapter: Adapter) -> Adapter:
    """The adapter with ${CAREER} filled in: a name that no career had before, and that says nothing of run or seat.

    Of a server that is started here the adapter as it is.
    """
    if not adapter.launch.runs_already:
        return adapter
    career = f"career{secrets.token_hex(TOKEN_BYTES)}"
    text = msgspec.json.encode(adapter).replace(OF_CAREER.encode(), career.encode())
    return msgspec.json.decode(text, type=Adapter)


def launch_problems(adapter: Adapter) -> Iterator[str]:
    """What is wrong with the place at which a server is started or reached."""
    launch = adapter.launch
    yield from _models_problems(adapter)
    if not launch.url:
        if not launch.command:
            yield "launch: expected command, or url for a server that is reached by HTTP, found neither"
        return
    host = _host(launch.url)
    if not host:
        yield f"launch.url: expected an address such as http://127.0.0.1:{AT_PORT}/mcp, found {launch.url!a}"
    elif launch.command and (host != LOOPBACK or AT_PORT not in launch.url):
        yield (
            f"launch.url: expected {AT_PORT} at 127.0.0.1, since each career has a server of its own, found"
            f" {launch.url!a}; tell the server its port in launch.args or launch.env"
        )
    elif not launch.command:
        yield from _problems_of_one_that_runs(adapter)


def _models_problems(adapter: Adapter) -> Iterator[str]:
    """What is wrong with the address of the models that a server asks."""
    launch = adapter.launch
    is_told = AT_MODELS in str((launch.args, launch.env))
    if is_told and not launch.models_url:
        yield f"launch.models_url: expected the address that {AT_MODELS} stands for, such as http://127.0.0.1:11434/v1"
    elif launch.models_url and not is_told:
        yield f"launch.models_url: expected none, since neither launch.args nor launch.env tells it ({AT_MODELS})"
    elif launch.models_url and (not _host(launch.models_url) or set("@?#") & set(launch.models_url)):
        example = "http://127.0.0.1:11434/v1, without user, query or fragment"  # it is sealed, and published
        yield f"launch.models_url: expected an address such as {example}, found another"
    if launch.models_key_env and not keeps_secrets(launch.models_url):
        yield "launch.models_key_env: expected a models_url of https:// or of this machine, where a key is sent"


def _problems_of_one_that_runs(adapter: Adapter) -> Iterator[str]:
    """Settings of a program that nobody starts, and careers that would find what others stored."""
    launch = adapter.launch
    if launch.args or launch.env or launch.links or launch.options:
        yield "launch: expected url alone without a command, found settings of a program that is not started"
    if adapter.export.files:
        yield "export.files: expected a tool, since the server's files are not here"
    if any(OF_CAREER in str(call.args) for call in adapter.first):
        return
    parts = {"store": adapter.store.args, "search": adapter.search.args}
    if adapter.export.tool:
        parts["export"] = adapter.export.args
    for name, args in parts.items():
        if OF_CAREER not in str(args):
            yield (
                f"{name}.args: expected {OF_CAREER}, a name of its own for each career, since the server at"
                f" {launch.url} runs already and keeps what others stored, found none there and none in first"
            )


def _host(url: str) -> str:
    """The host of an HTTP address; empty where it is none."""
    try:
        place = urlsplit(url.replace(AT_PORT, "1"))
        is_web = place.scheme in SCHEMES and place.port != 0  # a port that is none raises
    except ValueError:
        return ""
    return (place.hostname or "") if is_web else ""
