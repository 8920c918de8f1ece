"""From YAML to a sealed manifest: every fault is one line that says what is wrong, where, and what to do."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
import yaml

from agzamov_harness.foundation import checked_yaml
from agzamov_harness.foundation.checked_yaml import YAML_BYTES_MAX
from agzamov_harness.run import plan_file, run_folder
from agzamov_harness.run.plan_file import DRAFT_HINT, plan_from, read_plan
from agzamov_harness.run.seal import seal
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import key_id
from agzamov_verify.engines.uci_engine import NAME, NET_SHA256, EngineFault, find_engine
from agzamov_verify.plan.manifest import Manifest, ManifestError, load_manifest, prompt_digests
from agzamov_verify.plan.plan_problems import needs_engine
from agzamov_verify.plan.schema import plan_schema
from agzamov_verify.protocols.document_shape import OutsideShape
from agzamov_verify.protocols.norms import protocol_sha256
from agzamov_verify.scoring.departures import departures
from bundles.bundle_factory import SUBMITTER
from script_modules import script

ROOT = Path(__file__).parents[2]
FORMATS = ROOT / "docs" / "formats"
KEY_ID = key_id(SUBMITTER.public_key())
SECRET = bytes(range(32))

GOOD = """\
title: T
seats:
  model: {kind: reference}
  dice: {kind: random}
matches:
  - {phase: 0, game: chess960, a: model, b: dice, games: 30}
