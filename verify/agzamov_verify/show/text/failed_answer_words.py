"""Failed answers in words: "cannot format" or "cannot play", the counts of both, and what to try next.

    smol cannot format in Chess960: 80 of 87 answers have no declaration that can be read (no action 73, cut 7), and of
    the 7 that have one, 5 are not legal; next, try a tokens_max above 24

Of a seat that lost Phase 0 with legal actions nothing is said here: its wins are.
"""

from collections.abc import Iterator
from typing import Final

from ...core.columns import ascii_words
from ...plan.manifest import Plan
from ...scoring.failed_answers import Cannot, FailedAnswers, failed_answers
from ...scoring.results import Results
from ..views import VIEWS, game_words

CLASSES: Final = {"no_action": "no action", "ambiguous": "ambiguous", "cut": "cut"}
STRONGER: Final = "a stronger model"


def failed_answer_lines(results: Results, plan: Plan) -> Iterator[str]:
    """One sentence without a full stop for each seat and game in which something cannot be done."""
    for one in failed_answers(results):
        if one.cannot:
            yield failed_answer_words(one, plan)


def failed_answer_words(answers: FailedAnswers, plan: Plan) -> str:
    """What a seat cannot do in a game, the counts, and what to try."""
    what = " and ".join(_cannot(one, answers) for one in answers.cannot)
    counts = ", and ".join(filter(None, (_form(answers), _play(answers), _no_reply(answers))))
    tried = ", ".join(next_steps(answers, plan))
    return f"{ascii_words(answers.seat)} {what} in {game_words(answers.game)}: {counts}; next, try {tried}"


def _cannot(one: Cannot, answers: FailedAnswers) -> str:
    """Replies that were cut may be a limit's doing, not the model's, and are told so where they are the most."""
    is_cut = one is Cannot.FORMAT and 2 * answers.cut > answers.unread
    return "did not end its answers" if is_cut else f"cannot {one.value}"


def _form(answers: FailedAnswers) -> str:
    classes = [f"{name} {count:,}" for key, name in CLASSES.items() if (count := getattr(answers, key))]
    if not classes:
        return ""
    return (
        f"{answers.unread:,} of {answers.answers:,} answers have no declaration that can be read ({', '.join(classes)})"
    )


def _play(answers: FailedAnswers) -> str:
    if not answers.declared:
        return "none declares an action, so whether it can play is not known" if answers.answers else ""
    which = f"the {answers.declared:,} that have one" if answers.unread else f"{answers.declared:,} declared actions"
    return f"of {which}, {answers.illegal:,} are not legal"


def _no_reply(answers: FailedAnswers) -> str:
    return f"{answers.no_reply:,} with no reply" if answers.no_reply else ""


def _longer(answers: FailedAnswers, plan: Plan) -> str:
    """What to try where replies were cut: by the plan's limit, by something else, or nobody can say by what."""
    if answers.tokens_max:
        return f"a tokens_max above {answers.tokens_max:,}"
    is_limited = plan.seats[answers.seat].tokens_limit > 0
    return "a server that does not cut replies" + (" (or a greater tokens_max)" if is_limited else "")


def next_steps(answers: FailedAnswers, plan: Plan) -> Iterator[str]:
    """What to try, from what is nearest to the failure."""
    if Cannot.FORMAT in answers.cannot:
        if answers.cut:
            yield _longer(answers, plan)
        if getattr(plan.rules_of(answers.game), "shots", 1):
            yield "a model that follows instructions"
        else:
            yield f"a worked example before each decision ({answers.game}: {{shots: 1}})"
    if Cannot.PLAY in answers.cannot:
        yield VIEWS[answers.game].easier_prompt(plan) or STRONGER
