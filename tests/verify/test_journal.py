"""A chain of journal lines: the good one is read, and each defect is refused at its place."""

import gzip
import hashlib
import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.core.journal import GENESIS, BrokenJournal, Chain, Entry, asked, encode, journal_root, line_digest
from agzamov_verify.core.merkle import inclusion_proof
from agzamov_verify.core.questions import (
    ENGINE,
    MEMORY,
    Answer,
    Called,
    CallTool,
    Chat,
    EndGame,
    Evaluate,
    Evaluation,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    Message,
    NoReply,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
    Try,
)
from agzamov_verify.core.questions import encode as encode_part
from verify.inclusion import root_from_proof

RUN, STREAM = "0123456789abcdef", "p1-chess960-b000"
ANSWERS: tuple[Answer, ...] = (
    Reply(text="I push.\nMOVE: e2e4", completion_tokens=9),
    Evaluation(31, None),
    Reply(text="MOVE: é\u2028\x7f", attempts=(Try("503", "overloaded"),), finish="length"),
    Evaluation(None, -3),
    Stored(),
    Stored(refused="it holds one like this"),
    Hits((Hit("castles early", "e00002"), Hit("trades queens", "e00001")), text="2 found"),
    Called(hits=(Hit("castles early", "e00002"),), text='{"hits": []}'),
    Called(failed=True, refused="it holds one like this", text="no"),
    Settled(2),
    Exported((Kept("castles early", (), "e00001", (1,), "observation"),), more=True),
    NoReply(reason="refused"),
)
MEMORY_QUESTIONS: tuple[Question, ...] = (
    Store(
        attempt=0,
        content="castles early",
        entry="e00001",
        game="g00000",
        kind="observation",
        number=1,
        turn=0,
        to=MEMORY,
    ),
    Search(attempt=1, game="g00000", hits_max=5, number=1, query="castling", turn=3, to=MEMORY),
    CallTool(
        attempt=2,
        called_with='{"content":"castles early"}',
        content="castles early",
        entry="e00001",
        game="g00000",
        hits_max=5,
        number=1,
        tool="store",
        turn=3,
        to=MEMORY,
    ),
    EndGame(attempt=2, game="g00000", number=1, turn=0, to=MEMORY),
    Export(attempt=3, game="g00000", offset=200, turn=0, to=MEMORY),
)


def question(turn: int, answer: Answer) -> Chat | Evaluate:
    if isinstance(answer, Evaluation):
        return Evaluate(game="g00000", moves="e2e4", start_fen="8/8/8/8/8/8/8/8 w - - 0 1", turn=turn, to=ENGINE)
    return Chat(0, "g00000", (Message("Your move.", "user"),), 7, "agent", turn)


def chained(answers: Sequence[Answer], run: str = RUN, stream: str = STREAM, version: int = 1) -> list[bytes]:
    """The lines of a journal that holds these answers."""
    lines: list[bytes] = []
    for seq, answer in enumerate(answers):
        prev = hashlib.sha256(lines[-1]).hexdigest() if lines else GENESIS
        lines.append(encode(Entry(answer, prev, asked(question(seq, answer)), run, seq, stream, version)))
    return lines


GOOD = chained(ANSWERS)


@pytest.mark.parametrize("part", [*ANSWERS, *MEMORY_QUESTIONS], ids=lambda part: type(part).__name__)
def test_the_fields_of_questions_and_answers_stand_in_canonical_order(part: Question | Answer) -> None:
    data = encode_part(part)
    assert data == rfc8785.dumps(json.loads(data))


def refusal(lines: Sequence[bytes]) -> BrokenJournal:
    """The error that reading these lines ends in."""
    with pytest.raises(BrokenJournal) as caught:
        list(Chain(RUN, STREAM).read_all(lines))
    return caught.value


def test_a_good_chain_gives_back_its_answers_in_order() -> None:
    chain = Chain(RUN, STREAM)
    assert tuple(entry.answer for entry in chain.read_all(GOOD)) == ANSWERS
    assert (len(GOOD), hashlib.sha256(GOOD[-1]).hexdigest()) == (chain.entries, chain.head)


def test_an_empty_chain_has_the_genesis_head() -> None:
    row = Chain(RUN, STREAM).row([])
    assert (0, GENESIS, hashlib.sha256(b"").hexdigest()) == (row.entries, row.head, row.root)


