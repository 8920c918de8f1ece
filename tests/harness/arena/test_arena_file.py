"""An arena's file: what it may say, each wrong key named, and the plan of a round."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.arena.arena_file import Bout, read_arena, round_robin
from agzamov_harness.arena.roster import with_player
from agzamov_harness.cli import main
from agzamov_harness.run import signing_keys
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.scoring.departures import departures

TEXT = """\
title: An arena
rounds: 3
roster:
  one: {kind: random}
  two: {kind: reference}  # a comment
  fish: {kind: stockfish, nodes: 10}

# what is played
games:
  chess: {}
  holdem:
"""


def arena_of(folder: Path, text: str = TEXT):  # type: ignore[no-untyped-def] # a line of every test
    path = folder / "arena.yaml"
    path.write_text(text)
    return read_arena(path)


def test_a_round_is_one_unit_of_each_pairing_of_those_who_play_the_game(tmp_path: Path) -> None:
    plan = arena_of(tmp_path).whole
    met = {(match.game, frozenset(match.seats)) for match in plan.matches}
    assert met == {
        ("chess", frozenset({"one", "two"})),
        ("chess", frozenset({"one", "fish"})),
        ("chess", frozenset({"two", "fish"})),
        ("holdem", frozenset({"one", "two"})),
    }
    assert {match.game: match.planned for match in plan.matches} == {"chess": 2, "holdem": 100}


def test_the_rules_of_the_house_are_those_of_the_protocol(tmp_path: Path) -> None:
    plan = arena_of(tmp_path).whole
    assert departures(plan) == ()
    assert {plan.rules_of(name).illegal.value for name in plan.games} == {"retry_then_forfeit"}
    other = arena_of(tmp_path, TEXT.replace("chess: {}", "chess: {illegal: substitute}")).whole
    assert departures(other) == ("illegal actions are substituted, three more tries and then a forfeit required",)


@pytest.mark.parametrize("players", [2, 3, 6, 9])
def test_everybody_meets_everybody_once_and_a_turn_favours_nobody(players: int) -> None:
    names = [f"p{number}" for number in range(players)]
    bouts = round_robin(["chess"], names)
    assert Counter(frozenset(bout.seats) for bout in bouts) == Counter(map(frozenset, combinations(names, 2)))
    turn = players // 2
    for first in range(0, len(bouts), turn):
        in_turn = [name for bout in bouts[first : first + turn] for name in bout.seats]
        assert len(in_turn) == len(set(in_turn))


@pytest.mark.parametrize(
    ("found", "replaced", "told"),
    [
        ("title: An arena", "title: ' '", "title: expected a text of one letter or more"),
        ("  chess: {}\n", "", "roster.fish: expected a player of holdem, found one who plays none of them"),
        (
            "  one: {kind: random}\n",
            "",
            "games.holdem: expected 2 players of the roster who can play it, found two",
        ),
        ("rounds: 3", "rounds: 0", "rounds: expected a whole number from 1 to 10,000"),
        ("rounds: 3", "rouns: 3", "rouns: expected one of"),
        ("rounds: 3", "rounds: 3\ndraughts: {}", "draughts: expected the rules of a game below games"),
        ("  chess: {}", "  ches: {}", "games.ches: expected a game of arena-0.1 (chess, "),
        ("{kind: random}", "{kind: randon}", "roster.one"),
        ("  one:", "  One-1:", "roster.One-1: expected a name of up to 32 small letters"),
        ("  holdem:\n", "  holdem: 3\n", "games.holdem: expected rules by name, or {}"),
        ("  chess: {}", "  chess: {plies: 3}", "games.chess: unknown key 'plies'"),
    ],
)
def test_what_is_wrong_is_named_by_the_key_of_the_arenas_file(
    tmp_path: Path, found: str, replaced: str, told: str
) -> None:
    assert TEXT.count(found) == 1
    with pytest.raises(ManifestError) as error:
        arena_of(tmp_path, TEXT.replace(found, replaced))
    assert f"arena.yaml: {told}" in str(error.value)


def test_a_player_is_added_and_every_other_line_stays(tmp_path: Path) -> None:
    text = with_player(TEXT, "three", "stockfish", ["nodes=20"])
    line = "  three: {kind: stockfish, nodes: 20}\n"
    assert text.replace(line, "") == TEXT
    assert text.index(line) > text.index("fish: {")
    assert Bout("chess", ("one", "three")) in {
        Bout(match.game, tuple(sorted(match.seats))) for match in arena_of(tmp_path, text).whole.matches
    }


@pytest.mark.parametrize("settings", [["nodes=5", "nodes=6"], ["kind=random"]])
def test_a_setting_that_is_given_twice_is_refused(settings: list[str]) -> None:
    with pytest.raises(ManifestError, match=rf"--set {settings[0].partition('=')[0]}: it is given twice"):
        with_player(TEXT, "three", "stockfish", settings)


@pytest.mark.parametrize(("name", "told"), [("two", "expected another name"), ("Two!", "expected a name")])
def test_a_player_with_a_wrong_name_is_refused(name: str, told: str) -> None:
    with pytest.raises(ManifestError, match=told):
        with_player(TEXT, name, "random", [])


def test_a_table_has_as_many_seats_as_there_are_players_of_its_game(tmp_path: Path) -> None:
    """It had those of the whole roster, so two of its seats were always one player's, and nothing could be rated."""
    three = TEXT.replace("  fish:", "  three: {kind: random}\n  fish:").replace("  holdem:\n", "  holdem_ring:\n")
    assert arena_of(tmp_path, three).tables == {"holdem_ring": 3}


@pytest.mark.parametrize("command", ["plan", "run"])
def test_what_would_not_count_in_the_table_is_neither_forecast_nor_played(command: str, tmp_path: Path) -> None:
    """A forecast was made of arenas that `arena run` refuses."""
    signing_keys.generate(tmp_path / "key.pem")
    path = tmp_path / "arena.yaml"
    path.write_text(TEXT.replace("chess: {}", "chess: {plies_max: 1}"))
    key = ["--key", str(tmp_path / "key.pem")] if command == "run" else []
    ended = CliRunner().invoke(main, ["arena", command, str(path), *key])
    told = "none of its bundles would count in its table: chess games end at 1 plies, at least 400 required"
    assert (ended.exit_code, ended.stderr) == (2, f"error: {path}: {told}\n")


def test_the_folder_of_an_arena_is_no_folder_of_bundles(tmp_path: Path) -> None:
    """Its table was empty, and its exit code that of a bundle that was left out."""
    for name in ("runs", "bundles"):
        (tmp_path / name).mkdir()
    ended = CliRunner().invoke(main, ["arena", "table", str(tmp_path)])
    told = f"{tmp_path}: this is the folder of an arena; give its file, or {tmp_path / 'bundles'}"
    assert (ended.exit_code, ended.stderr) == (2, f"error: {told}\n")
