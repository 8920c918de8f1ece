"""Debian's cross compiler, locked and run from a folder, for the C files of Python packages without a wheel.

    images/compiler/tools.amd64.lock.json       compiler, assembler, linker, their libraries; C library of the image
    images/compiler/headers.<arch>.lock.json    Python's headers for the image

Nothing of it is installed. The three programs are started through the C library of the lock, without the driver
`gcc`, which would look for them on this machine. What they make is a function of the locks, of the flags below and
of the C file alone: paths are relative, there is no debugging information, no build id and no time.

A package's source archive holds `<name>.c` beside its metadata, made by its authors (Cython leaves such a file).
Nothing of the archive is run, so its own choice of compiler flags does not count; it is installed as a wheel would be.
"""

import base64
import hashlib
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from agzamov_harness.containers.image_records import ImageFault

from . import debs
from .architecture import ARCHITECTURES, Architecture, here
from .bytecode import lay_out
from .cache import Cache
from .package_managers import Apt
from .tree import EPOCH, Entry, file, kept
from .wheels import Fetched, of_source

FOLDER = "compiler"
MACHINE, TARGET = ARCHITECTURES["amd64"], ARCHITECTURES["arm64"]
"""Host and target architecture of the cross compiler."""
TOOLS = (
    "binutils-aarch64-linux-gnu",
    "cpp-12-aarch64-linux-gnu",
    "libbinutils",
    "libc6",
    "libc6-arm64-cross",
    "libc6-dev-arm64-cross",
    "libgcc-12-dev-arm64-cross",
    "libgmp10",
    "libisl23",
    "libjansson4",
    "libmpc3",
    "libmpfr6",
    "libzstd1",
    "linux-libc-dev-arm64-cross",
    "zlib1g",
)
HEADERS = ("libpython3.11-dev",)
UNUSED = ("usr/lib/*/libpython3*.a", "usr/lib/python3*", "usr/lib/*/gconv/*", "usr/share/*", "usr/*/lib/ldscripts/*")
TIMEOUT_S = 600
AT = "tools"
GCC = f"{AT}/usr/lib/gcc-cross/aarch64-linux-gnu/12"
LIBC = f"{AT}/usr/aarch64-linux-gnu"
INCLUDED = (f"{GCC}/include", f"{LIBC}/include", f"{AT}/usr/include", f"{AT}/usr/include/python3.11")
# As Debian compiles an extension, -fwrapv above all, without debugging information; for every processor of the
# architecture, and without what lets arithmetic differ.
COMPILE = (
    *(f"{GCC}/cc1", "-quiet", "-nostdinc", *(part for one in INCLUDED for part in ("-isystem", one))),
    *("-D_REENTRANT", "-DNDEBUG", "-mlittle-endian", "-mabi=lp64", "-O2", "-fPIC", "-fwrapv"),
    *("-fasynchronous-unwind-tables", "module.c", "-o", "module.s"),
)
ASSEMBLE = (f"{AT}/usr/bin/aarch64-linux-gnu-as", "-EL", "-mabi=lp64", "module.s", "-o", "module.o")
LINK = (
    *(f"{AT}/usr/bin/aarch64-linux-gnu-ld.bfd", "-shared", "-EL", "-X", "-maarch64linux", "--fix-cortex-a53-843419"),
    *(
        "--eh-frame-hdr",
        "--hash-style=gnu",
        "--build-id=none",
        "--strip-all",
        "--as-needed",
        "-z",
        "relro",
        "-z",
        "now",
    ),
    *("-o", "module.so", f"{LIBC}/lib/crti.o", f"{GCC}/crtbeginS.o", "module.o", f"{GCC}/libgcc.a"),
    *(f"{LIBC}/lib/libc.so.6", f"{LIBC}/lib/libc_nonshared.a", f"{GCC}/crtendS.o", f"{LIBC}/lib/crtn.o"),
)
Compile = Callable[[str, bytes], bytes]
WHEEL = """\
Wheel-Version: 1.0
Generator: agzamov-images
Root-Is-Purelib: false
Tag: cp311-cp311-linux_{machine}
"""


def locks(images: Path) -> tuple[Path, Path]:
    """The locks of the compiler and of the headers."""
    return images / FOLDER / f"tools.{MACHINE.name}.lock.json", images / FOLDER / f"headers.{TARGET.name}.lock.json"


