"""Hostile folders and files: links, pipes, bombs, broken JSON, smuggled options, terminal escapes."""

import gzip
import json
import os
import re
import socket
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agzamov_verify import bundle
from agzamov_verify.journal import LINE_BYTES_MAX, SEGMENT_BYTES_MAX
from agzamov_verify.questions import Answer, Chat, Question, Reply
from agzamov_verify.reading import DirectorySource, HostileBundle, gzip_lines
from bundles.hostile.refusals import refused, shown
from bundles.workshop import (
    CHESS1,
    SELF_PLAY,
    TINY,
    Draft,
    bind,
    check,
    checksum,
    journal_file,
    lines,
    make,
    put_envelope,
    put_lines,
    reindex,
    replace_manifest,
    reseal,
    sign,
    told,
    world_of,
    zipped,
)

MIB = 2**20
ESCAPE = "\x1b]0;owned\x07\x1b[2J\x1b[31m"
TRICKS = ESCAPE + "\x9b31m \N{RIGHT-TO-LEFT OVERRIDE}txt.exe \r \N{LINE SEPARATOR} \N{ZERO WIDTH SPACE}"


@pytest.fixture
def draft(tiny: Path) -> Draft:
    return Draft.of(tiny)


# --- what a folder may hold ------------------------------------------------------------------------


def spoil(root: Path, name: str, put: Callable[[Path], object]) -> Path:
    """Replace a file by something that is no regular file."""
    (root / name).unlink()
    put(root / name)
    return root


@pytest.mark.parametrize("name", [bundle.RESULTS_FILE, bundle.PAYLOAD_FILE, bundle.ENVELOPE_FILE])
def test_a_symbolic_link_is_refused_even_to_the_right_bytes(name: str, draft: Draft, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(draft.files[name])
    root = spoil(draft.write(tmp_path), name, lambda path: path.symlink_to(kept))
    assert refused(root, 1, name).findings[0].found == "l"


def test_a_symbolic_link_to_a_folder_is_refused(draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    (root / "data" / "etc").symlink_to("/etc")
    refused(root, 1, "data/etc")


def test_a_link_to_itself_is_refused(draft: Draft, tmp_path: Path) -> None:
    refused(spoil(draft.write(tmp_path), bundle.BAGIT_FILE, lambda path: path.symlink_to(path.name)), 1, "bagit.txt")


def test_a_pipe_is_refused_and_never_waited_for(draft: Draft, tmp_path: Path) -> None:
    root = spoil(draft.write(tmp_path), bundle.INDEX_FILE, os.mkfifo)
    assert refused(root, 1, bundle.INDEX_FILE).findings[0].found == "p"


def test_a_socket_is_refused(draft: Draft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)  # a socket's whole path must be short
    root = draft.write(Path())
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("bundle/data/socket")
        refused(root, 1, "data/socket")


def test_a_hard_link_is_a_regular_file(draft: Draft, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(draft.files[bundle.RESULTS_FILE])
    root = spoil(draft.write(tmp_path), bundle.RESULTS_FILE, lambda path: path.hardlink_to(kept))
    assert check(root).level == "V1"


def test_a_folder_where_a_file_should_be_is_refused(draft: Draft, tmp_path: Path) -> None:
    refused(spoil(draft.write(tmp_path), bundle.ENVELOPE_FILE, Path.mkdir), 1, bundle.ENVELOPE_FILE)


def test_a_file_that_claims_ten_gigabytes_is_refused_unread(draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    os.truncate(root / bundle.RESULTS_FILE, 10 * 2**30)
    assert "10737418240 bytes" in refused(root, 1, bundle.RESULTS_FILE).findings[0].found


def test_many_files_that_claim_too_much_together_are_refused_unread(draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    for number in range(65):
        (root / "data" / f"hole{number}").touch()
        os.truncate(root / "data" / f"hole{number}", 2**30)
    refused(root, 1, "bundle")


@pytest.mark.parametrize("name", [f"data/{ESCAPE}", "data/\N{RIGHT-TO-LEFT OVERRIDE}txt", "data/-rf", "data/a\nb"])
def test_a_file_name_with_control_characters_is_shown_escaped(name: str, draft: Draft, tmp_path: Path) -> None:
    draft.files[name.replace("/owned", "owned")] = b""
    refused(draft.write(tmp_path), 1, "data/")


def test_a_file_name_that_is_not_unicode_is_shown_escaped(draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    (root / os.fsdecode(b"data/\xff\xfe")).write_bytes(b"")
    refused(root, 1, "data/\\udcff\\udcfe")


def test_a_folder_that_goes_down_and_down_is_refused(draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    (root / "data" / "/".join("d" * 200)).mkdir(parents=True)
    refused(root, 1, "data/d/d/d/d")


def test_a_path_that_is_no_bundle_is_a_finding(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "nowhere", tmp_path / "pipe"):
        refused(place, 1, str(place))
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", 1, bundle.BAGIT_FILE)


# --- gzip ------------------------------------------------------------------------------------------


def put_segment(draft: Draft, data: bytes) -> None:
    """Make these bytes a journal segment, with everything around it consistent."""
    reindex(draft)
    draft.files[journal_file(SELF_PLAY)] = data
    reseal(draft)


def bomb(size: int, filler: bytes = b" ") -> bytes:
    """`size` bytes that compress a thousandfold."""
    packer = zlib.compressobj(9, wbits=31)
    packed = b"".join(packer.compress(filler * MIB) for _ in range(size // MIB))
    packed += packer.flush()
    assert len(packed) * 900 < size
    return packed


def test_bytes_after_the_gzip_member_are_refused(draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, draft.files[journal_file(SELF_PLAY)] + b"PK\3\4")
    assert refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY)).findings[0].found == "bytes after it"


def test_a_second_gzip_member_is_refused(draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, draft.files[journal_file(SELF_PLAY)] + zipped(b"more\n"))
    assert refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY)).findings[0].found == "bytes after it"


def test_an_empty_second_member_is_refused(draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, draft.files[journal_file(SELF_PLAY)] + gzip.compress(b""))
    refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY))


def test_a_wrong_gzip_checksum_is_refused(draft: Draft, tmp_path: Path) -> None:
    data = bytearray(draft.files[journal_file(SELF_PLAY)])
    data[-8] ^= 1
    put_segment(draft, bytes(data))
    refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY))


@pytest.mark.parametrize(
    "data", [zlib.compress(b"x"), b"\x28\xb5\x2f\xfd", b"BZh9", b""], ids=["zlib", "zstd", "bzip2", "nothing"]
)
def test_another_compression_is_refused(data: bytes, draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, data)
    refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY))


