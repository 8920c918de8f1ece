"""Steps 1 to 5: from a path to a manifest, a statement and dice that belong together."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import msgspec

from .. import bundle
from ..core import canon
from ..core.dice import Dice, seed_root
from ..core.envelope import ENVELOPE_BYTES_MAX, SUBJECT, BadEnvelope, Statement, key_id, load_public_key, open_envelope
from ..core.untrusted_input import SMALL_BYTES_MAX, HostileBundle, Source, open_source, read_small, sha256_of
from ..memory.native_tools import tool_problem
from ..plan.manifest import Manifest, ManifestError, load_manifest, located, prompt_digests
from ..plan.plan_problems import image_parts, local_models, needs_engine, problems
from ..plan.streams import memories_played
from ..protocols import PROTOCOLS
from ..protocols.norms import load_protocol, protocol_sha256
from ..registration.beacon import BeaconRound
from ..systems import MemorySystem
from .check_log import CheckLog, Number
from .limits import Budget

NOTE_BYTES_MAX = 2**21
SALT_SELF = b"agz/seed/self/v1"
_SECRET = re.compile("[0-9a-f]{64}")
TAG_FILES = (bundle.BAGIT_FILE, bundle.INFO_FILE, bundle.PAYLOAD_FILE, bundle.TAGS_FILE)


SMALL_JOURNALS_BYTES: Final = 2**17
"""Below it a replay takes a tenth of a second."""


def worth_starting(jobs: int, journal_bytes: Iterable[int]) -> int:
    """`jobs` processes, or one where journals of these sizes are so small that to start more takes longer."""
    return jobs if sum(journal_bytes) >= SMALL_JOURNALS_BYTES else 1


class Opened(msgspec.Struct, frozen=True):
    """A bundle whose digests, signature, manifest and seed fit together."""

    source: Source
    digests: dict[str, str]
    submitter: str
    statement: Statement
    manifest: Manifest
    dice: Dice
    beacon: BeaconRound | None = None

    @property
    def sha256(self) -> str:
        """The SHA-256 of the payload manifest, which the submitter signed."""
        return self.statement.subject[0].digest.sha256

    @property
    def journal_root(self) -> str:
        """The root over all journals (5.6), as the submitter signed it; step 6 compares."""
        return self.statement.predicate.journal.root

    @property
    def journal_bytes(self) -> Sequence[int]:
        """The size of each file of a journal, compressed."""
        return [size for name, size in self.source.sizes.items() if name.startswith(bundle.JOURNAL_FOLDER)]

    def workers(self, jobs: int) -> int:
        """In how many of `jobs` processes to read the journals."""
        return worth_starting(jobs, self.journal_bytes)

    def payload(self, name: str) -> bytes:
        return read_payload(self.source, self.digests, name)


class Signed(msgspec.Struct, frozen=True):
    """A bundle whose files are those that its submitter signed; nothing of its manifest was read."""

    source: Source
    digests: dict[str, str]
    submitter: str
    statement: Statement


def open_signed(path: Path, log: CheckLog, expected_key_id: str = "") -> Signed:
    """Take steps 1 to 3. Raises StepFailed at the first that fails."""
    with log.step(Number.NAMES):
        source = open_source(path)
        _names(source, log)
    with log.step(Number.PAYLOAD):
        digests = _payload(source, log)
    with log.step(Number.SIGNATURE):
        submitter, statement = _signature(source, digests, log)
        if expected_key_id not in ("", submitter):
            log.add(Number.SIGNATURE, bundle.KEY_FILE, *_another_key(expected_key_id, submitter))
    return Signed(source, digests, submitter, statement)


def open_bundle(path: Path, log: CheckLog, expected_key_id: str = "", budget: Budget | None = None) -> Opened:
    """Take steps 1 to 5, within the time of `budget` where one is given. Raises StepFailed at the first that fails."""
    with log.taking(Number.NAMES), budget.interrupting() if budget else nullcontext():
        return read_manifest(open_signed(path, log, expected_key_id), log)


def read_manifest(signed: Signed, log: CheckLog) -> Opened:
    """Take steps 4 and 5. Raises StepFailed at the first that fails."""
    source, digests, submitter, statement = signed.source, signed.digests, signed.submitter, signed.statement
    with log.step(Number.MANIFEST):
        manifest = _manifest(source, digests, log)
        _pins(manifest, digests, submitter, statement, log)
    with log.step(Number.SEED):
        beacon = _beacon(source, digests, manifest, log)
        dice = _seed(manifest, statement, beacon, log)
    return Opened(source, digests, submitter, statement, manifest, dice, beacon)


KEY_DIGITS = 16
"""Digits of a key's id that are shown: two that differ, differ in these."""


