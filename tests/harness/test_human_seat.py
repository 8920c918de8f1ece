"""A person at the table: asked on a page, recorded like anybody, replayed, resumed, and told nothing that is hidden."""

import hashlib
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agzamov_harness.build_ports import open_world
from agzamov_harness.cluster.shares import require_spreadable
from agzamov_harness.people.admissions import PEOPLE, Admissions
from agzamov_harness.people.desk import Desk
from agzamov_harness.people.place import RESIGNS, Keeping, Place
from agzamov_harness.people.served import people_at
from agzamov_harness.people.shown import Asked
from agzamov_harness.ports import PortFault
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.stop import Stop, Stopped, StoppedAsAsked
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.question_digest import question_digest
from agzamov_verify.core.survey_question import Survey
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.scoring.departures import departures
from agzamov_verify.seats import HumanSeat
from agzamov_verify.seats.human_seat import CONSENT
from harness.person_at_page import PATIENCE_S, Json, Person, first_choice
from harness.runs_of_people import Running, playing, sealed

CHESS = {"adjudication": {"policy": "none"}, "illegal": "retry_then_forfeit", "plies_max": 6}
PLAN: Json = {
    "title": "A person plays",
    "protocol": "play-0.1",
    "seats": {"anna": {"kind": "human", "rating": 1500, "rating_list": "my club"}, "dice": {"kind": "random"}},
    "chess": CHESS,
    "chess960": CHESS,
    "holdem": {"session_hands": 2, "illegal": "retry_then_forfeit"},
    "matches": [
        {"phase": 6, "game": "chess960", "a": "anna", "b": "dice", "games": 2, "block_games": 2},
        {"phase": 6, "game": "holdem", "a": "dice", "b": "anna", "hands": 4, "block_hands": 2},
    ],
}
PHASE_0 = {"phase": 0, "game": "chess960", "a": "anna", "b": "dice", "games": 2}
NOWHERE = Keeping(lambda: None, lambda _, __: None, ("", None))
ONE_MATCH = {**PLAN, "matches": PLAN["matches"][:1]}
HANDS = {**PLAN, "matches": PLAN["matches"][1:]}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Running, list[str]]:
    """A run of two games of Chess960 and four hands, and the results as the person read them."""
    with playing(sealed(PLAN, tmp_path_factory.mktemp("played"))) as running:
        results = running.person.play_all(first_choice)
    return running, results


def test_games_of_each_kind_are_numbered_among_their_own(tmp_path: Path) -> None:
    titles = list[str]()
    with playing(sealed(PLAN, tmp_path)) as running:
        running.person.accept()

        def noted(state: Json) -> str:
            titles.append(state["game"]["title"])
            return first_choice(state)

        running.person.play_all(noted)
    of_games, of_hands = {"game 1 of 2", "game 2 of 2"}, {f"hand {number} of 4" for number in (1, 2, 3, 4)}
    assert of_games <= set(titles) <= of_games | of_hands  # a hand may end before the person is asked
    assert sorted(running.person.titles) == sorted(of_games | of_hands)


def test_a_run_with_a_person_verifies_and_says_what_is_attested(played: tuple[Running, list[str]]) -> None:
    running, results = played
    verdict = verify(running.bundle, Options(None))
    assert (verdict.level, verdict.findings) == ("V1", [])
    assert len(results) == 6
    manifest = json.loads((running.bundle / "data/manifest.json").read_bytes())
    assert manifest["plan"]["seats"]["anna"]["consent"] == CONSENT
    assert verdict.manifest
    words = verdict.manifest.plan.seats["anna"].words("")
    assert "declares: rating 1500 (my club)" in words
    assert hashlib.sha256(CONSENT.encode()).hexdigest()[:12] in words


def test_no_secret_and_no_consent_file_goes_into_a_bundle(played: tuple[Running, list[str]]) -> None:
    running, _ = played
    secret = json.loads((running.directory.path / PEOPLE).read_bytes())["anna"]["secret"]
    files = [path for path in running.bundle.rglob("*") if path.is_file()]
    assert len(files) > 10
    assert not any(secret.encode() in path.read_bytes() or path.name == PEOPLE for path in files)
    assert (running.directory.path / PEOPLE).stat().st_mode & 0o777 == 0o600


