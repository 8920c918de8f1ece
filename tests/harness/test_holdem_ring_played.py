"""A table of four of hold'em, played whole: sealed, verified, shown, exported, reported."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pokerkit
import pytest

from harness.commands import Commands
from harness.sealed_runs import packed, said

pytestmark = pytest.mark.slow

PLAN = """
title: A table of four
protocol: arena-0.1
seats: {agent: {kind: reference}, one: {kind: random}, two: {kind: random}, three: {kind: random}}
matches:
  - {phase: 6, game: holdem_ring, a: agent, b: one, others: [{seat: two}, {seat: three}], hands: 40, block_hands: 20}
holdem_ring: {illegal: retry_then_forfeit, unit_decks: 5}
"""
HANDS = 40


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("commands")) as those:
        yield those


@pytest.fixture(scope="module")
def bundle(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(commands, tmp_path_factory.mktemp("played"), PLAN)


def test_the_bundle_is_verified_with_the_figures_of_every_seat(commands: Commands, bundle: Path) -> None:
    verdict = json.loads(said(commands, bundle, "verify", "--json"))
    assert verdict["level"] == "V1"
    rows = [one["result"] for one in verdict["results"]["matches"]]
    assert [(row["hands"], row["sets"]) for row in rows] == [(HANDS, 2)] * 4
    assert all(sum(row["chips_by_place"]) == row["net_chips"] for row in rows)
    assert sum(row["net_chips"] for row in rows) == 0
    assert "duplicate sets won" in said(commands, bundle, "verify", "--details")


def test_a_hand_is_shown_with_its_cards_and_its_result(commands: Commands, bundle: Path) -> None:
    listed = said(commands, bundle, "show")
    game = next(word for word in listed.split() if word.endswith("-h0000000"))
    told = said(commands, bundle, "show", "--game", game, "--prompts")
    assert "*** HOLE CARDS ***" in told
    assert told.splitlines()[1].startswith("Result: ")


def test_pokerkit_reads_every_exported_hand_with_the_same_chips(commands: Commands, bundle: Path) -> None:
    text = said(commands, bundle, "export", "--to", "phh")
    hands = list(pokerkit.HandHistory.loads_all(text))
    assert len(hands) == HANDS
    for hand in hands:
        *_, last = hand
        assert last.stacks == list(hand.finishing_stacks)
    first = next(iter(tomllib.loads(text).values()))
    assert sorted(first["players"]) == ["agent", "one", "three", "two"]
    assert first["blinds_or_straddles"] == [50, 100, 0, 0]


def test_the_report_draws_the_table(commands: Commands, bundle: Path) -> None:
    file = bundle.parent / "report.html"
    said(commands, bundle, "report", "--out", str(file))
    assert file.read_text().count("GAMES.holdem_ring =") == 1


@pytest.fixture(scope="module")
def sit_and_gos(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    plan = """
    title: Sit-and-gos of four
    protocol: arena-0.1
    seats: {agent: {kind: reference}, one: {kind: random}, two: {kind: random}, three: {kind: reference}}
    matches:
      - {phase: 6, game: holdem_sit_and_go, a: agent, b: one, others: [{seat: two}, {seat: three}],
         sit_and_gos: 4, block_sit_and_gos: 4}
    holdem_sit_and_go: {stack_chips: 3000}
    """
    return packed(commands, tmp_path_factory.mktemp("sit_and_gos"), plan)


def test_sit_and_gos_are_verified_shown_exported_and_reported(commands: Commands, sit_and_gos: Path) -> None:
    verdict = json.loads(said(commands, sit_and_gos, "verify", "--json"))
    rows = [one["result"] for one in verdict["results"]["matches"]]
    assert verdict["level"] == "V1"
    assert [row["sit_and_gos"] for row in rows] == [4] * 4
    assert sum(row["halfpoints"] for row in rows) == 4 * 4 * 3
    assert "order of finish" in said(commands, sit_and_gos, "verify", "--details")
    listed = said(commands, sit_and_gos, "show")
    game = next(word for word in listed.split() if word.endswith("-s00000"))
    assert "Hand 2, blinds 50 and 100 chips" in said(commands, sit_and_gos, "show", "--game", game)
    hands = list(pokerkit.HandHistory.loads_all(said(commands, sit_and_gos, "export", "--to", "phh")))
    assert len(hands) > 20
    assert {len(hand.starting_stacks) for hand in hands} == {2, 3, 4}
    for hand in hands:
        *_, last = hand
        assert last.stacks == list(hand.finishing_stacks)
    file = sit_and_gos.parent / "report.html"
    said(commands, sit_and_gos, "report", "--out", str(file))
    assert file.read_text().count("GAMES.holdem_sit_and_go =") == 1
