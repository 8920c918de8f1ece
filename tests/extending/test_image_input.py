"""A match in which a model sees the board as an image: a local server decodes the PNG file and plays by its pixels.

No released protocol has images, and the next one plays them.
"""

import base64
import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from agzamov_verify.core.questions import Message
from agzamov_verify.table.scripted_players import scripted_reply
from board_reader import CannotRead, placement_in
from extending.source_tree import SourceTree

pytestmark = pytest.mark.slow

PLAN = """
title: Chess in images and in text
protocol: agz-next
seats:
  seeing: {{kind: openai, base_url: "{url}", model: eyes, concurrency: 2, image_input: {{style: discs}}}}
  reading: {{kind: openai, base_url: "{url}", model: eyes, concurrency: 2}}
  dice: {{kind: random}}
matches:
  - {{phase: 0, game: {game}, a: seeing, b: dice, games: 4}}
  - {{phase: 0, game: {game}, a: reading, b: dice, games: 4}}
{game}: {{plies_max: 40, adjudication: {{policy: material, threshold_points: 5, plies: 4}}}}
"""
STYLE = "discs"


class Eyes(BaseHTTPRequestHandler):
    """A model that reads one style, has no other eyes, and plays by search."""

    capabilities: list[str] | None = None

    def do_GET(self) -> None:
        listed: dict[str, Any] = {"object": "list", "data": [{"id": "eyes", "object": "model"}]}
        if self.capabilities is not None:
            listed["models"] = [{"name": "eyes", "capabilities": self.capabilities}]
        self.send(200, listed)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        try:
            text = self.reply([(row["role"], *parts(row["content"])) for row in body["messages"]])
        except CannotRead as error:
            self.send(400, {"error": {"message": f"cannot see: {error}"}})
            return
        usage = {"prompt_tokens": 300 + len(str(body)) // 400, "completion_tokens": 20}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        self.send(200, {"id": "x", "model": "eyes", "choices": [choice], "usage": usage})

    def reply(self, messages: list[tuple[str, str, bytes]]) -> str:
        system = messages[0][1]
        user, image = next(((text, image) for role, text, image in messages if role == "user"), ("", b""))
        placement = placement_in(image, STYLE) if image else ""
        if "Name the square" in user:
            rank = next(row for row in placement.split("/") if row != "8")
            return "abcdefgh"[int(rank[0])] + str(8 - placement.split("/").index(rank))
        if "BOARD:" in system:
            return f"BOARD: {placement}"
        found = re.search(r"^FEN: (.*)$", user, re.MULTILINE)
        if not found:
            return "OK"
        fen = f"{placement}{found[1].rpartition(')')[2]}" if image else found[1]
        situation = user.partition("FEN: ")[0]
        told = f"{situation}FEN: {fen}\nMoves so far: none"
        return str(scripted_reply("reference", (Message(system, "system"), Message(told, "user")), 0))

    def send(self, status: int, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Stay quiet."""


def parts(content: Any) -> tuple[str, bytes]:
    """Text and image of a message."""
    if isinstance(content, str):
        return content, b""
    text = "".join(part["text"] for part in content if part["type"] == "text")
    image: dict[str, str]
    (image,) = [part["image_url"] for part in content if part["type"] == "image_url"]
    assert image["detail"] == "auto"
    return text, base64.b64decode(image["url"].removeprefix("data:image/png;base64,"), validate=True)


@pytest.fixture
def eyes(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    yield from served()


def served() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Eyes)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    tree = SourceTree(tmp_path_factory.mktemp("tree"))
    tree.add_protocol()
    return tree


@pytest.fixture(scope="module")
def bundle(tree: SourceTree, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    for url in served():
        yield tree.played(tmp_path_factory.mktemp("played"), PLAN.format(url=url, game="chess"))


def test_a_model_that_sees_plays_as_one_that_reads(tree: SourceTree, bundle: Path) -> None:
    told = json.loads(tree.run("verify", str(bundle), "--json", cwd=bundle.parent))
    assert told["level"] == "V1"
    text = " ".join(tree.run("verify", str(bundle), "--details", cwd=bundle.parent).split())
    assert re.search(r"images read, boards:? 1\.000", text), text
    assert "n=4" in text.partition("images read, boards")[2][:120].replace(" = ", "="), text


def test_a_person_is_told_of_the_image(tree: SourceTree, bundle: Path) -> None:
    results = json.loads(tree.run("verify", str(bundle), "--json", cwd=bundle.parent))["results"]["matches"]
    match = next(match["id"] for match in results if match["id"].endswith("-seeing"))
    told = tree.run("show", str(bundle), "--game", f"{match}-g00000", "--prompts", cwd=bundle.parent)
    assert re.search(r"\[image: \S+, style discs, 512x512, detail auto, sha256 [0-9a-f]{64}\]", told.replace("\n", " "))


@pytest.mark.parametrize("defect", ["pieces exchanged", "a row shifted"])
def test_a_run_that_drew_otherwise_is_not_verified(tree: SourceTree, bundle: Path, tmp_path: Path, defect: str) -> None:
    other = SourceTree(tmp_path / "other")
    other.add_protocol()
    file = other.verify / "games" / "chess" / "bitmaps.txt"
    lines = file.read_text().splitlines()
    if defect == "pieces exchanged":
        first, second = lines.index("discs B:"), lines.index("discs N:")
        lines[first], lines[second] = lines[second], lines[first]
    else:
        at = lines.index("discs P:") + 14
        lines[at] = lines[at][-1] + lines[at][:-1]
    file.write_text("\n".join(lines) + "\n")
    told = other.run("verify", str(bundle), cwd=tmp_path, code=1)
    assert "found a question to seeing" in " ".join(told.split())


def refused(tree: SourceTree, folder: Path, plan: str) -> str:
    (folder / "plan.yaml").write_text(plan)
    tree.run("keygen", "key.pem", cwd=folder)
    return str(tree.run("run", "plan.yaml", "--key", "key.pem", cwd=folder, code=2, errors=True))


def test_a_model_that_sees_nothing_is_refused(
    tree: SourceTree, eyes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = PLAN.format(url=eyes, game="chess")
    told = refused(tree, tmp_path, plan.replace("style: discs", "style: figures"))
    assert "cannot see" in told
    assert "image_input needs a model and a server that take images" in told
    monkeypatch.setattr(Eyes, "capabilities", ["completion"])
    told = tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path, code=2, errors=True)
    assert "the server says that its model takes no images" in told


def test_a_game_without_images_and_a_released_protocol_refuse_them(tree: SourceTree, eyes: str, tmp_path: Path) -> None:
    plan = PLAN.format(url=eyes, game="chess960")
    told = refused(tree, tmp_path, plan.replace("protocol: agz-next\n", ""))
    assert "image_input" in told
    assert "no such field" in told
    poker = (
        re.sub(r"^chess960:.*\n", "", plan, flags=re.MULTILINE)
        .replace("game: chess960", "game: holdem")
        .replace("games: 4", "hands: 200")
    )
    (tmp_path / "plan.yaml").write_text(poker)
    told = tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path, code=2, errors=True)
    assert "has no image: expected a seat without image_input" in told
