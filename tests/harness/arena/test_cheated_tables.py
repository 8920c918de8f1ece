"""Ways of cheating with the table of an arena, each seen: a borrowed name, a run played again, an island, a tar."""

import json
import tarfile
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from agzamov_harness.arena.arena_file import ROSTER_MAX, read_arena
from agzamov_harness.arena.arena_table import arena_table
from agzamov_harness.arena.game_fits import GameFit, fitted
from agzamov_harness.arena.over_games import RatedGame, games_that_count
from agzamov_harness.arena.table_text import parts_words, table_text
from agzamov_harness.arena.verified_bundles import (
    Collected,
    GamePlayed,
    Verified,
    counted,
    is_cost_unknown,
    verified,
)
from agzamov_harness.cli import main
from agzamov_verify.bundle import ENVIRONMENT_FILE
from agzamov_verify.checks.steps import Options
from agzamov_verify.core import canon
from agzamov_verify.core.questions import Answer, Question, Reply
from agzamov_verify.plan.manifest import ManifestError, Price
from agzamov_verify.scoring.seat_stats import Signals
from bundles.bundle_factory import Draft, make, reseal
from bundles.golden_arena import ARENA
from harness.arena.arena_worlds import chess_world, collected_world

PLAN = {
    **ARENA,
    "title": "Draughts",
    "seats": {"best": {"kind": "reference"}, "dice": {"kind": "random"}},
    "matches": [{"phase": 6, "game": "draughts", "a": "best", "b": "dice", "games": 2}],
}
BORROWED = {**PLAN, "seats": {**PLAN["seats"], "best": {"kind": "random"}}}  # type: ignore[dict-item]
MODEL = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m", "temperature": "0", "tokens_max": 64}
OF_MODELS = {**PLAN, "seats": {"best": MODEL, "dice": {**MODEL, "model": "n"}}}
FILE = """\
title: Draughts
rounds: 1
roster: {best: {kind: reference}, dice: {kind: random}}
games: {draughts: {}}
"""


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(PLAN, tmp_path_factory.mktemp("honest"))


