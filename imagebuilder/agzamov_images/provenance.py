"""The provenance of an image: an in-toto statement with SLSA's provenance predicate, version 1.

It names the packages, the locks and the commit that the image was built from. Its subjects are the image and the
files about it, so a signature over it (see signing) is one over all of them:

    agzamov/<name>                 the OCI manifest
    <name>.json  <name>.cdx.json   the record, the bill of materials
    pin.<architecture>.json        the pin, as `agzamov images pin` writes it

It holds no time and no machine. Who vouches for it is said by a signature alone.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from agzamov_harness.containers.image_records import ImageRecord
from agzamov_harness.foundation.program_and_machine import UNKNOWN, SourceVersion
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import STATEMENT_TYPE

from . import image_files
from .components import Component

BUILD_TYPE = "urn:agzamov:image-build:1"
BUILDER = "urn:agzamov:images-build"
PREDICATE_TYPE = "https://slsa.dev/provenance/v1"


class Origin(NamedTuple):
    """Inputs of an image's build: its packages, the SHA-256 of its lock files by path, and the source."""

    components: tuple[Component, ...]
    locks: Mapping[str, str]
    source: SourceVersion


def provenance_path(folder: Path, name: str) -> Path:
    """Path of the provenance statement."""
    return folder / f"{name}.provenance.json"


def bill_path(folder: Path, name: str) -> Path:
    """Path of the bill of materials, in CycloneDX format."""
    return folder / f"{name}.cdx.json"


def statement(record: ImageRecord, bill: bytes, origin: Origin) -> bytes:
    """The statement of an image, as canonical JSON."""
    source = origin.source
    parameters = {"inputs": record.inputs_digest, "config": record.config_digest, "modified": source.modified}
    definition = {
        "buildType": BUILD_TYPE,
        "externalParameters": {"image": record.name, "architecture": record.architecture},
        "internalParameters": parameters,
        "resolvedDependencies": [*_source(source), *_locks(origin.locks), *_packages(origin.components)],
    }
    builder = {"id": BUILDER, "version": {"agzamov-harness": source.harness}}
    return canon.dumps(
        {
            "_type": STATEMENT_TYPE,
            "subject": subjects(record, bill),
            "predicateType": PREDICATE_TYPE,
            "predicate": {"buildDefinition": definition, "runDetails": {"builder": builder}},
        }
    )


def subjects(record: ImageRecord, bill: bytes) -> list[canon.Json]:
    """The image and the files about it, by name and digest."""
    files = {
        f"{record.name}.json": canon.dumps(record),
        f"{record.name}.cdx.json": bill,
        f"pin.{record.architecture}.json": image_files.pin_bytes(record.pin),
    }
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    named = {f"agzamov/{record.name}": record.manifest_digest, **digests}
    return [{"name": name, "digest": {"sha256": digest}} for name, digest in named.items()]


def _source(source: SourceVersion) -> list[canon.Json]:
    """The commit, in in-toto's words; nothing where it is not known."""
    known = source.commit != UNKNOWN
    return [{"name": "source", "digest": {"gitCommit": source.commit}}] if known else []


def _locks(locks: Mapping[str, str]) -> list[canon.Json]:
    return [{"name": name, "digest": {"sha256": digest}} for name, digest in sorted(locks.items())]


def _packages(components: tuple[Component, ...]) -> list[canon.Json]:
    fetched = [component for component in sorted(set(components)) if not component.within]
    return [{"uri": component.purl, "digest": {component.algorithm: component.value}} for component in fetched]
