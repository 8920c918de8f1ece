"""Defects that need no reading of what the files say: names, digests, the signature."""

import base64
import gzip
import hashlib
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agzamov_harness.run import signing_keys
from agzamov_verify import bundle
from agzamov_verify.core import canon, envelope
from bundles.bundle_factory import (
    GAMES1,
    HANDS,
    STRANGER,
    SUBMITTER,
    Draft,
    checksum,
    journal_file,
    put_envelope,
    put_payload_manifest,
    replace_manifest,
    reseal,
    sign,
)
from bundles.tampered_bundles.cases import TamperedCases

tampered = TamperedCases()


def flip_bit(data: bytes, at: int = -1) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


# --- 1 names ----------------------------------------------------------------------------------------


@tampered(1, bundle.BAGIT_FILE)
def bagit_txt_is_missing(draft: Draft) -> None:
    del draft.files[bundle.BAGIT_FILE]


@tampered(1, bundle.PAYLOAD_FILE)
def the_payload_manifest_is_missing(draft: Draft) -> None:
    del draft.files[bundle.PAYLOAD_FILE]


@tampered(1, bundle.TAGS_FILE)
def the_tag_manifest_is_missing(draft: Draft) -> None:
    del draft.files[bundle.TAGS_FILE]


@tampered(1, bundle.ENVELOPE_FILE)
def the_envelope_is_missing(draft: Draft) -> None:
    del draft.files[bundle.ENVELOPE_FILE]


@tampered(1, "README.txt")
def a_file_lies_beside_the_tag_files(draft: Draft) -> None:
    draft.files["README.txt"] = b"Read me first.\n"


@tampered(1, "notes/more.txt")
def a_folder_lies_beside_data(draft: Draft) -> None:
    draft.files["notes/more.txt"] = b""


@tampered(1, "data/a name.txt")
def a_name_has_a_space(draft: Draft) -> None:
    draft.files["data/a name.txt"] = b""


@tampered(1, "data/.hidden")
def a_name_starts_with_a_dot(draft: Draft) -> None:
    draft.files["data/.hidden"] = b""


@tampered(1, "data/" + "n" * 101)
def a_name_is_too_long(draft: Draft) -> None:
    draft.files["data/" + "n" * 101] = b""


@tampered(1, "data/1/2/3/4/5/6/7")
def a_name_is_too_deep(draft: Draft) -> None:
    draft.files["data/1/2/3/4/5/6/7"] = b""


@tampered(1, bundle.RESULTS_FILE)
def two_names_differ_in_case_only(draft: Draft) -> None:
    draft.files["data/results/Results.json"] = b"{}"


# --- 2 payload --------------------------------------------------------------------------------------


@tampered(2, bundle.ENVIRONMENT_FILE)
def the_environment_is_missing(draft: Draft) -> None:
    del draft.files[bundle.ENVIRONMENT_FILE]


@tampered(2, journal_file(GAMES1))
def a_journal_segment_is_missing(draft: Draft) -> None:
    del draft.files[journal_file(GAMES1)]


@tampered(2, "data/journal/notes.txt")
def a_payload_file_is_not_listed(draft: Draft) -> None:
    draft.files["data/journal/notes.txt"] = b"trust me\n"


@tampered(2, bundle.RESULTS_FILE)
def a_byte_of_the_results_is_changed(draft: Draft) -> None:
    draft.files[bundle.RESULTS_FILE] = flip_bit(draft.files[bundle.RESULTS_FILE], 100)


@tampered(2, journal_file(HANDS))
def a_byte_of_a_journal_is_changed(draft: Draft) -> None:
    draft.files[journal_file(HANDS)] = flip_bit(draft.files[journal_file(HANDS)], 40)


@tampered(2, journal_file(HANDS))
def a_journal_is_packed_again_by_another_gzip(draft: Draft) -> None:
    draft.files[journal_file(HANDS)] = gzip.compress(gzip.decompress(draft.files[journal_file(HANDS)]), 1, mtime=0)


@tampered(2, bundle.KEY_FILE)
def the_key_file_is_swapped(draft: Draft) -> None:
    draft.files[bundle.KEY_FILE] = signing_keys.public_pem(STRANGER)


@tampered(2, bundle.MANIFEST_FILE)
def a_digest_in_the_payload_manifest_is_wrong(draft: Draft) -> None:
    digest = hashlib.sha256(draft.files[bundle.MANIFEST_FILE]).hexdigest().encode()
    put_payload_manifest(draft, draft.files[bundle.PAYLOAD_FILE].replace(digest, b"0" * 64))


