"""What the tests of memory share: adapters for the fake server, ports, and the questions of a small career."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agzamov_harness.memory.adapter_file import Adapter, DeclaredSystem, Variant, adapter_from_yaml
from agzamov_harness.memory.launch import Setup, SystemSettings
from agzamov_harness.memory.memory_port import MemoryPort
from agzamov_harness.memory.server_limits import ServerLimits
from agzamov_verify.core.questions import MEMORY, Answer, EndGame, Export, MemoryQuestion, Search, Store

FAKE = Path(__file__).parent / "fake_memory.py"
BUILT_IN = Path(__file__).parents[2] / "harness/agzamov_harness/memory/adapters/builtin.yaml"
LIMITS = ServerLimits(open_s=120, call_s=120, settle_s=1)
IMPATIENT = ServerLimits(open_s=120, call_s=5, settle_s=1)


def fake_yaml(defect: str) -> str:
    """The adapter of the built-in servers, which starts the fake with a defect instead."""
    text = BUILT_IN.read_text()
    launch = text[text.index("launch:") : text.index("mcp_mode:")]
    systems = text[text.index("systems:") : text.index("verified:")]
    fake = f'launch: {{command: "${{PYTHON}}", args: ["{FAKE}", {defect}]}}\n'
    return text.replace(launch, fake).replace(systems, "").replace('mcp_mode: "2026-07-28"', "mcp_mode: legacy")


def fake(defect: str, limits: ServerLimits = LIMITS) -> Setup:
    adapter: Adapter = adapter_from_yaml(fake_yaml(defect).encode())
    return Setup(DeclaredSystem(f"fake-{defect}", adapter, Variant("", adapter.traits.query)), SystemSettings(), limits)


@contextmanager
def opened(setup: Setup, folder: Path) -> Iterator[MemoryPort]:
    """A port whose server is ended at the end."""
    port = MemoryPort(setup, folder / "memory.log")
    try:
        yield port
    finally:
        port.close()


NOTES = (
    "Opponent folded to a three-bet on the button: 4 of 5",
    "Opponent castled before move 8:\n3 of 4",
    "Opponent folded to a three-bet on the button: 2 of 2",
    "Opponent called the river with a pair: 1 of 6",
)


def store(number: int, content: str, game: int | None = None) -> Store:
    """Entry number `number`, stored in the game of the same number."""
    game = game or number
    return Store(
        attempt=0,
        content=content,
        entry=f"e{number:05}",
        game=f"g{game:05}",
        kind="observation",
        number=game,
        turn=0,
        to=MEMORY,
    )


def search(query: str, number: int, hits_max: int = 2) -> Search:
    return Search(attempt=0, game=f"g{number:05}", hits_max=hits_max, number=number, query=query, turn=1, to=MEMORY)


def end_game(number: int) -> EndGame:
    return EndGame(attempt=1, game=f"g{number:05}", number=number, turn=0, to=MEMORY)


def export(offset: int = 0) -> Export:
    return Export(attempt=2, game="g00009", offset=offset, turn=0, to=MEMORY)


def career() -> list[MemoryQuestion]:
    """The questions of four games with one note each, a search before each, and the export at the end."""
    asked: list[MemoryQuestion] = []
    for number, content in enumerate(NOTES, 1):
        asked += [search("opponent button fold", number), store(number, content), end_game(number)]
    return [*asked, search("castled before move", 5, 3), export()]


def answers(port: MemoryPort, asked: Sequence[MemoryQuestion]) -> list[Answer]:
    return [port.answer(question) for question in asked]
