"""The page of an arena: its answer in words, a link from every pairing to its games, and who beats whom in a circle."""

import re
from math import atan2, pi

import pytest

from agzamov_harness.arena.arena_page import Contents, arena_page
from agzamov_harness.arena.arena_table import ArenaTable, arena_table
from agzamov_harness.arena.cyclic_drawing import better_by
from agzamov_harness.arena.table_text import table_text
from agzamov_harness.arena.verified_bundles import LeftOut
from harness.arena.arena_worlds import RUNS, chess_world, collected_world

CIRCLE = {("rock", "scissors"): 9, ("paper", "rock"): 9, ("scissors", "paper"): 9}
COMMAND = "agzamov arena table arena.yaml"
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def circle() -> ArenaTable:
    return arena_table(collected_world({"chess": chess_world(CIRCLE, sorted({*sum(CIRCLE, ())}))}))


@pytest.fixture(scope="module")
def ladder() -> ArenaTable:
    """Three players of whom each beats the next; the games of the weakest two are in one match."""
    share = {("best", "middle"): 9, ("best", "worst"): 10, ("middle", "worst"): 9}
    results = chess_world(share, ["best", "middle", "worst"])
    one_match = [one for one in results if {"middle", "worst"} != set(one.players) or one.run == RUNS[0]]
    left_out = [LeftOut(HOSTILE, "does not verify: step 7")]
    return arena_table(collected_world({"chess": one_match}, left_out, priced=["best"]))


def page_of(found: ArenaTable, *, has_replays: bool = True) -> str:
    return arena_page(Contents("An arena", found, COMMAND, has_replays))


def test_the_answer_stands_first(ladder: ArenaTable) -> None:
    page = page_of(ladder)
    told = "Over all games: best is ahead of all others. worst is behind all others."
    assert told in page
    assert page.index(told) < page.index("<table>")


def test_every_pairing_leads_to_its_games(ladder: ArenaTable) -> None:
    page = page_of(ladder)
    cells = dict(re.findall(r'<a class="heat[^"]*" href="([^"]+)">([^<]+)', page))
    assert cells["#chess-0-1"] == "10\N{NO-BREAK SPACE}%"  # of the last that has the address: middle against best
    assert f"{RUNS[0]}/index.html#m=p6-chess-naked-middle-worst" in cells  # one match: the list of its games
    assert len(re.findall(r'<a class="heat', page)) == 6
    for run in RUNS:
        assert f'href="{run}/index.html#m=p6-chess-naked-best-middle"' in page
        assert f'href="{run}/index.html#g=p6-chess-naked-best-middle-g00000"' in page


def test_a_page_without_replays_names_the_games_and_links_to_nothing_outside(ladder: ArenaTable) -> None:
    page = page_of(ladder, has_replays=False)
    assert "<code>p6-chess-naked-best-middle-g00000</code>" in page
    assert all(one.startswith("#") for one in re.findall(r'href="([^"]+)"', page))


def test_the_page_says_what_is_not_known_and_what_was_left_out(ladder: ArenaTable) -> None:
    page = page_of(ladder)
    assert page.count("<td>not known</td>") == 2
    assert page.count("<td>$0.2500</td>") == 1
    assert "does not verify: step 7" in page
    assert "<img" not in page
    assert COMMAND in page
    assert page.count("0" * 64) == len(RUNS)