@tampered(2, bundle.PAYLOAD_FILE)
def the_payload_manifest_is_not_sorted(draft: Draft) -> None:
    rows = draft.files[bundle.PAYLOAD_FILE].splitlines(keepends=True)
    put_payload_manifest(draft, b"".join(reversed(rows)))


@tampered(2, bundle.PAYLOAD_FILE)
def the_payload_manifest_lists_a_file_twice(draft: Draft) -> None:
    rows = draft.files[bundle.PAYLOAD_FILE].splitlines(keepends=True)
    put_payload_manifest(draft, rows[0] + b"".join(rows))


@tampered(2, bundle.PAYLOAD_FILE)
def the_payload_manifest_marks_files_as_binary(draft: Draft) -> None:
    put_payload_manifest(draft, draft.files[bundle.PAYLOAD_FILE].replace(b"  ", b" *"))


@tampered(2, bundle.PAYLOAD_FILE)
def the_payload_manifest_has_windows_line_ends(draft: Draft) -> None:
    put_payload_manifest(draft, draft.files[bundle.PAYLOAD_FILE].replace(b"\n", b"\r\n"))


@tampered(2, bundle.PAYLOAD_FILE)
def the_payload_manifest_is_not_ascii(draft: Draft) -> None:
    put_payload_manifest(
        draft, draft.files[bundle.PAYLOAD_FILE].replace(b"data/", "d\N{CYRILLIC SMALL LETTER A}ta/".encode(), 1)
    )


@tampered(2, "../../etc/passwd")
def the_payload_manifest_names_a_file_outside(draft: Draft) -> None:
    add_listed(draft, "../../etc/passwd")


@tampered(2, "bagit.txt")
def the_payload_manifest_lists_a_tag_file(draft: Draft) -> None:
    add_listed(draft, "bagit.txt")


def add_listed(draft: Draft, name: str) -> None:
    listed = bundle.parse_checksums(draft.files[bundle.PAYLOAD_FILE])
    assert listed is not None
    put_payload_manifest(draft, bundle.checksum_lines({**listed, name: "0" * 64}))


@tampered(2, bundle.BAGIT_FILE)
def bagit_txt_is_of_another_version(draft: Draft) -> None:
    draft.files[bundle.BAGIT_FILE] = bundle.BAGIT.replace(b"1.0", b"0.97")
    reseal(draft)


@tampered(2, bundle.INFO_FILE)
def bag_info_tells_of_another_run(draft: Draft) -> None:
    told = draft.files[bundle.INFO_FILE]
    draft.files[bundle.INFO_FILE] = told.replace(b"Identifier: ", b"Identifier: f")
    before, after = (hashlib.sha256(data).hexdigest().encode() for data in (told, draft.files[bundle.INFO_FILE]))
    draft.files[bundle.TAGS_FILE] = draft.files[bundle.TAGS_FILE].replace(before, after)


@tampered(2, bundle.TAGS_FILE)
def the_tag_manifest_is_wrong(draft: Draft) -> None:
    draft.files[bundle.TAGS_FILE] = draft.files[bundle.TAGS_FILE].replace(b"bagit", b"bagiT")


@tampered(2, "data/notes.txt")
def a_listed_file_is_of_no_known_kind(draft: Draft) -> None:
    draft.files["data/notes.txt"] = b"trust me\n"
    reseal(draft)


# --- 3 signature ------------------------------------------------------------------------------------


@tampered(3, envelope.SUBJECT)
def results_and_digests_are_changed_by_somebody_without_the_key(draft: Draft) -> None:
    draft.files[bundle.RESULTS_FILE] = flip_bit(draft.files[bundle.RESULTS_FILE], 100)
    checksum(draft)


def parts(draft: Draft) -> tuple[bytes, str, bytes]:
    """Payload, key id and signature of the envelope as it is."""
    found = msgspec.json.decode(draft.files[bundle.ENVELOPE_FILE], type=envelope.Envelope)
    one = found.signatures[0]
    return base64.b64decode(found.payload), one.keyid, base64.b64decode(one.sig)


@tampered(3, bundle.ENVELOPE_FILE)
def a_bit_of_the_signature_is_flipped(draft: Draft) -> None:
    payload, keyid, signature = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(keyid, flip_bit(signature))])


