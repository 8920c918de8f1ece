"""The state of a person's page: one JSON value, whole at each request, so a reload or a second tab sees the same."""

import time
from typing import Any, Final

import msgspec

from agzamov_verify.experiment.matches import Match, Phase
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.registry import GAMES

from .desk import Desk
from .place import Place
from .shown import Asked, Result, placed_of

PROMPT_CHARACTERS_MAX: Final = 20_000


def state_of(desk: Desk, seat: str) -> dict[str, Any]:
    """The state of a person's page.

    `step`: consent, declined, result, question, waiting or over. `version` grows with each change.
    """
    return desk.places[seat].snapshot(lambda place: _state(desk, place))


def _state(desk: Desk, place: Place) -> dict[str, Any]:
    results = place.results
    state: dict[str, Any] = {
        "version": place.version,
        "seat": place.seat,
        "planned": place.planned,
        "done": len(results),
        "score": _score(place),
        "over": place.over,
        "is_final": place.is_final,
        "has_report": bool(place.report),
    }
    return state | _step(desk, place)


def _step(desk: Desk, place: Place) -> dict[str, Any]:
    """The step that the person is at, with what is shown there."""
    step: dict[str, Any] = {"step": "waiting"}
    if place.has_declined:
        step = {"step": "declined"}
    elif not place.has_accepted:
        step = {"step": "consent", **_consent(desk, place)}
    elif result := place.unread:
        step = {"step": "result", "result": _result(desk, place, result)}
    elif asked := place.question:
        step = {"step": "question", "game": _game(desk, place, asked), "question": _question(asked)}
    elif place.over:
        step = {"step": "over"}
    elif place.last:
        asked, action = place.last
        step["game"] = {**_game(desk, place, asked), "frame": _after(asked, action)}
    return step


def _consent(desk: Desk, place: Place) -> dict[str, Any]:
    seat = desk.seats[place.seat]
    return {"consent": seat.consent, "declared": seat.declared, "sha256": seat.consent_sha256}


def _game(desk: Desk, place: Place, asked: Asked) -> dict[str, Any]:
    """The game under way, numbered in the order in which the person plays."""
    match = desk.match_of(asked.game)
    before = sum(result.kind == match.game for result in place.results)
    return {
        "title": _numbered(desk, place, match.game, before + 1),
        "kind": asked.kind,
        "rules": GAMES[asked.kind].title,
        "place": asked.place,
        "placed": placed_of(match, place.seat, asked.game),
        "places": list(VIEWS[asked.kind].places),
        "opponents": _opponents(desk, match, place.seat),
        "frame": asked.frame,
    }


def _numbered(desk: Desk, place: Place, game: str, number: int) -> str:
    """Which of a person's results in one game: "hand 3 of 20". After the last one there may still be a question."""
    planned = sum(one.planned for one in desk.plan.matches if one.game == game and place.seat in one.seats)
    return f"{GAMES[game].result.one} {min(planned, number):,} of {planned:,}"


def _opponents(desk: Desk, match: Match, seat: str) -> str:
    """Who the opponents are, where the phase does not hide it."""
    if match.phase != Phase.ARENA:
        return ""
    others = [name for name in dict.fromkeys(match.seats) if name != seat]
    return ", ".join(f"{name} ({desk.plan.seats[name].kind_words})" for name in others)


def _question(asked: Asked) -> dict[str, Any]:
    return {
        "id": asked.id,
        "choices": asked.choices.shown if asked.choices else None,
        "prompt": asked.prompt[:PROMPT_CHARACTERS_MAX],
        "can_resign": asked.can_resign,
        "waited_s": round(time.monotonic() - asked.since, 1),
    }


def _after(asked: Asked, action: str) -> dict[str, Any]:
    """The frame of a question after its answer, as far as it is known before the opponent acts."""
    frame = {**asked.frame, "by": asked.place, "to_act": 1 - asked.place, "label": action}
    moves = asked.choices.shown.get("moves", ()) if asked.choices else ()
    for move in moves:
        if move["action"] == (parts := action.partition(" "))[0]:  # an offer of a draw may stand behind it
            label = "".join((move["san"], *parts[1:]))
            return {**frame, "board": move["board"], "from": move["from"], "to": move["stands"], "label": label}
    return frame


def _result(desk: Desk, place: Place, result: Result) -> dict[str, Any]:
    """The end of a game. `number`: counted over all games, by which it is acknowledged."""
    read = place.results[: place.read_count]
    return {
        "number": len(read) + 1,
        "title": _numbered(desk, place, result.kind, 1 + sum(one.kind == result.kind for one in read)),
        "kind": result.kind,
        "words": result.words,
        "won": result.won,
        "frame": result.frame,
        "place": result.place,
        "placed": result.placed,
        "places": list(VIEWS[result.kind].places),
        "noun": GAMES[result.kind].result.one,
    }


def _score(place: Place) -> dict[str, Any]:
    """Results of the game that is shown: points and chips do not add up."""
    shown = place.unread or place.question or next(iter(place.results[-1:]), None)
    results = [one for one in place.results if shown and one.kind == shown.kind]
    return {
        "kind": shown.kind if shown else "",
        "won": sum(one.won > 0 for one in results),
        "level": sum(not one.won for one in results),
        "lost": sum(one.won < 0 for one in results),
        "outcome": sum(one.outcome for one in results),
    }


def encoded(state: dict[str, Any]) -> bytes:
    """A state as JSON."""
    return msgspec.json.encode(state)
