"""Signatures of images: a DSSE envelope over the provenance statement, by an Ed25519 key.

    build/images/<name>.provenance.dsse.json

The statement names the image, its record, its bill of materials and its pin by digest, so that one signature is over
all of them. The envelope is the one that bundles use, which other tools of in-toto read too.
"""

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from agzamov_harness.containers.image_records import Different, ImageFault, ImageRecord
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import BadEnvelope, load_public_key, open_payload, sign_payload

from . import image_files
from .provenance import bill_path, provenance_path, subjects

SIGNED_BYTES_MAX = 2**24


def envelope_path(folder: Path, name: str) -> Path:
    """Path of an image's signature, a DSSE envelope."""
    return folder / f"{name}.provenance.dsse.json"


def public_key(path: Path) -> Ed25519PublicKey:
    """The key in a file. Raises ImageFault."""
    try:
        return load_public_key(_read(path))
    except BadEnvelope as error:
        raise ImageFault(f"{path}: {error}") from error


def sign(folder: Path, record: ImageRecord, key: Ed25519PrivateKey) -> Path:
    """Sign an image as it was built in `folder`. Raises ImageFault where the statement is of another build."""
    payload = _read(provenance_path(folder, record.name))
    _require_subjects(folder, record, payload)
    path = envelope_path(folder, record.name)
    path.write_bytes(sign_payload(payload, key))
    return path


def require_signed(folder: Path, record: ImageRecord, key: Ed25519PublicKey) -> None:
    """Raises Different unless `key` signed the statement, and the statement is of this record and these files."""
    path = envelope_path(folder, record.name)
    try:
        payload = open_payload(_read(path), key)
    except BadEnvelope as error:
        raise Different(f"{path}: {error}") from error
    statement = provenance_path(folder, record.name)
    if _read(statement) != payload:
        raise Different(f"{statement}: expected the statement that is signed in {path.name}, found another")
    _require_subjects(folder, record, payload)


def require_pin_signed(images: Path, record: ImageRecord) -> None:
    """Raises Different unless the committed pin, if there is one, is the file that the record's statement names."""
    path = image_files.pin_path(images, record.name, record.architecture)
    expected = image_files.pin_bytes(record.pin)
    if path.is_file() and path.read_bytes() != expected:
        raise Different(f"{path}: expected the pin that the signed statement names, found another")


def _require_subjects(folder: Path, record: ImageRecord, payload: bytes) -> None:
    """Raises Different unless a statement names this record and the files beside it."""
    path = provenance_path(folder, record.name)
    try:
        named = canon.loads(payload)
    except canon.NotCanonical as error:
        raise Different(f"{path}: {error}") from error
    actual = named.get("subject") if isinstance(named, dict) else None
    expected = subjects(record, _read(bill_path(folder, record.name)))
    if actual != expected:
        rows = actual if isinstance(actual, list) else []
        names = [str(subject["name"]) for subject in expected if isinstance(subject, dict) and subject not in rows]
        raise Different(
            f"{path}: expected a statement about {', '.join(names) or 'these files'} as they are, found others"
        )


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as opened:
            content = opened.read(SIGNED_BYTES_MAX + 1)
    except OSError as error:
        raise ImageFault(f"{path}: {error.strerror}") from error
    if len(content) > SIGNED_BYTES_MAX:
        raise ImageFault(f"{path}: expected at most {SIGNED_BYTES_MAX} bytes, found more")
    return content
