"""What containers cost: a whole run, an engine call and a call to a model's server, each beside the same in processes.

    python bench/containers.py [ROUNDS]

Needs a container engine that holds the images (`agzamov images build --load`), Stockfish and llama.cpp's wheel. The two
sides take turns, so that a busy machine is busy for both, and the verdict is on the median difference of a pair. Runs
are compared in seconds of a whole `agzamov run`, calls in the median of one round trip from where the harness stands:
its container, or this machine.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import yaml

from agzamov_harness.containers import container_paths
from agzamov_harness.containers.container_engine import connect
from agzamov_harness.containers.container_lifecycle import RunContainers, image_in
from agzamov_harness.containers.container_logs import ContainerLogs
from agzamov_harness.containers.engine_socket import NoEngine
from agzamov_harness.containers.folder_transfer import hand_over
from agzamov_harness.containers.image_roles import images_of
from agzamov_harness.containers.topology import topology
from agzamov_harness.models.weight_pins import pins_of
from agzamov_harness.run import run_folder, signing_keys
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.seal import seal
from agzamov_verify.core.envelope import key_id
from agzamov_verify.engines.uci_engine import find_engine

ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = ROOT / "images" / "tinymodel" / "tinymodel.gguf"
AGZAMOV = Path(sys.executable).with_name("agzamov")
RUN_BAR_S, CALL_BAR_US = 2.0, 1000
CALLS, ROUNDS = 300, 5
PYTHON = "/usr/bin/python3.11"
READY = re.compile(r"ready on http://([0-9.]+:[0-9]+)")  # wherever it is: the server's log may run into its line
RUN: dict[str, Any] = {
    "title": "What containers cost",
    "seats": {"agent": {"kind": "reference"}, "dice": {"kind": "random"}},
    "engine": {"nodes": 1000},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 4},
        {"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 200},
    ],
}
CALLED: dict[str, Any] = {
    **RUN,
    "isolation": "container",
    "seats": {"tiny": {"kind": "gguf", "weights": str(WEIGHTS)}, "dice": {"kind": "random"}},
    "matches": [{"phase": 0, "game": "chess960", "a": "tiny", "b": "dice", "games": 2}],
}
# Runs in the harness's container and here: medians in microseconds of an engine's score and a server's answer.
TIMED = """
import http.client, json, socket, statistics, sys, time
from pathlib import Path
from typing import Any
from agzamov_verify.core.questions import ENGINE, Evaluate
from agzamov_verify.engines.uci_engine import UciEngine
engine, server, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
class Local(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(server)
connection = Local("localhost") if server.startswith("/") else http.client.HTTPConnection(server)
def ask_server():
    connection.request("GET", "/health")
    connection.getresponse().read()
def medians(work):
    taken = []
    for _ in range(calls):
        start = time.perf_counter_ns()
        work()
        taken.append(time.perf_counter_ns() - start)
    return statistics.median(taken) / 1000
start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
with UciEngine(Path(engine), 1) as engine:
    question = Evaluate(game="g", moves="", start_fen=start, to=ENGINE, turn=0)
    print(json.dumps([medians(lambda: engine.evaluate(question, 1)), medians(ask_server)]))
"""


def main(rounds: int) -> None:
    try:
        connect().close()
    except NoEngine as error:
        print(f"skipped: {error}")
        return
    with tempfile.TemporaryDirectory(prefix="agz-") as name:
        folder = Path(name)
        signing_keys.generate(folder / "key.pem")
        runs_s = [(wall_s(folder, "process"), wall_s(folder, "container")) for _ in range(rounds)]
        with in_containers(folder) as there, in_processes() as here:
            calls_us = [(timed(*here), timed(*there)) for _ in range(rounds)]
    process, container = (min(column) for column in zip(*runs_s, strict=True))
    print(f"run: {process:.2f} s in processes, {container:.2f} s in containers, in the best of {rounds} rounds")
    verdict("a run more in containers", statistics.median(b - a for a, b in runs_s), RUN_BAR_S, "s")
    for at, what in enumerate(("an engine call", "a call to a model's server")):
        pairs = [(here[at], there[at]) for here, there in calls_us]
        process, container = (min(column) for column in zip(*pairs, strict=True))
        print(
            f"{what}: {process:.0f} us in processes, {container:.0f} us in containers, in the best of {rounds} rounds"
        )
        verdict(f"{what} more in containers", statistics.median(b - a for a, b in pairs), CALL_BAR_US, "us")


def verdict(what: str, measured: float, bar: float, unit: str) -> None:
    print(f"  {what}: {measured:.2f} {unit} (bar {bar:g} {unit}): {'holds' if measured <= bar else 'DOES NOT HOLD'}")


def wall_s(folder: Path, isolation: str) -> float:
    """Seconds of one whole run."""
    (folder / "plan.yaml").write_text(yaml.safe_dump({**RUN, "isolation": isolation}))
    command = [str(AGZAMOV), "run", "plan.yaml", "--key", "key.pem", "--quiet"]
    start = time.monotonic()
    environment = {"AGZ_IMAGE_BUILD": str(ROOT / "build" / "images"), **os.environ}
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)
    return time.monotonic() - start


def timed(*command: str) -> tuple[float, float]:
    """Medians of the two calls, as `command` runs the program that takes them."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    engine, server = json.loads(done.stdout)
    return engine, server


@contextmanager
def in_containers(folder: Path) -> Iterator[tuple[str, ...]]:
    """The command that takes the times inside a harness's container, beside its servers."""
    plan = plan_from(CALLED)
    key = signing_keys.load(folder / "key.pem")
    submitter = key_id(key.public_key())
    manifest, secret = seal(plan, submitter, None, images=images_of(plan), models=pins_of(plan, folder))
    directory = run_folder.create(folder / "called", manifest, secret, key, folder)
    with closing(connect()) as door:
        images = {part: image_in(door, part, pin) for part, pin in directory.manifest.images.items()}
        machine = door.machine()
        hand_over(directory, machine.user)
        command = ("play", str(container_paths.RUN), "--attended")
        planned = topology(directory.manifest, directory.path.resolve(), folder, machine, command)
        with RunContainers(door, directory.manifest.run_id, planned, images, ContainerLogs(folder, {})) as containers:
            harness = containers.ids[container_paths.HARNESS]
            with closing(door.attach(harness, stdin=True)):
                door.start(harness)
                inside = ("docker", "--host", door.host, "exec", harness, PYTHON, "-c", TIMED)
                sockets = (str(container_paths.ENGINE_SOCKET), str(container_paths.model_socket("tiny")))
                wait_inside(inside, sockets)
                yield (*inside, *sockets, str(CALLS))


def wait_inside(inside: tuple[str, ...], sockets: tuple[str, ...]) -> None:
    """Until both servers answer."""
    for _ in range(100):
        if not subprocess.run([*inside, *sockets, "1"], check=False, capture_output=True).returncode:
            return
        time.sleep(0.2)
    raise SystemExit("error: the servers do not answer in their containers")


@contextmanager
def in_processes() -> Iterator[tuple[str, ...]]:
    """The command that takes the times here, beside an engine and a server on loopback."""
    settings = {"AGZ_MODEL_PATH": str(WEIGHTS), "AGZ_MODEL_LISTEN": "127.0.0.1:0", "AGZ_MODEL_SLOTS": "4"}
    serve = [sys.executable, str(ROOT / "harness" / "agzamov_harness" / "models" / "gguf_server.py")]
    with subprocess.Popen(serve, env={**os.environ, **settings}, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        address = next(found[1] for line in server.stderr if (found := READY.search(line)))
        yield sys.executable, "-c", TIMED, str(find_engine()), address, str(CALLS)
        server.terminate()


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else ROUNDS)
