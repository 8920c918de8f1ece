"""Defects of what scripted seats are said to have answered: the words are right, and something beside them is not."""

from collections.abc import Callable

import msgspec

from agzamov_verify.core.questions import Answer, Chat, NoReply, Question, Reply
from bundles.bundle_factory import (
    CHESS0,
    GAMES0,
    Draft,
    chained,
    edited,
    embellished,
    entries,
    fit_calls,
    put,
    recorded,
    reindex,
    rescore,
    reseal,
    world_of,
)
from bundles.tampered_bundles.cases import TamperedCases

tampered = TamperedCases()
PLACE = f"game {CHESS0}-g00000 turn 7"


def change_reply(draft: Draft, change: Callable[[Answer], Answer]) -> None:
    """One reply of the random seat changed, and figures that follow."""
    story = entries(draft, GAMES0)
    put(draft, GAMES0, chained(edited(story, 7, answer=change(story[7].answer))))
    reindex(draft)
    rescore(draft)
    reseal(draft)


@tampered(13, PLACE)
def the_random_seat_says_what_chance_would_not(draft: Draft) -> None:
    change_reply(draft, embellished)


@tampered(13, PLACE)
def the_random_seat_reports_other_tokens(draft: Draft) -> None:
    change_reply(draft, lambda answer: msgspec.structs.replace(answer, completion_tokens=8))


@tampered(13, PLACE)
def the_random_seat_is_of_another_model(draft: Draft) -> None:
    change_reply(draft, lambda answer: msgspec.structs.replace(answer, model="reference"))


def retold(draft: Draft, spoilt: Answer) -> None:
    """The stream played on after the random seat's reply was spoilt, so that the substitute took its move."""
    world = world_of(draft.manifest.plan, None)

    def answer(question: Question) -> Answer:
        given = world(question)
        if not isinstance(question, Chat) or (question.game, question.turn) != (f"{CHESS0}-g00000", 7):
            return given
        return msgspec.structs.replace(given, finish="length") if isinstance(spoilt, Reply) else spoilt

    put(draft, GAMES0, recorded(draft, GAMES0, answer))
    fit_calls(draft, GAMES0)
    reindex(draft)
    rescore(draft)
    reseal(draft)


@tampered(13, PLACE)
def the_random_seats_right_words_are_said_to_be_cut(draft: Draft) -> None:
    """A cut reply declares no action: whoever signs could choose between draw and substitute, or let it forfeit."""
    retold(draft, Reply(text=""))


@tampered(13, PLACE)
def the_random_seat_is_said_to_have_refused(draft: Draft) -> None:
    retold(draft, NoReply(reason="content_filter"))
