"""Draw offers in whole runs: journal, bundle, verification, page, PGN; a lie about one is found."""

from io import StringIO
from pathlib import Path

import chess.pgn
import pytest
from click.testing import CliRunner

from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.cli import main
from harness.commands import Commands
from harness.person_at_page import Json, Person, first_choice
from harness.runs_of_people import Running, playing, sealed
from harness.test_human_seat import CHESS, PLAN

RULES = {**CHESS, "draw_offers": {"plies_min": 1, "threshold_centipawns": 10_000}}
ONE = {"phase": 6, "game": "chess", "a": "anna", "b": "dice", "games": 2, "block_games": 2}
AGAINST_A_PROGRAM: Json = {**PLAN, "chess": RULES, "matches": [ONE]}
AGAINST_A_PERSON: Json = {
    **AGAINST_A_PROGRAM,
    "seats": {"anna": {"kind": "human"}, "ben": {"kind": "human"}},
    "matches": [{**ONE, "b": "ben"}],
}


def offering(state: Json) -> str:
    """The first move, with an offer where one may be made."""
    may = state["question"]["choices"]["draw_offers"] == "may"
    return first_choice(state) + (" (=)" if may else "")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Running:
    """Two games against a program, which takes any offer."""
    with playing(sealed(AGAINST_A_PROGRAM, tmp_path_factory.mktemp("offers"))) as running:
        results = running.person.play_all(offering)
    assert ["by agreement" in words for words in results] == [True, True]
    return running


def test_an_offer_is_a_word_in_the_journal_and_its_answer_is_computed_again(played: Running) -> None:
    verdict = verify(played.bundle, Options(None))
    assert (verdict.level, verdict.findings) == ("V1", [])
    journals = (played.directory.path / "journal").rglob("*.jsonl")
    assert sum(path.read_bytes().count(b' (=)"') for path in journals) == 2
    assert b'"ends":{"agreement":2}' in (played.bundle / "data/results/results.json").read_bytes()


def test_the_pgn_and_the_words_of_a_game_have_the_offer_and_the_agreement(played: Running, tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    with Commands(tmp_path) as commands:
        assert commands.run("export", str(played.bundle), "--to", "pgn", "--out", str(out), cwd=tmp_path).code == 0
    text = out.read_text()
    game = chess.pgn.read_game(StringIO(text))
    assert game
    assert (game.headers["Result"], game.headers["EndReason"]) == ("1/2-1/2", "agreement")
    assert [node.comment for node in game.mainline()] == ["(=) draw offered"]
    shown = CliRunner().invoke(main, ["show", str(played.bundle), "--game", game.headers["GameId"]])
    assert shown.exit_code == 0
    assert "by agreement" in shown.output
    assert "(=)" in shown.output


def test_two_people_agree_and_one_who_moves_has_declined(tmp_path: Path) -> None:
    with playing(sealed(AGAINST_A_PERSON, tmp_path)) as running:
        people = [running.person, Person(running.urls_of(2)[1])]
        for person in people:
            person.accept()
        first = running.acting(people)
        assert first.play(offering(first.state)).json == {"why": ""}
        second = running.acting(people)
        assert second.state["question"]["choices"]["draw_offers"] == "open"
        assert second.play(first_choice(second.state) + " (=)").json == {"why": "that is not legal here"}
        assert second.play(first_choice(second.state)).json == {"why": ""}
        again = running.acting(people)
        assert again.state["question"]["choices"]["draw_offers"] == "declined"
        assert again.play("draw").json == {"why": "that is not legal here"}
        again.play(first_choice(again.state))
        offers = running.acting(people)
        offers.play(offering(offers.state))
        takes = running.acting(people)
        assert takes.play("draw").json == {"why": ""}
        for person in people:
            assert "by agreement" in person.at("result")["result"]["words"]
            person.go_on()
        running.stop.request("enough")
        for person in people:
            person.until(lambda state: bool(state["over"]))


def test_an_offer_stands_after_the_run_was_stopped_and_resumed(tmp_path: Path) -> None:
    run = sealed(AGAINST_A_PERSON, tmp_path)
    with playing(run) as first:
        people = [first.person, Person(first.urls_of(2)[1])]
        for person in people:
            person.accept()
        acting = first.acting(people)
        acting.play(offering(acting.state))
        asked = first.acting(people).state["question"]
        first.stop.request("stopped by the test", as_asked=True)
        for person in people:
            person.until(lambda state: bool(state["over"]))
    with playing(run) as second:
        people = [second.person, Person(second.urls_of(2)[1])]
        again = second.acting(people)
        assert (again.state["question"]["id"], again.state["question"]["choices"]) == (asked["id"], asked["choices"])
        assert again.play("draw").json == {"why": ""}
        assert "by agreement" in again.at("result")["result"]["words"]
        second.stop.request("enough")
        for person in people:
            person.until(lambda state: bool(state["over"]))