def _another_key(given: str, signer: str) -> tuple[str, str]:
    """Expected and found where a bundle is signed by another key than the one given: fraud, or only the wrong file."""
    advice = "if you took the wrong .pub file, ask the submitter for theirs by another road"
    return f"a signature by the key that you gave, {given[:KEY_DIGITS]}", f"one by key {signer[:KEY_DIGITS]}: {advice}"


def seed_dice(manifest: Manifest, secret: bytes, randomness: bytes = b"") -> Dice:
    """The dice of a run, once its secret is known, and with origin beacon the randomness of its round too.

    Raises ManifestError where the round is missing.
    """
    seed = manifest.plan.seed
    match seed.origin:
        case "self":
            salt = SALT_SELF
        case "season":
            salt = hashlib.sha256(seed.value.encode()).digest()
        case "beacon":
            if not randomness:
                raise ManifestError(f"plan.seed: expected the beacon's round {seed.value}, found none here")
            salt = randomness
    return Dice(seed_root(secret, salt, hashlib.sha256(manifest.bytes).digest()))


def read_payload(source: Source, digests: Mapping[str, str], name: str, bytes_max: int = SMALL_BYTES_MAX) -> bytes:
    """A payload file, whose bytes are checked again because the folder may have changed since."""
    data = read_small(source, name, bytes_max)
    if hashlib.sha256(data).hexdigest() != digests.get(name):
        raise HostileBundle(name, f"sha256 {digests.get(name)}", "other bytes on a second read")
    return data


def _names(source: Source, log: CheckLog) -> None:
    for name in (*TAG_FILES, bundle.ENVELOPE_FILE):
        read_small(source, name)
    admitted = (*TAG_FILES, bundle.ENVELOPE_FILE, *bundle.REGISTRATION_FILES, *bundle.STAMP_FILES)
    for name in source.sizes:
        if not name.startswith("data/") and name not in admitted:
            log.add(Number.NAMES, name, f"only tag files, {bundle.ENVELOPE_FILE} and data/", "another file")


def _payload(source: Source, log: CheckLog) -> dict[str, str]:
    listed = bundle.parse_checksums(read_small(source, bundle.PAYLOAD_FILE))
    if listed is None:
        raise HostileBundle(bundle.PAYLOAD_FILE, "sorted lines as sha256sum writes them", "other lines")
    present = {name for name in source.sizes if name.startswith("data/")}
    for name in sorted(listed.keys() - present):
        log.add(Number.PAYLOAD, name, "a file", "nothing there")
    for name in sorted(present - listed.keys()):
        log.add(Number.PAYLOAD, name, "no file that the payload manifest does not list", "a file")
    for name in sorted(present):
        known = (bundle.JOURNAL_FOLDER, bundle.CALLS_FOLDER, bundle.QUALITY_FOLDER)
        if (
            name not in (*bundle.DOCUMENTS, bundle.BEACON_FILE)
            and not name.startswith(known)
            and not bundle.is_attested(name)
        ):
            log.add(Number.PAYLOAD, name, "only files that this version of the bundle knows", "another file")
    for name in sorted(present & listed.keys()):
        log.same(Number.PAYLOAD, name, f"sha256 {listed[name]}", f"sha256 {sha256_of(source, name)}")
    _tag_files(source, listed, log)
    return listed


def _tag_files(source: Source, listed: dict[str, str], log: CheckLog) -> None:
    if read_small(source, bundle.BAGIT_FILE) != bundle.BAGIT:
        log.add(Number.PAYLOAD, bundle.BAGIT_FILE, "BagIt 1.0", "another text")
    sizes = {name: size for name, size in source.sizes.items() if name.startswith("data/")}
    if read_small(source, bundle.INFO_FILE) != bundle.bag_info(sizes, listed.get(bundle.MANIFEST_FILE, "")):
        log.add(Number.PAYLOAD, bundle.INFO_FILE, "the run and the size of this payload", "another text")
    tags = {name: sha256_of(source, name) for name in (bundle.INFO_FILE, bundle.BAGIT_FILE, bundle.PAYLOAD_FILE)}
    if read_small(source, bundle.TAGS_FILE) != bundle.checksum_lines(tags):
        log.add(Number.PAYLOAD, bundle.TAGS_FILE, "the digests of the other tag files", "other lines")


def _signature(source: Source, digests: dict[str, str], log: CheckLog) -> tuple[str, Statement]:
    try:
        key = load_public_key(read_payload(source, digests, bundle.KEY_FILE))
        statement = open_envelope(read_small(source, bundle.ENVELOPE_FILE, ENVELOPE_BYTES_MAX), key)
    except BadEnvelope as error:
        raise HostileBundle(bundle.ENVELOPE_FILE, error.expected, error.found) from error
    signed = statement.subject[0].digest.sha256
    actual = sha256_of(source, bundle.PAYLOAD_FILE)
    log.same(Number.SIGNATURE, SUBJECT, f"sha256 {signed} as signed", f"sha256 {actual} as signed")
    return key_id(key), statement


