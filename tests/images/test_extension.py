"""A Python package of one C file, compiled by a locked compiler for an architecture that it has no wheel for."""

import base64
import hashlib
import json
import platform
import tempfile
from pathlib import Path

import pytest

from agzamov_harness.containers.image_records import DECLARATION, ImageFault
from agzamov_images import build_order, compiler, wheels
from agzamov_images.architecture import ARCHITECTURES, elf_machine
from agzamov_images.cache import Cache, default_folder
from agzamov_images.layers import tar_of
from agzamov_images.tree import read_tar
from agzamov_images.wheels import Pin
from containers.engines import ROOT, unavailable
from images import small
from images.small import Small

OUT_OF_REACH = ("must reach", "no longer offered")
AMD64, ARM64 = ARCHITECTURES["amd64"], ARCHITECTURES["arm64"]
C = b"""
#include <Python.h>
#include <string.h>
static PyObject *length(PyObject *self, PyObject *text) {
    const char *found = PyUnicode_AsUTF8(text);
    return found ? PyLong_FromSize_t(strlen(found)) : NULL;
}
static PyMethodDef methods[] = {{"length", length, METH_O, __FILE__}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "tiny", NULL, -1, methods};
PyMODINIT_FUNC PyInit_tiny(void) { return PyModule_Create(&module); }
"""
METADATA = b"Name: tiny\nVersion: 1.0\n"
FILES = {"tiny.c": C, "PKG-INFO": METADATA, "setup.py": b"1/0", "LICENSE": b"MIT", "tiny.pyx": b""}
# Programs in place of the compiler's: each adds its name to what it was given; the last makes the head of a library.
STAGE = "#!/bin/sh\n{{ {head}cat module.{given}; echo '{name} {epoch}'; }} > module.{made}\n"
LOADER = b'#!/bin/sh\nshift 2\nexec sh "$@"\n'


def stage(name: str, given: str, made: str, head: str = "") -> bytes:
    return STAGE.format(name=name, given=given, made=made, head=head, epoch="'$SOURCE_DATE_EPOCH'").encode()


def tools(failing: bool = False) -> bytes:
    head = "printf '%b' '" + "".join(f"\\\\0{byte:o}" for byte in small.elf(183)).replace("\\\\", "\\") + "'; "
    return small.deb(
        {
            f"./{AMD64.libraries}/{AMD64.loader}": LOADER,
            "./usr/lib/gcc-cross/aarch64-linux-gnu/12/cc1": b"echo no >&2; exit 1" if failing else stage("c", "c", "s"),
            "./usr/bin/aarch64-linux-gnu-as": stage("as", "s", "o"),
            "./usr/bin/aarch64-linux-gnu-ld.bfd": stage("ld", "o", "so", head),
        }
    )


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")


@pytest.fixture
def tiny(made: Small) -> Small:
    """A checkout whose small image is one package of one C file, with a wheel for amd64 alone."""
    wheel = small.wheel({"tiny.cpython-311-x86_64-linux-gnu.so": small.elf(62)})
    source = small.sdist("tiny-1.0", FILES)
    head = (made.folder / DECLARATION).read_text().partition("[[layers]]")[0]
    layer = '[[layers]]\nkind = "wheels"\nextensions = { arm64 = ["tiny"] }\n'
    (made.folder / DECLARATION).write_text(head + layer)
    hashes = " ".join(f"--hash=sha256:{small.sha256(one)}" for one in (wheel, source))
    (made.folder / "requirements.txt").write_text(f"tiny==1.0 {hashes}\n")
    small.put(made.cache, "tiny-1.0-cp311-cp311-manylinux2014_x86_64.whl", wheel)
    small.put(made.cache, "tiny-1.0.tar.gz", source)
    lock_tools(made, tools())
    return made


def lock_tools(made: Small, data: bytes) -> None:
    images, headers = made.checkout / "images", small.deb({"./usr/include/python3.11/Python.h": b""})
    paths = compiler.locks(images)
    paths[0].parent.mkdir(exist_ok=True)
    for path, deb, architecture in zip(paths, (data, headers), (AMD64, ARM64), strict=True):
        path.write_text(small.lock_of(deb, architecture.name))
        small.put(made.cache, f"tool_2_{architecture.name}.deb", deb)


def test_a_package_is_compiled_where_it_has_no_wheel_and_installed_as_one(tiny: Small) -> None:
    tiny.agzamov("build", "small", "--arch", "arm64")
    (_, spec) = build_order.stacked(tiny.checkout / "images", "small")
    found = {entry.path: entry for entry in read_tar(tar_of(tiny.built / "arm64", spec)) if entry.content}
    library = found.pop("opt/site/tiny.cpython-311-aarch64-linux-gnu.so")
    assert library.content == small.elf(183) + C + b"".join(f"{one} 1767225600\n".encode() for one in ("c", "as", "ld"))
    info = {path.removeprefix("opt/site/tiny-1.0.dist-info/"): entry.content for path, entry in found.items()}
    assert {name: info[name] for name in ("METADATA", "LICENSE")} == {"METADATA": METADATA, "LICENSE": b"MIT"}
    assert b"Root-Is-Purelib: false\nTag: cp311-cp311-linux_aarch64\n" in info["WHEEL"]
    digest = base64.urlsafe_b64encode(hashlib.sha256(library.content).digest()).decode().rstrip("=")
    rows = info["RECORD"].decode().splitlines()
    assert f"tiny.cpython-311-aarch64-linux-gnu.so,sha256={digest},{len(library.content)}" in rows
    assert "tiny-1.0.dist-info/RECORD,," in rows
    assert len(info) == len(rows) - 1 == 4


