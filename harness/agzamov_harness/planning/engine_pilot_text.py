"""What `agzamov pilot` prints: the scores at each strength, the half with its interval, and the lines of a plan."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agzamov_verify.core.columns import LABEL_WIDTH, ascii_words, paragraph, table
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.seats.stockfish_seat import SKILL_MAX
from agzamov_verify.show.views import game_words

from .engine_pilot import AtStrength, EnginePilot
from .engine_strength import Setting, at_strength
from .half_score import HalfScore

NAMED_MAX = 3


class PilotBundle(NamedTuple):
    """A bundle that passed its check: its run, the key that signed it, and the steps that could not be checked."""

    run: str
    submitter: str
    not_checked: tuple[str, ...]


def pilot_lines(pilot: EnginePilot, bundles: Sequence[PilotBundle]) -> Iterator[str]:
    """All lines but an error, which is printed apart."""
    first, games = pilot.matches[0], sum(one.games for one in pilot.strengths)
    setting, people = pilot.setting, len(pilot.people)
    fixed = [one.words(value) for one, value in first.engine.limits.items() if one is not setting]
    engine = ", ".join([first.engine.name, *fixed, f"by {_by(setting)}"])
    yield from paragraph("Engine", f"{engine}; {game_words(first.game)}")
    checked = f"{len(bundles)} bundle{'' if len(bundles) == 1 else 's'}, verified here"
    yield from paragraph("Played", f"{games} games of {people} {'person' if people == 1 else 'people'}, in {checked}")
    yield ""
    yield from table(
        (setting.value, "engine's score", "95 % over people", "games", "people", "curve"),
        (_row(one, pilot) for one in pilot.strengths),
    )
    yield ""
    for warning in pilot_cautions(pilot, bundles):
        yield from paragraph("WARNING", warning)
    if pilot.half:
        yield from _half_lines(pilot, pilot.half)


def _row(one: AtStrength, pilot: EnginePilot) -> tuple[str, ...]:
    curve = f"{pilot.half.curve.score(pilot.setting.log_strength(one.value))[0]:.2f}" if pilot.half else "-"
    return f"{one.value:,}", f"{one.mean:.2f}", _interval(one.score), str(one.games), str(one.people), curve


def _interval(score: Estimate) -> str:
    return f"{float(score.ci.low):.2f} to {float(score.ci.high):.2f}" if score.ci else "none"


def _half_lines(pilot: EnginePilot, half: HalfScore) -> Iterator[str]:
    setting, chosen = pilot.setting, chosen_value(pilot.setting, half)
    low, high = (setting.words(setting.setting_at(end)) for end in (half.low, half.high))
    score, least, most = half.curve.score(setting.log_strength(chosen))
    yield from paragraph(
        "Half",
        f"{setting.words(chosen)}: there the engine is expected to score one half. 95 % interval {low} to {high}"
        f" (Fieller's, over {len(pilot.people)} people).",
    )
    yield from paragraph(
        "Score", f"{score:.2f} expected against people like these, 95 % interval {least:.2f} to {most:.2f}."
    )
    ends = setting.setting_at(half.low), setting.setting_at(half.high)
    if ends[0] < pilot.strengths[0].value or ends[1] > pilot.strengths[-1].value:
        yield from paragraph("", "The interval reaches beyond the strengths that were played: there it is the curve's.")
    for index, line in enumerate(plan_lines(pilot, chosen)):  # to be copied, so never broken
        yield f"{'' if index else 'Plan':<{LABEL_WIDTH}}{ascii_words(line)}"


def chosen_value(setting: Setting, half: HalfScore) -> int:
    """The setting at the half, as a plan may have it."""
    most = SKILL_MAX if setting is Setting.SKILL else None
    value = max(round(setting.setting_at(half.x)), 0 if setting is Setting.SKILL else 1)
    return value if most is None else min(value, most)


def plan_lines(pilot: EnginePilot, value: int) -> list[str]:
    """The lines of the plan of a study: the seat of 4a, and the tool of 4b and 4c where it can be as strong."""
    seat = pilot.matches[0].seat
    lines = [f"machine: {at_strength(seat, pilot.setting, value)}   # seats"]
    fixed = pilot.matches[0].engine
    is_tool = fixed.identity == ("stockfish",) and pilot.setting is Setting.NODES
    if is_tool and fixed.limits[Setting.SKILL] == SKILL_MAX:
        return [*lines, f"engine: {{kind: tools, nodes: {value}}}   # systems"]
    note = "# the tool of 4b and 4c has no such limit: the first delta is then of two engines as well"
    return [*lines, note]


def pilot_cautions(pilot: EnginePilot, bundles: Sequence[PilotBundle]) -> Iterator[str]:
    """What a reader of the number must know."""
    if names := pilot.stand_ins:
        more = f" and {len(names) - NAMED_MAX} more" if len(names) > NAMED_MAX else ""
        listed = ascii_words(", ".join(names[:NAMED_MAX])) + more
        yield f"scripted players sat in the place of people ({listed}): this is a rehearsal, and no pilot"
    if pilot.has_unlike_people:
        yield (
            "not everybody met every strength, so how unlike people are is mixed with the engine's strength and the"
            " curve may be too flat; let each play all"
        )
    for bundle in bundles:
        if bundle.not_checked:
            yield f"run {bundle.run[:8]}: not checked here: {', '.join(bundle.not_checked)}"


def pilot_plain(pilot: EnginePilot, bundles: Sequence[PilotBundle]) -> dict[str, object]:
    """The same as plain values; numbers that are not whole are text."""
    first, setting, half = pilot.matches[0], pilot.setting, pilot.half
    return {
        "bundles": [
            {"run": one.run, "submitter": one.submitter, "not_checked": list(one.not_checked)} for one in bundles
        ],
        "engine": first.engine.name,
        "game": first.game,
        "setting": setting.value,
        "people": list(pilot.people),
        "stand_ins": list(pilot.stand_ins),
        "strengths": [
            {
                "value": one.value,
                "games": one.games,
                "people": one.people,
                "score": f"{one.mean:.6f}",
                "ci": [str(one.score.ci.low), str(one.score.ci.high)] if one.score.ci else None,
            }
            for one in pilot.strengths
        ],
        "half": None if half is None else _half_plain(pilot, half),
        "why_none": pilot.why_none.value if pilot.why_none else "",
        "warnings": list(pilot_cautions(pilot, bundles)),
    }


def _half_plain(pilot: EnginePilot, half: HalfScore) -> dict[str, object]:
    setting, chosen = pilot.setting, chosen_value(pilot.setting, half)
    score, least, most = half.curve.score(setting.log_strength(chosen))
    return {
        "value": chosen,
        "ci": [f"{setting.setting_at(end):.6g}" for end in (half.low, half.high)],
        "score": f"{score:.6f}",
        "score_ci": [f"{least:.6f}", f"{most:.6f}"],
        "plan": plan_lines(pilot, chosen),
    }


def _by(setting: Setting) -> str:
    return {Setting.NODES: "nodes a move", Setting.DEPTH: "plies", Setting.ELO: "its Elo", Setting.SKILL: "its skill"}[
        setting
    ]
