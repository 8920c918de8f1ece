"""`agzamov replay` on bundles that live models really played: honest ones, one altered reply, another model."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agzamov_harness.adapters.completion import Token
from agzamov_harness.build_ports import Builder, open_world
from agzamov_harness.cli import main
from agzamov_harness.models.weight_pins import pins_of, weights_watched
from agzamov_harness.pipeline.pack import pack
from agzamov_harness.ports import ChatRequest
from agzamov_harness.reproduce.compare_answers import within_margin
from agzamov_harness.run import run_folder, signing_keys
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_harness.seat_kind import PortInputs
from agzamov_verify.checks.drawn_games import draw
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Chat, Reply
from bundles.bundle_factory import (
    SECRET,
    SUBMITTER,
    Draft,
    chained,
    check,
    edited,
    embellished,
    entries,
    put,
    questions,
    reindex,
    rescore,
    reseal,
    told,
)
from models.conftest import NAME, Babbler
from models.live import strict
from models.ollama_double import OllamaDouble, Shown
from registration.registered_run import World
from registration.replayed_run import Replay, any_round_is_signed, policy_file, round_file

CONTEXT = 4096
SLOTS = 1
"""One: behind a port slots share a process, and requests that share a batch get other last bits (decision 87)."""
CHESS, POKER = "p1-chess960-naked-model", "p1-holdem-naked-model"
STREAM = f"{CHESS}-b00000"


def plan_of(**seat: Any) -> dict[str, Any]:
    """A small plan in both games; temperature 1, so that replies differ."""
    wanted = {"temperature": 1, "tokens_max": 3, "concurrency": SLOTS, **seat}
    return {
        "title": "Replay",
        "seats": {"model": wanted},
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 6},
        "holdem": {"session_hands": 2},
        "matches": [
            {"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 4, "block_games": 2},
            {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": 4, "block_hands": 4},
        ],
    }


def played(wished: dict[str, Any], folder: Path) -> Path:
    """The bundle of a plan, played by the harness's own parts with its preflight and its hashing."""
    plan = plan_from(wished)
    manifest, secret = seal(plan, key_id(SUBMITTER.public_key()), None, SECRET, models=pins_of(plan, folder))
    directory = run_folder.create(folder / "runs", manifest, secret, SUBMITTER, folder)
    with weights_watched(directory), open_world(manifest, None, notes=directory.notes) as world:
        blocks = Runner(directory, world, time.monotonic_ns, State(plan, None), Stop(), SLOTS).play()
    return pack(directory, blocks, SUBMITTER, folder / "bundles").bundle


class Live(NamedTuple):
    """A live model behind an Ollama server, and a bundle that it played."""

    url: str
    llama: str
    babbler: Babbler
    bundle: Path

    @property
    def endpoint(self) -> list[str]:
        """The options of a replayer of the plain bundle."""
        return ["--at", f"model={self.llama}/v1"]

    @property
    def weights(self) -> list[str]:
        """The options of a replayer who has the store and the server."""
        return ["--at", f"model={self.url}", "--weights", f"model={self.babbler.store}"]


