"""Replies of time-stamp authorities, by the library rfc3161-client, which is optional.

It reads strict DER, and has OpenSSL check the signature and the chain of certificates at the reply's own time, for the
purpose timeStamping alone: extendedKeyUsage is critical and names nothing else (RFC 3161, 2.3). Whether a certificate
was revoked is not asked: that needs a network.
"""

import re
from math import ceil

from cryptography.x509 import load_pem_x509_certificate
from rfc3161_client import TimeStampResponse, VerificationError, VerifierBuilder, decode_timestamp_response

from ..transparency_log.signed_note import BadNote

SHA256_OID = "2.16.840.1.101.3.4.2.1"


def answered(reply: bytes, sha256: bytes, nonce: int) -> TimeStampResponse:
    """The reply, if it grants a stamp of `sha256` with this nonce; nobody's signature is checked. Raises BadNote."""
    try:
        found = decode_timestamp_response(reply)
        status, info = found.status, found.tst_info if found.status == 0 else None
        signers = len(found.signed_data.signer_infos) if info else 0
    except ValueError as error:
        raise BadNote("one reply of a time-stamp authority in DER", _words(error)) from error
    if info is None:
        raise BadNote("a reply that grants a time-stamp", f"status {status}")
    if signers != 1:
        raise BadNote("one signer of a time-stamp", str(signers))
    imprint = info.message_imprint
    if imprint.hash_algorithm.dotted_string != SHA256_OID or imprint.message != sha256:
        raise BadNote(f"a time-stamp of SHA-256 {sha256.hex()}", imprint.message.hex())
    if info.nonce != nonce:
        raise BadNote(f"the nonce {nonce} of the query", str(info.nonce))
    return found


def stamped_s(reply: bytes, sha256: bytes, nonce: int, policy: str, root: bytes) -> int:
    """The POSIX second by which whoever `root` (PEM) vouches for saw `sha256`: its time, accuracy and one second more.

    `policy`: the OID under which it must have been made, or nothing. Raises BadNote.
    """
    found = answered(reply, sha256, nonce)
    info = found.tst_info
    if policy and info.policy.dotted_string != policy:
        raise BadNote(f"a time-stamp under the policy {policy}", info.policy.dotted_string)
    try:
        certificate = load_pem_x509_certificate(root)
    except ValueError as error:
        raise BadNote("a root certificate in PEM", _words(error)) from error
    try:
        VerifierBuilder(roots=[certificate], nonce=nonce).build().verify(found, sha256)
    except (ValueError, VerificationError) as error:
        raise BadNote(
            "a time-stamp by a certificate for timeStamping that the root vouches for", _words(error)
        ) from error
    accuracy = info.accuracy
    spread = (accuracy.seconds or 0) + ceil(((accuracy.millis or 0) + (accuracy.micros or 0)) / 1000) if accuracy else 0
    return int(info.gen_time.timestamp()) + spread + 1


def _words(error: Exception) -> str:
    """What OpenSSL or the reader of DER said, in short."""
    reasons = re.findall(r'reason: "([^"]+)"(?:.*?data: "([^"]+)")?', str(error))
    said = "; ".join(f"{reason} ({data})" if data else reason for reason, data in reasons)
    return said or str(error)[:200]
