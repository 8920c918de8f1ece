"""Canonical JSON against rfc8785, another implementation of RFC 8785, and against hostile bytes."""

import json
import string

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.core import canon, journal, questions
from agzamov_verify.core.canon import DEPTH_MAX, INTEGER_MAX, NotCanonical
from agzamov_verify.core.merkle import root_of

integers = st.integers(-INTEGER_MAX, INTEGER_MAX)
texts = st.text(st.characters(exclude_categories=("Cs",)))
keys = st.text(st.characters(max_codepoint=127))
values = st.recursive(
    st.none() | st.booleans() | integers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
).filter(lambda value: _depth(value) <= DEPTH_MAX)


def _depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@given(values)
def test_a_profile_value_has_the_bytes_that_rfc8785_gives_it(value: object) -> None:
    assert canon.dumps(value) == rfc8785.dumps(value)


@given(values)
def test_canonical_bytes_read_back_as_the_value(value: object) -> None:
    assert canon.loads(canon.dumps(value)) == value


@given(values)
def test_any_other_spelling_of_a_value_is_refused(value: object) -> None:
    canonical = canon.dumps(value)
    other = json.dumps(value, indent=1, sort_keys=True).encode()
    if other != canonical:
        with pytest.raises(NotCanonical):
            canon.loads(other)


@given(st.binary(max_size=60) | st.text(string.printable + "é\u2028", max_size=60).map(str.encode))
def test_bytes_are_read_or_refused_and_never_anything_else(data: bytes) -> None:
    try:
        value = canon.loads(data)
    except NotCanonical:
        return
    assert rfc8785.dumps(value) == data


REFUSED_BYTES = {
    "a float": b"1.5",
    "an integer written as a float": b"1.0",
    "an exponent": b"1e5",
    "a float beyond range": b"1e999",
    "minus zero": b"-0",
    "a leading zero": b"01",
    "two to the 53": b"9007199254740992",
    "minus two to the 53": b"-9007199254740992",
    "two to the 64": b"18446744073709551616",
    "an integer of 5,000 digits": b"9" * 5000,
    "not a number": b"NaN",
    "infinity": b"Infinity",
    "a duplicate key": b'{"a":1,"a":2}',
    "a duplicate key with one value": b'{"a":1,"a":1}',
    "keys out of order": b'{"b":1,"a":2}',
    "a key that is a number": b"{1:2}",
    "a non-ASCII key": '{"é":1}'.encode(),
    "an escaped non-ASCII key": b'{"\\u00e9":1}',
    "nine levels": b"[" * 9 + b"]" * 9,
    "nine levels of objects": b'{"a":' * 9 + b"1" + b"}" * 9,
    "a bomb of open brackets": b"[" * 10**5,
    "a bomb of closed brackets": b"[" * 10**5 + b"]" * 10**5,
    "a bomb of objects": b'{"a":' * 10**5 + b"1" + b"}" * 10**5,
    "a byte order mark": b"\xef\xbb\xbf1",
    "UTF-16": "[1]".encode("utf-16"),
    "UTF-32": "[1]".encode("utf-32"),
    "an escaped high surrogate": b'"\\ud800"',
    "an escaped high surrogate before a letter": b'"\\ud800a"',
    "an escaped low surrogate": b'"\\udc00"',
    "two escaped high surrogates": b'"\\ud800\\ud800"',
    "a lone surrogate as a key": b'{"\\ud800":1}',
    "a surrogate in UTF-8": b'"\xed\xa0\x80"',
    "bytes that are not UTF-8": b'"\xff"',
    "an overlong encoding": b'"\xc0\xaf"',
    "an escape that is not needed": b'"\\u0041"',
    "an escaped pair that is not needed": b'"\\ud83d\\ude00"',
    "an escaped slash": b'"\\/"',
    "an escape in capitals": b'"\\u001F"',
    "a control character": b'"\x01"',
    "a space before": b" 1",
    "a line feed after": b"1\n",
    "a space between": b'{"a": 1}',
    "two values": b"1 2",
    "a trailing comma": b"[1,]",
    "a comment": b"[1/**/]",
    "single quotes": b"'a'",
    "an open string": b'"a',
    "nothing": b"",
}


@pytest.mark.parametrize("data", REFUSED_BYTES.values(), ids=REFUSED_BYTES.keys())
def test_bytes_outside_the_profile_are_refused(data: bytes) -> None:
    with pytest.raises(NotCanonical):
        canon.loads(data)


def cycle() -> object:
    endless: list[object] = []
    endless.append(endless)
    return endless


REFUSED_VALUES = {
    "a float": 1.5,
    "a float deep inside": {"a": [0, {"b": 2.0}]},
    "not a number": float("nan"),
    "infinity": float("inf"),
    "two to the 53": 2**53,
    "minus two to the 53": -(2**53),
    "two to the 70": 2**70,
    "a non-ASCII key": {"é": 1},
    "a lone surrogate": "\ud800",
    "a lone surrogate inside": {"a": ["x\udc00y"]},
    "a lone surrogate as a key": {"\ud800": 1},
    "a key that is a number": {1: 2},
    "a key that is nothing": {None: 1},
    "nine levels": nested(9),
    "a hundred thousand levels": nested(10**5),
    "a list within itself": cycle(),
}


