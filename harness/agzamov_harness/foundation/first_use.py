"""Modules that are imported at their first use, because their libraries take a third of a second or more to import.

A module of ours that needs such a library, and is needed by few runs, is named twice: for the type checker and the
import contracts by an import, for the program by `imported_at_first_use`.

    if TYPE_CHECKING:
        from .containers import supervise
    else:
        supervise = imported_at_first_use("agzamov_harness.containers.supervise")
"""

from importlib import import_module
from typing import Any


class _Module:
    """A module that is imported when one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


def imported_at_first_use(name: str) -> Any:
    """The module `name`, which costs nothing until one of its names is used."""
    return _Module(name)
