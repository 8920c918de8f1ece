"""What is fuzzed: each reader of foreign bytes may refuse in its own words, and may do nothing else."""

import io
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from agzamov_harness.adapters.completion import NotACompletion, read_completion, read_ollama
from agzamov_harness.models.ollama_store import layers_of
from agzamov_harness.ports import ModelFault
from agzamov_harness.run.plan_file import plan_from_yaml
from agzamov_verify.bundle import checksum_lines, parse_checksums
from agzamov_verify.core import canon, journal
from agzamov_verify.core.envelope import BadEnvelope, load_public_key, open_envelope
from agzamov_verify.core.journal import BrokenJournal, Chain
from agzamov_verify.core.untrusted_input import HostileBundle, TarSource, gzip_lines, read_small
from agzamov_verify.plan.manifest import ManifestError, load_manifest
from agzamov_verify.scoring import call_records
from agzamov_verify.scoring.quality import quality_questions

RAW_BYTES_MAX, LINE_BYTES_MAX = 2**20, 2**12
TEST_KEY = b"""-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
"""


def plan(data: bytes) -> None:
    """A plan that a person wrote."""
    try:
        plan_from_yaml(data, Path())
    except ManifestError as error:
        assert str(error), "an empty message"  # noqa: PT017 - a refusal must say something


def sealed(data: bytes) -> None:
    """A sealed manifest: what is accepted encodes back to its bytes."""
    with suppress(ManifestError):
        assert load_manifest(data).bytes == data


def line(data: bytes) -> None:
    """A journal line: what is accepted encodes back to its bytes and is canonical JSON."""
    try:
        entry = Chain("0" * 16, "s").read(data)
    except BrokenJournal:
        return
    assert journal.encode(entry) == data
    canon.loads(data)


def document(data: bytes) -> None:
    """Canonical JSON."""
    with suppress(canon.NotCanonical):
        assert canon.dumps(canon.loads(data)) == data


def envelope(data: bytes) -> None:
    """A DSSE envelope; nothing that is fuzzed is signed by our key."""
    try:
        open_envelope(data, load_public_key(TEST_KEY))
    except BadEnvelope:
        return
    raise AssertionError("accepted what nobody signed")


def public_key(data: bytes) -> None:
    """A public key in PEM."""
    with suppress(BadEnvelope):
        load_public_key(data)


def tar(data: bytes) -> None:
    """A bundle as a tar: every file that is listed can be read to its listed size."""
    with _file(data) as path:
        try:
            source = TarSource(path)
            for name, size in source.sizes.items():
                assert len(read_small(source, name)) == size
        except HostileBundle:
            pass


def gzip(data: bytes) -> None:
    """A journal segment: lines come out within the limits."""
    try:
        for one in gzip_lines(_Bytes(data), "segment", "0" * 64, LINE_BYTES_MAX, RAW_BYTES_MAX):
            assert len(one) <= LINE_BYTES_MAX
    except HostileBundle:
        pass


def checksums(data: bytes) -> None:
    """A payload manifest: what is accepted is written the same way again."""
    digests = parse_checksums(data)
    assert digests is None or checksum_lines(digests) == data


def judgement(data: bytes) -> None:
    """A line of the engine's answers about moves: what is accepted is canonical JSON."""
    with suppress(canon.NotCanonical):
        assert quality_questions.encode(quality_questions.decode(data)) == data
        canon.loads(data)


def completion(data: bytes) -> None:
    """A model server's answer, in both of its forms: what is accepted has text and tokens that are bytes."""
    for read in (read_completion, read_ollama):
        with suppress(NotACompletion):
            said = read(data)
            assert isinstance(said.text, str)
            assert all(isinstance(token.piece, bytes) for token in said.tokens)


def call(data: bytes) -> None:
    """A line of a file of calls: what is accepted encodes back to its bytes and is canonical JSON."""
    with suppress(msgspec.MsgspecError, ValueError):
        assert call_records.encode(call_records.decode(data)) == data
        canon.loads(data)


def stored_model(data: bytes) -> None:
    """An Ollama model's manifest: what is accepted names blobs by digests that are no paths."""
    with suppress(ModelFault):
        assert not any(set(layer.digest) & {"/", ".", "\0"} for layer in layers_of(Path("manifest"), data))


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        plan,
        sealed,
        line,
        document,
        envelope,
        public_key,
        tar,
        gzip,
        checksums,
        judgement,
        completion,
        call,
        stored_model,
    )
}


class _Bytes:
    """A source of one file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.sizes = {"segment": len(data)}

    def open(self, name: str) -> io.BytesIO:
        assert name in self.sizes
        return io.BytesIO(self._data)


class _file:  # noqa: N801 - used like a function
    """Bytes as a file in memory where there is /dev/shm."""

    def __init__(self, data: bytes) -> None:
        folder = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108 - speed only
        descriptor, name = tempfile.mkstemp(dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        self._path = Path(name)

    def __enter__(self) -> Path:
        return self._path

    def __exit__(self, *_: object) -> None:
        self._path.unlink()
