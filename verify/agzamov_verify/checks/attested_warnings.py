"""Warnings from what a bundle says of its own machine: environment, notes, logs. All of it is attested, none trusted.

A file that cannot be read is a warning itself. Nothing here changes a level: whoever owns the machine writes these
files, so they can speak against a run, never for it.
"""

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from .. import bundle
from ..core import canon
from ..core.untrusted_input import HostileBundle, show_name
from ..plan.manifest import Manifest
from ..plan.plan_problems import local_models
from ..seats import Determinism
from .opened_bundle import NOTE_BYTES_MAX, Opened

PREFLIGHT_FILE: Final = f"{bundle.NOTES_FOLDER}preflight.json"
MEMORY_MODELS_FILE: Final = f"{bundle.NOTES_FOLDER}memory_models.jsonl"
SERVERS_WORD: Final = "the server's word"
LOG_BYTES_MAX, LOGS_BYTES_MAX, WARNINGS_MAX = 2**22, 2**26, 20
COMMIT_DIGITS: Final = 12
REQUESTS_MIN: Final = 2
"""Of a preflight that shows anything: one answer may be the same whatever was asked before it."""
REQUESTS_MAX: Final = 500_000
"""Greatest number of requests in the proxy's logs that are read."""
PORTS: Final = {"http": 80, "https": 443}
_CONNECT = re.compile(rb"CONNECT ([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):([0-9]{1,5})")


class _Round(msgspec.Struct):
    texts_same: int
    logprobs_same: int | None = None


class _Outcome(msgspec.Struct):
    requests: int
    rounds: tuple[_Round, ...]
    answers_sha256: str

    def same(self, measured: "list[_Outcome]") -> bool:
        """Whether all rounds of some requests gave the same answers, and every one in `measured` of as many gave these.

        Without a round of its own, one in `measured` must have given these.
        """
        answers = [repeat.texts_same for repeat in self.rounds] + [
            repeat.logprobs_same for repeat in self.rounds if repeat.logprobs_same is not None
        ]
        alike = [other.answers_sha256 == self.answers_sha256 for other in measured if other.requests == self.requests]
        if self.rounds:
            return self.requests >= REQUESTS_MIN and all(count == self.requests for count in answers) and all(alike)
        return any(alike)


class _Execution(msgspec.Struct):
    seats: dict[str, _Outcome]


class _Preflights(msgspec.Struct):
    executions: tuple[_Execution, ...]


class _Check(msgspec.Struct):
    witness: dict[str, str] = {}


class _Weights(msgspec.Struct):
    checks: tuple[_Check, ...]


def attested_warnings(opened: Opened) -> tuple[str, ...]:
    """Warnings from the attested files, one sentence each."""
    warnings: list[str] = []
    for part in (_programs, _environment, _preflight, _memory_models, _weights, _proxy):
        try:
            warnings.extend(part(opened))
        except (HostileBundle, canon.NotCanonical, msgspec.ValidationError) as error:
            warnings.append(f"a file of the machine cannot be read: {show_name(str(error))}")
    return tuple(dict.fromkeys(warnings))[:WARNINGS_MAX]


def _note(opened: Opened, name: str, kind: type[Any]) -> Any:
    return msgspec.convert(canon.loads(_payload(opened, name)), kind)


def _payload(opened: Opened, name: str, bytes_max: int = NOTE_BYTES_MAX) -> bytes:
    if opened.source.sizes.get(name, 0) > bytes_max:
        raise HostileBundle(name, f"at most {bytes_max} bytes", f"{opened.source.sizes[name]} bytes")
    return opened.payload(name)


def _programs(opened: Opened) -> Iterator[str]:
    """Warning of a program whose source was no commit's, as it said itself."""
    environment = _note(opened, bundle.ENVIRONMENT_FILE, bundle.Environment)
    programs = {"sealed": environment.sealed_by, "packed": environment.packed_by}
    changed = {what: program for what, program in programs.items() if program.modified}
    if changed:
        commits = " and ".join(dict.fromkeys(program.commit[:COMMIT_DIGITS] for program in changed.values()))
        what = " and ".join(changed)
        yield f"the program that {what} this run had changes that are in no commit (beside {commits}), by its own word"