def test_an_index_row_proves_each_of_its_lines() -> None:
    chain = Chain(RUN, STREAM)
    list(chain.read_all(GOOD))
    row = chain.row(["000000.jsonl.gz"])
    for index, line in enumerate(GOOD):
        proof = inclusion_proof(GOOD, index)
        assert row.root == root_from_proof(line, index, row.entries, proof).hex()


def test_the_journal_root_depends_on_the_order_of_its_rows() -> None:
    one, two = Chain(RUN, "a").row([]), Chain(RUN, "b").row([])
    assert journal_root([one, two]) != journal_root([two, one])


def test_a_line_is_json_that_any_reader_understands() -> None:
    line = json.loads(GOOD[0])
    assert line["answer"] == {"as": "reply", "text": "I push.\nMOVE: e2e4", "completion_tokens": 9}
    assert tuple(line[name] for name in ("v", "run", "stream", "seq", "prev")) == (1, RUN, STREAM, 0, GENESIS)
    assert {name: value for name, value in line["question"].items() if name != "digest"} == {
        "ask": "chat",
        "attempt": 0,
        "game": "g00000",
        "to": "agent",
        "turn": 0,
    }


def test_a_head_can_be_checked_with_gzip_tail_and_sha256sum_alone(tmp_path: Path) -> None:
    segment = tmp_path / "000000.jsonl.gz"
    segment.write_bytes(gzip.compress(b"".join(line + b"\n" for line in GOOD), mtime=0))
    shell = f"gzip -dc {segment} | tail -n 1 | tr -d '\\n' | sha256sum"
    printed = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, check=True, text=True).stdout
    assert line_digest(GOOD[-1]) == printed.split()[0]


EDITS = [(b"e2e4", b"d2d4"), (b":31,", b":32,"), (b"503", b"504"), (b":-3}", b":-4}")]


@pytest.mark.parametrize(("at", "edit"), list(enumerate(EDITS)))
def test_an_edited_answer_breaks_the_chain_at_the_next_entry(at: int, edit: tuple[bytes, bytes]) -> None:
    edited = GOOD[at].replace(*edit)
    error = refusal([*GOOD[:at], edited, *GOOD[at + 1 :]])
    assert (f"{STREAM} entry {at + 1}", f"prev {line_digest(edited)[:16]}") == (error.place, error.expected)
    assert error.found == f"prev {line_digest(GOOD[at])[:16]}"


def test_an_edited_last_answer_gives_another_head_and_root() -> None:
    good, edited = Chain(RUN, STREAM), Chain(RUN, STREAM)
    list(good.read_all(GOOD))
    list(edited.read_all([*GOOD[:-1], GOOD[-1].replace(b"refused", b"refusal")]))
    assert good.head != edited.head
    assert good.row([]).root != edited.row([]).root


@given(st.integers(0, len(GOOD) - 2), st.data())
def test_any_changed_byte_is_refused_at_its_line_or_the_next(at: int, data: st.DataObject) -> None:
    line = bytearray(GOOD[at])
    place = data.draw(st.integers(0, len(line) - 1))
    line[place] ^= data.draw(st.integers(1, 255))
    error = refusal([*GOOD[:at], bytes(line), *GOOD[at + 1 :]])
    assert error.place in {f"{STREAM} entry {at}", f"{STREAM} entry {at + 1}"}


@pytest.mark.parametrize("at", range(len(GOOD) - 1))
def test_a_dropped_line_is_missed_at_its_place(at: int) -> None:
    assert refusal(GOOD[:at] + GOOD[at + 1 :]).place == f"{STREAM} entry {at}"


@pytest.mark.parametrize("at", range(len(GOOD)))
def test_a_doubled_line_is_refused_at_its_second_place(at: int) -> None:
    assert refusal(GOOD[: at + 1] + GOOD[at:]).place == f"{STREAM} entry {at + 1}"


@pytest.mark.parametrize("at", range(len(GOOD) - 1))
def test_two_lines_in_the_wrong_order_are_refused_at_the_first(at: int) -> None:
    swapped = [*GOOD[:at], GOOD[at + 1], GOOD[at], *GOOD[at + 2 :]]
    assert refusal(swapped).place == f"{STREAM} entry {at}"


def test_a_dropped_last_line_gives_another_head_and_count() -> None:
    chain = Chain(RUN, STREAM)
    list(chain.read_all(GOOD[:-1]))
    assert (len(GOOD) - 1, line_digest(GOOD[-2])) == (chain.entries, chain.head)


