"""The positive control of a bundle: every game judged, its placebo read again, and the words for a person.

The placebo of a played match is checked: are its notes as many and as long as the entries, and does anybody
act on them?
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import Opened, open_bundle
from agzamov_verify.checks.replay_stream import exchanges_of
from agzamov_verify.core.questions import Chat, Hits, Reply, Search
from agzamov_verify.experiment.matches import MEASURED, Arm, Augmentation, Match, Phase
from agzamov_verify.memory.career_memory import within
from agzamov_verify.memory.placebo import PlaceboRule
from agzamov_verify.plan.manifest import AnyMatch, Plan
from agzamov_verify.plan.streams import donor_of, streams_of
from agzamov_verify.scores.collected_bundles import Collected
from agzamov_verify.scoring.hypotheses.evidence import GAME_NAMES, Evidence
from agzamov_verify.show.xray import seats_with_memory
from agzamov_verify.systems import AnySystem, MemorySystem, OracleSystem
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.prompt_lines import forgotten, read_page
from agzamov_verify.table.registry import GAMES

from .control_verdict import (
    ArmFigure,
    CareerDelta,
    ControlCheck,
    GameVerdict,
    MeanRatio,
    PlayedArm,
    Role,
    judged,
    p_words,
)

PERCENT_MAX = 2
"""Greatest difference between the told notes of a career and the entries in whose place they stand."""
OTHERS_PERCENT_MAX = 15
"""So many decisions may be others without the notes: about twice as many as ten notes of a stranger change."""


class PlaceboCareer(msgspec.Struct, frozen=True):
    """Sums over the decisions of a career: number and bytes of notes shown and entries found; decisions asked again."""

    stream: str
    notes: int = 0
    entries: int = 0
    notes_bytes: int = 0
    entries_bytes: int = 0
    asked_again: int = 0
    others: int = 0

    def plus(self, **more: int) -> "PlaceboCareer":
        sums = {name: getattr(self, name) + value for name, value in more.items()}
        return msgspec.structs.replace(self, **sums)

    @property
    def is_balanced(self) -> bool:
        """True if as many notes as entries were shown, as long within PERCENT_MAX."""
        away = abs(self.notes_bytes - self.entries_bytes)
        return self.notes == self.entries and 100 * away <= PERCENT_MAX * self.entries_bytes

    @property
    def length_percent(self) -> float:
        """Bytes of the notes, of those of the entries."""
        return 100 * self.notes_bytes / self.entries_bytes if self.entries_bytes else 100


def placebo_careers(opened: Opened, match: Match) -> Iterator[PlaceboCareer]:
    """Every career of a placebo match."""
    for stream in streams_of(match):
        yield _career(opened, stream)


def _career(opened: Opened, stream: StreamPlan) -> PlaceboCareer:
    plan, game = opened.manifest.plan, GAMES[stream.match.game]
    of = next(one for one in seats_with_memory(plan, stream.match) if one.seat_index == MEASURED)
    seat, donor = of.seat, donor_of(stream, MEASURED, plan, opened.dice)
    contests = stream.count // game.contest_results(plan.rules_of(game.name), len(stream.match.table))
    career = PlaceboCareer(stream.id)
    for search, hits, question, reply in _decisions(opened, stream):
        told = _profile(question).removeprefix(seat.briefing).lstrip("\n")
        told = "" if told == of.nothing_told else told
        replaced = within([hit.content for hit in hits.hits], of.system.limits)
        career = career.plus(
            notes=len(donor.notes_in(told)),
            entries=len(replaced),
            notes_bytes=len(told.encode()),
            entries_bytes=len("\n".join(replaced).encode()),
        )
        if told and search.number == contests and not seat.is_model:
            again = seat.reply_text(forgotten(question.messages, of.unlearned), question.seed)
            career = career.plus(asked_again=1, others=_last_line(again) != _last_line(reply.text))
    return career


def _decisions(opened: Opened, stream: StreamPlan) -> Iterator[tuple[Search, Hits, Chat, Reply]]:
    """Search, hits, first question and reply of each decision of seat A."""
    searched: tuple[Search, Hits] | None = None
    for question, answer in exchanges_of(opened, stream):
        match question, answer:
            case Search(), Hits():
                searched = question, answer
            case Chat(attempt=0), Reply() if searched and question.to == stream.match.measured:
                if question.turn == searched[0].turn:
                    yield *searched, question, answer
                searched = None


def _profile(question: Chat) -> str:
    return read_page(question.messages).profile


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


class ControlVerdict(msgspec.Struct, frozen=True):
    """`agzamov memory control --json`: the verdict on each game, and the careers of its placebo."""

    games: tuple[GameVerdict, ...]
    placebo: dict[str, tuple[PlaceboCareer, ...]]

    @property
    def holds(self) -> bool:
        """True if everything holds, in two games or more: an effect that one game alone has may be the game's."""
        return len(self.games) > 1 and all(verdict.holds for verdict in self.games)


def control_verdict(bundle: Path, collected: Collected) -> ControlVerdict:
    """The verdict on a bundle that was verified."""
    opened = open_bundle(bundle, CheckLog())
    plan, evidence = opened.manifest.plan, collected.evidence
    placebo = {match.game: tuple(placebo_careers(opened, match)) for match in placebo_matches(plan)}
    games = [game_verdict(evidence, game, plan.systems) for game in evidence.games if evidence.deltas(game)]
    return ControlVerdict(
        tuple(with_placebo(verdict, placebo.get(verdict.game, ())) for verdict in games),
        placebo,
    )


