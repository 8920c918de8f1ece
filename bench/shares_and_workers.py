"""One plan played by one process, in two shares, and by two Dask workers on this machine, from sealing to the bundle.

    python bench/shares_and_workers.py [HANDS GAMES]

Two plans. Scripted players at hold'em compute, so two processes can use two cores. A model that takes 200 ms a call
only waits: 16 calls in flight in one process, and 16 in each of two. Seconds by the clock and of CPU, each beside the
one process; the shares' slower one counts, since they run at the same time. Dask's scheduler and workers run already.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml
from distributed import Client

from instant import instant_server
from took import Took, children_cpu_s

HANDS, GAMES, PLIES, DELAY_MS, IN_FLIGHT, TWO = 12_000, 64, 40, 200, 16, 2
PROGRAM = Path(sys.executable).with_name("agzamov")
WAIT_S = 120
LOCAL = ("--host", "127.0.0.1", "--no-dashboard")


def plans(url: str, hands: int, games: int) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Name, threads of a worker, and plan."""
    scripted = {"phase": 1, "game": "holdem", "a": "dice", "b": "dice", "hands": hands, "block_hands": 500}
    yield "scripted players", 1, {"title": "Scripted", "seats": {"dice": {"kind": "random"}}, "matches": [scripted]}
    model = {"kind": "openai", "base_url": url, "model": "instant", "concurrency": IN_FLIGHT}
    asked = {"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": games, "block_games": 2}
    chess = {"adjudication": {"policy": "none"}, "plies_max": PLIES}
    yield (
        f"a model of {DELAY_MS} ms",
        IN_FLIGHT,
        {
            "title": "Model",
            "seats": {"model": model},
            "chess960": chess,
            "matches": [asked],
        },
    )


def run(*words: object, folder: Path) -> str:
    """What a command prints. Raises CalledProcessError."""
    command = [str(PROGRAM), *map(str, words)]
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def cpu_s(processes: Sequence[subprocess.Popen[bytes]] = ()) -> float:
    """CPU seconds of all children that have ended, and of these that run."""
    ticks = os.sysconf("SC_CLK_TCK")
    running = (Path(f"/proc/{one.pid}/stat").read_text().rpartition(")")[2].split()[11:13] for one in processes)
    return children_cpu_s() + sum(int(one) for times in running for one in times) / ticks


def in_one_process(folder: Path) -> None:
    run("run", "plan.yaml", "--key", "key.pem", "--quiet", folder=folder)


def in_shares(folder: Path) -> None:
    sealed = run("seal", "plan.yaml", "--key", "key.pem", folder=folder).split()[-1]
    shares = [
        subprocess.Popen([PROGRAM, "play", sealed, "--share", f"{number}/{TWO}", "--quiet"], cwd=folder)
        for number in range(TWO)
    ]
    if any(share.wait() for share in shares):
        raise SystemExit("a share failed")
    run("pack", sealed, "--key", "key.pem", folder=folder)


@contextmanager
def dask(folder: Path, threads: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler with two workers, and all three processes."""
    here = folder / "scheduler.json"
    with ExitStack() as stack:

        def start(program: str, *options: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *options, *LOCAL]
            process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        scheduler = start("scheduler", "--port", "0", "--scheduler-file", str(here))
        while not (here.exists() and here.read_text().endswith("}")):
            time.sleep(0.1)
        address = str(yaml.safe_load(here.read_text())["address"])
        workers = [start("worker", address, "--nthreads", str(threads), "--no-nanny") for _ in range(TWO)]
        with Client(address, timeout=WAIT_S, set_as_default=False) as client:
            client.wait_for_workers(TWO, timeout=WAIT_S)
        yield address, [scheduler, *workers]


def fresh(folder: Path, plan: dict[str, Any]) -> Path:
    folder.mkdir()
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    run("keygen", "key.pem", folder=folder)
    return folder


def measured(folder: Path, threads: int, plan: dict[str, Any]) -> Iterator[tuple[str, Took]]:
    """What each way took."""
    for name, play in (("one process", in_one_process), ("two shares", in_shares)):
        place = fresh(folder / name.replace(" ", "-"), plan)
        clock, before = time.monotonic(), cpu_s()
        play(place)
        yield name, Took(time.monotonic() - clock, cpu_s() - before)
    place = fresh(folder / "dask", plan)
    with dask(place, threads) as (address, processes):
        clock, before = time.monotonic(), cpu_s(processes)
        run("run", "plan.yaml", "--key", "key.pem", "--quiet", "--cluster", address, folder=place)
        yield "two Dask workers", Took(time.monotonic() - clock, cpu_s(processes) - before)


def main() -> None:
    hands, games = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (HANDS, GAMES)
    with tempfile.TemporaryDirectory() as name, instant_server(DELAY_MS) as url:
        for number, (title, threads, plan) in enumerate(plans(url, hands, games)):
            folder = Path(name) / str(number)
            folder.mkdir()
            took = dict(measured(folder, threads, plan))
            one = took["one process"]
            print(title)
            for way, spent in took.items():
                clock = f"{spent.clock_s:6.1f} s by the clock ({spent.clock_s / one.clock_s:.2f} x)"
                print(f"  {way:<17} {clock}, {spent.cpu_s:6.1f} s of CPU ({spent.cpu_s / one.cpu_s:.2f} x)")


if __name__ == "__main__":
    main()
