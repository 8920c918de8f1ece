"""`python -m agzamov_memory SYSTEM --data DIR`: one memory system as an MCP server over stdio."""

import argparse
import sys
from pathlib import Path

from agzamov_mcp.plain_server import READ_ONLY

from .decay import HALF_LIFE_GAMES_MAX
from .embedding import EmbeddingError
from .server import DRAWS, server_of
from .systems import SYSTEMS, Settings, System

VERSION = "1"
UNUSABLE = 2


class UnusableError(Exception):
    """The command line asks for what cannot be."""


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m agzamov_memory", description=__doc__)
    parser.add_argument("system", metavar="SYSTEM", choices=sorted(SYSTEMS), help=", ".join(sorted(SYSTEMS)))
    parser.add_argument("--data", metavar="DIR", type=Path, required=True, help="an empty folder for its files")
    decaying = ", ".join(sorted(name for name, system in SYSTEMS.items() if system.decays))
    parser.add_argument("--half-life", metavar="GAMES", type=int, help=f"let scores halve with age ({decaying})")
    parser.add_argument("--noise", metavar="PERCENT", type=int, help="the share of the hits that noisy damages")
    return parser.parse_args()


def checked(system: System, given: argparse.Namespace) -> Settings:
    """The settings, where the system takes them and its folder is empty: a memory begins with nothing."""
    if given.half_life is not None and not system.decays:
        raise UnusableError(f"--half-life: expected none, since {given.system} has no scores that decay")
    if given.half_life is not None and not 1 <= given.half_life <= HALF_LIFE_GAMES_MAX:
        raise UnusableError(f"--half-life: expected 1 to {HALF_LIFE_GAMES_MAX} games, found {given.half_life}")
    if given.noise is not None and not system.damages:
        raise UnusableError(f"--noise: expected none, since {given.system} damages nothing")
    if system.damages and (given.noise is None or not 0 <= given.noise <= 100):
        raise UnusableError(f"--noise: expected 0 to 100 percent, found {given.noise}")
    if not given.data.is_dir():
        raise UnusableError(f"--data: expected an empty folder, found none at {given.data}")
    if held := sorted(path.name for path in given.data.iterdir()):
        raise UnusableError(f"--data: expected an empty folder, found {held[0]!r} in {given.data}")
    return Settings(given.data, given.half_life, given.noise)


def version_of(settings: Settings) -> str:
    """The version of the systems, and the settings that were declared."""
    half_life = f", half-life {settings.half_life_games} games" if settings.half_life_games else ""
    noise = f", noise {settings.noise_percent} percent" if settings.noise_percent is not None else ""
    return VERSION + half_life + noise


def main() -> None:
    """Serve one system until the client goes away."""
    given = arguments()
    system = SYSTEMS[given.system]
    try:
        settings = checked(system, given)
        memory = system.make(settings)
    except (EmbeddingError, UnusableError) as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(UNUSABLE) from error
    searches = DRAWS if system.damages else READ_ONLY
    server_of(memory, given.system, version_of(settings), searches).run(transport="stdio")


if __name__ == "__main__":
    main()
