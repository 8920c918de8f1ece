"""Collected results of arenas in which who beats whom is planted."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from agzamov_harness.arena.verified_bundles import Collected, Counted, GamePlayed, LeftOut, Spent

RUNS = ("a" * 16, "b" * 16)


def chess_world(
    share: Mapping[tuple[str, str], int], players: Sequence[str], rounds: int = 10, *, name: str = "chess"
) -> list[GamePlayed]:
    """So many pairs of games of each two players, of which the first named wins `share` in ten pairs, both games each.

    Pairings without a share are shared evenly.
    """
    found = []
    for number in range(rounds):
        for one, other in combinations(players, 2):
            wins = share.get((one, other), 10 - share[other, one] if (other, one) in share else 5)
            won = 1 if number % 10 < wins else -1
            run, match = RUNS[number % len(RUNS)], f"p6-{name}-naked-{one}-{other}"
            for colour in (0, 1):
                seats, result = ((one, other), (won, -won)) if not colour else ((other, one), (-won, won))
                place = 2 * (number // len(RUNS)) + colour
                found.append(_game(run, match, place, seats, result))
    return found


def collected_world(
    results: Mapping[str, Sequence[GamePlayed]], left_out: Sequence[LeftOut] = (), *, priced: Sequence[str] = ()
) -> Collected:
    """What was collected of these results. `priced`: the players whose price is known."""
    names = sorted({name for games in results.values() for one in games for name in one.players})
    bundles = tuple(Counted(run, "0" * 64, "c" * 64) for run in RUNS)
    return Collected(bundles, tuple(left_out), dict.fromkeys(names, "a model"), results, dict(_spent(results, priced)))


def _spent(
    results: Mapping[str, Sequence[GamePlayed]], priced: Sequence[str]
) -> Iterator[tuple[tuple[str, str], Spent]]:
    for game, games in results.items():
        for name in sorted({name for one in games for name in one.players}):
            count = sum(name in one.players for one in games)
            yield (game, name), Spent(count, 1, 40 * count, 3, 1000 * count, 0.25 * count, name not in priced)


def _game(run: str, match: str, place: int, seats: tuple[str, str], won: tuple[int, int]) -> GamePlayed:
    name = f"{match}-g{place:05d}"
    return GamePlayed(
        run, name, (run, match, place // 2), seats, won, (won[0] + 1, won[1] + 1), f"{run}{name}",
        is_forfeit=False, teams=(0, 1), roles=(),
    )  # fmt: skip
