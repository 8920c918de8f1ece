"""The positive control of a bundle: every game of it judged, its placebo read again, and the words for a person."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.experiment import Arm, Augmentation, Phase
from agzamov_verify.manifest import AnyMatch, Plan
from agzamov_verify.memory.placebo import PlaceboRule
from agzamov_verify.scores.collecting import Collected
from agzamov_verify.scoring.hypotheses.evidence import GAME_NAMES, Evidence
from agzamov_verify.systems import AnySystem, MemorySystem, OracleSystem

from .fieller import Share
from .placebo import OTHERS_PERCENT_MAX, PERCENT_MAX, PlaceboCareer, placebo_careers
from .verdict import ArmFigure, Check, Delta, GameVerdict, PlayedArm, Role, judged, p_words


class ControlVerdict(msgspec.Struct, frozen=True):
    """`agzamov memory control --json`: the verdict on each game, and the careers of its placebo."""

    games: tuple[GameVerdict, ...]
    placebo: dict[str, tuple[PlaceboCareer, ...]]

    @property
    def holds(self) -> bool:
        """True if everything holds in both games."""
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
    """The matches with a memory's donor notes alone: a full stack's are no control of memory."""
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
        else:
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


def _placebo_checks(careers: Sequence[PlaceboCareer]) -> Iterator[Check]:
    if not careers:
        return
    lengths = [career.length_percent for career in careers]
    notes, entries = (sum(getattr(career, name) for career in careers) for name in ("notes", "entries"))
    yield Check(
        f"as many placebo notes as entries, as long within {PERCENT_MAX} % in each career",
        f"{notes:,} for {entries:,}, {min(lengths):.1f} to {max(lengths):.1f} % as long",
        all(career.is_balanced for career in careers),
    )
    again, others = (sum(getattr(career, name) for career in careers) for name in ("asked_again", "others"))
    if again:
        yield Check(
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
        failed.append(f"both games, found {len(verdict.games)}")
    why = f" ({', '.join(failed)})" if failed else ""
    return f"positive control {'HOLDS' if verdict.holds else 'FAILS'}{why}: {figures or 'no memory was played'}"


def _name(game: GameVerdict) -> str:
    return GAME_NAMES.get(game.game, game.game)


def _delta(delta: Delta) -> str:
    if delta.low is None or delta.high is None:
        return f"{delta.value:+.3f} no interval"
    return f"{delta.value:+.3f} [{delta.low:+.3f}, {delta.high:+.3f}]"


def _share(arm: ArmFigure) -> str:
    share: Share | None = arm.share
    if share is None:
        return ""
    interval = "no bounds" if share.low is None else f"[{share.low:.2f}, {share.high:.2f}]"
    return f"share of the oracle {share.value:.2f} {interval}"