@tampered(3, bundle.ENVELOPE_FILE)
def the_key_is_a_point_under_which_one_signature_fits_everything(draft: Draft) -> None:
    """The neutral point of edwards25519: the signature (the point itself, 0) is valid for any bytes."""
    neutral = (1).to_bytes(32, "little")
    key = Ed25519PublicKey.from_public_bytes(neutral)
    draft.files[bundle.KEY_FILE] = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    replace_manifest(draft, lambda value: value.update(submitter_key_id=envelope.key_id(key)))
    reseal(draft)
    payload, _, _ = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(envelope.key_id(key), neutral + bytes(32))])


@tampered(3, bundle.ENVELOPE_FILE)
def a_claim_is_changed_under_the_old_signature(draft: Draft) -> None:
    payload, keyid, signature = parts(draft)
    raised = payload.replace(b'/games":"6"', b'/games":"9"')
    assert raised != payload
    put_envelope(draft, raised, envelope.PAYLOAD_TYPE, [(keyid, signature)])


@tampered(3, bundle.ENVELOPE_FILE)
def a_stranger_signed_in_the_submitters_name(draft: Draft) -> None:
    reseal(draft, STRANGER)
    payload, _, signature = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(envelope.key_id(SUBMITTER.public_key()), signature)])


@tampered(3, bundle.ENVELOPE_FILE)
def a_stranger_signed_in_his_own_name_beside_the_submitters_key(draft: Draft) -> None:
    reseal(draft, STRANGER)


@tampered(3, bundle.ENVELOPE_FILE)
def the_key_id_lies_about_a_good_signature(draft: Draft) -> None:
    payload, _, signature = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [("0" * 64, signature)])


@tampered(3, bundle.ENVELOPE_FILE)
def a_key_id_is_spelled_with_a_homoglyph(draft: Draft) -> None:
    payload, keyid, signature = parts(draft)
    cyrillic = keyid.replace("a", "\N{CYRILLIC SMALL LETTER A}").replace("e", "\N{CYRILLIC SMALL LETTER IE}")
    assert cyrillic != keyid
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(cyrillic, signature)])


@tampered(3, bundle.ENVELOPE_FILE)
def the_payload_is_of_another_type(draft: Draft) -> None:
    sign(draft, "application/json")


@tampered(3, bundle.ENVELOPE_FILE)
def the_type_is_changed_under_the_old_signature(draft: Draft) -> None:
    sign(draft, "application/json")
    payload, keyid, signature = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(keyid, signature)])


@tampered(3, bundle.ENVELOPE_FILE)
def there_is_no_signature(draft: Draft) -> None:
    put_envelope(draft, parts(draft)[0], envelope.PAYLOAD_TYPE, [])


@tampered(3, bundle.ENVELOPE_FILE)
def there_are_two_signatures(draft: Draft) -> None:
    payload, keyid, signature = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(keyid, signature), (keyid, signature)])


@tampered(3, bundle.ENVELOPE_FILE)
def the_signature_is_spelled_in_the_web_alphabet(draft: Draft) -> None:
    _, _, signature = parts(draft)
    standard = base64.b64encode(signature).decode()
    spelled = standard.replace("+", "-").replace("/", "_").rstrip("=")
    draft.files[bundle.ENVELOPE_FILE] = draft.files[bundle.ENVELOPE_FILE].replace(standard.encode(), spelled.encode())


@tampered(3, bundle.ENVELOPE_FILE)
def the_envelope_has_white_space(draft: Draft) -> None:
    draft.files[bundle.ENVELOPE_FILE] = draft.files[bundle.ENVELOPE_FILE].replace(b",", b", ")


@tampered(3, bundle.ENVELOPE_FILE)
def the_envelope_has_an_unknown_field(draft: Draft) -> None:
    draft.put_json(bundle.ENVELOPE_FILE, {**draft.json(bundle.ENVELOPE_FILE), "trusted": True})


@tampered(3, bundle.ENVELOPE_FILE)
def the_envelope_is_no_json(draft: Draft) -> None:
    draft.files[bundle.ENVELOPE_FILE] = b"-----BEGIN PGP SIGNED MESSAGE-----\n"


@tampered(3, bundle.ENVELOPE_FILE)
def the_signed_payload_is_no_statement(draft: Draft) -> None:
    sign(draft, payload=b'{"winner":"me"}')


