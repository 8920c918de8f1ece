"""Who took what from whom: of two by the result, at a table of many by the greater result, never inside a team."""

from agzamov_harness.arena.pairings import pairings
from agzamov_harness.arena.verified_bundles import GamePlayed

RUN = "a" * 16


def played(
    players: tuple[str, ...], outcomes: tuple[int, ...], teams: tuple[int, ...] = (), number: int = 0
) -> GamePlayed:
    won = tuple((one > 0) - (one < 0) for one in outcomes)
    name = f"p6-x-naked-g{number:05d}"
    places = teams or tuple(range(len(players)))
    return GamePlayed(RUN, name, (RUN, "p6-x-naked", number), players, won, outcomes, name, False, places, ())


def test_chips_of_two_are_told_in_big_blinds_a_hundred_hands() -> None:
    hands = [played(("one", "two"), (300, -300)), played(("two", "one"), (100, -100), number=1)]
    one, two = pairings("holdem", hands)
    assert (one.player, one.points, one.results) == ("one", 1.0, 2)
    assert (one.bb_per_100, two.bb_per_100) == (100.0, -100.0)  # 2 big blinds of 100 chips in 2 hands


def test_at_a_table_of_many_the_greater_result_has_the_point() -> None:
    found = {(p.player, p.opponent): p for p in pairings("holdem_ring", [played(("a", "b", "c"), (200, -100, -100))])}
    assert found["a", "b"].points == 1.0
    assert found["b", "c"].points == found["c", "b"].points == 0.5
    assert found["a", "b"].bb_per_100 is None


def test_players_of_one_team_do_not_meet() -> None:
    village = [played(("a", "b", "c"), (1, 1, -1), (0, 0, 1))]
    assert {(one.player, one.opponent) for one in pairings("werewolf", village)} == {
        ("a", "c"),
        ("b", "c"),
        ("c", "a"),
        ("c", "b"),
    }


def test_a_player_does_not_meet_itself() -> None:
    assert not list(pairings("holdem_ring", [played(("a", "a", "a"), (1, 0, -1))]))
