"""Sealed runs for tests that disturb them: played by real processes, resumed, compared with an undisturbed twin."""

import copy
import json
import shutil
import time
from pathlib import Path
from typing import Any

import yaml

from agzamov_harness.run import signing_keys
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.engines.uci_engine import find_engine
from harness.commands import Commands, Ended, Running

Json = dict[str, Any]


def seal(commands: Commands, folder: Path, url: str = "", *options: str, plan: Json, **changes: Json) -> Path:
    """A sealed run in `folder`, whose key lies beside it. `options`: of the command."""
    plan = copy.deepcopy({**plan, **changes})
    if url:
        plan["seats"]["model"]["base_url"] = url
    if not (folder / "key.pem").exists():
        signing_keys.generate(folder / "key.pem")
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    sealed = commands.run("seal", "plan.yaml", "--key", "key.pem", "--start-programs", *options, cwd=folder)
    assert sealed.code == 0, sealed
    return folder / sealed.out.strip()


def resume(run: Path) -> tuple[str, ...]:
    """The command that plays a sealed run; `runs/<id>` lies beside the key."""
    folder = run.parents[1]
    return ("resume", str(run), "--key", str(folder / "key.pem"), "--out", str(folder / "bundles"), "--json", "--quiet")


def start(commands: Commands, run: Path) -> Running:
    return commands.start(*resume(run), cwd=run.parents[1])


def advice(run: Path) -> str:
    """What a stopped run tells a person to type."""
    return f"go on with: agzamov resume {run} --out {run.parents[1]}/bundles"


def finish(commands: Commands, run: Path) -> Json:
    """Play a run to its end, and return its claims; its bundle must verify."""
    ended = start(commands, run).ended()
    assert ended.code == 0, ended
    return checked(run, ended)


def packed(commands: Commands, folder: Path, plan: str) -> Path:
    """The bundle of a plan in YAML that is played in a folder, with a key of its own."""
    (folder / "plan.yaml").write_text(plan)
    assert commands.run("keygen", "key.pem", cwd=folder).code == 0
    run = commands.run("run", "plan.yaml", "--key", "key.pem", "--out", "out", cwd=folder)
    assert run.code == 0, run
    return folder / run.out.splitlines()[-1].removeprefix("bundle: ")


def said(commands: Commands, bundle: Path, *words: str) -> str:
    """What a command prints of a bundle: its name, then its options."""
    name, *options = words
    done = commands.run(name, str(bundle), *options, cwd=bundle.parent)
    assert done.code == 0, done
    return done.out


def checked(run: Path, ended: Ended) -> Json:
    """The claims of a run that has ended, once its bundle has been verified."""
    outcome = json.loads(ended.out)
    verdict = verify(Path(outcome["bundle"]), Options(find_engine() if "engine" in manifest_of(run) else None))
    assert (verdict.level, verdict.findings) == ("V1", [])
    claims: Json = outcome["claims"]
    return claims


def manifest_of(run: Path) -> Json:
    """The sealed manifest, without what it does not need."""
    manifest: Json = json.loads((run / "manifest.json").read_bytes())
    return {name: value for name, value in manifest.items() if value is not None}


def twin(run: Path) -> Path:
    """A copy of a sealed run that has not begun, in a folder of its own with the same key."""
    folder = run.parents[1] / "twin"
    shutil.copytree(run, folder / "runs" / run.name)
    shutil.copy(run.parents[1] / "key.pem", folder / "key.pem")
    return folder / "runs" / run.name


def journals(run: Path) -> dict[str, bytes]:
    """The journal of each stream, as its bytes are."""
    return {path.parent.name: path.read_bytes() for path in (run / "journal").glob("*/*.jsonl")}


def entries(run: Path) -> int:
    return sum(data.count(b"\n") for data in journals(run).values())


def uninterrupted(commands: Commands, run: Path) -> tuple[Json, dict[str, bytes]]:
    """The claims and the journals of the same sealed run when nothing disturbs it."""
    calm = twin(run)
    return finish(commands, calm), journals(calm)


def played_so_far(commands: Commands, run: Path, more: int) -> Running:
    """A resumed run that has recorded so many more entries, or is over."""
    running, enough = start(commands, run), entries(run) + more
    wait_for(lambda: entries(run) >= enough or not running.alive_after(0))
    return running


def wait_for(condition: Any, seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)
