"""Openings of an arena's rounds come again only once the book is played through, with any seed but a beacon's."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.arena.arena_file import Arena, read_arena
from agzamov_harness.arena.arena_folder import ArenaFolder
from agzamov_harness.arena.openings import Opening, SealedRound, least_used, openings_of
from agzamov_harness.run import seal as seal_module
from agzamov_harness.run.seal import seal, with_accepted_seed
from agzamov_verify.checks.opened_bundle import seed_dice
from agzamov_verify.core.dice import Dice
from agzamov_verify.plan.manifest import Seed
from agzamov_verify.table.registry import GAMES
from harness.arena.test_arena_rounds import arena_run, invoke

TEXT = """\
title: Openings
rounds: 40
roster: {best: {kind: reference}, dice: {kind: random}}
games: {chess: {}, draughts: {}, holdem: {}}
"""
SECRET = bytes(range(32))


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    (tmp_path / "arena.yaml").write_text(TEXT)
    return read_arena(tmp_path / "arena.yaml")


def sealed(arena: Arena, rounds: Sequence[SealedRound]) -> SealedRound:
    """One more round, with the first accepted of nonces that are drawn anew."""
    manifest, _ = seal(arena.whole, "0" * 64, None, SECRET)
    accepts = least_used(rounds, arena.whole)
    accepted = with_accepted_seed(manifest, SECRET, accepts)
    dice = seed_dice(accepted, SECRET)
    assert accepts(dice)
    return SealedRound(accepted.plan, dice)


def used(rounds: Sequence[SealedRound]) -> Counter[Opening]:
    return Counter(one for each in rounds if each.dice for one in openings_of(each.plan, each.dice))


def test_no_opening_comes_again_before_the_book_is_through(arena: Arena) -> None:
    book, rounds = GAMES["chess"].openings, list[SealedRound]()
    for _ in range(book + 1):
        rounds.append(sealed(arena, rounds))
    times = used(rounds)
    assert sorted(times[one] for one in times if one.game == "chess") == [1] * (book - 1) + [2]
    assert [times[one] for one in times if one.game == "draughts"] == [1] * (book + 1)
    assert {one.game for one in times} == {"chess", "draughts"}


def test_without_the_rule_openings_come_again(arena: Arena) -> None:
    """The defect: as many rounds as the book has openings draw one twice, but once in 10,000,000,000 cases."""
    manifest, _ = seal(arena.whole, "0" * 64, None, SECRET)
    nonces = (f"{number:032x}" for number in range(GAMES["chess"].openings))
    seeds = (seed_dice(msgspec.structs.replace(manifest, nonce=nonce), SECRET) for nonce in nonces)
    times = used([SealedRound(arena.whole, dice) for dice in seeds])
    assert max(times[one] for one in times if one.game == "chess") > 1


def test_a_seed_that_nothing_accepts_ends_after_so_many_and_a_beacons_is_left_alone(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seal_module, "SEEDS_MAX", 7)
    asked = list[Dice]()

    def never(dice: Dice) -> bool:
        asked.append(dice)
        return False

    manifest, _ = seal(arena.whole, "0" * 64, None, SECRET)
    assert with_accepted_seed(manifest, SECRET, never).nonce != manifest.nonce
    assert len(asked) == 7
    waiting = msgspec.structs.replace(arena.whole, seed=Seed("beacon", "quicknet/1000"))
    manifest, _ = seal(waiting, "0" * 64, None, SECRET)
    assert with_accepted_seed(manifest, SECRET, never) == manifest
    assert len(asked) == 7


def test_rounds_that_are_sealed_one_by_one_begin_from_other_openings(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "arena.yaml").write_text(TEXT.replace("40", "12"))
    assert invoke("keygen", tmp_path / "key.pem")[0] == 0
    code, told = arena_run(tmp_path / "arena.yaml", "--seal-only")
    assert code == 0, told
    times = used(ArenaFolder(tmp_path, lambda _: None).rounds())
    assert set(times.values()) == {1}
    assert len(times) == 2 * 12