@pytest.mark.parametrize(
    ("lines", "expected", "found"),
    [
        (chained(ANSWERS, run="f" * 16), f"run {RUN}", "run ffffffffffffffff"),
        (chained(ANSWERS, stream="another"), f"stream {STREAM}", "stream another"),
        (chained(ANSWERS, version=2), "v 1", "v 2"),
    ],
    ids=["run", "stream", "version"],
)
def test_a_whole_chain_of_another_origin_is_refused_at_its_start(lines: list[bytes], expected: str, found: str) -> None:
    error = refusal(lines)
    assert error.place == f"{STREAM} entry 0"
    assert expected in error.expected
    assert found in error.found


def test_a_sequence_number_that_skips_one_is_refused() -> None:
    second = encode(Entry(ANSWERS[0], line_digest(GOOD[0]), asked(question(1, ANSWERS[0])), RUN, 2, STREAM, 1))
    error = refusal([GOOD[0], second])
    assert (f"{STREAM} entry 1", True) == (error.place, "seq 2" in error.found)


OTHER_SPELLINGS = {
    "a space": lambda line: line.replace(b'"prev":', b'"prev": '),
    "a line feed": lambda line: line + b"\n",
    "a carriage return": lambda line: line + b"\r",
    "an escape": lambda line: line.replace(b"push", b"\\u0070ush"),
    "a default spelled out": lambda line: line.replace(b'"text":', b'"finish":"","text":'),
    "a duplicate key": lambda line: line.replace(b'"seq":0', b'"seq":0,"seq":0'),
    "fields in another order": lambda line: line.replace(b'{"answer"', b'{"v":1,"answer"').replace(b',"v":1}', b"}"),
    "minus zero": lambda line: line.replace(b'"seq":0', b'"seq":-0'),
}


@pytest.mark.parametrize("spell", OTHER_SPELLINGS.values(), ids=OTHER_SPELLINGS.keys())
def test_a_line_in_another_spelling_is_refused(spell: Callable[[bytes], bytes]) -> None:
    line = spell(GOOD[0])
    assert line != GOOD[0]
    assert refusal([line]).expected == "canonical JSON"


NO_ENTRIES = {
    "an unknown field": lambda line: line.replace(b',"v":1}', b',"v":1,"w":1}'),
    "an unknown field of the question": lambda line: line.replace(b'"turn":0', b'"turn":0,"turns":0'),
    "a missing field": lambda line: line.replace(b',"v":1', b""),
    "a number as text": lambda line: line.replace(b'"seq":0', b'"seq":"0"'),
    "a float": lambda line: line.replace(b'"seq":0', b'"seq":0.0'),
    "an answer of an unknown kind": lambda line: line.replace(b'"as":"reply"', b'"as":"oracle"'),
    "a question instead of an answer": lambda line: line.replace(b'"as":"reply"', b'"ask":"chat"'),
    "a lone surrogate": lambda line: line.replace(b"push", b"\\ud800"),
    "bytes that are not UTF-8": lambda line: line.replace(b"push", b"\xff"),
    "an integer of 5,000 digits": lambda line: line.replace(b'"seq":0', b'"seq":' + b"9" * 5000),
    "a bomb": lambda line: line.replace(b'"text"', b'"extra":' + b"[" * 10**5 + b"]" * 10**5 + b',"text"'),
    "nothing": lambda line: b"",
    "null": lambda line: b"null",
    "half a line": lambda line: line[: len(line) // 2],
    "two lines in one": lambda line: line + line,
    "a byte order mark": lambda line: b"\xef\xbb\xbf" + line,
}


@pytest.mark.parametrize("break_it", NO_ENTRIES.values(), ids=NO_ENTRIES.keys())
def test_a_line_that_is_no_entry_is_refused(break_it: Callable[[bytes], bytes]) -> None:
    error = refusal([break_it(GOOD[0])])
    assert (f"{STREAM} entry 0", "a journal entry") == (error.place, error.expected)


def test_an_unknown_field_of_an_answer_is_refused() -> None:
    line = GOOD[0].replace(b'"text"', b'"note":"trust me","text"')
    assert refusal([line]).place == f"{STREAM} entry 0"


def test_the_message_says_place_expected_and_found() -> None:
    error = refusal(chained(ANSWERS, stream="another"))
    assert str(error) == f"{error.place}: expected {error.expected}, found {error.found}"
