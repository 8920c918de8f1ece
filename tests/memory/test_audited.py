"""What a built-in system does in a career passes the audit that `verify` makes of it."""

from pathlib import Path

import pytest

from agzamov_memory.entry import Entry
from agzamov_memory.systems import SYSTEMS, Settings
from agzamov_verify.checks.memory_audit import StoreAudit
from agzamov_verify.core.dice import Stream
from agzamov_verify.core.questions import (
    MEMORY,
    Answer,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    Question,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.core.script import Script, drive
from agzamov_verify.experiment.matches import Arm, Augmentation, Condition, Phase
from agzamov_verify.games.chess.game import ChessMatch
from agzamov_verify.memory.built_in_servers import SERVERS
from agzamov_verify.memory.career_memory import CareerMemory, SearchLimits, ServerUse
from agzamov_verify.systems import MemorySystem
from memory.server_client import skip_without_weights

CONTESTS = 30
CONDITION = Condition(Augmentation.MEMORY, Arm.REAL, "notes")
MATCH = ChessMatch(a="agent", b="foe", phase=Phase.ASYMMETRIC, games=CONTESTS, condition=CONDITION)
HABITS = ("Castled early", "Castled late", "Traded queens before move 20", "Moved the same piece twice before move 8")
PAGE_ENTRIES = 7


class Built:
    """A built-in system in this process, asked as a port asks its server."""

    def __init__(self, name: str, settings: Settings) -> None:
        self._memory = SYSTEMS[name].make(settings)

    def __call__(self, question: Question) -> Answer:
        memory = self._memory
        match question:
            case Store():
                memory.store(Entry(question.entry, question.content, (question.number,), question.kind))
                return Stored()
            case Search():
                found = memory.search(question.query, question.hits_max, question.number)
                return Hits(tuple(Hit(entry.content, entry.entry) for entry in found))
            case EndGame():
                memory.end_game(question.number)
                return Settled(memory.entries.count())
            case Export():
                page = memory.entries.page(question.offset, PAGE_ENTRIES)
                kept = (Kept(one.content, one.derived_from, one.entry, one.games, one.kind) for one in page)
                return Exported(tuple(kept), question.offset + len(page) < memory.entries.count())
            case _:
                raise AssertionError(question)


def career(memory: CareerMemory) -> Script[list[str]]:
    """A career of observations in which habits come and go; what each search told."""
    told = []
    yield from memory.begin("g0")
    for number in range(CONTESTS):
        told.append((yield from memory.recall(f"g{number}", 2, "castled early, or late and twice?")))
        seen = [f"{habit}: {number % 3} of {1 + number % 5}" for habit in HABITS[number % 3 :]]
        yield from memory.observe(f"g{number}", "\n".join(seen))
    yield from memory.finish(f"g{CONTESTS - 1}")
    return told


def test_every_server_that_a_plan_may_name_is_built_in_and_says_the_same_of_itself(tmp_path: Path) -> None:
    for name, server in SERVERS.items():
        (tmp_path / name).mkdir()
        system = SYSTEMS[name]
        assert (system.decays, system.damages) == (server.ages, server.damages)
        if name != "semantic":
            assert (system.make(Settings(tmp_path / name)).rewrites == "end_game") == server.rewrites


@pytest.mark.parametrize("name", SERVERS)
def test_a_career_passes_the_audit(name: str, tmp_path: Path) -> None:
    skip_without_weights(name)
    noise_percent = 25 if SERVERS[name].damages else None
    half_life_games = 5 if SERVERS[name].ages else None
    system = MemorySystem(server=name, half_life_games=half_life_games or 0, noise_percent=noise_percent or 0)
    audit = StoreAudit(system)
    built = Built(name, Settings(tmp_path, half_life_games, noise_percent))

    def answer(question: Question) -> Answer:
        given = built(question)
        audit.note(question, given)
        return given

    told = drive(
        career(CareerMemory(SearchLimits(5, 2_000), server=ServerUse(rewrites=SERVERS[name].rewrites))), answer
    )
    assert audit.findings == []
    assert told[0] == ""
    assert all(told[1:])
    assert bool(audit.counts.altered) == bool(noise_percent)
    assert bool(audit.counts.derived) == (name == "consolidator")


@pytest.mark.parametrize("name", ["file", "full_text", "noisy"])
@pytest.mark.parametrize("seed", range(3))
def test_searches_for_any_words_pass_the_audit(name: str, seed: int, tmp_path: Path) -> None:
    """Words joined by hyphens, underscores and marks, in capitals too, and searches of more than 64 words."""
    draw = Stream(bytes([seed]), "words")
    vocabulary = ["raise", "raised", "raises", "3-bet", "bet", "bets", "4", "of", "TO", "q-q-x", "x_y", "l'ami"]
    vocabulary += ["caf\u00e9", "running", "run-in"] if seed == 2 else []
    noise_percent = 25 if name == "noisy" else 0
    audit = StoreAudit(MemorySystem(server=name, noise_percent=noise_percent))
    built = Built(name, Settings(tmp_path, None, noise_percent or None))

    def text(words: list[str]) -> str:
        return "".join(word + draw.choice((" ", ", ", "\n", ": ", "-", "_")) for word in words)

    for number in range(1, 60):
        words = [draw.choice(vocabulary) for _ in range(draw.choice((1, 3, 8)))]
        content = text(words)
        asked = text([draw.choice(vocabulary) for _ in range(draw.choice((1, 2, 90)))])
        questions = (
            Store(
                attempt=0,
                content=content,
                entry=f"e{number:05}",
                game="g",
                kind="note",
                number=number,
                turn=0,
                to=MEMORY,
            ),
            Search(
                attempt=1, game="g", hits_max=draw.choice((1, 5, 100)), number=number, query=asked, turn=0, to=MEMORY
            ),
        )
        for question in questions:
            audit.note(question, built(question))
    assert audit.findings == []
    assert audit.counts.found