"""
ENDPOINT = "kind: openai, base_url: 'http://127.0.0.1/v1', model: m"
KNOWN = (
    "analysis, budget, chess, chess960, draughts, engine, holdem, holdem_ring, holdem_sit_and_go, isolation, "
    "matches, naked_prompt, people, prices, protocol, quality, seats, seed, stop_when, systems, title, werewolf"
)
PARAMETERS = "max_completion_tokens, max_tokens, seed, temperature, top_p"
NAME_WANTED = "expected a name of up to 32 small letters, digits and underscores, with a letter first"
DECIMAL_WANTED = "expected a decimal number of up to nine digits before and after the point"
URL_WANTED = "expected an address that starts with http:// or https://, without user, query or fragment"
WHOLE_WANTED = "expected a whole number of at most 16 decimal digits"
QUOTES = "put it in quotes if it is text"
COLON_WANTED = "expected 'key: value', with a colon and a space, found no colon and space after"
NO_ALIASES = "anchors and aliases are not allowed; write the values out"


def instead(old: str, new: str) -> str:
    """The good plan with one place changed."""
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def model(fields: str) -> str:
    """The good plan with an endpoint for its model, and these fields."""
    return instead("kind: reference", f"{ENDPOINT}, {fields}")


# What the text is; the text; the one line that a person reads.
FAULTS: list[tuple[str, str | bytes, str]] = [
    ("an empty file", "", "plan: expected keys and values, found nothing"),
    ("only a comment", "# later\n", "plan: expected keys and values, found nothing"),
    ("a list at the top", "- a\n- b\n", "plan: expected keys and values, found a list"),
    ("a word at the top", "hello", "plan: expected keys and values, found 'hello'"),
    ("an unknown key", GOOD + "sets: 3\n", f"plan: unknown key 'sets'; did you mean seats? known keys are {KNOWN}"),
    (
        "an unknown key of a seat",
        instead("kind: reference", "kind: reference, temprature: 1"),
        "seats.model: unknown key 'temprature'; known keys are briefing, kind, patterns",
    ),
    (
        "a key with a look-alike letter",
        instead("a: model", "a: model, g\u0430mes: 2"),
        (
            r"matches[0]: unknown key 'g\u0430mes'; did you mean games? known keys are a, b, b_condition, "
            "block_games, careers, condition, game, games, others, phase, positions, shifts"
        ),
    ),
    ("a missing key", instead("title: T\n", ""), "title: expected this key, found nothing"),
    ("a seat without its kind", instead("kind: random", ""), "seats.dice.kind: expected this key, found nothing"),
    ("a match without its game", instead("game: chess960, ", ""), "matches[0].game: expected this key, found nothing"),
    (
        "a misspelt kind",
        instead("kind: random", "kind: radnom"),
        (
            "seats.dice.kind: expected one of benchmark, gguf, human, novice, ollama, openai, random, reference, "
            "stockfish, uci, found 'radnom'; did you mean random?"
        ),
    ),
    (
        "a misspelt policy",
        GOOD + "chess960: {adjudication: {policy: stokfish}}\n",
        (
            "chess960.adjudication.policy: expected one of material, none, stockfish, found 'stokfish'; "
            "did you mean stockfish?"
        ),
    ),
    (
        "an unknown protocol",
        GOOD + "protocol: agz-9\n",
        "protocol: expected one of agz-0.1, arena-0.1, people-0.1, play-0.1, found 'agz-9'",
    ),
    (
        "an unknown phase",
        instead("phase: 0", "phase: 7"),
        "matches[0].phase: expected one of 0, 1, 2, 3, 4, 5, 6, found 7",
    ),
    ("a word for a number", instead("30", "thirty"), "matches[0].games: expected a whole number, found 'thirty'"),
    ("a decimal for a number", instead("30", "30.0"), "matches[0].games: expected a whole number, found '30.0'"),
    ("yes for a number", instead("30", "yes"), "matches[0].games: expected a whole number, found true"),
    ("nothing for a text", instead("title: T", "title:"), "title: expected text, found nothing"),
    ("a number for a text", instead("title: T", "title: 2026"), f"title: expected text, found 2026; {QUOTES}"),
    ("a list for seats", "title: T\nseats: [a]\nmatches: []\n", "seats: expected keys and values, found a list"),
    (
        "a name for a seat at the table",
        instead("games: 30", "games: 30, others: [dice]"),
        "matches[0].others[0]: expected keys and values such as {seat: ...}, found 'dice'",
    ),
    (
        "a text for a list",
        model("accepts: seed"),
        "seats.model.accepts: expected a list, found 'seed'",
    ),
    (
        "a parameter that is never sent",
        model("accepts: [seed, logprobs]"),
        f"seats.model.accepts[1]: expected one of {PARAMETERS}, found 'logprobs'",
    ),
    (
        "a misspelt class of positions",
        instead("games: 30", "games: 30, positions: slightly"),
        (
            "matches[0].positions: expected one of equal, mate, severe, slight, won or nothing, found 'slightly'; "
            "did you mean slight?"
        ),
    ),
    (
        "a list without an entry",
        GOOD + "systems: {t: {kind: tools, offers: []}}\n",
        "systems.t.offers: expected at least 1 in the list, found a list",
    ),
    ("a number that is too small", instead("30", "0"), "matches[0].games: expected at least 1, found 0"),
    (
        "a number that is too large",
        instead("30", "10000002"),
        "matches[0].games: expected at most 10000000, found 10000002",
    ),
    (
        "a number that no JSON reader keeps",
        GOOD + "chess960: {adjudication: {threshold_centipawns: 9007199254740992}}\n",
        "chess960.adjudication.threshold_centipawns: expected |n| <= 2^53 - 1, found a larger integer",
    ),
    (
        "a huge number",
        instead("30", "9" * 5000),
        f"line 6 column 58: {WHOLE_WANTED}, found '{'9' * 60}' and on, 5000 characters; {QUOTES}",
    ),
    ("an octal number", instead("30", "030"), f"line 6 column 58: {WHOLE_WANTED}, found '030'; {QUOTES}"),
    ("a time of day", instead("30", "12:30"), f"line 6 column 58: {WHOLE_WANTED}, found '12:30'; {QUOTES}"),
    ("a negative temperature", model("temperature: -1"), f"seats.model.temperature: {DECIMAL_WANTED}, found '-1'"),
    (
        "a temperature like 1e1",
        model("temperature: 1.e+1"),
        f"seats.model.temperature: {DECIMAL_WANTED}, found '1.e+1'",
    ),
    ("an infinite temperature", model("temperature: .inf"), f"seats.model.temperature: {DECIMAL_WANTED}, found '.inf'"),
    ("a true temperature", model("temperature: true"), "seats.model.temperature: expected text, found true"),
    ("a hot temperature", model("temperature: 2.1"), "seats.model.temperature: expected 0 to 2, found 2.1"),
    (
        "a long title",
        instead("title: T", f"title: {'x' * 201}"),
        f"title: expected at most 200 characters, found '{'x' * 60}' and on, 201 characters",
    ),
    (
        "an escape in the title",
        instead("title: T", r'title: "\e[31m"'),
        r"title: expected one line of text without control characters, found '\x1b[31m'",
    ),
    (
        "a line feed after the title",
        instead("title: T", r'title: "T\n"'),
        r"title: expected one line of text without control characters, found 'T\n'",
    ),
    (
        "half of a surrogate pair",
        instead("title: T", r'title: "\ud800"'),
        "line 1 column 8: expected Unicode text, found half of a surrogate pair",
    ),
    (
        "a character that does not exist",
        instead("title: T", r'title: "\UFFFFFFFF"'),
        "plan: expected escapes of valid characters, found an invalid one",
    ),
    ("a NUL", instead("title: T", "title: \0"), "character 8: expected text, found a control character"),
    ("another encoding", GOOD.encode().replace(b"T\n", b"\xe9\n"), "byte 7: expected UTF-8, found another encoding"),
    ("UTF-16", GOOD.encode("utf-16"), "byte 0: expected UTF-8, found another encoding"),
    (
        "a tab for an indent",
        instead("  model", "\tmodel"),
        "line 3 column 1: expected spaces, found a tab: YAML indents with spaces alone, so put spaces in its place",
    ),
    (
        "a key without its colon",
        GOOD + "protocol agz-0.1\nbudget: {}\n",
        f"line 7: {COLON_WANTED} protocol",
    ),
    (
        "a key without its colon, and others below it",
        GOOD.replace("seats:\n", "seats\n"),
        f"line 2: {COLON_WANTED} seats",
    ),
    (
        "a colon without its space",
        GOOD + "engine:\n  nodes:50\n  hash_mib: 16\n",
        f"line 8: {COLON_WANTED} nodes",
    ),
    (
        "a key in brackets without its colon",
        instead("kind: random", "kind random"),
        f"seats.dice.kind: {COLON_WANTED} kind",
    ),
    (
        "a colon without its space in brackets",
        instead("a: model", "a:model"),
        f"matches[0].a: {COLON_WANTED} a",
    ),
    (
        "a colon without its space after a key that may be left out",
        instead("games: 30", "games:30"),
        f"matches[0]: {COLON_WANTED} games",
    ),
    (
        "a colon in a value",
        instead("title: T", "title: T: a try"),
        (
            "line 1 column 9: expected one key in a line, found a second colon: put the value in quotes if the colon "
            "belongs to it"
        ),
    ),
    (
        "a deeper indent after a value",
        instead("title: T\nseats:", "title: T\n  seats:"),
        "line 2: expected the indent of the key above, which has a value already, found a deeper one",
    ),
    (
        "an indent that fits nothing",
        instead("  dice: {", " dice: {"),
        "line 4: expected the indent of a line above, or a dash and a space before a list's entry, found neither",
    ),
    (
        "an entry of a list without its dash",
        GOOD + "  {phase: 1}\n",
        "line 7: expected a dash and a space before this entry of the list, as before the one above",
    ),
    (
        "a bracket too many",
        instead("kind: random}", "kind: random}}"),
        "line 4 column 23: expected no '}' here: nothing is open that it would close",
    ),
    (
        "no comma between two keys",
        instead("kind: random", "kind: random patterns: []"),
        "line 4 column 31: expected a comma between two entries, or '}' after the last one",
    ),
    (
        "a quotation mark that nothing ends",
        instead("title: T", 'title: "T'),
        "line 1 column 8: expected a second quotation mark that ends this text, found none",
    ),
    (
        "a character that text may not begin with",
        instead("title: T", "title: @T"),
        "line 1 column 8: expected text in quotes, found '@' without them: put the value in quotes",
    ),
    (
        "a digest of digits alone",
        model(f"briefing: {'1234567890' * 6}1234"),
        "line 3 column 78: expected a digest in quotes, found 64 digits without: YAML reads digits alone as a number",
    ),
    (
        "an open bracket",
        GOOD + "budget: {",
        "line 7 column 9: expected '}' after the last entry, and commas between them, found this '{' still open",
    ),
    (
        "two documents",
        GOOD + "---\n" + GOOD,
        "line 7 column 1: expected a single document in the stream: but found another document",
    ),
    ("thousands of brackets", "[" * 5000, "plan: expected a few levels of nesting, found hundreds"),
    ("a key twice", GOOD + "title: U\n", "line 7 column 1: the key 'title' stands twice; keep one"),
    (
        "a key twice in a match",
        instead("phase: 0", "phase: 0, phase: 1"),
        "line 6 column 16: the key 'phase' stands twice; keep one",
    ),
    ("a billion laughs", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", f"line 1 column 4: {NO_ALIASES}"),
    ("an alias of nothing", instead("T\n", "*T\n"), f"line 1 column 8: {NO_ALIASES}"),
    (
        "a merge key",
        instead("kind: random", "<<: {kind: random}"),
        f"line 4 column 10: expected text as a key, found '<<'; {QUOTES}",
    ),
    (
        "a key that YAML reads as false",
        instead("dice: {", "no: {"),
        f"line 4 column 3: expected text as a key, found 'no'; {QUOTES}",
    ),
    (
        "a list as a key",
        instead("dice: {kind: random}", "? [x]\n  : {kind: random}"),
        f"line 4 column 5: expected text as a key, found a list or keys and values; {QUOTES}",
    ),
    (
        "a tag that would make an object",
        instead("title: T", "title: !!python/object/apply:os.system [id]"),
        "line 1 column 8: tags are not allowed; write the plain value",
    ),
    (
        "a tag that would change a type",
        instead("T\n", "!!bool maybe\n"),
        "line 1 column 8: tags are not allowed; write the plain value",
    ),
    (
        "a capital in a name",
        GOOD.replace("dice", "Dice").replace("b: Dice", "b: dice"),
        f"seats: {NAME_WANTED}, found 'Dice'",
    ),
    (
        "another scheme",
        model("").replace("http://127.0.0.1", "ftp://x"),
        f"seats.model.base_url: {URL_WANTED}, found something else",
    ),
    (
        "an odd number of games",
        instead("30", "31"),
        ("matches[0]: expected even games and block_games, found 31 and 2: a start is played with both colours"),
    ),
    (
        "an unknown seat",
        instead("b: dice", "b: die"),
        "matches[0].b: expected one of the seats model, dice; found die; did you mean dice?",
    ),
    ("Phase 0 against a model", instead("b: dice", "b: model"), "matches[0].b: expected a random seat in Phase 0"),
    ("Phase 1 against another", instead("phase: 0", "phase: 1"), "matches[0].b: expected model: Phase 1 is self-play"),
    (
        "a season without its value",
        GOOD + "seed: {origin: season}\n",
        "seed.value: expected a value with origin season or beacon, and none with origin self",
    ),
]


@pytest.mark.parametrize(("text", "told"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_fault_in_a_plan_is_told_in_one_exact_line(text: str | bytes, told: str, tmp_path: Path) -> None:
    assert said(text, tmp_path).splitlines() == [told]


def test_a_game_that_no_protocol_has_yet_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_file, "OF_NO_PROTOCOL", {"chess960"})
    told = "matches[0].game: expected a game of a protocol; no protocol has chess960 yet"
    assert said(GOOD, tmp_path).splitlines() == [told]


@pytest.mark.parametrize(("protocol", "hint"), [("agz-0.1", ""), ("play-0.1", DRAFT_HINT)])
def test_what_a_format_does_not_know_is_told_with_what_a_draft_needs(
    protocol: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OutsideShape("plan.seats.*", "expected what this format knows, found oracle")

    monkeypatch.setattr(plan_file, "spelled", refuse)
    one = {"phase": 6 if hint else 0, "game": "chess960", "a": "anna", "b": "dice", "games": 2, "block_games": 2}
    seats = {"anna": {"kind": "human"} if hint else {"kind": "reference"}, "dice": {"kind": "random"}}
    with pytest.raises(ManifestError) as refused:
        plan_from({"title": "New", "protocol": protocol, "seats": seats, "matches": [one]})
    assert str(refused.value) == f"seats.*: expected what this format knows, found oracle ({protocol}){hint}"


def test_two_faults_are_two_lines(tmp_path: Path) -> None:
    assert said(instead("30", "0") + "sets: 3\n", tmp_path).splitlines() == [
        f"plan: unknown key 'sets'; did you mean seats? known keys are {KNOWN}",
        "matches[0].games: expected at least 1, found 0",
    ]


@pytest.mark.parametrize("secret", ["sk-proj-0123", "hunter2"])
def test_a_key_written_where_its_name_belongs_is_not_repeated(secret: str, tmp_path: Path) -> None:
    pasted = said(model(f"api_key_env: {secret}"), tmp_path)
    in_address = said(model("").replace("http://", f"http://user:{secret}@"), tmp_path)
    assert "seats.model.api_key_env: expected the name of an environment variable" in pasted
    assert secret not in pasted + in_address


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=re.escape(f"{tmp_path}/none.yaml: No such file or directory")):
        read_plan(tmp_path / "none.yaml")
    with pytest.raises(ManifestError, match=re.escape(f"{tmp_path}: Is a directory")):
        read_plan(tmp_path)


def test_a_file_too_large_to_be_a_plan_is_refused_unread(tmp_path: Path) -> None:
    assert f"expected at most {YAML_BYTES_MAX} bytes" in said(GOOD + "#" * YAML_BYTES_MAX, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("\n", "\r\n"),
        "\ufeff" + GOOD,
        GOOD + "# a comment\n",
        "---\n" + GOOD + "...\n",
        instead("title: T", "title: 2026-01-01"),
        instead("title: T", "title: Schach ♞ и покер"),
        model("temperature: 0.7, top_p: 1.0, api_key_env: OPENAI_API_KEY"),
        '{"title":"T","seats":{"m":{"kind":"reference"}},"matches":[{"phase":1,"game":"holdem","a":"m","b":"m"}]}',
    ],
)
def test_a_good_plan_is_read(text: str, tmp_path: Path) -> None:
    assert read_plan(written(text, tmp_path)).matches


def test_a_decimal_stays_as_it_was_written(tmp_path: Path) -> None:
    plan = read_plan(written(model("temperature: 0.30") + "prices: {model: {input_usd: 3}}\n", tmp_path))
    assert plan.seats["model"].temperature == "0.30"  # type: ignore[union-attr]
    assert plan.prices["model"].input_usd == "3"


# --- plans and pages that we publish -------------------------------------------------------------


PUBLISHED = sorted((ROOT / "manifests").glob("*.yaml"))


@pytest.mark.parametrize("path", PUBLISHED, ids=[path.stem for path in PUBLISHED])
def test_a_published_plan_can_be_sealed_and_fits_the_published_schema(path: Path) -> None:
    schema = json.loads((FORMATS / "manifest.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(plain_yaml(path.read_text()))
    assert read_plan(path).title


def test_the_endpoint_plan_is_compliant_and_the_quickstart_says_that_it_is_not() -> None:
    assert departures(read_plan(ROOT / "manifests" / "endpoint.yaml")) == ()
    assert "p1-chess960-naked-reference: 6 games planned, at least 500 required" in departures(
        read_plan(ROOT / "manifests" / "quickstart.yaml")
    )


def test_the_matrix_has_three_seats_by_four_augmentations_in_both_games_at_full_size() -> None:
    plan = read_plan(ROOT / "manifests" / "matrix.yaml")
    cells = {(one.a, one.condition.augmentation, one.game, one.condition.arm) for one in plan.matches if one.phase == 2}
    seats, augmentations, games, arms = (set(values) for values in zip(*cells, strict=True))
    assert (len(seats), len(augmentations), len(games), len(arms)) == (3, 4, 2, 3)
    assert len(cells) == 3 * 4 * 2 * 3, "every cell has its three arms"
    assert {one.condition.system for one in plan.memory_matches} >= {"full_text", "recent"}
    assert [line for line in departures(plan) if "required" in line] == []


WORDED = {"$ref", "additionalProperties", "allOf", "anyOf", "const", "enum", "if", "items", "pattern", "properties"}
WORDED |= {"propertyNames", "required", "then", "type"}
NO_RULES = {"$defs", "default", "description", "format", "title"}


def test_every_rule_of_the_schema_has_words_for_a_plan_that_breaks_it() -> None:
    found = set[str]()

    def walk(schema: Any) -> None:
        found.update(schema)
        for part in ("properties", "$defs"):
            for one in schema.get(part, {}).values():
                walk(one)
        for part in ("additionalProperties", "if", "items", "propertyNames", "then"):
            if isinstance(schema.get(part), dict):
                walk(schema[part])
        for part in ("allOf", "anyOf"):
            for one in schema.get(part, ()):
                walk(one)

    walk(json.loads((FORMATS / "manifest.schema.json").read_bytes()))
    assert found - NO_RULES - WORDED - set(checked_yaml.BOUNDS) <= {"$schema", "$id"}


def test_the_published_schema_is_the_one_that_the_types_give() -> None:
    writer = script("write_schema")
    assert writer.TARGET.read_bytes() == writer.schema_text(), "docs/formats: run `make schema`"


def test_the_plan_in_the_documentation_can_be_sealed_and_names_every_key(tmp_path: Path) -> None:
    text = documented_plan()
    keys = {key for part in plan_schema()["$defs"].values() for key in part.get("properties", {})}
    assert read_plan(written(text, tmp_path)).protocol == "agz-0.1"
    assert [key for key in sorted(keys) if not re.search(rf"\b{key}:", text)] == []


# --- sealed manifests ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sealed() -> Manifest:
    """A manifest of every kind of seat and match, with prices and no engine."""
    wished = plain_yaml(documented_plan())
    wished["chess960"]["adjudication"]["policy"] = "none"
    return seal(plan_from(wished), KEY_ID, None, SECRET)[0]


def test_a_sealed_manifest_is_canonical_and_its_digest_names_the_run(sealed: Manifest) -> None:
    assert canon.dumps(json.loads(sealed.bytes)) == sealed.bytes
    assert sealed.run_id == hashlib.sha256(sealed.bytes).hexdigest()[:16]
    assert load_manifest(sealed.bytes) == sealed


def test_a_sealed_manifest_pins_words_rules_secret_and_key(sealed: Manifest) -> None:
    assert sealed.prompts_sha256 == prompt_digests(sealed.plan.protocol, sealed.plan.systems.values())
    assert sealed.protocol_sha256 == protocol_sha256("agz-0.1")
    assert sealed.secret_commit == hashlib.sha256(SECRET).hexdigest()
    assert (sealed.submitter_key_id, sealed.engine) == (KEY_ID, None)
    assert SECRET.hex() not in sealed.bytes.decode()


def test_no_field_of_a_sealed_manifest_can_be_left_to_its_default(sealed: Manifest) -> None:
    fields = list(struct_fields(json.loads(sealed.bytes)))
    assert len(fields) > 80
    accepted = [path for path in fields if loads_without(sealed.bytes, path)]
    assert {path[-1] for path in accepted} == {"served_as", "stop_when"}, "absent is another plan"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda value: value["plan"]["matches"][0].update(games="30"), "plan.matches[0].games: expected `int`"),
        (lambda value: value["plan"].update(sets=3), "plan: object contains unknown field `sets`"),
        (lambda value: value.update(format="agz-manifest-9"), "format: invalid enum value 'agz-manifest-9'"),
        (lambda value: value.update(nonce="00"), "nonce: expected `str` matching regex"),
        (lambda value: value.update(secret_commit=value["secret_commit"] + "\n"), "secret_commit: expected `str`"),
    ],
)
def test_a_sealed_manifest_with_a_fault_names_the_keys_path(
    sealed: Manifest, change: Callable[[dict[str, Any]], None], told: str
) -> None:
    value = json.loads(sealed.bytes)
    change(value)
    with pytest.raises(ManifestError, match="^" + re.escape(told)):
        load_manifest(canon.dumps(value))


@pytest.mark.parametrize("keys", [("images",), ("models",), ("plan", "analysis"), ("plan", "holdem", "mirrored")])
def test_a_sealed_manifest_that_leaves_a_key_out_is_refused(sealed: Manifest, keys: tuple[str, ...]) -> None:
    """However old it says it is: what a manifest does not hold was not promised."""
    value = json.loads(sealed.bytes)
    *parents, name = keys
    part = value
    for parent in parents:
        part = part[parent]
    del part[name]
    with pytest.raises(ManifestError, match="expected every field to be written out"):
        load_manifest(canon.dumps(value))


@pytest.mark.parametrize(
    "spoil", [lambda data: data + b"\n", lambda data: b" " + data, lambda data: data.replace(b":0,", b":0.0,", 1)]
)
def test_another_spelling_of_a_sealed_manifest_is_refused(sealed: Manifest, spoil: Callable[[bytes], bytes]) -> None:
    with pytest.raises(ManifestError):
        load_manifest(spoil(sealed.bytes))


def test_two_seals_of_one_plan_are_two_runs_with_two_secrets(tmp_path: Path) -> None:
    plan = read_plan(written(GOOD + "chess960: {adjudication: {policy: none}}\n", tmp_path))
    (one, first), (other, second) = seal(plan, KEY_ID, None), seal(plan, KEY_ID, None)
    assert (len(first), len(second)) == (32, 32)
    assert (one.run_id, one.nonce, first) != (other.run_id, other.nonce, second)


def test_a_plan_that_adjudicates_pins_the_engine_or_says_how_to_get_it(tmp_path: Path) -> None:
    plan = read_plan(written(GOOD, tmp_path))
    assert needs_engine(plan)
    with pytest.raises(EngineFault, match="apt-get install stockfish"):
        seal(plan, KEY_ID, None)
    try:
        path = find_engine()
    except EngineFault as error:
        pytest.skip(str(error))
    pinned = seal(plan, KEY_ID, path)[0].engine
    assert pinned
    assert (pinned.name, pinned.net_sha256) == (NAME, NET_SHA256)
    assert pinned.binary_sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


# --- the run's folder ----------------------------------------------------------------------------


def test_the_secret_is_for_its_owner_alone_whatever_the_umask(sealed: Manifest, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        directory = run_folder.create(tmp_path / "runs", sealed, SECRET, SUBMITTER)
    finally:
        os.umask(before)
    assert directory.path.name == sealed.run_id
    assert stat.S_IMODE((directory.path / run_folder.SECRET).stat().st_mode) == 0o600
    assert not list((tmp_path / "runs").glob(".*"))


def test_a_run_comes_back_from_its_folder_as_it_was_sealed(sealed: Manifest, tmp_path: Path) -> None:
    path = run_folder.create(tmp_path, sealed, SECRET, SUBMITTER).path
    loaded = run_folder.load(path)
    assert (loaded.manifest, loaded.secret) == (sealed, SECRET)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("manifest.json", None, "No such file or directory"),
        ("manifest.sha256", None, "No such file or directory"),
        ("secret", None, "No such file or directory"),
        ("secret", b"not hexadecimal", "non-hexadecimal number"),
        ("secret", b"\xff\xfe", "can't decode"),
    ],
)
def test_a_folder_that_holds_no_sealed_run_is_named(
    sealed: Manifest, name: str, data: bytes | None, told: str, tmp_path: Path
) -> None:
    path = run_folder.create(tmp_path, sealed, SECRET, SUBMITTER).path
    (path / name).unlink()
    if data is not None:
        (path / name).write_bytes(data)
    with pytest.raises(ManifestError, match=re.escape(f"{path}: expected the folder of a sealed run (")) as caught:
        run_folder.load(path)
    assert told in str(caught.value)


def test_a_manifest_that_was_changed_after_it_was_sealed_is_named_and_no_version_is_blamed(
    sealed: Manifest, tmp_path: Path
) -> None:
    path = run_folder.create(tmp_path, sealed, SECRET, SUBMITTER).path
    for old, new in ((b'"chess960/system":"', b'"chess960/system":"0'), (b'"games":', b'"games":1'), (b"{", b"")):
        changed = sealed.bytes.replace(old, new, 1)
        assert changed != sealed.bytes
        (path / "manifest.json").write_bytes(changed)
        with pytest.raises(ManifestError, match=rf"^{path}/manifest.json: expected the sealed one, SHA-256") as caught:
            run_folder.load(path)
        assert "it was changed after it was sealed; undo the change" in str(caught.value)
    (path / "manifest.json").write_bytes(sealed.bytes)
    assert run_folder.load(path).manifest == sealed


@pytest.mark.parametrize("digest", [b"", b"\xff\xfe", b"0" * 63, b"\n\n"])
def test_a_digest_beside_a_manifest_that_is_none_is_named(sealed: Manifest, tmp_path: Path, digest: bytes) -> None:
    path = run_folder.create(tmp_path, sealed, SECRET, SUBMITTER).path
    whole = (path / "manifest.sha256").read_bytes()
    (path / "manifest.sha256").write_bytes(digest)
    with pytest.raises(ManifestError, match=rf"^{path}/manifest.sha256: expected a SHA-256, found something else"):
        run_folder.load(path)
    (path / "manifest.sha256").write_bytes(whole + b"\n")
    assert run_folder.load(path).manifest == sealed


def test_a_secret_that_the_manifest_did_not_commit_to_is_refused(sealed: Manifest, tmp_path: Path) -> None:
    path = run_folder.create(tmp_path, sealed, SECRET, SUBMITTER).path
    (path / "secret").write_text("00" * 32)
    with pytest.raises(ManifestError, match="secret"):
        run_folder.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: {"prompts_sha256": {**manifest.prompts_sha256, "chess960/system": "00" * 32}},
        lambda manifest: {"protocol_sha256": "00" * 32},
    ],
    ids=["prompts", "protocol"],
)
def test_a_run_that_another_version_sealed_is_refused_before_a_call_is_paid_for(
    sealed: Manifest, change: Callable[[Manifest], dict[str, Any]], tmp_path: Path
) -> None:
    older = msgspec.structs.replace(sealed, **change(sealed))
    path = run_folder.create(tmp_path, older, SECRET, SUBMITTER).path
    with pytest.raises(ManifestError, match=r"found others; it was sealed by .*: use that"):
        run_folder.load(path)


# --- small helpers -------------------------------------------------------------------------------


def written(text: str | bytes, folder: Path) -> Path:
    path = folder / "plan.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def said(text: str | bytes, folder: Path) -> str:
    """What a person is told about a plan that cannot be read; each line names the file first."""
    path = written(text, folder)
    with pytest.raises(ManifestError) as caught:
        read_plan(path)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{path}: ") for line in lines)
    return "\n".join(line.removeprefix(f"{path}: ") for line in lines)


def documented_plan() -> str:
    return (FORMATS / "manifest.md").read_text().partition("```yaml\n")[2].partition("```")[0]


def plain_yaml(text: str) -> Any:
    """A plan as any YAML reader gives it, but decimals as text."""
    return decimals_as_text(yaml.safe_load(text))


def decimals_as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: decimals_as_text(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [decimals_as_text(inner) for inner in value]
    return str(value) if isinstance(value, float) else value


FREE_KEYS = (("plan", "seats"), ("plan", "prices"), ("plan", "systems"), ("prompts_sha256",))


def struct_fields(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every field that a type names, which leaves out the names of seats and templates."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if path not in FREE_KEYS:
                yield (*path, key)
            yield from struct_fields(inner, (*path, key))
    if isinstance(value, list):
        for at, inner in enumerate(value):
            yield from struct_fields(inner, (*path, at))


def loads_without(data: bytes, path: tuple[str | int, ...]) -> bool:
    value = json.loads(data)
    holder = value
    for part in path[:-1]:
        holder = holder[part]
    del holder[path[-1]]
    try:
        load_manifest(canon.dumps(value))
    except ManifestError:
        return False
    return True


def test_a_plan_that_plays_a_game_that_joined_late_writes_its_rules(tmp_path: Path) -> None:
    """They stand in the sealed manifest, and in no plan that does not play it."""
    text = """
title: Late
protocol: arena-0.1
seats: {one: {kind: random}, two: {kind: random}, three: {kind: random}}
matches:
  - {phase: 6, game: holdem_sit_and_go, a: one, b: two, others: [{seat: three}], sit_and_gos: 3, block_sit_and_gos: 3}
"""
    rules = "holdem_sit_and_go: {}\n"
    assert (
        said(text, tmp_path) == "holdem_sit_and_go: expected its rules, since a match plays it; {} for the usual ones"
    )
    played, _ = seal(read_plan(written(text + rules, tmp_path)), KEY_ID, None)
    ring = "{phase: 6, game: holdem_ring, a: one, b: two, others: [{seat: three}], hands: 3, block_hands: 3}"
    other, _ = seal(read_plan(written(text.partition("  - ")[0] + f"  - {ring}\n", tmp_path)), KEY_ID, None)
    assert b'"holdem_sit_and_go":{"big_blinds_chips":[100,200' in played.bytes
    assert b"holdem_sit_and_go" not in other.bytes
    assert "holdem_sit_and_go/system" in played.prompts_sha256
    assert load_manifest(played.bytes) == played
