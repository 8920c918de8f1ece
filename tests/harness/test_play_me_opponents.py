"""`agzamov play-me` against each of its opponents: moves and replies on the page, and the end of the run."""

import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agzamov_harness.models.published_weights import STORE
from agzamov_harness.people.casual_game import SMALL_MODEL
from agzamov_verify.checks.steps import Options, verify
from bundles.bundle_factory import engine_path
from harness import person_at_page
from harness.commands import Commands, Running
from harness.person_at_page import Json, Person, first_choice
from harness.sealed_runs import wait_for
from harness.test_play_me import address

NO_MOVE = "none"
PATIENCE_S = 600
"""A model is measured before the page is served, the small one for minutes."""
MOVES = 3
"""Of the person, in the game that is played on."""


def programs(name: str) -> Path:
    return Path("/usr/games") / name


def replied(person: Person) -> list[str]:
    """The moves so far, once the person is asked again."""
    line = str(person.at("question")["question"]["prompt"]).partition("Moves so far: ")[2]
    return [move for move in line.partition("\n")[0].split() if move != NO_MOVE]


@contextmanager
def playing(folder: Path, *words: str, game: str = "chess") -> Iterator[tuple[Running, Person]]:
    with Commands(folder) as commands:
        running = commands.start("play-me", "--no-browser", "--game", game, *words, cwd=folder)
        yield running, Person(address(running, PATIENCE_S))


def moves_replied(person: Person, moves: int = MOVES) -> None:
    """Play some moves, each of which is replied to, or ends the game: the drawn position may let the opponent mate."""
    person.accept()
    begun = len(replied(person))
    for _ in range(moves):
        told = person.play(first_choice(person.state))
        assert told.json == {"why": ""}
        if answered(person)["step"] == "result":
            ended = int(str(person.state["result"]["words"]).rpartition(" after ")[2].removesuffix(" plies"))
            assert ended in {begun + 1, begun + 2}
            person.at("question")  # of the next game
            begun = len(replied(person))
        else:
            assert len(replied(person)) == begun + 2
            begun += 2


def answered(person: Person) -> Json:
    """The next question, or the game's result, once the move for the shown question has been taken."""
    asked = person.state["question"]["id"]
    return person.until(lambda now: now["step"] == "result" or now.get("question", {"id": asked})["id"] != asked)


def resigned_to_the_end(running: Running, person: Person) -> Path:
    """The bundle, once the person has resigned each game and closed the page."""
    while (state := person.at("question", "result", "over"))["step"] != "over":
        if state["step"] == "question":
            person.post("answer", {"question": state["question"]["id"]})
            person.until(lambda now: now["step"] != "question" or now["question"]["id"] != state["question"]["id"])
        else:
            person.go_on()
    person.until(lambda now: bool(now["has_report"]))
    running.signal(signal.SIGINT)
    ended = running.ended()
    assert ended.code == 0, ended
    return Path(ended.out.splitlines()[-1].removeprefix("bundle: "))


def stopped(running: Running) -> None:
    """Ctrl-C before the end: the command that goes on is told."""
    running.signal(signal.SIGINT)
    ended = running.ended()
    assert ended.code == 4, ended
    assert "agzamov resume" in ended.err


@pytest.mark.parametrize(
    ("words", "attested"),
    [
        (("--against", "reference"), False),
        pytest.param(("--against", "stockfish", "--skill", "3"), True, marks=pytest.mark.slow),
        pytest.param(("--against", "uci", "--program", "toga2"), False, marks=pytest.mark.slow),
        pytest.param(("--against", "uci", "--program", "stockfish", "--elo", "1400"), True, marks=pytest.mark.slow),
    ],
    ids=lambda one: "-".join(one[1:]) if isinstance(one, tuple) else "",
)
def test_a_game_against_a_program_ends_in_a_bundle_that_verifies(
    words: tuple[str, ...],
    attested: bool,
    tmp_path: Path,
) -> None:
    if "stockfish" in words and engine_path() is None:
        pytest.skip("no Stockfish 15.1 here")
    if "toga2" in words and not programs("toga2").exists():
        pytest.skip("no toga2 here")
    with playing(tmp_path, *words) as (running, person):
        moves_replied(person)
        bundle = tmp_path / resigned_to_the_end(running, person)
    verdict = verify(bundle, Options(engine_path(), programs=(programs("toga2"),)))
    assert (verdict.level, verdict.findings) == ("V1", [])
    assert any("attested" in step.remark for step in verdict.steps) or not attested


@pytest.mark.slow
def test_a_model_at_an_address_plays(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    (folder := tmp_path / "server").mkdir()
    with Commands(folder) as commands:
        server = commands.start("serve-reference", "--port", port, cwd=tmp_path)
        wait_for(lambda: re.search(r"http://\S+", server.printed() + server.errors()))
        words = ("--against", f"http://127.0.0.1:{port}/v1", "--model", "reference")
        try:
            with playing(tmp_path, *words, game="chess960") as (running, person):
                moves_replied(person)
                assert "opponent" in person.state["game"]["opponents"]
                resigned_to_the_end(running, person)
        finally:
            server.kill()


@pytest.mark.slow
@pytest.mark.parametrize("against", ["tiny", pytest.param("small", marks=pytest.mark.exhaustive)])
def test_a_model_of_this_machine_plays(against: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xllamacpp", reason="no llama.cpp here: pip install xllamacpp")
    if against == "small" and not (STORE.expanduser() / f"{SMALL_MODEL}.gguf").is_file():
        pytest.skip(f"no {SMALL_MODEL} here: agzamov models get {SMALL_MODEL}")
    monkeypatch.setattr(person_at_page, "PATIENCE_S", PATIENCE_S)  # the small one may take minutes for a move
    with playing(tmp_path, "--against", against, game="chess960") as (running, person):
        moves_replied(person, 1 if against == "small" else MOVES)
        stopped(running)