@pytest.mark.parametrize("value", REFUSED_VALUES.values(), ids=REFUSED_VALUES.keys())
def test_a_value_outside_the_profile_is_refused(value: object) -> None:
    with pytest.raises(NotCanonical):
        canon.dumps(value)


def test_eight_levels_and_the_largest_integers_are_inside_the_profile() -> None:
    value = [nested(7), 2**53 - 1, 1 - 2**53]
    assert canon.dumps(value) == b"[[[[[[[[1]]]]]]],9007199254740991,-9007199254740991]"
    assert value == canon.loads(canon.dumps(value))


def test_the_message_says_where_a_value_leaves_the_profile() -> None:
    with pytest.raises(NotCanonical, match=r"^\$\.seats\[1\]\.price: expected no float, found 0\.5"):
        canon.dumps({"seats": [{}, {"price": 0.5}]})


def test_the_message_says_from_which_byte_on_the_spelling_differs() -> None:
    with pytest.raises(NotCanonical, match="from byte 5 on"):
        canon.loads(b'{"a": 1}')


def test_a_digest_is_the_sha256_of_the_canonical_bytes() -> None:
    # printf '{"a":1,"b":[true,null]}' | sha256sum
    expected = "1cc69c7fa23616ca2ec3ee70d24390a6225c8832db8a4c814c7e0e7f942f8668"
    assert expected == canon.digest({"b": [True, None], "a": 1})


@pytest.mark.parametrize(
    ("left", "right", "at"), [(b"", b"", 0), (b"ab", b"ab", 2), (b"a", b"ab", 1), (b"xb", b"ab", 0)]
)
def test_the_first_difference_is_an_offset_in_both(left: bytes, right: bytes, at: int) -> None:
    assert at == canon.first_difference(left, right)


# The encoders of questions and entries do not sort: fields must stand in alphabetical order.

QUESTIONS_AND_ANSWERS = [
    kind for kind in vars(questions).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
]


@pytest.mark.parametrize("kind", QUESTIONS_AND_ANSWERS)
def test_a_field_of_a_question_or_answer_that_holds_its_default_is_left_out(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.omit_defaults
    defaults = [field.default for field in msgspec.structs.fields(kind) if field.default is not msgspec.NODEFAULT]
    assert all(default in ("", 0, False, ()) for default in defaults), "msgspec compares any other by identity"


counts = st.integers(0, INTEGER_MAX)
sent_calls = st.lists(st.builds(questions.SentCall, texts, texts, texts), max_size=2).map(tuple)
messages = st.builds(questions.Message, texts, texts, texts, sent_calls)
tools = st.lists(st.builds(questions.Tool, texts, texts, texts), max_size=2).map(tuple)
talks = st.lists(messages, max_size=3).map(tuple)
chats = st.builds(questions.Chat, counts, texts, talks, counts, texts, counts, tools)
evaluates = st.builds(questions.Evaluate, to=texts, game=texts, moves=texts, start_fen=texts, turn=counts)
tries = st.lists(st.builds(questions.Try, texts, texts), max_size=2).map(tuple)
tool_calls = st.lists(st.builds(questions.ToolCall, texts, texts), max_size=2).map(tuple)
REPORTED = {"text": texts, "attempts": tries, "finish": texts, "model": texts, "tool_calls": tool_calls}
COUNTED = dict.fromkeys(("cached_tokens", "completion_tokens", "prompt_tokens", "reasoning_tokens"), counts)
replies = st.builds(questions.Reply, **REPORTED, **COUNTED) | st.builds(questions.Reply, text=texts)
no_replies = st.builds(questions.NoReply, reason=texts, attempts=tries)
evaluations = st.builds(questions.Evaluation, integers | st.none(), integers | st.none())
answers = replies | no_replies | evaluations
entries = st.builds(
    journal.Entry,
    answers,
    texts,
    st.builds(journal.Asked, texts, counts, texts, texts, texts, counts),
    texts,
    counts,
    texts,
    counts,
)


@given(chats | evaluates | answers)
def test_a_question_or_answer_is_encoded_as_rfc8785_encodes_its_builtins(value: questions.Question) -> None:
    assert questions.encode(value) == rfc8785.dumps(msgspec.to_builtins(value)) == canon.dumps(value)


@given(entries)
def test_a_journal_entry_is_encoded_as_rfc8785_encodes_its_builtins(entry: journal.Entry) -> None:
    assert journal.encode(entry) == rfc8785.dumps(msgspec.to_builtins(entry)) == canon.dumps(entry)


@given(st.builds(journal.StreamRow, counts, texts, texts, st.lists(texts, max_size=3).map(tuple), texts))
def test_an_index_row_is_hashed_as_rfc8785_encodes_its_builtins(row: journal.StreamRow) -> None:
    assert journal.journal_root([row]) == root_of([rfc8785.dumps(msgspec.to_builtins(row))]).hex()
