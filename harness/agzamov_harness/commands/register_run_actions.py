"""What `agzamov register run` does."""

import shlex
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
from click.core import ParameterSource

from agzamov_verify.commands.command_line import WrongUse
from agzamov_verify.commands.trust_options import now_s
from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.core.script import Divergence
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import Manifest, ManifestError
from agzamov_verify.registration.beacon import QUICKNET

from ..exhibition.exhibition_folder import require_no_exhibition
from ..foundation.owner_folder import DEFAULT_KEY
from ..pipeline.pack import Packed
from ..pipeline.play_and_pack import PlayOptions, connected, play_and_pack, sealed_to_play, to_resume
from ..planning.plan_warnings import plan_warnings
from ..registry.margins import lacking_margins
from ..registry.registered_run import (
    LogPlace,
    Promise,
    RegisteredRun,
    quicknet_round,
    require_unregistered,
    require_writable,
)
from ..run import exit_status, run_folder, signing_keys
from ..run.exit_status import HarnessEnded
from ..run.run_folder import REGISTRATION, RunDirectory
from ..run.stop import Stop
from .plan_files import plan_file
from .run_actions import tell_packed

REQUESTS: Final = Path("requests")
ROUND_SOON_S: Final = 3_600
"""A round in less than an hour may be out before whoever keeps the log has taken the registration."""

tell = partial(click.echo, err=True)


class Given(NamedTuple):
    """Options of the command that are not those of playing."""

    key: Path | None
    log_folder: Path | None
    log_key: Path | None
    requests: Path
    round_file: Path | None
    cluster: str | None

    def again(self, directory: RunDirectory, options: PlayOptions, promise: Promise) -> str:
        """The command that goes on with the run as it was begun."""
        own = {
            "--log": self.log_folder,
            "--log-key": self.log_key,
            "--round": self.round_file,
            "--requests": self.requests if self.requests != REQUESTS else None,
        }
        words = [str(word) for option, value in own.items() if value for word in (option, value)]
        if not directory.has(REGISTRATION):
            words += _promised(promise)
        resume = to_resume(directory, self.key, options, self.cluster)
        return shlex.join(["agzamov", "register", "run", *shlex.split(resume)[2:], *words])


def _promised(promise: Promise) -> list[str]:
    """What a registration says, as options: once it is signed the run's folder has it."""
    names = ("attempt", "attempts", "days", "seen_round")
    words = [word for name in names for word in (f"--{name.replace('_', '-')}", str(getattr(promise, name)))]
    return words + [word for unit, margin in promise.margins.items() for word in ("--margin", f"{unit}={margin}")]


def register_run(plan_or_run: Path, abort: str | None, runs: Path, *, small: bool, **options: Any) -> None:
    """Register, play, and log the end."""
    given = Given(**{name: options.pop(name) for name in Given._fields})
    promise = Promise(**{name: options.pop(name) for name in Promise._fields})
    told = partial(tell_packed, as_json=options.pop("as_json"), fail_on_gate=options.pop("fail_on_gate"))
    if given.log_key and not given.log_folder:
        raise WrongUse("--log-key needs --log FOLDER, the log that it signs")
    if abort is not None and not plan_or_run.is_dir():
        raise WrongUse("--abort needs the folder of a registered run in the place of PLAN")
    with exit_status.faults():
        if promise.attempt > promise.attempts:
            raise ManifestError(f"--attempt {promise.attempt}: expected at most the {promise.attempts} of --attempts")
        key = signing_keys.load(given.log_key) if given.log_key else None
        place = LogPlace(given.log_folder, key, given.requests)
        playing = PlayOptions(**options)
        if plan_or_run.is_dir():
            directory = run_folder.load(plan_or_run, playing.plan_folder, playing.installed)
            require_no_exhibition(directory)
            if not directory.has(REGISTRATION) and abort is None:
                _require_typed(directory)
        else:
            directory = _sealed(plan_or_run, promise, runs, given, place, playing, small=small)
        signer = signing_keys.signer_of(directory, given.key)
        require_writable(place, signer)
        again = partial(given.again, directory, playing, promise)
        run = RegisteredRun(directory, signer, place, again, now_s, lambda line: tell(printable(line)))
        if abort is not None:
            run.log_abort(abort)
        elif ended := run.ended():
            tell(printable(ended))
        else:
            packed = _played(run, directory, promise, given, playing._replace(installed=None))
            if packed:
                told(packed)


def _require_typed(directory: RunDirectory) -> None:
    """A run that was sealed and not registered has no promise yet: that of no options would be registered for ever."""
    if click.get_current_context().get_parameter_source("attempts") is ParameterSource.DEFAULT:
        raise ManifestError(
            f"{directory.path}: it was sealed and not registered; type again what it promised: --attempt N --attempts N"
            " and each --margin"
        )


def _sealed(
    path: Path, promise: Promise, runs: Path, given: Given, place: LogPlace, options: PlayOptions, *, small: bool
) -> RunDirectory:
    file = plan_file(path, small=small)
    for warning in (*plan_warnings(file.plan), *lacking_margins(promise.margins, file.plan)):
        tell(f"warning: {printable(warning)}")
    if file.plan.seed.origin != "beacon":
        tell("warning: its seed waits for no beacon round, so it can reach V1 alone: see docs/trust.md")
    if place.key is None:
        _warn_of_round(quicknet_round(file.plan.seed))
    key = given.key or DEFAULT_KEY
    require_writable(place, signing_keys.load(key))

    def require(manifest: Manifest) -> None:
        require_unregistered(manifest, promise, runs, place, now_s())

    return sealed_to_play(file, key, runs, options, require)


def _warn_of_round(number: int) -> None:
    """Warn of a round that is out soon, where somebody else takes the registration into the log. 0: no round."""
    left_s = QUICKNET.time_s(number) - now_s()
    if number and 0 < left_s < ROUND_SOON_S:
        tell(
            f"warning: round {number} is out in {left_s // 60} min {left_s % 60} s: once it is, no log takes this"
            " registration. Send the request at once, or choose a later round"
        )


def _played(
    run: RegisteredRun, directory: RunDirectory, promise: Promise, given: Given, options: PlayOptions
) -> Packed | None:
    """The bundle of a run whose end is logged; None where it was there before, and only its end was logged now."""
    stop = Stop()
    with directory.locked(), exit_status.signals(stop, run.go_on):
        run.register(promise)
        run.await_round(given.round_file, stop)
    options = options._replace(again=run.again())
    bundle = options.out / directory.manifest.run_id
    if bundle.is_dir():
        run.log_result(bundle)
        click.echo(f"bundle: {bundle}")
        return None
    run_folder.require_room(options.out, directory.path.parent)
    try:
        with connected(given.cluster, directory.manifest.plan) as workers:
            packed = play_and_pack(directory, given.key, options._replace(workers=workers))
    except (BrokenJournal, Divergence, HarnessEnded):
        if directory.has(REGISTRATION):
            tell(f"if this run will have no result, log that: {options.again} --abort REASON")
        raise
    run.log_result(packed.bundle)
    return packed
