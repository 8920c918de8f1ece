"""Images to an Ollama server: its capability is asked first, and a local server reads the position from the pixels."""

import base64
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from agzamov_harness.models.preflight_requests import prompts_of
from agzamov_harness.planning.workload import prompt_characters
from agzamov_harness.run.assumptions import Assumptions
from agzamov_harness.run.first_contact import first_contact
from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.core.questions import Chat, Message
from agzamov_verify.show.games_of_bundle import games_told
from agzamov_verify.table.scripted_players import scripted_reply
from board_reader import CannotRead, placement_in
from bundles.bundle_factory import check
from harness.contact import agzamov, users_folder
from models.ollama_double import Json, Manner, OllamaDouble, Shown

MODEL, STYLE, BLIND = Shown("eyes:latest", "ab" * 32, 2_500_000), "discs", "a1"
PROBED = "8/8/8/8/3Q4/8/8/8"
RULES = {name: {"illegal": "retry_then_forfeit"} for name in ("draughts", "holdem", "holdem_ring", "werewolf")}


class SightedOllama(OllamaDouble):
    """A model that has no other eyes than the files in `images`, and plays by search; `boards`: what it has seen."""

    def __init__(self, capabilities: tuple[str, ...] = ("completion", "vision"), *, drops_images: bool = False) -> None:
        super().__init__(MODEL, "http://127.0.0.1:9", 4096, Manner.GOOD)
        self.capabilities, self.drops_images = capabilities, drops_images
        self.boards: list[str] = []

    def _of_model(self, path: str, body: Json) -> tuple[int, Json]:
        status, value = super()._of_model(path, body)
        return status, {**value, "capabilities": list(self.capabilities)} if path == "/api/show" else value

    def _chat(self, body: Json) -> tuple[int, Json]:
        if "logprobs" in body:
            return self._probed(body)
        system = next((row["content"] for row in body["messages"] if row["role"] == "system"), "")
        user = next(row for row in body["messages"] if row["role"] == "user")
        try:
            (placement,) = (placement_in(base64.b64decode(file, validate=True), STYLE) for file in user["images"])
        except CannotRead as error:
            return 400, {"error": f"cannot see: {error}"}
        self.boards.append(placement)
        return self._answer(BLIND if self.drops_images else self._said(system, user["content"], placement))

    def _probed(self, body: Json) -> tuple[int, Json]:
        """A preflight's request: one token with its probability, or a prompt that is too long."""
        if sum(len(row["content"]) for row in body["messages"]) > 4 * self.context:
            return 400, {"error": "the prompt exceeds the available context size"}
        tokens = [{"token": "OK", "bytes": [79, 75], "logprob": -0.1}]
        status, value = self._answer("OK")
        return status, {**value, "eval_count": 1, "logprobs": [{**tokens[0], "top_logprobs": tokens}]}

    def _answer(self, text: str) -> tuple[int, Json]:
        usage = {"prompt_tokens": 300, "completion_tokens": 20}
        return 200, self._native({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage})

    def _said(self, system: str, user: str, placement: str) -> str:
        if "Name the square" in user:
            rank = next(row for row in placement.split("/") if row != "8")
            return "abcdefgh"[int(rank[0])] + str(8 - placement.split("/").index(rank))
        if "BOARD:" in system:
            return f"BOARD: {placement}"
        rest = re.search(r"^FEN: .*\)(.*)$", user, re.MULTILINE)
        assert rest
        told = f"{user.partition('FEN: ')[0]}FEN: {placement}{rest[1]}\nMoves so far: none"
        return scripted_reply("reference", (Message(system, "system"), Message(told, "user")), 0)


