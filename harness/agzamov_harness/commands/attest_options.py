"""`agzamov replay --attest`: its options, and the attestation that it writes."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
from click.core import ParameterSource
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.attestations.replay_statement import draw_seed
from agzamov_verify.checks.drawn_games import draw_from_all, games_by_match
from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.commands.command_line import WrongUse
from agzamov_verify.commands.trust_options import log_option, policy_of, policy_option
from agzamov_verify.core.envelope import key_id
from agzamov_verify.engines.uci_engine import engine_or_why
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.trust_policy import TrustPolicy

from ..foundation.new_file import require_new, write_new
from ..memory.launch import Places
from ..reproduce.ask_again import GivenWeights, SampleSettings, ask_again
from ..reproduce.attest import ask_memories, attestation
from ..reproduce.challenge import challenge_of
from ..reproduce.other_seats import other_seats
from ..reproduce.replay_report import ReproductionReport
from ..run import signing_keys
from .shared_options import engine_option, installed_option, typed_option

Command = TypeVar("Command", bound=Callable[..., Any])
FileOption = click.Path(exists=True, dir_okay=False, path_type=Path)
OPTIONS = (
    click.option("--attest", type=click.Path(path_type=Path), help="Sign an attestation with this key, your own."),
    click.option(
        "--attestation",
        type=click.Path(dir_okay=False, path_type=Path),
        default=Path("replay.attestation.json"),
        show_default=True,
        help="With --attest: the file to write.",
    ),
    click.option(
        "--round",
        "round_file",
        type=FileOption,
        help="With --attest: the beacon round that draws the games, a drand server's answer in JSON.",
    ),
    policy_option("With --attest: your trust policy (JSON), which says whose log it is."),
    log_option("With --attest: your copy of the log, in which the result is."),
    engine_option,
    click.option(
        "--program",
        "programs",
        multiple=True,
        type=FileOption,
        help="With --attest: a UCI engine that played. Repeatable.",
    ),
    installed_option,
    click.option("--start-programs", is_flag=True, help="With --attest: start memory servers that the bundle names."),
)


OF_ATTESTATION = (
    "round_file",
    "policy",
    "log_folder",
    "attestation",
    "programs",
    "start_programs",
    "installed",
    "engine",
)


class Attesting(NamedTuple):
    """What a replayer gives beside the weights."""

    key: Ed25519PrivateKey
    policy: TrustPolicy
    options: dict[str, Any]


def attest_options(command: Command) -> Command:
    """Add the options of an attestation to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def attesting_of(options: dict[str, Any]) -> Attesting | None:
    """What is needed to attest; None without --attest. Raises WrongUse, KeyFault."""
    if options["attest"] is None:
        _, option = typed_option(*OF_ATTESTATION)
        if option:
            raise WrongUse(f"{option} needs --attest KEY, the key that signs what you find")
        return None
    if not options["policy"] or not options["log_folder"]:
        raise WrongUse("--attest needs --policy FILE and --log FOLDER: the games are drawn after the result was logged")
    if options["seed"]:
        raise WrongUse("--attest draws by a beacon round (--round FILE), so --seed cannot be given")
    require_new(options["attestation"], "--attestation")
    return Attesting(signing_keys.load(options["attest"]), policy_of(options["policy"]), options)


def attest(
    opened: Opened, inputs: GivenWeights, settings: SampleSettings, given: Attesting, tick: Callable[[int], object]
) -> tuple[ReproductionReport, bool]:
    """Ask again what the round draws, and write the signed attestation; whether a memory answered otherwise.

    Raises ManifestError, ModelFault, PortFault.
    """
    options = given.options
    if key_id(given.key.public_key()) == opened.submitter:
        raise ManifestError(
            f"{options['attest']}: expected a key of somebody else than the submitter, found the submitter's"
        )
    challenge = challenge_of(opened, options["round_file"], given.policy, options["log_folder"])
    engine, _ = engine_or_why(options["engine"])
    others, not_asked = other_seats(opened.manifest, engine, options["programs"])
    inputs = inputs._replace(others=others)
    if click.get_current_context().get_parameter_source("sample") is ParameterSource.DEFAULT:
        settings = settings._replace(games=given.policy.replayed_games_min)
    settings = settings._replace(seed=draw_seed(challenge.beacon, opened.sha256), draw=draw_from_all)
    report = ask_again(opened, inputs, settings, time.sleep, tick)
    games = games_by_match(opened, list(report.weights))
    streams = draw_from_all(games, settings.games, report.run, settings.seed).keys()
    places = Places(options["installed"], Path())
    memories = ask_memories(opened, streams, places, consent=options["start_programs"])
    signed = attestation(opened, report, challenge, memories, not_asked, settings.games, given.key)
    write_new(options["attestation"], signed, "--attestation")
    click.echo(f"attestation: {options['attestation']}", err=True)
    differ = [name for name, memory in memories.asked.items() if memory.different]
    for name in differ:
        click.echo(f"memory {name}: a fresh server answers otherwise", err=True)
    return report, bool(differ)
