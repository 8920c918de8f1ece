"""An arena's file (YAML): who plays, which games, how many rounds; and the plan of one round.

    title: House arena
    rounds: 4
    roster:                     # players by name, as the `seats` of a plan
      reference: {kind: reference}
      random: {kind: random}
    games:                      # with rules of your own below a game's name, as in a plan
      chess: {}
      werewolf: {seats: 8}      # of games for more than two: how many sit at a table

A round plays each pairing of each game once: an opening with both colours, or a session of hands. Of games for more
than two it has as many tables as it takes for everybody to sit at one, each played in all rotations of its seats.
Rules of the house (seed, "The Game Harness") hold for all: no legal moves are listed, and three more tries follow an
answer without one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from agzamov_verify.core.did_you_mean import did_you_mean
from agzamov_verify.experiment.matches import Match, Phase
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.plan.plan_problems import plays
from agzamov_verify.protocols import PROTOCOLS
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.seats import AnySeat
from agzamov_verify.table.registry import GAMES

from ..foundation.checked_yaml import load_yaml, read_limited
from ..run.plan_file import plan_from
from .roster import require_names

PROTOCOL: Final = "arena-0.1"
ROUNDS_MAX: Final = 10_000
ROSTER_MAX: Final = 128
OWN_KEYS: Final = frozenset({"title", "rounds", "roster", "games"})
PLAN_KEYS: Final = frozenset({"isolation", "engine", "prices", "budget", "seed", "stop_when"})
"""Keys that stand in each round's plan as they are."""
SEATS: Final = "seats"
PAIR: Final = 2
HOUSE_RULES: Final[Mapping[str, Mapping[str, Any]]] = {"chess": {"adjudication": {"policy": "none"}}}
"""Rules that differ from a game's own defaults."""


class Bout(NamedTuple):
    """Players who meet in one game, in the order of their seats."""

    game: str
    seats: tuple[str, ...]


class Arena(NamedTuple):
    """An arena as a person writes it, checked. `whole`: one round of every pairing, as a plan."""

    path: Path
    wished: Mapping[str, Any]
    whole: Plan

    @property
    def title(self) -> str:
        return str(self.wished["title"])

    @property
    def rounds(self) -> int:
        return int(self.wished["rounds"])

    @property
    def tables(self) -> dict[str, int]:
        """Seats at a table of each game for more than two."""
        return {name: seats for name in self.wished["games"] if (seats := _seats(self.wished, name)) > PAIR}

    def players_of(self, game: str) -> list[str]:
        """Those of the roster who play a game."""
        return [name for name, seat in self.whole.seats.items() if plays(seat, game)]

    @property
    def folder(self) -> Path:
        """The folder of the file, in which runs and bundles are kept."""
        return self.path.parent

    def plan_of(self, bouts: Sequence[Bout]) -> Plan:
        """The plan in which these bouts are played once each."""
        named = {name for bout in bouts for name in bout.seats}
        roster = {name: seat for name, seat in self.wished["roster"].items() if name in named}
        prices = {name: price for name, price in self.wished.get("prices", {}).items() if name in named}
        return plan_from(_plan_document({**self.wished, "roster": roster, "prices": prices}, bouts))


def read_arena(path: Path) -> Arena:
    """The arena in a file. Raises ManifestError with the file and the key's path in each line."""
    text = read_limited(path)
    try:
        wished = _required_keys(load_yaml(text, "arena"))
        _require_players(wished)
        return Arena(path, wished, _whole(wished))
    except ManifestError as error:
        raise ManifestError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from error


def _whole(wished: Mapping[str, Any]) -> Plan:
    """The plan of every pairing. Raises ManifestError with the keys of the arena's file."""
    try:
        return plan_from(_plan_document(wished, [*_pairings(wished), *_first_tables(wished)]))
    except ManifestError as error:
        raise ManifestError("\n".join(dict.fromkeys(map(_own_words, str(error).splitlines())))) from error


def round_robin(games: Sequence[str] | Mapping[str, Any], players: Sequence[str]) -> list[Bout]:
    """Each player against each other one once in each game, those of one pairing together (Berger tables).

    Pairings stand in the order of the rounds of a circle, so that after any of its turns nobody has met more than one
    opponent more than anybody else.
    """
    circle: list[str] = [*players, *([""] if len(players) % 2 else [])]
    pairings = []
    for _ in range(len(circle) - 1):
        half = len(circle) // 2
        turn = zip(circle[:half], reversed(circle[half:]), strict=True)
        pairings += [pair for pair in turn if all(pair)]
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return [Bout(game, pair) for pair in pairings for game in games]


def _require_players(wished: Mapping[str, Any]) -> None:
    """A player for each seat, who may sit at several in games of teams alone, and a game for each player.

    Raises ManifestError. A table at which somebody sits twice cannot be rated by chips or by the order of finish.
    """
    able = {game: _able(wished, game) for game in wished["games"]}
    for game, names in able.items():
        least = PAIR if GAMES[game].team_names else _seats(wished, game)
        if len(names) < least:
            found = ", ".join(names) or "none"
            raise ManifestError(f"games.{game}: expected {least} players of the roster who can play it, found {found}")
    for name in wished["roster"]:
        if not any(name in names for names in able.values()):
            raise ManifestError(
                f"roster.{name}: expected a player of {', '.join(able)}, found one who plays none of them"
            )


def _able(wished: Mapping[str, Any], game: str) -> list[str]:
    """Those of the roster who play a game; all of them where the roster is wrong, which the plan's check says."""
    try:
        seats = msgspec.convert(wished["roster"], dict[str, AnySeat])
    except msgspec.ValidationError:
        return list(wished["roster"])
    return [name for name, seat in seats.items() if plays(seat, game)]


