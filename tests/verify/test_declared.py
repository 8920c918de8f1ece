"""The declared line: the last that starts with the tag, never a thought, never anything of a cut reply."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agzamov_verify.core.limits import DECLARATION_CHARACTERS_MAX
from agzamov_verify.core.questions import NoReply, Reply
from agzamov_verify.table import declared as reading
from agzamov_verify.table.declared import (
    FINISHED,
    Accepted,
    Declared,
    Fault,
    FaultKind,
    declared,
    read_declared,
    spoken,
)

TAG = "MOVE:"
NOTHING = Fault(FaultKind.NO_ACTION, "no line starts with MOVE:")
TWICE = Fault(FaultKind.AMBIGUOUS, "MOVE: is named again after the last line that starts with it")
SECONDS_MAX = 5.0  # thousands of times what a linear reader needs, far below what a quadratic one does

PLAIN = {
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
    "a carriage return alone": ("so\rMOVE: e2e4", "e2e4"),
    "text after the line": ("MOVE: e2e4\nGood luck!", "e2e4"),
    "another tag in the line": ("MOVE: e2e4 MOVE: d2d4", "e2e4 MOVE: d2d4"),
    "a mention in prose before it": ("I would say MOVE: d2d4, but\nMOVE: e2e4", "e2e4"),
    "the same again in prose": ("MOVE: e2e4\nAs I said, MOVE: e2e4 is best.", "e2e4"),
    "the verb in prose": ("MOVE: e2e4\nThis move opens lines; other moves do not.", "e2e4"),
    "in a code block": ("```\nMOVE: e2e4\n```", "e2e4"),
}


@pytest.mark.parametrize(("text", "action"), PLAIN.values(), ids=PLAIN.keys())
def test_the_last_line_that_starts_with_the_tag_declares_the_action(text: str, action: str) -> None:
    assert Declared(action, plain=True) == declared(Reply(text=text), TAG)


DECORATED = {
    "bold": "**MOVE: e2e4**",
    "bold tag": "**MOVE:** e2e4",
    "bold tag without its colon": "**MOVE**: e2e4",
    "bold action": "MOVE: **e2e4**",
    "bold in italics": "***MOVE: e2e4***",
    "code": "`MOVE: e2e4`",
    "code, the action alone": "MOVE: `e2e4`",
    "quotation marks": 'MOVE: "e2e4"',
    "curly quotation marks": "MOVE: \u201ce2e4\u201d",
    "small letters": "move: e2e4",
    "mixed letters": "Move: e2e4",
    "a full stop": "MOVE: e2e4.",
    "a full stop in bold": "**MOVE: e2e4.**",
    "a full stop after bold": "**MOVE: e2e4**.",
    "a bullet": "- MOVE: e2e4",
    "a star bullet": "* MOVE: e2e4",
    "a number": "1. MOVE: e2e4",
    "a heading": "### MOVE: e2e4",
    "an arrow": "-> MOVE: e2e4",
    "a label": "Final answer: MOVE: e2e4",
    "a bold label": "**Final Answer:** MOVE: e2e4",
    "final": "FINAL MOVE: e2e4",
    "a space before the colon": "MOVE : e2e4",
    "full-width letters": "\uff2d\uff2f\uff36\uff25\uff1a\uff45\uff12\uff45\uff14",
    "a zero-width space": "\u200bMOVE: e2e4",
    "angle brackets": "MOVE: <e2e4>",
    "square brackets": "MOVE: [e2e4]",
    "boxed": r"MOVE: \boxed{e2e4}",
    "boxed in dollars": r"MOVE: $\boxed{\text{e2e4}}$",
    "an end token": "MOVE: e2e4<|im_end|>",
    "another end token": "MOVE: e2e4</s>",
}


@pytest.mark.parametrize("text", DECORATED.values(), ids=DECORATED.keys())
def test_decoration_is_taken_off_and_noted(text: str) -> None:
    assert Declared("e2e4", plain=False) == declared(Reply(text=text), TAG)
    assert Declared("e2e4", plain=False) == declared(Reply(text=f"MOVE: d2d4\nActually no.\n{text}\n\nGood luck!"), TAG)


DECLARES_NOTHING = {
    "an empty reply": "",
    "only white space": " \n\t\n",
    "only prose": "I play e2e4.",
    "the tag inside a sentence": "My move is MOVE: e2e4",
    "a block quote": "> MOVE: e2e4",
    "struck out": "~~MOVE: e2e4~~",
    "in round brackets": "(MOVE: e2e4)",
    "the tag without its colon": "MOVE e2e4",
    "the tag cut in two": "MOVE\n: e2e4",
    "another game's tag": "ACTION: e2e4",
    "a longer word": "REMOVE: e2e4",
    "the plural": "Moves: e2e4",
    "the prompt's own lines": "Moves so far: e2e4\nLegal moves: e2e4 d2d4",
}


@pytest.mark.parametrize("text", DECLARES_NOTHING.values(), ids=DECLARES_NOTHING.keys())
def test_a_reply_without_such_a_line_declares_nothing(text: str) -> None:
    assert declared(Reply(text=text), TAG) == NOTHING


NAMED_AGAIN = {
    "another in prose": "MOVE: e2e4\nOr would MOVE: d2d4 be better?",
    "another without the colon": "MOVE: e2e4\nOn reflection, I MOVE d2d4.",
    "another in a block quote": "MOVE: e2e4\n> MOVE: d2d4",
    "another in brackets": "MOVE: e2e4\n(MOVE: d2d4)",
    "a longer one that begins the same": "MOVE: e7e8\nso MOVE: e7e8q",
    "the same and another": "MOVE: e2e4\nNot MOVE: e2e4 but MOVE: d2d4",
    "very often": "MOVE: e2e4\nI say " + "MOVE: e2e4 " * 50,
}


@pytest.mark.parametrize("text", NAMED_AGAIN.values(), ids=NAMED_AGAIN.keys())
def test_what_a_later_line_puts_in_doubt_is_not_declared(text: str) -> None:
    assert declared(Reply(text=text), TAG) == TWICE


def test_a_later_amount_that_begins_the_same_is_another() -> None:
    assert isinstance(declared(Reply(text="ACTION: raise to 1\nI mean ACTION: raise to 1.5"), "ACTION:"), Fault)
    assert isinstance(declared(Reply(text="ACTION: raise to 1\nI mean ACTION: raise to 12"), "ACTION:"), Fault)


def test_the_tag_is_the_games_own() -> None:
    assert declared(Reply(text="MOVE: e2e4\nACTION: call"), "ACTION:") == Declared("call", plain=True)


@pytest.mark.parametrize("before", ["", "[a mark]\n"], ids=["read at once", "line by line"])
@pytest.mark.parametrize(("characters", "is_read"), [(200, True), (201, False)])
def test_a_declaration_has_at_most_200_characters(characters: int, is_read: bool, before: str) -> None:
    """Rule 5 of docs/reading.md; a longer line declares its first 200, which are no action."""
    line = f"{TAG}{'e2e4':>{characters - len(TAG)}}"
    found = declared(Reply(text=before + line), TAG)
    assert isinstance(found, Declared)
    assert (len(line), found.text) == (characters, "e2e4" if is_read else line[:200])


def test_a_line_that_is_too_long_is_no_action() -> None:
    found = declared(Reply(text="MOVE: d2d4\nMOVE: e2e4 " + "because " * 40), TAG)
    assert isinstance(found, Declared)
    assert (len(found.text) <= DECLARATION_CHARACTERS_MAX, found.text != "e2e4") == (True, True)


# --- thoughts ------------------------------------------------------------------------------------

THOUGHTS = {
    "closed": "<think>MOVE: d2d4\n</think>",
    "in capitals": "<THINK>MOVE: d2d4\n</Think>",
    "with another name": "<thinking>\nMOVE: d2d4\n</thinking>",
    "with an attribute": '<think signature="x">\nMOVE: d2d4\n</think>',
    "with white space": "< think >\nMOVE: d2d4\n</ think >",
    "with a prefix": "<seed:think>\nMOVE: d2d4\n</seed:think>",
    "as a thought": "<thought>\nMOVE: d2d4\n</thought>",
    "as reasoning": "<reasoning>\nMOVE: d2d4\n</reasoning>",
    "in square brackets": "[THINK]\nMOVE: d2d4\n[/THINK]",
    "in triangles": "\u25c1think\u25b7\nMOVE: d2d4\n\u25c1/think\u25b7",
    "escaped": "&lt;think&gt;\nMOVE: d2d4\n&lt;/think&gt;",
    "between tokens": "<|begin_of_thought|>\nMOVE: d2d4\n<|end_of_thought|>",
    "between other tokens": "<|START_THINKING|>\nMOVE: d2d4\n<|END_THINKING|>",
    "between inner tokens": "<|inner_prefix|>\nMOVE: d2d4\n<|inner_suffix|>",
    "between unused tokens": "<unused94>thought\nMOVE: d2d4\n<unused95>",
    "nested": "<think>\n<think>\nMOVE: a2a3\n</think>\nMOVE: d2d4\n</think>",
    "two": "<think>\nMOVE: d2d4\n</think>\nWell.\n<think>\nMOVE: a2a3\n</think>",
    "opened by the prompt": "MOVE: d2d4\n</think>",
    "in a channel": "<|channel|>analysis<|message|>\nMOVE: d2d4\n<|end|><|start|>assistant<|channel|>final<|message|>",
    "in a channel whose answer has no header": "<|channel|>analysis<|message|>\nMOVE: d2d4\n<|end|>",
    "in a half-open channel": "<|channel>thought\nMOVE: d2d4\n<channel|>",
}


@pytest.mark.parametrize("thought", THOUGHTS.values(), ids=THOUGHTS.keys())
@pytest.mark.parametrize("answer", ["MOVE: e2e4", "\n\nI choose:\n**MOVE: e2e4**\n"])
def test_a_thought_is_not_read_and_what_follows_is(thought: str, answer: str) -> None:
    found = declared(Reply(text=thought + answer), TAG)
    assert isinstance(found, Declared)
    assert found.text == "e2e4"


@pytest.mark.parametrize("thought", THOUGHTS.values(), ids=THOUGHTS.keys())
def test_a_thought_alone_declares_nothing(thought: str) -> None:
    assert declared(Reply(text=thought), TAG) == NOTHING


UNCLOSED = {
    "never closed": "<think>\nMOVE: e2e4\n",
    "a tag that is never finished": "<think\nMOVE: e2e4\n",
    "the outer of two": "<think>\n<think>\nso\n</think>\nMOVE: e2e4",
    "after one that was closed": "<think>so</think>\nHm.\n<think>\nMOVE: e2e4",
    "in square brackets": "[THINK]\nMOVE: e2e4",
    "in a channel": "<|channel|>analysis<|message|>\nMOVE: e2e4",
    "in a channel of calls": "<|channel|>commentary to=functions.play<|message|>\nMOVE: e2e4",
    "between tokens": "<|begin_of_thought|>\nMOVE: e2e4",
}


@pytest.mark.parametrize("text", UNCLOSED.values(), ids=UNCLOSED.keys())
def test_a_thought_that_is_never_closed_goes_on_to_the_end(text: str) -> None:
    assert declared(Reply(text=text, finish="stop"), TAG) == NOTHING


def test_a_thought_after_the_answer_does_not_touch_it() -> None:
    text = "MOVE: e2e4\n<think>\nOr MOVE: d2d4?\n</think>"
    assert declared(Reply(text=text), TAG) == Declared("e2e4", plain=True)
    assert declared(Reply(text="MOVE: e2e4 <think/>"), TAG) == Declared("e2e4", plain=True)
    assert declared(Reply(text="MOVE: e2e4<|end|>"), TAG) == Declared("e2e4", plain=False)


def test_what_stood_around_a_thought_does_not_grow_together() -> None:
    assert declared(Reply(text="ACTION: raise to 1<think>so</think>2"), "ACTION:") == Declared(
        "raise to 1 2", plain=True
    )


def test_words_about_thinking_are_no_thought() -> None:
    for text in ("I think.\nMOVE: e2e4", "<b>thinking</b>\nMOVE: e2e4", "a < b, thinks <me>\nMOVE: e2e4"):
        assert spoken(text) == text


# --- cut replies ---------------------------------------------------------------------------------

ECHOED = """<think>The forms are
ACTION: fold
ACTION: raise to 7.5
ACTION: all-in
The amount of a bet"""


@pytest.mark.parametrize("opening", ["<think>", "", "<|channel|>analysis<|message|>", "[THINK]"])
def test_a_reply_cut_in_thought_that_echoes_the_forms_declares_nothing(opening: str) -> None:
    """A server that always said this was once credited with an all-in every hand, and no error was counted."""
    fault = declared(Reply(text=ECHOED.replace("<think>", opening), finish="length"), "ACTION:")
    assert isinstance(fault, Fault)
    assert fault.kind is FaultKind.CUT


@pytest.mark.parametrize(
    "text",
    ["MOVE: e7e8", "MOVE: e7e8q\n", "MOVE: e7e8q\nNow I will expl", "So\nMOVE: e2e4\n\n", "MOVE: a2a3\nMOVE: e7e8"],
)
@pytest.mark.parametrize("finish", ["length", "LENGTH", "max_tokens", "content_filter", "abort", "load", "error"])
def test_a_reply_that_its_server_did_not_finish_declares_nothing(text: str, finish: str) -> None:
    fault = declared(Reply(text=text, finish=finish), TAG)
    assert fault == Fault(FaultKind.CUT, "the reply was cut off, and a cut reply declares nothing")


@pytest.mark.parametrize("finish", [*sorted(FINISHED), "STOP", "COMPLETE"])
def test_a_reply_that_ended_by_itself_is_read(finish: str) -> None:
    assert declared(Reply(text="MOVE: e7e8", finish=finish), TAG) == Declared("e7e8", plain=True)


def test_no_reply_is_its_own_kind_of_fault() -> None:
    assert declared(NoReply(reason="MOVE: e2e4"), TAG) == Fault(FaultKind.NO_REPLY, "there was no reply")


def test_an_exact_action_on_a_decorated_line_is_normalised() -> None:
    def read(text: str) -> Accepted[str] | Fault:
        return Accepted(text, exact=text == "e2e4")

    found = [read_declared(Reply(text=f"MOVE: {text}"), TAG, read) for text in ("e2e4", "**e2e4**", "E2E4")]
    assert found == [Accepted("e2e4", exact=True), Accepted("e2e4", exact=False), Accepted("E2E4", exact=False)]


# --- hostile replies -----------------------------------------------------------------------------


def by_lines(text: str) -> str | None:
    """The rule for undecorated lines, word for word, over the list of all lines."""
    declaring = [line.strip() for line in text.split("\n") if line.strip().startswith(TAG)]
    return declaring[-1].removeprefix(TAG).strip() if declaring else None


pieces = st.sampled_from(["MOVE:", ":", "\n", " ", "\t", "x", "e2e4", "MOVE: e2e4\n"])


@given(st.lists(pieces, max_size=12).map("".join))
def test_a_plain_line_is_read_by_the_rule_over_the_list_of_all_lines(text: str) -> None:
    found = declared(Reply(text=text), TAG)
    if isinstance(found, Declared) and found.plain:
        assert by_lines(text) == found.text
    elif found == NOTHING:
        assert by_lines(text) is None


noise = st.sampled_from(
    ["<", ">", "|", "/", "think", "channel", "final", "analysis", "end", "[", "]", "*", "MOVE", ":", "\n", " ", "e2e4"]
)


@given(st.lists(noise, max_size=40).map("".join))
def test_whatever_a_thought_holds_a_later_answer_is_read(text: str) -> None:
    reply = Reply(text=f"{text.replace('channel', 'x')}</think></think>\n</think>\nMOVE: d2d4")
    depth_left = spoken(reply.text).strip()
    found = declared(reply, TAG)
    assert (depth_left == "") == (found == NOTHING)
    assert isinstance(found, Fault) or found.text == "d2d4"


HUGE = {
    "one line of tags": "MOVE:" * 200_000,
    "one line of tags after a word": "x" + "MOVE:" * 200_000,
    "a declared line, then one of tags": "MOVE: e2e4\nx " + "MOVE: e2e4 " * 100_000,
    "a declared line, then many with the tag": "MOVE: e2e4\n" + "x MOVE: e2e4\n" * 80_000,
    "many lines with the tag in prose": "x MOVE:\n" * 200_000,
    "many lines of half tags": "MOVE\n" * 200_000,
    "many empty lines": "MOVE:\n" + "\n" * 1_000_000,
    "a long indentation": "x MOVE:\n" + " " * 1_000_000 + "MOVE:",
    "stars": "*" * 1_000_000 + "MOVE: e2e4",
    "stars after the tag": "MOVE" + "*" * 1_000_000 + ": e2e4",
    "opening brackets": "<" * 1_000_000,
    "brackets and spaces": "< " * 500_000,
    "one bracket, then spaces": "<" + " " * 1_000_000 + "think>",
    "opened thoughts": "<think>" * 150_000,
    "unfinished thoughts": "<think " * 150_000,
    "closed thoughts": "x</think>" * 100_000,
    "thoughts with long attributes": ("<think " + "a" * 79) * 10_000,
    "channels": "<|channel|>" * 90_000,
    "escaped brackets": "&lt;" * 250_000,
    "boxes": "MOVE: " + "\\boxed{" * 140_000,
    "tokens": "MOVE: e2e4" + "<|a|>" * 200_000,
    "labels": "final answer: " * 70_000 + "MOVE: e2e4",
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_a_hostile_reply_of_a_megabyte_takes_bounded_time(text: str) -> None:
    before = time.process_time()
    found = declared(Reply(text=text), TAG)
    assert time.process_time() - before < SECONDS_MAX
    assert isinstance(found, Fault | Declared)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            (
                *("MOVE: e2e4", "move: e2e4", "**MOVE: e2e4**", "MOVE:", "MOVEMENT: 1", "MOVE: e2e4.", "MOVE: d2d4"),
                *("\n", "\r", "\f", "\u2028", " ", "\t", "&", "[", "é", "<think>", "</think>", "I think"),
                "MOVE: " + "x" * 999,
            )
        ),
        max_size=8,
    )
)
def test_a_declaration_on_the_last_line_reads_as_if_every_line_was_looked_at(parts: list[str]) -> None:
    reply = Reply(text="".join(parts))
    quick = reading.declared(reply, "MOVE:")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_plain_declaration", lambda _text, _tag: "")
        assert quick == reading.declared(reply, "MOVE:")
