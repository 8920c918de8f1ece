"""A checkout with a small image of every kind of layer, its packages made here, so that no test needs a mirror."""

import contextlib
import hashlib
import io
import json
import lzma
import os
import subprocess
import sys
import tarfile
import zipfile
from base64 import b64encode
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from agzamov_images.architecture import ARCHITECTURES
from agzamov_images.build import Workshop
from agzamov_images.cache import Cache, Digest
from agzamov_images.image_commands import images

CONTROL = b"Package: tool\nVersion: 1:2+b1\nArchitecture: amd64\n"
SNAPSHOT = "2026-01-31T00:00:00Z"
AGZAMOV = Path(sys.executable).with_name("agzamov")
GROUND_TOML = """\
about = "The ground"
licence = "MIT"
[config]
env = { PATH = "/usr/bin", HOME = "/tmp" }
[[layers]]
kind = "files"
files = { "etc/passwd" = "passwd" }
links = { "bin" = "usr/bin" }
directories = { "tmp" = "1777", "usr/bin" = "755" }
"""
SMALL_TOML = """\
about = "Something small"
licence = "GPL-3.0-or-later"
from = "ground"
default = true
[config]
entrypoint = ["/usr/bin/tool"]
env = { MORE = "1" }
[[layers]]
kind = "debs"
wanted = ["tool"]
[[layers]]
kind = "wheels"
drop = ["opt/site/*/tests/*"]
pure = ["plain"]
[[layers]]
kind = "npm"
[[layers]]
kind = "source"
packages = ["verify/agzamov_verify"]
[[layers]]
kind = "files"
name = "last"
files = { "etc/agz/small.conf" = "small.conf" }
directories = { "tmp/of/small" = "700" }
"""
PYPROJECT = """\
[project]
name = "agzamov-verify"
version = "9.9"
description = "Ours"
requires-python = ">=3.11"
license = "MIT"
dependencies = ["click"]
"""


class Small(NamedTuple):
    """A checkout and its cache of packages."""

    checkout: Path
    cache: Path

    @property
    def folder(self) -> Path:
        return self.checkout / "images" / "small"

    @property
    def built(self) -> Path:
        return self.checkout / "build" / "images"

    def workshop(self, out: Path | None = None) -> Workshop:
        out = out or self.built
        out.mkdir(parents=True, exist_ok=True)
        return Workshop(self.checkout, out, Cache(self.cache), lambda _: None, ARCHITECTURES["amd64"])

    def agzamov(self, *arguments: str, code: int = 0, **environment: str) -> str:
        """What `agzamov images …` says in the checkout, if it ends with this code."""
        with contextlib.chdir(self.checkout):
            done = CliRunner().invoke(images, arguments, env={"AGZ_IMAGE_CACHE": str(self.cache), **environment})
        assert done.exit_code == code, done.output + str(done.exception)
        return done.output

    def process(self, *arguments: str, umask: int, **environment: str) -> None:
        """The same in a process of its own, with another environment."""
        command = [AGZAMOV, "images", *arguments]
        surroundings = {**os.environ, "AGZ_IMAGE_CACHE": str(self.cache), **environment}
        subprocess.run(command, cwd=self.checkout, env=surroundings, umask=umask, timeout=300, check=True)


def make(folder: Path) -> Small:
    """A checkout in `folder`."""
    small = Small(folder / "checkout", folder / "cache")
    ground = small.checkout / "images" / "ground"
    for place in (ground, small.folder, small.checkout / "verify" / "agzamov_verify" / "__pycache__"):
        place.mkdir(parents=True)
    (ground / "image.toml").write_text(GROUND_TOML)
    (ground / "passwd").write_text("agz:x:10001:10001::/tmp:\n")
    (small.folder / "image.toml").write_text(SMALL_TOML)
    (small.folder / "small.conf").write_text("small\n")
    _add_own_source(small.checkout / "verify")
    _add_packages(small)
    return small


def _add_own_source(folder: Path) -> None:
    package = folder / "agzamov_verify"
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "LICENSE").write_text("MIT\n")
    (package / "__init__.py").write_text("X = 1\n")
    (package / "__pycache__" / "__init__.cpython-311.pyc").write_bytes(b"left behind")


