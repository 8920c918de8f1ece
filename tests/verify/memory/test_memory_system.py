"""A memory as a plan names it."""

from typing import Any

import msgspec
import pytest

from agzamov_verify.experiment.matches import Arm, Trait
from agzamov_verify.memory.built_in_servers import SERVERS
from agzamov_verify.systems import AnySystem, MemorySystem

NAMES = ", ".join(SERVERS)
OTHERS = "or the adapter of a server from outside: FILE.yaml, or a name of `agzamov memory list`"


def system(**settings: object) -> MemorySystem:
    made = msgspec.convert({"kind": "memory", **settings}, AnySystem)
    assert isinstance(made, MemorySystem)
    return made


@pytest.mark.parametrize("server", SERVERS)
def test_every_server_of_the_table_can_be_named(server: str) -> None:
    noise_percent = 25 if SERVERS[server].damages else 0
    assert list(system(server=server, noise_percent=noise_percent).problems(Arm.REAL)) == []


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (
            {"server": "brain"},
            f"server: expected one of {NAMES}, {OTHERS}; found brain",
        ),
        (
            {"server": "recent", "half_life_games": 5},
            "half_life_games: expected 0: recent does not rank entries by age",
        ),
        ({"noise_percent": 9}, "noise_percent: expected 0: full_text damages nothing, found 9"),
        ({"server": "noisy"}, "noise_percent: expected 1 to 100, the share that it damages, found 0"),
        ({"traits": ["semantic"]}, "traits: expected none that the system cannot have, found semantic"),
        ({"traits": ["noisy"]}, "traits: expected none that the system cannot have, found noisy"),
    ],
)
def test_what_cannot_be_is_said_with_its_path(settings: dict[str, Any], problem: str) -> None:
    assert [str(found) for found in system(**settings).problems(Arm.REAL)] == [problem]


def test_traits_follow_from_the_settings() -> None:
    assert system().traits_known == {Trait.FULL_TEXT, Trait.UNIFORM}
    assert system(half_life_games=9).traits_known == {Trait.FULL_TEXT, Trait.TEMPORAL}
    assert system(server="noisy").traits_known == {Trait.FULL_TEXT, Trait.UNIFORM, Trait.NOISY}


@pytest.mark.parametrize("settings", [{"hits_max": 0}, {"bytes_max": 99}, {"noise_percent": 101}, {"use": "both"}])
def test_settings_beyond_their_limits_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        system(**settings)


def test_what_a_reader_must_know_stands_in_the_words() -> None:
    words = system(half_life_games=20, noise_percent=25).words([])
    assert "after 20 games" in words
    assert "25 % of the entries found are DAMAGED" in words


def test_a_server_that_adds_up_its_entries_has_no_placebo() -> None:
    assert list(system(server="consolidator").problems(Arm.REAL)) == []
    (problem,) = system(server="consolidator").problems(Arm.PLACEBO)
    assert problem.path == "server"
    assert "found consolidator: a placebo stands for whole ones" in problem.message
