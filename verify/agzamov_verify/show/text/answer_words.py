"""Answers in sentences, in the same words and figures on a terminal, in a report and on a leaderboard.

Memory helped in hold'em: +13.7 big blinds per 100 hands [+5.4, +21.9] against none, +12.9 [+3.4, +22.4] against a
placebo (6 careers)
No difference shown: reference and random in Chess960: 0.52 points a game [0.41, 0.63], where 0.50 is even
No result for smol against random in hold'em: 5 sessions are too few, an interval needs 30
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ...core.columns import ascii_words, listed
from ...experiment.matches import Augmentation, Phase
from ...plan.manifest import Plan
from ...protocols import PROTOCOLS
from ...protocols.norms import load_protocol
from ...scoring.failed_answers import FailedAnswers
from ...scoring.results import MatchResult, Results
from ...systems import OracleSystem
from ..views import NAMES_OF, VIEWS, condition_words, game_words, part_words
from .answers import (
    ALL_ALIKE,
    ONE_SIDED,
    Answer,
    Comparison,
    Played,
    Shown,
    answers_of,
    measured_models,
    other_contests,
    together,
)
from .failed_answer_words import next_steps
from .gate_words import missed_bounds, p_words

CAUSES: Final = {
    "cut": ("was cut", "were cut"),
    "no_action": ("named no action", "named no action"),
    "ambiguous": ("named more than one action", "named more than one action"),
    "illegal": ("named an illegal action", "named illegal actions"),
}
"""What failed answers did, by the fields of `FailedAnswers`."""
PLACEBO: Final = "A placebo is help of the same length and form without its information."
STRONGER: Final = "try a stronger model, or a longer Phase 0 if this one should beat a random player"
FULL_STACK: Final = "The full stack is memory, tools and documents together."
BETWEEN: Final = "No difference shown between "


class Sentence(NamedTuple):
    """An answer in words: `head` with the names of what it is about, and `tail`, without a full stop."""

    head: str
    subject: str
    tail: str

    @property
    def words(self) -> str:
        """The whole sentence."""
        return f"{self.head}{self.subject}{self.tail}"

    @property
    def claim(self) -> str:
        """The sentence up to its figures, or to the reason for none: "Memory helped in hold'em"."""
        return self.words.partition(": ")[0]


def answer_lines(played: Played) -> list[str]:
    """Every answer as a sentence with its full stop; answers that say the same of several systems are one.

    A round of an arena has a unit or so of each pairing: that these are too few is not said of each.
    """
    answers, is_round = answers_of(played), is_of_an_arena(played.results)
    shown = [one for one in answers if one.failed or not (is_round and one.shown is Shown.NO_RESULT)]
    told = [sentence(answer, answers, played) for answer in shown]
    subjects: dict[tuple[str, str], list[str]] = {}
    for one in told:
        subjects.setdefault((one.head, one.tail), []).append(one.subject)
    return [
        f"{head}{_pairs(names) if head == BETWEEN else listed(names)}{tail}."
        for (head, tail), names in subjects.items()
    ]


def _pairs(names: Sequence[str]) -> str:
    """Pairs of players, each once: who is named first does not matter where no difference is shown."""
    once: dict[frozenset[str], str] = {}
    for name in names:
        once.setdefault(frozenset(name.split(" and ")), name)
    return " and between ".join(once.values())


def is_of_an_arena(results: Results) -> bool:
    """True if the bundle is a round of an arena. Games of people are none: nobody is ranked by them."""
    return not PROTOCOLS[results.protocol].people and any(match.phase == Phase.ARENA for match in results.matches)


def sentence(answer: Answer, answers: Sequence[Answer], played: Played) -> Sentence:
    """One answer. `answers`: all of them, which says what must be named to tell them apart."""
    where = f" in {game_words(answer.game)}{part_words(answer.result.part) if answer.result else ''}"
    subject = subject_words(answer, answers, played)
    if answer.shown is Shown.NO_RESULT:
        return Sentence(
            "No result for ",
            f"{subject}{against_words(answer, played.manifest.plan)}",
            f"{where}: {_why(answer, played.manifest.plan)}{_gate(answer, played)}",
        )
    if answer.setting is None:
        return _contest(answer, subject, where, played)
    if is_alike(answer):
        return Sentence("No difference shown by ", subject, f"{where}: {alike_words(answer)}{_not_own(answer)}")
    figures = f"{effect_words(answer)}{corrected_words(answer)}{_not_own(answer)}"
    if answer.shown is Shown.NO_DIFFERENCE:
        return Sentence("No difference shown by ", subject, f"{where}: {figures}")
    verb = "helped" if answer.shown is Shown.BETTER else "made play worse"
    return Sentence("", f"{subject[:1].upper()}{subject[1:]}", f" {verb}{where}: {figures}")


def subject_words(answer: Answer, answers: Sequence[Answer], played: Played) -> str:
    """The system as a sentence has it: "memory", or "memory by history" among several; the seat of a contest."""
    if answer.setting is None:
        assert answer.result is not None
        return f"{_player(answer.result.measured, played.manifest.plan)}{condition_words(answer.result.condition)}"
    plan = played.manifest.plan
    system = plan.systems.get(answer.system)
    if isinstance(system, OracleSystem):  # it stands among memories, and is none
        return f"{system.submitters_own} ({ascii_words(answer.system)}, an oracle)"
    own = listed([part.submitters_own for part in plan.parts_of(answer.system).values() if part.submitters_own])
    kind = NAMES_OF[answer.setting.augmentation]
    named = own if system and system.submitters_own else f"{kind} with {own}" if own else kind
    alike = [one for one in answers if one.setting == answer.setting]
    by = f" by {ascii_words(answer.system)}" if len(alike) > 1 else ""
    is_script = not plan.seats[answer.setting.seat].is_model
    several = len(measured_models(played.manifest)) > 1 or is_script
    seat = f" of {_player(answer.setting.seat, plan)}" if several else ""
    return f"{named}{by}{seat}"


def _player(name: str, plan: Plan) -> str:
    """A seat as a sentence names it: a script is called one, whatever its name."""
    seat = plan.seats[name]
    return ascii_words(name) if seat.is_model else f"{ascii_words(name)} ({seat.kind_words})"


# --- figures -------------------------------------------------------------------------------------


def figure_words(one: Comparison, game: str) -> str:
    """A figure of a contest with its interval, the value of equal players, and what was repeated."""
    view = VIEWS[game]
    even = f", where {view.spelled(one.null)} is even" if one.null else ""
    return f"{view.spelled(one.value)} {view.figure_unit} {interval_words(one, game)}{even} ({one.n})"


def is_alike(answer: Answer) -> bool:
    """True for an effect that is nothing in each repetition, against all that it was compared with."""
    return bool(answer.setting and answer.figures) and all(one.why_none == ALL_ALIKE for one in answer.figures)


def alike_words(answer: Answer) -> str:
    """How alike the arms were: "the same result as without it, and as with a placebo, in each of 5 careers"."""
    others = ", and as with a placebo," if len(answer.figures) > 1 else ""
    return f"the same result as without it{others} in each of {answer.figures[0].n}"


def effect_words(answer: Answer) -> str:
    """The figures of an effect: against none, then against a placebo; "though" before one that says otherwise."""
    told, counts = list[str](), {one.n for one in answer.figures}
    for number, one in enumerate(answer.figures):
        unit = f" {VIEWS[answer.game].figure_unit}" if not number else ""
        though = "though " if number and one.shown is not answer.figures[0].shown else ""
        value = VIEWS[answer.game].difference(one.value)
        n = f" ({one.n})" if len(counts) > 1 else ""
        told.append(f"{though}{value}{unit} {interval_words(one, answer.game)} against {one.against}{n}")
    n = f" ({answer.figures[0].n})" if len(counts) == 1 else ""
    alone = "" if len(answer.figures) > 1 else "; no placebo was played"
    return f"{', '.join(told)}{n}{alone}"


def interval_words(one: Comparison, game: str) -> str:
    """The interval in brackets."""
    if one.low is None or one.high is None:
        return "[no interval]"
    view = VIEWS[game]
    spelled = view.spelled if one.null else view.difference
    return f"[{spelled(one.low)}, {spelled(one.high)}]"


def _contest(answer: Answer, subject: str, where: str, played: Played) -> Sentence:
    other, figures = _others(answer, played.manifest.plan), figure_words(answer.figures[0], answer.game)
    tail = f"{where}: {figures}{corrected_words(answer)}{_not_own(answer)}{_doubted(answer)}{_gate(answer, played)}"
    if answer.shown is Shown.NO_DIFFERENCE:
        return Sentence(BETWEEN, f"{subject} and {other}", tail)
    return Sentence("", f"{subject} did {answer.shown.value} than {other}", tail)


def failed_gate_words(answer: Answer, protocol: str) -> str:
    """A failed Phase 0; empty where it was passed, or is another phase."""
    if answer.result is None or not answer.failed_gate:
        return ""
    seat, norm = ascii_words(answer.result.measured), load_protocol(protocol).phase0
    return f"{seat} failed Phase 0, the entry test ({missed_bounds(answer.result, norm)})"


def corrected_words(answer: Answer) -> str:
    """What p is when it is corrected for all answers of the run; empty of one answer, or of no difference."""
    if answer.corrected is None or together(answer.figures) not in ONE_SIDED:
        return ""
    p, count = p_words(str(float(answer.corrected.p))), answer.corrected.comparisons
    if answer.is_corrected_away:
        return (
            f"; alone it would be {together(answer.figures)}, but not as one of {count} comparisons (corrected p {p})"
        )
    return f"; p {p}, corrected for {count} comparisons"


def _not_own(answer: Answer) -> str:
    return f"; but {ascii_words(answer.not_own)}" if answer.not_own and answer.figures else ""


def other_lines(played: Played) -> list[str]:
    """A line for each phase and game whose contests stand in no answer."""
    contests = other_contests(played)
    lines = []
    for phase, game in dict.fromkeys((answer.result.phase, answer.game) for answer in contests if answer.result):
        ours = [one for one in contests if one.result and (one.result.phase, one.game) == (phase, game)]
        name = f"Phase {int(phase)}"
        if len(ours) == 1:
            lines.append(f"{name}: {sentence(ours[0], ours, played).words}.")
            continue
        counts = Counter(one.shown for one in ours)
        each = ", ".join(f"{counts[shown]} {shown.value}" for shown in Shown if counts[shown])
        lines.append(f"{name} in {game_words(game)}: {len(ours)} contests, each alone: {each}.")
    return lines


def _gate(answer: Answer, played: Played) -> str:
    words = failed_gate_words(answer, played.manifest.plan.protocol)
    return f"; {words}" if words else ""


def against_words(answer: Answer, plan: Plan) -> str:
    """The opponents of a contest, with a word before them; empty for an effect."""
    return "" if answer.setting or answer.result is None else f" against {_others(answer, plan)}"


def _others(answer: Answer, plan: Plan) -> str:
    assert answer.result is not None
    measured = answer.result.measured
    names = [
        f"{'itself' if at.seat == measured else _player(at.seat, plan)}{condition_words(at.condition)}"
        for at in dict.fromkeys(answer.result.opponents)
    ]
    return f"{'its opponents ' if len(names) > 1 else ''}{listed(names)}"


def opponents_words(match: MatchResult) -> str:
    """The names of the opponents, and what each has beyond its prompt."""
    return " and ".join(
        f"{'itself' if at.seat == match.measured else ascii_words(at.seat)}{condition_words(at.condition)}"
        for at in dict.fromkeys(match.opponents)
    )


def missed_words(answers: Sequence[Answer]) -> str:
    """What the brackets are, and the effects that were too small to be found, by game.

    Each is the smallest that a test at 5 % finds with 80 % power (`Estimate.mde`).
    """
    told = list[str]()
    for game in dict.fromkeys(answer.game for answer in answers):
        view = VIEWS[game]
        mdes = [one.detectable for answer in answers if answer.game == game for one in answer.figures]
        found = sorted(mde for mde in mdes if mde is not None)
        if found:
            least, most = (view.number(value).lstrip("+") for value in (found[0], found[-1]))
            told.append(f"{least}{f' to {most}' if most != least else ''} {view.figure_unit} in {game_words(game)}")
    known = [one for answer in answers for one in answer.figures if one.low is not None]
    if not known:
        nothing = bool(answers) and all(map(is_alike, answers))
        return "No intervals, since nothing differed." if nothing else "No answer has an interval."
    made = max((one.corrected.comparisons for one in answers if one.corrected), default=0)
    told_p = f"; p is two-sided, corrected for {made} comparisons (Holm's method)" if made else ""
    alone = ", each for its own figure" if len(known) > 1 else ""
    brackets = f"Brackets are 95 % intervals{alone}{told_p}."
    return f"{brackets} Smallest effect that would be found (80 % power): {', '.join(told)}." if told else brackets


def repetition_words(answers: Sequence[Answer], plan: Plan) -> Iterator[str]:
    """What a placebo, the full stack, a career and a session are, where an answer has them."""
    if any(figure.against == "a placebo" for answer in answers for figure in answer.figures):
        yield PLACEBO
    if any(one.setting and one.setting.augmentation is Augmentation.FULL for one in answers):
        yield FULL_STACK
    counted = " ".join(f"{figure.n} {figure.why_none}" for answer in answers for figure in answer.figures)
    if "career" in counted:
        yield "A career is a row of games through which one memory grows, from empty."
    if "session" in counted:
        hands = getattr(plan.rules_of("holdem"), "session_hands", 0) if "holdem" in plan.games else 0
        yield f"A session is {f'{hands:,} hands' if hands else 'a row of hands'} of hold'em that count as one."


# --- no result -----------------------------------------------------------------------------------


def _why(answer: Answer, plan: Plan) -> str:
    return "; ".join(filter(None, (reason_words(answer), advice_words(answer, plan))))


def reason_words(answer: Answer) -> str:
    """Why there is no result."""
    if answer.failed and not answer.figures:
        return ": ".join(filter(None, (ascii_words(answer.why), unusable_words(answer.failed))))
    return f"{ascii_words(answer.why)}{_doubted(answer)}"


def advice_words(answer: Answer, plan: Plan) -> str:
    """What to change where answers or Phase 0 failed; empty where the reason says it."""
    if answer.failed and not answer.figures:
        return f"try {' or '.join(next_steps(answer.failed, plan))}"
    return STRONGER if answer.is_stopped else ""


def unusable_words(failed: FailedAnswers) -> str:
    """How many answers could not be used, and why: "smol gave no usable answer in any of 24 decisions (20 ...)"."""
    usable = failed.decisions - failed.unread - failed.illegal - failed.no_reply
    gave = f"{usable:,} usable answers in" if usable else "no usable answer in any of"
    causes = ", ".join(_causes(failed))
    return f"{ascii_words(failed.seat)} gave {gave} {failed.decisions:,} decisions ({causes})"


def _causes(failed: FailedAnswers) -> Iterator[str]:
    for name, (one, many) in CAUSES.items():
        if count := getattr(failed, name):
            limit = f" at {failed.tokens_max:,} tokens" if name == "cut" and failed.tokens_max else ""
            yield f"{count:,} {one if count == 1 else many}{limit}"
    if failed.no_reply:
        yield f"{failed.no_reply:,} had no reply"


def _doubted(answer: Answer) -> str:
    """What a reader must know of a contest in which many answers were not usable."""
    return f"; but {unusable_words(answer.failed)}" if answer.failed and answer.figures else ""
