"""What tests of a run's first contact with an endpoint share: a user's folder, a plan, the command, an endpoint."""

from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.reference_server.chat_server import completion as reference
from agzamov_harness.run import signing_keys
from harness.http_peer import Exchange, answers, says, status


def users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder of its own."""
    monkeypatch.setattr(click, "get_app_dir", lambda _: str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    signing_keys.generate(tmp_path / "key.pem")
    return tmp_path


def plan_at(folder: Path, base_url: str, **seat: Any) -> str:
    plan = {
        "title": "First contact",
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 2},
        "seats": {"model": {"kind": "openai", "base_url": base_url, "model": "reference", "attempts_max": 2, **seat}},
        "matches": [{"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 2}],
    }
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    return "plan.yaml"


def agzamov(*arguments: object) -> tuple[int, str]:
    ran = CliRunner().invoke(main, [*map(str, arguments), "--key", "key.pem", "--quiet"])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.exit_code, ran.output


def serves(listed: tuple[str, ...] | None, known: str = "reference", answering: str | None = None) -> Any:
    """An endpoint that lists these models, or has no list; it answers for one model alone, by a name of its own."""

    def step(exchange: Exchange) -> None:
        asked = exchange.request_seen
        if asked.path.endswith("/models"):
            rows = [{"id": name, "object": "model", "created": 1, "owned_by": "x"} for name in listed or ()]
            (status(404) if listed is None else answers({"object": "list", "data": rows}))(exchange)
        elif asked.json["model"] != known:
            status(404, f"model '{asked.json['model']}' not found")(exchange)
        elif asked.json["messages"][0]["content"] == "Say OK.":
            says("OK", model=known if answering is None else answering)(exchange)
        else:
            answers({**reference(asked.json), "model": known if answering is None else answering})(exchange)

    return step
