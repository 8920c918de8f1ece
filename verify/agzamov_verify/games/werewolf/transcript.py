"""One game as a JSON transcript, the export format of Werewolf: what was done and said in order, by name.

    {"format": "agzamov-werewolf-transcript/1", "game": "p1-…-g00000",
     "players": [{"name": "Oak", "seat": "model (A)", "role": "wolf", "halfpoints": 2}, …],
     "events": [{"night": 1, "kind": "message", "from": "Oak", "to": ["Elm"], "text": "…"},
                {"night": 1, "kind": "kill", "from": "Oak", "choice": "Ash"},
                {"day": 1, "kind": "vote", "from": "Oak", "choice": null}, …],
     "end": "parity"}

Kinds: message, kill, inspect, protect, vote, attacked, death, exile. `choice` null: a void vote; of an exile: nobody.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...table.speech import Said
from .game_script import POWERS
from .record import Day, Night, WerewolfRecord
from .rules import NOBODY

FORMAT: Final = "agzamov-werewolf-transcript/1"


def transcript(record: WerewolfRecord, placed: Sequence[str]) -> str:
    """The transcript of a game; `placed`: the names of the seats by place."""
    rows = zip(record.names, placed, record.roles, record.outcomes, strict=True)
    players = [{"name": name, "seat": seat, "role": role.value, "halfpoints": won} for name, seat, role, won in rows]
    document = {"format": FORMAT, "game": record.game, "players": players, "events": list(events(record))}
    return json.dumps({**document, "end": record.end.value}, indent=1, ensure_ascii=False) + "\n"


def events(record: WerewolfRecord) -> Iterator[dict[str, Any]]:
    """Everything that happened, in order, with players by name."""
    living = list(range(len(record.names)))
    for number, night in enumerate(record.nights):
        yield from _night(record, number + 1, night, living)
        living = [place for place in living if place != night.died]
        if number < len(record.days):
            day = record.days[number]
            yield from _day(record, number + 1, day, living)
            living = [place for place in living if place != day.died]


def _night(record: WerewolfRecord, number: int, night: Night, living: Sequence[int]) -> Iterator[dict[str, Any]]:
    yield from ({"night": number, **_message(record, said)} for said in night.said)
    chosen = {"inspect": night.inspected, "protect": night.protected}
    for place in living:
        if task := POWERS.get(record.roles[place]):
            choice = chosen.get(task, night.votes[place])
            yield {"night": number, "kind": task, "from": record.names[place], "choice": _name(record, choice)}
    yield {"night": number, "kind": "attacked", "choice": _name(record, night.attacked)}
    yield {"night": number, "kind": "death", "choice": _name(record, night.died)}


def _day(record: WerewolfRecord, number: int, day: Day, living: Sequence[int]) -> Iterator[dict[str, Any]]:
    yield from ({"day": number, **_message(record, said)} for said in day.said)
    for place in living:
        choice = _name(record, day.votes[place])
        yield {"day": number, "kind": "vote", "from": record.names[place], "choice": choice}
    yield {"day": number, "kind": "exile", "choice": _name(record, day.died)}


def _message(record: WerewolfRecord, said: Said) -> dict[str, Any]:
    to = [record.names[place] for place in said.to_ids]
    return {"kind": "message", "from": record.names[said.from_id], "to": to, "text": said.text}


def _name(record: WerewolfRecord, place: int) -> str | None:
    return None if place == NOBODY else record.names[place]