def test_a_bomb_of_one_endless_line_is_refused_in_little_memory(draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, bomb(512 * MIB))
    root = draft.write(tmp_path)
    verdict, peak = measured(lambda: refused(root, 6, journal_file(SELF_PLAY)))
    assert verdict.findings[0].expected == f"lines of at most {LINE_BYTES_MAX} bytes"
    assert peak < 16 * MIB


def test_a_bomb_of_line_feeds_is_refused_in_little_memory(draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, bomb(256 * MIB, b"\n"))
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 6, f"{SELF_PLAY} entry 0"))
    assert peak < 64 * MIB


def test_a_bomb_in_a_timing_file_is_refused_in_little_memory(draft: Draft, tmp_path: Path) -> None:
    draft.files[bundle.timing_name(SELF_PLAY)] = bomb(256 * MIB, b"\n")
    reseal(draft)
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 10, bundle.timing_name(SELF_PLAY)))
    assert peak < 64 * MIB


def test_a_timing_file_of_countless_good_laps_is_not_kept(draft: Draft, tmp_path: Path) -> None:
    packer = zlib.compressobj(9, wbits=31)
    names = (b'{"to":"a%d","us":%d}\n' % (number, number) for number in range(10**6))
    draft.files[bundle.timing_name(SELF_PLAY)] = b"".join(map(packer.compress, names)) + packer.flush()
    reseal(draft)
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 10, bundle.timing_name(SELF_PLAY)))
    assert peak < 32 * MIB


def test_a_bomb_of_good_lines_stops_at_the_segments_limit(tmp_path: Path) -> None:
    (tmp_path / "segment").write_bytes(bomb(SEGMENT_BYTES_MAX + MIB, b"x" * 1023 + b"\n"))
    source = DirectorySource(tmp_path)
    found = gzip_lines(source, "segment", "0" * 64, LINE_BYTES_MAX, SEGMENT_BYTES_MAX)

    def read_all() -> int:
        read = 0
        try:
            for line in found:
                read += len(line) + 1
        except HostileBundle as error:
            assert error.expected == f"at most {SEGMENT_BYTES_MAX} bytes inflated"
        return read

    read, peak = measured(read_all)
    assert SEGMENT_BYTES_MAX - 2 * MIB < read <= SEGMENT_BYTES_MAX
    assert peak < 16 * MIB