@pytest.fixture(scope="module")
def borrowed(honest: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle in which the random player has the name of the reference player, and the first of all run ids."""
    folder = tmp_path_factory.mktemp("borrowed")
    made = (make(BORROWED, folder / str(nonce), nonce=nonce) for nonce in range(50))
    return next(bundle for bundle in made if bundle.name < honest.name)


def taken(*bundles: Path) -> Verified:
    return verified(bundles, Options(None, "", 1))


def arena_in(folder: Path, text: str = FILE) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "arena.yaml").write_text(text)
    return folder / "arena.yaml"


def players(found: Collected) -> dict[str, str]:
    return dict(found.players)


def test_a_name_belongs_to_the_player_of_the_roster_not_to_the_first_run(
    honest: Path, borrowed: Path, tmp_path: Path
) -> None:
    found = counted(taken(honest, borrowed), read_arena(arena_in(tmp_path)).whole)
    assert players(found) == {
        "best": "scripted reference player",
        "best (2)": "random player, not of this roster",
        "dice": "random player",
    }
    assert "best (2)" in players(counted(taken(borrowed), read_arena(arena_in(tmp_path)).whole))


def test_without_a_roster_the_name_is_of_whoever_is_in_most_bundles(
    honest: Path, borrowed: Path, tmp_path: Path
) -> None:
    again = make(PLAN, tmp_path, nonce=7)
    assert players(counted(taken(honest, borrowed, again)))["best"] == "scripted reference player"


def silent(_: Question) -> Answer:
    """Models that do not play."""
    return Reply(text="I pass.")


def talking(_: Question) -> Answer:
    """The same models, on another day."""
    return Reply(text="I will not move.")


@pytest.mark.slow
def test_a_sealed_run_with_two_records_does_not_count_and_its_copy_counts_once(tmp_path: Path) -> None:
    one, other = (make(OF_MODELS, tmp_path / name, answer) for name, answer in (("a", silent), ("b", talking)))
    assert one.name == other.name
    assert [left.reason for left in taken(one, one).left_out] == ["found twice"]
    found = taken(one, other)
    assert not found.taken
    assert {left.reason for left in found.left_out} == {
        "2 different records of one sealed run: at least one was played again, or changed"
    }


def test_a_price_is_not_known_where_tokens_were_not_counted() -> None:
    """A model of 100 US dollars a million tokens whose server counts none cost "none", as if it were free."""
    free, dear = Price(), Price(output_usd="300")
    for price, uncounted, is_unknown in ((None, 0, True), (dear, 0, False), (dear, 1, True), (free, 1, False)):
        stats = SimpleNamespace(signals=Signals(5, uncounted, 100))
        assert is_cost_unknown(price, stats) is is_unknown  # type: ignore[arg-type]


def test_a_run_that_was_packed_again_is_the_same_record(honest: Path, tmp_path: Path) -> None:
    """Whoever lost added his run again with another machine, and neither counted any more."""
    draft = Draft.of(honest)
    environment = json.loads(draft.files[ENVIRONMENT_FILE])
    draft.files[ENVIRONMENT_FILE] = canon.dumps({**environment, "cpu": "another"})
    reseal(draft)
    found = taken(honest, draft.write(tmp_path))
    assert len(found.taken) == 1
    assert [left.reason for left in found.left_out] == ["found twice"]


def test_a_packed_bundle_is_named_not_passed_over(honest: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.tar"
    with tarfile.open(packed, "w") as archive:
        archive.add(honest, arcname=honest.name)
    found = taken(honest, packed)
    assert len(found.taken) == 1
    assert [(left.bundle, "unpack it" in left.reason) for left in found.left_out] == [("packed.tar", True)]


def test_players_who_met_nobody_of_the_others_stand_apart() -> None:
    house = chess_world({("a", "b"): 8, ("b", "c"): 8, ("a", "c"): 9}, "abc")
    island = chess_world({("x", "y"): 10}, "xy")
    rows = collected_world({"chess": [*house, *island]})
    made = arena_table(rows)
    assert [row.player for row in made.rows] == ["a", "b", "c", "x", "y"]
    told = " ".join(table_text(made).split())
    assert "signed by one key" in told
    assert "Ranked apart, since they never met, not even through others: a, b, c; x, y." in told
    assert not list(parts_words(made.rows[:3]))


def test_a_game_that_few_play_does_not_take_the_others_out_of_the_rating() -> None:
    house = chess_world({("a", "b"): 8, ("b", "c"): 8, ("a", "c"): 9, ("a", "x"): 8}, "abcx")
    own = chess_world({("x", "y"): 9}, "xy", name="draughts")
    names = list("abcxy")
    fits = {"chess": rated_in("chess", house, names), "draughts": rated_in("draughts", own, names)}
    assert games_that_count(fits, len(names)) == ["chess"]
    both = chess_world({("a", "b"): 8, ("b", "c"): 8}, "abcx", name="draughts")
    assert games_that_count({**fits, "draughts": rated_in("draughts", both, names)}, len(names)) == [
        "chess",
        "draughts",
    ]


def rated_in(game: str, results: Sequence[GamePlayed], names: Sequence[str]) -> RatedGame:
    fit = fitted(game, results, names)
    assert isinstance(fit, GameFit)
    return RatedGame(fit.rating, fit.intervals)


@pytest.mark.parametrize("seats", ["-5", "seven", '"²"', "100000000000", "4.5", "2"])
def test_seats_at_a_table_are_a_number_that_its_game_has(tmp_path: Path, seats: str) -> None:
    text = FILE.replace("draughts: {}", f"werewolf: {{seats: {seats}}}")
    with pytest.raises(ManifestError, match=r"games\.werewolf\.seats: expected a whole number from \d+ to \d+$"):
        read_arena(arena_in(tmp_path, text))


def test_a_roster_has_an_end(tmp_path: Path) -> None:
    many = ", ".join(f"p{number}: {{kind: random}}" for number in range(ROSTER_MAX + 1))
    with pytest.raises(ManifestError, match=f"roster: expected 2 to {ROSTER_MAX} players, found {ROSTER_MAX + 1}"):
        read_arena(arena_in(tmp_path, FILE.replace("best: {kind: reference}, dice: {kind: random}", many)))


def written_key(folder: Path) -> Path:
    assert invoke("keygen", folder / "key.pem")[0] == 0
    return folder / "key.pem"


def invoke(*words: Any) -> tuple[int, str]:
    ended = CliRunner().invoke(main, [str(word) for word in words])
    return ended.exit_code, ended.output


def test_what_departs_from_the_protocol_is_refused_before_it_is_played(tmp_path: Path) -> None:
    path = arena_in(tmp_path, FILE.replace("draughts: {}", "holdem: {session_hands: 10}"))
    code, told = invoke("arena", "run", path, "--key", written_key(tmp_path), "--seal-only")
    assert code == 2
    assert "none of its bundles would count in its table: " in told
    assert not list((tmp_path / "runs").glob("[!.]*/"))


def test_a_bundle_that_does_not_hold_takes_no_round_away(honest: Path, tmp_path: Path) -> None:
    path = arena_in(tmp_path)
    forged = tmp_path / "bundles" / honest.name / "data"
    forged.mkdir(parents=True)
    (forged / "manifest.json").write_bytes((honest / "data" / "manifest.json").read_bytes())
    code, told = invoke("arena", "run", path, "--key", written_key(tmp_path), "--seal-only", "--quiet")
    assert code == 0, told
    assert f"{honest.name}: counts for nothing: " in told
    assert len(list((tmp_path / "runs").glob("[!.]*/"))) == 1


def test_a_player_that_is_refused_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    text = FILE.replace(
        "{best: {kind: reference}, dice: {kind: random}}", "\n  best: {kind: reference}\n  dice: {kind: random}"
    )
    path = arena_in(tmp_path, text)
    code, told = invoke("arena", "add", path, "new", "--kind", "openai")
    assert (code, path.read_text()) == (2, text), told
    code, told = invoke("arena", "add", path, "new", "--kind", "openai", "--set", "base_url=http://127.0.0.1:9/v1",
                        "--set", "model=m", "--set", "tokens_max=256")  # fmt: skip
    assert code == 0, told
    assert "new: {kind: openai" in path.read_text()
