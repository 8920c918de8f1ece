"""The declared action is read from the last line that starts with the tag, and from nowhere else."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.games.declared import Fault, FaultKind, declared
from agzamov_verify.questions import NoReply, Reply

TAG = "MOVE:"
SECONDS_MAX = 5.0  # thousands of times what a linear reader needs, far below what a quadratic one does

DECLARES = {
    "the line alone": ("MOVE: e2e4", "e2e4"),
    "after thinking": ("The centre matters.\n\nMOVE: e2e4", "e2e4"),
    "the last of two": ("MOVE: d2d4\nNo, better:\nMOVE: e2e4", "e2e4"),
    "the last, though the first was fine": ("MOVE: e2e4\nMOVE: castle at once", "castle at once"),
    "an empty last line": ("MOVE: e2e4\nMOVE:", ""),
    "indented by spaces": ("   MOVE: e2e4", "e2e4"),
    "indented by a tab": ("Well:\n\tMOVE: e2e4", "e2e4"),
    "no space after the tag": ("MOVE:e2e4", "e2e4"),
    "white space around": ("MOVE:  \t e2e4 \t \n", "e2e4"),
    "a carriage return": ("MOVE: e2e4\r\n", "e2e4"),
    "text after the line": ("MOVE: e2e4\nGood luck!", "e2e4"),
    "a full stop, which is kept": ("MOVE: e2e4.", "e2e4."),
    "another tag in the line": ("MOVE: e2e4 MOVE: d2d4", "e2e4 MOVE: d2d4"),
    "a mention in prose after it": ("MOVE: e2e4\nAs I said, MOVE: d2d4 loses.", "e2e4"),
    "a mention in prose before it": ("I would say MOVE: d2d4, but\nMOVE: e2e4", "e2e4"),
}


@pytest.mark.parametrize(("text", "action"), DECLARES.values(), ids=DECLARES.keys())
def test_the_last_line_that_starts_with_the_tag_declares_the_action(text: str, action: str) -> None:
    assert action == declared(Reply(text=text), TAG)


DECLARES_NOTHING = {
    "an empty reply": "",
    "only white space": " \n\t\n",
    "only prose": "I play e2e4.",
    "the tag inside a sentence": "My move is MOVE: e2e4",
    "the tag after a bullet": "- MOVE: e2e4",
    "the tag in bold": "**MOVE: e2e4**",
    "the tag in a quotation": "> MOVE: e2e4",
    "the tag after a zero-width space": "\u200bMOVE: e2e4",
    "the tag after a carriage return alone": "so\rMOVE: e2e4",
    "small letters": "move: e2e4",
    "the tag without its colon": "MOVE e2e4",
    "the tag cut in two": "MOVE\n: e2e4",
    "another game's tag": "ACTION: e2e4",
}


@pytest.mark.parametrize("text", DECLARES_NOTHING.values(), ids=DECLARES_NOTHING.keys())
def test_a_reply_without_such_a_line_declares_nothing(text: str) -> None:
    assert declared(Reply(text=text), TAG) == Fault(FaultKind.NO_ACTION, "no line starts with MOVE:")


def test_the_tag_is_the_games_own() -> None:
    assert declared(Reply(text="MOVE: e2e4\nACTION: call"), "ACTION:") == "call"


def test_a_line_that_was_cut_off_declares_nothing() -> None:
    """Of e7e8q only e7e8 may have arrived, and of raise to 25 only raise to 2."""
    fault = declared(Reply(text="So\nMOVE: e7e8", finish="length"), TAG)
    assert fault == Fault(FaultKind.NO_ACTION, "the reply was cut off in the MOVE: line")


def test_a_cut_last_line_is_not_replaced_by_an_earlier_whole_one() -> None:
    fault = declared(Reply(text="MOVE: a2a3\nMOVE: e7e8", finish="length"), TAG)
    assert isinstance(fault, Fault)


def test_a_line_that_ended_before_the_cut_declares_its_action() -> None:
    assert declared(Reply(text="MOVE: e7e8q\nNow I will expl", finish="length"), TAG) == "e7e8q"
    assert declared(Reply(text="MOVE: e7e8q\n", finish="length"), TAG) == "e7e8q"


def test_only_the_finish_length_means_cut_off() -> None:
    assert declared(Reply(text="MOVE: e7e8", finish="stop"), TAG) == "e7e8"


def test_no_reply_is_its_own_kind_of_fault() -> None:
    assert declared(NoReply(reason="MOVE: e2e4"), TAG) == Fault(FaultKind.NO_REPLY, "there was no reply")


def by_lines(text: str) -> str | None:
    """The docstring's rule, word for word, over the list of all lines."""
    declaring = [line.strip() for line in text.split("\n") if line.strip().startswith(TAG)]
    return declaring[-1].removeprefix(TAG).strip() if declaring else None


pieces = st.sampled_from(["MOVE:", "MOVE", ":", "\n", " ", "\t", "\r", "x", "e2e4", "\u2028", "\x0b", "MOVE: e2e4\n"])


@given(st.lists(pieces, max_size=12).map("".join))
def test_the_reader_agrees_with_the_rule_over_the_list_of_all_lines(text: str) -> None:
    found = declared(Reply(text=text), TAG)
    assert by_lines(text) == (None if isinstance(found, Fault) else found)


HUGE = {
    "one line of tags": ("MOVE:" * 200_000, True),
    "one line of tags after a word": ("x" + "MOVE:" * 200_000, False),
    "one line of words and tags": ("x MOVE:" * 200_000, False),
    "many lines with the tag in prose": ("x MOVE:\n" * 200_000, False),
    "many lines of half tags": ("MOVE\n" * 200_000, False),
    "many empty lines": ("MOVE:\n" + "\n" * 1_000_000, True),
    "a long indentation": ("x MOVE:\n" + " " * 1_000_000 + "MOVE:", True),
    "tags behind a long indentation": (" " * 500_000 + "x" + " MOVE:" * 100_000, False),
}


@pytest.mark.parametrize(("text", "declares"), HUGE.values(), ids=HUGE.keys())
def test_a_hostile_reply_of_a_megabyte_takes_bounded_time(text: str, declares: bool) -> None:
    before = time.process_time()
    found = declared(Reply(text=text), TAG)
    assert declares == isinstance(found, str)
    assert time.process_time() - before < SECONDS_MAX