def measured(act: Callable[[], Any]) -> tuple[Any, int]:
    """What `act` gives, and the most memory that Python held meanwhile."""
    tracemalloc.start()
    try:
        return act(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# --- JSON ------------------------------------------------------------------------------------------

DEEP = b"[" * 100_000 + b"]" * 100_000
BAD_JSON = {
    "a depth bomb": DEEP,
    "a depth bomb of objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "a depth just below the recursion limit": b"[" * 900 + b"]" * 900,
    "an integer of 5,000 digits": b"9" * 5_000,
    "not a number": b"NaN",
    "a float": b"1e999",
    "a duplicate key": b'{"format":1,"format":1}',
    "a lone surrogate": b'"\\ud800"',
    "bytes that are not UTF-8": b'"\xff"',
    "overlong UTF-8": b'"\xc0\xaf"',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "UTF-32": '{"a":1}'.encode("utf-32-be"),
    "nothing": b"",
    "half": b'{"a":',
    "two values": b"{}{}",
    "a NUL": b"\0",
    "escapes for a terminal": b'"\x1b[2J"',
}


def into_manifest(draft: Draft, data: bytes) -> None:
    draft.files[bundle.MANIFEST_FILE] = data
    reseal(draft)


def into_manifest_title(draft: Draft, data: bytes) -> None:
    there = draft.files[bundle.MANIFEST_FILE]
    into_manifest(draft, there.replace(b'"title":"Tiny"', b'"title":' + data))


def into_index(draft: Draft, data: bytes) -> None:
    draft.files[bundle.INDEX_FILE] = data
    reseal(draft)


def into_results(draft: Draft, data: bytes) -> None:
    draft.files[bundle.RESULTS_FILE] = data
    reseal(draft)


def into_results_run(draft: Draft, data: bytes) -> None:
    run = b'"run":"' + draft.manifest.run_id.encode() + b'"'
    into_results(draft, draft.files[bundle.RESULTS_FILE].replace(run, b'"run":' + data))


def into_timing_table(draft: Draft, data: bytes) -> None:
    draft.files[bundle.TIMING_FILE] = data
    reseal(draft)


def into_envelope(draft: Draft, data: bytes) -> None:
    draft.files[bundle.ENVELOPE_FILE] = data


def into_statement(draft: Draft, data: bytes) -> None:
    sign(draft, payload=data)


def into_journal(draft: Draft, data: bytes) -> None:
    if b"\n" in data:
        data = data.replace(b"\n", b"")
    put_lines(draft, SELF_PLAY, [data, *lines(draft, SELF_PLAY)[1:]])
    reindex(draft)
    reseal(draft)


def into_answer(draft: Draft, data: bytes) -> None:
    first, *others = lines(draft, SELF_PLAY)
    put_lines(draft, SELF_PLAY, [first.replace(b'"text":', b'"id":' + data + b',"text":'), *others])
    reindex(draft)
    reseal(draft)


def into_lap(draft: Draft, data: bytes) -> None:
    draft.files[bundle.timing_name(SELF_PLAY)] = zipped(b'{"to":' + data.replace(b"\n", b"") + b',"us":1}\n')
    reseal(draft)


DOORS = {
    into_manifest: (4, bundle.MANIFEST_FILE),
    into_manifest_title: (4, bundle.MANIFEST_FILE),
    into_index: (6, bundle.INDEX_FILE),
    into_journal: (6, f"{SELF_PLAY} entry 0"),
    into_answer: (6, f"{SELF_PLAY} entry 0"),
    into_lap: (10, bundle.timing_name(SELF_PLAY)),
    into_results: (10, bundle.RESULTS_FILE),
    into_results_run: (10, bundle.RESULTS_FILE),
    into_timing_table: (10, bundle.TIMING_FILE),
    into_envelope: (3, bundle.ENVELOPE_FILE),
    into_statement: (3, bundle.ENVELOPE_FILE),
}


@pytest.mark.parametrize("data", BAD_JSON.values(), ids=BAD_JSON.keys())
@pytest.mark.parametrize("door", DOORS, ids=[door.__name__ for door in DOORS])
def test_bad_json_is_a_finding_at_every_door(
    door: Callable[[Draft, bytes], None], data: bytes, draft: Draft, tmp_path: Path
) -> None:
    door(draft, data)
    step, place = DOORS[door]
    root = draft.write(tmp_path)
    refused(root, step, place)
    for arguments in ((), ("--json",), ("--game", f"{CHESS1}-g00000")):
        shown(root, *arguments)


# --- what a manifest may not smuggle ---------------------------------------------------------------


@pytest.mark.parametrize(
    "extra",
    [
        {"path": "/bin/sh"},
        {"options": {"Debug Log File": "/tmp/owned"}},  # noqa: S108 - a path that must never be written
        {"EvalFile": "/etc/passwd"},
        {"threads": 64},
    ],
    ids=["a path", "an option that writes", "another net", "threads"],
)
def test_an_engine_path_or_option_in_a_manifest_is_refused(extra: dict[str, Any], draft: Draft, tmp_path: Path) -> None:
    replace_manifest(draft, lambda value: value["plan"]["engine"].update(extra))
    reseal(draft)
    refused(draft.write(tmp_path), 4, bundle.MANIFEST_FILE)


@pytest.mark.parametrize("name", ["x\nsetoption name Debug Log File value /tmp/owned", "x\x1b[2J", "x\r"])
def test_an_engine_name_with_a_line_end_is_refused(name: str, draft: Draft, tmp_path: Path) -> None:
    pin = {"name": name, "net_sha256": "0" * 64, "binary_sha256": "0" * 64}
    replace_manifest(draft, lambda value: value.update(engine=pin))
    reseal(draft)
    refused(draft.write(tmp_path), 4, bundle.MANIFEST_FILE)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("start_fen", "8/8/8/8/8/8/8/8 w - - 0 1\nquit"),
        ("code", "import os"),
        ("$ref", "file:///etc/passwd"),
        ("\u0435ngine", {}),
    ],
)
def test_a_key_that_the_protocol_does_not_know_is_refused(
    key: str, value: object, draft: Draft, tmp_path: Path
) -> None:
    changed = draft.json(bundle.MANIFEST_FILE)
    changed["plan"][key] = value
    draft.files[bundle.MANIFEST_FILE] = json.dumps(
        changed, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode()
    reseal(draft)
    refused(draft.write(tmp_path), 4, bundle.MANIFEST_FILE)


def test_more_streams_than_a_bundle_can_hold_are_refused_before_they_are_listed(draft: Draft, tmp_path: Path) -> None:
    replace_manifest(draft, lambda value: value["plan"]["matches"][0].update(games=10_000_000))
    reseal(draft)
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 4, f"{bundle.MANIFEST_FILE} plan.matches"))
    assert peak < 16 * MIB