@tampered(3, bundle.ENVELOPE_FILE)
def the_signed_statement_is_not_canonical(draft: Draft) -> None:
    sign(draft, payload=canon.dumps(draft.statement).replace(b",", b", ", 1))


@tampered(3, bundle.ENVELOPE_FILE)
def the_signed_statement_has_an_unknown_field(draft: Draft) -> None:
    draft.predicate["level"] = "V4"
    sign(draft)


@tampered(3, bundle.ENVELOPE_FILE)
def the_statement_is_of_another_type(draft: Draft) -> None:
    draft.statement["_type"] = "https://in-toto.io/Statement/v0.1"
    sign(draft)


@tampered(3, bundle.ENVELOPE_FILE)
def the_predicate_is_of_another_type(draft: Draft) -> None:
    draft.statement["predicateType"] = "https://slsa.dev/provenance/v1"
    sign(draft)


@tampered(3, bundle.ENVELOPE_FILE)
def there_are_two_subjects(draft: Draft) -> None:
    draft.statement["subject"].append({"name": "another.txt", "digest": {"sha256": "0" * 64}})
    sign(draft)


@tampered(3, bundle.ENVELOPE_FILE)
def there_is_no_subject(draft: Draft) -> None:
    draft.statement["subject"].clear()
    sign(draft)


@tampered(3, bundle.ENVELOPE_FILE)
def the_subject_has_another_name(draft: Draft) -> None:
    draft.statement["subject"][0]["name"] = "MANIFEST-SHA256.TXT"
    sign(draft)


@tampered(3, bundle.ENVELOPE_FILE)
def the_subject_has_a_weaker_digest(draft: Draft) -> None:
    draft.statement["subject"][0]["digest"] = {"md5": hashlib.md5(b"", usedforsecurity=False).hexdigest()}
    sign(draft, payload=canon.dumps(draft.statement))


@tampered(3, envelope.SUBJECT)
def the_signature_is_from_another_bundle_of_the_same_key(draft: Draft) -> None:
    other = draft.copy()
    other.files[bundle.ENVIRONMENT_FILE] = b"{}"
    reseal(other)
    draft.files[bundle.ENVELOPE_FILE] = other.files[bundle.ENVELOPE_FILE]


def state_key(draft: Draft, pem: bytes) -> None:
    draft.files[bundle.KEY_FILE] = pem
    reseal(draft)


def spki(key: Any) -> bytes:
    pem: bytes = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return pem


@tampered(3, bundle.ENVELOPE_FILE)
def the_key_file_is_no_key(draft: Draft) -> None:
    state_key(draft, b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")


@tampered(3, bundle.ENVELOPE_FILE)
def the_key_is_an_rsa_key(draft: Draft) -> None:
    state_key(draft, spki(rsa.generate_private_key(65537, 1024).public_key()))  # noqa: S505 - any size will do


@tampered(3, bundle.ENVELOPE_FILE)
def the_key_is_on_another_curve(draft: Draft) -> None:
    state_key(draft, spki(ec.generate_private_key(ec.SECP256R1()).public_key()))


@tampered(3, bundle.ENVELOPE_FILE)
def the_key_cannot_sign(draft: Draft) -> None:
    state_key(draft, spki(x25519.X25519PrivateKey.generate().public_key()))


@tampered(3, bundle.ENVELOPE_FILE)
def the_key_is_of_a_kind_nobody_knows(draft: Draft) -> None:
    # Ed25519's identifier 1.3.101.112 turned into 1.3.101.99, which names nothing.
    der = SUBMITTER.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    body = base64.b64encode(der.replace(b"\x2b\x65\x70", b"\x2b\x65\x63")).decode()
    state_key(draft, f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n".encode())


@tampered(2, "data/notes/level.json")
def a_note_that_no_harness_writes_stands_among_the_notes(draft: Draft) -> None:
    draft.files["data/notes/level.json"] = b'{"level":"V4"}'
    reseal(draft)


@tampered(2, "data/logs/000/proxy.log.txt")
def a_file_that_is_no_log_stands_among_the_logs(draft: Draft) -> None:
    draft.files["data/logs/000/proxy.log.txt"] = b"trust me\n"
    reseal(draft)


@tampered(2, "data/logs/000/sub/proxy.log")
def a_log_stands_in_a_folder_of_its_own(draft: Draft) -> None:
    draft.files["data/logs/000/sub/proxy.log"] = b"trust me\n"
    reseal(draft)
