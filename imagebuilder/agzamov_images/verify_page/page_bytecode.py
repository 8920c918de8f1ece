"""Bytecode of the page's Python files, made by the page's own Python, which Node.js runs here.

Without it every start of the page compiles the standard library and the verifier again, half of its time.
"""

import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..package_managers import told
from .packages import PARTS, TARGET, Pyodide

PROGRAMS: Final = ("compile.mjs", "compile_sources.py")
ADVICE: Final = "Node.js, which comes with npm, makes the page's bytecode; on Debian: apt-get install nodejs"
COMMAND: Final = ("node", "compile.mjs")
TAG: Final = f"cpython-{TARGET.python[0]}{TARGET.python[1]}"


def compiled(pyodide: Pyodide, sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """The bytecode of each source by its path in the page, which tracebacks show. Raises ImageFault."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in pyodide.files.items():
            (folder / file).write_bytes(content)
        for program in PROGRAMS:
            (folder / program).write_bytes((PARTS / program).read_bytes())
        with zipfile.ZipFile(folder / "sources.zip", "w") as archive:
            for path, source in sources.items():
                archive.writestr(path, source)
        told(list(COMMAND), folder, ADVICE, {})
        with zipfile.ZipFile(folder / "bytecode.zip") as archive:
            return {path: archive.read(path) for path in archive.namelist()}


def cached(path: str) -> str:
    """The path of the bytecode beside a module's source."""
    folder, _, file = path.rpartition("/")
    return f"{folder}/__pycache__/{file.removesuffix('.py')}.{TAG}.pyc".lstrip("/")