@pytest.fixture(scope="module")
def live(babbler: Babbler, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live")
    shown = Shown(NAME, babbler.digest, babbler.size)
    with strict(babbler.gguf, slots=SLOTS) as llama, OllamaDouble(shown, llama, CONTEXT) as double:
        seat = {"kind": "ollama", "base_url": double.url, "model": NAME, "model_digest": babbler.digest}
        yield Live(double.url, llama, babbler, played(plan_of(**seat, store=str(babbler.store)), folder))


@pytest.fixture(scope="module")
def plain(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of the same weights behind an endpoint, where nothing is pinned or measured; temperature 0."""
    seat = {"kind": "openai", "base_url": f"{live.llama}/v1", "model": "model", "temperature": 0, "attempts_max": 1}
    return played(plan_of(**seat), tmp_path_factory.mktemp("plain"))


def replay(bundle: Path, *options: str) -> tuple[int, str]:
    """Exit code and output of `agzamov replay`."""
    ran = CliRunner().invoke(main, ["replay", str(bundle), *options])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.exit_code, ran.output


def report_of(bundle: Path, *options: str, code: int = 0) -> dict[str, Any]:
    exit_code, output = replay(bundle, "--json", *options)
    assert exit_code == code, output
    found: dict[str, Any] = json.loads(output)
    return found


def altered(bundle: Path, folder: Path, **changes: Any) -> tuple[Path, str]:
    """A coherent forgery in which one reply of the first chess game is another; and the game's name."""
    draft = Draft.of(bundle)
    story, at = entries(draft, STREAM), place_of_third_ply(draft)
    said = story[at].answer
    assert isinstance(said, Reply)
    answer = msgspec.structs.replace(said, **changes) if changes else embellished(said)
    put(draft, STREAM, chained(edited(story, at, answer=answer)))
    reindex(draft)
    rescore(draft)
    reseal(draft)
    return draft.write(folder), story[at].question.game


def place_of_third_ply(draft: Draft) -> int:
    """The place in the first journal of the first decision at turn 2; planted questions stand before it."""
    asked = (entry.question for entry in entries(draft, STREAM))
    return next(place for place, one in enumerate(asked) if (one.ask, one.turn) == ("chat", 2))


# --- an honest bundle ----------------------------------------------------------------------------


@pytest.mark.slow
def test_the_bundle_of_a_live_model_verifies_and_keeps_what_its_preflight_measured(live: Live) -> None:
    verdict = check(live.bundle)
    assert verdict.level == "V1", told(verdict)
    notes = {path.name: json.loads(path.read_bytes()) for path in (live.bundle / "data/notes").iterdir()}
    (execution,) = notes["preflight.json"]["executions"]
    assert [one["logprobs_same"] for one in execution["seats"]["model"]["rounds"]] == [8] * 4
    assert [one["when"] for one in notes["weights.json"]["checks"]] == ["before", "after"]
    assert notes["weights.json"]["checks"][0]["witness"] == {"model": "hashed here"}


@pytest.mark.slow
def test_the_same_weights_give_every_answer_again_to_the_last_byte(live: Live) -> None:
    report = report_of(live.bundle, "--sample", "100", *live.weights)
    counts = report["seats"]["model"]
    recorded = sum(len(entries(Draft.of(live.bundle), stream)) for stream in Draft.of(live.bundle).streams())
    assert counts == {"counted_otherwise": 0, "different": 0, "same": recorded, "within_margin": 0}
    assert len(report["games"]) == report["games_in_bundle"] == 8
    assert report["weights"]["model"]["witness"] == "hashed here"
    assert report["weights"]["model"]["sha256"] == live.babbler.digest
    assert (report["cpu_flags_same"], report["first_difference"]) == (True, None)
    assert recorded >= len(report["games"])


@pytest.mark.slow
def test_a_person_reads_counts_the_seed_and_what_v3_means(live: Live) -> None:
    code, output = replay(live.bundle, "--sample", "2", *live.weights)
    words = " ".join(output.split())
    assert code == 0
    assert "sample 2 of 8 games; the same again: --seed " in words
    assert "answers the same to the last byte (100.00 %), 0 within 0.05 nats, 0 different" in words
    assert "V3, replayed, is this together with V1 and V2" in words
    assert "Who could still cheat: a replayer in league with the submitter" in words


@pytest.mark.slow
def test_the_printed_seed_draws_the_same_games_and_each_replay_draws_afresh(live: Live, plain: Path) -> None:
    first = report_of(plain, "--sample", "2", *live.endpoint)
    again = report_of(plain, "--sample", "2", "--seed", first["seed"], *live.endpoint)
    assert first == again
    assert len({report_of(plain, "--sample", "1", *live.endpoint)["seed"] for _ in range(2)}) == 2


@pytest.mark.slow
def test_the_report_is_written_where_it_is_wanted(live: Live, plain: Path, tmp_path: Path) -> None:
    report = report_of(plain, "--sample", "1", "--out", str(tmp_path / "report.json"), *live.endpoint)
    assert json.loads((tmp_path / "report.json").read_bytes()) == report


@pytest.mark.slow
def test_without_the_store_the_servers_word_is_called_so(live: Live) -> None:
    report = report_of(live.bundle, "--sample", "1", "--at", f"model={live.url}")
    assert report["weights"]["model"]["witness"] == "the server's word"


# --- what is found -------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_reply_altered_coherently_passes_v1_and_is_found_and_named(live: Live, tmp_path: Path) -> None:
    forged, game = altered(live.bundle, tmp_path)
    assert check(forged).level == "V1"
    report = report_of(forged, "--sample", "100", *live.weights, code=1)
    assert report["seats"]["model"]["different"] == 1
    first = report["first_difference"]
    draft = Draft.of(live.bundle)
    said = entries(draft, STREAM)[place_of_third_ply(draft)].answer
    assert isinstance(said, Reply)
    assert (first["game"], first["turn"]) == (game, 2)
    at, text = first["character"], embellished(said).text
    assert text[:at] == said.text[:at], "a reply that is random babble may begin alike"
    assert text[at] != said.text[at : at + 1]
    assert text[at:].startswith(first["recorded"][:20])
    assert [name for name, counts in report["games"].items() if counts["different"]] == [game]


@pytest.mark.slow
def test_a_forgery_outside_the_sample_is_missed_as_the_report_says(live: Live, plain: Path, tmp_path: Path) -> None:
    forged, game = altered(plain, tmp_path)
    reports = (
        report_of(forged, "--sample", "1", "--seed", f"s{n}", *live.endpoint, code=0)
        for n in range(20)
        if game not in drawn(forged, f"s{n}")
    )
    assert next(reports)["seats"]["model"]["different"] == 0


def drawn(bundle: Path, seed: str) -> set[str]:
    """The games that a seed draws from a bundle, one in all."""
    games: dict[str, dict[tuple[str, str], None]] = {}
    draft = Draft.of(bundle)
    for stream in draft.streams():
        for entry in entries(draft, stream):
            games.setdefault(stream.rpartition("-")[0], {})[stream, entry.question.game] = None
    found = draw({match: list(rows) for match, rows in games.items()}, 1, draft.manifest.run_id, seed)
    return {game for names in found.values() for game in names}


@pytest.mark.slow
def test_a_finish_reason_that_was_altered_is_a_difference_too(live: Live, plain: Path, tmp_path: Path) -> None:
    """Whether a reply was cut decides whether its last line counts."""
    forged, _ = altered(plain, tmp_path, finish="stop")
    report = report_of(forged, "--sample", "100", *live.endpoint, code=1)
    assert report["first_difference"]["recorded"] == "stop]"


@pytest.mark.slow
def test_altered_token_counts_are_counted_apart(live: Live, plain: Path, tmp_path: Path) -> None:
    forged, _ = altered(plain, tmp_path, completion_tokens=1)
    report = report_of(forged, "--sample", "100", *live.endpoint)
    assert report["seats"]["model"]["counted_otherwise"] == 1


@pytest.mark.slow
def test_other_weights_are_refused_before_anything_is_asked(live: Live, tmp_path: Path) -> None:
    from models.babbler import write_model  # noqa: PLC0415
    from models.store import put_model  # noqa: PLC0415

    write_model(tmp_path / "other.gguf", seed=2, quantised=True)
    put_model(tmp_path, NAME, (tmp_path / "other.gguf").read_bytes())
    code, output = replay(live.bundle, "--at", f"model={live.url}", "--weights", f"model={tmp_path}")
    assert code == 2
    assert f"model: expected the weights that the bundle pins (sha256 {live.babbler.digest}" in output


@pytest.mark.slow
def test_another_model_where_nothing_is_pinned_agrees_less(live: Live, plain: Path, tmp_path: Path) -> None:
    from models.babbler import write_model  # noqa: PLC0415

    honest = report_of(plain, "--sample", "100", *live.endpoint)
    assert honest["weights"]["model"]["witness"] == "not pinned by the manifest"
    said = replay(plain, "--sample", "1", *live.endpoint)[1]
    assert "weights    model: not pinned by the manifest: the endpoint is asked again, whatever it serves" in said
    assert "Not V3 for these seats" in said
    assert "from the same weights" not in said
    assert honest["seats"]["model"]["different"] == 0
    write_model(tmp_path / "other.gguf", seed=2, quantised=True)
    with strict(tmp_path / "other.gguf", slots=SLOTS) as other:
        report = report_of(plain, "--sample", "100", "--at", f"model={other}/v1", code=1)
    assert report["seats"]["model"]["different"] > honest["seats"]["model"]["same"] / 2


@pytest.mark.slow
def test_a_bundle_that_fails_its_checks_is_not_asked_again(live: Live, tmp_path: Path) -> None:
    draft = Draft.of(live.bundle)
    story = entries(draft, STREAM)
    put(draft, STREAM, edited(story, 2, answer=embellished(story[2].answer)))
    code, output = replay(draft.write(tmp_path), *live.weights)
    assert code == 1
    assert "error: step 2 data/journal/" in output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ([], 2, "name the model to ask again"),
        (["--at", "nobody=http://127.0.0.1:9"], 2, "nobody: expected a seat of this run that a model plays (model)"),
        (["--at", "model"], 2, "expected SEAT=ADDRESS"),
        (["--at", "model=http://127.0.0.1:9", "--margin", "much"], 2, "expected a number such as 0.05"),
        (["--at", "model=http://127.0.0.1:9"], 2, "no Ollama server answers there"),
    ],
)
def test_wrong_use_is_one_clear_line(live: Live, options: list[str], code: int, words: str) -> None:
    exit_code, output = replay(live.bundle, *options)
    assert (exit_code, words in output) == (code, True), output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--weights", "model=nope.gguf"], "give --at model=ADDRESS alone"),
        (["--weights", "model=nope.gguf", "--at", "model=http://127.0.0.1:9"], "give --at model=ADDRESS alone"),
        (["--at", "model=ftp://127.0.0.1"], "expected http://…, https://… or the path of a unix socket"),
        (["--at", "model=http://127.0.0.1:9", "--at", "model=http://127.0.0.1:8"], "model is given twice"),
        (["--at", "model=http://127.0.0.1:9", "--out", "none/report.json"], "there is no folder none"),
        (["--at", "model=http://127.0.0.1:9", "--attestation", "x.json"], "--attestation needs --attest KEY"),
        (["--at", "model=http://127.0.0.1:9", "--start-programs"], "--start-programs needs --attest KEY"),
    ],
)
def test_an_endpoint_is_asked_at_the_replayers_address_alone(plain: Path, options: list[str], words: str) -> None:
    """The bundle's own address was asked where --weights named the seat: the submitter's server could answer."""
    code, output = replay(plain, *options)
    assert (code, words in output) == (2, True), output


