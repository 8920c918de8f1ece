"""Hostile words: what a manifest may not smuggle in, and what may not reach a terminal."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agzamov_verify import bundle
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from bundles.bundle_factory import (
    CHESS1,
    TINY,
    TINY_MODEL,
    Draft,
    check,
    make,
    replace_manifest,
    reseal,
    sign,
    told,
    world_of,
)
from bundles.hostile.refusals import ESCAPE, MIB, TRICKS, measured, refused, shown


@pytest.mark.parametrize(
    "extra",
    [
        {"path": "/bin/sh"},
        {"options": {"Debug Log File": "/tmp/owned"}},  # noqa: S108 - a path that must never be written
        {"EvalFile": "/etc/passwd"},
        {"threads": 64},
    ],
    ids=["a path", "an option that writes", "another net", "threads"],
)
def test_an_engine_path_or_option_in_a_manifest_is_refused(extra: dict[str, Any], draft: Draft, tmp_path: Path) -> None:
    replace_manifest(draft, lambda value: value["plan"]["engine"].update(extra))
    reseal(draft)
    refused(draft.write(tmp_path), 4, bundle.MANIFEST_FILE)


@pytest.mark.parametrize("name", ["x\nsetoption name Debug Log File value /tmp/owned", "x\x1b[2J", "x\r"])
def test_an_engine_name_with_a_line_end_is_refused(name: str, draft: Draft, tmp_path: Path) -> None:
    pin = {"name": name, "net_sha256": "0" * 64, "binary_sha256": "0" * 64}
    replace_manifest(draft, lambda value: value.update(engine=pin))
    reseal(draft)
    refused(draft.write(tmp_path), 4, bundle.MANIFEST_FILE)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("start_fen", "8/8/8/8/8/8/8/8 w - - 0 1\nquit"),
        ("code", "import os"),
        ("$ref", "file:///etc/passwd"),
        ("\u0435ngine", {}),
    ],
)
def test_a_key_that_the_protocol_does_not_know_is_refused(
    key: str, value: object, draft: Draft, tmp_path: Path
) -> None:
    changed = draft.json(bundle.MANIFEST_FILE)
    changed["plan"][key] = value
    draft.files[bundle.MANIFEST_FILE] = json.dumps(
        changed, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode()
    reseal(draft)
    refused(draft.write(tmp_path), 4, bundle.MANIFEST_FILE)


def test_more_streams_than_a_bundle_can_hold_are_refused_before_they_are_listed(draft: Draft, tmp_path: Path) -> None:
    replace_manifest(draft, lambda value: value["plan"]["matches"][0].update(games=10_000_000))
    reseal(draft)
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 4, f"{bundle.MANIFEST_FILE} plan.matches"))
    assert peak < 16 * MIB


def test_a_seat_behind_an_address_is_never_called(draft: Draft, tmp_path: Path) -> None:
    """The autouse fixture refuses every socket; a manifest that names addresses still gets its verdict."""
    seat = {"kind": "openai", "base_url": "https://169.254.169.254/latest", "model": "x", "api_key_env": "HOME"}
    plan = {**TINY, "seats": {"agent": seat, "other": seat, "dice": {"kind": "random"}}}
    world = world_of(draft.manifest.plan, None)
    assert check(make(plan, tmp_path, world)).level == "V1"


def honest_but_tricky(draft: Draft) -> Callable[[Question], Answer]:
    world = world_of(draft.manifest.plan, None)

    def answer(question: Question) -> Answer:
        given = world(question)
        assert isinstance(question, Chat)
        assert isinstance(given, Reply)
        return Reply(text=f"{TRICKS}\n{given.text}", model=TRICKS, finish="stop")

    return answer


@pytest.fixture
def tricky(draft: Draft, tmp_path: Path) -> Path:
    """A good bundle whose replies and title are written for a terminal to act on."""
    title = "Fun \N{RIGHT-TO-LEFT OVERRIDE}nuF \N{ZERO WIDTH SPACE}\N{CYRILLIC SMALL LETTER A}"
    return make({**TINY_MODEL, "title": title}, tmp_path, honest_but_tricky(draft))


def test_escapes_in_replies_never_reach_the_terminal(tricky: Path) -> None:
    assert check(tricky).level == "V1", told(check(tricky))
    for arguments in ((), ("--json",)):
        assert shown(tricky, *arguments)[0] == 0
    assert shown(tricky, "--game", f"{CHESS1}-g00000")[0] == 0
    code, text = shown(tricky, "--game", f"{CHESS1}-g00000", "--prompts")
    assert (code, "\\u{1b}]0;owned\\u{7}\\u{1b}[2J" in text, "\\u{202e}txt.exe" in text) == (0, True, True)


def test_escapes_in_a_title_are_spelled_out(tricky: Path) -> None:
    assert 'Title      "Fun \\u202enuF \\u200b\\u0430"\nRun ' in shown(tricky)[1]


def test_a_title_with_control_characters_is_refused(draft: Draft, tmp_path: Path) -> None:
    replace_manifest(draft, lambda value: value["plan"].update(title=ESCAPE))
    reseal(draft)
    refused(draft.write(tmp_path), 4, bundle.MANIFEST_FILE)


@pytest.mark.parametrize("text", [ESCAPE, TRICKS, "\x9b2J"], ids=["escapes", "tricks", "C1"])
def test_escapes_in_results_are_spelled_out(text: str, draft: Draft, tmp_path: Path) -> None:
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][0]["table"][0]["seat"] = text
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)
    root = draft.write(tmp_path)
    refused(root, 10, bundle.RESULTS_FILE)
    for arguments in ((), ("--json",)):
        shown(root, *arguments)


@pytest.mark.parametrize("side", [ESCAPE, "", "c", "p", "ab"])
def test_a_letter_of_no_seat_is_a_clean_refusal(side: str, draft: Draft, tmp_path: Path) -> None:
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][0]["side"] = side
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)
    root = draft.write(tmp_path)
    refused(root, 10, bundle.RESULTS_FILE)
    for arguments in ((), ("--json",), ("--details",)):
        shown(root, *arguments)


@pytest.mark.parametrize("share", ["abc", "", "-", "1e9", "\x1b[2J", "9" * 400])
def test_a_figure_that_is_no_number_is_a_clean_refusal(share: str, draft: Draft, tmp_path: Path) -> None:
    value = draft.json(bundle.ANALYSIS_FILE)
    value["matches"][0]["score"]["everything"]["ci"] = {"low": share, "high": "1.000000", "method": "wilson"}
    draft.put_json(bundle.ANALYSIS_FILE, value)
    reseal(draft)
    root = draft.write(tmp_path)
    refused(root, 10, f"{bundle.ANALYSIS_FILE} $.matches[0].score.everything.ci")
    assert shown(root)[0] == 1


@pytest.mark.parametrize("claim", [ESCAPE, "\N{RIGHT-TO-LEFT OVERRIDE}", "a" * MIB])
def test_a_claim_with_a_hostile_name_is_a_plain_finding(claim: str, draft: Draft, tmp_path: Path) -> None:
    if not claim.isascii():
        draft.predicate["seed"]["secret"] = claim
        sign(draft)
        refused(draft.write(tmp_path), 5, "seed.secret")
        return
    draft.predicate["claims"][claim] = "1"
    sign(draft)
    refused(draft.write(tmp_path), 11, "claim ")


GAMES = ["nowhere", f"{CHESS1}-g²", f"{CHESS1}-g" + "9" * 5000, ESCAPE, "", f"{CHESS1}-g00009", f"{CHESS1}-x00000"]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_is_not_there_is_wrong_use_and_no_more(game: str, tiny: Path) -> None:
    code, _ = shown(tiny, "--game", game)
    assert code == (2 if game else 0)