def plan_for(server: OllamaDouble, **image_input: Any) -> dict[str, Any]:
    """Two games of chess between a model that is shown images and a random player."""
    seat = {
        "kind": "ollama",
        "base_url": server.url,
        "model": MODEL.name,
        "model_digest": MODEL.digest,
        "determinism": "measured",
    }
    return {
        "title": "Images to Ollama",
        "protocol": "arena-0.1",
        "seats": {"seeing": {**seat, "image_input": {"style": STYLE, **image_input}}, "dice": {"kind": "random"}},
        "chess": {"illegal": "retry_then_forfeit", "adjudication": {"policy": "none"}, "plies_max": 12},
        **RULES,
        "matches": [{"phase": 6, "game": "chess", "a": "seeing", "b": "dice", "games": 2, "block_games": 2}],
    }


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return users_folder(tmp_path, monkeypatch)


@pytest.fixture
def server() -> Iterator[SightedOllama]:
    with SightedOllama() as server:
        yield server


def refusal_of(home: Path, server: OllamaDouble, **image_input: Any) -> str:
    """The one line of a run that was never sealed."""
    (home / "plan.yaml").write_text(yaml.safe_dump(plan_for(server, **image_input)))
    code, output = agzamov("run", "plan.yaml")
    assert (code, len(output.splitlines()), (home / "runs").exists()) == (2, 1, False), output
    return output


def asked(server: OllamaDouble) -> list[str]:
    return [path for path, _ in server.requests]


def test_the_capability_is_asked_before_an_image_is_sent(server: SightedOllama) -> None:
    first_contact(plan_from(plan_for(server)), None, {})
    assert asked(server) == ["/api/show", *["/api/chat"] * 3]
    assert server.boards == [PROBED] * 3


def test_a_model_without_vision_is_refused_in_one_line_and_is_sent_nothing(home: Path) -> None:
    with SightedOllama(("completion", "tools")) as server:
        told = refusal_of(home, server)
    assert "seat seeing: the server says that its model takes no images; image_input needs a model" in told
    assert "nothing was sealed" in told
    assert "/api/chat" not in asked(server)


def test_a_server_that_drops_images_is_refused_in_one_line(home: Path) -> None:
    with SightedOllama(drops_images=True) as server:
        told = refusal_of(home, server)
    assert "from a model that was shown an image, found none; image_input needs a model" in told


def test_a_model_that_cannot_read_the_style_is_refused_in_one_line(home: Path, server: SightedOllama) -> None:
    told = refusal_of(home, server, style="figures")
    assert "cannot see: no piece fits" in told
    assert "seat seeing was sent an image" in told


@pytest.mark.slow
def test_a_game_is_played_by_the_pixels_and_verifies(home: Path, server: SightedOllama) -> None:
    (home / "plan.yaml").write_text(yaml.safe_dump(plan_for(server)))
    code, output = agzamov("run", "plan.yaml", "--bundles", "bundles")
    assert code == 0, output
    (bundle,) = Path("bundles").iterdir()
    opened = open_bundle(bundle, CheckLog())
    games = [game for match in opened.manifest.plan.matches for game in games_told(opened, match)]
    asked_for = [question.messages[-1] for game in games for question, _ in game.asked if isinstance(question, Chat)]
    boards = [shown.of for message in asked_for for shown in message.shown]
    assert Counter(server.boards) == Counter([PROBED] * 3 + boards)
    verdict = check(bundle)
    assert verdict.level == "V1", verdict.findings
    assert verdict.results
    row, *_ = verdict.results.matches
    assert row.seat_stats[0].first_exact == row.seat_stats[0].decisions > 6


def test_a_preflight_and_a_forecast_read_the_prompts_of_a_seat_with_images(server: SightedOllama) -> None:
    plan = plan_from(plan_for(server))
    asked_for = prompts_of(plan, "seeing")
    assert [request.messages[-1].shown != () for request in asked_for] == [True] * 3
    assert len({shown.of for request in asked_for for shown in request.messages[-1].shown}) == 3
    sizes = prompt_characters(plan, plan.matches[0], Assumptions())
    assert sizes["seeing"].asked > 1000
