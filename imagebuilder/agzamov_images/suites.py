"""Debian suites that images are built from: their Python, and the newest C library that a wheel may ask for."""

from typing import NamedTuple


class Suite(NamedTuple):
    """One suite: its code name, its number, the version of its Python, and the minor version of its glibc."""

    name: str
    release: int
    python: tuple[int, int, int]
    glibc_minor: int

    @property
    def distribution(self) -> str:
        """The suite's name in locks and bills of materials, such as "debian-12"."""
        return f"debian-{self.release}"

    @property
    def python_version(self) -> str:
        """Its Python without the patch release, such as "3.11"."""
        return ".".join(map(str, self.python[:2]))

    @property
    def abi(self) -> str:
        """The tag of wheels that are for its Python alone, such as "cp311"."""
        return f"cp{self.python[0]}{self.python[1]}"


BOOKWORM = Suite("bookworm", 12, (3, 11, 2), 36)
TRIXIE = Suite("trixie", 13, (3, 13, 5), 41)
SUITES = {suite.name: suite for suite in (BOOKWORM, TRIXIE)}
