"""A verdict as data for the page's cards, in the words of the badge and of the answers. The page adds no words of fact.

badge      {kind, words}; `note`: what no check shows
key        {id, state}: unchosen, yours, other, or unread where the signature was not reached
answers    one for each game and effect or contest: {game, verdict, sentence, cost, figure}
figure     {value, unit, interval, at, low, high, null, even}; none where there is no result
measured   who played whom, and how much; empty where nothing can be told
departs    {words, lines}: the plan's departures from its protocol, by kind
missing    what an engine has to be asked; `command` asks it
levels     {title, lines} for each level above V1 that the person asked for, in the words of the command
next       {level, words}: what is missing for the next level and who would have to do what; none of a bundle that fails
warnings   sentences; `recomputed`, `claimed` likewise
steps      {number, words, status, remark}
findings   {step, place, expected, found}, the first FINDINGS_SHOWN; `findings_left`
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from agzamov_verify import bundle
from agzamov_verify.checks.check_log import Number, Status
from agzamov_verify.checks.opened_bundle import KEY_DIGITS
from agzamov_verify.checks.seat_replies import Recomputed
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.core.columns import ascii_words, quoted
from agzamov_verify.core.untrusted_input import printable, show_name
from agzamov_verify.scoring.results import Results
from agzamov_verify.show.text import verdict_report
from agzamov_verify.show.text.answer_words import interval_words, sentence
from agzamov_verify.show.text.answers import Answer, Comparison, Played, Shown, answers_of
from agzamov_verify.show.text.badge import badge_of, not_proved
from agzamov_verify.show.text.cost_words import cost_words
from agzamov_verify.show.text.first_screen import departs_words, grouped_departures, played_words
from agzamov_verify.show.text.registration_lines import next_level, registration_lines
from agzamov_verify.show.views import VIEWS, game_words

FINDINGS_SHOWN: Final = 20
UNRELIABLE: Final = "No figure of this bundle can be relied on."
STEPS: Final[Mapping[Number, str]] = {
    Number.NAMES: "Files: plain names and allowed sizes, none missing",
    Number.PAYLOAD: "Every file has the digest that the list of files gives",
    Number.SIGNATURE: "Signed by the key in the bundle",
    Number.MANIFEST: "The sealed plan can be run, with its protocol's own words",
    Number.SEED: "The secret of the seed is the one promised before the run",
    Number.JOURNAL: "The record of replies is whole and in order",
    Number.REPLAY: "Played again: every prompt, card and move follows",
    Number.GATE: "What the plan promised was played, and no more",
    Number.ENGINE: "The engine's scores that ended games",
    Number.RESULTS: "All results and figures, computed again",
    Number.CLAIMS: "The signed claims are these figures",
    Number.QUALITY: "The engine's scores of moves",
    Number.SEATS: "Replies of scripted players, computed again",
    Number.EXECUTIONS: "No reply was dropped when the run was stopped",
    Number.MEMORY: "Each memory gave only what was stored in it",
    Number.TOOLS: "Answers of tools, computed again",
}
STATUS: Final[Mapping[Status, str]] = {
    Status.PASS: "holds",
    Status.FAIL: "fails",
    Status.NOT_CHECKED: "not checked",
    Status.NOT_APPLICABLE: "does not apply",
}


def cards(verdict: Verdict, expected_key_id: str, command: str) -> dict[str, Any]:
    """The cards. `command`: by which an engine is asked for what is missing, on a machine that has one."""
    played = _played(verdict)
    answers = answers_of(played) if played else []
    warnings = list(verdict_report.warnings_told(verdict))
    badge = badge_of(verdict, answers, len(warnings))
    missing = [step.for_engine for step in verdict.steps if step.for_engine]
    manifest = verdict.manifest
    return {
        "badge": {"kind": badge.kind.value, "words": badge.words},
        "note": UNRELIABLE if verdict.failed else not_proved(verdict),
        "title": quoted(manifest.plan.title) if manifest else "",
        "run": printable(verdict.run),
        "key": _key(verdict, expected_key_id),
        "answers": [_answer(answer, answers, played) for answer in answers] if played else [],
        "measured": f"{played_words(played.manifest, played.results)}." if played else "",
        "departs": _departs(played.results) if played else None,
        "missing": [printable(words) for words in missing],
        "command": command if missing and not verdict.failed else "",
        "levels": list(_levels(verdict)),
        "next": _next(verdict),
        "warnings": [printable(warning) for warning in warnings],
        "recomputed": list(_recomputed(verdict)),
        "claimed": list(_claimed(verdict)),
        "steps": [
            {
                "number": step.number,
                "words": STEPS[Number(step.number)],
                "status": STATUS[step.status],
                "remark": printable(step.remark),
            }
            for step in verdict.steps
        ],
        "findings": [
            {"step": one.step, **{part: show_name(getattr(one, part)) for part in ("place", "expected", "found")}}
            for one in verdict.findings[:FINDINGS_SHOWN]
        ],
        "findings_left": max(0, len(verdict.findings) - FINDINGS_SHOWN),
    }


def _played(verdict: Verdict) -> Played | None:
    """What answers are read from: of a bundle that fails, nothing."""
    if verdict.failed or not verdict.manifest or not verdict.results:
        return None
    return Played(verdict.manifest, verdict.results, verdict.analysis, verdict.blocks)


def _answer(answer: Answer, answers: Sequence[Answer], played: Played) -> dict[str, Any]:
    words = sentence(answer, answers, played).words
    return {
        "game": game_words(answer.game),
        "verdict": answer.shown.value,
        "sentence": f"{words[:1].upper()}{words[1:]}.",
        "cost": cost_words(answer, played),
        "figure": _figure(answer.figures[0], answer) if answer.shown is not Shown.NO_RESULT else None,
    }


def _departs(results: Results) -> dict[str, Any]:
    """The departures from the protocol, in the words of the first screen."""
    lines = [ascii_words(line) for line in grouped_departures(results.departures)]
    return {"words": f"Departs {departs_words(results)}", "lines": lines}


def _figure(one: Comparison, answer: Answer) -> dict[str, Any]:
    """The figure in large print, in words and as numbers for its line."""
    view = VIEWS[answer.game]
    spelled = view.difference if answer.setting else view.spelled
    return {
        "value": spelled(one.value),
        "unit": f"{view.figure_unit}{f' against {one.against}' if one.against else ''}",
        "interval": interval_words(one, answer.game) if one.low is not None else "",
        "at": one.value,
        "low": one.low,
        "high": one.high,
        "null": one.null,
        "even": "no difference" if answer.setting else "equal players",
    }


def _key(verdict: Verdict, expected_key_id: str) -> dict[str, str]:
    """The key that signed, and whether it is the chosen one."""
    key, state = verdict.submitter, "yours" if verdict.is_key_given else "unchosen"
    for finding in verdict.findings:
        if finding.place == bundle.KEY_FILE and expected_key_id[:KEY_DIGITS] in finding.expected:
            key, state = finding.found.partition("key ")[2].partition(":")[0], "other"
    return {"id": printable(key), "state": state if key else "unread"}


def _levels(verdict: Verdict) -> Iterator[dict[str, Any]]:
    """The paragraphs of the command's first screen, each a heading and lines."""
    told = [line for line in registration_lines(verdict) if line]
    heads = [at for at, line in enumerate(told) if not line.startswith(" ")]
    for at, end in pairwise((*heads, len(told))):
        yield {"title": told[at], "lines": [line.strip() for line in told[at + 1 : end]]}