def _pairings(wished: Mapping[str, Any]) -> list[Bout]:
    """Every pairing of those who play a game of two, in that game."""
    able = {name: _able(wished, name) for name in wished["games"] if _seats(wished, name) == PAIR}
    bouts = round_robin(list(able), list(wished["roster"]))
    return [bout for bout in bouts if set(bout.seats) <= set(able[bout.game])]


def _first_tables(wished: Mapping[str, Any]) -> Iterator[Bout]:
    """A table of each game for more than two, by which its rules and its seats are checked."""
    for game in wished["games"]:
        if (seats := _seats(wished, game)) > PAIR:
            roster = _able(wished, game) or list(wished["roster"])
            yield Bout(game, tuple(roster[place % len(roster)] for place in range(seats)))


def _seats(wished: Mapping[str, Any], game: str) -> int:
    """The number at a table: as the file says, else as the protocol has it, else as many as can play it."""
    least, most = GAMES[game].players[0], GAMES[game].players[-1]
    usual: int = load_protocol(PROTOCOL).games.get(game, {}).get(SEATS, min(most, max(least, len(_able(wished, game)))))
    return int((wished["games"][game] or {}).get(SEATS, usual))


def _plan_document(wished: Mapping[str, Any], bouts: Sequence[Bout]) -> dict[str, Any]:
    """The plain values of the plan of some bouts."""
    own = {
        name: {key: value for key, value in (rules or {}).items() if key != SEATS}
        for name, rules in wished["games"].items()
    }
    policy = PROTOCOLS[PROTOCOL].illegal.value
    rules = {
        name: {**HOUSE_RULES.get(name, {}), "illegal": policy, **own.get(name, {})}
        for name in PROTOCOLS[PROTOCOL].games
        if name in own or not GAMES[name].sealed_where_played
    }
    return {
        **{key: value for key, value in wished.items() if key in PLAN_KEYS},
        "title": wished["title"],
        "protocol": PROTOCOL,
        "seats": wished["roster"],
        "matches": [_match_document(bout, rules[bout.game]) for bout in bouts],
        **rules,
    }


def _match_document(bout: Bout, rules: Mapping[str, Any]) -> dict[str, Any]:
    """One unit of a game: the results that are taken together."""
    game = GAMES[bout.game]
    try:
        own_rules = msgspec.convert(rules, game.rules)
    except msgspec.ValidationError:
        own_rules = game.rules()  # whoever checks the plan names what is wrong
    unit = game.unit_results(own_rules, len(bout.seats))
    match: Match = game.self_play(bout.seats[0], unit)
    document = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(match, phase=Phase.ARENA)))
    a, b, *others = bout.seats
    placed = {"a": a, "b": b, "others": [{"seat": name} for name in others]}
    sizes = {key: unit for key in document if key.startswith("block_")}
    return {**document, **placed, **sizes}


def _required_keys(wished: object) -> dict[str, Any]:
    """The values of an arena's file by key. Raises ManifestError with the place of the first problem."""
    if not isinstance(wished, dict):
        raise ManifestError("expected keys title, rounds, roster and games")
    for key in wished:
        if key not in OWN_KEYS | PLAN_KEYS:
            if key in PROTOCOLS[PROTOCOL].games:
                raise ManifestError(f"{key}: expected the rules of a game below games")
            near = did_you_mean(str(key), sorted(OWN_KEYS | PLAN_KEYS))
            raise ManifestError(f"{key}: expected one of {', '.join(sorted(OWN_KEYS | PLAN_KEYS))}{near}")
    for key in sorted(OWN_KEYS - wished.keys()):
        raise ManifestError(f"{key}: expected a value, found none")
    _require_sizes(wished)
    require_names(wished["roster"])
    known = PROTOCOLS[PROTOCOL].games
    for name, rules in wished["games"].items():
        if name not in known:
            near = did_you_mean(str(name), known)
            raise ManifestError(f"games.{name}: expected a game of {PROTOCOL} ({', '.join(known)}){near}")
        if rules is not None and not isinstance(rules, dict):
            raise ManifestError(f"games.{name}: expected rules by name, or {{}}")
        seats, sizes = (rules or {}).get(SEATS, GAMES[name].players[0]), GAMES[name].players
        if type(seats) is not int or seats not in sizes:
            least, most = sizes[0], sizes[-1]
            expected = f"{least}" if least == most else f"a whole number from {least} to {most}"
            raise ManifestError(f"games.{name}.{SEATS}: expected {expected}")
    return wished


def _require_sizes(wished: Mapping[str, Any]) -> None:
    """Rounds, players and games in their bounds. Raises ManifestError."""
    if not isinstance(wished["title"], str) or not wished["title"].strip():
        raise ManifestError("title: expected a text of one letter or more")
    if type(wished["rounds"]) is not int or not 1 <= wished["rounds"] <= ROUNDS_MAX:
        raise ManifestError(f"rounds: expected a whole number from 1 to {ROUNDS_MAX:,}")
    for key in ("roster", "games"):
        if not isinstance(wished[key], dict):
            raise ManifestError(f"{key}: expected names with their settings below them")
    if not 2 <= len(wished["roster"]) <= ROSTER_MAX:
        raise ManifestError(f"roster: expected 2 to {ROSTER_MAX} players, found {len(wished['roster'])}")
    if not wished["games"]:
        raise ManifestError("games: expected at least one")


def _own_words(line: str) -> str:
    """An error of a round's plan, with the keys of the arena's file."""
    key = re.split(r"[.:]", line, maxsplit=1)[0]
    if key in PROTOCOLS[PROTOCOL].games:
        return f"games.{line}"
    return "roster" + line.removeprefix("seats") if key == "seats" else line
