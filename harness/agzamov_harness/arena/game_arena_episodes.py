"""Episodes of Kaggle's Game Arena: one JSON file for each, as `Environment.toJSON` of kaggle-environments writes it.

    {"name": "open_spiel_chess", "id": "…", "schema_version": 1, "rewards": [1, -1], "statuses": ["DONE", "DONE"],
     "info": {"EpisodeId": 71, "TeamNames": ["one", "two"]}, "steps": [[{…}, {…}], …], …}

`rewards` are those of the last step, in the order of the seats, and null for a seat that ended in ERROR, TIMEOUT or
INVALID. Names are the scheduler's: `info.TeamNames`, or `info.Agents[].Name`. Read by these rules:

- of two players, the greater reward won; null is less than any reward, so who failed lost, and the harness decided it;
- where nobody has a reward the episode is void: every seat failed, or the environment said so;
- an action that was submitted and not applied at the last step is an illegal move, by which open_spiel episodes end
  with rewards of 1 and -1 and every status DONE: the harness decided it;
- of more than two players, each two with unlike rewards are a pair; those with equal ones may be a team, and are none.
  All pairs of an episode are one cluster, and so are episodes that this program wrote of one unit;
- such an episode with at least three different rewards, and ten players at most, is also an order of finish;
- an episode of a player against itself, and one that was met before by its number, count for nothing.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import inf, isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from agzamov_verify.core.columns import ascii_words
from agzamov_verify.plan.manifest import ManifestError

from .imported_results import Finish, Gathered, ImportedResults, PairRow, Source

EPISODE_BYTES_MAX: Final = 2**28
EPISODES_MAX: Final = 1_000_000
SEATS_MAX: Final = 64
TABLE_MAX: Final = 10
TWO: Final = 2
LOSS, DRAW, WIN = 0, 1, 2
ENVIRONMENT: Final = "open_spiel_"
FAILED: Final = frozenset({"ERROR", "TIMEOUT", "INVALID"})
VOID: Final = "void: no seat has a reward"
ENDED_BY_FAULT: Final = "void: the environment ended it after a fault of an agent"
ALONE: Final = "a player against itself"
AGAIN: Final = "an episode that was there already"
ALL_EQUAL: Final = "more than two players, all with one reward"


class _Agent(msgspec.Struct):
    name: str = msgspec.field(name="Name", default="")


class _GameEnd(msgspec.Struct):
    terminated_with_agent_error: bool = False


class _Ours(msgspec.Struct):
    """What an episode has that `arena export` wrote."""

    cluster: str = ""


class _Info(msgspec.Struct):
    """What the scheduler and the environment say of an episode; of names both spellings are in use."""

    teams: list[str] = msgspec.field(name="TeamNames", default_factory=list)
    agents: list[_Agent] = msgspec.field(name="Agents", default_factory=list)
    number: int | str | None = msgspec.field(name="EpisodeId", default=None)
    game_end: _GameEnd | None = msgspec.field(name="GAME_END", default=None)
    ours: _Ours = msgspec.field(name="Agzamov", default_factory=_Ours)


class _State(msgspec.Struct):
    """A seat at one step: here only what its action came to."""

    info: dict[str, Any] = msgspec.field(default_factory=dict)


class _Episode(msgspec.Struct):
    """An episode; other fields are not looked at."""

    name: str
    rewards: list[float | None]
    info: _Info
    steps: list[list[_State]]
    statuses: list[str] = msgspec.field(default_factory=list)
    id: str = ""


class _Met(NamedTuple):
    """An episode as it is counted."""

    game: str
    number: str
    cluster: str
    names: tuple[str, ...]
    rewards: tuple[float | None, ...]
    is_forfeit: bool


def read_episodes(place: Path) -> ImportedResults:
    """The results of a file, or of every .json file below a folder. Raises ManifestError in one line, with the file."""
    paths = [place] if place.is_file() else sorted(path for path in place.rglob("*.json") if path.is_file())
    if not paths:
        raise ManifestError(f"{place}: expected episodes, files that end in .json, found none")
    if len(paths) > EPISODES_MAX:
        raise ManifestError(f"{place}: expected at most {EPISODES_MAX:,} episodes, found {len(paths):,}")
    found, known, digests = Gathered(), set[str](), list[str]()
    for path in paths:
        try:
            text = _bytes(path)
            digests.append(hashlib.sha256(text).hexdigest())
            _gather(msgspec.json.decode(text, type=_Episode), found, known)
        except OSError as error:
            raise ManifestError(f"{path}: {error.strerror}") from error
        except (ManifestError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            told = ascii_words(str(error).replace("\n", " "))
            raise ManifestError(f"{path}: expected an episode of Game Arena: {told}") from error
    whole = digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
    return found.results(Source(str(place), len(paths), whole))


def _bytes(path: Path) -> bytes:
    if (size := path.stat().st_size) > EPISODE_BYTES_MAX:
        raise ManifestError(f"expected at most {EPISODE_BYTES_MAX:,} bytes, found {size:,}")
    with path.open("rb") as file:
        return file.read(EPISODE_BYTES_MAX)


def _gather(episode: _Episode, found: Gathered, known: set[str]) -> None:
    """Add the results of an episode, or the reason why it has none."""
    met = _met(episode)
    if met.number and met.number in known:
        found.leave_out(AGAIN)
        return
    known.add(met.number)
    if episode.info.game_end and episode.info.game_end.terminated_with_agent_error:
        found.leave_out(ENDED_BY_FAULT)
    elif all(reward is None for reward in met.rewards):
        found.leave_out(VOID)
    elif len(set(met.names)) == 1:
        found.leave_out(ALONE)
    elif rows := [*_rows(met)]:
        for row in rows:
            found.add(row)
        if finish := _finish(met):
            found.add_finish(met.game, finish)
    else:
        found.leave_out(ALL_EQUAL)


def _met(episode: _Episode) -> _Met:
    """Raises ManifestError where seats, names and rewards do not fit together."""
    seats = len(episode.rewards)
    names = episode.info.teams or [agent.name for agent in episode.info.agents]
    if not names:
        raise ManifestError("names expected in info.TeamNames or info.Agents, found none")
    if not TWO <= seats <= SEATS_MAX or len(names) != seats:
        raise ManifestError(f"expected 2 to {SEATS_MAX} rewards, one for each name, found {seats} and {len(names)}")
    if any(reward is not None and not isfinite(reward) for reward in episode.rewards):
        raise ManifestError("expected rewards that are finite")
    number = str(episode.info.number) if episode.info.number is not None else episode.id
    return _Met(
        episode.name.removeprefix(ENVIRONMENT),
        number,
        episode.info.ours.cluster or number,
        tuple(names),
        tuple(episode.rewards),
        bool(FAILED.intersection(episode.statuses)) or None in episode.rewards or _is_illegal(episode.steps[-1:]),
    )


def _is_illegal(last: Sequence[Sequence[_State]]) -> bool:
    """Whether the last step has an action that was submitted and not applied, or malformed."""
    acted = [state.info for states in last for state in states if "actionApplied" in state.info]
    refused = [info for info in acted if info["actionApplied"] is None]
    return any(info.get("actionSubmitted") is not None for info in refused) or len(acted) == len(refused) == 1


def _finish(met: _Met) -> Finish | None:
    """The order of finish of a table of different players. Two rewards alone may be those of two teams: no order."""
    worth = [-inf if reward is None else reward for reward in met.rewards]
    seats = len(worth)
    if not TWO < seats <= TABLE_MAX or len(set(met.names)) < seats or len(set(worth)) <= TWO:
        return None
    return Finish(met.names, tuple(sum(other > own for other in worth) for own in worth), met.cluster)


def _rows(met: _Met) -> Iterator[PairRow]:
    """Of more than two seats those with one reward may be a team, and are no pair."""
    worth = [-inf if reward is None else reward for reward in met.rewards]
    for one, other in combinations(range(len(met.names)), TWO):
        is_equal = worth[one] == worth[other]
        if met.names[one] != met.names[other] and not (is_equal and len(met.names) > TWO):
            outcome = DRAW if is_equal else WIN if worth[one] > worth[other] else LOSS
            yield PairRow(met.game, met.names[one], met.names[other], outcome, met.cluster, is_forfeit=met.is_forfeit)
