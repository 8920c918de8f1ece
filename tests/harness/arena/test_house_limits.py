"""Limits are the same for all models of an arena: compared over all bundles, and over the whole roster."""

from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.arena.arena_file import read_arena
from agzamov_harness.arena.arena_table import arena_table
from agzamov_harness.arena.house_limits import limits_of, require_one_limit
from agzamov_harness.arena.table_text import table_text
from agzamov_harness.arena.verified_bundles import Verified, counted, verified
from agzamov_verify.checks.steps import Options
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.seats import EndpointSeat, RandomSeat
from agzamov_verify.table.scripted_players import with_words_as_tokens
from bundles.bundle_factory import make
from bundles.golden_arena import ARENA

MODEL: dict[str, Any] = {
    "kind": "openai",
    "base_url": "http://127.0.0.1:9/v1",
    "tokens_max": 64,
    "accepts": ["temperature", "top_p", "max_tokens"],
}
SEATS: dict[str, Any] = {
    "m": {**MODEL, "model": "m"},
    "n": {**MODEL, "model": "n"},
    "one": {"kind": "random"},
    "dice": {"kind": "random"},
}
PAIRINGS = [("m", "n"), ("m", "dice"), ("one", "dice")]
PLAN = {
    **ARENA,
    "title": "Limits",
    "seats": SEATS,
    "matches": [{"phase": 6, "game": "draughts", "a": a, "b": b, "games": 2} for a, b in PAIRINGS],
}
FILE = """\
title: Limits
rounds: 1
roster:
  m: {{kind: openai, base_url: "http://127.0.0.1:9/v1", model: m, tokens_max: 64}}
  n: {{kind: openai, base_url: "http://127.0.0.1:9/v1", model: n, tokens_max: 64{more}}}
games: {{draughts: {{}}}}
"""


NOTHING = Verified((), ())


def silent(question: Question) -> Answer:
    """Models that do not play, and scripted players who do."""
    assert isinstance(question, Chat)
    scripted = None if question.to in "mn" else RandomSeat()
    if scripted is None:
        return Reply(text="I pass.")
    return with_words_as_tokens(scripted.kind, question.messages, scripted.reply_text(question.messages, question.seed))


def bundle(folder: Path, seats: dict[str, Any], nonce: int = 1, *, models_alone: bool = False) -> Path:
    matches = PLAN["matches"][:1] if models_alone else PLAN["matches"]
    played = {name for match in matches for name in (match["a"], match["b"])}
    wished = {name: seat for name, seat in {**SEATS, **seats}.items() if name in played}
    return make({**PLAN, "seats": wished, "matches": matches}, folder / str(nonce), silent, nonce=nonce)


def taken(*bundles: Path, beside: Verified = NOTHING) -> Verified:
    """These bundles verified, and others that were before."""
    found = verified(bundles, Options(None, "", 1))
    return Verified([*beside.taken, *found.taken], [*beside.left_out, *found.left_out])


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Verified:
    folder = tmp_path_factory.mktemp("usual")
    return taken(*(bundle(folder, {}, nonce) for nonce in (1, 2)))


def results_of(found: Verified) -> dict[str, int]:
    made = arena_table(counted(found))
    return {row.player: row.results for row in made.games[0].rows}


def test_bundles_of_the_same_limits_all_count_and_the_table_names_them(usual: Verified) -> None:
    made = arena_table(counted(usual))
    assert made.left_out == ()
    assert made.limits == "at most 64 tokens a reply, temperature 0, top_p 1"
    assert "All models: at most 64 tokens a reply, temperature 0, top_p 1." in table_text(made)
    assert {row.player: row.results for row in made.games[0].rows} == {"m": 8, "n": 4, "dice": 8, "one": 4}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"tokens_max": 65}, "at most 65 tokens a reply (all models have at most 64 tokens a reply)"),
        ({"top_p": "0.5"}, "top_p 0.5 (all models have top_p 1)"),
    ],
)
def test_a_bundle_with_one_other_limit_counts_only_where_no_model_plays(
    usual: Verified, tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    other = bundle(tmp_path, {name: {**SEATS[name], **changed} for name in "mn"}, 3)
    found = taken(other, beside=usual)
    (left,) = counted(found).left_out
    reason = f"games of models under other limits than this arena's: m has {told}; n has {told}"
    assert (left.bundle, left.reason) == (other.name, reason)
    assert results_of(found) == {"m": 8, "n": 4, "dice": 10, "one": 6}


def test_a_bundle_of_such_models_alone_is_left_out_and_takes_no_name(usual: Verified, tmp_path: Path) -> None:
    seats = {name: {**SEATS[name], "tokens_max": 65} for name in "mn"}
    others = [bundle(tmp_path, seats, nonce, models_alone=True) for nonce in (4, 5)]
    found = counted(taken(*others, beside=usual))
    assert {left.reason.partition(":")[0] for left in found.left_out} == {"models under other limits than this arena's"}
    assert len(found.counted) == 2
    assert set(found.players) == {"m", "n", "one", "dice"}


@pytest.mark.slow
def test_only_one_of_two_models_with_another_top_p_leaves_out_its_games(usual: Verified, tmp_path: Path) -> None:
    """Its plan does not depart: the protocol compares tokens and temperature within a plan."""
    other = bundle(tmp_path, {"n": {**SEATS["n"], "top_p": "0.5"}}, 6)
    assert results_of(taken(other, beside=usual)) == {"m": 10, "n": 4, "dice": 12, "one": 6}


def test_the_files_limits_are_those_of_its_roster_not_of_most_bundles(usual: Verified, tmp_path: Path) -> None:
    path = tmp_path / "arena.yaml"
    path.write_text(FILE.format(more="").replace("64", "65"))
    found = counted(usual, read_arena(path).whole)
    assert found.limits.startswith("at most 65 tokens")
    assert "m has at most 64 tokens a reply (all models have at most 65 tokens a reply)" in found.left_out[0].reason


def test_a_roster_of_unlike_models_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arena.yaml"
    path.write_text(FILE.format(more=""))
    require_one_limit(path, read_arena(path).whole)
    path.write_text(FILE.format(more=', accepts: [temperature, top_p, max_tokens], top_p: "0.5"'))
    told = r"roster\.n: expected the limits of all models, found top_p 0\.5 \(m has top_p 1\)"
    with pytest.raises(ManifestError, match=told):
        require_one_limit(path, read_arena(path).whole)


def test_a_top_p_that_is_not_sent_is_no_limit() -> None:
    seat = EndpointSeat(base_url="http://127.0.0.1:9/v1", model="m", top_p="0.5")
    assert limits_of(seat) == limits_of(EndpointSeat(base_url="http://127.0.0.1:9/v1", model="m"))
