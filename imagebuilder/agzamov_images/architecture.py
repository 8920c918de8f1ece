"""Processor architectures that images are built for, and whether a program is for one of them.

An image is built from the same declaration for every architecture: its own lock of Debian packages, its own
wheels, and nothing of it is run on a machine of another one.
"""

import platform
from collections.abc import Iterable
from typing import NamedTuple

from agzamov_harness.containers.image_records import Different, ImageFault

from .tree import Entry

ELF_MAGIC, ELF_BIG_ENDIAN = b"\x7fELF", 2
ELF_DATA_AT, ELF_MACHINE_AT, ELF_MACHINE_END = 5, 18, 20


class Architecture(NamedTuple):
    """One architecture: its name for Debian and OCI, for Linux, and for npm; its libraries; its number in ELF files."""

    name: str
    machine: str
    npm: str
    loader: str
    elf_machine: int

    @property
    def libraries(self) -> str:
        """Debian's folder of shared libraries for this architecture, relative to the root."""
        return f"usr/lib/{self.machine}-linux-gnu"


ARCHITECTURES = {
    one.name: one
    for one in (
        Architecture("amd64", "x86_64", "x64", "ld-linux-x86-64.so.2", 62),
        Architecture("arm64", "aarch64", "arm64", "ld-linux-aarch64.so.1", 183),
    )
}
MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
"""The names of architectures as operating systems spell them, in small letters."""


def here() -> Architecture:
    """This machine's. Raises ImageFault for one without images."""
    name = MACHINES.get(platform.machine().lower())
    if not name:
        known = ", ".join(ARCHITECTURES)
        raise ImageFault(f"images are built for {known}, found a machine of {platform.machine()}")
    return ARCHITECTURES[name]


def named(name: str | None) -> Architecture:
    """The architecture of this name, or this machine's. Raises ImageFault."""
    if not name:
        return here()
    if name not in ARCHITECTURES:
        raise ImageFault(f"expected one of {', '.join(ARCHITECTURES)}, found {name!r}")
    return ARCHITECTURES[name]


def require(architecture: Architecture, entries: Iterable[Entry]) -> None:
    """Raises Different for a program or library that another architecture runs."""
    for entry in entries:
        machine = elf_machine(entry.content)
        if machine not in (None, architecture.elf_machine):
            expected = f"a program for {architecture.name} (ELF machine {architecture.elf_machine})"
            raise Different(f"{entry.path}: expected {expected}, found ELF machine {machine}")


def elf_machine(content: bytes) -> int | None:
    """The architecture's number in an ELF file, None for another kind of file."""
    if not content.startswith(ELF_MAGIC) or len(content) < ELF_MACHINE_END:
        return None
    order = "big" if content[ELF_DATA_AT] == ELF_BIG_ENDIAN else "little"
    return int.from_bytes(content[ELF_MACHINE_AT:ELF_MACHINE_END], order)  # type: ignore[arg-type]
