"""The badge of a verified bundle: one line and one colour for the whole, never for more than the whole allows.

fails       something is wrong                                   red
incomplete  what could be checked holds; it says what is missing  grey
doubtful    the record is consistent, with warnings              amber
empty       the record is consistent; no game has a result, or Phase 0 failed  grey
holds       the record is consistent, without a warning, and has a result   green
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from ...checks.check_log import Status, Step
from ...checks.seat_replies import Recomputed
from ...checks.steps import Verdict
from ...core.columns import ascii_words
from ..study_words import has_deltas
from .answer_words import is_of_an_arena
from .answers import Answer, Shown

PROVES: Final = "The signature proves that the holder of this key packed this record and that nobody has changed it"
INVENTED: Final = "not that the model really gave these replies (only a repetition by somebody else can)"
UNKNOWN_PERSON: Final = "not who sat there and gave these answers (nobody can ask a person again)"
ONLY_RUN: Final = "not that this was the only run"
OTHER_RUNS: Final = "not how other registered runs of its study ended ({others}): the log has digests or reasons alone"


class Kind(StrEnum):
    """What a badge stands for; each has a colour of its own."""

    FAILS = "fails"
    INCOMPLETE = "incomplete"
    DOUBTFUL = "doubtful"
    EMPTY = "empty"
    HOLDS = "holds"


class Badge(NamedTuple):
    """`words`: at most a line, with the level where one was reached."""

    kind: Kind
    words: str


def badge_of(verdict: Verdict, answers: Sequence[Answer], warnings: int) -> Badge:
    """The badge of a bundle with so many warnings."""
    if verdict.failed or not verdict.manifest:
        wrong = len(verdict.findings)
        return Badge(Kind.FAILS, f"Does not hold: {wrong} {'thing is' if wrong == 1 else 'things are'} wrong")
    missing = [step for step in verdict.steps if step.status is Status.NOT_CHECKED]
    is_round = bool(verdict.results and is_of_an_arena(verdict.results))  # its result is the table of all rounds
    has_deltas_shown = has_deltas(verdict.analysis)
    has_result = is_round or has_deltas_shown or any(answer.shown is not Shown.NO_RESULT for answer in answers)
    failed_gate = bool(verdict.results and verdict.results.failed_gates)
    return held_badge(verdict.level, missing, warnings, has_result=has_result, failed_gate=failed_gate)


def held_badge(
    level: str, missing: Sequence[Step], warnings: int, *, has_result: bool, failed_gate: bool = False
) -> Badge:
    """The badge of a record in which nothing is wrong. `missing`: the steps that were not checked."""
    notes = ([] if has_result else ["no result"]) + (["Phase 0 failed"] if failed_gate else [])
    notes += [f"{warnings} {'warning' if warnings == 1 else 'warnings'}"] if warnings else []
    if missing:
        return Badge(Kind.INCOMPLETE, "; ".join(("Everything checked here holds", missing_words(missing), *notes)))
    kind = Kind.DOUBTFUL if warnings else Kind.HOLDS if has_result and not failed_gate else Kind.EMPTY
    words = "; ".join((*notes, f"record consistent (level {level}; V4 is the highest)"))
    return Badge(kind, f"{words[:1].upper()}{words[1:]}")


def missing_words(steps: Sequence[Step]) -> str:
    """What steps that were not checked lack: "missing: the engine's 6 scores"; else how many steps they are."""
    for_engine = [ascii_words(step.for_engine) for step in steps if step.for_engine]
    others = sum(not step.for_engine for step in steps)
    told = [f"missing: {' and '.join(for_engine)}"] if for_engine else []
    if others:
        more = " more" if for_engine else ""
        told.append(f"{others}{more} {'step was' if others == 1 else 'steps were'} not checked")
    return "; ".join(told)


def not_proved(verdict: Verdict) -> str:
    """What a signature does not prove, in one line."""
    limits = list(_not_computed(verdict)) if verdict.recomputed is Recomputed.NOT_ALL else []
    others = verdict.registration.others if verdict.registration else 0
    told = [OTHER_RUNS.format(others=others)] if others else []
    only_run = told if verdict.level >= "V2" else [ONLY_RUN]
    return f"{PROVES}, {', and '.join((*limits, *only_run))}." if limits or only_run else ""


def _not_computed(verdict: Verdict) -> Iterator[str]:
    models, people = on_trust(verdict)
    if models and verdict.level < "V3":
        yield INVENTED
    if people:
        yield UNKNOWN_PERSON


def on_trust(verdict: Verdict) -> tuple[bool, bool]:
    """Whether answers of models rest on a word, unless others have asked them again, and whether those of people do.

    What neither gave, as an outside engine that chooses by chance, is told of as a model's.
    """
    seats = verdict.manifest.plan.playing if verdict.manifest else {}
    people = any(seat.is_person for seat in seats.values())
    return not people or any(seat.is_model or seat.attested_words(name) for name, seat in seats.items()), people
