"""The adapters that a plan names: each is read with the plan, which then holds it whole.

In a plan's file `server` is a built-in server, the name of an adapter that comes with this program, or the path of an
adapter's file from the plan's folder. What is sealed has the adapter beside it, in canonical JSON.
"""

from pathlib import Path

from agzamov_verify.manifest import ManifestError
from agzamov_verify.memory.declared_server import names_a_file
from agzamov_verify.memory.servers import SERVERS

from .adapter import ADAPTERS, BUILT_IN, read_systems, sealed_text


def with_adapters(wished: object, folder: Path) -> object:
    """The plain values of a plan, with the adapter of each server from outside written out. Raises ManifestError."""
    if not isinstance(wished, dict) or not isinstance(wished.get("systems"), dict):
        return wished
    systems = {name: _with_adapter(name, system, folder) for name, system in wished["systems"].items()}
    return {**wished, "systems": systems}


def _with_adapter(name: str, system: object, folder: Path) -> object:
    if not isinstance(system, dict) or system.get("kind") != "memory" or "adapter" in system:
        return system
    server = system.get("server")
    path = _file_of(server, folder) if isinstance(server, str) else None
    if path is None:
        return system
    place = f"systems.{name}.server"
    try:
        found = read_systems(path)
    except ManifestError as error:
        raise ManifestError("\n".join(f"{place}: {line}" for line in str(error).splitlines())) from error
    if not found or found[0].adapter.systems:
        raise ManifestError(f"{place}: {path}: expected the adapter of one system, without the key systems")
    return {**system, "adapter": sealed_text(found[0].adapter)}


def _file_of(server: str, folder: Path) -> Path | None:
    """The file of a server's adapter; None for a server that is built in or unknown."""
    if server in SERVERS:
        return None
    if names_a_file(server):
        return folder / server
    ours = {path.stem: path for path in ADAPTERS.glob("*.yaml") if path != BUILT_IN}
    return ours.get(server)