@pytest.mark.slow
def test_a_seat_that_does_not_play_cannot_be_asked_again(live: Live, tmp_path: Path) -> None:
    model = {"kind": "openai", "base_url": f"{live.llama}/v1", "model": "model"}
    plan = {
        **plan_of(**model),
        "seats": {"model": model, "dice": {"kind": "random"}},
        "matches": [{"phase": 1, "game": "holdem", "a": "dice", "b": "dice", "hands": 2, "block_hands": 2}],
    }
    code, output = replay(played(plan, tmp_path), *live.endpoint)
    assert (code, "model: expected a seat of this run that a model plays (there is none)" in output) == (2, True)


@pytest.mark.slow
def test_a_server_that_fails_leaves_the_replay_unfinished(plain: Path) -> None:
    code, output = replay(plain, "--at", "model=http://127.0.0.1:9/v1")
    assert code == 3
    assert "1 try failed with connection" in output


# --- an attestation for level V3 ---


def attested(bundle: Path, folder: Path, served: list[str]) -> Replay:
    """A bundle whose end is logged, four games of which a replayer asked again and signed."""
    world = World(folder)
    world.create()
    signing_keys.generate(folder / "replayer.pem")
    secret = SUBMITTER.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "submitter.pem").write_bytes(secret)
    world.finish(bundle)
    case = Replay(world, bundle, folder, of_folder=False)
    case.change_policy(replayed_games_min=4)
    given = ("--policy", str(policy_file(world, case.policy)), "--log", str(world.log), *served, "--sample", "4")
    key = ("--attest", str(folder / "replayer.pem"), "--round", str(round_file(folder)))
    code, output = replay(bundle, *given, *key, "--attestation", str(case.attestation))
    assert code == 0, output
    assert "the same again: the same --round, --sample and seats" in output
    code, output = replay(bundle, *given, *key, "--attestation", str(case.attestation))
    assert (code, "exists already; name another file by --attestation" in output) == (2, True), output
    return case


