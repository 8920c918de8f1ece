"""What is shown: roles, what was said to whom, votes, deaths."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...core.columns import ascii_words, paragraph, row
from ...core.questions import Message
from ...plan.manifest import Plan
from ...scoring.match_figures import MatchAnalysis
from ...show.game_view import GameView
from ...show.replayed_game import PlayedGame
from ...table.decision import fault_classes
from .game import GAME
from .live_frame import werewolf_live_frame
from .record import WerewolfRecord
from .rules import SEATS_MAX, End
from .scoring import WerewolfCounts
from .transcript import events, transcript

ENDS: Final = {
    End.NO_WOLVES: "the village wins: no wolf lives",
    End.PARITY: "the wolves win: they are as many as the others who live",
    End.DAY_LIMIT: "a draw: the last day is over",
}
OUTCOMES: Final = {"attacked": "attacked", "death": "dead", "exile": "exiled"}
TASKS: Final = {"kill": "votes to kill", "inspect": "inspects", "protect": "protects", "vote": "votes for"}
INDENT: Final = 4


class WerewolfView(GameView):
    """Werewolf on the screen."""

    game = GAME
    null = 0.5
    figure_unit = " points a game"
    figure_bounds = (0.0, 1.0)
    short_unit = ""
    places = tuple(f"place {number + 1}" for number in range(SEATS_MAX))
    clusters = "sets of games"
    notation = "json"
    notation_words = "a transcript of each game: players with roles, messages, votes, deaths"

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        record: WerewolfRecord = played.record
        result = f"Result: {self.ended(record)}"
        yield f"{record.game}: {len(played.placed)} players"
        yield result
        yield ""
        for name, seat, role in zip(record.names, played.placed, record.roles, strict=True):
            yield f"{name}: {role.value} ({ascii_words(seat)})"
        heading = ""
        for event in events(record):
            if (time := time_of(event)) != heading:
                heading = time
                yield from ("", time)
            yield from paragraph("", said_of(event), INDENT)
        yield ""
        yield result

    def document(self, played: PlayedGame) -> dict[str, object]:
        record: WerewolfRecord = played.record
        roles = [role.value for role in record.roles]
        return {"names": list(record.names), "roles": roles, "events": list(events(record)), "end": record.end.value}

    def exported(self, played: PlayedGame, plan: Plan) -> str:
        return transcript(played.record, played.placed)

    def live_frame(self, asked: Sequence[tuple[Message, ...]]) -> dict[str, Any]:
        return werewolf_live_frame(asked)

    def frames(self, played: PlayedGame, plan: Plan) -> list[dict[str, Any]]:
        return list(frames_of(played.record))

    def error_classes(self, record: WerewolfRecord) -> tuple[str, ...]:
        return fault_classes(record.tallies)

    def ended(self, record: WerewolfRecord) -> str:
        nights, days = len(record.nights), len(record.days)
        return f"{ENDS[record.end]}, {nights} nights, {days} days"

    def size(self, counts: WerewolfCounts) -> str:
        return f"{counts.games:,} games"

    def details(self, counts: WerewolfCounts, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:
        for role, its in counts.roles.items():
            yield from row(
                f"as {role}", f"won {its.won}, drew {its.drawn} of {its.games}, alive at the end {its.survived}"
            )
        yield from row(
            "votes", f"{counts.votes_for_wolves} of {counts.village_votes} as one of the village were for a wolf"
        )
        exiled = f"{counts.wolves_exiled} wolves and {counts.others_exiled} others by all seats together"
        yield from row("exiled", exiled)


def time_of(event: dict[str, Any]) -> str:
    """When something happened: "Night 1"."""
    return f"Night {event['night']}" if "night" in event else f"Day {event['day']}"


def said_of(event: dict[str, Any]) -> str:
    """One event in words of ASCII: "Oak votes for Elm"."""
    kind, choice = event["kind"], event.get("choice") or "nobody"
    if kind in OUTCOMES:
        return f"{choice} is {OUTCOMES[kind]}"
    if kind == "message":
        to = "the wolves" if "night" in event else "all"
        return f"{event['from']} to {to}: {ascii_words(event['text'].replace(chr(10), ' / ')) or '(silent)'}"
    return f"{event['from']} {TASKS[kind]} {choice}"


def frames_of(record: WerewolfRecord) -> Iterator[dict[str, Any]]:
    """The state after each decision, one frame for each turn, beside one at the start.

    `roster`: names and roles, in the first frame. `dead`: places; `votes`: those of this night or day so far, as pairs
    of places. What a night or a day came to stands in the frame of its last decision: `result`.
    """
    places = {name: place for place, name in enumerate(record.names)}
    roster = [[name, role.value] for name, role in zip(record.names, record.roles, strict=True)]
    frames: list[dict[str, Any]] = [
        {"label": "start", "by": -1, "time": "Start", "dead": [], "votes": [], "roster": roster}
    ]
    dead, votes, before = list[int](), list[list[int]](), ""
    for event in events(record):
        time, kind, choice = time_of(event), event["kind"], event.get("choice")
        if time != before:
            before, votes = time, []
        if kind in OUTCOMES:
            dead = [*dead, places[choice]] if choice and kind != "attacked" else dead
            frames[-1] = {**frames[-1], "dead": dead, "result": _result(frames[-1].get("result", ""), said_of(event))}
            continue
        by = places[event["from"]]
        if choice:
            votes = [*votes, [by, places[choice]]]
        label = "speaks" if kind == "message" else f"{TASKS[kind]} {choice or 'nobody'}"
        frame = {"label": label, "by": by, "time": time, "kind": kind, "dead": dead, "votes": votes}
        frames.append(frame | ({"text": event["text"]} if kind == "message" else {}))
    frames.append({**frames[-1], "label": "end", "by": -1, "time": "End", "kind": "end", "result": ENDS[record.end]})
    yield from frames


def _result(before: str, words: str) -> str:
    return f"{before}; {words}" if before else words


VIEW = WerewolfView()