def lock(images: Path, cache: Cache) -> Iterator[Path]:
    """Resolve the compiler and the headers anew, and name each lock. Raises ImageFault."""
    for path, architecture, names in zip(locks(images), (MACHINE, TARGET), (TOOLS, HEADERS), strict=True):
        resolved = debs.resolve(Apt(architecture, cache), names, (), ())
        packages = tuple(deb for deb in resolved.packages if deb.name in names)
        path.parent.mkdir(exist_ok=True)
        debs.write_lock(path, msgspec.structs.replace(resolved, packages=packages))
        yield path


def require(architecture: Architecture) -> None:
    """Raises ImageFault unless this machine compiles for the architecture."""
    if (here(), architecture) != (MACHINE, TARGET):
        raise ImageFault(
            f"C files are compiled for {TARGET.name} on {MACHINE.name} alone, found {architecture.name} on "
            f"{here().name}; build on Linux for {MACHINE.name}, or `agzamov images import` what was built there"
        )


def compiled(images: Path, cache: Cache, name: str, source: bytes) -> bytes:
    """The shared library that a C file makes, fetching the compiler where it is missing. Raises ImageFault."""
    tools = list(_unpacked(images, cache))
    with tempfile.TemporaryDirectory(prefix="agzamov-compiler-") as folder:
        lay_out(Path(folder) / AT, tools)
        (Path(folder) / "module.c").write_bytes(source)
        for command in (COMPILE, ASSEMBLE, LINK):
            _run(Path(folder), command, name)
        return (Path(folder) / "module.so").read_bytes()


def _unpacked(images: Path, cache: Cache) -> Iterator[Entry]:
    for path, architecture in zip(locks(images), (MACHINE, TARGET), strict=True):
        packages = debs.read_lock(path, architecture).packages
        yield from kept(debs.unpacked(debs.fetch(packages, cache, architecture)), UNUSED)


def _run(folder: Path, command: Sequence[str], name: str) -> None:
    libraries = f"{AT}/{MACHINE.libraries}"
    started = [f"{libraries}/{MACHINE.loader}", "--library-path", libraries, *command]
    environment = {"LC_ALL": "C", "SOURCE_DATE_EPOCH": str(EPOCH)}
    try:
        done = subprocess.run(
            started, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except OSError as error:
        raise ImageFault(f"the locked compiler does not start here ({error.strerror}); build on Linux") from error
    except subprocess.TimeoutExpired as error:
        raise ImageFault(f"{name}: expected to compile within {TIMEOUT_S} s, found no end") from error
    if done.returncode:
        program = Path(command[0]).name
        raise ImageFault(f"{name}: expected C that compiles, found by {program}: {(done.stdout + done.stderr)[:400]}")


def installed(fetched: Fetched, into: str, architecture: Architecture, compile_c: Compile) -> Iterator[Entry]:
    """The compiled module and the metadata of a package below `into`. Raises ImageFault."""
    name = fetched.pin.name.replace("-", "_")
    library = compile_c(fetched.path.name, _source(fetched.path, f"{name}.c"))
    info = f"{name}-{fetched.pin.version}.dist-info"
    contents = {path: content for path, content, _ in of_source(fetched) if path.startswith(f"{info}/")}
    contents[f"{name}.cpython-311-{architecture.machine}-linux-gnu.so"] = library
    contents[f"{info}/WHEEL"] = WHEEL.format(machine=architecture.machine).encode()
    rows = [f"{path},sha256={_digest(content)},{len(content)}" for path, content in sorted(contents.items())]
    contents[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    for path, content in contents.items():
        yield file(f"{into}/{path}", content, program=content is library)


def _source(path: Path, file_name: str) -> bytes:
    """The C file at the top of a source archive."""
    try:
        with tarfile.open(path) as archive:
            for info in archive:
                if info.isreg() and info.name.partition("/")[2] == file_name:
                    opened = archive.extractfile(info)
                    return opened.read() if opened else b""
    except tarfile.TarError as error:
        raise ImageFault(f"{path.name}: {error}") from error
    raise ImageFault(f"{path.name}: expected {file_name} in the source archive, found none; it cannot be compiled here")


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
