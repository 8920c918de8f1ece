"""Defects of the sealed manifest and of the seed."""

from typing import Any

from agzamov_verify import bundle
from bundles.bundle_factory import (
    STRANGER,
    Draft,
    bind,
    checksum,
    replace_key,
    replace_manifest,
    reseal,
    sign,
)
from bundles.tampered_bundles.cases import TamperedCases

tampered = TamperedCases()

# --- 4 manifest -------------------------------------------------------------------------------------


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environment_was_left_out_before_sealing(draft: Draft) -> None:
    del draft.files[bundle.ENVIRONMENT_FILE]
    reseal(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environment_is_not_canonical(draft: Draft) -> None:
    draft.files[bundle.ENVIRONMENT_FILE] += b"\n"
    reseal(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environment_names_another_format(draft: Draft) -> None:
    environment = draft.json(bundle.ENVIRONMENT_FILE)
    draft.put_json(bundle.ENVIRONMENT_FILE, {**environment, "format": "agz-environment-2"})
    reseal(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environment_claims_another_isolation(draft: Draft) -> None:
    environment = draft.files[bundle.ENVIRONMENT_FILE]
    draft.files[bundle.ENVIRONMENT_FILE] = environment.replace(b'"isolation":"process"', b'"isolation":"container"')
    reseal(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environment_names_a_container_that_nothing_promised(draft: Draft) -> None:
    environment = draft.json(bundle.ENVIRONMENT_FILE)
    draft.put_json(bundle.ENVIRONMENT_FILE, {**environment, "containers": [{"part": "engine", "image": "0" * 64}]})
    reseal(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environments_containers_are_no_list(draft: Draft) -> None:
    environment = draft.json(bundle.ENVIRONMENT_FILE)
    draft.put_json(bundle.ENVIRONMENT_FILE, {**environment, "containers": "none"})
    reseal(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environment_has_a_field_that_nobody_knows(draft: Draft) -> None:
    environment = draft.json(bundle.ENVIRONMENT_FILE)
    draft.put_json(bundle.ENVIRONMENT_FILE, {**environment, "remark": "x" * 1_000_000})
    reseal(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environments_cores_are_no_number(draft: Draft) -> None:
    environment = draft.json(bundle.ENVIRONMENT_FILE)
    draft.put_json(bundle.ENVIRONMENT_FILE, {**environment, "cores": "many"})
    reseal(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environments_processor_has_a_name_of_a_page(draft: Draft) -> None:
    environment = draft.json(bundle.ENVIRONMENT_FILE)
    draft.put_json(bundle.ENVIRONMENT_FILE, {**environment, "cpu": "x" * 201})
    reseal(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environment_does_not_say_whether_the_program_was_changed(draft: Draft) -> None:
    environment = draft.json(bundle.ENVIRONMENT_FILE)
    program = {name: value for name, value in environment["sealed_by"].items() if name != "modified"}
    draft.put_json(bundle.ENVIRONMENT_FILE, {**environment, "sealed_by": program})
    reseal(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def the_environment_is_larger_than_one_may_be(draft: Draft) -> None:
    environment = draft.json(bundle.ENVIRONMENT_FILE)
    draft.put_json(bundle.ENVIRONMENT_FILE, {**environment, "executions": ["x" * 2**16] * 17})
    reseal(draft)


@tampered(4, "manifest images")
def a_run_of_processes_pins_an_image(draft: Draft) -> None:
    pin = {"config_digest": "0" * 64, "manifest_digest": "0" * 64, "tree_digest": "0" * 64, "diff_ids": ["0" * 64]}
    environment = draft.json(bundle.ENVIRONMENT_FILE)
    draft.put_json(bundle.ENVIRONMENT_FILE, {**environment, "containers": [{"part": "engine", "image": "0" * 64}]})
    replace_manifest(draft, lambda value: value.update(images={"engine": pin}))
    reseal(draft)


@tampered(4, "manifest models")
def weights_are_pinned_for_a_seat_without_any(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value.update(models={"agent": {"sha256": "0" * 64, "size_bytes": 1}}))
    reseal(draft)


@tampered(4, f"{bundle.WEIGHTS_FILE} checks[0]")
def the_weights_were_altered_while_they_played(draft: Draft) -> None:
    note = {"checks": [{"altered": "expected the sealed weights", "seats": {}, "when": "after", "witness": {}}]}
    draft.put_json(bundle.WEIGHTS_FILE, note)
    reseal(draft)


@tampered(4, f"{bundle.WEIGHTS_FILE} checks[0]")
def other_weights_were_found_than_were_sealed(draft: Draft) -> None:
    found = {"agent": {"sha256": "0" * 64, "size_bytes": 1}}
    draft.put_json(bundle.WEIGHTS_FILE, {"checks": [{"altered": "", "seats": found, "when": "before", "witness": {}}]})
    reseal(draft)


@tampered(4, bundle.WEIGHTS_FILE)
def the_note_on_weights_is_something_else(draft: Draft) -> None:
    draft.put_json(bundle.WEIGHTS_FILE, {"checks": "all fine"})
    reseal(draft)


@tampered(4, "manifest engine")
def an_engine_is_pinned_that_nothing_asks(draft: Draft) -> None:
    pin = {"name": "Stockfish 16", "net_sha256": "0" * 64, "binary_sha256": "0" * 64}
    replace_manifest(draft, lambda value: value.update(engine=pin))
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def the_manifest_is_not_canonical(draft: Draft) -> None:
    draft.files[bundle.MANIFEST_FILE] = draft.files[bundle.MANIFEST_FILE].replace(b":", b": ", 1)
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def the_manifest_has_an_unknown_key(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value.update(comment="trust me"))
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def the_manifest_names_another_format(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value.update(format="agz-manifest-2"))
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def the_manifest_leaves_out_what_an_older_program_did_not_know(draft: Draft) -> None:
    """So that a rule which no key names would not be compared."""

    def older(value: dict[str, Any]) -> None:
        del value["images"], value["models"]
        del value["plan"]["analysis"], value["plan"]["holdem"]["mirrored"], value["plan"]["quality"]

    replace_manifest(draft, older)
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def the_plan_has_an_unknown_key(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["seed"].update(luck="good"))
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def a_key_of_the_plan_is_a_homoglyph(draft: Draft) -> None:
    name = b'"plies_max"'
    assert name in draft.files[bundle.MANIFEST_FILE]
    homoglyph = '"pli\N{CYRILLIC SMALL LETTER IE}s_max"'.encode()
    draft.files[bundle.MANIFEST_FILE] = draft.files[bundle.MANIFEST_FILE].replace(name, homoglyph)
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def a_default_is_left_out(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["engine"].pop("hash_mib"))
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def the_manifest_lacks_its_nonce(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value.pop("nonce"))
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def the_manifest_has_a_key_twice(draft: Draft) -> None:
    twice = draft.files[bundle.MANIFEST_FILE].replace(b'"title":"Small"', b'"title":"Big","title":"Small"')
    draft.files[bundle.MANIFEST_FILE] = twice
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def the_manifest_has_a_float(draft: Draft) -> None:
    draft.files[bundle.MANIFEST_FILE] = draft.files[bundle.MANIFEST_FILE].replace(b'"games":6', b'"games":6.0')
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def the_manifest_has_an_integer_beyond_2_to_the_53(draft: Draft) -> None:
    huge = str(2**53).encode()
    draft.files[bundle.MANIFEST_FILE] = draft.files[bundle.MANIFEST_FILE].replace(b'"games":6', b'"games":' + huge)
    reseal(draft)


@tampered(4, bundle.MANIFEST_FILE)
def the_protocol_is_unknown(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"].update(protocol="agz-9.9"))
    draft.predicate["protocol"] = "agz-9.9"
    reseal(draft)


@tampered(4, f"{bundle.MANIFEST_FILE} plan.matches[0]")
def the_plan_has_an_odd_number_of_games(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["matches"][0].update(games=5))
    reseal(draft)


@tampered(4, f"{bundle.MANIFEST_FILE} plan.matches[1].b")
def phase_0_is_played_against_a_chosen_opponent(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["matches"][1].update(b="other"))
    reseal(draft)


@tampered(4, f"{bundle.MANIFEST_FILE} plan.holdem.session_hands")
def the_plan_has_sessions_of_no_hands(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["holdem"].update(session_hands=0))
    reseal(draft)


@tampered(4, f"{bundle.MANIFEST_FILE} plan.chess960.plies_max")
def the_plan_has_games_without_end(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["chess960"].update(plies_max=10**6))
    reseal(draft)


@tampered(4, f"{bundle.MANIFEST_FILE} plan.matches[2].a")
def a_match_names_a_seat_that_is_not_there(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["plan"]["matches"][2].update(a="ghost", b="ghost"))
    reseal(draft)


@tampered(4, "manifest prompts_sha256")
def the_manifest_pins_other_prompts(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["prompts_sha256"].update({"chess960/system": "0" * 64}))
    reseal(draft)


@tampered(4, "manifest prompts_sha256")
def the_manifest_leaves_a_prompt_unpinned(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value["prompts_sha256"].pop("holdem/system"))
    reseal(draft)


@tampered(4, "manifest protocol_sha256")
def the_manifest_pins_other_norms(draft: Draft) -> None:
    replace_manifest(draft, lambda value: value.update(protocol_sha256="0" * 64))
    reseal(draft)


@tampered(4, "manifest submitter_key_id")
def another_key_signed_than_the_one_that_sealed(draft: Draft) -> None:
    replace_key(draft, STRANGER)
    reseal(draft)


@tampered(4, "statement manifest_sha256")
def the_statement_is_about_another_manifest(draft: Draft) -> None:
    bind(draft)
    draft.predicate["manifest_sha256"] = "0" * 64
    checksum(draft)
    sign(draft)


@tampered(4, "statement run")
def the_statement_is_about_another_run(draft: Draft) -> None:
    draft.predicate["run"] = "0" * 16
    sign(draft)


@tampered(4, "statement protocol")
def the_statement_names_another_protocol(draft: Draft) -> None:
    draft.predicate["protocol"] = "agz-1.0"
    sign(draft)


@tampered(4, bundle.ENVIRONMENT_FILE)
def there_is_no_environment(draft: Draft) -> None:
    del draft.files[bundle.ENVIRONMENT_FILE]
    reseal(draft)


# --- 5 seed -----------------------------------------------------------------------------------------


@tampered(5, "statement seed.secret")
def the_revealed_secret_is_not_the_committed_one(draft: Draft) -> None:
    draft.predicate["seed"]["secret"] = "00" * 32
    sign(draft)


@tampered(5, "statement seed.secret")
def the_revealed_secret_is_no_hexadecimal(draft: Draft) -> None:
    draft.predicate["seed"]["secret"] = "the usual one"
    sign(draft)


@tampered(5, "statement seed.origin")
def the_seed_is_said_to_come_from_a_season(draft: Draft) -> None:
    draft.predicate["seed"]["origin"] = "season"
    sign(draft)
