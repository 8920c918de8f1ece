"""The museum: bundles with one defect each, named for it, refused at one step and at one place.

A defect that a third party could make leaves the signature alone. One that only the owner of the
key could make is sealed again, so that everything but the defect itself is consistent.
"""

import base64
import gzip
import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric import ec, rsa, x25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agzamov_harness import keys
from agzamov_verify import bundle, canon, cli, envelope
from agzamov_verify.journal import line_digest
from agzamov_verify.questions import NoReply, Reply
from bundles.pieces import Museum, Piece
from bundles.workshop import (
    CHESS0,
    CHESS1,
    POKER0,
    POKER1,
    POKER_OTHER,
    STRANGER,
    SUBMITTER,
    Draft,
    bind,
    chained,
    check,
    checksum,
    edited,
    entries,
    failed_steps,
    fit_laps,
    journal_file,
    laps,
    lines,
    put,
    put_envelope,
    put_laps,
    put_lines,
    put_payload_manifest,
    put_rows,
    reindex,
    replace_key,
    replace_manifest,
    rescore,
    reseal,
    rows_of,
    sign,
    stream_name,
    told,
    zipped,
)

museum = Museum()

GAMES0, GAMES1 = stream_name(CHESS0), stream_name(CHESS0, 1)
HANDS = stream_name(POKER_OTHER)
SELF_PLAY = stream_name(CHESS1)
LAST_OF_PLAN = HANDS


def flip_bit(data: bytes, at: int = -1) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


# --- 1 names -------------------------------------------------------------------------------------


@museum(1, bundle.BAGIT_FILE)
def bagit_txt_is_missing(draft: Draft) -> None:
    del draft.files[bundle.BAGIT_FILE]


@museum(1, bundle.PAYLOAD_FILE)
def the_payload_manifest_is_missing(draft: Draft) -> None:
    del draft.files[bundle.PAYLOAD_FILE]


@museum(1, bundle.TAGS_FILE)
def the_tag_manifest_is_missing(draft: Draft) -> None:
    del draft.files[bundle.TAGS_FILE]


@museum(1, bundle.ENVELOPE_FILE)
def the_envelope_is_missing(draft: Draft) -> None:
    del draft.files[bundle.ENVELOPE_FILE]


@museum(1, "README.txt")
def a_file_lies_beside_the_tag_files(draft: Draft) -> None:
    draft.files["README.txt"] = b"Read me first.\n"


@museum(1, "notes/more.txt")
def a_folder_lies_beside_data(draft: Draft) -> None:
    draft.files["notes/more.txt"] = b""


@museum(1, "data/a name.txt")
def a_name_has_a_space(draft: Draft) -> None:
    draft.files["data/a name.txt"] = b""


@museum(1, "data/.hidden")
def a_name_starts_with_a_dot(draft: Draft) -> None:
    draft.files["data/.hidden"] = b""


@museum(1, "data/" + "n" * 101)
def a_name_is_too_long(draft: Draft) -> None:
    draft.files["data/" + "n" * 101] = b""


@museum(1, "data/1/2/3/4/5/6/7")
def a_name_is_too_deep(draft: Draft) -> None:
    draft.files["data/1/2/3/4/5/6/7"] = b""


@museum(1, bundle.RESULTS_FILE)
def two_names_differ_in_case_only(draft: Draft) -> None:
    draft.files["data/results/Results.json"] = b"{}"


# --- 2 payload -----------------------------------------------------------------------------------


@museum(2, bundle.ENVIRONMENT_FILE)
def the_environment_is_missing(draft: Draft) -> None:
    del draft.files[bundle.ENVIRONMENT_FILE]


@museum(2, journal_file(GAMES1))
def a_journal_segment_is_missing(draft: Draft) -> None:
    del draft.files[journal_file(GAMES1)]


@museum(2, "data/journal/notes.txt")
def a_payload_file_is_not_listed(draft: Draft) -> None:
    draft.files["data/journal/notes.txt"] = b"trust me\n"


@museum(2, bundle.RESULTS_FILE)
def a_byte_of_the_results_is_changed(draft: Draft) -> None:
    draft.files[bundle.RESULTS_FILE] = flip_bit(draft.files[bundle.RESULTS_FILE], 100)


@museum(2, journal_file(HANDS))
def a_byte_of_a_journal_is_changed(draft: Draft) -> None:
    draft.files[journal_file(HANDS)] = flip_bit(draft.files[journal_file(HANDS)], 40)


@museum(2, journal_file(HANDS))
def a_journal_is_packed_again_by_another_gzip(draft: Draft) -> None:
    draft.files[journal_file(HANDS)] = gzip.compress(gzip.decompress(draft.files[journal_file(HANDS)]), 1, mtime=0)


@museum(2, bundle.KEY_FILE)
def the_key_file_is_swapped(draft: Draft) -> None:
    draft.files[bundle.KEY_FILE] = keys.public_pem(STRANGER)


@museum(2, bundle.MANIFEST_FILE)
def a_digest_in_the_payload_manifest_is_wrong(draft: Draft) -> None:
    digest = hashlib.sha256(draft.files[bundle.MANIFEST_FILE]).hexdigest().encode()
    put_payload_manifest(draft, draft.files[bundle.PAYLOAD_FILE].replace(digest, b"0" * 64))


@museum(2, bundle.PAYLOAD_FILE)
def the_payload_manifest_is_not_sorted(draft: Draft) -> None:
    rows = draft.files[bundle.PAYLOAD_FILE].splitlines(keepends=True)
    put_payload_manifest(draft, b"".join(reversed(rows)))


