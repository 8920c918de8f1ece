"""A verdict as the verify page's cards: the badge, the answers, what is missing, what is wrong, whose key."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.run import signing_keys
from agzamov_images.verify_page.parts.check_bundle import check
from agzamov_images.verify_page.parts.verdict_cards import FINDINGS_SHOWN
from agzamov_verify import bundle
from agzamov_verify.checks.check_log import Number, Status, Step
from agzamov_verify.show.text.badge import missing_words
from bundles.bundle_factory import STRANGER, SUBMITTER, Draft, reseal
from bundles.make_golden import GOLDEN

Cards = dict[str, Any]
RESULTS = Path(__file__).parents[2] / "results" / "bundles"


@pytest.fixture(autouse=True)
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agzamov_verify.engines.uci_engine.PLACES", ())


def cards_of(path: Path, key_pem: bytes = b"") -> Cards:
    found: Cards = json.loads(check(str(path), key_pem, lambda _: None).cards)
    return found


def test_a_bundle_that_holds_has_a_badge_and_says_what_is_only_claimed(tiny: Path) -> None:
    cards = cards_of(tiny)
    assert cards["badge"]["words"] == "No result; record consistent (level V1; V4 is the highest)"
    assert (cards["missing"], cards["command"], cards["findings"]) == ([], "", [])
    assert " against " in cards["measured"]
    assert cards["departs"]["words"].startswith("Departs from protocol agz-0.1 in ")
    assert cards["departs"]["lines"]
    assert "Every reply, since all players are scripts: none could be invented." in cards["recomputed"]
    assert not [line for line in cards["claimed"] if "really gave" in line]
    assert [step["number"] for step in cards["steps"]] == list(Number)


@pytest.mark.slow
def test_without_an_engine_the_badge_names_what_is_missing_and_the_command_that_adds_it() -> None:
    cards = cards_of(GOLDEN / "bundle")
    assert cards["badge"]["kind"] == "incomplete"
    assert cards["badge"]["words"].startswith("Everything checked here holds; missing: the engine's ")
    assert len(cards["missing"]) == 2
    assert cards["missing"][0].endswith(" scores")
    assert cards["missing"][1].endswith(" moves")
    assert cards["command"] == "agzamov-verify check bundle --engine /path/to/stockfish-15.1"
    assert cards["claimed"][0].startswith("The engine's ")
    assert {answer["verdict"] for answer in cards["answers"]} <= {"better", "worse", "no difference shown", "no result"}
    for answer in cards["answers"]:
        assert (answer["figure"] is None) is (answer["verdict"] == "no result")


@pytest.mark.slow
def test_an_answer_has_its_figure_in_words_and_in_numbers() -> None:
    chess, holdem = cards_of(RESULTS / "quickstart")["answers"]
    assert (chess["game"], chess["verdict"]) == ("Chess960", "better")
    players = "Reference (scripted reference player) did better than random (random player)"
    assert chess["sentence"].startswith(f"{players} in Chess960: 1.00 points a game [0.80, 1.00]")
    shown = {"value": "1.00", "unit": "points a game", "interval": "[0.80, 1.00]", "even": "equal players"}
    assert shown.items() <= chess["figure"].items()
    assert chess["figure"]["null"] < chess["figure"]["low"] < chess["figure"]["at"] <= chess["figure"]["high"]
    assert holdem["figure"]["value"].startswith("+")
    assert holdem["figure"]["unit"] == "big blinds per 100 hands"


def test_a_bundle_that_fails_says_what_is_wrong_and_has_no_answer(small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    draft.files[bundle.RESULTS_FILE] += b" "
    cards = cards_of(draft.write(tmp_path))
    assert cards["badge"]["kind"] == "fails"
    assert cards["note"] == "No figure of this bundle can be relied on."
    assert (cards["answers"], cards["recomputed"], cards["claimed"], cards["command"]) == ([], [], [], "")
    assert (cards["measured"], cards["departs"]) == ("", None)
    assert (cards["findings"][0]["step"], cards["findings"][0]["place"]) == (2, bundle.RESULTS_FILE)
    assert cards["key"]["state"] == "unread"


def test_of_many_findings_the_first_are_shown_and_the_others_counted(small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    for number in range(FINDINGS_SHOWN + 5):
        draft.files[f"data/more-{number}"] = b""
    cards = cards_of(draft.write(tmp_path))
    assert len(cards["findings"]) == FINDINGS_SHOWN
    assert cards["findings_left"] > 0


def test_the_key_card_knows_the_chosen_key_from_another(tiny: Path) -> None:
    ours, other = (signing_keys.public_pem(key) for key in (SUBMITTER, STRANGER))
    plain, chosen, wrong = cards_of(tiny)["key"], cards_of(tiny, ours)["key"], cards_of(tiny, other)
    assert (plain["state"], chosen["state"], wrong["key"]["state"]) == ("unchosen", "yours", "other")
    assert plain["id"] == chosen["id"]
    assert chosen["id"].startswith(wrong["key"]["id"])
    assert len(wrong["key"]["id"]) == 16
    assert wrong["badge"]["kind"] == "fails"


def test_words_of_a_stranger_are_spelled_out(tiny: Path, tmp_path: Path) -> None:
    draft = Draft.of(tiny)
    draft.files["data/\N{RIGHT-TO-LEFT OVERRIDE}<b>"] = b""
    reseal(draft)
    told = json.dumps(cards_of(draft.write(tmp_path)), ensure_ascii=False)
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in told
    assert "<b>" in told


ENGINE_STEP = Step(9, "engine", Status.NOT_CHECKED, "no engine", "the engine's 6 scores")
LATE_STEP = Step(13, "seats", Status.NOT_CHECKED, "time is up")


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([ENGINE_STEP], "missing: the engine's 6 scores"),
        ([LATE_STEP], "1 step was not checked"),
        ([ENGINE_STEP, LATE_STEP, LATE_STEP], "missing: the engine's 6 scores; 2 more steps were not checked"),
    ],
)
def test_what_is_missing_is_named_where_an_engine_is_and_counted_where_time_is(steps: list[Step], words: str) -> None:
    assert missing_words(steps) == words


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda folder: (folder / "notes.tar").write_text("notes"), "notes.tar: expected a bundle"),
        (lambda folder: (folder / "notes.tar").write_bytes(b"\x1f\x8b"), "a gzip file: unpack it first"),
        (lambda folder: (folder / "notes.tar").write_bytes(b""), "an empty file"),
    ],
)
def test_what_is_no_bundle_has_a_reason_and_no_card(spoil: Callable[[Path], object], why: str, tmp_path: Path) -> None:
    spoil(tmp_path)
    told = check(str(tmp_path / "notes.tar"), b"", lambda _: None)
    assert (told.code, told.cards, told.verdict) == (2, "", "")
    assert why in told.text
    assert str(tmp_path) not in told.text


def test_a_file_that_is_no_key_is_refused_before_the_check(tiny: Path) -> None:
    told = check(str(tiny), b"no key", lambda _: None)
    assert (told.code, told.cards) == (2, "")
    assert told.text.startswith("The key file: ")