def _manifest(source: Source, digests: dict[str, str], log: CheckLog) -> Manifest:
    try:
        manifest = load_manifest(read_payload(source, digests, bundle.MANIFEST_FILE))
    except ManifestError as error:
        raise HostileBundle(bundle.MANIFEST_FILE, "a sealed manifest", str(error)) from error
    _environment(source, digests, manifest, log)
    _weights(source, digests, manifest, log)
    for problem in problems(manifest.plan):
        place = f"{bundle.MANIFEST_FILE} plan.{problem.path}"
        log.add(Number.MANIFEST, place, "a plan that can be run", problem.message)
    return manifest


def _environment(source: Source, digests: dict[str, str], manifest: Manifest, log: CheckLog) -> None:
    """Compare the attested isolation and images with the manifest's. Raises HostileBundle for a malformed file."""
    try:
        document = canon.loads(read_payload(source, digests, bundle.ENVIRONMENT_FILE, bundle.ENVIRONMENT_BYTES_MAX))
        environment = msgspec.convert(document, bundle.Environment)
    except canon.NotCanonical as error:
        raise HostileBundle(bundle.ENVIRONMENT_FILE, "canonical JSON of an environment", str(error)) from error
    except msgspec.ValidationError as error:
        raise HostileBundle(bundle.ENVIRONMENT_FILE, "the fields of an environment", located(error)) from error
    expected = f"isolation {manifest.plan.isolation}"
    log.same(Number.MANIFEST, bundle.ENVIRONMENT_FILE, expected, f"isolation {environment.isolation}")
    started = {(row.part, row.image) for row in environment.containers}
    promised = {(part, pin.config_digest) for part, pin in manifest.images.items()}
    if started != promised:
        log.add(Number.MANIFEST, bundle.ENVIRONMENT_FILE, _listed(promised), _listed(started))


def _names_of(pinned: Iterable[str]) -> str:
    return " ".join(sorted(pinned)) or "none"


def _weights(source: Source, digests: dict[str, str], manifest: Manifest, log: CheckLog) -> None:
    """Each time that the harness hashed the weights of local models, they must have been the sealed ones."""
    if bundle.WEIGHTS_FILE not in digests:
        if local_models(manifest.plan):
            log.add(Number.MANIFEST, bundle.WEIGHTS_FILE, "the weights hashed before and after", "nothing there")
        return
    try:
        document = canon.loads(read_payload(source, digests, bundle.WEIGHTS_FILE, NOTE_BYTES_MAX))
        note = msgspec.convert(document, bundle.WeightsNote)
    except (canon.NotCanonical, msgspec.ValidationError) as error:
        raise HostileBundle(bundle.WEIGHTS_FILE, "canonical JSON of a note on weights", str(error)) from error
    times = {check.when for check in note.checks}
    if local_models(manifest.plan) and times != {"before", "after"}:
        moments = ", ".join(sorted(times)) or "none"
        log.add(Number.MANIFEST, bundle.WEIGHTS_FILE, "the weights hashed before and after", moments)
    for index, check in enumerate(note.checks):
        if check.altered or check.seats != manifest.models:
            found = check.altered or "others"
            log.add(Number.MANIFEST, f"{bundle.WEIGHTS_FILE} checks[{index}]", "the sealed weights", found)


def _listed(images: Collection[tuple[str, str]]) -> str:
    return f"containers from {', '.join(map(' '.join, sorted(images)))}" if images else "no containers"