def test_a_page_has_no_script_or_style_but_its_own(ladder: ArenaTable) -> None:
    page = page_of(ladder)
    policy = re.search(r'content="(default-src[^"]+)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert policy[1].count("sha256-") == 2
    assert page.count("<script") == page.count("<style") == 1
    assert not re.search(r' (style|on[a-z]+)="', page)


def test_equal_results_give_an_equal_page(ladder: ArenaTable) -> None:
    assert page_of(ladder) == page_of(ladder)


def test_who_beats_each_other_in_a_circle_is_drawn(circle: ArenaTable) -> None:
    tested = circle.games[0].cyclic
    assert tested is not None
    assert tested.p < 0.05
    at = {one.player: one for one in tested.places}
    for winner, loser in CIRCLE:
        assert better_by(at[winner], at[loser]) > 0
        turn = (atan2(at[loser].y, at[loser].x) - atan2(at[winner].y, at[winner].x)) % (2 * pi)
        assert turn == pytest.approx(2 * pi / 3, abs=0.01)
    page = page_of(circle)
    assert 'class="chart plane"' in page
    rows = dict(re.findall(r'<th scope="row">\d\. (\w+)</th><td>(\w+)</td>', page))
    assert set(rows.items()) == set(CIRCLE)


def test_without_a_circle_nothing_is_drawn(ladder: ArenaTable) -> None:
    tested = ladder.games[0].cyclic
    assert tested is not None
    assert tested.places == ()
    assert 'class="chart plane"' not in page_of(ladder)
    assert "Nothing speaks against one strength a player" in page_of(ladder)


def test_two_players_cannot_beat_each_other_in_a_circle() -> None:
    found = arena_table(collected_world({"chess": chess_world({("one", "two"): 8}, ["one", "two"])}))
    assert found.games[0].cyclic is None


def test_a_rank_set_is_what_being_ahead_leaves_open(ladder: ArenaTable, circle: ArenaTable) -> None:
    for row in (*ladder.rows, *circle.rows):
        assert row.rating is not None
        others = [one.rating for one in (*ladder.rows, *circle.rows) if one.rating]
        assert row.rating.best_rank == 1 + sum(row.player in one.ahead_of for one in others)
        assert row.rating.worst_rank == 3 - len(row.rating.ahead_of)


def test_a_rating_over_one_game_is_that_of_the_game(ladder: ArenaTable, circle: ArenaTable) -> None:
    """It had an interval of its own kind, so one figure had two."""
    for table in (ladder, circle):
        assert {row.player: row.rating for row in table.rows} == {row.player: row.rating for row in table.games[0].rows}


def test_what_is_taken_is_taken_from_somebody(ladder: ArenaTable) -> None:
    met = {(one.player, one.opponent): one for one in ladder.games[0].pairings}
    for (one, other), pairing in met.items():
        assert pairing.points + met[other, one].points == pairing.results
        assert sum(part.results for part in pairing.matches) == pairing.results
        assert pairing.first_game == pairing.matches[0].first_game


@pytest.mark.slow
def test_the_part_of_each_game_in_the_rating_over_all_is_told(ladder: ArenaTable) -> None:
    """Chess is won nine times in ten, draughts six: most of the differences come from chess."""
    steep = chess_world({("a", "b"): 9, ("b", "c"): 9, ("a", "c"): 9}, "abc")
    flat = chess_world({("a", "b"): 6, ("b", "c"): 6, ("a", "c"): 6}, "abc", name="draughts")
    made = arena_table(collected_world({"chess": steep, "draughts": flat}))
    ratings = [{row.player: row.rating.elo for row in game.rows if row.rating} for game in made.games]
    spread = [of_game["a"] - of_game["c"] for of_game in ratings]
    assert made.shares[0] == pytest.approx(spread[0] / sum(spread), abs=0.01)
    assert sum(made.shares) == pytest.approx(1, abs=0.002)
    chess, draughts = (round(100 * share) for share in made.shares)
    words = f"part in the differences between ratings over all games: chess {chess} %, draughts {draughts} %."
    assert words in page_of(made).replace("\N{NO-BREAK SPACE}", " ")
    assert words in " ".join(table_text(made).split())
    assert "part in the differences" not in page_of(ladder) + table_text(ladder)


def test_a_game_that_few_play_is_said_to_be_no_part_of_the_rating_over_all() -> None:
    """The text said so; the page showed ratings "over all games" without a note."""
    many = chess_world({("a", "b"): 9, ("b", "c"): 9, ("c", "d"): 9, ("d", "e"): 9}, "abcde")
    few = chess_world({("a", "b"): 6}, "ab", name="draughts")
    made = arena_table(collected_world({"chess": many, "draughts": few}))
    words = "Not part of the rating over all games: draughts, which at most half of the players play."
    assert words in page_of(made)
    assert words in " ".join(table_text(made).split())
    assert "Not part of" not in page_of(arena_table(collected_world({"chess": many})))
