"""The specification is true: its vectors are what the program makes, and its own Python makes the same values."""

import hashlib
import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from agzamov_verify.core import canon
from agzamov_verify.core.envelope import BadEnvelope, load_public_key, open_payload
from agzamov_verify.core.journal import BrokenJournal, Chain
from agzamov_verify.games.chess import spelling as chess_spelling
from agzamov_verify.poker import spelling as poker_spelling
from agzamov_verify.table import declared
from script_modules import script

ROOT = Path(__file__).parents[1]
SPEC = ROOT / "docs" / "spec"
PAGES = sorted(SPEC.glob("[0-9]*-*.md"), key=lambda page: int(page.name.partition("-")[0]))
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
JSON = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
VERIFIER = ROOT / "verify" / "agzamov_verify"
LABEL = re.compile(r'(?:stream|under)\(\s*f?"([^"]+)"|label = f"([^"]+)"')
SCRIPTS = ("write_vectors", "write_play_vectors")
OF_OTHER_DICE = {"contest", "rates", "session", "shares", "game", "games", "spot"}
"""First parts of labels of dice that are themselves drawn under a label, or of the draw of games to ask again."""

WRITERS = {name: writer for writer in map(script, SCRIPTS) for name in writer.VECTORS}


def vector(name: str) -> Any:
    return json.loads((SPEC / "vectors" / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def page_code() -> dict[str, Any]:
    """The names that the Python of all pages defines, after its own assertions held."""
    names: dict[str, Any] = {}
    source = "\n".join(block for page in PAGES for block in PYTHON.findall(page.read_text()))
    exec(compile(source, "docs/spec", "exec"), names)  # noqa: S102 - our own pages
    return names


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_a_vector_is_what_the_program_makes(name: str) -> None:
    found = (SPEC / "vectors" / f"{name}.json").read_text()
    assert found == WRITERS[name].text_of(name), "run make schema"


def test_there_is_no_vector_that_nobody_makes() -> None:
    """Only the defects of bundles are written by hand; the test of the second reader makes each of them."""
    assert {path.stem for path in (SPEC / "vectors").iterdir()} == {*WRITERS, "bundles"}


def refuses(read: Callable[[], object]) -> bool:
    try:
        read()
    except (ValueError, RecursionError):
        return True
    return False


def test_the_page_reads_canonical_json_as_the_program_does(page_code: dict[str, Any]) -> None:
    rows = vector("canonical_json")
    for row in rows["good"]:
        data = row["text"].encode()
        assert page_code["read_canonical"](data) == canon.loads(data) == row["value"]
        assert page_code["canonical"](row["value"]) == data
        assert hashlib.sha256(data).hexdigest() == row["sha256"]
    for row in rows["bad"]:
        data = row["text"].encode()
        assert refuses(lambda data=data: page_code["read_canonical"](data)), row["why"]
        assert refuses(lambda data=data: canon.loads(data)), row["why"]


def test_the_page_signs_what_the_program_signs(page_code: dict[str, Any]) -> None:
    rows = vector("envelope")
    pem, payload = rows["public_key_pem"].encode(), rows["payload"].encode()
    key = load_public_key(pem)
    assert open_payload(rows["envelope"].encode(), key) == payload
    assert page_code["pae"]("application/vnd.in-toto+json", payload).hex() == rows["pae_hex"]
    raw = load_pem_public_key(pem).public_bytes_raw()  # type: ignore[union-attr]
    assert page_code["key_id"](raw) == rows["key_id"]
    for row in rows["refused"]:
        with pytest.raises(BadEnvelope):
            open_payload(row["envelope"].encode(), key)
    for hexadecimal in rows["small_order_keys_hex"]:
        assert refuses(lambda text=hexadecimal: page_code["key_id"](bytes.fromhex(text)))


def test_the_page_draws_what_the_program_draws(page_code: dict[str, Any]) -> None:
    rows = vector("dice")
    stream = page_code["Stream"]
    secret, digest = bytes.fromhex(rows["secret"]), bytes.fromhex(rows["manifest_digest"])
    root = page_code["seed_root"](secret, rows["salt"].encode(), digest)
    assert root.hex() == rows["root"]
    for row in rows["streams"]:
        own = stream(root, row["label"])
        assert [own.word() for _ in row["words"]] == row["words"]
    bounds = stream(root, "bounds")
    assert [bounds.below(row["bound"]) for row in rows["below"]] == [row["draw"] for row in rows["below"]]
    wide = stream(root, "wide")
    assert [wide.wide() for _ in rows["wide"]["draws"]] == rows["wide"]["draws"]
    assert stream(root, "deal").deal(range(10), 10) == rows["deal"]["dealt"]
    assert [page_code["start_of_pair"](root, pair) for pair in range(6)] == rows["chess960_starts"]
    for row in rows["decks"]:
        dealt = page_code["cards_of_hand"](root, row["match"], row["hand"], row["hands"], row["mirrored"])
        assert list(map(list, dealt)) == [row["button"], row["big_blind"], row["board"]]


def test_the_page_hashes_what_the_program_hashes(page_code: dict[str, Any]) -> None:
    rows = vector("merkle")
    leaves = [leaf.encode() for leaf in rows["leaves"]]
    assert [page_code["tree_hash"](leaves[:size]).hex() for size in range(10)] == rows["roots"]
    for row in vector("questions"):
        question = json.loads(row["text"])
        assert page_code["canonical"](question).decode() == row["text"]
        assert page_code["question_digest"](question) == row["digest"] == row["short"]["digest"]
    story = vector("journal")
    lines = [line.encode() for line in story["lines"]]
    assert page_code["row_of"](story["stream"], lines, story["row"]["segments"]) == story["row"]
    rows_twice = [page_code["canonical"](story["row"])] * 2
    assert page_code["tree_hash"](rows_twice).hex() == story["run_root_of_this_row_twice"]
    for row in story["refused"]:
        with pytest.raises(BrokenJournal):
            list(Chain(story["run"], story["stream"]).read_all(line.encode() for line in row["lines"]))


def test_there_is_a_question_of_each_type() -> None:
    """Planted ones are chats under another name."""
    schema = json.loads((SPEC / "schemas" / "question.schema.json").read_text())
    asks = {kind["properties"]["ask"]["enum"][0] for kind in schema["$defs"].values() if "ask" in kind["properties"]}
    assert asks - {"planted"} == {json.loads(row["text"])["ask"] for row in vector("questions")}
    page = (SPEC / "5-journal.md").read_text()
    assert {ask for ask in asks if f"`{ask}`" not in page} == set()


def test_the_page_names_streams_as_the_program_does(page_code: dict[str, Any]) -> None:
    rows = vector("golden")
    plan = json.loads((ROOT / rows["manifest"]).read_text())["plan"]
    for match, row in zip(plan["matches"], rows["matches"], strict=True):
        assert page_code["match_id"](match) == row["id"]
        assert page_code["draw_label"](match) == row["draws"]
        assert [name for name, _ in page_code["streams"](match)] == row["streams"]


def test_the_page_computes_the_figures_of_the_program(page_code: dict[str, Any]) -> None:
    rows = vector("figures")
    for row in rows["wilson"]:
        low, high = page_code["wilson"](row["successes"], row["n"])
        assert (f"{low:.6f}", f"{high:.6f}") == (row["low"], row["high"])
    for row in rows["resamples"]:
        seed = bytes.fromhex(row["seed_hex"])
        assert page_code["resample_sums"](row["values"], seed, row["sample"], row["resamples"]) == row["sums"]


def test_the_page_computes_the_intervals_of_the_program(page_code: dict[str, Any]) -> None:
    rows = vector("figures")["intervals"]
    assert {row["method"] for row in rows} == {"bootstrap-expanded-10000", "bootstrap-t-10000"}
    for row in rows:
        name = "expanded_interval" if row["figure"] == "score" else "studentised_interval"
        low, high = (float(Fraction(row["factor"])) * bound for bound in page_code[name](row["values"]))
        assert (f"{low:.6f}", f"{high:.6f}") == (row["low"], row["high"]), row


def test_the_page_bets_as_the_program_does(page_code: dict[str, Any]) -> None:
    for row in vector("hands"):
        hand = page_code["Hand"](row["stack"])
        for action in row["actions"]:
            kinds, least, most = hand.legal()
            assert (hand.to_act, kinds, [least, most]) == (action["place"], action["legal"], action["limits"]), row[
                "why"
            ]
            kind, _, total = action["does"].partition(" ")
            hand.act(kind, int(total or 0))
        assert (hand.to_act is None) == row["over"]


def test_the_page_passes_the_gates_of_the_program(page_code: dict[str, Any]) -> None:
    for row in vector("counts")["gates"]:
        numbers = row["wins"], row["n"], row["first_faults"], row["decisions"]
        assert page_code["gate_passed"](*numbers) == row["gate"]["passed"] == (not row["gate"]["reason"])


def test_the_patterns_of_the_page_are_those_that_read_replies() -> None:
    names: dict[str, str] = {}
    exec("\n".join(PYTHON.findall((ROOT / "docs" / "reading.md").read_text())), names)  # noqa: S102 - our own page
    used = {
        "SPECIALS_BEHIND": declared._SPECIALS_AFTER,
        "BOXED": declared._BOXED,
        "THOUGHT": declared._THOUGHT,
        "NAMED": declared._named("MOVE:"),
        "DECLARING": declared._declaring("MOVE:"),
        "MOVE_NUMBER": chess_spelling._NUMBER,
        "MOVE_SIGNS": chess_spelling._AFTER,
        "SQUARES": chess_spelling._SQUARES,
        "CASTLING": chess_spelling._CASTLING,
        "MAN_IN_SMALL": chess_spelling._PIECE_IN_SMALL,
        "PAWN_IN_CAPITALS": chess_spelling._PAWN_IN_CAPITALS,
        "ACTION_EXACT": poker_spelling._EXACT,
        "CALL": poker_spelling._CALL,
        "SIZED": poker_spelling._SIZED,
        "ALL_IN": poker_spelling._ALL_IN,
        "TOO_FINE": poker_spelling._TOO_FINE,
    }
    assert {name: names[name] for name in used} == {name: pattern.pattern for name, pattern in used.items()}


def test_every_form_of_a_rejection_is_in_a_vector() -> None:
    told = {row["why"] for row in vector("rejections")}
    page = "".join((SPEC / name).read_text() for name in ("6-chess.md", "7-holdem.md"))
    forms = {
        form for row in re.findall(r"^ *\| [0-9]+ .*$", page, re.MULTILINE) for form in re.findall("`([^`]*)`", row)
    }
    words = [form for form in forms if re.search(" (is|was|no|where|does|has|must|may) ", form)]
    assert len(words) >= 15
    for form in words:
        expected = re.escape(form).replace(r"repr\(T\)", ".*").replace(r"repr\(U\)", ".*")
        expected = re.sub(r"\b(TAG|KIND|A|U|S)\b", ".+", expected)
        assert any(re.fullmatch(expected, why) for why in told), form


def test_the_texts_of_the_prompts_are_the_sealed_ones() -> None:
    manifest = ROOT / "tests" / "bundles" / "golden" / "agz-0.1" / "bundle" / "data" / "manifest.json"
    sealed = json.loads(manifest.read_text())["prompts_sha256"]
    texts = vector("prompts")
    assert {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()} == {
        name: digest for name, digest in sealed.items() if name in texts
    }
    assert {name for name in sealed if name not in texts} == {"chess960/probe_positions", "chess960/stress_positions"}


def test_whole_questions_have_the_digest_that_stands_beside_them(page_code: dict[str, Any]) -> None:
    for name in ("chess_prompts", "holdem_prompts"):
        for row in (row for story in vector(name) for row in story["questions"]):
            assert page_code["question_digest"](row["question"]) == row["digest"]


def test_every_example_line_is_canonical(page_code: dict[str, Any]) -> None:
    lines = [line for page in PAGES for block in JSON.findall(page.read_text()) for line in block.splitlines()]
    assert len(lines) >= 4
    for line in lines:
        page_code["read_canonical"](line.encode())


def labels_of_code() -> set[str]:
    """The first parts of the labels of all draws in the verifier."""
    texts = [path.read_text() for path in VERIFIER.rglob("*.py")]
    found = {first or second for text in texts for first, second in LABEL.findall(text)}
    return {label.split("/")[0] for label in found if re.match("[a-z]", label) and "/" in label}


def test_every_label_of_the_code_stands_on_the_page() -> None:
    page = (SPEC / "4-dice.md").read_text()
    found = labels_of_code()
    assert {"sampling", "own", "substitute", "cards", "planted"} <= found
    assert {label for label in found - OF_OTHER_DICE if f"`{label}" not in page} == set()


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", [SPEC / "README.md", SPEC / "faults.md", *PAGES], ids=lambda page: page.stem)
def test_a_link_of_the_specification_leads_somewhere(page: Path) -> None:
    for target, section in LINK.findall(page.read_text()):
        there = page.parent / target if target else page
        assert there.exists(), target
        if section:
            assert section in {anchor(heading) for heading in HEADING.findall(there.read_text())}, section