def test_the_wheel_is_taken_where_there_is_one(tiny: Small) -> None:
    tiny.agzamov("build", "small")
    (_, spec) = build_order.stacked(tiny.checkout / "images", "small")
    found = [entry.path for entry in read_tar(tar_of(tiny.built, spec)) if entry.content]
    assert found == ["opt/site/tiny.cpython-311-x86_64-linux-gnu.so"]


def test_the_provenance_names_the_locks_of_the_compiler_and_another_compiler_is_another_build(tiny: Small) -> None:
    tiny.agzamov("build", "small", "--arch", "arm64")
    statement = json.loads((tiny.built / "arm64" / "small.provenance.json").read_bytes())
    named = {
        one.get("name"): one["digest"] for one in statement["predicate"]["buildDefinition"]["resolvedDependencies"]
    }
    for path in compiler.locks(tiny.checkout / "images"):
        assert named[f"images/compiler/{path.name}"] == {"sha256": small.sha256(path.read_bytes())}
    lock_tools(tiny, tools(failing=True))
    assert "tiny-1.0.tar.gz: expected C that compiles, found by cc1: no" in tiny.agzamov(
        "build", "small", "--arch", "arm64", code=2
    )


def test_a_compiler_that_is_not_the_locked_one_is_refused(tiny: Small) -> None:
    (path,) = tiny.cache.glob(f"sha256-{small.sha256(tools())}/*")
    path.write_bytes(tools(failing=True))
    assert "expected sha256-" in tiny.agzamov("build", "small", "--arch", "arm64", code=2)


def test_a_missing_lock_of_the_compiler_says_what_to_type(tiny: Small) -> None:
    compiler.locks(tiny.checkout / "images")[0].unlink()
    told = tiny.agzamov("build", "small", "--arch", "arm64", code=2)
    assert "run `agzamov images lock small --arch arm64`" in told


def test_an_archive_without_its_c_file_is_told(tiny: Small) -> None:
    source = small.sdist("tiny-1.0", {"PKG-INFO": METADATA, "deeper/tiny.c": C})
    (tiny.folder / "requirements.txt").write_text(f"tiny==1.0 --hash=sha256:{small.sha256(source)}\n")
    small.put(tiny.cache, "tiny-1.0.tar.gz", source)
    told = tiny.agzamov("build", "small", "--arch", "arm64", code=2)
    assert "tiny-1.0.tar.gz: expected tiny.c in the source archive, found none" in told


def test_a_machine_that_the_compiler_does_not_run_on_is_told(tiny: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    told = tiny.agzamov("build", "small", "--arch", "arm64", code=2)
    assert "C files are compiled for arm64 on amd64 alone, found arm64 on arm64" in told


def test_pip_fetches_a_source_archive_and_runs_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = tmp_path / "ran"
    project = b'[build-system]\nrequires = ["setuptools", "no-such-package"]\nbuild-backend = "setuptools.build_meta"\n'
    program = f"open({str(ran)!r}, 'w')".encode()
    metadata = b"Metadata-Version: 2.1\n" + METADATA
    data = small.sdist("tiny-1.0", {"PKG-INFO": metadata, "setup.py": program, "pyproject.toml": project})
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "tiny-1.0.tar.gz").write_bytes(data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    pin = Pin("tiny", "1.0", frozenset({small.sha256(data)}))
    (found,) = wheels.fetch([pin], ["tiny"], Cache(tmp_path / "cache"), ARM64)
    assert found.path.read_bytes() == data
    assert not ran.exists()


@pytest.mark.slow
def test_the_locked_compiler_makes_the_same_bytes_in_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for name in ("one", "another/deeper"):
        (tmp_path / name).mkdir(parents=True)
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / name))
        try:
            made.append(compiler.compiled(ROOT / "images", Cache(default_folder()), "tiny", C))
        except ImageFault as error:
            if not any(said in str(error) for said in OUT_OF_REACH):
                raise
            unavailable(str(error))
    assert made[0] == made[1]
    assert elf_machine(made[0]) == ARM64.elf_machine
    assert b"PyInit_tiny" in made[0]
    assert str(tmp_path).encode() not in made[0]
    with pytest.raises(ImageFault, match=r"tiny: expected C that compiles, found by cc1: module\.c:1:1: error"):
        compiler.compiled(ROOT / "images", Cache(default_folder()), "tiny", b"wrong")
