"""Replays a sample of a bundle: checks the bundle, draws games, asks the same weights again, and reports."""

import secrets
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import msgspec

from agzamov_verify import canon
from agzamov_verify.bundle import NOTES_FOLDER
from agzamov_verify.checks import Options, Verdict, verify
from agzamov_verify.checks.ledger import Ledger
from agzamov_verify.checks.opening import Opened, open_bundle
from agzamov_verify.manifest import Manifest
from agzamov_verify.seats import GgufSeat, LocalModelSeat
from agzamov_verify.workers import cores

from ..containers.places import MODEL
from ..models.determinism import Probing
from ..models.faults import ModelFault
from ..models.machine import this_cpu
from ..models.preflight import FILE, Preflights, SeatOutcome, examine
from ..ports import ChatPort, Wait
from ..world import Builder, concurrency_of
from .asking import Asker
from .recorded import exchanges
from .sample import draw, games_by_match
from .tally import ReplayReport, SeatWeights, tally
from .weights import Given, Held, hold, reached

PREFLIGHT_FILE = f"{NOTES_FOLDER}{FILE}"
REPLAYERS = "a server that the replayer started"
SEED_BYTES = 16
TOGETHER_MAX = 64
NO_ENGINE = "agzamov verify asks the engine; a replay asks the models"


class Wanted(NamedTuple):
    """How much is asked again: so many games, drawn by a seed, and a margin in nats."""

    games: int
    seed: str
    margin: Fraction


class BadBundle(Exception):
    """The bundle does not hold together, so there is nothing to ask again."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__("the bundle failed its checks")
        self.verdict = verdict


def fresh_seed() -> str:
    """Randomness of the replayer's own, which nobody could know before."""
    return secrets.token_hex(SEED_BYTES)


def checked(path: Path) -> Opened:
    """The bundle, after every step that needs no engine. Raises BadBundle."""
    verdict = verify(path, Options(engine=None, engine_missing=NO_ENGINE, jobs=cores()))
    if verdict.failed:
        raise BadBundle(verdict)
    return open_bundle(path, Ledger())


def replay(
    opened: Opened, given: Given, wanted: Wanted, wait: Wait, tick: Callable[[int], object] = lambda _: None
) -> ReplayReport:
    """Ask again and compare. `tick` is told how many answers are to come, after each. Raises ModelFault, PortFault."""
    manifest = opened.manifest
    held = hold(manifest, given)
    games = games_by_match(opened, held)
    asked = list(exchanges(opened, draw(games, wanted.games, manifest.run_id, wanted.seed), held))
    if not asked:
        raise ModelFault(f"{', '.join(held)}: expected games in which they were asked, found none in this bundle")
    with ExitStack() as stack:
        sockets = _served(manifest, held, given, stack)
        served_by = {name: _sealed_image(manifest) if name in sockets else REPLAYERS for name in held}
        given = Given(given.weights, given.at | sockets)
        ports = _ports(manifest, held, given, wait, stack)
        measured = _measured(manifest, ports, given)
        left = len(asked)

        def one_less() -> None:
            nonlocal left
            left -= 1
            tick(left)

        together = min(TOGETHER_MAX, concurrency_of(manifest.plan))
        seats, by_game, first = tally(Asker(manifest.plan, ports, wanted.margin).all(asked, together, one_less))
    return ReplayReport(
        run=manifest.run_id,
        payload_sha256=opened.statement.subject[0].digest.sha256,
        submitter=opened.submitter,
        seed=wanted.seed,
        games_in_bundle=sum(map(len, games.values())),
        margin_nats=str(float(wanted.margin)),
        weights={name: _weights(held[name], measured.get(name), served_by[name]) for name in held},
        not_asked=tuple(sorted(set(manifest.plan.playing) - set(held))),
        seats=seats,
        games=by_game,
        first_difference=first,
        cpu_flags_same=_same_cpu(opened),
    )


def _served(manifest: Manifest, held: Mapping[str, Held], given: Given, stack: ExitStack) -> dict[str, str]:
    """Where the weights are served that nobody serves yet: by the image that the run was sealed with."""
    sockets = {}
    for name in held:
        seat = manifest.plan.seats[name]
        if isinstance(seat, GgufSeat) and name not in given.at:
            from .serving import served_by_image  # noqa: PLC0415 - only this needs the container engine's client

            sockets[name] = stack.enter_context(served_by_image(manifest, name, seat, given.weights[name]))
    return sockets


def _ports(
    manifest: Manifest, held: Mapping[str, Held], given: Given, wait: Wait, stack: ExitStack
) -> dict[str, ChatPort]:
    builder = Builder(None, None, wait, given.at)
    ports = {name: builder.seat(name, reached(manifest.plan.seats[name])) for name in held}
    for port in ports.values():
        stack.callback(port.close)
    return ports


def _measured(manifest: Manifest, ports: Mapping[str, ChatPort], given: Given) -> dict[str, SeatOutcome]:
    """What the preflight measures of each local server: whether a difference can mean anything at all."""
    outcomes = {}
    for name, port in ports.items():
        if isinstance(manifest.plan.seats[name], LocalModelSeat):
            assert isinstance(port, Probing), f"the port of {name} cannot be probed"
            outcomes[name] = examine(manifest, name, port, given.at[name])
    return outcomes


def _weights(held: Held, outcome: SeatOutcome | None, served_by: str) -> SeatWeights:
    server = f"{outcome.server.kind} {outcome.server.version}" if outcome else "an endpoint"
    return SeatWeights(held.sha256, held.witness, server, served_by, outcome.same if outcome else None)


def _sealed_image(manifest: Manifest) -> str:
    return f"the sealed image, sha256 {manifest.images[MODEL].config_digest}"


def _same_cpu(opened: Opened) -> bool | None:
    """Whether this processor has the flags that the run's had; None where the bundle does not say."""
    if PREFLIGHT_FILE not in opened.digests:
        return None
    try:
        notes = canon.loads_as(opened.payload(PREFLIGHT_FILE), Preflights)
    except canon.NotCanonical:
        return None
    here = this_cpu().flags
    return all(sitting.cpu.flags == here for sitting in notes.sittings) if notes.sittings else None


def as_json(report: ReplayReport) -> bytes:
    """The report in canonical JSON."""
    return canon.dumps(msgspec.to_builtins(report))