@museum(2, bundle.PAYLOAD_FILE)
def the_payload_manifest_lists_a_file_twice(draft: Draft) -> None:
    rows = draft.files[bundle.PAYLOAD_FILE].splitlines(keepends=True)
    put_payload_manifest(draft, rows[0] + b"".join(rows))


@museum(2, bundle.PAYLOAD_FILE)
def the_payload_manifest_marks_files_as_binary(draft: Draft) -> None:
    put_payload_manifest(draft, draft.files[bundle.PAYLOAD_FILE].replace(b"  ", b" *"))


@museum(2, bundle.PAYLOAD_FILE)
def the_payload_manifest_has_windows_line_ends(draft: Draft) -> None:
    put_payload_manifest(draft, draft.files[bundle.PAYLOAD_FILE].replace(b"\n", b"\r\n"))


@museum(2, bundle.PAYLOAD_FILE)
def the_payload_manifest_is_not_ascii(draft: Draft) -> None:
    put_payload_manifest(draft, draft.files[bundle.PAYLOAD_FILE].replace(b"data/", "dаta/".encode(), 1))


@museum(2, "../../etc/passwd")
def the_payload_manifest_names_a_file_outside(draft: Draft) -> None:
    add_listed(draft, "../../etc/passwd")


@museum(2, "bagit.txt")
def the_payload_manifest_lists_a_tag_file(draft: Draft) -> None:
    add_listed(draft, "bagit.txt")


def add_listed(draft: Draft, name: str) -> None:
    listed = bundle.parse_checksums(draft.files[bundle.PAYLOAD_FILE])
    assert listed is not None
    put_payload_manifest(draft, bundle.checksum_lines({**listed, name: "0" * 64}))


@museum(2, bundle.BAGIT_FILE)
def bagit_txt_is_of_another_version(draft: Draft) -> None:
    draft.files[bundle.BAGIT_FILE] = bundle.BAGIT.replace(b"1.0", b"0.97")
    reseal(draft)


@museum(2, bundle.TAGS_FILE)
def the_tag_manifest_is_wrong(draft: Draft) -> None:
    draft.files[bundle.TAGS_FILE] = draft.files[bundle.TAGS_FILE].replace(b"bagit", b"bagiT")


# --- 3 signature ---------------------------------------------------------------------------------


@museum(3, envelope.SUBJECT)
def results_and_digests_are_changed_by_somebody_without_the_key(draft: Draft) -> None:
    draft.files[bundle.RESULTS_FILE] = flip_bit(draft.files[bundle.RESULTS_FILE], 100)
    checksum(draft)


def parts(draft: Draft) -> tuple[bytes, str, bytes]:
    """Payload, key id and signature of the envelope as it is."""
    found = msgspec.json.decode(draft.files[bundle.ENVELOPE_FILE], type=envelope.Envelope)
    one = found.signatures[0]
    return base64.b64decode(found.payload), one.keyid, base64.b64decode(one.sig)


@museum(3, bundle.ENVELOPE_FILE)
def a_bit_of_the_signature_is_flipped(draft: Draft) -> None:
    payload, keyid, signature = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(keyid, flip_bit(signature))])


@museum(3, bundle.ENVELOPE_FILE)
def a_claim_is_changed_under_the_old_signature(draft: Draft) -> None:
    payload, keyid, signature = parts(draft)
    raised = payload.replace(b'/games":"6"', b'/games":"9"')
    assert raised != payload
    put_envelope(draft, raised, envelope.PAYLOAD_TYPE, [(keyid, signature)])


@museum(3, bundle.ENVELOPE_FILE)
def a_stranger_signed_in_the_submitters_name(draft: Draft) -> None:
    reseal(draft, STRANGER)
    payload, _, signature = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(envelope.key_id(SUBMITTER.public_key()), signature)])


@museum(3, bundle.ENVELOPE_FILE)
def a_stranger_signed_in_his_own_name_beside_the_submitters_key(draft: Draft) -> None:
    reseal(draft, STRANGER)


@museum(3, bundle.ENVELOPE_FILE)
def the_key_id_lies_about_a_good_signature(draft: Draft) -> None:
    payload, _, signature = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [("0" * 64, signature)])


@museum(3, bundle.ENVELOPE_FILE)
def a_key_id_is_spelled_with_a_homoglyph(draft: Draft) -> None:
    payload, keyid, signature = parts(draft)
    cyrillic = keyid.replace("a", "\N{CYRILLIC SMALL LETTER A}").replace("e", "\N{CYRILLIC SMALL LETTER IE}")
    assert cyrillic != keyid
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(cyrillic, signature)])


@museum(3, bundle.ENVELOPE_FILE)
def the_payload_is_of_another_type(draft: Draft) -> None:
    sign(draft, "application/json")


@museum(3, bundle.ENVELOPE_FILE)
def the_type_is_changed_under_the_old_signature(draft: Draft) -> None:
    sign(draft, "application/json")
    payload, keyid, signature = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(keyid, signature)])


@museum(3, bundle.ENVELOPE_FILE)
def there_is_no_signature(draft: Draft) -> None:
    put_envelope(draft, parts(draft)[0], envelope.PAYLOAD_TYPE, [])


@museum(3, bundle.ENVELOPE_FILE)
def there_are_two_signatures(draft: Draft) -> None:
    payload, keyid, signature = parts(draft)
    put_envelope(draft, payload, envelope.PAYLOAD_TYPE, [(keyid, signature), (keyid, signature)])