def test_a_move_is_an_answer_in_the_journal_like_any_other(played: tuple[Running, list[str]]) -> None:
    running, _ = played
    journals = sorted((running.directory.path / "journal").glob("*/*.jsonl"))
    answers = re.findall(rb'"text":"([^"]*)"', b"".join(path.read_bytes() for path in journals))
    texts = [text.decode() for text in answers]
    assert sum(bool(re.fullmatch("MOVE: [a-h][1-8][a-h][1-8][qrbn]?", text)) for text in texts) >= 6
    assert {"ACTION: call", "ACTION: check"} & set(texts)


def test_a_stopped_game_goes_on_where_it_stood(tmp_path: Path) -> None:
    run = sealed(ONE_MATCH, tmp_path)
    with playing(run) as first:
        first.person.accept()
        before = first.person.at("question")
        first.person.play(first_choice(before))
        stood = first.person.until(lambda state: state["step"] == "question" and state["version"] > before["version"])
        first.stop_and_read()
    assert isinstance(first.fault, StoppedAsAsked)
    with playing(run) as second:
        assert second.person.path == first.person.path  # the address that was sent to somebody
        again = second.person.at("consent", "question")
        assert again["step"] == "question"  # the page of consent was accepted before
        assert (again["question"]["id"], again["game"]["frame"]) == (stood["question"]["id"], stood["game"]["frame"])
        question = before["question"]["id"]
        sent_again = second.person.post("answer", {"question": question, "action": first_choice(before)})
        assert sent_again.json == {"why": ""}  # it was played before the stop: nothing happens
        assert len(second.person.play_all(first_choice)) == 2
    assert verify(second.bundle, Options(None)).level == "V1"


def test_a_result_that_was_not_read_is_shown_again_after_a_stop(tmp_path: Path) -> None:
    run = sealed(ONE_MATCH, tmp_path)
    with playing(run) as first:
        first.person.accept()
        while (state := first.person.at("question", "result"))["step"] == "question":
            first.person.play(first_choice(state))
        first.stop_and_read()
    with playing(run) as second:
        results = second.person.play_all(first_choice)
    assert len(results) in {1, 2}  # the opponent may have begun the next game before the stop
    assert verify(second.bundle, Options(None)).level == "V1"


def test_who_resigns_has_lost_and_the_replay_says_so(tmp_path: Path) -> None:
    run = sealed(ONE_MATCH, tmp_path)
    with playing(run) as running:
        running.person.accept()
        assert running.person.at("question")["question"]["can_resign"]
        resigned = {"question": running.person.state["question"]["id"]}
        assert running.person.post("answer", resigned).json == {"why": ""}
        state = running.person.at("result")
        assert state["result"]["words"].startswith("you resigned: ")
        assert "by resignation" in state["result"]["words"]
        assert state["score"]["lost"] == 1
        while (state := running.person.at("question", "result", "over"))["step"] != "over":
            if state["step"] == "result":
                running.person.go_on()
            else:
                running.person.post("answer", {"question": state["question"]["id"]})
    verdict = verify(running.bundle, Options(None))
    assert verdict.level == "V1"
    assert verdict.results
    (row,) = verdict.results.matches
    assert (row.no_finding, row.result.headline()["score"]) == ("", "0.000000")
    assert [seat.forfeited for seat in row.seat_stats] == [0, 0]


def test_at_cards_nobody_resigns(tmp_path: Path) -> None:
    with playing(sealed(HANDS, tmp_path)) as running:
        running.person.accept()
        state = running.person.at("question")
        assert not state["question"]["can_resign"]
        told = running.person.post("answer", {"question": state["question"]["id"]})
        assert (told.status, told.json["why"]) == (409, "these rules have no way to resign")
        running.person.play_all(first_choice)


def test_a_person_who_declines_is_asked_nothing(tmp_path: Path) -> None:
    with playing(sealed(ONE_MATCH, tmp_path)) as running:
        digest = running.person.at("consent")["sha256"]
        assert running.person.post("consent", {"accepted": True, "sha256": "0" * 64}).status == 409
        running.person.post("consent", {"accepted": False, "sha256": digest})
        running.person.until(lambda state: state["step"] == "declined" and bool(state["over"]))
    assert "anna does not want to play" in str(running.fault)
    assert not any(path.stat().st_size for path in (running.directory.path / "journal").glob("*/*.jsonl"))


