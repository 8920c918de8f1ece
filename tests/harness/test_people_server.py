"""The server of people's pages: who may look, who may play, and what a lost answer and a stranger come to."""

import errno
import hmac
import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest

from agzamov_harness.foundation.browser_server import PageCannotListen
from agzamov_harness.people import admissions
from agzamov_harness.people.admissions import Admissions
from agzamov_harness.people.people_server import BODY_BYTES_MAX
from agzamov_harness.people.served import people_at
from agzamov_harness.run.stop import Stop
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.seats import HumanSeat
from harness.person_at_page import Json, Person, first_choice
from harness.runs_of_people import Running, playing, sealed
from harness.test_human_seat import ONE_MATCH, PLAN

TWO: Json = {
    **ONE_MATCH,
    "seats": {"anna": {"kind": "human"}, "ben": {"kind": "human"}},
    "matches": [{"phase": 6, "game": "holdem", "a": "anna", "b": "ben", "hands": 2, "block_hands": 2}],
}
ELSEWHERE = "http://elsewhere.example"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A run whose person has accepted, and is to move. No test here moves."""
    with playing(sealed(PLAN, tmp_path_factory.mktemp("asked"))) as running:
        running.person.accept()
        running.person.at("question")
        yield running
        running.stop_and_read()


def own(person: Person) -> dict[str, str]:
    return {"Origin": f"http://{person.host}", "Content-Type": "application/json"}


def test_a_page_runs_its_own_script_alone_and_is_kept_by_nobody(running: Running) -> None:
    page = running.person.ask("GET", running.person.path)
    assert page.status == HTTPStatus.OK
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'; script-src 'sha256-" in policy
    assert "frame-ancestors 'none'" in policy
    assert "trusted-types 'none'" in policy
    assert (page.headers["Cache-Control"], page.headers["Referrer-Policy"]) == ("no-store", "no-referrer")


def test_without_the_secret_there_is_nothing(running: Running) -> None:
    person, path = running.person, running.person.path
    other = "/" + "0" * 32 + "/"
    for wrong in ("/", other, f"{other}state.json", path.upper(), path[:-2], f"{path}../", f"{path}people.json", "/x"):
        assert person.ask("GET", wrong).status == HTTPStatus.NOT_FOUND, wrong
    assert person.ask("POST", f"{other}answer", {"question": "x", "action": "e2e4"}).status == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {"Host": "elsewhere.example"}, HTTPStatus.MISDIRECTED_REQUEST),
        ("GET", {"Origin": ELSEWHERE}, HTTPStatus.FORBIDDEN),
        ("GET", {"Sec-Fetch-Site": "cross-site"}, HTTPStatus.FORBIDDEN),
        ("POST", {"Origin": ELSEWHERE, "Content-Type": "application/json"}, HTTPStatus.FORBIDDEN),
        ("POST", {"Content-Type": "application/json"}, HTTPStatus.FORBIDDEN),
        ("POST", {"Origin": "own", "Content-Type": "text/plain"}, HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
        ("OPTIONS", {"Origin": ELSEWHERE}, HTTPStatus.METHOD_NOT_ALLOWED),
        ("PUT", {"Origin": "own"}, HTTPStatus.METHOD_NOT_ALLOWED),
    ],
)
def test_a_request_from_elsewhere_changes_nothing(
    method: str, headers: dict[str, str], status: int, running: Running
) -> None:
    person, before = running.person, running.person.look()["version"]
    sent = {name: own(person)["Origin"] if value == "own" else value for name, value in headers.items()}
    answer = {"question": person.state["question"]["id"], "action": first_choice(person.state)}
    body = json.dumps(answer).encode() if method == "POST" else None
    path = person.path + ("answer" if method == "POST" else "state.json")
    assert person.ask(method, path, body, sent).status == status
    assert person.look()["version"] == before


def test_a_link_that_somebody_sent_opens_the_page_and_nothing_else_from_elsewhere(running: Running) -> None:
    person = running.person
    visit = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert person.ask("GET", person.path, headers=visit).status == HTTPStatus.OK
    for change in ({"Sec-Fetch-Mode": "cors"}, {"Sec-Fetch-Dest": "iframe"}, {"Origin": ELSEWHERE}):
        assert person.ask("GET", person.path, headers={**visit, **change}).status == HTTPStatus.FORBIDDEN
    posted = {**visit, **own(person), "Origin": ELSEWHERE}
    assert person.ask("POST", f"{person.path}next", b'{"number": 1}', posted).status == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", HTTPStatus.BAD_REQUEST),
        (b"[1]", HTTPStatus.BAD_REQUEST),
        (b'{"question": "\xff"}', HTTPStatus.BAD_REQUEST),
        (b'{"question": 7}', HTTPStatus.BAD_REQUEST),
        (b'{"question": "x", "action": "e2e4", "more": 1}', HTTPStatus.BAD_REQUEST),
        (b"[" * BODY_BYTES_MAX, HTTPStatus.BAD_REQUEST),
        (b" " * (BODY_BYTES_MAX + 1), HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
        (b'{"question": "x", "action": "e2e4"}', HTTPStatus.CONFLICT),
    ],
)
def test_a_body_that_is_no_move_is_refused(body: bytes, status: int, running: Running) -> None:
    person = running.person
    assert person.ask("POST", f"{person.path}answer", body, own(person)).status == status


def test_an_illegal_move_is_refused_and_the_question_stays(running: Running) -> None:
    told = running.person.play("e2e5")
    assert (told.status, told.json) == (HTTPStatus.CONFLICT, {"why": "that is not legal here"})
    assert running.person.look()["step"] == "question"


def test_two_people_have_two_addresses_and_neither_sees_the_others_cards(tmp_path: Path) -> None:
    with playing(sealed(TWO, tmp_path)) as running:
        people = {"anna": running.person, "ben": Person(running.urls_of(2)[1])}
        assert people["anna"].path != people["ben"].path
        for person in people.values():
            person.accept()
        dealt: dict[str, list[str]] = {}
        for _ in range(3):
            acting = running.acting(people.values())
            state = acting.state
            cards, other = state["game"]["frame"]["holes"][state["game"]["place"]], state["game"]["frame"]["holes"]
            assert other[1 - state["game"]["place"]] == []
            dealt[state["seat"]] = cards
            waiting = next(person for person in people.values() if person is not acting)
            sent = waiting.post("answer", {"question": state["question"]["id"], "action": "call"})
            assert sent.json == {"why": "it is not your turn, or this position is over"}
            assert not any(card in json.dumps(waiting.look().get("question", {})) for card in cards)
            acting.play(first_choice(state))
        assert len(dealt) == 2
        running.stop.request("enough")
        for person in people.values():
            person.until(lambda state: bool(state["over"]))


def test_secrets_have_128_bits_and_are_compared_in_constant_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Admissions.of(tmp_path, {"anna": HumanSeat(), "ben": HumanSeat()})
    secrets = [made.secret("anna"), made.secret("ben")]
    assert [len(bytes.fromhex(secret)) for secret in secrets] == [16, 16]
    compared, real = [], hmac.compare_digest

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(one)
        return real(one, other)

    monkeypatch.setattr(admissions.hmac, "compare_digest", compare)
    assert (made.seat_of(secrets[0]), made.seat_of("0" * 32)) == ("anna", "")
    assert len(compared) == 4  # all of them, whichever it is


def test_a_broken_file_of_addresses_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / admissions.PEOPLE).write_text("[]")
    with pytest.raises(ManifestError, match="expected the addresses of the run's people"):
        Admissions.of(tmp_path, {"anna": HumanSeat()})


def test_a_changed_page_of_consent_is_shown_again(tmp_path: Path) -> None:
    made = Admissions.of(tmp_path, {"anna": HumanSeat()})
    made.accept("anna")
    assert Admissions.of(tmp_path, {"anna": HumanSeat()}).has_accepted("anna")
    assert not Admissions.of(tmp_path, {"anna": HumanSeat(consent="Another page.")}).has_accepted("anna")


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "224.0.0.1", "my-machine"])  # noqa: S104 - it is refused
def test_a_page_is_served_on_one_address_of_this_machine(address: str, tmp_path: Path) -> None:
    directory = sealed(ONE_MATCH, tmp_path)
    refused = pytest.raises(PageCannotListen, match=r"--listen .*expected an IP address of this machine")
    with refused, people_at(directory, Stop(), lambda _: None, address):
        pass


def test_what_could_not_be_kept_is_kept_by_no_later_write_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that a page said was not kept was taken after a resume, once somebody else's had been written."""
    seats = {"anna": HumanSeat(), "ben": HumanSeat()}
    kept = Admissions.of(tmp_path, seats)
    with monkeypatch.context() as full:
        full.setattr(Admissions, "_write", raises_no_space)
        for change in (lambda: kept.keep("anna", "q1", "e2e4"), lambda: kept.accept("anna")):
            with pytest.raises(OSError, match="No space left"):
                change()
    kept.keep("ben", "q2", "fold")
    again = Admissions.of(tmp_path, seats)
    assert (again.kept("anna"), again.has_accepted("anna"), again.kept("ben")) == (("", None), False, ("q2", "fold"))


def raises_no_space(_: Admissions) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
