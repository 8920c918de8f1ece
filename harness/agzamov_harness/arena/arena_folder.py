"""Folder of an arena on this machine: its sealed runs in runs/, and bundles of anybody in bundles/, beside its file.

What is planned follows from both, so a bundle that is copied there while a round is played takes its round away from
the next one that is sealed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from agzamov_verify.checks.check_log import CheckLog, StepFailed
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import ManifestError, Plan, load_manifest
from agzamov_verify.show.text.verdict_report import finding_line

from ..run import run_folder
from .openings import SealedRound

BUNDLES: Final = "bundles"
RUNS: Final = "runs"
NAMED: Final = "[!.]*/"
"""Runs and bundles that are complete: one that is being made has a dot before its name."""


class ArenaFolder:
    """The runs and bundles beside an arena's file. `tell` is told, once, of each bundle that counts for nothing."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self.runs, self.bundles = folder / RUNS, folder / BUNDLES
        self._folder, self._tell = folder, tell
        self._opened: dict[Path, tuple[str, SealedRound] | None] = {}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder for this process alone, without what a seal that was killed left behind.

        Raises ManifestError where it cannot be written, or another process plays there.
        """
        for folder, name in ((self.bundles, BUNDLES), (self.runs, RUNS)):
            run_folder.require_writable(folder, f"the {name} cannot be kept there", "play elsewhere")
        with run_folder.held(self.runs / run_folder.LOCK, f"{self._folder}: another process is playing this arena"):
            run_folder.clear_unsealed(self.runs)
            yield

    def unfinished(self) -> list[Path]:
        """Sealed runs without a bundle, in the order in which they were sealed."""
        runs = sorted(self.runs.glob(NAMED), key=_sealed_at)
        return [path for path in runs if not (self.bundles / path.name).exists()]

    def rounds(self) -> list[SealedRound]:
        """The plans and dice of all runs and bundles, each run once.

        A bundle whose signature or files do not hold counts for nothing. Raises ManifestError for such a bundle of a
        run that is here, since its round would be played again, and for a broken run of this machine's own.
        """
        rounds = {path.name: _sealed_round(path) for path in sorted(self.runs.glob(NAMED))}
        for path in sorted(self.bundles.glob(NAMED)):
            if path not in self._opened:
                self._opened[path] = self._bundle(path)
            if found := self._opened[path]:
                rounds.setdefault(*found)
            elif path.name in rounds:
                run = self.runs / path.name
                raise ManifestError(f"{path}: this bundle does not hold; remove it, and it is packed again from {run}")
        return list(rounds.values())

    def plans(self) -> list[Plan]:
        """The plans of all rounds."""
        return [one.plan for one in self.rounds()]

    def _bundle(self, path: Path) -> tuple[str, SealedRound] | None:
        """Name and round of a bundle; None of one that counts for nothing."""
        log = CheckLog()
        with suppress(StepFailed):
            opened = open_bundle(path, log)
            return opened.manifest.run_id, SealedRound(opened.manifest.plan, opened.dice)
        self._tell(f"{printable(str(path))}: counts for nothing: {finding_line(log.findings[0])}")
        return None


def _sealed_at(run: Path) -> int:
    """When a run was sealed; of one that is broken, which whoever loads it says, the beginning of time."""
    with suppress(OSError):
        return (run / run_folder.SEALED).stat().st_mtime_ns
    return 0


def _sealed_round(path: Path) -> SealedRound:
    try:
        plan = load_manifest((path / run_folder.MANIFEST).read_bytes()).plan
    except OSError as error:
        raise ManifestError(f"{path}: {error.strerror}; move its folder away") from error
    except ManifestError as error:
        raise ManifestError(f"{path}: {error}; move its folder away") from error
    with suppress(ManifestError):  # of another version, or its seed waits for a beacon
        return SealedRound(plan, run_folder.load(path).dice)
    return SealedRound(plan, None)
