"""A table of eight that plays Werewolf in arena-0.1: sealed, verified, shown, exported, reported, forged."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.run import signing_keys
from agzamov_verify.core.questions import Reply
from bundles.bundle_factory import Draft, chained, edited, entries, put, reseal_journal
from extending.source_tree import SourceTree

pytestmark = pytest.mark.slow

GAMES = 8
OTHERS = ", ".join(["{seat: dice}"] * 3 + ["{seat: other}"] * 3)
PLAN = f"""
title: Werewolf
protocol: arena-0.1
seats:
  agent: {{kind: reference}}
  other: {{kind: reference}}
  dice: {{kind: random}}
matches:
  - {{phase: 6, game: werewolf, a: agent, b: dice, others: [{OTHERS}], games: {GAMES}, block_games: {GAMES}}}
chess: {{illegal: retry_then_forfeit}}
holdem: {{illegal: retry_then_forfeit}}
werewolf: {{illegal: retry_then_forfeit}}
"""
MATCH = "p6-werewolf-naked-agent-dice-dice-dice-dice-other-other-other"
ROLES = {"doctor": 1, "seer": 1, "villager": 4, "wolf": 2}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    return SourceTree(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def bundle(tree: SourceTree, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree.played(tmp_path_factory.mktemp("played"), PLAN)


@pytest.fixture(scope="module")
def exported(tree: SourceTree, bundle: Path) -> list[dict[str, Any]]:
    """The transcripts of all games."""
    told = tree.run("export", str(bundle), "--to", "json", cwd=bundle.parent)
    decoder, games, at = json.JSONDecoder(), [], 0
    while at < len(told):
        game, at = decoder.raw_decode(told, at)
        games.append(game)
        at += len(told[at:]) - len(told[at:].lstrip())
    return games


def test_a_table_of_eight_is_verified_with_a_seats_figures_by_role(
    tree: SourceTree, bundle: Path, exported: list[dict[str, Any]]
) -> None:
    report = json.loads(tree.run("verify", str(bundle), "--json", cwd=bundle.parent))
    assert report["level"] == "V1"
    rows = {match["id"]: match["result"] for match in report["results"]["matches"]}
    told = tree.run("verify", str(bundle), "--details", cwd=bundle.parent)
    assert "illegal actions are" not in told
    assert "planned," not in told
    result = rows[f"{MATCH}@a"]
    assert {role: counts["games"] for role, counts in result["roles"].items()} == ROLES
    points = sum(one["halfpoints"] for game in exported for one in game["players"] if one["seat"] == "agent")
    assert (result["games"], result["sets"], result["halfpoints"]) == (GAMES, 1, points)


def test_a_transcript_tells_who_said_what_to_whom(exported: list[dict[str, Any]]) -> None:
    assert len(exported) == GAMES
    for game in exported:
        assert game["format"] == "agzamov-werewolf-transcript/1"
        wolves = {one["name"] for one in game["players"] if one["role"] == "wolf"}
        heard = [event for event in game["events"] if event["kind"] == "message"]
        assert all({one["from"], *one["to"]} <= wolves for one in heard if "night" in one)
        assert all(len(one["to"]) == 7 for one in heard if "day" in one)


def test_a_person_sees_roles_messages_votes_and_deaths(tree: SourceTree, bundle: Path) -> None:
    shown = tree.run("show", str(bundle), "--game", f"{MATCH}-g00000", cwd=bundle.parent)
    assert "Night 1" in shown
    assert " to all: I suspect " in shown
    assert " votes for " in shown
    assert "Result: the wolves win: " in shown or "Result: the village wins: " in shown


def test_a_report_draws_the_game_and_a_table_of_games_has_its_results(
    tree: SourceTree, bundle: Path, tmp_path: Path
) -> None:
    tree.run("report", str(bundle), "--out", str(tmp_path / "report.html"), cwd=bundle.parent)
    assert "GAMES.werewolf" in (tmp_path / "report.html").read_text()
    rows = list(csv.DictReader(tree.run("export", str(bundle), "--to", "csv", cwd=bundle.parent).splitlines()))
    assert len(rows) == GAMES


def test_one_changed_vote_is_found(tree: SourceTree, bundle: Path, tmp_path: Path) -> None:
    draft = Draft.of(bundle, signing_keys.load(bundle.parent.parent / "key.pem"))
    stream = f"{MATCH}-b00000"
    story = entries(draft, stream)
    at = next(
        number
        for number, entry in enumerate(story)
        if isinstance(entry.answer, Reply) and entry.answer.text.startswith("VOTE: ")
    )
    put(draft, stream, chained(edited(story, at, answer=Reply(text="VOTE: Nobody")), stream=stream))
    reseal_journal(draft)
    told = json.loads(tree.run("verify", str(draft.write(tmp_path)), "--json", cwd=tmp_path, code=1))
    failed = {step["name"] for step in told["steps"] if step["status"] == "fail"}
    assert failed & {"seats", "replay", "results"}