@museum(3, bundle.ENVELOPE_FILE)
def the_signature_is_spelled_in_the_web_alphabet(draft: Draft) -> None:
    payload, keyid, signature = parts(draft)
    standard = base64.b64encode(signature).decode()
    assert keyid and payload
    spelled = standard.replace("+", "-").replace("/", "_").rstrip("=")
    draft.files[bundle.ENVELOPE_FILE] = draft.files[bundle.ENVELOPE_FILE].replace(standard.encode(), spelled.encode())


@museum(3, bundle.ENVELOPE_FILE)
def the_envelope_has_white_space(draft: Draft) -> None:
    draft.files[bundle.ENVELOPE_FILE] = draft.files[bundle.ENVELOPE_FILE].replace(b",", b", ")


@museum(3, bundle.ENVELOPE_FILE)
def the_envelope_has_an_unknown_field(draft: Draft) -> None:
    draft.put_json(bundle.ENVELOPE_FILE, {**draft.json(bundle.ENVELOPE_FILE), "trusted": True})


@museum(3, bundle.ENVELOPE_FILE)
def the_envelope_is_no_json(draft: Draft) -> None:
    draft.files[bundle.ENVELOPE_FILE] = b"-----BEGIN PGP SIGNED MESSAGE-----\n"


@museum(3, bundle.ENVELOPE_FILE)
def the_signed_payload_is_no_statement(draft: Draft) -> None:
    sign(draft, payload=b'{"winner":"me"}')


@museum(3, bundle.ENVELOPE_FILE)
def the_signed_statement_is_not_canonical(draft: Draft) -> None:
    sign(draft, payload=canon.dumps(draft.statement).replace(b",", b", ", 1))


@museum(3, bundle.ENVELOPE_FILE)
def the_signed_statement_has_an_unknown_field(draft: Draft) -> None:
    draft.predicate["level"] = "V4"
    sign(draft)


@museum(3, bundle.ENVELOPE_FILE)
def the_statement_is_of_another_type(draft: Draft) -> None:
    draft.statement["_type"] = "https://in-toto.io/Statement/v0.1"
    sign(draft)


@museum(3, bundle.ENVELOPE_FILE)
def the_predicate_is_of_another_type(draft: Draft) -> None:
    draft.statement["predicateType"] = "https://slsa.dev/provenance/v1"
    sign(draft)


@museum(3, bundle.ENVELOPE_FILE)
def there_are_two_subjects(draft: Draft) -> None:
    draft.statement["subject"].append({"name": "another.txt", "digest": {"sha256": "0" * 64}})
    sign(draft)


@museum(3, bundle.ENVELOPE_FILE)
def there_is_no_subject(draft: Draft) -> None:
    draft.statement["subject"].clear()
    sign(draft)


@museum(3, bundle.ENVELOPE_FILE)
def the_subject_has_another_name(draft: Draft) -> None:
    draft.statement["subject"][0]["name"] = "MANIFEST-SHA256.TXT"
    sign(draft)


@museum(3, bundle.ENVELOPE_FILE)
def the_subject_has_a_weaker_digest(draft: Draft) -> None:
    draft.statement["subject"][0]["digest"] = {"md5": hashlib.md5(b"", usedforsecurity=False).hexdigest()}
    sign(draft, payload=canon.dumps(draft.statement))


@museum(3, envelope.SUBJECT)
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