def _pins(manifest: Manifest, digests: dict[str, str], submitter: str, statement: Statement, log: CheckLog) -> None:
    predicate = statement.predicate
    norm = load_protocol(manifest.plan.protocol).engine
    pinned = f"{manifest.engine.name} {manifest.engine.net_sha256}" if manifest.engine else "none"
    for place, expected, found in (
        ("manifest protocol_sha256", protocol_sha256(manifest.plan.protocol), manifest.protocol_sha256),
        (
            "manifest prompts_sha256",
            canon.digest(prompt_digests(manifest.plan.protocol, manifest.plan.systems.values(), manifest.plan.games)),
            canon.digest(manifest.prompts_sha256),
        ),
        ("manifest engine", f"{norm.name} {norm.net_sha256}" if needs_engine(manifest.plan) else "none", pinned),
        ("manifest images", _names_of(image_parts(manifest.plan)), _names_of(manifest.images)),
        ("manifest memories", _names_of(memories_played(manifest.plan)), _names_of(manifest.memories)),
        ("manifest models", _names_of(local_models(manifest.plan)), _names_of(manifest.models)),
        ("manifest submitter_key_id", submitter, manifest.submitter_key_id),
        ("statement manifest_sha256", digests[bundle.MANIFEST_FILE], predicate.manifest_sha256),
        ("statement run", manifest.run_id, predicate.run),
        ("statement protocol", manifest.plan.protocol, predicate.protocol),
    ):
        log.same(Number.MANIFEST, place, expected, found)
    for name, seat in local_models(manifest.plan).items():
        promised, pin = seat.sha256_wanted, manifest.models.get(name)
        if promised and pin:
            log.same(Number.MANIFEST, f"manifest models.{name}", f"sha256 {promised}", f"sha256 {pin.sha256}")
    for place, problem in native_problems(manifest):
        log.add(Number.MANIFEST, place, "tools that a model can be offered", problem)
    for name, memory in manifest.memories.items():
        system = manifest.plan.systems.get(name)
        if isinstance(system, MemorySystem) and system.is_from_outside:
            sealed = f"adapter sha256 {hashlib.sha256(system.adapter.encode()).hexdigest()}"
            found = f"adapter sha256 {memory.adapter_sha256}"
            log.same(Number.MANIFEST, f"manifest memories.{name}", sealed, found)
    for match in manifest.plan.matches:
        rule = PROTOCOLS[manifest.plan.protocol].phases.get(match.phase)
        pins = [manifest.models.get(name) for name in match.seats]
        if rule and rule.opponent.one_model and len(set(pins)) > 1:
            log.add(Number.MANIFEST, f"manifest models of {match.id}", "the same weights in its seats", "others")


def native_problems(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Place and problem of each sealed tool that a model cannot be offered, of memories with `use: native`."""
    for name, pin in manifest.memories.items():
        system, place = manifest.plan.systems.get(name), f"manifest memories.{name}.native"
        if system is None:
            continue
        if system.offers_native_tools != bool(pin.native):
            yield place, f"{len(pin.native)} with way of use {system.way_of_use}"
        if len({tool.name for tool in pin.native}) < len(pin.native):
            yield place, "one name twice"
        for index, tool in enumerate(pin.native):
            if problem := tool_problem(tool):
                yield f"{place}[{index}]", problem
            elif system.native_effects.get(tool.name) != (tool.effect, tool.text_argument):
                yield f"{place}[{index}]", f"{tool.name}, {tool.effect} by {tool.text_argument!r}, which it is not"
            elif system.known_tools and tool not in system.known_tools:
                yield f"{place}[{index}]", f"{tool.name} in other words than those of the built-in servers"
        if system.known_tools and {tool.name for tool in pin.native} != {tool.name for tool in system.known_tools}:
            yield place, f"{', '.join(tool.name for tool in pin.native) or 'none'} of a built-in server"


def _beacon(source: Source, digests: dict[str, str], manifest: Manifest, log: CheckLog) -> BeaconRound | None:
    """The round that the seed waited for; a signature that fits no chain is a matter of the reader's trust policy."""
    seed = manifest.plan.seed
    if seed.origin != "beacon":
        if bundle.BEACON_FILE in digests:
            log.add(Number.SEED, bundle.BEACON_FILE, f"no round with seed origin {seed.origin}", "a file")
        return None
    if bundle.BEACON_FILE not in digests:
        raise HostileBundle(bundle.BEACON_FILE, f"the round {seed.value}", "nothing there")
    try:
        beacon = canon.loads_as(read_payload(source, digests, bundle.BEACON_FILE, NOTE_BYTES_MAX), BeaconRound)
    except canon.NotCanonical as error:
        raise HostileBundle(bundle.BEACON_FILE, "a round in canonical JSON", str(error)) from error
    log.same(Number.SEED, bundle.BEACON_FILE, f"round {seed.value}", f"round {beacon.seed_value}")
    return beacon


def _seed(manifest: Manifest, statement: Statement, beacon: BeaconRound | None, log: CheckLog) -> Dice:
    claim = statement.predicate.seed
    if not _SECRET.fullmatch(claim.secret):
        raise HostileBundle("statement seed.secret", "a secret of 32 bytes in hexadecimal", "another text")
    secret = bytes.fromhex(claim.secret)
    commit = hashlib.sha256(secret).hexdigest()
    expected = f"a secret with sha256 {manifest.secret_commit}"
    log.same(Number.SEED, "statement seed.secret", expected, f"a secret with sha256 {commit}")
    log.same(Number.SEED, "statement seed.origin", manifest.plan.seed.origin, claim.origin)
    return seed_dice(manifest, secret, beacon.randomness if beacon else b"")