def placebo_matches(plan: Plan) -> list[AnyMatch]:
    """The matches with a memory's donor alone: a full stack's are no control of memory."""
    placebos = (match for match in plan.matches if match.condition.arm is Arm.PLACEBO)
    return [match for match in placebos if _has_donor(plan.systems.get(match.condition.system))]


def _has_donor(system: AnySystem | None) -> bool:
    return isinstance(system, MemorySystem) and system.placebo is PlaceboRule.DONOR


def game_verdict(evidence: Evidence, game: str, systems: Mapping[str, AnySystem]) -> GameVerdict:
    """The verdict on the career means of one game; arms in the order in which the plan's matches name them."""
    phase_cells = {
        (cell.key.arm, cell.key.system): cell
        for cell in evidence.cells.values()
        if (cell.key.game, cell.key.phase, cell.key.augmentation) == (game, Phase.ASYMMETRIC, Augmentation.MEMORY)
    }
    naked = phase_cells.pop((Arm.NAKED, "")).measured()
    played = []
    for (arm, name), cell in phase_cells.items():
        if arm is Arm.PLACEBO:
            played.append(PlayedArm(f"placebo of {name}", Role.PLACEBO, cell.measured()))
        elif arm is Arm.REAL:
            played.append(PlayedArm(name, role_of(systems[name]), cell.measured()))
    return judged(game, naked, played)


def role_of(system: AnySystem) -> Role:
    """Role of a system in its real arm."""
    if isinstance(system, OracleSystem):
        return Role.ORACLE
    return Role.NOISY if isinstance(system, MemorySystem) and system.noise_percent else Role.MEMORY


def with_placebo(verdict: GameVerdict, careers: Sequence[PlaceboCareer]) -> GameVerdict:
    """The verdict with the check of the placebo's notes."""
    return msgspec.structs.replace(verdict, checks=(*verdict.checks, *_placebo_checks(careers)))


def _placebo_checks(careers: Sequence[PlaceboCareer]) -> Iterator[ControlCheck]:
    if not careers:
        return
    lengths = [career.length_percent for career in careers]
    notes, entries = (sum(getattr(career, name) for career in careers) for name in ("notes", "entries"))
    yield ControlCheck(
        f"as many placebo notes as entries, as long within {PERCENT_MAX} % in each career",
        f"{notes:,} for {entries:,}, {min(lengths):.1f} to {max(lengths):.1f} % as long",
        all(career.is_balanced for career in careers),
    )
    again, others = (sum(getattr(career, name) for career in careers) for name in ("asked_again", "others"))
    if again:
        yield ControlCheck(
            f"at most {OTHERS_PERCENT_MAX} % of decisions are others without the placebo's notes",
            f"{others:,} of {again:,}",
            100 * others <= OTHERS_PERCENT_MAX * again,
        )


def verdict_document(verdict: ControlVerdict) -> object:
    """The verdict for a program: numbers that are not whole are texts, as in every document here."""
    return _without_floats(msgspec.to_builtins(verdict))


def _without_floats(value: object) -> object:
    match value:
        case float():
            return f"{value:.6g}"
        case dict():
            return {key: _without_floats(item) for key, item in value.items()}
        case list() | tuple():
            return [_without_floats(item) for item in value]
        case _:
            return value


# --- words ---------------------------------------------------------------------------------------


def verdict_lines(verdict: ControlVerdict) -> Iterator[str]:
    """Every arm and every check; the last line is the verdict."""
    for game in verdict.games:
        yield f"{_name(game)}: delta against the naked arm in {game.unit}, {game.careers} careers an arm"
        for arm in game.arms:
            yield f"  {arm.name:<22}{_delta(arm.delta):<34}{p_words(arm.p):<14}{_share(arm)}".rstrip()
        for check in game.checks:
            yield f"  {'ok' if check.holds else 'FAILED':<8}{check.expected}: {check.found}"
        yield ""
    yield _last(verdict)


def _last(verdict: ControlVerdict) -> str:
    figures = "; ".join(
        f"{_name(game)} delta {_delta(game.memory.delta)}, {p_words(game.memory.p)}"
        for game in verdict.games
        if game.memory
    )
    failed = [f"{_name(game)}: {check.expected}" for game in verdict.games for check in game.checks if not check.holds]
    if len(verdict.games) < 2:
        failed.append(f"two games or more, found {len(verdict.games)}")
    why = f" ({', '.join(failed)})" if failed else ""
    return f"positive control {'HOLDS' if verdict.holds else 'FAILS'}{why}: {figures or 'no memory was played'}"


def _name(game: GameVerdict) -> str:
    return GAME_NAMES.get(game.game, game.game)


def _delta(delta: CareerDelta) -> str:
    if delta.low is None or delta.high is None:
        return f"{delta.value:+.3f} no interval"
    return f"{delta.value:+.3f} [{delta.low:+.3f}, {delta.high:+.3f}]"


def _share(arm: ArmFigure) -> str:
    share: MeanRatio | None = arm.share
    if share is None:
        return ""
    interval = "no bounds" if share.low is None else f"[{share.low:.2f}, {share.high:.2f}]"
    return f"share of the oracle {share.value:.2f} {interval}"