@pytest.mark.slow
def test_an_endpoint_that_answers_alike_bounds_no_forged_games(
    live: Live, plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_round_is_signed(monkeypatch)
    found = attested(plain, tmp_path, live.endpoint).judged()
    assert (found.findings, len(found.missing)) == ([], 1)
    assert found.account[-1] == "no bound on forged games: nothing shows which weights answered for model"


@pytest.mark.slow
def test_an_attestation_of_a_live_model_names_its_weights_and_is_believed(
    live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_round_is_signed(monkeypatch)
    case = attested(live.bundle, tmp_path, live.weights)
    found, seat = case.judged(), case.replayed.seats["model"]
    assert (found.findings, found.missing) == ([], [])
    assert (seat.sha256, seat.counts.different) == (live.babbler.digest, 0)
    case.sign(seats={"model": msgspec.structs.replace(seat, sha256="ab" * 32)})
    assert ["weights abab" in one.found for one in case.judged().findings] == [True]


# --- the margin ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_nearly_as_likely_word_is_within_the_margin_and_only_there(live: Live, plain: Path, tmp_path: Path) -> None:
    """The recorded reply is made to begin with the model's second choice, whose likelihood the model itself tells."""
    draft = Draft.of(plain)
    question = questions(draft, STREAM)[place_of_third_ply(draft)]
    assert isinstance(question, Chat)
    port = Builder(PortInputs(None, None, time.sleep, {}, {})).seat("model", draft.manifest.plan.seats["model"])
    said = port.probe(ChatRequest(question.messages, question.seed), 3, 2)  # type: ignore[attr-defined]
    port.close()
    (_, best), (second, next_best) = said.tokens[0].likeliest
    forged, _ = altered(plain, tmp_path, text=second.decode(), finish="stop")
    options = ["--sample", "100", *live.endpoint]
    gap = best - next_best
    wide = report_of(forged, *options, "--margin", f"{gap + 0.01:.4f}")
    assert (wide["seats"]["model"]["within_margin"], wide["seats"]["model"]["different"]) == (1, 0)
    assert wide["first_difference"]["turn"] == 2
    narrow = report_of(forged, *options, "--margin", f"{gap / 2:.6f}", code=1)
    assert (narrow["seats"]["model"]["within_margin"], narrow["seats"]["model"]["different"]) == (0, 1)


@pytest.mark.slow
def test_where_tokens_are_drawn_there_is_no_margin(live: Live, tmp_path: Path) -> None:
    forged, _ = altered(live.bundle, tmp_path)
    assert report_of(forged, "--sample", "100", "--margin", "999", *live.weights, code=1)


TOKENS = (
    Token(b"MOVE: ", -0.1, ((b"MOVE: ", -0.1), (b"I", -5.0))),
    Token(b"e2", -0.7, ((b"e2", -0.7), (b"d2", -0.72), (b"d", -4.0))),
    Token(b"e4", -0.1, ((b"e4", -0.1), (b"", -0.11))),
)


@pytest.mark.parametrize(
    ("recorded", "margin", "expected"),
    [
        ("MOVE: d2d4", 0.05, True),
        ("MOVE: d2d4", 0.01, False),
        ("MOVE: d7d5", 0.05, False),
        ("MOVE: d7d5", 4.0, True),
        ("I resign", 0.05, False),
        ("MOVE: e2", 0.05, True),
        ("MOVE: e2e4 and on", 9.0, False),
        ("MOVE: a1a2", 9.0, False),
        ("", 9.0, False),
    ],
)
def test_the_margin_is_taken_at_the_first_token_that_differs(recorded: str, margin: float, expected: bool) -> None:
    assert within_margin(recorded, TOKENS, margin) is expected


# --- the draw ------------------------------------------------------------------------------------

GAMES = {f"m{m}": [(f"m{m}-b{g // 2}", f"m{m}-g{g}") for g in range(size)] for m, size in enumerate((2, 50, 1000))}


def test_a_draw_goes_through_the_matches_in_turn() -> None:
    names = [game for games in draw(GAMES, 9, "run", "seed").values() for game in games]
    assert sorted(name[:2] for name in names) == ["m0"] * 2 + ["m1"] * 3 + ["m2"] * 4 or len(names) == 9
    assert {name[:2] for name in names} == {"m0", "m1", "m2"}


def test_a_draw_depends_on_seed_and_run_and_on_nothing_else() -> None:
    assert draw(GAMES, 5, "run", "seed") == draw(dict(reversed(GAMES.items())), 5, "run", "seed")
    assert draw(GAMES, 5, "run", "seed") != draw(GAMES, 5, "run", "other")
    assert draw(GAMES, 5, "run", "seed") != draw(GAMES, 5, "other", "seed")


def test_every_game_is_drawn_about_equally_often() -> None:
    games = {"m": [("b", f"g{n}") for n in range(10)]}
    counts = {f"g{n}": 0 for n in range(10)}
    for seed in range(1000):
        for names in draw(games, 3, "run", str(seed)).values():
            for name in names:
                counts[name] += 1
    assert all(240 <= count <= 360 for count in counts.values())  # 300 expected, standard deviation 14.5


@pytest.mark.slow
def test_all_games_are_drawn_where_more_are_wanted() -> None:
    assert sum(map(len, draw(GAMES, 10_000, "run", "seed").values())) == 1052
