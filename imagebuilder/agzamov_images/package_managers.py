"""The package managers of this machine, as it configures them: where packages come from is its business.

apt is asked for this machine's architecture or another one, and for the machine's suite or another one. For another one
the lists of packages are kept beside the cache, so that nothing of the machine's own apt changes and no root is needed;
another suite is asked of the mirrors that the machine's apt names for its own.
"""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from pathlib import Path

from agzamov_harness.containers.image_records import ImageFault

from .architecture import Architecture, here
from .cache import Cache
from .suites import BOOKWORM, Suite

TIMEOUT_S = 1200
TOLD_LINES = 3
STEADY = ("-qq", "-o", "Debug::NoLocking=1", "-o", "APT::Install-Recommends=0")
UPDATED, SOURCES = "updated", "sources.list"
UPDATE = "run `apt-get update` first"
TARGET = "$(REPO_URI)\t$(RELEASE)\t$(COMPONENT)"
PARTS = ("", "updates", "security")
"""The parts of a suite that packages are taken from."""
ORIGIN = re.compile(r"^Origin: Debian$", re.MULTILINE)
DATE = re.compile(r"^Date: (.+)$", re.MULTILINE)


def told(command: Sequence[str], folder: Path, advice: str, environment: Mapping[str, str] | None = None) -> str:
    """Run a package manager and return its output. Raises ImageFault with the end of its output and the advice."""
    program = command[2] if command[1] == "-m" else command[0]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise ImageFault(f"no {program} here; {advice}") from error
    except subprocess.TimeoutExpired as error:
        raise ImageFault(f"{program} took more than {TIMEOUT_S} s; {advice}") from error
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        words = "; ".join(lines[-TOLD_LINES:]) or f"exit code {done.returncode}"
        raise ImageFault(f"{program}: {words}; {advice}")
    return done.stdout


class Superseded(ImageFault):
    """A locked package is no longer offered where this machine gets its packages."""


class Apt:
    """apt for one architecture and one suite; the default suite is what this machine's apt is configured for."""

    def __init__(self, architecture: Architecture, cache: Cache, suite: Suite = BOOKWORM) -> None:
        self.architecture = architecture
        self.suite = suite
        self._has_sources = suite != BOOKWORM
        name = f"apt-{suite.name}-{architecture.name}" if self._has_sources else f"apt-{architecture.name}"
        is_machines = architecture == here() and not self._has_sources
        self._lists = None if is_machines else cache.folder.absolute() / name

    @property
    def lists_are_ours(self) -> bool:
        """True if the package lists are kept beside the cache, and are not the machine's own."""
        return self._lists is not None

    def get(self, arguments: Sequence[str], folder: Path, advice: str) -> str:
        """Run apt-get and return its output; update our own package lists before their first use. Raises ImageFault."""
        if self._lists and not (self._lists / UPDATED).is_file():
            self.update()
        return told(["apt-get", *STEADY, *self._options(), *arguments], folder, advice)

    def show(self, package: str, folder: Path) -> dict[str, str]:
        """The fields of a package's record. Raises ImageFault."""
        shown = told(["apt-cache", *self._options(), "show", "--no-all-versions", package], folder, UPDATE)
        return dict(line.split(": ", 1) for line in shown.splitlines() if re.match(r"[A-Z][A-Za-z0-9-]*: ", line))

    def update(self) -> None:
        """Fetch the lists that are kept beside the cache; the machine's own are its owner's. Raises ImageFault."""
        if not self._lists:
            return
        for name in ("lists/partial", "archives/partial"):
            (self._lists / name).mkdir(parents=True, exist_ok=True)
        if self._has_sources:
            (self._lists / SOURCES).write_text(self._sources())
        told(["apt-get", *STEADY, *self._options(), "update"], self._lists, "apt must reach a mirror")
        (self._lists / UPDATED).touch()

    def snapshot(self, folder: Path) -> str:
        """The newest date of the Debian archives that apt resolves from, as 2026-01-31T00:00:00Z. Raises ImageFault."""
        shown = told(["apt-config", *self._options(), "shell", "LISTS", "Dir::State::lists/d"], folder, UPDATE)
        lists = Path(shown.partition("=")[2].strip().strip("'"))
        texts = [path.read_text(errors="replace") for path in sorted(lists.glob("*Release"))]
        matches = [DATE.search(text) for text in texts if ORIGIN.search(text)]
        dates = [parsedate_to_datetime(matched[1]) for matched in matches if matched]
        if not dates:
            raise ImageFault(f"{lists}: expected the release files of a Debian mirror, found none; {UPDATE}")
        return f"{max(dates).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"

    def _options(self) -> list[str]:
        if not self._lists:
            return []
        name, lists = self.architecture.name, self._lists
        settings = [f"APT::Architecture={name}", f"APT::Architectures={name}", f"Dir::State::lists={lists}/lists"]
        settings.append(f"Dir::Cache={lists}")
        if self._has_sources:
            settings += [f"Dir::Etc::sourcelist={lists}/{SOURCES}", "Dir::Etc::sourceparts=/dev/null"]
        return [part for setting in settings for part in ("-o", setting)]

    def _sources(self) -> str:
        """The machine's own Debian mirrors, for this suite, checked by its keys. Raises ImageFault."""
        command = ["apt-get", "indextargets", "--format", TARGET, "Created-By: Packages", "Origin: Debian"]
        shown = told(command, Path.cwd(), UPDATE)
        rows = []
        for line in shown.splitlines():
            mirror, release, component = line.split("\t")
            _, dash, part = release.partition("-")
            if part in PARTS:
                rows.append(f"deb {mirror} {self.suite.name}{dash}{part} {component}\n")
        if not rows:
            raise ImageFault(f"expected a Debian mirror in this machine's apt sources, found none; {UPDATE}")
        return "".join(dict.fromkeys(rows))
