"""Reproduce a sample of a bundle's answers: check the bundle, draw games, ask the same open weights again, and report.

The weights are those of whoever asks again: hashed, compared with the bundle's pins, and served or found at an address.
An address, a key's name or a path is never taken from the bundle: whoever made it must not choose whom we ask.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from agzamov_verify.bundle import NOTES_FOLDER
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.drawn_games import Drawn, draw, games_by_match
from agzamov_verify.checks.opened_bundle import Opened, open_bundle
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core import canon
from agzamov_verify.core.workers import cores
from agzamov_verify.plan.manifest import Manifest, ModelPin
from agzamov_verify.seats import LocalModelSeat, ModelSeat, Seat

from ..build_ports import Builder, concurrency_of
from ..containers.container_paths import MODEL
from ..foundation.program_and_machine import this_cpu
from ..models.determinism import Probing
from ..models.preflight import FILE, Preflights, SeatOutcome, examine
from ..ports import ChatPort, ModelFault, Wait
from ..seat_kind import PortInputs, local_kind_of
from .compare_answers import Asker, exchanges
from .other_seats import HERE, OtherSeat
from .replay_report import NOT_PINNED, ReproductionReport, SeatWeights, tally

Draw: TypeAlias = Callable[[Mapping[str, Sequence[tuple[str, str]]], int, str, str], Drawn]


class GivenWeights(NamedTuple):
    """Inputs of whoever asks again, by seat: weights (a GGUF file, or Ollama's folder), and where they are served.

    `others`: seats without weights that are asked again too.
    """

    weights: Mapping[str, Path]
    addresses: dict[str, str]
    others: Mapping[str, OtherSeat] = MappingProxyType({})


class Held(NamedTuple):
    """One seat's weights as they were checked."""

    sha256: str
    witness: str


def hold(manifest: Manifest, inputs: GivenWeights) -> dict[str, Held]:
    """The seats that can be asked again, their weights checked against the pins. Raises ModelFault."""
    playing = manifest.plan.playing
    for name in sorted({*inputs.weights, *inputs.addresses}):
        if not isinstance(playing.get(name), ModelSeat):
            names = ", ".join(seat for seat, kind in playing.items() if isinstance(kind, ModelSeat))
            raise ModelFault(f"{name}: expected a seat of this run that a model plays ({names or 'there is none'})")
    seats_named = {name: seat for name, seat in playing.items() if name in {*inputs.weights, *inputs.addresses}}
    return {name: _held(name, seat, manifest.models.get(name), inputs) for name, seat in seats_named.items()}


def _held(name: str, seat: Seat, pin: ModelPin | None, inputs: GivenWeights) -> Held:
    if not isinstance(seat, LocalModelSeat):
        if name in inputs.weights or name not in inputs.addresses:
            raise ModelFault(
                f"{name}: an endpoint played it, and no weights are pinned: give --at {name}=ADDRESS alone"
            )
        return Held("", NOT_PINNED)
    if pin is None:
        if name not in inputs.addresses:
            raise ModelFault(f"{name}: the bundle pins no weights of it: give --at {name}=ADDRESS")
        return Held("", NOT_PINNED)
    try:
        given_pin, witness = local_kind_of(seat).weights_given(
            seat, inputs.weights.get(name), inputs.addresses.get(name, "")
        )
    except ModelFault as error:
        raise ModelFault(f"{name}: {error}") from error
    if given_pin != pin:
        expected, actual = (f"sha256 {either.sha256}, {either.size_bytes} bytes" for either in (pin, given_pin))
        raise ModelFault(f"{name}: expected the weights that the bundle pins ({expected}), found {actual}")
    return Held(given_pin.sha256, witness)


PREFLIGHT_FILE = f"{NOTES_FOLDER}{FILE}"
OWN_SERVER = "a server that the replayer started"
SEED_BYTES = 16
TOGETHER_MAX = 64
NO_ENGINE = "agzamov verify asks the engine; a replay asks the models"


class SampleSettings(NamedTuple):
    """Extent of the sample: the number of games, the seed of their draw, and a margin in nats.

    `draw`: from each match in turn, or from all together.
    """

    games: int
    seed: str
    margin: Fraction
    draw: Draw = draw


class BadBundle(Exception):
    """The bundle fails its checks, so there is nothing to ask again."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__("the bundle failed its checks")
        self.verdict = verdict


def fresh_seed() -> str:
    """Fresh randomness, which nobody could know before."""
    return secrets.token_hex(SEED_BYTES)


def checked(path: Path) -> Opened:
    """The bundle, after every step that needs no engine. Raises BadBundle."""
    verdict = verify(path, Options(engine=None, engine_missing=NO_ENGINE, jobs=cores()))
    if verdict.failed:
        raise BadBundle(verdict)
    return open_bundle(path, CheckLog())


def ask_again(
    opened: Opened,
    inputs: GivenWeights,
    settings: SampleSettings,
    wait: Wait,
    tick: Callable[[int], object] = lambda _: None,
) -> ReproductionReport:
    """Ask again and compare. `tick` gets the number of answers to come, after each. Raises ModelFault, PortFault."""
    manifest = opened.manifest
    weights_held = hold(manifest, inputs)
    asked = [*weights_held, *inputs.others]
    games = games_by_match(opened, asked)
    drawn = settings.draw(games, settings.games, manifest.run_id, settings.seed)
    exchanges_drawn = list(exchanges(opened, drawn, asked))
    if not exchanges_drawn:
        raise ModelFault(f"{', '.join(asked)}: expected seats that play in this bundle, found no game of theirs")
    with ExitStack() as stack:
        sockets = _served(manifest, weights_held, inputs, stack)
        served_by = {name: _our_server(manifest) if name in sockets else OWN_SERVER for name in weights_held}
        inputs = inputs._replace(addresses=inputs.addresses | sockets)
        ports = _ports(manifest, weights_held, inputs, wait, stack)
        measured = _measured(manifest, ports, inputs)
        answers_to_come = len(exchanges_drawn)

        def one_less() -> None:
            nonlocal answers_to_come
            answers_to_come -= 1
            tick(answers_to_come)

        together = min(TOGETHER_MAX, concurrency_of(manifest.plan))
        seats, by_game, first = tally(
            Asker(manifest.plan, ports, settings.margin).all(exchanges_drawn, together, one_less)
        )
    return ReproductionReport(
        run=manifest.run_id,
        payload_sha256=opened.statement.subject[0].digest.sha256,
        submitter=opened.submitter,
        seed=settings.seed,
        games_in_bundle=sum(map(len, games.values())),
        margin_nats=str(float(settings.margin)),
        weights={name: _weights(weights_held[name], measured.get(name), served_by[name]) for name in weights_held}
        | {name: SeatWeights(one.sha256, one.witness, one.server, HERE, None) for name, one in inputs.others.items()},
        not_asked=tuple(sorted(set(manifest.plan.playing) - set(asked))),
        seats=seats,
        games=by_game,
        first_difference=first,
        cpu_flags_same=_same_cpu(opened),
    )


def _served(
    manifest: Manifest, weights_held: Mapping[str, Held], inputs: GivenWeights, stack: ExitStack
) -> dict[str, str]:
    """Serve the weights that are not served yet, by the run's sealed image or else here; returns the sockets."""
    sockets = {}
    for name in weights_held:
        seat = manifest.plan.seats[name]
        if isinstance(seat, LocalModelSeat) and seat.server_url is None and name not in inputs.addresses:
            serving = local_kind_of(seat).served_as_sealed(manifest, name, seat, inputs.weights[name])
            sockets[name] = stack.enter_context(serving)
    return sockets


def _ports(
    manifest: Manifest, weights_held: Mapping[str, Held], inputs: GivenWeights, wait: Wait, stack: ExitStack
) -> dict[str, ChatPort]:
    builder = Builder(PortInputs(None, None, wait, inputs.addresses, {}))
    ports = {}
    for name in weights_held:
        seat = manifest.plan.seats[name]
        assert isinstance(seat, ModelSeat)
        ports[name] = builder.seat(name, seat.without_key())
    for name, other in inputs.others.items():
        ports[name] = Builder(PortInputs(None, other.engine, wait, {}, {})).seat(name, other.seat)
    for port in ports.values():
        stack.callback(port.close)
    return ports


def _measured(manifest: Manifest, ports: Mapping[str, ChatPort], inputs: GivenWeights) -> dict[str, SeatOutcome]:
    """Run the preflight on each local server: differences mean nothing if its answers are not deterministic."""
    outcomes = {}
    for name, port in ports.items():
        if isinstance(manifest.plan.seats[name], LocalModelSeat):
            assert isinstance(port, Probing), f"the port of {name} cannot be probed"
            outcomes[name] = examine(manifest, name, port, inputs.addresses[name])
    return outcomes


def _weights(seat_weights: Held, outcome: SeatOutcome | None, served_by: str) -> SeatWeights:
    server = f"{outcome.server.kind} {outcome.server.version}" if outcome else "an endpoint"
    return SeatWeights(seat_weights.sha256, seat_weights.witness, server, served_by, outcome.same if outcome else None)


def _our_server(manifest: Manifest) -> str:
    """What serves the weights that are not served yet."""
    pin = manifest.images.get(MODEL)
    return f"the sealed image, sha256 {pin.config_digest}" if pin else "llama.cpp as it is installed here"


def _same_cpu(opened: Opened) -> bool | None:
    """True if this processor has the flags that the run's had; None if the bundle does not say."""
    if PREFLIGHT_FILE not in opened.digests:
        return None
    try:
        notes = canon.loads_as(opened.payload(PREFLIGHT_FILE), Preflights)
    except canon.NotCanonical:
        return None
    own_flags = this_cpu().flags
    return all(execution.cpu.flags == own_flags for execution in notes.executions) if notes.executions else None
