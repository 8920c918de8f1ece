"""A signed replay attestation: what was asked again of a bundle, how many answers agreed, and on which machine."""

from collections.abc import Collection
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.attestations.replay_statement import (
    Counts,
    Machine,
    Replayed,
    ReplayedMemory,
    ReplayedSeat,
    ReplayStatement,
)
from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import SUBJECT, Digest, Subject, sign_payload
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.streams import memory_stores

from ..foundation.program_and_machine import about_machine, source_version
from ..memory.launch import HERE, Places
from ..ports import PortFault
from ..run.seal_signature import public_pem
from .challenge import Challenge
from .memory_replay import programs_of, replay_streams
from .replay_report import AnswerCounts, ReproductionReport

LINE_MAX = 200
NOT_STARTED = "its server is a program that the bundle names; the replayer did not start it (--start-programs)"


class AskedMemories(NamedTuple):
    """Memories that fresh servers answered for, by "stream name", and why others were not asked."""

    asked: dict[str, ReplayedMemory]
    not_asked: dict[str, str]


def ask_memories(opened: Opened, streams: Collection[str], places: Places = HERE, *, consent: bool) -> AskedMemories:
    """Ask fresh servers all questions of the memories in these streams. Raises Divergence, BrokenJournal."""
    asked, not_asked = dict[str, ReplayedMemory](), dict[str, str]()
    if not consent and programs_of(opened.manifest, places):
        stores = [store for store in memory_stores(opened.manifest.plan) if store.stream in streams]
        return AskedMemories({}, {store.to: NOT_STARTED for store in stores})
    for store, outcome in replay_streams(opened, streams, places):
        if isinstance(outcome, PortFault):
            not_asked[store.to] = str(outcome)
        else:
            memory = ReplayedMemory(outcome.asked, int(bool(outcome.place)), outcome.unlike)
            asked[f"{store.stream} {store.to}"] = memory
    return AskedMemories(asked, not_asked)


def attestation(
    opened: Opened,
    report: ReproductionReport,
    challenge: Challenge,
    memories: AskedMemories,
    not_asked: dict[str, str],
    sample: int,
    key: Ed25519PrivateKey,
) -> bytes:
    """The attestation, signed by the replayer's key. `not_asked`: seats by name, each with its reason."""
    seats = {
        name: ReplayedSeat(
            _counts(report.seats.get(name, AnswerCounts())),
            weights.function_of_request,
            _line(weights.served_by),
            _line(weights.server),
            weights.sha256,
            _line(weights.witness),
        )
        for name, weights in report.weights.items()
    }
    reasons = {
        name: not_asked.get(name, "its weights were not given") for name in report.not_asked
    } | memories.not_asked
    replayed = Replayed(
        beacon=challenge.beacon,
        end_proof=challenge.end_proof,
        games={game: _counts(counts) for game, counts in report.games.items()},
        games_in_bundle=report.games_in_bundle,
        key=public_pem(key).decode(),
        machine=_machine(report),
        margin_nats=f"{float(report.margin_nats):.6f}".rstrip("0").rstrip("."),
        memories=memories.asked,
        not_asked={name: _line(reason) for name, reason in reasons.items()},
        program=_line(f"agzamov, {source_version()}"),
        run=report.run,
        sample=sample,
        seats=seats,
    )
    subject = Subject(Digest(opened.sha256), SUBJECT)
    return sign_payload(canon.dumps(ReplayStatement(predicate=replayed, subject=(subject,))), key)


def _counts(counts: AnswerCounts) -> Counts:
    return Counts(counts.counted_otherwise, counts.different, counts.same, counts.within_margin)


def _machine(report: ReproductionReport) -> Machine:
    found = about_machine()
    cores = found["cores"]
    assert isinstance(cores, int)
    lines = (_line(str(found[name])) for name in ("machine", "release", "system"))
    return Machine(cores, _line(str(found["cpu"])), report.cpu_flags_same, *lines)


def _line(text: str) -> str:
    return printable(text)[:LINE_MAX]