def test_nothing_is_told_of_the_opponents_cards_before_a_hand_ends(tmp_path: Path) -> None:
    """Every byte that the page is sent while a hand is played is looked at, and the end of a hand that was folded."""
    with playing(sealed(HANDS, tmp_path)) as running:
        running.person.accept()
        folded = 0
        while (state := running.person.at("question", "result", "over"))["step"] != "over":
            game = state.get("game") or state["result"]
            other = game["frame"]["holes"][1 - game["place"]]
            if state["step"] == "question":
                assert other == []
                assert set(state["question"]) == {"id", "choices", "prompt", "can_resign", "waited_s"}
                actions = [row["action"] for row in state["question"]["choices"]["actions"]]
                running.person.play("fold" if "fold" in actions else actions[0])
            else:
                is_shown = "showdown" in state["result"]["words"]
                folded += not is_shown
                assert bool(other) == is_shown
                running.person.go_on()
    assert folded


def test_a_question_beside_the_game_is_asked_between_games_and_holds_up_no_other(tmp_path: Path) -> None:
    directory, urls = sealed(ONE_MATCH, tmp_path), list[str]()
    with people_at(directory, Stop(), urls.append) as desk, ThreadPoolExecutor(1) as pool:
        person = Person(urls.pop().rpartition(" ")[2])
        person.accept()
        game = f"{directory.manifest.plan.matches[0].id}-g00000"
        asked = Survey(
            attempt=0, choices=("plays_on", "no_time"), game=game, text="Do you play on?", to="survey_a", turn=0
        )
        choice = pool.submit(desk.choose, "anna", asked)
        shown = person.at("question")["question"]
        assert shown["choices"]["options"][0] == {"action": "plays_on", "words": "Plays on"}
        assert person.play("Anna, Main Street 1").json == {"why": "that is not legal here"}
        person.play("no_time")
        assert choice.result() == "no_time"
        assert person.look()["step"] == "waiting"
        desk.close("All is said.")
        person.look()


def test_who_resigned_is_still_asked_about_the_game_beside_it() -> None:
    place = Place("anna", 2, NOWHERE, has_accepted=True)
    move = Asked("move", "g00001", 0, "chess960", {}, None, "", can_resign=True, since=0.0)
    beside = move._replace(id="beside", can_resign=False, is_beside=True)
    end = time.monotonic() + PATIENCE_S
    with ThreadPoolExecutor(1) as pool:
        for asked, action in ((move, RESIGNS), (beside, "an_engine")):
            answer = pool.submit(place.ask, asked, lambda: not time.monotonic() > end or pytest.fail("too late"))
            while place.question is None and not answer.done():
                time.sleep(0.01)
            if place.question:
                place.answer(asked.id, action)
            assert answer.result() == action


def test_an_answer_that_arrived_before_a_stop_is_taken() -> None:
    place, stop = Place("anna", 2, NOWHERE, has_accepted=True), Stop()
    move = Asked("move", "g00001", 0, "chess960", {}, None, "", can_resign=True, since=0.0)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(place.ask, move, stop.check)
        while place.question is None:
            time.sleep(0.01)
        with place._changed:  # whoever waits sees both at once
            place.answer("move", "e2e4")
            stop.request("as asked", as_asked=True)
        assert waiting.result() == "e2e4"