def _next(verdict: Verdict) -> dict[str, str] | None:
    if verdict.failed:
        return None
    level, words = next_level(verdict)
    return {"level": level, "words": f"{words[:1].upper()}{words[1:]}."}


def _passed(verdict: Verdict, number: Number) -> bool:
    return any(step.number == number and step.status is Status.PASS for step in verdict.steps)


def _recomputed(verdict: Verdict) -> Iterator[str]:
    """What this check found out by itself; of a bundle that fails, nothing that counts."""
    if verdict.failed:
        return
    if _passed(verdict, Number.REPLAY):
        yield "Every prompt, card, move and result: they follow from the plan, the seed and the recorded replies."
    if _passed(verdict, Number.RESULTS):
        yield "Every figure, from the games as they were played again."
    match verdict.recomputed:
        case Recomputed.ALL:
            yield "Every reply, since all players are scripts: none could be invented."
        case Recomputed.A_SAMPLE:
            yield "A random sample of the replies, since all players are scripts."
        case Recomputed.NOT_ALL:
            pass


def _claimed(verdict: Verdict) -> Iterator[str]:
    """What is the submitter's word alone."""
    if verdict.failed or not verdict.manifest:
        return
    for step in verdict.steps:
        if step.for_engine:
            words = printable(step.for_engine)
            yield f"{words[:1].upper()}{words[1:]}: not checked here."
    if verdict.recomputed is Recomputed.NOT_ALL:
        yield "That the players really gave these replies."
    if any(seat.is_model for seat in verdict.manifest.plan.playing.values()):
        yield "Which model answered, and how many tokens it used."
    if verdict.level < "V2":
        yield "That this was the only run: whoever chose the seed may have run it many times."
    yield "The machine, and how long things took."
    yield from verdict_report.attested_of_systems(verdict.manifest)