def test_a_seat_behind_an_address_is_never_called(draft: Draft, tmp_path: Path) -> None:
    """The autouse fixture refuses every socket; a manifest that names addresses still gets its verdict."""
    seat = {"kind": "openai", "base_url": "http://169.254.169.254/latest", "model": "x", "api_key_env": "HOME"}
    plan = {**TINY, "seats": {"agent": seat, "other": seat, "dice": {"kind": "random"}}}
    world = world_of(draft.manifest.plan, None)
    assert check(make(plan, tmp_path, world)).level == "V1"


# --- memory for what has no reason to be large ------------------------------------------------------


def test_large_results_are_not_taken_apart(draft: Draft, tmp_path: Path) -> None:
    into_results_run(draft, b"[" + b"[]," * (4 * MIB) + b"0]")
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 10, bundle.RESULTS_FILE))
    assert peak < 64 * MIB


def test_a_large_index_is_not_taken_apart(draft: Draft, tmp_path: Path) -> None:
    into_index(draft, b'{"format":"agz-journal-1","streams":[' + b"[]," * (4 * MIB) + b"0]}")
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 6, bundle.INDEX_FILE))
    assert peak < 64 * MIB


def test_a_large_statement_is_not_taken_apart(draft: Draft, tmp_path: Path) -> None:
    into_statement(draft, b'{"_type":"x","predicate":[' + b"[]," * (3 * MIB) + b"0]}")
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 3, bundle.ENVELOPE_FILE))
    assert peak < 96 * MIB


def test_an_envelope_beyond_its_limit_is_refused(draft: Draft, tmp_path: Path) -> None:
    put_envelope(draft, b" " * (16 * MIB), "application/vnd.in-toto+json", [("0" * 64, b"x")])
    refused(draft.write(tmp_path), 3, bundle.ENVELOPE_FILE)


def test_a_manifest_beyond_its_limit_is_refused(draft: Draft, tmp_path: Path) -> None:
    draft.files[bundle.MANIFEST_FILE] = b"[" * (2 * MIB)
    bind(draft)
    checksum(draft)
    sign(draft)
    refused(draft.write(tmp_path), 4, bundle.MANIFEST_FILE)


# --- terminals --------------------------------------------------------------------------------------


def honest_but_tricky(draft: Draft) -> Callable[[Question], Answer]:
    world = world_of(draft.manifest.plan, None)

    def answer(question: Question) -> Answer:
        given = world(question)
        assert isinstance(question, Chat)
        assert isinstance(given, Reply)
        return Reply(text=f"{TRICKS}\n{given.text}", id=TRICKS, finish="stop")

    return answer


