"""The schedule: what is missing and nothing else, so that every prefix of it is a fair arena."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from agzamov_harness.arena.arena_file import Arena, read_arena
from agzamov_harness.arena.schedule import planned, rounds_to_seal, seated, standing
from agzamov_verify.plan.manifest import Plan

TEXT = """\
title: An arena
rounds: 3
roster:
  one: {kind: random}
  two: {kind: reference}
  three: {kind: novice}
games: {chess: {}, holdem: {}}
"""
FOUR = TEXT.replace("games:", "  four: {kind: stockfish, nodes: 5}\ngames:")


def arena_of(folder: Path, text: str) -> Arena:
    path = folder / "arena.yaml"
    path.write_text(text)
    return read_arena(path)


def plans_of(arena: Arena, plans: list[Plan]) -> list[Plan]:
    return [arena.plan_of(bouts) for bouts in rounds_to_seal(arena, plans)]


def test_every_prefix_differs_by_one_unit_at_most(tmp_path: Path) -> None:
    arena = arena_of(tmp_path, TEXT)
    plans = plans_of(arena, [])
    assert len(plans) == arena.rounds
    for rounds in range(len(plans) + 1):
        counts = standing(arena, plans[:rounds]).values()
        assert set(counts) == {rounds}
    assert not list(rounds_to_seal(arena, plans))


def test_whoever_is_named_first_is_named_second_in_the_next_round(tmp_path: Path) -> None:
    first, second, *_ = plans_of(arena_of(tmp_path, TEXT), [])
    assert [match.seats for match in second.matches] == [match.seats[::-1] for match in first.matches]


def test_a_new_player_plays_only_what_it_is_missing(tmp_path: Path) -> None:
    arena = arena_of(tmp_path, TEXT)
    plans = plans_of(arena, [])
    bigger = arena_of(tmp_path, FOUR)
    added = plans_of(bigger, plans)
    assert len(added) == arena.rounds
    assert all("four" in match.seats for plan in added for match in plan.matches)
    assert set(standing(bigger, [*plans, *added]).values()) == {arena.rounds}


def test_a_round_of_another_machine_counts_and_other_rules_do_not(tmp_path: Path) -> None:
    arena = arena_of(tmp_path, TEXT)
    (theirs, *_) = plans_of(arena, [])
    assert len(plans_of(arena, [theirs])) == arena.rounds - 1
    other = arena_of(tmp_path, TEXT.replace("chess: {}", "chess: {plies_max: 300}"))
    left = Counter(match.game for plan in plans_of(other, [theirs]) for match in plan.matches)
    assert left == {"chess": 9, "holdem": 6}


def test_a_player_with_other_settings_is_another_player(tmp_path: Path) -> None:
    arena = arena_of(tmp_path, FOUR)
    stronger = arena_of(tmp_path, FOUR.replace("nodes: 5", "nodes: 6"))
    plans = plans_of(arena, [])
    missing = plans_of(stronger, plans)
    assert all("four" in match.seats for plan in missing for match in plan.matches)
    assert max(planned([*plans, *missing], stronger.whole.seats).values()) == arena.rounds


@pytest.mark.parametrize("players", [3, 8, 10])
def test_tables_are_balanced_after_every_round(tmp_path: Path, players: int) -> None:
    roster = "".join(f"  p{number}: {{kind: random}}\n" for number in range(players))
    text = f"title: Tables\nrounds: 12\nroster:\n{roster}games: {{werewolf: {{}}}}\n"
    arena = arena_of(tmp_path, text)
    assert arena.tables == {"werewolf": 8}
    plans = plans_of(arena, [])
    for rounds in range(1, len(plans) + 1):
        met = seated(arena, "werewolf", plans[:rounds])
        assert max(met.alone.values()) - min(met.alone[name] for name in arena.whole.seats) <= 1
        pairs = [met.together[frozenset(pair)] for pair in combinations(arena.whole.seats, 2)]
        assert max(pairs) - min(pairs) <= 4, "of ten meetings in twelve rounds"
    assert min(met.alone.values()) >= arena.rounds