def _environment(opened: Opened) -> Iterator[str]:
    if opened.manifest.plan.isolation != "container":
        return
    for row in _note(opened, bundle.ENVIRONMENT_FILE, bundle.Environment).containers:
        if row.oom_killed:
            yield f"container {show_name(row.name)} ran out of memory during the run"
        if row.network == "host":
            yield f"container {show_name(row.name)} was on the network of its host: it was not kept from anything"


def _preflight(opened: Opened) -> Iterator[str]:
    """A warning for each local model whose answers no preflight shows to be a function of the request alone."""
    seats = local_models(opened.manifest.plan)
    is_recorded = PREFLIGHT_FILE in opened.digests
    executions = _note(opened, PREFLIGHT_FILE, _Preflights).executions if is_recorded else ()
    for name, seat in seats.items():
        outcomes = [execution.seats[name] for execution in executions if name in execution.seats]
        if not outcomes:
            yield f"seat {name}: no preflight in the bundle, so nothing shows whether its answers can be repeated"
        elif not all(outcome.same([other for other in outcomes if other.rounds]) for outcome in outcomes):
            strict = seat.determinism is Determinism.STRICT
            promised = ", though the plan promises it (strict)" if strict else ""
            yield f"seat {name}: the same requests got other answers in the preflight{promised}"


def _memory_models(opened: Opened) -> Iterator[str]:
    """A warning for each memory that asks models, where no request of any is recorded."""
    for name in opened.manifest.plan.systems_played:
        url = opened.manifest.plan.systems[name].models_url
        if url and MEMORY_MODELS_FILE not in opened.digests:
            yield f"system {name}: its server asks models at {url}, and no such request is in the bundle"


def _weights(opened: Opened) -> Iterator[str]:
    if bundle.WEIGHTS_FILE not in opened.digests:
        return
    checks = _note(opened, bundle.WEIGHTS_FILE, _Weights).checks
    for name in sorted({name for check in checks for name, word in check.witness.items() if word == SERVERS_WORD}):
        yield f"seat {show_name(name)}: the harness did not hash its weights: their digest is the server's word only"


def _proxy(opened: Opened) -> Iterator[str]:
    """Hosts in the proxy's log that no seat of the plan names."""
    allowed, strange = set(_addresses(opened.manifest)), set[tuple[str, int]]()
    for number, address in enumerate(_requests(opened)):
        if number == REQUESTS_MAX:
            yield f"the proxy's logs name more than {REQUESTS_MAX:,} requests: the others were not read"
            return
        if address not in allowed and address not in strange:
            yield f"the proxy's log names {address[0]}:{address[1]}, which is the address of no seat"
            strange.add(address)
            if len(strange) == WARNINGS_MAX:
                return


def _requests(opened: Opened) -> Iterator[tuple[str, int]]:
    """Host and port of every request, one log after the other."""
    names = [name for name in sorted(opened.digests) if _is_proxys(name)]
    if sum(opened.source.sizes[name] for name in names) > LOGS_BYTES_MAX:
        raise HostileBundle("the proxy's logs", f"at most {LOGS_BYTES_MAX} bytes", "more")
    for name in names:
        for request in _CONNECT.finditer(_payload(opened, name, LOG_BYTES_MAX)):
            yield request[1].decode().strip("[]").lower(), int(request[2])


def _is_proxys(name: str) -> bool:
    return name.startswith(bundle.LOGS_FOLDER) and name.rpartition("/")[2].startswith("proxy")


def _addresses(manifest: Manifest) -> Iterator[tuple[str, int]]:
    for seat in manifest.plan.playing.values():
        if seat.is_hosted:
            parts = urlsplit(seat.server_url or "")
            yield (parts.hostname or "", parts.port or PORTS.get(parts.scheme, 0))