@pytest.fixture
def tricky(draft: Draft, tmp_path: Path) -> Path:
    """A good bundle whose replies and title are written for a terminal to act on."""
    title = "Fun \N{RIGHT-TO-LEFT OVERRIDE}nuF \N{ZERO WIDTH SPACE}\N{CYRILLIC SMALL LETTER A}"
    return make({**TINY, "title": title}, tmp_path, honest_but_tricky(draft))


def test_escapes_in_replies_never_reach_the_terminal(tricky: Path) -> None:
    assert check(tricky).level == "V1", told(check(tricky))
    for arguments in ((), ("--json",)):
        assert shown(tricky, *arguments)[0] == 0
    code, text = shown(tricky, "--game", f"{CHESS1}-g00000")
    assert (code, "\\u{1b}]0;owned\\u{7}\\u{1b}[2J" in text, "\\u{202e}txt.exe" in text) == (0, True, True)


def test_escapes_in_a_title_are_spelled_out(tricky: Path) -> None:
    assert "Fun \\u202enuF \\u200b\\u0430: run " in shown(tricky)[1]


def test_a_title_with_control_characters_is_refused(draft: Draft, tmp_path: Path) -> None:
    replace_manifest(draft, lambda value: value["plan"].update(title=ESCAPE))
    reseal(draft)
    refused(draft.write(tmp_path), 4, bundle.MANIFEST_FILE)


@pytest.mark.parametrize("text", [ESCAPE, TRICKS, "\x9b2J"], ids=["escapes", "tricks", "C1"])
def test_escapes_in_results_are_spelled_out(text: str, draft: Draft, tmp_path: Path) -> None:
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][0]["a"] = text
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)
    root = draft.write(tmp_path)
    refused(root, 10, bundle.RESULTS_FILE)
    for arguments in ((), ("--json",)):
        shown(root, *arguments)


@pytest.mark.parametrize("share", ["abc", "", "-", "1e9", "\x1b[2J", "9" * 400])
def test_a_figure_that_is_no_number_is_a_clean_refusal(share: str, draft: Draft, tmp_path: Path) -> None:
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][0]["result"]["decided"]["by_play"]["decimal"] = share
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)
    root = draft.write(tmp_path)
    refused(root, 10, f"{bundle.RESULTS_FILE} $.matches[0].result.decided.by_play.decimal")
    assert shown(root)[0] == 1


@pytest.mark.parametrize("claim", [ESCAPE, "\N{RIGHT-TO-LEFT OVERRIDE}", "a" * MIB])
def test_a_claim_with_a_hostile_name_is_a_plain_finding(claim: str, draft: Draft, tmp_path: Path) -> None:
    if not claim.isascii():
        draft.predicate["seed"]["secret"] = claim
        sign(draft)
        refused(draft.write(tmp_path), 5, "seed.secret")
        return
    draft.predicate["claims"][claim] = "1"
    sign(draft)
    refused(draft.write(tmp_path), 11, "claim ")


GAMES = ["nowhere", f"{CHESS1}-g²", f"{CHESS1}-g" + "9" * 5000, ESCAPE, "", f"{CHESS1}-g00009", f"{CHESS1}-x00000"]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_is_not_there_is_wrong_use_and_no_more(game: str, tiny: Path) -> None:
    code, _ = shown(tiny, "--game", game)
    assert code == (2 if game else 0)


# --- sums -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokens", ["-1", f"{10**9 + 1}", f"{2**53}", f"{2**63 - 1}", f"{2**70}", "9" * 5000, "1.0"])
def test_a_token_count_that_sums_could_not_hold_is_refused(tokens: str, draft: Draft, tmp_path: Path) -> None:
    first, *others = lines(draft, SELF_PLAY)
    spoiled = re.sub(rb'"completion_tokens":\d+', b'"completion_tokens":' + tokens.encode(), first)
    assert spoiled != first
    put_lines(draft, SELF_PLAY, [spoiled, *others])
    reindex(draft)
    reseal(draft)
    refused(draft.write(tmp_path), 6, f"{SELF_PLAY} entry 0")


def test_as_many_tokens_as_a_reply_may_have_can_be_summed(draft: Draft, tmp_path: Path) -> None:
    def answer(question: Question) -> Answer:
        return Reply(text="", prompt_tokens=10**9, completion_tokens=10**9, cached_tokens=10**9)

    assert check(make(TINY, tmp_path, answer)).level == "V1"