def _add_packages(small: Small) -> None:
    tool = deb({"./usr/bin/tool": b"#!", "./lib/tool.so": b"so", "./usr/share/doc/tool/copyright": b"GPL"})
    (small.folder / "debs.amd64.lock.json").write_text(lock_of(tool))
    mixed = wheel({"mixed/__init__.py": b"", "mixed/tests/t.py": b"", "mixed-1.0.data/scripts/mixed": b"#!python"})
    plain = sdist("plain-2.0", {"plain/__init__.py": b"P = 1\n", "PKG-INFO": b"Name: plain\n", "setup.py": b"1/0"})
    pins = {"mixed==1.0": mixed, "plain==2.0 ; python_full_version < '3.12'": plain}
    lines = [f"{pin} \\\n    --hash=sha256:{sha256(data)}\n" for pin, data in pins.items()]
    lines += [f"newer==1.0 ; python_full_version >= '3.12' \\\n    --hash=sha256:{'0' * 64}\n"]
    (small.folder / "requirements.txt").write_text("".join(lines))
    thing = npm({"package/index.js": b"1", "package/bin/thing": b"#!"})
    packages = {
        "": {"dependencies": {"@of/thing": "1.0.0"}},
        "node_modules/@of/thing": {"version": "1.0.0", "integrity": integrity(thing)},
        "node_modules/for-mac": {"version": "1.0.0", "integrity": integrity(b"-"), "os": ["darwin"]},
        "node_modules/for-dev": {"version": "1.0.0", "integrity": integrity(b"-"), "dev": True},
    }
    (small.folder / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": packages}))
    for name, data in {
        "tool_2_amd64.deb": tool,
        "mixed-1.0-py3-none-any.whl": mixed,
        "plain-2.0.tar.gz": plain,
    }.items():
        put(small.cache, name, data)
    put(small.cache, "of-thing-1.0.0.tgz", thing, "sha512")


def lock_of(data: bytes, architecture: str = "amd64") -> str:
    """A lock of the package `tool` alone."""
    row = {
        "architecture": architecture,
        "name": "tool",
        "sha256": sha256(data),
        "size_bytes": len(data),
        "version": "1:2+b1",
    }
    lock = {"architecture": architecture, "distribution": "debian-12", "snapshot": SNAPSHOT, "packages": [row]}
    return json.dumps(lock)


def elf(machine: int, text: bytes = b"") -> bytes:
    """The head of a program for a machine of this number, and some text in it."""
    return b"\x7fELF\x02\x01" + bytes(12) + machine.to_bytes(2, "little") + text


def put(cache: Path, name: str, data: bytes, algorithm: str = "sha256") -> Path:
    """Put a package into a cache, under the digest that it has."""
    place = cache / str(Digest(algorithm, hashlib.new(algorithm, data).hexdigest()))
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(data)
    return place / name


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def integrity(data: bytes) -> str:
    return "sha512-" + b64encode(hashlib.sha512(data).digest()).decode()


def tar(files: dict[str, bytes], mode: str = "w") -> bytes:
    """A tar whose files in a bin/ folder can be run."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.uid, info.mtime = (
                len(data),
                0o755 if "bin/" in name or "/ld-linux" in name else 0o640,
                1000,
                12345,
            )
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def deb(files: dict[str, bytes], control: bytes = CONTROL) -> bytes:
    control_tar = lzma.compress(tar({"./control": control}))
    members = {"debian-binary": b"2.0\n", "control.tar.xz": control_tar, "data.tar.xz": lzma.compress(tar(files))}
    packed = b"!<arch>\n"
    for name, data in members.items():
        packed += f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode()
        packed += data + b"\n" * (len(data) % 2)
    return packed


def wheel(files: dict[str, bytes]) -> bytes:
    return zipped(files)


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def sdist(top: str, files: dict[str, bytes]) -> bytes:
    return tar({f"{top}/{name}": data for name, data in files.items()}, "w:gz")


def npm(files: dict[str, bytes]) -> bytes:
    return tar(files, "w:gz")
