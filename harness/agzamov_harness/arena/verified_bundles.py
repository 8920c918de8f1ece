"""The results of an arena's bundles: each bundle is verified here, and taken or left out with a reason.

Whoever made a bundle, it counts if it verifies to level V1, is of arena-0.1 without departures, and was played by the
rules of this arena. Of its matches those count in which every model has the limits of this arena.

A player is a name with its settings and weights: under one name with other settings it is another player, and called
"name (2)". The plain name is that of the arena's roster; without a roster, of whoever is in most bundles. Of one sealed
run with two different records none counts: one of them was played again.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from agzamov_verify.bundle import PAYLOAD_FILE
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_signed
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Manifest, Plan, Price
from agzamov_verify.scoring.departures import departures
from agzamov_verify.scoring.scorings import SCORINGS
from agzamov_verify.scoring.seat_stats import SeatStats
from agzamov_verify.seats.seat import Seat
from agzamov_verify.show.text.verdict_report import finding_line
from agzamov_verify.table.game import records_of
from agzamov_verify.table.registry import GAMES

from ..pipeline.measured import measured_sha256
from .arena_file import PROTOCOL
from .house_limits import HouseLimits, limits_of, unlike, unlike_words, usual_limits

LEVEL: Final = "V1"
NOT_PLAY: Final = frozenset({"game", "tallies", "retried", "read_backs"})
"""Fields of a record that two games with the same moves need not share."""


class LeftOut(msgspec.Struct, frozen=True):
    """A bundle that does not count, and why."""

    bundle: str
    reason: str


class Counted(msgspec.Struct, frozen=True):
    """A bundle that counts: its run, the digest of its payload manifest, and the key that signed it."""

    run: str
    sha256: str
    submitter: str


class GamePlayed(NamedTuple):
    """One result, by the order in which players act: who won what, and what it shares with others.

    `name`: that of the game in its run. `unit`: its statistical unit, as run, match and number. `won`: 1, 0 or -1 of
    each player. `outcomes`: in the game's smallest unit. `moves_sha256`: equal where the same was played.
    `is_forfeit`: a player had no legal answer left. `teams` and `roles` of each player; no roles in a game without.
    `is_finish`: outcomes are the order in which the players finished, and no more. `luck`: what the cards gave each
    player, with mean 0; empty in a game without control variates. `read_backs`: players who wrote down a board from its
    image, the squares that were right, and whether the reply was cut.
    """

    run: str
    name: str
    unit: tuple[str, str, int]
    players: tuple[str, ...]
    won: tuple[int, ...]
    outcomes: tuple[int, ...]
    moves_sha256: str
    is_forfeit: bool
    teams: tuple[int, ...]
    roles: tuple[str, ...]
    is_finish: bool = False
    luck: tuple[float, ...] = ()
    read_backs: tuple[tuple[str, int, bool], ...] = ()

    @property
    def points(self) -> tuple[float, ...]:
        """Of each player: 1, a half or 0; of an order of finish the share of the others who finished lower.

        Who tied counts half.
        """
        if not self.is_finish:
            return tuple((won + 1) / 2 for won in self.won)
        others = len(self.players) - 1
        return tuple(
            (sum((own > other) + (own == other) / 2 for other in self.outcomes) - 1 / 2) / others
            for own in self.outcomes
        )


class Spent(msgspec.Struct):
    """What a player's seats cost in one game: results, forfeits, decisions, tokens and US dollars.

    `has_no_price`: it is a model, and some plan does not say what it costs, or its server did not count all tokens.
    """

    results: int = 0
    forfeits: int = 0
    decisions: int = 0
    faults: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    has_no_price: bool = False


class Collected(NamedTuple):
    """All that counts, in an order that follows from the bundles alone.

    `players`: what each player is, by name. `spent`: by game and player. `limits`: those of all models, in words.
    `sights`: of players who are shown images, the same one with text. `plans`: of the bundles that count.
    """

    counted: tuple[Counted, ...]
    left_out: tuple[LeftOut, ...]
    players: Mapping[str, str]
    results: Mapping[str, Sequence[GamePlayed]]
    spent: Mapping[tuple[str, str], Spent]
    limits: str = ""
    sights: Mapping[str, str] = {}
    plans: tuple[Plan, ...] = ()


class Verified(NamedTuple):
    """Bundles that may count, in the order of their runs, and those that do not."""

    taken: Sequence[tuple[Path, Verdict]]
    left_out: Sequence[LeftOut]


def verified(bundles: Iterable[Path], options: Options) -> Verified:
    """Verify each bundle; a second copy of one is left out, and a run with two different records altogether."""
    left_out = []
    records: dict[str, dict[str, list[tuple[Path, Verdict]]]] = {}
    for path in sorted(bundles, key=lambda path: path.name):
        if not path.is_dir():
            left_out.append(
                LeftOut(printable(path.name), "not a folder; unpack it here (tar -xf), and it is looked at")
            )
            continue
        verdict = verify(path, options)
        if reason := _why_not(verdict):
            left_out.append(LeftOut(printable(path.name), reason))
            continue
        records.setdefault(verdict.run, {}).setdefault(_payload_sha256(path), []).append((path, verdict))
    taken = []
    for _, copies in sorted(records.items()):
        if len(copies) > 1 and _are_measured_otherwise(copies.values()):
            reason = f"{len(copies)} different records of one sealed run: at least one was played again, or changed"
            left_out += [LeftOut(printable(path.name), reason) for alike in copies.values() for path, _ in alike]
            continue
        (first, *again) = [one for alike in copies.values() for one in alike]
        taken.append(first)
        left_out += [LeftOut(printable(path.name), "found twice") for path, _ in again]
    return Verified(taken, left_out)


def _are_measured_otherwise(copies: Iterable[Sequence[tuple[Path, Verdict]]]) -> bool:
    """Whether bundles of one run hold different records. One that was packed again holds the same."""
    firsts = (path for (path, _), *_ in copies)
    return len({measured_sha256(open_signed(path, CheckLog())) for path in firsts}) > 1


def counted(found: Verified, arena: Plan | None = None) -> Collected:
    """The results of bundles. `arena`: its rules, limits and roster; without it, those of most bundles."""
    verdicts = [(path, verdict, _manifest(verdict)) for path, verdict in found.taken]
    plans = [manifest.plan for _, _, manifest in verdicts]
    wanted = rules_spelled(arena) if arena else _usual_rules(plans)
    house = (usual_limits([arena]) if arena else None) or usual_limits(plans)
    names = _Names((manifest for _, _, manifest in verdicts), arena, house)
    left_out, of_bundles, counting = list(found.left_out), [], list[Plan]()
    sights: dict[str, str] = {}
    results: dict[str, list[GamePlayed]] = {}
    spent: dict[tuple[str, str], Spent] = {}
    for path, verdict, manifest in verdicts:
        matches = [match for match in manifest.plan.matches if match.id in verdict.blocks]
        kept, reasons = _comparable(manifest.plan, matches, wanted, house)
        left_out += [LeftOut(printable(path.name), reason) for reason in reasons]
        if not kept:
            continue
        of_bundles.append(Counted(verdict.run, _payload_sha256(path), verdict.submitter))
        counting.append(msgspec.structs.replace(manifest.plan, matches=tuple(kept)))
        for match in kept:
            seats = names.of(manifest, match)
            results.setdefault(match.game, []).extend(_results(verdict, match, seats))
            _spend(spent, verdict, match, seats)
        sights |= sights_of(manifest, lambda seat, sealed=manifest: names.name(sealed, seat))  # type: ignore[misc]
    played = {name for _, name in spent}
    described = {name: words for name, words in names.described.items() if name in played}
    limits = house.words if house else ""
    found_of = tuple(of_bundles), tuple(left_out), described, results, spent, limits, sights
    return Collected(*found_of, tuple(counting))


def _comparable(
    plan: Plan, matches: Sequence[Match], wanted: Mapping[str, bytes], house: HouseLimits | None
) -> tuple[list[Match], list[str]]:
    """The matches of a bundle that count in this arena, and why the others do not."""
    rules = rules_spelled(plan)
    strange = [name for name in plan.games if rules[name] != wanted.get(name)]
    reasons = [f"its {name}: other rules than this arena's" for name in strange]
    if strange and len(strange) == len(plan.games):
        reasons = [f"other rules of {', '.join(strange)} than this arena's"]
    by_rules = [match for match in matches if match.game not in strange]
    kept = [match for match in by_rules if not unlike(plan, match, house)]
    if house and len(kept) < len(by_rules):
        names = [name for match in by_rules for name in unlike(plan, match, house)]
        which = "games of models" if kept else "models"
        reasons.append(f"{which} under other limits than this arena's: {unlike_words(plan, names, house)}")
    return kept, reasons


def _manifest(verdict: Verdict) -> Manifest:
    assert verdict.manifest
    return verdict.manifest


def rules_spelled(plan: Plan) -> dict[str, bytes]:
    """The rules of each game of a plan, as they are compared."""
    return {name: msgspec.json.encode(plan.rules_of(name)) for name in plan.games}


def _payload_sha256(bundle: Path) -> str:
    return hashlib.sha256((bundle / PAYLOAD_FILE).read_bytes()).hexdigest()


def _why_not(verdict: Verdict) -> str:
    """The reason why a bundle does not count; empty where it does."""
    if verdict.failed or not verdict.manifest:
        found = next(iter(verdict.findings), None)
        return f"does not verify: {finding_line(found)}" if found else "does not verify"
    if verdict.level != LEVEL:
        unchecked = next((step for step in verdict.steps if step.status.value == "not_checked"), None)
        return f"could not be checked in full here: {unchecked.remark if unchecked else verdict.level}"
    if verdict.manifest.plan.protocol != PROTOCOL:
        return f"is of {verdict.manifest.plan.protocol}, not of {PROTOCOL}"
    return next((f"departs from {PROTOCOL}: {line}" for line in departures(verdict.manifest.plan)), "")


class _Names:
    """The names of players: that of their seat, with a number where another player has it.

    Numbers follow from who is of the roster, then from how many bundles somebody is in, then from the settings: never
    from the name of a run, which whoever seals it can choose.
    """

    def __init__(self, manifests: Iterable[Manifest], arena: Plan | None, house: HouseLimits | None) -> None:
        self._roster = arena.seats if arena else None
        self.described: dict[str, str] = {}
        met: dict[str, dict[bytes, int]] = {}
        for manifest in manifests:
            for name, seat in manifest.plan.seats.items():
                if limits_of(seat) not in (None, house):
                    continue  # it does not count, and takes no name from a player who does
                of_seat = met.setdefault(name, {})
                identity = self._identity(manifest, name)
                of_seat[identity] = of_seat.get(identity, 0) + 1
        self._known = {seat: self._in_order(seat, of_seat) for seat, of_seat in met.items()}

    def of(self, manifest: Manifest, match: Match) -> tuple[str, ...]:
        """The players of a match, in the order of its seats."""
        return tuple(self.name(manifest, seat) for seat in match.seats)

    def _in_order(self, seat: str, bundles: Mapping[bytes, int]) -> list[bytes]:
        """The players of a seat's name, the roster's first; an empty place first where the roster's was not met."""
        alike = sorted(bundles, key=lambda one: (not self._is_of_roster(seat, one), -bundles[one], one))
        has_plain_name = self._roster is None or seat not in self._roster or self._is_of_roster(seat, alike[0])
        return alike if has_plain_name else [b"", *alike]

    def _is_of_roster(self, seat: str, identity: bytes) -> bool:
        own = self._roster.get(seat) if self._roster else None
        return own is not None and identity.startswith(_manner(own))

    def _identity(self, manifest: Manifest, seat: str) -> bytes:
        """A player: its settings as the roster has them, what sealing filled in, and the digest of sealed weights."""
        played, pin = manifest.plan.seats[seat], manifest.models.get(seat)
        wished = played.as_wished(self._roster.get(seat) if self._roster else None)
        filled_in = b"" if wished is played else _manner(played)
        return _manner(wished) + filled_in + (pin.sha256 if pin else "").encode()

    def name(self, manifest: Manifest, seat: str) -> str:
        """The player of a seat of a run."""
        identity = self._identity(manifest, seat)
        number = self._known[seat].index(identity) + 1
        name = seat if number == 1 else f"{seat} ({number})"
        is_stranger = self._roster is not None and not self._is_of_roster(seat, identity)
        words = manifest.plan.seats[seat].kind_words
        self.described[name] = f"{words}, not of this roster" if is_stranger else words
        return name