def test_an_answer_that_was_kept_and_not_recorded_is_not_asked_again(tmp_path: Path) -> None:
    """As after a kill between the answer's confirmation and its line in the journal."""
    directory, urls = sealed(ONE_MATCH, tmp_path), list[str]()
    game = f"{directory.manifest.plan.matches[0].id}-g00000"
    asked = Survey(attempt=0, choices=("plays_on", "no_time"), game=game, text="Do you play on?", to="survey_a", turn=0)
    with people_at(directory, Stop(), urls.append) as desk, ThreadPoolExecutor(1) as pool:
        person = Person(urls.pop().rpartition(" ")[2])
        person.accept()
        choice = pool.submit(desk.choose, "anna", asked)
        person.at("question")
        person.play("no_time")
        assert choice.result() == "no_time"
    other = Survey(attempt=0, choices=("plays_on", "no_time"), game=game, text="And now?", to="survey_a", turn=1)
    with people_at(directory, stop := Stop(), urls.append) as desk, ThreadPoolExecutor(1) as pool:
        assert desk.choose("anna", asked) == "no_time"
        choice = pool.submit(desk.choose, "anna", other)
        assert not choice.done()
        stop.request("as asked", as_asked=True)
        with pytest.raises(Stopped):
            choice.result()


def test_answers_of_several_people_are_kept_side_by_side(tmp_path: Path) -> None:
    names = [f"person{number}" for number in range(4)]
    admissions = Admissions.of(tmp_path, dict.fromkeys(names, HumanSeat()))
    with ThreadPoolExecutor(len(names)) as pool:
        for number in range(50):
            list(pool.map(lambda name, at=number: admissions.keep(name, f"{name} {at}", str(at)), names))
    again = Admissions.of(tmp_path, dict.fromkeys(names, HumanSeat()))
    assert [again.kept(name) for name in names] == [(f"{name} 49", "49") for name in names]


def test_the_id_of_a_question_follows_from_the_runs_secret_and_not_from_the_plan_alone(tmp_path: Path) -> None:
    """Whoever has the plan, as it is published before a study, could try the questions of every arm."""
    one, other = (sealed(ONE_MATCH, tmp_path / name) for name in ("one", "other"))
    other.secret = bytes(32)
    asked = Survey(attempt=0, choices=("plays_on",), game="p4-g00000", text="Do you play on?", to="survey_a", turn=0)
    ids = [Desk(run, Stop()).id_of(asked) for run in (one, one, other)]
    assert ids[0] == ids[1] != ids[2]
    assert question_digest(asked)[:8] not in ids[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rating_list": ""}, "seats.anna: expected rating and rating_list together"),
        ({"consent": " "}, "seats.anna.consent: expected the text that a person accepts"),
        ({"briefing": "It bluffs."}, "seats.anna: expected no patterns and no briefing"),
        ({"rating": 9_999}, "seats.anna.rating"),
        ({"address": "Main Street 1"}, "address"),
    ],
)
def test_a_wrong_seat_is_refused_with_its_key(change: Json, message: str) -> None:
    seats = {**PLAN["seats"], "anna": {**PLAN["seats"]["anna"], **change}}
    with pytest.raises(ManifestError, match=re.escape(message)):
        plan_from({**PLAN, "seats": seats})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"isolation": "container"}, "seats.anna: expected isolation: process"),
        (
            {"protocol": "agz-0.1", "chess": {}, "chess960": {}, "matches": [PHASE_0]},
            "expected what this format knows, found human (agz-0.1)",
        ),
    ],
)
def test_a_person_sits_neither_in_a_container_nor_in_the_first_protocol(change: Json, message: str) -> None:
    with pytest.raises(ManifestError, match=re.escape(message)):
        plan_from({**PLAN, **change})


def test_a_person_at_an_arenas_table_is_a_departure() -> None:
    chess = {"phase": 6, "game": "chess", "a": "anna", "b": "dice", "games": 2}
    plan = plan_from({**PLAN, "protocol": "arena-0.1", "chess960": {}, "matches": [chess]})
    told = [line for line in departures(plan) if "person" in line]
    assert told == ["seat anna is a person, who is shown what is legal, a model or a scripted player required"]
    assert [line for line in departures(plan_from(PLAN)) if "person" in line] == []


def test_only_the_machine_that_serves_the_page_plays_a_person() -> None:
    plan = plan_from(PLAN)
    with pytest.raises(ManifestError, match=r"seats\.anna: a person is asked on a page of one machine"):
        require_spreadable(plan)


def test_a_command_without_a_page_says_which_has_one(tmp_path: Path) -> None:
    directory = sealed(ONE_MATCH, tmp_path)
    with pytest.raises(PortFault, match="use agzamov run"), open_world(directory.manifest, None):
        pass
