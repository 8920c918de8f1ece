"""The page that checks bundles in a browser, put together from stand-ins for Pyodide."""

import ast
import base64
import gzip
import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.containers.image_records import ImageFault
from agzamov_images.architecture import ARCHITECTURES
from agzamov_images.cache import VARIABLE
from agzamov_images.npm import read_lock
from agzamov_images.verify_page.assembly import IN_BROWSER, STAND_INS, page, worker
from agzamov_images.verify_page.packages import NEEDED, NEEDED_FOR_BEACONS, PARTS, Pyodide
from agzamov_images.verify_page.page_bytecode import cached
from agzamov_images.verify_page.verify_page_command import verify_page
from agzamov_images.wheels import read_requirements
from images.small import zipped

ROOT = Path(__file__).parents[2]


def compiler(_: Pyodide, sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """Stands in for Node.js: no bytecode, but something of each source."""
    return {name: b"bytecode of " + source[:5] for name, source in sources.items()}


def made_page() -> str:
    return page(PYODIDE, PACKAGES, compiler).decode()


FILES = {
    "pyodide.mjs": b"async function dt(e){}export{dt as loadPyodide,U as version};\n",
    "pyodide.asm.mjs": (
        b"async function _createPyodideModule(m={}){return import.meta.url}export default _createPyodideModule;\n"
    ),
    "pyodide.asm.wasm": b"\0asm",
    "python_stdlib.zip": zipped({"json/__init__.py": b"# json\n", "pyodide_js.txt": b"."}),
}
PYODIDE = Pyodide("314.0.0", FILES)
PACKAGES = [("chess/__init__.py", b"\n")]


def block(made: str, name: str) -> bytes:
    (encoded,) = re.findall(rf'<script type="text/plain" id="{name}">([^<]*)</script>', made)
    return gzip.decompress(base64.b64decode(encoded))


def test_the_same_inputs_give_the_same_page() -> None:
    assert made_page() == made_page()


def test_the_policy_allows_the_one_script_and_style_by_hash_and_no_connection() -> None:
    made = made_page()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', made)
    (script,) = re.findall(r"<script>(.*?)</script>", made, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", made, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}' 'wasm-unsafe-eval'; style-src 'sha256-{hashes[1]}'; "
        "worker-src blob:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types worker-of-this-page"
    )
    assert not re.search(r" (on\w+|style|src)=", re.sub(r"<script.*?</script>", "", made, flags=re.DOTALL))


def test_the_page_holds_the_installed_verifier_unchanged() -> None:
    made = made_page()
    source = ROOT / "verify" / "agzamov_verify"
    with zipfile.ZipFile(io.BytesIO(block(made, "site"))) as site:
        held = {name: site.read(name) for name in site.namelist()}
    expected = {path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    ours = {f"agzamov_verify/{path.relative_to(source)}": path.read_bytes() for path in expected}
    assert ours.items() <= held.items()
    sources = {name for name in held if "__pycache__" not in name}
    assert sources - ours.keys() == {"chess/__init__.py", *(f"verify_page/{name}" for name in IN_BROWSER), *STAND_INS}
    assert block(made, "wasm") == b"\0asm"


def test_each_module_has_its_bytecode_and_the_library_that_alone() -> None:
    made = made_page()
    with zipfile.ZipFile(io.BytesIO(block(made, "site"))) as site:
        held = {name: site.read(name) for name in site.namelist()}
    modules = {name for name in held if name.endswith(".py")}
    assert {name for name in held if "__pycache__" in name} == {cached(name) for name in modules}
    source = held["verify_page/check_bundle.py"]
    assert held["verify_page/__pycache__/check_bundle.cpython-314.pyc"] == b"bytecode of " + source[:5]
    with zipfile.ZipFile(io.BytesIO(block(made, "stdlib"))) as library:
        assert library.namelist() == ["json/__init__.pyc", "pyodide_js.txt"]
        assert library.read("json/__init__.pyc") == b"bytecode of # jso"


def test_the_worker_is_one_script_without_exports_or_an_address_of_its_own() -> None:
    script = worker(PYODIDE)
    assert "return dt;" in script
    assert not re.search(r"\bexport\b|import\.meta", script)


@pytest.mark.parametrize("name", ["pyodide.mjs", "pyodide.asm.mjs"])
def test_modules_of_another_form_are_refused(name: str) -> None:
    with pytest.raises(ImageFault, match="expected one export in each module"):
        worker(Pyodide("1", {**FILES, name: b"other"}))


def test_the_locks_name_what_the_page_takes_and_no_registry() -> None:
    packages = read_lock(PARTS / "package-lock.json", ARCHITECTURES["amd64"])
    assert "pyodide" in {package.name for package in packages}
    assert "http" not in (PARTS / "package-lock.json").read_text()
    pins = {pin.name for pin in read_requirements(ROOT / "requirements" / "verify.txt", ARCHITECTURES["amd64"])}
    assert pins >= set(NEEDED)
    pins = {pin.name for pin in read_requirements(ROOT / "requirements" / "beacon.txt", ARCHITECTURES["amd64"])}
    assert pins >= set(NEEDED_FOR_BEACONS)


def test_the_stand_ins_have_all_that_py_ecc_takes_from_other_packages() -> None:
    """Another version of py_ecc may take more: this test then says so, before a page fails."""
    held = {Path(name).stem: (PARTS / "stand_ins" / name).read_text() for name in STAND_INS}
    held["_hashlib"] = (PARTS / "stand_ins" / "openssl_hashes.py").read_text()
    library = find_spec("py_ecc")  # an import of it raises the recursion limit of all tests
    assert library
    assert library.origin
    for path in Path(library.origin).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(("eth", "_")):
                assert {name.name for name in node.names} <= set(re.findall(r"\w+", held[node.module])), path


def test_without_npm_the_command_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    done = CliRunner().invoke(verify_page, ["--out", str(tmp_path / "page.html")])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: no npm here; npm must reach a registry")
    assert not (tmp_path / "page.html").exists()
