"""A person at their page, by plain requests: what a browser would send, and what a stranger might."""

import http.client
import json
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlsplit

Json = dict[str, Any]
PATIENCE_S = 60


class Answered(NamedTuple):
    """The status of an answer, its headers, and its body as JSON where it is such."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        value: Json = json.loads(self.body)
        return value


class Person:
    """Plays at the page of this address."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host, self.path = parts.netloc, parts.path
        self.state: Json = {"version": 0}
        self.titles = list[str]()

    def ask(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Answered:
        """One request; a body is posted as JSON with the page's own Origin."""
        own = {} if method == "GET" else {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE_S)
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, sent, own if headers is None else dict(headers))
        answer = connection.getresponse()
        told = Answered(answer.status, dict(answer.getheaders()), answer.read())
        connection.close()
        return told

    def look(self) -> Json:
        """The state as it is now."""
        self.state = self.ask("GET", f"{self.path}state.json").json
        return self.state

    def until(self, wanted: Callable[[Json], bool]) -> Json:
        """The first state that is wanted."""
        end = time.monotonic() + PATIENCE_S
        while not wanted(self.look()):
            assert time.monotonic() < end, self.state
            time.sleep(0.01)
        return self.state

    def at(self, *steps: str) -> Json:
        """The first state at one of these steps. A result before it is acknowledged: chance may end a game early."""
        while (state := self.until(lambda state: state["step"] in {*steps, "result"}))["step"] not in steps:
            self.go_on()
        return state

    def post(self, what: str, body: object) -> Answered:
        return self.ask("POST", self.path + what, body)

    def accept(self) -> None:
        """Accept the page of consent."""
        digest = self.at("consent")["sha256"]
        assert self.post("consent", {"accepted": True, "sha256": digest}).status == HTTPStatus.OK

    def play(self, action: str) -> Answered:
        """Send a move for the question that is shown."""
        return self.post("answer", {"question": self.at("question")["question"]["id"], "action": action})

    def go_on(self) -> None:
        """Acknowledge a result."""
        self.post("next", {"number": self.at("result")["result"]["number"]})

    def play_all(self, choose: Callable[[Json], str]) -> list[str]:
        """Play to the end of the run; the words of the results. Their titles are added to `titles`."""
        results = []
        while True:
            state = self.at("consent", "question", "result", "over")
            if state["step"] == "over":
                return results
            if state["step"] == "consent":
                self.accept()
            elif state["step"] == "result":
                results.append(state["result"]["words"])
                self.titles.append(state["result"]["title"])
                self.go_on()
            else:
                told = self.play(choose(state))
                assert told.json == {"why": ""}, told


def first_choice(state: Json) -> str:
    """The first move, or a check or call."""
    choices = state["question"]["choices"]
    if choices["kind"] == "moves":
        return str(choices["moves"][0]["action"])
    return str(choices["actions"][-1]["action"])
