"""Rounds that were kept away and games that were added are seen in the table: it says who met whom less often."""

from pathlib import Path

import msgspec
import pytest

from agzamov_harness.arena.arena_file import read_arena
from agzamov_harness.arena.arena_page import Contents, arena_page
from agzamov_harness.arena.arena_table import ArenaTable, arena_table
from agzamov_harness.arena.even_play import uneven_words
from agzamov_harness.arena.schedule import RoundsHere, rounds_here
from agzamov_harness.arena.table_text import summary_words, table_text
from agzamov_harness.arena.verified_bundles import counted
from bundles.bundle_factory import key_of, make
from harness.arena.arena_worlds import chess_world, collected_world
from harness.arena.test_cheated_tables import FILE, PLAN, arena_in, taken

EVEN = {("a", "b"): 8, ("b", "c"): 8, ("a", "c"): 9}


def table_of(**more: int) -> ArenaTable:
    """An arena of three in which everybody met ten times; `more`: further rounds of a and b alone."""
    games = chess_world(EVEN, "abc")
    for number in range(more.get("rounds", 0)):
        games += [
            one._replace(run=f"{number:016x}", unit=(f"{number:016x}", *one.unit[1:]))
            for one in chess_world({("a", "b"): 8}, "ab", 1)
        ]
    return arena_table(collected_world({"chess": games}))


@pytest.mark.slow
def test_a_round_that_is_kept_away_is_missing_in_the_first_line(tmp_path: Path) -> None:
    arena = read_arena(arena_in(tmp_path, FILE.replace("rounds: 1", "rounds: 2")))
    bundles = [make(PLAN, tmp_path / str(nonce), nonce=nonce, key=key_of(str(nonce))) for nonce in range(2)]
    for there, words in ((bundles, ""), (bundles[:1], "; 1 of the 2 rounds of its file are here in full")):
        found = counted(taken(*there), arena.whole)
        made = summary_words(arena_table(found, rounds_here(arena, found.plans)))
        assert made.endswith(f"signed by {'one key' if words else '2 keys'}{words}")
    assert rounds_here(arena, [*found.plans] * 3) == RoundsHere(2, 2)


def test_an_added_player_whose_games_are_not_there_leaves_no_round_in_full(tmp_path: Path) -> None:
    arena = read_arena(arena_in(tmp_path, FILE.replace("dice: {", "dice: {kind: random}, new: {")))
    found = counted(taken(make(PLAN, tmp_path / "one")), arena.whole)
    assert rounds_here(arena, found.plans) == RoundsHere(0, 1)


@pytest.mark.parametrize(("rounds", "is_said"), [(0, False), (1, False), (3, True)])
def test_a_pairing_that_met_more_often_by_two_rounds_is_named(rounds: int, is_said: bool) -> None:
    made = table_of(rounds=rounds)
    words = f"Not everybody met everybody as often: 20 of a and c, {20 + 2 * rounds} of a and b."
    assert uneven_words(made.games[0]) == (words if is_said else "")
    assert (words in " ".join(table_text(made).split())) == is_said
    assert (words in arena_page(Contents("An arena", made, "agzamov arena table", has_replays=False))) == is_said


def test_players_who_never_met_are_the_least() -> None:
    games = [one for one in chess_world(EVEN, "abc") if set(one.players) != {"b", "c"}]
    made = arena_table(collected_world({"chess": games}))
    assert uneven_words(made.games[0]).endswith(": 0 of b and c, 20 of a and b.")
    assert uneven_words(msgspec.structs.replace(made.games[0], game="werewolf")) == ""
