"""The page put together: our HTML, style and scripts, Pyodide, the verifier and what it needs, in one file.

What is not shown stands in inert `<script type="text/plain">` blocks, compressed, in base64. The policy in the page's
head allows the one script and the one style sheet by hash, WebAssembly, and a worker from memory, no connection at
all, and no text that would become a script or HTML (Trusted Types). The same inputs give the same bytes.
"""

import base64
import gzip
import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, TypeAlias

from agzamov_harness.containers.image_records import ImageFault

from .packages import PARTS, Pyodide
from .page_bytecode import cached, compiled

VERIFIER: Final = "agzamov_verify"
IN_BROWSER: Final = (
    "check_bundle.py",
    "given_trust.py",
    "stand_ins/__init__.py",
    "stand_ins/openssl_hashes.py",
    "verdict_cards.py",
    "zip_bundle.py",
)
"""The modules of `parts` that the page runs, in its package `verify_page`."""

STAND_INS: Final = ("eth_typing.py", "eth_utils.py")
"""Modules of `parts/stand_ins`, for three names that py_ecc imports from ten packages and the page never uses."""

EXPORTS: Final = re.compile(r"export\s*\{\s*(\w+) as loadPyodide\b[^}]*\};?")
GLUE_EXPORT: Final = "export default _createPyodideModule;"
ADDRESS: Final = "import.meta.url"
SITE: Final = "site/"
LIBRARY: Final = "lib/python314.zip/"
"""Where the page's Python has its modules: the worker's script, and Pyodide's."""
Compiler: TypeAlias = Callable[[Pyodide, Mapping[str, bytes]], Mapping[str, bytes]]
ZIP_TIME: Final = (1980, 1, 1, 0, 0, 0)
POLICY: Final = (
    "default-src 'none'; script-src 'sha256-{script}' 'wasm-unsafe-eval'; style-src 'sha256-{style}'; "
    "worker-src blob:; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types worker-of-this-page"
)


def page(pyodide: Pyodide, packages: Iterable[tuple[str, bytes]], compiler: Compiler = compiled) -> bytes:
    """The page's bytes. Raises ImageFault where Pyodide is not as this code expects it, or a file does not compile."""
    script, style = _part("page.js"), _part("page.css")
    site, library = _with_bytecode(pyodide, dict(packages), compiler)
    stored = {
        "worker": worker(pyodide).encode(),
        "wasm": pyodide.files["pyodide.asm.wasm"],
        "stdlib": library,
        "site": site,
    }
    values = {
        "policy": POLICY.format(script=_sha256(script), style=_sha256(style)),
        "style": style,
        "script": script,
        "verifier": version("agzamov-verify"),
        "pyodide": pyodide.version,
        "stored": "\n".join(_block(name, content) for name, content in stored.items()),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], _part("page.html")).encode()


def _with_bytecode(pyodide: Pyodide, packages: dict[str, bytes], compiler: Compiler) -> tuple[bytes, bytes]:
    """The archives of the site folder, with bytecode beside its sources, and of the library, in place of them."""
    ours = {f"verify_page/{name}": _part(name).encode() for name in IN_BROWSER}
    ours |= {name: _part(f"stand_ins/{name}").encode() for name in STAND_INS}
    site = {**packages, **dict(_verifier()), **ours}
    with zipfile.ZipFile(io.BytesIO(pyodide.files["python_stdlib.zip"])) as archive:
        library = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    files = {f"{SITE}{name}": content for name, content in site.items()}
    files |= {f"{LIBRARY}{name}": content for name, content in library.items()}
    bytecode = compiler(pyodide, {name: content for name, content in files.items() if name.endswith(".py")})
    for name, content in bytecode.items():
        if name.startswith(SITE):
            site[cached(name.removeprefix(SITE))] = content
        else:
            module = name.removeprefix(LIBRARY)
            library[f"{module}c"] = content
            del library[module]
    return _zip(site), _zip(library)


def worker(pyodide: Pyodide) -> str:
    """The worker's script: Pyodide's two modules without their exports, and ours. Raises ImageFault."""
    loader, glue = (pyodide.files[name].decode() for name in ("pyodide.mjs", "pyodide.asm.mjs"))
    loader, exports = EXPORTS.subn(r"return \1;", loader)
    if (exports, glue.count(GLUE_EXPORT)) != (1, 1):
        raise ImageFault(f"Pyodide {pyodide.version}: expected one export in each module, found other ones")
    glue = glue.replace(GLUE_EXPORT, "").replace(ADDRESS, '"memory:/"')
    return f"const loadPyodide = (() => {{\n{loader}\n}})();\n{glue}\n{_part('worker.js')}"


def _part(name: str) -> str:
    return (PARTS / name).read_text()


def _verifier() -> Iterable[tuple[str, bytes]]:
    """The files of the installed verifier, by path."""
    return _below(files(VERIFIER), VERIFIER)


def _below(folder: Traversable, path: str) -> Iterable[tuple[str, bytes]]:
    for child in sorted(folder.iterdir(), key=lambda child: child.name):
        if child.is_dir() and child.name != "__pycache__":
            yield from _below(child, f"{path}/{child.name}")
        elif child.is_file():
            yield f"{path}/{child.name}", child.read_bytes()


def _zip(contents: Mapping[str, bytes]) -> bytes:
    """An uncompressed archive: it is compressed as a whole."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in sorted(contents.items()):
            archive.writestr(zipfile.ZipInfo(name, ZIP_TIME), content)
    return buffer.getvalue()


def _block(name: str, content: bytes) -> str:
    encoded = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    return f'<script type="text/plain" id="{name}">{encoded}</script>'


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