@museum(3, bundle.ENVELOPE_FILE)
def the_key_file_is_no_key(draft: Draft) -> None:
    state_key(draft, b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")


@museum(3, bundle.ENVELOPE_FILE)
def the_key_is_an_rsa_key(draft: Draft) -> None:
    state_key(draft, spki(rsa.generate_private_key(65537, 1024).public_key()))  # noqa: S505 - any size will do


@museum(3, bundle.ENVELOPE_FILE)
def the_key_is_on_another_curve(draft: Draft) -> None:
    state_key(draft, spki(ec.generate_private_key(ec.SECP256R1()).public_key()))


@museum(3, bundle.ENVELOPE_FILE)
def the_key_cannot_sign(draft: Draft) -> None:
    state_key(draft, spki(x25519.X25519PrivateKey.generate().public_key()))


@museum(3, bundle.ENVELOPE_FILE)
def the_key_is_of_a_kind_nobody_knows(draft: Draft) -> None:
    # Ed25519's identifier 1.3.101.112 turned into 1.3.101.99, which names nothing.
    der = SUBMITTER.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    body = base64.b64encode(der.replace(b"\x2b\x65\x70", b"\x2b\x65\x63")).decode()
    state_key(draft, f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n".encode())


# --- 4 manifest ----------------------------------------------------------------------------------


@museum(4, bundle.MANIFEST_FILE)
def the_manifest_is_not_canonical(draft: Draft) -> None:
    draft.files[bundle.MANIFEST_FILE] = draft.files[bundle.MANIFEST_FILE].replace(b":", b": ", 1)
    reseal(draft)


@museum(4, bundle.MANIFEST_FILE)
def the_manifest_has_an_unknown_key(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value.update(comment="trust me"))
    reseal(draft)


@museum(4, bundle.MANIFEST_FILE)
def the_plan_has_an_unknown_key(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["seed"].update(luck="good"))
    reseal(draft)


@museum(4, bundle.MANIFEST_FILE)
def a_key_of_the_plan_is_a_homoglyph(draft: Draft) -> None:
    name = b'"plies_max"'
    assert name in draft.files[bundle.MANIFEST_FILE]
    homoglyph = '"pli\N{CYRILLIC SMALL LETTER IE}s_max"'.encode()
    draft.files[bundle.MANIFEST_FILE] = draft.files[bundle.MANIFEST_FILE].replace(name, homoglyph)
    reseal(draft)


@museum(4, bundle.MANIFEST_FILE)
def a_default_is_left_out(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["engine"].pop("hash_mib"))
    reseal(draft)


@museum(4, bundle.MANIFEST_FILE)
def the_manifest_lacks_its_nonce(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value.pop("nonce"))
    reseal(draft)


@museum(4, bundle.MANIFEST_FILE)
def the_manifest_has_a_key_twice(draft: Draft) -> None:
    twice = draft.files[bundle.MANIFEST_FILE].replace(b'"title":"Small"', b'"title":"Big","title":"Small"')
    draft.files[bundle.MANIFEST_FILE] = twice
    reseal(draft)


@museum(4, bundle.MANIFEST_FILE)
def the_manifest_has_a_float(draft: Draft) -> None:
    draft.files[bundle.MANIFEST_FILE] = draft.files[bundle.MANIFEST_FILE].replace(b'"games":6', b'"games":6.0')
    reseal(draft)


@museum(4, bundle.MANIFEST_FILE)
def the_manifest_has_an_integer_beyond_2_to_the_53(draft: Draft) -> None:
    huge = str(2**53).encode()
    draft.files[bundle.MANIFEST_FILE] = draft.files[bundle.MANIFEST_FILE].replace(b'"games":6', b'"games":' + huge)
    reseal(draft)


@museum(4, bundle.MANIFEST_FILE)
def the_protocol_is_unknown(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"].update(protocol="agz-9.9"))
    draft.predicate["protocol"] = "agz-9.9"
    reseal(draft)


@museum(4, f"{bundle.MANIFEST_FILE} plan.matches[0]")
def the_plan_has_an_odd_number_of_games(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["matches"][0].update(games=5))
    reseal(draft)


@museum(4, f"{bundle.MANIFEST_FILE} plan.matches[1].b")
def phase_0_is_played_against_a_chosen_opponent(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["matches"][1].update(b="other"))
    reseal(draft)


@museum(4, f"{bundle.MANIFEST_FILE} plan.chess960.plies_max")
def the_plan_has_games_without_end(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["chess960"].update(plies_max=10**6))
    reseal(draft)


@museum(4, f"{bundle.MANIFEST_FILE} plan.matches[2].a")
def a_match_names_a_seat_that_is_not_there(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["matches"][2].update(a="ghost", b="ghost"))
    reseal(draft)


@museum(4, "manifest prompts_sha256")
def the_manifest_pins_other_prompts(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["prompts_sha256"].update({"chess960/system": "0" * 64}))
    reseal(draft)


@museum(4, "manifest prompts_sha256")
def the_manifest_leaves_a_prompt_unpinned(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["prompts_sha256"].pop("holdem/system"))
    reseal(draft)


@museum(4, "manifest protocol_sha256")
def the_manifest_pins_other_norms(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value.update(protocol_sha256="0" * 64))
    reseal(draft)


@museum(4, "manifest submitter_key_id")
def another_key_signed_than_the_one_that_sealed(draft: Draft) -> None:
    replace_key(draft, STRANGER)
    reseal(draft)


@museum(4, "statement manifest_sha256")
def the_statement_is_about_another_manifest(draft: Draft) -> None:
    bind(draft)
    draft.predicate["manifest_sha256"] = "0" * 64
    checksum(draft)
    sign(draft)


@museum(4, "statement run")
def the_statement_is_about_another_run(draft: Draft) -> None:
    draft.predicate["run"] = "0" * 16
    sign(draft)


@museum(4, "statement protocol")
def the_statement_names_another_protocol(draft: Draft) -> None:
    draft.predicate["protocol"] = "agz-1.0"
    sign(draft)


# --- 5 seed --------------------------------------------------------------------------------------


@museum(5, "statement seed.secret")
def the_revealed_secret_is_not_the_committed_one(draft: Draft) -> None:
    draft.predicate["seed"]["secret"] = "00" * 32
    sign(draft)


@museum(5, "statement seed.secret")
def the_revealed_secret_is_no_hexadecimal(draft: Draft) -> None:
    draft.predicate["seed"]["secret"] = "the usual one"
    sign(draft)


@museum(5, "statement seed.origin")
def the_seed_is_said_to_come_from_a_season(draft: Draft) -> None:
    draft.predicate["seed"]["origin"] = "season"
    sign(draft)


# --- 6 journal -----------------------------------------------------------------------------------


def reseal_journal(draft: Draft) -> None:
    """What an owner does after touching a journal, without looking at what it now says."""
    reindex(draft)
    reseal(draft)


@museum(6, f"{GAMES0} entry 8")
def an_answer_is_edited_and_the_chain_is_not(draft: Draft) -> None:
    put(draft, GAMES0, edited(entries(draft, GAMES0), 7, answer=Reply(text="MOVE: a1a1")))
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 8")
def a_remark_is_edited_and_the_chain_is_not(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    put(draft, GAMES0, edited(story, 7, answer=embellished(story[7].answer)))
    reseal_journal(draft)


def embellished(answer: object) -> Reply:
    """The same declared action after finer words."""
    assert isinstance(answer, Reply)
    return msgspec.structs.replace(answer, text="I see it all clearly.\n" + answer.text)


@museum(6, f"{bundle.INDEX_FILE} {HANDS}")
def the_last_remark_of_a_stream_is_edited_and_the_index_is_not(draft: Draft) -> None:
    story = entries(draft, HANDS)
    put(draft, HANDS, edited(story, len(story) - 1, answer=embellished(story[-1].answer)))
    reseal(draft)


@museum(6, f"{GAMES0} entry 3")
def an_entry_names_the_wrong_predecessor(draft: Draft) -> None:
    put(draft, GAMES0, edited(entries(draft, GAMES0), 3, prev="0" * 64))
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 0")
def a_chain_starts_from_another_genesis(draft: Draft) -> None:
    put(draft, GAMES0, edited(entries(draft, GAMES0), 0, prev="f" * 64))
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 5")
def a_sequence_number_is_skipped(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    renumbered = [msgspec.structs.replace(entry, seq=entry.seq + (at >= 5)) for at, entry in enumerate(story)]
    put(draft, GAMES0, relinked(renumbered))
    reseal_journal(draft)


def relinked(story: list[Any]) -> list[Any]:
    """Only the digests recomputed: everything else stays as it is."""
    linked: list[Any] = []
    for entry in story:
        prev = line_digest(msgspec.json.encode(linked[-1])) if linked else entry.prev
        linked.append(msgspec.structs.replace(entry, prev=prev))
    return linked


@museum(6, f"{GAMES0} entry 0")
def a_journal_is_from_another_run(draft: Draft) -> None:
    put(draft, GAMES0, chained(entries(draft, GAMES0), run="0123456789abcdef"))
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 4")
def one_entry_is_from_another_run(draft: Draft) -> None:
    put(draft, GAMES0, relinked(edited(entries(draft, GAMES0), 4, run="0123456789abcdef")))
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 0")
def a_journal_is_that_of_another_stream(draft: Draft) -> None:
    put(draft, GAMES0, entries(draft, GAMES1))
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 0")
def a_journal_is_of_another_version(draft: Draft) -> None:
    put(draft, GAMES0, chained(entries(draft, GAMES0), version=2))
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 6")
def an_entry_is_removed_and_the_chain_is_not_repaired(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    put(draft, GAMES0, story[:6] + story[7:])
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 2")
def a_line_is_spelled_in_another_way(draft: Draft) -> None:
    there = lines(draft, GAMES0)
    there[2] = there[2].replace(b'"prev":', b'"prev": ')
    put_lines(draft, GAMES0, there)
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 2")
def a_line_has_an_unknown_field(draft: Draft) -> None:
    there = lines(draft, GAMES0)
    there[2] = there[2].replace(b',"v":1}', b',"v":1,"w":"nota bene"}')
    put_lines(draft, GAMES0, there)
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 2")
def a_line_is_empty(draft: Draft) -> None:
    there = lines(draft, GAMES0)
    put_lines(draft, GAMES0, [*there[:2], b"", *there[2:]])
    reseal_journal(draft)


@museum(6, journal_file(GAMES0))
def a_last_line_has_no_end(draft: Draft) -> None:
    draft.files[journal_file(GAMES0)] = zipped(b"\n".join(lines(draft, GAMES0)))
    reseal_journal(draft)


@museum(6, journal_file(GAMES0))
def a_segment_is_cut_in_its_middle(draft: Draft) -> None:
    reindex(draft)
    draft.files[journal_file(GAMES0)] = draft.files[journal_file(GAMES0)][:-9]
    reseal(draft)


@museum(6, journal_file(GAMES0))
def a_segment_is_not_compressed(draft: Draft) -> None:
    reindex(draft)
    draft.files[journal_file(GAMES0)] = gzip.decompress(draft.files[journal_file(GAMES0)])
    reseal(draft)


def change_row(draft: Draft, **changes: object) -> None:
    """One row of the index changed, with a statement that agrees."""
    rows = rows_of(draft)
    put_rows(draft, (msgspec.structs.replace(rows[0], **changes), *rows[1:]))
    reseal(draft)


@museum(6, f"{bundle.INDEX_FILE} {GAMES0}")
def the_index_counts_one_entry_too_many(draft: Draft) -> None:
    change_row(draft, entries=rows_of(draft)[0].entries + 1)


@museum(6, f"{bundle.INDEX_FILE} {GAMES0}")
def the_index_names_another_head(draft: Draft) -> None:
    change_row(draft, head="0" * 64)


@museum(6, f"{bundle.INDEX_FILE} {GAMES0}")
def the_index_names_another_root(draft: Draft) -> None:
    change_row(draft, root="0" * 64)


@museum(6, f"{bundle.INDEX_FILE} {GAMES0}")
def the_index_names_a_segment_that_is_not_there(draft: Draft) -> None:
    change_row(draft, segments=(journal_file(GAMES0), f"data/journal/{GAMES0}/000001.jsonl.gz"))


@museum(6, "statement journal")
def the_statement_names_another_journal_root(draft: Draft) -> None:
    draft.predicate["journal"]["root"] = "0" * 64
    sign(draft)


@museum(6, "statement journal")
def the_statement_counts_one_entry_too_few(draft: Draft) -> None:
    draft.predicate["journal"]["entries"] -= 1
    sign(draft)


@museum(6, "statement journal")
def the_statement_names_another_kind_of_tree(draft: Draft) -> None:
    draft.predicate["journal"]["tree"] = "sum"
    sign(draft)


@museum(6, bundle.INDEX_FILE)
def the_index_lists_a_stream_that_was_never_promised(draft: Draft) -> None:
    put(draft, "p0-chess960-naked-agent-b00007", [])
    reindex(draft, [*draft.streams(), "p0-chess960-naked-agent-b00007"])
    reseal(draft)


@museum(6, bundle.INDEX_FILE)
def the_index_lists_a_stream_twice(draft: Draft) -> None:
    put_rows(draft, (*rows_of(draft), rows_of(draft)[0]))
    reseal(draft)


@museum(6, bundle.INDEX_FILE)
def the_index_is_not_canonical(draft: Draft) -> None:
    draft.files[bundle.INDEX_FILE] += b"\n"
    reseal(draft)


@museum(6, bundle.INDEX_FILE)
def the_index_is_of_another_format(draft: Draft) -> None:
    draft.put_json(bundle.INDEX_FILE, {**draft.json(bundle.INDEX_FILE), "format": "agz-journal-2"})
    reseal(draft)


@museum(6, "data/journal/trash/000000.jsonl.gz")
def a_journal_lies_there_that_the_index_does_not_list(draft: Draft) -> None:
    put(draft, "trash", entries(draft, GAMES0))
    reseal(draft)


@museum(6, f"data/journal/{GAMES0}/000002.jsonl.gz")
def a_segment_lies_beyond_a_gap(draft: Draft) -> None:
    draft.files[f"data/journal/{GAMES0}/000002.jsonl.gz"] = zipped(b"")
    reseal(draft)


@museum(6, "data/timing/trash.jsonl.gz")
def a_timing_file_belongs_to_no_stream(draft: Draft) -> None:
    draft.files["data/timing/trash.jsonl.gz"] = zipped(b"")
    reseal(draft)


# --- 7 replay ------------------------------------------------------------------------------------
# The chain is repaired, so only the script can say that the story is not the one it tells.


def retell(draft: Draft, stream: str, story: list[Any]) -> None:
    """Another story for a stream, with everything after it consistent."""
    put(draft, stream, chained(story, stream=stream))
    fit_laps(draft, stream)
    reseal_journal(draft)


@museum(7, f"{GAMES0} entry 11")
def a_journal_is_cut_short(draft: Draft) -> None:
    retell(draft, GAMES0, entries(draft, GAMES0)[:11])


@museum(7, f"{GAMES0} entry 0")
def a_journal_is_empty(draft: Draft) -> None:
    retell(draft, GAMES0, [])


@museum(7, f"{GAMES0} entry 6")
def an_entry_is_removed(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    retell(draft, GAMES0, story[:6] + story[7:])


@museum(7, f"{GAMES0} entry 7")
def an_entry_is_doubled(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    retell(draft, GAMES0, story[:7] + story[6:])


@museum(7, f"{GAMES0} entry 6")
def two_entries_change_places(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    retell(draft, GAMES0, [*story[:6], story[7], story[6], *story[8:]])


@museum(7, f"{HANDS} entry 4")
def an_entry_moves_to_another_stream(draft: Draft) -> None:
    story = entries(draft, HANDS)
    retell(draft, HANDS, [*story[:4], entries(draft, GAMES0)[3], *story[4:]])


@museum(7, f"{GAMES0} entry 0")
def the_games_of_another_stream_are_told_again(draft: Draft) -> None:
    retell(draft, GAMES0, entries(draft, GAMES1))


@museum(7, f"{GAMES0} entry 1")
def an_answer_is_changed_so_that_the_game_is_another(draft: Draft) -> None:
    retell(draft, GAMES0, edited(entries(draft, GAMES0), 0, answer=Reply(text="MOVE: a1a1")))


@museum(7, f"{HANDS} entry 1")
def a_call_becomes_a_fault(draft: Draft) -> None:
    retell(draft, HANDS, edited(entries(draft, HANDS), 0, answer=NoReply(reason="refused")))


@museum(7, f"{GAMES0} entry 4")
def a_prompt_was_another_one(draft: Draft) -> None:
    change_question(draft, 4, digest="0" * 64)


@museum(7, f"{GAMES0} entry 4")
def a_question_went_to_another_seat(draft: Draft) -> None:
    change_question(draft, 4, to="other")


@museum(7, f"{GAMES0} entry 4")
def a_question_was_asked_at_another_turn(draft: Draft) -> None:
    change_question(draft, 4, turn=5)


@museum(7, f"{GAMES0} entry 4")
def a_question_was_a_second_attempt(draft: Draft) -> None:
    change_question(draft, 4, attempt=1)


@museum(7, f"{GAMES0} entry 4")
def a_question_belongs_to_another_game(draft: Draft) -> None:
    change_question(draft, 4, game=f"{CHESS0}-g00004")


def change_question(draft: Draft, at: int, **changes: object) -> None:
    story = entries(draft, GAMES0)
    retell(draft, GAMES0, edited(story, at, question=msgspec.structs.replace(story[at].question, **changes)))


@museum(7, f"{GAMES0} entry 0")
def the_run_was_sealed_after_it_was_played(draft: Draft) -> None:
    """A price is changed and every journal is told again in the new run's name: other starts, other cards."""
    price = {"input_usd": "0", "cached_usd": "0", "output_usd": "0"}
    replace_manifest(draft, lambda value: value["plan"]["prices"].update(agent=price))
    run = draft.manifest.run_id
    for stream in draft.streams():
        put(draft, stream, chained(entries(draft, stream), run=run))
    reseal_journal(draft)


@museum(6, f"{GAMES0} entry 0")
def a_price_was_changed_after_the_run(draft: Draft) -> None:
    price = {"input_usd": "0", "cached_usd": "0", "output_usd": "0"}
    replace_manifest(draft, lambda value: value["plan"]["prices"].update(agent=price))
    reseal(draft)


# --- 8 gate --------------------------------------------------------------------------------------


@museum(8, bundle.INDEX_FILE)
def phase_1_was_played_after_a_failed_phase_0(draft: Draft) -> None:
    """The hands of another match, told again under the name of the one that was stopped."""
    stopped = stream_name(POKER1)
    story = [
        msgspec.structs.replace(entry, question=requestioned(entry.question)) for entry in entries(draft, HANDS)
    ]
    put(draft, stopped, chained(story, stream=stopped))
    answer_again(draft, stopped)
    reindex(draft, sorted([*draft.streams(), stopped], key=promised_order))
    rescore(draft)
    reseal(draft)


def requestioned(question: Any) -> Any:
    game = question.game.replace("-other-", "-agent-")
    return msgspec.structs.replace(question, to="agent", game=game)


def answer_again(draft: Draft, stream: str) -> None:
    """Ask the stream's own questions, and keep the answers that are there."""
    from agzamov_verify.checks.opening import seed_dice
    from agzamov_verify.journal import asked
    from agzamov_verify.phases.streams import block_script, streams_of
    from agzamov_verify.script import drive
    from bundles.workshop import SECRET

    plan = draft.manifest.plan
    promised = next(one for match in plan.matches for one in streams_of(match) if one.id == stream)
    story, answered = entries(draft, stream), []

    def answer(question: Any) -> Any:
        entry = story[len(answered)]
        answered.append(msgspec.structs.replace(entry, question=asked(question)))
        return entry.answer

    drive(block_script(promised, plan, seed_dice(draft.manifest, SECRET)), answer)
    put(draft, stream, chained(answered))
    fit_laps(draft, stream)


def promised_order(stream: str) -> int:
    return [CHESS0, POKER0, CHESS1, POKER1, POKER_OTHER].index(stream[: -len("-b00000")])


def forget(draft: Draft, *streams: str) -> None:
    """As if these streams had never been played."""
    for stream in streams:
        draft.files.pop(journal_file(stream))
        draft.files.pop(bundle.timing_name(stream))
    reindex(draft, [stream for stream in draft.streams() if stream not in streams])


@museum(8, bundle.INDEX_FILE)
def phase_1_is_missing_after_a_passed_phase_0(draft: Draft) -> None:
    forget(draft, SELF_PLAY)
    rescore(draft)
    reseal(draft)


@museum(8, bundle.INDEX_FILE)
def the_pairs_that_went_badly_are_left_out(draft: Draft) -> None:
    forget(draft, GAMES1)
    rescore(draft)
    reseal(draft)


@museum(8, bundle.INDEX_FILE)
def a_whole_phase_0_match_is_left_out(draft: Draft) -> None:
    forget(draft, stream_name(POKER0), stream_name(POKER0, 1))
    rescore(draft)
    reseal(draft)


@museum(8, bundle.INDEX_FILE)
def nothing_was_played(draft: Draft) -> None:
    forget(draft, *draft.streams())
    rescore(draft)
    reseal(draft)


@museum(8, bundle.INDEX_FILE)
def two_streams_change_places(draft: Draft) -> None:
    first, second, *others = draft.streams()
    reindex(draft, [second, first, *others])
    rescore(draft)
    reseal(draft)


# --- 10 results ----------------------------------------------------------------------------------


def change_results(draft: Draft, at: int, **changes: object) -> None:
    """Figures of one match changed, and the claims with them."""
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][at]["result"].update(changes)
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $.matches[0].result.adjudicated.losses")
def a_winner_is_flipped(draft: Draft) -> None:
    score = draft.json(bundle.RESULTS_FILE)["matches"][0]["result"]["adjudicated"]
    change_results(draft, 0, adjudicated={**score, "wins": score["wins"] - 1, "losses": score["losses"] + 1})


@museum(10, f"{bundle.RESULTS_FILE} $.matches[1].result.net_chips")
def chips_are_added_to_a_balance(draft: Draft) -> None:
    change_results(draft, 1, net_chips=10_000)


@museum(10, f"{bundle.RESULTS_FILE} $.matches[0].result.adjudicated.score_ci.low")
def an_interval_is_narrowed(draft: Draft) -> None:
    score = draft.json(bundle.RESULTS_FILE)["matches"][0]["result"]["adjudicated"]
    change_results(draft, 0, adjudicated={**score, "score_ci": {**score["score_ci"], "low": "1.234567"}})


@museum(10, f"{bundle.RESULTS_FILE} $.matches[1].gate.passed")
def a_failed_phase_0_is_called_passed(draft: Draft) -> None:
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][1]["gate"]["passed"] = True
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $.matches[0].conduct[0].cost_usd.decimal")
def a_cost_is_made_up(draft: Draft) -> None:
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][0]["conduct"][0]["cost_usd"]["decimal"] = "6.110000"
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $.departures")
def departures_from_the_protocol_are_hidden(draft: Draft) -> None:
    draft.put_json(bundle.RESULTS_FILE, {**draft.json(bundle.RESULTS_FILE), "departures": []})
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $")
def the_results_have_one_field_more(draft: Draft) -> None:
    draft.put_json(bundle.RESULTS_FILE, {**draft.json(bundle.RESULTS_FILE), "rating": 2850})
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $")
def the_results_are_no_json(draft: Draft) -> None:
    draft.files[bundle.RESULTS_FILE] = b"won everything\n"
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $")
def the_results_are_not_canonical(draft: Draft) -> None:
    draft.files[bundle.RESULTS_FILE] += b"\n"
    reseal(draft)


@museum(10, bundle.RESULTS_FILE)
def there_are_no_results(draft: Draft) -> None:
    del draft.files[bundle.RESULTS_FILE]
    reseal(draft)


@museum(10, f"{bundle.TIMING_FILE} $.matches.{CHESS0}.agent.mean_ms.decimal")
def the_timing_table_is_flattered(draft: Draft) -> None:
    value = draft.json(bundle.TIMING_FILE)
    value["matches"][CHESS0]["agent"]["mean_ms"]["decimal"] = "0.100000"
    draft.put_json(bundle.TIMING_FILE, value)
    reseal(draft)


@museum(10, bundle.timing_name(GAMES0))
def a_timing_file_is_missing(draft: Draft) -> None:
    del draft.files[bundle.timing_name(GAMES0)]
    reseal(draft)


@museum(10, bundle.timing_name(GAMES0))
def a_timing_file_has_a_lap_too_few(draft: Draft) -> None:
    put_laps(draft, GAMES0, laps(draft, GAMES0)[:-1])
    reseal(draft)


@museum(10, bundle.timing_name(GAMES0))
def a_timing_file_has_a_lap_too_many(draft: Draft) -> None:
    put_laps(draft, GAMES0, [*laps(draft, GAMES0), b'{"to":"agent","us":1}'])
    reseal(draft)


@museum(10, bundle.timing_name(GAMES0))
def a_lap_takes_negative_time(draft: Draft) -> None:
    put_laps(draft, GAMES0, [b'{"to":"agent","us":-1}', *laps(draft, GAMES0)[1:]])
    reseal(draft)


@museum(10, bundle.timing_name(GAMES0))
def a_lap_is_no_lap(draft: Draft) -> None:
    put_laps(draft, GAMES0, [b"a while", *laps(draft, GAMES0)[1:]])
    reseal(draft)


@museum(10, f"{bundle.TIMING_FILE} $.matches.{CHESS0}")
def a_lap_names_somebody_else(draft: Draft) -> None:
    put_laps(draft, GAMES0, [b'{"to":"ghost","us":1500}', *laps(draft, GAMES0)[1:]])
    reseal(draft)


# --- 11 claims -----------------------------------------------------------------------------------


@museum(11, f"claim {CHESS1}/score")
def a_claim_is_higher_than_the_results(draft: Draft) -> None:
    draft.predicate["claims"][f"{CHESS1}/score"] = "0.990000"
    sign(draft)


@museum(11, f"claim {POKER0}/bb_per_100")
def a_claim_is_left_out(draft: Draft) -> None:
    del draft.predicate["claims"][f"{POKER0}/bb_per_100"]
    sign(draft)


@museum(11, "claim elo")
def a_claim_is_invented(draft: Draft) -> None:
    draft.predicate["claims"]["elo"] = "2850"
    sign(draft)


@museum(11, "claim compliant")
def a_departing_run_is_called_compliant(draft: Draft) -> None:
    draft.predicate["claims"]["compliant"] = "yes"
    sign(draft)


@museum(11, "statement recomputability")
def replies_are_said_to_be_recomputed(draft: Draft) -> None:
    draft.predicate["recomputability"]["replies"] = "recomputed"
    sign(draft)


# --- the visit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", museum, ids=[piece.name for piece in museum])
def test_a_bundle_with_one_defect_fails_one_step_at_one_place(piece: Piece, small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    piece.forge(draft)
    verdict = check(draft.write(tmp_path))
    assert failed_steps(verdict) == [piece.step], told(verdict)
    assert verdict.findings[0].place == piece.place, told(verdict)
    assert verdict.level == "V0"
    assert all(step.status in ("pass", "not_applicable") for step in verdict.steps[: piece.step - 1])
    assert cli.exit_code(verdict) == 1


def test_the_good_bundle_is_at_v1(small: Path) -> None:
    verdict = check(small)
    assert (verdict.level, verdict.findings, cli.exit_code(verdict)) == ("V1", [], 0)


def test_a_good_bundle_sealed_again_is_the_same_to_the_byte(small: Path) -> None:
    draft = Draft.of(small)
    before = dict(draft.files)
    reindex(draft)
    rescore(draft)
    reseal(draft)
    assert before == draft.files


def test_every_step_but_the_engines_has_a_piece_here() -> None:
    assert {1, 2, 3, 4, 5, 6, 7, 8, 10, 11} == {piece.step for piece in museum}


def test_a_file_under_attest_may_be_added_later(small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    draft.files["attest/replay-01234567.dsse.json"] = b"{}"
    assert check(draft.write(tmp_path)).level == "V1"


def test_a_remark_that_changes_nothing_is_accepted_once_everything_is_sealed_again(
    small: Path, tmp_path: Path
) -> None:
    """The owner's own fiction: V1 does not show that a reply was given, and says so."""
    draft = Draft.of(small)
    story = entries(draft, GAMES0)
    put(draft, GAMES0, chained(edited(story, 7, answer=embellished(story[7].answer))))
    reseal_journal(draft)
    verdict = check(draft.write(tmp_path))
    assert verdict.level == "V1", told(verdict)


def test_another_key_than_the_expected_one_is_refused(small: Path) -> None:
    stranger = envelope.key_id(STRANGER.public_key())
    verdict = check(small, expected_key_id=stranger)
    assert (failed_steps(verdict), verdict.findings[0].place) == ([3], bundle.KEY_FILE)
    assert stranger in verdict.findings[0].expected


def test_the_expected_key_is_accepted(small: Path) -> None:
    assert check(small, expected_key_id=envelope.key_id(SUBMITTER.public_key())).level == "V1"


def test_the_command_answers_with_the_documented_exit_codes(small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    a_winner_is_flipped(draft)
    bad = draft.write(tmp_path)
    key = tmp_path / "stranger.pem"
    key.write_bytes(keys.public_pem(STRANGER))
    runner = CliRunner()
    codes = [
        runner.invoke(cli.main, ["check", *arguments, "--jobs", "1"]).exit_code
        for arguments in (
            [str(small)],
            [str(bad)],
            [str(small), "--key", str(key)],
            [str(tmp_path / "nowhere")],
            [str(small), "--key", str(small / "bagit.txt")],
        )
    ]
    assert codes == [0, 1, 1, 2, 2]