def sights_of(manifest: Manifest, name: Callable[[str], str]) -> dict[str, str]:
    """The players of a run who are shown images, each with the one of like settings that reads text."""
    seats = manifest.plan.playing
    return {
        name(one): name(other)
        for one, seat in seats.items()
        for other, twin in seats.items()
        if seat.manner != twin.manner and _without_images(seat) == twin.manner
    }


def _without_images(seat: Seat) -> tuple[object, ...]:
    """The manner of a seat that is shown images as it would be with text."""
    kind, *settings = seat.manner
    return (kind, *(one for one in settings if one[0] != "image_input"))  # type: ignore[index] # pairs


def _manner(seat: Seat) -> bytes:
    return msgspec.json.encode(seat.manner) + b" "


def _usual_rules(plans: Iterable[Plan]) -> dict[str, bytes]:
    """By game the rules of most bundles; of equally many, the first by their text."""
    found: dict[str, dict[bytes, int]] = {}
    for plan in plans:
        for name, spelled in rules_spelled(plan).items():
            of_game = found.setdefault(name, {})
            of_game[spelled] = of_game.get(spelled, 0) + 1
    return {name: min(of_game, key=lambda rules: (-of_game[rules], rules)) for name, of_game in found.items()}


def _results(verdict: Verdict, match: Match, seats: Sequence[str]) -> Iterator[GamePlayed]:
    """The results of a match, in the order of play."""
    assert verdict.manifest
    game, rules = GAMES[match.game], verdict.manifest.plan.rules_of(match.game)
    size = game.unit_results(rules, len(seats))
    for number, record in enumerate(records_of(verdict.blocks[match.id])):
        order = game.order(record, number)
        yield GamePlayed(
            verdict.run,
            game.id_of(match, number),
            (verdict.run, match.id, number // size),
            tuple(seats[index] for index in order),
            tuple(game.won(record, number, index) for index in order),
            tuple(record.outcomes),
            _digest(record),
            any(tally.forfeited for tally in getattr(record, "tallies", ())),
            game.teams(record),
            tuple(map(str, getattr(record, "roles", ()))),
            game.has_finishing_order(rules),
            tuple(map(float, SCORINGS[match.game].luck(record, rules))),
            tuple(
                (seats[order[one.place]], one.squares_right, one.is_cut) for one in getattr(record, "read_backs", ())
            ),
        )


def _digest(record: Any) -> str:
    """SHA-256 of what was played: the record without its name and its counts."""
    plain = msgspec.to_builtins(record)
    kept = {name: value for name, value in plain.items() if name not in NOT_PLAY}
    return hashlib.sha256(msgspec.json.encode(kept, order="deterministic")).hexdigest()


def is_cost_unknown(price: Price | None, stats: SeatStats) -> bool:
    """Whether a model's cost cannot be told: it has no price, or it has one and some of its tokens were not counted."""
    if price is None:
        return True
    is_free = not any(float(usd) for usd in (price.input_usd, price.cached_usd, price.output_usd))
    return not is_free and stats.signals.replies_without_tokens > 0


def _spend(spent: dict[tuple[str, str], Spent], verdict: Verdict, match: Match, seats: Sequence[str]) -> None:
    """Add what a match cost its players: its first row of results has the statistics of all seats."""
    assert verdict.results
    assert verdict.manifest
    plan = verdict.manifest.plan
    row = next(row for row in verdict.results.matches if row.match == match.id)
    results = len(records_of(verdict.blocks[match.id]))
    for name, seat, stats in zip(seats, match.seats, row.seat_stats, strict=True):
        one = spent.setdefault((match.game, name), Spent())
        one.results += results
        one.forfeits += stats.forfeited
        one.decisions += stats.decisions
        one.faults += stats.decisions - stats.first_exact - stats.first_normalised
        one.tokens += stats.prompt_tokens + stats.completion_tokens
        one.cost_usd += float(stats.cost_usd.decimal)
        one.has_no_price |= plan.seats[seat].is_model and is_cost_unknown(plan.prices.get(seat), stats)
